import type { Id } from "@orgplane/schema/shared/ids"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { rowsAtOnce, texts } from "../../infra/sql/texts.ts"

/** A file of a plugin as a branch published it; the path begins at the plugin's root. */
export interface PluginFileRow {
  readonly plugin_id: Id<"plg">
  readonly path: string
  readonly is_executable: boolean
  readonly blob_sha: string
  readonly digest: string
}

/** The changes of a publication to the files of a branch's plugins. */
export interface PluginFileChanges {
  readonly closed: ReadonlyArray<Pick<PluginFileRow, "plugin_id" | "path">>
  readonly opened: ReadonlyArray<PluginFileRow>
}

export const noFileChanges: PluginFileChanges = { closed: [], opened: [] }

/** Content of one file. */
export interface Blob {
  readonly digest: string
  readonly bytes: Uint8Array
}

/** Maximum contents of one statement: each is a parameter, and memory holds them twice while it is sent. */
const blobBytesAtOnce = 4 * 1_048_576
const blobsAtOnce = 200

/** The files of a branch's plugins now. */
export const ofTarget = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">) =>
  sql<PluginFileRow>`SELECT plugin_id, path, is_executable, blob_sha, digest FROM plugin_files
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId} AND to_sequence IS NULL`

/** The files of a branch's plugins at a publication. */
export const atSequence = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, sequence: number) =>
  sql<PluginFileRow>`SELECT plugin_id, path, is_executable, blob_sha, digest FROM plugin_files
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId}
      AND from_sequence <= ${sequence} AND (to_sequence IS NULL OR to_sequence > ${sequence})`

/** Contents in batches of one statement each. */
const groupsOf = (blobs: ReadonlyArray<Blob>): ReadonlyArray<ReadonlyArray<Blob>> => {
  const groups: Array<Array<Blob>> = []
  let bytes = 0
  for (const blob of blobs) {
    const last = groups.at(-1)
    bytes += blob.bytes.length
    if (last === undefined || last.length === blobsAtOnce || bytes > blobBytesAtOnce) {
      groups.push([blob])
      bytes = blob.bytes.length
    } else last.push(blob)
  }
  return groups
}

/** Stores contents for a publication; contents that are already stored are retained for another day. */
export const putBlobs = (sql: Sql, organizationId: Id<"org">, blobs: ReadonlyArray<Blob>) =>
  Effect.forEach(
    groupsOf(blobs),
    (group) =>
      sql`INSERT INTO plugin_file_blobs AS b (organization_id, digest, size, bytes, staged_at)
        SELECT ${organizationId}, r.digest, octet_length(r.bytes), r.bytes, now()
        FROM (SELECT u.digest, decode(u.encoded, 'base64') AS bytes
          FROM unnest(${texts(group.map(({ digest }) => digest))}::text[],
            ${texts(group.map(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")))}::text[])
            AS u(digest, encoded)) r
        ORDER BY r.digest
        ON CONFLICT (organization_id, digest) DO UPDATE SET staged_at = excluded.staged_at
          WHERE b.staged_at IS NOT NULL`,
    { discard: true }
  )

/** Deletes contents that an organization has stored but not published. */
export const dropUnpublished = (sql: Sql, organizationId: Id<"org">) =>
  sql`DELETE FROM plugin_file_blobs b WHERE b.organization_id = ${organizationId} AND b.staged_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM plugin_files f WHERE f.organization_id = ${organizationId} AND f.digest = b.digest)`

/** Closes and opens the validity ranges of files at a publication. */
export const change = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  targetId: Id<"ctg">,
  sequence: number,
  { opened: begun, closed: ended }: PluginFileChanges
) {
  for (const part of Arr.chunksOf(ended, rowsAtOnce)) {
    yield* sql`UPDATE plugin_files f SET to_sequence = ${sequence}
      FROM unnest(${texts(part.map((row) => row.plugin_id))}::text[], ${texts(part.map((row) => row.path))}::text[])
        AS r(plugin_id, path)
      WHERE f.organization_id = ${organizationId} AND f.connector_target_id = ${targetId} AND f.to_sequence IS NULL
        AND f.plugin_id = r.plugin_id AND f.path = r.path`
  }
  for (const part of Arr.chunksOf(begun, rowsAtOnce)) {
    yield* sql`INSERT INTO plugin_files (organization_id, connector_target_id, plugin_id, path, is_executable, blob_sha,
        digest, from_sequence)
      SELECT ${organizationId}, ${targetId}, r.plugin_id, r.path, r.is_executable = 'x', r.blob_sha, r.digest, ${sequence}
      FROM unnest(${texts(part.map((row) => row.plugin_id))}::text[], ${texts(part.map((row) => row.path))}::text[],
        ${texts(part.map((row) => (row.is_executable ? "x" : "-")))}::text[],
        ${texts(part.map((row) => row.blob_sha))}::text[], ${texts(part.map((row) => row.digest))}::text[])
        AS r(plugin_id, path, is_executable, blob_sha, digest)`
    yield* sql`UPDATE plugin_file_blobs b SET staged_at = NULL
      WHERE b.organization_id = ${organizationId} AND b.staged_at IS NOT NULL
        AND b.digest = ANY(${texts([...new Set(part.map((row) => row.digest))])}::text[])`
  }
  return begun.length + ended.length
})

/** If the given rows were the last to refer to contents, marks these for deletion after a day. */
const release = (sql: Sql, organizationId: Id<"org">, digests: ReadonlyArray<string>) =>
  Effect.forEach(
    Arr.chunksOf([...new Set(digests)], rowsAtOnce),
    (part) => sql`UPDATE plugin_file_blobs b SET staged_at = now()
      WHERE b.organization_id = ${organizationId} AND b.digest = ANY(${texts(part)}::text[])
        AND NOT EXISTS (SELECT 1 FROM plugin_files f WHERE f.organization_id = ${organizationId} AND f.digest = b.digest)`,
    { discard: true }
  )

/** Deletes files that are in no retained publication. */
export const forgetBefore = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, sequence: number) =>
  sql<{ digest: string }>`DELETE FROM plugin_files WHERE organization_id = ${organizationId}
    AND connector_target_id = ${targetId} AND to_sequence <= ${sequence} RETURNING digest`.pipe(
    Effect.flatMap((rows) =>
      release(
        sql,
        organizationId,
        rows.map((row) => row.digest)
      )
    )
  )

/** Deletes the files of a removed branch. */
export const forgetTarget = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">) =>
  sql<{ digest: string }>`DELETE FROM plugin_files WHERE organization_id = ${organizationId}
    AND connector_target_id = ${targetId} RETURNING digest`.pipe(
    Effect.flatMap((rows) =>
      release(
        sql,
        organizationId,
        rows.map((row) => row.digest)
      )
    )
  )
