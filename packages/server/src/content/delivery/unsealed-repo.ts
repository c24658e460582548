import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../../infra/sql/client.ts"

/**
 * The number of unsealed events of all organizations from which on they are not counted, and each poll computes the state.
 * Events are sealed within seconds. They are read by the index of unsealed events, whose order the statement names: another
 * index would read all events of the organization.
 */
export const unsealedMax = 5000

/** The number of unsealed events of the organization, or `unsealedMax` if all organizations together have so many. */
export const countUnsealed = (sql: Sql, organizationId: Id<"org">) =>
  sql`(SELECT CASE WHEN count(*) < ${unsealedMax}::int
      THEN count(*) FILTER (WHERE u.organization_id = ${organizationId}) ELSE count(*) END::int
    FROM (SELECT e.organization_id FROM audit_events e WHERE e.sequence IS NULL
      ORDER BY e.created_txid, e.id LIMIT ${unsealedMax}::int) u)`
