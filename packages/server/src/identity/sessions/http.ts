import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forAnyone, forMember, forSignedIn } from "../../infra/http/handlers.ts"
import { SessionsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "sessions",
  Effect.fn(function* (handlers) {
    const sessions = yield* SessionsService
    return handlers.handleAll({
      startEmail: forAnyone((caller, { payload }) => sessions.startEmail(caller, payload)),
      verifyEmail: forAnyone((caller, { payload }) => sessions.verifyEmail(caller, payload)),
      exchange: forMember((caller, { payload }) => sessions.exchange(caller, payload)),
      list: forSignedIn((caller, { query }) => sessions.list(caller, query)),
      // A user of the host application has no session to revoke.
      revokeCurrent: forSignedIn((caller) =>
        caller.sessionId === null
          ? Effect.void
          : Effect.catchTag(sessions.revoke(caller, caller.sessionId), "SessionNotFound", () => Effect.void)
      ),
      revoke: forSignedIn((caller, { params }) => sessions.revoke(caller, params.sessionId))
    })
  })
).pipe(Layer.provide(SessionsService.layer))
