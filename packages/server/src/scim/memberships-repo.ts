import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../sql/client.ts"

/**
 * Of these members the one owner who stays, when without them the organization had none. While members have to sign in by
 * the identity provider it is one of those owners who need not.
 */
export const ownerWhoStays = (sql: Sql, organizationId: Id<"org">, membershipIds: ReadonlyArray<Id<"om">>) =>
  sql<{ id: Id<"om"> }>`WITH these AS (SELECT jsonb_array_elements_text(${sql.json(membershipIds)}) AS id),
      locked AS (SELECT break_glass_json AS out_but FROM sso_connections
        WHERE organization_id = ${organizationId} AND enforced)
    SELECT m.id FROM memberships m
    WHERE m.organization_id = ${organizationId} AND m.id IN (SELECT id FROM these) AND m.role = 'owner'
      AND m.removed_at IS NULL AND NOT EXISTS (SELECT 1 FROM locked l WHERE NOT jsonb_exists(l.out_but, m.id))
      AND NOT EXISTS (SELECT 1 FROM memberships o JOIN users u ON u.id = o.user_id AND u.deleted_at IS NULL
        WHERE o.organization_id = ${organizationId} AND o.role = 'owner' AND o.removed_at IS NULL
          AND o.id NOT IN (SELECT id FROM these)
          AND NOT EXISTS (SELECT 1 FROM locked l WHERE NOT jsonb_exists(l.out_but, o.id)))
    ORDER BY m.id LIMIT 1`.pipe(Effect.map((rows) => rows.map(({ id }) => id)))

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
      WHERE u.organization_id = ${organizationId} AND u.removed_at IS NULL
        AND u.id IN (SELECT jsonb_array_elements_text(${sql.json(scimUserIds)}))),
    noted AS (
      UPDATE scim_users u SET group_role = told.wanted FROM told
      WHERE u.organization_id = ${organizationId} AND u.id = told.id AND u.group_role IS DISTINCT FROM told.wanted)
    UPDATE memberships m SET role = coalesce(told.wanted, 'member'), updated_at = now() FROM told
    WHERE m.organization_id = ${organizationId} AND m.id = told.membership_id AND m.removed_at IS NULL
      AND m.role <> 'owner' AND (told.wanted IS NOT NULL OR told.given IS NOT NULL)
      AND m.role <> coalesce(told.wanted, 'member')
    RETURNING m.id, told.before`
