/** What bounds each table: the classification is complete, expired rows are deleted, and the check finds those that are not. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { retentionDefaults } from "../../src/infra/config/retention.ts"
import { aloneAndEvery } from "../../src/infra/jobs/lease.ts"
import type { Sql } from "../../src/infra/sql/client.ts"
import { sharedTables, tenantTables } from "../../src/infra/sql/migrations/index.ts"
import { bounds, boundsOf, intervalOf } from "../../src/operations/housekeeping/bounds.ts"
import { checkBounds } from "../../src/operations/housekeeping/check.ts"
import { runHousekeeping, sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import { daysOf, removals } from "../../src/operations/purge/purge-removed.ts"
import { retentionState } from "../../src/operations/housekeeping/state-repo.ts"
import { connect, imported, marketplace, repositoryIn, skill } from "../content/connectors.fixture.ts"
import { AuditChain } from "../../src/identity/audit/chain.ts"
import { call, makeControlPlane, makeWorkspace, runSql, withServices } from "../harness.ts"

const metricsToken = "the token of the metrics"
// Without background work, so that only the tests delete rows.
const plane = await makeControlPlane({ metricsToken, logLevel: "none", workers: false })

const settings = { retention: retentionDefaults, telemetryDays: 400 }
/** Runs the check, without its warnings, and returns the tables with rows beyond their bounds. */
const check = async (retention = retentionDefaults, of = plane) => {
  const { tables } = await runSql(of, (sql) =>
    Effect.andThen(checkBounds(sql, { ...settings, retention }), retentionState(sql)).pipe(
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )
  return tables
}

const emptyOf: Readonly<Record<string, unknown>> = {
  text: "x",
  boolean: false,
  integer: 1,
  smallint: 1,
  bigint: 1,
  ARRAY: "{}",
  jsonb: "{}"
}
let count = 0

/** Writes a row without the rows that it refers to, with any values in the other required columns. */
const put = Effect.fnUntraced(function* (sql: Sql, table: string, given: Readonly<Record<string, unknown>>) {
  const needed = yield* sql<{ name: string; type: string }>`SELECT column_name AS name, data_type AS type
    FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ${table}
      AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' AND is_generated = 'NEVER'`
  const number = ++count
  const valueOf = (type: string) =>
    type.startsWith("timestamp")
      ? new Date()
      : type === "bytea"
        ? new Uint8Array([number, number >> 8])
        : type === "text"
          ? `x${number}`
          : (emptyOf[type] ?? "x")
  const row = { ...Object.fromEntries(needed.map(({ name, type }) => [name, valueOf(type)])), ...given }
  yield* sql.withTransaction(
    Effect.andThen(sql`SET LOCAL session_replication_role = replica`, sql`INSERT INTO ${sql(table)} ${sql.insert(row)}`)
  )
})

const dayMillis = 86_400_000

describe("the bounds of tables", () => {
  it("cover exactly the tables of the schema", async () => {
    const rows = await runSql(
      plane,
      (sql) => sql<{ name: string }>`SELECT c.relname::text AS name FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
          AND c.relname <> 'effect_queue_migrations' ORDER BY c.relname`
    )
    const tables = rows.map(({ name }) => name)
    expect(Object.keys(bounds).toSorted()).toEqual(tables)
    expect([...tenantTables, ...sharedTables].toSorted()).toEqual(tables)
  })

  it("are documented for every table", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/retention.md"), "utf8")
    expect(Object.keys(bounds).filter((table) => !page.includes(`\`${table}\``))).toEqual([])
  })

  it("hold after everyday work, and name only columns that exist", async () => {
    const working = await makeControlPlane()
    const owner = await makeWorkspace(working)
    const repository = repositoryIn(working, {
      ".claude-plugin/marketplace.json": marketplace(["review"]),
      "plugins/review/skills/review/SKILL.md": skill("review")
    })
    const connected = await connect(owner, repository)
    await imported(owner, connected)
    expect((await owner.call("POST", "/v1/memory", { content: "Prefers short answers" })).status).toBe(201)
    const plugin = await owner.client.plugins.create({ name: "Removed" })
    await owner.call("DELETE", `/v1/plugins/${plugin.id}`)
    await owner.call("POST", `/v1/connector-instances/${connected.instance.id}/remove`)
    expect(await check(retentionDefaults, working)).toEqual([])
  })

  it.each(boundsOf("expires").map(({ bound, table }) => [table, bound] as const))(
    "of %s are enforced: the check reports an expired row, and housekeeping deletes only that row",
    async (table, bound) => {
      const owner = await makeWorkspace(plane)
      const [hours] = await runSql(
        plane,
        (sql) => sql<{ millis: number }>`SELECT (extract(epoch FROM ${intervalOf(bound, retentionDefaults)}::interval)
          * 1000)::float8 AS millis`
      )
      const keptMillis = hours?.millis ?? 0
      const [first, ...others] = bound.since
      const tenant = {
        ...(tenantTables.includes(table) ? { organization_id: owner.organizationId } : {}),
        ...(table === "marketplace_links" ? { team_id: "tem_a" } : {})
      }
      const later = Object.fromEntries(others.map((name) => [name, new Date(Date.now() + 30 * dayMillis)]))
      const rowsOf = () =>
        runSql(
          plane,
          (sql) => sql<{ at: Date }>`SELECT ${sql(first)} AS at FROM ${sql(table)}
          WHERE ${sql(first)} < now() - ${intervalOf(bound, retentionDefaults)}::interval - interval '25 hours'`
        )
      const before = (await runSql(plane, (sql) => sql`SELECT 1 AS one FROM ${sql(table)}`)).length
      await runSql(plane, (sql) =>
        Effect.andThen(
          put(sql, table, { ...tenant, ...later, [first]: new Date(Date.now() - keptMillis - 3 * dayMillis) }),
          put(sql, table, { ...tenant, ...later, [first]: new Date(Date.now() - keptMillis + 3_600_000) })
        )
      )
      expect(await rowsOf()).toHaveLength(1)
      const [reported, ...more] = await check()
      expect([reported?.table, reported?.rows, more]).toEqual([table, 1, []])
      // One day of grace is part of the time beyond the retention.
      expect(Math.round((reported?.seconds ?? 0) / 3600)).toBe(72)
      await runSql(plane, (sql) => sweep(sql))
      expect(await check()).toEqual([])
      const after = (await runSql(plane, (sql) => sql`SELECT 1 AS one FROM ${sql(table)}`)).length
      expect(after).toBe(before + 1)
      await runSql(plane, (sql) => sql`DELETE FROM ${sql(table)} WHERE ${sql(first)} <= now() + interval '1 hour'`)
    }
  )

  it.each(removals.map((removal) => [removal.table, removal] as const))(
    "of removed rows in %s are enforced: the check reports an old one, and housekeeping deletes only that row",
    async (table, removal) => {
      const owner = await makeWorkspace(plane)
      const retention = { ...retentionDefaults, auditDays: 90 }
      const days = daysOf(removal, retention) ?? 0
      const at = (ageDays: number) => new Date(Date.now() - ageDays * dayMillis)
      const putRemoved = (sql: Sql, ageDays: number) =>
        put(sql, table, { organization_id: owner.organizationId, [removal.removedAt]: at(ageDays) })
      const removedRows = () =>
        runSql(
          plane,
          (sql) => sql<{ old: boolean }>`SELECT ${sql(removal.removedAt)} < ${at(days + 1)} AS old FROM ${sql(table)}
            WHERE organization_id = ${owner.organizationId} AND ${sql(removal.removedAt)} IS NOT NULL ORDER BY 1`
        )
      await runSql(plane, (sql) => Effect.andThen(putRemoved(sql, days + 3), putRemoved(sql, days - 1)))
      expect(await removedRows()).toEqual([{ old: false }, { old: true }])
      expect((await check(retention)).find((state) => state.table === table)?.rows).toBe(1)
      await runSql(plane, (sql) => sweep(sql, retention))
      expect(await removedRows()).toEqual([{ old: false }])
      expect((await check(retention)).filter((state) => state.table === table && state.seconds > 0)).toEqual([])
      await runSql(
        plane,
        (sql) => sql`DELETE FROM ${sql(table)} WHERE organization_id = ${owner.organizationId}
        AND ${sql(removal.removedAt)} IS NOT NULL`
      )
    }
  )

  it("keep members and API keys by default, because audit events name them", async () => {
    const owner = await makeWorkspace(plane)
    for (const [table, column] of [
      ["memberships", "removed_at"],
      ["api_keys", "revoked_at"]
    ] as const) {
      const row = { organization_id: owner.organizationId, [column]: new Date(Date.now() - 4000 * dayMillis) }
      await runSql(plane, (sql) => put(sql, table, row))
      await runSql(plane, (sql) => sweep(sql))
      const left = await runSql(
        plane,
        (sql) => sql`SELECT 1 AS one FROM ${sql(table)}
        WHERE organization_id = ${owner.organizationId} AND ${sql(column)} IS NOT NULL`
      )
      expect(left).toHaveLength(1)
    }
  })

  it("keep the newest syncs of each branch, and those that have not ended", async () => {
    const owner = await makeWorkspace(plane)
    const [target, other] = ["ctg_a", "ctg_b"]
    const common = { organization_id: owner.organizationId, connector_instance_id: "cin_a" }
    const counts = { counts_json: "{}", warnings_json: "[]" }
    await runSql(plane, (sql) =>
      Effect.gen(function* () {
        for (const id of [target, other]) yield* put(sql, "connector_targets", { ...common, id, removed_at: null })
        for (let index = 0; index < 105; index += 1) {
          const id = `cse_${String(index).padStart(4, "0")}`
          const row = { ...common, ...counts, connector_target_id: target, id, mode: "sync", status: "completed" }
          yield* put(sql, "sync_events", { ...row, ended_at: index === 0 ? null : new Date() })
        }
        const row = { ...common, ...counts, connector_target_id: other, id: "cse_b", mode: "sync", status: "completed" }
        yield* put(sql, "sync_events", { ...row, ended_at: new Date() })
      })
    )
    const retention = { ...retentionDefaults, syncsMax: 100 }
    expect((await check(retention)).map(({ rows, table }) => [table, rows])).toContainEqual(["sync_events", 4])
    await runSql(plane, (sql) => sweep(sql, retention))
    const left = await runSql(
      plane,
      (sql) =>
        sql<{ id: string }>`SELECT id FROM sync_events WHERE organization_id = ${owner.organizationId} ORDER BY id`
    )
    expect(left).toHaveLength(102)
    expect(left.slice(0, 2).map(({ id }) => id)).toEqual(["cse_0000", "cse_0005"])
    await runSql(plane, (sql) =>
      Effect.forEach(
        ["sync_events", "connector_targets"],
        (table) => sql`DELETE FROM ${sql(table)} WHERE organization_id = ${owner.organizationId}`
      )
    )
  })

  it("keep daily sums and unused sets of plugins for a fixed time, and sets of plugins while a row refers to them", async () => {
    const { organizationId } = await makeWorkspace(plane)
    const at = (ageDays: number) => new Date(Date.now() - ageDays * dayMillis)
    const day = (ageDays: number) => at(ageDays).toISOString().slice(0, 10)
    const tables = ["delivery_days", "device_reports", "desired_plugin_sets"]
    await runSql(plane, (sql) =>
      Effect.gen(function* () {
        for (const ageDays of [404, 399]) {
          yield* put(sql, "delivery_days", { organization_id: organizationId, day: day(ageDays) })
        }
        const common = { organization_id: organizationId, plugins_json: "[]" }
        for (const table of tables.slice(1)) {
          yield* put(sql, table, { ...common, digest: "unused", used_at: at(3) })
          yield* put(sql, table, { ...common, digest: "new", used_at: at(0.9) })
          yield* put(sql, table, { ...common, digest: "used", used_at: at(300) })
        }
        yield* put(sql, "devices", { organization_id: organizationId, report_digest: "used", last_seen_at: at(1) })
        yield* put(sql, "desired_state_revisions", { organization_id: organizationId, plugins_digest: "used" })
      })
    )
    const reported = async () => (await check()).filter(({ table }) => tables.includes(table))
    expect((await reported()).map(({ rows, table }) => [table, rows]).toSorted()).toEqual(
      tables.map((table) => [table, 1]).toSorted()
    )
    await runSql(plane, (sql) => sweep(sql))
    expect(await reported()).toEqual([])
    const left = await runSql(
      plane,
      (sql) => sql<{ digest: string }>`SELECT 'd' || (CURRENT_DATE - day)::text AS digest FROM delivery_days
          WHERE organization_id = ${organizationId}
        UNION ALL SELECT digest FROM device_reports WHERE organization_id = ${organizationId}
        UNION ALL SELECT digest FROM desired_plugin_sets WHERE organization_id = ${organizationId}`
    )
    expect(left.map(({ digest }) => digest).toSorted()).toEqual(["d399", "new", "new", "used", "used"])
    await runSql(plane, (sql) =>
      Effect.forEach(
        [...tables, "devices", "desired_state_revisions"],
        (table) => sql`DELETE FROM ${sql(table)} WHERE organization_id = ${organizationId}`
      )
    )
  })

  it("report rows whose parent row is missing", async () => {
    const owner = await makeWorkspace(plane)
    await runSql(plane, (sql) => put(sql, "team_members", { organization_id: owner.organizationId }))
    expect((await check()).map(({ rows, table }) => [table, rows])).toEqual([["team_members", 1]])
    await runSql(plane, (sql) => sql`UPDATE team_members SET organization_id = 'org_missing'`)
    expect((await check()).map(({ rows, table }) => [table, rows])).toEqual([["team_members", 2]])
    await runSql(plane, (sql) => sql`DELETE FROM team_members WHERE organization_id = 'org_missing'`)
  })

  it("export the overdue rows and the time since the check as metrics", async () => {
    const owner = await makeWorkspace(plane)
    await runSql(plane, (sql) => put(sql, "team_members", { organization_id: owner.organizationId }))
    await check()
    const { text } = await call(plane, metricsToken)("GET", "/v1/metrics")
    expect(text).toContain('orgplane_retention_overdue_rows{table="team_members"} 1')
    expect(text).toContain('orgplane_retention_overdue_rows{table="sessions"} 0')
    expect(text).toMatch(/orgplane_retention_check_age_seconds \d/u)
    expect(text).toContain('orgplane_retention_rows_deleted_total{table="sessions"}')
    await runSql(plane, (sql) => sql`DELETE FROM team_members WHERE organization_id = ${owner.organizationId}`)
  })
})

describe("a housekeeping run", () => {
  it("runs every other step if a step fails, logs and counts the failure, and repeats the step in the next run", async () => {
    const warnings: Array<string> = []
    const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
      if (logLevel === "Warn") warnings.push(String(Array.isArray(message) ? message[0] : message))
    })
    const housekeep = () =>
      withServices(
        failing,
        runHousekeeping.pipe(
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(Metric.MetricRegistry, registry)
        )
      )
    const registry: (typeof Metric.MetricRegistry)["Service"] = new Map()
    const failing = await makeControlPlane(
      { metricsToken, workers: false, retention: { auditDays: 90 } },
      Layer.succeed(Metric.MetricRegistry, registry)
    )
    const owner = await makeWorkspace(failing)
    const { organizationId } = owner
    const chain = <A>(use: (chain: AuditChain["Service"]) => Effect.Effect<A, unknown>) =>
      withServices(
        failing,
        Effect.flatMap(AuditChain, use).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
      )
    const input = { type: "context", rawSourceText: "# Counted" }
    expect((await owner.call("POST", "/v1/config-objects", { input })).status).toBe(201)
    await chain(({ seal }) => seal)
    await chain(({ checkpoint }) => checkpoint(0))
    const old = new Date(Date.now() - 1000 * dayMillis)
    await runSql(failing, (sql) =>
      Effect.gen(function* () {
        yield* sql`UPDATE audit_checkpoints SET created_at = ${old}`
        yield* put(sql, "sessions", { expires_at: old, organization_id: organizationId })
        yield* put(sql, "invitations", { expires_at: old, organization_id: organizationId })
        yield* sql.unsafe(`CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN RAISE EXCEPTION ''the index is damaged''; END'`)
        yield* sql.unsafe(
          "CREATE TRIGGER refuse_deletion BEFORE DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION refuse_deletion()"
        )
      })
    )
    const left = () =>
      runSql(failing, (sql) =>
        Effect.map(
          sql<{ audit: number; invitations: number; sessions: number; storage: number }>`SELECT
            (SELECT count(*)::int FROM audit_events WHERE sequence IS NOT NULL) AS audit,
            (SELECT count(*)::int FROM invitations) AS invitations,
            (SELECT count(*)::int FROM sessions WHERE expires_at < now()) AS sessions,
            (SELECT count(*)::int FROM storage_changes) AS storage`,
          ([row]) => row
        )
      )
    const before = await left()
    expect([before?.sessions, before?.invitations]).toEqual([1, 1])
    expect(before?.audit).toBeGreaterThan(0)
    expect(before?.storage).toBeGreaterThan(0)

    await housekeep()
    // The audit log and the storage totals come after the sessions.
    expect(await left()).toEqual({ audit: 0, invitations: 0, sessions: 1, storage: 0 })
    expect(warnings).toEqual([
      "Housekeeping failed in the step sessions. Retrying in one hour.",
      "Tables have rows past their retention: sessions (1). See docs/retention.md."
    ])
    const { text } = await call(failing, metricsToken)("GET", "/v1/metrics")
    expect(text).toContain('orgplane_housekeeping_failures_total{step="sessions"} 1')
    // A step that has not failed is 0, and the sum of all steps is 1.
    for (const step of ["audit_events", "check", "storage_changes", "storage_recount", "unclaimed_workspaces"]) {
      expect(text).toContain(`orgplane_housekeeping_failures_total{step="${step}"} 0`)
    }
    expect(text.match(/^orgplane_housekeeping_failures_total\{.*\} [1-9]/gmu)).toHaveLength(1)
    // The daily check also ran.
    expect(await runSql(failing, retentionState)).toMatchObject({ isChecked: true, tables: [{ table: "sessions" }] })

    await runSql(failing, (sql) => sql`DROP TRIGGER refuse_deletion ON sessions`)
    await housekeep()
    expect(await left()).toMatchObject({ sessions: 0 })
  })

  it("happens in one process at a time, and not again until it is due", async () => {
    const runs: Array<string> = []
    await runSql(plane, (sql) =>
      Effect.gen(function* () {
        yield* sql`DELETE FROM housekeeping_runs`
        const started = yield* Deferred.make<void>()
        const released = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          aloneAndEvery(
            sql,
            "sweep",
            55,
            Effect.gen(function* () {
              runs.push("first")
              yield* Deferred.succeed(started, undefined)
              yield* Deferred.await(released)
            })
          )
        )
        yield* Deferred.await(started)
        expect(
          yield* aloneAndEvery(
            sql,
            "sweep",
            0,
            Effect.sync(() => void runs.push("second"))
          )
        ).toBe(false)
        // Another run has its own lease.
        expect(
          yield* aloneAndEvery(
            sql,
            "check",
            0,
            Effect.sync(() => void runs.push("check"))
          )
        ).toBe(true)
        yield* Deferred.succeed(released, undefined)
        yield* Fiber.join(first)
        expect(
          yield* aloneAndEvery(
            sql,
            "sweep",
            55,
            Effect.sync(() => void runs.push("third"))
          )
        ).toBe(false)
      })
    )
    expect(runs).toEqual(["first", "check"])
  })

  it("is repeated immediately after a failure, and by another process when the lease of an exited process ends", async () => {
    const runs: Array<number> = []
    const work = (number: number) => Effect.sync(() => void runs.push(number))
    await runSql(plane, (sql) =>
      Effect.gen(function* () {
        yield* sql`DELETE FROM housekeeping_runs`
        yield* Effect.exit(aloneAndEvery(sql, "sweep", 55, Effect.fail("the database is away")))
        yield* aloneAndEvery(sql, "sweep", 55, work(1))
        yield* aloneAndEvery(sql, "sweep", 55, work(2))
        yield* sql`UPDATE housekeeping_runs SET finished_at = now() - interval '56 minutes', lease_holder = 'other',
          lease_until = now() + interval '1 minute'`
        yield* aloneAndEvery(sql, "sweep", 55, work(3))
        yield* sql`UPDATE housekeeping_runs SET lease_until = now() - interval '1 second'`
        yield* aloneAndEvery(sql, "sweep", 55, work(4))
      })
    )
    expect(runs).toEqual([1, 4])
  })
})
