import type { Mode } from "@orgplane/schema/assignments"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Holder } from "../../identity/grants/index.ts"
import { joinDelivered } from "../../identity/grants/pinned-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import type { PluginRow } from "../plugins/archive-layout.ts"

export interface DeliveredRow {
  readonly is_gated: boolean
  readonly served_release_id: Id<"rel"> | null
  readonly release_id: Id<"rel"> | null
  readonly digest: string | null
  readonly name: string | null
  readonly manifest_json: PluginRow["manifest_json"]
  readonly team_ids: ReadonlyArray<Id<"tem">>
}

/** The release of a plugin that a member receives; undefined if the plugin does not exist. */
export const delivered = (
  sql: Sql,
  holder: Holder & { readonly principal: { readonly kind: "session"; readonly membershipId: Id<"om"> } },
  pluginId: Id<"plg">
) =>
  sql<DeliveredRow>`SELECT p.delivery_mode IS NOT NULL AS is_gated, p.served_release_id, r.id AS release_id, r.digest,
      r.name, r.manifest_json, ARRAY(SELECT t.team_id FROM team_members t
        WHERE t.organization_id = ${holder.organizationId} AND t.membership_id = ${holder.principal.membershipId})
        AS team_ids
    FROM plugins p ${joinDelivered(sql, holder.organizationId, holder)}
    WHERE p.organization_id = ${holder.organizationId} AND p.id = ${pluginId} AND p.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export interface LatestRow {
  readonly id: Id<"rel">
  readonly number: number
  readonly state: string
  readonly digest: string | null
  readonly name: string
  readonly manifest_json: PluginRow["manifest_json"]
}

/** The latest release of a plugin. */
export const latest = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">) =>
  sql<LatestRow>`SELECT r.id, r.number, r.state, r.digest, r.name, r.manifest_json FROM plugin_releases r
    WHERE r.organization_id = ${organizationId} AND r.plugin_id = ${pluginId}
    ORDER BY r.number DESC LIMIT 1`.pipe(Effect.map((rows) => rows[0]))

export interface AssignmentRow {
  readonly id: Id<"asg">
  readonly plugin_id: Id<"plg"> | null
  readonly marketplace_id: Id<"mkt"> | null
  readonly mode: Mode
  readonly priority: number
  readonly pinned_digest: string | null
  readonly created_at: Date
  readonly for_organization: boolean
  readonly member_ids: ReadonlyArray<Id<"om">>
  readonly team_ids: ReadonlyArray<Id<"tem">>
}

/** The assignments of a plugin and of its marketplaces, ordered by ID, with their members and teams. */
export const assignments = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, after: string, limit: number) =>
  sql<AssignmentRow>`SELECT a.id, a.plugin_id, a.marketplace_id, a.mode, a.priority, a.pinned_digest, a.created_at,
      a.for_organization,
      ARRAY(SELECT am.membership_id FROM assignment_members am
        WHERE am.organization_id = ${organizationId} AND am.assignment_id = a.id) AS member_ids,
      ARRAY(SELECT ap.team_id FROM assignment_teams ap
        WHERE ap.organization_id = ${organizationId} AND ap.assignment_id = a.id) AS team_ids
    FROM assignments a
    WHERE a.organization_id = ${organizationId} AND (a.plugin_id = ${pluginId} OR a.marketplace_id IN (
      SELECT mm.marketplace_id FROM marketplace_memberships mm
      WHERE mm.organization_id = ${organizationId} AND mm.plugin_id = ${pluginId} AND mm.removed_at IS NULL))
      AND a.id > ${after}
    ORDER BY a.id LIMIT ${limit}`

export interface MemberRow {
  readonly id: Id<"om">
  readonly team_ids: ReadonlyArray<Id<"tem">>
  readonly has_access: boolean
  readonly choice: boolean | null
  readonly devices: number
}

/** Members ordered by id, with the data that determines whether they receive the plugin. */
export const members = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, after: string, limit: number) =>
  sql<MemberRow>`SELECT m.id, t.team_ids,
      m.role IN ('owner', 'admin') OR EXISTS (SELECT 1 FROM grants g WHERE g.organization_id = ${organizationId}
        AND g.removed_at IS NULL AND g.receiver = ANY (t.team_ids || ARRAY[m.id, ''])
        AND ((g.object_kind = 'plugin' AND g.object_id = ${pluginId})
          OR (g.object_kind = 'marketplace' AND g.object_id IN (SELECT mm.marketplace_id
            FROM marketplace_memberships mm
            JOIN marketplaces k ON k.organization_id = ${organizationId} AND k.id = mm.marketplace_id
              AND k.deleted_at IS NULL AND k.archived_at IS NULL
            WHERE mm.organization_id = ${organizationId} AND mm.plugin_id = ${pluginId}
              AND mm.removed_at IS NULL)))) AS has_access,
      (SELECT c.is_enabled FROM plugin_choices c WHERE c.organization_id = ${organizationId}
        AND c.membership_id = m.id AND c.plugin_id = ${pluginId}) AS choice,
      (SELECT count(*)::int FROM devices d WHERE d.organization_id = ${organizationId}
        AND d.membership_id = m.id) AS devices
    FROM memberships m
    CROSS JOIN LATERAL (SELECT ARRAY(SELECT tm.team_id FROM team_members tm
      WHERE tm.organization_id = ${organizationId} AND tm.membership_id = m.id) AS team_ids) t
    WHERE m.organization_id = ${organizationId} AND m.removed_at IS NULL AND m.id > ${after}
    ORDER BY m.id LIMIT ${limit}`
