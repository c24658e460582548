import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { type EndedMembership, endMemberships } from "../../identity/members/end.ts"
import * as organizations from "../../identity/organizations/repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./memberships-repo.ts"

/** Above this number, members are not listed individually, and the whole organization is evicted instead. */
const namedMax = 50

/** The subjects to announce and evict when many members change. */
export const subjectsOf = (organizationId: Id<"org">, ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  ids.length > namedMax ? [organizationId] : ids

export const isOwnersToken = repo.isOwnersToken

export interface EndedMembers {
  readonly ended: ReadonlyArray<EndedMembership>
  /** Owners whose memberships are kept: the last owner, or all owners if the caller is not an owner. */
  readonly kept: ReadonlyArray<Id<"om">>
  /** Notify other processes of these inside the transaction, and evict them after it. */
  readonly subjects: ReadonlyArray<string>
}

/**
 * Ends memberships with everything that depends on them, except that of the last owner. Memberships of owners end
 * only if the caller is an owner. Call it inside a transaction, after locking the directory if there is one.
 */
export const endMembers = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  membershipIds: ReadonlyArray<Id<"om">>,
  by: { readonly isOwner: boolean }
) {
  const none: EndedMembers = { ended: [], kept: [], subjects: [] }
  if (membershipIds.length === 0) return none
  yield* organizations.lock(sql, organizationId)
  const protectedIds = yield* (by.isOwner ? repo.requiredOwner : repo.owners)(sql, organizationId, membershipIds)
  const rest = membershipIds.filter((id) => !protectedIds.includes(id))
  const ended = yield* endMemberships(sql, organizationId, rest)
  const result: EndedMembers = {
    ended,
    kept: protectedIds,
    subjects: subjectsOf(
      organizationId,
      ended.map(({ user_id }) => user_id)
    )
  }
  return result
})
