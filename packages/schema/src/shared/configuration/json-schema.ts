/** JSON Schemas of configuration documents. */
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/**
 * Lets checks without a JSON Schema keep their description, which is that of the checked value. By default, they are left
 * out together with it.
 */
const keepDescriptions = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(keepDescriptions)
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  const { annotations } = value
  const isOpaque = value["_tag"] === "Filter" && isObject(annotations) && annotations["toJsonSchema"] === undefined
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name !== "annotations") return [name, keepDescriptions(member)]
      return [name, isOpaque ? { ...annotations, toJsonSchema: () => ({}) } : member]
    })
  )
}

/** The JSON Schema of a document with all descriptions, for editors. */
export const describedJsonSchema = (schema: Schema.Top) => {
  const representation = SchemaRepresentation.toRepresentation(Schema.toCodecJson(schema).ast)
  const document = SchemaRepresentation.toJsonSchemaDocument(
    keepDescriptions(representation) as SchemaRepresentation.Document,
    { onExcessProperty: "error" }
  )
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...document.schema, $defs: document.definitions }
}
