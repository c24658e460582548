import { isDeepStrictEqual } from "node:util"
import type { Replay, Shown } from "./replay.ts"
import type { Source } from "./repository.ts"

/** Runs one statement on the servers' shared database. */
export type Query = <A extends object>(statement: string) => Promise<ReadonlyArray<A>>

/** Quotes a value for SQL; only for IDs and revisions from responses. */
export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

export interface EventRow {
  readonly id: string
  readonly status: string
  readonly mode: "head" | "resync" | "rollback"
  readonly revision: string | null
  readonly wanted_revision: string | null
  readonly counts_json: Readonly<Record<string, number>>
  readonly warnings_json: ReadonlyArray<string>
  readonly attempt: number
  readonly error_code: string | null
}

interface VersionsRow {
  readonly id: string
  readonly versions: number
  readonly objects: number
  readonly deleted: number
  readonly texts: ReadonlyArray<string> | null
  readonly revisions: ReadonlyArray<string>
}

export interface Totals {
  completed: number
  rollbacks: number
  /** Syncs that needed more than one run. */
  repeated: number
  held: number
  ignored: number
  failed: number
  versions: number
}

export const noTotals = (): Totals => ({
  completed: 0,
  rollbacks: 0,
  repeated: 0,
  held: 0,
  ignored: 0,
  failed: 0,
  versions: 0
})

/** Errors of a sync that was interrupted or superseded too often. Here a sync fails for no other reason. */
const passing = new Set(["interrupted", "overtaken"])

const demand = (isSo: boolean, what: string) => {
  if (!isSo) throw new Error(what)
}
const demandEqual = (actual: unknown, expected: unknown, what: string) =>
  demand(
    isDeepStrictEqual(actual, expected),
    `${what}: ${JSON.stringify(actual)?.slice(0, 2000)} instead of ${JSON.stringify(expected)?.slice(0, 2000)}`
  )

/** Compares an organization's rows in the database with the commits of its repository. */
export const makeChecks = (query: Query, organizationId: string, source: Source, replay: Replay) => {
  const of = `organization_id = ${quoted(organizationId)}`
  const checkedEvents = new Set<string>()
  const totals = noTotals()

  /** Checks the syncs that ended since the last call, in their order, against the model. */
  const history = async (onPublished: (shown: Shown) => void) => {
    const rows = await query<EventRow>(
      `SELECT id, status, mode, revision, wanted_revision, counts_json, warnings_json, attempt, error_code
       FROM sync_events WHERE ${of} AND ended_at IS NOT NULL AND status NOT IN ('queued', 'running')
       ORDER BY ended_at, id`
    )
    const fresh = rows.filter(({ id, status }) => !checkedEvents.has(`${id} ${status}`))
    const ids = fresh.map(({ id }) => quoted(id)).join(", ") || "''"
    const versionRows = await query<VersionsRow>(
      `SELECT sync_event_id AS id, count(*)::int AS versions, count(DISTINCT config_object_id)::int AS objects,
         (count(*) FILTER (WHERE is_deleted_version))::int AS deleted,
         json_agg(source_text) FILTER (WHERE NOT is_deleted_version) AS texts,
         json_agg(DISTINCT source_revision) AS revisions
       FROM config_object_versions WHERE ${of} AND sync_event_id IN (${ids}) GROUP BY sync_event_id`
    )
    const auditRows = await query<{ id: string; action: string; count: number }>(
      `SELECT after_json ->> 'syncEventId' AS id, action, count(*)::int AS count FROM audit_events
       WHERE ${of} AND action IN ('connector.synced', 'connector.rolled_back', 'connector.sync_failed')
         AND after_json ->> 'syncEventId' IN (${ids}) GROUP BY 1, 2`
    )
    const versions = new Map(versionRows.map((row) => [row.id, row]))
    for (const event of fresh) {
      checkedEvents.add(`${event.id} ${event.status}`)
      const row = versions.get(event.id)
      const ends = auditRows.filter(({ id }) => id === event.id).map(({ action, count }) => `${action} ${count}`)
      if (event.attempt > 1) totals.repeated += 1
      if (event.status !== "completed") {
        demand(["ignored", "failed", "review_required", "rejected"].includes(event.status), JSON.stringify(event))
        demandEqual(row, undefined, `${event.id} is ${event.status} but created versions`)
        demandEqual(ends, event.status === "failed" ? ["connector.sync_failed 1"] : [], `The ends of ${event.id}`)
        if (event.status === "failed") demand(passing.has(event.error_code ?? ""), JSON.stringify(event))
        totals[event.status === "failed" ? "failed" : event.status === "ignored" ? "ignored" : "held"] += 1
        continue
      }
      const isRollback = event.mode === "rollback"
      demandEqual(
        ends,
        [isRollback ? "connector.rolled_back 1" : "connector.synced 1"],
        `The ends of ${event.id}, which is completed`
      )
      const revision = event.revision ?? ""
      if (isRollback) demandEqual(revision, event.wanted_revision, `The revision of ${event.id}`)
      const { counts, shown, texts } = isRollback
        ? replay.restore(revision)
        : replay.follow(revision, source.at(revision))
      const { pluginsCreated: _, ...counted } = event.counts_json
      // The model covers objects; other files have their own property test (`plugin-folders.test.ts`).
      const ofObjects = Object.entries(counted).filter(([name]) => !/^files(Added|Changed|Removed)$/.test(name))
      demandEqual(
        ofObjects.sort(([a], [b]) => (a < b ? -1 : 1)),
        Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)),
        `The counts of ${event.id} at ${revision}`
      )
      demandEqual(event.warnings_json, [], `The warnings of ${event.id}`)
      const expected = texts.length + counts.objectsDeleted
      demandEqual(
        row === undefined ? [0, 0, 0] : [row.versions, row.objects, row.deleted],
        [expected, expected, counts.objectsDeleted],
        `Versions, objects and deletions of ${event.id} at ${revision}`
      )
      demandEqual([...(row?.texts ?? [])].sort(), [...texts].sort(), `The texts that ${event.id} created`)
      if (row !== undefined)
        demandEqual(row.revisions, [revision], `The revision of the versions that ${event.id} created`)
      onPublished(shown)
      totals.versions += expected
      totals.completed += 1
      if (isRollback) totals.rollbacks += 1
    }
    return fresh
  }

  /**
   * The rows must match the last publication exactly. Until the branch is up to date, applied plugins may wait for their
   * first sync. Returns false while a sync is queued or running, because only the content is final then. The reconciler can
   * start a sync at any time.
   */
  const content = async (isHome: boolean): Promise<boolean> => {
    const rows = await query<Readonly<Record<string, string>>>(
      `SELECT p.name AS plugin, o.object_type AS "objectType", o.relative_path AS path, v.source_text AS text,
         b.blob_sha AS sha
       FROM config_objects o
       JOIN config_object_versions v ON v.organization_id = o.organization_id AND v.id = o.latest_version_id
       LEFT JOIN plugin_memberships m ON m.organization_id = o.organization_id AND m.config_object_id = o.id
         AND m.removed_at IS NULL
       LEFT JOIN plugins p ON p.organization_id = o.organization_id AND p.id = m.plugin_id AND p.deleted_at IS NULL
       LEFT JOIN source_bindings b ON b.organization_id = o.organization_id AND b.config_object_id = o.id
       WHERE o.${of} AND o.deleted_at IS NULL ORDER BY o.relative_path COLLATE "C"`
    )
    const expected = [...replay.shown().values()].sort((a, b) => (a.path < b.path ? -1 : 1))
    for (const [index, file] of expected.entries()) {
      const { object: _, ...wanted } = file
      const { objectType, path, plugin, sha, text } = rows[index] ?? {}
      demandEqual({ plugin, objectType, path, text, sha }, wanted, "An object")
    }
    demandEqual(rows.length, expected.length, `Objects (the first too many is ${rows[expected.length]?.["path"]})`)
    const [row] = await query<{ readonly plugins: ReadonlyArray<string>; readonly open: number }>(
      `SELECT
         (SELECT json_agg(name ORDER BY name COLLATE "C") FROM plugins WHERE ${of} AND deleted_at IS NULL) AS plugins,
         (SELECT count(*)::int FROM plugin_memberships WHERE ${of} AND removed_at IS NULL) AS memberships,
         (SELECT count(*)::int FROM source_bindings WHERE ${of}) AS bindings,
         (SELECT count(*)::int FROM published_files WHERE ${of} AND to_sequence IS NULL) AS published,
         (SELECT count(*)::int FROM sync_staged) AS staged,
         (SELECT count(*)::int FROM config_object_versions WHERE ${of}) AS versions,
         (SELECT count(*)::int FROM (SELECT 1 FROM config_object_versions WHERE ${of} GROUP BY config_object_id
            HAVING max(ordinal) <> count(*)) AS r) AS gaps,
         (SELECT count(*)::int FROM connector_targets WHERE ${of} AND lease_until > now()) AS leases,
         (SELECT count(*)::int FROM sync_events WHERE ${of} AND status IN ('queued', 'running')) AS open`
    )
    if (row !== undefined && row.open > 0) return false
    const files = expected.length
    const filled = new Set(expected.map((file) => file.plugin))
    const plugins = isHome
      ? [...filled].sort()
      : (row?.plugins ?? []).filter((name, at, all) => all.indexOf(name) === at)
    for (const name of filled) demand(plugins.includes(name), `The plugin ${name} is missing.`)
    demandEqual(
      row,
      {
        plugins,
        memberships: files,
        bindings: files,
        published: files,
        staged: 0,
        versions: totals.versions,
        gaps: 0,
        leases: 0,
        open: 0
      },
      "What is kept"
    )
    return true
  }

  /** Every acknowledged delivery must be recorded once. */
  const deliveries = async (acknowledged: ReadonlySet<string>) => {
    const rows = await query<{ delivery_id: string; count: number }>(
      `SELECT delivery_id, count(*)::int AS count FROM webhook_deliveries WHERE ${of} GROUP BY delivery_id`
    )
    const rowCounts = new Map(rows.map((row) => [row.delivery_id, row.count]))
    for (const delivery of acknowledged) demandEqual(rowCounts.get(delivery), 1, `Delivery ${delivery}`)
  }

  return { history, content, deliveries, totals } as const
}
