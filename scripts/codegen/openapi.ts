/** Generates the OpenAPI document as a file, for readers and tools without a server. */
import * as OpenApi from "effect/http-api/OpenApi"
import { OrgplaneApi } from "../../packages/schema/src/api.ts"
import type { Example } from "../../packages/schema/src/shared/example.ts"
import { withExamples } from "../../packages/schema/src/shared/openapi-examples.ts"

export const openapiFiles = (examples: Readonly<Record<string, Example>>): Readonly<Record<string, string>> => {
  const document = withExamples({ ...OpenApi.fromApi(OrgplaneApi) }, examples)
  return { "docs/openapi.json": `${JSON.stringify(document, null, 2)}\n` }
}
