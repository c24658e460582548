import type { ScimDecision, ScimDifference } from "@orgplane/schema/scim"
import type { DirectoryCaller } from "@orgplane/schema/shared/caller"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { makeId } from "../ids.ts"
import { type Sql, SqlDatabase } from "../sql/client.ts"
import { databaseAway } from "../sql/unavailable.ts"
import * as repo from "./log-repo.ts"

/** What a directory asked for and what became of it. */
export interface Entry {
  readonly method: string
  /** As it came, with the query. */
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

/** Whose entry it is. */
export type Asker = Pick<DirectoryCaller, "organizationId" | "directoryId" | "tokenId"> & {
  readonly request: Pick<DirectoryCaller["request"], "requestId" | "userAgent" | "responseHeaders">
}

const pathMax = 1024
const textMax = 1000
const nameMax = 256

/** Secrets of ours, wherever somebody put them. */
const withoutTokens = (text: string) => text.replace(/\bop([a-z])_[0-9A-Za-z]{20,}/g, "op$1_…")
// The database keeps no character zero, and half of a pair is none.
const sane = (text: string, max: number) => withoutTokens(text).replaceAll("\u0000", "").slice(0, max).toWellFormed()

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}

/** Names of what a query must not show: whoever asks by a password or a token has put it there. */
const secretNames = /passw|secret|token|authorization|credential/i

/** A path as the log keeps it: below the protocol's root, and of its query only what is no secret. */
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

/** Writes down a change in the transaction that makes it: there is no change that the log does not tell. */
export const recordInTransaction = (sql: Sql, caller: DirectoryCaller, entry: Entry) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => repo.write(sql, [lineOf(caller, entry, now)])).pipe(Effect.asVoid)

/** The same as a row, for a statement that makes the change and tells of it. */
export const lineOfChange = (caller: DirectoryCaller, entry: Entry) =>
  Effect.map(Clock.currentTimeMillis, (now) => lineOf(caller, entry, now))

/** What waits to be written; of more the oldest are given up. */
const waitingMax = 5000
const batchMax = 1000
/** A directory that asks on and on although it is refused for that, is told of so often. */
const limitedMillis = 10_000

const lost = Metric.counter("orgplane_scim_log_lost_total", {
  description: "Entries of directories' logs that were given up because more came than could be written.",
  incremental: true
})

const resourceIn = (path: string): Pick<Entry, "resourceId" | "resourceType"> => {
  const [, kind, id] = /\/scim\/v2\/(User|Group)s(?:\/([^/?]+))?/.exec(path) ?? []
  return {
    resourceType: kind === "User" || kind === "Group" ? kind : undefined,
    resourceId: id === undefined || id.startsWith(".") ? undefined : decoded(id)
  }
}

/**
 * The log of directories' requests. Changes stand in their own transaction; what only looked, and what was refused, waits
 * here for a second, and is written in one statement.
 */
export class ScimLog extends Context.Service<ScimLog>()("@orgplane/server/scim/Log", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const writing = yield* Semaphore.make(1)
    const waiting: Array<repo.Line> = []
    /** Requests that told of their refusal themselves. */
    const told = new WeakSet<object>()
    const limited = new Map<string, number>()
    let dropped = 0

    const put = (line: repo.Line) =>
      Effect.suspend(() => {
        waiting.push(line)
        if (waiting.length <= waitingMax) return Effect.void
        waiting.shift()
        dropped += 1
        return Metric.update(lost, 1)
      })

    /** Notes a read or a refusal; it is written within seconds. */
    const note = (caller: Asker, entry: Entry): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        told.add(caller.request.responseHeaders)
        return put(lineOf(caller, entry, now))
      })

    /** Notes that a request was refused, whoever refused it, unless that was noted. */
    const noteRefusal = (
      caller: Asker,
      refused: Pick<Entry, "method" | "path" | "status" | "scimType" | "detail">
    ): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (told.has(caller.request.responseHeaders)) return Effect.void
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
          Effect.logWarning("Entries of directories' logs were given up: more came than could be written."),
          { count }
        )
      }
      const lines = waiting.slice(0, batchMax)
      if (lines.length === 0) return 0
      yield* repo.write(sql, lines)
      // What was given up meanwhile was the oldest, which is written now.
      const written = new Set(lines)
      const left = waiting.filter((line) => !written.has(line))
      waiting.splice(0, waiting.length, ...left)
      return lines.length
    })

    /** Writes what waits; while the database is away it waits on. */
    const flush = writing.withPermits(1)(
      writeSome.pipe(
        Effect.repeat({ while: (count) => count === batchMax }),
        Effect.tapError((error) =>
          // What the database will never take must not keep all after it from being written.
          Effect.sync(() => databaseAway(error) || waiting.splice(0, batchMax))
        ),
        Effect.catchCause((cause) => Effect.logWarning("A directory's log was not written.", cause)),
        Effect.asVoid
      )
    )

    // Last in, first out: the pulse ends, then what waits is written, while there is still a database.
    yield* Effect.addFinalizer(() => flush)
    yield* flush.pipe(
      Effect.when(Effect.sync(() => waiting.length > 0)),
      Effect.repeat(Schedule.spaced("1 second")),
      Effect.forkScoped
    )

    return { note, noteRefusal, flush } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
