/** Generates the JSON Schemas of configuration documents, of the server's configuration file and of its log lines, for editors and checks. */
import { documentJsonSchema } from "../../packages/schema/src/shared/configuration-document.ts"
import { configFileJsonSchema } from "../../packages/server/src/infra/config/config-file.ts"
import { logLineJsonSchema } from "../../packages/server/src/infra/log-line.ts"

export const configSchemaFiles = (): Readonly<Record<string, string>> => ({
  "docs/configuration.schema.json": `${JSON.stringify(documentJsonSchema(), null, 2)}\n`,
  "packages/server/config.schema.json": `${JSON.stringify(configFileJsonSchema(), null, 2)}\n`,
  "packages/server/log.schema.json": `${JSON.stringify(logLineJsonSchema(), null, 2)}\n`
})
