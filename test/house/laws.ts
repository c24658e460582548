/** The house's laws as data; `docs/house.md` says them to people. Change both together. */

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
 * The rooms of the server from the ground up: each imports only from rooms above it in this list's order, never from its
 * own line. A file or folder named here is a room of its own, because it lies deeper than the rest of its folder.
 */
export const rooms: ReadonlyArray<ReadonlyArray<string>> = [
  ["ports", "ids.ts", "normalize.ts", "process-start.ts", "turns.ts", "version.ts", "config/settings.ts"],
  ["options.ts", "http/head.ts"],
  ["outbound", "adapters", "secret-keys.ts", "sql"],
  ["config/environment.ts", "crypto", "logger.ts", "mail", "scim/log-repo.ts"],
  [
    "crypto/signing-keys.ts",
    "audit/record.ts",
    "audit/moment.ts",
    "grants",
    "limits",
    "jobs",
    "otlp.ts",
    "pages",
    "http",
    "scim/language",
    "scim/log.ts"
  ],
  ["mutate", "auth", "crypto/canary.ts"],
  [
    "users/repo.ts",
    "users/bound.ts",
    "users/email.ts",
    "members/repo.ts",
    "memory/repo.ts",
    "sessions/repo.ts",
    "scim/managed-repo.ts",
    "roles"
  ],
  [
    "organizations/repo.ts",
    "members/end.ts",
    "memory/person-repo.ts",
    "api-keys/repo.ts",
    "api-keys/shape.ts",
    "plugins/manifest-repo.ts",
    "desktop-policies",
    "domains"
  ],
  ["jobs/purge.ts", "jobs/purge-removed.ts"],
  [
    "jobs/housekeeping.ts",
    "access",
    "api-keys",
    "audit",
    "organizations",
    "scim",
    "sessions",
    "system",
    "teams",
    "users"
  ],
  ["members", "memory", "invitations", "bootstrap", "config-objects", "scim-protocol"],
  ["plugins", "oauth"],
  ["mcp-connections", "capabilities", "workers", "telemetry", "templates", "sso"],
  ["marketplaces", "llm-providers", "admin"],
  ["connectors"],
  ["webhooks", "reseal"],
  ["rooms.ts", "seed.ts"],
  ["app.ts", "start-error.ts"],
  ["start.ts"],
  ["control-plane.ts"],
  ["node-handler.ts"],
  ["index.ts", "main.ts"]
]

/** The files of a room that others may import; `http.ts` is for `rooms.ts` alone. */
export const doors: Readonly<Record<string, ReadonlyArray<string>>> = {
  access: ["http", "index", "repo"],
  admin: ["http"],
  adapters: [
    "embeddings/index",
    "git/index",
    "rest/index",
    "mailer-outbox",
    "mailer-smtp",
    "llm/index",
    "mcp/index",
    "models/index",
    "oidc/index",
    "saml/index",
    "provisioner-local/index",
    "remote/index",
    "saml/index",
    "suites/index"
  ],
  "api-keys": ["http", "repo", "shape"],
  audit: ["chain", "http", "moment", "record", "repo"],
  auth: ["authentication", "permissions", "principals", "repo", "sessions"],
  bootstrap: ["http", "service"],
  capabilities: ["http"],
  config: ["environment", "settings"],
  "config-objects": [
    "http",
    "service",
    "repo",
    "content",
    "content-digest",
    "file-name",
    "membership",
    "membership-repo",
    "object-repo",
    "parse",
    "parse-front-matter",
    "read-yaml",
    "parse-json",
    "parse-text",
    "version-diff"
  ],
  connectors: [
    "http",
    "service",
    "accounts-service",
    "connect-service",
    "discovery-service",
    "import-service",
    "mappings-service",
    "operations-service",
    "reconcile",
    "remote-events",
    "remote-service",
    "repository",
    "sync"
  ],
  crypto: ["canary", "digest", "key-ring", "signing-keys", "tokens"],
  "desktop-policies": ["http", "service"],
  domains: ["http", "reproof", "verified"],
  grants: ["index"],
  http: [
    "json-bounds",
    "answer",
    "client-address",
    "compile-schemas",
    "edge",
    "handlers",
    "long-answer",
    "link-token",
    "head",
    "lines",
    "metrics",
    "peer-address",
    "scim-error",
    "stopping"
  ],
  invitations: ["http"],
  jobs: ["analyze", "index", "housekeeping", "purge", "purge-removed"],
  limits: ["address-budget", "credential-gate", "index"],
  "llm-providers": ["catalog-service", "connect-service", "http", "service"],
  mail: ["index", "mailer"],
  marketplaces: ["http", "repo"],
  "mcp-connections": ["call", "connect-service", "http", "redact", "repo", "service", "tools-service", "url-key"],
  members: ["end", "http", "repo"],
  memory: ["embedding", "http", "person-repo", "repo"],
  mutate: ["index"],
  oauth: ["index"],
  organizations: ["http", "repo"],
  outbound: ["index"],
  pages: ["index"],
  plugins: ["archive-layout", "archive-names", "archive-service", "http", "manifest-repo", "repo", "service"],
  ports: [
    "index",
    "authenticator",
    "code-host",
    "code-host-app",
    "dns-text",
    "embedder",
    "event-store",
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
  reseal: ["index"],
  roles: ["http", "index"],
  scim: [
    "address",
    "differences",
    "end",
    "holds",
    "http",
    "language/index",
    "log",
    "log-repo",
    "managed-repo",
    "roles"
  ],
  "scim-protocol": ["http"],
  sessions: ["http", "repo"],
  sso: ["http", "repo", "sign-in-repo"],
  sql: [
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
    "postgres-url",
    "read",
    "share",
    "texts",
    "timestamps",
    "unavailable",
    "unique",
    "wakes"
  ],
  system: ["http", "link-pages"],
  teams: ["http", "repo"],
  telemetry: ["http", "keep-partitions", "summary"],
  templates: ["http"],
  users: ["bound", "email", "http", "repo"],
  webhooks: ["http", "inbox"],
  workers: ["http", "runtime-token", "supervisor"]
}

export { guarded } from "./outside.ts"

/** Where SQL may stand besides `repo.ts`, `*-repo.ts` and `sql/`, and why it does. */
export const sqlElsewhere: Readonly<Record<string, string>> = {
  "packages/server/src/audit/record.ts": "one row in every change's transaction",
  "packages/server/src/connectors/remove.ts": "the steps of a removal, in their order",
  "packages/server/src/crypto/canary.ts": "one row of the installation, read before anything else",
  "packages/server/src/crypto/signing-keys.ts": "the key lies sealed in the database",
  "packages/server/src/grants/index.ts": "visibility is a fragment of other rooms' statements",
  "packages/server/src/jobs/": "works on the queue over all organizations",
  "packages/server/src/domains/verified.ts": "whose an address is, for whoever links or makes a person by one",
  "packages/server/src/limits/index.ts": "exact limits count in one statement",
  "packages/server/src/members/end.ts": "all that ends with a membership, in its order",
  "packages/server/src/mutate/": "the claim on an idempotency key, in the change's transaction",
  "packages/server/src/scim/language/filter-sql.ts": "a filter is a condition of other rooms' statements",
  "packages/server/src/system/http.ts": "`SELECT 1`: does the queue's table answer?"
}

/** Fragments that other rooms' statements are made of: judged in each of those as if they stood there. */
export const sharedFragments = "packages/server/src/grants/index.ts"

/** Statements on a tenant's table that rightly name no organization: file and table, and why. */
export const overOrganizations: Readonly<Record<string, string>> = {
  "packages/server/src/telemetry/summary-repo.ts telemetry_events": "sums up what all organizations sent",
  "packages/server/src/telemetry/summary-repo.ts memberships":
    "whose membership the audit names, in the organization that it says",
  "packages/server/src/telemetry/summary-repo.ts audit_events": "notes who changed something, in all organizations",
  "packages/server/src/telemetry/summary-repo.ts telemetry_days": "forgets sums by their day, of all organizations",
  "packages/server/src/telemetry/summary-repo.ts telemetry_user_days":
    "forgets sums by their day, of all organizations",
  "packages/server/src/telemetry/summary-repo.ts telemetry_duration_days":
    "forgets sums by their day, of all organizations",
  "packages/server/src/telemetry/summary-repo.ts telemetry_dimensions":
    "forgets what no sum is left of, of all organizations",
  "packages/server/src/telemetry/summary-repo.ts activity_days": "forgets days by their age, of all organizations",
  "packages/server/src/admin/platform-repo.ts memberships":
    "an administrator of the installation asks of all organizations",
  "packages/server/src/admin/platform-repo.ts activity_days":
    "an administrator of the installation asks of all organizations",
  "packages/server/src/admin/platform-repo.ts invitations":
    "an administrator of the installation asks of all organizations",
  "packages/server/src/bootstrap/repo.ts claims": "a claim is found by its secret, which says the organization",
  "packages/server/src/audit/chain-repo.ts audit_events": "the sealer orders the events of all organizations",
  "packages/server/src/audit/chain-repo.ts audit_chains": "the sealer keeps the chains of all organizations",
  "packages/server/src/sql/migrations/0039_marketplace_links.ts marketplace_memberships":
    "names what every organization has in its marketplaces",
  "packages/server/src/sql/migrations/0039_marketplace_links.ts plugins":
    "names what every organization has in its marketplaces",
  "packages/server/src/sql/migrations/0039_marketplace_links.ts marketplace_plugin_names":
    "names what every organization has in its marketplaces",
  "packages/server/src/marketplaces/links-repo.ts teams": "the team of a link, in the organization that the link says",
  "packages/server/src/marketplaces/links-repo.ts marketplace_links":
    "a link is found by its token, which says the organization",
  "packages/server/src/auth/repo.ts api_keys": "a key is found by its secret, which says the organization",
  "packages/server/src/auth/repo.ts worker_tokens": "a worker is found by its token, which says the organization",
  "packages/server/src/auth/repo.ts scim_tokens": "a directory is found by its token, which says the organization",
  "packages/server/src/auth/repo.ts scim_directories": "whose token it is, in the organization that it says",
  "packages/server/src/auth/repo.ts memberships": "whose worker it is, in the organization that the token says",
  "packages/server/src/admin/platform-repo.ts workers": "figures of the whole installation, for its administrators",
  "packages/server/src/reseal/repo.ts oauth_credentials": "a new key seals what all organizations have",
  "packages/server/src/reseal/repo.ts oauth_clients": "a new key seals what all organizations have",
  "packages/server/src/reseal/repo.ts worker_instances": "a new key seals what all organizations have",
  "packages/server/src/reseal/repo.ts sealed_values": "a new key seals what all organizations have",
  "packages/server/src/reseal/repo.ts connector_instances": "the instance that a sealed value belongs to",
  "packages/server/src/reseal/repo.ts mcp_connections": "the connection that a sealed value belongs to",
  "packages/server/src/invitations/repo.ts invitations":
    "an invitation is found by its secret, which says the organization",
  "packages/server/src/jobs/housekeeping.ts connector_installs": "forgets what nobody completed in time",
  "packages/server/src/oauth/state-repo.ts oauth_states": "a browser brings a state alone, which says the organization",
  "packages/server/src/jobs/housekeeping.ts oauth_states":
    "forgets what nobody completed in time, and ends organizations whose time is up",
  "packages/server/src/jobs/housekeeping.ts oauth_credentials": "ends organizations whose time is up, all of them",
  "packages/server/src/jobs/housekeeping.ts oauth_clients": "ends organizations whose time is up, all of them",
  "packages/server/src/sso/repo.ts domains": "an address says whose sign-in it is: the domain says the organization",
  "packages/server/src/sso/sign-in-repo.ts sso_sign_ins":
    "a browser brings a state alone, whoever completes a code: both say the organization",
  "packages/server/src/users/repo.ts sso_identities": "forgets under which names providers knew a person, anywhere",
  "packages/server/src/users/repo.ts sso_connections": "forgets who tried a provider out, wherever they were a member",
  "packages/server/src/reseal/repo.ts sso_connections": "a new key seals what all organizations have",
  "packages/server/src/reseal/repo.ts sso_sign_ins": "a new key seals what all organizations have",
  "packages/server/src/jobs/housekeeping.ts sso_sign_ins": "forgets what nobody completed in time",
  "packages/server/src/jobs/housekeeping.ts sso_assertions": "forgets what cannot be used again by its time",
  "packages/server/src/jobs/housekeeping.ts worker_activity": "forgets what was reported long ago",
  "packages/server/src/jobs/housekeeping.ts worker_tokens": "forgets tokens that ended long ago",
  "packages/server/src/scim/log-repo.ts scim_directories":
    "writes what directories of all organizations asked for, each entry into its own",
  "packages/server/src/jobs/housekeeping.ts scim_tokens": "forgets tokens that ended long ago",
  "packages/server/src/jobs/housekeeping.ts scim_log": "forgets requests by their age, of all organizations",
  "packages/server/src/jobs/housekeeping.ts scim_deactivations": "forgets what is longer ago than an hour",
  "packages/server/src/jobs/purge-removed.ts scim_holds": "forgets what was decided long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts scim_held_users":
    "forgets what was decided long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts scim_users": "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts scim_groups": "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts scim_group_members":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts scim_directories":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts workers": "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts worker_tokens": "forgets what was removed long ago, of all organizations",
  "packages/server/src/workers/instances-repo.ts worker_instances":
    "looks after the runtimes of all organizations that run in one place",
  "packages/server/src/workers/instances-repo.ts workers": "finds those that are silent, of all organizations",
  "packages/server/src/organizations/repo.ts memberships": "counts what a person owns anywhere",
  "packages/server/src/users/repo.ts invitations": "forgets a person's address wherever it invited them",
  "packages/server/src/users/repo.ts memberships": "a person's own memberships, all of them, to end them",
  "packages/server/src/jobs/purge.ts table_named_elsewhere": "deletes rows that it selects by their organization",
  "packages/server/src/memory/person-repo.ts memories":
    "all that a person had remembered, to tell them or to forget it",
  "packages/server/src/memory/embedding-repo.ts memories": "makes vectors of the memories of all organizations",
  "packages/server/src/memory/embedding-repo.ts memberships":
    "whether a person may still read a memory, in the organization that it says",
  "packages/server/src/jobs/purge-removed.ts memories":
    "forgets what people left behind long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts memberships":
    "forgets what people left behind long ago, of all organizations",
  "packages/server/src/sql/migrate.ts table_named_elsewhere": "the list of migrations",
  "packages/server/src/jobs/purge-removed.ts config_objects": "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts config_object_versions":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts plugin_memberships":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts grants": "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts plugins": "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts plugin_file_blobs":
    "forgets contents that nothing refers to, of all organizations",
  "packages/server/src/jobs/purge-removed.ts plugin_files":
    "forgets contents that nothing refers to, of all organizations",
  "packages/server/src/jobs/purge-removed.ts plugin_archives":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts marketplace_plugin_names":
    "deletes the names of marketplaces that were removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts marketplace_memberships":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts marketplaces": "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts templates": "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts mcp_connections":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts llm_providers": "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge-removed.ts desktop_policies":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/purge.ts memberships": "asks whether a person is a member anywhere",
  "packages/server/src/jobs/purge.ts scim_users": "asks whether a person is anywhere in a directory",
  "packages/server/src/jobs/purge.ts sso_identities": "asks whether a provider knows a person anywhere",
  "packages/server/src/domains/repo.ts domains":
    "takes domains that are due, and finds whose a domain is, of all organizations",
  "packages/server/src/jobs/housekeeping.ts domains": "ends organizations whose time is up, all of them",
  "packages/server/src/jobs/purge-removed.ts domains": "forgets what was removed long ago, of all organizations",
  "packages/server/src/jobs/housekeeping.ts remote_trees":
    "forgets what nobody has used for a month, of all organizations",
  "packages/server/src/jobs/housekeeping.ts sealed_values": "ends organizations whose time is up, all of them",
  "packages/server/src/sql/database.ts connector_targets": "an embedded database at start: nobody else holds a branch",
  "packages/server/src/connectors/remote-repo.ts connector_instances":
    "whom an event of the code host concerns: it names a repository, not an organization",
  "packages/server/src/connectors/remote-repo.ts connector_accounts":
    "whom an event of the code host concerns: it names an installation, not an organization",
  "packages/server/src/connectors/reconcile-repo.ts connector_targets":
    "takes branches that are due, of all organizations",
  "packages/server/src/connectors/reconcile-repo.ts connector_accounts":
    "takes installations that are due, of all organizations",
  "packages/server/src/connectors/reconcile-repo.ts connector_instances":
    "takes branches that are due, of all organizations",
  "packages/server/src/webhooks/inbox-repo.ts connector_accounts":
    "who has an account for the installation of an event, of all organizations",
  "packages/server/src/webhooks/inbox-repo.ts connector_instances":
    "who follows the repository of an event, of all organizations",
  "packages/server/src/webhooks/inbox-repo.ts connector_targets": "whether such an organization follows the branch",
  "packages/server/src/jobs/housekeeping.ts webhook_deliveries": "forgets deliveries by their age, of all organizations"
}

/** `*` over a name that the same statement made. */
export const ownStars: Readonly<Record<string, string>> = {
  "packages/server/src/config-objects/repo.ts": "`k.*`, the columns of the caller's own `keys`"
}

export const linesMax = { source: 500, test: 800 }
/** Longer files, and why they are one. */
export const longFiles: Readonly<Record<string, string>> = {
  "packages/cli/src/overrides.ts": "one line for each operation that people see otherwise",
  "packages/server/test/http-callers.ts": "everybody who may call, and what each is answered",
  "test/contract.test.ts": "every operation and record that the specification shows",
  "packages/schema/src/connectors.ts": "one group, its entities, errors and endpoints",
  "packages/server/test/http-world.ts": "one thing of every kind, and one body of every payload",
  "packages/server/src/connectors/sync.ts": "one job from the queue to the published revision"
}

/** A cast that ends all checking: looked for in code. */
export const bannedCode = /\bas any\b/
/** Marks of unfinished work: looked for in comments too. Written so that this file does not hold them. */
export const bannedWords = /\b(TO[D]O|FIX[M]E|X{3}|HA[C]K)\b/
export const bannedFiles = /(^|\/)(utils?|helpers?|types|common|misc)(\.\w+)?\.ts$/
