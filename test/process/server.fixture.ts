import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { compileCache } from "../compile-cache.ts"
import { addDatabase, serverProgram } from "../programs.ts"

const children = new Set<ChildProcess>()
const folders: Array<string> = []
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL")
      await once(child, "exit")
    }
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** A folder that is removed after the file's tests. */
export const makeFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "orgplane-process-")))
  folders.push(folder)
  return folder
}

/** A data directory with a migrated database, for tests that are not about the first start. */
export const makeDataDir = (): string => {
  const folder = makeFolder()
  addDatabase(folder)
  return folder
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly pid: number
  readonly baseUrl: string
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  /** Resolves when the process ends. */
  readonly ended: Promise<Ended>
}

interface Command {
  /** Arguments of the program. */
  readonly arguments?: ReadonlyArray<string>
  /** A wrapper program and its arguments. */
  readonly through?: readonly [string, ...Array<string>]
  /** Default: the bundle of this repository. */
  readonly program?: string
}

const begin = (environment: Readonly<Record<string, string>>, command: Command = {}) => {
  const [executable, ...before] = [...(command.through ?? []), process.execPath] as const
  const child = spawn(executable ?? "", [...before, command.program ?? serverProgram, ...(command.arguments ?? [])], {
    cwd: tmpdir(),
    env: {
      PATH: process.env["PATH"] ?? "",
      ...compileCache,
      NODE_NO_WARNINGS: "1",
      ORGPLANE_PORT: "0",
      ORGPLANE_LOG_LEVEL: "error",
      // The bundle does not contain it, and no test of a process needs its pages.
      ORGPLANE_CONSOLE: "false",
      // No load balancer, so no drain.
      ORGPLANE_DRAIN_SECONDS: "0",
      ...environment
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  children.add(child)
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
  const ended = once(child, "close").then(([code, signal]): Ended => {
    children.delete(child)
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, ...output }
  })
  return { child, output, ended }
}

/** Whether `onTerminal` can be used: `script` of util-linux is installed. */
export const hasTerminals = spawnSync("script", ["--version"]).status === 0

/** Runs the program on a terminal, which reads its input from a file. Its standard error is then a part of its output. */
export const onTerminal = (input = "/dev/null"): readonly [string, ...Array<string>] => [
  "sh",
  "-c",
  // The pipe is also opened for writing, because the input ends when a named pipe has no writer.
  'exec script -qec "$*" /dev/null 0<>"$0"',
  input
]

/** Starts the program without waiting until it serves. */
export const beginServer = (environment: Readonly<Record<string, string>>, command?: Command) => {
  const { child, ended, output } = begin(environment, command)
  const greeting = /^orgplane serves (\S+)$/m
  const serves = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const url = greeting.exec(output.stdout)?.[1]
      if (url !== undefined) resolve(url)
    })
    void ended.then(({ code, stderr }) => reject(new Error(`The program exited with code ${code}: ${stderr}`)))
  })
  // A caller that waits only for the exit gets no error that the process never served.
  serves.catch(() => {})
  return {
    pid: child.pid ?? 0,
    serves,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    ended
  }
}

/** Starts the program and waits until it serves. */
export const startServer = async (
  environment: Readonly<Record<string, string>>,
  command?: Command
): Promise<Running> => {
  const { serves, ...running } = beginServer(environment, command)
  return { ...running, baseUrl: await serves }
}

/** Runs the program until it exits. */
export const runServer = (environment: Readonly<Record<string, string>>, command?: Command): Promise<Ended> =>
  begin(environment, command).ended

export interface Seed {
  readonly baseUrl: string
  readonly pid: number
  readonly organizationId: string
  readonly ownerToken: string
  readonly connectorInstanceId: string
  readonly connectorTargetId: string
  readonly marketplaceId: string
  readonly pluginId: string
  readonly configObjectId: string
}

export const seedOf = (dataDir: string): Seed => JSON.parse(readFileSync(join(dataDir, "seed.json"), "utf8")) as Seed

export interface HttpResponse {
  readonly status: number
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read response bodies, and expect() checks them
  readonly body: any
}

export const ask = async (
  baseUrl: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown
): Promise<HttpResponse> => {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    body: response.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : undefined
  }
}

/** Creates a workspace on a server and returns its session token. */
export const makeWorkspace = async (baseUrl: string): Promise<string> => {
  const created = await ask(baseUrl, undefined, "POST", "/v1/bootstrap/workspace", { workspaceName: "Acme" })
  return created.body.session.token as string
}

/** Repeats a read until its result satisfies the condition. */
export const until = async <A>(read: () => Promise<A>, isExpected: (result: A) => boolean): Promise<A> => {
  for (let pause = 10; ; pause = Math.min(pause * 1.3, 250)) {
    const result = await read()
    if (isExpected(result)) return result
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
