import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import type { JsonObject } from "../../infra/scim/language/index.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** The directory that owns the rows. A directory accesses only its own. */
export interface Owner {
  readonly organizationId: Id<"org">
  readonly directoryId: Id<"scd">
}

/** A resource as it is stored: the original, a copy with case folded, and the indexed columns. */
export interface StoredResource {
  readonly resource: JsonObject
  readonly folded: JsonObject
  readonly columns: { readonly name: string; readonly externalId: string | null; readonly active: boolean }
}

/**
 * Locks the directory until the transaction ends, so that no other transaction changes its memberships or groups.
 * False when it was removed.
 */
export const lockDirectory = (sql: Sql, { directoryId, organizationId }: Owner) =>
  sql<{ id: string }>`SELECT id FROM scim_directories
    WHERE organization_id = ${organizationId} AND id = ${directoryId} AND removed_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

/** Selects the directory and keeps it from being removed until the transaction ends. Empty when it was removed. */
export const selectDirectoryForShare = (sql: Sql, { directoryId, organizationId }: Owner) =>
  sql<{ id: string }>`SELECT id FROM scim_directories
    WHERE organization_id = ${organizationId} AND id = ${directoryId} AND removed_at IS NULL FOR KEY SHARE`

/** Keeps the directory from being removed until the transaction ends; false when it was removed. */
export const keepDirectory = (sql: Sql, owner: Owner) =>
  Effect.map(selectDirectoryForShare(sql, owner), (rows) => rows.length === 1)

/** The reads that users and groups of a directory have in common. Conditions and orders use the alias of the table. */
export const readsOf = <Row extends object>(table: "scim_users" | "scim_groups", alias: "u" | "g", columns: string) => {
  const ofDirectory = (sql: Sql, { directoryId, organizationId }: Owner) =>
    sql`organization_id = ${organizationId} AND directory_id = ${directoryId} AND removed_at IS NULL`

  const selectOne = (sql: Sql, owner: Owner, id: string) =>
    sql<Row>`SELECT ${sql.literal(columns)} FROM ${sql(table)} ${sql(alias)}
      WHERE ${ofDirectory(sql, owner)} AND id = ${id}`

  const find = (sql: Sql, owner: Owner, id: string) => Effect.map(selectOne(sql, owner, id), (rows) => rows[0])

  /** Locks the resource until the transaction ends. */
  const lock = (sql: Sql, owner: Owner, id: string) =>
    sql<Row>`${selectOne(sql, owner, id)} FOR UPDATE`.pipe(Effect.map((rows) => rows[0]))

  /** If the sort order has an index, a large offset is skipped in the index, and only the rows of the page are read. */
  const list = (
    sql: Sql,
    owner: Owner,
    { order, where }: { readonly where: Fragment; readonly order: Fragment },
    limit: number,
    offset: number
  ) => {
    const select = (expressions: Fragment) => sql<Row>`SELECT ${expressions} FROM ${sql(table)} ${sql(alias)}
      WHERE ${ofDirectory(sql, owner)} AND ${where} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`
    return offset === 0
      ? select(sql.literal(columns))
      : sql<Row>`SELECT ${sql.literal(columns)} FROM ${sql(table)} ${sql(alias)}
          WHERE organization_id = ${owner.organizationId} AND id IN (${select(sql.literal("id"))}) ORDER BY ${order}`
  }

  const count = (sql: Sql, owner: Owner, where: Fragment) =>
    sql<{ total: number }>`SELECT count(*)::int AS total FROM ${sql(table)} ${sql(alias)}
      WHERE ${ofDirectory(sql, owner)} AND ${where}`.pipe(Effect.map((rows) => rows[0]?.total ?? 0))

  return { find, lock, list, count } as const
}
