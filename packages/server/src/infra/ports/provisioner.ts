import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Destination } from "./outbound.ts"

/**
 * The settings that a runtime receives at startup. They are secret, because they contain the tokens of the runtime and
 * of this server.
 */
export interface RuntimeSettings {
  /** The URL at which the runtime reaches this server. */
  readonly controlPlaneUrl: string
  readonly workerId: string
  /** Authenticates the runtime to this server. */
  readonly workerToken: Redacted.Redacted
  /** Authenticates this server to the runtime. */
  readonly runtimeToken: Redacted.Redacted
  readonly heartbeatSeconds: number
}

/** A running runtime. */
export interface Runtime {
  /** The runtime's URL, without a trailing slash. */
  readonly url: string
}

/** Why an operation failed. The message is shown to people and contains none of the settings. */
export class ProvisionerFailed extends Data.TaggedError("ProvisionerFailed")<{ readonly message: string }> {}

/**
 * Starts and stops worker runtimes. A key identifies one runtime: there is never more than one per key. Every operation
 * can be retried, also by another process after the first was killed.
 */
export class Provisioner extends Context.Service<
  Provisioner,
  {
    readonly provider: string
    /** Where its runtimes run. Only processes whose provisioner has the same region manage them. */
    readonly region: string
    /** The kind of destination of its runtimes' URLs. */
    readonly destination: Destination
    /** The runtime of the key, if it is running and has a URL. */
    readonly find: (key: string) => Effect.Effect<Runtime | undefined, ProvisionerFailed>
    /**
     * Stops any remaining processes of the key's runtime, starts it again, and returns when it has reported its URL.
     */
    readonly start: (key: string, settings: RuntimeSettings) => Effect.Effect<Runtime, ProvisionerFailed>
    /** Stops the key's runtime and deletes its data. Idempotent. */
    readonly stop: (key: string) => Effect.Effect<void, ProvisionerFailed>
    /** The keys of all runtimes that were started here and not stopped. */
    readonly keys: Effect.Effect<ReadonlyArray<string>, ProvisionerFailed>
  }
>()("@orgplane/server/ports/Provisioner") {}
