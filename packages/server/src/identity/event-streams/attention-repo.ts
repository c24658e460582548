import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"

interface Row extends AttentionRow {
  readonly last_error: string | null
}

/** Event streams that need attention. */
export const attention = [
  attentionSource<Row>(
    "event_stream_failing",
    ["eventStreams:read", "eventStreams:write"],
    (sql, { organizationId }, { limit }) =>
      sql`SELECT s.id, s.name, NULL::text AS parent_id, s.failing_since AS since, NULL::timestamptz AS expires_at,
          s.last_error
        FROM event_streams s
        WHERE s.organization_id = ${organizationId} AND s.state = 'active' AND s.failing_since IS NOT NULL
        ORDER BY since, s.id LIMIT ${limit}`,
    ({ last_error: error }) => error
  )
]
