/** The pages of the console. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Settings } from "../../infra/config/settings.ts"
import { SettingNames } from "../../infra/config/setting-names.ts"
import { routeNotFound } from "../../infra/http/edge.ts"
import { withoutTrailing } from "../../infra/normalize.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { apiPath, refused } from "./exchange.ts"
import { type ConsoleFiles, failedPage, readConsole, serveConsole, waitingPage } from "./files.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The path of the console in browsers, such as `/console`. A reverse proxy may serve this server below another path. */
export const consolePath = (consoleUrl: string): string => new URL(consoleUrl).pathname

const signInUrlOf = ({ console }: ControlPlaneOptions): string | undefined =>
  typeof console === "object" ? console.signInUrl : undefined

/** The path and the query of the request as it was received, before the path prefix and slashes were removed. */
const receivedUrl = ({ originalUrl }: Request): { readonly path: string; readonly query: string } => {
  const [path = "", ...query] = originalUrl.replace(/^https?:\/\/[^/?#]*/i, "").split("?")
  return { path: path === "" ? "/" : path, query: query.length === 0 ? "" : `?${query.join("?")}` }
}

const redirectTo = (location: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 302, headers: { location, "cache-control": "no-store", vary: "Accept" } })

const isMissingPackage = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  cause.code === "ERR_MODULE_NOT_FOUND" &&
  cause.message.includes("@orgplane/console")

/** Why the console cannot be served, for its page and for the log. */
const problemOf = (cause: unknown, names: "variables" | "options") => {
  const off = names === "variables" ? "set ORGPLANE_CONSOLE to false" : "set the option console to false"
  return isMissingPackage(cause)
    ? {
        page: "The console is not installed on this server.",
        log: `The console cannot be served: the package @orgplane/console is not installed. Install it, or ${off}.`
      }
    : {
        page: "The console cannot be served. The log of the server contains the reason.",
        log: `The console cannot be served: ${cause instanceof Error ? cause.message : String(cause)}`
      }
}

/** The routes of the console; none if the option `console` is false. */
export const layerConsole = (options: ControlPlaneOptions) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const { consoleUrl, pathPrefix } = yield* Settings
      if (consoleUrl === null) return
      const path = consolePath(consoleUrl)
      const names = yield* SettingNames
      const run = Effect.runForkWith(yield* Effect.context())
      let files: ConsoleFiles | undefined
      let problem: string | undefined
      const load = async () => {
        const { consoleDirectory } = await import("@orgplane/console")
        const directory = await consoleDirectory(({ isBuilding, seconds }) => {
          run(
            isBuilding
              ? Effect.logInfo("Building the console, which takes a few seconds. The API is available meanwhile.")
              : Effect.logInfo("The console is ready.", { seconds })
          )
        })
        files = await readConsole(directory, { path, signInUrl: signInUrlOf(options) })
      }
      yield* Effect.forkScoped(
        Effect.tryPromise({ try: load, catch: (cause) => problemOf(cause, names) }).pipe(
          Effect.catch(({ log, page }) => {
            problem = page
            return Effect.logError(log)
          })
        )
      )
      const serve = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
        const received = receivedUrl(request)
        const routed = request.url.split("?", 1)[0] ?? ""
        // The first page has one address.
        if (routed === "/console" && !received.path.endsWith("/")) return redirectTo(`${path}/${received.query}`)
        if (problem !== undefined) return failedPage(problem)
        if (files === undefined) return waitingPage()
        return serveConsole(files, routed.slice("/console/".length), request) ?? routeNotFound()
      })
      yield* router.add("GET", "/console/*", serve)
      // People open the address of the server in a browser. Other clients get the same response as without the console.
      const home = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
        const isRoot = withoutTrailing(receivedUrl(request).path, "/") === pathPrefix
        const isPage = (request.headers["accept"] ?? "").includes("text/html")
        return isRoot && isPage ? redirectTo(`${path}/`) : routeNotFound()
      })
      yield* router.add("GET", "/", home)
      yield* router.add("*", `${apiPath}/*`, Effect.map(HttpServerRequest.HttpServerRequest, refused))
    })
  )
