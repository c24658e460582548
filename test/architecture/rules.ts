/** The architecture rules as data; `docs/architecture.md` explains them. Change both together. */

/** The imports that each package may use. A name that ends with a slash covers everything below it. */
export const allowedImports: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/schema/src": ["effect/"],
  "packages/client/src/effect": ["effect/", "@orgplane/schema/"],
  "packages/client/src": [],
  "packages/cli/src": [
    "effect/",
    "@orgplane/client/transport",
    "@orgplane/schema/shared/configuration/change-actions",
    "@orgplane/schema/shared/configuration/limits",
    "@orgplane/schema/shared/configuration-files/",
    "@orgplane/schema/shared/edit-distance",
    "jq-wasm",
    "jsonc-parser",
    "modern-tar",
    "string-width",
    "yaml",
    "yauzl",
    "node:"
  ],
  "packages/console/src/app": [
    "@base-ui/react/",
    "@dagrejs/dagre",
    "@orgplane/client",
    "@tanstack/react-query",
    "@tanstack/react-router",
    "@tanstack/react-virtual",
    "diff",
    "marked",
    "react",
    "react-dom/client",
    "react/jsx-runtime",
    "uplot"
  ],
  "packages/console/src": ["node:"],
  "packages/server/src": [
    "effect/",
    "@orgplane/console",
    "@orgplane/schema/",
    "@effect/sql-pg",
    "@effect/sql-pg/",
    "@effect/platform-node/",
    "@electric-sql/pglite",
    "@electric-sql/pglite/",
    "@node-saml/node-saml",
    "age-encryption",
    "csv-stringify/",
    "diff",
    "email-providers",
    "eventsource-parser",
    "fflate",
    "ipaddr.js",
    "isomorphic-git",
    "aws4fetch",
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
 * one line do not import each other. The files beside the wings are the wiring and may import all of them; only they
 * import `wing.ts`, which lists the modules of a wing.
 */
export const wings: ReadonlyArray<ReadonlyArray<string>> = [
  ["infra"],
  ["identity"],
  ["agents"],
  ["content", "enterprise"],
  ["operations"]
]

/**
 * The files of a module that other modules may import. Only the wiring imports `http.ts`, and only the `wing.ts` of its
 * wing imports `module.ts`.
 */
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
  "infra/attention": ["source"],
  "infra/audit": ["moment", "record", "refusals"],
  "infra/config": [
    "adapters",
    "check-options",
    "closest",
    "environment",
    "ranges",
    "read-configuration",
    "retention",
    "storage-quotas",
    "setting-names",
    "settings",
    "settings-layer",
    "unknown-variables",
    "variables"
  ],
  "infra/crypto": ["canary", "digest", "key-holders", "key-ring", "sealed-columns", "signing-keys", "tokens"],
  "infra/http": [
    "client-address",
    "compile-schemas",
    "current-response",
    "dispatch/admission",
    "dispatch/entrance",
    "dispatch/layer",
    "edge",
    "handlers",
    "headers",
    "host-request",
    "html",
    "json-bounds",
    "lines",
    "link-token",
    "long-response",
    "peer-address",
    "plain-url",
    "retry-after",
    "scim-error",
    "signed-file",
    "stopping",
    "validation-details"
  ],
  "infra/jobs": ["analyze", "group", "index", "lease", "leased"],
  "infra/limits": ["address-budget", "admission-queue", "credential-gate", "index"],
  "infra/mail": ["index", "mailer"],
  "infra/mutate": ["index"],
  "infra/operator-channel": ["index"],
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
    "log",
    "mailer",
    "mcp-servers",
    "model-catalog",
    "outbound",
    "provisioner",
    "remote-content",
    "sso",
    "suites"
  ],
  "infra/storage": ["bytes", "index"],
  "infra/scim": ["language/index", "log", "log-repo"],
  "infra/metrics": ["definitions", "metrics", "process"],
  "infra/sql": [
    "advisory-locks",
    "await-postgres",
    "client",
    "connection-leases",
    "data-dir",
    "data-dir-state",
    "database",
    "defer",
    "expect-row",
    "expiring",
    "failure-code",
    "health",
    "is-traced",
    "like",
    "migrate",
    "migrations/row-security",
    "move-schema",
    "moved",
    "notices",
    "organization-scope",
    "pglite",
    "pglite-engine",
    "plugin-manifest",
    "pooler",
    "postgres-source",
    "postgres-url",
    "read",
    "release-checks",
    "schema",
    "share",
    "snapshot",
    "statement-timeout",
    "storage-counter",
    "texts",
    "timestamps",
    "unavailable",
    "unique",
    "usage",
    "wakes"
  ],
  "identity/access": ["http", "module", "removal", "repo", "service"],
  "identity/api-keys": ["attention-repo", "http", "repo", "hint"],
  "identity/audit": ["chain", "chain-repo", "feed", "feed-lines", "http", "module", "repo"],
  "identity/audiences": ["bucket", "bucket-repo", "demand", "index", "repo"],
  "identity/auth": ["authentication", "module", "permissions", "platform", "principals", "repo", "rights", "sessions"],
  "identity/bootstrap": ["http", "module", "service"],
  "identity/events": ["http", "repo", "selection", "wire"],
  "identity/webhook-endpoints": ["attention-repo", "http", "module", "repo", "secrets", "service"],
  "identity/event-streams": ["attention-repo", "http", "module", "repo", "secrets", "service"],
  "identity/grants": ["blocked-repo", "index", "pinned-repo", "served-repo"],
  "identity/invitations": ["attention-repo", "http"],
  "identity/members": ["end", "http", "managed-repo", "repo", "service"],
  "identity/organizations": ["http", "repo", "service"],
  "identity/roles": ["http", "index", "repo", "service"],
  "identity/sessions": ["http", "repo"],
  "identity/teams": ["http", "repo", "service"],
  "identity/users": ["bound", "email", "http", "memories-repo", "own-policy", "repo", "verified-domains"],
  "agents/capabilities": ["http"],
  "agents/llm-providers": ["attention-repo", "connect-service", "http", "module", "repo", "service"],
  "agents/mcp-connections": [
    "attention-repo",
    "connect-service",
    "http",
    "module",
    "redact",
    "repo",
    "service",
    "tools-service",
    "url-key"
  ],
  "agents/memory": ["http", "module"],
  "agents/oauth": ["index", "module"],
  "agents/telemetry": ["http", "module", "summary"],
  "agents/workers": ["attention-repo", "http", "module", "repo", "runtime-token", "supervisor"],
  "content/approvals": [
    "attention-repo",
    "checks",
    "http",
    "modes-repo",
    "module",
    "retention-repo",
    "settings-service"
  ],
  "content/assignments": ["http", "inherit-repo", "repo", "resolve", "service"],
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
    "version-audit",
    "version-diff"
  ],
  "content/connectors": [
    "accounts-repo",
    "accounts-service",
    "attention-repo",
    "configuration-runs-repo",
    "connect-service",
    "http",
    "import-service",
    "lanes",
    "lock-instance",
    "mappings-service",
    "module",
    "plan",
    "remote-events",
    "repo",
    "repository",
    "service",
    "targets-repo",
    "targets-service"
  ],
  "content/delivery": ["http"],
  "content/devices": ["http", "module"],
  "content/marketplaces": ["attention-repo", "http", "published", "repo", "service"],
  "content/plugin-capabilities": ["index", "object-files", "service"],
  "content/plugins": [
    "archive-contents",
    "archive-layout",
    "archive-names",
    "archive-repo",
    "archive-service",
    "collection",
    "component-paths",
    "http",
    "module",
    "repo",
    "service"
  ],
  "content/rollouts": ["attention-repo", "evidence", "http", "module", "service", "settings-repo", "start"],
  "content/templates": ["http", "repo", "service"],
  "content/webhooks": ["http", "module"],
  "enterprise/desktop-policies": ["http", "plan", "repo", "service"],
  "enterprise/domains": ["attention-repo", "http", "module", "name", "repo", "service"],
  "enterprise/scim": ["address", "attention-repo", "differences", "end", "holds", "http", "repo", "roles", "service"],
  "enterprise/scim-protocol": ["http"],
  "enterprise/sso": ["attention-repo", "client-secret", "http", "repo", "service", "sign-in-repo"],
  "operations/admin": ["http"],
  "operations/attention": ["http"],
  "operations/backup": ["backup", "encryption", "failure", "index", "restore", "verify"],
  "operations/check-config": ["index"],
  "operations/configuration": ["http", "module", "secrets", "service", "summary"],
  "operations/configuration-source": ["attention-repo", "http", "module"],
  "operations/console": ["exchange", "http"],
  "operations/doctor": ["index", "repo", "work"],
  "operations/housekeeping": ["module", "bounds", "state-repo", "steps"],
  "operations/metrics": ["http"],
  "operations/move": ["index"],
  "operations/purge": ["purge", "purge-removed"],
  "operations/operator": ["index"],
  "operations/reseal": ["discard", "index", "module", "rotate", "serve", "status"],
  "operations/search": ["http"],
  "operations/support-bundle": ["index", "serve"],
  "operations/system": ["http", "link-pages"]
}

export { guarded } from "./outside.ts"

/** What sets the status and the headers of a response. Services return values and errors, and `http.ts` sets both. */
export const responseState = /\b(responseState|responseHeaders|CurrentResponse|HttpServerResponse)\b/
/** Files other than `http.ts` that mention it, and why. */
export const responseStateElsewhere: Readonly<Record<string, string>> = {
  "packages/server/src/agents/oauth/callback.ts": "the responses to a browser, which `http.ts` returns",
  "packages/server/src/app.ts": "only the type: the server wraps every response",
  "packages/server/src/enterprise/sso/browser-response.ts": "the responses to a browser, which `http.ts` returns",
  "packages/server/src/operations/console/": "the pages of the console, and the responses that set its cookie",
  "packages/server/src/operations/system/link-pages.ts": "HTML pages for browsers",
  "packages/server/src/infra/": "the edge, the helpers of `http.ts`, rate limits and idempotency keys",
  "packages/server/src/identity/auth/": "authentication runs before every handler",
  "packages/server/src/enterprise/scim-protocol/bulk-service.ts": "each operation of a request has its own response",
  "packages/server/src/seed.ts": "calls services without a request"
}

/** Services and repository reads whose names differ from the rule on the architecture page, and why. */
export const otherNames: Readonly<Record<string, string>> = {
  ReconcileService: "its file is named after the job that it runs",
  SyncService: "its file is named after the job that it runs",
  MarketplaceLinks: "named after the objects that it manages",
  PluginArchives: "named after the objects that it manages"
}

/** Files with SQL other than `repo.ts`, `*-repo.ts` and `sql/`, and why. */
export const sqlElsewhere: Readonly<Record<string, string>> = {
  "packages/server/src/infra/audit/record.ts": "inserts one row in every change's transaction",
  "packages/server/src/content/connectors/remove-instance.ts": "the steps of a removal, in order",
  "packages/server/src/infra/crypto/canary.ts": "reads one row of the installation before anything else",
  "packages/server/src/infra/crypto/key-holders.ts": "reads the locks of server processes",
  "packages/server/src/infra/crypto/sealed-columns.ts": "counts the values of all tables, at the start too",
  "packages/server/src/infra/crypto/signing-keys.ts": "the key is stored encrypted in the database",
  "packages/server/src/identity/grants/index.ts": "visibility is a fragment of other modules' statements",
  "packages/server/src/infra/jobs/": "processes the queue of all organizations",
  "packages/server/src/operations/purge/": "deletes the rows of all tables, in order",
  "packages/server/src/operations/housekeeping/": "deletes expired rows of many tables",
  "packages/server/src/identity/users/verified-domains.ts":
    "the organization of an email, for linking or creating people",
  "packages/server/src/infra/limits/index.ts": "exact rate limits count in one statement",
  "packages/server/src/identity/members/end.ts": "everything that ends with a membership, in order",
  "packages/server/src/infra/mutate/": "claims the idempotency key, in the change's transaction",
  "packages/server/src/infra/scim/language/filter-sql.ts": "a filter is a condition in other modules' statements",
  "packages/server/src/operations/system/http.ts": "`SELECT 1`: checks that the queue's table can be read"
}

/** Fragments of other modules' statements: each is checked inlined into those statements. */
export const sharedFragments = "packages/server/src/identity/grants/index.ts"

/** Uses of `*` on a name that the same statement defines. */
export const allowedStars: Readonly<Record<string, string>> = {
  "packages/server/src/content/config-objects/repo.ts": "`k.*`, the columns of the caller's own `keys`"
}

export const linesMax = { source: 500, test: 800 }
/** Longer files, and why they are not split. */
export const longFiles: Readonly<Record<string, string>> = {
  "packages/server/test/infra/http-callers.ts": "every kind of caller, and the expected response",
  "test/contract.test.ts": "every operation and record of the specification",
  "packages/schema/src/connectors.ts": "one group, its entities, errors and endpoints",
  "packages/server/test/infra/http-world.ts": "one object of every kind, and one body of every payload"
}

/** A cast that disables type checking, searched in code. */
export const bannedCode = /\bas any\b/
/** Marks of unfinished work, searched in comments too. Written so that this file does not contain them. */
export const bannedWords = /\b(TO[D]O|FIX[M]E|X{3}|HA[C]K)\b/
export const bannedFiles = /(^|\/)(utils?|helpers?|types|common|misc)(\.\w+)?\.ts$/
