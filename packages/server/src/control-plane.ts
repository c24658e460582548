import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { makeApp } from "./app.ts"
import { checkOptions } from "./infra/config/check-options.ts"
import type { ControlPlaneOptions, Database } from "./infra/options.ts"
import { type Change, type ChangeOptions, makeChanges, type Subscription } from "./changes.ts"
import { migrateDatabase, moveDatabase } from "./infra/sql/database.ts"
import {
  postgresDatabase,
  type PostgresDatabaseOptions,
  type PostgresPool,
  type PostgresSettings
} from "./infra/sql/postgres-source.ts"
import { schemaDefault } from "./infra/sql/schema.ts"
import { runStep } from "./start-error.ts"
import { type Peer, start } from "./start.ts"

/** A control plane inside your application. */
export interface ControlPlane {
  /**
   * Handles a request. Calls may overlap. Pass the caller's address in `peer`; otherwise rate limits per source IP
   * address treat all callers as one.
   */
  readonly fetch: (request: Request, peer?: Peer) => Promise<Response>
  /** The option `pathPrefix`; empty if it is not set. `createEmbeddedClient` reads it. */
  readonly pathPrefix: "" | `/${string}`
  /**
   * Calls a listener for each committed change of any process on the database, as the audit log records it. Changes are
   * delivered in the order in which they were recorded, usually within two seconds. At least one process on the database
   * must run background work.
   *
   * ```ts
   * const { ready, stop } = controlPlane.onChange((change) => console.log(change.action, change.targetId), {
   *   consumer: "search-index",
   *   actions: ["plugin.create", "plugin.update"]
   * })
   * ```
   */
  readonly onChange: (listener: (change: Change) => void | Promise<void>, options?: ChangeOptions) => Subscription
  /**
   * Delivers the same changes through an async iterator. A change is handled when the next one is requested, so the change
   * at which the loop ends is delivered again.
   */
  readonly events: (options?: ChangeOptions) => AsyncGenerator<Change, void, undefined>
  /** Shuts down: finishes accepted requests, stops workers, closes the database. Idempotent. */
  readonly dispose: () => Promise<void>
}

/** PostgreSQL's engine in this process, with its data in a directory or in memory. */
export const pglite = (dataDir: string | "memory"): Database => ({ kind: "pglite", dataDir })

/**
 * A PostgreSQL server: a URL such as `postgres://user:password@host:5432/database`, connection settings, or a `pg.Pool`,
 * whose settings are used. The control plane opens its own connections, and does not use the connections of a pool.
 */
export const postgres: (
  source: string | PostgresSettings | PostgresPool,
  options?: PostgresDatabaseOptions
) => Database = postgresDatabase

/**
 * Creates or upgrades the tables, as a deployment step before servers start with `migrations: "check"`. Idempotent;
 * concurrent calls wait for each other. Requires the privileges to create tables, which servers do not need.
 *
 * @returns the names of the migrations that ran.
 */
export const migrate = async (options: Pick<ControlPlaneOptions, "database">): Promise<ReadonlyArray<string>> => {
  checkOptions(options)
  const { ran } = await runStep(migrateDatabase(options.database), options)
  return ran
}

/**
 * Moves the tables of an installation of an earlier release, which are in a schema of the search path such as `public`, to
 * a separate schema: `to`, by default the option `schema` of the database, or `orgplane`. Stop all servers first.
 */
export const moveSchema = async (
  options: Pick<ControlPlaneOptions, "database">,
  to = options.database.schema ?? schemaDefault
): Promise<{ readonly from: string; readonly moved: number }> => {
  checkOptions(options)
  return runStep(moveDatabase(options.database, to), options)
}

/**
 * Starts a control plane. There is no global state: two control planes in one process are independent, and nothing runs
 * before this call or after `dispose`.
 *
 * Rejects with a one-line message if it cannot start, for example because the data directory is in use, the database is
 * unreachable or was created by a later release, or the secret keys are missing.
 */
export const make = async (options: ControlPlaneOptions): Promise<ControlPlane> => {
  const { dispose, fetch, services } = await start(options)
  const { events, onChange, stopAll } = makeChanges(services)
  return { fetch, pathPrefix: options.pathPrefix ?? "", onChange, events, dispose: () => stopAll().then(dispose) }
}

/**
 * The control plane as a layer of routes for an Effect application. It handles all paths below its path prefix (all
 * paths without one) and does not affect the application's other routes.
 */
export const layer = (options: ControlPlaneOptions) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      checkOptions(options)
      const { app } = yield* makeApp(options)
      const prefix = options.pathPrefix ?? ""
      yield* router.add("*", `${prefix as "/"}/*`, app)
    })
  )
