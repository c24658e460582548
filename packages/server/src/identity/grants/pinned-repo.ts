/**
 * Which release of a plugin the agents of a holder receive: the one that an assignment pins, or else that of a rollout
 * that has reached the holder's ring, or else the served one. A change applies from the next statement on, because every
 * statement that delivers plugins contains these fragments.
 */
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../infra/sql/client.ts"
import { bucketOfParameter } from "../audiences/bucket-repo.ts"
import { namedBy } from "./blocked-repo.ts"
import type { Holder } from "./index.ts"

/**
 * The digest that the assignment with the highest precedence pins for the plugin `p`; null if it pins none. The order is
 * that of `content/assignments/resolve.ts`, which compares times in milliseconds.
 */
const pinnedDigest = (sql: Sql, holder: Holder): Fragment => {
  const { organizationId } = holder
  const { member, team } = namedBy(sql, holder)
  const columns = sql.literal(
    "a.id, a.plugin_id, a.mode, a.priority, a.pinned_digest, a.for_organization, a.created_at"
  )
  // Pins are rare, so they are looked up before the assignments are compared.
  return sql`CASE WHEN EXISTS (SELECT 1 FROM assignments ep
        WHERE ep.organization_id = ${organizationId} AND ep.plugin_id = p.id AND ep.pinned_digest IS NOT NULL)
    THEN (SELECT ab.pinned_digest
      FROM (SELECT ${columns} FROM assignments a WHERE a.organization_id = ${organizationId} AND a.plugin_id = p.id
        UNION ALL SELECT ${columns} FROM marketplace_memberships k
          JOIN assignments a ON a.organization_id = ${organizationId} AND a.marketplace_id = k.marketplace_id
          WHERE k.organization_id = ${organizationId} AND k.plugin_id = p.id AND k.removed_at IS NULL) ab
      CROSS JOIN LATERAL (SELECT CASE WHEN ${member} THEN 0 WHEN ${team} THEN 1 WHEN ab.for_organization THEN 2 END
        AS closeness OFFSET 0) ac
      WHERE ac.closeness IS NOT NULL
      ORDER BY ab.mode = 'blocked' DESC, ab.priority DESC, ac.closeness, ab.plugin_id IS NULL,
        date_trunc('milliseconds', ab.created_at), ab.id LIMIT 1) END`
}

/** Whether one of the rings that the rollout `ro` has reached contains the member. */
const isReached = (sql: Sql, organizationId: string, membershipId: string): Fragment =>
  sql`EXISTS (SELECT 1 FROM rollout_rings g
    WHERE g.organization_id = ${organizationId} AND g.rollout_id = ro.id AND g.position < ro.reached
      AND (g.percent > ${bucketOfParameter(sql, membershipId)} OR g.members_json ? ${membershipId}::text
        OR EXISTS (SELECT 1 FROM team_members tm WHERE tm.organization_id = ${organizationId}
          AND tm.membership_id = ${membershipId} AND g.teams_json ? tm.team_id)))`

/** The release of the newest rollout of the plugin `p` that has reached the holder; null if there is none. */
const rolledOutId = (sql: Sql, { organizationId, principal }: Holder): Fragment =>
  principal.kind === "session"
    ? // The release is looked up by its ID only. With its state in a join, a planner without statistics reads all releases.
      sql`(SELECT ro.release_id FROM rollouts ro
        WHERE ro.organization_id = ${organizationId} AND ro.plugin_id = p.id AND ro.delivers
          AND (SELECT rr.state = 'approved' AND rr.has_contents FROM plugin_releases rr
            WHERE rr.organization_id = ${organizationId} AND rr.id = ro.release_id)
          AND ${isReached(sql, organizationId, principal.membershipId)}
        ORDER BY ro.number DESC LIMIT 1)`
    : sql`NULL::text`

/** The served release of the plugin `p`. Null if the latest content is served, or nothing. */
const servedId = (sql: Sql) => sql`CASE WHEN p.delivery_mode IS NOT NULL THEN p.served_release_id END`

/**
 * Joins the release `r` that the receiver's agents receive of the plugin `p`, and `pin` with the pinned digest, if any.
 * Without a receiver, `r` is the served release. `r` is null if the latest content is delivered, or nothing. It is also the
 * served release if the pinned one is not stored: see `isPinStored`.
 */
export const joinDelivered = (sql: Sql, organizationId: string, receiver: Holder | undefined): Fragment => {
  const release = sql`JOIN plugin_releases r ON r.organization_id = ${organizationId}`
  if (receiver === undefined || receiver.principal.kind === "key") {
    return sql`CROSS JOIN (SELECT NULL::text AS digest) pin LEFT ${release} AND r.id = ${servedId(sql)}`
  }
  const storedId = sql`(SELECT pr.id FROM plugin_releases pr
    WHERE pr.organization_id = ${organizationId} AND pr.plugin_id = p.id AND pr.digest = pin.digest
      AND pr.state = 'approved' AND pr.has_contents ORDER BY pr.number DESC LIMIT 1)`
  const hasServed = sql`(p.delivery_mode IS NULL OR p.served_release_id IS NOT NULL)`
  return sql`CROSS JOIN LATERAL (SELECT ${pinnedDigest(sql, receiver)} AS digest OFFSET 0) pin
    CROSS JOIN LATERAL (SELECT coalesce(CASE WHEN pin.digest IS NOT NULL AND ${hasServed} THEN ${storedId} END,
      CASE WHEN pin.digest IS NULL AND p.delivery_mode IS NOT NULL AND p.served_release_id IS NOT NULL
        THEN ${rolledOutId(sql, receiver)} END,
      ${servedId(sql)}) AS id OFFSET 0) delivered
    LEFT ${release} AND r.id = delivered.id`
}

/** Whether `r` is what the holder's agents receive. False if the pinned release is not stored. */
export const isPinStored = (sql: Sql): Fragment => sql`(pin.digest IS NULL OR r.digest IS NOT DISTINCT FROM pin.digest)`
