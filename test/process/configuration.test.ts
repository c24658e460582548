import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { ask, beginServer, makeDataDir, makeFolder, runServer } from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const fileOf = (content: unknown): string => {
  const path = join(makeFolder(), "config.json")
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
  return path
}

describe("a configuration file", () => {
  it("configures the server with --config or ORGPLANE_CONFIG_FILE, and the environment overrides it", async () => {
    const path = fileOf({
      seed: "none",
      defaultPlan: "free",
      pathPrefix: "/tools",
      database: { dataDir: makeDataDir() }
    })
    const server = beginServer({ ORGPLANE_PATH_PREFIX: "/orgplane" }, { arguments: ["start", "--config", path] })
    const baseUrl = await server.serves
    expect(baseUrl).toMatch(/\/orgplane$/)
    expect((await ask(baseUrl, undefined, "GET", "/v1/ready")).status).toBe(200)
    const { body } = await ask(baseUrl, undefined, "POST", "/v1/bootstrap/workspace", { workspaceName: "Acme" })
    const organization = await ask(baseUrl, body.session.token, "GET", "/v1/organization")
    expect([organization.status, organization.text]).toEqual([200, expect.stringContaining('"free"')])
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" })

    const printed = await runServer({ ORGPLANE_CONFIG_FILE: path }, { arguments: ["config"] })
    expect(printed.stdout).toContain("ORGPLANE_DEFAULT_PLAN = free\n")
    expect(printed.stdout).toContain("ORGPLANE_PATH_PREFIX = /tools\n")
  })

  it("with unknown or malformed members is a configuration error", async () => {
    const path = fileOf({ databse: {}, port: 70_000 })
    expect(await runServer({}, { arguments: ["--config", path] })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `orgplane cannot start: The configuration file ${path} is not valid. databse is not a known member. Did you mean database? port must be between 0 and 65535.\n`
    })
    expect(await runServer({ ORGPLANE_CONFIG_FILE: "/missing.json" }, { arguments: ["migrate"] })).toMatchObject({
      code: 2,
      stderr:
        "orgplane cannot start: Cannot read the configuration file /missing.json (ENOENT). Check --config or ORGPLANE_CONFIG_FILE.\n"
    })
    expect(await runServer({}, { arguments: ["start", "--config"] })).toMatchObject({
      code: 2,
      stderr: "--config requires the path of a JSON file.\n"
    })
  })
})
