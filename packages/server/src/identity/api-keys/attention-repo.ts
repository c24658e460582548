import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"
import { expiringSince } from "../../infra/sql/expiring.ts"

const since = expiringSince("k.created_at", "k.expires_at")

/** API keys that need attention. */
export const attention = [
  attentionSource(
    "api_key_expiring",
    ["apiKeys:read", "apiKeys:manage"],
    (sql, { organizationId }, { limit }) =>
      sql<AttentionRow>`SELECT k.id, k.name, NULL::text AS parent_id, ${sql.literal(since)} AS since, k.expires_at FROM api_keys k
        WHERE k.organization_id = ${organizationId} AND k.revoked_at IS NULL AND k.expires_at > now()
          AND ${sql.literal(since)} <= now()
        ORDER BY since, k.id LIMIT ${limit}`
  )
]
