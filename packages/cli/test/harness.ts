/** A server with responses from a table, and ways to run the CLI: as a process, on a terminal, in a script. */
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { afterEach } from "vitest"
import { compileCache } from "../../../test/compile-cache.ts"
import { cliProgram } from "../../../test/programs.ts"
import { Interrupted } from "../src/failure.ts"
import { commands } from "../src/generated/commands.ts"
import { send } from "../src/http.ts"
import type { Io, Sink } from "../src/io.ts"
import { run } from "../src/program.ts"

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly body?: unknown
  /** Sent instead of `body`. */
  readonly raw?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** The request never gets a response. */
  readonly silent?: true
}

type Responder = Reply | ReadonlyArray<Reply> | ((seen: Seen) => Reply)

const cleanups: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** Responds to `METHOD /path` from the table. The last of several replies is repeated. */
export const serve = async (table: Readonly<Record<string, Responder>>) => {
  const seen: Array<Seen> = []
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const path = request.url ?? "/"
      const one = {
        method: request.method ?? "GET",
        path,
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8")
      }
      seen.push(one)
      const key = `${one.method} ${path.split("?")[0] ?? ""}`
      const count = counts.get(key) ?? 0
      counts.set(key, count + 1)
      const responder = table[key] ?? { status: 404, body: { error: "route_not_found", message: "No such route." } }
      const reply = typeof responder === "function" ? responder(one) : responder
      const currentReply: Reply = Array.isArray(reply)
        ? (reply[Math.min(count, reply.length - 1)] as Reply)
        : (reply as Reply)
      if (currentReply.silent) return
      const text: string | Uint8Array =
        currentReply.raw ??
        (currentReply.body === undefined
          ? ""
          : typeof currentReply.body === "string"
            ? currentReply.body
            : JSON.stringify(currentReply.body))
      response.writeHead(currentReply.status ?? 200, {
        ...(currentReply.body === undefined ? {} : { "content-type": "application/json" }),
        "x-request-id": "req_1",
        ...currentReply.headers
      })
      response.end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  cleanups.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** A temporary directory, removed after the test. */
export const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "orgplane-cli-"))
  cleanups.push(() => rm(path, { recursive: true, force: true }))
  return path
}

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

interface Options {
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly config?: string | undefined
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

const envOf = ({ config, env, token = "ops_test", url }: Options): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  XDG_CONFIG_HOME: config ?? "/nonexistent/config",
  ...(url === undefined ? {} : { ORGPLANE_BASE_URL: url }),
  ...(token === "" ? {} : { ORGPLANE_TOKEN: token }),
  ...env
})

/** Starts the CLI as a process with pipes. */
export const start = (argv: ReadonlyArray<string>, options: Options = {}) => {
  const child = spawn(process.execPath, [cliProgram, ...argv], {
    env: { ...compileCache, ...envOf(options) },
    stdio: "pipe"
  })
  let [out, err] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
  child.stdin.on("error", () => {})
  child.stdin.end(options.stdin ?? "")
  const ended = new Promise<Ran>((resolve) => child.on("close", (code) => resolve({ code, out, err })))
  return { child, ended }
}

export const spawned = (argv: ReadonlyArray<string>, options: Options = {}): Promise<Ran> => start(argv, options).ended

/** The environment of a run that sends nothing. */
export const ioOf = (options: Options = {}): Io => ({
  argv: [],
  env: envOf(options),
  stdin: Object.assign(new PassThrough().end(), { isTTY: false }),
  out: { isTerminal: false, columns: undefined, write: async () => {} },
  err: { isTerminal: false, columns: undefined, write: async () => {} },
  send: () => Promise.reject(new Error("Nothing is sent.")),
  now: () => 0,
  sleep: async () => {},
  signal: new AbortController().signal,
  openBrowser: () => false
})

interface Terminal extends Options {
  /** Width of the terminal; undefined for a script. */
  readonly columns?: number
  /** Lines that the user types, one for each prompt. A function gets the line when the prompt appears. */
  readonly typed?: ReadonlyArray<string | (() => Promise<string>)>
  /** The time at which the virtual clock starts, or another clock. Default: the epoch. */
  readonly now?: string | (() => number)
  /** Interrupts the run at this time of its virtual clock. */
  readonly interruptAt?: number
  /** Height of the terminal. */
  readonly rows?: number
  /** The user's pager. Returns false if it cannot start. */
  readonly pages?: (commandLine: string, text: string) => boolean
  /** The user's browser. Default: none. Once it is opened, waits do not time out. */
  readonly opens?: (url: string) => Promise<void>
}

/**
 * Runs the CLI in this process with a virtual clock, on a terminal if `columns` is set. `hidden` contains the prompts
 * that were printed in raw mode, and `screen` the whole output with what the user typed.
 */
export const ran = async (
  argv: ReadonlyArray<string>,
  options: Terminal = {}
): Promise<Ran & { readonly hidden: string; readonly screen: string }> => {
  const terminal = options.columns !== undefined
  const text = { out: "", err: "" }
  const stdin = Object.assign(new PassThrough(), {
    isTTY: terminal,
    setRawMode: (raw: boolean) => {
      isRaw = raw
      return stdin
    }
  })
  let isRaw = false
  let hidden = ""
  let screen = ""
  let clock = typeof options.now === "string" ? Date.parse(options.now) : 0
  const typed = [...(options.typed ?? [])]
  const sink = (name: "out" | "err"): Sink => ({
    isTerminal: terminal,
    columns: options.columns,
    rows: options.rows,
    write: async (chunk) => {
      const output = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8")
      text[name] += output
      screen += output
      if (isRaw) hidden += output
      // A prompt ends with a space.
      if (name === "err" && typed.length > 0 && text.err.endsWith(" ")) {
        const line = typed.shift() ?? ""
        const type = (text: string) => {
          if (!isRaw) screen += `${text}\n`
          setImmediate(() => stdin.write(`${text}\r`))
        }
        if (typeof line === "string") type(line)
        else void line().then(type)
      }
    }
  })
  if (!terminal) stdin.end(options.stdin ?? "")
  // An empty list closes the terminal.
  if (terminal && options.typed?.length === 0) stdin.end()
  let browsing: Promise<void> | undefined
  const abort = new AbortController()
  const io: Io = {
    argv,
    env: envOf(options),
    stdin,
    out: sink("out"),
    err: sink("err"),
    send,
    now: () => (typeof options.now === "function" ? options.now() : clock),
    sleep: async (millis) => {
      if (browsing !== undefined) await browsing.then(() => new Promise(() => {}))
      clock += millis
      if (options.interruptAt !== undefined && clock >= options.interruptAt) throw new Interrupted("interrupted")
    },
    signal: abort.signal,
    ...(options.pages === undefined
      ? {}
      : { openPager: (commandLine, text) => Promise.resolve(options.pages?.(commandLine, text) ?? false) }),
    openBrowser: (url) => {
      browsing = options.opens?.(url)
      return browsing !== undefined
    }
  }
  const code = await run(io, commands)
  return { code, ...text, hidden, screen }
}
