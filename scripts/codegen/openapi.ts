/** Generates the OpenAPI document as a file, for readers and tools without a server. */
import * as OpenApi from "effect/http-api/OpenApi"
import { OrgplaneApi } from "../../packages/schema/src/api.ts"

export const openapiFiles = (): Readonly<Record<string, string>> => ({
  "docs/openapi.json": `${JSON.stringify(OpenApi.fromApi(OrgplaneApi), null, 2)}\n`
})
