/** Previews of changes that delete config objects of a connector. */
import * as Schema from "effect/Schema"
import { ObjectType, SyncCounts } from "./connectors.ts"
import * as Ids from "./shared/ids.ts"

/** A plugin in a preview. */
const PlannedPlugin = Schema.Struct({ id: Ids.PluginId, name: Schema.String }).annotate({
  identifier: "PlannedPlugin"
})

/** One config object that a rollback or the deletion of a mapping would change. */
export const PlannedObject = Schema.Struct({
  configObjectId: Ids.ConfigObjectId,
  objectType: ObjectType,
  path: Schema.String.annotate({ description: "The path of its file in the repository, after the change." }),
  was: Schema.NullOr(Schema.String).annotate({ description: "The previous path, if it differs." }),
  pointer: Schema.NullOr(Schema.String).annotate({ description: "Where the object is defined in a manifest." }),
  plugin: Schema.NullOr(PlannedPlugin).annotate({
    description:
      "The plugin to which the mapping adds the object. For a removed object, the plugin from which it is removed. Null if there is none, or if the caller cannot see it."
  })
}).annotate({ identifier: "PlannedObject" })
export type PlannedObject = typeof PlannedObject.Type

/** The maximum number of entries in each list of a preview. */
export const plannedObjectsMax = 100

/** A preview of the changes that a rollback with the same request body would make. */
export const RollbackPlan = Schema.Struct({
  connectorTargetId: Ids.ConnectorTargetId,
  revision: Schema.String.annotate({ description: "The revision that would be restored." }),
  baseRevision: Schema.NullOr(Schema.String).annotate({ description: "The commit SHA that is currently imported." }),
  counts: Schema.Struct({
    ...SyncCounts.fields,
    objectsMoved: Schema.Int,
    pluginsRemoved: Schema.Int
  }).annotate({
    identifier: "RollbackPlanCounts",
    description:
      "The sync counts of the rollback, and the numbers of moved objects and removed plugins. Restored objects and plugins count as created."
  }),
  removed: Schema.Array(PlannedObject).annotate({
    description: "Config objects that are not in the revision. The rollback deletes them for everyone."
  }),
  restored: Schema.Array(PlannedObject).annotate({ description: "Deleted config objects that are restored." }),
  changed: Schema.Array(PlannedObject).annotate({ description: "Config objects whose earlier content is restored." }),
  moved: Schema.Array(PlannedObject).annotate({
    description: "Config objects that move to another path or plugin with unchanged content."
  }),
  removedPlugins: Schema.Array(PlannedPlugin),
  restoredPlugins: Schema.Array(PlannedPlugin).annotate({
    description: "Deleted plugins that are restored. Their revoked grants are not restored."
  }),
  truncated: Schema.Boolean.annotate({
    description: `Whether a list was truncated to ${plannedObjectsMax} entries. The counts cover all entries.`
  })
}).annotate({ identifier: "ConnectorRollbackPlan" })
export type RollbackPlan = typeof RollbackPlan.Type

/** The effects of deleting a manual mapping. */
export const MappingImpact = Schema.Struct({
  objectsDeleted: Schema.Int.annotate({ description: "The number of config objects that come only from the mapping." }),
  objectsKept: Schema.Int.annotate({
    description: "The number of config objects of the mapping that another mapping also imports."
  }),
  deleted: Schema.Array(PlannedObject).annotate({
    description: `The config objects that would be deleted, by path. At most ${plannedObjectsMax}.`
  })
}).annotate({ identifier: "ConnectorMappingImpact" })
export type MappingImpact = typeof MappingImpact.Type
