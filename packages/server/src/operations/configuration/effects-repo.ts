import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { deferStatement } from "../../infra/sql/defer.ts"
import { prepareStatement } from "../../infra/sql/read.ts"
import { type GrantedKind, isShowing, objectTables, rank } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** With more grants to members and teams, the effects on access are not computed. */
export const accessRowsMax = 200_000

export interface AccessRow {
  readonly kind: GrantedKind
  readonly id: string
  readonly name: string
  /** A membership; empty for all members. */
  readonly receiver: string
  readonly level: number
}

/** Config objects follow from their plugins. */
const kinds = ["marketplace", "plugin", "connectorInstance", "mcpConnection", "llmProvider"] as const

/** The grants `g` with a receiver for each member that they reach: directly, by a team or as all members. */
const receivers = (sql: Sql, organizationId: Id<"org">) =>
  sql`LEFT JOIN team_members tm ON tm.organization_id = ${organizationId} AND tm.team_id = g.team_id
    WHERE g.organization_id = ${organizationId} AND g.removed_at IS NULL
      AND (g.org_wide OR coalesce(g.membership_id, tm.membership_id) IS NOT NULL)`

const allAccess = (sql: Sql, organizationId: Id<"org">) => {
  const receiver = sql`CASE WHEN g.org_wide THEN '' ELSE coalesce(g.membership_id, tm.membership_id) END AS receiver`
  const own = kinds.map((kind) => {
    const { end, name, table } = objectTables[kind]
    return sql`SELECT ${kind}::text AS kind, t.id, t.${sql(name)} AS name, ${receiver}, ${rank(sql)} AS level
      FROM grants g JOIN ${sql(table)} t ON t.organization_id = ${organizationId} AND t.id = g.object_id AND t.${sql(end)} IS NULL
      ${receivers(sql, organizationId)} AND g.object_kind = ${kind}`
  })
  const through = sql`SELECT 'plugin' AS kind, p.id, p.name, ${receiver}, 1 AS level
    FROM grants g
    JOIN marketplace_memberships mm ON mm.organization_id = ${organizationId} AND mm.marketplace_id = g.object_id
      AND mm.removed_at IS NULL AND ${isShowing(sql, { organizationId }, "marketplace", sql`mm.marketplace_id`)}
    JOIN plugins p ON p.organization_id = ${organizationId} AND p.id = mm.plugin_id AND p.deleted_at IS NULL
    ${receivers(sql, organizationId)} AND g.object_kind = 'marketplace'`
  return own.reduce((parts, part) => sql`${parts} UNION ALL ${part}`, through)
}

const limitStatement = prepareStatement<{ readonly millis: string }>(
  (sql, { millis }) => sql`SELECT set_config('statement_timeout', ${millis}, true)`
)

/** Limits each of the next statements of the transaction. On the embedded database, the limits of rows are the only ones. */
export const limitStatements = (sql: Sql, millis: number) =>
  deferStatement(sql, limitStatement(sql, { millis: String(Math.ceil(millis)) }))

/** The number of grants, with those of a team for each of its members, but at most one more than the limit. */
export const countAccess = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ readonly count: number }>`SELECT count(*)::int AS count
    FROM (SELECT 1 FROM (${allAccess(sql, organizationId)}) a LIMIT ${accessRowsMax + 1}) b`.pipe(
    Effect.map((rows) => rows[0]?.count ?? 0)
  )

/** The access to objects that grants give. */
export const access = (sql: Sql, organizationId: Id<"org">) =>
  sql<AccessRow>`SELECT a.kind, a.id, min(a.name) AS name, a.receiver, max(a.level)::int AS level
    FROM (${allAccess(sql, organizationId)}) a GROUP BY a.kind, a.id, a.receiver`

/** The members who need grants: owners and admins have access without. */
export const grantees = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ readonly id: Id<"om"> }>`SELECT id FROM memberships
    WHERE organization_id = ${organizationId} AND removed_at IS NULL AND role NOT IN ('owner', 'admin')
    ORDER BY id`.pipe(Effect.map((rows) => rows.map(({ id }) => id)))
