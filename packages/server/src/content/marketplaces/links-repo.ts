import type { MarketplaceLink } from "@orgplane/schema/marketplace-links"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly organization_id: Id<"org">
  readonly id: Id<"mkl">
  readonly marketplace_id: Id<"mkt">
  readonly membership_id: Id<"om"> | null
  readonly team_id: Id<"tem"> | null
  readonly name: string
  readonly created_by_membership_id: Id<"om">
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly revoked_at: Date | null
}

const columns = (sql: Sql) =>
  sql.literal(`l.organization_id, l.id, l.marketplace_id, l.membership_id, l.team_id, l.name,
    l.created_by_membership_id, l.created_at, l.expires_at, l.last_used_at, l.revoked_at`)

export const toWire = (row: Row): MarketplaceLink => ({
  id: row.id,
  marketplaceId: row.marketplace_id,
  name: row.name,
  orgMembershipId: row.membership_id,
  teamId: row.team_id,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  expiresAt: isoOrNull(row.expires_at),
  lastUsedAt: isoOrNull(row.last_used_at),
  revokedAt: isoOrNull(row.revoked_at)
})

export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  link: {
    readonly id: Id<"mkl">
    readonly marketplaceId: Id<"mkt">
    readonly membershipId: Id<"om"> | null
    readonly teamId: Id<"tem"> | null
    readonly name: string
    readonly digest: Uint8Array
    readonly expiresAt: Date | null
    readonly createdBy: Id<"om">
  }
) =>
  sql`INSERT INTO marketplace_links (organization_id, id, marketplace_id, membership_id, team_id, name, token_digest,
      created_by_membership_id, created_at, expires_at)
    VALUES (${organizationId}, ${link.id}, ${link.marketplaceId}, ${link.membershipId}, ${link.teamId}, ${link.name},
      ${link.digest}, ${link.createdBy}, now(), ${link.expiresAt})`

export const find = (sql: Sql, organizationId: Id<"org">, marketplaceId: Id<"mkt">, id: Id<"mkl">) =>
  sql<Row>`SELECT ${columns(sql)} FROM marketplace_links l
    WHERE l.organization_id = ${organizationId} AND l.marketplace_id = ${marketplaceId} AND l.id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Links of a marketplace: all, or those that one member created. */
export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  marketplaceId: Id<"mkt">,
  createdBy: Id<"om"> | null,
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql)} FROM marketplace_links l
    WHERE l.organization_id = ${organizationId} AND l.marketplace_id = ${marketplaceId}
      AND (${createdBy}::text IS NULL OR l.created_by_membership_id = ${createdBy})
      AND (${after}::text IS NULL OR l.id < ${after})
    ORDER BY l.id DESC LIMIT ${limit}`

export const countLive = (sql: Sql, organizationId: Id<"org">, marketplaceId: Id<"mkt">) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM marketplace_links
    WHERE organization_id = ${organizationId} AND marketplace_id = ${marketplaceId} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())`.pipe(Effect.map((rows) => rows[0]?.count ?? 0))

export const revoke = (sql: Sql, organizationId: Id<"org">, id: Id<"mkl">) =>
  sql`UPDATE marketplace_links SET revoked_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL`

/** A link by its token; undefined when it is revoked or expired, or its team was removed. */
export const byToken = (sql: Sql, digest: Uint8Array) =>
  sql<Row>`SELECT ${columns(sql)} FROM marketplace_links l
    WHERE l.token_digest = ${digest} AND l.revoked_at IS NULL AND (l.expires_at IS NULL OR l.expires_at > now())
      AND (l.team_id IS NULL OR EXISTS (SELECT 1 FROM teams t
        WHERE t.organization_id = l.organization_id AND t.id = l.team_id AND t.removed_at IS NULL))`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Records the use of a link, at most once an hour. */
export const noteUse = (sql: Sql, organizationId: Id<"org">, id: Id<"mkl">) =>
  sql`UPDATE marketplace_links SET last_used_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}
      AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')`
