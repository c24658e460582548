import { OrgplaneApi } from "@orgplane/schema/api"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as agents from "./agents/wing.ts"
import * as content from "./content/wing.ts"
import * as enterprise from "./enterprise/wing.ts"
import { layerAuthentication, layerValidation } from "./identity/auth/authentication.ts"
import * as identity from "./identity/wing.ts"
import { Settings } from "./infra/config/settings.ts"
import { KeyRing } from "./infra/crypto/key-ring.ts"
import { trustedProxies } from "./infra/http/client-address.ts"
import { compileSchemas } from "./infra/http/compile-schemas.ts"
import { layerEndpoints, type PreparedRoutes } from "./infra/http/dispatch/layer.ts"
import { type Edge, layerEdge, makeEdge, routeNotFound } from "./infra/http/edge.ts"
import { corsOrigins } from "./infra/http/headers.ts"
import { holdsLinkToken, PresentedLinkToken, takeLinkToken } from "./infra/http/link-token.ts"
import { withoutTrailing } from "./infra/normalize.ts"
import type { ControlPlaneOptions } from "./infra/options.ts"
import { SqlDatabase } from "./infra/sql/client.ts"
import { withServerSpan } from "./infra/tracing.ts"
import { shareWakes } from "./infra/sql/wakes.ts"
import * as infra from "./infra/wing.ts"
import { apiPath, makeExchange } from "./operations/console/exchange.ts"
import { consolePath, layerConsole } from "./operations/console/http.ts"
import { layerMetrics } from "./operations/metrics/http.ts"
import { serveOperator } from "./operations/operator/index.ts"
import { layerLinkPages } from "./operations/system/link-pages.ts"
import * as operations from "./operations/wing.ts"
import { routes } from "./routes.ts"
import { seedDemo } from "./seed.ts"

/** The services that modules share. Each wing depends on the wings below it. */
const layerServices = (options: ControlPlaneOptions) =>
  operations.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(content.layer, enterprise.layer)),
    Layer.provideMerge(agents.layer),
    Layer.provideMerge(identity.layer),
    Layer.provideMerge(infra.layer(options))
  )

const wingWorkers = [
  ...identity.workers,
  ...agents.workers,
  ...content.workers,
  ...enterprise.workers,
  ...operations.workers
]
type Worker = (typeof wingWorkers)[number]
/** The background work of all modules, as one type: every worker gets all services. */
const workers: ReadonlyArray<Effect.Effect<void, Effect.Error<Worker>, Effect.Services<Worker>>> = wingWorkers

const edgeOf = (options: ControlPlaneOptions) => {
  const publicHost = new URL(options.publicUrl ?? "http://localhost").hostname.toLowerCase()
  return makeEdge({
    hosts: new Set([publicHost, ...(options.hosts ?? []).map((host) => host.toLowerCase())]),
    trustedProxies: trustedProxies(options.trustedProxies ?? []),
    headers: {
      secure: options.publicUrl?.startsWith("https:") === true,
      corsOrigins: corsOrigins(options.corsOrigins ?? [])
    },
    statementMillisMax: (options.databaseTimeoutSeconds ?? 10) * 1000
  })
}

const layerRoutes = (options: ControlPlaneOptions, edge: Edge, prepared: PreparedRoutes) =>
  Layer.mergeAll(
    layerEndpoints(OrgplaneApi, prepared).pipe(
      Layer.provide(routes),
      Layer.provide([layerAuthentication, layerValidation])
    ),
    layerMetrics(options),
    layerLinkPages,
    layerConsole(options),
    // HEAD is not listed: the router derives it from GET.
    ...(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const).map((method) =>
      HttpRouter.add(method, "/*", Effect.sync(routeNotFound))
    ),
    layerEdge(edge)
  ).pipe(Layer.provide(HttpServer.layerServices))

/** Short names of public operations, for load balancers and people. */
const aliases: Readonly<Record<string, string>> = {
  "/health": "/v1/health",
  "/live": "/v1/live",
  "/ready": "/v1/ready",
  "/openapi.json": "/v1/openapi.json",
  "/docs": "/v1/docs"
}

/**
 * The path for the router: without the prefix, a trailing slash or an alias. A path outside the prefix becomes the
 * root, which has no route.
 */
const routed = (url: string, prefix: string): string => {
  if (prefix !== "" && url !== prefix && !url.startsWith(`${prefix}/`) && !url.startsWith(`${prefix}?`)) return "/"
  const own = url.slice(prefix.length)
  const question = own.indexOf("?")
  const path = question === -1 ? own : own.slice(0, question)
  const plain = path.length > 1 && path.endsWith("/") ? withoutTrailing(path, "/") : path === "" ? "/" : path
  // No alias starts with this, and looking one up takes longer than the comparison.
  const target = plain.startsWith("/v1/") ? plain : (aliases[plain] ?? plain)
  return question === -1 ? target : target + own.slice(question)
}

/** The request handler of a built control plane. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** Paths are case-sensitive, as documented. The schema limits the length of an identifier. */
const routing = { caseSensitive: true, maxParamLength: 16_384 }

/**
 * How long a session is kept after a sign-in replaced it: requests of other tabs may be under way with it, and the browser may
 * not have received the new cookie yet.
 */
const replacedSessionMillis = 2000

/** Builds a control plane that lives as long as the scope. */
export const makeApp = Effect.fnUntraced(function* (options: ControlPlaneOptions) {
  compileSchemas(OrgplaneApi)
  const services = yield* Layer.build(layerServices(options))
  const edge = edgeOf(options)
  const prepared: PreparedRoutes = FindMyWay.make(routing)
  const handled = yield* HttpRouter.toHttpEffect(layerRoutes(options, edge, prepared)).pipe(
    // Otherwise the router of an Effect host would be reused, and its other paths would serve these routes, too.
    Effect.provideService(Layer.CurrentMemoMap, Layer.makeMemoMapUnsafe()),
    Effect.provideContext(services),
    Effect.provideService(HttpRouter.RouterConfig, routing)
  )
  const sql = yield* SqlDatabase.pipe(Effect.provideContext(services))
  yield* shareWakes(sql, options.workers !== false).pipe(Effect.provideContext(services), Effect.forkScoped)
  if (options.workers !== false) {
    for (const worker of workers) yield* worker.pipe(Effect.provideContext(services), Effect.forkScoped)
  }
  yield* serveOperator(options).pipe(Effect.provideContext(services))
  const scope = yield* Effect.scope
  const keyRing = yield* KeyRing.pipe(Effect.provideContext(services))
  const { consoleUrl, pathPrefix: prefix } = yield* Settings.pipe(Effect.provideContext(services))
  const exchange =
    consoleUrl === null
      ? undefined
      : makeExchange(keyRing, { path: consolePath(consoleUrl), isSecure: consoleUrl.startsWith("https:") })
  const app = Effect.withFiber((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    const routedUrl = routed(request.url, prefix)
    const hasLink = holdsLinkToken(routedUrl)
    // The console has no links, and the token of one must not reach the operations.
    const forwarded = !hasLink && routedUrl.startsWith(`${apiPath}/`) ? exchange?.(request, routedUrl) : undefined
    if (forwarded !== undefined) {
      const { signOut, toResponse } = forwarded
      const serve = (each: HttpServerRequest.HttpServerRequest) =>
        Effect.provideService(handled, HttpServerRequest.HttpServerRequest, each)
      const response = withServerSpan(Effect.map(serve(forwarded.request), toResponse), request, forwarded.request.url)
      if (signOut === undefined) return response
      // The person is signed in even if the replaced session cannot be revoked.
      const signedOut = withServerSpan(serve(signOut), signOut, signOut.url).pipe(
        Effect.delay(replacedSessionMillis),
        Effect.scoped,
        Effect.ignoreCause,
        Effect.forkIn(scope)
      )
      return Effect.tap(response, ({ status }) => (status < 300 ? signedOut : Effect.void))
    }
    // The code below does not receive the link token in the URL.
    const link = hasLink ? takeLinkToken(routedUrl) : undefined
    const url = link?.url ?? routedUrl
    const own =
      url === request.url
        ? handled
        : Effect.provideService(handled, HttpServerRequest.HttpServerRequest, request.modify({ url }))
    return withServerSpan(
      link === undefined ? own : Effect.provideService(own, PresentedLinkToken, link.token),
      request,
      url
    )
  }) as App
  /** Creates the demo workspace in an empty database. */
  const demo = (dataDir: string) => seedDemo(dataDir, services)
  return { app, demo, services, edge, prepared, routed: (url: string) => routed(url, prefix) } as const
})
