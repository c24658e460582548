import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { GrantedKind } from "../../identity/grants/index.ts"
import type { Retention } from "../../infra/config/retention.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** Maximum rows that one statement deletes, with everything that refers to them. */
const removedMax = 500

/** A table whose removed rows are deleted permanently. */
export interface Removal {
  readonly table: string
  readonly removedAt: "deleted_at" | "removed_at" | "decided_at" | "revoked_at"
  /** How long the rows are kept. Null: without a limit. Default: `removedDays`. */
  readonly keptFor?: "removedDays" | "auditDays"
  /** Added to `keptFor`, so that the rows that refer to the row are deleted first. */
  readonly moreDays?: number
  /** The column of each table whose rows are deleted with the row. Foreign keys delete the rows of other tables. */
  readonly dependents?: Readonly<Record<string, string>>
  /** The kind of the grants that are deleted with the row. */
  readonly grants?: GrantedKind
  /** The column by which other rows refer to the row. The row is not deleted while such rows `k` exist. */
  readonly keptBy?: { readonly table: string; readonly column: string; readonly where?: string }
}

/** In an order in which rows are deleted before those that they refer to. */
export const removals: ReadonlyArray<Removal> = [
  { table: "plugin_memberships", removedAt: "removed_at" },
  { table: "marketplace_memberships", removedAt: "removed_at" },
  {
    table: "config_objects",
    removedAt: "deleted_at",
    dependents: { plugin_memberships: "config_object_id", config_object_versions: "config_object_id" },
    grants: "configObject",
    // A release that is served or pinned, or that is pending approval, contains it.
    keptBy: { table: "plugin_release_objects", column: "object_id" }
  },
  {
    table: "plugins",
    removedAt: "deleted_at",
    dependents: {
      marketplace_memberships: "plugin_id",
      plugin_memberships: "plugin_id",
      plugin_archives: "plugin_id",
      plugin_releases: "plugin_id",
      plugin_release_objects: "plugin_id",
      plugin_release_files: "plugin_id",
      plugin_release_approvals: "plugin_id",
      plugin_release_checks: "plugin_id",
      rollouts: "plugin_id",
      assignments: "plugin_id",
      plugin_choices: "plugin_id"
    },
    grants: "plugin"
  },
  {
    table: "marketplaces",
    removedAt: "deleted_at",
    dependents: {
      marketplace_memberships: "marketplace_id",
      marketplace_plugin_names: "marketplace_id",
      assignments: "marketplace_id"
    },
    grants: "marketplace",
    // Desired states contain every name of a blocked plugin, because devices may still have it under any of them.
    keptBy: {
      table: "marketplace_plugin_names",
      column: "marketplace_id",
      where: `EXISTS (SELECT 1 FROM assignments a WHERE a.organization_id = k.organization_id AND a.mode = 'blocked'
        AND (a.plugin_id = k.plugin_id OR a.marketplace_id <> k.marketplace_id AND EXISTS (SELECT 1
          FROM marketplace_memberships m WHERE m.organization_id = k.organization_id AND m.plugin_id = k.plugin_id
            AND m.marketplace_id = a.marketplace_id AND m.removed_at IS NULL)))`
    }
  },
  // The connection's credentials were deleted with it. Its tools are deleted by their foreign key.
  { table: "mcp_connections", removedAt: "deleted_at", grants: "mcpConnection" },
  { table: "desktop_policies", removedAt: "deleted_at" },
  // The worker's reports are deleted by their foreign key, and so is its runtime, which was stopped long before.
  {
    table: "workers",
    removedAt: "removed_at",
    dependents: { worker_tokens: "worker_id", desired_state_revisions: "worker_id", devices: "worker_id" }
  },
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
    moreDays: 1,
    keptBy: { table: "scim_users", column: "directory_id" }
  },
  // A rollback restores the mappings of the publications that are kept.
  {
    table: "connector_mappings",
    removedAt: "removed_at",
    keptBy: { table: "published_mappings", column: "connector_mapping_id" }
  },
  {
    table: "connector_targets",
    removedAt: "removed_at",
    dependents: { sync_events: "connector_target_id" },
    keptBy: { table: "connector_mappings", column: "connector_target_id" }
  },
  {
    table: "connector_instances",
    removedAt: "removed_at",
    grants: "connectorInstance",
    keptBy: { table: "connector_targets", column: "connector_instance_id" }
  },
  {
    table: "connector_accounts",
    removedAt: "removed_at",
    keptBy: { table: "connector_instances", column: "connector_account_id" }
  },
  { table: "teams", removedAt: "removed_at", dependents: { grants: "team_id" } },
  { table: "roles", removedAt: "removed_at" },
  // Audit events name members and API keys, so these are kept as long as the events.
  { table: "api_keys", removedAt: "revoked_at", keptFor: "auditDays", dependents: { grants: "key_id" } },
  {
    table: "memberships",
    removedAt: "removed_at",
    keptFor: "auditDays",
    // The devices were deleted when the membership ended.
    dependents: {
      grants: "membership_id",
      desired_state_revisions: "membership_id",
      devices: "membership_id",
      removed_devices: "membership_id",
      release_outcomes: "membership_id"
    },
    keptBy: { table: "scim_users", column: "membership_id" }
  }
]

/** How long the removed rows are kept, in days. Null: without a limit. */
export const daysOf = ({ keptFor = "removedDays", moreDays = 0 }: Removal, retention: Retention): number | null => {
  const days = retention[keptFor]
  return days === null ? null : days + moreDays
}

/** Whether no row refers to the row `r` of the table. */
export const isUnused = (sql: Sql, { keptBy }: Removal) =>
  keptBy === undefined
    ? sql`TRUE`
    : sql`NOT EXISTS (SELECT 1 FROM ${sql(keptBy.table)} k
        WHERE k.organization_id = r.organization_id AND k.${sql(keptBy.column)} = r.id
          AND ${keptBy.where === undefined ? sql`TRUE` : sql.literal(keptBy.where)})`

/**
 * Permanently deletes rows that were removed long ago, each with its memberships, grants and versions in one statement.
 * A rollback to a revision that contained them then fails with `content_gone`.
 */
const deleteRemoved = (sql: Sql, removal: Removal, days: number) => {
  const { dependents = {}, grants, removedAt, table } = removal
  const deletions = Object.entries(dependents).map(
    ([dependent, column]) => sql`DELETE FROM ${sql(dependent)} r USING removed d
      WHERE r.organization_id = d.organization_id AND r.${sql(column)} = d.id`
  )
  if (grants !== undefined) {
    deletions.push(sql`DELETE FROM grants r USING removed d
      WHERE r.organization_id = d.organization_id AND r.object_kind = ${grants} AND r.object_id = d.id`)
  }
  const removed = sql`removed AS (SELECT r.organization_id, r.id FROM ${sql(table)} r
    WHERE r.${sql(removedAt)} < now() - make_interval(days => ${days}) AND ${isUnused(sql, removal)}
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
  ] as const
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
        AND NOT EXISTS (SELECT 1 FROM plugin_release_files f
          WHERE f.organization_id = b.organization_id AND f.digest = b.digest)
      LIMIT ${contentsMax})
    DELETE FROM plugin_file_blobs r USING removed d
    WHERE r.organization_id = d.organization_id AND r.digest = d.digest RETURNING 1 AS one`

/**
 * The steps that delete rows that were removed long ago, a few hundred per statement. Each step reports the table and the
 * number of rows that each statement deleted.
 */
export const removalSteps = (
  sql: Sql,
  retention: Retention,
  report: (table: string, rows: number) => Effect.Effect<void>
): ReadonlyArray<{ readonly name: string; readonly work: Effect.Effect<void, SqlError> }> => {
  const repeat = (table: string, step: Effect.Effect<ReadonlyArray<unknown>, SqlError>, max: number) => ({
    name: table,
    work: step.pipe(
      Effect.tap((rows) => report(table, rows.length)),
      Effect.repeat({ while: (rows) => rows.length === max }),
      Effect.asVoid
    )
  })
  const [rejoined, left] = memories(sql)
  const leaving = repeat("memories", left, removedMax)
  return [
    ...removals.flatMap((removal) => {
      const days = daysOf(removal, retention)
      return days === null ? [] : [repeat(removal.table, deleteRemoved(sql, removal, days), removedMax)]
    }),
    // Memories of members who rejoined are kept before those of former members are deleted.
    {
      ...leaving,
      work: Effect.andThen(rejoined.pipe(Effect.repeat({ while: (rows) => rows.length === removedMax })), leaving.work)
    },
    repeat("plugin_file_blobs", contents(sql), contentsMax)
  ]
}
