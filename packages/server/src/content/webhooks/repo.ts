import type * as Webhooks from "@orgplane/schema/webhooks"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { RemoteFacts } from "../connectors/remote-events.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"

export interface DeliveryRow {
  readonly id: Id<"dlv">
  readonly delivery_id: string
  readonly event: Webhooks.EventKind
  readonly status: Webhooks.Delivery["status"]
  readonly reason: Webhooks.IgnoredReason | null
  readonly facts_json: RemoteFacts
  readonly connector_instance_ids: ReadonlyArray<Id<"cin">>
  readonly sync_event_ids: ReadonlyArray<Id<"cse">>
  readonly redelivery_count: number
  readonly received_at: Date
  readonly acted_at: Date
}

const columns = (sql: Sql) =>
  sql.literal(`d.id, d.delivery_id, d.event, d.status, d.reason, d.facts_json, d.connector_instance_ids,
    d.sync_event_ids, d.redelivery_count, d.received_at, d.acted_at`)

export const toWire = (row: DeliveryRow): Webhooks.Delivery => ({
  id: row.id,
  deliveryId: row.delivery_id,
  event: row.event,
  action: row.facts_json.action,
  status: row.status,
  reason: row.reason,
  repositoryFullName: row.facts_json.repositoryFullName,
  ref: row.facts_json.ref,
  before: row.facts_json.before,
  after: row.facts_json.after,
  connectorInstanceIds: row.connector_instance_ids,
  syncEventIds: row.sync_event_ids,
  redeliveryCount: row.redelivery_count,
  receivedAt: iso(row.received_at),
  actedAt: iso(row.acted_at)
})

/** Claims a delivery for this transaction; duplicates wait. False if it was processed before. */
export const takeReceipt = (sql: Sql, deliveryId: string, event: string) =>
  sql<{ event: string }>`INSERT INTO webhook_receipts (delivery_id, event, received_at)
    VALUES (${deliveryId}, ${event}, now()) ON CONFLICT (delivery_id, event) DO NOTHING RETURNING event`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

/** A delivery without an effect is evaluated again when it is redelivered. */
export const dropReceipt = (sql: Sql, deliveryId: string, event: string) =>
  sql`DELETE FROM webhook_receipts WHERE delivery_id = ${deliveryId} AND event = ${event}`

/** Stores a delivery for an affected organization, or the outcome of its redelivery. */
export const put = (
  sql: Sql,
  organizationId: Id<"org">,
  delivery: Pick<DeliveryRow, "id" | "delivery_id" | "event" | "status" | "reason" | "facts_json"> &
    Pick<DeliveryRow, "connector_instance_ids" | "sync_event_ids">
) =>
  sql<DeliveryRow>`INSERT INTO webhook_deliveries AS d (organization_id, id, delivery_id, event, status, reason, facts_json,
      connector_instance_ids, sync_event_ids, received_at, acted_at)
    VALUES (${organizationId}, ${delivery.id}, ${delivery.delivery_id}, ${delivery.event}, ${delivery.status},
      ${delivery.reason}, ${sql.json(delivery.facts_json)}, ${sql.json(delivery.connector_instance_ids)},
      ${sql.json(delivery.sync_event_ids)}, now(), now())
    ON CONFLICT (organization_id, delivery_id, event) DO UPDATE SET status = excluded.status, reason = excluded.reason,
      facts_json = excluded.facts_json, connector_instance_ids = excluded.connector_instance_ids,
      sync_event_ids = excluded.sync_event_ids, acted_at = now()
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const redelivered = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"dlv">,
  outcome: Pick<DeliveryRow, "status" | "reason" | "connector_instance_ids" | "sync_event_ids">
) =>
  sql<DeliveryRow>`UPDATE webhook_deliveries d SET status = ${outcome.status}, reason = ${outcome.reason},
      connector_instance_ids = ${sql.json(outcome.connector_instance_ids)},
      sync_event_ids = ${sql.json(outcome.sync_event_ids)}, redelivery_count = d.redelivery_count + 1, acted_at = now()
    WHERE d.organization_id = ${organizationId} AND d.id = ${id}
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"dlv">) =>
  sql<DeliveryRow>`SELECT ${columns(sql)} FROM webhook_deliveries d
    WHERE d.organization_id = ${organizationId} AND d.id = ${id}`.pipe(Effect.map((rows) => rows[0]))

export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"dlv">) =>
  sql<DeliveryRow>`SELECT ${columns(sql)} FROM webhook_deliveries d
    WHERE d.organization_id = ${organizationId} AND d.id = ${id} FOR UPDATE`.pipe(Effect.map((rows) => rows[0]))

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly event?: string; readonly status?: string },
  after: string | null,
  limit: number
) =>
  sql<DeliveryRow>`SELECT ${columns(sql)} FROM webhook_deliveries d
    WHERE d.organization_id = ${organizationId}
      AND (${filters.event ?? null}::text IS NULL OR d.event = ${filters.event ?? null})
      AND (${filters.status ?? null}::text IS NULL OR d.status = ${filters.status ?? null})
      AND (${after}::text IS NULL OR d.id < ${after})
    ORDER BY d.id DESC LIMIT ${limit}`
