/** The commands as effect/cli knows them, built from the table; of the groups only the one that is asked for. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { valueGlobals } from "./global-names.ts"
import { globals, type Globals, settings } from "./globals.ts"
import {
  browserFlags,
  type CallChosen,
  type ConformanceChosen,
  type ConnectChosen,
  further,
  type InviteChosen,
  linesFile,
  replaced,
  type SsoTestChosen,
  type TailChosen,
  toggle
} from "./further.ts"
import { branches, type Override, overrides } from "./overrides.ts"
import type { CommandTable, FlagRow, GroupRow, OperationRow } from "./table.ts"

export type FlagValue = string | number | boolean | ReadonlyArray<string | number>

/** What a command line asks for. */
export type Chosen =
  | {
      readonly kind: "operation"
      readonly operation: OperationRow
      readonly ids: ReadonlyArray<string>
      /** What follows the ids on the line, for the body. */
      readonly args: ReadonlyArray<string>
      /** By flag name; what was not told is absent. */
      readonly values: Readonly<Record<string, FlagValue>>
      readonly input: string | undefined
      /** The lines of a batch: a file's name, or `-`. */
      readonly file: string | undefined
      readonly limit: number | undefined
      readonly all: boolean
      readonly follow?: boolean
      readonly watch: boolean
      readonly noWait: boolean
      /** Where an archive is written. */
      readonly to?: string | undefined
      readonly timeoutSeconds: number
    }
  | {
      readonly kind: "login"
      readonly name: string | undefined
      readonly email: string | undefined
      readonly challenge: string | undefined
      readonly sso: boolean
      readonly browser: boolean
      readonly paste: boolean
    }
  | CallChosen
  | ConformanceChosen
  | SsoTestChosen
  | ConnectChosen
  | InviteChosen
  | TailChosen
  | { readonly kind: "logout" }
  | { readonly kind: "profiles"; readonly verb: "list" | "use" | "remove"; readonly name: string }
  | { readonly kind: "completions"; readonly shell: Shell }
  | {
      readonly kind: "api"
      readonly method: string
      readonly path: string
      readonly fields: ReadonlyArray<string>
      readonly headers: ReadonlyArray<string>
      readonly input: string | undefined
    }

export const shells = ["bash", "zsh", "fish"] as const
export type Shell = (typeof shells)[number]

export type Choose = (globals: Globals, chosen: Chosen) => void

/** A command whose handler only tells what was chosen. */
export type Tree = Command.Command<"orgplane", unknown, object>
export type Branch = Command.Command<string, unknown, object>
type Parameters = Record<string, Flag.Flag<unknown> | Argument.Argument<unknown>>

const describe = (flag: FlagRow): string =>
  [flag.help?.replace(/\.$/, ""), flag.many ? "May be repeated" : undefined, flag.required ? "Required" : undefined]
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
                Flag.withMetavar(row.file !== undefined ? "file|-" : row.moment !== undefined ? "moment" : "text")
              )
  const described = Flag.withDescription(typed, describe(row))
  // Required ones too: they may come with --input, so that is judged when both are known.
  return row.many ? Flag.atLeast(described, 0) : Flag.optional(described)
}

const told = (value: unknown): unknown => {
  if (Option.isOption(value)) return Option.getOrUndefined(value)
  return Array.isArray(value) && value.length === 0 ? undefined : value
}

const inputHelp = (operation: OperationRow): string => {
  const only = (operation.json ?? []).map((row) => `${row.member}${row.required ? " (required)" : ""}`)
  return `The body as JSON; flags add to it${only.length === 0 ? "" : `, and only here: ${only.join(", ")}`}`
}

const timeout = (seconds: number) =>
  Flag.Int("timeout").pipe(
    Flag.withMetavar("seconds"),
    Flag.withDescription(`How long to wait; ${seconds} unless told`),
    Flag.withDefault(seconds)
  )

const extras = (operation: OperationRow, override: Override): Parameters => ({
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
          Flag.withDescription("The file, which appears when it is whole and genuine; else into a pipe"),
          Flag.optional
        )
      }
    : {}),
  ...(operation.pageMax === undefined
    ? {}
    : {
        limit: Flag.Int("limit").pipe(
          Flag.withMetavar("count"),
          Flag.withDescription("At most so many rows, over as many pages as it takes; one page unless told"),
          Flag.optional
        ),
        all: toggle("all", "Every row, page after page")
      }),
  ...(override.follow
    ? { follow: toggle("follow", "The last rows, and each that comes, until interrupted").pipe(Flag.withAlias("f")) }
    : {}),
  ...(override.progress === "sync" ? { watch: toggle("watch", "See the sync through, and fail if it fails") } : {}),
  ...(override.progress === "worker"
    ? { watch: toggle("wait", "See a cloud worker through, and fail if it does") }
    : {}),
  ...(override.progress === "apply" ? { noWait: toggle("no-wait", "Do not see the import through") } : {}),
  ...(override.progress === undefined ? {} : { timeout: timeout(600) })
})

const operationCommand = (operation: OperationRow, choose: Choose): Branch => {
  const override = overrides[operation.id] ?? {}
  const config: Parameters = extras(operation, override)
  for (const id of operation.ids) {
    const argument = Argument.String(id.name)
    config[`id:${id.name}`] = id.help === undefined ? argument : Argument.withDescription(argument, id.help)
  }
  for (const { help, name } of operation.arguments ?? []) {
    // It may come with --input, too.
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
          const value = told(parsed[`flag:${flag.name}`]) as FlagValue | undefined
          if (value !== undefined) values[flag.name] = value
        }
        choose(globals, {
          kind: "operation",
          operation,
          ids: operation.ids.map((id) => String(parsed[`id:${id.name}`])),
          args: (operation.arguments ?? []).flatMap(({ name }) => {
            const value = told(parsed[`arg:${name}`])
            return typeof value === "string" ? [value] : []
          }),
          values,
          file: told(parsed["file"]) as string | undefined,
          input: told(parsed["input"]) as string | undefined,
          limit: told(parsed["limit"]) as number | undefined,
          all: parsed["all"] === true,
          follow: parsed["follow"] === true,
          watch: parsed["watch"] === true,
          noWait: parsed["noWait"] === true,
          to: told(parsed["to"]) as string | undefined,
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
  return (override.alias === undefined ? command : Command.withAlias(command, override.alias)) as Branch
}

/** A command with the words that lead to it, below the first. */
interface Leaf {
  readonly words: ReadonlyArray<string>
  readonly command: () => Branch
}

const leavesOf = (group: GroupRow, choose: Choose): ReadonlyArray<Leaf> => {
  const above = group.name.split(" ").slice(1)
  return [
    ...further(group.id, group.operations, choose).map((command) => ({
      words: [...above, command.name],
      command: () => command
    })),
    ...group.operations
      .filter(({ id }) => !replaced.has(id))
      .map((operation) => ({
        words: [...above, ...operation.name.split(" ")],
        command: () => operationCommand(operation, choose)
      }))
  ]
}

/** `scim tokens rotate` is `rotate` below `tokens` below `scim`. */
const nested = (path: string, leaves: ReadonlyArray<Leaf>, table: CommandTable): ReadonlyArray<Branch> =>
  [...Map.groupBy(leaves, ({ words }) => words[0] ?? "")].map(([word, below]) => {
    const [only] = below
    if (only !== undefined && below.length === 1 && only.words.length === 1) return only.command()
    const here = `${path} ${word}`
    const deeper = below.map(({ command, words }) => ({ words: words.slice(1), command }))
    return Command.make(word).pipe(
      Command.withDescription(table.find(({ name }) => name === here)?.summary ?? branches[here] ?? ""),
      Command.withSubcommands([...nested(here, deeper, table)])
    ) as Branch
  })

const groupCommand = (name: string, groups: ReadonlyArray<GroupRow>, build: boolean, choose: Choose): Branch => {
  const operations = groups.flatMap((group) => group.operations)
  const examples = operations.flatMap((operation) => overrides[operation.id]?.examples?.slice(0, 1) ?? [])
  const command = Command.make(name).pipe(
    Command.withDescription(groups.find((group) => group.name === name)?.summary ?? branches[name] ?? ""),
    Command.withExamples(examples.slice(0, 3))
  )
  if (!build) return command as Branch
  const leaves = groups.flatMap((group) => leavesOf(group, choose))
  return command.pipe(Command.withSubcommands([...nested(name, leaves, groups)])) as Branch
}

const optionalName = Argument.String("name").pipe(Argument.withDescription("A name of your choice"), Argument.optional)
const profileName = Argument.String("name").pipe(Argument.withDescription("The profile"))

const repeated = (name: string, alias: string, metavar: string, help: string) =>
  Flag.String(name).pipe(Flag.withAlias(alias), Flag.withMetavar(metavar), Flag.withDescription(help), Flag.atLeast(0))

/** `orgplane metrics`: the first thing an administrator looks at has a name of its own. */
const metricsCommand = (table: CommandTable, choose: Choose): ReadonlyArray<Branch> => {
  const operation = table.flatMap(({ operations }) => operations).find(({ id }) => id === "admin.metrics")
  return operation === undefined ? [] : [operationCommand(operation, choose)]
}

const own = (choose: Choose): ReadonlyArray<Branch> => {
  const choosing = (chosen: Chosen) => Effect.map(globals, (globals) => choose(globals, chosen))
  const login = Command.make(
    "login",
    {
      name: optionalName,
      email: Flag.String("email").pipe(
        Flag.withMetavar("address"),
        Flag.withDescription("Sign in with a code that is mailed to this address; a script gives it on standard input"),
        Flag.optional
      ),
      challenge: Flag.String("challenge").pipe(
        Flag.withMetavar("id"),
        Flag.withDescription("Sign in with a code that was mailed already; the letter's link names the challenge"),
        Flag.optional
      ),
      sso: toggle(
        "sso",
        "Sign in by the identity provider of the organization that --organization names, or whose domain --email is in"
      ),
      ...browserFlags
    },
    ({ challenge, email, name, noBrowser, paste, sso }) =>
      choosing({
        kind: "login",
        name: Option.getOrUndefined(name),
        email: Option.getOrUndefined(email),
        challenge: Option.getOrUndefined(challenge),
        sso,
        browser: !noBrowser,
        paste
      })
  ).pipe(
    Command.withDescription("Signs in to a server and remembers it as a profile."),
    Command.withExamples([
      {
        command: "orgplane login --base-url https://orgplane.example",
        description: "Asks for an address and the code that is mailed to it, or for a token, unseen"
      },
      {
        command: "orgplane login --base-url https://orgplane.example --email ada@acme.example",
        description: "By a mailed code"
      },
      {
        command: "orgplane login --base-url https://orgplane.example --sso --email ada@acme.example",
        description: "By your organization's identity provider, in the browser that opens"
      },
      {
        command: "orgplane login work --base-url https://orgplane.example --token-stdin < token.txt",
        description: "As the profile 'work', in a script"
      }
    ])
  )
  const logout = Command.make("logout", {}, () => choosing({ kind: "logout" })).pipe(
    Command.withDescription("Ends the session of the profile at its server, and forgets the profile.")
  )
  const profiles = Command.make("profiles").pipe(
    Command.withDescription("Servers this machine is signed in to."),
    Command.withSubcommands([
      Command.make("list", {}, () => choosing({ kind: "profiles", verb: "list", name: "" })).pipe(
        Command.withDescription("Lists the profiles; the one in use is marked.")
      ),
      Command.make("use", { name: profileName }, ({ name }) => choosing({ kind: "profiles", verb: "use", name })).pipe(
        Command.withDescription("Makes a profile the one in use.")
      ),
      Command.make("remove", { name: profileName }, ({ name }) =>
        choosing({ kind: "profiles", verb: "remove", name })
      ).pipe(Command.withDescription("Forgets a profile on this machine; its session stays until it expires."))
    ])
  )
  const api = Command.make(
    "api",
    {
      method: Argument.String("method").pipe(Argument.withDescription("GET, POST, PUT, PATCH or DELETE")),
      path: Argument.String("path").pipe(Argument.withDescription("Begins with /; no other host gets the credential")),
      fields: repeated(
        "field",
        "f",
        "key=value",
        "A member of the query (GET, DELETE) or of the body; may be repeated"
      ),
      headers: repeated("header", "H", "name: value", "A header; may be repeated"),
      input: Flag.String("input").pipe(
        Flag.withMetavar("file|-"),
        Flag.withDescription("The body, sent as it is"),
        Flag.optional
      )
    },
    ({ fields, headers, input, method, path }) =>
      choosing({ kind: "api", method, path, fields, headers, input: Option.getOrUndefined(input) })
  ).pipe(
    Command.withDescription("Sends one request as it is, with the credential of the profile."),
    Command.withExamples([
      { command: "orgplane api GET /v1/connector-instances -f limit=5", description: "A query" },
      { command: "orgplane api POST /v1/plugins -f name=Reviews", description: "A small body" },
      { command: "orgplane api POST /v1/config-objects --input object.json", description: "A body from a file" }
    ])
  )
  const completions = Command.make(
    "completions",
    { shell: Argument.Literals("shell", shells).pipe(Argument.withDescription("bash, zsh or fish")) },
    ({ shell }) => choosing({ kind: "completions", shell })
  ).pipe(
    Command.withDescription("Prints a completion script."),
    Command.withExamples([
      { command: "source <(orgplane completions bash)", description: "In ~/.bashrc" },
      { command: "orgplane completions zsh > ~/.zfunc/_orgplane", description: "In a folder of fpath" },
      { command: "orgplane completions fish > ~/.config/fish/completions/orgplane.fish", description: "For fish" }
    ])
  )
  return [login, logout, profiles, api, completions] as ReadonlyArray<unknown> as ReadonlyArray<Branch>
}

/** The first word that is a command: the group whose commands are worth building. */
export const firstWord = (argv: ReadonlyArray<string>): string | undefined => {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? ""
    if (!word.startsWith("-")) return word
    if (valueGlobals.has(word)) index++
  }
  return undefined
}

/** The whole tree; only `group` has its commands, or every group for `"*"`. */
export const commandTree = (table: CommandTable, group: string | undefined, choose: Choose): Tree => {
  const [first, ...rest] = [...Map.groupBy(table, ({ name }) => name.split(" ")[0] ?? "")].map(([name, groups]) =>
    groupCommand(name, groups, group === "*" || group === name, choose)
  )
  const groups =
    first === undefined
      ? []
      : [{ group: "CONTROL PLANE", commands: [first, ...rest, ...metricsCommand(table, choose)] as const }]
  const [login, ...others] = own(choose)
  const mine = login === undefined ? [] : [{ group: "THIS MACHINE", commands: [login, ...others] as const }]
  return Command.make("orgplane").pipe(
    Command.withDescription(
      "The admin program of an organization's control plane: connectors, plugins, marketplaces and who may use them."
    ),
    Command.withSubcommands([...groups, ...mine]),
    Command.withGlobalFlags(settings),
    Command.withExamples([
      { command: "orgplane login --base-url https://orgplane.example", description: "First of all" },
      { command: "orgplane connectors list", description: "What the organization imports from" },
      { command: "orgplane plugins list -o json | jq -r '.items[].name'", description: "For a script" }
    ])
  ) as unknown as Tree
}
