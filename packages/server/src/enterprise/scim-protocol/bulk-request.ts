import { bulkOperationsMax } from "@orgplane/schema/scim-protocol"
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
  /** As it was written. */
  readonly path: string
  readonly version: Json | undefined
  readonly data: Json | undefined
  /** The bulkIds of what it needs to be there. */
  readonly needs: ReadonlySet<string>
}

export interface BulkRequest {
  /** So many errors end it. */
  readonly failOnErrors: number
  readonly operations: ReadonlyArray<Operation>
}

const bulkSchema = "urn:ietf:params:scim:api:messages:2.0:BulkRequest"
const textMax = 1024

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !isList(value)

// References

/** What a reference stands for; undefined leaves it as it is. */
type Meaning = (bulkId: string) => string | undefined

/** Names, and ends of names, of what holds the id of a resource. */
const holdsId = /(?:^|[.:])(?:value|members|manager)$/i
/** Deeper than this no attribute is. */
const depthMax = 10

const meant = (text: string, meaning: Meaning): string =>
  text.startsWith("bulkId:") ? (meaning(text.slice("bulkId:".length)) ?? text) : text

/** A value with the references in it replaced: in ids, and in the filters of a patch's paths. */
const resolvedIn = (value: Json, name: string, meaning: Meaning, depth: number): Json => {
  if (typeof value === "string") {
    if (holdsId.test(name)) return meant(value, meaning)
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
  path.replace(/\/(bulkId(?::|%3A)[^/]+)$/i, (_, text: string) => `/${meant(decoded(text), meaning)}`)

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

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
    throw refuse("invalidValue", `${name} of an operation is to be a string of 1 to ${textMax} characters.`)
  }
  return value
}

/** RFC 7644, 3.7.3 shows a patch's operations without the message around them. */
const dataOf = (method: Method, data: Json | undefined): Json | undefined =>
  method === "PATCH" && data !== undefined && isList(data) ? { schemas: [patchUrn], Operations: data } : data

const readOperation = (input: Json): Operation => {
  if (!isObject(input)) throw refuse("invalidSyntax", "An operation is to be an object.")
  const word = textIn(input, "method")?.toUpperCase()
  const method = methods.find((known) => known === word)
  if (method === undefined) {
    throw refuse("invalidSyntax", "method of an operation is to be POST, PUT, PATCH or DELETE.")
  }
  const path = textIn(input, "path")
  if (path === undefined) throw refuse("invalidSyntax", "An operation is to have a path.")
  const bulkId = textIn(input, "bulkId")
  if (method === "POST" && bulkId === undefined) throw refuse("invalidSyntax", "A POST is to have a bulkId.")
  const data = method === "DELETE" ? undefined : dataOf(method, memberOf(input, "data"))
  return { method, path, bulkId, version: memberOf(input, "version"), data, needs: needsOf(path, data) }
}

const errorsIn = (body: JsonObject): number => {
  const given = memberOf(body, "failOnErrors")
  if (given === undefined) return Number.POSITIVE_INFINITY
  if (typeof given !== "number" || !Number.isSafeInteger(given) || given < 1) {
    throw refuse("invalidValue", "failOnErrors is to be an integer from 1.")
  }
  return given
}

/** A bulk request; one of which it is not clear what it asks for is refused whole, before anything is done. */
export const readBulk = (body: JsonObject) =>
  attemptParse((): BulkRequest => {
    if (!claims(body, bulkSchema)) throw refuse("invalidSyntax", `schemas is to name ${bulkSchema}.`)
    const failOnErrors = errorsIn(body)
    const given = memberOf(body, "Operations")
    if (given === undefined || !isList(given) || given.length === 0) {
      throw refuse("invalidSyntax", "Operations is to be a list of operations.")
    }
    if (given.length > bulkOperationsMax) {
      throw new ScimFault({
        status: 413,
        detail: `${given.length} operations are more than maxOperations (${bulkOperationsMax}).`
      })
    }
    const operations = given.map(readOperation)
    const named = operations.flatMap(({ bulkId }) => (bulkId === undefined ? [] : [bulkId]))
    if (new Set(named).size < named.length) {
      throw refuse("invalidValue", "Each bulkId is to be that of one operation.")
    }
    return { failOnErrors, operations }
  })

// Order

/** The operation that makes what a bulkId stands for. */
export const makersOf = (operations: ReadonlyArray<Operation>): ReadonlyMap<string, number> =>
  new Map(
    operations.flatMap(({ bulkId, method }, index): ReadonlyArray<readonly [string, number]> =>
      method === "POST" && bulkId !== undefined ? [[bulkId, index]] : []
    )
  )

/**
 * As the operations are written, but whatever one needs before it. Those that need one another in a ring are told, and
 * nobody can do them.
 */
export const orderOf = (
  operations: ReadonlyArray<Operation>,
  makers: ReadonlyMap<string, number>
): { readonly order: ReadonlyArray<number>; readonly ring: ReadonlySet<number> } => {
  const order: Array<number> = []
  const ring = new Set<number>()
  const done = new Set<number>()
  const under: Array<number> = []
  const visit = (index: number) => {
    if (done.has(index)) return
    const began = under.indexOf(index)
    if (began !== -1) {
      for (const one of under.slice(began)) ring.add(one)
      return
    }
    under.push(index)
    for (const bulkId of operations[index]?.needs ?? []) {
      const maker = makers.get(bulkId)
      if (maker !== undefined) visit(maker)
    }
    under.pop()
    done.add(index)
    order.push(index)
  }
  for (const index of operations.keys()) visit(index)
  return { order, ring }
}
