import type { CallResult } from "./call.ts"
import { delay } from "./delay.ts"
import { AbortedError, ConnectionError } from "./errors.ts"

/**
 * Events as they happen. Iterating it connects, and connects again after the last event when the connection ends. It
 * fails with the error of the server if it cannot be continued, for example with `forbidden` after the credential was
 * revoked. Stop it with `break`, or with the option `signal`.
 *
 * ```ts
 * for await (const event of client.events.stream({ types: "plugin.*" })) console.log(event.type)
 * ```
 */
export interface EventStream<Event> extends AsyncIterable<Event> {
  /** The sequence number of the last event, or of the last one that the server has passed. Resume with `after`. */
  readonly position: number | undefined
}

/** Opens a connection that continues after an event. */
type Connect = (lastEventId: string | undefined) => Promise<CallResult<ReadableStream<Uint8Array>>>

const pauseMillis = 1_000
const pauseMillisMax = 30_000
/** A server sends a comment every 15 seconds. */
const silenceMillisMax = 45_000

interface Frame {
  readonly id: string | undefined
  readonly data: string
}

/** One block of lines of a stream: https://html.spec.whatwg.org/multipage/server-sent-events.html */
const frameOf = (block: string): Frame => {
  let id: string | undefined
  const data: Array<string> = []
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":")
    if (colon <= 0) continue
    const value = line.slice(colon + 1).replace(/^ /, "")
    if (line.slice(0, colon) === "id") id = value
    if (line.slice(0, colon) === "data") data.push(value)
  }
  return { id, data: data.join("\n") }
}

/** The frames of a connection. Fails if the server is silent for too long. */
async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  try {
    for (;;) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new ConnectionError({ code: "connection_failed", message: "The stream of events was silent." })),
          silenceMillisMax
        )
      })
      const { done, value } = await Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer))
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split("\n\n")
      text = blocks.pop() ?? ""
      for (const block of blocks) yield frameOf(block)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Whether a failure of a connection is temporary. */
const isTemporary = (error: unknown) => {
  if (error instanceof AbortedError) return false
  const status = (error as { readonly status?: number }).status
  return error instanceof ConnectionError || error instanceof TypeError || status === 429 || (status ?? 0) >= 500
}

/** Creates a stream that connects again until it is stopped. */
export const makeEventStream = (connect: Connect, signal: AbortSignal | undefined): EventStream<unknown> => {
  let lastId: string | undefined
  async function* iterate() {
    let pause = pauseMillis
    for (;;) {
      try {
        const { data } = await connect(lastId)
        for await (const frame of framesOf(data)) {
          if (frame.id !== undefined) lastId = frame.id
          pause = pauseMillis
          if (frame.data !== "") yield JSON.parse(frame.data) as unknown
        }
      } catch (error) {
        if (signal?.aborted === true || !isTemporary(error)) throw error
      }
      await delay(pause * (0.5 + Math.random() / 2), signal).catch((cause: unknown) => {
        throw new AbortedError({ code: "aborted", message: "The stream was aborted.", cause })
      })
      pause = Math.min(pause * 2, pauseMillisMax)
    }
  }
  return {
    get position() {
      return lastId === undefined ? undefined : Number(lastId)
    },
    [Symbol.asyncIterator]: iterate
  }
}
