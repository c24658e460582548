/** Plugins in configuration documents. */
import * as Schema from "effect/Schema"
import { contentFields, hasContent } from "../../config-objects.ts"
import { ObjectType } from "../../connectors.ts"
import { Name } from "../names.ts"
import { Text } from "../values.ts"
import { access } from "./access.ts"
import { description, Key, keyOf } from "./key.ts"
import { isOwnOrImported, sourceFields } from "./marketplaces.ts"

export const objectsMax = 2000

/** A part of a path or a file name. */
const Path = (maximum: number) => Text(1, maximum)

export const ObjectEntry = Schema.Struct({
  type: ObjectType,
  relativePath: Schema.optionalKey(
    Path(1024).annotate({ description: "The path of its file in the plugin: `skills/review/SKILL.md`." })
  ),
  fileName: Schema.optionalKey(
    Path(255).annotate({ description: "The name of its file. Default: the last part of `relativePath`." })
  ),
  title: Schema.optionalKey(Text(1, 255).annotate({ description: "Default: read from the content." })),
  description: Schema.optionalKey(Text(1, 2000).annotate({ description: "Default: read from the content." })),
  rawSourceText: contentFields.rawSourceText.annotate({ description: "The text of its file." }),
  normalizedPayloadJson: contentFields.normalizedPayloadJson.annotate({
    description: "Its content as JSON. Default: read from `rawSourceText`."
  }),
  schemaVersion: contentFields.schemaVersion.annotate({ description: "Default: the current version." })
})
  .check(hasContent)
  .annotate({
    identifier: "ConfigurationObject",
    description:
      "A skill, agent, command or other config object. Requires `rawSourceText`, `normalizedPayloadJson`, or both. An object keeps its identity while its type and path stay the same."
  })
export type ObjectEntry = typeof ObjectEntry.Type

export const PluginSource = Schema.Struct({
  ...sourceFields,
  plugin: Text(1, 1024).annotate({
    description:
      "The key of the plugin in the repository, as discovery shows it: its folder, `.` for the root, or `marketplace:` and the name of its entry in the marketplace."
  })
}).annotate({
  identifier: "ConfigurationPluginSource",
  description: "The connector and branch that the plugin was imported from, and its key there."
})

export const PluginEntry = Schema.Struct({
  key: Key,
  name: Schema.optionalKey(Name(1, 255).annotate({ description: "Required unless `source` is present." })),
  description,
  source: Schema.optionalKey(PluginSource),
  marketplaces: Schema.optionalKey(
    Schema.Array(keyOf("The key of a marketplace."))
      .check(Schema.isMaxLength(100))
      .annotate({ description: "All marketplaces that contain the plugin. If omitted, they are not changed." })
  ),
  access,
  objects: Schema.optionalKey(
    Schema.Array(ObjectEntry).check(Schema.isMaxLength(objectsMax)).annotate({
      description:
        "All config objects of the plugin. An object that is not listed is removed from the plugin, and archived if it is in no other plugin. Objects from connectors are not listed and not changed."
    })
  )
})
  .check(
    isOwnOrImported,
    Schema.makeFilter((entry: { readonly source?: object; readonly objects?: object }) =>
      entry.source !== undefined && entry.objects !== undefined
        ? { path: ["objects"], issue: "must be omitted, because they come from the repository" }
        : undefined
    )
  )
  .annotate({
    identifier: "ConfigurationPlugin",
    description:
      "A plugin. An imported plugin has a `source` instead of a name, a description and objects. It must exist already, and is never removed."
  })
