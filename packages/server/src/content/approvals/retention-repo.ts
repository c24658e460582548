/** Which releases keep their contents: the served one and the latest of a plugin, those that assignments pin, and those that
 * rollouts need. */
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../infra/sql/client.ts"
import { isPinned } from "../../infra/sql/release-checks.ts"

/** Releases kept per plugin. Older ones are deleted if their contents are not kept. */
const keptMax = 200

/** Whether an assignment pins the release `r`, so that its contents are kept. */
export const keepsContents = (sql: Sql): Fragment => sql.literal(isPinned("r"))

/**
 * Whether a rollout delivers the release `r`, or a rollback would restore it. Only the newest rollout of a plugin can be
 * rolled back, and only while it is open or completed.
 */
const keptByRollout = (sql: Sql): Fragment =>
  sql.literal(`(r.state = 'approved' AND EXISTS (SELECT 1 FROM rollouts ro WHERE ro.organization_id = r.organization_id
    AND ro.plugin_id = r.plugin_id AND ((ro.release_id = r.id AND ro.delivers)
      OR (ro.previous_release_id = r.id AND ro.state IN ('scheduled', 'active', 'paused', 'completed')
        AND NOT EXISTS (SELECT 1 FROM rollouts rn WHERE rn.organization_id = ro.organization_id
          AND rn.plugin_id = ro.plugin_id AND rn.number > ro.number)))))`)

/** Deletes the contents of releases for which `isKept` is false. `plugins` selects IDs. */
export const deleteContents = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  plugins: Fragment,
  isKept: Fragment
) {
  const rows = yield* sql<{ id: string }>`UPDATE plugin_releases r SET has_contents = false
    WHERE r.organization_id = ${organizationId} AND r.plugin_id IN (${plugins}) AND r.has_contents AND NOT (${isKept})
    RETURNING r.id`
  if (rows.length === 0) return
  // By release, because these tables have no index of plugins.
  const ids = sql`SELECT jsonb_array_elements_text(${sql.json(rows.map(({ id }) => id))})`
  for (const table of ["plugin_release_objects", "plugin_release_files"]) {
    yield* sql`DELETE FROM ${sql(table)} WHERE organization_id = ${organizationId} AND release_id IN (${ids})`
  }
})

/**
 * Locks a plugin until the transaction ends, so that the contents of a release are not deleted before an assignment pins it.
 */
export const lockContents = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">) =>
  sql`SELECT 1 AS one FROM plugins WHERE organization_id = ${organizationId} AND id = ${pluginId} FOR UPDATE`

/**
 * Deletes contents that are neither served, nor pinned, nor of the latest release, and old releases. The caller has locked the
 * plugin.
 */
export const deleteOldContents = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  pluginId: Id<"plg">
) {
  const plugin = sql`SELECT ${pluginId}::text`
  // With the delivery mode auto, the latest content is served, and not the latest release.
  yield* deleteContents(
    sql,
    organizationId,
    plugin,
    sql`${keepsContents(sql)} OR ${keptByRollout(sql)} OR EXISTS (SELECT 1 FROM plugins p WHERE p.organization_id = ${organizationId}
      AND p.id = r.plugin_id AND p.delivery_mode IS NOT NULL AND (p.served_release_id = r.id OR r.number =
        (SELECT max(n.number) FROM plugin_releases n WHERE n.organization_id = ${organizationId}
          AND n.plugin_id = ${pluginId})))`
  )
  yield* sql`WITH old AS (DELETE FROM plugin_releases r WHERE r.organization_id = ${organizationId}
      AND r.plugin_id = ${pluginId} AND NOT r.has_contents
      AND NOT EXISTS (SELECT 1 FROM rollouts ro WHERE ro.organization_id = ${organizationId}
        AND ro.plugin_id = ${pluginId} AND ro.release_id = r.id)
      AND r.number <= (SELECT max(n.number) FROM plugin_releases n WHERE n.organization_id = ${organizationId}
        AND n.plugin_id = ${pluginId}) - ${keptMax}::int
      RETURNING r.id)
    DELETE FROM plugin_release_approvals WHERE organization_id = ${organizationId} AND release_id IN (SELECT id FROM old)`
})
