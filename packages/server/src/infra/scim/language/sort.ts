import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../sql/client.ts"
import { refuse } from "./fault.ts"
import { single } from "./filter-sql.ts"
import { parsePath } from "./parser.ts"
import { attributeNamed, type Name, type Place, placeOf, type ResourceType, spell } from "./schemas.ts"

export type SortOrder = "ascending" | "descending"

const aliases = { User: "u", Group: "g" } as const

const unsortable = (name: string) => refuse("invalidValue", `Resources cannot be sorted by ${name}.`)

const nameOf = (sortBy: string): Name => {
  const path = parsePath(sortBy)
  if (path.kind === "schema" || path.filter !== undefined) throw unsortable(sortBy)
  return path.name
}

/** The text that resources are sorted by; null when they have none or are of the other type. */
const keyOf = (type: ResourceType, name: Name): string => {
  const place = placeOf(type, name)
  if (place === undefined) {
    if (placeOf(type === "User" ? "Group" : "User", name) === undefined) throw unsortable(spell(name))
    return "NULL::text"
  }
  const { attribute, extension } = place
  const sub = place.sub ?? (attribute.type === "complex" ? attributeNamed(attribute.subAttributes, "value") : undefined)
  const leaf = sub ?? attribute
  if (
    leaf.type === "complex" ||
    attribute.name === "groups" ||
    attribute.name === "members" ||
    attribute.name === "schemas"
  ) {
    throw unsortable(spell(name))
  }
  if (attribute.multiValued && sub !== undefined) return ofFirst(type, { attribute, extension, sub }, sub.name)
  const key = single(type, { attribute, extension, sub })
  return leaf.type === "boolean" || leaf.type === "dateTime" ? key : `${key} COLLATE "C"`
}

/** RFC 7644 §3.4.2.3: the primary value, otherwise the first. */
const ofFirst = (type: ResourceType, { attribute, extension }: Place, sub: string): string => {
  const home =
    extension === undefined ? `${aliases[type]}.folded_json` : `${aliases[type]}.folded_json -> '${extension}'`
  return `(SELECT e.v ->> '${sub}' FROM jsonb_array_elements(${home} -> '${attribute.name}') WITH ORDINALITY AS e(v, n)
    ORDER BY (e.v ->> 'primary') IS NOT DISTINCT FROM 'true' DESC, e.n LIMIT 1) COLLATE "C"`
}

/** For ORDER BY. Resources without a value come last, or first in descending order; ties are ordered by ID. */
export const sortSql = (
  sql: Sql,
  type: ResourceType,
  sortBy?: string,
  sortOrder: SortOrder = "ascending"
): Fragment => {
  const byId = `${aliases[type]}.id COLLATE "C"`
  if (sortBy === undefined) return sql.literal(byId)
  const direction = sortOrder === "descending" ? "DESC NULLS FIRST" : "ASC NULLS LAST"
  return sql.literal(`${keyOf(type, nameOf(sortBy))} ${direction}, ${byId}`)
}
