import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import type { JsonObject } from "../scim/language/index.ts"
import type { Sql } from "../sql/client.ts"
import type { Kept, Owner } from "./users-repo.ts"

export interface Row {
  readonly id: Id<"tem">
  readonly resource_json: JsonObject
  readonly display_name: string
  readonly role: string | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) =>
  sql.literal("g.id, g.resource_json, g.display_name, g.role, g.version, g.created_at, g.updated_at")

export const get = (sql: Sql, { directoryId, organizationId }: Owner, id: string) =>
  sql<Row>`SELECT ${columns(sql)} FROM scim_groups g
    WHERE g.organization_id = ${organizationId} AND g.id = ${id} AND g.directory_id = ${directoryId}
      AND g.removed_at IS NULL`.pipe(Effect.map((rows) => rows[0]))

/** The group, kept as it is until the transaction ends. */
export const lock = (sql: Sql, { directoryId, organizationId }: Owner, id: string) =>
  sql<Row>`SELECT ${columns(sql)} FROM scim_groups g
    WHERE g.organization_id = ${organizationId} AND g.id = ${id} AND g.directory_id = ${directoryId}
      AND g.removed_at IS NULL FOR UPDATE`.pipe(Effect.map((rows) => rows[0]))

export const list = (
  sql: Sql,
  { directoryId, organizationId }: Owner,
  { order, where }: { readonly where: Fragment; readonly order: Fragment },
  limit: number,
  offset: number
) =>
  sql<Row>`SELECT ${columns(sql)} FROM scim_groups g
    WHERE g.organization_id = ${organizationId} AND g.directory_id = ${directoryId} AND g.removed_at IS NULL
      AND ${where}
    ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`

export const count = (sql: Sql, { directoryId, organizationId }: Owner, where: Fragment) =>
  sql<{ total: number }>`SELECT count(*)::int AS total FROM scim_groups g
    WHERE g.organization_id = ${organizationId} AND g.directory_id = ${directoryId} AND g.removed_at IS NULL
      AND ${where}`.pipe(Effect.map((rows) => rows[0]?.total ?? 0))

/** How many are in each of the groups. */
export const sizes = (sql: Sql, { organizationId }: Owner, ids: ReadonlyArray<string>) =>
  sql<{ group_id: string; size: number }>`SELECT m.group_id, count(*)::int AS size FROM scim_group_members m
    WHERE m.organization_id = ${organizationId} AND m.group_id = ANY(${ids}::text[]) GROUP BY m.group_id`

export interface MemberRow {
  readonly group_id: string
  readonly id: string
  readonly display: string
}

/** Who is in the groups, of a whole page in one statement. */
export const membersOf = (sql: Sql, { organizationId }: Owner, ids: ReadonlyArray<string>) =>
  sql<MemberRow>`SELECT m.group_id, u.id,
      coalesce(u.resource_json ->> 'displayName', u.resource_json ->> 'userName') AS display
    FROM scim_group_members m
    JOIN scim_users u ON u.organization_id = m.organization_id AND u.id = m.scim_user_id AND u.removed_at IS NULL
    WHERE m.organization_id = ${organizationId} AND m.group_id = ANY(${ids}::text[])
    ORDER BY m.group_id, u.id`

/** The first of the names that no live team of the organization has, but this one; undefined when all are taken. */
export const freeName = (sql: Sql, organizationId: Id<"org">, names: ReadonlyArray<string>, except: string) =>
  sql<{ name: string }>`SELECT n.name FROM unnest(${names}::text[]) WITH ORDINALITY AS n(name, at)
    WHERE NOT EXISTS (SELECT 1 FROM teams t WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL
      AND lower(t.name) = lower(n.name) AND t.id <> ${except})
    ORDER BY n.at LIMIT 1`.pipe(Effect.map((rows) => rows[0]?.name))

/** Writes a group and the team that it is; undefined when the directory has such a group. */
export const create = (
  sql: Sql,
  { directoryId, organizationId }: Owner,
  group: Kept & { readonly id: Id<"tem">; readonly teamName: string }
) =>
  sql<Row>`WITH team AS (INSERT INTO teams (organization_id, id, name, description, created_at, updated_at)
      VALUES (${organizationId}, ${group.id}, ${group.teamName}, NULL, now(), now()))
    INSERT INTO scim_groups AS g (organization_id, id, directory_id, display_name, external_id, resource_json,
      folded_json, created_at, updated_at)
    VALUES (${organizationId}, ${group.id}, ${directoryId}, ${group.columns.name}, ${group.columns.externalId},
      ${sql.json(group.resource)}, ${sql.json(group.folded)}, now(), now())
    ON CONFLICT (organization_id, directory_id, display_name COLLATE "C") WHERE removed_at IS NULL DO NOTHING
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Also raises the version. */
export const update = (sql: Sql, { directoryId, organizationId }: Owner, id: string, group: Kept) =>
  sql<Row>`UPDATE scim_groups g SET display_name = ${group.columns.name}, external_id = ${group.columns.externalId},
      resource_json = ${sql.json(group.resource)}, folded_json = ${sql.json(group.folded)},
      version = version + 1, updated_at = now()
    WHERE g.organization_id = ${organizationId} AND g.id = ${id} AND g.directory_id = ${directoryId}
      AND g.removed_at IS NULL
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const renameTeam = (sql: Sql, organizationId: Id<"org">, id: string, name: string) =>
  sql`UPDATE teams SET name = ${name}, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL`

/** Removes the group; the team is ended by itself. Answers who was in it. */
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
  /** How many were asked for, and how many of these are users of the directory. */
  readonly asked: number
  readonly good: number
  readonly added: ReadonlyArray<string> | null
}

/** Puts users of the directory into a group, thousands as well as one. */
export const addMembers = (
  sql: Sql,
  { directoryId, organizationId }: Owner,
  id: string,
  userIds: ReadonlyArray<string>
) =>
  sql<Added>`WITH asked AS (SELECT DISTINCT a.id FROM jsonb_array_elements_text(${sql.json(userIds)}) AS a(id)),
    good AS (SELECT u.id FROM asked a JOIN scim_users u ON u.organization_id = ${organizationId} AND u.id = a.id
      AND u.directory_id = ${directoryId} AND u.removed_at IS NULL),
    added AS (INSERT INTO scim_group_members (organization_id, group_id, scim_user_id)
      SELECT ${organizationId}, ${id}, good.id FROM good ON CONFLICT DO NOTHING RETURNING scim_user_id)
    SELECT (SELECT count(*)::int FROM asked) AS asked, (SELECT count(*)::int FROM good) AS good,
      (SELECT array_agg(scim_user_id) FROM added) AS added`.pipe(Effect.map((rows) => rows[0]))

/** Takes users out of a group: those named, or all but those. Answers who was in it. */
export const removeMembers = (
  sql: Sql,
  { organizationId }: Owner,
  id: string,
  which: { readonly these: ReadonlyArray<string> } | { readonly allBut: ReadonlyArray<string> }
) => {
  const named = "these" in which ? which.these : which.allBut
  const isNamed = sql`scim_user_id IN (SELECT jsonb_array_elements_text(${sql.json(named)}))`
  return sql<{ id: string }>`DELETE FROM scim_group_members
    WHERE organization_id = ${organizationId} AND group_id = ${id}
      AND ${"these" in which ? isNamed : sql`NOT (${isNamed})`}
    RETURNING scim_user_id AS id`.pipe(Effect.map((rows) => rows.map((row) => row.id)))
}

/**
 * Puts the members among the users into the team; they stay members until the transaction ends. In the order of their
 * ids, so that two who do this wait for each other and never in a ring.
 */
export const joinTeam = (sql: Sql, { organizationId }: Owner, id: string, userIds: ReadonlyArray<string>) =>
  sql`INSERT INTO team_members (organization_id, team_id, membership_id)
    SELECT ${organizationId}, ${id}, live.id FROM (
      SELECT m.id FROM scim_users u
      JOIN memberships m ON m.organization_id = u.organization_id AND m.id = u.membership_id AND m.removed_at IS NULL
      WHERE u.organization_id = ${organizationId} AND u.removed_at IS NULL
        AND u.id IN (SELECT jsonb_array_elements_text(${sql.json(userIds)}))
      ORDER BY m.id FOR SHARE OF m
    ) AS live ON CONFLICT DO NOTHING`

export const leaveTeam = (sql: Sql, { organizationId }: Owner, id: string, userIds: ReadonlyArray<string>) =>
  sql`DELETE FROM team_members t USING scim_users u
    WHERE t.organization_id = ${organizationId} AND t.team_id = ${id} AND u.organization_id = t.organization_id
      AND u.membership_id = t.membership_id
      AND u.id IN (SELECT jsonb_array_elements_text(${sql.json(userIds)}))`

/** Whether putting in and taking out would change who is in the group. */
export const wouldChange = (
  sql: Sql,
  { organizationId }: Owner,
  id: string,
  { add, remove }: { readonly add: ReadonlyArray<string>; readonly remove: ReadonlyArray<string> }
) =>
  sql<{ changes: boolean }>`SELECT EXISTS (SELECT 1 FROM jsonb_array_elements_text(${sql.json(add)}) AS a(id)
      WHERE NOT EXISTS (SELECT 1 FROM scim_group_members m WHERE m.organization_id = ${organizationId}
        AND m.group_id = ${id} AND m.scim_user_id = a.id))
    OR EXISTS (SELECT 1 FROM scim_group_members m WHERE m.organization_id = ${organizationId} AND m.group_id = ${id}
      AND m.scim_user_id IN (SELECT jsonb_array_elements_text(${sql.json(remove)}))) AS changes`.pipe(
    Effect.map((rows) => rows[0]?.changes === true)
  )
