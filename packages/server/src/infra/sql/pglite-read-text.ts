import { Buffer } from "node:buffer"
import type { Backend } from "./pglite-sessions.ts"
import * as Wire from "./wire.ts"

/** Runs one statement on the backend, and returns the first column of its first row as text. */
export type ReadText = (statement: string) => Promise<string | undefined>

/** After the type, the length and the number of columns. */
const firstColumnAt = 7

const firstColumn = (row: Buffer): string | undefined => {
  const length = row.readInt32BE(firstColumnAt)
  return length < 0 ? undefined : row.toString("utf8", firstColumnAt + 4, firstColumnAt + 4 + length)
}

const messageField = (response: Buffer): string =>
  response
    .toString("utf8", 5)
    .split("\0")
    .find((field) => field.startsWith("M"))
    ?.slice(1) ?? "unknown error"

/** Sends statements to a backend that no session uses at the same time. */
export const readTextWith =
  (backend: Backend): ReadText =>
  async (statement) => {
    let rest: Buffer = Buffer.alloc(0)
    let text: string | undefined
    let hasRow = false
    let failure: string | undefined
    await backend.exec(Wire.query(statement), (bytes) => {
      const split = Wire.splitFrames(Buffer.concat([rest, bytes]))
      rest = split.rest
      for (const message of split.frames) {
        if (message[0] === Wire.type.errorResponse) failure = messageField(message)
        if (message[0] !== Wire.type.dataRow || hasRow) continue
        hasRow = true
        text = firstColumn(message)
      }
    })
    if (failure !== undefined) throw new Error(`The embedded database rejects a statement: ${failure}`)
    return text
  }
