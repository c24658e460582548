import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, withEtag } from "../../infra/http/handlers.ts"
import { DesktopPoliciesService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "desktopPolicies",
  Effect.fn(function* (handlers) {
    const policies = yield* DesktopPoliciesService
    return handlers.handleAll({
      create: forMember((caller, { payload }) => policies.create(caller, payload)),
      list: forMember((caller, { query }) => policies.list(caller, query)),
      simulate: forMember((caller, { payload }) => policies.simulate(caller, payload)),
      effective: forMember((caller, { params, query }) => policies.effective(caller, params.orgMembershipId, query)),
      get: forMember((caller, { params }) =>
        Effect.map(policies.get(caller, params.desktopPolicyId), (policy) => ({
          desktopPolicy: withEtag(caller, policy)
        }))
      ),
      update: forMember((caller, { params, payload }) =>
        Effect.map(policies.update(caller, params.desktopPolicyId, payload), (policy) => ({
          desktopPolicy: withEtag(caller, policy)
        }))
      ),
      remove: forMember((caller, { params }) => policies.remove(caller, params.desktopPolicyId))
    })
  })
).pipe(Layer.provide(DesktopPoliciesService.layer))
