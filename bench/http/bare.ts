/** A minimal Node server: `node:http`, manual routing, pipelined statements, no `Date` objects. */
import { createServer, type ServerResponse } from "node:http"
import pg from "pg"
import {
  databaseUrl,
  isSeen,
  makePrincipals,
  type MappingRow,
  mappingsText,
  pageToWire,
  pluginIdPattern,
  type PluginRow,
  pluginText,
  pluginToWire,
  port,
  type Query,
  targetIdPattern
} from "./peer.ts"
import { type EventBody, insertText, typeNames, valuesOf } from "./peer-ingest.ts"

pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text: string) => text)

const clients = await Promise.all(
  [0, 1, 2].map(async () => {
    const client = new pg.Client({ connectionString: databaseUrl, pipeline: true })
    await client.connect()
    return client
  })
)
let turn = 0
const query: Query = async (name, text, values) => {
  turn = (turn + 1) % clients.length
  const { rows } = await (clients[turn] as pg.Client).query({ name, text, values: [...values] })
  return rows
}
const principalOf = makePrincipals(query)

/** `2026-01-31 12:00:00.123456+00` as `2026-01-31T12:00:00.123Z`. */
const iso = (text: string): string => {
  const fraction = text.indexOf(".")
  const millis =
    fraction === -1
      ? "000"
      : text
          .slice(fraction + 1, -3)
          .padEnd(3, "0")
          .slice(0, 3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${millis}Z`
}

const send = (response: ServerResponse, status: number, body: unknown) => {
  const text = JSON.stringify(body)
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  response.end(text)
}

const isPluginId = new RegExp(pluginIdPattern)
const isTargetId = new RegExp(targetIdPattern)

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const knownTypes = new Set(typeNames)
const isEvent = (event: EventBody) =>
  knownTypes.has(event.type) &&
  isTime.test(event.timestamp) &&
  (event.source === "app" || event.source === "worker") &&
  (event.sessionId === undefined || (typeof event.sessionId === "string" && event.sessionId.length <= 128)) &&
  (event.durationMs === undefined || Number.isInteger(event.durationMs)) &&
  (event.success === undefined || typeof event.success === "boolean") &&
  (event.dimensions === undefined || Array.isArray(event.dimensions))

const ingest = async (body: string, authorization: string | undefined, response: ServerResponse) => {
  const remembered = principalOf(authorization)
  const principal = remembered instanceof Promise ? await remembered : remembered
  if (principal === undefined) return send(response, 401, { error: "unauthorized" })
  const { events } = JSON.parse(body) as { readonly events: ReadonlyArray<EventBody> }
  if (!Array.isArray(events) || events.length === 0 || events.length > 50 || !events.every(isEvent)) {
    return send(response, 400, { error: "invalid_request" })
  }
  await query("ingest", insertText, valuesOf(principal, events))
  response.writeHead(204)
  response.end()
}

const serve = async (url: string, authorization: string | undefined, response: ServerResponse) => {
  if (url === "/v1/health") return send(response, 200, { status: "ok" })
  const remembered = principalOf(authorization)
  const principal = remembered instanceof Promise ? await remembered : remembered
  if (principal === undefined) return send(response, 401, { error: "unauthorized" })
  if (url.startsWith("/v1/plugins/")) {
    const id = url.slice("/v1/plugins/".length)
    if (!isPluginId.test(id)) return send(response, 400, { error: "invalid_request" })
    if (!principal.permissions.has("plugins:read")) return send(response, 403, { error: "forbidden" })
    const values = [principal.organizationId, id, principal.membershipId]
    const [row] = await query<PluginRow<string>>("plugin", pluginText, values)
    if (!isSeen(row)) return send(response, 404, { error: "plugin_not_found" })
    return send(response, 200, pluginToWire(row, iso))
  }
  const question = url.indexOf("?")
  const path = question === -1 ? url : url.slice(0, question)
  if (path.startsWith("/v1/connector-targets/") && path.endsWith("/mappings")) {
    const id = path.slice("/v1/connector-targets/".length, -"/mappings".length)
    const search = new URLSearchParams(question === -1 ? "" : url.slice(question + 1))
    const limit = Number(search.get("limit") ?? 50)
    if (!isTargetId.test(id) || !Number.isInteger(limit) || limit < 1 || limit > 100) {
      return send(response, 400, { error: "invalid_request" })
    }
    if (!principal.permissions.has("connectors:read")) return send(response, 403, { error: "forbidden" })
    const cursor = search.get("cursor")
    const after = cursor === null ? null : Buffer.from(cursor, "base64url").toString()
    const values = [principal.organizationId, id, principal.membershipId, after, limit + 1]
    const rows = await query<MappingRow<string>>("mappings", mappingsText, values)
    return send(response, 200, pageToWire(rows, limit, iso))
  }
  return send(response, 404, { error: "route_not_found" })
}

createServer((request, response) => {
  if (request.method === "POST" && request.url === "/v1/telemetry/ingest") {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      ingest(body, request.headers.authorization, response).catch(() =>
        send(response, 500, { error: "internal_error" })
      )
    })
    return
  }
  serve(request.url ?? "/", request.headers.authorization, response).catch(() =>
    send(response, 500, { error: "internal_error" })
  )
}).listen(port, "127.0.0.1")
