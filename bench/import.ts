import { spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import pg from "pg"
import { askHealth, cpuMicros, median, openDatabase, say, spreadOut, startCandidate, stepAside } from "./harness.ts"
import { changeFiles, firstFiles, git, makeRepository, type RepositoryFile } from "./import-repository.ts"

const webhookSecret = "a-webhook-secret-of-the-benchmark"
const filesOfAPushMax = 10

/** The tables in which an import writes a row for each file or plugin. */
const tables = ["plugins", "config_objects", "config_object_versions", "plugin_memberships", "source_bindings"]
const rowsAtOnce = 1000

export interface ImportOptions {
  readonly plugins: number
  /** Files of each plugin. */
  readonly files: number
  readonly pushes: number
  /** Number of repeated deliveries in the measurement. */
  readonly deliveries: number
}

interface Body {
  readonly [member: string]: unknown
}

const isBody = (value: unknown): value is Body => typeof value === "object" && value !== null && !Array.isArray(value)

/** A field of a response, by its path. */
const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((inner, name) => (isBody(inner) ? inner[name] : undefined), value)

const textAt = (value: unknown, ...path: ReadonlyArray<string>): string => {
  const member = at(value, ...path)
  if (typeof member !== "string") throw new Error(`No ${path.join(".")} in ${JSON.stringify(value).slice(0, 500)}`)
  return member
}

const makeCaller =
  (port: number, token?: string) =>
  async (method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: unknown }> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, body: text === "" ? null : JSON.parse(text) }
  }

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Memory of a process in megabytes: current, or the peak since `forgetPeak`. */
const memory = (pid: number, line: "VmRSS" | "VmHWM") =>
  Number(
    new RegExp(`${line}:\\s+(\\d+) kB`, "u").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN
  ) / 1024
const forgetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, "5")

const statisticsOf = (millis: ReadonlyArray<number>) => {
  const sorted = millis.toSorted((a, b) => a - b)
  return { p50: median(sorted), p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN, count: sorted.length }
}

/** Sends requests at an interval, without waiting for the previous response, and records each latency. */
const askBeside = (ask: () => Promise<unknown>, everyMillis: number) => {
  const millis: Array<number> = []
  const open = new Set<Promise<void>>()
  const over = new AbortController()
  const timedRequest = async (due: number) => {
    await ask()
    millis.push(performance.now() - due)
  }
  const asking = (async () => {
    for (let due = performance.now(); !over.signal.aborted; due += everyMillis) {
      await pause(Math.max(0, due - performance.now()))
      const pending = timedRequest(due)
      open.add(pending)
      void pending.finally(() => open.delete(pending))
    }
  })()
  return async () => {
    over.abort()
    await asking
    await Promise.all(open)
    return statisticsOf(millis)
  }
}

interface Hook {
  readonly port: number
  readonly dir: string
}

/** Sends a signed push webhook, as a code host does. */
const deliver = async ({ dir, port }: Hook, path: string, delivery: string): Promise<number> => {
  const body = JSON.stringify({
    ref: "refs/heads/main",
    before: "0".repeat(40),
    after: "1".repeat(40),
    repository: { id: 1, full_name: "bench", clone_url: dir }
  })
  const began = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": "push",
      "x-github-delivery": delivery,
      "x-hub-signature-256": `sha256=${createHmac("sha256", webhookSecret).update(body).digest("hex")}`
    },
    body
  })
  const text = await response.text()
  if (response.status !== 202) throw new Error(`${response.status} ${text}`)
  return performance.now() - began
}

const ingress = "/v1/webhooks/connectors/codehost"

/** Milliseconds from the webhook of a push to its publication. */
const pushOnce = async (
  hook: Hook,
  call: ReturnType<typeof makeCaller>,
  path: string,
  mark: string,
  files: ReadonlyArray<RepositoryFile>
) => {
  changeFiles(hook.dir, mark, files)
  // Connections may have been closed for inactivity in the meantime.
  await pause(50)
  const began = Date.now()
  await deliver(hook, ingress, mark)
  for (;;) {
    await pause(150)
    const page = await call("GET", `${path}/sync-events?limit=1`)
    const items = at(page.body, "items")
    const event: unknown = Array.isArray(items) ? items[0] : undefined
    const ended = at(event, "endedAt")
    if (typeof ended !== "string" || at(event, "trigger") !== "webhook") continue
    if (at(event, "revision") !== git(hook.dir, "rev-parse", "HEAD").trim()) continue
    if (at(event, "counts", "objectsUpdated") !== files.length) throw new Error(JSON.stringify(event))
    return Date.parse(ended) - began
  }
}

/**
 * The cost of one delivery compared with a minimal receiver (read, verify, 202). A sender can send 100 deliveries per
 * second.
 */
const tellMany = async (hook: Hook, pid: number, deliveries: number) => {
  const bare = await startCandidate({ name: "bare", file: new URL("bare-webhook.ts", import.meta.url) }, "", [], {
    WEBHOOK_SECRET: webhookSecret
  })
  try {
    const measure = async (at: Hook, of: number, mark: string) => {
      const millis: Array<number> = []
      const before = cpuMicros(of)
      for (let count = 0; count < deliveries; count += 1) {
        await pause(12)
        millis.push(await deliver(at, ingress, `${mark}-${count}`))
      }
      return { cpu: (cpuMicros(of) - before) / deliveries, millis: median(millis) }
    }
    const peer = { ...hook, port: bare.port }
    await measure(peer, bare.pid, "warm")
    await measure(hook, pid, "warm")
    // Requested syncs must end before the measurement.
    await pause(3000)
    return { bare: await measure(peer, bare.pid, "told"), ours: await measure(hook, pid, "warm") }
  } finally {
    await bare.stop()
  }
}

/** Imports the repository as an organization does, from the connection to the publication of everything. */
const importOnce = async (
  dir: string,
  databaseUrl: string,
  withSystemGit: boolean,
  { deliveries, files, plugins, pushes }: ImportOptions
) => {
  const server = await startCandidate(
    { name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) },
    databaseUrl,
    [],
    {
      ORGPLANE_GIT_LOCAL_ROOTS: dir,
      ORGPLANE_WEBHOOK_SECRET: webhookSecret,
      ORGPLANE_RECONCILE_SECONDS: "0",
      ...(withSystemGit ? {} : { WITHOUT_PROGRAMS: "1" })
    },
    // git runs in its own processes, as it does for the bare import.
    false
  )
  try {
    const workspace = await makeCaller(server.port)("POST", "/v1/bootstrap/workspace", { workspaceName: "Bench" })
    const call = makeCaller(server.port, textAt(workspace.body, "session", "token"))
    const other = textAt((await call("POST", "/v1/plugins", { name: "Other" })).body, "item", "id")
    for (let warm = 0; warm < 100; warm += 1) await call("GET", `/v1/plugins/${other}`)
    await pause(2000)
    const idle = memory(server.pid, "VmRSS")
    forgetPeak(server.pid)
    // A session can send ten requests a second; liveness requests are not limited.
    const health = await askHealth(server.port, 10)
    const endings = [
      askBeside(() => call("GET", `/v1/plugins/${other}`), 250),
      async () => statisticsOf(await health())
    ]
    const began = performance.now()
    const setup = await call("POST", "/v1/connectors/codehost/setup", { adapter: "git", cloneUrl: dir })
    const instance = textAt(setup.body, "item", "connectorInstance", "id")
    const path = `/v1/connector-instances/${instance}`
    let discovery = await call("GET", `${path}/discovery`)
    while (discovery.status === 503) discovery = await call("GET", `${path}/discovery`)
    const discovered = performance.now()
    const candidates = at(discovery.body, "item", "discoveredPlugins")
    if (!Array.isArray(candidates)) throw new Error(JSON.stringify(discovery.body).slice(0, 500))
    const selectedKeys = candidates.slice(0, 1000).map((candidate) => textAt(candidate, "key"))
    const applied = await call("POST", `${path}/discovery/apply?wait=0`, { selectedKeys, autoImportNewPlugins: true })
    const event = textAt(applied.body, "item", "syncEvent", "id")
    let sync = await call("GET", `/v1/connector-sync-events/${event}`)
    while (at(sync.body, "item", "endedAt") === null) {
      await pause(200)
      sync = await call("GET", `/v1/connector-sync-events/${event}`)
    }
    const over = performance.now()
    const beside = await Promise.all(endings.map((ended) => ended()))
    const status = textAt(sync.body, "item", "status")
    if (status !== "completed") throw new Error(JSON.stringify(sync.body).slice(0, 1000))
    const peak = memory(server.pid, "VmHWM")
    const hook = { port: server.port, dir }
    const pushedFiles = firstFiles(plugins, files, filesOfAPushMax)
    const published = []
    for (let round = 0; round < pushes; round += 1) {
      // Both imports read the same repository, so their pushes must differ.
      const mark = `push-${withSystemGit ? "system" : "built-in"}-${round}`
      published.push(await pushOnce(hook, call, path, mark, pushedFiles))
    }
    return {
      published: { median: median(published), most: Math.max(...published) },
      filesOfAPush: pushedFiles.length,
      hooks: await tellMany(hook, server.pid, deliveries),
      plugins: candidates.length,
      objects: Number(at(sync.body, "item", "counts", "objectsCreated")),
      discovery: (discovered - began) / 1000,
      total: (over - began) / 1000,
      idle,
      peak,
      beside
    }
  } finally {
    await server.stop()
  }
}

/** Reads every file of a commit with `git cat-file --batch`, and returns the number of bytes. */
const readAll = async (dir: string): Promise<number> => {
  const shas = git(dir, "ls-tree", "-r", "HEAD")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(12, 52))
  const reader = spawn("git", ["-C", dir, "cat-file", "--batch"], { stdio: ["pipe", "pipe", "inherit"] })
  let bytes = 0
  reader.stdout.on("data", (chunk: Buffer) => (bytes += chunk.length))
  reader.stdin.end(`${shas.join("\n")}\n`)
  await once(reader, "exit")
  return bytes
}

interface Rows {
  readonly table: string
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string }>
  readonly values: ReadonlyArray<ReadonlyArray<string | null>>
}

/** The rows that an import has written, as text. */
const rowsOf = async (client: pg.Client, table: string): Promise<Rows> => {
  const { rows: columns } = await client.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [table]
  )
  const { rows: values } = await client.query<Array<string | null>>({
    text: `SELECT ${columns.map(({ name }) => `${name}::text`).join(", ")} FROM ${table}`,
    rowMode: "array"
  })
  return { table, columns, values }
}

const insertAll = async (client: pg.Client, { columns, table, values }: Rows) => {
  const names = columns.map(({ name }) => name).join(", ")
  const cast = columns.map(({ name, type }) => `${name}::${type}`).join(", ")
  const arrays = columns.map((_, index) => `$${index + 1}::text[]`).join(", ")
  const text = `INSERT INTO ${table} (${names}) SELECT ${cast} FROM unnest(${arrays}) AS r (${names})`
  for (let start = 0; start < values.length; start += rowsAtOnce) {
    const batch = values.slice(start, start + rowsAtOnce)
    await client.query({
      name: table,
      text,
      values: columns.map((_, index) => batch.map((row) => row[index] ?? null))
    })
  }
}

const connect = async (url: string) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/** The minimum: git reads the files and PostgreSQL stores the rows, without any processing. */
const bareOnce = async (dir: string, url: string, rows: ReadonlyArray<Rows>) => {
  const client = await connect(url)
  try {
    // The same tables with the same indexes, initially empty, without foreign keys.
    await client.query(`SET session_replication_role = replica; TRUNCATE ${tables.join(", ")} CASCADE`)
    const began = performance.now()
    await readAll(dir)
    const read = performance.now()
    await client.query("BEGIN")
    for (const table of rows) await insertAll(client, table)
    await client.query("COMMIT")
    return { read: (read - began) / 1000, total: (performance.now() - began) / 1000 }
  } finally {
    await client.end()
  }
}

const two = (value: number) => value.toFixed(2)

/** A cold import compared with bare `git cat-file --batch` and `unnest` inserts of the same rows. */
export const coldImport = async (options: ImportOptions): Promise<string> => {
  const { files, plugins, pushes } = options
  say(`Creating a repository of ${plugins} plugins, ${plugins * files} files.`)
  spreadOut()
  const dir = await makeRepository(plugins, files)
  const database = await openDatabase()
  try {
    const results = []
    for (const withSystemGit of [true, false]) {
      const name = withSystemGit ? "system git" : "built-in git"
      say(`Importing with ${name}.`)
      const url = await database.createDatabase(`import_${withSystemGit ? "system" : "builtin"}`)
      const ours = await importOnce(dir, url, withSystemGit, options)
      const client = await connect(url)
      const rows: Array<Rows> = []
      for (const table of tables) rows.push(await rowsOf(client, table))
      await client.end()
      const bare = []
      for (let round = 0; round < 3; round += 1) bare.push(await bareOnce(dir, url, rows))
      const best = bare.reduce((least, next) => (next.total < least.total ? next : least))
      results.push({ name, ours, best, written: rows.reduce((sum, { values }) => sum + values.length, 0) })
    }
    return [
      "| read by | plugins | objects | rows | discovery, s | total, s | bare (git), s | ratio | idle MB | peak above idle MB | `GET` of a plugin during the import, p50 / p99 ms (count) | health check during the import, p50 / p99 ms (count) |",
      "|---|---|---|---|---|---|---|---|---|---|---|---|",
      ...results.map(
        ({ best, name, ours, written }) =>
          `| ${name} | ${ours.plugins} | ${ours.objects} | ${written} | ${two(ours.discovery)} | ${two(ours.total)} | ${two(best.total)} (${two(best.read)}) | ${two(ours.total / best.total)} | ${ours.idle.toFixed(0)} | ${(ours.peak - ours.idle).toFixed(0)} | ${ours.beside.map(({ count, p50, p99 }) => `${p50.toFixed(1)} / ${p99.toFixed(1)} (${count})`).join(" | ")} |`
      ),
      "",
      `| read by | files pushed | webhook to published, median / max ms of ${pushes} | a repeated delivery, CPU µs | bare response, CPU µs | bare / orgplane | orgplane / bare, ms |`,
      "|---|---|---|---|---|---|---|",
      ...results.map(
        ({ name, ours: { filesOfAPush, hooks, published } }) =>
          `| ${name} | ${filesOfAPush} | ${published.median.toFixed(0)} / ${published.most.toFixed(0)} | ${hooks.ours.cpu.toFixed(0)} | ${hooks.bare.cpu.toFixed(0)} | ${two(hooks.bare.cpu / hooks.ours.cpu)} | ${two(hooks.ours.millis)} / ${two(hooks.bare.millis)} |`
      )
    ].join("\n")
  } finally {
    await database.stop()
    rmSync(dir, { recursive: true, force: true })
    stepAside()
  }
}
