import type { Session } from "@orgplane/schema/sessions"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { boundKinds, endingKinds } from "../auth/sessions.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { read } from "../../infra/sql/read.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly id: Id<"ses">
  readonly user_id: Id<"usr">
  readonly organization_id: Id<"org"> | null
  readonly kind: Session["kind"]
  readonly created_at: Date
  readonly expires_at: Date
}

const columns = (sql: Sql) => sql.literal("id, user_id, organization_id, kind, created_at, expires_at")

export const toWire =
  (current: string | null) =>
  (row: Row): Session => ({
    id: row.id,
    userId: row.user_id,
    organizationId: row.organization_id,
    kind: row.kind,
    current: row.id === current,
    createdAt: iso(row.created_at),
    expiresAt: iso(row.expires_at)
  })

/**
 * Sessions belong to a user, not to an organization. A session that is bound to an organization sees only sessions
 * that are bound to the same one.
 */
const ofPerson = (sql: Sql, userId: Id<"usr">, boundTo: Id<"org"> | null) =>
  sql`user_id = ${userId} AND revoked_at IS NULL AND expires_at > now()
      AND (${boundTo}::text IS NULL OR organization_id = ${boundTo}
        AND kind IN (SELECT jsonb_array_elements_text(${sql.json(boundKinds)})))`

export const list = (sql: Sql, userId: Id<"usr">, boundTo: Id<"org"> | null, after: string | null, limit: number) =>
  sql<Row>`SELECT ${columns(sql)} FROM sessions
    WHERE ${ofPerson(sql, userId, boundTo)}
      AND (${after}::text IS NULL OR id < ${after})
    ORDER BY id DESC LIMIT ${limit}`

export const create = (
  sql: Sql,
  session: {
    readonly id: Id<"ses">
    readonly tokenDigest: Uint8Array
    readonly userId: Id<"usr">
    readonly organizationId: Id<"org"> | null
    readonly kind: Session["kind"]
    readonly lifetimeSeconds: number
    /** The API key that creates it. The session is valid as long as the key may create sessions. */
    readonly mintedBy?: Id<"key"> | null
  }
) =>
  sql<Row>`INSERT INTO sessions (id, token_digest, user_id, organization_id, kind, minted_by_key_id, created_at,
      expires_at)
    VALUES (${session.id}, ${session.tokenDigest}, ${session.userId}, ${session.organizationId}, ${session.kind},
      ${session.mintedBy ?? null}, now(), now() + make_interval(secs => ${session.lifetimeSeconds}))
    RETURNING ${columns(sql)}`.pipe(Effect.flatMap(([row]) => expectRow(row, "session")))

export const revoke = (sql: Sql, userId: Id<"usr">, boundTo: Id<"org"> | null, id: string) =>
  sql<Row>`UPDATE sessions SET revoked_at = now()
    WHERE id = ${id} AND ${ofPerson(sql, userId, boundTo)} RETURNING ${columns(sql)}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Signs a user out everywhere. */
export const revokeAll = (sql: Sql, userId: Id<"usr">) =>
  sql`UPDATE sessions SET revoked_at = now() WHERE user_id = ${userId} AND revoked_at IS NULL`

/**
 * Called when these users, or all, are no longer members of an organization. Sessions created for it are revoked, and
 * other sessions no longer select it. Users stay signed in for their other organizations.
 */
export const leaveOrganization = (sql: Sql, organizationId: Id<"org">, userIds: ReadonlyArray<Id<"usr">> | null) =>
  Effect.gen(function* () {
    const theirs =
      userIds === null ? sql`` : sql`AND user_id IN (SELECT jsonb_array_elements_text(${sql.json(userIds)}))`
    yield* sql`UPDATE sessions SET revoked_at = now()
      WHERE organization_id = ${organizationId} ${theirs}
        AND revoked_at IS NULL AND kind IN (SELECT jsonb_array_elements_text(${sql.json(endingKinds)}))`
    yield* sql`UPDATE sessions SET organization_id = NULL
      WHERE organization_id = ${organizationId} ${theirs} AND revoked_at IS NULL`
  })

/** The live sessions of a user that select an organization: those that `leaveOrganization` changes. */
export const countIn = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM sessions
    WHERE organization_id = ${organizationId} AND user_id = ${userId} AND revoked_at IS NULL
      AND expires_at > now()`.pipe(Effect.map((rows) => rows[0]?.count ?? 0))

/** Selects the organization of a session; false when there is no such live session, or it is bound. */
export const selectOrganization = (sql: Sql, id: Id<"ses">, organizationId: Id<"org">, onlyIfNone: boolean) =>
  sql<{ id: string }>`UPDATE sessions SET organization_id = ${organizationId}
    WHERE id = ${id} AND revoked_at IS NULL AND expires_at > now()
      AND kind NOT IN (SELECT jsonb_array_elements_text(${sql.json(boundKinds)}))
      AND (NOT ${onlyIfNone} OR organization_id IS NULL)
    RETURNING id`.pipe(Effect.map((rows) => rows.length === 1))

const readSelectedOrganization = read<{ readonly organization_id: Id<"org"> | null }, { readonly id: Id<"ses"> }>(
  (sql, { id }) => sql`SELECT organization_id FROM sessions WHERE id = ${id}`
)

export const selectedOrganization = (sql: Sql, id: Id<"ses">) =>
  Effect.map(readSelectedOrganization(sql, { id }), (rows) => rows[0]?.organization_id ?? null)

const triesMax = 5

/** Stores a new code for an email address. The previous one stops working. */
export const putChallenge = (
  sql: Sql,
  challenge: { readonly id: string; readonly email: string; readonly codeDigest: Uint8Array }
) =>
  sql<{ expires_at: Date }>`INSERT INTO sign_in_challenges (email, id, code_digest, tries, created_at, expires_at)
    VALUES (${challenge.email}, ${challenge.id}, ${challenge.codeDigest}, 0, now(), now() + interval '10 minutes')
    ON CONFLICT (email) DO UPDATE SET id = excluded.id, code_digest = excluded.code_digest, tries = 0,
      created_at = excluded.created_at, expires_at = excluded.expires_at, used_at = NULL
    RETURNING expires_at`.pipe(
    Effect.flatMap(([row]) => expectRow(row, "sign-in code")),
    Effect.map((row) => row.expires_at)
  )

/** Uses one attempt. It counts regardless of the outcome, so call it outside of transactions. */
export const spendTry = (sql: Sql, id: string) =>
  sql<{ email: string; code_digest: Uint8Array }>`UPDATE sign_in_challenges SET tries = tries + 1
    WHERE id = ${id} AND used_at IS NULL AND expires_at > now() AND tries < ${triesMax}
    RETURNING email, code_digest`.pipe(Effect.map((rows) => rows[0]))

/** Uses up the code in the transaction that signs in with it: only one of two concurrent requests finds it. */
export const takeChallenge = (sql: Sql, id: string) =>
  sql<{ email: string }>`UPDATE sign_in_challenges SET used_at = now()
    WHERE id = ${id} AND used_at IS NULL AND expires_at > now() RETURNING email`.pipe(Effect.map((rows) => rows[0]))

export const forgetChallenge = (sql: Sql, email: string) =>
  sql`DELETE FROM sign_in_challenges WHERE email = lower(${email})`

/** A membership, and its organization. */
export interface OrganizationRow {
  readonly id: Id<"om">
  readonly organization_id: Id<"org">
}

/** The organizations of a user, up to a number. */
export const organizationsOf = (sql: Sql, userId: Id<"usr">, limit: number) =>
  sql<OrganizationRow>`SELECT m.id, m.organization_id
    FROM memberships m JOIN organizations o ON o.id = m.organization_id AND o.deleted_at IS NULL
    WHERE m.user_id = ${userId} AND m.removed_at IS NULL ORDER BY m.id LIMIT ${limit}`

/** The live membership of a user of the host application. */
export const findMemberBySubject = (sql: Sql, organizationId: Id<"org">, subject: string) =>
  sql<{ id: Id<"om">; user_id: Id<"usr"> }>`SELECT m.id, m.user_id
    FROM memberships m JOIN user_subjects s ON s.user_id = m.user_id
    WHERE m.organization_id = ${organizationId} AND s.subject = ${subject} AND m.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Whether the session was created with a code sent to the user's own email address. */
export const isByEmail = (sql: Sql, id: Id<"ses">) =>
  sql<{ one: number }>`SELECT 1 AS one FROM sessions WHERE id = ${id} AND kind = 'email'`.pipe(
    Effect.map((rows) => rows.length === 1)
  )
