/** What agents do in the suites a person works with: as that person, with their own connection, and never more. */
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

const yes = Schema.Literal(true)

export const Suite = Schema.Literals(["suite-a", "suite-b"]).annotate({
  identifier: "Suite",
  description: "`suite-a` holds mail, `suite-b` the calendar."
})
export type Suite = typeof Suite.Type

/** The caller's own connection to a suite. */
export const CapabilityConnection = Schema.Struct({
  suite: Suite,
  configured: Schema.Boolean.annotate({ description: "The operator has set the suite up; nobody can connect before." }),
  status: Schema.Literals(["not_connected", "ready", "reconnect_required"]),
  statusReason: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String).annotate({ description: "What the person has allowed." }),
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
  receivedDateTime: Schema.NullOr(Schema.String).annotate({ description: "Of a draft, what the suite says of it." }),
  preview: Schema.String,
  from: Schema.NullOr(Mailbox),
  to: Schema.Array(Mailbox),
  cc: Schema.Array(Mailbox),
  webLink: Schema.NullOr(Schema.String),
  hasAttachments: Schema.Boolean,
  body: Schema.String,
  bodyContentType: Schema.String.annotate({
    description: "`text`, as it was asked for; `html` where the suite gave that."
  }),
  bodyTruncated: Schema.Boolean.annotate({
    description: "The body is longer than 200 000 characters; these are the first."
  })
}).annotate({ identifier: "MailMessage" })
export type MailMessage = typeof MailMessage.Type

export const CalendarEvent = Schema.Struct({
  ok: yes,
  eventId: Schema.String,
  htmlLink: Schema.String,
  summary: Schema.String,
  start: Schema.String.annotate({ description: "A moment with its offset, or a day." }),
  end: Schema.String.annotate({ description: "A moment with its offset, or a day." }),
  meetLink: Schema.NullOr(Schema.String).annotate({ description: "Null while the event has none." })
}).annotate({ identifier: "CalendarEvent" })
export type CalendarEvent = typeof CalendarEvent.Type

// Payloads

// oxlint-disable-next-line no-control-regex -- matching control characters is intended
const controls = /[\u0000-\u001f\u007f-\u009f]/u

/** A suite's own identifier: whatever it is, it must stay one segment of the suite's path. */
const SuiteId = (maximum: number) =>
  Schema.String.check(
    Schema.isBetweenCodePoints(1, maximum),
    Schema.makeFilter((text: string) =>
      !text.isWellFormed() || controls.test(text) || text.split(/[/\\]/u).some((part) => part === "." || part === "..")
        ? "must hold neither control characters, half of a surrogate pair, nor the path parts . and .."
        : undefined
    )
  )

/** As the suite takes them: no leading dot, no two dots in a row, labels of letters, digits and hyphens. */
const address =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}(?<!\.)@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/u
export const MailAddress = Text(3, 254).check(Schema.isPattern(address, { message: "must be an e-mail address" }))

/** A header's text goes on one line: a line break would begin another header. */
const HeaderText = (minimum: number, maximum: number) =>
  Text(minimum, maximum).check(
    // oxlint-disable-next-line no-control-regex -- matching control characters is intended
    Schema.isPattern(/^[^\u0000-\u0008\u000a-\u001f\u007f\u0085\u2028\u2029]*$/u, {
      message: "must hold neither line breaks nor control characters"
    })
  )

const Addresses = (minimum: number) =>
  Schema.Array(MailAddress).check(Schema.isMinLength(minimum), Schema.isMaxLength(50))

export const CreateMailDraft = Schema.Struct({
  to: Addresses(1),
  subject: HeaderText(1, 998),
  body: Text(0, 200_000).annotate({ description: "Plain text." }),
  cc: Schema.optionalKey(Addresses(0)),
  bcc: Schema.optionalKey(Addresses(0))
}).annotate({ identifier: "CreateMailDraft" })

export const UpdateCalendarEvent = Schema.Struct({
  createMeetLink: Schema.Boolean.annotate({ description: "`false` changes nothing and answers the event as it is." })
}).annotate({ identifier: "UpdateCalendarEvent" })

export const CompleteSuiteConnect = Schema.Struct({
  state: Text(1, 255),
  code: Text(1, 4096),
  iss: Schema.optionalKey(Text(1, 2048))
}).annotate({ identifier: "CompleteSuiteConnect" })

// Errors

/** 409: the caller has no connection to the suite, or none that still works. */
export class NeedsConnection extends notConnected(
  "needs_connection",
  "Connect your account first."
)<NeedsConnection>() {}
/** 502: the mail suite failed, refused, or gave no answer in 30 seconds. */
export class SuiteAApiError extends badGateway(
  "suite_a_api_error",
  "The mail suite did not do it."
)<SuiteAApiError>() {}
/** 502: the calendar suite failed, refused, or gave no answer in 30 seconds. */
export class SuiteBApiError extends badGateway(
  "suite_b_api_error",
  "The calendar suite did not do it."
)<SuiteBApiError>() {}
export class SuiteNotConfigured extends conflict(
  "suite_not_configured",
  "The operator of this server has not set the suite up."
)<SuiteNotConfigured>() {}

// Operations

const suite = { suite: Suite }
const at = "/v1/capabilities/connections/:suite"
const ConnectionAnswer = Schema.Struct({ connection: CapabilityConnection })
export const group = HttpApiGroup.make("capabilities")
  .annotateMerge(
    OpenApi.annotations({
      title: "Capabilities",
      description: "Mail drafts, messages and meeting links, as the calling person. Never sends."
    })
  )
  .add(
    HttpApiEndpoint.post("createMailDraft", "/v1/capabilities/suite-a/mail-drafts", {
      payload: CreateMailDraft,
      success: Schema.Struct({ ok: yes, draft: MailMessage }),
      error: [NeedsConnection, SuiteAApiError]
    }).pipe(
      endpointMetadata({
        access: Access.session,
        specified: true,
        audited: "capability.create_mail_draft",
        idempotency: "fact",
        holdsSecret: true,
        summary: "Creates a draft in the caller's mailbox; it is never sent."
      })
    ),
    HttpApiEndpoint.get("getMailMessage", "/v1/capabilities/suite-a/mail-message/:messageId", {
      params: { messageId: SuiteId(1024) },
      success: Schema.Struct({ ok: yes, message: MailMessage }),
      error: [NeedsConnection, SuiteAApiError]
    }).pipe(
      endpointMetadata({
        access: Access.session,
        specified: true,
        holdsSecret: true,
        summary: "Reads one message of the caller's mailbox, its body as plain text."
      })
    ),
    HttpApiEndpoint.patch("updateCalendarEvent", "/v1/capabilities/suite-b/calendar-event/:eventId", {
      params: { eventId: SuiteId(512) },
      payload: UpdateCalendarEvent,
      success: CalendarEvent,
      error: [NeedsConnection, SuiteBApiError]
    }).pipe(
      endpointMetadata({
        access: Access.session,
        specified: true,
        audited: "capability.update_calendar_event",
        holdsSecret: true,
        summary: "Adds a video meeting to an event of the caller's primary calendar; one that has it keeps it."
      })
    ),
    HttpApiEndpoint.get("listConnections", "/v1/capabilities/connections", {
      query: pageQuery,
      success: Page(CapabilityConnection)
    }).pipe(
      endpointMetadata({
        access: Access.session,
        paged: true,
        summary: "Lists the caller's connections, one for each suite."
      })
    ),
    HttpApiEndpoint.get("getConnection", at, { params: suite, success: ConnectionAnswer }).pipe(
      endpointMetadata({ access: Access.session, summary: "Gets the caller's connection to a suite." })
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
        summary: "Begins to connect the caller's account at a suite.",
        description:
          "Open `url` in a browser. The suite sends it to our callback, which stores nothing: hand `state` and `code` to the completion within ten minutes, in the same session."
      })
    ),
    HttpApiEndpoint.post("completeConnect", `${at}/complete`, {
      params: suite,
      payload: CompleteSuiteConnect,
      success: ConnectionAnswer,
      error: [SuiteNotConfigured, SuiteAApiError, SuiteBApiError]
    }).pipe(
      endpointMetadata({
        access: Access.session,
        audited: "capability.connect",
        summary: "Exchanges what the browser brought back for the caller's own credential, and keeps it sealed."
      })
    ),
    HttpApiEndpoint.post("disconnect", `${at}/disconnect`, { params: suite, success: ConnectionAnswer }).pipe(
      endpointMetadata({
        access: Access.session,
        audited: "capability.disconnect",
        summary: "Deletes the caller's credential for a suite; twice changes nothing."
      })
    ),
    HttpApiEndpoint.get("callback", "/v1/capabilities/callback", {
      query: callbackQuery,
      success: callbackSuccess
    }).pipe(
      endpointMetadata({
        access: Access.state,
        summary: "Where a browser comes back to from a suite; stores nothing.",
        description:
          "Sends the browser on to the `returnTo` of the start with state, code and issuer, or shows what to hand to the completion."
      })
    )
  )
