/**
 * Server suites run on PostgreSQL. These also run on the embedded database: every operation and every kind of statement once,
 * and everything that depends on the engine, such as its single connection, its queue, search, time and large results.
 */
export const onBothEngines: ReadonlyArray<string> = [
  "agents/memory",
  "agents/memory-embeddings",
  "agents/telemetry",
  "agents/telemetry-analytics",
  "agents/telemetry-periods",
  "agents/workers",
  "content/connector-plan-capabilities",
  "content/connectors",
  "content/plugin-archives",
  "content/plugin-capabilities",
  "content/storage",
  "content/sync",
  "content/sync-jobs",
  "content/webhooks",
  "content/webhooks-burst",
  "enterprise/desktop-policies",
  "enterprise/scim-bulk",
  "enterprise/scim-filters",
  "enterprise/scim-users",
  "enterprise/sso-oidc",
  "identity/audit-chain",
  "identity/audit-truncation",
  "identity/claims",
  "identity/exports",
  "identity/grants-model",
  "identity/members",
  "identity/revocation",
  "infra/changes",
  "infra/fairness",
  "infra/http-changes",
  "infra/http-limits",
  "infra/idle",
  "infra/row-security",
  "infra/smoke",
  "operations/admin",
  "operations/housekeeping",
  "operations/metrics",
  "operations/reseal",
  "operations/retention"
]

/** These test the embedded database itself, or count work that is the same on both engines. */
export const onlyEmbedded: ReadonlyArray<string> = ["infra/analyze", "infra/unanalyzed", "infra/work"]
