import { Buffer } from "node:buffer"

/** The frames of PostgreSQL's protocol that the session code reads and writes itself, over a socket or in process. */

export const type = {
  authentication: 0x52,
  backendKeyData: 0x4b,
  commandComplete: 0x43,
  copy: 0x63,
  copyBoth: 0x57,
  copyIn: 0x47,
  copyOut: 0x48,
  dataRow: 0x44,
  errorResponse: 0x45,
  flush: 0x48,
  noData: 0x6e,
  notification: 0x41,
  parse: 0x50,
  query: 0x51,
  readyForQuery: 0x5a,
  rowDescription: 0x54,
  sync: 0x53,
  terminate: 0x58
} as const

export const startupCode = { cancel: 80877102, ssl: 80877103, gssEncryption: 80877104 } as const

const frame = (kind: string, body: Buffer): Buffer => {
  const header = Buffer.alloc(5)
  header.write(kind, 0, "latin1")
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

export const sync = frame("S", Buffer.alloc(0))
export const query = (text: string) => frame("Q", Buffer.from(`${text}\0`))
export const readyForQuery = (status: "I" | "T" | "E") => frame("Z", Buffer.from(status))

export const backendKeyData = (processId: number, secret: number) => {
  const body = Buffer.alloc(8)
  body.writeInt32BE(processId, 0)
  body.writeInt32BE(secret, 4)
  return frame("K", body)
}

export const authenticationOk = frame("R", Buffer.alloc(4))

export const errorResponse = (code: string, message: string) =>
  frame("E", Buffer.from(`SERROR\0VERROR\0C${code}\0M${message}\0\0`))

/** The length field of a message, which includes its own four bytes; a smaller value would loop forever. */
const lengthAt = (bytes: Buffer, at: number): number => {
  const length = bytes.readInt32BE(at)
  if (length < 4) throw new Error("The server sent an invalid PostgreSQL message.")
  return length
}

/** The complete messages in a byte sequence, and the rest. */
export const splitFrames = (bytes: Buffer): { readonly frames: ReadonlyArray<Buffer>; readonly rest: Buffer } => {
  const frames: Array<Buffer> = []
  let at = 0
  while (at + 5 <= bytes.length) {
    const end = at + 1 + lengthAt(bytes, at + 1)
    if (end > bytes.length) break
    frames.push(bytes.subarray(at, end))
    at = end
  }
  return { frames, rest: bytes.subarray(at) }
}

/** The first message of a byte sequence; undefined until it has arrived completely. */
export const firstFrame = (bytes: Buffer): Buffer | undefined => {
  if (bytes.length < 5) return undefined
  const end = 1 + lengthAt(bytes, 1)
  return end > bytes.length ? undefined : bytes.subarray(0, end)
}

const refuseCopy =
  "DO $$ BEGIN RAISE EXCEPTION 'COPY through the connection is not available on the embedded database.' " +
  "USING ERRCODE = 'feature_not_supported'; END $$"

/**
 * Replaces statements that a shared backend cannot run. UNLISTEN would stop notifications for every session, so it
 * becomes the LISTEN that it would undo (a session ignores channels that are not its own). COPY would leave the backend
 * waiting for rows that no client sends, so it becomes an error.
 */
export const rewrite = (message: Buffer): Buffer => {
  const kind = message[0]
  if (kind !== type.parse && kind !== type.query) return message
  const nameEnd = kind === type.parse ? message.indexOf(0, 5) : 4
  const textEnd = message.indexOf(0, nameEnd + 1)
  // Only the start is inspected: statements may be megabytes.
  const start = message.toString("utf8", nameEnd + 1, Math.min(textEnd, nameEnd + 1001)).replace(leading, "")
  if (!/^(unlisten|copy)\b/i.test(start)) return message
  const replaced = /^copy/i.test(start)
    ? /\b(from\s+stdin|to\s+stdout)\b/i.test(message.toString("utf8", nameEnd + 1, textEnd))
      ? refuseCopy
      : undefined
    : /^unlisten\s*\*/i.test(start)
      ? "SELECT"
      : start.replace(/^unlisten/i, "LISTEN")
  if (replaced === undefined) return message
  return frame(
    String.fromCharCode(kind),
    Buffer.concat([message.subarray(5, nameEnd + 1), Buffer.from(replaced), message.subarray(textEnd)])
  )
}

const leading = /^(?:\s+|--[^\n]*\n|\/\*[^]*?\*\/)+/
