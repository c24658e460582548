import type { DeliveryMode, ReleaseReason } from "@orgplane/schema/approvals"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { makeId } from "../../infra/ids.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { ownRevision } from "../../infra/sql/plugin-manifest.ts"
import { archivedPaths, fingerprint, objectsOf } from "../plugins/archive-repo.ts"
import { deleteContents, keepsContents } from "./retention-repo.ts"

export interface SettingsRow {
  readonly delivery_mode: Exclude<DeliveryMode, "auto"> | null
  readonly four_eyes: boolean
}

/** `auto` is stored as null. */
const stored = (mode: DeliveryMode) => (mode === "auto" ? null : mode)

export const settings = (sql: Sql, organizationId: Id<"org">) =>
  sql<SettingsRow>`SELECT delivery_mode, four_eyes FROM organizations WHERE id = ${organizationId}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Locks the settings until the transaction ends, so that changes of modes are applied one after the other. */
export const lockSettings = (sql: Sql, organizationId: Id<"org">) =>
  sql<SettingsRow>`SELECT delivery_mode, four_eyes FROM organizations WHERE id = ${organizationId} FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

export const setSettings = (sql: Sql, organizationId: Id<"org">, mode: DeliveryMode, fourEyes: boolean) =>
  sql`UPDATE organizations SET delivery_mode = ${stored(mode)}, four_eyes = ${fourEyes} WHERE id = ${organizationId}`

const scopes = {
  connectorInstance: { table: "connector_instances", end: "removed_at" },
  marketplace: { table: "marketplaces", end: "deleted_at" }
} as const
export type Scope = keyof typeof scopes

/** The mode of a connector instance or a marketplace; undefined if it does not exist. */
export const find = (sql: Sql, organizationId: Id<"org">, scope: Scope, id: string) =>
  sql<Pick<SettingsRow, "delivery_mode">>`SELECT delivery_mode FROM ${sql(scopes[scope].table)}
    WHERE organization_id = ${organizationId} AND id = ${id} AND ${sql(scopes[scope].end)} IS NULL`.pipe(
    Effect.map((rows): DeliveryMode | undefined =>
      rows[0] === undefined ? undefined : (rows[0].delivery_mode ?? "auto")
    )
  )

export const set = (sql: Sql, organizationId: Id<"org">, scope: Scope, id: string, mode: DeliveryMode) =>
  sql`UPDATE ${sql(scopes[scope].table)} SET delivery_mode = ${stored(mode)}
    WHERE organization_id = ${organizationId} AND id = ${id}`

interface Changed {
  readonly id: Id<"plg">
  readonly was: string | null
  readonly wanted: string | null
}

/** The plugins that a setting concerns. */
export type Concerned = "all" | { readonly scope: Scope; readonly id: string }

const concernedPlugins = (sql: Sql, organizationId: Id<"org">, concerned: Concerned) => {
  if (concerned === "all") return sql`TRUE`
  return concerned.scope === "marketplace"
    ? sql`p.id IN (SELECT cm.plugin_id FROM marketplace_memberships cm WHERE cm.organization_id = ${organizationId}
        AND cm.marketplace_id = ${concerned.id} AND cm.removed_at IS NULL)`
    : sql`p.connector_target_id IN (SELECT ct.id FROM connector_targets ct WHERE ct.organization_id = ${organizationId}
        AND ct.connector_instance_id = ${concerned.id})`
}

/** Plugins whose mode is not the strictest of their settings, which are locked. The strictest mode sorts first. */
const changedPlugins = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, concerned: Concerned) {
  const live = sql`FROM plugins p WHERE p.organization_id = ${organizationId} AND p.deleted_at IS NULL
    AND ${concernedPlugins(sql, organizationId, concerned)}`
  // A statement that waits for a lock does not see the memberships that were added meanwhile.
  yield* sql`SELECT 1 AS one ${live} FOR UPDATE OF p`
  return yield* sql<Changed>`SELECT x.id, x.was, x.wanted FROM (SELECT p.id, p.delivery_mode AS was, least(
        (SELECT o.delivery_mode FROM organizations o WHERE o.id = ${organizationId}),
        (SELECT i.delivery_mode FROM connector_targets t
          JOIN connector_instances i ON i.organization_id = ${organizationId} AND i.id = t.connector_instance_id
          WHERE t.organization_id = ${organizationId} AND t.id = p.connector_target_id),
        (SELECT min(m.delivery_mode) FROM marketplace_memberships mm
          JOIN marketplaces m ON m.organization_id = ${organizationId} AND m.id = mm.marketplace_id
            AND m.deleted_at IS NULL
          WHERE mm.organization_id = ${organizationId} AND mm.plugin_id = p.id AND mm.removed_at IS NULL)) AS wanted
      ${live} FOR UPDATE OF p) x
    WHERE x.was IS DISTINCT FROM x.wanted`
})

/** Stores the current content of each plugin as an approved release, and serves it. Its digests are computed later. */
const approveCurrent = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  pluginIds: ReadonlyArray<Id<"plg">>,
  /** `by` is null for the creator of the plugin. */
  decision: { readonly because: ReleaseReason; readonly by: string | null }
) {
  const wanted = sql.json(pluginIds.map((pluginId) => ({ pluginId, id: makeId("rel") })))
  const rows = sql`jsonb_to_recordset(${wanted}) AS x("pluginId" text, id text)`
  yield* sql`INSERT INTO plugin_releases (organization_id, id, plugin_id, number, fingerprint, state, name, description,
      manifest_json, archived_json, has_files, source_revision, needs_review, created_at, decided_at, decided_by,
      decided_because)
    SELECT ${organizationId}, x.id, p.id, 1 + coalesce((SELECT max(r.number) FROM plugin_releases r
        WHERE r.organization_id = ${organizationId} AND r.plugin_id = p.id), 0), ${fingerprint(sql, organizationId)},
      'approved', p.name, p.description, p.manifest_json, ${archivedPaths(sql, organizationId)},
      p.manifest_json #> '{setup,files,digest}' IS NOT NULL,
      ${ownRevision(sql)},
      false, now(), now(), coalesce(${decision.by}, p.created_by_membership_id), ${decision.because}
    FROM ${rows} JOIN plugins p ON p.organization_id = ${organizationId} AND p.id = x."pluginId"`
  yield* sql`INSERT INTO plugin_release_objects (organization_id, release_id, plugin_id, object_id, version_id,
      object_type, title, file_name, relative_path, is_mapped, pointer, component)
    SELECT ${organizationId}, x.id, x."pluginId", c.object_id, c.version_id, c.object_type, c.title, c.file_name,
      c.relative_path, c.is_mapped, c.pointer, c.component
    FROM ${rows} CROSS JOIN LATERAL (${objectsOf(sql, organizationId, sql`x."pluginId"`)}) c`
  yield* sql`INSERT INTO plugin_release_files (organization_id, release_id, plugin_id, path, is_executable, digest)
    SELECT ${organizationId}, x.id, x."pluginId", f.path, f.is_executable, f.digest
    FROM ${rows}
    JOIN plugin_releases r ON r.organization_id = ${organizationId} AND r.id = x.id AND r.has_files
    JOIN plugin_files f ON f.organization_id = ${organizationId} AND f.plugin_id = x."pluginId" AND f.to_sequence IS NULL`
  yield* sql`UPDATE plugins p SET served_release_id = x.id FROM ${rows}
    WHERE p.organization_id = ${organizationId} AND p.id = x."pluginId"`
})

/** The plugins whose current content was withdrawn, and not approved since. */
const withdrawnPlugins = (sql: Sql, organizationId: Id<"org">, pluginIds: ReadonlyArray<Id<"plg">>) =>
  sql<{ id: Id<"plg"> }>`SELECT p.id FROM plugins p
    JOIN plugin_releases r ON r.organization_id = ${organizationId} AND r.plugin_id = p.id
      AND r.fingerprint = ${fingerprint(sql, organizationId)}
    WHERE p.organization_id = ${organizationId} AND p.id IN (SELECT jsonb_array_elements_text(${sql.json(pluginIds)}))
    GROUP BY p.id HAVING bool_or(r.withdrawn_at IS NOT NULL) AND NOT bool_or(r.state = 'approved')`

/**
 * Serves the current content of plugins as their first release. Content that was withdrawn waits for an approver instead,
 * and nothing is served until then.
 */
const gate = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  pluginIds: ReadonlyArray<Id<"plg">>,
  by: string
) {
  const withdrawn = (yield* withdrawnPlugins(sql, organizationId, pluginIds)).map(({ id }) => id)
  const served = pluginIds.filter((id) => !withdrawn.includes(id))
  if (served.length > 0) yield* approveCurrent(sql, organizationId, served, { because: "served_before", by })
  if (withdrawn.length === 0) return
  yield* sql`INSERT INTO plugin_release_checks (organization_id, plugin_id)
    SELECT ${organizationId}, x.id FROM jsonb_array_elements_text(${sql.json(withdrawn)}) AS x(id)`
})

/** Serves the latest content of plugins again. Releases that are pending approval are approved; pinned contents are kept. */
const ungate = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  pluginIds: ReadonlyArray<Id<"plg">>,
  by: string
) {
  const ids = sql`SELECT jsonb_array_elements_text(${sql.json(pluginIds)})`
  yield* sql`UPDATE plugin_releases SET state = 'approved', decided_at = now(), decided_by = ${by},
      decided_because = 'policy'
    WHERE organization_id = ${organizationId} AND plugin_id IN (${ids}) AND state = 'pending'`
  yield* sql`INSERT INTO rollout_steps (organization_id, rollout_id, step, reason, by_membership_id, created_at)
    SELECT ro.organization_id, ro.id, 'cancelled', 'delivery_mode_auto', ${by.startsWith("om_") ? by : null}::text,
      clock_timestamp()
    FROM rollouts ro WHERE ro.organization_id = ${organizationId} AND ro.plugin_id IN (${ids})
      AND ro.state IN ('scheduled', 'active', 'paused')`
  yield* sql`UPDATE rollouts SET state = CASE WHEN state IN ('scheduled', 'active', 'paused') THEN 'cancelled' ELSE state END,
      ended_at = coalesce(ended_at, now()), delivers = false, pause_reason = NULL, starts_at = NULL
    WHERE organization_id = ${organizationId} AND plugin_id IN (${ids})
      AND (delivers OR state IN ('scheduled', 'active', 'paused'))`
  yield* deleteContents(sql, organizationId, ids, keepsContents(sql))
  yield* sql`UPDATE plugins SET served_release_id = NULL WHERE organization_id = ${organizationId} AND id IN (${ids})`
  yield* sql`DELETE FROM plugin_release_checks WHERE organization_id = ${organizationId} AND plugin_id IN (${ids})`
})

/** Applies the settings to the plugins that a change concerns; returns the number of plugins whose mode changed. */
export const apply = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  concerned: Concerned,
  by: string
) {
  const changed = yield* changedPlugins(sql, organizationId, concerned)
  if (changed.length === 0) return 0
  const idsOf = (rows: ReadonlyArray<Changed>) => rows.map(({ id }) => id)
  const gated = idsOf(changed.filter(({ was }) => was === null))
  if (gated.length > 0) yield* gate(sql, organizationId, gated, by)
  const ungated = idsOf(changed.filter(({ wanted }) => wanted === null))
  if (ungated.length > 0) yield* ungate(sql, organizationId, ungated, by)
  yield* sql`UPDATE plugins p SET delivery_mode = x.wanted
    FROM jsonb_to_recordset(${sql.json(changed)}) AS x(id text, wanted text)
    WHERE p.organization_id = ${organizationId} AND p.id = x.id`
  return changed.length
})

/**
 * Approves the content of imported plugins that have no release yet. The plan showed their capabilities to the member who
 * imported them. With four-eyes approval, they wait for other members.
 */
export const approveImported = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">) {
  const rows = yield* sql<{ id: Id<"plg"> }>`SELECT p.id FROM plugins p
    JOIN organizations o ON o.id = p.organization_id AND NOT o.four_eyes
    WHERE p.organization_id = ${organizationId} AND p.connector_target_id = ${targetId} AND p.deleted_at IS NULL
      AND p.delivery_mode IS NOT NULL AND p.created_by_membership_id IS NOT NULL AND p.served_release_id IS NULL
      AND NOT EXISTS (SELECT 1 FROM plugin_releases r
        WHERE r.organization_id = ${organizationId} AND r.plugin_id = p.id)
    FOR UPDATE OF p`
  if (rows.length === 0) return
  yield* approveCurrent(
    sql,
    organizationId,
    rows.map(({ id }) => id),
    { because: "import", by: null }
  )
})
