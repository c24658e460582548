import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { SqlDatabase } from "./client.ts"
import { deferStatement } from "./defer.ts"
import { prepareStatement } from "./read.ts"
import { tenantRoleOf } from "./schema.ts"

const restrictStatement = prepareStatement<{ readonly organizationId: Id<"org">; readonly role: string }>(
  (sql, { organizationId, role }) =>
    sql`SELECT set_config('orgplane.organization_id', ${organizationId}, true), set_config('role', ${role}, true)`
)

/**
 * Returns a function that restricts a transaction to one organization by row-level security. The database's superuser
 * bypasses all policies, so in that case the transaction also switches to a role that does not.
 */
export const organizationScope = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const tenantRole = tenantRoleOf(sql)
  const [row] = yield* sql<{ passes: boolean; has_role: boolean; name: string }>`
    SELECT r.rolsuper OR r.rolbypassrls AS passes, r.rolname::text AS name,
      EXISTS (SELECT 1 FROM pg_roles t WHERE t.rolname = ${tenantRole}) AS has_role
    FROM pg_roles r WHERE r.rolname = current_user`
  const role = row !== undefined && row.passes && row.has_role ? tenantRole : (row?.name ?? "none")
  return (organizationId: Id<"org"> | null) =>
    organizationId === null ? Effect.void : deferStatement(sql, restrictStatement(sql, { organizationId, role }))
})

/** Returns a function that runs an effect in a transaction that is restricted to one organization. */
export const organizationTransaction = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const restrict = yield* organizationScope
  return <A, E, R>(organizationId: Id<"org">, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    sql.withTransaction(Effect.flatMap(restrict(organizationId), () => effect))
})
