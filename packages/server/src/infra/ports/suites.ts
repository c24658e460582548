import type { CalendarEvent, CreateMailDraft, MailMessage, Suite } from "@orgplane/schema/capabilities"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** How an operator's app is known at a suite: the JSON of `ORGPLANE_SUITE_A_OAUTH` and `ORGPLANE_SUITE_B_OAUTH`. */
export interface SuiteOAuth {
  /** Where a browser is sent. */
  readonly authorizationUrl: string
  /** Where codes and refresh tokens are exchanged; may be private. */
  readonly tokenUrl: string
  readonly clientId: string
  /** Absent for an app that has none: PKCE is used with and without. */
  readonly clientSecret?: string
  /** What is asked of a person; the least that does it unless told. */
  readonly scopes?: ReadonlyArray<string>
  /** Where a token is ended when a person disconnects. */
  readonly revocationUrl?: string
  /** What the suite calls itself where it says so; the origin of `authorizationUrl` unless told. */
  readonly issuer?: string
  /** Further parameters of the suite's own for `authorizationUrl`, in place of those that are sent unless told. */
  readonly authorizationParameters?: Readonly<Record<string, string>>
}

/** A suite as its operator set it up. */
export interface SuiteSettings {
  /** Base of its interface; may be private. */
  readonly url: string
  readonly oauth: SuiteOAuth
}

/** Where people sign in to a suite, and what this server is there. */
export interface SuiteSignIn {
  /** What its tokens are found by; changes when the operator names another server. */
  readonly issuer: string
  readonly authorizationUrl: string
  readonly tokenUrl: string
  readonly revocationUrl: string | null
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted | null
  readonly scopes: ReadonlyArray<string>
  /** Of the suite's own, for the authorization address. */
  readonly authorizationParameters: Readonly<Record<string, string>>
}

/** Whoever acts, and whose share of the sockets is used. */
export interface SuiteUser {
  readonly organizationId: string
  readonly token: Redacted.Redacted
}

export interface MeetingWish {
  readonly eventId: string
  /** Names the request for a state of the event: the suite ignores a request whose name it knows. */
  readonly requestIdFor: (state: string) => string
}

/**
 * Why the suite did not do it. `unauthorized`: it does not take the token. The message is a sentence of ours and holds
 * nothing that the suite said.
 */
export class SuiteFailed extends Data.TaggedError("SuiteFailed")<{
  readonly code: "unauthorized" | "forbidden" | "not_found" | "rate_limited" | "refused" | "unavailable" | "strange"
  readonly message: string
  readonly retryAfterSeconds?: number
}> {}

/** The suites that people work with: mail in the one, a calendar in the other. Each call ends in bounded time. */
export class Suites extends Context.Service<
  Suites,
  {
    /** Null where the operator has not set the suite up. */
    readonly signIn: (suite: Suite) => SuiteSignIn | null
    /** All that a call may take, from the look for the token on. */
    readonly timeoutMillis: number
    /** Makes a draft. There is nothing here that sends one. */
    readonly createDraft: (
      user: SuiteUser,
      draft: typeof CreateMailDraft.Type
    ) => Effect.Effect<MailMessage, SuiteFailed>
    readonly getMessage: (user: SuiteUser, messageId: string) => Effect.Effect<MailMessage, SuiteFailed>
    readonly getEvent: (user: SuiteUser, eventId: string) => Effect.Effect<CalendarEvent, SuiteFailed>
    /** Adds a meeting to an event that has none; `changed` says whether it did. */
    readonly addMeeting: (
      user: SuiteUser,
      wish: MeetingWish
    ) => Effect.Effect<{ readonly event: CalendarEvent; readonly changed: boolean }, SuiteFailed>
  }
>()("@orgplane/server/ports/Suites") {}
