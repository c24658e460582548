import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** One plain-text email to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/**
 * Why an email was not sent. The message contains neither the address nor the server's response, which may contain the
 * address.
 */
export class MailFailed extends Data.TaggedError("MailFailed")<{
  /** `invalid`: the email itself cannot be sent; `refused`: the server rejects it. Neither is retried. */
  readonly code: "invalid" | "refused" | "unreachable" | "not_configured"
  readonly message: string
}> {}

/** Sends email. Returns when the next server has accepted the email, or fails within a minute. */
export class Mailer extends Context.Service<
  Mailer,
  { readonly send: (mail: Mail) => Effect.Effect<void, MailFailed> }
>()("@orgplane/server/ports/Mailer") {}
