export type Json = null | string | number | boolean | ReadonlyArray<Json> | {
    readonly [key: string]: Json;
};
export type APIKeyId = string;
export interface AcceptClaim {
    readonly token: string;
    readonly keepAgent?: {
        readonly name?: string | undefined;
        readonly permissions: ReadonlyArray<Permission>;
    } | undefined;
}
export interface AcceptedClaim {
    readonly ok: true;
    readonly organization: Organization;
    readonly member: Member;
    readonly apiKey: ApiKey | null;
    readonly key: string | null;
}
export interface AccessExplanation {
    readonly allowed: boolean;
    readonly level: GrantRole | null;
    readonly needed: GrantRole;
    readonly paths: ReadonlyArray<AccessPath>;
    readonly missing: string | null;
}
export interface AccessImpact {
    readonly grantId: string;
}
export interface AccessImpactResult {
    readonly grantId: string;
    readonly memberCount: number;
    readonly losses: ReadonlyArray<{
        readonly orgMembershipId: OrganizationMembershipId;
        readonly object: {
            readonly kind: GrantedObjectKind;
            readonly id: string;
            readonly name: string;
        };
        readonly from: GrantRole;
        readonly to: GrantRole | null;
    }>;
    readonly truncated: boolean;
}
export interface AccessPath {
    readonly level: GrantRole;
    readonly steps: ReadonlyArray<AccessStep>;
}
export interface AccessStep {
    readonly kind: "member" | "role" | "team" | "grant" | "marketplace" | "plugin" | "object" | "hidden" | (string & {});
    readonly id: string | null;
    readonly label: string;
}
export interface ActivityDay {
    readonly day: string;
    readonly activeUsers: number;
    readonly realActiveUsers: number;
    readonly signups: number;
}
export interface AddMember {
    readonly subject?: string | undefined;
    readonly email?: string | undefined;
    readonly role?: RoleName | undefined;
}
export interface AddObject {
    readonly configObjectId: ConfigObjectId;
}
export interface AddPlugin {
    readonly pluginId: PluginId;
}
export interface AdminMetrics {
    readonly totalUsers: number;
    readonly totalOrganizations: number;
    readonly verifiedUsers: number;
    readonly recentUsers7d: number;
    readonly recentUsers30d: number;
    readonly totalWorkers: number;
    readonly cloudWorkers: number;
    readonly localWorkers: number;
    readonly usersWithWorkers: number;
    readonly usersWithoutWorkers: number;
    readonly paidUsers: number;
    readonly unpaidUsers: number;
    readonly billingUnavailableUsers: number;
    readonly adminCount: number;
    readonly activeUsers1d: number;
    readonly activeUsers7d: number;
    readonly activeUsers30d: number;
    readonly realActiveUsers1d: number;
    readonly realActiveUsers7d: number;
    readonly realActiveUsers30d: number;
    readonly recurringUsers: number;
    readonly inviters: number;
    readonly medianHoursToFirstInvite: number | null;
    readonly billingLoaded: boolean;
    readonly activitySeries: ReadonlyArray<ActivityDay>;
}
export interface AdminOverview {
    readonly members: number;
    readonly admins: number;
    readonly teams: number;
    readonly apiKeys: number;
    readonly plugins: number;
    readonly configObjects: number;
    readonly marketplaces: number;
    readonly connectorInstances: number;
    readonly mcpConnections: number;
    readonly workers: number;
    readonly pendingInvitations: number;
    readonly syncsInTrouble: number;
    readonly connectionsNeedingAttention: number;
    readonly syncTroubles: ReadonlyArray<SyncTrouble>;
    readonly connectionTroubles: ReadonlyArray<ConnectionTrouble>;
    readonly recentChanges: ReadonlyArray<AuditEvent>;
}
export interface Adoption {
    readonly from: UtcDay;
    readonly to: UtcDay;
    readonly interval: "day" | "week" | (string & {});
    readonly members: number;
    readonly activeMembers: number;
    readonly newMembers: number;
    readonly returningMembers: number;
    readonly series: ReadonlyArray<AdoptionStep>;
    readonly bySource: ReadonlyArray<{
        readonly source: "app" | "worker" | (string & {});
        readonly activeMembers: number;
    }>;
    readonly byTeam: ReadonlyArray<{
        readonly teamId: TeamId;
        readonly name: string;
        readonly members: number;
        readonly activeMembers: number;
    }>;
    readonly byDimension: ReadonlyArray<{
        readonly value: string;
        readonly label: string | null;
        readonly activeMembers: number;
        readonly events: number;
    }>;
}
export interface AdoptionStep {
    readonly start: UtcDay;
    readonly activeMembers: number;
    readonly newMembers: number;
    readonly returningMembers: number;
}
export interface Analytics {
    readonly measure: "events" | "users" | "tasksStarted" | "tasksCompleted" | "tasksFailed" | "taskSuccessRate" | "successRate" | "durationSum" | "durationAverage" | "durationP50" | "durationP95" | (string & {});
    readonly unit: "count" | "ratio" | "milliseconds" | (string & {});
    readonly from: UtcDay;
    readonly to: UtcDay;
    readonly interval: "day" | "week" | (string & {});
    readonly groupBy: string | null;
    readonly steps: ReadonlyArray<UtcDay>;
    readonly total: number | null;
    readonly values: ReadonlyArray<number | null>;
    readonly groups: number;
    readonly series: ReadonlyArray<AnalyticsSeries>;
}
export interface AnalyticsSeries {
    readonly key: string | null;
    readonly label: string | null;
    readonly total: number | null;
    readonly values: ReadonlyArray<number | null>;
}
export interface ApiKey {
    readonly id: APIKeyId;
    readonly organizationId: OrganizationId;
    readonly name: string;
    readonly hint: string;
    readonly permissions: ReadonlyArray<Permission>;
    readonly requestsPerMinute: number;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
    readonly expiresAt: Timestamp | null;
    readonly lastUsedAt: Timestamp | null;
    readonly previousUsableUntil: Timestamp | null;
    readonly revokedAt: Timestamp | null;
}
export interface ApiKeyWithSecret {
    readonly apiKey: ApiKey;
    readonly key: string;
}
export interface ApplyDiscovery {
    readonly selectedKeys: ReadonlyArray<string>;
    readonly autoImportNewPlugins: boolean;
    readonly marketplaceId?: MarketplaceId | undefined;
    readonly share?: "private" | "orgWide" | (string & {}) | undefined;
    readonly connectorTargetId?: ConnectorTargetId | undefined;
    readonly planDigest?: string | undefined;
}
export type ArchiveFormat = "zip" | "tar.gz" | (string & {});
export interface AttachPlugin {
    readonly pluginId: PluginId;
}
export type AuditAction = "api_key.create" | "api_key.revoke" | "api_key.rotate" | "api_key.update" | "bootstrap.workspace.claim" | "bootstrap.workspace.create" | "capability.authorization.start" | "capability.calendar_event.update" | "capability.connect" | "capability.disconnect" | "capability.mail_draft.create" | "config_object.archive" | "config_object.create" | "config_object.grant" | "config_object.plugin.attach" | "config_object.plugin.detach" | "config_object.remove" | "config_object.restore" | "config_object.revoke" | "config_object.version.create" | "config_object.version.restore" | "connector.account.create" | "connector.account.disconnect" | "connector.apply" | "connector.archive" | "connector.auto_import.set" | "connector.create" | "connector.disable" | "connector.enable" | "connector.grant" | "connector.install.complete" | "connector.install.start" | "connector.mapping.create" | "connector.mapping.delete" | "connector.mapping.update" | "connector.remove" | "connector.resync" | "connector.revoke" | "connector.rollback" | "connector.rollback.finish" | "connector.setup" | "connector.sync" | "connector.sync.approve" | "connector.sync.fail" | "connector.sync.hold" | "connector.sync.reject" | "connector.sync.retry" | "connector.synced" | "connector.target.create" | "connector.target.update" | "connector.update" | "desktop_policy.create" | "desktop_policy.remove" | "desktop_policy.update" | "domain.create" | "domain.fail" | "domain.lapse" | "domain.recover" | "domain.remove" | "domain.verify" | "invitation.accept" | "invitation.cancel" | "invitation.create" | "invitation.resend" | "llm_provider.connect" | "llm_provider.create" | "llm_provider.credential.remove" | "llm_provider.credential.set" | "llm_provider.grant" | "llm_provider.remove" | "llm_provider.revoke" | "llm_provider.update" | "marketplace.archive" | "marketplace.create" | "marketplace.grant" | "marketplace.link.create" | "marketplace.link.revoke" | "marketplace.plugin.add" | "marketplace.plugin.remove" | "marketplace.restore" | "marketplace.revoke" | "marketplace.update" | "mcp_connection.authorization.start" | "mcp_connection.connect" | "mcp_connection.create" | "mcp_connection.disconnect" | "mcp_connection.drift" | "mcp_connection.grant" | "mcp_connection.remove" | "mcp_connection.review" | "mcp_connection.revoke" | "mcp_connection.tool.call" | "mcp_connection.tool_call.start" | "mcp_connection.tool_policy.set" | "mcp_connection.update" | "member.add" | "member.batch" | "member.remove" | "member.update" | "memory.clear" | "memory.delete" | "memory.save" | "organization.create" | "organization.ownership.transfer" | "organization.remove" | "organization.update" | "platform.plan.update" | "plugin.archive" | "plugin.create" | "plugin.grant" | "plugin.object.add" | "plugin.object.remove" | "plugin.restore" | "plugin.revoke" | "plugin.update" | "role.create" | "role.remove" | "role.update" | "scim.directory.create" | "scim.directory.reconcile" | "scim.directory.remove" | "scim.group.create" | "scim.group.delete" | "scim.group.update" | "scim.group_role.set" | "scim.hold.approve" | "scim.hold.reject" | "scim.token.revoke" | "scim.token.rotate" | "scim.user.create" | "scim.user.deactivate" | "scim.user.delete" | "scim.user.reactivate" | "scim.user.update" | "session.challenge" | "session.create" | "session.exchange" | "session.revoke" | "sso.disable" | "sso.enable" | "sso.enforce" | "sso.oidc.put" | "sso.remove" | "sso.saml.put" | "sso.sign_in.return" | "sso.sign_in.start" | "sso.test" | "team.create" | "team.member.add" | "team.member.remove" | "team.remove" | "team.update" | "template.create" | "template.instantiate" | "template.remove" | "template.update" | "template.version.create" | "template.version.restore" | "user.active_organization.set" | "user.organization.leave" | "user.remove" | "user.update" | "webhook.receive" | "webhook.redeliver" | "worker.create" | "worker.remove" | "worker.runtime.upgrade" | "worker.runtime_upgrade.start" | "worker.token.create" | "worker.token.revoke" | "worker.update" | (string & {});
export interface AuditCheckpoint {
    readonly sequence: number;
    readonly hash: string;
    readonly keyId: string;
    readonly signature: string;
    readonly createdAt: Timestamp;
}
export interface AuditEvent {
    readonly id: AuditEventId;
    readonly organizationId: OrganizationId | null;
    readonly sequence: number | null;
    readonly action: AuditAction;
    readonly actorKind: "session" | "key" | "worker" | "directory" | "platform" | "system" | "anonymous" | (string & {});
    readonly actorId: string | null;
    readonly targetId: string | null;
    readonly requestId: string | null;
    readonly address: string | null;
    readonly userAgent: string | null;
    readonly before: JsonObject | null;
    readonly after: JsonObject | null;
    readonly createdAt: Timestamp;
}
export type AuditEventId = string;
export interface AuditVerification {
    readonly valid: boolean;
    readonly eventCount: number;
    readonly sealedThrough: number | null;
    readonly firstInvalidSequence: number | null;
    readonly reason: string | null;
}
export interface AutoImport {
    readonly connectorInstanceId: ConnectorInstanceId;
    readonly autoImportNewPlugins: boolean;
}
export interface BootstrapWorkspace {
    readonly ok: true;
    readonly organization: Organization;
    readonly session: {
        readonly token: string;
        readonly expiresAt: Timestamp;
    };
    readonly claimLinks: ReadonlyArray<ClaimLink>;
}
export interface CalendarEvent {
    readonly ok: true;
    readonly eventId: string;
    readonly htmlLink: string;
    readonly summary: string;
    readonly start: string;
    readonly end: string;
    readonly meetLink: string | null;
}
export interface CallMcpTool {
    readonly toolName: string;
    readonly arguments: {
        readonly [key: string]: Json;
    };
}
export interface CapabilityConnection {
    readonly suite: Suite;
    readonly configured: boolean;
    readonly status: "not_connected" | "ready" | "reconnect_required" | (string & {});
    readonly statusReason: string | null;
    readonly scopes: ReadonlyArray<string>;
    readonly connectedAt: Timestamp | null;
    readonly updatedAt: Timestamp | null;
}
export interface CatalogModel {
    readonly providerId: string;
    readonly id: string;
    readonly name: string;
    readonly capabilities: ReadonlyArray<LlmCapability>;
    readonly inputModalities: ReadonlyArray<string>;
    readonly outputModalities: ReadonlyArray<string>;
    readonly cost: LlmModelCost | null;
    readonly contextLimit: number | null;
    readonly outputLimit: number | null;
    readonly releaseDate: string | null;
    readonly lifecycle: string | null;
}
export interface CatalogModelPage {
    readonly items: ReadonlyArray<CatalogModel>;
    readonly nextCursor: string | null;
    readonly generatedAt: Timestamp;
    readonly stale: boolean;
}
export interface CatalogProvider {
    readonly id: string;
    readonly name: string;
    readonly apiFormat: LlmApiFormat;
    readonly baseUrl: string | null;
    readonly env: ReadonlyArray<string>;
    readonly npm: string | null;
    readonly docUrl: string | null;
    readonly modelCount: number;
}
export interface CatalogProviderPage {
    readonly items: ReadonlyArray<CatalogProvider>;
    readonly nextCursor: string | null;
    readonly generatedAt: Timestamp;
    readonly stale: boolean;
}
export interface ClaimLink {
    readonly id: InvitationId;
    readonly role: ClaimRole;
    readonly token: string;
    readonly url: string;
    readonly expiresAt: Timestamp;
}
export interface ClaimPreview {
    readonly organizationName: string;
    readonly role: ClaimRole;
    readonly expiresAt: Timestamp;
}
export type ClaimRole = "owner" | "admin" | "member" | (string & {});
export interface ClaimToken {
    readonly token: string;
}
export interface CloudReadiness {
    readonly state: "ready" | "needs_signin" | "needs_admin_setup" | "desktop_only" | "not_synced" | (string & {});
    readonly nextAction: string | null;
    readonly hasInstructional: boolean;
    readonly connections: ReadonlyArray<ReadinessConnection>;
}
export interface CodehostBranch {
    readonly name: string;
    readonly revision: string;
}
export interface CodehostRepository {
    readonly id: string;
    readonly fullName: string;
    readonly defaultBranch: string | null;
    readonly private: boolean;
}
export interface ComparedTemplateVersion {
    readonly id: TemplateVersionId;
    readonly ordinal: number;
    readonly createdAt: Timestamp;
}
export interface ComparedVersion {
    readonly id: ConfigObjectVersionId;
    readonly ordinal: number;
    readonly contentDigest: string;
    readonly createdAt: Timestamp;
}
export interface CompleteConnect {
    readonly state: string;
    readonly code: string;
    readonly iss?: string | undefined;
}
export interface CompleteInstall {
    readonly state: string;
    readonly code: string;
    readonly installationId: string;
}
export interface CompleteSso {
    readonly state: string;
    readonly code: string;
    readonly codeVerifier: string;
}
export interface CompleteSuiteConnect {
    readonly state: string;
    readonly code: string;
    readonly iss?: string | undefined;
}
export interface ComponentCounts {
    readonly skill: number;
    readonly agent: number;
    readonly command: number;
    readonly tool: number;
    readonly mcp: number;
    readonly hook: number;
    readonly context: number;
    readonly custom: number;
}
export interface ConfigObject {
    readonly id: ConfigObjectId;
    readonly organizationId: OrganizationId;
    readonly objectType: ObjectType;
    readonly sourceMode: SourceMode;
    readonly status: "active" | "archived" | "deleted" | "ingestion_error" | (string & {});
    readonly title: string;
    readonly description: string | null;
    readonly searchText: string | null;
    readonly currentFileName: string | null;
    readonly currentFileExtension: string | null;
    readonly currentRelativePath: string | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly connectorInstanceId: ConnectorInstanceId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
    readonly deletedAt: Timestamp | null;
    readonly latestVersion: ConfigObjectVersion | null;
}
export type ConfigObjectAccessGrantId = string;
export interface ConfigObjectGrant {
    readonly id: ConfigObjectAccessGrantId;
    readonly orgMembershipId: OrganizationMembershipId | null;
    readonly teamId: TeamId | null;
    readonly orgWide: boolean;
    readonly role: GrantRole;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly removedAt: Timestamp | null;
}
export type ConfigObjectId = string;
export interface ConfigObjectVersion {
    readonly id: ConfigObjectVersionId;
    readonly configObjectId: ConfigObjectId;
    readonly ordinal: number;
    readonly schemaVersion: string | null;
    readonly normalizedPayloadJson: JsonObject | null;
    readonly rawSourceText: string | null;
    readonly contentDigest: string;
    readonly createdVia: SourceMode;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly connectorSyncEventId: ConnectorSyncEventId | null;
    readonly sourceRevisionRef: string | null;
    readonly isDeletedVersion: boolean;
    readonly createdAt: Timestamp;
}
export type ConfigObjectVersionId = string;
export interface ConnectedLlmModel {
    readonly id: string;
    readonly name: string;
    readonly capabilities: ReadonlyArray<LlmCapability> | null;
    readonly contextLimit: number | null;
    readonly outputLimit: number | null;
    readonly cost: LlmModelCost | null;
}
export interface ConnectionTrouble {
    readonly id: ExternalMCPConnectionId;
    readonly name: string;
    readonly reason: "reconnect_required" | "review_required" | "not_connected" | (string & {});
}
export interface ConnectorAccount {
    readonly id: ConnectorAccountId;
    readonly organizationId: OrganizationId;
    readonly connectorType: "codehost";
    readonly adapter: "git" | "rest" | (string & {});
    readonly remoteId: string;
    readonly name: string;
    readonly status: "active" | "error" | "disconnected" | (string & {});
    readonly statusReason: string | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type ConnectorAccountId = string;
export interface ConnectorConfiguration {
    readonly connectorInstance: ConnectorInstance;
    readonly autoImportNewPlugins: boolean;
    readonly targets: ReadonlyArray<ConnectorTargetConfiguration>;
    readonly plugins: ReadonlyArray<{
        readonly key: string;
        readonly id: PluginId;
        readonly name: string;
        readonly connectorTargetId: ConnectorTargetId;
    }>;
}
export interface ConnectorInstance {
    readonly id: ConnectorInstanceId;
    readonly organizationId: OrganizationId;
    readonly connectorAccountId: ConnectorAccountId;
    readonly connectorType: "codehost";
    readonly adapter: "git" | "rest" | (string & {});
    readonly remoteId: string;
    readonly name: string;
    readonly status: "active" | "disabled" | "archived" | "error" | (string & {});
    readonly statusReason: string | null;
    readonly instanceConfigJson: JsonObject;
    readonly lastSyncedAt: Timestamp | null;
    readonly lastSyncCursor: string | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type ConnectorInstanceAccessGrantId = string;
export interface ConnectorInstanceGrant {
    readonly id: ConnectorInstanceAccessGrantId;
    readonly orgMembershipId: OrganizationMembershipId | null;
    readonly teamId: TeamId | null;
    readonly orgWide: boolean;
    readonly role: GrantRole;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly removedAt: Timestamp | null;
}
export type ConnectorInstanceId = string;
export interface ConnectorMapping {
    readonly id: ConnectorMappingId;
    readonly connectorInstanceId: ConnectorInstanceId;
    readonly connectorTargetId: ConnectorTargetId;
    readonly connectorType: "codehost";
    readonly remoteId: string | null;
    readonly mappingKind: MappingKind;
    readonly selector: string;
    readonly objectType: ObjectType;
    readonly pluginId: PluginId | null;
    readonly autoAddToPlugin: boolean;
    readonly mappingConfigJson: JsonObject | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export interface ConnectorMappingCounts {
    readonly imported: number;
    readonly byHand: number;
    readonly objects: number;
}
export type ConnectorMappingId = string;
export interface ConnectorPlan {
    readonly digest: string;
    readonly connectorTargetId: ConnectorTargetId;
    readonly revision: string;
    readonly baseRevision: string | null;
    readonly autoImportNewPlugins: boolean;
    readonly added: ReadonlyArray<PlannedChange>;
    readonly changed: ReadonlyArray<PlannedChange>;
    readonly removed: ReadonlyArray<PlannedChange>;
    readonly conflicts: ReadonlyArray<PlanConflict>;
    readonly counts: {
        readonly added: PlanCounts;
        readonly changed: PlanCounts;
        readonly removed: PlanCounts;
        readonly unchangedObjects: number;
    };
    readonly truncated: boolean;
    readonly warnings: ReadonlyArray<string>;
}
export interface ConnectorSyncEvent {
    readonly id: ConnectorSyncEventId;
    readonly connectorInstanceId: ConnectorInstanceId;
    readonly connectorTargetId: ConnectorTargetId;
    readonly status: SyncStatus;
    readonly trigger: "setup" | "enable" | "apply" | "manual" | "webhook" | "reconcile" | "retry" | "resync" | "mapping" | "rollback" | (string & {});
    readonly attempt: number;
    readonly baseRevision: string | null;
    readonly revision: string | null;
    readonly counts: SyncCounts;
    readonly progress: {
        readonly done: number;
        readonly total: number;
    } | null;
    readonly warnings: ReadonlyArray<string>;
    readonly error: {
        readonly code: string;
        readonly message: string;
    } | null;
    readonly createdAt: Timestamp;
    readonly startedAt: Timestamp | null;
    readonly endedAt: Timestamp | null;
}
export type ConnectorSyncEventId = string;
export interface ConnectorTarget {
    readonly id: ConnectorTargetId;
    readonly connectorInstanceId: ConnectorInstanceId;
    readonly connectorType: "codehost";
    readonly remoteId: string;
    readonly targetKind: "repository_branch";
    readonly externalTargetRef: string;
    readonly targetConfigJson: JsonObject;
    readonly lastSyncedAt: Timestamp | null;
    readonly lastSyncCursor: string | null;
    readonly pinnedRevision: string | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export interface ConnectorTargetConfiguration {
    readonly connectorTarget: ConnectorTarget;
    readonly marketplace: {
        readonly id: MarketplaceId;
        readonly name: string;
    } | null;
    readonly mappings: ConnectorMappingCounts;
    readonly lastSyncEvent: ConnectorSyncEvent | null;
}
export type ConnectorTargetId = string;
export interface CreateApiKey {
    readonly name: string;
    readonly permissions: ReadonlyArray<Permission>;
    readonly expiresAt?: string | null | undefined;
    readonly requestsPerMinute?: number | undefined;
}
export interface CreateConfigObject {
    readonly input: {
        readonly type: ObjectType;
        readonly sourceMode?: SourceMode | undefined;
        readonly rawSourceText?: string | undefined;
        readonly normalizedPayloadJson?: {
            readonly [key: string]: Json;
        } | undefined;
        readonly parserMode?: string | undefined;
        readonly schemaVersion?: string | undefined;
        readonly metadata?: {
            readonly [key: string]: Json;
        } | undefined;
    };
    readonly pluginIds?: ReadonlyArray<PluginId> | undefined;
}
export interface CreateConfigObjectVersion {
    readonly input: {
        readonly rawSourceText?: string | undefined;
        readonly normalizedPayloadJson?: {
            readonly [key: string]: Json;
        } | undefined;
        readonly parserMode?: string | undefined;
        readonly schemaVersion?: string | undefined;
        readonly metadata?: {
            readonly [key: string]: Json;
        } | undefined;
    };
}
export interface CreateConnectorAccount {
    readonly adapter: "git";
    readonly url: string;
    readonly name?: string | undefined;
}
export interface CreateConnectorInstance {
    readonly connectorAccountId: ConnectorAccountId;
    readonly remoteId: string;
    readonly branch?: string | undefined;
    readonly name?: string | undefined;
    readonly config?: {
        readonly [key: string]: Json;
    } | undefined;
}
export interface CreateConnectorMapping {
    readonly selector: string;
    readonly objectType: ObjectType;
    readonly pluginId?: PluginId | null | undefined;
    readonly autoAddToPlugin?: boolean | undefined;
}
export interface CreateConnectorTarget {
    readonly branch: string;
}
export interface CreateDesktopPolicy {
    readonly policyName: string;
    readonly policy: DesktopPolicySettingsInput;
    readonly priority?: number | undefined;
    readonly isEnabled?: boolean | undefined;
    readonly memberIds?: ReadonlyArray<OrganizationMembershipId> | undefined;
    readonly teamIds?: ReadonlyArray<TeamId> | undefined;
}
export interface CreateDomain {
    readonly domain: string;
}
export interface CreateGrant {
    readonly orgMembershipId?: OrganizationMembershipId | undefined;
    readonly teamId?: TeamId | undefined;
    readonly orgWide?: true | undefined;
    readonly role: GrantRole;
}
export interface CreateInvitation {
    readonly email: string;
    readonly role?: RoleName | undefined;
    readonly teamIds?: ReadonlyArray<TeamId> | undefined;
    readonly send?: boolean | undefined;
}
export interface CreateLlmProvider {
    readonly name: string;
    readonly providerId: string;
    readonly credentialMode?: LlmCredentialMode | undefined;
    readonly baseUrl?: string | undefined;
    readonly apiFormat?: LlmApiFormat | undefined;
    readonly env?: ReadonlyArray<string> | undefined;
    readonly models?: EnableLlmModels | null | undefined;
    readonly headers?: {
        readonly [key: string]: string;
    } | undefined;
    readonly options?: {
        readonly [key: string]: Json;
    } | undefined;
}
export interface CreateMailDraft {
    readonly to: ReadonlyArray<string>;
    readonly subject: string;
    readonly body: string;
    readonly cc?: ReadonlyArray<string> | undefined;
    readonly bcc?: ReadonlyArray<string> | undefined;
}
export interface CreateMarketplace {
    readonly name: string;
    readonly description?: string | null | undefined;
    readonly logoUrl?: string | null | undefined;
}
export interface CreateMarketplaceLink {
    readonly name: string;
    readonly teamId?: TeamId | null | undefined;
    readonly expiresAt?: string | null | undefined;
}
export interface CreateMcpConnection {
    readonly name: string;
    readonly url: string;
    readonly presetId?: string | undefined;
    readonly authType: McpAuthType;
    readonly credentialMode?: McpCredentialMode | undefined;
    readonly scopes?: ReadonlyArray<string> | null | undefined;
    readonly oauthClient?: McpOAuthClientInput | null | undefined;
    readonly apiKeyHeader?: string | undefined;
    readonly apiKeyScheme?: string | null | undefined;
}
export interface CreateOrganization {
    readonly name: string;
}
export interface CreatePlugin {
    readonly name: string;
    readonly description?: string | null | undefined;
}
export interface CreateRole {
    readonly name: string;
    readonly description?: string | null | undefined;
    readonly permissions: ReadonlyArray<Permission>;
}
export interface CreateScimDirectory {
    readonly name: string;
    readonly provider?: ScimProvider | undefined;
    readonly tokenExpiresAt?: Timestamp | null | undefined;
}
export interface CreateTeam {
    readonly name: string;
    readonly description?: string | null | undefined;
}
export interface CreateTemplate {
    readonly name: string;
    readonly description?: string | null | undefined;
    readonly content: TemplateContentInput;
}
export interface CreateTemplateVersion {
    readonly content: TemplateContentInput;
}
export interface CreateWorker {
    readonly name: string;
    readonly description?: string | null | undefined;
    readonly destination: WorkerDestination;
}
export interface CreateWorkerToken {
    readonly graceSeconds?: number | undefined;
    readonly expiresInSeconds?: number | undefined;
}
export interface CreateWorkspace {
    readonly workspaceName: string;
    readonly claimRoles?: ReadonlyArray<ClaimRole> | undefined;
    readonly ownerEmail?: string | undefined;
}
export interface DecideMcpReview {
    readonly fingerprint: string;
    readonly decision: "accept" | "reject" | (string & {});
}
export interface DesktopPolicy {
    readonly id: DesktopPolicyId;
    readonly organizationId: OrganizationId;
    readonly policyName: string;
    readonly policy: DesktopPolicySettings;
    readonly priority: number;
    readonly isEnabled: boolean;
    readonly memberIds: ReadonlyArray<OrganizationMembershipId>;
    readonly teamIds: ReadonlyArray<TeamId>;
    readonly audience: DesktopPolicyAudience;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type DesktopPolicyAudience = "organization" | "assigned" | "nobody" | (string & {});
export type DesktopPolicyId = string;
export type DesktopPolicyLostBy = "priority" | "specificity" | "age" | "id" | (string & {});
export type DesktopPolicyRule = "unstated" | "only" | "priority" | "specificity" | "age" | "id" | (string & {});
export interface DesktopPolicySettings {
    readonly allowCustomProviders: boolean | null;
    readonly allowPartnerModel: boolean | null;
    readonly allowMultipleWorkspaces: boolean | null;
    readonly allowControlSettings: boolean | null;
    readonly allowManageExtensions: boolean | null;
    readonly allowBuiltInExtensions: boolean | null;
    readonly allowAlphaUpdates: boolean | null;
    readonly showWelcomePage: boolean | null;
    readonly onboardingPrompts: ReadonlyArray<string> | null;
    readonly onboardingPromptDescriptions: ReadonlyArray<string> | null;
}
export interface DesktopPolicySettingsInput {
    readonly allowCustomProviders?: boolean | null | undefined;
    readonly allowPartnerModel?: boolean | null | undefined;
    readonly allowMultipleWorkspaces?: boolean | null | undefined;
    readonly allowControlSettings?: boolean | null | undefined;
    readonly allowManageExtensions?: boolean | null | undefined;
    readonly allowBuiltInExtensions?: boolean | null | undefined;
    readonly allowAlphaUpdates?: boolean | null | undefined;
    readonly showWelcomePage?: boolean | null | undefined;
    readonly onboardingPrompts?: ReadonlyArray<string> | null | undefined;
    readonly onboardingPromptDescriptions?: ReadonlyArray<string> | null | undefined;
}
export interface DesktopPolicySimulation {
    readonly memberCount: number;
    readonly changeCount: number;
    readonly settings: ReadonlyArray<{
        readonly setting: DesktopSetting;
        readonly memberCount: number;
        readonly turnedOn: number | null;
        readonly turnedOff: number | null;
    }>;
    readonly changes: ReadonlyArray<DesktopSettingChange>;
    readonly truncated: boolean;
}
export interface DesktopPolicySource {
    readonly id: DesktopPolicyId | null;
    readonly policyName: string | null;
    readonly priority: number;
    readonly through: DesktopPolicyThrough;
    readonly createdAt: Timestamp | null;
}
export type DesktopPolicyThrough = "member" | "team" | "organization" | (string & {});
export interface DesktopPrompt {
    readonly prompt: string;
    readonly description: string;
}
export type DesktopSetting = "allowCustomProviders" | "allowPartnerModel" | "allowMultipleWorkspaces" | "allowControlSettings" | "allowManageExtensions" | "allowBuiltInExtensions" | "allowAlphaUpdates" | "showWelcomePage" | "onboardingPrompts" | (string & {});
export interface DesktopSettingChange {
    readonly orgMembershipId: OrganizationMembershipId;
    readonly setting: DesktopSetting;
    readonly before: DesktopSettingDecision;
    readonly after: DesktopSettingDecision;
}
export interface DesktopSettingDecision {
    readonly value: DesktopSettingValue;
    readonly winner: DesktopPolicySource | null;
}
export interface DesktopSettingExplanation {
    readonly setting: DesktopSetting;
    readonly value: DesktopSettingValue;
    readonly rule: DesktopPolicyRule;
    readonly winner: DesktopPolicySource | null;
    readonly losers: ReadonlyArray<{
        readonly id: DesktopPolicyId | null;
        readonly policyName: string | null;
        readonly priority: number;
        readonly through: DesktopPolicyThrough;
        readonly createdAt: Timestamp | null;
        readonly value: DesktopSettingValue;
        readonly lostBy: DesktopPolicyLostBy;
    }>;
    readonly loserCount: number;
}
export type DesktopSettingValue = boolean | ReadonlyArray<DesktopPrompt>;
export interface DiscoveredPlugin {
    readonly key: string;
    readonly rootPath: string;
    readonly displayName: string;
    readonly description: string | null;
    readonly selectedByDefault: boolean;
    readonly supported: boolean;
    readonly manifestPath: string | null;
    readonly warnings: ReadonlyArray<string>;
    readonly componentKinds: ReadonlyArray<string>;
    readonly componentPaths: {
        readonly agents: ReadonlyArray<string>;
        readonly commands: ReadonlyArray<string>;
        readonly hooks: ReadonlyArray<string>;
        readonly lspServers: ReadonlyArray<string>;
        readonly mcpServers: ReadonlyArray<string>;
        readonly monitors: ReadonlyArray<string>;
        readonly settings: ReadonlyArray<string>;
        readonly skills: ReadonlyArray<string>;
    };
    readonly metadata: JsonObject;
}
export interface Discovery {
    readonly autoImportNewPlugins: boolean;
    readonly connectorInstance: ConnectorInstance;
    readonly connectorTarget: ConnectorTarget;
    readonly discoveredPlugins: ReadonlyArray<DiscoveredPlugin>;
    readonly repositoryFullName: string;
    readonly sourceRevisionRef: string;
    readonly steps: ReadonlyArray<{
        readonly label: string;
    }>;
    readonly treeSummary: {
        readonly scannedEntryCount: number;
        readonly strategy: string;
        readonly truncated: boolean;
    };
    readonly warnings: ReadonlyArray<string>;
}
export interface Domain {
    readonly id: DomainId;
    readonly organizationId: OrganizationId;
    readonly domain: string;
    readonly status: "pending" | "verified" | "lapsed" | (string & {});
    readonly verification: {
        readonly type: "TXT";
        readonly name: string;
        readonly value: string;
    };
    readonly verifiedAt: Timestamp | null;
    readonly lastCheckedAt: Timestamp | null;
    readonly failure: DomainFailure | null;
    readonly failingSince: Timestamp | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type DomainFailure = "dns_unavailable" | "record_missing" | "record_mismatch" | "domain_taken" | (string & {});
export type DomainId = string;
export interface EffectiveDesktopPolicy {
    readonly allowCustomProviders: boolean;
    readonly allowPartnerModel: boolean;
    readonly allowMultipleWorkspaces: boolean;
    readonly allowControlSettings: boolean;
    readonly allowManageExtensions: boolean;
    readonly allowBuiltInExtensions: boolean;
    readonly allowAlphaUpdates: boolean;
    readonly showWelcomePage: boolean;
    readonly onboardingPrompts: ReadonlyArray<string>;
    readonly onboardingPromptDescriptions: ReadonlyArray<string>;
}
export interface EffectiveDesktopPolicyResponse {
    readonly desktopPolicy: EffectiveDesktopPolicy;
    readonly explanation: ReadonlyArray<DesktopSettingExplanation> | null;
}
export interface EmailChallenge {
    readonly challengeId: string;
    readonly expiresAt: Timestamp;
}
export interface EnableLlmModel {
    readonly id: string;
    readonly label?: string | null | undefined;
    readonly capabilities?: ReadonlyArray<LlmCapability> | null | undefined;
    readonly contextLimit?: number | null | undefined;
    readonly outputLimit?: number | null | undefined;
}
export type EnableLlmModels = ReadonlyArray<EnableLlmModel>;
export interface EnabledLlmModel {
    readonly id: string;
    readonly label: string | null;
    readonly capabilities: ReadonlyArray<LlmCapability> | null;
    readonly contextLimit: number | null;
    readonly outputLimit: number | null;
}
export interface EnforceSso {
    readonly breakGlass: ReadonlyArray<OrganizationMembershipId>;
}
export interface ExchangeSession {
    readonly subject?: string | undefined;
    readonly orgMembershipId?: OrganizationMembershipId | undefined;
    readonly expiresInSeconds?: number | undefined;
}
export interface ExplainAccess {
    readonly orgMembershipId?: OrganizationMembershipId | undefined;
    readonly object: {
        readonly kind: GrantedObjectKind;
        readonly id: string;
    };
    readonly action: "view" | "edit" | "manage" | (string & {});
}
export type ExternalMCPConnectionId = string;
export type GrantRole = "viewer" | "editor" | "manager" | (string & {});
export type GrantedObjectKind = "connectorInstance" | "configObject" | "plugin" | "marketplace" | "mcpConnection" | "llmProvider" | (string & {});
export interface Health {
    readonly status: "ok";
}
export interface IngestTelemetry {
    readonly events: ReadonlyArray<TelemetryEvent>;
}
export interface InspectedBody {
    readonly text: string;
    readonly bytes: number;
    readonly truncated: boolean;
    readonly unavailable: boolean;
}
export interface InspectedHeader {
    readonly name: string;
    readonly value: string;
    readonly redacted: boolean;
}
export interface InstantiateTemplate {
    readonly versionId?: TemplateVersionId | undefined;
    readonly name?: string | undefined;
    readonly variables?: {
        readonly [key: string]: string;
    } | undefined;
}
export interface Invitation {
    readonly id: InvitationId;
    readonly organizationId: OrganizationId;
    readonly email: string;
    readonly role: string;
    readonly teamIds: ReadonlyArray<TeamId>;
    readonly status: InvitationStatus;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly expiresAt: Timestamp;
    readonly acceptedAt: Timestamp | null;
}
export type InvitationId = string;
export interface InvitationLink {
    readonly token: string;
    readonly url: string;
}
export interface InvitationPreview {
    readonly organizationName: string;
    readonly email: string;
    readonly role: string;
    readonly expiresAt: Timestamp;
}
export type InvitationStatus = "pending" | "accepted" | "cancelled" | "expired" | (string & {});
export interface InvitationToken {
    readonly token: string;
}
export interface InvitationWithLink {
    readonly invitation: Invitation;
    readonly link: InvitationLink | null;
}
export type JsonObject = {
    readonly [key: string]: Json;
};
export type LLMProviderAccessGrantId = string;
export type LLMProviderId = string;
export interface LibraryEntry {
    readonly kind: "plugin" | "configObject" | (string & {});
    readonly id: string;
    readonly name: string;
    readonly through: {
        readonly kind: "admin" | "direct" | "team" | "orgWide" | "marketplace" | "plugin" | (string & {});
        readonly id: string | null;
    };
}
export interface ListedMcpPreset {
    readonly presetId: string;
    readonly displayName: string;
    readonly description: string;
    readonly url: string;
    readonly requiresOAuthClient: boolean;
    readonly checkedOn: string;
}
export type LlmApiFormat = "openai_compatible" | "anthropic" | "google" | "azure_openai" | "other" | (string & {});
export type LlmCapability = "attachment" | "reasoning" | "tool_call" | "temperature" | "structured_output" | "open_weights" | (string & {});
export interface LlmConnection {
    readonly llmProviderId: LLMProviderId;
    readonly name: string;
    readonly providerId: string;
    readonly apiFormat: LlmApiFormat;
    readonly baseUrl: string | null;
    readonly npm: string | null;
    readonly env: ReadonlyArray<string>;
    readonly headers: {
        readonly [key: string]: string;
    };
    readonly options: JsonObject;
    readonly models: ReadonlyArray<ConnectedLlmModel> | null;
    readonly credential: {
        readonly apiKey: string;
        readonly shared: boolean;
        readonly header: string | null;
        readonly scheme: string | null;
    } | null;
}
export type LlmCredentialMode = "shared" | "per_member" | "none" | (string & {});
export interface LlmModelCost {
    readonly input: number | null;
    readonly output: number | null;
    readonly cacheRead: number | null;
    readonly cacheWrite: number | null;
}
export interface LlmProvider {
    readonly id: LLMProviderId;
    readonly organizationId: OrganizationId;
    readonly name: string;
    readonly providerId: string;
    readonly apiFormat: LlmApiFormat;
    readonly baseUrl: string | null;
    readonly env: ReadonlyArray<string>;
    readonly npm: string | null;
    readonly docUrl: string | null;
    readonly models: ReadonlyArray<EnabledLlmModel> | null;
    readonly credentialMode: LlmCredentialMode;
    readonly status: LlmProviderStatus;
    readonly statusReason: string | null;
    readonly connectedForMe: boolean;
    readonly headers: {
        readonly [key: string]: string;
    };
    readonly options: JsonObject;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export interface LlmProviderGrant {
    readonly id: LLMProviderAccessGrantId;
    readonly orgMembershipId: OrganizationMembershipId | null;
    readonly teamId: TeamId | null;
    readonly orgWide: boolean;
    readonly role: GrantRole;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly removedAt: Timestamp | null;
}
export type LlmProviderStatus = "not_connected" | "ready" | (string & {});
export interface LlmProviderTest {
    readonly ok: boolean;
    readonly category: "network" | "authentication" | "provider" | "protocol" | "configuration" | (string & {}) | null;
    readonly code: "destination_blocked" | "unreachable" | "timeout" | "too_many_redirects" | "busy" | "unauthorized" | "forbidden" | "not_found" | "rate_limited" | "server_error" | "http_error" | "unexpected_answer" | "answer_too_large" | "not_testable" | (string & {}) | null;
    readonly message: string;
    readonly latencyMs: number;
    readonly providerStatus: number | null;
    readonly modelsSeen: number | null;
    readonly models: ReadonlyArray<string>;
    readonly missingModels: ReadonlyArray<string> | null;
}
export type MCPConnectionAccessGrantId = string;
export interface MailMessage {
    readonly id: string;
    readonly conversationId: string | null;
    readonly subject: string;
    readonly receivedDateTime: string | null;
    readonly preview: string;
    readonly from: Mailbox | null;
    readonly to: ReadonlyArray<Mailbox>;
    readonly cc: ReadonlyArray<Mailbox>;
    readonly webLink: string | null;
    readonly hasAttachments: boolean;
    readonly body: string;
    readonly bodyContentType: string;
    readonly bodyTruncated: boolean;
}
export interface Mailbox {
    readonly name: string | null;
    readonly address: string;
}
export type MappingKind = "path" | "api" | "custom" | (string & {});
export interface Marketplace {
    readonly id: MarketplaceId;
    readonly organizationId: OrganizationId;
    readonly name: string;
    readonly description: string | null;
    readonly logoUrl: string | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
    readonly archivedAt: Timestamp | null;
    readonly deletedAt: Timestamp | null;
    readonly canDelete: boolean;
    readonly pluginCount: number;
}
export type MarketplaceAccessGrantId = string;
export interface MarketplaceEntry {
    readonly name: string;
    readonly displayName?: string | undefined;
    readonly source: PluginArchiveSource;
    readonly description?: string | undefined;
    readonly version?: string | undefined;
    readonly author?: {
        readonly name: string;
        readonly email?: string | undefined;
        readonly url?: string | undefined;
    } | undefined;
    readonly homepage?: string | undefined;
    readonly repository?: string | undefined;
    readonly license?: string | undefined;
    readonly category?: string | undefined;
    readonly tags?: ReadonlyArray<string> | undefined;
    readonly keywords?: ReadonlyArray<string> | undefined;
}
export interface MarketplaceGrant {
    readonly id: MarketplaceAccessGrantId;
    readonly orgMembershipId: OrganizationMembershipId | null;
    readonly teamId: TeamId | null;
    readonly orgWide: boolean;
    readonly role: GrantRole;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly removedAt: Timestamp | null;
}
export type MarketplaceId = string;
export interface MarketplaceLink {
    readonly id: MarketplaceLinkId;
    readonly marketplaceId: MarketplaceId;
    readonly name: string;
    readonly orgMembershipId: OrganizationMembershipId | null;
    readonly teamId: TeamId | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId;
    readonly createdAt: Timestamp;
    readonly expiresAt: Timestamp | null;
    readonly lastUsedAt: Timestamp | null;
    readonly revokedAt: Timestamp | null;
}
export type MarketplaceLinkId = string;
export type MarketplaceLinkToken = string;
export interface MarketplaceLinkWithUrl {
    readonly id: MarketplaceLinkId;
    readonly marketplaceId: MarketplaceId;
    readonly name: string;
    readonly orgMembershipId: OrganizationMembershipId | null;
    readonly teamId: TeamId | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId;
    readonly createdAt: Timestamp;
    readonly expiresAt: Timestamp | null;
    readonly lastUsedAt: Timestamp | null;
    readonly revokedAt: Timestamp | null;
    readonly url: string;
    readonly minimumClientVersion: string;
}
export interface MarketplaceManifest {
    readonly name: string;
    readonly owner: {
        readonly name: string;
    };
    readonly metadata: {
        readonly description: string;
    };
    readonly plugins: ReadonlyArray<MarketplaceEntry>;
}
export interface MarketplaceMembership {
    readonly id: MarketplaceToPluginMembershipId;
    readonly marketplaceId: MarketplaceId;
    readonly pluginId: PluginId;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly removedAt: Timestamp | null;
    readonly plugin: Plugin;
}
export interface MarketplaceSource {
    readonly connectorAccountId: ConnectorAccountId;
    readonly connectorInstanceId: ConnectorInstanceId;
    readonly accountLogin: string;
    readonly repositoryFullName: string;
    readonly branch: string;
}
export type MarketplaceToPluginMembershipId = string;
export type McpAuthType = "oauth" | "apikey" | "none" | (string & {});
export interface McpAuthorizationServer {
    readonly issuer: string;
    readonly authorizationEndpoint: string;
    readonly tokenEndpoint: string;
    readonly registrationEndpoint: string | null;
    readonly clientIdMetadataDocumentSupported: boolean;
    readonly scopesSupported: ReadonlyArray<string>;
    readonly grantTypesSupported: ReadonlyArray<string>;
    readonly codeChallengeMethodsSupported: ReadonlyArray<string>;
    readonly tokenEndpointAuthMethodsSupported: ReadonlyArray<string>;
}
export interface McpClientMetadata {
    readonly client_id: string;
    readonly client_name: string;
    readonly client_uri: string;
    readonly redirect_uris: ReadonlyArray<string>;
    readonly grant_types: ReadonlyArray<string>;
    readonly response_types: ReadonlyArray<string>;
    readonly token_endpoint_auth_method: "none";
}
export interface McpConnection {
    readonly id: ExternalMCPConnectionId;
    readonly organizationId: OrganizationId;
    readonly name: string;
    readonly url: string;
    readonly presetId: string | null;
    readonly authType: McpAuthType;
    readonly credentialMode: McpCredentialMode;
    readonly status: McpConnectionStatus;
    readonly statusReason: string | null;
    readonly connectedForMe: boolean;
    readonly scopes: ReadonlyArray<string> | null;
    readonly missingScopes: ReadonlyArray<string>;
    readonly oauthClient: {
        readonly clientId: string;
        readonly registration: McpRegistrationMethod;
        readonly hasSecret: boolean;
    } | null;
    readonly apiKeyHeader: string | null;
    readonly apiKeyScheme: string | null;
    readonly fingerprint: string | null;
    readonly toolsCheckedAt: Timestamp | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export interface McpConnectionGrant {
    readonly id: MCPConnectionAccessGrantId;
    readonly orgMembershipId: OrganizationMembershipId | null;
    readonly teamId: TeamId | null;
    readonly orgWide: boolean;
    readonly role: GrantRole;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly removedAt: Timestamp | null;
}
export type McpConnectionStatus = "not_connected" | "ready" | "reconnect_required" | "review_required" | (string & {});
export type McpCredentialMode = "shared" | "per_member" | (string & {});
export interface McpDiagnostic {
    readonly referenceId: string;
    readonly category: "network" | "http" | "authentication" | "protocol" | "tool" | (string & {});
    readonly code: "destination_blocked" | "unreachable" | "timeout" | "too_many_redirects" | "busy" | "http_error" | "not_found" | "rate_limited" | "server_error" | "not_mcp" | "unauthorized" | "insufficient_scope" | "refresh_failed" | "authorization_server_invalid" | "invalid_message" | "id_mismatch" | "closed_early" | "unsupported_version" | "session_lost" | "json_rpc_error" | "response_too_large" | "tool_error" | "tool_not_found" | "invalid_arguments" | "input_required" | (string & {});
    readonly message: string;
    readonly retryable: boolean;
    readonly operatorAction?: string | undefined;
    readonly requiredScopes?: ReadonlyArray<string> | undefined;
    readonly connectUrl?: string | undefined;
    readonly httpStatus?: number | undefined;
    readonly providerStatus?: number | undefined;
    readonly providerRequestId?: string | undefined;
    readonly providerCode?: string | undefined;
    readonly payloadBytes?: number | undefined;
    readonly jsonRpcCode?: number | undefined;
    readonly outbound?: {
        readonly origin: string;
        readonly pathHash: string;
    } | undefined;
}
export interface McpDiscovery {
    readonly server: {
        readonly url: string;
        readonly protocolVersion: string | null;
    };
    readonly authentication: {
        readonly authorizationServers: ReadonlyArray<McpAuthorizationServer>;
        readonly requiredScopes: ReadonlyArray<string>;
        readonly recommendedScopes: ReadonlyArray<string>;
        readonly availableRegistrationMethods: ReadonlyArray<McpRegistrationMethod>;
        readonly resource: string | null;
        readonly protectedResourceMetadataUrl: string | null;
    } | null;
    readonly tools: {
        readonly count: number;
        readonly items: ReadonlyArray<{
            readonly name: string;
            readonly readOnlyHint: boolean;
            readonly destructiveHint: boolean;
            readonly openWorldHint: boolean;
        }>;
    } | null;
    readonly manualRequirements: ReadonlyArray<{
        readonly code: string;
        readonly label: string;
        readonly reason: string;
        readonly required: boolean;
    }>;
    readonly warnings: ReadonlyArray<{
        readonly code: string;
        readonly message: string;
    }>;
}
export interface McpDriftChange {
    readonly kind: "issuer" | "authorization_endpoint" | "token_endpoint" | "scopes" | "tool_added" | "tool_removed" | "tool_changed" | (string & {});
    readonly name: string | null;
    readonly members: ReadonlyArray<string>;
    readonly before: Json | null;
    readonly after: Json | null;
}
export interface McpInspection {
    readonly diagnosis: {
        readonly summary: string;
    };
    readonly request?: {
        readonly method: string;
        readonly url: string;
        readonly startedAt: Timestamp;
        readonly headers: ReadonlyArray<InspectedHeader>;
        readonly body: InspectedBody;
    } | undefined;
    readonly response?: {
        readonly status: number;
        readonly statusText: string;
        readonly durationMs: number;
        readonly headers: ReadonlyArray<InspectedHeader>;
        readonly body: InspectedBody;
    } | undefined;
}
export interface McpOAuthClientInput {
    readonly clientId: string;
    readonly clientSecret?: string | undefined;
}
export interface McpPreset {
    readonly presetId: string;
    readonly displayName: string;
    readonly description: string;
    readonly url: string;
    readonly requiresOAuthClient: boolean;
}
export type McpRegistrationMethod = "pre_registered" | "client_id_metadata_document" | "dynamic" | (string & {});
export interface McpResolution {
    readonly resolution: "preset" | "discovered" | "not_found" | (string & {});
    readonly attempted: ReadonlyArray<string>;
    readonly attempts: ReadonlyArray<{
        readonly url: string;
        readonly redirectedTo: string | null;
        readonly result: string;
    }>;
    readonly reason: string | null;
    readonly preset?: McpPreset | undefined;
    readonly match?: {
        readonly url: string;
        readonly suggestedName: string;
        readonly discovery: McpDiscovery;
    } | undefined;
}
export interface McpReview {
    readonly fingerprint: string;
    readonly acceptedFingerprint: string;
    readonly detectedAt: Timestamp;
    readonly decision: "reject" | null;
    readonly changes: ReadonlyArray<McpDriftChange>;
    readonly changesTruncated: boolean;
}
export interface McpTool {
    readonly name: string;
    readonly title: string | null;
    readonly description: string | null;
    readonly inputSchema: JsonObject;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
    readonly decision: McpToolDecision;
}
export interface McpToolCall {
    readonly referenceId: string;
    readonly durationMs: number;
    readonly result: Json;
    readonly inspection: McpInspection;
}
export type McpToolDecision = "allowed" | "denied" | "review_required" | (string & {});
export interface McpToolPage {
    readonly items: ReadonlyArray<McpTool>;
    readonly nextCursor: string | null;
    readonly fingerprint: string;
    readonly checkedAt: Timestamp;
}
export interface McpToolPolicy {
    readonly mode: "all" | "read_only" | "listed" | (string & {});
    readonly allowed: ReadonlyArray<string>;
    readonly denied: ReadonlyArray<string>;
}
export interface Member {
    readonly id: OrganizationMembershipId;
    readonly organizationId: OrganizationId;
    readonly userId: UserId;
    readonly email: string | null;
    readonly name: string | null;
    readonly role: string;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export interface MemberBatch {
    readonly items: ReadonlyArray<{
        readonly action: "setRole";
        readonly orgMembershipId: OrganizationMembershipId;
        readonly role: RoleName;
    } | {
        readonly action: "remove";
        readonly orgMembershipId: OrganizationMembershipId;
    }>;
}
export interface MemberBatchResult {
    readonly results: ReadonlyArray<{
        readonly index: number;
        readonly ok: boolean;
        readonly orgMembershipId: OrganizationMembershipId;
        readonly error: {
            readonly code: string;
            readonly message: string;
        } | null;
    }>;
}
export interface Memory {
    readonly id: MemoryId;
    readonly organizationId: OrganizationId;
    readonly content: string;
    readonly tags: ReadonlyArray<string>;
    readonly source: string;
    readonly scope: string;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export interface MemoryContext {
    readonly snippet: string;
    readonly conversation_id?: string | undefined;
    readonly message_id?: string | undefined;
    readonly origin?: "active_conversation" | "searched_conversation" | (string & {}) | undefined;
}
export type MemoryId = string;
export interface MemorySearchResult {
    readonly id: MemoryId;
    readonly organizationId: OrganizationId;
    readonly content: string;
    readonly tags: ReadonlyArray<string>;
    readonly source: string;
    readonly scope: string;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
    readonly score: number;
}
export interface NewSession {
    readonly id: SessionId;
    readonly token: string;
    readonly expiresAt: Timestamp;
}
export interface NotReady {
    readonly status: "not_ready";
    readonly checks: {
        readonly database: "ok" | "failed" | (string & {});
        readonly queue: "ok" | "failed" | (string & {});
        readonly writes: "ok" | "failed" | (string & {});
        readonly disk?: "ok" | "failed" | (string & {}) | undefined;
    };
}
export type ObjectType = "skill" | "agent" | "command" | "tool" | "mcp" | "hook" | "context" | "custom" | (string & {});
export interface OidcSettings {
    readonly issuer: string;
    readonly clientId: string;
    readonly scopes: ReadonlyArray<string>;
    readonly hasClientSecret: boolean;
}
export interface Organization {
    readonly id: OrganizationId;
    readonly name: string;
    readonly plan: string;
    readonly provisional: boolean;
    readonly provisionalExpiresAt: Timestamp | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type OrganizationId = string;
export type OrganizationMembershipId = string;
export interface PayloadChange {
    readonly op: "add" | "remove" | "replace" | (string & {});
    readonly path: string;
    readonly before: Json | null;
    readonly after: Json | null;
}
export type Permission = "connectors:read" | "connectors:write" | "connectors:manage" | "configObjects:read" | "configObjects:write" | "configObjects:manage" | "plugins:read" | "plugins:write" | "plugins:manage" | "marketplaces:read" | "marketplaces:write" | "marketplaces:manage" | "desktopPolicies:read" | "desktopPolicies:write" | "desktopPolicies:manage" | "mcpConnections:read" | "mcpConnections:write" | "mcpConnections:manage" | "llmProviders:read" | "llmProviders:write" | "llmProviders:manage" | "templates:read" | "templates:write" | "templates:manage" | "workers:read" | "workers:write" | "workers:manage" | "telemetry:read" | "telemetry:write" | "telemetry:manage" | "organizations:read" | "organizations:write" | "organizations:manage" | "members:read" | "members:write" | "members:manage" | "teams:read" | "teams:write" | "teams:manage" | "roles:read" | "roles:write" | "roles:manage" | "invitations:read" | "invitations:write" | "invitations:manage" | "apiKeys:read" | "apiKeys:write" | "apiKeys:manage" | "sso:read" | "sso:write" | "sso:manage" | "scim:read" | "scim:write" | "scim:manage" | "webhooks:read" | "webhooks:write" | "webhooks:manage" | "mcp:resolve" | "mcp:call" | "sessions:mint" | "invitations:link" | "access:read" | "audit:read" | "analytics:read" | (string & {});
export interface PermissionEntry {
    readonly permission: Permission;
    readonly description: string;
    readonly roles: ReadonlyArray<"owner" | "admin" | "member" | (string & {})>;
}
export interface PlanConflict {
    readonly code: "plugin_name_taken" | "fed_by_another_target" | "file_too_large" | "review_required" | "revision_rejected" | "target_pinned" | (string & {});
    readonly pluginKey: string | null;
    readonly name: string | null;
    readonly message: string;
}
export interface PlanCounts {
    readonly marketplaces: number;
    readonly plugins: number;
    readonly mappings: number;
    readonly objects: number;
    readonly files: number;
}
export interface PlannedChange {
    readonly kind: "marketplace" | "plugin" | "mapping" | "object" | "file" | (string & {});
    readonly pluginKey: string | null;
    readonly name: string;
    readonly was: string | null;
    readonly objectType: ObjectType | null;
    readonly pointer: string | null;
}
export interface PlatformOrganization {
    readonly id: OrganizationId;
    readonly name: string;
    readonly plan: string;
    readonly provisional: boolean;
    readonly provisionalExpiresAt: Timestamp | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
    readonly memberCount: number;
    readonly lastActiveDay: string | null;
}
export interface PlatformUser {
    readonly id: UserId;
    readonly name: string | null;
    readonly email: string | null;
    readonly emailVerified: boolean;
    readonly organizations: number;
    readonly lastActiveDay: string | null;
    readonly createdAt: Timestamp;
}
export interface Plugin {
    readonly id: PluginId;
    readonly organizationId: OrganizationId;
    readonly name: string;
    readonly description: string | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
    readonly archivedAt: Timestamp | null;
    readonly deletedAt: Timestamp | null;
    readonly memberCount: number;
    readonly marketplaces: ReadonlyArray<{
        readonly id: MarketplaceId;
        readonly name: string;
    }>;
    readonly extension: PluginExtension | null;
}
export type PluginAccessGrantId = string;
export interface PluginArchiveSource {
    readonly source: "archive";
    readonly url: string;
    readonly sha256: string;
}
export interface PluginExtension {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly manifest: PluginManifest;
}
export interface PluginGrant {
    readonly id: PluginAccessGrantId;
    readonly orgMembershipId: OrganizationMembershipId | null;
    readonly teamId: TeamId | null;
    readonly orgWide: boolean;
    readonly role: GrantRole;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly removedAt: Timestamp | null;
}
export type PluginId = string;
export interface PluginManifest {
    readonly schemaVersion: number;
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly source: {
        readonly trusted: boolean;
        readonly reference: string;
    };
    readonly resources: ReadonlyArray<JsonObject>;
    readonly contributions: ReadonlyArray<JsonObject>;
    readonly setup: JsonObject;
    readonly lifecycle: JsonObject;
}
export interface PluginMembership {
    readonly id: PluginToConfigObjectMembershipId;
    readonly pluginId: PluginId;
    readonly configObjectId: ConfigObjectId;
    readonly connectorMappingId: ConnectorMappingId | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly removedAt: Timestamp | null;
    readonly configObject: ConfigObject;
}
export interface PluginPlacement {
    readonly id: PluginToConfigObjectMembershipId;
    readonly pluginId: PluginId;
    readonly configObjectId: ConfigObjectId;
    readonly connectorMappingId: ConnectorMappingId | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly removedAt: Timestamp | null;
}
export type PluginToConfigObjectMembershipId = string;
export interface PutOidc {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret?: string | undefined;
    readonly scopes?: ReadonlyArray<string> | undefined;
    readonly jit?: {
        readonly enabled: boolean;
        readonly role?: RoleName | undefined;
    } | undefined;
}
export interface PutSaml {
    readonly metadata?: string | undefined;
    readonly idpEntityId?: string | undefined;
    readonly ssoUrl?: string | undefined;
    readonly certificates?: ReadonlyArray<string> | undefined;
    readonly attributes?: {
        readonly email?: string | undefined;
        readonly name?: string | undefined;
    } | undefined;
    readonly jit?: {
        readonly enabled: boolean;
        readonly role?: RoleName | undefined;
    } | undefined;
}
export interface ReadinessConnection {
    readonly configObjectId: ConfigObjectId;
    readonly id: ExternalMCPConnectionId | null;
    readonly name: string;
    readonly serverName: string;
    readonly url: string | null;
    readonly authTypeMismatch: boolean;
    readonly connectedForMe: boolean;
    readonly oauthClientConfigured: boolean;
    readonly oauthClientRequired: boolean;
}
export interface Ready {
    readonly status: "ready";
    readonly checks: {
        readonly database: "ok" | "failed" | (string & {});
        readonly queue: "ok" | "failed" | (string & {});
        readonly writes: "ok" | "failed" | (string & {});
        readonly disk?: "ok" | "failed" | (string & {}) | undefined;
    };
}
export interface ReportWorkerActivity {
    readonly kind: string;
    readonly message: string;
    readonly sessionId?: string | null | undefined;
    readonly occurredAt?: string | undefined;
}
export interface ResolveMcp {
    readonly query: string;
}
export interface ResolvedMarketplace {
    readonly marketplace: Marketplace;
    readonly plugins: ReadonlyArray<ResolvedPlugin>;
    readonly source: MarketplaceSource | null;
}
export interface ResolvedPlugin {
    readonly id: PluginId;
    readonly organizationId: OrganizationId;
    readonly name: string;
    readonly description: string | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
    readonly archivedAt: Timestamp | null;
    readonly deletedAt: Timestamp | null;
    readonly memberCount: number;
    readonly marketplaces: ReadonlyArray<{
        readonly id: MarketplaceId;
        readonly name: string;
    }>;
    readonly extension: PluginExtension | null;
    readonly componentCounts: ComponentCounts;
    readonly cloudReadiness: CloudReadiness;
}
export interface Role {
    readonly id: RoleId;
    readonly organizationId: OrganizationId;
    readonly name: string;
    readonly description: string | null;
    readonly permissions: ReadonlyArray<Permission>;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type RoleId = string;
export type RoleName = "owner" | "admin" | "member" | (string & {}) | RoleId;
export interface RollbackConnector {
    readonly revision: string;
    readonly connectorTargetId?: ConnectorTargetId | undefined;
}
export interface RotateApiKey {
    readonly graceSeconds?: number | undefined;
}
export interface RotateScimToken {
    readonly graceSeconds?: number | undefined;
    readonly expiresAt?: Timestamp | null | undefined;
}
export type SCIMDirectoryId = string;
export type SCIMGroupId = string;
export type SCIMGroupPathId = string;
export type SCIMHoldId = string;
export type SCIMLogEntryId = string;
export type SCIMTokenId = string;
export type SCIMUserId = string;
export type SCIMUserPathId = string;
export type SSOConnectionId = string;
export interface SamlCertificate {
    readonly sha256: string;
    readonly subject: string;
    readonly notBefore: Timestamp;
    readonly notAfter: Timestamp;
}
export interface SamlResponseForm {
    readonly SAMLResponse?: string | undefined;
    readonly RelayState?: string | undefined;
}
export interface SamlSettings {
    readonly idpEntityId: string;
    readonly ssoUrl: string;
    readonly certificates: ReadonlyArray<SamlCertificate>;
    readonly attributes: {
        readonly email: string | null;
        readonly name: string | null;
    };
}
export interface SaveMemory {
    readonly content: string;
    readonly tags?: ReadonlyArray<string> | undefined;
    readonly contexts?: ReadonlyArray<MemoryContext> | undefined;
}
export interface SavedMemoryContext {
    readonly snippet: string;
    readonly conversation_id: string | null;
    readonly message_id: string | null;
    readonly origin: "active_conversation" | "searched_conversation" | (string & {}) | null;
}
export interface ScimBulkResponse {
    readonly schemas: ReadonlyArray<string>;
    readonly Operations: ReadonlyArray<{
        readonly method: "POST" | "PUT" | "PATCH" | "DELETE" | (string & {});
        readonly bulkId?: string | undefined;
        readonly location?: string | undefined;
        readonly version?: string | undefined;
        readonly status: string;
        readonly response?: ScimError | undefined;
    }>;
}
export type ScimDecision = "read" | "created" | "updated" | "unchanged" | "deleted" | "held" | "refused" | (string & {});
export interface ScimDifference {
    readonly path: string;
    readonly before: Json;
    readonly after: Json;
}
export interface ScimDirectory {
    readonly id: SCIMDirectoryId;
    readonly organizationId: OrganizationId;
    readonly name: string;
    readonly provider: ScimProvider;
    readonly baseUrl: string;
    readonly tokens: ReadonlyArray<ScimToken>;
    readonly users: {
        readonly active: number;
        readonly inactive: number;
    };
    readonly groups: number;
    readonly pendingHoldId: SCIMHoldId | null;
    readonly lastRequestAt: Timestamp | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type ScimDocument = {
    readonly [key: string]: Json;
};
export interface ScimError {
    readonly schemas: ReadonlyArray<string>;
    readonly status: string;
    readonly scimType?: "invalidFilter" | "tooMany" | "uniqueness" | "mutability" | "invalidSyntax" | "invalidPath" | "noTarget" | "invalidValue" | "invalidVers" | "sensitive" | (string & {}) | undefined;
    readonly detail?: string | undefined;
}
export interface ScimGroup {
    readonly teamId: TeamId;
    readonly displayName: string;
    readonly externalId: string | null;
    readonly role: string | null;
    readonly memberCount: number;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type ScimGroupResource = {
    readonly [key: string]: Json;
};
export interface ScimHeldUser {
    readonly scimUserId: SCIMUserId;
    readonly orgMembershipId: OrganizationMembershipId | null;
    readonly userName: string;
    readonly action: "deactivate" | "delete" | (string & {});
    readonly createdAt: Timestamp;
}
export interface ScimHold {
    readonly id: SCIMHoldId;
    readonly directoryId: SCIMDirectoryId;
    readonly status: "pending" | "approved" | "rejected" | (string & {});
    readonly count: number;
    readonly activeBefore: number;
    readonly createdAt: Timestamp;
    readonly decidedAt: Timestamp | null;
    readonly decidedBy: string | null;
}
export interface ScimListResponse {
    readonly schemas: ReadonlyArray<string>;
    readonly totalResults: number;
    readonly startIndex: number;
    readonly itemsPerPage: number;
    readonly Resources: ReadonlyArray<ScimDocument>;
}
export interface ScimLogEntry {
    readonly id: SCIMLogEntryId;
    readonly directoryId: SCIMDirectoryId;
    readonly tokenId: SCIMTokenId | null;
    readonly requestId: string;
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly decision: ScimDecision;
    readonly scimType: string | null;
    readonly detail: string | null;
    readonly resourceType: "User" | "Group" | (string & {}) | null;
    readonly resourceId: string | null;
    readonly displayName: string | null;
    readonly differences: ReadonlyArray<ScimDifference>;
    readonly userAgent: string | null;
    readonly createdAt: Timestamp;
}
export type ScimProvider = "okta" | "entra" | "google" | "other" | (string & {});
export interface ScimReconciliation {
    readonly linked: number;
    readonly ended: number;
    readonly teamMembersAdded: number;
    readonly teamMembersRemoved: number;
    readonly rolesChanged: number;
    readonly unlinked: number;
}
export interface ScimToken {
    readonly id: SCIMTokenId;
    readonly createdAt: Timestamp;
    readonly expiresAt: Timestamp | null;
    readonly lastUsedAt: Timestamp | null;
}
export type ScimUserResource = {
    readonly [key: string]: Json;
};
export interface SeenDimension {
    readonly type: string;
    readonly value: string;
    readonly label: string | null;
    readonly events: number;
    readonly firstSeenAt: Timestamp;
    readonly lastSeenAt: Timestamp;
}
export interface SeenDimensionType {
    readonly type: string;
    readonly values: number;
    readonly events: number;
}
export interface SeenDimensions {
    readonly items: ReadonlyArray<SeenDimension>;
    readonly nextCursor: string | null;
    readonly types: ReadonlyArray<SeenDimensionType>;
    readonly generatedAt: Timestamp;
}
export interface ServerVersion {
    readonly name: "orgplane";
    readonly version: string;
    readonly api: "v1";
    readonly schemaVersion: number;
}
export interface Session {
    readonly id: SessionId;
    readonly userId: UserId;
    readonly organizationId: OrganizationId | null;
    readonly kind: "bootstrap" | "seed" | "email" | "sso" | "minted" | (string & {});
    readonly current: boolean;
    readonly createdAt: Timestamp;
    readonly expiresAt: Timestamp;
}
export type SessionId = string;
export interface SetActiveOrganization {
    readonly organizationId: OrganizationId;
}
export interface SetAutoImport {
    readonly enabled: boolean;
}
export interface SetLlmCredential {
    readonly apiKey: string;
}
export interface SetMcpApiKey {
    readonly apiKey: string;
}
export interface SetScimGroupRole {
    readonly role: RoleName | null;
}
export interface SetupConnector {
    readonly adapter: "git" | "rest" | (string & {});
    readonly cloneUrl?: string | undefined;
    readonly repositoryFullName?: string | undefined;
    readonly connectorAccountId?: ConnectorAccountId | undefined;
    readonly credential?: {
        readonly username?: string | undefined;
        readonly token: string;
    } | undefined;
    readonly branch?: string | undefined;
    readonly name?: string | undefined;
}
export interface SigningKey {
    readonly kid: string;
    readonly kty: "OKP";
    readonly crv: "Ed25519";
    readonly x: string;
    readonly alg: "EdDSA";
    readonly use: "sig";
}
export interface SimulateDesktopPolicies {
    readonly create?: CreateDesktopPolicy | undefined;
    readonly patch?: {
        readonly desktopPolicyId: DesktopPolicyId;
        readonly changes: UpdateDesktopPolicy;
    } | undefined;
    readonly delete?: {
        readonly desktopPolicyId: DesktopPolicyId;
    } | undefined;
    readonly reorder?: ReadonlyArray<{
        readonly desktopPolicyId: DesktopPolicyId;
        readonly priority: number;
    }> | undefined;
}
export type SourceMode = "cloud" | "import" | "connector" | (string & {});
export interface SsoConnection {
    readonly id: SSOConnectionId;
    readonly organizationId: OrganizationId;
    readonly protocol: "oidc" | "saml" | (string & {});
    readonly enabled: boolean;
    readonly enforced: boolean;
    readonly breakGlass: ReadonlyArray<OrganizationMembershipId>;
    readonly jit: {
        readonly enabled: boolean;
        readonly role: string;
    };
    readonly oidc: OidcSettings | null;
    readonly saml: SamlSettings | null;
    readonly serviceProvider: SsoServiceProvider;
    readonly lastTest: SsoTest | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type SsoRefusal = "access_denied" | "provider_unreachable" | "provider_invalid" | "code_refused" | "token_invalid" | "nonce_mismatch" | "issuer_mismatch" | "audience_mismatch" | "not_yet_valid" | "expired" | "signature_missing" | "signature_invalid" | "destination_mismatch" | "response_unsolicited" | "response_replayed" | "response_invalid" | "assertion_encrypted" | "subject_missing" | "email_missing" | "email_not_verified" | "domain_not_verified" | "not_a_member" | "person_mismatch" | "connection_disabled" | (string & {});
export interface SsoServiceProvider {
    readonly redirectUri: string;
    readonly entityId: string;
    readonly acsUrl: string;
    readonly metadataUrl: string;
}
export interface SsoTest {
    readonly ok: boolean;
    readonly at: Timestamp;
    readonly by: OrganizationMembershipId;
    readonly code: SsoRefusal | null;
    readonly subject: string | null;
    readonly email: string | null;
}
export interface StartEmailSignIn {
    readonly email: string;
}
export interface StartMcpConnect {
    readonly returnTo?: string | undefined;
}
export interface StartSso {
    readonly email?: string | undefined;
    readonly organizationId?: OrganizationId | undefined;
    readonly codeChallenge: string;
    readonly returnTo?: string | undefined;
}
export interface StartSuiteConnect {
    readonly returnTo?: string | undefined;
}
export interface StartedConnect {
    readonly url: string;
    readonly state: string;
    readonly expiresAt: Timestamp;
}
export interface StartedInstall {
    readonly url: string;
    readonly state: string;
    readonly expiresAt: Timestamp;
}
export interface StartedSso {
    readonly url: string;
    readonly state: string;
    readonly expiresAt: Timestamp;
}
export type Suite = "suite-a" | "suite-b" | (string & {});
export interface SyncCounts {
    readonly filesScanned: number;
    readonly objectsCreated: number;
    readonly objectsUpdated: number;
    readonly objectsDeleted: number;
    readonly objectsUnchanged: number;
    readonly pluginsCreated: number;
    readonly filesAdded: number;
    readonly filesChanged: number;
    readonly filesRemoved: number;
}
export type SyncStatus = "queued" | "running" | "completed" | "partial" | "failed" | "ignored" | "review_required" | "rejected" | (string & {});
export interface SyncTrouble {
    readonly connectorSyncEventId: ConnectorSyncEventId;
    readonly connectorInstanceId: ConnectorInstanceId;
    readonly connectorTargetId: ConnectorTargetId;
    readonly name: string;
    readonly status: "failed" | "partial" | "review_required" | (string & {});
    readonly createdAt: Timestamp;
}
export interface Team {
    readonly id: TeamId;
    readonly organizationId: OrganizationId;
    readonly name: string;
    readonly description: string | null;
    readonly memberCount: number;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type TeamId = string;
export interface TelemetryDescription {
    readonly types: ReadonlyArray<string>;
    readonly sources: ReadonlyArray<TelemetrySource>;
    readonly fields: ReadonlyArray<TelemetryField>;
    readonly eventsMax: number;
    readonly retentionDays: number;
    readonly ledgerDays: number;
    readonly futureHours: number;
    readonly acceptedFrom: Timestamp;
    readonly acceptedUntil: Timestamp;
    readonly serverTime: Timestamp;
}
export interface TelemetryDimension {
    readonly type: string;
    readonly label?: string | undefined;
    readonly value?: string | undefined;
    readonly metadata?: JsonObject | undefined;
}
export interface TelemetryEvent {
    readonly id?: string | undefined;
    readonly type: string;
    readonly timestamp: string;
    readonly source: TelemetrySource;
    readonly sessionId?: string | undefined;
    readonly durationMs?: number | undefined;
    readonly success?: boolean | undefined;
    readonly dimensions?: ReadonlyArray<TelemetryDimension> | undefined;
}
export interface TelemetryField {
    readonly of: "event" | "dimension" | (string & {});
    readonly name: string;
    readonly kind: "string" | "date-time" | "integer" | "boolean" | "object" | "array" | (string & {});
    readonly required: boolean;
    readonly minimum: number | null;
    readonly maximum: number | null;
}
export interface TelemetryLedgerEntry {
    readonly id: string;
    readonly requestId: string;
    readonly receivedAt: Timestamp;
    readonly userId: UserId | null;
    readonly orgMembershipId: OrganizationMembershipId | null;
    readonly workerId: string | null;
    readonly apiKeyId: APIKeyId | null;
    readonly sent: number;
    readonly accepted: number;
    readonly duplicate: number;
    readonly dropped: number;
    readonly fieldsRemoved: number;
    readonly reasons: ReadonlyArray<{
        readonly reason: TelemetryReason;
        readonly count: number;
    }>;
}
export type TelemetryReason = "event_malformed" | "type_unknown" | "timestamp_malformed" | "timestamp_too_old" | "timestamp_in_future" | "source_unknown" | "field_unknown" | "field_identity" | "id_malformed" | "session_id_malformed" | "duration_malformed" | "success_malformed" | "dimensions_malformed" | "dimensions_too_many" | "dimension_malformed" | "metadata_malformed" | (string & {});
export type TelemetrySource = "app" | "worker" | (string & {});
export interface Template {
    readonly id: TemplateId;
    readonly organizationId: OrganizationId;
    readonly name: string;
    readonly description: string | null;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
    readonly latestVersion: TemplateVersionSummary;
}
export interface TemplateContent {
    readonly plugin: {
        readonly name: string;
        readonly description: string | null;
    };
    readonly objects: ReadonlyArray<TemplateObject>;
    readonly variables: ReadonlyArray<TemplateVariable>;
}
export interface TemplateContentInput {
    readonly plugin: {
        readonly name: string;
        readonly description?: string | null | undefined;
    };
    readonly objects: ReadonlyArray<TemplateObjectInput>;
    readonly variables?: ReadonlyArray<TemplateVariableInput> | undefined;
}
export interface TemplateDiff {
    readonly templateId: TemplateId;
    readonly from: ComparedTemplateVersion | null;
    readonly to: ComparedTemplateVersion;
    readonly textDiff: string;
    readonly changes: ReadonlyArray<PayloadChange>;
    readonly truncated: boolean;
}
export type TemplateId = string;
export interface TemplateInstance {
    readonly plugin: {
        readonly id: PluginId;
        readonly name: string;
    };
    readonly version: {
        readonly id: TemplateVersionId;
        readonly ordinal: number;
    };
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
}
export interface TemplateInstantiation {
    readonly plugin: Plugin;
    readonly configObjects: ReadonlyArray<ConfigObject>;
    readonly template: TemplateProvenance;
}
export interface TemplateObject {
    readonly type: ObjectType;
    readonly rawSourceText: string | null;
    readonly normalizedPayloadJson: JsonObject | null;
    readonly parserMode: string | null;
    readonly schemaVersion: string | null;
    readonly metadata: JsonObject | null;
}
export interface TemplateObjectInput {
    readonly type: ObjectType;
    readonly rawSourceText?: string | undefined;
    readonly normalizedPayloadJson?: {
        readonly [key: string]: Json;
    } | undefined;
    readonly parserMode?: string | undefined;
    readonly schemaVersion?: string | undefined;
    readonly metadata?: {
        readonly [key: string]: Json;
    } | undefined;
}
export interface TemplatePreview {
    readonly plugin: {
        readonly name: string;
        readonly description: string | null;
    };
    readonly configObjects: ReadonlyArray<{
        readonly objectType: ObjectType;
        readonly title: string;
        readonly description: string | null;
        readonly currentFileName: string | null;
        readonly currentRelativePath: string | null;
        readonly rawSourceText: string | null;
        readonly normalizedPayloadJson: JsonObject;
    }>;
    readonly template: TemplateProvenance;
}
export interface TemplateProvenance {
    readonly id: TemplateId;
    readonly versionId: TemplateVersionId;
    readonly ordinal: number;
}
export interface TemplateVariable {
    readonly name: string;
    readonly label: string;
    readonly description: string | null;
    readonly required: boolean;
    readonly default: string | null;
    readonly format: TemplateVariableFormat;
    readonly options: ReadonlyArray<string> | null;
}
export type TemplateVariableFormat = "line" | "text" | "slug" | "email" | "url" | (string & {});
export interface TemplateVariableInput {
    readonly name: string;
    readonly label: string;
    readonly description?: string | null | undefined;
    readonly required?: boolean | undefined;
    readonly default?: string | null | undefined;
    readonly format?: TemplateVariableFormat | undefined;
    readonly options?: ReadonlyArray<string> | null | undefined;
}
export interface TemplateVersion {
    readonly id: TemplateVersionId;
    readonly templateId: TemplateId;
    readonly ordinal: number;
    readonly contentDigest: string;
    readonly objectCount: number;
    readonly variableCount: number;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
    readonly content: TemplateContent;
}
export type TemplateVersionId = string;
export interface TemplateVersionSummary {
    readonly id: TemplateVersionId;
    readonly templateId: TemplateId;
    readonly ordinal: number;
    readonly contentDigest: string;
    readonly objectCount: number;
    readonly variableCount: number;
    readonly createdByOrgMembershipId: OrganizationMembershipId | null;
    readonly createdAt: Timestamp;
}
export interface TestSso {
    readonly returnTo?: string | undefined;
}
export type Timestamp = string;
export interface TransferOwnership {
    readonly orgMembershipId: OrganizationMembershipId;
    readonly keep?: "owner" | "admin" | "member" | (string & {}) | undefined;
}
export interface TreeEntry {
    readonly id: string;
    readonly path: string;
    readonly sha: string;
    readonly size: number;
}
export interface UpdateApiKey {
    readonly name?: string | undefined;
    readonly permissions?: ReadonlyArray<Permission> | undefined;
    readonly expiresAt?: string | undefined;
    readonly requestsPerMinute?: number | undefined;
}
export interface UpdateCalendarEvent {
    readonly createMeetLink: boolean;
}
export interface UpdateConnectorInstance {
    readonly remoteId?: string | undefined;
    readonly name?: string | undefined;
    readonly config?: {
        readonly [key: string]: Json;
    } | undefined;
}
export interface UpdateConnectorMapping {
    readonly selector?: string | undefined;
    readonly objectType?: ObjectType | undefined;
    readonly pluginId?: PluginId | null | undefined;
    readonly autoAddToPlugin?: boolean | undefined;
}
export interface UpdateConnectorTarget {
    readonly branch?: string | undefined;
    readonly config?: {
        readonly [key: string]: Json;
    } | undefined;
}
export interface UpdateDesktopPolicy {
    readonly policyName?: string | undefined;
    readonly policy?: DesktopPolicySettingsInput | undefined;
    readonly priority?: number | undefined;
    readonly isEnabled?: boolean | undefined;
    readonly memberIds?: ReadonlyArray<OrganizationMembershipId> | undefined;
    readonly teamIds?: ReadonlyArray<TeamId> | undefined;
}
export interface UpdateLlmProvider {
    readonly name?: string | undefined;
    readonly providerId?: string | undefined;
    readonly credentialMode?: LlmCredentialMode | undefined;
    readonly baseUrl?: string | undefined;
    readonly apiFormat?: LlmApiFormat | undefined;
    readonly env?: ReadonlyArray<string> | undefined;
    readonly models?: EnableLlmModels | null | undefined;
    readonly headers?: {
        readonly [key: string]: string;
    } | undefined;
    readonly options?: {
        readonly [key: string]: Json;
    } | undefined;
}
export interface UpdateMarketplace {
    readonly name?: string | undefined;
    readonly description?: string | null | undefined;
    readonly logoUrl?: string | null | undefined;
}
export interface UpdateMcpConnection {
    readonly name?: string | undefined;
    readonly url?: string | undefined;
    readonly authType?: McpAuthType | undefined;
    readonly credentialMode?: McpCredentialMode | undefined;
    readonly scopes?: ReadonlyArray<string> | null | undefined;
    readonly oauthClient?: McpOAuthClientInput | null | undefined;
    readonly apiKeyHeader?: string | undefined;
    readonly apiKeyScheme?: string | null | undefined;
}
export interface UpdateMember {
    readonly role: RoleName;
}
export interface UpdateOrganization {
    readonly name?: string | undefined;
}
export interface UpdatePlan {
    readonly plan: string;
}
export interface UpdatePlugin {
    readonly name?: string | undefined;
    readonly description?: string | null | undefined;
}
export interface UpdateRole {
    readonly name?: string | undefined;
    readonly description?: string | null | undefined;
    readonly permissions?: ReadonlyArray<Permission> | undefined;
}
export interface UpdateTeam {
    readonly name?: string | undefined;
    readonly description?: string | null | undefined;
}
export interface UpdateTemplate {
    readonly name?: string | undefined;
    readonly description?: string | null | undefined;
}
export interface UpdateUser {
    readonly name?: string | null | undefined;
}
export interface UpdateWorker {
    readonly name?: string | undefined;
    readonly description?: string | null | undefined;
}
export type UpgradeWorkerRuntime = {
    readonly [key: string]: Json;
};
export interface User {
    readonly id: UserId;
    readonly email: string | null;
    readonly emailVerified: boolean;
    readonly name: string | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type UserId = string;
export interface UserOrganization {
    readonly organization: Organization;
    readonly orgMembershipId: OrganizationMembershipId;
    readonly role: string;
    readonly active: boolean;
}
export type UtcDay = string;
export interface VerifyEmailSignIn {
    readonly challengeId: string;
    readonly code: string;
}
export interface VersionDiff {
    readonly configObjectId: ConfigObjectId;
    readonly from: ComparedVersion | null;
    readonly to: ComparedVersion;
    readonly textDiff: string;
    readonly payloadChanges: ReadonlyArray<PayloadChange>;
    readonly truncated: boolean;
}
export interface WebhookAccepted {
    readonly ok: true;
    readonly accepted: true;
    readonly deliveryId: string;
    readonly queued: true;
}
export interface WebhookDelivery {
    readonly id: WebhookDeliveryId;
    readonly deliveryId: string;
    readonly event: WebhookEvent;
    readonly action: string | null;
    readonly status: "accepted" | "ignored" | (string & {});
    readonly reason: WebhookIgnoredReason | null;
    readonly repositoryFullName: string | null;
    readonly ref: string | null;
    readonly before: string | null;
    readonly after: string | null;
    readonly connectorInstanceIds: ReadonlyArray<ConnectorInstanceId>;
    readonly syncEventIds: ReadonlyArray<ConnectorSyncEventId>;
    readonly redeliveryCount: number;
    readonly receivedAt: Timestamp;
    readonly actedAt: Timestamp;
}
export type WebhookDeliveryId = string;
export type WebhookEvent = "push" | "create" | "delete" | "installation" | "installation_repositories" | "repository" | "ping" | (string & {});
export interface WebhookIgnored {
    readonly ok: true;
    readonly accepted: false;
    readonly reason: WebhookIgnoredReason;
}
export type WebhookIgnoredReason = "event_ignored" | "installation_unknown" | "target_unknown" | (string & {});
export interface WholeMemory {
    readonly id: MemoryId;
    readonly organizationId: OrganizationId;
    readonly content: string;
    readonly tags: ReadonlyArray<string>;
    readonly source: string;
    readonly scope: string;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
    readonly contexts: ReadonlyArray<SavedMemoryContext>;
}
export interface Worker {
    readonly id: string;
    readonly orgId: string;
    readonly createdByUserId: string;
    readonly isMine: boolean;
    readonly name: string;
    readonly description: string | null;
    readonly destination: WorkerDestination;
    readonly status: WorkerStatus;
    readonly statusReason: string | null;
    readonly imageVersion: string | null;
    readonly workspacePath: string | null;
    readonly sandboxBackend: string | null;
    readonly lastHeartbeatAt: Timestamp | null;
    readonly lastActiveAt: Timestamp | null;
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export interface WorkerActivity {
    readonly id: WorkerActivityId;
    readonly workerId: string;
    readonly kind: string;
    readonly message: string;
    readonly sessionId: string | null;
    readonly occurredAt: Timestamp;
    readonly createdAt: Timestamp;
}
export type WorkerActivityId = string;
export type WorkerDestination = "local" | "cloud" | (string & {});
export interface WorkerHeartbeat {
    readonly imageVersion?: string | null | undefined;
    readonly workspacePath?: string | null | undefined;
    readonly sandboxBackend?: string | null | undefined;
    readonly detail?: string | null | undefined;
    readonly stopping?: boolean | undefined;
}
export interface WorkerInstance {
    readonly provider: string;
    readonly region: string;
    readonly url: string | null;
    readonly status: "starting" | "running" | "stopping" | "stopped" | "failed" | (string & {});
    readonly createdAt: Timestamp;
    readonly updatedAt: Timestamp;
}
export type WorkerPathId = string;
export type WorkerStatus = "provisioning" | "healthy" | "failed" | "stopped" | (string & {});
export interface WorkerToken {
    readonly id: WorkerTokenId;
    readonly workerId: string;
    readonly createdAt: Timestamp;
    readonly expiresAt: Timestamp | null;
}
export type WorkerTokenId = string;
export type ErrorCode = "api_key_not_found" | "claim_not_found" | "codehost_api_error" | "codehost_not_configured" | "config_object_archived" | "config_object_grant_not_found" | "config_object_not_found" | "config_object_version_not_found" | "connection_not_found" | "connection_not_ready" | "connector_account_exists" | "connector_account_in_use" | "connector_account_not_found" | "connector_instance_disabled" | "connector_instance_exists" | "connector_instance_grant_not_found" | "connector_instance_not_found" | "connector_mapping_exists" | "connector_mapping_not_found" | "connector_sync_event_not_found" | "connector_target_exists" | "connector_target_not_found" | "desktop_policy_exists" | "desktop_policy_not_found" | "discovery_in_progress" | "domain_exists" | "domain_not_found" | "enterprise_plan_required" | "grant_not_found" | "idempotency_key_completed" | "idempotency_key_in_use" | "idempotency_key_reused" | "installation_taken" | "internal_error" | "invalid_payload" | "invalid_request" | "invalid_signature" | "invitation_not_found" | "invitation_not_pending" | "llm_credential_not_found" | "llm_provider_exists" | "llm_provider_grant_not_found" | "llm_provider_not_found" | "marketplace_grant_not_found" | "marketplace_link_not_found" | "marketplace_membership_not_found" | "marketplace_not_found" | "mcp_connection_exists" | "mcp_connection_grant_not_found" | "mcp_review_not_found" | "mcp_server_error" | "member_exists" | "member_not_found" | "memory_not_found" | "model_catalog_not_configured" | "needs_connection" | "object_not_found" | "organization_not_found" | "payload_too_large" | "plan_digest_mismatch" | "plugin_archive_not_found" | "plugin_archive_refused" | "plugin_archive_too_large" | "plugin_grant_not_found" | "plugin_membership_not_found" | "plugin_not_found" | "precondition_failed" | "provisioner_unavailable" | "quota_exceeded" | "rate_limited" | "repositories_not_listed" | "repository_empty" | "role_exists" | "role_in_use" | "role_not_found" | "scim_directory_not_found" | "scim_group_not_found" | "scim_hold_not_found" | "scim_hold_not_pending" | "scim_token_not_found" | "session_not_found" | "sso_connection_not_found" | "sso_enforced" | "sso_not_enabled" | "sso_not_tested" | "sso_provider_failed" | "stale_revision" | "suite_a_api_error" | "suite_b_api_error" | "suite_not_configured" | "sync_not_failed" | "sync_not_held" | "team_exists" | "team_not_found" | "template_exists" | "template_not_found" | "template_version_not_found" | "tool_execution_failed" | "unauthorized" | "unavailable" | "webhook_delivery_not_found" | "webhook_secret_missing" | "worker_not_found" | "worker_provided" | "worker_runtime_error" | "worker_runtime_unavailable" | "worker_token_not_found" | (string & {});
export type ForbiddenReason = "permission_required" | "owner_required" | "session_required" | "grant_required" | "not_creator" | "last_owner" | "exceeds_own_permissions" | "email_not_verified" | "email_mismatch" | "managed_by_scim" | "managed_by_connector" | "policy_blocked" | "tool_review_required" | "sso_required" | "provisional_organization" | (string & {});
