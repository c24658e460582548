import type * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"

/** Whether a fiber's spans are exported. In this case, the library's client runs the statements and records them. */
export const isTraced = ({ cache: { tracer, tracerEnabled } }: Fiber.Fiber<unknown, unknown>): boolean =>
  tracerEnabled && tracer !== undefined && tracer !== Tracer.nativeTracer
