import type { InvalidDetail } from "@orgplane/schema/shared/errors"
import { Email } from "@orgplane/schema/shared/values"
import type { Variable, VariableInput } from "@orgplane/schema/templates"
import * as Schema from "effect/Schema"
import type { Values } from "./fill-text.ts"

const isEmail = Schema.is(Email)
const isUrl = (value: string) => /^https?:\/\/[^\s"'<>\\^`{|}]+$/iu.test(value) && URL.canParse(value)

/** Why a non-empty value does not match its format. */
const formatFaults: Readonly<Record<Variable["format"], (value: string) => string | undefined>> = {
  line: (value) => (/[\p{Cc}\u2028\u2029]/u.test(value) ? "must be one line" : undefined),
  text: () => undefined,
  slug: (value) =>
    /^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(value)
      ? undefined
      : "must consist of lowercase letters and digits, separated by single hyphens",
  email: (value) => (isEmail(value) ? undefined : "must be an email address"),
  url: (value) => (isUrl(value) ? undefined : "must be an http or https URL")
}

/** Formats and options restrict values. Tenants cannot supply regular expressions. */
const faultOf = (variable: Variable, value: string): string | undefined => {
  if (value === "") return variable.required ? "is required" : undefined
  if (variable.options !== null && !variable.options.includes(value)) {
    return `must be one of ${variable.options.slice(0, 10).join(", ")}${variable.options.length > 10 ? ", …" : ""}`
  }
  return formatFaults[variable.format](value)
}

/** A variable as stored, with defaults for omitted members. */
export const variableOf = (input: VariableInput): Variable => ({
  name: input.name,
  label: input.label,
  description: input.description ?? null,
  required: input.required ?? false,
  default: input.default ?? null,
  format: input.format ?? "line",
  options: input.options ?? null
})

/** Validates variables: names are unique, and defaults and options are valid values. */
export const variableDetails = (variables: ReadonlyArray<Variable>): ReadonlyArray<InvalidDetail> => {
  const seen = new Set<string>()
  return variables.flatMap((variable, index) => {
    const at = (member: string, message: string): InvalidDetail => ({
      path: ["body", "content", "variables", index, member],
      message
    })
    const isTwice = seen.has(variable.name)
    seen.add(variable.name)
    const { default: usual, options } = variable
    const unfit = usual === null ? undefined : faultOf(variable, usual)
    const odd = options?.find((option) => formatFaults[variable.format](option) !== undefined)
    return [
      ...(isTwice ? [at("name", "is also the name of another variable")] : []),
      ...(unfit === undefined ? [] : [at("default", unfit)]),
      ...(odd === undefined ? [] : [at("options", `has ${JSON.stringify(odd)}, which does not match the format`)])
    ]
  })
}

/** The values of all variables, and errors of the given ones. */
export const readValues = (
  variables: ReadonlyArray<Variable>,
  given: Readonly<Record<string, string>>
): { readonly values: Values; readonly details: ReadonlyArray<InvalidDetail> } => {
  const values = new Map<string, string>()
  const details: Array<InvalidDetail> = []
  const at = (name: string, message: string) => details.push({ path: ["body", "variables", name], message })
  for (const variable of variables) {
    const value = (Object.hasOwn(given, variable.name) ? given[variable.name] : undefined) ?? variable.default ?? ""
    const fault = faultOf(variable, value)
    if (fault !== undefined) at(variable.name, fault)
    values.set(variable.name, value)
  }
  for (const name of Object.keys(given)) if (!values.has(name)) at(name, "is not a variable of the template")
  return { values, details }
}

const samples: Readonly<Record<Variable["format"], string>> = {
  line: "sample",
  text: "sample",
  slug: "sample",
  email: "sample@example.com",
  url: "https://example.com"
}

/** Valid sample values to check a template with. */
export const sampleValues = (variables: ReadonlyArray<Variable>): Values =>
  new Map(
    variables.map(({ default: usual, format, name, options }) => [
      name,
      usual !== null && usual !== "" ? usual : (options?.[0] ?? samples[format])
    ])
  )
