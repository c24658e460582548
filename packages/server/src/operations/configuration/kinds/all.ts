import { LlmConnectService } from "../../../agents/llm-providers/connect-service.ts"
import { LlmProvidersService } from "../../../agents/llm-providers/service.ts"
import { McpConnectService } from "../../../agents/mcp-connections/connect-service.ts"
import { McpConnectionsService } from "../../../agents/mcp-connections/service.ts"
import { McpToolsService } from "../../../agents/mcp-connections/tools-service.ts"
import { OAuthTokens } from "../../../agents/oauth/index.ts"
import { ApprovalSettingsService } from "../../../content/approvals/settings-service.ts"
import { AssignmentsService } from "../../../content/assignments/service.ts"
import { ConfigObjectsService } from "../../../content/config-objects/service.ts"
import { AccountsService } from "../../../content/connectors/accounts-service.ts"
import { ConnectService } from "../../../content/connectors/connect-service.ts"
import { MappingsService } from "../../../content/connectors/mappings-service.ts"
import { openCredential } from "../../../content/connectors/repository.ts"
import { ConnectorsService } from "../../../content/connectors/service.ts"
import { TargetsService } from "../../../content/connectors/targets-service.ts"
import { MarketplacesService } from "../../../content/marketplaces/service.ts"
import { PluginsService } from "../../../content/plugins/service.ts"
import { RolloutsService } from "../../../content/rollouts/service.ts"
import { TemplatesService } from "../../../content/templates/service.ts"
import { DesktopPoliciesService } from "../../../enterprise/desktop-policies/service.ts"
import { DomainsService } from "../../../enterprise/domains/service.ts"
import { ScimService } from "../../../enterprise/scim/service.ts"
import { SsoService } from "../../../enterprise/sso/service.ts"
import { EventStreamsService } from "../../../identity/event-streams/service.ts"
import { MembersService } from "../../../identity/members/service.ts"
import { OrganizationsService } from "../../../identity/organizations/service.ts"
import { RolesService } from "../../../identity/roles/service.ts"
import { TeamsService } from "../../../identity/teams/service.ts"
import { WebhookEndpointsService } from "../../../identity/webhook-endpoints/service.ts"
import { KeyRing } from "../../../infra/crypto/key-ring.ts"
import { SqlDatabase } from "../../../infra/sql/client.ts"
import * as Effect from "effect/Effect"
import type { Kind } from "../kind.ts"
import { approvalSettingsKind } from "./approval-settings.ts"
import { assignmentsKind } from "./assignments.ts"
import { connectorAccountsKind } from "./connector-accounts.ts"
import { connectorsKind } from "./connectors.ts"
import { desktopPoliciesKind } from "./desktop-policies.ts"
import { domainsKind } from "./domains.ts"
import { eventStreamsKind } from "./event-streams.ts"
import { llmProvidersKind } from "./llm-providers.ts"
import { marketplacesKind } from "./marketplaces.ts"
import { mcpConnectionsKind } from "./mcp-connections.ts"
import { memberRolesKind } from "./member-roles.ts"
import { organizationKind } from "./organization.ts"
import { pluginsKind } from "./plugins.ts"
import { rolesKind } from "./roles.ts"
import { rolloutSettingsKind } from "./rollout-settings.ts"
import { scimDirectoriesKind } from "./scim-directories.ts"
import { ssoConnectionsKind } from "./sso-connections.ts"
import { teamsKind } from "./teams.ts"
import { templatesKind } from "./templates.ts"
import { webhookEndpointsKind } from "./webhook-endpoints.ts"

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
    desktopPoliciesKind(sql, yield* DesktopPoliciesService),
    llmProvidersKind(sql, yield* LlmProvidersService, yield* LlmConnectService, yield* OAuthTokens),
    mcpConnectionsKind(
      sql,
      yield* McpConnectionsService,
      yield* McpConnectService,
      yield* McpToolsService,
      yield* OAuthTokens
    ),
    connectorAccountsKind(sql, yield* AccountsService),
    connectorsKind(
      sql,
      yield* ConnectorsService,
      yield* ConnectService,
      yield* TargetsService,
      yield* MappingsService,
      yield* openCredential
    ),
    domainsKind(sql, yield* DomainsService),
    ssoConnectionsKind(sql, yield* SsoService, yield* KeyRing),
    scimDirectoriesKind(sql, yield* ScimService),
    webhookEndpointsKind(sql, yield* WebhookEndpointsService),
    eventStreamsKind(sql, yield* EventStreamsService),
    rolloutSettingsKind(yield* RolloutsService),
    approvalSettingsKind(approvalSettings),
    // Last, because it can take the caller's own permissions.
    memberRolesKind(sql, yield* MembersService)
  ]
  return kinds
})
