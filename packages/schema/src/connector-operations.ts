/** Working with connectors after they are set up: plans, branches, mappings by hand, syncs done over and undone. */
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
import * as Access from "./shared/auth.ts"
import { accepted, changed, created, Done, found, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { JsonInput, Text } from "./shared/values.ts"

// Plans

/** One thing that an apply would add, change or remove. */
export const PlannedChange = Schema.Struct({
  kind: Schema.Literals(["marketplace", "plugin", "mapping", "object", "file"]).annotate({
    description: "A `file` is a file of a plugin that is not the source of a config object."
  }),
  pluginKey: Schema.NullOr(Schema.String).annotate({ description: "The plugin it belongs to, by its key." }),
  name: Schema.String.annotate({ description: "Of a plugin or marketplace its name, else the selector or path." }),
  was: Schema.NullOr(Schema.String).annotate({ description: "The name, key or path before, when that is another." }),
  objectType: Schema.NullOr(ObjectType),
  pointer: Schema.NullOr(Schema.String).annotate({ description: "Where in a manifest the object is written." })
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

/** What an apply of these keys would do, and nothing of it done. */
export const Plan = Schema.Struct({
  digest: Schema.String.annotate({ description: "The same for the same work; `planDigest` of an apply." }),
  connectorTargetId: Ids.ConnectorTargetId,
  revision: Schema.String.annotate({ description: "The commit that would be imported." }),
  baseRevision: Schema.NullOr(Schema.String).annotate({ description: "The commit that is imported now." }),
  autoImportNewPlugins: Schema.Boolean,
  added: Schema.Array(PlannedChange),
  changed: Schema.Array(PlannedChange),
  removed: Schema.Array(PlannedChange),
  conflicts: Schema.Array(PlanConflict).annotate({
    description: "What somebody should know first. None of them stops an apply."
  }),
  counts: Schema.Struct({ added: PlanCounts, changed: PlanCounts, removed: PlanCounts, unchangedObjects: Schema.Int }),
  truncated: Schema.Boolean.annotate({
    description: "Whether a list was cut after 1 000 entries; counts and digest are of all."
  }),
  warnings: Schema.Array(Schema.String)
}).annotate({ identifier: "ConnectorPlan" })
export type Plan = typeof Plan.Type

// What is set up

export const MappingCounts = Schema.Struct({
  imported: Schema.Int.annotate({ description: "Made by imports." }),
  byHand: Schema.Int,
  objects: Schema.Int.annotate({ description: "Config objects they feed." })
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
  ).annotate({ description: "The imported plugins that the caller can see, at most 1 000." })
}).annotate({ identifier: "ConnectorConfiguration" })
export type Configuration = typeof Configuration.Type

// Payloads

const Branch = Text(1, 200)

export const SetAutoImport = Schema.Struct({ enabled: Schema.Boolean }).annotate({ identifier: "SetAutoImport" })
export const AutoImport = Schema.Struct({
  connectorInstanceId: Ids.ConnectorInstanceId,
  autoImportNewPlugins: Schema.Boolean
}).annotate({ identifier: "AutoImport" })

export const CreateTarget = Schema.Struct({ branch: Branch }).annotate({ identifier: "CreateConnectorTarget" })

export const UpdateTarget = Schema.Struct({
  branch: Schema.optionalKey(Branch),
  config: Schema.optionalKey(JsonInput)
})
  .check(
    Schema.makeFilter((update: { readonly branch?: string; readonly config?: object }) =>
      update.branch === undefined && update.config === undefined ? "name at least one of branch and config" : undefined
    )
  )
  .annotate({ identifier: "UpdateConnectorTarget" })

const Selector = Text(1, 255).annotate({
  description: "A file or folder of the repository, as `skills/review`, or `.` for all of it."
})

export const CreateMapping = Schema.Struct({
  selector: Selector,
  objectType: ObjectType,
  pluginId: Schema.optionalKey(Schema.NullOr(Ids.PluginId)),
  autoAddToPlugin: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Put what is found into the plugin; true when one is named." })
  )
}).annotate({ identifier: "CreateConnectorMapping" })

export const UpdateMapping = Schema.Struct({
  selector: Schema.optionalKey(Selector),
  objectType: Schema.optionalKey(ObjectType),
  pluginId: Schema.optionalKey(Schema.NullOr(Ids.PluginId)),
  autoAddToPlugin: Schema.optionalKey(Schema.Boolean)
})
  .check(
    Schema.makeFilter((update: object) =>
      ["selector", "objectType", "pluginId", "autoAddToPlugin"].some((name) => name in update)
        ? undefined
        : "name at least one of selector, objectType, pluginId and autoAddToPlugin"
    )
  )
  .annotate({ identifier: "UpdateConnectorMapping" })

export const Rollback = Schema.Struct({
  revision: Text(1, 128).annotate({ description: "A revision that this branch has published before." }),
  connectorTargetId: Schema.optionalKey(ChosenTarget)
}).annotate({ identifier: "RollbackConnector" })

// Errors

export class MappingNotFound extends notFound("connector_mapping")<MappingNotFound>() {}
export class TargetExists extends conflict(
  "connector_target_exists",
  "The connector instance reads this branch already."
)<TargetExists>() {}
export class MappingExists extends conflict(
  "connector_mapping_exists",
  "The branch has this mapping already."
)<MappingExists>() {}
/** Only what failed, wholly or in part, is done over. */
export class SyncNotFailed extends conflict("sync_not_failed", "The sync has not failed.")<SyncNotFailed>() {}

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

/** Operations of the group `connectors` beside those that stand with it. */
export const endpoints = [
  HttpApiEndpoint.post("archive", `${atInstance}/archive`, {
    params: instance,
    success: changed(Instance),
    error: InstanceNotFound
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.archive",
      summary: "Archives a connector instance: it is hidden from lists, and pushes are ignored.",
      description: "What it imported stays, and so does its name; `enable` brings it back."
    })
  ),
  HttpApiEndpoint.get("configuration", `${atInstance}/configuration`, {
    params: instance,
    success: found(Configuration),
    error: InstanceNotFound
  }).pipe(
    endpointMetadata({
      access: read,
      summary: "Shows what is set up: branches, imported plugins, mappings and the last sync of each branch."
    })
  ),
  HttpApiEndpoint.put("setAutoImport", `${atInstance}/auto-import`, {
    params: instance,
    payload: SetAutoImport,
    success: changed(AutoImport),
    error: InstanceNotFound
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.set_auto_import",
      summary: "Says whether plugins that appear later are imported without being asked.",
      description: "From the next sync on; what is imported is kept in step either way."
    })
  ),
  HttpApiEndpoint.post("createTarget", `${atInstance}/targets`, {
    params: instance,
    payload: CreateTarget,
    success: created(Target),
    error: [InstanceNotFound, InstanceDisabled, TargetExists, QuotaExceeded, RepositoryEmpty, CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.create_target",
      summary: "Adds a branch to a connector instance; at most 50.",
      description: "The repository is asked for it once. Nothing is imported before an apply or a mapping says what."
    })
  ),
  HttpApiEndpoint.patch("updateTarget", atTarget, {
    params: target,
    payload: UpdateTarget,
    success: changed(Target),
    error: [TargetNotFound, TargetExists, InstanceDisabled, RepositoryEmpty, CodehostApiError]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.update_target",
      summary: "Changes the branch or the configuration of a connector target.",
      description: "Another branch is asked for once, and read at the next sync."
    })
  ),
  HttpApiEndpoint.post("resync", `${atTarget}/resync`, {
    params: target,
    success: accepted(SyncEvent),
    error: [TargetNotFound, InstanceDisabled]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.resync",
      summary: "Queues a sync that reads every file again, also those that did not change.",
      description:
        "What is the same makes no new version. A branch that was rolled back follows its head again afterwards."
    })
  ),
  HttpApiEndpoint.post("createMapping", `${atTarget}/mappings`, {
    params: target,
    payload: CreateMapping,
    success: created(Mapping),
    error: [TargetNotFound, InstanceDisabled, MappingExists, QuotaExceeded]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.create_mapping",
      summary: "Maps a file or folder of a branch to config objects, and queues a sync that imports it.",
      description:
        "At most 1 000 a branch. Imports leave it alone. On a branch that was rolled back it is read when that follows its head again."
    })
  ),
  HttpApiEndpoint.patch("updateMapping", atMapping, {
    params: mapping,
    payload: UpdateMapping,
    success: changed(Mapping),
    error: [MappingNotFound, InstanceDisabled, MappingExists]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.update_mapping",
      summary: "Changes a mapping that was made by hand.",
      description:
        "The plugin changes at once; another selector or type is read by the sync that is queued. Mappings that an import made are its own: 403 `managed_by_connector`."
    })
  ),
  HttpApiEndpoint.delete("deleteMapping", atMapping, {
    params: mapping,
    success: Done,
    error: MappingNotFound
  }).pipe(
    endpointMetadata({
      access: manage,
      audited: "connector.delete_mapping",
      summary: "Deletes a mapping that was made by hand, and at once what only it feeds."
    })
  ),
  HttpApiEndpoint.post("plan", `${atInstance}/discovery/plan`, {
    params: instance,
    payload: ApplyDiscovery,
    success: changed(Plan),
    error: [InstanceNotFound, InstanceDisabled, RepositoryEmpty, CodehostApiError, DiscoveryInProgress]
  }).pipe(
    endpointMetadata({
      access: read,
      idempotency: "none",
      summary: "Answers what an apply would do: plugins, mappings and objects it adds, changes and removes.",
      description:
        "Takes the body of `apply` and writes nothing. Waits up to 30 seconds for the repository; a larger one answers 503 `discovery_in_progress` while it is read. Files are told by name and digest: one that turns out not to be text is told by the sync."
    })
  ),
  HttpApiEndpoint.post("retrySync", "/v1/connector-sync-events/:connectorSyncEventId/retry", {
    params: { connectorSyncEventId: Ids.ConnectorSyncEventId },
    success: accepted(SyncEvent),
    error: [SyncEventNotFound, InstanceDisabled, SyncNotFailed]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "connector.retry_sync",
      summary: "Queues a new run of a sync that failed, or left files out.",
      description: "It reads the branch as it is now; of a rollback it restores the same revision."
    })
  ),
  HttpApiEndpoint.post("rollback", `${atInstance}/rollback`, {
    params: instance,
    payload: Rollback,
    success: accepted(SyncEvent),
    error: [InstanceNotFound, InstanceDisabled]
  }).pipe(
    endpointMetadata({
      access: manage,
      audited: "connector.rollback",
      summary: "Restores what an earlier revision held, as new versions, and pins the branch to it.",
      description:
        "From the versions that are kept, so the commit need not be there any more; grants that ended with a deletion do not come back. Pushes and reconciliation leave the branch alone until somebody syncs it by hand."
    })
  )
] as const
