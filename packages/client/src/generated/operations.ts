// Written by `pnpm codegen`; change the contract instead.
import type { Call } from "../call.ts"
import type { EventStream } from "../event-stream.ts"
import type { List } from "../page.ts"
import type { RequestOptions } from "../transport.ts"
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
  AdoptConfiguration,
  Adoption,
  Analytics,
  ApiKey,
  ApiKeyWithSecret,
  ApplyConfiguration,
  ApplyDiscovery,
  ApprovalSettings,
  ApproveConfigurationRun,
  ApprovePluginReleases,
  ArchiveFormat,
  Assignment,
  AssignmentId,
  AssignmentMode,
  AssignmentSimulation,
  AttachPlugin,
  AttentionCount,
  AttentionItem,
  AttentionKind,
  AttentionSeverity,
  AuditCheckpoint,
  AuditEvent,
  AuditEventId,
  AuditVerification,
  AutoImport,
  BootstrapWorkspace,
  CalendarEvent,
  CallMcpTool,
  CallerPermissions,
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
  ConfigurationAdoption,
  ConfigurationDocument,
  ConfigurationPlan,
  ConfigurationRun,
  ConfigurationRunDetails,
  ConfigurationRunId,
  ConfigurationRunStatus,
  ConfigurationSource,
  ConnectorAccount,
  ConnectorAccountId,
  ConnectorConfiguration,
  ConnectorInstance,
  ConnectorInstanceAccessGrantId,
  ConnectorInstanceGrant,
  ConnectorInstanceId,
  ConnectorMapping,
  ConnectorMappingId,
  ConnectorMappingImpact,
  ConnectorPlan,
  ConnectorRollbackPlan,
  ConnectorSyncEvent,
  ConnectorSyncEventId,
  ConnectorTarget,
  ConnectorTargetId,
  CreateApiKey,
  CreateAssignment,
  CreateConfigObject,
  CreateConfigObjectVersion,
  CreateConnectorAccount,
  CreateConnectorInstance,
  CreateConnectorMapping,
  CreateConnectorTarget,
  CreateDesktopPolicy,
  CreateDomain,
  CreateEventStream,
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
  CreateRollout,
  CreateScimDirectory,
  CreateTeam,
  CreateTemplate,
  CreateTemplateVersion,
  CreateWebhookEndpoint,
  CreateWorker,
  CreateWorkerToken,
  CreateWorkspace,
  CurrentUser,
  DecideMcpReview,
  DeliveryExplanation,
  DeliveryFailure,
  DeliveryHistory,
  DeliveryModeSetting,
  DeliveryStatus,
  DeliveryUsage,
  DesiredState,
  DesktopPolicy,
  DesktopPolicyId,
  DesktopPolicySimulation,
  Device,
  DeviceDetails,
  DeviceId,
  DevicePlatform,
  DeviceReport,
  DeviceReportResult,
  Discovery,
  Domain,
  DomainId,
  EffectiveAssignment,
  EffectiveDesktopPolicyResponse,
  EmailChallenge,
  EnforceSso,
  EventCheckpoint,
  EventStreamId,
  EventStreamTest,
  EventTypeInfo,
  ExchangeSession,
  ExplainAccess,
  ExternalMCPConnectionId,
  Health,
  IngestTelemetry,
  InstallState,
  InstantiateTemplate,
  Invitation,
  InvitationBatch,
  InvitationBatchResult,
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
  McpConnectionStatus,
  McpResolution,
  McpReview,
  McpTool,
  McpToolCall,
  McpToolPolicy,
  Member,
  MemberBatch,
  MemberBatchResult,
  MemberDeliveryStatus,
  MemberDesiredState,
  MemberImpact,
  Memory,
  MemorySearchResult,
  NewSession,
  NotReady,
  ObjectType,
  Organization,
  OrganizationEvent,
  OrganizationEventStream,
  OrganizationId,
  OrganizationMembershipId,
  OrganizationStorage,
  PauseRollout,
  PermissionEntry,
  PlanConfiguration,
  PlatformOrganization,
  PlatformUser,
  Plugin,
  PluginAccessGrantId,
  PluginCapabilities,
  PluginGrant,
  PluginId,
  PluginMembership,
  PluginPlacement,
  PluginRelease,
  PluginReleaseCapabilities,
  PluginReleaseDetails,
  PluginReleaseId,
  PreviewRollout,
  PromoteRollout,
  PutOidc,
  PutSaml,
  Ready,
  RedeliverEvents,
  RejectConfigurationRun,
  RejectPluginReleases,
  ReleaseRollout,
  ReleaseWithdrawal,
  ReportWorkerActivity,
  ResolveMcp,
  ResolvedMarketplace,
  ResumeWebhookEndpoint,
  Role,
  RoleId,
  RollBackRollout,
  RollbackConnector,
  Rollout,
  RolloutDetails,
  RolloutId,
  RolloutPreview,
  RolloutSettings,
  RolloutState,
  RotateApiKey,
  RotateScimToken,
  RotateWebhookSecret,
  SCIMDirectoryId,
  SCIMGroupId,
  SCIMHoldId,
  SCIMTokenId,
  SaveMemory,
  ScheduleRollout,
  ScimDecision,
  ScimDirectory,
  ScimGroup,
  ScimHeldUser,
  ScimHold,
  ScimLogEntry,
  ScimReconciliation,
  SearchKind,
  SearchResult,
  SeenDimension,
  SeenDimensionType,
  ServerVersion,
  Session,
  SessionId,
  SetActiveOrganization,
  SetAutoImport,
  SetConfigurationSource,
  SetConnectorCredential,
  SetLlmCredential,
  SetMcpApiKey,
  SetPluginChoice,
  SetScimGroupRole,
  SetupConnector,
  SigningKey,
  SimulateAssignments,
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
  TeamDeliveryStatus,
  TeamId,
  TeamImpact,
  TelemetryDescription,
  TelemetryLedgerEntry,
  Template,
  TemplateDiff,
  TemplateId,
  TemplateInstance,
  TemplateInstantiation,
  TemplatePreview,
  TemplateVersion,
  TemplateVersionId,
  TemplateVersionSummary,
  TestSso,
  Timestamp,
  TransferOwnership,
  TreeEntry,
  UpdateApiKey,
  UpdateApprovalSettings,
  UpdateAssignment,
  UpdateCalendarEvent,
  UpdateConnectorInstance,
  UpdateConnectorMapping,
  UpdateConnectorTarget,
  UpdateDesktopPolicy,
  UpdateEventStream,
  UpdateLlmProvider,
  UpdateMarketplace,
  UpdateMcpConnection,
  UpdateMember,
  UpdateOrganization,
  UpdatePlan,
  UpdatePlugin,
  UpdateRole,
  UpdateRolloutSettings,
  UpdateTeam,
  UpdateTemplate,
  UpdateUser,
  UpdateWebhookEndpoint,
  UpdateWorker,
  User,
  UserOrganization,
  VerifyEmailSignIn,
  VersionDiff,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryId,
  WebhookEndpoint,
  WebhookEndpointId,
  WebhookEndpointWithSecret,
  WebhookEvent,
  WebhookMessage,
  WebhookMessageDetails,
  WebhookMessageId,
  WholeMemory,
  WithdrawRelease,
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

/** Input of `system.docs`. */
export interface SystemDocsInput {
  /** The group whose operations are shown in full, such as `plugins`. Default: a list of all operations. */
  readonly group?: string | undefined
}

/** Input of `sessions.list`. */
export interface SessionsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
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
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `users.desktopPolicy`. */
export interface UsersDesktopPolicyInput {
  /** If `true`, the response explains which policy won for each setting and why the others lost. Default: `false`. */
  readonly explain?: boolean | undefined
}

/** Input of `users.library`. */
export interface UsersLibraryInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only items of this kind. */
  readonly kind?: "plugin" | "configObject" | undefined
}

/** Input of `members.list`. */
export interface MembersListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name or email address. Case-insensitive. */
  readonly q?: string | undefined
  /** Only members with this role: `owner`, `admin`, `member`, or the id of a custom role. */
  readonly role?: string | undefined
  /** Only members of this team. */
  readonly teamId?: TeamId | undefined
}

/** Input of `members.remove`. */
export interface MembersRemoveInput {
  /** `true` also revokes the API keys that the member created. Default: `false`. */
  readonly revokeKeys?: boolean | undefined
}

/** Input of `invitations.list`. */
export interface InvitationsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the email address. Case-insensitive. */
  readonly q?: string | undefined
  /** Only invitations with this status. */
  readonly status?: InvitationStatus | undefined
}

/** Input of `roles.list`. */
export interface RolesListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `teams.list`. */
export interface TeamsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
  /** Only teams that this member is in. */
  readonly orgMembershipId?: OrganizationMembershipId | undefined
}

/** Input of `teams.listMembers`. */
export interface TeamsListMembersInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `apiKeys.list`. */
export interface ApiKeysListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name or the hint. Case-insensitive. */
  readonly q?: string | undefined
  /** `true`: only revoked keys. `false`: only keys that are not revoked. Default: `false`. */
  readonly revoked?: boolean | undefined
}

/** Input of `audit.list`. */
export interface AuditListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only events with this action. Accepts the current name, such as `api_key.create`, and the older stored name, such as `apiKey.create`. */
  readonly action?: string | undefined
  /** Only events with this `actorId`. */
  readonly actorId?: string | undefined
  /** Only events that affected the resource with this id. */
  readonly targetId?: string | undefined
  /** Only events at or after this time. */
  readonly since?: string | undefined
  /** Only events before this time. */
  readonly until?: string | undefined
  /** Return events in ascending order, starting after this event. Use it to follow new events. */
  readonly after?: AuditEventId | undefined
}

/** Input of `audit.export`. */
export interface AuditExportInput {
  /** Only events with this action. Accepts the current name, such as `api_key.create`, and the older stored name, such as `apiKey.create`. */
  readonly action?: string | undefined
  /** Only events with this `actorId`. */
  readonly actorId?: string | undefined
  /** Only events that affected the resource with this id. */
  readonly targetId?: string | undefined
  /** Only events at or after this time. */
  readonly since?: string | undefined
  /** Only events before this time. */
  readonly until?: string | undefined
  /** The format of the export. Default: `ndjson`. */
  readonly format?: "ndjson" | "csv" | undefined
}

/** Input of `audit.verify`. */
export interface AuditVerifyInput {
  /** The sequence number of a checkpoint that you stored elsewhere. Requires `hash`. */
  readonly sequence?: number | undefined
  /** The hash of that checkpoint, in hex. */
  readonly hash?: string | undefined
}

/** Input of `audit.checkpoints`. */
export interface AuditCheckpointsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `events.list`. */
export interface EventsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only these types, separated by commas, at most 50. A prefix with an asterisk selects all types of a resource: `plugin.*`. */
  readonly types?: string | undefined
  /** Only events of this actor. */
  readonly actorId?: string | undefined
  /** Only events about this object. */
  readonly objectId?: string | undefined
  /** Only events at or after this time. */
  readonly since?: string | undefined
  /** Only events before this time. */
  readonly until?: string | undefined
  /** Only events after this sequence number, oldest first. Default: the newest events, newest first. */
  readonly after?: number | undefined
}

/** Input of `events.stream`. */
export interface EventsStreamInput {
  /** Only these types, separated by commas, at most 50. A prefix with an asterisk selects all types of a resource: `plugin.*`. */
  readonly types?: string | undefined
  /** Only events of this actor. */
  readonly actorId?: string | undefined
  /** Only events about this object. */
  readonly objectId?: string | undefined
  /** Starts after this sequence number. Default: only events that happen later. */
  readonly after?: number | undefined
}

/** Input of `events.checkpoints`. */
export interface EventsCheckpointsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `webhookEndpoints.list`. */
export interface WebhookEndpointsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name or the URL. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `webhookEndpoints.listMessages`. */
export interface WebhookEndpointsListMessagesInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only this state. */
  readonly state?: "pending" | "delivered" | "failed" | "skipped" | undefined
}

/** Input of `eventStreams.list`. */
export interface EventStreamsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `configuration.export`. */
export interface ConfigurationExportInput {
  /** Only these kinds, separated by commas: `organization,teams`. Default: all kinds. */
  readonly kinds?: string | undefined
}

/** Input of `configurationRuns.list`. */
export interface ConfigurationRunsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only runs with this status. */
  readonly status?: ConfigurationRunStatus | undefined
}

/** Input of `connectors.listInstances`. */
export interface ConnectorsListInstancesInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
  /** `true` includes archived instances. Default: `false`. */
  readonly archived?: boolean | undefined
}

/** Input of `connectors.sync`. */
export interface ConnectorsSyncInput {
  /** The branch to use, if the instance has more than one. Default: the first branch. */
  readonly connectorTargetId?: ConnectorTargetId | undefined
}

/** Input of `connectors.listSyncEvents`. */
export interface ConnectorsListSyncEventsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only syncs with this status. */
  readonly status?: SyncStatus | undefined
}

/** Input of `connectors.discovery`. */
export interface ConnectorsDiscoveryInput {
  /** The branch to use, if the instance has more than one. Default: the first branch. */
  readonly connectorTargetId?: ConnectorTargetId | undefined
}

/** Input of `connectors.tree`. */
export interface ConnectorsTreeInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of entries. Default: 200. */
  readonly limit?: number | undefined
  /** Only paths that start with this prefix. */
  readonly prefix?: string | undefined
  /** The branch to use, if the instance has more than one. Default: the first branch. */
  readonly connectorTargetId?: ConnectorTargetId | undefined
}

/** Input of `connectors.apply`. */
export interface ConnectorsApplyInput extends ApplyDiscovery {
  /** Whether to wait for the sync. `0` returns immediately. Default: `1`, which waits up to 20 seconds. */
  readonly wait?: "0" | "1" | undefined
}

/** Input of `connectors.listAccess`. */
export interface ConnectorsListAccessInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `connectors.listTargets`. */
export interface ConnectorsListTargetsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `connectors.listMappings`. */
export interface ConnectorsListMappingsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only mappings of this kind. */
  readonly mappingKind?: MappingKind | undefined
  /** Only mappings to config objects of this type. */
  readonly objectType?: ObjectType | undefined
  /** Only mappings that add config objects to this plugin. */
  readonly pluginId?: PluginId | undefined
  /** Filter by part of the selector. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `connectors.plan`. */
export interface ConnectorsPlanInput extends ApplyDiscovery {
  /** Signal rules to turn off, separated by commas. Rules: `secret_in_file`, `invisible_unicode`, `bidirectional_control`, `encoded_shell`, `download_to_shell`, `look_alike_name`, `changed_host`, `hidden_instructions`. Default: none. */
  readonly disabledRules?: string | undefined
}

/** Input of `connectors.listAccounts`. */
export interface ConnectorsListAccountsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name or the remote ID. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `connectors.listRepositories`. */
export interface ConnectorsListRepositoriesInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `connectors.listBranches`. */
export interface ConnectorsListBranchesInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** The repository's id on the code host. */
  readonly remoteId: string
}

/** Input of `configObjects.list`. */
export interface ConfigObjectsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only config objects of this type. */
  readonly type?: ObjectType | undefined
  /** Only config objects in this plugin. */
  readonly pluginId?: PluginId | undefined
  /** Only config objects imported through this connector instance. */
  readonly connectorInstanceId?: ConnectorInstanceId | undefined
  /** Filter by part of the title. Case-insensitive. */
  readonly q?: string | undefined
  /** `true` includes archived config objects. Default: `false`. */
  readonly archived?: boolean | undefined
}

/** Input of `configObjects.listVersions`. */
export interface ConfigObjectsListVersionsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `configObjects.listAccess`. */
export interface ConfigObjectsListAccessInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `configObjects.diffVersions`. */
export interface ConfigObjectsDiffVersionsInput {
  /** The version to compare with. Default: the previous version. */
  readonly against?: ConfigObjectVersionId | undefined
  /** Signal rules to turn off, separated by commas. Rules: `secret_in_file`, `invisible_unicode`, `bidirectional_control`, `encoded_shell`, `download_to_shell`, `look_alike_name`, `changed_host`, `hidden_instructions`. Default: none. */
  readonly disabledRules?: string | undefined
}

/** Input of `plugins.list`. */
export interface PluginsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only plugins in this marketplace. */
  readonly marketplaceId?: MarketplaceId | undefined
  /** Only plugins that contain this config object. For plugins of which the caller reads only the served release, that release must also contain the config object. */
  readonly configObjectId?: ConfigObjectId | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
  /** `true` includes archived plugins. Default: `false`. */
  readonly archived?: boolean | undefined
}

/** Input of `plugins.capabilities`. */
export interface PluginsCapabilitiesInput {
  /** Signal rules to turn off, separated by commas. Rules: `secret_in_file`, `invisible_unicode`, `bidirectional_control`, `encoded_shell`, `download_to_shell`, `look_alike_name`, `changed_host`, `hidden_instructions`. Default: none. */
  readonly disabledRules?: string | undefined
}

/** Input of `plugins.listObjects`. */
export interface PluginsListObjectsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `plugins.listAccess`. */
export interface PluginsListAccessInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `plugins.download`. */
export interface PluginsDownloadInput {
  /** The archive format. Default: `tar.gz`. */
  readonly format?: ArchiveFormat | undefined
}

/** Input of `plugins.downloadLinked`. */
export interface PluginsDownloadLinkedInput {
  /** The archive format. Default: `tar.gz`. */
  readonly format?: ArchiveFormat | undefined
  /** The id of the organization. */
  readonly organizationId: OrganizationId
  /** The member or API key that received the link. The link is valid only while they can see the plugin. */
  readonly holder: OrganizationMembershipId | APIKeyId
  /** The digest of the archive for which the link was created. */
  readonly sha256: string
  /** When the link expires, as a Unix timestamp in seconds. */
  readonly expires: string
  readonly signature: string
}

/** Input of `marketplaces.list`. */
export interface MarketplacesListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
  /** `true` includes archived marketplaces. Default: `false`. */
  readonly archived?: boolean | undefined
}

/** Input of `marketplaces.listPlugins`. */
export interface MarketplacesListPluginsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `marketplaces.listAccess`. */
export interface MarketplacesListAccessInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `marketplaces.manifest`. */
export interface MarketplacesManifestInput {
  /** The format of the linked archives. Default: `zip`. */
  readonly format?: ArchiveFormat | undefined
}

/** Input of `marketplaces.listLinks`. */
export interface MarketplacesListLinksInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `approvals.list`. */
export interface ApprovalsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the plugin's name in the release. Case-insensitive. */
  readonly q?: string | undefined
  /** Only releases with this state. `all` returns releases in every state. Default: `pending`. */
  readonly state?: "pending" | "approved" | "rejected" | "superseded" | "all" | undefined
  /** Only releases of this plugin. */
  readonly pluginId?: PluginId | undefined
}

/** Input of `approvals.capabilities`. */
export interface ApprovalsCapabilitiesInput {
  /** Signal rules to turn off, separated by commas. Rules: `secret_in_file`, `invisible_unicode`, `bidirectional_control`, `encoded_shell`, `download_to_shell`, `look_alike_name`, `changed_host`, `hidden_instructions`. Default: none. */
  readonly disabledRules?: string | undefined
}

/** Input of `assignments.list`. */
export interface AssignmentsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name of the plugin or marketplace. Case-insensitive. Finds only names that the caller can read. */
  readonly q?: string | undefined
  /** Only assignments of this plugin, without those of its marketplaces. */
  readonly pluginId?: PluginId | undefined
  /** Only assignments of this marketplace. */
  readonly marketplaceId?: MarketplaceId | undefined
  /** `required`: the plugin is on, and members cannot turn it off. `default_on`: it is on, and members may turn it off. `available`: it is off, and members may turn it on. `blocked`: members cannot use it. */
  readonly mode?: AssignmentMode | undefined
}

/** Input of `assignments.effective`. */
export interface AssignmentsEffectiveInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only this plugin. */
  readonly pluginId?: PluginId | undefined
  /** If `true`, the response explains which assignment won for each plugin and why the others lost. Default: `false`. */
  readonly explain?: boolean | undefined
}

/** Input of `assignments.own`. */
export interface AssignmentsOwnInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only this plugin. */
  readonly pluginId?: PluginId | undefined
  /** If `true`, the response explains which assignment won for each plugin and why the others lost. Default: `false`. */
  readonly explain?: boolean | undefined
}

/** Input of `delivery.status`. */
export interface DeliveryStatusInput {
  /** Only installations of this plugin. */
  readonly pluginId?: PluginId | undefined
  /** Only installations that should have this release. */
  readonly digest?: string | undefined
  /** Only members of this team. */
  readonly teamId?: TeamId | undefined
  /** Only this member. */
  readonly orgMembershipId?: OrganizationMembershipId | undefined
}

/** Input of `delivery.listTeams`. */
export interface DeliveryListTeamsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only installations of this plugin. */
  readonly pluginId?: PluginId | undefined
  /** Only installations that should have this release. */
  readonly digest?: string | undefined
}

/** Input of `delivery.listMembers`. */
export interface DeliveryListMembersInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only installations of this plugin. */
  readonly pluginId?: PluginId | undefined
  /** Only installations that should have this release. */
  readonly digest?: string | undefined
  /** Only members of this team. */
  readonly teamId?: TeamId | undefined
  /** Only this member. */
  readonly orgMembershipId?: OrganizationMembershipId | undefined
  /** Only members with an installation in this state. */
  readonly state?: InstallState | undefined
}

/** Input of `delivery.listDevices`. */
export interface DeliveryListDevicesInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only installations of this plugin. */
  readonly pluginId?: PluginId | undefined
  /** Only installations that should have this release. */
  readonly digest?: string | undefined
  /** Only members of this team. */
  readonly teamId?: TeamId | undefined
  /** Only this member. */
  readonly orgMembershipId?: OrganizationMembershipId | undefined
  /** Only devices with an installation in this state. */
  readonly state?: InstallState | undefined
  /** Only devices with an installation that failed for this reason. */
  readonly failure?: DeliveryFailure | undefined
  /** Only devices with this agent. */
  readonly agent?: string | undefined
  readonly platform?: DevicePlatform | undefined
}

/** Input of `delivery.history`. */
export interface DeliveryHistoryInput {
  /** The first UTC date. Default: 29 days before `to`. */
  readonly from?: string | undefined
  /** The last UTC date, inclusive. Default: today. */
  readonly to?: string | undefined
  /** Only installations of this plugin. */
  readonly pluginId?: PluginId | undefined
  /** Only installations that should have this release. */
  readonly digest?: string | undefined
}

/** Input of `delivery.usage`. */
export interface DeliveryUsageInput {
  /** The first UTC date. Default: 29 days before `to`. */
  readonly from?: string | undefined
  /** The last UTC date, inclusive. Default: today. */
  readonly to?: string | undefined
  /** Only installations of this plugin. */
  readonly pluginId?: PluginId | undefined
}

/** Input of `rollouts.list`. */
export interface RolloutsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the plugin's name in the release. Case-insensitive. */
  readonly q?: string | undefined
  /** `scheduled`: no ring has started yet. `active`: at least one ring has the release. `paused`: rings that have the release keep it, and no further ring starts. `completed`: all members receive it, except members with a pinned release. `rolled_back`: all members receive the previous release again. `superseded`: another release of the plugin was rolled out or served. `cancelled`: the release was withdrawn, no release of the plugin is served, the plugin was removed, or its delivery mode became `auto`. */
  readonly state?: RolloutState | undefined
  /** Only rollouts of this plugin. */
  readonly pluginId?: PluginId | undefined
}

/** Input of `desktopPolicies.list`. */
export interface DesktopPoliciesListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `desktopPolicies.effective`. */
export interface DesktopPoliciesEffectiveInput {
  /** If `true`, the response explains which policy won for each setting and why the others lost. Default: `false`. */
  readonly explain?: boolean | undefined
}

/** Input of `templates.list`. */
export interface TemplatesListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `templates.listVersions`. */
export interface TemplatesListVersionsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `templates.diffVersions`. */
export interface TemplatesDiffVersionsInput {
  /** The version to compare with. Default: the previous version. */
  readonly against?: TemplateVersionId | undefined
}

/** Input of `templates.listInstances`. */
export interface TemplatesListInstancesInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `mcpConnections.list`. */
export interface McpConnectionsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name or of the URL. Case-insensitive. */
  readonly q?: string | undefined
  /** Only connections to the server with this URL. A trailing slash is ignored. */
  readonly url?: string | undefined
  /** Only connections with this status for the caller. */
  readonly status?: McpConnectionStatus | undefined
}

/** Input of `mcpConnections.listAccess`. */
export interface McpConnectionsListAccessInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `mcpConnections.listTools`. */
export interface McpConnectionsListToolsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** If `true`, contacts the server now. Default: `false`. */
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
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name, id or host. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `llmProviders.list`. */
export interface LlmProvidersListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `llmProviders.listAccess`. */
export interface LlmProvidersListAccessInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `llmProviders.listCatalog`. */
export interface LlmProvidersListCatalogInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of an id or name. Case-insensitive. */
  readonly q?: string | undefined
  /** Only models of this provider. */
  readonly providerId?: string | undefined
  /** Only models with this capability. */
  readonly capability?: LlmCapability | undefined
}

/** Input of `llmProviders.listCatalogProviders`. */
export interface LlmProvidersListCatalogProvidersInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of an id or name. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `capabilities.listConnections`. */
export interface CapabilitiesListConnectionsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
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
  /** A question or search terms, in any script. Typos are tolerated. */
  readonly q: string
  /** Maximum number of results. Default: 20. */
  readonly limit?: number | undefined
  /** `all` includes every organization that the user is currently a member of, except those where SSO is enforced for the user; it requires a session that was created with an email code. Default: `current`. */
  readonly organization?: "current" | "all" | undefined
  /** Only memories with this tag. Case-insensitive. */
  readonly tag?: string | undefined
}

/** Input of `memory.export`. */
export interface MemoryExportInput {
  /** `all` includes every organization that the user is currently a member of, except those where SSO is enforced for the user; it requires a session that was created with an email code. Default: `current`. */
  readonly organization?: "current" | "all" | undefined
}

/** Input of `memory.list`. */
export interface MemoryListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** `all` includes every organization that the user is currently a member of, except those where SSO is enforced for the user; it requires a session that was created with an email code. Default: `current`. */
  readonly organization?: "current" | "all" | undefined
  /** Only memories with this tag. Case-insensitive. */
  readonly tag?: string | undefined
}

/** Input of `telemetry.ledger`. */
export interface TelemetryLedgerInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only the batch with this request id. */
  readonly requestId?: string | undefined
}

/** Input of `telemetry.dimensions`. */
export interface TelemetryDimensionsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only dimensions of this type. */
  readonly type?: string | undefined
  /** Filter by part of the value or label. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `telemetry.adoption`. */
export interface TelemetryAdoptionInput {
  /** The first UTC date. Default: 29 days before `to`. */
  readonly from?: string | undefined
  /** The last UTC date, inclusive. Default: today. */
  readonly to?: string | undefined
  /** The length of each step. Weeks start on Monday. Default: `day`. */
  readonly interval?: "day" | "week" | undefined
  /** Only events from this source. */
  readonly source?: "app" | "worker" | undefined
  /** Only current members of this team. */
  readonly teamId?: TeamId | undefined
  /** Also returns the number of members who use each value of this dimension, such as `skill` or `model`. */
  readonly dimensionType?: string | undefined
}

/** Input of `telemetry.analytics`. */
export interface TelemetryAnalyticsInput {
  /** What to measure. The percentiles `durationP50` (the median) and `durationP95` are accurate to within 4%. Default: `events`. */
  readonly measure?: "events" | "users" | "tasksStarted" | "tasksCompleted" | "tasksFailed" | "taskSuccessRate" | "successRate" | "durationSum" | "durationAverage" | "durationP50" | "durationP95" | undefined
  /** The field to group by: `type`, `source`, `team`, `member`, or `dimension:<type>`. */
  readonly groupBy?: string | undefined
  /** The length of each step. Weeks start on Monday. Default: `day`. */
  readonly interval?: "day" | "week" | undefined
  /** The first UTC date. Default: 29 days before `to`. */
  readonly from?: string | undefined
  /** The last UTC date, inclusive. Default: today. */
  readonly to?: string | undefined
  /** Only events of this type. */
  readonly type?: string | undefined
  /** Only events from this source. */
  readonly source?: "app" | "worker" | undefined
  /** Only events of current members of this team. */
  readonly teamId?: TeamId | undefined
  /** Only events of this member, including a former member. */
  readonly orgMembershipId?: OrganizationMembershipId | undefined
  /** Only events with this dimension. Requires `dimensionValue`. */
  readonly dimensionType?: string | undefined
  /** Only events with this value. Requires `dimensionType`. */
  readonly dimensionValue?: string | undefined
  /** Maximum number of groups, largest first. Default: 10. */
  readonly top?: number | undefined
}

/** Input of `attention.list`. */
export interface AttentionListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only items of this kind. */
  readonly kind?: AttentionKind | undefined
  /** Only items with this severity. */
  readonly severity?: AttentionSeverity | undefined
}

/** Input of `search.objects`. */
export interface SearchObjectsInput {
  /** Part of a name or title, or of the email address of a member. Case-insensitive. */
  readonly q: string
  /** Only objects of this kind. */
  readonly kind?: SearchKind | undefined
  /** Maximum number of objects of each kind. Default: 5. */
  readonly limit?: number | undefined
}

/** Input of `admin.listPlatformUsers`. */
export interface AdminListPlatformUsersInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of a name or email address. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `admin.listPlatformOrganizations`. */
export interface AdminListPlatformOrganizationsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `scim.listDirectories`. */
export interface ScimListDirectoriesInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
}

/** Input of `scim.removeDirectory`. */
export interface ScimRemoveDirectoryInput {
  /** Whether the members that the directory provisioned are kept (`keep`) or removed (`end`). Default: `keep`. */
  readonly members?: "keep" | "end" | undefined
}

/** Input of `scim.listGroups`. */
export interface ScimListGroupsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `scim.log`. */
export interface ScimLogInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only requests with this decision. */
  readonly decision?: ScimDecision | undefined
  /** Only requests for the SCIM user or group with this id. */
  readonly resourceId?: string | undefined
  /** If `true`, excludes read-only requests. Default: `false`. */
  readonly changesOnly?: boolean | undefined
}

/** Input of `scim.listHolds`. */
export interface ScimListHoldsInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `scim.listHeldUsers`. */
export interface ScimListHeldUsersInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `webhooks.listDeliveries`. */
export interface WebhooksListDeliveriesInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Only deliveries of this event. */
  readonly event?: WebhookEvent | undefined
  /** Only deliveries with this status. */
  readonly status?: "accepted" | "ignored" | undefined
}

/** Input of `workers.list`. */
export interface WorkersListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
  /** Filter by part of the name. Case-insensitive. */
  readonly q?: string | undefined
  /** `true`: only the caller's own workers. `false`: only the workers of others. */
  readonly mine?: boolean | undefined
  /** Only workers with this status. */
  readonly status?: WorkerStatus | undefined
  /** `local`: the member starts it with the worker's own token. `cloud`: this server's provisioner starts it. */
  readonly destination?: WorkerDestination | undefined
}

/** Input of `workers.listTokens`. */
export interface WorkersListTokensInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `workers.listActivity`. */
export interface WorkersListActivityInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Input of `ssoDomains.list`. */
export interface SsoDomainsListInput {
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Maximum number of items to return. Default: 50. */
  readonly limit?: number | undefined
}

/** Health, readiness, version and API documents. */
export interface SystemOperations {
  /**
   * Check that the process responds.
   *
   * Does not access the database.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.system.health()
   * ```
   */
  health(options?: RequestOptions): Call<Health>

  /**
   * Check that the process is alive.
   *
   * For liveness probes. Does not access the database, so an unavailable database does not restart the process.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.system.live()
   * ```
   */
  live(options?: RequestOptions): Call<Health>

  /**
   * Check that the service is ready.
   *
   * Checks that the database is reachable and writable, and checks the queue and the disk. Returns 503 when a check fails, and while the server shuts down. With the operator's `ORGPLANE_METRICS_TOKEN` as bearer token, the response contains the details of each check.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.system.ready()
   * ```
   */
  ready(options?: RequestOptions): Call<Ready | NotReady>

  /**
   * Get the versions of the server, the API and the database.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.system.version()
   * ```
   */
  version(options?: RequestOptions): Call<ServerVersion>

  /**
   * List the public signing keys.
   *
   * The keys that verify this installation's signatures, newest first.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.system.keys()
   * ```
   */
  keys(options?: RequestOptions): Call<{
    readonly keys: ReadonlyArray<SigningKey>
  }>

  /**
   * Get the OpenAPI 3.1 document.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.system.openapi()
   * ```
   */
  openapi(options?: RequestOptions): Call<JsonObject>

  /**
   * Get a page of the API reference as HTML.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.system.docs()
   * ```
   */
  docs(input?: SystemDocsInput, options?: RequestOptions): Call<string>
}

/** Create a workspace without an account, and claim it later. */
export interface BootstrapOperations {
  /**
   * Create an unclaimed workspace.
   *
   * Returns a session and links to claim the workspace. An unclaimed workspace can have one connector instance, cannot have API keys or send email, and is deleted after 24 hours unless an owner claims it. Limit: 5 per hour per source IP address.
   *
   * Requires no credential. Fails with `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.bootstrap.workspace({ workspaceName: "Acme" })
   * ```
   */
  workspace(input: CreateWorkspace, options?: RequestOptions): Call<BootstrapWorkspace>

  /**
   * Preview a claim link.
   *
   * Returns the organization and the role that the link grants. The link can still be used afterward.
   *
   * Requires no credential. Fails with `claim_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.bootstrap.previewClaim({ token: "opc_ExampleOnly00000000000000000000000000000000000000" })
   * ```
   */
  previewClaim(input: ClaimToken, options?: RequestOptions): Call<ClaimPreview>

  /**
   * Accept a claim link.
   *
   * Adds the caller to the workspace. Requires a verified email address. If the link is restricted to an email address, the caller's address must match it. The first owner's claim makes the workspace permanent, ends the session of the agent that created it, and invalidates the other owner links. `keepAgent` creates an API key that replaces the agent's session.
   *
   * Fails with `claim_not_found`, `member_exists`.
   *
   * @example
   * ```ts
   * await orgplane.bootstrap.acceptClaim({
   *   token: "opc_ExampleOnly00000000000000000000000000000000000000",
   *   keepAgent: { permissions: [] }
   * })
   * ```
   */
  acceptClaim(input: AcceptClaim, options?: RequestOptions): Call<AcceptedClaim>
}

/** Sign in, and manage the caller's sessions. */
export interface SessionsOperations {
  /**
   * Send a sign-in code by email.
   *
   * The response is the same for known and unknown email addresses. The code is valid for ten minutes and five attempts. Limits per hour: 5 requests per combination of source IP address and email address, 60 per source IP address, and 20 per email address.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.sessions.startEmail({ email: "ada@acme.example" })
   * ```
   */
  startEmail(input: StartEmailSignIn, options?: RequestOptions): Call<EmailChallenge>

  /**
   * Sign in with an email code.
   *
   * On first sign-in, creates the user, who does not belong to an organization yet. If the code is incorrect, already used or expired, returns 400 with a detail for `body.code`.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.sessions.verifyEmail({ challengeId: "ExampleChallenge00000000", code: "ABCD2345" })
   * ```
   */
  verifyEmail(input: VerifyEmailSignIn, options?: RequestOptions): Call<{
    readonly session: NewSession
    readonly user: User
  }>

  /**
   * Create a session for a member.
   *
   * Intended for host applications, which authenticate with an API key. The session is valid for at most an hour and cannot read or manage API keys, roles, SSO, SCIM, other sessions, members or invitations.
   *
   * Requires the permission `sessions:mint`.
   *
   * @example
   * ```ts
   * await orgplane.sessions.exchange({ orgMembershipId: "om_01kf0x5me8e6razepq180mhf01" })
   * ```
   */
  exchange(input?: ExchangeSession, options?: RequestOptions): Call<NewSession>

  /**
   * List the caller's sessions.
   *
   * Returns the sessions that are still valid.
   *
   * @example
   * ```ts
   * await orgplane.sessions.list().take(20)
   * ```
   */
  list(input?: SessionsListInput, options?: RequestOptions): List<Session>

  /**
   * Sign out.
   *
   * Revokes the session that made this request.
   *
   * @example
   * ```ts
   * await orgplane.sessions.revokeCurrent()
   * ```
   */
  revokeCurrent(options?: RequestOptions): Call<undefined>

  /**
   * Revoke one of the caller's sessions.
   *
   * Fails with `session_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.sessions.revoke("ses_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  revoke(sessionId: SessionId, options?: RequestOptions): Call<undefined>
}

/** Single sign-on through the organization's identity provider. */
export interface SsoOperations {
  /**
   * Get the SSO connection.
   *
   * Requires the permission `sso:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `sso_connection_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.sso.get()
   * ```
   */
  get(options?: RequestOptions): Call<SsoConnection>

  /**
   * Get the values to configure in the identity provider.
   *
   * Available before a connection exists. The values belong to the organization: they stay the same when the connection is changed or recreated.
   *
   * Requires the permission `sso:read`.
   *
   * @example
   * ```ts
   * await orgplane.sso.serviceProvider()
   * ```
   */
  serviceProvider(options?: RequestOptions): Call<SsoServiceProvider>

  /**
   * Remove the SSO connection.
   *
   * Ends the sessions of everyone who signed in through it.
   *
   * Requires the permission `sso:manage`. Supports `ifMatch`. Fails with `sso_connection_not_found`, `sso_enforced`.
   *
   * @example
   * ```ts
   * await orgplane.sso.remove()
   * ```
   */
  remove(options?: RequestOptions): Call<undefined>

  /**
   * Set an OpenID Connect connection.
   *
   * After a change, SSO is disabled until the connection is tested and enabled again. Changing only the secret, scopes or JIT settings does not disable it. Changing the provider ends all sessions that were created through the previous provider, except the one making this request.
   *
   * Requires the permission `sso:write`. Requires a plan with `sso`. Supports `ifMatch`. Fails with `sso_enforced`, `sso_provider_failed`.
   *
   * @example
   * ```ts
   * await orgplane.sso.putOidc({
   *   issuer: "https://orgplane.example",
   *   clientId: "orgplane",
   *   clientSecret: "example-client-secret"
   * })
   * ```
   */
  putOidc(input: PutOidc, options?: RequestOptions): Call<SsoConnection>

  /**
   * Set a SAML 2.0 connection.
   *
   * After a change, SSO is disabled until the connection is tested and enabled again. Changing only certificates, attributes or JIT settings does not disable it, so you can rotate a certificate without interrupting sign-in. While SSO is enabled, only an owner can change certificates and attributes; while it is disabled, changing them clears the last test. Changing the provider ends all sessions that were created through the previous provider, except the one making this request.
   *
   * Requires the permission `sso:write`. Requires a plan with `sso`. Supports `ifMatch`. Fails with `sso_enforced`.
   *
   * @example
   * ```ts
   * await orgplane.sso.putSaml({
   *   idpEntityId: "https://idp.example",
   *   ssoUrl: "https://idp.example/sso",
   *   certificates: [
   *     "MIIDDzCCAfegAwIBAgIUN03B6L/0i14retbtPehaI059/n4wDQYJKoZIhvcNAQELBQAwFjEUMBIGA1UEAwwLaWRwLmV4YW1wbGUw…"
   *   ]
   * })
   * ```
   */
  putSaml(input?: PutSaml, options?: RequestOptions): Call<SsoConnection>

  /**
   * Test the SSO connection.
   *
   * Starts a sign-in that creates no session. `lastTest` contains the result. Not available to API keys.
   *
   * Requires the permission `sso:write`. Requires a plan with `sso`. Fails with `sso_connection_not_found`, `sso_provider_failed`.
   *
   * @example
   * ```ts
   * await orgplane.sso.test()
   * ```
   */
  test(input?: TestSso, options?: RequestOptions): Call<StartedSso>

  /**
   * Enable the SSO connection.
   *
   * The connection must have been tested successfully. Only owners can enable it, because the identity provider then authenticates every member, including owners.
   *
   * Only for owners with a session. Requires a plan with `sso`. Fails with `sso_connection_not_found`, `sso_not_tested`.
   *
   * @example
   * ```ts
   * await orgplane.sso.enable()
   * ```
   */
  enable(options?: RequestOptions): Call<SsoConnection>

  /**
   * Disable the SSO connection.
   *
   * Members can no longer sign in through it, and it is no longer enforced. Existing sessions continue.
   *
   * Requires the permission `sso:manage`. Fails with `sso_connection_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.sso.disable()
   * ```
   */
  disable(options?: RequestOptions): Call<SsoConnection>

  /**
   * Enforce single sign-on.
   *
   * Members who signed in another way are rejected, except the owners in `breakGlass`. Sessions created by an API key or the host application are not affected, and API keys continue to work.
   *
   * Only for owners with a session. Requires a plan with `sso`. Fails with `sso_connection_not_found`, `sso_not_enabled`.
   *
   * @example
   * ```ts
   * await orgplane.sso.enforce({ breakGlass: ["om_01kf0x5me8e6razepq180mhf01"] })
   * ```
   */
  enforce(input: EnforceSso, options?: RequestOptions): Call<SsoConnection>

  /**
   * Start a sign-in through an organization's identity provider.
   *
   * The sign-in must be completed within ten minutes.
   *
   * Requires no credential. Fails with `sso_connection_not_found`, `sso_provider_failed`.
   *
   * @example
   * ```ts
   * await orgplane.sso.start({
   *   organizationId: "org_01kf0x5me8e6razepq180mhf01",
   *   codeChallenge: "Example1-----------------------------------"
   * })
   * ```
   */
  start(input: StartSso, options?: RequestOptions): Call<StartedSso>

  /**
   * Complete a sign-in through an organization's identity provider.
   *
   * Returns a session that is valid for that organization only. If the code is incorrect, already used or expired, returns 400 with a detail for `body.code`.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.sso.complete({
   *   state: "Example1-----------------------------------",
   *   code: "ABCD2345",
   *   codeVerifier: "a verifier of the caller's, which has to have 43 characters"
   * })
   * ```
   */
  complete(input: CompleteSso, options?: RequestOptions): Call<{
    readonly session: NewSession
    readonly user: User
    readonly organizationId: OrganizationId
  }>

  /**
   * Receive the redirect from an OpenID Connect provider.
   *
   * Each organization has its own URL, so that a code from one provider cannot be used for another organization.
   */
  oidcCallback(organizationId: OrganizationId, input?: SsoOidcCallbackInput, options?: RequestOptions): Call<string | undefined>

  /**
   * Get the SAML metadata of an organization.
   *
   * Returns XML. The response is the same whether or not the organization exists.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.sso.samlMetadata("org_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  samlMetadata(organizationId: OrganizationId, options?: RequestOptions): Call<string>
}

/** The signed-in user, across organizations. */
export interface UsersOperations {
  /**
   * Get the signed-in user.
   *
   * @example
   * ```ts
   * await orgplane.users.get()
   * ```
   */
  get(options?: RequestOptions): Call<CurrentUser>

  /**
   * Update the signed-in user.
   *
   * Changes the name.
   *
   * @example
   * ```ts
   * await orgplane.users.update({ name: "Ada Lovelace" })
   * ```
   */
  update(input?: UpdateUser, options?: RequestOptions): Call<User>

  /**
   * Remove the signed-in user.
   *
   * Ends all memberships and sessions, revokes all grants, and deletes the user's memories. Not allowed while the user is the last owner of an organization.
   *
   * @example
   * ```ts
   * await orgplane.users.remove()
   * ```
   */
  remove(options?: RequestOptions): Call<undefined>

  /**
   * List the organizations of the signed-in user.
   *
   * @example
   * ```ts
   * await orgplane.users.organizations().take(20)
   * ```
   */
  organizations(input?: UsersOrganizationsInput, options?: RequestOptions): List<UserOrganization>

  /**
   * Leave an organization.
   *
   * Ends the membership, its team memberships and its sessions, and revokes its grants. Resources that the user created stay with the organization. Not allowed for the last owner.
   *
   * Fails with `organization_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.users.leaveOrganization("org_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  leaveOrganization(organizationId: OrganizationId, options?: RequestOptions): Call<undefined>

  /**
   * Set the active organization of the session.
   *
   * Fails with `organization_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.users.setActiveOrganization({ organizationId: "org_01kf0x5me8e6razepq180mhf01" })
   * ```
   */
  setActiveOrganization(input: SetActiveOrganization, options?: RequestOptions): Call<Organization>

  /**
   * Get the caller's effective desktop policy.
   *
   * With `explain`, also returns the policy that determines each setting. Switches that no policy sets default to `true`. Policy names are included only if the caller can read desktop policies.
   *
   * Only for members with a session.
   *
   * @example
   * ```ts
   * await orgplane.users.desktopPolicy()
   * ```
   */
  desktopPolicy(input?: UsersDesktopPolicyInput, options?: RequestOptions): Call<EffectiveDesktopPolicyResponse>

  /**
   * List the plugins and config objects that the caller can use.
   *
   * Each item includes the source of the caller's access: a grant, a team, a marketplace, a plugin or the caller's role.
   *
   * Only for members with a session.
   *
   * @example
   * ```ts
   * await orgplane.users.library().take(20)
   * ```
   */
  library(input?: UsersLibraryInput, options?: RequestOptions): List<LibraryEntry>

  /**
   * Export the data of the signed-in user.
   *
   * Streams NDJSON lines of `{ kind, item }`: the user, their ids in host applications (`subject`), memberships, memories and sessions. Resources that the user created belong to the organizations and are part of their exports. The last line has the kind `end` and contains the number of preceding lines.
   *
   * @example
   * ```ts
   * await orgplane.users.export()
   * ```
   */
  export(options?: RequestOptions): Call<ReadableStream<Uint8Array>>
}

/** The caller's organization. */
export interface OrganizationsOperations {
  /**
   * Create an organization.
   *
   * The caller becomes its owner. Requires a verified email address. Limit: 10 organizations per owner. Not available to sessions that are bound to an organization.
   *
   * Fails with `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.organizations.create({ name: "Acme" })
   * ```
   */
  create(input: CreateOrganization, options?: RequestOptions): Call<Organization>

  /**
   * Get the caller's organization.
   *
   * Returns an `ETag`; supports `ifNoneMatch`.
   *
   * @example
   * ```ts
   * await orgplane.organizations.get()
   * ```
   */
  get(options?: RequestOptions): Call<Organization>

  /**
   * Rename the organization.
   *
   * Requires the permission `organizations:write`. Supports `ifMatch`.
   *
   * @example
   * ```ts
   * await orgplane.organizations.update({ name: "Acme" })
   * ```
   */
  update(input?: UpdateOrganization, options?: RequestOptions): Call<Organization>

  /**
   * Remove the organization.
   *
   * Also removes everything in it. Sessions and API keys lose access to it immediately. The data is purged after 30 days.
   *
   * Only for owners with a session. Supports `ifMatch`.
   *
   * @example
   * ```ts
   * await orgplane.organizations.remove()
   * ```
   */
  remove(options?: RequestOptions): Call<undefined>

  /**
   * Transfer ownership of the organization.
   *
   * Makes another member an owner, and gives the caller the role in `keep`.
   *
   * Only for owners with a session.
   *
   * @example
   * ```ts
   * await orgplane.organizations.transferOwnership({ orgMembershipId: "om_01kf0x5me8e6razepq180mhf01", keep: "owner" })
   * ```
   */
  transferOwnership(input: TransferOwnership, options?: RequestOptions): Call<Organization>

  /**
   * Get the storage usage of the organization.
   *
   * A change or a sync that would exceed the limit fails with `quota_exceeded` or `limit_exceeded` and changes nothing. Deleted content no longer counts once it is purged.
   *
   * Requires the permission `organizations:read`.
   *
   * @example
   * ```ts
   * await orgplane.organizations.getStorage()
   * ```
   */
  getStorage(options?: RequestOptions): Call<OrganizationStorage>

  /**
   * Export the organization.
   *
   * Streams everything the organization owns as NDJSON lines of `{ kind, item }`. Kinds are read one after another, so the export is not a snapshot of a single point in time. Credentials are excluded. The last line has the kind `end` and contains the number of preceding lines. The audit log has its own export.
   *
   * Only for owners with a session.
   *
   * @example
   * ```ts
   * await orgplane.organizations.export()
   * ```
   */
  export(options?: RequestOptions): Call<ReadableStream<Uint8Array>>
}

/** The members of an organization. */
export interface MembersOperations {
  /**
   * Add a member.
   *
   * Adds either a user of the host application, if the application allows it, or a user whose email address is in one of the organization's verified domains. For any other user, returns 400; invite them instead.
   *
   * Requires the permission `members:write`. Fails with `member_exists`.
   *
   * @example
   * ```ts
   * await orgplane.members.add({ subject: "subject 9", role: "rol_01kf0x5me8e6razepq180mhf01" })
   * ```
   */
  add(input?: AddMember, options?: RequestOptions): Call<Member>

  /**
   * List members.
   *
   * Requires the permission `members:read`.
   *
   * @example
   * ```ts
   * await orgplane.members.list().take(20)
   * ```
   */
  list(input?: MembersListInput, options?: RequestOptions): List<Member>

  /**
   * Get a member.
   *
   * Requires the permission `members:read`. Fails with `member_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.members.get("om_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(orgMembershipId: OrganizationMembershipId, options?: RequestOptions): Call<Member>

  /**
   * Change the role of a member.
   *
   * The caller must have all permissions of the new role. The role of the last owner cannot be changed.
   *
   * Requires the permission `members:manage`. Fails with `member_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.members.update("om_01kf0x5me8e6razepq180mhf01", { role: "rol_01kf0x5me8e6razepq180mhf01" })
   * ```
   */
  update(orgMembershipId: OrganizationMembershipId, input: UpdateMember, options?: RequestOptions): Call<Member>

  /**
   * Remove a member.
   *
   * Ends the member's sessions and revokes their grants. The last owner cannot be removed. A user who joins again starts without their previous access.
   *
   * Requires the permission `members:manage`. Fails with `member_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.members.remove("om_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(orgMembershipId: OrganizationMembershipId, input?: MembersRemoveInput, options?: RequestOptions): Call<undefined>

  /**
   * Preview the impact of removing a member.
   *
   * Counts what ends with the membership, and lists the objects that are granted to the member. Makes no changes.
   *
   * Requires the permission `members:manage`. Fails with `member_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.members.impact("om_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  impact(orgMembershipId: OrganizationMembershipId, options?: RequestOptions): Call<MemberImpact>

  /**
   * Change or remove several members.
   *
   * At most 100 members. Each item has its own result.
   *
   * Requires the permission `members:manage`.
   *
   * @example
   * ```ts
   * await orgplane.members.batch({
   *   items: [
   *     {
   *       action: "setRole",
   *       orgMembershipId: "om_01kf0x5me8e6razepq180mhf01",
   *       role: "rol_01kf0x5me8e6razepq180mhf01"
   *     }
   *   ]
   * })
   * ```
   */
  batch(input: MemberBatch, options?: RequestOptions): Call<MemberBatchResult>
}

/** Invitations to an organization. */
export interface InvitationsOperations {
  /**
   * Invite a person by email.
   *
   * The invitation is valid for seven days. Inviting the same email address again replaces the previous link.
   *
   * Requires the permission `invitations:write`. Fails with `member_exists`.
   *
   * @example
   * ```ts
   * await orgplane.invitations.create({ email: "ada@acme.example", role: "rol_01kf0x5me8e6razepq180mhf01" })
   * ```
   */
  create(input: CreateInvitation, options?: RequestOptions): Call<InvitationWithLink>

  /**
   * Invite several people by email.
   *
   * At most 100 invitations. Each item has its own result: an invitation that is refused or exceeds a limit does not prevent the others. Inviting the same email address again replaces the previous link.
   *
   * Requires the permission `invitations:write`.
   *
   * @example
   * ```ts
   * await orgplane.invitations.batch({
   *   items: [{ email: "ada@acme.example", role: "rol_01kf0x5me8e6razepq180mhf01" }]
   * })
   * ```
   */
  batch(input: InvitationBatch, options?: RequestOptions): Call<InvitationBatchResult>

  /**
   * List invitations.
   *
   * Requires the permission `invitations:read`.
   *
   * @example
   * ```ts
   * await orgplane.invitations.list().take(20)
   * ```
   */
  list(input?: InvitationsListInput, options?: RequestOptions): List<Invitation>

  /**
   * Get an invitation.
   *
   * Requires the permission `invitations:read`. Fails with `invitation_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.invitations.get("inv_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(invitationId: InvitationId, options?: RequestOptions): Call<Invitation>

  /**
   * Resend an invitation.
   *
   * Sends a new link that is valid for seven days. The old link stops working.
   *
   * Requires the permission `invitations:write`. Fails with `invitation_not_found`, `invitation_not_pending`.
   *
   * @example
   * ```ts
   * await orgplane.invitations.resend("inv_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  resend(invitationId: InvitationId, options?: RequestOptions): Call<Invitation>

  /**
   * Cancel an invitation.
   *
   * Requires the permission `invitations:write`. Fails with `invitation_not_found`, `invitation_not_pending`.
   *
   * @example
   * ```ts
   * await orgplane.invitations.cancel("inv_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  cancel(invitationId: InvitationId, options?: RequestOptions): Call<Invitation>

  /**
   * Preview an invitation.
   *
   * Returns the organization and the role that the invitation grants, without accepting it.
   *
   * Requires no credential. Fails with `invitation_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.invitations.preview({ token: "opi_ExampleOnly00000000000000000000000000000000000000" })
   * ```
   */
  preview(input: InvitationToken, options?: RequestOptions): Call<InvitationPreview>

  /**
   * Accept an invitation.
   *
   * Adds the caller to the organization. The caller must have the invited email address, and it must be verified.
   *
   * Fails with `invitation_not_found`, `member_exists`.
   *
   * @example
   * ```ts
   * await orgplane.invitations.accept({ token: "opi_ExampleOnly00000000000000000000000000000000000000" })
   * ```
   */
  accept(input: InvitationToken, options?: RequestOptions): Call<{
    readonly organization: Organization
    readonly member: Member
  }>
}

/** Custom sets of permissions, and the list of all permissions. */
export interface RolesOperations {
  /**
   * List all permissions.
   *
   * Includes the built-in roles that have each permission.
   *
   * @example
   * ```ts
   * await orgplane.roles.permissions()
   * ```
   */
  permissions(options?: RequestOptions): Call<{
    readonly permissions: ReadonlyArray<PermissionEntry>
  }>

  /**
   * Create a role.
   *
   * The caller must have all permissions of the role.
   *
   * Requires the permission `roles:write`. Fails with `role_exists`.
   *
   * @example
   * ```ts
   * await orgplane.roles.create({ name: "Reviewer", permissions: [] })
   * ```
   */
  create(input: CreateRole, options?: RequestOptions): Call<Role>

  /**
   * List the custom roles.
   *
   * Requires the permission `roles:read`.
   *
   * @example
   * ```ts
   * await orgplane.roles.list().take(20)
   * ```
   */
  list(input?: RolesListInput, options?: RequestOptions): List<Role>

  /**
   * Get a custom role.
   *
   * Requires the permission `roles:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `role_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.roles.get("rol_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(roleId: RoleId, options?: RequestOptions): Call<Role>

  /**
   * Update a custom role.
   *
   * Members with this role get the new permissions immediately.
   *
   * Requires the permission `roles:write`. Supports `ifMatch`. Fails with `role_not_found`, `role_exists`.
   *
   * @example
   * ```ts
   * await orgplane.roles.update("rol_01kf0x5me8e6razepq180mhf01", { name: "Reviewer" })
   * ```
   */
  update(roleId: RoleId, input?: UpdateRole, options?: RequestOptions): Call<Role>

  /**
   * Remove a custom role.
   *
   * The role must not be assigned to a member, a SCIM group or a pending invitation.
   *
   * Requires the permission `roles:manage`. Supports `ifMatch`. Fails with `role_not_found`, `role_in_use`.
   *
   * @example
   * ```ts
   * await orgplane.roles.remove("rol_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(roleId: RoleId, options?: RequestOptions): Call<undefined>
}

/** Groups of members that are granted access together. */
export interface TeamsOperations {
  /**
   * Create a team.
   *
   * The new team has no members.
   *
   * Requires the permission `teams:write`. Fails with `team_exists`.
   *
   * @example
   * ```ts
   * await orgplane.teams.create({ name: "Platform" })
   * ```
   */
  create(input: CreateTeam, options?: RequestOptions): Call<Team>

  /**
   * List teams.
   *
   * Requires the permission `teams:read`.
   *
   * @example
   * ```ts
   * await orgplane.teams.list().take(20)
   * ```
   */
  list(input?: TeamsListInput, options?: RequestOptions): List<Team>

  /**
   * Get a team.
   *
   * Requires the permission `teams:read`. Returns an `ETag` for `ifMatch`. Fails with `team_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.teams.get("tem_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(teamId: TeamId, options?: RequestOptions): Call<Team>

  /**
   * Update a team.
   *
   * Requires the permission `teams:write`. Supports `ifMatch`. Fails with `team_not_found`, `team_exists`.
   *
   * @example
   * ```ts
   * await orgplane.teams.update("tem_01kf0x5me8e6razepq180mhf01", { name: "Platform" })
   * ```
   */
  update(teamId: TeamId, input?: UpdateTeam, options?: RequestOptions): Call<Team>

  /**
   * Remove a team.
   *
   * Also revokes all grants to the team.
   *
   * Requires the permission `teams:manage`. Supports `ifMatch`. Fails with `team_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.teams.remove("tem_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(teamId: TeamId, options?: RequestOptions): Call<undefined>

  /**
   * Preview the impact of removing a team.
   *
   * Counts what ends with the team, and lists the objects that are granted to the team with the number of members who would lose access. Makes no changes.
   *
   * Requires the permission `teams:manage`. Fails with `team_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.teams.impact("tem_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  impact(teamId: TeamId, options?: RequestOptions): Call<TeamImpact>

  /**
   * List the members of a team.
   *
   * Requires the permission `teams:read`. Fails with `team_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.teams.listMembers("tem_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listMembers(teamId: TeamId, input?: TeamsListMembersInput, options?: RequestOptions): List<Member>

  /**
   * Add a member to a team.
   *
   * Idempotent.
   *
   * Requires the permission `teams:write`. Fails with `team_not_found`, `member_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.teams.addMember("tem_01kf0x5me8e6razepq180mhf01", "om_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  addMember(teamId: TeamId, orgMembershipId: OrganizationMembershipId, options?: RequestOptions): Call<Team>

  /**
   * Remove a member from a team.
   *
   * Requires the permission `teams:write`. Fails with `team_not_found`, `member_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.teams.removeMember("tem_01kf0x5me8e6razepq180mhf01", "om_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  removeMember(teamId: TeamId, orgMembershipId: OrganizationMembershipId, options?: RequestOptions): Call<undefined>
}

/** Organization credentials for automation. */
export interface ApiKeysOperations {
  /**
   * Create an API key.
   *
   * Returns the secret once. Only a signed-in member can create a key: API keys cannot create or rotate API keys. Only an owner can grant `sessions:mint`.
   *
   * Requires the permission `apiKeys:manage`. Fails with `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.apiKeys.create({ name: "Continuous integration", permissions: [] })
   * ```
   */
  create(input: CreateApiKey, options?: RequestOptions): Call<ApiKeyWithSecret>

  /**
   * List API keys.
   *
   * Requires the permission `apiKeys:read`.
   *
   * @example
   * ```ts
   * await orgplane.apiKeys.list().take(20)
   * ```
   */
  list(input?: ApiKeysListInput, options?: RequestOptions): List<ApiKey>

  /**
   * Get the API key used for this request.
   *
   * Returns 404 if the request was not made with an API key.
   *
   * Fails with `api_key_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.apiKeys.current()
   * ```
   */
  current(options?: RequestOptions): Call<ApiKey>

  /**
   * Get an API key.
   *
   * Requires the permission `apiKeys:read`. Fails with `api_key_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.apiKeys.get("key_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(apiKeyId: APIKeyId, options?: RequestOptions): Call<ApiKey>

  /**
   * Rename or restrict an API key.
   *
   * An update cannot add permissions or extend the expiry.
   *
   * Requires the permission `apiKeys:manage`. Fails with `api_key_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.apiKeys.update("key_01kf0x5me8e6razepq180mhf01", { name: "Continuous integration" })
   * ```
   */
  update(apiKeyId: APIKeyId, input?: UpdateApiKey, options?: RequestOptions): Call<ApiKey>

  /**
   * Rotate the secret of an API key.
   *
   * Returns the new secret once. The old secret stays valid for `graceSeconds`.
   *
   * Requires the permission `apiKeys:manage`. Fails with `api_key_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.apiKeys.rotate("key_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  rotate(apiKeyId: APIKeyId, input?: RotateApiKey, options?: RequestOptions): Call<ApiKeyWithSecret>

  /**
   * Revoke an API key.
   *
   * The key stops working immediately. Its record is kept for the audit log.
   *
   * Requires the permission `apiKeys:manage`. Fails with `api_key_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.apiKeys.revoke("key_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  revoke(apiKeyId: APIKeyId, options?: RequestOptions): Call<undefined>
}

/** Get the caller's permissions, explain why a member has access to an object, and preview the effects of revoking a grant. */
export interface AccessOperations {
  /**
   * Get the caller's permissions.
   *
   * Returns the permissions of the caller in the organization of the request. An operation can also require a grant on its object, a plan or a session.
   *
   * @example
   * ```ts
   * await orgplane.access.permissions()
   * ```
   */
  permissions(options?: RequestOptions): Call<CallerPermissions>

  /**
   * Explain a member's access to an object.
   *
   * Returns the paths that give the member access and, if the action is not allowed, the missing grant or permission. Explaining another member's access requires `access:read`. Steps that the caller cannot see have the kind `hidden`. Makes no changes.
   *
   * Fails with `object_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.access.explain({
   *   object: { kind: "plugin", id: "plg_01kf0x5me8e6razepq180mhf01" },
   *   action: "view"
   * })
   * ```
   */
  explain(input: ExplainAccess, options?: RequestOptions): Call<AccessExplanation>

  /**
   * Preview the impact of revoking a grant.
   *
   * Lists the members who would lose access or be left with a lower role. Makes no changes.
   *
   * Requires the permission `access:read`. Fails with `grant_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.access.impact({ grantId: "pag_01kf0x5me8e6razepq180mhf01" })
   * ```
   */
  impact(input: AccessImpact, options?: RequestOptions): Call<AccessImpactResult>
}

/** The audit log: every change, recorded in the same transaction as the change itself. */
export interface AuditOperations {
  /**
   * List audit events.
   *
   * Newest first, or oldest first if `after` is set. The `action` filter accepts both an action's current name and the older name stored in existing events.
   *
   * Requires the permission `audit:read`.
   *
   * @example
   * ```ts
   * await orgplane.audit.list().take(20)
   * ```
   */
  list(input?: AuditListInput, options?: RequestOptions): List<AuditEvent>

  /**
   * Export audit events.
   *
   * Streams events in order as NDJSON or CSV. In CSV, cells that a spreadsheet would interpret as a formula are escaped with a leading apostrophe.
   *
   * Requires the permission `audit:read`.
   *
   * @example
   * ```ts
   * await orgplane.audit.export()
   * ```
   */
  export(input?: AuditExportInput, options?: RequestOptions): Call<ReadableStream<Uint8Array>>

  /**
   * Verify the integrity of the audit log.
   *
   * Detects changed, missing and added events. An attacker with access to the database but not to the secret keys cannot change events undetected, but could delete the latest events together with their checkpoints. Pass a checkpoint that you stored elsewhere to detect that too. If the operator has set a retention for audit events, older events are deleted, and `truncatedThrough` is the sequence number of the last deleted event. `eventCount` is the number of events that were verified.
   *
   * Requires the permission `audit:read`.
   *
   * @example
   * ```ts
   * await orgplane.audit.verify()
   * ```
   */
  verify(input?: AuditVerifyInput, options?: RequestOptions): Call<AuditVerification>

  /**
   * List the signed checkpoints of the audit log.
   *
   * Requires the permission `audit:read`.
   *
   * @example
   * ```ts
   * await orgplane.audit.checkpoints().take(20)
   * ```
   */
  checkpoints(input?: AuditCheckpointsInput, options?: RequestOptions): List<AuditCheckpoint>

  /**
   * Get an audit event.
   *
   * Requires the permission `audit:read`. Fails with `event_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.audit.get("aud_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(auditEventId: AuditEventId, options?: RequestOptions): Call<AuditEvent>
}

/** Every change in the organization, in order: as a list, as a live stream, and as webhooks. */
export interface EventsOperations {
  /**
   * List events.
   *
   * Returns the events of resources that the caller has the read permission for. An event is in the list within a second of its change.
   *
   * Requires the permission `events:read`. Fails with `events_expired`.
   *
   * @example
   * ```ts
   * await orgplane.events.list({ types: "plugin.*" }).take(20)
   * ```
   */
  list(input?: EventsListInput, options?: RequestOptions): List<OrganizationEvent>

  /**
   * List the types of events.
   *
   * @example
   * ```ts
   * await orgplane.events.types()
   * ```
   */
  types(options?: RequestOptions): Call<{
    readonly items: ReadonlyArray<EventTypeInfo>
  }>

  /**
   * Stream events.
   *
   * Server-sent events: `id` is the sequence number, `event` the type, and `data` the event as JSON. A comment is sent every 15 seconds. The stream ends when the credential is revoked or its permissions change. To resume, send the last `id` in the header `Last-Event-ID`, which replaces `after`.
   *
   * Requires the permission `events:read`. Fails with `events_expired`.
   *
   * @example
   * ```ts
   * await orgplane.events.stream({ types: "plugin.*" })
   * ```
   */
  stream(input?: EventsStreamInput, options?: RequestOptions): EventStream<OrganizationEvent>

  /**
   * List the signed checkpoints of the events.
   *
   * Newest first. Each checkpoint signs the chain over the lines that event streams send, up to its sequence number. `orgplane events verify` verifies received lines with the checkpoints among them and the keys of `GET /v1/keys`.
   *
   * Requires the permission `events:read`.
   *
   * @example
   * ```ts
   * await orgplane.events.checkpoints().take(20)
   * ```
   */
  checkpoints(input?: EventsCheckpointsInput, options?: RequestOptions): List<EventCheckpoint>

  /**
   * Get an event.
   *
   * Requires the permission `events:read`. Fails with `event_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.events.get("aud_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(eventId: AuditEventId, options?: RequestOptions): Call<OrganizationEvent>
}

/** Send events to other systems, signed according to the Standard Webhooks specification. */
export interface WebhookEndpointsOperations {
  /**
   * List webhook endpoints.
   *
   * Requires the permission `webhookEndpoints:read`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.list().take(20)
   * ```
   */
  list(input?: WebhookEndpointsListInput, options?: RequestOptions): List<WebhookEndpoint>

  /**
   * Create a webhook endpoint.
   *
   * Returns the secret once. The endpoint sees events with its own permissions, which do not change with those of its creator.
   *
   * Requires the permission `webhookEndpoints:write`. Fails with `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.create({ name: "Deployments", url: "https://hooks.example/events" })
   * ```
   */
  create(input: CreateWebhookEndpoint, options?: RequestOptions): Call<WebhookEndpointWithSecret>

  /**
   * Get a webhook endpoint.
   *
   * Requires the permission `webhookEndpoints:read`. Returns an `ETag` for `ifMatch`. Fails with `webhook_endpoint_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.get("whe_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(webhookEndpointId: WebhookEndpointId, options?: RequestOptions): Call<WebhookEndpoint>

  /**
   * Update a webhook endpoint.
   *
   * To change the URL or the permissions, the caller must have all permissions of the endpoint.
   *
   * Requires the permission `webhookEndpoints:write`. Supports `ifMatch`. Fails with `webhook_endpoint_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.update("whe_01kf0x5me8e6razepq180mhf01", { name: "Deployments", types: ["plugin.*"] })
   * ```
   */
  update(webhookEndpointId: WebhookEndpointId, input?: UpdateWebhookEndpoint, options?: RequestOptions): Call<WebhookEndpoint>

  /**
   * Remove a webhook endpoint.
   *
   * Deletes its deliveries. No further events are sent.
   *
   * Requires the permission `webhookEndpoints:manage`. Fails with `webhook_endpoint_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.remove("whe_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(webhookEndpointId: WebhookEndpointId, options?: RequestOptions): Call<undefined>

  /**
   * Rotate the secret of a webhook endpoint.
   *
   * Returns the new secret once. Until the overlap ends, `webhook-signature` contains a signature with each secret.
   *
   * Requires the permission `webhookEndpoints:manage`. Fails with `webhook_endpoint_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.rotateSecret("whe_01kf0x5me8e6razepq180mhf01", { overlapSeconds: 3600 })
   * ```
   */
  rotateSecret(webhookEndpointId: WebhookEndpointId, input?: RotateWebhookSecret, options?: RequestOptions): Call<WebhookEndpointWithSecret>

  /**
   * Send a test to a webhook endpoint.
   *
   * Sends an event of the type `webhook.test` immediately, even to a paused endpoint, and returns the outcome. It is not retried.
   *
   * Requires the permission `webhookEndpoints:write`. Fails with `webhook_endpoint_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.test("whe_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  test(webhookEndpointId: WebhookEndpointId, options?: RequestOptions): Call<WebhookAttempt>

  /**
   * Pause a webhook endpoint.
   *
   * Events wait until it is resumed.
   *
   * Requires the permission `webhookEndpoints:write`. Fails with `webhook_endpoint_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.pause("whe_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  pause(webhookEndpointId: WebhookEndpointId, options?: RequestOptions): Call<WebhookEndpoint>

  /**
   * Resume a webhook endpoint.
   *
   * Pending deliveries are sent immediately. Their three days of retries start again.
   *
   * Requires the permission `webhookEndpoints:write`. Fails with `webhook_endpoint_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.resume("whe_01kf0x5me8e6razepq180mhf01", { skip: true })
   * ```
   */
  resume(webhookEndpointId: WebhookEndpointId, input?: ResumeWebhookEndpoint, options?: RequestOptions): Call<WebhookEndpoint>

  /**
   * Redeliver events.
   *
   * Queues every event of the range that the endpoint selects and can see, including those that it never received. Their `webhook-id` is the same as before.
   *
   * Requires the permission `webhookEndpoints:write`. Fails with `webhook_endpoint_not_found`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.redeliver("whe_01kf0x5me8e6razepq180mhf01", { from: 1, to: 2 })
   * ```
   */
  redeliver(webhookEndpointId: WebhookEndpointId, input: RedeliverEvents, options?: RequestOptions): Call<{
    readonly count: number
  }>

  /**
   * List deliveries of a webhook endpoint.
   *
   * Newest first. Deliveries are kept for 30 days.
   *
   * Requires the permission `webhookEndpoints:read`. Fails with `webhook_endpoint_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.listMessages("whe_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listMessages(webhookEndpointId: WebhookEndpointId, input?: WebhookEndpointsListMessagesInput, options?: RequestOptions): List<WebhookMessage>

  /**
   * Get a delivery of a webhook endpoint.
   *
   * Includes the exact body, and each attempt with its response. Both require every permission that the endpoint has had.
   *
   * Requires the permission `webhookEndpoints:read`. Fails with `webhook_endpoint_not_found`, `webhook_message_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.webhookEndpoints.getMessage("whe_01kf0x5me8e6razepq180mhf01", "whm_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getMessage(webhookEndpointId: WebhookEndpointId, webhookMessageId: WebhookMessageId, options?: RequestOptions): Call<WebhookMessageDetails>
}

/** Send every event to an HTTPS endpoint, S3-compatible object storage or an OpenTelemetry collector, so that receivers can verify that it is complete. */
export interface EventStreamsOperations {
  /**
   * List event streams.
   *
   * Requires the permission `eventStreams:read`.
   *
   * @example
   * ```ts
   * await orgplane.eventStreams.list().take(20)
   * ```
   */
  list(input?: EventStreamsListInput, options?: RequestOptions): List<OrganizationEventStream>

  /**
   * Create an event stream.
   *
   * Requires the permissions `eventStreams:write` and `audit:read`. Fails with `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.eventStreams.create({
   *   name: "SIEM",
   *   destination: { kind: "https", url: "https://siem.example/events" }
   * })
   * ```
   */
  create(input: CreateEventStream, options?: RequestOptions): Call<OrganizationEventStream>

  /**
   * Get an event stream.
   *
   * Requires the permission `eventStreams:read`. Returns an `ETag` for `ifMatch`. Fails with `event_stream_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.eventStreams.get("evs_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(eventStreamId: EventStreamId, options?: RequestOptions): Call<OrganizationEventStream>

  /**
   * Update an event stream.
   *
   * Requires the permissions `eventStreams:write` and `audit:read`. Supports `ifMatch`. Fails with `event_stream_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.eventStreams.update("evs_01kf0x5me8e6razepq180mhf01", { name: "SIEM", types: ["plugin.*"] })
   * ```
   */
  update(eventStreamId: EventStreamId, input?: UpdateEventStream, options?: RequestOptions): Call<OrganizationEventStream>

  /**
   * Remove an event stream.
   *
   * Deletes its position and its secret. No further events are sent.
   *
   * Requires the permission `eventStreams:manage`. Fails with `event_stream_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.eventStreams.remove("evs_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(eventStreamId: EventStreamId, options?: RequestOptions): Call<undefined>

  /**
   * Pause an event stream.
   *
   * Events wait until it is resumed.
   *
   * Requires the permission `eventStreams:write`. Fails with `event_stream_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.eventStreams.pause("evs_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  pause(eventStreamId: EventStreamId, options?: RequestOptions): Call<OrganizationEventStream>

  /**
   * Resume an event stream.
   *
   * Sends the undelivered events. A failing stream retries immediately.
   *
   * Requires the permission `eventStreams:write`. Fails with `event_stream_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.eventStreams.resume("evs_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  resume(eventStreamId: EventStreamId, options?: RequestOptions): Call<OrganizationEventStream>

  /**
   * Send a test to an event stream.
   *
   * Sends a line with the kind `test` immediately, even if the stream is paused, and returns the outcome. It is not retried.
   *
   * Requires the permission `eventStreams:write`. Fails with `event_stream_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.eventStreams.test("evs_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  test(eventStreamId: EventStreamId, options?: RequestOptions): Call<EventStreamTest>
}

/** The configuration of an organization as a document: export, plan and apply. */
export interface ConfigurationOperations {
  /**
   * Export the configuration.
   *
   * Objects without a key appear with a key derived from their name, which an apply or `adopt` stores. For each kind in the document, the caller needs the permissions that the kind's own operations require.
   *
   * Requires the permission `organizations:read`. Fails with `configuration_too_large`, `configuration_busy`.
   *
   * @example
   * ```ts
   * await orgplane.configuration.export({ kinds: "organization,roles,teams" })
   * ```
   */
  export(input?: ConfigurationExportInput, options?: RequestOptions): Call<ConfigurationDocument>

  /**
   * Preview the changes an apply would make.
   *
   * Makes all changes in a transaction and rolls it back, so the plan has the same problems as the apply. Unknown fields are errors. For each kind in the document, the caller needs the permissions that the kind's own operations require.
   *
   * Requires the permission `organizations:read`. Fails with `configuration_too_large`, `configuration_busy`.
   *
   * @example
   * ```ts
   * await orgplane.configuration.plan({
   *   document: {
   *     version: 1,
   *     roles: [
   *       {
   *         key: "reviewer",
   *         name: "Reviewer",
   *         permissions: ["approvals:read", "plugins:read", "audit:read"]
   *       }
   *     ],
   *     teams: [
   *       {
   *         key: "platform",
   *         name: "Platform",
   *         description: "Runs the control plane"
   *       },
   *       { key: "design", name: "Design" }
   *     ]
   *   }
   * })
   * ```
   */
  plan(input: PlanConfiguration, options?: RequestOptions): Call<ConfigurationPlan>

  /**
   * Apply a configuration document.
   *
   * Makes all changes in one transaction, and returns the plan that it applied. If one change fails, nothing is changed, and the response is 400 with its location in the document. Each change is audited as if it were made by its own operation. For each kind in the document, the caller needs the permissions that the kind's own operations require.
   *
   * Requires the permission `organizations:write`. Fails with `plan_digest_mismatch`, `plan_digest_required`, `configuration_too_large`, `configuration_busy`.
   *
   * @example
   * ```ts
   * await orgplane.configuration.apply({
   *   document: {
   *     version: 1,
   *     roles: [
   *       {
   *         key: "reviewer",
   *         name: "Reviewer",
   *         permissions: ["approvals:read", "plugins:read", "audit:read"]
   *       }
   *     ],
   *     teams: [
   *       {
   *         key: "platform",
   *         name: "Platform",
   *         description: "Runs the control plane"
   *       },
   *       { key: "design", name: "Design" }
   *     ]
   *   },
   *   planDigest: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635"
   * })
   * ```
   */
  apply(input: ApplyConfiguration, options?: RequestOptions): Call<ConfigurationPlan>

  /**
   * Assign keys to existing objects.
   *
   * An object keeps its key, even if it is renamed. Objects that already have a key are skipped.
   *
   * Requires the permission `organizations:write`. Fails with `configuration_key_taken`, `configuration_too_large`, `configuration_busy`.
   *
   * @example
   * ```ts
   * await orgplane.configuration.adopt({
   *   adoptions: [{ kind: "teams", id: "tem_01kf0x5me8e6razepq180mhf01", key: "design" }]
   * })
   * ```
   */
  adopt(input?: AdoptConfiguration, options?: RequestOptions): Call<{
    readonly adopted: ReadonlyArray<ConfigurationAdoption>
  }>

  /**
   * Get the JSON Schema of configuration documents.
   *
   * For editors that check and complete documents. Not specific to an organization.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.configuration.schema()
   * ```
   */
  schema(options?: RequestOptions): Call<JsonObject>
}

/** The repository whose configuration files are planned or applied when they change. */
export interface ConfigurationSourceOperations {
  /**
   * Get the configuration source.
   *
   * Requires the permission `organizations:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `configuration_source_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configurationSource.get()
   * ```
   */
  get(options?: RequestOptions): Call<ConfigurationSource>

  /**
   * Set the configuration source.
   *
   * Replaces the current source, of which an organization has at most one, and starts a run if the source is enabled. Requires the role `manager` on the connector. API keys cannot set a source. Everyone who can push to the branch can make the changes that this member can make.
   *
   * Requires the permission `organizations:write`. Supports `ifMatch`. Fails with `connector_instance_not_found`, `connector_instance_disabled`.
   *
   * @example
   * ```ts
   * await orgplane.configurationSource.set({
   *   connectorInstanceId: "cin_01kf0x5me8e6razepq180mhf01",
   *   path: "orgplane.yaml",
   *   mode: "apply"
   * })
   * ```
   */
  set(input: SetConfigurationSource, options?: RequestOptions): Call<ConfigurationSource>

  /**
   * Remove the configuration source.
   *
   * Runs that have not ended and held runs become `superseded`. Applied changes are kept.
   *
   * Requires the permission `organizations:write`. Fails with `configuration_source_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configurationSource.remove()
   * ```
   */
  remove(options?: RequestOptions): Call<undefined>

  /**
   * Start a run of the configuration source.
   *
   * Reads the head of the branch, even if its commit was read before. If a run is already queued, returns that run. Requires the role `editor` on the connector.
   *
   * Requires the permission `organizations:write`. Fails with `configuration_source_not_found`, `connector_instance_not_found`, `configuration_source_disabled`, `connector_instance_disabled`.
   *
   * @example
   * ```ts
   * await orgplane.configurationSource.run()
   * ```
   */
  run(options?: RequestOptions): Call<ConfigurationRun>
}

/** Runs of the configuration source, each with the changes and the problems of a commit. Runs that remove many objects require approval. */
export interface ConfigurationRunsOperations {
  /**
   * List configuration runs.
   *
   * Newest first. The newest 1000 runs are kept.
   *
   * Requires the permission `organizations:write`.
   *
   * @example
   * ```ts
   * await orgplane.configurationRuns.list().take(20)
   * ```
   */
  list(input?: ConfigurationRunsListInput, options?: RequestOptions): List<ConfigurationRun>

  /**
   * Get a configuration run.
   *
   * Includes its changes and its problems.
   *
   * Requires the permission `organizations:write`. Fails with `configuration_run_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configurationRuns.get("cfr_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(configurationRunId: ConfigurationRunId, options?: RequestOptions): Call<ConfigurationRunDetails>

  /**
   * Approve a configuration run.
   *
   * Queues a held run for the same commit. Requires the role `manager` on the connector, as for a sync. If the plan has changed since and still removes too many objects, the run is held again.
   *
   * Requires the permission `organizations:write`. Fails with `configuration_run_not_found`, `configuration_run_not_held`, `plan_digest_mismatch`, `connector_instance_disabled`.
   *
   * @example
   * ```ts
   * await orgplane.configurationRuns.approve("cfr_01kf0x5me8e6razepq180mhf01", {
   *   planDigest: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635"
   * })
   * ```
   */
  approve(configurationRunId: ConfigurationRunId, input: ApproveConfigurationRun, options?: RequestOptions): Call<ConfigurationRun>

  /**
   * Reject a configuration run.
   *
   * Nothing is applied until the branch has a new commit or a run is started. Requires the role `manager` on the connector.
   *
   * Requires the permission `organizations:write`. Fails with `configuration_run_not_found`, `configuration_run_not_held`.
   *
   * @example
   * ```ts
   * await orgplane.configurationRuns.reject("cfr_01kf0x5me8e6razepq180mhf01", { comment: "Keep these teams until March." })
   * ```
   */
  reject(configurationRunId: ConfigurationRunId, input?: RejectConfigurationRun, options?: RequestOptions): Call<ConfigurationRun>
}

/** Repositories, the plugins found in them, and their syncs. */
export interface ConnectorsOperations {
  /**
   * Connect a branch of a repository.
   *
   * Creates a connector account if needed, a connector instance and a target. Reads the repository to check the URL, branch and credential immediately.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_exists`, `quota_exceeded`, `repository_empty`, `codehost_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.setup({ adapter: "git", cloneUrl: "https://git.example/acme/team-1/plugins" })
   * ```
   */
  setup(input: SetupConnector, options?: RequestOptions): Call<{
    readonly connectorAccount: ConnectorAccount
    readonly connectorInstance: ConnectorInstance
    readonly connectorTarget: ConnectorTarget
  }>

  /**
   * List connector instances.
   *
   * Returns the instances that the caller can see.
   *
   * Requires the permission `connectors:read`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.listInstances().take(20)
   * ```
   */
  listInstances(input?: ConnectorsListInstancesInput, options?: RequestOptions): List<ConnectorInstance>

  /**
   * Get a connector instance.
   *
   * Requires the permission `connectors:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.getInstance("cin_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getInstance(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Update a connector instance.
   *
   * If `remoteId` changes, the next sync reads the new repository.
   *
   * Requires the permission `connectors:write`. Supports `ifMatch`. Fails with `connector_instance_not_found`, `connector_instance_exists`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.updateInstance("cin_01kf0x5me8e6razepq180mhf01", { config: { a: 1 } })
   * ```
   */
  updateInstance(connectorInstanceId: ConnectorInstanceId, input?: UpdateConnectorInstance, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Enable a connector instance.
   *
   * Activates the instance and queues a sync. Also restores an archived instance.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.enable("cin_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  enable(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Disable a connector instance.
   *
   * Imported content is kept. Pushes are ignored until the instance is enabled.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.disable("cin_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  disable(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Remove a connector instance.
   *
   * In one transaction, deletes the plugins, mappings and config objects that come only from this instance. Returns the number of deleted mappings and config objects.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.remove("cin_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<{
    readonly deletedConfigObjectCount: number
    readonly deletedConnectorMappingCount: number
    readonly removedConnectorInstanceId: string
  }>

  /**
   * Queue a sync of a connector instance.
   *
   * Imports the head of the branch. If a sync is already queued, returns it instead. If the branch was pinned by a rollback, the pin is removed and the branch head is imported.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`, `connector_instance_disabled`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.sync("cin_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  sync(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsSyncInput, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * List the syncs of a connector instance.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.listSyncEvents("cin_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listSyncEvents(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListSyncEventsInput, options?: RequestOptions): List<ConnectorSyncEvent>

  /**
   * Get a sync.
   *
   * Includes its counts and warnings.
   *
   * Requires the permission `connectors:read`. Fails with `connector_sync_event_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.getSyncEvent("cse_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getSyncEvent(connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Approve a sync.
   *
   * Queues a sync that is pending approval because it would remove more than 5 config objects and more than 30% of those on the branch. The approval applies to that revision only: if the branch has changed, its new head is checked again.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_sync_event_not_found`, `connector_instance_disabled`, `sync_not_held`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.approveSync("cse_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  approveSync(connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Reject a sync.
   *
   * Rejects a sync that is pending approval. Nothing is imported until the branch changes.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_sync_event_not_found`, `connector_instance_disabled`, `sync_not_held`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.rejectSync("cse_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  rejectSync(connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Discover the plugins in a repository.
   *
   * Waits up to 30 seconds for the repository to be read. If that takes longer, returns 503 `discovery_in_progress` until it has been read.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`, `discovery_in_progress`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.discovery("cin_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  discovery(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsDiscoveryInput, options?: RequestOptions): Call<Discovery>

  /**
   * List the repository tree used for discovery.
   *
   * Sorted by path. All pages show the same revision as the first page.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`, `discovery_in_progress`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.tree("cin_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  tree(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsTreeInput, options?: RequestOptions): List<TreeEntry>

  /**
   * Import the selected plugins.
   *
   * In one transaction, creates the plugins and mappings and, if needed, a marketplace. The plugins are kept up to date from then on. A sync imports the content; the request waits up to 20 seconds for the sync, or not at all if `wait` is `0`. With `planDigest`, the sync imports the planned revision.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`, `plan_digest_mismatch`, `stale_revision`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`, `discovery_in_progress`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.apply("cin_01kf0x5me8e6razepq180mhf01", {
   *   selectedKeys: ["marketplace:code-review"],
   *   autoImportNewPlugins: true,
   *   share: "orgWide"
   * })
   * ```
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
   * List the access grants of a connector instance.
   *
   * Includes direct, team and organization-wide grants.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.listAccess("cin_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listAccess(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListAccessInput, options?: RequestOptions): List<ConnectorInstanceGrant>

  /**
   * Grant access to a connector instance.
   *
   * Returns 200 instead of 201 when the recipient already had a grant.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.grantAccess("cin_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
   * ```
   */
  grantAccess(connectorInstanceId: ConnectorInstanceId, input: CreateGrant, options?: RequestOptions): Call<ConnectorInstanceGrant>

  /**
   * Revoke access to a connector instance.
   *
   * The revoked grant is kept as history.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_grant_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.revokeAccess("cin_01kf0x5me8e6razepq180mhf01", "cia_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  revokeAccess(connectorInstanceId: ConnectorInstanceId, grantId: ConnectorInstanceAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * List the branches of a connector instance.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.listTargets("cin_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listTargets(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListTargetsInput, options?: RequestOptions): List<ConnectorTarget>

  /**
   * Get a branch of a connector instance.
   *
   * Requires the permission `connectors:read`. Fails with `connector_target_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.getTarget("ctg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getTarget(connectorTargetId: ConnectorTargetId, options?: RequestOptions): Call<ConnectorTarget>

  /**
   * List the mappings of a branch.
   *
   * Requires the permission `connectors:read`. Fails with `connector_target_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.listMappings("ctg_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listMappings(connectorTargetId: ConnectorTargetId, input?: ConnectorsListMappingsInput, options?: RequestOptions): List<ConnectorMapping>

  /**
   * Archive a connector instance.
   *
   * Hides the instance from lists and ignores pushes. Imported content is kept, and the instance's name stays reserved. Enabling the instance restores it.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.archive("cin_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  archive(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Get the configuration of a connector instance.
   *
   * Returns its branches, imported plugins, mappings, and the last sync of each branch.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.configuration("cin_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  configuration(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorConfiguration>

  /**
   * Set whether new plugins are imported automatically.
   *
   * Takes effect on the next sync. Imported plugins are kept up to date either way.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.setAutoImport("cin_01kf0x5me8e6razepq180mhf01", { enabled: true })
   * ```
   */
  setAutoImport(connectorInstanceId: ConnectorInstanceId, input: SetAutoImport, options?: RequestOptions): Call<AutoImport>

  /**
   * Add a branch to a connector instance.
   *
   * At most 50 branches per instance. The repository is read once to check that the branch exists. Nothing is imported until an apply or a mapping selects content.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_not_found`, `connector_instance_disabled`, `connector_target_exists`, `quota_exceeded`, `repository_empty`, `codehost_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.createTarget("cin_01kf0x5me8e6razepq180mhf01", { branch: "release" })
   * ```
   */
  createTarget(connectorInstanceId: ConnectorInstanceId, input: CreateConnectorTarget, options?: RequestOptions): Call<ConnectorTarget>

  /**
   * Update a branch of a connector instance.
   *
   * Changes which branch the target imports, or the configuration of the target. A new branch is checked immediately and imported by the next sync.
   *
   * Requires the permission `connectors:write`. Fails with `connector_target_not_found`, `connector_target_exists`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.updateTarget("ctg_01kf0x5me8e6razepq180mhf01", { config: { a: 1 } })
   * ```
   */
  updateTarget(connectorTargetId: ConnectorTargetId, input?: UpdateConnectorTarget, options?: RequestOptions): Call<ConnectorTarget>

  /**
   * Queue a full resync of a branch.
   *
   * Reads every file again, including unchanged files. No new version is created for unchanged content. If the branch was pinned by a rollback, the pin is removed and the branch head is imported.
   *
   * Requires the permission `connectors:write`. Fails with `connector_target_not_found`, `connector_instance_disabled`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.resync("ctg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  resync(connectorTargetId: ConnectorTargetId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Create a mapping.
   *
   * Maps a file or folder of a branch to config objects and queues a sync that imports it. At most 1,000 mappings per branch. Imports do not change the mapping. On a branch that is pinned by a rollback, the content is imported after the pin is removed, for example by a manual sync.
   *
   * Requires the permission `connectors:write`. Fails with `connector_target_not_found`, `connector_instance_disabled`, `connector_mapping_exists`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.createMapping("ctg_01kf0x5me8e6razepq180mhf01", { selector: "docs/guides", objectType: "context" })
   * ```
   */
  createMapping(connectorTargetId: ConnectorTargetId, input: CreateConnectorMapping, options?: RequestOptions): Call<ConnectorMapping>

  /**
   * Update a manual mapping.
   *
   * A new plugin takes effect immediately; a new selector or type takes effect with the sync that is queued. Mappings created by an import cannot be changed (403 `managed_by_connector`).
   *
   * Requires the permission `connectors:write`. Fails with `connector_mapping_not_found`, `connector_instance_disabled`, `connector_mapping_exists`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.updateMapping("cmp_01kf0x5me8e6razepq180mhf01", { selector: "docs/guides" })
   * ```
   */
  updateMapping(connectorMappingId: ConnectorMappingId, input?: UpdateConnectorMapping, options?: RequestOptions): Call<ConnectorMapping>

  /**
   * Delete a manual mapping.
   *
   * Also immediately deletes the config objects that come only from this mapping.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_mapping_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.deleteMapping("cmp_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  deleteMapping(connectorMappingId: ConnectorMappingId, options?: RequestOptions): Call<undefined>

  /**
   * Preview the impact of deleting a mapping.
   *
   * Lists the config objects that come only from the mapping and would be deleted with it. Makes no changes.
   *
   * Requires the permission `connectors:read`. Fails with `connector_mapping_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.mappingImpact("cmp_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  mappingImpact(connectorMappingId: ConnectorMappingId, options?: RequestOptions): Call<ConnectorMappingImpact>

  /**
   * Preview the changes an apply would make.
   *
   * Takes the same request body as `apply` and makes no changes. Returns the plugins, mappings and objects to add, change and remove. Waits up to 30 seconds for the repository to be read. If that takes longer, returns 503 `discovery_in_progress` until it has been read. The changes are computed from file names and digests; the sync reports files that are not text. For each plugin with changes, `capabilities` lists the capabilities that would grow, change and shrink, computed from the contents of its files. No file is executed.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`, `discovery_in_progress`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.plan("cin_01kf0x5me8e6razepq180mhf01", { selectedKeys: ["marketplace:code-review"], autoImportNewPlugins: false })
   * ```
   */
  plan(connectorInstanceId: ConnectorInstanceId, input: ConnectorsPlanInput, options?: RequestOptions): Call<ConnectorPlan>

  /**
   * Retry a sync.
   *
   * Queues a new run of a sync that failed or skipped files. The new run imports the current branch head. If the failed run was a rollback, it restores the same revision.
   *
   * Requires the permission `connectors:write`. Fails with `connector_sync_event_not_found`, `connector_instance_disabled`, `sync_not_failed`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.retrySync("cse_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  retrySync(connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Roll back a branch to an earlier revision.
   *
   * Restores the content of the revision as new versions and pins the branch to it. Uses the stored versions, so it works even if the commit no longer exists. Grants that were revoked because their object was deleted are not restored. Pushes and reconciliation do not change the imported content until a manual sync, resync, retry or apply removes the pin.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_instance_not_found`, `connector_instance_disabled`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.rollback("cin_01kf0x5me8e6razepq180mhf01", { revision: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d" })
   * ```
   */
  rollback(connectorInstanceId: ConnectorInstanceId, input: RollbackConnector, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Preview the changes a rollback would make.
   *
   * Takes the same request body as `rollback` and makes no changes. Lists the config objects and plugins to remove, restore, change and move. The repository is not read. If a sync is published after the preview, the rollback can make other changes.
   *
   * Requires the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_disabled`, `content_gone`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.planRollback("cin_01kf0x5me8e6razepq180mhf01", { revision: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d" })
   * ```
   */
  planRollback(connectorInstanceId: ConnectorInstanceId, input: RollbackConnector, options?: RequestOptions): Call<ConnectorRollbackPlan>

  /**
   * List connector accounts.
   *
   * Callers without the permission to connect repositories see only the accounts of instances that they can see.
   *
   * Requires the permission `connectors:read`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.listAccounts().take(20)
   * ```
   */
  listAccounts(input?: ConnectorsListAccountsInput, options?: RequestOptions): List<ConnectorAccount>

  /**
   * Get a connector account.
   *
   * Requires the permission `connectors:read`. Fails with `connector_account_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.getAccount("cac_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getAccount(connectorAccountId: ConnectorAccountId, options?: RequestOptions): Call<ConnectorAccount>

  /**
   * Create a connector account for plain Git.
   *
   * To create an account that uses a code host's API, install the app on the code host.
   *
   * Requires the permission `connectors:write`. Fails with `connector_account_exists`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.createAccount({ adapter: "git", url: "https://git-15.example" })
   * ```
   */
  createAccount(input: CreateConnectorAccount, options?: RequestOptions): Call<ConnectorAccount>

  /**
   * Disconnect a connector account.
   *
   * The account must not be in use by any instance. Nothing changes on the code host; the app stays installed. An installation can then be connected to another organization.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_account_not_found`, `connector_account_in_use`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.disconnectAccount("cac_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  disconnectAccount(connectorAccountId: ConnectorAccountId, options?: RequestOptions): Call<ConnectorAccount>

  /**
   * Start installing the code host app.
   *
   * Not available to API keys. Open `url` in a browser. The code host redirects the browser back with `state`, `code` and `installation_id`. Pass them to `connectors.completeInstall` within ten minutes, in the same session.
   *
   * Requires the permission `connectors:write`. Fails with `codehost_not_configured`, `codehost_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.startInstall()
   * ```
   */
  startInstall(options?: RequestOptions): Call<StartedInstall>

  /**
   * Finish installing the code host app.
   *
   * Creates a connector account for the installation; returns 200 instead of 201 when the organization already has it. On the code host, the caller must be an administrator of every repository in the installation. An installation belongs to one organization.
   *
   * Requires the permission `connectors:write`. Fails with `installation_taken`, `codehost_not_configured`, `codehost_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.completeInstall({
   *   state: "Example1-----------------------------------",
   *   code: "ABCD2345",
   *   installationId: "1"
   * })
   * ```
   */
  completeInstall(input: CompleteInstall, options?: RequestOptions): Call<ConnectorAccount>

  /**
   * List the repositories of a connector account.
   *
   * Returned in the code host's order. The `limit` of the first request applies to all pages.
   *
   * Requires the permission `connectors:write`. Fails with `connector_account_not_found`, `repositories_not_listed`, `codehost_not_configured`, `codehost_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.listRepositories("cac_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listRepositories(connectorAccountId: ConnectorAccountId, input?: ConnectorsListRepositoriesInput, options?: RequestOptions): List<CodehostRepository>

  /**
   * List the branches of a repository.
   *
   * Returned in the code host's order. The `limit` of the first request applies to all pages.
   *
   * Requires the permission `connectors:write`. Fails with `connector_account_not_found`, `repositories_not_listed`, `codehost_not_configured`, `codehost_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.listBranches("cac_01kf0x5me8e6razepq180mhf01", { remoteId: "7" }).take(20)
   * ```
   */
  listBranches(connectorAccountId: ConnectorAccountId, input: ConnectorsListBranchesInput, options?: RequestOptions): List<CodehostBranch>

  /**
   * Create a connector instance.
   *
   * Connects one branch of a repository through an existing account. Reads the repository to check the id and branch immediately.
   *
   * Requires the permission `connectors:write`. Fails with `connector_instance_exists`, `quota_exceeded`, `repository_empty`, `codehost_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.createInstance({
   *   connectorAccountId: "cac_01kf0x5me8e6razepq180mhf01",
   *   remoteId: "https://git.example/acme/team-12/plugins"
   * })
   * ```
   */
  createInstance(input: CreateConnectorInstance, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Set the credential of a connector instance.
   *
   * Replaces the access token of a plain Git repository, for example before it expires. Reads the repository to check the new token immediately; if the host rejects it, the stored token is kept. The next sync uses the new token. Not available for instances that use the app of a code host.
   *
   * Requires the permission `connectors:manage`. Fails with `connector_instance_not_found`, `repository_empty`, `codehost_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.connectors.setCredential("cin_01kf0x5me8e6razepq180mhf01", { token: "a-token-with-read-access" })
   * ```
   */
  setCredential(connectorInstanceId: ConnectorInstanceId, input: SetConnectorCredential, options?: RequestOptions): Call<ConnectorInstance>
}

/** Versioned skills, agents, commands, hooks and other content, and access to them. */
export interface ConfigObjectsOperations {
  /**
   * Create a config object.
   *
   * The new config object is private. A skill must begin with SKILL.md front matter: a `name` of at most 64 lowercase letters, digits and single hyphens, and a `description` of 1 to 1024 characters. Otherwise, returns 400 with one detail per problem, each with the `code` `invalid_skill_front_matter`.
   *
   * Requires the permission `configObjects:write`. Fails with `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.create({ input: { type: "context", rawSourceText: "# Another skill" } })
   * ```
   */
  create(input: CreateConfigObject, options?: RequestOptions): Call<ConfigObject>

  /**
   * List config objects.
   *
   * Returns the config objects that the caller can see.
   *
   * Requires the permission `configObjects:read`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.list().take(20)
   * ```
   */
  list(input?: ConfigObjectsListInput, options?: RequestOptions): List<ConfigObject>

  /**
   * Get a config object.
   *
   * Includes its latest version.
   *
   * Requires the permission `configObjects:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `config_object_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.get("cob_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(configObjectId: ConfigObjectId, options?: RequestOptions): Call<ConfigObject>

  /**
   * List the versions of a config object.
   *
   * Newest first.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.listVersions("cob_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listVersions(configObjectId: ConfigObjectId, input?: ConfigObjectsListVersionsInput, options?: RequestOptions): List<ConfigObjectVersion>

  /**
   * Get a version of a config object.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`, `config_object_version_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.getVersion("cob_01kf0x5me8e6razepq180mhf01", "cov_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getVersion(configObjectId: ConfigObjectId, versionId: ConfigObjectVersionId, options?: RequestOptions): Call<ConfigObjectVersion>

  /**
   * List the access grants of a config object.
   *
   * Includes direct, team and organization-wide grants.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.listAccess("cob_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listAccess(configObjectId: ConfigObjectId, input?: ConfigObjectsListAccessInput, options?: RequestOptions): List<ConfigObjectGrant>

  /**
   * Grant access to a config object.
   *
   * Returns 200 instead of 201 when the recipient already had a grant.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.grantAccess("cob_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
   * ```
   */
  grantAccess(configObjectId: ConfigObjectId, input: CreateGrant, options?: RequestOptions): Call<ConfigObjectGrant>

  /**
   * Revoke access to a config object.
   *
   * The revoked grant is kept as history.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`, `config_object_grant_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.revokeAccess("cob_01kf0x5me8e6razepq180mhf01", "coa_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  revokeAccess(configObjectId: ConfigObjectId, grantId: ConfigObjectAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * Archive a config object.
   *
   * Hides the config object from lists and plugins. Its versions and grants are kept.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.archive("cob_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  archive(configObjectId: ConfigObjectId, options?: RequestOptions): Call<ConfigObject>

  /**
   * Restore an archived config object.
   *
   * The config object appears in lists and in its plugins again.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.restore("cob_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  restore(configObjectId: ConfigObjectId, options?: RequestOptions): Call<ConfigObject>

  /**
   * Remove a config object.
   *
   * Removes the config object from every plugin and list, and revokes its grants.
   *
   * Requires the permission `configObjects:write`. Supports `ifMatch`. Fails with `config_object_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.remove("cob_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(configObjectId: ConfigObjectId, options?: RequestOptions): Call<undefined>

  /**
   * Create a version of a config object.
   *
   * Returns 200 and creates no version when the content is the same as in the latest version. A skill must begin with SKILL.md front matter: a `name` of at most 64 lowercase letters, digits and single hyphens, and a `description` of 1 to 1024 characters. Otherwise, returns 400 with one detail per problem, each with the `code` `invalid_skill_front_matter`.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`, `config_object_archived`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.createVersion("cob_01kf0x5me8e6razepq180mhf01", { input: { rawSourceText: "# Review checklist" } })
   * ```
   */
  createVersion(configObjectId: ConfigObjectId, input: CreateConfigObjectVersion, options?: RequestOptions): Call<ConfigObjectVersion>

  /**
   * Restore an earlier version of a config object.
   *
   * Creates a new version with the content of the earlier one. Returns 200 and creates no version when the latest version has the same content.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`, `config_object_version_not_found`, `config_object_archived`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.restoreVersion("cob_01kf0x5me8e6razepq180mhf01", "cov_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  restoreVersion(configObjectId: ConfigObjectId, versionId: ConfigObjectVersionId, options?: RequestOptions): Call<ConfigObjectVersion>

  /**
   * Compare two versions of a config object.
   *
   * Compares the text, the payload and the capabilities.
   *
   * Requires the permission `configObjects:read`. Fails with `config_object_not_found`, `config_object_version_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.diffVersions("cob_01kf0x5me8e6razepq180mhf01", "cov_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  diffVersions(configObjectId: ConfigObjectId, versionId: ConfigObjectVersionId, input?: ConfigObjectsDiffVersionsInput, options?: RequestOptions): Call<VersionDiff>

  /**
   * Add a config object to a plugin.
   *
   * Requires manager access to the config object and editor access to the plugin, because everyone who can see the plugin can then see the object. Returns 200 instead of 201 when the object is already in the plugin.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`, `config_object_archived`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.attachPlugin("cob_01kf0x5me8e6razepq180mhf01", { pluginId: "plg_01kf0x5me8e6razepq180mhf01" })
   * ```
   */
  attachPlugin(configObjectId: ConfigObjectId, input: AttachPlugin, options?: RequestOptions): Call<PluginPlacement>

  /**
   * Remove a config object from a plugin.
   *
   * Requires manager access to the config object.
   *
   * Requires the permission `configObjects:write`. Fails with `config_object_not_found`, `plugin_not_found`, `plugin_membership_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.configObjects.detachPlugin("cob_01kf0x5me8e6razepq180mhf01", "plg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  detachPlugin(configObjectId: ConfigObjectId, pluginId: PluginId, options?: RequestOptions): Call<undefined>
}

/** Sets of config objects, imported from repositories or created through the API. */
export interface PluginsOperations {
  /**
   * Create a plugin.
   *
   * The new plugin is empty and private.
   *
   * Requires the permission `plugins:write`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.create({ name: "Code review" })
   * ```
   */
  create(input: CreatePlugin, options?: RequestOptions): Call<Plugin>

  /**
   * List plugins.
   *
   * Returns the plugins that the caller can see.
   *
   * Requires the permission `plugins:read`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.list().take(20)
   * ```
   */
  list(input?: PluginsListInput, options?: RequestOptions): List<Plugin>

  /**
   * Get a plugin.
   *
   * Requires the permission `plugins:read`. Returns an `ETag` for `ifMatch`. Fails with `plugin_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.get("plg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(pluginId: PluginId, options?: RequestOptions): Call<Plugin>

  /**
   * Get the capabilities of a plugin.
   *
   * Returns what the plugin can do on a member's machine: hooks, servers, executables, tools, hosts and settings, computed from the files of its archive. Fields and files that orgplane does not recognize are included. Signals mark parts that a reviewer should read.
   *
   * Requires the permission `plugins:read`. Fails with `plugin_not_found`, `plugin_archive_not_found`, `plugin_archive_refused`, `plugin_archive_too_large`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.capabilities("plg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  capabilities(pluginId: PluginId, input?: PluginsCapabilitiesInput, options?: RequestOptions): Call<PluginCapabilities>

  /**
   * List the config objects of a plugin.
   *
   * Includes the latest version of each config object.
   *
   * Requires the permission `plugins:read`. Fails with `plugin_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.listObjects("plg_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listObjects(pluginId: PluginId, input?: PluginsListObjectsInput, options?: RequestOptions): List<PluginMembership>

  /**
   * List the access grants of a plugin.
   *
   * Requires the permission `plugins:read`. Fails with `plugin_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.listAccess("plg_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listAccess(pluginId: PluginId, input?: PluginsListAccessInput, options?: RequestOptions): List<PluginGrant>

  /**
   * Grant access to a plugin.
   *
   * The grant covers the contents of the plugin. Returns 200 instead of 201 when the recipient already had a grant.
   *
   * Requires the permission `plugins:read`. Fails with `plugin_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.grantAccess("plg_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
   * ```
   */
  grantAccess(pluginId: PluginId, input: CreateGrant, options?: RequestOptions): Call<PluginGrant>

  /**
   * Revoke access to a plugin.
   *
   * The revoked grant is kept as history.
   *
   * Requires the permission `plugins:read`. Fails with `plugin_not_found`, `plugin_grant_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.revokeAccess("plg_01kf0x5me8e6razepq180mhf01", "pag_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  revokeAccess(pluginId: PluginId, grantId: PluginAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * Update a plugin.
   *
   * Changes the name or description. Plugins managed by a connector cannot be updated.
   *
   * Requires the permission `plugins:write`. Supports `ifMatch`. Fails with `plugin_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.update("plg_01kf0x5me8e6razepq180mhf01", { name: "Code review" })
   * ```
   */
  update(pluginId: PluginId, input?: UpdatePlugin, options?: RequestOptions): Call<Plugin>

  /**
   * Archive a plugin.
   *
   * Hides the plugin and its contents from lists and marketplaces. Its grants are kept.
   *
   * Requires the permission `plugins:write`. Fails with `plugin_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.archive("plg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  archive(pluginId: PluginId, options?: RequestOptions): Call<Plugin>

  /**
   * Restore an archived plugin.
   *
   * The plugin appears in lists and in its marketplaces again.
   *
   * Requires the permission `plugins:write`. Fails with `plugin_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.restore("plg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  restore(pluginId: PluginId, options?: RequestOptions): Call<Plugin>

  /**
   * Add a config object to a plugin.
   *
   * Requires editor access to the plugin and manager access to the object, because everyone who can see the plugin can then see the object. Returns 200 instead of 201 when the object is already in the plugin.
   *
   * Requires the permission `plugins:write`. Fails with `plugin_not_found`, `config_object_archived`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.addObject("plg_01kf0x5me8e6razepq180mhf01", { configObjectId: "cob_01kf0x5me8e6razepq180mhf01" })
   * ```
   */
  addObject(pluginId: PluginId, input: AddObject, options?: RequestOptions): Call<PluginMembership>

  /**
   * Remove a config object from a plugin.
   *
   * The config object itself is kept.
   *
   * Requires the permission `plugins:write`. Fails with `plugin_not_found`, `config_object_not_found`, `plugin_membership_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.removeObject("plg_01kf0x5me8e6razepq180mhf01", "cob_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  removeObject(pluginId: PluginId, configObjectId: ConfigObjectId, options?: RequestOptions): Call<undefined>

  /**
   * Download a plugin as an archive.
   *
   * A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`.
   *
   * Requires the permission `plugins:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `plugin_not_found`, `plugin_archive_not_found`, `plugin_archive_refused`, `plugin_archive_too_large`, `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.download("plg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  download(pluginId: PluginId, input?: PluginsDownloadInput, options?: RequestOptions): Call<ReadableStream<Uint8Array>>

  /**
   * Download a plugin through a signed link.
   *
   * A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`.
   *
   * Requires no credential. Returns an `ETag`; supports `ifNoneMatch`. Fails with `plugin_archive_not_found`, `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.plugins.downloadLinked("plg_01kf0x5me8e6razepq180mhf01", {
   *   organizationId: "org_01kf0x5me8e6razepq180mhf01",
   *   holder: "om_01kf0x5me8e6razepq180mhf01",
   *   sha256: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635",
   *   expires: "1768473000",
   *   format: "zip",
   *   signature: "Example1-----------------------------------"
   * })
   * ```
   */
  downloadLinked(pluginId: PluginId, input: PluginsDownloadLinkedInput, options?: RequestOptions): Call<ReadableStream<Uint8Array>>
}

/** Collections of plugins, access to them, and the setup that each plugin still requires. */
export interface MarketplacesOperations {
  /**
   * List marketplaces.
   *
   * Returns the marketplaces that the caller can see.
   *
   * Requires the permission `marketplaces:read`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.list().take(20)
   * ```
   */
  list(input?: MarketplacesListInput, options?: RequestOptions): List<Marketplace>

  /**
   * Get a marketplace.
   *
   * Requires the permission `marketplaces:read`. Returns an `ETag` for `ifMatch`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.get("mkt_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(marketplaceId: MarketplaceId, options?: RequestOptions): Call<Marketplace>

  /**
   * List the plugins of a marketplace.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.listPlugins("mkt_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listPlugins(marketplaceId: MarketplaceId, input?: MarketplacesListPluginsInput, options?: RequestOptions): List<MarketplaceMembership>

  /**
   * Get a marketplace with its plugins.
   *
   * Includes the repository that the marketplace was imported from, and the setup that each plugin still requires.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.resolved("mkt_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  resolved(marketplaceId: MarketplaceId, options?: RequestOptions): Call<ResolvedMarketplace>

  /**
   * List the access grants of a marketplace.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.listAccess("mkt_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listAccess(marketplaceId: MarketplaceId, input?: MarketplacesListAccessInput, options?: RequestOptions): List<MarketplaceGrant>

  /**
   * Grant access to a marketplace.
   *
   * The grant covers everything in the marketplace. Returns 200 instead of 201 when the recipient already had a grant.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.grantAccess("mkt_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
   * ```
   */
  grantAccess(marketplaceId: MarketplaceId, input: CreateGrant, options?: RequestOptions): Call<MarketplaceGrant>

  /**
   * Revoke access to a marketplace.
   *
   * The revoked grant is kept as history.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`, `marketplace_grant_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.revokeAccess("mkt_01kf0x5me8e6razepq180mhf01", "mag_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  revokeAccess(marketplaceId: MarketplaceId, grantId: MarketplaceAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * Create a marketplace.
   *
   * The new marketplace is empty and private.
   *
   * Requires the permission `marketplaces:write`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.create({ name: "Engineering" })
   * ```
   */
  create(input: CreateMarketplace, options?: RequestOptions): Call<Marketplace>

  /**
   * Update a marketplace.
   *
   * Changes the name, description or logo. If a connector created the marketplace, its name and description come from the repository and cannot be changed (403 `managed_by_connector`).
   *
   * Requires the permission `marketplaces:write`. Supports `ifMatch`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.update("mkt_01kf0x5me8e6razepq180mhf01", { name: "Engineering" })
   * ```
   */
  update(marketplaceId: MarketplaceId, input?: UpdateMarketplace, options?: RequestOptions): Call<Marketplace>

  /**
   * Archive a marketplace.
   *
   * Hides the marketplace from lists; its plugins are not visible through it. Its plugins and grants are kept.
   *
   * Requires the permission `marketplaces:write`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.archive("mkt_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  archive(marketplaceId: MarketplaceId, options?: RequestOptions): Call<Marketplace>

  /**
   * Restore an archived marketplace.
   *
   * Makes the marketplace visible again to everyone it is shared with.
   *
   * Requires the permission `marketplaces:write`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.restore("mkt_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  restore(marketplaceId: MarketplaceId, options?: RequestOptions): Call<Marketplace>

  /**
   * Add a plugin to a marketplace.
   *
   * Requires editor access to the marketplace and manager access to the plugin, because everyone who can see the marketplace can then see the plugin. Returns 200 instead of 201 when the plugin is already in the marketplace.
   *
   * Requires the permission `marketplaces:write`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.addPlugin("mkt_01kf0x5me8e6razepq180mhf01", { pluginId: "plg_01kf0x5me8e6razepq180mhf01" })
   * ```
   */
  addPlugin(marketplaceId: MarketplaceId, input: AddPlugin, options?: RequestOptions): Call<MarketplaceMembership>

  /**
   * Remove a plugin from a marketplace.
   *
   * The plugin itself is kept.
   *
   * Requires the permission `marketplaces:write`. Fails with `marketplace_not_found`, `plugin_not_found`, `marketplace_membership_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.removePlugin("mkt_01kf0x5me8e6razepq180mhf01", "plg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  removePlugin(marketplaceId: MarketplaceId, pluginId: PluginId, options?: RequestOptions): Call<undefined>

  /**
   * Get the marketplace manifest (`marketplace.json`) for Claude Code.
   *
   * Each plugin has a link to its archive. The links require no credential, are valid for 55 to 60 minutes, and stop working when the caller can no longer see the plugin or its content changes. Plugins for which no archive file can be created are omitted. If many archives must be created first, the response is 503 with `Retry-After`; the next request continues where this one stopped.
   *
   * Requires the permission `marketplaces:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `marketplace_not_found`, `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.manifest("mkt_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  manifest(marketplaceId: MarketplaceId, input?: MarketplacesManifestInput, options?: RequestOptions): Call<MarketplaceManifest>

  /**
   * Create a marketplace link.
   *
   * The link gives an agent read access to the marketplace. Anyone with the link can read the marketplace and its plugins with your access, or with a team's; access is checked on each request. Only managers of the marketplace can create a link for a team. A link is valid until it expires or is revoked, or until its creator leaves the organization. API keys cannot create links.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.createLink("mkt_01kf0x5me8e6razepq180mhf01", { name: "Laptops of the platform team" })
   * ```
   */
  createLink(marketplaceId: MarketplaceId, input: CreateMarketplaceLink, options?: RequestOptions): Call<MarketplaceLinkWithUrl>

  /**
   * List the links of a marketplace.
   *
   * Managers of the marketplace see all links; other members see their own. Revoked and expired links are included.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.listLinks("mkt_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listLinks(marketplaceId: MarketplaceId, input?: MarketplacesListLinksInput, options?: RequestOptions): List<MarketplaceLink>

  /**
   * Revoke a marketplace link.
   *
   * You can revoke your own links; managers of the marketplace can revoke any link.
   *
   * Requires the permission `marketplaces:read`. Fails with `marketplace_not_found`, `marketplace_link_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.revokeLink("mkt_01kf0x5me8e6razepq180mhf01", "mkl_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  revokeLink(marketplaceId: MarketplaceId, linkId: MarketplaceLinkId, options?: RequestOptions): Call<undefined>

  /**
   * Get a marketplace through a marketplace link.
   *
   * Requires no credential. Returns the plugins that the link's member or team can see now. Plugins are zip archives; their URLs contain the same token and are valid for as long as the link is.
   *
   * Requires no credential. Returns an `ETag`; supports `ifNoneMatch`. Fails with `marketplace_link_not_found`, `rate_limited`, `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.manifestLinked("opl_ExampleOnly00000000000000000000000000000000000000")
   * ```
   */
  manifestLinked(token: MarketplaceLinkToken, options?: RequestOptions): Call<MarketplaceManifest>

  /**
   * Download a plugin through a marketplace link.
   *
   * A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`.
   *
   * Requires no credential. Returns an `ETag`; supports `ifNoneMatch`. Fails with `marketplace_link_not_found`, `plugin_archive_not_found`, `rate_limited`, `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.marketplaces.downloadLinked("opl_ExampleOnly00000000000000000000000000000000000000", "plg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  downloadLinked(token: MarketplaceLinkToken, pluginId: PluginId, options?: RequestOptions): Call<ReadableStream<Uint8Array>>
}

/** Plugin releases that are pending approval, and their decisions. Agents and members receive the served release of a plugin until a newer one is approved. */
export interface ApprovalsOperations {
  /**
   * List the releases of plugins.
   *
   * Returns pending releases by default, from all plugins of the organization, newest first. With `state=all`, returns the history: all releases with their decisions.
   *
   * Requires the permission `approvals:read`.
   *
   * @example
   * ```ts
   * await orgplane.approvals.list().take(20)
   * ```
   */
  list(input?: ApprovalsListInput, options?: RequestOptions): List<PluginRelease>

  /**
   * Get a release of a plugin.
   *
   * Includes how its capabilities differ from the release that was served when it was created, and how its name, its description, its config objects and its files differ from the release that is served now.
   *
   * Requires the permission `approvals:read`. Fails with `plugin_release_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.approvals.get("rel_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(releaseId: PluginReleaseId, options?: RequestOptions): Call<PluginReleaseDetails>

  /**
   * Get the capabilities of a release.
   *
   * Returns everything that the release can do on a member's machine, and not only the changes. Available for releases whose files are stored: the latest release of a plugin, the served release, and releases that an assignment pins. For other releases, the response is 404 `plugin_archive_not_found`.
   *
   * Requires the permission `approvals:read`. Fails with `plugin_release_not_found`, `plugin_archive_not_found`, `plugin_archive_refused`, `plugin_archive_too_large`.
   *
   * @example
   * ```ts
   * await orgplane.approvals.capabilities("rel_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  capabilities(releaseId: PluginReleaseId, input?: ApprovalsCapabilitiesInput, options?: RequestOptions): Call<PluginReleaseCapabilities>

  /**
   * Approve releases of plugins.
   *
   * An approved release starts a rollout. Without rings, all members get it at once, or when the current freeze ends. The first release of a plugin is served at once, without a rollout. If more approvals are required, the release stays pending. Each digest must be that of the release that you reviewed.
   *
   * Requires the permission `approvals:write`. Fails with `plugin_release_not_found`, `release_not_pending`, `release_digest_mismatch`, `approver_took_part`.
   *
   * @example
   * ```ts
   * await orgplane.approvals.approve({
   *   releases: [
   *     {
   *       releaseId: "rel_01kf0x5me8e6razepq180mhf01",
   *       digest: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635"
   *     }
   *   ],
   *   comment: "Reviewed."
   * })
   * ```
   */
  approve(input: ApprovePluginReleases, options?: RequestOptions): Call<{
    readonly releases: ReadonlyArray<PluginRelease>
  }>

  /**
   * Reject releases of plugins.
   *
   * The served release does not change. A rejected release can still be approved until the plugin changes again.
   *
   * Requires the permission `approvals:write`. Fails with `plugin_release_not_found`, `release_not_pending`, `release_digest_mismatch`.
   *
   * @example
   * ```ts
   * await orgplane.approvals.reject({
   *   releases: [
   *     {
   *       releaseId: "rel_01kf0x5me8e6razepq180mhf01",
   *       digest: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635"
   *     }
   *   ],
   *   comment: "Reviewed."
   * })
   * ```
   */
  reject(input: RejectPluginReleases, options?: RequestOptions): Call<{
    readonly releases: ReadonlyArray<PluginRelease>
  }>

  /**
   * Get the approval settings of the organization.
   *
   * Requires the permission `approvals:read`.
   *
   * @example
   * ```ts
   * await orgplane.approvals.getSettings()
   * ```
   */
  getSettings(options?: RequestOptions): Call<ApprovalSettings>

  /**
   * Update the approval settings of the organization.
   *
   * The strictest delivery mode of the organization, the connector instance and the marketplaces of a plugin applies. If the mode of a plugin was `auto` and becomes stricter, its current content counts as approved. If the mode becomes `auto`, its pending release is approved and served.
   *
   * Requires the permission `approvals:manage`.
   *
   * @example
   * ```ts
   * await orgplane.approvals.updateSettings({ deliveryMode: "hold_growth" })
   * ```
   */
  updateSettings(input?: UpdateApprovalSettings, options?: RequestOptions): Call<ApprovalSettings>

  /**
   * Get the delivery mode of a connector instance.
   *
   * Requires the permission `approvals:read`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.approvals.getInstanceMode("cin_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getInstanceMode(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<DeliveryModeSetting>

  /**
   * Set the delivery mode of a connector instance.
   *
   * Applies to all plugins from the instance. Default of a new instance: `hold_growth`.
   *
   * Requires the permission `approvals:manage`. Fails with `connector_instance_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.approvals.setInstanceMode("cin_01kf0x5me8e6razepq180mhf01", { deliveryMode: "hold_growth" })
   * ```
   */
  setInstanceMode(connectorInstanceId: ConnectorInstanceId, input: DeliveryModeSetting, options?: RequestOptions): Call<DeliveryModeSetting>

  /**
   * Get the delivery mode of a marketplace.
   *
   * Requires the permission `approvals:read`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.approvals.getMarketplaceMode("mkt_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getMarketplaceMode(marketplaceId: MarketplaceId, options?: RequestOptions): Call<DeliveryModeSetting>

  /**
   * Set the delivery mode of a marketplace.
   *
   * Applies to all plugins in the marketplace, and to plugins that are added later. A plugin that is added without an approved release is held for approval. Default: `auto`.
   *
   * Requires the permission `approvals:manage`. Fails with `marketplace_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.approvals.setMarketplaceMode("mkt_01kf0x5me8e6razepq180mhf01", { deliveryMode: "hold_growth" })
   * ```
   */
  setMarketplaceMode(marketplaceId: MarketplaceId, input: DeliveryModeSetting, options?: RequestOptions): Call<DeliveryModeSetting>
}

/** Plugins and marketplaces that are required, on by default, available or blocked for members, teams or the whole organization. */
export interface AssignmentsOperations {
  /**
   * Assign a plugin or a marketplace.
   *
   * The assignment applies to the specified members and teams, or to the whole organization if none are specified. It takes effect immediately. It does not grant access: members without a grant on the plugin do not receive it. Duplicate ids are ignored.
   *
   * Requires the permission `assignments:write`. Fails with `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.assignments.create({
   *   pluginId: "plg_01kf0x5me8e6razepq180mhf01",
   *   mode: "available",
   *   memberIds: ["om_01kf0x5me8e6razepq180mhf01"],
   *   teamIds: ["tem_01kf0x5me8e6razepq180mhf01"]
   * })
   * ```
   */
  create(input: CreateAssignment, options?: RequestOptions): Call<Assignment>

  /**
   * List assignments.
   *
   * Includes assignments of removed plugins and marketplaces until these are deleted permanently. They apply again if a sync restores the plugin.
   *
   * Requires the permission `assignments:read`.
   *
   * @example
   * ```ts
   * await orgplane.assignments.list().take(20)
   * ```
   */
  list(input?: AssignmentsListInput, options?: RequestOptions): List<Assignment>

  /**
   * Preview the effects of an assignment change.
   *
   * Returns the plugins whose mode or pinned digest would change for each member, regardless of the member's access. Makes no changes. Returns the same errors as the change itself would.
   *
   * Requires the permission `assignments:read`. Fails with `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.assignments.simulate({ delete: { assignmentId: "asg_01kf0x5me8e6razepq180mhf01" } })
   * ```
   */
  simulate(input?: SimulateAssignments, options?: RequestOptions): Call<AssignmentSimulation>

  /**
   * List the effective assignments of a member.
   *
   * Returns the plugins that an assignment names for the member or that the member has turned on or off. All other plugins are `available`. With `explain`, also returns the assignments that determine each mode.
   *
   * Requires the permission `assignments:read`. Fails with `member_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.assignments.effective("om_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  effective(orgMembershipId: OrganizationMembershipId, input?: AssignmentsEffectiveInput, options?: RequestOptions): List<EffectiveAssignment>

  /**
   * List the caller's effective assignments.
   *
   * Returns the plugins that an assignment names for the caller or that the caller has turned on or off, if the caller can see them. All other plugins are `available`.
   *
   * Only for members with a session.
   *
   * @example
   * ```ts
   * await orgplane.assignments.own().take(20)
   * ```
   */
  own(input?: AssignmentsOwnInput, options?: RequestOptions): List<EffectiveAssignment>

  /**
   * Turn a plugin on or off.
   *
   * Applies to the caller only. Possible if the mode of the plugin is `default_on` or `available`. orgplane keeps the choice if the mode changes later.
   *
   * Only for members with a session. Fails with `plugin_not_found`, `plugin_choice_fixed`.
   *
   * @example
   * ```ts
   * await orgplane.assignments.setChoice("plg_01kf0x5me8e6razepq180mhf01", { enabled: true })
   * ```
   */
  setChoice(pluginId: PluginId, input: SetPluginChoice, options?: RequestOptions): Call<EffectiveAssignment>

  /**
   * Reset a plugin to its assigned state.
   *
   * Deletes the caller's choice. The plugin is then on if its mode is `default_on`, and off if it is `available`.
   *
   * Only for members with a session. Fails with `plugin_not_found`, `plugin_choice_fixed`.
   *
   * @example
   * ```ts
   * await orgplane.assignments.resetChoice("plg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  resetChoice(pluginId: PluginId, options?: RequestOptions): Call<undefined>

  /**
   * Get an assignment.
   *
   * Requires the permission `assignments:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `assignment_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.assignments.get("asg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(assignmentId: AssignmentId, options?: RequestOptions): Call<Assignment>

  /**
   * Update an assignment.
   *
   * `memberIds` and `teamIds` replace the previous values. To assign another plugin or marketplace, create another assignment.
   *
   * Requires the permission `assignments:write`. Supports `ifMatch`. Fails with `assignment_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.assignments.update("asg_01kf0x5me8e6razepq180mhf01", {
   *   mode: "available",
   *   memberIds: ["om_01kf0x5me8e6razepq180mhf01"],
   *   teamIds: ["tem_01kf0x5me8e6razepq180mhf01"]
   * })
   * ```
   */
  update(assignmentId: AssignmentId, input?: UpdateAssignment, options?: RequestOptions): Call<Assignment>

  /**
   * Remove an assignment.
   *
   * Takes effect immediately.
   *
   * Requires the permission `assignments:manage`. Supports `ifMatch`. Fails with `assignment_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.assignments.remove("asg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(assignmentId: AssignmentId, options?: RequestOptions): Call<undefined>
}

/** Everything that a device of a member, or a worker, should have installed and configured. */
export interface DesiredStateOperations {
  /**
   * Get the caller's desired state.
   *
   * Returns the policy, plugins, marketplaces, MCP connections and models of the calling member. A worker gets the state of the member who created it. Poll with `If-None-Match`: the response is 304 until the state changes or is renewed. The body is canonical JSON (RFC 8785), and `ETag` is its SHA-256 in hex. `x-desired-state-signature` is the base64 Ed25519 signature of the text `orgplane desired state`, the organization's id, the id of the worker or member, the revision and the hex digest, each followed by a line feed; `x-desired-state-key-id` identifies the key in `GET /v1/keys`. API keys are not allowed.
   *
   * Returns an `ETag`; supports `ifNoneMatch`. Fails with `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.desiredState.get()
   * ```
   */
  get(options?: RequestOptions): Call<DesiredState>

  /**
   * Get the desired state of a member.
   *
   * Returns what the devices of the member should have, and why, without signature, archive links and settings of LLM providers. Objects that the caller cannot see are left out. Does not change the revision of the member's state.
   *
   * Requires the permissions `access:read`, `assignments:read` and `desktopPolicies:read`. Fails with `member_not_found`, `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.desiredState.getMember("om_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getMember(orgMembershipId: OrganizationMembershipId, options?: RequestOptions): Call<MemberDesiredState>
}

/** Compare the plugins installed on members' devices with their desired states. */
export interface DeliveryOperations {
  /**
   * Report the plugins of a device.
   *
   * Each report contains the complete state of the device and replaces the previous one. Safe to retry: a repeated report is ignored. The device belongs to the member whose credential is used; for a worker, to the member who created it. A member has at most 50 devices: an additional device replaces the one that has not reported for the longest time. API keys are not allowed.
   *
   * @example
   * ```ts
   * await orgplane.delivery.report({
   *   deviceId: "Zc4iGtDqQmW8v2Ns0aXy1w",
   *   sequence: 42,
   *   agent: "claude-code",
   *   platform: "macos",
   *   revision: 1,
   *   plugins: [
   *     {
   *       pluginId: "plg_01kf0x5me8e6razepq180mhf01",
   *       sha256: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635",
   *       digest: "2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f",
   *       state: "installed",
   *       failure: null
   *     }
   *   ],
   *   clientVersion: "1.4.0"
   * })
   * ```
   */
  report(input: DeviceReport, options?: RequestOptions): Call<DeviceReportResult>

  /**
   * Get the delivery status of plugins.
   *
   * Compares the last report of each device with the latest desired state that was issued for its member or worker. `devices` and `memberCount` are not filtered by `pluginId` and `digest`. Devices that have never reported are not counted.
   *
   * Requires the permission `delivery:read`. Fails with `plugin_not_found`, `team_not_found`, `member_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.delivery.status()
   * ```
   */
  status(input?: DeliveryStatusInput, options?: RequestOptions): Call<DeliveryStatus>

  /**
   * List the delivery status of teams.
   *
   * A member of several teams is counted in each of them. Teams without devices are included.
   *
   * Requires the permission `delivery:read`. Fails with `plugin_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.delivery.listTeams().take(20)
   * ```
   */
  listTeams(input?: DeliveryListTeamsInput, options?: RequestOptions): List<TeamDeliveryStatus>

  /**
   * List the delivery status of members.
   *
   * Returns members with at least one device. With `pluginId`, `digest` or `state`, returns only those with an installation that matches these filters. Unwanted installations do not match.
   *
   * Requires the permission `delivery:read`. Fails with `plugin_not_found`, `team_not_found`, `member_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.delivery.listMembers({ state: "failed" }).take(20)
   * ```
   */
  listMembers(input?: DeliveryListMembersInput, options?: RequestOptions): List<MemberDeliveryStatus>

  /**
   * List devices.
   *
   * With `pluginId`, `digest`, `state` or `failure`, returns only devices with an installation that matches these filters. Unwanted installations do not match.
   *
   * Requires the permission `delivery:read`. Fails with `plugin_not_found`, `team_not_found`, `member_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.delivery.listDevices({ platform: "linux" }).take(20)
   * ```
   */
  listDevices(input?: DeliveryListDevicesInput, options?: RequestOptions): List<Device>

  /**
   * Get a device.
   *
   * Includes the state of each plugin.
   *
   * Requires the permission `delivery:read`. Fails with `member_not_found`, `device_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.delivery.getDevice("om_01kf0x5me8e6razepq180mhf01", "p7RkB3uVx9LhTqYe5JmD2A")
   * ```
   */
  getDevice(orgMembershipId: OrganizationMembershipId, deviceId: DeviceId, options?: RequestOptions): Call<DeviceDetails>

  /**
   * Remove a device.
   *
   * Deletes the last report of the device. Makes no changes on the device itself. If the device reports again with a higher sequence, it is listed again.
   *
   * Requires the permission `delivery:manage`. Fails with `member_not_found`, `device_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.delivery.removeDevice("om_01kf0x5me8e6razepq180mhf01", "p7RkB3uVx9LhTqYe5JmD2A")
   * ```
   */
  removeDevice(orgMembershipId: OrganizationMembershipId, deviceId: DeviceId, options?: RequestOptions): Call<undefined>

  /**
   * Get the delivery status of past days.
   *
   * Returns the recorded days in the range, at most 400 days. Without `pluginId`, all plugins are counted. Separate records exist for at most 500 plugins per day: those with the most installations that are not running.
   *
   * Requires the permission `delivery:read`. Fails with `plugin_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.delivery.history()
   * ```
   */
  history(input?: DeliveryHistoryInput, options?: RequestOptions): Call<DeliveryHistory>

  /**
   * Get the usage of plugins and their releases.
   *
   * Counts telemetry events with the dimensions `plugin` (the plugin id), `plugin_release` (the digest of the release) and `config_object` (the id of a config object). Also returns installed plugins without events, and config objects with the same content in several installed plugins.
   *
   * Requires the permissions `delivery:read` and `analytics:read`. Fails with `plugin_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.delivery.usage()
   * ```
   */
  usage(input?: DeliveryUsageInput, options?: RequestOptions): Call<DeliveryUsage>
}

/** Deliver approved releases ring by ring, and pause a rollout if its release fails more often than the previous one. */
export interface RolloutsOperations {
  /**
   * List rollouts.
   *
   * Requires the permission `rollouts:read`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.list().take(20)
   * ```
   */
  list(input?: RolloutsListInput, options?: RequestOptions): List<Rollout>

  /**
   * Start a rollout of an approved release.
   *
   * Use this for a release that was rolled back, or for an earlier release whose files are stored. Approved releases start their rollout automatically. The open rollout of the plugin becomes `superseded`. Without `startsAt`, the first ring starts at once, or when the current freeze ends. Without rings, all members get the release at that time. If no release is served and `startsAt` is not set, all members get the release at once, even during a freeze.
   *
   * Requires the permission `rollouts:write`. Fails with `plugin_release_not_found`, `release_not_approved`, `release_served`, `release_not_stored`, `delivery_mode_auto`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.create({ releaseId: "rel_01kf0x5me8e6razepq180mhf01" })
   * ```
   */
  create(input: CreateRollout, options?: RequestOptions): Call<Rollout>

  /**
   * Get the rollout settings of the organization.
   *
   * Requires the permission `rollouts:read`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.getSettings()
   * ```
   */
  getSettings(options?: RequestOptions): Call<RolloutSettings>

  /**
   * Update the rollout settings of the organization.
   *
   * Fields that are absent keep their value. Open rollouts keep the rings that they were created with; thresholds and freezes apply to them at once. Removed teams and members in a ring are ignored.
   *
   * Requires the permission `rollouts:manage`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.updateSettings({
   *   rings: [
   *     {
   *       name: "Canary",
   *       teamIds: ["tem_01kf0x5me8e6razepq180mhf01"],
   *       memberIds: ["om_01kf0x5me8e6razepq180mhf01"],
   *       percent: 5,
   *       soakMinutes: 1440,
   *       promotion: "automatic"
   *     }
   *   ]
   * })
   * ```
   */
  updateSettings(input?: UpdateRolloutSettings, options?: RequestOptions): Call<RolloutSettings>

  /**
   * Preview a rollout.
   *
   * Returns how many members and devices each ring would reach, and when. Makes no changes.
   *
   * Requires the permission `rollouts:read`. Fails with `plugin_release_not_found`, `delivery_mode_auto`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.preview({
   *   releaseId: "rel_01kf0x5me8e6razepq180mhf01",
   *   rings: [
   *     {
   *       name: "Half",
   *       teamIds: [],
   *       memberIds: [],
   *       percent: 50,
   *       soakMinutes: 1440,
   *       promotion: "automatic"
   *     }
   *   ]
   * })
   * ```
   */
  preview(input: PreviewRollout, options?: RequestOptions): Call<RolloutPreview>

  /**
   * Withdraw a release.
   *
   * Removes all releases with the digest from the desired states of all members at once, including pinned ones: their pins are removed. Rollouts of these releases are canceled. If one of them was served, the latest earlier approved release that was served to all members and whose files are stored is served instead. If there is none, members do not receive the plugin, and all rollouts of the plugin are canceled. The digest is not served again until an approver approves it.
   *
   * Requires the permission `rollouts:manage`. Fails with `plugin_not_found`, `plugin_release_not_found`, `release_not_approved`, `delivery_mode_auto`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.withdraw({
   *   pluginId: "plg_01kf0x5me8e6razepq180mhf01",
   *   digest: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635",
   *   comment: "Leaks credentials."
   * })
   * ```
   */
  withdraw(input: WithdrawRelease, options?: RequestOptions): Call<ReleaseWithdrawal>

  /**
   * Explain which release of a plugin a member receives.
   *
   * Also returns the newer release, if there is one, why the member does not receive it yet, and when the member receives it.
   *
   * Requires the permission `rollouts:read`. Fails with `member_not_found`, `plugin_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.explain("om_01kf0x5me8e6razepq180mhf01", "plg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  explain(orgMembershipId: OrganizationMembershipId, pluginId: PluginId, options?: RequestOptions): Call<DeliveryExplanation>

  /**
   * Get a rollout.
   *
   * Includes its rings, its steps, and the comparisons that can pause it.
   *
   * Requires the permission `rollouts:read`. Fails with `rollout_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.get("rlo_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(rolloutId: RolloutId, options?: RequestOptions): Call<RolloutDetails>

  /**
   * Start a scheduled rollout now.
   *
   * Starts the first ring, even during a freeze.
   *
   * Requires the permission `rollouts:write`. Fails with `rollout_not_found`, `rollout_ended`, `rollout_paused`, `rollout_started`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.start("rlo_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  start(rolloutId: RolloutId, options?: RequestOptions): Call<Rollout>

  /**
   * Schedule the start of a rollout.
   *
   * Possible before the first ring starts. If a freeze applies at this time, the rollout starts when the freeze ends.
   *
   * Requires the permission `rollouts:write`. Fails with `rollout_not_found`, `rollout_ended`, `rollout_started`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.schedule("rlo_01kf0x5me8e6razepq180mhf01", { startsAt: "2026-01-16T09:30:00.000Z" })
   * ```
   */
  schedule(rolloutId: RolloutId, input: ScheduleRollout, options?: RequestOptions): Call<Rollout>

  /**
   * Start the next ring of a rollout now.
   *
   * Skips the rest of the soak time, and is possible during a freeze. After the last ring, all members get the release, and the rollout is completed.
   *
   * Requires the permission `rollouts:write`. Fails with `rollout_not_found`, `rollout_ended`, `rollout_paused`, `rollout_ring_changed`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.promote("rlo_01kf0x5me8e6razepq180mhf01", { ring: "Half" })
   * ```
   */
  promote(rolloutId: RolloutId, input: PromoteRollout, options?: RequestOptions): Call<Rollout>

  /**
   * Pause a rollout.
   *
   * Rings that have the release keep it. No further ring starts. The rollout stays paused until it is resumed, released, rolled back, superseded or canceled. If it was paused automatically, `pauseReason` becomes `manual`. If it is already paused manually, a different comment replaces the earlier one; otherwise, the request makes no changes.
   *
   * Requires the permission `rollouts:write`. Fails with `rollout_not_found`, `rollout_ended`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.pause("rlo_01kf0x5me8e6razepq180mhf01", { comment: "Waits for the review of a failure." })
   * ```
   */
  pause(rolloutId: RolloutId, input?: PauseRollout, options?: RequestOptions): Call<Rollout>

  /**
   * Resume a paused rollout.
   *
   * The soak time of the current ring starts again. Earlier results no longer count; later results can pause the rollout again.
   *
   * Requires the permission `rollouts:write`. Fails with `rollout_not_found`, `rollout_ended`, `rollout_not_paused`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.resume("rlo_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  resume(rolloutId: RolloutId, options?: RequestOptions): Call<Rollout>

  /**
   * Roll back a rollout.
   *
   * All members get the release that was served before the rollout. Also possible after it was completed, until a newer rollout of the plugin starts.
   *
   * Requires the permission `rollouts:write`. Fails with `rollout_not_found`, `rollout_ended`, `rollout_not_revertible`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.rollBack("rlo_01kf0x5me8e6razepq180mhf01", { comment: "The command fails on Windows." })
   * ```
   */
  rollBack(rolloutId: RolloutId, input: RollBackRollout, options?: RequestOptions): Call<Rollout>

  /**
   * Release to all members now.
   *
   * For emergencies: skips all rings, soak times, freezes and a pause. Owners and admins with a verified email address get an email (at most 50), and the rollout shows the comment.
   *
   * Requires the permission `rollouts:manage`. Fails with `rollout_not_found`, `rollout_ended`, `release_not_stored`.
   *
   * @example
   * ```ts
   * await orgplane.rollouts.release("rlo_01kf0x5me8e6razepq180mhf01", { comment: "Fixes a leak of credentials." })
   * ```
   */
  release(rolloutId: RolloutId, input: ReleaseRollout, options?: RequestOptions): Call<Rollout>
}

/** Desktop app settings for members, teams or the whole organization. */
export interface DesktopPoliciesOperations {
  /**
   * Create a desktop policy.
   *
   * The policy applies to the specified members and teams, or to the whole organization if none are specified. It takes effect immediately. Duplicate ids are ignored.
   *
   * Requires the permission `desktopPolicies:write`. Requires a plan with `desktop_policies`. Fails with `desktop_policy_exists`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.desktopPolicies.create({
   *   policyName: "Contractors",
   *   policy: {
   *     showWelcomePage: false,
   *     onboardingPrompts: ["Summarize what changed today"]
   *   },
   *   memberIds: ["om_01kf0x5me8e6razepq180mhf01"],
   *   teamIds: ["tem_01kf0x5me8e6razepq180mhf01"]
   * })
   * ```
   */
  create(input: CreateDesktopPolicy, options?: RequestOptions): Call<DesktopPolicy>

  /**
   * List desktop policies.
   *
   * Requires the permission `desktopPolicies:read`.
   *
   * @example
   * ```ts
   * await orgplane.desktopPolicies.list().take(20)
   * ```
   */
  list(input?: DesktopPoliciesListInput, options?: RequestOptions): List<DesktopPolicy>

  /**
   * Preview the effects of a desktop policy change.
   *
   * Returns the settings that would change for each member. Makes no changes. Returns the same errors as the change itself would.
   *
   * Requires the permission `desktopPolicies:read`. Requires a plan with `desktop_policies`. Fails with `desktop_policy_exists`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.desktopPolicies.simulate({ delete: { desktopPolicyId: "dpo_01kf0x5me8e6razepq180mhf01" } })
   * ```
   */
  simulate(input?: SimulateDesktopPolicies, options?: RequestOptions): Call<DesktopPolicySimulation>

  /**
   * Get the effective desktop policy of a member.
   *
   * With `explain`, also returns the policy that determines each setting.
   *
   * Requires the permission `desktopPolicies:read`. Fails with `member_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.desktopPolicies.effective("om_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  effective(orgMembershipId: OrganizationMembershipId, input?: DesktopPoliciesEffectiveInput, options?: RequestOptions): Call<EffectiveDesktopPolicyResponse>

  /**
   * Get a desktop policy.
   *
   * Requires the permission `desktopPolicies:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `desktop_policy_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.desktopPolicies.get("dpo_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(desktopPolicyId: DesktopPolicyId, options?: RequestOptions): Call<DesktopPolicy>

  /**
   * Update a desktop policy.
   *
   * `policy`, `memberIds` and `teamIds` replace the previous values.
   *
   * Requires the permission `desktopPolicies:write`. Requires a plan with `desktop_policies`. Supports `ifMatch`. Fails with `desktop_policy_not_found`, `desktop_policy_exists`.
   *
   * @example
   * ```ts
   * await orgplane.desktopPolicies.update("dpo_01kf0x5me8e6razepq180mhf01", {
   *   policyName: "Contractors",
   *   memberIds: ["om_01kf0x5me8e6razepq180mhf01"],
   *   teamIds: ["tem_01kf0x5me8e6razepq180mhf01"]
   * })
   * ```
   */
  update(desktopPolicyId: DesktopPolicyId, input?: UpdateDesktopPolicy, options?: RequestOptions): Call<DesktopPolicy>

  /**
   * Remove a desktop policy.
   *
   * The name becomes available for another policy.
   *
   * Requires the permission `desktopPolicies:manage`. Supports `ifMatch`. Fails with `desktop_policy_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.desktopPolicies.remove("dpo_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(desktopPolicyId: DesktopPolicyId, options?: RequestOptions): Call<undefined>
}

/** Versioned blueprints for plugins and their config objects. Create plugins from them. */
export interface TemplatesOperations {
  /**
   * Create a template.
   *
   * A placeholder `{{ name }}` is replaced by the value of a declared variable; `{{{{` is replaced by `{{`. Placeholders can be used in text content, in string values of `normalizedPayloadJson` and `metadata`, and in the plugin's name and description, but not in field names. In JSON, a placeholder must be inside a string; in front matter and YAML, inside a value. Values are escaped or quoted, so they are always inserted as text and cannot change the structure. Any other use of `{{` is rejected.
   *
   * Requires the permission `templates:write`. Fails with `template_exists`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.templates.create({
   *   name: "Service starter",
   *   content: {
   *     plugin: { name: "A plugin" },
   *     objects: [{ type: "context", rawSourceText: "# Some context" }]
   *   }
   * })
   * ```
   */
  create(input: CreateTemplate, options?: RequestOptions): Call<{
    readonly template: Template
    readonly version: TemplateVersion
  }>

  /**
   * List templates.
   *
   * Requires the permission `templates:read`.
   *
   * @example
   * ```ts
   * await orgplane.templates.list().take(20)
   * ```
   */
  list(input?: TemplatesListInput, options?: RequestOptions): List<Template>

  /**
   * Get a template.
   *
   * Includes its latest version.
   *
   * Requires the permission `templates:read`. Returns an `ETag`; supports `ifNoneMatch`. Fails with `template_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.templates.get("tpl_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(templateId: TemplateId, options?: RequestOptions): Call<{
    readonly template: Template
    readonly version: TemplateVersion
  }>

  /**
   * Update a template.
   *
   * Changes the name or description. To change the content, create a version.
   *
   * Requires the permission `templates:write`. Supports `ifMatch`. Fails with `template_not_found`, `template_exists`.
   *
   * @example
   * ```ts
   * await orgplane.templates.update("tpl_01kf0x5me8e6razepq180mhf01", { name: "Service starter" })
   * ```
   */
  update(templateId: TemplateId, input?: UpdateTemplate, options?: RequestOptions): Call<Template>

  /**
   * Remove a template.
   *
   * Also removes its versions. Plugins created from it are kept.
   *
   * Requires the permission `templates:manage`. Supports `ifMatch`. Fails with `template_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.templates.remove("tpl_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(templateId: TemplateId, options?: RequestOptions): Call<undefined>

  /**
   * List the versions of a template.
   *
   * Newest first, without their content.
   *
   * Requires the permission `templates:read`. Fails with `template_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.templates.listVersions("tpl_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listVersions(templateId: TemplateId, input?: TemplatesListVersionsInput, options?: RequestOptions): List<TemplateVersionSummary>

  /**
   * Get a version of a template.
   *
   * Includes its content.
   *
   * Requires the permission `templates:read`. Fails with `template_not_found`, `template_version_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.templates.getVersion("tpl_01kf0x5me8e6razepq180mhf01", "tpv_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getVersion(templateId: TemplateId, versionId: TemplateVersionId, options?: RequestOptions): Call<TemplateVersion>

  /**
   * Create a version of a template.
   *
   * Returns 200 and creates no version when the content is the same as in the latest version. A placeholder `{{ name }}` is replaced by the value of a declared variable; `{{{{` is replaced by `{{`. Placeholders can be used in text content, in string values of `normalizedPayloadJson` and `metadata`, and in the plugin's name and description, but not in field names. In JSON, a placeholder must be inside a string; in front matter and YAML, inside a value. Values are escaped or quoted, so they are always inserted as text and cannot change the structure. Any other use of `{{` is rejected.
   *
   * Requires the permission `templates:write`. Fails with `template_not_found`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.templates.createVersion("tpl_01kf0x5me8e6razepq180mhf01", { content: { plugin: { name: "Code review" }, objects: [] } })
   * ```
   */
  createVersion(templateId: TemplateId, input: CreateTemplateVersion, options?: RequestOptions): Call<TemplateVersion>

  /**
   * Restore an earlier version of a template.
   *
   * Creates a new version with the content of the earlier one. Returns 200 and creates no version when the latest version has the same content.
   *
   * Requires the permission `templates:write`. Fails with `template_not_found`, `template_version_not_found`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.templates.restoreVersion("tpl_01kf0x5me8e6razepq180mhf01", "tpv_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  restoreVersion(templateId: TemplateId, versionId: TemplateVersionId, options?: RequestOptions): Call<TemplateVersion>

  /**
   * Compare two versions of a template.
   *
   * Requires the permission `templates:read`. Fails with `template_not_found`, `template_version_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.templates.diffVersions("tpl_01kf0x5me8e6razepq180mhf01", "tpv_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  diffVersions(templateId: TemplateId, versionId: TemplateVersionId, input?: TemplatesDiffVersionsInput, options?: RequestOptions): Call<TemplateDiff>

  /**
   * Preview a plugin from a template.
   *
   * Returns the plugin that `templates.instantiate` would create with these values, or the same validation errors. Makes no changes.
   *
   * Requires the permission `templates:read`. Fails with `template_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.templates.preview("tpl_01kf0x5me8e6razepq180mhf01", { name: "Incident review" })
   * ```
   */
  preview(templateId: TemplateId, input?: InstantiateTemplate, options?: RequestOptions): Call<TemplatePreview>

  /**
   * Create a plugin from a template.
   *
   * Creates a private plugin with its config objects in one transaction. The caller becomes their manager. They are kept when the template changes or is removed.
   *
   * Requires the permissions `plugins:write`, `configObjects:write` and `templates:read`. Fails with `template_not_found`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.templates.instantiate("tpl_01kf0x5me8e6razepq180mhf01", { name: "Incident review" })
   * ```
   */
  instantiate(templateId: TemplateId, input?: InstantiateTemplate, options?: RequestOptions): Call<TemplateInstantiation>

  /**
   * List the plugins created from a template.
   *
   * Returns the plugins that the caller can see.
   *
   * Requires the permission `templates:read`. Fails with `template_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.templates.listInstances("tpl_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listInstances(templateId: TemplateId, input?: TemplatesListInstancesInput, options?: RequestOptions): List<TemplateInstance>
}

/** Discover, connect, monitor and test MCP servers. */
export interface McpConnectionsOperations {
  /**
   * Create an MCP connection.
   *
   * The connection is private, and the server is not contacted yet.
   *
   * Requires the permission `mcpConnections:write`. Fails with `mcp_connection_exists`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.create({ name: "Linear (read only)", url: "https://mcp.example", authType: "none" })
   * ```
   */
  create(input: CreateMcpConnection, options?: RequestOptions): Call<McpConnection>

  /**
   * List MCP connections.
   *
   * Returns the connections that the caller can see.
   *
   * Requires the permission `mcpConnections:read`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.list().take(20)
   * ```
   */
  list(input?: McpConnectionsListInput, options?: RequestOptions): List<McpConnection>

  /**
   * Get an MCP connection.
   *
   * Requires the permission `mcpConnections:read`. Returns an `ETag` for `ifMatch`. Fails with `connection_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.get("emc_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(connectionId: ExternalMCPConnectionId, options?: RequestOptions): Call<McpConnection>

  /**
   * Update an MCP connection.
   *
   * Requires manager access. Changing the URL, authentication type or credential mode deletes its credentials and the approved state of the server.
   *
   * Requires the permission `mcpConnections:write`. Supports `ifMatch`. Fails with `connection_not_found`, `mcp_connection_exists`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.update("emc_01kf0x5me8e6razepq180mhf01", { name: "Linear (read only)" })
   * ```
   */
  update(connectionId: ExternalMCPConnectionId, input?: UpdateMcpConnection, options?: RequestOptions): Call<McpConnection>

  /**
   * Remove an MCP connection.
   *
   * Also deletes its credentials and revokes its grants.
   *
   * Requires the permission `mcpConnections:manage`. Supports `ifMatch`. Fails with `connection_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.remove("emc_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(connectionId: ExternalMCPConnectionId, options?: RequestOptions): Call<undefined>

  /**
   * List the access grants of an MCP connection.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.listAccess("emc_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listAccess(connectionId: ExternalMCPConnectionId, input?: McpConnectionsListAccessInput, options?: RequestOptions): List<McpConnectionGrant>

  /**
   * Grant access to an MCP connection.
   *
   * Returns 200 instead of 201 when the recipient already had a grant. The role of owner or admin is not enough to use the tools: owners and admins also need a grant for themselves, for one of their teams, or for the whole organization.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.grantAccess("emc_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
   * ```
   */
  grantAccess(connectionId: ExternalMCPConnectionId, input: CreateGrant, options?: RequestOptions): Call<McpConnectionGrant>

  /**
   * Revoke access to an MCP connection.
   *
   * The revoked grant is kept as history.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `mcp_connection_grant_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.revokeAccess("emc_01kf0x5me8e6razepq180mhf01", "emg_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  revokeAccess(connectionId: ExternalMCPConnectionId, grantId: MCPConnectionAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * List the tools of an MCP connection.
   *
   * Ordered by name. The server is contacted at most once every five minutes, unless `refresh` is `true`. Requires a grant that includes the caller, even if the caller is an owner or admin, because the request uses the connection's credential.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `connection_not_ready`, `mcp_server_error`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.listTools("emc_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listTools(connectionId: ExternalMCPConnectionId, input?: McpConnectionsListToolsInput, options?: RequestOptions): List<McpTool, { readonly fingerprint: string; readonly checkedAt: Timestamp }>

  /**
   * Get the tool policy of an MCP connection.
   *
   * The policy determines which tools may be called.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.getToolPolicy("emc_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getToolPolicy(connectionId: ExternalMCPConnectionId, options?: RequestOptions): Call<McpToolPolicy>

  /**
   * Set the tool policy of an MCP connection.
   *
   * Requires manager access. The policy can name tools that do not exist yet.
   *
   * Requires the permission `mcpConnections:write`. Fails with `connection_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.setToolPolicy("emc_01kf0x5me8e6razepq180mhf01", { mode: "listed", allowed: ["search_issues"], denied: [] })
   * ```
   */
  setToolPolicy(connectionId: ExternalMCPConnectionId, input: McpToolPolicy, options?: RequestOptions): Call<McpToolPolicy>

  /**
   * Show how an MCP server differs from its approved state.
   *
   * New and changed tools are blocked until a manager accepts them. If the issuer, the authorization endpoint or the token endpoint changes, the whole connection is blocked.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `mcp_review_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.getReview("emc_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getReview(connectionId: ExternalMCPConnectionId, options?: RequestOptions): Call<McpReview>

  /**
   * Accept or reject changes to an MCP server.
   *
   * Requires manager access. Rejected changes stay blocked.
   *
   * Requires the permission `mcpConnections:write`. Fails with `connection_not_found`, `mcp_review_not_found`, `stale_revision`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.decideReview("emc_01kf0x5me8e6razepq180mhf01", {
   *   fingerprint: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635",
   *   decision: "accept"
   * })
   * ```
   */
  decideReview(connectionId: ExternalMCPConnectionId, input: DecideMcpReview, options?: RequestOptions): Call<McpConnection>

  /**
   * Make a diagnostic call to a tool.
   *
   * Runs one tool and returns the HTTP exchange with secrets redacted. The exchange is not stored. Takes at most 60 seconds. Limit: 60 calls per minute per organization. Requires a grant that includes the caller. Returns 403 `policy_blocked` if the policy denies the tool, and 403 `tool_review_required` if the tool is new or changed and has not been accepted.
   *
   * Requires the permission `mcp:call`. Fails with `connection_not_found`, `connection_not_ready`, `tool_execution_failed`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.callTool("emc_01kf0x5me8e6razepq180mhf01", { toolName: "search_issues", arguments: { text: "login" } })
   * ```
   */
  callTool(connectionId: ExternalMCPConnectionId, input: CallMcpTool, options?: RequestOptions): Call<McpToolCall>

  /**
   * Start the OAuth flow of an MCP connection.
   *
   * Not available to API keys. Open `url` in a browser. The authorization server redirects the browser to the callback, which stores nothing. Pass `state`, `code` and `iss` to `mcpConnections.completeConnect` within ten minutes, in the same session. Connecting a shared credential requires manager access; connecting your own requires viewer access.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `connection_not_ready`, `mcp_server_error`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.startConnect("emc_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  startConnect(connectionId: ExternalMCPConnectionId, input?: StartMcpConnect, options?: RequestOptions): Call<StartedConnect>

  /**
   * Complete the OAuth flow of an MCP connection.
   *
   * Exchanges the authorization code for a credential and stores it encrypted.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `connection_not_ready`, `mcp_server_error`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.completeConnect("emc_01kf0x5me8e6razepq180mhf01", {
   *   code: "ABCD2345",
   *   state: "Example1-----------------------------------",
   *   iss: "https://orgplane.example"
   * })
   * ```
   */
  completeConnect(connectionId: ExternalMCPConnectionId, input: CompleteConnect, options?: RequestOptions): Call<McpConnection>

  /**
   * Set the API key of an MCP connection.
   *
   * Setting a shared key requires manager access; any member with a grant can set their own key. The key is checked once with the MCP server. If the server rejects it, returns 400 and does not store the key.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`, `connection_not_ready`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.setApiKey("emc_01kf0x5me8e6razepq180mhf01", { apiKey: "a-key-that-nobody-may-see" })
   * ```
   */
  setApiKey(connectionId: ExternalMCPConnectionId, input: SetMcpApiKey, options?: RequestOptions): Call<McpConnection>

  /**
   * Disconnect an MCP connection.
   *
   * Deletes the shared credential, or the caller's own if `credentialMode` is `per_member`. Idempotent.
   *
   * Requires the permission `mcpConnections:read`. Fails with `connection_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.disconnect("emc_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  disconnect(connectionId: ExternalMCPConnectionId, options?: RequestOptions): Call<McpConnection>

  /**
   * Receive the browser's redirect from an authorization server.
   *
   * Stores nothing. Redirects the browser to the `returnTo` URL from `startConnect` with the state, code and issuer. Without `returnTo`, shows the values to pass to `completeConnect`.
   */
  callback(input?: McpConnectionsCallbackInput, options?: RequestOptions): Call<string | undefined>

  /**
   * Get the OAuth client metadata document.
   *
   * The client id is the URL of this document.
   *
   * Requires no credential.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.clientMetadata()
   * ```
   */
  clientMetadata(options?: RequestOptions): Call<McpClientMetadata>

  /**
   * List the well-known MCP servers.
   *
   * Ordered by name.
   *
   * Requires the permission `mcpConnections:read`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.listPresets().take(20)
   * ```
   */
  listPresets(input?: McpConnectionsListPresetsInput, options?: RequestOptions): List<ListedMcpPreset>

  /**
   * Find the MCP server for a URL, host or product name.
   *
   * Also returns the server's requirements. Does not create or store anything, and does not register an OAuth client. Tries at most five URLs, for up to 8 seconds each and 15 seconds in total. Limit per organization: 30 queries per minute and 3 concurrent queries. A query that is queued for more than 30 seconds returns 503.
   *
   * Requires the permission `mcp:resolve`. Fails with `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.mcpConnections.resolve({ query: "a sentence that means nothing here" })
   * ```
   */
  resolve(input: ResolveMcp, options?: RequestOptions): Call<McpResolution>
}

/** Model providers shared with members, chosen from the catalog or defined by a URL. */
export interface LlmProvidersOperations {
  /**
   * Create an LLM provider.
   *
   * The provider is private and is not contacted yet. For a provider from the catalog, the URL, API format and environment variables default to the catalog's values.
   *
   * Requires the permission `llmProviders:write`. Fails with `llm_provider_exists`, `model_catalog_not_configured`, `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.create({
   *   name: "Internal models",
   *   providerId: "custom",
   *   baseUrl: "https://192.0.2.1/v1",
   *   credentialMode: "none"
   * })
   * ```
   */
  create(input: CreateLlmProvider, options?: RequestOptions): Call<LlmProvider>

  /**
   * List LLM providers.
   *
   * Returns the providers that the caller can see.
   *
   * Requires the permission `llmProviders:read`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.list().take(20)
   * ```
   */
  list(input?: LlmProvidersListInput, options?: RequestOptions): List<LlmProvider>

  /**
   * Get an LLM provider.
   *
   * Requires the permission `llmProviders:read`. Returns an `ETag` for `ifMatch`. Fails with `llm_provider_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.get("llm_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(llmProviderId: LLMProviderId, options?: RequestOptions): Call<LlmProvider>

  /**
   * Update an LLM provider.
   *
   * Requires manager access. Changing the provider, URL or credential mode deletes its keys.
   *
   * Requires the permission `llmProviders:write`. Supports `ifMatch`. Fails with `llm_provider_not_found`, `llm_provider_exists`, `model_catalog_not_configured`, `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.update("llm_01kf0x5me8e6razepq180mhf01", { name: "Models of the platform team" })
   * ```
   */
  update(llmProviderId: LLMProviderId, input?: UpdateLlmProvider, options?: RequestOptions): Call<LlmProvider>

  /**
   * Remove an LLM provider.
   *
   * Also deletes its keys and revokes its grants.
   *
   * Requires the permission `llmProviders:manage`. Supports `ifMatch`. Fails with `llm_provider_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.remove("llm_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(llmProviderId: LLMProviderId, options?: RequestOptions): Call<undefined>

  /**
   * List the access grants of an LLM provider.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.listAccess("llm_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listAccess(llmProviderId: LLMProviderId, input?: LlmProvidersListAccessInput, options?: RequestOptions): List<LlmProviderGrant>

  /**
   * Grant access to an LLM provider.
   *
   * Returns 200 instead of 201 when the recipient already had a grant. To receive the key, owners and admins also need a grant that includes them.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.grantAccess("llm_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
   * ```
   */
  grantAccess(llmProviderId: LLMProviderId, input: CreateGrant, options?: RequestOptions): Call<LlmProviderGrant>

  /**
   * Revoke access to an LLM provider.
   *
   * The revoked grant is kept as history.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`, `llm_provider_grant_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.revokeAccess("llm_01kf0x5me8e6razepq180mhf01", "lla_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  revokeAccess(llmProviderId: LLMProviderId, grantId: LLMProviderAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * List the models of the public catalog.
   *
   * Ordered by provider and id. The server fetches the catalog at most once an hour for all organizations and sends none of your data. Returns 409 if the operator has turned the catalog off, and 503 until the catalog has been fetched once.
   *
   * Requires the permission `llmProviders:read`. Fails with `model_catalog_not_configured`, `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.listCatalog().take(20)
   * ```
   */
  listCatalog(input?: LlmProvidersListCatalogInput, options?: RequestOptions): List<CatalogModel, { readonly generatedAt: Timestamp; readonly stale: boolean }>

  /**
   * List the providers of the public catalog.
   *
   * Ordered by id.
   *
   * Requires the permission `llmProviders:read`. Fails with `model_catalog_not_configured`, `unavailable`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.listCatalogProviders().take(20)
   * ```
   */
  listCatalogProviders(input?: LlmProvidersListCatalogProvidersInput, options?: RequestOptions): List<CatalogProvider, { readonly generatedAt: Timestamp; readonly stale: boolean }>

  /**
   * Set the credential of an LLM provider.
   *
   * Stores the key encrypted and replaces the previous one. Setting a shared key requires manager access; any member with a grant can set their own key. The key is not checked against the provider; use `test` for that.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`, `connection_not_ready`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.setCredential("llm_01kf0x5me8e6razepq180mhf01", { apiKey: "a-key-of-a-provider-that-nobody-may-see" })
   * ```
   */
  setCredential(llmProviderId: LLMProviderId, input: SetLlmCredential, options?: RequestOptions): Call<LlmProvider>

  /**
   * Delete the credential of an LLM provider.
   *
   * Deletes the shared key, or the caller's own if `credentialMode` is `per_member`.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`, `llm_credential_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.removeCredential("llm_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  removeCredential(llmProviderId: LLMProviderId, options?: RequestOptions): Call<undefined>

  /**
   * Get everything needed to use an LLM provider.
   *
   * Returns the connection settings, including the key. Requires a grant that includes the caller, even if the caller is an owner or admin, because the response contains the key (403 `grant_required` otherwise). Returns 409 if no key is set for the caller.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`, `connection_not_ready`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.connect("llm_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  connect(llmProviderId: LLMProviderId, options?: RequestOptions): Call<LlmConnection>

  /**
   * Test the connection to an LLM provider.
   *
   * Lists the provider's models with the caller's key; spends no tokens. Takes at most 15 seconds. Limit: 30 tests per minute per organization. If the test fails, returns 200 with `ok: false` and the cause.
   *
   * Requires the permission `llmProviders:read`. Fails with `llm_provider_not_found`, `connection_not_ready`.
   *
   * @example
   * ```ts
   * await orgplane.llmProviders.test("llm_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  test(llmProviderId: LLMProviderId, options?: RequestOptions): Call<LlmProviderTest>
}

/** Create mail drafts, read mail messages and add meeting links on behalf of the calling member. Mail is never sent. */
export interface CapabilitiesOperations {
  /**
   * Create a mail draft.
   *
   * Creates a draft in the caller's mailbox. The draft is never sent.
   *
   * Only for members with a session. Fails with `needs_connection`, `suite_a_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.capabilities.createMailDraft({ to: ["ann@example.com"], subject: "Weekly report", body: "A body" })
   * ```
   */
  createMailDraft(input: CreateMailDraft, options?: RequestOptions): Call<MailMessage>

  /**
   * Read a mail message.
   *
   * Returns one message from the caller's mailbox. The body is requested as plain text.
   *
   * Only for members with a session. Fails with `needs_connection`, `suite_a_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.capabilities.getMailMessage("nothing")
   * ```
   */
  getMailMessage(messageId: string, options?: RequestOptions): Call<MailMessage>

  /**
   * Add a video meeting to a calendar event.
   *
   * Updates an event on the caller's primary calendar. If the event already has a video meeting, it is kept.
   *
   * Only for members with a session. Fails with `needs_connection`, `suite_b_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.capabilities.updateCalendarEvent("nothing", { createMeetLink: true })
   * ```
   */
  updateCalendarEvent(eventId: string, input: UpdateCalendarEvent, options?: RequestOptions): Call<CalendarEvent>

  /**
   * List the caller's suite connections.
   *
   * Returns one connection for each suite.
   *
   * Only for members with a session.
   *
   * @example
   * ```ts
   * await orgplane.capabilities.listConnections().take(20)
   * ```
   */
  listConnections(input?: CapabilitiesListConnectionsInput, options?: RequestOptions): List<CapabilityConnection>

  /**
   * Get the caller's connection to a suite.
   *
   * Only for members with a session.
   *
   * @example
   * ```ts
   * await orgplane.capabilities.getConnection("suite-a")
   * ```
   */
  getConnection(suite: Suite, options?: RequestOptions): Call<CapabilityConnection>

  /**
   * Start connecting the caller's account to a suite.
   *
   * Open `url` in a browser. The suite redirects the browser to the callback, which stores nothing. Pass `state` and `code` to `capabilities.completeConnect` within ten minutes, in the same session.
   *
   * Only for members with a session. Fails with `suite_not_configured`.
   *
   * @example
   * ```ts
   * await orgplane.capabilities.startConnect("suite-a")
   * ```
   */
  startConnect(suite: Suite, input?: StartSuiteConnect, options?: RequestOptions): Call<StartedConnect>

  /**
   * Finish connecting the caller's account to a suite.
   *
   * Exchanges the authorization code for a credential and stores it, encrypted, for the caller.
   *
   * Only for members with a session. Fails with `suite_not_configured`, `suite_a_api_error`, `suite_b_api_error`.
   *
   * @example
   * ```ts
   * await orgplane.capabilities.completeConnect("suite-a", { code: "ABCD2345", state: "Example1-----------------------------------" })
   * ```
   */
  completeConnect(suite: Suite, input: CompleteSuiteConnect, options?: RequestOptions): Call<CapabilityConnection>

  /**
   * Disconnect the caller's account from a suite.
   *
   * Deletes the caller's credential for the suite. Idempotent.
   *
   * Only for members with a session.
   *
   * @example
   * ```ts
   * await orgplane.capabilities.disconnect("suite-a")
   * ```
   */
  disconnect(suite: Suite, options?: RequestOptions): Call<CapabilityConnection>

  /**
   * Receive the browser's redirect from a suite.
   *
   * Stores nothing. Redirects the browser to the `returnTo` URL from `startConnect` with the state, code and issuer. Without `returnTo`, shows the values to pass to `completeConnect`.
   */
  callback(input?: CapabilitiesCallbackInput, options?: RequestOptions): Call<string | undefined>
}

/** Personal memories. Only the person who saved a memory can read it; owners, admins, API keys and organization exports cannot. */
export interface MemoryOperations {
  /**
   * Save a memory.
   *
   * The server sets `source` and `scope`; values in the request are ignored. Limit: 10,000 memories and 100,000 indexed words per user per organization.
   *
   * Only for members with a session. Fails with `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.memory.save({ content: "Prefers pull requests of at most 200 lines." })
   * ```
   */
  save(input: SaveMemory, options?: RequestOptions): Call<Memory>

  /**
   * Search the caller's memories.
   *
   * Searches content, tags and snippets. Best matches first; equal matches newest first. Returns an empty list if nothing matches the query.
   *
   * Only for members with a session.
   *
   * @example
   * ```ts
   * await orgplane.memory.search({ q: "a question" })
   * ```
   */
  search(input: MemorySearchInput, options?: RequestOptions): Call<{
    readonly results: ReadonlyArray<MemorySearchResult>
  }>

  /**
   * Export the caller's memories.
   *
   * Streams NDJSON lines of `{ kind, item }`: first a `memories` line with the user id and the organization ids, then one `memory` line per memory with its contexts, newest first. The last line has the kind `end` and contains the number of preceding lines.
   *
   * Only for members with a session.
   *
   * @example
   * ```ts
   * await orgplane.memory.export()
   * ```
   */
  export(input?: MemoryExportInput, options?: RequestOptions): Call<ReadableStream<Uint8Array>>

  /**
   * List the caller's memories.
   *
   * Only for members with a session.
   *
   * @example
   * ```ts
   * await orgplane.memory.list().take(20)
   * ```
   */
  list(input?: MemoryListInput, options?: RequestOptions): List<Memory>

  /**
   * Get a memory.
   *
   * Includes its contexts.
   *
   * Only for members with a session. Fails with `memory_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.memory.get("mem_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(memoryId: string, options?: RequestOptions): Call<WholeMemory>

  /**
   * Delete a memory.
   *
   * Permanent and immediate.
   *
   * Only for members with a session. Fails with `memory_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.memory.delete("mem_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  delete(memoryId: string, options?: RequestOptions): Call<undefined>

  /**
   * Delete all of the caller's memories in the organization.
   *
   * Permanent and immediate.
   *
   * Only for members with a session.
   *
   * @example
   * ```ts
   * await orgplane.memory.deleteAll()
   * ```
   */
  deleteAll(options?: RequestOptions): Call<undefined>
}

/** Events that the desktop app and workers send for members. */
export interface TelemetryOperations {
  /**
   * Ingest a batch of telemetry events.
   *
   * Responds after the events are stored durably. The organization and member come only from the credential. Events with a missing or invalid `type`, `timestamp` or `source` are dropped, and fields that are not allowed are removed. Neither causes an error; the ledger counts both under the request's `x-request-id`. If each event has an `id`, you can retry the batch after any failure: no event is counted twice.
   *
   * @example
   * ```ts
   * await orgplane.telemetry.ingest({
   *   events: [
   *     {
   *       id: "event 16",
   *       type: "task.completed",
   *       timestamp: "2026-01-15T09:30:00.000Z",
   *       source: "app"
   *     }
   *   ]
   * })
   * ```
   */
  ingest(input: IngestTelemetry, options?: RequestOptions): Call<undefined>

  /**
   * Get the accepted telemetry events and fields.
   *
   * Includes their limits.
   *
   * @example
   * ```ts
   * await orgplane.telemetry.describe()
   * ```
   */
  describe(options?: RequestOptions): Call<TelemetryDescription>

  /**
   * List the results of telemetry batches.
   *
   * Covers the last 30 days.
   *
   * Requires the permission `telemetry:read`.
   *
   * @example
   * ```ts
   * await orgplane.telemetry.ledger().take(20)
   * ```
   */
  ledger(input?: TelemetryLedgerInput, options?: RequestOptions): List<TelemetryLedgerEntry>

  /**
   * List event dimensions.
   *
   * Returns dimension types and their values, with the number of events and the time of the latest one. Values are sorted by when the server first stored them, newest first. Events past the retention period are not counted.
   *
   * Requires the permission `analytics:read`.
   *
   * @example
   * ```ts
   * await orgplane.telemetry.dimensions().take(20)
   * ```
   */
  dimensions(input?: TelemetryDimensionsInput, options?: RequestOptions): List<SeenDimension, { readonly types: ReadonlyArray<SeenDimensionType>; readonly generatedAt: Timestamp }>

  /**
   * Get adoption metrics.
   *
   * Counts active, new and returning members by day or week, source, team and dimension. At most 400 days or weeks. Only current members are counted.
   *
   * Requires the permission `analytics:read`.
   *
   * @example
   * ```ts
   * await orgplane.telemetry.adoption()
   * ```
   */
  adoption(input?: TelemetryAdoptionInput, options?: RequestOptions): Call<{
    readonly adoption: Adoption
    /** All events acknowledged before this time are counted. Later events might not be. */
    readonly generatedAt: Timestamp
  }>

  /**
   * Get event analytics.
   *
   * Measures events by day or week, in total or by group, with filters. At most 400 days or weeks. Percentiles by team or member, and grouping by one dimension while filtering by another, are not supported (400).
   *
   * Requires the permission `analytics:read`. Requires a plan with `analytics`.
   *
   * @example
   * ```ts
   * await orgplane.telemetry.analytics()
   * ```
   */
  analytics(input?: TelemetryAnalyticsInput, options?: RequestOptions): Call<{
    readonly analytics: Analytics
    /** All events acknowledged before this time are counted. Later events might not be. */
    readonly generatedAt: Timestamp
  }>
}

/** Everything in the organization that waits for a decision, fails, or expires soon. */
export interface AttentionOperations {
  /**
   * List what needs attention.
   *
   * Returns the items that the caller can see and act on: a kind is included if the caller has the permissions to list its objects and to resolve its items, and an object with grants if the caller's level on it is high enough. Callers without these permissions get an empty list. Sorted by severity, then by kind, then oldest first. At most 100 items of each kind are listed. A credential, a link or an invitation expires soon when less than a quarter of its lifetime remains, and at most 30 days before it expires.
   *
   * @example
   * ```ts
   * await orgplane.attention.list().take(20)
   * ```
   */
  list(input?: AttentionListInput, options?: RequestOptions): List<AttentionItem, { readonly counts: ReadonlyArray<AttentionCount> }>
}

/** Find objects of several kinds by name. */
export interface SearchOperations {
  /**
   * Search objects by name.
   *
   * Searches the objects that the caller can see: each kind requires the permission of its list, and kinds without it are left out. Archived objects and revoked API keys are not found. Names that equal the text come first, then names that start with it, then the others; within these, in the order of the kinds, newest first.
   *
   * @example
   * ```ts
   * await orgplane.search.objects({ q: "review" })
   * ```
   */
  objects(input: SearchObjectsInput, options?: RequestOptions): Call<{
    readonly items: ReadonlyArray<SearchResult>
    /** Whether more objects of a kind match. Use the list of the kind to get all of them. */
    readonly truncated: boolean
  }>
}

/** Metrics and lists for organization and platform administrators. */
export interface AdminOperations {
  /**
   * Get the metrics of the organization.
   *
   * Returns counts of users, workers, activity and invitations, and a daily series. A platform administrator who does not specify an organization gets the totals across all organizations.
   *
   * Requires the permission `analytics:read`, or a platform administrator.
   *
   * @example
   * ```ts
   * await orgplane.admin.metrics()
   * ```
   */
  metrics(options?: RequestOptions): Call<{
    readonly summary: AdminMetrics
    /** All events acknowledged before this time are counted. Later events might not be. */
    readonly generatedAt: Timestamp
  }>

  /**
   * Get an overview of the organization.
   *
   * Returns resource counts, the syncs and connections that need attention, and the most recent changes.
   *
   * Requires the permission `audit:read`.
   *
   * @example
   * ```ts
   * await orgplane.admin.overview()
   * ```
   */
  overview(options?: RequestOptions): Call<{
    readonly overview: AdminOverview
    readonly generatedAt: Timestamp
  }>

  /**
   * List all users of the installation.
   *
   * Only for platform administrators.
   *
   * @example
   * ```ts
   * await orgplane.admin.listPlatformUsers().take(20)
   * ```
   */
  listPlatformUsers(input?: AdminListPlatformUsersInput, options?: RequestOptions): List<PlatformUser>

  /**
   * List all organizations of the installation.
   *
   * Only for platform administrators.
   *
   * @example
   * ```ts
   * await orgplane.admin.listPlatformOrganizations().take(20)
   * ```
   */
  listPlatformOrganizations(input?: AdminListPlatformOrganizationsInput, options?: RequestOptions): List<PlatformOrganization>

  /**
   * Change the plan of an organization.
   *
   * Each server process applies the new plan to all subsequent requests.
   *
   * Only for platform administrators. Fails with `organization_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.admin.updatePlan("org_01kf0x5me8e6razepq180mhf01", { plan: "enterprise" })
   * ```
   */
  updatePlan(organizationId: OrganizationId, input: UpdatePlan, options?: RequestOptions): Call<Organization>
}

/** Directories that provision users and groups, the log of their requests, and holds: sets of deactivations that must be approved or rejected. */
export interface ScimOperations {
  /**
   * Create a SCIM directory.
   *
   * Returns the token for the identity provider once. Limit: 10 directories per organization.
   *
   * Requires the permission `scim:manage`. Requires a plan with `scim`. Fails with `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.scim.createDirectory({ name: "Okta" })
   * ```
   */
  createDirectory(input: CreateScimDirectory, options?: RequestOptions): Call<{
    readonly directory: ScimDirectory
    /** The token, `opd_…`. Returned only in this response. */
    readonly token: string
  }>

  /**
   * List SCIM directories.
   *
   * Requires the permission `scim:read`.
   *
   * @example
   * ```ts
   * await orgplane.scim.listDirectories().take(20)
   * ```
   */
  listDirectories(input?: ScimListDirectoriesInput, options?: RequestOptions): List<ScimDirectory>

  /**
   * Get a SCIM directory.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.scim.getDirectory("scd_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getDirectory(scimDirectoryId: SCIMDirectoryId, options?: RequestOptions): Call<ScimDirectory>

  /**
   * Remove a SCIM directory.
   *
   * Its tokens stop working, and its groups become regular teams. Members keep the roles that its groups assigned. The last owner is never removed; other owners are removed only if an owner calls this operation.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.scim.removeDirectory("scd_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  removeDirectory(scimDirectoryId: SCIMDirectoryId, input?: ScimRemoveDirectoryInput, options?: RequestOptions): Call<undefined>

  /**
   * Create another token for a SCIM directory.
   *
   * Returns the token once. Existing tokens stay valid for `graceSeconds`. At most 5 tokens are valid at the same time; beyond that, the oldest expire immediately. A token can change group members, so the caller must be allowed to assign every role that the directory's groups assign. Only a token that an owner created can deactivate owners.
   *
   * Requires the permission `scim:manage`. Requires a plan with `scim`. Fails with `scim_directory_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.scim.rotateToken("scd_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  rotateToken(scimDirectoryId: SCIMDirectoryId, input?: RotateScimToken, options?: RequestOptions): Call<{
    readonly directory: ScimDirectory
    /** The token, `opd_…`. Returned only in this response. */
    readonly token: string
  }>

  /**
   * Revoke a SCIM token.
   *
   * The token stops working immediately.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`, `scim_token_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.scim.revokeToken("scd_01kf0x5me8e6razepq180mhf01", "sct_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  revokeToken(scimDirectoryId: SCIMDirectoryId, scimTokenId: SCIMTokenId, options?: RequestOptions): Call<undefined>

  /**
   * List the groups of a SCIM directory.
   *
   * Includes the role that each group assigns to its members.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.scim.listGroups("scd_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listGroups(scimDirectoryId: SCIMDirectoryId, input?: ScimListGroupsInput, options?: RequestOptions): List<ScimGroup>

  /**
   * Set the role that a group assigns to its members.
   *
   * Applies to current and future members. The caller must have all permissions of the role. Owners keep the `owner` role.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`, `scim_group_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.scim.setGroupRole("scd_01kf0x5me8e6razepq180mhf01", "tem_01kf0x5me8e6razepq180mhf01", { role: "rol_01kf0x5me8e6razepq180mhf01" })
   * ```
   */
  setGroupRole(scimDirectoryId: SCIMDirectoryId, teamId: SCIMGroupId, input: SetScimGroupRole, options?: RequestOptions): Call<ScimGroup>

  /**
   * List the requests of a SCIM directory.
   *
   * Includes the decision on each request and the changes it made. Entries are kept for 30 days, even after the directory is removed. Read requests are recorded within seconds; the most recent ones can be lost if the process crashes.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.scim.log("scd_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  log(scimDirectoryId: SCIMDirectoryId, input?: ScimLogInput, options?: RequestOptions): List<ScimLogEntry>

  /**
   * Reconcile a SCIM directory.
   *
   * Restores memberships, teams and roles to the state that the directory last sent. Deactivations held for approval are not changed. Idempotent.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.scim.reconcile("scd_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  reconcile(scimDirectoryId: SCIMDirectoryId, options?: RequestOptions): Call<ScimReconciliation>

  /**
   * List the deactivations held for approval.
   *
   * A hold is a set of deactivations that take effect only after they are approved.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.scim.listHolds("scd_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listHolds(scimDirectoryId: SCIMDirectoryId, input?: ScimListHoldsInput, options?: RequestOptions): List<ScimHold>

  /**
   * Get a hold.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`, `scim_hold_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.scim.getHold("scd_01kf0x5me8e6razepq180mhf01", "sch_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getHold(scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, options?: RequestOptions): Call<ScimHold>

  /**
   * List the users in a hold.
   *
   * Requires the permission `scim:read`. Fails with `scim_directory_not_found`, `scim_hold_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.scim.listHeldUsers("scd_01kf0x5me8e6razepq180mhf01", "sch_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listHeldUsers(scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, input?: ScimListHeldUsersInput, options?: RequestOptions): List<ScimHeldUser>

  /**
   * Approve the deactivations in a hold.
   *
   * Ends the memberships of its users. The last owner is kept; other owners are removed only if the approver is an owner.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`, `scim_hold_not_found`, `scim_hold_not_pending`.
   *
   * @example
   * ```ts
   * await orgplane.scim.approveHold("scd_01kf0x5me8e6razepq180mhf01", "sch_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  approveHold(scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, options?: RequestOptions): Call<{
    readonly hold: ScimHold
    /** An owner whose membership was kept: the last owner, or any owner when the approver is not an owner. */
    readonly keptOrgMembershipId: OrganizationMembershipId | null
  }>

  /**
   * Reject the deactivations in a hold.
   *
   * Keeps the memberships and reactivates their users. The identity provider sees them as active on its next request. A user is not reactivated if the directory has since created another user with the same `userName` or membership.
   *
   * Requires the permission `scim:manage`. Fails with `scim_directory_not_found`, `scim_hold_not_found`, `scim_hold_not_pending`.
   *
   * @example
   * ```ts
   * await orgplane.scim.rejectHold("scd_01kf0x5me8e6razepq180mhf01", "sch_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  rejectHold(scimDirectoryId: SCIMDirectoryId, scimHoldId: SCIMHoldId, options?: RequestOptions): Call<ScimHold>
}

/** Signed deliveries from the code host, and their results. */
export interface WebhooksOperations {
  /**
   * List webhook deliveries.
   *
   * Returns the deliveries of the last 30 days that concern the organization.
   *
   * Requires the permission `webhooks:read`.
   *
   * @example
   * ```ts
   * await orgplane.webhooks.listDeliveries().take(20)
   * ```
   */
  listDeliveries(input?: WebhooksListDeliveriesInput, options?: RequestOptions): List<WebhookDelivery>

  /**
   * Get a webhook delivery.
   *
   * Requires the permission `webhooks:read`. Fails with `webhook_delivery_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.webhooks.getDelivery("dlv_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getDelivery(webhookDeliveryId: WebhookDeliveryId, options?: RequestOptions): Call<WebhookDelivery>

  /**
   * Process a webhook delivery again.
   *
   * Uses the stored fields of the delivery.
   *
   * Requires the permission `webhooks:write`. Fails with `webhook_delivery_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.webhooks.redeliver("dlv_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  redeliver(webhookDeliveryId: WebhookDeliveryId, options?: RequestOptions): Call<WebhookDelivery>
}

/** Programs that run agents for members. */
export interface WorkersOperations {
  /**
   * Create a worker.
   *
   * The worker belongs to the caller; a cloud worker is started by the provisioner in the background. A worker stops when its owner leaves the organization. API keys are not members and cannot create workers (403 `session_required`). Limit: 50 workers per member. An unclaimed workspace can have one cloud worker; creating another returns 403 `provisional_organization`.
   *
   * Requires the permission `workers:write`. Fails with `provisioner_unavailable`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.workers.create({ name: "Nightly reviews", destination: "local" })
   * ```
   */
  create(input: CreateWorker, options?: RequestOptions): Call<{
    readonly worker: Worker
    readonly instance: WorkerInstance | null
    /** The token of a local worker, returned only in this response. Null for a cloud worker, whose token goes only to its runtime. */
    readonly token: string | null
  }>

  /**
   * List workers.
   *
   * Requires the permission `workers:read`.
   *
   * @example
   * ```ts
   * await orgplane.workers.list().take(20)
   * ```
   */
  list(input?: WorkersListInput, options?: RequestOptions): List<Worker>

  /**
   * Get a worker.
   *
   * Includes its latest instance.
   *
   * Requires the permission `workers:read`. Fails with `worker_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.workers.get("wrk_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(id: WorkerPathId, options?: RequestOptions): Call<{
    readonly worker: Worker
    readonly instance: WorkerInstance | null
  }>

  /**
   * Update a worker.
   *
   * Changes the name or description. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`.
   *
   * Requires the permission `workers:write`. Fails with `worker_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.workers.update("wrk_01kf0x5me8e6razepq180mhf01", { name: "Nightly reviews" })
   * ```
   */
  update(id: WorkerPathId, input?: UpdateWorker, options?: RequestOptions): Call<{
    readonly worker: Worker
    readonly instance: WorkerInstance | null
  }>

  /**
   * Remove a worker.
   *
   * Its tokens stop working immediately, and its runtime is stopped. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`.
   *
   * Requires the permission `workers:write`. Fails with `worker_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.workers.remove("wrk_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(id: WorkerPathId, options?: RequestOptions): Call<undefined>

  /**
   * Create a token for a local worker.
   *
   * If `graceSeconds` is set, the worker's other tokens expire after that many seconds. A worker has at most five valid tokens. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`.
   *
   * Requires the permission `workers:write`. Fails with `worker_not_found`, `quota_exceeded`, `worker_provided`.
   *
   * @example
   * ```ts
   * await orgplane.workers.createToken("wrk_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  createToken(id: WorkerPathId, input?: CreateWorkerToken, options?: RequestOptions): Call<{
    readonly workerToken: WorkerToken
    /** Returned only in this response. */
    readonly token: string
  }>

  /**
   * List the valid tokens of a worker.
   *
   * Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`.
   *
   * Requires the permission `workers:read`. Fails with `worker_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.workers.listTokens("wrk_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listTokens(id: WorkerPathId, input?: WorkersListTokensInput, options?: RequestOptions): List<WorkerToken>

  /**
   * Revoke a token of a worker.
   *
   * The token stops working immediately. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`.
   *
   * Requires the permission `workers:write`. Fails with `worker_not_found`, `worker_token_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.workers.revokeToken("wrk_01kf0x5me8e6razepq180mhf01", "wkt_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  revokeToken(id: WorkerPathId, workerTokenId: WorkerTokenId, options?: RequestOptions): Call<undefined>

  /**
   * Get the state of a worker's runtime.
   *
   * Forwards the request to the runtime and returns its response unchanged. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`.
   *
   * Requires the permission `workers:read`. Fails with `worker_not_found`, `worker_runtime_unavailable`, `worker_runtime_error`.
   *
   * @example
   * ```ts
   * await orgplane.workers.getRuntime("wrk_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  getRuntime(id: WorkerPathId, options?: RequestOptions): Call<Json>

  /**
   * Upgrade a worker's runtime.
   *
   * Forwards the request to the runtime once and returns its response. The runtime must respond within 30 seconds, with at most 1 MiB. Responses with 2xx, 400, 404, 409 or 422 are returned unchanged; any other response returns 502 `worker_runtime_error`. Requests are not retried. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`.
   *
   * Requires the permission `workers:write`. Fails with `worker_not_found`, `worker_runtime_unavailable`, `worker_runtime_error`.
   *
   * @example
   * ```ts
   * await orgplane.workers.upgradeRuntime("wrk_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  upgradeRuntime(id: WorkerPathId, options?: RequestOptions): Call<Json>

  /**
   * Send a worker heartbeat.
   *
   * Reports that the worker is running and updates its state. Omitted fields keep their values.
   *
   * Only for workers, with their own token. Fails with `worker_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.workers.heartbeat("wrk_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  heartbeat(id: WorkerPathId, input?: WorkerHeartbeat, options?: RequestOptions): Call<{
    readonly status: WorkerStatus
    /** Seconds until the next heartbeat is due. After three missed heartbeats, the worker is marked `failed`. */
    readonly heartbeatSeconds: number
  }>

  /**
   * Report a worker activity.
   *
   * Activities are kept for 30 days.
   *
   * Only for workers, with their own token. Fails with `worker_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.workers.reportActivity("wrk_01kf0x5me8e6razepq180mhf01", { kind: "task", message: "Reviewed pull request 42" })
   * ```
   */
  reportActivity(id: WorkerPathId, input: ReportWorkerActivity, options?: RequestOptions): Call<WorkerActivity>

  /**
   * List the activities of a worker.
   *
   * Newest first. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`.
   *
   * Requires the permission `workers:read`. Fails with `worker_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.workers.listActivity("wrk_01kf0x5me8e6razepq180mhf01").take(20)
   * ```
   */
  listActivity(id: WorkerPathId, input?: WorkersListActivityInput, options?: RequestOptions): List<WorkerActivity>
}

/** Email domains and their verification. */
export interface SsoDomainsOperations {
  /**
   * Add a domain.
   *
   * Returns the TXT record that verifies the domain. Limit: 50 domains per organization. Several organizations can add the same domain; it belongs to the first one that verifies it. Subdomains are separate domains.
   *
   * Requires the permission `sso:write`. Requires a plan with `sso`. Fails with `domain_exists`, `quota_exceeded`.
   *
   * @example
   * ```ts
   * await orgplane.ssoDomains.create({ domain: "acme.example" })
   * ```
   */
  create(input: CreateDomain, options?: RequestOptions): Call<Domain>

  /**
   * List domains.
   *
   * Requires the permission `sso:read`.
   *
   * @example
   * ```ts
   * await orgplane.ssoDomains.list().take(20)
   * ```
   */
  list(input?: SsoDomainsListInput, options?: RequestOptions): List<Domain>

  /**
   * Get a domain.
   *
   * Requires the permission `sso:read`. Fails with `domain_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.ssoDomains.get("dom_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  get(domainId: DomainId, options?: RequestOptions): Call<Domain>

  /**
   * Remove a domain.
   *
   * New users with email addresses in it can no longer sign in through SSO or be provisioned. Existing members are kept.
   *
   * Requires the permission `sso:manage`. Fails with `domain_not_found`.
   *
   * @example
   * ```ts
   * await orgplane.ssoDomains.remove("dom_01kf0x5me8e6razepq180mhf01")
   * ```
   */
  remove(domainId: DomainId, options?: RequestOptions): Call<undefined>

  /**
   * Verify all unverified domains.
   *
   * Checks the TXT records of all domains that are not verified. Returns 204 if all of them are verified or there are none to verify. Otherwise returns 400 with one detail per failed domain, with the `code` of the failure and the `path` `["domains", "<domain>"]`. The other domains are marked as verified. Returns `organization_not_found` if the organization has neither domains nor an SSO connection. Takes up to 15 seconds. Limit: 10 requests per minute per organization.
   *
   * Only for members with a session. Requires a plan with `sso`.
   *
   * @example
   * ```ts
   * await orgplane.ssoDomains.verify()
   * ```
   */
  verify(options?: RequestOptions): Call<undefined>
}

/** Every operation, by group. */
export interface Operations {
  /** Health, readiness, version and API documents. */
  readonly system: SystemOperations
  /** Create a workspace without an account, and claim it later. */
  readonly bootstrap: BootstrapOperations
  /** Sign in, and manage the caller's sessions. */
  readonly sessions: SessionsOperations
  /** Single sign-on through the organization's identity provider. */
  readonly sso: SsoOperations
  /** The signed-in user, across organizations. */
  readonly users: UsersOperations
  /** The caller's organization. */
  readonly organizations: OrganizationsOperations
  /** The members of an organization. */
  readonly members: MembersOperations
  /** Invitations to an organization. */
  readonly invitations: InvitationsOperations
  /** Custom sets of permissions, and the list of all permissions. */
  readonly roles: RolesOperations
  /** Groups of members that are granted access together. */
  readonly teams: TeamsOperations
  /** Organization credentials for automation. */
  readonly apiKeys: ApiKeysOperations
  /** Get the caller's permissions, explain why a member has access to an object, and preview the effects of revoking a grant. */
  readonly access: AccessOperations
  /** The audit log: every change, recorded in the same transaction as the change itself. */
  readonly audit: AuditOperations
  /** Every change in the organization, in order: as a list, as a live stream, and as webhooks. */
  readonly events: EventsOperations
  /** Send events to other systems, signed according to the Standard Webhooks specification. */
  readonly webhookEndpoints: WebhookEndpointsOperations
  /** Send every event to an HTTPS endpoint, S3-compatible object storage or an OpenTelemetry collector, so that receivers can verify that it is complete. */
  readonly eventStreams: EventStreamsOperations
  /** The configuration of an organization as a document: export, plan and apply. */
  readonly configuration: ConfigurationOperations
  /** The repository whose configuration files are planned or applied when they change. */
  readonly configurationSource: ConfigurationSourceOperations
  /** Runs of the configuration source, each with the changes and the problems of a commit. Runs that remove many objects require approval. */
  readonly configurationRuns: ConfigurationRunsOperations
  /** Repositories, the plugins found in them, and their syncs. */
  readonly connectors: ConnectorsOperations
  /** Versioned skills, agents, commands, hooks and other content, and access to them. */
  readonly configObjects: ConfigObjectsOperations
  /** Sets of config objects, imported from repositories or created through the API. */
  readonly plugins: PluginsOperations
  /** Collections of plugins, access to them, and the setup that each plugin still requires. */
  readonly marketplaces: MarketplacesOperations
  /** Plugin releases that are pending approval, and their decisions. Agents and members receive the served release of a plugin until a newer one is approved. */
  readonly approvals: ApprovalsOperations
  /** Plugins and marketplaces that are required, on by default, available or blocked for members, teams or the whole organization. */
  readonly assignments: AssignmentsOperations
  /** Everything that a device of a member, or a worker, should have installed and configured. */
  readonly desiredState: DesiredStateOperations
  /** Compare the plugins installed on members' devices with their desired states. */
  readonly delivery: DeliveryOperations
  /** Deliver approved releases ring by ring, and pause a rollout if its release fails more often than the previous one. */
  readonly rollouts: RolloutsOperations
  /** Desktop app settings for members, teams or the whole organization. */
  readonly desktopPolicies: DesktopPoliciesOperations
  /** Versioned blueprints for plugins and their config objects. Create plugins from them. */
  readonly templates: TemplatesOperations
  /** Discover, connect, monitor and test MCP servers. */
  readonly mcpConnections: McpConnectionsOperations
  /** Model providers shared with members, chosen from the catalog or defined by a URL. */
  readonly llmProviders: LlmProvidersOperations
  /** Create mail drafts, read mail messages and add meeting links on behalf of the calling member. Mail is never sent. */
  readonly capabilities: CapabilitiesOperations
  /** Personal memories. Only the person who saved a memory can read it; owners, admins, API keys and organization exports cannot. */
  readonly memory: MemoryOperations
  /** Events that the desktop app and workers send for members. */
  readonly telemetry: TelemetryOperations
  /** Everything in the organization that waits for a decision, fails, or expires soon. */
  readonly attention: AttentionOperations
  /** Find objects of several kinds by name. */
  readonly search: SearchOperations
  /** Metrics and lists for organization and platform administrators. */
  readonly admin: AdminOperations
  /** Directories that provision users and groups, the log of their requests, and holds: sets of deactivations that must be approved or rejected. */
  readonly scim: ScimOperations
  /** Signed deliveries from the code host, and their results. */
  readonly webhooks: WebhooksOperations
  /** Programs that run agents for members. */
  readonly workers: WorkersOperations
  /** Email domains and their verification. */
  readonly ssoDomains: SsoDomainsOperations
}

/** The route of each operation; the transport documents the format. */
export const routes = {
  system: {
    health: "GET /v1/health",
    live: "GET /v1/live",
    ready: "GET503 /v1/ready",
    version: "GET /v1/version",
    keys: "GET /v1/keys",
    openapi: "GET /v1/openapi.json",
    docs: "GET /v1/docs ?"
  },
  bootstrap: {
    workspace: "POST{ /v1/bootstrap/workspace",
    previewClaim: "POST={ /v1/bootstrap/claims/preview",
    acceptClaim: "POST{ /v1/bootstrap/claims/accept"
  },
  sessions: {
    startEmail: "POST{ /v1/sessions/email",
    verifyEmail: "POST{ /v1/sessions/email/verify",
    exchange: "POST+>session{ /v1/sessions/exchange",
    list: "GET* /v1/sessions ?",
    revokeCurrent: "DELETE /v1/sessions/current",
    revoke: "DELETE /v1/sessions/:"
  },
  sso: {
    get: "GET>sso /v1/sso",
    serviceProvider: "GET>serviceProvider /v1/sso/service-provider",
    remove: "DELETE /v1/sso",
    putOidc: "PUT>sso{ /v1/sso/oidc",
    putSaml: "PUT>sso{ /v1/sso/saml",
    test: "POST+{ /v1/sso/test",
    enable: "POST+>sso /v1/sso/enable",
    disable: "POST+>sso /v1/sso/disable",
    enforce: "POST+>sso{ /v1/sso/enforce",
    start: "POST{ /v1/sso/sign-in",
    complete: "POST{ /v1/sso/sign-in/complete",
    oidcCallback: "GET /v1/sso/oidc/:/callback ?",
    samlMetadata: "GET /v1/sso/saml/:/metadata"
  },
  users: {
    get: "GET>user /v1/me",
    update: "PATCH>user{ /v1/me",
    remove: "DELETE /v1/me",
    organizations: "GET* /v1/me/organizations ?",
    leaveOrganization: "DELETE /v1/me/organizations/:",
    setActiveOrganization: "PUT>organization{ /v1/me/active-organization",
    desktopPolicy: "GET /v1/me/desktop-policy ?",
    library: "GET* /v1/me/library ?",
    export: "GET~ /v1/me/export"
  },
  organizations: {
    create: "POST+>organization{ /v1/organizations",
    get: "GET>organization /v1/organization",
    update: "PATCH>organization{ /v1/organization",
    remove: "DELETE /v1/organization",
    transferOwnership: "POST+>organization{ /v1/organization/transfer-ownership",
    getStorage: "GET>storage /v1/organization/storage",
    export: "GET~ /v1/organization/export"
  },
  members: {
    add: "POST+>member{ /v1/members",
    list: "GET* /v1/members ?",
    get: "GET>member /v1/members/:",
    update: "PATCH>member{ /v1/members/:",
    remove: "DELETE /v1/members/: ?",
    impact: "GET>impact /v1/members/:/impact",
    batch: "POST+{ /v1/members/batch"
  },
  invitations: {
    create: "POST+{ /v1/invitations",
    batch: "POST+{ /v1/invitations/batch",
    list: "GET* /v1/invitations ?",
    get: "GET>invitation /v1/invitations/:",
    resend: "POST+>invitation /v1/invitations/:/resend",
    cancel: "POST+>invitation /v1/invitations/:/cancel",
    preview: "POST={ /v1/invitations/preview",
    accept: "POST{ /v1/invitations/accept"
  },
  roles: {
    permissions: "GET /v1/roles/permissions",
    create: "POST+>role{ /v1/roles",
    list: "GET* /v1/roles ?",
    get: "GET>role /v1/roles/:",
    update: "PATCH>role{ /v1/roles/:",
    remove: "DELETE /v1/roles/:"
  },
  teams: {
    create: "POST+>team{ /v1/teams",
    list: "GET* /v1/teams ?",
    get: "GET>team /v1/teams/:",
    update: "PATCH>team{ /v1/teams/:",
    remove: "DELETE /v1/teams/:",
    impact: "GET>impact /v1/teams/:/impact",
    listMembers: "GET* /v1/teams/:/members ?",
    addMember: "PUT>team /v1/teams/:/members/:",
    removeMember: "DELETE /v1/teams/:/members/:"
  },
  apiKeys: {
    create: "POST+{ /v1/api-keys",
    list: "GET* /v1/api-keys ?",
    current: "GET>apiKey /v1/api-keys/current",
    get: "GET>apiKey /v1/api-keys/:",
    update: "PATCH>apiKey{ /v1/api-keys/:",
    rotate: "POST+{ /v1/api-keys/:/rotate",
    revoke: "DELETE /v1/api-keys/:"
  },
  access: {
    permissions: "GET> /v1/access/permissions",
    explain: "POST=>explanation{ /v1/access/explain",
    impact: "POST=>impact{ /v1/access/impact"
  },
  audit: {
    list: "GET* /v1/audit-events ?",
    export: "GET~ /v1/audit-events/export ?",
    verify: "POST=>verification /v1/audit-events/verify ?",
    checkpoints: "GET* /v1/audit-events/checkpoints ?",
    get: "GET> /v1/audit-events/:"
  },
  events: {
    list: "GET* /v1/events ?",
    types: "GET /v1/event-types",
    stream: "GET~~ /v1/events/stream ?",
    checkpoints: "GET* /v1/events/checkpoints ?",
    get: "GET> /v1/events/:"
  },
  webhookEndpoints: {
    list: "GET* /v1/webhook-endpoints ?",
    create: "POST+{ /v1/webhook-endpoints",
    get: "GET> /v1/webhook-endpoints/:",
    update: "PATCH>{ /v1/webhook-endpoints/:",
    remove: "DELETE /v1/webhook-endpoints/:",
    rotateSecret: "POST+{ /v1/webhook-endpoints/:/rotate-secret",
    test: "POST> /v1/webhook-endpoints/:/test",
    pause: "POST+> /v1/webhook-endpoints/:/pause",
    resume: "POST+>{ /v1/webhook-endpoints/:/resume",
    redeliver: "POST+>{ /v1/webhook-endpoints/:/redeliver",
    listMessages: "GET* /v1/webhook-endpoints/:/messages ?",
    getMessage: "GET> /v1/webhook-endpoints/:/messages/:"
  },
  eventStreams: {
    list: "GET* /v1/event-streams ?",
    create: "POST+>{ /v1/event-streams",
    get: "GET> /v1/event-streams/:",
    update: "PATCH>{ /v1/event-streams/:",
    remove: "DELETE /v1/event-streams/:",
    pause: "POST+> /v1/event-streams/:/pause",
    resume: "POST+> /v1/event-streams/:/resume",
    test: "POST> /v1/event-streams/:/test"
  },
  configuration: {
    export: "GET>document /v1/configuration ?",
    plan: "POST=>plan{ /v1/configuration/plan",
    apply: "POST+>plan{ /v1/configuration/apply",
    adopt: "POST+{ /v1/configuration/adopt",
    schema: "GET /v1/configuration/schema"
  },
  configurationSource: {
    get: "GET> /v1/configuration/source",
    set: "PUT>{ /v1/configuration/source",
    remove: "DELETE /v1/configuration/source",
    run: "POST+> /v1/configuration/source/run"
  },
  configurationRuns: {
    list: "GET* /v1/configuration/runs ?",
    get: "GET> /v1/configuration/runs/:",
    approve: "POST+>{ /v1/configuration/runs/:/approve",
    reject: "POST+>{ /v1/configuration/runs/:/reject"
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
    mappingImpact: "GET>impact /v1/connector-mappings/:/impact",
    plan: "POST=>{ /v1/connector-instances/:/discovery/plan ?disabledRules",
    retrySync: "POST+> /v1/connector-sync-events/:/retry",
    rollback: "POST+>{ /v1/connector-instances/:/rollback",
    planRollback: "POST=>{ /v1/connector-instances/:/rollback/plan",
    listAccounts: "GET* /v1/connector-accounts ?",
    getAccount: "GET> /v1/connector-accounts/:",
    createAccount: "POST+>{ /v1/connector-accounts",
    disconnectAccount: "POST+> /v1/connector-accounts/:/disconnect",
    startInstall: "POST+> /v1/connectors/codehost/install/start",
    completeInstall: "POST+>{ /v1/connectors/codehost/install/complete",
    listRepositories: "GET* /v1/connector-accounts/:/repositories ?",
    listBranches: "GET* /v1/connector-accounts/:/branches ?",
    createInstance: "POST+>{ /v1/connector-instances",
    setCredential: "PUT>{ /v1/connector-instances/:/credential"
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
    capabilities: "GET> /v1/plugins/:/capabilities ?",
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
  approvals: {
    list: "GET* /v1/approvals ?",
    get: "GET> /v1/approvals/:",
    capabilities: "GET> /v1/approvals/:/capabilities ?",
    approve: "POST+>{ /v1/approvals/approve",
    reject: "POST+>{ /v1/approvals/reject",
    getSettings: "GET> /v1/approval-settings",
    updateSettings: "PATCH>{ /v1/approval-settings",
    getInstanceMode: "GET> /v1/approval-settings/connector-instances/:",
    setInstanceMode: "PUT>{ /v1/approval-settings/connector-instances/:",
    getMarketplaceMode: "GET> /v1/approval-settings/marketplaces/:",
    setMarketplaceMode: "PUT>{ /v1/approval-settings/marketplaces/:"
  },
  assignments: {
    create: "POST+>{ /v1/assignments",
    list: "GET* /v1/assignments ?",
    simulate: "POST=>simulation{ /v1/assignments/simulate",
    effective: "GET* /v1/members/:/assignments ?",
    own: "GET* /v1/me/assignments ?",
    setChoice: "PUT>{ /v1/me/plugin-choices/:",
    resetChoice: "DELETE /v1/me/plugin-choices/:",
    get: "GET> /v1/assignments/:",
    update: "PATCH>{ /v1/assignments/:",
    remove: "DELETE /v1/assignments/:"
  },
  desiredState: {
    get: "GET /v1/me/desired-state",
    getMember: "GET> /v1/members/:/desired-state"
  },
  delivery: {
    report: "POST{ /v1/delivery/reports",
    status: "GET> /v1/delivery/status ?",
    listTeams: "GET* /v1/delivery/teams ?",
    listMembers: "GET* /v1/delivery/members ?",
    listDevices: "GET* /v1/delivery/devices ?",
    getDevice: "GET> /v1/delivery/members/:/devices/:",
    removeDevice: "DELETE /v1/delivery/members/:/devices/:",
    history: "GET> /v1/delivery/history ?",
    usage: "GET> /v1/delivery/usage ?"
  },
  rollouts: {
    list: "GET* /v1/rollouts ?",
    create: "POST+>{ /v1/rollouts",
    getSettings: "GET> /v1/rollout-settings",
    updateSettings: "PATCH>{ /v1/rollout-settings",
    preview: "POST=>{ /v1/rollouts/preview",
    withdraw: "POST+>{ /v1/rollouts/withdraw",
    explain: "GET> /v1/members/:/plugins/:/delivery",
    get: "GET> /v1/rollouts/:",
    start: "POST+> /v1/rollouts/:/start",
    schedule: "POST+>{ /v1/rollouts/:/schedule",
    promote: "POST+>{ /v1/rollouts/:/promote",
    pause: "POST+>{ /v1/rollouts/:/pause",
    resume: "POST+> /v1/rollouts/:/resume",
    rollBack: "POST+>{ /v1/rollouts/:/roll-back",
    release: "POST+>{ /v1/rollouts/:/release"
  },
  desktopPolicies: {
    create: "POST+>desktopPolicy{ /v1/desktop-policies",
    list: "GET* /v1/desktop-policies ?",
    simulate: "POST=>simulation{ /v1/desktop-policies/simulate",
    effective: "GET /v1/members/:/desktop-policy ?",
    get: "GET>desktopPolicy /v1/desktop-policies/:",
    update: "PATCH>desktopPolicy{ /v1/desktop-policies/:",
    remove: "DELETE /v1/desktop-policies/:"
  },
  templates: {
    create: "POST+{ /v1/templates",
    list: "GET* /v1/templates ?",
    get: "GET /v1/templates/:",
    update: "PATCH>template{ /v1/templates/:",
    remove: "DELETE /v1/templates/:",
    listVersions: "GET* /v1/templates/:/versions ?",
    getVersion: "GET>version /v1/templates/:/versions/:",
    createVersion: "POST+>version{ /v1/templates/:/versions",
    restoreVersion: "POST+>version /v1/templates/:/versions/:/restore",
    diffVersions: "GET>diff /v1/templates/:/versions/:/diff ?",
    preview: "POST=>preview{ /v1/templates/:/preview",
    instantiate: "POST+{ /v1/templates/:/instantiate",
    listInstances: "GET* /v1/templates/:/instances ?"
  },
  mcpConnections: {
    create: "POST+>mcpConnection{ /v1/mcp-connections",
    list: "GET* /v1/mcp-connections ?",
    get: "GET>mcpConnection /v1/mcp-connections/:",
    update: "PATCH>mcpConnection{ /v1/mcp-connections/:",
    remove: "DELETE /v1/mcp-connections/:",
    listAccess: "GET* /v1/mcp-connections/:/access ?",
    grantAccess: "POST+>grant{ /v1/mcp-connections/:/access",
    revokeAccess: "DELETE /v1/mcp-connections/:/access/:",
    listTools: "GET* /v1/mcp-connections/:/tools ?",
    getToolPolicy: "GET>toolPolicy /v1/mcp-connections/:/tool-policy",
    setToolPolicy: "PUT>toolPolicy{ /v1/mcp-connections/:/tool-policy",
    getReview: "GET>review /v1/mcp-connections/:/review",
    decideReview: "POST+>mcpConnection{ /v1/mcp-connections/:/review",
    callTool: "POST+{ /v1/mcp-connections/:/tools/call",
    startConnect: "POST+>connect{ /v1/mcp-connections/:/connect/start",
    completeConnect: "POST+>mcpConnection{ /v1/mcp-connections/:/connect/complete",
    setApiKey: "PUT>mcpConnection{ /v1/mcp-connections/:/api-key",
    disconnect: "POST+>mcpConnection /v1/mcp-connections/:/disconnect",
    callback: "GET /v1/mcp-connections/callback ?",
    clientMetadata: "GET /v1/mcp-connections/client-metadata.json",
    listPresets: "GET* /v1/mcp-connections/presets ?",
    resolve: "POST={ /v1/mcp-connections/resolve"
  },
  llmProviders: {
    create: "POST+>llmProvider{ /v1/llm-providers",
    list: "GET* /v1/llm-providers ?",
    get: "GET>llmProvider /v1/llm-providers/:",
    update: "PATCH>llmProvider{ /v1/llm-providers/:",
    remove: "DELETE /v1/llm-providers/:",
    listAccess: "GET* /v1/llm-providers/:/access ?",
    grantAccess: "POST+>grant{ /v1/llm-providers/:/access",
    revokeAccess: "DELETE /v1/llm-providers/:/access/:",
    listCatalog: "GET* /v1/llm-providers/catalog ?",
    listCatalogProviders: "GET* /v1/llm-providers/catalog/providers ?",
    setCredential: "PUT>llmProvider{ /v1/llm-providers/:/credential",
    removeCredential: "DELETE /v1/llm-providers/:/credential",
    connect: "POST+>connection /v1/llm-providers/:/connect",
    test: "POST=>test /v1/llm-providers/:/test"
  },
  capabilities: {
    createMailDraft: "POST+>draft{ /v1/capabilities/suite-a/mail-drafts",
    getMailMessage: "GET>message /v1/capabilities/suite-a/mail-message/:",
    updateCalendarEvent: "PATCH{ /v1/capabilities/suite-b/calendar-event/:",
    listConnections: "GET* /v1/capabilities/connections ?",
    getConnection: "GET>connection /v1/capabilities/connections/:",
    startConnect: "POST+>connect{ /v1/capabilities/connections/:/start",
    completeConnect: "POST+>connection{ /v1/capabilities/connections/:/complete",
    disconnect: "POST+>connection /v1/capabilities/connections/:/disconnect",
    callback: "GET /v1/capabilities/callback ?"
  },
  memory: {
    save: "POST+>memory{ /v1/memory",
    search: "GET /v1/memory/search ?",
    export: "GET~ /v1/memory/export ?",
    list: "GET* /v1/memory ?",
    get: "GET>memory /v1/memory/:",
    delete: "DELETE /v1/memory/:",
    deleteAll: "DELETE /v1/memory"
  },
  telemetry: {
    ingest: "POST{ /v1/telemetry/ingest",
    describe: "GET>telemetry /v1/telemetry/schema",
    ledger: "GET* /v1/telemetry/ledger ?",
    dimensions: "GET* /v1/telemetry/dimensions ?",
    adoption: "GET /v1/telemetry/adoption ?",
    analytics: "GET /v1/telemetry/analytics ?"
  },
  attention: {
    list: "GET* /v1/attention ?"
  },
  search: {
    objects: "GET /v1/search ?"
  },
  admin: {
    metrics: "GET /v1/admin/metrics",
    overview: "GET /v1/admin/overview",
    listPlatformUsers: "GET* /v1/admin/platform/users ?",
    listPlatformOrganizations: "GET* /v1/admin/platform/organizations ?",
    updatePlan: "PATCH>organization{ /v1/admin/platform/organizations/:"
  },
  scim: {
    createDirectory: "POST+{ /v1/scim/directories",
    listDirectories: "GET* /v1/scim/directories ?",
    getDirectory: "GET>directory /v1/scim/directories/:",
    removeDirectory: "DELETE /v1/scim/directories/: ?",
    rotateToken: "POST+{ /v1/scim/directories/:/tokens",
    revokeToken: "DELETE /v1/scim/directories/:/tokens/:",
    listGroups: "GET* /v1/scim/directories/:/groups ?",
    setGroupRole: "PUT>group{ /v1/scim/directories/:/groups/:/role",
    log: "GET* /v1/scim/directories/:/log ?",
    reconcile: "POST+>reconciliation /v1/scim/directories/:/reconcile",
    listHolds: "GET* /v1/scim/directories/:/holds ?",
    getHold: "GET>hold /v1/scim/directories/:/holds/:",
    listHeldUsers: "GET* /v1/scim/directories/:/holds/:/users ?",
    approveHold: "POST+ /v1/scim/directories/:/holds/:/approve",
    rejectHold: "POST+>hold /v1/scim/directories/:/holds/:/reject"
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
    reportActivity: "POST>activity{ /v1/workers/:/activity",
    listActivity: "GET* /v1/workers/:/activity ?"
  },
  ssoDomains: {
    create: "POST+>domain{ /v1/sso/domains",
    list: "GET* /v1/sso/domains ?",
    get: "GET>domain /v1/sso/domains/:",
    remove: "DELETE /v1/sso/domains/:",
    verify: "POST /v1/sso/verify-domain"
  }
} as const satisfies { readonly [G in keyof Operations]: { readonly [O in keyof Operations[G]]: string } }
