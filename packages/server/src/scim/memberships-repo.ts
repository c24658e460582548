import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../sql/client.ts"

/** Of these members the one owner who stays, when without them the organization had none. */
export const ownerWhoStays = (sql: Sql, organizationId: Id<"org">, membershipIds: ReadonlyArray<Id<"om">>) =>
  sql<{ id: Id<"om"> }>`WITH these AS (SELECT jsonb_array_elements_text(${sql.json(membershipIds)}) AS id)
    SELECT m.id FROM memberships m
    WHERE m.organization_id = ${organizationId} AND m.id IN (SELECT id FROM these) AND m.role = 'owner'
      AND m.removed_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM memberships o JOIN users u ON u.id = o.user_id AND u.deleted_at IS NULL
        WHERE o.organization_id = ${organizationId} AND o.role = 'owner' AND o.removed_at IS NULL
          AND o.id NOT IN (SELECT id FROM these))
    ORDER BY m.id LIMIT 1`.pipe(Effect.map((rows) => rows.map(({ id }) => id)))

/** The owners among these members. */
export const owners = (sql: Sql, organizationId: Id<"org">, membershipIds: ReadonlyArray<Id<"om">>) =>
  sql<{ id: Id<"om"> }>`SELECT id FROM memberships
    WHERE organization_id = ${organizationId} AND id IN (SELECT jsonb_array_elements_text(${sql.json(membershipIds)}))
      AND role = 'owner' AND removed_at IS NULL ORDER BY id`.pipe(Effect.map((rows) => rows.map(({ id }) => id)))

/** Whether an owner made the token. */
export const isOwnersToken = (sql: Sql, organizationId: Id<"org">, id: Id<"sct">) =>
  sql<{ made_by_owner: boolean }>`SELECT made_by_owner FROM scim_tokens
    WHERE organization_id = ${organizationId} AND id = ${id}`.pipe(
    Effect.map((rows) => rows[0]?.made_by_owner === true)
  )

export interface Changed {
  readonly id: Id<"om">
  readonly before: string
}

/**
 * Gives members the role of their groups: `admin` where one of them gives it, else that of the oldest which gives one,
 * else `member` to whoever had theirs from a group before. Owners stay what they are.
 */
export const giveRoles = (sql: Sql, organizationId: Id<"org">, scimUserIds: ReadonlyArray<Id<"scu">>) =>
  sql<Changed>`WITH told AS (
      SELECT u.id, u.membership_id, u.group_role AS given, m.role AS before,
        (SELECT CASE WHEN bool_or(g.role = 'admin') THEN 'admin'
            ELSE (array_agg(g.role ORDER BY g.id COLLATE "C"))[1] END
          FROM scim_group_members gm
          JOIN scim_groups g ON g.organization_id = gm.organization_id AND g.id = gm.group_id
            AND g.removed_at IS NULL AND g.role IS NOT NULL
          WHERE gm.organization_id = u.organization_id AND gm.scim_user_id = u.id) AS wanted
      FROM scim_users u
      JOIN memberships m ON m.organization_id = u.organization_id AND m.id = u.membership_id AND m.removed_at IS NULL
      WHERE u.organization_id = ${organizationId}
        -- Who was removed and is held is a member as long, unless another record has the membership by now.
        AND (u.removed_at IS NULL OR NOT EXISTS (SELECT 1 FROM scim_users o
          WHERE o.organization_id = u.organization_id AND o.membership_id = u.membership_id AND o.id <> u.id))
        AND u.id IN (SELECT jsonb_array_elements_text(${sql.json(scimUserIds)}))),
    noted AS (
      UPDATE scim_users u SET group_role = told.wanted FROM told
      WHERE u.organization_id = ${organizationId} AND u.id = told.id AND u.group_role IS DISTINCT FROM told.wanted)
    UPDATE memberships m SET role = coalesce(told.wanted, 'member'), updated_at = now() FROM told
    WHERE m.organization_id = ${organizationId} AND m.id = told.membership_id AND m.removed_at IS NULL
      AND m.role <> 'owner' AND (told.wanted IS NOT NULL OR told.given IS NOT NULL)
      AND m.role <> coalesce(told.wanted, 'member')
    RETURNING m.id, told.before`
