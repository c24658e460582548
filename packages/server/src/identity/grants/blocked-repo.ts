/**
 * Which plugins assignments block for a holder. A block applies from the next statement on, because every statement that
 * reads plugins for viewers or delivers them contains these fragments.
 */
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../infra/sql/client.ts"
import { type Holder, levelOf, levels, managesAll, ownLevelOf } from "./index.ts"

const editor = (sql: Sql) => sql.literal(String(levels.editor))

/** Whether the assignment `ab` names the holder, or one of its teams. API keys have no assignments. */
export const namedBy = (sql: Sql, { organizationId, principal }: Holder) =>
  principal.kind === "team"
    ? {
        member: sql`FALSE`,
        team: sql`EXISTS (SELECT 1 FROM assignment_teams bt
          WHERE bt.organization_id = ${organizationId} AND bt.assignment_id = ab.id AND bt.team_id = ${principal.teamId})`
      }
    : principal.kind === "session"
      ? {
          member: sql`EXISTS (SELECT 1 FROM assignment_members bm
            WHERE bm.organization_id = ${organizationId} AND bm.assignment_id = ab.id
              AND bm.membership_id = ${principal.membershipId})`,
          team: sql`EXISTS (SELECT 1 FROM team_members bu
            JOIN assignment_teams bt ON bt.organization_id = bu.organization_id AND bt.team_id = bu.team_id
            WHERE bu.organization_id = ${organizationId} AND bu.membership_id = ${principal.membershipId}
              AND bt.assignment_id = ab.id)`
        }
      : { member: sql`FALSE`, team: sql`FALSE` }

/** Whether the organization blocks any plugin for members. This is evaluated once per statement. */
export const hasBlocks = (sql: Sql, { organizationId, principal }: Holder): Fragment =>
  principal.kind === "key"
    ? sql`FALSE`
    : sql`EXISTS (SELECT 1 FROM assignments eb WHERE eb.organization_id = ${organizationId} AND eb.mode = 'blocked')`

/** The ids of the assignments that name the holder or one of the holder's teams, as a SELECT. API keys have none. */
const assignmentsNaming = (sql: Sql, { organizationId, principal }: Holder): Fragment | undefined => {
  if (principal.kind === "key") return undefined
  if (principal.kind === "team") {
    return sql`SELECT bt.assignment_id FROM assignment_teams bt
      WHERE bt.organization_id = ${organizationId} AND bt.team_id = ${principal.teamId}`
  }
  return sql`SELECT bm.assignment_id FROM assignment_members bm
    WHERE bm.organization_id = ${organizationId} AND bm.membership_id = ${principal.membershipId}
    UNION ALL SELECT bt.assignment_id FROM team_members bu
      JOIN assignment_teams bt ON bt.organization_id = bu.organization_id AND bt.team_id = bu.team_id
      WHERE bu.organization_id = ${organizationId} AND bu.membership_id = ${principal.membershipId}`
}

/**
 * Whether an assignment of the plugin or of one of its marketplaces blocks the plugin for the holder. The set of blocked
 * ids does not depend on the plugin: it is read once per statement, and each id is then looked up in a hash table.
 */
export const isBlocked = (sql: Sql, holder: Holder, pluginId: Fragment): Fragment => {
  const naming = assignmentsNaming(sql, holder)
  if (naming === undefined) return sql`FALSE`
  return sql`(${hasBlocks(sql, holder)} AND (SELECT TRUE
    FROM (SELECT ${pluginId} AS id UNION ALL SELECT bk.marketplace_id FROM marketplace_memberships bk
      WHERE bk.organization_id = ${holder.organizationId} AND bk.plugin_id = ${pluginId} AND bk.removed_at IS NULL
      OFFSET 0) bi
    WHERE (bi.id IN (SELECT coalesce(ab.plugin_id, ab.marketplace_id) FROM assignments ab
      WHERE ab.organization_id = ${holder.organizationId} AND ab.mode = 'blocked'
        AND (ab.for_organization OR ab.id IN (${naming})))) IS TRUE
    LIMIT 1) IS TRUE)`
}

/** The ids of the plugins that any assignment blocks for anyone, as a SELECT. */
export const blockedTargets = (sql: Sql, organizationId: string): Fragment =>
  sql`SELECT ba.plugin_id FROM assignments ba
    WHERE ba.organization_id = ${organizationId} AND ba.mode = 'blocked' AND ba.plugin_id IS NOT NULL
    UNION SELECT bm.plugin_id FROM assignments ba JOIN marketplace_memberships bm
      ON bm.organization_id = ${organizationId} AND bm.marketplace_id = ba.marketplace_id AND bm.removed_at IS NULL
    WHERE ba.organization_id = ${organizationId} AND ba.mode = 'blocked'`

/** Whether agents of the holder receive the plugin. A block applies to the agents of editors and admins too. */
export const isDelivered = (sql: Sql, holder: Holder, pluginId: Fragment): Fragment =>
  sql`NOT ${isBlocked(sql, holder, pluginId)}`

/** Whether the plugin is hidden from the caller. Its editors still read it, so that they can maintain it. */
export const isHidden = (sql: Sql, caller: Holder, pluginId: Fragment): Fragment =>
  managesAll(caller, "plugin")
    ? sql`FALSE`
    : sql`(${isBlocked(sql, caller, pluginId)} AND ${ownLevelOf(sql, caller, "plugin", pluginId)} < ${editor(sql)})`

/**
 * Whether the caller sees a plugin on which it has `level`: as an editor, or because no assignment blocks it. `level` must
 * be a column, because the SQL text repeats it.
 */
export const isSeenAt = (sql: Sql, caller: Holder, level: Fragment, pluginId: Fragment): Fragment =>
  managesAll(caller, "plugin")
    ? sql`TRUE`
    : sql`CASE WHEN ${level} = 0 THEN FALSE ELSE ${level} >= ${editor(sql)} OR NOT ${isBlocked(sql, caller, pluginId)} END`

/** The caller's level on the plugin `p`, which is 0 if the plugin is hidden. */
export const pluginLevelOf = (sql: Sql, caller: Holder): Fragment => {
  const level = levelOf(sql, caller, "plugin", sql`p.id`)
  return managesAll(caller, "plugin")
    ? level
    : sql`(SELECT CASE WHEN ${isSeenAt(sql, caller, sql`pl.level`, sql`p.id`)} THEN pl.level ELSE 0 END
        FROM (SELECT ${level} AS level OFFSET 0) pl)`
}
