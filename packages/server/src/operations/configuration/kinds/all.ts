import { ApprovalSettingsService } from "../../../content/approvals/settings-service.ts"
import { AssignmentsService } from "../../../content/assignments/service.ts"
import { ConfigObjectsService } from "../../../content/config-objects/service.ts"
import { MarketplacesService } from "../../../content/marketplaces/service.ts"
import { PluginsService } from "../../../content/plugins/service.ts"
import { RolloutsService } from "../../../content/rollouts/service.ts"
import { TemplatesService } from "../../../content/templates/service.ts"
import { OrganizationsService } from "../../../identity/organizations/service.ts"
import { RolesService } from "../../../identity/roles/service.ts"
import { TeamsService } from "../../../identity/teams/service.ts"
import { SqlDatabase } from "../../../infra/sql/client.ts"
import * as Effect from "effect/Effect"
import type { Kind } from "../kind.ts"
import { approvalSettingsKind } from "./approval-settings.ts"
import { assignmentsKind } from "./assignments.ts"
import { marketplacesKind } from "./marketplaces.ts"
import { organizationKind } from "./organization.ts"
import { pluginsKind } from "./plugins.ts"
import { rolesKind } from "./roles.ts"
import { rolloutSettingsKind } from "./rollout-settings.ts"
import { teamsKind } from "./teams.ts"
import { templatesKind } from "./templates.ts"

/** All kinds, in the order in which they are applied. */
export const makeKinds = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const approvalSettings = yield* ApprovalSettingsService
  const kinds: ReadonlyArray<Kind> = [
    organizationKind(sql, yield* OrganizationsService),
    rolesKind(sql, yield* RolesService),
    teamsKind(sql, yield* TeamsService),
    marketplacesKind(sql, yield* MarketplacesService, approvalSettings),
    pluginsKind(sql, yield* PluginsService, yield* ConfigObjectsService, yield* MarketplacesService),
    assignmentsKind(sql, yield* AssignmentsService),
    templatesKind(sql, yield* TemplatesService),
    rolloutSettingsKind(yield* RolloutsService),
    approvalSettingsKind(approvalSettings)
  ]
  return kinds
})
