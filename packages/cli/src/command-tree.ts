/** Builds the effect/cli commands from the generated table. Only the group on the command line gets its subcommands. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { valueGlobals } from "./global-flag-names.ts"
import { globals, settings } from "./global-flags.ts"
import { extraCommands, replacedOperations } from "./extra-commands.ts"
import { type Branch, linesFile, toggle } from "./flags.ts"
import { generalCommands } from "./general-commands.ts"
import type { FlagValue, OnInvocation } from "./invocation.ts"
import type { Override } from "./override.ts"
import { branches, overrides } from "./overrides/index.ts"
import type { CommandTable, FlagRow, GroupRow, OperationRow } from "./command-table.ts"

/** The root command. Its handlers only report the parsed command line. */
export type Tree = Command.Command<"orgplane", unknown, object>
type Parameters = Record<string, Flag.Flag<unknown> | Argument.Argument<unknown>>

const describe = (flag: FlagRow): string =>
  [flag.help?.replace(/\.$/, ""), flag.many ? "Repeatable" : undefined, flag.required ? "Required" : undefined]
    .filter((part) => part !== undefined)
    .join(". ")

const flagOf = (row: FlagRow): Flag.Flag<unknown> => {
  const typed: Flag.Flag<string | number | boolean> =
    row.type === "enum"
      ? Flag.Literals(row.name, row.values ?? [])
      : row.type === "integer"
        ? Flag.Int(row.name)
        : row.type === "number"
          ? Flag.Finite(row.name)
          : row.type === "boolean"
            ? Flag.Boolean(row.name)
            : Flag.String(row.name).pipe(
                Flag.withMetavar(row.file !== undefined ? "file|-" : row.time !== undefined ? "time" : "text")
              )
  const described = Flag.withDescription(typed, describe(row))
  const renamed = row.former === undefined ? described : Flag.withAlias(described, row.former)
  // Required flags are optional here too: --input can provide them, so they are checked after both have been read.
  return row.many ? Flag.atLeast(renamed, 0) : Flag.optional(renamed)
}

const optionalValue = (value: unknown): unknown => {
  if (Option.isOption(value)) return Option.getOrUndefined(value)
  return Array.isArray(value) && value.length === 0 ? undefined : value
}

const inputHelp = (operation: OperationRow): string => {
  const jsonMembers = (operation.json ?? []).map((row) => `${row.member}${row.required ? " (required)" : ""}`)
  return `File with the request body as JSON. Flags override fields in the file${jsonMembers.length === 0 ? "" : `. Fields without a flag: ${jsonMembers.join(", ")}`}`
}

const timeout = (seconds: number) =>
  Flag.Int("timeout").pipe(
    Flag.withMetavar("seconds"),
    Flag.withDescription(`How long to wait. Default: ${seconds}`),
    Flag.withDefault(seconds)
  )

type Progress = NonNullable<Override["progress"]>

const waitHelp: Readonly<Partial<Record<Progress, string>>> = {
  apply: "Wait for the import to finish. The command fails if the import fails. Default: --wait",
  sync: "Wait for the sync to finish. The command fails if the sync fails. Default: --no-wait",
  worker: "Wait until a cloud worker is healthy. The command fails if the worker fails. Default: --no-wait"
}

/** `--wait` and `--no-wait`. `--watch` is the earlier name for syncs. */
const waitFlag = (progress: Progress) => {
  const flag = Flag.Boolean("wait").pipe(Flag.withDescription(waitHelp[progress] ?? ""))
  return (progress === "sync" ? Flag.withAlias(flag, "watch") : flag).pipe(Flag.withDefault(progress === "apply"))
}

const selectsPlugins = ({ id }: OperationRow) => id === "connectors.apply" || id === "connectors.plan"

/** Usual short names of commands. */
const usualAliases: Readonly<Record<string, string>> = { list: "ls", remove: "rm", delete: "rm" }

const extraFlags = (operation: OperationRow, override: Override): Parameters => ({
  ...(operation.body
    ? {
        input: Flag.String("input").pipe(
          Flag.withMetavar("file|-"),
          Flag.withDescription(inputHelp(operation)),
          Flag.optional
        )
      }
    : {}),
  ...(override.lines ? { file: linesFile } : {}),
  ...(override.archive
    ? {
        to: Flag.String("to").pipe(
          Flag.withMetavar("file"),
          Flag.withDescription(
            "Output file, written after verification. Default: stdout. Required when stdout is a terminal"
          ),
          Flag.optional
        )
      }
    : {}),
  ...(operation.pageMax === undefined
    ? {}
    : {
        limit: Flag.Int("limit").pipe(
          Flag.withMetavar("count"),
          Flag.withDescription("Maximum number of rows, fetched over several pages if needed. Default: one page"),
          Flag.optional
        ),
        all: toggle("all", "Fetch every page")
      }),
  ...(override.follow
    ? {
        follow: toggle("follow", "Print the latest rows, then new ones as they arrive, until interrupted").pipe(
          Flag.withAlias("f")
        )
      }
    : {}),
  ...(override.beside?.flag === undefined
    ? {}
    : { beside: toggle(override.beside.flag.name, override.beside.flag.help) }),
  ...(override.progress === undefined || waitHelp[override.progress] === undefined
    ? {}
    : { wait: waitFlag(override.progress) }),
  ...(selectsPlugins(operation) ? { all: toggle("all", "Select every plugin that can be imported") } : {}),
  ...(override.progress === undefined ? {} : { timeout: timeout(600) })
})

const operationCommand = (operation: OperationRow, onInvocation: OnInvocation): Branch => {
  const override = overrides[operation.id] ?? {}
  const config: Parameters = extraFlags(operation, override)
  for (const id of operation.ids) {
    const argument = Argument.String(id.name)
    config[`id:${id.name}`] = id.help === undefined ? argument : Argument.withDescription(argument, id.help)
  }
  for (const { help, name } of operation.arguments ?? []) {
    // --input can provide it.
    const argument = Argument.optional(Argument.String(name))
    config[`arg:${name}`] = help === undefined ? argument : Argument.withDescription(argument, help)
  }
  for (const flag of operation.flags) config[`flag:${flag.name}`] = flagOf(flag)
  const command = Command.make(
    operation.name.slice(operation.name.lastIndexOf(" ") + 1),
    config,
    (parsed: Record<string, unknown>) =>
      Effect.map(globals, (globals) => {
        const values: Record<string, FlagValue> = {}
        for (const flag of operation.flags) {
          const value = optionalValue(parsed[`flag:${flag.name}`]) as FlagValue | undefined
          if (value !== undefined) values[flag.name] = value
        }
        onInvocation(globals, {
          kind: "operation",
          operation,
          ids: operation.ids.map((id) => String(parsed[`id:${id.name}`])),
          args: (operation.arguments ?? []).flatMap(({ name }) => {
            const value = optionalValue(parsed[`arg:${name}`])
            return typeof value === "string" ? [value] : []
          }),
          values,
          file: optionalValue(parsed["file"]) as string | undefined,
          input: optionalValue(parsed["input"]) as string | undefined,
          limit: optionalValue(parsed["limit"]) as number | undefined,
          all: parsed["all"] === true,
          follow: parsed["follow"] === true,
          beside: parsed["beside"] === true,
          wait: parsed["wait"] === true,
          to: optionalValue(parsed["to"]) as string | undefined,
          timeoutSeconds: Number(parsed["timeout"] ?? 0)
        })
      })
  ).pipe(
    Command.withDescription(
      operation.description === undefined ? operation.summary : `${operation.summary}\n  ${operation.description}`
    ),
    Command.withShortDescription(operation.summary),
    Command.withExamples(override.examples ?? [])
  )
  const alias = override.alias ?? usualAliases[operation.name.slice(operation.name.lastIndexOf(" ") + 1)]
  return (alias === undefined ? command : Command.withAlias(command, alias)) as Branch
}

/** A command with its path below the top-level word. */
interface Leaf {
  readonly words: ReadonlyArray<string>
  readonly command: () => Branch
}

const leavesOf = (group: GroupRow, onInvocation: OnInvocation): ReadonlyArray<Leaf> => {
  const parentWords = group.name.split(" ").slice(1)
  return [
    ...extraCommands(group.id, group.operations, onInvocation).map((command) => ({
      words: [...parentWords, command.name],
      command: () => command
    })),
    ...group.operations
      .filter(({ id }) => !replacedOperations.has(id))
      .map((operation) => ({
        words: [...parentWords, ...operation.name.split(" ")],
        command: () => operationCommand(operation, onInvocation)
      }))
  ]
}

/** Nests commands by their words: `scim tokens rotate` is `rotate` below `tokens` below `scim`. */
const nested = (path: string, leaves: ReadonlyArray<Leaf>, table: CommandTable): ReadonlyArray<Branch> =>
  [...Map.groupBy(leaves, ({ words }) => words[0] ?? "")].map(([word, children]) => {
    const [only] = children
    if (only !== undefined && children.length === 1 && only.words.length === 1) return only.command()
    const subpath = `${path} ${word}`
    const nestedLeaves = children.map(({ command, words }) => ({ words: words.slice(1), command }))
    return Command.make(word).pipe(
      Command.withDescription(table.find(({ name }) => name === subpath)?.summary ?? branches[subpath] ?? ""),
      Command.withSubcommands([...nested(subpath, nestedLeaves, table)])
    ) as Branch
  })

const groupCommand = (
  name: string,
  groups: ReadonlyArray<GroupRow>,
  build: boolean,
  onInvocation: OnInvocation
): Branch => {
  const operations = groups.flatMap((group) => group.operations)
  const examples = operations.flatMap((operation) => overrides[operation.id]?.examples?.slice(0, 1) ?? [])
  const command = Command.make(name).pipe(
    Command.withDescription(groups.find((group) => group.name === name)?.summary ?? branches[name] ?? ""),
    Command.withExamples(examples.slice(0, 3))
  )
  if (!build) return command as Branch
  const leaves = groups.flatMap((group) => leavesOf(group, onInvocation))
  return command.pipe(Command.withSubcommands([...nested(name, leaves, groups)])) as Branch
}

/** `orgplane metrics`, a top-level shortcut for `orgplane admin metrics`. */
const metricsCommand = (table: CommandTable, onInvocation: OnInvocation): ReadonlyArray<Branch> => {
  const operation = table.flatMap(({ operations }) => operations).find(({ id }) => id === "admin.metrics")
  return operation === undefined ? [] : [operationCommand(operation, onInvocation)]
}

/** The first word that is not a flag: the group whose commands are built. */
export const firstWord = (argv: ReadonlyArray<string>): string | undefined => {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? ""
    if (!word.startsWith("-")) return word
    if (valueGlobals.has(word)) index++
  }
  return undefined
}

/** Builds the root command. Only `group` gets its subcommands; `"*"` builds all groups. */
export const commandTree = (table: CommandTable, group: string | undefined, onInvocation: OnInvocation): Tree => {
  const groups = [...Map.groupBy(table, ({ section }) => section)].flatMap(([section, rows]) => {
    const commands = [...Map.groupBy(rows, ({ name }) => name.split(" ")[0] ?? "")].map(([name, groups]) =>
      groupCommand(name, groups, group === "*" || group === name, onInvocation)
    )
    const [first, ...rest] = [...commands, ...metricsCommand(rows, onInvocation)]
    return first === undefined ? [] : [{ group: section.toUpperCase(), commands: [first, ...rest] as const }]
  })
  const [login, ...others] = generalCommands(onInvocation)
  const general = login === undefined ? [] : [{ group: "GENERAL", commands: [login, ...others] as const }]
  return Command.make("orgplane").pipe(
    Command.withDescription(
      "Manage your organization's control plane: connectors, plugins, marketplaces and access to them."
    ),
    Command.withSubcommands([...groups, ...general]),
    Command.withGlobalFlags(settings),
    Command.withExamples([
      { command: "orgplane login --base-url https://orgplane.example", description: "Sign in first" },
      { command: "orgplane connectors list", description: "List the connected repositories" },
      { command: "orgplane plugins list -o json | jq -r '.items[].name'", description: "Get plugin names in a script" }
    ])
  ) as unknown as Tree
}
