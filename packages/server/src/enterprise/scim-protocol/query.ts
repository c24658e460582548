import { bodyBytesMax, countDefault, countMax } from "@orgplane/schema/scim-protocol"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { checkedBytesMin, jsonFault } from "../../infra/http/json-bounds.ts"
import {
  type Filter,
  type Json,
  type JsonObject,
  attemptParse,
  parseFilter,
  refuse,
  type SortOrder
} from "../../infra/scim/language/index.ts"

/** The parameters of a list request, from the query or the body. */
export interface ListQuery {
  readonly filter: Filter | undefined
  readonly sortBy: string | undefined
  readonly sortOrder: SortOrder
  readonly startIndex: number
  readonly count: number
  readonly projection: Projection
}

/** The attributes to return, as the request names them. */
export interface Projection {
  readonly attributes?: string | ReadonlyArray<string> | undefined
  readonly excludedAttributes?: string | ReadonlyArray<string> | undefined
}

const integer = (name: string, value: string | number | undefined): number | undefined => {
  if (value === undefined || value === "") return undefined
  const number = typeof value === "number" ? value : /^[+-]?\d{1,12}$/.test(value) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(number)) throw refuse("invalidValue", `${name} must be an integer.`)
  return number
}

const orderOf = (text: string | undefined): SortOrder => {
  const order = text?.toLowerCase() ?? "ascending"
  if (order !== "ascending" && order !== "descending") {
    throw refuse("invalidValue", "sortOrder must be ascending or descending.")
  }
  return order
}

export interface ListText {
  readonly attributes?: string
  readonly excludedAttributes?: string
  readonly filter?: string
  readonly sortBy?: string
  readonly sortOrder?: string
  readonly startIndex?: string
  readonly count?: string
}

const listOf = (parameters: {
  readonly filter: string | undefined
  readonly sortBy: string | undefined
  readonly sortOrder: string | undefined
  readonly startIndex: number | undefined
  readonly count: number | undefined
  readonly projection: Projection
}): ListQuery => ({
  filter:
    parameters.filter === undefined || parameters.filter.trim() === "" ? undefined : parseFilter(parameters.filter),
  sortBy: parameters.sortBy === undefined || parameters.sortBy.trim() === "" ? undefined : parameters.sortBy.trim(),
  sortOrder: orderOf(parameters.sortOrder),
  // Values below the minimum are raised to it (RFC 7644, 3.4.2.4).
  startIndex: Math.max(1, parameters.startIndex ?? 1),
  count: Math.min(countMax, Math.max(0, parameters.count ?? countDefault)),
  projection: parameters.projection
})

export const listQueryOf = (query: ListText): Effect.Effect<ListQuery, ReturnType<typeof refuse>> =>
  attemptParse(() =>
    listOf({
      filter: query.filter,
      sortBy: query.sortBy,
      sortOrder: query.sortOrder,
      startIndex: integer("startIndex", query.startIndex),
      count: integer("count", query.count),
      projection: query
    })
  )

const searchSchema = "urn:ietf:params:scim:api:messages:2.0:SearchRequest"

/** A member of a message. Names are case-insensitive (RFC 7643, 2.1). */
export const memberOf = (message: JsonObject, name: string): Json | undefined => {
  const wanted = name.toLowerCase()
  const key = Object.keys(message).find((key) => key.toLowerCase() === wanted)
  const value = key === undefined ? undefined : message[key]
  return value === null ? undefined : value
}

/** Whether a message declares a schema. */
export const claims = (message: JsonObject, schema: string): boolean => {
  const schemas = memberOf(message, "schemas")
  return (
    Array.isArray(schemas) &&
    schemas.some((one) => typeof one === "string" && one.toLowerCase() === schema.toLowerCase())
  )
}

const textIn = (message: JsonObject, name: string): string | undefined => {
  const value = memberOf(message, name)
  if (value !== undefined && typeof value !== "string") throw refuse("invalidValue", `${name} must be a string.`)
  return value
}

const numberIn = (message: JsonObject, name: string): number | undefined => {
  const value = memberOf(message, name)
  if (value !== undefined && typeof value !== "number" && typeof value !== "string") {
    throw refuse("invalidValue", `${name} must be an integer.`)
  }
  return integer(name, value)
}

const namesInBody = (message: JsonObject, name: string): ReadonlyArray<string> | undefined => {
  const value = memberOf(message, name)
  if (value === undefined) return undefined
  const names = typeof value === "string" ? [value] : Array.isArray(value) ? value : [null]
  const texts = names.filter((one) => typeof one === "string")
  if (texts.length !== names.length) throw refuse("invalidValue", `${name} must be a list of strings.`)
  return texts
}

export const searchOf = (body: JsonObject): Effect.Effect<ListQuery, ReturnType<typeof refuse>> =>
  attemptParse(() => {
    if (!claims(body, searchSchema)) throw refuse("invalidSyntax", `schemas must contain ${searchSchema}.`)
    return listOf({
      filter: textIn(body, "filter"),
      sortBy: textIn(body, "sortBy"),
      sortOrder: textIn(body, "sortOrder"),
      startIndex: numberIn(body, "startIndex"),
      count: numberIn(body, "count"),
      projection: {
        attributes: namesInBody(body, "attributes"),
        excludedAttributes: namesInBody(body, "excludedAttributes")
      }
    })
  })

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** The accepted forms of the media type. */
const mediaType = /^application\/(?:scim\+)?json\s*(?:;|$)/i

/** The body as JSON, with either of the two media types. */
export const bodyOf = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const type = request.headers["content-type"]
  if (type !== undefined && !mediaType.test(type.trim())) {
    return yield* refuse("invalidSyntax", "Content-Type must be application/scim+json or application/json.")
  }
  // The edge reports a body that is too large.
  const text = yield* Effect.orDie(request.text)
  // The nesting depth is checked where a resource is read: in a bulk request, per operation.
  const bytes = new TextEncoder().encode(text)
  const fault = bytes.length < checkedBytesMin ? undefined : jsonFault(bytes, { depthMax: bodyBytesMax })
  if (fault !== undefined) return yield* refuse("invalidSyntax", `The body ${fault}.`)
  return yield* attemptParse((): JsonObject => {
    try {
      const body = JSON.parse(text) as Json
      if (typeof body === "object" && body !== null && !isList(body)) return body
    } catch {
      // Reported below, like a body that is not an object.
    }
    throw refuse("invalidSyntax", "The body must be a JSON object.")
  })
})
