import * as Effect from "effect/Effect"
import { CodeHostFailed } from "../../ports/code-host.ts"
import { OutboundFailed } from "../../ports/outbound.ts"

export type Code = CodeHostFailed["code"]

export const failed = (code: Code, message: string, retryAfterMillis?: number): CodeHostFailed =>
  new CodeHostFailed({ code, message, ...(retryAfterMillis === undefined ? {} : { retryAfterMillis }) })

export const corrupt = (what: string): CodeHostFailed => failed("corrupt", `The repository is damaged: ${what}.`)

/** The result of the work; undefined when an object is missing or damaged. */
export const unlessCorrupt = async <A>(work: () => Promise<A>): Promise<A | undefined> => {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof CodeHostFailed && cause.code === "corrupt") return undefined
    throw cause
  }
}

export const limitExceeded = (what: string): CodeHostFailed =>
  failed("limit_exceeded", `The repository is larger than is accepted: ${what}.`)

const ofCode: Record<OutboundFailed["code"], (message: string) => CodeHostFailed> = {
  blocked: (message) => failed("blocked", message),
  invalid_url: (message) => failed("blocked", message),
  timeout: () => failed("timeout", "The code host did not answer in time."),
  too_large: () => limitExceeded("the host's answer is too long"),
  too_many_redirects: () =>
    failed("not_a_repository", "The address redirects, and redirects are not followed: use the address it leads to."),
  busy: () => failed("rate_limited", "Too many requests to code hosts are under way. Try again later.", 5000),
  unreachable: () => failed("unreachable", "The code host could not be reached or broke off.")
}

export const ofOutbound = ({ code, message }: OutboundFailed): CodeHostFailed => ofCode[code](message)

const errnoOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "syscall" in cause && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined

/**
 * Runs asynchronous work; an interruption aborts its signal. Of a file system error only the kind is kept, because its
 * text names paths; anything else that is not a failure of the port is a defect.
 */
export const attempt = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, CodeHostFailed> =>
  Effect.tryPromise({ try: work, catch: (cause) => cause }).pipe(
    Effect.catch((cause) => {
      if (cause instanceof CodeHostFailed) return Effect.fail(cause)
      if (cause instanceof OutboundFailed) return Effect.fail(ofOutbound(cause))
      const errno = errnoOf(cause)
      if (errno === undefined) return Effect.die(cause)
      return Effect.fail(
        errno === "ENOSPC"
          ? failed("limit_exceeded", "There is no room left to receive the repository.")
          : failed("unreachable", "The repository could not be read from disk.")
      )
    })
  )
