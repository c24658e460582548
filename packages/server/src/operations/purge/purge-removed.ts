import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import type { GrantedKind } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** Maximum rows that one statement deletes, with everything that refers to them. */
const removedMax = 500

/** A table whose removed rows are deleted permanently. */
interface Removal {
  readonly table: string
  readonly removedAt: "deleted_at" | "removed_at" | "decided_at"
  /** Default: 30. */
  readonly days?: number
  /** The column of each table whose rows are deleted with the row. Foreign keys delete the rows of other tables. */
  readonly dependents?: Readonly<Record<string, string>>
  /** The kind of the grants that are deleted with the row. */
  readonly grants?: GrantedKind
  /** The column by which other rows refer to the row. The row is not deleted while such rows exist. */
  readonly keptBy?: { readonly table: string; readonly column: string }
}

const removals: ReadonlyArray<Removal> = [
  {
    table: "config_objects",
    removedAt: "deleted_at",
    dependents: { plugin_memberships: "config_object_id", config_object_versions: "config_object_id" },
    grants: "configObject"
  },
  {
    table: "plugins",
    removedAt: "deleted_at",
    dependents: { marketplace_memberships: "plugin_id", plugin_memberships: "plugin_id", plugin_archives: "plugin_id" },
    grants: "plugin"
  },
  {
    table: "marketplaces",
    removedAt: "deleted_at",
    dependents: { marketplace_memberships: "marketplace_id", marketplace_plugin_names: "marketplace_id" },
    grants: "marketplace"
  },
  // The connection's credentials were deleted with it. Its tools are deleted by their foreign key.
  { table: "mcp_connections", removedAt: "deleted_at", grants: "mcpConnection" },
  { table: "desktop_policies", removedAt: "deleted_at" },
  // The worker's reports are deleted by their foreign key, and so is its runtime, which was stopped long before.
  { table: "workers", removedAt: "removed_at", dependents: { worker_tokens: "worker_id" } },
  { table: "llm_providers", removedAt: "deleted_at", grants: "llmProvider" },
  { table: "domains", removedAt: "removed_at" },
  // The template's versions and the references of its instances are deleted by their foreign keys. The plugins are
  // kept.
  { table: "templates", removedAt: "deleted_at" },
  // Users of decided holds first, then users that directories removed. Users with an open hold wait for the decision.
  { table: "scim_holds", removedAt: "decided_at", dependents: { scim_held_users: "hold_id" } },
  {
    table: "scim_users",
    removedAt: "removed_at",
    dependents: { scim_group_members: "scim_user_id" },
    keptBy: { table: "scim_held_users", column: "scim_user_id" }
  },
  { table: "scim_groups", removedAt: "removed_at", dependents: { scim_group_members: "group_id" } },
  // The directory's log and tokens expire separately. Its holds end when they are decided.
  {
    table: "scim_directories",
    removedAt: "removed_at",
    days: 31,
    keptBy: { table: "scim_users", column: "directory_id" }
  }
]

/**
 * Permanently deletes rows that were removed long ago, each with its memberships, grants and versions in one statement.
 * A rollback to a revision that contained them then fails with `content_gone`.
 */
const deleteRemoved = (sql: Sql, { days = 30, dependents = {}, grants, keptBy, removedAt, table }: Removal) => {
  const isUnused =
    keptBy === undefined
      ? sql`TRUE`
      : sql`NOT EXISTS (SELECT 1 FROM ${sql(keptBy.table)} k
          WHERE k.organization_id = r.organization_id AND k.${sql(keptBy.column)} = r.id)`
  const deletions = Object.entries(dependents).map(
    ([dependent, column]) => sql`DELETE FROM ${sql(dependent)} r USING removed d
      WHERE r.organization_id = d.organization_id AND r.${sql(column)} = d.id`
  )
  if (grants !== undefined) {
    deletions.push(sql`DELETE FROM grants r USING removed d
      WHERE r.organization_id = d.organization_id AND r.object_kind = ${grants} AND r.object_id = d.id`)
  }
  const removed = sql`removed AS (SELECT r.organization_id, r.id FROM ${sql(table)} r
    WHERE r.${sql(removedAt)} < now() - make_interval(days => ${days}) AND ${isUnused}
    LIMIT ${removedMax})`
  const expressions = deletions.map((deletion, index) => sql`${sql(`deletion_${index}`)} AS (${deletion})`)
  return sql`WITH ${sql.csv([removed, ...expressions])}
    DELETE FROM ${sql(table)} r USING removed d
    WHERE r.organization_id = d.organization_id AND r.id = d.id RETURNING 1 AS one`
}

/** Memories of former members: kept for those who rejoined, deleted for others. */
const memories = (sql: Sql) => {
  const ofFormerMembers = (negation: Fragment) => sql`(r.user_id, r.id) IN (
      SELECT l.user_id, l.id FROM memories l
      WHERE l.left_at < now() - interval '30 days'
        AND ${negation} EXISTS (SELECT 1 FROM memberships m
          WHERE m.organization_id = l.organization_id AND m.user_id = l.user_id AND m.removed_at IS NULL)
      LIMIT ${removedMax})`
  return [
    sql`UPDATE memories r SET left_at = NULL WHERE ${ofFormerMembers(sql``)} RETURNING 1 AS one`,
    sql`DELETE FROM memories r WHERE ${ofFormerMembers(sql`NOT`)} RETURNING 1 AS one`
  ]
}

/** Maximum number of contents deleted per statement, because each can be several megabytes. */
const contentsMax = 100

/**
 * Contents of files that are not in any publication, because the sync was not published or the publication was deleted.
 */
const contents = (sql: Sql) =>
  sql`WITH removed AS (SELECT b.organization_id, b.digest FROM plugin_file_blobs b
      WHERE b.staged_at < now() - interval '1 day'
        AND NOT EXISTS (SELECT 1 FROM plugin_files f
          WHERE f.organization_id = b.organization_id AND f.digest = b.digest)
      LIMIT ${contentsMax})
    DELETE FROM plugin_file_blobs r USING removed d
    WHERE r.organization_id = d.organization_id AND r.digest = d.digest RETURNING 1 AS one`

/** Deletes rows that were removed long ago, a few hundred per statement. */
export const purgeRemoved = (sql: Sql) =>
  Effect.andThen(
    Effect.forEach(
      [...removals.map((removal) => deleteRemoved(sql, removal)), ...memories(sql)],
      (step) => step.pipe(Effect.repeat({ while: (rows) => rows.length === removedMax })),
      { discard: true }
    ),
    contents(sql).pipe(Effect.repeat({ while: (rows) => rows.length === contentsMax }))
  )
