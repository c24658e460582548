/** Progress of a long command: one changing line on a terminal, plain lines elsewhere. */

export interface Progress {
  /** Shows a phase; with a total, the part of it that is done, in bytes or rows. */
  readonly show: (phase: string, done?: number, total?: number, unit?: "bytes" | "rows") => void
  readonly end: () => void
}

const mebibytes = (bytes: number) => Math.round(bytes / (1024 * 1024))

const lineOf = (phase: string, done?: number, total?: number, unit: "bytes" | "rows" = "bytes"): string => {
  if (done === undefined) return phase
  const [amount, all, name] =
    unit === "bytes" ? [mebibytes(done), mebibytes(total ?? 0), "MiB"] : [done, total ?? 0, "rows"]
  if (total === undefined || total === 0) return `${phase}: ${amount} ${name}`
  const percent = Math.min(100, Math.floor((done / total) * 100))
  return `${phase}: ${amount} of ${all} ${name} (${percent} %)`
}

const everyMillis = 200
/** In a pipe, the shortest time between two lines, so that the log of a script stays short. */
const plainMillis = 5000

/** Rewrites one line of a terminal at most five times per second. Elsewhere, writes a line every five seconds. */
export const terminalProgress = (terminal: {
  readonly isTTY?: boolean
  write: (text: string) => unknown
}): Progress => {
  const isTerminal = terminal.isTTY === true
  let line = ""
  let shown = ""
  const draw = () => {
    if (line === shown) return
    terminal.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`)
    shown = line
  }
  const timer = setInterval(draw, isTerminal ? everyMillis : plainMillis)
  timer.unref()
  return {
    show: (phase, done, total, unit) => {
      line = lineOf(phase, done, total, unit)
    },
    end: () => {
      clearInterval(timer)
      if (isTerminal && shown !== "") terminal.write("\r\u001b[K")
    }
  }
}
