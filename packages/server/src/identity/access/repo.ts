import type { GrantRole } from "@orgplane/schema/shared/grants"
import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { GrantedKind } from "../grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { deferStatement } from "../../infra/sql/defer.ts"
import { prepareStatement } from "../../infra/sql/read.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"

export interface Receiver {
  readonly membershipId: Id<"om"> | null
  readonly teamId: Id<"tem"> | null
  readonly orgWide: boolean
  /** Only for an API key that created the object. */
  readonly keyId?: Id<"key">
}

export interface Row {
  readonly id: string
  readonly membership_id: Id<"om"> | null
  readonly team_id: Id<"tem"> | null
  readonly org_wide: boolean
  readonly role: GrantRole
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
  readonly removed_at: Date | null
}

const columns = (sql: Sql) =>
  sql.literal("id, membership_id, team_id, org_wide, role, created_by_membership_id, created_at, removed_at")

export const toWire = <P extends Prefix>(row: Row) => ({
  id: row.id as Id<P>,
  orgMembershipId: row.membership_id,
  teamId: row.team_id,
  orgWide: row.org_wide,
  role: row.role,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  removedAt: isoOrNull(row.removed_at)
})

/**
 * All grants on an object, live and revoked: a revoked one stays in the list with its `removedAt`. The grant of an
 * API key that created the object names no receiver.
 */
export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  kind: GrantedKind,
  objectId: string,
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql)} FROM grants
    WHERE organization_id = ${organizationId} AND object_kind = ${kind} AND object_id = ${objectId}
      AND (${after}::text IS NULL OR id < ${after})
    ORDER BY id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, kind: GrantedKind, objectId: string, id: string) =>
  sql<Row>`SELECT ${columns(sql)} FROM grants
    WHERE organization_id = ${organizationId} AND object_kind = ${kind} AND object_id = ${objectId} AND id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )

export const lockByReceiver = (
  sql: Sql,
  organizationId: Id<"org">,
  kind: GrantedKind,
  objectId: string,
  receiver: Receiver
) =>
  sql<{ id: string }>`SELECT id FROM grants
    WHERE organization_id = ${organizationId} AND object_kind = ${kind} AND object_id = ${objectId}
      AND receiver = ${receiver.membershipId ?? receiver.teamId ?? receiver.keyId ?? ""}
    FOR UPDATE`.pipe(Effect.map((rows) => rows[0]))

/** Whether the receiver exists. Locks it until the transaction ends, so that no grant outlives its receiver. */
export const receiverExists = (sql: Sql, organizationId: Id<"org">, receiver: Receiver) => {
  if (receiver.orgWide) return Effect.succeed(true)
  const matches =
    receiver.teamId === null
      ? sql<{ id: string }>`SELECT id FROM memberships
          WHERE organization_id = ${organizationId} AND id = ${receiver.membershipId} AND removed_at IS NULL FOR SHARE`
      : sql<{ id: string }>`SELECT id FROM teams
          WHERE organization_id = ${organizationId} AND id = ${receiver.teamId} AND removed_at IS NULL FOR SHARE`
  return Effect.map(matches, (rows) => rows.length === 1)
}

/** Each receiver has one grant. Granting again changes its role or restores it, and keeps and returns its ID. */
export const put = (
  sql: Sql,
  organizationId: Id<"org">,
  kind: GrantedKind,
  objectId: string,
  id: string,
  receiver: Receiver,
  role: GrantRole,
  createdBy: Id<"om"> | null
) =>
  sql<{
    id: string
  }>`INSERT INTO grants (organization_id, id, object_kind, object_id, membership_id, team_id, key_id, org_wide, role,
      created_by_membership_id, created_at)
    VALUES (${organizationId}, ${id}, ${kind}, ${objectId}, ${receiver.membershipId}, ${receiver.teamId},
      ${receiver.keyId ?? null}, ${receiver.orgWide}, ${role}, ${createdBy}, now())
    ON CONFLICT (organization_id, object_kind, object_id, receiver)
    DO UPDATE SET role = excluded.role, removed_at = NULL
    RETURNING id`.pipe(Effect.map((rows) => rows[0]?.id ?? id))

interface NewGrants {
  readonly organizationId: Id<"org">
  readonly kind: GrantedKind
  /** A JSON array of `{ id, objectId }`: the ID of each grant and of its object. */
  readonly grants: string
  readonly membershipId: string | null
  readonly teamId: string | null
  readonly keyId: string | null
  readonly orgWide: boolean
  readonly role: GrantRole
  readonly createdBy: Id<"om"> | null
}

const insertGrants = prepareStatement<NewGrants>(
  (sql, { createdBy, grants, keyId, kind, membershipId, orgWide, organizationId, role, teamId }) =>
    sql`INSERT INTO grants (organization_id, id, object_kind, object_id, membership_id, team_id, key_id,
        org_wide, role, created_by_membership_id, created_at)
      SELECT ${organizationId}, r.id, ${kind}, r."objectId", ${membershipId}, ${teamId}, ${keyId}, ${orgWide}, ${role},
        ${createdBy}, now()
      FROM jsonb_to_recordset(${grants}::jsonb) AS r(id text, "objectId" text)`
)

/** The same grant on each of many new objects, in one statement. */
export const putOnNew = (
  sql: Sql,
  organizationId: Id<"org">,
  kind: GrantedKind,
  grants: ReadonlyArray<{ readonly id: string; readonly objectId: string }>,
  receiver: Receiver,
  role: GrantRole,
  createdBy: Id<"om"> | null
) =>
  grants.length === 0
    ? Effect.void
    : deferStatement(
        sql,
        insertGrants(sql, {
          organizationId,
          kind,
          grants: JSON.stringify(grants),
          membershipId: receiver.membershipId,
          teamId: receiver.teamId,
          keyId: receiver.keyId ?? null,
          orgWide: receiver.orgWide,
          role,
          createdBy
        })
      )

export const revoke = (sql: Sql, organizationId: Id<"org">, kind: GrantedKind, objectId: string, id: string) =>
  sql<{ id: string }>`UPDATE grants SET removed_at = now()
    WHERE organization_id = ${organizationId} AND object_kind = ${kind} AND object_id = ${objectId} AND id = ${id}
      AND removed_at IS NULL
    RETURNING id`.pipe(Effect.map((rows) => rows.length === 1))

/** Revokes every live grant on objects that are deleted. */
export const endAll = (sql: Sql, organizationId: Id<"org">, kind: GrantedKind, objectIds: ReadonlyArray<string>) =>
  sql`UPDATE grants SET removed_at = now()
    WHERE organization_id = ${organizationId} AND object_kind = ${kind} AND removed_at IS NULL
      AND object_id IN (SELECT jsonb_array_elements_text(${sql.json(objectIds)}))`
