import { expect, it } from "vitest"
import { parseSteps } from "./parse.ts"

it("yields to the event loop even while it parses a catalog without usable entries", () => {
  const models = Object.fromEntries(Array.from({ length: 6400 }, (_, at) => [`m${at}`, 0]))
  expect(Array.from(parseSteps({ provider: { models } })).length).toBeGreaterThanOrEqual(100)
})
