/** What one request costs everybody else: how long health waits beside bodies that are as expensive as they may be. */
import * as Auth from "@orgplane/schema/shared/auth"
import { OrgplaneApi } from "@orgplane/schema/api"
import * as Context from "effect/Context"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Worker } from "node:worker_threads"
import pg from "pg"
import { fills, idOf, type JsonSchema, makeBodies, prefixOf, randomOf } from "./cost-bodies.ts"
import { openDatabase, say, startCandidate } from "./harness.ts"

export interface CostOptions {
  /** Only operations whose name begins so. */
  readonly only: string | undefined
  /** Milliseconds that health may wait. */
  readonly stallMax: number
  /** Of the random bodies. */
  readonly seed: number
  /** After so many, what is left of the tries is not sent; each operation had as many of them as the others. */
  readonly minutes: number
}

type Credential = "none" | "person" | "scim" | "worker"

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  /** Prefixes of the ids in the path, by name. */
  readonly prefixes: ReadonlyMap<string, string>
  readonly credential: Credential
  readonly query: ReadonlyArray<{ readonly name: string; readonly schema: JsonSchema }>
  readonly body: { readonly contentType: string; readonly schema: JsonSchema } | undefined
  readonly bodyBytesMax: number
}

interface Try {
  readonly what: string
  readonly url: string
  readonly contentType: string | undefined
  readonly body: string | undefined
}

const isObject = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null
const member = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)

const document: unknown = JSON.parse(readFileSync(new URL("../docs/openapi.json", import.meta.url), "utf8"))

const bodyBytesOf = (): ReadonlyMap<string, number> => {
  const known = new Map<string, number>()
  for (const group of Object.values(OrgplaneApi.groups)) {
    for (const endpoint of Object.values(group.endpoints)) {
      const bytes = Context.getOrUndefined(endpoint.annotations, Auth.BodyBytesMax)
      if (bytes !== undefined) known.set(`${group.identifier}.${endpoint.identifier}`, bytes)
    }
  }
  return known
}

const operationsOf = (only: string | undefined): ReadonlyArray<Operation> => {
  const bytes = bodyBytesOf()
  const paths = member(document, "paths")
  return Object.entries(isObject(paths) ? paths : {}).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).flatMap(([method, operation]) => {
      const name = String(member(operation, "operationId"))
      if (only !== undefined && !name.startsWith(only)) return []
      const content = member(operation, "requestBody", "content")
      const [body] = Object.entries(isObject(content) ? content : {})
      const schema = member(body?.[1], "schema")
      const parameters = member(operation, "parameters")
      const named: ReadonlyArray<unknown> = Array.isArray(parameters) ? parameters : []
      const security = JSON.stringify(member(operation, "security") ?? [])
      return [
        {
          name,
          method: method.toUpperCase(),
          path,
          prefixes: new Map(
            named.flatMap((one) => {
              const schema = member(one, "schema")
              const reference = member(schema, "$ref")
              const resolved =
                typeof reference === "string" ? resolve(reference) : isObject(schema) ? schema : undefined
              const name = String(member(one, "name"))
              const prefix = prefixOf(resolved) ?? prefixesOfNames.get(name)
              return member(one, "in") === "path" && prefix !== undefined ? [[name, prefix] as const] : []
            })
          ),
          credential: security.includes("session")
            ? "person"
            : security.includes("scim")
              ? "scim"
              : security.includes("worker")
                ? "worker"
                : "none",
          query: named.flatMap((one: unknown) => {
            const schema = member(one, "schema")
            return member(one, "in") === "query" && isObject(schema)
              ? [{ name: String(member(one, "name")), schema }]
              : []
          }),
          body: body !== undefined && isObject(schema) ? { contentType: body[0], schema } : undefined,
          bodyBytesMax: bytes.get(name) ?? 1_048_576
        }
      ]
    })
  )
}

const resolve = (reference: string): JsonSchema | undefined => {
  const found = member(document, ...reference.replace(/^#\//u, "").split("/"))
  return isObject(found) ? found : undefined
}

/** What is in a path, and is no id or an id of any kind. */
const prefixesOfNames = new Map([
  ["scimUserId", "scu"],
  ["scimGroupId", "tem"]
])
const names = new Map([
  ["suite", "unknown"],
  ["resourceType", "User"],
  ["schema", "urn:ietf:params:scim:schemas:core:2.0:User"],
  ["token", "q".repeat(4000)]
])

/** With ids that exist where any are known; what is decoded before it is looked up costs the same otherwise. */
const pathOf = ({ path, prefixes }: Operation, ids: ReadonlyMap<string, string>) =>
  path.replace(/\{([^}]+)\}/gu, (_, name: string) =>
    encodeURIComponent(names.get(name) ?? idOf(ids, prefixes.get(name) ?? name.slice(0, 3)))
  )

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const encoded = (contentType: string, value: unknown): string =>
  contentType === "application/x-www-form-urlencoded" && isObject(value)
    ? new URLSearchParams(Object.entries(value).map(([name, one]) => [name, textOf(one)])).toString()
    : JSON.stringify(value)

/** Cuts what is too long in bytes: the same body with fewer characters. */
const withinBytes = (make: (characters: number) => string, bytesMax: number): string => {
  for (let characters = bytesMax; ; characters = Math.floor(characters / 2)) {
    const text = make(characters)
    if (Buffer.byteLength(text) <= bytesMax || characters < 64) return text
  }
}

/** What a handler of a SCIM body expects besides its attributes. */
const scimBodies: Readonly<Record<string, (n: number) => unknown>> = {
  "scimProtocol.createUser": (n) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: `person-${n}@example.com`
  }),
  "scimProtocol.createGroup": (n) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
    displayName: `Group ${n}`
  })
}

const randomBodies = 6

/** In order of what they tell: one that is to succeed, hostile JSON, fills, random ones. Made when they are sent. */
function* triesOf(
  operation: Operation,
  ids: ReadonlyMap<string, string>,
  random: () => number
): Generator<Try, void, undefined> {
  const make = makeBodies(resolve, ids)
  const { body, bodyBytesMax, name } = operation
  const base = (): Try => ({
    what: "nothing",
    url: pathOf(operation, ids),
    contentType: body?.contentType,
    body: undefined
  })
  if (body !== undefined) {
    const small =
      scimBodies[name]?.(Math.floor(random() * 1e9)) ??
      make(body.schema, { fill: "a", characters: 4000, isOver: false, isSmall: true })
    yield { ...base(), what: "a small valid body", body: encoded(body.contentType, small) }
  }
  if (body !== undefined && body.contentType !== "application/x-www-form-urlencoded") {
    const room = bodyBytesMax - 100
    for (const [what, text] of [
      ["as many numbers as fit", `{"a":[${"1,".repeat(Math.floor(room / 2))}1]}`],
      ["as many objects as fit", `{"a":[${"{},".repeat(Math.floor(room / 3))}{}]}`],
      ["as deep as fits", `{"a":${"[".repeat(Math.floor(room / 2))}${"]".repeat(Math.floor(room / 2))}}`],
      ["as many members as fit", `{${'"a":1,'.repeat(Math.floor(room / 6))}"a":1}`],
      ["as many values as are allowed", `{"a":[${"{},".repeat(90_000)}{}]}`]
    ] as const) {
      yield { ...base(), what, body: text }
    }
  }
  yield base()
  yield { ...base(), what: "slashes behind the path", body: undefined, url: `${base().url}${"/".repeat(12_000)}x/` }
  const withQuery = (what: string, fill: string, chance?: () => number): Try => {
    const query = new URLSearchParams(
      operation.query.map(({ name, schema }) => [
        name,
        textOf(
          make(schema, {
            fill,
            characters: Math.floor(1200 / operation.query.length),
            isOver: false,
            ...(chance === undefined ? {} : { random: chance })
          })
        )
      ])
    )
    const one = base()
    return { ...one, what, url: `${one.url}?${query}` }
  }
  const withBody = (
    what: string,
    shape: { readonly fill: string; readonly isOver: boolean; readonly random?: () => number }
  ) => ({
    ...base(),
    what,
    body:
      body === undefined
        ? undefined
        : withinBytes(
            (characters) => encoded(body.contentType, make(body.schema, { ...shape, characters })),
            bodyBytesMax
          )
  })
  for (const [what, fill] of fills) {
    if (operation.query.length > 0) yield withQuery(`query of ${what}`, fill)
    if (body === undefined) continue
    yield withBody(`body of ${what}`, { fill, isOver: false })
    yield withBody(`nearly valid body of ${what}`, { fill, isOver: true })
  }
  for (let count = 1; count <= randomBodies; count += 1) {
    if (operation.query.length > 0) yield withQuery(`random query ${count}`, "a", random)
    if (body !== undefined) {
      const isOver = random() < 0.3
      yield withBody(`random ${isOver ? "nearly valid " : ""}body ${count}`, { fill: "a", isOver, random })
    }
  }
}

const anyId = /^([a-z]{2,4})_[0-7][0-9a-hjkmnp-tv-z]{25}$/u
/** Remembers the first id of each kind that a response holds. */
const idsIn = (value: unknown, ids: Map<string, string>): void => {
  if (typeof value === "string") {
    const prefix = anyId.exec(value)?.[1]
    if (prefix !== undefined && !ids.has(prefix)) ids.set(prefix, value)
  } else if (Array.isArray(value)) for (const one of value.slice(0, 3)) idsIn(one, ids)
  else if (isObject(value)) for (const one of Object.values(value)) idsIn(one, ids)
}

/** These end what the other operations need: they come last, in this order, with a try each that takes effect. */
const ends = ["sessions.revoke", "organizations.remove", "sessions.signOut"]
const isLast = ({ method, name }: Operation) =>
  method === "DELETE" || /\.(?:remove|revoke|archive|reject|disconnect|disable|leave|signOut)[A-Z]?/u.test(name)

/** A worker's and a directory's token, as their operations make them; the organization has the plan that all operations need. */
const prepare = async (databaseUrl: string, organizationId: string, ids: Map<string, string>) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query("UPDATE organizations SET plan = 'enterprise' WHERE id = $1", [organizationId])
    const tokens = {
      worker: `opw_${randomBytes(32).toString("base64url")}`,
      scim: `opd_${randomBytes(32).toString("base64url")}`
    }
    const digest = (token: string) => createHash("sha256").update(token).digest()
    const [directory, worker, end] = ["scd", "wrk", "01k5qdz0000000000000000001"]
    await client.query(
      `INSERT INTO scim_directories (organization_id, id, name, provider, created_at, updated_at)
       VALUES ($1, $2, 'A directory', 'other', now() - interval '2 hours', now())`,
      [organizationId, `${directory}_${end}`]
    )
    await client.query(
      `INSERT INTO scim_tokens (organization_id, id, directory_id, token_digest, made_by_owner, created_at)
       VALUES ($1, $2, $3, $4, true, now())`,
      [organizationId, `sct_${end}`, `${directory}_${end}`, digest(tokens.scim)]
    )
    await client.query(
      `INSERT INTO worker_tokens (organization_id, id, worker_id, token_digest, created_by_membership_id,
         created_by_user_id, created_at)
       SELECT organization_id, $2, $3, $4, id, user_id, now() FROM memberships WHERE organization_id = $1`,
      [organizationId, `wkt_${end}`, `${worker}_${end}`, digest(tokens.worker)]
    )
    ids.set(directory, `${directory}_${end}`).set(worker, `${worker}_${end}`)
    return tokens
  } finally {
    await client.end()
  }
}

interface Seen {
  readonly operation: Operation
  readonly tries: Generator<Try, void, undefined>
  sent: number
  millis: number
  what: string
  status: number
  statuses: Set<number>
  notBefore: number
}

/** Sends the tries beside requests for health, an operation after the other; slow ones twice more: the fastest of three counts. */
export const costBench = async ({ minutes, only, seed, stallMax }: CostOptions): Promise<string> => {
  say(`Random bodies are of seed ${seed}.`)
  const random = randomOf(seed)
  const database = await openDatabase()
  const server = await startCandidate(
    { name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) },
    database.url,
    [],
    { ORGPLANE_BOOTSTRAP: "open", ORGPLANE_TRUSTED_PROXIES: "127.0.0.1/32" }
  )
  try {
    const baseUrl = `http://127.0.0.1:${server.port}`
    const bootstrapped = await fetch(`${baseUrl}/v1/bootstrap/workspace`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ workspaceName: "Cost" })
    })
    const made: unknown = await bootstrapped.json()
    const ids = new Map<string, string>()
    idsIn(made, ids)
    const tokens = {
      ...(await prepare(database.url, ids.get("org") ?? "", ids)),
      person: String(member(made, "session", "token"))
    }
    let addresses = 0
    /** Each request comes from an address of its own, so that limits of an address do not hide what is behind them. */
    const send = async ({ credential, method }: Operation, one: Try) => {
      addresses += 1
      const response = await fetch(`${baseUrl}${one.url}`, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(30_000),
        headers: {
          "x-forwarded-for": `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`,
          ...(credential === "none" ? {} : { authorization: `Bearer ${tokens[credential]}` }),
          ...(one.contentType === undefined || one.body === undefined ? {} : { "content-type": one.contentType })
        },
        ...(one.body === undefined ? {} : { body: one.body })
      })
      if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
        await response.body?.cancel()
        return { status: response.status, retryAfter: 0 }
      }
      const text = await response.text()
      if (response.ok && text.startsWith("{") && text.length < 100_000) idsIn(JSON.parse(text), ids)
      return { status: response.status, retryAfter: Number(response.headers.get("retry-after") ?? "1") }
    }
    const worker = new Worker(new URL("health-watch.ts", import.meta.url), {
      workerData: { port: server.port, everyMillis: 5 }
    })
    await once(worker, "online")
    const stall = async (): Promise<number> => {
      const told = once(worker, "message")
      worker.postMessage("window")
      const [millis]: ReadonlyArray<unknown> = await told
      return Number(millis)
    }
    let sent = 0
    /** Whether there was a try left, and the operation took it. */
    const next = async (seen: Seen): Promise<boolean> => {
      const { done, value: one } = seen.tries.next()
      if (done === true) return false
      let millis = Number.POSITIVE_INFINITY
      let status = 0
      for (let time = 0; time < 3 && millis > stallMax / 2; time += 1) {
        await stall()
        const response = await send(seen.operation, one).catch((cause: unknown) => {
          if (cause instanceof Error && cause.name === "TimeoutError") return { status: 0, retryAfter: 0 }
          throw new Error(`${seen.operation.name} with ${one.what} got no response.`, { cause })
        })
        status = response.status
        if (status === 429) seen.notBefore = Date.now() + Math.min(60, response.retryAfter) * 1000
        millis = Math.min(millis, await stall())
        sent += 1
      }
      seen.sent += 1
      seen.statuses.add(status)
      if (millis > seen.millis) Object.assign(seen, { millis, what: one.what, status })
      if (millis > stallMax) say(`${seen.operation.name}: ${one.what}: ${millis.toFixed(0)} ms (${status})`)
      return true
    }
    const all = operationsOf(only).map((operation): Seen => ({
      operation,
      tries: triesOf(operation, ids, random),
      sent: 0,
      millis: 0,
      what: "",
      status: 0,
      statuses: new Set(),
      notBefore: 0
    }))
    const until = Date.now() + minutes * 60_000
    const last = all.filter(({ operation }) => isLast(operation) || ends.includes(operation.name))
    // What makes things comes first, so that the others find them.
    let open = all
      .filter((seen) => !last.includes(seen))
      .toSorted((a, b) => Number(b.operation.method === "POST") - Number(a.operation.method === "POST"))
    const cutOff = until - minutes * 60_000 * 0.2
    const rounds = async (some: ReadonlyArray<Seen>, end: number) => {
      open = [...some]
      while (open.length > 0 && Date.now() < end) {
        const still: Array<Seen> = []
        for (const seen of open) {
          if (Date.now() >= end && seen.sent > 0) still.push(seen)
          else if (seen.notBefore > Date.now() || (await next(seen))) still.push(seen)
        }
        if (still.every(({ notBefore }) => notBefore > Date.now())) {
          await new Promise((resume) => setTimeout(resume, 1000))
        }
        open = still
      }
      return open.length
    }
    const unfinished =
      (await rounds(open, cutOff)) +
      (await rounds(
        last.filter(({ operation }) => !ends.includes(operation.name)),
        until
      ))
    for (const name of ends) {
      const seen = last.find(({ operation }) => operation.name === name)
      if (seen !== undefined) await next(seen)
    }
    await worker.terminate()
    const rows = all.toSorted((a, b) => b.millis - a.millis)
    const slow = rows.filter(({ millis }) => millis > stallMax)
    if (slow.length > 0) process.exitCode = 1
    const reached = rows.filter(({ statuses }) => [...statuses].some((status) => status >= 200 && status < 300))
    const unreached = rows.filter((seen) => !reached.includes(seen))
    return [
      `${sent} requests to ${rows.filter((seen) => seen.sent > 0).length} of ${rows.length} operations, ${reached.length} of them with a 2xx; seed ${seed}.`,
      `Health waited more than ${stallMax} ms beside ${slow.length} operations. ${unfinished} operations had tries left when the time was up.`,
      "",
      "| Operation | Worst stall of health, ms | Beside | Status | Tries |",
      "|---|---|---|---|---|",
      ...rows.map(
        (one) => `| ${one.operation.name} | ${one.millis.toFixed(0)} | ${one.what} | ${one.status} | ${one.sent} |`
      ),
      "",
      "Operations without a 2xx, with the statuses that they returned instead:",
      "",
      ...unreached.map(
        ({ operation, statuses }) => `- ${operation.name}: ${[...statuses].toSorted((a, b) => a - b).join(", ")}`
      )
    ].join("\n")
  } finally {
    await server.stop()
    await database.stop()
  }
}
