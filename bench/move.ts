/** How long `orgplane-server move` takes from PostgreSQL to the embedded database, and back to PostgreSQL. */
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execute } from "../packages/server/src/infra/sql/execute.ts"
import { startPostgres } from "../test/postgres/start.ts"
import { migrated, say } from "./harness.ts"
import { inheritedEnvironment, serverProgram } from "./server-program.ts"

const secretKey = "a-secret-of-the-benchmark-and-of-nothing-else"

/** A tenth are people, three tenths plugins, and the rest telemetry of three months. */
const fill = async (url: string, rows: number) => {
  const organizations = Math.max(1, Math.floor(rows / 10_000))
  const people = Math.floor(rows / 20)
  const plugins = Math.floor((rows * 3) / 10)
  const events = rows - organizations - 2 * people - plugins
  const id = (prefix: string, n = "n") => `'${prefix}_01k5qdy' || lpad((${n})::text, 19, '0')`
  const organization = id("org", `n % ${organizations}`)
  const series = (count: number) => `FROM generate_series(0, ${count - 1}) n`
  await execute(
    url,
    `INSERT INTO organizations (id, name, plan, created_at, updated_at)
      SELECT ${id("org")}, 'Organization ' || n, 'enterprise', now(), now() ${series(organizations)}`
  )
  await execute(
    url,
    `INSERT INTO users (id, email, email_verified, name, created_at, updated_at)
      SELECT ${id("usr")}, 'person-' || n || '@example.com', true, 'Person ' || n, now(), now() ${series(people)}`
  )
  await execute(
    url,
    `INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
      SELECT ${organization}, ${id("om")}, ${id("usr")}, 'member', now(), now() ${series(people)}`
  )
  await execute(
    url,
    `INSERT INTO plugins (organization_id, id, name, description, created_at, updated_at)
      SELECT ${organization}, ${id("plg")}, 'Plugin ' || n, repeat('A description. ', 10), now(), now() ${series(plugins)}`
  )
  const { rows: months } = await execute(
    url,
    `SELECT 'telemetry_events_' || to_char(m, 'YYYYMM') AS name, m::text || '+00' AS from,
        (m + interval '1 month')::text || '+00' AS until
      FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC' - interval '91 days'),
        date_trunc('month', now() AT TIME ZONE 'UTC'), interval '1 month') m`
  )
  for (const { from, name, until } of months) {
    await execute(
      url,
      `CREATE TABLE ${String(name)} PARTITION OF telemetry_events FOR VALUES FROM ('${String(from)}') TO ('${String(until)}')`
    )
  }
  await execute(
    url,
    `INSERT INTO telemetry_events (organization_id, occurred_at, received_at, type, source, user_id, membership_id,
        duration_ms, success, dimensions_json, ledger_id)
      SELECT ${organization}, now() - random() * interval '90 days', now(), 'task.completed', 'app',
        ${id("usr", `n % ${people}`)}, ${id("om", `n % ${people}`)}, (random() * 100000)::int, true,
        jsonb_build_array(jsonb_build_object('type', 'model', 'value', 'model-' || n % 5, 'label', 'Model')), 1
      ${series(events)}`
  )
}

interface Moved {
  readonly rows: number
  readonly tables: number
  readonly millis: number
}

/** The result of the command, and its largest resident memory in MiB. */
const move = (environment: Readonly<Record<string, string>>, to: string): Promise<Moved & { readonly mib: number }> =>
  new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "move-memory.ts"), serverProgram, "move", "--json", "--to", to],
      {
        env: { ...inheritedEnvironment, ORGPLANE_SECRET_KEYS: secretKey, ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      }
    )
    let [stdout, stderr] = ["", ""]
    child.stdout.on("data", (chunk: Buffer) => (stdout += String(chunk)))
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += String(chunk)
      process.stderr.write(chunk)
    })
    child.on("close", (code) => {
      const mib = Number(/^peak (\d+) MiB$/m.exec(stderr)?.[1])
      if (code === 0) resolve({ ...(JSON.parse(stdout) as Moved), mib })
      else reject(new Error(`The move exited with code ${code}: ${stderr}`))
    })
  })

export const benchMove = async (rows: number): Promise<string> => {
  const server = await startPostgres({ fsync: true, settings: { shared_buffers: "256MB", max_wal_size: "4GB" } })
  const folder = await mkdtemp(join(tmpdir(), "orgplane-move-"))
  try {
    const source = await migrated(await server.createDatabase("source"))
    say(`insert ${rows} rows`)
    await fill(source, rows)
    const dataDir = join(folder, "data")
    const embedded = await move({ ORGPLANE_DATABASE_URL: source }, dataDir)
    const back = await move({ ORGPLANE_DATA_DIR: dataDir }, await server.createDatabase("target"))
    const line = (name: string, { mib, millis, rows: moved, tables }: Awaited<ReturnType<typeof move>>) =>
      `| ${name} | ${moved} | ${tables} | ${(millis / 1000).toFixed(0)} | ${mib} |`
    return [
      "| | rows | tables | seconds | peak memory, MiB |",
      "|---|---:|---:|---:|---:|",
      line("PostgreSQL to the embedded database", embedded),
      line("the embedded database to PostgreSQL", back)
    ].join("\n")
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
