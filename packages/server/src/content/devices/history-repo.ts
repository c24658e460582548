/** The sums of each day. */
import type { HistoryDay } from "@orgplane/schema/delivery"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../../infra/sql/client.ts"
import type { Days } from "./days.ts"

/** Organizations with devices, ordered by ID. */
export const organizationsWithDevices = (sql: Sql, after: string, limit: number) =>
  sql<{ id: Id<"org"> }>`SELECT o.id FROM organizations o
    WHERE o.id > ${after} AND o.deleted_at IS NULL
      AND EXISTS (SELECT 1 FROM devices d WHERE d.organization_id = o.id)
    ORDER BY o.id LIMIT ${limit}`

export interface RecordedSum extends Omit<typeof HistoryDay.Type, "day" | "deviceCount" | "wanted"> {
  /** Empty for the sum of all plugins. */
  readonly pluginId: string
  /** Empty for the sum of all releases. */
  readonly digest: string
  readonly deviceCount: number
}

/** Replaces the sums of the current day. */
export const record = (sql: Sql, organizationId: Id<"org">, sums: ReadonlyArray<RecordedSum>) =>
  sql`WITH current AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day),
    recorded AS (SELECT c.day, s."pluginId" AS plugin_id, s.digest, s."deviceCount" AS device_count, s.running, s.behind, s.missing, s.failed,
        s.offline
      FROM current c CROSS JOIN jsonb_to_recordset(${sql.json(sums)}) AS s("pluginId" text, digest text, "deviceCount" int,
        running int, behind int, missing int, failed int, offline int)),
    dropped AS (DELETE FROM delivery_days d USING current c WHERE d.organization_id = ${organizationId} AND d.day = c.day
      AND NOT EXISTS (SELECT 1 FROM recorded r WHERE r.plugin_id = d.plugin_id AND r.digest = d.digest))
    INSERT INTO delivery_days (organization_id, day, plugin_id, digest, devices, running, behind, missing, failed,
      offline)
    SELECT o.id, r.day, r.plugin_id, r.digest, r.device_count, r.running, r.behind, r.missing, r.failed, r.offline
    FROM recorded r JOIN organizations o ON o.id = ${organizationId} AND o.deleted_at IS NULL
    ON CONFLICT (organization_id, plugin_id, digest, day) DO UPDATE SET devices = excluded.devices,
      running = excluded.running, behind = excluded.behind, missing = excluded.missing, failed = excluded.failed,
      offline = excluded.offline`

export interface DayRow {
  readonly day: string
  readonly devices: number
  readonly running: number
  readonly behind: number
  readonly missing: number
  readonly failed: number
  readonly offline: number
}

/** The recorded days, oldest first. Without a plugin, a release is that of all plugins with its content. */
export const days = (
  sql: Sql,
  organizationId: Id<"org">,
  { from, to }: Days,
  pluginId: string | null,
  digest: string | null
) =>
  sql<DayRow>`SELECT d.day::text AS day, sum(d.devices)::int AS devices, sum(d.running)::int AS running,
      sum(d.behind)::int AS behind, sum(d.missing)::int AS missing, sum(d.failed)::int AS failed,
      sum(d.offline)::int AS offline
    FROM delivery_days d
    WHERE d.organization_id = ${organizationId} AND d.day BETWEEN ${from}::date AND ${to}::date
      AND ${pluginId === null && digest !== null ? sql`TRUE` : sql`d.plugin_id = ${pluginId ?? ""}`}
      AND d.digest = ${digest ?? ""}
    GROUP BY d.day ORDER BY d.day`
