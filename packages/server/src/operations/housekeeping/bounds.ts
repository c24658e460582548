/** What limits the number of rows of each table. A test requires that every table of the schema is listed. */
import type { Retention, RetentionName } from "../../infra/config/retention.ts"

type DaysName = Exclude<RetentionName, "syncsMax">
type Columns = readonly [string, ...ReadonlyArray<string>]

/** Rows that housekeeping deletes by their age. */
export interface Expiry {
  readonly kind: "expires"
  /** The row is deleted after `keptFor` has passed since the earliest of these times. */
  readonly since: Columns
  /** A field of the retention, in days, or a PostgreSQL interval that cannot be configured. */
  readonly keptFor: DaysName | `${number} ${"minutes" | "hours" | "days"}`
}

/** Only the newest rows of each parent are kept. */
export interface Newest {
  readonly kind: "newest"
  /** Empty for the newest rows of the organization. */
  readonly per: ReadonlyArray<string>
  readonly max: "syncsMax" | number
  /** What is counted. Default: rows. */
  readonly distinct?: string
  /** Rows that are counted, and that housekeeping deletes, in the order of `id`. Without it, writes delete older rows. */
  readonly deletable?: string
}

/** Rows of days that housekeeping deletes when the days are older. */
export interface DayBound {
  readonly kind: "day"
  readonly day: string
  readonly keptDays: number
}

/** Contents with a digest, which housekeeping deletes when no row of another table has used them for a while. */
export interface Unused {
  readonly kind: "unused"
  /** The other table, and its column with the digest. */
  readonly by: string
  readonly column: string
}
export const unusedFor = "1 day"

export type Bound =
  | Expiry
  | Newest
  | DayBound
  | Unused
  /** Rows are deleted after they were removed, as listed in `purge-removed.ts`. */
  | { readonly kind: "removed" }
  /** Each row belongs to a row of another table, and is deleted with it: columns of this table, and of the parent. */
  | { readonly kind: "parent"; readonly parent: string; readonly by: Readonly<Record<string, string>> }
  /** Deleted with the telemetry of the day. */
  | { readonly kind: "telemetry"; readonly day: string; readonly spanDays: number }
  /** Ranges of publications. Those that ended before the oldest publication of a branch are deleted. */
  | { readonly kind: "publications" }
  /** The size of the content counts toward the storage quota of the organization. */
  | { readonly kind: "storage" }
  /** Kept as long as the audit log. */
  | { readonly kind: "audit" }
  /** Bounded by the configuration, by a limit of the API, or by the rows of another table. */
  | { readonly kind: "limited"; readonly by: string }

const expires = (keptFor: Expiry["keptFor"], ...since: Columns): Bound => ({ kind: "expires", since, keptFor })
const parent = (name: string, by: Readonly<Record<string, string>>): Bound => ({ kind: "parent", parent: name, by })
const telemetry = (day: string, spanDays = 1): Bound => ({ kind: "telemetry", day, spanDays })
const limited = (by: string): Bound => ({ kind: "limited", by })
const removed: Bound = { kind: "removed" }
const storage: Bound = { kind: "storage" }
const audit: Bound = { kind: "audit" }
const publications: Bound = { kind: "publications" }
const objects = "Administrators and editors create the rows and remove them."

export const bounds: Readonly<Record<string, readonly [Bound, ...ReadonlyArray<Bound>]>> = {
  activity_days: [telemetry("day")],
  api_keys: [limited("An organization has at most 100 active keys."), removed],
  assignment_members: [parent("assignments", { assignment_id: "id" })],
  assignment_teams: [parent("assignments", { assignment_id: "id" })],
  assignments: [limited("An organization has at most 2,000 assignments.")],
  audit_chains: [limited("One row for each organization with audit events.")],
  audit_checkpoints: [audit],
  audit_events: [audit],
  audit_truncations: [limited("One row for each organization with deleted audit events.")],
  claims: [expires("credentialDays", "expires_at", "used_at")],
  config_object_versions: [storage],
  config_objects: [storage, removed],
  configuration_keys: [limited("An organization has at most 50,000 keys, including those of removed objects.")],
  configuration_runs: [{ kind: "newest", per: [], max: 1000 }],
  configuration_sources: [limited("An organization has at most one configuration source.")],
  connector_accounts: [limited(objects), removed],
  connector_installs: [expires("0 minutes", "expires_at")],
  connector_instances: [limited(objects), removed],
  connector_mappings: [limited("A branch has at most 1,000 mappings."), removed],
  connector_targets: [limited("An instance has at most 50 branches."), removed],
  desktop_policies: [limited("An organization has at most 2,000 policies."), removed],
  desktop_policy_members: [parent("desktop_policies", { policy_id: "id" })],
  desktop_policy_teams: [parent("desktop_policies", { policy_id: "id" })],
  delivery_days: [{ kind: "day", day: "day", keptDays: 400 }],
  desired_plugin_sets: [{ kind: "unused", by: "desired_state_revisions", column: "plugins_digest" }],
  desired_state_revisions: [
    parent("memberships", { membership_id: "id" }),
    limited("One row for each member, and for each worker until it is deleted.")
  ],
  device_reports: [{ kind: "unused", by: "devices", column: "report_digest" }],
  devices: [limited("A member has at most 50 devices."), expires("deviceDays", "last_seen_at")],
  discoveries: [{ kind: "newest", per: ["connector_target_id"], max: 5, distinct: "revision" }],
  discovery_tree_chunks: [parent("discoveries", { connector_target_id: "connector_target_id", revision: "revision" })],
  domains: [limited("An organization has a limited number of domains."), removed],
  effect_queue: [limited("Completed jobs are deleted after an hour, failed ones after 30 days.")],
  event_streams: [limited("An organization has at most 20 event streams.")],
  event_consumers: [limited("One row for each consumer that the host application names.")],
  grants: [limited("One row for each object and receiver. It is deleted with either of them.")],
  housekeeping_runs: [limited("One row for each kind of run.")],
  idempotency_keys: [expires("24 hours", "created_at")],
  invitations: [expires("invitationDays", "expires_at", "accepted_at", "cancelled_at")],
  llm_providers: [limited(objects), removed],
  marketplace_links: [expires("credentialDays", "expires_at", "revoked_at")],
  marketplace_memberships: [limited(objects), removed],
  marketplace_names: [parent("marketplaces", { marketplace_id: "id" })],
  marketplace_plugin_names: [parent("marketplaces", { marketplace_id: "id" })],
  marketplaces: [limited(objects), removed],
  mcp_connections: [limited(objects), removed],
  mcp_tool_looks: [parent("mcp_connections", { connection_id: "id" })],
  mcp_tools: [parent("mcp_connections", { connection_id: "id" })],
  memberships: [limited("One row for each time that a user joined."), removed],
  memories: [storage],
  memory_words: [parent("memories", { user_id: "user_id" })],
  // Catalogs whose URL was not requested for a month: the operator has configured another one.
  model_catalogs: [expires("30 days", "tried_at")],
  oauth_clients: [limited("One row for each connection.")],
  oauth_credentials: [limited("One row for each connection and member.")],
  oauth_states: [expires("0 minutes", "expires_at")],
  organizations: [limited("A user can own 10 organizations. They are deleted after they were removed.")],
  orgplane_migrations: [limited("One row for each migration.")],
  plugin_archives: [parent("plugins", { plugin_id: "id" })],
  plugin_choices: [parent("plugins", { plugin_id: "id" })],
  plugin_file_blobs: [storage],
  plugin_files: [publications],
  plugin_memberships: [limited(objects), removed],
  plugin_release_approvals: [parent("plugins", { plugin_id: "id" })],
  plugin_release_checks: [parent("plugins", { plugin_id: "id" })],
  plugin_release_files: [parent("plugins", { plugin_id: "id" })],
  plugin_release_objects: [parent("plugins", { plugin_id: "id" })],
  plugin_releases: [
    parent("plugins", { plugin_id: "id" }),
    limited("A plugin keeps its newest 200 releases, and those that assignments pin.")
  ],
  plugins: [limited(objects), removed],
  published_files: [publications],
  published_mappings: [publications],
  published_plugins: [publications],
  rate_windows: [expires("1 minutes", "ends_at")],
  release_outcomes: [expires("180 days", "created_at")],
  release_uses: [expires("180 days", "created_at")],
  removed_devices: [limited("A member has at most 50 removed devices."), expires("deviceDays", "removed_at")],
  // The content is fetched again from its source if it is needed.
  remote_trees: [expires("30 days", "used_at")],
  retention_checks: [limited("One row for each table.")],
  roles: [limited(objects), removed],
  rollout_rings: [parent("rollouts", { rollout_id: "id" })],
  rollout_settings: [limited("One row for each organization.")],
  rollout_steps: [
    parent("rollouts", { rollout_id: "id" }),
    limited("Members who can change rollouts, and each ring, add rows.")
  ],
  rollouts: [parent("plugins", { plugin_id: "id" }), { kind: "newest", per: ["plugin_id"], max: 100 }],
  scim_deactivations: [expires("1 hours", "created_at")],
  scim_directories: [limited("An organization has at most 10 directories."), removed],
  scim_group_members: [parent("scim_groups", { group_id: "id" })],
  scim_groups: [limited("The identity provider creates the rows and removes them."), removed],
  scim_held_users: [parent("scim_holds", { hold_id: "id" })],
  scim_holds: [limited("A directory has one pending hold."), removed],
  scim_log: [expires("scimLogDays", "created_at")],
  scim_tokens: [expires("credentialDays", "expires_at", "revoked_at")],
  scim_users: [limited("The identity provider creates the rows and removes them."), removed],
  sealed_values: [limited("One row for each secret of an object. It is deleted with the secret.")],
  secret_canary: [limited("One row.")],
  sessions: [expires("credentialDays", "expires_at", "revoked_at")],
  // An expired code is useless, and its row contains an email address.
  sign_in_challenges: [expires("1 hours", "expires_at")],
  signing_keys: [limited("One row for each key that the operator rotated.")],
  source_bindings: [parent("connector_targets", { connector_target_id: "id" })],
  sso_assertions: [expires("0 minutes", "expires_at")],
  sso_connections: [limited("One row for each organization.")],
  sso_identities: [limited("One row for each user and provider.")],
  // A code is valid for two minutes after the browser returned, which is at most ten minutes after the start.
  sso_sign_ins: [expires("1 hours", "expires_at")],
  storage_changes: [limited("Housekeeping adds the rows to the totals.")],
  storage_usage: [limited("One row for each organization.")],
  sync_events: [{ kind: "newest", per: ["connector_target_id"], max: "syncsMax", deletable: "ended_at IS NOT NULL" }],
  sync_staged: [parent("sync_events", { sync_event_id: "id" })],
  target_publications: [{ kind: "newest", per: ["connector_target_id"], max: 100 }],
  team_members: [parent("teams", { team_id: "id" })],
  teams: [limited(objects), removed],
  telemetry_days: [telemetry("day")],
  telemetry_dimensions: [limited("One row for each value with events. It is deleted with the last event.")],
  telemetry_duration_days: [telemetry("day")],
  telemetry_events: [telemetry("occurred_at", 31)],
  telemetry_first_days: [limited("One row for each user.")],
  telemetry_ledger: [limited("Partitions are dropped after 30 days.")],
  telemetry_summary: [limited("One row.")],
  telemetry_user_days: [telemetry("day")],
  telemetry_user_periods: [telemetry("period", 29)],
  telemetry_user_totals: [telemetry("day")],
  template_instances: [parent("plugins", { plugin_id: "id" })],
  template_versions: [storage],
  templates: [storage, removed],
  user_subjects: [parent("users", { user_id: "id" })],
  users: [limited("One row for each person. After a deletion, it contains no name and no email.")],
  webhook_attempts: [parent("webhook_messages", { message_id: "id" })],
  // Longer than the messages, which are sent as long as they exist.
  webhook_bodies: [expires("31 days", "created_at")],
  webhook_deliveries: [expires("deliveryDays", "received_at")],
  webhook_endpoints: [limited("An organization has at most 100 webhook endpoints.")],
  webhook_inbox: [limited("Up to 256 MiB wait, each delivery for at most 100 attempts.")],
  webhook_messages: [expires("30 days", "created_at")],
  webhook_receipts: [expires("deliveryDays", "received_at")],
  webhook_secrets: [parent("webhook_endpoints", { endpoint_id: "id" }), limited("An endpoint has at most two.")],
  worker_activity: [expires("workerActivityDays", "created_at")],
  worker_instances: [parent("workers", { worker_id: "id" })],
  worker_tokens: [expires("credentialDays", "expires_at", "revoked_at")],
  workers: [limited("An organization has at most 50 workers."), removed]
}

/** A PostgreSQL interval. */
export const intervalOf = ({ keptFor }: Expiry, retention: Retention): string =>
  keptFor.includes(" ") ? keptFor : `${retention[keptFor as Exclude<DaysName, "auditDays">]} days`

/** The tables that the daily check examines: all except those that only a limit in other code bounds. */
export const checkedTables: ReadonlyArray<string> = Object.keys(bounds).filter(
  (table) => bounds[table]?.some(({ kind }) => kind !== "limited") === true || table === "organizations"
)

/** The tables and the bounds of one kind. */
export const boundsOf = <K extends Bound["kind"]>(kind: K) =>
  Object.entries(bounds).flatMap(([table, all]) =>
    all.filter((bound): bound is Extract<Bound, { kind: K }> => bound.kind === kind).map((bound) => ({ table, bound }))
  )
