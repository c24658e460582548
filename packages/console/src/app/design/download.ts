/** Files that the browser saves: rows as CSV, and responses that the server sends as a stream. */
import { csvOf } from "./rows.ts"

export const saveFile = (name: string, content: Blob): void => {
  const url = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

export const saveCsv = (name: string, rows: ReadonlyArray<object>): void =>
  saveFile(name, new Blob([csvOf(rows)], { type: "text/csv" }))

const units = ["bytes", "kB", "MB", "GB", "TB"] as const

/** Such as `999 bytes` or `12.5 MB`, in decimal units. */
export const sizeText = (bytes: number): string => {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toLocaleString("en", { maximumFractionDigits: 1 })} ${units[power]}`
}

/** A larger file is downloaded with the CLI: the browser would have to keep it in memory. */
const downloadBytesMax = 1_000_000_000

export interface Progress {
  readonly bytes: number
  readonly lines: number
}

export class TooLargeError extends Error {
  constructor() {
    super(`The export is larger than ${sizeText(downloadBytesMax)}. Use the command that Show as code shows.`)
  }
}

/** Reads the stream to its end, and saves it. */
export const saveStream = async (
  stream: ReadableStream<Uint8Array>,
  name: string,
  type: string,
  onProgress?: (progress: Progress) => void
): Promise<Progress> => {
  const reader = stream.getReader()
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let bytes = 0
  let lines = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.byteLength
    if (bytes > downloadBytesMax) {
      await reader.cancel()
      throw new TooLargeError()
    }
    for (const byte of value) if (byte === 10) lines++
    parts.push(new Uint8Array(value))
    onProgress?.({ bytes, lines })
  }
  saveFile(name, new Blob(parts, { type }))
  return { bytes, lines }
}
