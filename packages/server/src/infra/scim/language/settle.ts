import type { Attribute } from "./attribute.ts"
import { settled } from "./elements.ts"
import { refuse, ScimFault } from "./fault.ts"
import { isRecord, type Json, type JsonObject, listOf } from "./json.ts"
import { valuesMax } from "./read-value.ts"
import { type Normalized, normalized } from "./resource.ts"
import { commonAttributes, type ResourceType, resourceTypes } from "./schemas.ts"

/** Maximum size of a resource as JSON in UTF-8. */
export const resourceBytesMax = 65_536

/** Attributes that are generated, stored elsewhere, or not stored. */
const notKept = new Set(["id", "meta", "schemas", "groups", "members", "password"])

export const keptAttributes = (type: ResourceType): ReadonlyArray<Attribute> =>
  [...commonAttributes, ...resourceTypes[type].core.attributes].filter(({ name }) => !notKept.has(name))

const inOrder = (attribute: Attribute, object: JsonObject): JsonObject => {
  const ordered: Record<string, Json> = {}
  for (const { name } of attribute.subAttributes ?? []) {
    const value = object[name]
    if (value !== undefined) ordered[name] = value
  }
  return ordered
}

const settleOne = (attribute: Attribute, value: Json | undefined): Json | undefined => {
  if (value === undefined || value === null) return undefined
  if (attribute.multiValued) {
    const elements = settled(attribute, listOf(value).filter(isRecord))
    if (elements.length > valuesMax)
      throw refuse("invalidValue", `${attribute.name} must have at most ${valuesMax} values.`)
    return elements.length === 0 ? undefined : elements.map((element) => inOrder(attribute, element))
  }
  if (!isRecord(value)) return value
  const ordered = inOrder(attribute, value)
  // A manager without an ID is dropped, even with a name.
  const hasNoValue =
    attribute.subAttributes?.some(({ name }) => name === "value") === true && ordered["value"] === undefined
  return hasNoValue || Object.keys(ordered).length === 0 ? undefined : ordered
}

const settleAll = (attributes: ReadonlyArray<Attribute>, object: JsonObject): JsonObject => {
  const values: Record<string, Json> = {}
  for (const attribute of attributes) {
    const value = settleOne(attribute, object[attribute.name])
    if (value !== undefined) values[attribute.name] = value
    else if (attribute.required) throw refuse("invalidValue", `${attribute.name} is required.`)
  }
  return values
}

/** The resource to store, from one whose values are already validated. */
export const settle = (type: ResourceType, object: JsonObject): Normalized => {
  const { core, extensions } = resourceTypes[type]
  const extensionValues: Record<string, Json> = {}
  for (const { attributes, id } of extensions) {
    const inside = object[id]
    const values = settleAll(attributes, isRecord(inside) ? inside : {})
    if (Object.keys(values).length > 0) extensionValues[id] = values
  }
  const resource: JsonObject = {
    schemas: [core.id, ...Object.keys(extensionValues)],
    ...settleAll(keptAttributes(type), object),
    ...extensionValues
  }
  if (Buffer.byteLength(JSON.stringify(resource)) > resourceBytesMax) {
    throw new ScimFault({ status: 413, detail: `The resource must be at most ${resourceBytesMax} bytes of JSON.` })
  }
  return normalized(type, resource)
}
