import { expect, it } from "vitest"
import { runToEnd } from "../../time-slices.ts"
import { dimensionsMax, readVectors } from "./read-vectors.ts"

const read = (data: unknown, count: number) => runToEnd(readVectors({ data }, count))

it("puts vectors in the order of the texts, of length 1; one that says nothing stays", () => {
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
  ["one index twice", [0, 0].map((index) => ({ index, embedding: [1] }))],
  ["an index that nobody asked for", [0, 2].map((index) => ({ index, embedding: [1] }))],
  ["half an index", [0, 0.5].map((index) => ({ index, embedding: [1] }))],
  ["two dimensions", [[1], [1, 2]].map((embedding, index) => ({ index, embedding }))],
  ["no dimension", [[], []].map((embedding, index) => ({ index, embedding }))],
  ["a text", ["AAAA", [1]].map((embedding, index) => ({ index, embedding }))],
  ["no number", [[1], [null]].map((embedding, index) => ({ index, embedding }))],
  ["no finite length", [[1], [1e308]].map((embedding, index) => ({ index, embedding }))],
  ["too many numbers", [0, 1].map((index) => ({ index, embedding: Array.from({ length: 4097 }, () => 1) }))],
  ["an entry that is none", [null, { index: 1, embedding: [1] }]]
])("takes nothing of an answer with %s", (_, data) => {
  expect(read(data, 2)).toBeUndefined()
})
