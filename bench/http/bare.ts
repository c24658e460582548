/** A minimal Node server: `node:http`, handwritten routing and JSON, pipelined statements, no `Date` objects. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { isCreateBody, isEvents } from "./bare-bodies.ts"
import { database } from "./bare-database.ts"
import {
  type AuditCells,
  entryJson,
  eventJson,
  type LibraryCells,
  type MappingCells,
  mappingJson,
  type OrganizationCells,
  organizationJson,
  pageJson,
  type PluginCells,
  pluginJson,
  type UserCells,
  userJson
} from "./bare-json.ts"
import { createTexts, createValues } from "./peer-create.ts"
import { insertText, valuesOf } from "./peer-ingest.ts"
import {
  auditTexts,
  libraryTexts,
  organizationsText,
  type PageTexts,
  pluginsTexts,
  selectedText,
  userText
} from "./peer-pages.ts"
import {
  databaseUrl,
  makePrincipals,
  mappingsText,
  pluginIdPattern,
  pluginText,
  port,
  type Principal,
  targetIdPattern
} from "./peer.ts"

const { query, run, transaction } = await database(databaseUrl)
const principalOf = makePrincipals(query)

const send = (response: ServerResponse, status: number, text: string) => {
  response.writeHead(status, ["content-type", "application/json", "content-length", String(Buffer.byteLength(text))])
  response.end(text)
}
const fail = (response: ServerResponse, status: number, error: string) =>
  send(response, status, JSON.stringify({ error }))

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

/** Runs the statement of the first page or that of later ones, which has one value more. */
const readPage = <Row>(name: string, texts: PageTexts, values: Array<unknown>, { after }: Page) =>
  after === null ? run<Row>(name, texts.first, values) : run<Row>(`${name}After`, texts.next, [...values, after])

const servePlugin = async (id: string, principal: Principal, response: ServerResponse) => {
  if (!isPluginId.test(id)) return fail(response, 400, "invalid_request")
  if (!principal.permissions.has("plugins:read")) return fail(response, 403, "forbidden")
  const values = [principal.organizationId, principal.membershipId, id]
  const [row] = await run<PluginCells>("plugin", pluginText, values)
  // Visible through a grant on the plugin, or on a marketplace that contains it.
  if (row === undefined || (row[12] === 0 && row[11] === "[]")) return fail(response, 404, "plugin_not_found")
  send(response, 200, `{"item":${pluginJson(row)}}`)
}

const serveMappings = async (id: string, page: Page | undefined, principal: Principal, response: ServerResponse) => {
  if (!isTargetId.test(id) || page === undefined) return fail(response, 400, "invalid_request")
  if (!principal.permissions.has("connectors:read")) return fail(response, 403, "forbidden")
  const values = [principal.organizationId, principal.membershipId, id, page.after, page.limit + 1]
  const rows = await run<MappingCells>("mappings", mappingsText, values)
  send(response, 200, pageJson(rows, page.limit, mappingJson))
}

const pages: Readonly<
  Record<string, (page: Page, principal: Principal, response: ServerResponse) => Promise<void> | void>
> = {
  "/v1/plugins": async (page, { membershipId, organizationId, permissions }, response) => {
    if (!permissions.has("plugins:read")) return fail(response, 403, "forbidden")
    const values = [organizationId, membershipId, page.limit + 1]
    const rows = await readPage<PluginCells>("plugins", pluginsTexts, values, page)
    send(response, 200, pageJson(rows, page.limit, pluginJson))
  },
  "/v1/me/library": async (page, { membershipId, organizationId }, response) => {
    const rows = await readPage<LibraryCells>(
      "library",
      libraryTexts,
      [organizationId, membershipId, page.limit + 1],
      page
    )
    send(response, 200, pageJson(rows, page.limit, entryJson))
  },
  "/v1/audit-events": async (page, { organizationId, permissions }, response) => {
    if (!permissions.has("audit:read")) return fail(response, 403, "forbidden")
    const rows = await readPage<AuditCells>("audit", auditTexts, [organizationId, page.limit + 1], page)
    send(response, 200, pageJson(rows, page.limit, eventJson))
  },
  "/v1/me": async (_page, { userId }, response) => {
    const [row] = await run<UserCells>("user", userText, [userId])
    if (row === undefined) return fail(response, 500, "internal_error")
    send(response, 200, `{"user":${userJson(row)}}`)
  },
  "/v1/me/organizations": async (page, { sessionId, userId }, response) => {
    const [[session], rows] = await Promise.all([
      run<readonly [string | null]>("selected", selectedText, [sessionId]),
      run<OrganizationCells>("organizations", organizationsText, [userId, page.after, page.limit + 1])
    ])
    const selectedId = session?.[0] ?? null
    send(
      response,
      200,
      pageJson(rows, page.limit, (row) => organizationJson(row, selectedId))
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
  await run("ingest", insertText, valuesOf(principal, body.events))
  response.writeHead(204)
  response.end()
}

const create = async (body: unknown, principal: Principal, request: IncomingMessage, response: ServerResponse) => {
  if (!isCreateBody(body)) return fail(response, 400, "invalid_request")
  if (!principal.permissions.has("plugins:write")) return fail(response, 403, "forbidden")
  const { headers, socket } = request
  const values = createValues(principal, body, socket.remoteAddress ?? null, headers["user-agent"] ?? null)
  const row = await transaction<PluginCells>(
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
  send(response, 201, `{"ok":true,"item":${pluginJson(row)}}`)
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
  if (url === "/v1/health") return send(response, 200, health)
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
