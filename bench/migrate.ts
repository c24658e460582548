/** How long writers wait while a large table is migrated: a column, a constraint, an index, a backfill, a validation. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { SqlDatabase } from "../packages/server/src/infra/sql/client.ts"
import { migrate, type Migrations } from "../packages/server/src/infra/sql/migrate.ts"
import {
  backfill,
  createIndex,
  everyInterval,
  MigrationProgress,
  online,
  validateConstraint
} from "../packages/server/src/infra/sql/migrations/online.ts"
import { layerPostgres } from "../packages/server/src/infra/sql/postgres.ts"
import { longStatementMillis, StatementMillisMax } from "../packages/server/src/infra/sql/statement-timeout.ts"
import { startPostgres } from "../test/postgres/start.ts"
import { say } from "./harness.ts"

const run = (text: string) => Effect.flatMap(SqlDatabase, (sql) => Effect.asVoid(sql.unsafe(text)))

const table = run(`CREATE TABLE entries (organization_id text NOT NULL, id text NOT NULL, body text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (organization_id, id))`)

const later: Migrations = {
  "0002_columns": Effect.andThen(
    run("ALTER TABLE entries ADD COLUMN size integer"),
    run("ALTER TABLE entries ADD COLUMN note text NOT NULL DEFAULT ''")
  ),
  "0003_constraint": run("ALTER TABLE entries ADD CONSTRAINT entries_size CHECK (size >= 0) NOT VALID"),
  "0004_online": online(
    Effect.gen(function* () {
      yield* createIndex({ name: "entries_updated", table: "entries", definition: "(organization_id, updated_at)" })
      yield* backfill({
        table: "entries",
        key: ["organization_id", "id"],
        set: "size = length(target.body)",
        where: "size IS NULL"
      })
      yield* validateConstraint("entries", "entries_size")
    })
  )
}

const at = (sorted: ReadonlyArray<number>, part: number) =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1)

/** Updates and inserts rows one after the other, each committed, and measures each of them. */
const write = Effect.fnUntraced(function* (rows: number, writer: number, latencies: Array<number>) {
  const sql = yield* SqlDatabase
  for (let n = 0; ; n += 1) {
    const startedAt = performance.now()
    const id = Math.floor(Math.random() * rows)
    yield* n % 4 === 0
      ? sql`INSERT INTO entries (organization_id, id, body) VALUES (${`org_${writer}`}, ${`new ${n}`}, 'A new entry.')`
      : sql`UPDATE entries SET updated_at = now() WHERE organization_id = ${`org_${id % 1000}`} AND id = ${`entry_${id}`}`
    latencies.push(performance.now() - startedAt)
    yield* Effect.sleep(2)
  }
})

export const benchMigrate = async (rows: number): Promise<string> => {
  const server = await startPostgres({ fsync: true, settings: { shared_buffers: "512MB", max_wal_size: "8GB" } })
  try {
    const main = Effect.gen(function* () {
      yield* migrate({ "0001_entries": table }, { togetherMax: 1 })
      say(`insert ${rows} rows`)
      yield* run(`INSERT INTO entries SELECT 'org_' || n % 1000, 'entry_' || n, repeat('x', 100 + n % 100)
        FROM generate_series(1, ${rows}) n`).pipe(Effect.provideService(StatementMillisMax, longStatementMillis))
      yield* run("VACUUM ANALYZE entries").pipe(Effect.provideService(StatementMillisMax, longStatementMillis))
      const [size] = yield* (yield* SqlDatabase)<{ mib: number }>`SELECT
        (pg_total_relation_size('entries') / 1048576)::int AS mib`
      const idle: Array<number> = []
      const before = yield* Effect.forkChild(write(rows, 1, idle))
      yield* Effect.sleep(5000)
      yield* Fiber.interrupt(before)
      const latencies: Array<number> = []
      const writers = yield* Effect.forEach([2, 3, 4, 5], (writer) => Effect.forkChild(write(rows, writer, latencies)))
      const startedAt = performance.now()
      yield* migrate({ "0001_entries": table, ...later }, { togetherMax: 1 }).pipe(
        Effect.provideService(
          MigrationProgress,
          everyInterval(10_000, (line) => Effect.sync(() => say(line)))
        )
      )
      const seconds = (performance.now() - startedAt) / 1000
      yield* Effect.forEach(writers, Fiber.interrupt)
      const [quiet, busy] = [idle, latencies].map((each) => each.toSorted((a, b) => a - b))
      const cells = (each: ReadonlyArray<number> = []) =>
        `${each.length} | ${at(each, 0.5)} | ${at(each, 0.99)} | ${at(each, 0.9999)} | ${at(each, 1)}`
      return [
        `${rows} rows, ${size?.mib} MiB with the primary key; the migration took ${seconds.toFixed(0)} s.`,
        "",
        "| | writes | p50 ms | p99 ms | p99.99 ms | longest ms |",
        "|---|---:|---:|---:|---:|---:|",
        `| one writer, before | ${cells(quiet)} |`,
        `| four writers, during the migration | ${cells(busy)} |`
      ].join("\n")
    })
    return await Effect.runPromise(Effect.provide(main, layerPostgres({ url: server.url, statementMillisMax: 0 })))
  } finally {
    await server.stop()
  }
}
