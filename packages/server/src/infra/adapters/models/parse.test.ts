import { expect, it } from "vitest"
import { parseSteps } from "./parse.ts"

it("gives others a turn also while it finds nothing of use", () => {
  const models = Object.fromEntries(Array.from({ length: 6400 }, (_, at) => [`m${at}`, 0]))
  expect(Array.from(parseSteps({ provider: { models } })).length).toBeGreaterThanOrEqual(100)
})
