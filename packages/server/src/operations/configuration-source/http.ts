import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, ok, one, withEtag } from "../../infra/http/handlers.ts"
import { ConfigurationRunsService } from "./runs-service.ts"
import { ConfigurationSourceService } from "./service.ts"

const sourceLayer = HttpApiBuilder.group(
  OrgplaneApi,
  "configurationSource",
  Effect.fn(function* (handlers) {
    const source = yield* ConfigurationSourceService
    return handlers.handleAll({
      get: forMember((caller) =>
        Effect.map(source.get(caller), (item) => withEtag(caller, { item: one(item), version: item.version }))
      ),
      set: forMember((caller, { payload }) =>
        Effect.map(source.set(caller, payload), (item) => withEtag(caller, { item: ok(item), version: item.version }))
      ),
      remove: forMember((caller) => source.remove(caller)),
      run: forMember((caller) => Effect.map(source.run(caller), ok))
    })
  })
).pipe(Layer.provide(ConfigurationSourceService.layer))

const runsLayer = HttpApiBuilder.group(
  OrgplaneApi,
  "configurationRuns",
  Effect.fn(function* (handlers) {
    const runs = yield* ConfigurationRunsService
    return handlers.handleAll({
      list: forMember((caller, { query }) => runs.list(caller, query)),
      get: forMember((caller, { params }) => Effect.map(runs.get(caller, params.configurationRunId), one)),
      approve: forMember((caller, { params, payload }) =>
        Effect.map(runs.approve(caller, params.configurationRunId, payload), ok)
      ),
      reject: forMember((caller, { params, payload }) =>
        Effect.map(runs.reject(caller, params.configurationRunId, payload), ok)
      )
    })
  })
).pipe(Layer.provide(ConfigurationRunsService.layer))

export const layer = Layer.mergeAll(sourceLayer, runsLayer)
