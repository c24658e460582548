import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { bucketOfColumn } from "../../identity/audiences/bucket-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import type { Counts } from "./evidence.ts"

const none: Counts = { reports: 0, failed: 0 }

export interface Release {
  readonly organizationId: Id<"org">
  readonly pluginId: Id<"plg">
  /** Null before it is computed: there are no results. */
  readonly digest: string | null
  /** Only results from this time on; null for all. */
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

/** Whether the member is in one of the rings that the rollout has reached. Other members do not receive the release. */
const isInRings = (sql: Sql, organizationId: Id<"org">, rolloutId: Id<"rlo">, member: Fragment) =>
  sql`EXISTS (SELECT 1 FROM rollouts ro
    JOIN rollout_rings g ON g.organization_id = ${organizationId} AND g.rollout_id = ro.id AND g.position < ro.reached
    WHERE ro.organization_id = ${organizationId} AND ro.id = ${rolloutId}
      AND (g.percent > ${bucketOfColumn(sql, member)} OR g.members_json ? ${member}
        OR EXISTS (SELECT 1 FROM team_members tm WHERE tm.organization_id = ${organizationId}
          AND tm.membership_id = ${member} AND g.teams_json ? tm.team_id)))`

/** The same for the members in the rings that a rollout has reached. */
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
          AND ${isInRings(sql, organizationId, rolloutId, sql`o.membership_id`)}`.pipe(
        Effect.map((rows) => rows[0] ?? none)
      )

/** The users with a result of the release, and those whose first result is a failure. */
export const usage = (sql: Sql, { digest, from, organizationId }: Release) =>
  digest === null
    ? Effect.succeed(none)
    : sql<Counts>`SELECT count(*)::int AS reports, count(*) FILTER (WHERE is_failed)::int AS failed
        FROM release_uses WHERE organization_id = ${organizationId} AND digest = ${digest}
          AND (${from}::timestamptz IS NULL OR created_at >= ${from}::timestamptz)`.pipe(
        Effect.map((rows) => rows[0] ?? none)
      )

/** The same for the members in the rings that a rollout has reached. */
export const usageInRings = (sql: Sql, { digest, from, organizationId }: Release, rolloutId: Id<"rlo">) =>
  digest === null
    ? Effect.succeed(none)
    : sql<Counts>`SELECT count(*)::int AS reports, count(*) FILTER (WHERE u.is_failed)::int AS failed
        FROM release_uses u
        JOIN memberships m ON m.organization_id = ${organizationId} AND m.user_id = u.user_id AND m.removed_at IS NULL
        WHERE u.organization_id = ${organizationId} AND u.digest = ${digest}
          AND (${from}::timestamptz IS NULL OR u.created_at >= ${from}::timestamptz)
          AND ${isInRings(sql, organizationId, rolloutId, sql`m.id`)}`.pipe(Effect.map((rows) => rows[0] ?? none))
