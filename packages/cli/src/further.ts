/** Commands of a group that no single operation is. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Branch, Choose } from "./command-tree.ts"
import { globals } from "./globals.ts"
import type { OperationRow } from "./table.ts"

export interface InviteChosen {
  readonly kind: "invite"
  readonly emails: ReadonlyArray<string>
  readonly role: string | undefined
  readonly teamIds: ReadonlyArray<string>
  /** Answers the link instead of mailing it. */
  readonly link: boolean
  readonly file: string | undefined
}

export interface TailChosen {
  readonly kind: "tail"
  readonly follow: boolean
  /** How many of the past are shown first. */
  readonly count: number
  readonly after: string | undefined
  readonly filters: Readonly<Record<string, string>>
}

export interface ConnectChosen {
  readonly kind: "connect"
  readonly group: "mcpConnections" | "capabilities"
  /** The connection, or the suite. */
  readonly id: string
  readonly browser: boolean
  /** The code is carried over by hand. */
  readonly paste: boolean
  readonly apiKeyFile: string | undefined
}

export interface CallChosen {
  readonly kind: "call"
  readonly id: string
  readonly tool: string
  /** `name=text` and `name:=JSON`. */
  readonly args: ReadonlyArray<string>
  readonly file: string | undefined
}

export interface ConformanceChosen {
  readonly kind: "conformance"
  /** A directory that is used, instead of one made for it. */
  readonly directory: string | undefined
  /** The base URL of any SCIM service. */
  readonly url: string | undefined
  readonly tokenFile: string | undefined
  /** Only these; all for none. */
  readonly providers: ReadonlyArray<string>
}

export interface SsoTestChosen {
  readonly kind: "ssoTest"
  readonly browser: boolean
  readonly paste: boolean
}

export const toggle = (name: string, help: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(help), Flag.withDefault(false))

const text = (name: string, metavar: string, help: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(help), Flag.optional)

export const linesFile = text("file", "file|-", "One a line, as CSV or JSON objects; each line gets its own result")

const invite = (choose: Choose): Branch =>
  Command.make(
    "invite",
    {
      emails: Argument.String("email").pipe(Argument.withDescription("Whom; may be several"), Argument.atLeast(0)),
      role: text("role", "role", "owner, admin, member or the id of a role; member unless told"),
      teamIds: Flag.String("team-id").pipe(
        Flag.withMetavar("id"),
        Flag.withDescription("A team to be in from the start. May be repeated"),
        Flag.atLeast(0)
      ),
      link: toggle("link", "Print the link instead of mailing it; needs the permission invitations:link"),
      file: linesFile
    },
    ({ emails, file, link, role, teamIds }) =>
      Effect.map(globals, (globals) =>
        choose(globals, {
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
      "Invites people by mail; with several, each gets their own result.\n  A file holds lines of `email,role`, or JSON objects with email, role and teamIds. Fails when a line failed; the rest is done."
    ),
    Command.withShortDescription("Invites people by mail."),
    Command.withExamples([
      { command: "orgplane members invite ada@acme.example --role admin", description: "Mail somebody a link" },
      { command: "orgplane members invite --file invitees.csv", description: "Everybody in a file" }
    ])
  ) as Branch

const tail = (choose: Choose): Branch =>
  Command.make(
    "tail",
    {
      follow: toggle("follow", "Go on with what happens from now on, until interrupted").pipe(Flag.withAlias("f")),
      count: Flag.Int("limit").pipe(
        Flag.withMetavar("count"),
        Flag.withDescription("How many of the past first; 10 unless told"),
        Flag.withDefault(10)
      ),
      after: text("after", "id", "Everything after this event instead, in the sealed order"),
      action: text("action", "action", "Only this action, as in apiKey.create"),
      actorId: text("actor-id", "id", "Only what this member, key or user did"),
      targetId: text("target-id", "id", "Only what was done to this")
    },
    ({ action, actorId, after, count, follow, targetId }) =>
      Effect.map(globals, (globals) =>
        choose(globals, {
          kind: "tail",
          follow,
          count,
          after: Option.getOrUndefined(after),
          filters: Object.fromEntries(
            Object.entries({ action, actorId, targetId }).flatMap(([name, value]) =>
              Option.isSome(value) ? [[name, value.value]] : []
            )
          )
        })
      )
  ).pipe(
    Command.withDescription("Shows the last audit events, oldest first, and follows them with --follow."),
    Command.withExamples([
      { command: "orgplane audit tail --follow", description: "Watch what happens" },
      { command: "orgplane audit tail -f --action apiKey.create -o ndjson", description: "New keys, for a program" }
    ])
  ) as Branch

export const browserFlags = {
  noBrowser: toggle("no-browser", "Only print the link"),
  paste: toggle("paste", "For a browser on another machine: type in what it ends with, instead of waiting on 127.0.0.1")
}

const connect = (choose: Choose): Branch =>
  Command.make(
    "connect",
    {
      id: Argument.String("connection-id").pipe(Argument.withDescription("Such as emc_…")),
      apiKeyFile: text(
        "api-key-file",
        "file|-",
        "Of a connection by key: the key on one line; asked for unseen on a terminal"
      ),
      ...browserFlags
    },
    ({ apiKeyFile, id, noBrowser, paste }) =>
      Effect.map(globals, (globals) =>
        choose(globals, {
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
      "Connects an MCP server: by OAuth in a browser, or by a key.\n  Waits ten minutes at most on a port of 127.0.0.1 for the browser. What is connected is the shared credential, or your own."
    ),
    Command.withShortDescription("Connects by OAuth in a browser, or by a key."),
    Command.withExamples([
      { command: "orgplane mcp-connections connect emc_…", description: "Sign in, in the browser that opens" },
      { command: "orgplane mcp-connections connect emc_… --paste", description: "With a browser on another machine" },
      { command: "orgplane mcp-connections connect emc_… --api-key-file key.txt", description: "By a key, in a script" }
    ])
  ) as Branch

const connectSuite = (choose: Choose): Branch =>
  Command.make(
    "connect",
    {
      id: Argument.Literals("suite", ["suite-a", "suite-b"]).pipe(
        Argument.withDescription("suite-a holds mail, suite-b the calendar")
      ),
      ...browserFlags
    },
    ({ id, noBrowser, paste }) =>
      Effect.map(globals, (globals) =>
        choose(globals, {
          kind: "connect",
          group: "capabilities",
          id,
          browser: !noBrowser,
          paste,
          apiKeyFile: undefined
        })
      )
  ).pipe(
    Command.withDescription("Connects your account at a suite, in a browser."),
    Command.withExamples([{ command: "orgplane capabilities connect suite-a", description: "Your mail" }])
  ) as Branch

const ssoTest = (choose: Choose): Branch =>
  Command.make("test", browserFlags, ({ noBrowser, paste }) =>
    Effect.map(globals, (globals) => choose(globals, { kind: "ssoTest", browser: !noBrowser, paste }))
  ).pipe(
    Command.withDescription(
      "Signs you in at the identity provider, to see whether the settings hold; nobody is signed in here by it.\n  Fails when it came to nothing, and says why."
    ),
    Command.withShortDescription("Tests the connection in a browser, without signing anybody in."),
    Command.withExamples([
      { command: "orgplane sso test", description: "Sign in, in the browser that opens" },
      { command: "orgplane sso test --paste", description: "With a browser on another machine" }
    ])
  ) as Branch

/** Operations that a command of the same name does from the beginning to the end. */
export const replaced: ReadonlySet<string> = new Set(["sso.test"])

const call = (choose: Choose): Branch =>
  Command.make(
    "call",
    {
      id: Argument.String("connection-id").pipe(Argument.withDescription("Such as emc_…")),
      tool: Argument.String("tool").pipe(Argument.withDescription("The name, as 'tools' lists it")),
      args: Flag.String("arg").pipe(
        Flag.withMetavar("name=text|name:=json"),
        Flag.withDescription("An argument of the tool: a text, or JSON with ':='. May be repeated"),
        Flag.atLeast(0)
      ),
      file: text("args", "file|-", "The arguments as a JSON object; --arg adds to it")
    },
    ({ args, file, id, tool }) =>
      Effect.map(globals, (globals) =>
        choose(globals, { kind: "call", id, tool, args, file: Option.getOrUndefined(file) })
      )
  ).pipe(
    Command.withDescription(
      "Runs one tool and shows the exchange, for diagnosis; nothing of it is kept.\n  With --quiet only what the tool said. A failure shows the same exchange, at which layer it failed and what to do."
    ),
    Command.withShortDescription("Runs one tool and shows the exchange."),
    Command.withExamples([
      {
        command: "orgplane mcp-connections call emc_… search --arg query=login --arg limit:=5",
        description: "A text and a number"
      },
      { command: "orgplane mcp-connections call emc_… search --args query.json -q", description: "Only what it said" }
    ])
  ) as Branch

const conformance = (choose: Choose): Branch =>
  Command.make(
    "conformance",
    {
      directory: text("directory", "id", "A directory that is in use, instead of one made for this; needs its token"),
      url: text("url", "url", "The base URL of any SCIM service instead; nobody has to be signed in"),
      tokenFile: text(
        "token",
        "file|-",
        "The SCIM token, on one line; asked for unseen on a terminal. Also ORGPLANE_SCIM_TOKEN"
      ),
      providers: Flag.Literals("provider", ["okta", "entra", "google"]).pipe(
        Flag.withDescription("Only what this one sends. May be repeated"),
        Flag.atLeast(0)
      )
    },
    ({ directory, providers, tokenFile, url }) =>
      Effect.map(globals, (globals) =>
        choose(globals, {
          kind: "conformance",
          directory: Option.getOrUndefined(directory),
          url: Option.getOrUndefined(url),
          tokenFile: Option.getOrUndefined(tokenFile),
          providers
        })
      )
  ).pipe(
    Command.withDescription(
      "Sends what Okta, Microsoft Entra ID and Google Workspace send, and tells which answers they would stumble over.\n  In a directory made for it and removed at the end, unless --directory or --url says another. Test users are named orgplane-conformance-…, with addresses at scim-conformance.example; for moments they are members of the organization, as audit and log show.\n  In a directory that is in use: five of its users' deactivations are counted in that hour. Twice in one hour, or with others, they may be held for you to decide. Fails when an answer was not as expected, or something could not be taken away."
    ),
    Command.withShortDescription("Tries what the big identity providers send."),
    Command.withExamples([
      { command: "orgplane scim conformance", description: "In a directory of its own" },
      {
        command: "orgplane scim conformance --provider entra -o json > report.json",
        description: "One provider, for a program"
      },
      {
        command: "orgplane scim conformance --url https://scim.example/v2 --token - < token.txt",
        description: "Any SCIM service"
      }
    ])
  ) as Branch

/** The operation `effective`, asked why. */
const explain = (operations: ReadonlyArray<OperationRow>, choose: Choose): ReadonlyArray<Branch> =>
  operations
    .filter(({ id }) => id === "desktopPolicies.effective")
    .map(
      (operation) =>
        Command.make(
          "explain",
          { id: Argument.String("org-membership-id").pipe(Argument.withDescription("Whose app it is, such as om_…")) },
          ({ id }) =>
            Effect.map(globals, (globals) =>
              choose(globals, {
                kind: "operation",
                operation,
                ids: [id],
                args: [],
                values: { explain: true },
                file: undefined,
                input: undefined,
                limit: undefined,
                all: false,
                watch: false,
                noWait: false,
                timeoutSeconds: 0
              })
            )
        ).pipe(
          Command.withDescription(
            "Shows what holds for a member, setting by setting: which policy decides, by which rule, and why the others lost.\n  About yourself: orgplane users desktop-policy --explain"
          ),
          Command.withShortDescription("Shows what holds for a member, and why."),
          Command.withExamples([
            { command: "orgplane desktop-policies explain om_…", description: "Why somebody's app is as it is" }
          ])
        ) as Branch
    )

export const further = (
  group: string,
  operations: ReadonlyArray<OperationRow>,
  choose: Choose
): ReadonlyArray<Branch> => {
  switch (group) {
    case "desktopPolicies":
      return explain(operations, choose)
    case "members":
      return [invite(choose)]
    case "audit":
      return [tail(choose)]
    case "mcpConnections":
      return [connect(choose), call(choose)]
    case "capabilities":
      return [connectSuite(choose)]
    case "scim":
      return [conformance(choose)]
    case "sso":
      return [ssoTest(choose)]
    default:
      return []
  }
}
