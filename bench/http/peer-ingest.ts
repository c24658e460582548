/** The event ingestion code that the peers share: event types, SQL statement, its values, JSON schema. */

/** An event, as all candidates accept it. */
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

/** $1 organization, $2 user, $3 membership, then one array per column. */
export const insertText = `INSERT INTO bench_events (organization_id, user_id, membership_id, received_at, occurred_at, type,
    source, session_id, duration_ms, success, dimensions_json)
  SELECT $1, $2, $3, now(), e.occurred_at, e.type, e.source, e.session_id, e.duration_ms, e.success, e.dimensions
  FROM unnest($4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::int[], $9::boolean[], $10::jsonb[])
    AS e(occurred_at, type, source, session_id, duration_ms, success, dimensions)`

/** The values of the statement. The driver converts the lists to arrays. */
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

/** A batch of events as JSON Schema, for Fastify and to measure the cost of a compiled check. */
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
