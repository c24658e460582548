import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { forMember, one } from "../../infra/http/handlers.ts"
import { makeExplain } from "./explain.ts"
import { makeImpact } from "./impact.ts"
import { permissionsOf } from "./permissions.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "access",
  Effect.fn(function* (handlers) {
    const explain = yield* makeExplain
    const impact = yield* makeImpact
    return handlers.handleAll({
      permissions: forMember((caller) => Effect.succeed(one(permissionsOf(caller)))),
      explain: forMember((caller, { payload }) =>
        Effect.map(explain(caller, payload), (explanation) => ({ explanation }))
      ),
      impact: forMember((caller, { payload }) => Effect.map(impact(caller, payload.grantId), (impact) => ({ impact })))
    })
  })
)
