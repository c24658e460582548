import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember } from "../../infra/http/handlers.ts"
import { ScimHoldsService } from "./holds-service.ts"
import { ScimService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "scim",
  Effect.fn(function* (handlers) {
    const scim = yield* ScimService
    const holds = yield* ScimHoldsService
    return handlers.handleAll({
      createDirectory: forMember((caller, { payload }) => scim.create(caller, payload)),
      listDirectories: forMember((caller, { query }) => scim.list(caller, query)),
      getDirectory: forMember((caller, { params }) => scim.get(caller, params.scimDirectoryId)),
      removeDirectory: forMember((caller, { params, query }) =>
        scim.remove(caller, params.scimDirectoryId, query.members ?? "keep")
      ),
      rotateToken: forMember((caller, { params, payload }) =>
        scim.rotateToken(caller, params.scimDirectoryId, payload)
      ),
      revokeToken: forMember((caller, { params }) =>
        scim.revokeToken(caller, params.scimDirectoryId, params.scimTokenId)
      ),
      listGroups: forMember((caller, { params, query }) => scim.listGroups(caller, params.scimDirectoryId, query)),
      setGroupRole: forMember((caller, { params, payload }) =>
        scim.setGroupRole(caller, params.scimDirectoryId, params.teamId, payload.role)
      ),
      log: forMember((caller, { params, query }) => scim.log(caller, params.scimDirectoryId, query)),
      reconcile: forMember((caller, { params }) => scim.reconcile(caller, params.scimDirectoryId)),
      listHolds: forMember((caller, { params, query }) => holds.list(caller, params.scimDirectoryId, query)),
      getHold: forMember((caller, { params }) => holds.get(caller, params.scimDirectoryId, params.scimHoldId)),
      listHeldUsers: forMember((caller, { params, query }) =>
        holds.listUsers(caller, params.scimDirectoryId, params.scimHoldId, query)
      ),
      approveHold: forMember((caller, { params }) => holds.approve(caller, params.scimDirectoryId, params.scimHoldId)),
      rejectHold: forMember((caller, { params }) => holds.reject(caller, params.scimDirectoryId, params.scimHoldId))
    })
  })
).pipe(Layer.provide([ScimService.layer, ScimHoldsService.layer]))
