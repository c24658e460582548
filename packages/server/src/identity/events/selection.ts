/** Which events a reader can see, and which of them a request selects. */
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import { type AuditAction, storedAuditActionOf } from "@orgplane/schema/shared/audit-actions"
import { eventTypes, personalEventTypes, visibleEventTypes } from "@orgplane/schema/shared/event-types"
import { filterTypesMax } from "@orgplane/schema/events"
import * as Effect from "effect/Effect"
import { closest } from "../../infra/config/closest.ts"
import type { Selection } from "./repo.ts"

export interface Filters {
  readonly types?: string
  readonly actorId?: string
  readonly objectId?: string
}

/** Whether a pattern selects a type, which can be one that only a newer release knows. */
export const isSelected = (pattern: string, type: string): boolean =>
  pattern.endsWith(".*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern

/** The types that a pattern selects. */
const typesOf = (pattern: string): ReadonlyArray<AuditAction> => eventTypes.filter((type) => isSelected(pattern, type))

const suggestedLengthMax = 64

/** Fails with the first pattern that selects no type, which would never match an event. */
export const checkPatterns = Effect.fnUntraced(function* (
  patterns: ReadonlyArray<string>,
  place: ReadonlyArray<string | number>
): Effect.fn.Return<void, InvalidRequest> {
  const wrong = patterns.find((pattern) => typesOf(pattern).length === 0)
  if (wrong === undefined) return
  // Every type is shorter, and the comparison costs the product of both lengths.
  const suggestion = wrong.length > suggestedLengthMax ? undefined : closest(wrong, eventTypes)
  const hint = suggestion === undefined ? "" : `. Did you mean ${suggestion}?`
  return yield* InvalidRequest.at([...place], `contains "${wrong}", which is not a type of event${hint}`)
})

/** The types that patterns select. Types of an earlier version that no longer exist are left out. */
export const typesOfPatterns = (patterns: ReadonlyArray<string>): ReadonlySet<AuditAction> =>
  new Set(patterns.flatMap(typesOf))

/** The types of a filter in a query. */
export const parseTypes = Effect.fnUntraced(function* (
  text: string,
  place: ReadonlyArray<string | number>
): Effect.fn.Return<ReadonlySet<AuditAction>, InvalidRequest> {
  const patterns = text.split(",").map((pattern) => pattern.trim())
  if (patterns.length > filterTypesMax) {
    return yield* InvalidRequest.at([...place], `must contain at most ${filterTypesMax} types`)
  }
  yield* checkPatterns(patterns, place)
  return typesOfPatterns(patterns)
})

/** The events that match the filters and that the reader can see with these permissions. */
export const selectionOf = (
  { organizationId, permissions, principal }: Pick<Member, "organizationId" | "permissions" | "principal">,
  { actorId, objectId }: Omit<Filters, "types">,
  types: ReadonlySet<AuditAction> | undefined
): Selection => {
  const stored = (all: ReadonlyArray<AuditAction>) =>
    all.filter((type) => types === undefined || types.has(type)).map((type) => storedAuditActionOf(type))
  return {
    organizationId,
    types: stored(visibleEventTypes(permissions)),
    personalTypes: stored(personalEventTypes),
    self: principal.kind === "session" ? principal.membershipId : null,
    actorId: actorId ?? null,
    objectId: objectId ?? null
  }
}
