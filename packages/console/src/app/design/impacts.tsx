/** The consequences of a change of several objects, which the API returns for one object at a time. */
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { statusOf } from "../api/client.ts"
import { chunksOf } from "./chunks.ts"
import { readOnce } from "./consequences.tsx"
import { ConsequencesForbidden, Shown } from "./query.tsx"
import { Notice } from "./ui.tsx"

/** The maximum number of objects that are changed at once. Reading the consequences of more takes too long. */
export const impactsMax = 100

const parallelMax = 4

/** Reads the consequences for each of the rows. A question that contains it waits until all of them have been read. */
export const Impacts = <Row extends { readonly id: string }, Impact>({
  children,
  impactOf,
  name,
  rows
}: {
  /** The first part of the key of the query. */
  readonly name: string
  readonly rows: ReadonlyArray<Row>
  readonly impactOf: (row: Row, signal: AbortSignal) => Promise<Impact>
  readonly children: (impacts: ReadonlyArray<readonly [row: Row, impact: Impact]>) => ReactNode
}) => {
  const query = useQuery({
    // Not below the key of the list: after the change, some of the objects are gone.
    queryKey: ["impacts", name, ...rows.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const impacts: Array<readonly [Row, Impact]> = []
      let removed = 0
      const forbidden: Array<unknown> = []
      for (const some of chunksOf(rows, parallelMax)) {
        const results = await Promise.allSettled(some.map(async (row) => [row, await impactOf(row, signal)] as const))
        signal.throwIfAborted()
        for (const result of results) {
          if (result.status === "fulfilled") impacts.push(result.value)
          else if (statusOf(result.reason) === 404) removed += 1
          else if (statusOf(result.reason) === 403) forbidden.push(result.reason)
          else throw result.reason
        }
      }
      if (forbidden.length > 0 && forbidden.length === rows.length) throw forbidden[0]
      return { impacts, removed, forbidden: forbidden.length }
    },
    ...readOnce
  })
  return (
    <Shown query={query}>
      {({ forbidden, impacts, removed }) => (
        <>
          {impacts.length > 0 && children(impacts)}
          {removed > 0 && (
            <Notice tone="warn" title={`${removed} of ${rows.length} objects cannot be found`}>
              <span>They were removed already, or you have no access to them.</span>
            </Notice>
          )}
          {forbidden > 0 && <ConsequencesForbidden of={` for ${forbidden} of ${rows.length}`} />}
        </>
      )}
    </Shown>
  )
}
