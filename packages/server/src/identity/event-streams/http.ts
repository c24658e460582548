import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, ok, one, withVersion } from "../../infra/http/handlers.ts"
import { EventStreamsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "eventStreams",
  Effect.fn(function* (handlers) {
    const streams = yield* EventStreamsService
    return handlers.handleAll({
      list: forMember((caller, { query }) => streams.list(caller, query)),
      create: forMember((caller, { payload }) => Effect.map(streams.create(caller, payload), one)),
      get: forMember((caller, { params }) =>
        Effect.map(streams.get(caller, params.eventStreamId), (item) =>
          withVersion(caller, { item: one(item), version: item.version })
        )
      ),
      update: forMember((caller, { params, payload }) =>
        Effect.map(streams.update(caller, params.eventStreamId, payload), (item) =>
          withVersion(caller, { item: ok(item), version: item.version })
        )
      ),
      remove: forMember((caller, { params }) => streams.remove(caller, params.eventStreamId)),
      pause: forMember((caller, { params }) => Effect.map(streams.pause(caller, params.eventStreamId), ok)),
      resume: forMember((caller, { params }) => Effect.map(streams.resume(caller, params.eventStreamId), ok)),
      test: forMember((caller, { params }) => Effect.map(streams.test(caller, params.eventStreamId), one))
    })
  })
).pipe(Layer.provide(EventStreamsService.layer))
