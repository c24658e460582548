/** The page of diagnostics matches the contract. */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { diagnosticCodes } from "../packages/schema/src/mcp-connections.ts"
import { failed } from "../packages/server/src/infra/adapters/mcp/failure.ts"

const page = readFileSync(new URL("../docs/mcp-diagnostics.md", import.meta.url), "utf8")

const sections = page.split(/^## /m).slice(1)
const documented = sections.flatMap((section) => {
  const category = /^`(\w+)`/.exec(section)?.[1] ?? ""
  return [...section.matchAll(/^\| `(\w+)` \|(.*)\|(.*)\|(.*)\|$/gm)].map(([, code, , retryable]) => ({
    category,
    code,
    retryable: retryable?.trim() === "yes"
  }))
})

it("lists every code under its category, in the contract's order, with whether it is retryable", () => {
  const declared = Object.entries(diagnosticCodes).flatMap(([category, codes]) =>
    codes.map((code) => {
      const failure = failed(code, "")
      expect(failure.category).toBe(category)
      return { category, code, retryable: failure.retryable }
    })
  )
  expect(documented).toEqual(declared)
})
