import { spawn } from "node:child_process"
import { join } from "node:path"

export const root = join(import.meta.dirname, "..")

export interface Check {
  readonly name: string
  readonly command: readonly [program: string, ...args: ReadonlyArray<string>]
}

export const types: Check = { name: "types", command: ["tsc", "-p", "tsconfig.json"] }
export const lint: Check = { name: "lint", command: ["oxlint", "--type-aware", "--deny-warnings"] }
export const format: Check = { name: "format", command: ["oxfmt", "--check", "."] }
export const generated: Check = {
  name: "generated files are current",
  command: ["node", "scripts/codegen.ts", "--check"]
}

export const compatible: Check = {
  name: "compatible with the last release",
  command: ["node", "scripts/compatibility/check.ts"]
}

/** Builds the documentation site, which fails for a dead link. */
const site: Check = { name: "documentation site", command: ["site/node_modules/.bin/vitepress", "build", "site"] }

/** The static checks. The checks of a group run concurrently. More than two at a time would not be faster. */
const staticChecks: ReadonlyArray<ReadonlyArray<Check>> = [
  [types, lint],
  [format, generated],
  [site, compatible]
]

export interface Outcome {
  readonly name: string
  readonly isGood: boolean
  readonly seconds: number
}

const environment = {
  ...process.env,
  PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
  NO_COLOR: "1"
}

/** Runs a check. With `live`, its output is shown immediately, otherwise only if it fails. */
export const run = (
  { command, name }: Check,
  live: boolean,
  more: Readonly<Record<string, string>> = {}
): Promise<Outcome> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const [program, ...args] = command
    const child = spawn(program, args, {
      cwd: root,
      env: { ...environment, ...more },
      stdio: live ? "inherit" : "pipe"
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += String(chunk)))
    child.on("close", (code) => {
      const isGood = code === 0
      const seconds = (performance.now() - startedAt) / 1000
      if (!isGood) process.stdout.write(output)
      console.log(`${isGood ? "ok    " : "FAILED"} ${name} (${seconds.toFixed(1)} s)`)
      resolve({ name, isGood, seconds })
    })
  })

/** Runs the static checks. */
export const runStaticChecks = async (): Promise<ReadonlyArray<Outcome>> => {
  const outcomes: Array<Outcome> = []
  for (const group of staticChecks) outcomes.push(...(await Promise.all(group.map((check) => run(check, false)))))
  return outcomes
}
