/** Parses a command line. Does not read files, prompt or send requests. */
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { commandTree, firstWord } from "./command-tree.ts"
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
  const presenter: CliOutput.Presenter = {
    present: (event) =>
      Effect.sync(() => {
        if (event._tag === "Version") parsed = { kind: "print", text: `orgplane ${event.version}` }
        else if (event._tag === "Help") parsed = { kind: "print", text: helpPage(event.helpDoc, layout) }
        else parsed = { kind: "usage", message: usageMessage(event.commandPath, event.errors) }
      })
  }
  await Command.runWith(tree, { version })(argv).pipe(
    Effect.catchIf(CliError.isCliError, () => Effect.void),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })),
    Effect.provideContext(emptyContext),
    Effect.runPromise
  )
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
