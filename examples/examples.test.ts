import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { compileCache } from "../test/compile-cache.ts"

const here = import.meta.dirname
const examples = readdirSync(here).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))

/** The output that an example declares: the text after each `// =>`, in file order. */
const expectedOutput = (name: string) =>
  [...readFileSync(join(here, name), "utf8").matchAll(/\/\/ => (.*)$/gm)].map((match) => match[1])

const run = async (name: string) => {
  const { stderr, stdout } = await promisify(execFile)(process.execPath, [join(here, name)], {
    env: { ...compileCache, PATH: process.env["PATH"] ?? "", NO_COLOR: "1" }
  })
  return { stderr, lines: stdout.trimEnd().split("\n") }
}

// Each creates its own database, which takes most of its time, so two run in parallel.
const lanes: Array<Promise<unknown>> = [Promise.resolve(), Promise.resolve()]
const inLane = (name: string) => {
  const lane = examples.indexOf(name) % lanes.length
  const result = (lanes[lane] ?? Promise.resolve()).then(() => run(name))
  lanes[lane] = result.catch(() => {})
  return result
}

describe("examples", () => {
  it("finds at least eight examples", () => {
    expect(examples.length).toBeGreaterThanOrEqual(8)
  })
  it.concurrent.each(examples)(
    "%s prints its declared output and exits",
    async (name) => {
      expect(expectedOutput(name).length).toBeGreaterThan(0)
      const { lines, stderr } = await inLane(name)
      expect(lines).toEqual(expectedOutput(name))
      expect(stderr).toBe("")
    },
    240_000
  )
})
