import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { describe, it, expect } from "vitest"
import { deleteBefore } from "../../src/agents/telemetry/summary-repo.ts"
import { periodDays } from "../../src/agents/telemetry/periods.ts"
import fillPeriods, { tenantTables } from "../../src/infra/sql/migrations/0051_telemetry_periods.ts"
import type { Sql } from "../../src/infra/sql/client.ts"
import { addMember, makeControlPlane, runSql } from "../harness.ts"
import { counted, dayAfter, dayOf, putEvents } from "./telemetry-analytics.fixture.ts"
import { checkAdoption, checkAnalytics, event, makeWorld, question } from "./telemetry-model.fixture.ts"

const plane = await makeControlPlane()

/** Runs after a running summary, as the migration and the deletion of expired days do. A summary would lock in another order. */
const afterSummary = <A, E>(change: (sql: Sql) => Effect.Effect<A, E>) =>
  runSql(plane, (sql) =>
    sql.withTransaction(Effect.andThen(sql`SELECT 1 AS one FROM telemetry_summary FOR UPDATE`, change(sql)))
  )

/** The first day of a period. */
const first = "2026-05-18"
const days = 5 * periodDays
/** Days of five periods, often the first or last of one. */
const offset = fc.oneof(
  fc.nat(days - 1),
  fc.tuple(fc.nat(4), fc.constantFrom(0, 1, periodDays - 1)).map(([period, day]) => period * periodDays + day)
)
/** Ranges within a period, across one or more of them, or of all days. */
const length = fc.oneof(fc.nat(periodDays), fc.nat(days), fc.constantFrom(periodDays - 1, 2 * periodDays - 1, days))
const whole = { from: -1, length: days + 1 }

const rows = (sql: Sql) =>
  Effect.forEach(tenantTables, (table) =>
    Effect.map(
      sql<{ row: string }>`SELECT to_jsonb(t)::text AS row FROM ${sql(table)} t WHERE t.events <> 0`,
      (found) => found.map(({ row }) => row).toSorted()
    )
  )

describe("the sums of periods", () => {
  it(
    "match the events for every range, group and filter, with late and expired events, and can be rebuilt",
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.infiniteStream(question(offset, length)), fc.gen(), async (questions, draw) => {
          const world = await makeWorld(plane)
          const former = await addMember(plane, world.owner, "member")
          const some = event([...world.people, former, null], first, offset)
          const [events, late] = [
            draw(fc.array, some, { minLength: 40, maxLength: 60 }),
            draw(fc.array, some, { minLength: 20, maxLength: 30 })
          ]
          for (const batch of [events, late]) {
            await putEvents(plane, world.owner, batch)
            await counted(world.owner)
          }
          const history = [...events, ...late]
          const check = async (left: typeof history) => {
            for (const query of questions.take(20)) await checkAnalytics(world, left, first, query)
            for (const query of questions.take(10)) {
              const byMember = { ...query, groupBy: "member" as const }
              await checkAnalytics(world, left, first, byMember)
              await checkAnalytics(world, left, first, { ...byMember, ...whole })
              await checkAnalytics(world, left, first, { ...query, measure: "users" })
            }
          }
          await check(history)
          await world.owner.client.members.remove(former.membershipId)
          const expired = dayAfter(
            first,
            draw(() => offset)
          )
          await afterSummary((sql) => deleteBefore(sql, expired, 10_000))
          const left = history.filter(({ at }) => dayOf(at) >= expired)
          for (const { from, interval, length, source, team } of questions.take(5)) {
            const query = { from, interval, length, ...(source && { source }), ...(team !== undefined && { team }) }
            await checkAdoption(world, left, first, query, history)
          }
          await check(left)
          const kept = await runSql(plane, rows)
          await afterSummary((sql) =>
            Effect.forEach(tenantTables, (table) => sql`DROP TABLE ${sql(table)}`).pipe(
              Effect.andThen(fillPeriods),
              Effect.provideService(SqlClient.SqlClient, sql)
            )
          )
          expect(await runSql(plane, rows)).toEqual(kept)
        }),
        // Each run takes seconds, so a failure is reported without shrinking.
        { numRuns: 6, endOnFailure: true }
      )
    }
  )
})
