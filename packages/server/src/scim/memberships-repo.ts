import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../sql/client.ts"

/**
 * Of these members the one owner who stays, when without them the organization had none: while single sign-on is enforced,
 * none of those who need no identity provider to come in.
 */
export const ownerWhoStays = (sql: Sql, organizationId: Id<"org">, membershipIds: ReadonlyArray<Id<"om">>) =>
  sql<{ id: Id<"om"> }>`WITH these AS (SELECT jsonb_array_elements_text(${sql.json(membershipIds)}) AS id),
    owners AS (SELECT m.id, NOT EXISTS (SELECT 1 FROM sso_connections c
          WHERE c.organization_id = ${organizationId} AND c.enforced AND NOT jsonb_exists(c.break_glass_json, m.id)
        ) AS needs_no_provider
      FROM memberships m JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL
      WHERE m.organization_id = ${organizationId} AND m.role = 'owner' AND m.removed_at IS NULL)
    SELECT id FROM owners
    WHERE id IN (SELECT id FROM these)
      AND NOT EXISTS (SELECT 1 FROM owners o WHERE o.needs_no_provider AND o.id NOT IN (SELECT id FROM these))
    ORDER BY needs_no_provider DESC, id LIMIT 1`.pipe(Effect.map((rows) => rows.map(({ id }) => id)))

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
