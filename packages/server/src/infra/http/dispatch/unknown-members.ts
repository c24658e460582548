/** Finds the members of a request that its operation does not declare. */
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import { limitingMembers } from "@orgplane/schema/shared/endpoint"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** The members that a value can have: those of an object, those of the items of an array, or any. */
type Shape =
  | { readonly kind: "any" }
  | { readonly kind: "object"; readonly members: Readonly<Record<string, Shape>> }
  | { readonly kind: "array"; readonly item: Shape }

const any: Shape = { kind: "any" }

/** What both alternatives of a union allow. Values of other types have no members, so they do not matter. */
const either = (one: Shape, other: Shape): Shape => {
  if (one.kind === "object" && other.kind === "object") {
    const members: Record<string, Shape> = { ...one.members }
    for (const [name, shape] of Object.entries(other.members)) {
      const own = Object.hasOwn(members, name) ? members[name] : undefined
      members[name] = own === undefined ? shape : either(own, shape)
    }
    return { kind: "object", members }
  }
  if (one.kind === "array" && other.kind === "array") return { kind: "array", item: either(one.item, other.item) }
  return any
}

const isScalar = (ast: SchemaAST.AST): boolean =>
  !["Objects", "Arrays", "Union", "Suspend", "Declaration", "Unknown", "Any", "ObjectKeyword"].includes(ast._tag)

const shapeOf = (ast: SchemaAST.AST, depth = 0): Shape => {
  // A schema that refers to itself is free-form below this depth.
  if (depth > 12) return any
  switch (ast._tag) {
    case "Objects": {
      if (ast.indexSignatures.length > 0) return any
      return {
        kind: "object",
        members: Object.fromEntries(
          ast.propertySignatures.map(({ name, type }) => [String(name), shapeOf(type, depth + 1)] as const)
        )
      }
    }
    case "Arrays":
      return ast.elements.length === 0 && ast.rest[0] !== undefined
        ? { kind: "array", item: shapeOf(ast.rest[0], depth + 1) }
        : any
    case "Union": {
      const types = ast.types.filter((type) => !isScalar(type)).map((type) => shapeOf(type, depth + 1))
      const [first = any, ...others] = types
      return others.reduce(either, first)
    }
    case "Suspend":
      return shapeOf(ast.thunk(), depth + 1)
    default:
      return any
  }
}

/** More are not reported. */
const reportedMax = 10
const nameLengthMax = 64

export type Path = ReadonlyArray<string | number>

/**
 * The unknown members of a request: the first ones, and the first ones that would limit its effect, which are refused
 * however many others precede them.
 */
class Unknown {
  readonly paths: Array<Path> = []
  #others = 0
  #limiting = 0

  add(path: Path, name: string): void {
    const count = limitingMembers.has(name) ? (this.#limiting += 1) : (this.#others += 1)
    if (count <= reportedMax) this.paths.push([...path, name])
  }
}

const collect = (value: unknown, shape: Shape, path: Path, unknown: Unknown): void => {
  if (shape.kind === "any" || typeof value !== "object" || value === null) return
  if (shape.kind === "array") {
    if (!Array.isArray(value)) return
    if (shape.item.kind === "any") return
    for (let index = 0; index < value.length; index += 1) collect(value[index], shape.item, [...path, index], unknown)
    return
  }
  for (const [name, inner] of Object.entries(value)) {
    const member = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined
    if (member === undefined) unknown.add(path, name)
    else if (member.kind !== "any") collect(inner, member, [...path, name], unknown)
  }
}

const withIgnored = (shape: Shape, ignored: ReadonlyArray<string>): Shape =>
  shape.kind === "object"
    ? { kind: "object", members: { ...shape.members, ...Object.fromEntries(ignored.map((name) => [name, any])) } }
    : shape

/** Returns the paths of the unknown members of a JSON body; undefined for a body that may have any. */
export const bodyCheckOf = (schemas: ReadonlyArray<Schema.Top>, ignored: ReadonlyArray<string>) => {
  const [first = any, ...others] = schemas.map(({ ast }) => shapeOf(SchemaAST.toEncoded(ast)))
  const shape = withIgnored(others.reduce(either, first), ignored)
  if (shape.kind === "any") return undefined
  return (value: unknown): ReadonlyArray<Path> => {
    const unknown = new Unknown()
    collect(value, shape, ["body"], unknown)
    return unknown.paths
  }
}

const noPaths: ReadonlyArray<Path> = []
const inQuery: Path = ["query"]

/** Returns the names of unknown query parameters; undefined for a query that may have any. */
export const queryCheckOf = (schema: Schema.Top | undefined, ignored: ReadonlyArray<string>) => {
  const declared: Shape =
    schema === undefined ? { kind: "object", members: {} } : shapeOf(SchemaAST.toEncoded(schema.ast))
  const shape = withIgnored(declared, ignored)
  if (shape.kind !== "object") return undefined
  const { members } = shape
  return (query: Readonly<Record<string, unknown>>): ReadonlyArray<Path> => {
    let unknown: Unknown | undefined
    for (const name in query) {
      if (Object.hasOwn(members, name)) continue
      unknown ??= new Unknown()
      unknown.add(inQuery, name)
    }
    return unknown?.paths ?? noPaths
  }
}

const isStrict = (prefer: string | undefined): boolean =>
  prefer !== undefined && /(^|[,;\s])handling\s*=\s*"?strict"?\s*($|[,;])/i.test(prefer)

/** Names are cut, also within a character, and characters that a header cannot contain are encoded. */
const textOf = (path: Path): string =>
  path.map((key) => encodeURIComponent(String(key).slice(0, nameLengthMax).toWellFormed())).join(".")

/** The request headers and response headers that the handling of unknown members depends on. */
interface Exchange {
  readonly prefer: string | undefined
  readonly responseHeaders: Record<string, string>
}

/**
 * Returns the error for unknown fields that are rejected: those that would limit the effect of the operation, and all with
 * `Prefer: handling=strict`. Otherwise, reports them in the `orgplane-warning` header.
 */
export const checkUnknown = (paths: ReadonlyArray<Path>, exchange: Exchange): InvalidRequest | undefined => {
  const strict = isStrict(exchange.prefer)
  if (strict) exchange.responseHeaders["preference-applied"] = "handling=strict"
  if (paths.length === 0) return undefined
  const refused = strict ? paths : paths.filter((path) => limitingMembers.has(String(path.at(-1))))
  if (refused.length > 0) {
    return new InvalidRequest({
      details: refused.map((path) => ({ path, message: "is not a field of this request" }))
    })
  }
  exchange.responseHeaders["orgplane-warning"] = `Unknown fields were ignored: ${paths.map(textOf).join(", ")}`
  return undefined
}
