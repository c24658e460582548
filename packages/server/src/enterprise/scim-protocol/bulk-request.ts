import { bulkOperationsMax } from "@orgplane/schema/scim-protocol"
import { decoded } from "../../infra/normalize.ts"
import {
  type Json,
  type JsonObject,
  attemptParse,
  patchUrn,
  refuse,
  ScimFault
} from "../../infra/scim/language/index.ts"
import { claims, memberOf } from "./query.ts"

const methods = ["POST", "PUT", "PATCH", "DELETE"] as const
export type Method = (typeof methods)[number]

export interface Operation {
  readonly method: Method
  readonly bulkId: string | undefined
  /** The path as written in the request. */
  readonly path: string
  readonly version: Json | undefined
  readonly data: Json | undefined
  /** The bulkIds of the resources that the operation references. */
  readonly needs: ReadonlySet<string>
}

export interface BulkRequest {
  /** The number of errors after which processing stops. */
  readonly failOnErrors: number
  readonly operations: ReadonlyArray<Operation>
}

const bulkSchema = "urn:ietf:params:scim:api:messages:2.0:BulkRequest"
const textMax = 1024

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !isList(value)

// References

/** The id for a reference; undefined leaves the reference unchanged. */
type Meaning = (bulkId: string) => string | undefined

/** Names, and ends of names, of attributes that contain the id of a resource. */
const idAttribute = /(?:^|[.:])(?:value|members|manager)$/i
/** Attributes are never nested deeper than this. */
const depthMax = 10

const replaceReference = (text: string, meaning: Meaning): string =>
  text.startsWith("bulkId:") ? (meaning(text.slice("bulkId:".length)) ?? text) : text

/** Replaces the references in a value: in ids, and in the filters of PATCH paths. */
const resolvedIn = (value: Json, name: string, meaning: Meaning, depth: number): Json => {
  if (typeof value === "string") {
    if (idAttribute.test(name)) return replaceReference(value, meaning)
    return name.toLowerCase() === "path"
      ? value.replace(/"bulkId:([^"\\]+)"/g, (text, bulkId: string) => {
          const id = meaning(bulkId)
          return id === undefined ? text : JSON.stringify(id)
        })
      : value
  }
  if (typeof value !== "object" || value === null || depth > depthMax) return value
  return isList(value)
    ? value.map((one) => resolvedIn(one, name, meaning, depth + 1))
    : Object.fromEntries(
        Object.entries(value).map(([inner, one]) => [inner, resolvedIn(one, inner, meaning, depth + 1)])
      )
}

const resolvedPath = (path: string, meaning: Meaning): string =>
  path.replace(/\/(bulkId(?::|%3A)[^/]+)$/i, (_, text: string) => `/${replaceReference(decoded(text), meaning)}`)

/** An operation with ids in place of its references. */
export const resolved = (operation: Operation, meaning: Meaning): Operation =>
  operation.needs.size === 0
    ? operation
    : {
        ...operation,
        path: resolvedPath(operation.path, meaning),
        data: operation.data === undefined ? undefined : resolvedIn(operation.data, "", meaning, 0)
      }

const needsOf = (path: string, data: Json | undefined): ReadonlySet<string> => {
  const needs = new Set<string>()
  const seen: Meaning = (bulkId) => {
    needs.add(bulkId)
    return undefined
  }
  resolvedPath(path, seen)
  if (data !== undefined) resolvedIn(data, "", seen, 0)
  return needs
}

// Reading

const textIn = (message: JsonObject, name: string): string | undefined => {
  const value = memberOf(message, name)
  if (value === undefined) return undefined
  if (typeof value !== "string" || value === "" || value.length > textMax) {
    throw refuse("invalidValue", `${name} of an operation must be a string of 1 to ${textMax} characters.`)
  }
  return value
}

/** RFC 7644, 3.7.3 has an example with PATCH operations without the surrounding message. */
const dataOf = (method: Method, data: Json | undefined): Json | undefined =>
  method === "PATCH" && data !== undefined && isList(data) ? { schemas: [patchUrn], Operations: data } : data

const readOperation = (input: Json): Operation => {
  if (!isObject(input)) throw refuse("invalidSyntax", "Each operation must be an object.")
  const word = textIn(input, "method")?.toUpperCase()
  const method = methods.find((candidate) => candidate === word)
  if (method === undefined) {
    throw refuse("invalidSyntax", "method of an operation must be POST, PUT, PATCH or DELETE.")
  }
  const path = textIn(input, "path")
  if (path === undefined) throw refuse("invalidSyntax", "Each operation must have a path.")
  const bulkId = textIn(input, "bulkId")
  if (method === "POST" && bulkId === undefined) throw refuse("invalidSyntax", "A POST operation must have a bulkId.")
  const data = method === "DELETE" ? undefined : dataOf(method, memberOf(input, "data"))
  return { method, path, bulkId, version: memberOf(input, "version"), data, needs: needsOf(path, data) }
}

const errorsIn = (body: JsonObject): number => {
  const given = memberOf(body, "failOnErrors")
  if (given === undefined) return Number.POSITIVE_INFINITY
  if (typeof given !== "number" || !Number.isSafeInteger(given) || given < 1) {
    throw refuse("invalidValue", "failOnErrors must be an integer of at least 1.")
  }
  return given
}

/** Parses a bulk request. An ambiguous one is rejected as a whole, before anything is done. */
export const readBulk = (body: JsonObject) =>
  attemptParse((): BulkRequest => {
    if (!claims(body, bulkSchema)) throw refuse("invalidSyntax", `schemas must contain ${bulkSchema}.`)
    const failOnErrors = errorsIn(body)
    const given = memberOf(body, "Operations")
    if (given === undefined || !isList(given) || given.length === 0) {
      throw refuse("invalidSyntax", "Operations must be a non-empty list.")
    }
    if (given.length > bulkOperationsMax) {
      throw new ScimFault({
        status: 413,
        detail: `The request has ${given.length} operations, more than maxOperations (${bulkOperationsMax}).`
      })
    }
    const operations = given.map(readOperation)
    const bulkIds = operations.flatMap(({ bulkId }) => (bulkId === undefined ? [] : [bulkId]))
    if (new Set(bulkIds).size < bulkIds.length) {
      throw refuse("invalidValue", "Each bulkId must be unique.")
    }
    return { failOnErrors, operations }
  })

// Order

/** The index of the operation that creates the resource of a bulkId. */
export const makersOf = (operations: ReadonlyArray<Operation>): ReadonlyMap<string, number> =>
  new Map(
    operations.flatMap(({ bulkId, method }, index): ReadonlyArray<readonly [string, number]> =>
      method === "POST" && bulkId !== undefined ? [[bulkId, index]] : []
    )
  )

/**
 * The order of the request, except that each operation comes after the operations it references. Operations with
 * circular references are returned in `ring`; they cannot be performed.
 */
export const orderOf = (
  operations: ReadonlyArray<Operation>,
  makers: ReadonlyMap<string, number>
): { readonly order: ReadonlyArray<number>; readonly ring: ReadonlySet<number> } => {
  const order: Array<number> = []
  const ring = new Set<number>()
  const done = new Set<number>()
  const stack: Array<number> = []
  const visit = (index: number) => {
    if (done.has(index)) return
    const began = stack.indexOf(index)
    if (began !== -1) {
      for (const one of stack.slice(began)) ring.add(one)
      return
    }
    stack.push(index)
    for (const bulkId of operations[index]?.needs ?? []) {
      const maker = makers.get(bulkId)
      if (maker !== undefined) visit(maker)
    }
    stack.pop()
    done.add(index)
    order.push(index)
  }
  for (const index of operations.keys()) visit(index)
  return { order, ring }
}
