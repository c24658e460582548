/** Statements on a tenant's table that name no organization, as file and table, and why each is correct. */
export const overOrganizations: Readonly<Record<string, string>> = {
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_events": "sums up what all organizations sent",
  "packages/server/src/agents/telemetry/summary-repo.ts memberships":
    "whose membership the audit names, in the organization that it says",
  "packages/server/src/agents/telemetry/summary-repo.ts audit_events":
    "notes who changed something, in all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_days":
    "forgets sums by their day, of all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_user_days":
    "forgets sums by their day, of all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_duration_days":
    "forgets sums by their day, of all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts telemetry_dimensions":
    "forgets what no sum is left of, of all organizations",
  "packages/server/src/agents/telemetry/summary-repo.ts activity_days":
    "forgets days by their age, of all organizations",
  "packages/server/src/operations/admin/platform-repo.ts memberships":
    "an administrator of the installation asks of all organizations",
  "packages/server/src/operations/admin/platform-repo.ts activity_days":
    "an administrator of the installation asks of all organizations",
  "packages/server/src/operations/admin/platform-repo.ts invitations":
    "an administrator of the installation asks of all organizations",
  "packages/server/src/identity/bootstrap/repo.ts claims":
    "a claim is found by its secret, which says the organization",
  "packages/server/src/identity/audit/chain-repo.ts audit_events": "the sealer orders the events of all organizations",
  "packages/server/src/identity/audit/chain-repo.ts audit_chains": "the sealer keeps the chains of all organizations",
  "packages/server/src/infra/sql/migrations/0039_marketplace_links.ts marketplace_memberships":
    "names what every organization has in its marketplaces",
  "packages/server/src/infra/sql/migrations/0039_marketplace_links.ts plugins":
    "names what every organization has in its marketplaces",
  "packages/server/src/infra/sql/migrations/0039_marketplace_links.ts marketplace_plugin_names":
    "names what every organization has in its marketplaces",
  "packages/server/src/content/marketplaces/links-repo.ts teams":
    "the team of a link, in the organization that the link says",
  "packages/server/src/content/marketplaces/links-repo.ts marketplace_links":
    "a link is found by its token, which says the organization",
  "packages/server/src/identity/auth/repo.ts api_keys": "a key is found by its secret, which says the organization",
  "packages/server/src/identity/auth/repo.ts worker_tokens":
    "a worker is found by its token, which says the organization",
  "packages/server/src/identity/auth/repo.ts scim_tokens":
    "a directory is found by its token, which says the organization",
  "packages/server/src/identity/auth/repo.ts scim_directories": "whose token it is, in the organization that it says",
  "packages/server/src/identity/auth/repo.ts memberships":
    "whose worker it is, in the organization that the token says",
  "packages/server/src/operations/admin/platform-repo.ts workers":
    "figures of the whole installation, for its administrators",
  "packages/server/src/operations/reseal/repo.ts oauth_credentials": "a new key seals what all organizations have",
  "packages/server/src/operations/reseal/repo.ts oauth_clients": "a new key seals what all organizations have",
  "packages/server/src/operations/reseal/repo.ts worker_instances": "a new key seals what all organizations have",
  "packages/server/src/operations/reseal/repo.ts sealed_values": "a new key seals what all organizations have",
  "packages/server/src/operations/reseal/repo.ts connector_instances": "the instance that a sealed value belongs to",
  "packages/server/src/operations/reseal/repo.ts mcp_connections": "the connection that a sealed value belongs to",
  "packages/server/src/identity/invitations/repo.ts invitations":
    "an invitation is found by its secret, which says the organization",
  "packages/server/src/operations/housekeeping/housekeeping.ts connector_installs":
    "forgets what nobody completed in time",
  "packages/server/src/agents/oauth/state-repo.ts oauth_states":
    "a browser brings a state alone, which says the organization",
  "packages/server/src/operations/housekeeping/housekeeping.ts oauth_states":
    "forgets what nobody completed in time, and ends organizations whose time is up",
  "packages/server/src/operations/housekeeping/housekeeping.ts oauth_credentials":
    "ends organizations whose time is up, all of them",
  "packages/server/src/operations/housekeeping/housekeeping.ts oauth_clients":
    "ends organizations whose time is up, all of them",
  "packages/server/src/enterprise/sso/repo.ts domains":
    "an address says whose sign-in it is: the domain says the organization",
  "packages/server/src/enterprise/sso/sign-in-repo.ts sso_sign_ins":
    "a browser brings a state alone, whoever completes a code: both say the organization",
  "packages/server/src/identity/users/repo.ts sso_identities":
    "forgets under which names providers knew a person, anywhere",
  "packages/server/src/identity/users/repo.ts sso_connections":
    "forgets who tried a provider out, wherever they were a member",
  "packages/server/src/operations/reseal/repo.ts sso_connections": "a new key seals what all organizations have",
  "packages/server/src/operations/reseal/repo.ts sso_sign_ins": "a new key seals what all organizations have",
  "packages/server/src/operations/housekeeping/housekeeping.ts sso_sign_ins": "forgets what nobody completed in time",
  "packages/server/src/operations/housekeeping/housekeeping.ts sso_assertions":
    "forgets what cannot be used again by its time",
  "packages/server/src/operations/housekeeping/housekeeping.ts worker_activity": "forgets what was reported long ago",
  "packages/server/src/operations/housekeeping/housekeeping.ts worker_tokens": "forgets tokens that ended long ago",
  "packages/server/src/infra/scim/log-repo.ts scim_directories":
    "writes what directories of all organizations asked for, each entry into its own",
  "packages/server/src/operations/housekeeping/housekeeping.ts scim_tokens": "forgets tokens that ended long ago",
  "packages/server/src/operations/housekeeping/housekeeping.ts scim_log":
    "forgets requests by their age, of all organizations",
  "packages/server/src/operations/housekeeping/housekeeping.ts scim_deactivations":
    "forgets what is longer ago than an hour",
  "packages/server/src/operations/purge/purge-removed.ts scim_holds":
    "forgets what was decided long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts scim_held_users":
    "forgets what was decided long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts scim_users":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts scim_groups":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts scim_group_members":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts scim_directories":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts workers":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts worker_tokens":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/agents/workers/instances-repo.ts worker_instances":
    "looks after the runtimes of all organizations that run in one place",
  "packages/server/src/agents/workers/instances-repo.ts workers": "finds those that are silent, of all organizations",
  "packages/server/src/identity/organizations/repo.ts memberships": "counts what a person owns anywhere",
  "packages/server/src/identity/users/repo.ts invitations": "forgets a person's address wherever it invited them",
  "packages/server/src/identity/users/repo.ts memberships": "a person's own memberships, all of them, to end them",
  "packages/server/src/operations/purge/purge.ts table_named_elsewhere":
    "deletes rows that it selects by their organization",
  "packages/server/src/identity/users/memories-repo.ts memories":
    "all that a person had remembered, to tell them or to forget it",
  "packages/server/src/agents/memory/embedding-repo.ts memories": "makes vectors of the memories of all organizations",
  "packages/server/src/agents/memory/embedding-repo.ts memberships":
    "whether a person may still read a memory, in the organization that it says",
  "packages/server/src/operations/purge/purge-removed.ts memories":
    "forgets what people left behind long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts memberships":
    "forgets what people left behind long ago, of all organizations",
  "packages/server/src/infra/sql/migrate.ts table_named_elsewhere": "the list of migrations",
  "packages/server/src/operations/purge/purge-removed.ts config_objects":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts config_object_versions":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts plugin_memberships":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts grants":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts plugins":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts plugin_file_blobs":
    "forgets contents that nothing refers to, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts plugin_files":
    "forgets contents that nothing refers to, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts plugin_archives":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts marketplace_plugin_names":
    "deletes the names of marketplaces that were removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts marketplace_memberships":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts marketplaces":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts templates":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts mcp_connections":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts llm_providers":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge-removed.ts desktop_policies":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/purge/purge.ts memberships": "asks whether a person is a member anywhere",
  "packages/server/src/operations/purge/purge.ts scim_users": "asks whether a person is anywhere in a directory",
  "packages/server/src/operations/purge/purge.ts sso_identities": "asks whether a provider knows a person anywhere",
  "packages/server/src/enterprise/domains/repo.ts domains":
    "takes domains that are due, and finds whose a domain is, of all organizations",
  "packages/server/src/operations/housekeeping/housekeeping.ts domains":
    "ends organizations whose time is up, all of them",
  "packages/server/src/operations/purge/purge-removed.ts domains":
    "forgets what was removed long ago, of all organizations",
  "packages/server/src/operations/housekeeping/housekeeping.ts remote_trees":
    "forgets what nobody has used for a month, of all organizations",
  "packages/server/src/operations/housekeeping/housekeeping.ts sealed_values":
    "ends organizations whose time is up, all of them",
  "packages/server/src/infra/sql/database.ts connector_targets":
    "an embedded database at start: nobody else holds a branch",
  "packages/server/src/content/connectors/remote-repo.ts connector_instances":
    "whom an event of the code host concerns: it names a repository, not an organization",
  "packages/server/src/content/connectors/remote-repo.ts connector_accounts":
    "whom an event of the code host concerns: it names an installation, not an organization",
  "packages/server/src/content/connectors/reconcile-repo.ts connector_targets":
    "takes branches that are due, of all organizations",
  "packages/server/src/content/connectors/reconcile-repo.ts connector_accounts":
    "takes installations that are due, of all organizations",
  "packages/server/src/content/connectors/reconcile-repo.ts connector_instances":
    "takes branches that are due, of all organizations",
  "packages/server/src/content/webhooks/inbox-repo.ts connector_accounts":
    "who has an account for the installation of an event, of all organizations",
  "packages/server/src/content/webhooks/inbox-repo.ts connector_instances":
    "who follows the repository of an event, of all organizations",
  "packages/server/src/content/webhooks/inbox-repo.ts connector_targets":
    "whether such an organization follows the branch",
  "packages/server/src/operations/housekeeping/housekeeping.ts webhook_deliveries":
    "forgets deliveries by their age, of all organizations",
  "packages/server/src/identity/users/verified-domains-repo.ts domains":
    "finds the organization of a domain by its name, which is unique among verified domains"
}
