import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, withEtag, withVersion } from "../../infra/http/handlers.ts"
import { TeamsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "teams",
  Effect.fn(function* (handlers) {
    const teams = yield* TeamsService
    return handlers.handleAll({
      create: forMember((caller, { payload }) => teams.create(caller, payload)),
      list: forMember((caller, { query }) => teams.list(caller, query)),
      get: forMember((caller, { params }) =>
        Effect.map(teams.get(caller, params.teamId), (team) => ({ team: withVersion(caller, team) }))
      ),
      update: forMember((caller, { params, payload }) =>
        Effect.map(teams.update(caller, params.teamId, payload), (team) => ({ team: withEtag(caller, team) }))
      ),
      remove: forMember((caller, { params }) => teams.remove(caller, params.teamId)),
      impact: forMember((caller, { params }) => teams.impact(caller, params.teamId)),
      listMembers: forMember((caller, { params, query }) => teams.listMembers(caller, params.teamId, query)),
      addMember: forMember((caller, { params }) => teams.addMember(caller, params.teamId, params.orgMembershipId)),
      removeMember: forMember((caller, { params }) => teams.removeMember(caller, params.teamId, params.orgMembershipId))
    })
  })
).pipe(Layer.provide(TeamsService.layer))
