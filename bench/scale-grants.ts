/**
 * Does the price of a permission grow with the installation? A thousand organizations with a hundred members and a
 * thousand grants each, asked at 1 %, 10 % and 100 % of their number; then one organization that is large itself.
 *
 *   node bench/scale-grants.ts
 */
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type { Statement } from "effect/sql/Statement"
import * as explain from "../packages/server/src/access/explain-repo.ts"
import * as impact from "../packages/server/src/access/impact-repo.ts"
import * as objects from "../packages/server/src/config-objects/repo.ts"
import * as plugins from "../packages/server/src/plugins/repo.ts"
import type { Sql } from "../packages/server/src/sql/client.ts"
import { migrate } from "../packages/server/src/sql/migrate.ts"
import { migrations } from "../packages/server/src/sql/migrations/index.ts"
import { layerPostgres } from "../packages/server/src/sql/postgres.ts"
import * as library from "../packages/server/src/users/library-repo.ts"
import { startPostgres } from "../test/postgres/start.ts"

const perOrganization = { members: 100, teams: 10, plugins: 200, marketplaces: 20, objects: 500 } as const
const steps = [10, 100, 1000] as const
const runs = 200
const large = { plugins: 50_000, objects: 100_000 } as const

const id = (prefix: string, organization: string, number: string) =>
  `'${prefix}_' || ${organization} || lpad((${number})::text, 7, '0')`
const org = "lpad(o::text, 6, '0')"

/** Rows of the organizations `from` to `to`, in bulk. */
const fill = (from: number, to: number): ReadonlyArray<string> => {
  const range = `generate_series(${from}, ${to}) o`
  const { marketplaces, members, objects, plugins, teams } = perOrganization
  const organization = `'org_' || ${org}`
  return [
    `INSERT INTO organizations (id, name, plan, created_at, updated_at)
      SELECT ${organization}, 'Organization ' || o, 'enterprise', now(), now() FROM ${range}`,
    `INSERT INTO users (id, name, created_at, updated_at)
      SELECT ${id("usr", org, "i")}, 'Somebody', now(), now() FROM ${range}, generate_series(1, ${members}) i`,
    `INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
      SELECT ${organization}, ${id("om", org, "i")}, ${id("usr", org, "i")}, 'member', now(), now()
      FROM ${range}, generate_series(1, ${members}) i`,
    `INSERT INTO teams (organization_id, id, name, created_at, updated_at)
      SELECT ${organization}, ${id("tem", org, "i")}, 'Team ' || i, now(), now() FROM ${range}, generate_series(1, ${teams}) i`,
    `INSERT INTO team_members (organization_id, team_id, membership_id)
      SELECT ${organization}, ${id("tem", org, `1 + i % ${teams}`)}, ${id("om", org, "i")}
      FROM ${range}, generate_series(1, ${members}) i`,
    `INSERT INTO plugins (organization_id, id, name, created_at, updated_at)
      SELECT ${organization}, ${id("plg", org, "i")}, 'Plugin ' || i, now(), now()
      FROM ${range}, generate_series(1, ${plugins}) i`,
    `INSERT INTO config_objects (organization_id, id, object_type, source_mode, status, title, created_at, updated_at)
      SELECT ${organization}, ${id("cob", org, "i")}, 'skill', 'cloud', 'active', 'Skill ' || i, now(), now()
      FROM ${range}, generate_series(1, ${objects}) i`,
    `INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, created_at)
      SELECT ${organization}, ${id("pco", org, "i")}, ${id("plg", org, `1 + i % ${plugins}`)}, ${id("cob", org, "i")}, now()
      FROM ${range}, generate_series(1, ${objects}) i`,
    `INSERT INTO marketplaces (organization_id, id, name, created_at, updated_at)
      SELECT ${organization}, ${id("mkt", org, "i")}, 'Marketplace ' || i, now(), now()
      FROM ${range}, generate_series(1, ${marketplaces}) i`,
    `INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
      SELECT ${organization}, ${id("mkp", org, "i")}, ${id("mkt", org, `1 + i % ${marketplaces}`)}, ${id("plg", org, "i")}, now()
      FROM ${range}, generate_series(1, ${plugins}) i`,
    // A thousand grants: 900 of members on plugins and objects, 90 of teams, ten to everybody.
    `INSERT INTO grants (organization_id, id, object_kind, object_id, membership_id, team_id, org_wide, role, created_at)
      SELECT ${organization}, ${id("pag", org, "i")}, k.kind,
        CASE k.kind WHEN 'plugin' THEN ${id("plg", org, `1 + (i / 2) % ${plugins}`)}
          WHEN 'configObject' THEN ${id("cob", org, `1 + (i / 2) % ${objects}`)}
          ELSE ${id("mkt", org, `1 + i % ${marketplaces}`)} END,
        CASE WHEN i <= 900 THEN ${id("om", org, `1 + (i * 7 + i / 100) % ${members}`)} END,
        CASE WHEN i > 900 AND i <= 990 THEN ${id("tem", org, `1 + (i / 20 + i) % ${teams}`)} END,
        i > 990, CASE i % 3 WHEN 0 THEN 'manager' WHEN 1 THEN 'editor' ELSE 'viewer' END, now()
      FROM ${range}, generate_series(1, 1000) i,
        LATERAL (SELECT CASE WHEN i > 990 THEN 'plugin' WHEN i > 900 THEN 'marketplace'
          WHEN i % 2 = 0 THEN 'plugin' ELSE 'configObject' END AS kind) k
      ON CONFLICT DO NOTHING`
  ]
}

/** One organization with as much as a hundred others: everything shared with all, and one member without a team. */
const fillLarge = (): ReadonlyArray<string> => {
  const name = "'org_large'"
  const of = "'large0'"
  return [
    `INSERT INTO organizations (id, name, plan, created_at, updated_at) VALUES (${name}, 'Large', 'enterprise', now(), now())`,
    `INSERT INTO users (id, name, created_at, updated_at)
      SELECT ${id("usr", of, "i")}, 'Somebody', now(), now() FROM generate_series(1, 10000) i`,
    `INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
      SELECT ${name}, ${id("om", of, "i")}, ${id("usr", of, "i")}, 'member', now(), now() FROM generate_series(1, 10000) i`,
    `INSERT INTO plugins (organization_id, id, name, created_at, updated_at)
      SELECT ${name}, ${id("plg", of, "i")}, 'Plugin ' || i, now(), now() FROM generate_series(1, ${large.plugins}) i`,
    `INSERT INTO config_objects (organization_id, id, object_type, source_mode, status, title, created_at, updated_at)
      SELECT ${name}, ${id("cob", of, "i")}, 'skill', 'cloud', 'active', 'Skill ' || i, now(), now()
      FROM generate_series(1, ${large.objects}) i`,
    `INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, created_at)
      SELECT ${name}, ${id("pco", of, "i")}, ${id("plg", of, `1 + i % ${large.plugins}`)}, ${id("cob", of, "i")}, now()
      FROM generate_series(1, ${large.objects}) i`,
    `INSERT INTO marketplaces (organization_id, id, name, created_at, updated_at)
      SELECT ${name}, ${id("mkt", of, "i")}, 'Marketplace ' || i, now(), now() FROM generate_series(1, 100) i`,
    `INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
      SELECT ${name}, ${id("mkp", of, "i")}, ${id("mkt", of, "1 + i % 100")}, ${id("plg", of, "i")}, now()
      FROM generate_series(1, ${large.plugins}) i`,
    // Three grants of the first member, all on what is oldest.
    `INSERT INTO grants (organization_id, id, object_kind, object_id, membership_id, org_wide, role, created_at)
      SELECT ${name}, ${id("pag", of, "i")}, 'plugin', ${id("plg", of, "i")}, ${id("om", of, "1")}, false, 'viewer', now()
      FROM generate_series(1, 3) i`
  ]
}

const shareLarge = `INSERT INTO grants (organization_id, id, object_kind, object_id, org_wide, role, created_at)
  SELECT 'org_large', ${id("mag", "'large0'", "i")}, 'marketplace', ${id("mkt", "'large0'", "i")}, true, 'viewer', now()
  FROM generate_series(1, 100) i`

const member = (organization: string, of: string): Member => ({
  kind: "member",
  organizationId: organization as Id<"org">,
  principal: { kind: "session", sessionId: null, userId: "usr_x", membershipId: of as Id<"om"> },
  isAdmin: false,
  isOwner: false,
  permissions: new Set(),
  provisional: false,
  plan: "enterprise",
  request: {} as never
})

/** The statement that a repo makes, before it maps its rows. */
const statementOf = (sql: Sql, make: (sql: Sql) => unknown): Statement<object> => {
  let last: Statement<object> | undefined
  make(
    new Proxy(sql, {
      apply: (target, self, args) => (last = Reflect.apply(target as never, self, args) as Statement<object>)
    })
  )
  if (last === undefined) throw new Error("No statement was made.")
  return last
}

interface Plan {
  readonly Plan: { readonly "Shared Hit Blocks": number; readonly "Shared Read Blocks": number }
  readonly "Execution Time": number
  readonly "Planning Time": number
}

const measure = (sql: Sql, name: string, make: (sql: Sql) => unknown) =>
  Effect.gen(function* () {
    const statement = statementOf(sql, make)
    const [text, parameters] = statement.compile()
    const rows = yield* statement
    const times: Array<number> = []
    const count = name.startsWith("large") ? 20 : runs
    for (let index = 0; index < count; index++) {
      const began = performance.now()
      yield* statementOf(sql, make)
      times.push(performance.now() - began)
    }
    times.sort((a, b) => a - b)
    const [plan] = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<Plan> }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      parameters
    )
    const told = plan?.["QUERY PLAN"][0]
    if (process.argv.includes("--plans")) {
      const lines = yield* sql.unsafe<{ "QUERY PLAN": string }>(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, parameters)
      console.log(`\n${name}\n${lines.map((line) => line["QUERY PLAN"]).join("\n")}\n`)
    }
    process.stderr.write(`${name}: ${(times[times.length >> 1] ?? 0).toFixed(2)} ms\n`)
    const at = (part: number) => (times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(2)
    return {
      name,
      rows: rows.length,
      "median ms": at(0.5),
      "p95 ms": at(0.95),
      "planning ms": told?.["Planning Time"].toFixed(2),
      "execution ms": told?.["Execution Time"].toFixed(2),
      blocks: (told?.Plan["Shared Hit Blocks"] ?? 0) + (told?.Plan["Shared Read Blocks"] ?? 0)
    }
  })

const questions = (
  organization: string,
  of: string,
  who: string
): ReadonlyArray<readonly [string, (sql: Sql) => unknown]> => {
  const caller = member(organization, who)
  const pad = (prefix: string, number: number) => `${prefix}_${of}${String(number).padStart(7, "0")}`
  return [
    ["page of 50 plugins", (sql) => plugins.list(sql, caller, {}, null, 51)],
    ["page of 50 objects", (sql) => objects.list(sql, caller, {}, null, 51)],
    ["library page of 50", (sql) => library.library(sql, caller, undefined, null, 51)],
    ["level on a plugin", (sql) => plugins.level(sql, caller, pad("plg", 2) as Id<"plg">)],
    ["level on an object", (sql) => objects.level(sql, caller, pad("cob", 2) as Id<"cob">)],
    ["explain a plugin", (sql) => explain.object(sql, caller, caller, "plugin", pad("plg", 2))],
    ["explain an object", (sql) => explain.object(sql, caller, caller, "configObject", pad("cob", 2))]
  ]
}

const main = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* migrate(migrations)
  yield* sql`SET statement_timeout = 0`.pipe(Effect.ignore)
  const each = (statements: ReadonlyArray<string>) =>
    Effect.forEach(
      statements,
      (text) => Effect.andThen(sql`SET LOCAL statement_timeout = 0`, sql.unsafe(text)).pipe(sql.withTransaction),
      { discard: true }
    )
  const analyze = sql.unsafe("ANALYZE")
  const tables: Array<Record<string, unknown>> = []
  const ask = (label: string, organization: string, of: string, who: string) =>
    Effect.forEach(questions(organization, of, who), ([name, make]) =>
      Effect.map(measure(sql, label.startsWith("large") ? `large: ${name}` : name, make), (row) => {
        tables.push({ data: label, ...row })
      })
    )

  let filled = 0
  for (const step of steps) {
    yield* each(fill(filled + 1, step))
    filled = step
    yield* analyze
    process.stderr.write(`${step} organizations after ${Math.round(performance.now() / 1000)} s\n`)
    const [count] = yield* sql<{ count: number }>`SELECT count(*) AS count FROM grants`
    const of = "000007"
    yield* ask(`${count?.count} grants`, `org_${of}`, of, `om_${of}0000005`)
    tables.push({
      data: `${count?.count} grants`,
      ...(yield* measure(sql, "impact of a team's grant", (sql) =>
        impact.losses(sql, `org_${of}` as Id<"org">, {
          id: `pag_${of}0000905`,
          kind: "marketplace",
          objectId: `mkt_${of}0000006`,
          objectName: "Marketplace"
        })
      ))
    })
  }

  yield* each(fillLarge())
  yield* analyze
  process.stderr.write(`the large organization after ${Math.round(performance.now() / 1000)} s\n`)
  yield* ask("large, three grants", "org_large", "large0", "om_large00000001")
  yield* each([shareLarge])
  yield* analyze
  yield* ask("large, all shared", "org_large", "large0", "om_large00000002")
  tables.push({
    data: "large, all shared",
    ...(yield* measure(sql, "large: impact of a grant to all", (sql) =>
      impact.losses(sql, "org_large" as Id<"org">, {
        id: "mag_large00000007",
        kind: "marketplace",
        objectId: "mkt_large00000007",
        objectName: "Marketplace"
      })
    ))
  })
  console.table(tables)
})

const server = await startPostgres({ settings: { shared_buffers: "512MB", work_mem: "16MB", max_wal_size: "4GB" } })
try {
  await Effect.runPromise(Effect.provide(main, layerPostgres({ url: server.url, statementMillisMax: 0 })))
} finally {
  await server.stop()
}
