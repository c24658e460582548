import type { Invitation, InvitationStatus } from "@orgplane/schema/invitations"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"

type Status = typeof InvitationStatus.Type

export interface Row {
  readonly organization_id: Id<"org">
  readonly id: Id<"inv">
  readonly email: string
  readonly role: string
  readonly team_ids_json: ReadonlyArray<Id<"tem">>
  readonly status: Status
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly accepted_at: Date | null
}

const status = (sql: Sql) =>
  sql.literal(`CASE WHEN accepted_at IS NOT NULL THEN 'accepted' WHEN cancelled_at IS NOT NULL THEN 'cancelled'
    WHEN expires_at <= now() THEN 'expired' ELSE 'pending' END`)

const columns = (sql: Sql) => sql`organization_id, id, email, role, team_ids_json, ${status(sql)} AS status,
    created_by_membership_id, created_at, expires_at, accepted_at`

export const toWire = (row: Row): Invitation => ({
  id: row.id,
  organizationId: row.organization_id,
  email: row.email,
  role: row.role,
  teamIds: row.team_ids_json,
  status: row.status,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  expiresAt: iso(row.expires_at),
  acceptedAt: isoOrNull(row.accepted_at)
})

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly q?: string; readonly status?: Status },
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql)} FROM invitations
    WHERE organization_id = ${organizationId}
      AND (${filters.status ?? null}::text IS NULL OR ${status(sql)} = ${filters.status ?? null})
      AND (${filters.q ?? null}::text IS NULL OR email ILIKE ${contains(filters.q)})
      AND (${after}::text IS NULL OR id < ${after})
    ORDER BY id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"inv">) =>
  sql<Row>`SELECT ${columns(sql)} FROM invitations WHERE organization_id = ${organizationId} AND id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The invitation. Locks it until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"inv">) =>
  sql<Row>`SELECT ${columns(sql)} FROM invitations
    WHERE organization_id = ${organizationId} AND id = ${id} FOR UPDATE`.pipe(Effect.map((rows) => rows[0]))

const lifetime = "7 days"

/** Invites an email address. A pending invitation to it is renewed instead, and its old link stops working. */
export const put = (
  sql: Sql,
  organizationId: Id<"org">,
  invitation: {
    readonly id: Id<"inv">
    readonly email: string
    readonly role: string
    readonly teamIds: ReadonlyArray<Id<"tem">>
    readonly tokenDigest: Uint8Array
    readonly createdBy: Id<"om"> | null
  }
) =>
  sql<Row>`INSERT INTO invitations (organization_id, id, email, role, team_ids_json, token_digest,
      created_by_membership_id, created_at, expires_at)
    VALUES (${organizationId}, ${invitation.id}, ${invitation.email}, ${invitation.role},
      ${sql.json(invitation.teamIds)}, ${invitation.tokenDigest}, ${invitation.createdBy}, now(),
      now() + ${lifetime}::interval)
    ON CONFLICT (organization_id, email) WHERE accepted_at IS NULL AND cancelled_at IS NULL
    DO UPDATE SET role = excluded.role, team_ids_json = excluded.team_ids_json, token_digest = excluded.token_digest,
      created_by_membership_id = excluded.created_by_membership_id, expires_at = excluded.expires_at
    RETURNING ${columns(sql)}`.pipe(Effect.flatMap(([row]) => expectRow(row, "invitation")))

export const renew = (sql: Sql, organizationId: Id<"org">, id: Id<"inv">, tokenDigest: Uint8Array) =>
  sql<Row>`UPDATE invitations SET token_digest = ${tokenDigest}, expires_at = now() + ${lifetime}::interval
    WHERE organization_id = ${organizationId} AND id = ${id} RETURNING ${columns(sql)}`.pipe(
    Effect.flatMap(([row]) => expectRow(row, "invitation"))
  )

export const cancel = (sql: Sql, organizationId: Id<"org">, id: Id<"inv">) =>
  sql<Row>`UPDATE invitations SET cancelled_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} RETURNING ${columns(sql)}`.pipe(
    Effect.flatMap(([row]) => expectRow(row, "invitation"))
  )

/** Whether an email address belongs to a member, as their own or as the host application reports it. */
export const isMembers = (sql: Sql, organizationId: Id<"org">, email: string) =>
  sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.organization_id = ${organizationId} AND m.removed_at IS NULL
      AND (lower(u.email) = ${email}
        OR EXISTS (SELECT 1 FROM user_subjects s WHERE s.user_id = u.id AND lower(s.email) = ${email}))) AS exists`.pipe(
    Effect.map((rows) => rows[0]?.exists === true)
  )

export const liveTeams = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"tem">>) =>
  sql<{ id: Id<"tem"> }>`SELECT id FROM teams
    WHERE organization_id = ${organizationId} AND removed_at IS NULL
      AND id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))`.pipe(
    Effect.map((rows) => new Set(rows.map((row) => row.id)))
  )

/** Adds a new member to those teams of the invitation that still exist and are not SCIM groups. */
export const joinTeams = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">, ids: ReadonlyArray<Id<"tem">>) =>
  sql`INSERT INTO team_members (organization_id, team_id, membership_id)
    SELECT t.organization_id, t.id, ${membershipId} FROM teams t
    WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL
      AND t.id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))
      AND NOT EXISTS (SELECT 1 FROM scim_groups g
        WHERE g.organization_id = t.organization_id AND g.id = t.id AND g.removed_at IS NULL)
    ORDER BY t.id FOR SHARE OF t
    ON CONFLICT DO NOTHING`

/** An invitation is looked up by its secret; the invitation determines the organization. */
export const findByToken = (sql: Sql, tokenDigest: Uint8Array) =>
  sql<{ organization_name: string; email: string; role: string; expires_at: Date }>`SELECT
      o.name AS organization_name, i.email, i.role, i.expires_at
    FROM invitations i JOIN organizations o ON o.id = i.organization_id AND o.deleted_at IS NULL
      AND (o.provisional_until IS NULL OR o.provisional_until > now())
    WHERE i.token_digest = ${tokenDigest} AND i.accepted_at IS NULL AND i.cancelled_at IS NULL
      AND i.expires_at > now()`.pipe(Effect.map((rows) => rows[0]))

/** Uses up an invitation in the transaction that acts on it: only one of two concurrent requests finds it. */
export const take = (sql: Sql, tokenDigest: Uint8Array, membershipId: Id<"om">) =>
  sql<{
    organization_id: Id<"org">
    id: Id<"inv">
    email: string
    role: string
    team_ids_json: ReadonlyArray<Id<"tem">>
  }>`UPDATE invitations i SET accepted_at = now(), membership_id = ${membershipId}
    FROM organizations o
    WHERE i.token_digest = ${tokenDigest} AND i.accepted_at IS NULL AND i.cancelled_at IS NULL
      AND i.expires_at > now() AND o.id = i.organization_id AND o.deleted_at IS NULL
      AND (o.provisional_until IS NULL OR o.provisional_until > now())
    RETURNING i.organization_id, i.id, i.email, i.role, i.team_ids_json`.pipe(Effect.map((rows) => rows[0]))
