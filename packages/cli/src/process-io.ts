/** The `Io` of a real process. */
import { openBrowser } from "./browser.ts"
import { Interrupted } from "./failure.ts"
import { send } from "./http.ts"
import type { Io } from "./io.ts"
import { standardError, standardOutput } from "./process-sinks.ts"

export const processIo = (): Io => {
  const interrupted = new AbortController()
  let isPaging = false
  process.on("SIGINT", () => {
    // Ctrl+C is for the pager, which decides what it does.
    if (isPaging) return
    // Exit immediately on a second Ctrl+C, or if the work ignores the signal.
    if (interrupted.signal.aborted) process.exit(130)
    interrupted.abort(new Error("interrupted"))
    setTimeout(() => process.exit(130), 500).unref()
  })
  return {
    argv: process.argv.slice(2),
    env: process.env,
    // Node creates the stream on first access, and most commands never need it.
    get stdin() {
      return process.stdin
    },
    out: standardOutput(),
    err: standardError(),
    send,
    now: () => Date.now(),
    sleep: async (millis) => {
      const { setTimeout: after } = await import("node:timers/promises")
      await after(millis, undefined, { signal: interrupted.signal }).catch(() => {
        throw new Interrupted("interrupted")
      })
    },
    signal: interrupted.signal,
    openBrowser: (url) => openBrowser(url, process.env),
    openPager: async (commandLine, text) => {
      const { openPager } = await import("./process-pager.ts")
      isPaging = true
      try {
        return await openPager(commandLine, text, process.env)
      } finally {
        isPaging = false
      }
    }
  }
}
