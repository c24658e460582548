import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { TreeEntry } from "../../infra/ports/code-host.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** The cached contents of one source location, for plugin discovery. */
export interface KeptTree {
  readonly place: string
  readonly entries: ReadonlyArray<Pick<TreeEntry, "path" | "sha" | "size" | "isExecutable" | "linkTo">>
  /** Base64 by path. */
  readonly manifests: Readonly<Record<string, string>>
  readonly warnings: ReadonlyArray<string>
}

interface Row {
  readonly place: string
  readonly entries_json: KeptTree["entries"]
  readonly manifests_json: KeptTree["manifests"]
  readonly warnings_json: ReadonlyArray<string>
}

/** The stored trees of these source locations. Reading a tree extends its retention. */
export const find = (sql: Sql, organizationId: Id<"org">, places: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const wanted = sql.json(places)
    // Recording the use once a day is enough.
    yield* sql`UPDATE remote_trees SET used_at = now()
      WHERE organization_id = ${organizationId} AND used_at < now() - interval '1 day'
        AND place IN (SELECT jsonb_array_elements_text(${wanted}))`
    const rows = yield* sql<Row>`SELECT place, entries_json, manifests_json, warnings_json FROM remote_trees
      WHERE organization_id = ${organizationId} AND place IN (SELECT jsonb_array_elements_text(${wanted}))`
    return rows.map((row): KeptTree => ({
      place: row.place,
      entries: row.entries_json,
      manifests: row.manifests_json,
      warnings: row.warnings_json
    }))
  })

export const put = (sql: Sql, organizationId: Id<"org">, tree: KeptTree) => {
  const bytes = JSON.stringify(tree).length
  return sql`INSERT INTO remote_trees (organization_id, place, entries_json, manifests_json, warnings_json, bytes,
      created_at, used_at)
    VALUES (${organizationId}, ${tree.place}, ${sql.json(tree.entries)}, ${sql.json(tree.manifests)},
      ${sql.json(tree.warnings)}, ${bytes}, now(), now())
    ON CONFLICT (organization_id, place) DO NOTHING`
}

/** Deletes the least recently used trees until the total is within this size. */
export const trim = (sql: Sql, organizationId: Id<"org">, bytesMax: number) =>
  sql`DELETE FROM remote_trees WHERE organization_id = ${organizationId} AND place IN (
    SELECT t.place FROM (
      SELECT r.place, sum(r.bytes) OVER (ORDER BY r.used_at DESC, r.created_at DESC, r.place) AS total
      FROM remote_trees r WHERE r.organization_id = ${organizationId}) t
    WHERE t.total > ${bytesMax})`

/** Whether the workspace is unclaimed. Its requests to other hosts are limited. */
export const isProvisional = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ provisional: boolean }>`SELECT provisional_until IS NOT NULL AS provisional FROM organizations
    WHERE id = ${organizationId}`.pipe(Effect.map((rows) => rows[0]?.provisional === true))
