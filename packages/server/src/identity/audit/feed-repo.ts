import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { columns, type Row } from "./repo.ts"

export interface PositionedRow extends Row {
  readonly position: number
}

/** Changes after a position, in order. */
export const after = (sql: Sql, position: number, limit: number) =>
  sql<PositionedRow>`SELECT ${columns(sql)}, position FROM audit_events
    WHERE position > ${position}::bigint ORDER BY position LIMIT ${limit}`

/** The position of the last change. */
export const head = (sql: Sql) =>
  sql<{ position: number }>`SELECT coalesce(max(position), 0) AS position FROM audit_events
    WHERE position IS NOT NULL`.pipe(Effect.map((rows) => rows[0]?.position ?? 0))

/** Creates a consumer that starts at a position, unless it exists. */
export const createConsumer = (sql: Sql, name: string, position: number) =>
  sql`INSERT INTO event_consumers (name, position, updated_at) VALUES (${name}, ${position}, now())
    ON CONFLICT (name) DO NOTHING`

/** Takes or renews the lease of a consumer. Returns its position, or undefined while another process has the lease. */
export const lease = (sql: Sql, name: string, holder: string, seconds: number) =>
  sql<{ position: number }>`UPDATE event_consumers
    SET lease_holder = ${holder}, lease_until = now() + make_interval(secs => ${seconds}), updated_at = now()
    WHERE name = ${name} AND (lease_holder IS NULL OR lease_holder = ${holder} OR lease_until < now())
    RETURNING position`.pipe(Effect.map((rows) => rows[0]?.position))

/** Stores the position up to which a consumer has handled all changes. False if another process has the lease. */
export const advance = (sql: Sql, name: string, holder: string, position: number) =>
  sql`UPDATE event_consumers SET position = ${position}, updated_at = now()
    WHERE name = ${name} AND lease_holder = ${holder} RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))

export const release = (sql: Sql, name: string, holder: string) =>
  sql`UPDATE event_consumers SET lease_holder = NULL, lease_until = NULL
    WHERE name = ${name} AND lease_holder = ${holder}`
