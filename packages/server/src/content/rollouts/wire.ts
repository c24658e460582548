import { everyone, type RingProgress, type Rollout } from "@orgplane/schema/rollouts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import { describedOf } from "../plugins/archive-layout.ts"
import type { NextAllowed } from "./freezes.ts"
import { ringStarts } from "./next-ring.ts"
import { isOpen, type Row } from "./repo.ts"
import { ringOf } from "./transitions.ts"

/** When the next ring of a rollout starts, and unless `isNextOnly`, when each later ring starts. */
export const startsOf = (row: Row, nextAllowed: NextAllowed, now: number, isNextOnly = false) =>
  ringStarts(
    row.rings,
    {
      state: row.state,
      reached: row.reached,
      soaksFrom: row.soaks_from?.getTime() ?? null,
      startsAt: row.starts_at?.getTime() ?? null
    },
    nextAllowed,
    now,
    isNextOnly
  )

export const versionOf = (row: Pick<Row, "name" | "manifest_json">): string | null =>
  describedOf({ name: row.name, description: null, manifest_json: row.manifest_json }).version ?? null

export const isoOf = (millis: number | null): string | null => (millis === null ? null : new Date(millis).toISOString())

export const toWire = (row: Row, nextAllowed: NextAllowed, now: number): Rollout => ({
  id: row.id,
  organizationId: row.organization_id,
  pluginId: row.plugin_id,
  pluginName: row.name,
  releaseId: row.release_id,
  releaseNumber: row.number,
  version: versionOf(row),
  digest: row.digest,
  previousReleaseId: row.previous_release_id,
  state: row.state,
  ring: ringOf(row),
  ringNumber: row.state === "completed" ? row.ring_count + 1 : row.reached,
  ringCount: row.ring_count + 1,
  startsAt: isoOrNull(row.starts_at),
  nextRingAt: isoOf(startsOf(row, nextAllowed, now, true).nextRingAt),
  pauseReason: row.pause_reason,
  comment: row.comment,
  emergency: row.is_emergency,
  createdAt: iso(row.created_at),
  endedAt: isoOrNull(row.ended_at)
})

/** The rings of a rollout with their progress, and `Everyone` after the last one. */
export const ringsOf = (row: Row): ReadonlyArray<RingProgress> => {
  const isCompleted = row.state === "completed"
  const stateOf = (index: number): RingProgress["state"] => {
    if (isCompleted) return "done"
    if (isOpen(row)) return index >= row.reached ? "waiting" : index === row.reached - 1 ? "soaking" : "done"
    // The rings of a superseded rollout keep its release until the new one reaches them.
    return row.delivers && index < row.reached ? "done" : "ended"
  }
  const soakEnd = (soakMinutes: number) =>
    row.soaks_from === null ? null : iso(new Date(row.soaks_from.getTime() + soakMinutes * 60_000))
  return [
    ...row.rings.map((ring, index): RingProgress => {
      const state = stateOf(index)
      return {
        name: ring.name,
        state,
        startedAt: ring.startedAt === null ? null : iso(new Date(ring.startedAt)),
        // When a paused rollout is resumed, the soak time starts again.
        soakEndsAt: state === "soaking" && row.state === "active" ? soakEnd(ring.soakMinutes) : null
      }
    }),
    {
      name: everyone,
      state: stateOf(row.ring_count),
      startedAt: isCompleted ? isoOrNull(row.ended_at) : null,
      soakEndsAt: null
    }
  ]
}
