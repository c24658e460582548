/** What is kept of a person wherever it was saved: for their own export, and to forget it with them. */
import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../sql/client.ts"
import { columns, type WholeRow } from "./repo.ts"

/** Everything that is kept of a person, also where they are no member any more. */
export const listEverywhere = (sql: Sql, userId: Id<"usr">, after: string | null, limit: number) =>
  sql<WholeRow>`SELECT ${columns(sql)}, m.contexts_json FROM memories m
    WHERE m.user_id = ${userId} AND (${after}::text IS NULL OR m.id < ${after})
    ORDER BY m.id DESC LIMIT ${limit}`

/** Forgets all that a person had remembered anywhere. */
export const forget = (sql: Sql, userId: Id<"usr">) => sql`DELETE FROM memories WHERE user_id = ${userId}`
