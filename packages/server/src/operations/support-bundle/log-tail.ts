/** Reads the end of a log file. */
import { constants } from "node:fs"
import { open } from "node:fs/promises"

/** The part of the log that a bundle contains, in bytes. */
export const logBytesMax = 10 * 1024 * 1024

/** The last lines of a file. A partial first line is omitted. */
export const readLogTail = async (path: string): Promise<string> => {
  // Otherwise this waits until another process opens a named pipe to write.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error(`${path} is not a regular file.`)
    const length = Math.min(stats.size, logBytesMax)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, stats.size - length)
    const text = buffer.subarray(0, bytesRead).toString("utf8")
    return length === stats.size ? text : text.slice(text.indexOf("\n") + 1)
  } finally {
    await file.close()
  }
}
