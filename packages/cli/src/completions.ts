import * as Completions from "effect/cli/Completions"
import { commandTree } from "./command-tree.ts"
import type { Shell } from "./invocation.ts"
import { formats } from "./global-flags.ts"
import type { CommandTable } from "./command-table.ts"

const text = { _tag: "String" } as const
const boolean = { _tag: "Boolean" } as const

const flag = (
  name: string,
  type: Completions.FlagType,
  ...aliases: ReadonlyArray<string>
): Completions.FlagDescriptor => ({
  name,
  aliases,
  description: undefined,
  type,
  negation: false
})

/** The generator does not read the global flags from the command tree. */
const everywhere: ReadonlyArray<Completions.FlagDescriptor> = [
  flag("help", boolean, "h"),
  flag("output", { _tag: "Choice", values: formats }, "o"),
  flag("quiet", boolean, "q"),
  flag("yes", boolean, "y"),
  flag("profile", text),
  flag("base-url", text),
  flag("organization", text),
  flag("token-stdin", boolean),
  flag("no-color", boolean),
  flag("debug", boolean)
]

const files = new Set(["file", "input", "source", "token", "metadata", "certificate", "client-secret-file"])

const complete = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...command,
  flags: [
    ...command.flags.map((each) =>
      files.has(each.name) ? { ...each, type: { _tag: "Path", pathType: "file" } as const } : each
    ),
    ...everywhere
  ],
  subcommands: command.subcommands.map(complete)
})

export const completions = (table: CommandTable, shell: Shell): string =>
  Completions.generate("orgplane", shell, complete(Completions.fromCommand(commandTree(table, "*", () => {}))))
