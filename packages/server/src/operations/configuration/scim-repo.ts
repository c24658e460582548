import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../../infra/sql/client.ts"

/** The groups of all directories. */
export const listGroups = (sql: Sql, organizationId: Id<"org">) =>
  sql<{
    readonly id: Id<"tem">
    readonly directory_id: Id<"scd">
    readonly display_name: string
    readonly role: string | null
  }>`SELECT g.id, g.directory_id, g.display_name, g.role FROM scim_groups g
    WHERE g.organization_id = ${organizationId} AND g.removed_at IS NULL ORDER BY g.directory_id, g.id`

/** The members whose role a group determines. */
export const listGroupRoles = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ readonly membership_id: Id<"om"> }>`SELECT u.membership_id FROM scim_users u
    WHERE u.organization_id = ${organizationId} AND u.membership_id IS NOT NULL AND u.group_role IS NOT NULL
      AND u.removed_at IS NULL`
