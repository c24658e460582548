import { randomInt } from "node:crypto"
import { describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace, runSql } from "./harness.ts"
import { compareFilters } from "./scim-filters.ts"

const plane = await makeControlPlane({ workers: false })

describe("SCIM filters on the database", () => {
  it.each([
    ["of a seed that stays", 7],
    ["of a new seed each time", randomInt(2 ** 31)]
  ])(
    "find whom the evaluator finds, in thousands of pairs %s (%i)",
    async (_, seed) => {
      const { organizationId, userId } = await makeWorkspace(plane)
      const { faults, matches, pairs, refused } = await runSql(plane, (sql) =>
        compareFilters(sql, organizationId, userId, seed, 1000)
      )
      expect(faults).toEqual([])
      expect(pairs).toBeGreaterThanOrEqual(50_000)
      expect(matches).toBeGreaterThanOrEqual(pairs / 20)
      expect(refused).toBeLessThan(1000)
    },
    180_000
  )
})
