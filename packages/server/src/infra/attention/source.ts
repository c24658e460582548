/** The form in which a module contributes the objects that need attention. `operations/attention` lists them. */
import type { AttentionKind } from "@orgplane/schema/attention"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { shortText } from "../short-text.ts"
import type { Sql } from "../sql/client.ts"
import { readAs } from "../sql/read.ts"

/** The columns that every statement of a source returns. */
export interface AttentionRow {
  readonly id: string
  readonly name: string
  /** The object that contains it. Null if the kind has none. */
  readonly parent_id: string | null
  readonly since: Date
  readonly expires_at: Date | null
}

export interface AttentionFinding {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
  readonly detail: string | null
  readonly since: Date
  readonly expiresAt: Date | null
}

/** One kind of item. */
export interface AttentionSource {
  readonly kind: AttentionKind
  /** The permissions to list the objects and to resolve the items. Without one of them, the source is not read. */
  readonly permissions: ReadonlyArray<Permission>
  /** At most `limit` items, oldest first. */
  readonly list: (sql: Sql, caller: Member, limit: number) => Effect.Effect<ReadonlyArray<AttentionFinding>, SqlError>
}

/** What a statement of a source may use. */
interface SourceRead {
  readonly limit: number
}

/**
 * A source that reads one statement. As with `readAs`, `build` may put its arguments into the statement but must not
 * inspect them, except for the kind of the caller and its permissions.
 */
export const attentionSource = <Row extends AttentionRow>(
  kind: AttentionKind,
  permissions: ReadonlyArray<Permission>,
  build: (sql: Sql, caller: Member, values: SourceRead) => Statement<Row>,
  detailOf: (row: Row) => string | null = () => null
): AttentionSource => {
  const read = readAs<Row, SourceRead>(build)
  return {
    kind,
    permissions,
    list: (sql, caller, limit) =>
      Effect.map(read(sql, caller, { limit }), (rows) =>
        rows.map((row) => ({
          id: row.id,
          name: row.name,
          parentId: row.parent_id,
          detail: shortText(detailOf(row)),
          since: row.since,
          expiresAt: row.expires_at
        }))
      )
  }
}
