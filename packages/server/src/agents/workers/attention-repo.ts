import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"
import { expiringSince } from "../../infra/sql/expiring.ts"

const since = expiringSince("t.created_at", "t.expires_at")

/** Workers that need attention. Only those whose tokens the caller can see. */
export const attention = [
  attentionSource(
    "worker_token_expiring",
    ["workers:read", "workers:write"],
    (sql, { isAdmin, organizationId, permissions, principal }, { limit }) => {
      const isManaged =
        isAdmin || (principal.kind === "key" && permissions.has("workers:manage"))
          ? sql`TRUE`
          : principal.kind === "session"
            ? sql`w.created_by_membership_id = ${principal.membershipId}`
            : sql`FALSE`
      return sql<AttentionRow>`SELECT w.id, w.name, NULL::text AS parent_id, ${sql.literal(since)} AS since, t.expires_at
        FROM workers w
        CROSS JOIN LATERAL (SELECT wt.created_at, wt.expires_at FROM worker_tokens wt
          WHERE wt.organization_id = ${organizationId} AND wt.worker_id = w.id AND wt.revoked_at IS NULL
          ORDER BY wt.expires_at DESC LIMIT 1) t
        WHERE w.organization_id = ${organizationId} AND w.removed_at IS NULL AND ${isManaged}
          AND t.expires_at > now() AND ${sql.literal(since)} <= now()
        ORDER BY since, w.id LIMIT ${limit}`
    }
  )
]
