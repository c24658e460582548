import { expect, it } from "vitest"
import { runToEnd } from "../../time-slices.ts"
import { dimensionsMax, readVectors } from "./read-vectors.ts"

const read = (data: unknown, count: number) => runToEnd(readVectors({ data }, count))

it("orders vectors like their texts, normalizes them, and keeps a zero vector", () => {
  const vectors = read(
    [
      { index: 2, embedding: [0, 0] },
      { index: 0, embedding: [3, 4], object: "embedding" },
      { index: 1, embedding: [0, -2] }
    ],
    3
  )
  expect(vectors).toEqual([Float32Array.from([0.6, 0.8]), Float32Array.from([0, -1]), Float32Array.from([0, 0])])
  expect(read([{ index: 0, embedding: Array.from({ length: dimensionsMax }, () => 1) }], 1)?.[0]).toHaveLength(4096)
})

it.each<readonly [string, unknown]>([
  ["no list", { 0: { index: 0, embedding: [1] } }],
  ["too few", [{ index: 0, embedding: [1] }]],
  ["a repeated index", [0, 0].map((index) => ({ index, embedding: [1] }))],
  ["an index that was not requested", [0, 2].map((index) => ({ index, embedding: [1] }))],
  ["a fractional index", [0, 0.5].map((index) => ({ index, embedding: [1] }))],
  ["different dimensions", [[1], [1, 2]].map((embedding, index) => ({ index, embedding }))],
  ["zero dimensions", [[], []].map((embedding, index) => ({ index, embedding }))],
  ["a text", ["AAAA", [1]].map((embedding, index) => ({ index, embedding }))],
  ["a value that is not a number", [[1], [null]].map((embedding, index) => ({ index, embedding }))],
  ["an infinite length", [[1], [1e308]].map((embedding, index) => ({ index, embedding }))],
  ["too many dimensions", [0, 1].map((index) => ({ index, embedding: Array.from({ length: 4097 }, () => 1) }))],
  ["an entry that is not an object", [null, { index: 1, embedding: [1] }]]
])("rejects an embeddings response with %s", (_, data) => {
  expect(read(data, 2)).toBeUndefined()
})
