import type { Sql } from "../../infra/sql/client.ts"

/** A sealed value and its key. */
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

/** Selects rows that are sealed with a key other than the newest, after those already visited. */
export interface StaleSelection {
  readonly newest: string
  readonly limit: number
  readonly skipped: number
}

type KeyColumn<R> = { readonly [C in keyof R]: R[C] extends string | Uint8Array ? C : never }[keyof R] & string

/** A table of sealed values. */
export interface Place<R extends Row> {
  readonly table: string
  /** The columns that identify a row. */
  readonly key: ReadonlyArray<KeyColumn<R>>
  /** Other columns that a row's seal context contains. */
  readonly others?: ReadonlyArray<keyof R & string>
  /** The table that refers to the value by its ID, and the column to read as `owner`. */
  readonly owner?: { readonly table: string; readonly reference: string; readonly column: string }
}

export const listStale = <R extends Row>(
  sql: Sql,
  { key, others = [], owner, table }: Place<R>,
  { limit, newest, skipped }: StaleSelection
) => {
  const selected = [...key, ...others].map((column) => sql`v.${sql(column)}`)
  const join =
    owner === undefined
      ? sql``
      : sql`JOIN ${sql(owner.table)} o ON o.organization_id = v.organization_id AND o.${sql(owner.reference)} = v.id`
  if (owner !== undefined) selected.push(sql`o.${sql(owner.column)} AS owner`)
  return sql<R>`SELECT ${sql.csv(selected)}, v.key_id, v.nonce, v.ciphertext FROM ${sql(table)} v ${join}
    WHERE v.key_id <> ${newest} ORDER BY ${sql.csv(key.map((column) => sql`v.${sql(column)}`))}
    LIMIT ${limit} OFFSET ${skipped}`
}

/** The nonce identifies the value's version, so that a value that was replaced in the meantime is not overwritten. */
export const putSeal = <R extends Row>(sql: Sql, { key, table }: Place<R>, row: R, sealed: NewSeal) =>
  sql`UPDATE ${sql(table)} SET key_id = ${sealed.keyId}, nonce = ${sealed.nonce}, ciphertext = ${sealed.ciphertext}
    WHERE ${sql.and(key.map((column) => sql`${sql(column)} = ${row[column]}`))} AND nonce = ${row.nonce}`
