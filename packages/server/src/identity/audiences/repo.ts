import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import type { Assignees } from "./index.ts"

const ids = (sql: Sql, values: ReadonlyArray<string>) => sql`SELECT jsonb_array_elements_text(${sql.json(values)})`

/** The given members that exist. With `locks`, locks them until the transaction ends. */
export const liveMembers = (sql: Sql, organizationId: Id<"org">, memberIds: ReadonlyArray<Id<"om">>, locks: boolean) =>
  sql<{ id: string }>`SELECT id FROM memberships
    WHERE organization_id = ${organizationId} AND id IN (${ids(sql, memberIds)}) AND removed_at IS NULL
    ORDER BY id ${locks ? sql`FOR SHARE` : sql``}`.pipe(Effect.map((rows) => new Set(rows.map(({ id }) => id))))

/** The given teams that exist. With `locks`, locks them until the transaction ends. */
export const liveTeams = (sql: Sql, organizationId: Id<"org">, teamIds: ReadonlyArray<Id<"tem">>, locks: boolean) =>
  sql<{ id: string }>`SELECT id FROM teams
    WHERE organization_id = ${organizationId} AND id IN (${ids(sql, teamIds)}) AND removed_at IS NULL
    ORDER BY id ${locks ? sql`FOR SHARE` : sql``}`.pipe(Effect.map((rows) => new Set(rows.map(({ id }) => id))))

/** The tables of the members and teams, and their column with the ID of what applies to them. */
export interface AssigneeTables {
  readonly members: string
  readonly teams: string
  readonly column: string
}

type Assigned = Pick<Assignees, "memberIds" | "teamIds">

const tablesOf = ({ members, teams }: AssigneeTables, { memberIds, teamIds }: Assigned) =>
  [
    { table: members, assignee: "membership_id", assigned: memberIds },
    { table: teams, assignee: "team_id", assigned: teamIds }
  ] as const

export const addAssignees = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  tables: AssigneeTables,
  id: string,
  assignees: Assigned
) {
  for (const { assigned, assignee, table } of tablesOf(tables, assignees)) {
    if (assigned.length === 0) continue
    yield* sql`INSERT INTO ${sql(table)} (organization_id, ${sql(tables.column)}, ${sql(assignee)})
      SELECT ${organizationId}, ${id}, a.id FROM (${ids(sql, assigned)}) a (id) ON CONFLICT DO NOTHING`
  }
})

/** Replaces the members and teams. Unchanged rows are not written. */
export const replaceAssignees = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  tables: AssigneeTables,
  id: string,
  assignees: Assigned
) {
  for (const { assigned, assignee, table } of tablesOf(tables, assignees)) {
    yield* sql`DELETE FROM ${sql(table)} WHERE organization_id = ${organizationId} AND ${sql(tables.column)} = ${id}
      AND ${sql(assignee)} NOT IN (${ids(sql, assigned)})`
  }
  yield* addAssignees(sql, organizationId, tables, id, assignees)
})
