import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { join, resolve } from "node:path"
import type { Worker } from "node:worker_threads"
import { type DataDirLocked, type DataDirUnusable, lockDataDir } from "./data-dir.ts"
import { DataDirIncomplete, inspectDataDir, makeDatabase, removeRestored } from "./data-dir-state.ts"
import { makeTypes } from "./int8.ts"
import { withLostRollbacks } from "./lost-rollback.ts"
import { withFairTurns } from "./pglite-client.ts"
import { startEngine } from "./pglite-engine.ts"
import { type ReadText, readTextWith } from "./pglite-read-text.ts"
import { makeSessions } from "./pglite-sessions.ts"

export interface PgliteOptions {
  /** `memory`, or a directory: created if missing, and locked for this process; the database is in its `database`. */
  readonly dataDir: string
  /** A dump (`Pglite.dump`) to start from; the directory must not contain a database yet. */
  readonly snapshot?: Uint8Array | Blob
  /** A thread that has already loaded the engine. Used at most once. */
  readonly thread?: Worker
  readonly maxConnections?: number
  /** How long a transaction may send no statement while others wait for it. */
  readonly heldMillisMax?: number
  /** Maximum size of the result of one statement. */
  readonly resultBytesMax?: number
}

/** Operations of the embedded database that a PostgreSQL client does not have. */
export class Pglite extends Context.Service<
  Pglite,
  {
    /** The whole database as one archive, for `snapshot`. */
    readonly dump: Effect.Effect<Uint8Array, SqlError>
    /**
     * Runs a task after a checkpoint and while no statement runs, so that the files of the database are consistent and do
     * not change. All requests wait until the task ends.
     */
    readonly atRest: <A, E>(task: (read: ReadText) => Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
    /** Terminates the engine immediately, like a crash. */
    readonly kill: Effect.Effect<void>
  }
>()("@orgplane/server/sql/Pglite") {}

const engineError = (operation: string) => (cause: unknown) =>
  new SqlError({
    reason: new ConnectionError({ cause, message: cause instanceof Error ? cause.message : String(cause), operation })
  })

const make = Effect.fnUntraced(function* (
  options: PgliteOptions
): Effect.fn.Return<
  Context.Context<PgClient.PgClient | SqlClient.SqlClient | Pglite>,
  SqlError | DataDirLocked | DataDirUnusable | DataDirIncomplete,
  Scope.Scope | Reactivity.Reactivity
> {
  const home = options.dataDir === "memory" ? undefined : resolve(options.dataDir)
  const lost = home === undefined ? Effect.never : yield* lockDataDir(home)
  const { engine, sessions } = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const resultBytesMax = options.resultBytesMax ?? 256 * 1024 * 1024
        const { snapshot } = options
        let { thread } = options
        const first = {
          ...(snapshot === undefined
            ? {}
            : { snapshot: snapshot instanceof Blob ? new Uint8Array(await snapshot.arrayBuffer()) : snapshot }),
          resultBytesMax
        }
        const state = home === undefined ? undefined : await inspectDataDir(home)
        if (home !== undefined && state === "complete") await removeRestored(home)
        if (home !== undefined && state === "empty") {
          thread = undefined
          await makeDatabase(home, async (dataDir) =>
            (await startEngine({ ...first, dataDir }, options.thread)).close()
          )
        } else if (home !== undefined && snapshot !== undefined) {
          throw new Error(`${home} already contains a database. Load the dump into an empty directory.`)
        }
        const engine = await startEngine(
          home === undefined ? first : { dataDir: join(home, "database"), resultBytesMax },
          thread
        )
        const sessions = makeSessions(
          engine,
          options.heldMillisMax === undefined ? {} : { heldMillisMax: options.heldMillisMax }
        )
        return { engine, sessions }
      },
      catch: (cause) => (cause instanceof DataDirIncomplete ? cause : engineError("connect")(cause))
    }),
    ({ engine, sessions }) =>
      Effect.promise(async () => {
        await sessions.close()
        await engine.close().catch(() => {})
      })
  )
  // Another process took over the directory while this one was paused, so a write would damage its database.
  yield* lost.pipe(
    Effect.andThen(Effect.promise(engine.kill)),
    Effect.andThen(
      Effect.logError(
        `Another process took over the data directory ${home}, because this one was paused for too long. ` +
          "The database was closed to prevent damage. Stop this process."
      )
    ),
    Effect.forkScoped
  )
  const baseClient = yield* PgClient.make({
    stream: sessions.connect,
    ssl: false,
    username: "postgres",
    database: "postgres",
    // Prepared statement names would be shared by all sessions of the backend.
    prepare: false,
    types: makeTypes(),
    maxConnections: options.maxConnections ?? 10
  })
  const client = withLostRollbacks(yield* withFairTurns(baseClient))
  return Context.make(PgClient.PgClient, client).pipe(
    Context.add(SqlClient.SqlClient, client),
    Context.add(Pglite, {
      dump: Effect.tryPromise({ try: () => sessions.alone(engine.dump), catch: engineError("dump") }),
      atRest: <A, E>(task: (read: ReadText) => Effect.Effect<A, E>) =>
        Effect.tryPromise({
          try: () =>
            sessions.alone(async () => {
              const read = readTextWith(engine)
              await read("CHECKPOINT")
              return Effect.runPromiseExit(task(read))
            }),
          catch: engineError("checkpoint")
        }).pipe(Effect.flatten, Effect.uninterruptible),
      kill: Effect.promise(engine.kill)
    })
  )
})

/**
 * The embedded database: PostgreSQL in this process, in its own thread, with the same client as a server.
 *
 * One backend serves all sessions, so a transaction has the database exclusively, session state (`SET` without `LOCAL`,
 * session advisory locks, temporary tables) is shared by all, and a running statement cannot be canceled.
 */
export const layerPglite = (
  options: PgliteOptions
): Layer.Layer<
  PgClient.PgClient | SqlClient.SqlClient | Pglite,
  SqlError | DataDirLocked | DataDirUnusable | DataDirIncomplete
> => Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))
