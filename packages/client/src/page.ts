import type { Call, CallResult } from "./call.ts"

/** A page of a list. Default order: newest first. `nextCursor` is null on the last page. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly nextCursor: string | null
}

/**
 * A list. Awaiting it returns the first page; iterating it yields every row of every page.
 * Nothing is sent before it is awaited or iterated, and the first page is requested once.
 *
 * ```ts
 * const page = await client.plugins.list({ limit: 10 })
 * for await (const plugin of client.plugins.list()) console.log(plugin.name)
 * ```
 */
export interface List<Item> extends Call<Page<Item>>, AsyncIterable<Item> {
  /** Iterates the pages. Ends after the last page, or if the server repeats a cursor. */
  pages(): AsyncGenerator<Page<Item>, void, undefined>
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

  return {
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
