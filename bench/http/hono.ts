/** Hono with zod for validation and drizzle for the database: the usual stack. */
import { serve } from "@hono/node-server"
import { and, desc, eq, isNull, lt, type SQL, sql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/node-postgres"
import { boolean, integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core"
import { Hono } from "hono"
import { createMiddleware } from "hono/factory"
import pg from "pg"
import * as z from "zod"
import {
  databaseUrl,
  isoOf,
  isSeen,
  makePrincipals,
  type PluginRow,
  mappingToWire,
  pageOf,
  pluginIdPattern,
  pluginItem,
  port,
  type Principal,
  targetIdPattern
} from "./peer.ts"
import { typeNames } from "./peer-ingest.ts"

const plugins = pgTable("plugins", {
  organization_id: text().notNull(),
  id: text().notNull(),
  name: text().notNull(),
  description: text(),
  manifest_json: jsonb().$type<PluginRow<Date>["manifest_json"]>(),
  created_by_membership_id: text(),
  created_at: timestamp({ withTimezone: true }).notNull(),
  updated_at: timestamp({ withTimezone: true }).notNull(),
  archived_at: timestamp({ withTimezone: true }),
  deleted_at: timestamp({ withTimezone: true })
})
const mappings = pgTable("connector_mappings", {
  organization_id: text().notNull(),
  id: text().notNull(),
  connector_instance_id: text().notNull(),
  connector_target_id: text().notNull(),
  mapping_kind: text().notNull(),
  selector: text().notNull(),
  object_type: text().notNull(),
  plugin_id: text(),
  auto_add_to_plugin: boolean().notNull(),
  remote_id: text(),
  config_json: jsonb().$type<Record<string, unknown>>(),
  created_at: timestamp({ withTimezone: true }).notNull(),
  updated_at: timestamp({ withTimezone: true }).notNull(),
  removed_at: timestamp({ withTimezone: true })
})

const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
const db = drizzle(pool)
const principalOf = makePrincipals(async (name, text, values) => {
  const { rows } = await pool.query({ name, text, values: [...values] })
  return rows
})

const live = ({ membershipId, organizationId }: Principal, kind: string) => sql`g.organization_id = ${organizationId}
  AND g.object_kind = ${kind} AND g.removed_at IS NULL
  AND g.receiver = ANY (ARRAY(SELECT tm.team_id FROM team_members tm
    WHERE tm.organization_id = ${organizationId} AND tm.membership_id = ${membershipId}
    UNION ALL SELECT ${membershipId}::text UNION ALL SELECT ''))`
const highest = (principal: Principal, kind: string, id: SQL) =>
  sql`SELECT max(CASE g.role WHEN 'manager' THEN 3 WHEN 'editor' THEN 2 ELSE 1 END) FROM grants g
    WHERE ${live(principal, kind)} AND g.object_id = ${id}`

const findPlugin = async (principal: Principal, id: string): Promise<PluginRow<Date> | undefined> => {
  // Wrapped in their own `sql` fragments, because drizzle omits the table name from a bare column.
  const own = sql`${plugins.id}`
  const owner = sql`${plugins.organization_id}`
  const [row] = await db
    .select({
      id: plugins.id,
      organization_id: plugins.organization_id,
      name: plugins.name,
      description: plugins.description,
      manifest_json: plugins.manifest_json,
      created_by_membership_id: plugins.created_by_membership_id,
      created_at: plugins.created_at,
      updated_at: plugins.updated_at,
      archived_at: plugins.archived_at,
      deleted_at: plugins.deleted_at,
      member_count: sql<number>`(SELECT count(*)::int FROM plugin_memberships c
        JOIN config_objects co ON co.organization_id = c.organization_id AND co.id = c.config_object_id
          AND co.status <> 'archived'
        WHERE c.organization_id = ${owner} AND c.plugin_id = ${own} AND c.removed_at IS NULL)`,
      marketplaces: sql<
        PluginRow<Date>["marketplaces"]
      >`(SELECT coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name) ORDER BY s.id), '[]'::jsonb)
        FROM (SELECT k.id, k.name FROM marketplace_memberships km
          JOIN marketplaces k ON k.organization_id = km.organization_id AND k.id = km.marketplace_id
            AND k.deleted_at IS NULL AND k.archived_at IS NULL
          WHERE km.organization_id = ${owner} AND km.plugin_id = ${own} AND km.removed_at IS NULL
            AND coalesce((${highest(principal, "marketplace", sql`k.id`)}), 0) > 0
          ORDER BY k.id LIMIT 100) s)`,
      own_level: sql<number>`coalesce((${highest(principal, "plugin", own)}), 0)`
    })
    .from(plugins)
    .where(and(eq(plugins.organization_id, principal.organizationId), eq(plugins.id, id), isNull(plugins.deleted_at)))
  return row
}

const listMappings = (principal: Principal, target: string, after: string | undefined, limit: number) =>
  db
    .select({
      id: mappings.id,
      connector_instance_id: mappings.connector_instance_id,
      connector_target_id: mappings.connector_target_id,
      mapping_kind: mappings.mapping_kind,
      selector: mappings.selector,
      object_type: mappings.object_type,
      plugin_id: mappings.plugin_id,
      auto_add_to_plugin: mappings.auto_add_to_plugin,
      remote_id: mappings.remote_id,
      config_json: mappings.config_json,
      created_at: mappings.created_at,
      updated_at: mappings.updated_at
    })
    .from(mappings)
    .where(
      and(
        eq(mappings.organization_id, principal.organizationId),
        eq(mappings.connector_target_id, target),
        isNull(mappings.removed_at),
        after === undefined ? undefined : lt(mappings.id, after),
        sql`EXISTS (SELECT 1 FROM connector_targets t
          WHERE t.organization_id = ${principal.organizationId} AND t.id = ${target} AND t.removed_at IS NULL
            AND coalesce((${highest(principal, "connectorInstance", sql`t.connector_instance_id`)}), 0) > 0)`
      )
    )
    .orderBy(desc(mappings.id))
    .limit(limit)

const OnePlugin = z.object({ pluginId: z.string().regex(new RegExp(pluginIdPattern)) })
const OneTarget = z.object({ targetId: z.string().regex(new RegExp(targetIdPattern)) })
const PageQuery = z.object({
  cursor: z.string().min(1).max(255).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50)
})

/** Requires an authenticated caller with the permission. */
const needs = (permission: string) =>
  createMiddleware<{ Variables: { principal: Principal } }>(async (context, next) => {
    const remembered = principalOf(context.req.header("authorization"))
    const principal = remembered instanceof Promise ? await remembered : remembered
    if (principal === undefined) return context.json({ error: "unauthorized" }, 401)
    if (!principal.permissions.has(permission)) return context.json({ error: "forbidden" }, 403)
    context.set("principal", principal)
    return next()
  })

const app = new Hono()

app.get("/v1/health", (context) => context.json({ status: "ok" }))

app.get("/v1/plugins/:pluginId", needs("plugins:read"), async (context) => {
  const params = OnePlugin.safeParse(context.req.param())
  if (!params.success) return context.json({ error: "invalid_request" }, 400)
  const row = await findPlugin(context.var.principal, params.data.pluginId)
  return isSeen(row) ? context.json({ item: pluginItem(row, isoOf) }) : context.json({ error: "plugin_not_found" }, 404)
})

app.get("/v1/connector-targets/:targetId/mappings", needs("connectors:read"), async (context) => {
  const params = OneTarget.safeParse(context.req.param())
  const query = PageQuery.safeParse(context.req.query())
  if (!params.success || !query.success) return context.json({ error: "invalid_request" }, 400)
  const { cursor, limit } = query.data
  const after = cursor === undefined ? undefined : Buffer.from(cursor, "base64url").toString()
  const rows = await listMappings(context.var.principal, params.data.targetId, after, limit + 1)
  return context.json(
    pageOf(
      rows,
      limit,
      (row) => mappingToWire(row, isoOf),
      (row) => row.id
    )
  )
})

const events = pgTable("bench_events", {
  organization_id: text().notNull(),
  user_id: text(),
  membership_id: text(),
  received_at: timestamp({ withTimezone: true }).notNull(),
  occurred_at: timestamp({ withTimezone: true }).notNull(),
  type: text().notNull(),
  source: text().notNull(),
  session_id: text(),
  duration_ms: integer(),
  success: boolean(),
  dimensions_json: jsonb()
})
const Batch = z.object({
  events: z
    .array(
      z.object({
        id: z.string().max(128).optional(),
        type: z.enum(typeNames),
        timestamp: z.iso.datetime({ offset: true }),
        source: z.enum(["app", "worker"]),
        sessionId: z.string().max(128).optional(),
        durationMs: z.int().min(0).max(86_400_000).optional(),
        success: z.boolean().optional(),
        dimensions: z
          .array(
            z.object({
              type: z.string().max(64),
              label: z.string().max(255).optional(),
              value: z.string().max(128).optional(),
              metadata: z.record(z.string(), z.unknown()).optional()
            })
          )
          .max(8)
          .optional()
      })
    )
    .min(1)
    .max(50)
})

app.post("/v1/telemetry/ingest", needs("plugins:read"), async (context) => {
  const body = Batch.safeParse(await context.req.json())
  if (!body.success) return context.json({ error: "invalid_request" }, 400)
  const { membershipId, organizationId } = context.var.principal
  const now = new Date()
  await db.insert(events).values(
    body.data.events.map((event) => ({
      organization_id: organizationId,
      user_id: membershipId,
      membership_id: membershipId,
      received_at: now,
      occurred_at: new Date(event.timestamp),
      type: event.type,
      source: event.source,
      session_id: event.sessionId ?? null,
      duration_ms: event.durationMs ?? null,
      success: event.success ?? null,
      dimensions_json: event.dimensions ?? null
    }))
  )
  return context.body(null, 204)
})

serve({ fetch: app.fetch, port, hostname: "127.0.0.1" })
