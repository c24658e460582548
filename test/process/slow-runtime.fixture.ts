/** A runtime that starts when a test creates a file. */
import { existsSync } from "node:fs"

const [, , signal = "", runtime = ""] = process.argv
while (!existsSync(signal)) await new Promise((resolve) => setTimeout(resolve, 20))
await import(runtime)
