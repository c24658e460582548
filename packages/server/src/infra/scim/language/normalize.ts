import { refuse } from "./fault.ts"
import { isList, isRecord, type Json, type JsonObject } from "./json.ts"
import { readMemberIds } from "./members.ts"
import { readAttribute, readMembers } from "./read-value.ts"
import type { Normalized } from "./resource.ts"
import { extensionNamed, externalId, type ResourceType, resourceTypes } from "./schemas.ts"
import { settle } from "./settle.ts"

export type Mode =
  | { readonly kind: "create" }
  /** PUT: omitted attributes are removed, except `active`: omitting it does not reactivate a user. */
  | { readonly kind: "replace"; readonly previous: JsonObject }

export interface NormalizedWhole extends Normalized {
  /** The members of a group, if the request contains them. */
  readonly members: ReadonlyArray<string> | undefined
}

const requireSchema = (type: ResourceType, input: JsonObject): void => {
  const [, schemas] = Object.entries(input).find(([name]) => name.toLowerCase() === "schemas") ?? []
  const wanted = resourceTypes[type].core.id.toLowerCase()
  if (!isList(schemas) || !schemas.some((schema) => typeof schema === "string" && schema.toLowerCase() === wanted)) {
    throw refuse("invalidSyntax", `schemas must contain ${resourceTypes[type].core.id}.`)
  }
}

/**
 * Reads a complete resource: names are case-insensitive, values are validated, and unknown or read-only attributes are
 * ignored, because identity providers send attributes that are not supported.
 */
export const normalize = (type: ResourceType, input: unknown, mode: Mode): NormalizedWhole => {
  const body = input as Json | undefined
  if (!isRecord(body)) throw refuse("invalidSyntax", "The body must be a JSON object.")
  requireSchema(type, body)
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
    if (!isRecord(given)) throw refuse("invalidValue", `${extension.id} must be an object.`)
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
