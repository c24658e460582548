/** The `Io` of a real process. */
import type { WriteStream } from "node:tty"
import { openBrowser } from "./browser.ts"
import type { Io, Sink } from "./io.ts"

const isBrokenPipe = (error: Error) => (error as NodeJS.ErrnoException).code === "EPIPE"

const sink = (stream: WriteStream): Sink => ({
  isTerminal: stream.isTTY,
  get columns() {
    return stream.isTTY ? stream.columns : undefined
  },
  write: (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) =>
        error === undefined || error === null || isBrokenPipe(error) ? resolve() : reject(error)
      )
    })
})

export const processIo = (): { readonly io: Io } => {
  const interrupted = new AbortController()
  for (const stream of [process.stdout, process.stderr]) {
    // The reader closed the pipe, as `head` does. This is not an error.
    stream.on("error", (error: Error) => {
      if (isBrokenPipe(error)) process.exit(0)
      throw error
    })
  }
  process.once("SIGINT", () => {
    interrupted.abort(new Error("interrupted"))
    // Exit immediately on a second Ctrl+C, or if the work ignores the signal.
    process.once("SIGINT", () => process.exit(130))
    setTimeout(() => process.exit(130), 500).unref()
  })
  return {
    io: {
      argv: process.argv.slice(2),
      env: process.env,
      // Node creates the stream on first access, and most commands never need it.
      get stdin() {
        return process.stdin
      },
      out: sink(process.stdout),
      err: sink(process.stderr),
      fetch: (request) => fetch(request),
      now: () => Date.now(),
      sleep: async (millis) => {
        const { setTimeout: after } = await import("node:timers/promises")
        const { Interrupted } = await import("./failure.ts")
        await after(millis, undefined, { signal: interrupted.signal }).catch(() => {
          throw new Interrupted("interrupted")
        })
      },
      signal: interrupted.signal,
      openBrowser: (url) => openBrowser(url, process.env)
    }
  }
}
