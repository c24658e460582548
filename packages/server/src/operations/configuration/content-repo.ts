import type { DeliveryMode } from "@orgplane/schema/approvals"
import type { GrantRole } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import type { GrantedKind } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** Where an imported object comes from. Null for an object that was created here. */
export interface SourceRow {
  readonly connector_target_id: Id<"ctg"> | null
  readonly connector_instance_id: Id<"cin"> | null
  readonly branch: string | null
}

export interface MarketplaceRow extends SourceRow {
  readonly id: Id<"mkt">
  readonly name: string
  readonly description: string | null
  readonly logo_url: string | null
  readonly delivery_mode: Exclude<DeliveryMode, "auto"> | null
  readonly version: number
}

/** All marketplaces that are not archived. */
export const listMarketplaces = (sql: Sql, organizationId: Id<"org">, after: string | null, limit: number) =>
  sql<MarketplaceRow>`SELECT m.id, m.name, m.description, m.logo_url, m.delivery_mode, m.version, m.connector_target_id,
      t.connector_instance_id, t.branch
    FROM marketplaces m
    LEFT JOIN connector_targets t ON t.organization_id = ${organizationId} AND t.id = m.connector_target_id
    WHERE m.organization_id = ${organizationId} AND m.deleted_at IS NULL AND m.archived_at IS NULL
      AND (${after}::text IS NULL OR m.id < ${after})
    ORDER BY m.id DESC LIMIT ${limit}`

export interface GrantRow {
  readonly id: string
  readonly object_id: string
  readonly membership_id: Id<"om"> | null
  readonly team_id: Id<"tem"> | null
  readonly role: GrantRole
}

/** The grants on all objects of a kind, or on one. Those of API keys, which only the creation of an object makes, are left out. */
export const listGrants = (sql: Sql, organizationId: Id<"org">, kind: GrantedKind, objectId: string | null = null) =>
  sql<GrantRow>`SELECT g.id, g.object_id, g.membership_id, g.team_id, g.role FROM grants g
    WHERE g.organization_id = ${organizationId} AND g.object_kind = ${kind} AND g.removed_at IS NULL
      AND g.key_id IS NULL AND (${objectId}::text IS NULL OR g.object_id = ${objectId})
    ORDER BY g.object_id, g.id`

/** The connector instances, oldest first. */
export const listConnectors = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ readonly id: Id<"cin">; readonly name: string }>`SELECT i.id, i.name FROM connector_instances i
    WHERE i.organization_id = ${organizationId} AND i.removed_at IS NULL ORDER BY i.id`
