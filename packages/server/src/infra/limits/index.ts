import type { Sql } from "../sql/client.ts"
import { SqlDatabase } from "../sql/client.ts"
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
  /** How many are taken from the database at once; 1 is exact, more trades exactness at the edge for speed. */
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
  /** Codes for one e-mail address that one place asks for. */
  signIn: { name: "sign-in", perWindow: 5, windowSeconds: 3600, slice: 1 },
  /** Codes that one place asks for, whoever they are for: an office has one address. */
  signInAddress: { name: "sign-in-address", perWindow: 60, windowSeconds: 3600, slice: 1 },
  /** Codes for one e-mail address, wherever they are asked for: one stranger must not use them up. */
  signInEmail: { name: "sign-in-email", perWindow: 20, windowSeconds: 3600, slice: 1 },
  /** Sign-ins by identity providers that one place begins: an office has one address. */
  ssoStart: { name: "sso-start", perWindow: 120, windowSeconds: 60, slice: 1 },
  /** Letters that one organization sends to one address. */
  invitation: { name: "invitation", perWindow: 10, windowSeconds: 3600, slice: 1 },
  /** Letters to one address, whoever sends them: one organization must not use up another's. */
  invitationEmail: { name: "invitation-email", perWindow: 40, windowSeconds: 3600, slice: 1 },
  /** Letters of one organization to whomever: nobody mails the world by it. */
  invitationLetters: { name: "invitation-letters", perWindow: 1000, windowSeconds: 86_400, slice: 1 },
  /** Reads of a repository that somebody in a workspace nobody has claimed asks for. */
  provisionalOutbound: { name: "provisional-outbound", perWindow: 20, windowSeconds: 60, slice: 1 },
  /** Looks for MCP servers that one organization asks for: each may ask five hosts. */
  mcpResolve: { name: "mcp-resolve", perWindow: 30, windowSeconds: 60, slice: 1 },
  /** Single tools that people of one organization run. */
  mcpCall: { name: "mcp-call", perWindow: 60, windowSeconds: 60, slice: 1 },
  /** Providers of models that people of one organization have asked whether a key is good. */
  llmTest: { name: "llm-test", perWindow: 30, windowSeconds: 60, slice: 1 },
  /** Looks for the records of all the domains of one organization that are not verified. */
  domainVerify: { name: "domain-verify", perWindow: 10, windowSeconds: 60, slice: 1 },
  /** Requests of one directory: 50 a second, of which ten seconds may come at once. */
  scim: { name: "scim", perWindow: 500, windowSeconds: 10, slice: 50 },
  /** Requests with unknown, expired or revoked marketplace links, per source address. */
  marketplaceLinkFailure: { name: "marketplace-link-failure", perWindow: 60, windowSeconds: 60, slice: 1 },
  /** Requests with one marketplace link, which may be shared by a whole team. */
  marketplaceLink: { name: "marketplace-link", perWindow: 6000, windowSeconds: 60, slice: 100 },
  session: { name: "session", perWindow: 600, windowSeconds: 60, slice: 50 },
  worker: { name: "worker", perWindow: 1200, windowSeconds: 60, slice: 100 },
  key: { name: "key", perWindow: 1200, windowSeconds: 60, slice: 100 }
} as const satisfies Record<string, Limit>

/** Where a refusal says how long to wait. */
export interface Told {
  readonly head: Record<string, string>
}

interface Lease {
  left: number
  /** What nobody had taken of the window when the slice was. */
  readonly rest: number
  readonly endsAt: number
}

const leasesMax = 20_000

/**
 * Counts shared by all processes. A window is one row of an unlogged table; a process takes a slice of it and spends
 * that from memory, so that no request pays for a durable write.
 */
export class RateLimiter extends Context.Service<RateLimiter>()("@orgplane/server/limits/RateLimiter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const leases = new Map<string, Lease>()
    /** Windows that are used up: refused from memory until they end. */
    const full = new Map<string, number>()
    /** Slices on their way: whoever comes meanwhile waits for one instead of taking another. */
    const coming = new Map<string, Deferred.Deferred<void>>()

    const forget = (now: number) => {
      for (const [bucket, lease] of leases) if (lease.endsAt <= now) leases.delete(bucket)
      for (const [bucket, endsAt] of full) if (endsAt <= now) full.delete(bucket)
    }

    const tell = (told: Told, limit: Limit, left: number, seconds: number) => {
      told.head["ratelimit-policy"] = `"${limit.name}";q=${limit.perWindow};w=${limit.windowSeconds}`
      told.head["ratelimit"] = `"${limit.name}";r=${left};t=${seconds}`
    }

    const refuse = (told: Told, limit: Limit, endsAt: number, now: number) => {
      const seconds = Math.max(1, Math.ceil((endsAt - now) / 1000))
      told.head["retry-after"] = String(seconds)
      tell(told, limit, 0, seconds)
      return Effect.fail(
        limit.refusal === undefined
          ? new RateLimited()
          : new RateLimited({ message: `${limit.refusal} Retry after ${seconds} seconds.` })
      )
    }

    /** When a window that is known to be used up ends; undefined when it is open. */
    const fullUntil = (limit: Limit, who: string, now: number): number | undefined => {
      const endsAt = full.size === 0 ? undefined : full.get(`${limit.name}:${who}`)
      return endsAt === undefined || endsAt <= now ? undefined : endsAt
    }

    /**
     * Takes one of a slice that is held already; false when there is none, and `take` has to be asked. Told is what is
     * left of the window as of the last slice; of single ones, nothing.
     */
    const takeHeld = (told: Told, limit: Limit, who: string, now: number): boolean => {
      const held = leases.get(`${limit.name}:${who}`)
      if (held === undefined || held.endsAt <= now || held.left === 0) return false
      held.left -= 1
      if (limit.slice > 1) {
        tell(told, limit, held.left + held.rest, Math.max(1, Math.ceil((held.endsAt - now) / 1000)))
      }
      return true
    }

    /** Takes a slice from the database, or finds the window used up. */
    const lease = Effect.fnUntraced(function* (bucket: string, limit: Limit) {
      const now = yield* Clock.currentTimeMillis
      const row = yield* takeSlice(sql, bucket, limit)
      const endsAt = now + row.millis_left
      // What the slice holds of the window: all of it, a rest, or nothing.
      const granted = Math.min(limit.slice, limit.perWindow - (row.taken - limit.slice))
      if (granted <= 0) full.set(bucket, endsAt)
      else leases.set(bucket, { left: granted, rest: Math.max(0, limit.perWindow - row.taken), endsAt })
    })

    /** Takes one of the window, or fails with how long to wait. */
    const take = Effect.fnUntraced(function* (told: Told, limit: Limit, who: string) {
      const bucket = `${limit.name}:${who}`
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        if (takeHeld(told, limit, who, now)) return
        const knownFull = fullUntil(limit, who, now)
        if (knownFull !== undefined) return yield* refuse(told, limit, knownFull, now)
        if (leases.size + full.size > leasesMax) forget(now)
        const known = coming.get(bucket)
        if (known !== undefined) {
          yield* Deferred.await(known)
          continue
        }
        const arrived = Deferred.makeUnsafe<void>()
        coming.set(bucket, arrived)
        // A slice that the database gave to a request that is given up is kept for the next one.
        // The others must not see its interruption, so they are told inside the uninterruptible part.
        yield* lease(bucket, limit).pipe(
          // All waiting callers fail with it: separate retries would each wait for the dead database again.
          Effect.onExit((exit) => {
            coming.delete(bucket)
            return Deferred.done(arrived, exit)
          }),
          Effect.uninterruptible
        )
      }
    })

    /**
     * Takes several of the window at once, or none of them and fails with how long to wait. What a process holds of a slice
     * is taken already, so that near its end a window may be refused that single ones still find room in.
     */
    const takeMany = Effect.fnUntraced(function* (told: Told, limit: Limit, who: string, count: number) {
      if (count <= 0) return
      const bucket = `${limit.name}:${who}`
      const row = yield* takeAtOnce(sql, bucket, limit, count)
      const now = yield* Clock.currentTimeMillis
      const endsAt = now + row.millis_left
      if (!row.fits) return yield* refuse(told, limit, endsAt, now)
      const rest = Math.max(0, limit.perWindow - row.taken)
      const held = leases.get(bucket)
      if (held !== undefined) leases.set(bucket, { ...held, rest })
      tell(told, limit, (held?.left ?? 0) + rest, Math.max(1, Math.ceil(row.millis_left / 1000)))
    })

    return { fullUntil, refuse, take, takeHeld, takeMany } as const
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
    ), found AS (
      SELECT taken, ends_at, true AS fits FROM fitting
      UNION ALL
      SELECT taken, ends_at, false FROM rate_windows WHERE bucket = ${bucket} AND NOT EXISTS (SELECT 1 FROM fitting)
    )
    SELECT taken, greatest(0, extract(epoch FROM ends_at - now()) * 1000)::int AS millis_left, fits FROM found
  `.pipe(
    Effect.orDie,
    // A window that somebody began at this very moment is not seen yet: it is asked for again later.
    Effect.map((rows) => rows[0] ?? { taken: limit.perWindow, millis_left: limit.windowSeconds * 1000, fits: false })
  )
