import type { Attribute } from "./attribute.ts"
import { fold } from "./fold.ts"
import { isRecord, type Json, type JsonObject, listOf } from "./json.ts"
import { commonAttributes, type ResourceType, resourceTypes } from "./schemas.ts"

/**
 * The columns that are stored in addition to the resource. Names are folded, so that they are unique regardless of
 * case.
 */
export interface Columns {
  /** `userName` of a user, `displayName` of a group. */
  readonly name: string
  readonly externalId: string | null
  /** Always true for groups. */
  readonly active: boolean
}

export interface Normalized {
  /** As stored and returned: canonical names, no empty values; without id, meta, members, groups or password. */
  readonly resource: JsonObject
  /** The same with case folded in attributes that are not case-exact: used by filters and sorting. */
  readonly folded: JsonObject
  readonly columns: Columns
}

const foldValue = (attribute: Attribute, value: Json): Json => {
  if (attribute.multiValued) return listOf(value).map((one) => foldOne(attribute, one))
  return foldOne(attribute, value)
}

export const foldOne = (attribute: Attribute, value: Json): Json => {
  if (typeof value === "string") return attribute.caseExact ? value : fold(value)
  return isRecord(value) ? foldObject(attribute.subAttributes ?? [], value) : value
}

const foldObject = (attributes: ReadonlyArray<Attribute>, object: JsonObject): JsonObject => {
  const folded: Record<string, Json> = {}
  for (const attribute of attributes) {
    const value = object[attribute.name]
    if (value !== undefined) folded[attribute.name] = foldValue(attribute, value)
  }
  return folded
}

export const foldResource = (type: ResourceType, resource: JsonObject): JsonObject => {
  const { core, extensions } = resourceTypes[type]
  const folded: Record<string, Json> = { ...foldObject([...commonAttributes, ...core.attributes], resource) }
  for (const { attributes, id } of extensions) {
    const inside = resource[id]
    if (isRecord(inside)) folded[id] = foldObject(attributes, inside)
  }
  return folded
}

const textOf = (value: Json | undefined): string | null => (typeof value === "string" ? value : null)

/** For a resource that is already normalized. */
export const normalized = (type: ResourceType, resource: JsonObject): Normalized => {
  const folded = foldResource(type, resource)
  return {
    resource,
    folded,
    columns: {
      name: textOf(folded[type === "User" ? "userName" : "displayName"]) ?? "",
      externalId: textOf(resource["externalId"]),
      active: type === "Group" || resource["active"] === true
    }
  }
}
