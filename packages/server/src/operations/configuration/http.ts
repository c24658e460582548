import { OrgplaneApi } from "@orgplane/schema/api"
import { documentJsonSchema } from "@orgplane/schema/shared/configuration-document"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { forMember } from "../../infra/http/handlers.ts"
import { ConfigurationService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "configuration",
  Effect.fn(function* (handlers) {
    const configuration = yield* ConfigurationService
    let schema: ReturnType<typeof documentJsonSchema> | undefined
    return handlers.handleAll({
      export: forMember((caller, { query }) => configuration.exported(caller, query)),
      plan: forMember((caller, { payload }) => configuration.plan(caller, payload)),
      apply: forMember((caller, { payload }) => configuration.apply(caller, payload)),
      adopt: forMember((caller, { payload }) => configuration.adopt(caller, payload)),
      schema: () => Effect.sync(() => (schema ??= documentJsonSchema()) as unknown as JsonObject)
    })
  })
)
