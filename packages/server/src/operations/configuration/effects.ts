/** What a plan changes for people: their access to objects, and their desktop settings. */
import type { AccessEffects, Effects } from "@orgplane/schema/configuration"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import { accessChangesMax } from "@orgplane/schema/configuration"
import * as Effect from "effect/Effect"
import type { DesktopPoliciesService, PolicySnapshot } from "../../enterprise/desktop-policies/service.ts"
import { roleOf } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { inTimeSlices, type Steps } from "../../infra/time-slices.ts"
import * as repo from "./effects-repo.ts"

interface Snapshot {
  /** Null if the caller may not read it, or if there is too much. */
  readonly access: ReadonlyArray<repo.AccessRow> | null
  readonly members: ReadonlyArray<Id<"om">>
  readonly policies: PolicySnapshot | null
}

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

const compareAccess = function* (
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
  let visits = 0
  const names = (one: readonly [string, Granted]) => `${one[1].row.kind} ${one[1].row.name} ${one[0]}`
  const objects = [...new Map([...was, ...is])].toSorted((one, other) => (names(one) < names(other) ? -1 : 1))
  for (const [key, { row }] of objects) {
    const [old, now] = [was.get(key)?.levels ?? none, is.get(key)?.levels ?? none]
    const [oldOfAll, nowOfAll] = [old.get("") ?? 0, now.get("") ?? 0]
    const named = oldOfAll === nowOfAll ? [...new Set([...old.keys(), ...now.keys()])].toSorted() : grantees
    visits += named.length
    if (visits > visitsMax) return null
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

/** Computes the effects of changes from the state before and after them. */
export const makeEffects = (sql: Sql, policies: DesktopPoliciesService["Service"]) => {
  const snapshot = Effect.fnUntraced(function* ({ organizationId, permissions }: Member) {
    const mayReadAccess = permissions.has("access:read")
    return {
      access: mayReadAccess ? yield* repo.access(sql, organizationId) : null,
      members: mayReadAccess ? yield* repo.grantees(sql, organizationId) : [],
      policies: permissions.has("desktopPolicies:read") ? yield* policies.snapshot(organizationId) : null
    } satisfies Snapshot
  })

  const compare = Effect.fnUntraced(function* (
    before: Snapshot,
    after: Snapshot,
    isCreated: (id: string) => boolean
  ): Effect.fn.Return<Effects> {
    const access =
      before.access === null || after.access === null
        ? null
        : yield* inTimeSlices(compareAccess(before.access, after.access, before.members, isCreated), 1)
    const desktopPolicies =
      before.policies === null || after.policies === null
        ? null
        : yield* policies.compare(before.policies, after.policies)
    return { access, desktopPolicies }
  })

  return { snapshot, compare } as const
}
