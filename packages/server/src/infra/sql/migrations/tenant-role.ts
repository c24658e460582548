import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { tenantRoleOf } from "../schema.ts"

/** The role to which restricted transactions of superusers switch, as an SQL identifier. */
export const tenantRole = Effect.map(SqlClient, (sql) => `"${tenantRoleOf(sql)}"`)
