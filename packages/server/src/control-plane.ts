import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { makeApp } from "./app.ts"
import { layerLogger } from "./logger.ts"
import type { ControlPlaneOptions, Database } from "./options.ts"

/** A control plane inside your application. */
export interface ControlPlane {
  /** Answers one request; any number at a time. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Ends it: requests that were accepted are finished, workers stop, the database is closed. Twice is once. */
  readonly dispose: () => Promise<void>
}

/** PostgreSQL's engine in this process, with its data in a directory, or in memory. */
export const pglite = (dataDir: string | "memory"): Database => ({ kind: "pglite", dataDir })

/** A PostgreSQL server, as `postgres://user:password@host:5432/database`. */
export const postgres = (url: string): Database => ({ kind: "postgres", url })

/**
 * Starts a control plane. Nothing is global: two in one process have nothing in common, and nothing runs before this is
 * called or after `dispose` has ended.
 *
 * Rejects with a sentence when it cannot start: the data directory is in use, the database cannot be reached or was made
 * by a later release, the secret keys are missing.
 */
export const make = async (options: ControlPlaneOptions): Promise<ControlPlane> => {
  const scope = Scope.makeUnsafe()
  const ending = { begun: undefined as Promise<void> | undefined, open: 0, idle: () => {} }
  const built = await Effect.runPromiseExit(
    Effect.gen(function* () {
      const context = yield* Layer.build(layerLogger(options.logLevel ?? "warn"))
      const { app } = yield* makeApp(options).pipe(Effect.provideContext(context))
      return { app, context }
    }).pipe(Scope.provide(scope))
  )
  if (Exit.isFailure(built)) {
    await Effect.runPromise(Scope.close(scope, built))
    return Effect.runPromise(Effect.failCause(built.cause))
  }
  const handle = HttpEffect.toWebHandlerWith<never, HttpServerRequest | Scope.Scope>(built.value.context)(built.value.app)
  return {
    fetch: async (request) => {
      if (ending.begun !== undefined) return new Response(null, { status: 503, headers: { "retry-after": "5" } })
      if (request.bodyUsed) {
        throw new TypeError("The request's body was read before; mount the control plane ahead of body parsers.")
      }
      ending.open += 1
      try {
        return await handle(request)
      } finally {
        ending.open -= 1
        if (ending.open === 0) ending.idle()
      }
    },
    dispose: () =>
      (ending.begun ??= (async () => {
        if (ending.open > 0) await new Promise<void>((resolve) => (ending.idle = resolve))
        await Effect.runPromise(Scope.close(scope, Exit.void))
      })())
  }
}

/**
 * The control plane as a layer of routes for a host that is itself an Effect application: it answers everything below
 * its path prefix (everything, without one) and leaves the host's other routes alone.
 */
export const layer = (options: ControlPlaneOptions) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const { app } = yield* makeApp(options)
      const prefix = options.pathPrefix ?? ""
      yield* router.add("*", `${prefix as "/"}/*`, app)
    })
  )

