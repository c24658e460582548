import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"
import { expiringSince } from "../../infra/sql/expiring.ts"

const since = expiringSince("i.created_at", "i.expires_at")

/** Invitations that need attention. */
export const attention = [
  attentionSource(
    "invitation_expiring",
    ["invitations:read", "invitations:write"],
    (sql, { organizationId }, { limit }) =>
      sql<AttentionRow>`SELECT i.id, i.email AS name, NULL::text AS parent_id, ${sql.literal(since)} AS since, i.expires_at
        FROM invitations i
        WHERE i.organization_id = ${organizationId} AND i.accepted_at IS NULL AND i.cancelled_at IS NULL
          AND i.expires_at > now() AND ${sql.literal(since)} <= now()
        ORDER BY since, i.id LIMIT ${limit}`
  )
]
