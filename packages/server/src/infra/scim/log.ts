import type { ScimDecision, ScimDifference } from "@orgplane/schema/scim"
import type { CallerResponse, DirectoryCaller } from "@orgplane/schema/shared/caller"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Semaphore from "effect/Semaphore"
import { counter } from "../metrics/metrics.ts"
import { makeId } from "../ids.ts"
import { type Sql, SqlDatabase } from "../sql/client.ts"
import { databaseAway } from "../sql/unavailable.ts"
import * as repo from "./log-repo.ts"

/** A directory's request and its result. */
export interface Entry {
  readonly method: string
  /** As received, with the query. */
  readonly path: string
  readonly status: number
  readonly decision: ScimDecision
  readonly scimType?: string | undefined
  readonly detail?: string | undefined
  readonly resourceType?: "User" | "Group" | undefined
  readonly resourceId?: string | undefined
  /** `userName` or `displayName`. */
  readonly displayName?: string | undefined
  readonly differences?: ReadonlyArray<ScimDifference> | undefined
}

/** The directory that made the request. */
export type Asker = Pick<DirectoryCaller, "organizationId" | "directoryId" | "tokenId"> & {
  readonly request: Pick<DirectoryCaller["request"], "requestId" | "userAgent" | "responseState">
}

const pathMax = 1024
const textMax = 1000
const nameMax = 256

/** Redacts orgplane's credentials wherever they occur. */
const withoutTokens = (text: string) => text.replace(/\bop([a-z])_[0-9A-Za-z]{20,}/g, "op$1_…")
// The database stores neither U+0000 nor lone surrogates.
const sane = (text: string, max: number) => withoutTokens(text).replaceAll("\u0000", "").slice(0, max).toWellFormed()

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}

/** Query parameters to redact: a client may have put a password or a token into one. */
const secretNames = /passw|secret|token|authorization|credential/i

/** The path to log: relative to the SCIM base URL, with secrets in the query redacted. */
export const loggedPath = (url: string): string => {
  const [path = "", query] = url.split(/\?(.*)/s, 2)
  const below = path.replace(/^.*?\/v1\/scim\/v2(?=\/|$)/, "") || "/"
  if (query === undefined || query === "") return sane(below, pathMax)
  const pairs = query.split("&").map((pair) => {
    const [name = ""] = pair.split("=", 1)
    return secretNames.test(decoded(pair)) ? `${secretNames.test(decoded(name)) ? "…" : name}=…` : pair
  })
  return sane(`${below}?${pairs.join("&")}`, pathMax)
}

const lineOf = (asker: Asker, entry: Entry, now: number): repo.Line => ({
  organization_id: asker.organizationId,
  id: makeId("scl"),
  directory_id: asker.directoryId,
  token_id: asker.tokenId,
  request_id: sane(asker.request.requestId, nameMax),
  method: entry.method,
  path: loggedPath(entry.path),
  status: entry.status,
  decision: entry.decision,
  scim_type: entry.scimType ?? null,
  detail: entry.detail === undefined ? null : sane(entry.detail, textMax),
  resource_type: entry.resourceType ?? null,
  resource_id: entry.resourceId === undefined ? null : sane(entry.resourceId, nameMax),
  display_name: entry.displayName === undefined ? null : sane(entry.displayName, nameMax),
  differences_json: entry.differences ?? [],
  user_agent: asker.request.userAgent === null ? null : sane(asker.request.userAgent, nameMax),
  at: new Date(now).toISOString()
})

/** Records a change in its own transaction, so that every change is in the log. */
export const recordInTransaction = (sql: Sql, caller: DirectoryCaller, entry: Entry) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => repo.write(sql, [lineOf(caller, entry, now)])).pipe(Effect.asVoid)

/** The log entry as a row, for a statement that makes the change and writes the entry. */
export const lineOfChange = (caller: DirectoryCaller, entry: Entry) =>
  Effect.map(Clock.currentTimeMillis, (now) => lineOf(caller, entry, now))

/** Maximum number of entries that wait to be written; the oldest ones are dropped. */
const waitingMax = 5000
const batchMax = 1000
/** For a directory that keeps exceeding its rate limit, how often a rejection is logged. */
const limitedMillis = 10_000

const lost = counter("orgplane_scim_log_lost_total", {})

const resourceIn = (path: string): Pick<Entry, "resourceId" | "resourceType"> => {
  const [, kind, id] = /\/scim\/v2\/(User|Group)s(?:\/([^/?]+))?/.exec(path) ?? []
  return {
    resourceType: kind === "User" || kind === "Group" ? kind : undefined,
    resourceId: id === undefined || id.startsWith(".") ? undefined : decoded(id)
  }
}

/**
 * The log of directories' requests. Changes are recorded in their own transaction; reads and rejections wait for a
 * second, and are written together in one statement.
 */
export class ScimLog extends Context.Service<ScimLog>()("@orgplane/server/scim/Log", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const writing = yield* Semaphore.make(1)
    const waiting: Array<repo.Line> = []
    /** Open while entries wait, so that a server without directories does not wake up. */
    const hasEntries = Latch.makeUnsafe(false)
    /** The responses whose request is already logged. Compared by object, because clients can repeat request IDs. */
    const logged = new WeakSet<CallerResponse>()
    const limited = new Map<string, number>()
    let dropped = 0

    const put = (line: repo.Line) =>
      Effect.suspend(() => {
        waiting.push(line)
        hasEntries.openUnsafe()
        if (waiting.length <= waitingMax) return Effect.void
        waiting.shift()
        dropped += 1
        return Metric.update(lost, 1)
      })

    /** Logs a read or a rejection, which is written within seconds. */
    const note = (caller: Asker, entry: Entry): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        logged.add(caller.request.responseState)
        return put(lineOf(caller, entry, now))
      })

    /** Logs a rejection by any layer, unless it is already logged. */
    const noteRefusal = (
      caller: Asker,
      refused: Pick<Entry, "method" | "path" | "status" | "scimType" | "detail">
    ): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (logged.has(caller.request.responseState)) return Effect.void
        if (refused.status === 429) {
          const before = limited.get(caller.directoryId)
          if (before !== undefined && now - before < limitedMillis) return Effect.void
          if (limited.size > waitingMax) limited.clear()
          limited.set(caller.directoryId, now)
        }
        return put(lineOf(caller, { ...resourceIn(refused.path), ...refused, decision: "refused" }, now))
      })

    const writeSome = Effect.gen(function* () {
      if (dropped > 0) {
        const count = dropped
        dropped = 0
        yield* Effect.annotateLogs(
          Effect.logWarning("SCIM request log entries were dropped: more arrived than could be written."),
          { count }
        )
      }
      const lines = waiting.slice(0, batchMax)
      if (lines.length === 0) return 0
      yield* repo.write(sql, lines)
      // The oldest entries are part of this batch, so entries that were dropped during the write were already in it.
      const written = new Set(lines)
      const left = waiting.filter((line) => !written.has(line))
      waiting.splice(0, waiting.length, ...left)
      return lines.length
    })

    /** Writes waiting entries; while the database is unavailable they keep waiting. */
    const flush = writing.withPermits(1)(
      writeSome.pipe(
        Effect.repeat({ while: (count) => count === batchMax }),
        Effect.tapError((error) =>
          // Entries that the database rejects must not block the ones after them.
          Effect.sync(() => databaseAway(error) || waiting.splice(0, batchMax))
        ),
        Effect.catchCause((cause) => Effect.logWarning("SCIM request log entries were not written.", cause)),
        Effect.asVoid
      )
    )

    // Finalizers run in reverse order: the loop ends, then the remaining entries are written.
    yield* Effect.addFinalizer(() => flush)
    yield* Effect.gen(function* () {
      yield* hasEntries.await
      yield* Effect.sleep("1 second")
      yield* flush
      if (waiting.length === 0) hasEntries.closeUnsafe()
    }).pipe(Effect.forever, Effect.forkScoped)

    return { note, noteRefusal, flush } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
