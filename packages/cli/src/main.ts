#!/usr/bin/env node
import { enableCompileCache } from "node:module"
import { rootHelp } from "./generated/root-help.ts"
import { processIo } from "./process-io.ts"

// What is asked most needs neither the parser nor the contract.
const isHelp = (argv: ReadonlyArray<string>) =>
  argv.length === 0 || (argv.length === 1 && ["--help", "-h", "help"].includes(argv[0] ?? ""))

const { close, io } = processIo()
if (isHelp(io.argv)) {
  const plain = !io.out.isTerminal || (io.env["NO_COLOR"] ?? "") !== "" || io.env["TERM"] === "dumb"
  // oxlint-disable-next-line no-control-regex
  await io.out.write(`${plain ? rootHelp.replace(/\u001b\[\d+m/g, "") : rootHelp}\n`)
  await close(0)
} else {
  enableCompileCache()
  const [{ run }, { commands }] = await Promise.all([import("./program.ts"), import("./generated/commands.ts")])
  await close(await run(io, commands))
}
