import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { makeApp } from "./app.ts"
import type { ControlPlaneOptions, Database } from "./infra/options.ts"
import { type Peer, start } from "./start.ts"

/** A control plane inside your application. */
export interface ControlPlane {
  /**
   * Handles a request. Calls may overlap. Pass the caller's address in `peer`; otherwise rate limits per source IP
   * address treat all callers as one.
   */
  readonly fetch: (request: Request, peer?: Peer) => Promise<Response>
  /** Shuts down: finishes accepted requests, stops workers, closes the database. Idempotent. */
  readonly dispose: () => Promise<void>
}

/** PostgreSQL's engine in this process, with its data in a directory or in memory. */
export const pglite = (dataDir: string | "memory"): Database => ({ kind: "pglite", dataDir })

/** A PostgreSQL server, as `postgres://user:password@host:5432/database`. */
export const postgres = (url: string): Database => ({ kind: "postgres", url })

/**
 * Starts a control plane. There is no global state: two control planes in one process are independent, and nothing runs
 * before this call or after `dispose`.
 *
 * Rejects with a one-line message if it cannot start, for example because the data directory is in use, the database is
 * unreachable or was created by a later release, or the secret keys are missing.
 */
export const make = async (options: ControlPlaneOptions): Promise<ControlPlane> => {
  const { dispose, fetch } = await start(options)
  return { fetch, dispose }
}

/**
 * The control plane as a layer of routes for an Effect application. It handles all paths below its path prefix (all
 * paths without one) and does not affect the application's other routes.
 */
export const layer = (options: ControlPlaneOptions) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const { app } = yield* makeApp(options)
      const prefix = options.pathPrefix ?? ""
      yield* router.add("*", `${prefix as "/"}/*`, app)
    })
  )
