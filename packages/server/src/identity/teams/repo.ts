import type { Id } from "@orgplane/schema/shared/ids"
import type { Team } from "@orgplane/schema/teams"
import * as Effect from "effect/Effect"
import { columns as memberColumns, type Row as MemberRow } from "../members/repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { contains } from "../../infra/sql/like.ts"
import { texts } from "../../infra/sql/texts.ts"
import { iso } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly id: Id<"tem">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly description: string | null
  readonly member_count: number
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) =>
  sql.literal(`t.id, t.organization_id, t.name, t.description, t.version, t.created_at, t.updated_at,
    (SELECT count(*)::int FROM team_members tm
      WHERE tm.organization_id = t.organization_id AND tm.team_id = t.id) AS member_count`)

export const toWire = (row: Row): Team => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  description: row.description,
  memberCount: row.member_count,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly q?: string; readonly orgMembershipId?: Id<"om"> },
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql)} FROM teams t
    WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL
      AND (${after}::text IS NULL OR t.id < ${after})
      AND (${filters.q ?? null}::text IS NULL OR t.name ILIKE ${contains(filters.q)})
      AND (${filters.orgMembershipId ?? null}::text IS NULL OR EXISTS (SELECT 1 FROM team_members tm
        WHERE tm.organization_id = ${organizationId} AND tm.team_id = t.id
          AND tm.membership_id = ${filters.orgMembershipId ?? null}))
    ORDER BY t.id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"tem">) =>
  sql<Row>`SELECT ${columns(sql)} FROM teams t
    WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The team. Locks it until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"tem">) =>
  sql<Row>`SELECT ${columns(sql)} FROM teams t
    WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.removed_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Undefined when the name exists already. */
export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  team: { readonly id: Id<"tem">; readonly name: string; readonly description: string | null }
) =>
  sql<Row>`INSERT INTO teams AS t (organization_id, id, name, description, created_at, updated_at)
    VALUES (${organizationId}, ${team.id}, ${team.name}, ${team.description}, now(), now())
    ON CONFLICT (organization_id, lower(name)) WHERE removed_at IS NULL DO NOTHING
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const update = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"tem">,
  team: { readonly name: string; readonly description: string | null }
) =>
  sql<Row>`UPDATE teams t
    SET name = ${team.name}, description = ${team.description}, version = version + 1, updated_at = now()
    WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.removed_at IS NULL
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Removes a team, its grants and the assignments of desktop policies and plugins to it. Its name can be used again. */
export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"tem">) =>
  Effect.gen(function* () {
    yield* sql`UPDATE teams SET removed_at = now(), version = version + 1, updated_at = now()
      WHERE organization_id = ${organizationId} AND id = ${id}`
    yield* sql`DELETE FROM team_members WHERE organization_id = ${organizationId} AND team_id = ${id}`
    // A policy with explicit assignments does not apply to anyone after its last assignment is removed.
    yield* sql`WITH ended AS (DELETE FROM desktop_policy_teams
        WHERE organization_id = ${organizationId} AND team_id = ${id} RETURNING policy_id)
      UPDATE desktop_policies SET version = version + 1, updated_at = now()
      WHERE organization_id = ${organizationId} AND id IN (SELECT policy_id FROM ended)`
    yield* sql`WITH ended AS (DELETE FROM assignment_teams
        WHERE organization_id = ${organizationId} AND team_id = ${id} RETURNING assignment_id)
      UPDATE assignments SET version = version + 1, updated_at = now()
      WHERE organization_id = ${organizationId} AND id IN (SELECT assignment_id FROM ended)`
    const ended = yield* sql<{ id: string }>`UPDATE grants SET removed_at = now()
      WHERE organization_id = ${organizationId} AND team_id = ${id} AND removed_at IS NULL RETURNING id`
    return ended.length
  })

/** What ends with a team, except the grants: what `remove` removes, and what it leaves. */
export interface EndingCounts {
  readonly assignmentCount: number
  readonly desktopPolicyCount: number
  readonly invitationCount: number
}

export const countEnding = (sql: Sql, organizationId: Id<"org">, id: Id<"tem">) =>
  sql<{ counts: EndingCounts }>`SELECT jsonb_build_object(
      'assignmentCount', (SELECT count(*) FROM assignment_teams att
        WHERE att.organization_id = ${organizationId} AND att.team_id = ${id}),
      'desktopPolicyCount', (SELECT count(*) FROM desktop_policy_teams pt
        WHERE pt.organization_id = ${organizationId} AND pt.team_id = ${id}),
      'invitationCount', (SELECT count(*) FROM invitations i
        WHERE i.organization_id = ${organizationId} AND i.accepted_at IS NULL AND i.cancelled_at IS NULL
          AND i.expires_at > now() AND i.team_ids_json ? ${id})) AS counts`.pipe(
    Effect.flatMap(([row]) => expectRow(row, "counts")),
    Effect.map(({ counts }) => counts)
  )

export const listMembers = (sql: Sql, organizationId: Id<"org">, id: Id<"tem">, after: string | null, limit: number) =>
  sql<MemberRow>`SELECT ${memberColumns(sql)}
    FROM team_members tm
    JOIN memberships m ON m.organization_id = ${organizationId} AND m.id = tm.membership_id AND m.removed_at IS NULL
    JOIN users u ON u.id = m.user_id
    WHERE tm.organization_id = ${organizationId} AND tm.team_id = ${id}
      AND (${after}::text IS NULL OR tm.membership_id < ${after})
    ORDER BY tm.membership_id DESC LIMIT ${limit}`

/** True when the member was not in the team before. */
export const addMember = (sql: Sql, organizationId: Id<"org">, id: Id<"tem">, membershipId: Id<"om">) =>
  sql<{ team_id: string }>`INSERT INTO team_members (organization_id, team_id, membership_id)
    VALUES (${organizationId}, ${id}, ${membershipId}) ON CONFLICT DO NOTHING RETURNING team_id`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

/** The members who were not in the team before. */
export const addMembers = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"tem">,
  membershipIds: ReadonlyArray<Id<"om">>
) =>
  sql<{ membership_id: Id<"om"> }>`INSERT INTO team_members (organization_id, team_id, membership_id)
    SELECT ${organizationId}, ${id}, a.membership_id FROM unnest(${texts(membershipIds)}::text[]) AS a (membership_id)
    ON CONFLICT DO NOTHING RETURNING membership_id`.pipe(
    Effect.map((rows) => new Set(rows.map(({ membership_id }) => membership_id)))
  )

/** The members who were in the team. */
export const removeMembers = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"tem">,
  membershipIds: ReadonlyArray<Id<"om">>
) =>
  sql<{ membership_id: Id<"om"> }>`DELETE FROM team_members
    WHERE organization_id = ${organizationId} AND team_id = ${id} AND membership_id = ANY(${texts(membershipIds)}::text[])
    RETURNING membership_id`.pipe(Effect.map((rows) => new Set(rows.map(({ membership_id }) => membership_id))))

/** True when the member was in the team. */
export const removeMember = (sql: Sql, organizationId: Id<"org">, id: Id<"tem">, membershipId: Id<"om">) =>
  sql<{ team_id: string }>`DELETE FROM team_members
    WHERE organization_id = ${organizationId} AND team_id = ${id} AND membership_id = ${membershipId}
    RETURNING team_id`.pipe(Effect.map((rows) => rows.length === 1))
