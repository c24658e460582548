import m0001 from "./0001_identity.ts"
import m0002 from "./0002_records.ts"
import m0003 from "./0003_content.ts"
import m0004 from "./0004_connectors.ts"
import m0005, { tenantTables as firstTables } from "./0005_row_security.ts"
import m0006 from "./0006_signing_keys.ts"
import m0007, { tenantTables as signInTables } from "./0007_sign_in.ts"
import m0008, { tenantTables as keyTables } from "./0008_keys_and_roles.ts"
import m0009, { tenantTables as auditTables } from "./0009_audit_chain.ts"
import m0010 from "./0010_grants_by_receiver.ts"
import m0011 from "./0011_minted_sessions.ts"
import m0012 from "./0012_content.ts"
import m0013, { tenantTables as publicationTables } from "./0013_connector_operations.ts"
import m0014, { tenantTables as installTables } from "./0014_code_host_app.ts"
import m0015, { tenantTables as webhookTables } from "./0015_webhooks.ts"
import m0016, { tenantTables as archiveTables } from "./0016_plugin_archives.ts"
import m0017, { tenantTables as remoteTables } from "./0017_remote_trees.ts"
import m0018 from "./0018_unlogged_staging.ts"
import m0019 from "./0019_purge.ts"
import m0020, { tenantTables as stretchTables } from "./0020_publication_stretches.ts"
import m0022, { tenantTables as oauthTables } from "./0022_oauth.ts"
import m0023, { tenantTables as mcpTables } from "./0023_mcp_connections.ts"
import m0026, { tenantTables as workerTokenTables } from "./0026_worker_tokens.ts"
import m0027, { tenantTables as desktopPolicyTables } from "./0027_desktop_policies.ts"
import m0028, { tenantTables as memoryTables } from "./0028_memory.ts"
import m0029, { tenantTables as telemetryTables } from "./0029_telemetry.ts"
import m0030, { tenantTables as telemetrySummaryTables } from "./0030_telemetry_summaries.ts"
import m0031, { tenantTables as activityTables } from "./0031_activity_days.ts"
import m0032, { tenantTables as workerTables } from "./0032_workers.ts"
import m0033, { tenantTables as llmTables } from "./0033_llm_providers.ts"
import m0034, { tenantTables as templateTables } from "./0034_templates.ts"
import m0035, { tenantTables as domainTables } from "./0035_domains.ts"
import m0036, { tenantTables as ssoTables } from "./0036_sso.ts"
import m0037, { tenantTables as scimTables } from "./0037_scim.ts"
import m0041 from "./0041_webhook_inbox.ts"
import m0045 from "./0045_oauth.ts"
import m0050 from "./0050_membership_order.ts"
import m0043 from "./0043_start.ts"
import m0039, { tenantTables as linkTables } from "./0039_marketplace_links.ts"
import m0038, { tenantTables as pluginFileTables } from "./0038_plugin_files.ts"
import m0040 from "./0040_embedding_tries.ts"
import m0051, { tenantTables as telemetryPeriodTables } from "./0051_telemetry_periods.ts"
import m0052, { tenantTables as memoryWordTables } from "./0052_memory_words.ts"
import m0053 from "./0053_audit_order.ts"
import m0054 from "./0054_change_feed.ts"
import m0057, { tenantTables as retentionTables } from "./0057_retention.ts"
import m0058 from "./0058_retention_indexes.ts"
import m0059, { tenantTables as releaseTables } from "./0059_releases.ts"
import m0060 from "./0060_releases_index.ts"
import m0062, { tenantTables as assignmentTables } from "./0062_assignments.ts"
import m0063, { tenantTables as desiredStateTables } from "./0063_desired_state.ts"
import m0064 from "./0064_pinned_releases.ts"
import m0065 from "./0065_pinned_releases_index.ts"
import m0066, { tenantTables as deviceTables } from "./0066_devices.ts"
import m0067, { tenantTables as rolloutTables } from "./0067_rollouts.ts"
import m0068, { tenantTables as webhookEndpointTables } from "./0068_webhook_endpoints.ts"
import m0069, { tenantTables as eventStreamTables } from "./0069_event_streams.ts"
import m0070, { tenantTables as configurationTables } from "./0070_configuration_keys.ts"
import m0071, { tenantTables as configurationSourceTables } from "./0071_configuration_source.ts"
import m0072, { tenantTables as webhookBodyTables } from "./0072_webhook_bodies.ts"

/** All migrations in order. A migration that has been released is never changed. */
export const migrations = {
  "0001_identity": m0001,
  "0002_records": m0002,
  "0003_content": m0003,
  "0004_connectors": m0004,
  "0005_row_security": m0005,
  "0006_signing_keys": m0006,
  "0007_sign_in": m0007,
  "0008_keys_and_roles": m0008,
  "0009_audit_chain": m0009,
  "0010_grants_by_receiver": m0010,
  "0011_minted_sessions": m0011,
  "0012_content": m0012,
  "0013_connector_operations": m0013,
  "0014_code_host_app": m0014,
  "0015_webhooks": m0015,
  "0016_plugin_archives": m0016,
  "0017_remote_trees": m0017,
  "0018_unlogged_staging": m0018,
  "0019_purge": m0019,
  "0020_publication_stretches": m0020,
  "0022_oauth": m0022,
  "0023_mcp_connections": m0023,
  "0026_worker_tokens": m0026,
  "0027_desktop_policies": m0027,
  "0028_memory": m0028,
  "0029_telemetry": m0029,
  "0030_telemetry_summaries": m0030,
  "0031_activity_days": m0031,
  "0032_workers": m0032,
  "0033_llm_providers": m0033,
  "0034_templates": m0034,
  "0035_domains": m0035,
  "0036_sso": m0036,
  "0037_scim": m0037,
  "0038_plugin_files": m0038,
  "0039_marketplace_links": m0039,
  "0040_embedding_tries": m0040,
  "0041_webhook_inbox": m0041,
  "0043_start": m0043,
  "0045_oauth": m0045,
  "0050_membership_order": m0050,
  "0051_telemetry_periods": m0051,
  "0052_memory_words": m0052,
  "0053_audit_order": m0053,
  "0054_change_feed": m0054,
  "0057_retention": m0057,
  "0058_retention_indexes": m0058,
  "0059_releases": m0059,
  "0060_releases_index": m0060,
  "0062_assignments": m0062,
  "0063_desired_state": m0063,
  "0064_pinned_releases": m0064,
  "0065_pinned_releases_index": m0065,
  "0066_devices": m0066,
  "0067_rollouts": m0067,
  "0068_webhook_endpoints": m0068,
  "0069_event_streams": m0069,
  "0070_configuration_keys": m0070,
  "0071_configuration_source": m0071,
  "0072_webhook_bodies": m0072
}

/** Tables whose rows each belong to one organization, protected by row-level security. */
export const tenantTables = [
  ...firstTables,
  ...signInTables,
  ...keyTables,
  ...auditTables,
  ...publicationTables,
  ...installTables,
  ...webhookTables,
  ...archiveTables,
  ...remoteTables,
  ...stretchTables,
  ...oauthTables,
  ...mcpTables,
  ...workerTokenTables,
  ...desktopPolicyTables,
  ...memoryTables,
  ...telemetryTables,
  ...telemetrySummaryTables,
  ...activityTables,
  ...workerTables,
  ...llmTables,
  ...templateTables,
  ...domainTables,
  ...ssoTables,
  ...scimTables,
  ...linkTables,
  ...pluginFileTables,
  ...telemetryPeriodTables,
  ...memoryWordTables,
  ...retentionTables,
  ...releaseTables,
  ...assignmentTables,
  ...desiredStateTables,
  ...deviceTables,
  ...rolloutTables,
  ...webhookEndpointTables,
  ...eventStreamTables,
  ...configurationTables,
  ...configurationSourceTables,
  ...webhookBodyTables
]

/** All other tables. Their rows belong to a user, or have no owner. */
export const sharedTables = [
  "effect_queue",
  "event_consumers",
  "housekeeping_runs",
  "idempotency_keys",
  "model_catalogs",
  "orgplane_migrations",
  "organizations",
  "rate_windows",
  "retention_checks",
  "secret_canary",
  "sessions",
  "sign_in_challenges",
  "signing_keys",
  "telemetry_summary",
  "user_subjects",
  "users",
  "webhook_inbox",
  "webhook_receipts"
]
