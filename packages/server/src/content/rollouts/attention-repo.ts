import type { PauseReason } from "@orgplane/schema/rollouts"
import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"
import type { Sql } from "../../infra/sql/client.ts"

interface PausedRow extends AttentionRow {
  readonly pause_reason: PauseReason | null
  readonly comment: string | null
}

interface PromotionRow extends AttentionRow {
  readonly ring: string
}

const permissions = ["rollouts:read", "rollouts:write"] as const

const paused = (sql: Sql, organizationId: string, condition: string, limit: number) =>
  sql<PausedRow>`SELECT ro.id, r.name, ro.plugin_id AS parent_id, coalesce((SELECT max(s.created_at) FROM rollout_steps s
      WHERE s.organization_id = ${organizationId} AND s.rollout_id = ro.id AND s.step = 'paused'), ro.created_at) AS since,
      NULL::timestamptz AS expires_at, ro.pause_reason, ro.comment
    FROM rollouts ro
    JOIN plugin_releases r ON r.organization_id = ro.organization_id AND r.id = ro.release_id
    WHERE ro.organization_id = ${organizationId} AND ro.state = 'paused' AND ${sql.literal(condition)}
    ORDER BY since, ro.id LIMIT ${limit}`

/** Rollouts that need attention. */
export const attention = [
  attentionSource<PromotionRow>(
    "rollout_promotion",
    permissions,
    (sql, { organizationId }, { limit }) =>
      sql`SELECT ro.id, r.name, ro.plugin_id AS parent_id, ro.soaks_from + make_interval(mins => g.soak_minutes) AS since,
          NULL::timestamptz AS expires_at, g.name AS ring
        FROM rollouts ro
        JOIN rollout_rings g ON g.organization_id = ro.organization_id AND g.rollout_id = ro.id
          AND g.position = ro.reached - 1 AND g.promotion = 'manual'
        JOIN plugin_releases r ON r.organization_id = ro.organization_id AND r.id = ro.release_id
        WHERE ro.organization_id = ${organizationId} AND ro.state = 'active'
          AND ro.soaks_from + make_interval(mins => g.soak_minutes) <= now()
        ORDER BY since, ro.id LIMIT ${limit}`,
    ({ ring }) => `The soak time of the ring ${ring} has ended.`
  ),
  attentionSource<PausedRow>(
    "rollout_paused",
    permissions,
    (sql, { organizationId }, { limit }) => paused(sql, organizationId, "ro.pause_reason = 'manual'", limit),
    ({ comment }) => comment
  ),
  attentionSource<PausedRow>(
    "rollout_failing",
    permissions,
    (sql, { organizationId }, { limit }) =>
      paused(sql, organizationId, "ro.pause_reason IN ('install_failures', 'usage_failures')", limit),
    ({ pause_reason: reason }) =>
      reason === "install_failures"
        ? "Installations fail more often than with the previous release."
        : "Usage fails more often than with the previous release."
  )
]
