import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { compileCache } from "./compile-cache.ts"

// Real processes and new databases: quick alone, slow beside the other suites.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const root = join(import.meta.dirname, "..")
const readme = readFileSync(join(root, "README.md"), "utf8")
const run = promisify(execFile)

/** The code of a section, by the words of its heading; the first code of all without one. */
const codeOf = (language: string, heading?: string): string => {
  const section = heading === undefined ? readme : (readme.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "")
  const code = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(section)?.[1]
  if (code === undefined) throw new Error(`The README has no ${language} in ${heading ?? "it"}.`)
  return code
}

const folder = mkdtempSync(join(tmpdir(), "orgplane-readme-"))
let server: ChildProcess
let baseUrl = ""

/** As written, with the address of the server that runs now. */
const here = (code: string) => code.replaceAll("http://127.0.0.1:8787", baseUrl)

beforeAll(async () => {
  // In a folder of its own and without a word of configuration but the port, as the first command starts it.
  server = spawn(process.execPath, [join(root, "packages/server/src/main.ts")], {
    cwd: folder,
    env: { ...compileCache, PATH: process.env["PATH"] ?? "", ORGPLANE_PORT: "0", ORGPLANE_LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  baseUrl = await new Promise<string>((resolve, reject) => {
    let out = ""
    server.stdout?.on("data", (chunk: Buffer) => {
      out += chunk.toString()
      const told = /orgplane serves (http:\S+)/.exec(out)?.[1]
      if (told !== undefined) resolve(told)
    })
    server.once("exit", (code) => reject(new Error(`The server ended with ${code}.`)))
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
  const ended = new Promise((resolve) => server.once("exit", resolve))
  server.kill("SIGTERM")
  await ended
  await rm(folder, { recursive: true, force: true })
})

/** In the folder of the server, as a person would type it. */
const shell = async (code: string) => {
  const { stdout } = await run("sh", ["-ec", here(code)], {
    cwd: folder,
    env: { PATH: `${folder}:${join(process.execPath, "..")}:${process.env["PATH"] ?? ""}`, HOME: folder }
  })
  return stdout
}

/** A block of TypeScript beside the examples, where the packages are found; and what it says it prints. */
const typescript = async (code: string) => {
  const seed = JSON.parse(readFileSync(join(folder, ".orgplane/seed.json"), "utf8")) as { readonly ownerToken: string }
  const { stdout } = await run(process.execPath, ["--input-type=module-typescript", "--eval", here(code)], {
    cwd: join(root, "examples"),
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ORGPLANE_TOKEN: seed.ownerToken }
  })
  return { lines: stdout.trimEnd().split("\n"), said: [...code.matchAll(/\/\/ => (.*)$/gm)].map((match) => match[1]) }
}

describe("the README", () => {
  it("begins with the two commands, and both are there", () => {
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

  it("shows a first look that works", async () => {
    const out = await shell(codeOf("sh", "First look"))
    expect(out).toContain('"status":"ready"')
    expect(out).toContain("Release train")
  })

  it("names the page of the interface, which is served to load nothing", async () => {
    expect(readme).toContain("`http://127.0.0.1:8787/docs`")
    const response = await fetch(`${baseUrl}/docs`)
    expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([200, "text/html"])
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'/)
    expect(await response.text()).toContain("<h3>connectors.enable</h3>")
  })

  it("embeds it in fifteen lines", async () => {
    const code = codeOf("ts", "Embed it")
    expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(15)
    const { lines, said } = await typescript(code)
    expect(lines).toEqual(said)
  })

  it("calls it in ten lines", async () => {
    const code = codeOf("ts", "Call it")
    expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(10)
    const { lines, said } = await typescript(code)
    expect(lines).toContain("Release train")
    expect(lines.at(-1)).toBe(said.at(-1))
  })

  it("drives it with a few lines", async () => {
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
