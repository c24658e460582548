/** The output streams of a real process. */
import type { WriteStream } from "node:tty"
import type { Sink } from "./io.ts"

const isBrokenPipe = (error: Error) => (error as NodeJS.ErrnoException).code === "EPIPE"

const sink = (stream: WriteStream): Sink => {
  stream.on("error", (error: Error) => {
    // The reader closed the pipe, as `head` does. This is not an error.
    if (isBrokenPipe(error)) process.exit(0)
    throw error
  })
  return {
    isTerminal: stream.isTTY,
    get columns() {
      return stream.isTTY ? stream.columns : undefined
    },
    get rows() {
      return stream.isTTY ? stream.rows : undefined
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) =>
          error === undefined || error === null || isBrokenPipe(error) ? resolve() : reject(error)
        )
      })
  }
}

export const standardOutput = (): Sink => sink(process.stdout)
export const standardError = (): Sink => sink(process.stderr)
