import type { Revision, SourceFile } from "./repository.ts"

/** An object by its own number, which it keeps through changes, renames and rollbacks. */
interface Placed extends SourceFile {
  readonly object: number
}
export type Shown = ReadonlyMap<string, Placed>

export interface Counts {
  readonly filesScanned: number
  readonly objectsCreated: number
  readonly objectsUpdated: number
  readonly objectsDeleted: number
  readonly objectsUnchanged: number
}

export interface Published {
  readonly shown: Shown
  readonly counts: Counts
  /** Texts of the created versions. */
  readonly texts: ReadonlyArray<string>
}

const ownerOf = ({ objectType, plugin, sha }: SourceFile) => `${plugin} ${objectType} ${sha}`

/** A model, without SQL, of an organization's content of a branch after each publication. */
export const makeReplay = () => {
  let shown: Shown = new Map()
  let objects = 0
  const snapshots = new Map<string, Shown>()

  const finish = (sha: string, published: Published) => {
    shown = published.shown
    snapshots.set(sha, shown)
    return published
  }

  /** Publishes the content of a commit. */
  const follow = (sha: string, revision: Revision): Published => {
    const next = new Map<string, Placed>()
    const left = new Map(shown)
    const fresh: Array<SourceFile> = []
    const texts: Array<string> = []
    let updated = 0
    for (const file of revision.files.values()) {
      const previous = left.get(file.path)
      if (previous === undefined) {
        fresh.push(file)
        continue
      }
      left.delete(file.path)
      next.set(file.path, { ...file, object: previous.object })
      if (previous.sha !== file.sha) {
        updated += 1
        texts.push(file.text)
      }
    }
    let created = 0
    const removed = new Map([...left.values()].map((file) => [ownerOf(file), file]))
    for (const file of fresh) {
      const moved = removed.get(ownerOf(file))
      if (moved === undefined) {
        created += 1
        texts.push(file.text)
      } else {
        removed.delete(ownerOf(file))
        left.delete(moved.path)
      }
      next.set(file.path, { ...file, object: moved?.object ?? (objects += 1) })
    }
    return finish(sha, {
      shown: next,
      texts,
      counts: {
        filesScanned: revision.filesScanned,
        objectsCreated: created,
        objectsUpdated: updated,
        objectsDeleted: left.size,
        objectsUnchanged: next.size - created - updated
      }
    })
  }

  /** Rolls back to the last publication of a revision. */
  const restore = (sha: string): Published => {
    const wanted = snapshots.get(sha)
    if (wanted === undefined) throw new Error(`A rollback to ${sha}, which was never published.`)
    const now = new Map([...shown.values()].map((file) => [file.object, file]))
    const files = [...wanted.values()]
    const created = files.filter((file) => !now.has(file.object))
    const updated = files.filter((file) => now.has(file.object) && now.get(file.object)?.text !== file.text)
    const ids = new Set(files.map((file) => file.object))
    return finish(sha, {
      shown: wanted,
      texts: [...created, ...updated].map((file) => file.text),
      counts: {
        filesScanned: files.length,
        objectsCreated: created.length,
        objectsUpdated: updated.length,
        objectsDeleted: [...now.keys()].filter((object) => !ids.has(object)).length,
        objectsUnchanged: files.length - created.length - updated.length
      }
    })
  }

  return { follow, restore, shown: () => shown, revisions: () => [...snapshots.keys()] } as const
}
export type Replay = ReturnType<typeof makeReplay>
