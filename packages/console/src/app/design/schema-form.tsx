/**
 * A form for a JSON Schema: fields for texts, numbers, choices, switches, lists of texts and nested objects. What a form
 * cannot show is edited as JSON. Check values with `problemsOf` before they are sent; the server checks them again.
 */
import { useState } from "react"
import { Checkbox, SelectField, TextArea } from "./fields.tsx"
import { Field } from "./ui.tsx"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }
type JsonObject = { readonly [name: string]: Json }

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

const typeOf = ({ enum: values, properties, type }: JsonSchema): string => {
  if (values !== undefined) return "enum"
  const name = typeof type === "string" ? type : type?.find((each) => each !== "null")
  return name ?? (properties === undefined ? "any" : "object")
}

/** A nested object deeper than this is edited as JSON. */
const depthMax = 3

/** Values for the defaults of the schema. */
export const initialOf = (schema: JsonSchema): JsonObject =>
  Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      if (property.default !== undefined) return [[name, property.default] as const]
      if (typeOf(property) !== "object") return []
      const inner = initialOf(property)
      return Object.keys(inner).length === 0 ? [] : [[name, inner] as const]
    })
  )

/** Names of the required values that are missing. */
export const problemsOf = (schema: JsonSchema, value: JsonObject): ReadonlyArray<string> =>
  (schema.required ?? [])
    .filter((name) => value[name] === undefined || value[name] === "")
    .map((name) => `${schema.properties?.[name]?.title ?? name} is required.`)

const JsonField = ({
  label,
  onChange,
  value
}: {
  readonly label: string
  readonly value: Json | undefined
  readonly onChange: (value: Json | undefined) => void
}) => {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2))
  const [problem, setProblem] = useState<string>()
  const change = (next: string) => {
    setText(next)
    if (next.trim() === "") {
      setProblem(undefined)
      onChange(undefined)
      return
    }
    try {
      onChange(JSON.parse(next) as Json)
      setProblem(undefined)
    } catch {
      setProblem("This is not JSON.")
    }
  }
  return (
    <TextArea
      label={label}
      hint="JSON"
      spellCheck={false}
      value={text}
      problem={problem}
      onChange={(event) => change(event.target.value)}
    />
  )
}

interface FieldProps {
  readonly name: string
  readonly schema: JsonSchema
  readonly value: Json | undefined
  readonly isRequired: boolean
  readonly onChange: (value: Json | undefined) => void
  readonly depth: number
}

const PropertyField = ({ depth, isRequired, name, onChange, schema, value }: FieldProps) => {
  const label = `${schema.title ?? name}${isRequired ? "" : " (optional)"}`
  const hint = schema.description === undefined ? {} : { hint: schema.description }
  switch (typeOf(schema)) {
    case "enum": {
      const values = schema.enum ?? []
      return (
        <SelectField
          label={label}
          {...hint}
          required={isRequired}
          value={value === undefined ? "" : JSON.stringify(value)}
          options={[
            ["", "Choose…"],
            ...values.map(
              (each) => [JSON.stringify(each), typeof each === "string" ? each : JSON.stringify(each)] as const
            )
          ]}
          onChange={({ target }) => onChange(values.find((each) => JSON.stringify(each) === target.value))}
        />
      )
    }
    case "string":
      return (schema.maxLength ?? 0) > 200 || schema.format === "multiline" ? (
        <TextArea
          label={label}
          {...hint}
          required={isRequired}
          maxLength={schema.maxLength}
          value={typeof value === "string" ? value : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
        />
      ) : (
        <Field
          label={label}
          {...hint}
          type={schema.format === "uri" ? "url" : schema.format === "email" ? "email" : "text"}
          required={isRequired}
          minLength={schema.minLength}
          maxLength={schema.maxLength}
          value={typeof value === "string" ? value : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
        />
      )
    case "integer":
    case "number":
      return (
        <Field
          label={label}
          {...hint}
          type="number"
          step={typeOf(schema) === "integer" ? 1 : "any"}
          required={isRequired}
          min={schema.minimum}
          max={schema.maximum}
          value={typeof value === "number" ? value : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.valueAsNumber)}
        />
      )
    case "boolean":
      return <Checkbox label={label} {...hint} isChecked={value === true} onChange={onChange} />
    case "array":
      if (typeOf(schema.items ?? {}) !== "string") break
      return (
        <TextArea
          label={label}
          hint={`${schema.description === undefined ? "" : `${schema.description} `}One entry per line.`}
          rows={3}
          required={isRequired}
          value={Array.isArray(value) ? value.join("\n") : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.value.split("\n"))}
        />
      )
    case "object":
      if (schema.properties === undefined || depth >= depthMax) break
      return (
        <fieldset className="stack">
          <legend>{label}</legend>
          <SchemaForm schema={schema} value={isObject(value) ? value : {}} onChange={onChange} depth={depth + 1} />
        </fieldset>
      )
    default:
  }
  return <JsonField label={label} value={value} onChange={onChange} />
}

export const SchemaForm = ({
  depth = 0,
  onChange,
  schema,
  value
}: {
  readonly schema: JsonSchema
  readonly value: JsonObject
  readonly onChange: (value: JsonObject) => void
  readonly depth?: number
}) => {
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) {
    return depth > 0 ? null : <p className="muted">It needs no input.</p>
  }
  const set = (name: string, next: Json | undefined) => {
    const { [name]: _, ...others } = value
    onChange(next === undefined ? others : { ...others, [name]: next })
  }
  return (
    <div className="stack">
      {properties.map(([name, property]) => (
        <PropertyField
          key={name}
          name={name}
          schema={property}
          value={value[name]}
          isRequired={schema.required?.includes(name) === true}
          onChange={(next) => set(name, next)}
          depth={depth}
        />
      ))}
    </div>
  )
}
