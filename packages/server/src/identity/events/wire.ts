import type { Event } from "@orgplane/schema/events"
import { auditActionOf } from "@orgplane/schema/shared/audit-actions"
import { prefixes } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import type { SealedRow } from "../audit/repo.ts"
import { type Named, prefixOf, type Reader, readNames } from "./names-repo.ts"

const kinds: Readonly<Record<string, string>> = prefixes

/** The kind of the object with an ID, such as `config_object`; null for other texts. */
const kindOf = (id: string): string | null => {
  const prefix = prefixOf(id)
  const kind = prefix === undefined ? undefined : kinds[prefix]
  return kind === undefined ? null : kind.toLowerCase().replaceAll(" ", "_")
}

const toWire = (row: SealedRow, organizationId: Event["organizationId"], names: ReadonlyMap<string, Named>): Event => {
  const actor = row.actor_id === null ? undefined : names.get(row.actor_id)
  return {
    id: row.id,
    sequence: row.sequence,
    type: auditActionOf(row.action),
    organizationId,
    actor: { kind: row.actor_kind, id: row.actor_id, name: actor?.name ?? null, email: actor?.email ?? null },
    object:
      row.target_id === null
        ? null
        : { id: row.target_id, kind: kindOf(row.target_id), name: names.get(row.target_id)?.name ?? null },
    requestId: row.request_id,
    before: row.before_json,
    after: row.after_json,
    createdAt: iso(row.created_at)
  }
}

/** Events with the names that the reader may see. */
export const toEvents = Effect.fnUntraced(function* (sql: Sql, reader: Reader, rows: ReadonlyArray<SealedRow>) {
  const ids = new Set(
    rows.flatMap(({ actor_id: actor, target_id: target }) => [actor, target]).filter((id) => id !== null)
  )
  const names = yield* readNames(sql, reader, ids)
  return rows.map((row) => toWire(row, reader.organizationId, names))
})
