/** Every row of the comparison with other clients names tests that exist. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const page = readFileSync(join(import.meta.dirname, "../../../docs/sdk.md"), "utf8")
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Feature"))
  .map((line) => line.split("|").map((cell) => cell.trim()))

it("compares at least twenty features, each in every column", () => {
  expect(rows.length).toBeGreaterThanOrEqual(20)
  for (const row of rows) expect([row[1], row.slice(1, -1).filter((cell) => cell !== "").length]).toEqual([row[1], 6])
})

it.each(rows.map((row) => [row[1] ?? "", row[6] ?? ""]))("%s is pinned by its tests", (_, references) => {
  for (const reference of references.split(/; (?=`)/u)) {
    const [, file = "", title = ""] = /^`([\w.-]+)`: (.+)$/u.exec(reference) ?? []
    const path = join(import.meta.dirname, file)
    expect([reference, file !== "" && existsSync(path)]).toEqual([reference, true])
    expect(readFileSync(path, "utf8")).toContain(`"${title}"`)
  }
})
