import type { CallerRequest } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Semaphore from "effect/Semaphore"
import { makeId } from "../ids.ts"
import { counter } from "../metrics/metrics.ts"
import { SqlDatabase } from "../sql/client.ts"
import { databaseAway } from "../sql/unavailable.ts"
import { wake } from "../sql/wakes.ts"
import * as repo from "./refusals-repo.ts"

export type Refused = repo.Refused

/** A credential that was refused, whose organization is looked up when the refusals are written. */
export interface EndedCredential {
  readonly kind: "key" | "worker" | "directory"
  readonly tokenDigest: Uint8Array
}

/** Someone entered a wrong code for an email address. Each organization of its user gets the event. */
export interface WrongCode {
  readonly kind: "email"
  readonly email: string
}

export interface Refusal {
  /** `permission_required`, for example. */
  readonly reason: string
  /** `group.endpoint`. */
  readonly operation: string | undefined
  readonly address: string
  readonly userAgent: string | null
}

interface Entry extends Omit<Refusal, "operation"> {
  readonly subject: Refused | EndedCredential | WrongCode
  count: number
  readonly operations: Set<string>
  readonly firstAt: number
  lastAt: number
}

/** Entries in memory. Further refusals of an organization are counted in one entry without a principal. */
const entriesMax = 10_000
/** Entries of one organization, so that one organization cannot use up the others' share. */
const entriesOfOrganizationMax = 200
/** Entries of credentials, and of email addresses, whose organization is not known yet. Each has its own share. */
const unresolvedMax = 2_000
const operationsMax = 10
/** Reasons that are not in a response. */
const otherReason = "other"
const wrongCodeReason = "code_invalid"
const flushEvery = "60 seconds"
const batchMax = 500

const lost = counter("orgplane_refusals_lost_total", {})

const anonymousIn = (organizationId: Id<"org">): Refused => ({
  organizationId,
  kind: "anonymous",
  id: null,
  credential: null
})

const isKnown = (subject: Entry["subject"]): subject is Refused => "organizationId" in subject

/**
 * Audit events of refused requests. They are counted in memory by principal and reason, and written once a minute, so that
 * a caller who repeats a refused request adds one event per minute. Nothing is recorded for callers without an
 * organization. Pending counts are written when the server stops.
 */
export class Refusals extends Context.Service<Refusals>()("@orgplane/server/audit/Refusals", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    // The metrics of a control plane are in its context.
    const context = yield* Effect.context()
    const drop = () => Effect.runSyncWith(context)(Metric.update(lost, 1))
    const writing = yield* Semaphore.make(1)
    let entries = new Map<string, Entry>()
    let ofOrganization = new Map<string, number>()
    let unresolved = { tokens: 0, emails: 0 }
    /** Rows whose write failed. They are written before newer ones. */
    const waiting: Array<repo.Row> = []
    /** Open while refusals wait, so that an idle server does not wake up. */
    const hasEntries = Latch.makeUnsafe(false)

    const add = (key: string, subject: Entry["subject"], refusal: Refusal, now: number) => {
      const entry = entries.get(key)
      if (entry !== undefined) {
        entry.count += 1
        entry.lastAt = now
        if (refusal.operation !== undefined && entry.operations.size < operationsMax) {
          entry.operations.add(refusal.operation)
        }
        return
      }
      const { address, operation, reason, userAgent } = refusal
      const operations = new Set(operation === undefined ? [] : [operation])
      entries.set(key, { subject, reason, address, userAgent, operations, count: 1, firstAt: now, lastAt: now })
      hasEntries.openUnsafe()
    }

    const noteKnown = (subject: Refused, refusal: Refusal, now: number) => {
      const { id, kind, organizationId } = subject
      const key = `${organizationId}/${kind}/${id}/${refusal.reason}`
      const count = ofOrganization.get(organizationId) ?? 0
      if (entries.has(key)) return add(key, subject, refusal, now)
      if (entries.size < entriesMax && count < entriesOfOrganizationMax) {
        ofOrganization.set(organizationId, count + 1)
        return add(key, subject, refusal, now)
      }
      const rest = `${organizationId}/rest`
      if (!entries.has(rest) && entries.size >= 2 * entriesMax) return drop()
      return add(rest, anonymousIn(organizationId), { ...refusal, reason: otherReason, userAgent: null }, now)
    }

    /** Counts a refusal. Returns at once, and does not fail. */
    const note = (subject: Entry["subject"], refusal: Refusal, now: number): void => {
      if (isKnown(subject)) return noteKnown(subject, refusal, now)
      const name = subject.kind === "email" ? subject.email : Buffer.from(subject.tokenDigest).toString("base64")
      const key = `${subject.kind}/${name}`
      if (!entries.has(key)) {
        // Anyone can send made-up credentials, which must not use up the share of wrong codes.
        const pool = subject.kind === "email" ? "emails" : "tokens"
        if (unresolved[pool] >= unresolvedMax) return drop()
        unresolved[pool] += 1
      }
      add(key, subject, refusal, now)
    }

    const rowOf = (entry: Entry, subject: Refused): repo.Row => {
      const { address, count, firstAt, lastAt, operations, reason, userAgent } = entry
      const after = {
        reason,
        count,
        operations: [...operations].sort(),
        firstAt: new Date(firstAt).toISOString(),
        lastAt: new Date(lastAt).toISOString()
      }
      return repo.rowOf({ id: makeId("aud"), subject, address, userAgent, after })
    }

    /** The rows of the counted refusals, and starts to count again. */
    const takeRows = Effect.gen(function* () {
      const taken = [...entries.values()]
      entries = new Map()
      ofOrganization = new Map()
      unresolved = { tokens: 0, emails: 0 }
      const putBack = Effect.suspend(() => {
        let dropped = 0
        for (const entry of taken) {
          if (isKnown(entry.subject)) waiting.push(rowOf(entry, entry.subject))
          else dropped += 1
        }
        return Metric.update(lost, dropped)
      })
      const rows = yield* Effect.onError(resolve(taken), () => putBack)
      waiting.push(...rows)
    })

    /** Finds the organizations of credentials and email addresses. */
    const resolve = Effect.fnUntraced(function* (taken: ReadonlyArray<Entry>) {
      const rows: Array<repo.Row> = []
      const byDigest = new Map<string, Entry>()
      const byEmail = new Map<string, Entry>()
      for (const entry of taken) {
        const { subject } = entry
        if (isKnown(subject)) rows.push(rowOf(entry, subject))
        else if (subject.kind === "email") byEmail.set(subject.email, entry)
        else byDigest.set(Buffer.from(subject.tokenDigest).toString("hex"), entry)
      }
      if (byDigest.size > 0) {
        for (const row of yield* repo.endedCredentials(sql, [...byDigest.keys()])) {
          const entry = byDigest.get(row.digest)
          const { credential_id: credential, id, kind, organization_id: organizationId, reason } = row
          if (entry === undefined) continue
          rows.push(rowOf({ ...entry, reason }, { organizationId, kind, id, credential }))
        }
      }
      if (byEmail.size > 0) {
        for (const { email, membership_id: id, organization_id: organizationId } of yield* repo.membersByEmail(sql, [
          ...byEmail.keys()
        ])) {
          const entry = byEmail.get(email)
          if (entry !== undefined) rows.push(rowOf(entry, { organizationId, kind: "session", id, credential: null }))
        }
      }
      return rows
    })

    const writeSome = Effect.gen(function* () {
      const rows = waiting.slice(0, batchMax)
      if (rows.length === 0) return
      yield* Effect.andThen(repo.write(sql, rows), wake(sql, "audit")).pipe(
        sql.withTransaction,
        Effect.tapError((error) => {
          if (databaseAway(error)) return Effect.void
          // Rows that the database rejects must not block the ones after them.
          waiting.splice(0, rows.length)
          return Metric.update(lost, rows.length)
        })
      )
      waiting.splice(0, rows.length)
    })

    /** Writes what was counted. While the database is unavailable, it keeps waiting. */
    const flush = writing.withPermits(1)(
      Effect.gen(function* () {
        // While rows wait, refusals are counted further in memory.
        if (waiting.length === 0) yield* takeRows
        while (waiting.length > 0) yield* writeSome
      }).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning("Refused requests could not be written to the audit log.", cause)
        )
      )
    )

    // Finalizers run in reverse order: the loop ends, then the remaining refusals are written.
    yield* Effect.addFinalizer(() => flush)
    yield* Effect.gen(function* () {
      yield* hasEntries.await
      yield* Effect.sleep(flushEvery)
      yield* flush
      if (waiting.length === 0 && entries.size === 0) hasEntries.closeUnsafe()
    }).pipe(Effect.forever, Effect.forkScoped)

    /** Counts a wrong code of a sign-in. */
    const noteWrongCode = (
      whose: Pick<Refused, "organizationId"> | Pick<WrongCode, "email">,
      { address, operation, userAgent }: Pick<CallerRequest, "address" | "operation" | "userAgent">
    ) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        note(
          "email" in whose ? { kind: "email", ...whose } : anonymousIn(whose.organizationId),
          { reason: wrongCodeReason, operation, address, userAgent },
          now
        )
      )

    return { note, noteWrongCode, flush } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
