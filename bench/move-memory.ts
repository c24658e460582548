/** Runs a program in this process, and writes its peak memory to standard error when it exits. */
import { pathToFileURL } from "node:url"

const [node = "", , program = "", ...args] = process.argv
process.argv = [node, program, ...args]
process.on("exit", () => process.stderr.write(`peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB\n`))
await import(pathToFileURL(program).href)
