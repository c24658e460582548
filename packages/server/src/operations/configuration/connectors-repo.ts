import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../../infra/sql/client.ts"

/** The first branch of each connector. */
export const listFirstBranches = (sql: Sql, organizationId: Id<"org">) =>
  sql<{
    readonly connector_instance_id: Id<"cin">
    readonly branch: string
  }>`SELECT DISTINCT ON (t.connector_instance_id) t.connector_instance_id, t.branch FROM connector_targets t
    WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL
    ORDER BY t.connector_instance_id, t.id`
