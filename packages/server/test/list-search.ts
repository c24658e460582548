/** Checks the parameter `q` of a list through the API. */
import { expect } from "vitest"
import type { Person } from "./harness.ts"

/** The names of objects that `expectSearch` looks for, in the order in which they are created. */
export const searchedNames = ["Scarlet_1 100%", "Blue", "scarlet 1"] as const

interface SearchedList {
  readonly path: string
  /** The IDs of the objects with the names above. */
  readonly ids: ReadonlyArray<string>
  /** Other filters that all objects match, such as `state=all`. */
  readonly filter?: string
}

export const expectSearch = async (person: Pick<Person, "call">, { filter, ids, path }: SearchedList) => {
  const page = async (query: string) => {
    const response = await person.call("GET", `${path}?${filter === undefined ? "" : `${filter}&`}${query}`)
    return { status: response.status, body: response.body }
  }
  const listed = async (query: string) => {
    const { body, status } = await page(query)
    expect(status, query).toBe(200)
    return body.items.map(({ id }: { id: string }) => id)
  }
  const [percent, blue, space] = ids
  expect(await listed("q=sCARLET")).toEqual([space, percent])
  expect(await listed("q=BLUE")).toEqual([blue])
  expect(await listed("q=Green")).toEqual([])
  // As wildcards, `%` would match every name, and `_` the space.
  expect(await listed("q=%25")).toEqual([percent])
  expect(await listed("q=t_1")).toEqual([percent])
  const first = (await page("q=sCARLET&limit=1")).body
  expect(first.items).toMatchObject([{ id: space }])
  expect(await listed(`q=sCARLET&limit=1&cursor=${first.nextCursor}`)).toEqual([percent])
  expect((await page(`q=blue&cursor=${first.nextCursor}`)).status).toBe(400)
  const tooLong = await page(`q=${"x".repeat(256)}`)
  expect([tooLong.status, tooLong.body.details[0].path]).toEqual([400, ["query", "q"]])
}
