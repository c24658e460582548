import type { Sql } from "../sql/client.ts"
import { SqlDatabase } from "../sql/client.ts"
import type { CallerResponse } from "@orgplane/schema/shared/caller"
import { RateLimited } from "@orgplane/schema/shared/errors"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface Limit {
  readonly name: string
  readonly perWindow: number
  readonly windowSeconds: number
  /**
   * The number of requests reserved in the database at once. 1 is exact; a larger number is faster but less exact near
   * the limit.
   */
  readonly slice: number
  /** The message of a 429, in place of "Too many requests". */
  readonly refusal?: string
}

const failures = "Too many failed authentications from this address. Valid credentials are still accepted."

export const limits = {
  failedAuthentication: { name: "auth", perWindow: 60, windowSeconds: 60, slice: 1, refusal: failures },
  bootstrap: { name: "bootstrap", perWindow: 5, windowSeconds: 3600, slice: 1 },
  /** Invalid claim tokens and invitations. */
  claim: { name: "claim", perWindow: 60, windowSeconds: 60, slice: 1, refusal: failures },
  /** Sign-in codes for one email address, requested from one source address. */
  signIn: { name: "sign-in", perWindow: 5, windowSeconds: 3600, slice: 1 },
  /**
   * Sign-in codes requested from one source address, for any email address. The limit is high, because an office shares
   * one source address.
   */
  signInAddress: { name: "sign-in-address", perWindow: 60, windowSeconds: 3600, slice: 1 },
  /**
   * Sign-in codes for one email address, requested from anywhere. The limit is high, so that a single attacker cannot
   * use it up.
   */
  signInEmail: { name: "sign-in-email", perWindow: 20, windowSeconds: 3600, slice: 1 },
  /** SSO sign-ins started from one source address. The limit is high, because an office shares one source address. */
  ssoStart: { name: "sso-start", perWindow: 120, windowSeconds: 60, slice: 1 },
  /** Invitation emails that one organization sends to one email address. */
  invitation: { name: "invitation", perWindow: 10, windowSeconds: 3600, slice: 1 },
  /**
   * Invitation emails to one email address from any organization. A single organization must not be able to use up this
   * limit.
   */
  invitationEmail: { name: "invitation-email", perWindow: 40, windowSeconds: 3600, slice: 1 },
  /** Invitation emails from one organization per day, to any address. The limit prevents spam. */
  invitationsPerDay: { name: "invitation-letters", perWindow: 1000, windowSeconds: 86_400, slice: 1 },
  /** Reads of repositories requested in one unclaimed workspace. */
  provisionalOutbound: { name: "provisional-outbound", perWindow: 20, windowSeconds: 60, slice: 1 },
  /** Discoveries of MCP servers by one organization. Each may contact five hosts. */
  mcpResolve: { name: "mcp-resolve", perWindow: 30, windowSeconds: 60, slice: 1 },
  /** Single tool calls by members of one organization. */
  mcpCall: { name: "mcp-call", perWindow: 60, windowSeconds: 60, slice: 1 },
  /** Tests of model provider keys by members of one organization. */
  llmTest: { name: "llm-test", perWindow: 30, windowSeconds: 60, slice: 1 },
  /** Checks of the DNS records of unverified domains, for all domains of one organization. */
  domainVerify: { name: "domain-verify", perWindow: 10, windowSeconds: 60, slice: 1 },
  /** Plans of configuration documents with secrets, in one organization. Each shows whether the secrets are current. */
  configurationSecrets: { name: "configuration-secrets", perWindow: 30, windowSeconds: 60, slice: 1 },
  /** Requests of one SCIM directory: 50 a second, with bursts of up to ten seconds' worth. */
  scim: { name: "scim", perWindow: 500, windowSeconds: 10, slice: 50 },
  /** Requests with unknown, expired or revoked marketplace links, per source address. */
  marketplaceLinkFailure: { name: "marketplace-link-failure", perWindow: 60, windowSeconds: 60, slice: 1 },
  /** Requests with one marketplace link, which may be shared by a whole team. */
  marketplaceLink: { name: "marketplace-link", perWindow: 6000, windowSeconds: 60, slice: 100 },
  /**
   * Reads of the desired state with one session or worker token. Each process that serves a device reserves a slice for
   * the rest of the window, and a restarted process reserves another one. A slice is small, so that 50 processes reserve
   * at most 500 of the 600 requests.
   */
  desiredState: { name: "desired-state", perWindow: 600, windowSeconds: 3600, slice: 10 },
  session: { name: "session", perWindow: 600, windowSeconds: 60, slice: 50 },
  worker: { name: "worker", perWindow: 1200, windowSeconds: 60, slice: 100 },
  key: { name: "key", perWindow: 1200, windowSeconds: 60, slice: 100 }
} as const satisfies Record<string, Limit>

/** A request whose response carries the rate limit headers. */
export interface RateLimitedRequest {
  readonly responseState: Pick<CallerResponse, "headers">
}

/** For a limit of a part of a request, which concerns neither the status nor the headers of the whole response. */
export const requestPart = (): RateLimitedRequest => ({ responseState: { headers: {} } })

interface Lease {
  left: number
  /** The remaining requests of the window when the slice was taken. */
  readonly rest: number
  readonly endsAt: number
}

const leasesMax = 20_000

const policies = new WeakMap<Limit, string>()

/** The `ratelimit-policy` header of a limit, which is the same for every response. */
const policyOf = (limit: Limit): string => {
  let policy = policies.get(limit)
  if (policy === undefined) {
    policy = `"${limit.name}";q=${limit.perWindow};w=${limit.windowSeconds}`
    policies.set(limit, policy)
  }
  return policy
}

/**
 * Rate limits shared by all processes. A window is one row of an unlogged table. A process reserves a slice of it and
 * counts requests against the slice in memory, so that requests do not wait for a durable write.
 */
export class RateLimiter extends Context.Service<RateLimiter>()("@orgplane/server/limits/RateLimiter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const leases = new Map<string, Lease>()
    /** Windows that are used up. Their requests are refused without a query until the window ends. */
    const full = new Map<string, number>()
    /** Slices being taken: further callers wait for one instead of taking another. */
    const pending = new Map<string, Deferred.Deferred<void>>()

    const forget = (now: number) => {
      for (const [bucket, lease] of leases) if (lease.endsAt <= now) leases.delete(bucket)
      for (const [bucket, endsAt] of full) if (endsAt <= now) full.delete(bucket)
    }

    const setHeaders = (request: RateLimitedRequest, limit: Limit, left: number, seconds: number) => {
      request.responseState.headers["ratelimit-policy"] = policyOf(limit)
      request.responseState.headers["ratelimit"] = `"${limit.name}";r=${left};t=${seconds}`
    }

    const refuse = (request: RateLimitedRequest, limit: Limit, endsAt: number, now: number) => {
      const seconds = Math.max(1, Math.ceil((endsAt - now) / 1000))
      request.responseState.headers["retry-after"] = String(seconds)
      setHeaders(request, limit, 0, seconds)
      return Effect.fail(
        limit.refusal === undefined
          ? new RateLimited()
          : new RateLimited({
              message: `${limit.refusal} Retry after ${seconds} ${seconds === 1 ? "second" : "seconds"}.`
            })
      )
    }

    /** When a window that is used up ends; undefined when it is not used up. */
    const fullUntil = (limit: Limit, subject: string, now: number): number | undefined => {
      const endsAt = full.size === 0 ? undefined : full.get(`${limit.name}:${subject}`)
      return endsAt === undefined || endsAt <= now ? undefined : endsAt
    }

    /**
     * Takes one request from a slice in memory; false when there is none and `take` must be called. The headers
     * report the remaining requests of the window as of the last slice; with slices of one, nothing is reported.
     */
    const takeFromLease = (request: RateLimitedRequest, limit: Limit, subject: string, now: number): boolean => {
      const held = leases.get(`${limit.name}:${subject}`)
      if (held === undefined || held.endsAt <= now || held.left === 0) return false
      held.left -= 1
      if (limit.slice > 1) {
        setHeaders(request, limit, held.left + held.rest, Math.max(1, Math.ceil((held.endsAt - now) / 1000)))
      }
      return true
    }

    /** Takes a slice from the database, or records that the window is used up. */
    const lease = Effect.fnUntraced(function* (bucket: string, limit: Limit) {
      const now = yield* Clock.currentTimeMillis
      const row = yield* takeSlice(sql, bucket, limit)
      const endsAt = now + row.millis_left
      // The number of requests in this slice: all of them, or fewer if less is left in the window.
      const granted = Math.min(limit.slice, limit.perWindow - (row.taken - limit.slice))
      if (granted <= 0) full.set(bucket, endsAt)
      else leases.set(bucket, { left: granted, rest: Math.max(0, limit.perWindow - row.taken), endsAt })
    })

    /** Takes one request from the window, or fails with the time to wait. */
    const take = Effect.fnUntraced(function* (request: RateLimitedRequest, limit: Limit, subject: string) {
      const bucket = `${limit.name}:${subject}`
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        if (takeFromLease(request, limit, subject, now)) return
        const endsAt = fullUntil(limit, subject, now)
        if (endsAt !== undefined) return yield* refuse(request, limit, endsAt, now)
        if (leases.size + full.size > leasesMax) forget(now)
        const inFlight = pending.get(bucket)
        if (inFlight !== undefined) {
          yield* Deferred.await(inFlight)
          continue
        }
        const arrived = Deferred.makeUnsafe<void>()
        pending.set(bucket, arrived)
        // If a request is aborted after it reserved a slice, the slice is kept for the next request. The other callers
        // must not be interrupted, so they are notified inside the uninterruptible part.
        yield* lease(bucket, limit).pipe(
          // All waiting callers fail with the same error, because separate retries would each wait for the unavailable
          // database again.
          Effect.onExit((exit) => {
            pending.delete(bucket)
            return Deferred.done(arrived, exit)
          }),
          Effect.uninterruptible
        )
      }
    })

    /**
     * Takes several requests from the window at once, or none and fails with the time to wait. Slices that processes
     * hold are already taken, so near the end of a window this can fail while single requests still succeed.
     */
    const takeMany = Effect.fnUntraced(function* (
      request: RateLimitedRequest,
      limit: Limit,
      subject: string,
      count: number
    ) {
      if (count <= 0) return
      const bucket = `${limit.name}:${subject}`
      const row = yield* takeAtOnce(sql, bucket, limit, count)
      const now = yield* Clock.currentTimeMillis
      const endsAt = now + row.millis_left
      if (!row.fits) return yield* refuse(request, limit, endsAt, now)
      const rest = Math.max(0, limit.perWindow - row.taken)
      const held = leases.get(bucket)
      if (held !== undefined) leases.set(bucket, { ...held, rest })
      setHeaders(request, limit, (held?.left ?? 0) + rest, Math.max(1, Math.ceil(row.millis_left / 1000)))
    })

    return { fullUntil, refuse, take, takeFromLease, takeMany } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const takeSlice = (sql: Sql, bucket: string, limit: Limit) =>
  sql<{ taken: number; millis_left: number }>`
    INSERT INTO rate_windows (bucket, taken, ends_at)
    VALUES (${bucket}, ${limit.slice}, now() + make_interval(secs => ${limit.windowSeconds}))
    ON CONFLICT (bucket) DO UPDATE SET
      taken = CASE WHEN rate_windows.ends_at <= now() THEN ${limit.slice}
        ELSE least(rate_windows.taken, 1000000) + ${limit.slice} END,
      ends_at = CASE WHEN rate_windows.ends_at <= now() THEN now() + make_interval(secs => ${limit.windowSeconds})
        ELSE rate_windows.ends_at END
    RETURNING taken, (extract(epoch FROM ends_at - now()) * 1000)::int AS millis_left
  `.pipe(
    Effect.orDie,
    Effect.map((rows) => rows[0] ?? { taken: limit.slice, millis_left: limit.windowSeconds * 1000 })
  )

const takeAtOnce = (sql: Sql, bucket: string, limit: Limit, count: number) =>
  sql<{ taken: number; millis_left: number; fits: boolean }>`
    WITH fitting AS (
      INSERT INTO rate_windows (bucket, taken, ends_at)
      VALUES (${bucket}, ${count}, now() + make_interval(secs => ${limit.windowSeconds}))
      ON CONFLICT (bucket) DO UPDATE SET
        taken = CASE WHEN rate_windows.ends_at <= now() THEN ${count} ELSE rate_windows.taken + ${count} END,
        ends_at = CASE WHEN rate_windows.ends_at <= now() THEN now() + make_interval(secs => ${limit.windowSeconds})
          ELSE rate_windows.ends_at END
      WHERE rate_windows.ends_at <= now() OR rate_windows.taken + ${count} <= ${limit.perWindow}
      RETURNING taken, ends_at
    ), outcome AS (
      SELECT taken, ends_at, true AS fits FROM fitting
      UNION ALL
      SELECT taken, ends_at, false FROM rate_windows WHERE bucket = ${bucket} AND NOT EXISTS (SELECT 1 FROM fitting)
    )
    SELECT taken, greatest(0, extract(epoch FROM ends_at - now()) * 1000)::int AS millis_left, fits FROM outcome
  `.pipe(
    Effect.orDie,
    // A window that a concurrent request just created is not visible yet; the caller retries later.
    Effect.map((rows) => rows[0] ?? { taken: limit.perWindow, millis_left: limit.windowSeconds * 1000, fits: false })
  )
