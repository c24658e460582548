/** A minimal Node server: `node:http`, handwritten routing, pipelined statements, no `Date` objects. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { database } from "./bare-database.ts"
import { isCreateBody, isEvents } from "./bare-bodies.ts"
import { createTexts, createValues } from "./peer-create.ts"
import { insertText, valuesOf } from "./peer-ingest.ts"
import {
  type AuditRow,
  auditTexts,
  entryToWire,
  eventToWire,
  type LibraryRow,
  libraryTexts,
  type OrganizationRow,
  organizationsText,
  organizationToWire,
  type PageTexts,
  pluginsTexts,
  selectedText,
  type UserRow,
  userText,
  userToWire
} from "./peer-pages.ts"
import {
  databaseUrl,
  isSeen,
  makePrincipals,
  type MappingRow,
  mappingsText,
  mappingToWire,
  pageOf,
  pluginIdPattern,
  pluginItem,
  type PluginRow,
  pluginText,
  port,
  type Principal,
  targetIdPattern
} from "./peer.ts"

const { query, transaction } = await database(databaseUrl)
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

const sendText = (response: ServerResponse, status: number, text: string) => {
  response.writeHead(status, ["content-type", "application/json", "content-length", String(Buffer.byteLength(text))])
  response.end(text)
}
const send = (response: ServerResponse, status: number, body: unknown) =>
  sendText(response, status, JSON.stringify(body))
const fail = (response: ServerResponse, status: number, error: string) => send(response, status, { error })

const isPluginId = new RegExp(pluginIdPattern)
const isTargetId = new RegExp(targetIdPattern)

interface Page {
  readonly limit: number
  readonly after: string | null
}

const firstPage: Page = { limit: 50, after: null }
/** Undefined if the query is invalid. */
const pageOfQuery = (text: string): Page | undefined => {
  if (text === "") return firstPage
  const search = new URLSearchParams(text)
  const limit = Number(search.get("limit") ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) return undefined
  const cursor = search.get("cursor")
  return { limit, after: cursor === null ? null : Buffer.from(cursor, "base64url").toString() }
}

const mappingItem = (row: MappingRow<string>) => mappingToWire(row, iso)
const pluginOf = (row: PluginRow<string>) => pluginItem(row, iso)
const eventOf = (row: AuditRow<string>) => eventToWire(row, iso)
const idOf = (row: { readonly id: string }) => row.id

/** Runs the statement of the first page or that of later ones, which has one value more. */
const readPage = <Row>(name: string, texts: PageTexts, values: ReadonlyArray<unknown>, { after }: Page) =>
  after === null ? query<Row>(name, texts.first, values) : query<Row>(`${name}After`, texts.next, [...values, after])

const servePlugin = async (id: string, principal: Principal, response: ServerResponse) => {
  if (!isPluginId.test(id)) return fail(response, 400, "invalid_request")
  if (!principal.permissions.has("plugins:read")) return fail(response, 403, "forbidden")
  const values = [principal.organizationId, principal.membershipId, id]
  const [row] = await query<PluginRow<string>>("plugin", pluginText, values)
  if (!isSeen(row)) return fail(response, 404, "plugin_not_found")
  send(response, 200, { item: pluginOf(row) })
}

const serveMappings = async (id: string, page: Page | undefined, principal: Principal, response: ServerResponse) => {
  if (!isTargetId.test(id) || page === undefined) return fail(response, 400, "invalid_request")
  if (!principal.permissions.has("connectors:read")) return fail(response, 403, "forbidden")
  const values = [principal.organizationId, principal.membershipId, id, page.after, page.limit + 1]
  const rows = await query<MappingRow<string>>("mappings", mappingsText, values)
  send(response, 200, pageOf(rows, page.limit, mappingItem, idOf))
}

const pages: Readonly<
  Record<string, (page: Page, principal: Principal, response: ServerResponse) => Promise<void> | void>
> = {
  "/v1/plugins": async (page, { membershipId, organizationId, permissions }, response) => {
    if (!permissions.has("plugins:read")) return fail(response, 403, "forbidden")
    const values = [organizationId, membershipId, page.limit + 1]
    const rows = await readPage<PluginRow<string>>("plugins", pluginsTexts, values, page)
    send(response, 200, pageOf(rows, page.limit, pluginOf, idOf))
  },
  "/v1/me/library": async (page, { membershipId, organizationId }, response) => {
    const rows = await readPage<LibraryRow>(
      "library",
      libraryTexts,
      [organizationId, membershipId, page.limit + 1],
      page
    )
    send(response, 200, pageOf(rows, page.limit, entryToWire, idOf))
  },
  "/v1/audit-events": async (page, { organizationId, permissions }, response) => {
    if (!permissions.has("audit:read")) return fail(response, 403, "forbidden")
    const rows = await readPage<AuditRow<string>>("audit", auditTexts, [organizationId, page.limit + 1], page)
    send(response, 200, pageOf(rows, page.limit, eventOf, idOf))
  },
  "/v1/me": async (_page, { userId }, response) => {
    const [row] = await query<UserRow<string>>("user", userText, [userId])
    if (row === undefined) return fail(response, 500, "internal_error")
    send(response, 200, userToWire(row, iso))
  },
  "/v1/me/organizations": async (page, { sessionId, userId }, response) => {
    const [[session], rows] = await Promise.all([
      query<{ organization_id: string | null }>("selected", selectedText, [sessionId]),
      query<OrganizationRow<string>>("organizations", organizationsText, [userId, page.after, page.limit + 1])
    ])
    const selectedId = session?.organization_id ?? null
    const toWire = (row: OrganizationRow<string>) => organizationToWire(row, selectedId, iso)
    send(
      response,
      200,
      pageOf(rows, page.limit, toWire, (row) => row.membership_id)
    )
  }
}

const targets = "/v1/connector-targets/"
const mappingsOf = "/mappings"
const plugins = "/v1/plugins/"

const serve = async (url: string, authorization: string | undefined, response: ServerResponse) => {
  const remembered = principalOf(authorization)
  const principal = remembered instanceof Promise ? await remembered : remembered
  if (principal === undefined) return fail(response, 401, "unauthorized")
  if (url.startsWith(plugins)) return servePlugin(url.slice(plugins.length), principal, response)
  const question = url.indexOf("?")
  const path = question === -1 ? url : url.slice(0, question)
  const page = pageOfQuery(question === -1 ? "" : url.slice(question + 1))
  if (path.startsWith(targets) && path.endsWith(mappingsOf)) {
    return serveMappings(path.slice(targets.length, -mappingsOf.length), page, principal, response)
  }
  const servePage = pages[path]
  if (servePage === undefined) return fail(response, 404, "route_not_found")
  return page === undefined ? fail(response, 400, "invalid_request") : servePage(page, principal, response)
}

const ingest = async (body: unknown, principal: Principal, response: ServerResponse) => {
  if (!isEvents(body)) return fail(response, 400, "invalid_request")
  await query("ingest", insertText, valuesOf(principal, body.events))
  response.writeHead(204)
  response.end()
}

const create = async (body: unknown, principal: Principal, request: IncomingMessage, response: ServerResponse) => {
  if (!isCreateBody(body)) return fail(response, 400, "invalid_request")
  if (!principal.permissions.has("plugins:write")) return fail(response, 403, "forbidden")
  const { headers, socket } = request
  const values = createValues(principal, body, socket.remoteAddress ?? null, headers["user-agent"] ?? null)
  const row = await transaction<PluginRow<string>>(
    [
      [createTexts.scope, values.scope],
      [createTexts.plugin, values.plugin],
      [createTexts.grant, values.grant],
      [createTexts.created, values.created],
      [createTexts.audit, values.audit]
    ],
    createTexts.created
  )
  if (row === undefined) return fail(response, 500, "internal_error")
  send(response, 201, { ok: true, item: pluginOf(row) })
}

const receive = async (text: string, request: IncomingMessage, response: ServerResponse) => {
  const remembered = principalOf(request.headers.authorization)
  const principal = remembered instanceof Promise ? await remembered : remembered
  if (principal === undefined) return fail(response, 401, "unauthorized")
  const body: unknown = JSON.parse(text)
  if (request.url === "/v1/plugins") return create(body, principal, request, response)
  if (request.url === "/v1/telemetry/ingest") return ingest(body, principal, response)
  return fail(response, 404, "route_not_found")
}

const health = JSON.stringify({ status: "ok" })

createServer((request, response) => {
  const url = request.url ?? "/"
  if (url === "/v1/health") return sendText(response, 200, health)
  const failed = () => fail(response, 500, "internal_error")
  if (request.method === "GET") {
    serve(url, request.headers.authorization, response).catch(failed)
    return
  }
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (text: string) => {
    body += text
  })
  request.on("end", () => {
    receive(body, request, response).catch(failed)
  })
}).listen(port, "127.0.0.1")
