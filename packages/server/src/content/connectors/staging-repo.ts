import type { Id } from "@orgplane/schema/shared/ids"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { ObjectType } from "@orgplane/schema/connectors"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"

/** New content of one object, as read by a sync. */
export interface StagedVersion {
  readonly objectId: Id<"cob">
  readonly versionId: Id<"cov">
  readonly objectType: ObjectType
  readonly title: string
  readonly description: string | null
  readonly searchText: string | null
  readonly fileName: string | null
  readonly fileExtension: string | null
  readonly relativePath: string
  readonly schemaVersion: string | null
  readonly payload: unknown
  readonly text: string | null
  readonly digest: string
  /** Why the file is invalid for its type; it is imported anyway. */
  readonly ingestionError: string | null
}

export const clear = (sql: Sql, organizationId: Id<"org">, eventId: Id<"cse">) =>
  sql`DELETE FROM sync_staged WHERE organization_id = ${organizationId} AND sync_event_id = ${eventId}`

/** Usually about a megabyte, which is serialized without blocking other work. */
const versionsAtOnce = 250

export const stage = (
  sql: Sql,
  organizationId: Id<"org">,
  eventId: Id<"cse">,
  versions: ReadonlyArray<StagedVersion>
) =>
  Effect.forEach(
    Arr.chunksOf(versions, versionsAtOnce),
    (rows) => {
      const column = (of: (version: StagedVersion) => string | null) => texts(rows.map(of))
      return sql`INSERT INTO sync_staged (organization_id, sync_event_id, object_id, version_id, object_type, title, description,
        search_text, file_name, file_extension, relative_path, schema_version, payload_json, source_text, content_digest,
        ingestion_error)
      SELECT ${organizationId}, ${eventId}, r.object_id, r.version_id, r.object_type, r.title, r.description,
        r.search_text, r.file_name, r.file_extension, r.relative_path, r.schema_version, r.payload::jsonb, r.source_text,
        r.digest, r.ingestion_error
      FROM unnest(${column((version) => version.objectId)}::text[], ${column((version) => version.versionId)}::text[],
        ${column((version) => version.objectType)}::text[], ${column((version) => version.title)}::text[],
        ${column((version) => version.description)}::text[], ${column((version) => version.searchText)}::text[],
        ${column((version) => version.fileName)}::text[], ${column((version) => version.fileExtension)}::text[],
        ${column((version) => version.relativePath)}::text[], ${column((version) => version.schemaVersion)}::text[],
        ${column((version) => (version.payload === null ? null : JSON.stringify(version.payload)))}::text[],
        ${column((version) => version.text)}::text[], ${column((version) => version.digest)}::text[],
        ${column((version) => version.ingestionError)}::text[]) AS r(object_id, version_id, object_type, title,
        description, search_text, file_name, file_extension, relative_path, schema_version, payload, source_text, digest,
        ingestion_error)`
    },
    { discard: true }
  )

/**
 * Publishes all staged versions as the latest versions of their objects, in the current transaction; returns their
 * number. Archived objects stay archived.
 */
export const publish = (
  sql: Sql,
  organizationId: Id<"org">,
  eventId: Id<"cse">,
  instanceId: Id<"cin">,
  revision: string
) =>
  Effect.gen(function* () {
    yield* sql`INSERT INTO config_objects AS o (organization_id, id, object_type, source_mode, status, title, description,
        search_text, file_name, file_extension, relative_path, created_by_membership_id, connector_instance_id,
        latest_version_id, ingestion_error, created_at, updated_at)
      SELECT ${organizationId}, s.object_id, s.object_type, 'connector',
        CASE WHEN s.ingestion_error IS NULL THEN 'active' ELSE 'ingestion_error' END, s.title, s.description,
        s.search_text, s.file_name, s.file_extension, s.relative_path, NULL, ${instanceId}, s.version_id,
        s.ingestion_error, now(), now()
      FROM sync_staged s
      WHERE s.organization_id = ${organizationId} AND s.sync_event_id = ${eventId}
      ORDER BY s.object_id
      ON CONFLICT (organization_id, id) DO UPDATE SET title = excluded.title, description = excluded.description,
        search_text = excluded.search_text, file_name = excluded.file_name, file_extension = excluded.file_extension,
        relative_path = excluded.relative_path, latest_version_id = excluded.latest_version_id,
        ingestion_error = excluded.ingestion_error,
        status = CASE o.status WHEN 'archived' THEN o.status ELSE excluded.status END,
        deleted_at = NULL, updated_at = now(), version = o.version + 1`
    const versions = yield* sql<{
      id: string
    }>`INSERT INTO config_object_versions (organization_id, id, config_object_id, ordinal, schema_version,
        payload_json, source_text, content_digest, created_via, created_by_membership_id, sync_event_id,
        source_revision, created_at)
      SELECT ${organizationId}, s.version_id, s.object_id,
        1 + coalesce((SELECT max(v.ordinal) FROM config_object_versions v
          WHERE v.organization_id = ${organizationId} AND v.config_object_id = s.object_id), 0),
        s.schema_version, s.payload_json, s.source_text, s.content_digest, 'connector', NULL, ${eventId}, ${revision}, now()
      FROM sync_staged s
      WHERE s.organization_id = ${organizationId} AND s.sync_event_id = ${eventId}
      RETURNING id`
    yield* clear(sql, organizationId, eventId)
    return versions.length
  })

/** Sets the new path of objects whose file moved without changes; they keep their versions. */
export const moveObjects = (
  sql: Sql,
  organizationId: Id<"org">,
  moves: ReadonlyArray<{
    readonly objectId: Id<"cob">
    readonly relativePath: string
    readonly fileName: string | null
    readonly fileExtension: string | null
  }>
) =>
  moves.length === 0
    ? Effect.void
    : sql`UPDATE config_objects o SET relative_path = r."relativePath", file_name = r."fileName",
        file_extension = r."fileExtension", updated_at = now(), version = o.version + 1
      FROM jsonb_to_recordset(${sql.json(moves)}) AS r("objectId" text, "relativePath" text, "fileName" text,
        "fileExtension" text)
      WHERE o.organization_id = ${organizationId} AND o.id = r."objectId"`
