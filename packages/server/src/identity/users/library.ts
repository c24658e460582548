import type { Member } from "@orgplane/schema/shared/caller"
import type { PageQuery } from "@orgplane/schema/shared/page"
import type { LibraryEntry } from "@orgplane/schema/users"
import * as Effect from "effect/Effect"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import * as repo from "./library-repo.ts"

type Entry = typeof LibraryEntry.Type

const toWire = (row: repo.Row): Entry => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  through: { kind: row.through_kind, id: row.through_id }
})

/** Lists every plugin and config object that a user can use, each with the path that grants it. */
export const makeLibrary = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const pages = yield* Pages

  return (caller: Member, query: PageQuery & { readonly kind?: Entry["kind"] }) => {
    const person = caller.principal.kind === "session" ? caller.principal.membershipId : null
    return pages.list(caller, query, {
      filters: [person, query.kind],
      rows: (after, limit) => repo.listLibrary(sql, caller, query.kind, after, limit),
      toWire
    })
  }
})
