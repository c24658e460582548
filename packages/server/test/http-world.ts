/** Two organizations with everything in them that a path can name, for tests that are made from the contract. */
import { contract, type Operation } from "../../../scripts/codegen/reflect.ts"
import { makeId } from "../src/ids.ts"
import type { Prefix } from "@orgplane/schema/shared/ids"
import {
  addMember,
  call,
  makeConnector,
  makeMarketplace,
  makeWorkspace,
  signIn,
  type TestPlane,
  type Workspace
} from "./harness.ts"

export const operations: ReadonlyArray<Operation> = contract().groups.flatMap((group) => group.operations)

/** The id of one thing of each kind, by the name of the identifier's schema. */
export type Things = Readonly<Record<string, string>>

/**
 * How the id of each kind of thing is made that a path can name. `child` says whose part it is; `seenBy` who may know of
 * it at all: who has a grant, everybody of the organization, or the person it belongs to.
 */
export const kinds: Readonly<
  Record<string, { readonly prefix: Prefix; readonly seenBy: "grant" | "organization" | "self"; readonly child?: true }>
> = {
  SessionId: { prefix: "ses", seenBy: "self" },
  OrganizationMembershipId: { prefix: "om", seenBy: "organization" },
  ConnectorInstanceId: { prefix: "cin", seenBy: "grant" },
  ConnectorTargetId: { prefix: "ctg", seenBy: "grant" },
  ConnectorSyncEventId: { prefix: "cse", seenBy: "grant" },
  ConfigObjectId: { prefix: "cob", seenBy: "grant" },
  PluginId: { prefix: "plg", seenBy: "grant" },
  MarketplaceId: { prefix: "mkt", seenBy: "grant" },
  ConfigObjectVersionId: { prefix: "cov", seenBy: "grant", child: true },
  ConnectorInstanceAccessGrantId: { prefix: "cia", seenBy: "grant", child: true },
  ConfigObjectAccessGrantId: { prefix: "coa", seenBy: "grant", child: true },
  PluginAccessGrantId: { prefix: "pag", seenBy: "grant", child: true },
  MarketplaceAccessGrantId: { prefix: "mag", seenBy: "grant", child: true }
}

export const kindOf = (type: string) => {
  const kind = kinds[type]
  if (kind === undefined) throw new Error(`No id is made yet of ${type}: say in http-world.ts how.`)
  return kind
}

export const missing = (type: string): string => makeId(kindOf(type).prefix)

/** One of each kind, of the owner; `viewer` may see it all. */
export const makeThings = async (plane: TestPlane, owner: Workspace, viewer?: Workspace): Promise<Things> => {
  const made = async (method: string, path: string, body: unknown) => {
    const answer = await owner.call(method, path, body)
    if (answer.status !== 200 && answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.body.item
  }
  const connector = await makeConnector(plane, owner, `Connector ${makeId("req")}`)
  const plugin = await made("POST", "/v1/plugins", { name: "A plugin" })
  const object = await made("POST", "/v1/config-objects", {
    input: { type: "skill", rawSourceText: "# A skill" },
    pluginIds: [plugin.id]
  })
  const marketplaceId = await makeMarketplace(plane, owner, [plugin.id])
  const receiver = viewer ?? owner
  const grant = (path: string) =>
    made("POST", `${path}/access`, { orgMembershipId: receiver.membershipId, role: "viewer" }).then(
      (granted): string => granted.id
    )
  return {
    SessionId: (await signIn(plane, owner.userId, owner.organizationId)).id,
    OrganizationMembershipId: owner.membershipId,
    ConnectorInstanceId: connector.connectorInstanceId,
    ConnectorTargetId: connector.connectorTargetId,
    ConnectorSyncEventId: connector.connectorSyncEventId,
    ConfigObjectId: object.id,
    PluginId: plugin.id,
    MarketplaceId: marketplaceId,
    ConfigObjectVersionId: object.latestVersion.id,
    ConnectorInstanceAccessGrantId: await grant(`/v1/connector-instances/${connector.connectorInstanceId}`),
    ConfigObjectAccessGrantId: await grant(`/v1/config-objects/${object.id}`),
    PluginAccessGrantId: await grant(`/v1/plugins/${plugin.id}`),
    MarketplaceAccessGrantId: await grant(`/v1/marketplaces/${marketplaceId}`)
  }
}

/** A body that each kind of payload accepts, by the name of its schema. */
const bodies: Readonly<Record<string, (things: Things, plane: TestPlane) => unknown>> = {
  CreateWorkspace: () => ({ workspaceName: "A workspace" }),
  ClaimToken: () => ({ token: "opc_nothing" }),
  SetupConnector: (_, plane) => ({ adapter: "git", cloneUrl: `${plane.repositories}/nothing` }),
  UpdateConnectorInstance: () => ({ config: { a: 1 } }),
  ApplyDiscovery: () => ({ selectedKeys: [], autoImportNewPlugins: false }),
  CreateGrant: () => ({ orgWide: true, role: "viewer" }),
  CreateConfigObject: () => ({ input: { type: "skill", rawSourceText: "# Another skill" } }),
  CreatePlugin: () => ({ name: "Another plugin" })
}

export const bodyOf = (operation: Operation, things: Things, plane: TestPlane): unknown => {
  if (operation.body === null) return undefined
  const make = bodies[operation.body.name ?? ""]
  if (make === undefined) {
    throw new Error(`No body is made yet of ${String(operation.body.name)}: say in http-world.ts how.`)
  }
  return make(things, plane)
}

/** The path with these ids in its holes, by the name of the identifier's schema. */
export const pathOf = (operation: Operation, ids: Things): string =>
  operation.pathParams.reduce(
    (path, { name, type }) => path.replace(`:${name}`, encodeURIComponent(ids[type] ?? missing(type))),
    operation.path
  )

let requests = 0
/** An address nobody else has: what counts by address counts one. */
export const anAddress = (): string => {
  requests += 1
  return `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`
}

export const makeWorld = async (plane: TestPlane) => {
  const owner = await makeWorkspace(plane, "Ours")
  const admin = await addMember(plane, owner, "admin")
  const viewer = await addMember(plane, owner, "member")
  const member = await addMember(plane, owner, "member")
  const outsider = await makeWorkspace(plane, "Theirs")
  return {
    owner,
    admin,
    viewer,
    member,
    outsider,
    own: await makeThings(plane, owner, viewer),
    sibling: await makeThings(plane, owner),
    foreign: await makeThings(plane, outsider)
  }
}

/** Calls an operation as whoever holds the token. */
export const callAs = (plane: TestPlane, token: string | undefined, operation: Operation, ids: Things, body: unknown) =>
  call(plane, token, anAddress())(operation.method, pathOf(operation, ids), body)
