import { refuse, ScimFault } from "./fault.ts"
import { isStorable } from "./fold.ts"
import { isRecord, type Json, listOf } from "./json.ts"
import { attributeNamed, groupSchema } from "./schemas.ts"
import type { Filter } from "./syntax.ts"
import { readMembers } from "./read-value.ts"

/** In one operation, and in one request. */
export const membersMax = 10_000
export const membersInAllMax = 20_000

const tooMany = (count: number) =>
  new ScimFault({ status: 413, detail: `More than ${count} members at once; send them in several requests.` })

const definition = attributeNamed(groupSchema.attributes, "members")

/** What a request says of a group's members; whoever keeps them knows which there are. */
export interface MembersChange {
  /** All of them from now on, whatever they were; `add` and `remove` are empty then. */
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
    throw refuse("invalidValue", "Members of groups are users; groups within groups are not provisioned.")
  }
  if (typeof value !== "string" || value === "" || value.length > 255 || !isStorable(value)) {
    throw refuse("invalidValue", "members.value is to be the id of a user.")
  }
  return value
}

export const readMemberIds = (input: Json): ReadonlyArray<string> => {
  const given = listOf(input)
  if (given.length > membersMax) throw tooMany(membersMax)
  return [...new Set(given.map(idOf))]
}

/** Ids that a path's filter names one by one; others would have to be looked for. */
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
  throw refuse("invalidFilter", 'Members are chosen by their ids: members[value eq "…"].')
}

/** Operations on members in their order, put together without the members that there are. */
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
