import type { Call, CallResult } from "./call.ts"

/** A page of a list. Default order: newest first. `nextCursor` is null on the last page. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly nextCursor: string | null
}

/**
 * A list. Awaiting it returns the first page; iterating it yields every row of every page.
 * Nothing is sent before it is awaited or iterated, and the first page is requested once.
 * `More` is the type of further fields of each page, such as counts.
 *
 * ```ts
 * const page = await client.plugins.list({ limit: 10 })
 * for await (const plugin of client.plugins.list()) console.log(plugin.name)
 * ```
 */
export interface List<Item, More = unknown> extends Call<Page<Item> & More>, AsyncIterable<Item> {
  /** Iterates the pages. Ends after the last page, or if the server repeats a cursor. */
  pages(): AsyncGenerator<Page<Item> & More, void, undefined>
  /** Returns the first `count` rows. Requests only the pages that contain them. */
  take(count: number): Promise<ReadonlyArray<Item>>
  /** Returns all rows. Fails with a `RangeError` if there are more than `limit`, so that memory stays bounded. */
  toArray(options: { readonly limit: number }): Promise<ReadonlyArray<Item>>
}

type Load = (cursor: string | undefined) => Promise<CallResult<Page<unknown>>>

/** Creates a list from a function that loads the page after a cursor. `start` is the caller's cursor. */
export const makeList = (load: Load, start: string | undefined): List<unknown> => {
  let first: Promise<CallResult<Page<unknown>>> | undefined
  const firstPage = () => (first ??= load(start))
  const data = () => firstPage().then((response) => response.data)

  async function* pages() {
    const seen = new Set([start])
    let page = await data()
    for (;;) {
      yield page
      const cursor = page.nextCursor
      if (!cursor || seen.has(cursor)) return
      seen.add(cursor)
      page = (await load(cursor)).data
    }
  }

  const take = async (count: number) => {
    if (!Number.isInteger(count) || count < 0) throw new RangeError(`take: ${count} must be a whole number from 0`)
    const items: Array<unknown> = []
    if (count === 0) return items
    for await (const page of pages()) {
      items.push(...page.items.slice(0, count - items.length))
      if (items.length === count) break
    }
    return items
  }

  return {
    take,
    toArray: async ({ limit }) => {
      const items = await take(limit + 1)
      if (items.length > limit) throw new RangeError(`toArray: the list has more than ${limit} rows`)
      return items
    },
    [Symbol.toStringTag]: "List",
    then: (onFulfilled, onRejected) => data().then(onFulfilled, onRejected),
    catch: (onRejected) => data().catch(onRejected),
    finally: (onFinally) => data().finally(onFinally),
    withResponse: firstPage,
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items
    }
  }
}
