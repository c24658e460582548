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
import { errorOf, wrong } from "./faults.ts"
import { ScimGroups } from "./groups-service.ts"
import { ScimReader } from "./reader.ts"
import { type Asked, ScimUsers } from "./users-service.ts"
import { etagOf } from "./versions.ts"

const responseSchema = "urn:ietf:params:scim:api:messages:2.0:BulkResponse"

/** Operations for which a request counts as one: they come without its journey, and one after another. */
const operationsInOne = 10

/** What became of an operation. */
type Outcome =
  | { readonly kind: "done"; readonly status: 200 | 201 | 204; readonly id: string; readonly version?: number }
  | {
      readonly kind: "failed"
      readonly status: number
      readonly detail: string
      readonly scimType: ScimType | undefined
      /** There is no database for those that come after it either. */
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

const outOfOrder = (error: unknown): Outcome =>
  SqlError.isSqlError(error) && isPassing(error)
    ? failed({ status: 503, detail: "The service cannot answer now; try again." }, databaseAway(error))
    : failed({ status: 500, detail: "Something went wrong on our side. The request id finds it in the logs." })

const notTried = failed({ status: 503, detail: "Not tried: the service cannot answer now; try again." }, true)

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
    : Effect.fail(refuse("invalidSyntax", `data of a ${method} is to be an object.`))

/** Several requests in one (RFC 7644, 3.7): each is done as if it had come by itself. */
export class ScimBulk extends Context.Service<ScimBulk>()("@orgplane/server/scim-protocol/Bulk", {
  make: Effect.gen(function* () {
    const users = yield* ScimUsers
    const groups = yield* ScimGroups
    const log = yield* ScimLog
    const limiter = yield* RateLimiter
    const { baseUrl } = yield* ScimReader

    const onUsers = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      asked: Asked,
      operation: Operation,
      id: string
    ) {
      switch (operation.method) {
        case "POST":
          return yield* users.create(caller, asked, yield* newUser(yield* dataOf(operation)))
        case "PUT":
          return yield* users.change(caller, asked, id, replacedUser(yield* dataOf(operation)))
        case "PATCH":
          return yield* users.change(caller, asked, id, patchedUser(yield* dataOf(operation)))
        case "DELETE":
          return yield* users.remove(caller, asked, id)
      }
    })

    const onGroups = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      asked: Asked,
      operation: Operation,
      id: string
    ) {
      switch (operation.method) {
        case "POST":
          return yield* groups.create(caller, asked, yield* newGroup(yield* dataOf(operation)))
        case "PUT":
          return yield* groups.change(caller, asked, id, replacedGroup(yield* dataOf(operation)), 200)
        case "PATCH":
          return yield* groups.change(caller, asked, id, patchedGroup(yield* dataOf(operation)), 204)
        case "DELETE":
          return yield* groups.remove(caller, asked, id)
      }
    })

    const statusOf = ({ method }: Operation, { type }: Target) =>
      method === "POST" ? 201 : method === "DELETE" || (method === "PATCH" && type === "Groups") ? 204 : 200

    const perform = Effect.fnUntraced(function* (caller: DirectoryCaller, asked: Asked, operation: Operation) {
      const target = targetOf(operation.path)
      if (target === undefined) {
        return yield* new ScimFault({ status: 404, detail: "Operations are on /Users and /Groups." })
      }
      if ((operation.method === "POST") !== (target.id === undefined)) {
        return yield* wrong("The path of a POST is /Users or /Groups, that of any other operation names one of these.")
      }
      if (operation.version !== undefined && typeof operation.version !== "string") {
        return yield* wrong("version is to be a string.")
      }
      const id = target.id === undefined ? "" : yield* idOf(target.id)
      const row = yield* (target.type === "Users" ? onUsers : onGroups)(caller, asked, operation, id)
      const done: Outcome = {
        kind: "done",
        status: statusOf(operation, target),
        id: row === undefined ? id : row.id,
        ...(row === undefined ? {} : { version: row.version })
      }
      return done
    })

    /** Whatever fails is the answer of this operation alone; what was done before it is done. */
    const settled = (outcome: ReturnType<typeof perform>) =>
      outcome.pipe(
        Effect.catchTag("ScimFault", (fault) => Effect.succeed(failed(fault))),
        Effect.catchTag("SqlError", Effect.die),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : Effect.as(
                Effect.logError("An operation of a bulk request failed.", cause),
                outOfOrder(Cause.squash(cause))
              )
        )
      )

    const answerOf = ({ bulkId, method, path }: Operation, outcome: Outcome) => {
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

    /** The request as if it had been the operation: its version is that of the operation, and its head nobody's. */
    const callerOf = (caller: DirectoryCaller, { method, version }: Operation): DirectoryCaller => ({
      ...caller,
      request: {
        ...caller.request,
        ifMatch: method !== "POST" && typeof version === "string" ? version : null,
        responseHeaders: {}
      }
    })

    const run = Effect.fnUntraced(function* (caller: DirectoryCaller, { failOnErrors, operations }: BulkRequest) {
      // The request itself was counted when it was let in.
      const more = Math.ceil(operations.length / operationsInOne) - 1
      yield* limiter.takeMany(caller.request, limits.scim, caller.directoryId, more)
      const makers = makersOf(operations)
      const { order, ring } = orderOf(operations, makers)
      const ids = new Map<string, string>()
      const answers = new Map<number, ReturnType<typeof answerOf>>()
      let errors = 0
      let isAway = false

      /** Why an operation cannot even be tried. */
      const hindrance = (index: number, { needs }: Operation): Outcome | undefined => {
        if (isAway) return notTried
        if (ring.has(index)) return failed({ status: 409, detail: "Operations that need one another cannot be done." })
        const missing = [...needs].filter((bulkId) => !ids.has(bulkId))
        if (missing.length === 0) return undefined
        return missing.some((bulkId) => !makers.has(bulkId))
          ? failed(wrong("A bulkId is that of no POST of this request."))
          : failed({ status: 409, detail: "An operation that this one needs was refused." })
      }

      for (const index of order) {
        const written = operations[index]
        if (written === undefined || errors >= failOnErrors) break
        const operation = resolved(written, (bulkId) => ids.get(bulkId))
        const asked = { method: operation.method, path: `/v1/scim/v2${operation.path}` }
        const own = callerOf(caller, operation)
        const hindered = hindrance(index, operation)
        const outcome = hindered ?? (yield* settled(perform(own, asked, operation)))
        isAway ||= outcome.kind === "failed" && outcome.isAway
        if (outcome.kind === "failed") {
          errors += 1
          const { detail, scimType, status } = outcome
          yield* log.noteRefusal(own, { ...asked, status, scimType, detail })
        } else if (operation.method === "POST" && operation.bulkId !== undefined) {
          ids.set(operation.bulkId, outcome.id)
        }
        answers.set(index, answerOf(operation, outcome))
      }
      return {
        schemas: [responseSchema],
        Operations: [...answers].sort(([one], [other]) => one - other).map(([, answer]) => answer)
      }
    })

    return { run } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
