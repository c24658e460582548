import { grantedLevelOf, levelOf, levels } from "../../identity/grants/index.ts"
import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"
import { credentialOf } from "./repo.ts"

interface ReviewRow extends AttentionRow {
  readonly drift_is_whole: boolean
}

interface DisconnectedRow extends AttentionRow {
  readonly status: string | null
  readonly status_reason: string | null
}

/** MCP connections that need attention. */
export const attention = [
  attentionSource<ReviewRow>(
    "mcp_review",
    ["mcpConnections:read", "mcpConnections:write"],
    (sql, caller, { limit }) =>
      sql`SELECT m.id, m.name, NULL::text AS parent_id, m.drift_detected_at AS since, NULL::timestamptz AS expires_at,
          m.drift_is_whole
        FROM mcp_connections m
        WHERE m.organization_id = ${caller.organizationId} AND m.deleted_at IS NULL AND m.drift_detected_at IS NOT NULL
          AND m.drift_decision IS NULL
          AND ${levelOf(sql, caller, "mcpConnection", sql`m.id`)} >= ${sql.literal(String(levels.manager))}
        ORDER BY since, m.id LIMIT ${limit}`,
    ({ drift_is_whole: isWhole }) =>
      isWhole ? "The server uses another authorization server." : "The tools of the server changed."
  ),
  attentionSource<DisconnectedRow>(
    "mcp_connection_disconnected",
    ["mcpConnections:read"],
    (sql, caller, { limit }) =>
      sql`SELECT m.id, m.name, NULL::text AS parent_id, coalesce(c.updated_at, m.created_at) AS since,
          NULL::timestamptz AS expires_at, c.status, c.status_reason
        FROM mcp_connections m ${credentialOf(sql, caller)}
        WHERE m.organization_id = ${caller.organizationId} AND m.deleted_at IS NULL AND m.auth_type <> 'none'
          AND c.status IS DISTINCT FROM 'ready'
          AND CASE m.credential_mode
            WHEN 'shared' THEN ${levelOf(sql, caller, "mcpConnection", sql`m.id`)} >= ${sql.literal(String(levels.manager))}
            ELSE c.status IS NOT NULL AND ${grantedLevelOf(sql, caller, "mcpConnection", sql`m.id`)} > 0 END
        ORDER BY since, m.id LIMIT ${limit}`,
    ({ status, status_reason: reason }) =>
      status === null ? "The shared credential is missing." : (reason ?? "The credential no longer works.")
  )
]
