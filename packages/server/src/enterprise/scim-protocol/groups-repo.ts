import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { JsonObject } from "../../infra/scim/language/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"
import { type Owner, readsOf, type StoredResource } from "./directory-repo.ts"

export interface Row {
  readonly id: Id<"tem">
  readonly resource_json: JsonObject
  readonly display_name: string
  readonly role: string | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const columnNames = "g.id, g.resource_json, g.display_name, g.role, g.version, g.created_at, g.updated_at"
const columns = (sql: Sql) => sql.literal(columnNames)

export const { count, find, list, lock } = readsOf<Row>("scim_groups", "g", columnNames)

/** The number of members of each group. */
export const sizes = (sql: Sql, { organizationId }: Owner, ids: ReadonlyArray<string>) =>
  sql<{ group_id: string; size: number }>`SELECT m.group_id, count(*)::int AS size FROM scim_group_members m
    WHERE m.organization_id = ${organizationId} AND m.group_id = ANY(${texts(ids)}::text[]) GROUP BY m.group_id`

export interface MemberRow {
  readonly group_id: string
  readonly id: string
  readonly display: string
}

/**
 * The members of all groups of a page. In two statements that each take a list: joined in one, the planner picks
 * nested loops over thousands of members when a directory is too new for statistics.
 */
export const membersOf = (sql: Sql, { organizationId }: Owner, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const members = yield* sql<{ group_id: string; id: string }>`SELECT group_id, scim_user_id AS id
      FROM scim_group_members
      WHERE organization_id = ${organizationId} AND group_id = ANY(${texts(ids)}::text[])`
    if (members.length === 0) return []
    const userIds = [...new Set(members.map(({ id }) => id))]
    const users = yield* sql<{ id: string; display: string }>`SELECT u.id,
        coalesce(u.resource_json ->> 'displayName', u.resource_json ->> 'userName') AS display
      FROM scim_users u
      WHERE u.organization_id = ${organizationId} AND u.id = ANY(${texts(userIds)}::text[]) AND u.removed_at IS NULL`
    const displays = new Map(users.map(({ display, id }) => [id, display]))
    return members
      .flatMap((member): ReadonlyArray<MemberRow> => {
        const display = displays.get(member.id)
        return display === undefined ? [] : [{ ...member, display }]
      })
      .sort((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
  })

/** The first name that no other live team of the organization has; undefined when all are taken. */
export const freeName = (sql: Sql, organizationId: Id<"org">, names: ReadonlyArray<string>, except: string) =>
  sql<{ name: string }>`SELECT n.name FROM unnest(${names}::text[]) WITH ORDINALITY AS n(name, at)
    WHERE NOT EXISTS (SELECT 1 FROM teams t WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL
      AND lower(t.name) = lower(n.name) AND t.id <> ${except})
    ORDER BY n.at LIMIT 1`.pipe(Effect.map((rows) => rows[0]?.name))

/** Creates a group and its team; undefined when the directory has a group of that name. */
export const create = (
  sql: Sql,
  { directoryId, organizationId }: Owner,
  group: StoredResource & { readonly id: Id<"tem">; readonly teamName: string }
) =>
  sql<Row>`WITH team AS (INSERT INTO teams (organization_id, id, name, description, created_at, updated_at)
      VALUES (${organizationId}, ${group.id}, ${group.teamName}, NULL, now(), now()))
    INSERT INTO scim_groups AS g (organization_id, id, directory_id, display_name, external_id, resource_json,
      folded_json, created_at, updated_at)
    VALUES (${organizationId}, ${group.id}, ${directoryId}, ${group.columns.name}, ${group.columns.externalId},
      ${sql.json(group.resource)}, ${sql.json(group.folded)}, now(), now())
    ON CONFLICT (organization_id, directory_id, display_name COLLATE "C") WHERE removed_at IS NULL DO NOTHING
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Also increments the version. */
export const update = (sql: Sql, { directoryId, organizationId }: Owner, id: string, group: StoredResource) =>
  sql<Row>`UPDATE scim_groups g SET display_name = ${group.columns.name}, external_id = ${group.columns.externalId},
      resource_json = ${sql.json(group.resource)}, folded_json = ${sql.json(group.folded)},
      version = version + 1, updated_at = now()
    WHERE g.organization_id = ${organizationId} AND g.id = ${id} AND g.directory_id = ${directoryId}
      AND g.removed_at IS NULL
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const renameTeam = (sql: Sql, organizationId: Id<"org">, id: string, name: string) =>
  sql`UPDATE teams SET name = ${name}, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL`

/** Removes the group. The caller removes the team. Returns the former members. */
export const remove = (sql: Sql, { directoryId, organizationId }: Owner, id: string) =>
  Effect.gen(function* () {
    yield* sql`UPDATE scim_groups SET removed_at = now(), updated_at = now()
      WHERE organization_id = ${organizationId} AND id = ${id} AND directory_id = ${directoryId}
        AND removed_at IS NULL`
    const left = yield* sql<{ id: string }>`DELETE FROM scim_group_members
      WHERE organization_id = ${organizationId} AND group_id = ${id} RETURNING scim_user_id AS id`
    return left.map((row) => row.id)
  })

interface Added {
  /** The number of requested users that exist in the directory. */
  readonly good: number
  readonly added: ReadonlyArray<string> | null
}

/** Adds users of the directory to a group, any number in one statement. The ids must be distinct. */
export const addMembers = (
  sql: Sql,
  { directoryId, organizationId }: Owner,
  id: string,
  userIds: ReadonlyArray<string>
) =>
  sql<Added>`WITH good AS (SELECT u.id FROM scim_users u
      WHERE u.organization_id = ${organizationId} AND u.id = ANY(${texts(userIds)}::text[])
        AND u.directory_id = ${directoryId} AND u.removed_at IS NULL),
    added AS (INSERT INTO scim_group_members (organization_id, group_id, scim_user_id)
      SELECT ${organizationId}, ${id}, good.id FROM good ON CONFLICT DO NOTHING RETURNING scim_user_id)
    SELECT (SELECT count(*)::int FROM good) AS good, (SELECT array_agg(scim_user_id) FROM added) AS added`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Removes users from a group: the named ones, or all except the named ones. Returns the removed ones. */
export const removeMembers = (
  sql: Sql,
  { organizationId }: Owner,
  id: string,
  which: { readonly these: ReadonlyArray<string> } | { readonly allBut: ReadonlyArray<string> }
) => {
  const chosen =
    "these" in which
      ? sql`scim_user_id = ANY(${texts(which.these)}::text[])`
      : sql`scim_user_id <> ALL(${texts(which.allBut)}::text[])`
  return sql<{ id: string }>`DELETE FROM scim_group_members
    WHERE organization_id = ${organizationId} AND group_id = ${id} AND ${chosen}
    RETURNING scim_user_id AS id`.pipe(Effect.map((rows) => rows.map((row) => row.id)))
}

/** The memberships of users, according to their SCIM users. */
const membershipsOf = (sql: Sql, { organizationId }: Owner, userIds: ReadonlyArray<string>) =>
  sql<{ id: string }>`SELECT membership_id AS id FROM scim_users
    WHERE organization_id = ${organizationId} AND id = ANY(${texts(userIds)}::text[])
      AND membership_id IS NOT NULL`.pipe(Effect.map((rows) => rows.map((row) => row.id)))

/**
 * Adds the members among the users to the team. Locks their memberships until the transaction ends, ordered by id to
 * avoid deadlocks.
 */
export const joinTeam = (sql: Sql, owner: Owner, id: string, userIds: ReadonlyArray<string>) =>
  Effect.flatMap(
    membershipsOf(sql, owner, userIds),
    (memberships) => sql`INSERT INTO team_members (organization_id, team_id, membership_id)
      SELECT ${owner.organizationId}, ${id}, live.id FROM (
        SELECT m.id FROM memberships m
        WHERE m.organization_id = ${owner.organizationId} AND m.id = ANY(${texts(memberships)}::text[])
          AND m.removed_at IS NULL
        ORDER BY m.id FOR SHARE
      ) AS live ON CONFLICT DO NOTHING`
  )

export const leaveTeam = (sql: Sql, owner: Owner, id: string, userIds: ReadonlyArray<string>) =>
  Effect.flatMap(
    membershipsOf(sql, owner, userIds),
    (memberships) => sql`DELETE FROM team_members
      WHERE organization_id = ${owner.organizationId} AND team_id = ${id}
        AND membership_id = ANY(${texts(memberships)}::text[])`
  )

/** Whether the additions and removals would change the members of the group. */
export const wouldChange = (
  sql: Sql,
  { organizationId }: Owner,
  id: string,
  { add, remove }: { readonly add: ReadonlyArray<string>; readonly remove: ReadonlyArray<string> }
) =>
  sql<{ added: number; removed: number }>`SELECT
      count(*) FILTER (WHERE scim_user_id = ANY(${texts(add)}::text[]))::int AS added,
      count(*) FILTER (WHERE scim_user_id = ANY(${texts(remove)}::text[]))::int AS removed
    FROM scim_group_members
    WHERE organization_id = ${organizationId} AND group_id = ${id}
      AND scim_user_id = ANY(${texts([...add, ...remove])}::text[])`.pipe(
    Effect.map(([row]) => row === undefined || row.added < add.length || row.removed > 0)
  )
