import * as Effect from "effect/Effect"
import { AuditChain } from "../src/identity/audit/chain.ts"
import { type TestPlane, withServices } from "./harness.ts"

/** Seals the events that are committed now. The background work does so about once per second. */
export const sealEvents = (plane: TestPlane) =>
  withServices(plane, Effect.flatMap(AuditChain, (chain) => chain.seal).pipe(Effect.orDie))

/** Seals the events that are committed now, and signs a checkpoint of them. Returns the number of checkpoints. */
export const checkpointEvents = (plane: TestPlane) =>
  withServices(
    plane,
    Effect.flatMap(AuditChain, (chain) => Effect.andThen(chain.seal, chain.checkpoint(0))).pipe(Effect.orDie)
  )
