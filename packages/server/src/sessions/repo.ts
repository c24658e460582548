import type { Session } from "@orgplane/schema/sessions"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../sql/client.ts"
import { iso } from "../sql/timestamps.ts"

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

/** A person's sessions belong to the person, so they are found by user, not within an organization. */
export const list = (sql: Sql, userId: Id<"usr">, after: string | null, limit: number) =>
  sql<Row>`SELECT ${columns(sql)} FROM sessions
    WHERE user_id = ${userId} AND revoked_at IS NULL AND expires_at > now()
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
  }
) =>
  sql<Row>`INSERT INTO sessions (id, token_digest, user_id, organization_id, kind, created_at, expires_at)
    VALUES (${session.id}, ${session.tokenDigest}, ${session.userId}, ${session.organizationId}, ${session.kind},
      now(), now() + make_interval(secs => ${session.lifetimeSeconds}))
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const revoke = (sql: Sql, userId: Id<"usr">, id: string) =>
  sql<{ id: string }>`UPDATE sessions SET revoked_at = now()
    WHERE user_id = ${userId} AND id = ${id} AND revoked_at IS NULL RETURNING id`.pipe(
    Effect.map((rows) => rows.length === 1)
  )
