/**
 * A form for a JSON Schema: fields for texts, numbers, choices, switches, lists of texts and nested objects. What a form
 * cannot show is edited as JSON. Check values with `problemsOf` before they are sent; the server checks them again.
 */
import { useState } from "react"
import { Checkbox, SelectField, TextArea } from "./fields.tsx"
import {
  givenOf,
  hasFields,
  initialOf,
  isLongText,
  isObject,
  isRequiredIn,
  isTextList,
  type Json,
  type JsonObject,
  type JsonSchema,
  typeOf
} from "./json-schema.ts"
import { Field } from "./ui.tsx"

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
  const change = (field: HTMLTextAreaElement) => {
    const next = field.value
    setText(next)
    let nextProblem: string | undefined
    try {
      onChange(next.trim() === "" ? undefined : (JSON.parse(next) as Json))
    } catch {
      nextProblem = "This is not JSON."
    }
    setProblem(nextProblem)
    // Otherwise, the form would send the last valid value, which is not what the field shows.
    field.setCustomValidity(nextProblem ?? "")
  }
  return (
    <TextArea
      label={label}
      hint="JSON"
      spellCheck={false}
      value={text}
      problem={problem}
      onChange={({ target }) => change(target)}
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
      return isLongText(schema) ? (
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
      if (!isTextList(schema)) break
      return (
        <TextArea
          label={label}
          hint={`${schema.description === undefined ? "" : `${schema.description} `}One entry per line.`}
          rows={3}
          required={isRequired && (schema.minItems ?? 0) > 0}
          value={Array.isArray(value) ? value.join("\n") : ""}
          onChange={({ target }) =>
            onChange(target.value === "" ? (isRequired ? [] : undefined) : target.value.split("\n"))
          }
        />
      )
    case "object":
      if (!hasFields(schema, depth)) break
      return (
        <fieldset className="stack">
          <legend>{label}</legend>
          <SchemaForm
            // The fields of an optional object are required only if it is given.
            schema={isRequired || isObject(value) ? schema : { ...schema, required: [] }}
            value={isObject(value) ? value : {}}
            onChange={(next) =>
              onChange(givenOf(schema, isRequired, isObject(value) ? next : { ...initialOf(schema), ...next }))
            }
            depth={depth + 1}
          />
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
          isRequired={isRequiredIn(schema, name)}
          onChange={(next) => set(name, next)}
          depth={depth}
        />
      ))}
    </div>
  )
}
