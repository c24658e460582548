/** The requests to each operation of the OpenAPI document: the most expensive bodies and queries. */
import * as Auth from "@orgplane/schema/shared/auth"
import { OrgplaneApi } from "@orgplane/schema/api"
import * as Context from "effect/Context"
import { readFileSync } from "node:fs"
import { fills, idOf, type JsonSchema, makeBodies, prefixOf } from "./cost-bodies.ts"
import { needed } from "./cost-needed.ts"

type Credential = "none" | "person" | "scim" | "worker"

export interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  /** Prefixes of the IDs in the path, by name. */
  readonly prefixes: ReadonlyMap<string, string>
  readonly credential: Credential
  readonly query: ReadonlyArray<{ readonly name: string; readonly schema: JsonSchema }>
  readonly body: { readonly contentType: string; readonly schema: JsonSchema } | undefined
  readonly bodyBytesMax: number
}

export interface Try {
  readonly what: string
  readonly url: string
  readonly contentType: string | undefined
  readonly body: string | undefined
}

const isObject = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null
export const member = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)

const document: unknown = JSON.parse(readFileSync(new URL("../docs/openapi.json", import.meta.url), "utf8"))

const bodyBytesOf = (): ReadonlyMap<string, number> => {
  const limits = new Map<string, number>()
  for (const group of Object.values(OrgplaneApi.groups)) {
    for (const endpoint of Object.values(group.endpoints)) {
      const bytes = Context.getOrUndefined(endpoint.annotations, Auth.BodyBytesMax)
      if (bytes !== undefined) limits.set(`${group.identifier}.${endpoint.identifier}`, bytes)
    }
  }
  return limits
}

export const operationsOf = (only: string | undefined): ReadonlyArray<Operation> => {
  const bytes = bodyBytesOf()
  const paths = member(document, "paths")
  return Object.entries(isObject(paths) ? paths : {}).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).flatMap(([method, operation]) => {
      const name = String(member(operation, "operationId"))
      if (only !== undefined && !name.startsWith(only)) return []
      const content = member(operation, "requestBody", "content")
      const [body] = Object.entries(isObject(content) ? content : {})
      const schema = member(body?.[1], "schema")
      const parameters = member(operation, "parameters")
      const named: ReadonlyArray<unknown> = Array.isArray(parameters) ? parameters : []
      const security = JSON.stringify(member(operation, "security") ?? [])
      return [
        {
          name,
          method: method.toUpperCase(),
          path,
          prefixes: new Map(
            named.flatMap((one) => {
              const schema = member(one, "schema")
              const reference = member(schema, "$ref")
              const resolved =
                typeof reference === "string" ? resolve(reference) : isObject(schema) ? schema : undefined
              const name = String(member(one, "name"))
              const prefix = prefixOf(resolved) ?? prefixesOfNames.get(name)
              return member(one, "in") === "path" && prefix !== undefined ? [[name, prefix] as const] : []
            })
          ),
          credential: security.includes("session")
            ? "person"
            : security.includes("scim")
              ? "scim"
              : security.includes("worker")
                ? "worker"
                : "none",
          query: named.flatMap((one: unknown) => {
            const schema = member(one, "schema")
            return member(one, "in") === "query" && isObject(schema)
              ? [{ name: String(member(one, "name")), schema }]
              : []
          }),
          body: body !== undefined && isObject(schema) ? { contentType: body[0], schema } : undefined,
          bodyBytesMax: bytes.get(name) ?? 1_048_576
        }
      ]
    })
  )
}

const resolve = (reference: string): JsonSchema | undefined => {
  const target = member(document, ...reference.replace(/^#\//u, "").split("/"))
  return isObject(target) ? target : undefined
}

/** Path parameters that are not IDs of one kind. */
const prefixesOfNames = new Map([
  ["scimUserId", "scu"],
  ["scimGroupId", "tem"]
])
const names = new Map([
  ["suite", "unknown"],
  ["resourceType", "User"],
  ["schema", "urn:ietf:params:scim:schemas:core:2.0:User"],
  ["token", "q".repeat(4000)]
])

/** Uses existing IDs if there are any; otherwise decoding costs the same before the lookup fails. */
export const pathOf = ({ path, prefixes }: Operation, ids: ReadonlyMap<string, string>) =>
  path.replace(/\{([^}]+)\}/gu, (_, name: string) =>
    encodeURIComponent(
      names.get(name) ?? idOf(ids, prefixes.get(name) ?? (path.startsWith("/v1/workers/") ? "wrk" : name.slice(0, 3)))
    )
  )

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const encoded = (contentType: string, value: unknown): string =>
  contentType === "application/x-www-form-urlencoded" && isObject(value)
    ? new URLSearchParams(Object.entries(value).map(([name, one]) => [name, textOf(one)])).toString()
    : JSON.stringify(value)

/** Shortens a body that is too long in bytes by generating it with fewer characters. */
const withinBytes = (make: (characters: number) => string, bytesMax: number): string => {
  for (let characters = bytesMax; ; characters = Math.floor(characters / 2)) {
    const text = make(characters)
    if (Buffer.byteLength(text) <= bytesMax || characters < 64) return text
  }
}

const randomBodies = 6

/** Requests by importance: a valid one, hostile JSON, string contents, random ones. Generated when they are sent. */
export function* triesOf(
  operation: Operation,
  ids: ReadonlyMap<string, string>,
  random: () => number
): Generator<Try, void, undefined> {
  const make = makeBodies(resolve, ids)
  const { body, bodyBytesMax, name } = operation
  const base = (): Try => ({
    what: "no query and no body",
    url: pathOf(operation, ids),
    contentType: body?.contentType,
    body: undefined
  })
  const needs = needed[name]
  const expected = (value: unknown, text: string): unknown =>
    needs === undefined || !isObject(value)
      ? value
      : { ...value, ...needs({ ids, n: Math.floor(random() * 1e9), text }) }
  if (body !== undefined) {
    const small = make(body.schema, { fill: "a", characters: 4000, isOver: false, isSmall: true })
    yield { ...base(), what: "a small valid body", body: encoded(body.contentType, expected(small, "a")) }
    // Only what handlers require, at the maximum size.
    for (const [what, fill] of needs === undefined ? [] : fills) {
      yield {
        ...base(),
        what: `expected body of ${what}`,
        body: withinBytes(
          (characters) => encoded(body.contentType, expected(small, fill.repeat(Math.ceil(characters / fill.length)))),
          bodyBytesMax
        )
      }
    }
  }
  if (body !== undefined && body.contentType !== "application/x-www-form-urlencoded") {
    const room = bodyBytesMax - 100
    for (const [what, text] of [
      ["as many numbers as fit", `{"a":[${"1,".repeat(Math.floor(room / 2))}1]}`],
      ["as many objects as fit", `{"a":[${"{},".repeat(Math.floor(room / 3))}{}]}`],
      ["as many nested arrays as fit", `{"a":${"[".repeat(Math.floor(room / 2))}${"]".repeat(Math.floor(room / 2))}}`],
      ["as many members as fit", `{${'"a":1,'.repeat(Math.floor(room / 6))}"a":1}`],
      ["as many values as are allowed", `{"a":[${"{},".repeat(90_000)}{}]}`]
    ] as const) {
      yield { ...base(), what, body: text }
    }
  }
  yield base()
  yield { ...base(), what: "slashes after the path", body: undefined, url: `${base().url}${"/".repeat(12_000)}x/` }
  const withQuery = (what: string, fill: string, chance?: () => number): Try => {
    const query = new URLSearchParams(
      operation.query.map(({ name, schema }) => [
        name,
        textOf(
          make(schema, {
            fill,
            characters: Math.floor(1200 / operation.query.length),
            isOver: false,
            ...(chance === undefined ? {} : { random: chance })
          })
        )
      ])
    )
    const one = base()
    return { ...one, what, url: `${one.url}?${query}` }
  }
  const withBody = (
    what: string,
    shape: { readonly fill: string; readonly isOver: boolean; readonly random?: () => number }
  ) => ({
    ...base(),
    what,
    body:
      body === undefined
        ? undefined
        : withinBytes(
            (characters) => encoded(body.contentType, make(body.schema, { ...shape, characters })),
            bodyBytesMax
          )
  })
  for (const [what, fill] of fills) {
    if (operation.query.length > 0) yield withQuery(`query of ${what}`, fill)
    if (body === undefined) continue
    yield withBody(`body of ${what}`, { fill, isOver: false })
    yield withBody(`nearly valid body of ${what}`, { fill, isOver: true })
  }
  for (let count = 1; count <= randomBodies; count += 1) {
    if (operation.query.length > 0) yield withQuery(`random query ${count}`, "a", random)
    if (body !== undefined) {
      const isOver = random() < 0.3
      yield withBody(`random ${isOver ? "nearly valid " : ""}body ${count}`, { fill: "a", isOver, random })
    }
  }
}

const anyId = /^([a-z]{2,4})_[0-7][0-9a-hjkmnp-tv-z]{25}$/u
/** Stores the first ID of each kind in a response. */
export const idsIn = (value: unknown, ids: Map<string, string>): void => {
  if (typeof value === "string") {
    const prefix = anyId.exec(value)?.[1]
    if (prefix !== undefined && !ids.has(prefix)) ids.set(prefix, value)
  } else if (Array.isArray(value)) for (const one of value.slice(0, 3)) idsIn(one, ids)
  else if (isObject(value)) for (const one of Object.values(value)) idsIn(one, ids)
}
