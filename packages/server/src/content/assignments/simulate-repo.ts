import type { Mode } from "@orgplane/schema/assignments"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../../infra/sql/client.ts"

/** An assignment without its members, which are read with the members. */
export interface StoredRow {
  readonly id: Id<"asg">
  readonly plugin_id: Id<"plg"> | null
  readonly marketplace_id: Id<"mkt"> | null
  readonly mode: Mode
  readonly priority: number
  readonly pinned_digest: string | null
  readonly for_organization: boolean
  readonly created_at: Date
}

/** All assignments of the organization. Their number is limited. */
export const all = (sql: Sql, organizationId: Id<"org">) =>
  sql<StoredRow>`SELECT a.id, a.plugin_id, a.marketplace_id, a.mode, a.priority, a.pinned_digest, a.for_organization,
      a.created_at
    FROM assignments a WHERE a.organization_id = ${organizationId}`

export interface TeamRow {
  readonly assignment_id: Id<"asg">
  readonly team_id: Id<"tem">
}

/** A batch of assigned teams, after the last one of the previous batch. */
export const teamsAfter = (sql: Sql, organizationId: Id<"org">, after: TeamRow | undefined, limit: number) =>
  sql<TeamRow>`SELECT a.assignment_id, a.team_id FROM assignment_teams a
    WHERE a.organization_id = ${organizationId}
      AND (a.assignment_id, a.team_id) > (${after?.assignment_id ?? ""}, ${after?.team_id ?? ""})
    ORDER BY a.assignment_id, a.team_id LIMIT ${limit}`

const ids = (sql: Sql, values: ReadonlyArray<string>) => sql`SELECT jsonb_array_elements_text(${sql.json(values)})`

export interface TargetRow {
  readonly id: Id<"plg">
  readonly marketplace_ids: ReadonlyArray<Id<"mkt">>
}

export interface Target {
  readonly pluginId: Id<"plg"> | null
  readonly marketplaceId: Id<"mkt"> | null
}

/** The plugins of a target in the order of their ids, each with those of the given marketplaces that contain it. */
export const targets = (
  sql: Sql,
  organizationId: Id<"org">,
  { marketplaceId, pluginId }: Target,
  marketplaceIds: ReadonlyArray<Id<"mkt">>,
  after: string,
  limit: number
) =>
  sql<TargetRow>`SELECT p.id,
      ARRAY(SELECT km.marketplace_id FROM marketplace_memberships km
        WHERE km.organization_id = ${organizationId} AND km.plugin_id = p.id AND km.removed_at IS NULL
          AND km.marketplace_id IN (${ids(sql, marketplaceIds)}) ORDER BY km.marketplace_id) AS marketplace_ids
    FROM plugins p
    WHERE p.organization_id = ${organizationId} AND p.deleted_at IS NULL AND p.archived_at IS NULL AND p.id > ${after}
      AND ${
        pluginId === null
          ? sql`p.id IN (SELECT mm.plugin_id FROM marketplace_memberships mm
              WHERE mm.organization_id = ${organizationId} AND mm.marketplace_id = ${marketplaceId}
                AND mm.removed_at IS NULL)`
          : sql`p.id = ${pluginId}`
      }
    ORDER BY p.id LIMIT ${limit}`

export interface MemberRow {
  readonly id: Id<"om">
  readonly team_ids: ReadonlyArray<Id<"tem">>
  readonly assignment_ids: ReadonlyArray<Id<"asg">>
}

/** The members that a change can affect. */
export interface Reach {
  readonly everybody: boolean
  /** The assignment whose stored members and teams are affected. */
  readonly assignmentId: Id<"asg"> | null
  readonly memberIds: ReadonlyArray<Id<"om">>
  readonly teamIds: ReadonlyArray<Id<"tem">>
}

/** Members ordered by id, each with their teams and the assignments that name them. */
export const reached = (sql: Sql, organizationId: Id<"org">, reach: Reach, after: string, limit: number) => {
  const someReached = sql`(m.id IN (${ids(sql, reach.memberIds)})
    OR EXISTS (SELECT 1 FROM assignment_members am
      WHERE am.organization_id = ${organizationId} AND am.membership_id = m.id
        AND am.assignment_id = ${reach.assignmentId})
    OR EXISTS (SELECT 1 FROM team_members tm
      WHERE tm.organization_id = ${organizationId} AND tm.membership_id = m.id
        AND (tm.team_id IN (${ids(sql, reach.teamIds)})
          OR tm.team_id IN (SELECT ap.team_id FROM assignment_teams ap
            WHERE ap.organization_id = ${organizationId} AND ap.assignment_id = ${reach.assignmentId}))))`
  return sql<MemberRow>`SELECT m.id,
      ARRAY(SELECT tm.team_id FROM team_members tm
        WHERE tm.organization_id = ${organizationId} AND tm.membership_id = m.id ORDER BY tm.team_id) AS team_ids,
      ARRAY(SELECT am.assignment_id FROM assignment_members am
        WHERE am.organization_id = ${organizationId} AND am.membership_id = m.id
        ORDER BY am.assignment_id) AS assignment_ids
    FROM memberships m
    WHERE m.organization_id = ${organizationId} AND m.removed_at IS NULL AND m.id > ${after}
      AND ${reach.everybody ? sql`TRUE` : someReached}
    ORDER BY m.id LIMIT ${limit}`
}
