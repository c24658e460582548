import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { type Ended, endMemberships } from "../../identity/members/end.ts"
import * as organizations from "../../identity/organizations/repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./memberships-repo.ts"

/** More than so many are not named one by one: then all of the organization is asked for again. */
const namedMax = 50

/** Whom `principals` have to be told of when these changed, be it many. */
export const subjectsOf = (organizationId: Id<"org">, ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  ids.length > namedMax ? [organizationId] : ids

export const isOwnersToken = repo.isOwnersToken

export interface EndedMembers {
  readonly ended: ReadonlyArray<Ended>
  /** Owners who stay: the last one, or all of them when no owner ends them. */
  readonly kept: ReadonlyArray<Id<"om">>
  /** To be announced inside the transaction, and forgotten after it. */
  readonly subjects: ReadonlyArray<string>
}

/**
 * Ends memberships with all that hung on them, but never the last owner's, and those of owners only where an owner says
 * so: nobody else unmakes one, by whatever way. Inside a transaction, after the directory is locked where one is.
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
  const kept = yield* (by.isOwner ? repo.ownerWhoStays : repo.owners)(sql, organizationId, membershipIds)
  const rest = membershipIds.filter((id) => !kept.includes(id))
  const ended = yield* endMemberships(sql, organizationId, rest)
  const result: EndedMembers = {
    ended,
    kept,
    subjects: subjectsOf(
      organizationId,
      ended.map(({ user_id }) => user_id)
    )
  }
  return result
})
