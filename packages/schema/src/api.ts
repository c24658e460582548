/** The whole contract as one value. The server implements it; the clients and the documents are derived from it. */
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as AccessGroup from "./access.ts"
import * as Admin from "./admin.ts"
import * as ApiKeys from "./api-keys.ts"
import * as Approvals from "./approvals.ts"
import * as Assignments from "./assignments.ts"
import * as Attention from "./attention.ts"
import * as Audit from "./audit.ts"
import * as Events from "./events.ts"
import * as EventStreams from "./event-streams.ts"
import * as Bootstrap from "./bootstrap.ts"
import * as Capabilities from "./capabilities.ts"
import * as Configuration from "./configuration.ts"
import * as ConfigurationRuns from "./configuration-runs.ts"
import * as ConfigurationSource from "./configuration-source.ts"
import * as ConfigObjects from "./config-objects.ts"
import * as ConnectorAccounts from "./connector-accounts.ts"
import * as ConnectorOperations from "./connector-operations.ts"
import * as Connectors from "./connectors.ts"
import * as Delivery from "./delivery.ts"
import * as DesiredState from "./desired-state.ts"
import * as DesktopPolicies from "./desktop-policies.ts"
import * as Invitations from "./invitations.ts"
import * as LlmCatalog from "./llm-catalog.ts"
import * as LlmConnect from "./llm-connect.ts"
import * as LlmProviders from "./llm-providers.ts"
import * as MarketplaceLinks from "./marketplace-links.ts"
import * as Marketplaces from "./marketplaces.ts"
import * as McpConnect from "./mcp-connect.ts"
import * as McpConnections from "./mcp-connections.ts"
import * as McpResolve from "./mcp-resolve.ts"
import * as McpTools from "./mcp-tools.ts"
import * as Members from "./members.ts"
import * as Memory from "./memory.ts"
import * as Organizations from "./organizations.ts"
import * as Plugins from "./plugins.ts"
import * as Roles from "./roles.ts"
import * as Rollouts from "./rollouts.ts"
import * as ScimProtocol from "./scim-protocol.ts"
import * as Scim from "./scim.ts"
import * as Search from "./search.ts"
import * as Sessions from "./sessions.ts"
import { Authentication, Validation } from "./shared/access.ts"
import { exact } from "./shared/openapi.ts"
import * as SsoDomains from "./sso-domains.ts"
import * as Sso from "./sso.ts"
import * as System from "./system.ts"
import * as Teams from "./teams.ts"
import * as TelemetryAnalytics from "./telemetry-analytics.ts"
import * as Telemetry from "./telemetry.ts"
import * as Templates from "./templates.ts"
import * as Users from "./users.ts"
import * as WebhookEndpoints from "./webhook-endpoints.ts"
import * as Webhooks from "./webhooks.ts"
import * as Workers from "./workers.ts"

// Groups with endpoints of several modules.
const connectors = Connectors.group.add(...ConnectorOperations.endpoints, ...ConnectorAccounts.endpoints)
const marketplaces = Marketplaces.group.add(...MarketplaceLinks.endpoints)
const mcpConnections = McpConnections.group.add(
  ...McpTools.endpoints,
  ...McpTools.callEndpoints,
  ...McpConnect.endpoints,
  ...McpResolve.endpoints
)
const llmProviders = LlmProviders.group.add(...LlmCatalog.endpoints, ...LlmConnect.endpoints)
const telemetry = Telemetry.group.add(...TelemetryAnalytics.endpoints)

type Groups =
  | typeof System.group
  | typeof Bootstrap.group
  | typeof Sessions.group
  | typeof Sso.group
  | typeof Users.group
  | typeof Organizations.group
  | typeof Members.group
  | typeof Invitations.group
  | typeof Roles.group
  | typeof Teams.group
  | typeof ApiKeys.group
  | typeof AccessGroup.group
  | typeof Audit.group
  | typeof Events.group
  | typeof WebhookEndpoints.group
  | typeof EventStreams.group
  | typeof connectors
  | typeof Configuration.group
  | typeof ConfigurationSource.group
  | typeof ConfigurationRuns.group
  | typeof ConfigObjects.group
  | typeof Plugins.group
  | typeof marketplaces
  | typeof Approvals.group
  | typeof Assignments.group
  | typeof DesiredState.group
  | typeof Delivery.group
  | typeof Rollouts.group
  | typeof DesktopPolicies.group
  | typeof Templates.group
  | typeof mcpConnections
  | typeof llmProviders
  | typeof Capabilities.group
  | typeof Memory.group
  | typeof telemetry
  | typeof Attention.group
  | typeof Search.group
  | typeof Admin.group
  | typeof Scim.group
  | typeof ScimProtocol.group
  | typeof Webhooks.group
  | typeof Workers.group
  | typeof SsoDomains.group

/** Without this type, the compiler would write the inferred one into the declarations, each time in another order. */
type Contract = HttpApi.HttpApi<
  "orgplane",
  HttpApiGroup.AddMiddleware<HttpApiGroup.AddMiddleware<Groups, Validation>, Authentication>
>

const contract: Contract = HttpApi.make("orgplane")
  .add(
    System.group,
    Bootstrap.group,
    Sessions.group,
    Sso.group,
    Users.group,
    Organizations.group,
    Members.group,
    Invitations.group,
    Roles.group,
    Teams.group,
    ApiKeys.group,
    AccessGroup.group,
    Audit.group,
    Events.group,
    WebhookEndpoints.group,
    EventStreams.group,
    Configuration.group,
    ConfigurationSource.group,
    ConfigurationRuns.group,
    connectors,
    ConfigObjects.group,
    Plugins.group,
    marketplaces,
    Approvals.group,
    Assignments.group,
    DesiredState.group,
    Delivery.group,
    Rollouts.group,
    DesktopPolicies.group,
    Templates.group,
    mcpConnections,
    llmProviders,
    Capabilities.group,
    Memory.group,
    telemetry,
    Attention.group,
    Search.group,
    Admin.group,
    Scim.group,
    ScimProtocol.group,
    Webhooks.group,
    Workers.group,
    SsoDomains.group
  )
  .middleware(Validation)
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "orgplane",
      version: "dev",
      description: "The control plane for organizations whose members work with AI agents.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }
    })
  )
  // Report all errors in a request, not only the first one.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  // Responses are expected to be valid; encoding is faster when it stops at the first error.
  .annotate(HttpApi.SuccessParseOptions, {})
  .annotate(HttpApi.ErrorParseOptions, {})

const described: Contract = contract.annotate(OpenApi.Transform, exact(contract))

/** The HTTP API of the control plane. */
export class OrgplaneApi extends described {}
