#!/usr/bin/env node
import { rootHelp } from "./generated/root-help.ts"
import { processIo } from "./process-io.ts"
import { version } from "./version.ts"

// Help and version skip loading the parser and the command table, which take most of the startup time.
const preparedOutput = (argv: ReadonlyArray<string>): string | undefined => {
  const [only = "--help", ...others] = argv
  if (others.length > 0) return undefined
  if (only === "--help" || only === "-h" || only === "help") return rootHelp
  return only === "--version" || only === "-v" ? `orgplane ${version}` : undefined
}

const { io } = processIo()
const text = preparedOutput(io.argv)
let code: number
if (text === undefined) {
  const [{ run }, { commands }] = await Promise.all([import("./program.ts"), import("./generated/commands.ts")])
  code = await run(io, commands)
} else {
  const plain = !io.out.isTerminal || (io.env["NO_COLOR"] ?? "") !== "" || io.env["TERM"] === "dumb"
  // oxlint-disable-next-line no-control-regex
  await io.out.write(`${plain ? text.replace(/\u001b\[\d+m/g, "") : text}\n`)
  code = 0
}
// Idle connections would keep the process alive for seconds.
process.exit(code)
