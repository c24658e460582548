/** Objects that a configuration document manages: other changes to them are refused, or get a warning. */
import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import type { Caller } from "@orgplane/schema/shared/caller"
import type { Kind } from "@orgplane/schema/shared/configuration-document"
import { Forbidden } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Change, SystemActor } from "../audit/record.ts"
import type { Sql } from "../sql/client.ts"
import { findManaged } from "./managed-repo.ts"

/** The audit resource of each kind. */
const resources = {
  roles: "role",
  teams: "team",
  marketplaces: "marketplace",
  plugins: "plugin",
  assignments: "assignment",
  templates: "template",
  desktopPolicies: "desktop_policy",
  llmProviders: "llm_provider",
  mcpConnections: "mcp_connection",
  connectorAccounts: "connector",
  connectors: "connector",
  domains: "domain",
  ssoConnections: "sso",
  scimDirectories: "scim",
  webhookEndpoints: "webhook_endpoint",
  eventStreams: "event_stream"
} as const satisfies Readonly<Record<Kind, string>>

/** Delivery modes are fields of marketplaces, and config objects of plugins. */
type Resource = (typeof resources)[Kind] | "approval" | "configObject"
type ResourceAction = Extract<StoredAuditAction, `${Resource}.${string}`>

/**
 * Whether an action changes what a document describes, for each action of the resources that have a kind. The others, such
 * as syncs, tests and secrets, stay possible. An object that is created has no key yet.
 */
const describedChanges: Readonly<Record<ResourceAction, boolean>> = {
  "approval.set_instance_mode": false,
  "approval.set_marketplace_mode": true,
  "approval.update_settings": false,
  "assignment.create": false,
  "assignment.remove": true,
  "assignment.update": true,
  "configObject.archive": true,
  "configObject.attach_plugin": true,
  "configObject.create": true,
  "configObject.create_version": true,
  "configObject.detach_plugin": true,
  "configObject.grant": false,
  "configObject.remove": true,
  "configObject.restore": true,
  "configObject.restore_version": true,
  "configObject.revoke": false,
  "connector.apply": true,
  "connector.approve_sync": false,
  "connector.archive": true,
  "connector.complete_install": false,
  "connector.create": false,
  "connector.create_account": false,
  "connector.create_mapping": true,
  "connector.create_target": true,
  "connector.delete_mapping": true,
  "connector.disable": true,
  "connector.disconnect_account": true,
  "connector.enable": true,
  "connector.grant": true,
  "connector.reject_sync": false,
  "connector.remove": true,
  "connector.resync": false,
  "connector.retry_sync": false,
  "connector.revoke": true,
  "connector.rollback": false,
  "connector.rolled_back": false,
  "connector.set_auto_import": true,
  "connector.setup": false,
  "connector.start_install": false,
  "connector.sync": false,
  "connector.syncHeld": false,
  "connector.sync_failed": false,
  "connector.synced": false,
  "connector.update": true,
  "connector.update_mapping": true,
  "connector.update_target": true,
  "desktop_policy.create": false,
  "desktop_policy.remove": true,
  "desktop_policy.update": true,
  "domain.create": false,
  "domain.failing": false,
  "domain.lapsed": false,
  "domain.remove": true,
  "domain.verified": false,
  "domain.verify": false,
  "event_stream.create": false,
  "event_stream.pause": true,
  "event_stream.remove": true,
  "event_stream.resume": true,
  "event_stream.test": false,
  "event_stream.update": true,
  "llm_provider.connect": false,
  "llm_provider.create": false,
  "llm_provider.grant": true,
  "llm_provider.remove": true,
  "llm_provider.remove_credential": false,
  "llm_provider.revoke": true,
  "llm_provider.set_credential": false,
  "llm_provider.update": true,
  "marketplace.add_plugin": true,
  "marketplace.archive": true,
  "marketplace.create": false,
  "marketplace.create_link": false,
  "marketplace.grant": true,
  "marketplace.remove_plugin": true,
  "marketplace.restore": true,
  "marketplace.revoke": true,
  "marketplace.revoke_link": false,
  "marketplace.update": true,
  "mcp_connection.begin_tool_call": false,
  "mcp_connection.call_tool": false,
  "mcp_connection.connect": false,
  "mcp_connection.create": false,
  "mcp_connection.credential.reject": false,
  "mcp_connection.disconnect": false,
  "mcp_connection.drift": false,
  "mcp_connection.grant": true,
  "mcp_connection.remove": true,
  "mcp_connection.review": false,
  "mcp_connection.revoke": true,
  "mcp_connection.set_tool_policy": true,
  "mcp_connection.start_connect": false,
  "mcp_connection.update": true,
  "plugin.add_object": true,
  "plugin.archive": true,
  "plugin.create": false,
  "plugin.grant": true,
  "plugin.remove_object": true,
  "plugin.restore": true,
  "plugin.revoke": true,
  "plugin.update": true,
  "role.create": false,
  "role.remove": true,
  "role.update": true,
  "scim.approve_hold": false,
  "scim.create_directory": false,
  "scim.group_create": false,
  "scim.group_delete": false,
  "scim.group_update": false,
  "scim.reconcile": false,
  "scim.reject_hold": false,
  "scim.remove_directory": true,
  "scim.revoke_token": false,
  "scim.rotate_token": false,
  "scim.set_group_role": true,
  "scim.user_create": false,
  "scim.user_deactivate": false,
  "scim.user_delete": false,
  "scim.user_reactivate": false,
  "scim.user_update": false,
  "sso.callback": false,
  "sso.disable": false,
  "sso.enable": false,
  "sso.enforce": false,
  "sso.put_oidc": true,
  "sso.put_saml": true,
  "sso.remove": true,
  "sso.start": false,
  "sso.test": false,
  "team.add_member": true,
  "team.create": false,
  "team.remove": true,
  "team.remove_member": true,
  "team.update": true,
  "template.create": false,
  "template.create_version": true,
  "template.instantiate": false,
  "template.remove": true,
  "template.restore_version": true,
  "template.update": true,
  "webhook_endpoint.create": false,
  "webhook_endpoint.disable": false,
  "webhook_endpoint.pause": true,
  "webhook_endpoint.redeliver": false,
  "webhook_endpoint.remove": true,
  "webhook_endpoint.resume": true,
  "webhook_endpoint.rotate_secret": false,
  "webhook_endpoint.test": false,
  "webhook_endpoint.update": true
}

const described: ReadonlySet<string> = new Set(
  Object.entries(describedChanges).flatMap(([action, isDescribed]) => (isDescribed ? [action] : []))
)

/** Refuses a member's change to a managed object, or adds a warning to the response. Connectors and SCIM are not members. */
export const demandUnmanaged = (
  sql: Sql,
  caller: Caller | SystemActor,
  action: StoredAuditAction,
  { describedObjects, target }: Change
): Effect.Effect<void, SqlError> => {
  if (caller.kind !== "member" || !caller.hasManagedObjects || !described.has(action)) return Effect.void
  const objects = describedObjects ?? (target === null || target === undefined ? [] : [target])
  if (objects.length === 0) return Effect.void
  return Effect.flatMap(findManaged(sql, caller.organizationId, objects), (managed) => {
    if (managed === undefined) return Effect.void
    const object = `${managed.kind}/${managed.key}`
    if (managed.mode === "warn") {
      caller.request.responseState.headers["orgplane-warning"] = `A configuration document manages ${object}.`
      return Effect.void
    }
    // Every operation for members can fail with 403.
    return Effect.fail(
      new Forbidden({
        reason: "managed_by_configuration",
        message: `A configuration document manages ${object}. Change it there, and apply the document.`
      })
    ) as Effect.Effect<never>
  })
}
