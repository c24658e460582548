/** Builds the request of an operation from the command line. */
import { readFile } from "node:fs/promises"
import type { FlagValue, OperationInvocation } from "./invocation.ts"
import { exit } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import { canPrompt, type Io, readAll } from "./io.ts"
import { timestampOf } from "./timestamp.ts"
import { isObject } from "./output/value.ts"
import { overrides } from "./overrides/index.ts"
import type { ArgumentRow, FlagRow } from "./command-table.ts"
import { promptHidden } from "./terminal.ts"

export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly body: unknown
}

/** Reads a file, or standard input for `-`. */
export const readInput = async (io: Io, name: string): Promise<Buffer<ArrayBuffer>> => {
  if (name === "-") return readAll(io.stdin)
  try {
    return await readFile(name)
  } catch (error) {
    const reason =
      error instanceof Error && "code" in error && error.code === "ENOENT" ? "no such file" : "cannot read the file"
    throw new Failure(exit.usage, `${name}: ${reason}.`)
  }
}

const parsedInput = async (io: Io, name: string): Promise<Record<string, unknown>> => {
  let value: unknown
  try {
    value = JSON.parse((await readInput(io, name)).toString("utf8"))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw usage(`--input ${name} is not valid JSON.`)
  }
  if (!isObject(value)) throw usage(`--input ${name} must contain a JSON object.`)
  return { ...value }
}

/** One segment of a path. `.`, `..` or an empty segment would change the path. */
export const pathPart = (id: string, name: string): string => {
  if (id === "" || id === "." || id === "..") throw usage(`Invalid ${name}: '${id}'.`)
  return encodeURIComponent(id)
}

const pathOf = ({ ids, operation }: OperationInvocation): string => {
  let index = 0
  return operation.path.replace(/:(\w+)/g, () => {
    const id = ids[index] ?? ""
    const name = operation.ids[index]?.name ?? "name"
    index++
    return pathPart(id, name)
  })
}

/** Object kinds by ID prefix. */
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
    throw usage(`Invalid object ID '${text}'. It must start with one of: ${Object.keys(kinds).join("_, ")}_.`)
  return { kind, id: text }
}

/** Extracts the token from the link of an email, or returns the trimmed text. */
const tokenOf = (text: string): string => /#(?:[^#]*&)?token=([^&#\s]+)/.exec(text)?.[1] ?? text.trim()

const fileOf = async (io: Io, flag: FlagRow, name: string): Promise<string> => {
  if (flag.file !== "line") return (await readInput(io, name)).toString("utf8")
  if (name === "-" && canPrompt(io)) return tokenOf(await promptHidden(io, `${flag.name} (hidden):`))
  return tokenOf((await readInput(io, name)).toString("utf8"))
}

const textOf = (value: FlagValue): string | ReadonlyArray<string> =>
  typeof value === "object" ? value.map(String) : String(value)

/** `--var team=Payments` sets one member and keeps the others from `--input`. */
const pairsOf = (flag: FlagRow, flagValue: FlagValue, existing: unknown): Record<string, string> => {
  const texts = typeof flagValue === "object" ? flagValue.map(String) : [String(flagValue)]
  return {
    ...(isObject(existing) ? (existing as Record<string, string>) : {}),
    ...Object.fromEntries(
      texts.map((text) => {
        const end = text.indexOf("=")
        if (end < 1) throw usage(`--${flag.name} must be name=value, got '${text}'.`)
        return [text.slice(0, end), text.slice(end + 1)] as const
      })
    )
  }
}

export const toRequest = async (io: Io, invocation: OperationInvocation): Promise<WireRequest> => {
  const { operation, values } = invocation
  const files = operation.flags.filter((flag) => flag.file && values[flag.name] === "-")
  if (files.length + (invocation.input === "-" ? 1 : 0) > 1) throw usage("Only one flag can read stdin.")
  const path = pathOf(invocation)
  const query: Record<string, string | ReadonlyArray<string>> = {}
  const body = invocation.input === undefined ? {} : await parsedInput(io, invocation.input)
  const nested =
    operation.flatten === undefined
      ? body
      : { ...(isObject(body[operation.flatten]) ? (body[operation.flatten] as object) : {}) }
  const flattened: Record<string, unknown> = nested
  if (operation.flatten !== undefined) body[operation.flatten] = nested

  Object.assign(body, { ...operation.constants, ...overrides[operation.id]?.defaults, ...body })
  const missing: Array<string> = []
  for (const [index, row] of (operation.arguments ?? []).entries()) {
    const text = invocation.args[index]
    if (text === undefined) {
      if (body[row.member] === undefined) missing.push(row.name)
    } else if (operation.body) body[row.member] = argumentOf(row, text)
    else query[row.member] = text
  }
  for (const flag of operation.flags) {
    const flagValue = values[flag.name]
    const value =
      flag.time !== undefined && typeof flagValue === "string" ? timestampOf(flagValue, flag.time, io.now()) : flagValue
    const target = flag.nested ? flattened : body
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
    if (row.required && (row.nested ? flattened : body)[row.member] === undefined)
      missing.push(`${row.member} in --input`)
  }
  if (missing.length > 0) throw usage(`Missing: ${missing.join(", ")}.`)
  return { method: operation.method, path, query, body: operation.body ? body : undefined }
}
