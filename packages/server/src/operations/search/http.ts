import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember } from "../../infra/http/handlers.ts"
import { SearchService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "search",
  Effect.fn(function* (handlers) {
    const search = yield* SearchService
    return handlers.handleAll({ objects: forMember((caller, { query }) => search.objects(caller, query)) })
  })
).pipe(Layer.provide(SearchService.layer))
