import { open } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { OutboundFailed, type Outbound } from "../../ports/outbound.ts"
import { RemoteFailed } from "../../ports/remote-content.ts"
import { type ExpectedDigest, makeVerifier } from "../archive/index.ts"
import type { RemoteRequest, Rules } from "./rules.ts"

export const failed = (code: RemoteFailed["code"], message: string): RemoteFailed => new RemoteFailed({ code, message })

const ofOutbound: Record<OutboundFailed["code"], () => RemoteFailed> = {
  blocked: () => failed("blocked", "the URL, or one that it redirects to, is not allowed"),
  invalid_url: () => failed("blocked", "the URL, or one that it redirects to, is not allowed"),
  timeout: () => failed("unreachable", "the server did not respond in time"),
  too_large: () => failed("too_large", "it exceeds the size limit"),
  too_many_redirects: () => failed("unreachable", "the server redirects too many times"),
  busy: () => failed("unreachable", "too many requests are in progress"),
  unreachable: () => failed("unreachable", "the server is unreachable or closed the connection")
}

/** Runs asynchronous work. The text of a file system error is dropped, because it contains paths. */
export const attempt = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, RemoteFailed> =>
  Effect.tryPromise({ try: work, catch: (cause) => cause }).pipe(
    Effect.catch((cause) => {
      if (cause instanceof RemoteFailed) return Effect.fail(cause)
      if (cause instanceof OutboundFailed) return Effect.fail(ofOutbound[cause.code]())
      return cause instanceof Error && "syscall" in cause
        ? Effect.fail(failed("unreachable", "there is not enough disk space, or the disk cannot be read"))
        : Effect.die(cause)
    })
  )

export interface Fetching {
  readonly outbound: Outbound["Service"]
  readonly rules: Rules
  readonly organizationId: string
}

const refusalOf = (status: number): RemoteFailed | undefined =>
  status === 200
    ? undefined
    : status === 404 || status === 410
      ? failed("not_found", "the server responded that it does not exist")
      : failed("unreachable", `the server responded with status ${status}`)

/** A response with status 200; any other is a failure, and its text is never quoted. */
export const get = Effect.fnUntraced(function* (
  { outbound, organizationId, rules }: Fetching,
  request: RemoteRequest,
  accept: string,
  bodyBytesMax: number,
  timeoutMillis: number
) {
  const response = yield* outbound
    .stream({
      destination: request.destination,
      url: request.url,
      // If the server compressed the file again, it would not match its digest.
      headers: { accept, "accept-encoding": "identity", "user-agent": "orgplane" },
      bodyBytesMax,
      timeoutMillis,
      mayFollow: rules.mayFollow,
      organizationId
    })
    .pipe(Effect.mapError((failure) => ofOutbound[failure.code]()))
  const refusal = refusalOf(response.status)
  return refusal === undefined ? response : yield* refusal
})

/** Writes a response to a new file, and verifies it at the end. */
export const download = (
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  expected: ExpectedDigest
): Effect.Effect<void, RemoteFailed> =>
  attempt(async (signal) => {
    const verifier = makeVerifier(expected)
    const file = await open(path, "wx", 0o600)
    try {
      for await (const piece of pieces) {
        signal.throwIfAborted()
        verifier.update(piece)
        for (let done = 0; done < piece.length;) done += (await file.write(piece, done)).bytesWritten
      }
    } finally {
      await file.close()
    }
    if (!verifier.isExpected()) throw failed("pin_mismatch", "the content does not match its pin")
  })
