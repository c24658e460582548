import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { contract } from "../scripts/codegen/reflect.ts"

const page = readFileSync(join(import.meta.dirname, "../docs/errors.md"), "utf8")
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| `") && !line.includes("what to do"))
  .map((line) =>
    line
      .split(/(?<!\\)\|/u)
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
const names = new Set(rows.map(([name]) => name))

describe("the error reference", () => {
  it("lists every error code and every reason of the contract", () => {
    const { errorCodes, forbiddenReasons } = contract()
    expect(errorCodes.length).toBeGreaterThan(80)
    expect([...errorCodes, ...forbiddenReasons].filter((name) => !names.has(`\`${name}\``))).toEqual([])
  })
  it("says for each error what to do", () => {
    expect(rows.filter((cells) => cells.some((cell) => cell === ""))).toEqual([])
  })
})
