import type { ArchiveFormat } from "@orgplane/schema/plugin-archives"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { type Holder, isShowing, visible } from "../../identity/grants/index.ts"
import { isDelivered } from "../../identity/grants/blocked-repo.ts"
import { isPinStored, joinDelivered } from "../../identity/grants/pinned-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import {
  archiveFormat,
  filesMax,
  type FolderFileRow,
  type FolderRows,
  type ObjectRow,
  type PluginRow
} from "./archive-layout.ts"

/**
 * The objects of a plugin, one row each. OFFSET 0 keeps the planner from joining, so that each object is looked up by
 * index, even with a plan that was made when the tables were small.
 */
export const objectsOf = (sql: Sql, organizationId: Id<"org">, pluginId: Fragment) =>
  sql`SELECT o.id AS object_id, o.latest_version_id AS version_id, o.object_type, o.title, o.file_name, o.relative_path,
      m.id IS NOT NULL AS is_mapped, m.config_json ->> 'pointer' AS pointer, m.config_json ->> 'component' AS component
    FROM plugin_memberships pm
    CROSS JOIN LATERAL (SELECT c.id, c.latest_version_id, c.object_type, c.title, c.file_name, c.relative_path
      FROM config_objects c
      WHERE c.organization_id = ${organizationId} AND c.id = pm.config_object_id AND c.deleted_at IS NULL
        AND c.status <> 'archived' AND c.latest_version_id IS NOT NULL OFFSET 0) o
    LEFT JOIN LATERAL (SELECT n.id, n.config_json FROM connector_mappings n
      WHERE n.organization_id = ${organizationId} AND n.id = pm.connector_mapping_id OFFSET 0) m ON TRUE
    WHERE pm.organization_id = ${organizationId} AND pm.plugin_id = ${pluginId} AND pm.removed_at IS NULL
    ORDER BY o.id LIMIT ${filesMax + 1}`

/** A fingerprint of everything in the archive of the plugin `p`. The same fingerprint means the same bytes. */
export const fingerprint = (sql: Sql, organizationId: Id<"org">) =>
  sql`encode(sha256(convert_to(jsonb_build_array(${archiveFormat}::int, p.name, p.description,
      p.manifest_json -> 'id', p.manifest_json -> 'resources', p.manifest_json -> 'setup',
      p.manifest_json -> 'lifecycle' -> 'metadata',
      (SELECT jsonb_agg(jsonb_build_array(x.object_id, x.version_id, x.object_type, x.title, x.file_name,
          x.relative_path, x.is_mapped, x.pointer, x.component) ORDER BY x.object_id)
        FROM (${objectsOf(sql, organizationId, sql`p.id`)}) x))::text, 'UTF8')), 'hex')`

/** The fingerprint of the archive of a release `r`, whose content never changes. */
const releaseFingerprint = (sql: Sql) =>
  sql`encode(sha256(convert_to(${archiveFormat}::int || ':' || r.id, 'UTF8')), 'hex')`

/** A fingerprint of everything in the archive that is delivered of the plugin `p`: of its release `r`, if any. */
export const fingerprintOfDelivered = (sql: Sql, organizationId: Id<"org">) =>
  sql`CASE WHEN r.id IS NULL THEN ${fingerprint(sql, organizationId)} ELSE ${releaseFingerprint(sql)} END`

export interface Listing extends PluginRow {
  readonly fingerprint: string
  /** Null for the latest content of the plugin. */
  readonly release_id: Id<"rel"> | null
  readonly objects: ReadonlyArray<ObjectRow>
  /** The files of the plugin's folder; null for a plugin without a repository, or one whose files were not read yet. */
  readonly files: ReadonlyArray<FolderFileRow> | null
  readonly archived: FolderRows["archived"]
}

/** The files of the plugin `p` as its repository has them. */
const folder = (sql: Sql, organizationId: Id<"org">) =>
  sql`CASE WHEN p.manifest_json #> '{setup,files,digest}' IS NULL THEN NULL
    ELSE (SELECT coalesce(jsonb_agg(jsonb_build_object('path', f.path, 'is_executable', f.is_executable,
        'digest', f.digest, 'bytes', b.size)), '[]'::jsonb)
      FROM plugin_files f
      CROSS JOIN LATERAL (SELECT c.size FROM plugin_file_blobs c
        WHERE c.organization_id = ${organizationId} AND c.digest = f.digest OFFSET 0) b
      WHERE f.organization_id = ${organizationId} AND f.plugin_id = p.id AND f.to_sequence IS NULL) END`

/** The paths of archived objects of the plugin `p`. */
export const archivedPaths = (sql: Sql, organizationId: Id<"org">) =>
  sql`(SELECT coalesce(jsonb_agg(jsonb_build_object('path', o.relative_path, 'pointer', m.pointer)), '[]'::jsonb)
    FROM plugin_memberships pm
    CROSS JOIN LATERAL (SELECT c.relative_path FROM config_objects c
      WHERE c.organization_id = ${organizationId} AND c.id = pm.config_object_id AND c.deleted_at IS NULL
        AND c.status = 'archived' OFFSET 0) o
    CROSS JOIN LATERAL (SELECT n.config_json ->> 'pointer' AS pointer FROM connector_mappings n
      WHERE n.organization_id = ${organizationId} AND n.id = pm.connector_mapping_id OFFSET 0) m
    WHERE pm.organization_id = ${organizationId} AND pm.plugin_id = p.id AND pm.removed_at IS NULL)`

/** The version `version_id` of the object `x`, without its content. */
const measured = (sql: Sql, organizationId: Id<"org">) =>
  sql`SELECT coalesce(octet_length(c.source_text), octet_length(c.payload_json::text), 0) AS bytes,
      c.source_text IS NOT NULL AS has_text, coalesce(left(c.source_text, 2) = '#!', false) AS is_executable
    FROM config_object_versions c WHERE c.organization_id = ${organizationId} AND c.id = x.version_id OFFSET 0`

/** The objects `x` with their versions `v`, as `ObjectRow`s. */
const objectRows = (sql: Sql) =>
  sql.literal(`coalesce(jsonb_agg(jsonb_build_object('object_id', x.object_id, 'version_id', x.version_id,
    'object_type', x.object_type, 'title', x.title, 'file_name', x.file_name, 'relative_path', x.relative_path,
    'is_mapped', x.is_mapped, 'pointer', x.pointer, 'component', x.component,
    'bytes', v.bytes, 'has_text', v.has_text, 'is_executable', v.is_executable)), '[]'::jsonb)`)

const listingIf = (sql: Sql, organizationId: Id<"org">, id: Id<"plg">, condition: Fragment) =>
  sql<Listing>`SELECT p.name, p.description, p.manifest_json, ${fingerprint(sql, organizationId)} AS fingerprint,
      NULL::text AS release_id,
      (SELECT ${objectRows(sql)} FROM (${objectsOf(sql, organizationId, sql`p.id`)}) x
        CROSS JOIN LATERAL (${measured(sql, organizationId)}) v) AS objects,
      ${folder(sql, organizationId)} AS files, ${archivedPaths(sql, organizationId)} AS archived
    FROM plugins p
    WHERE p.organization_id = ${organizationId} AND p.id = ${id} AND p.deleted_at IS NULL AND ${condition}`.pipe(
    Effect.map((rows) => rows[0])
  )

/**
 * The latest content of a plugin from a single snapshot, without the contents of its objects. Agents and viewers receive
 * the served release instead if the plugin has a delivery mode.
 */
export const listing = (sql: Sql, organizationId: Id<"org">, id: Id<"plg">) =>
  listingIf(sql, organizationId, id, sql`TRUE`)

/** Like `listing`, but undefined if the plugin has a delivery mode in the same snapshot. */
export const ungatedListing = (sql: Sql, organizationId: Id<"org">, id: Id<"plg">) =>
  listingIf(sql, organizationId, id, sql`p.delivery_mode IS NULL`)

/** What is delivered of a plugin. */
export interface Gate {
  /** Whether the plugin has a delivery mode, so that its latest content is never delivered. */
  readonly is_gated: boolean
  /** The release that the receiver receives: the one that an assignment pins, or else the served one. */
  readonly release_id: Id<"rel"> | null
  /** Whether another release may have to be served, because the content may have changed since the last check. */
  readonly has_checks: boolean
  /** False if an assignment blocks the plugin for the receiver, or pins a release that is not stored. */
  readonly is_delivered: boolean
}

/** Whether the plugin has open checks. */
export const hasChecks = (sql: Sql, organizationId: Id<"org">, plugin = "p") =>
  sql`(${sql(plugin)}.delivery_mode IS NOT NULL AND EXISTS (SELECT 1 FROM plugin_release_checks k
    WHERE k.organization_id = ${organizationId} AND k.plugin_id = ${sql(plugin)}.id))`

export const gate = (sql: Sql, organizationId: Id<"org">, id: Id<"plg">, receiver?: Holder) =>
  sql<Gate>`SELECT p.delivery_mode IS NOT NULL AS is_gated, r.id AS release_id,
      pin.digest IS NULL AND ${hasChecks(sql, organizationId)} AS has_checks,
      ${isPinStored(sql)} AND ${receiver === undefined ? sql`TRUE` : isDelivered(sql, receiver, sql`p.id`)} AS is_delivered
    FROM plugins p ${joinDelivered(sql, organizationId, receiver)}
    WHERE p.organization_id = ${organizationId} AND p.id = ${id} AND p.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The content of a release; undefined if it was deleted. */
export const releaseListing = (sql: Sql, organizationId: Id<"org">, id: Id<"rel">) =>
  sql<Listing>`SELECT r.name, r.description, r.manifest_json, ${releaseFingerprint(sql)} AS fingerprint,
      r.id AS release_id,
      (SELECT ${objectRows(sql)} FROM plugin_release_objects x
        CROSS JOIN LATERAL (${measured(sql, organizationId)}) v
        WHERE x.organization_id = ${organizationId} AND x.release_id = r.id) AS objects,
      CASE WHEN r.has_files THEN (SELECT coalesce(jsonb_agg(jsonb_build_object('path', f.path,
          'is_executable', f.is_executable, 'digest', f.digest, 'bytes', b.size)), '[]'::jsonb)
        FROM plugin_release_files f
        CROSS JOIN LATERAL (SELECT c.size FROM plugin_file_blobs c
          WHERE c.organization_id = ${organizationId} AND c.digest = f.digest OFFSET 0) b
        WHERE f.organization_id = ${organizationId} AND f.release_id = r.id) END AS files,
      r.archived_json AS archived
    FROM plugin_releases r WHERE r.organization_id = ${organizationId} AND r.id = ${id} AND r.has_contents`.pipe(
    Effect.map((rows) => rows[0])
  )

export interface Content {
  readonly version_id: string
  readonly text: string | null
  /** Null if there is a text, from which the payload was parsed. */
  readonly payload: unknown
}

/** The contents of versions, each by an index lookup. */
export const readContents = (sql: Sql, organizationId: Id<"org">, versionIds: ReadonlyArray<string>) =>
  sql<Content>`SELECT v.version_id, v.text, v.payload
    FROM jsonb_array_elements_text(${sql.json(versionIds)}) AS wanted(id)
    CROSS JOIN LATERAL (SELECT c.id AS version_id, c.source_text AS text,
        CASE WHEN c.source_text IS NULL THEN c.payload_json END AS payload
      FROM config_object_versions c WHERE c.organization_id = ${organizationId} AND c.id = wanted.id OFFSET 0) v`

/** Contents of repository files, each by an index lookup. */
export const readBlobs = (sql: Sql, organizationId: Id<"org">, digests: ReadonlyArray<string>) =>
  sql<{ digest: string; bytes: Uint8Array }>`SELECT b.digest, b.bytes
    FROM jsonb_array_elements_text(${sql.json(digests)}) AS wanted(digest)
    CROSS JOIN LATERAL (SELECT c.digest, c.bytes FROM plugin_file_blobs c
      WHERE c.organization_id = ${organizationId} AND c.digest = wanted.digest OFFSET 0) b`

/** What an archive is made of. */
export interface ArchiveKey {
  readonly organizationId: Id<"org">
  readonly pluginId: Id<"plg">
  /** Null for the latest content of the plugin. */
  readonly releaseId: Id<"rel"> | null
  readonly format: ArchiveFormat
  readonly fingerprint: string
}

export interface KnownRow {
  readonly fingerprint: string
  /** Null if no archive can be created. */
  readonly sha256: string | null
}

/** The stored digest of the archive; undefined if the content has changed since. */
export const storedDigest = (sql: Sql, { fingerprint, format, organizationId, pluginId, releaseId }: ArchiveKey) =>
  (releaseId === null
    ? sql<KnownRow>`SELECT fingerprint, sha256 FROM plugin_archives
        WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId} AND format = ${format}
          AND fingerprint = ${fingerprint}`
    : sql<KnownRow>`SELECT k.archive ->> 'fingerprint' AS fingerprint, k.archive ->> 'sha256' AS sha256
        FROM (SELECT r.archives_json -> ${format}::text AS archive FROM plugin_releases r
          WHERE r.organization_id = ${organizationId} AND r.id = ${releaseId}) k
        WHERE k.archive ->> 'fingerprint' = ${fingerprint}`
  ).pipe(Effect.map((rows) => rows[0]))

/**
 * Stores the digest of an archive; null if none can be created. The digest of a release is stored with the release, because
 * several releases of a plugin can be delivered at the same time.
 */
export const keep = (
  sql: Sql,
  { fingerprint, format, organizationId, pluginId, releaseId }: ArchiveKey,
  archive: { readonly sha256: string; readonly bytes: number } | null
) => {
  const [sha256, bytes] = [archive?.sha256 ?? null, archive?.bytes ?? null]
  return releaseId === null
    ? sql`INSERT INTO plugin_archives (organization_id, plugin_id, format, fingerprint, sha256, bytes, made_at)
        SELECT p.organization_id, p.id, ${format}, ${fingerprint}, ${sha256}, ${bytes}, now()
        FROM plugins p WHERE p.organization_id = ${organizationId} AND p.id = ${pluginId}
        ON CONFLICT (organization_id, plugin_id, format) DO UPDATE SET fingerprint = excluded.fingerprint,
          sha256 = excluded.sha256, bytes = excluded.bytes, made_at = excluded.made_at`
    : sql`UPDATE plugin_releases
        SET archives_json = coalesce(archives_json, '{}'::jsonb)
          || ${sql.json({ [format]: { fingerprint, sha256, bytes } })}::jsonb
        WHERE organization_id = ${organizationId} AND id = ${releaseId}`
}

/**
 * The columns `is_known` and `sha256` of a plugin with the columns `fingerprint` and `archive`. The row `a` is that of its
 * latest content, if it is current; `archive` is that of the release.
 */
export const archiveColumns = (sql: Sql, plugin: string): Fragment =>
  sql.literal(`(a.plugin_id IS NOT NULL OR coalesce(${plugin}.archive ->> 'fingerprint' = ${plugin}.fingerprint, FALSE))
    AS is_known, coalesce(a.sha256, ${plugin}.archive ->> 'sha256') AS sha256`)

export interface OfferedRow extends PluginRow {
  readonly id: Id<"plg">
  /** The release that is delivered. Null if the latest content is delivered. */
  readonly release_id: Id<"rel"> | null
  /** Whether `sha256` is current: the digest of the archive, or null if none can be created. */
  readonly is_known: boolean
  readonly sha256: string | null
  readonly has_checks: boolean
  /** False if no release has been approved yet. */
  readonly is_served: boolean
}

/** The plugins of a marketplace that the holder can see, oldest first. */
export const offered = (sql: Sql, holder: Holder, marketplaceId: Id<"mkt">, format: ArchiveFormat, limit: number) =>
  sql<OfferedRow>`SELECT f.id, f.name, f.description, f.manifest_json, ${archiveColumns(sql, "f")}, f.release_id,
      f.has_checks, f.is_served
    FROM (SELECT p.id, CASE WHEN r.id IS NULL THEN p.name ELSE r.name END AS name,
        CASE WHEN r.id IS NULL THEN p.description ELSE r.description END AS description,
        CASE WHEN r.id IS NULL THEN p.manifest_json ELSE r.manifest_json END AS manifest_json,
        ${fingerprintOfDelivered(sql, holder.organizationId)} AS fingerprint,
        r.id AS release_id, r.archives_json -> ${format}::text AS archive,
        ${hasChecks(sql, holder.organizationId)} AS has_checks,
        p.delivery_mode IS NULL OR r.id IS NOT NULL AS is_served
      FROM marketplace_memberships mm
      JOIN plugins p ON p.organization_id = mm.organization_id AND p.id = mm.plugin_id AND p.deleted_at IS NULL
      ${joinDelivered(sql, holder.organizationId, holder)}
      WHERE mm.organization_id = ${holder.organizationId} AND mm.marketplace_id = ${marketplaceId}
        AND (p.delivery_mode IS NULL OR r.id IS NOT NULL OR ${hasChecks(sql, holder.organizationId)})
        AND mm.removed_at IS NULL AND ${isShowing(sql, holder, "marketplace", sql`mm.marketplace_id`)}
        AND ${isShowing(sql, holder, "plugin", sql`p.id`)} AND ${visible(sql, holder, "plugin", sql`p.id`)}
        AND ${isDelivered(sql, holder, sql`p.id`)} AND ${isPinStored(sql)}
      ORDER BY p.id LIMIT ${limit}) f
    LEFT JOIN plugin_archives a ON a.organization_id = ${holder.organizationId} AND a.plugin_id = f.id
      AND a.format = ${format} AND a.fingerprint = f.fingerprint
    ORDER BY f.id`

/** Whether the holder can see the marketplace and its plugin. */
export const isOffered = (sql: Sql, holder: Holder, marketplaceId: Id<"mkt">, id: Id<"plg">) =>
  sql<{ is_seen: boolean }>`SELECT ${visible(sql, holder, "marketplace", sql`mm.marketplace_id`)}
      AND coalesce(${isShowing(sql, holder, "marketplace", sql`mm.marketplace_id`)}, false)
      AND ${visible(sql, holder, "plugin", sql`mm.plugin_id`)}
      AND coalesce(${isShowing(sql, holder, "plugin", sql`mm.plugin_id`)}, false)
      AND ${isDelivered(sql, holder, sql`mm.plugin_id`)} AS is_seen
    FROM marketplace_memberships mm
    WHERE mm.organization_id = ${holder.organizationId} AND mm.marketplace_id = ${marketplaceId}
      AND mm.plugin_id = ${id} AND mm.removed_at IS NULL`.pipe(Effect.map((rows) => rows[0]?.is_seen === true))

/** Whether the holder can still see the plugin, and no assignment blocks it. */
export const isSeen = (sql: Sql, holder: Holder, id: Id<"plg">) =>
  sql<{ is_seen: boolean }>`SELECT ${visible(sql, holder, "plugin", sql`p.id`)}
      AND coalesce(${isShowing(sql, holder, "plugin", sql`p.id`)}, false)
      AND ${isDelivered(sql, holder, sql`p.id`)} AS is_seen
    FROM plugins p WHERE p.organization_id = ${holder.organizationId} AND p.id = ${id}`.pipe(
    Effect.map((rows) => rows[0]?.is_seen === true)
  )

/** A member with the current role and permissions; undefined if the member or the organization was removed. */
export const member = (sql: Sql, organizationId: Id<"org">, id: string) =>
  sql<{ role: string; permissions: ReadonlyArray<string> | null }>`SELECT m.role, r.permissions_json AS permissions
    FROM memberships m
    JOIN organizations g ON g.id = m.organization_id AND g.deleted_at IS NULL
      AND (g.provisional_until IS NULL OR g.provisional_until > now())
    LEFT JOIN roles r ON r.organization_id = m.organization_id AND r.id = m.role AND r.removed_at IS NULL
    WHERE m.organization_id = ${organizationId} AND m.id = ${id} AND m.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export const key = (sql: Sql, organizationId: Id<"org">, id: string) =>
  sql<{ permissions: ReadonlyArray<string> }>`SELECT k.permissions_json AS permissions FROM api_keys k
    JOIN organizations g ON g.id = k.organization_id AND g.deleted_at IS NULL
      AND (g.provisional_until IS NULL OR g.provisional_until > now())
    WHERE k.organization_id = ${organizationId} AND k.id = ${id} AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())`.pipe(Effect.map((rows) => rows[0]))
