import { refuse, ScimFault } from "./fault.ts"
import { isStorable } from "./fold.ts"
import { isRecord, type Json, listOf } from "./json.ts"
import { attributeNamed, groupSchema } from "./schemas.ts"
import type { Filter } from "./syntax.ts"
import { readMembers } from "./read-value.ts"

/** Maximum per operation, and per request. */
export const membersMax = 10_000
export const membersInAllMax = 20_000

const tooMany = (count: number) =>
  new ScimFault({ status: 413, detail: `A request can contain at most ${count} members. Send several requests.` })

const definition = attributeNamed(groupSchema.attributes, "members")

/** The changes of a group's members; the caller knows the current members. */
export interface MembersChange {
  /** The complete new list; `add` and `remove` are empty then. */
  readonly replace: ReadonlyArray<string> | undefined
  readonly add: ReadonlyArray<string>
  readonly remove: ReadonlyArray<string>
}

const idOf = (input: Json): string => {
  const members = isRecord(input)
    ? new Map(readMembers(definition?.subAttributes ?? [], input, "members.").map(([{ name }, value]) => [name, value]))
    : undefined
  const value = typeof input === "string" ? input : members?.get("value")
  const type = members?.get("type")
  if (type !== undefined && type !== null && (typeof type !== "string" || type.toLowerCase() !== "user")) {
    throw refuse("invalidValue", "Members of groups must be users; nested groups are not supported.")
  }
  if (typeof value !== "string" || value === "" || value.length > 255 || !isStorable(value)) {
    throw refuse("invalidValue", "members.value must be the ID of a user.")
  }
  return value
}

export const readMemberIds = (input: Json): ReadonlyArray<string> => {
  const given = listOf(input)
  if (given.length > membersMax) throw tooMany(membersMax)
  return [...new Set(given.map(idOf))]
}

/** The IDs in a path's filter. Other filters are not supported, because they would require a search. */
export const namedByFilter = (filter: Filter): ReadonlyArray<string> => {
  if (filter.kind === "or") return filter.filters.flatMap(namedByFilter)
  if (
    filter.kind === "compare" &&
    filter.operator === "eq" &&
    typeof filter.value === "string" &&
    filter.name.schema === undefined &&
    filter.name.sub === undefined &&
    filter.name.attribute.toLowerCase() === "value"
  ) {
    return [filter.value]
  }
  throw refuse("invalidFilter", 'Members can only be selected by ID: members[value eq "…"].')
}

/** Combines operations on members in order, without reading the current members. */
export class MembersDraft {
  #replace: Set<string> | undefined
  readonly #add = new Set<string>()
  readonly #remove = new Set<string>()
  #seen = 0
  #isTouched = false

  #count(ids: ReadonlyArray<string>): void {
    this.#isTouched = true
    this.#seen += ids.length
    if (this.#seen > membersInAllMax) throw tooMany(membersInAllMax)
  }

  add(ids: ReadonlyArray<string>): void {
    this.#count(ids)
    for (const id of ids) {
      if (this.#replace !== undefined) this.#replace.add(id)
      else {
        this.#add.add(id)
        this.#remove.delete(id)
      }
    }
  }

  remove(ids: ReadonlyArray<string>): void {
    this.#count(ids)
    for (const id of ids) {
      if (this.#replace !== undefined) this.#replace.delete(id)
      else {
        this.#remove.add(id)
        this.#add.delete(id)
      }
    }
  }

  replace(ids: ReadonlyArray<string>): void {
    this.#count(ids)
    this.#replace = new Set(ids)
    this.#add.clear()
    this.#remove.clear()
  }

  get change(): MembersChange | undefined {
    return this.#isTouched
      ? { replace: this.#replace && [...this.#replace], add: [...this.#add], remove: [...this.#remove] }
      : undefined
  }
}
