import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, withEtag } from "../../infra/http/handlers.ts"
import { RolesService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "roles",
  Effect.fn(function* (handlers) {
    const roles = yield* RolesService
    return handlers.handleAll({
      permissions: forMember(() => roles.permissions()),
      create: forMember((caller, { payload }) => roles.create(caller, payload)),
      list: forMember((caller, { query }) => roles.list(caller, query)),
      get: forMember((caller, { params }) =>
        Effect.map(roles.get(caller, params.roleId), (role) => ({ role: withEtag(caller, role) }))
      ),
      update: forMember((caller, { params, payload }) =>
        Effect.map(roles.update(caller, params.roleId, payload), (role) => ({ role: withEtag(caller, role) }))
      ),
      remove: forMember((caller, { params }) => roles.remove(caller, params.roleId))
    })
  })
).pipe(Layer.provide(RolesService.layer))
