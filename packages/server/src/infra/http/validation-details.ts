/** Converts the framework's validation issues to the details of a 400 response. */
import { type InvalidDetail, InvalidRequest } from "@orgplane/schema/shared/errors"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"

type Path = ReadonlyArray<PropertyKey>

const list = (texts: ReadonlyArray<string>): string => {
  const last = texts.at(-1) ?? ""
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} or ${last}`
}

/** The members of a union, without nested unions. */
const alternatives = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" ? ast.types.flatMap(alternatives) : ast._tag === "Suspend" ? alternatives(ast.thunk()) : [ast]

const checksFor = (ast: SchemaAST.AST, id: string): boolean =>
  ast.checks?.some(({ annotations }) => idOf(annotations) === id) === true

const expectedText = (annotations: { readonly [key: string]: unknown } | undefined): string | undefined =>
  typeof annotations?.["expected"] === "string" ? annotations["expected"] : undefined

/** The JSON name of a type. Schema names never appear in messages. */
const typeText = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "Null":
      return "null"
    case "String":
    case "TemplateLiteral":
      // A number in a path or query arrives as a string.
      return expectedText(ast.annotations)?.includes("number") === true ? "a number" : "a string"
    case "Number":
      return checksFor(ast, "isInt") ? "an integer" : "a number"
    case "Boolean":
      return "a boolean"
    case "Literal":
      return String(ast.literal)
    case "Arrays":
      return "an array"
    case "Objects":
      return "an object"
    default:
      return "a valid value"
  }
}

/** The literals by which the members of a union of objects differ: `action: setRole or remove`. */
const discriminatorText = (types: ReadonlyArray<SchemaAST.AST>): string | undefined => {
  const literals = types.map((type) =>
    type._tag === "Objects"
      ? new Map(
          type.propertySignatures.flatMap(({ name, type: value }) =>
            value._tag === "Literal" ? [[String(name), String(value.literal)] as const] : []
          )
        )
      : new Map<string, string>()
  )
  const name = [...(literals[0]?.keys() ?? [])].find((key) => literals.every((members) => members.has(key)))
  return name === undefined || types.length < 2
    ? undefined
    : `${name}: ${list(literals.map((members) => members.get(name) ?? ""))}`
}

const mustBe = (ast: SchemaAST.AST): string => {
  const types = alternatives(ast)
  const discriminator = discriminatorText(types)
  if (discriminator !== undefined) return `must be an object with ${discriminator}`
  const literals = types.filter(({ _tag }) => _tag === "Literal").map(typeText)
  const others = [...new Set(types.filter(({ _tag }) => _tag !== "Literal").map(typeText))]
  if (literals.length < 2) return `must be ${list([...literals, ...others])}`
  return `must be one of: ${literals.join(", ")}${others.length === 0 ? "" : `, or ${list(others)}`}`
}

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minCodePoints?: number
  readonly maxCodePoints?: number
}

const representationOf = (annotations: { readonly [key: string]: unknown } | undefined) =>
  annotations?.["representation"] as { readonly id?: string; readonly payload?: Bounds | null } | undefined

const idOf = (annotations: { readonly [key: string]: unknown } | undefined): string | undefined =>
  representationOf(annotations)?.id?.replace("effect/schema/", "")

const rangeText = (minimum: number | undefined, maximum: number | undefined, unit: "item" | "character"): string => {
  const units = (maximum ?? minimum) === 1 ? unit : `${unit}s`
  if (minimum === undefined) return `must have at most ${maximum} ${units}`
  if (maximum === undefined) return `must have at least ${minimum} ${units}`
  return minimum === maximum ? `must have exactly ${minimum} ${units}` : `must have ${minimum} to ${maximum} ${units}`
}

/** The message for a built-in check of the framework. Checks in the API contract have their own messages. */
const checkText = (filter: SchemaAST.Filter<unknown>): string => {
  const { maxCodePoints, maxLength, maximum, minCodePoints, minLength, minimum } =
    representationOf(filter.annotations)?.payload ?? {}
  switch (idOf(filter.annotations)) {
    case "isInt":
      return "must be an integer"
    case "isFinite":
      return "must be a number"
    case "isBetween":
      return `must be between ${minimum} and ${maximum}`
    case "isGreaterThanOrEqualTo":
      return `must be at least ${minimum}`
    case "isLessThanOrEqualTo":
      return `must be at most ${maximum}`
    case "isMinLength":
      return rangeText(minLength, undefined, "item")
    case "isMaxLength":
      return rangeText(undefined, maxLength, "item")
    case "isBetweenLength":
      return rangeText(minimum, maximum, "item")
    case "isMinCodePoints":
      return rangeText(minCodePoints, undefined, "character")
    case "isMaxCodePoints":
      return rangeText(undefined, maxCodePoints, "character")
    case "isBetweenCodePoints":
      return rangeText(minimum, maximum, "character")
    default:
      // A number in a query or path is first checked as a string.
      return expectedText(filter.annotations)?.includes("number") === true ? "must be a number" : "has an invalid value"
  }
}

const messageOf = (annotations: { readonly [key: string]: unknown } | undefined): string | undefined =>
  typeof annotations?.["message"] === "string" ? annotations["message"] : undefined

/** A value that matches no member of a union gets one message: "must be one of: a, b, or a role id". */
const eitherText = (messages: ReadonlyArray<string>): string =>
  [...new Set(messages)].map((text, index) => (index === 0 ? text : text.replace(/^must be /u, ""))).join(", or ")

interface Problem {
  readonly path: Path
  readonly message: string
}

const walk = (issue: SchemaIssue.Issue, path: Path, message?: string): ReadonlyArray<Problem> => {
  switch (issue._tag) {
    case "Pointer":
      return walk(issue.issue, [...path, ...issue.path], message)
    case "Encoding":
      return walk(issue.issue, path, message)
    case "Filter": {
      const own = message ?? messageOf(issue.filter.annotations)
      const isOfFramework = issue.issue._tag === "InvalidValue" && messageOf(issue.issue.annotations) === undefined
      return walk(issue.issue, path, own ?? (isOfFramework ? checkText(issue.filter) : undefined))
    }
    case "Composite":
      return issue.issues.flatMap((part) => walk(part, path, message))
    case "AnyOf": {
      if (issue.issues.length === 0) {
        return [{ path, message: message ?? messageOf(issue.ast.annotations) ?? mustBe(issue.ast) }]
      }
      const problems = issue.issues.flatMap((part) => walk(part, path, message))
      const isOfOneValue = problems.length > 1 && problems.every((problem) => problem.path.length === path.length)
      return isOfOneValue ? [{ path, message: eitherText(problems.map((problem) => problem.message)) }] : problems
    }
    case "MissingKey":
      return [{ path, message: message ?? "is required" }]
    case "UnexpectedKey":
      return [{ path, message: message ?? "is not a known field" }]
    case "InvalidType":
      return [{ path, message: message ?? messageOf(issue.ast.annotations) ?? mustBe(issue.ast) }]
    case "InvalidValue":
      return [{ path, message: message ?? messageOf(issue.annotations) ?? "has an invalid value" }]
    case "OneOf":
      return [{ path, message: message ?? "must match exactly one of the allowed forms" }]
    case "Forbidden":
      return [{ path, message: message ?? "is not allowed" }]
  }
}

/** Every invalid value of one part of a request: `body`, `query`, `path` or `header`. */
const detailsOf = (part: string, issue: SchemaIssue.Issue): ReadonlyArray<InvalidDetail> =>
  walk(issue, []).map(({ message, path }) => ({
    path: [part, ...path.map((key) => (typeof key === "number" ? key : String(key)))],
    // Every value of a query is a string, unless its parameter is repeated.
    message: part === "query" && message === "must be a string" ? "must be given only once" : message
  }))

/** The 400 response to a request of which a part is invalid. */
export const invalidRequest = (part: string, issue: SchemaIssue.Issue) =>
  new InvalidRequest({ details: detailsOf(part, issue) })
