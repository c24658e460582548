import type { Id } from "@orgplane/schema/shared/ids"
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../infra/sql/client.ts"

/** The five sets of rows that all metrics are computed from. */
export interface Sources {
  /** The number of organizations: `count`. */
  readonly organizations: Fragment
  /** Each user once: `user_id, since, verified, is_admin`. */
  readonly people: Fragment
  /** The active days of each user, without duplicates: `user_id, day, is_real`. */
  readonly days: Fragment
  /** `user_id, created_at` of each invitation. */
  readonly invitations: Fragment
  /** `user_id, destination` of each existing worker. */
  readonly workers: Fragment
}

/** The sources for one organization. */
export const ofOrganization = (sql: Sql, organizationId: Id<"org">): Sources => ({
  organizations: sql`SELECT 1 AS count`,
  people: sql`SELECT m.user_id, m.created_at AS since, u.email_verified AS verified,
      m.role IN ('owner', 'admin') AS is_admin
    FROM memberships m JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL
    WHERE m.organization_id = ${organizationId} AND m.removed_at IS NULL`,
  days: sql`SELECT user_id, day, is_real FROM activity_days WHERE organization_id = ${organizationId}`,
  invitations: sql`SELECT m.user_id, i.created_at FROM invitations i
    JOIN memberships m ON m.organization_id = i.organization_id AND m.id = i.created_by_membership_id
    WHERE i.organization_id = ${organizationId}`,
  workers: sql`SELECT w.created_by_user_id AS user_id, w.destination FROM workers w
    WHERE w.organization_id = ${organizationId} AND w.removed_at IS NULL`
})

export interface Row {
  readonly total_users: number
  readonly total_organizations: number
  readonly verified_users: number
  readonly recent_7d: number
  readonly recent_30d: number
  readonly admins: number
  readonly workers: number
  readonly cloud_workers: number
  readonly users_with_workers: number
  readonly active_1d: number
  readonly active_7d: number
  readonly active_30d: number
  readonly real_1d: number
  readonly real_7d: number
  readonly real_30d: number
  readonly recurring: number
  readonly inviters: number
  readonly median_hours: number | null
  readonly series: ReadonlyArray<{
    readonly day: string
    readonly active: number
    readonly real: number
    readonly signups: number
  }>
}

/** All metrics in one statement, so that they are consistent with each other. The days end with `today`, in UTC. */
export const figures = (sql: Sql, sources: Sources, today: string) =>
  sql<Row>`WITH people AS MATERIALIZED (
      SELECT p.user_id, p.since, (p.since AT TIME ZONE 'UTC')::date AS joined, p.verified, p.is_admin
      FROM (${sources.people}) p),
    seen AS MATERIALIZED (
      SELECT d.user_id, d.day, d.is_real FROM (${sources.days}) d JOIN people p ON p.user_id = d.user_id
      WHERE d.day > ${today}::date - 30 AND d.day <= ${today}::date),
    lives AS (
      SELECT user_id, count(*) AS days, max(day) AS last, max(day) FILTER (WHERE is_real) AS last_real
      FROM seen GROUP BY user_id),
    was_seen AS (
      SELECT count(*) FILTER (WHERE last = ${today}::date)::int AS active_1d,
        count(*) FILTER (WHERE last > ${today}::date - 7)::int AS active_7d, count(*)::int AS active_30d,
        count(*) FILTER (WHERE last_real = ${today}::date)::int AS real_1d,
        count(*) FILTER (WHERE last_real > ${today}::date - 7)::int AS real_7d, count(last_real)::int AS real_30d,
        count(*) FILTER (WHERE days >= 2)::int AS recurring
      FROM lives),
    machines AS MATERIALIZED (SELECT w.user_id, w.destination FROM (${sources.workers}) w),
    invited AS (
      SELECT p.user_id, max((i.created_at AT TIME ZONE 'UTC')::date) AS last,
        extract(epoch FROM min(i.created_at) FILTER (WHERE i.created_at >= p.since) - p.since)::float8 / 3600 AS hours
      FROM (${sources.invitations}) i JOIN people p ON p.user_id = i.user_id GROUP BY p.user_id, p.since),
    counted AS (
      SELECT count(*)::int AS total_users, count(*) FILTER (WHERE verified)::int AS verified_users,
        count(*) FILTER (WHERE joined > ${today}::date - 7)::int AS recent_7d,
        count(*) FILTER (WHERE joined > ${today}::date - 30)::int AS recent_30d,
        count(*) FILTER (WHERE is_admin)::int AS admins,
        -- IN, not EXISTS: a set that is hashed once, instead of a search for each person.
        count(*) FILTER (WHERE user_id IN (SELECT w.user_id FROM machines w))::int AS users_with_workers
      FROM people)
    SELECT c.total_users, (SELECT count FROM (${sources.organizations}) o)::int AS total_organizations, c.verified_users,
      c.recent_7d, c.recent_30d, c.admins, (SELECT count(*)::int FROM machines) AS workers,
      (SELECT count(*)::int FROM machines WHERE destination = 'cloud') AS cloud_workers, c.users_with_workers, s.active_1d,
      s.active_7d, s.active_30d, s.real_1d, s.real_7d, s.real_30d, s.recurring,
      (SELECT count(*)::int FROM invited WHERE last > ${today}::date - 30) AS inviters,
      (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY hours) FROM invited) AS median_hours,
      (SELECT jsonb_agg(jsonb_build_object('day', e.day::text,
          'active', coalesce(a.active, 0), 'real', coalesce(a.real, 0), 'signups', coalesce(j.signups, 0)) ORDER BY e.day)
        FROM (SELECT ${today}::date - n AS day FROM generate_series(0, 29) n) e
        LEFT JOIN (SELECT day, count(*) AS active, count(*) FILTER (WHERE is_real) AS real FROM seen GROUP BY day) a
          ON a.day = e.day
        LEFT JOIN (SELECT joined, count(*) AS signups FROM people GROUP BY joined) j ON j.joined = e.day) AS series
    FROM counted c CROSS JOIN was_seen s`
