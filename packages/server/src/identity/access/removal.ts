import type { Member } from "@orgplane/schema/shared/caller"
import type { GrantRole } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { GrantedKind } from "../grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { nameAndLevel } from "./explain-repo.ts"
import { teamLosers } from "./impact-repo.ts"
import * as repo from "./removal-repo.ts"

/** An object of a grant that ends. */
export interface EndingObject {
  readonly kind: GrantedKind
  readonly id: string
  readonly name: string
  readonly role: GrantRole
}

/** What the removal of a member or a team revokes: the number of grants, and the first objects that the caller can see. */
export const grantsEnding = Effect.fnUntraced(function* (sql: Sql, caller: Member, receiver: Id<"om"> | Id<"tem">) {
  const { grants, total } = yield* repo.grantsOf(sql, caller.organizationId, receiver)
  const objects = yield* Effect.forEach(grants, ({ kind, objectId, role }) =>
    Effect.map(nameAndLevel(sql, caller, kind, objectId), (object): ReadonlyArray<EndingObject> =>
      object === undefined || object.level === 0 ? [] : [{ kind, id: objectId, name: object.name, role }]
    )
  )
  return { grantCount: total, objects: objects.flat() }
})

/** The same for a team, with the members who would lose each object or keep a lower level on it. */
export const teamGrantsEnding = Effect.fnUntraced(function* (sql: Sql, caller: Member, teamId: Id<"tem">) {
  const { grantCount, objects } = yield* grantsEnding(sql, caller, teamId)
  const counted = yield* Effect.forEach(objects, (object) =>
    Effect.map(teamLosers(sql, caller.organizationId, teamId, object), (memberCount) => ({ ...object, memberCount }))
  )
  return { grantCount, objects: counted }
})
