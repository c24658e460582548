/** Every edit that gives a plugin more capabilities is reported, and edits of its text are not. */
import { describe, expect, it } from "vitest"
import { capabilitiesOf, compareCapabilities } from "./index.ts"
import { type Files, growing, harmless, plugins } from "./mutations.fixture.ts"

const setOf = (files: Files) =>
  capabilitiesOf(
    Object.entries(files).map(([path, file]) => ({
      path,
      isExecutable: typeof file !== "string",
      content: Buffer.from(typeof file === "string" ? file : file.executable, path.endsWith(".png") ? "latin1" : "utf8")
    }))
  )
const before = new Map(Object.entries(plugins).map(([name, files]) => [name, setOf(files)]))

type Edits = Readonly<Record<string, ReadonlyArray<(files: Files) => Files>>>
const run = (edits: Edits) =>
  Object.entries(edits).map(([name, edit]) => {
    const results = edit.flatMap((apply, index) =>
      Object.entries(plugins).map(([plugin, files]) => {
        const comparison = compareCapabilities(before.get(plugin) ?? setOf(files), setOf(apply(files)))
        return { label: `${name} ${index} ${plugin}`, comparison }
      })
    )
    return { name, results, reported: results.filter(({ comparison }) => comparison.needsReview) }
  })
const print = (rows: ReturnType<typeof run>) => {
  const lines = rows.map(
    ({ name, reported, results }) => `${name.padEnd(44)} ${String(reported.length).padStart(4)} / ${results.length}`
  )
  process.stdout.write(`${lines.join("\n")}\n`)
}

describe("the comparison of capability sets", () => {
  it("reports every one of at least 300 edits that give a plugin more capabilities", () => {
    const rows = run(growing)
    print(rows)
    const all = rows.flatMap(({ results }) => results)
    expect(all.length).toBeGreaterThanOrEqual(300)
    expect(all.filter(({ comparison }) => !comparison.needsReview).map(({ label }) => label)).toEqual([])
  })

  it("reports at most 2 % of at least 300 edits of text", () => {
    const rows = run(harmless)
    print(rows)
    const all = rows.flatMap(({ results }) => results)
    const reported = all.filter(({ comparison }) => comparison.needsReview)
    expect(all.length).toBeGreaterThanOrEqual(300)
    expect(reported.length, reported.map(({ label }) => label).join("\n")).toBeLessThanOrEqual(all.length * 0.02)
  })
})
