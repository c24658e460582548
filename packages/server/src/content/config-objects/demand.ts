import { ConfigObjectNotFound } from "@orgplane/schema/config-objects"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { demandLevel, managedByConnector } from "../../identity/access/service.ts"
import type { levels } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as objects from "./object-repo.ts"

/** Returns an object that the caller can see and has the required access level on. */
export const demandSeen = Effect.fnUntraced(function* (
  sql: Sql,
  caller: Member,
  id: Id<"cob">,
  needed: keyof typeof levels
) {
  const object = yield* objects.getState(sql, caller, id)
  if (object === undefined || object.level === 0) return yield* new ConfigObjectNotFound()
  yield* demandLevel(object.level, needed)
  return object
})

/** As `demandSeen`, for objects that are not managed by a connector: those are changed in their repository. */
export const demandOwn = Effect.fnUntraced(function* (
  sql: Sql,
  caller: Member,
  id: Id<"cob">,
  needed: keyof typeof levels
) {
  const object = yield* demandSeen(sql, caller, id, needed)
  return object.source_mode === "connector" ? yield* managedByConnector("The config object") : object
})
