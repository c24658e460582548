/** Progress of a long command, on a terminal only. */

export interface Progress {
  /** Shows a phase; with a total, the part of it that is done. */
  readonly show: (phase: string, done?: number, total?: number) => void
  readonly end: () => void
}

const mebibytes = (bytes: number) => Math.round(bytes / (1024 * 1024))

const lineOf = (phase: string, done?: number, total?: number): string => {
  if (done === undefined) return phase
  if (total === undefined || total === 0) return `${phase}: ${mebibytes(done)} MiB`
  const percent = Math.min(100, Math.floor((done / total) * 100))
  return `${phase}: ${mebibytes(done)} of ${mebibytes(total)} MiB (${percent} %)`
}

const everyMillis = 200

/** Rewrites one line of the terminal at most five times per second. */
export const terminalProgress = (terminal: {
  readonly isTTY?: boolean
  write: (text: string) => unknown
}): Progress => {
  if (terminal.isTTY !== true) return { show: () => {}, end: () => {} }
  let line = ""
  let shown = ""
  const draw = () => {
    if (line === shown) return
    terminal.write(`\r\u001b[K${line}`)
    shown = line
  }
  const timer = setInterval(draw, everyMillis)
  timer.unref()
  return {
    show: (phase, done, total) => {
      line = lineOf(phase, done, total)
    },
    end: () => {
      clearInterval(timer)
      if (shown !== "") terminal.write("\r\u001b[K")
    }
  }
}
