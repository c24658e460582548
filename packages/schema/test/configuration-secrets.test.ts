/** The fields of configuration documents that refer to secrets. */
import { expect, it } from "vitest"
import { secretFields } from "../src/shared/configuration/limits.ts"
import { documentJsonSchema, kinds } from "../src/shared/configuration-document.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a JSON Schema, checked by expect()
type Schema = any

it("lists exactly the fields whose schema is a reference to a secret", () => {
  const document: Schema = documentJsonSchema()
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolved(document.$defs[schema.$ref.slice("#/$defs/".length)])
  const isReference = (schema: Schema) => JSON.stringify(schema).includes("ConfigurationSecretReference")
  const listed = kinds.flatMap((kind) => {
    const entry = resolved(resolved(resolved(document).properties[kind]).items)
    const fields = Object.entries<Schema>(entry.properties ?? {}).flatMap(([field, schema]) =>
      isReference(schema) ? [field] : []
    )
    return fields.length === 0 ? [] : [[kind, fields.toSorted()]]
  })
  expect(listed).toEqual(Object.entries(secretFields).map(([kind, fields]) => [kind, fields.toSorted()]))
})
