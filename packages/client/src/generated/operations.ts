// Written by `pnpm codegen`; change the contract instead.
import type { List } from "../page.ts"
import type { Call, RequestOptions } from "../transport.ts"
import type {
  Json,
  APIKeyId,
  AcceptClaim,
  AcceptedClaim,
  AccessExplanation,
  AccessImpact,
  AccessImpactResult,
  AddMember,
  AddObject,
  AddPlugin,
  AdminMetrics,
  AdminOverview,
  Adoption,
  Analytics,
  ApiKey,
  ApiKeyWithSecret,
  ApplyDiscovery,
  ArchiveFormat,
  AttachPlugin,
  AuditCheckpoint,
  AuditEvent,
  AuditEventId,
  AuditVerification,
  AutoImport,
  BootstrapWorkspace,
  CalendarEvent,
  CallMcpTool,
  CapabilityConnection,
  CatalogModel,
  CatalogProvider,
  ClaimPreview,
  ClaimToken,
  CodehostBranch,
  CodehostRepository,
  CompleteConnect,
  CompleteInstall,
  CompleteSso,
  CompleteSuiteConnect,
  ConfigObject,
  ConfigObjectAccessGrantId,
  ConfigObjectGrant,
  ConfigObjectId,
  ConfigObjectVersion,
  ConfigObjectVersionId,
  ConnectorAccount,
  ConnectorAccountId,
  ConnectorConfiguration,
  ConnectorInstance,
  ConnectorInstanceAccessGrantId,
  ConnectorInstanceGrant,
  ConnectorInstanceId,
  ConnectorMapping,
  ConnectorMappingId,
  ConnectorPlan,
  ConnectorSyncEvent,
  ConnectorSyncEventId,
  ConnectorTarget,
  ConnectorTargetId,
  CreateApiKey,
  CreateConfigObject,
  CreateConfigObjectVersion,
  CreateConnectorAccount,
  CreateConnectorInstance,
  CreateConnectorMapping,
  CreateConnectorTarget,
  CreateDesktopPolicy,
  CreateDomain,
  CreateGrant,
  CreateInvitation,
  CreateLlmProvider,
  CreateMailDraft,
  CreateMarketplace,
  CreateMarketplaceLink,
  CreateMcpConnection,
  CreateOrganization,
  CreatePlugin,
  CreateRole,
  CreateScimDirectory,
  CreateTeam,
  CreateTemplate,
  CreateTemplateVersion,
  CreateWorker,
  CreateWorkerToken,
  CreateWorkspace,
  DecideMcpReview,
  DesktopPolicy,
  DesktopPolicyId,
  DesktopPolicySimulation,
  Discovery,
  Domain,
  DomainId,
  EffectiveDesktopPolicyAnswer,
  EmailChallenge,
  EnforceSso,
  ExchangeSession,
  ExplainAccess,
  ExternalMCPConnectionId,
  FoundMemory,
  Health,
  IngestTelemetry,
  InstantiateTemplate,
  Invitation,
  InvitationId,
  InvitationPreview,
  InvitationStatus,
  InvitationToken,
  InvitationWithLink,
  JsonObject,
  LLMProviderAccessGrantId,
  LLMProviderId,
  LibraryEntry,
  ListedMcpPreset,
  LlmCapability,
  LlmConnection,
  LlmProvider,
  LlmProviderGrant,
  LlmProviderTest,
  MCPConnectionAccessGrantId,
  MailMessage,
  MappingKind,
  Marketplace,
  MarketplaceAccessGrantId,
  MarketplaceGrant,
  MarketplaceId,
  MarketplaceLink,
  MarketplaceLinkId,
  MarketplaceLinkToken,
  MarketplaceLinkWithUrl,
  MarketplaceManifest,
  MarketplaceMembership,
  McpClientMetadata,
  McpConnection,
  McpConnectionGrant,
  McpResolution,
  McpReview,
  McpTool,
  McpToolCall,
  McpToolPolicy,
  Member,
  MemberBatch,
  MemberBatchResult,
  Memory,
  NewSession,
  NotReady,
  ObjectType,
  Organization,
  OrganizationId,
  OrganizationMembershipId,
  PermissionEntry,
  PlatformOrganization,
  PlatformUser,
  Plugin,
  PluginAccessGrantId,
  PluginGrant,
  PluginId,
  PluginMembership,
  PluginPlacement,
  PutOidc,
  PutSaml,
  Ready,
  ReportWorkerActivity,
  ResolveMcp,
  ResolvedMarketplace,
  Role,
  RoleId,
  RollbackConnector,
  RotateApiKey,
  RotateScimToken,
  SCIMDirectoryId,
  SCIMGroupId,
  SCIMHoldId,
  SCIMTokenId,
  SaveMemory,
  ScimDecision,
  ScimDirectory,
  ScimGroup,
  ScimHeldUser,
  ScimHold,
  ScimLogEntry,
  ScimReconciliation,
  SeenDimension,
  ServerVersion,
  Session,
  SessionId,
  SetActiveOrganization,
  SetAutoImport,
  SetLlmCredential,
  SetMcpApiKey,
  SetScimGroupRole,
  SetupConnector,
  SigningKey,
  SimulateDesktopPolicies,
  SsoConnection,
  SsoServiceProvider,
  StartEmailSignIn,
  StartMcpConnect,
  StartSso,
  StartSuiteConnect,
  StartedConnect,
  StartedInstall,
  StartedSso,
  Suite,
  SyncStatus,
  Team,
  TeamId,
  TelemetryDescription,
  TelemetryLedgerEntry,
  Template,
  TemplateDiff,
  TemplateId,
  TemplateInstance,
  TemplateMade,
  TemplatePreview,
  TemplateVersion,
  TemplateVersionId,
  TemplateVersionSummary,
  TestSso,
  Timestamp,
  TransferOwnership,
  TreeEntry,
  UpdateApiKey,
  UpdateCalendarEvent,
  UpdateConnectorInstance,
  UpdateConnectorMapping,
  UpdateConnectorTarget,
  UpdateDesktopPolicy,
  UpdateLlmProvider,
  UpdateMarketplace,
  UpdateMcpConnection,
  UpdateMember,
  UpdateOrganization,
  UpdatePlan,
  UpdatePlugin,
  UpdateRole,
  UpdateTeam,
  UpdateTemplate,
  UpdateUser,
  UpdateWorker,
  User,
  UserOrganization,
  VerifyEmailSignIn,
  VersionDiff,
  WebhookDelivery,
  WebhookDeliveryId,
  WebhookEvent,
  WholeMemory,
  Worker,
  WorkerActivity,
  WorkerDestination,
  WorkerHeartbeat,
  WorkerInstance,
  WorkerPathId,
  WorkerStatus,
  WorkerToken,
  WorkerTokenId
} from "./types.ts"

/** Input of `sessions.list`. */
export interface SessionsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `sso.oidcCallback`. */
export interface SsoOidcCallbackInput {
  readonly state?: string | undefined
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
}

/** Input of `users.organizations`. */
export interface UsersOrganizationsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `users.desktopPolicy`. */
export interface UsersDesktopPolicyInput {
  /** `true` tells of every setting which policy won, and why the others lost. */
  readonly explain?: boolean | undefined
}

/** Input of `users.library`. */
export interface UsersLibraryInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly kind?: "plugin" | "configObject" | undefined
}

/** Input of `members.list`. */
export interface MembersListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of name or e-mail, in any case. */
  readonly q?: string | undefined
  readonly role?: string | undefined
  /** Identifies one team. */
  readonly teamId?: TeamId | undefined
}

/** Input of `members.remove`. */
export interface MembersRemoveInput {
  /** `true` also revokes the API keys they made. */
  readonly revokeKeys?: boolean | undefined
}

/** Input of `invitations.list`. */
export interface InvitationsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly status?: InvitationStatus | undefined
}

/** Input of `roles.list`. */
export interface RolesListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `teams.list`. */
export interface TeamsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of the name, in any case. */
  readonly q?: string | undefined
}

/** Input of `teams.listMembers`. */
export interface TeamsListMembersInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `apiKeys.list`. */
export interface ApiKeysListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly revoked?: boolean | undefined
}

/** Input of `audit.list`. */
export interface AuditListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly action?: string | undefined
  readonly actorId?: string | undefined
  readonly targetId?: string | undefined
  /** Not before this moment. */
  readonly since?: string | undefined
  /** Before this moment. */
  readonly until?: string | undefined
  /** Ascending, from the event after this one: for a tail. */
  readonly after?: AuditEventId | undefined
}

/** Input of `audit.export`. */
export interface AuditExportInput {
  readonly action?: string | undefined
  readonly actorId?: string | undefined
  readonly targetId?: string | undefined
  /** Not before this moment. */
  readonly since?: string | undefined
  /** Before this moment. */
  readonly until?: string | undefined
  readonly format?: "ndjson" | "csv" | undefined
}

/** Input of `audit.verify`. */
export interface AuditVerifyInput {
  /** Of a checkpoint that was kept elsewhere; with `hash`. */
  readonly sequence?: number | undefined
  /** Of that checkpoint, in hex. */
  readonly hash?: string | undefined
}

/** Input of `audit.checkpoints`. */
export interface AuditCheckpointsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `connectors.listInstances`. */
export interface ConnectorsListInstancesInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly q?: string | undefined
  /** Also those that are archived. */
  readonly archived?: boolean | undefined
}

/** Input of `connectors.sync`. */
export interface ConnectorsSyncInput {
  /** Which branch, when the instance has several; the first one unless told. */
  readonly connectorTargetId?: ConnectorTargetId | undefined
}

/** Input of `connectors.listSyncEvents`. */
export interface ConnectorsListSyncEventsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly status?: SyncStatus | undefined
}

/** Input of `connectors.discovery`. */
export interface ConnectorsDiscoveryInput {
  /** Which branch, when the instance has several; the first one unless told. */
  readonly connectorTargetId?: ConnectorTargetId | undefined
}

/** Input of `connectors.tree`. */
export interface ConnectorsTreeInput {
  readonly cursor?: string | undefined
  /** At most so many entries; 200 unless told. */
  readonly limit?: number | undefined
  /** Only paths that begin so. */
  readonly prefix?: string | undefined
  /** Which branch, when the instance has several; the first one unless told. */
  readonly connectorTargetId?: ConnectorTargetId | undefined
}

/** Input of `connectors.apply`. */
export interface ConnectorsApplyInput extends ApplyDiscovery {
  readonly wait?: "0" | "1" | undefined
}

/** Input of `connectors.listAccess`. */
export interface ConnectorsListAccessInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `connectors.listTargets`. */
export interface ConnectorsListTargetsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `connectors.listMappings`. */
export interface ConnectorsListMappingsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly mappingKind?: MappingKind | undefined
  /** What a config object is to an agent. */
  readonly objectType?: ObjectType | undefined
  /** Identifies one plugin. */
  readonly pluginId?: PluginId | undefined
  /** Part of the selector, in any case. */
  readonly q?: string | undefined
}

/** Input of `connectors.listAccounts`. */
export interface ConnectorsListAccountsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `connectors.listRepositories`. */
export interface ConnectorsListRepositoriesInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `connectors.listBranches`. */
export interface ConnectorsListBranchesInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** The repository, by its id at the host. */
  readonly remoteId: string
}

/** Input of `configObjects.list`. */
export interface ConfigObjectsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** What a config object is to an agent. */
  readonly type?: ObjectType | undefined
  /** Identifies one plugin. */
  readonly pluginId?: PluginId | undefined
  /** Identifies one connector instance. */
  readonly connectorInstanceId?: ConnectorInstanceId | undefined
  /** Part of the title, in any case. */
  readonly q?: string | undefined
  /** `true` shows archived ones too. */
  readonly archived?: boolean | undefined
}

/** Input of `configObjects.listVersions`. */
export interface ConfigObjectsListVersionsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `configObjects.listAccess`. */
export interface ConfigObjectsListAccessInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `configObjects.diffVersions`. */
export interface ConfigObjectsDiffVersionsInput {
  /** Another version of the object; the one before unless told. */
  readonly against?: ConfigObjectVersionId | undefined
}

/** Input of `plugins.list`. */
export interface PluginsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Identifies one marketplace. */
  readonly marketplaceId?: MarketplaceId | undefined
  /** Part of the name, in any case. */
  readonly q?: string | undefined
  /** `true` shows archived ones too. */
  readonly archived?: boolean | undefined
}

/** Input of `plugins.listObjects`. */
export interface PluginsListObjectsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `plugins.listAccess`. */
export interface PluginsListAccessInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `plugins.download`. */
export interface PluginsDownloadInput {
  /** Default: tar.gz. */
  readonly format?: ArchiveFormat | undefined
}

/** Input of `plugins.downloadLinked`. */
export interface PluginsDownloadLinkedInput {
  /** Default: tar.gz. */
  readonly format?: ArchiveFormat | undefined
  /** Identifies one organization. */
  readonly organizationId: OrganizationId
  /** The member or API key that was given the link: it is good as long as they see the plugin. */
  readonly holder: OrganizationMembershipId | APIKeyId
  /** The digest of the archive that the link was made for. */
  readonly sha256: string
  /** Seconds since 1970. */
  readonly expires: string
  readonly signature: string
}

/** Input of `marketplaces.list`. */
export interface MarketplacesListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly q?: string | undefined
  /** `true` shows archived ones too. */
  readonly archived?: boolean | undefined
}

/** Input of `marketplaces.listPlugins`. */
export interface MarketplacesListPluginsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `marketplaces.listAccess`. */
export interface MarketplacesListAccessInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `marketplaces.manifest`. */
export interface MarketplacesManifestInput {
  /** The format of the linked archives. Default: zip. */
  readonly format?: ArchiveFormat | undefined
}

/** Input of `marketplaces.listLinks`. */
export interface MarketplacesListLinksInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `desktopPolicies.list`. */
export interface DesktopPoliciesListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of the name, in any case. */
  readonly q?: string | undefined
}

/** Input of `desktopPolicies.effective`. */
export interface DesktopPoliciesEffectiveInput {
  /** `true` tells of every setting which policy won, and why the others lost. */
  readonly explain?: boolean | undefined
}

/** Input of `templates.list`. */
export interface TemplatesListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of the name, in any case. */
  readonly q?: string | undefined
}

/** Input of `templates.listVersions`. */
export interface TemplatesListVersionsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `templates.diffVersions`. */
export interface TemplatesDiffVersionsInput {
  /** Another version of the template; the one before unless told. */
  readonly against?: TemplateVersionId | undefined
}

/** Input of `templates.listInstances`. */
export interface TemplatesListInstancesInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `mcpConnections.list`. */
export interface McpConnectionsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of the name, in any case. */
  readonly q?: string | undefined
}

/** Input of `mcpConnections.listAccess`. */
export interface McpConnectionsListAccessInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `mcpConnections.listTools`. */
export interface McpConnectionsListToolsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** `true` asks the server now. */
  readonly refresh?: boolean | undefined
}

/** Input of `mcpConnections.callback`. */
export interface McpConnectionsCallbackInput {
  readonly state?: string | undefined
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
}

/** Input of `mcpConnections.listPresets`. */
export interface McpConnectionsListPresetsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly q?: string | undefined
}

/** Input of `llmProviders.list`. */
export interface LlmProvidersListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of the name, in any case. */
  readonly q?: string | undefined
}

/** Input of `llmProviders.listAccess`. */
export interface LlmProvidersListAccessInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `llmProviders.listCatalog`. */
export interface LlmProvidersListCatalogInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of an id or name, in any case. */
  readonly q?: string | undefined
  readonly providerId?: string | undefined
  readonly capability?: LlmCapability | undefined
}

/** Input of `llmProviders.listCatalogProviders`. */
export interface LlmProvidersListCatalogProvidersInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of an id or name, in any case. */
  readonly q?: string | undefined
}

/** Input of `capabilities.listConnections`. */
export interface CapabilitiesListConnectionsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `capabilities.callback`. */
export interface CapabilitiesCallbackInput {
  readonly state?: string | undefined
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
}

/** Input of `memory.search`. */
export interface MemorySearchInput {
  /** A question or words, in any script; spelling mistakes are forgiven. */
  readonly q: string
  /** At most so many results; 20 unless told. */
  readonly limit?: number | undefined
  /** `all` looks at every organization the person is a member of now; only sessions by e-mail code may. `current` unless told. */
  readonly organization?: "current" | "all" | undefined
  /** Only memories with this tag, in any case. */
  readonly tag?: string | undefined
}

/** Input of `memory.export`. */
export interface MemoryExportInput {
  /** `all` looks at every organization the person is a member of now; only sessions by e-mail code may. `current` unless told. */
  readonly organization?: "current" | "all" | undefined
}

/** Input of `memory.list`. */
export interface MemoryListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** `all` looks at every organization the person is a member of now; only sessions by e-mail code may. `current` unless told. */
  readonly organization?: "current" | "all" | undefined
  /** Only memories with this tag, in any case. */
  readonly tag?: string | undefined
}

/** Input of `telemetry.ledger`. */
export interface TelemetryLedgerInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Only what this request brought. */
  readonly requestId?: string | undefined
}

/** Input of `telemetry.dimensions`. */
export interface TelemetryDimensionsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Only dimensions of this type. */
  readonly type?: string | undefined
  /** Part of value or label, in any case. */
  readonly q?: string | undefined
}

/** Input of `telemetry.adoption`. */
export interface TelemetryAdoptionInput {
  /** The first day, in UTC; 29 days before `to` unless told. */
  readonly from?: string | undefined
  /** The last day, in UTC, which is counted too; today unless told. */
  readonly to?: string | undefined
  /** Weeks begin on Monday; `day` unless told. */
  readonly interval?: "day" | "week" | undefined
  /** Only events of this source. */
  readonly source?: "app" | "worker" | undefined
  /** Only members who are in this team now. */
  readonly teamId?: TeamId | undefined
  /** Tells by how many members each of its values is used: `skill`, `model`. */
  readonly dimensionType?: string | undefined
}

/** Input of `telemetry.analytics`. */
export interface TelemetryAnalyticsInput {
  /** What is measured; `events` unless told. Durations at the median (`durationP50`) and the 95th percentile are told to 4 %. */
  readonly measure?: "events" | "users" | "tasksStarted" | "tasksCompleted" | "tasksFailed" | "taskSuccessRate" | "successRate" | "durationSum" | "durationAverage" | "durationP50" | "durationP95" | undefined
  /** `type`, `source`, `team`, `member`, or `dimension:<type>`. */
  readonly groupBy?: string | undefined
  /** Weeks begin on Monday; `day` unless told. */
  readonly interval?: "day" | "week" | undefined
  /** The first day, in UTC; 29 days before `to` unless told. */
  readonly from?: string | undefined
  /** The last day, in UTC, which is counted too; today unless told. */
  readonly to?: string | undefined
  /** Only events of this type. */
  readonly type?: string | undefined
  /** Only events of this source. */
  readonly source?: "app" | "worker" | undefined
  /** Only events of who is in this team now. */
  readonly teamId?: TeamId | undefined
  /** Only events of this member, also of one who has left. */
  readonly orgMembershipId?: OrganizationMembershipId | undefined
  /** Only events with this dimension; with `dimensionValue`. */
  readonly dimensionType?: string | undefined
  /** Only events with this value; with `dimensionType`. */
  readonly dimensionValue?: string | undefined
  /** At most so many groups, the largest first; 10 unless told. */
  readonly top?: number | undefined
}

/** Input of `admin.listPlatformUsers`. */
export interface AdminListPlatformUsersInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of a name or address, in any case. */
  readonly q?: string | undefined
}

/** Input of `admin.listPlatformOrganizations`. */
export interface AdminListPlatformOrganizationsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of the name, in any case. */
  readonly q?: string | undefined
}

/** Input of `scim.listDirectories`. */
export interface ScimListDirectoriesInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `scim.removeDirectory`. */
export interface ScimRemoveDirectoryInput {
  /** What becomes of the members it provisioned: `keep`, unless told, leaves them to the organization. */
  readonly members?: "keep" | "end" | undefined
}

/** Input of `scim.listGroups`. */
export interface ScimListGroupsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `scim.log`. */
export interface ScimLogInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly decision?: ScimDecision | undefined
  readonly resourceId?: string | undefined
  /** `true` leaves out what only looked. */
  readonly changesOnly?: boolean | undefined
}

/** Input of `scim.listHolds`. */
export interface ScimListHoldsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `scim.listHeldUsers`. */
export interface ScimListHeldUsersInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `webhooks.listDeliveries`. */
export interface WebhooksListDeliveriesInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly event?: WebhookEvent | undefined
  readonly status?: "accepted" | "ignored" | undefined
}

/** Input of `workers.list`. */
export interface WorkersListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** `true`: the caller's own; `false`: the others'. */
  readonly mine?: boolean | undefined
  /** `provisioning` until the first heartbeat; `failed` when it could not be started, ended by itself or has been silent for three heartbeats, and healthy again with the next one; `stopped` when it said goodbye or the person it belongs to left. */
  readonly status?: WorkerStatus | undefined
  /** `local`: started by the person, with a token of its own. `cloud`: started by this server's provisioner. */
  readonly destination?: WorkerDestination | undefined
}

/** Input of `workers.listTokens`. */
export interface WorkersListTokensInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `workers.listActivity`. */
export interface WorkersListActivityInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Input of `ssoDomains.list`. */
export interface SsoDomainsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** Health, readiness, version and documents. */
export interface SystemOperations {
  /**
   * Says that the process answers; touches nothing.
   *
   * Requires no credential.
   */
  health(options?: RequestOptions): Call<Health>

  /**
   * Check the database, its writes, the queue and the disk; 503 when a check fails.
   *
   * Requires no credential.
   */
  ready(options?: RequestOptions): Call<Ready | NotReady>

  /**
   * Tells the versions of server, interface and database.
   *
   * Requires no credential.
   */
  version(options?: RequestOptions): Call<ServerVersion>

  /**
   * The public keys that check this installation's signatures, newest first.
   *
   * Requires no credential.
   */
  keys(options?: RequestOptions): Call<{
    readonly keys: ReadonlyArray<SigningKey>
  }>

  /**
   * The OpenAPI 3.1 document of this interface.
   *
   * Requires no credential.
   */
  openapi(options?: RequestOptions): Call<JsonObject>

  /**
   * The interface as a page for people.
   *
   * Requires no credential.
   */
  docs(options?: RequestOptions): Call<string>
}

/** A provisional workspace first, its people later. */
export interface BootstrapOperations {
  /**
   * Creates a provisional workspace with a session and links to claim it.
   *
   * Provisional: one connector instance, no keys, no mail; gone after 24 hours unless an owner claims it. Five an hour and address.
   *
   * Requires no credential. Fails with `quota_exceeded`.
   */
  workspace(input: CreateWorkspace, options?: RequestOptions): Call<BootstrapWorkspace>

  /**
   * Tells what a claim link would give, without using it.
   *
   * Requires no credential. Fails with `claim_not_found`.
   */
  previewClaim(input: ClaimToken, options?: RequestOptions): Call<ClaimPreview>

  /**
   * Joins a workspace by its claim link; the first owner makes it permanent.
   *
   * Needs a verified e-mail address, and the one the link was made for if it names one. The first owner's claim ends the session of the agent that made the workspace, and the other owner links; `keepAgent` makes an API key in the agent's place.
   *
   * Fails with `claim_not_found`, `member_exists`.
   */
  acceptClaim(input: AcceptClaim, options?: RequestOptions): Call<AcceptedClaim>
}

/** Signing in, and where the caller is signed in. */
export interface SessionsOperations {
  /**
   * Mails a sign-in code; the answer is the same for known and unknown addresses.
   *
   * Five an hour from one place for one address. The code is good for ten minutes and five tries.
   *
   * Requires no credential.
   */
  startEmail(input: StartEmailSignIn, options?: RequestOptions): Call<EmailChallenge>

  /**
   * Signs in with the mailed code; makes the person known, without an organization.
   *
   * A code that is wrong, used or over is 400 at `body.code`.
   *
   * Requires no credential.
   */
  verifyEmail(input: VerifyEmailSignIn, options?: RequestOptions): Call<{
    readonly session: NewSession
    readonly user: User
  }>

  /**
   * Makes a short session of a member, for a host application with a key.
   *
   * At most an hour; it cannot touch keys, roles, SSO, SCIM, sessions or members.
   *
   * Requires the permission `sessions:mint`.
   */
  exchange(input?: ExchangeSession, options?: RequestOptions): Call<{
    readonly session: NewSession
  }>

  /** Lists the caller's live sessions. */
  list(input?: SessionsListInput, options?: RequestOptions): List<Session>

  /** Signs out: ends the session of this request. */
  revokeCurrent(options?: RequestOptions): Call<undefined>

  /**
   * Ends one of the caller's sessions.
   *
   * Fails with `session_not_found`.
   */
  revoke(sessionId: SessionId, options?: RequestOptions): Call<undefined>
}

/** Signing in by the organization's own identity provider. */
export interface SsoOperations {
  /**
   * Gets the organization's SSO connection.
   *
   * Requires the permission `sso:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `sso_connection_not_found`.
   */
  get(options?: RequestOptions): Call<{
    readonly sso: SsoConnection
  }>

  /**
   * Tells what the identity provider has to know of us, before there is a connection too.
   *
   * It is of the organization: it stays the same when the connection is changed or set anew.
   *
   * Requires the permission `sso:read`.
   */
  serviceProvider(options?: RequestOptions): Call<{
    readonly serviceProvider: SsoServiceProvider
  }>

  /**
   * Removes the connection; whoever is signed in by it is signed out.
   *
   * Requires the permission `sso:manage`. Supports `ifMatch`. Fails with `sso_connection_not_found`, `sso_enforced`.
   */
  remove(options?: RequestOptions): Call<undefined>

  /**
   * Sets the connection to an OpenID Connect provider.
   *
   * It is off until it is tested and enabled, unless only secret, scopes or JIT change. Whom another provider signed in before is signed out, but for the session that sets this one.
   *
   * Requires the permission `sso:write`. Requires a plan with `sso`. Supports `ifMatch`. Fails with `sso_enforced`, `sso_provider_failed`.
   */
  putOidc(input: PutOidc, options?: RequestOptions): Call<{
    readonly sso: SsoConnection
  }>

  /**
   * Sets the connection to a SAML 2.0 identity provider.
   *
   * It is off until it is tested and enabled, unless only certificates, attributes or JIT change: so a certificate rolls over while people sign in. While it is on, only an owner changes what is believed: certificates and attributes; while it is off, changing that forgets the test. Whom another provider signed in before is signed out, but for the session that sets this one.
   *
   * Requires the permission `sso:write`. Requires a plan with `sso`. Supports `ifMatch`. Fails with `sso_enforced`.
   */
  putSaml(input?: PutSaml, options?: RequestOptions): Call<{
    readonly sso: SsoConnection
  }>

  /**
   * Begins a sign-in that signs nobody in: `lastTest` tells what came of it.
   *
   * In person: a key cannot sign in.
   *
   * Requires the permission `sso:write`. Requires a plan with `sso`. Fails with `sso_connection_not_found`, `sso_provider_failed`.
   */
  test(input?: TestSso, options?: RequestOptions): Call<StartedSso>

  /**
   * Lets people sign in by the connection, once a test of it held.
   *
   * From then on the identity provider says who is who, owners too: so an owner decides.
   *
   * Only for owners with a session. Requires a plan with `sso`. Fails with `sso_connection_not_found`, `sso_not_tested`.
   */
  enable(options?: RequestOptions): Call<{
    readonly sso: SsoConnection
  }>

  /**
   * Lets nobody sign in by the connection, and ends its being enforced; sessions go on.
   *
   * Requires the permission `sso:manage`. Fails with `sso_connection_not_found`.
   */
  disable(options?: RequestOptions): Call<{
    readonly sso: SsoConnection
  }>

  /**
   * Refuses members who signed in another way, but for the owners named.
   *
   * Sessions that a key or the host application vouches for are not concerned, and keys go on.
   *
   * Only for owners with a session. Requires a plan with `sso`. Fails with `sso_connection_not_found`, `sso_not_enabled`.
   */
  enforce(input: EnforceSso, options?: RequestOptions): Call<{
    readonly sso: SsoConnection
  }>

  /**
   * Begins a sign-in by an organization's identity provider.
   *
   * Good for ten minutes.
   *
   * Requires no credential. Fails with `sso_connection_not_found`, `sso_provider_failed`.
   */
  start(input: StartSso, options?: RequestOptions): Call<StartedSso>

  /**
   * Signs in with what the browser brought back; the session is good for that organization.
   *
   * A code that is wrong, used or over is 400 at `body.code`.
   *
   * Requires no credential.
   */
  complete(input: CompleteSso, options?: RequestOptions): Call<{
    readonly session: NewSession
    readonly user: User
    readonly organizationId: OrganizationId
  }>

  /**
   * Where an OpenID Connect provider sends the browser back to.
   *
   * An address for each organization: what one's provider gives out is no use at another's.
   */
  oidcCallback(organizationId: OrganizationId, input?: SsoOidcCallbackInput, options?: RequestOptions): Call<string | undefined>

  /**
   * What a SAML identity provider has to know of us, as XML.
   *
   * The same whether there is such an organization or not.
   *
   * Requires no credential.
   */
  samlMetadata(organizationId: OrganizationId, options?: RequestOptions): Call<string>
}

/** The signed-in person, whatever the organization. */
export interface UsersOperations {
  /** Gets the signed-in person. */
  get(options?: RequestOptions): Call<{
    readonly user: User
  }>

  /** Changes the signed-in person's name. */
  update(input?: UpdateUser, options?: RequestOptions): Call<{
    readonly user: User
  }>

  /**
   * Removes the signed-in person: memberships, grants and sessions end.
   *
   * Their memories are deleted. Refused while the person is the last owner of an organization.
   */
  remove(options?: RequestOptions): Call<undefined>

  /** Lists the organizations of the signed-in person. */
  organizations(input?: UsersOrganizationsInput, options?: RequestOptions): List<UserOrganization>

  /**
   * Ends the signed-in person's membership of an organization, with their teams, grants and sessions there.
   *
   * Refused to its last owner. What they made stays with the organization.
   *
   * Fails with `organization_not_found`.
   */
  leaveOrganization(organizationId: OrganizationId, options?: RequestOptions): Call<undefined>

  /**
   * Chooses the organization this session is about.
   *
   * Fails with `organization_not_found`.
   */
  setActiveOrganization(input: SetActiveOrganization, options?: RequestOptions): Call<{
    readonly organization: Organization
  }>

  /**
   * Gets what the organization's desktop policies let the caller do, and with `explain` why.
   *
   * A switch that no policy states is true. Names of policies are for who may read them.
   *
   * Only for members with a session.
   */
  desktopPolicy(input?: UsersDesktopPolicyInput, options?: RequestOptions): Call<EffectiveDesktopPolicyAnswer>

  /**
   * Lists every plugin and config object the caller can use, with the edge that lets them.
   *
   * Only for members with a session.
   */
  library(input?: UsersLibraryInput, options?: RequestOptions): List<LibraryEntry>

  /**
   * Streams everything that is kept of the caller, as NDJSON.
   *
   * Lines of `{ kind, item }`: the person, how their host application knows them, memberships, memories, sessions. What they made belongs to the organizations, and is in their export. The last line is `end` with the count of the others.
   */
  export(options?: RequestOptions): Call<ReadableStream<Uint8Array>>
}

/** The organization of the caller. */
export interface OrganizationsOperations {
  /**
   * Creates an organization whose owner is the caller; ten each.
   *
   * Needs a verified e-mail address. A session that is bound to an organization cannot.
   *
   * Fails with `quota_exceeded`.
   */
  create(input: CreateOrganization, options?: RequestOptions): Call<{
    readonly organization: Organization
  }>

  /**
   * Gets the caller's organization.
   *
   * Returns an `ETag`; supports `ifNoneMatch`.
   */
  get(options?: RequestOptions): Call<{
    readonly organization: Organization
  }>

  /**
   * Renames the organization.
   *
   * Requires the permission `organizations:write`. Supports `ifMatch`.
   */
  update(input?: UpdateOrganization, options?: RequestOptions): Call<{
    readonly organization: Organization
  }>

  /**
   * Removes the organization with everything in it; sessions and keys end at once.
   *
   * Purged after 30 days.
   *
   * Only for owners with a session. Supports `ifMatch`.
   */
  remove(options?: RequestOptions): Call<undefined>

  /**
   * Makes another member an owner, and the caller what they choose to be.
   *
   * Only for owners with a session.
   */
  transferOwnership(input: TransferOwnership, options?: RequestOptions): Call<{
    readonly organization: Organization
  }>

  /**
   * Streams everything the organization owns, as NDJSON.
   *
   * Lines of `{ kind, item }`, each kind as it is when it is read; no credential is among them. The last line is `end` with the count of the others. The audit has an export of its own.
   *
   * Only for owners with a session.
   */
  export(options?: RequestOptions): Call<ReadableStream<Uint8Array>>
}

/** The people of the organization. */
export interface MembersOperations {
  /**
   * Adds a person of the host application or of a verified domain; anybody else is invited.
   *
   * The host application says whether the organization may have them, and who they are; an address is taken where the organization has verified its domain. Otherwise it is 400.
   *
   * Requires the permission `members:write`. Fails with `member_exists`.
   */
  add(input?: AddMember, options?: RequestOptions): Call<{
    readonly member: Member
  }>

  /**
   * Lists the members of the organization.
   *
   * Requires the permission `members:read`.
   */
  list(input?: MembersListInput, options?: RequestOptions): List<Member>

  /**
   * Gets one member.
   *
   * Requires the permission `members:read`. Fails with `member_not_found`.
   */
  get(orgMembershipId: OrganizationMembershipId, options?: RequestOptions): Call<{
    readonly member: Member
  }>

  /**
   * Gives a member another role; nobody gives what they lack, and the last owner stays.
   *
   * Requires the permission `members:manage`. Fails with `member_not_found`.
   */
  update(orgMembershipId: OrganizationMembershipId, input: UpdateMember, options?: RequestOptions): Call<{
    readonly member: Member
  }>

  /**
   * Removes a member: sessions and grants end with the membership.
   *
   * The last owner stays. A person who comes back starts empty.
   *
   * Requires the permission `members:manage`. Fails with `member_not_found`.
   */
  remove(orgMembershipId: OrganizationMembershipId, input?: MembersRemoveInput, options?: RequestOptions): Call<undefined>

  /**
   * Changes or removes up to a hundred members; each has its own result.
   *
   * Requires the permission `members:manage`.
   */
  batch(input: MemberBatch, options?: RequestOptions): Call<MemberBatchResult>
}

/** People asked into the organization. */
export interface InvitationsOperations {
  /**
   * Invites an address by mail; good for seven days.
   *
   * A second invitation of an address replaces the first one's link.
   *
   * Requires the permission `invitations:write`. Fails with `member_exists`.
   */
  create(input: CreateInvitation, options?: RequestOptions): Call<InvitationWithLink>

  /**
   * Lists the organization's invitations.
   *
   * Requires the permission `invitations:read`.
   */
  list(input?: InvitationsListInput, options?: RequestOptions): List<Invitation>

  /**
   * Gets one invitation.
   *
   * Requires the permission `invitations:read`. Fails with `invitation_not_found`.
   */
  get(invitationId: InvitationId, options?: RequestOptions): Call<{
    readonly invitation: Invitation
  }>

  /**
   * Mails a new link for another seven days; the old one ends.
   *
   * Requires the permission `invitations:write`. Fails with `invitation_not_found`, `invitation_not_pending`.
   */
  resend(invitationId: InvitationId, options?: RequestOptions): Call<{
    readonly invitation: Invitation
  }>

  /**
   * Takes an invitation back.
   *
   * Requires the permission `invitations:write`. Fails with `invitation_not_found`, `invitation_not_pending`.
   */
  cancel(invitationId: InvitationId, options?: RequestOptions): Call<{
    readonly invitation: Invitation
  }>

  /**
   * Tells what an invitation would give, without using it.
   *
   * Requires no credential. Fails with `invitation_not_found`.
   */
  preview(input: InvitationToken, options?: RequestOptions): Call<InvitationPreview>

  /**
   * Joins an organization; only the invited, verified address can.
   *
   * Fails with `invitation_not_found`, `member_exists`.
   */
  accept(input: InvitationToken, options?: RequestOptions): Call<{
    readonly organization: Organization
    readonly member: Member
  }>
}

/** Named sets of permissions, and the table of all permissions. */
export interface RolesOperations {
  /** Lists every permission and the built-in roles that hold it. */
  permissions(options?: RequestOptions): Call<{
    readonly permissions: ReadonlyArray<PermissionEntry>
  }>

  /**
   * Creates a role that grants no more than the caller holds.
   *
   * Requires the permission `roles:write`. Fails with `role_exists`.
   */
  create(input: CreateRole, options?: RequestOptions): Call<{
    readonly role: Role
  }>

  /**
   * Lists the custom roles of the organization.
   *
   * Requires the permission `roles:read`.
   */
  list(input?: RolesListInput, options?: RequestOptions): List<Role>

  /**
   * Gets one custom role.
   *
   * Requires the permission `roles:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `role_not_found`.
   */
  get(roleId: RoleId, options?: RequestOptions): Call<{
    readonly role: Role
  }>

  /**
   * Updates a role; its members have the new permissions at once.
   *
   * Requires the permission `roles:write`. Supports `ifMatch`. Fails with `role_not_found`, `role_exists`.
   */
  update(roleId: RoleId, input?: UpdateRole, options?: RequestOptions): Call<{
    readonly role: Role
  }>

  /**
   * Removes a role that nobody has.
   *
   * Requires the permission `roles:manage`. Supports `ifMatch`. Fails with `role_not_found`, `role_in_use`.
   */
  remove(roleId: RoleId, options?: RequestOptions): Call<undefined>
}

/** Members who are granted things together. */
export interface TeamsOperations {
  /**
   * Creates a team without members.
   *
   * Requires the permission `teams:write`. Fails with `team_exists`.
   */
  create(input: CreateTeam, options?: RequestOptions): Call<{
    readonly team: Team
  }>

  /**
   * Lists the teams of the organization.
   *
   * Requires the permission `teams:read`.
   */
  list(input?: TeamsListInput, options?: RequestOptions): List<Team>

  /**
   * Gets one team.
   *
   * Requires the permission `teams:read`. Fails with `team_not_found`.
   */
  get(teamId: TeamId, options?: RequestOptions): Call<{
    readonly team: Team
  }>

  /**
   * Updates a team.
   *
   * Requires the permission `teams:write`. Supports `ifMatch`. Fails with `team_not_found`, `team_exists`.
   */
  update(teamId: TeamId, input?: UpdateTeam, options?: RequestOptions): Call<{
    readonly team: Team
  }>

  /**
   * Removes a team; every grant it held ends with it.
   *
   * Requires the permission `teams:manage`. Supports `ifMatch`. Fails with `team_not_found`.
   */
  remove(teamId: TeamId, options?: RequestOptions): Call<undefined>

  /**
   * Lists the members of a team.
   *
   * Requires the permission `teams:read`. Fails with `team_not_found`.
   */
  listMembers(teamId: TeamId, input?: TeamsListMembersInput, options?: RequestOptions): List<Member>

  /**
   * Puts a member into a team; twice changes nothing.
   *
   * Requires the permission `teams:write`. Fails with `team_not_found`, `member_not_found`.
   */
  addMember(teamId: TeamId, orgMembershipId: OrganizationMembershipId, options?: RequestOptions): Call<{
    readonly team: Team
  }>

  /**
   * Takes a member out of a team.
   *
   * Requires the permission `teams:write`. Fails with `team_not_found`, `member_not_found`.
   */
  removeMember(teamId: TeamId, orgMembershipId: OrganizationMembershipId, options?: RequestOptions): Call<undefined>
}

/** Credentials of the organization for automation. */
export interface ApiKeysOperations {
  /**
   * Creates an API key; its secret is answered this once.
   *
   * By a person: a key never creates, widens or renews a key. `sessions:mint` needs an owner.
   *
   * Requires the permission `apiKeys:manage`. Fails with `quota_exceeded`.
   */
  create(input: CreateApiKey, options?: RequestOptions): Call<ApiKeyWithSecret>

  /**
   * Lists the organization's API keys.
   *
   * Requires the permission `apiKeys:read`.
   */
  list(input?: ApiKeysListInput, options?: RequestOptions): List<ApiKey>

  /**
   * Gets the API key of this request; 404 for a person.
   *
   * Fails with `api_key_not_found`.
   */
  current(options?: RequestOptions): Call<{
    readonly apiKey: ApiKey
  }>

  /**
   * Gets one API key, without its secret.
   *
   * Requires the permission `apiKeys:read`. Fails with `api_key_not_found`.
   */
  get(apiKeyId: APIKeyId, options?: RequestOptions): Call<{
    readonly apiKey: ApiKey
  }>

  /**
   * Renames or narrows an API key.
   *
   * Requires the permission `apiKeys:manage`. Fails with `api_key_not_found`.
   */
  update(apiKeyId: APIKeyId, input?: UpdateApiKey, options?: RequestOptions): Call<{
    readonly apiKey: ApiKey
  }>

  /**
   * Gives an API key a new secret; the old one works for a grace.
   *
   * Requires the permission `apiKeys:manage`. Fails with `api_key_not_found`.
   */
  rotate(apiKeyId: APIKeyId, input?: RotateApiKey, options?: RequestOptions): Call<ApiKeyWithSecret>

  /**
   * Revokes an API key; it is kept for the audit.
   *
   * Requires the permission `apiKeys:manage`. Fails with `api_key_not_found`.
   */
  revoke(apiKeyId: APIKeyId, options?: RequestOptions): Call<undefined>
}

/** Why somebody can reach something, and what a revocation does. */
export interface AccessOperations {
  /**
   * Answers the chain of grants that lets somebody do something, or the link that is missing.
   *
   * About others it needs `access:read`; parts the caller may not see are `hidden`.
   *
   * Fails with `object_not_found`.
   */
  explain(input: ExplainAccess, options?: RequestOptions): Call<{
    readonly explanation: AccessExplanation
  }>

  /**
   * Answers who would lose what if a grant were revoked.
   *
   * Requires the permission `access:read`. Fails with `grant_not_found`.
   */
  impact(input: AccessImpact, options?: RequestOptions): Call<{
    readonly impact: AccessImpactResult
  }>
}

/** Every change, written with the change itself. */
export interface AuditOperations {
  /**
   * Lists audit events, newest first; ascending with `after`.
   *
   * Requires the permission `audit:read`.
   */
  list(input?: AuditListInput, options?: RequestOptions): List<AuditEvent>

  /**
   * Streams audit events in their order, as NDJSON or CSV; cells that a spreadsheet would run are quoted.
   *
   * Requires the permission `audit:read`.
   */
  export(input?: AuditExportInput, options?: RequestOptions): Call<ReadableStream<Uint8Array>>

  /**
   * Checks the sealed order: a changed, lost or added event shows.
   *
   * Whoever has the database and not the secret keys cannot change it unnoticed, but could take back its end with all that was signed for it: a checkpoint that was kept elsewhere shows that too.
   *
   * Requires the permission `audit:read`.
   */
  verify(input?: AuditVerifyInput, options?: RequestOptions): Call<{
    readonly verification: AuditVerification
  }>

  /**
   * Lists the signed checkpoints of the sealed order.
   *
   * Requires the permission `audit:read`.
   */
  checkpoints(input?: AuditCheckpointsInput, options?: RequestOptions): List<AuditCheckpoint>
}

/** Repositories, what was found in them, and how it is kept in step. */
export interface ConnectorsOperations {
  /**
   * Connects a branch of a repository.
   *
   * Reads the repository once, so a wrong address, branch or credential is told at once.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_exists`, `quota_exceeded`, `repository_empty`, `codehost_api_error`.
   */
  setup(input: SetupConnector, options?: RequestOptions): Call<{
    readonly connectorAccount: ConnectorAccount
    readonly connectorInstance: ConnectorInstance
    readonly connectorTarget: ConnectorTarget
  }>

  /**
   * Lists the connector instances the caller can see.
   *
   * Requires the permission `connectors:read`.
   */
  listInstances(input?: ConnectorsListInstancesInput, options?: RequestOptions): List<ConnectorInstance>

  /**
   * Gets one connector instance.
   *
   * Requires the permission `connectors:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `connector_instance_not_found`.
   */
  getInstance(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Updates one connector instance.
   *
   * A new `remoteId` is read at the next sync.
   *
   * Requires the permission `connectors:write`. Supports `ifMatch`. Fails with `connector_instance_not_found`, `connector_instance_exists`.
   */
  updateInstance(connectorInstanceId: ConnectorInstanceId, input?: UpdateConnectorInstance, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Activates a connector instance and queues a sync.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`.
   */
  enable(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Stops a connector instance: what it imported stays, pushes are ignored.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`.
   */
  disable(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Removes a connector instance and everything that only it feeds.
   *
   * Plugins, mappings, config objects and bindings go in one transaction; the counts are answered.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_instance_not_found`.
   */
  remove(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<{
    readonly deletedConfigObjectCount: number
    readonly deletedConnectorMappingCount: number
    readonly removedConnectorInstanceId: string
  }>

  /**
   * Queues a sync of the repository's head; one that waits already is answered again.
   *
   * A branch that was rolled back follows its head again.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`, `connector_instance_disabled`.
   */
  sync(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsSyncInput, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Lists the syncs of a connector instance.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`.
   */
  listSyncEvents(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListSyncEventsInput, options?: RequestOptions): List<ConnectorSyncEvent>

  /**
   * Gets one sync with its counts and warnings.
   *
   * Requires the permission `connectors:read`. Fails with `connector_sync_event_not_found`.
   */
  getSyncEvent(connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Approves a sync that was held because it removes much, and queues it again.
   *
   * The approval is for the revision it was held at; when the branch has moved, its head is judged anew.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_sync_event_not_found`, `connector_instance_disabled`, `sync_not_held`.
   */
  approveSync(connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Rejects a sync that was held: nothing is imported until the branch moves.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_sync_event_not_found`, `connector_instance_disabled`, `sync_not_held`.
   */
  rejectSync(connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Analyses the repository and answers the plugins it holds.
   *
   * Waits up to 30 seconds; a larger repository answers 503 `discovery_in_progress` while it is read.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`, `discovery_in_progress`.
   */
  discovery(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsDiscoveryInput, options?: RequestOptions): Call<Discovery>

  /**
   * Pages through the repository tree that discovery used, sorted by path.
   *
   * A page stays on the revision its cursor began with.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`, `discovery_in_progress`.
   */
  tree(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsTreeInput, options?: RequestOptions): List<TreeEntry>

  /**
   * Imports the selected plugins and keeps them in step.
   *
   * Plugins, mappings and the marketplace are made in one transaction; the content follows by a sync that is waited for up to 20 seconds (`wait=0` does not wait). With `planDigest` the sync imports the revision that was planned.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`, `plan_digest_mismatch`, `stale_revision`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`, `discovery_in_progress`.
   */
  apply(connectorInstanceId: ConnectorInstanceId, input: ConnectorsApplyInput, options?: RequestOptions): Call<{
    readonly autoImportNewPlugins: boolean
    readonly marketplace: {
      readonly id: MarketplaceId
      readonly name: string
    } | null
    readonly plugins: ReadonlyArray<{
      readonly key: string
      readonly id: PluginId
      readonly name: string
    }>
    readonly createdMappings: ReadonlyArray<ConnectorMapping>
    readonly syncEvent: ConnectorSyncEvent
    readonly sourceRevisionRef: string
  }>

  /**
   * Lists the direct, team and organization-wide grants of a connector instance.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`.
   */
  listAccess(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListAccessInput, options?: RequestOptions): List<ConnectorInstanceGrant>

  /**
   * Grants access to a connector instance; 200 when the receiver had a grant.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`.
   */
  grantAccess(connectorInstanceId: ConnectorInstanceId, input: CreateGrant, options?: RequestOptions): Call<ConnectorInstanceGrant>

  /**
   * Revokes one grant; it is kept as history.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_grant_not_found`.
   */
  revokeAccess(connectorInstanceId: ConnectorInstanceId, grantId: ConnectorInstanceAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * Lists the branches of a connector instance.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`.
   */
  listTargets(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListTargetsInput, options?: RequestOptions): List<ConnectorTarget>

  /**
   * Gets one branch.
   *
   * Requires the permission `connectors:read`. Fails with `connector_target_not_found`.
   */
  getTarget(connectorTargetId: ConnectorTargetId, options?: RequestOptions): Call<ConnectorTarget>

  /**
   * Lists the mappings of a branch.
   *
   * Requires the permission `connectors:read`. Fails with `connector_target_not_found`.
   */
  listMappings(connectorTargetId: ConnectorTargetId, input?: ConnectorsListMappingsInput, options?: RequestOptions): List<ConnectorMapping>

  /**
   * Archives a connector instance: it is hidden from lists, and pushes are ignored.
   *
   * What it imported stays, and so does its name; `enable` brings it back.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`.
   */
  archive(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Shows what is set up: branches, imported plugins, mappings and the last sync of each branch.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`.
   */
  configuration(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorConfiguration>

  /**
   * Says whether plugins that appear later are imported without being asked.
   *
   * From the next sync on; what is imported is kept in step either way.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`.
   */
  setAutoImport(connectorInstanceId: ConnectorInstanceId, input: SetAutoImport, options?: RequestOptions): Call<AutoImport>

  /**
   * Adds a branch to a connector instance; at most 50.
   *
   * The repository is asked for it once. Nothing is imported before an apply or a mapping says what.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`, `connector_instance_disabled`, `connector_target_exists`, `quota_exceeded`, `repository_empty`, `codehost_api_error`.
   */
  createTarget(connectorInstanceId: ConnectorInstanceId, input: CreateConnectorTarget, options?: RequestOptions): Call<ConnectorTarget>

  /**
   * Changes the branch or the configuration of a connector target.
   *
   * Another branch is asked for once, and read at the next sync.
   *
   * Requires the permission `connectors:write`. Fails with `connector_target_not_found`, `connector_target_exists`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`.
   */
  updateTarget(connectorTargetId: ConnectorTargetId, input?: UpdateConnectorTarget, options?: RequestOptions): Call<ConnectorTarget>

  /**
   * Queues a sync that reads every file again, also those that did not change.
   *
   * What is the same makes no new version. A branch that was rolled back follows its head again afterwards.
   *
   * Requires the permission `connectors:write`. Fails with `connector_target_not_found`, `connector_instance_disabled`.
   */
  resync(connectorTargetId: ConnectorTargetId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Maps a file or folder of a branch to config objects, and queues a sync that imports it.
   *
   * At most 1 000 a branch. Imports leave it alone. On a branch that was rolled back it is read when that follows its head again.
   *
   * Requires the permission `connectors:write`. Fails with `connector_target_not_found`, `connector_instance_disabled`, `connector_mapping_exists`, `quota_exceeded`.
   */
  createMapping(connectorTargetId: ConnectorTargetId, input: CreateConnectorMapping, options?: RequestOptions): Call<ConnectorMapping>

  /**
   * Changes a mapping that was made by hand.
   *
   * The plugin changes at once; another selector or type is read by the sync that is queued. Mappings that an import made are its own: 403 `managed_by_connector`.
   *
   * Requires the permission `connectors:write`. Fails with `connector_mapping_not_found`, `connector_instance_disabled`, `connector_mapping_exists`.
   */
  updateMapping(connectorMappingId: ConnectorMappingId, input?: UpdateConnectorMapping, options?: RequestOptions): Call<ConnectorMapping>

  /**
   * Deletes a mapping that was made by hand, and at once what only it feeds.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_mapping_not_found`.
   */
  deleteMapping(connectorMappingId: ConnectorMappingId, options?: RequestOptions): Call<undefined>

  /**
   * Answers what an apply would do: plugins, mappings and objects it adds, changes and removes.
   *
   * Takes the body of `apply` and writes nothing. Waits up to 30 seconds for the repository; a larger one answers 503 `discovery_in_progress` while it is read. Files are told by name and digest: one that turns out not to be text is told by the sync.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`, `discovery_in_progress`.
   */
  plan(connectorInstanceId: ConnectorInstanceId, input: ApplyDiscovery, options?: RequestOptions): Call<ConnectorPlan>

  /**
   * Queues a new run of a sync that failed, or left files out.
   *
   * It reads the branch as it is now; of a rollback it restores the same revision.
   *
   * Requires the permission `connectors:write`. Fails with `connector_sync_event_not_found`, `connector_instance_disabled`, `sync_not_failed`.
   */
  retrySync(connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Restores what an earlier revision held, as new versions, and pins the branch to it.
   *
   * From the versions that are kept, so the commit need not be there any more; grants that ended with a deletion do not come back. Pushes and reconciliation leave the branch alone until somebody syncs it by hand.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_instance_not_found`, `connector_instance_disabled`.
   */
  rollback(connectorInstanceId: ConnectorInstanceId, input: RollbackConnector, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Lists the organization's accounts at code hosts.
   *
   * To callers who may not connect repositories only those behind an instance that they can see.
   *
   * Requires the permission `connectors:read`.
   */
  listAccounts(input?: ConnectorsListAccountsInput, options?: RequestOptions): List<ConnectorAccount>

  /**
   * Gets one account at a code host.
   *
   * Requires the permission `connectors:read`. Fails with `connector_account_not_found`.
   */
  getAccount(connectorAccountId: ConnectorAccountId, options?: RequestOptions): Call<ConnectorAccount>

  /**
   * Makes an account for plain git at one host.
   *
   * An account that speaks to a host's own interface comes from installing the app there.
   *
   * Requires the permission `connectors:write`. Fails with `connector_account_exists`.
   */
  createAccount(input: CreateConnectorAccount, options?: RequestOptions): Call<ConnectorAccount>

  /**
   * Forgets an account that no instance uses; at the host nothing changes.
   *
   * An installation is free for another organization then.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_account_not_found`, `connector_account_in_use`.
   */
  disconnectAccount(connectorAccountId: ConnectorAccountId, options?: RequestOptions): Call<ConnectorAccount>

  /**
   * Begins to install the app at the code host; a key cannot.
   *
   * Open `url` in a browser. The host sends it back with `state`, `code` and `installation_id`; hand them to the completion within ten minutes, in the same session.
   *
   * Requires the permission `connectors:write`. Fails with `codehost_not_configured`, `codehost_api_error`.
   */
  startInstall(options?: RequestOptions): Call<StartedInstall>

  /**
   * Makes an installation of the app an account of the organization; 200 when it was one.
   *
   * Whoever completes must administer, at the code host, every repository that the installation holds. One installation belongs to one organization.
   *
   * Requires the permission `connectors:write`. Fails with `installation_taken`, `codehost_not_configured`, `codehost_api_error`.
   */
  completeInstall(input: CompleteInstall, options?: RequestOptions): Call<ConnectorAccount>

  /**
   * Lists the repositories that an installation holds, in the host's order.
   *
   * Every page has as many rows as the first.
   *
   * Requires the permission `connectors:write`. Fails with `connector_account_not_found`, `repositories_not_listed`, `codehost_not_configured`, `codehost_api_error`.
   */
  listRepositories(connectorAccountId: ConnectorAccountId, input?: ConnectorsListRepositoriesInput, options?: RequestOptions): List<CodehostRepository>

  /**
   * Lists the branches of a repository that an installation holds, in the host's order.
   *
   * Every page has as many rows as the first.
   *
   * Requires the permission `connectors:write`. Fails with `connector_account_not_found`, `repositories_not_listed`, `codehost_not_configured`, `codehost_api_error`.
   */
  listBranches(connectorAccountId: ConnectorAccountId, input: ConnectorsListBranchesInput, options?: RequestOptions): List<CodehostBranch>

  /**
   * Connects a repository through an account that is there, with one branch.
   *
   * Reads the repository once, so a wrong id or branch is told at once.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_exists`, `quota_exceeded`, `repository_empty`, `codehost_api_error`.
   */
  createInstance(input: CreateConnectorInstance, options?: RequestOptions): Call<ConnectorInstance>
}

/** Versioned skills, agents, commands, hooks and other content, and who may use them. */
export interface ConfigObjectsOperations {
  /**
   * Creates a private config object and its first version.
   *
   * The text of a skill begins with front matter as SKILL.md has it: a `name` of at most 64 lower-case letters, digits and single hyphens, and a `description` of 1 to 1024 characters. Otherwise 400, with a detail whose `code` is `invalid_skill_front_matter` for each fault.
   *
   * Requires the permission `configObjects:write`. Fails with `quota_exceeded`.
   */
  create(input: CreateConfigObject, options?: RequestOptions): Call<ConfigObject>

  /**
   * Lists the config objects the caller can see.
   *
   * Requires the permission `configObjects:read`.
   */
  list(input?: ConfigObjectsListInput, options?: RequestOptions): List<ConfigObject>

  /**
   * Gets one config object with its latest version.
   *
   * Requires the permission `configObjects:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `config_object_not_found`.
   */
  get(configObjectId: ConfigObjectId, options?: RequestOptions): Call<ConfigObject>

  /**
   * Lists the versions of a config object, newest first.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`.
   */
  listVersions(configObjectId: ConfigObjectId, input?: ConfigObjectsListVersionsInput, options?: RequestOptions): List<ConfigObjectVersion>

  /**
   * Gets one version.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`, `config_object_version_not_found`.
   */
  getVersion(configObjectId: ConfigObjectId, versionId: ConfigObjectVersionId, options?: RequestOptions): Call<ConfigObjectVersion>

  /**
   * Lists the direct, team and organization-wide grants of a config object.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`.
   */
  listAccess(configObjectId: ConfigObjectId, input?: ConfigObjectsListAccessInput, options?: RequestOptions): List<ConfigObjectGrant>

  /**
   * Grants access to a config object; 200 when the receiver had a grant.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`.
   */
  grantAccess(configObjectId: ConfigObjectId, input: CreateGrant, options?: RequestOptions): Call<ConfigObjectGrant>

  /**
   * Revokes one grant; it is kept as history.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`, `config_object_grant_not_found`.
   */
  revokeAccess(configObjectId: ConfigObjectId, grantId: ConfigObjectAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * Hides a config object from lists and plugins; it keeps its versions and grants.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`.
   */
  archive(configObjectId: ConfigObjectId, options?: RequestOptions): Call<ConfigObject>

  /**
   * Shows an archived config object again, where it was.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`.
   */
  restore(configObjectId: ConfigObjectId, options?: RequestOptions): Call<ConfigObject>

  /**
   * Removes a config object from every plugin and list; its grants end.
   *
   * Requires the permission `configObjects:write`. Supports `ifMatch`. Fails with `config_object_not_found`.
   */
  remove(configObjectId: ConfigObjectId, options?: RequestOptions): Call<undefined>

  /**
   * Writes a new version; the same content as the latest is answered with 200, and no version is written.
   *
   * The text of a skill begins with front matter as SKILL.md has it: a `name` of at most 64 lower-case letters, digits and single hyphens, and a `description` of 1 to 1024 characters. Otherwise 400, with a detail whose `code` is `invalid_skill_front_matter` for each fault.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`, `config_object_archived`, `quota_exceeded`.
   */
  createVersion(configObjectId: ConfigObjectId, input: CreateConfigObjectVersion, options?: RequestOptions): Call<ConfigObjectVersion>

  /**
   * Writes a new version with the content of an earlier one; 200 and no version when the latest has that content.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`, `config_object_version_not_found`, `config_object_archived`, `quota_exceeded`.
   */
  restoreVersion(configObjectId: ConfigObjectId, versionId: ConfigObjectVersionId, options?: RequestOptions): Call<ConfigObjectVersion>

  /**
   * Compares a version with another: its text and its payload.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`, `config_object_version_not_found`.
   */
  diffVersions(configObjectId: ConfigObjectId, versionId: ConfigObjectVersionId, input?: ConfigObjectsDiffVersionsInput, options?: RequestOptions): Call<VersionDiff>

  /**
   * Puts a config object into a plugin; 200 when it is in there.
   *
   * Whoever sees the plugin sees it then: this takes a manager of the object and an editor of the plugin.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`, `config_object_archived`.
   */
  attachPlugin(configObjectId: ConfigObjectId, input: AttachPlugin, options?: RequestOptions): Call<PluginPlacement>

  /**
   * Takes a config object out of a plugin, as the object's manager.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`, `plugin_not_found`, `plugin_membership_not_found`.
   */
  detachPlugin(configObjectId: ConfigObjectId, pluginId: PluginId, options?: RequestOptions): Call<undefined>
}

/** Sets of config objects, imported or made here. */
export interface PluginsOperations {
  /**
   * Creates an empty private plugin.
   *
   * Requires the permission `plugins:write`.
   */
  create(input: CreatePlugin, options?: RequestOptions): Call<Plugin>

  /**
   * Lists the plugins the caller can see.
   *
   * Requires the permission `plugins:read`.
   */
  list(input?: PluginsListInput, options?: RequestOptions): List<Plugin>

  /**
   * Gets one plugin when the caller can see it.
   *
   * Requires the permission `plugins:read`. Fails with `plugin_not_found`.
   */
  get(pluginId: PluginId, options?: RequestOptions): Call<Plugin>

  /**
   * Lists what is in a plugin, with each config object and its latest version.
   *
   * Requires the permission `plugins:read`. Fails with `plugin_not_found`.
   */
  listObjects(pluginId: PluginId, input?: PluginsListObjectsInput, options?: RequestOptions): List<PluginMembership>

  /**
   * Lists the grants of a plugin.
   *
   * Requires the permission `plugins:read`. Fails with `plugin_not_found`.
   */
  listAccess(pluginId: PluginId, input?: PluginsListAccessInput, options?: RequestOptions): List<PluginGrant>

  /**
   * Grants access to a plugin and what is in it; 200 when the receiver had a grant.
   *
   * Requires the permission `plugins:read`. Fails with `plugin_not_found`.
   */
  grantAccess(pluginId: PluginId, input: CreateGrant, options?: RequestOptions): Call<PluginGrant>

  /**
   * Revokes one grant; it is kept as history.
   *
   * Requires the permission `plugins:read`. Fails with `plugin_not_found`, `plugin_grant_not_found`.
   */
  revokeAccess(pluginId: PluginId, grantId: PluginAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * Renames or describes a plugin that no connector drives.
   *
   * Requires the permission `plugins:write`. Supports `ifMatch`. Fails with `plugin_not_found`.
   */
  update(pluginId: PluginId, input?: UpdatePlugin, options?: RequestOptions): Call<Plugin>

  /**
   * Hides a plugin from lists and marketplaces, and what is in it with it; it keeps its grants.
   *
   * Requires the permission `plugins:write`. Fails with `plugin_not_found`.
   */
  archive(pluginId: PluginId, options?: RequestOptions): Call<Plugin>

  /**
   * Shows an archived plugin again, where it was.
   *
   * Requires the permission `plugins:write`. Fails with `plugin_not_found`.
   */
  restore(pluginId: PluginId, options?: RequestOptions): Call<Plugin>

  /**
   * Puts a config object into a plugin; 200 when it is in there.
   *
   * Whoever sees the plugin sees it then: this takes an editor of the plugin and a manager of the object.
   *
   * Requires the permission `plugins:write`. Fails with `plugin_not_found`, `config_object_archived`.
   */
  addObject(pluginId: PluginId, input: AddObject, options?: RequestOptions): Call<PluginMembership>

  /**
   * Takes a config object out of a plugin; the object stays.
   *
   * Requires the permission `plugins:write`. Fails with `plugin_not_found`, `config_object_not_found`, `plugin_membership_not_found`.
   */
  removeObject(pluginId: PluginId, configObjectId: ConfigObjectId, options?: RequestOptions): Call<undefined>

  /**
   * Download a plugin as agents install it, as a tar.gz or zip.
   *
   * A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`.
   *
   * Requires the permission `plugins:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `plugin_not_found`, `plugin_archive_not_found`, `plugin_archive_refused`, `plugin_archive_too_large`, `unavailable`.
   */
  download(pluginId: PluginId, input?: PluginsDownloadInput, options?: RequestOptions): Call<ReadableStream<Uint8Array>>

  /**
   * Downloads a plugin by a link of `marketplace.json`, without a credential.
   *
   * A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`.
   *
   * Requires no credential. Returns an `ETag`; supports `ifNoneMatch`. Fails with `plugin_archive_not_found`, `unavailable`.
   */
  downloadLinked(pluginId: PluginId, input: PluginsDownloadLinkedInput, options?: RequestOptions): Call<ReadableStream<Uint8Array>>
}

/** Sets of plugins, who is offered them, what is missing. */
export interface MarketplacesOperations {
  /**
   * Lists the marketplaces the caller can see.
   *
   * Requires the permission `marketplaces:read`.
   */
  list(input?: MarketplacesListInput, options?: RequestOptions): List<Marketplace>

  /**
   * Gets one marketplace.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   */
  get(marketplaceId: MarketplaceId, options?: RequestOptions): Call<Marketplace>

  /**
   * Lists the plugins of a marketplace.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   */
  listPlugins(marketplaceId: MarketplaceId, input?: MarketplacesListPluginsInput, options?: RequestOptions): List<MarketplaceMembership>

  /**
   * Gets a marketplace with its plugins, where they come from, and what each still needs.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   */
  resolved(marketplaceId: MarketplaceId, options?: RequestOptions): Call<ResolvedMarketplace>

  /**
   * Lists the grants of a marketplace.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   */
  listAccess(marketplaceId: MarketplaceId, input?: MarketplacesListAccessInput, options?: RequestOptions): List<MarketplaceGrant>

  /**
   * Grants access to a marketplace and all in it; 200 when the receiver had a grant.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   */
  grantAccess(marketplaceId: MarketplaceId, input: CreateGrant, options?: RequestOptions): Call<MarketplaceGrant>

  /**
   * Revokes one grant; it is kept as history.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`, `marketplace_grant_not_found`.
   */
  revokeAccess(marketplaceId: MarketplaceId, grantId: MarketplaceAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * Creates an empty private marketplace.
   *
   * Requires the permission `marketplaces:write`.
   */
  create(input: CreateMarketplace, options?: RequestOptions): Call<Marketplace>

  /**
   * Renames or describes a marketplace, or changes its logo.
   *
   * Name and description of one that a connector made are the repository's: 403 `managed_by_connector`.
   *
   * Requires the permission `marketplaces:write`. Supports `ifMatch`. Fails with `marketplace_not_found`.
   */
  update(marketplaceId: MarketplaceId, input?: UpdateMarketplace, options?: RequestOptions): Call<Marketplace>

  /**
   * Hides a marketplace from lists; it shows nobody its plugins, and keeps them and its grants.
   *
   * Requires the permission `marketplaces:write`. Fails with `marketplace_not_found`.
   */
  archive(marketplaceId: MarketplaceId, options?: RequestOptions): Call<Marketplace>

  /**
   * Offers an archived marketplace again to whom it was shared with.
   *
   * Requires the permission `marketplaces:write`. Fails with `marketplace_not_found`.
   */
  restore(marketplaceId: MarketplaceId, options?: RequestOptions): Call<Marketplace>

  /**
   * Puts a plugin into a marketplace; 200 when it is in there.
   *
   * Whoever sees the marketplace sees it then: this takes an editor of the marketplace and a manager of the plugin.
   *
   * Requires the permission `marketplaces:write`. Fails with `marketplace_not_found`.
   */
  addPlugin(marketplaceId: MarketplaceId, input: AddPlugin, options?: RequestOptions): Call<MarketplaceMembership>

  /**
   * Takes a plugin out of a marketplace; the plugin stays.
   *
   * Requires the permission `marketplaces:write`. Fails with `marketplace_not_found`, `plugin_not_found`, `marketplace_membership_not_found`.
   */
  removePlugin(marketplaceId: MarketplaceId, pluginId: PluginId, options?: RequestOptions): Call<undefined>

  /**
   * A marketplace as agents read it, each plugin with a link to its archive.
   *
   * The links need no credential, are good for 55 to 60 minutes, and end when the caller no longer sees the plugin or its content changes. A plugin of which no archive can be made is left out. Where many archives are made for the first time it is 503 with `Retry-After`, and the next request goes on.
   *
   * Requires the permission `marketplaces:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `marketplace_not_found`, `unavailable`.
   */
  manifest(marketplaceId: MarketplaceId, input?: MarketplacesManifestInput, options?: RequestOptions): Call<MarketplaceManifest>

  /**
   * Create a link that gives an agent read access to a marketplace.
   *
   * Anyone with the link can read the marketplace and its plugins with your access, or with a team's; access is checked on each request. Only managers of the marketplace can create a link for a team. A link is valid until it expires, is revoked, or its creator leaves the organization. API keys cannot create links.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`, `quota_exceeded`.
   */
  createLink(marketplaceId: MarketplaceId, input: CreateMarketplaceLink, options?: RequestOptions): Call<MarketplaceLinkWithUrl>

  /**
   * List the links of a marketplace.
   *
   * Managers of the marketplace see all links; other members see their own. Revoked and expired links are included.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   */
  listLinks(marketplaceId: MarketplaceId, input?: MarketplacesListLinksInput, options?: RequestOptions): List<MarketplaceLink>

  /**
   * Revoke a marketplace link.
   *
   * You can revoke your own links; managers of the marketplace can revoke any link.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`, `marketplace_link_not_found`.
   */
  revokeLink(marketplaceId: MarketplaceId, linkId: MarketplaceLinkId, options?: RequestOptions): Call<undefined>

  /**
   * Get a marketplace through a marketplace link, without a credential.
   *
   * Returns the plugins that the link's member or team can see now. Plugins are zip archives; their URLs contain the same token and are valid for as long as the link is.
   *
   * Requires no credential. Returns an `ETag`; supports `ifNoneMatch`. Fails with `marketplace_link_not_found`, `rate_limited`, `unavailable`.
   */
  manifestLinked(token: MarketplaceLinkToken, options?: RequestOptions): Call<MarketplaceManifest>

  /**
   * Download a plugin through a marketplace link, as a zip.
   *
   * A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`.
   *
   * Requires no credential. Returns an `ETag`; supports `ifNoneMatch`. Fails with `marketplace_link_not_found`, `plugin_archive_not_found`, `rate_limited`, `unavailable`.
   */
  downloadLinked(token: MarketplaceLinkToken, pluginId: PluginId, options?: RequestOptions): Call<ReadableStream<Uint8Array>>
}

/** Switches of the desktop app, for members, teams or everybody. */
export interface DesktopPoliciesOperations {
  /**
   * Creates a policy: for the members and teams it names, or else the whole organization.
   *
   * It holds at once. An id that is named twice counts once.
   *
   * Requires the permission `desktopPolicies:write`. Requires a plan with `desktop_policies`. Fails with `desktop_policy_exists`, `quota_exceeded`.
   */
  create(input: CreateDesktopPolicy, options?: RequestOptions): Call<{
    readonly desktopPolicy: DesktopPolicy
  }>

  /**
   * Lists the desktop policies of the organization.
   *
   * Requires the permission `desktopPolicies:read`.
   */
  list(input?: DesktopPoliciesListInput, options?: RequestOptions): List<DesktopPolicy>

  /**
   * Answers what a change would do, by member and setting; changes nothing.
   *
   * What the change itself would be refused for, this is refused for.
   *
   * Requires the permission `desktopPolicies:read`. Requires a plan with `desktop_policies`. Fails with `desktop_policy_exists`, `quota_exceeded`.
   */
  simulate(input?: SimulateDesktopPolicies, options?: RequestOptions): Call<{
    readonly simulation: DesktopPolicySimulation
  }>

  /**
   * Gets what holds for a member, and with `explain` why.
   *
   * Requires the permission `desktopPolicies:read`. Fails with `member_not_found`.
   */
  effective(orgMembershipId: OrganizationMembershipId, input?: DesktopPoliciesEffectiveInput, options?: RequestOptions): Call<EffectiveDesktopPolicyAnswer>

  /**
   * Gets one desktop policy.
   *
   * Requires the permission `desktopPolicies:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `desktop_policy_not_found`.
   */
  get(desktopPolicyId: DesktopPolicyId, options?: RequestOptions): Call<{
    readonly desktopPolicy: DesktopPolicy
  }>

  /**
   * Updates a desktop policy; `policy`, `memberIds` and `teamIds` replace what was there.
   *
   * Requires the permission `desktopPolicies:write`. Requires a plan with `desktop_policies`. Supports `ifMatch`. Fails with `desktop_policy_not_found`, `desktop_policy_exists`.
   */
  update(desktopPolicyId: DesktopPolicyId, input?: UpdateDesktopPolicy, options?: RequestOptions): Call<{
    readonly desktopPolicy: DesktopPolicy
  }>

  /**
   * Removes a desktop policy; its name is free.
   *
   * Requires the permission `desktopPolicies:manage`. Supports `ifMatch`. Fails with `desktop_policy_not_found`.
   */
  remove(desktopPolicyId: DesktopPolicyId, options?: RequestOptions): Call<undefined>
}

/** Versioned blueprints of plugins with their config objects, and making plugins of them. */
export interface TemplatesOperations {
  /**
   * Creates a template and its first version.
   *
   * A placeholder `{{ name }}` stands for the value of a declared variable; `{{{{` stands for `{{`. Placeholders may stand in the texts, in the text values of payload and metadata, and in the plugin's name and description; not in names of members. In a JSON text they stand inside strings, in front matter and YAML inside values, and what is put there is quoted: a value is always text, and never changes the structure. Everything else with `{{` is refused.
   *
   * Requires the permission `templates:write`. Fails with `template_exists`, `quota_exceeded`.
   */
  create(input: CreateTemplate, options?: RequestOptions): Call<{
    readonly template: Template
    readonly version: TemplateVersion
  }>

  /**
   * Lists the templates of the organization.
   *
   * Requires the permission `templates:read`.
   */
  list(input?: TemplatesListInput, options?: RequestOptions): List<Template>

  /**
   * Gets one template with its latest version.
   *
   * Requires the permission `templates:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `template_not_found`.
   */
  get(templateId: TemplateId, options?: RequestOptions): Call<{
    readonly template: Template
    readonly version: TemplateVersion
  }>

  /**
   * Renames or describes a template; its content changes by a new version.
   *
   * Requires the permission `templates:write`. Supports `ifMatch`. Fails with `template_not_found`, `template_exists`.
   */
  update(templateId: TemplateId, input?: UpdateTemplate, options?: RequestOptions): Call<{
    readonly template: Template
  }>

  /**
   * Removes a template with its versions; what was made of it stays.
   *
   * Requires the permission `templates:manage`. Supports `ifMatch`. Fails with `template_not_found`.
   */
  remove(templateId: TemplateId, options?: RequestOptions): Call<undefined>

  /**
   * Lists the versions of a template, newest first, without their content.
   *
   * Requires the permission `templates:read`. Fails with `template_not_found`.
   */
  listVersions(templateId: TemplateId, input?: TemplatesListVersionsInput, options?: RequestOptions): List<TemplateVersionSummary>

  /**
   * Gets one version of a template with its content.
   *
   * Requires the permission `templates:read`. Fails with `template_not_found`, `template_version_not_found`.
   */
  getVersion(templateId: TemplateId, versionId: TemplateVersionId, options?: RequestOptions): Call<{
    readonly version: TemplateVersion
  }>

  /**
   * Writes a new version; the same content as the latest is answered with 200, and no version is written.
   *
   * A placeholder `{{ name }}` stands for the value of a declared variable; `{{{{` stands for `{{`. Placeholders may stand in the texts, in the text values of payload and metadata, and in the plugin's name and description; not in names of members. In a JSON text they stand inside strings, in front matter and YAML inside values, and what is put there is quoted: a value is always text, and never changes the structure. Everything else with `{{` is refused.
   *
   * Requires the permission `templates:write`. Fails with `template_not_found`, `quota_exceeded`.
   */
  createVersion(templateId: TemplateId, input: CreateTemplateVersion, options?: RequestOptions): Call<{
    readonly version: TemplateVersion
  }>

  /**
   * Writes a new version with the content of an earlier one; 200 and no version when the latest has that content.
   *
   * Requires the permission `templates:write`. Fails with `template_not_found`, `template_version_not_found`, `quota_exceeded`.
   */
  restoreVersion(templateId: TemplateId, versionId: TemplateVersionId, options?: RequestOptions): Call<{
    readonly version: TemplateVersion
  }>

  /**
   * Compares a version of a template with another.
   *
   * Requires the permission `templates:read`. Fails with `template_not_found`, `template_version_not_found`.
   */
  diffVersions(templateId: TemplateId, versionId: TemplateVersionId, input?: TemplatesDiffVersionsInput, options?: RequestOptions): Call<{
    readonly diff: TemplateDiff
  }>

  /**
   * Shows what would be made of a template with these values; nothing is written.
   *
   * Refuses what `templates.instantiate` refuses, with the same details.
   *
   * Requires the permission `templates:read`. Fails with `template_not_found`.
   */
  preview(templateId: TemplateId, input?: InstantiateTemplate, options?: RequestOptions): Call<{
    readonly preview: TemplatePreview
  }>

  /**
   * Makes a private plugin of a template, with its config objects; all of it or nothing.
   *
   * The caller becomes their manager. The template may change or go afterwards: what was made stays.
   *
   * Requires the permissions `plugins:write`, `configObjects:write` and `templates:read`. Fails with `template_not_found`, `quota_exceeded`.
   */
  instantiate(templateId: TemplateId, input?: InstantiateTemplate, options?: RequestOptions): Call<TemplateMade>

  /**
   * Lists the plugins that were made of a template and that the caller can see.
   *
   * Requires the permission `templates:read`. Fails with `template_not_found`.
   */
  listInstances(templateId: TemplateId, input?: TemplatesListInstancesInput, options?: RequestOptions): List<TemplateInstance>
}

/** Servers of tools: found, connected, watched, tried out. */
export interface McpConnectionsOperations {
  /**
   * Creates a private connection; nothing is asked of the server yet.
   *
   * Requires the permission `mcpConnections:write`. Fails with `mcp_connection_exists`.
   */
  create(input: CreateMcpConnection, options?: RequestOptions): Call<{
    readonly mcpConnection: McpConnection
  }>

  /**
   * Lists the connections the caller can see.
   *
   * Requires the permission `mcpConnections:read`.
   */
  list(input?: McpConnectionsListInput, options?: RequestOptions): List<McpConnection>

  /**
   * Gets one connection.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`.
   */
  get(connectionId: ExternalMCPConnectionId, options?: RequestOptions): Call<{
    readonly mcpConnection: McpConnection
  }>

  /**
   * Updates a connection; another address, kind of authentication or mode deletes its credentials.
   *
   * What was accepted of the server is forgotten with them. Takes a manager.
   *
   * Requires the permission `mcpConnections:write`. Supports `ifMatch`. Fails with `connection_not_found`, `mcp_connection_exists`.
   */
  update(connectionId: ExternalMCPConnectionId, input?: UpdateMcpConnection, options?: RequestOptions): Call<{
    readonly mcpConnection: McpConnection
  }>

  /**
   * Removes a connection with its credentials and grants.
   *
   * Requires the permission `mcpConnections:manage`. Supports `ifMatch`. Fails with `connection_not_found`.
   */
  remove(connectionId: ExternalMCPConnectionId, options?: RequestOptions): Call<undefined>

  /**
   * Lists the grants of a connection.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`.
   */
  listAccess(connectionId: ExternalMCPConnectionId, input?: McpConnectionsListAccessInput, options?: RequestOptions): List<McpConnectionGrant>

  /**
   * Grants access to a connection; 200 when the receiver had a grant.
   *
   * To use its tools takes a grant that names one, also of owners and admins.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`.
   */
  grantAccess(connectionId: ExternalMCPConnectionId, input: CreateGrant, options?: RequestOptions): Call<{
    readonly grant: McpConnectionGrant
  }>

  /**
   * Revokes one grant; it is kept as history.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `mcp_connection_grant_not_found`.
   */
  revokeAccess(connectionId: ExternalMCPConnectionId, grantId: MCPConnectionAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * Lists the tools of a connection by name; asked of the server every five minutes at most.
   *
   * Takes a grant that names the caller, also of owners and admins: it uses the credential.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `connection_not_ready`, `mcp_server_error`.
   */
  listTools(connectionId: ExternalMCPConnectionId, input?: McpConnectionsListToolsInput, options?: RequestOptions): List<McpTool>

  /**
   * Gets which tools may be called.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`.
   */
  getToolPolicy(connectionId: ExternalMCPConnectionId, options?: RequestOptions): Call<{
    readonly toolPolicy: McpToolPolicy
  }>

  /**
   * Says which tools may be called; a tool that is not there yet may be named. Takes a manager.
   *
   * Requires the permission `mcpConnections:write`. Fails with `connection_not_found`.
   */
  setToolPolicy(connectionId: ExternalMCPConnectionId, input: McpToolPolicy, options?: RequestOptions): Call<{
    readonly toolPolicy: McpToolPolicy
  }>

  /**
   * Gets in what the server differs from what was accepted.
   *
   * Tools that are new or changed are refused until somebody decides; after another issuer or endpoint the whole connection is.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `mcp_review_not_found`.
   */
  getReview(connectionId: ExternalMCPConnectionId, options?: RequestOptions): Call<{
    readonly review: McpReview
  }>

  /**
   * Accepts the server as it is now, or keeps refusing what changed. Takes a manager.
   *
   * Requires the permission `mcpConnections:write`. Fails with `connection_not_found`, `mcp_review_not_found`, `stale_revision`.
   */
  decideReview(connectionId: ExternalMCPConnectionId, input: DecideMcpReview, options?: RequestOptions): Call<{
    readonly mcpConnection: McpConnection
  }>

  /**
   * Runs one tool and shows the exchange, for diagnosis; nothing of it is kept.
   *
   * At most 60 seconds and 60 calls a minute in an organization. Takes a grant that names the caller. A tool that the policy denies is 403 `policy_blocked`, one that changed 403 `tool_review_required`.
   *
   * Requires the permission `mcp:call`. Fails with `connection_not_found`, `connection_not_ready`, `tool_execution_failed`.
   */
  callTool(connectionId: ExternalMCPConnectionId, input: CallMcpTool, options?: RequestOptions): Call<McpToolCall>

  /**
   * Begins to connect by OAuth; a key cannot.
   *
   * Open `url` in a browser. The authorization server sends it to our callback, which stores nothing: hand `state`, `code` and `iss` to the completion within ten minutes, in the same session. A shared credential takes a manager, one's own a viewer.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `connection_not_ready`, `mcp_server_error`.
   */
  startConnect(connectionId: ExternalMCPConnectionId, input?: StartMcpConnect, options?: RequestOptions): Call<{
    readonly connect: StartedConnect
  }>

  /**
   * Exchanges what the browser brought back for a credential, and keeps it sealed.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `connection_not_ready`, `mcp_server_error`.
   */
  completeConnect(connectionId: ExternalMCPConnectionId, input: CompleteConnect, options?: RequestOptions): Call<{
    readonly mcpConnection: McpConnection
  }>

  /**
   * Connects by a key: the shared one by a manager, their own by any member with a grant.
   *
   * The server is asked once; a key that it refuses is 400 and not kept.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `connection_not_ready`.
   */
  setApiKey(connectionId: ExternalMCPConnectionId, input: SetMcpApiKey, options?: RequestOptions): Call<{
    readonly mcpConnection: McpConnection
  }>

  /**
   * Deletes the shared credential, or the caller's own; twice changes nothing.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`.
   */
  disconnect(connectionId: ExternalMCPConnectionId, options?: RequestOptions): Call<{
    readonly mcpConnection: McpConnection
  }>

  /**
   * Where a browser comes back to; stores nothing.
   *
   * Sends the browser on to the `returnTo` of the start with state, code and issuer, or shows what to hand to the completion.
   */
  callback(input?: McpConnectionsCallbackInput, options?: RequestOptions): Call<string | undefined>

  /**
   * Who we are to authorization servers: our client id is the address of this document.
   *
   * Requires no credential.
   */
  clientMetadata(options?: RequestOptions): Call<McpClientMetadata>

  /**
   * Lists the servers that are known well, by name.
   *
   * Requires the permission `mcpConnections:read`.
   */
  listPresets(input?: McpConnectionsListPresetsInput, options?: RequestOptions): List<ListedMcpPreset>

  /**
   * Finds the MCP server that an address, a host or a name means, and what it asks for.
   *
   * Registers nothing, stores nothing, creates nothing. At most five addresses are tried, 8 seconds each and 15 in all, and 30 queries a minute in an organization, three of them at once; one that waits 30 seconds for its turn is 503.
   *
   * Requires the permission `mcp:resolve`. Fails with `unavailable`.
   */
  resolve(input: ResolveMcp, options?: RequestOptions): Call<McpResolution>
}

/** Where models come from: chosen from a catalogue or named by their address, shared, handed out. */
export interface LlmProvidersOperations {
  /**
   * Creates a private provider; nothing is asked of it yet.
   *
   * Of a provider of the catalogue address, format and names of variables are taken from there unless told.
   *
   * Requires the permission `llmProviders:write`. Fails with `llm_provider_exists`, `model_catalog_not_configured`, `unavailable`.
   */
  create(input: CreateLlmProvider, options?: RequestOptions): Call<{
    readonly llmProvider: LlmProvider
  }>

  /**
   * Lists the providers the caller can see.
   *
   * Requires the permission `llmProviders:read`.
   */
  list(input?: LlmProvidersListInput, options?: RequestOptions): List<LlmProvider>

  /**
   * Gets one provider.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`.
   */
  get(llmProviderId: LLMProviderId, options?: RequestOptions): Call<{
    readonly llmProvider: LlmProvider
  }>

  /**
   * Updates a provider; another provider, address or mode deletes its keys.
   *
   * Takes a manager.
   *
   * Requires the permission `llmProviders:write`. Supports `ifMatch`. Fails with `llm_provider_not_found`, `llm_provider_exists`, `model_catalog_not_configured`, `unavailable`.
   */
  update(llmProviderId: LLMProviderId, input?: UpdateLlmProvider, options?: RequestOptions): Call<{
    readonly llmProvider: LlmProvider
  }>

  /**
   * Removes a provider with its keys and grants.
   *
   * Requires the permission `llmProviders:manage`. Supports `ifMatch`. Fails with `llm_provider_not_found`.
   */
  remove(llmProviderId: LLMProviderId, options?: RequestOptions): Call<undefined>

  /**
   * Lists the grants of a provider.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`.
   */
  listAccess(llmProviderId: LLMProviderId, input?: LlmProvidersListAccessInput, options?: RequestOptions): List<LlmProviderGrant>

  /**
   * Grants access to a provider; 200 when the receiver had a grant.
   *
   * To be handed its key takes a grant that names one, also of owners and admins.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`.
   */
  grantAccess(llmProviderId: LLMProviderId, input: CreateGrant, options?: RequestOptions): Call<{
    readonly grant: LlmProviderGrant
  }>

  /**
   * Revokes one grant; it is kept as history.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`, `llm_provider_grant_not_found`.
   */
  revokeAccess(llmProviderId: LLMProviderId, grantId: LLMProviderAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * Lists the models of the public catalogue, by provider and id.
   *
   * Read at most once an hour, for all organizations; nothing of yours is sent. 409 where the operator has turned it off, 503 while it has never been reached.
   *
   * Requires the permission `llmProviders:read`. Fails with `model_catalog_not_configured`, `unavailable`.
   */
  listCatalog(input?: LlmProvidersListCatalogInput, options?: RequestOptions): List<CatalogModel>

  /**
   * Lists the providers of the public catalogue, by id.
   *
   * Requires the permission `llmProviders:read`. Fails with `model_catalog_not_configured`, `unavailable`.
   */
  listCatalogProviders(input?: LlmProvidersListCatalogProvidersInput, options?: RequestOptions): List<CatalogProvider>

  /**
   * Keeps a key sealed: the shared one by a manager, their own by any member with a grant.
   *
   * In place of the one there was. The provider is not asked; `test` does that.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`, `connection_not_ready`.
   */
  setCredential(llmProviderId: LLMProviderId, input: SetLlmCredential, options?: RequestOptions): Call<{
    readonly llmProvider: LlmProvider
  }>

  /**
   * Deletes the shared key, or the caller's own.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`, `llm_credential_not_found`.
   */
  removeCredential(llmProviderId: LLMProviderId, options?: RequestOptions): Call<undefined>

  /**
   * Hands out what a member's machine needs to use the provider, the key included.
   *
   * Takes a grant that names the caller, also of owners and admins: 403 `grant_required` without one. 409 while there is no key for them.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`, `connection_not_ready`.
   */
  connect(llmProviderId: LLMProviderId, options?: RequestOptions): Call<{
    readonly connection: LlmConnection
  }>

  /**
   * Asks the provider for its models with the key the caller would use; spends nothing.
   *
   * At most 15 seconds, and 30 tests a minute in an organization. A provider that refuses is an answer, not an error: 200 with `ok` false and what is wrong.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`, `connection_not_ready`.
   */
  test(llmProviderId: LLMProviderId, options?: RequestOptions): Call<{
    readonly test: LlmProviderTest
  }>
}

/** Mail drafts, messages and meeting links, as the calling person. Never sends. */
export interface CapabilitiesOperations {
  /**
   * Creates a draft in the caller's mailbox; it is never sent.
   *
   * Only for members with a session. Fails with `needs_connection`, `suite_a_api_error`.
   */
  createMailDraft(input: CreateMailDraft, options?: RequestOptions): Call<{
    readonly ok: true
    readonly draft: MailMessage
  }>

  /**
   * Reads one message of the caller's mailbox, its body as plain text.
   *
   * Only for members with a session. Fails with `needs_connection`, `suite_a_api_error`.
   */
  getMailMessage(messageId: string, options?: RequestOptions): Call<{
    readonly ok: true
    readonly message: MailMessage
  }>

  /**
   * Adds a video meeting to an event of the caller's primary calendar; one that has it keeps it.
   *
   * Only for members with a session. Fails with `needs_connection`, `suite_b_api_error`.
   */
  updateCalendarEvent(eventId: string, input: UpdateCalendarEvent, options?: RequestOptions): Call<CalendarEvent>

  /**
   * Lists the caller's connections, one for each suite.
   *
   * Only for members with a session.
   */
  listConnections(input?: CapabilitiesListConnectionsInput, options?: RequestOptions): List<CapabilityConnection>

  /**
   * Gets the caller's connection to a suite.
   *
   * Only for members with a session.
   */
  getConnection(suite: Suite, options?: RequestOptions): Call<{
    readonly connection: CapabilityConnection
  }>

  /**
   * Begins to connect the caller's account at a suite.
   *
   * Open `url` in a browser. The suite sends it to our callback, which stores nothing: hand `state` and `code` to the completion within ten minutes, in the same session.
   *
   * Only for members with a session. Fails with `suite_not_configured`.
   */
  startConnect(suite: Suite, input?: StartSuiteConnect, options?: RequestOptions): Call<{
    readonly connect: StartedConnect
  }>

  /**
   * Exchanges what the browser brought back for the caller's own credential, and keeps it sealed.
   *
   * Only for members with a session. Fails with `suite_not_configured`, `suite_a_api_error`, `suite_b_api_error`.
   */
  completeConnect(suite: Suite, input: CompleteSuiteConnect, options?: RequestOptions): Call<{
    readonly connection: CapabilityConnection
  }>

  /**
   * Deletes the caller's credential for a suite; twice changes nothing.
   *
   * Only for members with a session.
   */
  disconnect(suite: Suite, options?: RequestOptions): Call<{
    readonly connection: CapabilityConnection
  }>

  /**
   * Where a browser comes back to from a suite; stores nothing.
   *
   * Sends the browser on to the `returnTo` of the start with state, code and issuer, or shows what to hand to the completion.
   */
  callback(input?: CapabilitiesCallbackInput, options?: RequestOptions): Call<string | undefined>
}

/** What a person had remembered. Nobody else ever sees it: no owner, no admin, no API key, no export of the organization. */
export interface MemoryOperations {
  /**
   * Saves a memory that the calling person confirmed.
   *
   * The server sets source and scope, whatever is sent. A person has at most 10 000 memories in an organization.
   *
   * Only for members with a session. Fails with `quota_exceeded`.
   */
  save(input: SaveMemory, options?: RequestOptions): Call<{
    readonly memory: Memory
  }>

  /**
   * Searches the calling person's memories, the most relevant first.
   *
   * Looks at content, tags and snippets. Nothing that matches is an empty list, whatever the text. Equals stand newest first.
   *
   * Only for members with a session.
   */
  search(input: MemorySearchInput, options?: RequestOptions): Call<{
    readonly results: ReadonlyArray<FoundMemory>
  }>

  /**
   * Streams the calling person's memories with their contexts, as NDJSON.
   *
   * Lines of `{ kind, item }`: first `memories` with what was asked for, then each `memory`, newest first. The last line is `end` with the count of the others.
   *
   * Only for members with a session.
   */
  export(input?: MemoryExportInput, options?: RequestOptions): Call<ReadableStream<Uint8Array>>

  /**
   * Lists the calling person's memories.
   *
   * Only for members with a session.
   */
  list(input?: MemoryListInput, options?: RequestOptions): List<Memory>

  /**
   * Gets one memory of the calling person, with where it comes from.
   *
   * Only for members with a session. Fails with `memory_not_found`.
   */
  get(memoryId: string, options?: RequestOptions): Call<{
    readonly memory: WholeMemory
  }>

  /**
   * Deletes a memory, at once and for good.
   *
   * Only for members with a session. Fails with `memory_not_found`.
   */
  delete(memoryId: string, options?: RequestOptions): Call<undefined>

  /**
   * Deletes every memory the calling person has in the organization, at once and for good.
   *
   * Only for members with a session.
   */
  deleteAll(options?: RequestOptions): Call<undefined>
}

/** What people and workers do, told by their programs. */
export interface TelemetryOperations {
  /**
   * Takes a batch of events; answers once they are durable.
   *
   * The authentication alone says whose the events are. An event without a known `type`, `timestamp` or `source` is dropped and a member that is not allowed is removed, without an error; the ledger counts both under the request's `x-request-id`. With an `id` on each event the same batch can be sent again after any failure: nothing is counted twice.
   */
  ingest(input: IngestTelemetry, options?: RequestOptions): Call<undefined>

  /** Tells which events and fields are kept, and their bounds. */
  describe(options?: RequestOptions): Call<{
    readonly telemetry: TelemetryDescription
  }>

  /**
   * Lists what became of each batch of the last 30 days.
   *
   * Requires the permission `telemetry:read`.
   */
  ledger(input?: TelemetryLedgerInput, options?: RequestOptions): List<TelemetryLedgerEntry>

  /**
   * Lists what events were marked with: types of dimensions, their values, how often and when last.
   *
   * The values that were seen first last. What is past the retention of events is not counted.
   *
   * Requires the permission `analytics:read`.
   */
  dimensions(input?: TelemetryDimensionsInput, options?: RequestOptions): List<SeenDimension>

  /**
   * Tells how many of the members use what is there: by day or week, source, team and dimension.
   *
   * At most 400 days or weeks. Everything is about those who are members now.
   *
   * Requires the permission `analytics:read`.
   */
  adoption(input?: TelemetryAdoptionInput, options?: RequestOptions): Call<{
    readonly adoption: Adoption
    /** Every event that was acknowledged before this moment is counted; later ones may be. */
    readonly generatedAt: Timestamp
  }>

  /**
   * Measures events by day or week, as one figure or by group, with filters.
   *
   * At most 400 days or weeks. Percentiles are not told by team or member, and groups of one dimension not within another: both are refused with 400.
   *
   * Requires the permission `analytics:read`. Requires a plan with `analytics`.
   */
  analytics(input?: TelemetryAnalyticsInput, options?: RequestOptions): Call<{
    readonly analytics: Analytics
    /** Every event that was acknowledged before this moment is counted; later ones may be. */
    readonly generatedAt: Timestamp
  }>
}

/** Figures and lists for who administers an organization, or all. */
export interface AdminOperations {
  /**
   * Figures of the organization: people, workers, activity, invitations, day by day.
   *
   * An administrator of the installation who names no organization gets the figures of all of them together.
   *
   * Requires the permission `analytics:read`, or a platform administrator.
   */
  metrics(options?: RequestOptions): Call<{
    readonly summary: AdminMetrics
    /** Every event that was acknowledged before this moment is counted; later ones may be. */
    readonly generatedAt: Timestamp
  }>

  /**
   * What there is in the organization, what needs somebody, and what changed last.
   *
   * Requires the permission `audit:read`.
   */
  overview(options?: RequestOptions): Call<{
    readonly overview: AdminOverview
    readonly generatedAt: Timestamp
  }>

  /**
   * Lists the people of the installation.
   *
   * Only for platform administrators.
   */
  listPlatformUsers(input?: AdminListPlatformUsersInput, options?: RequestOptions): List<PlatformUser>

  /**
   * Lists the organizations of the installation.
   *
   * Only for platform administrators.
   */
  listPlatformOrganizations(input?: AdminListPlatformOrganizationsInput, options?: RequestOptions): List<PlatformOrganization>

  /**
   * Changes the plan of an organization; every process knows it at its next request.
   *
   * Only for platform administrators. Fails with `organization_not_found`.
   */
  updatePlan(organizationId: OrganizationId, input: UpdatePlan, options?: RequestOptions): Call<{
    readonly organization: Organization
  }>
}

/** Directories that provision people and groups, their requests, and what of those is held. */
export interface ScimOperations {
  /**
   * Makes a directory and the token an identity provider provisions it with.
   *
   * At most 10 an organization.
   *
   * Requires the permission `scim:manage`. Requires a plan with `scim`. Fails with `quota_exceeded`.
   */
  createDirectory(input: CreateScimDirectory, options?: RequestOptions): Call<{
    readonly directory: ScimDirectory
    /** `opd_…`, answered this once. */
    readonly token: string
  }>

  /**
   * Lists the organization's directories.
   *
   * Requires the permission `scim:read`.
   */
  listDirectories(input?: ScimListDirectoriesInput, options?: RequestOptions): List<ScimDirectory>

  /**
   * Gets one directory.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`.
   */
  getDirectory(scimDirectoryId: SCIMDirectoryId, options?: RequestOptions): Call<{
    readonly directory: ScimDirectory
  }>

  /**
   * Removes a directory: its tokens end, its groups become teams like any other.
   *
   * Roles that its groups gave stay as they are. The last owner stays whatever is told, and every owner unless an owner removes it.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`.
   */
  removeDirectory(scimDirectoryId: SCIMDirectoryId, input?: ScimRemoveDirectoryInput, options?: RequestOptions): Call<undefined>

  /**
   * Makes another token; the ones before stay good for a while.
   *
   * At most 5 are good at once: of more the oldest end now. Whoever holds a token decides who is in a group: nobody makes one who may not give the roles that the directory's groups give. Owners are deactivated only by a token that an owner made.
   *
   * Requires the permission `scim:manage`. Requires a plan with `scim`. Fails with `scim_directory_not_found`.
   */
  rotateToken(scimDirectoryId: SCIMDirectoryId, input?: RotateScimToken, options?: RequestOptions): Call<{
    readonly directory: ScimDirectory
    /** `opd_…`, answered this once. */
    readonly token: string
  }>

  /**
   * Ends one token now.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`, `scim_token_not_found`.
   */
  revokeToken(scimDirectoryId: SCIMDirectoryId, scimTokenId: SCIMTokenId, options?: RequestOptions): Call<undefined>

  /**
   * Lists a directory's groups with the roles they give.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`.
   */
  listGroups(scimDirectoryId: SCIMDirectoryId, input?: ScimListGroupsInput, options?: RequestOptions): List<ScimGroup>

  /**
   * Lets a group give its members a role, now and from now on.
   *
   * Nobody gives what they lack. Owners stay owners.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`, `scim_group_not_found`.
   */
  setGroupRole(scimDirectoryId: SCIMDirectoryId, teamId: SCIMGroupId, input: SetScimGroupRole, options?: RequestOptions): Call<{
    readonly group: ScimGroup
  }>

  /**
   * Lists the requests of a directory: what was decided, and what became another by it.
   *
   * Kept for 30 days, also when the directory is removed. Requests that only look are written down within seconds, and not at all if the process dies.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`.
   */
  log(scimDirectoryId: SCIMDirectoryId, input?: ScimLogInput, options?: RequestOptions): List<ScimLogEntry>

  /**
   * Brings memberships, teams and roles to what the directory last said.
   *
   * What is held stays held. Twice changes nothing.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`.
   */
  reconcile(scimDirectoryId: SCIMDirectoryId, options?: RequestOptions): Call<{
    readonly reconciliation: ScimReconciliation
  }>

  /**
   * Lists a directory's held deactivations.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`.
   */
  listHolds(scimDirectoryId: SCIMDirectoryId, input?: ScimListHoldsInput, options?: RequestOptions): List<ScimHold>

  /**
   * Gets one hold.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`, `scim_hold_not_found`.
   */
  getHold(scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, options?: RequestOptions): Call<{
    readonly hold: ScimHold
  }>

  /**
   * Lists whom a hold is about.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`, `scim_hold_not_found`.
   */
  listHeldUsers(scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, input?: ScimListHeldUsersInput, options?: RequestOptions): List<ScimHeldUser>

  /**
   * Ends the memberships that a hold is about; the last owner stays.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`, `scim_hold_not_found`, `scim_hold_not_pending`.
   */
  approveHold(scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, options?: RequestOptions): Call<{
    readonly hold: ScimHold
    /** An owner whose membership goes on although the hold was about them: the last one, or any when it is no owner who approves. */
    readonly keptOrgMembershipId: OrganizationMembershipId | null
  }>

  /**
   * Leaves the memberships as they are, and makes their users active again.
   *
   * The identity provider finds them active when it looks next. Where the directory has made another user of the same name since, that one stays.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`, `scim_hold_not_found`, `scim_hold_not_pending`.
   */
  rejectHold(scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, options?: RequestOptions): Call<{
    readonly hold: ScimHold
  }>
}

/** What the code host tells us, verified by its signature, and what came of it. */
export interface WebhooksOperations {
  /**
   * Lists the deliveries of the last 30 days that concerned the organization.
   *
   * Requires the permission `webhooks:read`.
   */
  listDeliveries(input?: WebhooksListDeliveriesInput, options?: RequestOptions): List<WebhookDelivery>

  /**
   * Gets one delivery.
   *
   * Requires the permission `webhooks:read`. Fails with `webhook_delivery_not_found`.
   */
  getDelivery(webhookDeliveryId: WebhookDeliveryId, options?: RequestOptions): Call<WebhookDelivery>

  /**
   * Acts upon a delivery again, from what was kept of it.
   *
   * Requires the permission `webhooks:write`. Fails with `webhook_delivery_not_found`.
   */
  redeliver(webhookDeliveryId: WebhookDeliveryId, options?: RequestOptions): Call<WebhookDelivery>
}

/** What runs agents for people. */
export interface WorkersOperations {
  /**
   * Creates a worker of the caller's; the provisioner starts a cloud worker by and by.
   *
   * A worker belongs to a person and ends with their membership, so a key makes none: 403 `session_required`. At most 50 a person; in a workspace that nobody has claimed one in the cloud: 403 `provisional_organization`.
   *
   * Requires the permission `workers:write`. Fails with `provisioner_unavailable`, `quota_exceeded`.
   */
  create(input: CreateWorker, options?: RequestOptions): Call<{
    readonly worker: Worker
    readonly instance: WorkerInstance | null
    /** Of a local worker, told this once: what it is known by. A cloud worker's goes to its runtime alone. */
    readonly token: string | null
  }>

  /**
   * Lists the workers of the organization.
   *
   * Requires the permission `workers:read`.
   */
  list(input?: WorkersListInput, options?: RequestOptions): List<Worker>

  /**
   * Gets one worker with its latest instance.
   *
   * Requires the permission `workers:read`. Fails with `worker_not_found`.
   */
  get(id: WorkerPathId, options?: RequestOptions): Call<{
    readonly worker: Worker
    readonly instance: WorkerInstance | null
  }>

  /**
   * Renames or describes a worker.
   *
   * Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`.
   *
   * Requires the permission `workers:write`. Fails with `worker_not_found`.
   */
  update(id: WorkerPathId, input?: UpdateWorker, options?: RequestOptions): Call<{
    readonly worker: Worker
    readonly instance: WorkerInstance | null
  }>

  /**
   * Removes a worker; its tokens end at once, its runtime is stopped.
   *
   * Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`.
   *
   * Requires the permission `workers:write`. Fails with `worker_not_found`.
   */
  remove(id: WorkerPathId, options?: RequestOptions): Call<undefined>

  /**
   * Makes another token for a local worker, beside its others or in their place.
   *
   * With `graceSeconds` the others end after it: that is how a token is rotated. At most five live ones. Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`.
   *
   * Requires the permission `workers:write`. Fails with `worker_not_found`, `quota_exceeded`, `worker_provided`.
   */
  createToken(id: WorkerPathId, input?: CreateWorkerToken, options?: RequestOptions): Call<{
    readonly workerToken: WorkerToken
    /** Told this once. */
    readonly token: string
  }>

  /**
   * Lists the live tokens of a worker.
   *
   * Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`.
   *
   * Requires the permission `workers:read`. Fails with `worker_not_found`.
   */
  listTokens(id: WorkerPathId, input?: WorkersListTokensInput, options?: RequestOptions): List<WorkerToken>

  /**
   * Ends a token of a worker at once.
   *
   * Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`.
   *
   * Requires the permission `workers:write`. Fails with `worker_not_found`, `worker_token_not_found`.
   */
  revokeToken(id: WorkerPathId, workerTokenId: WorkerTokenId, options?: RequestOptions): Call<undefined>

  /**
   * Asks a worker's runtime how it is, and passes its answer on.
   *
   * Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`.
   *
   * Requires the permission `workers:read`. Fails with `worker_not_found`, `worker_runtime_unavailable`, `worker_runtime_error`.
   */
  getRuntime(id: WorkerPathId, options?: RequestOptions): Call<Json>

  /**
   * Forwards an upgrade to a worker's runtime, once, and passes its answer on.
   *
   * At most 30 seconds and 1 MiB. An answer of the runtime with 2xx, 400, 404, 409 or 422 is passed on as it is, every other end is 502 `worker_runtime_error`; nothing is tried again. Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`.
   *
   * Requires the permission `workers:write`. Fails with `worker_not_found`, `worker_runtime_unavailable`, `worker_runtime_error`.
   */
  upgradeRuntime(id: WorkerPathId, options?: RequestOptions): Call<Json>

  /**
   * Says that the worker lives, and how; what is absent stays as it was told before.
   *
   * Only for workers, with their own token. Fails with `worker_not_found`.
   */
  heartbeat(id: WorkerPathId, input?: WorkerHeartbeat, options?: RequestOptions): Call<{
    readonly status: WorkerStatus
    /** When the next one is due; three missed are a failure. */
    readonly heartbeatSeconds: number
  }>

  /**
   * Reports what the worker does; kept for 30 days.
   *
   * Only for workers, with their own token. Fails with `worker_not_found`.
   */
  reportActivity(id: WorkerPathId, input: ReportWorkerActivity, options?: RequestOptions): Call<{
    readonly activity: WorkerActivity
  }>

  /**
   * Lists what a worker reported, newest first.
   *
   * Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`.
   *
   * Requires the permission `workers:read`. Fails with `worker_not_found`.
   */
  listActivity(id: WorkerPathId, input?: WorkersListActivityInput, options?: RequestOptions): List<WorkerActivity>
}

/** The domains an organization has proved to own. */
export interface SsoDomainsOperations {
  /**
   * Adds a domain, and says which TXT record proves it.
   *
   * At most 50 an organization. Others may add the same one: it is of whoever proves it first. A domain below it is one of its own.
   *
   * Requires the permission `sso:write`. Requires a plan with `sso`. Fails with `domain_exists`, `quota_exceeded`.
   */
  create(input: CreateDomain, options?: RequestOptions): Call<{
    readonly domain: Domain
  }>

  /**
   * Lists the organization's domains.
   *
   * Requires the permission `sso:read`.
   */
  list(input?: SsoDomainsListInput, options?: RequestOptions): List<Domain>

  /**
   * Gets one domain.
   *
   * Requires the permission `sso:read`. Fails with `domain_not_found`.
   */
  get(domainId: DomainId, options?: RequestOptions): Call<{
    readonly domain: Domain
  }>

  /**
   * Removes a domain: nobody new is signed in or provisioned by it.
   *
   * Whoever came in by it stays a member.
   *
   * Requires the permission `sso:manage`. Fails with `domain_not_found`.
   */
  remove(domainId: DomainId, options?: RequestOptions): Call<undefined>

  /**
   * Looks for the TXT records of the domains that are not verified, and marks those that hold.
   *
   * 204 when all of them hold, or there is nothing to prove. Otherwise 400 with one detail for each that does not: its `code`, and as its `path` `domains` and the domain; those that hold are marked all the same. An organization with neither domain nor SSO connection is answered as one that is not found. Ten times a minute for one organization; it may take 15 seconds.
   *
   * Only for members with a session. Requires a plan with `sso`.
   */
  verify(options?: RequestOptions): Call<undefined>
}

/** Every operation, by group. */
export interface Operations {
  /** Health, readiness, version and documents. */
  readonly system: SystemOperations
  /** A provisional workspace first, its people later. */
  readonly bootstrap: BootstrapOperations
  /** Signing in, and where the caller is signed in. */
  readonly sessions: SessionsOperations
  /** Signing in by the organization's own identity provider. */
  readonly sso: SsoOperations
  /** The signed-in person, whatever the organization. */
  readonly users: UsersOperations
  /** The organization of the caller. */
  readonly organizations: OrganizationsOperations
  /** The people of the organization. */
  readonly members: MembersOperations
  /** People asked into the organization. */
  readonly invitations: InvitationsOperations
  /** Named sets of permissions, and the table of all permissions. */
  readonly roles: RolesOperations
  /** Members who are granted things together. */
  readonly teams: TeamsOperations
  /** Credentials of the organization for automation. */
  readonly apiKeys: ApiKeysOperations
  /** Why somebody can reach something, and what a revocation does. */
  readonly access: AccessOperations
  /** Every change, written with the change itself. */
  readonly audit: AuditOperations
  /** Repositories, what was found in them, and how it is kept in step. */
  readonly connectors: ConnectorsOperations
  /** Versioned skills, agents, commands, hooks and other content, and who may use them. */
  readonly configObjects: ConfigObjectsOperations
  /** Sets of config objects, imported or made here. */
  readonly plugins: PluginsOperations
  /** Sets of plugins, who is offered them, what is missing. */
  readonly marketplaces: MarketplacesOperations
  /** Switches of the desktop app, for members, teams or everybody. */
  readonly desktopPolicies: DesktopPoliciesOperations
  /** Versioned blueprints of plugins with their config objects, and making plugins of them. */
  readonly templates: TemplatesOperations
  /** Servers of tools: found, connected, watched, tried out. */
  readonly mcpConnections: McpConnectionsOperations
  /** Where models come from: chosen from a catalogue or named by their address, shared, handed out. */
  readonly llmProviders: LlmProvidersOperations
  /** Mail drafts, messages and meeting links, as the calling person. Never sends. */
  readonly capabilities: CapabilitiesOperations
  /** What a person had remembered. Nobody else ever sees it: no owner, no admin, no API key, no export of the organization. */
  readonly memory: MemoryOperations
  /** What people and workers do, told by their programs. */
  readonly telemetry: TelemetryOperations
  /** Figures and lists for who administers an organization, or all. */
  readonly admin: AdminOperations
  /** Directories that provision people and groups, their requests, and what of those is held. */
  readonly scim: ScimOperations
  /** What the code host tells us, verified by its signature, and what came of it. */
  readonly webhooks: WebhooksOperations
  /** What runs agents for people. */
  readonly workers: WorkersOperations
  /** The domains an organization has proved to own. */
  readonly ssoDomains: SsoDomainsOperations
}

/** The route of each operation; the transport documents the format. */
export const routes = {
  system: {
    health: "GET /v1/health",
    ready: "GET503 /v1/ready",
    version: "GET /v1/version",
    keys: "GET /v1/keys",
    openapi: "GET /v1/openapi.json",
    docs: "GET /v1/docs"
  },
  bootstrap: {
    workspace: "POST{ /v1/bootstrap/workspace",
    previewClaim: "POST{ /v1/bootstrap/claims/preview",
    acceptClaim: "POST{ /v1/bootstrap/claims/accept"
  },
  sessions: {
    startEmail: "POST{ /v1/sessions/email",
    verifyEmail: "POST{ /v1/sessions/email/verify",
    exchange: "POST+{ /v1/sessions/exchange",
    list: "GET* /v1/sessions ?",
    revokeCurrent: "DELETE /v1/sessions/current",
    revoke: "DELETE /v1/sessions/:"
  },
  sso: {
    get: "GET /v1/sso",
    serviceProvider: "GET /v1/sso/service-provider",
    remove: "DELETE /v1/sso",
    putOidc: "PUT{ /v1/sso/oidc",
    putSaml: "PUT{ /v1/sso/saml",
    test: "POST+{ /v1/sso/test",
    enable: "POST+ /v1/sso/enable",
    disable: "POST+ /v1/sso/disable",
    enforce: "POST+{ /v1/sso/enforce",
    start: "POST{ /v1/sso/sign-in",
    complete: "POST{ /v1/sso/sign-in/complete",
    oidcCallback: "GET /v1/sso/oidc/:/callback ?",
    samlMetadata: "GET /v1/sso/saml/:/metadata"
  },
  users: {
    get: "GET /v1/me",
    update: "PATCH{ /v1/me",
    remove: "DELETE /v1/me",
    organizations: "GET* /v1/me/organizations ?",
    leaveOrganization: "DELETE /v1/me/organizations/:",
    setActiveOrganization: "PUT{ /v1/me/active-organization",
    desktopPolicy: "GET /v1/me/desktop-policy ?",
    library: "GET* /v1/me/library ?",
    export: "GET~ /v1/me/export"
  },
  organizations: {
    create: "POST+{ /v1/organizations",
    get: "GET /v1/organization",
    update: "PATCH{ /v1/organization",
    remove: "DELETE /v1/organization",
    transferOwnership: "POST+{ /v1/organization/transfer-ownership",
    export: "GET~ /v1/organization/export"
  },
  members: {
    add: "POST+{ /v1/members",
    list: "GET* /v1/members ?",
    get: "GET /v1/members/:",
    update: "PATCH{ /v1/members/:",
    remove: "DELETE /v1/members/: ?",
    batch: "POST+{ /v1/members/batch"
  },
  invitations: {
    create: "POST+{ /v1/invitations",
    list: "GET* /v1/invitations ?",
    get: "GET /v1/invitations/:",
    resend: "POST+ /v1/invitations/:/resend",
    cancel: "POST+ /v1/invitations/:/cancel",
    preview: "POST{ /v1/invitations/preview",
    accept: "POST{ /v1/invitations/accept"
  },
  roles: {
    permissions: "GET /v1/roles/permissions",
    create: "POST+{ /v1/roles",
    list: "GET* /v1/roles ?",
    get: "GET /v1/roles/:",
    update: "PATCH{ /v1/roles/:",
    remove: "DELETE /v1/roles/:"
  },
  teams: {
    create: "POST+{ /v1/teams",
    list: "GET* /v1/teams ?",
    get: "GET /v1/teams/:",
    update: "PATCH{ /v1/teams/:",
    remove: "DELETE /v1/teams/:",
    listMembers: "GET* /v1/teams/:/members ?",
    addMember: "PUT /v1/teams/:/members/:",
    removeMember: "DELETE /v1/teams/:/members/:"
  },
  apiKeys: {
    create: "POST+{ /v1/api-keys",
    list: "GET* /v1/api-keys ?",
    current: "GET /v1/api-keys/current",
    get: "GET /v1/api-keys/:",
    update: "PATCH{ /v1/api-keys/:",
    rotate: "POST+{ /v1/api-keys/:/rotate",
    revoke: "DELETE /v1/api-keys/:"
  },
  access: {
    explain: "POST{ /v1/access/explain",
    impact: "POST{ /v1/access/impact"
  },
  audit: {
    list: "GET* /v1/audit-events ?",
    export: "GET~ /v1/audit-events/export ?",
    verify: "POST /v1/audit-events/verify ?",
    checkpoints: "GET* /v1/audit-events/checkpoints ?"
  },
  connectors: {
    setup: "POST+>{ /v1/connectors/codehost/setup",
    listInstances: "GET* /v1/connector-instances ?",
    getInstance: "GET> /v1/connector-instances/:",
    updateInstance: "PATCH>{ /v1/connector-instances/:",
    enable: "POST+> /v1/connector-instances/:/enable",
    disable: "POST+> /v1/connector-instances/:/disable",
    remove: "POST+> /v1/connector-instances/:/remove",
    sync: "POST+> /v1/connector-instances/:/sync ?",
    listSyncEvents: "GET* /v1/connector-instances/:/sync-events ?",
    getSyncEvent: "GET> /v1/connector-sync-events/:",
    approveSync: "POST+> /v1/connector-sync-events/:/approve",
    rejectSync: "POST+> /v1/connector-sync-events/:/reject",
    discovery: "GET> /v1/connector-instances/:/discovery ?",
    tree: "GET* /v1/connector-instances/:/discovery/tree ?",
    apply: "POST+>{ /v1/connector-instances/:/discovery/apply ?wait",
    listAccess: "GET* /v1/connector-instances/:/access ?",
    grantAccess: "POST+>{ /v1/connector-instances/:/access",
    revokeAccess: "DELETE /v1/connector-instances/:/access/:",
    listTargets: "GET* /v1/connector-instances/:/targets ?",
    getTarget: "GET> /v1/connector-targets/:",
    listMappings: "GET* /v1/connector-targets/:/mappings ?",
    archive: "POST+> /v1/connector-instances/:/archive",
    configuration: "GET> /v1/connector-instances/:/configuration",
    setAutoImport: "PUT>{ /v1/connector-instances/:/auto-import",
    createTarget: "POST+>{ /v1/connector-instances/:/targets",
    updateTarget: "PATCH>{ /v1/connector-targets/:",
    resync: "POST+> /v1/connector-targets/:/resync",
    createMapping: "POST+>{ /v1/connector-targets/:/mappings",
    updateMapping: "PATCH>{ /v1/connector-mappings/:",
    deleteMapping: "DELETE /v1/connector-mappings/:",
    plan: "POST>{ /v1/connector-instances/:/discovery/plan",
    retrySync: "POST+> /v1/connector-sync-events/:/retry",
    rollback: "POST+>{ /v1/connector-instances/:/rollback",
    listAccounts: "GET* /v1/connector-accounts ?",
    getAccount: "GET> /v1/connector-accounts/:",
    createAccount: "POST+>{ /v1/connector-accounts",
    disconnectAccount: "POST+> /v1/connector-accounts/:/disconnect",
    startInstall: "POST+> /v1/connectors/codehost/install/start",
    completeInstall: "POST+>{ /v1/connectors/codehost/install/complete",
    listRepositories: "GET* /v1/connector-accounts/:/repositories ?",
    listBranches: "GET* /v1/connector-accounts/:/branches ?",
    createInstance: "POST+>{ /v1/connector-instances"
  },
  configObjects: {
    create: "POST+>{ /v1/config-objects",
    list: "GET* /v1/config-objects ?",
    get: "GET> /v1/config-objects/:",
    listVersions: "GET* /v1/config-objects/:/versions ?",
    getVersion: "GET> /v1/config-objects/:/versions/:",
    listAccess: "GET* /v1/config-objects/:/access ?",
    grantAccess: "POST+>{ /v1/config-objects/:/access",
    revokeAccess: "DELETE /v1/config-objects/:/access/:",
    archive: "POST+> /v1/config-objects/:/archive",
    restore: "POST+> /v1/config-objects/:/restore",
    remove: "DELETE /v1/config-objects/:",
    createVersion: "POST+>{ /v1/config-objects/:/versions",
    restoreVersion: "POST+> /v1/config-objects/:/versions/:/restore",
    diffVersions: "GET> /v1/config-objects/:/versions/:/diff ?",
    attachPlugin: "POST+>{ /v1/config-objects/:/plugins",
    detachPlugin: "DELETE /v1/config-objects/:/plugins/:"
  },
  plugins: {
    create: "POST+>{ /v1/plugins",
    list: "GET* /v1/plugins ?",
    get: "GET> /v1/plugins/:",
    listObjects: "GET* /v1/plugins/:/config-objects ?",
    listAccess: "GET* /v1/plugins/:/access ?",
    grantAccess: "POST+>{ /v1/plugins/:/access",
    revokeAccess: "DELETE /v1/plugins/:/access/:",
    update: "PATCH>{ /v1/plugins/:",
    archive: "POST+> /v1/plugins/:/archive",
    restore: "POST+> /v1/plugins/:/restore",
    addObject: "POST+>{ /v1/plugins/:/config-objects",
    removeObject: "DELETE /v1/plugins/:/config-objects/:",
    download: "GET~ /v1/plugins/:/archive ?",
    downloadLinked: "GET~ /v1/plugin-archives/: ?"
  },
  marketplaces: {
    list: "GET* /v1/marketplaces ?",
    get: "GET> /v1/marketplaces/:",
    listPlugins: "GET* /v1/marketplaces/:/plugins ?",
    resolved: "GET> /v1/marketplaces/:/resolved",
    listAccess: "GET* /v1/marketplaces/:/access ?",
    grantAccess: "POST+>{ /v1/marketplaces/:/access",
    revokeAccess: "DELETE /v1/marketplaces/:/access/:",
    create: "POST+>{ /v1/marketplaces",
    update: "PATCH>{ /v1/marketplaces/:",
    archive: "POST+> /v1/marketplaces/:/archive",
    restore: "POST+> /v1/marketplaces/:/restore",
    addPlugin: "POST+>{ /v1/marketplaces/:/plugins",
    removePlugin: "DELETE /v1/marketplaces/:/plugins/:",
    manifest: "GET /v1/marketplaces/:/marketplace.json ?",
    createLink: "POST+>{ /v1/marketplaces/:/links",
    listLinks: "GET* /v1/marketplaces/:/links ?",
    revokeLink: "DELETE /v1/marketplaces/:/links/:",
    manifestLinked: "GET /v1/marketplace-links/:/marketplace.json",
    downloadLinked: "GET~ /v1/marketplace-links/:/plugins/:"
  },
  desktopPolicies: {
    create: "POST+{ /v1/desktop-policies",
    list: "GET* /v1/desktop-policies ?",
    simulate: "POST{ /v1/desktop-policies/simulate",
    effective: "GET /v1/members/:/desktop-policy ?",
    get: "GET /v1/desktop-policies/:",
    update: "PATCH{ /v1/desktop-policies/:",
    remove: "DELETE /v1/desktop-policies/:"
  },
  templates: {
    create: "POST+{ /v1/templates",
    list: "GET* /v1/templates ?",
    get: "GET /v1/templates/:",
    update: "PATCH{ /v1/templates/:",
    remove: "DELETE /v1/templates/:",
    listVersions: "GET* /v1/templates/:/versions ?",
    getVersion: "GET /v1/templates/:/versions/:",
    createVersion: "POST+{ /v1/templates/:/versions",
    restoreVersion: "POST+ /v1/templates/:/versions/:/restore",
    diffVersions: "GET /v1/templates/:/versions/:/diff ?",
    preview: "POST{ /v1/templates/:/preview",
    instantiate: "POST+{ /v1/templates/:/instantiate",
    listInstances: "GET* /v1/templates/:/instances ?"
  },
  mcpConnections: {
    create: "POST+{ /v1/mcp-connections",
    list: "GET* /v1/mcp-connections ?",
    get: "GET /v1/mcp-connections/:",
    update: "PATCH{ /v1/mcp-connections/:",
    remove: "DELETE /v1/mcp-connections/:",
    listAccess: "GET* /v1/mcp-connections/:/access ?",
    grantAccess: "POST+{ /v1/mcp-connections/:/access",
    revokeAccess: "DELETE /v1/mcp-connections/:/access/:",
    listTools: "GET* /v1/mcp-connections/:/tools ?",
    getToolPolicy: "GET /v1/mcp-connections/:/tool-policy",
    setToolPolicy: "PUT{ /v1/mcp-connections/:/tool-policy",
    getReview: "GET /v1/mcp-connections/:/review",
    decideReview: "POST+{ /v1/mcp-connections/:/review",
    callTool: "POST+{ /v1/mcp-connections/:/tools/call",
    startConnect: "POST+{ /v1/mcp-connections/:/connect/start",
    completeConnect: "POST+{ /v1/mcp-connections/:/connect/complete",
    setApiKey: "PUT{ /v1/mcp-connections/:/api-key",
    disconnect: "POST+ /v1/mcp-connections/:/disconnect",
    callback: "GET /v1/mcp-connections/callback ?",
    clientMetadata: "GET /v1/mcp-connections/client-metadata.json",
    listPresets: "GET* /v1/mcp-connections/presets ?",
    resolve: "POST{ /v1/mcp-connections/resolve"
  },
  llmProviders: {
    create: "POST+{ /v1/llm-providers",
    list: "GET* /v1/llm-providers ?",
    get: "GET /v1/llm-providers/:",
    update: "PATCH{ /v1/llm-providers/:",
    remove: "DELETE /v1/llm-providers/:",
    listAccess: "GET* /v1/llm-providers/:/access ?",
    grantAccess: "POST+{ /v1/llm-providers/:/access",
    revokeAccess: "DELETE /v1/llm-providers/:/access/:",
    listCatalog: "GET* /v1/llm-providers/catalog ?",
    listCatalogProviders: "GET* /v1/llm-providers/catalog/providers ?",
    setCredential: "PUT{ /v1/llm-providers/:/credential",
    removeCredential: "DELETE /v1/llm-providers/:/credential",
    connect: "POST+ /v1/llm-providers/:/connect",
    test: "POST /v1/llm-providers/:/test"
  },
  capabilities: {
    createMailDraft: "POST+{ /v1/capabilities/suite-a/mail-drafts",
    getMailMessage: "GET /v1/capabilities/suite-a/mail-message/:",
    updateCalendarEvent: "PATCH{ /v1/capabilities/suite-b/calendar-event/:",
    listConnections: "GET* /v1/capabilities/connections ?",
    getConnection: "GET /v1/capabilities/connections/:",
    startConnect: "POST+{ /v1/capabilities/connections/:/start",
    completeConnect: "POST+{ /v1/capabilities/connections/:/complete",
    disconnect: "POST+ /v1/capabilities/connections/:/disconnect",
    callback: "GET /v1/capabilities/callback ?"
  },
  memory: {
    save: "POST+{ /v1/memory",
    search: "GET /v1/memory/search ?",
    export: "GET~ /v1/memory/export ?",
    list: "GET* /v1/memory ?",
    get: "GET /v1/memory/:",
    delete: "DELETE /v1/memory/:",
    deleteAll: "DELETE /v1/memory"
  },
  telemetry: {
    ingest: "POST{ /v1/telemetry/ingest",
    describe: "GET /v1/telemetry/schema",
    ledger: "GET* /v1/telemetry/ledger ?",
    dimensions: "GET* /v1/telemetry/dimensions ?",
    adoption: "GET /v1/telemetry/adoption ?",
    analytics: "GET /v1/telemetry/analytics ?"
  },
  admin: {
    metrics: "GET /v1/admin/metrics",
    overview: "GET /v1/admin/overview",
    listPlatformUsers: "GET* /v1/admin/platform/users ?",
    listPlatformOrganizations: "GET* /v1/admin/platform/organizations ?",
    updatePlan: "PATCH{ /v1/admin/platform/organizations/:"
  },
  scim: {
    createDirectory: "POST+{ /v1/scim/directories",
    listDirectories: "GET* /v1/scim/directories ?",
    getDirectory: "GET /v1/scim/directories/:",
    removeDirectory: "DELETE /v1/scim/directories/: ?",
    rotateToken: "POST+{ /v1/scim/directories/:/tokens",
    revokeToken: "DELETE /v1/scim/directories/:/tokens/:",
    listGroups: "GET* /v1/scim/directories/:/groups ?",
    setGroupRole: "PUT{ /v1/scim/directories/:/groups/:/role",
    log: "GET* /v1/scim/directories/:/log ?",
    reconcile: "POST+ /v1/scim/directories/:/reconcile",
    listHolds: "GET* /v1/scim/directories/:/holds ?",
    getHold: "GET /v1/scim/directories/:/holds/:",
    listHeldUsers: "GET* /v1/scim/directories/:/holds/:/users ?",
    approveHold: "POST+ /v1/scim/directories/:/holds/:/approve",
    rejectHold: "POST+ /v1/scim/directories/:/holds/:/reject"
  },
  webhooks: {
    listDeliveries: "GET* /v1/webhook-deliveries ?",
    getDelivery: "GET> /v1/webhook-deliveries/:",
    redeliver: "POST+> /v1/webhook-deliveries/:/redeliver"
  },
  workers: {
    create: "POST+{ /v1/workers",
    list: "GET* /v1/workers ?",
    get: "GET /v1/workers/:",
    update: "PATCH{ /v1/workers/:",
    remove: "DELETE /v1/workers/:",
    createToken: "POST+{ /v1/workers/:/tokens",
    listTokens: "GET* /v1/workers/:/tokens ?",
    revokeToken: "DELETE /v1/workers/:/tokens/:",
    getRuntime: "GET /v1/workers/:/runtime",
    upgradeRuntime: "POST+{ /v1/workers/:/runtime/upgrade",
    heartbeat: "POST{ /v1/workers/:/heartbeat",
    reportActivity: "POST{ /v1/workers/:/activity",
    listActivity: "GET* /v1/workers/:/activity ?"
  },
  ssoDomains: {
    create: "POST+{ /v1/sso/domains",
    list: "GET* /v1/sso/domains ?",
    get: "GET /v1/sso/domains/:",
    remove: "DELETE /v1/sso/domains/:",
    verify: "POST /v1/sso/verify-domain"
  }
} as const satisfies { readonly [G in keyof Operations]: { readonly [O in keyof Operations[G]]: string } }
