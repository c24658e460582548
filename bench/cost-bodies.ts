/** Bodies of maximum size, valid and nearly valid, generated from the schemas of the OpenAPI document. */

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }
export type JsonSchema = { readonly [name: string]: unknown }

/** Contents of strings: each was once more expensive for some parser than its length suggests. */
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

const allFills = fills.map(([, fill]) => fill)

/** Number of values in one body; bodies with more are rejected before parsing, which is tested too. */
const valuesMax = 20_000

export interface Shape {
  readonly fill: string
  /** Total characters of all strings of the body. */
  readonly characters: number
  /** Exceeds each limit of strings and arrays by one, and ignores patterns. */
  readonly isOver: boolean
  /** Only required fields, as short as possible: a body that reaches its handler. */
  readonly isSmall?: boolean
  /** Chooses among alternatives, fields, lengths and contents. Default: the first and longest. */
  readonly random?: () => number
}

/** Reproducible random numbers from 0 to 1. */
export const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

const idPattern = /^\^([a-z]{2,4})_\[0-7\]/u
/** Existing IDs and names, by prefix. */
export type Ids = ReadonlyMap<string, string>

/** The prefix of the IDs that a schema accepts. */
export const prefixOf = (schema: JsonSchema | undefined): string | undefined => {
  const pattern = schema?.["pattern"]
  return typeof pattern === "string" ? idPattern.exec(pattern)?.[1] : undefined
}

export const idOf = (ids: Ids, prefix: string): string => ids.get(prefix) ?? `${prefix}_01h455vb4pex5vsknk084sn02q`

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

/** Generates values from schemas; `resolve` resolves references. */
export const makeBodies = (resolve: (reference: string) => JsonSchema | undefined, ids: Ids = new Map()) => {
  const pick = <A>(list: ReadonlyArray<A>, { random }: Shape): A | undefined =>
    list[random === undefined ? 0 : Math.floor(random() * list.length)]

  const valueOf = (schema: JsonSchema, shape: Shape, left: { characters: number; values: number }, depth = 0): Json => {
    left.values -= 1
    const reference = schema["$ref"]
    if (typeof reference === "string") {
      const target = resolve(reference)
      return target === undefined ? null : valueOf(target, shape, left, depth)
    }
    const literals: unknown = schema["enum"]
    if (Array.isArray(literals)) return pick(literals, shape) as Json
    if ("const" in schema) return schema["const"] as Json
    const choices = [...schemasOf(schema["anyOf"]), ...schemasOf(schema["oneOf"])]
    const choice = pick(
      choices.filter((one) => one["type"] !== "null"),
      shape
    )
    if (choice !== undefined) return valueOf(choice, shape, left, depth)
    const all = schemasOf(schema["allOf"])
    const whole: JsonSchema = all.length === 0 ? schema : Object.assign({}, ...all, { ...schema, allOf: undefined })
    switch (whole["type"]) {
      case "string":
        return textOf(whole, shape, left)
      case "integer":
      case "number":
        if (shape.isSmall === true) return numberOf(whole["minimum"], 1)
        return numberOf(whole["maximum"], numberOf(whole["minimum"], Number.MAX_SAFE_INTEGER)) + (shape.isOver ? 1 : 0)
      case "boolean":
        return shape.random === undefined || shape.random() < 0.5
      case "array":
        return listOf(whole, shape, left, depth)
      case "null":
        return null
      default:
        return objectOf(whole, shape, left, depth)
    }
  }

  const textOf = (schema: JsonSchema, shape: Shape, left: { characters: number }): string => {
    const prefix = prefixOf(schema)
    if (prefix !== undefined && !shape.isOver) return idOf(ids, prefix)
    const { isSmall, random } = shape
    const most = numberOf(schema["maxLength"], shape.characters)
    const room = Math.min(most, Math.max(left.characters, 1))
    const least = numberOf(schema["minLength"], 0)
    const length = isSmall === true ? Math.max(8, least) : random === undefined ? room : lengthOf(least, room, random)
    if (!shape.isOver && (!isAnyText(schema["pattern"]) || schema["format"] !== undefined)) {
      const [example] = Array.isArray(schema["examples"]) ? schema["examples"] : []
      if (typeof example === "string") return example
      if (schema["format"] === "date-time") return "2026-01-01T00:00:00.000Z"
      if (schema["format"] === "email") return `${"a".repeat(60)}@example.com`
      if (schema["format"] === "uri") return `https://example.com/${"a/".repeat(900)}`
    }
    left.characters -= length
    if (isSmall === true) return filled(`n${(valueCount += 1)}-a`, Math.min(most, length))
    const fill = random === undefined ? shape.fill : `${pick(allFills, shape) ?? ""}${pick(allFills, shape) ?? ""}`
    return filled(fill, length + (shape.isOver && most === length ? 1 : 0))
  }
  let valueCount = 0
  const lengthOf = (least: number, most: number, random: () => number): number =>
    random() < 0.4 ? most : least + Math.floor(random() ** 3 * Math.max(0, most - least))

  const listOf = (
    schema: JsonSchema,
    shape: Shape,
    left: { characters: number; values: number },
    depth: number
  ): ReadonlyArray<Json> => {
    const items = schema["items"]
    if (!isSchema(items) || depth > 6) return []
    const most =
      shape.isSmall === true
        ? numberOf(schema["minItems"], 0)
        : shape.random !== undefined && shape.random() < 0.5
          ? Math.floor(shape.random() * 8)
          : numberOf(schema["maxItems"], valuesMax) + (shape.isOver ? 1 : 0)
    const list: Array<Json> = []
    // The budget is divided among the items, so that there are many.
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
    const { isSmall, random } = shape
    const required: unknown = schema["required"]
    const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
    const members = Object.entries(properties)
      .filter((entry): entry is [string, JsonSchema] => isSchema(entry[1]))
      .filter(([name]) => isRequired(name) || (isSmall !== true && (random === undefined || random() < 0.7)))
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

  /** Any JSON, nested to the maximum depth, and wide at the innermost level. */
  const freeOf = (shape: Shape, left: { characters: number; values: number }): Json => {
    if (shape.isSmall === true) return {}
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
