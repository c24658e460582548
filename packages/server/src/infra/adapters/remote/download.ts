import { open } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { OutboundFailed, type Outbound } from "../../ports/outbound.ts"
import { RemoteFailed } from "../../ports/remote-content.ts"
import { type Expected, makeJudge } from "../archive/index.ts"
import type { Asked, Rules } from "./rules.ts"

export const failed = (code: RemoteFailed["code"], message: string): RemoteFailed => new RemoteFailed({ code, message })

const ofOutbound: Record<OutboundFailed["code"], () => RemoteFailed> = {
  blocked: () => failed("blocked", "the address, or one that it redirects to, may not be reached"),
  invalid_url: () => failed("blocked", "the address, or one that it redirects to, may not be reached"),
  timeout: () => failed("unreachable", "the server did not answer in time"),
  too_large: () => failed("too_large", "it is larger than is accepted"),
  too_many_redirects: () => failed("unreachable", "the server redirects too many times"),
  busy: () => failed("unreachable", "too many requests are under way"),
  unreachable: () => failed("unreachable", "the server could not be reached or broke off")
}

/** Runs asynchronous work. A file system error keeps its kind only, because its text names paths. */
export const attempt = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, RemoteFailed> =>
  Effect.tryPromise({ try: work, catch: (cause) => cause }).pipe(
    Effect.catch((cause) => {
      if (cause instanceof RemoteFailed) return Effect.fail(cause)
      if (cause instanceof OutboundFailed) return Effect.fail(ofOutbound[cause.code]())
      return cause instanceof Error && "syscall" in cause
        ? Effect.fail(failed("unreachable", "there is no room to unpack it, or the disk cannot be read"))
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
      ? failed("not_found", "the server has nothing there")
      : failed("unreachable", `the server answered with status ${status}`)

/** An answer with a body; what is no 200 is a failure, and its text is never quoted. */
export const get = Effect.fnUntraced(function* (
  { outbound, organizationId, rules }: Fetching,
  asked: Asked,
  accept: string,
  bodyBytesMax: number,
  timeoutMillis: number
) {
  const response = yield* outbound
    .stream({
      destination: asked.destination,
      url: asked.url,
      // A file that is compressed once more on its way would not be the one that is pinned.
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

/** Writes what comes to a new file, and says at its end whether it is what was pinned. */
export const download = (
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  expected: Expected
): Effect.Effect<void, RemoteFailed> =>
  attempt(async (signal) => {
    const judge = makeJudge(expected)
    const file = await open(path, "wx", 0o600)
    try {
      for await (const piece of pieces) {
        signal.throwIfAborted()
        judge.update(piece)
        for (let done = 0; done < piece.length;) done += (await file.write(piece, done)).bytesWritten
      }
    } finally {
      await file.close()
    }
    if (!judge.isExpected()) throw failed("pin_mismatch", "what the server sends is not what is pinned")
  })
