/** The request that queued a job, so that the job's log lines, audit events and spans belong to it. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Headers from "effect/http/Headers"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import { parentOf, spanOf, traceparentOf, withParent } from "./tracing.ts"

export const Origin = Schema.Struct({
  requestId: Schema.optionalKey(Schema.String),
  /** The span that queued the job, in the format of W3C Trace Context. */
  traceparent: Schema.optionalKey(Schema.String)
})
export type Origin = typeof Origin.Type

/** The ID of the request that a fiber serves, or that queued its job. */
export const requestIdOf = (fiber: Fiber.Fiber<unknown, unknown>): string | undefined => {
  const { requestId } = fiber.getRef(References.CurrentLogAnnotations)
  return typeof requestId === "string" ? requestId : undefined
}

/** The origin of a job that this fiber queues. */
export const currentOrigin: Effect.Effect<Origin> = Effect.withFiber((fiber) => {
  const requestId = requestIdOf(fiber)
  const span = spanOf(fiber.context)
  return Effect.succeed({
    ...(requestId === undefined ? {} : { requestId }),
    ...(span === undefined ? {} : { traceparent: traceparentOf(span) })
  })
})

/** Runs a job as a part of the request that queued it. */
export const withOrigin = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  origin: Origin | undefined
): Effect.Effect<A, E, R> => {
  const { requestId, traceparent } = origin ?? {}
  const annotated = requestId === undefined ? work : Effect.annotateLogs(work, { requestId })
  const parent = traceparent === undefined ? undefined : parentOf(Headers.fromInput({ traceparent }))
  return parent === undefined ? annotated : withParent(annotated, parent)
}
