import type { Id } from "@orgplane/schema/shared/ids"
import { bounds, type LedgerEntry, reasons, type Reason } from "@orgplane/schema/telemetry"
import * as Effect from "effect/Effect"
import { type EventBatch, fieldSeparator } from "../../infra/ports/event-store.ts"
import type { Sql } from "../../infra/sql/client.ts"
import type { ConnectionLeases } from "../../infra/sql/connection-leases.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { wake } from "../../infra/sql/wakes.ts"

const batchSeparatorByte = 0x1d

/** The request and its sender, before the columns of its events. All values are ASCII. */
const envelopeOf = (batch: EventBatch): string =>
  batch.organizationId +
  fieldSeparator +
  batch.requestId +
  fieldSeparator +
  batch.receivedAt +
  fieldSeparator +
  (batch.userId ?? "") +
  fieldSeparator +
  (batch.membershipId ?? "") +
  fieldSeparator +
  (batch.workerId ?? "") +
  fieldSeparator +
  (batch.keyId ?? "") +
  fieldSeparator +
  batch.sent +
  fieldSeparator +
  batch.dropped +
  fieldSeparator +
  batch.fieldsRemoved +
  fieldSeparator +
  (batch.reasons ?? "") +
  fieldSeparator

/**
 * All batches as the bytes of one text: a single value is cheap to send, and PostgreSQL splits it faster than arrays can
 * be encoded here.
 */
const linesOf = (batches: ReadonlyArray<EventBatch>): Uint8Array => {
  const envelopes = batches.map(envelopeOf)
  let size = 0
  for (const [i, { columns }] of batches.entries()) size += 1 + (envelopes[i]?.length ?? 0) + columns.length
  const lines = Buffer.allocUnsafe(size)
  let place = 0
  for (const [i, { columns }] of batches.entries()) {
    if (i > 0) lines[place++] = batchSeparatorByte
    place += lines.write(envelopes[i] ?? "", place, "latin1")
    lines.set(columns, place)
    place += columns.length
  }
  return lines.subarray(0, place)
}

/**
 * Writes events and ledger rows in one statement, hence one transaction. Events take organization and owner from their
 * request, so batches of several organizations can share a write. Events with an ID are inserted in a fixed order, so
 * that two writers of the same events wait for each other instead of deadlocking.
 */
const appendTo = (sql: Sql, lines: Uint8Array) =>
  sql<{ gone: string }>`WITH
    line AS MATERIALIZED (
      SELECT string_to_array(l.line, chr(30)) AS f, l.place
      FROM string_to_table(convert_from(${lines}, 'UTF8'), chr(29)) WITH ORDINALITY AS l(line, place)),
    request AS MATERIALIZED (
      SELECT nextval('telemetry_ledger_ids') AS ledger_id, line.place, line.f, line.f[1] AS organization_id,
        to_timestamp(line.f[3]::float8 / 1000) AS received_at, nullif(line.f[4], '') AS user_id,
        nullif(line.f[5], '') AS membership_id, nullif(line.f[6], '') AS worker_id, nullif(line.f[7], '') AS key_id
      FROM line
      WHERE EXISTS (SELECT 1 FROM organizations o WHERE o.id = line.f[1] AND o.deleted_at IS NULL)),
    stored AS (
      INSERT INTO telemetry_events (organization_id, occurred_at, received_at, type, source, user_id, membership_id,
        worker_id, key_id, session_id, duration_ms, success, dimensions_json, event_id, ledger_id)
      SELECT r.organization_id, to_timestamp(e.at / 1000), r.received_at, e.type, e.source, r.user_id, r.membership_id,
        r.worker_id, r.key_id, e.session_id, e.duration_ms, e.success, e.dimensions::jsonb, e.event_id, r.ledger_id
      FROM request r CROSS JOIN LATERAL unnest(
        string_to_array(r.f[12], chr(31))::float8[], string_to_array(r.f[13], chr(31)),
        string_to_array(r.f[14], chr(31)), string_to_array(r.f[15], chr(31), ''),
        string_to_array(r.f[16], chr(31), '')::int[], string_to_array(r.f[17], chr(31), '')::boolean[],
        string_to_array(r.f[18], chr(31), ''), string_to_array(r.f[19], chr(31), '')
      ) AS e(at, type, source, session_id, duration_ms, success, dimensions, event_id)
      ORDER BY CASE WHEN e.event_id IS NOT NULL
        THEN r.organization_id || coalesce(r.worker_id, r.key_id, r.membership_id) || e.event_id END COLLATE "C",
        CASE WHEN e.event_id IS NOT NULL THEN e.at END
      ON CONFLICT DO NOTHING
      RETURNING ledger_id),
    counted AS (SELECT ledger_id, count(*)::int AS accepted FROM stored GROUP BY ledger_id),
    noted AS (
      INSERT INTO telemetry_ledger (organization_id, id, request_id, received_at, user_id, membership_id, worker_id,
        key_id, sent, accepted, duplicate, dropped, fields_removed, reasons_json)
      SELECT r.organization_id, r.ledger_id, r.f[2], r.received_at, r.user_id, r.membership_id, r.worker_id, r.key_id,
        r.f[8]::int, coalesce(c.accepted, 0), r.f[8]::int - r.f[9]::int - coalesce(c.accepted, 0), r.f[9]::int,
        r.f[10]::int, nullif(r.f[11], '')::jsonb
      FROM request r LEFT JOIN counted c ON c.ledger_id = r.ledger_id
      RETURNING id)
    SELECT string_agg((line.place - 1)::text, ',') AS gone FROM line
    WHERE NOT EXISTS (SELECT 1 FROM request r JOIN noted n ON n.id = r.ledger_id WHERE r.place = line.place)`

const noIndexes: ReadonlySet<number> = new Set()
const indexesOf = (value: unknown) => (typeof value === "string" ? new Set(value.split(",").map(Number)) : noIndexes)

/**
 * Writes batches over a reserved connection: on a shared one, reads would wait for the disk. The statement text is
 * compiled once.
 */
export const append = (sql: Sql, withConnection: ConnectionLeases) => {
  const [text] = appendTo(sql, new Uint8Array()).compile()
  const wakeSummary = wake(sql, "telemetry")
  return (batches: ReadonlyArray<EventBatch>) => {
    const lines = linesOf(batches)
    return Effect.flatMap(
      withConnection((connection) => connection.executeValues(text, [lines])),
      ([row]) => Effect.as(wakeSummary, indexesOf(row?.[0]))
    )
  }
}

export interface LedgerRow {
  readonly id: string
  readonly request_id: string
  readonly received_at: Date
  readonly user_id: Id<"usr"> | null
  readonly membership_id: Id<"om"> | null
  readonly worker_id: string | null
  readonly key_id: Id<"key"> | null
  readonly sent: number
  readonly accepted: number
  readonly duplicate: number
  readonly dropped: number
  readonly fields_removed: number
  readonly reasons_json: Partial<Record<Reason, number>> | null
}

export const toWire = (row: LedgerRow): LedgerEntry => ({
  id: row.id,
  requestId: row.request_id,
  receivedAt: iso(row.received_at),
  userId: row.user_id,
  orgMembershipId: row.membership_id,
  workerId: row.worker_id,
  apiKeyId: row.key_id,
  sent: row.sent,
  accepted: row.accepted,
  duplicate: row.duplicate,
  dropped: row.dropped,
  fieldsRemoved: row.fields_removed,
  reasons: reasons.flatMap((reason) => {
    const count = row.reasons_json?.[reason]
    return count === undefined ? [] : [{ reason, count }]
  })
})

export const listLedger = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly requestId?: string; readonly since: Date },
  after: string | null,
  limit: number
) =>
  sql<LedgerRow>`SELECT l.id::text AS id, l.request_id, l.received_at, l.user_id, l.membership_id, l.worker_id, l.key_id,
      l.sent, l.accepted, l.duplicate, l.dropped, l.fields_removed, l.reasons_json
    FROM telemetry_ledger l
    WHERE l.organization_id = ${organizationId} AND l.received_at >= ${filters.since}
      AND (${filters.requestId ?? null}::text IS NULL OR l.request_id = ${filters.requestId ?? null})
      AND (${after}::bigint IS NULL OR l.id < ${after}::bigint)
    ORDER BY l.id DESC LIMIT ${limit}`

export const ledgerMillis = bounds.ledgerDays * 86_400_000
