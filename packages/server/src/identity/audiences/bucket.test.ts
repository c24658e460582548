import { expect, it } from "vitest"
import { bucketOf } from "./bucket.ts"

it("never changes the bucket of a member", () => {
  const ids = ["om_01", "om_02", "om_01JDXQ3V9Z4E8T6W2N5K7M0A1B", ""]
  expect(ids.map(bucketOf)).toEqual([16, 68, 36, 10])
})

it("distributes members evenly", () => {
  const counts = Array.from({ length: 100 }, () => 0)
  const members = 100_000
  for (let member = 0; member < members; member += 1) {
    const bucket = bucketOf(`om_${member}`)
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  expect(counts.length).toBe(100)
  // The 99.99% limit of the chi-squared distribution with 99 degrees of freedom is about 160.
  const expected = members / 100
  expect(counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)).toBeLessThan(160)
})
