import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember } from "../../infra/http/handlers.ts"
import { DomainsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "ssoDomains",
  Effect.fn(function* (handlers) {
    const domains = yield* DomainsService
    return handlers.handleAll({
      create: forMember((caller, { payload }) => domains.create(caller, payload)),
      list: forMember((caller, { query }) => domains.list(caller, query)),
      get: forMember((caller, { params }) => domains.get(caller, params.domainId)),
      remove: forMember((caller, { params }) => domains.remove(caller, params.domainId)),
      verify: forMember((caller) => domains.verify(caller))
    })
  })
).pipe(Layer.provide(DomainsService.layer))
