import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { JsonObject } from "../../infra/scim/language/index.ts"
import { type Line, writeBeside } from "../../infra/scim/log-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"
import { type Owner, readsOf, type StoredResource } from "./directory-repo.ts"

export interface Row {
  readonly id: Id<"scu">
  readonly active: boolean
  readonly resource_json: JsonObject
  readonly user_id: Id<"usr">
  readonly membership_id: Id<"om"> | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const columnNames = "u.id, u.active, u.resource_json, u.user_id, u.membership_id, u.version, u.created_at, u.updated_at"
const columns = (sql: Sql) => sql.literal(columnNames)

export const { count, find, list, lock } = readsOf<Row>("scim_users", "u", columnNames)

/** Sets the statement timeout for this transaction. */
export const boundTime = (sql: Sql, seconds: number) =>
  sql`SET LOCAL statement_timeout = ${sql.literal(String(seconds * 1000))}`

export interface GroupRow {
  readonly scim_user_id: string
  readonly id: string
  readonly display: string
}

/** The groups of all users of a page, in one statement. */
export const groupsOf = (sql: Sql, { organizationId }: Owner, userIds: ReadonlyArray<string>) =>
  sql<GroupRow>`SELECT m.scim_user_id, g.id, g.resource_json ->> 'displayName' AS display
    FROM scim_group_members m
    JOIN scim_groups g ON g.organization_id = m.organization_id AND g.id = m.group_id AND g.removed_at IS NULL
    WHERE m.organization_id = ${organizationId} AND m.scim_user_id = ANY(${texts(userIds)}::text[])
    ORDER BY m.scim_user_id, g.id`

export interface NewUser extends StoredResource {
  readonly id: Id<"scu">
  readonly userId: Id<"usr">
  /** The name of a user who is created with the SCIM user. */
  readonly newPerson: { readonly name: string | null } | undefined
  /** The id for a membership, used if the user has none; undefined for an inactive SCIM user. */
  readonly membershipId: Id<"om"> | undefined
}

/**
 * Creates a SCIM user with its membership, the user if there is none, and the log entry, in one statement. Undefined
 * when the userName is taken.
 */
export const create = (sql: Sql, { directoryId, organizationId }: Owner, user: NewUser, line: Line) => {
  const person =
    user.newPerson === undefined
      ? sql``
      : sql`person AS (INSERT INTO users (id, name, created_at, updated_at)
          VALUES (${user.userId}, ${user.newPerson.name}, now(), now())),`
  return sql<Omit<Row, "resource_json">>`WITH ${person} made AS (
      INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
      SELECT ${organizationId}, ${user.membershipId ?? null}, ${user.userId}, 'member', now(), now()
      WHERE ${user.membershipId !== undefined}::boolean
      ON CONFLICT (organization_id, user_id) WHERE removed_at IS NULL DO NOTHING RETURNING id
    ), held AS (
      SELECT id FROM made
      UNION ALL
      SELECT m.id FROM memberships m
      WHERE m.organization_id = ${organizationId} AND m.user_id = ${user.userId} AND m.removed_at IS NULL
        AND ${user.membershipId !== undefined}::boolean
    ), record AS (INSERT INTO scim_users AS u (organization_id, id, directory_id, user_name, external_id, active,
      resource_json, folded_json, user_id, membership_id, created_at, updated_at)
    VALUES (${organizationId}, ${user.id}, ${directoryId}, ${user.columns.name}, ${user.columns.externalId}, ${user.columns.active},
      ${sql.json(user.resource)}, ${sql.json(user.folded)}, ${user.userId}, (SELECT id FROM held LIMIT 1), now(), now())
    ON CONFLICT (organization_id, directory_id, user_name COLLATE "C") WHERE removed_at IS NULL DO NOTHING
    RETURNING u.id, u.active, u.user_id, u.membership_id, u.version, u.created_at, u.updated_at
    ), logged AS (${writeBeside(sql, line, "record")})
    SELECT record.id, record.active, record.user_id, record.membership_id, record.version, record.created_at,
      record.updated_at
    FROM record`.pipe(Effect.map(([row]): Row | undefined => row && { ...row, resource_json: user.resource }))
}

/** Also increments the version. */
export const update = (
  sql: Sql,
  { directoryId, organizationId }: Owner,
  id: string,
  user: StoredResource & { readonly membershipId: string | null; readonly userId: string }
) =>
  sql<Row>`UPDATE scim_users u SET user_name = ${user.columns.name}, external_id = ${user.columns.externalId},
      active = ${user.columns.active}, resource_json = ${sql.json(user.resource)}, folded_json = ${sql.json(user.folded)},
      membership_id = ${user.membershipId}, user_id = ${user.userId}, version = version + 1, updated_at = now()
    WHERE u.organization_id = ${organizationId} AND u.id = ${id} AND u.directory_id = ${directoryId}
      AND u.removed_at IS NULL
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Removes a SCIM user. If the removal is held for approval, its groups are kept until the decision. */
export const remove = (
  sql: Sql,
  { directoryId, organizationId }: Owner,
  id: string,
  { isHeld }: { readonly isHeld: boolean }
) =>
  Effect.gen(function* () {
    if (!isHeld) {
      yield* sql`DELETE FROM scim_group_members WHERE organization_id = ${organizationId} AND scim_user_id = ${id}`
    }
    yield* sql`UPDATE scim_users SET removed_at = now(), updated_at = now(),
        membership_id = CASE WHEN ${isHeld}::boolean THEN membership_id END
      WHERE organization_id = ${organizationId} AND id = ${id} AND directory_id = ${directoryId}
        AND removed_at IS NULL`
  })

/** Creates a user without an email address. */
export const createPerson = (sql: Sql, id: Id<"usr">, name: string | null) =>
  sql`INSERT INTO users (id, name, created_at, updated_at) VALUES (${id}, ${name}, now(), now())`

/** The user's live membership, created if there is none. The transaction must have locked the user. */
export const joinOrganization = (sql: Sql, organizationId: Id<"org">, userId: string, membershipId: Id<"om">) =>
  Effect.gen(function* () {
    yield* sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
      VALUES (${organizationId}, ${membershipId}, ${userId}, 'member', now(), now())
      ON CONFLICT (organization_id, user_id) WHERE removed_at IS NULL DO NOTHING`
    const [row] = yield* sql<{ id: Id<"om"> }>`SELECT id FROM memberships
      WHERE organization_id = ${organizationId} AND user_id = ${userId} AND removed_at IS NULL`
    return row?.id ?? null
  })

/** Adds a member to the teams of their groups. */
export const joinTeams = (sql: Sql, { organizationId }: Owner, id: string, membershipId: string) =>
  sql`INSERT INTO team_members (organization_id, team_id, membership_id)
    SELECT m.organization_id, m.group_id, ${membershipId}
    FROM scim_group_members m
    JOIN scim_groups g ON g.organization_id = m.organization_id AND g.id = m.group_id AND g.removed_at IS NULL
    WHERE m.organization_id = ${organizationId} AND m.scim_user_id = ${id}
    ON CONFLICT DO NOTHING`

/**
 * A new SCIM user takes over the membership of removed ones whose removal is held for approval. It starts without
 * groups, so the team memberships and the role from their groups are moved or removed. Apply the role again afterwards.
 */
export const succeed = (sql: Sql, { organizationId }: Owner, id: string, membershipId: string) =>
  Effect.gen(function* () {
    const before = yield* sql<{ id: string; group_role: string | null }>`SELECT id, group_role FROM scim_users
      WHERE organization_id = ${organizationId} AND membership_id = ${membershipId} AND removed_at IS NOT NULL
      ORDER BY id DESC FOR UPDATE`
    const ids = before.map((row) => row.id)
    const role = before.find(({ group_role }) => group_role !== null)?.group_role ?? null
    yield* sql`DELETE FROM scim_group_members
      WHERE organization_id = ${organizationId} AND scim_user_id = ANY(${texts(ids)}::text[])`
    yield* sql`DELETE FROM team_members WHERE organization_id = ${organizationId} AND membership_id = ${membershipId}
      AND team_id IN (SELECT g.id FROM scim_groups g
        WHERE g.organization_id = ${organizationId} AND g.removed_at IS NULL)`
    yield* sql`UPDATE scim_users SET membership_id = NULL, group_role = NULL
      WHERE organization_id = ${organizationId} AND id = ANY(${texts(ids)}::text[])`
    yield* sql`UPDATE scim_users SET group_role = ${role} WHERE organization_id = ${organizationId} AND id = ${id}`
  })

/** Whether there is a removed SCIM user with the same membership whose removal is held for approval. */
export const isHeldElsewhere = (sql: Sql, { organizationId }: Owner, membershipId: string) =>
  sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM scim_users u
    WHERE u.organization_id = ${organizationId} AND u.membership_id = ${membershipId} AND u.removed_at IS NOT NULL)
      AS exists`.pipe(Effect.map((rows) => rows[0]?.exists === true))
