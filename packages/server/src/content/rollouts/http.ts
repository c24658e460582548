import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, ok, one } from "../../infra/http/handlers.ts"
import { RolloutReads } from "./reads.ts"
import { RolloutsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "rollouts",
  Effect.fn(function* (handlers) {
    const rollouts = yield* RolloutsService
    const reads = yield* RolloutReads
    return handlers.handleAll({
      list: forMember((caller, { query }) => reads.list(caller, query)),
      create: forMember((caller, { payload }) => Effect.map(rollouts.create(caller, payload), ok)),
      getSettings: forMember((caller) => Effect.map(rollouts.getSettings(caller), one)),
      updateSettings: forMember((caller, { payload }) => Effect.map(rollouts.updateSettings(caller, payload), ok)),
      preview: forMember((caller, { payload }) => Effect.map(reads.preview(caller, payload), one)),
      withdraw: forMember((caller, { payload }) => Effect.map(rollouts.withdraw(caller, payload), ok)),
      explain: forMember((caller, { params }) =>
        Effect.map(reads.explain(caller, params.orgMembershipId, params.pluginId), one)
      ),
      get: forMember((caller, { params }) => Effect.map(reads.get(caller, params.rolloutId), one)),
      start: forMember((caller, { params }) => Effect.map(rollouts.start(caller, params.rolloutId), ok)),
      schedule: forMember((caller, { params, payload }) =>
        Effect.map(rollouts.schedule(caller, params.rolloutId, payload.startsAt), ok)
      ),
      promote: forMember((caller, { params, payload }) =>
        Effect.map(rollouts.promote(caller, params.rolloutId, payload.ring), ok)
      ),
      pause: forMember((caller, { params, payload }) =>
        Effect.map(rollouts.pause(caller, params.rolloutId, payload.comment), ok)
      ),
      resume: forMember((caller, { params }) => Effect.map(rollouts.resume(caller, params.rolloutId), ok)),
      rollBack: forMember((caller, { params, payload }) =>
        Effect.map(rollouts.rollBack(caller, params.rolloutId, payload.comment), ok)
      ),
      release: forMember((caller, { params, payload }) =>
        Effect.map(rollouts.release(caller, params.rolloutId, payload.comment), ok)
      )
    })
  })
).pipe(Layer.provide(RolloutsService.layer), Layer.provide(RolloutReads.layer))
