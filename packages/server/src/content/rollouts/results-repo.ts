import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { bucketOfColumn } from "../../identity/audiences/bucket-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import type { Counts } from "./evidence.ts"

const none: Counts = { reports: 0, failed: 0 }

export interface Release {
  readonly organizationId: Id<"org">
  readonly pluginId: Id<"plg">
  /** Null before it is computed: there are no results. */
  readonly digest: string | null
  /** Only results from this time or UTC date on; null for all. */
  readonly from: string | null
}

/** The members with a result of the release, and those for whom the first installation failed. */
export const installations = (sql: Sql, { digest, from, organizationId, pluginId }: Release) =>
  digest === null
    ? Effect.succeed(none)
    : sql<Counts>`SELECT count(*)::int AS reports, count(*) FILTER (WHERE is_failed)::int AS failed
        FROM release_outcomes WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId}
          AND digest = ${digest} AND (${from}::timestamptz IS NULL OR created_at >= ${from}::timestamptz)`.pipe(
        Effect.map((rows) => rows[0] ?? none)
      )

/** The same for the members in the rings that a rollout has reached. Other members do not receive the release. */
export const installationsInRings = (
  sql: Sql,
  { digest, from, organizationId, pluginId }: Release,
  rolloutId: Id<"rlo">
) =>
  digest === null
    ? Effect.succeed(none)
    : sql<Counts>`SELECT count(*)::int AS reports, count(*) FILTER (WHERE o.is_failed)::int AS failed
        FROM release_outcomes o WHERE o.organization_id = ${organizationId} AND o.plugin_id = ${pluginId}
          AND o.digest = ${digest} AND (${from}::timestamptz IS NULL OR o.created_at >= ${from}::timestamptz)
          AND EXISTS (SELECT 1 FROM rollouts ro
            JOIN rollout_rings g ON g.organization_id = ${organizationId} AND g.rollout_id = ro.id
              AND g.position < ro.reached
            WHERE ro.organization_id = ${organizationId} AND ro.id = ${rolloutId}
              AND (g.percent > ${bucketOfColumn(sql, sql`o.membership_id`)} OR g.members_json ? o.membership_id
                OR EXISTS (SELECT 1 FROM team_members tm WHERE tm.organization_id = ${organizationId}
                  AND tm.membership_id = o.membership_id AND g.teams_json ? tm.team_id)))`.pipe(
        Effect.map((rows) => rows[0] ?? none)
      )

/**
 * The users with an event of the release, and those with a failed event on their first day with it. Only one day of each
 * user counts, because the days of one user are not independent.
 */
export const usage = (sql: Sql, { digest, from, organizationId }: Release) =>
  digest === null
    ? Effect.succeed(none)
    : sql<Counts>`SELECT count(*)::int AS reports, count(*) FILTER (WHERE x.is_failed)::int AS failed
        FROM (SELECT DISTINCT ON (u.user_id) sum(u.failed) > 0 AS is_failed FROM telemetry_user_days u
          WHERE u.organization_id = ${organizationId} AND u.dimension_type = 'plugin_release'
            AND u.dimension_value = ${digest} AND u.user_id <> ''
            AND (${from}::text IS NULL OR u.day >= ${from}::date)
          GROUP BY u.user_id, u.day ORDER BY u.user_id, u.day) x`.pipe(Effect.map((rows) => rows[0] ?? none))
