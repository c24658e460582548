/** What reaches out of the process, or makes chance, and who alone may. Paths end with a slash for all below them. */
export const guarded: ReadonlyArray<{
  readonly what: string
  readonly pattern: RegExp
  readonly allowed: Readonly<Record<string, string>>
}> = [
  {
    what: "sockets",
    pattern:
      /(?:^import (?!type\b)[^"]*?|^export [^"\n]*?from |\b(?:import|require|getBuiltinModule)\(\s*)"(?:node:)?(?:net|tls|http|https|http2|dgram|dns|dns\/promises|quic|_\w+)"/gm,
    allowed: {
      "packages/cli/src/loopback.ts": "where a browser comes back to after a sign-in",
      "packages/server/src/infra/outbound/": "the one way out",
      "packages/server/src/infra/sql/postgres-session.ts": "the database that the operator names",
      "packages/server/src/infra/adapters/mailer-smtp.ts": "the certificates that an operator's are added to",
      "packages/server/src/main.ts": "it listens"
    }
  },
  {
    what: "libraries that open connections of their own",
    pattern:
      /^import (?!type\b)[^"]*?"(?:effect\/http\/FetchHttpClient|effect\/(?:http\/HttpClient|Socket|socket\/\w+)|@effect\/platform-node\/Node(?!Runtime|Services)\w+|@effect\/sql-pg(?:\/\w+)?|nodemailer|isomorphic-git\/http\/[^"]+|undici|ws)"/gm,
    allowed: {
      "packages/client/src/effect/index.ts": "the client's own, unless it is given one",
      "packages/server/src/infra/otlp.ts": "the collector that the operator names",
      "packages/server/src/infra/adapters/mailer-smtp.ts": "the mail server that the operator names",
      "packages/server/src/infra/sql/": "the database that the operator names",
      "packages/server/src/main.ts": "it listens"
    }
  },
  {
    what: "other processes",
    pattern: /"(?:node:)?(?:child_process|cluster)"/g,
    allowed: {
      "packages/cli/src/browser.ts": "the browser of the person at the terminal",
      "packages/server/src/infra/adapters/git/system-git.ts": "git, to read a repository on this machine's disk",
      "packages/server/src/infra/adapters/provisioner-local/":
        "the operator's own program, which runs a worker's runtime",
      "packages/server/src/infra/process-start.ts": "when the holder of a lock began"
    }
  },
  {
    what: "fetch",
    pattern:
      /(?<![.\w])fetch\(|\bglobalThis\b|= fetch\b|\bnew (?:WebSocket|EventSource|WebTransport|XMLHttpRequest)\b/g,
    allowed: {
      "packages/client/src/transport.ts": "the client's own, unless it is given one",
      "packages/client/src/telemetry.ts": "asks what the runtime has: a process, crypto; sends by the client",
      "packages/cli/src/process-io.ts": "the program's one use of it"
    }
  },
  {
    what: "node:crypto",
    pattern: /"node:crypto"/g,
    allowed: {
      "packages/server/src/infra/crypto/": "digests, seals, tokens",
      "packages/server/src/identity/sessions/": "codes, and their comparison in constant time",
      "packages/server/src/infra/secret-keys.ts": "makes the secret of an embedded database",
      "packages/server/src/infra/outbound/layer.ts": "reads the operator's certificates",
      "packages/server/src/infra/sql/data-dir.ts": "names the holder of the directory's lock",
      "packages/server/src/infra/sql/pglite-session.ts": "the session's number, as a PostgreSQL server gives one",
      "packages/server/src/infra/sql/postgres-session.ts": "the nonce of an authentication",
      "packages/server/src/infra/adapters/git/download.ts": "git's own digests",
      "packages/server/src/infra/adapters/git/objects.ts": "git's own digests",
      "packages/server/src/infra/adapters/rest/app-key.ts": "reads the key that signs the app's tokens",
      "packages/server/src/infra/adapters/archive/integrity.ts": "what a package or archive is pinned to",
      "packages/server/src/infra/adapters/saml/signature.ts": "it verifies signatures of identity providers",
      "packages/server/src/infra/adapters/saml/certificate.ts": "reads identity providers' certificates",
      "packages/cli/src/archive.ts": "judges an archive's digest and signature",
      "packages/cli/src/connection.ts": "idempotency keys",
      "packages/cli/src/loopback.ts": "a path that nobody guesses",
      "packages/cli/src/profiles.ts": "names a file while it is written"
    }
  },
  {
    what: "the clock",
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/g,
    allowed: {
      "packages/client/src/transport.ts": "no Effect there: deadlines and pauses",
      "packages/client/src/telemetry.ts": "the same, and when an event happened",
      "packages/cli/src/process-io.ts": "the program's one clock",
      "packages/server/src/infra/adapters/mailer-outbox.ts": "when a letter was put down",
      "packages/server/src/infra/outbound/stopwatch.ts": "what each phase of an exchange took, below Effect",
      "packages/server/src/infra/sql/data-dir.ts": "the age of a lock file, against the file system's clock"
    }
  },
  {
    what: "chance",
    pattern: /\bMath\.random\(/g,
    allowed: {
      "packages/client/src/transport.ts": "spreads out retries",
      "packages/client/src/telemetry.ts": "the same; an id where a runtime has no crypto",
      "packages/server/src/infra/sql/data-dir.ts": "spreads out two starts at once",
      "packages/server/src/infra/sql/notices.ts": "spreads out reconnections"
    }
  },
  {
    what: "the environment",
    pattern: /\bprocess\.env\b/g,
    allowed: {
      "packages/server/src/main.ts": "hands it to config/environment.ts",
      "packages/server/src/infra/adapters/git/system-git.ts": "PATH, to find git",
      "packages/cli/src/process-io.ts": "the program's one look at it"
    }
  },
  {
    what: "standard output by console",
    pattern: /\bconsole\.\w+\(/g,
    allowed: {}
  }
]
