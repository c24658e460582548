import type { Reason } from "@orgplane/schema/desired-state"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Candidate } from "../assignments/resolve.ts"
import type { Via } from "./repo.ts"

const noVia: Via = { via: "organization", viaId: null }

/** The reason without the ID of a marketplace that is not in `seen`: those that the member can see. */
const withoutHiddenMarketplace = (reason: Reason, seen: ReadonlySet<string>): Reason =>
  reason.via === "marketplace" && reason.viaId !== null && !seen.has(reason.viaId) ? { ...reason, viaId: null } : reason

/** The reason of an item that the member can use, without an assignment. */
export const accessReason = (access: Via | null, seen: ReadonlySet<string> = new Set()): Reason => {
  const { via, viaId } = access ?? noVia
  return withoutHiddenMarketplace({ rule: "access", assignmentId: null, via, viaId }, seen)
}

/** How an assignment reaches the member. */
export const viaOf = ({ teamId, through }: Candidate, membershipId: Id<"om">): Via => ({
  via: through,
  viaId: through === "member" ? membershipId : through === "team" ? (teamId ?? null) : null
})

/** The reason of a decision by an assignment. The member's choice decides if the mode allows it and there is one. */
export const reasonOf = (
  winner: Candidate,
  isChosen: boolean,
  membershipId: Id<"om">,
  seen: ReadonlySet<string>
): Reason => {
  const via: Via =
    winner.marketplaceId === null ? viaOf(winner, membershipId) : { via: "marketplace", viaId: winner.marketplaceId }
  return withoutHiddenMarketplace({ rule: isChosen ? "choice" : winner.mode, assignmentId: winner.id, ...via }, seen)
}
