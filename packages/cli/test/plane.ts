/** A real server and the CLI, both as processes. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compileCache } from "../../../test/compile-cache.ts"
import { addDatabase, cliProgram, serverProgram } from "../../../test/programs.ts"

export interface Run {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Starts a server with a temporary data directory. */
export const startPlane = async (env: (home: string) => Readonly<Record<string, string>> = () => ({})) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "orgplane-walk-")))
  addDatabase(join(home, "data"))
  const server = spawn(process.execPath, [serverProgram], {
    env: {
      ...compileCache,
      PATH: process.env["PATH"],
      ORGPLANE_PORT: "0",
      ORGPLANE_DATA_DIR: join(home, "data"),
      ORGPLANE_SEED: "none",
      ORGPLANE_CONSOLE: "false",
      ORGPLANE_DRAIN_SECONDS: "0",
      ...env(home)
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let baseUrl = ""
  let printed = ""
  for await (const chunk of server.stdout) {
    printed += String(chunk)
    const url = /serves (\S+)/.exec(printed)?.[1]
    if (url !== undefined) {
      baseUrl = url
      break
    }
  }
  if (baseUrl === "") throw new Error(`The server did not start: ${printed}`)

  /** Starts `orgplane` without a terminal. Each person has separate profiles. */
  const start = (person: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, [cliProgram, ...args], {
      env: {
        PATH: process.env["PATH"],
        ...compileCache,
        HOME: home,
        XDG_CONFIG_HOME: join(home, person),
        ORGPLANE_BASE_URL: baseUrl,
        ...env
      },
      stdio: "pipe"
    })
    const texts = { out: "", err: "" }
    child.stdout.on("data", (chunk: Buffer) => (texts.out += String(chunk)))
    child.stderr.on("data", (chunk: Buffer) => (texts.err += String(chunk)))
    child.stdin.on("error", () => {})
    const ended = once(child, "close").then(([code]): Run => ({ code: code as number | null, ...texts }))
    return { child, ended, texts }
  }

  return {
    home,
    baseUrl,
    start,
    run: (person: string, args: ReadonlyArray<string>, stdin = "", env: Readonly<Record<string, string>> = {}) => {
      const { child, ended } = start(person, args, env)
      child.stdin.end(stdin)
      return ended
    },
    /** Emails in the server's outbox. */
    emails: (): ReadonlyArray<{ readonly to: string; readonly text: string }> => {
      try {
        return readFileSync(join(home, "data/outbox.ndjson"), "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as { readonly to: string; readonly text: string })
      } catch {
        return []
      }
    },
    stop: async () => {
      server.kill("SIGTERM")
      if (server.exitCode === null) await once(server, "exit")
      rmSync(home, { recursive: true, force: true })
    }
  }
}

/** Starts a server that is allowed to reach loopback, with one workspace. */
export const startWorkspace = async (env: Readonly<Record<string, string>> = {}) => {
  const plane = await startPlane(() => ({
    ORGPLANE_LOG_LEVEL: "error",
    ORGPLANE_OUTBOUND_ALLOW: "127.0.0.0/8",
    ORGPLANE_OUTBOUND_ALLOW_HTTP: "127.0.0.1",
    ...env
  }))
  const response = await fetch(`${plane.baseUrl}/v1/bootstrap/workspace`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workspaceName: "Acme" })
  })
  const { session } = (await response.json()) as { readonly session: { readonly token: string } }
  return { origin: plane.baseUrl, token: session.token, close: plane.stop }
}
