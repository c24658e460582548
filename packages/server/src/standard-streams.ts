/** What happens when standard output or standard error cannot be written. */
import { codeOf } from "./infra/sql/failure-code.ts"

/**
 * Keeps the process running when its log or its result cannot be written, because a disk is full or the reader of a pipe
 * has exited. Node.js would end the process, and a server or a backup with it. A lost result fails a command.
 */
export const surviveLostOutput = () => {
  process.stderr.on("error", () => {})
  process.stdout.on("error", (cause) => {
    // The reader, such as `head`, has read enough.
    if (codeOf(cause) === "EPIPE") return
    process.stderr.write(`Cannot write to standard output (${codeOf(cause) ?? "unknown error"}).\n`)
    process.exitCode = 1
  })
}
