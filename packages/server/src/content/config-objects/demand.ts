import { ConfigObjectNotFound } from "@orgplane/schema/config-objects"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { demandLevel, managedByConnector } from "../../identity/access/index.ts"
import type { levels } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as objects from "./object-repo.ts"

/** How an object stands that the caller can see, and gets as far with as it needs. */
export const demandSeen = Effect.fnUntraced(function* (
  sql: Sql,
  caller: Member,
  id: Id<"cob">,
  needed: keyof typeof levels
) {
  const object = yield* objects.standing(sql, caller, id)
  if (object === undefined || object.level === 0) return yield* new ConfigObjectNotFound()
  yield* demandLevel(object.level, needed)
  return object
})

/** The same of one whose content is written here: what a connector feeds is changed in its repository. */
export const demandOwn = Effect.fnUntraced(function* (
  sql: Sql,
  caller: Member,
  id: Id<"cob">,
  needed: keyof typeof levels
) {
  const object = yield* demandSeen(sql, caller, id, needed)
  return object.source_mode === "connector" ? yield* managedByConnector("The config object") : object
})
