import { refuse } from "./fault.ts"
import { isList, isRecord, type Json, type JsonObject } from "./json.ts"
import { readMemberIds } from "./members.ts"
import { readAttribute, readMembers } from "./read-value.ts"
import type { Normalised } from "./resource.ts"
import { extensionNamed, externalId, type ResourceType, resourceTypes } from "./schemas.ts"
import { settle } from "./settle.ts"

export type Mode =
  | { readonly kind: "create" }
  /** PUT: what is not said is gone; but for `active`, since silence is no wish to let somebody in again. */
  | { readonly kind: "replace"; readonly previous: JsonObject }

export interface NormalisedWhole extends Normalised {
  /** Of a group, when the request says anything of members. */
  readonly members: ReadonlyArray<string> | undefined
}

const claim = (type: ResourceType, input: JsonObject): void => {
  const [, schemas] = Object.entries(input).find(([name]) => name.toLowerCase() === "schemas") ?? []
  const wanted = resourceTypes[type].core.id.toLowerCase()
  if (!isList(schemas) || !schemas.some((schema) => typeof schema === "string" && schema.toLowerCase() === wanted)) {
    throw refuse("invalidSyntax", `schemas is to name ${resourceTypes[type].core.id}.`)
  }
}

/**
 * A whole resource as a request says it: names without regard to case, values judged, everything unknown or ours left out.
 * Providers send attributes that nobody asked for, so those are no fault.
 */
export const normalise = (type: ResourceType, input: unknown, mode: Mode): NormalisedWhole => {
  const body = input as Json | undefined
  if (!isRecord(body)) throw refuse("invalidSyntax", "The body is to be a JSON object.")
  claim(type, body)
  const { core, extensions } = resourceTypes[type]
  const object: Record<string, Json> = {}
  let members: ReadonlyArray<string> | undefined
  for (const [attribute, given] of readMembers([externalId, ...core.attributes], body, "")) {
    if (attribute.mutability === "readOnly") continue
    if (attribute.name === "members") members = readMemberIds(given)
    else {
      const value = readAttribute(attribute, given, attribute.name)
      if (value !== undefined) object[attribute.name] = value
    }
  }
  for (const [name, given] of Object.entries(body)) {
    const extension = extensions.length === 0 ? undefined : extensionNamed(type, name)
    if (extension === undefined || given === null) continue
    if (!isRecord(given)) throw refuse("invalidValue", `${extension.id} is to be an object.`)
    const inside: Record<string, Json> = {}
    for (const [attribute, value] of readMembers(extension.attributes, given, `${extension.id}:`)) {
      const read = readAttribute(attribute, value, `${extension.id}:${attribute.name}`)
      if (read !== undefined) inside[attribute.name] = read
    }
    object[extension.id] = inside
  }
  if (type === "User" && object["active"] === undefined) {
    object["active"] = mode.kind === "create" || mode.previous["active"] !== false
  }
  return { ...settle(type, object), members }
}
