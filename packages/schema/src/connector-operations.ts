/** More connector operations: plans, branches, manual mappings, resyncs, retries and rollbacks. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import {
  ApplyDiscovery,
  ChosenTarget,
  CodehostApiError,
  DiscoveryInProgress,
  Instance,
  InstanceDisabled,
  InstanceNotFound,
  Mapping,
  ObjectType,
  QuotaExceeded,
  RepositoryEmpty,
  SyncEvent,
  SyncEventNotFound,
  Target,
  TargetNotFound
} from "./connectors.ts"
import { MappingImpact, RollbackPlan } from "./connector-previews.ts"
import { CapabilitiesQuery, CapabilityComparison } from "./plugin-capabilities.ts"
import * as Access from "./shared/auth.ts"
import {
  acceptedResponse,
  updatedResponse,
  createdResponse,
  NoContent,
  itemResponse,
  endpointMetadata
} from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { JsonInput, Text } from "./shared/values.ts"

// Plans

/** One item that an apply would add, change or remove. */
export const PlannedChange = Schema.Struct({
  kind: Schema.Literals(["marketplace", "plugin", "mapping", "object", "file"]).annotate({
    description: "A `file` is a plugin file that is not the source of a config object."
  }),
  pluginKey: Schema.NullOr(Schema.String).annotate({ description: "The key of the plugin it belongs to." }),
  name: Schema.String.annotate({ description: "The name of a plugin or marketplace; otherwise the selector or path." }),
  was: Schema.NullOr(Schema.String).annotate({ description: "The previous name, key or path, if it differs." }),
  objectType: Schema.NullOr(ObjectType),
  pointer: Schema.NullOr(Schema.String).annotate({ description: "Where the object is defined in a manifest." })
}).annotate({ identifier: "PlannedChange" })
export type PlannedChange = typeof PlannedChange.Type

export const PlanConflict = Schema.Struct({
  code: Schema.Literals([
    "plugin_name_taken",
    "fed_by_another_target",
    "file_too_large",
    "review_required",
    "revision_rejected",
    "target_pinned"
  ]),
  pluginKey: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  message: Schema.String
}).annotate({ identifier: "PlanConflict" })
export type PlanConflict = typeof PlanConflict.Type

const PlanCounts = Schema.Struct({
  marketplaces: Schema.Int,
  plugins: Schema.Int,
  mappings: Schema.Int,
  objects: Schema.Int,
  files: Schema.Int
}).annotate({ identifier: "PlanCounts" })

/** How an apply would change what a plugin can do on members' machines. */
export const PlannedCapabilities = Schema.Struct({
  pluginKey: Schema.NullOr(Schema.String).annotate({
    description: "Null for a plugin that is not from the repository, to which a mapping adds objects."
  }),
  pluginId: Schema.NullOr(Ids.PluginId).annotate({ description: "Null for a new plugin." }),
  name: Schema.String,
  change: Schema.Literals(["added", "changed", "removed"]).annotate({
    description: "Whether the plugin is created, changed or removed."
  }),
  ...CapabilityComparison.fields,
  problem: Schema.NullOr(Schema.String).annotate({
    description: "Why the capabilities could not be compared. Then `needsReview` is true, and the lists are empty."
  })
}).annotate({ identifier: "PlannedCapabilities" })
export type PlannedCapabilities = typeof PlannedCapabilities.Type

/** A preview of the changes that an apply with the same request body would make. */
export const Plan = Schema.Struct({
  digest: Schema.String.annotate({
    description:
      "A digest of the planned changes. Plans with the same changes have the same digest. Pass it to `apply` as `planDigest`."
  }),
  connectorTargetId: Ids.ConnectorTargetId,
  revision: Schema.String.annotate({ description: "The commit SHA that would be imported." }),
  baseRevision: Schema.NullOr(Schema.String).annotate({ description: "The commit SHA that is currently imported." }),
  autoImportNewPlugins: Schema.Boolean,
  added: Schema.Array(PlannedChange),
  changed: Schema.Array(PlannedChange),
  removed: Schema.Array(PlannedChange),
  conflicts: Schema.Array(PlanConflict).annotate({
    description: "Warnings to review before an apply. None of them prevents it."
  }),
  counts: Schema.Struct({ added: PlanCounts, changed: PlanCounts, removed: PlanCounts, unchangedObjects: Schema.Int }),
  truncated: Schema.Boolean.annotate({
    description: "Whether a list was truncated to 1,000 entries. The counts and the digest cover all entries."
  }),
  warnings: Schema.Array(Schema.String),
  capabilities: Schema.optionalKey(
    Schema.Array(PlannedCapabilities).annotate({
      description:
        "How the capabilities of each added, changed and removed plugin differ from the stored version, by plugin key. At most 1,000 plugins, 1,000 changes and 500 signals. Not part of the digest."
    })
  )
}).annotate({ identifier: "ConnectorPlan" })
export type Plan = typeof Plan.Type

// Configuration

export const MappingCounts = Schema.Struct({
  imported: Schema.Int.annotate({ description: "Mappings created by imports." }),
  byHand: Schema.Int,
  objects: Schema.Int.annotate({ description: "Config objects imported through these mappings." })
}).annotate({ identifier: "ConnectorMappingCounts" })

export const TargetConfiguration = Schema.Struct({
  connectorTarget: Target,
  marketplace: Schema.NullOr(Schema.Struct({ id: Ids.MarketplaceId, name: Schema.String })),
  mappings: MappingCounts,
  lastSyncEvent: Schema.NullOr(SyncEvent)
}).annotate({ identifier: "ConnectorTargetConfiguration" })

export const Configuration = Schema.Struct({
  connectorInstance: Instance,
  autoImportNewPlugins: Schema.Boolean,
  targets: Schema.Array(TargetConfiguration),
  plugins: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      id: Ids.PluginId,
      name: Schema.String,
      connectorTargetId: Ids.ConnectorTargetId
    })
  ).annotate({ description: "The imported plugins that the caller can see, at most 1,000." })
}).annotate({ identifier: "ConnectorConfiguration" })
export type Configuration = typeof Configuration.Type

// Payloads

const Branch = Text(1, 200).annotate({ description: "The name of the branch." })

export const SetAutoImport = Schema.Struct({
  enabled: Schema.Boolean.annotate({ description: "Whether new plugins are imported automatically." })
}).annotate({ identifier: "SetAutoImport" })
export const AutoImport = Schema.Struct({
  connectorInstanceId: Ids.ConnectorInstanceId,
  autoImportNewPlugins: Schema.Boolean
}).annotate({ identifier: "AutoImport" })

export const CreateTarget = Schema.Struct({ branch: Branch }).annotate({ identifier: "CreateConnectorTarget" })

export const UpdateTarget = Schema.Struct({
  branch: Schema.optionalKey(Branch),
  config: Schema.optionalKey(
    JsonInput.annotate({
      description: "A custom JSON object, returned as `targetConfigJson`. It replaces the stored object."
    })
  )
}).annotate({ identifier: "UpdateConnectorTarget" })

const Selector = Text(1, 255).annotate({
  description: "A file or folder in the repository, such as `skills/review`, or `.` for the whole repository."
})

export const CreateMapping = Schema.Struct({
  selector: Selector,
  objectType: ObjectType,
  pluginId: Schema.optionalKey(
    Schema.NullOr(Ids.PluginId).annotate({
      description: "The plugin that config objects from the mapping are added to."
    })
  ),
  autoAddToPlugin: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether config objects from the mapping are added to the plugin. Default: `true` if `pluginId` is set."
    })
  )
}).annotate({ identifier: "CreateConnectorMapping" })

export const UpdateMapping = Schema.Struct({
  selector: Schema.optionalKey(Selector),
  objectType: Schema.optionalKey(ObjectType),
  pluginId: Schema.optionalKey(
    Schema.NullOr(Ids.PluginId).annotate({
      description: "The plugin that config objects from the mapping are added to."
    })
  ),
  autoAddToPlugin: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether config objects from the mapping are added to the plugin. `true` requires a plugin."
    })
  )
}).annotate({ identifier: "UpdateConnectorMapping" })

export const Rollback = Schema.Struct({
  revision: Text(1, 128).annotate({ description: "A revision that was previously imported from this branch." }),
  connectorTargetId: Schema.optionalKey(ChosenTarget)
}).annotate({ identifier: "RollbackConnector" })

// Errors

export class MappingNotFound extends notFound("connector_mapping")<MappingNotFound>() {}
export class TargetExists extends conflict(
  "connector_target_exists",
  "The connector instance already has this branch."
)<TargetExists>() {}
export class MappingExists extends conflict(
  "connector_mapping_exists",
  "The branch already has this mapping."
)<MappingExists>() {}
/** Only a sync that failed or was partial can be retried. */
export class SyncNotFailed extends conflict(
  "sync_not_failed",
  "The sync has not failed. Only a failed or partial sync can be retried."
)<SyncNotFailed>() {}

/** Part of the content of a revision was deleted after its retention period. */
export class ContentGone extends conflict(
  "content_gone",
  "Some content of this revision was deleted after its retention period. Choose a newer revision."
)<ContentGone>() {}

// Operations

const instance = { connectorInstanceId: Ids.ConnectorInstanceId }
const target = { connectorTargetId: Ids.ConnectorTargetId }
const mapping = { connectorMappingId: Ids.ConnectorMappingId }
const atInstance = "/v1/connector-instances/:connectorInstanceId"
const atTarget = "/v1/connector-targets/:connectorTargetId"
const atMapping = "/v1/connector-mappings/:connectorMappingId"
const read = Access.permission("connectors:read")
const write = Access.permission("connectors:write")
const manage = Access.permission("connectors:manage")

/** More operations of the group `connectors`. */
export const endpoints = [
  HttpApiEndpoint.post("archive", `${atInstance}/archive`, {
    params: instance,
    success: updatedResponse(Instance),
    error: InstanceNotFound
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.archive",
      summary: "Archive a connector instance",
      description:
        "Hides the instance from lists and ignores pushes. Imported content is kept, and the instance's name stays reserved. Enabling the instance restores it."
    })
  ),
  HttpApiEndpoint.get("configuration", `${atInstance}/configuration`, {
    params: instance,
    success: itemResponse(Configuration),
    error: InstanceNotFound
  }).pipe(
    endpointMetadata({
      access: read,
      summary: "Get the configuration of a connector instance",
      description: "Returns its branches, imported plugins, mappings, and the last sync of each branch."
    })
  ),
  HttpApiEndpoint.put("setAutoImport", `${atInstance}/auto-import`, {
    params: instance,
    payload: SetAutoImport,
    success: updatedResponse(AutoImport),
    error: InstanceNotFound
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.set_auto_import",
      summary: "Set whether new plugins are imported automatically",
      description: "Takes effect on the next sync. Imported plugins are kept up to date either way."
    })
  ),
  HttpApiEndpoint.post("createTarget", `${atInstance}/targets`, {
    params: instance,
    payload: CreateTarget,
    success: createdResponse(Target),
    error: [InstanceNotFound, InstanceDisabled, TargetExists, QuotaExceeded, RepositoryEmpty, CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.create_target",
      summary: "Add a branch to a connector instance",
      description:
        "At most 50 branches per instance. The repository is read once to check that the branch exists. Nothing is imported until an apply or a mapping selects content."
    })
  ),
  HttpApiEndpoint.patch("updateTarget", atTarget, {
    params: target,
    payload: UpdateTarget,
    success: updatedResponse(Target),
    error: [TargetNotFound, TargetExists, InstanceDisabled, RepositoryEmpty, CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.update_target",
      summary: "Update a branch of a connector instance",
      description:
        "Changes which branch the target imports, or the configuration of the target. A new branch is checked immediately and imported by the next sync."
    })
  ),
  HttpApiEndpoint.post("resync", `${atTarget}/resync`, {
    params: target,
    success: acceptedResponse(SyncEvent),
    error: [TargetNotFound, InstanceDisabled]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.resync",
      summary: "Queue a full resync of a branch",
      description:
        "Reads every file again, including unchanged files. No new version is created for unchanged content. If the branch was pinned by a rollback, the pin is removed and the branch head is imported."
    })
  ),
  HttpApiEndpoint.post("createMapping", `${atTarget}/mappings`, {
    params: target,
    payload: CreateMapping,
    success: createdResponse(Mapping),
    error: [TargetNotFound, InstanceDisabled, MappingExists, QuotaExceeded]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.create_mapping",
      summary: "Create a mapping",
      description:
        "Maps a file or folder of a branch to config objects and queues a sync that imports it. At most 1,000 mappings per branch. Imports do not change the mapping. On a branch that is pinned by a rollback, the content is imported after the pin is removed, for example by a manual sync."
    })
  ),
  HttpApiEndpoint.patch("updateMapping", atMapping, {
    params: mapping,
    payload: UpdateMapping,
    success: updatedResponse(Mapping),
    error: [MappingNotFound, InstanceDisabled, MappingExists]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.update_mapping",
      summary: "Update a manual mapping",
      description:
        "A new plugin takes effect immediately; a new selector or type takes effect with the sync that is queued. Mappings created by an import cannot be changed (403 `managed_by_connector`)."
    })
  ),
  HttpApiEndpoint.delete("deleteMapping", atMapping, {
    params: mapping,
    success: NoContent,
    error: MappingNotFound
  }).pipe(
    endpointMetadata({
      access: manage,
      audited: "connector.delete_mapping",
      summary: "Delete a manual mapping",
      description: "Also immediately deletes the config objects that come only from this mapping."
    })
  ),
  HttpApiEndpoint.get("mappingImpact", `${atMapping}/impact`, {
    params: mapping,
    success: Schema.Struct({ impact: MappingImpact }),
    error: MappingNotFound
  }).pipe(
    endpointMetadata({
      access: read,
      summary: "Preview the impact of deleting a mapping",
      description:
        "Lists the config objects that come only from the mapping and would be deleted with it. Makes no changes."
    })
  ),
  HttpApiEndpoint.post("plan", `${atInstance}/discovery/plan`, {
    params: instance,
    query: CapabilitiesQuery,
    payload: ApplyDiscovery,
    success: updatedResponse(Plan),
    error: [InstanceNotFound, InstanceDisabled, RepositoryEmpty, CodehostApiError, DiscoveryInProgress]
  }).pipe(
    endpointMetadata({
      access: read,
      idempotency: "none",
      summary: "Preview the changes an apply would make",
      description:
        "Takes the same request body as `apply` and makes no changes. Returns the plugins, mappings and objects to add, change and remove. Waits up to 30 seconds for the repository to be read. If that takes longer, returns 503 `discovery_in_progress` until it has been read. The changes are computed from file names and digests; the sync reports files that are not text. For each plugin with changes, `capabilities` lists the capabilities that would grow, change and shrink, computed from the contents of its files. No file is executed."
    })
  ),
  HttpApiEndpoint.post("retrySync", "/v1/connector-sync-events/:connectorSyncEventId/retry", {
    params: { connectorSyncEventId: Ids.ConnectorSyncEventId },
    success: acceptedResponse(SyncEvent),
    error: [SyncEventNotFound, InstanceDisabled, SyncNotFailed]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.retry_sync",
      summary: "Retry a sync",
      description:
        "Queues a new run of a sync that failed or skipped files. The new run imports the current branch head. If the failed run was a rollback, it restores the same revision."
    })
  ),
  HttpApiEndpoint.post("rollback", `${atInstance}/rollback`, {
    params: instance,
    payload: Rollback,
    success: acceptedResponse(SyncEvent),
    error: [InstanceNotFound, InstanceDisabled]
  }).pipe(
    endpointMetadata({
      access: manage,
      audited: "connector.rollback",
      summary: "Roll back a branch to an earlier revision",
      description:
        "Restores the content of the revision as new versions and pins the branch to it. Uses the stored versions, so it works even if the commit no longer exists. Grants that were revoked because their object was deleted are not restored. Pushes and reconciliation do not change the imported content until a manual sync, resync, retry or apply removes the pin."
    })
  ),
  HttpApiEndpoint.post("planRollback", `${atInstance}/rollback/plan`, {
    params: instance,
    payload: Rollback,
    success: updatedResponse(RollbackPlan),
    error: [InstanceNotFound, InstanceDisabled, ContentGone]
  }).pipe(
    endpointMetadata({
      access: read,
      idempotency: "none",
      summary: "Preview the changes a rollback would make",
      description:
        "Takes the same request body as `rollback` and makes no changes. Lists the config objects and plugins to remove, restore, change and move. The repository is not read. If a sync is published after the preview, the rollback can make other changes."
    })
  )
] as const
