import type { Thresholds } from "@orgplane/schema/rollouts"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { compareReleases } from "./evidence.ts"
import type { Baseline, Row } from "./repo.ts"
import * as repo from "./results-repo.ts"

const dayMillis = 86_400_000
const dayOf = (millis: number) => new Date(millis).toISOString().slice(0, 10)

/** The results with the previous release. Later results do not count: the comparison needs a fixed rate. */
export const readBaseline = Effect.fnUntraced(function* (sql: Sql, row: Row) {
  const before = {
    organizationId: row.organization_id,
    pluginId: row.plugin_id,
    digest: row.previous_digest,
    from: null
  }
  const installations = yield* repo.installations(sql, before)
  return { installations, usage: yield* repo.usage(sql, before) } satisfies Baseline
})

/** Compares the results of a release with those of the previous release. */
export const readResults = Effect.fnUntraced(function* (sql: Sql, row: Row, thresholds: Thresholds) {
  const { baseline_json: baseline, organization_id: organizationId, plugin_id: pluginId } = row
  const countsFrom = row.counts_from.getTime()
  // A release that was rolled out before keeps its results, until the rollout is resumed.
  const isResumed = countsFrom !== row.created_at.getTime()
  const release = { organizationId, pluginId, digest: row.digest }
  const from = isResumed ? row.counts_from.toISOString() : null
  const installed = yield* repo.installationsInRings(sql, { ...release, from }, row.id)
  // The rest of the day does not count: its events cannot be separated from those before.
  const used = yield* repo.usage(sql, { ...release, from: isResumed ? dayOf(countsFrom + dayMillis) : null })
  return {
    installations: compareReleases(installed, baseline.installations, thresholds),
    usage: compareReleases(used, baseline.usage, thresholds)
  }
})
