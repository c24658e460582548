import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, one } from "../../infra/http/handlers.ts"
import { EventHeads } from "./heads.ts"
import { EventsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* EventsService
    return handlers.handleAll({
      list: forMember((caller, { query }) => events.list(caller, query)),
      types: forMember(() => Effect.sync(() => ({ items: events.types() }))),
      stream: forMember((caller, { query, request }) => {
        const lastEventId = request.headers["last-event-id"]
        return Effect.map(
          events.stream(caller, { ...query, ...(lastEventId === undefined ? {} : { lastEventId }) }),
          (stream) =>
            HttpServerResponse.stream(stream, {
              contentType: "text/event-stream",
              headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
            })
        )
      }),
      checkpoints: forMember((caller, { query }) => events.checkpoints(caller, query)),
      get: forMember((caller, { params }) => Effect.map(events.get(caller, params.eventId), one))
    })
  })
).pipe(Layer.provide(EventsService.layer), Layer.provide(EventHeads.layer))
