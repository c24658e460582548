import { everyone, type RolloutSettings } from "@orgplane/schema/rollouts"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { makeId } from "../../infra/ids.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { deleteOldContents } from "../approvals/retention-repo.ts"
import { frozenUntil } from "./freezes.ts"
import * as repo from "./repo.ts"
import { readBaseline } from "./results.ts"

/** The latest ring that has the release; null before the first one. */
export const ringOf = ({ reached, ring_count: ringCount, rings, state }: repo.Row): string | null =>
  state === "completed" ? everyone : reached === 0 ? null : (rings[Math.min(reached, ringCount) - 1]?.name ?? null)

/** Ends a rollout whose release cannot be delivered. Its rings, and those of superseded rollouts, get the served release. */
export const cancel = Effect.fnUntraced(function* (
  sql: Sql,
  { id, organization_id: organizationId, plugin_id: pluginId }: Pick<repo.Row, "id" | "organization_id" | "plugin_id">,
  by: Id<"om"> | null,
  comment?: string
) {
  yield* repo.end(sql, organizationId, id, "cancelled", comment === undefined ? {} : { comment })
  yield* repo.addStep(sql, organizationId, id, { step: "cancelled", reason: comment ?? null, by })
  yield* repo.endDeliveries(sql, organizationId, pluginId)
})

/** Whether the release of a rollout can be delivered: it is approved, and its files are stored. */
export const isDeliverable = Effect.fnUntraced(function* (sql: Sql, row: repo.Row) {
  const release = yield* repo.findRelease(sql, row.organization_id, row.release_id)
  return release !== undefined && release.state === "approved" && release.has_contents
})

/** All members receive the release. Every rollout of the plugin ends its deliveries to rings. */
export const complete = Effect.fnUntraced(function* (
  sql: Sql,
  row: repo.Row,
  by: Id<"om"> | null,
  emergency?: { readonly comment: string }
) {
  const { id, organization_id: organizationId, plugin_id: pluginId } = row
  if (emergency !== undefined) {
    yield* repo.addStep(sql, organizationId, id, { step: "released", reason: emergency.comment, by })
  }
  yield* repo.end(sql, organizationId, id, "completed", { ...emergency, isEmergency: emergency !== undefined })
  yield* repo.addStep(sql, organizationId, id, { step: "completed", ring: everyone, by })
  yield* repo.endDeliveries(sql, organizationId, pluginId)
  yield* repo.serve(sql, organizationId, pluginId, row.release_id)
  yield* deleteOldContents(sql, organizationId, pluginId)
})

/** Starts the next ring, or completes the rollout after the last one. */
export const advance = Effect.fnUntraced(function* (sql: Sql, row: repo.Row, by: Id<"om"> | null) {
  const { id, organization_id: organizationId, reached } = row
  if (!(yield* isDeliverable(sql, row))) return yield* cancel(sql, row, by)
  const ring = row.rings[reached]
  if (ring === undefined) return yield* complete(sql, row, by)
  yield* repo.startRing(sql, organizationId, id, reached)
  yield* repo.endCoveredDeliveries(sql, organizationId, row.plugin_id)
  yield* repo.addStep(sql, organizationId, id, { step: "ring_started", ring: ring.name, by })
})

/** Creates a rollout in place of an open one. Starts its first ring unless a freeze applies. The plugin is locked. */
export const create = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  releases: {
    readonly pluginId: Id<"plg">
    readonly releaseId: Id<"rel">
    readonly previousReleaseId: Id<"rel"> | null
  },
  { freezes, rings }: Pick<RolloutSettings, "freezes" | "rings">,
  by: Id<"om"> | null,
  /** When it starts; null for as soon as no freeze applies. */
  startsAt: string | null = null
) {
  const open = yield* repo.findOpen(sql, organizationId, releases.pluginId)
  if (open !== undefined) {
    // Its rings keep their release until the new one reaches them.
    yield* repo.end(sql, organizationId, open.id, "superseded", { delivers: open.reached > 0 })
    yield* repo.addStep(sql, organizationId, open.id, { step: "superseded", by })
  }
  const id = makeId("rlo")
  yield* repo.insert(sql, organizationId, { id, ...releases, rings })
  yield* repo.addStep(sql, organizationId, id, { step: "created", by })
  if (startsAt !== null) yield* repo.schedule(sql, organizationId, id, startsAt)
  const row = yield* repo.find(sql, organizationId, id)
  if (row === undefined) return id
  // Without rings, no results are compared.
  if (rings.length > 0) yield* repo.setBaseline(sql, organizationId, id, yield* readBaseline(sql, row))
  const now = yield* repo.readTime(sql)
  const isDue = startsAt === null || Date.parse(startsAt) <= now
  if (isDue && frozenUntil(freezes, now) === undefined) yield* advance(sql, row, by)
  yield* repo.endCoveredDeliveries(sql, organizationId, releases.pluginId)
  return id
})
