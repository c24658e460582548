import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"
import { expiringSince } from "../../infra/sql/expiring.ts"

interface HoldRow extends AttentionRow {
  readonly count: number
  readonly active_before: number
}

interface RefusedRow extends AttentionRow {
  readonly method: string
  readonly status: number
  readonly detail: string | null
}

const permissions = ["scim:read", "scim:manage"] as const
const tokenSince = expiringSince("t.created_at", "t.expires_at")

/** SCIM directories that need attention. */
export const attention = [
  attentionSource<HoldRow>(
    "scim_approval",
    permissions,
    (sql, { organizationId }, { limit }) =>
      sql`SELECT h.id, d.name, d.id AS parent_id, h.created_at AS since, NULL::timestamptz AS expires_at, h.active_before,
          (SELECT count(*)::int FROM scim_held_users u WHERE u.organization_id = h.organization_id AND u.hold_id = h.id)
            AS count
        FROM scim_directories d
        JOIN scim_holds h ON h.organization_id = d.organization_id AND h.directory_id = d.id AND h.status = 'pending'
        WHERE d.organization_id = ${organizationId} AND d.removed_at IS NULL
        ORDER BY since, h.id LIMIT ${limit}`,
    ({ active_before: activeBefore, count }) => `${count} of ${activeBefore} active users would be deactivated.`
  ),
  attentionSource<RefusedRow>(
    "scim_failing",
    permissions,
    (sql, { organizationId }, { limit }) =>
      sql`SELECT d.id, d.name, NULL::text AS parent_id, e.created_at AS since, NULL::timestamptz AS expires_at, e.method,
          e.status, e.detail
        FROM scim_directories d
        CROSS JOIN LATERAL (SELECT l.decision, l.method, l.status, l.detail, l.created_at FROM scim_log l
          WHERE l.organization_id = ${organizationId} AND l.directory_id = d.id AND l.decision <> 'read'
          ORDER BY l.id DESC LIMIT 1) e
        WHERE d.organization_id = ${organizationId} AND d.removed_at IS NULL AND e.decision = 'refused'
        ORDER BY since, d.id LIMIT ${limit}`,
    ({ detail, method, status }) => `${method} returned ${status}${detail === null ? "." : `: ${detail}`}`
  ),
  attentionSource(
    "scim_token_expiring",
    permissions,
    (sql, { organizationId }, { limit }) =>
      sql<AttentionRow>`SELECT d.id, d.name, NULL::text AS parent_id, ${sql.literal(tokenSince)} AS since, t.expires_at
        FROM scim_directories d
        CROSS JOIN LATERAL (SELECT k.created_at, k.expires_at FROM scim_tokens k
          WHERE k.organization_id = ${organizationId} AND k.directory_id = d.id AND k.revoked_at IS NULL
          ORDER BY k.expires_at DESC LIMIT 1) t
        WHERE d.organization_id = ${organizationId} AND d.removed_at IS NULL AND ${sql.literal(tokenSince)} <= now()
        ORDER BY since, d.id LIMIT ${limit}`
  )
]
