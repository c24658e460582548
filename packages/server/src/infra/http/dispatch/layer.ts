import { Authentication } from "@orgplane/schema/shared/access"
import { AccessKind, IgnoresUnknown } from "@orgplane/schema/shared/auth"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as FindMyWay from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import { CurrentResponse } from "../current-response.ts"
import { type DirectHandle, directHandleOf } from "../handlers.ts"
import { Admission, type EndpointAdmission } from "./admission.ts"
import { type Contract, type Handle, prepareEndpoint, type PreparedEndpoint } from "./endpoint.ts"
import { checkUnknown, queryCheckOf } from "./unknown-members.ts"

type Route = HttpRouter.Route<unknown, unknown>

/** The service that `HttpApiBuilder.group` adds to the context for each group. */
interface GroupService {
  /** One route for each handler, in the same order. */
  readonly routes: ReadonlyArray<Route>
  readonly handlers: ReadonlyMap<string, { readonly handler: Handle; readonly isRaw: boolean }>
}

const isGroupService = (value: unknown): value is GroupService =>
  typeof value === "object" &&
  value !== null &&
  "routes" in value &&
  Array.isArray(value.routes) &&
  "handlers" in value &&
  value.handlers instanceof Map &&
  value.handlers.size === value.routes.length

/** A route whose endpoint is prepared. */
export interface PreparedRoute {
  readonly route: Route
  readonly endpoint: PreparedEndpoint
  readonly admission: EndpointAdmission
  /** Undefined for a handler that looks up its caller itself. */
  readonly direct: DirectHandle | undefined
}

/** The prepared endpoint of each route; null for routes that the framework handles. */
export type PreparedRoutes = FindMyWay.Router<PreparedRoute | null>

const encodeRefusal = Schema.encodeUnknownSync(InvalidRequest)

/** The route of an endpoint that the framework handles, with a check of its query. */
const withQueryCheck = (route: Route, { endpoint, mergedAnnotations }: Contract): Route => {
  const ignored = Context.getOrUndefined(mergedAnnotations, IgnoresUnknown) ?? []
  const isScim = Context.getOrUndefined(mergedAnnotations, AccessKind)?.kind === "scim"
  const unknownIn = isScim || ignored === true ? undefined : queryCheckOf(endpoint.query, ignored)
  if (unknownIn === undefined) return route
  const handler = Effect.withFiber<HttpServerResponse.HttpServerResponse, unknown, unknown>(({ context }) => {
    const refusal = checkUnknown(unknownIn(Context.getUnsafe(context, HttpServerRequest.ParsedSearchParams)), {
      prefer: Context.getUnsafe(context, HttpServerRequest.HttpServerRequest).headers["prefer"],
      responseHeaders: Context.getUnsafe(context, CurrentResponse).headers
    })
    return refusal === undefined
      ? route.handler
      : Effect.succeed(HttpServerResponse.jsonUnsafe(encodeRefusal(refusal), { status: 400 }))
  })
  return HttpRouter.route(route.method, route.path, handler, { uninterruptible: route.uninterruptible })
}

/**
 * Adds the endpoints of an API to the router: prepared where `prepareEndpoint` supports it, otherwise the framework's.
 * Both are also added to `prepared`, which serves requests that do not pass the router.
 */
export const layerEndpoints = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  prepared: PreparedRoutes
) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const groups = yield* Effect.context<HttpApiGroup.ToService<Id, Groups>>()
      const authenticate = yield* Authentication
      const admissionOf = yield* Admission
      const contracts = new Map<string, Contract>()
      const reflected: Array<HttpApiGroup.Top> = []
      HttpApi.reflect(api, {
        onGroup: ({ group }) => reflected.push(group),
        onEndpoint: (contract) => contracts.set(`${contract.group.key} ${contract.endpoint.identifier}`, contract)
      })
      for (const group of reflected) {
        const service: unknown = groups.mapUnsafe.get(group.key)
        if (!isGroupService(service)) return yield* Effect.die(`The handlers of ${group.identifier} are missing.`)
        const routes = [...service.handlers].map(([identifier, { handler, isRaw }], index) => {
          const route = service.routes[index]
          const contract = contracts.get(`${group.key} ${identifier}`)
          if (route === undefined || contract === undefined) {
            throw new Error(`${group.identifier}.${identifier} is not in the contract.`)
          }
          const endpoint = prepareEndpoint(contract, handler, authenticate, isRaw)
          if (endpoint === undefined) {
            prepared.on(route.method, route.path, null)
            return withQueryCheck(route, contract)
          }
          const { uninterruptible } = route
          const result = HttpRouter.route(route.method, route.path, endpoint.handler, { uninterruptible })
          prepared.on(route.method, route.path, {
            route: result,
            endpoint,
            admission: admissionOf(contract.group, contract.endpoint),
            direct: directHandleOf(handler)
          })
          return result
        })
        yield* router.addAll(routes)
      }
    })
  )
