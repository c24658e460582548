import * as Effect from "effect/Effect"
import { randomInt } from "node:crypto"
import { describe, expect, it } from "vitest"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { compareDecisions } from "./grants-decisions.ts"
import { makeControlPlane, withServices } from "../harness.ts"

const plane = await makeControlPlane({ workers: false })
const compare = (seed: number, decisions: number) =>
  withServices(plane, Effect.flatMap(SqlDatabase, (sql) => compareDecisions(sql, seed, decisions)).pipe(Effect.orDie))

describe("access decisions in changing organizations", () => {
  it.each([
    // How many decisions of each level a random organization has is not known.
    ["of a seed that stays", 3, 10],
    ["of a new seed each time", randomInt(2 ** 31), 0]
  ])(
    "match the rule in thousands of decisions %s (%i)",
    async (_, seed, least) => {
      const { byLevel, decisions, faults } = await compare(seed, 3000)
      expect(faults).toEqual([])
      expect(decisions).toBeGreaterThanOrEqual(3000)
      expect(Math.min(...Object.values(byLevel))).toBeGreaterThanOrEqual(least)
    },
    180_000
  )
})
