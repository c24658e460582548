import * as Context from "effect/Context"

/** Whether strangers may make workspaces. */
export type BootstrapMode =
  | { readonly kind: "open" }
  | { readonly kind: "off" }
  | { readonly kind: "token"; readonly token: string }

/** Size limits of a plugin from a repository; a larger one has no archive. */
export interface PluginBounds {
  readonly fileBytesMax: number
  readonly filesMax: number
  readonly bytesMax: number
}

export const pluginBoundsDefault: PluginBounds = {
  fileBytesMax: 5 * 1_048_576,
  filesMax: 2000,
  bytesMax: 50 * 1_048_576
}

/** What the rooms read of the configuration; resolved once, when the control plane is made. */
export class Settings extends Context.Service<
  Settings,
  {
    /** Where people reach this server, without a trailing slash: links are made from it, never from a request. */
    readonly publicUrl: string
    /** Where mailed links lead; the secret is put into the fragment. */
    readonly links: { readonly signIn: string; readonly invitation: string; readonly claim: string }
    /** Origins of the operator's own pages, which browsers may be sent to. */
    readonly corsOrigins: ReadonlySet<string>
    /** Whether a plain http URL with this host may be configured; the outbound HTTP client checks its addresses. */
    readonly mayBePlainHttp: (url: URL) => boolean
    readonly bootstrap: BootstrapMode
    readonly defaultPlan: string
    /** Verified addresses of those who administer the whole installation, in small letters. */
    readonly platformAdmins: ReadonlySet<string>
    readonly metricsToken: string | null
    /** Live secrets of the code host's webhooks; without one none is taken. */
    readonly webhookSecrets: ReadonlyArray<string>
    /** How often the head of a branch is compared with what is imported; 0 for never. */
    readonly reconcileSeconds: number
    readonly pluginBounds: PluginBounds
    /** Types of events beyond those that every server takes, and how long events are kept. */
    readonly telemetry: { readonly types: ReadonlySet<string>; readonly retentionDays: number }
    /** Where runtimes that we start find this server. */
    readonly controlPlaneUrl: string
    /** How often a worker says that it lives. */
    readonly heartbeatSeconds: number
    /** The directory of an embedded database, and its minimum free space; null with PostgreSQL. */
    readonly disk: { readonly directory: string; readonly bytesMin: number } | null
    /** Version of this server's package. */
    readonly version: string
    readonly schemaVersion: number
  }
>()("@orgplane/server/config/Settings") {}
