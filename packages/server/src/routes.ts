import * as Layer from "effect/Layer"
import * as access from "./identity/access/http.ts"
import * as admin from "./operations/admin/http.ts"
import * as apiKeys from "./identity/api-keys/http.ts"
import * as approvals from "./content/approvals/http.ts"
import * as assignments from "./content/assignments/http.ts"
import * as attention from "./operations/attention/http.ts"
import * as audit from "./identity/audit/http.ts"
import * as webhookEndpoints from "./identity/webhook-endpoints/http.ts"
import * as eventStreams from "./identity/event-streams/http.ts"
import * as events from "./identity/events/http.ts"
import * as bootstrap from "./identity/bootstrap/http.ts"
import * as capabilities from "./agents/capabilities/http.ts"
import * as configuration from "./operations/configuration/http.ts"
import * as configurationSource from "./operations/configuration-source/http.ts"
import * as configObjects from "./content/config-objects/http.ts"
import * as connectors from "./content/connectors/http.ts"
import * as desiredState from "./content/delivery/http.ts"
import * as devices from "./content/devices/http.ts"
import * as desktopPolicies from "./enterprise/desktop-policies/http.ts"
import { layerOwnDesktopPolicy } from "./enterprise/desktop-policies/service.ts"
import * as domains from "./enterprise/domains/http.ts"
import * as invitations from "./identity/invitations/http.ts"
import * as llmProviders from "./agents/llm-providers/http.ts"
import * as marketplaces from "./content/marketplaces/http.ts"
import * as mcpConnections from "./agents/mcp-connections/http.ts"
import * as members from "./identity/members/http.ts"
import * as memory from "./agents/memory/http.ts"
import * as organizations from "./identity/organizations/http.ts"
import * as plugins from "./content/plugins/http.ts"
import * as roles from "./identity/roles/http.ts"
import * as rollouts from "./content/rollouts/http.ts"
import * as search from "./operations/search/http.ts"
import * as scimProtocol from "./enterprise/scim-protocol/http.ts"
import * as scim from "./enterprise/scim/http.ts"
import * as sessions from "./identity/sessions/http.ts"
import * as sso from "./enterprise/sso/http.ts"
import * as system from "./operations/system/http.ts"
import * as teams from "./identity/teams/http.ts"
import * as telemetry from "./agents/telemetry/http.ts"
import * as templates from "./content/templates/http.ts"
import * as users from "./identity/users/http.ts"
import * as webhooks from "./content/webhooks/http.ts"
import * as workers from "./agents/workers/http.ts"

/** The handlers of all endpoints. */
export const routes = Layer.mergeAll(
  system.layer,
  bootstrap.layer,
  sessions.layer,
  sso.layer,
  users.layer.pipe(Layer.provide(layerOwnDesktopPolicy)),
  organizations.layer,
  members.layer,
  invitations.layer,
  roles.layer,
  teams.layer,
  apiKeys.layer,
  access.layer,
  audit.layer,
  events.layer,
  webhookEndpoints.layer,
  eventStreams.layer,
  connectors.layer,
  configuration.layer,
  configurationSource.layer,
  configObjects.layer,
  plugins.layer,
  marketplaces.layer,
  approvals.layer,
  assignments.layer,
  desiredState.layer.pipe(Layer.provide(layerOwnDesktopPolicy)),
  devices.layer,
  rollouts.layer,
  desktopPolicies.layer,
  templates.layer,
  mcpConnections.layer,
  llmProviders.layer,
  capabilities.layer,
  memory.layer,
  telemetry.layer,
  attention.layer,
  search.layer,
  admin.layer,
  scim.layer,
  scimProtocol.layer,
  webhooks.layer,
  workers.layer,
  domains.layer
)
