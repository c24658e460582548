/** Commands that do not belong to an API group, such as `login`, `auth`, `config`, `api` and `completions`. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { agentsCommand } from "./agents/flags.ts"
import { type Branch, browserFlags, toggle } from "./flags.ts"
import { globals } from "./global-flags.ts"
import { configSettings } from "./config-file.ts"
import {
  type AliasInvocation,
  type ConfigInvocation,
  type Invocation,
  type OnInvocation,
  shells
} from "./invocation.ts"

const optionalName = Argument.String("name").pipe(
  Argument.withDescription("Profile name. Default: default"),
  Argument.optional
)
const profileName = Argument.String("name").pipe(Argument.withDescription("Profile name"))

const repeated = (name: string, alias: string, metavar: string, help: string) =>
  Flag.String(name).pipe(Flag.withAlias(alias), Flag.withMetavar(metavar), Flag.withDescription(help), Flag.atLeast(0))

export const generalCommands = (onInvocation: OnInvocation): ReadonlyArray<Branch> => {
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
        "Query parameter (GET, HEAD, DELETE, or with --input) or body field. Repeatable"
      ),
      headers: repeated("header", "H", "name: value", "Request header. Repeatable"),
      input: Flag.String("input").pipe(
        Flag.withMetavar("file|-"),
        Flag.withDescription("File with the request body, sent unchanged"),
        Flag.optional
      ),
      include: toggle("include", "Print the response status and headers").pipe(Flag.withAlias("i")),
      paginate: toggle("paginate", "Request every page of a list, and print one JSON document per page")
    },
    ({ fields, headers, include, input, method, paginate, path }) =>
      invoking({
        kind: "api",
        method,
        path,
        fields,
        headers,
        input: Option.getOrUndefined(input),
        include,
        paginate
      })
  ).pipe(
    Command.withDescription("Send one raw request with the profile's credential."),
    Command.withExamples([
      { command: "orgplane api GET /v1/connector-instances -f limit=5", description: "Pass a query parameter" },
      {
        command: "orgplane api GET /v1/plugins --paginate | jq -r '.items[].id'",
        description: "Get every page of a list"
      },
      { command: "orgplane api POST /v1/plugins -f name=Reviews", description: "Send a JSON body" },
      { command: "orgplane api POST /v1/config-objects --input object.json", description: "Send a body from a file" }
    ])
  )
  const top = Command.make(
    "top",
    {
      interval: Flag.Int("interval").pipe(
        Flag.withAlias("n"),
        Flag.withMetavar("seconds"),
        Flag.withDescription("Interval between readings, in seconds. Default: 2"),
        Flag.withDefault(2)
      ),
      once: toggle("once", "Print the state once, with the rates of one interval, and exit"),
      metricsTokenFile: Flag.String("metrics-token-file").pipe(
        Flag.withMetavar("file|-"),
        Flag.withDescription("File with the token of the server's metrics. Env: ORGPLANE_METRICS_TOKEN"),
        Flag.optional
      )
    },
    ({ interval, metricsTokenFile, once }) =>
      invoking({
        kind: "top",
        intervalSeconds: interval,
        once,
        metricsTokenFile: Option.getOrUndefined(metricsTokenFile)
      })
  ).pipe(
    Command.withDescription(
      "Show the load and the state of a server.\n  On a terminal, the view is refreshed until you press q. In a pipe, the state is printed once per interval. ORGPLANE_METRICS_TOKEN must be set on the server."
    ),
    Command.withShortDescription("Show the load and the state of a server."),
    Command.withExamples([
      { command: "orgplane top --base-url http://10.0.0.5:8787", description: "Watch one process" },
      { command: "orgplane top --once --jq .requests.errorsPerSecond", description: "Use a number in a script" }
    ])
  )
  const completions = Command.make(
    "completions",
    { shell: Argument.Literals("shell", shells).pipe(Argument.withDescription("bash, zsh, fish or powershell")) },
    ({ shell }) => invoking({ kind: "completions", shell })
  ).pipe(
    Command.withDescription("Print a shell completion script."),
    Command.withExamples([
      { command: "source <(orgplane completions bash)", description: "Add to ~/.bashrc" },
      { command: "orgplane completions zsh > ~/.zfunc/_orgplane", description: "Write to a directory in fpath" },
      {
        command: "orgplane completions fish > ~/.config/fish/completions/orgplane.fish",
        description: "Install for fish"
      },
      {
        command: "orgplane completions powershell | Out-String | Invoke-Expression",
        description: "Add to the PowerShell profile"
      }
    ])
  )
  const status = { kind: "authStatus" } as const
  const statusHelp = "Show the server, credential, organization and role that commands use."
  const auth = Command.make("auth").pipe(
    Command.withDescription("Sign in, and show who is signed in."),
    Command.withSubcommands([
      Command.make("status", {}, () => invoking(status)).pipe(
        Command.withDescription(
          `${statusHelp}\n  The exit code is 4 if there is no credential or the server rejects it.`
        ),
        Command.withShortDescription(statusHelp),
        Command.withExamples([
          { command: "orgplane auth status", description: "Show who is signed in" },
          { command: "orgplane auth status --json organization,role", description: "Use it in a script" }
        ])
      ),
      login,
      logout
    ])
  )
  const whoami = Command.make("whoami", {}, () => invoking(status)).pipe(
    Command.withDescription("Show who is signed in. The same as 'orgplane auth status'.")
  )
  const settingArgument = Argument.String("name").pipe(
    Argument.withDescription(`The setting: ${Object.keys(configSettings).join(" or ")}`)
  )
  const configuring = (verb: ConfigInvocation["verb"], name = "", value = "") =>
    invoking({ kind: "config", verb, name, value })
  const config = Command.make("config").pipe(
    Command.withDescription("Manage the settings of the orgplane command."),
    Command.withSubcommands([
      Command.make("list", {}, () => configuring("list")).pipe(
        Command.withDescription("List the settings and their values.")
      ),
      Command.make("get", { name: settingArgument }, ({ name }) => configuring("get", name)).pipe(
        Command.withDescription("Print the value of a setting.")
      ),
      Command.make(
        "set",
        { name: settingArgument, value: Argument.String("value").pipe(Argument.withDescription("The new value")) },
        ({ name, value }) => configuring("set", name, value)
      ).pipe(
        Command.withDescription("Change a setting. Flags and environment variables take precedence."),
        Command.withExamples([{ command: "orgplane config set output json", description: "Print JSON by default" }])
      ),
      Command.make("unset", { name: settingArgument }, ({ name }) => configuring("unset", name)).pipe(
        Command.withDescription("Reset a setting to its default.")
      )
    ])
  )
  const aliasArgument = Argument.String("alias").pipe(Argument.withDescription("Name of the alias"))
  const aliasing = (verb: AliasInvocation["verb"], name = "", expansion = "") =>
    invoking({ kind: "alias", verb, name, expansion })
  const alias = Command.make("alias").pipe(
    Command.withDescription("Manage short names for commands."),
    Command.withSubcommands([
      Command.make("list", {}, () => aliasing("list")).pipe(Command.withDescription("List aliases.")),
      Command.make(
        "set",
        {
          name: aliasArgument,
          expansion: Argument.String("command").pipe(
            Argument.withDescription(
              "The command without 'orgplane'. $1 to $9 are replaced by the arguments after the alias"
            )
          )
        },
        ({ expansion, name }) => aliasing("set", name, expansion)
      ).pipe(
        Command.withDescription("Create or replace an alias."),
        Command.withExamples([
          {
            command: "orgplane alias set pl 'plugins list --json id,name'",
            description: "List plugins with 'orgplane pl'"
          }
        ])
      ),
      Command.make("remove", { name: aliasArgument }, ({ name }) => aliasing("remove", name)).pipe(
        Command.withDescription("Remove an alias.")
      )
    ])
  )
  const version = Command.make("version", {}, () => invoking({ kind: "version" })).pipe(
    Command.withDescription("Print the version of the orgplane command."),
    Command.withExamples([{ command: "orgplane version -o json", description: "Print it as JSON, for a script" }])
  )
  const agents = agentsCommand(onInvocation)
  const general = [login, logout, auth, whoami, profiles, agents, config, alias, api, top, completions, version]
  return general as ReadonlyArray<unknown> as ReadonlyArray<Branch>
}
