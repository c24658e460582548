/** Generates the JSON Schema of the server's configuration file, for editors and checks. */
import { configFileJsonSchema } from "../../packages/server/src/infra/config/config-file.ts"

export const configSchemaFiles = (): Readonly<Record<string, string>> => ({
  "packages/server/config.schema.json": `${JSON.stringify(configFileJsonSchema(), null, 2)}\n`
})
