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
import { ConfigurationService } from "./service.ts"

export const layer = ConfigurationService.layer.pipe(
  Layer.provide([OrganizationsService.layer, MembersService.layer, RolesService.layer, TeamsService.layer]),
  Layer.provide([WebhookEndpointsService.layer, EventStreamsService.layer]),
  Layer.provide([AssignmentsService.layer, ApprovalSettingsService.layer, RolloutsService.layer]),
  Layer.provide([MarketplacesService.layer, TemplatesService.layer]),
  Layer.provide([PluginsService.layer, ConfigObjectsService.layer]),
  Layer.provide([DesktopPoliciesService.layer, DomainsService.layer, SsoService.layer, ScimService.layer])
)
