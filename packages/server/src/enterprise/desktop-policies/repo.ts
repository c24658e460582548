import { type DesktopPolicy, switches } from "@orgplane/schema/desktop-policies"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { type Assignees, audienceOf } from "../../identity/audiences/index.ts"
import { addAssignees, replaceAssignees } from "../../identity/audiences/repo.ts"
import { specificities } from "../../infra/precedence.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import type { Candidate, PolicySettings } from "./resolve.ts"

export interface Row {
  readonly id: Id<"dpo">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly settings_json: PolicySettings
  readonly priority: number
  readonly is_enabled: boolean
  readonly for_organization: boolean
  readonly member_ids: ReadonlyArray<Id<"om">>
  readonly team_ids: ReadonlyArray<Id<"tem">>
  readonly version: number
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) =>
  sql.literal(`p.id, p.organization_id, p.name, p.settings_json, p.priority, p.is_enabled, p.for_organization, p.version,
    p.created_by_membership_id, p.created_at, p.updated_at,
    ARRAY(SELECT a.membership_id FROM desktop_policy_members a
      WHERE a.organization_id = p.organization_id AND a.policy_id = p.id ORDER BY a.membership_id) AS member_ids,
    ARRAY(SELECT a.team_id FROM desktop_policy_teams a
      WHERE a.organization_id = p.organization_id AND a.policy_id = p.id ORDER BY a.team_id) AS team_ids`)

const settingsOf = (settings: PolicySettings): DesktopPolicy["policy"] => ({
  ...(Object.fromEntries(switches.map((name) => [name, settings[name] ?? null])) as Record<
    (typeof switches)[number],
    boolean | null
  >),
  onboardingPrompts: settings.onboardingPrompts ?? null,
  onboardingPromptDescriptions: settings.onboardingPromptDescriptions ?? null
})

export const toWire = (row: Row): DesktopPolicy => ({
  id: row.id,
  organizationId: row.organization_id,
  policyName: row.name,
  policy: settingsOf(row.settings_json),
  priority: row.priority,
  isEnabled: row.is_enabled,
  memberIds: row.member_ids,
  teamIds: row.team_ids,
  audience: audienceOf({ forOrganization: row.for_organization, memberIds: row.member_ids, teamIds: row.team_ids }),
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly q?: string },
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql)} FROM desktop_policies p
    WHERE p.organization_id = ${organizationId} AND p.deleted_at IS NULL
      AND (${after}::text IS NULL OR p.id < ${after})
      AND (${filters.q ?? null}::text IS NULL OR p.name ILIKE ${contains(filters.q)})
    ORDER BY p.id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"dpo">) =>
  sql<Row>`SELECT ${columns(sql)} FROM desktop_policies p
    WHERE p.organization_id = ${organizationId} AND p.id = ${id} AND p.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Whether the policy exists. Locks it until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"dpo">) =>
  sql<{ id: string }>`SELECT p.id FROM desktop_policies p
    WHERE p.organization_id = ${organizationId} AND p.id = ${id} AND p.deleted_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

/** The complete state of a policy. */
export interface Plan extends Assignees {
  readonly name: string
  readonly settings: PolicySettings
  readonly priority: number
  readonly isEnabled: boolean
}

const ids = (sql: Sql, values: ReadonlyArray<string>) => sql`SELECT jsonb_array_elements_text(${sql.json(values)})`

/** Whether another policy has the name, and the number of policies. */
export const nameAndCount = (sql: Sql, organizationId: Id<"org">, name: string, but: Id<"dpo"> | null) =>
  sql<{ taken: boolean; count: number }>`SELECT count(*)::int AS count,
      coalesce(bool_or(lower(name) = lower(${name}::text) AND id IS DISTINCT FROM ${but}::text), FALSE) AS taken
    FROM desktop_policies WHERE organization_id = ${organizationId} AND deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0] ?? { taken: false, count: 0 })
  )

const assignees = { members: "desktop_policy_members", teams: "desktop_policy_teams", column: "policy_id" }

export const create = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"dpo">,
  plan: Plan,
  createdBy: Id<"om"> | null
) {
  yield* sql`INSERT INTO desktop_policies (organization_id, id, name, settings_json, priority, is_enabled,
      for_organization, created_by_membership_id, created_at, updated_at)
    VALUES (${organizationId}, ${id}, ${plan.name}, ${sql.json(plan.settings)}, ${plan.priority}, ${plan.isEnabled},
      ${plan.forOrganization}, ${createdBy}, now(), now())`
  yield* addAssignees(sql, organizationId, assignees, id, plan)
})

export const update = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, id: Id<"dpo">, plan: Plan) {
  yield* sql`UPDATE desktop_policies SET name = ${plan.name}, settings_json = ${sql.json(plan.settings)},
      priority = ${plan.priority}, is_enabled = ${plan.isEnabled}, for_organization = ${plan.forOrganization},
      version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`
  yield* replaceAssignees(sql, organizationId, assignees, id, plan)
})

/** Removes a policy and its assignments. */
export const remove = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, id: Id<"dpo">) {
  yield* sql`UPDATE desktop_policies SET deleted_at = now(), updated_at = now(), version = version + 1
    WHERE organization_id = ${organizationId} AND id = ${id}`
  yield* replaceAssignees(sql, organizationId, assignees, id, { memberIds: [], teamIds: [] })
})

// The members that policies apply to

interface AppliedRow {
  readonly id: Id<"dpo"> | null
  readonly name: string
  readonly priority: number
  readonly settings_json: PolicySettings
  readonly created_at: Date
  readonly closeness: 0 | 1 | 2
}

/**
 * All enabled policies that apply to a member, in one statement regardless of their number; undefined when the member
 * does not exist.
 */
export const applied = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">) =>
  sql<AppliedRow>`SELECT o.id, o.name, o.priority, o.settings_json, o.created_at, o.closeness
    FROM memberships m LEFT JOIN (
      SELECT p.id, p.name, p.priority, p.settings_json, p.created_at, coalesce(a.closeness, 2) AS closeness
      FROM desktop_policies p LEFT JOIN (
        SELECT u.policy_id, min(u.closeness) AS closeness FROM (
          SELECT pm.policy_id, 0 AS closeness FROM desktop_policy_members pm
          WHERE pm.organization_id = ${organizationId} AND pm.membership_id = ${membershipId}
          UNION ALL
          SELECT pt.policy_id, 1 FROM team_members tm
          JOIN desktop_policy_teams pt ON pt.organization_id = ${organizationId} AND pt.team_id = tm.team_id
          WHERE tm.organization_id = ${organizationId} AND tm.membership_id = ${membershipId}) u
        GROUP BY u.policy_id) a ON a.policy_id = p.id
      WHERE p.organization_id = ${organizationId} AND p.deleted_at IS NULL AND p.is_enabled
        AND (p.for_organization OR a.policy_id IS NOT NULL)) o ON TRUE
    WHERE m.organization_id = ${organizationId} AND m.id = ${membershipId} AND m.removed_at IS NULL`.pipe(
    Effect.map((rows): ReadonlyArray<Candidate> | undefined =>
      rows.length === 0
        ? undefined
        : rows.flatMap(({ closeness, created_at: createdAt, id, name, priority, settings_json: settings }) =>
            id === null
              ? []
              : [{ id, name, priority, createdAt, settings, through: specificities[closeness] ?? "organization" }]
          )
    )
  )

/** A policy without its members, which are read with the members. */
export interface PlannedRow extends Pick<
  Row,
  "id" | "name" | "settings_json" | "priority" | "is_enabled" | "for_organization" | "created_at"
> {}

/** All policies of the organization. Their number is limited. */
export const all = (sql: Sql, organizationId: Id<"org">) =>
  sql<PlannedRow>`SELECT p.id, p.name, p.settings_json, p.priority, p.is_enabled, p.for_organization, p.created_at
    FROM desktop_policies p WHERE p.organization_id = ${organizationId} AND p.deleted_at IS NULL`

export interface PolicyTeamRow {
  readonly policy_id: Id<"dpo">
  readonly team_id: Id<"tem">
}

/** A batch of team assignments, after the last one of the previous batch. */
export const teamsAfter = (sql: Sql, organizationId: Id<"org">, after: PolicyTeamRow | undefined, limit: number) =>
  sql<PolicyTeamRow>`SELECT a.policy_id, a.team_id FROM desktop_policy_teams a
    WHERE a.organization_id = ${organizationId}
      AND (a.policy_id, a.team_id) > (${after?.policy_id ?? ""}, ${after?.team_id ?? ""})
    ORDER BY a.policy_id, a.team_id LIMIT ${limit}`

export interface MemberRow {
  readonly id: Id<"om">
  readonly team_ids: ReadonlyArray<Id<"tem">>
  readonly policy_ids: ReadonlyArray<Id<"dpo">>
}

/** The members that a change can affect. */
export interface Reach {
  readonly everybody: boolean
  /** All members and teams that these policies are assigned to. */
  readonly policyIds: ReadonlyArray<Id<"dpo">>
  readonly memberIds: ReadonlyArray<Id<"om">>
  readonly teamIds: ReadonlyArray<Id<"tem">>
}

/** Members ordered by id, each with their teams that policies are assigned to and the policies assigned to them. */
export const reached = (sql: Sql, organizationId: Id<"org">, reach: Reach, after: string, limit: number) => {
  const someReached = sql`(m.id IN (${ids(sql, reach.memberIds)})
    OR EXISTS (SELECT 1 FROM desktop_policy_members pm
      WHERE pm.organization_id = ${organizationId} AND pm.membership_id = m.id AND pm.policy_id IN (${ids(sql, reach.policyIds)}))
    OR EXISTS (SELECT 1 FROM team_members tm
      WHERE tm.organization_id = ${organizationId} AND tm.membership_id = m.id
        AND (tm.team_id IN (${ids(sql, reach.teamIds)})
          OR tm.team_id IN (SELECT pt.team_id FROM desktop_policy_teams pt
            WHERE pt.organization_id = ${organizationId} AND pt.policy_id IN (${ids(sql, reach.policyIds)})))))`
  return sql<MemberRow>`SELECT m.id,
      ARRAY(SELECT tm.team_id FROM team_members tm
        WHERE tm.organization_id = ${organizationId} AND tm.membership_id = m.id) AS team_ids,
      ARRAY(SELECT pm.policy_id FROM desktop_policy_members pm
        WHERE pm.organization_id = ${organizationId} AND pm.membership_id = m.id) AS policy_ids
    FROM memberships m
    WHERE m.organization_id = ${organizationId} AND m.removed_at IS NULL AND m.id > ${after}
      AND ${reach.everybody ? sql`TRUE` : someReached}
    ORDER BY m.id LIMIT ${limit}`
}
