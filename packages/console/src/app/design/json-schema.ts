/** JSON Schemas of forms: how they are read, the values that a form starts with, and what is missing in its values. */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }
export type JsonObject = { readonly [name: string]: Json }

export interface JsonSchema {
  readonly type?: string | ReadonlyArray<string>
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly enum?: ReadonlyArray<Json>
  readonly items?: JsonSchema
  readonly default?: Json
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly format?: string
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listOf = (value: unknown): ReadonlyArray<unknown> | undefined => (Array.isArray(value) ? value : undefined)

/** The value that a reference in the same schema points to, such as `#/$defs/Filter`. */
const referenced = (root: unknown, reference: string): unknown =>
  reference
    .slice(2)
    .split("/")
    .reduce<unknown>(
      (value, part) => (isObject(value) ? value[part.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined),
      root
    )

/** The schema that a reference, or a choice between one schema and null, stands for. */
const unwrapped = (value: JsonObject, root: unknown): JsonObject => {
  const { $ref: reference, anyOf, oneOf, ...others } = value
  if (typeof reference === "string" && reference.startsWith("#/")) {
    const target = referenced(root, reference)
    return isObject(target) ? { ...target, ...others } : others
  }
  const choices = listOf(anyOf) ?? listOf(oneOf)
  const [choice, ...more] = (choices ?? []).filter((each) => !isObject(each) || each["type"] !== "null")
  if (!isObject(choice) || more.length > 0) return choices === undefined ? value : others
  return unwrapped({ ...choice, ...others }, root)
}

const typeNameOf = (type: unknown): string | undefined => {
  const names = [type].flat().filter((name) => name !== "null")
  const [name] = names
  return names.length === 1 && typeof name === "string" ? name : undefined
}

/** A deeper schema, or one with more properties, is edited as JSON. */
const readDepthMax = 8
const propertiesMax = 200
/** References can make a small schema endless. */
const schemasMax = 2_000

interface Reading {
  readonly root: unknown
  count: number
}

const member = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  value === undefined ? {} : { [name]: value }

const text = (value: unknown) => (typeof value === "string" ? value : undefined)
const number = (value: unknown) => (typeof value === "number" ? value : undefined)

const read = (value: unknown, reading: Reading, depth: number): JsonSchema => {
  if (!isObject(value) || depth > readDepthMax || ++reading.count > schemasMax) return {}
  const schema = unwrapped(value, reading.root)
  const { const: constant, enum: values, properties, required } = schema
  const entries = isObject(properties) ? Object.entries(properties) : undefined
  return {
    ...member("type", typeNameOf(schema["type"])),
    ...member("title", text(schema["title"])),
    ...member("description", text(schema["description"])),
    ...member("format", text(schema["format"])),
    ...member("default", schema["default"]),
    ...member("enum", Array.isArray(values) ? values : constant === undefined ? undefined : [constant]),
    ...member("minimum", number(schema["minimum"])),
    ...member("maximum", number(schema["maximum"])),
    ...member("minLength", number(schema["minLength"])),
    ...member("maxLength", number(schema["maxLength"])),
    ...member("minItems", number(schema["minItems"])),
    ...member("required", Array.isArray(required) ? required.filter((name) => typeof name === "string") : undefined),
    ...member("items", isObject(schema["items"]) ? read(schema["items"], reading, depth + 1) : undefined),
    ...member(
      "properties",
      entries === undefined || entries.length > propertiesMax
        ? undefined
        : Object.fromEntries(entries.map(([name, property]) => [name, read(property, reading, depth + 1)]))
    )
  }
}

/** A schema that another server has written, as far as it is one: whatever a form cannot show is left out. */
export const schemaOf = (value: unknown): JsonSchema => read(value, { root: value, count: 0 }, 0)

export const typeOf = ({ enum: values, properties, type }: JsonSchema): string => {
  if (values !== undefined) return "enum"
  const name = typeof type === "string" ? type : type?.find((each) => each !== "null")
  return name ?? (properties === undefined ? "any" : "object")
}

const hasDefault = ({ properties }: JsonSchema): boolean =>
  Object.values(properties ?? {}).some((property) => property.default !== undefined || hasDefault(property))

export const isTextList = (schema: JsonSchema) => typeOf(schema) === "array" && typeOf(schema.items ?? {}) === "string"

export const isRequiredIn = ({ required }: JsonSchema, name: string) => required?.includes(name) === true

const initialValueOf = (property: JsonSchema, isRequired: boolean): Json | undefined => {
  if (property.default !== undefined) return property.default
  if (typeOf(property) === "object") {
    if (property.properties === undefined) return undefined
    return isRequired || hasDefault(property) ? initialOf(property) : undefined
  }
  if (!isRequired) return undefined
  if (typeOf(property) === "boolean") return false
  return isTextList(property) ? [] : undefined
}

/**
 * The values that an untouched form shows: the defaults of the schema, and for required properties an unchecked box and an
 * empty list.
 */
export const initialOf = (schema: JsonSchema): JsonObject =>
  Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const value = initialValueOf(property, isRequiredIn(schema, name))
      return value === undefined ? [] : [[name, value] as const]
    })
  )

/** The value of a nested object after a change: undefined if it is optional, and its fields are as in an untouched form. */
export const givenOf = (schema: JsonSchema, isRequired: boolean, value: JsonObject): JsonObject | undefined =>
  !isRequired && !hasDefault(schema) && JSON.stringify(value) === JSON.stringify(initialOf(schema)) ? undefined : value

/** Required values that are missing, also in nested objects. An empty list is a value. */
export const problemsOf = (schema: JsonSchema, value: JsonObject): ReadonlyArray<string> => {
  const titleOf = (name: string) => schema.properties?.[name]?.title ?? name
  const missing = (schema.required ?? []).filter((name) => value[name] === undefined || value[name] === "")
  const nested = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const inner = value[name]
    return isObject(inner) ? problemsOf(property, inner).map((problem) => `${titleOf(name)}: ${problem}`) : []
  })
  return [...missing.map((name) => `${titleOf(name)} is required.`), ...nested]
}

/** A nested object deeper than this is edited as JSON. */
const depthMax = 3

/** Whether a nested object is edited in fields of its own. */
export const hasFields = ({ properties }: JsonSchema, depth: number) => properties !== undefined && depth < depthMax

export const isLongText = ({ format, maxLength = 0 }: JsonSchema) => maxLength > 200 || format === "multiline"

const canShowProperty = (schema: JsonSchema, value: Json, depth: number): boolean => {
  const isLine = (text: Json) => typeof text === "string" && !text.includes("\n")
  // An empty field shows it.
  if (value === null) return true
  switch (typeOf(schema)) {
    case "enum":
      return schema.enum?.some((each) => JSON.stringify(each) === JSON.stringify(value)) === true
    case "string":
      return isLongText(schema) ? typeof value === "string" : isLine(value)
    case "integer":
    case "number":
      return typeof value === "number"
    case "boolean":
      return typeof value === "boolean"
    case "array":
      return !isTextList(schema) || (Array.isArray(value) && value.every(isLine))
    case "object":
      return !hasFields(schema, depth) || (isObject(value) && canShow(schema, value, depth + 1))
    default:
      return true
  }
}

/** Whether the fields of a form show the whole value. Otherwise, a person would send what the form does not show. */
export const canShow = (schema: JsonSchema, value: JsonObject, depth = 0): boolean =>
  Object.entries(value).every(([name, each]) => {
    const property = schema.properties?.[name]
    return property !== undefined && canShowProperty(property, each, depth)
  })
