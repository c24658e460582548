/** SCIM directories: lookups among many users, eight thousand members in one request, and initial provisioning. */
import { createHash } from "node:crypto"
import pg from "pg"
import { makeToken } from "../packages/server/src/infra/crypto/tokens.ts"
import {
  type Candidate,
  cpuMicros,
  median,
  migrated,
  openDatabase,
  type Running,
  say,
  startCandidate
} from "./harness.ts"
import { load } from "./load.ts"

export interface ScimOptions {
  readonly users: number
  readonly groups: number
  /** Number of users in the small directory that the large one is compared with. */
  readonly few: number
  /** Requests of each kind. */
  readonly asks: number
  /** Members that one PATCH adds. */
  readonly members: number
  /** Users provisioned one by one. */
  readonly provisioned: number
  /** Users created before the measurement. */
  readonly warm: number
  /** Concurrent connections that provision users. */
  readonly connections: number
  /** Number of rounds in which the candidates alternate. */
  readonly rounds: number
}

const numbered = (prefix: string, n: number) => `${prefix}_01k5qdz${String(n).padStart(19, "0")}`
const setOf = (prefix: string, offset: number) => `'${prefix}_01k5qdz' || lpad((i + ${offset})::text, 19, '0')`
const one = (value: number) => value.toFixed(1)
const two = (value: number) => value.toFixed(2)

const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User"
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp"

const enterpriseSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group"

/** SQL for user `i` as the service stores it, original or case-folded. Equivalent to `aUser`. */
const userSql = (person: string, number: string, title: string, department: string, place: number) => {
  const address = `'${person}-' || i || '@directory-${place}.test'`
  return `jsonb_build_object('schemas', jsonb_build_array('${userSchema}', '${enterpriseSchema}'), 'userName', ${address},
    'externalId', 'external-' || i, 'displayName', '${person} ' || i, 'title', '${title}', 'active', true,
    'name', jsonb_build_object('givenName', '${person}', 'familyName', '${number} ' || i),
    'emails', jsonb_build_array(jsonb_build_object('value', ${address}, 'type', 'work', 'primary', true)),
    '${enterpriseSchema}', jsonb_build_object('employeeNumber', i::text, 'department', '${department}'))`
}
const groupSql = (group: string) =>
  `jsonb_build_object('schemas', jsonb_build_array('${groupSchema}'), 'displayName', '${group} ' || i,
    'externalId', 'group-' || i)`

interface Directory {
  readonly organization: string
  readonly directory: string
  readonly token: string
  readonly offset: number
}

const makeDirectory = async (client: pg.Client, place: number): Promise<Directory> => {
  const token = makeToken("opd")
  const [organization, directory] = [numbered("org", 500_000 + place), numbered("scd", place)]
  await client.query(
    "INSERT INTO organizations (id, name, plan, created_at, updated_at) VALUES ($1, $1, 'enterprise', now(), now())",
    [organization]
  )
  await client.query(
    `INSERT INTO domains (organization_id, id, domain, status, token, verified_at, created_at, updated_at)
     VALUES ($1, $2, $3, 'verified', 'token', now(), now(), now())`,
    [organization, numbered("dom", place), `directory-${place}.test`]
  )
  await client.query(
    `INSERT INTO scim_directories (organization_id, id, name, provider, created_at, updated_at)
     VALUES ($1, $2, 'A directory', 'other', now(), now())`,
    [organization, directory]
  )
  await client.query(
    `INSERT INTO scim_tokens (organization_id, id, directory_id, token_digest, created_at)
     VALUES ($1, $2, $3, $4, now())`,
    [organization, numbered("sct", place), directory, createHash("sha256").update(token).digest()]
  )
  return { organization, directory, token, offset: place * 1_000_000 }
}

/** Creates a directory with all its users and groups. */
const fill = async (client: pg.Client, place: number, users: number, groups: number): Promise<Directory> => {
  const newDirectory = await makeDirectory(client, place)
  const { directory, offset, organization } = newDirectory
  await client.query(
    `INSERT INTO users (id, email, email_verified, name, created_at, updated_at)
     SELECT ${setOf("usr", offset)}, 'person-' || i || '@directory-${place}.test', true, 'Person ' || i, now(), now()
     FROM generate_series(1, $1::int) i`,
    [users]
  )
  await client.query(
    `INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
     SELECT $1, ${setOf("om", offset)}, ${setOf("usr", offset)}, 'member', now(), now()
     FROM generate_series(1, $2::int) i`,
    [organization, users]
  )
  await client.query(
    `INSERT INTO scim_users (organization_id, id, directory_id, user_name, external_id, active, resource_json,
       folded_json, user_id, membership_id, created_at, updated_at)
     SELECT $1, ${setOf("scu", offset)}, $2, 'person-' || i || '@directory-${place}.test', 'external-' || i, true,
       ${userSql("Person", "Number", "Engineer", "Platform", place)}, ${userSql("person", "number", "engineer", "platform", place)},
       ${setOf("usr", offset)}, ${setOf("om", offset)}, now(), now()
     FROM generate_series(1, $3::int) i`,
    [organization, directory, users]
  )
  await client.query(
    `INSERT INTO teams (organization_id, id, name, created_at, updated_at)
     SELECT $1, ${setOf("tem", offset)}, 'Group ' || i, now(), now() FROM generate_series(1, $2::int) i`,
    [organization, groups]
  )
  await client.query(
    `INSERT INTO scim_groups (organization_id, id, directory_id, display_name, external_id, resource_json, folded_json,
       created_at, updated_at)
     SELECT $1, ${setOf("tem", offset)}, $2, 'group ' || i, 'group-' || i, ${groupSql("Group")}, ${groupSql("group")},
       now(), now()
     FROM generate_series(1, $3::int) i`,
    [organization, directory, groups]
  )
  return newDirectory
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
/** The rate limit of a directory is 50 requests per second. */
const spacingMillis = 25

const ask = async (port: number, { token }: Directory, method: string, path: string, body?: unknown) => {
  const response = await fetch(`http://127.0.0.1:${port}/v1/scim/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
  return text
}

const filters: Readonly<Record<string, (place: number, n: number) => string>> = {
  "userName eq": (place, n) =>
    `/Users?filter=${encodeURIComponent(`userName eq "Person-${n}@directory-${place}.test"`)}`,
  "externalId eq": (_, n) => `/Users?filter=${encodeURIComponent(`externalId eq "external-${n}"`)}`
}

/** Measures lookups by filter in a small and a large directory. */
const lookups = async (server: Running, client: pg.Client, options: ScimOptions) => {
  say(`Filling directories of ${options.few} and ${options.users} users.`)
  const few = { place: 1, users: options.few, directory: await fill(client, 1, options.few, 50) }
  const many = { place: 2, users: options.users, directory: await fill(client, 2, options.users, options.groups) }
  await client.query("VACUUM ANALYZE")
  const lines: Array<string> = []
  for (const [name, path] of Object.entries(filters)) {
    const measured = new Map(
      [few, many].map((kind) => [kind, { millis: [] as Array<number>, cpu: [] as Array<number> }])
    )
    const runs = Math.max(1, Math.floor(options.asks / options.rounds))
    for (let round = -1; round < options.rounds; round += 1) {
      for (const [kind, { cpu, millis }] of measured) {
        const before = cpuMicros(server.pid)
        for (let index = 0; index < runs; index += 1) {
          const n = 1 + ((index * 7919 + (round + 1) * 104_729) % kind.users)
          const began = performance.now()
          const text = await ask(server.port, kind.directory, "GET", path(kind.place, n))
          const took = performance.now() - began
          if (!/"totalResults":\s*1\b/.test(text)) throw new Error(`Expected exactly one result: ${text.slice(0, 300)}`)
          // The first round is a warm-up.
          if (round >= 0) millis.push(took)
          await pause(Math.max(0, spacingMillis - took))
        }
        if (round >= 0) cpu.push((cpuMicros(server.pid) - before) / runs)
      }
    }
    const [small, large] = [measured.get(few), measured.get(many)]
    if (small === undefined || large === undefined) continue
    say(`${name}: measured.`)
    lines.push(
      `| ${name} | ${two(median(small.millis))} | ${two(median(large.millis))} | ${two(median(large.millis) / median(small.millis))} | ${two(median(large.cpu) / median(small.cpu))} |`
    )
  }
  const table = [
    `| filter, ms p50 | ${few.users} users | ${many.users} users, ${options.groups} groups | many / few, ms | CPU |`,
    "|---|---:|---:|---:|---:|",
    ...lines
  ].join("\n")
  return { table, many: many.directory }
}

/** Adds and removes all members of a group in one request, compared with handwritten inserts of the same rows. */
const membersOfAGroup = async (server: Running, client: pg.Client, many: Directory, options: ScimOptions) => {
  const values = Array.from({ length: options.members }, (_, i) => ({ value: numbered("scu", many.offset + i + 1) }))
  const patch = (op: string) => ({ schemas: [patchSchema], Operations: [{ op, path: "members", value: values }] })
  const times = { add: [] as Array<number>, remove: [] as Array<number>, bare: [] as Array<number> }
  const bytes = Buffer.byteLength(JSON.stringify(patch("add")))
  for (let round = 0; round < options.rounds; round += 1) {
    const group = numbered("tem", many.offset + 1 + round)
    const look = `/Groups/${group}?excludedAttributes=members`
    await ask(server.port, many, "GET", look)
    for (const op of ["add", "remove"] as const) {
      const began = performance.now()
      await ask(server.port, many, "PATCH", look, patch(op))
      times[op].push(performance.now() - began)
      const { rows } = await client.query<{ n: number }>(
        "SELECT count(*)::int AS n FROM team_members WHERE organization_id = $1 AND team_id = $2",
        [many.organization, group]
      )
      if (rows[0]?.n !== (op === "add" ? options.members : 0))
        throw new Error(`Unexpected number of members after ${op}: ${String(rows[0]?.n)}`)
    }
    const other = numbered("tem", many.offset + 1 + options.rounds + round)
    const began = performance.now()
    await client.query("BEGIN")
    await client.query(
      `INSERT INTO scim_group_members (organization_id, group_id, scim_user_id)
       SELECT $1, $2, unnest($3::text[])`,
      [many.organization, other, values.map(({ value }) => value)]
    )
    await client.query(
      `INSERT INTO team_members (organization_id, team_id, membership_id)
       SELECT $1, $2, membership_id FROM scim_users WHERE organization_id = $1 AND id = ANY ($3::text[])`,
      [many.organization, other, values.map(({ value }) => value)]
    )
    await client.query("COMMIT")
    times.bare.push(performance.now() - began)
  }
  return [
    `| ${options.members} members, one request of ${(bytes / 1024).toFixed(0)} KiB | ms, p50 |`,
    "|---|---:|",
    `| PATCH add | ${one(median(times.add))} |`,
    `| PATCH remove | ${one(median(times.remove))} |`,
    `| the same rows added by two handwritten statements | ${one(median(times.bare))} |`
  ].join("\n")
}

const aUser = (place: number, n: number) => ({
  schemas: [userSchema, enterpriseSchema],
  userName: `Newcomer-${n}@directory-${place}.test`,
  externalId: `newcomer-${n}`,
  displayName: `Newcomer ${n}`,
  name: { givenName: "Newcomer", familyName: `Number ${n}` },
  title: "Engineer",
  active: true,
  emails: [{ value: `Newcomer-${n}@directory-${place}.test`, type: "work", primary: true }],
  [enterpriseSchema]: { employeeNumber: String(n), department: "Platform" }
})

const candidates: ReadonlyArray<Candidate> = [
  { name: "bare", file: new URL("bare-scim.ts", import.meta.url) },
  { name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) }
]
/** Enough directories that none of them exceeds its rate limit. */
const directories = 200

interface Provisioned {
  readonly perSecond: number
  readonly cpu: number
}

/** Provisions users one by one, in a separate database for each candidate and round. */
const provision = async (
  database: Awaited<ReturnType<typeof openDatabase>>,
  candidate: Candidate,
  round: number,
  { connections, provisioned, warm }: ScimOptions
): Promise<Provisioned> => {
  const url = await migrated(await database.createDatabase(`provision_${candidate.name}_${round}`))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const server = await startCandidate(candidate, url)
  try {
    const newDirectories: Array<Directory> = []
    for (let place = 1; place <= directories; place += 1) newDirectories.push(await makeDirectory(client, place))
    // Only filled tables are analyzed: a prepared statement would keep a plan made for an empty table.
    await client.query("ANALYZE organizations, domains, scim_directories, scim_tokens")
    // Each load can send one request more per connection than its maximum.
    const requests = Array.from({ length: provisioned + warm + 2 * connections }, (_, n) => {
      const place = 1 + (n % directories)
      const body = JSON.stringify(aUser(place, n))
      return Buffer.from(
        `POST /v1/scim/v2/Users HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${newDirectories[place - 1]?.token ?? ""}\r\ncontent-type: application/scim+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
      )
    })
    let turn = 0
    const next = () => requests[turn++] ?? Buffer.alloc(0)
    await load({ port: server.port, connections, seconds: 600, requestsMax: warm, next })
    const before = cpuMicros(server.pid)
    const { requests: done, seconds } = await load({
      port: server.port,
      connections,
      seconds: 600,
      requestsMax: provisioned - connections,
      next
    })
    const cpu = (cpuMicros(server.pid) - before) / done
    const { rows } = await client.query<{ n: number }>("SELECT count(*)::int AS n FROM scim_users")
    if ((rows[0]?.n ?? 0) < warm + done) throw new Error(`${candidate.name} stored only ${String(rows[0]?.n)} users.`)
    return { perSecond: done / seconds, cpu }
  } finally {
    await server.stop()
    await client.end()
  }
}

const provisioning = async (database: Awaited<ReturnType<typeof openDatabase>>, options: ScimOptions) => {
  const results = new Map(candidates.map(({ name }) => [name, [] as Array<Provisioned>]))
  for (let round = 0; round < options.rounds; round += 1) {
    for (const candidate of candidates) {
      const figure = await provision(database, candidate, round, options)
      results.get(candidate.name)?.push(figure)
      say(`${candidate.name}: ${figure.perSecond.toFixed(0)} users per second.`)
    }
  }
  const of = (name: string) => {
    const figures = results.get(name) ?? []
    return { perSecond: median(figures.map((one) => one.perSecond)), cpu: median(figures.map((one) => one.cpu)) }
  }
  const [bare, own] = [of("bare"), of("orgplane")]
  return [
    `| ${options.provisioned} users, one request each | bare prepared inserts | orgplane | orgplane / bare |`,
    "|---|---:|---:|---:|",
    `| users per second | ${bare.perSecond.toFixed(0)} | ${own.perSecond.toFixed(0)} | ${two(own.perSecond / bare.perSecond)} (floor 0.3) |`,
    `| CPU µs of the server per user | ${bare.cpu.toFixed(0)} | ${own.cpu.toFixed(0)} | ${two(bare.cpu / own.cpu)} |`
  ].join("\n")
}

export const scimBench = async (options: ScimOptions): Promise<string> => {
  const database = await openDatabase()
  try {
    const url = await database.createDatabase("scim")
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const server = await startCandidate({ name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) }, url)
    const tables: Array<string> = []
    try {
      const { many, table } = await lookups(server, client, options)
      tables.push(table)
      tables.push(await membersOfAGroup(server, client, many, options))
    } finally {
      await server.stop()
      await client.end()
    }
    tables.push(await provisioning(database, options))
    return tables.join("\n\n")
  } finally {
    await database.stop()
  }
}
