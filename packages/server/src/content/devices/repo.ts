/** Devices and their reports. */
import type { DeviceReport } from "@orgplane/schema/device-reports"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import type { StoredPlugin, WantedPlugin } from "./compare.ts"

/** Removed devices of a member whose sequences are kept. */
const removedDevicesMax = 50

/** The member, or the worker of the member, that a device belongs to. */
export interface Subject {
  readonly organizationId: Id<"org">
  readonly membershipId: Id<"om">
  /** Empty for a device of the member. */
  readonly workerId: Id<"wrk"> | ""
}

/** Whether the member exists. Locks the member until the transaction ends. */
export const lockMembership = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">) =>
  sql`SELECT 1 AS one FROM memberships
    WHERE organization_id = ${organizationId} AND id = ${membershipId} AND removed_at IS NULL FOR NO KEY UPDATE`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

/**
 * Whether the member exists, and the worker. Locks both until the transaction ends, so that reports of a member are stored
 * one after the other, and the member and the worker cannot be removed meanwhile.
 */
export const lockSubject = Effect.fnUntraced(function* (sql: Sql, { membershipId, organizationId, workerId }: Subject) {
  const isMember = yield* lockMembership(sql, organizationId, membershipId)
  if (!isMember || workerId === "") return isMember
  const workers = yield* sql`SELECT 1 AS one FROM workers
    WHERE organization_id = ${organizationId} AND id = ${workerId} AND removed_at IS NULL FOR SHARE`
  return workers.length === 1
})

interface StoredDevice {
  readonly device_count: number
  /** Null if the device has not reported before. */
  readonly sequence: number | null
  /** Null if the device has not reported before, or was removed. */
  readonly report_digest: string | null
}

/** The last report of the device, even if it was removed, and the number of devices of the member. */
export const findStored = (sql: Sql, { membershipId, organizationId }: Subject, id: string) =>
  sql<StoredDevice>`SELECT c.device_count, coalesce(d.sequence, r.sequence) AS sequence, d.report_digest
    FROM (SELECT count(*)::int AS device_count FROM devices
      WHERE organization_id = ${organizationId} AND membership_id = ${membershipId}) c
    LEFT JOIN devices d ON d.organization_id = ${organizationId} AND d.membership_id = ${membershipId}
      AND d.id = ${id}
    LEFT JOIN removed_devices r ON r.organization_id = ${organizationId} AND r.membership_id = ${membershipId}
      AND r.id = ${id}`.pipe(Effect.map((rows) => rows[0] ?? { device_count: 0, sequence: null, report_digest: null }))

/** The plugins of a stored report. */
export const readReport = (sql: Sql, organizationId: Id<"org">, digest: string) =>
  sql<{ plugins_json: ReadonlyArray<StoredPlugin> }>`SELECT plugins_json FROM device_reports
    WHERE organization_id = ${organizationId} AND digest = ${digest}`.pipe(
    Effect.map((rows) => rows[0]?.plugins_json ?? [])
  )

/** The plugins in the last desired state that was issued for the device, ordered by plugin. */
export const readWanted = (sql: Sql, { membershipId, organizationId, workerId }: Subject) =>
  sql<{ plugins_json: ReadonlyArray<WantedPlugin> }>`SELECT w.plugins_json FROM desired_state_revisions s
    JOIN desired_plugin_sets w ON w.organization_id = ${organizationId} AND w.digest = s.plugins_digest
    WHERE s.organization_id = ${organizationId} AND s.membership_id = ${membershipId}
      AND s.worker_id = ${workerId}`.pipe(Effect.map((rows) => rows[0]?.plugins_json ?? []))

/** The device of the member that has not reported for the longest time. */
export const findOldest = (sql: Sql, { membershipId, organizationId }: Subject) =>
  sql<{ id: string }>`SELECT id FROM devices
    WHERE organization_id = ${organizationId} AND membership_id = ${membershipId}
    ORDER BY last_seen_at, id LIMIT 1`.pipe(Effect.map((rows) => rows[0]?.id))

/** Stores the plugins of a report by their digest. The row stays locked until the transaction ends, so it is not deleted. */
export const keepReport = (sql: Sql, organizationId: Id<"org">, digest: string, pluginsJson: string) =>
  sql`INSERT INTO device_reports (organization_id, digest, plugins_json, used_at)
    VALUES (${organizationId}, ${digest}, ${pluginsJson}::text::jsonb, now())
    ON CONFLICT (organization_id, digest) DO UPDATE SET used_at = now()`

export const put = (
  sql: Sql,
  { membershipId, organizationId, workerId }: Subject,
  report: DeviceReport,
  reportDigest: string
) =>
  sql`INSERT INTO devices (organization_id, membership_id, id, worker_id, agent, client_version, platform, sequence,
      revision, failure, report_digest, first_seen_at, last_seen_at)
    VALUES (${organizationId}, ${membershipId}, ${report.deviceId}, ${workerId}, ${report.agent},
      ${report.clientVersion ?? null}, ${report.platform}, ${report.sequence}::bigint, ${report.revision}::bigint,
      ${report.failure ?? null}, ${reportDigest}, now(), now())
    ON CONFLICT (organization_id, membership_id, id) DO UPDATE SET worker_id = excluded.worker_id,
      agent = excluded.agent, client_version = excluded.client_version, platform = excluded.platform,
      sequence = excluded.sequence, revision = excluded.revision, failure = excluded.failure,
      report_digest = excluded.report_digest, last_seen_at = excluded.last_seen_at`

/**
 * Deletes the plugins of a report if no device refers to them. While the row is locked, no transaction starts to refer to
 * it, and the second statement sees every device that refers to it already. Housekeeping deletes rows that are skipped.
 */
export const deleteUnusedReport = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, digest: string) {
  const locked = yield* sql`SELECT 1 AS one FROM device_reports
    WHERE organization_id = ${organizationId} AND digest = ${digest} FOR UPDATE SKIP LOCKED`
  if (locked.length === 0) return
  yield* sql`DELETE FROM device_reports r WHERE r.organization_id = ${organizationId} AND r.digest = ${digest}
    AND NOT EXISTS (SELECT 1 FROM devices d
      WHERE d.organization_id = ${organizationId} AND d.report_digest = r.digest)`
})

/**
 * Records the first result of a member with each release. Devices can report anything, so a release is recorded only if it is
 * in the last desired state that was issued for the device.
 */
export const recordOutcomes = (
  sql: Sql,
  { membershipId, organizationId, workerId }: Subject,
  outcomes: ReadonlyArray<{ readonly pluginId: string; readonly digest: string; readonly isFailed: boolean }>
) =>
  sql`INSERT INTO release_outcomes (organization_id, plugin_id, digest, membership_id, is_failed, created_at)
    SELECT DISTINCT ${organizationId}, r.plugin_id, r.digest, ${membershipId}, o."isFailed", now()
    FROM jsonb_to_recordset(${sql.json(outcomes)}) AS o("pluginId" text, digest text, "isFailed" boolean)
    JOIN plugin_releases r ON r.organization_id = ${organizationId} AND r.plugin_id = o."pluginId"
      AND r.digest = o.digest AND r.state = 'approved'
    JOIN desired_state_revisions s ON s.organization_id = ${organizationId} AND s.membership_id = ${membershipId}
      AND s.worker_id = ${workerId}
    JOIN desired_plugin_sets w ON w.organization_id = ${organizationId} AND w.digest = s.plugins_digest
    JOIN LATERAL jsonb_to_recordset(w.plugins_json) AS x("pluginId" text, digest text)
      ON x."pluginId" = o."pluginId" AND x.digest = o.digest
    ORDER BY r.plugin_id, r.digest
    ON CONFLICT (organization_id, plugin_id, digest, membership_id) DO NOTHING`

/**
 * Keeps the sequence of a device that is removed, so that late and repeated reports do not restore it. If the member has
 * more of them, the oldest are deleted.
 */
export const keepSequence = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  membershipId: Id<"om">,
  id: string,
  sequence: number
) {
  yield* sql`INSERT INTO removed_devices (organization_id, membership_id, id, sequence, removed_at)
    VALUES (${organizationId}, ${membershipId}, ${id}, ${sequence}::bigint, clock_timestamp())
    ON CONFLICT (organization_id, membership_id, id) DO UPDATE SET
      sequence = greatest(removed_devices.sequence, excluded.sequence), removed_at = excluded.removed_at`
  yield* sql`DELETE FROM removed_devices WHERE organization_id = ${organizationId} AND membership_id = ${membershipId}
    AND id IN (SELECT r.id FROM removed_devices r
      WHERE r.organization_id = ${organizationId} AND r.membership_id = ${membershipId}
      ORDER BY r.removed_at DESC, r.id DESC OFFSET ${removedDevicesMax})`
})

/** Deletes the sequence of a removed device that reports again. */
export const deleteSequence = (sql: Sql, { membershipId, organizationId }: Subject, id: string) =>
  sql`DELETE FROM removed_devices
    WHERE organization_id = ${organizationId} AND membership_id = ${membershipId} AND id = ${id}`

/** Deletes a device and the plugins of its report, and keeps its sequence. Returns whether the device existed. */
export const remove = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  membershipId: Id<"om">,
  id: string
) {
  const [device] = yield* sql<{ report_digest: string; sequence: number }>`DELETE FROM devices
    WHERE organization_id = ${organizationId} AND membership_id = ${membershipId} AND id = ${id}
    RETURNING report_digest, sequence`
  if (device === undefined) return false
  yield* keepSequence(sql, organizationId, membershipId, id, device.sequence)
  yield* deleteUnusedReport(sql, organizationId, device.report_digest)
  return true
})
