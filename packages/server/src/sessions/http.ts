import { OrgplaneApi } from "@orgplane/schema/api"
import { SessionNotFound } from "@orgplane/schema/sessions"
import type { SignedIn } from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Principals } from "../auth/principals.ts"
import { forSignedIn } from "../http/handlers.ts"
import { Mutate } from "../mutate/index.ts"
import { Pages } from "../pages/index.ts"
import { SqlDatabase } from "../sql/client.ts"
import * as repo from "./repo.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "sessions",
  Effect.fn(function* (handlers) {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const principals = yield* Principals
    const { mutate } = yield* Mutate

    const revoke = Effect.fnUntraced(function* (caller: SignedIn, sessionId: string) {
      yield* mutate(
        caller,
        "session.revoke",
        Effect.gen(function* () {
          if (!(yield* repo.revoke(sql, caller.userId, sessionId))) return yield* new SessionNotFound()
          // With the transaction itself: no crash after it leaves another process believing in the session.
          yield* principals.announce(sessionId)
        }),
        () => ({ target: sessionId })
      )
      principals.forget(sessionId)
    })

    return handlers.handleAll({
      list: forSignedIn((caller, { query }) =>
        pages.read(
          { operation: "sessions.list", organizationId: null, filters: caller.userId },
          query,
          (after, limit) => repo.list(sql, caller.userId, after, limit),
          (row) => row.id,
          repo.toWire(caller.sessionId)
        )
      ),
      // A person of the host application has no session of ours to end.
      revokeCurrent: forSignedIn((caller) =>
        caller.sessionId === null
          ? Effect.void
          : Effect.catchTag(revoke(caller, caller.sessionId), "SessionNotFound", () => Effect.void)
      ),
      revoke: forSignedIn((caller, { params }) => revoke(caller, params.sessionId))
    })
  })
)
