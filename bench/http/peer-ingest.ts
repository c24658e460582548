/** What the peers have in common of taking events: the table, the statement, and how a row is put together. */

/** Of one event, as all of them take it. */
export interface EventBody {
  readonly type: string
  readonly timestamp: string
  readonly source: "app" | "worker"
  readonly sessionId?: string
  readonly durationMs?: number
  readonly success?: boolean
  readonly dimensions?: ReadonlyArray<{
    readonly type: string
    readonly label?: string
    readonly value?: string
    readonly metadata?: Readonly<Record<string, unknown>>
  }>
}

export const typeNames = [
  "user.active",
  "session.active",
  "session.started",
  "session.ended",
  "task.started",
  "task.completed",
  "task.failed"
]

/** $1 organization, $2 user, $3 membership, then a column each. */
export const insertText = `INSERT INTO bench_events (organization_id, user_id, membership_id, received_at, occurred_at, type,
    source, session_id, duration_ms, success, dimensions_json)
  SELECT $1, $2, $3, now(), e.occurred_at, e.type, e.source, e.session_id, e.duration_ms, e.success, e.dimensions
  FROM unnest($4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::int[], $9::boolean[], $10::jsonb[])
    AS e(occurred_at, type, source, session_id, duration_ms, success, dimensions)`

/** The values of the statement, for the driver to make arrays of. */
export const valuesOf = (
  principal: { readonly organizationId: string; readonly membershipId: string },
  events: ReadonlyArray<EventBody>
): Array<unknown> => [
  principal.organizationId,
  principal.membershipId,
  principal.membershipId,
  events.map((event) => event.timestamp),
  events.map((event) => event.type),
  events.map((event) => event.source),
  events.map((event) => event.sessionId ?? null),
  events.map((event) => event.durationMs ?? null),
  events.map((event) => event.success ?? null),
  events.map((event) => (event.dimensions === undefined ? null : JSON.stringify(event.dimensions)))
]

/** The same as JSON Schema, for Fastify and for what a compiled check costs. */
const text = (maxLength: number) => ({ type: "string", maxLength })
export const batchSchema = {
  type: "object",
  required: ["events"],
  properties: {
    events: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      items: {
        type: "object",
        required: ["type", "timestamp", "source"],
        properties: {
          id: text(128),
          type: { type: "string", enum: typeNames },
          timestamp: { type: "string", format: "date-time" },
          source: { type: "string", enum: ["app", "worker"] },
          sessionId: text(128),
          durationMs: { type: "integer", minimum: 0, maximum: 86_400_000 },
          success: { type: "boolean" },
          dimensions: {
            type: "array",
            maxItems: 8,
            items: {
              type: "object",
              required: ["type"],
              properties: {
                type: text(64),
                label: text(255),
                value: text(128),
                metadata: { type: "object", additionalProperties: true }
              }
            }
          }
        }
      }
    }
  }
}
