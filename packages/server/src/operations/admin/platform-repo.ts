import type { PlatformOrganization, PlatformUser } from "@orgplane/schema/admin"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import type { Sources } from "./metrics-repo.ts"

/** Organizations that have not been removed, except expired unclaimed workspaces. */
const isActive = (sql: Sql) =>
  sql.literal("o.deleted_at IS NULL AND (o.provisional_until IS NULL OR o.provisional_until > now())")

/** The sources for the whole installation. */
export const ofAll = (sql: Sql): Sources => ({
  organizations: sql`SELECT count(*) AS count FROM organizations o WHERE ${isActive(sql)}`,
  people: sql`SELECT u.id AS user_id, u.created_at AS since, u.email_verified AS verified,
      EXISTS (SELECT 1 FROM memberships m JOIN organizations o ON o.id = m.organization_id AND ${isActive(sql)}
        WHERE m.user_id = u.id AND m.removed_at IS NULL AND m.role IN ('owner', 'admin')) AS is_admin
    FROM users u WHERE u.deleted_at IS NULL`,
  days: sql`SELECT user_id, day, bool_or(is_real) AS is_real FROM activity_days GROUP BY user_id, day`,
  invitations: sql`SELECT m.user_id, i.created_at FROM invitations i
    JOIN memberships m ON m.organization_id = i.organization_id AND m.id = i.created_by_membership_id`,
  workers: sql`SELECT w.created_by_user_id AS user_id, w.destination FROM workers w
    JOIN organizations o ON o.id = w.organization_id AND ${isActive(sql)}
    WHERE w.removed_at IS NULL`
})

export interface UserRow {
  readonly id: Id<"usr">
  readonly name: string | null
  readonly email: string | null
  readonly email_verified: boolean
  readonly organizations: number
  readonly last_day: string | null
  readonly created_at: Date
}

export const userToWire = (row: UserRow): PlatformUser => ({
  id: row.id,
  name: row.name,
  email: row.email,
  emailVerified: row.email_verified,
  organizations: row.organizations,
  lastActiveDay: row.last_day,
  createdAt: iso(row.created_at)
})

export const listUsers = (sql: Sql, q: string | undefined, after: string | null, limit: number) =>
  sql<UserRow>`SELECT u.id, u.name, u.email, u.email_verified, u.created_at,
      (SELECT count(*)::int FROM memberships m JOIN organizations o ON o.id = m.organization_id AND ${isActive(sql)}
        WHERE m.user_id = u.id AND m.removed_at IS NULL) AS organizations,
      (SELECT max(a.day)::text FROM activity_days a WHERE a.user_id = u.id) AS last_day
    FROM users u
    WHERE u.deleted_at IS NULL AND (${after}::text IS NULL OR u.id < ${after})
      AND (${q ?? null}::text IS NULL OR u.name ILIKE ${contains(q)} OR u.email ILIKE ${contains(q)})
    ORDER BY u.id DESC LIMIT ${limit}`

export interface OrganizationRow {
  readonly id: Id<"org">
  readonly name: string
  readonly plan: string
  readonly provisional_until: Date | null
  readonly members: number
  readonly last_day: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

export const organizationToWire = (row: OrganizationRow): PlatformOrganization => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  provisional: row.provisional_until !== null,
  provisionalExpiresAt: isoOrNull(row.provisional_until),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  memberCount: row.members,
  lastActiveDay: row.last_day
})

export const listOrganizations = (sql: Sql, q: string | undefined, after: string | null, limit: number) =>
  sql<OrganizationRow>`SELECT o.id, o.name, o.plan, o.provisional_until, o.created_at, o.updated_at,
      (SELECT count(*)::int FROM memberships m WHERE m.organization_id = o.id AND m.removed_at IS NULL) AS members,
      (SELECT max(a.day)::text FROM activity_days a WHERE a.organization_id = o.id) AS last_day
    FROM organizations o
    WHERE ${isActive(sql)} AND (${after}::text IS NULL OR o.id < ${after})
      AND (${q ?? null}::text IS NULL OR o.name ILIKE ${contains(q)})
    ORDER BY o.id DESC LIMIT ${limit}`

export const setPlan = (sql: Sql, id: Id<"org">, plan: string) =>
  sql`UPDATE organizations SET plan = ${plan}, version = version + 1, updated_at = now()
    WHERE id = ${id} AND deleted_at IS NULL`.pipe(Effect.asVoid)
