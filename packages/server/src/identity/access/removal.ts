import type { Member } from "@orgplane/schema/shared/caller"
import type { GrantRole } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { GrantedKind } from "../grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { namesAndLevels } from "./explain-repo.ts"
import { teamLosers } from "./impact-repo.ts"
import * as repo from "./removal-repo.ts"

/** An object of a grant that ends. */
export interface EndingObject {
  readonly kind: GrantedKind
  readonly id: string
  readonly name: string
  readonly role: GrantRole
}

/** Reads rows of objects with one statement for each kind, and returns them by the ID of the object. */
const byId = Effect.fnUntraced(function* <Row extends { readonly id: string }, E, R>(
  objects: ReadonlyArray<{ readonly kind: GrantedKind; readonly id: string }>,
  read: (kind: GrantedKind, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Row>, E, R>
) {
  const kinds = [...new Set(objects.map(({ kind }) => kind))]
  const rows = yield* Effect.forEach(kinds, (each) =>
    read(
      each,
      objects.filter(({ kind }) => kind === each).map(({ id }) => id)
    )
  )
  return new Map(rows.flat().map((row) => [row.id, row]))
})

/** What the removal of a member or a team revokes: the number of grants, and the first objects that the caller can see. */
export const grantsEnding = Effect.fnUntraced(function* (sql: Sql, caller: Member, receiver: Id<"om"> | Id<"tem">) {
  const { grants, total } = yield* repo.grantsOf(sql, caller.organizationId, receiver)
  const seen = yield* byId(grants, (kind, ids) => namesAndLevels(sql, caller, kind, ids))
  const objects = grants.flatMap((grant): ReadonlyArray<EndingObject> => {
    const object = seen.get(grant.id)
    return object === undefined || object.level === 0 ? [] : [{ ...grant, name: object.name }]
  })
  return { grantCount: total, objects }
})

/** The same for a team, with the members who would lose each object or keep a lower level on it. */
export const teamGrantsEnding = Effect.fnUntraced(function* (sql: Sql, caller: Member, teamId: Id<"tem">) {
  const { grantCount, objects } = yield* grantsEnding(sql, caller, teamId)
  const losers = yield* byId(objects, (kind, ids) => teamLosers(sql, caller.organizationId, teamId, kind, ids))
  const counted = objects.map((object) => ({ ...object, memberCount: losers.get(object.id)?.member_count ?? 0 }))
  return { grantCount, objects: counted }
})
