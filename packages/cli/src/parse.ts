/** Parses a command line. Does not read files, prompt or send requests. */
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import type { HelpDoc } from "effect/cli/HelpDoc"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { commandTree, firstWord, type Tree } from "./command-tree.ts"
import type { Invocation } from "./invocation.ts"
import type { Globals } from "./global-flags.ts"
import { helpPage } from "./help.ts"
import type { CommandTable } from "./command-table.ts"
import { isTypo } from "./suggestion.ts"
import { version } from "./version.ts"

export type Parsed =
  | { readonly kind: "run"; readonly globals: Globals; readonly invocation: Invocation }
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "usage"; readonly message: string }

/** No flag opens a file, prompts or starts a process, so the parser needs none of its services. */
const emptyContext = Context.empty() as Context.Context<Command.Environment>

const run = (
  tree: Tree,
  argv: ReadonlyArray<string>,
  present: (event: CliOutput.Presenter.Event) => void
): Promise<void> =>
  Command.runWith(tree, { version })(argv).pipe(
    Effect.catchIf(CliError.isCliError, () => Effect.void),
    Effect.provideService(CliOutput.Presenter, { present: (event) => Effect.sync(() => present(event)) }),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })),
    Effect.provideContext(emptyContext),
    Effect.runPromise
  )

/** Width of help pages if the output is not a terminal. */
const pageColumns = 100

export const parse = async (
  argv: ReadonlyArray<string>,
  options: { readonly table: CommandTable; readonly colors: boolean; readonly columns: number | undefined }
): Promise<Parsed> => {
  let parsed: Parsed = { kind: "usage", message: "No command. Run 'orgplane --help' for usage." }
  const tree = commandTree(options.table, firstWord(argv), (globals, invocation) => {
    parsed = { kind: "run", globals, invocation }
  })
  const layout = { colors: options.colors, columns: Math.min(options.columns ?? pageColumns, 120) }
  await run(tree, argv, (event) => {
    if (event._tag === "Version") parsed = { kind: "print", text: `orgplane ${event.version}` }
    else if (event._tag === "Help") parsed = { kind: "print", text: helpPage(event.helpDoc, layout) }
    else parsed = { kind: "usage", message: usageMessage(event.commandPath, event.errors) }
  })
  return parsed
}

/** Puts an error message on one line, with the suggestion at the end. */
const singleLine = (message: string): string => {
  const [problem = "", listed] = message.split(/\n\n\s*Did you mean this\?\n\s*/u)
  const word = /^[^"]*"([^"]*)"|flag: (\S+)/u.exec(problem)
  const suggestions = (listed ?? "")
    .split(/\n\s+/u)
    .filter((suggestion) => suggestion !== "" && isTypo(word?.[1] ?? word?.[2] ?? "", suggestion))
  const text = problem.replace(/\n\s+/g, ", ")
  return suggestions.length === 0 ? text : `${text}. Did you mean: ${suggestions.join(", ")}`
}

const usageMessage = (path: ReadonlyArray<string>, errors: ReadonlyArray<CliError.CliError>): string =>
  [...new Set(errors.map((error) => singleLine(error.message))), `Run '${path.join(" ")} --help' for usage.`].join("\n")

/** Renders the root help for codegen, so that `orgplane --help` loads neither parser nor table. */
export const rootHelp = async (table: CommandTable): Promise<string> => {
  const parsed = await parse(["--help"], { table, colors: true, columns: undefined })
  return parsed.kind === "print" ? parsed.text : ""
}

/** A command with its help, for the reference. */
export interface CommandHelp {
  /** Without `orgplane`: `["plugins", "list"]`. */
  readonly path: ReadonlyArray<string>
  readonly aliases: ReadonlyArray<string>
  readonly help: HelpDoc
}

/** A command of effect/cli, as far as the reference reads it. */
interface Node {
  readonly name: string
  readonly alias?: string | undefined
  readonly unlisted?: boolean
  readonly subcommands?: ReadonlyArray<{ readonly commands: ReadonlyArray<Node> }>
}

/** The help of the root command and of every command below it. */
export const allHelp = async (table: CommandTable): Promise<ReadonlyArray<CommandHelp>> => {
  const tree = commandTree(table, "*", () => {})
  const all: Array<CommandHelp> = []
  const visit = async (node: Node, path: ReadonlyArray<string>): Promise<void> => {
    await run(tree, [...path, "--help"], (event) => {
      if (event._tag === "Help")
        all.push({ path, aliases: node.alias === undefined ? [] : [node.alias], help: event.helpDoc })
    })
    for (const child of (node.subcommands ?? []).flatMap(({ commands }) => commands))
      if (child.unlisted !== true) await visit(child, [...path, child.name])
  }
  await visit(tree, [])
  return all
}
