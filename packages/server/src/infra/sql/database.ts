import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { resolve } from "node:path"
import type { Database } from "../options.ts"
import { demandSessions } from "./pooler.ts"
import { awaitPostgres, demandWritable, waitSecondsDefault } from "./await-postgres.ts"
import { SqlDatabase } from "./client.ts"
import { chooseSchema } from "./choose-schema.ts"
import { incomplete } from "./data-dir-state.ts"
import {
  demandCurrent,
  demandNotNewer,
  latestOf,
  migrate,
  namesAfter,
  newerSchemaFault,
  type SchemaState,
  schemaState
} from "./migrate.ts"
import { requirements } from "./migrations/compatibility.ts"
import { migrations } from "./migrations/index.ts"
import { demandNotMoved } from "./moved.ts"
import { moverName, moveSchema } from "./move-schema.ts"
import { Notices } from "./notices.ts"
import { layerPglite } from "./pglite.ts"
import { layerPostgres } from "./postgres.ts"

export { newerSchemaFix } from "./migrate.ts"
export { everyInterval, MigrationProgress } from "./migrations/online.ts"

/** The number of this release's last migration. Numbers have gaps, so it is not their count. */
export const schemaVersion = latestOf(migrations)

type Embedded = Extract<Database, { kind: "pglite" }>
type Server = Extract<Database, { kind: "postgres" }>

/**
 * An embedded database is used by one process at a time, so earlier holders of jobs or branches have exited. Their
 * leases are released immediately instead of when they expire.
 */
const freeOrphans = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  yield* sql`UPDATE connector_targets SET lease_holder = NULL, lease_until = NULL WHERE lease_holder IS NOT NULL`
  const [queue] = yield* sql<{ there: boolean }>`SELECT to_regclass('effect_queue') IS NOT NULL AS there`
  if (queue?.there === true) {
    yield* sql`UPDATE effect_queue SET acquired_at = NULL, acquired_by = NULL
      WHERE state = 'pending' AND acquired_at IS NOT NULL`
  }
})

/**
 * An interrupted copy may have every required file and still lack files of tables, and another program's database must
 * not be migrated.
 */
const checkWhole = (dataDir: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const [row] = yield* sql<{ lost: number; ours: boolean; others: number }>`SELECT
      (SELECT count(*)::int FROM pg_class WHERE pg_relation_filenode(oid) IS NOT NULL
        AND pg_stat_file(pg_relation_filepath(oid), true) IS NULL) AS lost,
      to_regclass('orgplane_migrations') IS NOT NULL AS ours,
      (SELECT count(*)::int FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema') AS others`
    if (row === undefined) return
    if (row.lost > 0) {
      return yield* incomplete(dataDir, `the files of ${row.lost} of its tables and indexes are missing`)
    }
    if (!row.ours && row.others > 0)
      return yield* incomplete(dataDir, "the database contains tables of another program")
  })

/** Chooses the schema, and migrates it to this release. */
export const install = (schema?: string) => Effect.andThen(chooseSchema(schema), migrate(migrations, { requirements }))

/** A process of an earlier release may start beside processes of a later one, during an upgrade or a rollback. */
const reportNewer = Effect.gen(function* () {
  const { version } = yield* schemaState
  if (version <= schemaVersion) return
  yield* Effect.logWarning(
    `The database's schema version is ${version}. It is newer than that of this release (${schemaVersion}), and compatible with it.`
  )
})

const prepare = ({ migrations: mode = "run", schema }: Server) =>
  Effect.andThen(
    chooseSchema(schema),
    Effect.gen(function* () {
      yield* demandNotMoved
      if (mode === "run") yield* migrate(migrations, { requirements })
      else yield* demandCurrent(schemaVersion)
      yield* reportNewer
    })
  )

const layerEmbedded = (database: Embedded) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      yield* chooseSchema(database.schema)
      if (database.dataDir !== "memory") yield* checkWhole(resolve(database.dataDir))
      yield* demandNotMoved
      yield* migrate(migrations, { requirements })
      yield* reportNewer
      yield* freeOrphans
    })
  ).pipe(
    Layer.provideMerge(
      layerPglite({
        dataDir: database.dataDir,
        ...(database.snapshot === undefined ? {} : { snapshot: database.snapshot }),
        ...(database.thread === undefined ? {} : { thread: database.thread })
      })
    )
  )

/**
 * Pools and schema are created together, so that startup waits for a server that is unavailable or read-only at any
 * step.
 */
const layerServer = (database: Server) => {
  const client = layerPostgres({
    ...serverOptions(database),
    ...(database.maxConnections === undefined ? {} : { maxConnections: database.maxConnections })
  })
  return Layer.effectContext(
    Effect.flatMap(Effect.scope, (parent) => {
      const attempt = Effect.flatMap(Scope.fork(parent), (scope) =>
        Layer.build(client).pipe(
          Effect.tap((context) =>
            Effect.provideContext(
              Effect.all([demandWritable(database.url), demandSessions(database.url), prepare(database)]),
              context
            )
          ),
          Scope.provide(scope),
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
        )
      )
      return awaitPostgres(attempt, { url: database.url, waitSeconds: database.waitSeconds ?? waitSecondsDefault })
    })
  )
}

type Failure = Layer.Error<ReturnType<typeof layerEmbedded>> | Layer.Error<ReturnType<typeof layerServer>>

const layerMigrated = (database: Database): Layer.Layer<Layer.Success<ReturnType<typeof layerServer>>, Failure> =>
  database.kind === "pglite" ? layerEmbedded(database) : layerServer(database)

/** The database, migrated to this release's schema, and the notifications between its processes. */
export const layerDatabase = (database: Database) =>
  Notices.layer({ beatMillis: 1000 }).pipe(Layer.provideMerge(layerMigrated(database)))

const serverOptions = (database: Server) => ({
  url: database.url,
  ...(database.password === undefined ? {} : { password: database.password }),
  ...(database.tls === undefined ? {} : { tls: database.tls })
})

/** Runs an effect on the database without starting anything else. */
const onDatabase = <A, E>(
  database: Database,
  effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof layerPostgres>>>,
  applicationName?: string
) => {
  if (database.kind === "pglite") {
    return Effect.provide(effect, layerPglite({ dataDir: database.dataDir }), { local: true })
  }
  const parameters = applicationName === undefined ? "" : `application_name=${applicationName}`
  const url = `${database.url}${parameters === "" ? "" : database.url.includes("?") ? "&" : "?"}${parameters}`
  return awaitPostgres(Effect.provide(effect, layerPostgres({ ...serverOptions(database), url }), { local: true }), {
    url: database.url,
    waitSeconds: database.waitSeconds ?? waitSecondsDefault
  })
}

/** Runs an effect on an existing database without changing its schema, or waiting for a server that is unavailable. */
export const onExistingDatabase = <A, E>(
  database: Database,
  effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof layerPostgres>>>,
  applicationName?: string
) =>
  onDatabase(
    database.kind === "pglite" ? database : { ...database, waitSeconds: 0 },
    Effect.andThen(chooseSchema(database.schema), effect),
    applicationName
  )

/**
 * Runs an effect on an existing embedded database of this machine, without changing its schema. The directory must not be
 * in use.
 */
export const onEmbeddedDatabase = <A, E>(
  database: Pick<Embedded, "dataDir" | "schema">,
  effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof layerPglite>>>
) =>
  Effect.provide(Effect.andThen(chooseSchema(database.schema), effect), layerPglite({ dataDir: database.dataDir }), {
    local: true
  })

/** The state of a database's server and schema. */
export const databaseState = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const [row] = yield* sql<{ server: string; standby: boolean; readonly: boolean }>`SELECT
    current_setting('server_version') AS server, pg_is_in_recovery() AS standby,
    current_setting('transaction_read_only')::boolean AS readonly`
  const state = yield* schemaState
  return {
    server: row?.server ?? "",
    isWritable: row?.standby === false && !row.readonly,
    schema: state,
    pending: namesAfter(migrations, state.version)
  }
})

/** Why this release cannot use a database, as a sentence that starts with the subject; undefined if it can, or if it can migrate it. */
export const schemaFault = (schema: SchemaState, subject: string) => newerSchemaFault(schema, schemaVersion, subject)

/** Migrates a database, and returns the names of the migrations that ran, and the version of its schema. */
export const migrateDatabase = (database: Database) =>
  onDatabase(
    database,
    Effect.map(Effect.all([install(database.schema), schemaState]), ([ran, { version }]) => ({
      ran: ran.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`),
      version
    }))
  )

/** Moves the tables of an earlier release to a schema of their own, after it upgraded them to this release. */
export const moveDatabase = (database: Database, to: string) =>
  onDatabase(
    database,
    // Tables of a later release would stay behind.
    moveSchema(to, Effect.andThen(demandNotNewer(schemaVersion), migrate(migrations, { requirements }))),
    moverName
  )
