/** The config objects and files of a release that differ from the release that is served now. */
import {
  type ContentChanges,
  contentChangesMax,
  type FileChange,
  type ObjectChange,
  type PluginChange
} from "@orgplane/schema/approvals"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { below, type PluginRow, rootOf } from "../plugins/archive-layout.ts"

interface ChangedObject extends ObjectChange {
  /** Whether it is a whole file that a mapping added to the plugin. */
  readonly isFile: boolean
}

interface ChangedFile extends FileChange {
  readonly hasOtherMode: boolean
}

interface Row {
  readonly served_release_id: Id<"rel"> | null
  readonly manifest_json: PluginRow["manifest_json"]
  readonly served_manifest_json: PluginRow["manifest_json"]
  readonly plugin: PluginChange | null
  readonly objects: ReadonlyArray<ChangedObject>
  readonly files: ReadonlyArray<ChangedFile>
}

/** One more than is returned shows that there are more. */
const readMax = contentChangesMax + 1

const tables = {
  plugin_release_objects: `c.object_id, c.version_id, c.object_type, c.title, c.file_name, c.relative_path, c.is_mapped,
    c.pointer, c.component`,
  plugin_release_files: "c.path, c.digest, c.is_executable"
} as const

/** The release that was asked for, or the served one. */
type Release = "r" | "b"

/** The prefix of the files of a release in the repository: `rootOf` of its manifest. */
const prefixOf = (sql: Sql, release: Release) =>
  sql.literal(`(SELECT CASE k.root WHEN '' THEN '' ELSE k.root || '/' END FROM (SELECT CASE
      WHEN jsonb_typeof(${release}.manifest_json #> '{setup,rootPath}') = 'string'
        THEN ${release}.manifest_json #>> '{setup,rootPath}'
      WHEN jsonb_typeof(${release}.manifest_json -> 'id') = 'string' AND ${release}.manifest_json ->> 'id' <> '.'
        AND ${release}.manifest_json ->> 'id' NOT LIKE 'marketplace:%' THEN ${release}.manifest_json ->> 'id'
      ELSE '' END AS root) k)`)

/**
 * Whether the archive of a release contains its file `c`: files of archived objects are omitted. NOT IN reads each list once,
 * even with a plan that was made when the tables were small.
 */
const isDelivered = (sql: Sql, organizationId: Id<"org">, release: Release) =>
  sql`${prefixOf(sql, release)} || c.path NOT IN (
    SELECT a.path FROM jsonb_to_recordset(${sql(release)}.archived_json) AS a(path text, pointer text)
    WHERE a.path IS NOT NULL AND a.pointer IS NULL AND a.path NOT IN (
      SELECT o.relative_path FROM plugin_release_objects o WHERE o.organization_id = ${organizationId}
        AND o.release_id = ${sql(release)}.id AND o.is_mapped AND o.pointer IS NULL AND o.relative_path IS NOT NULL))`

/** The rows of a table that belong to a release. */
const contentOf = (sql: Sql, organizationId: Id<"org">, table: keyof typeof tables, release: Release) =>
  sql`SELECT ${sql.literal(tables[table])} FROM ${sql(table)} c
    WHERE c.organization_id = ${organizationId} AND c.release_id = ${sql(release)}.id
      AND ${table === "plugin_release_files" ? isDelivered(sql, organizationId, release) : sql`TRUE`}`

/** Reads both releases in one statement, so that a decision in the meantime cannot mix two comparisons. */
const read = (sql: Sql, organizationId: Id<"org">, id: Id<"rel">) => {
  const both = (table: keyof typeof tables, key: string) =>
    sql`(${contentOf(sql, organizationId, table, "r")}) n
      FULL JOIN (${contentOf(sql, organizationId, table, "b")}) s ON s.${sql(key)} = n.${sql(key)}`
  const change = (key: string) =>
    sql`CASE WHEN s.${sql(key)} IS NULL THEN 'added' WHEN n.${sql(key)} IS NULL THEN 'removed' ELSE 'changed' END`
  const texts = (release: Release) =>
    sql.literal(`jsonb_build_object('name', ${release}.name, 'description', ${release}.description)`)
  // Each of them can change the archive.
  const columns = (side: "n" | "s") =>
    sql.literal(
      ["version_id", "object_type", "title", "file_name", "relative_path", "is_mapped", "pointer", "component"]
        .map((column) => `${side}.${column}`)
        .join(", ")
    )
  return sql<Row>`SELECT p.served_release_id, r.manifest_json, b.manifest_json AS served_manifest_json,
      CASE WHEN b.id IS NULL OR (r.name, r.description) IS DISTINCT FROM (b.name, b.description) THEN
        jsonb_build_object('before', CASE WHEN b.id IS NOT NULL THEN ${texts("b")} END, 'after', ${texts("r")})
        END AS plugin,
      (SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY x.title, x."configObjectId"), '[]'::jsonb) FROM (
        SELECT coalesce(n.object_id, s.object_id) AS "configObjectId", ${change("object_id")} AS change,
          coalesce(n.object_type, s.object_type) AS "objectType",
          CASE WHEN n.object_id IS NULL THEN s.title ELSE n.title END AS title,
          CASE WHEN n.object_id IS NULL THEN s.relative_path ELSE n.relative_path END AS path,
          s.version_id AS "versionIdBefore", n.version_id AS "versionIdAfter",
          CASE WHEN n.object_id IS NULL THEN s.is_mapped AND s.pointer IS NULL ELSE n.is_mapped AND n.pointer IS NULL
            END AS "isFile"
        FROM ${both("plugin_release_objects", "object_id")}
        WHERE (${columns("n")}) IS DISTINCT FROM (${columns("s")})
        ORDER BY title, "configObjectId" LIMIT ${readMax}) x) AS objects,
      (SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY x.path), '[]'::jsonb) FROM (
        SELECT coalesce(n.path, s.path) AS path, ${change("path")} AS change,
          coalesce(n.is_executable, false) AND NOT coalesce(s.is_executable, false) AS "becomesExecutable",
          n.path IS NOT NULL AND n.is_executable <> coalesce(s.is_executable, false) AS "hasOtherMode"
        FROM ${both("plugin_release_files", "path")}
        WHERE (n.digest, n.is_executable) IS DISTINCT FROM (s.digest, s.is_executable)
        ORDER BY path LIMIT ${readMax}) x) AS files
    FROM plugin_releases r
    JOIN plugins p ON p.organization_id = ${organizationId} AND p.id = r.plugin_id AND p.deleted_at IS NULL
    LEFT JOIN plugin_releases b ON b.organization_id = ${organizationId} AND b.id = p.served_release_id
    WHERE r.organization_id = ${organizationId} AND r.id = ${id} AND r.has_contents AND p.delivery_mode IS NOT NULL
      AND (p.served_release_id IS NULL OR b.has_contents)`.pipe(Effect.map((rows) => rows[0]))
}

const keyOf = (change: ObjectChange["change"], path: string) => `${change} ${path}`

/**
 * The changes of files that the changed objects show already. A plugin from a repository contains every file of its folder,
 * so the file of a removed object can be changed and still be delivered.
 */
const shownBy = (row: Row, objects: ReadonlyArray<ChangedObject>): ReadonlySet<string> => {
  const rootIn = (manifest_json: PluginRow["manifest_json"]) => rootOf({ name: "", description: null, manifest_json })
  const [root, servedRoot] = [rootIn(row.manifest_json), rootIn(row.served_manifest_json)]
  return new Set(
    objects.flatMap(({ change, isFile, path, versionIdAfter, versionIdBefore }) => {
      if (!isFile || path === null || versionIdAfter === versionIdBefore) return []
      const filePath = below(change === "removed" ? servedRoot : root, path)
      return filePath === undefined ? [] : [keyOf(change, filePath)]
    })
  )
}

/** Null if the content of one of the releases is not stored, or the delivery mode of the plugin is auto. */
export const readContentChanges = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, id: Id<"rel">) {
  const row = yield* read(sql, organizationId, id)
  if (row === undefined) return null
  const objects = row.objects.slice(0, contentChangesMax)
  const shown = shownBy(row, objects)
  const files = row.files.filter(({ change, hasOtherMode, path }) => hasOtherMode || !shown.has(keyOf(change, path)))
  return {
    servedReleaseId: row.served_release_id,
    plugin: row.plugin,
    objects: objects.map(({ isFile: _isFile, ...object }) => object),
    files: files.slice(0, contentChangesMax).map(({ hasOtherMode: _hasOtherMode, ...file }) => file),
    truncated: row.objects.length > contentChangesMax || row.files.length > contentChangesMax
  } satisfies ContentChanges
})
