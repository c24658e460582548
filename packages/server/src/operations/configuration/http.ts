import { OrgplaneApi } from "@orgplane/schema/api"
import { documentJsonSchema } from "@orgplane/schema/shared/configuration-document"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { ApprovalSettingsService } from "../../content/approvals/settings-service.ts"
import { AssignmentsService } from "../../content/assignments/service.ts"
import { ConfigObjectsService } from "../../content/config-objects/service.ts"
import { MarketplacesService } from "../../content/marketplaces/service.ts"
import { PluginsService } from "../../content/plugins/service.ts"
import { RolloutsService } from "../../content/rollouts/service.ts"
import { TemplatesService } from "../../content/templates/service.ts"
import { DomainsService } from "../../enterprise/domains/service.ts"
import { DesktopPoliciesService } from "../../enterprise/desktop-policies/service.ts"
import { ScimService } from "../../enterprise/scim/service.ts"
import { SsoService } from "../../enterprise/sso/service.ts"
import { EventStreamsService } from "../../identity/event-streams/service.ts"
import { MembersService } from "../../identity/members/service.ts"
import { OrganizationsService } from "../../identity/organizations/service.ts"
import { RolesService } from "../../identity/roles/service.ts"
import { TeamsService } from "../../identity/teams/service.ts"
import { WebhookEndpointsService } from "../../identity/webhook-endpoints/service.ts"
import { forMember } from "../../infra/http/handlers.ts"
import { ConfigurationService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "configuration",
  Effect.fn(function* (handlers) {
    const configuration = yield* ConfigurationService
    let schema: ReturnType<typeof documentJsonSchema> | undefined
    return handlers.handleAll({
      export: forMember((caller, { query }) => configuration.exported(caller, query)),
      plan: forMember((caller, { payload }) => configuration.plan(caller, payload)),
      apply: forMember((caller, { payload }) => configuration.apply(caller, payload)),
      adopt: forMember((caller, { payload }) => configuration.adopt(caller, payload)),
      schema: () => Effect.sync(() => (schema ??= documentJsonSchema()) as unknown as JsonObject)
    })
  })
).pipe(
  Layer.provide(ConfigurationService.layer),
  Layer.provide([OrganizationsService.layer, MembersService.layer, RolesService.layer, TeamsService.layer]),
  Layer.provide([WebhookEndpointsService.layer, EventStreamsService.layer]),
  Layer.provide([AssignmentsService.layer, ApprovalSettingsService.layer, RolloutsService.layer]),
  Layer.provide([MarketplacesService.layer, TemplatesService.layer]),
  Layer.provide([PluginsService.layer, ConfigObjectsService.layer]),
  Layer.provide([DesktopPoliciesService.layer, DomainsService.layer, SsoService.layer, ScimService.layer])
)
