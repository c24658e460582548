/** Writes stored telemetry events directly, and computes expected analytics from the events alone. */
import { ensure, events } from "../../src/agents/telemetry/partitions-repo.ts"
import type { Sql } from "../../src/infra/sql/client.ts"
import { runSql, type TestPlane, type Workspace } from "../harness.ts"

export interface Happened {
  readonly at: string
  readonly type: string
  readonly source: "app" | "worker"
  /** Null for an event of an API key. */
  readonly person: Workspace | null
  readonly durationMs: number | null
  readonly success: boolean | null
  readonly dimensions: ReadonlyArray<{ readonly type: string; readonly value: string; readonly label?: string }> | null
}

export const dayOf = (at: string) => at.slice(0, 10)
export const dayMillis = 86_400_000
export const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00.000Z`) + days * dayMillis).toISOString().slice(0, 10)
/** The Monday of a day's week, found by stepping back. */
export const mondayOf = (day: string): string =>
  new Date(`${day}T12:00:00.000Z`).getUTCDay() === 1 ? day : mondayOf(dayAfter(day, -1))

/** Creates the missing partitions of a test's events; concurrent writers wait for each other, as in the server. */
const makePartitions = async (plane: TestPlane, happened: ReadonlyArray<Happened>) => {
  for (const month of new Set(happened.map(({ at }) => at.slice(0, 7)))) {
    const start = Date.parse(`${month}-01T00:00:00.000Z`)
    await runSql(plane, (sql) => ensure(sql, events, start, start))
  }
}

const insert = (sql: Sql, organizationId: string, events: ReadonlyArray<Happened>) =>
  sql`INSERT INTO telemetry_events (organization_id, occurred_at, received_at, type, source, user_id, membership_id,
      duration_ms, success, dimensions_json, ledger_id)
    SELECT ${organizationId}, r.at, now(), r.type, r.source, r.user_id, r.membership_id, r.duration_ms, r.success,
      r.dimensions, 1
    FROM jsonb_to_recordset(${sql.json(
      events.map((event) => ({
        at: event.at,
        type: event.type,
        source: event.source,
        user_id: event.person?.userId ?? null,
        membership_id: event.person?.membershipId ?? null,
        duration_ms: event.durationMs,
        success: event.success,
        dimensions: event.dimensions
      }))
    )}) AS r(at timestamptz, type text, source text, user_id text, membership_id text, duration_ms int, success boolean,
      dimensions jsonb)`

/** Writes events as one acknowledged batch, whatever their time. */
export const putEvents = async (plane: TestPlane, owner: Workspace, events: ReadonlyArray<Happened>) => {
  await makePartitions(plane, events)
  if (events.length > 0) await runSql(plane, (sql) => insert(sql, owner.organizationId, events))
}

/** Waits, through the API, until everything written so far is counted. */
export const counted = async (owner: Workspace): Promise<void> => {
  const since = new Date().toISOString()
  for (;;) {
    const { body } = await owner.call("GET", "/v1/telemetry/dimensions?limit=1")
    if (body.generatedAt >= since) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The expected value of a measure; percentiles of durations are approximate. */
export const figureOf = (measure: string, events: ReadonlyArray<Happened>): number | null => {
  const of = (type: string) => events.filter((event) => event.type === type).length
  const durations = events.flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]))
  const sum = durations.reduce((all, one) => all + one, 0)
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)
  switch (measure) {
    case "events":
      return events.length
    case "users":
      return new Set(events.flatMap(({ person }) => (person === null ? [] : [person.userId]))).size
    case "tasksStarted":
      return of("task.started")
    case "tasksCompleted":
      return of("task.completed")
    case "tasksFailed":
      return of("task.failed")
    case "taskSuccessRate":
      return share(of("task.completed"), of("task.completed") + of("task.failed"))
    case "successRate":
      return share(
        events.filter(({ success }) => success === true).length,
        events.filter(({ success }) => success !== null).length
      )
    case "durationSum":
      return sum
    case "durationAverage":
      return share(sum, durations.length)
    case "durationP50":
    case "durationP95": {
      const sorted = durations.toSorted((a, b) => a - b)
      const place = Math.max(1, Math.ceil((measure === "durationP50" ? 0.5 : 0.95) * sorted.length))
      return sorted[place - 1] ?? null
    }
    default:
      throw new Error(`No figure is known of ${measure}.`)
  }
}
