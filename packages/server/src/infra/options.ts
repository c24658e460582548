import type { HostIdentity } from "./ports/authenticator.ts"
import type { BootstrapMode } from "./config/settings.ts"
import type * as Layer from "effect/Layer"
import type { CodeHostApp } from "./ports/code-host-app.ts"
import type { CodeHost } from "./ports/code-host.ts"
import type { DnsText } from "./ports/dns-text.ts"
import type { Embedder } from "./ports/embedder.ts"
import type { Mail, Mailer } from "./ports/mailer.ts"
import type { Outbound } from "./ports/outbound.ts"
import type { Provisioner } from "./ports/provisioner.ts"
import type { SuiteSettings } from "./ports/suites.ts"

/** Where the control plane stores its data. */
export type Database =
  /** PostgreSQL's engine in this process, for one machine and one process. */
  | { readonly kind: "pglite"; readonly dataDir: string | "memory"; readonly snapshot?: Uint8Array }
  /** A PostgreSQL server, which any number of processes can share. */
  | {
      readonly kind: "postgres"
      readonly url: string
      readonly maxConnections?: number
      /** How long startup waits for a server that is unreachable or read-only, in seconds. Default: 60. */
      readonly waitSeconds?: number
    }

export interface ControlPlaneOptions {
  readonly database: Database
  /**
   * How long one statement of a request may take on a PostgreSQL server, in seconds, 1 to 300; then the response is 503
   * and the connection is closed. Exports, verification and background work have longer timeouts. Default: 10.
   */
  readonly databaseTimeoutSeconds?: number
  /** Free space in MiB below which `GET /v1/ready` reports the embedded database's disk as failed. Default: 256. */
  readonly diskFreeMinMiB?: number
  /**
   * URL at which clients reach this server. Links are built from it, and its host is accepted. If it has no path,
   * `pathPrefix` is appended. Default: `http://localhost`.
   */
  readonly publicUrl?: string
  /**
   * The URLs of your own pages for the links in emails, without a fragment. The secret is added as the fragment:
   * `#challenge=…&code=…` for a sign-in, `#token=…` for the others. Default: pages of this server that show the secret
   * to be copied.
   */
  readonly links?: { readonly signIn?: string; readonly invitation?: string; readonly claim?: string }
  /** Path under which the server is mounted, such as `/orgplane`, without a trailing slash. */
  readonly pathPrefix?: `/${string}`
  /** Additional host names that are accepted. */
  readonly hosts?: ReadonlyArray<string>
  /**
   * Keys that encrypt and sign, newest first, at least 32 characters each. Required with PostgreSQL; a PGlite directory
   * contains a key of its own.
   */
  readonly secretKeys?: ReadonlyArray<string>
  /**
   * Whether unauthenticated callers can create unclaimed workspaces. Default: `open` when `publicUrl` is loopback,
   * otherwise `off`.
   */
  readonly bootstrap?: BootstrapMode["kind"] | { readonly token: string }
  /** Plan of new organizations. Default: `enterprise`. */
  readonly defaultPlan?: string
  /** Email addresses of platform administrators. Default: none. */
  readonly platformAdmins?: ReadonlyArray<string>
  /** Bearer token of `GET /v1/metrics`. If unset, the route returns 404. */
  readonly metricsToken?: string
  /**
   * One or two current secrets that the code host signs its webhooks with. If unset, webhooks are rejected.
   */
  readonly webhookSecrets?: ReadonlyArray<string>
  /**
   * How often the head commit of every connected branch is compared with the imported commit, in seconds, to find
   * pushes that no webhook reported. 0 turns it off. Default: 900.
   */
  readonly reconcileSeconds?: number
  /**
   * Size limits of a plugin from a repository: bytes per file (default: 5 MiB), number of files (default: 2 000) and
   * total bytes (default: 50 MiB). A plugin that exceeds a limit has no archive; discovery, plan and sync report the
   * reason.
   */
  readonly pluginBounds?: { readonly fileBytesMax?: number; readonly filesMax?: number; readonly bytesMax?: number }
  readonly telemetry?: {
    /** Event types that are accepted in addition to the standard types, such as `plugin.used`. */
    readonly types?: ReadonlyArray<string>
    /** Days that events are kept, 1 to 3650. Default: 400. */
    readonly retentionDays?: number
  }
  /** False leaves background work (syncs, worker runtimes) to other processes on the same database. */
  readonly workers?: boolean
  /** Authenticates requests that carry no orgplane credential, by the host application's own sign-in. */
  readonly authenticator?: (request: Request) => Promise<HostIdentity | null>
  /**
   * Resolves the host application's name for a person whom an organization adds as a member (`POST /v1/members`); null
   * when there is none. Any organization can send any name, so return only people who belong to it. Default: none, and
   * people are invited.
   */
  readonly personOf?: (subject: string, organizationId: string) => Promise<HostIdentity | null>
  readonly git?: {
    /** Directories whose repositories can be connected by path. */
    readonly localRoots?: ReadonlyArray<string>
    /** Whether the system's git may read local repositories. Default: `auto`. */
    readonly systemGit?: boolean | "auto"
    /** Where fetched packs are stored while they are read. Default: the system's temporary directory. */
    readonly workDir?: string
  }
  /** An app on a code host, used through its REST API. If unset, repositories are read by plain git. */
  readonly codeHostApp?: {
    /** Base URL of the API, such as `https://api.example.com` or `https://git.example.com/api/v3`; may be private. */
    readonly url: string
    /** URL of the code host's website. Default: derived from `url`. */
    readonly webUrl?: string
    /** The app's ID or client ID. */
    readonly appId: string
    /** The app's private RSA key, PEM. */
    readonly privateKey: string
    readonly clientId: string
    readonly clientSecret: string
  }
  /**
   * The suites whose accounts members can connect: `suite-a` has mail, `suite-b` has the calendar. A suite that is not
   * configured cannot be connected.
   */
  readonly suites?: {
    readonly "suite-a"?: SuiteSettings
    readonly "suite-b"?: SuiteSettings
    /** Maximum total duration of one call, in milliseconds. Default: 30 000. */
    readonly timeoutMillis?: number
  }
  /**
   * Hosts that plugins of a marketplace are read from, at the revision the marketplace pins: `github.com`, a mirror as
   * `github.com=https://git.example.com/mirror`, and the npm registry as `npm=https://npm.example.com`. Neither
   * `.npmrc` nor its credentials are used. A mirror may be private and plain http. Default: none.
   */
  readonly remoteSources?: ReadonlyArray<string>
  /**
   * URL of the public model catalog; may be private. `off` reads no catalog. It is read on demand, at most once an
   * hour; the request contains no data. Default: `https://models.dev/api.json`.
   */
  readonly modelsUrl?: string
  /**
   * Embeddings endpoint for memories and search queries, so that search also matches by meaning. It accepts `POST` with
   * `{ model, input: [...] }`, as `https://api.openai.com/v1/embeddings` does, and may be private. It receives the
   * texts of memories. Configure the same endpoint in all processes. If unset, no text is sent.
   */
  readonly embeddings?: { readonly url: string; readonly model: string; readonly apiKey?: string }
  readonly outbound?: {
    /** Private address ranges that URLs supplied by callers may resolve to. */
    readonly allowCidrs?: ReadonlyArray<string>
    /**
     * Address ranges and host names that may be reached over plain http, or `true` for all. Default: none. A private
     * address also needs `allowCidrs`.
     */
    readonly allowHttp?: boolean | ReadonlyArray<string>
    readonly proxy?: string
    readonly ca?: string
  }
  /**
   * Runs cloud worker runtimes as processes of this machine, which all servers of the installation then share. Without
   * it, cloud workers cannot be created.
   */
  readonly provisioner?: {
    /**
     * The program and its arguments, run without a shell; `node` is the one that runs this server. It runs as this
     * server's user, so it must be trusted.
     */
    readonly command: ReadonlyArray<string>
    /** Directory for the state and output of the processes, used by this installation only. */
    readonly directory: string
    /** The program's complete environment. */
    readonly environment?: Readonly<Record<string, string>>
    /** URL at which the runtimes reach this server. Default: `publicUrl` with `pathPrefix`. */
    readonly controlPlaneUrl?: string
  }
  /** Heartbeat interval of workers in seconds. A worker that misses three heartbeats counts as failed. Default: 30. */
  readonly workerHeartbeatSeconds?: number
  /** Name servers used instead of the system's resolver: `127.0.0.1:5353`, `[2001:db8::1]`, `10.0.0.53`. */
  readonly dnsServers?: ReadonlyArray<string>
  /**
   * How email is sent: a mail server (`smtp://user:password@host:587?from=…`, or `smtps`; TLS is required unless the
   * host is loopback), a file that emails are appended to, or your own function. Default: `outbox.ndjson` in the data
   * directory of the embedded database; with PostgreSQL no email is sent.
   */
  readonly mailer?:
    | { readonly smtpUrl: string }
    | { readonly outboxFile: string }
    | { readonly send: (mail: Mail) => Promise<void> }
  /** Origins whose pages may read responses in a browser, such as `https://app.example`. Default: none. */
  readonly corsOrigins?: ReadonlyArray<string>
  /** Addresses or ranges of proxies whose `x-forwarded-for` header is trusted. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** Lines of JSON are logged to stderr from this level on. Default: `warn`. */
  readonly logLevel?: "none" | "error" | "warn" | "info" | "debug"
  /**
   * Base URL of an OpenTelemetry collector (OTLP over HTTP, JSON) that receives traces, metrics and logs. Default:
   * none.
   */
  readonly otlpUrl?: string
  /** Your own implementations of ports. */
  readonly ports?: {
    readonly codeHost?: Layer.Layer<CodeHost>
    readonly codeHostApp?: Layer.Layer<CodeHostApp>
    readonly dnsText?: Layer.Layer<DnsText>
    readonly embedder?: Layer.Layer<Embedder>
    readonly mailer?: Layer.Layer<Mailer>
    readonly outbound?: Layer.Layer<Outbound>
    readonly provisioner?: Layer.Layer<Provisioner>
  }
}
