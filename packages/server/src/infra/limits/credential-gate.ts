import { RateLimited } from "@orgplane/schema/shared/errors"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sha256 } from "../crypto/digest.ts"
import { AddressBudget } from "./address-budget.ts"
import { type Limit, RateLimiter, type RateLimitedRequest } from "./index.ts"
import { RecentSet } from "./recent-set.ts"

/** Lookups of unknown credentials for an address with too many failures: 60 at once, 10 more each second. */
const lookupsBurst = 60
const lookupsPerSecond = 10
const uncheckedSeconds = 1
const uncheckedMessage =
  "Too many failed authentications from this address, so this credential was not checked. " +
  `Retry after ${uncheckedSeconds} second. Credentials that are sent again are checked first.`

export interface Attempt {
  /** The limit that counts the failures. */
  readonly limit: Limit
  readonly address: string
  /** The credential as received; null if it cannot be extracted from the request. */
  readonly credential: string | null
  /** False if an invalid credential may become valid later. In this case, rejections are not cached. */
  readonly isImmutable?: boolean
}

/**
 * Decides which credentials are worth a database lookup when their address has failed too often. It does not authorize:
 * every credential that passes is still looked up.
 *
 * A credential that was valid recently is always looked up, one that was invalid recently never. The lookup of any
 * other credential is charged to the address's budget, and refunded if the credential is valid. A stream of random
 * tokens can exhaust that budget. Therefore the retry of a credential that was refused without a check has a separate
 * budget, which tokens that are never repeated cannot use. All state is in memory, so a refusal costs only a digest and
 * three map lookups.
 */
export class CredentialGate extends Context.Service<CredentialGate>()("@orgplane/server/limits/CredentialGate", {
  make: Effect.gen(function* () {
    const limiter = yield* RateLimiter
    const valid = new RecentSet(50_000, 12 * 3_600_000)
    const invalid = new RecentSet(20_000, 60_000)
    const unchecked = new RecentSet(20_000, 60_000)
    const budget = new AddressBudget(lookupsBurst, lookupsPerSecond)
    const returning = new AddressBudget(lookupsBurst, lookupsPerSecond)

    /** Looks up a credential if that is allowed. Returns `undefined` for an invalid credential. */
    const lookUp = <A, E, R>(
      request: RateLimitedRequest,
      { address, credential, isImmutable = true, limit }: Attempt,
      lookup: Effect.Effect<A | undefined, E, R>
    ): Effect.Effect<A | undefined, E | RateLimited, R> =>
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<A | undefined, E | RateLimited, R> => {
        const key = credential === null ? null : `${limit.name}/${sha256(credential)}`
        const fullUntil = limiter.fullUntil(limit, address, now)
        let spent: AddressBudget | undefined
        if (fullUntil !== undefined && (key === null || !valid.has(key, now))) {
          if (key !== null && invalid.has(key, now)) return limiter.refuse(request, limit, fullUntil, now)
          spent = key !== null && unchecked.has(key, now) ? returning : budget
          if (!spent.take(address, now)) {
            if (key !== null) unchecked.add(key, now)
            request.responseState.headers["retry-after"] = String(uncheckedSeconds)
            return Effect.fail(new RateLimited({ message: uncheckedMessage }))
          }
        }
        return Effect.tap(lookup, (principal) =>
          Effect.sync(() => {
            if (principal !== undefined) spent?.refund(address)
            if (key === null) return
            if (principal === undefined) {
              valid.delete(key)
              if (isImmutable) invalid.add(key, now)
            } else {
              invalid.delete(key)
              valid.add(key, now)
            }
          })
        )
      })

    return { lookUp } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
