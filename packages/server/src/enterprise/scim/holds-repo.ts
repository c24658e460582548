import type { ScimHeldUser, ScimHold } from "@orgplane/schema/scim"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"

/** Locks a directory until the transaction ends; false when it does not exist. */
export const lockDirectory = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">) =>
  sql<{ id: string }>`SELECT id FROM scim_directories
    WHERE organization_id = ${organizationId} AND id = ${directoryId} AND removed_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

export const findPendingHold = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">) =>
  sql<{ id: Id<"sch"> }>`SELECT id FROM scim_holds
    WHERE organization_id = ${organizationId} AND directory_id = ${directoryId} AND status = 'pending'`.pipe(
    Effect.map((rows) => rows[0]?.id)
  )

/** The number of other users that the directory deactivated within the hour. */
export const countDeactivations = (
  sql: Sql,
  organizationId: Id<"org">,
  directoryId: Id<"scd">,
  scimUserId: Id<"scu">
) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM scim_deactivations
    WHERE organization_id = ${organizationId} AND directory_id = ${directoryId} AND scim_user_id <> ${scimUserId}
      AND created_at > now() - interval '1 hour'`.pipe(Effect.map((rows) => rows[0]?.count ?? 0))

/**
 * The number of users that were active when the hour began. Users created since then do not count, so that replacing
 * all users counts like removing them. In a directory's first hour, all count.
 */
export const countActive = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">, scimUserId: Id<"scu">) =>
  sql<{ count: number }>`SELECT count(*)::int AS count
    FROM scim_users u
    JOIN scim_directories d ON d.organization_id = u.organization_id AND d.id = u.directory_id
    LEFT JOIN scim_deactivations x ON x.organization_id = u.organization_id AND x.directory_id = u.directory_id
      AND x.scim_user_id = u.id AND x.created_at > now() - interval '1 hour'
    WHERE u.organization_id = ${organizationId} AND u.directory_id = ${directoryId}
      AND ((u.active AND u.removed_at IS NULL) OR x.scim_user_id IS NOT NULL OR u.id = ${scimUserId})
      AND (u.created_at <= now() - interval '1 hour' OR d.created_at > now() - interval '1 hour')`.pipe(
    Effect.map((rows) => rows[0]?.count ?? 0)
  )

export const noteDeactivation = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">, scimUserId: Id<"scu">) =>
  sql`INSERT INTO scim_deactivations (organization_id, directory_id, scim_user_id, created_at)
    VALUES (${organizationId}, ${directoryId}, ${scimUserId}, now())
    ON CONFLICT (organization_id, directory_id, scim_user_id) DO UPDATE SET created_at = excluded.created_at`

/** Deactivations before the last decision no longer count. */
export const forgetDeactivations = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">) =>
  sql`DELETE FROM scim_deactivations WHERE organization_id = ${organizationId} AND directory_id = ${directoryId}`

export const addHold = (
  sql: Sql,
  organizationId: Id<"org">,
  directoryId: Id<"scd">,
  id: Id<"sch">,
  activeBefore: number
) =>
  sql`INSERT INTO scim_holds (organization_id, id, directory_id, status, active_before, created_at)
    VALUES (${organizationId}, ${id}, ${directoryId}, 'pending', ${activeBefore}, now())`

/** A user whose deactivation is held for approval can be removed in the meantime, but not vice versa. */
export const holdUser = (
  sql: Sql,
  organizationId: Id<"org">,
  holdId: Id<"sch">,
  scimUserId: Id<"scu">,
  action: "deactivate" | "delete"
) =>
  sql`INSERT INTO scim_held_users AS h (organization_id, hold_id, scim_user_id, membership_id, action, created_at)
    SELECT u.organization_id, ${holdId}, u.id, u.membership_id, ${action}, now()
    FROM scim_users u WHERE u.organization_id = ${organizationId} AND u.id = ${scimUserId}
    ON CONFLICT (organization_id, hold_id, scim_user_id)
      DO UPDATE SET action = CASE WHEN h.action = 'delete' THEN h.action ELSE excluded.action END`

/** Removes a user from a hold, with earlier SCIM users of the same membership. Removes the hold when it is empty. */
export const release = (sql: Sql, organizationId: Id<"org">, holdId: Id<"sch">, scimUserId: Id<"scu">) =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM scim_held_users h
      WHERE h.organization_id = ${organizationId} AND h.hold_id = ${holdId}
        AND (h.scim_user_id = ${scimUserId} OR h.membership_id = (SELECT u.membership_id FROM scim_users u
          WHERE u.organization_id = ${organizationId} AND u.id = ${scimUserId}))`
    yield* sql`DELETE FROM scim_holds h
      WHERE h.organization_id = ${organizationId} AND h.id = ${holdId} AND h.status = 'pending'
        AND NOT EXISTS (SELECT 1 FROM scim_held_users u
          WHERE u.organization_id = ${organizationId} AND u.hold_id = h.id)`
  })

export interface Row {
  readonly id: Id<"sch">
  readonly directory_id: Id<"scd">
  readonly status: ScimHold["status"]
  readonly count: number
  readonly active_before: number
  readonly created_at: Date
  readonly decided_at: Date | null
  readonly decided_by: string | null
}

const columns = (sql: Sql) =>
  sql.literal(`h.id, h.directory_id, h.status, h.active_before, h.created_at, h.decided_at, h.decided_by,
    (SELECT count(*)::int FROM scim_held_users u WHERE u.organization_id = h.organization_id AND u.hold_id = h.id)
      AS count`)

export const toWire = (row: Row): ScimHold => ({
  id: row.id,
  directoryId: row.directory_id,
  status: row.status,
  count: row.count,
  activeBefore: row.active_before,
  createdAt: iso(row.created_at),
  decidedAt: isoOrNull(row.decided_at),
  decidedBy: row.decided_by
})

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  directoryId: Id<"scd">,
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql)} FROM scim_holds h
    WHERE h.organization_id = ${organizationId} AND h.directory_id = ${directoryId}
      AND (${after}::text IS NULL OR h.id < ${after})
    ORDER BY h.id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">, id: Id<"sch">) =>
  sql<Row>`SELECT ${columns(sql)} FROM scim_holds h
    WHERE h.organization_id = ${organizationId} AND h.directory_id = ${directoryId} AND h.id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )

export interface HeldRow {
  readonly scim_user_id: Id<"scu">
  readonly membership_id: Id<"om"> | null
  readonly user_name: string
  readonly action: ScimHeldUser["action"]
  readonly created_at: Date
}

export const heldToWire = (row: HeldRow): ScimHeldUser => ({
  scimUserId: row.scim_user_id,
  orgMembershipId: row.membership_id,
  userName: row.user_name,
  action: row.action,
  createdAt: iso(row.created_at)
})

export const listUsers = (
  sql: Sql,
  organizationId: Id<"org">,
  holdId: Id<"sch">,
  after: string | null,
  limit: number
) =>
  sql<HeldRow>`SELECT h.scim_user_id, h.membership_id, u.user_name, h.action, h.created_at
    FROM scim_held_users h
    JOIN scim_users u ON u.organization_id = h.organization_id AND u.id = h.scim_user_id
    WHERE h.organization_id = ${organizationId} AND h.hold_id = ${holdId}
      AND (${after}::text IS NULL OR h.scim_user_id < ${after})
    ORDER BY h.scim_user_id DESC LIMIT ${limit}`

/** The memberships of a hold that no other active SCIM user of the same person has. */
export const heldMemberships = (sql: Sql, organizationId: Id<"org">, holdId: Id<"sch">) =>
  sql<{ membership_id: Id<"om"> }>`SELECT u.membership_id
    FROM scim_held_users h
    JOIN scim_users u ON u.organization_id = h.organization_id AND u.id = h.scim_user_id
      AND (NOT u.active OR u.removed_at IS NOT NULL)
    WHERE h.organization_id = ${organizationId} AND h.hold_id = ${holdId} AND u.membership_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM scim_users o
        WHERE o.organization_id = u.organization_id AND o.membership_id = u.membership_id AND o.id <> u.id
          AND o.active AND o.removed_at IS NULL)`.pipe(Effect.map((rows) => rows.map((row) => row.membership_id)))

/** After the decision, removed SCIM users leave their groups. */
export const leaveGroups = (sql: Sql, organizationId: Id<"org">, holdId: Id<"sch">) =>
  sql`DELETE FROM scim_group_members
    WHERE organization_id = ${organizationId} AND scim_user_id IN (SELECT scim_user_id FROM scim_held_users
      WHERE organization_id = ${organizationId} AND hold_id = ${holdId} AND action = 'delete')`

/** Whether the SCIM user `o` is in the hold too. */
const isHeld = (sql: Sql, organizationId: Id<"org">, holdId: Id<"sch">) =>
  sql`EXISTS (SELECT 1 FROM scim_held_users oh
    WHERE oh.organization_id = ${organizationId} AND oh.hold_id = ${holdId} AND oh.scim_user_id = o.id)`

/**
 * Restores the SCIM users as they were before: active, or not removed. Not where the directory has since created
 * another one with the same name or membership; of several, only the newest is restored.
 */
export const restore = (sql: Sql, organizationId: Id<"org">, holdId: Id<"sch">) =>
  sql<{ id: Id<"scu"> }>`UPDATE scim_users u SET active = true, removed_at = NULL, version = u.version + 1,
      updated_at = now(), resource_json = u.resource_json || '{"active": true}'::jsonb,
      folded_json = u.folded_json || '{"active": true}'::jsonb
    FROM scim_held_users h
    WHERE u.organization_id = ${organizationId} AND h.organization_id = u.organization_id AND h.hold_id = ${holdId}
      AND h.scim_user_id = u.id AND (NOT u.active OR u.removed_at IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM scim_users o
        WHERE o.organization_id = u.organization_id AND o.directory_id = u.directory_id AND o.id <> u.id
          AND o.user_name = u.user_name AND (o.removed_at IS NULL OR (o.id > u.id AND ${isHeld(sql, organizationId, holdId)})))
      AND NOT EXISTS (SELECT 1 FROM scim_users o
        WHERE o.organization_id = u.organization_id AND o.membership_id = u.membership_id AND o.id <> u.id
          AND (o.removed_at IS NULL OR (o.id > u.id AND ${isHeld(sql, organizationId, holdId)})))
    RETURNING u.id`

export const decide = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"sch">,
  status: "approved" | "rejected",
  by: string
) =>
  sql`UPDATE scim_holds SET status = ${status}, decided_at = now(), decided_by = ${by}
    WHERE organization_id = ${organizationId} AND id = ${id} AND status = 'pending'`
