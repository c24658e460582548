/** Generates the JSON Schemas of configuration documents, of the server's configuration file and of its log lines, for editors and checks. */
import { Document } from "../../packages/schema/src/shared/configuration-document.ts"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { configFileJsonSchema } from "../../packages/server/src/infra/config/config-file.ts"
import { logLineJsonSchema } from "../../packages/server/src/infra/log-line.ts"

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
    Object.entries(value).map(([name, member]) => [
      name,
      name === "annotations"
        ? isOpaque
          ? { ...annotations, toJsonSchema: () => ({}) }
          : member
        : keepDescriptions(member)
    ])
  )
}

const documentJsonSchema = () => {
  const options = { onExcessProperty: "error" } as const
  const representation = SchemaRepresentation.toRepresentation(Schema.toCodecJson(Document).ast)
  const { definitions, schema } = SchemaRepresentation.toJsonSchemaDocument(
    keepDescriptions(representation) as SchemaRepresentation.Document,
    options
  )
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions }
}

export const configSchemaFiles = (): Readonly<Record<string, string>> => ({
  "docs/configuration.schema.json": `${JSON.stringify(documentJsonSchema(), null, 2)}\n`,
  "packages/server/config.schema.json": `${JSON.stringify(configFileJsonSchema(), null, 2)}\n`,
  "packages/server/log.schema.json": `${JSON.stringify(logLineJsonSchema(), null, 2)}\n`
})
