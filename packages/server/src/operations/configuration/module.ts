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
import { SsoService } from "../../enterprise/sso/service.ts"
import { OrganizationsService } from "../../identity/organizations/service.ts"
import { RolesService } from "../../identity/roles/service.ts"
import { TeamsService } from "../../identity/teams/service.ts"
import { ConfigurationService } from "./service.ts"

export const layer = ConfigurationService.layer.pipe(
  Layer.provide([OrganizationsService.layer, RolesService.layer, TeamsService.layer]),
  Layer.provide([AssignmentsService.layer, ApprovalSettingsService.layer, RolloutsService.layer]),
  Layer.provide([MarketplacesService.layer, TemplatesService.layer]),
  Layer.provide([PluginsService.layer, ConfigObjectsService.layer]),
  Layer.provide([DesktopPoliciesService.layer, DomainsService.layer, SsoService.layer])
)
