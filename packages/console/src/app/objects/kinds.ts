/** The kinds of objects: how their IDs begin, how their names are read, and where their pages are. */
import type { Member } from "@orgplane/client"
import { client } from "../api/client.ts"

export interface Named {
  readonly id: string
  readonly name: string
  /** A second text that tells objects with the same name apart. */
  readonly detail?: string
}

export interface ObjectKind {
  /** The prefix of the IDs. */
  readonly prefix?: string
  /** The first part of the keys of queries. */
  readonly group: string
  readonly noun: string
  readonly path?: (id: string) => string
  /** Objects of a kind without it are shown by their IDs. */
  readonly get?: (id: string) => Promise<Named>
  /** At most 100 objects. */
  readonly search?: (q: string | undefined, signal: AbortSignal) => Promise<ReadonlyArray<Named>>
}

/** A kind whose objects can be found by name. */
export type SearchedObjectKind = ObjectKind & Required<Pick<ObjectKind, "get" | "search">>

const inputOf = (q: string | undefined) => ({ limit: 100, ...(q === undefined ? {} : { q }) })

export const memberName = ({ email, id, name }: Pick<Member, "email" | "id" | "name">): string => name ?? email ?? id

const memberOf = (member: Pick<Member, "email" | "id" | "name">): Named => ({
  id: member.id,
  name: memberName(member),
  ...(member.name !== null && member.email !== null ? { detail: member.email } : {})
})

const named = ({ id, name }: { readonly id: string; readonly name: string }): Named => ({ id, name })

const searchedKinds = {
  member: {
    prefix: "om",
    group: "members",
    noun: "member",
    path: (id) => `/members/${id}`,
    search: async (q, signal) => (await client.members.list(inputOf(q), { signal })).items.map(memberOf),
    get: async (id) => memberOf(await client.members.get(id))
  },
  team: {
    prefix: "tem",
    group: "teams",
    noun: "team",
    path: (id) => `/teams/${id}`,
    search: async (q, signal) => (await client.teams.list(inputOf(q), { signal })).items.map(named),
    get: async (id) => named(await client.teams.get(id))
  },
  plugin: {
    prefix: "plg",
    group: "plugins",
    noun: "plugin",
    path: (id) => `/plugins/${id}`,
    search: async (q, signal) => (await client.plugins.list(inputOf(q), { signal })).items.map(named),
    get: async (id) => named(await client.plugins.get(id))
  },
  marketplace: {
    prefix: "mkt",
    group: "marketplaces",
    noun: "marketplace",
    path: (id) => `/marketplaces/${id}`,
    search: async (q, signal) => (await client.marketplaces.list(inputOf(q), { signal })).items.map(named),
    get: async (id) => named(await client.marketplaces.get(id))
  },
  configObject: {
    prefix: "cob",
    group: "objects",
    noun: "config object",
    path: (id) => `/objects/${id}`,
    search: async (q, signal) =>
      (await client.configObjects.list(inputOf(q), { signal })).items.map(({ id, objectType, title }) => ({
        id,
        name: title,
        detail: objectType
      })),
    get: async (id) => {
      const { title } = await client.configObjects.get(id)
      return { id, name: title }
    }
  },
  connectorInstance: {
    prefix: "cin",
    group: "connectors",
    noun: "connector",
    path: (id) => `/connectors/${id}`,
    search: async (q, signal) => (await client.connectors.listInstances(inputOf(q), { signal })).items.map(named),
    get: async (id) => named(await client.connectors.getInstance(id))
  },
  mcpConnection: {
    prefix: "emc",
    group: "mcp-connections",
    noun: "MCP connection",
    path: (id) => `/mcp-connections/${id}`,
    search: async (q, signal) => (await client.mcpConnections.list(inputOf(q), { signal })).items.map(named),
    get: async (id) => named(await client.mcpConnections.get(id))
  },
  llmProvider: {
    prefix: "llm",
    group: "llm-providers",
    noun: "LLM provider",
    path: (id) => `/llm-providers/${id}`,
    search: async (q, signal) => (await client.llmProviders.list(inputOf(q), { signal })).items.map(named),
    get: async (id) => named(await client.llmProviders.get(id))
  },
  desktopPolicy: {
    prefix: "dpo",
    group: "desktop-policies",
    noun: "desktop policy",
    path: (id) => `/desktop-policies/${id}`,
    search: async (q, signal) =>
      (await client.desktopPolicies.list(inputOf(q), { signal })).items.map(({ id, policyName }) => ({
        id,
        name: policyName
      })),
    get: async (id) => {
      const { policyName } = await client.desktopPolicies.get(id)
      return { id, name: policyName }
    }
  },
  catalogProvider: {
    group: "llm-catalog",
    noun: "provider of the catalog",
    search: async (q, signal) =>
      (await client.llmProviders.listCatalogProviders(inputOf(q), { signal })).items.map(
        ({ id, modelCount, name }) => ({
          id,
          name,
          detail: `${modelCount} models`
        })
      ),
    get: (id) => Promise.resolve({ id, name: id })
  }
} as const satisfies Record<string, SearchedObjectKind>

const otherKinds = {
  apiKey: {
    prefix: "key",
    group: "api-keys",
    noun: "API key",
    path: (id) => `/api-keys/${id}`,
    get: async (id) => named(await client.apiKeys.get(id))
  },
  role: {
    prefix: "rol",
    group: "roles",
    noun: "role",
    path: (id) => `/roles/${id}`,
    get: async (id) => named(await client.roles.get(id))
  },
  webhookEndpoint: {
    prefix: "whe",
    group: "webhook-endpoints",
    noun: "webhook endpoint",
    path: (id) => `/webhook-endpoints/${id}`,
    get: async (id) => named(await client.webhookEndpoints.get(id))
  },
  eventStream: {
    prefix: "evs",
    group: "event-streams",
    noun: "event stream",
    path: (id) => `/event-streams/${id}`,
    get: async (id) => named(await client.eventStreams.get(id))
  },
  template: {
    prefix: "tpl",
    group: "templates",
    noun: "template",
    path: (id) => `/templates/${id}`,
    get: async (id) => named((await client.templates.get(id)).template)
  },
  configurationRun: {
    prefix: "cfr",
    group: "configuration",
    noun: "configuration run",
    path: (id) => `/configuration/runs/${id}`
  },
  scimDirectory: {
    prefix: "scd",
    group: "scim",
    noun: "SCIM directory",
    path: (id) => `/scim/${id}`,
    get: async (id) => named(await client.scim.getDirectory(id))
  },
  worker: {
    prefix: "wrk",
    group: "workers",
    noun: "worker",
    path: (id) => `/workers/${id}`,
    get: async (id) => named((await client.workers.get(id)).worker)
  },
  invitation: {
    prefix: "inv",
    group: "invitations",
    noun: "invitation",
    path: (id) => `/invitations/${id}`,
    get: async (id) => named({ id, name: (await client.invitations.get(id)).email })
  },
  organization: { prefix: "org", group: "organization", noun: "organization", path: () => "/organization" },
  user: { prefix: "usr", group: "me", noun: "user" },
  session: { prefix: "ses", group: "sessions", noun: "session" },
  rollout: {
    prefix: "rlo",
    group: "rollouts",
    noun: "rollout",
    path: (id) => `/rollouts/${id}`,
    get: async (id) => {
      const { pluginName, releaseNumber, version } = await client.rollouts.get(id)
      return { id, name: `${pluginName} ${version ?? `release ${releaseNumber}`}` }
    }
  },
  release: { prefix: "rel", group: "approvals", noun: "release", path: (id) => `/releases/${id}` },
  assignment: { prefix: "asg", group: "assignments", noun: "assignment", path: (id) => `/assignments/${id}` },
  connectorAccount: {
    prefix: "cac",
    group: "connector-accounts",
    noun: "connector account",
    path: (id) => `/connector-accounts/${id}`,
    get: async (id) => named(await client.connectors.getAccount(id))
  },
  sync: { prefix: "cse", group: "connectors", noun: "sync" },
  branch: { prefix: "ctg", group: "connectors", noun: "branch" },
  domain: { prefix: "dom", group: "sso-domains", noun: "domain", path: () => "/sso" },
  ssoConnection: { prefix: "sso", group: "sso", noun: "SSO connection", path: () => "/sso" },
  memory: { prefix: "mem", group: "memory", noun: "memory" }
} as const satisfies Record<string, ObjectKind>

const kinds = { ...searchedKinds, ...otherKinds }

export type SearchedKind = keyof typeof searchedKinds
export type NamedKind = keyof typeof kinds

export const searchedKind = (kind: SearchedKind): SearchedObjectKind => searchedKinds[kind]

export const objectKind = (kind: NamedKind): ObjectKind => kinds[kind]

const byPrefix = new Map(
  Object.values<ObjectKind>(kinds).flatMap((kind) => (kind.prefix === undefined ? [] : [[kind.prefix, kind] as const]))
)

/** The kind of an object by the prefix of its ID. */
export const kindOfId = (id: string): ObjectKind | undefined => byPrefix.get(id.split("_", 1)[0] ?? "")

/** Whether a text is the ID of an object of the kind, which may not exist. */
export const isIdOf = ({ prefix }: ObjectKind, text: string): boolean =>
  prefix === undefined || (text.startsWith(`${prefix}_`) && /^[a-z]+_[0-9a-z]{26}$/.test(text))

/** Such as "a plugin" and "an MCP connection". */
export const withArticle = (noun: string): string => `${/^([aeiou]|MCP|LLM)/i.test(noun) ? "an" : "a"} ${noun}`
