import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { forMember, withCreatedStatus, withEtag, withVersion } from "../../infra/http/handlers.ts"
import { CatalogService } from "./catalog-service.ts"
import { LlmConnectService } from "./connect-service.ts"
import { LlmProvidersService } from "./service.ts"

const response = <A>(llmProvider: A) => ({ llmProvider })

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "llmProviders",
  Effect.fn(function* (handlers) {
    const providers = yield* LlmProvidersService
    const catalog = yield* CatalogService
    const keys = yield* LlmConnectService
    return handlers.handleAll({
      listCatalog: forMember((caller, { query }) => catalog.listModels(caller, query)),
      listCatalogProviders: forMember((caller, { query }) => catalog.listProviders(caller, query)),
      create: forMember((caller, { payload }) => Effect.map(providers.create(caller, payload), response)),
      list: forMember((caller, { query }) => providers.list(caller, query)),
      get: forMember((caller, { params }) =>
        Effect.map(providers.get(caller, params.llmProviderId), (provider) => response(withVersion(caller, provider)))
      ),
      update: forMember((caller, { params, payload }) =>
        Effect.map(providers.update(caller, params.llmProviderId, payload), (provider) =>
          response(withEtag(caller, provider))
        )
      ),
      remove: forMember((caller, { params }) => providers.remove(caller, params.llmProviderId)),
      listAccess: forMember((caller, { params, query }) => providers.listAccess(caller, params.llmProviderId, query)),
      grantAccess: forMember((caller, { params, payload }) =>
        Effect.map(providers.grantAccess(caller, params.llmProviderId, payload), ({ grant, isNew }) =>
          withCreatedStatus(caller, isNew, { grant })
        )
      ),
      revokeAccess: forMember((caller, { params }) =>
        providers.revokeAccess(caller, params.llmProviderId, params.grantId)
      ),
      setCredential: forMember((caller, { params, payload }) =>
        Effect.map(keys.setCredential(caller, params.llmProviderId, payload.apiKey), response)
      ),
      removeCredential: forMember((caller, { params }) => keys.removeCredential(caller, params.llmProviderId)),
      connect: forMember((caller, { params }) =>
        Effect.map(keys.connect(caller, params.llmProviderId), (connection) => ({ connection }))
      ),
      test: forMember((caller, { params }) => Effect.map(keys.test(caller, params.llmProviderId), (test) => ({ test })))
    })
  })
)
