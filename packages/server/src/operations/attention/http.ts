import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember } from "../../infra/http/handlers.ts"
import { AttentionService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "attention",
  Effect.fn(function* (handlers) {
    const attention = yield* AttentionService
    return handlers.handleAll({ list: forMember((caller, { query }) => attention.list(caller, query)) })
  })
).pipe(Layer.provide(AttentionService.layer))
