import type { PgClient } from "@effect/sql-pg/PgClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "./advisory-locks.ts"
import { lockKey, relationName } from "./schema.ts"
import { createSchema, type SchemaUnusable } from "./choose-schema.ts"
import { SqlDatabase } from "./client.ts"
import { assumeStatistics } from "./migrations/assumed-statistics.ts"
import { firstRelease, type Requirement } from "./migrations/compatibility.ts"
import { IsConcurrent, isBlocked, isOnline, lockedStatementMillisMax, lockMillisMax } from "./migrations/online.ts"
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

/** A migration could not lock its tables, because other transactions hold them. */
export class MigrationBlocked extends Data.TaggedError("MigrationBlocked")<{ readonly message: string }> {}

export interface MigrateOptions {
  /** The migrations after which earlier releases do not work, by name. */
  readonly requirements?: Readonly<Record<string, Requirement>>
  /** Migrations up to this number run in one transaction. */
  readonly togetherMax?: number
  /** The number of attempts to run a migration that cannot lock its tables. */
  readonly attemptsMax?: number
}

const attemptsMaxDefault = 60
/** The longest pause between two attempts. */
const pauseMillisMax = 2000

type Ran = ReadonlyArray<readonly [id: number, name: string]>

const upTo = (migrations: Migrations, version: number): Migrations =>
  Object.fromEntries(Object.entries(migrations).filter(([name]) => numberOf(name) <= version))

/** Records which releases work after the migrations that ran. */
const recordRequirements = Effect.fnUntraced(function* (ran: Ran, { requirements = {}, togetherMax }: Settings) {
  const later = ran.filter(([id]) => id > togetherMax)
  if (later.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN IF NOT EXISTS code_version_min integer`
  for (const [id, name] of later) {
    const requirement = requirements[`${String(id).padStart(4, "0")}_${name}`]
    yield* sql`UPDATE ${sql(table)} SET code_version_min = ${requirement?.codeVersionMin ?? togetherMax}
      WHERE migration_id = ${id}`
  }
})

interface Settings extends MigrateOptions {
  readonly code: number
  readonly togetherMax: number
}

/**
 * Retries an effect until it succeeds, which happens when no other process migrates. A transaction that waits for the
 * lock would have a snapshot, and CREATE INDEX CONCURRENTLY of the other process waits for all snapshots.
 */
const whenFree = Effect.fnUntraced(function* <A, E, R>(attempt: Effect.Effect<A | undefined, E, R>) {
  while (true) {
    const outcome = yield* attempt
    if (outcome !== undefined) return outcome
    yield* Effect.sleep(pollMillis)
  }
})
const pollMillis = 100

/** Takes the lock of the migrations, unless another process holds it. */
const tryLock = Effect.fnUntraced(function* (how: "pg_try_advisory_xact_lock" | "pg_try_advisory_lock") {
  const sql = yield* SqlClient.SqlClient
  const key = lockKey(sql, advisoryLocks.migrations)
  const [row] = yield* sql<{ locked: boolean }>`SELECT ${sql.literal(how)}(${key}::bigint) AS locked`
  return row?.locked === true ? true : undefined
})

/** Runs the migrations that `choose` returns for the version of the database, in one transaction. */
const runTogether = Effect.fnUntraced(function* (
  settings: Settings,
  choose: (version: number) => Migrations,
  limit: Effect.Effect<void, SqlError, SqlClient.SqlClient>
) {
  const sql = yield* SqlClient.SqlClient
  const attempt = sql.withTransaction(
    Effect.gen(function* () {
      if ((yield* tryLock("pg_try_advisory_xact_lock")) === undefined) return undefined
      // The migration itself may take longer than the timeout of a request.
      yield* sql`SET LOCAL statement_timeout = 0`
      yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`
      yield* limit
      yield* createSchema()
      const before = yield* demandCompatible(settings.code)
      const ran = yield* Migrator.make({})({ loader: Migrator.fromRecord(choose(before)), table })
      if (ran.length > 0) {
        yield* recordRequirements(ran, settings)
        yield* Effect.andThen(settlePrivileges, assumeStatistics)
      }
      return { before, ran }
    })
  )
  return yield* whenFree(attempt)
})

/** Requests wait behind a statement that waits for a lock, so it stops waiting soon, and is retried. */
const limitLocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`SET LOCAL lock_timeout = ${lockMillisMax}`)
  yield* sql.unsafe(`SET LOCAL statement_timeout = ${lockedStatementMillisMax}`)
})

/** Runs one migration while servers use the tables. */
const runAlone = Effect.fnUntraced(function* (settings: Settings, name: string, migrations: Migrations) {
  for (let attempts = 1; ; attempts += 1) {
    const outcome = yield* Effect.result(runTogether(settings, () => migrations, limitLocks))
    if (outcome._tag === "Success") return outcome.success.ran
    if (!isBlocked(outcome.failure)) return yield* outcome.failure
    const blocked =
      `The migration ${name} could not lock its tables within ${lockMillisMax} ms, because other transactions use ` +
      "them."
    if (attempts >= (settings.attemptsMax ?? attemptsMaxDefault)) {
      return yield* new MigrationBlocked({
        message:
          `${blocked} It was tried ${attempts} times, and changed nothing. End long transactions, which ` +
          "pg_stat_activity lists, and run orgplane-server migrate again."
      })
    }
    if (attempts % 10 === 1) yield* Effect.logWarning(`${blocked} Retrying.`)
    yield* Effect.sleep(Math.min(pauseMillisMax, 100 * attempts))
  }
})

/** Runs the steps of one migration, each committed on its own, on one connection that holds the lock of the migrations. */
const runOnline = Effect.fnUntraced(function* (name: string, migration: Migrations[string]) {
  const sql = yield* SqlClient.SqlClient
  const lock = lockKey(sql, advisoryLocks.migrations)
  yield* Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* sql.reserve
      const steps = Effect.gen(function* () {
        yield* sql`SET statement_timeout = 0`
        yield* whenFree(tryLock("pg_try_advisory_lock"))
        yield* sql.unsafe(`SET lock_timeout = ${lockMillisMax}`)
        // Another process may have run it in the meantime.
        if ((yield* schemaState).version < numberOf(name)) yield* migration
      })
      const restore = Effect.gen(function* () {
        yield* sql`SELECT pg_advisory_unlock(${lock}::bigint)::text`
        yield* sql`RESET lock_timeout`
        yield* sql`RESET statement_timeout`
      })
      yield* steps.pipe(
        Effect.provideService(IsConcurrent, true),
        Effect.ensuring(Effect.ignore(restore)),
        Effect.provideService(sql.transactionService, [connection, 0])
      )
    })
  ).pipe(Effect.mapError((cause) => new Migrator.MigrationError({ kind: "Failed", cause, message: `${name} failed` })))
})

/**
 * Migrates the schema to this release, and returns the migrations that it ran. When several processes start at once, one
 * migrates and the others wait for it. A newer schema that is compatible stays as it is.
 *
 * A new or an embedded database is migrated in one transaction. On a PostgreSQL server whose tables may be in use, each
 * migration since the first release has its own transaction, which waits for a lock only briefly.
 */
export const migrate = Effect.fn("sql.migrate")(function* (
  migrations: Migrations,
  options: MigrateOptions = {}
): Effect.fn.Return<
  Ran,
  MigrationBlocked | SchemaTooNew | SchemaUnusable | Migrator.MigrationError | SqlError,
  SqlClient.SqlClient | PgClient
> {
  const names = Object.keys(migrations)
  const misnamed = names.find((name) => !Number.isInteger(numberOf(name)))
  if (misnamed !== undefined) {
    return yield* new Migrator.MigrationError({
      kind: "BadState",
      message: `The migration "${misnamed}" must be named like 0001_name.`
    })
  }
  // An embedded database has one process.
  const isServer = (yield* SqlDatabase).config.stream === undefined
  const settings = { togetherMax: firstRelease, ...options, code: latestOf(migrations) }
  const { code, togetherMax } = settings
  // Without the lock, so that a start does not wait for a long migration of a later release.
  if ((yield* demandCompatible(code)) >= code) return []
  return yield* Effect.gen(function* () {
    const isInUse = (version: number) => isServer && version > 0
    const first = yield* runTogether(
      settings,
      (version) => (isInUse(version) ? upTo(migrations, togetherMax) : migrations),
      Effect.void
    )
    const ran = [...first.ran]
    if (!isInUse(first.before)) return ran
    for (const name of namesAfter(migrations, Math.max(first.before, togetherMax))) {
      const migration = migrations[name]
      const done = upTo(migrations, numberOf(name))
      if (isOnline(migration)) yield* runOnline(name, migration)
      const alone = isOnline(migration) ? { ...done, [name]: Effect.void } : done
      ran.push(...(yield* runAlone(settings, name, alone)))
    }
    return ran
  }).pipe(Effect.provideService(StatementMillisMax, longStatementMillis))
})
