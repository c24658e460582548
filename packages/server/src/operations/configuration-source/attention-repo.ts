import { levelOf, levels } from "../../identity/grants/index.ts"
import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"
import { quantity } from "../../infra/quantity.ts"

interface HeldRow extends AttentionRow {
  readonly removals: number | null
}

interface FailedRow extends AttentionRow {
  readonly problem: string | null
}

/** Runs of the configuration source that need attention. */
export const attention = [
  attentionSource<HeldRow>(
    "configuration_approval",
    ["organizations:write"],
    (sql, caller, { limit }) =>
      sql`SELECT r.id, i.name, i.id AS parent_id, coalesce(r.ended_at, r.created_at) AS since,
          NULL::timestamptz AS expires_at, (r.summary_json ->> 'delete')::int AS removals
        FROM configuration_runs r
        JOIN connector_instances i ON i.organization_id = r.organization_id AND i.id = r.connector_instance_id
          AND i.removed_at IS NULL
        WHERE r.organization_id = ${caller.organizationId} AND r.status = 'held'
          AND ${levelOf(sql, caller, "connectorInstance", sql`i.id`)} >= ${sql.literal(String(levels.manager))}
        ORDER BY since, r.id LIMIT ${limit}`,
    ({ removals }) => (removals === null ? null : `${quantity(removals, "object")} would be removed.`)
  ),
  attentionSource<FailedRow>(
    "configuration_failed",
    ["organizations:write"],
    (sql, { organizationId }, { limit }) =>
      sql`SELECT r.id, i.name, i.id AS parent_id, coalesce(r.ended_at, r.created_at) AS since,
          NULL::timestamptz AS expires_at, r.problems_json #>> '{0,message}' AS problem
        FROM configuration_sources s
        CROSS JOIN LATERAL (SELECT e.id, e.status, e.problems_json, e.created_at, e.ended_at FROM configuration_runs e
          WHERE e.organization_id = ${organizationId} AND e.source_version = s.version
            AND e.status NOT IN ('queued', 'running', 'superseded')
          ORDER BY e.id DESC LIMIT 1) r
        JOIN connector_instances i ON i.organization_id = s.organization_id AND i.id = s.connector_instance_id
          AND i.removed_at IS NULL
        WHERE s.organization_id = ${organizationId} AND s.is_enabled AND r.status = 'failed'
        ORDER BY since, r.id LIMIT ${limit}`,
    ({ problem }) => problem
  )
]
