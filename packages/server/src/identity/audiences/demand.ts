import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import type { AssigneesInput } from "./index.ts"
import { liveMembers, liveTeams } from "./repo.ts"

/** Fails unless all members and teams in a body exist. With `locks`, locks them until the transaction ends. */
export const demandAssignees = Effect.fnUntraced(function* (
  sql: Sql,
  { organizationId }: Pick<Member, "organizationId">,
  { memberIds = [], teamIds = [] }: AssigneesInput,
  place: ReadonlyArray<string | number>,
  locks: boolean
) {
  const demand = (name: string, ids: ReadonlyArray<string>, existing: ReadonlySet<string>) => {
    const unknown = ids.findIndex((id) => !existing.has(id))
    return unknown === -1
      ? Effect.void
      : InvalidRequest.at([...place, name, unknown], "does not exist in the organization")
  }
  if (memberIds.length > 0) {
    yield* demand("memberIds", memberIds, yield* liveMembers(sql, organizationId, memberIds, locks))
  }
  if (teamIds.length > 0) {
    yield* demand("teamIds", teamIds, yield* liveTeams(sql, organizationId, teamIds, locks))
  }
})
