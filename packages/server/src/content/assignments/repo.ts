import type { Assignment, Mode } from "@orgplane/schema/assignments"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { audienceOf } from "../../identity/audiences/index.ts"
import { addAssignees, replaceAssignees } from "../../identity/audiences/repo.ts"
import { type Holder, visible } from "../../identity/grants/index.ts"
import { isHidden } from "../../identity/grants/blocked-repo.ts"
import { hasServed, seesLatest, servedName } from "../../identity/grants/served-repo.ts"
import { specificities } from "../../infra/precedence.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import type { Plan } from "./plan.ts"
import type { Candidate, PluginState } from "./resolve.ts"

export interface Row {
  readonly id: Id<"asg">
  readonly organization_id: Id<"org">
  readonly plugin_id: Id<"plg"> | null
  readonly marketplace_id: Id<"mkt"> | null
  readonly mode: Mode
  readonly priority: number
  readonly pinned_digest: string | null
  readonly for_organization: boolean
  readonly member_ids: ReadonlyArray<Id<"om">>
  readonly team_ids: ReadonlyArray<Id<"tem">>
  readonly version: number
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) =>
  sql.literal(`a.id, a.organization_id, a.plugin_id, a.marketplace_id, a.mode, a.priority, a.pinned_digest,
    a.for_organization, a.version, a.created_by_membership_id, a.created_at, a.updated_at,
    ARRAY(SELECT am.membership_id FROM assignment_members am
      WHERE am.organization_id = a.organization_id AND am.assignment_id = a.id ORDER BY am.membership_id) AS member_ids,
    ARRAY(SELECT ap.team_id FROM assignment_teams ap
      WHERE ap.organization_id = a.organization_id AND ap.assignment_id = a.id ORDER BY ap.team_id) AS team_ids`)

/** The current state of an assignment. */
export const planOf = (row: Row): Plan => ({
  pluginId: row.plugin_id,
  marketplaceId: row.marketplace_id,
  mode: row.mode,
  priority: row.priority,
  pinnedDigest: row.pinned_digest,
  forOrganization: row.for_organization,
  memberIds: row.member_ids,
  teamIds: row.team_ids
})

export const toWire = (row: Row): Assignment => ({
  id: row.id,
  organizationId: row.organization_id,
  pluginId: row.plugin_id,
  marketplaceId: row.marketplace_id,
  mode: row.mode,
  priority: row.priority,
  pinnedDigest: row.pinned_digest,
  memberIds: row.member_ids,
  teamIds: row.team_ids,
  audience: audienceOf(planOf(row)),
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export interface Filters {
  readonly q?: string
  readonly pluginId?: string
  readonly marketplaceId?: string
  readonly mode?: Mode
}

/** Whether the plugin or marketplace has a name that the caller can read, and that contains the text. */
const isNamed = (sql: Sql, caller: Member, q: string) => {
  const { organizationId, permissions } = caller
  const plugin = sql`EXISTS (SELECT 1 FROM plugins p
    WHERE p.organization_id = ${organizationId} AND p.id = a.plugin_id AND p.deleted_at IS NULL
      AND ${visible(sql, caller, "plugin", sql`p.id`)} AND ${hasServed(sql, caller)}
      AND ${servedName(sql, caller)} ILIKE ${contains(q)})`
  const marketplace = sql`EXISTS (SELECT 1 FROM marketplaces m
    WHERE m.organization_id = ${organizationId} AND m.id = a.marketplace_id AND m.deleted_at IS NULL
      AND ${visible(sql, caller, "marketplace", sql`m.id`)} AND m.name ILIKE ${contains(q)})`
  return sql`(${permissions.has("plugins:read") ? plugin : sql`FALSE`}
    OR ${permissions.has("marketplaces:read") ? marketplace : sql`FALSE`})`
}

export const list = (sql: Sql, caller: Member, filters: Filters, after: string | null, limit: number) =>
  sql<Row>`SELECT ${columns(sql)} FROM assignments a
    WHERE a.organization_id = ${caller.organizationId} AND (${after}::text IS NULL OR a.id < ${after})
      AND ${filters.q === undefined ? sql`TRUE` : isNamed(sql, caller, filters.q)}
      AND (${filters.pluginId ?? null}::text IS NULL OR a.plugin_id = ${filters.pluginId ?? null})
      AND (${filters.marketplaceId ?? null}::text IS NULL OR a.marketplace_id = ${filters.marketplaceId ?? null})
      AND (${filters.mode ?? null}::text IS NULL OR a.mode = ${filters.mode ?? null})
    ORDER BY a.id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"asg">) =>
  sql<Row>`SELECT ${columns(sql)} FROM assignments a
    WHERE a.organization_id = ${organizationId} AND a.id = ${id}`.pipe(Effect.map((rows) => rows[0]))

/** Whether the assignment exists. Locks it until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"asg">) =>
  sql<{ id: string }>`SELECT a.id FROM assignments a
    WHERE a.organization_id = ${organizationId} AND a.id = ${id} FOR UPDATE`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

export const count = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM assignments
    WHERE organization_id = ${organizationId}`.pipe(Effect.map((rows) => rows[0]?.count ?? 0))

const ids = (sql: Sql, values: ReadonlyArray<string>) => sql`SELECT jsonb_array_elements_text(${sql.json(values)})`

/** Whether the plugin or marketplace exists and the caller can see it. */
export const isTargetSeen = (sql: Sql, caller: Member, { marketplaceId, pluginId }: Plan) =>
  (pluginId === null
    ? sql<{ is_seen: boolean }>`SELECT ${visible(sql, caller, "marketplace", sql`m.id`)} AS is_seen FROM marketplaces m
        WHERE m.organization_id = ${caller.organizationId} AND m.id = ${marketplaceId} AND m.deleted_at IS NULL`
    : sql<{ is_seen: boolean }>`SELECT ${visible(sql, caller, "plugin", sql`p.id`)} AS is_seen FROM plugins p
        WHERE p.organization_id = ${caller.organizationId} AND p.id = ${pluginId} AND p.deleted_at IS NULL`
  ).pipe(Effect.map((rows) => rows[0]?.is_seen === true))

/** The approved release of the plugin with the digest; undefined if there is none. */
export const findPinnable = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, digest: string) =>
  sql<{ has_contents: boolean }>`SELECT r.has_contents FROM plugin_releases r
    WHERE r.organization_id = ${organizationId} AND r.plugin_id = ${pluginId} AND r.digest = ${digest}
      AND r.state = 'approved' ORDER BY r.has_contents DESC LIMIT 1`.pipe(Effect.map((rows) => rows[0]))

const assignees = { members: "assignment_members", teams: "assignment_teams", column: "assignment_id" }

export const create = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"asg">,
  plan: Plan,
  createdBy: Id<"om"> | null
) {
  yield* sql`INSERT INTO assignments (organization_id, id, plugin_id, marketplace_id, mode, priority, pinned_digest,
      for_organization, created_by_membership_id, created_at, updated_at)
    VALUES (${organizationId}, ${id}, ${plan.pluginId}, ${plan.marketplaceId}, ${plan.mode}, ${plan.priority},
      ${plan.pinnedDigest}, ${plan.forOrganization}, ${createdBy}, now(), now())`
  yield* addAssignees(sql, organizationId, assignees, id, plan)
})

export const update = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, id: Id<"asg">, plan: Plan) {
  yield* sql`UPDATE assignments SET mode = ${plan.mode}, priority = ${plan.priority},
      pinned_digest = ${plan.pinnedDigest}, for_organization = ${plan.forOrganization}, version = version + 1,
      updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`
  yield* replaceAssignees(sql, organizationId, assignees, id, plan)
})

/** Deletes an assignment. Foreign keys delete its members and teams. */
export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"asg">) =>
  sql`DELETE FROM assignments WHERE organization_id = ${organizationId} AND id = ${id}`

// What applies to a member

interface AppliedRow {
  readonly role: string
  readonly id: Id<"asg"> | null
  readonly plugin_id: Id<"plg"> | null
  readonly marketplace_id: Id<"mkt"> | null
  readonly mode: Mode
  readonly priority: number
  readonly pinned_digest: string | null
  readonly created_at: Date
  readonly closeness: 0 | 1 | 2
  readonly team_id: Id<"tem"> | null
}

/**
 * The role of a member and all assignments that apply to the member, in one statement regardless of their number;
 * undefined when the member does not exist.
 */
export const applied = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">) =>
  sql<AppliedRow>`SELECT m.role, o.id, o.plugin_id, o.marketplace_id, o.mode, o.priority, o.pinned_digest, o.created_at,
      o.closeness, o.team_id
    FROM memberships m LEFT JOIN (
      SELECT a.id, a.plugin_id, a.marketplace_id, a.mode, a.priority, a.pinned_digest, a.created_at,
        coalesce(n.closeness, 2) AS closeness, n.team_id
      FROM assignments a LEFT JOIN (
        SELECT u.assignment_id, min(u.closeness) AS closeness, min(u.team_id) AS team_id FROM (
          SELECT am.assignment_id, 0 AS closeness, NULL::text AS team_id FROM assignment_members am
          WHERE am.organization_id = ${organizationId} AND am.membership_id = ${membershipId}
          UNION ALL
          SELECT ap.assignment_id, 1, ap.team_id FROM team_members tm
          JOIN assignment_teams ap ON ap.organization_id = ${organizationId} AND ap.team_id = tm.team_id
          WHERE tm.organization_id = ${organizationId} AND tm.membership_id = ${membershipId}) u
        GROUP BY u.assignment_id) n ON n.assignment_id = a.id
      WHERE a.organization_id = ${organizationId} AND (a.for_organization OR n.assignment_id IS NOT NULL)) o ON TRUE
    WHERE m.organization_id = ${organizationId} AND m.id = ${membershipId} AND m.removed_at IS NULL`.pipe(
    Effect.map((rows) => {
      const [first] = rows
      if (first === undefined) return undefined
      const candidates = rows.flatMap((row): ReadonlyArray<Candidate> => {
        if (row.id === null) return []
        return [
          {
            id: row.id,
            pluginId: row.plugin_id,
            marketplaceId: row.marketplace_id,
            mode: row.mode,
            priority: row.priority,
            pinnedDigest: row.pinned_digest,
            createdAt: row.created_at,
            through: specificities[row.closeness] ?? "organization",
            teamId: row.team_id
          }
        ]
      })
      return { role: first.role, candidates }
    })
  )

interface PluginRow {
  readonly id: Id<"plg">
  readonly name: string | null
  readonly marketplace_ids: ReadonlyArray<Id<"mkt">>
  readonly choice: boolean | null
  readonly has_access: boolean
  readonly is_served: boolean
  readonly stored: PluginState["stored"]
}

export interface PluginsRead {
  /** The caller, whose access determines the names that are returned. */
  readonly caller: Member
  /** The member whose assignments apply. */
  readonly holder: Holder & { readonly principal: { readonly kind: "session" } }
  readonly candidates: ReadonlyArray<Candidate>
  /** Only this plugin, even if no assignment names it. */
  readonly pluginId: Id<"plg"> | null
  /** Only plugins that the holder can see and that have content for the holder. */
  readonly seenOnly: boolean
  readonly after: string | null
  readonly limit: number
}

/** The plugins that assignments name or that the member has turned on or off, newest first. */
export const plugins = (sql: Sql, read: PluginsRead) => {
  const { after, caller, candidates, holder, limit, pluginId, seenOnly } = read
  const { organizationId, principal } = holder
  const ofPlugins = candidates.flatMap((one) => (one.pluginId === null ? [] : [one.pluginId]))
  const ofMarketplaces = [
    ...new Set(candidates.flatMap((one) => (one.marketplaceId === null ? [] : [one.marketplaceId])))
  ]
  const hasContent = (reader: Holder) => sql`(p.served_release_id IS NOT NULL OR ${seesLatest(sql, reader)})`
  // Members see their own blocks. The assignments of others show the caller no plugin that is hidden from the caller.
  const isRead = seenOnly ? hasContent(caller) : hasServed(sql, caller)
  const isOffered = seenOnly ? sql`TRUE` : sql`NOT ${isHidden(sql, caller, sql`np.id`)}`
  const isAsked = (id: Fragment) => (pluginId === null ? sql`TRUE` : sql`${id} = ${pluginId}`)
  const named = sql`SELECT jsonb_array_elements_text(${sql.json(ofPlugins)}) AS id
    UNION SELECT nm.plugin_id FROM marketplace_memberships nm
      WHERE nm.organization_id = ${organizationId} AND nm.removed_at IS NULL AND ${isAsked(sql`nm.plugin_id`)}
        AND nm.marketplace_id IN (${ids(sql, ofMarketplaces)})
    UNION SELECT nc.plugin_id FROM plugin_choices nc
      WHERE nc.organization_id = ${organizationId} AND nc.membership_id = ${principal.membershipId}
        AND ${isAsked(sql`nc.plugin_id`)}`
  const one =
    pluginId === null
      ? sql``
      : sql`UNION SELECT np.id FROM plugins np WHERE np.organization_id = ${organizationId} AND np.id = ${pluginId}
          AND ${visible(sql, caller, "plugin", sql`np.id`)} AND ${isOffered}`
  return sql<PluginRow>`SELECT p.id,
      CASE WHEN ${visible(sql, caller, "plugin", sql`p.id`)} AND ${isRead}
        THEN ${servedName(sql, caller)} END AS name,
      ARRAY(SELECT km.marketplace_id FROM marketplace_memberships km
        WHERE km.organization_id = ${organizationId} AND km.plugin_id = p.id AND km.removed_at IS NULL
          AND km.marketplace_id IN (${ids(sql, ofMarketplaces)})) AS marketplace_ids,
      (SELECT c.is_enabled FROM plugin_choices c WHERE c.organization_id = ${organizationId}
        AND c.membership_id = ${principal.membershipId} AND c.plugin_id = p.id) AS choice,
      ${visible(sql, holder, "plugin", sql`p.id`)} AS has_access,
      p.delivery_mode IS NULL OR p.served_release_id IS NOT NULL AS is_served,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'digest', r.digest) ORDER BY r.number DESC), '[]'::jsonb)
        FROM plugin_releases r WHERE r.organization_id = ${organizationId} AND r.plugin_id = p.id AND r.has_contents
          AND r.state = 'approved' AND r.digest IS NOT NULL) AS stored
    FROM (${named} ${one}) n
    JOIN plugins p ON p.organization_id = ${organizationId} AND p.id = n.id AND p.deleted_at IS NULL
      AND p.archived_at IS NULL
    WHERE (${after}::text IS NULL OR p.id < ${after}) AND ${isAsked(sql`p.id`)}
      AND ${seenOnly ? sql`${visible(sql, holder, "plugin", sql`p.id`)} AND ${hasContent(holder)}` : sql`TRUE`}
    ORDER BY p.id DESC LIMIT ${limit}`.pipe(
    Effect.map((rows) =>
      rows.map((row): PluginState => ({
        id: row.id,
        name: row.name,
        marketplaceIds: row.marketplace_ids,
        choice: row.choice,
        hasAccess: row.has_access,
        isServed: row.is_served,
        stored: row.stored
      }))
    )
  )
}

// Choices

export const setChoice = (
  sql: Sql,
  organizationId: Id<"org">,
  membershipId: Id<"om">,
  pluginId: Id<"plg">,
  isEnabled: boolean
) =>
  sql`INSERT INTO plugin_choices (organization_id, membership_id, plugin_id, is_enabled, updated_at)
    VALUES (${organizationId}, ${membershipId}, ${pluginId}, ${isEnabled}, now())
    ON CONFLICT (organization_id, membership_id, plugin_id)
    DO UPDATE SET is_enabled = excluded.is_enabled, updated_at = excluded.updated_at`

export const resetChoice = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">, pluginId: Id<"plg">) =>
  sql`DELETE FROM plugin_choices WHERE organization_id = ${organizationId} AND membership_id = ${membershipId}
    AND plugin_id = ${pluginId}`
