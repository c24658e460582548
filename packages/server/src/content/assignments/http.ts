import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, ok, one, withEtag } from "../../infra/http/handlers.ts"
import { AssignmentsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "assignments",
  Effect.fn(function* (handlers) {
    const assignments = yield* AssignmentsService
    return handlers.handleAll({
      create: forMember((caller, { payload }) => Effect.map(assignments.create(caller, payload), ok)),
      list: forMember((caller, { query }) => assignments.list(caller, query)),
      simulate: forMember((caller, { payload }) => assignments.simulate(caller, payload)),
      effective: forMember((caller, { params, query }) => assignments.effective(caller, params.orgMembershipId, query)),
      own: forMember((caller, { query }) => assignments.own(caller, query)),
      setChoice: forMember((caller, { params, payload }) =>
        Effect.map(assignments.setChoice(caller, params.pluginId, payload.enabled), ok)
      ),
      resetChoice: forMember((caller, { params }) => assignments.resetChoice(caller, params.pluginId)),
      get: forMember((caller, { params }) =>
        Effect.map(assignments.get(caller, params.assignmentId), (assignment) => one(withEtag(caller, assignment)))
      ),
      update: forMember((caller, { params, payload }) =>
        Effect.map(assignments.update(caller, params.assignmentId, payload), (assignment) =>
          ok(withEtag(caller, assignment))
        )
      ),
      remove: forMember((caller, { params }) => assignments.remove(caller, params.assignmentId))
    })
  })
).pipe(Layer.provide(AssignmentsService.layer))
