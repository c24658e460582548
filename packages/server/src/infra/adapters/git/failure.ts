import * as Effect from "effect/Effect"
import { CodeHostFailed } from "../../ports/code-host.ts"
import { OutboundFailed } from "../../ports/outbound.ts"

export type Code = CodeHostFailed["code"]

export const failed = (code: Code, message: string, retryAfterMillis?: number): CodeHostFailed =>
  new CodeHostFailed({ code, message, ...(retryAfterMillis === undefined ? {} : { retryAfterMillis }) })

export const corrupt = (problem: string): CodeHostFailed => failed("corrupt", `The repository is damaged: ${problem}.`)

/** The result of the work; undefined when an object is missing or damaged. */
export const unlessCorrupt = async <A>(work: () => Promise<A>): Promise<A | undefined> => {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof CodeHostFailed && cause.code === "corrupt") return undefined
    throw cause
  }
}

export const limitExceeded = (limit: string): CodeHostFailed =>
  failed("limit_exceeded", `The repository exceeds a size limit: ${limit}.`)

const ofCode: Record<OutboundFailed["code"], (message: string) => CodeHostFailed> = {
  blocked: (message) => failed("blocked", message),
  invalid_url: (message) => failed("blocked", message),
  timeout: () => failed("timeout", "The code host did not respond in time."),
  too_large: () => limitExceeded("the code host's response is too large"),
  too_many_redirects: () =>
    failed("not_a_repository", "The URL redirects, and redirects are not followed. Use the URL that it redirects to."),
  busy: () => failed("rate_limited", "Too many requests to code hosts are in progress. Retry later.", 5000),
  unreachable: () => failed("unreachable", "The code host is unreachable or closed the connection.")
}

export const ofOutbound = ({ code, message }: OutboundFailed): CodeHostFailed => ofCode[code](message)

const errnoOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "syscall" in cause && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined

/**
 * Runs asynchronous work; an interruption aborts its signal. Of a file system error only the code is used, because its
 * message contains paths. Any other error that is not a failure of the port is a defect.
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
          ? failed("limit_exceeded", "There is no disk space left to receive the repository.")
          : failed("unreachable", "The repository cannot be read from disk.")
      )
    })
  )
