/** Prints the contract's schemas as TypeScript. Throws on schemas that are not plain JSON. */
import type * as R from "effect/SchemaRepresentation"

const isName = (text: string) => /^[A-Za-z_$][\w$]*$/.test(text)
const keyOf = (name: PropertyKey) => (isName(String(name)) ? String(name) : JSON.stringify(String(name)))

/** A docstring with an indentation; empty without text. */
export const docstring = (text: string | undefined, indent = ""): string => {
  if (text === undefined || text === "") return ""
  const lines = text.replaceAll("*/", "*\\/").split("\n")
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
}

/** The description of a schema. */
export const descriptionOf = (representation: R.Representation): string | undefined => {
  if (representation._tag === "Reference") return undefined
  const own = representation.annotations?.description
  if (typeof own === "string") return own
  // A description that follows a check is an annotation of the check.
  for (const check of representation.checks.toReversed()) {
    const description = check.annotations?.description
    if (typeof description === "string") return description
  }
  // `NullOr(X)` has the description of X.
  if (representation._tag === "Union") {
    const [only, ...others] = representation.types.filter((type) => type._tag !== "Null")
    return only !== undefined && others.length === 0 ? descriptionOf(only) : undefined
  }
  return undefined
}

/** Prints representations; `nameOf` returns the name of a reference. */
export const printer = (
  nameOf: (ref: string) => string,
  describe: (ref: string) => string | undefined = () => undefined
) => {
  const describeType = (representation: R.Representation): string | undefined =>
    representation._tag === "Reference" ? describe(representation.$ref) : descriptionOf(representation)

  /** The fields of an object, one per line, with their docstrings. */
  const members = (objects: R.Objects, indent: string): string => {
    const own = objects.propertySignatures.map(
      (property) =>
        `${docstring(describeType(property.type), indent)}${indent}readonly ${keyOf(property.name)}${property.isOptional ? "?" : ""}: ${print(property.type, indent)}${property.isOptional ? " | undefined" : ""}\n`
    )
    const rest = objects.indexSignatures.map(
      (signature) => `${indent}readonly [key: string]: ${print(signature.type)}\n`
    )
    return [...own, ...rest].join("")
  }

  const print = (representation: R.Representation, indent = ""): string => {
    switch (representation._tag) {
      case "String":
      case "TemplateLiteral":
        return "string"
      case "Number":
        return "number"
      case "Boolean":
        return "boolean"
      case "Null":
        return "null"
      case "Literal":
        return typeof representation.literal === "bigint"
          ? fail(representation)
          : JSON.stringify(representation.literal)
      case "Reference":
        return nameOf(representation.$ref)
      case "Suspend":
        return print(representation.thunk, indent)
      case "Union":
        return [...new Set(representation.types.map((type) => print(type, indent)))].join(" | ")
      case "Arrays": {
        const [element, ...others] = representation.rest
        return element !== undefined && others.length === 0 && representation.elements.length === 0
          ? `ReadonlyArray<${print(element, indent)}>`
          : fail(representation)
      }
      case "Objects": {
        const [signature] = representation.indexSignatures
        if (representation.propertySignatures.length === 0) {
          return signature === undefined ? "{}" : `{ readonly [key: string]: ${print(signature.type)} }`
        }
        return `{\n${members(representation, `${indent}  `)}${indent}}`
      }
      case "Declaration":
        return representation.representation?.id === "effect/schema/Json" ? "Json" : fail(representation)
      default:
        return fail(representation)
    }
  }
  return { print, members }
}

const fail = (representation: R.Representation): never => {
  const identifier = "annotations" in representation ? representation.annotations?.identifier : undefined
  throw new Error(
    `codegen: not plain JSON: ${representation._tag}${identifier === undefined ? "" : ` ${JSON.stringify(identifier)}`}`
  )
}
