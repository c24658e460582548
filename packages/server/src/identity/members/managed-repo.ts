import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"

const isPresent = Effect.map((rows: ReadonlyArray<{ exists: boolean }>) => rows[0]?.exists === true)

/** Whether a team is a SCIM group. */
export const isGroup = (sql: Sql, organizationId: Id<"org">, teamId: Id<"tem">) =>
  sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM scim_groups
    WHERE organization_id = ${organizationId} AND id = ${teamId} AND removed_at IS NULL) AS exists`.pipe(isPresent)

/** Whether one of these teams is a SCIM group. */
export const anyIsGroup = (sql: Sql, organizationId: Id<"org">, teamIds: ReadonlyArray<Id<"tem">>) =>
  sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM scim_groups
    WHERE organization_id = ${organizationId} AND id IN (SELECT jsonb_array_elements_text(${sql.json(teamIds)}))
      AND removed_at IS NULL) AS exists`.pipe(isPresent)

/** Whether the membership is managed by SCIM. */
export const isProvisioned = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">) =>
  sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM scim_users
    WHERE organization_id = ${organizationId} AND membership_id = ${membershipId} AND active
      AND removed_at IS NULL) AS exists`.pipe(isPresent)

/** Whether a SCIM group determines the member's role. */
export const hasGroupRole = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">) =>
  sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM scim_users
    WHERE organization_id = ${organizationId} AND membership_id = ${membershipId} AND group_role IS NOT NULL
      AND removed_at IS NULL) AS exists`.pipe(isPresent)
