import { everyone, type RolloutSettings } from "@orgplane/schema/rollouts"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { recordAudit, type SystemActor } from "../../infra/audit/record.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf } from "../../infra/mutate/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { wake } from "../../infra/sql/wakes.ts"
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

/** The membership that a step records; null for a check of the server, and for an API key. */
const memberOf = (actor: Member | SystemActor) => (actor.kind === "system" ? null : membershipOf(actor))

/** Ends the open rollout of a plugin, if any, because another release is rolled out or served. The plugin is locked. */
export const supersede = Effect.fnUntraced(function* (
  sql: Sql,
  actor: Member | SystemActor,
  pluginId: Id<"plg">,
  /** Whether rings that have its release keep it until the other release reaches them. */
  keepsRings: boolean
) {
  const { organizationId } = actor
  const open = yield* repo.findOpen(sql, organizationId, pluginId)
  if (open === undefined) return
  yield* repo.end(sql, organizationId, open.id, "superseded", { delivers: keepsRings && open.reached > 0 })
  yield* repo.addStep(sql, organizationId, open.id, { step: "superseded", by: memberOf(actor) })
  const ring = ringOf(open)
  yield* recordAudit(sql, actor, "rollout.supersede", {
    target: open.id,
    before: { state: open.state, ring },
    after: { state: "superseded", ring, pluginId, releaseId: open.release_id }
  })
})

/** Creates a rollout in place of an open one. Starts its first ring unless a freeze applies. The plugin is locked. */
export const create = Effect.fnUntraced(function* (
  sql: Sql,
  actor: Member | SystemActor,
  releases: {
    readonly pluginId: Id<"plg">
    readonly releaseId: Id<"rel">
    readonly previousReleaseId: Id<"rel"> | null
  },
  { freezes, rings }: Pick<RolloutSettings, "freezes" | "rings">,
  /** When it starts; null for as soon as no freeze applies. */
  startsAt: string | null = null
) {
  const { organizationId } = actor
  const by = memberOf(actor)
  yield* supersede(sql, actor, releases.pluginId, true)
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
  yield* wake(sql, "rollouts")
  return id
})
