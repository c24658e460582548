import { everyone, type Freeze, type RingProgress, type Rollout } from "@orgplane/schema/rollouts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import { describedOf } from "../plugins/archive-layout.ts"
import { ringStarts } from "./next-ring.ts"
import type { Row } from "./repo.ts"
import { ringOf } from "./transitions.ts"

/** When each ring of a rollout starts. */
export const startsOf = (row: Row, freezes: ReadonlyArray<Freeze>, now: number) =>
  ringStarts(
    row.rings,
    {
      state: row.state,
      reached: row.reached,
      soaksFrom: row.soaks_from?.getTime() ?? null,
      startsAt: row.starts_at?.getTime() ?? null
    },
    freezes,
    now
  )

export const versionOf = (row: Pick<Row, "name" | "manifest_json">): string | null =>
  describedOf({ name: row.name, description: null, manifest_json: row.manifest_json }).version ?? null

export const isoOf = (millis: number | null): string | null => (millis === null ? null : new Date(millis).toISOString())

export const toWire = (row: Row, freezes: ReadonlyArray<Freeze>, now: number): Rollout => ({
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
  nextRingAt: isoOf(startsOf(row, freezes, now).nextRingAt),
  pauseReason: row.pause_reason,
  comment: row.comment,
  emergency: row.is_emergency,
  createdAt: iso(row.created_at),
  endedAt: isoOrNull(row.ended_at)
})

/** The rings of a rollout with their progress, and `Everyone` after the last one. */
export const ringsOf = (row: Row): ReadonlyArray<RingProgress> => [
  ...row.rings.map((ring, index): RingProgress => {
    const startedAt = ring.startedAt === null ? null : new Date(ring.startedAt)
    const isLatest = index === row.reached - 1 && row.state !== "completed"
    const soaksFrom = isLatest ? row.soaks_from : startedAt
    return {
      name: ring.name,
      state: startedAt === null ? "waiting" : isLatest ? "soaking" : "done",
      startedAt: isoOrNull(startedAt),
      soakEndsAt: soaksFrom === null ? null : iso(new Date(soaksFrom.getTime() + ring.soakMinutes * 60_000))
    }
  }),
  {
    name: everyone,
    state: row.state === "completed" ? "done" : "waiting",
    startedAt: row.state === "completed" ? isoOrNull(row.ended_at) : null,
    soakEndsAt: null
  }
]
