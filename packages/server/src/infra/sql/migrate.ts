import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "./advisory-locks.ts"
import { lockKey, relationName } from "./schema.ts"
import { createSchema, type SchemaUnusable } from "./choose-schema.ts"
import { assumeStatistics } from "./migrations/assumed-statistics.ts"
import { settlePrivileges } from "./privileges.ts"
import { longStatementMillis, StatementMillisMax } from "./statement-timeout.ts"

/** The database's schema is newer than this release. */
export class SchemaTooNew extends Data.TaggedError("SchemaTooNew")<{
  readonly database: number
  readonly code: number
  readonly message: string
}> {}

/** The database's schema is older than this release, and startup does not migrate it. */
export class SchemaTooOld extends Data.TaggedError("SchemaTooOld")<{
  readonly database: number
  readonly code: number
  readonly message: string
}> {}

/** Migrations by name, such as `0001_identity`; the numbers order them. */
export type Migrations = Readonly<Record<string, Effect.Effect<void, unknown, SqlClient.SqlClient>>>

const table = "orgplane_migrations"
const numberOf = (name: string) => Number(/^(\d+)_/.exec(name)?.[1] ?? Number.NaN)

/** The highest number of the migrations, which is the schema version. */
export const latestOf = (migrations: Migrations): number => Math.max(0, ...Object.keys(migrations).map(numberOf))

/** The version of the database's schema; 0 if there are no tables. */
export const versionOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ there: boolean }>`SELECT to_regclass(${relationName(sql, table)}) IS NOT NULL AS there`
  if (found?.there !== true) return 0
  const [latest] = yield* sql<{ id: number | null }>`SELECT max(migration_id) AS id FROM ${sql(table)}`
  return latest?.id ?? 0
})

/** The names of the migrations after a version, in order. */
export const namesAfter = (migrations: Migrations, version: number): ReadonlyArray<string> =>
  Object.keys(migrations)
    .filter((name) => numberOf(name) > version)
    .toSorted()

const demandNotNewer = Effect.fnUntraced(function* (code: number) {
  const database = yield* versionOf
  if (database <= code) return
  return yield* new SchemaTooNew({
    database,
    code,
    message:
      `The database's schema version is ${database}, but this release supports versions up to ${code}. ` +
      "Run the release that migrated it, or a newer one."
  })
})

/** Fails if schema migrations are pending. */
export const demandCurrent = Effect.fnUntraced(function* (code: number) {
  yield* demandNotNewer(code)
  const database = yield* versionOf
  if (database === code) return
  return yield* new SchemaTooOld({
    database,
    code,
    message:
      `The database's schema version is ${database}, but this release requires version ${code}. ` +
      "Run orgplane-server migrate, or call ControlPlane.migrate, before you start the server."
  })
})

/**
 * Migrates the schema to this release in one transaction, and returns the migrations that it ran. When several
 * processes start at once, the first migrates and the others wait for it.
 */
export const migrate = Effect.fn("sql.migrate")(function* (
  migrations: Migrations
): Effect.fn.Return<
  ReadonlyArray<readonly [id: number, name: string]>,
  SchemaTooNew | SchemaUnusable | Migrator.MigrationError | SqlError,
  SqlClient.SqlClient
> {
  const sql = yield* SqlClient.SqlClient
  const names = Object.keys(migrations)
  const misnamed = names.find((name) => !Number.isInteger(numberOf(name)))
  if (misnamed !== undefined) {
    return yield* new Migrator.MigrationError({
      kind: "BadState",
      message: `The migration "${misnamed}" must be named like 0001_name.`
    })
  }
  const code = latestOf(migrations)

  return yield* sql
    .withTransaction(
      Effect.gen(function* () {
        // Waiting for another process and the migration itself may take longer than the timeout of a request.
        yield* sql`SET LOCAL statement_timeout = 0`
        yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`
        yield* sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.migrations)}::bigint)::text`
        yield* createSchema()
        yield* demandNotNewer(code)
        const done = yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })
        if (done.length > 0) yield* Effect.andThen(settlePrivileges, assumeStatistics)
        return done
      })
    )
    .pipe(Effect.provideService(StatementMillisMax, longStatementMillis))
})
