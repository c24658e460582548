/** Commands of API groups that are not derived from a single operation. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { configurationCommands } from "./configuration/flags.ts"
import { listenEvents } from "./events-listen-command.ts"
import { verifyEvents } from "./events-verify-command.ts"
import { type Branch, browserFlags, linesFile, text, toggle } from "./flags.ts"
import type { OnInvocation } from "./invocation.ts"
import { globals } from "./global-flags.ts"
import type { OperationRow } from "./command-table.ts"

const invite = (onInvocation: OnInvocation): Branch =>
  Command.make(
    "invite",
    {
      emails: Argument.String("email").pipe(
        Argument.withDescription("Email address to invite. Repeatable"),
        Argument.atLeast(0)
      ),
      role: text("role", "role", "owner, admin, member, or the ID or name of a role. Default: member"),
      teamIds: Flag.String("team-id").pipe(
        Flag.withMetavar("team"),
        Flag.withDescription("ID or name of a team that the member joins on acceptance. Repeatable"),
        Flag.atLeast(0)
      ),
      link: toggle(
        "link",
        "Print the invitation link instead of sending an email. Requires the permission invitations:link"
      ),
      file: linesFile
    },
    ({ emails, file, link, role, teamIds }) =>
      Effect.map(globals, (globals) =>
        onInvocation(globals, {
          kind: "invite",
          emails,
          role: Option.getOrUndefined(role),
          teamIds,
          link,
          file: Option.getOrUndefined(file)
        })
      )
  ).pipe(
    Command.withDescription(
      "Invite people by email.\n  With several invitations, prints one result per invitation. A file contains lines of `email,role`, or JSON objects with email, role and teamIds. A failed line does not stop the others, but the command then exits with 1."
    ),
    Command.withShortDescription("Invite people by email."),
    Command.withExamples([
      { command: "orgplane members invite ada@acme.example --role admin", description: "Send an invitation email" },
      { command: "orgplane members invite --file invitees.csv", description: "Invite everyone in a file" }
    ])
  ) as Branch

/** Flags of the commands that print the latest events and follow new ones. */
const tailFlags = {
  follow: toggle("follow", "Print new events as they happen, until interrupted").pipe(Flag.withAlias("f")),
  count: Flag.Int("limit").pipe(
    Flag.withMetavar("count"),
    Flag.withDescription("How many existing events to print first, 0 to 100. Default: 10"),
    Flag.withDefault(10)
  )
}

/** The flags that have a value. */
const givenOf = (flags: Readonly<Record<string, Option.Option<string>>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  )

const tail = (onInvocation: OnInvocation): Branch =>
  Command.make(
    "tail",
    {
      ...tailFlags,
      after: text("after", "id", "Print all events after this event ID, in sequence order"),
      action: text("action", "action", "Only this action, such as api_key.create"),
      member: text("member", "member", "Only actions by this member: ID or email address"),
      actorId: text("actor-id", "id", "Only actions by this member, API key or user"),
      targetId: text("target-id", "id", "Only actions on this object")
    },
    ({ action, actorId, after, count, follow, member, targetId }) =>
      Effect.map(globals, (globals) =>
        onInvocation(globals, {
          kind: "tail",
          follow,
          count,
          after: Option.getOrUndefined(after),
          member: Option.getOrUndefined(member),
          filters: givenOf({ action, actorId, targetId })
        })
      )
  ).pipe(
    Command.withDescription("Show the latest audit events, oldest first. With --follow, keep printing new ones."),
    Command.withExamples([
      { command: "orgplane audit tail --follow", description: "Watch events as they happen" },
      { command: "orgplane audit tail -f --action api_key.create -o ndjson", description: "New API keys as JSON lines" }
    ])
  ) as Branch

const tailEvents = (onInvocation: OnInvocation): Branch =>
  Command.make(
    "tail",
    {
      ...tailFlags,
      after: Flag.optional(
        Flag.Int("after").pipe(
          Flag.withMetavar("sequence"),
          Flag.withDescription("Print all events after this sequence number instead")
        )
      ),
      types: text("types", "types", "Only these types, separated by commas: plugin.*,team.create"),
      actorId: text("actor-id", "id", "Only events of this member, API key or user"),
      objectId: text("object-id", "id", "Only events about this object")
    },
    ({ actorId, after, count, follow, objectId, types }) =>
      Effect.map(globals, (globals) =>
        onInvocation(globals, {
          kind: "tailEvents",
          follow,
          count,
          after: Option.getOrUndefined(after),
          filters: givenOf({ actorId, objectId, types })
        })
      )
  ).pipe(
    Command.withDescription("Show the latest events, oldest first. With --follow, keep printing new ones."),
    Command.withExamples([
      { command: "orgplane events tail --follow", description: "Watch events as they happen" },
      {
        command: "orgplane events tail -f --types 'plugin.*' -o ndjson",
        description: "Changes of plugins as JSON lines"
      }
    ])
  ) as Branch

const connect = (onInvocation: OnInvocation): Branch =>
  Command.make(
    "connect",
    {
      id: Argument.String("connection-id").pipe(Argument.withDescription("ID or name of the connection")),
      apiKeyFile: text(
        "api-key-file",
        "file|-",
        "File with the API key on one line, for connections with an API key. If omitted on a terminal, prompts for it"
      ),
      ...browserFlags
    },
    ({ apiKeyFile, id, noBrowser, paste }) =>
      Effect.map(globals, (globals) =>
        onInvocation(globals, {
          kind: "connect",
          group: "mcpConnections",
          id,
          browser: !noBrowser,
          paste,
          apiKeyFile: Option.getOrUndefined(apiKeyFile)
        })
      )
  ).pipe(
    Command.withDescription(
      "Connect an MCP server with OAuth in a browser, or with an API key.\n  Listens on 127.0.0.1 for up to ten minutes for the browser redirect. Depending on the connection, this sets the shared credential or your own."
    ),
    Command.withShortDescription("Connect with OAuth in a browser, or with an API key."),
    Command.withExamples([
      { command: "orgplane mcp-connections connect emc_…", description: "Sign in with the browser" },
      { command: "orgplane mcp-connections connect emc_… --paste", description: "Use a browser on another machine" },
      {
        command: "orgplane mcp-connections connect emc_… --api-key-file key.txt",
        description: "Set an API key in a script"
      }
    ])
  ) as Branch

const connectSuite = (onInvocation: OnInvocation): Branch =>
  Command.make(
    "connect",
    {
      id: Argument.Literals("suite", ["suite-a", "suite-b"]).pipe(
        Argument.withDescription("suite-a: mail, suite-b: calendar")
      ),
      ...browserFlags
    },
    ({ id, noBrowser, paste }) =>
      Effect.map(globals, (globals) =>
        onInvocation(globals, {
          kind: "connect",
          group: "capabilities",
          id,
          browser: !noBrowser,
          paste,
          apiKeyFile: undefined
        })
      )
  ).pipe(
    Command.withDescription("Connect your mail or calendar account in a browser."),
    Command.withExamples([{ command: "orgplane capabilities connect suite-a", description: "Connect your mail" }])
  ) as Branch

const ssoTest = (onInvocation: OnInvocation): Branch =>
  Command.make("test", browserFlags, ({ noBrowser, paste }) =>
    Effect.map(globals, (globals) => onInvocation(globals, { kind: "ssoTest", browser: !noBrowser, paste }))
  ).pipe(
    Command.withDescription(
      "Test the SSO connection with a sign-in at the identity provider.\n  Does not create a session. Fails with the reason if the sign-in fails."
    ),
    Command.withShortDescription("Test the SSO connection in a browser, without creating a session."),
    Command.withExamples([
      { command: "orgplane sso test", description: "Test with the browser" },
      { command: "orgplane sso test --paste", description: "Use a browser on another machine" }
    ])
  ) as Branch

/** Operations without a generated command: a command of the same name runs the whole flow. */
export const replacedOperations: ReadonlySet<string> = new Set([
  "sso.test",
  "approvals.approve",
  "approvals.reject",
  "configuration.export",
  "configuration.plan",
  "configuration.apply",
  "configuration.adopt",
  "configuration.schema"
])

const call = (onInvocation: OnInvocation): Branch =>
  Command.make(
    "call",
    {
      id: Argument.String("connection-id").pipe(Argument.withDescription("ID or name of the connection")),
      tool: Argument.String("tool").pipe(
        Argument.withDescription("Name of the tool, as listed by 'orgplane mcp-connections tools'")
      ),
      args: Flag.String("arg").pipe(
        Flag.withMetavar("name=text|name:=json"),
        Flag.withDescription("Argument of the tool: a string, or JSON with ':='. Repeatable"),
        Flag.atLeast(0)
      ),
      file: text("args", "file|-", "Arguments as a JSON object. --arg overrides fields in the object")
    },
    ({ args, file, id, tool }) =>
      Effect.map(globals, (globals) =>
        onInvocation(globals, { kind: "call", id, tool, args, file: Option.getOrUndefined(file) })
      )
  ).pipe(
    Command.withDescription(
      "Run one tool and show the HTTP exchange, for diagnosis. The exchange is not stored.\n  With --quiet, print only the tool's result. A failure shows the exchange, the layer that failed and what to do."
    ),
    Command.withShortDescription("Run one tool and show the HTTP exchange."),
    Command.withExamples([
      {
        command: "orgplane mcp-connections call emc_… search --arg query=login --arg limit:=5",
        description: "Pass a string and a number"
      },
      {
        command: "orgplane mcp-connections call emc_… search --args query.json -q",
        description: "Print only the result"
      }
    ])
  ) as Branch

const conformance = (onInvocation: OnInvocation): Branch =>
  Command.make(
    "conformance",
    {
      directory: text(
        "directory",
        "id",
        "ID or name of an existing directory to test, instead of a temporary one. Requires its token"
      ),
      url: text("url", "url", "Base URL of any SCIM service to test. Does not require signing in"),
      tokenFile: text(
        "token",
        "file|-",
        "File with the SCIM token on one line. If omitted on a terminal, prompts for it. Env: ORGPLANE_SCIM_TOKEN"
      ),
      providers: Flag.Literals("provider", ["okta", "entra", "google"]).pipe(
        Flag.withDescription("Only the requests of this provider. Repeatable"),
        Flag.atLeast(0)
      )
    },
    ({ directory, providers, tokenFile, url }) =>
      Effect.map(globals, (globals) =>
        onInvocation(globals, {
          kind: "conformance",
          directory: Option.getOrUndefined(directory),
          url: Option.getOrUndefined(url),
          tokenFile: Option.getOrUndefined(tokenFile),
          providers
        })
      )
  ).pipe(
    Command.withDescription(
      "Send the SCIM requests that Okta, Microsoft Entra ID and Google Workspace send, and report unexpected responses.\n  By default this uses a temporary directory and removes it at the end. Test users are named orgplane-conformance-…, with email addresses at scim-conformance.example. During the test, these users are members of the organization and appear in the audit log and the SCIM log.\n  In an existing directory, each run counts as five deactivations toward the hourly limit. In a second run within an hour, or together with other deactivations, they may be held for approval. Fails if a response is unexpected or if a test object could not be removed."
    ),
    Command.withShortDescription("Test a directory with the SCIM requests of the major identity providers."),
    Command.withExamples([
      { command: "orgplane scim conformance", description: "Use a temporary directory" },
      {
        command: "orgplane scim conformance --provider entra -o json > report.json",
        description: "One provider, with a JSON report"
      },
      {
        command: "orgplane scim conformance --url https://scim.example/v2 --token - < token.txt",
        description: "Test any SCIM service"
      }
    ])
  ) as Branch

/** The operation `desktopPolicies.effective`, with explanations. */
const explain = (operations: ReadonlyArray<OperationRow>, onInvocation: OnInvocation): ReadonlyArray<Branch> =>
  operations
    .filter(({ id }) => id === "desktopPolicies.effective")
    .map(
      (operation) =>
        Command.make(
          "explain",
          { id: Argument.String("member").pipe(Argument.withDescription("ID or email address of the member")) },
          ({ id }) =>
            Effect.map(globals, (globals) =>
              onInvocation(globals, {
                kind: "operation",
                operation,
                ids: [id],
                args: [],
                values: { explain: true },
                file: undefined,
                input: undefined,
                limit: undefined,
                all: false,
                wait: false,
                timeoutSeconds: 0
              })
            )
        ).pipe(
          Command.withDescription(
            "Show a member's effective settings, the policy and rule that set each one, and why other policies were overridden.\n  For your own settings: orgplane users desktop-policy --explain"
          ),
          Command.withShortDescription("Show a member's effective settings and the policy that sets each one."),
          Command.withExamples([
            { command: "orgplane desktop-policies explain om_…", description: "Explain a member's settings" }
          ])
        ) as Branch
    )

const watch = (onInvocation: OnInvocation): Branch =>
  Command.make(
    "watch",
    {
      plugin: text("plugin-id", "plugin", "Only this plugin: ID or name"),
      digest: text("digest", "sha256", "Only installations that should have this release"),
      team: text("team-id", "team", "Only members of this team: ID or name"),
      member: text("member", "member", "Only this member: ID or email address"),
      interval: Flag.Int("interval").pipe(
        Flag.withAlias("n"),
        Flag.withMetavar("seconds"),
        Flag.withDescription("Seconds between requests, 1 to 3600. Default: 5"),
        Flag.withDefault(5)
      ),
      untilDone: toggle("until-done", "Exit when nothing is behind or missing. Exits with 1 if installations failed")
    },
    ({ digest, interval, member, plugin, team, untilDone }) =>
      Effect.map(globals, (globals) =>
        onInvocation(globals, {
          kind: "watchDelivery",
          intervalSeconds: interval,
          untilDone,
          pluginId: Option.getOrUndefined(plugin),
          digest: Option.getOrUndefined(digest),
          teamId: Option.getOrUndefined(team),
          member: Option.getOrUndefined(member)
        })
      )
  ).pipe(
    Command.withDescription(
      "Show the delivery status live.\n  On a terminal, the status is redrawn until you press Ctrl+C. In a pipe, a line is printed when it changes. `--until-done` does not wait for offline devices. A device counts for a new release after its next poll."
    ),
    Command.withShortDescription("Show the delivery status live."),
    Command.withExamples([
      { command: "orgplane delivery watch --plugin-id plg_…", description: "Watch one plugin" },
      {
        command: "orgplane delivery watch --plugin-id plg_… --until-done",
        description: "Wait in a script until nothing is behind or missing"
      }
    ])
  ) as Branch

const decideHelp =
  "Shows each release with the changes of its capabilities, then asks for confirmation. Without a terminal, or with --yes, --digest is required, so that a script approves or rejects only reviewed content."

export const decisions = {
  approve: {
    summary: "Approve releases of plugins.",
    effect:
      "Agents and members receive the approved releases. If more approvals are required, a release stays pending.",
    commentHelp: "Comment for the maintainers of the plugin",
    examples: [
      { command: "orgplane approvals approve rel_… rel_…", description: "Review two releases and approve them" },
      {
        command: "orgplane approvals approve rel_… --digest 5d2f…",
        description: "Approve exactly the reviewed release, in a script"
      }
    ]
  },
  reject: {
    summary: "Reject releases of plugins.",
    effect: "Agents and members still receive the served release.",
    commentHelp: "Reason for the rejection, for the maintainers of the plugin. Required",
    examples: [
      {
        command: "orgplane approvals reject rel_… --comment 'Downloads a script.'",
        description: "Review a release and reject it"
      }
    ]
  }
} as const

const decide = (decision: keyof typeof decisions, onInvocation: OnInvocation): Branch => {
  const { commentHelp, effect, examples, summary } = decisions[decision]
  return Command.make(
    decision,
    {
      releases: Argument.String("release-id").pipe(
        Argument.withDescription("ID of the release, or name of a plugin with a pending release. Repeatable"),
        Argument.atLeast(1)
      ),
      comment: text("comment", "text", commentHelp),
      digest: text("digest", "sha256", "Digest of the release that you reviewed. Required without a prompt")
    },
    ({ comment, digest, releases }) =>
      Effect.map(globals, (globals) =>
        onInvocation(globals, {
          kind: "decide",
          decision,
          releases,
          comment: Option.getOrUndefined(comment),
          digest: Option.getOrUndefined(digest)
        })
      )
  ).pipe(
    Command.withDescription(`${summary} ${effect}\n  ${decideHelp}`),
    Command.withShortDescription(summary),
    Command.withExamples(examples)
  ) as Branch
}

export const extraCommands = (
  group: string,
  operations: ReadonlyArray<OperationRow>,
  onInvocation: OnInvocation
): ReadonlyArray<Branch> => {
  switch (group) {
    case "desktopPolicies":
      return explain(operations, onInvocation)
    case "approvals":
      return [decide("approve", onInvocation), decide("reject", onInvocation)]
    case "members":
      return [invite(onInvocation)]
    case "delivery":
      return [watch(onInvocation)]
    case "audit":
      return [tail(onInvocation)]
    case "events":
      return [tailEvents(onInvocation), listenEvents(onInvocation), verifyEvents(onInvocation)]
    case "mcpConnections":
      return [connect(onInvocation), call(onInvocation)]
    case "capabilities":
      return [connectSuite(onInvocation)]
    case "scim":
      return [conformance(onInvocation)]
    case "configuration":
      return configurationCommands(onInvocation)
    case "sso":
      return [ssoTest(onInvocation)]
    default:
      return []
  }
}
