/** The architecture rules as data; `docs/architecture.md` explains them. Change both together. */

/** What each package may import at all. A name with a slash at its end stands for all below it. */
export const floors: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/schema/src": ["effect/"],
  "packages/client/src/effect": ["effect/", "@orgplane/schema/"],
  "packages/client/src": [],
  "packages/cli/src": ["effect/", "@orgplane/client", "yaml", "node:"],
  "packages/server/src": [
    "effect/",
    "@orgplane/schema/",
    "@effect/sql-pg",
    "@effect/sql-pg/",
    "@effect/platform-node/",
    "@electric-sql/pglite",
    "@electric-sql/pglite/",
    "@node-saml/node-saml",
    "csv-stringify/",
    "diff",
    "email-providers",
    "eventsource-parser",
    "fflate",
    "ipaddr.js",
    "isomorphic-git",
    "jose",
    "modern-tar",
    "nodemailer",
    "oauth4webapi",
    "tldts",
    "typeid-js",
    "yaml",
    "yauzl",
    "node:"
  ]
}

/**
 * The wings of the server, lowest first. A module imports from its own wing and from wings on earlier lines; two wings on
 * one line do not import each other. The files beside the wings are the wiring and may import all of them.
 */
export const wings: ReadonlyArray<ReadonlyArray<string>> = [
  ["infra"],
  ["identity"],
  ["agents"],
  ["content", "enterprise"],
  ["operations"]
]

/** The files of a module that other modules may import. Only the wiring imports `http.ts`. */
export const entryPoints: Readonly<Record<string, ReadonlyArray<string>>> = {
  "infra/adapters": [
    "embeddings/index",
    "git/index",
    "llm/index",
    "mailer-outbox",
    "mailer-smtp",
    "mcp/index",
    "models/index",
    "oidc/index",
    "provisioner-local/index",
    "remote/index",
    "rest/index",
    "saml/index",
    "suites/index"
  ],
  "infra/audit": ["moment", "record"],
  "infra/config": ["environment", "ranges", "settings"],
  "infra/crypto": ["canary", "digest", "key-ring", "signing-keys", "tokens"],
  "infra/http": [
    "answer",
    "client-address",
    "compile-schemas",
    "edge",
    "handlers",
    "head",
    "json-bounds",
    "lines",
    "link-token",
    "long-answer",
    "metrics",
    "peer-address",
    "scim-error",
    "stopping"
  ],
  "infra/jobs": ["analyze", "index"],
  "infra/limits": ["address-budget", "credential-gate", "index", "waiting-room"],
  "infra/mail": ["index", "mailer"],
  "infra/mutate": ["index"],
  "infra/outbound": ["index"],
  "infra/pages": ["index"],
  "infra/ports": [
    "authenticator",
    "code-host",
    "code-host-app",
    "dns-text",
    "embedder",
    "event-store",
    "index",
    "llm-endpoints",
    "mailer",
    "mcp-servers",
    "model-catalog",
    "outbound",
    "provisioner",
    "remote-content",
    "sso",
    "suites"
  ],
  "infra/scim": ["language/index", "log", "log-repo"],
  "infra/sql": [
    "advisory-locks",
    "await-postgres",
    "client",
    "database",
    "failure-code",
    "fence",
    "health",
    "like",
    "migrations/row-security",
    "notices",
    "patience",
    "plugin-manifest",
    "postgres-url",
    "read",
    "share",
    "texts",
    "timestamps",
    "unavailable",
    "unique",
    "wakes"
  ],
  "identity/access": ["http", "index", "repo"],
  "identity/api-keys": ["http", "repo", "shape"],
  "identity/audit": ["chain", "http", "repo"],
  "identity/auth": ["authentication", "permissions", "principals", "repo", "sessions"],
  "identity/bootstrap": ["http", "service"],
  "identity/grants": ["index"],
  "identity/invitations": ["http"],
  "identity/members": ["end", "http", "managed-repo", "repo"],
  "identity/organizations": ["http", "repo"],
  "identity/roles": ["http", "index"],
  "identity/sessions": ["http", "repo"],
  "identity/teams": ["http", "repo"],
  "identity/users": ["bound", "email", "http", "memories-repo", "own-policy", "repo", "verified-domains"],
  "agents/capabilities": ["http"],
  "agents/llm-providers": ["catalog-service", "connect-service", "http", "service"],
  "agents/mcp-connections": [
    "call",
    "connect-service",
    "http",
    "redact",
    "repo",
    "service",
    "tools-service",
    "url-key"
  ],
  "agents/memory": ["embedding", "http", "repo"],
  "agents/oauth": ["index"],
  "agents/telemetry": ["http", "keep-partitions", "summary"],
  "agents/workers": ["http", "runtime-token", "supervisor"],
  "content/config-objects": [
    "content",
    "content-digest",
    "file-name",
    "http",
    "membership",
    "membership-repo",
    "object-repo",
    "parse",
    "parse-front-matter",
    "parse-json",
    "parse-text",
    "read-yaml",
    "repo",
    "service",
    "version-diff"
  ],
  "content/connectors": [
    "accounts-service",
    "connect-service",
    "discovery-service",
    "http",
    "import-service",
    "mappings-service",
    "operations-service",
    "reconcile",
    "remote-events",
    "remote-service",
    "repository",
    "service",
    "sync"
  ],
  "content/marketplaces": ["http", "repo"],
  "content/plugins": ["archive-layout", "archive-names", "archive-service", "http", "repo", "service"],
  "content/templates": ["http"],
  "content/webhooks": ["http", "inbox"],
  "enterprise/desktop-policies": ["http", "service"],
  "enterprise/domains": ["http", "reproof"],
  "enterprise/scim": ["address", "differences", "end", "holds", "http", "roles"],
  "enterprise/scim-protocol": ["http"],
  "enterprise/sso": ["http", "repo", "sign-in-repo"],
  "operations/admin": ["http"],
  "operations/housekeeping": ["housekeeping"],
  "operations/purge": ["purge", "purge-removed"],
  "operations/reseal": ["index"],
  "operations/system": ["http", "link-pages"]
}

export { guarded } from "./outside.ts"

/** Where SQL may stand besides `repo.ts`, `*-repo.ts` and `sql/`, and why it does. */
export const sqlElsewhere: Readonly<Record<string, string>> = {
  "packages/server/src/infra/audit/record.ts": "one row in every change's transaction",
  "packages/server/src/content/connectors/remove.ts": "the steps of a removal, in their order",
  "packages/server/src/infra/crypto/canary.ts": "one row of the installation, read before anything else",
  "packages/server/src/infra/crypto/signing-keys.ts": "the key lies sealed in the database",
  "packages/server/src/identity/grants/index.ts": "visibility is a fragment of other rooms' statements",
  "packages/server/src/infra/jobs/": "works on the queue over all organizations",
  "packages/server/src/operations/purge/": "deletes the rows of all tables in their order",
  "packages/server/src/operations/housekeeping/": "deletes expired rows of many tables",
  "packages/server/src/identity/users/verified-domains.ts":
    "whose an address is, for whoever links or makes a person by one",
  "packages/server/src/infra/limits/index.ts": "exact limits count in one statement",
  "packages/server/src/identity/members/end.ts": "all that ends with a membership, in its order",
  "packages/server/src/infra/mutate/": "the claim on an idempotency key, in the change's transaction",
  "packages/server/src/infra/scim/language/filter-sql.ts": "a filter is a condition of other rooms' statements",
  "packages/server/src/operations/system/http.ts": "`SELECT 1`: does the queue's table answer?"
}

/** Fragments that other rooms' statements are made of: judged in each of those as if they stood there. */
export const sharedFragments = "packages/server/src/identity/grants/index.ts"

/** `*` over a name that the same statement made. */
export const ownStars: Readonly<Record<string, string>> = {
  "packages/server/src/content/config-objects/repo.ts": "`k.*`, the columns of the caller's own `keys`"
}

export const linesMax = { source: 500, test: 800 }
/** Longer files, and why they are one. */
export const longFiles: Readonly<Record<string, string>> = {
  "packages/cli/src/overrides.ts": "one line for each operation that people see otherwise",
  "packages/server/test/infra/http-callers.ts": "everybody who may call, and what each is answered",
  "test/contract.test.ts": "every operation and record that the specification shows",
  "packages/schema/src/connectors.ts": "one group, its entities, errors and endpoints",
  "packages/server/test/infra/http-world.ts": "one thing of every kind, and one body of every payload"
}

/** A cast that ends all checking: looked for in code. */
export const bannedCode = /\bas any\b/
/** Marks of unfinished work: looked for in comments too. Written so that this file does not hold them. */
export const bannedWords = /\b(TO[D]O|FIX[M]E|X{3}|HA[C]K)\b/
export const bannedFiles = /(^|\/)(utils?|helpers?|types|common|misc)(\.\w+)?\.ts$/
