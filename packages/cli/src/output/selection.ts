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

export interface SelectionStyle extends Pick<OutputOptions, "terminal"> {
  /** The current time in milliseconds since the epoch. */
  readonly now: () => number
  /** Interrupts a filter. */
  readonly signal: AbortSignal
}

/** Fields of an object or of each row, as dotted paths. Undefined: all fields. */
const fieldsOf = (text: string | undefined): ReadonlyArray<string> | undefined => {
  const fields = text
    ?.split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "")
  if (fields?.length === 0) throw usage("--json requires the names of fields, such as --json id,name.")
  return fields
}

const unknownFields = (fields: ReadonlyArray<string>, names: ReadonlyArray<string>) =>
  usage(
    `Unknown ${fields.length === 1 ? "field" : "fields"}: ${fields.join(", ")}. Fields: ${names.length === 0 ? "none" : names.join(", ")}.`
  )

/** Fails unless each path of `--json` begins with one of the names. */
export const demandFields = (json: string, names: ReadonlyArray<string>): void => {
  const missing = (fieldsOf(json) ?? []).filter((field) => !names.includes(field.split(".")[0] ?? ""))
  if (missing.length > 0) throw unknownFields(missing, names)
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

/** Whether an object, or an object in a list, has a field. Undefined if that cannot be known: null or an empty list. */
const has = (value: unknown, [name, ...rest]: ReadonlyArray<string>): boolean | undefined => {
  if (name === undefined) return true
  if (value === null) return undefined
  if (Array.isArray(value)) {
    const ofItems = value.map((item: unknown) => has(item, [name, ...rest]))
    return ofItems.includes(true) ? true : ofItems.includes(false) ? false : undefined
  }
  return isObject(value) && Object.hasOwn(value, name) && has(value[name], rest)
}

/** Fields by name, with the fields below them. A field without fields below it is selected whole. */
interface FieldTree extends ReadonlyMap<string, FieldTree> {}

const treeOf = (paths: ReadonlyArray<ReadonlyArray<string>>): FieldTree => {
  const names = new Set(paths.flatMap(([name]) => name ?? []))
  return new Map(
    [...names].map((name) => {
      const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest)
      return [name, below.some((rest) => rest.length === 0) ? new Map() : treeOf(below)]
    })
  )
}

/** The selected fields of an object, or of each object in a list. */
const selected = (value: unknown, fields: FieldTree): unknown => {
  if (fields.size === 0) return value ?? null
  if (Array.isArray(value)) return value.map((item: unknown) => selected(item, fields))
  // Without a prototype, so that a field can have any name.
  const result = Object.create(null) as Record<string, unknown>
  for (const [name, below] of fields) result[name] = selected(member(value, name), below)
  return result
}

const withFields = (value: unknown, fields: ReadonlyArray<string> | undefined): unknown => {
  if (fields === undefined) return value
  const missing = fields.filter((field) => has(value, field.split(".")) === false)
  if (missing.length > 0) {
    const first: unknown = Array.isArray(value) ? value[0] : value
    throw unknownFields(missing, isObject(first) ? Object.keys(first) : [])
  }
  return selected(value, treeOf(fields.map((field) => field.split("."))))
}

/** Prints a row of a stream. Returns false without a selection. A filter can drop the whole row. */
export const printSelected = async (io: Io, row: unknown, output: OutputOptions): Promise<boolean> => {
  if (output.selection === undefined) return false
  await print(io, await output.selection.render(row))
  return true
}
