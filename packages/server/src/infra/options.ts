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

/** Where the control plane keeps what it knows. */
export type Database =
  /** PostgreSQL's engine in this process: for one machine and one process. */
  | { readonly kind: "pglite"; readonly dataDir: string | "memory"; readonly snapshot?: Uint8Array }
  /** A PostgreSQL server, shared by as many processes as you like. */
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
   * Where people reach this server; links are made from it and its host is answered for. With a path it is taken whole;
   * without one `pathPrefix` is appended. Default: `http://localhost`.
   */
  readonly publicUrl?: string
  /**
   * Pages of your own that mailed links lead to, without a fragment; the secret is put into it: `#challenge=…&code=…` for
   * a sign-in, `#token=…` for the others. Unless told, pages of this server that show it to be copied.
   */
  readonly links?: { readonly signIn?: string; readonly invitation?: string; readonly claim?: string }
  /** Mounted below this path, as in `/orgplane`; without a trailing slash. */
  readonly pathPrefix?: `/${string}`
  /** Further host names that are answered for. */
  readonly hosts?: ReadonlyArray<string>
  /**
   * Secrets that seal and sign, newest first; at least 32 characters each. Needed with PostgreSQL; a PGlite directory
   * keeps one of its own.
   */
  readonly secretKeys?: ReadonlyArray<string>
  /** Whether strangers may make provisional workspaces; `open` unless told when `publicUrl` is this machine, else `off`. */
  readonly bootstrap?: BootstrapMode["kind"] | { readonly token: string }
  /** Plan of new organizations; `enterprise` unless told. */
  readonly defaultPlan?: string
  /** E-mail addresses of those who administer the whole installation; nobody unless told. */
  readonly platformAdmins?: ReadonlyArray<string>
  /** Bearer token of `GET /v1/metrics`; without one there is no such route. */
  readonly metricsToken?: string
  /** One or two live secrets that the code host signs its webhooks with; without one none is taken. */
  readonly webhookSecrets?: ReadonlyArray<string>
  /**
   * How often the head of every connected branch is compared with what was imported, in seconds, so that a push nobody
   * told us of is found; 900 unless told, 0 for never.
   */
  readonly reconcileSeconds?: number
  /**
   * Size limits of a plugin from a repository: bytes per file (default: 5 MiB), number of files (default: 2 000) and
   * total bytes (default: 50 MiB). A plugin that exceeds a limit has no archive; discovery, plan and sync report the
   * reason.
   */
  readonly pluginBounds?: { readonly fileBytesMax?: number; readonly filesMax?: number; readonly bytesMax?: number }
  readonly telemetry?: {
    /** Types of events that are kept besides those that every server takes, as `plugin.used`. */
    readonly types?: ReadonlyArray<string>
    /** Days that events are kept, 1 to 3650; 400 unless told. */
    readonly retentionDays?: number
  }
  /** False leaves all work in the background (syncs, runtimes of workers) to other processes on the same database. */
  readonly workers?: boolean
  /** The host application's own sign-in; asked when a request carries no credential of ours. */
  readonly authenticator?: (request: Request) => Promise<HostIdentity | null>
  /**
   * Whom an organization may make a member by the host application's name for them (`POST /v1/members`): the person, or
   * null. Unless told nobody, and people are invited. Any organization may ask for any name; answer for its own people.
   */
  readonly personOf?: (subject: string, organizationId: string) => Promise<HostIdentity | null>
  readonly git?: {
    /** Directories whose repositories may be connected by path. */
    readonly localRoots?: ReadonlyArray<string>
    /** Whether a system git may read local repositories; `auto` unless told. */
    readonly systemGit?: boolean | "auto"
    /** Where fetched packs lie while they are read; the system's temporary directory unless told. */
    readonly workDir?: string
  }
  /** An app at a code host that is spoken to by its REST interface; without one repositories are read by plain git. */
  readonly codeHostApp?: {
    /** Base of the interface, as `https://api.example.com` or `https://git.example.com/api/v3`; it may be private. */
    readonly url: string
    /** Where people see the host; made from `url` unless told. */
    readonly webUrl?: string
    /** The app's id, or its client id. */
    readonly appId: string
    /** The app's private RSA key, PEM. */
    readonly privateKey: string
    readonly clientId: string
    readonly clientSecret: string
  }
  /**
   * The suites that members connect their own accounts of: `suite-a` holds mail, `suite-b` the calendar. Nobody can
   * connect to one that is not set up.
   */
  readonly suites?: {
    readonly "suite-a"?: SuiteSettings
    readonly "suite-b"?: SuiteSettings
    /** All that one call may take; 30 000 unless told. */
    readonly timeoutMillis?: number
  }
  /**
   * Hosts that plugins of a marketplace are read from, at the revision the marketplace pins: `github.com`, a mirror as
   * `github.com=https://git.example.com/mirror`, and the npm registry as `npm=https://npm.example.com`. Neither `.npmrc`
   * nor its credentials are used. A mirror may be private and plain http. Default: none.
   */
  readonly remoteSources?: ReadonlyArray<string>
  /**
   * Where the public catalogue of models is read from, in the form of `https://models.dev/api.json`, which it is unless
   * told; it may be private, and `off` reads none. Asked when somebody looks at it, at most once an hour; nothing but the
   * request is sent.
   */
  readonly modelsUrl?: string
  /**
   * What makes vectors of memories and of questions to them, so that a search also finds what means the same: an address
   * that takes `POST` with `{ model, input: [...] }`, as `https://api.openai.com/v1/embeddings` does; it may be private.
   * The texts of memories are sent there. Nothing is sent anywhere unless told; give all processes the same.
   */
  readonly embeddings?: { readonly url: string; readonly model: string; readonly apiKey?: string }
  readonly outbound?: {
    /** Address ranges that callers' addresses may lie in although they are not public. */
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
   * Runs the runtimes of cloud workers as processes of this machine, which all servers of the installation then share.
   * Without it nobody can make a cloud worker.
   */
  readonly provisioner?: {
    /** The program and its arguments, run by no shell; `node` is the one that runs this server. It runs as this server's user: name one that you trust. */
    readonly command: ReadonlyArray<string>
    /** Of this installation alone: what is known of the processes, and what they print. */
    readonly directory: string
    /** All that the program finds in its environment. */
    readonly environment?: Readonly<Record<string, string>>
    /** Where the runtimes find this server; `publicUrl` with `pathPrefix` unless told. */
    readonly controlPlaneUrl?: string
  }
  /** How often workers say that they live, in whole seconds; 30 unless told. Three missed are a failure. */
  readonly workerHeartbeatSeconds?: number
  /** Name servers that are asked in place of the machine's own lookup: `127.0.0.1:5353`, `[2001:db8::1]`, `10.0.0.53`. */
  readonly dnsServers?: ReadonlyArray<string>
  /**
   * How mail leaves: a mail server (`smtp://user:password@host:587?from=…`, or `smtps`; TLS is a must unless it is this
   * machine), a file that letters are appended to, or a function of yours. Unless told: `outbox.ndjson` in the data
   * directory of the embedded database; with PostgreSQL nothing is sent.
   */
  readonly mailer?:
    | { readonly smtpUrl: string }
    | { readonly outboxFile: string }
    | { readonly send: (mail: Mail) => Promise<void> }
  /** Origins, as `https://app.example`, whose pages may read answers in a browser; none unless told. */
  readonly corsOrigins?: ReadonlyArray<string>
  /** Ranges of proxies whose `x-forwarded-for` is believed. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** Lines of JSON on stderr from this level on; `warn` unless told. */
  readonly logLevel?: "none" | "error" | "warn" | "info" | "debug"
  /**
   * Base URL of an OpenTelemetry collector (OTLP over HTTP, JSON) that receives traces, metrics and logs. Default:
   * none.
   */
  readonly otlpUrl?: string
  /** Ports of your own instead of ours. */
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
