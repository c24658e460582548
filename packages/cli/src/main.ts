#!/usr/bin/env node
import { cacheCompiledCode } from "./compile-cache.ts"
import { rootHelp } from "./generated/root-help.ts"
import { standardOutput } from "./process-sinks.ts"
import { version } from "./version.ts"

// Help and version skip loading the rest of the program, which takes most of the startup time.
const preparedOutput = (argv: ReadonlyArray<string>): string | undefined => {
  const [only = "--help", ...others] = argv
  if (others.length > 0) return undefined
  if (only === "--help" || only === "-h" || only === "help") return rootHelp
  return only === "--version" || only === "-v" ? `orgplane ${version}` : undefined
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const isTooOld = major < 22 || (major === 22 && minor < 19)

const text = preparedOutput(process.argv.slice(2))
let code = 0
if (isTooOld) {
  process.stderr.write(
    `orgplane requires Node.js 22.19 or newer, but the current version is ${process.versions.node}.\n`
  )
  code = 1
} else if (text === undefined) {
  cacheCompiledCode(process.platform, process.env)
  const { runProcess } = await import("./process-run.ts")
  code = await runProcess()
} else {
  const { NO_COLOR = "", TERM } = process.env
  const out = standardOutput()
  const plain = !out.isTerminal || NO_COLOR !== "" || TERM === "dumb"
  // oxlint-disable-next-line no-control-regex
  await out.write(`${plain ? text.replace(/\u001b\[\d+m/g, "") : text}\n`)
}
// Idle connections would keep the process alive for seconds.
process.exit(code)
