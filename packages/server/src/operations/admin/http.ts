import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, forMemberOrPlatform, forPlatform } from "../../infra/http/handlers.ts"
import { AdminService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "admin",
  Effect.fn(function* (handlers) {
    const admin = yield* AdminService
    return handlers.handleAll({
      metrics: forMemberOrPlatform((caller) => admin.metrics(caller)),
      overview: forMember((caller) => admin.overview(caller)),
      listPlatformUsers: forPlatform((caller, { query }) => admin.listUsers(caller, query)),
      listPlatformOrganizations: forPlatform((caller, { query }) => admin.listOrganizations(caller, query)),
      updatePlan: forPlatform((caller, { params, payload }) => admin.updatePlan(caller, params.organizationId, payload))
    })
  })
).pipe(Layer.provide(AdminService.layer))
