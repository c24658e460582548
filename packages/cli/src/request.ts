/** From flags to the request they mean. */
import { readFile } from "node:fs/promises"
import type { Chosen, FlagValue } from "./command-tree.ts"
import { exit, Failure, usage } from "./failure.ts"
import { canAsk, type Io, readAll } from "./io.ts"
import { momentOf } from "./moment.ts"
import { isObject } from "./output/cell.ts"
import { overrides } from "./overrides.ts"
import type { ArgumentRow, FlagRow } from "./table.ts"
import { askHidden } from "./terminal.ts"

export type OperationChosen = Extract<Chosen, { kind: "operation" }>

export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly body: unknown
}

/** A file's bytes, or those of standard input for `-`. */
export const readInput = async (io: Io, name: string): Promise<Buffer<ArrayBuffer>> => {
  if (name === "-") return readAll(io.stdin)
  try {
    return await readFile(name)
  } catch (error) {
    const reason =
      error instanceof Error && "code" in error && error.code === "ENOENT"
        ? "there is no such file"
        : "it cannot be read"
    throw new Failure(exit.usage, `${name}: ${reason}.`)
  }
}

const parsedInput = async (io: Io, name: string): Promise<Record<string, unknown>> => {
  let value: unknown
  try {
    value = JSON.parse((await readInput(io, name)).toString("utf8"))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw usage(`--input ${name} is not JSON.`)
  }
  if (!isObject(value)) throw usage(`--input ${name} must hold a JSON object.`)
  return { ...value }
}

/** One part of a path. An empty one or a dot would be another path. */
export const pathPart = (id: string, name: string): string => {
  if (id === "" || id === "." || id === "..") throw usage(`'${id}' is not a ${name}.`)
  return encodeURIComponent(id)
}

const pathOf = ({ ids, operation }: OperationChosen): string => {
  let index = 0
  return operation.path.replace(/:(\w+)/g, () => {
    const id = ids[index] ?? ""
    const name = operation.ids[index]?.name ?? "name"
    index++
    return pathPart(id, name)
  })
}

/** What kind of object an id names. */
const kinds: Readonly<Record<string, string>> = {
  cin: "connectorInstance",
  cob: "configObject",
  plg: "plugin",
  mkt: "marketplace",
  emc: "mcpConnection",
  llm: "llmProvider"
}

const argumentOf = (row: ArgumentRow, text: string): unknown => {
  if (!row.object) return text
  const kind = kinds[text.split("_", 1)[0] ?? ""]
  if (kind === undefined)
    throw usage(`'${text}' is not the id of an object; one begins with ${Object.keys(kinds).join("_, ")}_.`)
  return { kind, id: text }
}

/** A token, or the link it came in: what a person copies from a letter is the link. */
const tokenOf = (text: string): string => /#(?:[^#]*&)?token=([^&#\s]+)/.exec(text)?.[1] ?? text.trim()

const fileOf = async (io: Io, flag: FlagRow, name: string): Promise<string> => {
  if (flag.file !== "line") return (await readInput(io, name)).toString("utf8")
  if (name === "-" && canAsk(io)) return tokenOf(await askHidden(io, `${flag.name} (unseen):`))
  return tokenOf((await readInput(io, name)).toString("utf8"))
}

const textOf = (value: FlagValue): string | ReadonlyArray<string> =>
  typeof value === "object" ? value.map(String) : String(value)

/** `--var team=Payments` says one member; what `--input` says of others stays. */
const pairsOf = (flag: FlagRow, given: FlagValue, known: unknown): Record<string, string> => {
  const texts = typeof given === "object" ? given.map(String) : [String(given)]
  return {
    ...(isObject(known) ? (known as Record<string, string>) : {}),
    ...Object.fromEntries(
      texts.map((text) => {
        const end = text.indexOf("=")
        if (end < 1) throw usage(`--${flag.name} ${text}: write it as name=value.`)
        return [text.slice(0, end), text.slice(end + 1)] as const
      })
    )
  }
}

export const toRequest = async (io: Io, chosen: OperationChosen): Promise<WireRequest> => {
  const { operation, values } = chosen
  const files = operation.flags.filter((flag) => flag.file && values[flag.name] === "-")
  if (files.length + (chosen.input === "-" ? 1 : 0) > 1) throw usage("Only one flag can read standard input.")
  const path = pathOf(chosen)
  const query: Record<string, string | ReadonlyArray<string>> = {}
  const body = chosen.input === undefined ? {} : await parsedInput(io, chosen.input)
  const nested =
    operation.flatten === undefined
      ? body
      : { ...(isObject(body[operation.flatten]) ? (body[operation.flatten] as object) : {}) }
  const told: Record<string, unknown> = nested
  if (operation.flatten !== undefined) body[operation.flatten] = nested

  Object.assign(body, { ...operation.constants, ...overrides[operation.id]?.defaults, ...body })
  const missing: Array<string> = []
  for (const [index, row] of (operation.arguments ?? []).entries()) {
    const text = chosen.args[index]
    if (text === undefined) {
      if (body[row.member] === undefined) missing.push(row.name)
    } else if (operation.body) body[row.member] = argumentOf(row, text)
    else query[row.member] = text
  }
  for (const flag of operation.flags) {
    const given = values[flag.name]
    const value =
      flag.moment !== undefined && typeof given === "string" ? momentOf(given, flag.moment, io.now()) : given
    const target = flag.nested ? told : body
    if (flag.in === "query") {
      if (value !== undefined) query[flag.member] = textOf(value)
      else if (flag.required) missing.push(`--${flag.name}`)
    } else if (flag.pairs && value !== undefined) {
      target[flag.member] = pairsOf(flag, value, target[flag.member])
    } else if (value !== undefined) {
      target[flag.member] =
        flag.file === undefined
          ? value
          : typeof value === "object"
            ? await Promise.all(value.map((each) => fileOf(io, flag, String(each))))
            : await fileOf(io, flag, String(value))
    } else if (flag.required && target[flag.member] === undefined) {
      missing.push(`--${flag.name}`)
    }
  }
  for (const row of operation.json ?? []) {
    if (row.required && (row.nested ? told : body)[row.member] === undefined) missing.push(`${row.member} in --input`)
  }
  if (missing.length > 0) throw usage(`Missing: ${missing.join(", ")}.`)
  return { method: operation.method, path, query, body: operation.body ? body : undefined }
}
