/** How access to objects differs between two states of an organization. */
import type { AccessEffects } from "@orgplane/schema/configuration"
import type { Id } from "@orgplane/schema/shared/ids"
import { accessChangesMax } from "@orgplane/schema/configuration"
import { roleOf } from "../../identity/grants/index.ts"
import type { Steps } from "../../infra/time-slices.ts"
import type * as repo from "./effects-repo.ts"

interface Granted {
  readonly row: repo.AccessRow
  readonly levels: Map<string, number>
}

const byObject = (rows: ReadonlyArray<repo.AccessRow>): ReadonlyMap<string, Granted> => {
  const objects = new Map<string, Granted>()
  for (const row of rows) {
    const key = `${row.kind}/${row.id}`
    const object = objects.get(key) ?? { row, levels: new Map() }
    objects.set(key, object)
    object.levels.set(row.receiver, row.level)
  }
  return objects
}

const none: ReadonlyMap<string, number> = new Map()

/** With more combinations of objects and members to compare, the effects on access are not computed. */
const visitsMax = 5_000_000

/** How many combinations a comparison visits: all members if the access of everyone changes, otherwise those with grants. */
const visitsOf = (was: ReadonlyMap<string, Granted>, is: ReadonlyMap<string, Granted>, memberCount: number): number => {
  let visits = 0
  for (const key of new Set([...was.keys(), ...is.keys()])) {
    const [old, now] = [was.get(key)?.levels ?? none, is.get(key)?.levels ?? none]
    visits += (old.get("") ?? 0) === (now.get("") ?? 0) ? old.size + now.size : memberCount
  }
  return visits
}

export const compareAccess = function* (
  before: ReadonlyArray<repo.AccessRow>,
  after: ReadonlyArray<repo.AccessRow>,
  grantees: ReadonlyArray<Id<"om">>,
  isCreated: (id: string) => boolean
): Steps<AccessEffects | null> {
  const [was, is] = [byObject(before), byObject(after)]
  const members = new Set<string>(grantees)
  const affected = new Set<string>()
  const changes: Array<AccessEffects["changes"][number]> = []
  let changeCount = 0
  const names = (one: readonly [string, Granted]) => `${one[1].row.kind} ${one[1].row.name} ${one[0]}`
  const objects = [...new Map([...was, ...is])].toSorted((one, other) => (names(one) < names(other) ? -1 : 1))
  if (visitsOf(was, is, grantees.length) > visitsMax) return null
  for (const [key, { row }] of objects) {
    const [old, now] = [was.get(key)?.levels ?? none, is.get(key)?.levels ?? none]
    const [oldOfAll, nowOfAll] = [old.get("") ?? 0, now.get("") ?? 0]
    const named = oldOfAll === nowOfAll ? [...new Set([...old.keys(), ...now.keys()])].toSorted() : grantees
    for (const id of named) {
      const from = Math.max(oldOfAll, old.get(id) ?? 0)
      const to = Math.max(nowOfAll, now.get(id) ?? 0)
      if (from === to || !members.has(id)) continue
      changeCount += 1
      affected.add(id)
      if (changes.length >= accessChangesMax) continue
      changes.push({
        orgMembershipId: id as Id<"om">,
        object: { kind: row.kind, id: isCreated(row.id) ? null : row.id, name: row.name },
        from: roleOf(from),
        to: roleOf(to)
      })
    }
    yield
  }
  return { memberCount: affected.size, changeCount, changes, truncated: changeCount > changes.length }
}
