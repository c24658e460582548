import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../sql/client.ts"
import { type Bank, columns, inBank, type Row } from "./repo.ts"

export interface VectorRow {
  readonly id: Id<"mem">
  readonly created_at: Date
  readonly embedding: Uint8Array
}

/** A person's own vectors that a question's can be compared with, the newest first. */
export const listVectors = (
  sql: Sql,
  bank: Bank,
  made: { readonly model: string; readonly bytes: number },
  after: string | null,
  limit: number
) =>
  sql<VectorRow>`SELECT m.id, m.created_at, m.embedding FROM memories m
    WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND ${inBank(sql, bank)}
      AND m.embedding_model = ${made.model} AND octet_length(m.embedding) = ${made.bytes}::int
      AND (${after}::text IS NULL OR m.id < ${after})
    ORDER BY m.id DESC LIMIT ${limit}`

export const listByIds = (sql: Sql, bank: Bank, ids: ReadonlyArray<string>) =>
  sql<Row>`SELECT ${columns(sql)} FROM memories m
    WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND ${inBank(sql, bank)} AND m.id IN ${sql.in(ids)}`
