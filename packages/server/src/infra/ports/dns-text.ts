import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/**
 * Why there are no records. `missing`: the name servers say that there are none, or no such name. `unavailable`: nobody
 * said anything that counts, be it an error, a refusal or silence; of the records it tells nothing.
 */
export class DnsTextFailed extends Data.TaggedError("DnsTextFailed")<{ readonly code: "missing" | "unavailable" }> {}

/** TXT records of the domain name system. */
export class DnsText extends Context.Service<
  DnsText,
  {
    /**
     * The records of a name in ASCII, or of the one that it is an alias of: at least one, each with its strings joined.
     * Ends in bounded time. `organizationId` says who asks: one that asks for much leaves places to the others.
     */
    readonly lookup: (name: string, organizationId: string) => Effect.Effect<ReadonlyArray<string>, DnsTextFailed>
  }
>()("@orgplane/server/ports/DnsText") {}
