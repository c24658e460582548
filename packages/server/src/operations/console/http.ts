/** The pages of the console. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { routeNotFound } from "../../infra/http/edge.ts"
import { withoutTrailing } from "../../infra/normalize.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { apiPath, refused } from "./exchange.ts"
import { type ConsoleFiles, readConsole, serveConsole, waitingPage } from "./files.ts"

export const consolePath = (options: ControlPlaneOptions): string =>
  `${options.pathPrefix === undefined ? "" : withoutTrailing(options.pathPrefix, "/")}/console`

/** The routes of the console; none if the option `console` is false. */
export const layerConsole = (options: ControlPlaneOptions) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      if (options.console !== true) return
      const path = consolePath(options)
      let files: ConsoleFiles | undefined
      const load = async () => {
        const { consoleDirectory } = await import("@orgplane/console")
        files = await readConsole(await consoleDirectory(), path)
      }
      yield* Effect.forkScoped(
        Effect.tryPromise({ try: load, catch: (cause) => cause }).pipe(
          Effect.catch((cause) => Effect.logError("The console cannot be served.", cause))
        )
      )
      const serve = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
        if (files === undefined) return waitingPage()
        const name = (request.url.split("?", 1)[0] ?? "").slice("/console/".length)
        return serveConsole(files, name, request) ?? routeNotFound()
      })
      yield* router.add("GET", "/console/*", serve)
      yield* router.add("*", `${apiPath}/*`, Effect.map(HttpServerRequest.HttpServerRequest, refused))
    })
  )
