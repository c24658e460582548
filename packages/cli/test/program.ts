/** The CLI as a process whose standard input stays open during a browser sign-in. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { expect } from "vitest"
import { compileCache } from "../../../test/compile-cache.ts"
import { cliProgram } from "../../../test/programs.ts"

export const beginProgram = (at: { readonly origin: string; readonly token: string }, argv: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [cliProgram, ...argv], {
    env: {
      ...compileCache,
      PATH: process.env["PATH"] ?? "",
      HOME: "/nonexistent",
      ORGPLANE_BASE_URL: at.origin,
      ORGPLANE_TOKEN: at.token
    },
    stdio: "pipe"
  })
  const texts = { out: "", err: "" }
  child.stdout.on("data", (chunk: Buffer) => (texts.out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (texts.err += chunk.toString()))
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...texts }))
  /** The URL it prints. */
  const link = async (): Promise<string> => {
    let url: string | undefined
    await expect
      .poll(() => (url = /^ {2}(https?:\S+)$/m.exec(texts.err)?.[1]), { timeout: 30_000, interval: 100 })
      .toBeDefined()
    return url ?? ""
  }
  return { child, ended, link }
}
