/** The parsed command lines, by kind of command. */
import type { OperationRow } from "./command-table.ts"
import type { FormatName, Scope } from "./agents/paths.ts"
import type { Globals } from "./global-flags.ts"

export type FlagValue = string | number | boolean | ReadonlyArray<string | number>

export interface OperationInvocation {
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
  /** Print the second list of the command. */
  readonly beside?: boolean
  /** Wait for the work that the request starts. */
  readonly wait: boolean
  /** File to write an archive to. */
  readonly to?: string | undefined
  readonly timeoutSeconds: number
}

export interface LoginInvocation {
  readonly kind: "login"
  readonly name: string | undefined
  readonly email: string | undefined
  readonly challenge: string | undefined
  readonly sso: boolean
  readonly browser: boolean
  readonly paste: boolean
}

export interface ApiInvocation {
  readonly kind: "api"
  readonly method: string
  readonly path: string
  readonly fields: ReadonlyArray<string>
  readonly headers: ReadonlyArray<string>
  readonly input: string | undefined
  /** Print the status and the headers of the response. */
  readonly include: boolean
  /** Request every page of a list. */
  readonly paginate: boolean
}

export interface InviteInvocation {
  readonly kind: "invite"
  readonly emails: ReadonlyArray<string>
  readonly role: string | undefined
  readonly teamIds: ReadonlyArray<string>
  /** Print the link instead of sending an email. */
  readonly link: boolean
  readonly file: string | undefined
}

export interface TailInvocation {
  readonly kind: "tail"
  readonly follow: boolean
  /** How many existing events to print first. */
  readonly count: number
  readonly after: string | undefined
  /** The actor: the ID or the email address of a member. */
  readonly member: string | undefined
  readonly filters: Readonly<Record<string, string>>
}

export interface ConnectInvocation {
  readonly kind: "connect"
  readonly group: "mcpConnections" | "capabilities"
  /** The connection or the suite. */
  readonly id: string
  readonly browser: boolean
  /** The user pastes the code. */
  readonly paste: boolean
  readonly apiKeyFile: string | undefined
}

export interface CallInvocation {
  readonly kind: "call"
  readonly id: string
  readonly tool: string
  /** `name=text` or `name:=JSON`. */
  readonly args: ReadonlyArray<string>
  readonly file: string | undefined
}

export interface DecideInvocation {
  readonly kind: "decide"
  readonly decision: "approve" | "reject"
  /** IDs of releases, or names of plugins with a pending release. */
  readonly releases: ReadonlyArray<string>
  readonly comment: string | undefined
  /** The digest of the only release. */
  readonly digest: string | undefined
}

export interface ConformanceInvocation {
  readonly kind: "conformance"
  /** An existing directory, instead of a temporary one. */
  readonly directory: string | undefined
  /** Base URL of any SCIM service. */
  readonly url: string | undefined
  readonly tokenFile: string | undefined
  /** Empty: all providers. */
  readonly providers: ReadonlyArray<string>
}

export interface SsoTestInvocation {
  readonly kind: "ssoTest"
  readonly browser: boolean
  readonly paste: boolean
}

export interface LogoutInvocation {
  readonly kind: "logout"
}

export interface ProfilesInvocation {
  readonly kind: "profiles"
  readonly verb: "list" | "use" | "remove"
  readonly name: string
}

export interface AuthStatusInvocation {
  readonly kind: "authStatus"
}

export interface ConfigInvocation {
  readonly kind: "config"
  readonly verb: "list" | "get" | "set" | "unset"
  readonly name: string
  readonly value: string
}

export interface AliasInvocation {
  readonly kind: "alias"
  readonly verb: "list" | "set" | "remove"
  readonly name: string
  /** The words that the alias stands for. */
  readonly expansion: string
}

export const shells = ["bash", "zsh", "fish", "powershell"] as const
export type Shell = (typeof shells)[number]

export interface CompletionsInvocation {
  readonly kind: "completions"
  readonly shell: Shell
}

export interface VersionInvocation {
  readonly kind: "version"
}

export interface TopInvocation {
  readonly kind: "top"
  readonly intervalSeconds: number
  /** Print once and exit. */
  readonly once: boolean
  readonly metricsTokenFile: string | undefined
}

export interface TailEventsInvocation {
  readonly kind: "tailEvents"
  readonly follow: boolean
  /** How many existing events to print first. */
  readonly count: number
  /** A sequence number. */
  readonly after: number | undefined
  readonly filters: Readonly<Record<string, string>>
}

export interface ListenEventsInvocation {
  readonly kind: "listenEvents"
  readonly forwardTo: string
  readonly types: string | undefined
  /** Sends the events after this sequence number first. */
  readonly after: number | undefined
  readonly secret: string | undefined
  readonly allowRemote: boolean
}

export interface VerifyEventsInvocation {
  readonly kind: "verifyEvents"
  readonly paths: ReadonlyArray<string>
  /** A file with the public keys; undefined to get them from the server. */
  readonly keys: string | undefined
}

export interface WatchInvocation {
  readonly kind: "watchDelivery"
  readonly intervalSeconds: number
  /** End when nothing is behind or missing. */
  readonly untilDone: boolean
  /** Plugins, teams and members: ID, or name or email address. */
  readonly pluginId: string | undefined
  readonly digest: string | undefined
  readonly teamId: string | undefined
  readonly member: string | undefined
}

export interface AgentsInvocation {
  readonly kind: "agents"
  readonly verb: "sync" | "status" | "remove"
  readonly format: FormatName
  readonly scope: Scope | "auto"
  readonly settingsDirectory: string | undefined
  readonly dataDirectory: string | undefined
  /** Print the plan without changing anything. */
  readonly dryRun: boolean
  /** Send no report to the server. */
  readonly noReport: boolean
}

export interface PlanConfiguration {
  readonly verb: "plan"
  /** Files, directories, or `-`. */
  readonly files: ReadonlyArray<string>
  /** The environment variables that documents may use. */
  readonly variables: ReadonlyArray<string>
  /** Exit with 2 if there are changes. */
  readonly detailedExitcode: boolean
}

export interface ApplyConfiguration {
  readonly verb: "apply"
  readonly files: ReadonlyArray<string>
  readonly variables: ReadonlyArray<string>
  readonly planDigest: string | undefined
}

export interface FormatConfiguration {
  readonly verb: "format"
  readonly files: ReadonlyArray<string>
  /** Change nothing. */
  readonly check: boolean
}

export interface ConfigurationInvocation {
  readonly kind: "configuration"
  readonly action:
    | { readonly verb: "export"; readonly kinds: string | undefined }
    | PlanConfiguration
    | ApplyConfiguration
    | FormatConfiguration
    /** Texts `kind/id=key`. Empty for all objects. */
    | { readonly verb: "adopt"; readonly adoptions: ReadonlyArray<string> }
    | { readonly verb: "schema" }
}

/** A parsed command line. */
export type Invocation =
  | OperationInvocation
  | LoginInvocation
  | LogoutInvocation
  | ProfilesInvocation
  | ApiInvocation
  | CompletionsInvocation
  | VersionInvocation
  | AuthStatusInvocation
  | ConfigInvocation
  | AliasInvocation
  | InviteInvocation
  | TailInvocation
  | TailEventsInvocation
  | ListenEventsInvocation
  | VerifyEventsInvocation
  | ConnectInvocation
  | CallInvocation
  | DecideInvocation
  | ConformanceInvocation
  | SsoTestInvocation
  | TopInvocation
  | WatchInvocation
  | AgentsInvocation
  | ConfigurationInvocation

/** Receives the parsed command line. */
export type OnInvocation = (globals: Globals, invocation: Invocation) => void
