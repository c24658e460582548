/** Grants on the six kinds of objects, whose operations have one shape. */
import type { CreateGrant, GrantedObjectKind, GrantRole } from "@orgplane/client"
import { client } from "../api/client.ts"
import { objectKind } from "./kinds.ts"

export interface GrantedObject {
  readonly kind: GrantedObjectKind
  readonly id: string
}

export interface Grant {
  readonly id: string
  readonly orgMembershipId: string | null
  readonly teamId: string | null
  readonly orgWide: boolean
  readonly role: GrantRole
  readonly createdByOrgMembershipId: string | null
  readonly createdAt: string
  /** When it was revoked. Revoked grants stay in the list as history. */
  readonly removedAt: string | null
}

interface GrantsPage {
  readonly items: ReadonlyArray<Grant>
  readonly nextCursor: string | null
}

interface PageInput {
  readonly limit: number
  readonly cursor?: string
}

interface Grants {
  readonly list: (id: string, input: PageInput, signal: AbortSignal) => PromiseLike<GrantsPage>
  readonly grant: (id: string, input: CreateGrant) => PromiseLike<unknown>
  readonly revoke: (id: string, grantId: string) => PromiseLike<unknown>
}

const grants: Readonly<Record<GrantedObjectKind, Grants>> = {
  plugin: {
    list: (id, input, signal) => client.plugins.listAccess(id, input, { signal }),
    grant: (id, input) => client.plugins.grantAccess(id, input),
    revoke: (id, grantId) => client.plugins.revokeAccess(id, grantId)
  },
  marketplace: {
    list: (id, input, signal) => client.marketplaces.listAccess(id, input, { signal }),
    grant: (id, input) => client.marketplaces.grantAccess(id, input),
    revoke: (id, grantId) => client.marketplaces.revokeAccess(id, grantId)
  },
  configObject: {
    list: (id, input, signal) => client.configObjects.listAccess(id, input, { signal }),
    grant: (id, input) => client.configObjects.grantAccess(id, input),
    revoke: (id, grantId) => client.configObjects.revokeAccess(id, grantId)
  },
  connectorInstance: {
    list: (id, input, signal) => client.connectors.listAccess(id, input, { signal }),
    grant: (id, input) => client.connectors.grantAccess(id, input),
    revoke: (id, grantId) => client.connectors.revokeAccess(id, grantId)
  },
  mcpConnection: {
    list: (id, input, signal) => client.mcpConnections.listAccess(id, input, { signal }),
    grant: (id, input) => client.mcpConnections.grantAccess(id, input),
    revoke: (id, grantId) => client.mcpConnections.revokeAccess(id, grantId)
  },
  llmProvider: {
    list: (id, input, signal) => client.llmProviders.listAccess(id, input, { signal }),
    grant: (id, input) => client.llmProviders.grantAccess(id, input),
    revoke: (id, grantId) => client.llmProviders.revokeAccess(id, grantId)
  }
}

export const grantsOf = (kind: GrantedObjectKind): Grants => grants[kind]

/** The kinds, in the order in which a person selects them. */
export const grantedKinds: ReadonlyArray<readonly [kind: GrantedObjectKind, label: string]> = [
  ["plugin", "Plugin"],
  ["marketplace", "Marketplace"],
  ["configObject", "Config object"],
  ["connectorInstance", "Connector"],
  ["mcpConnection", "MCP connection"],
  ["llmProvider", "LLM provider"]
]

export const grantedKindOf = (text: string | undefined): GrantedObjectKind =>
  grantedKinds.find(([kind]) => kind === text)?.[0] ?? "plugin"

export const groupOf = (kind: GrantedObjectKind): string => objectKind(kind).group
