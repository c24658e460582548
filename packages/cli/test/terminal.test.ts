/** The CLI as a process on a terminal, which `script` of util-linux provides. */
import { spawn, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { compileCache } from "../../../test/compile-cache.ts"
import { cliProgram } from "../../../test/programs.ts"
import { folder, serve } from "./harness.ts"

const hasTerminal = /util-linux/u.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout)

/** Starts the CLI on a terminal with ten rows. */
const startOnTerminal = (argv: ReadonlyArray<string>, url: string, env: Readonly<Record<string, string>>) => {
  const words = [process.execPath, cliProgram, ...argv].map((word) => `'${word}'`).join(" ")
  const child = spawn("script", ["-qec", `stty rows 10 cols 80; exec ${words}`, "/dev/null"], {
    env: {
      ...compileCache,
      PATH: process.env["PATH"] ?? "",
      HOME: "/nonexistent",
      SHELL: "/bin/sh",
      TERM: "xterm",
      ORGPLANE_BASE_URL: url,
      ORGPLANE_TOKEN: "ops_test",
      ...env
    },
    stdio: "pipe"
  })
  let text = ""
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  return { child, ended, text: () => text }
}

/** A program that does what a pager does, and says so. */
const pager = async (code: string): Promise<string> => {
  const file = join(await folder(), "pager.mjs")
  writeFileSync(file, code)
  return `${process.execPath} ${file}`
}

const plugins = () =>
  serve({
    "GET /v1/plugins": {
      body: { items: Array.from({ length: 30 }, (_, index) => ({ id: `plg_${index}`, name: "A" })), nextCursor: null }
    }
  })

describe.skipIf(!hasTerminal)("the pager", () => {
  it("receives Ctrl+C, which does not end the program that waits for it", async () => {
    const { url } = await plugins()
    // It leaves when the program would have ended long since.
    const ORGPLANE_PAGER = await pager(`let text = ""
      process.on("SIGINT", () => setTimeout(() => { console.log("left"); process.exit(0) }, 1500))
      process.stdin.on("data", (chunk) => (text += chunk)).on("end", () => console.log("read " + text.split("\\n").length))
      setInterval(() => {}, 1000)`)
    const { child, ended, text } = startOnTerminal(["plugins", "list"], url, { ORGPLANE_PAGER })
    await vi.waitFor(() => expect(text()).toContain("read 32"), { timeout: 60_000 })
    child.stdin.write("\u0003")
    expect(await ended).toBe(0)
    expect(text()).toContain("left")
    expect(text()).not.toContain("plg_29")
  })

  it.each(["false", "absent-pager", '""'])("does not lose the output if %s fails", async (PAGER) => {
    const { url } = await plugins()
    const { ended, text } = startOnTerminal(["plugins", "list"], url, { PAGER })
    expect([await ended, text().match(/plg_29/gu)?.length]).toEqual([0, 1])
  })

  it("is not followed by the output if it fails because the user exits it with Ctrl+C", async () => {
    const { url } = await plugins()
    const ORGPLANE_PAGER = await pager(`process.on("SIGINT", () => process.exit(2))
      process.stdin.resume().on("end", () => console.log("read"))
      setInterval(() => {}, 1000)`)
    const { child, ended, text } = startOnTerminal(["plugins", "list"], url, { ORGPLANE_PAGER })
    await vi.waitFor(() => expect(text()).toContain("read"), { timeout: 60_000 })
    child.stdin.write("\u0003")
    expect([await ended, text()]).toEqual([0, expect.not.stringContaining("plg_29")])
  })
})
