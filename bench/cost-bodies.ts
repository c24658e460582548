/** Bodies at their maximal sizes, valid and nearly valid, generated from the schemas of the OpenAPI document. */

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }
export type JsonSchema = { readonly [name: string]: unknown }

/** String fillers: each has once made a parser take more than linear time. */
export const fills: ReadonlyArray<readonly [name: string, fill: string]> = [
  ["letters", "q"],
  ["marks", "\u0301\u0316"],
  ["composed marks", "\u0344"],
  ["characters that expand", "\ufdfa"],
  ["spaces", " "],
  ["line breaks", "\n"],
  ["placeholders", "{{a}}"],
  ["brackets", "["],
  ["closed brackets", "{},"],
  ["front matter", "a: [b, c]\n- - "],
  ["quotes", "\\\"'"],
  ["delimiters", "-/.:@,"],
  ["headings and comments", "# <!-- "],
  ["words", "ab cd "],
  ["numbers", "9"]
]

/** Number of values in one body; a body with more is rejected before parsing, which the benchmark also sends. */
const valuesMax = 20_000

export interface Shape {
  readonly fill: string
  /** Total characters of all strings of the body. */
  readonly characters: number
  /** Exceed each maximum of strings and arrays by one, and ignore patterns. */
  readonly isOver: boolean
}

const at = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null
const schemasOf = (value: unknown): ReadonlyArray<JsonSchema> => (Array.isArray(value) ? value.filter(isSchema) : [])
const numberOf = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise)

const filled = (fill: string, length: number): string =>
  fill.repeat(Math.ceil(length / fill.length)).slice(0, Math.max(0, length))

/** The pattern of any text that a database can store. */
const isAnyText = (pattern: unknown): boolean =>
  pattern === undefined || (typeof pattern === "string" && pattern.startsWith("^[^\\u0000"))

/** Generates values from schemas; `resolve` looks up a reference. */
export const makeBodies = (resolve: (reference: string) => JsonSchema | undefined) => {
  const valueOf = (schema: JsonSchema, shape: Shape, left: { characters: number; values: number }, depth = 0): Json => {
    left.values -= 1
    const reference = schema["$ref"]
    if (typeof reference === "string") {
      const target = resolve(reference)
      return target === undefined ? null : valueOf(target, shape, left, depth)
    }
    const literals: unknown = schema["enum"]
    if (Array.isArray(literals)) return literals[0] as Json
    if ("const" in schema) return schema["const"] as Json
    const choices = [...schemasOf(schema["anyOf"]), ...schemasOf(schema["oneOf"])]
    const [choice] = choices.filter((one) => one["type"] !== "null")
    if (choice !== undefined) return valueOf(choice, shape, left, depth)
    const all = schemasOf(schema["allOf"])
    const whole: JsonSchema = all.length === 0 ? schema : Object.assign({}, ...all, { ...schema, allOf: undefined })
    switch (whole["type"]) {
      case "string":
        return textOf(whole, shape, left)
      case "integer":
      case "number":
        return numberOf(whole["maximum"], numberOf(whole["minimum"], Number.MAX_SAFE_INTEGER)) + (shape.isOver ? 1 : 0)
      case "boolean":
        return true
      case "array":
        return listOf(whole, shape, left, depth)
      case "null":
        return null
      default:
        return objectOf(whole, shape, left, depth)
    }
  }

  const textOf = (schema: JsonSchema, shape: Shape, left: { characters: number }): string => {
    const most = numberOf(schema["maxLength"], shape.characters)
    const length = Math.min(most, Math.max(left.characters, 1))
    if (!shape.isOver && (!isAnyText(schema["pattern"]) || schema["format"] !== undefined)) {
      const [example] = Array.isArray(schema["examples"]) ? schema["examples"] : []
      if (typeof example === "string") return example
      if (schema["format"] === "date-time") return "2026-01-01T00:00:00.000Z"
      if (schema["format"] === "email") return `${"a".repeat(60)}@example.com`
      if (schema["format"] === "uri") return `https://example.com/${"a/".repeat(900)}`
    }
    left.characters -= length
    return filled(shape.fill, length + (shape.isOver && most === length ? 1 : 0))
  }

  const listOf = (
    schema: JsonSchema,
    shape: Shape,
    left: { characters: number; values: number },
    depth: number
  ): ReadonlyArray<Json> => {
    const items = schema["items"]
    if (!isSchema(items) || depth > 6) return []
    const most = numberOf(schema["maxItems"], valuesMax) + (shape.isOver ? 1 : 0)
    const list: Array<Json> = []
    // Each item gets a share, so that there are many items.
    const share = Math.max(1, Math.floor(left.characters / Math.max(1, Math.min(most, 64))))
    while (list.length < most && left.characters > 0 && left.values > 0) {
      const own = { characters: Math.min(share, left.characters), values: left.values }
      const before = own.characters
      list.push(valueOf(items, shape, own, depth + 1))
      left.characters -= Math.max(before - own.characters, 16)
      left.values = own.values
    }
    return list
  }

  const objectOf = (
    schema: JsonSchema,
    shape: Shape,
    left: { characters: number; values: number },
    depth: number
  ): Json => {
    const properties = at(schema, "properties")
    if (!isSchema(properties)) return freeOf(shape, left)
    const members = Object.entries(properties).filter((entry): entry is [string, JsonSchema] => isSchema(entry[1]))
    const object: Record<string, Json> = {}
    for (const [index, [name, member]] of members.entries()) {
      const own = { characters: Math.ceil(left.characters / (members.length - index)), values: left.values }
      const before = own.characters
      object[name] = valueOf(member, shape, own, depth + 1)
      left.characters -= before - own.characters
      left.values = own.values
    }
    return object
  }

  /** Any JSON: nested to the maximum depth, with a wide innermost level. */
  const freeOf = (shape: Shape, left: { characters: number; values: number }): Json => {
    const width = Math.max(1, Math.min(5000, left.values, Math.floor(left.characters / 16)))
    left.values -= width
    left.characters -= width * 16
    let value: Json = Array.from({ length: width }, (_, index) => `${filled(shape.fill, 8)}${index}`)
    for (let level = 0; level < (shape.isOver ? 200 : 50); level += 1) value = { [`${filled(shape.fill, 3)}a`]: value }
    return { fileName: "f.yaml", value }
  }

  return (schema: JsonSchema, shape: Shape): Json =>
    valueOf(schema, shape, { characters: shape.characters, values: valuesMax })
}
