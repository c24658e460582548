import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../../infra/sql/client.ts"

/** The members of all teams. */
export const listMembers = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ readonly team_id: string; readonly membership_id: string }>`SELECT tm.team_id, tm.membership_id
    FROM team_members tm
    JOIN memberships m ON m.organization_id = ${organizationId} AND m.id = tm.membership_id AND m.removed_at IS NULL
    WHERE tm.organization_id = ${organizationId}
    ORDER BY tm.team_id, tm.membership_id`

/** The teams that SCIM manages. */
export const listManaged = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ readonly id: string }>`SELECT id FROM scim_groups
    WHERE organization_id = ${organizationId} AND removed_at IS NULL`
