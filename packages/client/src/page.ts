import type { Answer, Call } from "./transport.ts"

/** A page, newest first unless the operation says otherwise; `nextCursor` is null on the last one. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly nextCursor: string | null
}

/**
 * A list: awaited it is its first page, iterated it is every row of every page.
 * Nothing is sent before it is awaited or iterated, and the first page is asked for once.
 *
 * ```ts
 * const page = await client.plugins.list({ limit: 10 })
 * for await (const plugin of client.plugins.list()) console.log(plugin.name)
 * ```
 */
export interface List<Item> extends Call<Page<Item>>, AsyncIterable<Item> {
  /** Page by page; ends when there is no next one, or when the server names a cursor a second time. */
  pages(): AsyncGenerator<Page<Item>, void, undefined>
}

type Load = (cursor: string | undefined) => Promise<Answer<Page<unknown>>>

/** Makes a list of a function that loads the page after a cursor; `start` is where the caller began. */
export const makeList = (load: Load, start: string | undefined): List<unknown> => {
  let first: Promise<Answer<Page<unknown>>> | undefined
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
