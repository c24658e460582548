/** Fastify 5 as its documentation recommends: a schema for every input and response, and a `pg` pool. */
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import pg from "pg"
import { type CreateBody, createTexts, createValues, descriptionMax, nameMax } from "./peer-create.ts"
import { batchSchema, type EventBody, insertText, valuesOf } from "./peer-ingest.ts"
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
  pluginsTexts,
  selectedText,
  type UserRow,
  userText,
  userToWire
} from "./peer-pages.ts"
import {
  databaseUrl,
  isoOf,
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
  type Query,
  targetIdPattern
} from "./peer.ts"

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null
  }
}

const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
const query: Query = async (name, text, values) => {
  const { rows } = await pool.query({ name, text, values: [...values] })
  return rows
}
const principalOf = makePrincipals(query)

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
  pendingReleaseId: textOrNull,
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

const libraryEntry = object({ kind: text, id: text, name: text, through: object({ kind: text, id: textOrNull }) })
const jsonOrNull = { type: ["object", "null"], additionalProperties: true } as const
const auditEvent = object({
  id: text,
  organizationId: textOrNull,
  sequence: { type: ["integer", "null"] },
  action: text,
  actorKind: text,
  actorId: textOrNull,
  targetId: textOrNull,
  requestId: textOrNull,
  address: textOrNull,
  userAgent: textOrNull,
  before: jsonOrNull,
  after: jsonOrNull,
  createdAt: text
})
const user = object({
  id: text,
  email: textOrNull,
  emailVerified: { type: "boolean" },
  name: textOrNull,
  createdAt: text,
  updatedAt: text,
  isPlatformAdministrator: { type: "boolean" }
})
const ownOrganization = object({
  organization: object({
    id: text,
    name: text,
    plan: text,
    provisional: { type: "boolean" },
    provisionalExpiresAt: textOrNull,
    createdAt: text,
    updatedAt: text
  }),
  orgMembershipId: text,
  role: text,
  active: { type: "boolean" }
})
const page = (items: unknown) => ({ 200: object({ items: { type: "array", items }, nextCursor: textOrNull }) })
const pageQuery = {
  type: "object",
  properties: { cursor: text, limit: { type: "integer", minimum: 1, maximum: 100, default: 50 } }
}
interface PageQuery {
  Querystring: { cursor?: string; limit: number }
}
const afterOf = (cursor: string | undefined) =>
  cursor === undefined ? null : Buffer.from(cursor, "base64url").toString()

const app = Fastify({ logger: false })
app.decorateRequest("principal", null)

/** Requires an authenticated caller, with the permission if there is one. */
const needs = (permission?: string) => async (request: FastifyRequest, reply: FastifyReply) => {
  const remembered = principalOf(request.headers.authorization)
  const principal = remembered instanceof Promise ? await remembered : remembered
  if (principal === undefined) return reply.code(401).send({ error: "unauthorized" })
  if (permission !== undefined && !principal.permissions.has(permission))
    return reply.code(403).send({ error: "forbidden" })
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
    const values = [organizationId, membershipId, request.params.pluginId]
    const [row] = await query<PluginRow<Date>>("plugin", pluginText, values)
    return isSeen(row) ? { item: pluginItem(row, isoOf) } : reply.code(404).send({ error: "plugin_not_found" })
  }
)

app.get<{ Params: { targetId: string } } & PageQuery>(
  "/v1/connector-targets/:targetId/mappings",
  {
    onRequest: needs("connectors:read"),
    schema: {
      params: object({ targetId: { type: "string", pattern: targetIdPattern } }),
      querystring: pageQuery,
      response: page(mapping)
    }
  },
  async (request) => {
    const { membershipId, organizationId } = request.principal as Principal
    const { cursor, limit } = request.query
    const values = [organizationId, membershipId, request.params.targetId, afterOf(cursor), limit + 1]
    const rows = await query<MappingRow<Date>>("mappings", mappingsText, values)
    return pageOf(
      rows,
      limit,
      (row) => mappingToWire(row, isoOf),
      (row) => row.id
    )
  }
)

app.get<PageQuery>(
  "/v1/plugins",
  { onRequest: needs("plugins:read"), schema: { querystring: pageQuery, response: page(plugin) } },
  async (request) => {
    const { membershipId, organizationId } = request.principal as Principal
    const { cursor, limit } = request.query
    const after = afterOf(cursor)
    const values = [organizationId, membershipId, limit + 1]
    const rows =
      after === null
        ? await query<PluginRow<Date>>("plugins", pluginsTexts.first, values)
        : await query<PluginRow<Date>>("pluginsAfter", pluginsTexts.next, [...values, after])
    return pageOf(
      rows,
      limit,
      (row) => pluginItem(row, isoOf),
      (row) => row.id
    )
  }
)

app.get<PageQuery>(
  "/v1/me/library",
  { onRequest: needs(), schema: { querystring: pageQuery, response: page(libraryEntry) } },
  async (request) => {
    const { membershipId, organizationId } = request.principal as Principal
    const { cursor, limit } = request.query
    const after = afterOf(cursor)
    const values = [organizationId, membershipId, limit + 1]
    const rows =
      after === null
        ? await query<LibraryRow>("library", libraryTexts.first, values)
        : await query<LibraryRow>("libraryAfter", libraryTexts.next, [...values, after])
    return pageOf(rows, limit, entryToWire, (row) => row.id)
  }
)

app.get<PageQuery>(
  "/v1/audit-events",
  { onRequest: needs("audit:read"), schema: { querystring: pageQuery, response: page(auditEvent) } },
  async (request) => {
    const { organizationId } = request.principal as Principal
    const { cursor, limit } = request.query
    const after = afterOf(cursor)
    const rows =
      after === null
        ? await query<AuditRow<Date>>("audit", auditTexts.first, [organizationId, limit + 1])
        : await query<AuditRow<Date>>("auditAfter", auditTexts.next, [organizationId, limit + 1, after])
    return pageOf(
      rows,
      limit,
      (row) => eventToWire(row, isoOf),
      (row) => row.id
    )
  }
)

app.get("/v1/me", { onRequest: needs(), schema: { response: { 200: object({ user }) } } }, async (request) => {
  const [row] = await query<UserRow<Date>>("user", userText, [(request.principal as Principal).userId])
  if (row === undefined) throw new Error("The user does not exist.")
  return userToWire(row, isoOf)
})

app.get<PageQuery>(
  "/v1/me/organizations",
  { onRequest: needs(), schema: { querystring: pageQuery, response: page(ownOrganization) } },
  async (request) => {
    const { sessionId, userId } = request.principal as Principal
    const { cursor, limit } = request.query
    const [[session], rows] = await Promise.all([
      query<{ organization_id: string | null }>("selected", selectedText, [sessionId]),
      query<OrganizationRow<Date>>("organizations", organizationsText, [userId, afterOf(cursor), limit + 1])
    ])
    const selectedId = session?.organization_id ?? null
    return pageOf(
      rows,
      limit,
      (row) => organizationToWire(row, selectedId, isoOf),
      (row) => row.membership_id
    )
  }
)

/** Runs the statements one after the other on a client of the pool, in one transaction. */
const createPlugin = async (values: ReturnType<typeof createValues>): Promise<PluginRow<Date> | undefined> => {
  const client = await pool.connect()
  try {
    await client.query("BEGIN")
    await client.query({ ...createTexts.scope, values: values.scope })
    await client.query({ ...createTexts.plugin, values: values.plugin })
    await client.query({ ...createTexts.grant, values: values.grant })
    const { rows } = await client.query<PluginRow<Date>>({ ...createTexts.created, values: values.created })
    await client.query({ ...createTexts.audit, values: values.audit })
    await client.query("COMMIT")
    return rows[0]
  } catch (cause) {
    await client.query("ROLLBACK")
    throw cause
  } finally {
    client.release()
  }
}

app.post<{ Body: CreateBody }>(
  "/v1/plugins",
  {
    onRequest: needs("plugins:write"),
    schema: {
      body: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", minLength: 1, maxLength: nameMax },
          description: { type: ["string", "null"], maxLength: descriptionMax }
        }
      },
      response: { 201: object({ ok: { type: "boolean" }, item: plugin }) }
    }
  },
  async (request, reply) => {
    const userAgent = request.headers["user-agent"] ?? null
    const values = createValues(request.principal as Principal, request.body, request.ip, userAgent)
    const row = await createPlugin(values)
    if (row === undefined) throw new Error("The plugin was not created.")
    return reply.code(201).send({ ok: true, item: pluginItem(row, isoOf) })
  }
)

app.post<{ Body: { readonly events: ReadonlyArray<EventBody> } }>(
  "/v1/telemetry/ingest",
  { onRequest: needs("plugins:read"), schema: { body: batchSchema } },
  async (request, reply) => {
    const principal = request.principal as Principal
    await query("ingest", insertText, valuesOf(principal, request.body.events))
    return reply.code(204).send()
  }
)

await app.listen({ port, host: "127.0.0.1" })
