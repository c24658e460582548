/** Statements on a tenant's table that do not filter by organization, as file and table, and why each is correct. */
export const crossTenantStatements: Readonly<Record<string, string>> = {
  "packages/server/src/content/delivery/unsealed-repo.ts audit_events":
    "The unsealed events of all organizations are few, and are read by their own index; each caller counts its own.",
  "packages/server/src/operations/configuration-source/repo.ts configuration_runs":
    "the worker takes the runs and commit statuses of all organizations that are due",
  "packages/server/src/content/rollouts/repo.ts rollouts":
    "the worker takes the rollouts of all organizations that are due",
  "packages/server/src/content/devices/history-repo.ts devices": "records the delivery status of all organizations",
  "packages/server/src/operations/metrics/repo.ts audit_chains": "the metrics count the streams of all organizations",
  "packages/server/src/identity/sessions/repo.ts memberships": "a sign-in is recorded in all organizations of its user",
  "packages/server/src/infra/audit/refusals-repo.ts audit_events":
    "writes refused requests of several organizations, each into its own",
  "packages/server/src/operations/metrics/repo.ts event_streams": "the metrics count the streams of all organizations",
  "packages/server/src/infra/audit/refusals-repo.ts api_keys":
    "a refused API key is looked up by its digest, which determines the organization",
  "packages/server/src/infra/audit/refusals-repo.ts worker_tokens":
    "a refused worker token is looked up by its digest, which determines the organization",
  "packages/server/src/infra/audit/refusals-repo.ts scim_tokens":
    "a refused SCIM token is looked up by its digest, which determines the organization",
  "packages/server/src/infra/audit/refusals-repo.ts memberships":
    "a wrong code for an email address is recorded in all organizations of its user",
  "packages/server/src/operations/metrics/repo.ts devices": "the metrics count the devices of all organizations",
  "packages/server/src/operations/metrics/repo.ts delivery_days":
    "the metrics sum the installations of all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_events":
    "computes totals of the events of all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts memberships":
    "the membership of an audit event's actor, in the event's organization",
  "packages/server/src/agents/telemetry/summary-repo.ts audit_events":
    "records the activity of the actors of changes, in all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_days":
    "deletes totals by their day, for all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_user_days":
    "deletes totals by their day, for all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_user_totals":
    "deletes totals by their day, for all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_user_periods":
    "deletes totals by their day, for all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_duration_days":
    "deletes totals by their day, for all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_dimensions":
    "deletes dimensions without totals, for all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts activity_days":
    "deletes days by their age, for all organizations",
  "packages/server/src/operations/backup/repo.ts audit_chains":
    "the operator verifies the audit chains of all organizations",
  "packages/server/src/operations/move/repo.ts audit_events":
    "the operator moves an installation only into one that no organization has used",
  "packages/server/src/operations/move/repo.ts sealed_values":
    "the operator moves an installation only into one that no organization has used",
  "packages/server/src/operations/doctor/repo.ts worker_instances":
    "the operator counts expired leases, in all organizations",
  "packages/server/src/operations/doctor/repo.ts sync_events":
    "the operator counts syncs without a job, in all organizations",
  "packages/server/src/operations/doctor/repo.ts connector_targets":
    "the operator counts expired leases, in all organizations",
  "packages/server/src/operations/admin/platform-repo.ts memberships":
    "platform administrators can read all organizations",
  "packages/server/src/operations/admin/platform-repo.ts activity_days":
    "platform administrators can read all organizations",
  "packages/server/src/operations/admin/platform-repo.ts invitations":
    "platform administrators can read all organizations",
  "packages/server/src/identity/bootstrap/repo.ts claims":
    "a claim is looked up by its secret, which determines the organization",
  "packages/server/src/identity/events/repo.ts audit_chains":
    "reads the ends of the chains of the organizations that have live streams in this process",
  "packages/server/src/identity/audit/feed-repo.ts audit_events":
    "the host application gets the changes of all organizations",
  "packages/server/src/identity/audit/chain-repo.ts audit_events": "the sealer orders the events of all organizations",
  "packages/server/src/identity/audit/chain-repo.ts audit_truncations":
    "deletes the events of all chains that reached the end of their retention",
  "packages/server/src/identity/audit/chain-repo.ts audit_checkpoints":
    "finds the events of all chains that reached the end of their retention",
  "packages/server/src/operations/housekeeping/check.ts audit_events":
    "counts events past their retention, in all chains",
  "packages/server/src/operations/housekeeping/check.ts audit_chains":
    "counts events past their retention, in all chains",
  "packages/server/src/infra/storage/repo.ts storage_changes": "adds the changes of all organizations to their totals",
  "packages/server/src/infra/storage/repo.ts storage_usage": "adds the changes of all organizations to their totals",
  "packages/server/src/identity/event-streams/sender-repo.ts event_streams":
    "the sender takes the streams of all organizations that are due",
  "packages/server/src/identity/event-streams/sender-repo.ts audit_chains":
    "the sender takes the streams of all organizations that are due",
  "packages/server/src/infra/crypto/sealed-columns.ts event_streams": "the operator counts the values of each key",
  "packages/server/src/identity/webhook-endpoints/queue-repo.ts webhook_endpoints":
    "finds the endpoints of all organizations that are behind",
  "packages/server/src/identity/webhook-endpoints/sender-repo.ts webhook_endpoints":
    "the sender takes the endpoints of all organizations that are due",
  "packages/server/src/identity/webhook-endpoints/sender-repo.ts webhook_messages":
    "messages of endpoints of several organizations, each with the organization of its endpoint",
  "packages/server/src/identity/webhook-endpoints/sender-repo.ts webhook_bodies":
    "bodies of messages of several organizations, each with the organization of its message",
  "packages/server/src/identity/webhook-endpoints/sender-repo.ts webhook_secrets":
    "secrets of endpoints of several organizations, each with the organization of its endpoint",
  "packages/server/src/identity/webhook-endpoints/queue-repo.ts audit_chains":
    "finds the endpoints of all organizations that are behind",
  "packages/server/src/infra/crypto/sealed-columns.ts webhook_secrets": "the operator counts the values of each key",
  "packages/server/src/identity/audit/chain-repo.ts audit_chains":
    "the sealer maintains the chains of all organizations",
  "packages/server/src/infra/sql/migrations/0039_marketplace_links.ts marketplace_memberships":
    "assigns names to the plugins in every organization's marketplaces",
  "packages/server/src/infra/sql/migrations/0039_marketplace_links.ts plugins":
    "assigns names to the plugins in every organization's marketplaces",
  "packages/server/src/infra/sql/migrations/0039_marketplace_links.ts marketplace_plugin_names":
    "assigns names to the plugins in every organization's marketplaces",
  "packages/server/src/content/marketplaces/links-repo.ts teams": "the team of a link, in the link's organization",
  "packages/server/src/content/marketplaces/links-repo.ts marketplace_links":
    "a link is looked up by its token, which determines the organization",
  "packages/server/src/identity/auth/repo.ts api_keys":
    "an API key is looked up by its secret, which determines the organization",
  "packages/server/src/identity/auth/repo.ts worker_tokens":
    "a worker is looked up by its token, which determines the organization",
  "packages/server/src/identity/auth/repo.ts scim_tokens":
    "a directory is looked up by its token, which determines the organization",
  "packages/server/src/identity/auth/repo.ts scim_directories": "the directory of a token, in the token's organization",
  "packages/server/src/identity/auth/repo.ts memberships": "the worker's member, in the token's organization",
  "packages/server/src/operations/admin/platform-repo.ts workers":
    "metrics of the whole installation, for platform administrators",
  "packages/server/src/identity/invitations/repo.ts invitations":
    "an invitation is looked up by its secret, which determines the organization",
  "packages/server/src/agents/oauth/state-repo.ts oauth_states":
    "a browser sends only a state, which determines the organization",
  "packages/server/src/operations/housekeeping/housekeeping.ts oauth_states":
    "deletes expired states, and those of expired organizations",
  "packages/server/src/operations/housekeeping/housekeeping.ts oauth_credentials":
    "deletes the rows of all expired organizations",
  "packages/server/src/operations/housekeeping/housekeeping.ts oauth_clients":
    "deletes the rows of all expired organizations",
  "packages/server/src/enterprise/sso/repo.ts domains":
    "an email determines the sign-in: its domain determines the organization",
  "packages/server/src/enterprise/sso/sign-in-repo.ts sso_sign_ins":
    "a browser sends only a state, and the completion only a code: both determine the organization",
  "packages/server/src/identity/users/repo.ts sso_identities": "deletes a person's subjects at all providers",
  "packages/server/src/identity/users/repo.ts sso_connections":
    "deletes who tested a provider, in all organizations of a person",
  "packages/server/src/infra/scim/log-repo.ts scim_directories":
    "writes log entries for the directories of all organizations, each into its own",
  "packages/server/src/agents/workers/instances-repo.ts worker_instances":
    "supervises the runtimes of all organizations in one region",
  "packages/server/src/agents/workers/instances-repo.ts workers":
    "finds workers without heartbeats, for all organizations",
  "packages/server/src/identity/organizations/repo.ts memberships": "counts the organizations that a person owns",
  "packages/server/src/identity/users/repo.ts invitations":
    "deletes a person's email from their invitations in all organizations",
  "packages/server/src/identity/users/repo.ts memberships": "ends all memberships of a person",
  "packages/server/src/operations/housekeeping/housekeeping.ts table_named_elsewhere":
    "deletes rows by their age, for all organizations",
  "packages/server/src/operations/housekeeping/housekeeping.ts connector_targets":
    "finds branches with too many syncs, in all organizations",
  "packages/server/src/operations/housekeeping/housekeeping.ts sync_events":
    "finds branches with too many syncs, in all organizations",
  "packages/server/src/operations/housekeeping/housekeeping.ts sync_staged":
    "deletes contents that syncs left, for all organizations",
  "packages/server/src/operations/housekeeping/check.ts table_named_elsewhere":
    "counts rows past their retention, in all organizations",
  "packages/server/src/operations/housekeeping/check.ts target_publications":
    "counts rows past their retention, in all organizations",
  "packages/server/src/operations/purge/purge-removed.ts table_named_elsewhere":
    "deletes rows that were removed long ago, for all organizations",
  "packages/server/src/infra/crypto/sealed-columns.ts sealed_values":
    "the operator counts the secrets of each key, in all organizations",
  "packages/server/src/infra/crypto/sealed-columns.ts connector_instances":
    "the operator counts the secrets of each key, in all organizations",
  "packages/server/src/infra/crypto/sealed-columns.ts mcp_connections":
    "the operator counts the secrets of each key, in all organizations",
  "packages/server/src/infra/crypto/sealed-columns.ts oauth_credentials":
    "the operator counts the secrets of each key, in all organizations",
  "packages/server/src/infra/crypto/sealed-columns.ts oauth_states":
    "the operator counts the secrets of each key, in all organizations",
  "packages/server/src/infra/crypto/sealed-columns.ts oauth_clients":
    "the operator counts the secrets of each key, in all organizations",
  "packages/server/src/infra/crypto/sealed-columns.ts sso_connections":
    "the operator counts the secrets of each key, in all organizations",
  "packages/server/src/infra/crypto/sealed-columns.ts sso_sign_ins":
    "the operator counts the secrets of each key, in all organizations",
  "packages/server/src/infra/crypto/sealed-columns.ts worker_instances":
    "the operator counts the secrets of each key, in all organizations",
  "packages/server/src/operations/reseal/repo.ts sealed_values":
    "the operator deletes the values of all organizations to which no row refers",
  "packages/server/src/operations/reseal/repo.ts connector_instances":
    "the operator deletes the values of all organizations to which no row refers",
  "packages/server/src/operations/reseal/repo.ts mcp_connections":
    "the operator deletes the values of all organizations to which no row refers",
  "packages/server/src/operations/reseal/repo.ts table_named_elsewhere":
    "re-encrypts the secrets of all organizations with a new key",
  "packages/server/src/operations/purge/purge.ts table_named_elsewhere":
    "deletes rows that it selects by their organization",
  "packages/server/src/identity/users/memories-repo.ts memories": "exports or deletes all memories of a person",
  "packages/server/src/identity/users/memories-repo.ts memory_words": "deletes the word index of a person",
  "packages/server/src/agents/memory/embedding-repo.ts memories":
    "creates vectors for the memories of all organizations",
  "packages/server/src/agents/memory/embedding-repo.ts memberships":
    "whether a person can still read a memory, in the memory's organization",
  "packages/server/src/operations/purge/purge-removed.ts memories":
    "deletes memories of people who left long ago, for all organizations",
  "packages/server/src/operations/purge/purge-removed.ts memberships":
    "deletes memories of people who left long ago, for all organizations",
  "packages/server/src/operations/purge/purge-removed.ts grants":
    "deletes rows that were removed long ago, for all organizations",
  "packages/server/src/operations/purge/purge-removed.ts plugin_file_blobs":
    "deletes contents that nothing refers to, for all organizations",
  "packages/server/src/operations/purge/purge-removed.ts plugin_files":
    "deletes contents that nothing refers to, for all organizations",
  "packages/server/src/operations/purge/purge-removed.ts plugin_release_files":
    "deletes contents that nothing refers to, for all organizations",
  "packages/server/src/operations/purge/purge.ts memberships":
    "checks whether a person is a member of any organization",
  "packages/server/src/operations/purge/purge.ts scim_users": "checks whether a person is in any directory",
  "packages/server/src/operations/purge/purge.ts sso_identities":
    "checks whether a person has a subject at any provider",
  "packages/server/src/enterprise/domains/repo.ts domains":
    "selects domains that are due, and the organization of a domain, in all organizations",
  "packages/server/src/operations/housekeeping/housekeeping.ts domains":
    "deletes the rows of all expired organizations",
  "packages/server/src/operations/housekeeping/housekeeping.ts sealed_values":
    "deletes the rows of all expired organizations",
  "packages/server/src/infra/sql/database.ts connector_targets":
    "an embedded database at startup: no other process has locked a branch",
  "packages/server/src/content/connectors/remote-events-repo.ts connector_instances":
    "the organizations that a code host event concerns: it names a repository, not an organization",
  "packages/server/src/content/connectors/remote-events-repo.ts connector_accounts":
    "the organizations that a code host event concerns: it names an installation, not an organization",
  "packages/server/src/content/connectors/reconcile-repo.ts connector_targets":
    "selects branches that are due, in all organizations",
  "packages/server/src/content/connectors/reconcile-repo.ts connector_accounts":
    "selects installations that are due, in all organizations",
  "packages/server/src/content/connectors/reconcile-repo.ts connector_instances":
    "selects branches that are due, in all organizations",
  "packages/server/src/content/webhooks/inbox-repo.ts connector_accounts":
    "the accounts of an event's installation, in all organizations",
  "packages/server/src/content/webhooks/inbox-repo.ts connector_instances":
    "the instances of an event's repository, in all organizations",
  "packages/server/src/content/webhooks/inbox-repo.ts connector_targets":
    "whether such an organization has the branch as a target",
  "packages/server/src/identity/users/verified-domains-repo.ts domains":
    "looks up the organization of a domain by its name, which is unique among verified domains",
  "packages/server/src/operations/system/repo.ts audit_events": "the seal lag for the operator, of all organizations",
  "packages/server/src/operations/metrics/repo.ts audit_events": "counts for the operator, of all organizations",
  "packages/server/src/operations/metrics/repo.ts workers": "counts for the operator, of all organizations",
  "packages/server/src/operations/metrics/repo.ts connector_targets": "counts for the operator, of all organizations",
  "packages/server/src/operations/metrics/repo.ts connector_instances": "counts for the operator, of all organizations",
  "packages/server/src/operations/metrics/repo.ts sync_events": "counts for the operator, of all organizations",
  "packages/server/src/operations/metrics/repo.ts scim_holds": "counts for the operator, of all organizations",
  "packages/server/src/operations/metrics/repo.ts webhook_endpoints": "counts for the operator, of all organizations",
  "packages/server/src/operations/metrics/repo.ts worker_instances": "counts for the operator, of all organizations",
  "packages/server/src/operations/metrics/repo.ts mcp_connections": "counts for the operator, of all organizations"
}
