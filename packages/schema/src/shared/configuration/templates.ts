/** Templates in configuration documents. */
import * as Schema from "effect/Schema"
import { ContentInput } from "../../templates.ts"
import { Text } from "../values.ts"
import { description, Key } from "./key.ts"

export const TemplateEntry = Schema.Struct({
  key: Key,
  name: Text(1, 120).annotate({ description: "Must be unique in the organization." }),
  description,
  content: Schema.optionalKey(
    ContentInput.annotate({
      description: "The plugin, its config objects and the variables. Required for a new template."
    })
  )
}).annotate({ identifier: "ConfigurationTemplate", description: "A blueprint for plugins." })
