/** The types of events: the actions of the audit log, and who can see events of each type. */
import { type AuditAction, auditActions } from "./audit-actions.ts"
import type { Permission } from "./permissions.ts"

/** The resource of an action: the part of its name before the first dot. */
export type EventResource = AuditAction extends `${infer Resource}.${string}` ? Resource : never

/**
 * What a reader of events needs to see those of a resource: a permission, or `self`: only the person who acted sees them,
 * because they are about personal data.
 */
const visibilities = {
  access: "audit:read",
  api_key: "apiKeys:read",
  approval: "approvals:read",
  assignment: "assignments:read",
  bootstrap: "organizations:read",
  capability: "self",
  config_object: "configObjects:read",
  configuration: "organizations:read",
  connector: "connectors:read",
  desktop_policy: "desktopPolicies:read",
  device: "delivery:read",
  domain: "sso:read",
  event_stream: "eventStreams:read",
  invitation: "invitations:read",
  llm_provider: "llmProviders:read",
  marketplace: "marketplaces:read",
  mcp_connection: "mcpConnections:read",
  member: "members:read",
  memory: "self",
  organization: "organizations:read",
  platform: "organizations:read",
  plugin: "plugins:read",
  plugin_choice: "assignments:read",
  release: "approvals:read",
  role: "roles:read",
  rollout: "rollouts:read",
  scim: "scim:read",
  secret: "organizations:manage",
  session: "audit:read",
  sso: "sso:read",
  team: "teams:read",
  template: "templates:read",
  user: "members:read",
  webhook: "webhooks:read",
  webhook_endpoint: "webhookEndpoints:read",
  worker: "workers:read"
} as const satisfies Readonly<Record<EventResource, Permission | "self">>

export type EventVisibility = Permission | "self"

/** The resource that events of a type are about. */
export const eventResourceOf = (type: AuditAction) => type.slice(0, type.indexOf(".")) as EventResource

/** Who can see events of a type. */
export const eventVisibilityOf = (type: AuditAction): EventVisibility => visibilities[eventResourceOf(type)]

/** Every type of event, in alphabetical order: the action of the audit event. */
export const eventTypes: ReadonlyArray<AuditAction> = auditActions

/** The types that a reader with these permissions can see. Events about personal data are not among them. */
export const visibleEventTypes = (permissions: ReadonlySet<Permission>): ReadonlyArray<AuditAction> =>
  eventTypes.filter((type) => {
    const visibility = eventVisibilityOf(type)
    return visibility !== "self" && permissions.has(visibility)
  })

/** The types that only the person who acted can see. */
export const personalEventTypes: ReadonlyArray<AuditAction> = eventTypes.filter(
  (type) => eventVisibilityOf(type) === "self"
)
