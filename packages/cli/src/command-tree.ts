/** Builds the effect/cli commands from the generated table. Only the group on the command line gets its subcommands. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { valueGlobals } from "./global-names.ts"
import { globals, type Globals, settings } from "./globals.ts"
import {
  browserFlags,
  type CallInvocation,
  type ConformanceInvocation,
  type ConnectInvocation,
  extraCommands,
  type InviteInvocation,
  linesFile,
  replacedOperations,
  type SsoTestInvocation,
  type TailInvocation,
  toggle
} from "./further.ts"
import { branches, type Override, overrides } from "./overrides.ts"
import type { CommandTable, FlagRow, GroupRow, OperationRow } from "./table.ts"

export type FlagValue = string | number | boolean | ReadonlyArray<string | number>

/** A parsed command line. */
export type Invocation =
  | {
      readonly kind: "operation"
      readonly operation: OperationRow
      readonly ids: ReadonlyArray<string>
      /** Positional arguments after the IDs, for the body. */
      readonly args: ReadonlyArray<string>
      /** By flag name. Flags that are not on the command line are absent. */
      readonly values: Readonly<Record<string, FlagValue>>
      readonly input: string | undefined
      /** File with the lines of a batch, or `-`. */
      readonly file: string | undefined
      readonly limit: number | undefined
      readonly all: boolean
      readonly follow?: boolean
      readonly watch: boolean
      readonly noWait: boolean
      /** File to write an archive to. */
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
  | CallInvocation
  | ConformanceInvocation
  | SsoTestInvocation
  | ConnectInvocation
  | InviteInvocation
  | TailInvocation
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

export type OnInvocation = (globals: Globals, invocation: Invocation) => void

/** The root command. Its handlers only report the parsed command line. */
export type Tree = Command.Command<"orgplane", unknown, object>
export type Branch = Command.Command<string, unknown, object>
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
                Flag.withMetavar(row.file !== undefined ? "file|-" : row.moment !== undefined ? "moment" : "text")
              )
  const described = Flag.withDescription(typed, describe(row))
  // Required flags too: --input may provide them, which is checked when both have been read.
  return row.many ? Flag.atLeast(described, 0) : Flag.optional(described)
}

const optionalValue = (value: unknown): unknown => {
  if (Option.isOption(value)) return Option.getOrUndefined(value)
  return Array.isArray(value) && value.length === 0 ? undefined : value
}

const inputHelp = (operation: OperationRow): string => {
  const jsonMembers = (operation.json ?? []).map((row) => `${row.member}${row.required ? " (required)" : ""}`)
  return `File with the request body as JSON. Flags override its members${jsonMembers.length === 0 ? "" : `. Only settable here: ${jsonMembers.join(", ")}`}`
}

const timeout = (seconds: number) =>
  Flag.Int("timeout").pipe(
    Flag.withMetavar("seconds"),
    Flag.withDescription(`How long to wait. Default: ${seconds}`),
    Flag.withDefault(seconds)
  )

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
            "File to write after the archive has been verified. Required on a terminal; otherwise stdout is the default"
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
  ...(override.progress === "sync" ? { watch: toggle("watch", "Wait until the sync ends, and fail if it fails") } : {}),
  ...(override.progress === "worker"
    ? { watch: toggle("wait", "Wait until a cloud worker is healthy, and fail if it fails") }
    : {}),
  ...(override.progress === "apply" ? { noWait: toggle("no-wait", "Do not wait until the import ends") } : {}),
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
    // --input may provide it.
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
          watch: parsed["watch"] === true,
          noWait: parsed["noWait"] === true,
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
  return (override.alias === undefined ? command : Command.withAlias(command, override.alias)) as Branch
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

const optionalName = Argument.String("name").pipe(
  Argument.withDescription("Profile name. Default: default"),
  Argument.optional
)
const profileName = Argument.String("name").pipe(Argument.withDescription("Profile name"))

const repeated = (name: string, alias: string, metavar: string, help: string) =>
  Flag.String(name).pipe(Flag.withAlias(alias), Flag.withMetavar(metavar), Flag.withDescription(help), Flag.atLeast(0))

/** `orgplane metrics`, a top-level shortcut for `orgplane admin metrics`. */
const metricsCommand = (table: CommandTable, onInvocation: OnInvocation): ReadonlyArray<Branch> => {
  const operation = table.flatMap(({ operations }) => operations).find(({ id }) => id === "admin.metrics")
  return operation === undefined ? [] : [operationCommand(operation, onInvocation)]
}

const generalCommands = (onInvocation: OnInvocation): ReadonlyArray<Branch> => {
  const invoking = (invocation: Invocation) => Effect.map(globals, (globals) => onInvocation(globals, invocation))
  const login = Command.make(
    "login",
    {
      name: optionalName,
      email: Flag.String("email").pipe(
        Flag.withMetavar("address"),
        Flag.withDescription("Sign in with a code sent to this email address. Scripts pass the code on stdin"),
        Flag.optional
      ),
      challenge: Flag.String("challenge").pipe(
        Flag.withMetavar("id"),
        Flag.withDescription(
          "Sign in with a code that was already sent. The link in the email contains the challenge ID"
        ),
        Flag.optional
      ),
      sso: toggle(
        "sso",
        "Sign in with the identity provider of --organization, or of the organization that owns the domain of --email"
      ),
      ...browserFlags
    },
    ({ challenge, email, name, noBrowser, paste, sso }) =>
      invoking({
        kind: "login",
        name: Option.getOrUndefined(name),
        email: Option.getOrUndefined(email),
        challenge: Option.getOrUndefined(challenge),
        sso,
        browser: !noBrowser,
        paste
      })
  ).pipe(
    Command.withDescription("Sign in to a server and save it as a profile."),
    Command.withExamples([
      {
        command: "orgplane login --base-url https://orgplane.example",
        description: "Prompts for an email address and the code sent to it, or for a token"
      },
      {
        command: "orgplane login --base-url https://orgplane.example --email ada@acme.example",
        description: "Sign in with an email code"
      },
      {
        command: "orgplane login --base-url https://orgplane.example --sso --email ada@acme.example",
        description: "Sign in with your organization's identity provider in a browser"
      },
      {
        command: "orgplane login work --base-url https://orgplane.example --token-stdin < token.txt",
        description: "Sign in from a script and save the profile 'work'"
      }
    ])
  )
  const logout = Command.make("logout", {}, () => invoking({ kind: "logout" })).pipe(
    Command.withDescription("Revoke the profile's session on the server and delete the profile.")
  )
  const profiles = Command.make("profiles").pipe(
    Command.withDescription("Manage the servers you are signed in to."),
    Command.withSubcommands([
      Command.make("list", {}, () => invoking({ kind: "profiles", verb: "list", name: "" })).pipe(
        Command.withDescription("List profiles and mark the current one.")
      ),
      Command.make("use", { name: profileName }, ({ name }) => invoking({ kind: "profiles", verb: "use", name })).pipe(
        Command.withDescription("Switch to a profile.")
      ),
      Command.make("remove", { name: profileName }, ({ name }) =>
        invoking({ kind: "profiles", verb: "remove", name })
      ).pipe(Command.withDescription("Delete a profile from this machine. Its session stays valid until it expires."))
    ])
  )
  const api = Command.make(
    "api",
    {
      method: Argument.String("method").pipe(Argument.withDescription("GET, HEAD, POST, PUT, PATCH or DELETE")),
      path: Argument.String("path").pipe(Argument.withDescription("Path on the configured server, starting with /")),
      fields: repeated(
        "field",
        "f",
        "key=value",
        "Query parameter (GET, HEAD, DELETE, or with --input) or body member. Repeatable"
      ),
      headers: repeated("header", "H", "name: value", "Request header. Repeatable"),
      input: Flag.String("input").pipe(
        Flag.withMetavar("file|-"),
        Flag.withDescription("File with the request body, sent unchanged"),
        Flag.optional
      )
    },
    ({ fields, headers, input, method, path }) =>
      invoking({ kind: "api", method, path, fields, headers, input: Option.getOrUndefined(input) })
  ).pipe(
    Command.withDescription("Send one raw request with the profile's credential."),
    Command.withExamples([
      { command: "orgplane api GET /v1/connector-instances -f limit=5", description: "Pass a query parameter" },
      { command: "orgplane api POST /v1/plugins -f name=Reviews", description: "Send a JSON body" },
      { command: "orgplane api POST /v1/config-objects --input object.json", description: "Send a body from a file" }
    ])
  )
  const completions = Command.make(
    "completions",
    { shell: Argument.Literals("shell", shells).pipe(Argument.withDescription("bash, zsh or fish")) },
    ({ shell }) => invoking({ kind: "completions", shell })
  ).pipe(
    Command.withDescription("Print a shell completion script."),
    Command.withExamples([
      { command: "source <(orgplane completions bash)", description: "Add to ~/.bashrc" },
      { command: "orgplane completions zsh > ~/.zfunc/_orgplane", description: "Write to a directory in fpath" },
      {
        command: "orgplane completions fish > ~/.config/fish/completions/orgplane.fish",
        description: "Install for fish"
      }
    ])
  )
  return [login, logout, profiles, api, completions] as ReadonlyArray<unknown> as ReadonlyArray<Branch>
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
  const [first, ...rest] = [...Map.groupBy(table, ({ name }) => name.split(" ")[0] ?? "")].map(([name, groups]) =>
    groupCommand(name, groups, group === "*" || group === name, onInvocation)
  )
  const groups =
    first === undefined
      ? []
      : [{ group: "CONTROL PLANE", commands: [first, ...rest, ...metricsCommand(table, onInvocation)] as const }]
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
