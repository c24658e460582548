import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { forMember, forWorker } from "../../infra/http/handlers.ts"
import { WorkerRuntimeService } from "./runtime-service.ts"
import { WorkersService } from "./service.ts"

/** The API has three success statuses; every other 2xx becomes 200. */
const statusOf = (status: number) => (status < 300 && status !== 201 && status !== 202 ? 200 : status)

/** The response of a runtime, as JSON. */
const forward = ({ status, text }: { readonly status: number; readonly text: string }) =>
  HttpServerResponse.text(text, { status: statusOf(status), contentType: "application/json" })

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "workers",
  Effect.fn(function* (handlers) {
    const workers = yield* WorkersService
    const runtimes = yield* WorkerRuntimeService
    return handlers.handleAll({
      create: forMember((caller, { payload }) => workers.create(caller, payload)),
      list: forMember((caller, { query }) => workers.list(caller, query)),
      get: forMember((caller, { params }) => workers.get(caller, params.id)),
      update: forMember((caller, { params, payload }) => workers.update(caller, params.id, payload)),
      remove: forMember((caller, { params }) => workers.remove(caller, params.id)),
      createToken: forMember((caller, { params, payload }) => workers.createToken(caller, params.id, payload)),
      listTokens: forMember((caller, { params, query }) => workers.listTokens(caller, params.id, query)),
      revokeToken: forMember((caller, { params }) => workers.revokeToken(caller, params.id, params.workerTokenId)),
      getRuntime: forMember((caller, { params }) => Effect.map(runtimes.get(caller, params.id), forward)),
      upgradeRuntime: forMember((caller, { params, payload }) =>
        Effect.map(runtimes.upgrade(caller, params.id, payload), forward)
      ),
      heartbeat: forWorker((caller, { params, payload }) => workers.heartbeat(caller, params.id, payload)),
      reportActivity: forWorker((caller, { params, payload }) => workers.reportActivity(caller, params.id, payload)),
      listActivity: forMember((caller, { params, query }) => workers.listActivity(caller, params.id, query))
    })
  })
).pipe(Layer.provide(WorkerRuntimeService.layer), Layer.provide(WorkersService.layer))
