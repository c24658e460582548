import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember } from "../../infra/http/handlers.ts"
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
      get: forMember((caller, { params }) => roles.get(caller, params.roleId)),
      update: forMember((caller, { params, payload }) => roles.update(caller, params.roleId, payload)),
      remove: forMember((caller, { params }) => roles.remove(caller, params.roleId))
    })
  })
).pipe(Layer.provide(RolesService.layer))
