import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"

/**
 * The owner among these members who must stay because the organization would have none without them, by the rule of
 * `hasOtherOwner`: while single sign-on is enforced, a break-glass owner.
 */
export const requiredOwner = (sql: Sql, organizationId: Id<"org">, membershipIds: ReadonlyArray<Id<"om">>) =>
  sql<{ id: Id<"om"> }>`WITH owners AS (
      SELECT m.id, m.id IN (SELECT jsonb_array_elements_text(${sql.json(membershipIds)})) AS goes,
        NOT EXISTS (SELECT 1 FROM sso_connections c WHERE c.organization_id = ${organizationId} AND c.enforced
          AND NOT jsonb_exists(c.break_glass_json, m.id)) AS lets_in
      FROM memberships m JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL
      WHERE m.organization_id = ${organizationId} AND m.role = 'owner' AND m.removed_at IS NULL)
    SELECT id FROM owners
    WHERE goes AND NOT EXISTS (SELECT 1 FROM owners WHERE NOT goes AND lets_in)
    ORDER BY lets_in DESC, id LIMIT 1`.pipe(Effect.map((rows) => rows.map(({ id }) => id)))

/** The owners among these members. */
export const owners = (sql: Sql, organizationId: Id<"org">, membershipIds: ReadonlyArray<Id<"om">>) =>
  sql<{ id: Id<"om"> }>`SELECT id FROM memberships
    WHERE organization_id = ${organizationId} AND id IN (SELECT jsonb_array_elements_text(${sql.json(membershipIds)}))
      AND role = 'owner' AND removed_at IS NULL ORDER BY id`.pipe(Effect.map((rows) => rows.map(({ id }) => id)))

/** Whether an owner created the token. */
export const isOwnersToken = (sql: Sql, organizationId: Id<"org">, id: Id<"sct">) =>
  sql<{ made_by_owner: boolean }>`SELECT made_by_owner FROM scim_tokens
    WHERE organization_id = ${organizationId} AND id = ${id}`.pipe(
    Effect.map((rows) => rows[0]?.made_by_owner === true)
  )

export interface RoleChange {
  readonly id: Id<"om">
  readonly before: string
}

interface LinkedUser {
  readonly id: Id<"scu">
  readonly membership_id: Id<"om">
  readonly group_role: string | null
}

interface AssignedRole {
  readonly scim_user_id: string
  readonly group_id: string
  readonly role: string
}

/** `admin` if one of the groups assigns it, else the role of the oldest group; null when no group assigns a role. */
const roleOf = (assigned: ReadonlyArray<AssignedRole>): string | null => {
  const oldest = assigned.reduce<AssignedRole | undefined>(
    (first, one) => (first === undefined || one.group_id < first.group_id ? one : first),
    undefined
  )
  return assigned.some(({ role }) => role === "admin") ? "admin" : (oldest?.role ?? null)
}

const byKey = <Row, Key>(rows: ReadonlyArray<Row>, keyOf: (row: Row) => Key): ReadonlyMap<Key, ReadonlyArray<Row>> => {
  const rowsByKey = new Map<Key, Array<Row>>()
  for (const row of rows) {
    const keyRows = rowsByKey.get(keyOf(row))
    if (keyRows === undefined) rowsByKey.set(keyOf(row), [row])
    else keyRows.push(row)
  }
  return rowsByKey
}

/**
 * Assigns members the role of their groups: `admin` if one of them assigns it, else the role of the oldest group that
 * assigns one, else `member` if they had a role from a group before. Owners keep their role. Uses separate statements
 * that each take a list. In a single joined statement, the planner would use nested loops over thousands of members if
 * a directory is too new to have statistics.
 */
export const assignRoles = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  scimUserIds: ReadonlyArray<Id<"scu">>
) {
  // A removed SCIM user whose removal is held for approval keeps its membership, unless another SCIM user has taken it
  // over.
  const linkedUsers = yield* sql<LinkedUser>`SELECT u.id, u.membership_id, u.group_role FROM scim_users u
    WHERE u.organization_id = ${organizationId} AND u.id = ANY(${texts(scimUserIds)}::text[])
      AND u.membership_id IS NOT NULL
      AND (u.removed_at IS NULL OR NOT EXISTS (SELECT 1 FROM scim_users o
        WHERE o.organization_id = u.organization_id AND o.membership_id = u.membership_id AND o.removed_at IS NULL))`
  const groups = yield* sql<{ id: string; role: string }>`SELECT id, role FROM scim_groups
    WHERE organization_id = ${organizationId} AND role IS NOT NULL AND removed_at IS NULL`
  const roles = new Map(groups.map(({ id, role }) => [id, role]))
  const places =
    roles.size === 0
      ? []
      : yield* sql<{ group_id: string; scim_user_id: string }>`SELECT group_id, scim_user_id FROM scim_group_members
          WHERE organization_id = ${organizationId} AND scim_user_id = ANY(${texts(linkedUsers.map(({ id }) => id))}::text[])
            AND group_id = ANY(${texts([...roles.keys()])}::text[])`
  const rolesByUser = byKey(
    places.flatMap((place): ReadonlyArray<AssignedRole> => {
      const role = roles.get(place.group_id)
      return role === undefined ? [] : [{ ...place, role }]
    }),
    (place) => place.scim_user_id
  )
  const wanted = linkedUsers.map((row) => ({ ...row, wanted: roleOf(rolesByUser.get(row.id) ?? []) }))
  const noted = wanted.filter((row) => row.wanted !== row.group_role)
  for (const [role, rows] of byKey(noted, (row) => row.wanted)) {
    yield* sql`UPDATE scim_users SET group_role = ${role}
      WHERE organization_id = ${organizationId} AND id = ANY(${texts(rows.map(({ id }) => id))}::text[])`
  }
  const changed: Array<RoleChange> = []
  const due = wanted.filter((row) => row.wanted !== null || row.group_role !== null)
  for (const [role, rows] of byKey(due, (row) => row.wanted ?? "member")) {
    const before = yield* sql<RoleChange>`SELECT id, role AS before FROM memberships
      WHERE organization_id = ${organizationId} AND id = ANY(${texts(rows.map((row) => row.membership_id))}::text[])
        AND removed_at IS NULL AND role <> 'owner' AND role <> ${role}
      ORDER BY id FOR UPDATE`
    if (before.length > 0) {
      yield* sql`UPDATE memberships SET role = ${role}, updated_at = now()
        WHERE organization_id = ${organizationId} AND id = ANY(${texts(before.map(({ id }) => id))}::text[])`
    }
    changed.push(...before)
  }
  return changed
})
