import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"

const here = import.meta.dirname
const examples = readdirSync(here).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))

/** What an example says it prints: the words after each `// =>`, in the order of the file. */
const said = (name: string) =>
  [...readFileSync(join(here, name), "utf8").matchAll(/\/\/ => (.*)$/gm)].map((match) => match[1])

const run = async (name: string) => {
  const { stderr, stdout } = await promisify(execFile)(process.execPath, [join(here, name)], {
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" }
  })
  return { stderr, lines: stdout.trimEnd().split("\n") }
}

// Each makes a database of its own, which is most of its time, so two run side by side.
const lanes: Array<Promise<unknown>> = [Promise.resolve(), Promise.resolve()]
const inLane = (name: string) => {
  const lane = examples.indexOf(name) % lanes.length
  const ran = (lanes[lane] ?? Promise.resolve()).then(() => run(name))
  lanes[lane] = ran.catch(() => {})
  return ran
}

describe("the examples", () => {
  it("are all here", () => {
    expect(examples.length).toBeGreaterThanOrEqual(8)
  })
  it.concurrent.each(examples)(
    "%s prints what it says, and ends by itself",
    async (name) => {
      expect(said(name).length).toBeGreaterThan(0)
      const { lines, stderr } = await inLane(name)
      expect(lines).toEqual(said(name))
      expect(stderr).toBe("")
    },
    240_000
  )
})
