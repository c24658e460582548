import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as SqlClient from "effect/sql/SqlClient"
import { codeOf, rootOf } from "./failure-code.ts"
import { isOwnSchema, schemaDefault, schemaNameFault, schemaOf, useSchema } from "./schema.ts"

/** The schema cannot be used: its name is not valid, it belongs to another program, or it cannot be created. */
export class SchemaUnusable extends Data.TaggedError("SchemaUnusable")<{ readonly message: string }> {}

/** The schema of the search path that contains the tables of an earlier release; undefined if there is none. Call it before a schema is chosen. */
export const earlierSchema = Effect.fnUntraced(function* (): Effect.fn.Return<
  string | undefined,
  SqlError,
  SqlClient.SqlClient
> {
  const sql = yield* SqlClient.SqlClient
  // A host application may have a table of the same name. It does not have this column.
  const [found] = yield* sql<{ name: string }>`SELECT n.nspname::text AS name FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'migration_id' AND NOT a.attisdropped
    WHERE c.oid = to_regclass('orgplane_migrations')`
  return found?.name
})

/**
 * Chooses the schema of a client: the wanted one, or `orgplane`. An installation of an earlier release keeps its tables
 * where they are, in a schema of the search path. If another schema is wanted, the tables have to be moved first: an
 * empty installation beside them would look like a loss of all data.
 */
export const chooseSchema = Effect.fn("sql.chooseSchema")(function* (
  wanted: string | undefined
): Effect.fn.Return<void, SchemaUnusable | SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const fault = wanted === undefined ? undefined : schemaNameFault(wanted)
  if (fault !== undefined) return yield* new SchemaUnusable({ message: `The schema name ${fault}.` })
  const schema = wanted ?? schemaDefault
  const [found] = yield* sql<{ chosen: boolean }>`SELECT
    to_regclass(${`"${schema}".orgplane_migrations`}) IS NOT NULL AS chosen`
  const earlier = found?.chosen === true ? undefined : yield* earlierSchema()
  if (earlier !== undefined && wanted === undefined) return
  if (earlier !== undefined) {
    return yield* new SchemaUnusable({
      message:
        `The tables of this installation are in the schema "${earlier}", not in "${schema}". To move them, stop all ` +
        `servers and run orgplane-server move-schema, or call ControlPlane.moveSchema. To keep them where they are, do ` +
        `not set a schema.`
    })
  }
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
