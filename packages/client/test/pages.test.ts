import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { clientOf, failure, json, type Seen } from "./server.ts"

/** Serves rows in pages of any size. */
const serving = (cuts: ReadonlyArray<ReadonlyArray<number>>) => (seen: Seen) => {
  const index = Number(seen.url.searchParams.get("cursor") ?? "0")
  const items = (cuts[index] ?? []).map((id) => ({ id: String(id) }))
  return json(200, { items, nextCursor: index + 1 < cuts.length ? String(index + 1) : null })
}

/** Serves pages whose cursors repeat. */
const turning = (_: Seen, index: number) =>
  json(200, { items: [{ id: String(index) }], nextCursor: index % 2 === 0 ? "a" : "b" })

describe("a list", () => {
  it("is its first page when awaited", async () => {
    const { client, seen } = clientOf([serving([[1, 2], [3]])])
    const page = await client.plugins.list({ limit: 2 })
    expect(page).toEqual({ items: [{ id: "1" }, { id: "2" }], nextCursor: "1" })
    expect(seen).toHaveLength(1)
    expect(seen[0]?.url.search).toBe("?limit=2")
  })

  it("yields every row of every page in order when iterated", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.nat(), { maxLength: 5 }), { minLength: 1, maxLength: 8 }), async (cuts) => {
        const { client, seen } = clientOf([serving(cuts)])
        const rows: Array<string> = []
        for await (const { id } of client.plugins.list()) rows.push(id)
        expect(rows).toEqual(cuts.flat().map(String))
        expect(seen).toHaveLength(cuts.length)
      }),
      { numRuns: 60 }
    )
  })

  it("requests every page with the same filters", async () => {
    const { client, seen } = clientOf([serving([[1], [], [2]])])
    const sizes: Array<number> = []
    for await (const page of client.plugins.list({ q: "x" }).pages()) sizes.push(page.items.length)
    expect(sizes).toEqual([1, 0, 1])
    expect(seen.map(({ url }) => url.search)).toEqual(["?q=x", "?q=x&cursor=1", "?q=x&cursor=2"])
  })

  it("gives its first rows, or all of them up to a limit, and requests no further page", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        fc.nat(12),
        async (cuts, count) => {
          const { client, seen } = clientOf([serving(cuts)])
          const rows = cuts.flat().map((id) => ({ id: String(id) }))
          expect(await client.plugins.list().take(count)).toEqual(rows.slice(0, count))
          let needed = 0
          for (let left = count; needed < cuts.length && left > 0; needed++) left -= cuts[needed]?.length ?? 0
          expect(seen).toHaveLength(needed)
          const all = client.plugins.list().toArray({ limit: count })
          if (rows.length <= count) expect(await all).toEqual(rows)
          else expect(await failure(all)).toMatchObject({ message: `toArray: the list has more than ${count} rows` })
        }
      ),
      { numRuns: 60 }
    )
    const { client } = clientOf([serving([[1]])])
    expect(await failure(client.plugins.list().take(-1))).toBeInstanceOf(RangeError)
  })

  it("starts at the caller's cursor", async () => {
    const { client, seen } = clientOf([serving([[1], [2], [3]])])
    const rows: Array<string> = []
    for await (const { id } of client.plugins.list({ cursor: "1" })) rows.push(id)
    expect(rows).toEqual(["2", "3"])
    expect(seen).toHaveLength(2)
  })

  it("ends if the server repeats a cursor", async () => {
    const { client, seen } = clientOf([turning])
    const rows: Array<string> = []
    for await (const { id } of client.plugins.list()) rows.push(id)
    expect(rows).toEqual(["0", "1", "2"])
    expect(seen).toHaveLength(3)
  })

  it("ends if the server repeats the caller's cursor", async () => {
    const { client, seen } = clientOf([json(200, { items: [{ id: "1" }], nextCursor: "a" })])
    const rows: Array<string> = []
    for await (const { id } of client.plugins.list({ cursor: "a" })) rows.push(id)
    expect(rows).toEqual(["1"])
    expect(seen).toHaveLength(1)
  })

  it("requests only the pages that are read", async () => {
    const { client, seen } = clientOf([serving([[1, 2], [3]])])
    for await (const { id } of client.plugins.list()) if (id === "1") break
    expect(seen).toHaveLength(1)
  })

  it("sends nothing before it is used, and requests the first page once", async () => {
    const { client, seen } = clientOf([serving([[1], [2]])])
    const list = client.plugins.list()
    await Promise.resolve()
    expect(seen).toHaveLength(0)
    const { data, response } = await list.withResponse()
    expect(response).toMatchObject({ status: 200, requestId: "req_1" })
    expect(await list).toBe(data)
    const rows: Array<string> = []
    for await (const { id } of list) rows.push(id)
    expect(rows).toEqual(["1", "2"])
    expect(seen).toHaveLength(2)
  })

  it("rejects when a later page fails", async () => {
    const { client } = clientOf([serving([[1], [2]]), json(403, { reason: "grant_required", message: "no" })])
    const rows: Array<string> = []
    const read = async () => {
      for await (const { id } of client.plugins.list()) rows.push(id)
    }
    expect(await failure(read())).toMatchObject({ name: "ForbiddenError" })
    expect(rows).toEqual(["1"])
  })
})
