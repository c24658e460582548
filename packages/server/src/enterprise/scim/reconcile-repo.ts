import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"

const counted = Effect.map((rows: ReadonlyArray<unknown>) => rows.length)

/** The domains that the organization has verified. Locks them until the transaction ends. */
export const domains = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ domain: string }>`SELECT domain FROM domains
    WHERE organization_id = ${organizationId} AND status = 'verified' AND removed_at IS NULL FOR SHARE`.pipe(
    Effect.map((rows) => new Set(rows.map(({ domain }) => domain)))
  )

export interface Record {
  readonly id: Id<"scu">
  readonly user_name: string
  readonly emails: unknown
  readonly user_id: Id<"usr">
  readonly membership_id: Id<"om"> | null
  /** The user has an email address of their own. */
  readonly has_address: boolean
  readonly is_gone: boolean
}

/** Active SCIM users whose user has no email address or no membership, or was deleted. */
export const unlinkedUsers = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">) =>
  sql<Record>`SELECT u.id, u.user_name, u.resource_json -> 'emails' AS emails, u.user_id, u.membership_id,
      p.email IS NOT NULL AS has_address, p.deleted_at IS NOT NULL AS is_gone
    FROM scim_users u JOIN users p ON p.id = u.user_id
    WHERE u.organization_id = ${organizationId} AND u.directory_id = ${directoryId} AND u.active
      AND u.removed_at IS NULL AND (p.email IS NULL OR u.membership_id IS NULL)
    ORDER BY u.id`

/** Which of these email addresses belong to a user. */
export const taken = (sql: Sql, emails: ReadonlyArray<string>) =>
  sql<{ email: string }>`SELECT lower(email) AS email FROM users
    WHERE lower(email) IN (SELECT jsonb_array_elements_text(${sql.json(emails)})) AND deleted_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => new Set(rows.map(({ email }) => email)))
  )

/** Sets email addresses of users who have none. The addresses must be free. */
export const giveAddresses = (
  sql: Sql,
  people: ReadonlyArray<{ readonly userId: Id<"usr">; readonly email: string }>
) =>
  sql`UPDATE users p SET email = r.email, email_verified = true, updated_at = now()
    FROM jsonb_to_recordset(${sql.json(people)}) AS r("userId" text, email text)
    WHERE p.id = r."userId" AND p.email IS NULL AND p.deleted_at IS NULL RETURNING 1 AS one`.pipe(counted)

/** A user's membership, and whether another SCIM user has it. */
export const membershipOf = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">, scimUserId: Id<"scu">) =>
  sql<{ id: Id<"om">; is_taken: boolean }>`SELECT m.id,
      EXISTS (SELECT 1 FROM scim_users o WHERE o.organization_id = m.organization_id AND o.membership_id = m.id
        AND o.removed_at IS NULL AND o.id <> ${scimUserId}) AS is_taken
    FROM memberships m
    WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId} AND m.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export const roleOf = (sql: Sql, organizationId: Id<"org">, id: Id<"om">) =>
  sql<{ role: string }>`SELECT role FROM memberships
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0]?.role)
  )

export const assign = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"scu">,
  userId: Id<"usr">,
  membershipId: Id<"om"> | null
) =>
  sql`UPDATE scim_users SET user_id = ${userId}, membership_id = ${membershipId}
    WHERE organization_id = ${organizationId} AND id = ${id}`

/**
 * Live memberships that the directory has ended, except those that are held for approval or that another SCIM user
 * needs.
 */
export const endedMemberships = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">) =>
  sql<{ membership_id: Id<"om"> }>`SELECT u.membership_id FROM scim_users u
    WHERE u.organization_id = ${organizationId} AND u.directory_id = ${directoryId} AND u.membership_id IS NOT NULL
      AND (NOT u.active OR u.removed_at IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM scim_held_users x
        JOIN scim_holds h ON h.organization_id = x.organization_id AND h.id = x.hold_id AND h.status = 'pending'
        WHERE x.organization_id = u.organization_id AND x.scim_user_id = u.id)
      AND NOT EXISTS (SELECT 1 FROM scim_users o
        WHERE o.organization_id = u.organization_id AND o.membership_id = u.membership_id AND o.id <> u.id
          AND o.active AND o.removed_at IS NULL)`.pipe(Effect.map((rows) => rows.map((row) => row.membership_id)))

export const joinTeams = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">) =>
  sql`INSERT INTO team_members (organization_id, team_id, membership_id)
    SELECT g.organization_id, g.id, u.membership_id
    FROM scim_group_members gm
    JOIN scim_groups g ON g.organization_id = gm.organization_id AND g.id = gm.group_id AND g.removed_at IS NULL
    JOIN teams t ON t.organization_id = g.organization_id AND t.id = g.id AND t.removed_at IS NULL
    JOIN scim_users u ON u.organization_id = gm.organization_id AND u.id = gm.scim_user_id AND u.active
      AND u.removed_at IS NULL
    JOIN memberships m ON m.organization_id = u.organization_id AND m.id = u.membership_id AND m.removed_at IS NULL
    WHERE gm.organization_id = ${organizationId} AND g.directory_id = ${directoryId}
    ON CONFLICT DO NOTHING RETURNING 1 AS one`.pipe(counted)

export const leaveTeams = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">) =>
  sql`DELETE FROM team_members tm USING scim_groups g
    WHERE tm.organization_id = ${organizationId} AND g.organization_id = tm.organization_id AND g.id = tm.team_id
      AND g.directory_id = ${directoryId} AND g.removed_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM scim_group_members gm
        JOIN scim_users u ON u.organization_id = gm.organization_id AND u.id = gm.scim_user_id
        WHERE gm.organization_id = g.organization_id AND gm.group_id = g.id AND u.membership_id = tm.membership_id)
    RETURNING 1 AS one`.pipe(counted)

/** SCIM users with a live membership. */
export const withMembership = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">) =>
  sql<{ id: Id<"scu"> }>`SELECT id FROM scim_users
    WHERE organization_id = ${organizationId} AND directory_id = ${directoryId} AND removed_at IS NULL
      AND membership_id IS NOT NULL`.pipe(Effect.map((rows) => rows.map(({ id }) => id)))
