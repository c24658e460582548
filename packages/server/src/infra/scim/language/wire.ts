import type { Json, JsonObject } from "./json.ts"
import { type ResourceType, resourceTypes } from "./schemas.ts"

export interface Stored {
  readonly id: string
  /** `resource_json`. */
  readonly resource: JsonObject
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** A user or group that a resource refers to. */
export interface Related {
  readonly id: string
  readonly display: string
}

export const etag = (version: number): string => `W/"${version}"`

/** `baseUrl` is the SCIM base URL that is configured at the identity provider, without a trailing slash. */
export const locationOf = (type: ResourceType, id: string, baseUrl: string): string =>
  `${baseUrl}${resourceTypes[type].endpoint}/${id}`

/**
 * The complete representation of a resource: a user with its groups, a group with its members. Omit those that are not
 * selected (`wants`); an empty list is omitted.
 */
export const toWire = (
  type: ResourceType,
  { createdAt, id, resource, updatedAt, version }: Stored,
  baseUrl: string,
  related: ReadonlyArray<Related> = []
): JsonObject => {
  const { schemas = [], ...attributes } = resource
  const other: ResourceType = type === "User" ? "Group" : "User"
  const list = related.map(({ display, id }): JsonObject => ({
    value: id,
    $ref: locationOf(other, id, baseUrl),
    display,
    type: type === "User" ? "direct" : "User"
  }))
  const whole: Record<string, Json> = { schemas, id, ...attributes }
  if (list.length > 0) whole[type === "User" ? "groups" : "members"] = list
  whole["meta"] = {
    resourceType: type,
    created: createdAt.toISOString(),
    lastModified: updatedAt.toISOString(),
    location: locationOf(type, id, baseUrl),
    version: etag(version)
  }
  return whole
}
