/** The configuration source of an organization, and its runs. */
import type * as Runs from "@orgplane/schema/configuration-runs"
import type { ConfigurationSource } from "@orgplane/schema/configuration-source"
import type { ConfigurationMode } from "@orgplane/schema/shared/configuration-mode"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"

export interface SourceRow {
  readonly organization_id: Id<"org">
  readonly connector_instance_id: Id<"cin">
  readonly connector_target_id: Id<"ctg">
  readonly remote_id: string
  readonly branch: string
  readonly path: string
  readonly mode: ConfigurationMode
  readonly is_enabled: boolean
  readonly membership_id: Id<"om">
  readonly last_revision: string | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const sourceColumns = (sql: Sql) =>
  sql.literal(`s.organization_id, s.connector_instance_id, s.connector_target_id, s.remote_id, s.branch, s.path, s.mode,
    s.is_enabled, s.membership_id, s.last_revision, s.version, s.created_at, s.updated_at`)

export const sourceToWire = (row: SourceRow): ConfigurationSource => ({
  organizationId: row.organization_id,
  connectorInstanceId: row.connector_instance_id,
  connectorTargetId: row.connector_target_id,
  branch: row.branch,
  path: row.path,
  mode: row.mode,
  isEnabled: row.is_enabled,
  appliedAsOrgMembershipId: row.membership_id,
  lastRevision: row.last_revision,
  version: row.version,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const findSource = (sql: Sql, organizationId: Id<"org">) =>
  sql<SourceRow>`SELECT ${sourceColumns(sql)} FROM configuration_sources s
    WHERE s.organization_id = ${organizationId}`.pipe(Effect.map((rows) => rows[0]))

/** Like `findSource`. Locks the source until the transaction ends. */
export const lockSource = (sql: Sql, organizationId: Id<"org">) =>
  sql<SourceRow>`SELECT ${sourceColumns(sql)} FROM configuration_sources s
    WHERE s.organization_id = ${organizationId} FOR UPDATE`.pipe(Effect.map((rows) => rows[0]))

export type NewSource = Pick<
  SourceRow,
  | "connector_instance_id"
  | "connector_target_id"
  | "remote_id"
  | "branch"
  | "path"
  | "mode"
  | "is_enabled"
  | "membership_id"
>

/** Replaces the source. Its last commit is forgotten, so that the same commit is read again. */
export const putSource = (sql: Sql, organizationId: Id<"org">, source: NewSource, version: number) =>
  sql<SourceRow>`INSERT INTO configuration_sources AS s (organization_id, connector_instance_id, connector_target_id,
      remote_id, branch, path, mode, is_enabled, membership_id, version, created_at, updated_at)
    VALUES (${organizationId}, ${source.connector_instance_id}, ${source.connector_target_id}, ${source.remote_id},
      ${source.branch}, ${source.path}, ${source.mode}, ${source.is_enabled}, ${source.membership_id}, ${version}, now(),
      now())
    ON CONFLICT (organization_id) DO UPDATE SET connector_instance_id = excluded.connector_instance_id,
      connector_target_id = excluded.connector_target_id, remote_id = excluded.remote_id, branch = excluded.branch,
      path = excluded.path, mode = excluded.mode, is_enabled = excluded.is_enabled,
      membership_id = excluded.membership_id, last_revision = NULL, version = excluded.version, updated_at = now()
    RETURNING ${sourceColumns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const removeSource = (sql: Sql, organizationId: Id<"org">) =>
  sql`DELETE FROM configuration_sources WHERE organization_id = ${organizationId}`

/** The highest version of a source that had runs, so that runs of a removed source never belong to a later one. */
export const lastVersion = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ version: number }>`SELECT r.source_version AS version FROM configuration_runs r
    WHERE r.organization_id = ${organizationId} ORDER BY r.source_version DESC LIMIT 1`.pipe(
    Effect.map((rows) => rows[0]?.version ?? 0)
  )

export const setLastRevision = (sql: Sql, organizationId: Id<"org">, revision: string) =>
  sql`UPDATE configuration_sources SET last_revision = ${revision} WHERE organization_id = ${organizationId}`

export interface RunRow {
  readonly organization_id: Id<"org">
  readonly id: Id<"cfr">
  readonly source_version: number
  readonly connector_instance_id: Id<"cin">
  readonly connector_target_id: Id<"ctg">
  readonly branch: string
  readonly path: string
  readonly mode: ConfigurationMode
  readonly trigger: Runs.ConfigurationRunTrigger
  readonly status: Runs.ConfigurationRunStatus
  readonly revision: string | null
  readonly plan_digest: string | null
  readonly approved_digest: string | null
  readonly summary_json: Runs.ConfigurationRunSummary | null
  readonly changes_json: ReadonlyArray<Runs.ConfigurationRunChange>
  readonly problems_json: ReadonlyArray<Runs.ConfigurationRunProblem>
  readonly membership_id: Id<"om">
  readonly started_by_membership_id: Id<"om"> | null
  readonly decided_by_membership_id: Id<"om"> | null
  readonly comment: string | null
  readonly attempts: number
  readonly status_attempts: number
  readonly status_result: "pending" | "set" | "failed" | null
  readonly status_message: string | null
  readonly created_at: Date
  readonly started_at: Date | null
  readonly ended_at: Date | null
}

const runColumns = (sql: Sql) =>
  sql.literal(`r.organization_id, r.id, r.source_version, r.connector_instance_id, r.connector_target_id, r.branch, r.path,
    r.mode, r.trigger, r.status, r.revision, r.plan_digest, r.approved_digest, r.summary_json, r.changes_json,
    r.problems_json, r.membership_id, r.started_by_membership_id, r.decided_by_membership_id, r.comment, r.attempts,
    r.status_attempts, r.status_result, r.status_message, r.created_at, r.started_at, r.ended_at`)

export const runToWire = (row: RunRow): Runs.ConfigurationRun => ({
  id: row.id,
  organizationId: row.organization_id,
  connectorInstanceId: row.connector_instance_id,
  connectorTargetId: row.connector_target_id,
  branch: row.branch,
  path: row.path,
  mode: row.mode,
  trigger: row.trigger,
  status: row.status,
  revision: row.revision,
  planDigest: row.plan_digest,
  summary: row.summary_json,
  problemCount: row.problems_json.length,
  commitStatus: row.status_result === null ? null : { result: row.status_result, message: row.status_message },
  appliedAsOrgMembershipId: row.membership_id,
  startedByOrgMembershipId: row.started_by_membership_id,
  decidedByOrgMembershipId: row.decided_by_membership_id,
  comment: row.comment,
  createdAt: iso(row.created_at),
  startedAt: isoOrNull(row.started_at),
  endedAt: isoOrNull(row.ended_at)
})

export const runDetailsToWire = (row: RunRow): Runs.ConfigurationRunDetails => ({
  ...runToWire(row),
  changes: row.changes_json,
  problems: row.problems_json
})

export const listRuns = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly status?: Runs.ConfigurationRunStatus },
  after: string | null,
  limit: number
) =>
  sql<RunRow>`SELECT ${runColumns(sql)} FROM configuration_runs r
    WHERE r.organization_id = ${organizationId} AND (${after}::text IS NULL OR r.id < ${after})
      AND (${filters.status ?? null}::text IS NULL OR r.status = ${filters.status ?? null})
    ORDER BY r.id DESC LIMIT ${limit}`

export const findRun = (sql: Sql, organizationId: Id<"org">, id: Id<"cfr">) =>
  sql<RunRow>`SELECT ${runColumns(sql)} FROM configuration_runs r
    WHERE r.organization_id = ${organizationId} AND r.id = ${id}`.pipe(Effect.map((rows) => rows[0]))

/** Ends the runs that wait for an attempt or an approval, except one. */
export const supersede = (sql: Sql, organizationId: Id<"org">, except: Id<"cfr"> | null) =>
  sql`UPDATE configuration_runs SET status = 'superseded', ended_at = now(), lease_holder = NULL, lease_until = NULL
    WHERE organization_id = ${organizationId} AND status IN ('queued', 'held') AND id IS DISTINCT FROM ${except}::text`

/** Ends the runs that are pending approval, except one. */
export const supersedeHeld = (sql: Sql, organizationId: Id<"org">, except: Id<"cfr">) =>
  sql`UPDATE configuration_runs SET status = 'superseded', ended_at = now()
    WHERE organization_id = ${organizationId} AND status = 'held' AND id <> ${except}`

/** Queues a held run again, for the plan that was approved. */
export const approve = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"cfr">,
  planDigest: string,
  decidedBy: Id<"om"> | null
) =>
  sql<RunRow>`UPDATE configuration_runs AS r SET status = 'queued', approved_digest = ${planDigest},
      decided_by_membership_id = ${decidedBy}, attempts = 0, due_at = now(), ended_at = NULL, status_due_at = NULL,
      status_result = NULL, status_message = NULL
    WHERE r.organization_id = ${organizationId} AND r.id = ${id} AND r.status = 'held' AND r.plan_digest = ${planDigest}
    RETURNING ${runColumns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const reject = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"cfr">,
  comment: string | null,
  decidedBy: Id<"om"> | null
) =>
  sql<RunRow>`UPDATE configuration_runs AS r SET status = 'rejected', comment = ${comment},
      decided_by_membership_id = ${decidedBy}, ended_at = now(), status_due_at = now(), status_attempts = 0,
      status_result = 'pending', status_message = NULL
    WHERE r.organization_id = ${organizationId} AND r.id = ${id} AND r.status = 'held'
    RETURNING ${runColumns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/**
 * Claims the runs of all organizations that are due, also those whose process has exited. An organization has one run at a
 * time.
 */
export const claim = (sql: Sql, holder: string, seconds: number, limit: number) =>
  sql<RunRow>`UPDATE configuration_runs AS r SET status = 'running', attempts = r.attempts + 1, lease_holder = ${holder},
      lease_until = now() + make_interval(secs => ${seconds}::double precision),
      started_at = coalesce(r.started_at, now())
    WHERE (r.organization_id, r.id) IN (
      SELECT d.organization_id, d.id FROM configuration_runs d
      JOIN organizations o ON o.id = d.organization_id AND o.deleted_at IS NULL
      WHERE d.status IN ('queued', 'running') AND d.due_at <= now() AND (d.lease_until IS NULL OR d.lease_until < now())
        AND NOT EXISTS (SELECT 1 FROM configuration_runs a
          WHERE a.organization_id = d.organization_id AND a.status = 'running' AND a.id <> d.id)
      ORDER BY d.due_at LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED)
    RETURNING ${runColumns(sql)}`

/** The seconds until a run or a commit status of any organization is due, at most `max`. */
export const nextDueSeconds = (sql: Sql, max: number) =>
  sql<{ seconds: number }>`SELECT greatest(0, least(${max}::float8, extract(epoch FROM
      (SELECT min(greatest(r.due_at, r.lease_until)) FROM configuration_runs r WHERE r.status IN ('queued', 'running'))
        - now())::float8, extract(epoch FROM
      (SELECT min(r.status_due_at) FROM configuration_runs r WHERE r.status_due_at IS NOT NULL)
        - now())::float8)) AS seconds`.pipe(Effect.map((rows) => rows[0]?.seconds ?? max))

/** Renews the lease. `lost`: another process holds it. `ended`: the run does not need it any more. */
export const renew = Effect.fnUntraced(function* (
  sql: Sql,
  { id, organization_id: organizationId }: RunRow,
  holder: string,
  seconds: number
) {
  const renewed = yield* sql`UPDATE configuration_runs
    SET lease_until = now() + make_interval(secs => ${seconds}::double precision)
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_holder = ${holder} AND status = 'running'
    RETURNING 1 AS one`
  if (renewed.length > 0) return "held" as const
  const others = yield* sql`SELECT 1 AS one FROM configuration_runs
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_holder <> ${holder} AND status = 'running'`
  return others.length > 0 ? ("lost" as const) : ("ended" as const)
})

/**
 * Queues a claimed run again, for later. If another run waits already, this one becomes superseded, because that one reads
 * the same branch.
 */
export const putOff = (
  sql: Sql,
  { id, organization_id: organizationId }: RunRow,
  holder: string,
  seconds: number,
  attempts: number
) => {
  const queued = sql`UPDATE configuration_runs SET lease_holder = NULL, lease_until = NULL, attempts = ${attempts},
      due_at = now() + make_interval(secs => ${seconds}::double precision),
      status = CASE WHEN EXISTS (SELECT 1 FROM configuration_runs q
        WHERE q.organization_id = ${organizationId} AND q.status = 'queued') THEN 'superseded' ELSE 'queued' END,
      ended_at = CASE WHEN EXISTS (SELECT 1 FROM configuration_runs q
        WHERE q.organization_id = ${organizationId} AND q.status = 'queued') THEN now() END
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_holder = ${holder}`
  // With the lock, no other transaction queues a run that this one cannot see.
  return sql.withTransaction(Effect.andThen(lockSource(sql, organizationId), queued))
}

export interface Outcome {
  readonly status: "unchanged" | "planned" | "applied" | "held" | "superseded" | "failed"
  readonly revision: string | null
  readonly planDigest: string | null
  readonly summary: Runs.ConfigurationRunSummary | null
  readonly changes: ReadonlyArray<Runs.ConfigurationRunChange>
  readonly problems: ReadonlyArray<Runs.ConfigurationRunProblem>
  /** Whether the code host gets a status of the commit. */
  readonly isReported: boolean
}

/** Ends a claimed run; false if another process holds its lease. */
export const end = (sql: Sql, { id, organization_id: organizationId }: RunRow, holder: string, outcome: Outcome) =>
  sql`UPDATE configuration_runs SET status = ${outcome.status}, revision = ${outcome.revision},
      plan_digest = ${outcome.planDigest}, summary_json = ${outcome.summary === null ? null : sql.json(outcome.summary)},
      changes_json = ${sql.json(outcome.changes)}, problems_json = ${sql.json(outcome.problems)}, ended_at = now(),
      lease_holder = NULL, lease_until = NULL, status_attempts = 0,
      status_due_at = CASE WHEN ${outcome.isReported} THEN now() END,
      status_result = CASE WHEN ${outcome.isReported} THEN 'pending' END
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_holder = ${holder} AND status = 'running'
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))

/** Does not send the statuses of earlier runs of the commit, which would replace the status of this run. */
export const dropOtherStatuses = (
  sql: Sql,
  { connector_instance_id: instanceId, id, organization_id: organizationId }: RunRow,
  revision: string
) =>
  sql`UPDATE configuration_runs SET status_due_at = NULL, status_result = NULL
    WHERE organization_id = ${organizationId} AND connector_instance_id = ${instanceId} AND revision = ${revision}
      AND id <> ${id} AND status_due_at IS NOT NULL`

/** Removes a claimed run that has nothing to read, because a run of the same commit has ended. */
export const drop = (sql: Sql, { id, organization_id: organizationId }: RunRow, holder: string) =>
  sql`DELETE FROM configuration_runs
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_holder = ${holder}`

/** Claims the runs whose commit status is due, in all organizations. */
export const claimStatuses = (sql: Sql, seconds: number, limit: number) =>
  sql<RunRow>`UPDATE configuration_runs AS r SET status_attempts = r.status_attempts + 1,
      status_due_at = now() + make_interval(secs => ${seconds}::double precision * power(4, least(r.status_attempts, 4)))
    WHERE (r.organization_id, r.id) IN (
      SELECT d.organization_id, d.id FROM configuration_runs d
      JOIN organizations o ON o.id = d.organization_id AND o.deleted_at IS NULL
      WHERE d.status_due_at <= now() ORDER BY d.status_due_at LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED)
    RETURNING ${runColumns(sql)}`

/** Records whether the code host accepted the status. It is not recorded if the run has changed since. */
export const endStatus = (
  sql: Sql,
  { id, organization_id: organizationId, status }: RunRow,
  result: "set" | "failed" | null,
  message: string | null
) =>
  sql`UPDATE configuration_runs SET status_due_at = NULL, status_result = ${result}, status_message = ${message}
    WHERE organization_id = ${organizationId} AND id = ${id} AND status = ${status} AND status_due_at IS NOT NULL`
