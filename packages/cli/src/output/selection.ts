/** Output that a script selects: `--json`, `--jq` and `--template`. */
import { usage } from "../failure.ts"
import { type Io, print } from "../io.ts"
import { json, type OutputOptions } from "./render.ts"
import { isObject, member } from "./value.ts"

/** The values of `--json`, `--jq` and `--template`. */
export interface Selection {
  /** Members of an object or of each row, as dotted paths. Undefined: all. */
  readonly fields: ReadonlyArray<string> | undefined
  /** A jq filter. */
  readonly filter: string | undefined
  readonly template: string | undefined
}

interface Flags {
  readonly json: string | undefined
  readonly jq: string | undefined
  readonly template: string | undefined
}

export const selectionOf = (flags: Flags): Selection | undefined => {
  if (flags.json === undefined && flags.jq === undefined && flags.template === undefined) return undefined
  if (flags.jq !== undefined && flags.template !== undefined) throw usage("--jq cannot be combined with --template.")
  const fields = flags.json
    ?.split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "")
  if (fields?.length === 0) throw usage("--json requires the names of fields, such as --json id,name.")
  return { fields, filter: flags.jq, template: flags.template }
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

/** Renders an object, or the rows of a list. Fails if a field, the filter or the template is not valid for it. */
export const renderSelection = async (value: unknown, selection: Selection, output: OutputOptions): Promise<string> => {
  const result = withFields(value, selection.fields)
  if (selection.filter !== undefined) return (await import("./jq.ts")).filtered(result, selection.filter, output)
  if (selection.template !== undefined) {
    return (await import("./template.ts")).filled(result, selection.template, output)
  }
  return json(result, output.terminal)
}

/** Prints a row of a stream. Returns false without a selection. A filter can drop the whole row. */
export const printSelected = async (io: Io, row: unknown, output: OutputOptions): Promise<boolean> => {
  if (output.selection === undefined) return false
  await print(io, await renderSelection(row, output.selection, output))
  return true
}
