/** Fastify 5 as its documentation recommends: a schema for every input and response, and a `pg` pool. */
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import pg from "pg"
import {
  databaseUrl,
  isoOf,
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
  type Principal,
  targetIdPattern
} from "./peer.ts"
import { batchSchema, type EventBody, insertText, valuesOf } from "./peer-ingest.ts"

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null
  }
}

const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
const principalOf = makePrincipals(async (name, text, values) => {
  const { rows } = await pool.query({ name, text, values: [...values] })
  return rows
})

const text = { type: "string" } as const
const textOrNull = { type: ["string", "null"] } as const
const object = <const P extends Record<string, unknown>>(properties: P) => ({
  type: "object",
  properties,
  required: Object.keys(properties)
})

const plugin = object({
  id: text,
  organizationId: text,
  name: text,
  description: textOrNull,
  createdByOrgMembershipId: textOrNull,
  createdAt: text,
  updatedAt: text,
  archivedAt: textOrNull,
  deletedAt: textOrNull,
  memberCount: { type: "integer" },
  marketplaces: { type: "array", items: object({ id: text, name: text }) },
  extension: { type: ["object", "null"], additionalProperties: true }
})
const mapping = object({
  id: text,
  connectorInstanceId: text,
  connectorTargetId: text,
  connectorType: text,
  remoteId: textOrNull,
  mappingKind: text,
  selector: text,
  objectType: text,
  pluginId: textOrNull,
  autoAddToPlugin: { type: "boolean" },
  mappingConfigJson: { type: ["object", "null"], additionalProperties: true },
  createdAt: text,
  updatedAt: text
})

const app = Fastify({ logger: false })
app.decorateRequest("principal", null)

/** Requires an authenticated caller with the permission. */
const needs = (permission: string) => async (request: FastifyRequest, reply: FastifyReply) => {
  const remembered = principalOf(request.headers.authorization)
  const principal = remembered instanceof Promise ? await remembered : remembered
  if (principal === undefined) return reply.code(401).send({ error: "unauthorized" })
  if (!principal.permissions.has(permission)) return reply.code(403).send({ error: "forbidden" })
  request.principal = principal
}

app.get("/v1/health", { schema: { response: { 200: object({ status: text }) } } }, () => ({ status: "ok" }))

app.get<{ Params: { pluginId: string } }>(
  "/v1/plugins/:pluginId",
  {
    onRequest: needs("plugins:read"),
    schema: {
      params: object({ pluginId: { type: "string", pattern: pluginIdPattern } }),
      response: { 200: object({ item: plugin }) }
    }
  },
  async (request, reply) => {
    const { membershipId, organizationId } = request.principal as Principal
    const { rows } = await pool.query<PluginRow<Date>>({
      name: "plugin",
      text: pluginText,
      values: [organizationId, request.params.pluginId, membershipId]
    })
    const row = rows[0]
    return isSeen(row) ? pluginToWire(row, isoOf) : reply.code(404).send({ error: "plugin_not_found" })
  }
)

app.get<{ Params: { targetId: string }; Querystring: { cursor?: string; limit: number } }>(
  "/v1/connector-targets/:targetId/mappings",
  {
    onRequest: needs("connectors:read"),
    schema: {
      params: object({ targetId: { type: "string", pattern: targetIdPattern } }),
      querystring: {
        type: "object",
        properties: { cursor: text, limit: { type: "integer", minimum: 1, maximum: 100, default: 50 } }
      },
      response: { 200: object({ items: { type: "array", items: mapping }, nextCursor: textOrNull }) }
    }
  },
  async (request) => {
    const { membershipId, organizationId } = request.principal as Principal
    const { cursor, limit } = request.query
    const after = cursor === undefined ? null : Buffer.from(cursor, "base64url").toString()
    const { rows } = await pool.query<MappingRow<Date>>({
      name: "mappings",
      text: mappingsText,
      values: [organizationId, request.params.targetId, membershipId, after, limit + 1]
    })
    return pageToWire(rows, limit, isoOf)
  }
)

app.post<{ Body: { readonly events: ReadonlyArray<EventBody> } }>(
  "/v1/telemetry/ingest",
  { onRequest: needs("plugins:read"), schema: { body: batchSchema } },
  async (request, reply) => {
    const principal = request.principal as Principal
    await pool.query({ name: "ingest", text: insertText, values: valuesOf(principal, request.body.events) })
    return reply.code(204).send()
  }
)

await app.listen({ port, host: "127.0.0.1" })
