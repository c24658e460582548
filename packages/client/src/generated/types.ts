// Written by `pnpm codegen`; change the contract instead.
/** Any JSON value. */
export type Json = null | string | number | boolean | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Identifies one API key. */
export type APIKeyId = string

export interface AcceptClaim {
  readonly token: string
  /** With an owner's claim: what the agent made is from now on managed by an API key with these permissions, answered this once. */
  readonly keepAgent?: {
    readonly name?: string | undefined
    readonly permissions: ReadonlyArray<Permission>
  } | undefined
}

export interface AcceptedClaim {
  readonly ok: true
  readonly organization: Organization
  readonly member: Member
  /** The agent's, where `keepAgent` asked for it. */
  readonly apiKey: ApiKey | null
  /** Its secret, shown this once. */
  readonly key: string | null
}

export interface AccessExplanation {
  readonly allowed: boolean
  /** The highest of all paths; null without one. */
  readonly level: GrantRole | null
  readonly needed: GrantRole
  /** Highest first; at most fifty. */
  readonly paths: ReadonlyArray<AccessPath>
  /** The link that would be needed, in a sentence. */
  readonly missing: string | null
}

export interface AccessImpact {
  readonly grantId: string
}

export interface AccessImpactResult {
  readonly grantId: string
  /** Members who would lose or lower access to the object. */
  readonly memberCount: number
  /** The first five hundred. */
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
  /** Whether there may be more: beyond five hundred losses, or two thousand things in the object. */
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
  /** In UTC: `2026-03-01`. */
  readonly day: string
  readonly activeUsers: number
  readonly realActiveUsers: number
  readonly signups: number
}

export interface AddMember {
  /** The host application's own name for the person. */
  readonly subject?: string | undefined
  /** An address in a domain that the organization has verified. */
  readonly email?: string | undefined
  readonly role?: RoleName | undefined
}

export interface AddObject {
  readonly configObjectId: ConfigObjectId
}

export interface AddPlugin {
  readonly pluginId: PluginId
}

export interface AdminMetrics {
  /** People who are members now; of the whole installation, everybody who is not removed. */
  readonly totalUsers: number
  readonly totalOrganizations: number
  /** Those who have proved their e-mail address. */
  readonly verifiedUsers: number
  /** Those who joined today or in the six days before. */
  readonly recentUsers7d: number
  readonly recentUsers30d: number
  /** Workers that are not removed: cloud and local together. */
  readonly totalWorkers: number
  readonly cloudWorkers: number
  readonly localWorkers: number
  /** Those who made a worker that is there. */
  readonly usersWithWorkers: number
  readonly usersWithoutWorkers: number
  readonly paidUsers: number
  readonly unpaidUsers: number
  /** Everybody, while nothing tells about billing. */
  readonly billingUnavailableUsers: number
  /** Those who are an owner or an admin. */
  readonly adminCount: number
  /** Those with an authenticated session request or an accepted event today; 7d and 30d with the days before. */
  readonly activeUsers1d: number
  readonly activeUsers7d: number
  readonly activeUsers30d: number
  /** Those who changed something, or had an event `task.*`. */
  readonly realActiveUsers1d: number
  readonly realActiveUsers7d: number
  readonly realActiveUsers30d: number
  /** Those active on at least two of the 30 days. */
  readonly recurringUsers: number
  /** Those who invited somebody in the 30 days. */
  readonly inviters: number
  /** From joining to the first invitation, of those who ever invited; null when nobody has. */
  readonly medianHoursToFirstInvite: number | null
  /** Whether something tells about billing; nothing does yet. */
  readonly billingLoaded: boolean
  /** Thirty days in UTC, today the last. */
  readonly activitySeries: ReadonlyArray<ActivityDay>
}

export interface AdminOverview {
  readonly members: number
  readonly admins: number
  readonly teams: number
  /** Neither revoked nor expired. */
  readonly apiKeys: number
  readonly plugins: number
  readonly configObjects: number
  readonly marketplaces: number
  readonly connectorInstances: number
  readonly mcpConnections: number
  readonly workers: number
  readonly pendingInvitations: number
  /** Branches whose last sync failed, was partial, or waits for approval. */
  readonly syncsInTrouble: number
  /** MCP connections that changed and wait for a review, or whose shared credential is missing or no longer good. */
  readonly connectionsNeedingAttention: number
  /** The latest, at most 10. */
  readonly syncTroubles: ReadonlyArray<SyncTrouble>
  /** At most 10. */
  readonly connectionTroubles: ReadonlyArray<ConnectionTrouble>
  /** The latest of the audit, at most 10. */
  readonly recentChanges: ReadonlyArray<AuditEvent>
}

export interface Adoption {
  readonly from: UtcDay
  readonly to: UtcDay
  readonly interval: "day" | "week"
  /** Members there are now: of the organization, or of the team asked for. */
  readonly members: number
  /** Those of them with an accepted event in the whole time. */
  readonly activeMembers: number
  readonly newMembers: number
  readonly returningMembers: number
  readonly series: ReadonlyArray<AdoptionStep>
  readonly bySource: ReadonlyArray<{
    readonly source: "app" | "worker"
    readonly activeMembers: number
  }>
  /** The teams with the most active members; at most 100. Who is in several counts in each. */
  readonly byTeam: ReadonlyArray<{
    readonly teamId: TeamId
    readonly name: string
    readonly members: number
    readonly activeMembers: number
  }>
  /** What most members use, of the `dimensionType` asked for; at most 100. Empty without one. */
  readonly byDimension: ReadonlyArray<{
    readonly value: string
    readonly label: string | null
    /** Members with an event that had the value. */
    readonly activeMembers: number
    /** Their events that had it. */
    readonly events: number
  }>
}

export interface AdoptionStep {
  /** The day, or the Monday of the week. */
  readonly start: UtcDay
  /** Members with an accepted event in it. */
  readonly activeMembers: number
  /** Those of them whose first event of all lies in it. */
  readonly newMembers: number
  /** Those of them who had an event before it. */
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
  /** Of all events that fit, whatever they are grouped by: no sum of the groups. */
  readonly total: number | null
  /** The same for each of `steps`. */
  readonly values: ReadonlyArray<number | null>
  /** How many groups there are; the largest of them are in `series`. */
  readonly groups: number
  readonly series: ReadonlyArray<AnalyticsSeries>
}

export interface AnalyticsSeries {
  /** What the group is: a type, source, team, membership or value; null for events that are of none. */
  readonly key: string | null
  /** What people call it. */
  readonly label: string | null
  /** Null where there is nothing to divide, or no duration. */
  readonly total: number | null
  /** One for each of `steps`. */
  readonly values: ReadonlyArray<number | null>
}

export interface ApiKey {
  readonly id: APIKeyId
  readonly organizationId: OrganizationId
  readonly name: string
  /** The first characters of the key, to recognise it by. */
  readonly hint: string
  readonly permissions: ReadonlyArray<Permission>
  readonly requestsPerMinute: number
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly expiresAt: Timestamp | null
  /** To the hour. */
  readonly lastUsedAt: Timestamp | null
  /** Until then the key before the last rotation still works. */
  readonly previousUsableUntil: Timestamp | null
  readonly revokedAt: Timestamp | null
}

export interface ApiKeyWithSecret {
  readonly apiKey: ApiKey
  /** Shown this once. */
  readonly key: string
}

export interface ApplyDiscovery {
  readonly selectedKeys: ReadonlyArray<string>
  /** Import plugins that appear later without being asked; what is imported is kept in step either way. */
  readonly autoImportNewPlugins: boolean
  /** Where the plugins are listed; a marketplace of their own unless told. */
  readonly marketplaceId?: MarketplaceId | undefined
  /** `orgWide` lets every member see the marketplace; `private`, the default, only who is granted. */
  readonly share?: "private" | "orgWide" | undefined
  /** Which branch, when the instance has several; the first one unless told. */
  readonly connectorTargetId?: ConnectorTargetId | undefined
  /** Of the plan that was looked at: nothing is applied when it would do anything else by now. */
  readonly planDigest?: string | undefined
}

/** Default: tar.gz. */
export type ArchiveFormat = "zip" | "tar.gz"

export interface AttachPlugin {
  readonly pluginId: PluginId
}

export interface AuditCheckpoint {
  readonly sequence: number
  /** Of everything up to the sequence, in hex. */
  readonly hash: string
  /** Which of `GET /v1/keys` signed it. */
  readonly keyId: string
  /** Ed25519 over `<organizationId>.<sequence>.<hash>`, base64url. */
  readonly signature: string
  readonly createdAt: Timestamp
}

/** Texts of people are never in it: only their digest and length. */
export interface AuditEvent {
  /** Identifies one audit event. */
  readonly id: AuditEventId
  readonly organizationId: OrganizationId | null
  /** Place in the sealed order; null until it is sealed. */
  readonly sequence: number | null
  /** `<thing>.<verb>` */
  readonly action: string
  readonly actorKind: "session" | "key" | "worker" | "directory" | "platform" | "system" | "anonymous"
  /** The membership, key, worker or user; null for the system and for nobody known. */
  readonly actorId: string | null
  readonly targetId: string | null
  readonly requestId: string | null
  readonly address: string | null
  readonly userAgent: string | null
  readonly before: JsonObject | null
  readonly after: JsonObject | null
  readonly createdAt: Timestamp
}

/** Ascending, from the event after this one: for a tail. */
export type AuditEventId = string

export interface AuditVerification {
  readonly valid: boolean
  readonly eventCount: number
  readonly sealedThrough: number | null
  readonly firstInvalidSequence: number | null
  readonly reason: string | null
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
  /** A moment with its offset, or a day. */
  readonly start: string
  /** A moment with its offset, or a day. */
  readonly end: string
  /** Null while the event has none. */
  readonly meetLink: string | null
}

export interface CallMcpTool {
  readonly toolName: string
  readonly arguments: { readonly [key: string]: Json }
}

export interface CapabilityConnection {
  readonly suite: Suite
  /** The operator has set the suite up; nobody can connect before. */
  readonly configured: boolean
  readonly status: "not_connected" | "ready" | "reconnect_required"
  readonly statusReason: string | null
  /** What the person has allowed. */
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
  /** Null where the catalogue does not say. */
  readonly cost: LlmModelCost | null
  readonly contextLimit: number | null
  readonly outputLimit: number | null
  /** As 2026-11 or 2026-11-22. */
  readonly releaseDate: string | null
  /** As `alpha`, `beta`, `deprecated`; null of a usual one. */
  readonly lifecycle: string | null
}

export interface CatalogModelPage {
  readonly items: ReadonlyArray<CatalogModel>
  readonly nextCursor: string | null
  /** When the catalogue's address last said that it is so. */
  readonly generatedAt: Timestamp
  /** That was more than an hour ago: its address cannot be reached, or answers nothing of use. */
  readonly stale: boolean
}

export interface CatalogProvider {
  readonly id: string
  readonly name: string
  readonly apiFormat: LlmApiFormat
  /** Null where it has to be told, or its library knows it. */
  readonly baseUrl: string | null
  readonly env: ReadonlyArray<string>
  readonly npm: string | null
  readonly docUrl: string | null
  readonly modelCount: number
}

export interface CatalogProviderPage {
  readonly items: ReadonlyArray<CatalogProvider>
  readonly nextCursor: string | null
  /** When the catalogue's address last said that it is so. */
  readonly generatedAt: Timestamp
  /** That was more than an hour ago: its address cannot be reached, or answers nothing of use. */
  readonly stale: boolean
}

export interface ClaimLink {
  readonly id: InvitationId
  readonly role: ClaimRole
  readonly token: string
  /** For the person; the token is in its fragment and reaches no log. */
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
  readonly token: string
}

export interface CloudReadiness {
  readonly state: "ready" | "needs_signin" | "needs_admin_setup" | "desktop_only" | "not_synced"
  /** What to do to get it ready, in one sentence. */
  readonly nextAction: string | null
  /** Holds skills, agents, commands or context. */
  readonly hasInstructional: boolean
  readonly connections: ReadonlyArray<ReadinessConnection>
}

export interface CodehostBranch {
  readonly name: string
  /** The commit it points to. */
  readonly revision: string
}

export interface CodehostRepository {
  /** Its id at the host, which renames do not change: an instance's `remoteId`. */
  readonly id: string
  /** `owner/name`, as it is called now. */
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
  readonly state: string
  readonly code: string
  /** The issuer, where the browser brought one. */
  readonly iss?: string | undefined
}

export interface CompleteInstall {
  readonly state: string
  /** What the code host gave the browser: it proves who administers. */
  readonly code: string
  readonly installationId: string
}

export interface CompleteSso {
  readonly state: string
  /** What our callback gave the browser; good for two minutes, and once. */
  readonly code: string
  readonly codeVerifier: string
}

export interface CompleteSuiteConnect {
  readonly state: string
  readonly code: string
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

/** Identifies one config object access grant. */
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

/** Identifies one config object. */
export type ConfigObjectId = string

export interface ConfigObjectVersion {
  readonly id: ConfigObjectVersionId
  readonly configObjectId: ConfigObjectId
  /** 1 for the first version, then one more each. */
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

/** Identifies one config object version. */
export type ConfigObjectVersionId = string

export interface ConnectedLlmModel {
  readonly id: string
  readonly name: string
  /** Null where nobody has said. */
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
  /** `error`: the installation is suspended or gone at the host. */
  readonly status: "active" | "error" | "disconnected"
  readonly statusReason: string | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** Identifies one connector account. */
export type ConnectorAccountId = string

export interface ConnectorConfiguration {
  readonly connectorInstance: ConnectorInstance
  readonly autoImportNewPlugins: boolean
  readonly targets: ReadonlyArray<ConnectorTargetConfiguration>
  /** The imported plugins that the caller can see, at most 1 000. */
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
  /** The repository: its normalised clone URL, or its id at the host. Of a path on the server only the last part, to callers who may not connect repositories. */
  readonly remoteId: string
  readonly name: string
  readonly status: "active" | "disabled" | "archived" | "error"
  readonly statusReason: string | null
  readonly instanceConfigJson: JsonObject
  readonly lastSyncedAt: Timestamp | null
  /** The revision last imported. */
  readonly lastSyncCursor: string | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** Identifies one connector instance access grant. */
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

/** Identifies one connector instance. */
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
  /** Made by imports. */
  readonly imported: number
  readonly byHand: number
  /** Config objects they feed. */
  readonly objects: number
}

/** Identifies one connector mapping. */
export type ConnectorMappingId = string

export interface ConnectorPlan {
  /** The same for the same work; `planDigest` of an apply. */
  readonly digest: string
  readonly connectorTargetId: ConnectorTargetId
  /** The commit that would be imported. */
  readonly revision: string
  /** The commit that is imported now. */
  readonly baseRevision: string | null
  readonly autoImportNewPlugins: boolean
  readonly added: ReadonlyArray<PlannedChange>
  readonly changed: ReadonlyArray<PlannedChange>
  readonly removed: ReadonlyArray<PlannedChange>
  /** What somebody should know first. None of them stops an apply. */
  readonly conflicts: ReadonlyArray<PlanConflict>
  readonly counts: {
    readonly added: PlanCounts
    readonly changed: PlanCounts
    readonly removed: PlanCounts
    readonly unchangedObjects: number
  }
  /** Whether a list was cut after 1 000 entries; counts and digest are of all. */
  readonly truncated: boolean
  readonly warnings: ReadonlyArray<string>
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
  /** New and changed files read, of how many; null before that is known. */
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

/** Identifies one connector sync event. */
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
  /** The revision last imported. */
  readonly lastSyncCursor: string | null
  /** Somebody rolled back to this revision: only a sync by hand imports another one. */
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

/** Identifies one connector target. */
export type ConnectorTargetId = string

export interface CreateApiKey {
  readonly name: string
  /** No more than the caller holds; none, no rights. */
  readonly permissions: ReadonlyArray<Permission>
  /** With an offset or Z; in the future. Never unless told. */
  readonly expiresAt?: string | null | undefined
  readonly requestsPerMinute?: number | undefined
}

export interface CreateConfigObject {
  readonly input: {
    readonly type: ObjectType
    /** `cloud` unless told; `connector` is refused, only a sync makes those. */
    readonly sourceMode?: SourceMode | undefined
    readonly rawSourceText?: string | undefined
    readonly normalizedPayloadJson?: { readonly [key: string]: Json } | undefined
    readonly parserMode?: string | undefined
    readonly schemaVersion?: string | undefined
    /** `title`, `description`, `fileName` and `relativePath` are used; the rest is not kept. */
    readonly metadata?: { readonly [key: string]: Json } | undefined
  }
  /** Plugins to put it in. */
  readonly pluginIds?: ReadonlyArray<PluginId> | undefined
}

export interface CreateConfigObjectVersion {
  /** The whole new content: what is not stated is not in it. */
  readonly input: {
    readonly rawSourceText?: string | undefined
    readonly normalizedPayloadJson?: { readonly [key: string]: Json } | undefined
    readonly parserMode?: string | undefined
    readonly schemaVersion?: string | undefined
    /** `title`, `description`, `fileName` and `relativePath` are used; the rest is not kept. */
    readonly metadata?: { readonly [key: string]: Json } | undefined
  }
}

export interface CreateConnectorAccount {
  readonly adapter: "git"
  /** The host's origin, as https://git.example. */
  readonly url: string
  /** The host's name unless told. */
  readonly name?: string | undefined
}

export interface CreateConnectorInstance {
  readonly connectorAccountId: ConnectorAccountId
  /** The repository: its id at the host, or its clone URL for plain git. */
  readonly remoteId: string
  /** The repository's default branch unless told. */
  readonly branch?: string | undefined
  /** Unique in the organization. */
  readonly name?: string | undefined
  readonly config?: { readonly [key: string]: Json } | undefined
}

export interface CreateConnectorMapping {
  /** A file or folder of the repository, as `skills/review`, or `.` for all of it. */
  readonly selector: string
  readonly objectType: ObjectType
  readonly pluginId?: PluginId | null | undefined
  /** Put what is found into the plugin; true when one is named. */
  readonly autoAddToPlugin?: boolean | undefined
}

export interface CreateConnectorTarget {
  readonly branch: string
}

export interface CreateDesktopPolicy {
  /** Unique in the organization, in any case of letters. */
  readonly policyName: string
  readonly policy: DesktopPolicySettingsInput
  /** The highest wins; 0 unless told. */
  readonly priority?: number | undefined
  /** true unless told. */
  readonly isEnabled?: boolean | undefined
  /** Members it applies to; without members and teams it applies to the whole organization. */
  readonly memberIds?: ReadonlyArray<OrganizationMembershipId> | undefined
  /** Teams whose members it applies to. */
  readonly teamIds?: ReadonlyArray<TeamId> | undefined
}

export interface CreateDomain {
  /** `acme.com`. Public suffixes and domains where anybody can have an address are refused. */
  readonly domain: string
}

export interface CreateGrant {
  readonly orgMembershipId?: OrganizationMembershipId | undefined
  readonly teamId?: TeamId | undefined
  readonly orgWide?: true | undefined
  readonly role: GrantRole
}

export interface CreateInvitation {
  readonly email: string
  /** `member` unless told; nothing the caller lacks. */
  readonly role?: RoleName | undefined
  readonly teamIds?: ReadonlyArray<TeamId> | undefined
  /** `false` answers the link instead of mailing it; needs `invitations:link`. */
  readonly send?: boolean | undefined
}

export interface CreateLlmProvider {
  /** Unique in the organization. */
  readonly name: string
  /** Of the catalogue; `custom` for an address of your own. */
  readonly providerId: string
  /** `shared` unless told. */
  readonly credentialMode?: LlmCredentialMode | undefined
  /** https; plain http only where the operator allows it. As `https://llm.example/v1`. */
  readonly baseUrl?: string | undefined
  readonly apiFormat?: LlmApiFormat | undefined
  readonly env?: ReadonlyArray<string> | undefined
  /** Null for all, as unless told. */
  readonly models?: EnableLlmModels | null | undefined
  /** At most sixteen, none of them secret. */
  readonly headers?: { readonly [key: string]: string } | undefined
  /** At most 16 KiB, nothing of it secret. */
  readonly options?: { readonly [key: string]: Json } | undefined
}

export interface CreateMailDraft {
  readonly to: ReadonlyArray<string>
  readonly subject: string
  /** Plain text. */
  readonly body: string
  readonly cc?: ReadonlyArray<string> | undefined
  readonly bcc?: ReadonlyArray<string> | undefined
}

export interface CreateMarketplace {
  readonly name: string
  readonly description?: string | null | undefined
  /** The https address of an image. */
  readonly logoUrl?: string | null | undefined
}

export interface CreateMarketplaceLink {
  /** A label for the link, such as the device that uses it. */
  readonly name: string
  /** The team whose access the link uses; requires a manager of the marketplace. Default: your own access. */
  readonly teamId?: TeamId | null | undefined
  /** When the link expires: a future time with an offset or Z. Default: the link does not expire. */
  readonly expiresAt?: string | null | undefined
}

export interface CreateMcpConnection {
  /** Unique in the organization. */
  readonly name: string
  /** https; plain http only where the operator allows it. */
  readonly url: string
  readonly presetId?: string | undefined
  readonly authType: McpAuthType
  /** `per_member` of OAuth and `shared` of the others, unless told. */
  readonly credentialMode?: McpCredentialMode | undefined
  readonly scopes?: ReadonlyArray<string> | null | undefined
  /** A client registered at the authorization server by hand. */
  readonly oauthClient?: McpOAuthClientInput | null | undefined
  /** `authorization` unless told. */
  readonly apiKeyHeader?: string | undefined
  /** `Bearer` unless told, none in a header of another name. */
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
  /** Unique in the organization; not the word of a built-in role. */
  readonly name: string
  readonly description?: string | null | undefined
  /** No more than the caller holds. */
  readonly permissions: ReadonlyArray<Permission>
}

export interface CreateScimDirectory {
  readonly name: string
  readonly provider?: ScimProvider | undefined
  readonly tokenExpiresAt?: Timestamp | null | undefined
}

export interface CreateTeam {
  /** Unique in the organization. */
  readonly name: string
  readonly description?: string | null | undefined
}

export interface CreateTemplate {
  /** Unique in the organization. */
  readonly name: string
  readonly description?: string | null | undefined
  readonly content: TemplateContentInput
}

export interface CreateTemplateVersion {
  /** The whole new content: what is not stated is not in it. */
  readonly content: TemplateContentInput
}

export interface CreateWorker {
  readonly name: string
  readonly description?: string | null | undefined
  readonly destination: WorkerDestination
}

export interface CreateWorkerToken {
  /** How long the worker's other tokens still work; unless told they are not touched. */
  readonly graceSeconds?: number | undefined
  /** When the token ends; never unless told. */
  readonly expiresInSeconds?: number | undefined
}

export interface CreateWorkspace {
  readonly workspaceName: string
  /** One claim link each; there is always one for an owner. */
  readonly claimRoles?: ReadonlyArray<ClaimRole> | undefined
  /** Only this address can use the owner's claim. */
  readonly ownerEmail?: string | undefined
}

export interface DecideMcpReview {
  /** Of the review: another one is 409 `stale_revision`. */
  readonly fingerprint: string
  readonly decision: "accept" | "reject"
}

export interface DesktopPolicy {
  readonly id: DesktopPolicyId
  readonly organizationId: OrganizationId
  readonly policyName: string
  readonly policy: DesktopPolicySettings
  /** The highest wins. */
  readonly priority: number
  readonly isEnabled: boolean
  readonly memberIds: ReadonlyArray<OrganizationMembershipId>
  readonly teamIds: ReadonlyArray<TeamId>
  readonly audience: DesktopPolicyAudience
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** `organization` without an assignment; `assigned` to its members and teams; `nobody` once all that it was assigned to are gone: it does not widen by itself. */
export type DesktopPolicyAudience = "organization" | "assigned" | "nobody"

/** Identifies one desktop policy. */
export type DesktopPolicyId = string

/** The first of the rules that tells a policy from the winner: a higher priority; a closer assignment (member, team, organization); an older policy; the smaller id. */
export type DesktopPolicyLostBy = "priority" | "specificity" | "age" | "id"

/** What decided: no policy states it; only one does; or the rule that the next best of the others lost by. */
export type DesktopPolicyRule = "unstated" | "only" | "priority" | "specificity" | "age" | "id"

export interface DesktopPolicySettings {
  /** Whether people may add model providers of their own. */
  readonly allowCustomProviders: boolean | null
  /** Whether the partner's models may be chosen. */
  readonly allowPartnerModel: boolean | null
  /** Whether more than one workspace may be open. */
  readonly allowMultipleWorkspaces: boolean | null
  /** Whether people may change the app's own settings. */
  readonly allowControlSettings: boolean | null
  /** Whether people may install and remove extensions. */
  readonly allowManageExtensions: boolean | null
  /** Whether the extensions that come with the app run. */
  readonly allowBuiltInExtensions: boolean | null
  /** Whether the app may update to alpha releases. */
  readonly allowAlphaUpdates: boolean | null
  /** Whether the app opens with its welcome page. */
  readonly showWelcomePage: boolean | null
  readonly onboardingPrompts: ReadonlyArray<string> | null
  readonly onboardingPromptDescriptions: ReadonlyArray<string> | null
}

/** What is absent or null is not stated, which leaves it to other policies. */
export interface DesktopPolicySettingsInput {
  /** Whether people may add model providers of their own. */
  readonly allowCustomProviders?: boolean | null | undefined
  /** Whether the partner's models may be chosen. */
  readonly allowPartnerModel?: boolean | null | undefined
  /** Whether more than one workspace may be open. */
  readonly allowMultipleWorkspaces?: boolean | null | undefined
  /** Whether people may change the app's own settings. */
  readonly allowControlSettings?: boolean | null | undefined
  /** Whether people may install and remove extensions. */
  readonly allowManageExtensions?: boolean | null | undefined
  /** Whether the extensions that come with the app run. */
  readonly allowBuiltInExtensions?: boolean | null | undefined
  /** Whether the app may update to alpha releases. */
  readonly allowAlphaUpdates?: boolean | null | undefined
  /** Whether the app opens with its welcome page. */
  readonly showWelcomePage?: boolean | null | undefined
  /** At most three, offered to who opens the app for the first time; [] states that there are none. */
  readonly onboardingPrompts?: ReadonlyArray<string> | null | undefined
  /** One for each prompt, in their order; all empty when absent. */
  readonly onboardingPromptDescriptions?: ReadonlyArray<string> | null | undefined
}

export interface DesktopPolicySimulation {
  /** Members for whom something would be different. */
  readonly memberCount: number
  /** Settings of members that would have another value. */
  readonly changeCount: number
  /** Those that would have another value for somebody. */
  readonly settings: ReadonlyArray<{
    readonly setting: DesktopSetting
    readonly memberCount: number
    /** Of a switch: for how many members. */
    readonly turnedOn: number | null
    readonly turnedOff: number | null
  }>
  /** By member and setting; the first 500. Where only the winner would be another, nothing changes. */
  readonly changes: ReadonlyArray<DesktopSettingChange>
  /** Whether there are more changes than these. */
  readonly truncated: boolean
}

export interface DesktopPolicySource {
  /** null: the policy that a simulation would create. */
  readonly id: DesktopPolicyId | null
  /** null where the caller may not read desktop policies. */
  readonly policyName: string | null
  readonly priority: number
  readonly through: DesktopPolicyThrough
  readonly createdAt: Timestamp | null
}

/** The closest way by which a policy applies to a member. */
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
  /** null: no policy states it. */
  readonly winner: DesktopPolicySource | null
}

export interface DesktopSettingExplanation {
  readonly setting: DesktopSetting
  readonly value: DesktopSettingValue
  readonly rule: DesktopPolicyRule
  readonly winner: DesktopPolicySource | null
  /** The others that state it and apply, best first; the first 20. */
  readonly losers: ReadonlyArray<{
    /** null: the policy that a simulation would create. */
    readonly id: DesktopPolicyId | null
    /** null where the caller may not read desktop policies. */
    readonly policyName: string | null
    readonly priority: number
    readonly through: DesktopPolicyThrough
    readonly createdAt: Timestamp | null
    readonly value: DesktopSettingValue
    readonly lostBy: DesktopPolicyLostBy
  }>
  readonly loserCount: number
}

/** Of a switch, or the prompts. */
export type DesktopSettingValue = boolean | ReadonlyArray<DesktopPrompt>

export interface DiscoveredPlugin {
  /** Names the candidate in apply; stable while its manifest entry is. */
  readonly key: string
  /** Folder in the repository; empty for its root. */
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
  /** The commit that was read. */
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
  /** In ASCII and lower case: `xn--…` where it has other letters. */
  readonly domain: string
  /** `lapsed`: it was verified, and its record was missing at two checks a day apart; nobody new comes in by it until it is verified again. */
  readonly status: "pending" | "verified" | "lapsed"
  readonly verification: {
    readonly type: "TXT"
    /** Where the record stands; at the domain itself is as good. */
    readonly name: string
    readonly value: string
  }
  readonly verifiedAt: Timestamp | null
  readonly lastCheckedAt: Timestamp | null
  /** What the last check found wrong; null when it held. */
  readonly failure: DomainFailure | null
  /** Since when the record of a verified domain is missing or another; a check that finds it so 24 hours later lapses the domain. A name server that does not answer counts for nothing. */
  readonly failingSince: Timestamp | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** `dns_unavailable`: the name servers gave no answer that says anything; `record_missing`: there is no TXT record of ours; `record_mismatch`: there is one with another value; `domain_taken`: another organization has proved the domain. */
export type DomainFailure = "dns_unavailable" | "record_missing" | "record_mismatch" | "domain_taken"

/** Identifies one domain. */
export type DomainId = string

export interface EffectiveDesktopPolicy {
  /** Whether people may add model providers of their own. */
  readonly allowCustomProviders: boolean
  /** Whether the partner's models may be chosen. */
  readonly allowPartnerModel: boolean
  /** Whether more than one workspace may be open. */
  readonly allowMultipleWorkspaces: boolean
  /** Whether people may change the app's own settings. */
  readonly allowControlSettings: boolean
  /** Whether people may install and remove extensions. */
  readonly allowManageExtensions: boolean
  /** Whether the extensions that come with the app run. */
  readonly allowBuiltInExtensions: boolean
  /** Whether the app may update to alpha releases. */
  readonly allowAlphaUpdates: boolean
  /** Whether the app opens with its welcome page. */
  readonly showWelcomePage: boolean
  readonly onboardingPrompts: ReadonlyArray<string>
  /** One for each prompt. */
  readonly onboardingPromptDescriptions: ReadonlyArray<string>
}

export interface EffectiveDesktopPolicyAnswer {
  readonly desktopPolicy: EffectiveDesktopPolicy
  /** Every setting, with what decided it; null unless asked for. */
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
  /** As the provider calls it. */
  readonly id: string
  /** As people are shown it; null: as the catalogue says. */
  readonly label: string | null
  readonly capabilities: ReadonlyArray<LlmCapability> | null
  /** Tokens that fit into a request with its answer; null: what the catalogue says. */
  readonly contextLimit: number | null
  /** Tokens of an answer; null: what the catalogue says. */
  readonly outputLimit: number | null
}

export interface EnforceSso {
  /** Owners who may still sign in by a mailed code when the identity provider is away. */
  readonly breakGlass: ReadonlyArray<OrganizationMembershipId>
}

export interface ExchangeSession {
  readonly subject?: string | undefined
  readonly orgMembershipId?: OrganizationMembershipId | undefined
  /** 3600 unless told. */
  readonly expiresInSeconds?: number | undefined
}

export interface ExplainAccess {
  /** Whom; the caller unless told. */
  readonly orgMembershipId?: OrganizationMembershipId | undefined
  readonly object: {
    readonly kind: GrantedObjectKind
    readonly id: string
  }
  readonly action: "view" | "edit" | "manage"
}

/** Identifies one external MCP connection. */
export type ExternalMCPConnectionId = string

export interface FoundMemory {
  readonly id: MemoryId
  /** Where it was saved. */
  readonly organizationId: OrganizationId
  readonly content: string
  readonly tags: ReadonlyArray<string>
  /** What saved it, as the server knows it: `chat`. */
  readonly source: string
  /** Always `user`: a memory is its person's alone. */
  readonly scope: string
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  /** How much of the question the memory answers, from 0 to 1. Comparable within one search only. */
  readonly score: number
}

/** viewer sees, editor changes the content, manager decides about grants and removal. */
export type GrantRole = "viewer" | "editor" | "manager"

export type GrantedObjectKind = "connectorInstance" | "configObject" | "plugin" | "marketplace" | "mcpConnection" | "llmProvider"

export interface Health {
  readonly status: "ok"
}

export interface IngestTelemetry {
  /** 1 to 50 events. Each event is validated separately: an event that is not a valid `TelemetryEvent` is dropped or stored without its invalid members, and the response is 204. */
  readonly events: ReadonlyArray<TelemetryEvent>
}

export interface InspectedBody {
  /** At most 512 KiB, with secrets taken out. */
  readonly text: string
  /** Of the whole body. */
  readonly bytes: number
  readonly truncated: boolean
  /** There was none, or it is no text. */
  readonly unavailable: boolean
}

export interface InspectedHeader {
  readonly name: string
  readonly value: string
  readonly redacted: boolean
}

export interface InstantiateTemplate {
  /** The latest version unless told. */
  readonly versionId?: TemplateVersionId | undefined
  /** Of the plugin, instead of the template's. */
  readonly name?: string | undefined
  /** A value for each variable, by its name. They end up in texts that others read: a secret has no place here. */
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

/** Identifies one invitation. */
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
  readonly token: string
}

export interface InvitationWithLink {
  readonly invitation: Invitation
  readonly link: InvitationLink | null
}

export type JsonObject = { readonly [key: string]: Json }

/** Identifies one LLM provider access grant. */
export type LLMProviderAccessGrantId = string

/** Identifies one LLM provider. */
export type LLMProviderId = string

export interface LibraryEntry {
  readonly kind: "plugin" | "configObject"
  readonly id: string
  readonly name: string
  /** The edge that lets the caller: the team, marketplace or plugin, or the grant itself; null for owners and admins. */
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
  /** A client has to be registered there by hand. */
  readonly requiresOAuthClient: boolean
  /** The day on which somebody looked, as 2026-11-22. */
  readonly checkedOn: string
}

/** How the provider is spoken to, and in which header its key goes: `authorization` with Bearer, `x-api-key`, `x-goog-api-key`, `api-key`. `other` is known to the provider's own library alone, and cannot be tested. */
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
  /** What may be used, with what the catalogue knows of it; null: all, and only the provider knows which. */
  readonly models: ReadonlyArray<ConnectedLlmModel> | null
  /** Null of a provider without credentials. */
  readonly credential: {
    readonly apiKey: string
    /** Everybody's with a grant; else the caller's own. */
    readonly shared: boolean
    /** Where the key goes; null of `other`. */
    readonly header: string | null
    /** The word before it, as `Bearer`. */
    readonly scheme: string | null
  } | null
}

/** One key that everybody with a grant uses, each member's own, or none at all. */
export type LlmCredentialMode = "shared" | "per_member" | "none"

export interface LlmModelCost {
  /** US dollars for a million tokens of a request. */
  readonly input: number | null
  /** US dollars for a million tokens of an answer. */
  readonly output: number | null
  /** US dollars for a million tokens read from a cache. */
  readonly cacheRead: number | null
  /** US dollars for a million tokens written to a cache. */
  readonly cacheWrite: number | null
}

export interface LlmProvider {
  readonly id: LLMProviderId
  readonly organizationId: OrganizationId
  readonly name: string
  /** Of the catalogue, or `custom`. */
  readonly providerId: string
  readonly apiFormat: LlmApiFormat
  /** What the paths of the format come after; null where the provider's library knows it. */
  readonly baseUrl: string | null
  /** Environment variables that its library reads a key from. */
  readonly env: ReadonlyArray<string>
  /** The package that speaks to it, by the catalogue. */
  readonly npm: string | null
  readonly docUrl: string | null
  /** Those that may be used; null for all that the provider has. */
  readonly models: ReadonlyArray<EnabledLlmModel> | null
  readonly credentialMode: LlmCredentialMode
  readonly status: LlmProviderStatus
  /** Why it is not ready, in one sentence. */
  readonly statusReason: string | null
  /** There is a key the caller would use: the shared one, or their own. Always of a provider without. */
  readonly connectedForMe: boolean
  /** Further headers of every request; none of them is secret. */
  readonly headers: { readonly [key: string]: string }
  /** For the library that speaks to it; nothing in it is secret. */
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

/** For the caller: there is no key yet that they would use; or there is one, or none is needed. */
export type LlmProviderStatus = "not_connected" | "ready"

export interface LlmProviderTest {
  readonly ok: boolean
  readonly category: "network" | "authentication" | "provider" | "protocol" | "configuration" | null
  readonly code: "destination_blocked" | "unreachable" | "timeout" | "too_many_redirects" | "busy" | "unauthorized" | "forbidden" | "not_found" | "rate_limited" | "server_error" | "http_error" | "unexpected_answer" | "answer_too_large" | "not_testable" | null
  /** What came of it and what to do, in words of ours. */
  readonly message: string
  readonly latencyMs: number
  /** The status that the provider answered. */
  readonly providerStatus: number | null
  /** How many models it listed; null without a list. */
  readonly modelsSeen: number | null
  /** Their ids, the first five hundred. */
  readonly models: ReadonlyArray<string>
  /** Models that are enabled and not on its list; null where that cannot be told. */
  readonly missingModels: ReadonlyArray<string> | null
}

/** Identifies one MCP connection access grant. */
export type MCPConnectionAccessGrantId = string

export interface MailMessage {
  readonly id: string
  readonly conversationId: string | null
  readonly subject: string
  /** Of a draft, what the suite says of it. */
  readonly receivedDateTime: string | null
  readonly preview: string
  readonly from: Mailbox | null
  readonly to: ReadonlyArray<Mailbox>
  readonly cc: ReadonlyArray<Mailbox>
  readonly webLink: string | null
  readonly hasAttachments: boolean
  readonly body: string
  /** `text`, as it was asked for; `html` where the suite gave that. */
  readonly bodyContentType: string
  /** The body is longer than 200 000 characters; these are the first. */
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
  /** Since when it is hidden from lists, and shows nobody its plugins. */
  readonly archivedAt: Timestamp | null
  readonly deletedAt: Timestamp | null
  /** The caller manages it and no connector drives it. */
  readonly canDelete: boolean
  readonly pluginCount: number
}

/** Identifies one marketplace access grant. */
export type MarketplaceAccessGrantId = string

export interface MarketplaceEntry {
  /** Kebab-case and unique in the marketplace. It does not change when the plugin is renamed, and is never reused for another plugin. */
  readonly name: string
  readonly displayName?: string | undefined
  readonly source: PluginArchiveSource
  readonly description?: string | undefined
  readonly version?: string | undefined
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

/** Identifies one marketplace. */
export type MarketplaceId = string

export interface MarketplaceLink {
  readonly id: MarketplaceLinkId
  readonly marketplaceId: MarketplaceId
  readonly name: string
  /** The member whose access the link uses; null for a team's link. */
  readonly orgMembershipId: OrganizationMembershipId | null
  /** The team whose access the link uses; null for a member's link. */
  readonly teamId: TeamId | null
  readonly createdByOrgMembershipId: OrganizationMembershipId
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
  /** Accurate to the hour. */
  readonly lastUsedAt: Timestamp | null
  readonly revokedAt: Timestamp | null
}

/** Identifies one marketplace link. */
export type MarketplaceLinkId = string

/** The token of a marketplace link. */
export type MarketplaceLinkToken = string

export interface MarketplaceLinkWithUrl {
  readonly id: MarketplaceLinkId
  readonly marketplaceId: MarketplaceId
  readonly name: string
  /** The member whose access the link uses; null for a team's link. */
  readonly orgMembershipId: OrganizationMembershipId | null
  /** The team whose access the link uses; null for a member's link. */
  readonly teamId: TeamId | null
  readonly createdByOrgMembershipId: OrganizationMembershipId
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
  /** Accurate to the hour. */
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

/** Identifies one marketplace to plugin membership. */
export type MarketplaceToPluginMembershipId = string

/** How the server knows its callers: OAuth 2.1, a key in a header, or not at all. */
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
  /** The address of this document. */
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
  /** The server's endpoint. */
  readonly url: string
  readonly presetId: string | null
  readonly authType: McpAuthType
  readonly credentialMode: McpCredentialMode
  readonly status: McpConnectionStatus
  /** Why it is not ready, in one sentence. */
  readonly statusReason: string | null
  /** There is a credential the caller would use: the shared one, or their own. Always of one without. */
  readonly connectedForMe: boolean
  /** Asked for when connecting by OAuth; null: those that the server says it needs. */
  readonly scopes: ReadonlyArray<string> | null
  /** Scopes that the server has required with 403 `insufficient_scope` since the caller's credential was connected. Connecting again requests them, unless `scopes` is set. */
  readonly missingScopes: ReadonlyArray<string>
  /** What we are to its authorization server; null before anybody has connected. */
  readonly oauthClient: {
    readonly clientId: string
    readonly registration: McpRegistrationMethod
    readonly hasSecret: boolean
  } | null
  /** Of `apikey`: the header that holds the key. */
  readonly apiKeyHeader: string | null
  /** Of `apikey`: the word before the key, as `Bearer`; null for none. */
  readonly apiKeyScheme: string | null
  /** SHA-256 of issuer, endpoints, scopes and tools as they were accepted; null before the first look. */
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

/** For the caller: no credential yet; usable; the credential no longer works; the server is not what was accepted, and somebody has to decide. */
export type McpConnectionStatus = "not_connected" | "ready" | "reconnect_required" | "review_required"

/** One credential that everybody with a grant uses, or each member's own. */
export type McpCredentialMode = "shared" | "per_member"

export interface McpDiagnostic {
  /** Finds the line in our log; holds nothing of the call. */
  readonly referenceId: string
  readonly category: "network" | "http" | "authentication" | "protocol" | "tool"
  readonly code: "destination_blocked" | "unreachable" | "timeout" | "too_many_redirects" | "busy" | "http_error" | "not_found" | "rate_limited" | "server_error" | "not_mcp" | "unauthorized" | "insufficient_scope" | "refresh_failed" | "authorization_server_invalid" | "invalid_message" | "id_mismatch" | "closed_early" | "unsupported_version" | "session_lost" | "json_rpc_error" | "response_too_large" | "tool_error" | "tool_not_found" | "invalid_arguments" | "input_required"
  readonly message: string
  readonly retryable: boolean
  /** What to do, in one sentence. */
  readonly operatorAction?: string | undefined
  /** With `insufficient_scope`: the scopes that the server requires. `connectUrl` is present when signing in again requests them. */
  readonly requiredScopes?: ReadonlyArray<string> | undefined
  /** The operation that connects again. */
  readonly connectUrl?: string | undefined
  /** Of our answer. */
  readonly httpStatus?: number | undefined
  /** The status that the server answered. */
  readonly providerStatus?: number | undefined
  readonly providerRequestId?: string | undefined
  readonly providerCode?: string | undefined
  readonly payloadBytes?: number | undefined
  readonly jsonRpcCode?: number | undefined
  readonly outbound?: {
    readonly origin: string
    /** SHA-256 of the path, 16 hex digits: a path may hold a secret. */
    readonly pathHash: string
  } | undefined
}

export interface McpDiscovery {
  readonly server: {
    readonly url: string
    /** Null where it tells nobody without a credential. */
    readonly protocolVersion: string | null
  }
  /** Null: it answers without a credential. */
  readonly authentication: {
    readonly authorizationServers: ReadonlyArray<McpAuthorizationServer>
    readonly requiredScopes: ReadonlyArray<string>
    readonly recommendedScopes: ReadonlyArray<string>
    readonly availableRegistrationMethods: ReadonlyArray<McpRegistrationMethod>
    readonly resource: string | null
    readonly protectedResourceMetadataUrl: string | null
  } | null
  /** Null where they cannot be seen without a credential; at most 100 are shown. */
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
  /** Of tools: which. */
  readonly name: string | null
  /** Of a changed tool: which of title, description, inputSchema and hints differ. */
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
    /** Values in its query are taken out. */
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
  /** Kept sealed; never answered. */
  readonly clientSecret?: string | undefined
}

export interface McpPreset {
  readonly presetId: string
  readonly displayName: string
  readonly description: string
  readonly url: string
  /** A client has to be registered there by hand. */
  readonly requiresOAuthClient: boolean
}

export type McpRegistrationMethod = "pre_registered" | "client_id_metadata_document" | "dynamic"

export interface McpResolution {
  readonly resolution: "preset" | "discovered" | "not_found"
  /** What was tried, in order, with what came of it: `https://mcp.example/mcp: 404`. */
  readonly attempted: ReadonlyArray<string>
  /** Why nothing was found. */
  readonly reason: string | null
  readonly preset?: McpPreset | undefined
  readonly match?: {
    readonly url: string
    readonly suggestedName: string
    readonly discovery: McpDiscovery
  } | undefined
}

export interface McpReview {
  /** Of the server as it is now: what a decision is about. */
  readonly fingerprint: string
  readonly acceptedFingerprint: string
  readonly detectedAt: Timestamp
  /** `reject` once somebody has refused it; what changed stays refused. */
  readonly decision: "reject" | null
  readonly changes: ReadonlyArray<McpDriftChange>
  /** There are more than the 500 that are shown. */
  readonly changesTruncated: boolean
}

export interface McpTool {
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  readonly inputSchema: JsonObject
  /** What the server says of it; nothing proves it. */
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

/** By the tool policy, or because the tool is not what was accepted. */
export type McpToolDecision = "allowed" | "denied" | "review_required"

export interface McpToolPage {
  readonly items: ReadonlyArray<McpTool>
  readonly nextCursor: string | null
  /** Of the server as it is now. */
  readonly fingerprint: string
  readonly checkedAt: Timestamp
}

export interface McpToolPolicy {
  /** What of the tools that neither list names: all, those that say they only read, or none. */
  readonly mode: "all" | "read_only" | "listed"
  readonly allowed: ReadonlyArray<string>
  /** Stronger than `allowed`. */
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

export interface Memory {
  readonly id: MemoryId
  /** Where it was saved. */
  readonly organizationId: OrganizationId
  readonly content: string
  readonly tags: ReadonlyArray<string>
  /** What saved it, as the server knows it: `chat`. */
  readonly source: string
  /** Always `user`: a memory is its person's alone. */
  readonly scope: string
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export interface MemoryContext {
  /** What was said; searched too. */
  readonly snippet: string
  readonly conversation_id?: string | undefined
  readonly message_id?: string | undefined
  readonly origin?: "active_conversation" | "searched_conversation" | undefined
}

/** Identifies one memory. */
export type MemoryId = string

export interface NewSession {
  readonly id: SessionId
  readonly token: string
  readonly expiresAt: Timestamp
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
}

/** What a config object is to an agent. */
export type ObjectType = "skill" | "agent" | "command" | "tool" | "mcp" | "hook" | "context" | "custom"

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

/** Identifies one organization. */
export type OrganizationId = string

/** Identifies one organization membership. */
export type OrganizationMembershipId = string

export interface PayloadChange {
  readonly op: "add" | "remove" | "replace"
  /** A JSON pointer (RFC 6901) into the payload. */
  readonly path: string
  /** `null` for `add`. */
  readonly before: Json | null
  /** `null` for `remove`. */
  readonly after: Json | null
}

export type Permission = "connectors:read" | "connectors:write" | "connectors:manage" | "configObjects:read" | "configObjects:write" | "configObjects:manage" | "plugins:read" | "plugins:write" | "plugins:manage" | "marketplaces:read" | "marketplaces:write" | "marketplaces:manage" | "desktopPolicies:read" | "desktopPolicies:write" | "desktopPolicies:manage" | "mcpConnections:read" | "mcpConnections:write" | "mcpConnections:manage" | "llmProviders:read" | "llmProviders:write" | "llmProviders:manage" | "templates:read" | "templates:write" | "templates:manage" | "workers:read" | "workers:write" | "workers:manage" | "telemetry:read" | "telemetry:write" | "telemetry:manage" | "organizations:read" | "organizations:write" | "organizations:manage" | "members:read" | "members:write" | "members:manage" | "teams:read" | "teams:write" | "teams:manage" | "roles:read" | "roles:write" | "roles:manage" | "invitations:read" | "invitations:write" | "invitations:manage" | "apiKeys:read" | "apiKeys:write" | "apiKeys:manage" | "sso:read" | "sso:write" | "sso:manage" | "scim:read" | "scim:write" | "scim:manage" | "webhooks:read" | "webhooks:write" | "webhooks:manage" | "mcp:resolve" | "mcp:call" | "sessions:mint" | "invitations:link" | "access:read" | "audit:read" | "analytics:read"

export interface PermissionEntry {
  readonly permission: Permission
  readonly description: string
  /** The built-in roles that hold it. */
  readonly roles: ReadonlyArray<"owner" | "admin" | "member">
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

export interface PlannedChange {
  /** A `file` is a file of a plugin that is not the source of a config object. */
  readonly kind: "marketplace" | "plugin" | "mapping" | "object" | "file"
  /** The plugin it belongs to, by its key. */
  readonly pluginKey: string | null
  /** Of a plugin or marketplace its name, else the selector or path. */
  readonly name: string
  /** The name, key or path before, when that is another. */
  readonly was: string | null
  readonly objectType: ObjectType | null
  /** Where in a manifest the object is written. */
  readonly pointer: string | null
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
  /** In UTC; null when no activity is kept. */
  readonly lastActiveDay: string | null
}

export interface PlatformUser {
  readonly id: UserId
  readonly name: string | null
  readonly email: string | null
  readonly emailVerified: boolean
  /** How many they are a member of. */
  readonly organizations: number
  /** In UTC; null when no activity is kept. */
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
  /** Since when it is hidden from lists and marketplaces, and shows nobody what is in it. */
  readonly archivedAt: Timestamp | null
  readonly deletedAt: Timestamp | null
  /** Config objects in it. */
  readonly memberCount: number
  /** Those the caller can see. */
  readonly marketplaces: ReadonlyArray<{
    readonly id: MarketplaceId
    readonly name: string
  }>
  readonly extension: PluginExtension | null
}

/** Identifies one plugin access grant. */
export type PluginAccessGrantId = string

export interface PluginArchiveSource {
  readonly source: "archive"
  readonly url: string
  readonly sha256: string
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

/** Identifies one plugin. */
export type PluginId = string

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

export interface PluginPlacement {
  readonly id: PluginToConfigObjectMembershipId
  readonly pluginId: PluginId
  readonly configObjectId: ConfigObjectId
  readonly connectorMappingId: ConnectorMappingId | null
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly removedAt: Timestamp | null
}

/** Identifies one plugin to config object membership. */
export type PluginToConfigObjectMembershipId = string

export interface PutOidc {
  /** `https://…`; its discovery document is read now. */
  readonly issuer: string
  readonly clientId: string
  /** Kept as it is when left out for the same issuer and client. */
  readonly clientSecret?: string | undefined
  /** `openid email profile` unless told. */
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly jit?: {
    readonly enabled: boolean
    /** `member` unless told; never `owner`. */
    readonly role?: RoleName | undefined
  } | undefined
}

export interface PutSaml {
  /** The identity provider's metadata, as XML. */
  readonly metadata?: string | undefined
  readonly idpEntityId?: string | undefined
  /** Where a browser is sent, by HTTP-Redirect. */
  readonly ssoUrl?: string | undefined
  /** PEM, or its base64 alone. Several at once let a certificate roll over. */
  readonly certificates?: ReadonlyArray<string> | undefined
  /** By which attributes address and name are told; the usual ones unless told. */
  readonly attributes?: {
    readonly email?: string | undefined
    readonly name?: string | undefined
  } | undefined
  readonly jit?: {
    readonly enabled: boolean
    /** `member` unless told; never `owner`. */
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
}

export interface ReportWorkerActivity {
  /** In the worker's own words, as `task.started`. */
  readonly kind: string
  readonly message: string
  readonly sessionId?: string | null | undefined
  /** Not older than a day and not ahead of this server's clock by more than five minutes. */
  readonly occurredAt?: string | undefined
}

export interface ResolveMcp {
  /** An address, a host, or the name of a product. */
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
  /** Since when it is hidden from lists and marketplaces, and shows nobody what is in it. */
  readonly archivedAt: Timestamp | null
  readonly deletedAt: Timestamp | null
  /** Config objects in it. */
  readonly memberCount: number
  /** Those the caller can see. */
  readonly marketplaces: ReadonlyArray<{
    readonly id: MarketplaceId
    readonly name: string
  }>
  readonly extension: PluginExtension | null
  readonly componentCounts: ComponentCounts
  readonly cloudReadiness: CloudReadiness
}

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

/** Identifies one role. */
export type RoleId = string

export type RoleName = "owner" | "admin" | "member" | RoleId

export interface RollbackConnector {
  /** A revision that this branch has published before. */
  readonly revision: string
  /** Which branch, when the instance has several; the first one unless told. */
  readonly connectorTargetId?: ConnectorTargetId | undefined
}

export interface RotateApiKey {
  /** How long the old key still works; 0 unless told. */
  readonly graceSeconds?: number | undefined
}

export interface RotateScimToken {
  /** How long the live tokens stay good beside the new one: 86400 unless told, 30 days at most. */
  readonly graceSeconds?: number | undefined
  readonly expiresAt?: Timestamp | null | undefined
}

/** Identifies one SCIM directory. */
export type SCIMDirectoryId = string

/** Identifies one group: the team it is. */
export type SCIMGroupId = string

/** The `id` of a group. */
export type SCIMGroupPathId = string

/** Identifies one SCIM hold. */
export type SCIMHoldId = string

/** Identifies one SCIM log entry. */
export type SCIMLogEntryId = string

/** Identifies one SCIM token. */
export type SCIMTokenId = string

/** Identifies one SCIM user. */
export type SCIMUserId = string

/** The `id` of a user. */
export type SCIMUserPathId = string

/** Identifies one SSO connection. */
export type SSOConnectionId = string

export interface SamlAnswer {
  readonly SAMLResponse?: string | undefined
  readonly RelayState?: string | undefined
}

export interface SamlCertificate {
  /** The fingerprint, in hexadecimal. */
  readonly sha256: string
  readonly subject: string
  readonly notBefore: Timestamp
  readonly notAfter: Timestamp
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
  /** What to remember, as the person confirmed it. */
  readonly content: string
  /** Words to find it by; the same tag twice is kept once. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** Where it was said. */
  readonly contexts?: ReadonlyArray<MemoryContext> | undefined
}

export interface SavedMemoryContext {
  readonly snippet: string
  readonly conversation_id: string | null
  readonly message_id: string | null
  readonly origin: "active_conversation" | "searched_conversation" | null
}

export interface ScimBulkResponse {
  readonly schemas: ReadonlyArray<string>
  /** In the order of the request, without those that were not tried. */
  readonly Operations: ReadonlyArray<{
    readonly method: "POST" | "PUT" | "PATCH" | "DELETE"
    readonly bulkId?: string | undefined
    /** Of the resource; not of one that was not made. */
    readonly location?: string | undefined
    /** Of the resource, once it was done. */
    readonly version?: string | undefined
    /** As the same request by itself is answered. */
    readonly status: string
    readonly response?: ScimError | undefined
  }>
}

export type ScimDecision = "read" | "created" | "updated" | "unchanged" | "deleted" | "held" | "refused"

/** Of members of a group only those that came or went; long values are cut. */
export interface ScimDifference {
  /** As SCIM writes it: `name.familyName`, `members`. */
  readonly path: string
  readonly before: Json
  readonly after: Json
}

export interface ScimDirectory {
  readonly id: SCIMDirectoryId
  readonly organizationId: OrganizationId
  readonly name: string
  readonly provider: ScimProvider
  /** The SCIM address for the identity provider. */
  readonly baseUrl: string
  /** The live ones; several overlap while one is rotated. */
  readonly tokens: ReadonlyArray<ScimToken>
  readonly users: {
    readonly active: number
    readonly inactive: number
  }
  readonly groups: number
  readonly pendingHoldId: SCIMHoldId | null
  /** To the hour. */
  readonly lastRequestAt: Timestamp | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export type ScimDocument = { readonly [key: string]: Json }

/** Of what was refused, why. */
export interface ScimError {
  readonly schemas: ReadonlyArray<string>
  /** The status of the answer, as a text. */
  readonly status: string
  readonly scimType?: "invalidFilter" | "tooMany" | "uniqueness" | "mutability" | "invalidSyntax" | "invalidPath" | "noTarget" | "invalidValue" | "invalidVers" | "sensitive" | undefined
  readonly detail?: string | undefined
}

export interface ScimGroup {
  readonly teamId: TeamId
  readonly displayName: string
  readonly externalId: string | null
  /** What its members are made; null gives none. */
  readonly role: string | null
  readonly memberCount: number
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** A group (RFC 7643, 4.2): a team of the organization. */
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
  /** Memberships that end when it is approved. */
  readonly count: number
  /** Active users of the directory when it began. */
  readonly activeBefore: number
  readonly createdAt: Timestamp
  readonly decidedAt: Timestamp | null
  readonly decidedBy: string | null
}

export interface ScimListResponse {
  readonly schemas: ReadonlyArray<string>
  readonly totalResults: number
  readonly startIndex: number
  /** May be less than was asked for: groups with thousands of members make pages short. */
  readonly itemsPerPage: number
  readonly Resources: ReadonlyArray<ScimDocument>
}

export interface ScimLogEntry {
  readonly id: SCIMLogEntryId
  readonly directoryId: SCIMDirectoryId
  readonly tokenId: SCIMTokenId | null
  readonly requestId: string
  readonly method: string
  /** With the query, below `/v1/scim/v2`. */
  readonly path: string
  readonly status: number
  readonly decision: ScimDecision
  readonly scimType: string | null
  /** Why it was refused or held, in words. */
  readonly detail: string | null
  readonly resourceType: "User" | "Group" | null
  readonly resourceId: string | null
  /** userName or displayName of the resource. */
  readonly displayName: string | null
  readonly differences: ReadonlyArray<ScimDifference>
  readonly userAgent: string | null
  readonly createdAt: Timestamp
}

/** For people to read; all are answered alike. */
export type ScimProvider = "okta" | "entra" | "google" | "other"

export interface ScimReconciliation {
  /** Users given the membership they lacked: their domain is verified by now. */
  readonly linked: number
  /** Memberships ended whose user is inactive or gone. */
  readonly ended: number
  readonly teamMembersAdded: number
  readonly teamMembersRemoved: number
  readonly rolesChanged: number
  /** Active users whose address is in no verified domain. */
  readonly unlinked: number
}

export interface ScimToken {
  readonly id: SCIMTokenId
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
  /** To the hour. */
  readonly lastUsedAt: Timestamp | null
}

/** A user (RFC 7643, 4.1) with the enterprise extension. */
export type ScimUserResource = { readonly [key: string]: Json }

export interface SeenDimension {
  readonly type: string
  readonly value: string
  /** As the latest event that had one called it. */
  readonly label: string | null
  readonly events: number
  /** When the earliest of its events happened. */
  readonly firstSeenAt: Timestamp
  /** When the latest of its events happened. */
  readonly lastSeenAt: Timestamp
}

export interface SeenDimensionType {
  readonly type: string
  /** How many values it was seen with. */
  readonly values: number
  /** Events that had it, each once for each value. */
  readonly events: number
}

export interface SeenDimensions {
  readonly items: ReadonlyArray<SeenDimension>
  readonly nextCursor: string | null
  /** Every type that was seen, the most used first; at most 100. Filters do not change it. */
  readonly types: ReadonlyArray<SeenDimensionType>
  /** Every event that was acknowledged before this moment is counted; later ones may be. */
  readonly generatedAt: Timestamp
}

export interface ServerVersion {
  readonly name: "orgplane"
  readonly version: string
  readonly api: "v1"
  /** Last migration of the database. */
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

/** Identifies one session. */
export type SessionId = string

export interface SetActiveOrganization {
  readonly organizationId: OrganizationId
}

export interface SetAutoImport {
  readonly enabled: boolean
}

export interface SetLlmCredential {
  /** Kept sealed; answered by `connect` alone. Printable ASCII without spaces, of `other` any text. */
  readonly apiKey: string
}

export interface SetMcpApiKey {
  /** Kept sealed; never answered. */
  readonly apiKey: string
}

export interface SetScimGroupRole {
  /** Never `owner`. Of several groups `admin` wins, then the role of the oldest group. */
  readonly role: RoleName | null
}

export interface SetupConnector {
  /** `git` reads a clone URL; `rest` speaks to the host's own interface through an installation. */
  readonly adapter: "git" | "rest"
  /** For git: an https address, or a path under the roots that the operator allows. */
  readonly cloneUrl?: string | undefined
  /** For rest: `owner/name`. */
  readonly repositoryFullName?: string | undefined
  /** Needed for rest; for git the account of the address's host. */
  readonly connectorAccountId?: ConnectorAccountId | undefined
  /** Sealed, sent to that origin only, never answered. */
  readonly credential?: {
    readonly username?: string | undefined
    readonly token: string
  } | undefined
  /** The repository's default branch unless told. */
  readonly branch?: string | undefined
  /** Unique in the organization. */
  readonly name?: string | undefined
}

export interface SigningKey {
  readonly kid: string
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  readonly x: string
  readonly alg: "EdDSA"
  readonly use: "sig"
}

export interface SimulateDesktopPolicies {
  readonly create?: CreateDesktopPolicy | undefined
  /** One policy changed, as an update would. */
  readonly patch?: {
    readonly desktopPolicyId: DesktopPolicyId
    readonly changes: UpdateDesktopPolicy
  } | undefined
  /** One policy gone. */
  readonly delete?: {
    readonly desktopPolicyId: DesktopPolicyId
  } | undefined
  /** Other priorities, of several policies at once. */
  readonly reorder?: ReadonlyArray<{
    readonly desktopPolicyId: DesktopPolicyId
    readonly priority: number
  }> | undefined
}

/** Where the content comes from: written here, imported once, or kept in step by a connector. */
export type SourceMode = "cloud" | "import" | "connector"

export interface SsoConnection {
  readonly id: SSOConnectionId
  readonly organizationId: OrganizationId
  readonly protocol: "oidc" | "saml"
  readonly enabled: boolean
  /** Members sign in by it and no other way; the owners named in `breakGlass` may still use a mailed code. */
  readonly enforced: boolean
  readonly breakGlass: ReadonlyArray<OrganizationMembershipId>
  /** Whether whoever signs in for the first time, with an address in a verified domain, becomes a member. */
  readonly jit: {
    readonly enabled: boolean
    readonly role: string
  }
  readonly oidc: OidcSettings | null
  readonly saml: SamlSettings | null
  readonly serviceProvider: SsoServiceProvider
  /** Of these settings: another provider, or other certificates and attributes while it is off, forget it. */
  readonly lastTest: SsoTest | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

export type SsoRefusal = "access_denied" | "provider_unreachable" | "provider_invalid" | "code_refused" | "token_invalid" | "nonce_mismatch" | "issuer_mismatch" | "audience_mismatch" | "not_yet_valid" | "expired" | "signature_missing" | "signature_invalid" | "destination_mismatch" | "response_unsolicited" | "response_replayed" | "response_invalid" | "assertion_encrypted" | "subject_missing" | "email_missing" | "email_not_verified" | "domain_not_verified" | "not_a_member" | "person_mismatch" | "connection_disabled"

export interface SsoServiceProvider {
  /** OpenID Connect's, the same for every organization. */
  readonly redirectUri: string
  /** Who we are in SAML, and the audience of what is said to us. */
  readonly entityId: string
  /** Where a SAML response is posted to. */
  readonly acsUrl: string
  /** Where both can be read, as metadata. */
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
  readonly email: string
}

export interface StartMcpConnect {
  /** Where our callback sends the browser on with state, code and issuer: a port of 127.0.0.1 that waits, or an address of one of the operator's `ORGPLANE_CORS_ORIGINS`. Without it the callback shows what to hand in. */
  readonly returnTo?: string | undefined
}

export interface StartSso {
  /** Whose domain says which organization. */
  readonly email?: string | undefined
  readonly organizationId?: OrganizationId | undefined
  /** SHA-256 of a secret of the caller's, in base64url: only who has it gets the session. */
  readonly codeChallenge: string
  /** Where our callback sends the browser on with state, code and issuer: a port of 127.0.0.1 that waits, or an address of one of the operator's `ORGPLANE_CORS_ORIGINS`. Without it the callback shows what to hand in. */
  readonly returnTo?: string | undefined
}

export interface StartSuiteConnect {
  /** Where our callback sends the browser on with state, code and issuer: a port of 127.0.0.1 that waits, or an address of one of the operator's `ORGPLANE_CORS_ORIGINS`. Without it the callback shows what to hand in. */
  readonly returnTo?: string | undefined
}

export interface StartedConnect {
  /** The authorization server's page: open it in a browser. */
  readonly url: string
  /** Comes back with the browser; good for this session only, and once. */
  readonly state: string
  readonly expiresAt: Timestamp
}

export interface StartedInstall {
  /** The code host's page: open it in a browser. */
  readonly url: string
  /** Comes back with the browser; good for this session only, and once. */
  readonly state: string
  readonly expiresAt: Timestamp
}

export interface StartedSso {
  /** The identity provider's page: open it in a browser. */
  readonly url: string
  /** Comes back with the browser. */
  readonly state: string
  readonly expiresAt: Timestamp
}

/** `suite-a` holds mail, `suite-b` the calendar. */
export type Suite = "suite-a" | "suite-b"

export interface SyncCounts {
  readonly filesScanned: number
  readonly objectsCreated: number
  readonly objectsUpdated: number
  readonly objectsDeleted: number
  readonly objectsUnchanged: number
  readonly pluginsCreated: number
  /** New files of plugins, not counting the sources of config objects. */
  readonly filesAdded: number
  /** Files of plugins whose content or mode changed, not counting the sources of config objects. */
  readonly filesChanged: number
  readonly filesRemoved: number
}

export type SyncStatus = "queued" | "running" | "completed" | "partial" | "failed" | "ignored" | "review_required" | "rejected"

export interface SyncTrouble {
  readonly connectorSyncEventId: ConnectorSyncEventId
  readonly connectorInstanceId: ConnectorInstanceId
  readonly connectorTargetId: ConnectorTargetId
  /** Of the connector. */
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

/** Identifies one team. */
export type TeamId = string

export interface TelemetryDescription {
  readonly types: ReadonlyArray<string>
  readonly sources: ReadonlyArray<TelemetrySource>
  /** Members that are kept; whatever else is sent is removed. */
  readonly fields: ReadonlyArray<TelemetryField>
  /** Of one request. */
  readonly eventsMax: number
  readonly retentionDays: number
  readonly ledgerDays: number
  readonly futureHours: number
  /** An older event is dropped. */
  readonly acceptedFrom: Timestamp
  /** A later event is dropped. */
  readonly acceptedUntil: Timestamp
  /** For a sender to see how far its clock is off. */
  readonly serverTime: Timestamp
}

export interface TelemetryDimension {
  /** What it is about: `model`, `plugin`. */
  readonly type: string
  /** For people. */
  readonly label?: string | undefined
  /** What events are counted by. */
  readonly value?: string | undefined
  /** At most 4 KiB of JSON and 32 levels; otherwise it is removed. */
  readonly metadata?: JsonObject | undefined
}

/** An event that is stored unchanged. An event without a valid `type`, `timestamp` or `source` is dropped; any other unknown or invalid member is removed, and `null` means absent. The request succeeds in either case. */
export interface TelemetryEvent {
  /** Yours; an event that comes again with the same id and timestamp is counted as a duplicate. */
  readonly id?: string | undefined
  /** One of `user.active`, `session.active`, `session.started`, `session.ended`, `task.started`, `task.completed`, `task.failed`, or a type that the operator added; see `GET /v1/telemetry/schema`. An event with another type is dropped. */
  readonly type: string
  /** With `Z` or an offset; within the retention and at most 24 hours ahead. */
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
  /** Of an integer, or of a string's length in characters; null where there is none. */
  readonly minimum: number | null
  /** The same; of an array its length, of an object its bytes as JSON. */
  readonly maximum: number | null
}

export interface TelemetryLedgerEntry {
  readonly id: string
  /** The request's `x-request-id`. */
  readonly requestId: string
  readonly receivedAt: Timestamp
  /** Of a worker, whom it works for; null for an API key. */
  readonly userId: UserId | null
  readonly orgMembershipId: OrganizationMembershipId | null
  readonly workerId: string | null
  readonly apiKeyId: APIKeyId | null
  readonly sent: number
  /** Stored by this request. */
  readonly accepted: number
  /** Stored before, by their id. */
  readonly duplicate: number
  readonly dropped: number
  readonly fieldsRemoved: number
  readonly reasons: ReadonlyArray<{
    readonly reason: TelemetryReason
    readonly count: number
  }>
}

/** `event_…`, `type_…`, `timestamp_…` and `source_…`: the event was dropped. The others: the event was kept without the field; `field_identity` is one that says whose the event is, which the authentication alone says. */
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

export interface TemplateContentInput {
  /** The plugin that is made; placeholders may stand in both. */
  readonly plugin: {
    readonly name: string
    readonly description?: string | null | undefined
  }
  /** What is put into it. */
  readonly objects: ReadonlyArray<TemplateObjectInput>
  readonly variables?: ReadonlyArray<TemplateVariableInput> | undefined
}

export interface TemplateDiff {
  readonly templateId: TemplateId
  /** The version compared with; `null` before the first, where everything is new. */
  readonly from: ComparedTemplateVersion | null
  readonly to: ComparedTemplateVersion
  /** The texts as unified diffs, one object after another by their place; empty when they are the same. */
  readonly textDiff: string
  /** Of all but the texts, as of JSON: at most 1 000 changes and 1 MiB of values. */
  readonly changes: ReadonlyArray<PayloadChange>
  /** There are more changes than are told. */
  readonly truncated: boolean
}

/** Identifies one template. */
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

export interface TemplateMade {
  readonly plugin: Plugin
  /** In the template's order. */
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

/** A config object as `configObjects.create` takes it, with placeholders in its texts. */
export interface TemplateObjectInput {
  readonly type: ObjectType
  readonly rawSourceText?: string | undefined
  readonly normalizedPayloadJson?: { readonly [key: string]: Json } | undefined
  readonly parserMode?: string | undefined
  readonly schemaVersion?: string | undefined
  /** `title`, `description`, `fileName` and `relativePath` are used; the rest is not kept. */
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
  /** `line`: one line. `text`: any text, several lines too. `slug`: lower-case letters, digits and single hyphens, as names of skills are. `email`: an e-mail address. `url`: an http or https address. */
  readonly format: TemplateVariableFormat
  readonly options: ReadonlyArray<string> | null
}

/** `line` unless told. */
export type TemplateVariableFormat = "line" | "text" | "slug" | "email" | "url"

export interface TemplateVariableInput {
  /** What placeholders call it: `{{ team }}`. */
  readonly name: string
  readonly label: string
  readonly description?: string | null | undefined
  /** Must be filled in; `false` unless told. One that is not is empty where it has no default. */
  readonly required?: boolean | undefined
  readonly default?: string | null | undefined
  readonly format?: TemplateVariableFormat | undefined
  /** The only values. */
  readonly options?: ReadonlyArray<string> | null | undefined
}

export interface TemplateVersion {
  readonly id: TemplateVersionId
  readonly templateId: TemplateId
  /** 1 for the first version, then one more each. */
  readonly ordinal: number
  /** SHA-256 of the content, in hex. */
  readonly contentDigest: string
  readonly objectCount: number
  readonly variableCount: number
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
  readonly content: TemplateContent
}

/** Identifies one template version. */
export type TemplateVersionId = string

export interface TemplateVersionSummary {
  readonly id: TemplateVersionId
  readonly templateId: TemplateId
  /** 1 for the first version, then one more each. */
  readonly ordinal: number
  /** SHA-256 of the content, in hex. */
  readonly contentDigest: string
  readonly objectCount: number
  readonly variableCount: number
  readonly createdByOrgMembershipId: OrganizationMembershipId | null
  readonly createdAt: Timestamp
}

export interface TestSso {
  /** Where our callback sends the browser on with state, code and issuer: a port of 127.0.0.1 that waits, or an address of one of the operator's `ORGPLANE_CORS_ORIGINS`. Without it the callback shows what to hand in. */
  readonly returnTo?: string | undefined
}

/** A moment in UTC, with milliseconds. */
export type Timestamp = string

export interface TransferOwnership {
  readonly orgMembershipId: OrganizationMembershipId
  /** What the caller is afterwards; admin unless told. */
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
  readonly name?: string | undefined
  /** Some of those it has. */
  readonly permissions?: ReadonlyArray<Permission> | undefined
  /** No later than it is. */
  readonly expiresAt?: string | undefined
  readonly requestsPerMinute?: number | undefined
}

export interface UpdateCalendarEvent {
  /** `false` changes nothing and answers the event as it is. */
  readonly createMeetLink: boolean
}

export interface UpdateConnectorInstance {
  readonly remoteId?: string | undefined
  readonly name?: string | undefined
  readonly config?: { readonly [key: string]: Json } | undefined
}

export interface UpdateConnectorMapping {
  /** A file or folder of the repository, as `skills/review`, or `.` for all of it. */
  readonly selector?: string | undefined
  readonly objectType?: ObjectType | undefined
  readonly pluginId?: PluginId | null | undefined
  readonly autoAddToPlugin?: boolean | undefined
}

export interface UpdateConnectorTarget {
  readonly branch?: string | undefined
  readonly config?: { readonly [key: string]: Json } | undefined
}

export interface UpdateDesktopPolicy {
  readonly policyName?: string | undefined
  /** All that it states from now on. */
  readonly policy?: DesktopPolicySettingsInput | undefined
  readonly priority?: number | undefined
  readonly isEnabled?: boolean | undefined
  /** All members it is assigned to from now on. `[]` clears them; a policy whose last assignment is cleared applies to the whole organization. */
  readonly memberIds?: ReadonlyArray<OrganizationMembershipId> | undefined
  /** All teams it is assigned to from now on. */
  readonly teamIds?: ReadonlyArray<TeamId> | undefined
}

export interface UpdateLlmProvider {
  readonly name?: string | undefined
  /** Of the catalogue; `custom` for an address of your own. */
  readonly providerId?: string | undefined
  readonly credentialMode?: LlmCredentialMode | undefined
  /** https; plain http only where the operator allows it. As `https://llm.example/v1`. */
  readonly baseUrl?: string | undefined
  readonly apiFormat?: LlmApiFormat | undefined
  readonly env?: ReadonlyArray<string> | undefined
  /** Null for all, as unless told. */
  readonly models?: EnableLlmModels | null | undefined
  /** At most sixteen, none of them secret. */
  readonly headers?: { readonly [key: string]: string } | undefined
  /** At most 16 KiB, nothing of it secret. */
  readonly options?: { readonly [key: string]: Json } | undefined
}

export interface UpdateMarketplace {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  /** The https address of an image. */
  readonly logoUrl?: string | null | undefined
}

export interface UpdateMcpConnection {
  readonly name?: string | undefined
  /** https; plain http only where the operator allows it. */
  readonly url?: string | undefined
  readonly authType?: McpAuthType | undefined
  readonly credentialMode?: McpCredentialMode | undefined
  readonly scopes?: ReadonlyArray<string> | null | undefined
  /** A client registered at the authorization server by hand. */
  readonly oauthClient?: McpOAuthClientInput | null | undefined
  /** `authorization` unless told. */
  readonly apiKeyHeader?: string | undefined
  /** `Bearer` unless told, none in a header of another name. */
  readonly apiKeyScheme?: string | null | undefined
}

export interface UpdateMember {
  readonly role: RoleName
}

export interface UpdateOrganization {
  readonly name?: string | undefined
}

export interface UpdatePlan {
  /** `enterprise` holds every feature; any other word is a plan without those that need it. */
  readonly plan: string
}

export interface UpdatePlugin {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}

export interface UpdateRole {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly permissions?: ReadonlyArray<Permission> | undefined
}

export interface UpdateTeam {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}

export interface UpdateTemplate {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}

export interface UpdateUser {
  readonly name?: string | null | undefined
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

/** Identifies one user. */
export type UserId = string

export interface UserOrganization {
  readonly organization: Organization
  readonly orgMembershipId: OrganizationMembershipId
  readonly role: string
  /** The one this session is about unless a request names another. */
  readonly active: boolean
}

/** A day in UTC: `2026-03-01`. */
export type UtcDay = string

export interface VerifyEmailSignIn {
  readonly challengeId: string
  readonly code: string
}

export interface VersionDiff {
  readonly configObjectId: ConfigObjectId
  /** The version compared with; `null` before the first, where everything is new. */
  readonly from: ComparedVersion | null
  readonly to: ComparedVersion
  /** From the one text to the other as a unified diff that `patch` applies; empty when they are the same. */
  readonly textDiff: string
  /** From the one payload to the other, at most 1 000 changes and 1 MiB of values. */
  readonly payloadChanges: ReadonlyArray<PayloadChange>
  /** There are more changes of the payload than are told. */
  readonly truncated: boolean
}

export interface WebhookAccepted {
  readonly ok: true
  readonly accepted: true
  readonly deliveryId: string
  readonly queued: true
}

export interface WebhookDelivery {
  readonly id: WebhookDeliveryId
  /** As the sender named it, in `x-github-delivery`. */
  readonly deliveryId: string
  readonly event: WebhookEvent
  readonly action: string | null
  readonly status: "accepted" | "ignored"
  readonly reason: WebhookIgnoredReason | null
  readonly repositoryFullName: string | null
  readonly ref: string | null
  /** The commit a push began at, as the sender says. */
  readonly before: string | null
  /** The commit a push ended at, as the sender says; a sync reads the head itself. */
  readonly after: string | null
  readonly connectorInstanceIds: ReadonlyArray<ConnectorInstanceId>
  /** The syncs that stood for it last; several deliveries may share one. */
  readonly syncEventIds: ReadonlyArray<ConnectorSyncEventId>
  readonly redeliveryCount: number
  readonly receivedAt: Timestamp
  /** When it was last acted upon. */
  readonly actedAt: Timestamp
}

/** Identifies one webhook delivery. */
export type WebhookDeliveryId = string

export type WebhookEvent = "push" | "create" | "delete" | "installation" | "installation_repositories" | "repository" | "ping"

export interface WebhookIgnored {
  readonly ok: true
  readonly accepted: false
  readonly reason: WebhookIgnoredReason
}

/** `event_ignored`: of a kind that changes nothing here; `installation_unknown`: nobody connected that installation; `target_unknown`: nobody follows that repository or branch. */
export type WebhookIgnoredReason = "event_ignored" | "installation_unknown" | "target_unknown"

export interface WholeMemory {
  readonly id: MemoryId
  /** Where it was saved. */
  readonly organizationId: OrganizationId
  readonly content: string
  readonly tags: ReadonlyArray<string>
  /** What saved it, as the server knows it: `chat`. */
  readonly source: string
  /** Always `user`: a memory is its person's alone. */
  readonly scope: string
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly contexts: ReadonlyArray<SavedMemoryContext>
}

export interface Worker {
  readonly id: string
  readonly orgId: string
  /** Whose worker it is. */
  readonly createdByUserId: string
  readonly isMine: boolean
  readonly name: string
  readonly description: string | null
  readonly destination: WorkerDestination
  readonly status: WorkerStatus
  /** Why it is not healthy, in words; what the worker itself said of how it is. */
  readonly statusReason: string | null
  /** As the worker reported it, as the next two. */
  readonly imageVersion: string | null
  readonly workspacePath: string | null
  readonly sandboxBackend: string | null
  readonly lastHeartbeatAt: Timestamp | null
  /** When it last reported what it does. */
  readonly lastActiveAt: Timestamp | null
  readonly createdAt: Timestamp
  /** Of name, description and destination; heartbeats do not change it. */
  readonly updatedAt: Timestamp
}

export interface WorkerActivity {
  readonly id: WorkerActivityId
  readonly workerId: string
  readonly kind: string
  readonly message: string
  readonly sessionId: string | null
  /** As the worker's clock said; `createdAt` unless told. */
  readonly occurredAt: Timestamp
  readonly createdAt: Timestamp
}

/** Identifies one worker activity. */
export type WorkerActivityId = string

/** `local`: started by the person, with a token of its own. `cloud`: started by this server's provisioner. */
export type WorkerDestination = "local" | "cloud"

export interface WorkerHeartbeat {
  readonly imageVersion?: string | null | undefined
  readonly workspacePath?: string | null | undefined
  readonly sandboxBackend?: string | null | undefined
  /** How it is, in words; shown as `statusReason`. */
  readonly detail?: string | null | undefined
  /** `true` says goodbye: silence after it is no failure. */
  readonly stopping?: boolean | undefined
}

export interface WorkerInstance {
  readonly provider: string
  readonly region: string
  /** Of its runtime, set by the provisioner alone; null while there is none. */
  readonly url: string | null
  readonly status: "starting" | "running" | "stopping" | "stopped" | "failed"
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** Of the worker; an unknown one is 404. */
export type WorkerPathId = string

/** `provisioning` until the first heartbeat; `failed` when it could not be started, ended by itself or has been silent for three heartbeats, and healthy again with the next one; `stopped` when it said goodbye or the person it belongs to left. */
export type WorkerStatus = "provisioning" | "healthy" | "failed" | "stopped"

export interface WorkerToken {
  readonly id: WorkerTokenId
  readonly workerId: string
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp | null
}

/** Identifies one worker token. */
export type WorkerTokenId = string

/** Every value of `error` in a response, which is the `code` of an `OrgplaneError`. */
export type ErrorCode =
  | "api_key_not_found"
  | "claim_not_found"
  | "codehost_api_error"
  | "codehost_not_configured"
  | "config_object_archived"
  | "config_object_grant_not_found"
  | "config_object_not_found"
  | "config_object_version_not_found"
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
  | "desktop_policy_exists"
  | "desktop_policy_not_found"
  | "discovery_in_progress"
  | "domain_exists"
  | "domain_not_found"
  | "enterprise_plan_required"
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
  | "plugin_archive_not_found"
  | "plugin_archive_refused"
  | "plugin_archive_too_large"
  | "plugin_grant_not_found"
  | "plugin_membership_not_found"
  | "plugin_not_found"
  | "precondition_failed"
  | "provisioner_unavailable"
  | "quota_exceeded"
  | "rate_limited"
  | "repositories_not_listed"
  | "repository_empty"
  | "role_exists"
  | "role_in_use"
  | "role_not_found"
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
  | "webhook_secret_missing"
  | "worker_not_found"
  | "worker_provided"
  | "worker_runtime_error"
  | "worker_runtime_unavailable"
  | "worker_token_not_found"

/** Why an authenticated caller is refused: the `reason` of a `ForbiddenError`. */
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
  | "policy_blocked"
  | "tool_review_required"
  | "sso_required"
  | "provisional_organization"
