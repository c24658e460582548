/** Connectors: a branch of a repository, and the plugins an organization gets from it. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { accepted, changed, created, Done, found, endpointMetadata } from "./shared/endpoint.ts"
import { badGateway, conflict, notFound, unavailable } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonInput, JsonObject, QueryFlag, Text, Timestamp } from "./shared/values.ts"

// Entities

export const ConnectorType = Schema.Literal("codehost")
export const MappingKind = Schema.Literals(["path", "api", "custom"]).annotate({ identifier: "MappingKind" })
export const ObjectType = Schema.Literals([
  "skill",
  "agent",
  "command",
  "tool",
  "mcp",
  "hook",
  "context",
  "custom"
]).annotate({ identifier: "ObjectType", description: "What a config object is to an agent." })
export type ObjectType = typeof ObjectType.Type

/** Who we are at a code host: `remoteId` is an installation, or `git:<origin>` for plain git. */
export const Account = Schema.Struct({
  id: Ids.ConnectorAccountId,
  organizationId: Ids.OrganizationId,
  connectorType: ConnectorType,
  adapter: Schema.Literals(["git", "rest"]),
  remoteId: Schema.String,
  name: Schema.String,
  status: Schema.Literals(["active", "error", "disconnected"]).annotate({
    description: "`error`: the installation is suspended or gone at the host."
  }),
  statusReason: Schema.NullOr(Schema.String),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "ConnectorAccount" })
export type Account = typeof Account.Type

/** One use of one repository. */
export const Instance = Schema.Struct({
  id: Ids.ConnectorInstanceId,
  organizationId: Ids.OrganizationId,
  connectorAccountId: Ids.ConnectorAccountId,
  connectorType: ConnectorType,
  adapter: Schema.Literals(["git", "rest"]),
  remoteId: Schema.String.annotate({
    description:
      "The repository: its normalised clone URL, or its id at the host. Of a path on the server only the last part, to callers who may not connect repositories."
  }),
  name: Schema.String,
  status: Schema.Literals(["active", "disabled", "archived", "error"]),
  statusReason: Schema.NullOr(Schema.String),
  instanceConfigJson: JsonObject,
  lastSyncedAt: Schema.NullOr(Timestamp),
  lastSyncCursor: Schema.NullOr(Schema.String).annotate({ description: "The revision last imported." }),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "ConnectorInstance" })
export type Instance = typeof Instance.Type

/** One branch of an instance. */
export const Target = Schema.Struct({
  id: Ids.ConnectorTargetId,
  connectorInstanceId: Ids.ConnectorInstanceId,
  connectorType: ConnectorType,
  remoteId: Schema.String,
  targetKind: Schema.Literal("repository_branch"),
  externalTargetRef: Schema.String.annotate({ description: "`refs/heads/<branch>`" }),
  targetConfigJson: JsonObject,
  lastSyncedAt: Schema.NullOr(Timestamp),
  lastSyncCursor: Schema.NullOr(Schema.String).annotate({ description: "The revision last imported." }),
  pinnedRevision: Schema.NullOr(Schema.String).annotate({
    description: "Somebody rolled back to this revision: only a sync by hand imports another one."
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "ConnectorTarget" })
export type Target = typeof Target.Type

/** A path of a target and the kind of config object it becomes. */
export const Mapping = Schema.Struct({
  id: Ids.ConnectorMappingId,
  connectorInstanceId: Ids.ConnectorInstanceId,
  connectorTargetId: Ids.ConnectorTargetId,
  connectorType: ConnectorType,
  remoteId: Schema.NullOr(Schema.String.check(Schema.isBetweenCodePoints(1, 255))),
  mappingKind: MappingKind,
  selector: Schema.String.check(Schema.isBetweenCodePoints(1, 255)),
  objectType: ObjectType,
  pluginId: Schema.NullOr(Ids.PluginId),
  autoAddToPlugin: Schema.Boolean,
  mappingConfigJson: Schema.NullOr(JsonObject),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "ConnectorMapping" })
export type Mapping = typeof Mapping.Type

const Paths = Schema.Array(Schema.String)

/** Something in the repository that could become a plugin. */
export const Candidate = Schema.Struct({
  key: Schema.String.annotate({ description: "Names the candidate in apply; stable while its manifest entry is." }),
  rootPath: Schema.String.annotate({ description: "Folder in the repository; empty for its root." }),
  displayName: Schema.String,
  description: Schema.NullOr(Schema.String),
  selectedByDefault: Schema.Boolean,
  supported: Schema.Boolean,
  manifestPath: Schema.NullOr(Schema.String),
  warnings: Schema.Array(Schema.String),
  componentKinds: Schema.Array(Schema.String),
  componentPaths: Schema.Struct({
    agents: Paths,
    commands: Paths,
    hooks: Paths,
    lspServers: Paths,
    mcpServers: Paths,
    monitors: Paths,
    settings: Paths,
    skills: Paths
  }),
  metadata: JsonObject
}).annotate({ identifier: "DiscoveredPlugin" })
export type Candidate = typeof Candidate.Type

export const Discovery = Schema.Struct({
  autoImportNewPlugins: Schema.Boolean,
  connectorInstance: Instance,
  connectorTarget: Target,
  discoveredPlugins: Schema.Array(Candidate),
  repositoryFullName: Schema.String,
  sourceRevisionRef: Schema.String.annotate({ description: "The commit that was read." }),
  steps: Schema.Array(Schema.Struct({ label: Schema.String })),
  treeSummary: Schema.Struct({
    scannedEntryCount: Schema.Int,
    strategy: Schema.String,
    truncated: Schema.Boolean
  }),
  warnings: Schema.Array(Schema.String)
}).annotate({ identifier: "Discovery" })
export type Discovery = typeof Discovery.Type

export const TreeEntry = Schema.Struct({
  id: Schema.String,
  path: Schema.String,
  sha: Schema.String,
  size: Schema.Int.annotate({ description: "Bytes." })
}).annotate({ identifier: "TreeEntry" })
export type TreeEntry = typeof TreeEntry.Type

export const SyncStatus = Schema.Literals([
  "queued",
  "running",
  "completed",
  "partial",
  "failed",
  "ignored",
  "review_required",
  "rejected"
]).annotate({ identifier: "SyncStatus" })
export type SyncStatus = typeof SyncStatus.Type

export const SyncCounts = Schema.Struct({
  filesScanned: Schema.Int,
  objectsCreated: Schema.Int,
  objectsUpdated: Schema.Int,
  objectsDeleted: Schema.Int,
  objectsUnchanged: Schema.Int,
  pluginsCreated: Schema.Int,
  filesAdded: Schema.Int.annotate({
    description: "New files of plugins, not counting the sources of config objects."
  }),
  filesChanged: Schema.Int.annotate({
    description: "Files of plugins whose content or mode changed, not counting the sources of config objects."
  }),
  filesRemoved: Schema.Int
}).annotate({ identifier: "SyncCounts" })
export type SyncCounts = typeof SyncCounts.Type

/** One run of a target against its repository. */
export const SyncEvent = Schema.Struct({
  id: Ids.ConnectorSyncEventId,
  connectorInstanceId: Ids.ConnectorInstanceId,
  connectorTargetId: Ids.ConnectorTargetId,
  status: SyncStatus,
  trigger: Schema.Literals([
    "setup",
    "enable",
    "apply",
    "manual",
    "webhook",
    "reconcile",
    "retry",
    "resync",
    "mapping",
    "rollback"
  ]),
  attempt: Schema.Int,
  baseRevision: Schema.NullOr(Schema.String),
  revision: Schema.NullOr(Schema.String),
  counts: SyncCounts,
  progress: Schema.NullOr(Schema.Struct({ done: Schema.Int, total: Schema.Int })).annotate({
    description: "New and changed files read, of how many; null before that is known."
  }),
  warnings: Schema.Array(Schema.String),
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  createdAt: Timestamp,
  startedAt: Schema.NullOr(Timestamp),
  endedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "ConnectorSyncEvent" })
export type SyncEvent = typeof SyncEvent.Type

export const InstanceGrant = Grants.Grant("cia", "ConnectorInstanceGrant")

// Payloads

/** Which branch of an instance is meant. */
export const ChosenTarget = Ids.ConnectorTargetId.annotate({
  description: "Which branch, when the instance has several; the first one unless told."
})

interface SetupMembers {
  readonly adapter: "git" | "rest"
  readonly cloneUrl?: string
  readonly credential?: object
  readonly repositoryFullName?: string
  readonly connectorAccountId?: string
}

/** What each adapter needs, and what only the other one has. */
const setupFaults = ({ adapter, ...told }: SetupMembers) => {
  const needed = adapter === "git" ? (["cloneUrl"] as const) : (["repositoryFullName", "connectorAccountId"] as const)
  const others = adapter === "git" ? (["repositoryFullName"] as const) : (["cloneUrl", "credential"] as const)
  return [
    ...needed
      .filter((name) => told[name] === undefined)
      .map((name) => ({ path: [name], issue: `is needed for ${adapter}` })),
    ...others
      .filter((name) => told[name] !== undefined)
      .map((name) => ({ path: [name], issue: `is not for ${adapter}` }))
  ]
}

export const Setup = Schema.Struct({
  adapter: Schema.Literals(["git", "rest"]).annotate({
    description: "`git` reads a clone URL; `rest` speaks to the host's own interface through an installation."
  }),
  cloneUrl: Schema.optionalKey(
    Text(1, 2048).annotate({
      description: "For git: an https address, or a path under the roots that the operator allows."
    })
  ),
  repositoryFullName: Schema.optionalKey(Text(1, 255).annotate({ description: "For rest: `owner/name`." })),
  connectorAccountId: Schema.optionalKey(
    Ids.ConnectorAccountId.annotate({ description: "Needed for rest; for git the account of the address's host." })
  ),
  credential: Schema.optionalKey(
    Schema.Struct({ username: Schema.optionalKey(Text(1, 255)), token: Text(1, 4096) }).annotate({
      description: "Sealed, sent to that origin only, never answered."
    })
  ),
  branch: Schema.optionalKey(Text(1, 200).annotate({ description: "The repository's default branch unless told." })),
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "Unique in the organization." }))
})
  .check(Schema.makeFilter(setupFaults))
  .annotate({ identifier: "SetupConnector" })

export const UpdateInstance = Schema.Struct({
  remoteId: Schema.optionalKey(Text(1, 2048)),
  name: Schema.optionalKey(Text(1, 255)),
  config: Schema.optionalKey(JsonInput)
})
  .check(
    Schema.makeFilter((update: { readonly remoteId?: string; readonly name?: string; readonly config?: object }) =>
      update.remoteId === undefined && update.name === undefined && update.config === undefined
        ? "name at least one of remoteId, name and config"
        : undefined
    )
  )
  .annotate({ identifier: "UpdateConnectorInstance" })

export const ApplyDiscovery = Schema.Struct({
  selectedKeys: Schema.Array(Text(1, 255)).check(Schema.isMaxLength(1000)),
  autoImportNewPlugins: Schema.Boolean.annotate({
    description: "Import plugins that appear later without being asked; what is imported is kept in step either way."
  }),
  marketplaceId: Schema.optionalKey(
    Ids.MarketplaceId.annotate({ description: "Where the plugins are listed; a marketplace of their own unless told." })
  ),
  share: Schema.optionalKey(
    Schema.Literals(["private", "orgWide"]).annotate({
      description: "`orgWide` lets every member see the marketplace; `private`, the default, only who is granted."
    })
  ),
  connectorTargetId: Schema.optionalKey(ChosenTarget),
  planDigest: Schema.optionalKey(
    Text(1, 128).annotate({
      description: "Of the plan that was looked at: nothing is applied when it would do anything else by now."
    })
  )
}).annotate({ identifier: "ApplyDiscovery" })

export const SetupResult = Schema.Struct({
  connectorAccount: Account,
  connectorInstance: Instance,
  connectorTarget: Target
})

export const AppliedPlugin = Schema.Struct({ key: Schema.String, id: Ids.PluginId, name: Schema.String })

export const ApplyResult = Schema.Struct({
  autoImportNewPlugins: Schema.Boolean,
  marketplace: Schema.NullOr(Schema.Struct({ id: Ids.MarketplaceId, name: Schema.String })),
  plugins: Schema.Array(AppliedPlugin),
  createdMappings: Schema.Array(Mapping),
  syncEvent: SyncEvent,
  sourceRevisionRef: Schema.String
})

export const RemoveResult = Schema.Struct({
  deletedConfigObjectCount: Schema.Int,
  deletedConnectorMappingCount: Schema.Int,
  removedConnectorInstanceId: Schema.String
})

// Errors

/** The instance is absent, removed, or not visible to the caller. */
export class InstanceNotFound extends notFound("connector_instance")<InstanceNotFound>() {}
export class TargetNotFound extends notFound("connector_target")<TargetNotFound>() {}
export class SyncEventNotFound extends notFound("connector_sync_event")<SyncEventNotFound>() {}
export class InstanceGrantNotFound extends notFound("connector_instance_grant")<InstanceGrantNotFound>() {}
/** Another instance of the organization has the name. */
export class InstanceExists extends conflict(
  "connector_instance_exists",
  "The organization has a connector instance with this name."
)<InstanceExists>() {}
export class InstanceDisabled extends conflict(
  "connector_instance_disabled",
  "The connector instance is disabled; enable it first."
)<InstanceDisabled>() {}
/** Nobody waits for a decision about this sync: it was never held, or somebody has decided. */
export class SyncNotHeld extends conflict("sync_not_held", "The sync is not waiting for a decision.")<SyncNotHeld>() {}
/** The instance names another repository since what was found was found. */
export class StaleRevision extends conflict(
  "stale_revision",
  "The repository has changed since it was read; look again."
)<StaleRevision>() {}
/** What an apply would do is no longer what the plan said, and nothing was done. */
export class PlanDigestMismatch extends conflict(
  "plan_digest_mismatch",
  "What would be done is no longer what was planned; plan again."
)<PlanDigestMismatch>() {}
export class RepositoryEmpty extends conflict(
  "repository_empty",
  "The repository has no commit yet."
)<RepositoryEmpty>() {}
export class QuotaExceeded extends conflict("quota_exceeded", "The workspace's quota is used up.")<QuotaExceeded>() {}
/** The code host could not be read: the message says why, in words that hold no secret. */
export class CodehostApiError extends badGateway(
  "codehost_api_error",
  "The code host could not be read."
)<CodehostApiError>() {}
/** One job per target analyses the repository; it goes on, ask again. */
export class DiscoveryInProgress extends unavailable(
  "discovery_in_progress",
  "The repository is still being read; ask again in a few seconds."
)<DiscoveryInProgress>() {}

// Operations

const instance = { connectorInstanceId: Ids.ConnectorInstanceId }
const at = "/v1/connector-instances/:connectorInstanceId"
const read = Access.permission("connectors:read")
const write = Access.permission("connectors:write")
const manage = Access.permission("connectors:manage")

export const group = HttpApiGroup.make("connectors")
  .annotateMerge(
    OpenApi.annotations({
      title: "Connectors",
      description: "Repositories, what was found in them, and how it is kept in step."
    })
  )
  .add(
    HttpApiEndpoint.post("setup", "/v1/connectors/codehost/setup", {
      payload: Setup,
      success: created(SetupResult),
      error: [InstanceExists, QuotaExceeded, RepositoryEmpty, CodehostApiError]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "connector.setup",
        summary: "Connects a branch of a repository.",
        description: "Reads the repository once, so a wrong address, branch or credential is told at once."
      })
    ),
    HttpApiEndpoint.get("listInstances", "/v1/connector-instances", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255)),
        archived: Schema.optionalKey(QueryFlag.annotate({ description: "Also those that are archived." }))
      },
      success: Page(Instance)
    }).pipe(
      endpointMetadata({ access: read, paged: true, summary: "Lists the connector instances the caller can see." })
    ),
    HttpApiEndpoint.get("getInstance", at, {
      params: instance,
      success: found(Instance),
      error: InstanceNotFound
    }).pipe(endpointMetadata({ access: read, versioned: true, summary: "Gets one connector instance." })),
    HttpApiEndpoint.patch("updateInstance", at, {
      params: instance,
      payload: UpdateInstance,
      success: changed(Instance),
      error: [InstanceNotFound, InstanceExists]
    }).pipe(
      endpointMetadata({
        access: write,
        specified: true,
        versioned: true,
        audited: "connector.update",
        summary: "Updates one connector instance.",
        description: "A new `remoteId` is read at the next sync."
      })
    ),
    HttpApiEndpoint.post("enable", `${at}/enable`, {
      params: instance,
      success: changed(Instance),
      error: InstanceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        specified: true,
        audited: "connector.enable",
        summary: "Activates a connector instance and queues a sync."
      })
    ),
    HttpApiEndpoint.post("disable", `${at}/disable`, {
      params: instance,
      success: changed(Instance),
      error: InstanceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "connector.disable",
        summary: "Stops a connector instance: what it imported stays, pushes are ignored."
      })
    ),
    HttpApiEndpoint.post("remove", `${at}/remove`, {
      params: instance,
      success: changed(RemoveResult),
      error: InstanceNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        specified: true,
        audited: "connector.remove",
        summary: "Removes a connector instance and everything that only it feeds.",
        description: "Plugins, mappings, config objects and bindings go in one transaction; the counts are answered."
      })
    ),
    HttpApiEndpoint.post("sync", `${at}/sync`, {
      params: instance,
      query: { connectorTargetId: Schema.optionalKey(ChosenTarget) },
      success: accepted(SyncEvent),
      error: [InstanceNotFound, InstanceDisabled]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "connector.sync",
        summary: "Queues a sync of the repository's head; one that waits already is answered again.",
        description: "A branch that was rolled back follows its head again."
      })
    ),
    HttpApiEndpoint.get("listSyncEvents", `${at}/sync-events`, {
      params: instance,
      query: { ...pageQuery, status: Schema.optionalKey(SyncStatus) },
      success: Page(SyncEvent),
      error: InstanceNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the syncs of a connector instance." })),
    HttpApiEndpoint.get("getSyncEvent", "/v1/connector-sync-events/:connectorSyncEventId", {
      params: { connectorSyncEventId: Ids.ConnectorSyncEventId },
      success: found(SyncEvent),
      error: SyncEventNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Gets one sync with its counts and warnings." })),
    HttpApiEndpoint.post("approveSync", "/v1/connector-sync-events/:connectorSyncEventId/approve", {
      params: { connectorSyncEventId: Ids.ConnectorSyncEventId },
      success: accepted(SyncEvent),
      error: [SyncEventNotFound, InstanceDisabled, SyncNotHeld]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "connector.approve_sync",
        summary: "Approves a sync that was held because it removes much, and queues it again.",
        description:
          "The approval is for the revision it was held at; when the branch has moved, its head is judged anew."
      })
    ),
    HttpApiEndpoint.post("rejectSync", "/v1/connector-sync-events/:connectorSyncEventId/reject", {
      params: { connectorSyncEventId: Ids.ConnectorSyncEventId },
      success: changed(SyncEvent),
      error: [SyncEventNotFound, InstanceDisabled, SyncNotHeld]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "connector.reject_sync",
        summary: "Rejects a sync that was held: nothing is imported until the branch moves."
      })
    ),
    HttpApiEndpoint.get("discovery", `${at}/discovery`, {
      params: instance,
      query: { connectorTargetId: Schema.optionalKey(ChosenTarget) },
      success: changed(Discovery),
      error: [InstanceNotFound, InstanceDisabled, RepositoryEmpty, CodehostApiError, DiscoveryInProgress]
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        summary: "Analyses the repository and answers the plugins it holds.",
        description: "Waits up to 30 seconds; a larger repository answers 503 `discovery_in_progress` while it is read."
      })
    ),
    HttpApiEndpoint.get("tree", `${at}/discovery/tree`, {
      params: instance,
      query: {
        cursor: Schema.optionalKey(Text(1, 255)),
        limit: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 })).annotate({
            description: "At most so many entries; 200 unless told."
          })
        ),
        prefix: Schema.optionalKey(Text(1, 1024).annotate({ description: "Only paths that begin so." })),
        connectorTargetId: Schema.optionalKey(ChosenTarget)
      },
      success: Page(TreeEntry),
      error: [InstanceNotFound, InstanceDisabled, RepositoryEmpty, CodehostApiError, DiscoveryInProgress]
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        paged: true,
        summary: "Pages through the repository tree that discovery used, sorted by path.",
        description: "A page stays on the revision its cursor began with."
      })
    ),
    HttpApiEndpoint.post("apply", `${at}/discovery/apply`, {
      params: instance,
      query: { wait: Schema.optionalKey(Schema.Literals(["0", "1"])) },
      payload: ApplyDiscovery,
      success: changed(ApplyResult),
      error: [
        PlanDigestMismatch,
        StaleRevision,
        InstanceNotFound,
        InstanceDisabled,
        RepositoryEmpty,
        CodehostApiError,
        DiscoveryInProgress
      ]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "connector.apply",
        summary: "Imports the selected plugins and keeps them in step.",
        description:
          "Plugins, mappings and the marketplace are made in one transaction; the content follows by a sync that is waited for up to 20 seconds (`wait=0` does not wait). With `planDigest` the sync imports the revision that was planned."
      })
    ),
    HttpApiEndpoint.get("listAccess", `${at}/access`, {
      params: instance,
      query: pageQuery,
      success: Page(InstanceGrant),
      error: InstanceNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        paged: true,
        summary: "Lists the direct, team and organization-wide grants of a connector instance."
      })
    ),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: instance,
      payload: Grants.CreateGrant,
      success: [created(InstanceGrant), changed(InstanceGrant)],
      error: InstanceNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "connector.grant",
        summary: "Grants access to a connector instance; 200 when the receiver had a grant."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...instance, grantId: Ids.TypeId("cia") },
      success: Done,
      error: [InstanceNotFound, InstanceGrantNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "connector.revoke",
        summary: "Revokes one grant; it is kept as history."
      })
    ),
    HttpApiEndpoint.get("listTargets", `${at}/targets`, {
      params: instance,
      query: pageQuery,
      success: Page(Target),
      error: InstanceNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the branches of a connector instance." })),
    HttpApiEndpoint.get("getTarget", "/v1/connector-targets/:connectorTargetId", {
      params: { connectorTargetId: Ids.ConnectorTargetId },
      success: found(Target),
      error: TargetNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Gets one branch." })),
    HttpApiEndpoint.get("listMappings", "/v1/connector-targets/:connectorTargetId/mappings", {
      params: { connectorTargetId: Ids.ConnectorTargetId },
      query: {
        ...pageQuery,
        mappingKind: Schema.optionalKey(MappingKind),
        objectType: Schema.optionalKey(ObjectType),
        pluginId: Schema.optionalKey(Ids.PluginId),
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Part of the selector, in any case." }))
      },
      success: Page(Mapping),
      error: TargetNotFound
    }).pipe(
      endpointMetadata({ access: read, specified: true, paged: true, summary: "Lists the mappings of a branch." })
    )
  )
