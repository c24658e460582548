/** The arguments of `orgplane-server`, and its help. */
import { closest } from "./infra/config/closest.ts"
import { variables } from "./infra/config/variables.ts"

interface OptionHelp {
  readonly summary: string
  /** The name of its value; without one, the option is a switch. */
  readonly value?: string
  readonly repeats?: true
}

interface CommandHelp {
  readonly summary: string
  /** Whether the command can print its result as JSON. */
  readonly json?: true
  /** The name of its argument. */
  readonly operand?: string
  readonly options?: Readonly<Record<string, OptionHelp>>
}

const dataDirOption = { value: "DIR", summary: "Data directory of the embedded database. Env: ORGPLANE_DATA_DIR." }

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
  backup: {
    summary:
      "Write a consistent copy of the embedded database and its secret key to a file, also while the server runs.",
    json: true,
    options: {
      to: { value: "FILE", summary: "The file. An existing file is replaced when the backup is complete. Required." },
      "data-dir": dataDirOption,
      recipient: { value: "KEY", summary: "Encrypt for a public key of age (age1…). Repeatable.", repeats: true },
      "passphrase-file": { value: "FILE", summary: "Encrypt with the passphrase in the first line of a file." }
    }
  },
  restore: {
    summary: "Restore a backup into an empty data directory, or verify it.",
    json: true,
    operand: "FILE",
    options: {
      "data-dir": { value: "DIR", summary: "An empty or new directory. Required, except with --verify." },
      "identity-file": { value: "FILE", summary: "Decrypt with the keys that age-keygen wrote to a file." },
      "passphrase-file": { value: "FILE", summary: "Decrypt with the passphrase in the first line of a file." },
      verify: {
        summary:
          "Restore into a temporary directory instead, and check digests, rows, the audit log and secrets. Prints one line for each check."
      }
    }
  },
  move: {
    summary:
      "Move the installation to another database, from the embedded database to PostgreSQL or back, and verify each row. Stop all servers first. An interrupted move continues when you run it again.",
    json: true,
    options: {
      to: {
        value: "TARGET",
        summary:
          "A postgres:// URL of an empty database, a new data directory, or - to read it from standard input. The source is the configured database."
      },
      "to-schema": {
        value: "NAME",
        summary: "Schema of the target. Default: the schema of the source. Env of the source: ORGPLANE_DATABASE_SCHEMA."
      },
      restart: { summary: "Delete the incomplete copy of an earlier run in the target, and copy everything again." },
      reopen: { summary: "Allow servers to use the configured database again, after it was moved to another one." }
    }
  },
  "support-bundle": {
    summary:
      "Write a support bundle, a file for the people who help you with a problem: versions, settings, the results of check-config and doctor, readiness, metrics, and sizes of tables. It contains no secrets and no rows of tables.",
    json: true,
    options: {
      to: {
        value: "FILE",
        summary: "The file. Default: orgplane-support-TIME.tar.gz in the working directory. It must not exist."
      },
      "log-file": { value: "FILE", summary: "Also include the last 10 MiB of a log file of the server." }
    }
  },
  "rotate-keys": {
    summary:
      "Encrypt all stored secrets with a new key, also while servers run. With the embedded database, the command creates the key. With ORGPLANE_SECRET_KEYS, add the new key and restart the servers first, as described in docs/keys.md. To continue after an interruption, run the command again.",
    json: true,
    options: {
      status: { summary: "Print how many secrets each key encrypts. Changes nothing." },
      finish: {
        summary:
          "Create no key. Re-encrypt the remaining secrets, and retire the older keys. Fails if an older key is still needed."
      },
      "signing-key": { summary: "Create a new key for audit checkpoints and archives. Earlier keys then only verify." },
      "discard-unreadable": {
        summary: "List the secrets that no key decrypts, because a key was lost. Stop all servers first."
      },
      yes: { summary: "With --discard-unreadable: delete them." },
      "data-dir": dataDirOption
    }
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
  | {
      readonly command: CommandName
      readonly json: boolean
      readonly configFile: string | undefined
      readonly operand: string | undefined
      /** The values of each option of the command; none for a switch. */
      readonly options: Readonly<Record<string, ReadonlyArray<string>>>
    }
  | { readonly usageError: string }

interface Given {
  readonly asksHelp: boolean
  readonly positional: ReadonlyArray<string>
  /** Each option without its dashes, with the value of `--name=value` or else the next argument. */
  readonly options: ReadonlyArray<{
    readonly name: string
    readonly value: string | undefined
    readonly isSwitch: boolean
  }>
}

const switches: ReadonlySet<string> = new Set([
  "json",
  ...Object.values<CommandHelp>(commands).flatMap(({ options = {} }) =>
    Object.entries(options).flatMap(([name, { value }]) => (value === undefined ? [name] : []))
  )
])

const split = (argv: ReadonlyArray<string>): Given => {
  const positional: Array<string> = []
  let asksHelp = false
  const options: Array<Given["options"][number]> = []
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? ""
    const [, name = "", value] = /^--([a-z][a-z-]*)(?:=(.*))?$/s.exec(argument) ?? []
    if (argument === "--help" || argument === "-h") asksHelp = true
    else if (name === "") positional.push(argument)
    else if (switches.has(name) || value !== undefined) {
      options.push({ name, value, isSwitch: value === undefined })
    } else options.push({ name, value: argv[(index += 1)], isSwitch: false })
  }
  return { asksHelp, positional, options }
}

const usage = "Run orgplane-server --help for usage."

/** A URL can contain a password. */
const withoutUrls = (text: string): string => text.replaceAll(/:\/\/\S+/g, "://…")

/** Parses the arguments after the name of the program. */
export const parseArguments = (argv: ReadonlyArray<string>): Invocation => {
  const [only, second] = argv
  if (second === undefined && only === "--version") return { command: "version" }
  const given = split(only === "help" ? argv.slice(1) : argv)
  const [name = "start", ...rest] = given.positional
  const command = commandNames.find((candidate) => candidate === name)
  const help: CommandHelp | undefined = command === undefined ? undefined : commands[command]
  const ownOptions = help?.options ?? {}
  const unknown = given.options.find((option) => !["json", "config", ...Object.keys(ownOptions)].includes(option.name))
  const excess = rest.slice(help?.operand === undefined ? 0 : 1)
  if (command === undefined || help === undefined || excess.length > 0 || unknown !== undefined) {
    const suggestion = command === undefined ? closest(name, commandNames) : undefined
    const shown = withoutUrls(
      command === undefined ? argv.join(" ") : unknown === undefined ? given.positional.join(" ") : `--${unknown.name}`
    )
    return {
      usageError: `Unknown arguments: ${shown}. ${suggestion === undefined ? "" : `Did you mean ${suggestion}? `}${usage}`
    }
  }
  if (only === "help" || given.asksHelp) return { command: "help" }
  const options: Record<string, Array<string>> = {}
  for (const { isSwitch, name: option, value } of given.options) {
    if (isSwitch !== switches.has(option)) return { usageError: `--${option} has no value. ${usage}` }
    if (isSwitch) options[option] = []
    else if (value === undefined || value === "") {
      return {
        usageError:
          option === "config"
            ? "--config requires the path of a JSON file."
            : `--${option} requires a value (${ownOptions[option]?.value}). ${usage}`
      }
    } else if (options[option] !== undefined && ownOptions[option]?.repeats !== true) {
      return { usageError: `--${option} is set twice. ${usage}` }
    } else (options[option] ??= []).push(value)
  }
  const { config, json, ...own } = options
  return json !== undefined && help.json !== true
    ? { usageError: `${command} does not support --json.` }
    : { command, json: json !== undefined, configFile: config?.[0], operand: rest[0], options: own }
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

/** A command with its options. */
const commandEntry = ([name, { operand, options = {}, summary }]: [string, CommandHelp]): string =>
  [
    entry(operand === undefined ? name : `${name} ${operand}`, summary),
    ...Object.entries(options).map(([option, { summary: description, value }]) =>
      wrapped(`--${option}${value === undefined ? "" : ` ${value}`}  ${description}`, lineLengthMax - 22)
        .map((line, index) => " ".repeat(index === 0 ? 16 : 20) + line)
        .join("\n")
    )
  ].join("\n")

/** The output of `orgplane-server --help`. */
export const helpText = [
  "Usage: orgplane-server [command] [options]",
  "",
  "Run the orgplane control plane.",
  "",
  "Commands:",
  ...Object.entries<CommandHelp>(commands).map(commandEntry),
  "",
  "Options:",
  entry("--config FILE", "Read the configuration from a JSON file. Env: ORGPLANE_CONFIG_FILE."),
  entry("-h, --help", "Print this help."),
  entry(
    "--json",
    "Print the result of check-config, doctor, backup, restore, move, rotate-keys or support-bundle as JSON."
  ),
  entry("--version", "Print the version."),
  "",
  "Exit codes: 0 success, 1 cannot start, did not stop in time, or the command or a check failed, 2 usage or configuration error.",
  "",
  "Configuration is read from environment variables, which override the configuration file:",
  "",
  ...Object.entries(variables).map(([name, description]) => `  ${name}\n      ${description}`)
].join("\n")
