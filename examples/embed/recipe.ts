import { randomUUID } from "node:crypto"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { expect } from "vitest"
import { compileCache } from "../../test/compile-cache.ts"
import { freePort } from "../../test/free-port.ts"

/** Starts a recipe, and waits until it listens. */
const start = async (command: string, args: ReadonlyArray<string>, databaseUrl: string | undefined) => {
  const port = await freePort()
  const host = spawn(command, args, {
    env: {
      ...compileCache,
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      PORT: String(port),
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl, SECRET_KEYS: randomUUID() })
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  await new Promise<void>((resolve, reject) => {
    const read = (bytes: Buffer) => {
      output += bytes.toString()
      if (output.includes(`listening on ${port}`)) resolve()
    }
    host.stdout.on("data", read)
    host.stderr.on("data", read)
    host.once("error", reject)
    host.once("exit", (code) => reject(new Error(`The recipe ended with ${code}:\n${output}`)))
  })
  return { host, baseUrl: `http://127.0.0.1:${port}`, output: () => output }
}

/** What every recipe does: signs in and creates a plugin over HTTP, reads it through the host, and shuts down. */
export const checkRecipe = async (
  command: string,
  args: ReadonlyArray<string>,
  pluginsPath: string,
  { databaseUrl, exitCode = 0 }: { readonly databaseUrl?: string; readonly exitCode?: number } = {}
) => {
  const { baseUrl, host, output } = await start(command, args, databaseUrl)
  try {
    const send = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      fetch(`${baseUrl}${path}`, {
        headers: { "content-type": "application/json", connection: "close", ...headers },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
      })
    expect(await (await send("/")).text()).toContain("our home page")

    // An address can create five workspaces in an hour. The proxy reports six callers, which only a host that passes the
    // address of the proxy's connection can tell apart.
    let token = ""
    for (let caller = 1; caller <= 6; caller++) {
      const response = await send(
        "/orgplane/v1/bootstrap/workspace",
        { workspaceName: `Team ${caller}` },
        { "x-forwarded-for": `198.51.100.${caller}` }
      )
      const workspace = (await response.json()) as { session?: { token: string } }
      expect([caller, response.status]).toEqual([caller, 201])
      token = workspace.session?.token ?? ""
    }
    const authorization = `Bearer ${token}`
    expect((await send("/orgplane/v1/plugins", { name: "Reviewer" }, { authorization })).status).toBe(201)
    expect(await (await send(pluginsPath, undefined, { authorization })).text()).toContain("Reviewer")
    expect((await send("/v1/plugins", undefined, { authorization })).status).toBe(404)

    const ended = once(host, "exit")
    host.kill("SIGTERM")
    expect([await ended, output()]).toEqual([[exitCode, null], expect.any(String)])
  } finally {
    host.kill("SIGKILL")
  }
}
