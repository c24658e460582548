import type { ConfigObject, Version } from "@orgplane/schema/config-objects"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { pluginLevelOf } from "../../identity/grants/blocked-repo.ts"
import { pageOfVisible } from "../../identity/grants/index.ts"
import {
  contentRead,
  isServed,
  objectLevelOf,
  servedTitle,
  servedVersion,
  shows,
  versionsRead
} from "../../identity/grants/served-repo.ts"
import { makeId } from "../../infra/ids.ts"
import { parseContent } from "./parse.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { readAs } from "../../infra/sql/read.ts"
import { rowsAtOnce, texts } from "../../infra/sql/texts.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"

export interface VersionRow {
  readonly v_id: Id<"cov">
  readonly v_object_id: Id<"cob">
  readonly v_ordinal: number
  readonly v_schema_version: string | null
  readonly v_payload: JsonObject | null
  readonly v_text: string | null
  readonly v_digest: string
  readonly v_created_via: Version["createdVia"]
  readonly v_created_by: Id<"om"> | null
  readonly v_sync_event_id: Id<"cse"> | null
  readonly v_revision: string | null
  readonly v_is_deleted: boolean
  readonly v_created_at: Date
}

export interface Row extends Omit<VersionRow, "v_id"> {
  readonly v_id: Id<"cov"> | null
  readonly id: Id<"cob">
  readonly organization_id: Id<"org">
  readonly object_type: ConfigObject["objectType"]
  readonly source_mode: ConfigObject["sourceMode"]
  readonly status: ConfigObject["status"]
  readonly title: string
  readonly description: string | null
  readonly search_text: string | null
  readonly file_name: string | null
  readonly file_extension: string | null
  readonly relative_path: string | null
  readonly created_by_membership_id: Id<"om"> | null
  readonly connector_instance_id: Id<"cin"> | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly deleted_at: Date | null
  /** Whether the version is older than the latest one, from which the title and description were read. */
  readonly is_earlier?: boolean
}

export const versionColumns = (sql: Sql) =>
  sql.literal(`v.id AS v_id, v.config_object_id AS v_object_id, v.ordinal AS v_ordinal,
    v.schema_version AS v_schema_version, v.payload_json AS v_payload, v.source_text AS v_text,
    v.content_digest AS v_digest, v.created_via AS v_created_via, v.created_by_membership_id AS v_created_by,
    v.sync_event_id AS v_sync_event_id, v.source_revision AS v_revision, v.is_deleted_version AS v_is_deleted,
    v.created_at AS v_created_at`)

export const objectColumns = (sql: Sql) =>
  sql.literal(`o.id, o.organization_id, o.object_type, o.source_mode, o.status, o.title, o.description, o.search_text,
    o.file_name, o.file_extension, o.relative_path, o.created_by_membership_id, o.connector_instance_id, o.version,
    o.created_at, o.updated_at, o.deleted_at`)

export const versionToWire = (row: VersionRow): Version => ({
  id: row.v_id,
  configObjectId: row.v_object_id,
  ordinal: row.v_ordinal,
  schemaVersion: row.v_schema_version,
  normalizedPayloadJson: row.v_payload,
  rawSourceText: row.v_text,
  contentDigest: row.v_digest,
  createdVia: row.v_created_via,
  createdByOrgMembershipId: row.v_created_by,
  connectorSyncEventId: row.v_sync_event_id,
  sourceRevisionRef: row.v_revision,
  isDeletedVersion: row.v_is_deleted,
  createdAt: iso(row.v_created_at)
})

/** The title and description of the version in the row. */
const describedIn = (row: Row) =>
  row.is_earlier === true
    ? parseContent({ objectType: row.object_type, fileName: row.file_name, text: row.v_text, payload: row.v_payload })
    : { title: row.title, description: row.description, searchText: row.search_text }

export const toWire = (row: Row): ConfigObject => {
  const { description, searchText, title } = describedIn(row)
  return {
    id: row.id,
    organizationId: row.organization_id,
    objectType: row.object_type,
    sourceMode: row.source_mode,
    status: row.status,
    title,
    description,
    searchText,
    currentFileName: row.file_name,
    currentFileExtension: row.file_extension,
    currentRelativePath: row.relative_path,
    createdByOrgMembershipId: row.created_by_membership_id,
    connectorInstanceId: row.connector_instance_id,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    deletedAt: isoOrNull(row.deleted_at),
    latestVersion: row.v_id === null ? null : versionToWire({ ...row, v_id: row.v_id })
  }
}

/** Maximum total text of one page, so that a page of a hundred large objects does not fill memory. */
export const pageBytesMax = 8 * 1_048_576

/**
 * A page of objects with the version `shown` of each object `o`. `keys` selects `id` (the sort key and cursor) and
 * `object_id`. Contents beyond the byte limit are not read.
 */
export const pageOf = <Extra>(
  sql: Sql,
  organizationId: Id<"org">,
  keys: Fragment,
  extra: Fragment,
  shown: Fragment = sql`o.latest_version_id`
) =>
  sql<Row & Extra & { readonly key: string; readonly fits: boolean }>`
    WITH keys AS (${keys}),
    weighed AS (
      SELECT k.*, v.id AS version_id, sum(coalesce(octet_length(v.source_text), 0) + coalesce(pg_column_size(v.payload_json), 0))
          OVER (ORDER BY k.id DESC) <= ${pageBytesMax} AS fits,
        row_number() OVER (ORDER BY k.id DESC) = 1 AS is_first
      FROM keys k
      JOIN config_objects o ON o.organization_id = ${organizationId} AND o.id = k.object_id
      LEFT JOIN config_object_versions v ON v.organization_id = ${organizationId} AND v.id = ${shown}
    )
    SELECT w.id AS key, (w.fits OR w.is_first) AS fits, ${extra}, ${objectColumns(sql)}, ${versionColumns(sql)},
      v.id <> o.latest_version_id AS is_earlier
    FROM weighed w
    JOIN config_objects o ON o.organization_id = ${organizationId} AND o.id = w.object_id
    LEFT JOIN config_object_versions v ON v.organization_id = ${organizationId} AND v.id = w.version_id
      AND (w.fits OR w.is_first)
    ORDER BY w.id DESC`

export interface Filters {
  readonly type?: string
  readonly pluginId?: string
  readonly connectorInstanceId?: string
  readonly q?: string
  readonly archived?: string
}

interface ListRead {
  readonly type: string | null
  readonly pluginId: string | null
  readonly connectorInstanceId: string | null
  readonly pattern: string | null
  /** Null excludes archived objects. */
  readonly archived: true | null
  readonly after: string | null
  readonly limit: number
}

type ListRow = Row & { readonly none: null; readonly key: string; readonly fits: boolean }

const isNotArchived = (sql: Sql) => sql`o.status <> 'archived'`

const readList = readAs<ListRow, ListRead>((sql, caller, read) => {
  const { after, archived, connectorInstanceId, limit, pattern, pluginId, type } = read
  const organization = caller.organizationId
  const where = sql`${archived === null ? isNotArchived(sql) : sql`TRUE`}
    AND ${type === null ? sql`TRUE` : sql`o.object_type = ${type}`}
    AND ${connectorInstanceId === null ? sql`TRUE` : sql`o.connector_instance_id = ${connectorInstanceId}`}
    AND ${isServed(sql, caller, pattern)}`
  const within =
    pluginId !== null
      ? sql`SELECT f.config_object_id AS id FROM plugin_memberships f
        WHERE f.organization_id = ${organization} AND f.plugin_id = ${pluginId} AND f.removed_at IS NULL
          AND ${shows(sql, caller, sql`${pluginId}`)}`
      : connectorInstanceId !== null
        ? sql`SELECT f.id FROM config_objects f
          WHERE f.organization_id = ${organization} AND f.connector_instance_id = ${connectorInstanceId}`
        : undefined
  return pageOf<{ readonly none: null }>(
    sql,
    organization,
    sql`SELECT page.id, page.id AS object_id
      FROM (${pageOfVisible(sql, caller, { kind: "configObject", where, within, after, limit })}) page`,
    sql`NULL::text AS none`,
    servedVersion(sql, caller)
  )
})

export const list = (sql: Sql, caller: Member, filters: Filters, after: string | null, limit: number) =>
  readList(sql, caller, {
    type: filters.type ?? null,
    pluginId: filters.pluginId ?? null,
    connectorInstanceId: filters.connectorInstanceId ?? null,
    pattern: contains(filters.q),
    archived: filters.archived === "true" ? true : null,
    after,
    limit
  })

type TitleRow = Pick<Row, "id" | "object_type" | "title">

const readTitles = readAs<TitleRow, { readonly pattern: string | null; readonly limit: number }>(
  (sql, caller, { limit, pattern }) => {
    const where = sql`${isNotArchived(sql)} AND ${isServed(sql, caller, pattern)}`
    return sql`SELECT o.id, o.object_type, ${servedTitle(sql, caller)} AS title
      FROM (${pageOfVisible(sql, caller, { kind: "configObject", where, after: null, limit })}) page
      JOIN config_objects o ON o.organization_id = ${caller.organizationId} AND o.id = page.id
      ORDER BY o.id DESC`
  }
)

/** The first objects of the list whose titles contain the text, without their contents, which can be large. */
export const listTitles = (sql: Sql, caller: Member, q: string, limit: number) =>
  readTitles(sql, caller, { pattern: contains(q), limit })

export const get = (sql: Sql, caller: Member, id: Id<"cob">) =>
  sql<
    Row & { readonly level: number; readonly is_served: boolean }
  >`SELECT ${objectColumns(sql)}, ${versionColumns(sql)},
      ${objectLevelOf(sql, caller)} AS level, v.id <> o.latest_version_id AS is_earlier,
      o.latest_version_id IS NULL OR v.id IS NOT NULL AS is_served
    FROM config_objects o CROSS JOIN ${contentRead(sql, caller)}
    LEFT JOIN config_object_versions v ON v.organization_id = o.organization_id AND v.id = r.version_id
    WHERE o.organization_id = ${caller.organizationId} AND o.id = ${id} AND o.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/**
 * Returns complete objects after a write, in no particular order. Each id and each version is one index lookup: OFFSET
 * keeps the planner from joining both complete tables, regardless of its size estimates.
 */
export const findMany = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"cob">>) =>
  sql<Row>`SELECT ${objectColumns(sql)}, v.v_id, v.v_object_id, v.v_ordinal, v.v_schema_version, v.v_payload, v.v_text,
      v.v_digest, v.v_created_via, v.v_created_by, v.v_sync_event_id, v.v_revision, v.v_is_deleted, v.v_created_at
    FROM (SELECT DISTINCT jsonb_array_elements_text(${sql.json(ids)}) AS id) asked
    CROSS JOIN LATERAL (SELECT ${objectColumns(sql)}, o.latest_version_id FROM config_objects o
      WHERE o.organization_id = ${organizationId} AND o.id = asked.id AND o.deleted_at IS NULL OFFSET 0) o
    LEFT JOIN LATERAL (SELECT ${versionColumns(sql)} FROM config_object_versions v
      WHERE v.organization_id = ${organizationId} AND v.id = o.latest_version_id OFFSET 0) v ON true`

export const level = (sql: Sql, caller: Member, id: Id<"cob">) =>
  sql<{ level: number }>`SELECT ${objectLevelOf(sql, caller)} AS level FROM config_objects o
    WHERE o.organization_id = ${caller.organizationId} AND o.id = ${id} AND o.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0]?.level ?? 0)
  )

export const listVersions = (sql: Sql, caller: Member, objectId: Id<"cob">, after: string | null, limit: number) =>
  sql<VersionRow & { readonly fits: boolean }>`
    WITH keys AS (
      SELECT v.id, sum(coalesce(octet_length(v.source_text), 0) + coalesce(pg_column_size(v.payload_json), 0))
          OVER (ORDER BY v.id DESC) <= ${pageBytesMax} AS fits,
        row_number() OVER (ORDER BY v.id DESC) = 1 AS is_first
      ${versionsRead(sql, caller, objectId)} AND (${after}::text IS NULL OR v.id < ${after})
      ORDER BY v.id DESC LIMIT ${limit}
    )
    SELECT (k.fits OR k.is_first) AS fits, v.id AS v_id, v.config_object_id AS v_object_id, v.ordinal AS v_ordinal,
      v.schema_version AS v_schema_version,
      CASE WHEN k.fits OR k.is_first THEN v.payload_json END AS v_payload,
      CASE WHEN k.fits OR k.is_first THEN v.source_text END AS v_text,
      v.content_digest AS v_digest, v.created_via AS v_created_via, v.created_by_membership_id AS v_created_by,
      v.sync_event_id AS v_sync_event_id, v.source_revision AS v_revision, v.is_deleted_version AS v_is_deleted,
      v.created_at AS v_created_at
    FROM keys k JOIN config_object_versions v ON v.organization_id = ${caller.organizationId} AND v.id = k.id
    ORDER BY v.id DESC`

export const findVersion = (sql: Sql, organizationId: Id<"org">, objectId: Id<"cob">, id: Id<"cov">) =>
  sql<VersionRow>`SELECT ${versionColumns(sql)} FROM config_object_versions v
    WHERE v.organization_id = ${organizationId} AND v.config_object_id = ${objectId} AND v.id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** A version that the caller reads. */
export const readVersion = (sql: Sql, caller: Member, objectId: Id<"cob">, id: Id<"cov">) =>
  sql<VersionRow>`SELECT ${versionColumns(sql)} ${versionsRead(sql, caller, objectId)} AND v.id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The newest version before the given one that the caller reads. */
export const readVersionBefore = (sql: Sql, caller: Member, objectId: Id<"cob">, ordinal: number) =>
  sql<VersionRow>`SELECT ${versionColumns(sql)} ${versionsRead(sql, caller, objectId)} AND v.ordinal < ${ordinal}
    ORDER BY v.ordinal DESC LIMIT 1`.pipe(Effect.map((rows) => rows[0]))

/** An object with its first version, or another version of an existing object. */
export interface NewVersion {
  readonly objectId: Id<"cob">
  readonly versionId: Id<"cov">
  readonly isNewObject: boolean
  readonly objectType: ConfigObject["objectType"]
  readonly sourceMode: ConfigObject["sourceMode"]
  readonly title: string
  readonly description: string | null
  readonly searchText: string | null
  readonly fileName: string | null
  readonly fileExtension: string | null
  readonly relativePath: string | null
  readonly createdBy: Id<"om"> | null
  readonly connectorInstanceId: Id<"cin"> | null
  readonly schemaVersion: string | null
  readonly payload: unknown
  readonly text: string | null
  readonly digest: string
  readonly syncEventId: Id<"cse"> | null
  readonly revision: string | null
}

/** Inserts any number of objects and versions with two statements. */
export const putVersions = (sql: Sql, organizationId: Id<"org">, versions: ReadonlyArray<NewVersion>) =>
  Effect.gen(function* () {
    if (versions.length === 0) return
    const rows = sql.json(versions.map(({ payload: _payload, text: _text, ...row }) => row))
    yield* sql`INSERT INTO config_objects AS o (organization_id, id, object_type, source_mode, status, title, description,
        search_text, file_name, file_extension, relative_path, created_by_membership_id, connector_instance_id,
        latest_version_id, created_at, updated_at)
      SELECT ${organizationId}, r."objectId", r."objectType", r."sourceMode", 'active', r.title, r.description,
        r."searchText", r."fileName", r."fileExtension", r."relativePath", r."createdBy", r."connectorInstanceId",
        r."versionId", now(), now()
      FROM jsonb_to_recordset(${rows}) AS r("objectId" text, "versionId" text, "objectType" text, "sourceMode" text,
        title text, description text, "searchText" text, "fileName" text, "fileExtension" text, "relativePath" text,
        "createdBy" text, "connectorInstanceId" text)
      ON CONFLICT (organization_id, id) DO UPDATE SET title = excluded.title, description = excluded.description,
        search_text = excluded.search_text, file_name = excluded.file_name, file_extension = excluded.file_extension,
        relative_path = excluded.relative_path, latest_version_id = excluded.latest_version_id, status = 'active',
        deleted_at = NULL, updated_at = now(), version = o.version + 1`
    yield* sql`INSERT INTO config_object_versions (organization_id, id, config_object_id, ordinal, schema_version,
        payload_json, source_text, content_digest, created_via, created_by_membership_id, sync_event_id,
        source_revision, created_at)
      SELECT ${organizationId}, r."versionId", r."objectId",
        1 + coalesce((SELECT max(v.ordinal) FROM config_object_versions v
          WHERE v.organization_id = ${organizationId} AND v.config_object_id = r."objectId"), 0),
        r."schemaVersion", nullif(r.payload, 'null'::jsonb), r.text, r.digest, r."sourceMode", r."createdBy",
        r."syncEventId", r.revision, now()
      FROM jsonb_to_recordset(${sql.json(versions)}) AS r("objectId" text, "versionId" text, "schemaVersion" text,
        payload jsonb, text text, digest text, "sourceMode" text, "createdBy" text, "syncEventId" text, revision text)`
  })

/** Marks objects as deleted: each gets a final version with a deletion mark, and its grants end. */
export const deleteMany = (
  sql: Sql,
  organizationId: Id<"org">,
  deletions: ReadonlyArray<{ readonly objectId: Id<"cob">; readonly versionId: Id<"cov"> }>,
  source: {
    readonly syncEventId: Id<"cse"> | null
    readonly revision: string | null
    readonly deletedBy: Id<"om"> | null
  }
) =>
  Effect.gen(function* () {
    if (deletions.length === 0) return
    const rows = sql.json(deletions)
    yield* sql`INSERT INTO config_object_versions (organization_id, id, config_object_id, ordinal, schema_version,
        payload_json, source_text, content_digest, created_via, created_by_membership_id, sync_event_id,
        source_revision, is_deleted_version, created_at)
      SELECT ${organizationId}, r."versionId", o.id,
        1 + coalesce((SELECT max(v.ordinal) FROM config_object_versions v
          WHERE v.organization_id = ${organizationId} AND v.config_object_id = o.id), 0),
        NULL, NULL, NULL, '', o.source_mode, ${source.deletedBy}, ${source.syncEventId}, ${source.revision}, true, now()
      FROM jsonb_to_recordset(${rows}) AS r("objectId" text, "versionId" text)
      JOIN config_objects o ON o.organization_id = ${organizationId} AND o.id = r."objectId"`
    yield* sql`UPDATE config_objects o SET status = 'deleted', deleted_at = now(), updated_at = now(),
        latest_version_id = r."versionId", version = o.version + 1
      FROM jsonb_to_recordset(${rows}) AS r("objectId" text, "versionId" text)
      WHERE o.organization_id = ${organizationId} AND o.id = r."objectId"`
    yield* sql`UPDATE plugin_memberships pm SET removed_at = now()
      FROM jsonb_to_recordset(${rows}) AS r("objectId" text)
      WHERE pm.organization_id = ${organizationId} AND pm.config_object_id = r."objectId" AND pm.removed_at IS NULL`
    yield* sql`UPDATE grants g SET removed_at = now()
      FROM jsonb_to_recordset(${rows}) AS r("objectId" text)
      WHERE g.organization_id = ${organizationId} AND g.object_kind = 'configObject' AND g.object_id = r."objectId"
        AND g.removed_at IS NULL`
  })

/** The caller's access levels on those of the plugins that exist. */
export const pluginLevels = (sql: Sql, caller: Member, pluginIds: ReadonlyArray<Id<"plg">>) =>
  sql<{ id: Id<"plg">; level: number }>`SELECT p.id, ${pluginLevelOf(sql, caller)} AS level
    FROM plugins p
    WHERE p.organization_id = ${caller.organizationId} AND p.deleted_at IS NULL
      AND p.id IN (SELECT jsonb_array_elements_text(${sql.json(pluginIds)}))`.pipe(
    Effect.map((rows) => new Map(rows.map((row) => [row.id, row.level])))
  )

export const addToPlugins = (
  sql: Sql,
  organizationId: Id<"org">,
  objectIds: ReadonlyArray<Id<"cob">>,
  pluginIds: ReadonlyArray<Id<"plg">>,
  createdBy: Id<"om"> | null
) =>
  addMemberships(
    sql,
    organizationId,
    pluginIds.flatMap((pluginId) =>
      objectIds.map((objectId) => ({ id: makeId("pco"), pluginId, objectId, mappingId: null }))
    ),
    createdBy
  )

interface NewMembership {
  readonly id: Id<"pco">
  readonly pluginId: Id<"plg">
  readonly objectId: Id<"cob">
  readonly mappingId: Id<"cmp"> | null
}

export const addMemberships = (
  sql: Sql,
  organizationId: Id<"org">,
  memberships: ReadonlyArray<NewMembership>,
  createdBy: Id<"om"> | null
) =>
  Effect.forEach(
    Arr.chunksOf(memberships, rowsAtOnce),
    (
      rows
    ) => sql`INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, connector_mapping_id,
        created_by_membership_id, created_at)
      SELECT ${organizationId}, r.id, r.plugin_id, r.object_id, r.mapping_id, ${createdBy}, now()
      FROM unnest(${texts(rows.map(({ id }) => id))}::text[],
        ${texts(rows.map(({ pluginId }) => pluginId))}::text[],
        ${texts(rows.map(({ objectId }) => objectId))}::text[],
        ${texts(rows.map(({ mappingId }) => mappingId))}::text[]) AS r(id, plugin_id, object_id, mapping_id)
      ON CONFLICT (organization_id, plugin_id, config_object_id) WHERE removed_at IS NULL DO NOTHING`,
    { discard: true }
  )
