import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as SqlClient from "effect/sql/SqlClient"
import { codeOf, rootOf } from "./failure-code.ts"
import { isOwnSchema, schemaDefault, schemaNameFault, schemaOf, useSchema } from "./schema.ts"

/** The schema cannot be used: its name is not valid, it belongs to another program, or it cannot be created. */
export class SchemaUnusable extends Data.TaggedError("SchemaUnusable")<{ readonly message: string }> {}

/**
 * Chooses the schema of a client: the wanted one, or `orgplane`. An installation of an earlier release keeps its tables
 * where they are, in a schema of the search path, unless a schema is wanted.
 */
export const chooseSchema = Effect.fn("sql.chooseSchema")(function* (
  wanted: string | undefined
): Effect.fn.Return<void, SchemaUnusable | SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const fault = wanted === undefined ? undefined : schemaNameFault(wanted)
  if (fault !== undefined) return yield* new SchemaUnusable({ message: `The schema name ${fault}.` })
  const schema = wanted ?? schemaDefault
  const [found] = yield* sql<{ chosen: boolean; earlier: string | null }>`SELECT
    to_regclass(${`"${schema}".orgplane_migrations`}) IS NOT NULL AS chosen,
    (SELECT n.nspname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.oid = to_regclass('orgplane_migrations')) AS earlier`
  if (wanted === undefined && found?.chosen === false && found.earlier !== null) return
  useSchema(sql, schema)
})

/** Creates the client's schema if it is missing. A schema with tables of another program is not used. */
export const createSchema = Effect.fnUntraced(function* (): Effect.fn.Return<
  void,
  SchemaUnusable | SqlError,
  SqlClient.SqlClient
> {
  const sql = yield* SqlClient.SqlClient
  const schema = schemaOf(sql)
  if (!isOwnSchema(schema)) return
  const [found] = yield* sql<{ there: boolean; tables: number; ours: boolean; role: string; database: string }>`SELECT
    to_regnamespace(${`"${schema}"`}) IS NOT NULL AS there, to_regclass(${`"${schema}".orgplane_migrations`}) IS NOT NULL AS ours,
    (SELECT count(*)::int FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ${schema} AND c.relkind IN ('r', 'p', 'v', 'm', 'f')) AS tables,
    current_user::text AS role, current_database()::text AS database`
  if (found === undefined || found.ours) return
  if (found.tables > 0) {
    return yield* new SchemaUnusable({
      message: `The schema "${schema}" contains tables of another program. Set the option \`schema\` to another name.`
    })
  }
  if (found.there) return
  yield* Effect.catchIf(
    sql`CREATE SCHEMA ${sql(schema)}`,
    (error) => codeOf(rootOf(error.reason.cause)) === "42501",
    () =>
      new SchemaUnusable({
        message:
          `The role "${found.role}" cannot create the schema "${schema}" in the database "${found.database}". ` +
          `As an administrator, run: CREATE SCHEMA "${schema}" AUTHORIZATION "${found.role}"`
      })
  )
})
