import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"

export const exact =
  <Id extends string, Groups extends HttpApiGroup.Constraint>(_api: HttpApi.HttpApi<Id, Groups>) =>
  (document: Record<string, unknown>): Record<string, unknown> =>
    document
