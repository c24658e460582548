/** The environment of one run: arguments, input, output, network, clock. Tests provide their own. */
import type { Readable } from "node:stream"
import type { Send } from "@orgplane/client/transport"

export interface Sink {
  readonly isTerminal: boolean
  /** Width of the terminal. */
  readonly columns: number | undefined
  /** Height of the terminal. */
  readonly rows?: number | undefined
  write(text: string | Uint8Array): Promise<void>
}

export interface Io {
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown }
  readonly out: Sink
  readonly err: Sink
  /** Sends a request without following redirects. */
  readonly send: Send<Pick<Headers, "get">>
  readonly now: () => number
  /** Rejects when the run is interrupted. */
  readonly sleep: (millis: number) => Promise<void>
  readonly signal: AbortSignal
  /** Opens an http(s) URL in the user's browser. Returns false if there is no browser. */
  readonly openBrowser: (url: string) => boolean
  /** Shows a text in a pager until the user leaves it. Returns false if the pager cannot start or fails. */
  readonly openPager?: (commandLine: string, text: string) => Promise<boolean>
}

/** Whether the user can be prompted. */
export const canPrompt = (io: Io): boolean => io.stdin.isTTY === true && io.err.isTerminal

export const notify = (io: Io, line: string): Promise<void> => io.err.write(`${line}\n`)

/** Prints nothing if the text is empty, so that an empty list does not print a blank line. */
export const print = async (io: Io, text: string): Promise<void> => {
  if (text !== "") await io.out.write(`${text}\n`)
}

export const readAll = async (stream: Readable): Promise<Buffer<ArrayBuffer>> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks)
}
