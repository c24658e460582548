/**
 * The client scenarios of the official MCP conformance suite, with an orgplane server as the client. A scenario passes,
 * or is listed in `not-passing.json` with a reason; a listed scenario that passes fails the test.
 */
import { execFile, spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { makeFolder, seedOf, startServer } from "../../test/process/server.fixture.ts"
import { fileOf } from "../programs.ts"

const suite = fileOf("@modelcontextprotocol/conformance", "dist/index.js")
const client = join(import.meta.dirname, "client.ts")
const notPassing: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "not-passing.json"), "utf8")
)

const listed = spawnSync(process.execPath, [suite, "list", "--client"], { encoding: "utf8" }).stdout
const scenarios = [...listed.matchAll(/^ {2}- (\S+)/gmu)].map(([, name = ""]) => name)

const environment: Record<string, string> = {}
beforeAll(async () => {
  const dataDir = makeFolder()
  const server = await startServer({
    ORGPLANE_DATA_DIR: dataDir,
    ORGPLANE_SEED: "demo",
    // Never fetched: authorization servers receive the URL of our document, and browsers are redirected back to it.
    ORGPLANE_PUBLIC_URL: "https://orgplane.example",
    ORGPLANE_OUTBOUND_ALLOW: "127.0.0.0/8,::1",
    ORGPLANE_OUTBOUND_ALLOW_HTTP: "localhost"
  })
  environment["ORGPLANE_COUNTERPART_URL"] = server.baseUrl
  environment["ORGPLANE_COUNTERPART_TOKEN"] = seedOf(dataDir).ownerToken
})

interface Check {
  readonly id: string
  readonly status: string
  readonly description: string
  readonly errorMessage?: string
}

const run = async (scenario: string) => {
  const folder = makeFolder()
  const command = `"${process.execPath}" --no-warnings "${client}"`
  const [exitCode, output] = await new Promise<readonly [number, string]>((resolve) => {
    execFile(
      process.execPath,
      [suite, "client", "--command", command, "--scenario", scenario, "-o", folder, "--timeout", "60000"],
      { env: { ...process.env, ...environment } },
      (error, _, stderr) => resolve([error === null ? 0 : 1, stderr])
    )
  })
  const checks: ReadonlyArray<Check> = globSync(join(folder, "**/checks.json")).flatMap((file) =>
    JSON.parse(readFileSync(file, "utf8"))
  )
  const problems = checks
    .filter(({ status }) => status === "FAILURE" || status === "WARNING")
    .map(({ description, errorMessage, id, status }) => `${status} ${id}: ${errorMessage ?? description}`)
  return { hasPassed: exitCode === 0, wasRun: checks.length > 0, problems, output: output.slice(-4000) }
}

describe("orgplane as a client in the MCP conformance suite", () => {
  it("lists only existing scenarios as not passing, each with a reason", () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(26)
    expect(Object.keys(notPassing).filter((name) => !scenarios.includes(name))).toEqual([])
    expect(Object.values(notPassing).every((reason) => reason.length > 20)).toBe(true)
  })

  it.each(scenarios.filter((name) => !(name in notPassing)))("passes %s", async (scenario) => {
    const { hasPassed, output, problems } = await run(scenario)
    expect(problems).toEqual([])
    expect(hasPassed, output).toBe(true)
  })

  it.each(Object.entries(notPassing))("does not pass %s, as listed: %s", async (scenario) => {
    const { hasPassed, wasRun } = await run(scenario)
    expect([wasRun, hasPassed]).toEqual([true, false])
  })
})
