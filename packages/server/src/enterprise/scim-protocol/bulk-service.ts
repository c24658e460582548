import type { DirectoryCaller } from "@orgplane/schema/shared/caller"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlError from "effect/sql/SqlError"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { type JsonObject, refuse, ScimFault, type ScimType } from "../../infra/scim/language/index.ts"
import { ScimLog } from "../../infra/scim/log.ts"
import { databaseAway, isPassing } from "../../infra/sql/unavailable.ts"
import { idOf, newGroup, newUser, patchedGroup, patchedUser, replacedGroup, replacedUser } from "./bodies.ts"
import { type BulkRequest, isObject, makersOf, type Operation, orderOf, resolved } from "./bulk-request.ts"
import { errorOf, invalidValue } from "./faults.ts"
import { ScimGroupsService } from "./groups-service.ts"
import { ScimReader } from "./reader.ts"
import { type RequestLine, ScimUsersService } from "./users-service.ts"
import { etagOf } from "./versions.ts"

const responseSchema = "urn:ietf:params:scim:api:messages:2.0:BulkResponse"

/**
 * Number of operations that count as one request toward the rate limit, because they run one after another in a single
 * HTTP request.
 */
const operationsInOne = 10

/** The outcome of an operation. */
type Outcome =
  | { readonly kind: "done"; readonly status: 200 | 201 | 204; readonly id: string; readonly version?: number }
  | {
      readonly kind: "failed"
      readonly status: number
      readonly detail: string
      readonly scimType: ScimType | undefined
      /** The database is unavailable, so the remaining operations would fail too. */
      readonly isAway: boolean
    }

const failed = (
  {
    detail,
    scimType,
    status
  }: { readonly status: number; readonly detail: string; readonly scimType?: ScimType | undefined },
  isAway = false
): Outcome => ({ kind: "failed", status, detail, scimType, isAway })

const internalFailure = (error: unknown): Outcome =>
  SqlError.isSqlError(error) && isPassing(error)
    ? failed({ status: 503, detail: "The service is temporarily unavailable. Try again." }, databaseAway(error))
    : failed({ status: 500, detail: "Internal error. The server's log has details under the request ID." })

const notAttempted = failed(
  { status: 503, detail: "Not attempted: the service is temporarily unavailable. Try again." },
  true
)

interface Target {
  readonly type: "Users" | "Groups"
  readonly id: string | undefined
}

const targetOf = (path: string): Target | undefined => {
  const [, type, id] = /^\/(Users|Groups)(?:\/([^/?#]+))?$/.exec(path) ?? []
  return type === "Users" || type === "Groups" ? { type, id } : undefined
}

const dataOf = ({ data, method }: Operation): Effect.Effect<JsonObject, ScimFault> =>
  isObject(data)
    ? Effect.succeed(data)
    : Effect.fail(refuse("invalidSyntax", `data of a ${method} operation must be an object.`))

/** Bulk requests (RFC 7644, 3.7): each operation is performed as if it were a separate request. */
export class ScimBulkService extends Context.Service<ScimBulkService>()("@orgplane/server/scim-protocol/Bulk", {
  make: Effect.gen(function* () {
    const users = yield* ScimUsersService
    const groups = yield* ScimGroupsService
    const log = yield* ScimLog
    const limiter = yield* RateLimiter
    const { baseUrl } = yield* ScimReader

    const onUsers = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      requestLine: RequestLine,
      operation: Operation,
      id: string
    ) {
      switch (operation.method) {
        case "POST":
          return yield* users.create(caller, requestLine, yield* newUser(yield* dataOf(operation)))
        case "PUT":
          return yield* users.change(caller, requestLine, id, replacedUser(yield* dataOf(operation)))
        case "PATCH":
          return yield* users.change(caller, requestLine, id, patchedUser(yield* dataOf(operation)))
        case "DELETE":
          return yield* users.remove(caller, requestLine, id)
      }
    })

    const onGroups = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      requestLine: RequestLine,
      operation: Operation,
      id: string
    ) {
      switch (operation.method) {
        case "POST":
          return yield* groups.create(caller, requestLine, yield* newGroup(yield* dataOf(operation)))
        case "PUT":
          return yield* groups.change(caller, requestLine, id, replacedGroup(yield* dataOf(operation)), 200)
        case "PATCH":
          return yield* groups.change(caller, requestLine, id, patchedGroup(yield* dataOf(operation)), 204)
        case "DELETE":
          return yield* groups.remove(caller, requestLine, id)
      }
    })

    const statusOf = ({ method }: Operation, { type }: Target) =>
      method === "POST" ? 201 : method === "DELETE" || (method === "PATCH" && type === "Groups") ? 204 : 200

    const perform = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      requestLine: RequestLine,
      operation: Operation
    ) {
      const target = targetOf(operation.path)
      if (target === undefined) {
        return yield* new ScimFault({ status: 404, detail: "Operations must be on /Users or /Groups." })
      }
      if ((operation.method === "POST") !== (target.id === undefined)) {
        return yield* invalidValue("path must be /Users or /Groups for POST, and include an ID for other methods.")
      }
      if (operation.version !== undefined && typeof operation.version !== "string") {
        return yield* invalidValue("version must be a string.")
      }
      const id = target.id === undefined ? "" : yield* idOf(target.id)
      const row = yield* (target.type === "Users" ? onUsers : onGroups)(caller, requestLine, operation, id)
      const done: Outcome = {
        kind: "done",
        status: statusOf(operation, target),
        id: row === undefined ? id : row.id,
        ...(row === undefined ? {} : { version: row.version })
      }
      return done
    })

    /** A failure affects only this operation. Earlier operations keep their results. */
    const toOutcome = (outcome: ReturnType<typeof perform>) =>
      outcome.pipe(
        Effect.catchTag("ScimFault", (fault) => Effect.succeed(failed(fault))),
        Effect.catchTag("SqlError", Effect.die),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : Effect.as(Effect.logError("A SCIM bulk operation failed.", cause), internalFailure(Cause.squash(cause)))
        )
      )

    const resultOf = ({ bulkId, method, path }: Operation, outcome: Outcome) => {
      const target = targetOf(path)
      const id = outcome.kind === "done" ? outcome.id : target?.id
      return {
        ...(id === undefined || target === undefined ? {} : { location: `${baseUrl}/${target.type}/${id}` }),
        method,
        ...(bulkId === undefined ? {} : { bulkId }),
        ...(outcome.kind === "done" && outcome.version !== undefined ? { version: etagOf(outcome.version) } : {}),
        status: String(outcome.status),
        ...(outcome.kind === "done" ? {} : { response: errorOf(outcome.status, outcome.detail, outcome.scimType) })
      }
    }

    /**
     * The request as seen by one operation: with the operation's version as `If-Match`, and its own response.
     */
    const callerOf = (caller: DirectoryCaller, { method, version }: Operation): DirectoryCaller => ({
      ...caller,
      request: {
        ...caller.request,
        ifMatch: method !== "POST" && typeof version === "string" ? version : null,
        responseState: { headers: {}, status: undefined, isEtagPartial: false }
      }
    })

    const run = Effect.fnUntraced(function* (caller: DirectoryCaller, { failOnErrors, operations }: BulkRequest) {
      // Authentication has already counted the request itself.
      const more = Math.ceil(operations.length / operationsInOne) - 1
      yield* limiter.takeMany(caller.request, limits.scim, caller.directoryId, more)
      const makers = makersOf(operations)
      const { order, ring } = orderOf(operations, makers)
      const ids = new Map<string, string>()
      const results = new Map<number, ReturnType<typeof resultOf>>()
      let errors = 0
      let isAway = false

      /** Why an operation cannot be attempted. */
      const obstacleTo = (index: number, { needs }: Operation): Outcome | undefined => {
        if (isAway) return notAttempted
        if (ring.has(index)) return failed({ status: 409, detail: "The operations contain a circular reference." })
        const missing = [...needs].filter((bulkId) => !ids.has(bulkId))
        if (missing.length === 0) return undefined
        return missing.some((bulkId) => !makers.has(bulkId))
          ? failed(invalidValue("A reference has a bulkId that no POST operation in this request defines."))
          : failed({ status: 409, detail: "An operation that this one references failed." })
      }

      for (const index of order) {
        const written = operations[index]
        if (written === undefined || errors >= failOnErrors) break
        const operation = resolved(written, (bulkId) => ids.get(bulkId))
        const requestLine = { method: operation.method, path: `/v1/scim/v2${operation.path}` }
        const own = callerOf(caller, operation)
        const obstacle = obstacleTo(index, operation)
        const outcome = obstacle ?? (yield* toOutcome(perform(own, requestLine, operation)))
        isAway ||= outcome.kind === "failed" && outcome.isAway
        if (outcome.kind === "failed") {
          errors += 1
          const { detail, scimType, status } = outcome
          yield* log.noteRefusal(own, { ...requestLine, status, scimType, detail })
        } else if (operation.method === "POST" && operation.bulkId !== undefined) {
          ids.set(operation.bulkId, outcome.id)
        }
        results.set(index, resultOf(operation, outcome))
      }
      return {
        schemas: [responseSchema],
        Operations: [...results].sort(([one], [other]) => one - other).map(([, result]) => result)
      }
    })

    return { run } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
