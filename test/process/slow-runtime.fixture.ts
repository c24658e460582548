/** A runtime that begins when a file is there: a test says when. */
import { existsSync } from "node:fs"

const [, , signal = "", runtime = ""] = process.argv
while (!existsSync(signal)) await new Promise((resolve) => setTimeout(resolve, 20))
await import(runtime)
