/** One run of the CLI: parses the command line, runs the command, reports failures. */
import type { Invocation } from "./invocation.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { describeFailure, Interrupted, renderFailure } from "./failure.ts"
import { formats, type Globals } from "./global-flags.ts"
import { type Io, notify, print } from "./io.ts"
import { completions } from "./completions.ts"
import { type Config, expandAlias, loadConfig } from "./config-file.ts"
import { generalCommands } from "./general-commands.ts"
import { runOperation } from "./operations.ts"
import type { OutputOptions } from "./output/render.ts"
import { escapeLines } from "./output/escape.ts"
import { printOne } from "./output/print.ts"
import { selectionOf } from "./output/selection.ts"
import { pagerOf } from "./pager.ts"
import { parse, type Parsed } from "./parse.ts"
import type { CommandTable } from "./command-table.ts"
import { version } from "./version.ts"

const usesColors = (io: Io): boolean =>
  (io.env["NO_COLOR"] ?? "") === "" && !io.argv.includes("--no-color") && io.env["TERM"] !== "dumb"

const outputOptionsOf = async (io: Io, globals: Globals, { settings }: Config): Promise<OutputOptions> => ({
  format: globals.output ?? formats.find((format) => format === settings.output),
  pager: pagerOf(io, globals.noPager, settings.pager),
  selection: await selectionOf(globals, { terminal: io.out.isTerminal, now: () => io.now(), signal: io.signal }),
  quiet: globals.quiet,
  terminal: io.out.isTerminal,
  columns: io.out.isTerminal ? (io.out.columns ?? 80) : undefined,
  colors: io.out.isTerminal && usesColors(io),
  unicode: io.out.isTerminal && usesColors(io) && isUtf8Locale(io.env),
  // Read for each output, so that an object that the command creates is not shown as in the future.
  get now() {
    return io.now()
  }
})

/** Whether the locale is UTF-8. The first variable that is set decides, in POSIX order. */
const isUtf8Locale = (env: Io["env"]): boolean => {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((each) => each !== undefined && each !== "")
  return locale === undefined ? process.platform !== "linux" : /utf-?8/i.test(locale)
}

/** Whether JSON output is requested. Checked before parsing, because usage errors have this format too. */
const wantsJson = ({ argv }: Io): boolean =>
  argv.some(
    (word, index) =>
      /^(-o|--output)=?(nd)?json$/.test(word) ||
      (/^(-o|--output)$/.test(word) && /^(nd)?json$/.test(argv[index + 1] ?? ""))
  )

const execute = async (
  io: Io,
  table: CommandTable,
  globals: Globals,
  invocation: Invocation,
  config: Config
): Promise<ExitCode> => {
  const output = await outputOptionsOf(io, globals, config)
  switch (invocation.kind) {
    case "operation":
      return runOperation(io, globals, output, invocation)
    // Each of these loads only its own modules.
    case "api":
      return (await import("./api-command.ts")).api(io, globals, output, invocation)
    case "login":
      return (await import("./profile-commands.ts")).login(io, globals, output, invocation)
    case "invite":
      return (await import("./invite-command.ts")).invite(io, table, globals, output, invocation)
    case "connect":
      return (await import("./connect-commands.ts")).connectByBrowser(io, globals, output, invocation)
    case "ssoTest":
      return (await import("./sso-commands.ts")).testSso(io, globals, output, invocation)
    case "call":
      return (await import("./connect-commands.ts")).callTool(io, globals, output, invocation)
    case "decide":
      return (await import("./decide-command.ts")).decide(io, globals, output, invocation)
    case "tail":
      return (await import("./audit-tail.ts")).tail(io, globals, output, invocation)
    case "tailEvents":
      return (await import("./events-tail.ts")).tailEvents(io, globals, output, invocation)
    case "listenEvents":
      return (await import("./events-listen.ts")).listenEvents(io, globals, output, invocation)
    case "verifyEvents":
      return (await import("./events-verify.ts")).verify(io, globals, output, invocation)
    case "top":
      return (await import("./top/command.ts")).top(io, globals, output, invocation)
    case "watchDelivery":
      return (await import("./delivery-watch.ts")).watchDelivery(io, globals, output, invocation)
    case "conformance":
      return (await import("./scim-conformance/command.ts")).conformance(io, globals, output, invocation)
    case "configuration":
      return (await import("./configuration/command.ts")).configuration(io, table, globals, output, invocation)
    case "agents":
      return (await import("./agents/command.ts")).agents(io, globals, output, invocation)
    case "logout":
      return (await import("./profile-commands.ts")).logout(io, globals, output)
    case "profiles":
      return (await import("./profile-commands.ts")).profiles(io, output, invocation.verb, invocation.name)
    case "authStatus":
      return (await import("./auth-status.ts")).authStatus(io, globals, output)
    case "config":
      return (await import("./config-commands.ts")).config(io, output, invocation)
    case "alias":
      return (await import("./config-commands.ts")).alias(io, output, invocation, commandNames(table))
    case "version":
      await printVersion(io, output)
      return exit.ok
    case "completions":
      await print(io, completions[invocation.shell])
      return exit.ok
    default:
      return invocation satisfies never
  }
}

const printVersion = (io: Io, output: OutputOptions): Promise<void> =>
  output.format === undefined && output.selection === undefined && !output.quiet
    ? print(io, `orgplane ${version}`)
    : printOne(io, { version }, output, { text: () => version })

/** The first words of all commands. */
const commandNames = (table: CommandTable): ReadonlySet<string> =>
  new Set([
    ...table.map(({ name }) => name.split(" ")[0] ?? ""),
    ...generalCommands(() => {}).map(({ name }) => name),
    "metrics",
    "help"
  ])

/** `help plugins list` is `plugins list --help`. */
const usualForm = (argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...rest] = argv
  if (first === "help") return [...rest.filter((word) => !isHelp(word)), "--help"]
  // Where `list` is itself another name of a command, it cannot have a further one.
  return rest[0] === "ls" ? [...argv.slice(0, 1), "list", ...rest.slice(1)] : argv
}

const isHelp = (word: string) => word === "help" || word === "--help" || word === "-h"

/** Parses a command line. A request for help about an unknown command is an error too. */
const parseLine = async (argv: ReadonlyArray<string>, options: Parameters<typeof parse>[1]): Promise<Parsed> => {
  const words = argv.filter((word) => word !== "--help" && word !== "-h")
  if (words.length < argv.length && words.length > 0) {
    const parsed = await parse(words, options)
    if (parsed.kind === "usage" && parsed.message.startsWith("Unknown subcommand")) return parsed
  }
  const parsed = await parse(argv, options)
  if (parsed.kind !== "usage" || !parsed.message.startsWith("Missing value for flag --json.")) return parsed
  return { kind: "usage", message: await (await import("./command-path.ts")).fieldsMessage(options.table, argv) }
}

/** Prints the candidates for the last of the words after `--`, or of the lines in an environment variable. */
const completeWords = async (io: Io, table: CommandTable): Promise<ExitCode> => {
  const { candidateLines, complete } = await import("./complete.ts")
  const words = io.argv[1] === "--" ? io.argv.slice(2) : (io.env["ORGPLANE_COMPLETE_WORDS"] ?? "").split("\n")
  await print(io, candidateLines(await complete(io, table, words)))
  return exit.ok
}

/** With `--detailed-exitcode`, each error is 1, because 2 reports a difference. */
const errorCode = ({ argv }: Io, code: ExitCode): ExitCode =>
  argv.includes("--detailed-exitcode") ? exit.failure : code

export const run = async (io: Io, table: CommandTable): Promise<ExitCode> => {
  try {
    if (io.argv[0] === "__complete") return await completeWords(io, table)
    const config = await loadConfig(io)
    const [first, name = ""] = io.argv
    if (first === "help" && Object.hasOwn(config.aliases, name)) {
      await print(io, `'orgplane ${name}' runs 'orgplane ${config.aliases[name] ?? ""}'.`)
      return exit.ok
    }
    const argv = usualForm(expandAlias(io.argv, config.aliases))
    const parsed = await parseLine(argv, {
      table,
      colors: io.out.isTerminal && usesColors(io),
      columns: io.out.columns
    })
    if (parsed.kind === "print") {
      await print(io, parsed.text)
      return exit.ok
    }
    if (parsed.kind === "usage") {
      await notify(
        io,
        wantsJson(io)
          ? renderFailure({ exitCode: exit.usage, error: "usage", message: parsed.message }, true)
          : `orgplane: ${escapeLines(parsed.message)}`
      )
      return errorCode(io, exit.usage)
    }
    return await execute(io, table, parsed.globals, parsed.invocation, config)
  } catch (error) {
    if (error instanceof Interrupted || io.signal.aborted) return exit.interrupted
    const report = describeFailure(error)
    const style = { unicode: false, colors: io.err.isTerminal && usesColors(io) }
    await notify(io, renderFailure(report, wantsJson(io), style))
    return errorCode(io, report.exitCode)
  }
}
