import * as Effect from "effect/Effect"
import type { Id } from "@orgplane/schema/shared/ids"
import { leaveOrganization } from "../../identity/sessions/repo.ts"
import type { Sql } from "../../infra/sql/client.ts"

/**
 * The tables of an organization, in an order that satisfies their foreign keys. The audit log is kept, because it must
 * cover removed organizations.
 */
const tables = [
  "scim_log",
  "scim_deactivations",
  "scim_held_users",
  "scim_holds",
  "scim_group_members",
  "scim_groups",
  "scim_users",
  "scim_tokens",
  "scim_directories",
  "desktop_policy_members",
  "desktop_policy_teams",
  "desktop_policies",
  "assignment_members",
  "assignment_teams",
  "assignments",
  "plugin_choices",
  "desired_state_revisions",
  "desired_plugin_sets",
  "devices",
  "removed_devices",
  "device_reports",
  "delivery_days",
  "release_outcomes",
  "event_streams",
  "webhook_attempts",
  "webhook_messages",
  "webhook_bodies",
  "webhook_secrets",
  "webhook_endpoints",
  "configuration_keys",
  "configuration_runs",
  "configuration_sources",
  "memory_words",
  "memories",
  "worker_activity",
  "worker_instances",
  "llm_providers",
  "worker_tokens",
  "workers",
  "mcp_tool_looks",
  "mcp_tools",
  "mcp_connections",
  "sso_assertions",
  "sso_identities",
  "sso_sign_ins",
  "sso_connections",
  "oauth_states",
  "oauth_credentials",
  "oauth_clients",
  "rollout_steps",
  "rollout_rings",
  "rollouts",
  "rollout_settings",
  "webhook_deliveries",
  "sync_staged",
  "plugin_release_approvals",
  "plugin_release_checks",
  "plugin_release_files",
  "plugin_release_objects",
  "plugin_releases",
  "plugin_files",
  "plugin_file_blobs",
  "published_files",
  "published_plugins",
  "published_mappings",
  "target_publications",
  "source_bindings",
  "sync_events",
  "discovery_tree_chunks",
  "discoveries",
  "remote_trees",
  "connector_mappings",
  "connector_targets",
  "connector_instances",
  "connector_accounts",
  "connector_installs",
  "template_instances",
  "template_versions",
  "templates",
  "marketplace_links",
  "marketplace_plugin_names",
  "marketplace_names",
  "marketplace_memberships",
  "plugin_memberships",
  "marketplaces",
  "plugin_archives",
  "plugins",
  "config_object_versions",
  "config_objects",
  "grants",
  "domains",
  "sealed_values",
  "claims",
  "invitations",
  "api_keys",
  "roles",
  "team_members",
  "teams",
  "memberships",
  "storage_changes",
  "storage_usage"
]

/** Like `tables`, for partitioned tables. */
const partitioned = ["telemetry_events", "telemetry_ledger"]

/** Tables that the telemetry summary writes, possibly while the purge runs. */
const summed = [
  "telemetry_days",
  "telemetry_user_days",
  "telemetry_user_totals",
  "telemetry_user_periods",
  "telemetry_duration_days",
  "telemetry_dimensions",
  "telemetry_first_days",
  "release_uses",
  "activity_days"
]

const rowsMax = 5000
/** Maximum rows per statement for tables whose rows are whole files of several megabytes. */
const fileRowsMax = 100

/** Organizations to purge: expired unclaimed workspaces immediately, others thirty days after their removal. */
export const findEnded = (sql: Sql) =>
  sql<{ id: Id<"org"> }>`SELECT id FROM organizations
    WHERE deleted_at IS NOT NULL AND (provisional_until IS NOT NULL OR deleted_at < now() - interval '30 days')
    ORDER BY id LIMIT 20`

/** Deletes everything of an ended organization, a few thousand rows per statement, then the organization itself. */
export const purge = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">) {
  const empty = (table: string) => {
    const max = table === "plugin_file_blobs" ? fileRowsMax : rowsMax
    return sql`DELETE FROM ${sql(table)} WHERE ctid IN (
        SELECT ctid FROM ${sql(table)} WHERE organization_id = ${organizationId} LIMIT ${max}) RETURNING 1 AS one`.pipe(
      Effect.repeat({ while: (rows) => rows.length === max })
    )
  }
  // Users that the organization's directories created, who have no email address and belong to no other organization.
  const provisioned = yield* sql<{ user_id: string }>`SELECT DISTINCT r.user_id FROM scim_users r
    JOIN users u ON u.id = r.user_id AND u.email IS NULL
    WHERE r.organization_id = ${organizationId}`
  yield* Effect.forEach(tables, empty, { discard: true })
  for (const table of partitioned) {
    // Rows in two partitions can have the same ctid, so it is compared together with the table.
    const step = sql`DELETE FROM ${sql(table)} WHERE organization_id = ${organizationId} AND (tableoid, ctid) IN (
        SELECT tableoid, ctid FROM ${sql(table)} WHERE organization_id = ${organizationId} LIMIT ${rowsMax})
        RETURNING 1 AS one`
    yield* step.pipe(Effect.repeat({ while: (rows) => rows.length === rowsMax }))
  }
  yield* Effect.forEach(summed, empty, { discard: true })
  // User sessions stay valid; sessions and keys of this organization end with it.
  yield* leaveOrganization(sql, organizationId, null)
  const agents = yield* sql<{ user_id: string }>`DELETE FROM sessions WHERE organization_id = ${organizationId}
    RETURNING user_id`
  // Deletes rows that the summary has added in the meantime, together with the organization. The summary does not add
  // rows for an organization that does not exist.
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT 1 AS one FROM telemetry_summary FOR UPDATE`
      for (const table of summed) yield* sql`DELETE FROM ${sql(table)} WHERE organization_id = ${organizationId}`
      yield* sql`DELETE FROM organizations WHERE id = ${organizationId}`
    })
  )
  yield* sql`DELETE FROM users u WHERE u.id IN (SELECT jsonb_array_elements_text(${sql.json([...agents, ...provisioned].map((row) => row.user_id))}))
    AND u.email IS NULL
    AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id)
    AND NOT EXISTS (SELECT 1 FROM scim_users r WHERE r.user_id = u.id)
    AND NOT EXISTS (SELECT 1 FROM sso_identities i WHERE i.user_id = u.id)
    AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = u.id)
    AND NOT EXISTS (SELECT 1 FROM user_subjects s WHERE s.user_id = u.id)`
})
