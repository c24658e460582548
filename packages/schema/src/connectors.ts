/** Connectors: branches of repositories, and the plugins an organization imports from them. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import {
  acceptedResponse,
  updatedResponse,
  createdResponse,
  NoContent,
  itemResponse,
  endpointMetadata
} from "./shared/endpoint.ts"
import { badGateway, conflict, notFound, unavailable } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { planDigestMismatch } from "./shared/plan-digest.ts"
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
]).annotate({ identifier: "ObjectType", description: "The kind of a config object." })
export type ObjectType = typeof ObjectType.Type

/** An identity on a code host. `remoteId` is the id of an app installation, or `git:<origin>` for plain Git. */
export const Account = Schema.Struct({
  id: Ids.ConnectorAccountId,
  organizationId: Ids.OrganizationId,
  connectorType: ConnectorType,
  adapter: Schema.Literals(["git", "rest"]),
  remoteId: Schema.String,
  name: Schema.String,
  status: Schema.Literals(["active", "error", "disconnected"]).annotate({
    description: "`error`: the installation is suspended or was removed on the code host."
  }),
  statusReason: Schema.NullOr(Schema.String),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "ConnectorAccount" })
export type Account = typeof Account.Type

/** One connection of one repository. */
export const Instance = Schema.Struct({
  id: Ids.ConnectorInstanceId,
  organizationId: Ids.OrganizationId,
  connectorAccountId: Ids.ConnectorAccountId,
  connectorType: ConnectorType,
  adapter: Schema.Literals(["git", "rest"]),
  remoteId: Schema.String.annotate({
    description:
      "The repository: its normalized clone URL, or its id on the code host. If it is a path on the server, callers without the permission to connect repositories see only its last segment."
  }),
  name: Schema.String,
  status: Schema.Literals(["active", "disabled", "archived", "error"]),
  statusReason: Schema.NullOr(Schema.String),
  instanceConfigJson: JsonObject,
  lastSyncedAt: Schema.NullOr(Timestamp),
  lastSyncCursor: Schema.NullOr(Schema.String).annotate({ description: "The commit SHA that was imported last." }),
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
  lastSyncCursor: Schema.NullOr(Schema.String).annotate({ description: "The commit SHA that was imported last." }),
  pinnedRevision: Schema.NullOr(Schema.String).annotate({
    description:
      "The revision that the branch was rolled back to. A manual sync, resync, retry or apply removes the pin."
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "ConnectorTarget" })
export type Target = typeof Target.Type

/** Maps a path in the repository to the type of its config objects. */
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

/** A plugin candidate in the repository. */
export const Candidate = Schema.Struct({
  key: Schema.String.annotate({
    description: "Identifies the candidate in `apply`. Stays the same as long as its manifest entry exists."
  }),
  rootPath: Schema.String.annotate({ description: "The folder in the repository; empty for the root." }),
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
  sourceRevisionRef: Schema.String.annotate({ description: "The commit SHA that was read." }),
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
    description: "New plugin files, not counting the sources of config objects."
  }),
  filesChanged: Schema.Int.annotate({
    description: "Plugin files with changed content or mode, not counting the sources of config objects."
  }),
  filesRemoved: Schema.Int
}).annotate({ identifier: "SyncCounts" })
export type SyncCounts = typeof SyncCounts.Type

/** One sync of a target with its repository. */
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
    description:
      "The number of new and changed files that have been read, and their total number. Null until the total is known."
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

/** Selects a branch of an instance. */
export const ChosenTarget = Ids.ConnectorTargetId.annotate({
  description: "The branch to use, if the instance has more than one. Default: the first branch."
})

interface SetupMembers {
  readonly adapter: "git" | "rest"
  readonly cloneUrl?: string
  readonly credential?: object
  readonly repositoryFullName?: string
  readonly connectorAccountId?: string
}

/** Reports missing fields that the adapter requires, and fields that belong to the other adapter. */
const setupErrors = ({ adapter, ...members }: SetupMembers) => {
  const required = adapter === "git" ? (["cloneUrl"] as const) : (["repositoryFullName", "connectorAccountId"] as const)
  const notAllowed = adapter === "git" ? (["repositoryFullName"] as const) : (["cloneUrl", "credential"] as const)
  return [
    ...required
      .filter((name) => members[name] === undefined)
      .map((name) => ({ path: [name], issue: `is required when adapter is ${adapter}` })),
    ...notAllowed
      .filter((name) => members[name] !== undefined)
      .map((name) => ({ path: [name], issue: `is not allowed when adapter is ${adapter}` }))
  ]
}

/** The line break separates the user name from the token where they are stored. */
const Username = Text(1, 255).check(Schema.isPattern(/^\P{Cc}*$/u, { message: "must not contain control characters" }))
const credentialMembers = { username: Schema.optionalKey(Username), token: Text(1, 4096) }

export const SetCredential = Schema.Struct({
  username: Schema.optionalKey(
    Username.annotate({ description: "The user name that is sent with the token. Default: `git`." })
  ),
  token: Text(1, 4096).annotate({
    description: "Stored encrypted, sent only to the origin of the repository, and never returned."
  })
}).annotate({ identifier: "SetConnectorCredential" })

export const Setup = Schema.Struct({
  adapter: Schema.Literals(["git", "rest"]).annotate({
    description:
      "`git`: reads the repository from its clone URL. `rest`: uses the API of the code host through an app installation."
  }),
  cloneUrl: Schema.optionalKey(
    Text(1, 2048).annotate({
      description: "Required for `git`: an https URL, or a path below a directory that the operator allows."
    })
  ),
  repositoryFullName: Schema.optionalKey(Text(1, 255).annotate({ description: "Required for `rest`: `owner/name`." })),
  connectorAccountId: Schema.optionalKey(
    Ids.ConnectorAccountId.annotate({
      description: "Required for `rest`. For `git`, must be the account for the host of `cloneUrl`, if set."
    })
  ),
  credential: Schema.optionalKey(
    Schema.Struct(credentialMembers).annotate({
      description: "Stored encrypted, sent only to the origin of `cloneUrl`, and never returned."
    })
  ),
  branch: Schema.optionalKey(
    Text(1, 200).annotate({ description: "The branch to connect. Default: the repository's default branch." })
  ),
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "Must be unique in the organization." }))
})
  .check(Schema.makeFilter(setupErrors))
  .annotate({ identifier: "SetupConnector" })

export const UpdateInstance = Schema.Struct({
  remoteId: Schema.optionalKey(
    Text(1, 2048).annotate({ description: "The repository: its id on the code host, or its clone URL for plain Git." })
  ),
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "Must be unique in the organization." })),
  config: Schema.optionalKey(
    JsonInput.annotate({ description: "A custom JSON object, returned as `instanceConfigJson`." })
  )
}).annotate({ identifier: "UpdateConnectorInstance" })

export const ApplyDiscovery = Schema.Struct({
  selectedKeys: Schema.Array(Text(1, 255))
    .check(Schema.isMaxLength(1000))
    .annotate({ description: "The keys of the plugins to import, as returned by `connectors.discovery`." }),
  autoImportNewPlugins: Schema.Boolean.annotate({
    description:
      "Whether plugins that appear later are imported automatically. Imported plugins are kept up to date either way."
  }),
  marketplaceId: Schema.optionalKey(
    Ids.MarketplaceId.annotate({
      description: "The marketplace that lists the plugins. Default: the branch's existing marketplace, or a new one."
    })
  ),
  share: Schema.optionalKey(
    Schema.Literals(["private", "orgWide"]).annotate({
      description:
        "`orgWide` shows the marketplace to every member; `private` only to members with a grant. Default: `private`."
    })
  ),
  connectorTargetId: Schema.optionalKey(ChosenTarget),
  planDigest: Schema.optionalKey(
    Text(1, 128).annotate({
      description:
        "The digest of a reviewed plan. If the import would now make different changes, the request fails and changes nothing."
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

/** The instance does not exist, is removed, or is not visible to the caller. */
export class InstanceNotFound extends notFound("connector_instance")<InstanceNotFound>() {}
export class TargetNotFound extends notFound("connector_target")<TargetNotFound>() {}
export class SyncEventNotFound extends notFound("connector_sync_event")<SyncEventNotFound>() {}
export class InstanceGrantNotFound extends notFound("connector_instance_grant")<InstanceGrantNotFound>() {}
/** Another instance of the organization has the name. */
export class InstanceExists extends conflict(
  "connector_instance_exists",
  "The organization already has a connector instance with this name. Choose another name."
)<InstanceExists>() {}
export class InstanceDisabled extends conflict(
  "connector_instance_disabled",
  "The connector instance is disabled or archived. Enable it first."
)<InstanceDisabled>() {}
/** The sync is not pending approval: it never was, or it has been approved or rejected. */
export class SyncNotHeld extends conflict("sync_not_held", "The sync is not pending approval.")<SyncNotHeld>() {}
/** The instance was changed to another repository after the discovery. */
export class StaleRevision extends conflict(
  "stale_revision",
  "The connector instance was changed to another repository. Run discovery again."
)<StaleRevision>() {}
/** The changes to apply differ from the plan. No changes were made. */
export class PlanDigestMismatch extends planDigestMismatch(
  "The changes to apply differ from the plan. Create a new plan."
)<PlanDigestMismatch>() {}
export class RepositoryEmpty extends conflict(
  "repository_empty",
  "The repository has no commits yet. Push a commit, then try again."
)<RepositoryEmpty>() {}
export class QuotaExceeded extends conflict(
  "quota_exceeded",
  "The workspace has reached its quota."
)<QuotaExceeded>() {}
/** The code host could not be read. The message has the cause and contains no secrets. */
export class CodehostApiError extends badGateway(
  "codehost_api_error",
  "The code host could not be read. Try again later."
)<CodehostApiError>() {}
/** One job per target analyzes the repository. It continues after this response; retry the request. */
export class DiscoveryInProgress extends unavailable(
  "discovery_in_progress",
  "The repository is still being read. Retry in a few seconds."
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
      description: "Repositories, the plugins found in them, and their syncs."
    })
  )
  .add(
    HttpApiEndpoint.post("setup", "/v1/connectors/codehost/setup", {
      payload: Setup,
      success: createdResponse(SetupResult),
      error: [InstanceExists, QuotaExceeded, RepositoryEmpty, CodehostApiError]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "connector.setup",
        summary: "Connect a branch of a repository",
        description:
          "Creates a connector account if needed, a connector instance and a target. Reads the repository to check the URL, branch and credential immediately."
      })
    ),
    HttpApiEndpoint.get("listInstances", "/v1/connector-instances", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Filter by part of the name. Case-insensitive." })),
        archived: Schema.optionalKey(
          QueryFlag.annotate({ description: "`true` includes archived instances. Default: `false`." })
        )
      },
      success: Page(Instance)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List connector instances",
        description: "Returns the instances that the caller can see."
      })
    ),
    HttpApiEndpoint.get("getInstance", at, {
      params: instance,
      success: itemResponse(Instance),
      error: InstanceNotFound
    }).pipe(endpointMetadata({ access: read, versioned: true, summary: "Get a connector instance" })),
    HttpApiEndpoint.patch("updateInstance", at, {
      params: instance,
      payload: UpdateInstance,
      success: updatedResponse(Instance),
      error: [InstanceNotFound, InstanceExists]
    }).pipe(
      endpointMetadata({
        access: write,
        specified: true,
        versioned: true,
        audited: "connector.update",
        summary: "Update a connector instance",
        description: "If `remoteId` changes, the next sync reads the new repository."
      })
    ),
    HttpApiEndpoint.post("enable", `${at}/enable`, {
      params: instance,
      success: updatedResponse(Instance),
      error: InstanceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        specified: true,
        audited: "connector.enable",
        summary: "Enable a connector instance",
        description: "Activates the instance and queues a sync. Also restores an archived instance."
      })
    ),
    HttpApiEndpoint.post("disable", `${at}/disable`, {
      params: instance,
      success: updatedResponse(Instance),
      error: InstanceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "connector.disable",
        summary: "Disable a connector instance",
        description: "Imported content is kept. Pushes are ignored until the instance is enabled."
      })
    ),
    HttpApiEndpoint.post("remove", `${at}/remove`, {
      params: instance,
      success: updatedResponse(RemoveResult),
      error: InstanceNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        specified: true,
        audited: "connector.remove",
        summary: "Remove a connector instance",
        description:
          "In one transaction, deletes the plugins, mappings and config objects that come only from this instance. Returns the number of deleted mappings and config objects."
      })
    ),
    HttpApiEndpoint.post("sync", `${at}/sync`, {
      params: instance,
      query: { connectorTargetId: Schema.optionalKey(ChosenTarget) },
      success: acceptedResponse(SyncEvent),
      error: [InstanceNotFound, InstanceDisabled]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "connector.sync",
        summary: "Queue a sync of a connector instance",
        description:
          "Imports the head of the branch. If a sync is already queued, returns it instead. If the branch was pinned by a rollback, the pin is removed and the branch head is imported."
      })
    ),
    HttpApiEndpoint.get("listSyncEvents", `${at}/sync-events`, {
      params: instance,
      query: {
        ...pageQuery,
        status: Schema.optionalKey(SyncStatus.annotate({ description: "Only syncs with this status." }))
      },
      success: Page(SyncEvent),
      error: InstanceNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List the syncs of a connector instance" })),
    HttpApiEndpoint.get("getSyncEvent", "/v1/connector-sync-events/:connectorSyncEventId", {
      params: { connectorSyncEventId: Ids.ConnectorSyncEventId },
      success: itemResponse(SyncEvent),
      error: SyncEventNotFound
    }).pipe(
      endpointMetadata({ access: read, summary: "Get a sync", description: "Includes its counts and warnings." })
    ),
    HttpApiEndpoint.post("approveSync", "/v1/connector-sync-events/:connectorSyncEventId/approve", {
      params: { connectorSyncEventId: Ids.ConnectorSyncEventId },
      success: acceptedResponse(SyncEvent),
      error: [SyncEventNotFound, InstanceDisabled, SyncNotHeld]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "connector.approve_sync",
        summary: "Approve a sync",
        description:
          "Queues a sync that is pending approval because it would remove more than 5 config objects and more than 30% of those on the branch. The approval applies to that revision only: if the branch has changed, its new head is checked again."
      })
    ),
    HttpApiEndpoint.post("rejectSync", "/v1/connector-sync-events/:connectorSyncEventId/reject", {
      params: { connectorSyncEventId: Ids.ConnectorSyncEventId },
      success: updatedResponse(SyncEvent),
      error: [SyncEventNotFound, InstanceDisabled, SyncNotHeld]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "connector.reject_sync",
        summary: "Reject a sync",
        description: "Rejects a sync that is pending approval. Nothing is imported until the branch changes."
      })
    ),
    HttpApiEndpoint.get("discovery", `${at}/discovery`, {
      params: instance,
      query: { connectorTargetId: Schema.optionalKey(ChosenTarget) },
      success: updatedResponse(Discovery),
      error: [InstanceNotFound, InstanceDisabled, RepositoryEmpty, CodehostApiError, DiscoveryInProgress]
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        summary: "Discover the plugins in a repository",
        description:
          "Waits up to 30 seconds for the repository to be read. If that takes longer, returns 503 `discovery_in_progress` until it has been read."
      })
    ),
    HttpApiEndpoint.get("tree", `${at}/discovery/tree`, {
      params: instance,
      query: {
        cursor: Schema.optionalKey(Text(1, 255).annotate({ description: "The `nextCursor` of the previous page." })),
        limit: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 })).annotate({
            description: "Maximum number of entries. Default: 200."
          })
        ),
        prefix: Schema.optionalKey(Text(1, 1024).annotate({ description: "Only paths that start with this prefix." })),
        connectorTargetId: Schema.optionalKey(ChosenTarget)
      },
      success: Page(TreeEntry),
      error: [InstanceNotFound, InstanceDisabled, RepositoryEmpty, CodehostApiError, DiscoveryInProgress]
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        paged: true,
        summary: "List the repository tree used for discovery",
        description: "Sorted by path. All pages show the same revision as the first page."
      })
    ),
    HttpApiEndpoint.post("apply", `${at}/discovery/apply`, {
      params: instance,
      query: {
        wait: Schema.optionalKey(
          Schema.Literals(["0", "1"]).annotate({
            description:
              "Whether to wait for the sync. `0` returns immediately. Default: `1`, which waits up to 20 seconds."
          })
        )
      },
      payload: ApplyDiscovery,
      success: updatedResponse(ApplyResult),
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
        summary: "Import the selected plugins",
        description:
          "In one transaction, creates the plugins and mappings and, if needed, a marketplace. The plugins are kept up to date from then on. A sync imports the content; the request waits up to 20 seconds for the sync, or not at all if `wait` is `0`. With `planDigest`, the sync imports the planned revision."
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
        summary: "List the access grants of a connector instance",
        description: "Includes direct, team and organization-wide grants."
      })
    ),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: instance,
      payload: Grants.CreateGrant,
      success: [createdResponse(InstanceGrant), updatedResponse(InstanceGrant)],
      error: InstanceNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "connector.grant",
        summary: "Grant access to a connector instance",
        description: "Returns 200 instead of 201 when the recipient already had a grant."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...instance, grantId: Ids.TypeId("cia") },
      success: NoContent,
      error: [InstanceNotFound, InstanceGrantNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "connector.revoke",
        summary: "Revoke access to a connector instance",
        description: "The revoked grant is kept as history."
      })
    ),
    HttpApiEndpoint.get("listTargets", `${at}/targets`, {
      params: instance,
      query: pageQuery,
      success: Page(Target),
      error: InstanceNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List the branches of a connector instance" })),
    HttpApiEndpoint.get("getTarget", "/v1/connector-targets/:connectorTargetId", {
      params: { connectorTargetId: Ids.ConnectorTargetId },
      success: itemResponse(Target),
      error: TargetNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Get a branch of a connector instance" })),
    HttpApiEndpoint.get("listMappings", "/v1/connector-targets/:connectorTargetId/mappings", {
      params: { connectorTargetId: Ids.ConnectorTargetId },
      query: {
        ...pageQuery,
        mappingKind: Schema.optionalKey(MappingKind.annotate({ description: "Only mappings of this kind." })),
        objectType: Schema.optionalKey(
          ObjectType.annotate({ description: "Only mappings to config objects of this type." })
        ),
        pluginId: Schema.optionalKey(
          Ids.PluginId.annotate({ description: "Only mappings that add config objects to this plugin." })
        ),
        q: Schema.optionalKey(
          Text(1, 255).annotate({ description: "Filter by part of the selector. Case-insensitive." })
        )
      },
      success: Page(Mapping),
      error: TargetNotFound
    }).pipe(endpointMetadata({ access: read, specified: true, paged: true, summary: "List the mappings of a branch" }))
  )
