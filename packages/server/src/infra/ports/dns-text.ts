import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/**
 * Why there are no records. `missing`: the name servers responded that there are no records or that the name does not
 * exist. `unavailable`: an error, a refusal or no response, so it is unknown whether there are records.
 */
export class DnsTextFailed extends Data.TaggedError("DnsTextFailed")<{ readonly code: "missing" | "unavailable" }> {}

/** DNS TXT records. */
export class DnsText extends Context.Service<
  DnsText,
  {
    /**
     * The records of an ASCII name, or of the name that it is an alias of: at least one, each with its strings joined.
     * Has a timeout. `organizationId` is the organization that the lookup is for: each has a limited share of the
     * lookups.
     */
    readonly lookup: (name: string, organizationId: string) => Effect.Effect<ReadonlyArray<string>, DnsTextFailed>
  }
>()("@orgplane/server/ports/DnsText") {}
