import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember } from "../../infra/http/handlers.ts"
import { MembersService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "members",
  Effect.fn(function* (handlers) {
    const members = yield* MembersService
    return handlers.handleAll({
      add: forMember((caller, { payload }) => members.add(caller, payload)),
      list: forMember((caller, { query }) => members.list(caller, query)),
      get: forMember((caller, { params }) => members.get(caller, params.orgMembershipId)),
      update: forMember((caller, { params, payload }) => members.update(caller, params.orgMembershipId, payload.role)),
      remove: forMember((caller, { params, query }) =>
        members.remove(caller, params.orgMembershipId, query.revokeKeys === "true")
      ),
      impact: forMember((caller, { params }) => members.impact(caller, params.orgMembershipId)),
      batch: forMember((caller, { payload }) => members.batch(caller, payload))
    })
  })
).pipe(Layer.provide(MembersService.layer))
