import * as Context from "effect/Context"
import type { Retention } from "./retention.ts"

/** Whether unauthenticated callers may create workspaces. */
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

/** The resolved configuration that modules read. */
export class Settings extends Context.Service<
  Settings,
  {
    /**
     * The URL at which clients reach this server, without a trailing slash. Links are built from it, never from a
     * request.
     */
    readonly publicUrl: string
    /** The path below which a host application serves this server, without a trailing slash; empty if it has none. */
    readonly pathPrefix: string
    /** Pages that links in emails point to. The secret is appended as the fragment. */
    readonly links: { readonly signIn: string; readonly invitation: string; readonly claim: string }
    /** The URL of the console, without a trailing slash; null if it is not served. */
    readonly consoleUrl: string | null
    /** Origins of the operator's own pages, which browsers may be redirected to. */
    readonly corsOrigins: ReadonlySet<string>
    /** Whether a plain http URL with this host may be configured; the outbound HTTP client checks its addresses. */
    readonly mayBePlainHttp: (url: URL) => boolean
    readonly bootstrap: BootstrapMode
    readonly defaultPlan: string
    /** Verified email addresses of platform administrators, in lower case. */
    readonly platformAdmins: ReadonlySet<string>
    readonly metricsToken: string | null
    /** Current secrets of the code host's webhooks; without one, webhooks are rejected. */
    readonly webhookSecrets: ReadonlyArray<string>
    /** How often the head commit of a branch is compared with the imported commit; 0 for never. */
    readonly reconcileSeconds: number
    readonly pluginBounds: PluginBounds
    /** Event types beyond the standard types, and how long events are kept. */
    readonly telemetry: { readonly types: ReadonlySet<string>; readonly retentionDays: number }
    /** How long rows are kept that would otherwise grow without a limit. */
    readonly retention: Retention
    /** Stored bytes by plan, with the entries `unclaimed` and `default`. */
    readonly storageQuotas: Readonly<Record<string, number | "unlimited">>
    /** The URL at which worker runtimes reach this server. */
    readonly controlPlaneUrl: string
    /** Heartbeat interval of workers. */
    readonly heartbeatSeconds: number
    /** The directory of an embedded database, and its minimum free space; null with PostgreSQL. */
    readonly disk: { readonly directory: string; readonly bytesMin: number } | null
    /** Version of this server's package. */
    readonly version: string
    readonly schemaVersion: number
  }
>()("@orgplane/server/config/Settings") {}
