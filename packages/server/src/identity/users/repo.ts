import type { Id } from "@orgplane/schema/shared/ids"
import type { User } from "@orgplane/schema/users"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { read } from "../../infra/sql/read.ts"
import { iso } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly id: Id<"usr">
  readonly email: string | null
  readonly email_verified: boolean
  readonly name: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) => sql.literal("id, email, email_verified, name, created_at, updated_at")

/** The email address is the user's own, or the one that the host application reports in this request. */
export const toWire = (row: Row, vouched: string | null = null): User => ({
  id: row.id,
  email: row.email ?? vouched,
  emailVerified: row.email === null ? vouched !== null : row.email_verified,
  name: row.name,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

/** Users do not belong to an organization, so they are looked up by ID only. */
const readUser = read<Row, { readonly id: Id<"usr"> }>(
  (sql, { id }) => sql<Row>`SELECT ${columns(sql)} FROM users WHERE id = ${id} AND deleted_at IS NULL`
)

export const find = (sql: Sql, id: Id<"usr">) => Effect.map(readUser(sql, { id }), (rows) => rows[0])

/** The user. Locks the row until the transaction ends. */
export const lock = (sql: Sql, id: Id<"usr">) =>
  sql<Row>`SELECT ${columns(sql)} FROM users WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

export const rename = (sql: Sql, id: Id<"usr">, name: string | null) =>
  sql<Row>`UPDATE users SET name = ${name}, updated_at = now() WHERE id = ${id} AND deleted_at IS NULL
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** The user with an email address, verified or not. Locks the row. */
export const findByEmail = (sql: Sql, email: string) =>
  sql<Row>`SELECT ${columns(sql)} FROM users WHERE lower(email) = lower(${email}) AND deleted_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The user with a verified email address, created on first use. */
export const verifiedUser = (sql: Sql, id: Id<"usr">, email: string) =>
  sql<Row>`INSERT INTO users (id, email, email_verified, created_at, updated_at)
    VALUES (${id}, ${email}, true, now(), now())
    ON CONFLICT (lower(email)) WHERE email IS NOT NULL AND deleted_at IS NULL
    DO UPDATE SET email_verified = true,
      updated_at = CASE WHEN users.email_verified THEN users.updated_at ELSE now() END
    RETURNING ${columns(sql)}`.pipe(Effect.flatMap(([row]) => expectRow(row, "user")))

/** The subjects by which host applications identify the user. */
export const listSubjects = (sql: Sql, userId: Id<"usr">, after: string, limit: number) =>
  sql<{ subject: string; email: string | null }>`SELECT subject, email FROM user_subjects
    WHERE user_id = ${userId} AND subject > ${after} ORDER BY subject LIMIT ${limit}`

export interface MembershipRow {
  readonly membership_id: Id<"om">
  readonly role: string
  readonly id: Id<"org">
  readonly name: string
  readonly plan: string
  readonly provisional_until: Date | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
  /** The organization requires single sign-on, so a session created with an email code cannot access it. */
  readonly closed_to_mailed: boolean
}

const live = (sql: Sql) =>
  sql.literal(`o.deleted_at IS NULL AND (o.provisional_until IS NULL OR o.provisional_until > now())`)

interface OrganizationsRead {
  readonly userId: Id<"usr">
  readonly organizationId: Id<"org"> | null
  readonly after: string | null
  readonly limit: number
}

const readOrganizations = read<MembershipRow, OrganizationsRead>(
  (sql, { after, limit, organizationId, userId }) =>
    sql<MembershipRow>`SELECT m.id AS membership_id, m.role, o.id, o.name, o.plan, o.provisional_until, o.version,
      o.created_at, o.updated_at, coalesce(c.enforced, false)
        AND NOT (m.role = 'owner' AND jsonb_exists(c.break_glass_json, m.id)) AS closed_to_mailed
    FROM memberships m JOIN organizations o ON o.id = m.organization_id AND ${live(sql)}
    LEFT JOIN sso_connections c ON c.organization_id = m.organization_id
    WHERE m.user_id = ${userId} AND m.removed_at IS NULL
      AND (${organizationId}::text IS NULL OR m.organization_id = ${organizationId})
      AND (${after}::text IS NULL OR m.id < ${after})
    ORDER BY m.id DESC LIMIT ${limit}`
)

/** A user's live memberships with their organizations: all, or the one in an organization. */
export const listOrganizations = (
  sql: Sql,
  userId: Id<"usr">,
  organizationId: Id<"org"> | null,
  after: string | null,
  limit: number
) => readOrganizations(sql, { userId, organizationId, after, limit })

/** Every membership, also in expired workspaces, in the order in which organizations are locked. */
export const listMemberships = (sql: Sql, userId: Id<"usr">) =>
  sql<{ id: Id<"om">; organization_id: Id<"org">; role: string }>`SELECT m.id, m.organization_id, m.role
    FROM memberships m WHERE m.user_id = ${userId} AND m.removed_at IS NULL ORDER BY m.organization_id`

/** Erases the personal data of a user. The row stays, because audit events refer to it. */
export const erase = (sql: Sql, id: Id<"usr">) =>
  Effect.gen(function* () {
    // A connection shows who last tested it.
    yield* sql`UPDATE sso_connections c SET version = c.version + 1,
        last_test_json = c.last_test_json || '{"subject":null,"email":null}'::jsonb
      FROM memberships m JOIN users u ON u.id = m.user_id
      WHERE m.user_id = ${id} AND c.organization_id = m.organization_id AND c.last_test_json->>'email' = u.email`
    yield* sql`UPDATE users SET email = NULL, email_verified = false, name = NULL, updated_at = now(),
      deleted_at = now() WHERE id = ${id}`
    yield* sql`DELETE FROM user_subjects WHERE user_id = ${id}`
    yield* sql`DELETE FROM sso_identities WHERE user_id = ${id}`
    // The email address is in the invitation that the user accepted, but not in a pending one: someone who joins later
    // is new.
    yield* sql`UPDATE invitations i SET email = 'removed@invalid' FROM memberships m
      WHERE m.user_id = ${id} AND i.organization_id = m.organization_id AND i.membership_id = m.id`
  })
