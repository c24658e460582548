import type { Sql } from "../../infra/sql/client.ts"

/** An encrypted value and its key. */
export interface Row {
  readonly key_id: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

export interface NewSeal {
  readonly keyId: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

export interface Selection<R extends Row> {
  /** Selects values of other keys than this one. */
  readonly except: string
  readonly limit: number
  /** Selects the rows after this one. */
  readonly after: R | undefined
  /** Locks the rows, and skips those that another transaction has locked. */
  readonly locks: boolean
}

type KeyColumn<R> = { readonly [C in keyof R]: R[C] extends string | Uint8Array ? C : never }[keyof R] & string

/** A table of encrypted values. */
export interface Place<R extends Row> {
  readonly table: string
  /** The columns that identify a row. */
  readonly key: ReadonlyArray<KeyColumn<R>>
  /** Other columns that a row's context contains. */
  readonly others?: ReadonlyArray<keyof R & string>
  /** The table that refers to the value by its ID, and the column to read as `owner`. */
  readonly owner?: { readonly table: string; readonly reference: string; readonly column: string }
  /** What happens to a row whose value no key decrypts. */
  readonly whenLost:
    | { readonly kind: "delete" }
    /** The row stays without a value. */
    | { readonly kind: "clear" }
    /** The row gets another value, and these columns change. `reason` is its `status_reason`. */
    | { readonly kind: "replace"; readonly set: string; readonly reason?: string }
}

/** The next rows in the order of their key. */
export const listSealed = <R extends Row>(
  sql: Sql,
  { key, others = [], owner, table }: Place<R>,
  { after, except, limit, locks }: Selection<R>
) => {
  const keys = key.map((column) => sql`v.${sql(column)}`)
  const selected = [...keys, ...others.map((column) => sql`v.${sql(column)}`)]
  const join =
    owner === undefined
      ? sql``
      : sql`JOIN ${sql(owner.table)} o ON o.organization_id = v.organization_id AND o.${sql(owner.reference)} = v.id`
  if (owner !== undefined) selected.push(sql`o.${sql(owner.column)} AS owner`)
  const rest =
    after === undefined ? sql`` : sql`AND (${sql.csv(keys)}) > (${sql.csv(key.map((column) => sql`${after[column]}`))})`
  // The statement does not wait for locks of other transactions, so it never causes a deadlock.
  const locking = locks ? sql`FOR NO KEY UPDATE OF v SKIP LOCKED` : sql``
  return sql<R>`SELECT ${sql.csv(selected)}, v.key_id, v.nonce, v.ciphertext FROM ${sql(table)} v ${join}
    WHERE v.key_id <> ${except} ${rest} ORDER BY ${sql.csv(keys)} LIMIT ${limit} ${locking}`
}

/** The nonce identifies the value's version, so that a value that was replaced in the meantime is not overwritten. */
const sameRow = <R extends Row>(sql: Sql, { key }: Place<R>, row: R) =>
  sql.and([...key.map((column) => sql`${sql(column)} = ${row[column]}`), sql`nonce = ${row.nonce}`])

export const putSeal = <R extends Row>(sql: Sql, place: Place<R>, row: R, sealed: NewSeal) =>
  sql`UPDATE ${sql(place.table)} SET key_id = ${sealed.keyId}, nonce = ${sealed.nonce}, ciphertext = ${sealed.ciphertext}
    WHERE ${sameRow(sql, place, row)}`

/** Removes a value that no key decrypts, as its table requires. `sealed` replaces it. */
export const discardSeal = <R extends Row>(sql: Sql, place: Place<R>, row: R, sealed: NewSeal | undefined) => {
  const { table, whenLost } = place
  if (whenLost.kind === "replace" && sealed !== undefined) {
    const reason = whenLost.reason === undefined ? sql`` : sql`, status_reason = ${whenLost.reason}`
    return sql`UPDATE ${sql(table)} SET key_id = ${sealed.keyId}, nonce = ${sealed.nonce},
        ciphertext = ${sealed.ciphertext}, ${sql.literal(whenLost.set)}${reason}
      WHERE ${sameRow(sql, place, row)}`
  }
  return whenLost.kind === "clear"
    ? sql`UPDATE ${sql(table)} SET key_id = NULL, nonce = NULL, ciphertext = NULL WHERE ${sameRow(sql, place, row)}`
    : sql`DELETE FROM ${sql(table)} WHERE ${sameRow(sql, place, row)}`
}

/** Values to which no row refers. */
export const deleteOrphans = (sql: Sql) =>
  sql`DELETE FROM sealed_values v
    WHERE NOT EXISTS (SELECT 1 FROM connector_instances i
        WHERE i.organization_id = v.organization_id AND i.credential_id = v.id)
      AND NOT EXISTS (SELECT 1 FROM mcp_connections m
        WHERE m.organization_id = v.organization_id AND m.oauth_client_secret_id = v.id)`
