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

/** The database's schema is newer than this release, and not compatible with it. */
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

export interface SchemaState {
  /** The number of the latest migration; 0 if there are no tables. */
  readonly version: number
  /** The lowest schema version of the releases that can use the database. */
  readonly codeVersionMin: number
}

/**
 * The state of the database's schema. A migration of a later release records the lowest schema version of the releases
 * that work after it, in a column that is missing before the first such migration. A migration that records nothing
 * requires its own version.
 */
export const schemaState: Effect.Effect<SchemaState, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ there: boolean }>`SELECT to_regclass(${relationName(sql, table)}) IS NOT NULL AS there`
  if (found?.there !== true) return { version: 0, codeVersionMin: 0 }
  const [latest] = yield* sql<{ version: number | null; code_version_min: number | null }>`SELECT
    max(migration_id) AS version,
    max(coalesce((to_jsonb(m) ->> 'code_version_min')::int, migration_id)) AS code_version_min FROM ${sql(table)} m`
  return { version: latest?.version ?? 0, codeVersionMin: latest?.code_version_min ?? 0 }
})

/** The names of the migrations after a version, in order. */
export const namesAfter = (migrations: Migrations, version: number): ReadonlyArray<string> =>
  Object.keys(migrations)
    .filter((name) => numberOf(name) > version)
    .toSorted()

/** Why a release cannot use a database, as a sentence about the subject; undefined if it can, or if it can migrate it. */
export const newerSchemaFault = (
  { codeVersionMin, version }: SchemaState,
  code: number,
  subject = "The database's schema version is"
): string | undefined =>
  codeVersionMin <= code
    ? undefined
    : `${subject} ${version}, which requires a release with schema version ${codeVersionMin} or later, but this ` +
      `release has schema version ${code}.`

/** The fix for a schema that is too new. */
export const newerSchemaFix = "Run the release that migrated it, or a later one."

/** Fails if the schema is newer than a release, unless the release that migrated it recorded that both are compatible. */
const demandCompatible = Effect.fnUntraced(function* (code: number) {
  const state = yield* schemaState
  const fault = newerSchemaFault(state, code)
  if (fault === undefined) return state.version
  return yield* new SchemaTooNew({ database: state.version, code, message: `${fault} ${newerSchemaFix}` })
})

/** Fails if the schema is newer than a release, even if both are compatible. */
export const demandNotNewer = Effect.fnUntraced(function* (code: number) {
  const { version } = yield* schemaState
  if (version <= code) return
  return yield* new SchemaTooNew({
    database: version,
    code,
    message:
      `The database's schema version is ${version}, and this release has schema version ${code}, so it may not know ` +
      `all tables. Nothing was changed. Use the release that migrated the schema, or a later one.`
  })
})

/** Fails if schema migrations are pending, or if the schema is newer and not compatible. */
export const demandCurrent = Effect.fnUntraced(function* (code: number) {
  const database = yield* demandCompatible(code)
  if (database >= code) return
  return yield* new SchemaTooOld({
    database,
    code,
    message:
      `The database's schema version is ${database}, but this release requires version ${code}. ` +
      "Run orgplane-server migrate, or call ControlPlane.migrate, before you start the server."
  })
})

const pollMillis = 100

/**
 * Migrates the schema to this release in one transaction, and returns the migrations that it ran. When several
 * processes start at once, the first migrates and the others wait for it. A newer schema that is compatible stays as it
 * is.
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
  // Without the lock, so that a start does not wait for a long migration of a later release.
  if ((yield* demandCompatible(code)) >= code) return []

  const attempt = sql.withTransaction(
    Effect.gen(function* () {
      const lock = lockKey(sql, advisoryLocks.migrations)
      const [row] = yield* sql<{ locked: boolean }>`SELECT pg_try_advisory_xact_lock(${lock}::bigint) AS locked`
      if (row?.locked !== true) return undefined
      // The migration itself may take longer than the timeout of a request.
      yield* sql`SET LOCAL statement_timeout = 0`
      yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`
      yield* createSchema()
      yield* demandCompatible(code)
      const done = yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })
      if (done.length > 0) yield* Effect.andThen(settlePrivileges, assumeStatistics)
      return done
    })
  )
  // A transaction that waits for the lock would have a snapshot, and CREATE INDEX CONCURRENTLY of a later release waits
  // for all snapshots.
  return yield* Effect.gen(function* () {
    while (true) {
      const done = yield* attempt
      if (done !== undefined) return done
      yield* Effect.sleep(pollMillis)
    }
  }).pipe(Effect.provideService(StatementMillisMax, longStatementMillis))
})
