import type { Id } from "@orgplane/schema/shared/ids"
import type { User } from "@orgplane/schema/users"
import * as Effect from "effect/Effect"
import type { Sql } from "../sql/client.ts"
import { iso } from "../sql/timestamps.ts"

export interface Row {
  readonly id: Id<"usr">
  readonly email: string | null
  readonly email_verified: boolean
  readonly name: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) => sql.literal("id, email, email_verified, name, created_at, updated_at")

/** A person has an address of theirs, or the one that the host application vouches for in this request. */
export const toWire = (row: Row, vouched: string | null = null): User => ({
  id: row.id,
  email: row.email ?? vouched,
  emailVerified: row.email === null ? vouched !== null : row.email_verified,
  name: row.name,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

/** A person is not of an organization, so people are found by themselves. */
export const get = (sql: Sql, id: Id<"usr">) =>
  sql<Row>`SELECT ${columns(sql)} FROM users WHERE id = ${id} AND deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The person, kept as they are until the transaction ends. */
export const lock = (sql: Sql, id: Id<"usr">) =>
  sql<Row>`SELECT ${columns(sql)} FROM users WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

export const rename = (sql: Sql, id: Id<"usr">, name: string | null) =>
  sql<Row>`UPDATE users SET name = ${name}, updated_at = now() WHERE id = ${id} AND deleted_at IS NULL
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** The person who has an address, proved or not. */
export const findByEmail = (sql: Sql, email: string) =>
  sql<Row>`SELECT ${columns(sql)} FROM users WHERE lower(email) = lower(${email}) AND deleted_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The person who has proved an address, made at the first time. */
export const proved = (sql: Sql, id: Id<"usr">, email: string) =>
  sql<Row>`INSERT INTO users (id, email, email_verified, created_at, updated_at)
    VALUES (${id}, ${email}, true, now(), now())
    ON CONFLICT (lower(email)) WHERE email IS NOT NULL AND deleted_at IS NULL
    DO UPDATE SET email_verified = true,
      updated_at = CASE WHEN users.email_verified THEN users.updated_at ELSE now() END
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))
