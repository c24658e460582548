/** The environment variables and their descriptions, for `orgplane-server --help`, `config` and the configuration file. */
export const variables = {
  ORGPLANE_CONFIG_FILE:
    "Path of a JSON file with the configuration. --config overrides it. Environment variables override the fields of the file. Default: none.",
  ORGPLANE_HOST: "Address to listen on. Default: 127.0.0.1.",
  ORGPLANE_PORT: "Port to listen on. Default: 8787.",
  ORGPLANE_DATA_DIR: "Data directory for the embedded database. Default: .orgplane.",
  ORGPLANE_DATABASE_URL:
    "PostgreSQL connection URL. If unset, the embedded database is used. With multiple hosts, the server connects to the one that accepts writes: postgres://user:password@host1:5432,host2:5432/database?target_session_attrs=read-write.",
  ORGPLANE_DATABASE_SCHEMA:
    "Schema for all orgplane tables; it is created if it is missing. Default: orgplane, or the schema in which an earlier release created the tables.",
  ORGPLANE_MIGRATIONS:
    "What the server does at startup if schema migrations are pending: run runs them, check exits with an error; run orgplane-server migrate first. Default: run.",
  ORGPLANE_DATABASE_TIMEOUT_SECONDS:
    "Timeout for each database statement of a request, in seconds, 1 to 300. On timeout, the server returns 503 and closes the database connection. Default: 10.",
  ORGPLANE_DISK_FREE_MIN_MIB:
    "Minimum free disk space for the embedded database, in MiB. Below it, GET /v1/ready reports the disk as failed. Default: 256.",
  ORGPLANE_DATABASE_WAIT_SECONDS:
    "How long the server waits at startup for a PostgreSQL server that is unreachable or read-only, in seconds, 0 to 3600. Default: 60.",
  ORGPLANE_DRAIN_SECONDS:
    "After SIGTERM, how long new connections are still accepted while GET /v1/ready returns 503, in seconds, 0 to 600. Default: 5.",
  ORGPLANE_SHUTDOWN_SECONDS:
    "Maximum time from SIGTERM or SIGINT until the process exits, including the drain, in seconds, 1 to 3600. Default: 25.",
  ORGPLANE_SEED:
    "Whether the server creates a demo workspace: demo or none. Default: demo if the embedded database is used and ORGPLANE_HOST is loopback, otherwise none.",
  ORGPLANE_BOOTSTRAP:
    "Who can create unclaimed workspaces: open (everyone), off (no one), or a token that the request must send. Default: open when ORGPLANE_HOST is loopback, otherwise off.",
  ORGPLANE_PUBLIC_URL:
    "URL at which clients reach the server, also used to build links. If it has no path, ORGPLANE_PATH_PREFIX is appended. Default: http:// with the host and port.",
  ORGPLANE_PATH_PREFIX: "Path under which the server is mounted, such as /orgplane. Default: none.",
  ORGPLANE_CONSOLE: "Whether the server serves the web console at /console: true or false. Default: true.",
  ORGPLANE_SECRET_KEYS:
    "Encryption keys, newest first, comma-separated, at least 32 characters each. Required with PostgreSQL; the embedded database generates one. Within an hour of startup, values encrypted with an older key are re-encrypted with the newest key; orgplane-server rotate-keys does so at once. A key after verify: only verifies what it has signed. They also sign if ORGPLANE_SIGNING_KEYS is not set.",
  ORGPLANE_SIGNING_KEYS:
    "Signing keys for links, cursors, sign-in codes and audit events, newest first, comma-separated, at least 32 characters each. They decrypt nothing. The first one signs; all of them and ORGPLANE_SECRET_KEYS verify. Keep an older key for as long as you need to verify audit events that were signed with it. Default: ORGPLANE_SECRET_KEYS.",
  ORGPLANE_DEFAULT_PLAN: "Plan for new organizations. Default: enterprise.",
  ORGPLANE_PLATFORM_ADMINS: "Comma-separated email addresses of platform administrators. Default: none.",
  ORGPLANE_METRICS_TOKEN: "Bearer token required by GET /v1/metrics. If unset, GET /v1/metrics returns 404.",
  ORGPLANE_SMTP_URL:
    "Mail server: smtp://user:password@host:587?from=sender%40host, or smtps. Default: the embedded database writes emails to an outbox file; with PostgreSQL no email is sent.",
  ORGPLANE_GIT_LOCAL_ROOTS: "Comma-separated directories whose repositories can be connected by path. Default: none.",
  ORGPLANE_WEBHOOK_SECRET:
    "Secret with which the code host signs its webhooks, at least 16 characters. During a rotation, set two secrets separated by a comma or a line break. If unset, webhooks are rejected.",
  ORGPLANE_RECONCILE_SECONDS:
    "How often connected branches are checked for pushes that no webhook reported, in seconds. Set to 0 to disable the check. Default: 900.",
  ORGPLANE_CODEHOST_URL:
    "Base URL of the code host's REST API, such as https://api.example.com or https://git.example.com/api/v3. It may be a private address. Requires ORGPLANE_CODEHOST_APP_ID, _PRIVATE_KEY, _CLIENT_ID and _CLIENT_SECRET.",
  ORGPLANE_CODEHOST_WEB_URL: "URL of the code host's website. Default: derived from ORGPLANE_CODEHOST_URL.",
  ORGPLANE_CODEHOST_APP_ID: "ID or client ID of the app on the code host.",
  ORGPLANE_CODEHOST_PRIVATE_KEY: "The app's private RSA key: PEM text, or the path of a PEM file.",
  ORGPLANE_CODEHOST_CLIENT_ID:
    "The app's client ID, used to verify that a user is an administrator of an app installation.",
  ORGPLANE_CODEHOST_CLIENT_SECRET: "The app's client secret.",
  ORGPLANE_SUITE_A_URL:
    "Base URL of the mail suite's API, including its version. It may be a private address. Requires ORGPLANE_SUITE_A_OAUTH.",
  ORGPLANE_SUITE_A_OAUTH:
    "OAuth app registered with the mail suite: JSON with authorizationUrl, tokenUrl and clientId, and optionally clientSecret, scopes, revocationUrl, issuer and authorizationParameters.",
  ORGPLANE_SUITE_B_URL:
    "Base URL of the calendar suite's API, including its version. It may be a private address. Requires ORGPLANE_SUITE_B_OAUTH.",
  ORGPLANE_SUITE_B_OAUTH:
    "OAuth app registered with the calendar suite, in the same JSON format as ORGPLANE_SUITE_A_OAUTH.",
  ORGPLANE_REMOTE_SOURCES:
    "Comma-separated hosts from which marketplace plugins are fetched at their pinned revision. Example: github.com. For a mirror: github.com=https://mirror.example/git. For the npm registry: npm=https://npm.example. Default: none.",
  ORGPLANE_PLUGIN_FILE_BYTES: "Maximum size of a single plugin file, in bytes. Default: 5242880 (5 MiB).",
  ORGPLANE_PLUGIN_FILES: "Maximum number of files in a plugin. Default: 2000.",
  ORGPLANE_PLUGIN_BYTES: "Maximum total size of a plugin's files, in bytes. Default: 52428800 (50 MiB).",
  ORGPLANE_TELEMETRY_TYPES:
    "Comma-separated event types that are accepted in addition to the standard types, such as plugin.used. Default: none.",
  ORGPLANE_TELEMETRY_RETENTION: "How long telemetry events are kept, in days, 1 to 3650. Default: 400.",
  ORGPLANE_RETENTION_AUDIT_DAYS:
    "How long audit events are kept, in days, 30 to 36500. Events are deleted from the start of the chain, and a signed record replaces them. Default: no limit.",
  ORGPLANE_RETENTION_CREDENTIAL_DAYS:
    "How long ended sessions, tokens, links and claims are kept, in days, 1 to 3650. Default: 30.",
  ORGPLANE_RETENTION_DELIVERY_DAYS: "How long webhook deliveries are listed, in days, 7 to 3650. Default: 30.",
  ORGPLANE_RETENTION_DEVICE_DAYS:
    "How long devices are listed after their last report, in days, 7 to 3650. Default: 90.",
  ORGPLANE_RETENTION_INVITATION_DAYS:
    "How long invitations are kept after they were accepted, canceled or expired, in days, 1 to 3650. Default: 400.",
  ORGPLANE_RETENTION_REMOVED_DAYS:
    "How long removed objects can be restored by a rollback, in days, 1 to 3650. Default: 30.",
  ORGPLANE_RETENTION_SCIM_LOG_DAYS: "How long the SCIM request log is kept, in days, 1 to 3650. Default: 30.",
  ORGPLANE_RETENTION_SYNCS: "How many completed syncs of each branch are listed, 100 to 100000. Default: 1000.",
  ORGPLANE_RETENTION_WORKER_ACTIVITY_DAYS: "How long the activity of workers is kept, in days, 1 to 3650. Default: 30.",
  ORGPLANE_STORAGE_QUOTAS:
    "Comma-separated limits for the content that an organization stores, by plan, such as free=1GB,enterprise=unlimited. unclaimed is the limit of unclaimed workspaces, and default the limit of all other plans. Units: kB, MB, GB, TB. Default: unclaimed=50MB,default=20GB.",
  ORGPLANE_WORKER_COMMAND:
    "Program that starts the runtime of a cloud worker: a path, or a JSON array of a program and its arguments. If unset, cloud workers cannot be created.",
  ORGPLANE_WORKER_HEARTBEAT_SECONDS:
    "Heartbeat interval for workers, in seconds, 1 to 3600. A worker that misses three heartbeats is marked as failed. Default: 30.",
  ORGPLANE_MODELS_URL:
    "URL of the public model catalog; it may be a private address. Set to off to disable the catalog. Default: https://models.dev/api.json.",
  ORGPLANE_EMBEDDINGS_URL:
    "Embeddings endpoint for memories and search queries, such as https://api.openai.com/v1/embeddings. It may be a private address. Memory texts and search queries are sent to it. Requires ORGPLANE_EMBEDDINGS_MODEL. If unset, no text is sent.",
  ORGPLANE_EMBEDDINGS_MODEL:
    "Model name sent to the embeddings endpoint. If you change the model, existing vectors are recomputed.",
  ORGPLANE_EMBEDDINGS_KEY: "Bearer token for the embeddings endpoint. Default: none.",
  ORGPLANE_OUTBOUND_ALLOW:
    "Comma-separated private address ranges that URLs supplied by callers may resolve to. Default: none.",
  ORGPLANE_OUTBOUND_ALLOW_HTTP:
    "Comma-separated address ranges and host names that the server may reach over plain http, such as 127.0.0.0/8 or mcp.internal. Private addresses also need ORGPLANE_OUTBOUND_ALLOW. Default: none.",
  ORGPLANE_OUTBOUND_PROXY:
    "Proxy for all outbound requests. The server resolves and checks host names, and passes IP addresses to the proxy.",
  ORGPLANE_OUTBOUND_CA: "Additional CA certificates for outbound requests, in PEM format.",
  ORGPLANE_DNS_SERVERS:
    "Comma-separated name servers for outbound requests and domain verification, such as 127.0.0.1:5353 or [2001:db8::1]. Default: the operating system's resolver.",
  ORGPLANE_CORS_ORIGINS: "Comma-separated origins allowed by CORS, such as https://app.example. Default: none.",
  ORGPLANE_TRUSTED_PROXIES:
    "Comma-separated addresses or ranges of proxies whose x-forwarded-for header is trusted. Default: none.",
  ORGPLANE_LOG_LEVEL: "Minimum level of log messages: none, error, warn, info or debug. Default: info.",
  ORGPLANE_OTLP_URL:
    "Base URL of an OpenTelemetry collector (OTLP over HTTP, JSON) that receives traces, metrics and logs, such as http://127.0.0.1:4318. Default: none.",
  ORGPLANE_TRACE_SAMPLE_RATIO:
    "Share of the requests and jobs that are traced if ORGPLANE_OTLP_URL is set, 0 to 1. A request with the header traceparent is traced if its caller traces it. Failed requests always have a server span. Default: 1."
} as const

export type VariableName = keyof typeof variables

/** Variables whose values are never printed. */
export const secretNames: ReadonlySet<VariableName> = new Set([
  "ORGPLANE_DATABASE_URL",
  "ORGPLANE_SECRET_KEYS",
  "ORGPLANE_SIGNING_KEYS",
  "ORGPLANE_METRICS_TOKEN",
  "ORGPLANE_SMTP_URL",
  "ORGPLANE_WEBHOOK_SECRET",
  "ORGPLANE_OUTBOUND_PROXY",
  "ORGPLANE_CODEHOST_PRIVATE_KEY",
  "ORGPLANE_CODEHOST_CLIENT_SECRET",
  "ORGPLANE_SUITE_A_OAUTH",
  "ORGPLANE_SUITE_B_OAUTH",
  "ORGPLANE_EMBEDDINGS_KEY"
])

/** Whether a value is never printed. A bootstrap policy can be a token. */
export const isSecretValue = (name: string, value: string): boolean =>
  secretNames.has(name as VariableName) || (name === "ORGPLANE_BOOTSTRAP" && value !== "open" && value !== "off")
