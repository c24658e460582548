import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { describe, expect, it } from "vitest"
import { engines } from "../../../../../../test/postgres/engines.ts"
import { SqlDatabase } from "../client.ts"
import { migrate } from "../migrate.ts"
import { migrations } from "./index.ts"

/** Inserts audit events of one organization. Higher numbers are newer. */
const events = (organization: string, from: number, count: number) =>
  `INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at)
    SELECT 'aud_' || lpad(n::text, 26, '0'), '${organization}', 'plugin.create', 'session', now()
    FROM generate_series(${from}, ${from + count - 1}) n`

describe.each(engines)("a page of audit events on $name", ({ open }) => {
  it("reads no events of other organizations", async () => {
    const engine = await open()
    const runtime = ManagedRuntime.make(engine.layer)
    const plan = await runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        yield* migrate(migrations)
        yield* sql.unsafe(events("org_quiet", 1, 500))
        yield* sql`ANALYZE audit_events`
        // These events are not in the statistics yet.
        yield* sql.unsafe(events("org_busy", 501, 5000))
        return yield* sql`EXPLAIN (ANALYZE, FORMAT JSON) SELECT action FROM audit_events
          WHERE organization_id = 'org_quiet' ORDER BY id DESC LIMIT 51`
      })
    )
    expect(JSON.stringify(plan)).toContain('"Actual Rows":51')
    expect(JSON.stringify(plan)).not.toContain("Rows Removed by Filter")
    await runtime.dispose()
    await engine.close()
  })
})
