import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { McpFailed } from "../../ports/mcp-servers.ts"
import { Capture } from "./capture.ts"
import { type Course, isEventStream, openEvents, respondTo } from "./exchange.ts"
import { readRequests } from "./read-response.ts"

/** Maximum size of one listening stream. If it is exceeded, listening ends, but the call continues. */
const bytesMax = 1024 * 1024
/** How long a call waits for its server to accept the stream. */
const openMillis = 500

/**
 * Maximum number of open listening streams per organization. It is far below the number of sockets, so that calls never
 * wait for a stream.
 */
export interface Listeners {
  readonly perOrganization: Map<string, number>
  total: number
}
const perOrganizationMax = 4
const totalMax = 16

const acquire = (listeners: Listeners, organizationId: string): boolean => {
  const count = listeners.perOrganization.get(organizationId) ?? 0
  if (count >= perOrganizationMax || listeners.total >= totalMax) return false
  listeners.perOrganization.set(organizationId, count + 1)
  listeners.total += 1
  return true
}

const release = (listeners: Listeners, organizationId: string): void => {
  const count = listeners.perOrganization.get(organizationId) ?? 1
  if (count === 1) listeners.perOrganization.delete(organizationId)
  else listeners.perOrganization.set(organizationId, count - 1)
  listeners.total -= 1
}

/**
 * Listens to the server's own requests, which sessions support since revision 2025-03-26, until the scope closes. The
 * returned effect fails if a request requires a user or a model, and otherwise never ends. Does not listen if the
 * server has no such stream or the organization has reached its limit.
 */
export const listen = Effect.fnUntraced(function* (
  course: Course,
  listeners: Listeners,
  headers: Readonly<Record<string, string>>
) {
  const { organizationId } = course.target
  const opened = Deferred.makeUnsafe<void>()
  const inputRequired = Deferred.makeUnsafe<never, McpFailed>()
  const listening = Effect.gen(function* () {
    const stream = yield* openEvents(course, headers)
    yield* Deferred.succeed(opened, undefined)
    if (!isEventStream(stream)) return
    yield* readRequests(stream, {
      capture: new Capture(),
      bytesMax,
      respond: (message) => respondTo(course, headers, message)
    }).pipe(
      Effect.catch((failure) =>
        failure.code === "input_required" ? Effect.asVoid(Deferred.fail(inputRequired, failure)) : Effect.void
      )
    )
  }).pipe(Effect.scoped, Effect.ignore, Effect.ensuring(Deferred.succeed(opened, undefined)))
  const isAcquired = yield* Effect.acquireRelease(
    Effect.sync(() => acquire(listeners, organizationId)),
    (isAcquired) => Effect.sync(() => (isAcquired ? release(listeners, organizationId) : undefined))
  )
  if (!isAcquired) return Effect.never
  yield* Effect.forkScoped(listening)
  yield* Deferred.await(opened).pipe(Effect.timeoutOption(openMillis))
  return Deferred.await(inputRequired)
})
