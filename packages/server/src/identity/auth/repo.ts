import type { Session } from "@orgplane/schema/sessions"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { read } from "../../infra/sql/read.ts"
import { slidingKinds } from "./sessions.ts"

interface SessionRow {
  readonly id: Id<"ses">
  readonly user_id: Id<"usr">
  readonly organization_id: Id<"org"> | null
  readonly kind: Session["kind"]
  readonly minted_by_key_id: Id<"key"> | null
  readonly expires_at: Date
  readonly verified_email: string | null
  readonly created_at: Date
  /** The session has a sliding expiration and was not extended in the last day. */
  readonly is_due: boolean
}

const lifetime = "30 days"
/** A session in use is extended at most once a day. */
const extendBelow = "29 days"

/** A session, and the live membership of its user in the session's own organization; null if there is none. */
export interface SessionWithMembership extends SessionRow {
  readonly membership: MembershipRow | null
}

/** An API key `k` that can be used. */
const isUsableKey = "k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())"
/** An API key `k` whose sessions can be used. */
const mintsSessions = `${isUsableKey} AND jsonb_exists(k.permissions_json, 'sessions:mint')`
/** A session `s` that has not ended, with the key `k` that created it, if one did. */
const isLiveSession =
  "s.revoked_at IS NULL AND s.expires_at > now() AND (s.minted_by_key_id IS NULL OR k.id IS NOT NULL)"

/** The columns of a membership `m`, for `membershipFrom`. */
const membershipColumns = `m.role, r.permissions_json AS role_permissions, o.plan,
      o.provisional_until IS NOT NULL AS provisional,
      o.configuration_modes IS NOT NULL AS has_managed_objects, coalesce(c.enforced, false) AS sso_enforced,
      m.role = 'owner' AND coalesce(jsonb_exists(c.break_glass_json, m.id), false) AS breaks_glass`

/** Joins of a live membership `m` in an organization that exists. */
const membershipJoins = `LEFT JOIN sso_connections c ON c.organization_id = m.organization_id
    LEFT JOIN roles r ON r.organization_id = m.organization_id AND r.id = m.role AND r.removed_at IS NULL
    JOIN organizations o ON o.id = m.organization_id AND o.deleted_at IS NULL
      AND (o.provisional_until IS NULL OR o.provisional_until > now())`

type JoinedRow = SessionRow & { readonly membership_id: Id<"om"> | null } & Omit<
    MembershipRow,
    "id" | "organization_id"
  >

const readSession = read<JoinedRow, { readonly tokenDigest: Uint8Array }>(
  (sql, { tokenDigest }) => sql<JoinedRow>`SELECT s.id, s.user_id, s.organization_id, s.kind, s.minted_by_key_id,
      s.created_at, least(s.expires_at, k.expires_at) AS expires_at,
      s.kind IN (SELECT jsonb_array_elements_text(${sql.json(slidingKinds)}))
        AND s.expires_at < now() + ${extendBelow}::interval AS is_due,
      CASE WHEN u.email_verified THEN u.email END AS verified_email,
      x.membership_id, x.role, x.role_permissions, x.plan, x.provisional, x.has_managed_objects, x.sso_enforced, x.breaks_glass
    FROM sessions s JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL
    LEFT JOIN api_keys k ON k.organization_id = s.organization_id AND k.id = s.minted_by_key_id
      AND ${sql.literal(mintsSessions)}
    LEFT JOIN LATERAL (SELECT m.id AS membership_id, ${sql.literal(membershipColumns)}
      FROM memberships m ${sql.literal(membershipJoins)}
      WHERE m.user_id = s.user_id AND m.organization_id = s.organization_id AND m.removed_at IS NULL
      ORDER BY m.id LIMIT 2) x ON TRUE
    WHERE s.token_digest = ${tokenDigest} AND ${sql.literal(isLiveSession)}`
)

/**
 * The live session of a token, in one statement. Sessions are looked up by the digest of their token, not within an
 * organization.
 */
export const findSession = (sql: Sql, tokenDigest: Uint8Array) =>
  Effect.map(readSession(sql, { tokenDigest }), ([row, ...others]): SessionWithMembership | undefined => {
    if (row === undefined) return undefined
    const { membership_id: id, organization_id: organizationId } = row
    const isMember = id !== null && organizationId !== null && others.length === 0
    return { ...row, membership: isMember ? { ...row, id, organization_id: organizationId } : null }
  })

/** Whether a session that was found earlier has not ended. */
export const hasSession = (sql: Sql, id: Id<"ses">) =>
  sql`SELECT 1 AS one FROM sessions s
    LEFT JOIN api_keys k ON k.organization_id = s.organization_id AND k.id = s.minted_by_key_id
      AND ${sql.literal(mintsSessions)}
    WHERE s.id = ${id} AND ${sql.literal(isLiveSession)}`.pipe(Effect.map((rows) => rows.length > 0))

/** Makes a session last as long as a new one. */
export const extendSession = (sql: Sql, id: Id<"ses">) =>
  sql<{ expires_at: Date }>`UPDATE sessions SET expires_at = now() + ${lifetime}::interval
    WHERE id = ${id} AND revoked_at IS NULL AND expires_at > now()
    RETURNING expires_at`.pipe(Effect.map((rows) => rows[0]?.expires_at))

export interface MembershipRow {
  readonly id: Id<"om">
  readonly organization_id: Id<"org">
  readonly role: string
  /** The permissions of a custom role; null for a built-in one. */
  readonly role_permissions: ReadonlyArray<string> | null
  readonly plan: string
  readonly provisional: boolean
  readonly has_managed_objects: boolean
  /** The organization requires single sign-on for its members. */
  readonly sso_enforced: boolean
  /** The member is an owner who may sign in with an email code despite enforced single sign-on. */
  readonly breaks_glass: boolean
}

/** A user's live memberships: in one organization, or in all. */
export const memberships = (sql: Sql, userId: Id<"usr">, organizationId: Id<"org"> | null) =>
  sql<MembershipRow>`SELECT m.id, m.organization_id, ${sql.literal(membershipColumns)}
    FROM memberships m ${sql.literal(membershipJoins)}
    WHERE m.user_id = ${userId} AND m.removed_at IS NULL
      AND (${organizationId}::text IS NULL OR m.organization_id = ${organizationId})
    ORDER BY m.id LIMIT 2`

/** A live membership by its ID. */
export const membershipOf = (sql: Sql, organizationId: Id<"org">, id: Id<"om">) =>
  sql<MembershipRow & { readonly user_id: Id<"usr"> }>`SELECT m.id, m.organization_id, m.user_id,
      ${sql.literal(membershipColumns)}
    FROM memberships m ${sql.literal(membershipJoins)}
    WHERE m.organization_id = ${organizationId} AND m.id = ${id} AND m.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export interface KeyRow {
  readonly id: Id<"key">
  readonly organization_id: Id<"org">
  readonly permissions_json: ReadonlyArray<string>
  readonly requests_per_minute: number
  readonly plan: string
  readonly provisional: boolean
  readonly has_managed_objects: boolean
  /** When this secret of the key expires: with the key, or with the grace period after a rotation. */
  readonly good_until: Date | null
}

/** The live API key of a secret. Like sessions, keys are looked up by digest; the key determines the organization. */
export const findKey = (sql: Sql, digest: Uint8Array) =>
  sql<KeyRow>`SELECT k.id, k.organization_id, k.permissions_json, k.requests_per_minute, o.plan,
      o.provisional_until IS NOT NULL AS provisional, o.configuration_modes IS NOT NULL AS has_managed_objects,
      CASE WHEN k.token_digest = ${digest} THEN k.expires_at ELSE least(k.previous_usable_until, k.expires_at) END
        AS good_until
    FROM api_keys k
    JOIN organizations o ON o.id = k.organization_id AND o.deleted_at IS NULL
      AND (o.provisional_until IS NULL OR o.provisional_until > now())
    WHERE (k.token_digest = ${digest} OR (k.previous_digest = ${digest} AND k.previous_usable_until > now()))
      AND ${sql.literal(isUsableKey)}`.pipe(Effect.map((rows) => rows[0]))

/** The permissions of an API key that was found earlier; undefined if it has ended. */
export const permissionsOfKey = (sql: Sql, organizationId: Id<"org">, id: Id<"key">) =>
  sql<Pick<KeyRow, "permissions_json">>`SELECT k.permissions_json FROM api_keys k
    JOIN organizations o ON o.id = k.organization_id AND o.deleted_at IS NULL
      AND (o.provisional_until IS NULL OR o.provisional_until > now())
    WHERE k.organization_id = ${organizationId} AND k.id = ${id} AND ${sql.literal(isUsableKey)}`.pipe(
    Effect.map((rows) => rows[0]?.permissions_json)
  )

export interface WorkerRow {
  readonly id: Id<"wkt">
  readonly organization_id: Id<"org">
  readonly worker_id: Id<"wrk">
  readonly created_by_membership_id: Id<"om">
  readonly created_by_user_id: Id<"usr">
  readonly plan: string
  readonly expires_at: Date | null
}

/**
 * The worker of a token, which ends with the membership of the worker's owner. Looked up by digest, like sessions and
 * keys.
 */
export const findWorker = (sql: Sql, digest: Uint8Array) => Effect.map(readWorker(sql, { digest }), (rows) => rows[0])

const readWorker = read<WorkerRow, { readonly digest: Uint8Array }>(
  (
    sql,
    { digest }
  ) => sql<WorkerRow>`SELECT t.id, t.organization_id, t.worker_id, t.created_by_membership_id, t.created_by_user_id,
      t.expires_at, o.plan
    FROM worker_tokens t
    JOIN memberships m ON m.organization_id = t.organization_id AND m.id = t.created_by_membership_id
      AND m.removed_at IS NULL
    JOIN organizations o ON o.id = t.organization_id AND o.deleted_at IS NULL
      AND (o.provisional_until IS NULL OR o.provisional_until > now())
    WHERE t.token_digest = ${digest} AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`
)

export interface DirectoryRow {
  readonly id: Id<"sct">
  readonly organization_id: Id<"org">
  readonly directory_id: Id<"scd">
  readonly plan: string
  readonly expires_at: Date | null
}

/** The directory of a SCIM token. Looked up by digest, like sessions and keys. */
export const findDirectory = (sql: Sql, digest: Uint8Array) =>
  sql<DirectoryRow>`SELECT t.id, t.organization_id, t.directory_id, t.expires_at, o.plan
    FROM scim_tokens t
    JOIN scim_directories d ON d.organization_id = t.organization_id AND d.id = t.directory_id
      AND d.removed_at IS NULL
    JOIN organizations o ON o.id = t.organization_id AND o.deleted_at IS NULL AND o.provisional_until IS NULL
    WHERE t.token_digest = ${digest} AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Records the last use of a directory's token, to the hour, and the directory's last request. */
export const noteDirectoryUse = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">, tokenId: Id<"sct">) =>
  sql`WITH used AS (UPDATE scim_tokens SET last_used_at = date_trunc('hour', now(), 'UTC')
      WHERE organization_id = ${organizationId} AND id = ${tokenId}
        AND (last_used_at IS NULL OR last_used_at < date_trunc('hour', now(), 'UTC')))
    UPDATE scim_directories SET last_request_at = date_trunc('hour', now(), 'UTC')
    WHERE organization_id = ${organizationId} AND id = ${directoryId}
      AND (last_request_at IS NULL OR last_request_at < date_trunc('hour', now(), 'UTC'))`

/** Records that a user was active on a day in UTC, in an organization or in none. */
export const noteDay = (sql: Sql, organizationId: Id<"org"> | "", userId: Id<"usr">, now: Date) =>
  sql`INSERT INTO activity_days (organization_id, day, user_id, is_real, by_app, by_worker)
    VALUES (${organizationId}, (${now}::timestamptz AT TIME ZONE 'UTC')::date, ${userId}, false, false, false)
    ON CONFLICT DO NOTHING`

/** Records the last use of a key, to the hour. */
export const noteKeyUse = (sql: Sql, organizationId: Id<"org">, id: Id<"key">) =>
  sql`UPDATE api_keys SET last_used_at = date_trunc('hour', now(), 'UTC')
    WHERE organization_id = ${organizationId} AND id = ${id}
      AND (last_used_at IS NULL OR last_used_at < date_trunc('hour', now(), 'UTC'))`

/**
 * The user of a host application's subject, created on first use. The email address is shown to other members. Two
 * users are never merged by email address, so the address is stored with the subject, not with the user.
 */
export const userOfSubject = (
  sql: Sql,
  id: Id<"usr">,
  identity: { readonly subject: string; readonly name: string | null; readonly email: string | null }
) =>
  sql<{ user_id: Id<"usr">; has_moved: boolean }>`SELECT user_id, email IS DISTINCT FROM ${identity.email} AS has_moved
    FROM user_subjects WHERE subject = ${identity.subject}`.pipe(
    Effect.flatMap(([existing]) =>
      existing !== undefined
        ? Effect.as(
            // A host that sends no address now does not change it.
            existing.has_moved && identity.email !== null
              ? Effect.asVoid(
                  sql`UPDATE user_subjects SET email = ${identity.email} WHERE subject = ${identity.subject}`
                )
              : Effect.void,
            existing.user_id
          )
        : Effect.gen(function* () {
            yield* sql`INSERT INTO users (id, name, created_at, updated_at) VALUES (${id}, ${identity.name}, now(), now())`
            const [row] = yield* sql<{ user_id: Id<"usr"> }>`INSERT INTO user_subjects AS s (subject, user_id, email)
              VALUES (${identity.subject}, ${id}, ${identity.email})
              ON CONFLICT (subject) DO UPDATE SET subject = excluded.subject RETURNING user_id`
            // Two first requests ran concurrently: the user that was created second is deleted.
            if (row !== undefined && row.user_id !== id) yield* sql`DELETE FROM users WHERE id = ${id}`
            return row?.user_id ?? id
          }).pipe(sql.withTransaction)
    )
  )
