import * as Layer from "effect/Layer"
import * as access from "./access/http.ts"
import * as admin from "./admin/http.ts"
import * as apiKeys from "./api-keys/http.ts"
import * as audit from "./audit/http.ts"
import * as bootstrap from "./bootstrap/http.ts"
import * as capabilities from "./capabilities/http.ts"
import * as configObjects from "./config-objects/http.ts"
import * as connectors from "./connectors/http.ts"
import * as desktopPolicies from "./desktop-policies/http.ts"
import * as domains from "./domains/http.ts"
import * as invitations from "./invitations/http.ts"
import * as llmProviders from "./llm-providers/http.ts"
import * as marketplaces from "./marketplaces/http.ts"
import * as mcpConnections from "./mcp-connections/http.ts"
import * as members from "./members/http.ts"
import * as memory from "./memory/http.ts"
import * as organizations from "./organizations/http.ts"
import * as plugins from "./plugins/http.ts"
import * as roles from "./roles/http.ts"
import * as scimProtocol from "./scim-protocol/http.ts"
import * as scim from "./scim/http.ts"
import * as sessions from "./sessions/http.ts"
import * as sso from "./sso/http.ts"
import * as system from "./system/http.ts"
import * as teams from "./teams/http.ts"
import * as telemetry from "./telemetry/http.ts"
import * as templates from "./templates/http.ts"
import * as users from "./users/http.ts"
import * as webhooks from "./webhooks/http.ts"
import * as workers from "./workers/http.ts"

/** Every room of the house. */
export const rooms = Layer.mergeAll(
  system.layer,
  bootstrap.layer,
  sessions.layer,
  sso.layer,
  users.layer,
  organizations.layer,
  members.layer,
  invitations.layer,
  roles.layer,
  teams.layer,
  apiKeys.layer,
  access.layer,
  audit.layer,
  connectors.layer,
  configObjects.layer,
  plugins.layer,
  marketplaces.layer,
  desktopPolicies.layer,
  templates.layer,
  mcpConnections.layer,
  llmProviders.layer,
  capabilities.layer,
  memory.layer,
  telemetry.layer,
  admin.layer,
  scim.layer,
  scimProtocol.layer,
  webhooks.layer,
  workers.layer,
  domains.layer
)
