import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Destination } from "./outbound.ts"

/** What a runtime is told when it starts. Nobody else may read it: it holds what both sides prove themselves by. */
export interface RuntimeSettings {
  /** Where the runtime finds this server. */
  readonly controlPlaneUrl: string
  readonly workerId: string
  /** The runtime's to us. */
  readonly workerToken: Redacted.Redacted
  /** Ours to the runtime. */
  readonly runtimeToken: Redacted.Redacted
  readonly heartbeatSeconds: number
}

/** A runtime that runs. */
export interface Runtime {
  /** Where it answers, without a trailing slash. */
  readonly url: string
}

/** Why it did not do it. The message is a sentence for people and holds nothing of the settings. */
export class ProvisionerFailed extends Data.TaggedError("ProvisionerFailed")<{ readonly message: string }> {}

/**
 * What starts and stops runtimes of workers. A key names one runtime for good: there is never more than one of a key,
 * and each verb may be asked again, also by another process after one that was killed in the middle.
 */
export class Provisioner extends Context.Service<
  Provisioner,
  {
    readonly provider: string
    /** Where its runtimes run: only a process whose provisioner says the same looks after them. */
    readonly region: string
    /** As what its runtimes' addresses are reached. */
    readonly destination: Destination
    /** The runtime of the key, if it runs and answers somewhere. */
    readonly find: (key: string) => Effect.Effect<Runtime | undefined, ProvisionerFailed>
    /** Ends what is left of the key, starts it anew and answers once it says where it answers. */
    readonly start: (key: string, settings: RuntimeSettings) => Effect.Effect<Runtime, ProvisionerFailed>
    /** Ends the runtime of the key and what it kept; one that is not there has ended. */
    readonly stop: (key: string) => Effect.Effect<void, ProvisionerFailed>
    /** The keys of all it has started here and not stopped. */
    readonly keys: Effect.Effect<ReadonlyArray<string>, ProvisionerFailed>
  }
>()("@orgplane/server/ports/Provisioner") {}
