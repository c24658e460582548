/** Saves a response that the server sends as a stream. */
import { saveFile } from "../../design/rows.ts"

/** A larger file is downloaded with the CLI: the browser would have to keep it in memory. */
export const downloadMax = 256 * 1024 * 1024

export interface Progress {
  readonly bytes: number
  readonly lines: number
}

export class TooLargeError extends Error {
  constructor() {
    super("The export is larger than 256 MiB. Narrow the filters, or use the command that Show as code shows.")
  }
}

/** Reads the stream to its end, and saves it. */
export const saveStream = async (
  stream: ReadableStream<Uint8Array>,
  name: string,
  type: string,
  onProgress: (progress: Progress) => void
): Promise<Progress> => {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const parts: Array<string> = []
  let bytes = 0
  let lines = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.byteLength
    if (bytes > downloadMax) {
      await reader.cancel()
      throw new TooLargeError()
    }
    for (const byte of value) if (byte === 10) lines++
    parts.push(decoder.decode(value, { stream: true }))
    onProgress({ bytes, lines })
  }
  parts.push(decoder.decode())
  saveFile(name, type, parts.join(""))
  return { bytes, lines }
}

const units = ["B", "KiB", "MiB"]

export const sizeOf = (bytes: number): string => {
  const power = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : 2
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power] ?? "B"}`
}
