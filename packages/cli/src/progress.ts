/** What is going on, on standard error: a spinner for people, now and then a line for logs. */
import type { Io } from "./io.ts"
import { harmless } from "./output/harmless.ts"
import { truncate } from "./output/width.ts"

export interface Progress {
  update(text: string): Promise<void>
  stop(): Promise<void>
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const frameMillis = 100
const lineMillis = 3_000
const clearLine = "\r\u001b[2K"

const elapsed = (millis: number): string => {
  const seconds = Math.floor(millis / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, "0")}s`
}

const spinner = (io: Io, first: string): Progress => {
  const started = io.now()
  let text = first
  let frame = 0
  const draw = () => {
    const line = `${frames[frame++ % frames.length] ?? ""} ${harmless(text)} ${elapsed(io.now() - started)}`
    void io.err.write(`${clearLine}${truncate(line, (io.err.columns ?? 80) - 1)}`)
  }
  draw()
  const timer = setInterval(draw, frameMillis)
  return {
    update: async (next) => {
      text = next
    },
    stop: async () => {
      clearInterval(timer)
      await io.err.write(clearLine)
    }
  }
}

const lines = (io: Io): Progress => {
  const started = io.now()
  let last = Number.NEGATIVE_INFINITY
  let said = ""
  return {
    update: async (text) => {
      if (text === said || io.now() - last < lineMillis) return
      last = io.now()
      said = text
      await io.err.write(`${harmless(text)} ${elapsed(io.now() - started)}\n`)
    },
    stop: async () => {}
  }
}

const silent: Progress = { update: async () => {}, stop: async () => {} }

export const startProgress = async (io: Io, text: string, quiet: boolean): Promise<Progress> => {
  if (quiet) return silent
  if (io.err.isTerminal) return spinner(io, text)
  const progress = lines(io)
  await progress.update(text)
  return progress
}
