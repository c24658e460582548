/**
 * All kinds of callers, and the responses that the contract defines for them: derived from the endpoint declarations,
 * never from the server's code.
 */
import { permissionOf, permissionsOf } from "@orgplane/schema/shared/auth"
import { builtInRoles, type Permission } from "@orgplane/schema/shared/permissions"
import { makeToken } from "../../src/infra/crypto/tokens.ts"
import {
  addMember,
  call,
  makeKey,
  makeRole,
  makeScimToken,
  makeWorkerToken,
  makeWorkspace,
  mintSession,
  platformAdmin,
  runSql,
  signIn,
  signInByEmail,
  type TestPlane,
  type Workspace
} from "../harness.ts"
import {
  addToTeam,
  allBut,
  anAddress,
  changes,
  type Credential,
  kindOf,
  makeCrews,
  makeProvisional,
  makeThings,
  type Operation,
  someEmail,
  type Things,
  idsIn
} from "./http-world.ts"

export const ranks = { none: 0, viewer: 1, editor: 2, manager: 3 } as const
export type Level = keyof typeof ranks

export interface Caller {
  readonly name: string
  readonly kind: "person" | "key" | "minted" | "homeless" | "worker" | "directory"
  readonly credential: Credential
  /** Undefined for a key and for a caller without an organization. */
  readonly person: Workspace | undefined
  readonly isOwner: boolean
  readonly holds: (permission: Permission) => boolean
  /** The permissions that let it use its organization's objects of a group. */
  readonly level: (group: string) => Level
  /** Of its own organization, and of another. */
  readonly things: Things
  readonly others: Things
  /** It owns the personal objects. */
  readonly isSelf: boolean
  readonly isProvisional?: true
  /** Is a platform administrator. */
  readonly isPlatformAdmin?: true
}

/** Distinguishes responses: by status, and the `reason` or `error` of the body. */
export type Verdict = readonly [status: number, word: string]

/** A key never creates, widens or renews a key. */
const closedToKeys = new Set([
  "apiKeys.create",
  "apiKeys.rotate",
  "connectors.startInstall",
  "connectors.completeInstall",
  "mcpConnections.startConnect",
  "mcpConnections.completeConnect",
  "sso.test"
])
/**
 * A session from a token exchange cannot change keys, roles, SSO, SCIM, sessions or members; invitations create
 * members.
 */
const closedToMinted = new Set(["apiKeys", "roles", "sso", "ssoDomains", "scim", "sessions", "members", "invitations"])

const inPerson = new Set(["user", "session", "owner", "platform", "sessionOrWorker"])

/** The error that the caller gets before the request is read; undefined when there is none. */
export const refusalOf = (operation: Operation, caller: Caller): Verdict | undefined => {
  const { access, group, operationId } = operation
  if (caller.kind === "worker") {
    return access.kind === "worker" || access.kind === "memberOrWorker" || access.kind === "sessionOrWorker"
      ? undefined
      : [403, "session_required"]
  }
  if (caller.kind === "directory") return access.kind === "scim" ? undefined : [403, "session_required"]
  if (access.kind === "worker" || access.kind === "scim") return [403, "permission_required"]
  const asksForAll = access.kind === "platform" || access.kind === "permissionOrPlatform"
  if (asksForAll && caller.isPlatformAdmin === true) return undefined
  // Operations without an organization need no permission.
  const isOfNone = access.kind === "user" || access.kind === "platform"
  if (caller.kind === "homeless" && !isOfNone) return [404, "organization_not_found"]
  if (caller.kind === "key" && (inPerson.has(access.kind) || closedToKeys.has(operationId))) {
    return [403, "session_required"]
  }
  if (caller.kind === "minted" && operationId !== "sessions.revokeCurrent") {
    // Valid for one organization only: it can neither change nor remove the person's own data.
    const isPersonal = access.kind === "user" && (changes(operation) || operation.name === "export")
    if (isPersonal || access.kind === "owner" || access.kind === "platform" || closedToMinted.has(group)) {
      return [403, "session_required"]
    }
  }
  if (access.kind === "owner" && !caller.isOwner) return [403, "owner_required"]
  if (access.kind === "platform") return [403, "permission_required"]
  if (!permissionsOf(access).every((permission) => caller.holds(permission))) return [403, "permission_required"]
  return undefined
}

/** Operations on an object rather than its content; adding it to something shows it to others. */
const managing = new Set([
  ...["configObjects", "plugins", "marketplaces"].flatMap((group) => [`${group}.archive`, `${group}.restore`]),
  "configObjects.attachPlugin",
  "configObjects.detachPlugin",
  // The destinations of credentials, and how they may be used.
  "mcpConnections.update",
  "mcpConnections.setToolPolicy",
  "mcpConnections.decideReview",
  // Everyone uses the credential of these connections.
  "mcpConnections.startConnect",
  "mcpConnections.completeConnect",
  "mcpConnections.setApiKey",
  "mcpConnections.disconnect",
  "llmProviders.update",
  "llmProviders.setCredential",
  "llmProviders.removeCredential"
])
/** Recorded without a change of the object. */
const using = new Set([
  "llmProviders.connect",
  "marketplaces.createLink",
  "marketplaces.revokeLink",
  "assignments.setChoice",
  "assignments.resetChoice"
])
/** The object stays in place, or is removed from it: these are changes of content. */
const contentOnly = new Set(["plugins.removeObject", "marketplaces.removePlugin"])

/** Reading requires viewer, changing content editor, grants and removal manager. */
const neededOf = (operation: Operation): Level => {
  if (!changes(operation) || using.has(operation.operationId)) return "viewer"
  if (managing.has(operation.operationId)) return "manager"
  if (contentOnly.has(operation.operationId)) return "editor"
  const isManaging = operation.access.kind === "permission" && operation.access.permission.endsWith(":manage")
  return isManaging || /^(grantAccess|revokeAccess|remove)/.test(operation.name) ? "manager" : "editor"
}

/** Operations whose object is named in the body: it is checked like one in the path. */
export const bodyObjects: Readonly<
  Record<string, { readonly path: ReadonlyArray<string>; readonly type: string; readonly error: string }>
> = {
  "access.explain": { path: ["object", "id"], type: "PluginId", error: "object_not_found" },
  "access.impact": { path: ["grantId"], type: "PluginAccessGrantId", error: "grant_not_found" },
  "users.setActiveOrganization": {
    path: ["organizationId"],
    type: "OrganizationId",
    error: "organization_not_found"
  }
}

/** The caller's access to objects of a kind. */
const levelOf = (caller: Caller, { byPermission, group = "" }: ReturnType<typeof kindOf>): Level => {
  if (byPermission === true && caller.holds(`${group}:manage` as Permission)) return "manager"
  if (byPermission === true && caller.holds(`${group}:write` as Permission)) return "editor"
  const level = caller.level(group)
  return byPermission === true && level !== "none" ? "viewer" : level
}

/** Whether the caller may know that the object with this ID exists. */
const sees = (caller: Caller, type: string, id: string | undefined): boolean => {
  const kind = kindOf(type)
  if (id !== caller.things[type]) return false
  if (type === "OrganizationId") return caller.person !== undefined
  if (kind.seenBy === "self") return caller.isSelf
  return kind.seenBy === "organization" || levelOf(caller, kind) !== "none"
}

/** Everyone with the permission can see a worker; its owner and managers can manage it and see its details. */
const ofWhoseItIs = new Set(
  ["update", "remove", "createToken", "listTokens", "revokeToken", "getRuntime", "upgradeRuntime", "listActivity"].map(
    (name) => `workers.${name}`
  )
)
const managesWorkers = ({ holds, isSelf, kind, name }: Caller) =>
  isSelf || name === "an admin" || kind === "minted" || (kind === "key" && holds("workers:manage"))

/** The error that the caller gets because of the objects in path and body; undefined when there is none. */
export const verdictOn = (operation: Operation, caller: Caller, ids: Things): Verdict | undefined => {
  // Like a plan: what the organization cannot have is reported before what exists.
  if (expectedOf(operation, caller).includes("provisional_organization")) return [403, "provisional_organization"]
  for (const [at, { type }] of idsIn(operation).entries()) {
    const kind = kindOf(type)
    const { error, permission, seenBy } = kind
    // A platform administrator belongs to no organization, and may do this with any existing one.
    // Approvers see all connectors and marketplaces of their organization.
    const needsNoGrant = operation.access.kind === "platform" || operation.group === "approvals"
    const isAnybodys = needsNoGrant && ids[type] === caller.things[type]
    // An organization has no objects of a kind that it cannot have.
    if (!isAnybodys && (ids[type] === undefined || !sees(caller, type, ids[type]))) return [404, error]
    // The audit log has all events; each of the others has the permission of its resource.
    if (operation.group !== "audit" && permission !== undefined && !caller.holds(permission)) return [404, error]
    if (at === 0 && ofWhoseItIs.has(operation.operationId) && !managesWorkers(caller)) return [403, "not_creator"]
    // A grant is on the object; its parts are looked up by callers with a grant.
    if (at === 0 && seenBy === "grant" && !isAnybodys && ranks[levelOf(caller, kind)] < ranks[neededOf(operation)]) {
      return [403, "grant_required"]
    }
  }
  const named = bodyObjects[operation.operationId]
  return named === undefined || sees(caller, named.type, ids[named.type]) ? undefined : [404, named.error]
}

interface ExpectedResults {
  readonly expected: ReadonlyArray<number | string>
  readonly when?: (caller: Caller) => boolean
  readonly because: string
}

const isAgent = (caller: Caller) => caller.isProvisional === true
const isKnownByEmail = (caller: Caller) => caller.kind === "homeless"
const noCredential: ReadonlyArray<ExpectedResults> = [
  { expected: ["invalid_request"], because: "These connections need no credential." }
]
const noRepository: ReadonlyArray<ExpectedResults> = [
  { expected: [409, 502], because: "These connectors have no repository." }
]
const noCatalog: ReadonlyArray<ExpectedResults> = [
  { expected: ["model_catalog_not_configured"], because: "The catalog is disabled in this installation." }
]
const noSuite: ReadonlyArray<ExpectedResults> = [
  { expected: ["needs_connection", "suite_not_configured"], because: "No suite is configured in this installation." }
]
const notRemembered: ReadonlyArray<ExpectedResults> = [
  { expected: ["memory_not_found"], because: "This memory does not exist." }
]
const unclaimed = (what: string): ExpectedResults => ({
  expected: ["provisional_organization"],
  when: isAgent,
  because: `An unclaimed workspace has no ${what}.`
})
const proved = (word: string): ReadonlyArray<ExpectedResults> => [
  {
    expected: ["email_not_verified"],
    when: (caller) => !isKnownByEmail(caller),
    because: "These callers have no verified email address."
  },
  { expected: [word], because: "This link was never issued." }
]

/** Of two objects, the one in the body is checked after the one in the path. */
const given = (group: string, level: "editor" | "manager"): ReadonlyArray<ExpectedResults> => [
  {
    expected: ["invalid_request"],
    when: (caller) => caller.level(group) === "none",
    because: "The caller cannot see the object that the body names."
  },
  {
    expected: ["grant_required"],
    when: (caller) => ranks[caller.level(group)] < ranks[level],
    because: "Adding an object to another one shows it to others."
  }
]
const apart = (word: string): ReadonlyArray<ExpectedResults> => [
  { expected: [word], because: "The one object does not contain the other." }
]

/** Earlier callers change the same rollout. */
const changedBefore = (...errors: ReadonlyArray<string>): ReadonlyArray<ExpectedResults> => [
  { expected: [200, ...errors], because: "Earlier callers may have changed the rollout." }
]

const unlessHeld = (status: number): ReadonlyArray<ExpectedResults> => [
  {
    expected: [status, "plugin_not_found"],
    because: "After the tests of approvals, viewers do not see the plugin, because it is pending approval."
  }
]

/** A document needs the permissions of each kind in it. */
const kindPermissions = (when: (caller: Caller) => boolean, ...or: ReadonlyArray<number>): ExpectedResults => ({
  expected: [...or, "permission_required"],
  when,
  because: "Each kind also requires its own permissions."
})

const managesConnectors: ExpectedResults = {
  expected: ["grant_required"],
  when: (caller) => caller.level("connectors") !== "manager",
  because: "A manager of the connector decides."
}

/** The result of an operation itself, after all checks: success everywhere else. */
const ownResults: Readonly<Record<string, ReadonlyArray<ExpectedResults>>> = {
  "memory.get": notRemembered,
  "memory.delete": notRemembered,
  "bootstrap.acceptClaim": proved("claim_not_found"),
  "invitations.accept": proved("invitation_not_found"),
  "organizations.create": proved("email_not_verified").slice(0, 1),
  "configuration.export": [kindPermissions(({ isOwner }) => !isOwner, 200)],
  "configuration.plan": [kindPermissions(({ holds }) => !holds("organizations:write"))],
  "configuration.apply": [kindPermissions(({ holds }) => !holds("organizations:read"))],
  "configuration.adopt": [kindPermissions(({ isOwner }) => !isOwner, 200)],
  "configurationSource.get": [
    { expected: [200, "configuration_source_not_found"], because: "Earlier callers may have set or removed it." }
  ],
  "configurationSource.set": [
    { expected: ["session_required"], when: ({ kind }) => kind === "key", because: "It is applied as a member." }
  ],
  "configurationSource.remove": [
    { expected: [204, "configuration_source_not_found"], because: "Earlier callers may have removed it." }
  ],
  "configurationSource.run": [
    {
      expected: ["configuration_source_not_found", "configuration_source_disabled"],
      because: "Earlier callers may have removed it, and it is disabled."
    }
  ],
  "configurationRuns.approve": [
    managesConnectors,
    { expected: [202, "configuration_run_not_held"], because: "Earlier callers may have decided it." }
  ],
  "configurationRuns.reject": [
    managesConnectors,
    { expected: [200, "configuration_run_not_held"], because: "Earlier callers may have decided it." }
  ],
  "ssoDomains.verify": [
    { expected: [204, "invalid_request"], because: "Domains added by other callers have no DNS record." }
  ],
  "ssoDomains.create": [unclaimed("people who sign in")],
  "scimProtocol.getMe": [{ expected: [501], because: "SCIM tokens do not represent a user." }],
  "scim.createDirectory": [
    unclaimed("directories"),
    { expected: [201, "quota_exceeded"], because: "The limit is ten, and other callers created some." }
  ],
  "eventStreams.create": [
    { expected: [201, "quota_exceeded"], because: "The limit is twenty, and other callers created some." }
  ],
  "apiKeys.create": [unclaimed("keys")],
  "apiKeys.rotate": [unclaimed("keys")],
  "sessions.exchange": [unclaimed("sessions of other users")],
  "organizations.transferOwnership": [unclaimed("owner until it is claimed")],
  "invitations.batch": [unclaimed("mail")],
  "invitations.create": [unclaimed("mail")],
  "invitations.resend": [unclaimed("mail")],
  "apiKeys.current": [
    {
      expected: ["api_key_not_found"],
      when: ({ kind }) => kind !== "key",
      because: "The request is not made with a key."
    }
  ],
  "connectors.setup": [
    {
      expected: ["quota_exceeded"],
      when: isAgent,
      because: "Such a workspace may have one connector and already has it."
    },
    { expected: ["invalid_request"], because: "There is no repository at that URL." }
  ],
  "connectors.disconnectAccount": [
    { expected: ["connector_account_in_use"], because: "An instance uses the account." }
  ],
  "connectors.startInstall": [{ expected: ["codehost_not_configured"], because: "No app is configured." }],
  "connectors.completeInstall": [{ expected: ["invalid_request"], because: "This installation was never started." }],
  "connectors.listRepositories": [{ expected: ["repositories_not_listed"], because: "These accounts use plain git." }],
  "connectors.listBranches": [{ expected: ["repositories_not_listed"], because: "These accounts use plain git." }],
  "connectors.createInstance": [
    {
      expected: ["quota_exceeded"],
      when: isAgent,
      because: "Such a workspace may have one connector and already has it."
    },
    { expected: ["invalid_request"], because: "There is no repository at that URL." }
  ],
  "connectors.setCredential": [
    { expected: ["invalid_request"], because: "There is no repository at that URL, or an app reads it." }
  ],
  "workers.create": [
    { expected: ["session_required"], when: ({ kind }) => kind === "key", because: "A worker belongs to a user." }
  ],
  "workers.getRuntime": [{ expected: ["worker_runtime_unavailable"], because: "These workers are local." }],
  "workers.upgradeRuntime": [{ expected: ["worker_runtime_unavailable"], because: "These workers are local." }],
  "capabilities.createMailDraft": noSuite,
  "capabilities.getMailMessage": noSuite,
  "capabilities.updateCalendarEvent": noSuite,
  "capabilities.startConnect": noSuite,
  "capabilities.completeConnect": noSuite,
  "connectors.discovery": noRepository,
  "connectors.tree": noRepository,
  "connectors.apply": noRepository,
  "connectors.approveSync": [{ expected: ["sync_not_held"], because: "These syncs have finished." }],
  "connectors.rejectSync": [{ expected: ["sync_not_held"], because: "These syncs have finished." }],
  "configObjects.attachPlugin": given("plugins", "editor"),
  "plugins.addObject": given("configObjects", "manager"),
  "marketplaces.addPlugin": given("plugins", "manager"),
  "assignments.setChoice": unlessHeld(200),
  "assignments.resetChoice": unlessHeld(204),
  "assignments.create": given("plugins", "editor").slice(0, 1),
  "rollouts.start": [{ expected: ["rollout_started", "rollout_ended"], because: "The rollout has started." }],
  "rollouts.schedule": [{ expected: ["rollout_started", "rollout_ended"], because: "The rollout has started." }],
  "rollouts.promote": changedBefore("rollout_ended", "rollout_ring_changed", "rollout_paused"),
  "rollouts.pause": changedBefore("rollout_ended"),
  "rollouts.resume": changedBefore("rollout_ended", "rollout_not_paused"),
  "rollouts.rollBack": changedBefore("rollout_ended", "rollout_not_revertible"),
  "rollouts.release": changedBefore("rollout_ended"),
  "rollouts.create": [{ expected: ["release_not_approved"], because: "The release is pending approval." }],
  "rollouts.withdraw": [
    { expected: ["plugin_release_not_found"], because: "The plugin has no release with the digest." }
  ],
  "configObjects.detachPlugin": apart("plugin_membership_not_found"),
  "plugins.removeObject": apart("plugin_membership_not_found"),
  "marketplaces.removePlugin": apart("marketplace_membership_not_found"),
  "marketplaces.createLink": [
    { expected: ["session_required"], when: ({ kind }) => kind === "key", because: "A link has the access of a user." }
  ],
  // The owner created it.
  "marketplaces.revokeLink": [
    {
      expected: ["marketplace_link_not_found"],
      when: (caller) => !(caller.isSelf || ranks[caller.level("marketplaces")] >= ranks.manager),
      because: "Only managers see the links of other users."
    }
  ],
  // Managing without a grant does not include using.
  "mcpConnections.listTools": [
    {
      expected: ["connection_not_found"],
      when: ({ name, kind }) => kind === "key" || name === "an admin",
      because: "These callers have no grant."
    }
  ],
  "mcpConnections.callTool": [
    {
      expected: ["connection_not_found"],
      when: ({ name, kind }) => kind === "key" || name === "an admin",
      because: "These callers have no grant."
    },
    { expected: ["tool_execution_failed"], because: "The server has no such tool." }
  ],
  "llmProviders.setCredential": noCredential,
  "llmProviders.removeCredential": noCredential,
  // Managing without a grant returns no content.
  "llmProviders.connect": [
    {
      expected: ["grant_required"],
      when: ({ name, kind }) => kind === "key" || name === "an admin",
      because: "These callers have no grant."
    }
  ],
  "llmProviders.listCatalog": noCatalog,
  "llmProviders.listCatalogProviders": noCatalog,
  "mcpConnections.startConnect": noCredential,
  "mcpConnections.completeConnect": noCredential,
  "mcpConnections.setApiKey": noCredential,
  "connectors.plan": noRepository,
  "sso.putOidc": [
    unclaimed("people who sign in"),
    { expected: ["sso_provider_failed"], because: "There is no provider at that URL." }
  ],
  "sso.putSaml": [
    unclaimed("people who sign in"),
    {
      expected: [200, "owner_required"],
      because: "Another caller may have enabled SSO; changing it then requires an owner."
    }
  ],
  "sso.enforce": [{ expected: ["invalid_request"], because: "The body names no owner with a verified email address." }],
  "connectors.createTarget": noRepository,
  "connectors.retrySync": [{ expected: ["sync_not_failed"], because: "These syncs have succeeded." }],
  "connectors.rollback": [{ expected: ["invalid_request"], because: "These branches have no published version." }],
  "connectors.planRollback": [{ expected: ["invalid_request"], because: "These branches have no published version." }]
}

/** The expected statuses or codes, one of which the caller gets for a valid request. */
export const expectedOf = (operation: Operation, caller: Caller): ReadonlyArray<number | string> =>
  ownResults[operation.operationId]?.find(({ when }) => when?.(caller) ?? true)?.expected ??
  operation.success.map(({ status }) => status)

/** The response of a public operation to a body with unknown references. */
export const publicStatuses: Readonly<Record<string, ReadonlyArray<number>>> = {
  "bootstrap.previewClaim": [404],
  "invitations.preview": [404],
  "sessions.verifyEmail": [400],
  "sso.complete": [400],
  // A provider's page posts a form.
  "sso.samlAcs": [400],
  // Nothing is signed in this test.
  "webhooks.codehost": [401],
  // Without the signed part it is not a valid link.
  "plugins.downloadLinked": [400],
  // This link was never issued.
  "marketplaces.manifestLinked": [404],
  "marketplaces.downloadLinked": [404]
}

const always = (level: Level) => () => level
const rolesHold = (role: keyof typeof builtInRoles) => (permission: Permission) =>
  (builtInRoles[role] as ReadonlyArray<Permission>).includes(permission)

/** The fixtures of a file: organizations, their people and their objects. */
export const makeWorld = async (plane: TestPlane) => {
  const owner = await makeWorkspace(plane, "Ours")
  const outsider = await makeWorkspace(plane, "Theirs")
  const agent = await makeProvisional(plane)
  const crews = await makeCrews(owner)
  const member = await addMember(plane, owner, "member")
  const viewer = await addToTeam(owner, crews.viewer, await addMember(plane, owner, "member"))
  const editor = await addToTeam(owner, crews.editor, await addMember(plane, owner, "member"))
  const admin = await addMember(plane, owner, "admin")
  const minted = await mintSession(plane, owner, owner.membershipId)
  const homeless = await signInByEmail(plane, someEmail())
  const root = await signInByEmail(plane, platformAdmin)
  const own = await makeThings(plane, owner, crews)
  const sibling = await makeThings(plane, owner, crews)
  const worker = await makeWorkerToken(plane, owner, own["WorkerPathId"])
  const directory = await makeScimToken(plane, owner, own["SCIMDirectoryId"])
  const foreign = await makeThings(plane, outsider)
  // Such a workspace has neither keys nor directories.
  const hasThese = Object.keys(foreign).filter((type) => type !== "APIKeyId" && !type.startsWith("SCIM"))
  const provisional = await makeThings(plane, agent, undefined, hasThese)

  const makeSession = async (session: { readonly lifetimeSeconds?: number } = {}) =>
    signIn(plane, owner.userId, owner.organizationId, session)
  const ended = await makeSession()
  await owner.client.sessions.revoke(ended.id)
  const unauthenticated: Readonly<Record<string, string | undefined>> = {
    "no token": undefined,
    "a token that was never issued": makeToken("ops"),
    "a malformed token": "ops_nothing",
    "an expired session": (await makeSession({ lifetimeSeconds: 0 })).token,
    "a revoked session": ended.token
  }

  const ours = { things: own, others: foreign, isSelf: false, isOwner: false }
  const person = (name: string, person: Workspace, role: keyof typeof builtInRoles, level: Level): Caller => ({
    ...ours,
    name,
    kind: "person",
    credential: { token: person.token },
    person,
    isOwner: role === "owner",
    holds: rolesHold(role),
    level: always(level)
  })
  const staff: ReadonlyArray<Caller> = [
    {
      ...person("another organization's owner", outsider, "owner", "manager"),
      things: foreign,
      others: own,
      isSelf: true
    },
    person("a member without a grant", member, "member", "none"),
    person("a member who can view", viewer, "member", "viewer"),
    person("a member who can edit", editor, "member", "editor"),
    person("an admin", admin, "admin", "manager"),
    { ...person("an owner", owner, "owner", "manager"), isSelf: true },
    {
      ...person("an owner's session from a token exchange", owner, "owner", "manager"),
      kind: "minted",
      credential: { token: minted.token }
    },
    {
      ...person("the agent of an unclaimed workspace", agent, "owner", "manager"),
      things: provisional,
      others: own,
      isSelf: true,
      isProvisional: true
    },
    {
      ...ours,
      name: "a user without an organization",
      kind: "homeless",
      credential: { token: homeless.token },
      person: undefined,
      holds: () => false,
      level: always("none")
    },
    {
      ...ours,
      name: "a platform administrator",
      kind: "homeless",
      isPlatformAdmin: true,
      credential: { token: root.token },
      person: undefined,
      holds: () => false,
      level: always("none")
    },
    {
      ...ours,
      name: "a worker",
      kind: "worker",
      credential: { token: worker.token },
      person: undefined,
      holds: () => false,
      level: always("none")
    },
    {
      ...ours,
      name: "a directory",
      kind: "directory",
      credential: { token: directory.token },
      person: undefined,
      holds: () => false,
      level: always("none")
    }
  ]

  const inRole = async (name: string, permissions: ReadonlyArray<Permission>): Promise<Caller> => {
    const roleMember = await addMember(plane, owner, await makeRole(owner, permissions))
    await addToTeam(owner, crews.manager, roleMember)
    await roleMember.call("GET", "/v1/me")
    return {
      ...person(name, roleMember, "member", "manager"),
      holds: (permission) => permissions.includes(permission)
    }
  }
  const withKey = async (name: string, permissions: ReadonlyArray<Permission>): Promise<Caller> => {
    const { key, call } = await makeKey(plane, owner, permissions)
    await call("GET", "/v1/api-keys/current")
    return {
      ...ours,
      name,
      kind: "key",
      credential: { key },
      person: undefined,
      holds: (permission) => permissions.includes(permission),
      // A key cannot get grants: it manages objects by its permission.
      level: (group) => (permissions.some((one) => one === `${group}:manage`) ? "manager" : "none")
    }
  }

  const cache = new Map<string, Promise<ReadonlyArray<Caller>>>()
  const special = async (permission: Permission | undefined): Promise<ReadonlyArray<Caller>> => {
    if (permission === undefined) {
      return [
        await inRole("a member whose role has no permissions", []),
        await withKey("a key without permissions", []),
        await withKey("a key with all permissions", allBut(undefined))
      ]
    }
    const manage = `${permission.split(":")[0]}:manage`
    const managing = allBut(undefined).filter((one) => one === permission || one === manage)
    return [
      await inRole(`a member whose role has all permissions but ${permission}`, allBut(permission)),
      await inRole(`a member whose role has only ${permission}`, [permission]),
      await withKey(`a key with all permissions but ${permission}`, allBut(permission)),
      await withKey(`a key with only ${permission}`, [permission]),
      ...(managing.length > 1 ? [await withKey(`a key with ${managing.join(" and ")}`, managing)] : [])
    ]
  }

  /** All callers that may call the operation. */
  const callersOf = async ({ access }: Operation): Promise<ReadonlyArray<Caller>> => {
    const permission = permissionOf(access)
    const callers = cache.get(permission ?? "") ?? special(permission)
    cache.set(permission ?? "", callers)
    return [...staff, ...(await callers)]
  }

  /** An address over its failure limit, and a session over its rate limit, for the duration of the tests. */
  const tired = await signIn(plane, owner.userId, owner.organizationId)
  const full = { address: "192.0.2.77", token: tired.token }
  await runSql(
    plane,
    (sql) => sql`INSERT INTO rate_windows (bucket, taken, ends_at) VALUES
      (${`auth:${full.address}`}, 1000, now() + interval '1 hour'),
      (${`session:${tired.id}`}, 100000, now() + interval '1 hour')`
  )
  await call(plane, undefined, full.address)("GET", "/v1/organization")
  await call(plane, tired.token, anAddress())("GET", "/v1/organization")

  for (const { credential } of staff) {
    // So that its own audit events are written before anything is compared.
    if (credential !== undefined && "token" in credential) await call(plane, credential.token)("GET", "/v1/me")
  }
  return {
    owner,
    outsider,
    agent,
    crews,
    own,
    sibling,
    foreign,
    unauthenticated,
    staff,
    root,
    worker,
    directory,
    callersOf,
    full
  }
}
