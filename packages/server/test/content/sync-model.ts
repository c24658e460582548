/** The expected content of an organization, revision by revision, without SQL. */
import { expect } from "vitest"
import type { SyncRecord } from "./connectors.fixture.ts"

export type FilesByPath = ReadonlyMap<string, string>
export interface Revision {
  readonly files: FilesByPath
  readonly listed: ReadonlyArray<string>
}

export const filesIn = ({ files, listed }: Revision): ReadonlyMap<string, string> =>
  new Map([...files].filter(([path]) => listed.includes(path.split("/")[1] ?? "")))

export const kindOf = (path: string) => path.split("/").slice(0, 3).join("/")

/** The effect of publishing a revision. */
export const step = (before: FilesByPath, after: FilesByPath) => {
  const counts = { objectsCreated: 0, objectsUpdated: 0, objectsDeleted: 0, objectsUnchanged: 0 }
  const left = new Map(before)
  const fresh: Array<readonly [string, string]> = []
  for (const [path, text] of after) {
    const existing = left.get(path)
    if (existing === undefined) fresh.push([path, text])
    else if (existing === text) counts.objectsUnchanged += 1
    else counts.objectsUpdated += 1
    left.delete(path)
  }
  for (const [path, text] of fresh) {
    const moved = [...left].find(([old, was]) => was === text && kindOf(old) === kindOf(path))
    if (moved === undefined) counts.objectsCreated += 1
    else {
      counts.objectsUnchanged += 1
      left.delete(moved[0])
    }
  }
  counts.objectsDeleted = left.size
  return { counts, isHeld: left.size > 5 && left.size > before.size * 0.3 }
}

/** Replays the published revisions in order. */
export const replay = (
  model: { readonly history: ReadonlyMap<string, Revision> },
  first: Revision,
  events: ReadonlyArray<SyncRecord>
) => {
  let present = filesIn(first)
  let versions = present.size
  for (const event of events) {
    const next = model.history.get(event.revision ?? "")
    if (next === undefined) throw new Error(`A sync read ${event.revision}, which was never the head.`)
    const { counts, isHeld } = step(present, filesIn(next))
    if (event.status === "review_required") {
      expect({ isHeld, objectsDeleted: event.counts.objectsDeleted }).toEqual({
        isHeld: true,
        objectsDeleted: counts.objectsDeleted
      })
      continue
    }
    expect(event).toMatchObject({ status: "completed", counts, warnings: [], error: null })
    present = filesIn(next)
    versions += counts.objectsCreated + counts.objectsUpdated + counts.objectsDeleted
  }
  return { present, versions }
}
