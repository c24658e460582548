import type { CalendarEvent, CreateMailDraft, MailMessage, Suite } from "@orgplane/schema/capabilities"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** The operator's OAuth app at a suite: the JSON of `ORGPLANE_SUITE_A_OAUTH` and `ORGPLANE_SUITE_B_OAUTH`. */
export interface SuiteOAuth {
  /** The URL that the browser is redirected to. */
  readonly authorizationUrl: string
  /** The endpoint for codes and refresh tokens; may be private. */
  readonly tokenUrl: string
  readonly clientId: string
  /** Absent for a public client. PKCE is always used. */
  readonly clientSecret?: string
  /** Default: the minimal scopes. */
  readonly scopes?: ReadonlyArray<string>
  /** The endpoint that revokes a token when a person disconnects. */
  readonly revocationUrl?: string
  /** The expected issuer. Default: the origin of `authorizationUrl`. */
  readonly issuer?: string
  /** Additional parameters of the suite for `authorizationUrl`; they replace the default ones. */
  readonly authorizationParameters?: Readonly<Record<string, string>>
}

/** A suite as its operator configured it. */
export interface SuiteSettings {
  /** Base URL of its API; may be private. */
  readonly url: string
  readonly oauth: SuiteOAuth
}

/** The endpoints for signing in to a suite, and this server's client there. */
export interface SuiteSignIn {
  /** The issuer that tokens are stored under; changes when the operator configures another server. */
  readonly issuer: string
  readonly authorizationUrl: string
  readonly tokenUrl: string
  readonly revocationUrl: string | null
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted | null
  readonly scopes: ReadonlyArray<string>
  /** Additional parameters of the suite for the authorization URL. */
  readonly authorizationParameters: Readonly<Record<string, string>>
}

/** The acting user, and the organization whose share of sockets is used. */
export interface SuiteUser {
  readonly organizationId: string
  readonly token: Redacted.Redacted
}

export interface MeetingWish {
  readonly eventId: string
  /** Returns a request ID derived from the event's state. The suite ignores a request whose ID it has already seen. */
  readonly requestIdFor: (state: string) => string
}

/**
 * Why a call failed. `unauthorized`: the suite rejects the token. The message contains no data from the suite's
 * response.
 */
export class SuiteFailed extends Data.TaggedError("SuiteFailed")<{
  readonly code: "unauthorized" | "forbidden" | "not_found" | "rate_limited" | "refused" | "unavailable" | "strange"
  readonly message: string
  readonly retryAfterSeconds?: number
}> {}

/** The connected suites: mail in one, a calendar in the other. Each call has a timeout. */
export class Suites extends Context.Service<
  Suites,
  {
    /** Null when the operator has not configured the suite. */
    readonly signIn: (suite: Suite) => SuiteSignIn | null
    /** Timeout of a call, including the lookup of the token. */
    readonly timeoutMillis: number
    /** Creates a draft. There is no operation that sends one. */
    readonly createDraft: (
      user: SuiteUser,
      draft: typeof CreateMailDraft.Type
    ) => Effect.Effect<MailMessage, SuiteFailed>
    readonly getMessage: (user: SuiteUser, messageId: string) => Effect.Effect<MailMessage, SuiteFailed>
    readonly getEvent: (user: SuiteUser, eventId: string) => Effect.Effect<CalendarEvent, SuiteFailed>
    /** Adds a meeting to an event without one; `changed` is true when it did. */
    readonly addMeeting: (
      user: SuiteUser,
      wish: MeetingWish
    ) => Effect.Effect<{ readonly event: CalendarEvent; readonly changed: boolean }, SuiteFailed>
  }
>()("@orgplane/server/ports/Suites") {}
