import type * as Connectors from "@orgplane/schema/connectors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Member } from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { visible } from "../../identity/grants/index.ts"
import { counter, histogramOf } from "../../infra/metrics/metrics.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { texts } from "../../infra/sql/texts.ts"
import { inParts, inTimeSlices, type Steps } from "../../infra/time-slices.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"

export interface EventRow {
  readonly id: Id<"cse">
  readonly connector_instance_id: Id<"cin">
  readonly connector_target_id: Id<"ctg">
  readonly status: Connectors.SyncStatus
  readonly trigger: Connectors.SyncEvent["trigger"]
  readonly attempt: number
  readonly pauses: number
  readonly base_revision: string | null
  readonly revision: string | null
  readonly counts_json: Connectors.SyncCounts
  readonly warnings_json: ReadonlyArray<string>
  readonly approved_revision: string | null
  readonly mode: "head" | "resync" | "rollback"
  readonly wanted_revision: string | null
  readonly by_hand_at: Date | null
  readonly files_done: number
  readonly files_total: number | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly created_at: Date
  readonly started_at: Date | null
  readonly ended_at: Date | null
}

export const eventColumns = (sql: Sql) =>
  sql.literal(`e.id, e.connector_instance_id, e.connector_target_id, e.status, e.trigger, e.attempt, e.pauses, e.base_revision,
    e.revision, e.counts_json, e.warnings_json, e.approved_revision, e.mode, e.wanted_revision,
    e.by_hand_at, e.files_done, e.files_total, e.error_code, e.error_message, e.created_at,
    e.started_at, e.ended_at`)

export const noCounts: Connectors.SyncCounts = {
  filesScanned: 0,
  objectsCreated: 0,
  objectsUpdated: 0,
  objectsDeleted: 0,
  objectsUnchanged: 0,
  pluginsCreated: 0,
  filesAdded: 0,
  filesChanged: 0,
  filesRemoved: 0
}

export const toWire = (row: EventRow): Connectors.SyncEvent => ({
  id: row.id,
  connectorInstanceId: row.connector_instance_id,
  connectorTargetId: row.connector_target_id,
  status: row.status,
  trigger: row.trigger,
  attempt: row.attempt,
  baseRevision: row.base_revision,
  revision: row.revision,
  // Absent in counts that were stored before plugin files were imported.
  counts: { ...noCounts, ...row.counts_json },
  progress: row.files_total === null ? null : { done: row.files_done, total: row.files_total },
  warnings: row.warnings_json,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
  createdAt: iso(row.created_at),
  startedAt: isoOrNull(row.started_at),
  endedAt: isoOrNull(row.ended_at)
})

export const findEvent = (sql: Sql, organizationId: Id<"org">, id: Id<"cse">) =>
  sql<EventRow>`SELECT ${eventColumns(sql)} FROM sync_events e
    WHERE e.organization_id = ${organizationId} AND e.id = ${id}`.pipe(Effect.map((rows) => rows[0]))

export const getEvent = (sql: Sql, caller: Member, id: Id<"cse">) =>
  sql<EventRow>`SELECT ${eventColumns(sql)} FROM sync_events e
    WHERE e.organization_id = ${caller.organizationId} AND e.id = ${id}
      AND ${visible(sql, caller, "connectorInstance", sql`e.connector_instance_id`)}`.pipe(
    Effect.map((rows) => rows[0])
  )

export const listEvents = (
  sql: Sql,
  organizationId: Id<"org">,
  instanceId: Id<"cin">,
  filters: { readonly status?: string },
  after: string | null,
  limit: number
) =>
  sql<EventRow>`SELECT ${eventColumns(sql)} FROM sync_events e
    WHERE e.organization_id = ${organizationId} AND e.connector_instance_id = ${instanceId}
      AND (${filters.status ?? null}::text IS NULL OR e.status = ${filters.status ?? null})
      AND (${after}::text IS NULL OR e.id < ${after})
    ORDER BY e.id DESC LIMIT ${limit}`

/** Queues a sync of the target: returns the waiting one, or this one. */
export const putQueued = (
  sql: Sql,
  organizationId: Id<"org">,
  event: {
    readonly id: Id<"cse">
    readonly instanceId: Id<"cin">
    readonly targetId: Id<"ctg">
    readonly trigger: Connectors.SyncEvent["trigger"]
    readonly mode: EventRow["mode"]
    /** The revision to import or restore, instead of the head. */
    readonly revision: string | null
    readonly isByHand: boolean
  }
) =>
  sql<EventRow>`INSERT INTO sync_events AS e (organization_id, id, connector_instance_id, connector_target_id, status,
      trigger, mode, wanted_revision, by_hand_at, base_revision, counts_json, created_at)
    VALUES (${organizationId}, ${event.id}, ${event.instanceId}, ${event.targetId}, 'queued', ${event.trigger},
      ${event.mode}, ${event.revision}, CASE WHEN ${event.isByHand} THEN now() END,
      (SELECT t.last_sync_cursor FROM connector_targets t
        WHERE t.organization_id = ${organizationId} AND t.id = ${event.targetId}),
      ${sql.json(noCounts)}, now())
    ON CONFLICT (organization_id, connector_target_id) WHERE status = 'queued' DO UPDATE SET
      mode = CASE WHEN e.mode = 'head' THEN excluded.mode ELSE e.mode END,
      -- A manual sync of the head may mean a newer one. A push does not change a waiting event's planned revision.
      wanted_revision = CASE WHEN e.mode = 'rollback' OR NOT ${event.isByHand} THEN e.wanted_revision END,
      by_hand_at = coalesce(excluded.by_hand_at, e.by_hand_at)
    RETURNING ${eventColumns(sql)}`.pipe(Effect.flatMap(([row]) => expectRow(row, "sync event")))

/** Leases the target to this run, or renews the lease; false while another run holds it. */
export const lease = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, holder: string, seconds: number) =>
  sql<{ id: string }>`UPDATE connector_targets
    SET lease_holder = ${holder}, lease_until = now() + make_interval(secs => ${seconds})
    WHERE organization_id = ${organizationId} AND id = ${targetId}
      AND (lease_holder IS NULL OR lease_holder = ${holder} OR lease_until < now())
    RETURNING id`.pipe(Effect.map((rows) => rows.length === 1))

/** Whether the run still holds the lease; locks the target for the current transaction. */
export const holds = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, holder: string) =>
  sql<{ id: string }>`SELECT id FROM connector_targets
    WHERE organization_id = ${organizationId} AND id = ${targetId} AND lease_holder = ${holder} FOR SHARE`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

export const release = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, holder: string) =>
  sql`UPDATE connector_targets SET lease_holder = NULL, lease_until = NULL
    WHERE organization_id = ${organizationId} AND id = ${targetId} AND lease_holder = ${holder}`

export const start = (sql: Sql, organizationId: Id<"org">, id: Id<"cse">) =>
  sql<EventRow>`UPDATE sync_events e SET status = 'running', attempt = e.attempt + 1,
      started_at = coalesce(e.started_at, now())
    WHERE e.organization_id = ${organizationId} AND e.id = ${id} AND e.status IN ('queued', 'running')
    RETURNING ${eventColumns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** An attempt that was interrupted by a shutdown is not counted. */
export const giveBack = (sql: Sql, organizationId: Id<"org">, id: Id<"cse">) =>
  sql`UPDATE sync_events SET attempt = attempt - 1
    WHERE organization_id = ${organizationId} AND id = ${id} AND status = 'running'`

/** The host requested a delay: the branch is not read until then, and the run does not count as an attempt. */
export const pause = (
  sql: Sql,
  organizationId: Id<"org">,
  run: { readonly id: Id<"cse">; readonly connector_target_id: Id<"ctg"> },
  millis: number,
  error: { readonly code: string; readonly message: string }
) =>
  Effect.andThen(
    sql`UPDATE sync_events SET attempt = greatest(attempt - 1, 0), pauses = pauses + 1, error_code = ${error.code},
        error_message = ${error.message}
      WHERE organization_id = ${organizationId} AND id = ${run.id} AND status = 'running'`,
    sql`UPDATE connector_targets SET paused_until = now() + make_interval(secs => ${millis / 1000}::double precision)
      WHERE organization_id = ${organizationId} AND id = ${run.connector_target_id}`
  )

/** The remaining delay of a branch. */
export const pausedMillis = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">) =>
  sql<{ millis: number }>`SELECT ceil(extract(epoch FROM paused_until - now()) * 1000)::int AS millis
    FROM connector_targets
    WHERE organization_id = ${organizationId} AND id = ${targetId} AND paused_until > now()`.pipe(
    Effect.map((rows) => rows[0]?.millis ?? 0)
  )

/** Queues an approved sync again, for the revision that was approved. */
export const requeue = (sql: Sql, organizationId: Id<"org">, id: Id<"cse">) =>
  sql<EventRow>`UPDATE sync_events e SET status = 'queued', approved_revision = e.revision, attempt = 0, pauses = 0, by_hand_at = now(),
      wanted_revision = NULL, files_done = 0, files_total = NULL,
      counts_json = ${sql.json(noCounts)}, warnings_json = '[]', started_at = NULL, ended_at = NULL
    WHERE e.organization_id = ${organizationId} AND e.id = ${id} AND e.status = 'review_required'
    RETURNING ${eventColumns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Ends a branch's waiting sync, which another sync replaces. */
export const supersede = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, warning: string) =>
  sql`UPDATE sync_events SET status = 'ignored', warnings_json = ${sql.json([warning])}, ended_at = now()
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId} AND status = 'queued'`

/** Like `supersede`, if the waiting sync is a rollback. */
export const supersedeRollback = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, warning: string) =>
  sql`UPDATE sync_events SET status = 'ignored', warnings_json = ${sql.json([warning])}, ended_at = now()
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId} AND status = 'queued'
      AND mode = 'rollback'`

export const reject = (sql: Sql, organizationId: Id<"org">, id: Id<"cse">) =>
  sql<EventRow>`UPDATE sync_events e SET status = 'rejected', ended_at = now()
    WHERE e.organization_id = ${organizationId} AND e.id = ${id} AND e.status = 'review_required'
    RETURNING ${eventColumns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Whether a revision of a branch was rejected. */
export const isRejected = (
  sql: Sql,
  run: Pick<EventRow, "connector_instance_id" | "connector_target_id">,
  organizationId: Id<"org">,
  revision: string
) =>
  sql<{ found: boolean }>`SELECT EXISTS (SELECT 1 FROM sync_events
    WHERE organization_id = ${organizationId} AND connector_instance_id = ${run.connector_instance_id}
      AND connector_target_id = ${run.connector_target_id} AND status = 'rejected' AND revision = ${revision}) AS found`.pipe(
    Effect.map((rows) => rows[0]?.found === true)
  )

export const progress = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"cse">,
  counts: Connectors.SyncCounts,
  files: { readonly done: number; readonly total: number }
) =>
  sql`UPDATE sync_events SET counts_json = ${sql.json(counts)}, files_done = ${files.done}, files_total = ${files.total}
    WHERE organization_id = ${organizationId} AND id = ${id} AND status = 'running'`

export interface Outcome {
  readonly status: Connectors.SyncStatus
  readonly revision: string | null
  readonly counts: Connectors.SyncCounts
  readonly warnings: ReadonlyArray<string>
  readonly error: { readonly code: string; readonly message: string } | null
}

const durations = histogramOf("orgplane_sync_duration_seconds", [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800])

/** Counts and logs a sync that has ended; one that never started has no duration. */
const measured = (id: Id<"cse">, { error, status }: Outcome, seconds: number | null): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Metric.update(counter("orgplane_syncs_total", { status }), 1)
    if (seconds !== null) yield* Metric.update(durations, seconds)
    yield* Effect.logInfo("A connector sync ended.", {
      syncEventId: id,
      status,
      ...(seconds === null ? {} : { durationMs: Math.round(seconds * 1000) }),
      ...(error === null ? {} : { error: error.code })
    })
  })

export const end = (sql: Sql, organizationId: Id<"org">, id: Id<"cse">, outcome: Outcome) =>
  sql<{
    readonly seconds: number | null
  }>`UPDATE sync_events SET status = ${outcome.status}, revision = ${outcome.revision},
      counts_json = ${sql.json(outcome.counts)}, warnings_json = ${sql.json(outcome.warnings)},
      error_code = ${outcome.error?.code ?? null}, error_message = ${outcome.error?.message ?? null}, ended_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND status IN ('queued', 'running')
    RETURNING extract(epoch FROM now() - started_at)::float8 AS seconds`.pipe(
    Effect.tap(([ended]) =>
      ended === undefined ? Effect.void : sql.afterCommit(measured(id, outcome, ended.seconds))
    ),
    Effect.asVoid
  )

/** Records why an attempt failed, while the next one waits. */
export const noteFailure = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"cse">,
  error: { readonly code: string; readonly message: string }
) =>
  sql`UPDATE sync_events SET error_code = ${error.code}, error_message = ${error.message}
    WHERE organization_id = ${organizationId} AND id = ${id} AND status = 'running'`

/** The digests of the latest versions of objects. */
export const digests = (sql: Sql, organizationId: Id<"org">, objectIds: ReadonlyArray<Id<"cob">>) =>
  objectIds.length === 0
    ? Effect.succeed<ReadonlyArray<readonly [Id<"cob">, string]>>([])
    : sql<{ id: Id<"cob">; digest: string }>`SELECT o.id, v.content_digest AS digest FROM config_objects o
        JOIN config_object_versions v ON v.organization_id = o.organization_id AND v.id = o.latest_version_id
        WHERE o.organization_id = ${organizationId}
          AND o.id IN (SELECT jsonb_array_elements_text(${sql.json(objectIds)}))`.pipe(
        Effect.map((rows) => rows.map((row) => [row.id, row.digest] as const))
      )

// Bindings

export interface BindingRow {
  readonly connector_mapping_id: Id<"cmp">
  readonly path: string
  readonly pointer: string
  readonly object_type: Connectors.ObjectType
  readonly config_object_id: Id<"cob">
  readonly blob_sha: string
}

export const bindings = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">) =>
  sql<BindingRow>`SELECT connector_mapping_id, path, pointer, object_type, config_object_id, blob_sha
    FROM source_bindings WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId}`

/** Sets the mapping of memberships: a manifest may list the same file through another mapping. */
export const remapMemberships = (
  sql: Sql,
  organizationId: Id<"org">,
  rows: ReadonlyArray<Pick<BindingRow, "config_object_id" | "connector_mapping_id">>
) =>
  inParts(
    rows,
    (part) => sql`UPDATE plugin_memberships pm SET connector_mapping_id = m.id
        FROM jsonb_to_recordset(${sql.json(part)}) AS r(connector_mapping_id text, config_object_id text)
        JOIN connector_mappings m ON m.organization_id = ${organizationId} AND m.id = r.connector_mapping_id
        WHERE pm.organization_id = ${organizationId} AND pm.plugin_id = m.plugin_id
          AND pm.config_object_id = r.config_object_id AND pm.removed_at IS NULL
          AND pm.connector_mapping_id IS NOT NULL AND pm.connector_mapping_id <> m.id`
  )

/** Fields are separated by NUL, which PostgreSQL text cannot contain. */
const bindingKey = (row: BindingRow) => `${row.connector_mapping_id}\0${row.object_type}\0${row.pointer}\0${row.path}`

/** The differences between two sets of bindings, and the objects whose mapping changed. */
const bindingChanges = function* (
  before: ReadonlyArray<BindingRow>,
  after: ReadonlyArray<BindingRow>
): Steps<Readonly<Record<"gone" | "changed" | "remapped", ReadonlyArray<BindingRow>>>> {
  const old = new Map<string, BindingRow>()
  const mappingBefore = new Map<string, string>()
  for (const row of before) {
    old.set(bindingKey(row), row)
    mappingBefore.set(row.config_object_id, row.connector_mapping_id)
    yield
  }
  const removed = new Map(old)
  const changed: Array<BindingRow> = []
  const remapped: Array<BindingRow> = []
  for (const row of after) {
    const key = bindingKey(row)
    const same = old.get(key)
    removed.delete(key)
    if (same?.config_object_id !== row.config_object_id || same.blob_sha !== row.blob_sha) changed.push(row)
    const mapping = mappingBefore.get(row.config_object_id)
    if (mapping !== undefined && mapping !== row.connector_mapping_id) remapped.push(row)
    yield
  }
  return { gone: [...removed.values()], changed, remapped }
}

/**
 * Writes only the differences between bindings: a push of ten files writes ten rows, regardless of the size of the
 * branch.
 */
export const changeBindings = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  targetId: Id<"ctg">,
  before: ReadonlyArray<BindingRow>,
  after: ReadonlyArray<BindingRow>
) {
  const { changed, gone: removed, remapped } = yield* inTimeSlices(bindingChanges(before, after))
  yield* inParts(
    removed,
    (part) => sql`DELETE FROM source_bindings b
      USING jsonb_to_recordset(${sql.json(part)})
        AS r(connector_mapping_id text, path text, pointer text, object_type text)
      WHERE b.organization_id = ${organizationId} AND b.connector_mapping_id = r.connector_mapping_id
        AND b.path = r.path AND b.pointer = r.pointer AND b.object_type = r.object_type
        AND b.connector_target_id = ${targetId}`
  )
  yield* inParts(changed, (part) => {
    const column = (name: keyof BindingRow) => texts(part.map((row) => row[name]))
    return sql`INSERT INTO source_bindings (organization_id, connector_target_id, connector_mapping_id, path, pointer,
        object_type, config_object_id, blob_sha)
      SELECT ${organizationId}, ${targetId}, r.connector_mapping_id, r.path, r.pointer, r.object_type,
        r.config_object_id, r.blob_sha
      FROM unnest(${column("connector_mapping_id")}::text[], ${column("path")}::text[],
        ${column("pointer")}::text[], ${column("object_type")}::text[], ${column("config_object_id")}::text[],
        ${column("blob_sha")}::text[]) AS r(connector_mapping_id, path, pointer, object_type, config_object_id,
        blob_sha)
      ON CONFLICT (organization_id, connector_mapping_id, path, pointer, object_type)
        DO UPDATE SET config_object_id = excluded.config_object_id, blob_sha = excluded.blob_sha`
  })
  yield* remapMemberships(sql, organizationId, remapped)
})

// Plugins of the target

export interface TargetPluginRow {
  readonly id: Id<"plg">
  readonly candidate_key: string
  readonly name: string
  readonly description: string | null
}

export const targetPlugins = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">) =>
  sql<TargetPluginRow>`SELECT id, candidate_key, name, description FROM plugins
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId} AND deleted_at IS NULL ORDER BY id`

/** A plugin that its marketplace renamed keeps its identity and its mappings. */
export const renameCandidate = (sql: Sql, organizationId: Id<"org">, id: Id<"plg">, key: string) =>
  Effect.andThen(
    sql`UPDATE plugins SET candidate_key = ${key} WHERE organization_id = ${organizationId} AND id = ${id}`,
    sql`UPDATE connector_mappings SET config_json = jsonb_set(config_json, '{candidateKey}', to_jsonb(${key}::text))
      WHERE organization_id = ${organizationId} AND plugin_id = ${id} AND config_json ? 'candidateKey'
        AND removed_at IS NULL`
  )

/** Soft-deletes the given plugins that are empty, with their marketplace memberships and grants. */
export const deleteEmptyPlugins = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"plg">>) =>
  Effect.gen(function* () {
    if (ids.length === 0) return 0
    const deleted = yield* sql<{
      id: string
    }>`UPDATE plugins p SET deleted_at = now(), updated_at = now(), version = version + 1
      WHERE p.organization_id = ${organizationId} AND p.deleted_at IS NULL
        AND p.id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))
        AND NOT EXISTS (SELECT 1 FROM plugin_memberships pm
          WHERE pm.organization_id = ${organizationId} AND pm.plugin_id = p.id AND pm.removed_at IS NULL)
      RETURNING p.id`
    const rows = sql.json(deleted.map((row) => row.id))
    yield* sql`UPDATE marketplace_memberships SET removed_at = now()
      WHERE organization_id = ${organizationId} AND removed_at IS NULL
        AND plugin_id IN (SELECT jsonb_array_elements_text(${rows}))`
    yield* sql`UPDATE grants SET removed_at = now()
      WHERE organization_id = ${organizationId} AND object_kind = 'plugin' AND removed_at IS NULL
        AND object_id IN (SELECT jsonb_array_elements_text(${rows}))`
    return deleted.length
  })
