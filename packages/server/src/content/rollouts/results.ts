import type { Thresholds } from "@orgplane/schema/rollouts"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { compareReleases } from "./evidence.ts"
import type { Baseline, Row } from "./repo.ts"
import * as repo from "./results-repo.ts"

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
  // A release that was rolled out before keeps its results, until the rollout is resumed.
  const isResumed = row.counts_from.getTime() !== row.created_at.getTime()
  const release = { organizationId, pluginId, digest: row.digest }
  const from = isResumed ? row.counts_from.toISOString() : null
  const installed = yield* repo.installationsInRings(sql, { ...release, from }, row.id)
  const used = yield* repo.usageInRings(sql, { ...release, from }, row.id)
  return {
    installations: compareReleases(installed, baseline.installations, thresholds),
    usage: compareReleases(used, baseline.usage, thresholds)
  }
})
