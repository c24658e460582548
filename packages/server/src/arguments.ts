/** The arguments of `orgplane-server`, and its help. */
import { closest } from "./infra/config/closest.ts"
import { variables } from "./infra/config/variables.ts"

interface CommandHelp {
  readonly summary: string
  /** Whether the command can print its result as JSON. */
  readonly json?: true
}

const commands = {
  start: { summary: "Start the server, and run until SIGTERM or SIGINT. This is the default." },
  config: {
    summary: "Print every environment variable with its value and description. Secrets are printed as (set)."
  },
  "check-config": {
    summary:
      "Check the configuration, and connect to the database, SMTP server, proxy, name servers, code host and OTLP collector that are configured. Prints one line for each check.",
    json: true
  },
  doctor: {
    summary:
      "Examine the installation: data directory, lock, disk space, database, clock, schema, keys, queue and orphaned work. Prints one line for each check, with a fix for each problem. Changes nothing.",
    json: true
  },
  migrate: { summary: "Create or upgrade the tables, and exit." },
  "move-schema": {
    summary:
      "Move the tables of an earlier release to the schema of ORGPLANE_DATABASE_SCHEMA (default: orgplane), and exit. Stop all servers first."
  }
} as const satisfies Readonly<Record<string, CommandHelp>>

export type CommandName = keyof typeof commands
const commandNames = Object.keys(commands) as ReadonlyArray<CommandName>

export type Invocation =
  | { readonly command: "help" | "version" }
  | { readonly command: CommandName; readonly json: boolean; readonly configFile: string | undefined }
  | { readonly usageError: string }

/** Parses the arguments after the name of the program. */
export const parseArguments = (argv: ReadonlyArray<string>): Invocation => {
  const [only, second] = argv
  if (second === undefined && only === "--version") return { command: "version" }
  const positional: Array<string> = []
  let asksHelp = only === "help"
  let json = false
  let configFile: string | undefined
  for (let index = asksHelp ? 1 : 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? ""
    if (argument === "--json") json = true
    else if (argument === "--help" || argument === "-h") asksHelp = true
    else if (argument.startsWith("--config=")) configFile = argument.slice("--config=".length)
    else if (argument === "--config") configFile = argv[(index += 1)] ?? ""
    else positional.push(argument)
  }
  if (configFile === "") return { usageError: "--config requires the path of a JSON file." }
  const [name = "start", ...rest] = positional
  const command = commandNames.find((candidate) => candidate === name)
  if (command === undefined || rest.length > 0) {
    const suggestion = command === undefined ? closest(name, commandNames) : undefined
    return {
      usageError:
        `Unknown arguments: ${positional.join(" ")}. ` +
        `${suggestion === undefined ? "" : `Did you mean ${suggestion}? `}Run orgplane-server --help for usage.`
    }
  }
  if (asksHelp) return { command: "help" }
  const help: CommandHelp = commands[command]
  return json && help.json !== true
    ? { usageError: `${command} does not support --json.` }
    : { command, json, configFile }
}

const lineLengthMax = 116

/** Wraps text at word boundaries. */
const wrapped = (text: string, length: number): ReadonlyArray<string> =>
  text.split(" ").reduce<Array<string>>((lines, word) => {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length + 1 > length) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
    return lines
  }, [])

/** A name in a column, and its description next to it. */
const entry = (name: string, description: string): string => {
  const indent = 2 + 15
  const [first = "", ...others] = wrapped(description, lineLengthMax - indent)
  return [`  ${name.padEnd(indent - 2)}${first}`, ...others.map((line) => " ".repeat(indent) + line)].join("\n")
}

/** The output of `orgplane-server --help`. */
export const helpText = [
  "Usage: orgplane-server [command] [options]",
  "",
  "Run the orgplane control plane.",
  "",
  "Commands:",
  ...Object.entries(commands).map(([name, { summary }]) => entry(name, summary)),
  "",
  "Options:",
  entry("--config FILE", "Read the configuration from a JSON file. Env: ORGPLANE_CONFIG_FILE."),
  entry("-h, --help", "Print this help."),
  entry("--json", "Print the result of check-config or doctor as JSON."),
  entry("--version", "Print the version."),
  "",
  "Exit codes: 0 success, 1 cannot start, did not stop in time, or a check failed, 2 usage or configuration error.",
  "",
  "Configuration is read from environment variables, which override the configuration file:",
  "",
  ...Object.entries(variables).map(([name, description]) => `  ${name}\n      ${description}`)
].join("\n")
