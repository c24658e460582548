import { retryDaysMax, type WebhookEndpoint } from "@orgplane/schema/webhook-endpoints"
import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"

interface Row extends AttentionRow {
  readonly pause_reason: Exclude<WebhookEndpoint["pauseReason"], "manual">
}

const details = {
  failing: `Stopped: an event could not be delivered for ${retryDaysMax} days.`,
  gone: "Stopped: the URL returned 410."
} as const

/** Webhook endpoints that need attention. */
export const attention = [
  attentionSource<Row>(
    "webhook_endpoint_failing",
    ["webhookEndpoints:read", "webhookEndpoints:write"],
    (sql, { organizationId }, { limit }) =>
      sql`SELECT e.id, e.name, NULL::text AS parent_id, coalesce(e.failing_since, e.updated_at) AS since,
          NULL::timestamptz AS expires_at, e.pause_reason
        FROM webhook_endpoints e
        WHERE e.organization_id = ${organizationId}
          AND (e.pause_reason IN ('failing', 'gone') OR (e.state = 'active' AND e.failing_since IS NOT NULL))
        ORDER BY since, e.id LIMIT ${limit}`,
    ({ pause_reason: reason }) => (reason === null ? "The last delivery failed and is retried." : details[reason])
  )
]
