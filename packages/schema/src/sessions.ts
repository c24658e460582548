/** Sessions of users, one per sign-in. Host applications can create sessions too. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Email, Text, Timestamp } from "./shared/values.ts"
import { User } from "./users.ts"

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

/** A session with its token, which is returned only once. */
export const NewSession = Schema.Struct({
  id: Ids.SessionId,
  token: Schema.String,
  expiresAt: Timestamp
}).annotate({ identifier: "NewSession" })

export const StartEmail = Schema.Struct({
  email: Email.annotate({ description: "The email address to send the code to." })
}).annotate({ identifier: "StartEmailSignIn" })
export const EmailChallenge = Schema.Struct({
  challengeId: Schema.String,
  expiresAt: Timestamp
}).annotate({ identifier: "EmailChallenge" })
export const VerifyEmail = Schema.Struct({
  challengeId: Text(1, 64).annotate({ description: "The `challengeId` that `sessions.startEmail` returned." }),
  code: Text(1, 32).annotate({ description: "The code from the email." })
}).annotate({ identifier: "VerifyEmailSignIn" })

/** Exactly one of `subject` and `orgMembershipId`. */
export const Exchange = Schema.Struct({
  subject: Schema.optionalKey(
    Text(1, 255).annotate({
      description: "The user's id in the host application. Exactly one of `subject` and `orgMembershipId` is required."
    })
  ),
  orgMembershipId: Schema.optionalKey(
    Ids.OrgMembershipId.annotate({ description: "The member to create the session for." })
  ),
  expiresInSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 3600 })).annotate({
      description: "How long the session is valid, in seconds. Default: 3600."
    })
  )
})
  .check(
    Schema.makeFilter((exchange: { readonly subject?: string; readonly orgMembershipId?: string }) =>
      (exchange.subject === undefined) === (exchange.orgMembershipId === undefined)
        ? "must include exactly one of: subject, orgMembershipId"
        : undefined
    )
  )
  .annotate({ identifier: "ExchangeSession" })

export class SessionNotFound extends notFound("session")<SessionNotFound>() {}

export const group = HttpApiGroup.make("sessions")
  .annotateMerge(OpenApi.annotations({ title: "Sessions", description: "Sign in, and manage the caller's sessions." }))
  .add(
    HttpApiEndpoint.post("startEmail", "/v1/sessions/email", {
      payload: StartEmail,
      success: EmailChallenge.pipe(HttpApiSchema.status(202))
    }).pipe(
      endpointMetadata({
        access: Access.anyone,
        idempotency: "none",
        audited: "session.challenge",
        summary: "Send a sign-in code by email",
        description:
          "The response is the same for known and unknown email addresses. The code is valid for ten minutes and five attempts. Limits per hour: 5 requests per combination of source IP address and email address, 60 per source IP address, and 20 per email address."
      })
    ),
    HttpApiEndpoint.post("verifyEmail", "/v1/sessions/email/verify", {
      payload: VerifyEmail,
      success: Schema.Struct({ session: NewSession, user: User }).pipe(HttpApiSchema.status(201))
    }).pipe(
      endpointMetadata({
        access: Access.anyone,
        idempotency: "none",
        audited: "session.create",
        holdsSecret: true,
        summary: "Sign in with an email code",
        description:
          "On first sign-in, creates the user, who does not belong to an organization yet. If the code is incorrect, already used or expired, returns 400 with a detail for `body.code`."
      })
    ),
    HttpApiEndpoint.post("exchange", "/v1/sessions/exchange", {
      payload: Exchange,
      success: Schema.Struct({ session: NewSession }).pipe(HttpApiSchema.status(201))
    }).pipe(
      endpointMetadata({
        access: Access.permission("sessions:mint"),
        idempotency: "fact",
        audited: "session.exchange",
        holdsSecret: true,
        summary: "Create a session for a member",
        description:
          "Intended for host applications, which authenticate with an API key. The session is valid for at most an hour and cannot read or manage API keys, roles, SSO, SCIM, other sessions, members or invitations."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/sessions", {
      query: pageQuery,
      success: Page(Session)
    }).pipe(
      endpointMetadata({
        access: Access.user,
        paged: true,
        summary: "List the caller's sessions",
        description: "Returns the sessions that are still valid."
      })
    ),
    HttpApiEndpoint.delete("revokeCurrent", "/v1/sessions/current", { success: NoContent }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "session.revoke",
        summary: "Sign out",
        description: "Revokes the session that made this request."
      })
    ),
    HttpApiEndpoint.delete("revoke", "/v1/sessions/:sessionId", {
      params: { sessionId: Ids.SessionId },
      success: NoContent,
      error: SessionNotFound
    }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "session.revoke",
        summary: "Revoke one of the caller's sessions"
      })
    )
  )
