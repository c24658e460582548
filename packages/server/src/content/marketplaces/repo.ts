import type { ComponentCounts, Marketplace } from "@orgplane/schema/marketplaces"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { blockedTargets, isHidden } from "../../identity/grants/blocked-repo.ts"
import { type Holder, isShowing, levelOf, managesAll, pageOfVisible, visible } from "../../identity/grants/index.ts"
import { hasServed } from "../../identity/grants/served-repo.ts"
import * as plugins from "../plugins/repo.ts"
import * as names from "./names-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { readAs } from "../../infra/sql/read.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly id: Id<"mkt">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly description: string | null
  readonly logo_url: string | null
  readonly created_by_membership_id: Id<"om"> | null
  readonly connector_target_id: Id<"ctg"> | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly archived_at: Date | null
  readonly deleted_at: Date | null
  readonly version: number
  readonly plugin_count: number
  readonly level: number
}

/**
 * Deleted and archived plugins, which no marketplace offers, and those that are hidden from the caller. They are collected
 * once per page, because there are few, so that a count uses the index of memberships instead of checking every plugin.
 */
const uncountedPlugins = (sql: Sql, caller: Member) => {
  const removed = sql`SELECT gp.id FROM plugins gp WHERE gp.organization_id = ${caller.organizationId}
    AND (gp.deleted_at IS NOT NULL OR gp.archived_at IS NOT NULL)`
  return managesAll(caller, "plugin")
    ? removed
    : sql`${removed} UNION ALL SELECT hp.id FROM (${blockedTargets(sql, caller.organizationId)}) hp(id)
        WHERE ${isHidden(sql, caller, sql`hp.id`)}`
}

/**
 * An API key that manages all marketplaces sees only those plugins of a marketplace that it can see for another reason.
 */
const isShown = (sql: Sql, caller: Member, marketplaceId: Fragment, pluginId: Fragment): Fragment =>
  managesAll(caller, "marketplace")
    ? visible(sql, caller, "plugin", pluginId)
    : sql`(${isShowing(sql, caller, "marketplace", marketplaceId)} OR ${visible(sql, caller, "plugin", pluginId)})`

const columns = (sql: Sql, caller: Member) =>
  sql`m.id, m.organization_id, m.name, m.description, m.logo_url, m.created_by_membership_id, m.connector_target_id,
    m.created_at, m.updated_at, m.archived_at, m.deleted_at, m.version,
    (SELECT count(*)::int FROM marketplace_memberships c
      WHERE c.organization_id = m.organization_id AND c.marketplace_id = m.id AND c.removed_at IS NULL
        AND c.plugin_id NOT IN (${uncountedPlugins(sql, caller)})) AS plugin_count,
    ${levelOf(sql, caller, "marketplace", sql`m.id`)} AS level`

const managerLevel = 3

export const toWire = (row: Row): Marketplace => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  description: row.description,
  logoUrl: row.logo_url,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  archivedAt: isoOrNull(row.archived_at),
  deletedAt: isoOrNull(row.deleted_at),
  canDelete: row.level >= managerLevel && row.connector_target_id === null,
  pluginCount: row.plugin_count
})

export const get = (sql: Sql, caller: Member, id: Id<"mkt">) =>
  sql<Row>`SELECT ${columns(sql, caller)} FROM marketplaces m
    WHERE m.organization_id = ${caller.organizationId} AND m.id = ${id} AND m.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** A marketplace that is visible to the holder; undefined when it is archived, removed or not visible. */
export const seen = (sql: Sql, holder: Holder, id: Id<"mkt">) =>
  sql<Pick<Row, "id" | "name" | "description">>`SELECT m.id, m.name, m.description FROM marketplaces m
    WHERE m.organization_id = ${holder.organizationId} AND m.id = ${id} AND m.deleted_at IS NULL
      AND m.archived_at IS NULL AND ${visible(sql, holder, "marketplace", sql`m.id`)}`.pipe(
    Effect.map((rows) => rows[0])
  )

export interface Filters {
  readonly q?: string
  readonly archived?: string
}

interface ListRead {
  readonly pattern: string | null
  /** Null excludes archived marketplaces. */
  readonly archived: true | null
  readonly after: string | null
  readonly limit: number
}

const readList = readAs<Row, ListRead>(
  (sql, caller, { after, archived, limit, pattern }) =>
    sql`SELECT ${columns(sql, caller)} FROM (${pageOfVisible(sql, caller, {
      kind: "marketplace",
      where: sql`${archived === null ? sql`o.archived_at IS NULL` : sql`TRUE`}
        AND ${pattern === null ? sql`TRUE` : sql`o.name ILIKE ${pattern}`}`,
      after,
      limit
    })}) page
    JOIN marketplaces m ON m.organization_id = ${caller.organizationId} AND m.id = page.id
    ORDER BY m.id DESC`
)

export const list = (sql: Sql, caller: Member, filters: Filters, after: string | null, limit: number) =>
  readList(sql, caller, {
    pattern: contains(filters.q),
    archived: filters.archived === "true" ? true : null,
    after,
    limit
  })

export interface MembershipRow extends plugins.Row {
  readonly membership_id: Id<"mkp">
  readonly membership_created_by: Id<"om"> | null
  readonly membership_created_at: Date
}

/**
 * The plugins of a marketplace that the caller can see. A grant on the marketplace makes them visible. An archived
 * marketplace lists only those that the caller can see for another reason.
 */
export const listPlugins = (sql: Sql, caller: Member, marketplaceId: Id<"mkt">, after: string | null, limit: number) =>
  sql<MembershipRow>`SELECT mm.id AS membership_id, mm.created_by_membership_id AS membership_created_by,
      mm.created_at AS membership_created_at, ${plugins.columns(sql, caller)}
    FROM marketplace_memberships mm
    JOIN plugins p ON p.organization_id = mm.organization_id AND p.id = mm.plugin_id AND p.deleted_at IS NULL
      AND p.archived_at IS NULL
    WHERE mm.organization_id = ${caller.organizationId} AND mm.marketplace_id = ${marketplaceId}
      AND mm.removed_at IS NULL AND (${after}::text IS NULL OR mm.id < ${after})
      AND ${hasServed(sql, caller)} AND ${isShown(sql, caller, sql`mm.marketplace_id`, sql`mm.plugin_id`)}
    ORDER BY mm.id DESC LIMIT ${limit}`

export const addPlugins = (
  sql: Sql,
  organizationId: Id<"org">,
  marketplaceId: Id<"mkt">,
  memberships: ReadonlyArray<{ readonly id: Id<"mkp">; readonly pluginId: Id<"plg"> }>,
  createdBy: Id<"om"> | null
) =>
  memberships.length === 0
    ? Effect.void
    : sql`INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id,
        created_by_membership_id, created_at)
      SELECT ${organizationId}, r.id, ${marketplaceId}, r."pluginId", ${createdBy}, now()
      FROM jsonb_to_recordset(${sql.json(memberships)}) AS r(id text, "pluginId" text)
      ON CONFLICT (organization_id, marketplace_id, plugin_id) WHERE removed_at IS NULL DO NOTHING`.pipe(
        Effect.andThen(
          names.giveToPlugins(
            sql,
            organizationId,
            marketplaceId,
            memberships.map(({ pluginId }) => pluginId)
          )
        )
      )

export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  marketplace: {
    readonly id: Id<"mkt">
    readonly name: string
    readonly description: string | null
    readonly logoUrl?: string | null
    readonly targetId: Id<"ctg"> | null
  },
  createdBy: Id<"om"> | null
) =>
  sql`INSERT INTO marketplaces (organization_id, id, name, description, logo_url, created_by_membership_id,
      connector_target_id, created_at, updated_at)
    VALUES (${organizationId}, ${marketplace.id}, ${marketplace.name}, ${marketplace.description},
      ${marketplace.logoUrl ?? null}, ${createdBy}, ${marketplace.targetId}, now(), now())`

/** The marketplace that a target created for its plugins. */
export const ofTarget = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">) =>
  sql<{ id: Id<"mkt">; name: string }>`SELECT id, name FROM marketplaces
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId} AND deleted_at IS NULL
    ORDER BY id LIMIT 1`.pipe(Effect.map((rows) => rows[0]))

export interface ComponentRow {
  readonly plugin_id: Id<"plg">
  readonly object_type: keyof ComponentCounts
  readonly count: number
}

/** A column of the object `o` in the served release of the plugin `p`; null if the release does not contain it. */
const servedObject = (sql: Sql, column: "title" | "version_id") =>
  sql.literal(`(SELECT x.${column} FROM plugin_release_objects x WHERE x.organization_id = p.organization_id
    AND x.release_id = p.served_release_id AND x.object_id = o.id)`)

/** The number of objects of each type in each plugin of a marketplace, in one query. */
export const componentCounts = (sql: Sql, organizationId: Id<"org">, marketplaceId: Id<"mkt">) =>
  sql<ComponentRow>`SELECT pm.plugin_id, o.object_type, count(*)::int AS count
    FROM marketplace_memberships mm
    JOIN plugin_memberships pm ON pm.organization_id = mm.organization_id AND pm.plugin_id = mm.plugin_id
      AND pm.removed_at IS NULL
    JOIN config_objects o ON o.organization_id = pm.organization_id AND o.id = pm.config_object_id
      AND o.deleted_at IS NULL AND o.status <> 'archived'
    JOIN plugins p ON p.organization_id = mm.organization_id AND p.id = mm.plugin_id
    WHERE mm.organization_id = ${organizationId} AND mm.marketplace_id = ${marketplaceId} AND mm.removed_at IS NULL
      AND (p.delivery_mode IS NULL OR ${servedObject(sql, "version_id")} IS NOT NULL)
    GROUP BY pm.plugin_id, o.object_type`

export interface ServerRow {
  readonly plugin_id: Id<"plg">
  readonly object_id: Id<"cob">
  readonly title: string
  readonly server_name: string
  readonly url: string | null
  /** The authentication that the author declares, if any. */
  readonly declares_oauth: boolean
  readonly declares_key: boolean
  /** An OAuth client that the author registered manually. */
  readonly declares_client: boolean
}

/** The MCP servers of a marketplace's plugins. Only the members that are shown are read from the authors' payloads. */
export const mcpServers = (sql: Sql, organizationId: Id<"org">, marketplaceId: Id<"mkt">) =>
  sql<ServerRow>`SELECT pm.plugin_id, o.id AS object_id,
      CASE WHEN p.delivery_mode IS NULL THEN o.title ELSE ${servedObject(sql, "title")} END AS title, left(s.key, 255) AS server_name,
      CASE WHEN jsonb_typeof(s.value -> 'url') = 'string' THEN left(s.value ->> 'url', 2048) END AS url,
      coalesce(jsonb_typeof(s.value -> 'oauth') = 'object', FALSE) AS declares_oauth,
      coalesce(jsonb_typeof(s.value #> '{oauth,clientId}') = 'string', FALSE) AS declares_client,
      EXISTS (SELECT 1 FROM jsonb_object_keys(CASE WHEN jsonb_typeof(s.value -> 'headers') = 'object'
        THEN s.value -> 'headers' ELSE '{}' END) h(name)
        WHERE lower(h.name) ~ '(authorization|key|token|secret)') AS declares_key
    FROM marketplace_memberships mm
    JOIN plugin_memberships pm ON pm.organization_id = mm.organization_id AND pm.plugin_id = mm.plugin_id
      AND pm.removed_at IS NULL
    JOIN config_objects o ON o.organization_id = pm.organization_id AND o.id = pm.config_object_id
      AND o.deleted_at IS NULL AND o.status <> 'archived' AND o.object_type = 'mcp'
    JOIN plugins p ON p.organization_id = mm.organization_id AND p.id = mm.plugin_id
    JOIN config_object_versions v ON v.organization_id = o.organization_id
      AND v.id = CASE WHEN p.delivery_mode IS NULL THEN o.latest_version_id ELSE ${servedObject(sql, "version_id")} END
    CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(v.payload_json -> 'servers') = 'object'
      THEN v.payload_json -> 'servers' ELSE '{}' END) s
    WHERE mm.organization_id = ${organizationId} AND mm.marketplace_id = ${marketplaceId} AND mm.removed_at IS NULL
    ORDER BY o.id, s.key LIMIT 10000`

export interface SourceRow {
  readonly account_id: Id<"cac">
  readonly instance_id: Id<"cin">
  readonly account_name: string
  readonly repository_full_name: string
  readonly branch: string
}

export const source = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">) =>
  sql<SourceRow>`SELECT a.id AS account_id, i.id AS instance_id, a.name AS account_name, i.repository_full_name, t.branch
    FROM connector_targets t
    JOIN connector_instances i ON i.organization_id = t.organization_id AND i.id = t.connector_instance_id
      AND i.removed_at IS NULL
    JOIN connector_accounts a ON a.organization_id = i.organization_id AND a.id = i.connector_account_id
    WHERE t.organization_id = ${organizationId} AND t.id = ${targetId} AND t.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Locks a marketplace until the transaction ends, and returns the columns that a change needs. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"mkt">) =>
  sql<{
    id: Id<"mkt">
    name: string
    description: string | null
    logo_url: string | null
    connector_target_id: Id<"ctg"> | null
    archived_at: Date | null
    version: number
  }>`SELECT id, name, description, logo_url, connector_target_id, archived_at, version FROM marketplaces
    WHERE organization_id = ${organizationId} AND id = ${id} AND deleted_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

export const update = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"mkt">,
  marketplace: { readonly name: string; readonly description: string | null; readonly logoUrl: string | null }
) =>
  sql`UPDATE marketplaces SET name = ${marketplace.name}, description = ${marketplace.description},
      logo_url = ${marketplace.logoUrl}, updated_at = now(), version = version + 1
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const setArchived = (sql: Sql, organizationId: Id<"org">, id: Id<"mkt">, isArchived: boolean) =>
  sql`UPDATE marketplaces SET archived_at = CASE WHEN ${isArchived} THEN now() END, updated_at = now(),
      version = version + 1
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** A plugin's membership in a marketplace, with the plugin; undefined if there is none. */
export const getMembership = (sql: Sql, caller: Member, marketplaceId: Id<"mkt">, pluginId: Id<"plg">) =>
  sql<MembershipRow>`SELECT mm.id AS membership_id, mm.created_by_membership_id AS membership_created_by,
      mm.created_at AS membership_created_at, ${plugins.columns(sql, caller)}
    FROM marketplace_memberships mm
    JOIN plugins p ON p.organization_id = mm.organization_id AND p.id = mm.plugin_id AND p.deleted_at IS NULL
    WHERE mm.organization_id = ${caller.organizationId} AND mm.marketplace_id = ${marketplaceId}
      AND mm.plugin_id = ${pluginId} AND mm.removed_at IS NULL`.pipe(Effect.map((rows) => rows[0]))

export const removePlugin = (sql: Sql, organizationId: Id<"org">, marketplaceId: Id<"mkt">, pluginId: Id<"plg">) =>
  sql<{ id: Id<"mkp"> }>`UPDATE marketplace_memberships SET removed_at = now()
    WHERE organization_id = ${organizationId} AND marketplace_id = ${marketplaceId} AND plugin_id = ${pluginId}
      AND removed_at IS NULL
    RETURNING id`.pipe(Effect.map((rows) => rows[0]?.id))

/** The owner name in the marketplace document. */
export const organizationName = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ name: string }>`SELECT name FROM organizations WHERE id = ${organizationId}`.pipe(
    Effect.map((rows) => rows[0]?.name ?? "")
  )
