/** Completes a command line, for the scripts of `orgplane completions`. */
import * as Completions from "effect/cli/Completions"
import { commandTree, firstWord } from "./command-tree.ts"
import type { CommandTable, OperationRow } from "./command-table.ts"
import { connect } from "./connection.ts"
import { formats, type Globals } from "./global-flags.ts"
import { valueGlobals } from "./global-flag-names.ts"
import type { Io } from "./io.ts"
import { escapeControls } from "./output/escape.ts"
import { listAt, textAt } from "./output/value.ts"
import { overrides } from "./overrides/index.ts"
import { loadProfiles } from "./profiles.ts"
import { labelOf, listingPathOf } from "./resolve-names.ts"
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

type Node = Completions.CommandDescriptor

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

/** `--flag`, `=`, `value`, as bash splits it, and `--flag=value` become `--flag`, `value`. */
const normalized = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const result: Array<string> = []
  for (const word of words) {
    const equals = word.startsWith("--") ? word.indexOf("=") : -1
    if (word === "=" && result.at(-1)?.startsWith("--") === true) continue
    if (equals > 0) result.push(word.slice(0, equals), word.slice(equals + 1))
    else result.push(word)
  }
  // The value is still empty.
  return words.at(-1) === "=" ? [...result, ""] : result
}

const flagOf = (node: Node, word: string) =>
  node.flags.find(
    ({ aliases, name }) =>
      `--${name}` === word || aliases.some((alias) => alias === word || `-${alias}` === word || `--${alias}` === word)
  )

const takesValue = (node: Node, word: string): boolean => {
  const flag = flagOf(node, word)
  return flag === undefined ? valueGlobals.has(word) : flag.type._tag !== "Boolean"
}

interface Position {
  readonly node: Node
  /** The words of the command. */
  readonly path: ReadonlyArray<string>
  readonly positionals: ReadonlyArray<string>
  /** The flag whose value is completed. */
  readonly flag: string | undefined
}

const positionOf = (root: Node, words: ReadonlyArray<string>): Position => {
  let node = root
  const path: Array<string> = []
  const positionals: Array<string> = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ""
    if (word.startsWith("-")) {
      if (!takesValue(node, word)) continue
      if (index === words.length - 1) return { node, path, positionals, flag: word }
      index += 1
      continue
    }
    const name = word === "ls" ? "list" : word
    const child = positionals.length === 0 ? node.subcommands.find((each) => each.name === name) : undefined
    if (child === undefined) positionals.push(word)
    else {
      node = child
      path.push(name)
    }
  }
  return { node, path, positionals, flag: undefined }
}

const operationOf = (table: CommandTable, path: ReadonlyArray<string>): OperationRow | undefined => {
  const words = path.join(" ")
  return table
    .flatMap((group) =>
      group.operations.map((operation) => ({
        operation,
        names: [operation.name, overrides[operation.id]?.alias].map((name) => `${group.name} ${name ?? ""}`)
      }))
    )
    .find(({ names }) => names.includes(words))?.operation
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
    const body = await connect(quiet, settings, false).send(
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
  if (own === undefined || listingPathOf(member) !== undefined) return listingPathOf(member)
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

const flagValues = async (context: Context, position: Position): Promise<ReadonlyArray<Candidate>> => {
  const { io, table } = context
  const { flag: word = "", node, path, positionals } = position
  if (word === "--output" || word === "-o") return literals(formats)
  if (word === "--profile") return profileNames(io)
  const flag = flagOf(node, word)
  if (flag === undefined) return []
  if (fileFlags.has(flag.name)) return literals([filesMarker])
  if (flag.type._tag === "Choice") return literals(flag.type.values)
  const operation = operationOf(table, path)
  const member = operation?.flags.find(({ name }) => name === flag.name)?.member
  const list = operation === undefined || member === undefined ? undefined : listPathOf(operation, member, positionals)
  return list === undefined ? [] : objects(context, list)
}

const argumentValues = async (context: Context, position: Position): Promise<ReadonlyArray<Candidate>> => {
  const { io, table } = context
  const { node, path, positionals } = position
  if (path[0] === "profiles" && (path[1] === "use" || path[1] === "remove")) {
    return positionals.length === 0 ? profileNames(io) : []
  }
  const argument = node.arguments[positionals.length] ?? node.arguments.find(({ variadic }) => variadic)
  if (argument?.type._tag === "Choice") return literals(argument.type.values)
  const operation = operationOf(table, path)
  const id = operation?.ids[positionals.length]
  const list = operation === undefined || id === undefined ? undefined : listPathOf(operation, id.member, positionals)
  return list === undefined ? [] : objects(context, list)
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
  const root = Completions.fromCommand(commandTree(table, firstWord(before), () => {}))
  const position = positionOf(root, before)
  const context: Context = { io, table, server: serverOf(before) }
  const { flag, node } = position
  const candidates =
    flag !== undefined
      ? await flagValues(context, position)
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
