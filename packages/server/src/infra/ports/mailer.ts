import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** One letter in plain text, to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/**
 * Why a letter did not leave. The message holds neither the address nor what the other side said, because that names
 * the address too.
 */
export class MailFailed extends Data.TaggedError("MailFailed")<{
  /** `invalid`: the letter itself cannot be sent; `refused`: the server will not take it. Neither is tried again. */
  readonly code: "invalid" | "refused" | "unreachable" | "not_configured"
  readonly message: string
}> {}

/** Sends mail. Answers when somebody else is answerable for the letter, or fails within a minute. */
export class Mailer extends Context.Service<
  Mailer,
  { readonly send: (mail: Mail) => Effect.Effect<void, MailFailed> }
>()("@orgplane/server/ports/Mailer") {}
