/**
 * Measures whether the cost of permission checks grows with the installation: a thousand organizations with a hundred
 * members and a thousand grants each, at 1 %, 10 % and 100 % of their number; then one large organization.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import * as explain from "../packages/server/src/identity/access/explain-repo.ts"
import * as impact from "../packages/server/src/identity/access/impact-repo.ts"
import * as objects from "../packages/server/src/content/config-objects/repo.ts"
import * as connectors from "../packages/server/src/content/connectors/repo.ts"
import * as marketplaces from "../packages/server/src/content/marketplaces/repo.ts"
import * as plugins from "../packages/server/src/content/plugins/repo.ts"
import type { Sql } from "../packages/server/src/infra/sql/client.ts"
import { execute } from "../packages/server/src/infra/sql/execute.ts"
import { migrate } from "../packages/server/src/infra/sql/migrate.ts"
import { migrations } from "../packages/server/src/infra/sql/migrations/index.ts"
import { layerPostgres } from "../packages/server/src/infra/sql/postgres.ts"
import * as library from "../packages/server/src/identity/users/library-repo.ts"
import { startPostgres } from "../test/postgres/start.ts"
import { each, largeOf, largeStages, organizations, spaced } from "./grants-rows.ts"
import { median, say } from "./harness.ts"

export interface ScaleOptions {
  readonly organizations: number
  /** Members of the large organization. */
  readonly largeMembers: number
  readonly runs: number
  /** Whether to print the complete plans to standard error. */
  readonly plans: boolean
}

/** Slow queries are repeated less often. */
const secondsMax = 5
/** PostgreSQL scans a table with so few rows sequentially. */
const rowsMax = 1000

type Ask = (sql: Sql) => Effect.Effect<unknown, SqlError>
type Question = readonly [name: string, ask: Ask]

const member = (organizationId: string, membershipId: string): Member => ({
  kind: "member",
  organizationId: organizationId as Id<"org">,
  principal: { kind: "session", sessionId: null, userId: "usr_x", membershipId: membershipId as Id<"om"> },
  isAdmin: false,
  isOwner: false,
  permissions: new Set(),
  provisional: false,
  hasManagedObjects: false,
  plan: "enterprise",
  request: {} as never
})

/** The statement of a repository function, before its rows are mapped: the outermost is built last. */
const statementOf = Effect.fnUntraced(function* (sql: Sql, ask: Ask) {
  let last: Statement<object> | undefined
  const recorded = new Proxy(sql, {
    apply: (target, self, args) =>
      (last = Reflect.apply<unknown, Array<unknown>, Statement<object>>(target as never, self, args)),
    get: (target, key) =>
      key === "unsafe"
        ? (text: string, values: ReadonlyArray<unknown>) => (last = target.unsafe(text, values))
        : Reflect.get(target, key)
  })
  // A prepared read creates its statement only when it runs.
  yield* ask(recorded)
  if (last === undefined) throw new Error("No statement was built.")
  return last
})

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Loops"?: number
  readonly "Actual Rows"?: number
  readonly "Rows Removed by Filter"?: number
  readonly "Shared Hit Blocks"?: number
  readonly "Shared Read Blocks"?: number
  readonly Plans?: ReadonlyArray<Node>
}
interface Plan {
  readonly Plan: Node
}

const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The access paths that an execution used, with their counts. */
const summaryOf = (plan: Node) => {
  const counts = new Map<string, number>()
  for (const node of nodesOf(plan)) {
    if (node["Relation Name"] === undefined || node["Actual Loops"] === 0) continue
    counts.set(node["Node Type"], (counts.get(node["Node Type"]) ?? 0) + 1)
  }
  return [...counts].map(([type, count]) => `${count} ${type}`).join(", ")
}

interface Measured {
  readonly data: string
  readonly question: string
  readonly rows: number
  readonly medianMillis: number
  readonly p95Millis: number
  readonly blocks: number
  readonly scans: string
  readonly whole: ReadonlyArray<string>
}

const measure = Effect.fnUntraced(function* (sql: Sql, data: string, [question, ask]: Question, options: ScaleOptions) {
  const statement = yield* statementOf(sql, ask)
  const [text, parameters] = statement.compile()
  const times: Array<number> = []
  let rows = 0
  // PostgreSQL can replan a prepared statement after five executions, so the first ones are not measured.
  const first = -Math.min(8, options.runs)
  const until = performance.now() + secondsMax * 1000
  for (let run = first; run < options.runs && (run < 5 || performance.now() < until); run += 1) {
    const began = performance.now()
    rows = (yield* statement).length
    if (run >= 0) times.push(performance.now() - began)
  }
  const [response] = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<Plan> }>(
    `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
    parameters
  )
  const plan = response?.["QUERY PLAN"][0]?.Plan
  if (plan === undefined) throw new Error("PostgreSQL returned no plan.")
  if (options.plans) {
    const lines = yield* sql.unsafe<{ "QUERY PLAN": string }>(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, parameters)
    say(`\n${data}: ${question}\n${lines.map((line) => line["QUERY PLAN"]).join("\n")}\n`)
  }
  const result: Measured = {
    data,
    question,
    rows,
    medianMillis: median(times),
    p95Millis: times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * 0.95)] ?? Number.NaN,
    blocks: (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0),
    scans: summaryOf(plan),
    whole: nodesOf(plan).flatMap((node) =>
      node["Node Type"].endsWith("Seq Scan") &&
      (node["Actual Loops"] ?? 0) * ((node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0)) > rowsMax
        ? [node["Relation Name"] ?? "?"]
        : []
    )
  }
  say(`${data}: ${question}: ${result.medianMillis.toFixed(2)} ms, ${result.blocks} blocks`)
  return result
})

const ids = (of: string) => (prefix: string, number: number) => `${prefix}_${of}${String(number).padStart(7, "0")}`

const pages = (
  caller: Member,
  middle: { readonly plugin: string; readonly object: string }
): ReadonlyArray<Question> => [
  ["page of 50 plugins", (sql) => plugins.list(sql, caller, {}, null, 51)],
  ["page of 50 plugins, from the middle", (sql) => plugins.list(sql, caller, {}, middle.plugin, 51)],
  ["page of 50 objects", (sql) => objects.list(sql, caller, {}, null, 51)],
  ["page of 50 objects, from the middle", (sql) => objects.list(sql, caller, {}, middle.object, 51)],
  ["page of 50 marketplaces", (sql) => marketplaces.list(sql, caller, {}, null, 51)],
  ["page of 50 library items", (sql) => library.listLibrary(sql, caller, undefined, null, 51)]
]

const checks = (caller: Member, plugin: string, object: string): ReadonlyArray<Question> => [
  ["one check of a plugin", (sql) => plugins.level(sql, caller, plugin as Id<"plg">)],
  ["one check of an object", (sql) => objects.level(sql, caller, object as Id<"cob">)],
  ["explain a plugin", (sql) => explain.object(sql, caller, caller, "plugin", plugin)],
  ["explain an object", (sql) => explain.object(sql, caller, caller, "configObject", object)]
]

const lossesOf = (organizationId: string, id: string, kind: "plugin" | "marketplace", objectId: string): Ask => {
  const grant = { id, kind, objectId, objectName: "It" }
  return (sql) => impact.losses(sql, organizationId as Id<"org">, grant)
}

const layerOf = (url: string) => layerPostgres({ url, statementMillisMax: 0 })

const main = Effect.fnUntraced(function* (options: ScaleOptions, url: string) {
  const sql = yield* PgClient.PgClient
  yield* migrate(migrations)
  const fill = (statements: ReadonlyArray<string>) =>
    Effect.andThen(
      Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true }),
      sql.unsafe("VACUUM ANALYZE")
    )
  const measured: Array<Measured> = []
  // New connections for each size of the data: PostgreSQL decides whether to replan a prepared statement at each execution
  // by the estimated costs of its earlier plans, also of those for less data.
  const ask = (data: string, questions: ReadonlyArray<Question>) =>
    Effect.gen(function* () {
      const connections = yield* PgClient.PgClient
      for (const question of questions) measured.push(yield* measure(connections, data, question, options))
    }).pipe(Effect.provide(layerOf(url)))

  let filled = 0
  for (const part of [0.01, 0.1, 1]) {
    const count = Math.max(1, Math.round(options.organizations * part))
    // Few organizations have no smaller parts.
    if (count === filled) continue
    yield* fill(organizations(filled + 1, count))
    filled = count
    const [row] = yield* sql<{ members: number; grants: number }>`SELECT
      (SELECT count(*)::int FROM memberships) AS members, (SELECT count(*)::int FROM grants) AS grants`
    say(`${count} organizations, ${row?.members} members, ${row?.grants} grants after ${process.uptime().toFixed(0)} s`)
    const of = "000007"
    const id = ids(of)
    const organization = `org_${of}`
    const caller = member(organization, id("om", 5))
    yield* ask(`${part * 100} %`, [
      ...pages(caller, { plugin: id("plg", each.plugins / 2), object: id("cob", each.objects / 2) }),
      ["page of 50 instances", (sql) => connectors.listInstances(sql, caller, {}, null, 51)],
      ...checks(caller, id("plg", 36), id("cob", 56)),
      ["impact of a team's grant", lossesOf(organization, `mag_${of}t0000030`, "marketplace", id("mkt", 4))]
    ])
  }

  const id = ids("large0")
  const large = largeOf(options.largeMembers)
  for (const { member: number, statements, who } of largeStages(large)) {
    yield* fill(statements)
    say(`large, ${who}, after ${process.uptime().toFixed(0)} s`)
    const caller = member("org_large0", id("om", number))
    yield* ask(`large, ${who}`, [
      ...pages(caller, { plugin: id("plg", large.plugins / 2), object: id("cob", large.objects / 2) }),
      ...checks(caller, id("plg", 7), id("cob", 7))
    ])
  }
  yield* ask(`large, ${spaced(large.members)} members`, [
    ["impact of a member's only grant", lossesOf("org_large0", "pag_large01000002", "plugin", id("plg", 2))],
    [
      "impact of a marketplace's grant to all",
      lossesOf("org_large0", "mag_large04000003", "marketplace", id("mkt", 3))
    ],
    [
      `impact of one of ${spaced(large.members)} grants on a plugin`,
      lossesOf("org_large0", "pag_large05000009", "plugin", id("plg", large.plugins))
    ]
  ])
  return measured
})

const cells = (cells: ReadonlyArray<string | number>) => `| ${cells.join(" | ")} |`

const table = (measured: ReadonlyArray<Measured>) => {
  const parts = ["1 %", "10 %", "100 %"]
  const questions = [...new Set(measured.filter(({ data }) => parts.includes(data)).map(({ question }) => question))]
  const at = (data: string, question: string) => measured.find((one) => one.data === data && one.question === question)
  const whole = measured.filter((one) => one.whole.length > 0)
  return [
    cells([
      "",
      ...parts.map((part) => `${part}: ms`),
      "100 %: p95 ms",
      "rows",
      ...parts.map((part) => `blocks at ${part}`),
      "access paths"
    ]),
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ...questions.map((question) =>
      cells([
        question,
        ...parts.map((part) => at(part, question)?.medianMillis.toFixed(2) ?? ""),
        at("100 %", question)?.p95Millis.toFixed(2) ?? "",
        at("100 %", question)?.rows ?? "",
        ...parts.map((part) => at(part, question)?.blocks ?? ""),
        at("100 %", question)?.scans ?? ""
      ])
    ),
    "",
    "| one large organization | | ms | p95 ms | rows | blocks |",
    "|---|---|---:|---:|---:|---:|",
    ...measured
      .filter(({ data }) => !parts.includes(data))
      .map((one) =>
        cells([
          one.data.replace("large, ", ""),
          one.question,
          one.medianMillis.toFixed(2),
          one.p95Millis.toFixed(2),
          one.rows,
          one.blocks
        ])
      ),
    "",
    whole.length === 0
      ? `No sequential scan read more than ${rowsMax} rows.`
      : `Sequential scans of more than ${rowsMax} rows: ${whole.map((one) => `${one.whole.join(", ")} (${one.data}: ${one.question})`).join("; ")}.`
  ].join("\n")
}

/**
 * Measures on its own PostgreSQL, as a role that is not a superuser, so that row-level security applies, as in an
 * installation.
 */
export const scaleOfGrants = async (options: ScaleOptions): Promise<string> => {
  const server = await startPostgres({
    fsync: true,
    settings: { shared_buffers: "512MB", work_mem: "4MB", max_wal_size: "4GB", synchronous_commit: "off" }
  })
  try {
    await execute(server.url, "CREATE ROLE orgplane LOGIN PASSWORD 'orgplane'")
    await execute(server.url, "CREATE DATABASE orgplane OWNER orgplane")
    const url = new URL(server.url)
    url.username = "orgplane"
    url.password = "orgplane"
    url.pathname = "/orgplane"
    return table(await Effect.runPromise(Effect.provide(main(options, url.href), layerOf(url.href))))
  } finally {
    await server.stop()
  }
}
