/** A request as a command of the CLI. `orgplane api` sends requests that no other command sends. */
import { differences } from "../generated/commands.ts"
import type { CommandDifference } from "./command-difference.ts"
import type { RecordedRequest } from "./recorder.ts"
import { shellQuoted } from "./shell-quoted.ts"

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The query as the input of the operation has it, with the types of its values. A list adds `cursor` by itself. */
const queryOf = ({ args, path }: RecordedRequest): Fields => {
  const { searchParams } = new URL(path, "http://localhost")
  const input = args.find(isFields) ?? {}
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => [name, input[name] ?? searchParams.get(name)])
  )
}

/** The words of a flag. Undefined if only JSON can express the value. */
const flagWords = (name: string, value: unknown): ReadonlyArray<string> | undefined => {
  if (typeof value === "boolean") return [value ? `--${name}` : `--no-${name}`]
  const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  if (values.length === 0) return undefined
  const words: Array<string> = []
  for (const each of values) {
    if (typeof each !== "string" && typeof each !== "number") return undefined
    const text = String(each)
    // A text that begins with a hyphen would be another flag.
    if (text.startsWith("-")) words.push(shellQuoted(`--${name}=${text}`))
    else words.push(`--${name}`, shellQuoted(text))
  }
  return words
}

interface Words {
  readonly positional: ReadonlyArray<string>
  readonly flags: ReadonlyArray<string>
}

/** The arguments and flags of fields. Undefined if the command has none for one of them. */
const wordsOf = (fields: Fields, difference: CommandDifference): Words | undefined => {
  const placed = difference.arguments ?? []
  const flags: Array<string> = []
  for (const [field, value] of Object.entries(fields)) {
    if (placed.includes(field)) continue
    const name = difference.flags?.[field]
    const words = name === null ? undefined : flagWords(name ?? kebab(field), value)
    if (words === undefined) return undefined
    flags.push(...words)
  }
  const positional: Array<string> = []
  for (const field of placed) {
    const value = fields[field]
    if (value === undefined) continue
    const text = isFields(value) ? value["id"] : value
    if (typeof text !== "string") return undefined
    positional.push(text)
  }
  return { positional, flags }
}

const parsedBody = (body: string): Fields => {
  const value: unknown = JSON.parse(body)
  return isFields(value) ? value : {}
}

/** The body without the field whose own fields are the flags. */
const flattened = (body: Fields, flatten: string | undefined): Fields => {
  if (flatten === undefined) return body
  const { [flatten]: nested, ...others } = body
  return { ...(isFields(nested) ? nested : {}), ...others }
}

const heredoc = (body: string) => ` <<'JSON'\n${JSON.stringify(JSON.parse(body), null, 2)}\nJSON`

const archiveOf = (request: RecordedRequest, id = "plugin"): string => {
  const { format } = queryOf(request)
  return `${id}.${typeof format === "string" ? format : "tar.gz"}`
}

/** The command of an operation. Undefined if it cannot send the request. */
const ownCommand = (request: RecordedRequest, globalFlags: ReadonlyArray<string>): string | undefined => {
  const { args, body, operation } = request
  const listed = differences[operation]
  if (listed === null) return undefined
  const difference = listed ?? {}
  const query = wordsOf(queryOf(request), difference)
  if (query === undefined) return undefined
  const fields = body === undefined ? {} : flattened(parsedBody(body), difference.flatten)
  const sent = wordsOf(fields, difference)
  const [group = "", name = ""] = operation.split(".")
  const start = ["orgplane", difference.command ?? `${kebab(group)} ${kebab(name)}`]
  const ids = args.filter((each) => typeof each === "string")
  const positional = [...ids, ...query.positional, ...(sent?.positional ?? [])]
  const flags = [
    ...globalFlags,
    ...query.flags,
    ...(sent?.flags ?? []),
    ...(difference.archive === true ? ["--to", shellQuoted(archiveOf(request, ids[0]))] : []),
    // It cannot ask while its standard input is the body.
    ...(sent === undefined && difference.confirms === true ? ["--yes"] : []),
    ...(sent === undefined ? ["--input", "-"] : [])
  ]
  const quoted = positional.map(shellQuoted)
  // After `--`, a word that begins with a hyphen is not a flag.
  const words = positional.some((each) => each.startsWith("-"))
    ? [...start, ...flags, "--", ...quoted]
    : [...start, ...quoted, ...flags]
  return words.join(" ") + (body === undefined || sent !== undefined ? "" : heredoc(body))
}

const apiCommand = ({ body, method, path }: RecordedRequest, globalFlags: ReadonlyArray<string>): string => {
  const input = body === undefined ? [] : ["--input", "-"]
  const words = ["orgplane", "api", method, shellQuoted(path), ...globalFlags, ...input]
  return words.join(" ") + (body === undefined ? "" : heredoc(body))
}

export const asCommand = (request: RecordedRequest, organizationId: string | undefined): string => {
  const globalFlags = organizationId === undefined ? [] : ["--organization", shellQuoted(organizationId)]
  return ownCommand(request, globalFlags) ?? apiCommand(request, globalFlags)
}
