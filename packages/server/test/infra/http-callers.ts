/** Everybody who may call, and what the contract says they are answered: from what the operations declare, never from the server's code. */
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
  /** Undefined for a key and for who is in no organization. */
  readonly person: Workspace | undefined
  readonly isOwner: boolean
  readonly holds: (permission: Permission) => boolean
  /** What lets it do something with its organization's things of a group. */
  readonly level: (group: string) => Level
  /** Of its organization, and of another. */
  readonly things: Things
  readonly others: Things
  /** What is personal among the things is its own. */
  readonly isSelf: boolean
  readonly isProvisional?: true
  /** Administers the whole installation. */
  readonly isPlatformAdmin?: true
}

/** What an answer is told apart by: its status, and the `reason` or `error` of its body. */
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
/** A session by exchange cannot touch keys, roles, SSO, SCIM, sessions, members; invitations make members. */
const closedToMinted = new Set(["apiKeys", "roles", "sso", "ssoDomains", "scim", "sessions", "members", "invitations"])

const inPerson = new Set(["user", "session", "owner", "platform"])

/** What the caller is refused by before anybody looks at the request; undefined when it is not. */
export const refusalOf = (operation: Operation, caller: Caller): Verdict | undefined => {
  const { access, group, operationId } = operation
  if (caller.kind === "worker") {
    return access.kind === "worker" || access.kind === "memberOrWorker" ? undefined : [403, "session_required"]
  }
  if (caller.kind === "directory") return access.kind === "scim" ? undefined : [403, "session_required"]
  if (access.kind === "worker" || access.kind === "scim") return [403, "permission_required"]
  const asksForAll = access.kind === "platform" || access.kind === "permissionOrPlatform"
  if (asksForAll && caller.isPlatformAdmin === true) return undefined
  // What is about no organization needs none.
  const isOfNone = access.kind === "user" || access.kind === "platform"
  if (caller.kind === "homeless" && !isOfNone) return [404, "organization_not_found"]
  if (caller.kind === "key" && (inPerson.has(access.kind) || closedToKeys.has(operationId))) {
    return [403, "session_required"]
  }
  if (caller.kind === "minted" && operationId !== "sessions.revokeCurrent") {
    // Good for one organization only: what is the person's own is not changed by it, nor taken away.
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

/** What decides about a thing, not about what is in it; who gives it into something shows it to others. */
const managing = new Set([
  ...["configObjects", "plugins", "marketplaces"].flatMap((group) => [`${group}.archive`, `${group}.restore`]),
  "configObjects.attachPlugin",
  "configObjects.detachPlugin",
  // Where credentials go, and what may be done with them.
  "mcpConnections.update",
  "mcpConnections.setToolPolicy",
  "mcpConnections.decideReview",
  // The credential of these connections is everybody's.
  "mcpConnections.startConnect",
  "mcpConnections.completeConnect",
  "mcpConnections.setApiKey",
  "mcpConnections.disconnect",
  "llmProviders.update",
  "llmProviders.setCredential",
  "llmProviders.removeCredential"
])
/** On record, and no change of the thing. */
const using = new Set(["llmProviders.connect", "marketplaces.createLink", "marketplaces.revokeLink"])
/** The thing stays where it is, or what is taken out of it goes: these are changes of content. */
const contentOnly = new Set(["plugins.removeObject", "marketplaces.removePlugin"])

/** Read is viewer, change of content editor, grants and removal manager. */
const neededOf = (operation: Operation): Level => {
  if (!changes(operation) || using.has(operation.operationId)) return "viewer"
  if (managing.has(operation.operationId)) return "manager"
  if (contentOnly.has(operation.operationId)) return "editor"
  const isManaging = operation.access.kind === "permission" && operation.access.permission.endsWith(":manage")
  return isManaging || /^(grantAccess|revokeAccess|remove)/.test(operation.name) ? "manager" : "editor"
}

/** Operations whose object is named in the body: it is answered for as one in a path. */
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

/** How far the caller's access to a kind of thing goes. */
const levelOf = (caller: Caller, { byPermission, group = "" }: ReturnType<typeof kindOf>): Level => {
  if (byPermission === true && caller.holds(`${group}:manage` as Permission)) return "manager"
  if (byPermission === true && caller.holds(`${group}:write` as Permission)) return "editor"
  const level = caller.level(group)
  return byPermission === true && level !== "none" ? "viewer" : level
}

/** Whether the caller may know of the thing with this id. */
const sees = (caller: Caller, type: string, id: string | undefined): boolean => {
  const kind = kindOf(type)
  if (id !== caller.things[type]) return false
  if (type === "OrganizationId") return caller.person !== undefined
  if (kind.seenBy === "self") return caller.isSelf
  return kind.seenBy === "organization" || levelOf(caller, kind) !== "none"
}

/** A worker is seen by all who may see workers; whose it is, and who manages them all, decide about it and look inside. */
const ofWhoseItIs = new Set(
  ["update", "remove", "createToken", "listTokens", "revokeToken", "getRuntime", "upgradeRuntime", "listActivity"].map(
    (name) => `workers.${name}`
  )
)
const managesWorkers = ({ holds, isSelf, kind, name }: Caller) =>
  isSelf || name === "an admin" || kind === "minted" || (kind === "key" && holds("workers:manage"))

/** What the caller is refused by because of the things that path and body name; undefined when it is not. */
export const verdictOn = (operation: Operation, caller: Caller, ids: Things): Verdict | undefined => {
  // As with a plan: what the organization cannot have at all is told before what there is.
  if (answersOf(operation, caller).includes("provisional_organization")) return [403, "provisional_organization"]
  for (const [at, { type }] of idsIn(operation).entries()) {
    const kind = kindOf(type)
    const { error, seenBy } = kind
    // An administrator of the installation is in none, and may do this with any that there is.
    const isAnybodys = operation.access.kind === "platform" && ids[type] === caller.things[type]
    // What an organization cannot have, it has none of.
    if (!isAnybodys && (ids[type] === undefined || !sees(caller, type, ids[type]))) return [404, error]
    if (at === 0 && ofWhoseItIs.has(operation.operationId) && !managesWorkers(caller)) return [403, "not_creator"]
    // A grant is on the object; its parts are looked for by who has one.
    if (at === 0 && seenBy === "grant" && ranks[levelOf(caller, kind)] < ranks[neededOf(operation)]) {
      return [403, "grant_required"]
    }
  }
  const named = bodyObjects[operation.operationId]
  return named === undefined || sees(caller, named.type, ids[named.type]) ? undefined : [404, named.error]
}

interface Answers {
  readonly answers: ReadonlyArray<number | string>
  readonly when?: (caller: Caller) => boolean
  readonly because: string
}

const isAgent = (caller: Caller) => caller.isProvisional === true
const isKnownByEmail = (caller: Caller) => caller.kind === "homeless"
const noCredential: ReadonlyArray<Answers> = [
  { answers: ["invalid_request"], because: "These connections ask for no credential." }
]
const noRepository: ReadonlyArray<Answers> = [
  { answers: [409, 502], because: "There is no repository behind these connectors." }
]
const noCatalog: ReadonlyArray<Answers> = [
  { answers: ["model_catalog_not_configured"], because: "The operator has turned the catalogue off here." }
]
const noSuite: ReadonlyArray<Answers> = [
  { answers: ["needs_connection", "suite_not_configured"], because: "The operator has set no suite up here." }
]
const notRemembered: ReadonlyArray<Answers> = [
  { answers: ["memory_not_found"], because: "Nobody has saved this memory." }
]
const unclaimed = (what: string): Answers => ({
  answers: ["provisional_organization"],
  when: isAgent,
  because: `A workspace that nobody has claimed has no ${what}.`
})
const proved = (word: string): ReadonlyArray<Answers> => [
  {
    answers: ["email_not_verified"],
    when: (caller) => !isKnownByEmail(caller),
    because: "Nobody here has proved an address."
  },
  { answers: [word], because: "Nobody made this link." }
]

/** Of two things that are put together the body's is judged after the path's. */
const given = (group: string, level: "editor" | "manager"): ReadonlyArray<Answers> => [
  {
    answers: ["invalid_request"],
    when: (caller) => caller.level(group) === "none",
    because: "The thing that the body names is not theirs to know of."
  },
  {
    answers: ["grant_required"],
    when: (caller) => ranks[caller.level(group)] < ranks[level],
    because: "What is put into something else is shown to others by that."
  }
]
const apart = (word: string): ReadonlyArray<Answers> => [{ answers: [word], because: "The one is not in the other." }]

/** What an operation itself finds, after all judges: everywhere else it is a success. */
const ownAnswers: Readonly<Record<string, ReadonlyArray<Answers>>> = {
  "memory.get": notRemembered,
  "memory.delete": notRemembered,
  "bootstrap.acceptClaim": proved("claim_not_found"),
  "invitations.accept": proved("invitation_not_found"),
  "organizations.create": proved("email_not_verified").slice(0, 1),
  "ssoDomains.verify": [
    { answers: [204, "invalid_request"], because: "What others have added meanwhile has no record." }
  ],
  "ssoDomains.create": [unclaimed("people who sign in")],
  "scimProtocol.getMe": [{ answers: [501], because: "SCIM tokens do not represent a user." }],
  "scim.createDirectory": [
    unclaimed("directories"),
    { answers: [201, "quota_exceeded"], because: "An organization has ten, and others made some." }
  ],
  "apiKeys.create": [unclaimed("keys")],
  "apiKeys.rotate": [unclaimed("keys")],
  "sessions.exchange": [unclaimed("sessions of others")],
  "organizations.transferOwnership": [unclaimed("owner but by its claims")],
  "invitations.create": [unclaimed("mail")],
  "invitations.resend": [unclaimed("mail")],
  "apiKeys.current": [
    { answers: ["api_key_not_found"], when: ({ kind }) => kind !== "key", because: "This is no key's request." }
  ],
  "connectors.setup": [
    { answers: ["quota_exceeded"], when: isAgent, because: "Such a workspace has one connector, and it is there." },
    { answers: ["invalid_request"], because: "There is no repository at that address." }
  ],
  "connectors.disconnectAccount": [{ answers: ["connector_account_in_use"], because: "An instance uses the account." }],
  "connectors.startInstall": [{ answers: ["codehost_not_configured"], because: "There is no app here." }],
  "connectors.completeInstall": [{ answers: ["invalid_request"], because: "Nobody began this installation." }],
  "connectors.listRepositories": [{ answers: ["repositories_not_listed"], because: "These accounts are plain git's." }],
  "connectors.listBranches": [{ answers: ["repositories_not_listed"], because: "These accounts are plain git's." }],
  "connectors.createInstance": [
    { answers: ["quota_exceeded"], when: isAgent, because: "Such a workspace has one connector, and it is there." },
    { answers: ["invalid_request"], because: "There is no repository at that address." }
  ],
  "workers.create": [
    { answers: ["session_required"], when: ({ kind }) => kind === "key", because: "A worker belongs to a person." }
  ],
  "workers.getRuntime": [{ answers: ["worker_runtime_unavailable"], because: "These workers are local." }],
  "workers.upgradeRuntime": [{ answers: ["worker_runtime_unavailable"], because: "These workers are local." }],
  "capabilities.createMailDraft": noSuite,
  "capabilities.getMailMessage": noSuite,
  "capabilities.updateCalendarEvent": noSuite,
  "capabilities.startConnect": noSuite,
  "capabilities.completeConnect": noSuite,
  "connectors.discovery": noRepository,
  "connectors.tree": noRepository,
  "connectors.apply": noRepository,
  "connectors.approveSync": [{ answers: ["sync_not_held"], because: "These syncs are over." }],
  "connectors.rejectSync": [{ answers: ["sync_not_held"], because: "These syncs are over." }],
  "configObjects.attachPlugin": given("plugins", "editor"),
  "plugins.addObject": given("configObjects", "manager"),
  "marketplaces.addPlugin": given("plugins", "manager"),
  "configObjects.detachPlugin": apart("plugin_membership_not_found"),
  "plugins.removeObject": apart("plugin_membership_not_found"),
  "marketplaces.removePlugin": apart("marketplace_membership_not_found"),
  "marketplaces.createLink": [
    { answers: ["session_required"], when: ({ kind }) => kind === "key", because: "A link has the access of a person." }
  ],
  // The owner created it.
  "marketplaces.revokeLink": [
    {
      answers: ["marketplace_link_not_found"],
      when: (caller) => !(caller.isSelf || ranks[caller.level("marketplaces")] >= ranks.manager),
      because: "Only managers see the links of others."
    }
  ],
  // Whoever manages without a grant does not use.
  "mcpConnections.listTools": [
    {
      answers: ["connection_not_found"],
      when: ({ name, kind }) => kind === "key" || name === "an admin",
      because: "No grant names them."
    }
  ],
  "mcpConnections.callTool": [
    {
      answers: ["connection_not_found"],
      when: ({ name, kind }) => kind === "key" || name === "an admin",
      because: "No grant names them."
    },
    { answers: ["tool_execution_failed"], because: "The server has no such tool." }
  ],
  "llmProviders.setCredential": noCredential,
  "llmProviders.removeCredential": noCredential,
  // Whoever manages without a grant is handed nothing.
  "llmProviders.connect": [
    {
      answers: ["grant_required"],
      when: ({ name, kind }) => kind === "key" || name === "an admin",
      because: "No grant names them."
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
    { answers: ["sso_provider_failed"], because: "There is no provider at that address." }
  ],
  "sso.putSaml": [
    unclaimed("people who sign in"),
    {
      answers: [200, "owner_required"],
      because: "Others may have turned it on, and then an owner says whom to believe."
    }
  ],
  "sso.enforce": [{ answers: ["invalid_request"], because: "Whom it names is no owner with a proved address." }],
  "connectors.createTarget": noRepository,
  "connectors.retrySync": [{ answers: ["sync_not_failed"], because: "These syncs are over, and went well." }],
  "connectors.rollback": [{ answers: ["invalid_request"], because: "These branches have published nothing." }]
}

/** The statuses or words one of which the caller is answered when nothing is wrong with the request. */
export const answersOf = (operation: Operation, caller: Caller): ReadonlyArray<number | string> =>
  ownAnswers[operation.operationId]?.find(({ when }) => when?.(caller) ?? true)?.answers ??
  operation.success.map(({ status }) => status)

/** What a public operation answers to a body that names nothing we know. */
export const publicAnswers: Readonly<Record<string, ReadonlyArray<number>>> = {
  "bootstrap.previewClaim": [404],
  "invitations.preview": [404],
  "sessions.verifyEmail": [400],
  "sso.complete": [400],
  // A page of a provider's posts a form.
  "sso.samlAcs": [400],
  // Nobody here signs anything.
  "webhooks.codehost": [401],
  // Without what was signed it is no link at all.
  "plugins.downloadLinked": [400],
  // Nobody gave this link to anybody.
  "marketplaces.manifestLinked": [404],
  "marketplaces.downloadLinked": [404]
}

const always = (level: Level) => () => level
const rolesHold = (role: keyof typeof builtInRoles) => (permission: Permission) =>
  (builtInRoles[role] as ReadonlyArray<Permission>).includes(permission)

/** What is made once for a file: organizations, their people and their things. */
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

  const nobody = async (session: { readonly lifetimeSeconds?: number } = {}) =>
    signIn(plane, owner.userId, owner.organizationId, session)
  const ended = await nobody()
  await owner.client.sessions.revoke(ended.id)
  const nobodies: Readonly<Record<string, string | undefined>> = {
    nobody: undefined,
    "a token we never gave": makeToken("ops"),
    "a token that is none": "ops_nothing",
    "a session that is over": (await nobody({ lifetimeSeconds: 0 })).token,
    "a session that was revoked": ended.token
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
    person("a member who may see", viewer, "member", "viewer"),
    person("a member who may edit", editor, "member", "editor"),
    person("an admin", admin, "admin", "manager"),
    { ...person("an owner", owner, "owner", "manager"), isSelf: true },
    {
      ...person("a session that was made of an owner by exchange", owner, "owner", "manager"),
      kind: "minted",
      credential: { token: minted.token }
    },
    {
      ...person("the agent of a workspace nobody has claimed", agent, "owner", "manager"),
      things: provisional,
      others: own,
      isSelf: true,
      isProvisional: true
    },
    {
      ...ours,
      name: "somebody who is in no organization",
      kind: "homeless",
      credential: { token: homeless.token },
      person: undefined,
      holds: () => false,
      level: always("none")
    },
    {
      ...ours,
      name: "an administrator of the installation",
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
    const somebody = await addMember(plane, owner, await makeRole(owner, permissions))
    await addToTeam(owner, crews.manager, somebody)
    await somebody.call("GET", "/v1/me")
    return {
      ...person(name, somebody, "member", "manager"),
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
      // Nobody can grant a key anything: what it manages, it manages by its permission.
      level: (group) => (permissions.some((one) => one === `${group}:manage`) ? "manager" : "none")
    }
  }

  const known = new Map<string, Promise<ReadonlyArray<Caller>>>()
  const special = async (permission: Permission | undefined): Promise<ReadonlyArray<Caller>> => {
    if (permission === undefined) {
      return [
        await inRole("a member whose role holds nothing", []),
        await withKey("a key that holds nothing", []),
        await withKey("a key that holds everything", allBut(undefined))
      ]
    }
    const manage = `${permission.split(":")[0]}:manage`
    const managing = allBut(undefined).filter((one) => one === permission || one === manage)
    return [
      await inRole(`a member whose role holds all but ${permission}`, allBut(permission)),
      await inRole(`a member whose role holds ${permission} alone`, [permission]),
      await withKey(`a key that holds all but ${permission}`, allBut(permission)),
      await withKey(`a key that holds ${permission} alone`, [permission]),
      ...(managing.length > 1 ? [await withKey(`a key that holds ${managing.join(" and ")}`, managing)] : [])
    ]
  }

  /** Everybody who may call the operation. */
  const callersOf = async ({ access }: Operation): Promise<ReadonlyArray<Caller>> => {
    const permission = permissionOf(access)
    const made = known.get(permission ?? "") ?? special(permission)
    known.set(permission ?? "", made)
    return [...staff, ...(await made)]
  }

  /** An address from which too many tried, and a session that has asked too much, for as long as the tests run. */
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
    // So that what this writes down is written before anything is compared.
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
    nobodies,
    staff,
    root,
    worker,
    directory,
    callersOf,
    full
  }
}
