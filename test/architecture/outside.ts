/**
 * Access to the outside and to randomness, and the only files where each is allowed. A path that ends with a slash covers
 * everything below it.
 */
export const guarded: ReadonlyArray<{
  readonly what: string
  readonly pattern: RegExp
  readonly allowed: Readonly<Record<string, string>>
}> = [
  {
    what: "the console",
    pattern: /"@orgplane\/console"/g,
    allowed: { "packages/server/src/operations/console/http.ts": "serves its files; loaded only if it is served" }
  },
  {
    what: "sockets",
    pattern:
      /(?:^import (?!type\b)[^"]*?|^export [^"\n]*?from |\b(?:import|require|getBuiltinModule)\(\s*)"(?:node:)?(?:net|tls|http|https|http2|dgram|dns|dns\/promises|quic|_\w+)"/gm,
    allowed: {
      "packages/cli/src/http.ts": "sends the program's requests",
      "packages/cli/src/loopback.ts": "receives the browser's redirect after a sign-in",
      "packages/server/src/infra/outbound/": "the outbound HTTP client",
      "packages/server/src/infra/sql/postgres-session.ts": "the database that the operator configures",
      "packages/server/src/operations/support-bundle/own-server.ts": "the operator's own running server",
      "packages/server/src/infra/operator-channel/": "a socket in the data directory, for commands of the operator",
      "packages/server/src/infra/adapters/mailer-smtp.ts": "the default certificates, to add the operator's",
      "packages/server/src/program.ts": "listens for requests"
    }
  },
  {
    what: "libraries that open their own connections",
    pattern:
      /(?:^import (?!type\b)[^"]*?|\bimport\(\s*)"(?:effect\/http\/FetchHttpClient|effect\/(?:http\/HttpClient|Socket|socket\/\w+)|@effect\/platform-node\/Node(?!Runtime|Services)\w+|@effect\/sql-pg(?:\/\w+)?|nodemailer|isomorphic-git\/http\/[^"]+|undici|ws)"/gm,
    allowed: {
      "packages/client/src/effect/index.ts": "the client's default, unless one is passed",
      "packages/server/src/infra/otlp.ts": "the collector that the operator configures",
      "packages/server/src/infra/adapters/mailer-smtp.ts": "the mail server that the operator configures",
      "packages/server/src/infra/sql/": "the database that the operator configures",
      "packages/server/src/infra/http/dispatch/node-request.ts": "the type of a received request",
      "packages/server/src/program.ts": "listens for requests"
    }
  },
  {
    what: "other processes",
    pattern: /"(?:node:)?(?:child_process|cluster)"/g,
    allowed: {
      "packages/cli/src/browser.ts": "opens the user's browser",
      "packages/console/src/files.ts": "builds the console of a checkout",
      "packages/cli/src/process-pager.ts": "shows long output in the user's pager",
      "packages/server/src/infra/adapters/git/system-git.ts": "git, to read a repository on this machine's disk",
      "packages/server/src/infra/adapters/provisioner-local/":
        "the operator's own program, which runs a worker's runtime",
      "packages/server/src/infra/process-start.ts": "reads the start time of the process that holds a lock"
    }
  },
  {
    what: "fetch",
    pattern:
      /(?<![.\w])fetch\(|\bglobalThis\b|= fetch\b|\bnew (?:WebSocket|EventSource|WebTransport|XMLHttpRequest)\b/g,
    allowed: {
      "packages/client/src/transport.ts": "the client's default, unless one is passed",
      "packages/client/src/client-options.ts": "detects the runtime and its environment variables",
      "packages/client/src/telemetry.ts":
        "detects features of the runtime: a process, crypto; sends through the client",
      "packages/cli/src/http.ts": "detects whether the user has configured fetch",
      "packages/console/src/app/api/client.ts": "sends the requests of the client",
      "packages/console/src/app/shell/sign-in-flow.ts":
        "gives a session token to the server, which is not an operation",
      "packages/cli/src/output/require.ts": "defines require; sends nothing"
    }
  },
  {
    what: "node:crypto",
    pattern: /"node:crypto"/g,
    allowed: {
      "packages/server/src/infra/crypto/": "digests, encryption, tokens",
      "packages/server/src/identity/sessions/": "codes, and their constant-time comparison",
      "packages/server/src/identity/webhook-endpoints/signing.ts": "signs webhooks, and generates their secrets",
      "packages/server/src/infra/ids.ts": "the random part of identifiers",
      "packages/server/src/infra/secret-keys.ts": "generates the secret of an embedded database",
      "packages/server/src/infra/outbound/layer.ts": "reads the operator's certificates",
      "packages/server/src/infra/sql/data-dir.ts": "identifies the holder of the directory's lock",
      "packages/server/src/infra/sql/pglite-session.ts": "the session's process ID, as a PostgreSQL server assigns one",
      "packages/server/src/infra/sql/postgres-session.ts": "the nonce of an authentication",
      "packages/server/src/infra/adapters/git/download.ts": "git's own digests",
      "packages/server/src/infra/adapters/git/objects.ts": "git's own digests",
      "packages/server/src/infra/adapters/rest/app-key.ts": "reads the key that signs the app's tokens",
      "packages/server/src/infra/adapters/archive/integrity.ts": "verifies the pin of a package or archive",
      "packages/server/src/infra/adapters/saml/signature.ts": "verifies signatures of identity providers",
      "packages/server/src/infra/adapters/saml/certificate.ts": "reads identity providers' certificates",
      "packages/cli/src/agents/verify.ts": "verifies the digest of the desired state",
      "packages/cli/src/archive.ts": "verifies the digest of an archive",
      "packages/cli/src/ed25519.ts": "verifies signatures",
      "packages/cli/src/loopback.ts": "an unguessable path",
      "packages/console/src/files.ts": "identifies the sources of a build"
    }
  },
  {
    what: "the clock",
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/g,
    allowed: {
      "packages/client/src/transport.ts": "deadlines and retry delays, without Effect",
      "packages/client/src/telemetry.ts": "the same, and timestamps of events",
      "packages/client/src/verify-webhook.ts": "the age of a webhook, without Effect",
      "packages/cli/src/process-io.ts": "the program's only clock",
      "packages/console/src/": "pages in a browser, and the duration of a build, without Effect",
      "packages/server/src/infra/adapters/mailer-outbox.ts": "timestamps of emails",
      "packages/server/src/infra/ids.ts": "the time in identifiers",
      "packages/server/src/infra/metrics/process.ts": "the period of the event loop's delay, which Node.js measures",
      "packages/server/src/infra/outbound/pool.ts": "the age of connections, below Effect",
      "packages/server/src/infra/outbound/stopwatch.ts": "durations of the phases of an exchange, below Effect",
      "packages/server/src/infra/sql/data-dir.ts": "the age of a lock file, against the file system's clock"
    }
  },
  {
    what: "randomness",
    pattern: /\bMath\.random\(/g,
    allowed: {
      "packages/client/src/transport.ts": "adds jitter to retries",
      "packages/client/src/event-stream.ts": "the same, to connections of a stream",
      "packages/client/src/telemetry.ts": "the same; IDs in runtimes without crypto",
      "packages/server/src/infra/sql/data-dir.ts": "adds jitter to concurrent starts",
      "packages/server/src/infra/sql/notices.ts": "adds jitter to reconnections",
      "packages/server/src/infra/tracing.ts": "the share of the traces that is recorded"
    }
  },
  {
    what: "the environment",
    pattern: /\bprocess\.env\b/g,
    allowed: {
      "packages/server/src/main.ts": "passes it to program.ts; the directory for caches",
      "packages/server/src/infra/adapters/git/system-git.ts": "PATH, to find git",
      "packages/server/src/infra/sql/postgres-source.ts": "PGHOST and others, which fill in the settings of a pool",
      "packages/cli/src/main.ts": "the cache directory, and the colors of the prepared help",
      "packages/cli/src/process-io.ts": "the rest of the program"
    }
  },
  {
    what: "output through console",
    pattern: /\bconsole\.\w+\(/g,
    allowed: { "packages/client/src/client-options.ts": "warnings of the server, without a logger" }
  }
]
