import { levelOf, levels, visible } from "../../identity/grants/index.ts"
import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"
import { expiringSince } from "../../infra/sql/expiring.ts"

const since = expiringSince("l.created_at", "l.expires_at")

/** Marketplace links that need attention: all of marketplaces that the caller manages, and the caller's own. */
export const attention = [
  attentionSource("marketplace_link_expiring", ["marketplaces:read"], (sql, caller, { limit }) => {
    const { organizationId, principal } = caller
    const isOwn =
      principal.kind === "session"
        ? sql`(l.created_by_membership_id = ${principal.membershipId} AND ${visible(sql, caller, "marketplace", sql`m.id`)})`
        : sql`FALSE`
    return sql<AttentionRow>`SELECT l.id, l.name, l.marketplace_id AS parent_id, ${sql.literal(since)} AS since, l.expires_at
      FROM marketplace_links l
      JOIN marketplaces m ON m.organization_id = l.organization_id AND m.id = l.marketplace_id AND m.deleted_at IS NULL
        AND m.archived_at IS NULL
      WHERE l.organization_id = ${organizationId} AND l.revoked_at IS NULL AND l.expires_at > now()
        AND ${sql.literal(since)} <= now()
        AND (${levelOf(sql, caller, "marketplace", sql`m.id`)} >= ${sql.literal(String(levels.manager))} OR ${isOwn})
      ORDER BY since, l.id LIMIT ${limit}`
  })
]
