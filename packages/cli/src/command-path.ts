/** Finds the command, the arguments and the flag in the words of a command line that may be incomplete. */
import * as Completions from "effect/cli/Completions"
import { commandTree, firstWord } from "./command-tree.ts"
import type { CommandTable, OperationRow } from "./command-table.ts"
import { valueGlobals } from "./global-flag-names.ts"
import { overrides } from "./overrides/index.ts"

type Node = Completions.CommandDescriptor

/** `--flag`, `=`, `value`, as bash splits it, and `--flag=value` become `--flag`, `value`. */
export const normalized = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
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

export const flagOf = (node: Node, word: string) =>
  node.flags.find(
    ({ aliases, name }) =>
      `--${name}` === word || aliases.some((alias) => alias === word || `-${alias}` === word || `--${alias}` === word)
  )

const takesValue = (node: Node, word: string): boolean => {
  const flag = flagOf(node, word)
  return flag === undefined ? valueGlobals.has(word) : flag.type._tag !== "Boolean"
}

export interface Position {
  readonly node: Node
  /** The words of the command. */
  readonly path: ReadonlyArray<string>
  readonly positionals: ReadonlyArray<string>
  /** The flag whose value is completed. */
  readonly flag: string | undefined
}

export const positionOf = (root: Node, words: ReadonlyArray<string>): Position => {
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

export const operationOf = (table: CommandTable, path: ReadonlyArray<string>): OperationRow | undefined => {
  const words = path.join(" ")
  return table
    .flatMap((group) =>
      group.operations.map((operation) => ({
        operation,
        names: [operation.name, overrides[operation.id]?.alias].map((name) => `${group.name} ${name ?? ""}`)
      }))
    )
    .find(({ names, operation }) => names.includes(words) || operation.id === relatedOperations[words])?.operation
}

/** The operation whose request and response fields each command has that is not generated. */
const relatedOperations: Readonly<Record<string, string>> = {
  "audit tail": "audit.list",
  "configuration adopt": "configuration.adopt",
  "configuration apply": "configuration.apply",
  "configuration export": "configuration.export",
  "configuration plan": "configuration.plan",
  "desktop-policies explain": "desktopPolicies.effective",
  "mcp-connections call": "mcpConnections.callTool",
  "mcp-connections connect": "mcpConnections.get",
  "members invite": "invitations.create",
  metrics: "admin.metrics",
  "sso test": "sso.test"
}

export const rootOf = (table: CommandTable, words: ReadonlyArray<string>): Node =>
  Completions.fromCommand(commandTree(table, firstWord(words), () => {}))

/** The fields of commands that do not print the response of an operation. */
const otherFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  "alias list": ["name", "command"],
  "auth status": [
    ...["server", "source", "credential", "id", "name", "email"],
    ...["organizationId", "organization", "role", "expiresAt"]
  ],
  "config list": ["name", "value", "description"],
  top: [
    ...["time", "server", "version", "engine", "uptimeSeconds", "readiness", "requests", "operations", "database"],
    ...["process", "queues", "syncsPerMinute", "webhooksPerMinute", "mails", "pending", "workers", "audit"]
  ],
  version: ["version"],
  "profiles list": ["name", "current", "baseUrl", "organization", "credential"]
}

/** The fields that `--json` can select from the output of a command. Empty if they are not known. */
export const fieldsOf = async (table: CommandTable, path: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const words = path.join(" ")
  const fields = otherFields[words === "whoami" ? "auth status" : words]
  if (fields !== undefined) return fields
  const { responseFields } = await import("./generated/response-fields.ts")
  return responseFields[operationOf(table, path)?.id ?? ""] ?? []
}

/** The error message for `--json` without a value. */
export const fieldsMessage = async (table: CommandTable, argv: ReadonlyArray<string>): Promise<string> => {
  const words = normalized(argv.filter((word) => word !== "--json"))
  const fields = await fieldsOf(table, positionOf(rootOf(table, words), words).path)
  return fields.length === 0
    ? "--json requires the names of fields, such as --json id,name."
    : ["--json requires the names of fields, separated by commas:", ...fields.map((field) => `  ${field}`)].join("\n")
}
