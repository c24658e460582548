/** Wall time of the built CLI, compared with that of Node without a program. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "tsup"
import { cliBundle } from "../packages/cli/tsup.config.ts"
import { median, openDatabase, say, startCandidate } from "./harness.ts"

export interface CliOptions {
  readonly runs: number
}

/** A workspace with one plugin. */
const workspace = async (baseUrl: string): Promise<string> => {
  const post = async (path: string, token: string | undefined, body: unknown) => {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) }
    const response = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`)
    return (await response.json()) as { readonly session?: { readonly token: string } }
  }
  const token = (await post("/v1/bootstrap/workspace", undefined, { workspaceName: "Acme" })).session?.token
  if (token === undefined) throw new Error("The workspace has no session.")
  await post("/v1/plugins", token, { name: "Reviewer" })
  return token
}

/** Runs each command in turn, so that a change of the machine's load affects all of them. */
const timesOf = (commands: ReadonlyArray<ReadonlyArray<string>>, runs: number, env: Record<string, string>) => {
  const times = commands.map((): Array<number> => [])
  // The first run fills the compile cache.
  for (let run = -1; run < runs; run += 1) {
    for (const [index, args] of commands.entries()) {
      const began = performance.now()
      const { status, stderr } = spawnSync(process.execPath, args, { env })
      const millis = performance.now() - began
      if (status !== 0) throw new Error(`node ${args.join(" ")} exited with ${status}. ${String(stderr)}`)
      if (run >= 0) times[index]?.push(millis)
    }
  }
  return times
}

export const cliBench = async ({ runs }: CliOptions): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "orgplane-bench-cli-"))
  const database = await openDatabase()
  try {
    say("building the CLI")
    const entry = { main: join(import.meta.dirname, "../packages/cli/src/main.ts") }
    await build({ ...cliBundle, config: false, silent: true, entry, outDir: join(folder, "dist") })
    const program = join(folder, "dist/main.js")
    const server = await startCandidate(
      { name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) },
      database.url
    )
    try {
      const baseUrl = `http://127.0.0.1:${server.port}`
      const env = {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        ORGPLANE_BASE_URL: baseUrl,
        ORGPLANE_TOKEN: await workspace(baseUrl)
      }
      const node = ["-e", "0"]
      const commands = [["--help"], ["plugins", "list"], ["plugins", "--help"]]
      say(`running each command ${runs} times`)
      const usual = commands.map((args) => [program, ...args])
      const [nodeTimes = [], ...usualTimes] = timesOf([node, ...usual], runs, env)
      const [nodeWithoutCache = [], listWithoutCache = []] = timesOf([node, [program, "plugins", "list"]], runs, {
        ...env,
        NODE_DISABLE_COMPILE_CACHE: "1"
      })
      const rows: ReadonlyArray<readonly [string, ReadonlyArray<number>, ReadonlyArray<number>]> = [
        ["`node -e 0`", nodeTimes, nodeTimes],
        ...usualTimes.map((times, index) => [`\`orgplane ${commands[index]?.join(" ")}\``, times, nodeTimes] as const),
        ["`orgplane plugins list`, without the compile cache", listWithoutCache, nodeWithoutCache]
      ]
      return [
        "| command | minimum, ms | median, ms | minimum over Node | median over Node |",
        "|---|---|---|---|---|",
        ...rows.map(([name, times, base]) => {
          const [min, middle] = [Math.min(...times), median(times)]
          const over = [min - Math.min(...base), middle - median(base)]
          return `| ${name} | ${[min, middle, ...over].map((millis) => millis.toFixed(1)).join(" | ")} |`
        })
      ].join("\n")
    } finally {
      await server.stop()
    }
  } finally {
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
