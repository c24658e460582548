/** Sessions: a signed-in person on one device. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { Done, manners } from "./shared/endpoint.ts"
import { notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Timestamp } from "./shared/values.ts"

export const Session = Schema.Struct({
  id: Ids.SessionId,
  userId: Ids.UserId,
  organizationId: Schema.NullOr(Ids.OrganizationId),
  kind: Schema.Literals(["bootstrap", "seed", "email", "sso", "minted"]),
  current: Schema.Boolean,
  createdAt: Timestamp,
  expiresAt: Timestamp
}).annotate({ identifier: "Session" })
export type Session = typeof Session.Type

export class SessionNotFound extends notFound("session")<SessionNotFound>() {}

export const group = HttpApiGroup.make("sessions")
  .annotateMerge(OpenApi.annotations({ title: "Sessions", description: "Where the caller is signed in." }))
  .add(
    HttpApiEndpoint.get("list", "/v1/sessions", {
      query: pageQuery,
      success: Page(Session)
    }).pipe(manners({ access: Access.user, paged: true, summary: "Lists the caller's live sessions." })),
    HttpApiEndpoint.delete("revokeCurrent", "/v1/sessions/current", { success: Done }).pipe(
      manners({
        access: Access.user,
        audited: "session.revoke",
        summary: "Signs out: ends the session of this request."
      })
    ),
    HttpApiEndpoint.delete("revoke", "/v1/sessions/:sessionId", {
      params: { sessionId: Ids.SessionId },
      success: Done,
      error: SessionNotFound
    }).pipe(manners({ access: Access.user, audited: "session.revoke", summary: "Ends one of the caller's sessions." }))
  )
