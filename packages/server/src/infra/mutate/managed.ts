/** Objects that a configuration document manages: other changes to them are refused, or get a warning. */
import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import type { Caller } from "@orgplane/schema/shared/caller"
import { Forbidden } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { SystemActor } from "../audit/record.ts"
import type { Sql } from "../sql/client.ts"
import { findManaged } from "./managed-repo.ts"

/** Changes to what a document describes. Others, such as syncs, tests and secrets, stay possible. */
const describedChanges: ReadonlySet<StoredAuditAction> = new Set<StoredAuditAction>([
  "assignment.remove",
  "assignment.update",
  "configObject.create_version",
  "configObject.detach_plugin",
  "configObject.grant",
  "configObject.remove",
  "configObject.restore",
  "configObject.restore_version",
  "configObject.revoke",
  "connector.create_mapping",
  "connector.create_target",
  "connector.delete_mapping",
  "connector.disable",
  "connector.disconnect_account",
  "connector.enable",
  "connector.grant",
  "connector.remove",
  "connector.revoke",
  "connector.set_auto_import",
  "connector.update",
  "connector.update_mapping",
  "connector.update_target",
  "desktop_policy.remove",
  "desktop_policy.update",
  "domain.remove",
  "event_stream.remove",
  "event_stream.update",
  "llm_provider.grant",
  "llm_provider.remove",
  "llm_provider.revoke",
  "llm_provider.update",
  "marketplace.add_plugin",
  "marketplace.archive",
  "marketplace.grant",
  "marketplace.remove_plugin",
  "marketplace.restore",
  "marketplace.revoke",
  "marketplace.update",
  "mcp_connection.grant",
  "mcp_connection.remove",
  "mcp_connection.revoke",
  "mcp_connection.set_tool_policy",
  "mcp_connection.update",
  "plugin.add_object",
  "plugin.archive",
  "plugin.grant",
  "plugin.remove_object",
  "plugin.restore",
  "plugin.revoke",
  "plugin.update",
  "role.remove",
  "role.update",
  "rollout.update_settings",
  "scim.remove_directory",
  "scim.set_group_role",
  "sso.disable",
  "sso.enable",
  "sso.enforce",
  "sso.put_oidc",
  "sso.put_saml",
  "sso.remove",
  "team.add_member",
  "team.remove",
  "team.remove_member",
  "team.update",
  "template.create_version",
  "template.remove",
  "template.restore_version",
  "template.update",
  "webhook_endpoint.remove",
  "webhook_endpoint.update"
])

/** Refuses a member's change to a managed object, or adds a warning to the response. Connectors and SCIM are not members. */
export const demandUnmanaged = (
  sql: Sql,
  caller: Caller | SystemActor,
  action: StoredAuditAction,
  target: string | null | undefined
): Effect.Effect<void, SqlError> => {
  if (caller.kind !== "member" || !caller.hasManagedObjects || !describedChanges.has(action)) return Effect.void
  if (target === null || target === undefined) return Effect.void
  return Effect.flatMap(findManaged(sql, caller.organizationId, target), (managed) => {
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
