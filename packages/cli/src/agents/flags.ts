/** `orgplane agents`, with its subcommands and flags. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Branch, text, toggle } from "../flags.ts"
import { globals } from "../global-flags.ts"
import type { AgentsInvocation, OnInvocation } from "../invocation.ts"
import { formatNames } from "./paths.ts"

const common = {
  format: Flag.Literals("format", formatNames).pipe(
    Flag.withDescription(
      "claude-code: settings of Claude Code. json: a document for other agents. Default: claude-code"
    ),
    Flag.withDefault("claude-code" as const)
  ),
  scope: Flag.Literals("scope", ["auto", "managed", "user"]).pipe(
    Flag.withDescription(
      "managed: settings that apply to all users of the machine. user: your own settings. Default: auto, which is managed if you can write there"
    ),
    Flag.withDefault("auto" as const)
  ),
  settingsDir: text("settings-dir", "directory", "Directory of the agent's settings. Default: depends on the scope"),
  dataDir: text("data-dir", "directory", "Directory for plugins and state. Default: depends on the scope")
}

const changing = {
  dryRun: toggle("dry-run", "Print the plan without changing anything"),
  noReport: toggle("no-report", "Do not report the installed plugins to the server. Env: ORGPLANE_NO_REPORT")
}

interface Flags {
  readonly format: AgentsInvocation["format"]
  readonly scope: AgentsInvocation["scope"]
  readonly settingsDir: Option.Option<string>
  readonly dataDir: Option.Option<string>
  readonly dryRun?: boolean
  readonly noReport?: boolean
}

export const agentsCommand = (onInvocation: OnInvocation) => {
  const invoking = (
    verb: AgentsInvocation["verb"],
    { dataDir, dryRun = false, format, noReport = false, scope, settingsDir }: Flags
  ) =>
    Effect.map(globals, (globals) =>
      onInvocation(globals, {
        kind: "agents",
        verb,
        format,
        scope,
        settingsDirectory: Option.getOrUndefined(settingsDir),
        dataDirectory: Option.getOrUndefined(dataDir),
        dryRun,
        noReport
      })
    )
  const sync = Command.make("sync", { ...common, ...changing }, (flags) => invoking("sync", flags)).pipe(
    Command.withDescription(
      "Install the plugins and settings that your organization assigns to you.\n  Verifies the signature of the desired state and the digest of each plugin, and then switches in one step. Without a connection, the last state is used until it expires. Other plugins and settings are not changed, unless your organization blocks them.\n  Reports to the server which plugins are installed, and which could not be installed.\n  Run it regularly, for example every hour."
    ),
    Command.withShortDescription("Install the plugins and settings that your organization assigns to you."),
    Command.withExamples([
      { command: "orgplane agents sync --dry-run", description: "Show the plan" },
      { command: "orgplane agents sync --scope user", description: "Change only your own settings" },
      {
        command: "orgplane agents sync --format json --settings-dir ./agents",
        description: "Write a document for other agents"
      }
    ])
  )
  const status = Command.make("status", common, (flags) => invoking("status", flags)).pipe(
    Command.withDescription(
      "Show what was synced, and what has changed since.\n  Reads only this machine. The exit code is 1 if something was changed or the state has expired, and 3 if nothing was synced."
    ),
    Command.withShortDescription("Show what was synced, and what has changed since."),
    Command.withExamples([{ command: "orgplane agents status --json drift", description: "Use it in a script" }])
  )
  const remove = Command.make("remove", { ...common, ...changing }, (flags) => invoking("remove", flags)).pipe(
    Command.withAlias("rm"),
    Command.withDescription(
      "Remove the plugins and settings that were synced.\n  Restores the values that were replaced. Works without a connection and without signing in."
    ),
    Command.withShortDescription("Remove the plugins and settings that were synced."),
    Command.withExamples([{ command: "orgplane agents remove", description: "Remove everything that was synced" }])
  )
  return Command.make("agents").pipe(
    Command.withDescription("Set up the AI agents on this machine as your organization requires."),
    Command.withSubcommands([sync, status, remove])
  ) as Branch
}
