/**
 * Measures the impact of one request on all others: the latency of health checks during the most expensive allowed
 * bodies.
 */
import * as Auth from "@orgplane/schema/shared/auth"
import { OrgplaneApi } from "@orgplane/schema/api"
import * as Context from "effect/Context"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Worker } from "node:worker_threads"
import { fills, type JsonSchema, makeBodies } from "./cost-bodies.ts"
import { openDatabase, say, startCandidate } from "./harness.ts"

export interface CostOptions {
  /** Only operations whose name begins with this text. */
  readonly only: string | undefined
  /** Maximum latency of a health check in milliseconds. */
  readonly stallMax: number
}

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<{ readonly name: string; readonly schema: JsonSchema }>
  readonly body: { readonly contentType: string; readonly schema: JsonSchema } | undefined
  readonly bodyBytesMax: number
}

interface Try {
  readonly operation: string
  readonly what: string
  readonly url: string
  readonly method: string
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
      return [
        {
          name,
          method: method.toUpperCase(),
          path,
          query: (Array.isArray(parameters) ? parameters : []).flatMap((one: unknown) => {
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

/** A well-formed id that does not exist; decoding the request costs the same. */
const pathOf = (path: string, ids: ReadonlyMap<string, string>) =>
  path.replace(/\{([^}]+)\}/gu, (_, name: string) => ids.get(name) ?? `${name.slice(0, 3)}_01h455vb4pex5vsknk084sn02q`)

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const encoded = (contentType: string, value: unknown): string =>
  contentType === "application/x-www-form-urlencoded" && isObject(value)
    ? new URLSearchParams(Object.entries(value).map(([name, one]) => [name, textOf(one)])).toString()
    : JSON.stringify(value)

/** Shortens a body that has too many bytes. */
const withinBytes = (make: (characters: number) => string, bytesMax: number): string => {
  for (let characters = bytesMax; ; characters = Math.floor(characters / 2)) {
    const text = make(characters)
    if (Buffer.byteLength(text) <= bytesMax || characters < 64) return text
  }
}

const triesOf = (operation: Operation, ids: ReadonlyMap<string, string>): ReadonlyArray<Try> => {
  const make = makeBodies(resolve)
  const { body, bodyBytesMax, method, name } = operation
  const path = pathOf(operation.path, ids)
  const base = { operation: name, method, url: path, contentType: body?.contentType, body: undefined }
  const tries: Array<Try> = [{ ...base, what: "nothing" }]
  for (const [what, fill] of fills) {
    if (operation.query.length > 0) {
      const query = new URLSearchParams(
        operation.query.map(({ name, schema }) => [
          name,
          textOf(make(schema, { fill, characters: Math.floor(1200 / operation.query.length), isOver: false }))
        ])
      )
      tries.push({ ...base, what: `query of ${what}`, url: `${path}?${query}` })
    }
    if (body === undefined) continue
    for (const isOver of [false, true]) {
      const text = withinBytes(
        (characters) => encoded(body.contentType, make(body.schema, { fill, characters, isOver })),
        bodyBytesMax
      )
      tries.push({ ...base, what: `${isOver ? "nearly valid " : ""}body of ${what}`, body: text })
    }
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
      tries.push({ ...base, what, body: text })
    }
  }
  return tries
}

const idsIn = (value: unknown, ids: Map<string, string>): void => {
  if (Array.isArray(value)) for (const one of value.slice(0, 3)) idsIn(one, ids)
  else if (isObject(value)) {
    for (const [name, one] of Object.entries(value)) {
      if (name.endsWith("Id") && typeof one === "string" && !ids.has(name)) ids.set(name, one)
      idsIn(one, ids)
    }
  }
}

/** Sends every body during health checks, slow ones twice more: the fastest of three counts. */
export const costBench = async ({ only, stallMax }: CostOptions): Promise<string> => {
  const database = await openDatabase()
  const server = await startCandidate(
    { name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) },
    database.url,
    [],
    { ORGPLANE_BOOTSTRAP: "open" }
  )
  try {
    const baseUrl = `http://127.0.0.1:${server.port}`
    const bootstrapped = await fetch(`${baseUrl}/v1/bootstrap/workspace`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ workspaceName: "Cost" })
    })
    const made: unknown = await bootstrapped.json()
    const token = String(member(made, "session", "token"))
    const ids = new Map<string, string>()
    idsIn(made, ids)
    const send = async (one: Pick<Try, "body" | "contentType" | "method" | "url">): Promise<number> => {
      for (;;) {
        const response = await fetch(`${baseUrl}${one.url}`, {
          method: one.method,
          redirect: "manual",
          headers: {
            authorization: `Bearer ${token}`,
            ...(one.contentType === undefined ? {} : { "content-type": one.contentType })
          },
          ...(one.body === undefined ? {} : { body: one.body })
        })
        await response.arrayBuffer()
        if (response.status !== 429) return response.status
        const seconds = Math.min(60, Number(response.headers.get("retry-after") ?? "1"))
        if (seconds > 60 || one.url.includes("/bootstrap/")) return response.status
        await new Promise((resume) => setTimeout(resume, seconds * 1000))
      }
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
    // These would end the session or the workspace, or block the thread.
    const skipped = new Set(["sessions.signOut", "sessions.revoke", "organizations.remove", "system.events"])
    const worst = new Map<string, { millis: number; what: string; status: number }>()
    let sent = 0
    for (const operation of operationsOf(only).filter(({ name }) => !skipped.has(name))) {
      for (const one of triesOf(operation, ids)) {
        let millis = Number.POSITIVE_INFINITY
        let status = 0
        for (let time = 0; time < 3 && millis > stallMax / 2; time += 1) {
          await stall()
          const answered = await send(one).catch((cause: unknown) => {
            throw new Error(`${one.operation} with ${one.what} got no response.`, { cause })
          })
          status = answered
          millis = Math.min(millis, await stall())
          sent += 1
        }
        const known = worst.get(one.operation)
        if (known === undefined || known.millis < millis) {
          worst.set(one.operation, { millis, what: one.what, status })
        }
        if (millis > stallMax) say(`${one.operation}: ${one.what}: ${millis.toFixed(0)} ms (${status})`)
      }
    }
    await worker.terminate()
    const rows = [...worst].toSorted(([, a], [, b]) => b.millis - a.millis)
    const slow = rows.filter(([, { millis }]) => millis > stallMax)
    if (slow.length > 0) process.exitCode = 1
    return [
      `${sent} requests to ${worst.size} operations; health checks took more than ${stallMax} ms during ${slow.length} of them.`,
      "",
      "| Operation | Slowest health check, ms | During | Status |",
      "|---|---|---|---|",
      ...rows.slice(0, 40).map(([name, one]) => `| ${name} | ${one.millis.toFixed(0)} | ${one.what} | ${one.status} |`)
    ].join("\n")
  } finally {
    await server.stop()
    await database.stop()
  }
}
