/** Output that a script selects: `--json`, `--jq` and `--template`. */
import { usage } from "../failure.ts"
import { type Io, print } from "../io.ts"
import { json, type OutputOptions } from "./render.ts"
import { isObject, member } from "./value.ts"

/** The values of `--json`, `--jq` and `--template`. The filter and the template are valid. */
export interface Selection {
  /** Renders an object, or the rows of a list. Fails if a field, the filter or the template does not fit it. */
  readonly render: (value: unknown) => Promise<string>
}

interface Flags {
  readonly json: string | undefined
  readonly jq: string | undefined
  readonly template: string | undefined
}

export type SelectionStyle = Pick<OutputOptions, "terminal" | "now">

/** Members of an object or of each row, as dotted paths. Undefined: all. */
const fieldsOf = (text: string | undefined): ReadonlyArray<string> | undefined => {
  const fields = text
    ?.split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "")
  if (fields?.length === 0) throw usage("--json requires the names of fields, such as --json id,name.")
  return fields
}

/** Fails if a flag is not valid by itself, so that nothing is sent for a command whose output would be lost. */
export const selectionOf = async (flags: Flags, style: SelectionStyle): Promise<Selection | undefined> => {
  if (flags.json === undefined && flags.jq === undefined && flags.template === undefined) return undefined
  if (flags.jq !== undefined && flags.template !== undefined) throw usage("--jq cannot be combined with --template.")
  const fields = fieldsOf(flags.json)
  const rendered =
    flags.jq !== undefined
      ? await (await import("./jq.ts")).filterOf(flags.jq, style)
      : flags.template !== undefined
        ? (await import("./template.ts")).templateOf(flags.template, style)
        : (value: unknown) => json(value, style.terminal)
  return { render: async (value) => rendered(withFields(value, fields)) }
}

const has = (value: unknown, path: string): boolean => {
  let at = value
  for (const name of path.split(".")) {
    // A member that is null has no members of its own, and another object may have them.
    if (at === null) return true
    if (Array.isArray(at)) {
      at = at[0]
      if (at === undefined) return true
    }
    if (!isObject(at) || !Object.hasOwn(at, name)) return false
    at = at[name]
  }
  return true
}

/** Without a prototype, so that a field can have any name. */
const emptyObject = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>

const withPath = (target: Record<string, unknown>, path: string, value: unknown): void => {
  const names = path.split(".")
  const last = names.pop() ?? ""
  let at = target
  for (const name of names) {
    const next = at[name]
    if (isObject(next)) at = next
    else {
      const created = emptyObject()
      at[name] = created
      at = created
    }
  }
  at[last] = value
}

const selected = (value: unknown, fields: ReadonlyArray<string>): unknown => {
  const result = emptyObject()
  for (const field of fields) withPath(result, field, member(value, field) ?? null)
  return result
}

/** Fails if the value lacks a field. Every response has all fields, so one row is enough to know. */
const checkFields = (value: unknown, fields: ReadonlyArray<string>): void => {
  const missing = fields.filter((field) => !has(value, field))
  if (missing.length === 0) return
  const names = isObject(value) ? Object.keys(value).join(", ") : "none"
  throw usage(`Unknown ${missing.length === 1 ? "field" : "fields"}: ${missing.join(", ")}. Fields: ${names}.`)
}

const withFields = (value: unknown, fields: ReadonlyArray<string> | undefined): unknown => {
  if (fields === undefined) return value
  if (!Array.isArray(value)) {
    checkFields(value, fields)
    return selected(value, fields)
  }
  const [first] = value as ReadonlyArray<unknown>
  if (first !== undefined) checkFields(first, fields)
  return (value as ReadonlyArray<unknown>).map((row) => selected(row, fields))
}

/** Prints a row of a stream. Returns false without a selection. A filter can drop the whole row. */
export const printSelected = async (io: Io, row: unknown, output: OutputOptions): Promise<boolean> => {
  if (output.selection === undefined) return false
  await print(io, await output.selection.render(row))
  return true
}
