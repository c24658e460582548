import type { LedgerEntry } from "@orgplane/schema/telemetry"
import { runSql, type TestResponse, type Person, type TestPlane } from "../harness.ts"

let eventCount = 0

/** An event that is stored unchanged; `undefined` removes a member. */
export const anEvent = (more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  type: "task.completed",
  timestamp: new Date().toISOString(),
  source: "app",
  ...more
})

export const someRequestId = (): string => `telemetry-test-${(eventCount += 1)}`

/** Sends events and returns their ledger entry. */
export const sendEvents = async (
  person: Pick<Person, "call">,
  events: unknown,
  reader: Pick<Person, "call"> = person
): Promise<{ readonly response: TestResponse; readonly entry: LedgerEntry }> => {
  const requestId = someRequestId()
  const response = await person.call("POST", "/v1/telemetry/ingest", { events }, { "x-request-id": requestId })
  const ledger = await reader.call("GET", `/v1/telemetry/ledger?requestId=${requestId}`)
  return { response, entry: ledger.body?.items[0] }
}

export interface StoredEvent {
  readonly organization_id: string
  readonly at: string
  readonly type: string
  readonly source: string
  readonly user_id: string | null
  readonly membership_id: string | null
  readonly worker_id: string | null
  readonly key_id: string | null
  readonly session_id: string | null
  readonly duration_ms: number | null
  readonly success: boolean | null
  readonly dimensions: unknown
  readonly event_id: string | null
}

/** The stored events of an organization, oldest first. */
export const storedEvents = (plane: TestPlane, organizationId: string): Promise<ReadonlyArray<StoredEvent>> =>
  runSql(
    plane,
    (sql) => sql<StoredEvent>`SELECT organization_id,
        to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, type, source, user_id,
        membership_id, worker_id, key_id, session_id, duration_ms, success, dimensions_json AS dimensions, event_id
      FROM telemetry_events WHERE organization_id = ${organizationId} ORDER BY occurred_at, event_id`
  )
