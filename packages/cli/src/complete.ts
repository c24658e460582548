/** Completes a command line, for the scripts of `orgplane completions`. */
import { fieldsOf, flagOf, normalized, operationOf, type Position, positionOf, rootOf } from "./command-path.ts"
import type { CommandTable, OperationRow } from "./command-table.ts"
import { configSettings, loadConfig } from "./config-file.ts"
import { connect } from "./connection.ts"
import { decisions } from "./extra-commands.ts"
import { formats, type Globals } from "./global-flags.ts"
import { valueGlobals } from "./global-flag-names.ts"
import type { Io } from "./io.ts"
import { escapeControls } from "./output/escape.ts"
import { listAt, textAt } from "./output/value.ts"
import { loadProfiles } from "./profiles.ts"
import { labelOf, listingOf } from "./listings.ts"
import { resolveSettings } from "./settings.ts"

export interface Candidate {
  readonly value: string
  readonly help: string
}

/** The shell completes the name of a file. */
export const filesMarker = ":files"

const toggles = ["--quiet", "--yes", "--token-stdin", "--no-color", "--no-pager", "--debug", "--help"]
const globalFlags = [...toggles, ...[...valueGlobals].filter((name) => name.startsWith("--"))]

const fileFlags = new Set(["file", "input", "source", "token", "metadata", "certificate", "client-secret-file", "to"])

/** How long to wait for the server. Later results are not used. */
const lookupMillisMax = 2_000
const rowsMax = 100

interface Context {
  readonly io: Io
  readonly table: CommandTable
  /** The server and the credential that the command line chooses. */
  readonly server: Pick<Partial<Globals>, "baseUrl" | "organization" | "profile">
}

/** The flags that choose the server, from normalized words. The last one has precedence, as in the command itself. */
const serverOf = (words: ReadonlyArray<string>): Context["server"] => {
  const valueOf = (flag: string) => {
    const at = words.lastIndexOf(flag)
    return at === -1 ? undefined : words[at + 1]
  }
  const [baseUrl, organization, profile] = ["--base-url", "--organization", "--profile"].map(valueOf)
  return {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(organization === undefined ? {} : { organization }),
    ...(profile === undefined ? {} : { profile })
  }
}

/** The objects that a field of a request can identify. Empty without a credential or on any failure. */
const objects = async ({ io, server, table }: Context, path: string): Promise<ReadonlyArray<Candidate>> => {
  const list = table
    .flatMap(({ operations }) => operations)
    .find((operation) => operation.method === "GET" && operation.pageMax !== undefined && matches(operation.path, path))
  if (list === undefined) return []
  try {
    const quiet = { ...io, signal: AbortSignal.timeout(lookupMillisMax), err: { ...io.err, write: async () => {} } }
    const settings = await resolveSettings(quiet, server)
    if (settings.credential === undefined) return []
    const limit = String(Math.min(rowsMax, list.pageMax ?? rowsMax))
    const body = await connect(quiet, settings, { debug: false, quiet: true }).send(
      { method: "GET", path, query: { limit }, body: undefined },
      { retries: 0 }
    )
    return listAt(body, "items").flatMap((row) => {
      const id = textAt(row, "id")
      // The shell puts the word on the command line as it is.
      return id === undefined || !/^[\w-]+$/u.test(id) ? [] : [{ value: id, help: labelOf(row) }]
    })
  } catch {
    return []
  }
}

/** Whether a path matches a pattern such as `/v1/plugins/:pluginId/access`. */
const matches = (pattern: string, path: string): boolean => {
  const [expected, actual] = [pattern.split("/"), path.split("/")]
  return (
    expected.length === actual.length &&
    expected.every((segment, index) => segment.startsWith(":") || segment === actual[index])
  )
}

/** Where the objects are listed that an argument identifies: the path before it, or the list of its kind. */
const listPathOf = (operation: OperationRow, member: string, ids: ReadonlyArray<string>): string | undefined => {
  const at = operation.path.indexOf(`/:${member}`)
  const own = at === -1 ? undefined : operation.path.slice(0, at)
  const listed = listingOf(operation.id, member)?.path
  if (own === undefined || listed !== undefined) return listed
  return operation.ids.reduce(
    (path, id, index) => path.replace(`:${id.member}`, encodeURIComponent(ids[index] ?? "")),
    own
  )
}

const profileNames = async (io: Io): Promise<ReadonlyArray<Candidate>> => {
  const { profiles } = await loadProfiles(io)
  return [...profiles].map(([value, { baseUrl }]) => ({ value, help: baseUrl }))
}

const literals = (values: ReadonlyArray<string>): ReadonlyArray<Candidate> =>
  values.map((value) => ({ value, help: "" }))

/** The names of fields, after those that the word already has. */
const fieldNames = async (
  table: CommandTable,
  path: ReadonlyArray<string>,
  typed: string
): Promise<ReadonlyArray<Candidate>> => {
  const before = typed.slice(0, typed.lastIndexOf(",") + 1)
  const chosen = new Set(before.split(","))
  const names = await fieldsOf(table, path)
  return literals(names.filter((name) => !chosen.has(name)).map((name) => before + name))
}

/** The objects that a request field identifies, and its fixed values, such as the built-in roles. */
const memberValues = async (
  context: Context,
  operation: OperationRow,
  { member, ids }: { readonly member: string; readonly ids: ReadonlyArray<string> }
): Promise<ReadonlyArray<Candidate>> => {
  const path = listPathOf(operation, member, ids)
  if (path === undefined) return []
  const words = listingOf(operation.id, member)?.words ?? []
  // A SCIM group cannot have the role owner.
  const allowed = operation.id === "scim.setGroupRole" ? words.filter((word) => word !== "owner") : words
  return [...literals(allowed), ...(await objects(context, path))]
}

const flagValues = async (context: Context, position: Position, typed: string): Promise<ReadonlyArray<Candidate>> => {
  const { io, table } = context
  const { flag: word = "", node, path, positionals } = position
  if (word === "--output" || word === "-o") return literals(formats)
  if (word === "--profile") return profileNames(io)
  if (word === "--json") return fieldNames(table, path, typed)
  const flag = flagOf(node, word)
  if (flag === undefined) return []
  if (fileFlags.has(flag.name)) return literals([filesMarker])
  if (flag.type._tag === "Choice") return literals(flag.type.values)
  const operation = operationOf(table, path)
  const row = operation?.flags.find(({ name }) => name === flag.name)
  if (operation === undefined || row === undefined) return []
  return memberValues(context, operation, { member: row.names ?? row.member, ids: positionals })
}

/** The names and values of settings, and the names of aliases. */
const configValues = async (
  io: Io,
  [group, verb]: ReadonlyArray<string>,
  positionals: ReadonlyArray<string>
): Promise<ReadonlyArray<Candidate>> => {
  const [name] = positionals
  if (group === "alias") {
    if (verb !== "remove" || name !== undefined) return []
    return Object.entries((await loadConfig(io)).aliases).map(([value, help]) => ({ value, help }))
  }
  if (name === undefined) return Object.entries(configSettings).map(([value, { help }]) => ({ value, help }))
  return verb === "set" && name === "output" && positionals.length === 1 ? literals(formats) : []
}

/** The argument of a command that takes several objects. */
const repeatedId = ([group, verb = ""]: ReadonlyArray<string>) =>
  group === "approvals" && Object.hasOwn(decisions, verb) ? { member: "releaseId" } : undefined

const argumentValues = async (context: Context, position: Position): Promise<ReadonlyArray<Candidate>> => {
  const { io, table } = context
  const { node, path, positionals } = position
  if (path[0] === "profiles" && (path[1] === "use" || path[1] === "remove")) {
    return positionals.length === 0 ? profileNames(io) : []
  }
  if (path[0] === "config" || path[0] === "alias") return configValues(io, path, positionals)
  const argument = node.arguments[positionals.length] ?? node.arguments.find(({ variadic }) => variadic)
  if (argument?.type._tag === "Choice") return literals(argument.type.values)
  const operation = operationOf(table, path)
  const id = operation?.ids[positionals.length] ?? repeatedId(path)
  return operation === undefined || id === undefined
    ? []
    : memberValues(context, operation, { member: id.member, ids: positionals })
}

/** The candidates for the last word, which may be empty. */
export const complete = async (
  io: Io,
  table: CommandTable,
  words: ReadonlyArray<string>
): Promise<ReadonlyArray<Candidate>> => {
  const all = normalized(words)
  const last = all.at(-1) ?? ""
  const before = all.slice(0, -1)
  const position = positionOf(rootOf(table, before), before)
  const context: Context = { io, table, server: serverOf(before) }
  const { flag, node } = position
  const candidates =
    flag !== undefined
      ? await flagValues(context, position, last)
      : last.startsWith("-")
        ? [
            ...node.flags.map(({ description, name }) => ({ value: `--${name}`, help: description ?? "" })),
            ...literals(globalFlags)
          ]
        : node.subcommands.length > 0
          ? node.subcommands.map(({ description, name }) => ({ value: name, help: description ?? "" }))
          : await argumentValues(context, position)
  return candidates.filter(({ value }) => value === filesMarker || value.startsWith(last))
}

/** One candidate per line: the word, a tab, and its description. */
export const candidateLines = (candidates: ReadonlyArray<Candidate>): string =>
  candidates
    .map(({ help, value }) => `${escapeControls(value)}\t${escapeControls(help.split("\n")[0] ?? "").slice(0, 80)}`)
    .join("\n")
