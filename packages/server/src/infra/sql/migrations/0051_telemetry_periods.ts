import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["telemetry_user_totals", "telemetry_user_periods"]

/** The sums of both tables: of all events, and of those whose source is the app. The rest are from workers. */
const columns = `events bigint NOT NULL,
    succeeded bigint NOT NULL,
    failed bigint NOT NULL,
    durations bigint NOT NULL,
    duration_sum bigint NOT NULL,
    app_events bigint NOT NULL,
    app_succeeded bigint NOT NULL,
    app_failed bigint NOT NULL,
    app_durations bigint NOT NULL,
    app_duration_sum bigint NOT NULL`
const names = ["events", "succeeded", "failed", "durations", "duration_sum"]
const allNames = [...names, ...names.map((name) => `app_${name}`)].join(", ")
const sums = [
  ...names.map((name) => `sum(${name})`),
  ...names.map((name) => `coalesce(sum(${name}) FILTER (WHERE source = 'app'), 0)`)
].join(", ")

/**
 * Sums of `telemetry_user_days` with fewer rows: by day without type and source, and by period of 28 days. Periods start
 * on Mondays, counted from 0001-01-01, so that they consist of whole weeks. Both tables are filled from the existing
 * sums.
 */
export default Effect.suspend(() =>
  statements([
    // Waits for a running summary, so that the sums of the new tables are complete.
    `SELECT 1 AS one FROM telemetry_summary FOR UPDATE`,
    `CREATE TABLE telemetry_user_totals (
    organization_id text NOT NULL,
    dimension_type text NOT NULL,
    day date NOT NULL,
    dimension_value text NOT NULL,
    -- Empty for events of an API key.
    user_id text NOT NULL,
    ${columns},
    PRIMARY KEY (organization_id, dimension_type, day, dimension_value, user_id)
  ) WITH (fillfactor = 80)`,
    `CREATE TABLE telemetry_user_periods (
    organization_id text NOT NULL,
    dimension_type text NOT NULL,
    -- Empty for events of all types. Rows with a dimension are always of all types.
    type text NOT NULL,
    -- The first day.
    period date NOT NULL,
    dimension_value text NOT NULL,
    user_id text NOT NULL,
    -- The days with an event of the source: bit 0 is the first day, bit 27 the last.
    app_days integer NOT NULL,
    worker_days integer NOT NULL,
    ${columns},
    PRIMARY KEY (organization_id, dimension_type, type, period, dimension_value, user_id)
  ) WITH (fillfactor = 80)`,
    `INSERT INTO telemetry_user_totals (organization_id, dimension_type, day, dimension_value, user_id, ${allNames})
    SELECT organization_id, dimension_type, day, dimension_value, user_id, ${sums}
    FROM telemetry_user_days GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
    `INSERT INTO telemetry_user_periods (organization_id, dimension_type, type, period, dimension_value, user_id,
      app_days, worker_days, ${allNames})
    SELECT organization_id, dimension_type, CASE GROUPING(type) WHEN 1 THEN '' ELSE type END, period, dimension_value,
      user_id, coalesce(bit_or(1 << (day - period)) FILTER (WHERE source = 'app'), 0),
      coalesce(bit_or(1 << (day - period)) FILTER (WHERE source = 'worker'), 0), ${sums}
    FROM (SELECT organization_id, dimension_type, type, day, day - (day - DATE '0001-01-01') % 28 AS period,
        dimension_value, user_id, source, ${names.join(", ")} FROM telemetry_user_days) d
    GROUP BY organization_id, dimension_type, period, dimension_value, user_id, GROUPING SETS ((type), ())
    HAVING GROUPING(type) = 1 OR dimension_type = '' ORDER BY 1, 2, 3, 4, 5, 6`,
    ...rowSecurity(tenantTables)
  ])
)
