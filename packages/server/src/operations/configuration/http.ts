import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { DesktopPoliciesService } from "../../enterprise/desktop-policies/service.ts"
import { OrganizationsService } from "../../identity/organizations/service.ts"
import { RolesService } from "../../identity/roles/service.ts"
import { TeamsService } from "../../identity/teams/service.ts"
import { forMember } from "../../infra/http/handlers.ts"
import { ConfigurationService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "configuration",
  Effect.fn(function* (handlers) {
    const configuration = yield* ConfigurationService
    return handlers.handleAll({
      export: forMember((caller, { query }) => configuration.exported(caller, query)),
      plan: forMember((caller, { payload }) => configuration.plan(caller, payload)),
      apply: forMember((caller, { payload }) => configuration.apply(caller, payload)),
      adopt: forMember((caller, { payload }) => configuration.adopt(caller, payload))
    })
  })
).pipe(
  Layer.provide(ConfigurationService.layer),
  Layer.provide([OrganizationsService.layer, RolesService.layer, TeamsService.layer, DesktopPoliciesService.layer])
)
