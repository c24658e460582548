import type { PauseReason, Promotion, RolloutState } from "@orgplane/schema/rollouts"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { contains } from "../../infra/sql/like.ts"
import type { PluginRow } from "../plugins/archive-layout.ts"
import { fingerprint } from "../plugins/archive-repo.ts"
import type { Counts } from "./evidence.ts"

/** Rollouts kept per plugin. */
const keptMax = 100
/** Rollouts of a plugin whose rings keep their release until a newer one reaches them. */
const deliveringMax = 20
export const stepsMax = 100

export interface RingRow {
  readonly name: string
  readonly percent: number
  readonly memberIds: ReadonlyArray<string>
  readonly teamIds: ReadonlyArray<string>
  readonly soakMinutes: number
  readonly promotion: Promotion
  /** As JSON. */
  readonly startedAt: string | null
}

/** Reports and failures of installations and of usage. */
export interface Baseline {
  readonly installations: Counts
  readonly usage: Counts
}

export interface Row {
  readonly id: Id<"rlo">
  readonly organization_id: Id<"org">
  readonly plugin_id: Id<"plg">
  /** Ascending for each plugin. */
  readonly rollout_number: number
  readonly release_id: Id<"rel">
  readonly previous_release_id: Id<"rel"> | null
  readonly state: RolloutState
  readonly reached: number
  readonly ring_count: number
  readonly delivers: boolean
  readonly starts_at: Date | null
  readonly soaks_from: Date | null
  readonly pause_reason: PauseReason | null
  readonly comment: string | null
  readonly is_emergency: boolean
  readonly counts_from: Date
  /** The results with the previous release when the rollout was created. */
  readonly baseline_json: Baseline
  readonly created_at: Date
  readonly ended_at: Date | null
  readonly name: string
  readonly manifest_json: PluginRow["manifest_json"]
  readonly digest: string | null
  readonly previous_digest: string | null
  readonly number: number
  /** In their order. */
  readonly rings: ReadonlyArray<RingRow>
}

export const openStates = ["scheduled", "active", "paused"] as const
const isOpenText = "state IN ('scheduled', 'active', 'paused')"
export const isOpen = ({ state }: Pick<Row, "state">): boolean => openStates.some((open) => open === state)

const columns = (sql: Sql) =>
  sql.literal(`ro.id, ro.organization_id, ro.plugin_id, ro.number AS rollout_number, ro.release_id, ro.previous_release_id, ro.state, ro.reached,
    ro.ring_count, ro.delivers, ro.starts_at, ro.soaks_from, ro.pause_reason, ro.comment, ro.is_emergency,
    ro.counts_from, ro.baseline_json, ro.created_at, ro.ended_at, r.name, r.manifest_json, r.digest, r.number,
    (SELECT b.digest FROM plugin_releases b WHERE b.organization_id = ro.organization_id
      AND b.id = ro.previous_release_id) AS previous_digest,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('name', g.name, 'percent', g.percent, 'memberIds', g.members_json,
        'teamIds', g.teams_json, 'soakMinutes', g.soak_minutes, 'promotion', g.promotion,
        'startedAt', g.started_at) ORDER BY g.position), '[]'::jsonb)
      FROM rollout_rings g WHERE g.organization_id = ro.organization_id AND g.rollout_id = ro.id) AS rings`)

export interface Filters {
  readonly q?: string
  readonly state: RolloutState | null
  readonly pluginId: string | null
}

export const list = (sql: Sql, organizationId: Id<"org">, filters: Filters, after: string | null, limit: number) =>
  sql<Row>`SELECT ${columns(sql)} FROM rollouts ro
    JOIN plugin_releases r ON r.organization_id = ro.organization_id AND r.id = ro.release_id
    WHERE ro.organization_id = ${organizationId} AND (${filters.state}::text IS NULL OR ro.state = ${filters.state})
      AND (${filters.pluginId}::text IS NULL OR ro.plugin_id = ${filters.pluginId})
      AND (${filters.q ?? null}::text IS NULL OR r.name ILIKE ${contains(filters.q)})
      AND (${after}::text IS NULL OR ro.id < ${after})
    ORDER BY ro.id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"rlo">) =>
  sql<Row>`SELECT ${columns(sql)} FROM rollouts ro
    JOIN plugin_releases r ON r.organization_id = ro.organization_id AND r.id = ro.release_id
    WHERE ro.organization_id = ${organizationId} AND ro.id = ${id}`.pipe(Effect.map((rows) => rows[0]))

/** The rollout of the plugin that has not ended; undefined if there is none. */
export const findOpen = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">) =>
  sql<Row>`SELECT ${columns(sql)} FROM rollouts ro
    JOIN plugin_releases r ON r.organization_id = ro.organization_id AND r.id = ro.release_id
    WHERE ro.organization_id = ${organizationId} AND ro.plugin_id = ${pluginId}
      AND ro.state IN ('scheduled', 'active', 'paused')`.pipe(Effect.map((rows) => rows[0]))

/** The newest rollout of a release. */
export const findLatestOf = (sql: Sql, organizationId: Id<"org">, releaseId: Id<"rel">) =>
  sql<Row>`SELECT ${columns(sql)} FROM rollouts ro
    JOIN plugin_releases r ON r.organization_id = ro.organization_id AND r.id = ro.release_id
    WHERE ro.organization_id = ${organizationId} AND ro.release_id = ${releaseId}
    ORDER BY ro.number DESC LIMIT 1`.pipe(Effect.map((rows) => rows[0]))

/** Whether the plugin has a newer rollout. */
export const hasNewer = (sql: Sql, { organization_id, plugin_id, rollout_number }: Row) =>
  sql`SELECT 1 AS one FROM rollouts WHERE organization_id = ${organization_id} AND plugin_id = ${plugin_id}
    AND number > ${rollout_number} LIMIT 1`.pipe(Effect.map((rows) => rows.length > 0))

export interface LockedPlugin {
  readonly id: Id<"plg">
  readonly is_gated: boolean
  readonly served_release_id: Id<"rel"> | null
}

export const findPlugin = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">) =>
  sql<LockedPlugin>`SELECT id, delivery_mode IS NOT NULL AS is_gated, served_release_id FROM plugins
    WHERE organization_id = ${organizationId} AND id = ${pluginId} AND deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Locks the plugin until the transaction ends: every change of its rollouts and releases locks it first. */
export const lockPlugin = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">) =>
  sql<LockedPlugin>`SELECT id, delivery_mode IS NOT NULL AS is_gated, served_release_id FROM plugins
    WHERE organization_id = ${organizationId} AND id = ${pluginId} AND deleted_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

export interface ReleaseRow {
  readonly id: Id<"rel">
  readonly plugin_id: Id<"plg">
  readonly number: number
  readonly state: string
  readonly has_contents: boolean
  readonly digest: string | null
}

export const findRelease = (sql: Sql, organizationId: Id<"org">, id: Id<"rel">) =>
  sql<ReleaseRow>`SELECT r.id, r.plugin_id, r.number, r.state, r.has_contents, r.digest FROM plugin_releases r
    JOIN plugins p ON p.organization_id = r.organization_id AND p.id = r.plugin_id AND p.deleted_at IS NULL
    WHERE r.organization_id = ${organizationId} AND r.id = ${id}`.pipe(Effect.map((rows) => rows[0]))

export interface NewRollout {
  readonly id: Id<"rlo">
  readonly pluginId: Id<"plg">
  readonly releaseId: Id<"rel">
  readonly previousReleaseId: Id<"rel"> | null
  readonly rings: ReadonlyArray<Omit<RingRow, "startedAt">>
}

const noBaseline: Baseline = { installations: { reports: 0, failed: 0 }, usage: { reports: 0, failed: 0 } }

/** Stores a rollout. The plugin is locked. */
export const insert = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  { id, pluginId, previousReleaseId, releaseId, rings }: NewRollout
) {
  yield* sql`INSERT INTO rollouts (organization_id, id, plugin_id, number, release_id, previous_release_id, state, reached,
      ring_count, delivers, counts_from, baseline_json, created_at)
    SELECT ${organizationId}, ${id}, ${pluginId}, 1 + coalesce(max(o.number), 0), ${releaseId}, ${previousReleaseId},
      'scheduled', 0, ${rings.length}, true, now(), ${sql.json(noBaseline)}, now()
    FROM rollouts o WHERE o.organization_id = ${organizationId} AND o.plugin_id = ${pluginId}`
  if (rings.length > 0) {
    yield* sql`INSERT INTO rollout_rings (organization_id, rollout_id, position, name, percent, members_json, teams_json,
        soak_minutes, promotion)
      SELECT ${organizationId}, ${id}, (x.item ->> 'position')::int, x.item ->> 'name', (x.item ->> 'percent')::int,
        x.item -> 'memberIds', x.item -> 'teamIds', (x.item ->> 'soakMinutes')::int, x.item ->> 'promotion'
      FROM jsonb_array_elements(${sql.json(rings.map((ring, position) => ({ ...ring, position })))}) AS x(item)`
  }
  yield* sql`DELETE FROM rollouts WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId} AND id IN (
    SELECT o.id FROM rollouts o WHERE o.organization_id = ${organizationId} AND o.plugin_id = ${pluginId}
    ORDER BY o.number DESC OFFSET ${keptMax})`
})

export const addStep = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"rlo">,
  step: {
    readonly step: string
    readonly ring?: string | null
    readonly reason?: string | null
    readonly by?: string | null
  }
) =>
  sql`INSERT INTO rollout_steps (organization_id, rollout_id, step, ring, reason, by_membership_id, created_at)
    VALUES (${organizationId}, ${id}, ${step.step}, ${step.ring ?? null}, ${step.reason ?? null}, ${step.by ?? null},
      clock_timestamp())`.pipe(
    // Members can pause and resume a rollout any number of times.
    Effect.andThen(sql`DELETE FROM rollout_steps WHERE organization_id = ${organizationId} AND rollout_id = ${id}
      AND id IN (SELECT s.id FROM rollout_steps s WHERE s.organization_id = ${organizationId} AND s.rollout_id = ${id}
        ORDER BY s.id DESC OFFSET ${stepsMax})`)
  )

export interface StepRow {
  readonly step: "created"
  readonly ring: string | null
  readonly reason: string | null
  readonly by_membership_id: Id<"om"> | null
  readonly created_at: Date
}

/** The latest steps, oldest first. */
export const steps = (sql: Sql, organizationId: Id<"org">, id: Id<"rlo">) =>
  sql<StepRow>`SELECT s.step, s.ring, s.reason, s.by_membership_id, s.created_at FROM (
      SELECT id, step, ring, reason, by_membership_id, created_at FROM rollout_steps
      WHERE organization_id = ${organizationId} AND rollout_id = ${id} ORDER BY id DESC LIMIT ${stepsMax}) s
    ORDER BY s.id`

/** Starts the ring with this position. */
export const startRing = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"rlo">,
  position: number
) {
  yield* sql`UPDATE rollouts SET state = 'active', reached = ${position + 1}, soaks_from = now(), starts_at = NULL,
      pause_reason = NULL
    WHERE organization_id = ${organizationId} AND id = ${id}`
  yield* sql`UPDATE rollout_rings SET started_at = now()
    WHERE organization_id = ${organizationId} AND rollout_id = ${id} AND position = ${position}`
})

/** The time of the database. The clocks of servers can differ. */
export const readTime = (sql: Sql) =>
  sql<{ now: Date }>`SELECT clock_timestamp() AS now`.pipe(
    Effect.flatMap((rows) => expectRow(rows[0], "time")),
    Effect.map(({ now }) => now.getTime())
  )

export const setBaseline = (sql: Sql, organizationId: Id<"org">, id: Id<"rlo">, baseline: Baseline) =>
  sql`UPDATE rollouts SET baseline_json = ${sql.json(baseline)}
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const schedule = (sql: Sql, organizationId: Id<"org">, id: Id<"rlo">, startsAt: string | null) =>
  sql`UPDATE rollouts SET starts_at = ${startsAt}::timestamptz WHERE organization_id = ${organizationId} AND id = ${id}`

export const pause = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"rlo">,
  reason: PauseReason,
  comment: string | null
) =>
  sql`UPDATE rollouts SET state = 'paused', pause_reason = ${reason}, comment = ${comment}
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** Results until now no longer count. The soak time of the current ring starts again. */
export const resume = (sql: Sql, organizationId: Id<"org">, id: Id<"rlo">) =>
  sql`UPDATE rollouts SET state = CASE WHEN reached = 0 THEN 'scheduled' ELSE 'active' END, pause_reason = NULL,
      soaks_from = CASE WHEN reached > 0 THEN now() END, counts_from = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** Ends a rollout. */
export const end = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"rlo">,
  state: "completed" | "rolled_back" | "superseded" | "cancelled",
  more: { readonly comment?: string; readonly delivers?: boolean; readonly isEmergency?: boolean } = {}
) =>
  sql`UPDATE rollouts SET state = ${state}, ended_at = now(), pause_reason = NULL, starts_at = NULL,
      delivers = delivers AND ${more.delivers ?? false}, comment = coalesce(${more.comment ?? null}, comment),
      is_emergency = is_emergency OR ${more.isEmergency ?? false}
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** All members receive the served release again. */
export const endDeliveries = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">) =>
  sql`UPDATE rollouts SET delivers = false
    WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId} AND delivers`

/**
 * Ends the deliveries of superseded rollouts if a newer rollout delivers to the same rings: the first rings of both are
 * equal. Every other ring keeps its release. With other settings for each rollout, only the newest ones keep theirs.
 */
export const endCoveredDeliveries = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  pluginId: Id<"plg">
) {
  yield* sql`UPDATE rollouts o SET delivers = false WHERE o.organization_id = ${organizationId} AND o.plugin_id = ${pluginId}
    AND o.delivers AND o.state = 'superseded' AND EXISTS (SELECT 1 FROM rollouts n
      WHERE n.organization_id = ${organizationId} AND n.plugin_id = ${pluginId} AND n.delivers
        AND n.number > o.number AND n.reached >= o.reached
        AND NOT EXISTS (SELECT 1 FROM rollout_rings g
          WHERE g.organization_id = ${organizationId} AND g.rollout_id = o.id AND g.position < o.reached
            AND NOT EXISTS (SELECT 1 FROM rollout_rings k WHERE k.organization_id = ${organizationId}
              AND k.rollout_id = n.id AND k.position = g.position AND k.percent = g.percent
              AND k.members_json = g.members_json AND k.teams_json = g.teams_json)))`
  yield* sql`UPDATE rollouts SET delivers = false WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId}
    AND delivers AND id IN (SELECT o.id FROM rollouts o WHERE o.organization_id = ${organizationId}
      AND o.plugin_id = ${pluginId} AND o.delivers ORDER BY o.number DESC OFFSET ${deliveringMax})`
})

export const serve = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, releaseId: Id<"rel"> | null) =>
  sql`UPDATE plugins SET served_release_id = ${releaseId}
    WHERE organization_id = ${organizationId} AND id = ${pluginId}`

// Background work

export interface DueRow {
  readonly id: Id<"rlo">
  readonly organization_id: Id<"org">
  readonly plugin_id: Id<"plg">
  /** The time of the database. */
  readonly now: Date
}

/**
 * Rollouts to check now, those that have waited longest first. They are marked at once, so that a rollout whose check fails
 * does not delay the others, and that processes check different ones.
 */
export const takeDue = (sql: Sql, checkedSeconds: number, limit: number) =>
  sql<DueRow>`UPDATE rollouts u SET checked_at = now() FROM (
      SELECT ro.organization_id, ro.id FROM rollouts ro WHERE ro.state IN ('scheduled', 'active', 'paused')
        AND (ro.checked_at IS NULL OR ro.checked_at < now() - make_interval(secs => ${checkedSeconds}))
      ORDER BY ro.checked_at NULLS FIRST LIMIT ${limit} FOR UPDATE SKIP LOCKED) d
    WHERE u.organization_id = d.organization_id AND u.id = d.id
    RETURNING u.id, u.organization_id, u.plugin_id, now() AS now`

// Withdrawals

export interface WithdrawnRow {
  readonly id: Id<"rel">
}

/** Withdraws all approved releases of the plugin with the digest. */
export const withdraw = (
  sql: Sql,
  organizationId: Id<"org">,
  pluginId: Id<"plg">,
  digest: string,
  by: string,
  comment: string
) =>
  sql<WithdrawnRow>`UPDATE plugin_releases SET state = 'rejected', withdrawn_at = now(), decided_at = now(),
      decided_by = ${by}, decided_because = 'withdrawn', comment = ${comment}
    WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId} AND digest = ${digest} AND state = 'approved'
    RETURNING id`.pipe(
    Effect.tap((rows) => {
      const ids = rows.map((row) => row.id)
      // Otherwise, one approver could approve it again with the approvals from before.
      return sql`DELETE FROM plugin_release_approvals WHERE organization_id = ${organizationId}
        AND release_id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))`
    })
  )

export const hasDigest = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, digest: string) =>
  sql`SELECT 1 AS one FROM plugin_releases WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId}
    AND digest = ${digest} LIMIT 1`.pipe(Effect.map((rows) => rows.length > 0))

/** Whether the latest content of the plugin is that of a release with the digest. */
export const isLatestContent = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, digest: string) =>
  sql`SELECT 1 AS one FROM plugins p
    JOIN plugin_releases r ON r.organization_id = ${organizationId} AND r.plugin_id = p.id AND r.digest = ${digest}
    WHERE p.organization_id = ${organizationId} AND p.id = ${pluginId}
      AND r.fingerprint = ${fingerprint(sql, organizationId)} LIMIT 1`.pipe(Effect.map((rows) => rows.length > 0))

/**
 * The latest approved release before the withdrawn ones that all members received and whose files are stored. A release
 * whose rollout was not completed is skipped.
 */
export const findFallback = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, before: Id<"rel">) =>
  sql<{ id: Id<"rel"> }>`SELECT r.id FROM plugin_releases r
    WHERE r.organization_id = ${organizationId} AND r.plugin_id = ${pluginId} AND r.state = 'approved' AND r.has_contents
      AND coalesce((SELECT ro.state FROM rollouts ro WHERE ro.organization_id = ${organizationId}
        AND ro.release_id = r.id ORDER BY ro.number DESC LIMIT 1), 'completed') = 'completed'
      AND r.number < (SELECT w.number FROM plugin_releases w WHERE w.organization_id = ${organizationId}
        AND w.id = ${before})
    ORDER BY r.number DESC LIMIT 1`.pipe(Effect.map((rows) => rows[0]?.id ?? null))

/** Removes the pins of a digest; returns the assignments. */
export const unpin = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, digest: string) =>
  sql<{ id: Id<"asg"> }>`UPDATE assignments SET pinned_digest = NULL, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId} AND pinned_digest = ${digest}
    RETURNING id`.pipe(Effect.map((rows) => rows.map(({ id }) => id).toSorted()))

/** The rollouts of the plugin with one of the releases that have not ended, or that rings still receive; null for all. */
export const delivering = (
  sql: Sql,
  organizationId: Id<"org">,
  pluginId: Id<"plg">,
  releaseIds: ReadonlyArray<Id<"rel">> | null
) =>
  sql<Pick<Row, "id" | "state">>`SELECT ro.id, ro.state FROM rollouts ro
    WHERE ro.organization_id = ${organizationId} AND ro.plugin_id = ${pluginId}
      AND (ro.delivers OR ${sql.literal(`ro.${isOpenText}`)})
      AND (${releaseIds === null} OR ro.release_id IN (SELECT jsonb_array_elements_text(${sql.json(releaseIds ?? [])})))
    ORDER BY ro.id`

export const stopDelivery = (sql: Sql, organizationId: Id<"org">, id: Id<"rlo">) =>
  sql`UPDATE rollouts SET delivers = false WHERE organization_id = ${organizationId} AND id = ${id}`

/** The verified email addresses of the owners and admins. */
export const administrators = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ email: string; organization_name: string }>`SELECT DISTINCT u.email, o.name AS organization_name
    FROM memberships m
    JOIN organizations o ON o.id = m.organization_id AND o.provisional_until IS NULL
    JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL AND u.email IS NOT NULL AND u.email_verified
    WHERE m.organization_id = ${organizationId} AND m.removed_at IS NULL AND m.role IN ('owner', 'admin')
    ORDER BY u.email LIMIT 50`
