import type * as Responses from "./responses.js";
import type { Call } from "../call.js";
import type { List } from "../page.js";
import type { RequestOptions } from "../transport.js";
import type { Json, APIKeyId, AcceptClaim, AcceptedClaim, AccessExplanation, AccessImpact, AccessImpactResult, AddMember, AddObject, AddPlugin, AdminMetrics, AdminOverview, Adoption, Analytics, ApiKey, ApiKeyWithSecret, ApplyDiscovery, ArchiveFormat, AttachPlugin, AuditCheckpoint, AuditEvent, AuditEventId, AuditVerification, AutoImport, BootstrapWorkspace, CalendarEvent, CallMcpTool, CapabilityConnection, CatalogModel, CatalogProvider, ClaimPreview, ClaimToken, CodehostBranch, CodehostRepository, CompleteConnect, CompleteInstall, CompleteSso, CompleteSuiteConnect, ConfigObject, ConfigObjectAccessGrantId, ConfigObjectGrant, ConfigObjectId, ConfigObjectVersion, ConfigObjectVersionId, ConnectorAccount, ConnectorAccountId, ConnectorConfiguration, ConnectorInstance, ConnectorInstanceAccessGrantId, ConnectorInstanceGrant, ConnectorInstanceId, ConnectorMapping, ConnectorMappingId, ConnectorPlan, ConnectorSyncEvent, ConnectorSyncEventId, ConnectorTarget, ConnectorTargetId, CreateApiKey, CreateConfigObject, CreateConfigObjectVersion, CreateConnectorAccount, CreateConnectorInstance, CreateConnectorMapping, CreateConnectorTarget, CreateDesktopPolicy, CreateDomain, CreateGrant, CreateInvitation, CreateLlmProvider, CreateMailDraft, CreateMarketplace, CreateMarketplaceLink, CreateMcpConnection, CreateOrganization, CreatePlugin, CreateRole, CreateScimDirectory, CreateTeam, CreateTemplate, CreateTemplateVersion, CreateWorker, CreateWorkerToken, CreateWorkspace, DecideMcpReview, DesktopPolicy, DesktopPolicyId, DesktopPolicySimulation, Discovery, Domain, DomainId, EffectiveDesktopPolicyResponse, EmailChallenge, EnforceSso, ExchangeSession, ExplainAccess, ExternalMCPConnectionId, Health, IngestTelemetry, InstantiateTemplate, Invitation, InvitationId, InvitationPreview, InvitationStatus, InvitationToken, InvitationWithLink, JsonObject, LLMProviderAccessGrantId, LLMProviderId, LibraryEntry, ListedMcpPreset, LlmCapability, LlmConnection, LlmProvider, LlmProviderGrant, LlmProviderTest, MCPConnectionAccessGrantId, MailMessage, MappingKind, Marketplace, MarketplaceAccessGrantId, MarketplaceGrant, MarketplaceId, MarketplaceLink, MarketplaceLinkId, MarketplaceLinkToken, MarketplaceLinkWithUrl, MarketplaceManifest, MarketplaceMembership, McpClientMetadata, McpConnection, McpConnectionGrant, McpResolution, McpReview, McpTool, McpToolCall, McpToolPolicy, Member, MemberBatch, MemberBatchResult, Memory, MemorySearchResult, NewSession, NotReady, ObjectType, Organization, OrganizationId, OrganizationMembershipId, PermissionEntry, PlatformOrganization, PlatformUser, Plugin, PluginAccessGrantId, PluginGrant, PluginId, PluginMembership, PluginPlacement, PutOidc, PutSaml, Ready, ReportWorkerActivity, ResolveMcp, ResolvedMarketplace, Role, RoleId, RollbackConnector, RotateApiKey, RotateScimToken, SCIMDirectoryId, SCIMGroupId, SCIMHoldId, SCIMTokenId, SaveMemory, ScimDecision, ScimDirectory, ScimGroup, ScimHeldUser, ScimHold, ScimLogEntry, ScimReconciliation, SeenDimension, ServerVersion, Session, SessionId, SetActiveOrganization, SetAutoImport, SetLlmCredential, SetMcpApiKey, SetScimGroupRole, SetupConnector, SigningKey, SimulateDesktopPolicies, SsoConnection, SsoServiceProvider, StartEmailSignIn, StartMcpConnect, StartSso, StartSuiteConnect, StartedConnect, StartedInstall, StartedSso, Suite, SyncStatus, Team, TeamId, TelemetryDescription, TelemetryLedgerEntry, Template, TemplateDiff, TemplateId, TemplateInstance, TemplateInstantiation, TemplatePreview, TemplateVersion, TemplateVersionId, TemplateVersionSummary, TestSso, Timestamp, TransferOwnership, TreeEntry, UpdateApiKey, UpdateCalendarEvent, UpdateConnectorInstance, UpdateConnectorMapping, UpdateConnectorTarget, UpdateDesktopPolicy, UpdateLlmProvider, UpdateMarketplace, UpdateMcpConnection, UpdateMember, UpdateOrganization, UpdatePlan, UpdatePlugin, UpdateRole, UpdateTeam, UpdateTemplate, UpdateUser, UpdateWorker, User, UserOrganization, VerifyEmailSignIn, VersionDiff, WebhookDelivery, WebhookDeliveryId, WebhookEvent, WholeMemory, Worker, WorkerActivity, WorkerDestination, WorkerHeartbeat, WorkerInstance, WorkerPathId, WorkerStatus, WorkerToken, WorkerTokenId } from "./types.js";
export interface SystemDocsInput {
    readonly group?: string | undefined;
}
export interface SessionsListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface SsoOidcCallbackInput {
    readonly state?: string | undefined;
    readonly code?: string | undefined;
    readonly iss?: string | undefined;
    readonly error?: string | undefined;
}
export interface UsersOrganizationsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface UsersDesktopPolicyInput {
    readonly explain?: boolean | undefined;
}
export interface UsersLibraryInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly kind?: "plugin" | "configObject" | undefined;
}
export interface MembersListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
    readonly role?: string | undefined;
    readonly teamId?: TeamId | undefined;
}
export interface MembersRemoveInput {
    readonly revokeKeys?: boolean | undefined;
}
export interface InvitationsListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly status?: InvitationStatus | undefined;
}
export interface RolesListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface TeamsListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
}
export interface TeamsListMembersInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface ApiKeysListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly revoked?: boolean | undefined;
}
export interface AuditListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly action?: string | undefined;
    readonly actorId?: string | undefined;
    readonly targetId?: string | undefined;
    readonly since?: string | undefined;
    readonly until?: string | undefined;
    readonly after?: AuditEventId | undefined;
}
export interface AuditExportInput {
    readonly action?: string | undefined;
    readonly actorId?: string | undefined;
    readonly targetId?: string | undefined;
    readonly since?: string | undefined;
    readonly until?: string | undefined;
    readonly format?: "ndjson" | "csv" | undefined;
}
export interface AuditVerifyInput {
    readonly sequence?: number | undefined;
    readonly hash?: string | undefined;
}
export interface AuditCheckpointsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface ConnectorsListInstancesInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
    readonly archived?: boolean | undefined;
}
export interface ConnectorsSyncInput {
    readonly connectorTargetId?: ConnectorTargetId | undefined;
}
export interface ConnectorsListSyncEventsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly status?: SyncStatus | undefined;
}
export interface ConnectorsDiscoveryInput {
    readonly connectorTargetId?: ConnectorTargetId | undefined;
}
export interface ConnectorsTreeInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly prefix?: string | undefined;
    readonly connectorTargetId?: ConnectorTargetId | undefined;
}
export interface ConnectorsApplyInput extends ApplyDiscovery {
    readonly wait?: "0" | "1" | undefined;
}
export interface ConnectorsListAccessInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface ConnectorsListTargetsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface ConnectorsListMappingsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly mappingKind?: MappingKind | undefined;
    readonly objectType?: ObjectType | undefined;
    readonly pluginId?: PluginId | undefined;
    readonly q?: string | undefined;
}
export interface ConnectorsListAccountsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface ConnectorsListRepositoriesInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface ConnectorsListBranchesInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly remoteId: string;
}
export interface ConfigObjectsListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly type?: ObjectType | undefined;
    readonly pluginId?: PluginId | undefined;
    readonly connectorInstanceId?: ConnectorInstanceId | undefined;
    readonly q?: string | undefined;
    readonly archived?: boolean | undefined;
}
export interface ConfigObjectsListVersionsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface ConfigObjectsListAccessInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface ConfigObjectsDiffVersionsInput {
    readonly against?: ConfigObjectVersionId | undefined;
}
export interface PluginsListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly marketplaceId?: MarketplaceId | undefined;
    readonly q?: string | undefined;
    readonly archived?: boolean | undefined;
}
export interface PluginsListObjectsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface PluginsListAccessInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface PluginsDownloadInput {
    readonly format?: ArchiveFormat | undefined;
}
export interface PluginsDownloadLinkedInput {
    readonly format?: ArchiveFormat | undefined;
    readonly organizationId: OrganizationId;
    readonly holder: OrganizationMembershipId | APIKeyId;
    readonly sha256: string;
    readonly expires: string;
    readonly signature: string;
}
export interface MarketplacesListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
    readonly archived?: boolean | undefined;
}
export interface MarketplacesListPluginsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface MarketplacesListAccessInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface MarketplacesManifestInput {
    readonly format?: ArchiveFormat | undefined;
}
export interface MarketplacesListLinksInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface DesktopPoliciesListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
}
export interface DesktopPoliciesEffectiveInput {
    readonly explain?: boolean | undefined;
}
export interface TemplatesListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
}
export interface TemplatesListVersionsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface TemplatesDiffVersionsInput {
    readonly against?: TemplateVersionId | undefined;
}
export interface TemplatesListInstancesInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface McpConnectionsListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
}
export interface McpConnectionsListAccessInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface McpConnectionsListToolsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly refresh?: boolean | undefined;
}
export interface McpConnectionsCallbackInput {
    readonly state?: string | undefined;
    readonly code?: string | undefined;
    readonly iss?: string | undefined;
    readonly error?: string | undefined;
}
export interface McpConnectionsListPresetsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
}
export interface LlmProvidersListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
}
export interface LlmProvidersListAccessInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface LlmProvidersListCatalogInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
    readonly providerId?: string | undefined;
    readonly capability?: LlmCapability | undefined;
}
export interface LlmProvidersListCatalogProvidersInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
}
export interface CapabilitiesListConnectionsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface CapabilitiesCallbackInput {
    readonly state?: string | undefined;
    readonly code?: string | undefined;
    readonly iss?: string | undefined;
    readonly error?: string | undefined;
}
export interface MemorySearchInput {
    readonly q: string;
    readonly limit?: number | undefined;
    readonly organization?: "current" | "all" | undefined;
    readonly tag?: string | undefined;
}
export interface MemoryExportInput {
    readonly organization?: "current" | "all" | undefined;
}
export interface MemoryListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly organization?: "current" | "all" | undefined;
    readonly tag?: string | undefined;
}
export interface TelemetryLedgerInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly requestId?: string | undefined;
}
export interface TelemetryDimensionsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly type?: string | undefined;
    readonly q?: string | undefined;
}
export interface TelemetryAdoptionInput {
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly interval?: "day" | "week" | undefined;
    readonly source?: "app" | "worker" | undefined;
    readonly teamId?: TeamId | undefined;
    readonly dimensionType?: string | undefined;
}
export interface TelemetryAnalyticsInput {
    readonly measure?: "events" | "users" | "tasksStarted" | "tasksCompleted" | "tasksFailed" | "taskSuccessRate" | "successRate" | "durationSum" | "durationAverage" | "durationP50" | "durationP95" | undefined;
    readonly groupBy?: string | undefined;
    readonly interval?: "day" | "week" | undefined;
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly type?: string | undefined;
    readonly source?: "app" | "worker" | undefined;
    readonly teamId?: TeamId | undefined;
    readonly orgMembershipId?: OrganizationMembershipId | undefined;
    readonly dimensionType?: string | undefined;
    readonly dimensionValue?: string | undefined;
    readonly top?: number | undefined;
}
export interface AdminListPlatformUsersInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
}
export interface AdminListPlatformOrganizationsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly q?: string | undefined;
}
export interface ScimListDirectoriesInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface ScimRemoveDirectoryInput {
    readonly members?: "keep" | "end" | undefined;
}
export interface ScimListGroupsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface ScimLogInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly decision?: ScimDecision | undefined;
    readonly resourceId?: string | undefined;
    readonly changesOnly?: boolean | undefined;
}
export interface ScimListHoldsInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface ScimListHeldUsersInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface WebhooksListDeliveriesInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly event?: WebhookEvent | undefined;
    readonly status?: "accepted" | "ignored" | undefined;
}
export interface WorkersListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
    readonly mine?: boolean | undefined;
    readonly status?: WorkerStatus | undefined;
    readonly destination?: WorkerDestination | undefined;
}
export interface WorkersListTokensInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface WorkersListActivityInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface SsoDomainsListInput {
    readonly cursor?: string | undefined;
    readonly limit?: number | undefined;
}
export interface SystemOperations {
    readonly health: (options?: RequestOptions) => Call<Responses.Health>;
    readonly ready: (options?: RequestOptions) => Call<Responses.Ready | Responses.NotReady>;
    readonly version: (options?: RequestOptions) => Call<Responses.ServerVersion>;
    readonly keys: (options?: RequestOptions) => Call<{
        readonly keys: ReadonlyArray<Responses.SigningKey>;
    }>;
    readonly openapi: (options?: RequestOptions) => Call<Responses.JsonObject>;
    readonly docs: (input?: SystemDocsInput, options?: RequestOptions) => Call<string>;
}
export interface BootstrapOperations {
    readonly workspace: (input: CreateWorkspace, options?: RequestOptions) => Call<Responses.BootstrapWorkspace>;
    readonly previewClaim: (input: ClaimToken, options?: RequestOptions) => Call<Responses.ClaimPreview>;
    readonly acceptClaim: (input: AcceptClaim, options?: RequestOptions) => Call<Responses.AcceptedClaim>;
}
export interface SessionsOperations {
    readonly startEmail: (input: StartEmailSignIn, options?: RequestOptions) => Call<Responses.EmailChallenge>;
    readonly verifyEmail: (input: VerifyEmailSignIn, options?: RequestOptions) => Call<{
        readonly session: Responses.NewSession;
        readonly user: Responses.User;
    }>;
    readonly exchange: (input?: ExchangeSession, options?: RequestOptions) => Call<Responses.NewSession>;
    readonly list: (input?: SessionsListInput, options?: RequestOptions) => List<Responses.Session>;
    readonly revokeCurrent: (options?: RequestOptions) => Call<undefined>;
    readonly revoke: (sessionId: SessionId, options?: RequestOptions) => Call<undefined>;
}
export interface SsoOperations {
    readonly get: (options?: RequestOptions) => Call<Responses.SsoConnection>;
    readonly serviceProvider: (options?: RequestOptions) => Call<Responses.SsoServiceProvider>;
    readonly remove: (options?: RequestOptions) => Call<undefined>;
    readonly putOidc: (input: PutOidc, options?: RequestOptions) => Call<Responses.SsoConnection>;
    readonly putSaml: (input?: PutSaml, options?: RequestOptions) => Call<Responses.SsoConnection>;
    readonly test: (input?: TestSso, options?: RequestOptions) => Call<Responses.StartedSso>;
    readonly enable: (options?: RequestOptions) => Call<Responses.SsoConnection>;
    readonly disable: (options?: RequestOptions) => Call<Responses.SsoConnection>;
    readonly enforce: (input: EnforceSso, options?: RequestOptions) => Call<Responses.SsoConnection>;
    readonly start: (input: StartSso, options?: RequestOptions) => Call<Responses.StartedSso>;
    readonly complete: (input: CompleteSso, options?: RequestOptions) => Call<{
        readonly session: Responses.NewSession;
        readonly user: Responses.User;
        readonly organizationId: Responses.OrganizationId;
    }>;
    readonly oidcCallback: (organizationId: OrganizationId, input?: SsoOidcCallbackInput, options?: RequestOptions) => Call<string | undefined>;
    readonly samlMetadata: (organizationId: OrganizationId, options?: RequestOptions) => Call<string>;
}
export interface UsersOperations {
    readonly get: (options?: RequestOptions) => Call<Responses.User>;
    readonly update: (input?: UpdateUser, options?: RequestOptions) => Call<Responses.User>;
    readonly remove: (options?: RequestOptions) => Call<undefined>;
    readonly organizations: (input?: UsersOrganizationsInput, options?: RequestOptions) => List<Responses.UserOrganization>;
    readonly leaveOrganization: (organizationId: OrganizationId, options?: RequestOptions) => Call<undefined>;
    readonly setActiveOrganization: (input: SetActiveOrganization, options?: RequestOptions) => Call<Responses.Organization>;
    readonly desktopPolicy: (input?: UsersDesktopPolicyInput, options?: RequestOptions) => Call<Responses.EffectiveDesktopPolicyResponse>;
    readonly library: (input?: UsersLibraryInput, options?: RequestOptions) => List<Responses.LibraryEntry>;
    readonly export: (options?: RequestOptions) => Call<ReadableStream<Uint8Array>>;
}
export interface OrganizationsOperations {
    readonly create: (input: CreateOrganization, options?: RequestOptions) => Call<Responses.Organization>;
    readonly get: (options?: RequestOptions) => Call<Responses.Organization>;
    readonly update: (input?: UpdateOrganization, options?: RequestOptions) => Call<Responses.Organization>;
    readonly remove: (options?: RequestOptions) => Call<undefined>;
    readonly transferOwnership: (input: TransferOwnership, options?: RequestOptions) => Call<Responses.Organization>;
    readonly export: (options?: RequestOptions) => Call<ReadableStream<Uint8Array>>;
}
export interface MembersOperations {
    readonly add: (input?: AddMember, options?: RequestOptions) => Call<Responses.Member>;
    readonly list: (input?: MembersListInput, options?: RequestOptions) => List<Responses.Member>;
    readonly get: (orgMembershipId: OrganizationMembershipId, options?: RequestOptions) => Call<Responses.Member>;
    readonly update: (orgMembershipId: OrganizationMembershipId, input: UpdateMember, options?: RequestOptions) => Call<Responses.Member>;
    readonly remove: (orgMembershipId: OrganizationMembershipId, input?: MembersRemoveInput, options?: RequestOptions) => Call<undefined>;
    readonly batch: (input: MemberBatch, options?: RequestOptions) => Call<Responses.MemberBatchResult>;
}
export interface InvitationsOperations {
    readonly create: (input: CreateInvitation, options?: RequestOptions) => Call<Responses.InvitationWithLink>;
    readonly list: (input?: InvitationsListInput, options?: RequestOptions) => List<Responses.Invitation>;
    readonly get: (invitationId: InvitationId, options?: RequestOptions) => Call<Responses.Invitation>;
    readonly resend: (invitationId: InvitationId, options?: RequestOptions) => Call<Responses.Invitation>;
    readonly cancel: (invitationId: InvitationId, options?: RequestOptions) => Call<Responses.Invitation>;
    readonly preview: (input: InvitationToken, options?: RequestOptions) => Call<Responses.InvitationPreview>;
    readonly accept: (input: InvitationToken, options?: RequestOptions) => Call<{
        readonly organization: Responses.Organization;
        readonly member: Responses.Member;
    }>;
}
export interface RolesOperations {
    readonly permissions: (options?: RequestOptions) => Call<{
        readonly permissions: ReadonlyArray<Responses.PermissionEntry>;
    }>;
    readonly create: (input: CreateRole, options?: RequestOptions) => Call<Responses.Role>;
    readonly list: (input?: RolesListInput, options?: RequestOptions) => List<Responses.Role>;
    readonly get: (roleId: RoleId, options?: RequestOptions) => Call<Responses.Role>;
    readonly update: (roleId: RoleId, input?: UpdateRole, options?: RequestOptions) => Call<Responses.Role>;
    readonly remove: (roleId: RoleId, options?: RequestOptions) => Call<undefined>;
}
export interface TeamsOperations {
    readonly create: (input: CreateTeam, options?: RequestOptions) => Call<Responses.Team>;
    readonly list: (input?: TeamsListInput, options?: RequestOptions) => List<Responses.Team>;
    readonly get: (teamId: TeamId, options?: RequestOptions) => Call<Responses.Team>;
    readonly update: (teamId: TeamId, input?: UpdateTeam, options?: RequestOptions) => Call<Responses.Team>;
    readonly remove: (teamId: TeamId, options?: RequestOptions) => Call<undefined>;
    readonly listMembers: (teamId: TeamId, input?: TeamsListMembersInput, options?: RequestOptions) => List<Responses.Member>;
    readonly addMember: (teamId: TeamId, orgMembershipId: OrganizationMembershipId, options?: RequestOptions) => Call<Responses.Team>;
    readonly removeMember: (teamId: TeamId, orgMembershipId: OrganizationMembershipId, options?: RequestOptions) => Call<undefined>;
}
export interface ApiKeysOperations {
    readonly create: (input: CreateApiKey, options?: RequestOptions) => Call<Responses.ApiKeyWithSecret>;
    readonly list: (input?: ApiKeysListInput, options?: RequestOptions) => List<Responses.ApiKey>;
    readonly current: (options?: RequestOptions) => Call<Responses.ApiKey>;
    readonly get: (apiKeyId: APIKeyId, options?: RequestOptions) => Call<Responses.ApiKey>;
    readonly update: (apiKeyId: APIKeyId, input?: UpdateApiKey, options?: RequestOptions) => Call<Responses.ApiKey>;
    readonly rotate: (apiKeyId: APIKeyId, input?: RotateApiKey, options?: RequestOptions) => Call<Responses.ApiKeyWithSecret>;
    readonly revoke: (apiKeyId: APIKeyId, options?: RequestOptions) => Call<undefined>;
}
export interface AccessOperations {
    readonly explain: (input: ExplainAccess, options?: RequestOptions) => Call<Responses.AccessExplanation>;
    readonly impact: (input: AccessImpact, options?: RequestOptions) => Call<Responses.AccessImpactResult>;
}
export interface AuditOperations {
    readonly list: (input?: AuditListInput, options?: RequestOptions) => List<Responses.AuditEvent>;
    readonly export: (input?: AuditExportInput, options?: RequestOptions) => Call<ReadableStream<Uint8Array>>;
    readonly verify: (input?: AuditVerifyInput, options?: RequestOptions) => Call<Responses.AuditVerification>;
    readonly checkpoints: (input?: AuditCheckpointsInput, options?: RequestOptions) => List<Responses.AuditCheckpoint>;
}
export interface ConnectorsOperations {
    readonly setup: (input: SetupConnector, options?: RequestOptions) => Call<{
        readonly connectorAccount: Responses.ConnectorAccount;
        readonly connectorInstance: Responses.ConnectorInstance;
        readonly connectorTarget: Responses.ConnectorTarget;
    }>;
    readonly listInstances: (input?: ConnectorsListInstancesInput, options?: RequestOptions) => List<Responses.ConnectorInstance>;
    readonly getInstance: (connectorInstanceId: ConnectorInstanceId, options?: RequestOptions) => Call<Responses.ConnectorInstance>;
    readonly updateInstance: (connectorInstanceId: ConnectorInstanceId, input?: UpdateConnectorInstance, options?: RequestOptions) => Call<Responses.ConnectorInstance>;
    readonly enable: (connectorInstanceId: ConnectorInstanceId, options?: RequestOptions) => Call<Responses.ConnectorInstance>;
    readonly disable: (connectorInstanceId: ConnectorInstanceId, options?: RequestOptions) => Call<Responses.ConnectorInstance>;
    readonly remove: (connectorInstanceId: ConnectorInstanceId, options?: RequestOptions) => Call<{
        readonly deletedConfigObjectCount: number;
        readonly deletedConnectorMappingCount: number;
        readonly removedConnectorInstanceId: string;
    }>;
    readonly sync: (connectorInstanceId: ConnectorInstanceId, input?: ConnectorsSyncInput, options?: RequestOptions) => Call<Responses.ConnectorSyncEvent>;
    readonly listSyncEvents: (connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListSyncEventsInput, options?: RequestOptions) => List<Responses.ConnectorSyncEvent>;
    readonly getSyncEvent: (connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions) => Call<Responses.ConnectorSyncEvent>;
    readonly approveSync: (connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions) => Call<Responses.ConnectorSyncEvent>;
    readonly rejectSync: (connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions) => Call<Responses.ConnectorSyncEvent>;
    readonly discovery: (connectorInstanceId: ConnectorInstanceId, input?: ConnectorsDiscoveryInput, options?: RequestOptions) => Call<Responses.Discovery>;
    readonly tree: (connectorInstanceId: ConnectorInstanceId, input?: ConnectorsTreeInput, options?: RequestOptions) => List<Responses.TreeEntry>;
    readonly apply: (connectorInstanceId: ConnectorInstanceId, input: ConnectorsApplyInput, options?: RequestOptions) => Call<{
        readonly autoImportNewPlugins: boolean;
        readonly marketplace: {
            readonly id: Responses.MarketplaceId;
            readonly name: string;
        } | null;
        readonly plugins: ReadonlyArray<{
            readonly key: string;
            readonly id: Responses.PluginId;
            readonly name: string;
        }>;
        readonly createdMappings: ReadonlyArray<Responses.ConnectorMapping>;
        readonly syncEvent: Responses.ConnectorSyncEvent;
        readonly sourceRevisionRef: string;
    }>;
    readonly listAccess: (connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListAccessInput, options?: RequestOptions) => List<Responses.ConnectorInstanceGrant>;
    readonly grantAccess: (connectorInstanceId: ConnectorInstanceId, input: CreateGrant, options?: RequestOptions) => Call<Responses.ConnectorInstanceGrant>;
    readonly revokeAccess: (connectorInstanceId: ConnectorInstanceId, grantId: ConnectorInstanceAccessGrantId, options?: RequestOptions) => Call<undefined>;
    readonly listTargets: (connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListTargetsInput, options?: RequestOptions) => List<Responses.ConnectorTarget>;
    readonly getTarget: (connectorTargetId: ConnectorTargetId, options?: RequestOptions) => Call<Responses.ConnectorTarget>;
    readonly listMappings: (connectorTargetId: ConnectorTargetId, input?: ConnectorsListMappingsInput, options?: RequestOptions) => List<Responses.ConnectorMapping>;
    readonly archive: (connectorInstanceId: ConnectorInstanceId, options?: RequestOptions) => Call<Responses.ConnectorInstance>;
    readonly configuration: (connectorInstanceId: ConnectorInstanceId, options?: RequestOptions) => Call<Responses.ConnectorConfiguration>;
    readonly setAutoImport: (connectorInstanceId: ConnectorInstanceId, input: SetAutoImport, options?: RequestOptions) => Call<Responses.AutoImport>;
    readonly createTarget: (connectorInstanceId: ConnectorInstanceId, input: CreateConnectorTarget, options?: RequestOptions) => Call<Responses.ConnectorTarget>;
    readonly updateTarget: (connectorTargetId: ConnectorTargetId, input?: UpdateConnectorTarget, options?: RequestOptions) => Call<Responses.ConnectorTarget>;
    readonly resync: (connectorTargetId: ConnectorTargetId, options?: RequestOptions) => Call<Responses.ConnectorSyncEvent>;
    readonly createMapping: (connectorTargetId: ConnectorTargetId, input: CreateConnectorMapping, options?: RequestOptions) => Call<Responses.ConnectorMapping>;
    readonly updateMapping: (connectorMappingId: ConnectorMappingId, input?: UpdateConnectorMapping, options?: RequestOptions) => Call<Responses.ConnectorMapping>;
    readonly deleteMapping: (connectorMappingId: ConnectorMappingId, options?: RequestOptions) => Call<undefined>;
    readonly plan: (connectorInstanceId: ConnectorInstanceId, input: ApplyDiscovery, options?: RequestOptions) => Call<Responses.ConnectorPlan>;
    readonly retrySync: (connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions) => Call<Responses.ConnectorSyncEvent>;
    readonly rollback: (connectorInstanceId: ConnectorInstanceId, input: RollbackConnector, options?: RequestOptions) => Call<Responses.ConnectorSyncEvent>;
    readonly listAccounts: (input?: ConnectorsListAccountsInput, options?: RequestOptions) => List<Responses.ConnectorAccount>;
    readonly getAccount: (connectorAccountId: ConnectorAccountId, options?: RequestOptions) => Call<Responses.ConnectorAccount>;
    readonly createAccount: (input: CreateConnectorAccount, options?: RequestOptions) => Call<Responses.ConnectorAccount>;
    readonly disconnectAccount: (connectorAccountId: ConnectorAccountId, options?: RequestOptions) => Call<Responses.ConnectorAccount>;
    readonly startInstall: (options?: RequestOptions) => Call<Responses.StartedInstall>;
    readonly completeInstall: (input: CompleteInstall, options?: RequestOptions) => Call<Responses.ConnectorAccount>;
    readonly listRepositories: (connectorAccountId: ConnectorAccountId, input?: ConnectorsListRepositoriesInput, options?: RequestOptions) => List<Responses.CodehostRepository>;
    readonly listBranches: (connectorAccountId: ConnectorAccountId, input: ConnectorsListBranchesInput, options?: RequestOptions) => List<Responses.CodehostBranch>;
    readonly createInstance: (input: CreateConnectorInstance, options?: RequestOptions) => Call<Responses.ConnectorInstance>;
}
export interface ConfigObjectsOperations {
    readonly create: (input: CreateConfigObject, options?: RequestOptions) => Call<Responses.ConfigObject>;
    readonly list: (input?: ConfigObjectsListInput, options?: RequestOptions) => List<Responses.ConfigObject>;
    readonly get: (configObjectId: ConfigObjectId, options?: RequestOptions) => Call<Responses.ConfigObject>;
    readonly listVersions: (configObjectId: ConfigObjectId, input?: ConfigObjectsListVersionsInput, options?: RequestOptions) => List<Responses.ConfigObjectVersion>;
    readonly getVersion: (configObjectId: ConfigObjectId, versionId: ConfigObjectVersionId, options?: RequestOptions) => Call<Responses.ConfigObjectVersion>;
    readonly listAccess: (configObjectId: ConfigObjectId, input?: ConfigObjectsListAccessInput, options?: RequestOptions) => List<Responses.ConfigObjectGrant>;
    readonly grantAccess: (configObjectId: ConfigObjectId, input: CreateGrant, options?: RequestOptions) => Call<Responses.ConfigObjectGrant>;
    readonly revokeAccess: (configObjectId: ConfigObjectId, grantId: ConfigObjectAccessGrantId, options?: RequestOptions) => Call<undefined>;
    readonly archive: (configObjectId: ConfigObjectId, options?: RequestOptions) => Call<Responses.ConfigObject>;
    readonly restore: (configObjectId: ConfigObjectId, options?: RequestOptions) => Call<Responses.ConfigObject>;
    readonly remove: (configObjectId: ConfigObjectId, options?: RequestOptions) => Call<undefined>;
    readonly createVersion: (configObjectId: ConfigObjectId, input: CreateConfigObjectVersion, options?: RequestOptions) => Call<Responses.ConfigObjectVersion>;
    readonly restoreVersion: (configObjectId: ConfigObjectId, versionId: ConfigObjectVersionId, options?: RequestOptions) => Call<Responses.ConfigObjectVersion>;
    readonly diffVersions: (configObjectId: ConfigObjectId, versionId: ConfigObjectVersionId, input?: ConfigObjectsDiffVersionsInput, options?: RequestOptions) => Call<Responses.VersionDiff>;
    readonly attachPlugin: (configObjectId: ConfigObjectId, input: AttachPlugin, options?: RequestOptions) => Call<Responses.PluginPlacement>;
    readonly detachPlugin: (configObjectId: ConfigObjectId, pluginId: PluginId, options?: RequestOptions) => Call<undefined>;
}
export interface PluginsOperations {
    readonly create: (input: CreatePlugin, options?: RequestOptions) => Call<Responses.Plugin>;
    readonly list: (input?: PluginsListInput, options?: RequestOptions) => List<Responses.Plugin>;
    readonly get: (pluginId: PluginId, options?: RequestOptions) => Call<Responses.Plugin>;
    readonly listObjects: (pluginId: PluginId, input?: PluginsListObjectsInput, options?: RequestOptions) => List<Responses.PluginMembership>;
    readonly listAccess: (pluginId: PluginId, input?: PluginsListAccessInput, options?: RequestOptions) => List<Responses.PluginGrant>;
    readonly grantAccess: (pluginId: PluginId, input: CreateGrant, options?: RequestOptions) => Call<Responses.PluginGrant>;
    readonly revokeAccess: (pluginId: PluginId, grantId: PluginAccessGrantId, options?: RequestOptions) => Call<undefined>;
    readonly update: (pluginId: PluginId, input?: UpdatePlugin, options?: RequestOptions) => Call<Responses.Plugin>;
    readonly archive: (pluginId: PluginId, options?: RequestOptions) => Call<Responses.Plugin>;
    readonly restore: (pluginId: PluginId, options?: RequestOptions) => Call<Responses.Plugin>;
    readonly addObject: (pluginId: PluginId, input: AddObject, options?: RequestOptions) => Call<Responses.PluginMembership>;
    readonly removeObject: (pluginId: PluginId, configObjectId: ConfigObjectId, options?: RequestOptions) => Call<undefined>;
    readonly download: (pluginId: PluginId, input?: PluginsDownloadInput, options?: RequestOptions) => Call<ReadableStream<Uint8Array>>;
    readonly downloadLinked: (pluginId: PluginId, input: PluginsDownloadLinkedInput, options?: RequestOptions) => Call<ReadableStream<Uint8Array>>;
}
export interface MarketplacesOperations {
    readonly list: (input?: MarketplacesListInput, options?: RequestOptions) => List<Responses.Marketplace>;
    readonly get: (marketplaceId: MarketplaceId, options?: RequestOptions) => Call<Responses.Marketplace>;
    readonly listPlugins: (marketplaceId: MarketplaceId, input?: MarketplacesListPluginsInput, options?: RequestOptions) => List<Responses.MarketplaceMembership>;
    readonly resolved: (marketplaceId: MarketplaceId, options?: RequestOptions) => Call<Responses.ResolvedMarketplace>;
    readonly listAccess: (marketplaceId: MarketplaceId, input?: MarketplacesListAccessInput, options?: RequestOptions) => List<Responses.MarketplaceGrant>;
    readonly grantAccess: (marketplaceId: MarketplaceId, input: CreateGrant, options?: RequestOptions) => Call<Responses.MarketplaceGrant>;
    readonly revokeAccess: (marketplaceId: MarketplaceId, grantId: MarketplaceAccessGrantId, options?: RequestOptions) => Call<undefined>;
    readonly create: (input: CreateMarketplace, options?: RequestOptions) => Call<Responses.Marketplace>;
    readonly update: (marketplaceId: MarketplaceId, input?: UpdateMarketplace, options?: RequestOptions) => Call<Responses.Marketplace>;
    readonly archive: (marketplaceId: MarketplaceId, options?: RequestOptions) => Call<Responses.Marketplace>;
    readonly restore: (marketplaceId: MarketplaceId, options?: RequestOptions) => Call<Responses.Marketplace>;
    readonly addPlugin: (marketplaceId: MarketplaceId, input: AddPlugin, options?: RequestOptions) => Call<Responses.MarketplaceMembership>;
    readonly removePlugin: (marketplaceId: MarketplaceId, pluginId: PluginId, options?: RequestOptions) => Call<undefined>;
    readonly manifest: (marketplaceId: MarketplaceId, input?: MarketplacesManifestInput, options?: RequestOptions) => Call<Responses.MarketplaceManifest>;
    readonly createLink: (marketplaceId: MarketplaceId, input: CreateMarketplaceLink, options?: RequestOptions) => Call<Responses.MarketplaceLinkWithUrl>;
    readonly listLinks: (marketplaceId: MarketplaceId, input?: MarketplacesListLinksInput, options?: RequestOptions) => List<Responses.MarketplaceLink>;
    readonly revokeLink: (marketplaceId: MarketplaceId, linkId: MarketplaceLinkId, options?: RequestOptions) => Call<undefined>;
    readonly manifestLinked: (token: MarketplaceLinkToken, options?: RequestOptions) => Call<Responses.MarketplaceManifest>;
    readonly downloadLinked: (token: MarketplaceLinkToken, pluginId: PluginId, options?: RequestOptions) => Call<ReadableStream<Uint8Array>>;
}
export interface DesktopPoliciesOperations {
    readonly create: (input: CreateDesktopPolicy, options?: RequestOptions) => Call<Responses.DesktopPolicy>;
    readonly list: (input?: DesktopPoliciesListInput, options?: RequestOptions) => List<Responses.DesktopPolicy>;
    readonly simulate: (input?: SimulateDesktopPolicies, options?: RequestOptions) => Call<Responses.DesktopPolicySimulation>;
    readonly effective: (orgMembershipId: OrganizationMembershipId, input?: DesktopPoliciesEffectiveInput, options?: RequestOptions) => Call<Responses.EffectiveDesktopPolicyResponse>;
    readonly get: (desktopPolicyId: DesktopPolicyId, options?: RequestOptions) => Call<Responses.DesktopPolicy>;
    readonly update: (desktopPolicyId: DesktopPolicyId, input?: UpdateDesktopPolicy, options?: RequestOptions) => Call<Responses.DesktopPolicy>;
    readonly remove: (desktopPolicyId: DesktopPolicyId, options?: RequestOptions) => Call<undefined>;
}
export interface TemplatesOperations {
    readonly create: (input: CreateTemplate, options?: RequestOptions) => Call<{
        readonly template: Responses.Template;
        readonly version: Responses.TemplateVersion;
    }>;
    readonly list: (input?: TemplatesListInput, options?: RequestOptions) => List<Responses.Template>;
    readonly get: (templateId: TemplateId, options?: RequestOptions) => Call<{
        readonly template: Responses.Template;
        readonly version: Responses.TemplateVersion;
    }>;
    readonly update: (templateId: TemplateId, input?: UpdateTemplate, options?: RequestOptions) => Call<Responses.Template>;
    readonly remove: (templateId: TemplateId, options?: RequestOptions) => Call<undefined>;
    readonly listVersions: (templateId: TemplateId, input?: TemplatesListVersionsInput, options?: RequestOptions) => List<Responses.TemplateVersionSummary>;
    readonly getVersion: (templateId: TemplateId, versionId: TemplateVersionId, options?: RequestOptions) => Call<Responses.TemplateVersion>;
    readonly createVersion: (templateId: TemplateId, input: CreateTemplateVersion, options?: RequestOptions) => Call<Responses.TemplateVersion>;
    readonly restoreVersion: (templateId: TemplateId, versionId: TemplateVersionId, options?: RequestOptions) => Call<Responses.TemplateVersion>;
    readonly diffVersions: (templateId: TemplateId, versionId: TemplateVersionId, input?: TemplatesDiffVersionsInput, options?: RequestOptions) => Call<Responses.TemplateDiff>;
    readonly preview: (templateId: TemplateId, input?: InstantiateTemplate, options?: RequestOptions) => Call<Responses.TemplatePreview>;
    readonly instantiate: (templateId: TemplateId, input?: InstantiateTemplate, options?: RequestOptions) => Call<Responses.TemplateInstantiation>;
    readonly listInstances: (templateId: TemplateId, input?: TemplatesListInstancesInput, options?: RequestOptions) => List<Responses.TemplateInstance>;
}
export interface McpConnectionsOperations {
    readonly create: (input: CreateMcpConnection, options?: RequestOptions) => Call<Responses.McpConnection>;
    readonly list: (input?: McpConnectionsListInput, options?: RequestOptions) => List<Responses.McpConnection>;
    readonly get: (connectionId: ExternalMCPConnectionId, options?: RequestOptions) => Call<Responses.McpConnection>;
    readonly update: (connectionId: ExternalMCPConnectionId, input?: UpdateMcpConnection, options?: RequestOptions) => Call<Responses.McpConnection>;
    readonly remove: (connectionId: ExternalMCPConnectionId, options?: RequestOptions) => Call<undefined>;
    readonly listAccess: (connectionId: ExternalMCPConnectionId, input?: McpConnectionsListAccessInput, options?: RequestOptions) => List<Responses.McpConnectionGrant>;
    readonly grantAccess: (connectionId: ExternalMCPConnectionId, input: CreateGrant, options?: RequestOptions) => Call<Responses.McpConnectionGrant>;
    readonly revokeAccess: (connectionId: ExternalMCPConnectionId, grantId: MCPConnectionAccessGrantId, options?: RequestOptions) => Call<undefined>;
    readonly listTools: (connectionId: ExternalMCPConnectionId, input?: McpConnectionsListToolsInput, options?: RequestOptions) => List<Responses.McpTool>;
    readonly getToolPolicy: (connectionId: ExternalMCPConnectionId, options?: RequestOptions) => Call<Responses.McpToolPolicy>;
    readonly setToolPolicy: (connectionId: ExternalMCPConnectionId, input: McpToolPolicy, options?: RequestOptions) => Call<Responses.McpToolPolicy>;
    readonly getReview: (connectionId: ExternalMCPConnectionId, options?: RequestOptions) => Call<Responses.McpReview>;
    readonly decideReview: (connectionId: ExternalMCPConnectionId, input: DecideMcpReview, options?: RequestOptions) => Call<Responses.McpConnection>;
    readonly callTool: (connectionId: ExternalMCPConnectionId, input: CallMcpTool, options?: RequestOptions) => Call<Responses.McpToolCall>;
    readonly startConnect: (connectionId: ExternalMCPConnectionId, input?: StartMcpConnect, options?: RequestOptions) => Call<Responses.StartedConnect>;
    readonly completeConnect: (connectionId: ExternalMCPConnectionId, input: CompleteConnect, options?: RequestOptions) => Call<Responses.McpConnection>;
    readonly setApiKey: (connectionId: ExternalMCPConnectionId, input: SetMcpApiKey, options?: RequestOptions) => Call<Responses.McpConnection>;
    readonly disconnect: (connectionId: ExternalMCPConnectionId, options?: RequestOptions) => Call<Responses.McpConnection>;
    readonly callback: (input?: McpConnectionsCallbackInput, options?: RequestOptions) => Call<string | undefined>;
    readonly clientMetadata: (options?: RequestOptions) => Call<Responses.McpClientMetadata>;
    readonly listPresets: (input?: McpConnectionsListPresetsInput, options?: RequestOptions) => List<Responses.ListedMcpPreset>;
    readonly resolve: (input: ResolveMcp, options?: RequestOptions) => Call<Responses.McpResolution>;
}
export interface LlmProvidersOperations {
    readonly create: (input: CreateLlmProvider, options?: RequestOptions) => Call<Responses.LlmProvider>;
    readonly list: (input?: LlmProvidersListInput, options?: RequestOptions) => List<Responses.LlmProvider>;
    readonly get: (llmProviderId: LLMProviderId, options?: RequestOptions) => Call<Responses.LlmProvider>;
    readonly update: (llmProviderId: LLMProviderId, input?: UpdateLlmProvider, options?: RequestOptions) => Call<Responses.LlmProvider>;
    readonly remove: (llmProviderId: LLMProviderId, options?: RequestOptions) => Call<undefined>;
    readonly listAccess: (llmProviderId: LLMProviderId, input?: LlmProvidersListAccessInput, options?: RequestOptions) => List<Responses.LlmProviderGrant>;
    readonly grantAccess: (llmProviderId: LLMProviderId, input: CreateGrant, options?: RequestOptions) => Call<Responses.LlmProviderGrant>;
    readonly revokeAccess: (llmProviderId: LLMProviderId, grantId: LLMProviderAccessGrantId, options?: RequestOptions) => Call<undefined>;
    readonly listCatalog: (input?: LlmProvidersListCatalogInput, options?: RequestOptions) => List<Responses.CatalogModel>;
    readonly listCatalogProviders: (input?: LlmProvidersListCatalogProvidersInput, options?: RequestOptions) => List<Responses.CatalogProvider>;
    readonly setCredential: (llmProviderId: LLMProviderId, input: SetLlmCredential, options?: RequestOptions) => Call<Responses.LlmProvider>;
    readonly removeCredential: (llmProviderId: LLMProviderId, options?: RequestOptions) => Call<undefined>;
    readonly connect: (llmProviderId: LLMProviderId, options?: RequestOptions) => Call<Responses.LlmConnection>;
    readonly test: (llmProviderId: LLMProviderId, options?: RequestOptions) => Call<Responses.LlmProviderTest>;
}
export interface CapabilitiesOperations {
    readonly createMailDraft: (input: CreateMailDraft, options?: RequestOptions) => Call<Responses.MailMessage>;
    readonly getMailMessage: (messageId: string, options?: RequestOptions) => Call<Responses.MailMessage>;
    readonly updateCalendarEvent: (eventId: string, input: UpdateCalendarEvent, options?: RequestOptions) => Call<Responses.CalendarEvent>;
    readonly listConnections: (input?: CapabilitiesListConnectionsInput, options?: RequestOptions) => List<Responses.CapabilityConnection>;
    readonly getConnection: (suite: Suite, options?: RequestOptions) => Call<Responses.CapabilityConnection>;
    readonly startConnect: (suite: Suite, input?: StartSuiteConnect, options?: RequestOptions) => Call<Responses.StartedConnect>;
    readonly completeConnect: (suite: Suite, input: CompleteSuiteConnect, options?: RequestOptions) => Call<Responses.CapabilityConnection>;
    readonly disconnect: (suite: Suite, options?: RequestOptions) => Call<Responses.CapabilityConnection>;
    readonly callback: (input?: CapabilitiesCallbackInput, options?: RequestOptions) => Call<string | undefined>;
}
export interface MemoryOperations {
    readonly save: (input: SaveMemory, options?: RequestOptions) => Call<Responses.Memory>;
    readonly search: (input: MemorySearchInput, options?: RequestOptions) => Call<{
        readonly results: ReadonlyArray<Responses.MemorySearchResult>;
    }>;
    readonly export: (input?: MemoryExportInput, options?: RequestOptions) => Call<ReadableStream<Uint8Array>>;
    readonly list: (input?: MemoryListInput, options?: RequestOptions) => List<Responses.Memory>;
    readonly get: (memoryId: string, options?: RequestOptions) => Call<Responses.WholeMemory>;
    readonly delete: (memoryId: string, options?: RequestOptions) => Call<undefined>;
    readonly deleteAll: (options?: RequestOptions) => Call<undefined>;
}
export interface TelemetryOperations {
    readonly ingest: (input: IngestTelemetry, options?: RequestOptions) => Call<undefined>;
    readonly describe: (options?: RequestOptions) => Call<Responses.TelemetryDescription>;
    readonly ledger: (input?: TelemetryLedgerInput, options?: RequestOptions) => List<Responses.TelemetryLedgerEntry>;
    readonly dimensions: (input?: TelemetryDimensionsInput, options?: RequestOptions) => List<Responses.SeenDimension>;
    readonly adoption: (input?: TelemetryAdoptionInput, options?: RequestOptions) => Call<{
        readonly adoption: Responses.Adoption;
        readonly generatedAt: Responses.Timestamp;
    }>;
    readonly analytics: (input?: TelemetryAnalyticsInput, options?: RequestOptions) => Call<{
        readonly analytics: Responses.Analytics;
        readonly generatedAt: Responses.Timestamp;
    }>;
}
export interface AdminOperations {
    readonly metrics: (options?: RequestOptions) => Call<{
        readonly summary: Responses.AdminMetrics;
        readonly generatedAt: Responses.Timestamp;
    }>;
    readonly overview: (options?: RequestOptions) => Call<{
        readonly overview: Responses.AdminOverview;
        readonly generatedAt: Responses.Timestamp;
    }>;
    readonly listPlatformUsers: (input?: AdminListPlatformUsersInput, options?: RequestOptions) => List<Responses.PlatformUser>;
    readonly listPlatformOrganizations: (input?: AdminListPlatformOrganizationsInput, options?: RequestOptions) => List<Responses.PlatformOrganization>;
    readonly updatePlan: (organizationId: OrganizationId, input: UpdatePlan, options?: RequestOptions) => Call<Responses.Organization>;
}
export interface ScimOperations {
    readonly createDirectory: (input: CreateScimDirectory, options?: RequestOptions) => Call<{
        readonly directory: Responses.ScimDirectory;
        readonly token: string;
    }>;
    readonly listDirectories: (input?: ScimListDirectoriesInput, options?: RequestOptions) => List<Responses.ScimDirectory>;
    readonly getDirectory: (scimDirectoryId: SCIMDirectoryId, options?: RequestOptions) => Call<Responses.ScimDirectory>;
    readonly removeDirectory: (scimDirectoryId: SCIMDirectoryId, input?: ScimRemoveDirectoryInput, options?: RequestOptions) => Call<undefined>;
    readonly rotateToken: (scimDirectoryId: SCIMDirectoryId, input?: RotateScimToken, options?: RequestOptions) => Call<{
        readonly directory: Responses.ScimDirectory;
        readonly token: string;
    }>;
    readonly revokeToken: (scimDirectoryId: SCIMDirectoryId, scimTokenId: SCIMTokenId, options?: RequestOptions) => Call<undefined>;
    readonly listGroups: (scimDirectoryId: SCIMDirectoryId, input?: ScimListGroupsInput, options?: RequestOptions) => List<Responses.ScimGroup>;
    readonly setGroupRole: (scimDirectoryId: SCIMDirectoryId, teamId: SCIMGroupId, input: SetScimGroupRole, options?: RequestOptions) => Call<Responses.ScimGroup>;
    readonly log: (scimDirectoryId: SCIMDirectoryId, input?: ScimLogInput, options?: RequestOptions) => List<Responses.ScimLogEntry>;
    readonly reconcile: (scimDirectoryId: SCIMDirectoryId, options?: RequestOptions) => Call<Responses.ScimReconciliation>;
    readonly listHolds: (scimDirectoryId: SCIMDirectoryId, input?: ScimListHoldsInput, options?: RequestOptions) => List<Responses.ScimHold>;
    readonly getHold: (scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, options?: RequestOptions) => Call<Responses.ScimHold>;
    readonly listHeldUsers: (scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, input?: ScimListHeldUsersInput, options?: RequestOptions) => List<Responses.ScimHeldUser>;
    readonly approveHold: (scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, options?: RequestOptions) => Call<{
        readonly hold: Responses.ScimHold;
        readonly keptOrgMembershipId: Responses.OrganizationMembershipId | null;
    }>;
    readonly rejectHold: (scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, options?: RequestOptions) => Call<Responses.ScimHold>;
}
export interface WebhooksOperations {
    readonly listDeliveries: (input?: WebhooksListDeliveriesInput, options?: RequestOptions) => List<Responses.WebhookDelivery>;
    readonly getDelivery: (webhookDeliveryId: WebhookDeliveryId, options?: RequestOptions) => Call<Responses.WebhookDelivery>;
    readonly redeliver: (webhookDeliveryId: WebhookDeliveryId, options?: RequestOptions) => Call<Responses.WebhookDelivery>;
}
export interface WorkersOperations {
    readonly create: (input: CreateWorker, options?: RequestOptions) => Call<{
        readonly worker: Responses.Worker;
        readonly instance: Responses.WorkerInstance | null;
        readonly token: string | null;
    }>;
    readonly list: (input?: WorkersListInput, options?: RequestOptions) => List<Responses.Worker>;
    readonly get: (id: WorkerPathId, options?: RequestOptions) => Call<{
        readonly worker: Responses.Worker;
        readonly instance: Responses.WorkerInstance | null;
    }>;
    readonly update: (id: WorkerPathId, input?: UpdateWorker, options?: RequestOptions) => Call<{
        readonly worker: Responses.Worker;
        readonly instance: Responses.WorkerInstance | null;
    }>;
    readonly remove: (id: WorkerPathId, options?: RequestOptions) => Call<undefined>;
    readonly createToken: (id: WorkerPathId, input?: CreateWorkerToken, options?: RequestOptions) => Call<{
        readonly workerToken: Responses.WorkerToken;
        readonly token: string;
    }>;
    readonly listTokens: (id: WorkerPathId, input?: WorkersListTokensInput, options?: RequestOptions) => List<Responses.WorkerToken>;
    readonly revokeToken: (id: WorkerPathId, workerTokenId: WorkerTokenId, options?: RequestOptions) => Call<undefined>;
    readonly getRuntime: (id: WorkerPathId, options?: RequestOptions) => Call<Responses.Json>;
    readonly upgradeRuntime: (id: WorkerPathId, options?: RequestOptions) => Call<Responses.Json>;
    readonly heartbeat: (id: WorkerPathId, input?: WorkerHeartbeat, options?: RequestOptions) => Call<{
        readonly status: Responses.WorkerStatus;
        readonly heartbeatSeconds: number;
    }>;
    readonly reportActivity: (id: WorkerPathId, input: ReportWorkerActivity, options?: RequestOptions) => Call<Responses.WorkerActivity>;
    readonly listActivity: (id: WorkerPathId, input?: WorkersListActivityInput, options?: RequestOptions) => List<Responses.WorkerActivity>;
}
export interface SsoDomainsOperations {
    readonly create: (input: CreateDomain, options?: RequestOptions) => Call<Responses.Domain>;
    readonly list: (input?: SsoDomainsListInput, options?: RequestOptions) => List<Responses.Domain>;
    readonly get: (domainId: DomainId, options?: RequestOptions) => Call<Responses.Domain>;
    readonly remove: (domainId: DomainId, options?: RequestOptions) => Call<undefined>;
    readonly verify: (options?: RequestOptions) => Call<undefined>;
}
export interface Operations {
    readonly system: SystemOperations;
    readonly bootstrap: BootstrapOperations;
    readonly sessions: SessionsOperations;
    readonly sso: SsoOperations;
    readonly users: UsersOperations;
    readonly organizations: OrganizationsOperations;
    readonly members: MembersOperations;
    readonly invitations: InvitationsOperations;
    readonly roles: RolesOperations;
    readonly teams: TeamsOperations;
    readonly apiKeys: ApiKeysOperations;
    readonly access: AccessOperations;
    readonly audit: AuditOperations;
    readonly connectors: ConnectorsOperations;
    readonly configObjects: ConfigObjectsOperations;
    readonly plugins: PluginsOperations;
    readonly marketplaces: MarketplacesOperations;
    readonly desktopPolicies: DesktopPoliciesOperations;
    readonly templates: TemplatesOperations;
    readonly mcpConnections: McpConnectionsOperations;
    readonly llmProviders: LlmProvidersOperations;
    readonly capabilities: CapabilitiesOperations;
    readonly memory: MemoryOperations;
    readonly telemetry: TelemetryOperations;
    readonly admin: AdminOperations;
    readonly scim: ScimOperations;
    readonly webhooks: WebhooksOperations;
    readonly workers: WorkersOperations;
    readonly ssoDomains: SsoDomainsOperations;
}
export declare const routes: {
    readonly system: {
        readonly health: "GET /v1/health";
        readonly ready: "GET503 /v1/ready";
        readonly version: "GET /v1/version";
        readonly keys: "GET /v1/keys";
        readonly openapi: "GET /v1/openapi.json";
        readonly docs: "GET /v1/docs ?";
    };
    readonly bootstrap: {
        readonly workspace: "POST{ /v1/bootstrap/workspace";
        readonly previewClaim: "POST={ /v1/bootstrap/claims/preview";
        readonly acceptClaim: "POST{ /v1/bootstrap/claims/accept";
    };
    readonly sessions: {
        readonly startEmail: "POST{ /v1/sessions/email";
        readonly verifyEmail: "POST{ /v1/sessions/email/verify";
        readonly exchange: "POST+>session{ /v1/sessions/exchange";
        readonly list: "GET* /v1/sessions ?";
        readonly revokeCurrent: "DELETE /v1/sessions/current";
        readonly revoke: "DELETE /v1/sessions/:";
    };
    readonly sso: {
        readonly get: "GET>sso /v1/sso";
        readonly serviceProvider: "GET>serviceProvider /v1/sso/service-provider";
        readonly remove: "DELETE /v1/sso";
        readonly putOidc: "PUT>sso{ /v1/sso/oidc";
        readonly putSaml: "PUT>sso{ /v1/sso/saml";
        readonly test: "POST+{ /v1/sso/test";
        readonly enable: "POST+>sso /v1/sso/enable";
        readonly disable: "POST+>sso /v1/sso/disable";
        readonly enforce: "POST+>sso{ /v1/sso/enforce";
        readonly start: "POST{ /v1/sso/sign-in";
        readonly complete: "POST{ /v1/sso/sign-in/complete";
        readonly oidcCallback: "GET /v1/sso/oidc/:/callback ?";
        readonly samlMetadata: "GET /v1/sso/saml/:/metadata";
    };
    readonly users: {
        readonly get: "GET>user /v1/me";
        readonly update: "PATCH>user{ /v1/me";
        readonly remove: "DELETE /v1/me";
        readonly organizations: "GET* /v1/me/organizations ?";
        readonly leaveOrganization: "DELETE /v1/me/organizations/:";
        readonly setActiveOrganization: "PUT>organization{ /v1/me/active-organization";
        readonly desktopPolicy: "GET /v1/me/desktop-policy ?";
        readonly library: "GET* /v1/me/library ?";
        readonly export: "GET~ /v1/me/export";
    };
    readonly organizations: {
        readonly create: "POST+>organization{ /v1/organizations";
        readonly get: "GET>organization /v1/organization";
        readonly update: "PATCH>organization{ /v1/organization";
        readonly remove: "DELETE /v1/organization";
        readonly transferOwnership: "POST+>organization{ /v1/organization/transfer-ownership";
        readonly export: "GET~ /v1/organization/export";
    };
    readonly members: {
        readonly add: "POST+>member{ /v1/members";
        readonly list: "GET* /v1/members ?";
        readonly get: "GET>member /v1/members/:";
        readonly update: "PATCH>member{ /v1/members/:";
        readonly remove: "DELETE /v1/members/: ?";
        readonly batch: "POST+{ /v1/members/batch";
    };
    readonly invitations: {
        readonly create: "POST+{ /v1/invitations";
        readonly list: "GET* /v1/invitations ?";
        readonly get: "GET>invitation /v1/invitations/:";
        readonly resend: "POST+>invitation /v1/invitations/:/resend";
        readonly cancel: "POST+>invitation /v1/invitations/:/cancel";
        readonly preview: "POST={ /v1/invitations/preview";
        readonly accept: "POST{ /v1/invitations/accept";
    };
    readonly roles: {
        readonly permissions: "GET /v1/roles/permissions";
        readonly create: "POST+>role{ /v1/roles";
        readonly list: "GET* /v1/roles ?";
        readonly get: "GET>role /v1/roles/:";
        readonly update: "PATCH>role{ /v1/roles/:";
        readonly remove: "DELETE /v1/roles/:";
    };
    readonly teams: {
        readonly create: "POST+>team{ /v1/teams";
        readonly list: "GET* /v1/teams ?";
        readonly get: "GET>team /v1/teams/:";
        readonly update: "PATCH>team{ /v1/teams/:";
        readonly remove: "DELETE /v1/teams/:";
        readonly listMembers: "GET* /v1/teams/:/members ?";
        readonly addMember: "PUT>team /v1/teams/:/members/:";
        readonly removeMember: "DELETE /v1/teams/:/members/:";
    };
    readonly apiKeys: {
        readonly create: "POST+{ /v1/api-keys";
        readonly list: "GET* /v1/api-keys ?";
        readonly current: "GET>apiKey /v1/api-keys/current";
        readonly get: "GET>apiKey /v1/api-keys/:";
        readonly update: "PATCH>apiKey{ /v1/api-keys/:";
        readonly rotate: "POST+{ /v1/api-keys/:/rotate";
        readonly revoke: "DELETE /v1/api-keys/:";
    };
    readonly access: {
        readonly explain: "POST=>explanation{ /v1/access/explain";
        readonly impact: "POST=>impact{ /v1/access/impact";
    };
    readonly audit: {
        readonly list: "GET* /v1/audit-events ?";
        readonly export: "GET~ /v1/audit-events/export ?";
        readonly verify: "POST=>verification /v1/audit-events/verify ?";
        readonly checkpoints: "GET* /v1/audit-events/checkpoints ?";
    };
    readonly connectors: {
        readonly setup: "POST+>{ /v1/connectors/codehost/setup";
        readonly listInstances: "GET* /v1/connector-instances ?";
        readonly getInstance: "GET> /v1/connector-instances/:";
        readonly updateInstance: "PATCH>{ /v1/connector-instances/:";
        readonly enable: "POST+> /v1/connector-instances/:/enable";
        readonly disable: "POST+> /v1/connector-instances/:/disable";
        readonly remove: "POST+> /v1/connector-instances/:/remove";
        readonly sync: "POST+> /v1/connector-instances/:/sync ?";
        readonly listSyncEvents: "GET* /v1/connector-instances/:/sync-events ?";
        readonly getSyncEvent: "GET> /v1/connector-sync-events/:";
        readonly approveSync: "POST+> /v1/connector-sync-events/:/approve";
        readonly rejectSync: "POST+> /v1/connector-sync-events/:/reject";
        readonly discovery: "GET> /v1/connector-instances/:/discovery ?";
        readonly tree: "GET* /v1/connector-instances/:/discovery/tree ?";
        readonly apply: "POST+>{ /v1/connector-instances/:/discovery/apply ?wait";
        readonly listAccess: "GET* /v1/connector-instances/:/access ?";
        readonly grantAccess: "POST+>{ /v1/connector-instances/:/access";
        readonly revokeAccess: "DELETE /v1/connector-instances/:/access/:";
        readonly listTargets: "GET* /v1/connector-instances/:/targets ?";
        readonly getTarget: "GET> /v1/connector-targets/:";
        readonly listMappings: "GET* /v1/connector-targets/:/mappings ?";
        readonly archive: "POST+> /v1/connector-instances/:/archive";
        readonly configuration: "GET> /v1/connector-instances/:/configuration";
        readonly setAutoImport: "PUT>{ /v1/connector-instances/:/auto-import";
        readonly createTarget: "POST+>{ /v1/connector-instances/:/targets";
        readonly updateTarget: "PATCH>{ /v1/connector-targets/:";
        readonly resync: "POST+> /v1/connector-targets/:/resync";
        readonly createMapping: "POST+>{ /v1/connector-targets/:/mappings";
        readonly updateMapping: "PATCH>{ /v1/connector-mappings/:";
        readonly deleteMapping: "DELETE /v1/connector-mappings/:";
        readonly plan: "POST=>{ /v1/connector-instances/:/discovery/plan";
        readonly retrySync: "POST+> /v1/connector-sync-events/:/retry";
        readonly rollback: "POST+>{ /v1/connector-instances/:/rollback";
        readonly listAccounts: "GET* /v1/connector-accounts ?";
        readonly getAccount: "GET> /v1/connector-accounts/:";
        readonly createAccount: "POST+>{ /v1/connector-accounts";
        readonly disconnectAccount: "POST+> /v1/connector-accounts/:/disconnect";
        readonly startInstall: "POST+> /v1/connectors/codehost/install/start";
        readonly completeInstall: "POST+>{ /v1/connectors/codehost/install/complete";
        readonly listRepositories: "GET* /v1/connector-accounts/:/repositories ?";
        readonly listBranches: "GET* /v1/connector-accounts/:/branches ?";
        readonly createInstance: "POST+>{ /v1/connector-instances";
    };
    readonly configObjects: {
        readonly create: "POST+>{ /v1/config-objects";
        readonly list: "GET* /v1/config-objects ?";
        readonly get: "GET> /v1/config-objects/:";
        readonly listVersions: "GET* /v1/config-objects/:/versions ?";
        readonly getVersion: "GET> /v1/config-objects/:/versions/:";
        readonly listAccess: "GET* /v1/config-objects/:/access ?";
        readonly grantAccess: "POST+>{ /v1/config-objects/:/access";
        readonly revokeAccess: "DELETE /v1/config-objects/:/access/:";
        readonly archive: "POST+> /v1/config-objects/:/archive";
        readonly restore: "POST+> /v1/config-objects/:/restore";
        readonly remove: "DELETE /v1/config-objects/:";
        readonly createVersion: "POST+>{ /v1/config-objects/:/versions";
        readonly restoreVersion: "POST+> /v1/config-objects/:/versions/:/restore";
        readonly diffVersions: "GET> /v1/config-objects/:/versions/:/diff ?";
        readonly attachPlugin: "POST+>{ /v1/config-objects/:/plugins";
        readonly detachPlugin: "DELETE /v1/config-objects/:/plugins/:";
    };
    readonly plugins: {
        readonly create: "POST+>{ /v1/plugins";
        readonly list: "GET* /v1/plugins ?";
        readonly get: "GET> /v1/plugins/:";
        readonly listObjects: "GET* /v1/plugins/:/config-objects ?";
        readonly listAccess: "GET* /v1/plugins/:/access ?";
        readonly grantAccess: "POST+>{ /v1/plugins/:/access";
        readonly revokeAccess: "DELETE /v1/plugins/:/access/:";
        readonly update: "PATCH>{ /v1/plugins/:";
        readonly archive: "POST+> /v1/plugins/:/archive";
        readonly restore: "POST+> /v1/plugins/:/restore";
        readonly addObject: "POST+>{ /v1/plugins/:/config-objects";
        readonly removeObject: "DELETE /v1/plugins/:/config-objects/:";
        readonly download: "GET~ /v1/plugins/:/archive ?";
        readonly downloadLinked: "GET~ /v1/plugin-archives/: ?";
    };
    readonly marketplaces: {
        readonly list: "GET* /v1/marketplaces ?";
        readonly get: "GET> /v1/marketplaces/:";
        readonly listPlugins: "GET* /v1/marketplaces/:/plugins ?";
        readonly resolved: "GET> /v1/marketplaces/:/resolved";
        readonly listAccess: "GET* /v1/marketplaces/:/access ?";
        readonly grantAccess: "POST+>{ /v1/marketplaces/:/access";
        readonly revokeAccess: "DELETE /v1/marketplaces/:/access/:";
        readonly create: "POST+>{ /v1/marketplaces";
        readonly update: "PATCH>{ /v1/marketplaces/:";
        readonly archive: "POST+> /v1/marketplaces/:/archive";
        readonly restore: "POST+> /v1/marketplaces/:/restore";
        readonly addPlugin: "POST+>{ /v1/marketplaces/:/plugins";
        readonly removePlugin: "DELETE /v1/marketplaces/:/plugins/:";
        readonly manifest: "GET /v1/marketplaces/:/marketplace.json ?";
        readonly createLink: "POST+>{ /v1/marketplaces/:/links";
        readonly listLinks: "GET* /v1/marketplaces/:/links ?";
        readonly revokeLink: "DELETE /v1/marketplaces/:/links/:";
        readonly manifestLinked: "GET /v1/marketplace-links/:/marketplace.json";
        readonly downloadLinked: "GET~ /v1/marketplace-links/:/plugins/:";
    };
    readonly desktopPolicies: {
        readonly create: "POST+>desktopPolicy{ /v1/desktop-policies";
        readonly list: "GET* /v1/desktop-policies ?";
        readonly simulate: "POST=>simulation{ /v1/desktop-policies/simulate";
        readonly effective: "GET /v1/members/:/desktop-policy ?";
        readonly get: "GET>desktopPolicy /v1/desktop-policies/:";
        readonly update: "PATCH>desktopPolicy{ /v1/desktop-policies/:";
        readonly remove: "DELETE /v1/desktop-policies/:";
    };
    readonly templates: {
        readonly create: "POST+{ /v1/templates";
        readonly list: "GET* /v1/templates ?";
        readonly get: "GET /v1/templates/:";
        readonly update: "PATCH>template{ /v1/templates/:";
        readonly remove: "DELETE /v1/templates/:";
        readonly listVersions: "GET* /v1/templates/:/versions ?";
        readonly getVersion: "GET>version /v1/templates/:/versions/:";
        readonly createVersion: "POST+>version{ /v1/templates/:/versions";
        readonly restoreVersion: "POST+>version /v1/templates/:/versions/:/restore";
        readonly diffVersions: "GET>diff /v1/templates/:/versions/:/diff ?";
        readonly preview: "POST=>preview{ /v1/templates/:/preview";
        readonly instantiate: "POST+{ /v1/templates/:/instantiate";
        readonly listInstances: "GET* /v1/templates/:/instances ?";
    };
    readonly mcpConnections: {
        readonly create: "POST+>mcpConnection{ /v1/mcp-connections";
        readonly list: "GET* /v1/mcp-connections ?";
        readonly get: "GET>mcpConnection /v1/mcp-connections/:";
        readonly update: "PATCH>mcpConnection{ /v1/mcp-connections/:";
        readonly remove: "DELETE /v1/mcp-connections/:";
        readonly listAccess: "GET* /v1/mcp-connections/:/access ?";
        readonly grantAccess: "POST+>grant{ /v1/mcp-connections/:/access";
        readonly revokeAccess: "DELETE /v1/mcp-connections/:/access/:";
        readonly listTools: "GET* /v1/mcp-connections/:/tools ?";
        readonly getToolPolicy: "GET>toolPolicy /v1/mcp-connections/:/tool-policy";
        readonly setToolPolicy: "PUT>toolPolicy{ /v1/mcp-connections/:/tool-policy";
        readonly getReview: "GET>review /v1/mcp-connections/:/review";
        readonly decideReview: "POST+>mcpConnection{ /v1/mcp-connections/:/review";
        readonly callTool: "POST+{ /v1/mcp-connections/:/tools/call";
        readonly startConnect: "POST+>connect{ /v1/mcp-connections/:/connect/start";
        readonly completeConnect: "POST+>mcpConnection{ /v1/mcp-connections/:/connect/complete";
        readonly setApiKey: "PUT>mcpConnection{ /v1/mcp-connections/:/api-key";
        readonly disconnect: "POST+>mcpConnection /v1/mcp-connections/:/disconnect";
        readonly callback: "GET /v1/mcp-connections/callback ?";
        readonly clientMetadata: "GET /v1/mcp-connections/client-metadata.json";
        readonly listPresets: "GET* /v1/mcp-connections/presets ?";
        readonly resolve: "POST={ /v1/mcp-connections/resolve";
    };
    readonly llmProviders: {
        readonly create: "POST+>llmProvider{ /v1/llm-providers";
        readonly list: "GET* /v1/llm-providers ?";
        readonly get: "GET>llmProvider /v1/llm-providers/:";
        readonly update: "PATCH>llmProvider{ /v1/llm-providers/:";
        readonly remove: "DELETE /v1/llm-providers/:";
        readonly listAccess: "GET* /v1/llm-providers/:/access ?";
        readonly grantAccess: "POST+>grant{ /v1/llm-providers/:/access";
        readonly revokeAccess: "DELETE /v1/llm-providers/:/access/:";
        readonly listCatalog: "GET* /v1/llm-providers/catalog ?";
        readonly listCatalogProviders: "GET* /v1/llm-providers/catalog/providers ?";
        readonly setCredential: "PUT>llmProvider{ /v1/llm-providers/:/credential";
        readonly removeCredential: "DELETE /v1/llm-providers/:/credential";
        readonly connect: "POST+>connection /v1/llm-providers/:/connect";
        readonly test: "POST=>test /v1/llm-providers/:/test";
    };
    readonly capabilities: {
        readonly createMailDraft: "POST+>draft{ /v1/capabilities/suite-a/mail-drafts";
        readonly getMailMessage: "GET>message /v1/capabilities/suite-a/mail-message/:";
        readonly updateCalendarEvent: "PATCH{ /v1/capabilities/suite-b/calendar-event/:";
        readonly listConnections: "GET* /v1/capabilities/connections ?";
        readonly getConnection: "GET>connection /v1/capabilities/connections/:";
        readonly startConnect: "POST+>connect{ /v1/capabilities/connections/:/start";
        readonly completeConnect: "POST+>connection{ /v1/capabilities/connections/:/complete";
        readonly disconnect: "POST+>connection /v1/capabilities/connections/:/disconnect";
        readonly callback: "GET /v1/capabilities/callback ?";
    };
    readonly memory: {
        readonly save: "POST+>memory{ /v1/memory";
        readonly search: "GET /v1/memory/search ?";
        readonly export: "GET~ /v1/memory/export ?";
        readonly list: "GET* /v1/memory ?";
        readonly get: "GET>memory /v1/memory/:";
        readonly delete: "DELETE /v1/memory/:";
        readonly deleteAll: "DELETE /v1/memory";
    };
    readonly telemetry: {
        readonly ingest: "POST{ /v1/telemetry/ingest";
        readonly describe: "GET>telemetry /v1/telemetry/schema";
        readonly ledger: "GET* /v1/telemetry/ledger ?";
        readonly dimensions: "GET* /v1/telemetry/dimensions ?";
        readonly adoption: "GET /v1/telemetry/adoption ?";
        readonly analytics: "GET /v1/telemetry/analytics ?";
    };
    readonly admin: {
        readonly metrics: "GET /v1/admin/metrics";
        readonly overview: "GET /v1/admin/overview";
        readonly listPlatformUsers: "GET* /v1/admin/platform/users ?";
        readonly listPlatformOrganizations: "GET* /v1/admin/platform/organizations ?";
        readonly updatePlan: "PATCH>organization{ /v1/admin/platform/organizations/:";
    };
    readonly scim: {
        readonly createDirectory: "POST+{ /v1/scim/directories";
        readonly listDirectories: "GET* /v1/scim/directories ?";
        readonly getDirectory: "GET>directory /v1/scim/directories/:";
        readonly removeDirectory: "DELETE /v1/scim/directories/: ?";
        readonly rotateToken: "POST+{ /v1/scim/directories/:/tokens";
        readonly revokeToken: "DELETE /v1/scim/directories/:/tokens/:";
        readonly listGroups: "GET* /v1/scim/directories/:/groups ?";
        readonly setGroupRole: "PUT>group{ /v1/scim/directories/:/groups/:/role";
        readonly log: "GET* /v1/scim/directories/:/log ?";
        readonly reconcile: "POST+>reconciliation /v1/scim/directories/:/reconcile";
        readonly listHolds: "GET* /v1/scim/directories/:/holds ?";
        readonly getHold: "GET>hold /v1/scim/directories/:/holds/:";
        readonly listHeldUsers: "GET* /v1/scim/directories/:/holds/:/users ?";
        readonly approveHold: "POST+ /v1/scim/directories/:/holds/:/approve";
        readonly rejectHold: "POST+>hold /v1/scim/directories/:/holds/:/reject";
    };
    readonly webhooks: {
        readonly listDeliveries: "GET* /v1/webhook-deliveries ?";
        readonly getDelivery: "GET> /v1/webhook-deliveries/:";
        readonly redeliver: "POST+> /v1/webhook-deliveries/:/redeliver";
    };
    readonly workers: {
        readonly create: "POST+{ /v1/workers";
        readonly list: "GET* /v1/workers ?";
        readonly get: "GET /v1/workers/:";
        readonly update: "PATCH{ /v1/workers/:";
        readonly remove: "DELETE /v1/workers/:";
        readonly createToken: "POST+{ /v1/workers/:/tokens";
        readonly listTokens: "GET* /v1/workers/:/tokens ?";
        readonly revokeToken: "DELETE /v1/workers/:/tokens/:";
        readonly getRuntime: "GET /v1/workers/:/runtime";
        readonly upgradeRuntime: "POST+{ /v1/workers/:/runtime/upgrade";
        readonly heartbeat: "POST{ /v1/workers/:/heartbeat";
        readonly reportActivity: "POST>activity{ /v1/workers/:/activity";
        readonly listActivity: "GET* /v1/workers/:/activity ?";
    };
    readonly ssoDomains: {
        readonly create: "POST+>domain{ /v1/sso/domains";
        readonly list: "GET* /v1/sso/domains ?";
        readonly get: "GET>domain /v1/sso/domains/:";
        readonly remove: "DELETE /v1/sso/domains/:";
        readonly verify: "POST /v1/sso/verify-domain";
    };
};
