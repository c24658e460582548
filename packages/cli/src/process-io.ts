/** The `Io` of a real process. */
import { openBrowser } from "./browser.ts"
import { Interrupted } from "./failure.ts"
import { send } from "./http.ts"
import type { Io } from "./io.ts"
import { standardError, standardOutput } from "./process-sinks.ts"

export const processIo = (): Io => {
  const interrupted = new AbortController()
  process.once("SIGINT", () => {
    interrupted.abort(new Error("interrupted"))
    // Exit immediately on a second Ctrl+C, or if the work ignores the signal.
    process.once("SIGINT", () => process.exit(130))
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
    openPager: async (commandLine, text) =>
      (await import("./process-pager.ts")).openPager(commandLine, text, process.env)
  }
}
