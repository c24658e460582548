/** Progress on stderr: a spinner on a terminal, a line every few seconds otherwise. */
import type { Io } from "./io.ts"
import { escapeControls } from "./output/escape.ts"
import { truncate } from "./output/width.ts"

export interface Progress {
  /** `share` is the completed fraction of the work, from 0 to 1, if known. */
  update(text: string, share?: number): Promise<void>
  stop(): Promise<void>
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const frameMillis = 100
const lineMillis = 3_000
const barCells = 20
const clearLine = "\r\u001b[2K"

const elapsed = (millis: number): string => {
  const seconds = Math.floor(millis / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, "0")}s`
}

const percent = (share: number) => `${Math.floor(share * 100)}%`

const bar = (share: number): string => {
  const full = Math.floor(share * barCells)
  return `${"█".repeat(full)}${"░".repeat(barCells - full)} ${percent(share)}`
}

const spinner = (io: Io, first: string): Progress => {
  const started = io.now()
  let text = first
  let frame = 0
  let done: number | undefined
  const draw = () => {
    const line = `${frames[frame++ % frames.length] ?? ""} ${done === undefined ? "" : `${bar(done)} `}${escapeControls(text)} ${elapsed(io.now() - started)}`
    void io.err.write(`${clearLine}${truncate(line, (io.err.columns ?? 80) - 1)}`)
  }
  draw()
  const timer = setInterval(draw, frameMillis)
  return {
    update: async (next, share) => {
      text = next
      done = share
      draw()
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
  let printed = ""
  return {
    update: async (description, share) => {
      const text = share === undefined ? description : `${description} (${percent(share)})`
      if (text === printed || io.now() - last < lineMillis) return
      last = io.now()
      printed = text
      await io.err.write(`${escapeControls(text)} ${elapsed(io.now() - started)}\n`)
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
