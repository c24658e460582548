import type { ConnectionOptions } from "node:tls"
import type { Worker } from "node:worker_threads"
import type { HostIdentity } from "./ports/authenticator.ts"
import type { BootstrapMode } from "./config/settings.ts"
import type * as Layer from "effect/Layer"
import type { CodeHostApp } from "./ports/code-host-app.ts"
import type { CodeHost } from "./ports/code-host.ts"
import type { DnsText } from "./ports/dns-text.ts"
import type { Embedder } from "./ports/embedder.ts"
import type { LogEntry } from "./ports/log.ts"
import type { Mail, Mailer } from "./ports/mailer.ts"
import type { Outbound } from "./ports/outbound.ts"
import type { Provisioner } from "./ports/provisioner.ts"
import type { SuiteSettings } from "./ports/suites.ts"

/** Where the control plane stores its data. */
export type Database =
  /** An embedded PostgreSQL engine (PGlite) in this process. Only one process can use its data. */
  | {
      readonly kind: "pglite"
      readonly dataDir: string | "memory"
      readonly snapshot?: Uint8Array
      /** The schema that contains all of orgplane's tables. Default: as for a PostgreSQL server. */
      readonly schema?: string
      /** A thread that has already loaded the engine, from `prepareThread`. Used at most once. */
      readonly thread?: Worker
    }
  /** A PostgreSQL server. Any number of processes can share it. */
  | {
      readonly kind: "postgres"
      readonly url: string
      /** Replaces the password of the URL. A function is called for each new connection. */
      readonly password?: string | (() => string | Promise<string>)
      /** Options of the TLS connections, such as `ca`. Connections must then be encrypted. */
      readonly tls?: ConnectionOptions
      readonly maxConnections?: number
      /**
       * The schema that contains all of orgplane's tables. It is created if it is missing. Default: `orgplane`, or the
       * schema of the search path if an earlier release created the tables there.
       */
      readonly schema?: string
      /**
       * What startup does if schema migrations are pending: `run` runs them, `check` fails. With `check`, call
       * `ControlPlane.migrate` or run `orgplane-server migrate` first. Default: `run`.
       */
      readonly migrations?: "run" | "check"
      /** How long startup waits for a server that is unreachable or read-only, in seconds. Default: 60. */
      readonly waitSeconds?: number
    }

export interface ControlPlaneOptions {
  readonly database: Database
  /**
   * Timeout for each PostgreSQL statement of a request, in seconds, 1 to 300. On timeout, the response is 503 and the
   * connection is closed. Exports, verification and background work have longer timeouts. Default: 10.
   */
  readonly databaseTimeoutSeconds?: number
  /**
   * Minimum free disk space for the embedded database, in MiB. Below it, `GET /v1/ready` reports the disk as failed.
   * Default: 256.
   */
  readonly diskFreeMinMiB?: number
  /**
   * URL at which clients reach this server. It is used to build links, and requests with its host in the `Host` header
   * are accepted. If it has no path, `pathPrefix` is appended. Default: `http://localhost`.
   */
  readonly publicUrl?: string
  /**
   * URLs of your own pages for the links in emails, without a fragment. The secret is appended as the fragment:
   * `#challenge=…&code=…` for sign-in links, `#token=…` for the others. Default: pages on this server that display the
   * secret so that it can be copied.
   */
  readonly links?: { readonly signIn?: string; readonly invitation?: string; readonly claim?: string }
  /** Path under which the server is mounted, such as `/orgplane`, without a trailing slash. */
  readonly pathPrefix?: `/${string}`
  /**
   * Whether the web console is served at `/console`, below `pathPrefix`. With `signInUrl`, a path or a URL, the console
   * sends people to the host application's own sign-in instead of showing its own, and adds the path of the page to
   * return to as the query parameter `returnTo`. Default: false.
   */
  readonly console?: boolean | { readonly signInUrl?: string }
  /** Additional host names accepted in the `Host` header. */
  readonly hosts?: ReadonlyArray<string>
  /**
   * Encryption keys, newest first, at least 32 characters each. Required with PostgreSQL; a PGlite directory contains
   * its own keys. They also sign if there are no `signingKeys`.
   */
  readonly secretKeys?: ReadonlyArray<string>
  /**
   * Signing keys, newest first, at least 32 characters each. The first one signs links, cursors, sign-in codes and
   * audit events; all of them and `secretKeys` verify. Default: `secretKeys`.
   */
  readonly signingKeys?: ReadonlyArray<string>
  /**
   * Whether unauthenticated callers can create unclaimed workspaces. Default: `open` when `publicUrl` is loopback,
   * otherwise `off`.
   */
  readonly bootstrap?: BootstrapMode["kind"] | { readonly token: string }
  /** Plan for new organizations. Default: `enterprise`. */
  readonly defaultPlan?: string
  /** Email addresses of platform administrators. Default: none. */
  readonly platformAdmins?: ReadonlyArray<string>
  /** Bearer token required by `GET /v1/metrics`. If unset, the route returns 404. */
  readonly metricsToken?: string
  /** One or two secrets with which the code host signs its webhooks. If unset, webhooks are rejected. */
  readonly webhookSecrets?: ReadonlyArray<string>
  /**
   * How often the head commit of every connected branch is compared with the imported commit, in seconds, to find
   * pushes that no webhook reported. Set to 0 to disable the check. Default: 900.
   */
  readonly reconcileSeconds?: number
  /**
   * Size limits for a plugin from a repository: bytes per file (default: 5 MiB), number of files (default: 2,000) and
   * total bytes (default: 50 MiB). A plugin that exceeds a limit has no archive; discovery, plan and sync report the
   * reason.
   */
  readonly pluginBounds?: { readonly fileBytesMax?: number; readonly filesMax?: number; readonly bytesMax?: number }
  readonly telemetry?: {
    /** Event types that are accepted in addition to the standard types, such as `plugin.used`. */
    readonly types?: ReadonlyArray<string>
    /** How long telemetry events are kept, in days, 1 to 3650. Default: 400. */
    readonly retentionDays?: number
  }
  /** How long data is kept that would otherwise grow without a limit. docs/retention.md lists the tables. */
  readonly retention?: {
    /** How long audit events are kept, in days, 30 to 36500. Default: no limit. */
    readonly auditDays?: number
    /** How long ended sessions, tokens, links and claims are kept, in days, 1 to 3650. Default: 30. */
    readonly credentialDays?: number
    /** How long webhook deliveries are listed, in days, 7 to 3650. Default: 30. */
    readonly deliveryDays?: number
    /** How long devices are listed after their last report, in days, 7 to 3650. Default: 90. */
    readonly deviceDays?: number
    /** How long invitations are kept after they were accepted, canceled or expired, in days, 1 to 3650. Default: 400. */
    readonly invitationDays?: number
    /** How long removed objects can be restored by a rollback, in days, 1 to 3650. Default: 30. */
    readonly removedDays?: number
    /** How long the SCIM request log is kept, in days, 1 to 3650. Default: 30. */
    readonly scimLogDays?: number
    /** How many completed syncs of each branch are listed, 100 to 100000. Default: 1000. */
    readonly syncsMax?: number
    /** How long the activity of workers is kept, in days, 1 to 3650. Default: 30. */
    readonly workerActivityDays?: number
  }
  /**
   * How many bytes of content an organization can store, by plan, or `unlimited`. `unclaimed` is the quota of unclaimed
   * workspaces (default: 50 MB), and `default` the quota of all plans without an entry (default: 20 GB).
   */
  readonly storageQuotas?: Readonly<Record<string, number | "unlimited">>
  /** False leaves background work (syncs, worker runtimes) to other processes on the same database. */
  readonly workers?: boolean
  /**
   * Authenticates requests without an orgplane credential, using the host application's own sign-in. The request has the URL
   * of the operation below the path prefix and the headers, but no body. This is the same for requests of the console.
   */
  readonly authenticator?: (request: Request) => Promise<HostIdentity | null>
  /**
   * Looks up a user by the host application's subject when an organization adds a member (`POST /v1/members`). Return
   * null if there is no such user. Any organization can send any subject, so return only users who belong to the
   * organization. Default: none; members must be invited.
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
  /** An app on a code host, used through its REST API. If unset, repositories are read with plain git. */
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
   * The suites whose accounts members can connect: `suite-a` provides mail, `suite-b` provides the calendar. A suite
   * that is not configured cannot be connected.
   */
  readonly suites?: {
    readonly "suite-a"?: SuiteSettings
    readonly "suite-b"?: SuiteSettings
    /** Maximum total duration of one call, in milliseconds. Default: 30,000. */
    readonly timeoutMillis?: number
  }
  /**
   * Hosts from which marketplace plugins are fetched at their pinned revision. Formats: `github.com`;
   * `github.com=https://git.example.com/mirror` for a mirror; `npm=https://npm.example.com` for the npm registry.
   * Neither `.npmrc` nor its credentials are used. A mirror may be private and plain http. Default: none.
   */
  readonly remoteSources?: ReadonlyArray<string>
  /**
   * URL of the public model catalog; may be private. Set to `off` to disable the catalog. The catalog is fetched on
   * demand, at most once an hour; the request contains no data. Default: `https://models.dev/api.json`.
   */
  readonly modelsUrl?: string
  /**
   * Embeddings endpoint for memories and search queries, so that search also matches by meaning. It must accept `POST`
   * with `{ model, input: [...] }`, as `https://api.openai.com/v1/embeddings` does. It may be private. It receives the
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
   * Runs cloud worker runtimes as processes on this machine. All servers of the installation must then run on this
   * machine. If unset, cloud workers cannot be created.
   */
  readonly provisioner?: {
    /**
     * The program and its arguments, run without a shell; `node` means the Node.js binary that runs this server. The
     * program runs as this server's user, so it must be trusted.
     */
    readonly command: ReadonlyArray<string>
    /** Directory for the state and output of the processes, used by this installation only. */
    readonly directory: string
    /** The program's complete environment. */
    readonly environment?: Readonly<Record<string, string>>
    /** URL at which the runtimes reach this server. Default: `publicUrl` with `pathPrefix`. */
    readonly controlPlaneUrl?: string
  }
  /**
   * Heartbeat interval for workers, in seconds. A worker that misses three heartbeats is marked as failed. Default: 30.
   */
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
  /** Origins allowed by CORS, such as `https://app.example`. Default: none. */
  readonly corsOrigins?: ReadonlyArray<string>
  /** Addresses or ranges of proxies whose `x-forwarded-for` header is trusted. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** Minimum level of log entries. Default: `warn`. */
  readonly logLevel?: "none" | "error" | "warn" | "info" | "debug"
  /**
   * Your own logger, called with each log entry, such as `({ level, message, fields }) => pino[level](fields, message)`.
   * It may be asynchronous. The first failure is reported on stderr. Default: JSON lines on stderr.
   */
  readonly logger?: (entry: LogEntry) => void | Promise<void>
  /**
   * Base URL of an OpenTelemetry collector (OTLP over HTTP, JSON) that receives traces, metrics and logs. Default:
   * none.
   */
  readonly otlpUrl?: string
  /**
   * The share of the requests and jobs that are traced if `otlpUrl` is set, from 0 to 1. A request with the header
   * `traceparent` is traced if its caller traces it. Failed requests always have a server span. Default: 1.
   */
  readonly traceSampleRatio?: number
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
