/** Capabilities: mail and calendar access for agents, as the calling member and with the member's own connection. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { badGateway, conflict, notConnected } from "./shared/errors.ts"
import { callbackQuery, callbackSuccess, ReturnTo, StartedConnect } from "./shared/oauth.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

// Entities

const True = Schema.Literal(true)

export const Suite = Schema.Literals(["suite-a", "suite-b"]).annotate({
  identifier: "Suite",
  description: "`suite-a` is the mail suite, `suite-b` the calendar suite."
})
export type Suite = typeof Suite.Type

/** The caller's own connection to a suite. */
export const CapabilityConnection = Schema.Struct({
  suite: Suite,
  configured: Schema.Boolean.annotate({
    description: "Whether the operator has configured the suite. Connecting fails until then."
  }),
  status: Schema.Literals(["not_connected", "ready", "reconnect_required"]),
  statusReason: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String).annotate({ description: "The scopes that the member has granted." }),
  connectedAt: Schema.NullOr(Timestamp),
  updatedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "CapabilityConnection" })
export type CapabilityConnection = typeof CapabilityConnection.Type

const Mailbox = Schema.Struct({
  name: Schema.NullOr(Schema.String),
  address: Schema.String
}).annotate({ identifier: "Mailbox" })

export const MailMessage = Schema.Struct({
  id: Schema.String,
  conversationId: Schema.NullOr(Schema.String),
  subject: Schema.String,
  receivedDateTime: Schema.NullOr(Schema.String).annotate({
    description: "For a draft, the time that the suite reports."
  }),
  preview: Schema.String,
  from: Schema.NullOr(Mailbox),
  to: Schema.Array(Mailbox),
  cc: Schema.Array(Mailbox),
  webLink: Schema.NullOr(Schema.String),
  hasAttachments: Schema.Boolean,
  body: Schema.String,
  bodyContentType: Schema.String.annotate({
    description: "Usually `text`, because plain text is requested; `html` if the suite returns HTML."
  }),
  bodyTruncated: Schema.Boolean.annotate({
    description: "Whether the body was truncated to its first 200,000 characters."
  })
}).annotate({ identifier: "MailMessage" })
export type MailMessage = typeof MailMessage.Type

export const CalendarEvent = Schema.Struct({
  ok: True,
  eventId: Schema.String,
  htmlLink: Schema.String,
  summary: Schema.String,
  start: Schema.String.annotate({ description: "A date-time with an offset, or a date." }),
  end: Schema.String.annotate({ description: "A date-time with an offset, or a date." }),
  meetLink: Schema.NullOr(Schema.String).annotate({ description: "Null when the event has no video meeting." })
}).annotate({ identifier: "CalendarEvent" })
export type CalendarEvent = typeof CalendarEvent.Type

// Payloads

// oxlint-disable-next-line no-control-regex -- matching control characters is intended
const controls = /[\u0000-\u001f\u007f-\u009f]/u

/** An identifier assigned by the suite. It is sent as one percent-encoded segment of a URL path. */
const SuiteId = (maximum: number) =>
  Schema.String.check(
    Schema.isBetweenCodePoints(1, maximum),
    Schema.makeFilter((text: string) =>
      !text.isWellFormed() || controls.test(text) || text.split(/[/\\]/u).some((part) => part === "." || part === "..")
        ? "must not contain control characters, unpaired surrogates, or the path segments `.` and `..`"
        : undefined
    )
  )

/**
 * Email addresses as the suite accepts them: no leading dot, no consecutive dots, labels of letters, digits and
 * hyphens.
 */
const address =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}(?<!\.)@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/u
export const MailAddress = Text(3, 254).check(Schema.isPattern(address, { message: "must be an email address" }))

/** The text of a mail header. A line break would start another header. */
const HeaderText = (minimum: number, maximum: number) =>
  Text(minimum, maximum).check(
    // oxlint-disable-next-line no-control-regex -- matching control characters is intended
    Schema.isPattern(/^[^\u0000-\u0008\u000a-\u001f\u007f\u0085\u2028\u2029]*$/u, {
      message: "must not contain line breaks or control characters"
    })
  )

const Addresses = (minimum: number) =>
  Schema.Array(MailAddress).check(Schema.isMinLength(minimum), Schema.isMaxLength(50))

export const CreateMailDraft = Schema.Struct({
  to: Addresses(1).annotate({ description: "The recipients: 1 to 50 email addresses." }),
  subject: HeaderText(1, 998).annotate({ description: "The subject, on one line." }),
  body: Text(0, 200_000).annotate({ description: "The body, as plain text." }),
  cc: Schema.optionalKey(Addresses(0).annotate({ description: "At most 50 email addresses." })),
  bcc: Schema.optionalKey(Addresses(0).annotate({ description: "At most 50 email addresses." }))
}).annotate({ identifier: "CreateMailDraft" })

export const UpdateCalendarEvent = Schema.Struct({
  createMeetLink: Schema.Boolean.annotate({
    description: "If `true`, adds a video meeting. If `false`, returns the event unchanged."
  })
}).annotate({ identifier: "UpdateCalendarEvent" })

export const CompleteSuiteConnect = Schema.Struct({
  state: Text(1, 255).annotate({ description: "The `state` from the redirect." }),
  code: Text(1, 4096).annotate({ description: "The authorization code from the redirect." }),
  iss: Schema.optionalKey(Text(1, 2048).annotate({ description: "The issuer, if the redirect included one." }))
}).annotate({ identifier: "CompleteSuiteConnect" })

// Errors

/** 409: the caller has no connection to the suite, or the connection no longer works. */
export class NeedsConnection extends notConnected(
  "needs_connection",
  "Your account is not connected to this suite. Connect it, then try again."
)<NeedsConnection>() {}
/** 502: the mail suite failed, rejected the request, or did not respond within 30 seconds. */
export class SuiteAApiError extends badGateway(
  "suite_a_api_error",
  "The mail suite could not complete the request. Try again later."
)<SuiteAApiError>() {}
/** 502: the calendar suite failed, rejected the request, or did not respond within 30 seconds. */
export class SuiteBApiError extends badGateway(
  "suite_b_api_error",
  "The calendar suite could not complete the request. Try again later."
)<SuiteBApiError>() {}
export class SuiteNotConfigured extends conflict(
  "suite_not_configured",
  "This suite is not configured on this server. Ask the operator to configure it."
)<SuiteNotConfigured>() {}

// Operations

const suite = { suite: Suite }
const at = "/v1/capabilities/connections/:suite"
const ConnectionResponse = Schema.Struct({ connection: CapabilityConnection })
export const group = HttpApiGroup.make("capabilities")
  .annotateMerge(
    OpenApi.annotations({
      title: "Capabilities",
      description:
        "Create mail drafts, read mail messages and add meeting links on behalf of the calling member. Mail is never sent."
    })
  )
  .add(
    HttpApiEndpoint.post("createMailDraft", "/v1/capabilities/suite-a/mail-drafts", {
      payload: CreateMailDraft,
      success: Schema.Struct({ ok: True, draft: MailMessage }),
      error: [NeedsConnection, SuiteAApiError]
    }).pipe(
      endpointMetadata({
        access: Access.session,
        specified: true,
        audited: "capability.create_mail_draft",
        idempotency: "fact",
        holdsSecret: true,
        summary: "Create a mail draft",
        description: "Creates a draft in the caller's mailbox. The draft is never sent."
      })
    ),
    HttpApiEndpoint.get("getMailMessage", "/v1/capabilities/suite-a/mail-message/:messageId", {
      params: { messageId: SuiteId(1024).annotate({ description: "The suite's id for the message." }) },
      success: Schema.Struct({ ok: True, message: MailMessage }),
      error: [NeedsConnection, SuiteAApiError]
    }).pipe(
      endpointMetadata({
        access: Access.session,
        specified: true,
        holdsSecret: true,
        summary: "Read a mail message",
        description: "Returns one message from the caller's mailbox. The body is requested as plain text."
      })
    ),
    HttpApiEndpoint.patch("updateCalendarEvent", "/v1/capabilities/suite-b/calendar-event/:eventId", {
      params: { eventId: SuiteId(512).annotate({ description: "The suite's id for the event." }) },
      payload: UpdateCalendarEvent,
      success: CalendarEvent,
      error: [NeedsConnection, SuiteBApiError]
    }).pipe(
      endpointMetadata({
        access: Access.session,
        specified: true,
        audited: "capability.update_calendar_event",
        holdsSecret: true,
        summary: "Add a video meeting to a calendar event",
        description:
          "Updates an event on the caller's primary calendar. If the event already has a video meeting, it is kept."
      })
    ),
    HttpApiEndpoint.get("listConnections", "/v1/capabilities/connections", {
      query: pageQuery,
      success: Page(CapabilityConnection)
    }).pipe(
      endpointMetadata({
        access: Access.session,
        paged: true,
        summary: "List the caller's suite connections",
        description: "Returns one connection for each suite."
      })
    ),
    HttpApiEndpoint.get("getConnection", at, { params: suite, success: ConnectionResponse }).pipe(
      endpointMetadata({ access: Access.session, summary: "Get the caller's connection to a suite" })
    ),
    HttpApiEndpoint.post("startConnect", `${at}/start`, {
      params: suite,
      payload: Schema.Struct({ returnTo: Schema.optionalKey(ReturnTo) }).annotate({ identifier: "StartSuiteConnect" }),
      success: Schema.Struct({ connect: StartedConnect }),
      error: SuiteNotConfigured
    }).pipe(
      endpointMetadata({
        access: Access.session,
        audited: "capability.start_connect",
        idempotency: "fact",
        holdsSecret: true,
        summary: "Start connecting the caller's account to a suite",
        description:
          "Open `url` in a browser. The suite redirects the browser to the callback, which stores nothing. Pass `state` and `code` to `capabilities.completeConnect` within ten minutes, in the same session."
      })
    ),
    HttpApiEndpoint.post("completeConnect", `${at}/complete`, {
      params: suite,
      payload: CompleteSuiteConnect,
      success: ConnectionResponse,
      error: [SuiteNotConfigured, SuiteAApiError, SuiteBApiError]
    }).pipe(
      endpointMetadata({
        access: Access.session,
        audited: "capability.connect",
        summary: "Finish connecting the caller's account to a suite",
        description: "Exchanges the authorization code for a credential and stores it, encrypted, for the caller."
      })
    ),
    HttpApiEndpoint.post("disconnect", `${at}/disconnect`, { params: suite, success: ConnectionResponse }).pipe(
      endpointMetadata({
        access: Access.session,
        audited: "capability.disconnect",
        summary: "Disconnect the caller's account from a suite",
        description: "Deletes the caller's credential for the suite. Idempotent."
      })
    ),
    HttpApiEndpoint.get("callback", "/v1/capabilities/callback", {
      query: callbackQuery,
      success: callbackSuccess
    }).pipe(
      endpointMetadata({
        access: Access.state,
        summary: "Receive the browser's redirect from a suite",
        description:
          "Stores nothing. Redirects the browser to the `returnTo` URL from `startConnect` with the state, code and issuer. Without `returnTo`, shows the values to pass to `completeConnect`."
      })
    )
  )
