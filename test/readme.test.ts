import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { compileCache } from "./compile-cache.ts"

// Real processes and new databases: fast alone, slow while other suites run.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const root = join(import.meta.dirname, "..")
const readme = readFileSync(join(root, "README.md"), "utf8")
const run = promisify(execFile)

/** The first code block of a section; without a heading, the first of the file. */
const codeOf = (language: string, heading?: string): string => {
  const section = heading === undefined ? readme : (readme.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "")
  const code = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(section)?.[1]
  if (code === undefined)
    throw new Error(`The README has no ${language} block${heading === undefined ? "" : ` in ${heading}`}.`)
  return code
}

const folder = mkdtempSync(join(tmpdir(), "orgplane-readme-"))
let server: ChildProcess
let baseUrl = ""

/** The code with the URL of the running server. */
const withBaseUrl = (code: string) => code.replaceAll("http://127.0.0.1:8787", baseUrl)

beforeAll(async () => {
  // In its own folder and configured with only the port, as the first command starts it.
  server = spawn(process.execPath, [join(root, "packages/server/src/main.ts")], {
    cwd: folder,
    env: { ...compileCache, PATH: process.env["PATH"] ?? "", ORGPLANE_PORT: "0", ORGPLANE_LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  baseUrl = await new Promise<string>((resolve, reject) => {
    let out = ""
    server.stdout?.on("data", (chunk: Buffer) => {
      out += chunk.toString()
      const url = /orgplane serves (http:\S+)/.exec(out)?.[1]
      if (url !== undefined) resolve(url)
    })
    server.once("exit", (code) => reject(new Error(`The server exited with code ${code}.`)))
  })
  writeFileSync(
    join(folder, "orgplane"),
    `#!/bin/sh\nexec "${process.execPath}" "${root}/packages/cli/src/main.ts" "$@"\n`,
    {
      mode: 0o755
    }
  )
})

afterAll(async () => {
  const exited = new Promise((resolve) => server.once("exit", resolve))
  server.kill("SIGTERM")
  await exited
  await rm(folder, { recursive: true, force: true })
})

/** Runs a block in the server's folder, as a person would type it. */
const shell = async (code: string) => {
  const { stdout } = await run("sh", ["-ec", withBaseUrl(code)], {
    cwd: folder,
    env: {
      ...compileCache,
      PATH: `${folder}:${join(process.execPath, "..")}:${process.env["PATH"] ?? ""}`,
      HOME: folder
    }
  })
  return stdout
}

/** Runs a TypeScript block in the examples folder, where the packages resolve. Returns actual and declared output. */
const typescript = async (code: string) => {
  const seed = JSON.parse(readFileSync(join(folder, ".orgplane/seed.json"), "utf8")) as { readonly ownerToken: string }
  const { stdout } = await run(process.execPath, ["--input-type=module-typescript", "--eval", withBaseUrl(code)], {
    cwd: join(root, "examples"),
    env: { ...compileCache, PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ORGPLANE_TOKEN: seed.ownerToken }
  })
  return {
    lines: stdout.trimEnd().split("\n"),
    declared: [...code.matchAll(/\/\/ => (.*)$/gm)].map((match) => match[1])
  }
}

describe("the README", () => {
  it("begins with two commands that exist", () => {
    const commands = codeOf("sh")
      .trimEnd()
      .split("\n")
      .map((line) => line.split("#")[0]?.trim())
    expect(commands).toEqual(["npx --yes pnpm@12 start", "npx --yes pnpm@12 test"])
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly scripts: Record<string, string>
    }
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["start", "test", "orgplane"]))
  })

  it("has a first look that works", async () => {
    const out = await shell(codeOf("sh", "First look"))
    expect(out).toContain('"status":"ready"')
    expect(out).toContain("Release train")
  })

  it("links to the API reference, which loads no external resources", async () => {
    expect(readme).toContain("`http://127.0.0.1:8787/docs`")
    const response = await fetch(`${baseUrl}/docs`)
    expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([200, "text/html"])
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'/)
    expect(await response.text()).toContain("<b>connectors.enable</b>")
  })

  it("embeds the control plane in at most fifteen lines", async () => {
    const code = codeOf("ts", "Embed it")
    expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(15)
    const { lines, declared } = await typescript(code)
    expect(lines).toEqual(declared)
  })

  it("calls the API in at most ten lines", async () => {
    const code = codeOf("ts", "Call it")
    expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(10)
    const { lines, declared } = await typescript(code)
    expect(lines).toContain("Release train")
    expect(lines.at(-1)).toBe(declared.at(-1))
  })

  it("uses the CLI in eight commands", async () => {
    const code = codeOf("sh", "On the command line")
    expect(code.match(/^orgplane /gm)).toHaveLength(8)
    const out = await shell(code)
    expect(out).toContain("sample-plugins")
    expect(out).toContain('"name":"Release train 2"')
    expect(out).toContain('"action":"plugin.create"')
    expect(out).toContain('"name":"orgplane"')
    expect(out).toContain("ada@example.com")
    expect(out).toMatch(/opk_\w+/)
    expect(out).toContain("api_key.create")
  })
})
