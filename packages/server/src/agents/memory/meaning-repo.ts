import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"
import { columns, type Row } from "../../identity/users/memories-repo.ts"
import { type Bank, inBank } from "./repo.ts"

export interface VectorRow {
  readonly id: Id<"mem">
  readonly created_at: Date
  readonly embedding: Uint8Array
}

/** The IDs of the user's memories whose vectors can be compared with the query vector, newest first. */
export const listComparable = (
  sql: Sql,
  bank: Bank,
  vector: { readonly model: string; readonly bytes: number },
  limit: number
) =>
  sql<{ id: Id<"mem"> }>`SELECT m.id FROM memories m
    WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND ${inBank(sql, bank)}
      AND m.embedding_model = ${vector.model} AND octet_length(m.embedding) = ${vector.bytes}::int
    ORDER BY m.id DESC LIMIT ${limit}`

/** The vectors of a few memories, each read by its key regardless of the planner's row estimates. */
export const listVectors = (sql: Sql, bank: Bank, ids: ReadonlyArray<string>) =>
  sql<VectorRow>`SELECT v.id, v.created_at, v.embedding FROM unnest(${texts(ids)}::text[]) AS a (id)
    CROSS JOIN LATERAL (SELECT m.id, m.created_at, m.embedding FROM memories m
      WHERE m.user_id = ${bank.userId} AND m.id = a.id AND m.organization_id IN ${sql.in(bank.organizationIds)}
        AND m.embedding IS NOT NULL OFFSET 0) v`

export const listByIds = (sql: Sql, bank: Bank, ids: ReadonlyArray<string>) =>
  sql<Row>`SELECT ${columns(sql)} FROM memories m
    WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND ${inBank(sql, bank)} AND m.id IN ${sql.in(ids)}`
