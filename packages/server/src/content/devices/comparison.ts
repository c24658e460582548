/** Compares the desired states and the reports of many devices, each distinct pair of them once. */
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { inSnapshot } from "../../infra/sql/snapshot.ts"
import { inTimeSlices, type Steps } from "../../infra/time-slices.ts"
import { type ComparedInstallation, compareInstallations, type StoredPlugin, type WantedPlugin } from "./compare.ts"
import * as repo from "./status-repo.ts"

/** Concurrent comparisons of a process. Each uses a connection and keeps the sets of one chunk in memory. */
const comparedAtOnce = 4
/** Pairs in a chunk. A set has at most 2,000 plugins, which are a few hundred kilobytes. */
const chunkPairs = 50
/** Pairs in a chunk if only one plugin of each set is read. */
const chunkPairsOfPlugin = 1000

/** The sets of a chunk by their digests: JSON until they are compared for the first time. */
type Sets<A> = Map<string, string | ReadonlyArray<A>>

const parsed = <A>(sets: Sets<A>, digest: string): ReadonlyArray<A> => {
  const set = sets.get(digest)
  if (typeof set !== "string") return set ?? []
  const plugins = JSON.parse(set) as ReadonlyArray<A>
  sets.set(digest, plugins)
  return plugins
}

const isString = (value: string | null): value is string => value !== null

/** Loads the sets of a chunk. Those of the last chunk are kept if they are needed again. */
const load = Effect.fnUntraced(function* <A>(
  last: Sets<A>,
  digests: ReadonlyArray<string | null>,
  read: (missing: ReadonlyArray<string>) => ReturnType<typeof repo.sets>
) {
  const next: Sets<A> = new Map()
  const missing: Array<string> = []
  for (const digest of new Set(digests.filter(isString))) {
    const set = last.get(digest)
    if (set === undefined) missing.push(digest)
    else next.set(digest, set)
  }
  if (missing.length > 0) for (const { digest, plugins } of yield* read(missing)) next.set(digest, plugins)
  return next
})

/**
 * Compares each pair in time slices of a few milliseconds, and passes the results to `visit`. Pairs that share a set
 * should be consecutive. A device without a desired state has no installations. With `pluginId`, only this plugin is compared.
 */
export const comparePairs = Effect.fnUntraced(function* <P extends repo.Pair>(
  sql: Sql,
  organizationId: Id<"org">,
  pairs: ReadonlyArray<P>,
  pluginId: string | null,
  visit: (pair: P, installations: ReadonlyArray<ComparedInstallation>) => void
) {
  let wanted: Sets<WantedPlugin> = new Map()
  let reported: Sets<StoredPlugin> = new Map()
  const steps = function* (chunk: ReadonlyArray<P>): Steps<void> {
    for (const pair of chunk) {
      const { failure, is_offline: isOffline, plugins_digest: digest, report_digest: reportDigest } = pair
      const plugins =
        digest === null
          ? []
          : compareInstallations(parsed(wanted, digest), parsed(reported, reportDigest), { isOffline, failure })
      visit(pair, plugins)
      yield
    }
  }
  const size = pluginId === null ? chunkPairs : chunkPairsOfPlugin
  for (let at = 0; at < pairs.length; at += size) {
    const chunk = pairs.slice(at, at + size)
    wanted = yield* load(
      wanted,
      chunk.map((pair) => pair.plugins_digest),
      (digests) => repo.sets(sql, organizationId, "wanted", digests, pluginId)
    )
    reported = yield* load(
      reported,
      chunk.map((pair) => pair.report_digest),
      (digests) => repo.sets(sql, organizationId, "reported", digests, pluginId)
    )
    yield* inTimeSlices(steps(chunk), 1)
  }
})

/** Returns a function that runs reads in one snapshot: all of them see the same devices. */
export const makeSnapshot = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const permits = yield* Semaphore.make(comparedAtOnce)
  return <A, E, R>(reads: Effect.Effect<A, E, R>) => Semaphore.withPermits(permits, 1)(inSnapshot(sql, reads))
})
