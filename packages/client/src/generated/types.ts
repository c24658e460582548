// Written by `pnpm codegen`; change the contract instead.
/** Any JSON value. */
export type Json = null | string | number | boolean | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** The id of the API key. */
export type APIKeyId = string

export interface AcceptClaim {
  /** The token from the claim link. */
  readonly token: string
  /** Creates an API key with these permissions, so that the agent can continue to manage what it created. Allowed only with an owner claim link. The secret of the key is returned once. */
  readonly keepAgent?: {
    readonly name?: string | undefined
    readonly permissions: ReadonlyArray<Permission>
  } | undefined
}

export interface AcceptedClaim {
  readonly ok: true
  readonly organization: Organization
  readonly member: Member
  /** The API key of the agent, if `keepAgent` was set. */
  readonly apiKey: ApiKey | null
  /** The secret of that key. Returned only in this response. */
  readonly key: string | null
}

export interface AccessExplanation {
  readonly allowed: boolean
  /** The highest role across all paths. Null if there is no path. */
  readonly level: GrantRole | null
  readonly needed: GrantRole
  /** The paths that give access, highest role first. At most 50. */
  readonly paths: ReadonlyArray<AccessPath>
  /** A sentence that names the missing grant or permission. Null if access is allowed. */
  readonly missing: string | null
}

export interface AccessImpact {
  /** The grant whose revocation is previewed. */
  readonly grantId: string
}

export interface AccessImpactResult {
  readonly grantId: string
  /** Members who would lose access to the object or be left with a lower role. */
  readonly memberCount: number
  /** The lost or lowered roles, at most 500. */
  readonly losses: ReadonlyArray<{
    readonly orgMembershipId: OrganizationMembershipId
    readonly object: {
      readonly kind: GrantedObjectKind
      readonly id: string
      readonly name: string
    }
    readonly from: GrantRole
    readonly to: GrantRole | null
  }>
  /** Whether the result is incomplete because more than 500 roles would be lost or lowered, or the object contains more than 2,000 items. */
  readonly truncated: boolean
}

export interface AccessPath {
  readonly level: GrantRole
  readonly steps: ReadonlyArray<AccessStep>
}

export interface AccessStep {
  readonly kind: "member" | "role" | "team" | "grant" | "marketplace" | "plugin" | "object" | "hidden"
  readonly id: string | null
  readonly label: string
}

export interface ActivityDay {
  /** A UTC date: `2026-03-01`. */
  readonly day: string
  readonly activeUsers: number
  readonly realActiveUsers: number
  readonly signups: number
}

export interface AddMember {
  /** The user's id in the host application. */
  readonly subject?: string | undefined
  /** An email address in a domain that the organization has verified. */
  readonly email?: string | undefined
  /** The role of the new member. The caller must have all permissions of the role. Default: `member`. */
  readonly role?: RoleName | undefined
}

export interface AddObject {
  readonly configObjectId: ConfigObjectId
}

export interface AddPlugin {
  readonly pluginId: PluginId
}

export interface AdminMetrics {
  /** Current members of the organization. For the whole installation: all users who have not been removed. */
  readonly totalUsers: number
  readonly totalOrganizations: number
  /** Users with a verified email address. */
  readonly verifiedUsers: number
  /** Users who joined in the last 7 UTC days, including today. */
  readonly recentUsers7d: number
  readonly recentUsers30d: number
  /** Cloud and local workers that have not been removed. */
  readonly totalWorkers: number
  readonly cloudWorkers: number
  readonly localWorkers: number
  /** Users who created a worker that still exists. */
  readonly usersWithWorkers: number
  readonly usersWithoutWorkers: number
  readonly paidUsers: number
  readonly unpaidUsers: number
  /** Users whose billing status is unknown. Currently all users, because no billing source is connected. */
  readonly billingUnavailableUsers: number
  /** Owners and admins. */
  readonly adminCount: number
  /** Users with an authenticated session request or an accepted telemetry event today. `7d` and `30d` cover the last 7 and 30 UTC days, including today. */
  readonly activeUsers1d: number
  readonly activeUsers7d: number
  readonly activeUsers30d: number
  /** Users who made a change or sent a `task.*` event today. `7d` and `30d` cover the last 7 and 30 UTC days, including today. */
  readonly realActiveUsers1d: number
  readonly realActiveUsers7d: number
  readonly realActiveUsers30d: number
  /** Users who were active on at least two of the last 30 days. */
  readonly recurringUsers: number
  /** Users who sent an invitation in the last 30 days. */
  readonly inviters: number
  /** The median number of hours between joining and sending the first invitation, for users who have sent one. Null if there are none. */
  readonly medianHoursToFirstInvite: number | null
  /** Whether billing data is included. Always false: no billing source is connected. */
  readonly billingLoaded: boolean
  /** The last 30 UTC days, oldest first. The last one is today. */
  readonly activitySeries: ReadonlyArray<ActivityDay>
}

export interface AdminOverview {
  readonly members: number
  readonly admins: number
  readonly teams: number
  /** API keys that are neither revoked nor expired. */
  readonly apiKeys: number
  readonly plugins: number
  readonly configObjects: number
  readonly marketplaces: number
  readonly connectorInstances: number
  readonly mcpConnections: number
  readonly workers: number
  readonly pendingInvitations: number
  /** Branches whose last sync failed, was partial, or is pending approval. */
  readonly syncsInTrouble: number
  /** MCP connections whose tools changed and need a review, or whose shared credential is missing or invalid. */
  readonly connectionsNeedingAttention: number
  /** The most recent of these syncs, at most 10. */
  readonly syncTroubles: ReadonlyArray<SyncTrouble>
  /** At most 10. */
  readonly connectionTroubles: ReadonlyArray<ConnectionTrouble>
  /** The most recent audit events, at most 10. */
  readonly recentChanges: ReadonlyArray<AuditEvent>
}

export interface AdoptConfiguration {
  /** The objects and their keys. Default: all objects without a key get the key that the export shows. */
  readonly adoptions?: ReadonlyArray<ConfigurationAdoption> | undefined
}

export interface Adoption {
  readonly from: UtcDay
  readonly to: UtcDay
  readonly interval: "day" | "week"
  /** Current members of the organization, or of the team in `teamId`. */
  readonly members: number
  /** Members with an accepted event in the whole range. */
  readonly activeMembers: number
  readonly newMembers: number
  readonly returningMembers: number
  readonly series: ReadonlyArray<AdoptionStep>
  readonly bySource: ReadonlyArray<{
    readonly source: "app" | "worker"
    readonly activeMembers: number
  }>
  /** The teams with the most active members; at most 100. A member of several teams is counted in each of them. */
  readonly byTeam: ReadonlyArray<{
    readonly teamId: TeamId
    readonly name: string
    readonly members: number
    readonly activeMembers: number
  }>
  /** The values of `dimensionType` with the most active members; at most 100. Empty without `dimensionType`. */
  readonly byDimension: ReadonlyArray<{
    readonly value: string
    readonly label: string | null
    /** Members with an event that has the value. */
    readonly activeMembers: number
    /** The number of those events. */
    readonly events: number
  }>
}

export interface AdoptionStep {
  /** The day, or the Monday of the week. */
  readonly start: UtcDay
  /** Members with an accepted event in this period. */
  readonly activeMembers: number
  /** Active members whose first event is in this period. */
  readonly newMembers: number
  /** Active members who had an event before this period. */
  readonly returningMembers: number
}

export interface Analytics {
  readonly measure: "events" | "users" | "tasksStarted" | "tasksCompleted" | "tasksFailed" | "taskSuccessRate" | "successRate" | "durationSum" | "durationAverage" | "durationP50" | "durationP95"
  readonly unit: "count" | "ratio" | "milliseconds"
  readonly from: UtcDay
  readonly to: UtcDay
  readonly interval: "day" | "week"
  readonly groupBy: string | null
  /** The days, or the Mondays of the weeks. */
  readonly steps: ReadonlyArray<UtcDay>
  /** The total of all matching events. It is not the sum of the groups. */
  readonly total: number | null
  /** The total for each step. */
  readonly values: ReadonlyArray<number | null>
  /** The number of groups. `series` contains the largest ones. */
  readonly groups: number
  readonly series: ReadonlyArray<AnalyticsSeries>
}

export interface AnalyticsSeries {
  /** The type, source, team, membership or value of the group. Null for events without one. */
  readonly key: string | null
  /** The display name of the group. */
  readonly label: string | null
  /** Null if the denominator of a ratio is zero, or if no event has a duration. */
  readonly total: number | null
  /** One value for each step. */
  readonly values: ReadonlyArray<number | null>
}

export interface ApiKey {
  readonly id: APIKeyId
  readonly organizationId: OrganizationId
  readonly name: string
  /** The first characters of the key, so that you can recognize it. */
  readonly hint: string
  readonly permissions: ReadonlyArray<Permission>
  readonly requestsPerMinute: number
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly expiresAt: Timestamp | null
  /** When the key was last used. Accurate to the hour. */
  readonly lastUsedAt: Timestamp | null
  /** When the previous secret expires, if the key was rotated. */
  readonly previousUsableUntil: Timestamp | null
  readonly revokedAt: Timestamp | null
}

export interface ApiKeyWithSecret {
  readonly apiKey: ApiKey
  /** The secret of the key. Returned only in this response. */
  readonly key: string
}

export interface ApplyConfiguration {
  readonly document: ConfigurationDocument
  readonly secrets?: ConfigurationSecrets | undefined
  /** The digest of the plan. Required if the document removes objects. Default: apply the current plan. */
  readonly planDigest?: string | undefined
}

export interface ApplyDiscovery {
  /** The keys of the plugins to import, as returned by `connectors.discovery`. */
  readonly selectedKeys: ReadonlyArray<string>
  /** Whether plugins that appear later are imported automatically. Imported plugins are kept up to date either way. */
  readonly autoImportNewPlugins: boolean
  /** The marketplace that lists the plugins. Default: the branch's existing marketplace, or a new one. */
  readonly marketplaceId?: MarketplaceId | undefined
  /** `orgWide` shows the marketplace to every member; `private` only to members with a grant. Default: `private`. */
  readonly share?: "private" | "orgWide" | undefined
  /** The branch to use, if the instance has more than one. Default: the first branch. */
  readonly connectorTargetId?: ConnectorTargetId | undefined
  /** The digest of a reviewed plan. If the import would now make different changes, the request fails and changes nothing. */
  readonly planDigest?: string | undefined
}

export interface ApprovalSettings {
  /** The minimum for all plugins of the organization. Default: `auto`. */
  readonly deliveryMode: DeliveryMode
  /** Whether four-eyes approval is on: the creator of the connector instance, the authors of the changed config objects and API keys cannot approve a release. A release from a repository requires two approvers, because orgplane does not know who pushed it. Default: `false`. */
  readonly fourEyes: boolean
}

export interface ApproveConfigurationRun {
  /** The digest of the plan that you reviewed. */
  readonly planDigest: string
}

export interface ApprovePluginReleases {
  /** At most 100 releases. If one of them cannot be decided, the request changes nothing. */
  readonly releases: ReadonlyArray<DecidedPluginRelease>
  readonly comment?: string | undefined
  /** When the releases are delivered: each release starts a rollout at this time, at most 366 days from now. If several members must approve, the time of the last approval counts. Default: at once. */
  readonly startsAt?: RequestTime | undefined
}

/** The archive format. Default: `tar.gz`. */
export type ArchiveFormat = "zip" | "tar.gz"

/** `latest_approved`: the served release of the plugin. `pinned`: the release with the pinned digest. `pinned_not_stored`: the files of the pinned release are no longer stored, so members who have it keep their copy, and others receive nothing. To resolve this, change the pin. `none`: the plugin has no approved release yet. */
export type AssignedVersion = "latest_approved" | "pinned" | "pinned_not_stored" | "none"

export interface Assignment {
  readonly id: AssignmentId
  readonly organizationId: OrganizationId
  /** Null for an assignment of a marketplace. */
  readonly pluginId: PluginId | null
  /** The marketplace whose plugins are assigned. Null for an assignment of a plugin. */
  readonly marketplaceId: MarketplaceId | null
  readonly mode: AssignmentMode
  /** The assignment with the highest priority wins. */
  readonly priority: number
  /** The digest of the release that is delivered. Null for the latest approved release. */
  readonly pinnedDigest: string | null
  readonly memberIds: ReadonlyArray<OrganizationMembershipId>
  readonly teamIds: ReadonlyArray<TeamId>
  readonly audience: AssignmentAudience
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** `organization`: the assignment applies to every member. `assigned`: it applies to its members and teams. `nobody`: all its members and teams were removed. The assignment then applies to no one; it does not become organization-wide. */
export type AssignmentAudience = "organization" | "assigned" | "nobody"

export interface AssignmentChange {
  readonly orgMembershipId: OrganizationMembershipId
  readonly pluginId: PluginId
  readonly before: AssignmentDecision
  readonly after: AssignmentDecision
}

export interface AssignmentDecision {
  readonly mode: AssignmentMode
  readonly pinnedDigest: string | null
  /** Null if no assignment applies. */
  readonly winner: AssignmentSource | null
}

export interface AssignmentExplanation {
  readonly rule: AssignmentRule
  /** Null if no assignment applies. */
  readonly winner: AssignmentSource | null
  /** The other assignments that apply, highest precedence first; at most 20. */
  readonly losers: ReadonlyArray<{
    /** Null for the assignment that a simulation would create. */
    readonly id: AssignmentId | null
    /** Whether the assignment is of the plugin itself or of one of its marketplaces. */
    readonly target: "plugin" | "marketplace"
    /** Null for an assignment of the plugin, and for callers without the permission `assignments:read`. */
    readonly marketplaceId: MarketplaceId | null
    readonly mode: AssignmentMode
    readonly priority: number
    readonly pinnedDigest: string | null
    readonly through: AssignmentThrough
    readonly createdAt: Timestamp | null
    readonly lostBy: AssignmentLostBy
  }>
  readonly loserCount: number
}

/** The id of the assignment. */
export type AssignmentId = string

/** The first rule that distinguishes an assignment from the winner: `blocked` before other modes; higher priority; more specific assignee (member, team, organization); an assignment of the plugin before one of its marketplace; older assignment; smaller id. */
export type AssignmentLostBy = "block" | "priority" | "specificity" | "target" | "age" | "id"

/** `required`: the plugin is on, and members cannot turn it off. `default_on`: it is on, and members may turn it off. `available`: it is off, and members may turn it on. `blocked`: members cannot use it. */
export type AssignmentMode = "required" | "default_on" | "available" | "blocked"

export interface AssignmentModeChange {
  readonly before: AssignmentMode
  readonly after: AssignmentMode
  readonly changeCount: number
}

/** The rule that determined the mode. `default`: no assignment applies. `only`: exactly one assignment applies. Otherwise, the rule by which the winner took precedence over the runner-up. */
export type AssignmentRule = "default" | "only" | "block" | "priority" | "specificity" | "target" | "age" | "id"

export interface AssignmentSimulation {
  /** Members with at least one change. */
  readonly memberCount: number
  /** The number of changes: the plugins whose mode or pinned digest would change, for each member. */
  readonly changeCount: number
  /** The changes by their mode before and after. Equal if only the pinned digest changes. */
  readonly modes: ReadonlyArray<AssignmentModeChange>
  /** Ordered by member and plugin; at most 500. A plugin is not included if only the winning assignment would change, not the mode or the pinned digest. */
  readonly changes: ReadonlyArray<AssignmentChange>
  /** Whether there are more changes than listed. */
  readonly truncated: boolean
}

export interface AssignmentSource {
  /** Null for the assignment that a simulation would create. */
  readonly id: AssignmentId | null
  /** Whether the assignment is of the plugin itself or of one of its marketplaces. */
  readonly target: "plugin" | "marketplace"
  /** Null for an assignment of the plugin, and for callers without the permission `assignments:read`. */
  readonly marketplaceId: MarketplaceId | null
  readonly mode: AssignmentMode
  readonly priority: number
  readonly pinnedDigest: string | null
  readonly through: AssignmentThrough
  readonly createdAt: Timestamp | null
}

/** The most specific way in which an assignment applies to a member. */
export type AssignmentThrough = "member" | "team" | "organization"

export interface AttachPlugin {
  readonly pluginId: PluginId
}

export interface AttentionCount {
  readonly kind: AttentionKind
  readonly severity: AttentionSeverity
  /** The number of items of the kind, at most 100. */
  readonly count: number
  /** Whether there are more than 100 items of the kind. The others are not listed. */
  readonly truncated: boolean
}

export interface AttentionItem {
  readonly kind: AttentionKind
  readonly severity: AttentionSeverity
  readonly object: AttentionObject
  /** The object that contains the object, such as the connector of a sync. Null if there is none. */
  readonly parent: AttentionParent | null
  /** The reason or the extent, in at most 300 characters. Null if there is nothing to add. */
  readonly detail: string | null
  /** Since when it needs attention. */
  readonly since: Timestamp
  /** When it expires or expired. Null unless the severity is `expiring`. */
  readonly expiresAt: Timestamp | null
}

/** `sync_approval`: a sync is pending approval, because it would remove many objects (next: `connectors.approveSync`). `release_approval`: a release of a plugin is pending approval (next: `approvals.approve`). `rollout_promotion`: the soak time of a ring with manual promotion has ended (next: `rollouts.promote`). `rollout_paused`: a member or an API key paused a rollout (next: `rollouts.resume`). `mcp_review`: an MCP server differs from its accepted state (next: `mcpConnections.decideReview`). `scim_approval`: deactivations of a SCIM directory are pending approval (next: `scim.approveHold`). `configuration_approval`: a configuration run is pending approval, because it would remove many objects (next: `configurationRuns.approve`). `sync_failed`: the last sync of a branch failed, or skipped files (next: `connectors.retrySync`). `connector_failed`: the code host reports that a repository is archived, was removed or cannot be accessed (next: `connectors.updateInstance`). `connector_account_failed`: the installation of the code host app is suspended or was removed (next: `connectors.startInstall`). `rollout_failing`: a rollout was paused automatically, because the release fails more often than the previous one (next: `rollouts.rollBack`). `configuration_failed`: the last configuration run failed (next: `configurationSource.run`). `mcp_connection_disconnected`: the shared credential of an MCP connection is missing or no longer works, or your own credential no longer works (next: `mcpConnections.startConnect`). `llm_provider_disconnected`: the shared key of an LLM provider is missing (next: `llmProviders.setCredential`). `webhook_endpoint_failing`: the last delivery to a webhook endpoint failed, or orgplane stopped the endpoint because of failures (next: `webhookEndpoints.resume`). `event_stream_failing`: the last delivery of an event stream failed (next: `eventStreams.test`). `sso_failed`: the last test of an enabled SSO connection failed (next: `sso.test`). `sso_domain_failing`: the DNS record of a verified domain was missing or different in the last check (next: `ssoDomains.verify`). `scim_failing`: the last change that a SCIM directory requested was refused (next: `scim.log`). `api_key_expiring`: an API key expires soon (next: `apiKeys.update`). `invitation_expiring`: a pending invitation expires soon (next: `invitations.resend`). `scim_token_expiring`: the last valid token of a SCIM directory expires soon, or has expired (next: `scim.rotateToken`). `saml_certificate_expiring`: the last valid certificate of an enabled SAML connection expires soon, or has expired (next: `sso.putSaml`). `marketplace_link_expiring`: a marketplace link expires soon (next: `marketplaces.createLink`). `worker_token_expiring`: the last valid token of a worker expires soon (next: `workers.createToken`). */
export type AttentionKind = "sync_approval" | "release_approval" | "rollout_promotion" | "rollout_paused" | "mcp_review" | "scim_approval" | "configuration_approval" | "sync_failed" | "connector_failed" | "connector_account_failed" | "rollout_failing" | "configuration_failed" | "mcp_connection_disconnected" | "llm_provider_disconnected" | "webhook_endpoint_failing" | "event_stream_failing" | "sso_failed" | "sso_domain_failing" | "scim_failing" | "api_key_expiring" | "invitation_expiring" | "scim_token_expiring" | "saml_certificate_expiring" | "marketplace_link_expiring" | "worker_token_expiring"

export interface AttentionObject {
  readonly kind: AttentionObjectKind
  readonly id: string
  /** The name to show. An object without its own name has the name of the object that contains it, such as the connector of a sync. */
  readonly name: string
}

export type AttentionObjectKind = "connectorSyncEvent" | "connectorInstance" | "connectorAccount" | "plugin" | "pluginRelease" | "rollout" | "marketplace" | "marketplaceLink" | "mcpConnection" | "llmProvider" | "worker" | "configurationRun" | "webhookEndpoint" | "eventStream" | "apiKey" | "invitation" | "ssoConnection" | "domain" | "scimDirectory" | "scimHold"

export interface AttentionParent {
  readonly kind: AttentionObjectKind
  readonly id: string
}

/** `decision`: it waits until someone decides. `failing`: it does not work. `expiring`: it stops working soon, or has expired. */
export type AttentionSeverity = "decision" | "failing" | "expiring"

/** `<resource>.<verb>`, such as `api_key.create`. Later releases can add actions. */
export type AuditAction = "access.refuse" | "api_key.create" | "api_key.revoke" | "api_key.rotate" | "api_key.update" | "approval.instance_mode.set" | "approval.marketplace_mode.set" | "approval.settings.update" | "assignment.create" | "assignment.remove" | "assignment.update" | "bootstrap.workspace.claim" | "bootstrap.workspace.create" | "capability.authorization.start" | "capability.calendar_event.update" | "capability.connect" | "capability.credential.reject" | "capability.disconnect" | "capability.mail_draft.create" | "config_object.archive" | "config_object.create" | "config_object.grant" | "config_object.plugin.attach" | "config_object.plugin.detach" | "config_object.remove" | "config_object.restore" | "config_object.revoke" | "config_object.version.create" | "config_object.version.restore" | "configuration.adopt" | "configuration.apply" | "configuration.run.approve" | "configuration.run.end" | "configuration.run.fail" | "configuration.run.hold" | "configuration.run.reject" | "configuration.run.start" | "configuration.source.remove" | "configuration.source.set" | "connector.account.create" | "connector.account.disconnect" | "connector.apply" | "connector.archive" | "connector.auto_import.set" | "connector.create" | "connector.disable" | "connector.enable" | "connector.grant" | "connector.install.complete" | "connector.install.start" | "connector.mapping.create" | "connector.mapping.delete" | "connector.mapping.update" | "connector.remove" | "connector.resync" | "connector.revoke" | "connector.rollback" | "connector.rollback.finish" | "connector.setup" | "connector.sync" | "connector.sync.approve" | "connector.sync.fail" | "connector.sync.hold" | "connector.sync.reject" | "connector.sync.retry" | "connector.synced" | "connector.target.create" | "connector.target.update" | "connector.update" | "desktop_policy.create" | "desktop_policy.remove" | "desktop_policy.update" | "device.remove" | "domain.create" | "domain.fail" | "domain.lapse" | "domain.recover" | "domain.remove" | "domain.verify" | "event_stream.create" | "event_stream.pause" | "event_stream.remove" | "event_stream.resume" | "event_stream.test" | "event_stream.update" | "invitation.accept" | "invitation.batch" | "invitation.cancel" | "invitation.create" | "invitation.resend" | "llm_provider.connect" | "llm_provider.create" | "llm_provider.credential.remove" | "llm_provider.credential.set" | "llm_provider.grant" | "llm_provider.remove" | "llm_provider.revoke" | "llm_provider.update" | "marketplace.archive" | "marketplace.create" | "marketplace.grant" | "marketplace.link.create" | "marketplace.link.revoke" | "marketplace.plugin.add" | "marketplace.plugin.remove" | "marketplace.restore" | "marketplace.revoke" | "marketplace.update" | "mcp_connection.authorization.start" | "mcp_connection.connect" | "mcp_connection.create" | "mcp_connection.credential.reject" | "mcp_connection.disconnect" | "mcp_connection.drift" | "mcp_connection.grant" | "mcp_connection.remove" | "mcp_connection.review" | "mcp_connection.revoke" | "mcp_connection.tool.call" | "mcp_connection.tool_call.start" | "mcp_connection.tool_policy.set" | "mcp_connection.update" | "member.add" | "member.batch" | "member.remove" | "member.update" | "memory.clear" | "memory.delete" | "memory.save" | "organization.create" | "organization.ownership.transfer" | "organization.remove" | "organization.update" | "platform.plan.update" | "plugin.archive" | "plugin.create" | "plugin.grant" | "plugin.object.add" | "plugin.object.remove" | "plugin.restore" | "plugin.revoke" | "plugin.update" | "plugin_choice.reset" | "plugin_choice.set" | "release.approve" | "release.hold" | "release.reject" | "release.serve" | "release.withdraw" | "role.create" | "role.remove" | "role.update" | "rollout.cancel" | "rollout.complete" | "rollout.create" | "rollout.pause" | "rollout.promote" | "rollout.release" | "rollout.resume" | "rollout.rollback" | "rollout.schedule" | "rollout.settings.update" | "rollout.start" | "rollout.supersede" | "scim.directory.create" | "scim.directory.reconcile" | "scim.directory.remove" | "scim.group.create" | "scim.group.delete" | "scim.group.update" | "scim.group_role.set" | "scim.hold.approve" | "scim.hold.reject" | "scim.token.revoke" | "scim.token.rotate" | "scim.user.create" | "scim.user.deactivate" | "scim.user.delete" | "scim.user.reactivate" | "scim.user.update" | "secret.discard" | "session.challenge" | "session.create" | "session.exchange" | "session.revoke" | "sso.disable" | "sso.enable" | "sso.enforce" | "sso.oidc.put" | "sso.remove" | "sso.saml.put" | "sso.sign_in.return" | "sso.sign_in.start" | "sso.test" | "team.create" | "team.member.add" | "team.member.remove" | "team.remove" | "team.update" | "template.create" | "template.instantiate" | "template.remove" | "template.update" | "template.version.create" | "template.version.restore" | "user.active_organization.set" | "user.organization.leave" | "user.remove" | "user.update" | "webhook.receive" | "webhook.redeliver" | "webhook_endpoint.create" | "webhook_endpoint.disable" | "webhook_endpoint.pause" | "webhook_endpoint.redeliver" | "webhook_endpoint.remove" | "webhook_endpoint.resume" | "webhook_endpoint.secret.rotate" | "webhook_endpoint.test" | "webhook_endpoint.update" | "worker.create" | "worker.remove" | "worker.runtime.upgrade" | "worker.runtime_upgrade.start" | "worker.token.create" | "worker.token.revoke" | "worker.update"

export interface AuditCheckpoint {
  readonly sequence: number
  /** Hash of all events up to this sequence number, in hex. */
  readonly hash: string
  /** The id of the signing key, as listed by `GET /v1/keys`. */
  readonly keyId: string
  /** Ed25519 signature over `<organizationId>.<sequence>.<hash>`, base64url. */
  readonly signature: string
  readonly createdAt: Timestamp
}

/** Events do not contain text that users entered, only its digest and length. */
export interface AuditEvent {
  readonly id: AuditEventId
  readonly organizationId: OrganizationId | null
  /** Position in the sealed sequence. Null until the event is sealed. */
  readonly sequence: number | null
  readonly action: AuditAction
  readonly actorKind: "session" | "key" | "worker" | "directory" | "platform" | "system" | "anonymous"
  /** The membership, API key, worker, SCIM directory or user that caused the event. Null for the system and for anonymous callers. */
  readonly actorId: string | null
  readonly targetId: string | null
  readonly requestId: string | null
  readonly address: string | null
  readonly userAgent: string | null
  readonly before: JsonObject | null
  readonly after: JsonObject | null
  readonly createdAt: Timestamp
}

/** The id of the audit event. */
export type AuditEventId = string

export interface AuditVerification {
  readonly valid: boolean
  readonly eventCount: number
  readonly sealedThrough: number | null
  readonly firstInvalidSequence: number | null
  readonly reason: string | null
  /** The sequence number of the last event that was deleted at the end of its retention. The events after it are verified from the signed record of the deletion. Null if no events were deleted. */
  readonly truncatedThrough: number | null
  readonly truncatedAt: Timestamp | null
}

export interface AutoImport {
  readonly connectorInstanceId: ConnectorInstanceId
  readonly autoImportNewPlugins: boolean
}

export interface BootstrapWorkspace {
  readonly ok: true
  readonly organization: Organization
  readonly session: {
    readonly token: string
    readonly expiresAt: Timestamp
  }
  readonly claimLinks: ReadonlyArray<ClaimLink>
}

export interface CalendarEvent {
  readonly ok: true
  readonly eventId: string
  readonly htmlLink: string
  readonly summary: string
  /** A date-time with an offset, or a date. */
  readonly start: string
  /** A date-time with an offset, or a date. */
  readonly end: string
  /** Null when the event has no video meeting. */
  readonly meetLink: string | null
}

export interface CallMcpTool {
  /** The name of the tool to call. */
  readonly toolName: string
  /** The arguments of the call, as the tool's input schema defines them. */
  readonly arguments: { readonly [key: string]: Json }
}

export interface CallerPermissions {
  readonly organizationId: OrganizationId
  /** Null if the caller is an API key. */
  readonly orgMembershipId: OrganizationMembershipId | null
  /** Null if the caller is a member. */
  readonly apiKeyId: APIKeyId | null
  /** Whether the caller is an owner. */
  readonly isOwner: boolean
  /** Whether the caller is an owner or an admin, and so a manager of every object. Other callers need grants on objects. */
  readonly managesAllObjects: boolean
  /** The permissions of the member's role or of the API key, in the order of `roles.permissions`. */
  readonly permissions: ReadonlyArray<Permission>
}

export interface CapabilityConnection {
  readonly suite: Suite
  /** Whether the operator has configured the suite. Connecting fails until then. */
  readonly configured: boolean
  readonly status: "not_connected" | "ready" | "reconnect_required"
  readonly statusReason: string | null
  /** The scopes that the member has granted. */
  readonly scopes: ReadonlyArray<string>
  readonly connectedAt: Timestamp | null
  readonly updatedAt: Timestamp | null
}

export interface CatalogModel {
  readonly providerId: string
  readonly id: string
  readonly name: string
  readonly capabilities: ReadonlyArray<LlmCapability>
  readonly inputModalities: ReadonlyArray<string>
  readonly outputModalities: ReadonlyArray<string>
  /** Null when the catalog does not list it. */
  readonly cost: LlmModelCost | null
  readonly contextLimit: number | null
  readonly outputLimit: number | null
  /** The release date, such as `2026-11` or `2026-11-22`. */
  readonly releaseDate: string | null
  /** The release status, such as `alpha`, `beta` or `deprecated`. Null for a regular model. */
  readonly lifecycle: string | null
}

export interface CatalogModelPage {
  readonly items: ReadonlyArray<CatalogModel>
  readonly nextCursor: string | null
  /** When the catalog was last fetched or revalidated successfully. */
  readonly generatedAt: Timestamp
  /** Whether the catalog is more than an hour old because its source is unreachable or returns invalid data. */
  readonly stale: boolean
}

export interface CatalogProvider {
  readonly id: string
  readonly name: string
  readonly apiFormat: LlmApiFormat
  /** Null if you must set it, or if it is built into the provider's library. */
  readonly baseUrl: string | null
  readonly env: ReadonlyArray<string>
  readonly npm: string | null
  readonly docUrl: string | null
  readonly modelCount: number
}

export interface CatalogProviderPage {
  readonly items: ReadonlyArray<CatalogProvider>
  readonly nextCursor: string | null
  /** When the catalog was last fetched or revalidated successfully. */
  readonly generatedAt: Timestamp
  /** Whether the catalog is more than an hour old because its source is unreachable or returns invalid data. */
  readonly stale: boolean
}

export interface ClaimLink {
  readonly id: InvitationId
  readonly role: ClaimRole
  readonly token: string
  /** The link for the person who claims the workspace. The token is in the URL fragment, so it is not written to logs. */
  readonly url: string
  readonly expiresAt: Timestamp
}

export interface ClaimPreview {
  readonly organizationName: string
  readonly role: ClaimRole
  readonly expiresAt: Timestamp
}

export type ClaimRole = "owner" | "admin" | "member"

export interface ClaimToken {
  /** The token from the claim link. */
  readonly token: string
}

export interface CloudReadiness {
  readonly state: "ready" | "needs_signin" | "needs_admin_setup" | "desktop_only" | "not_synced"
  /** How to make it ready, in one sentence. */
  readonly nextAction: string | null
  /** Whether it contains skills, agents, commands or context. */
  readonly hasInstructional: boolean
  readonly connections: ReadonlyArray<ReadinessConnection>
}

export interface CodehostBranch {
  readonly name: string
  /** The commit SHA that the branch points to. */
  readonly revision: string
}

export interface CodehostRepository {
  /** The repository's id on the code host, which does not change when the repository is renamed. Use it as the `remoteId` of an instance. */
  readonly id: string
  /** The current `owner/name`. */
  readonly fullName: string
  readonly defaultBranch: string | null
  readonly private: boolean
}

export interface ComparedTemplateVersion {
  readonly id: TemplateVersionId
  readonly ordinal: number
  readonly createdAt: Timestamp
}

export interface ComparedVersion {
  readonly id: ConfigObjectVersionId
  readonly ordinal: number
  readonly contentDigest: string
  readonly createdAt: Timestamp
}

export interface CompleteConnect {
  /** The `state` from the redirect. */
  readonly state: string
  /** The authorization code from the redirect. */
  readonly code: string
  /** The issuer, if the authorization server returned one. */
  readonly iss?: string | undefined
}

export interface CompleteInstall {
  /** The `state` from the redirect. */
  readonly state: string
  /** The code that the code host returned to the browser. It proves that the caller administers the repositories. */
  readonly code: string
  /** The `installation_id` from the redirect. */
  readonly installationId: string
}

export interface CompleteSso {
  /** The `state` that `sso.start` returned. */
  readonly state: string
  /** The code that the callback returned to the browser. Valid for two minutes. Can be used once. */
  readonly code: string
  /** The code verifier whose SHA-256 was sent to `sso.start` as `codeChallenge`. */
  readonly codeVerifier: string
}

export interface CompleteSuiteConnect {
  /** The `state` from the redirect. */
  readonly state: string
  /** The authorization code from the redirect. */
  readonly code: string
  /** The issuer, if the redirect included one. */
  readonly iss?: string | undefined
}

export interface ComponentCounts {
  readonly skill: number
  readonly agent: number
  readonly command: number
  readonly tool: number
  readonly mcp: number
  readonly hook: number
  readonly context: number
  readonly custom: number
}

export interface ConfigObject {
  readonly id: ConfigObjectId
  readonly organizationId: OrganizationId
  readonly objectType: ObjectType
  readonly sourceMode: SourceMode
  readonly status: "active" | "archived" | "deleted" | "ingestion_error"
  readonly title: string
  readonly description: string | null
  readonly searchText: string | null
  readonly currentFileName: string | null
  readonly currentFileExtension: string | null
  readonly currentRelativePath: string | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly connectorInstanceId: ConnectorInstanceId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly deletedAt: Timestamp | null
  readonly latestVersion: ConfigObjectVersion | null
}

/** The id of the config object access grant. */
export type ConfigObjectAccessGrantId = string

export interface ConfigObjectGrant {
  readonly id: ConfigObjectAccessGrantId
  readonly orgMembershipId: OrganizationMembershipId | null
  readonly teamId: TeamId | null
  readonly orgWide: boolean
  readonly role: GrantRole
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly removedAt: Timestamp | null
}

/** The id of the config object. */
export type ConfigObjectId = string

export interface ConfigObjectVersion {
  readonly id: ConfigObjectVersionId
  readonly configObjectId: ConfigObjectId
  /** The version number: 1 for the first version, increasing by one. */
  readonly ordinal: number
  readonly schemaVersion: string | null
  readonly normalizedPayloadJson: JsonObject | null
  readonly rawSourceText: string | null
  /** SHA-256 of the content, in hex. */
  readonly contentDigest: string
  readonly createdVia: SourceMode
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly connectorSyncEventId: ConnectorSyncEventId | null
  readonly sourceRevisionRef: string | null
  readonly isDeletedVersion: boolean
  readonly createdAt: Timestamp
}

/** The id of the config object version. */
export type ConfigObjectVersionId = string

/** A recipient, and the role that the recipient has on the object. */
export interface ConfigurationAccess {
  /** Every member of the organization. */
  readonly everyone?: true | undefined
  /** The key of a team. */
  readonly team?: string | undefined
  /** The email address of a member. */
  readonly member?: string | undefined
  readonly role: GrantRole
}

export interface ConfigurationAccessEffects {
  /** Members whose access to at least one object would change. */
  readonly memberCount: number
  /** The number of changed roles across all members and objects. */
  readonly changeCount: number
  /** Ordered by object and member; at most 500. Access to config objects follows from their plugins and is not listed. Owners and admins have access to everything and are not listed. */
  readonly changes: ReadonlyArray<{
    readonly orgMembershipId: OrganizationMembershipId
    readonly object: {
      readonly kind: GrantedObjectKind
      /** Null for an object that would be created. */
      readonly id: string | null
      readonly name: string
    }
    /** Null if the member has no access. */
    readonly from: GrantRole | null
    /** Null if the member would have no access. */
    readonly to: GrantRole | null
  }>
  /** Whether there are more changes than listed. */
  readonly truncated: boolean
}

export interface ConfigurationAdoption {
  readonly kind: ConfigurationKind
  /** The ID of the object. */
  readonly id: string
  readonly key: ConfigurationKey
}

/** The settings of approvals. `deliveryMode` is the minimum for all plugins of the organization. */
export interface ConfigurationApprovalSettings {
  readonly deliveryMode?: DeliveryMode | undefined
  /** Whether four-eyes approval is on: the creator of the connector instance, the authors of the changed config objects and API keys cannot approve a release. A release from a repository requires two approvers, because orgplane does not know who pushed it. Default: `false`. */
  readonly fourEyes?: boolean | undefined
}

/** A plugin or a marketplace that is assigned to members. It does not grant access. Between assignments of the same priority, the older one can win: a new organization gets them in the order of the document. */
export interface ConfigurationAssignment {
  readonly key: ConfigurationKey
  /** The key of the plugin to assign. */
  readonly plugin?: string | undefined
  /** The key of the marketplace to assign: all its plugins, including those that are added later. */
  readonly marketplace?: string | undefined
  readonly mode: AssignmentMode
  /** The assignment with the highest priority wins. */
  readonly priority?: number | undefined
  /** The digest of an approved release of the plugin whose files are stored. Null for the latest approved release. */
  readonly pinnedDigest?: string | null | undefined
  readonly to: ConfigurationAssignmentAudience
}

/** The members that the assignment applies to: `everyone`, or teams and members. An assignment whose teams and members were all removed has empty lists; a new one must have at least one team or member. */
export interface ConfigurationAssignmentAudience {
  /** Every member of the organization. */
  readonly everyone?: true | undefined
  /** The keys of teams. */
  readonly teams?: ReadonlyArray<string> | undefined
  /** The email addresses of members. */
  readonly members?: ReadonlyArray<string> | undefined
}

/** A branch of a connector, and its mappings. */
export interface ConfigurationBranch {
  /** The name of the branch. */
  readonly branch: string
  /** A custom JSON object. Default: `{}`. */
  readonly config?: { readonly [key: string]: Json } | undefined
  /** All mappings of the branch, except those that imports created. Default: none. Removing a mapping also removes the config objects that come only from it. */
  readonly mappings?: ReadonlyArray<ConfigurationMapping> | undefined
}

export interface ConfigurationChange {
  readonly kind: ConfigurationChangedKind
  /** Null for settings, of which there is one object. */
  readonly key: string | null
  /** The name of the object before the change. */
  readonly name: string
  /** `move`: an object gets another key. `adopt`: an existing object gets its first key. Neither changes anything else. */
  readonly action: "create" | "update" | "delete" | "move" | "adopt"
  readonly fields: ReadonlyArray<ConfigurationFieldChange>
}

export type ConfigurationChangedKind = "organization" | "memberRoles" | "rolloutSettings" | "approvalSettings" | "roles" | "teams" | "marketplaces" | "plugins" | "assignments" | "templates" | "desktopPolicies" | "llmProviders" | "mcpConnections" | "connectorAccounts" | "connectors" | "domains" | "ssoConnections" | "scimDirectories" | "webhookEndpoints" | "eventStreams"

export interface ConfigurationCommitStatus {
  /** `pending`: not sent yet. `set`: the code host accepted it. `failed`: the code host rejected it, or could not be reached. */
  readonly result: "pending" | "set" | "failed"
  /** Why it failed. */
  readonly message: string | null
}

/** A connected repository. An apply does not read a new one: discover its plugins after the apply. */
export interface ConfigurationConnector {
  readonly key: ConfigurationKey
  readonly name: string
  /** `git`: reads the repository from its clone URL. `rest`: uses the API of the code host. With `rest`, the repository must already be connected. Default: `git`. Cannot be changed. */
  readonly adapter?: "git" | "rest" | undefined
  /** The clone URL of the repository for `git`, and its ID on the code host for `rest`. */
  readonly remoteId: string
  /** The first branch that was connected. Cannot be changed. */
  readonly branch: string
  /** All branches, including `branch`. If omitted, the branches are not changed, and a new connector has only `branch`. Branches cannot be removed. An apply does not read the repository. */
  readonly branches?: ReadonlyArray<ConfigurationBranch> | undefined
  /** A custom JSON object. */
  readonly config?: { readonly [key: string]: Json } | undefined
  /** Default for a new connector: `active`. */
  readonly status?: "active" | "disabled" | "archived" | undefined
  /** Whether plugins that appear later are imported automatically. */
  readonly autoImportNewPlugins?: boolean | undefined
  /** The name that is sent with the token. Default: `git`. */
  readonly username?: string | undefined
  /** The credential of the repository. Only for `git`. It is not tested. */
  readonly token?: ConfigurationSecretReference | undefined
  /** All grants on the object: a recipient that is not listed loses its grant. If omitted, the grants are not changed, and only the creator has access to a new object. Owners and admins have access without a grant. */
  readonly access?: ReadonlyArray<ConfigurationAccess> | undefined
}

/** An account on a code host. A connector creates the account of its host if there is none. Repositories on the server's file system have no account in documents. */
export interface ConfigurationConnectorAccount {
  readonly key: ConfigurationKey
  /** `git`: plain Git. `rest`: an installation of the app on the code host, which must already exist. Default: `git`. Cannot be changed. */
  readonly adapter?: "git" | "rest" | undefined
  /** For `git`: `git:` followed by the host, such as `git:git.example`. For `rest`: the ID of the installation. Cannot be changed. */
  readonly remoteId: string
  /** For `git`. Default: the host. Cannot be changed. */
  readonly name?: string | undefined
}

export interface ConfigurationDesktopPolicy {
  readonly key: ConfigurationKey
  readonly name: string
  /** All settings of the policy. */
  readonly settings?: DesktopPolicySettingsInput | undefined
  /** The policy with the highest priority wins. Default for a new policy: 0. */
  readonly priority?: number | undefined
  /** Whether the policy applies. Default for a new policy: true. */
  readonly isEnabled?: boolean | undefined
  readonly appliesTo: ConfigurationPolicyAudience
}

/** Describes objects by stable keys. Kinds that are omitted are not changed, and neither are fields that are omitted from an object. */
export interface ConfigurationDocument {
  /** The JSON Schema of the document, for editors. */
  readonly $schema?: string | undefined
  /** The version of the document format. */
  readonly version: 1
  readonly organization?: ConfigurationOrganization | undefined
  /** The custom roles. */
  readonly roles?: ReadonlyArray<ConfigurationRole> | undefined
  /** The teams. */
  readonly teams?: ReadonlyArray<ConfigurationTeam> | undefined
  /** The marketplaces. */
  readonly marketplaces?: ReadonlyArray<ConfigurationMarketplace> | undefined
  /** The plugins. */
  readonly plugins?: ReadonlyArray<ConfigurationPlugin> | undefined
  /** The assignments of plugins and marketplaces. */
  readonly assignments?: ReadonlyArray<ConfigurationAssignment> | undefined
  /** The templates of plugins. */
  readonly templates?: ReadonlyArray<ConfigurationTemplate> | undefined
  /** The desktop policies. */
  readonly desktopPolicies?: ReadonlyArray<ConfigurationDesktopPolicy> | undefined
  /** The LLM providers. */
  readonly llmProviders?: ReadonlyArray<ConfigurationLlmProvider> | undefined
  /** The MCP connections. */
  readonly mcpConnections?: ReadonlyArray<ConfigurationMcpConnection> | undefined
  /** The accounts on code hosts. */
  readonly connectorAccounts?: ReadonlyArray<ConfigurationConnectorAccount> | undefined
  /** The connected repositories. */
  readonly connectors?: ReadonlyArray<ConfigurationConnector> | undefined
  /** The domains of the organization. */
  readonly domains?: ReadonlyArray<ConfigurationDomain> | undefined
  /** The SSO connection. */
  readonly ssoConnections?: ReadonlyArray<ConfigurationSsoConnection> | undefined
  /** The SCIM directories. */
  readonly scimDirectories?: ReadonlyArray<ConfigurationScimDirectory> | undefined
  /** The webhook endpoints. */
  readonly webhookEndpoints?: ReadonlyArray<ConfigurationWebhookEndpoint> | undefined
  /** The event streams. */
  readonly eventStreams?: ReadonlyArray<ConfigurationEventStream> | undefined
  readonly memberRoles?: ConfigurationMemberRoles | undefined
  readonly rolloutSettings?: ConfigurationRolloutSettings | undefined
  readonly approvalSettings?: ConfigurationApprovalSettings | undefined
  /** The kinds whose objects are removed if they are not in the document. Default: none. Marketplaces and plugins are archived. Teams that SCIM manages, and imported objects, are never removed. */
  readonly prune?: {
    readonly roles?: boolean | undefined
    readonly teams?: boolean | undefined
    readonly marketplaces?: boolean | undefined
    readonly plugins?: boolean | undefined
    readonly assignments?: boolean | undefined
    readonly templates?: boolean | undefined
    readonly desktopPolicies?: boolean | undefined
    readonly llmProviders?: boolean | undefined
    readonly mcpConnections?: boolean | undefined
    readonly connectorAccounts?: boolean | undefined
    readonly connectors?: boolean | undefined
    readonly domains?: boolean | undefined
    readonly ssoConnections?: boolean | undefined
    readonly scimDirectories?: boolean | undefined
    readonly webhookEndpoints?: boolean | undefined
    readonly eventStreams?: boolean | undefined
  } | undefined
  /** How other changes to the objects of a kind that have a key are treated: `refuse` refuses them with 403 `managed_by_configuration`, `warn` allows them with a warning in the `orgplane-warning` header. Default: `off`. Kinds that are omitted are not changed. Syncs, SCIM and other background work are not affected. */
  readonly managed?: {
    readonly roles?: ConfigurationManagedMode | undefined
    readonly teams?: ConfigurationManagedMode | undefined
    readonly marketplaces?: ConfigurationManagedMode | undefined
    readonly plugins?: ConfigurationManagedMode | undefined
    readonly assignments?: ConfigurationManagedMode | undefined
    readonly templates?: ConfigurationManagedMode | undefined
    readonly desktopPolicies?: ConfigurationManagedMode | undefined
    readonly llmProviders?: ConfigurationManagedMode | undefined
    readonly mcpConnections?: ConfigurationManagedMode | undefined
    readonly connectorAccounts?: ConfigurationManagedMode | undefined
    readonly connectors?: ConfigurationManagedMode | undefined
    readonly domains?: ConfigurationManagedMode | undefined
    readonly ssoConnections?: ConfigurationManagedMode | undefined
    readonly scimDirectories?: ConfigurationManagedMode | undefined
    readonly webhookEndpoints?: ConfigurationManagedMode | undefined
    readonly eventStreams?: ConfigurationManagedMode | undefined
  } | undefined
  /** Keys that were renamed. */
  readonly moved?: ReadonlyArray<ConfigurationMove> | undefined
}

export interface ConfigurationDomain {
  readonly key: ConfigurationKey
  /** The domain, such as `acme.com`. Verify it after the apply. Cannot be changed. */
  readonly domain: string
}

export interface ConfigurationEffects {
  /** The members who would gain or lose access. Requires the permission `access:read`. Computed for at most 200,000 grants to members, counting those of a team for each of its members, and 5 million combinations of objects and members. */
  readonly access: ConfigurationAccessEffects | null
  /** The members whose desktop settings would change. Requires the permission `desktopPolicies:read`. */
  readonly desktopPolicies: DesktopPolicySimulation | null
  /** The plugins whose changes would be held for approval before members receive them. Ordered by name. Requires access to all plugins, or the permission `approvals:read`. Computed for at most 200 changed plugins with approvals. */
  readonly held: ReadonlyArray<ConfigurationHeldRelease> | null
  readonly notComputed: ConfigurationEffectsNotComputed
}

/** Why an effect is null. Does not prevent an apply. */
export interface ConfigurationEffectsNotComputed {
  /** Null if it was computed. */
  readonly access: ConfigurationNotComputedReason | null
  /** Null if it was computed. */
  readonly desktopPolicies: ConfigurationNotComputedReason | null
  /** Null if it was computed. */
  readonly held: ConfigurationNotComputedReason | null
}

/** Another system that receives every event, with the fields of its `destination`. The destination is not tested. */
export interface ConfigurationEventStream {
  readonly key: ConfigurationKey
  readonly name: string
  /** Types of events, or `<resource>.*`. Default: all types. */
  readonly types?: ReadonlyArray<string> | undefined
  /** Whether events are sent. Default for a new stream: `active`. */
  readonly state?: "active" | "paused" | undefined
  /** `https`: lines of JSON, or Splunk's HTTP Event Collector. `s3`: object storage. `otlp`: an OpenTelemetry collector. */
  readonly destination: "https" | "s3" | "otlp"
  /** For `https` and `otlp`: the URL that receives the events. */
  readonly url?: string | undefined
  /** For `https`: `ndjson` has one line for each event, and `splunk_hec` is the format of Splunk's HTTP Event Collector. Default: `ndjson`. */
  readonly format?: "ndjson" | "splunk_hec" | undefined
  /** For `https`: sent in the header `Authorization`, for `ndjson` as a bearer token. */
  readonly token?: ConfigurationSecretReference | undefined
  /** For `s3`: the URL of the S3 API, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint?: string | undefined
  /** For `s3`: the region. */
  readonly region?: string | undefined
  /** For `s3`: the name of the bucket. */
  readonly bucket?: string | undefined
  /** For `s3`: the start of the names of the objects. Default: empty. */
  readonly prefix?: string | undefined
  /** For `s3`: the access key ID. */
  readonly accessKeyId?: string | undefined
  /** For `s3`: the secret of `accessKeyId`. Required for a new stream. */
  readonly secretAccessKey?: ConfigurationSecretReference | undefined
  /** For `otlp`: the headers of each request, one `Name: value` on each line; at most 10. For example `Authorization: Bearer …`. */
  readonly headers?: ConfigurationSecretReference | undefined
}

export interface ConfigurationFieldChange {
  readonly field: string
  /** Null for a new object. */
  readonly before: Json
  /** Null for a removed object. */
  readonly after: Json
}

export interface ConfigurationHeldRelease {
  readonly plugin: {
    /** Null for a plugin that would be created. */
    readonly id: PluginId | null
    /** Null if the document does not concern plugins. */
    readonly key: string | null
    readonly name: string
  }
  /** Whether capabilities are new or changed, or could not be compared with those of the served release. */
  readonly needsReview: boolean
  /** The number of new and changed capabilities, at most 400. */
  readonly capabilityCount: number
  /** A sentence for each new or changed capability; at most 20. */
  readonly capabilities: ReadonlyArray<string>
}

/** The stable key of the object. Unique within its kind, and never reused for another object. Declare a rename in `moved`. */
export type ConfigurationKey = string

export type ConfigurationKind = "roles" | "teams" | "marketplaces" | "plugins" | "assignments" | "templates" | "desktopPolicies" | "llmProviders" | "mcpConnections" | "connectorAccounts" | "connectors" | "domains" | "ssoConnections" | "scimDirectories" | "webhookEndpoints" | "eventStreams"

export interface ConfigurationLlmProvider {
  readonly key: ConfigurationKey
  /** Must be unique in the organization. */
  readonly name: string
  /** An id from the catalog, or `custom` for your own URL. */
  readonly providerId: string
  /** `shared`: one key for everyone with a grant. `per_member`: each member's own key. `none`: no key. Default: `shared`. */
  readonly credentialMode?: LlmCredentialMode | undefined
  /** An https URL, such as `https://llm.example/v1`. Plain http is accepted only if the operator allows it. */
  readonly baseUrl?: string | undefined
  readonly apiFormat?: LlmApiFormat | undefined
  /** The environment variables from which the provider's library reads the key. */
  readonly env?: ReadonlyArray<string> | undefined
  /** The models that can be used. Null allows all models of the provider. Default: null. */
  readonly models?: EnableLlmModels | null | undefined
  /** Additional headers to send with every request, at most 16. Must not contain secrets. */
  readonly headers?: { readonly [key: string]: string } | undefined
  /** Options for the provider's library: at most 16 KiB of JSON. Must not contain secrets. */
  readonly options?: { readonly [key: string]: Json } | undefined
  readonly apiKey?: ConfigurationSecretReference | undefined
  /** All grants on the object: a recipient that is not listed loses its grant. If omitted, the grants are not changed, and only the creator has access to a new object. Owners and admins have access without a grant. */
  readonly access?: ReadonlyArray<ConfigurationAccess> | undefined
}

export type ConfigurationManagedMode = "off" | "warn" | "refuse"

/** Maps a path of a branch to config objects. */
export interface ConfigurationMapping {
  /** A file or folder in the repository, such as `skills/review`, or `.` for the whole repository. */
  readonly selector: string
  readonly objectType: ObjectType
  /** The key of the plugin that config objects from the mapping are added to. */
  readonly plugin?: string | undefined
  /** Whether config objects from the mapping are added to the plugin. Default: `true` if `plugin` is set. */
  readonly autoAddToPlugin?: boolean | undefined
}

/** A marketplace. An imported marketplace has a `source` instead of a name and a description. It must exist already, and is never removed. */
export interface ConfigurationMarketplace {
  readonly key: ConfigurationKey
  /** Required unless `source` is present. */
  readonly name?: string | undefined
  /** Default for a new object: null. */
  readonly description?: string | null | undefined
  readonly source?: ConfigurationMarketplaceSource | undefined
  /** The https URL of an image. */
  readonly logoUrl?: string | null | undefined
  readonly deliveryMode?: DeliveryMode | undefined
  /** All grants on the object: a recipient that is not listed loses its grant. If omitted, the grants are not changed, and only the creator has access to a new object. Owners and admins have access without a grant. */
  readonly access?: ReadonlyArray<ConfigurationAccess> | undefined
}

/** The branch of the connector that the marketplace was imported from. */
export interface ConfigurationMarketplaceSource {
  /** The key of the connector. */
  readonly connector: string
  /** The branch of the repository. */
  readonly branch: string
}

export interface ConfigurationMcpConnection {
  readonly key: ConfigurationKey
  /** Must be unique in the organization. */
  readonly name: string
  /** An https URL. Plain http is accepted only if the operator allows it. */
  readonly url: string
  readonly authType: McpAuthType
  readonly credentialMode?: McpCredentialMode | undefined
  /** The scopes to request when connecting by OAuth. If null, the scopes that the server requires are requested. */
  readonly scopes?: ReadonlyArray<string> | null | undefined
  /** For `apikey`: the header that contains the key. Default: `authorization`. */
  readonly apiKeyHeader?: string | undefined
  /** For `apikey`: the authentication scheme before the key. Default: `Bearer` in the `authorization` header, none in any other header. */
  readonly apiKeyScheme?: string | null | undefined
  /** The id of a well-known server from `mcpConnections.listPresets`. */
  readonly presetId?: string | undefined
  /** An OAuth client that you have already registered with the authorization server. */
  readonly oauthClient?: {
    readonly clientId: string
  } | null | undefined
  /** The secret of `oauthClient`. Omit it for a client without a secret. */
  readonly oauthClientSecret?: ConfigurationSecretReference | undefined
  /** The shared key. Requires authType `apikey` and credentialMode `shared`. It is not tested. */
  readonly apiKey?: ConfigurationSecretReference | undefined
  readonly toolPolicy?: McpToolPolicy | undefined
  /** All grants on the object: a recipient that is not listed loses its grant. If omitted, the grants are not changed, and only the creator has access to a new object. Owners and admins have access without a grant. */
  readonly access?: ReadonlyArray<ConfigurationAccess> | undefined
}

/** The email addresses of all members of each role: `owner`, `admin` or the key of a custom role. A member who is no longer listed gets the role `member`. The members of omitted roles are not changed, unless they are listed in another role. Members whose role SCIM manages must be omitted. */
export type ConfigurationMemberRoles = { readonly [key: string]: ReadonlyArray<string> }

/** `plan`: only reports how the organization differs from the files. `apply`: also applies them. */
export type ConfigurationMode = "plan" | "apply"

/** A renamed key: the previous one in `from`, and the new one in `to`. */
export interface ConfigurationMove {
  readonly kind: ConfigurationKind
  readonly from: ConfigurationKey
  readonly to: ConfigurationKey
}

/** `permission_required`: the caller does not have the permission that it requires. `too_much`: a limit is exceeded. `timeout`: the computation timed out. `failed`: an internal error, which the server has logged. */
export type ConfigurationNotComputedReason = "permission_required" | "too_much" | "timeout" | "failed"

/** A skill, agent, command or other config object. Requires `rawSourceText`, `normalizedPayloadJson`, or both. An object keeps its identity while its type and path stay the same. */
export interface ConfigurationObject {
  readonly type: ObjectType
  /** The path of its file in the plugin: `skills/review/SKILL.md`. */
  readonly relativePath?: string | undefined
  /** The name of its file. Default: the last part of `relativePath`. */
  readonly fileName?: string | undefined
  /** Default: read from the content. */
  readonly title?: string | undefined
  /** Default: read from the content. */
  readonly description?: string | undefined
  /** The text of its file. */
  readonly rawSourceText?: string | undefined
  /** Its content as JSON. Default: read from `rawSourceText`. */
  readonly normalizedPayloadJson?: { readonly [key: string]: Json } | undefined
  /** Default: the current version. */
  readonly schemaVersion?: string | undefined
}

/** The settings of the organization. */
export interface ConfigurationOrganization {
  /** The name of the organization. */
  readonly name?: string | undefined
}

export interface ConfigurationPlan {
  /** A digest of the document, of the current state of the objects that it describes, and of the changes. Pass it to `apply`, which then fails if any of them has changed. */
  readonly planDigest: string
  /** Whether objects would be created, updated, removed or get another key. */
  readonly hasChanges: boolean
  /** The changes, in the order in which they are made. */
  readonly changes: ReadonlyArray<ConfigurationChange>
  /** The effects of the changes on members. Null if there are problems. */
  readonly effects: ConfigurationEffects | null
  /** The reasons why the document cannot be applied. Empty if there are none. At most 100: if there are more, the last one has their number. */
  readonly problems: ReadonlyArray<ConfigurationProblem>
}

/** A plugin. An imported plugin has a `source` instead of a name, a description and objects. It must exist already, and is never removed. */
export interface ConfigurationPlugin {
  readonly key: ConfigurationKey
  /** Required unless `source` is present. */
  readonly name?: string | undefined
  /** Default for a new object: null. */
  readonly description?: string | null | undefined
  readonly source?: ConfigurationPluginSource | undefined
  /** All marketplaces that contain the plugin. If omitted, they are not changed. */
  readonly marketplaces?: ReadonlyArray<string> | undefined
  /** All grants on the object: a recipient that is not listed loses its grant. If omitted, the grants are not changed, and only the creator has access to a new object. Owners and admins have access without a grant. */
  readonly access?: ReadonlyArray<ConfigurationAccess> | undefined
  /** All config objects of the plugin. An object that is not listed is removed from the plugin, and archived if it is in no other plugin. Objects from connectors are not listed and not changed. */
  readonly objects?: ReadonlyArray<ConfigurationObject> | undefined
}

/** The connector and branch that the plugin was imported from, and its key there. */
export interface ConfigurationPluginSource {
  /** The key of the connector. */
  readonly connector: string
  /** The branch of the repository. */
  readonly branch: string
  /** The key of the plugin in the repository, as discovery shows it: its folder, `.` for the root, or `marketplace:` and the name of its entry in the marketplace. */
  readonly plugin: string
}

/** `everyone`, or the members and teams that the policy applies to. A policy without members and teams applies to no one. */
export type ConfigurationPolicyAudience = "everyone" | {
  /** The email addresses of the members. Default: none. */
  readonly members?: ReadonlyArray<string> | undefined
  /** The keys of the teams. Default: none. */
  readonly teams?: ReadonlyArray<ConfigurationKey> | undefined
}

export interface ConfigurationProblem {
  /** The location in the document. */
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

/** An audience that receives a release before the members in later rings. */
export interface ConfigurationRing {
  /** Must be unique in `rings`, and not `Everyone`. */
  readonly name: string
  /** A percentage of all members, selected by member id. The selection never changes, and a higher percentage includes the members of a lower one. */
  readonly percent: number
  /** The time in minutes until the next ring can start automatically; at most 43200 (30 days). */
  readonly soakMinutes: number
  readonly promotion: RingPromotion
  /** The keys of teams. */
  readonly teams: ReadonlyArray<string>
  /** The email addresses of members. */
  readonly members: ReadonlyArray<string>
}

/** A custom role. */
export interface ConfigurationRole {
  /** The stable key of the object. Unique within its kind, and never reused for another object. Declare a rename in `moved`. */
  readonly key: string
  /** Must be unique in the organization. */
  readonly name: string
  /** Default for a new object: null. */
  readonly description?: string | null | undefined
  /** The permissions of the role. The caller must have each of them. */
  readonly permissions: ReadonlyArray<Permission>
}

/** The rings in their order, the thresholds that pause a rollout, and the times without rollouts. */
export interface ConfigurationRolloutSettings {
  /** The rings in their order, at most 10. If empty, all members get an approved release at once, or when the freeze that applies ends. Default: empty. */
  readonly rings?: ReadonlyArray<ConfigurationRing> | undefined
  readonly thresholds?: RolloutThresholds | undefined
  /** Times in which no rollout starts, and no further ring starts automatically, at most 50. `start`, `promote` and `release` are possible during a freeze. Default: empty. */
  readonly freezes?: ReadonlyArray<RolloutFreeze> | undefined
}

export interface ConfigurationRun {
  readonly id: ConfigurationRunId
  readonly organizationId: OrganizationId
  readonly connectorInstanceId: ConnectorInstanceId
  readonly connectorTargetId: ConnectorTargetId
  readonly branch: string
  readonly path: string
  readonly mode: ConfigurationMode
  readonly trigger: ConfigurationRunTrigger
  readonly status: ConfigurationRunStatus
  /** The commit. Null until it is read, and if it cannot be read. */
  readonly revision: string | null
  /** The digest of the plan. Pass it to `approve`. Null if there is no plan. */
  readonly planDigest: string | null
  readonly summary: ConfigurationRunSummary | null
  /** The number of listed problems, at most 100. */
  readonly problemCount: number
  /** The status of the commit on the code host. Null if the run has none, or if the code host does not support commit statuses. */
  readonly commitStatus: ConfigurationCommitStatus | null
  readonly appliedAsOrgMembershipId: OrganizationMembershipId
  /** Null if no member started the run. */
  readonly startedByOrgMembershipId: OrganizationMembershipId | null
  /** The member who approved or rejected the run. Null if there is no decision, or if an API key made it. */
  readonly decidedByOrgMembershipId: OrganizationMembershipId | null
  /** The comment of the rejection. */
  readonly comment: string | null
  readonly createdAt: Timestamp
  readonly startedAt: Timestamp | null
  /** When the run ended or was held. */
  readonly endedAt: Timestamp | null
}

export interface ConfigurationRunChange {
  readonly kind: ConfigurationChangedKind
  /** Null for settings, because an organization has only one object of each kind. */
  readonly key: string | null
  /** The name of the object before the change. */
  readonly name: string
  readonly action: "create" | "update" | "delete" | "move" | "adopt"
  /** The names of the changed fields. */
  readonly fields: ReadonlyArray<string>
}

export interface ConfigurationRunDetails {
  readonly id: ConfigurationRunId
  readonly organizationId: OrganizationId
  readonly connectorInstanceId: ConnectorInstanceId
  readonly connectorTargetId: ConnectorTargetId
  readonly branch: string
  readonly path: string
  readonly mode: ConfigurationMode
  readonly trigger: ConfigurationRunTrigger
  readonly status: ConfigurationRunStatus
  /** The commit. Null until it is read, and if it cannot be read. */
  readonly revision: string | null
  /** The digest of the plan. Pass it to `approve`. Null if there is no plan. */
  readonly planDigest: string | null
  readonly summary: ConfigurationRunSummary | null
  /** The number of listed problems, at most 100. */
  readonly problemCount: number
  /** The status of the commit on the code host. Null if the run has none, or if the code host does not support commit statuses. */
  readonly commitStatus: ConfigurationCommitStatus | null
  readonly appliedAsOrgMembershipId: OrganizationMembershipId
  /** Null if no member started the run. */
  readonly startedByOrgMembershipId: OrganizationMembershipId | null
  /** The member who approved or rejected the run. Null if there is no decision, or if an API key made it. */
  readonly decidedByOrgMembershipId: OrganizationMembershipId | null
  /** The comment of the rejection. */
  readonly comment: string | null
  readonly createdAt: Timestamp
  readonly startedAt: Timestamp | null
  /** When the run ended or was held. */
  readonly endedAt: Timestamp | null
  /** The changes of the plan, without their values: removals first, and at most 500. */
  readonly changes: ReadonlyArray<ConfigurationRunChange>
  readonly problems: ReadonlyArray<ConfigurationRunProblem>
}

/** The id of the configuration run. */
export type ConfigurationRunId = string

export interface ConfigurationRunProblem {
  /** The location in the document. */
  readonly path: ReadonlyArray<string | number>
  readonly message: string
  /** The path of the file in the repository. Null if the problem is not about a file. */
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
}

/** `unchanged`: the organization matched the files. `planned`: it differs, and the mode is `plan`. `applied`: the changes were made. `held`: too many objects would be removed, so the run is pending approval. `rejected`: a manager of the connector rejected the run. `superseded`: a later run or another source replaced the run. `failed`: the problems state why, and nothing was changed. */
export type ConfigurationRunStatus = "queued" | "running" | "unchanged" | "planned" | "applied" | "held" | "rejected" | "superseded" | "failed"

/** The number of changes of the plan, by action. */
export interface ConfigurationRunSummary {
  readonly create: number
  readonly update: number
  readonly delete: number
  readonly move: number
  readonly adopt: number
}

/** `source`: the source was set. `webhook`: the code host reported a push. `reconcile`: a regular check found a new commit. `manual`: a member or an API key started the run. */
export type ConfigurationRunTrigger = "source" | "webhook" | "reconcile" | "manual"

/** A SCIM directory. A new directory has no token: create one with `scim.rotateToken`. The members of a removed directory are kept. */
export interface ConfigurationScimDirectory {
  readonly key: ConfigurationKey
  /** A label for the directory. Cannot be changed. */
  readonly name: string
  readonly provider?: ScimProvider | undefined
  /** All groups that assign a role to their members. Other groups assign none. If omitted, the roles of groups are not changed. */
  readonly groups?: ReadonlyArray<{
    /** The name of the group, as the identity provider sent it. Not case-sensitive. */
    readonly name: string
    /** The role of its members: `admin`, `member` or the key of a custom role. */
    readonly role: string
  }> | undefined
}

/** The shared key. Requires credentialMode `shared`. It is not tested. */
export type ConfigurationSecretReference = {
  /** The environment variable with the secret. */
  readonly fromEnvironment: string
} | {
  /** The file with the secret, relative to the document. A newline at its end is not part of the secret. */
  readonly fromFile: string
}

/** The values of the secrets that the document refers to, by the name of the environment variable or the file; at most 500. They are stored encrypted and never returned. */
export type ConfigurationSecrets = { readonly [key: string]: string }

export interface ConfigurationSource {
  readonly organizationId: OrganizationId
  readonly connectorInstanceId: ConnectorInstanceId
  readonly connectorTargetId: ConnectorTargetId
  /** The name of the branch when the source was set. */
  readonly branch: string
  readonly path: string
  readonly mode: ConfigurationMode
  readonly isEnabled: boolean
  /** The member who set the source. Each run has the permissions that this member has at that time. */
  readonly appliedAsOrgMembershipId: OrganizationMembershipId
  /** The commit of the last run. A push of the same commit does not start another run. */
  readonly lastRevision: string | null
  readonly version: number
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** The SSO connection, of which an organization has at most one. A document does not test, enable or enforce it. */
export interface ConfigurationSsoConnection {
  readonly key: ConfigurationKey
  readonly protocol: "oidc" | "saml"
  /** For `oidc`: the issuer, `https://…`. The provider is not contacted. */
  readonly issuer?: string | undefined
  /** The client id from the identity provider. */
  readonly clientId?: string | undefined
  /** The scopes to request. Default: `openid email profile`. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** For `oidc`: the client secret. */
  readonly clientSecret?: ConfigurationSecretReference | undefined
  /** For `saml`: the settings of the identity provider. */
  readonly saml?: {
    /** The entity id of the identity provider. */
    readonly idpEntityId: string
    /** The sign-in URL of the identity provider (HTTP-Redirect binding). */
    readonly ssoUrl: string
    /** The signing certificates of the identity provider: PEM, or its base64 content. */
    readonly certificates: ReadonlyArray<string>
    /** The SAML attributes that contain the email address and the name. Default: common names such as `email`, `mail`, `displayName` and their URN and claim URI forms. */
    readonly attributes?: {
      readonly email?: string | undefined
      readonly name?: string | undefined
    } | undefined
  } | undefined
  /** JIT provisioning: whether users with an email address in a verified domain become members on first sign-in, and their role. If omitted, keeps the current settings. */
  readonly jit?: {
    readonly enabled: boolean
    /** The role of new members: `admin`, `member` or the key of a custom role. Default: `member`. */
    readonly role?: string | undefined
  } | undefined
}

/** A team. */
export interface ConfigurationTeam {
  readonly key: ConfigurationKey
  /** Must be unique in the organization. */
  readonly name: string
  /** Default for a new object: null. */
  readonly description?: string | null | undefined
  /** The email addresses of all members of the team. If omitted, the members are not changed. Must be omitted for a team that SCIM manages. */
  readonly members?: ReadonlyArray<string> | undefined
}

/** A blueprint for plugins. */
export interface ConfigurationTemplate {
  readonly key: ConfigurationKey
  /** Must be unique in the organization. */
  readonly name: string
  /** Default for a new object: null. */
  readonly description?: string | null | undefined
  readonly content?: TemplateContentInput | undefined
}

/** A URL that receives events. The server generates its signing secret, which is never part of a document. To get a secret, rotate it after the apply. */
export interface ConfigurationWebhookEndpoint {
  readonly key: ConfigurationKey
  readonly name: string
  /** The URL that receives events with POST. It must use https and a public address. Redirects are not followed. */
  readonly url: string
  /** Types of events, or `<resource>.*`. Default: all types that it can see. */
  readonly types?: ReadonlyArray<string> | undefined
  readonly ordering?: WebhookOrdering | undefined
  /** Read permissions of the endpoint, each of which the caller must have. Default for a new endpoint: all read permissions of the caller. */
  readonly permissions?: ReadonlyArray<Permission> | undefined
  readonly signature?: WebhookSignature | undefined
  /** Whether events are sent. Default for a new endpoint: `active`. An endpoint that the server paused, or disabled because its URL returned 410, is still `active`: resume it with `webhookEndpoints.resume`. */
  readonly state?: "active" | "paused" | undefined
}

export interface ConnectedLlmModel {
  readonly id: string
  readonly name: string
  /** Null when unknown. */
  readonly capabilities: ReadonlyArray<LlmCapability> | null
  readonly contextLimit: number | null
  readonly outputLimit: number | null
  readonly cost: LlmModelCost | null
}

export interface ConnectionTrouble {
  readonly id: ExternalMCPConnectionId
  readonly name: string
  readonly reason: "reconnect_required" | "review_required" | "not_connected"
}

export interface ConnectorAccount {
  readonly id: ConnectorAccountId
  readonly organizationId: OrganizationId
  readonly connectorType: "codehost"
  readonly adapter: "git" | "rest"
  readonly remoteId: string
  readonly name: string
  /** `error`: the installation is suspended or was removed on the code host. */
  readonly status: "active" | "error" | "disconnected"
  readonly statusReason: string | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** The id of the connector account. */
export type ConnectorAccountId = string

export interface ConnectorConfiguration {
  readonly connectorInstance: ConnectorInstance
  readonly autoImportNewPlugins: boolean
  readonly targets: ReadonlyArray<ConnectorTargetConfiguration>
  /** The imported plugins that the caller can see, at most 1,000. */
  readonly plugins: ReadonlyArray<{
    readonly key: string
    readonly id: PluginId
    readonly name: string
    readonly connectorTargetId: ConnectorTargetId
  }>
}

export interface ConnectorInstance {
  readonly id: ConnectorInstanceId
  readonly organizationId: OrganizationId
  readonly connectorAccountId: ConnectorAccountId
  readonly connectorType: "codehost"
  readonly adapter: "git" | "rest"
  /** The repository: its normalized clone URL, or its id on the code host. If it is a path on the server, callers without the permission to connect repositories see only its last segment. */
  readonly remoteId: string
  readonly name: string
  readonly status: "active" | "disabled" | "archived" | "error"
  readonly statusReason: string | null
  readonly instanceConfigJson: JsonObject
  readonly lastSyncedAt: Timestamp | null
  /** The commit SHA that was imported last. */
  readonly lastSyncCursor: string | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** The id of the connector instance access grant. */
export type ConnectorInstanceAccessGrantId = string

export interface ConnectorInstanceGrant {
  readonly id: ConnectorInstanceAccessGrantId
  readonly orgMembershipId: OrganizationMembershipId | null
  readonly teamId: TeamId | null
  readonly orgWide: boolean
  readonly role: GrantRole
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly removedAt: Timestamp | null
}

/** The id of the connector instance. */
export type ConnectorInstanceId = string

export interface ConnectorMapping {
  readonly id: ConnectorMappingId
  readonly connectorInstanceId: ConnectorInstanceId
  readonly connectorTargetId: ConnectorTargetId
  readonly connectorType: "codehost"
  readonly remoteId: string | null
  readonly mappingKind: MappingKind
  readonly selector: string
  readonly objectType: ObjectType
  readonly pluginId: PluginId | null
  readonly autoAddToPlugin: boolean
  readonly mappingConfigJson: JsonObject | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export interface ConnectorMappingCounts {
  /** Mappings created by imports. */
  readonly imported: number
  readonly byHand: number
  /** Config objects imported through these mappings. */
  readonly objects: number
}

/** The id of the connector mapping. */
export type ConnectorMappingId = string

export interface ConnectorMappingImpact {
  /** The number of config objects that come only from the mapping. */
  readonly objectsDeleted: number
  /** The number of config objects of the mapping that another mapping also imports. */
  readonly objectsKept: number
  /** The config objects that would be deleted, by path. At most 100. */
  readonly deleted: ReadonlyArray<PlannedObject>
}

export interface ConnectorPlan {
  /** A digest of the planned changes. Plans with the same changes have the same digest. Pass it to `apply` as `planDigest`. */
  readonly digest: string
  readonly connectorTargetId: ConnectorTargetId
  /** The commit SHA that would be imported. */
  readonly revision: string
  /** The commit SHA that is currently imported. */
  readonly baseRevision: string | null
  readonly autoImportNewPlugins: boolean
  readonly added: ReadonlyArray<PlannedChange>
  readonly changed: ReadonlyArray<PlannedChange>
  readonly removed: ReadonlyArray<PlannedChange>
  /** Warnings to review before an apply. None of them prevents it. */
  readonly conflicts: ReadonlyArray<PlanConflict>
  readonly counts: {
    readonly added: PlanCounts
    readonly changed: PlanCounts
    readonly removed: PlanCounts
    readonly unchangedObjects: number
  }
  /** Whether a list was truncated to 1,000 entries. The counts and the digest cover all entries. */
  readonly truncated: boolean
  readonly warnings: ReadonlyArray<string>
  /** How the capabilities of each added, changed and removed plugin differ from the stored version, by plugin key. At most 1,000 plugins, 1,000 changes and 500 signals. Not part of the digest. */
  readonly capabilities?: ReadonlyArray<PlannedCapabilities> | undefined
}

export interface ConnectorRollbackPlan {
  readonly connectorTargetId: ConnectorTargetId
  /** The revision that would be restored. */
  readonly revision: string
  /** The commit SHA that is currently imported. */
  readonly baseRevision: string | null
  readonly counts: RollbackPlanCounts
  /** Config objects that are not in the revision. The rollback deletes them for everyone. */
  readonly removed: ReadonlyArray<PlannedObject>
  /** Deleted config objects that are restored. */
  readonly restored: ReadonlyArray<PlannedObject>
  /** Config objects whose earlier content is restored. */
  readonly changed: ReadonlyArray<PlannedObject>
  /** Config objects that move to another path or plugin with unchanged content. */
  readonly moved: ReadonlyArray<PlannedObject>
  readonly removedPlugins: ReadonlyArray<PlannedPlugin>
  /** Deleted plugins that are restored. Their revoked grants are not restored. */
  readonly restoredPlugins: ReadonlyArray<PlannedPlugin>
  /** Whether a list was truncated to 100 entries. The counts cover all entries. */
  readonly truncated: boolean
}

export interface ConnectorSyncEvent {
  readonly id: ConnectorSyncEventId
  readonly connectorInstanceId: ConnectorInstanceId
  readonly connectorTargetId: ConnectorTargetId
  readonly status: SyncStatus
  readonly trigger: "setup" | "enable" | "apply" | "manual" | "webhook" | "reconcile" | "retry" | "resync" | "mapping" | "rollback"
  readonly attempt: number
  readonly baseRevision: string | null
  readonly revision: string | null
  readonly counts: SyncCounts
  /** The number of new and changed files that have been read, and their total number. Null until the total is known. */
  readonly progress: {
    readonly done: number
    readonly total: number
  } | null
  readonly warnings: ReadonlyArray<string>
  readonly error: {
    readonly code: string
    readonly message: string
  } | null
  readonly createdAt: Timestamp
  readonly startedAt: Timestamp | null
  readonly endedAt: Timestamp | null
}

/** The id of the connector sync event. */
export type ConnectorSyncEventId = string

export interface ConnectorTarget {
  readonly id: ConnectorTargetId
  readonly connectorInstanceId: ConnectorInstanceId
  readonly connectorType: "codehost"
  readonly remoteId: string
  readonly targetKind: "repository_branch"
  /** `refs/heads/<branch>` */
  readonly externalTargetRef: string
  readonly targetConfigJson: JsonObject
  readonly lastSyncedAt: Timestamp | null
  /** The commit SHA that was imported last. */
  readonly lastSyncCursor: string | null
  /** The revision that the branch was rolled back to. A manual sync, resync, retry or apply removes the pin. */
  readonly pinnedRevision: string | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export interface ConnectorTargetConfiguration {
  readonly connectorTarget: ConnectorTarget
  readonly marketplace: {
    readonly id: MarketplaceId
    readonly name: string
  } | null
  readonly mappings: ConnectorMappingCounts
  readonly lastSyncEvent: ConnectorSyncEvent | null
}

/** The id of the connector target. */
export type ConnectorTargetId = string

export interface CreateApiKey {
  /** A label for the key. */
  readonly name: string
  /** The permissions of the key. The caller must have each of them. An empty list grants no permissions. */
  readonly permissions: ReadonlyArray<Permission>
  /** When the key expires: a date-time in the future, with an offset or `Z`. Default: never. */
  readonly expiresAt?: string | null | undefined
  /** The rate limit of the key. Default: 1200. */
  readonly requestsPerMinute?: number | undefined
}

export interface CreateAssignment {
  /** The plugin to assign. */
  readonly pluginId?: PluginId | undefined
  /** The marketplace to assign: all its plugins, including those that are added later. */
  readonly marketplaceId?: MarketplaceId | undefined
  readonly mode: AssignmentMode
  /** The assignment with the highest priority wins. Default: 0. */
  readonly priority?: number | undefined
  /** The digest of an approved release of the plugin. The files of the release must still be stored: orgplane keeps those of the served release and of pinned releases. Default: null, the latest approved release. */
  readonly pinnedDigest?: string | null | undefined
  /** The members it applies to. An assignment without members or teams applies to the whole organization. */
  readonly memberIds?: ReadonlyArray<OrganizationMembershipId> | undefined
  /** The teams whose members it applies to. */
  readonly teamIds?: ReadonlyArray<TeamId> | undefined
}

export interface CreateConfigObject {
  /** The type and the content. Requires `rawSourceText`, `normalizedPayloadJson`, or both. */
  readonly input: {
    readonly type: ObjectType
    /** Where the content comes from. Default: `cloud`. `connector` is not allowed, because only a sync creates such objects. */
    readonly sourceMode?: SourceMode | undefined
    readonly rawSourceText?: string | undefined
    readonly normalizedPayloadJson?: { readonly [key: string]: Json } | undefined
    readonly parserMode?: string | undefined
    readonly schemaVersion?: string | undefined
    /** `title`, `description`, `fileName` and `relativePath` are used; other fields are not stored. */
    readonly metadata?: { readonly [key: string]: Json } | undefined
  }
  /** Plugins to add the config object to. */
  readonly pluginIds?: ReadonlyArray<PluginId> | undefined
}

export interface CreateConfigObjectVersion {
  /** The complete new content. Fields that are omitted are not part of the new version. */
  readonly input: {
    readonly rawSourceText?: string | undefined
    readonly normalizedPayloadJson?: { readonly [key: string]: Json } | undefined
    readonly parserMode?: string | undefined
    readonly schemaVersion?: string | undefined
    /** `title`, `description`, `fileName` and `relativePath` are used; other fields are not stored. */
    readonly metadata?: { readonly [key: string]: Json } | undefined
  }
}

export interface CreateConnectorAccount {
  /** `git`: plain Git, without a code host's API. */
  readonly adapter: "git"
  /** The origin of the host, such as `https://git.example`. */
  readonly url: string
  /** The name of the account. Default: the host name. */
  readonly name?: string | undefined
}

export interface CreateConnectorInstance {
  /** The account through which the repository is read. */
  readonly connectorAccountId: ConnectorAccountId
  /** The repository: its id on the code host, or its clone URL for plain Git. */
  readonly remoteId: string
  /** The branch to connect. Default: the repository's default branch. */
  readonly branch?: string | undefined
  /** Must be unique in the organization. */
  readonly name?: string | undefined
  /** A custom JSON object, returned as `instanceConfigJson`. */
  readonly config?: { readonly [key: string]: Json } | undefined
}

export interface CreateConnectorMapping {
  /** A file or folder in the repository, such as `skills/review`, or `.` for the whole repository. */
  readonly selector: string
  readonly objectType: ObjectType
  /** The plugin that config objects from the mapping are added to. */
  readonly pluginId?: PluginId | null | undefined
  /** Whether config objects from the mapping are added to the plugin. Default: `true` if `pluginId` is set. */
  readonly autoAddToPlugin?: boolean | undefined
}

export interface CreateConnectorTarget {
  /** The name of the branch. */
  readonly branch: string
}

export interface CreateDesktopPolicy {
  /** Must be unique in the organization. Case-insensitive. */
  readonly policyName: string
  readonly policy: DesktopPolicySettingsInput
  /** The policy with the highest priority wins. Default: 0. */
  readonly priority?: number | undefined
  /** Whether the policy applies. Default: true. */
  readonly isEnabled?: boolean | undefined
  /** The members it applies to. A policy without members or teams applies to the whole organization. */
  readonly memberIds?: ReadonlyArray<OrganizationMembershipId> | undefined
  /** The teams whose members it applies to. */
  readonly teamIds?: ReadonlyArray<TeamId> | undefined
}

export interface CreateDomain {
  /** The domain, such as `acme.com`. Public suffixes and domains of public email providers are rejected. */
  readonly domain: string
}

export interface CreateEventStream {
  readonly name: string
  readonly destination: EventStreamTarget
  /** Types of events, or `<resource>.*`. Default: all types. */
  readonly types?: ReadonlyArray<string> | undefined
  /** Starts after this sequence number. Default: sends only events that happen later. */
  readonly after?: number | undefined
}

export interface CreateGrant {
  /** The member to grant access to. */
  readonly orgMembershipId?: OrganizationMembershipId | undefined
  /** The team to grant access to. */
  readonly teamId?: TeamId | undefined
  /** Grants access to every member of the organization. Exactly one of `orgMembershipId`, `teamId` and `orgWide` is required. */
  readonly orgWide?: true | undefined
  readonly role: GrantRole
}

export interface CreateInvitation {
  /** The email address to invite. */
  readonly email: string
  /** The role of the new member. The caller must have all permissions of the role. Default: `member`. */
  readonly role?: RoleName | undefined
  /** The teams that the new member joins. Default: none. */
  readonly teamIds?: ReadonlyArray<TeamId> | undefined
  /** If `false`, returns the link instead of sending it by email, which requires `invitations:link`. Default: `true`. */
  readonly send?: boolean | undefined
}

export interface CreateLlmProvider {
  /** Must be unique in the organization. */
  readonly name: string
  /** An id from the catalog, or `custom` for your own URL. */
  readonly providerId: string
  /** `shared`: one key for everyone with a grant. `per_member`: each member's own key. `none`: no key. Default: `shared`. */
  readonly credentialMode?: LlmCredentialMode | undefined
  /** An https URL, such as `https://llm.example/v1`. Plain http is accepted only if the operator allows it. */
  readonly baseUrl?: string | undefined
  readonly apiFormat?: LlmApiFormat | undefined
  /** The environment variables from which the provider's library reads the key. */
  readonly env?: ReadonlyArray<string> | undefined
  /** The models that can be used. Null allows all models of the provider. Default: null. */
  readonly models?: EnableLlmModels | null | undefined
  /** Additional headers to send with every request, at most 16. Must not contain secrets. */
  readonly headers?: { readonly [key: string]: string } | undefined
  /** Options for the provider's library: at most 16 KiB of JSON. Must not contain secrets. */
  readonly options?: { readonly [key: string]: Json } | undefined
}

export interface CreateMailDraft {
  /** The recipients: 1 to 50 email addresses. */
  readonly to: ReadonlyArray<string>
  /** The subject, on one line. */
  readonly subject: string
  /** The body, as plain text. */
  readonly body: string
  /** At most 50 email addresses. */
  readonly cc?: ReadonlyArray<string> | undefined
  /** At most 50 email addresses. */
  readonly bcc?: ReadonlyArray<string> | undefined
}

export interface CreateMarketplace {
  readonly name: string
  readonly description?: string | null | undefined
  /** The https URL of an image. */
  readonly logoUrl?: string | null | undefined
}

export interface CreateMarketplaceLink {
  /** A label for the link, such as the device that uses it. */
  readonly name: string
  /** The team whose access the link uses. Only managers of the marketplace can set it. Default: your own access. */
  readonly teamId?: TeamId | null | undefined
  /** When the link expires: a date-time in the future, with an offset or `Z`. Default: never. */
  readonly expiresAt?: string | null | undefined
}

export interface CreateMcpConnection {
  /** Must be unique in the organization. */
  readonly name: string
  /** An https URL. Plain http is accepted only if the operator allows it. */
  readonly url: string
  /** The id of a well-known server from `mcpConnections.listPresets`. */
  readonly presetId?: string | undefined
  readonly authType: McpAuthType
  readonly credentialMode?: McpCredentialMode | undefined
  /** The scopes to request when connecting by OAuth. If null, the scopes that the server requires are requested. */
  readonly scopes?: ReadonlyArray<string> | null | undefined
  /** An OAuth client that you have already registered with the authorization server. */
  readonly oauthClient?: McpOAuthClientInput | null | undefined
  /** For `apikey`: the header that contains the key. Default: `authorization`. */
  readonly apiKeyHeader?: string | undefined
  /** For `apikey`: the authentication scheme before the key. Default: `Bearer` in the `authorization` header, none in any other header. */
  readonly apiKeyScheme?: string | null | undefined
}

export interface CreateOrganization {
  readonly name: string
}

export interface CreatePlugin {
  readonly name: string
  readonly description?: string | null | undefined
}

export interface CreateRole {
  /** Must be unique in the organization and must not be the name of a built-in role. */
  readonly name: string
  readonly description?: string | null | undefined
  /** The permissions of the role. The caller must have each of them. */
  readonly permissions: ReadonlyArray<Permission>
}

export interface CreateRollout {
  /** An approved release whose files are stored. */
  readonly releaseId: PluginReleaseId
  /** When the first ring starts, at most 366 days from now. Default: as soon as no freeze applies. */
  readonly startsAt?: RequestTime | undefined
}

export interface CreateScimDirectory {
  /** A label for the directory. */
  readonly name: string
  /** A label. It does not change how requests are handled. */
  readonly provider?: ScimProvider | undefined
  /** When the token expires. Must be in the future. Default: never. */
  readonly tokenExpiresAt?: Timestamp | null | undefined
}

export interface CreateTeam {
  /** Must be unique in the organization. */
  readonly name: string
  readonly description?: string | null | undefined
}

export interface CreateTemplate {
  /** Must be unique in the organization. */
  readonly name: string
  readonly description?: string | null | undefined
  /** The plugin, its config objects and the variables. */
  readonly content: TemplateContentInput
}

export interface CreateTemplateVersion {
  /** The complete new content. Fields that are omitted are not part of the new version. */
  readonly content: TemplateContentInput
}

export interface CreateWebhookEndpoint {
  readonly name: string
  /** The URL that receives events with POST. It must use https and a public address. Redirects are not followed. */
  readonly url: string
  /** Types of events, or `<resource>.*`. Default: all types that it can see. */
  readonly types?: ReadonlyArray<string> | undefined
  /** Read permissions of the endpoint, each of which the caller must have. Default: all read permissions of the caller. */
  readonly permissions?: ReadonlyArray<Permission> | undefined
  readonly ordering?: WebhookOrdering | undefined
  /** Default: `hmac`. */
  readonly signature?: WebhookSignature | undefined
  /** Starts after this sequence number. Default: sends only events that happen later. */
  readonly after?: number | undefined
}

export interface CreateWorker {
  readonly name: string
  readonly description?: string | null | undefined
  readonly destination: WorkerDestination
}

export interface CreateWorkerToken {
  /** How many seconds the worker's other tokens stay valid. If omitted, their expiration is unchanged. */
  readonly graceSeconds?: number | undefined
  /** How many seconds the token is valid. If omitted, the token does not expire. */
  readonly expiresInSeconds?: number | undefined
}

export interface CreateWorkspace {
  /** The name of the workspace. */
  readonly workspaceName: string
  /** Creates one claim link for each role in the list. A link for an owner is always created. */
  readonly claimRoles?: ReadonlyArray<ClaimRole> | undefined
  /** Restricts the owner claim link to the user with this verified email address. */
  readonly ownerEmail?: string | undefined
}

export interface CurrentUser {
  readonly id: UserId
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  /** Whether the operator has listed the user's verified email address as that of a platform administrator. Their operations also require a sign-in by email code within the last 12 hours. */
  readonly isPlatformAdministrator: boolean
}

export interface DecideMcpReview {
  /** The fingerprint of the review. If it has changed since, the response is 409 `stale_revision`. */
  readonly fingerprint: string
  /** `accept`: approves the server's current state. `reject`: keeps the changes blocked. */
  readonly decision: "accept" | "reject"
}

export interface DecidedPluginRelease {
  readonly releaseId: PluginReleaseId
  /** The digest of the release that you reviewed. */
  readonly digest: string
}

export interface DeliveryExplanation {
  readonly orgMembershipId: OrganizationMembershipId
  readonly pluginId: PluginId
  readonly rule: DeliveryRule
  /** The release that the member receives. */
  readonly releaseId: PluginReleaseId | null
  readonly digest: string | null
  readonly version: string | null
  /** The assignment that pins, blocks, or turns the plugin on or off. Null if none applies. */
  readonly assignmentId: AssignmentId | null
  /** The ring of the member, or `Everyone` if no ring contains the member. */
  readonly ring: string
  /** The release of the open rollout, or otherwise the latest release. Null if the member receives it, if `rule` is `no_access`, `blocked`, `off` or `auto`, or if none of the values of `reason` applies. */
  readonly newer: NewerRelease | null
}

/** Why a plugin could not be installed. `download`: the archive could not be downloaded. `integrity`: the archive does not have the digest in the desired state. `content`: the archive contains files that are not allowed. `storage`: the files could not be written. `settings`: the settings of the agent could not be changed. `other`: a different reason. */
export type DeliveryFailure = "download" | "integrity" | "content" | "storage" | "settings" | "other"

export interface DeliveryHistory {
  readonly from: UtcDay
  readonly to: UtcDay
  readonly pluginId: PluginId | null
  readonly digest: string | null
  /** Days with a record, oldest first. The record of the current day is updated every hour. */
  readonly days: ReadonlyArray<DeliveryHistoryDay>
}

export interface DeliveryHistoryDay {
  readonly day: UtcDay
  readonly deviceCount: number
  /** Installations that should exist: the sum of the other counts. */
  readonly wanted: number
  readonly running: number
  readonly behind: number
  readonly missing: number
  readonly failed: number
  readonly offline: number
}

/** `auto`: every change is served at once. `hold_growth`: a release with new or changed capabilities is held for approval; other releases are approved automatically. `hold_all`: every release is held for approval. */
export type DeliveryMode = "auto" | "hold_growth" | "hold_all"

export interface DeliveryModeSetting {
  readonly deliveryMode: DeliveryMode
}

/** `no_access`: the member cannot see the plugin. `blocked`: an assignment blocks it. `not_served`: no release is served. `off`: the plugin is not turned on for the member. `auto`: its delivery mode is `auto`, so the latest content is delivered. `pinned`: an assignment pins the release. `pinned_not_stored`: the files of the pinned release are no longer stored. `ring`: a rollout has reached the ring of the member. `served`: the member receives the served release. */
export type DeliveryRule = "no_access" | "blocked" | "not_served" | "off" | "auto" | "pinned" | "pinned_not_stored" | "ring" | "served"

export interface DeliveryStatus {
  readonly generatedAt: Timestamp
  /** Members with at least one device. */
  readonly memberCount: number
  readonly devices: DeviceCounts
  readonly installations: InstallationCounts
  readonly failures: ReadonlyArray<FailureCount>
  /** The plugins with the most installations that are not running come first; at most 500. */
  readonly plugins: ReadonlyArray<PluginDeliveryStatus>
  /** Whether there are more plugins than listed. */
  readonly truncated: boolean
}

export interface DeliveryUsage {
  readonly from: UtcDay
  readonly to: UtcDay
  /** The plugins with the most installations come first; at most 500. */
  readonly plugins: ReadonlyArray<PluginUsage>
  /** Config objects with the same content in several installed plugins; at most 100. */
  readonly duplicates: ReadonlyArray<DuplicateObject>
  readonly truncated: boolean
}

export interface DesiredBlock {
  readonly kind: "plugin" | "marketplace"
  readonly id: string
  /** For a plugin, its name, or its id if none of its releases was approved. For a marketplace, its name in `marketplace.json`, or its display name if it was never published. */
  readonly name: string
  /** The names under which clients may have installed the item, in alphabetical order. For a plugin: `<name>@<marketplace>` for each `marketplace.json` in which the organization has ever published it. For a marketplace: its name in `marketplace.json`. Empty if the item was never published. */
  readonly names: ReadonlyArray<string>
  /** For a marketplace, the URL of its `marketplace.json`. Null for a plugin. */
  readonly manifestUrl: string | null
  readonly reason: DesiredStateReason
}

export interface DesiredMarketplace {
  readonly marketplaceId: MarketplaceId
  /** The name in `marketplace.json`: kebab-case, unique in the organization, and never changed. */
  readonly name: string
  /** The name of the marketplace, for people. */
  readonly title: string
  readonly description: string | null
  /** The URL of `marketplace.json`. It requires the credential of a member. */
  readonly manifestUrl: string
  /** Its plugins in this state, ordered by name. */
  readonly plugins: ReadonlyArray<{
    readonly pluginId: PluginId
    /** The name of the plugin in this `marketplace.json`. */
    readonly name: string
  }>
  readonly reason: DesiredStateReason
}

export interface DesiredMcpConnection {
  readonly mcpConnectionId: ExternalMCPConnectionId
  readonly name: string
  /** The URL of the server's endpoint. */
  readonly url: string
  readonly authType: McpAuthType
  /** `shared`: one credential for everyone with a grant. `per_member`: each member's own credential. */
  readonly credentialMode: McpCredentialMode
  /** Whether a credential is set (the shared one, or the member's own) and has not been rejected. Always true for a connection without authentication. */
  readonly connected: boolean
  readonly reason: DesiredStateReason
}

export interface DesiredModels {
  readonly llmProviderId: LLMProviderId
  readonly name: string
  /** An id from the catalog, or `custom`. */
  readonly providerId: string
  readonly apiFormat: LlmApiFormat
  readonly baseUrl: string | null
  /** The models that can be used. If null, all models of the provider can be used. */
  readonly models: ReadonlyArray<EnabledLlmModel> | null
  readonly headers: { readonly [key: string]: string }
  readonly options: JsonObject
  readonly credentialMode: LlmCredentialMode
  /** Whether a key is set (the shared one, or the member's own) and has not been rejected. Always true for a provider without credentials. */
  readonly connected: boolean
  readonly reason: DesiredStateReason
}

export interface DesiredPlugin {
  readonly pluginId: PluginId
  /** The name of the plugin. */
  readonly name: string
  readonly description: string | null
  /** The version that the author of the plugin states. */
  readonly version: string | null
  /** The digest of the release to install, as in `approvals`: the pinned one, otherwise the served one. Null for a plugin without releases, and until orgplane has computed it. Use `archive.sha256` to detect changes. */
  readonly digest: string | null
  readonly delivery: DesiredPluginDelivery
  readonly mode: DesiredPluginMode
  /** Whether the plugin should be installed and turned on. */
  readonly enabled: boolean
  /** Whether the member cannot change `enabled`. */
  readonly locked: boolean
  readonly reason: DesiredStateReason
  /** The marketplaces in `marketplaces` that contain it, ordered by id. */
  readonly marketplaceIds: ReadonlyArray<MarketplaceId>
  /** Null if `delivery` is `pinned_not_stored`. */
  readonly archive: {
    /** A signed link that works without a credential until `validUntil`, as long as the member can see the plugin, no assignment blocks it, and this archive is the one that the member receives. */
    readonly url: string
    readonly format: ArchiveFormat
    /** The digest of the archive. It changes when the content changes. */
    readonly sha256: string
  } | null
}

/** `latest_approved`: the served release, or that of a rollout that has reached the ring of the member. `pinned`: the release that the winning assignment pins. `pinned_not_stored`: the files of the pinned release are no longer stored; `version` and `archive` are null. Keep the installed copy if its digest is `digest`; otherwise, install nothing. */
export type DesiredPluginDelivery = "latest_approved" | "pinned" | "pinned_not_stored"

/** `required`: installed, and members cannot turn it off. `default_on`: installed unless the member turns it off. `available`: installed if the member turns it on. */
export type DesiredPluginMode = "required" | "default_on" | "available"

export interface DesiredPolicyReason {
  readonly setting: DesktopSetting
  readonly rule: DesktopPolicyRule
  /** Null when no policy sets it. */
  readonly desktopPolicyId: DesktopPolicyId | null
  readonly through: DesktopPolicyThrough | null
}

export interface DesiredState {
  /** The version of this format. */
  readonly formatVersion: 1
  readonly organizationId: OrganizationId
  /** The member whose state this is. For a worker, the member who created it. */
  readonly orgMembershipId: OrganizationMembershipId
  /** The worker. Null for a member. */
  readonly workerId: WorkerId | null
  /** Increases whenever the content changes, and never decreases. Reject a state with a lower revision than the last one. */
  readonly revision: number
  /** The start of the period in which this state is issued. It is renewed every 6 hours. */
  readonly generatedAt: Timestamp
  /** Do not apply the state after this time. A state that was received or confirmed with 304 is valid for at least 6 more hours. */
  readonly validUntil: Timestamp
  /** The key in `GET /v1/keys` that signs the state. */
  readonly signingKeyId: string
  readonly policy: {
    readonly desktopPolicy: EffectiveDesktopPolicy
    /** One reason for each setting. */
    readonly reasons: ReadonlyArray<DesiredPolicyReason>
  }
  /** The plugins that the member can see and that are not blocked, ordered by id; at most 2000. */
  readonly plugins: ReadonlyArray<DesiredPlugin>
  /** The plugins and marketplaces that assignments block for the member, including all plugins of a blocked marketplace, ordered by kind and id; at most 2000. A blocked plugin stays in the list when it is archived or removed, until it is deleted permanently, and when the member loses access to it. */
  readonly blocked: ReadonlyArray<DesiredBlock>
  /** The marketplaces that the member can see and that are not blocked, ordered by id; at most 500. */
  readonly marketplaces: ReadonlyArray<DesiredMarketplace>
  /** The MCP connections that the member can use, ordered by id; at most 500. */
  readonly mcpConnections: ReadonlyArray<DesiredMcpConnection>
  /** The LLM providers that the member can use, ordered by id; at most 500. */
  readonly models: ReadonlyArray<DesiredModels>
  /** Whether a list is incomplete because it has more items than its maximum. If true, do not remove items that are missing from the lists, and keep plugins and marketplaces blocked that are missing from `blocked`. */
  readonly truncated: boolean
}

export interface DesiredStateReason {
  readonly rule: DesiredStateRule
  /** The assignment that decides, or that allows the member's choice. Null if no assignment applies. */
  readonly assignmentId: string | null
  readonly via: DesiredStateVia
  /** The id of the team, member or marketplace in `via`. Null for `organization` and `admin`, and for a marketplace that the member cannot see. */
  readonly viaId: string | null
}

/** `required`, `default_on`, `available`, `blocked`: an assignment with this mode decides. `choice`: the member's own choice decides. `access`: no assignment applies; the member has access. */
export type DesiredStateRule = "required" | "default_on" | "available" | "blocked" | "choice" | "access"

/** How the assignment or the access reaches the member. `organization`: it applies to all members. `team`: through a team. `member`: it names the member. `marketplace`: through a marketplace that contains the plugin. `admin`: the member is an owner or admin. */
export type DesiredStateVia = "organization" | "team" | "member" | "marketplace" | "admin"

export interface DesktopPolicy {
  readonly id: DesktopPolicyId
  readonly organizationId: OrganizationId
  readonly policyName: string
  readonly policy: DesktopPolicySettings
  /** The policy with the highest priority wins. */
  readonly priority: number
  readonly isEnabled: boolean
  readonly memberIds: ReadonlyArray<OrganizationMembershipId>
  readonly teamIds: ReadonlyArray<TeamId>
  readonly audience: DesktopPolicyAudience
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** `organization`: the policy has no assignments and applies to every member. `assigned`: it applies to its members and teams. `nobody`: all its assigned members and teams were removed. The policy then applies to no one; it does not become an organization-wide policy. */
export type DesktopPolicyAudience = "organization" | "assigned" | "nobody"

/** The id of the desktop policy. */
export type DesktopPolicyId = string

/** The first rule that distinguishes a policy from the winner: higher priority; more specific assignment (member, team, organization); older policy; smaller id. */
export type DesktopPolicyLostBy = "priority" | "specificity" | "age" | "id"

/** The rule that determined the value. `unstated`: no policy sets it. `only`: exactly one policy sets it. Otherwise, the rule by which the winner took precedence over the runner-up. */
export type DesktopPolicyRule = "unstated" | "only" | "priority" | "specificity" | "age" | "id"

export interface DesktopPolicySettings {
  /** Whether members may add their own model providers. */
  readonly allowCustomProviders: boolean | null
  /** Whether members may use the partner's models. */
  readonly allowPartnerModel: boolean | null
  /** Whether members may open more than one workspace. */
  readonly allowMultipleWorkspaces: boolean | null
  /** Whether members may change the settings of the app. */
  readonly allowControlSettings: boolean | null
  /** Whether members may install and remove extensions. */
  readonly allowManageExtensions: boolean | null
  /** Whether built-in extensions run. */
  readonly allowBuiltInExtensions: boolean | null
  /** Whether the app may update to alpha releases. */
  readonly allowAlphaUpdates: boolean | null
  /** Whether the app shows its welcome page at startup. */
  readonly showWelcomePage: boolean | null
  readonly onboardingPrompts: ReadonlyArray<string> | null
  readonly onboardingPromptDescriptions: ReadonlyArray<string> | null
}

/** Fields that are absent or null are left to other policies. */
export interface DesktopPolicySettingsInput {
  /** Whether members may add their own model providers. */
  readonly allowCustomProviders?: boolean | null | undefined
  /** Whether members may use the partner's models. */
  readonly allowPartnerModel?: boolean | null | undefined
  /** Whether members may open more than one workspace. */
  readonly allowMultipleWorkspaces?: boolean | null | undefined
  /** Whether members may change the settings of the app. */
  readonly allowControlSettings?: boolean | null | undefined
  /** Whether members may install and remove extensions. */
  readonly allowManageExtensions?: boolean | null | undefined
  /** Whether built-in extensions run. */
  readonly allowBuiltInExtensions?: boolean | null | undefined
  /** Whether the app may update to alpha releases. */
  readonly allowAlphaUpdates?: boolean | null | undefined
  /** Whether the app shows its welcome page at startup. */
  readonly showWelcomePage?: boolean | null | undefined
  /** At most three prompts, shown when a member opens the app for the first time. An empty list means no prompts, and overrides policies with a lower priority. */
  readonly onboardingPrompts?: ReadonlyArray<string> | null | undefined
  /** One description per prompt, in the same order. Default: empty descriptions. */
  readonly onboardingPromptDescriptions?: ReadonlyArray<string> | null | undefined
}

export interface DesktopPolicySimulation {
  /** Members with at least one changed setting. */
  readonly memberCount: number
  /** The number of changed settings across all members. */
  readonly changeCount: number
  /** The settings that would change for at least one member. */
  readonly settings: ReadonlyArray<{
    readonly setting: DesktopSetting
    readonly memberCount: number
    /** The number of members for whom the switch would be turned on. Null for prompts. */
    readonly turnedOn: number | null
    readonly turnedOff: number | null
  }>
  /** Ordered by member and setting; at most 500. A setting is not included if only the winning policy would change, not the value. */
  readonly changes: ReadonlyArray<DesktopSettingChange>
  /** Whether there are more changes than listed. */
  readonly truncated: boolean
}

export interface DesktopPolicySource {
  /** Null for the policy that a simulation would create. */
  readonly id: DesktopPolicyId | null
  /** Null when the caller cannot read desktop policies. */
  readonly policyName: string | null
  readonly priority: number
  readonly through: DesktopPolicyThrough
  readonly createdAt: Timestamp | null
}

/** The most specific way in which a policy applies to a member. */
export type DesktopPolicyThrough = "member" | "team" | "organization"

export interface DesktopPrompt {
  readonly prompt: string
  readonly description: string
}

export type DesktopSetting = "allowCustomProviders" | "allowPartnerModel" | "allowMultipleWorkspaces" | "allowControlSettings" | "allowManageExtensions" | "allowBuiltInExtensions" | "allowAlphaUpdates" | "showWelcomePage" | "onboardingPrompts"

export interface DesktopSettingChange {
  readonly orgMembershipId: OrganizationMembershipId
  readonly setting: DesktopSetting
  readonly before: DesktopSettingDecision
  readonly after: DesktopSettingDecision
}

export interface DesktopSettingDecision {
  readonly value: DesktopSettingValue
  /** Null when no policy sets it. */
  readonly winner: DesktopPolicySource | null
}

export interface DesktopSettingExplanation {
  readonly setting: DesktopSetting
  readonly value: DesktopSettingValue
  readonly rule: DesktopPolicyRule
  readonly winner: DesktopPolicySource | null
  /** The other policies that set it and apply to the member, highest precedence first; at most 20. */
  readonly losers: ReadonlyArray<{
    /** Null for the policy that a simulation would create. */
    readonly id: DesktopPolicyId | null
    /** Null when the caller cannot read desktop policies. */
    readonly policyName: string | null
    readonly priority: number
    readonly through: DesktopPolicyThrough
    readonly createdAt: Timestamp | null
    readonly value: DesktopSettingValue
    readonly lostBy: DesktopPolicyLostBy
  }>
  readonly loserCount: number
}

/** The value of a switch, or the prompts. */
export type DesktopSettingValue = boolean | ReadonlyArray<DesktopPrompt>

export interface Device {
  readonly id: DeviceId
  readonly orgMembershipId: OrganizationMembershipId
  /** The worker that reports. Null for a member. */
  readonly workerId: WorkerId | null
  readonly agent: string
  readonly clientVersion: string | null
  readonly platform: DevicePlatform
  readonly offline: boolean
  /** The revision of the desired state that the device has applied. */
  readonly revision: number | null
  /** The revision of the latest desired state that the server issued for the member or worker. */
  readonly wantedRevision: number | null
  /** Why the desired state could not be applied at all. Null if it was applied. */
  readonly failure: DeliveryFailure | null
  readonly firstSeenAt: Timestamp
  /** When the device last reported, by the clock of the server. */
  readonly lastSeenAt: Timestamp
  readonly installations: InstallationCounts
}

export interface DeviceCounts {
  readonly total: number
  readonly offline: number
  /** Devices that are not offline and could not apply their desired state at all. */
  readonly failed: number
}

export interface DeviceDetails {
  readonly id: DeviceId
  readonly orgMembershipId: OrganizationMembershipId
  /** The worker that reports. Null for a member. */
  readonly workerId: WorkerId | null
  readonly agent: string
  readonly clientVersion: string | null
  readonly platform: DevicePlatform
  readonly offline: boolean
  /** The revision of the desired state that the device has applied. */
  readonly revision: number | null
  /** The revision of the latest desired state that the server issued for the member or worker. */
  readonly wantedRevision: number | null
  /** Why the desired state could not be applied at all. Null if it was applied. */
  readonly failure: DeliveryFailure | null
  readonly firstSeenAt: Timestamp
  /** When the device last reported, by the clock of the server. */
  readonly lastSeenAt: Timestamp
  readonly installations: InstallationCounts
  /** Ordered by plugin id. */
  readonly plugins: ReadonlyArray<Installation>
}

/** The id of the device: 16-64 letters, digits, hyphens or underscores. The device generates it at random when it reports for the first time, and keeps it. It does not identify the hardware. */
export type DeviceId = string

export type DevicePlatform = "linux" | "macos" | "windows" | "other"

export interface DeviceReport {
  readonly deviceId: DeviceId
  /** Must increase with each report of the device. A report whose sequence is not higher than the last accepted one is ignored, so reports can be retried and can arrive in any order. */
  readonly sequence: number
  /** The agent whose plugins are reported, such as `claude-code`. */
  readonly agent: string
  /** The version of the program that reports. Default: null. */
  readonly clientVersion?: string | null | undefined
  readonly platform: DevicePlatform
  /** The revision of the desired state that the device has applied. Null before the first one. */
  readonly revision: number | null
  /** Why the desired state could not be applied at all. Default: null (it was applied). */
  readonly failure?: DeliveryFailure | null | undefined
  /** Whether the plugins were removed from the device permanently. If true, the device is deleted; only its sequence is kept. Default: `false`. */
  readonly removed?: boolean | undefined
  /** All plugins that are installed or failed, at most 2000. They replace those of the last report. */
  readonly plugins: ReadonlyArray<ReportedPlugin>
}

export interface DeviceReportResult {
  /** Whether the report was stored. False if its sequence is not higher than `lastSequence`. */
  readonly accepted: boolean
  /** The sequence of the last accepted report of the device. */
  readonly lastSequence: number
}

export interface DiscoveredPlugin {
  /** Identifies the candidate in `apply`. Stays the same as long as its manifest entry exists. */
  readonly key: string
  /** The folder in the repository; empty for the root. */
  readonly rootPath: string
  readonly displayName: string
  readonly description: string | null
  readonly selectedByDefault: boolean
  readonly supported: boolean
  readonly manifestPath: string | null
  readonly warnings: ReadonlyArray<string>
  readonly componentKinds: ReadonlyArray<string>
  readonly componentPaths: {
    readonly agents: ReadonlyArray<string>
    readonly commands: ReadonlyArray<string>
    readonly hooks: ReadonlyArray<string>
    readonly lspServers: ReadonlyArray<string>
    readonly mcpServers: ReadonlyArray<string>
    readonly monitors: ReadonlyArray<string>
    readonly settings: ReadonlyArray<string>
    readonly skills: ReadonlyArray<string>
  }
  readonly metadata: JsonObject
}

export interface Discovery {
  readonly autoImportNewPlugins: boolean
  readonly connectorInstance: ConnectorInstance
  readonly connectorTarget: ConnectorTarget
  readonly discoveredPlugins: ReadonlyArray<DiscoveredPlugin>
  readonly repositoryFullName: string
  /** The commit SHA that was read. */
  readonly sourceRevisionRef: string
  readonly steps: ReadonlyArray<{
    readonly label: string
  }>
  readonly treeSummary: {
    readonly scannedEntryCount: number
    readonly strategy: string
    readonly truncated: boolean
  }
  readonly warnings: ReadonlyArray<string>
}

export interface Domain {
  readonly id: DomainId
  readonly organizationId: OrganizationId
  /** In lowercase ASCII; `xn--…` for internationalized domains. */
  readonly domain: string
  /** `lapsed`: the domain was verified, but its record was missing or different in two checks a day apart. New users with email addresses in it cannot sign in through SSO or be provisioned until it is verified again. */
  readonly status: "pending" | "verified" | "lapsed"
  readonly verification: {
    readonly type: "TXT"
    /** The name of the record. A record at the domain itself is also accepted. */
    readonly name: string
    readonly value: string
  }
  readonly verifiedAt: Timestamp | null
  readonly lastCheckedAt: Timestamp | null
  /** Why the last check failed. Null if it succeeded. */
  readonly failure: DomainFailure | null
  /** When the record of a verified domain was first found missing or different. If a check 24 hours later also fails, the domain lapses. Checks without a response from the name server do not count. */
  readonly failingSince: Timestamp | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** `dns_unavailable`: the DNS lookup failed or timed out. `record_missing`: the TXT record does not exist. `record_mismatch`: the TXT record has another value. `domain_taken`: another organization has verified the domain. */
export type DomainFailure = "dns_unavailable" | "record_missing" | "record_mismatch" | "domain_taken"

/** The id of the domain. */
export type DomainId = string

export interface DuplicateObject {
  /** The title of a config object. */
  readonly title: string
  readonly objectType: string
  readonly pluginIds: ReadonlyArray<PluginId>
}

export interface EffectiveAssignment {
  readonly pluginId: PluginId
  /** Null if the caller cannot see the plugin. */
  readonly pluginName: string | null
  readonly mode: AssignmentMode
  /** Whether the member turned the plugin on or off. Null if the member made no choice. A choice has no effect while the mode is `required` or `blocked`. */
  readonly choice: boolean | null
  /** Whether the plugin is on: the result of the mode and the member's choice. */
  readonly enabled: boolean
  /** Whether the member can see the plugin, by a grant or as an owner or admin. An assignment does not grant access: without access, the member does not receive the plugin. */
  readonly hasAccess: boolean
  /** The pinned digest of the assignment that won. Null for the latest approved release. */
  readonly pinnedDigest: string | null
  readonly version: AssignedVersion
  /** Why the plugin has this mode. Null unless `explain` is `true`. */
  readonly explanation: AssignmentExplanation | null
}

export interface EffectiveDesktopPolicy {
  /** Whether members may add their own model providers. */
  readonly allowCustomProviders: boolean
  /** Whether members may use the partner's models. */
  readonly allowPartnerModel: boolean
  /** Whether members may open more than one workspace. */
  readonly allowMultipleWorkspaces: boolean
  /** Whether members may change the settings of the app. */
  readonly allowControlSettings: boolean
  /** Whether members may install and remove extensions. */
  readonly allowManageExtensions: boolean
  /** Whether built-in extensions run. */
  readonly allowBuiltInExtensions: boolean
  /** Whether the app may update to alpha releases. */
  readonly allowAlphaUpdates: boolean
  /** Whether the app shows its welcome page at startup. */
  readonly showWelcomePage: boolean
  readonly onboardingPrompts: ReadonlyArray<string>
  /** One description per prompt. */
  readonly onboardingPromptDescriptions: ReadonlyArray<string>
}

export interface EffectiveDesktopPolicyResponse {
  readonly desktopPolicy: EffectiveDesktopPolicy
  /** An explanation of every setting. Null unless `explain` is `true`. */
  readonly explanation: ReadonlyArray<DesktopSettingExplanation> | null
}

export interface EmailChallenge {
  readonly challengeId: string
  readonly expiresAt: Timestamp
}

export interface EnableLlmModel {
  readonly id: string
  readonly label?: string | null | undefined
  readonly capabilities?: ReadonlyArray<LlmCapability> | null | undefined
  readonly contextLimit?: number | null | undefined
  readonly outputLimit?: number | null | undefined
}

export type EnableLlmModels = ReadonlyArray<EnableLlmModel>

export interface EnabledLlmModel {
  /** The provider's id for the model. */
  readonly id: string
  /** The display name. If null, the catalog's name is used. */
  readonly label: string | null
  readonly capabilities: ReadonlyArray<LlmCapability> | null
  /** The maximum number of tokens in a request and its response. If null, the catalog's value is used. */
  readonly contextLimit: number | null
  /** The maximum number of tokens in a response. If null, the catalog's value is used. */
  readonly outputLimit: number | null
}

export interface EnforceSso {
  /** Owners who can still sign in with an email code when the identity provider is unavailable. */
  readonly breakGlass: ReadonlyArray<OrganizationMembershipId>
}

export interface EventActor {
  readonly kind: "session" | "key" | "worker" | "directory" | "platform" | "system" | "anonymous"
  /** The membership, API key, worker, SCIM directory or user. Null for orgplane itself and for anonymous callers. */
  readonly id: string | null
  /** The current name. Null if there is none, if the actor was removed, or if the caller does not have permission to read it. */
  readonly name: string | null
  /** For members; null under the same conditions. */
  readonly email: string | null
}

export interface EventCheckpoint {
  readonly organizationId: OrganizationId
  /** The sequence number of the last event that the checkpoint covers. */
  readonly sequence: number
  /** The SHA-256 hash of the line of this event, in hex. */
  readonly hash: string
  /** The ID of the signing key, as listed by `GET /v1/keys`. */
  readonly keyId: string
  /** Ed25519 signature over `orgplane feed checkpoint`, the organization ID, the sequence number, the hash and the time, each followed by a line feed, in base64url. */
  readonly signature: string
  readonly createdAt: Timestamp
}

export interface EventObject {
  readonly id: string
  /** The kind of the object, such as `plugin`. Null if its id has no known prefix. */
  readonly kind: string | null
  /** The current name. Null if there is none, if the object was removed, or if the caller cannot see the object. */
  readonly name: string | null
}

/** Where the events are sent. Secrets are never returned. */
export type EventStreamDestination = {
  readonly kind: "https"
  readonly url: string
  readonly format: "ndjson" | "splunk_hec"
} | {
  readonly kind: "s3"
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly prefix: string
  readonly accessKeyId: string
} | {
  readonly kind: "otlp"
  readonly url: string
}

/** The id of the event stream. */
export type EventStreamId = string

export type EventStreamTarget = {
  readonly kind: "https"
  /** It must use https and a public address. Redirects are not followed. */
  readonly url: string
  /** `ndjson`: one line for each event. `splunk_hec`: the format of Splunk's HTTP Event Collector. Default: `ndjson`. */
  readonly format?: "ndjson" | "splunk_hec" | undefined
  /** Sent in the header `Authorization`, for `ndjson` as a bearer token. Never returned. An update can omit it if the kind and the URL of the destination stay the same, or the endpoint and the bucket. */
  readonly token?: string | undefined
} | {
  readonly kind: "s3"
  /** The URL of the S3 API, such as `https://s3.eu-central-1.amazonaws.com`. It must use https and a public address. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** The start of the names of the objects. Default: empty. */
  readonly prefix?: string | undefined
  readonly accessKeyId: string
  /** Never returned. An update can omit it if the kind and the URL of the destination stay the same, or the endpoint and the bucket. */
  readonly secretAccessKey?: string | undefined
} | {
  readonly kind: "otlp"
  /** The URL that receives logs as OTLP/HTTP with JSON. Its path usually ends with `/v1/logs`. */
  readonly url: string
  /** Headers of each request, such as `Authorization`; at most 10. Never returned. An update can omit it if the kind and the URL of the destination stay the same, or the endpoint and the bucket. */
  readonly headers?: { readonly [key: string]: string } | undefined
}

export interface EventStreamTest {
  readonly ok: boolean
  /** Why the destination did not accept the test. */
  readonly error: string | null
  readonly durationMillis: number
}

/** The action of the audit event: `<resource>.<verb>`, such as `plugin.create`. Later releases can add types. */
export type EventType = "access.refuse" | "api_key.create" | "api_key.revoke" | "api_key.rotate" | "api_key.update" | "approval.instance_mode.set" | "approval.marketplace_mode.set" | "approval.settings.update" | "assignment.create" | "assignment.remove" | "assignment.update" | "bootstrap.workspace.claim" | "bootstrap.workspace.create" | "capability.authorization.start" | "capability.calendar_event.update" | "capability.connect" | "capability.credential.reject" | "capability.disconnect" | "capability.mail_draft.create" | "config_object.archive" | "config_object.create" | "config_object.grant" | "config_object.plugin.attach" | "config_object.plugin.detach" | "config_object.remove" | "config_object.restore" | "config_object.revoke" | "config_object.version.create" | "config_object.version.restore" | "configuration.adopt" | "configuration.apply" | "configuration.run.approve" | "configuration.run.end" | "configuration.run.fail" | "configuration.run.hold" | "configuration.run.reject" | "configuration.run.start" | "configuration.source.remove" | "configuration.source.set" | "connector.account.create" | "connector.account.disconnect" | "connector.apply" | "connector.archive" | "connector.auto_import.set" | "connector.create" | "connector.disable" | "connector.enable" | "connector.grant" | "connector.install.complete" | "connector.install.start" | "connector.mapping.create" | "connector.mapping.delete" | "connector.mapping.update" | "connector.remove" | "connector.resync" | "connector.revoke" | "connector.rollback" | "connector.rollback.finish" | "connector.setup" | "connector.sync" | "connector.sync.approve" | "connector.sync.fail" | "connector.sync.hold" | "connector.sync.reject" | "connector.sync.retry" | "connector.synced" | "connector.target.create" | "connector.target.update" | "connector.update" | "desktop_policy.create" | "desktop_policy.remove" | "desktop_policy.update" | "device.remove" | "domain.create" | "domain.fail" | "domain.lapse" | "domain.recover" | "domain.remove" | "domain.verify" | "event_stream.create" | "event_stream.pause" | "event_stream.remove" | "event_stream.resume" | "event_stream.test" | "event_stream.update" | "invitation.accept" | "invitation.batch" | "invitation.cancel" | "invitation.create" | "invitation.resend" | "llm_provider.connect" | "llm_provider.create" | "llm_provider.credential.remove" | "llm_provider.credential.set" | "llm_provider.grant" | "llm_provider.remove" | "llm_provider.revoke" | "llm_provider.update" | "marketplace.archive" | "marketplace.create" | "marketplace.grant" | "marketplace.link.create" | "marketplace.link.revoke" | "marketplace.plugin.add" | "marketplace.plugin.remove" | "marketplace.restore" | "marketplace.revoke" | "marketplace.update" | "mcp_connection.authorization.start" | "mcp_connection.connect" | "mcp_connection.create" | "mcp_connection.credential.reject" | "mcp_connection.disconnect" | "mcp_connection.drift" | "mcp_connection.grant" | "mcp_connection.remove" | "mcp_connection.review" | "mcp_connection.revoke" | "mcp_connection.tool.call" | "mcp_connection.tool_call.start" | "mcp_connection.tool_policy.set" | "mcp_connection.update" | "member.add" | "member.batch" | "member.remove" | "member.update" | "memory.clear" | "memory.delete" | "memory.save" | "organization.create" | "organization.ownership.transfer" | "organization.remove" | "organization.update" | "platform.plan.update" | "plugin.archive" | "plugin.create" | "plugin.grant" | "plugin.object.add" | "plugin.object.remove" | "plugin.restore" | "plugin.revoke" | "plugin.update" | "plugin_choice.reset" | "plugin_choice.set" | "release.approve" | "release.hold" | "release.reject" | "release.serve" | "release.withdraw" | "role.create" | "role.remove" | "role.update" | "rollout.cancel" | "rollout.complete" | "rollout.create" | "rollout.pause" | "rollout.promote" | "rollout.release" | "rollout.resume" | "rollout.rollback" | "rollout.schedule" | "rollout.settings.update" | "rollout.start" | "rollout.supersede" | "scim.directory.create" | "scim.directory.reconcile" | "scim.directory.remove" | "scim.group.create" | "scim.group.delete" | "scim.group.update" | "scim.group_role.set" | "scim.hold.approve" | "scim.hold.reject" | "scim.token.revoke" | "scim.token.rotate" | "scim.user.create" | "scim.user.deactivate" | "scim.user.delete" | "scim.user.reactivate" | "scim.user.update" | "secret.discard" | "session.challenge" | "session.create" | "session.exchange" | "session.revoke" | "sso.disable" | "sso.enable" | "sso.enforce" | "sso.oidc.put" | "sso.remove" | "sso.saml.put" | "sso.sign_in.return" | "sso.sign_in.start" | "sso.test" | "team.create" | "team.member.add" | "team.member.remove" | "team.remove" | "team.update" | "template.create" | "template.instantiate" | "template.remove" | "template.update" | "template.version.create" | "template.version.restore" | "user.active_organization.set" | "user.organization.leave" | "user.remove" | "user.update" | "webhook.receive" | "webhook.redeliver" | "webhook_endpoint.create" | "webhook_endpoint.disable" | "webhook_endpoint.pause" | "webhook_endpoint.redeliver" | "webhook_endpoint.remove" | "webhook_endpoint.resume" | "webhook_endpoint.secret.rotate" | "webhook_endpoint.test" | "webhook_endpoint.update" | "worker.create" | "worker.remove" | "worker.runtime.upgrade" | "worker.runtime_upgrade.start" | "worker.token.create" | "worker.token.revoke" | "worker.update"

export interface EventTypeInfo {
  readonly type: EventType
  readonly description: string
  /** The permission that a reader needs in addition to `events:read`. Null for events about personal data: only the person who acted sees them. */
  readonly permission: string | null
}

export interface ExchangeSession {
  /** The user's id in the host application. Exactly one of `subject` and `orgMembershipId` is required. */
  readonly subject?: string | undefined
  /** The member to create the session for. */
  readonly orgMembershipId?: OrganizationMembershipId | undefined
  /** How long the session is valid, in seconds. Default: 3600. */
  readonly expiresInSeconds?: number | undefined
}

export interface ExplainAccess {
  /** The member whose access is explained. Default: the caller. Explaining another member's access requires `access:read`. */
  readonly orgMembershipId?: OrganizationMembershipId | undefined
  /** The object to explain access to. */
  readonly object: {
    readonly kind: GrantedObjectKind
    readonly id: string
  }
  /** The action that the member wants to perform: `view` requires the grant role `viewer`, `edit` requires `editor`, `manage` requires `manager`. */
  readonly action: "view" | "edit" | "manage"
}

/** The id of the external MCP connection. */
export type ExternalMCPConnectionId = string

export interface FailureCount {
  readonly failure: DeliveryFailure
  readonly count: number
}

/** `viewer`: can read. `editor`: can also change the content. `manager`: can also manage grants and remove the object. */
export type GrantRole = "viewer" | "editor" | "manager"

export type GrantedObjectKind = "connectorInstance" | "configObject" | "plugin" | "marketplace" | "mcpConnection" | "llmProvider"

export interface Health {
  readonly status: "ok"
}

export interface IngestTelemetry {
  /** 1 to 50 events. Each event is validated separately: an event that is not a valid `TelemetryEvent` is dropped or stored without its invalid fields, and the response is 204. */
  readonly events: ReadonlyArray<TelemetryEvent>
}

export interface InspectedBody {
  /** At most 512 KiB. Secrets are redacted. */
  readonly text: string
  /** The size of the whole body. */
  readonly bytes: number
  readonly truncated: boolean
  /** Whether the body is missing or is not text. */
  readonly unavailable: boolean
}

export interface InspectedHeader {
  readonly name: string
  readonly value: string
  readonly redacted: boolean
}

/** Only members with an installation in this state. */
export type InstallState = "running" | "behind" | "missing" | "failed" | "offline"

export interface Installation {
  readonly pluginId: PluginId
  readonly name: string | null
  /** An `InstallState`, or `unwanted`: installed, but not in the desired state, turned off in it, or without an archive in it. */
  readonly state: "running" | "behind" | "missing" | "failed" | "offline" | "unwanted"
  readonly wantedSha256: string | null
  /** Null if the caller cannot see the plugin. */
  readonly wantedDigest: string | null
  readonly installedSha256: string | null
  /** Null if the caller cannot see the plugin. */
  readonly installedDigest: string | null
  readonly failure: DeliveryFailure | null
}

/** Numbers of installations by `InstallState`. An installation is one plugin on one device. */
export interface InstallationCounts {
  /** Installations that should exist: the sum of the other counts. */
  readonly wanted: number
  readonly running: number
  readonly behind: number
  readonly missing: number
  readonly failed: number
  readonly offline: number
}

export interface InstantiateTemplate {
  /** The version to use. Default: the latest version. */
  readonly versionId?: TemplateVersionId | undefined
  /** The name of the plugin. Default: the name from the template. */
  readonly name?: string | undefined
  /** The values of the variables, by name. They are inserted into content that other members can read, so do not include secrets. */
  readonly variables?: { readonly [key: string]: string } | undefined
}

export interface Invitation {
  readonly id: InvitationId
  readonly organizationId: OrganizationId
  readonly email: string
  readonly role: string
  readonly teamIds: ReadonlyArray<TeamId>
  readonly status: InvitationStatus
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
  readonly acceptedAt: Timestamp | null
}

export interface InvitationBatch {
  /** The invitations, one per email address. */
  readonly items: ReadonlyArray<{
    /** The email address to invite. */
    readonly email: string
    /** The role of the new member. The caller must have all permissions of the role. Default: `member`. */
    readonly role?: RoleName | undefined
    /** The teams that the new member joins. Default: none. */
    readonly teamIds?: ReadonlyArray<TeamId> | undefined
  }>
}

export interface InvitationBatchResult {
  readonly results: ReadonlyArray<{
    readonly index: number
    readonly ok: boolean
    readonly email: string
    readonly invitation: Invitation | null
    readonly error: {
      readonly code: string
      readonly message: string
    } | null
  }>
}

/** The id of the invitation. */
export type InvitationId = string

export interface InvitationLink {
  readonly token: string
  readonly url: string
}

export interface InvitationPreview {
  readonly organizationName: string
  readonly email: string
  readonly role: string
  readonly expiresAt: Timestamp
}

export type InvitationStatus = "pending" | "accepted" | "cancelled" | "expired"

export interface InvitationToken {
  /** The token from the invitation link. */
  readonly token: string
}

export interface InvitationWithLink {
  readonly invitation: Invitation
  readonly link: InvitationLink | null
}

export type JsonObject = { readonly [key: string]: Json }

/** The id of the LLM provider access grant. */
export type LLMProviderAccessGrantId = string

/** The id of the LLM provider. */
export type LLMProviderId = string

export interface LibraryEntry {
  readonly kind: "plugin" | "configObject"
  readonly id: string
  readonly name: string
  /** The source of the access. `id` identifies the team, marketplace or plugin, or the grant itself; it is null for owners and admins. */
  readonly through: {
    readonly kind: "admin" | "direct" | "team" | "orgWide" | "marketplace" | "plugin"
    readonly id: string | null
  }
}

export interface ListedMcpPreset {
  readonly presetId: string
  readonly displayName: string
  readonly description: string
  readonly url: string
  /** Whether you must register an OAuth client with the provider yourself. */
  readonly requiresOAuthClient: boolean
  /** The date of the last check, such as `2026-11-22`. */
  readonly checkedOn: string
}

/** The provider's API format. It also determines the header that carries the key: `authorization` with Bearer, `x-api-key`, `x-goog-api-key` or `api-key`. `other` requires the provider's own library and cannot be tested. */
export type LlmApiFormat = "openai_compatible" | "anthropic" | "google" | "azure_openai" | "other"

export type LlmCapability = "attachment" | "reasoning" | "tool_call" | "temperature" | "structured_output" | "open_weights"

export interface LlmConnection {
  readonly llmProviderId: LLMProviderId
  readonly name: string
  readonly providerId: string
  readonly apiFormat: LlmApiFormat
  readonly baseUrl: string | null
  readonly npm: string | null
  readonly env: ReadonlyArray<string>
  readonly headers: { readonly [key: string]: string }
  readonly options: JsonObject
  /** The models that members may use, with catalog data. Null if all models are allowed; to list them, query the provider. */
  readonly models: ReadonlyArray<ConnectedLlmModel> | null
  /** Null for a provider without credentials. */
  readonly credential: {
    readonly apiKey: string
    /** True for the key that everyone with a grant uses; false for the caller's own key. */
    readonly shared: boolean
    /** The request header that carries the key. Null if `apiFormat` is `other`. */
    readonly header: string | null
    /** The authentication scheme before the key, such as `Bearer`. */
    readonly scheme: string | null
  } | null
}

/** `shared`: one key for everyone with a grant. `per_member`: each member's own key. `none`: no key. */
export type LlmCredentialMode = "shared" | "per_member" | "none"

export interface LlmModelCost {
  /** US dollars per million input tokens. */
  readonly input: number | null
  /** US dollars per million output tokens. */
  readonly output: number | null
  /** US dollars per million tokens read from a cache. */
  readonly cacheRead: number | null
  /** US dollars per million tokens written to a cache. */
  readonly cacheWrite: number | null
}

export interface LlmProvider {
  readonly id: LLMProviderId
  readonly organizationId: OrganizationId
  readonly name: string
  /** An id from the catalog, or `custom`. */
  readonly providerId: string
  readonly apiFormat: LlmApiFormat
  /** The base URL that the paths of the API format are appended to. Null if the provider's library has a built-in URL. */
  readonly baseUrl: string | null
  /** Environment variables from which the provider's library reads a key. */
  readonly env: ReadonlyArray<string>
  /** The npm package for the provider, according to the catalog. */
  readonly npm: string | null
  readonly docUrl: string | null
  /** The models that can be used. If null, all models of the provider can be used. */
  readonly models: ReadonlyArray<EnabledLlmModel> | null
  readonly credentialMode: LlmCredentialMode
  readonly status: LlmProviderStatus
  /** Why the provider is not ready, in one sentence. */
  readonly statusReason: string | null
  /** Whether a key is set for the caller: the shared one or their own. Always true for a provider without credentials. */
  readonly connectedForMe: boolean
  /** Additional headers to send with every request. They must not contain secrets. */
  readonly headers: { readonly [key: string]: string }
  /** Options for the provider's library. They must not contain secrets. */
  readonly options: JsonObject
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export interface LlmProviderGrant {
  readonly id: LLMProviderAccessGrantId
  readonly orgMembershipId: OrganizationMembershipId | null
  readonly teamId: TeamId | null
  readonly orgWide: boolean
  readonly role: GrantRole
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly removedAt: Timestamp | null
}

/** `not_connected`: no key is set for the caller. `ready`: a key is set, or none is needed. */
export type LlmProviderStatus = "not_connected" | "ready"

export interface LlmProviderTest {
  readonly ok: boolean
  readonly category: "network" | "authentication" | "provider" | "protocol" | "configuration" | null
  readonly code: "destination_blocked" | "unreachable" | "timeout" | "too_many_redirects" | "busy" | "unauthorized" | "forbidden" | "not_found" | "rate_limited" | "server_error" | "http_error" | "unexpected_answer" | "answer_too_large" | "not_testable" | null
  /** The result and, after a failure, what to do. */
  readonly message: string
  readonly latencyMs: number
  /** The HTTP status that the provider returned. */
  readonly providerStatus: number | null
  /** The number of models that the provider listed. Null if it returned no list. */
  readonly modelsSeen: number | null
  /** The ids of those models, at most 500. */
  readonly models: ReadonlyArray<string>
  /** Enabled models that the provider did not list. Null if unknown. */
  readonly missingModels: ReadonlyArray<string> | null
}

/** A time of day: `17:30`. */
export type LocalTime = string

/** The id of the MCP connection access grant. */
export type MCPConnectionAccessGrantId = string

export interface MailMessage {
  readonly id: string
  readonly conversationId: string | null
  readonly subject: string
  /** For a draft, the time that the suite reports. */
  readonly receivedDateTime: string | null
  readonly preview: string
  readonly from: Mailbox | null
  readonly to: ReadonlyArray<Mailbox>
  readonly cc: ReadonlyArray<Mailbox>
  readonly webLink: string | null
  readonly hasAttachments: boolean
  readonly body: string
  /** Usually `text`, because plain text is requested; `html` if the suite returns HTML. */
  readonly bodyContentType: string
  /** Whether the body was truncated to its first 200,000 characters. */
  readonly bodyTruncated: boolean
}

export interface Mailbox {
  readonly name: string | null
  readonly address: string
}

export type MappingKind = "path" | "api" | "custom"

export interface Marketplace {
  readonly id: MarketplaceId
  readonly organizationId: OrganizationId
  readonly name: string
  readonly description: string | null
  readonly logoUrl: string | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  /** When it was archived. An archived marketplace is hidden from lists, and its plugins are not visible through it. */
  readonly archivedAt: Timestamp | null
  readonly deletedAt: Timestamp | null
  /** Whether the caller can delete the marketplace: a manager can, unless a connector manages it. */
  readonly canDelete: boolean
  readonly pluginCount: number
}

/** The id of the marketplace access grant. */
export type MarketplaceAccessGrantId = string

export interface MarketplaceEntry {
  /** Kebab-case and unique in the marketplace. It does not change when the plugin is renamed, and is never reused for another plugin. */
  readonly name: string
  readonly displayName?: string | undefined
  readonly source: PluginArchiveSource
  readonly description?: string | undefined
  /** The author's version and the start of the archive's digest: `1.2.3+4f644febdfe8`. It changes whenever the content changes. Without a version of the author: `0.0.0+4f644febdfe8`. */
  readonly version: string
  readonly author?: {
    readonly name: string
    readonly email?: string | undefined
    readonly url?: string | undefined
  } | undefined
  readonly homepage?: string | undefined
  readonly repository?: string | undefined
  readonly license?: string | undefined
  readonly category?: string | undefined
  readonly tags?: ReadonlyArray<string> | undefined
  readonly keywords?: ReadonlyArray<string> | undefined
}

export interface MarketplaceGrant {
  readonly id: MarketplaceAccessGrantId
  readonly orgMembershipId: OrganizationMembershipId | null
  readonly teamId: TeamId | null
  readonly orgWide: boolean
  readonly role: GrantRole
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly removedAt: Timestamp | null
}

/** The id of the marketplace. */
export type MarketplaceId = string

export interface MarketplaceLink {
  readonly id: MarketplaceLinkId
  readonly marketplaceId: MarketplaceId
  readonly name: string
  /** The member whose access the link uses. Null for a team's link. */
  readonly orgMembershipId: OrganizationMembershipId | null
  /** The team whose access the link uses. Null for a member's link. */
  readonly teamId: TeamId | null
  readonly createdByOrgMembershipId: OrganizationMembershipId
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
  /** When the link was last used. Accurate to the hour. */
  readonly lastUsedAt: Timestamp | null
  readonly revokedAt: Timestamp | null
}

/** The id of the marketplace link. */
export type MarketplaceLinkId = string

/** The token of a marketplace link. */
export type MarketplaceLinkToken = string

export interface MarketplaceLinkWithUrl {
  readonly id: MarketplaceLinkId
  readonly marketplaceId: MarketplaceId
  readonly name: string
  /** The member whose access the link uses. Null for a team's link. */
  readonly orgMembershipId: OrganizationMembershipId | null
  /** The team whose access the link uses. Null for a member's link. */
  readonly teamId: TeamId | null
  readonly createdByOrgMembershipId: OrganizationMembershipId
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
  /** When the link was last used. Accurate to the hour. */
  readonly lastUsedAt: Timestamp | null
  readonly revokedAt: Timestamp | null
  /** The URL to pass to `claude plugin marketplace add`. It contains the token and is returned only once. */
  readonly url: string
  /** The oldest version of Claude Code that can install the plugins. Older versions do not support zip archives. */
  readonly minimumClientVersion: string
}

export interface MarketplaceManifest {
  /** Kebab-case and unique in the organization. It does not change when the marketplace is renamed, and is never a name that Claude Code reserves. */
  readonly name: string
  readonly owner: {
    readonly name: string
  }
  readonly metadata: {
    readonly description: string
    /** It changes whenever the marketplace or one of its plugins changes. */
    readonly version: string
  }
  readonly plugins: ReadonlyArray<MarketplaceEntry>
}

export interface MarketplaceMembership {
  readonly id: MarketplaceToPluginMembershipId
  readonly marketplaceId: MarketplaceId
  readonly pluginId: PluginId
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly removedAt: Timestamp | null
  readonly plugin: Plugin
}

export interface MarketplaceSource {
  readonly connectorAccountId: ConnectorAccountId
  readonly connectorInstanceId: ConnectorInstanceId
  readonly accountLogin: string
  readonly repositoryFullName: string
  readonly branch: string
}

/** The id of the marketplace to plugin membership. */
export type MarketplaceToPluginMembershipId = string

/** How the server authenticates its callers: OAuth 2.1, an API key in a header, or not at all. */
export type McpAuthType = "oauth" | "apikey" | "none"

export interface McpAuthorizationServer {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly registrationEndpoint: string | null
  readonly clientIdMetadataDocumentSupported: boolean
  readonly scopesSupported: ReadonlyArray<string>
  readonly grantTypesSupported: ReadonlyArray<string>
  readonly codeChallengeMethodsSupported: ReadonlyArray<string>
  readonly tokenEndpointAuthMethodsSupported: ReadonlyArray<string>
}

export interface McpClientMetadata {
  /** The URL of this document. */
  readonly client_id: string
  readonly client_name: string
  readonly client_uri: string
  readonly redirect_uris: ReadonlyArray<string>
  readonly grant_types: ReadonlyArray<string>
  readonly response_types: ReadonlyArray<string>
  readonly token_endpoint_auth_method: "none"
}

export interface McpConnection {
  readonly id: ExternalMCPConnectionId
  readonly organizationId: OrganizationId
  readonly name: string
  /** The URL of the server's endpoint. */
  readonly url: string
  readonly presetId: string | null
  readonly authType: McpAuthType
  /** `shared`: one credential for everyone with a grant. `per_member`: each member's own credential. */
  readonly credentialMode: McpCredentialMode
  readonly status: McpConnectionStatus
  /** Why the connection is not ready, in one sentence. */
  readonly statusReason: string | null
  /** Whether a credential is set for the caller: the shared one or their own. Always true for a connection without authentication. */
  readonly connectedForMe: boolean
  /** The scopes to request when connecting by OAuth. If null, the scopes that the server requires are requested. */
  readonly scopes: ReadonlyArray<string> | null
  /** Scopes that the server has required with 403 `insufficient_scope` since the caller's credential was connected. Connecting again requests them, unless `scopes` is set. */
  readonly missingScopes: ReadonlyArray<string>
  /** The OAuth client that is used with the authorization server. Null until the first user connects. */
  readonly oauthClient: {
    readonly clientId: string
    readonly registration: McpRegistrationMethod
    readonly hasSecret: boolean
  } | null
  /** For `apikey`: the header that contains the key. */
  readonly apiKeyHeader: string | null
  /** For `apikey`: the authentication scheme before the key, such as `Bearer`. Null if there is no scheme. */
  readonly apiKeyScheme: string | null
  /** SHA-256 of the approved issuer, endpoints, scopes and tools. Null until the server has been inspected. */
  readonly fingerprint: string | null
  readonly toolsCheckedAt: Timestamp | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export interface McpConnectionGrant {
  readonly id: MCPConnectionAccessGrantId
  readonly orgMembershipId: OrganizationMembershipId | null
  readonly teamId: TeamId | null
  readonly orgWide: boolean
  readonly role: GrantRole
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly removedAt: Timestamp | null
}

/** The status for the caller. `not_connected`: no credential is set. `ready`: usable. `reconnect_required`: the credential no longer works. `review_required`: the server differs from its approved state; review the changes. */
export type McpConnectionStatus = "not_connected" | "ready" | "reconnect_required" | "review_required"

/** `shared`: one credential for everyone with a grant. `per_member`: each member's own credential. Default: `per_member` for OAuth, otherwise `shared`. */
export type McpCredentialMode = "shared" | "per_member"

export interface McpDiagnostic {
  /** Identifies the entry in the server log. Contains no data from the call. */
  readonly referenceId: string
  readonly category: "network" | "http" | "authentication" | "protocol" | "tool"
  readonly code: "destination_blocked" | "unreachable" | "timeout" | "too_many_redirects" | "busy" | "http_error" | "not_found" | "rate_limited" | "server_error" | "not_mcp" | "unauthorized" | "insufficient_scope" | "refresh_failed" | "authorization_server_invalid" | "invalid_message" | "id_mismatch" | "closed_early" | "unsupported_version" | "session_lost" | "json_rpc_error" | "response_too_large" | "tool_error" | "tool_not_found" | "invalid_arguments" | "input_required"
  readonly message: string
  readonly retryable: boolean
  /** What to do, in one sentence. */
  readonly operatorAction?: string | undefined
  /** With `insufficient_scope`: the scopes that the server requires. `connectUrl` is present if reconnecting requests them. */
  readonly requiredScopes?: ReadonlyArray<string> | undefined
  /** The path of the operation that reconnects the connection. */
  readonly connectUrl?: string | undefined
  /** The status of this API's response. */
  readonly httpStatus?: number | undefined
  /** The status that the MCP server returned. */
  readonly providerStatus?: number | undefined
  readonly providerRequestId?: string | undefined
  readonly providerCode?: string | undefined
  readonly payloadBytes?: number | undefined
  readonly jsonRpcCode?: number | undefined
  readonly outbound?: {
    readonly origin: string
    /** SHA-256 of the path, 16 hex digits. The path itself could contain a secret. */
    readonly pathHash: string
  } | undefined
}

export interface McpDiscovery {
  readonly server: {
    readonly url: string
    /** Null when the server does not reveal it without a credential. */
    readonly protocolVersion: string | null
  }
  /** Null when the server does not require a credential. */
  readonly authentication: {
    readonly authorizationServers: ReadonlyArray<McpAuthorizationServer>
    readonly requiredScopes: ReadonlyArray<string>
    readonly recommendedScopes: ReadonlyArray<string>
    readonly availableRegistrationMethods: ReadonlyArray<McpRegistrationMethod>
    readonly resource: string | null
    readonly protectedResourceMetadataUrl: string | null
  } | null
  /** At most 100 tools. Null when the server does not list them without a credential. */
  readonly tools: {
    readonly count: number
    readonly items: ReadonlyArray<{
      readonly name: string
      readonly readOnlyHint: boolean
      readonly destructiveHint: boolean
      readonly openWorldHint: boolean
    }>
  } | null
  readonly manualRequirements: ReadonlyArray<{
    readonly code: string
    readonly label: string
    readonly reason: string
    readonly required: boolean
  }>
  readonly warnings: ReadonlyArray<{
    readonly code: string
    readonly message: string
  }>
}

export interface McpDriftChange {
  readonly kind: "issuer" | "authorization_endpoint" | "token_endpoint" | "scopes" | "tool_added" | "tool_removed" | "tool_changed"
  /** For tools: the name of the tool. */
  readonly name: string | null
  /** For a changed tool: the properties that differ (title, description, inputSchema or hints). */
  readonly members: ReadonlyArray<string>
  readonly before: Json | null
  readonly after: Json | null
}

export interface McpInspection {
  readonly diagnosis: {
    readonly summary: string
  }
  readonly request?: {
    readonly method: string
    /** Query values are redacted. */
    readonly url: string
    readonly startedAt: Timestamp
    readonly headers: ReadonlyArray<InspectedHeader>
    readonly body: InspectedBody
  } | undefined
  readonly response?: {
    readonly status: number
    readonly statusText: string
    readonly durationMs: number
    readonly headers: ReadonlyArray<InspectedHeader>
    readonly body: InspectedBody
  } | undefined
}

export interface McpOAuthClientInput {
  readonly clientId: string
  /** Stored encrypted; never returned. */
  readonly clientSecret?: string | undefined
}

export interface McpPreset {
  readonly presetId: string
  readonly displayName: string
  readonly description: string
  readonly url: string
  /** Whether you must register an OAuth client with the provider yourself. */
  readonly requiresOAuthClient: boolean
}

export type McpRegistrationMethod = "pre_registered" | "client_id_metadata_document" | "dynamic"

export interface McpResolution {
  readonly resolution: "preset" | "discovered" | "not_found"
  /** The URLs that were tried, in order, with the results: `https://mcp.example/mcp: 404`. */
  readonly attempted: ReadonlyArray<string>
  /** The attempts in `attempted`, as objects. Empty if the query is not an allowed URL or host. */
  readonly attempts: ReadonlyArray<{
    /** The URL. The values of its query parameters are removed. */
    readonly url: string
    /** The redirect target, if a server responded there. */
    readonly redirectedTo: string | null
    /** The result, such as `supports MCP 2026-07-28` or `404`. */
    readonly result: string
  }>
  /** Why no server was found. Null if one was found. */
  readonly reason: string | null
  readonly preset?: McpPreset | undefined
  readonly match?: {
    readonly url: string
    readonly suggestedName: string
    readonly discovery: McpDiscovery
  } | undefined
}

export interface McpReview {
  /** The fingerprint of the server's current state. Decisions apply to this state. */
  readonly fingerprint: string
  readonly acceptedFingerprint: string
  readonly detectedAt: Timestamp
  /** `reject` if the changes were rejected; they remain blocked. Null while the review is pending. */
  readonly decision: "reject" | null
  readonly changes: ReadonlyArray<McpDriftChange>
  /** Whether there are more changes than the 500 that are listed. */
  readonly changesTruncated: boolean
}

export interface McpTool {
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  readonly inputSchema: JsonObject
  /** As stated by the server; not verified. */
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
  readonly decision: McpToolDecision
}

export interface McpToolCall {
  readonly referenceId: string
  readonly durationMs: number
  readonly result: Json
  readonly inspection: McpInspection
}

/** Whether the tool can be called. `denied`: the tool policy denies it. `review_required`: the policy allows it, but it is new or changed and has not been accepted. */
export type McpToolDecision = "allowed" | "denied" | "review_required"

export interface McpToolPage {
  readonly items: ReadonlyArray<McpTool>
  readonly nextCursor: string | null
  /** The fingerprint of the server's current state. */
  readonly fingerprint: string
  readonly checkedAt: Timestamp
}

export interface McpToolPolicy {
  /** The rule for tools that are in neither `allowed` nor `denied`. `all` allows them, `read_only` allows those with the read-only hint, `listed` allows none. */
  readonly mode: "all" | "read_only" | "listed"
  /** Tools that may be called, regardless of `mode`. */
  readonly allowed: ReadonlyArray<string>
  /** Takes precedence over `allowed`. */
  readonly denied: ReadonlyArray<string>
}

export interface Member {
  readonly id: OrganizationMembershipId
  readonly organizationId: OrganizationId
  readonly userId: UserId
  readonly email: string | null
  readonly name: string | null
  /** `owner`, `admin`, `member`, or the id of a custom role. */
  readonly role: string
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export interface MemberBatch {
  /** The changes, one per member: `setRole` with the new role, or `remove`. */
  readonly items: ReadonlyArray<{
    readonly action: "setRole"
    readonly orgMembershipId: OrganizationMembershipId
    readonly role: RoleName
  } | {
    readonly action: "remove"
    readonly orgMembershipId: OrganizationMembershipId
  }>
}

export interface MemberBatchResult {
  readonly results: ReadonlyArray<{
    readonly index: number
    readonly ok: boolean
    readonly orgMembershipId: OrganizationMembershipId
    readonly error: {
      readonly code: string
      readonly message: string
    } | null
  }>
}

export interface MemberDeliveryStatus {
  readonly orgMembershipId: OrganizationMembershipId
  readonly name: string | null
  readonly email: string | null
  readonly deviceCount: number
  /** When one of the devices last reported. */
  readonly lastSeenAt: Timestamp
  /** Installations that should exist: the sum of the other counts. */
  readonly wanted: number
  readonly running: number
  readonly behind: number
  readonly missing: number
  readonly failed: number
  readonly offline: number
}

export interface MemberDesiredModels {
  readonly llmProviderId: LLMProviderId
  readonly name: string
  /** An id from the catalog, or `custom`. */
  readonly providerId: string
  /** The models that can be used. If null, all models of the provider can be used. */
  readonly models: ReadonlyArray<EnabledLlmModel> | null
  readonly credentialMode: LlmCredentialMode
  /** Whether a key is set (the shared one, or the member's own) and has not been rejected. */
  readonly connected: boolean
  readonly reason: DesiredStateReason
}

export interface MemberDesiredPlugin {
  readonly pluginId: PluginId
  /** The name of the plugin. */
  readonly name: string
  readonly description: string | null
  /** The version that the author of the plugin states. */
  readonly version: string | null
  /** The digest of the release to install, as in `approvals`: the pinned one, otherwise the served one. Null for a plugin without releases, and until orgplane has computed it. Use `archive.sha256` to detect changes. */
  readonly digest: string | null
  readonly delivery: DesiredPluginDelivery
  readonly mode: DesiredPluginMode
  /** Whether the plugin should be installed and turned on. */
  readonly enabled: boolean
  /** Whether the member cannot change `enabled`. */
  readonly locked: boolean
  readonly reason: DesiredStateReason
  /** The marketplaces in `marketplaces` that contain it, ordered by id. */
  readonly marketplaceIds: ReadonlyArray<MarketplaceId>
}

export interface MemberDesiredState {
  readonly organizationId: OrganizationId
  readonly orgMembershipId: OrganizationMembershipId
  /** The revision that the member last received. Null if the member has not requested the state yet. */
  readonly revision: number | null
  readonly policy: {
    readonly desktopPolicy: EffectiveDesktopPolicy
    /** One reason for each setting. */
    readonly reasons: ReadonlyArray<DesiredPolicyReason>
  }
  /** As in the desired state of the member, without archives. */
  readonly plugins: ReadonlyArray<MemberDesiredPlugin>
  readonly blocked: ReadonlyArray<DesiredBlock>
  readonly marketplaces: ReadonlyArray<DesiredMarketplace>
  readonly mcpConnections: ReadonlyArray<DesiredMcpConnection>
  readonly models: ReadonlyArray<MemberDesiredModels>
  /** Whether a list is incomplete because it has more items than its maximum. */
  readonly truncated: boolean
  /** Whether objects are missing because the caller cannot see them. */
  readonly partial: boolean
}

export interface MemberImpact {
  readonly orgMembershipId: OrganizationMembershipId
  /** Whether SCIM manages the membership, so that only the identity provider can end it. */
  readonly managedByScim: boolean
  /** Teams that the member leaves. */
  readonly teamCount: number
  /** Grants to the member that are revoked. */
  readonly grantCount: number
  /** The objects of the first 50 of these grants, ordered by kind and ID. Objects that the caller cannot see are left out. */
  readonly objects: ReadonlyArray<{
    readonly kind: GrantedObjectKind
    readonly id: string
    readonly name: string
    readonly role: GrantRole
  }>
  /** Assignments that name the member. */
  readonly assignmentCount: number
  /** Desktop policies that name the member. */
  readonly desktopPolicyCount: number
  /** Devices of the member that are removed. */
  readonly deviceCount: number
  /** Sessions of the member in the organization. They end, or continue without the organization. */
  readonly sessionCount: number
  /** The member's own sign-ins at MCP servers and at mail and calendar suites, which are deleted. */
  readonly connectionCount: number
  /** Workers that the member created, which stop. */
  readonly workerCount: number
  /** Valid worker tokens that the member created, which are revoked. */
  readonly workerTokenCount: number
  /** Pending invitations that the member created, which are canceled. */
  readonly invitationCount: number
  /** Valid API keys that the member created. They keep working unless `revokeKeys` is `true`. */
  readonly apiKeyCount: number
}

export interface Memory {
  readonly id: MemoryId
  /** The organization in which it was saved. */
  readonly organizationId: OrganizationId
  readonly content: string
  readonly tags: ReadonlyArray<string>
  /** The source of the memory, set by the server: `chat`. */
  readonly source: string
  /** Always `user`: a memory is personal. */
  readonly scope: string
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export interface MemoryContext {
  /** The text from the conversation. Searches include it. */
  readonly snippet: string
  readonly conversation_id?: string | undefined
  readonly message_id?: string | undefined
  readonly origin?: "active_conversation" | "searched_conversation" | undefined
}

/** The id of the memory. */
export type MemoryId = string

export interface MemorySearchResult {
  readonly id: MemoryId
  /** The organization in which it was saved. */
  readonly organizationId: OrganizationId
  readonly content: string
  readonly tags: ReadonlyArray<string>
  /** The source of the memory, set by the server: `chat`. */
  readonly source: string
  /** Always `user`: a memory is personal. */
  readonly scope: string
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  /** How well the memory matches the query, from 0 to 1. Comparable only within one search. */
  readonly score: number
}

export interface NewSession {
  readonly id: SessionId
  readonly token: string
  readonly expiresAt: Timestamp
}

export interface NewerRelease {
  readonly releaseId: PluginReleaseId
  readonly digest: string | null
  readonly version: string | null
  readonly rolloutId: RolloutId | null
  readonly reason: WithheldBecause
  /** When the member receives it if nothing pauses the rollout. Null if it depends on a decision, such as an approval or a promotion, on more results, or on a freeze without an end. */
  readonly expectedAt: Timestamp | null
}

export interface NotReady {
  readonly status: "not_ready"
  readonly checks: {
    /** Whether the database responds and is not a standby. */
    readonly database: "ok" | "failed"
    readonly queue: "ok" | "failed"
    /** Whether a read-write transaction can begin. */
    readonly writes: "ok" | "failed"
    /** Whether the embedded database's disk has at least `ORGPLANE_DISK_FREE_MIN_MIB` free. Absent with PostgreSQL. */
    readonly disk?: "ok" | "failed" | undefined
  }
  /** Only in responses to requests with the operator's `ORGPLANE_METRICS_TOKEN` as bearer token. */
  readonly details?: ReadonlyArray<ReadyDetail> | undefined
}

/** The kind of a config object. */
export type ObjectType = "skill" | "agent" | "command" | "tool" | "mcp" | "hook" | "context" | "custom"

export interface ObjectUsage {
  readonly configObjectId: ConfigObjectId
  /** Null if the caller cannot see the config object. */
  readonly title: string | null
  readonly events: number
  readonly failedEvents: number
}

export interface OidcSettings {
  readonly issuer: string
  readonly clientId: string
  readonly scopes: ReadonlyArray<string>
  readonly hasClientSecret: boolean
}

export interface Organization {
  readonly id: OrganizationId
  readonly name: string
  readonly plan: string
  readonly provisional: boolean
  readonly provisionalExpiresAt: Timestamp | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** Events contain no text that users entered, except the names of the actor and of the object. */
export interface OrganizationEvent {
  readonly id: AuditEventId
  /** The position in the organization's events: 1 for the first event, without gaps. A caller who cannot see all events sees gaps. */
  readonly sequence: number
  readonly type: EventType
  readonly organizationId: OrganizationId
  readonly actor: EventActor
  readonly object: EventObject | null
  readonly requestId: string | null
  readonly before: JsonObject | null
  readonly after: JsonObject | null
  readonly createdAt: Timestamp
}

export interface OrganizationEventStream {
  readonly id: EventStreamId
  readonly organizationId: OrganizationId
  readonly name: string
  readonly destination: EventStreamDestination
  readonly hasSecret: boolean
  /** Types of events, or all types of a resource such as `plugin.*`. Empty for all types. Events of other types are sent as lines without content, so that the chain can be verified. */
  readonly types: ReadonlyArray<string>
  readonly state: "active" | "paused"
  /** The sequence number of the last event that was delivered. */
  readonly position: number
  /** Events that were not delivered yet. */
  readonly lag: number
  /** Since when every attempt has failed. Null if the last one was successful. */
  readonly failingSince: Timestamp | null
  /** Why the last attempt failed, such as `HTTP 503`. */
  readonly lastError: string | null
  /** When a failing stream retries. Null if it is not failing. */
  readonly nextAttemptAt: Timestamp | null
  readonly lastDeliveredAt: Timestamp | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly version: number
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** The id of the organization. */
export type OrganizationId = string

/** The id of the organization membership. */
export type OrganizationMembershipId = string

export interface OrganizationStorage {
  /** The uncompressed size of all versions of config objects and templates, plugin files and memories, plus 256 bytes for each of them. */
  readonly usedBytes: number
  /** The storage limit of the organization's plan. Null if the plan has no limit. */
  readonly limitBytes: number | null
}

export interface PauseRollout {
  readonly comment?: string | undefined
}

export interface PayloadChange {
  readonly op: "add" | "remove" | "replace"
  /** A JSON pointer (RFC 6901) into the payload. */
  readonly path: string
  /** Null for `add`. */
  readonly before: Json | null
  /** Null for `remove`. */
  readonly after: Json | null
}

export type Permission = "connectors:read" | "connectors:write" | "connectors:manage" | "configObjects:read" | "configObjects:write" | "configObjects:manage" | "plugins:read" | "plugins:write" | "plugins:manage" | "marketplaces:read" | "marketplaces:write" | "marketplaces:manage" | "approvals:read" | "approvals:write" | "approvals:manage" | "assignments:read" | "assignments:write" | "assignments:manage" | "delivery:read" | "delivery:write" | "delivery:manage" | "rollouts:read" | "rollouts:write" | "rollouts:manage" | "desktopPolicies:read" | "desktopPolicies:write" | "desktopPolicies:manage" | "mcpConnections:read" | "mcpConnections:write" | "mcpConnections:manage" | "llmProviders:read" | "llmProviders:write" | "llmProviders:manage" | "templates:read" | "templates:write" | "templates:manage" | "workers:read" | "workers:write" | "workers:manage" | "telemetry:read" | "telemetry:write" | "telemetry:manage" | "organizations:read" | "organizations:write" | "organizations:manage" | "members:read" | "members:write" | "members:manage" | "teams:read" | "teams:write" | "teams:manage" | "roles:read" | "roles:write" | "roles:manage" | "invitations:read" | "invitations:write" | "invitations:manage" | "apiKeys:read" | "apiKeys:write" | "apiKeys:manage" | "sso:read" | "sso:write" | "sso:manage" | "scim:read" | "scim:write" | "scim:manage" | "webhooks:read" | "webhooks:write" | "webhooks:manage" | "webhookEndpoints:read" | "webhookEndpoints:write" | "webhookEndpoints:manage" | "eventStreams:read" | "eventStreams:write" | "eventStreams:manage" | "mcp:resolve" | "mcp:call" | "sessions:mint" | "invitations:link" | "access:read" | "audit:read" | "events:read" | "analytics:read"

export interface PermissionEntry {
  readonly permission: Permission
  readonly description: string
  /** The built-in roles that have the permission. */
  readonly roles: ReadonlyArray<"owner" | "admin" | "member">
}

export interface PlanConfiguration {
  readonly document: ConfigurationDocument
  readonly secrets?: ConfigurationSecrets | undefined
}

export interface PlanConflict {
  readonly code: "plugin_name_taken" | "fed_by_another_target" | "file_too_large" | "review_required" | "revision_rejected" | "target_pinned"
  readonly pluginKey: string | null
  readonly name: string | null
  readonly message: string
}

export interface PlanCounts {
  readonly marketplaces: number
  readonly plugins: number
  readonly mappings: number
  readonly objects: number
  readonly files: number
}

export interface PlannedCapabilities {
  /** Null for a plugin that is not from the repository, to which a mapping adds objects. */
  readonly pluginKey: string | null
  /** Null for a new plugin. */
  readonly pluginId: PluginId | null
  readonly name: string
  /** Whether the plugin is created, changed or removed. */
  readonly change: "added" | "changed" | "removed"
  /** Whether something was added or changed. If elements were only removed, no review is needed. */
  readonly needsReview: boolean
  readonly grew: ReadonlyArray<PluginCapabilityChange>
  readonly changed: ReadonlyArray<PluginCapabilityChange>
  readonly shrank: ReadonlyArray<PluginCapabilityChange>
  /** Whether a list was truncated to 200 changes, or the signals to 100. */
  readonly truncated: boolean
  /** Changed network hosts, and signals of the later version that the earlier one did not have. */
  readonly signals?: ReadonlyArray<PluginSignal> | undefined
  /** Why the capabilities could not be compared. Then `needsReview` is true, and the lists are empty. */
  readonly problem: string | null
}

export interface PlannedChange {
  /** A `file` is a plugin file that is not the source of a config object. */
  readonly kind: "marketplace" | "plugin" | "mapping" | "object" | "file"
  /** The key of the plugin it belongs to. */
  readonly pluginKey: string | null
  /** The name of a plugin or marketplace; otherwise the selector or path. */
  readonly name: string
  /** The previous name, key or path, if it differs. */
  readonly was: string | null
  readonly objectType: ObjectType | null
  /** Where the object is defined in a manifest. */
  readonly pointer: string | null
}

export interface PlannedObject {
  readonly configObjectId: ConfigObjectId
  readonly objectType: ObjectType
  /** The path of its file in the repository, after the change. */
  readonly path: string
  /** The previous path, if it differs. */
  readonly was: string | null
  /** Where the object is defined in a manifest. */
  readonly pointer: string | null
  /** The plugin to which the mapping adds the object. For a removed object, the plugin from which it is removed. Null if there is none, or if the caller cannot see it. */
  readonly plugin: PlannedPlugin | null
}

export interface PlannedPlugin {
  readonly id: PluginId
  readonly name: string
}

export interface PlatformOrganization {
  readonly id: OrganizationId
  readonly name: string
  readonly plan: string
  readonly provisional: boolean
  readonly provisionalExpiresAt: Timestamp | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly memberCount: number
  /** The last UTC date with activity. Null if no activity is recorded. */
  readonly lastActiveDay: string | null
}

export interface PlatformUser {
  readonly id: UserId
  readonly name: string | null
  readonly email: string | null
  readonly emailVerified: boolean
  /** The number of organizations the user is a member of. */
  readonly organizations: number
  /** The last UTC date with activity. Null if no activity is recorded. */
  readonly lastActiveDay: string | null
  readonly createdAt: Timestamp
}

export interface Plugin {
  readonly id: PluginId
  readonly organizationId: OrganizationId
  readonly name: string
  readonly description: string | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  /** When it was archived. An archived plugin is hidden from lists and marketplaces, and so are its contents. */
  readonly archivedAt: Timestamp | null
  readonly deletedAt: Timestamp | null
  /** The number of config objects in it. */
  readonly memberCount: number
  /** The marketplaces that contain it and that the caller can see. */
  readonly marketplaces: ReadonlyArray<{
    readonly id: MarketplaceId
    readonly name: string
  }>
  /** The latest release, if it is pending approval. Only for callers who can edit the plugin or have the permission `approvals:read`; null for other callers. */
  readonly pendingReleaseId: PluginReleaseId | null
  readonly extension: PluginExtension | null
}

/** The id of the plugin access grant. */
export type PluginAccessGrantId = string

export interface PluginArchiveSource {
  readonly source: "archive"
  readonly url: string
  readonly sha256: string
}

export interface PluginCapabilities {
  readonly pluginId: PluginId
  /** SHA-256 of the sorted element digests in hex, each followed by a line feed. Two plugins with the same digest have the same capabilities. */
  readonly digest: string
  /** Sorted by kind, id and digest. At most 2,000 elements; the digest covers all. */
  readonly elements: ReadonlyArray<PluginHookElement | PluginServerElement | PluginExecutableElement | PluginComponentElement | PluginToolElement | PluginInlineCommandElement | PluginNetworkHostElement | PluginLinkElement | PluginSettingElement | PluginUnknownElement | PluginUnparsableElement>
  readonly elementCount: number
  /** Whether there are more elements or signals than listed. */
  readonly truncated: boolean
  /** At most 500 signals. */
  readonly signals: ReadonlyArray<PluginSignal>
}

export interface PluginCapabilityChange {
  /** The kind of the element. */
  readonly kind: string
  readonly id: string
  /** A sentence that describes the change. */
  readonly sentence: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
}

/** How the capabilities of the config object differ between the versions, as if the object were the only file of a plugin. */
export interface PluginCapabilityComparison {
  /** Whether something was added or changed. If elements were only removed, no review is needed. */
  readonly needsReview: boolean
  readonly grew: ReadonlyArray<PluginCapabilityChange>
  readonly changed: ReadonlyArray<PluginCapabilityChange>
  readonly shrank: ReadonlyArray<PluginCapabilityChange>
  /** Whether a list was truncated to 200 changes, or the signals to 100. */
  readonly truncated: boolean
  /** Changed network hosts, and signals of the later version that the earlier one did not have. */
  readonly signals?: ReadonlyArray<PluginSignal> | undefined
}

export interface PluginComponentElement {
  readonly kind: "component"
  /** Identifies the element across versions of a plugin, unless the plugin has several such elements. */
  readonly id: string
  /** SHA-256 of the complete element, which includes the values that the response omits. */
  readonly digest: string
  /** A sentence that describes the element. */
  readonly summary: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  readonly componentType: "skill" | "agent" | "command" | "output_style"
  readonly name: string
  readonly model: string | null
  readonly permissionMode: string | null
  /** All fields as canonical JSON, at most 2,000 characters. Values of environment variables and headers are omitted, and secrets are replaced. */
  readonly details: string
}

export interface PluginDeliveryStatus {
  readonly pluginId: PluginId
  /** Null if the caller cannot see the plugin, or if it was deleted permanently. */
  readonly name: string | null
  /** Installations that should exist: the sum of the other counts. */
  readonly wanted: number
  readonly running: number
  readonly behind: number
  readonly missing: number
  readonly failed: number
  readonly offline: number
  /** Installations on devices whose desired state does not contain the plugin, turns it off, or has no archive of it. Plugins that do not exist in the organization, or were deleted permanently, are not counted. */
  readonly unwanted: number
  /** Why installations failed, most frequent first. */
  readonly failures: ReadonlyArray<FailureCount>
  /** One entry for each archive in the desired states, most installations first; at most 20. */
  readonly releases: ReadonlyArray<ReleaseDeliveryStatus>
}

export interface PluginExecutableElement {
  readonly kind: "executable"
  /** Identifies the element across versions of a plugin, unless the plugin has several such elements. */
  readonly id: string
  /** SHA-256 of the complete element, which includes the values that the response omits. */
  readonly digest: string
  /** A sentence that describes the element. */
  readonly summary: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  readonly sha256: string
  readonly interpreter: string | null
  readonly isExecutable: boolean
}

export interface PluginExtension {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly manifest: PluginManifest
}

export interface PluginGrant {
  readonly id: PluginAccessGrantId
  readonly orgMembershipId: OrganizationMembershipId | null
  readonly teamId: TeamId | null
  readonly orgWide: boolean
  readonly role: GrantRole
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly removedAt: Timestamp | null
}

export interface PluginHookElement {
  readonly kind: "hook"
  /** Identifies the element across versions of a plugin, unless the plugin has several such elements. */
  readonly id: string
  /** SHA-256 of the complete element, which includes the values that the response omits. */
  readonly digest: string
  /** A sentence that describes the element. */
  readonly summary: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  readonly event: string
  readonly matcher: string | null
  /** `command`, `http`, `mcp_tool`, `prompt`, `agent` or an unknown type. */
  readonly handler: string
  /** The command, URL or prompt. */
  readonly command: string | null
  readonly interpreter: string | null
  /** The files of the plugin that the command names. */
  readonly files: ReadonlyArray<string>
  /** All fields as canonical JSON, at most 2,000 characters. Values of environment variables and headers are omitted, and secrets are replaced. */
  readonly details: string
}

/** The id of the plugin. */
export type PluginId = string

export interface PluginInlineCommandElement {
  readonly kind: "inline_command"
  /** Identifies the element across versions of a plugin, unless the plugin has several such elements. */
  readonly id: string
  /** SHA-256 of the complete element, which includes the values that the response omits. */
  readonly digest: string
  /** A sentence that describes the element. */
  readonly summary: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  readonly name: string
  readonly command: string
}

export interface PluginLinkElement {
  readonly kind: "link"
  /** Identifies the element across versions of a plugin, unless the plugin has several such elements. */
  readonly id: string
  /** SHA-256 of the complete element, which includes the values that the response omits. */
  readonly digest: string
  /** A sentence that describes the element. */
  readonly summary: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  readonly target: string
}

export interface PluginManifest {
  readonly schemaVersion: number
  readonly id: string
  readonly name: string
  readonly description: string
  readonly source: {
    readonly trusted: boolean
    readonly reference: string
  }
  readonly resources: ReadonlyArray<JsonObject>
  readonly contributions: ReadonlyArray<JsonObject>
  readonly setup: JsonObject
  readonly lifecycle: JsonObject
}

export interface PluginMembership {
  readonly id: PluginToConfigObjectMembershipId
  readonly pluginId: PluginId
  readonly configObjectId: ConfigObjectId
  readonly connectorMappingId: ConnectorMappingId | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly removedAt: Timestamp | null
  readonly configObject: ConfigObject
}

export interface PluginNetworkHostElement {
  readonly kind: "network_host"
  /** Identifies the element across versions of a plugin, unless the plugin has several such elements. */
  readonly id: string
  /** SHA-256 of the complete element, which includes the values that the response omits. */
  readonly digest: string
  /** A sentence that describes the element. */
  readonly summary: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  readonly host: string
}

export interface PluginPlacement {
  readonly id: PluginToConfigObjectMembershipId
  readonly pluginId: PluginId
  readonly configObjectId: ConfigObjectId
  readonly connectorMappingId: ConnectorMappingId | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly removedAt: Timestamp | null
}

export interface PluginRelease {
  readonly id: PluginReleaseId
  readonly organizationId: OrganizationId
  readonly pluginId: PluginId
  /** The number of the release within its plugin. The first release is 1. */
  readonly number: number
  /** The name of the plugin in this release. */
  readonly name: string
  /** The version that the author of the plugin states. */
  readonly version: string | null
  /** SHA-256 of the description and of all files of the plugin. Pass it to `approve` and `reject`. Null until orgplane has computed it, for content that was approved by an import or because it was served before. */
  readonly digest: string | null
  /** The digest of the capability set. Null if no archive of the plugin can be created, or until orgplane has computed it. */
  readonly capabilitiesDigest: string | null
  /** The commit of the repository. Null for a plugin without a repository. */
  readonly sourceRevisionRef: string | null
  readonly state: PluginReleaseState
  /** Whether this is the served release. Agents and members receive it, unless an assignment pins another release or a rollout of another release has reached their ring. */
  readonly served: boolean
  /** Whether it has new or changed capabilities compared with the release that was served when it was created. Also true if the releases cannot be compared. */
  readonly needsReview: boolean
  /** Why no archive of the plugin can be created. Null if an archive can be created. */
  readonly problem: string | null
  readonly createdAt: Timestamp
  readonly decidedAt: Timestamp | null
  /** The member who approved or rejected it. Null if an API key or orgplane did. */
  readonly decidedByOrgMembershipId: OrganizationMembershipId | null
  readonly decidedBecause: PluginReleaseReason | null
  /** The comment of the approval or rejection. */
  readonly comment: string | null
  /** The number of members who have approved it. Counted only if four-eyes approval is on. */
  readonly approvals: number
  /** The number of members who must approve it. */
  readonly approvalsRequired: number
}

export interface PluginReleaseCapabilities {
  readonly releaseId: PluginReleaseId
  readonly pluginId: PluginId
  /** SHA-256 of the sorted element digests in hex, each followed by a line feed. Two plugins with the same digest have the same capabilities. */
  readonly digest: string
  /** Sorted by kind, id and digest. At most 2,000 elements; the digest covers all. */
  readonly elements: ReadonlyArray<PluginHookElement | PluginServerElement | PluginExecutableElement | PluginComponentElement | PluginToolElement | PluginInlineCommandElement | PluginNetworkHostElement | PluginLinkElement | PluginSettingElement | PluginUnknownElement | PluginUnparsableElement>
  readonly elementCount: number
  /** Whether there are more elements or signals than listed. */
  readonly truncated: boolean
  /** At most 500 signals. */
  readonly signals: ReadonlyArray<PluginSignal>
}

export interface PluginReleaseContentChanges {
  /** The release that is served now. Null if none is served: everything in this release is added. */
  readonly servedReleaseId: PluginReleaseId | null
  /** The name and the description of the plugin. Null if both are the same in the two releases. */
  readonly plugin: PluginReleasePluginChange | null
  /** The config objects that differ, by title. At most 500. Read the contents with `GET /v1/config-objects/{configObjectId}/versions/{versionId}`. */
  readonly objects: ReadonlyArray<PluginReleaseObjectChange>
  /** The files of the plugin's folder that differ, by path. Files are omitted if the change of a config object in `objects` is their only change. At most 500. */
  readonly files: ReadonlyArray<PluginReleaseFileChange>
  /** Whether there are more changes than are listed. */
  readonly truncated: boolean
}

export interface PluginReleaseDetails {
  readonly id: PluginReleaseId
  readonly organizationId: OrganizationId
  readonly pluginId: PluginId
  /** The number of the release within its plugin. The first release is 1. */
  readonly number: number
  /** The name of the plugin in this release. */
  readonly name: string
  /** The version that the author of the plugin states. */
  readonly version: string | null
  /** SHA-256 of the description and of all files of the plugin. Pass it to `approve` and `reject`. Null until orgplane has computed it, for content that was approved by an import or because it was served before. */
  readonly digest: string | null
  /** The digest of the capability set. Null if no archive of the plugin can be created, or until orgplane has computed it. */
  readonly capabilitiesDigest: string | null
  /** The commit of the repository. Null for a plugin without a repository. */
  readonly sourceRevisionRef: string | null
  readonly state: PluginReleaseState
  /** Whether this is the served release. Agents and members receive it, unless an assignment pins another release or a rollout of another release has reached their ring. */
  readonly served: boolean
  /** Whether it has new or changed capabilities compared with the release that was served when it was created. Also true if the releases cannot be compared. */
  readonly needsReview: boolean
  /** Why no archive of the plugin can be created. Null if an archive can be created. */
  readonly problem: string | null
  readonly createdAt: Timestamp
  readonly decidedAt: Timestamp | null
  /** The member who approved or rejected it. Null if an API key or orgplane did. */
  readonly decidedByOrgMembershipId: OrganizationMembershipId | null
  readonly decidedBecause: PluginReleaseReason | null
  /** The comment of the approval or rejection. */
  readonly comment: string | null
  /** The number of members who have approved it. Counted only if four-eyes approval is on. */
  readonly approvals: number
  /** The number of members who must approve it. */
  readonly approvalsRequired: number
  /** The name, the description, the config objects and the files of the plugin, if they differ from the release that is served now. Null if the files of this release are not stored, or if the delivery mode of the plugin is `auto`. */
  readonly contentChanges: PluginReleaseContentChanges | null
  /** How the capabilities differ from those of the release that was served when this one was created. Null if no archive can be created. */
  readonly comparison: PluginCapabilityComparison | null
}

export interface PluginReleaseFileChange {
  readonly change: "added" | "changed" | "removed"
  /** The path in the plugin's folder. */
  readonly path: string
  /** Whether the file is executable in this release, and not in the served release. */
  readonly becomesExecutable: boolean
}

/** The id of the plugin release. */
export type PluginReleaseId = string

export interface PluginReleaseObjectChange {
  readonly configObjectId: ConfigObjectId
  readonly change: "added" | "changed" | "removed"
  readonly objectType: ObjectType
  /** The title in this release. For a removed config object, the title in the served release. */
  readonly title: string
  /** The path in its repository. Null for a config object without a repository. */
  readonly path: string | null
  /** The version in the served release. Null if the config object was added. */
  readonly versionIdBefore: ConfigObjectVersionId | null
  /** The version in this release. Null if the config object was removed. The same as `versionIdBefore` if only other properties changed, such as the title or the path. */
  readonly versionIdAfter: ConfigObjectVersionId | null
}

export interface PluginReleasePluginChange {
  /** In the served release. Null if none is served. */
  readonly before: PluginReleaseTexts | null
  readonly after: PluginReleaseTexts
}

/** Why a release was approved or rejected. `approver`: by an approver. `import`: by the member who imported the plugin. `no_growth`: it has no new or changed capabilities. `approved_before`: a release with the same digest was approved before. `served_before`: it was served when a delivery mode other than `auto` was set. `policy`: the delivery mode became `auto`. `withdrawn`: it was withdrawn. */
export type PluginReleaseReason = "approver" | "import" | "no_growth" | "approved_before" | "served_before" | "policy" | "withdrawn"

/** `pending`: held for approval. `approved`: served, now or earlier. `superseded`: before a decision, a newer release replaced it or the plugin was removed. */
export type PluginReleaseState = "pending" | "approved" | "rejected" | "superseded"

/** The name and the description of the plugin in a release. */
export interface PluginReleaseTexts {
  readonly name: string
  readonly description: string | null
}

export interface PluginServerElement {
  readonly kind: "server"
  /** Identifies the element across versions of a plugin, unless the plugin has several such elements. */
  readonly id: string
  /** SHA-256 of the complete element, which includes the values that the response omits. */
  readonly digest: string
  /** A sentence that describes the element. */
  readonly summary: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  readonly serverType: "mcp" | "lsp" | "monitor"
  readonly name: string
  readonly transport: string
  readonly host: string | null
  readonly command: string | null
  readonly arguments: ReadonlyArray<string>
  /** The names of environment variables. */
  readonly environment: ReadonlyArray<string>
  /** The names of headers. */
  readonly headers: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
  /** All fields as canonical JSON, at most 2,000 characters. Values of environment variables and headers are omitted, and secrets are replaced. */
  readonly details: string
}

export interface PluginSettingElement {
  readonly kind: "setting"
  /** Identifies the element across versions of a plugin, unless the plugin has several such elements. */
  readonly id: string
  /** SHA-256 of the complete element, which includes the values that the response omits. */
  readonly digest: string
  /** A sentence that describes the element. */
  readonly summary: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  readonly field: string
  /** All fields as canonical JSON, at most 2,000 characters. Values of environment variables and headers are omitted, and secrets are replaced. */
  readonly details: string
}

export interface PluginSignal {
  readonly rule: PluginSignalRule
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  readonly message: string
}

export type PluginSignalRule = "secret_in_file" | "invisible_unicode" | "bidirectional_control" | "encoded_shell" | "download_to_shell" | "look_alike_name" | "changed_host" | "hidden_instructions"

/** The id of the plugin to config object membership. */
export type PluginToConfigObjectMembershipId = string

export interface PluginToolElement {
  readonly kind: "tool"
  /** Identifies the element across versions of a plugin, unless the plugin has several such elements. */
  readonly id: string
  /** SHA-256 of the complete element, which includes the values that the response omits. */
  readonly digest: string
  /** A sentence that describes the element. */
  readonly summary: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  readonly componentType: "skill" | "agent" | "command" | "output_style"
  readonly name: string
  readonly tool: string
}

export interface PluginUnknownElement {
  readonly kind: "unknown"
  /** Identifies the element across versions of a plugin, unless the plugin has several such elements. */
  readonly id: string
  /** SHA-256 of the complete element, which includes the values that the response omits. */
  readonly digest: string
  /** A sentence that describes the element. */
  readonly summary: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  /** The unknown field. Null if the whole file is unknown. */
  readonly field: string | null
  /** All fields as canonical JSON, at most 2,000 characters. Values of environment variables and headers are omitted, and secrets are replaced. */
  readonly details: string
}

export interface PluginUnparsableElement {
  readonly kind: "unparsable"
  /** Identifies the element across versions of a plugin, unless the plugin has several such elements. */
  readonly id: string
  /** SHA-256 of the complete element, which includes the values that the response omits. */
  readonly digest: string
  /** A sentence that describes the element. */
  readonly summary: string
  /** The file that defines it, relative to the plugin. */
  readonly path: string
  /** The line number in the file, starting at 1. */
  readonly line: number
  readonly reason: string
  readonly sha256: string
}

export interface PluginUsage {
  readonly pluginId: PluginId
  readonly name: string | null
  /** Devices that are not offline and have the plugin installed. */
  readonly running: number
  readonly events: number
  readonly users: number
  /** The last day in the range with an event. */
  readonly lastUsedDay: UtcDay | null
  /** Whether the plugin is installed and has no event in the range. */
  readonly unused: boolean
  /** Newest first; at most 20. */
  readonly releases: ReadonlyArray<ReleaseUsage>
  /** With `pluginId`, the config objects of the plugin with events, most events first; at most 100. Otherwise empty. */
  readonly objects: ReadonlyArray<ObjectUsage>
}

export interface PreviewRollout {
  readonly releaseId: PluginReleaseId
  /** Default: the rings of the organization. */
  readonly rings?: ReadonlyArray<Ring> | undefined
}

export interface PromoteRollout {
  /** The current `ring` of the rollout. If another member has promoted it since, the request fails, so two simultaneous requests start only one ring. */
  readonly ring: string
}

export interface PutOidc {
  /** The issuer, `https://…`. The discovery document is fetched during this request. */
  readonly issuer: string
  /** The client id from the identity provider. */
  readonly clientId: string
  /** If omitted, the current secret is kept, as long as the issuer and client do not change. */
  readonly clientSecret?: string | undefined
  /** The scopes to request. Default: `openid email profile`. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** JIT provisioning: whether users with an email address in a verified domain become members on first sign-in, and their role. If omitted, keeps the current settings. */
  readonly jit?: {
    readonly enabled: boolean
    readonly role?: RoleName | undefined
  } | undefined
}

export interface PutSaml {
  /** The SAML metadata of the identity provider, as XML. */
  readonly metadata?: string | undefined
  /** The entity id of the identity provider. Required without `metadata`. */
  readonly idpEntityId?: string | undefined
  /** The sign-in URL of the identity provider (HTTP-Redirect binding). Required without `metadata`. */
  readonly ssoUrl?: string | undefined
  /** The signing certificates of the identity provider: PEM, or its base64 content. Required without `metadata`. To rotate a certificate without downtime, include both the old and the new one. */
  readonly certificates?: ReadonlyArray<string> | undefined
  /** The SAML attributes that contain the email address and the name. Default: common names such as `email`, `mail`, `displayName` and their URN and claim URI forms. */
  readonly attributes?: {
    readonly email?: string | undefined
    readonly name?: string | undefined
  } | undefined
  /** JIT provisioning: whether users with an email address in a verified domain become members on first sign-in, and their role. If omitted, keeps the current settings. */
  readonly jit?: {
    readonly enabled: boolean
    readonly role?: RoleName | undefined
  } | undefined
}

export interface ReadinessConnection {
  readonly configObjectId: ConfigObjectId
  readonly id: ExternalMCPConnectionId | null
  readonly name: string
  readonly serverName: string
  readonly url: string | null
  readonly authTypeMismatch: boolean
  readonly connectedForMe: boolean
  readonly oauthClientConfigured: boolean
  readonly oauthClientRequired: boolean
}

export interface Ready {
  readonly status: "ready"
  readonly checks: {
    /** Whether the database responds and is not a standby. */
    readonly database: "ok" | "failed"
    readonly queue: "ok" | "failed"
    /** Whether a read-write transaction can begin. */
    readonly writes: "ok" | "failed"
    /** Whether the embedded database's disk has at least `ORGPLANE_DISK_FREE_MIN_MIB` free. Absent with PostgreSQL. */
    readonly disk?: "ok" | "failed" | undefined
  }
  /** Only in responses to requests with the operator's `ORGPLANE_METRICS_TOKEN` as bearer token. */
  readonly details?: ReadonlyArray<ReadyDetail> | undefined
}

/** The state of a component, for operators. */
export interface ReadyDetail {
  /** `schema`, `keys`, `audit`, `mail` and `workers` do not affect the status of the response: requests can be served without them. */
  readonly check: "database" | "queue" | "writes" | "disk" | "schema" | "keys" | "audit" | "mail" | "workers" | "shutdown"
  readonly status: "ok" | "failed"
  /** Since when this process has observed this status without interruption. */
  readonly since: Timestamp
  /** How long the last check took. Null if it is not timed. */
  readonly durationMs: number | null
  readonly message: string
}

export interface RedeliverEvents {
  /** The first sequence number. */
  readonly from: number
  /** The last sequence number, at most 9999 after `from`. */
  readonly to: number
}

export interface RejectConfigurationRun {
  readonly comment?: string | undefined
}

export interface RejectPluginReleases {
  /** At most 100 releases. If one of them cannot be decided, the request changes nothing. */
  readonly releases: ReadonlyArray<DecidedPluginRelease>
  /** The reason for the rejection, for the maintainers of the plugin. */
  readonly comment: string
}

export interface ReleaseDeliveryStatus {
  /** The archive in the desired states. */
  readonly sha256: string
  /** The release. Null for a plugin without releases, and for one that the caller cannot see. */
  readonly digest: string | null
  /** The version that the author of the plugin states. Null if the caller cannot see the plugin. */
  readonly version: string | null
  /** Installations that should exist: the sum of the other counts. */
  readonly wanted: number
  readonly running: number
  readonly behind: number
  readonly missing: number
  readonly failed: number
  readonly offline: number
}

export interface ReleaseRollout {
  /** The reason. It is shown in the rollout. */
  readonly comment: string
}

export interface ReleaseUsage {
  /** Null if the caller cannot see the plugin. */
  readonly digest: string | null
  /** Null if the caller cannot see the plugin. */
  readonly releaseId: PluginReleaseId | null
  /** The version that the author of the plugin states. Null if the caller cannot see the plugin. */
  readonly version: string | null
  /** Devices that are not offline and have the release installed, whether it is in their desired state or not. */
  readonly running: number
  /** Members whose first installation of the release is known, in the last 180 days. */
  readonly installReports: number
  /** Of those, the members for whom it failed. */
  readonly installFailed: number
  readonly events: number
  /** Events with `success: false`. */
  readonly failedEvents: number
  /** Pairs of a user and a day with at least one event. */
  readonly userDays: number
  /** Of those, the pairs with at least one failed event. */
  readonly failedUserDays: number
  /** Whether the release fails more often than the release before it: the one that was served when the newest rollout of the release was created, or else the next older approved release that was neither rolled back nor withdrawn. Installations and users are compared as in a rollout, with the thresholds of the organization. Each user counts once, with the first telemetry event that has a result, even if it is outside the range. */
  readonly failing: boolean
}

export interface ReleaseWithdrawal {
  readonly pluginId: PluginId
  readonly digest: string
  /** The release that is served now. Null: members do not receive the plugin. */
  readonly servedReleaseId: PluginReleaseId | null
  /** The rollouts that were canceled. */
  readonly rolloutIds: ReadonlyArray<RolloutId>
  /** The assignments that pinned the release. They now deliver the served release. */
  readonly unpinnedAssignmentIds: ReadonlyArray<AssignmentId>
}

export interface ReportWorkerActivity {
  /** A name for the activity, chosen by the worker, such as `task.started`. */
  readonly kind: string
  /** A description of the activity, for people to read. */
  readonly message: string
  /** The worker's id for the session in which the activity occurred. */
  readonly sessionId?: string | null | undefined
  /** When the activity occurred: at most a day ago, and at most five minutes ahead of this server's clock. Default: the time of the request. */
  readonly occurredAt?: string | undefined
}

export interface ReportedPlugin {
  readonly pluginId: PluginId
  /** `failed`: the archive in the desired state could not be installed. */
  readonly state: "installed" | "failed"
  /** `archive.sha256` from the desired state: the archive that is installed, or that could not be installed. */
  readonly sha256: string
  /** `digest` from the desired state: the release. Null if it is null in the desired state. */
  readonly digest: string | null
  /** Required if `state` is `failed`; null otherwise. */
  readonly failure: DeliveryFailure | null
  /** If `state` is `failed`, the earlier archive that is still installed. Default: null (nothing is installed). */
  readonly installedSha256?: string | null | undefined
}

/** A UTC time with milliseconds, such as `2026-03-01T09:30:00.000Z`. */
export type RequestTime = string

export interface ResolveMcp {
  /** A URL, a host, or the name of a product. */
  readonly query: string
}

export interface ResolvedMarketplace {
  readonly marketplace: Marketplace
  readonly plugins: ReadonlyArray<ResolvedPlugin>
  readonly source: MarketplaceSource | null
}

export interface ResolvedPlugin {
  readonly id: PluginId
  readonly organizationId: OrganizationId
  readonly name: string
  readonly description: string | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  /** When it was archived. An archived plugin is hidden from lists and marketplaces, and so are its contents. */
  readonly archivedAt: Timestamp | null
  readonly deletedAt: Timestamp | null
  /** The number of config objects in it. */
  readonly memberCount: number
  /** The marketplaces that contain it and that the caller can see. */
  readonly marketplaces: ReadonlyArray<{
    readonly id: MarketplaceId
    readonly name: string
  }>
  /** The latest release, if it is pending approval. Only for callers who can edit the plugin or have the permission `approvals:read`; null for other callers. */
  readonly pendingReleaseId: PluginReleaseId | null
  readonly extension: PluginExtension | null
  readonly componentCounts: ComponentCounts
  readonly cloudReadiness: CloudReadiness
}

export interface ResumeWebhookEndpoint {
  /** Whether to skip the pending events. They can be delivered later with `redeliver`. Default: false. */
  readonly skip?: boolean | undefined
}

/** A member belongs to the first ring that contains them. Members in no ring follow after the last ring, as `Everyone`. */
export interface Ring {
  /** Must be unique in `rings`, and not `Everyone`. */
  readonly name: string
  /** The members of these teams. */
  readonly teamIds: ReadonlyArray<TeamId>
  /** These members. */
  readonly memberIds: ReadonlyArray<OrganizationMembershipId>
  /** A percentage of all members, selected by member id. The selection never changes, and a higher percentage includes the members of a lower one. */
  readonly percent: number
  /** The time in minutes until the next ring can start automatically; at most 43200 (30 days). */
  readonly soakMinutes: number
  readonly promotion: RingPromotion
}

/** When the next ring starts. `automatic`: after the soak time, unless the rollout is paused or frozen. `manual`: only when the rollout is promoted. */
export type RingPromotion = "automatic" | "manual"

export interface Role {
  readonly id: RoleId
  readonly organizationId: OrganizationId
  readonly name: string
  readonly description: string | null
  readonly permissions: ReadonlyArray<Permission>
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** The id of the role. */
export type RoleId = string

/** The role of new members; `owner` is not allowed. Default: `member`. */
export type RoleName = "owner" | "admin" | "member" | RoleId

export interface RollBackRollout {
  /** The reason. It is shown in the rollout. */
  readonly comment: string
}

export interface RollbackConnector {
  /** A revision that was previously imported from this branch. */
  readonly revision: string
  /** The branch to use, if the instance has more than one. Default: the first branch. */
  readonly connectorTargetId?: ConnectorTargetId | undefined
}

/** The sync counts of the rollback, and the numbers of moved objects and removed plugins. Restored objects and plugins count as created. */
export interface RollbackPlanCounts {
  readonly filesScanned: number
  readonly objectsCreated: number
  readonly objectsUpdated: number
  readonly objectsDeleted: number
  readonly objectsUnchanged: number
  readonly pluginsCreated: number
  /** New plugin files, not counting the sources of config objects. */
  readonly filesAdded: number
  /** Plugin files with changed content or mode, not counting the sources of config objects. */
  readonly filesChanged: number
  readonly filesRemoved: number
  readonly objectsMoved: number
  readonly pluginsRemoved: number
}

export interface Rollout {
  readonly id: RolloutId
  readonly organizationId: OrganizationId
  readonly pluginId: PluginId
  /** The name of the plugin in the release. */
  readonly pluginName: string
  readonly releaseId: PluginReleaseId
  readonly releaseNumber: number
  readonly version: string | null
  readonly digest: string | null
  /** The release that was served when the rollout was created. Null if there was none. */
  readonly previousReleaseId: PluginReleaseId | null
  readonly state: RolloutState
  /** The latest ring that has the release. Null before the first one. */
  readonly ring: string | null
  /** The number of rings that have the release, including `Everyone`. */
  readonly ringNumber: number
  /** The number of rings, including `Everyone`. */
  readonly ringCount: number
  /** When a scheduled rollout starts. Null if it starts as soon as no freeze applies, and after it has started. */
  readonly startsAt: Timestamp | null
  /** When the next ring starts if nothing pauses the rollout. Null if it waits for a promotion, if freezes leave no time, or if it is paused or has ended. This is the schedule of the rings: only the operation `rollouts.get` checks whether the rollout waits for more results. */
  readonly nextRingAt: Timestamp | null
  readonly pauseReason: RolloutPauseReason | null
  /** The comment of the last pause, rollback, release or withdrawal. */
  readonly comment: string | null
  /** Whether `release` skipped the rings. */
  readonly emergency: boolean
  readonly createdAt: Timestamp
  readonly endedAt: Timestamp | null
}

export interface RolloutComparison {
  /** For installations: members who have reported a result of this release; only the first result counts. For usage: users with a telemetry event of this release that succeeded or failed; only the first such event counts. */
  readonly reports: number
  /** Of these, the ones that failed. */
  readonly failed: number
  /** The same number for the previous release, counted until the rollout was created. */
  readonly baselineReports: number
  /** Of these, the ones that failed. */
  readonly baselineFailed: number
  /** The failure rate that the release is compared with: the upper limit of a confidence interval for the previous release, at least 0.01. With fewer than 5 reports of the previous release: 0.05. */
  readonly baselineRate: number
  /** How much more likely the results are if the release fails more often than `baselineRate`. The rollout is paused at `threshold`. */
  readonly evidence: number
  /** 1 divided by `falseAlarmRate`. */
  readonly threshold: number
  /** Whether `reports` is at least `reportsMin`. Otherwise, the comparison cannot pause the rollout. */
  readonly enough: boolean
}

export interface RolloutDetails {
  readonly id: RolloutId
  readonly organizationId: OrganizationId
  readonly pluginId: PluginId
  /** The name of the plugin in the release. */
  readonly pluginName: string
  readonly releaseId: PluginReleaseId
  readonly releaseNumber: number
  readonly version: string | null
  readonly digest: string | null
  /** The release that was served when the rollout was created. Null if there was none. */
  readonly previousReleaseId: PluginReleaseId | null
  readonly state: RolloutState
  /** The latest ring that has the release. Null before the first one. */
  readonly ring: string | null
  /** The number of rings that have the release, including `Everyone`. */
  readonly ringNumber: number
  /** The number of rings, including `Everyone`. */
  readonly ringCount: number
  /** When a scheduled rollout starts. Null if it starts as soon as no freeze applies, and after it has started. */
  readonly startsAt: Timestamp | null
  /** When the next ring starts if nothing pauses the rollout. Null if it waits for a promotion, if freezes leave no time, or if it is paused or has ended. Also null if it waits for more results: `evidence` has reached `threshold`, but there are fewer than `reportsMin` reports. */
  readonly nextRingAt: Timestamp | null
  readonly pauseReason: RolloutPauseReason | null
  /** The comment of the last pause, rollback, release or withdrawal. */
  readonly comment: string | null
  /** Whether `release` skipped the rings. */
  readonly emergency: boolean
  readonly createdAt: Timestamp
  readonly endedAt: Timestamp | null
  readonly rings: ReadonlyArray<RolloutRing>
  /** Null after the rollout ended, and for a rollout without rings. */
  readonly installations: RolloutComparison | null
  /** Null after the rollout ended, and for a rollout without rings. */
  readonly usage: RolloutComparison | null
  /** Oldest first; at most 100. */
  readonly steps: ReadonlyArray<RolloutStep>
}

export interface RolloutFreeze {
  readonly name: string
  readonly timeZone: TimeZone
  /** The days of the week on which it starts. Empty for a single period. */
  readonly weekdays: ReadonlyArray<Weekday>
  /** When it starts on these days, in the time zone. Null for a single period. */
  readonly startTime: LocalTime | null
  /** When it ends, in the time zone. If it is not later than `startTime`, it ends on the next day. Null for a single period. */
  readonly endTime: LocalTime | null
  /** The start of a single period. Null for a weekly freeze. */
  readonly startsAt: RequestTime | null
  /** The end of a single period. Null for a weekly freeze. */
  readonly endsAt: RequestTime | null
}

/** The id of the rollout. */
export type RolloutId = string

/** `manual`: a member or an API key paused it. `install_failures`: installations fail more often than those of the previous release. `usage_failures`: a larger share of users has a failed event than with the previous release. */
export type RolloutPauseReason = "manual" | "install_failures" | "usage_failures"

export interface RolloutPreview {
  readonly releaseId: PluginReleaseId
  readonly pluginId: PluginId
  readonly rings: ReadonlyArray<RolloutPreviewRing>
  /** Members who keep a release that an assignment pins. */
  readonly pinnedCount: number
  /** Members for whom an assignment blocks the plugin. */
  readonly blockedCount: number
  /** Members who cannot see the plugin. */
  readonly withoutAccessCount: number
}

export interface RolloutPreviewRing {
  readonly name: string
  /** Members in the ring. */
  readonly memberCount: number
  /** Of these, the members who can see the plugin, are not blocked and have no pinned release. */
  readonly receiveCount: number
  /** Of these, the members for whom the plugin is turned on. */
  readonly enabledCount: number
  /** Devices of the members in `enabledCount`. */
  readonly deviceCount: number
  /** The members in `enabledCount`, ordered by id; at most 100. */
  readonly memberIds: ReadonlyArray<OrganizationMembershipId>
  /** The earliest start. Null if an earlier ring has `manual` promotion, or if freezes leave no time. */
  readonly startsAt: Timestamp | null
}

export interface RolloutRing {
  /** The name of the ring. `Everyone` for all members after the last ring. */
  readonly name: string
  /** `waiting`: the ring has not started. `soaking`: it is the latest ring that has started. `done`: a later ring has started, the rollout is completed, or the rollout is superseded and the ring keeps its release until the newer one reaches it. `ended`: the rollout has ended, and no longer delivers its release to the ring. */
  readonly state: "waiting" | "soaking" | "done" | "ended"
  /** Null if the ring has not started. For `Everyone`: null unless the rollout is completed. */
  readonly startedAt: Timestamp | null
  /** Null unless `state` is `soaking`. Also null while the rollout is paused, because the soak time starts again when it is resumed. */
  readonly soakEndsAt: Timestamp | null
}

export interface RolloutSettings {
  /** The rings in their order, at most 10. If empty, all members get an approved release at once, or when the freeze that applies ends. Default: empty. */
  readonly rings: ReadonlyArray<Ring>
  readonly thresholds: RolloutThresholds
  /** Times in which no rollout starts, and no further ring starts automatically, at most 50. `start`, `promote` and `release` are possible during a freeze. Default: empty. */
  readonly freezes: ReadonlyArray<RolloutFreeze>
}

/** `scheduled`: no ring has started yet. `active`: at least one ring has the release. `paused`: rings that have the release keep it, and no further ring starts. `completed`: all members receive it, except members with a pinned release. `rolled_back`: all members receive the previous release again. `superseded`: another release of the plugin was rolled out or served. `cancelled`: the release was withdrawn, no release of the plugin is served, the plugin was removed, or its delivery mode became `auto`. */
export type RolloutState = "scheduled" | "active" | "paused" | "completed" | "rolled_back" | "superseded" | "cancelled"

export interface RolloutStep {
  readonly step: "created" | "scheduled" | "ring_started" | "paused" | "resumed" | "released" | "completed" | "rolled_back" | "superseded" | "cancelled"
  readonly ring: string | null
  readonly reason: string | null
  /** The member who performed the step. Null if orgplane or an API key performed it. */
  readonly byOrgMembershipId: OrganizationMembershipId | null
  readonly at: Timestamp
}

export interface RolloutThresholds {
  /** The minimum number of reports in a comparison before it can pause the rollout. Default: 20. */
  readonly reportsMin: number
  /** The maximum probability that a release with a true failure rate of at most `baselineRate` is paused, for each of the two comparisons. Because `baselineRate` is an estimate, the probability of pausing a release that is as good as the previous one is at most twice this value. A lower value needs more reports to pause a failing release. Default: 0.01. */
  readonly falseAlarmRate: number
  /** Whether to pause when installations fail more often than those of the previous release. Default: true. */
  readonly installFailures: boolean
  /** Whether to pause when the first event with the release fails for a larger share of users than with the previous release. Requires telemetry with the dimension `plugin_release`. Default: true. */
  readonly usageFailures: boolean
}

export interface RotateApiKey {
  /** How many seconds the old secret stays valid. Default: 0. */
  readonly graceSeconds?: number | undefined
}

export interface RotateScimToken {
  /** How many seconds the existing tokens stay valid. Maximum: 2592000 (30 days). Default: 86400. */
  readonly graceSeconds?: number | undefined
  /** When the new token expires. Must be in the future. Default: never. */
  readonly expiresAt?: Timestamp | null | undefined
}

export interface RotateWebhookSecret {
  /** How long deliveries are also signed with the old secret. Default: 86,400 (a day). */
  readonly overlapSeconds?: number | undefined
}

/** The id of the SCIM directory. */
export type SCIMDirectoryId = string

/** The group, identified by the id of its team. */
export type SCIMGroupId = string

/** The `id` of a group. */
export type SCIMGroupPathId = string

/** The id of the SCIM hold. */
export type SCIMHoldId = string

/** The id of the SCIM log entry. */
export type SCIMLogEntryId = string

/** The id of the SCIM token. */
export type SCIMTokenId = string

/** The id of the SCIM user. */
export type SCIMUserId = string

/** The `id` of a user. */
export type SCIMUserPathId = string

/** The id of the SSO connection. */
export type SSOConnectionId = string

export interface SamlCertificate {
  /** The fingerprint, in hexadecimal. */
  readonly sha256: string
  readonly subject: string
  readonly notBefore: Timestamp
  readonly notAfter: Timestamp
}

export interface SamlResponseForm {
  readonly SAMLResponse?: string | undefined
  readonly RelayState?: string | undefined
}

export interface SamlSettings {
  readonly idpEntityId: string
  readonly ssoUrl: string
  readonly certificates: ReadonlyArray<SamlCertificate>
  readonly attributes: {
    readonly email: string | null
    readonly name: string | null
  }
}

export interface SaveMemory {
  /** The text to remember, as confirmed by the user. */
  readonly content: string
  /** Labels that searches and the `tag` filter match. Duplicate tags are stored once. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** The conversations that the memory comes from. */
  readonly contexts?: ReadonlyArray<MemoryContext> | undefined
}

export interface SavedMemoryContext {
  readonly snippet: string
  readonly conversation_id: string | null
  readonly message_id: string | null
  readonly origin: "active_conversation" | "searched_conversation" | null
}

export interface ScheduleRollout {
  /** When the first ring starts, at most 366 days from now. Null: as soon as no freeze applies. */
  readonly startsAt: RequestTime | null
}

export interface ScimBulkResponse {
  readonly schemas: ReadonlyArray<string>
  /** Results in the order of the request. Operations that were not attempted are omitted. */
  readonly Operations: ReadonlyArray<{
    readonly method: "POST" | "PUT" | "PATCH" | "DELETE"
    readonly bulkId?: string | undefined
    /** The URL of the resource; absent when it was not created. */
    readonly location?: string | undefined
    /** The version of the resource after a successful operation. */
    readonly version?: string | undefined
    /** The HTTP status that the operation would return on its own. */
    readonly status: string
    readonly response?: ScimError | undefined
  }>
}

/** Only requests with this decision. */
export type ScimDecision = "read" | "created" | "updated" | "unchanged" | "deleted" | "held" | "refused"

/** For group members, includes only those added or removed. Long values are truncated. */
export interface ScimDifference {
  /** The path in SCIM notation, such as `name.familyName` or `members`. */
  readonly path: string
  readonly before: Json
  readonly after: Json
}

export interface ScimDirectory {
  readonly id: SCIMDirectoryId
  readonly organizationId: OrganizationId
  readonly name: string
  /** A label. It does not change how requests are handled. */
  readonly provider: ScimProvider
  /** The SCIM URL to configure in the identity provider. */
  readonly baseUrl: string
  /** The valid tokens. There can be several during a rotation. */
  readonly tokens: ReadonlyArray<ScimToken>
  readonly users: {
    readonly active: number
    readonly inactive: number
  }
  readonly groups: number
  readonly pendingHoldId: SCIMHoldId | null
  /** When the last request was made. Accurate to the hour. */
  readonly lastRequestAt: Timestamp | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export type ScimDocument = { readonly [key: string]: Json }

/** The error of a failed operation. */
export interface ScimError {
  readonly schemas: ReadonlyArray<string>
  /** The HTTP status, as a string. */
  readonly status: string
  readonly scimType?: "invalidFilter" | "tooMany" | "uniqueness" | "mutability" | "invalidSyntax" | "invalidPath" | "noTarget" | "invalidValue" | "invalidVers" | "sensitive" | undefined
  readonly detail?: string | undefined
}

export interface ScimGroup {
  readonly teamId: TeamId
  readonly displayName: string
  readonly externalId: string | null
  /** The role that the group assigns to its members. Null if the group assigns no role. */
  readonly role: string | null
  readonly memberCount: number
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** A group (RFC 7643, 4.2), which is a team of the organization. */
export type ScimGroupResource = { readonly [key: string]: Json }

export interface ScimHeldUser {
  readonly scimUserId: SCIMUserId
  readonly orgMembershipId: OrganizationMembershipId | null
  readonly userName: string
  readonly action: "deactivate" | "delete"
  readonly createdAt: Timestamp
}

export interface ScimHold {
  readonly id: SCIMHoldId
  readonly directoryId: SCIMDirectoryId
  readonly status: "pending" | "approved" | "rejected"
  /** The number of memberships that approving the hold would end. */
  readonly count: number
  /** The number of active users in the directory when the hold was created. */
  readonly activeBefore: number
  readonly createdAt: Timestamp
  readonly decidedAt: Timestamp | null
  readonly decidedBy: string | null
}

export interface ScimListResponse {
  readonly schemas: ReadonlyArray<string>
  readonly totalResults: number
  readonly startIndex: number
  /** Can be lower than the requested count, because pages with very large groups contain fewer resources. */
  readonly itemsPerPage: number
  readonly Resources: ReadonlyArray<ScimDocument>
}

export interface ScimLogEntry {
  readonly id: SCIMLogEntryId
  readonly directoryId: SCIMDirectoryId
  readonly tokenId: SCIMTokenId | null
  readonly requestId: string
  readonly method: string
  /** The path under `/v1/scim/v2`, with the query. */
  readonly path: string
  readonly status: number
  readonly decision: ScimDecision
  readonly scimType: string | null
  /** Why the request was rejected or held for approval. */
  readonly detail: string | null
  readonly resourceType: "User" | "Group" | null
  readonly resourceId: string | null
  /** The userName or displayName of the resource. */
  readonly displayName: string | null
  readonly differences: ReadonlyArray<ScimDifference>
  readonly userAgent: string | null
  readonly createdAt: Timestamp
}

/** Default: `other`. Cannot be changed. */
export type ScimProvider = "okta" | "entra" | "google" | "other"

export interface ScimReconciliation {
  /** Users who were missing a membership and received one because their domain is now verified. */
  readonly linked: number
  /** Memberships that were ended because their users are inactive or deleted. */
  readonly ended: number
  readonly teamMembersAdded: number
  readonly teamMembersRemoved: number
  readonly rolesChanged: number
  /** Active users whose email address is not in a verified domain. */
  readonly unlinked: number
}

export interface ScimToken {
  readonly id: SCIMTokenId
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
  /** When the token was last used. Accurate to the hour. */
  readonly lastUsedAt: Timestamp | null
}

/** A user (RFC 7643, 4.1) with the enterprise extension. */
export type ScimUserResource = { readonly [key: string]: Json }

/** Only objects of this kind. */
export type SearchKind = "plugin" | "configObject" | "marketplace" | "connectorInstance" | "mcpConnection" | "member" | "team" | "template" | "role" | "apiKey" | "desktopPolicy" | "worker" | "llmProvider"

export interface SearchResult {
  readonly kind: SearchKind
  readonly id: string
  /** The name, or the title of a config object. For a member without a name: the email address, or the id. */
  readonly name: string
  /** The email address of a member, the type of a config object, the repository of a connector, the URL of an MCP connection or LLM provider, the hint of an API key, or else the description, in at most 300 characters. Null if there is none. */
  readonly detail: string | null
}

export interface SeenDimension {
  readonly type: string
  readonly value: string
  /** The label of the latest event that had one. */
  readonly label: string | null
  readonly events: number
  /** When its earliest event happened. */
  readonly firstSeenAt: Timestamp
  /** When its latest event happened. */
  readonly lastSeenAt: Timestamp
}

export interface SeenDimensionType {
  readonly type: string
  /** The number of different values. */
  readonly values: number
  /** The number of events with this dimension, counted once per value. */
  readonly events: number
}

export interface SeenDimensions {
  readonly items: ReadonlyArray<SeenDimension>
  readonly nextCursor: string | null
  /** All dimension types, most used first; at most 100. Not affected by filters. */
  readonly types: ReadonlyArray<SeenDimensionType>
  /** All events acknowledged before this time are counted. Later events might not be. */
  readonly generatedAt: Timestamp
}

export interface ServerVersion {
  readonly name: "orgplane"
  readonly version: string
  readonly api: "v1"
  /** The number of the database's latest schema migration. */
  readonly schemaVersion: number
}

export interface Session {
  readonly id: SessionId
  readonly userId: UserId
  readonly organizationId: OrganizationId | null
  readonly kind: "bootstrap" | "seed" | "email" | "sso" | "minted"
  readonly current: boolean
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
}

/** The id of the session. */
export type SessionId = string

export interface SetActiveOrganization {
  readonly organizationId: OrganizationId
}

export interface SetAutoImport {
  /** Whether new plugins are imported automatically. */
  readonly enabled: boolean
}

export interface SetConfigurationSource {
  readonly connectorInstanceId: ConnectorInstanceId
  /** A branch of the connector. Default: its first branch. */
  readonly connectorTargetId?: ConnectorTargetId | undefined
  /** A file, or a folder whose files *.yaml, *.yml and *.json are one document. Default: `orgplane.yaml`. */
  readonly path?: string | undefined
  /** `plan`: only reports differences. `apply`: also applies the files. Default: `plan`. */
  readonly mode?: ConfigurationMode | undefined
  /** Whether pushes start runs. Default: true. */
  readonly isEnabled?: boolean | undefined
}

export interface SetConnectorCredential {
  /** The user name that is sent with the token. Default: `git`. */
  readonly username?: string | undefined
  /** Stored encrypted, sent only to the origin of the repository, and never returned. */
  readonly token: string
}

export interface SetLlmCredential {
  /** Stored encrypted; only `connect` returns it. Must be printable ASCII without spaces, or any text if `apiFormat` is `other`. */
  readonly apiKey: string
}

export interface SetMcpApiKey {
  /** Stored encrypted; never returned. */
  readonly apiKey: string
}

export interface SetPluginChoice {
  /** Whether the plugin is on. */
  readonly enabled: boolean
}

export interface SetScimGroupRole {
  /** The role that the group assigns to its members. Null for no role. Cannot be `owner`. If a user is in several groups, `admin` takes precedence; otherwise, the oldest group with a role applies. */
  readonly role: RoleName | null
}

export interface SetupConnector {
  /** `git`: reads the repository from its clone URL. `rest`: uses the API of the code host through an app installation. */
  readonly adapter: "git" | "rest"
  /** Required for `git`: an https URL, or a path below a directory that the operator allows. */
  readonly cloneUrl?: string | undefined
  /** Required for `rest`: `owner/name`. */
  readonly repositoryFullName?: string | undefined
  /** Required for `rest`. For `git`, must be the account for the host of `cloneUrl`, if set. */
  readonly connectorAccountId?: ConnectorAccountId | undefined
  /** Stored encrypted, sent only to the origin of `cloneUrl`, and never returned. */
  readonly credential?: {
    readonly username?: string | undefined
    readonly token: string
  } | undefined
  /** The branch to connect. Default: the repository's default branch. */
  readonly branch?: string | undefined
  /** Must be unique in the organization. */
  readonly name?: string | undefined
}

export interface SigningKey {
  readonly kid: string
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  readonly x: string
  readonly alg: "EdDSA"
  readonly use: "sig"
  /** When the key was created. */
  readonly createdAt: Timestamp
  /** When the operator replaced the key. Null for the current key. Signatures made before this time stay valid. Reject a desired state that you receive later and that is signed with this key; allow 10 minutes for clock differences. */
  readonly retiredAt: Timestamp | null
}

export interface SimulateAssignments {
  /** Create an assignment. */
  readonly create?: CreateAssignment | undefined
  /** Update one assignment. */
  readonly patch?: {
    readonly assignmentId: AssignmentId
    readonly changes: UpdateAssignment
  } | undefined
  /** Remove one assignment. */
  readonly delete?: {
    readonly assignmentId: AssignmentId
  } | undefined
}

export interface SimulateDesktopPolicies {
  /** Create a policy. */
  readonly create?: CreateDesktopPolicy | undefined
  /** Update one policy. */
  readonly patch?: {
    readonly desktopPolicyId: DesktopPolicyId
    readonly changes: UpdateDesktopPolicy
  } | undefined
  /** Remove one policy. */
  readonly delete?: {
    readonly desktopPolicyId: DesktopPolicyId
  } | undefined
  /** Change the priorities of several policies at the same time. */
  readonly reorder?: ReadonlyArray<{
    readonly desktopPolicyId: DesktopPolicyId
    readonly priority: number
  }> | undefined
}

/** Where the content comes from. `cloud`: written through the API. `import`: imported once. `connector`: synced from a repository. */
export type SourceMode = "cloud" | "import" | "connector"

export interface SsoConnection {
  readonly id: SSOConnectionId
  readonly organizationId: OrganizationId
  readonly protocol: "oidc" | "saml"
  readonly enabled: boolean
  /** Whether members must sign in through SSO. The owners in `breakGlass` can also use an email code. */
  readonly enforced: boolean
  readonly breakGlass: ReadonlyArray<OrganizationMembershipId>
  /** Whether users with an email address in a verified domain become members on first sign-in. */
  readonly jit: {
    readonly enabled: boolean
    readonly role: string
  }
  readonly oidc: OidcSettings | null
  readonly saml: SamlSettings | null
  readonly serviceProvider: SsoServiceProvider
  /** The last test of the current settings. Cleared when the provider changes, or when certificates or attributes change while SSO is disabled. */
  readonly lastTest: SsoTest | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export type SsoRefusal = "access_denied" | "provider_unreachable" | "provider_invalid" | "code_refused" | "token_invalid" | "nonce_mismatch" | "issuer_mismatch" | "audience_mismatch" | "not_yet_valid" | "expired" | "signature_missing" | "signature_invalid" | "destination_mismatch" | "response_unsolicited" | "response_replayed" | "response_invalid" | "assertion_encrypted" | "subject_missing" | "email_missing" | "email_not_verified" | "domain_not_verified" | "not_a_member" | "person_mismatch" | "connection_disabled"

export interface SsoServiceProvider {
  /** The redirect URI of this organization for OpenID Connect. */
  readonly redirectUri: string
  /** The SAML entity id, and the audience of the assertions. */
  readonly entityId: string
  /** The URL that receives SAML responses by POST. */
  readonly acsUrl: string
  /** The URL of the SAML metadata, which contains the entity id and the ACS URL. */
  readonly metadataUrl: string
}

export interface SsoTest {
  readonly ok: boolean
  readonly at: Timestamp
  readonly by: OrganizationMembershipId
  readonly code: SsoRefusal | null
  readonly subject: string | null
  readonly email: string | null
}

export interface StartEmailSignIn {
  /** The email address to send the code to. */
  readonly email: string
}

export interface StartMcpConnect {
  /** The URL that the callback redirects the browser to, with the state, code and issuer. Must be on 127.0.0.1 or [::1] (any port), a page of the console, or on an origin in `ORGPLANE_CORS_ORIGINS`. Default: the callback shows a page with the values to pass to the operation that completes the flow. */
  readonly returnTo?: string | undefined
}

export interface StartSso {
  /** An email address whose domain identifies the organization. */
  readonly email?: string | undefined
  /** The organization to sign in to. Exactly one of `email` and `organizationId` is required. */
  readonly organizationId?: OrganizationId | undefined
  /** The SHA-256 of the code verifier, in base64url. Only the caller with the verifier receives the session. */
  readonly codeChallenge: string
  /** The URL that the callback redirects the browser to, with the state, code and issuer. Must be on 127.0.0.1 or [::1] (any port), a page of the console, or on an origin in `ORGPLANE_CORS_ORIGINS`. Default: the callback shows a page with the values to pass to the operation that completes the flow. */
  readonly returnTo?: string | undefined
}

export interface StartSuiteConnect {
  /** The URL that the callback redirects the browser to, with the state, code and issuer. Must be on 127.0.0.1 or [::1] (any port), a page of the console, or on an origin in `ORGPLANE_CORS_ORIGINS`. Default: the callback shows a page with the values to pass to the operation that completes the flow. */
  readonly returnTo?: string | undefined
}

export interface StartedConnect {
  /** The authorization server's page to open in a browser. */
  readonly url: string
  /** Returned in the browser's redirect. Can be used once, and only in this session. */
  readonly state: string
  readonly expiresAt: Timestamp
}

export interface StartedInstall {
  /** The code host's page to open in a browser. */
  readonly url: string
  /** The code host includes it in the redirect. Can be used once, and only in this session. */
  readonly state: string
  readonly expiresAt: Timestamp
}

export interface StartedSso {
  /** The identity provider's page to open in a browser. */
  readonly url: string
  /** Included in the callback's redirect to `returnTo`. */
  readonly state: string
  readonly expiresAt: Timestamp
}

/** `suite-a` is the mail suite, `suite-b` the calendar suite. */
export type Suite = "suite-a" | "suite-b"

export interface SyncCounts {
  readonly filesScanned: number
  readonly objectsCreated: number
  readonly objectsUpdated: number
  readonly objectsDeleted: number
  readonly objectsUnchanged: number
  readonly pluginsCreated: number
  /** New plugin files, not counting the sources of config objects. */
  readonly filesAdded: number
  /** Plugin files with changed content or mode, not counting the sources of config objects. */
  readonly filesChanged: number
  readonly filesRemoved: number
}

export type SyncStatus = "queued" | "running" | "completed" | "partial" | "failed" | "ignored" | "review_required" | "rejected"

export interface SyncTrouble {
  readonly connectorSyncEventId: ConnectorSyncEventId
  readonly connectorInstanceId: ConnectorInstanceId
  readonly connectorTargetId: ConnectorTargetId
  /** The name of the connector instance. */
  readonly name: string
  readonly status: "failed" | "partial" | "review_required"
  readonly createdAt: Timestamp
}

export interface Team {
  readonly id: TeamId
  readonly organizationId: OrganizationId
  readonly name: string
  readonly description: string | null
  readonly memberCount: number
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export interface TeamDeliveryStatus {
  readonly teamId: TeamId
  readonly name: string
  /** Members with at least one device. */
  readonly memberCount: number
  readonly deviceCount: number
  /** Installations that should exist: the sum of the other counts. */
  readonly wanted: number
  readonly running: number
  readonly behind: number
  readonly missing: number
  readonly failed: number
  readonly offline: number
}

/** The id of the team. */
export type TeamId = string

export interface TeamImpact {
  readonly teamId: TeamId
  /** Whether SCIM manages the team, so that only the identity provider can remove it. */
  readonly managedByScim: boolean
  /** Members of the team. They stay in the organization. */
  readonly memberCount: number
  /** Grants to the team that are revoked. */
  readonly grantCount: number
  /** The objects of the first 50 of these grants, ordered by kind and ID. Objects that the caller cannot see are left out. */
  readonly objects: ReadonlyArray<{
    readonly kind: GrantedObjectKind
    readonly id: string
    readonly name: string
    readonly role: GrantRole
    /** Members who would lose access to the object or be left with a lower role. */
    readonly memberCount: number
  }>
  /** Assignments that name the team. */
  readonly assignmentCount: number
  /** Desktop policies that name the team. */
  readonly desktopPolicyCount: number
  /** Pending invitations into the team. They stay valid, without the team. */
  readonly invitationCount: number
}

export interface TelemetryDescription {
  readonly types: ReadonlyArray<string>
  readonly sources: ReadonlyArray<TelemetrySource>
  /** The fields that are stored. All others are removed. */
  readonly fields: ReadonlyArray<TelemetryField>
  /** The maximum number of events in a request. */
  readonly eventsMax: number
  readonly retentionDays: number
  readonly ledgerDays: number
  readonly futureHours: number
  /** Older events are dropped. */
  readonly acceptedFrom: Timestamp
  /** Later events are dropped. */
  readonly acceptedUntil: Timestamp
  /** The server's time, to detect clock skew. */
  readonly serverTime: Timestamp
}

export interface TelemetryDimension {
  /** The type of the dimension, such as `model` or `plugin`. */
  readonly type: string
  /** The display name. */
  readonly label?: string | undefined
  /** The value that events are counted by. */
  readonly value?: string | undefined
  /** At most 4 KiB of JSON and 32 levels deep. Larger metadata is removed. */
  readonly metadata?: JsonObject | undefined
}

/** A telemetry event. Valid fields are stored unchanged. An event without a valid `type`, `timestamp` or `source` is dropped; any other unknown or invalid field is removed, and `null` is treated as absent. The request succeeds in either case. */
export interface TelemetryEvent {
  /** Your id for the event. A repeated event with the same id and timestamp counts as a duplicate. */
  readonly id?: string | undefined
  /** One of `user.active`, `session.active`, `session.started`, `session.ended`, `task.started`, `task.completed`, `task.failed`, or a type that the operator added; see `GET /v1/telemetry/schema`. An event with another type is dropped. */
  readonly type: string
  /** With `Z` or an offset. Within the retention period and at most 24 hours ahead. */
  readonly timestamp: string
  readonly source: TelemetrySource
  readonly sessionId?: string | undefined
  readonly durationMs?: number | undefined
  readonly success?: boolean | undefined
  readonly dimensions?: ReadonlyArray<TelemetryDimension> | undefined
}

export interface TelemetryField {
  readonly of: "event" | "dimension"
  readonly name: string
  readonly kind: "string" | "date-time" | "integer" | "boolean" | "object" | "array"
  readonly required: boolean
  /** The minimum value of an integer, or the minimum number of characters in a string. Null if there is no minimum. */
  readonly minimum: number | null
  /** The maximum value of an integer, or the maximum number of characters in a string, items in an array, or bytes in an object's JSON. Null if there is no maximum. */
  readonly maximum: number | null
}

export interface TelemetryLedgerEntry {
  readonly id: string
  /** The `x-request-id` of the request. */
  readonly requestId: string
  readonly receivedAt: Timestamp
  /** For a worker, the user it works for. Null for an API key. */
  readonly userId: UserId | null
  readonly orgMembershipId: OrganizationMembershipId | null
  readonly workerId: string | null
  readonly apiKeyId: APIKeyId | null
  readonly sent: number
  /** Events stored by this request. */
  readonly accepted: number
  /** Events already stored with the same id and timestamp. */
  readonly duplicate: number
  readonly dropped: number
  readonly fieldsRemoved: number
  readonly reasons: ReadonlyArray<{
    readonly reason: TelemetryReason
    readonly count: number
  }>
}

/** `event_…`, `type_…`, `timestamp_…` and `source_…`: the event was dropped. Others: the event was stored without the field. `field_identity`: the event contained a field that identifies the organization or member. These are taken only from the credential. */
export type TelemetryReason = "event_malformed" | "type_unknown" | "timestamp_malformed" | "timestamp_too_old" | "timestamp_in_future" | "source_unknown" | "field_unknown" | "field_identity" | "id_malformed" | "session_id_malformed" | "duration_malformed" | "success_malformed" | "dimensions_malformed" | "dimensions_too_many" | "dimension_malformed" | "metadata_malformed"

export type TelemetrySource = "app" | "worker"

export interface Template {
  readonly id: TemplateId
  readonly organizationId: OrganizationId
  readonly name: string
  readonly description: string | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly latestVersion: TemplateVersionSummary
}

export interface TemplateContent {
  readonly plugin: {
    readonly name: string
    readonly description: string | null
  }
  readonly objects: ReadonlyArray<TemplateObject>
  readonly variables: ReadonlyArray<TemplateVariable>
}

/** The plugin, its config objects and the variables. Required for a new template. */
export interface TemplateContentInput {
  /** The plugin to create. Both fields can contain placeholders. */
  readonly plugin: {
    readonly name: string
    readonly description?: string | null | undefined
  }
  /** The config objects of the plugin. */
  readonly objects: ReadonlyArray<TemplateObjectInput>
  readonly variables?: ReadonlyArray<TemplateVariableInput> | undefined
}

export interface TemplateDiff {
  readonly templateId: TemplateId
  /** The version that this version is compared with. Null for the first version, where everything is new. */
  readonly from: ComparedTemplateVersion | null
  readonly to: ComparedTemplateVersion
  /** The text differences as unified diffs, in object order. Empty if the text is the same. */
  readonly textDiff: string
  /** The changes to all other fields, as JSON. At most 1,000 changes and 1 MiB of values. */
  readonly changes: ReadonlyArray<PayloadChange>
  /** Whether there are more changes than listed. */
  readonly truncated: boolean
}

/** The id of the template. */
export type TemplateId = string

export interface TemplateInstance {
  readonly plugin: {
    readonly id: PluginId
    readonly name: string
  }
  readonly version: {
    readonly id: TemplateVersionId
    readonly ordinal: number
  }
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
}

export interface TemplateInstantiation {
  readonly plugin: Plugin
  /** In the order of the template. */
  readonly configObjects: ReadonlyArray<ConfigObject>
  readonly template: TemplateProvenance
}

export interface TemplateObject {
  readonly type: ObjectType
  readonly rawSourceText: string | null
  readonly normalizedPayloadJson: JsonObject | null
  readonly parserMode: string | null
  readonly schemaVersion: string | null
  readonly metadata: JsonObject | null
}

/** A config object as in `configObjects.create`. Its text can contain placeholders. */
export interface TemplateObjectInput {
  readonly type: ObjectType
  readonly rawSourceText?: string | undefined
  readonly normalizedPayloadJson?: { readonly [key: string]: Json } | undefined
  readonly parserMode?: string | undefined
  readonly schemaVersion?: string | undefined
  /** `title`, `description`, `fileName` and `relativePath` are used; other fields are not stored. */
  readonly metadata?: { readonly [key: string]: Json } | undefined
}

export interface TemplatePreview {
  readonly plugin: {
    readonly name: string
    readonly description: string | null
  }
  readonly configObjects: ReadonlyArray<{
    readonly objectType: ObjectType
    readonly title: string
    readonly description: string | null
    readonly currentFileName: string | null
    readonly currentRelativePath: string | null
    readonly rawSourceText: string | null
    readonly normalizedPayloadJson: JsonObject
  }>
  readonly template: TemplateProvenance
}

export interface TemplateProvenance {
  readonly id: TemplateId
  readonly versionId: TemplateVersionId
  readonly ordinal: number
}

export interface TemplateVariable {
  readonly name: string
  readonly label: string
  readonly description: string | null
  readonly required: boolean
  readonly default: string | null
  /** `line`: one line. `text`: any text, including several lines. `slug`: lowercase letters, digits and single hyphens, as in skill names. `email`: an email address. `url`: an http or https URL. */
  readonly format: TemplateVariableFormat
  readonly options: ReadonlyArray<string> | null
}

/** The format of the value. Default: `line`. */
export type TemplateVariableFormat = "line" | "text" | "slug" | "email" | "url"

export interface TemplateVariableInput {
  /** The name in placeholders: `{{ team }}`. */
  readonly name: string
  readonly label: string
  readonly description?: string | null | undefined
  /** Whether a value is required. An optional variable with neither a value nor a default is empty. Default: `false`. */
  readonly required?: boolean | undefined
  readonly default?: string | null | undefined
  readonly format?: TemplateVariableFormat | undefined
  /** The allowed values. */
  readonly options?: ReadonlyArray<string> | null | undefined
}

export interface TemplateVersion {
  readonly id: TemplateVersionId
  readonly templateId: TemplateId
  /** The version number: 1 for the first version, increasing by one. */
  readonly ordinal: number
  /** SHA-256 of the content, in hex. */
  readonly contentDigest: string
  readonly objectCount: number
  readonly variableCount: number
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly content: TemplateContent
}

/** The id of the template version. */
export type TemplateVersionId = string

export interface TemplateVersionSummary {
  readonly id: TemplateVersionId
  readonly templateId: TemplateId
  /** The version number: 1 for the first version, increasing by one. */
  readonly ordinal: number
  /** SHA-256 of the content, in hex. */
  readonly contentDigest: string
  readonly objectCount: number
  readonly variableCount: number
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
}

export interface TestSso {
  /** The URL that the callback redirects the browser to, with the state, code and issuer. Must be on 127.0.0.1 or [::1] (any port), a page of the console, or on an origin in `ORGPLANE_CORS_ORIGINS`. Default: the callback shows a page with the values to pass to the operation that completes the flow. */
  readonly returnTo?: string | undefined
}

/** An IANA time zone: `Europe/Berlin`. */
export type TimeZone = string

/** A UTC time with milliseconds. */
export type Timestamp = string

export interface TransferOwnership {
  /** The member who becomes an owner. */
  readonly orgMembershipId: OrganizationMembershipId
  /** The caller's role after the transfer. Default: `admin`. */
  readonly keep?: "owner" | "admin" | "member" | undefined
}

export interface TreeEntry {
  readonly id: string
  readonly path: string
  readonly sha: string
  /** Bytes. */
  readonly size: number
}

export interface UpdateApiKey {
  /** A label for the key. */
  readonly name?: string | undefined
  /** A subset of the key's current permissions. */
  readonly permissions?: ReadonlyArray<Permission> | undefined
  /** A date-time no later than the current expiry. */
  readonly expiresAt?: string | undefined
  /** The new rate limit of the key. It cannot be higher than the current one. */
  readonly requestsPerMinute?: number | undefined
}

export interface UpdateApprovalSettings {
  readonly deliveryMode?: DeliveryMode | undefined
  readonly fourEyes?: boolean | undefined
}

export interface UpdateAssignment {
  readonly mode?: AssignmentMode | undefined
  /** The assignment with the highest priority wins. */
  readonly priority?: number | undefined
  /** The digest of an approved release of the plugin. The files of the release must still be stored: orgplane keeps those of the served release and of pinned releases. Null for the latest approved release. */
  readonly pinnedDigest?: string | null | undefined
  /** Replaces all members. `[]` removes them. An assignment without members or teams applies to the whole organization. */
  readonly memberIds?: ReadonlyArray<OrganizationMembershipId> | undefined
  /** Replaces all teams. */
  readonly teamIds?: ReadonlyArray<TeamId> | undefined
}

export interface UpdateCalendarEvent {
  /** If `true`, adds a video meeting. If `false`, returns the event unchanged. */
  readonly createMeetLink: boolean
}

export interface UpdateConnectorInstance {
  /** The repository: its id on the code host, or its clone URL for plain Git. */
  readonly remoteId?: string | undefined
  /** Must be unique in the organization. */
  readonly name?: string | undefined
  /** A custom JSON object, returned as `instanceConfigJson`. */
  readonly config?: { readonly [key: string]: Json } | undefined
}

export interface UpdateConnectorMapping {
  /** A file or folder in the repository, such as `skills/review`, or `.` for the whole repository. */
  readonly selector?: string | undefined
  readonly objectType?: ObjectType | undefined
  /** The plugin that config objects from the mapping are added to. */
  readonly pluginId?: PluginId | null | undefined
  /** Whether config objects from the mapping are added to the plugin. `true` requires a plugin. */
  readonly autoAddToPlugin?: boolean | undefined
}

export interface UpdateConnectorTarget {
  /** The name of the branch. */
  readonly branch?: string | undefined
  /** A custom JSON object, returned as `targetConfigJson`. It replaces the stored object. */
  readonly config?: { readonly [key: string]: Json } | undefined
}

export interface UpdateDesktopPolicy {
  /** Must be unique in the organization. Case-insensitive. */
  readonly policyName?: string | undefined
  /** Replaces all settings of the policy. */
  readonly policy?: DesktopPolicySettingsInput | undefined
  /** The policy with the highest priority wins. */
  readonly priority?: number | undefined
  /** Whether the policy applies. */
  readonly isEnabled?: boolean | undefined
  /** Replaces all assigned members. `[]` removes them. A policy without assigned members or teams applies to the whole organization. */
  readonly memberIds?: ReadonlyArray<OrganizationMembershipId> | undefined
  /** Replaces all assigned teams. */
  readonly teamIds?: ReadonlyArray<TeamId> | undefined
}

export interface UpdateEventStream {
  readonly name?: string | undefined
  /** Replaces the destination. */
  readonly destination?: EventStreamTarget | undefined
  /** Replaces the types, for events that are sent later. */
  readonly types?: ReadonlyArray<string> | undefined
}

export interface UpdateLlmProvider {
  /** Must be unique in the organization. */
  readonly name?: string | undefined
  /** An id from the catalog, or `custom` for your own URL. */
  readonly providerId?: string | undefined
  readonly credentialMode?: LlmCredentialMode | undefined
  /** An https URL, such as `https://llm.example/v1`. Plain http is accepted only if the operator allows it. */
  readonly baseUrl?: string | undefined
  readonly apiFormat?: LlmApiFormat | undefined
  /** The environment variables from which the provider's library reads the key. */
  readonly env?: ReadonlyArray<string> | undefined
  /** The models that can be used. Null allows all models of the provider. Default: null. */
  readonly models?: EnableLlmModels | null | undefined
  /** Additional headers to send with every request, at most 16. Must not contain secrets. */
  readonly headers?: { readonly [key: string]: string } | undefined
  /** Options for the provider's library: at most 16 KiB of JSON. Must not contain secrets. */
  readonly options?: { readonly [key: string]: Json } | undefined
}

export interface UpdateMarketplace {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  /** The https URL of an image. */
  readonly logoUrl?: string | null | undefined
}

export interface UpdateMcpConnection {
  /** Must be unique in the organization. */
  readonly name?: string | undefined
  /** An https URL. Plain http is accepted only if the operator allows it. */
  readonly url?: string | undefined
  readonly authType?: McpAuthType | undefined
  /** `shared`: one credential for everyone with a grant. `per_member`: each member's own credential. */
  readonly credentialMode?: McpCredentialMode | undefined
  /** The scopes to request when connecting by OAuth. If null, the scopes that the server requires are requested. */
  readonly scopes?: ReadonlyArray<string> | null | undefined
  /** An OAuth client that you have already registered with the authorization server. */
  readonly oauthClient?: McpOAuthClientInput | null | undefined
  /** For `apikey`: the header that contains the key. Default: `authorization`. */
  readonly apiKeyHeader?: string | undefined
  /** For `apikey`: the authentication scheme before the key. Default: `Bearer` in the `authorization` header, none in any other header. */
  readonly apiKeyScheme?: string | null | undefined
}

export interface UpdateMember {
  /** The new role: `owner`, `admin`, `member`, or the id of a custom role. */
  readonly role: RoleName
}

export interface UpdateOrganization {
  readonly name?: string | undefined
}

export interface UpdatePlan {
  /** `enterprise` includes every feature. Any other plan excludes the features that require the enterprise plan. */
  readonly plan: string
}

export interface UpdatePlugin {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}

export interface UpdateRole {
  /** Must be unique in the organization and must not be the name of a built-in role. */
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  /** Replaces the permissions of the role. The caller must have each of them. */
  readonly permissions?: ReadonlyArray<Permission> | undefined
}

export interface UpdateRolloutSettings {
  /** The rings in their order, at most 10. If empty, all members get an approved release at once, or when the freeze that applies ends. Default: empty. */
  readonly rings?: ReadonlyArray<Ring> | undefined
  readonly thresholds?: RolloutThresholds | undefined
  /** Times in which no rollout starts, and no further ring starts automatically, at most 50. `start`, `promote` and `release` are possible during a freeze. Default: empty. */
  readonly freezes?: ReadonlyArray<RolloutFreeze> | undefined
}

export interface UpdateTeam {
  /** Must be unique in the organization. */
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}

export interface UpdateTemplate {
  /** Must be unique in the organization. */
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}

export interface UpdateUser {
  /** The user's name. Null removes it. */
  readonly name?: string | null | undefined
}

export interface UpdateWebhookEndpoint {
  readonly name?: string | undefined
  /** The URL that receives events with POST. It must use https and a public address. Redirects are not followed. */
  readonly url?: string | undefined
  /** Replaces the types, for events that are queued later. */
  readonly types?: ReadonlyArray<string> | undefined
  /** Replaces the permissions, for events that are queued later. The caller must have each of them. If one is removed, pending deliveries are skipped. */
  readonly permissions?: ReadonlyArray<Permission> | undefined
  /** `ordered`: an event is sent only after the previous one was delivered. `parallel`: up to 8 events are sent at a time, and a failed one does not delay the others. */
  readonly ordering?: WebhookOrdering | undefined
}

export interface UpdateWorker {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}

export type UpgradeWorkerRuntime = { readonly [key: string]: Json }

export interface User {
  readonly id: UserId
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** The id of the user. */
export type UserId = string

export interface UserOrganization {
  readonly organization: Organization
  readonly orgMembershipId: OrganizationMembershipId
  readonly role: string
  /** Whether requests in this session use this organization by default. */
  readonly active: boolean
}

/** A UTC date: `2026-03-01`. */
export type UtcDay = string

export interface VerifyEmailSignIn {
  /** The `challengeId` that `sessions.startEmail` returned. */
  readonly challengeId: string
  /** The code from the email. */
  readonly code: string
}

export interface VersionDiff {
  readonly configObjectId: ConfigObjectId
  /** The version that this version is compared with. Null for the first version, where everything is new. */
  readonly from: ComparedVersion | null
  readonly to: ComparedVersion
  /** The text difference as a unified diff that `patch` can apply. Empty if the text is the same. */
  readonly textDiff: string
  /** The differences of the payloads: at most 1,000 changes and 1 MiB of values. */
  readonly payloadChanges: ReadonlyArray<PayloadChange>
  /** Whether there are more payload changes than listed. */
  readonly truncated: boolean
  readonly capabilities: PluginCapabilityComparison
}

export interface WebhookAccepted {
  readonly ok: true
  readonly accepted: true
  readonly deliveryId: string
  readonly queued: true
}

export interface WebhookAttempt {
  readonly at: Timestamp
  /** The URL at that time. */
  readonly url: string
  /** `webhook-id` and `webhook-timestamp`, as they were sent. The signature is not stored. */
  readonly requestHeaders: { readonly [key: string]: string }
  /** The HTTP status. Null if there was no response. */
  readonly status: number | null
  /** Why there was no response, such as `timeout`. `no_secret`: the secret was lost, and must be rotated. */
  readonly error: string | null
  readonly durationMillis: number
  /** The first 1,024 characters of the response. Null if there was none, and if the caller does not have every permission that the endpoint had. */
  readonly response: string | null
}

export interface WebhookDelivery {
  readonly id: WebhookDeliveryId
  /** The sender's delivery id, from `x-github-delivery`. */
  readonly deliveryId: string
  readonly event: WebhookEvent
  readonly action: string | null
  readonly status: "accepted" | "ignored"
  readonly reason: WebhookIgnoredReason | null
  readonly repositoryFullName: string | null
  readonly ref: string | null
  /** The commit before the push, as reported by the sender. */
  readonly before: string | null
  /** The commit after the push, as reported by the sender. The sync always fetches the current branch head. */
  readonly after: string | null
  readonly connectorInstanceIds: ReadonlyArray<ConnectorInstanceId>
  /** The syncs that it most recently queued. Several deliveries can share one sync. */
  readonly syncEventIds: ReadonlyArray<ConnectorSyncEventId>
  readonly redeliveryCount: number
  readonly receivedAt: Timestamp
  /** When the delivery was last processed. */
  readonly actedAt: Timestamp
}

/** The id of the webhook delivery. */
export type WebhookDeliveryId = string

export interface WebhookEndpoint {
  readonly id: WebhookEndpointId
  readonly organizationId: OrganizationId
  readonly name: string
  readonly url: string
  /** Types of events, or all types of a resource such as `plugin.*`. Empty for all types that it can see. */
  readonly types: ReadonlyArray<string>
  /** What the endpoint can see: the events of resources with these read permissions. */
  readonly permissions: ReadonlyArray<Permission>
  /** `ordered`: an event is sent only after the previous one was delivered. `parallel`: up to 8 events are sent at a time, and a failed one does not delay the others. */
  readonly ordering: WebhookOrdering
  /** `hmac`: HMAC-SHA256 with a shared secret (`v1`). `ed25519`: a signature that receivers verify with the public key (`v1a`). */
  readonly signature: WebhookSignature
  /** For `ed25519`: the public key, `whpk_` and base64. Null for `hmac`. */
  readonly publicKey: string | null
  /** Until when deliveries are also signed with the secret or key before the last rotation. */
  readonly previousSecretUntil: Timestamp | null
  readonly state: WebhookEndpointState
  readonly pauseReason: WebhookPauseReason | null
  /** The sequence number of the last event that was queued for delivery. */
  readonly position: number
  /** Deliveries that were not successful yet, up to 10,000 (1,000 in a list). */
  readonly pendingCount: number
  /** Since when every attempt has failed. Null if the last one was successful. */
  readonly failingSince: Timestamp | null
  readonly lastDeliveredAt: Timestamp | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly version: number
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** The id of the webhook endpoint. */
export type WebhookEndpointId = string

/** `active`: events are sent. `paused`: events wait, and are sent after `resume`. `disabled`: the URL returned 410; `resume` activates it again. */
export type WebhookEndpointState = "active" | "paused" | "disabled"

export interface WebhookEndpointWithSecret {
  readonly item: WebhookEndpoint
  /** For `hmac`: `whsec_` and base64. Returned only in this response. Null for `ed25519`. */
  readonly secret: string | null
}

/** Only deliveries of this event. */
export type WebhookEvent = "push" | "create" | "delete" | "installation" | "installation_repositories" | "repository" | "ping"

export interface WebhookIgnored {
  readonly ok: true
  readonly accepted: false
  readonly reason: WebhookIgnoredReason
}

/** `event_ignored`: the event type has no effect. `installation_unknown`: the installation is not connected. `target_unknown`: no target uses that repository or branch. */
export type WebhookIgnoredReason = "event_ignored" | "installation_unknown" | "target_unknown"

export interface WebhookMessage {
  readonly id: WebhookMessageId
  readonly webhookEndpointId: WebhookEndpointId
  /** Null for a test. */
  readonly eventId: AuditEventId | null
  readonly sequence: number | null
  readonly type: EventType | "webhook.test"
  /** `pending`: it is sent or retried at `nextAttemptAt`. `failed`: every attempt failed for 3 days. `skipped`: while it was pending, the endpoint was resumed with `skip` or lost a permission. */
  readonly state: "pending" | "delivered" | "failed" | "skipped"
  readonly attemptCount: number
  readonly nextAttemptAt: Timestamp | null
  readonly deliveredAt: Timestamp | null
  readonly createdAt: Timestamp
}

export interface WebhookMessageDetails {
  readonly id: WebhookMessageId
  readonly webhookEndpointId: WebhookEndpointId
  /** Null for a test. */
  readonly eventId: AuditEventId | null
  readonly sequence: number | null
  readonly type: EventType | "webhook.test"
  /** `pending`: it is sent or retried at `nextAttemptAt`. `failed`: every attempt failed for 3 days. `skipped`: while it was pending, the endpoint was resumed with `skip` or lost a permission. */
  readonly state: "pending" | "delivered" | "failed" | "skipped"
  readonly attemptCount: number
  readonly nextAttemptAt: Timestamp | null
  readonly deliveredAt: Timestamp | null
  readonly createdAt: Timestamp
  /** The exact body of every attempt. Null if the caller does not have every permission that the endpoint has had. */
  readonly body: string | null
  /** The latest attempts, at most 20, oldest first. */
  readonly attempts: ReadonlyArray<WebhookAttempt>
}

/** The id of the webhook message. */
export type WebhookMessageId = string

/** Default: `ordered`. */
export type WebhookOrdering = "ordered" | "parallel"

/** `manual`: a member or an API key paused it. `failing`: an event could not be delivered for 3 days. `gone`: the URL returned 410. */
export type WebhookPauseReason = "manual" | "failing" | "gone"

/** Default: `hmac`. Cannot be changed. */
export type WebhookSignature = "hmac" | "ed25519"

export type Weekday = "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday"

export interface WholeMemory {
  readonly id: MemoryId
  /** The organization in which it was saved. */
  readonly organizationId: OrganizationId
  readonly content: string
  readonly tags: ReadonlyArray<string>
  /** The source of the memory, set by the server: `chat`. */
  readonly source: string
  /** Always `user`: a memory is personal. */
  readonly scope: string
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly contexts: ReadonlyArray<SavedMemoryContext>
}

export interface WithdrawRelease {
  readonly pluginId: PluginId
  readonly digest: string
  /** The reason, for the maintainers of the plugin. */
  readonly comment: string
}

/** Why the member does not receive it. `waits_for_approval`: it is not approved yet. `rejected`: it was rejected or withdrawn. `scheduled`: its rollout has not started. `soaking`: an earlier ring has it. `waits_for_results`: the evidence that it fails reaches the threshold, but there are too few reports to pause its rollout. `waits_for_promotion`: the rollout must be promoted. `frozen`: a freeze applies. `paused`: the rollout is paused. `rolled_back`: it was rolled back. `pinned`: an assignment pins another release. */
export type WithheldBecause = "waits_for_approval" | "rejected" | "scheduled" | "soaking" | "waits_for_results" | "waits_for_promotion" | "frozen" | "paused" | "rolled_back" | "pinned"

export interface Worker {
  readonly id: string
  readonly orgId: string
  /** The owner of the worker. */
  readonly createdByUserId: string
  readonly isMine: boolean
  readonly name: string
  readonly description: string | null
  readonly destination: WorkerDestination
  readonly status: WorkerStatus
  /** Why it is not healthy, or the detail that the worker reported. */
  readonly statusReason: string | null
  /** As reported by the worker, like `workspacePath` and `sandboxBackend`. */
  readonly imageVersion: string | null
  readonly workspacePath: string | null
  readonly sandboxBackend: string | null
  readonly lastHeartbeatAt: Timestamp | null
  /** When it last reported activity. */
  readonly lastActiveAt: Timestamp | null
  readonly createdAt: Timestamp
  /** When the name, description or destination last changed. Heartbeats do not change it. */
  readonly updatedAt: Timestamp
}

export interface WorkerActivity {
  readonly id: WorkerActivityId
  readonly workerId: string
  readonly kind: string
  readonly message: string
  readonly sessionId: string | null
  /** According to the worker's clock. Default: `createdAt`. */
  readonly occurredAt: Timestamp
  readonly createdAt: Timestamp
}

/** The id of the worker activity. */
export type WorkerActivityId = string

/** `local`: the member starts it with the worker's own token. `cloud`: this server's provisioner starts it. */
export type WorkerDestination = "local" | "cloud"

export interface WorkerHeartbeat {
  readonly imageVersion?: string | null | undefined
  readonly workspacePath?: string | null | undefined
  readonly sandboxBackend?: string | null | undefined
  /** The state of the worker, shown as `statusReason`. */
  readonly detail?: string | null | undefined
  /** Set to `true` when the worker is stopping, so that missed heartbeats do not count as a failure. */
  readonly stopping?: boolean | undefined
}

/** The id of the worker. */
export type WorkerId = string

export interface WorkerInstance {
  readonly provider: string
  readonly region: string
  /** The URL of its runtime, set by the provisioner. Null if there is none. */
  readonly url: string | null
  readonly status: "starting" | "running" | "stopping" | "stopped" | "failed"
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** The id of the worker. An unknown id returns 404. */
export type WorkerPathId = string

/** `provisioning`: it has not sent a heartbeat yet, or its runtime is being restarted. `failed`: its runtime could not be started or keeps exiting, or it missed three heartbeats; the next heartbeat makes it `healthy` again. `stopped`: it reported that it is stopping, or its owner left the organization. */
export type WorkerStatus = "provisioning" | "healthy" | "failed" | "stopped"

export interface WorkerToken {
  readonly id: WorkerTokenId
  readonly workerId: string
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
}

/** The id of the worker token. */
export type WorkerTokenId = string

/** Every value of `error` in a response, which is the `code` of an `OrgplaneError`. */
export type ErrorCode =
  | "api_key_not_found"
  | "approver_took_part"
  | "assignment_not_found"
  | "claim_not_found"
  | "codehost_api_error"
  | "codehost_not_configured"
  | "config_object_archived"
  | "config_object_grant_not_found"
  | "config_object_not_found"
  | "config_object_version_not_found"
  | "configuration_busy"
  | "configuration_key_taken"
  | "configuration_run_not_found"
  | "configuration_run_not_held"
  | "configuration_source_disabled"
  | "configuration_source_not_found"
  | "configuration_too_large"
  | "connection_not_found"
  | "connection_not_ready"
  | "connector_account_exists"
  | "connector_account_in_use"
  | "connector_account_not_found"
  | "connector_instance_disabled"
  | "connector_instance_exists"
  | "connector_instance_grant_not_found"
  | "connector_instance_not_found"
  | "connector_mapping_exists"
  | "connector_mapping_not_found"
  | "connector_sync_event_not_found"
  | "connector_target_exists"
  | "connector_target_not_found"
  | "content_gone"
  | "delivery_mode_auto"
  | "desktop_policy_exists"
  | "desktop_policy_not_found"
  | "device_not_found"
  | "discovery_in_progress"
  | "domain_exists"
  | "domain_not_found"
  | "enterprise_plan_required"
  | "event_not_found"
  | "event_stream_not_found"
  | "events_expired"
  | "grant_not_found"
  | "idempotency_key_completed"
  | "idempotency_key_in_use"
  | "idempotency_key_reused"
  | "installation_taken"
  | "internal_error"
  | "invalid_payload"
  | "invalid_request"
  | "invalid_signature"
  | "invitation_not_found"
  | "invitation_not_pending"
  | "llm_credential_not_found"
  | "llm_provider_exists"
  | "llm_provider_grant_not_found"
  | "llm_provider_not_found"
  | "marketplace_grant_not_found"
  | "marketplace_link_not_found"
  | "marketplace_membership_not_found"
  | "marketplace_not_found"
  | "mcp_connection_exists"
  | "mcp_connection_grant_not_found"
  | "mcp_review_not_found"
  | "mcp_server_error"
  | "member_exists"
  | "member_not_found"
  | "memory_not_found"
  | "model_catalog_not_configured"
  | "needs_connection"
  | "object_not_found"
  | "organization_not_found"
  | "payload_too_large"
  | "plan_digest_mismatch"
  | "plan_digest_required"
  | "plugin_archive_not_found"
  | "plugin_archive_refused"
  | "plugin_archive_too_large"
  | "plugin_choice_fixed"
  | "plugin_grant_not_found"
  | "plugin_membership_not_found"
  | "plugin_not_found"
  | "plugin_release_not_found"
  | "precondition_failed"
  | "provisioner_unavailable"
  | "quota_exceeded"
  | "rate_limited"
  | "release_digest_mismatch"
  | "release_not_approved"
  | "release_not_pending"
  | "release_not_stored"
  | "release_served"
  | "repositories_not_listed"
  | "repository_empty"
  | "role_exists"
  | "role_in_use"
  | "role_not_found"
  | "rollout_ended"
  | "rollout_not_found"
  | "rollout_not_paused"
  | "rollout_not_revertible"
  | "rollout_paused"
  | "rollout_ring_changed"
  | "rollout_started"
  | "scim_directory_not_found"
  | "scim_group_not_found"
  | "scim_hold_not_found"
  | "scim_hold_not_pending"
  | "scim_token_not_found"
  | "session_not_found"
  | "sso_connection_not_found"
  | "sso_enforced"
  | "sso_not_enabled"
  | "sso_not_tested"
  | "sso_provider_failed"
  | "stale_revision"
  | "suite_a_api_error"
  | "suite_b_api_error"
  | "suite_not_configured"
  | "sync_not_failed"
  | "sync_not_held"
  | "team_exists"
  | "team_not_found"
  | "template_exists"
  | "template_not_found"
  | "template_version_not_found"
  | "tool_execution_failed"
  | "unauthorized"
  | "unavailable"
  | "webhook_delivery_not_found"
  | "webhook_endpoint_not_found"
  | "webhook_message_not_found"
  | "webhook_secret_missing"
  | "worker_not_found"
  | "worker_provided"
  | "worker_runtime_error"
  | "worker_runtime_unavailable"
  | "worker_token_not_found"

/** The reason for a 403 response: the `reason` of a `ForbiddenError`. */
export type ForbiddenReason =
  | "permission_required"
  | "owner_required"
  | "session_required"
  | "grant_required"
  | "not_creator"
  | "last_owner"
  | "exceeds_own_permissions"
  | "email_not_verified"
  | "email_mismatch"
  | "managed_by_scim"
  | "managed_by_connector"
  | "managed_by_configuration"
  | "policy_blocked"
  | "tool_review_required"
  | "sso_required"
  | "provisional_organization"
