import { expect } from "vitest"
import { ask } from "./server.fixture.ts"

export interface Write {
  readonly id: string
  /** The time before the request, in milliseconds. */
  readonly begunAt: number
  /** The time after the response. */
  readonly at: number
}

/** Creates plugins with several concurrent writers until they are stopped, and records each acknowledged write. */
export const startWriters = (baseUrl: string, token: string) => {
  const ledger: Array<Write> = []
  const stopping = new AbortController()
  const write = async (writer: number) => {
    for (let count = 0; !stopping.signal.aborted; count += 1) {
      const begunAt = Date.now()
      // The server may be killed at any time.
      const created = await ask(baseUrl, token, "POST", "/v1/plugins", { name: `Plugin ${writer} ${count}` }).catch(
        () => undefined
      )
      if (created === undefined) return
      // The rate limit of a session.
      await new Promise((resolve) => setTimeout(resolve, created.status === 429 ? 1000 : 50))
      if (created.status === 429) continue
      expect(created.status).toBe(201)
      ledger.push({ id: created.body.item.id, begunAt, at: Date.now() })
    }
  }
  const writers = Promise.all([1, 2, 3, 4].map(write))
  return {
    ledger,
    stop: async () => {
      stopping.abort()
      await writers
    }
  }
}

export const listPlugins = async (baseUrl: string, token: string): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>()
  for (let cursor: string | null = ""; cursor !== null;) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`
    const page = await ask(baseUrl, token, "GET", `/v1/plugins?limit=100${query}`)
    expect(page.status).toBe(200)
    for (const { id } of page.body.items) ids.add(id)
    cursor = page.body.nextCursor
  }
  return ids
}
