import type { Id } from "@orgplane/schema/shared/ids"
import { sha256 } from "../crypto/digest.ts"
import type { Sql } from "../sql/client.ts"
import { texts } from "../sql/texts.ts"

const action = "access.refuse"

/** A principal of an organization, or `anonymous`. */
export interface Refused {
  readonly organizationId: Id<"org">
  readonly kind: "session" | "key" | "worker" | "directory" | "anonymous"
  readonly id: string | null
  readonly credential: string | null
}

/** An audit event of refused requests, as it is written. */
export interface Row {
  readonly id: Id<"aud">
  readonly organization_id: Id<"org">
  readonly actor_kind: Refused["kind"]
  readonly actor_id: string | null
  readonly credential_id: string | null
  readonly address: string
  readonly user_agent: string | null
  readonly after_json: object
  readonly payload_digest: string
}

export const rowOf = (event: {
  readonly id: Id<"aud">
  readonly subject: Refused
  readonly address: string
  readonly userAgent: string | null
  readonly after: object
}): Row => ({
  id: event.id,
  organization_id: event.subject.organizationId,
  actor_kind: event.subject.kind,
  actor_id: event.subject.id,
  credential_id: event.subject.credential,
  address: event.address,
  user_agent: event.userAgent,
  after_json: event.after,
  payload_digest: sha256(JSON.stringify([action, null, null, event.after]))
})

/** Writes events of several organizations in one statement, except those of deleted organizations, and those it has written. */
export const write = (sql: Sql, rows: ReadonlyArray<Row>) =>
  sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, actor_id, credential_id, target_id, request_id,
      address, user_agent, before_json, after_json, payload_digest, created_at)
    SELECT r.id, o.id, ${action}, r.actor_kind, r.actor_id, r.credential_id, NULL, NULL, r.address, r.user_agent, NULL,
      r.after_json, r.payload_digest, now()
    FROM jsonb_to_recordset(${sql.json(rows)}) AS r(id text, organization_id text, actor_kind text, actor_id text,
      credential_id text, address text, user_agent text, after_json jsonb, payload_digest text)
    JOIN organizations o ON o.id = r.organization_id AND o.deleted_at IS NULL
    WHERE NOT EXISTS (SELECT 1 FROM audit_events e WHERE e.organization_id = r.organization_id AND e.id = r.id)`

export interface EndedRow {
  readonly digest: string
  readonly organization_id: Id<"org">
  readonly kind: "key" | "worker" | "directory"
  readonly id: string
  readonly credential_id: string
  /** `credential_revoked` or `credential_expired`. */
  readonly reason: string
}

/** Credentials that were revoked or have expired, by the hexadecimal digests of their tokens. */
export const endedCredentials = (sql: Sql, digests: ReadonlyArray<string>) =>
  sql<EndedRow>`WITH wanted AS (SELECT decode(d, 'hex') AS digest FROM unnest(${texts(digests)}::text[]) d),
    ended AS (
      SELECT k.token_digest AS digest, k.organization_id, 'key' AS kind, k.id, k.id AS credential_id, k.revoked_at,
        k.expires_at
      FROM wanted w JOIN api_keys k ON k.token_digest = w.digest
      UNION ALL
      SELECT t.token_digest, t.organization_id, 'worker', t.worker_id, t.id, t.revoked_at, t.expires_at
      FROM wanted w JOIN worker_tokens t ON t.token_digest = w.digest
      UNION ALL
      SELECT t.token_digest, t.organization_id, 'directory', t.directory_id, t.id, t.revoked_at, t.expires_at
      FROM wanted w JOIN scim_tokens t ON t.token_digest = w.digest)
    SELECT encode(e.digest, 'hex') AS digest, e.organization_id, e.kind, e.id, e.credential_id,
      CASE WHEN e.revoked_at IS NULL THEN 'credential_expired' ELSE 'credential_revoked' END AS reason
    FROM ended e WHERE e.revoked_at IS NOT NULL OR e.expires_at <= now()`

/** The memberships of the users with these verified email addresses, which are in lower case. */
export const membersByEmail = (sql: Sql, emails: ReadonlyArray<string>) =>
  sql<{
    email: string
    organization_id: Id<"org">
    membership_id: Id<"om">
  }>`SELECT lower(u.email) AS email, m.organization_id, m.id AS membership_id
    FROM users u JOIN memberships m ON m.user_id = u.id AND m.removed_at IS NULL
    WHERE lower(u.email) = ANY(${texts(emails)}::text[]) AND u.email_verified AND u.deleted_at IS NULL`
