import type { Manifest, Plugin } from "@orgplane/schema/plugins"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Row as ObjectRow } from "../config-objects/repo.ts"
import { pageOf } from "../config-objects/repo.ts"
import {
  isShowing,
  levelOf,
  levels,
  managesAll,
  ownLevelOf,
  pageOfVisible,
  visible
} from "../../identity/grants/index.ts"
import { pluginLevelOf } from "../../identity/grants/blocked-repo.ts"
import { hasServed, seesLatest, servedColumn, servedName, versionInRelease } from "../../identity/grants/served-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { deferStatement } from "../../infra/sql/defer.ts"
import { contains } from "../../infra/sql/like.ts"
import { prepareStatement, readAs } from "../../infra/sql/read.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import { inParts } from "../../infra/time-slices.ts"
import { manifestOf, releasedManifest } from "../../infra/sql/plugin-manifest.ts"

export interface Row {
  readonly id: Id<"plg">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly description: string | null
  readonly manifest_json: Manifest | null
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly archived_at: Date | null
  readonly deleted_at: Date | null
  readonly version: number
  readonly member_count: number
  readonly marketplaces: ReadonlyArray<{ readonly id: Id<"mkt">; readonly name: string }>
  readonly pending_release_id: Id<"rel"> | null
}

/** The number of objects that the caller sees in the plugin `p`. */
const memberCount = (sql: Sql, caller: Member): Fragment => {
  const count = (condition: Fragment) => sql`(SELECT count(*)::int FROM plugin_memberships c
    WHERE c.organization_id = p.organization_id AND c.plugin_id = p.id AND c.removed_at IS NULL AND ${condition}
      AND (SELECT co.status <> 'archived' FROM config_objects co
        WHERE co.organization_id = p.organization_id AND co.id = c.config_object_id))`
  const all = count(sql`TRUE`)
  return managesAll(caller, "plugin")
    ? all
    : sql`CASE WHEN ${seesLatest(sql, caller)} THEN ${all}
        ELSE ${count(sql`EXISTS (SELECT 1 FROM plugin_release_objects x WHERE x.organization_id = p.organization_id
          AND x.release_id = p.served_release_id AND x.object_id = c.config_object_id)`)} END`
}

/** The latest release of the plugin `p`, if it is pending approval and the caller can edit the plugin or review releases. */
const pendingRelease = (sql: Sql, caller: Member): Fragment => {
  const seesPending =
    managesAll(caller, "plugin") || caller.permissions.has("approvals:read")
      ? sql`TRUE`
      : sql`${ownLevelOf(sql, caller, "plugin", sql`p.id`)} >= ${sql.literal(String(levels.editor))}`
  return sql`CASE WHEN p.delivery_mode IS NOT NULL AND ${seesPending} THEN (
      SELECT CASE lr.state WHEN 'pending' THEN lr.id END FROM plugin_releases lr
      WHERE lr.organization_id = p.organization_id AND lr.plugin_id = p.id ORDER BY lr.number DESC LIMIT 1) END`
}

/**
 * A plugin's columns, including counts and joined rows for this caller. The status of each object is a scalar
 * subquery, because a join may read all objects of the organization for each plugin.
 */
export const columns = (sql: Sql, caller: Member) =>
  sql`p.id, p.organization_id, ${servedName(sql, caller)} AS name,
    ${servedColumn(sql, caller, { latest: sql`p.description`, released: "sr.description" })} AS description,
    ${servedColumn(sql, caller, { latest: sql.literal(manifestOf()), released: releasedManifest })} AS manifest_json,
    p.created_by_membership_id, p.created_at,
    p.updated_at, p.archived_at, p.deleted_at, p.version,
    ${memberCount(sql, caller)} AS member_count,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name) ORDER BY s.id), '[]'::jsonb)
      FROM (SELECT k.id, k.name FROM marketplace_memberships km
        JOIN marketplaces k ON k.organization_id = km.organization_id AND k.id = km.marketplace_id
          AND k.deleted_at IS NULL AND k.archived_at IS NULL
        WHERE km.organization_id = p.organization_id AND km.plugin_id = p.id AND km.removed_at IS NULL
          AND ${visible(sql, caller, "marketplace", sql`k.id`)}
        ORDER BY k.id LIMIT 100) s) AS marketplaces,
    ${pendingRelease(sql, caller)} AS pending_release_id`

export const toWire = (row: Row): Plugin => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  description: row.description,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  archivedAt: isoOrNull(row.archived_at),
  deletedAt: isoOrNull(row.deleted_at),
  memberCount: row.member_count,
  marketplaces: row.marketplaces,
  pendingReleaseId: row.pending_release_id,
  extension:
    row.manifest_json === null
      ? null
      : {
          id: row.manifest_json.id,
          name: row.manifest_json.name,
          description: row.manifest_json.description,
          manifest: row.manifest_json
        }
})

const readOne = readAs<Row & { readonly own_level: number; readonly has_served: boolean }, { readonly id: Id<"plg"> }>(
  (sql, caller, { id }) => sql`SELECT ${columns(sql, caller)}, ${hasServed(sql, caller)} AS has_served,
      ${(managesAll(caller, "marketplace") ? levelOf : ownLevelOf)(sql, caller, "plugin", sql`p.id`)} AS own_level
    FROM plugins p
    WHERE p.organization_id = ${caller.organizationId} AND p.id = ${id} AND p.deleted_at IS NULL`
)

/**
 * A plugin that the caller can see through a grant on it or on a marketplace that offers it. Managing all marketplaces
 * is not a grant, so the permission alone does not show plugins to an API key.
 */
export const get = (sql: Sql, caller: Member, id: Id<"plg">): Effect.Effect<Row | undefined, SqlError> =>
  Effect.map(readOne(sql, caller, { id }), ([row]) =>
    row === undefined ||
    !row.has_served ||
    (row.own_level === 0 && (managesAll(caller, "marketplace") || row.marketplaces.length === 0))
      ? undefined
      : row
  )

export const level = (sql: Sql, caller: Member, id: Id<"plg">) =>
  sql<{ level: number }>`SELECT ${pluginLevelOf(sql, caller)} AS level FROM plugins p
    WHERE p.organization_id = ${caller.organizationId} AND p.id = ${id} AND p.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0]?.level ?? 0)
  )

export interface Filters {
  readonly marketplaceId?: string
  readonly configObjectId?: string
  readonly q?: string
  readonly archived?: string
}

interface ListRead {
  readonly marketplaceId: string | null
  readonly configObjectId: string | null
  readonly pattern: string | null
  /** Null excludes archived plugins. */
  readonly archived: true | null
  readonly after: string | null
  readonly limit: number
}

/** The plugins of a marketplace that the caller can see, as a query of their IDs. */
const ofMarketplace = (sql: Sql, caller: Member, id: Fragment) =>
  sql`SELECT f.plugin_id AS id FROM marketplace_memberships f
    WHERE f.organization_id = ${caller.organizationId} AND f.marketplace_id = ${id}
      AND f.removed_at IS NULL AND ${visible(sql, caller, "marketplace", sql`f.marketplace_id`)}
      AND ${isShowing(sql, caller, "marketplace", sql`f.marketplace_id`)}`

/** The plugins that contain an object that the caller can see, in the content that the caller reads. */
const withObject = (sql: Sql, caller: Member, id: Fragment) =>
  sql`SELECT c.plugin_id AS id FROM plugin_memberships c
    JOIN plugins p ON p.organization_id = ${caller.organizationId} AND p.id = c.plugin_id
    WHERE c.organization_id = ${caller.organizationId} AND c.config_object_id = ${id} AND c.removed_at IS NULL
      AND ${visible(sql, caller, "configObject", sql`c.config_object_id`)}
      AND (${seesLatest(sql, caller)} OR EXISTS (SELECT 1 FROM plugin_release_objects x
        WHERE x.organization_id = ${caller.organizationId} AND x.release_id = p.served_release_id
          AND x.object_id = c.config_object_id))`

const readList = readAs<Row, ListRead>(
  (sql, caller, { after, archived, configObjectId, limit, marketplaceId, pattern }) =>
    sql`SELECT ${columns(sql, caller)} FROM (${pageOfVisible(sql, caller, {
      kind: "plugin",
      where: sql`${archived === null ? sql`o.archived_at IS NULL` : sql`TRUE`} AND ${hasServed(sql, caller, "o")}
        AND ${pattern === null ? sql`TRUE` : sql`${servedName(sql, caller, "o")} ILIKE ${pattern}`}
        AND ${
          marketplaceId === null || configObjectId === null
            ? sql`TRUE`
            : sql`o.id IN (${ofMarketplace(sql, caller, sql`${marketplaceId}`)})`
        }`,
      within:
        configObjectId !== null
          ? withObject(sql, caller, sql`${configObjectId}`)
          : marketplaceId === null
            ? undefined
            : ofMarketplace(sql, caller, sql`${marketplaceId}`),
      after,
      limit
    })}) page
    JOIN plugins p ON p.organization_id = ${caller.organizationId} AND p.id = page.id
    ORDER BY p.id DESC`
)

export const list = (sql: Sql, caller: Member, filters: Filters, after: string | null, limit: number) =>
  readList(sql, caller, {
    marketplaceId: filters.marketplaceId ?? null,
    configObjectId: filters.configObjectId ?? null,
    pattern: contains(filters.q),
    archived: filters.archived === "true" ? true : null,
    after,
    limit
  })

export interface MembershipRow extends ObjectRow {
  readonly key: Id<"pco">
  readonly fits: boolean
  readonly membership_mapping_id: Id<"cmp"> | null
  readonly membership_created_by: Id<"om"> | null
  readonly membership_created_at: Date
}

/** Which content of a plugin the caller sees. */
export interface ContentSeen {
  readonly sees_latest: boolean
  /** The release that the caller sees instead; null if none has been approved. */
  readonly release_id: Id<"rel"> | null
}

/** The content of a plugin that the caller sees; undefined if the plugin does not exist. */
export const contentSeen = (sql: Sql, caller: Member, id: Id<"plg">) =>
  sql<ContentSeen>`SELECT ${seesLatest(sql, caller)} AS sees_latest, p.served_release_id AS release_id
    FROM plugins p
    WHERE p.organization_id = ${caller.organizationId} AND p.id = ${id} AND p.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Which objects `c` of a plugin the caller sees, and in which version. */
export interface ContentsSeen {
  readonly condition?: Fragment
  /** Absent for the latest version. */
  readonly shown?: Fragment
}

/** For `listObjects`: the contents of the release that the caller sees. An archived plugin hides its contents. */
export const contentsSeen = (
  sql: Sql,
  caller: Member,
  { release_id: releaseId, sees_latest: isLatest }: ContentSeen,
  isArchived: boolean
): ContentsSeen => {
  const { organizationId } = caller
  const seen = isArchived ? visible(sql, caller, "configObject", sql`c.id`) : sql`TRUE`
  if (isLatest) return { condition: seen }
  if (releaseId === null) return { condition: sql`FALSE` }
  const condition = sql`${seen} AND EXISTS (SELECT 1 FROM plugin_release_objects x
    WHERE x.organization_id = ${organizationId} AND x.release_id = ${releaseId} AND x.object_id = c.id)`
  return { condition, shown: versionInRelease(sql, organizationId, releaseId) }
}

/** The objects of a plugin. Everyone who can see the plugin sees them, unless `condition` on `c` restricts them. */
export const listObjects = (
  sql: Sql,
  organizationId: Id<"org">,
  pluginId: Id<"plg">,
  after: string | null,
  limit: number,
  { condition = sql`TRUE`, shown }: ContentsSeen = {}
) =>
  pageOf<Omit<MembershipRow, keyof ObjectRow>>(
    sql,
    organizationId,
    sql`SELECT pm.id, pm.config_object_id AS object_id, pm.connector_mapping_id, pm.created_by_membership_id AS created_by,
        pm.created_at AS added_at
      FROM plugin_memberships pm
      JOIN config_objects c ON c.organization_id = pm.organization_id AND c.id = pm.config_object_id
        AND c.deleted_at IS NULL AND c.status <> 'archived'
      WHERE pm.organization_id = ${organizationId} AND pm.plugin_id = ${pluginId} AND pm.removed_at IS NULL
        AND (${after}::text IS NULL OR pm.id < ${after}) AND ${condition}
      ORDER BY pm.id DESC LIMIT ${limit}`,
    sql`w.connector_mapping_id AS membership_mapping_id, w.created_by AS membership_created_by,
      w.added_at AS membership_created_at`,
    shown
  )

interface NewPlugin {
  readonly organizationId: Id<"org">
  readonly id: Id<"plg">
  readonly name: string
  readonly description: string | null
  readonly createdBy: Id<"om"> | null
}

const insertPlugin = prepareStatement<NewPlugin>(
  (sql, { createdBy, description, id, name, organizationId }) =>
    sql`INSERT INTO plugins (organization_id, id, name, description, created_by_membership_id, created_at, updated_at)
      VALUES (${organizationId}, ${id}, ${name}, ${description}, ${createdBy}, now(), now())`
)

export const create = (sql: Sql, plugin: NewPlugin) => deferStatement(sql, insertPlugin(sql, plugin))

/** A plugin from a repository. Existing plugins keep their identifier and get the new name and manifest. */
export interface SourcedPlugin {
  readonly id: Id<"plg">
  readonly name: string
  readonly description: string
  readonly manifest: Manifest
  /**
   * The commit to use if the manifest's source location has none: a commit, or '' for the branch's commit; null if the
   * location has one.
   */
  readonly sourceRevision: string | null
  readonly targetId: Id<"ctg">
  readonly candidateKey: string
}

export const putSourced = (
  sql: Sql,
  organizationId: Id<"org">,
  plugins: ReadonlyArray<SourcedPlugin>,
  createdBy: Id<"om"> | null
) =>
  inParts(
    plugins,
    (part) => sql<{
      id: Id<"plg">
      candidate_key: string
      is_new: boolean
    }>`INSERT INTO plugins AS p (organization_id, id, name,
      description, manifest_json, source_revision, created_by_membership_id, connector_target_id, candidate_key,
      created_at, updated_at)
    SELECT ${organizationId}, r.id, r.name, nullif(r.description, ''), r.manifest, r."sourceRevision", ${createdBy},
      r."targetId", r."candidateKey", now(), now()
    FROM jsonb_to_recordset(${sql.json(part)}) AS r(id text, name text, description text, manifest jsonb,
      "sourceRevision" text, "targetId" text, "candidateKey" text)
    ORDER BY r.id
    ON CONFLICT (organization_id, connector_target_id, candidate_key)
      WHERE deleted_at IS NULL AND connector_target_id IS NOT NULL
    DO UPDATE SET name = excluded.name, description = excluded.description, manifest_json = excluded.manifest_json,
      source_revision = excluded.source_revision,
      updated_at = CASE WHEN (p.name, p.description, p.manifest_json)
          IS DISTINCT FROM (excluded.name, excluded.description, excluded.manifest_json)
        THEN now() ELSE p.updated_at END,
      version = p.version + CASE WHEN (p.name, p.description, p.manifest_json)
          IS DISTINCT FROM (excluded.name, excluded.description, excluded.manifest_json) THEN 1 ELSE 0 END
    RETURNING id, candidate_key, xmax = 0 AS is_new`
  )

/** Locks a plugin until the transaction ends, and returns the columns that a change needs. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"plg">) =>
  sql<{
    id: Id<"plg">
    name: string
    description: string | null
    connector_target_id: Id<"ctg"> | null
    archived_at: Date | null
    version: number
  }>`SELECT id, name, description, connector_target_id, archived_at, version FROM plugins
    WHERE organization_id = ${organizationId} AND id = ${id} AND deleted_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

export const update = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"plg">,
  plugin: { readonly name: string; readonly description: string | null }
) =>
  sql`UPDATE plugins SET name = ${plugin.name}, description = ${plugin.description}, updated_at = now(),
      version = version + 1
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const setArchived = (sql: Sql, organizationId: Id<"org">, id: Id<"plg">, isArchived: boolean) =>
  sql`UPDATE plugins SET archived_at = CASE WHEN ${isArchived} THEN now() END, updated_at = now(), version = version + 1
    WHERE organization_id = ${organizationId} AND id = ${id}`
