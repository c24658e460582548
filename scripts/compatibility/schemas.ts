/** Compares two JSON Schemas of the API, and reports what breaks existing clients. */

export interface JsonSchema {
  readonly [keyword: string]: unknown
}
type Schemas = Readonly<Record<string, JsonSchema>>

/** A change that breaks users of the last release. */
export interface Break {
  /** What is affected: `plugins.create`, `Plugin.name`, `orgplane plugins list --limit`. */
  readonly id: string
  readonly problem: string
  readonly fix: string
}

/** Where a schema is used: clients write requests and read responses. */
export type Direction = "request" | "response"

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const schemaAt = (schema: JsonSchema, key: string): JsonSchema | undefined => {
  const value = schema[key]
  return isSchema(value) ? value : undefined
}
const listAt = (schema: JsonSchema, key: string): ReadonlyArray<unknown> => {
  const value = schema[key]
  return Array.isArray(value) ? value : []
}
const numberAt = (schema: JsonSchema, key: string): number | undefined => {
  const value = schema[key]
  return typeof value === "number" ? value : undefined
}

const prefix = "#/components/schemas/"
const nameOf = (schema: JsonSchema): string | undefined => {
  const ref = schema["$ref"]
  return typeof ref === "string" && ref.startsWith(prefix) ? ref.slice(prefix.length) : undefined
}

/** A schema without references, unions and `allOf` at its top: one of the forms of a value. */
interface Form {
  readonly schema: JsonSchema
  /** The component that contains it. */
  readonly name: string | undefined
}

const formsOf = (schema: JsonSchema, schemas: Schemas, name?: string): ReadonlyArray<Form> => {
  const ref = nameOf(schema)
  if (ref !== undefined) {
    const target = schemas[ref]
    if (target === undefined) throw new Error(`The schema ${ref} is missing.`)
    return formsOf(target, schemas, ref)
  }
  const alternatives = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf")].filter(isSchema)
  if (alternatives.length > 0) return alternatives.flatMap((each) => formsOf(each, schemas, name))
  const parts = listAt(schema, "allOf").filter(isSchema)
  if (parts.length > 0) {
    const { allOf: _, ...rest } = schema
    const merged = parts.flatMap((part) => formsOf(part, schemas, name)).map((form) => form.schema)
    return [{ schema: Object.assign({}, ...merged, rest) as JsonSchema, name }]
  }
  const types = schema["type"]
  return Array.isArray(types)
    ? types.map((type: unknown) => ({ schema: { ...schema, type }, name }))
    : [{ schema, name }]
}

const typeOf = ({ schema }: Form): string => {
  if (typeof schema["type"] === "string") return schema["type"]
  if (schema["properties"] !== undefined) return "object"
  const [value] = valuesOf(schema) ?? []
  return value === null ? "null" : value === undefined ? "any value" : typeof value
}

const valuesOf = (schema: JsonSchema): ReadonlyArray<unknown> | undefined =>
  "const" in schema ? [schema["const"]] : Array.isArray(schema["enum"]) ? (schema["enum"] as Array<unknown>) : undefined

const bounds = [
  ["minLength", "minimum length", 1],
  ["maxLength", "maximum length", -1],
  ["minItems", "minimum number of items", 1],
  ["maxItems", "maximum number of items", -1],
  ["minimum", "minimum", 1],
  ["maximum", "maximum", -1]
] as const

const quoted = (values: ReadonlyArray<unknown>) => values.map((value) => `\`${String(value)}\``).join(", ")

/** Compares schemas of two documents. Components are compared once for each direction. */
export const schemaComparison = (before: Schemas, after: Schemas) => {
  const compared = new Map<string, ReadonlyArray<Break>>()

  const compareObjects = (one: Form, other: Form, direction: Direction, id: string): ReadonlyArray<Break> => {
    const breaks: Array<Break> = []
    const properties = (form: Form) => schemaAt(form.schema, "properties") ?? {}
    const required = (form: Form) => new Set(listAt(form.schema, "required").map(String))
    const [old, current] = [properties(one), properties(other)]
    const [oldRequired, currentRequired] = [required(one), required(other)]
    for (const [name, schema] of Object.entries(old)) {
      const at = `${id}.${name}`
      const next = current[name]
      if (!isSchema(next)) {
        breaks.push({
          id: at,
          problem: `The ${direction} field was removed.`,
          fix: "Restore it, and deprecate it with a sunset date."
        })
        continue
      }
      if (direction === "response" && oldRequired.has(name) && !currentRequired.has(name)) {
        breaks.push({
          id: at,
          problem: "The response field was always present and is now optional.",
          fix: "Return it in every response."
        })
      }
      if (direction === "request" && !oldRequired.has(name) && currentRequired.has(name)) {
        breaks.push({
          id: at,
          problem: "The request field was optional and is now required.",
          fix: "Make it optional, with a default."
        })
      }
      if (isSchema(schema)) breaks.push(...compare(schema, next, direction, at))
    }
    if (direction === "request") {
      for (const name of currentRequired) {
        if (name in old) continue
        breaks.push({
          id: `${id}.${name}`,
          problem: "A required request field was added.",
          fix: "Make it optional, with a default."
        })
      }
    }
    const [oldRest, rest] = [one, other].map((form) => schemaAt(form.schema, "additionalProperties"))
    if (oldRest !== undefined && rest !== undefined) breaks.push(...compare(oldRest, rest, direction, `${id}[name]`))
    if (oldRest !== undefined && rest === undefined && other.schema["additionalProperties"] === false) {
      breaks.push({ id, problem: `The ${direction} no longer has fields of any name.`, fix: "Keep additional fields." })
    }
    return breaks
  }

  const compareValues = (one: Form, other: Form, direction: Direction, id: string): ReadonlyArray<Break> => {
    const breaks: Array<Break> = []
    const [old, current] = [valuesOf(one.schema), valuesOf(other.schema)]
    if (direction === "request") {
      const removed = current === undefined ? [] : (old?.filter((value) => !current.includes(value)) ?? [])
      if (removed.length > 0) {
        breaks.push({ id, problem: `The value ${quoted(removed)} is no longer accepted.`, fix: "Accept it as before." })
      }
      if (old === undefined && current !== undefined) {
        breaks.push({ id, problem: `Only ${quoted(current)} is accepted now.`, fix: "Accept other values as before." })
      }
      for (const [keyword, words, sign] of bounds) {
        const [from, to] = [numberAt(one.schema, keyword), numberAt(other.schema, keyword)]
        if (to === undefined || (from !== undefined && (to - from) * sign <= 0)) continue
        breaks.push({
          id,
          problem: `The ${words} changed from ${from ?? "none"} to ${to}.`,
          fix: "Accept what the last release accepted."
        })
      }
      const [before, after] = [one.schema["x-default"], other.schema["x-default"]]
      if (typeof before === "string" && typeof after === "string" && before !== after) {
        breaks.push({ id, problem: `The default changed from ${before} to ${after}.`, fix: "Restore the default." })
      }
      for (const keyword of ["pattern", "format"]) {
        const [from, to] = [one.schema[keyword], other.schema[keyword]]
        if (to === undefined || to === from) continue
        breaks.push({
          id,
          problem: `The ${keyword} changed, so values of the last release may be rejected.`,
          fix: "Restore it."
        })
      }
      return breaks
    }
    if (old === undefined) return breaks
    const added = current?.filter((value) => !old.includes(value))
    if (added === undefined) {
      breaks.push({
        id,
        problem: `The response field had one of the values ${quoted(old)} and now has any.`,
        fix: "Restore the enumeration."
      })
    } else if (old.length === 1 && added.length > 0) {
      // Clients accept unknown values of an enumeration, but not of a constant, which distinguishes alternatives.
      breaks.push({
        id,
        problem: `The response field was always ${quoted(old)} and can now be ${quoted(added)}.`,
        fix: "Return the new value in another field."
      })
    }
    return breaks
  }

  const compareForms = (one: Form, other: Form, direction: Direction, at: string): ReadonlyArray<Break> => {
    const run = (id: string): ReadonlyArray<Break> => {
      const [from, to] = [typeOf(one), typeOf(other)]
      const isWider =
        direction === "request" ? from === "integer" && to === "number" : from === "number" && to === "integer"
      const isAny = direction === "request" ? to === "any value" : from === "any value"
      if (isAny && from !== to) return []
      if (from !== to && !isWider) {
        return [
          { id, problem: `The type changed from ${from} to ${to}.`, fix: "Restore the type, or add a new field." }
        ]
      }
      if (from === "object") return compareObjects(one, other, direction, id)
      if (from === "array") {
        const [items, next] = [schemaAt(one.schema, "items") ?? {}, schemaAt(other.schema, "items") ?? {}]
        return [...compareValues(one, other, direction, id), ...compare(items, next, direction, `${id}[]`)]
      }
      return compareValues(one, other, direction, id)
    }
    if (one.name === undefined || one.name !== other.name) return run(at)
    const key = `${direction} ${one.name} ${typeOf(one)} ${JSON.stringify(one.schema)} ${JSON.stringify(other.schema)}`
    const existing = compared.get(key)
    if (existing !== undefined) return existing
    // A recursive schema refers to itself.
    compared.set(key, [])
    const breaks = run(one.name)
    compared.set(key, breaks)
    return breaks
  }

  /** The breaks of the best counterpart of a form. */
  const best = (
    candidates: ReadonlyArray<Form>,
    compareWith: (candidate: Form) => ReadonlyArray<Break>
  ): ReadonlyArray<Break> | undefined => candidates.map(compareWith).toSorted((a, b) => a.length - b.length)[0]

  const compare = (old: JsonSchema, current: JsonSchema, direction: Direction, id: string): ReadonlyArray<Break> => {
    const [from, to] = [formsOf(old, before), formsOf(current, after)]
    if (from.length === 1 && to.length === 1 && from[0] !== undefined && to[0] !== undefined) {
      return compareForms(from[0], to[0], direction, id)
    }
    const isSameType = (one: Form, other: Form) =>
      typeOf(one) === typeOf(other) ||
      [typeOf(one), typeOf(other)].includes("any value") ||
      [typeOf(one), typeOf(other)].toSorted().join() === "integer,number"
    if (direction === "request") {
      return from.flatMap((form) => {
        const breaks = best(
          to.filter((other) => isSameType(form, other)),
          (other) => compareForms(form, other, direction, id)
        )
        return (
          breaks ?? [
            { id, problem: `A value of type ${typeOf(form)} is no longer accepted.`, fix: "Accept it as before." }
          ]
        )
      })
    }
    const removed = from.flatMap((form) => {
      const breaks = best(
        to.filter((other) => isSameType(form, other)),
        (other) => compareForms(form, other, direction, id)
      )
      // A response may stop having one of its forms, but not lose fields of all of them.
      return breaks === undefined || to.length < from.length ? [] : breaks
    })
    const added = to.flatMap((form) => {
      const breaks = best(
        from.filter((other) => isSameType(other, form)),
        (other) => compareForms(other, form, direction, id)
      )
      return (
        breaks ?? [
          {
            id,
            problem: `The response can now have a value of type ${typeOf(form)}.`,
            fix: "Return it in a new field."
          }
        ]
      )
    })
    return unique([...removed, ...added])
  }

  return { compare }
}

/** Without repetitions. */
export const unique = (breaks: ReadonlyArray<Break>): ReadonlyArray<Break> => [
  ...new Map(breaks.map((each) => [`${each.id} ${each.problem}`, each])).values()
]
