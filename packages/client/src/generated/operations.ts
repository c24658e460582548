// Written by `pnpm codegen`; change the contract instead.
import type { List } from "../page.ts"
import type { Call, RequestOptions } from "../transport.ts"
import type {
  AcceptedClaim,
  ApplyDiscovery,
  AuditEvent,
  BootstrapWorkspace,
  ClaimPreview,
  ClaimToken,
  ConfigObject,
  ConfigObjectAccessGrantId,
  ConfigObjectGrant,
  ConfigObjectId,
  ConfigObjectVersion,
  ConfigObjectVersionId,
  ConnectorAccount,
  ConnectorInstance,
  ConnectorInstanceAccessGrantId,
  ConnectorInstanceGrant,
  ConnectorInstanceId,
  ConnectorMapping,
  ConnectorSyncEvent,
  ConnectorSyncEventId,
  ConnectorTarget,
  ConnectorTargetId,
  CreateConfigObject,
  CreateGrant,
  CreatePlugin,
  CreateWorkspace,
  Discovery,
  Health,
  JsonObject,
  MappingKind,
  Marketplace,
  MarketplaceAccessGrantId,
  MarketplaceGrant,
  MarketplaceId,
  MarketplaceMembership,
  Member,
  NotReady,
  ObjectType,
  Organization,
  OrganizationMembershipId,
  Plugin,
  PluginAccessGrantId,
  PluginGrant,
  PluginId,
  PluginMembership,
  Ready,
  ResolvedMarketplace,
  ServerVersion,
  Session,
  SessionId,
  SetupConnector,
  SigningKey,
  SyncStatus,
  TreeEntry,
  UpdateConnectorInstance
} from "./types.ts"

/** What `sessions.list` takes. */
export interface SessionsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `members.list` takes. */
export interface MembersListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of name or e-mail, in any case. */
  readonly q?: string | undefined
  readonly role?: string | undefined
}

/** What `audit.list` takes. */
export interface AuditListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly action?: string | undefined
  readonly actorId?: string | undefined
  readonly targetId?: string | undefined
}

/** What `connectors.listInstances` takes. */
export interface ConnectorsListInstancesInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly q?: string | undefined
}

/** What `connectors.listSyncEvents` takes. */
export interface ConnectorsListSyncEventsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly status?: SyncStatus | undefined
}

/** What `connectors.tree` takes. */
export interface ConnectorsTreeInput {
  readonly cursor?: string | undefined
  /** At most so many entries; 200 unless told. */
  readonly limit?: number | undefined
  /** Only paths that begin so. */
  readonly prefix?: string | undefined
}

/** What `connectors.apply` takes. */
export interface ConnectorsApplyInput extends ApplyDiscovery {
  readonly wait?: "0" | "1" | undefined
}

/** What `connectors.listAccess` takes. */
export interface ConnectorsListAccessInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `connectors.listTargets` takes. */
export interface ConnectorsListTargetsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `connectors.listMappings` takes. */
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

/** What `configObjects.list` takes. */
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

/** What `configObjects.listVersions` takes. */
export interface ConfigObjectsListVersionsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `configObjects.listAccess` takes. */
export interface ConfigObjectsListAccessInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `plugins.list` takes. */
export interface PluginsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Identifies one marketplace. */
  readonly marketplaceId?: MarketplaceId | undefined
  /** Part of the name, in any case. */
  readonly q?: string | undefined
}

/** What `plugins.listObjects` takes. */
export interface PluginsListObjectsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `plugins.listAccess` takes. */
export interface PluginsListAccessInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `marketplaces.list` takes. */
export interface MarketplacesListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly q?: string | undefined
}

/** What `marketplaces.listPlugins` takes. */
export interface MarketplacesListPluginsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `marketplaces.listAccess` takes. */
export interface MarketplacesListAccessInput {
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
   * Needs no credential.
   */
  health(options?: RequestOptions): Call<Health>

  /**
   * Says whether database and queue answer; 503 when one does not.
   *
   * Needs no credential.
   */
  ready(options?: RequestOptions): Call<Ready | NotReady>

  /**
   * Tells the versions of server, interface and database.
   *
   * Needs no credential.
   */
  version(options?: RequestOptions): Call<ServerVersion>

  /**
   * The public keys that check this installation's signatures, newest first.
   *
   * Needs no credential.
   */
  keys(options?: RequestOptions): Call<{
    readonly keys: ReadonlyArray<SigningKey>
  }>

  /**
   * The OpenAPI 3.1 document of this interface.
   *
   * Needs no credential.
   */
  openapi(options?: RequestOptions): Call<JsonObject>

  /**
   * The interface as a page for people.
   *
   * Needs no credential.
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
   * Needs no credential. Fails with `quota_exceeded`.
   */
  workspace(input: CreateWorkspace, options?: RequestOptions): Call<BootstrapWorkspace>

  /**
   * Tells what a claim link would give, without using it.
   *
   * Needs no credential. Fails with `claim_not_found`.
   */
  previewClaim(input: ClaimToken, options?: RequestOptions): Call<ClaimPreview>

  /**
   * Joins a workspace by its claim link; the first owner makes it permanent.
   *
   * Needs a verified e-mail address, and the one the link was made for if it names one. The first owner's claim ends the session of the agent that made the workspace, and the other owner links.
   *
   * Fails with `claim_not_found`, `member_exists`.
   */
  acceptClaim(input: ClaimToken, options?: RequestOptions): Call<AcceptedClaim>
}

/** Where the caller is signed in. */
export interface SessionsOperations {
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

/** The organization of the caller. */
export interface OrganizationsOperations {
  /**
   * Gets the caller's organization.
   *
   * Answers an `ETag`; honours `ifNoneMatch`.
   */
  get(options?: RequestOptions): Call<{
    readonly organization: Organization
  }>
}

/** The people of the organization. */
export interface MembersOperations {
  /**
   * Lists the members of the organization.
   *
   * Needs the permission `members:read`.
   */
  list(input?: MembersListInput, options?: RequestOptions): List<Member>

  /**
   * Gets one member.
   *
   * Needs the permission `members:read`. Fails with `member_not_found`.
   */
  get(orgMembershipId: OrganizationMembershipId, options?: RequestOptions): Call<{
    readonly member: Member
  }>
}

/** Every change, written with the change itself. */
export interface AuditOperations {
  /**
   * Lists audit events, newest first.
   *
   * Needs the permission `audit:read`.
   */
  list(input?: AuditListInput, options?: RequestOptions): List<AuditEvent>
}

/** Repositories, what was found in them, and how it is kept in step. */
export interface ConnectorsOperations {
  /**
   * Connects a branch of a repository.
   *
   * Reads the repository once, so a wrong address, branch or credential is told at once.
   *
   * Needs the permission `connectors:write`. Fails with `connector_instance_exists`, `quota_exceeded`, `repository_empty`, `codehost_api_error`.
   */
  setup(input: SetupConnector, options?: RequestOptions): Call<{
    readonly connectorAccount: ConnectorAccount
    readonly connectorInstance: ConnectorInstance
    readonly connectorTarget: ConnectorTarget
  }>

  /**
   * Lists the connector instances the caller can see.
   *
   * Needs the permission `connectors:read`.
   */
  listInstances(input?: ConnectorsListInstancesInput, options?: RequestOptions): List<ConnectorInstance>

  /**
   * Gets one connector instance.
   *
   * Needs the permission `connectors:read`. Answers an `ETag`; honours `ifNoneMatch`. Fails with `connector_instance_not_found`.
   */
  getInstance(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Updates one connector instance.
   *
   * A new `remoteId` is read at the next sync.
   *
   * Needs the permission `connectors:write`. Honours `ifMatch`. Fails with `connector_instance_not_found`, `connector_instance_exists`.
   */
  updateInstance(connectorInstanceId: ConnectorInstanceId, input?: UpdateConnectorInstance, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Activates a connector instance and queues a sync.
   *
   * Needs the permission `connectors:write`. Fails with `connector_instance_not_found`.
   */
  enable(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Stops a connector instance: what it imported stays, pushes are ignored.
   *
   * Needs the permission `connectors:write`. Fails with `connector_instance_not_found`.
   */
  disable(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorInstance>

  /**
   * Removes a connector instance and everything that only it feeds.
   *
   * Plugins, mappings, config objects and bindings go in one transaction; the counts are answered.
   *
   * Needs the permission `connectors:manage`. Fails with `connector_instance_not_found`.
   */
  remove(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<{
    readonly deletedConfigObjectCount: number
    readonly deletedConnectorMappingCount: number
    readonly removedConnectorInstanceId: string
  }>

  /**
   * Queues a sync of the repository's head; one that waits already is answered again.
   *
   * Needs the permission `connectors:write`. Fails with `connector_instance_not_found`, `connector_instance_disabled`.
   */
  sync(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Lists the syncs of a connector instance.
   *
   * Needs the permission `connectors:read`. Fails with `connector_instance_not_found`.
   */
  listSyncEvents(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListSyncEventsInput, options?: RequestOptions): List<ConnectorSyncEvent>

  /**
   * Gets one sync with its counts and warnings.
   *
   * Needs the permission `connectors:read`. Fails with `connector_sync_event_not_found`.
   */
  getSyncEvent(connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Approves a sync that was held because it removes much, and queues it again.
   *
   * The approval is for the revision it was held at; when the branch has moved, its head is judged anew.
   *
   * Needs the permission `connectors:manage`. Fails with `connector_sync_event_not_found`, `connector_instance_disabled`, `sync_not_held`.
   */
  approveSync(connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Rejects a sync that was held: nothing is imported until the branch moves.
   *
   * Needs the permission `connectors:manage`. Fails with `connector_sync_event_not_found`, `connector_instance_disabled`, `sync_not_held`.
   */
  rejectSync(connectorSyncEventId: ConnectorSyncEventId, options?: RequestOptions): Call<ConnectorSyncEvent>

  /**
   * Analyses the repository and answers the plugins it holds.
   *
   * Waits up to 30 seconds; a larger repository answers 503 `discovery_in_progress` while it is read.
   *
   * Needs the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`, `discovery_in_progress`.
   */
  discovery(connectorInstanceId: ConnectorInstanceId, options?: RequestOptions): Call<Discovery>

  /**
   * Pages through the repository tree that discovery used, sorted by path.
   *
   * A page stays on the revision its cursor began with.
   *
   * Needs the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`, `discovery_in_progress`.
   */
  tree(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsTreeInput, options?: RequestOptions): List<TreeEntry>

  /**
   * Imports the selected plugins and keeps them in step.
   *
   * Plugins, mappings and the marketplace are made in one transaction; the content follows by a sync that is waited for up to 20 seconds (`wait=0` does not wait).
   *
   * Needs the permission `connectors:write`. Fails with `connector_instance_not_found`, `stale_revision`, `connector_instance_disabled`, `repository_empty`, `codehost_api_error`, `discovery_in_progress`.
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
   * Needs the permission `connectors:read`. Fails with `connector_instance_not_found`.
   */
  listAccess(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListAccessInput, options?: RequestOptions): List<ConnectorInstanceGrant>

  /**
   * Grants access to a connector instance; 200 when the receiver had a grant.
   *
   * Needs the permission `connectors:read`. Fails with `connector_instance_not_found`.
   */
  grantAccess(connectorInstanceId: ConnectorInstanceId, input: CreateGrant, options?: RequestOptions): Call<ConnectorInstanceGrant>

  /**
   * Revokes one grant; it is kept as history.
   *
   * Needs the permission `connectors:read`. Fails with `connector_instance_not_found`, `connector_instance_grant_not_found`.
   */
  revokeAccess(connectorInstanceId: ConnectorInstanceId, grantId: ConnectorInstanceAccessGrantId, options?: RequestOptions): Call<undefined>

  /**
   * Lists the branches of a connector instance.
   *
   * Needs the permission `connectors:read`. Fails with `connector_instance_not_found`.
   */
  listTargets(connectorInstanceId: ConnectorInstanceId, input?: ConnectorsListTargetsInput, options?: RequestOptions): List<ConnectorTarget>

  /**
   * Gets one branch.
   *
   * Needs the permission `connectors:read`. Fails with `connector_target_not_found`.
   */
  getTarget(connectorTargetId: ConnectorTargetId, options?: RequestOptions): Call<ConnectorTarget>

  /**
   * Lists the mappings of a branch.
   *
   * Needs the permission `connectors:read`. Fails with `connector_target_not_found`.
   */
  listMappings(connectorTargetId: ConnectorTargetId, input?: ConnectorsListMappingsInput, options?: RequestOptions): List<ConnectorMapping>
}

/** Versioned skills, agents, commands, hooks and other content, and who may use them. */
export interface ConfigObjectsOperations {
  /**
   * Creates a private config object and its first version.
   *
   * Needs the permission `configObjects:write`.
   */
  create(input: CreateConfigObject, options?: RequestOptions): Call<ConfigObject>

  /**
   * Lists the config objects the caller can see.
   *
   * Needs the permission `configObjects:read`.
   */
  list(input?: ConfigObjectsListInput, options?: RequestOptions): List<ConfigObject>

  /**
   * Gets one config object with its latest version.
   *
   * Needs the permission `configObjects:read`. Answers an `ETag`; honours `ifNoneMatch`. Fails with `config_object_not_found`.
   */
  get(configObjectId: ConfigObjectId, options?: RequestOptions): Call<ConfigObject>

  /**
   * Lists the versions of a config object, newest first.
   *
   * Needs the permission `configObjects:read`. Fails with `config_object_not_found`.
   */
  listVersions(configObjectId: ConfigObjectId, input?: ConfigObjectsListVersionsInput, options?: RequestOptions): List<ConfigObjectVersion>

  /**
   * Gets one version.
   *
   * Needs the permission `configObjects:read`. Fails with `config_object_not_found`, `config_object_version_not_found`.
   */
  getVersion(configObjectId: ConfigObjectId, versionId: ConfigObjectVersionId, options?: RequestOptions): Call<ConfigObjectVersion>

  /**
   * Lists the direct, team and organization-wide grants of a config object.
   *
   * Needs the permission `configObjects:read`. Fails with `config_object_not_found`.
   */
  listAccess(configObjectId: ConfigObjectId, input?: ConfigObjectsListAccessInput, options?: RequestOptions): List<ConfigObjectGrant>

  /**
   * Grants access to a config object; 200 when the receiver had a grant.
   *
   * Needs the permission `configObjects:read`. Fails with `config_object_not_found`.
   */
  grantAccess(configObjectId: ConfigObjectId, input: CreateGrant, options?: RequestOptions): Call<ConfigObjectGrant>

  /**
   * Revokes one grant; it is kept as history.
   *
   * Needs the permission `configObjects:read`. Fails with `config_object_not_found`, `config_object_grant_not_found`.
   */
  revokeAccess(configObjectId: ConfigObjectId, grantId: ConfigObjectAccessGrantId, options?: RequestOptions): Call<undefined>
}

/** Sets of config objects, imported or made here. */
export interface PluginsOperations {
  /**
   * Creates an empty private plugin.
   *
   * Needs the permission `plugins:write`.
   */
  create(input: CreatePlugin, options?: RequestOptions): Call<Plugin>

  /**
   * Lists the plugins the caller can see.
   *
   * Needs the permission `plugins:read`.
   */
  list(input?: PluginsListInput, options?: RequestOptions): List<Plugin>

  /**
   * Gets one plugin when the caller can see it.
   *
   * Needs the permission `plugins:read`. Fails with `plugin_not_found`.
   */
  get(pluginId: PluginId, options?: RequestOptions): Call<Plugin>

  /**
   * Lists what is in a plugin, with each config object and its latest version.
   *
   * Needs the permission `plugins:read`. Fails with `plugin_not_found`.
   */
  listObjects(pluginId: PluginId, input?: PluginsListObjectsInput, options?: RequestOptions): List<PluginMembership>

  /**
   * Lists the grants of a plugin.
   *
   * Needs the permission `plugins:read`. Fails with `plugin_not_found`.
   */
  listAccess(pluginId: PluginId, input?: PluginsListAccessInput, options?: RequestOptions): List<PluginGrant>

  /**
   * Grants access to a plugin and what is in it; 200 when the receiver had a grant.
   *
   * Needs the permission `plugins:read`. Fails with `plugin_not_found`.
   */
  grantAccess(pluginId: PluginId, input: CreateGrant, options?: RequestOptions): Call<PluginGrant>

  /**
   * Revokes one grant; it is kept as history.
   *
   * Needs the permission `plugins:read`. Fails with `plugin_not_found`, `plugin_grant_not_found`.
   */
  revokeAccess(pluginId: PluginId, grantId: PluginAccessGrantId, options?: RequestOptions): Call<undefined>
}

/** Sets of plugins, who is offered them, what is missing. */
export interface MarketplacesOperations {
  /**
   * Lists the marketplaces the caller can see.
   *
   * Needs the permission `marketplaces:read`.
   */
  list(input?: MarketplacesListInput, options?: RequestOptions): List<Marketplace>

  /**
   * Gets one marketplace.
   *
   * Needs the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   */
  get(marketplaceId: MarketplaceId, options?: RequestOptions): Call<Marketplace>

  /**
   * Lists the plugins of a marketplace.
   *
   * Needs the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   */
  listPlugins(marketplaceId: MarketplaceId, input?: MarketplacesListPluginsInput, options?: RequestOptions): List<MarketplaceMembership>

  /**
   * Gets a marketplace with its plugins, where they come from, and what each still needs.
   *
   * Needs the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   */
  resolved(marketplaceId: MarketplaceId, options?: RequestOptions): Call<ResolvedMarketplace>

  /**
   * Lists the grants of a marketplace.
   *
   * Needs the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   */
  listAccess(marketplaceId: MarketplaceId, input?: MarketplacesListAccessInput, options?: RequestOptions): List<MarketplaceGrant>

  /**
   * Grants access to a marketplace and all in it; 200 when the receiver had a grant.
   *
   * Needs the permission `marketplaces:read`. Fails with `marketplace_not_found`.
   */
  grantAccess(marketplaceId: MarketplaceId, input: CreateGrant, options?: RequestOptions): Call<MarketplaceGrant>

  /**
   * Revokes one grant; it is kept as history.
   *
   * Needs the permission `marketplaces:read`. Fails with `marketplace_not_found`, `marketplace_grant_not_found`.
   */
  revokeAccess(marketplaceId: MarketplaceId, grantId: MarketplaceAccessGrantId, options?: RequestOptions): Call<undefined>
}

/** Every operation, by group. */
export interface Operations {
  /** Health, readiness, version and documents. */
  readonly system: SystemOperations
  /** A provisional workspace first, its people later. */
  readonly bootstrap: BootstrapOperations
  /** Where the caller is signed in. */
  readonly sessions: SessionsOperations
  /** The organization of the caller. */
  readonly organizations: OrganizationsOperations
  /** The people of the organization. */
  readonly members: MembersOperations
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
}

/** What the transport needs to know of each operation; it says how a line is read. */
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
    list: "GET* /v1/sessions ?",
    revokeCurrent: "DELETE /v1/sessions/current",
    revoke: "DELETE /v1/sessions/:"
  },
  organizations: {
    get: "GET /v1/organization"
  },
  members: {
    list: "GET* /v1/members ?",
    get: "GET /v1/members/:"
  },
  audit: {
    list: "GET* /v1/audit-events ?"
  },
  connectors: {
    setup: "POST+>{ /v1/connectors/codehost/setup",
    listInstances: "GET* /v1/connector-instances ?",
    getInstance: "GET> /v1/connector-instances/:",
    updateInstance: "PATCH>{ /v1/connector-instances/:",
    enable: "POST+> /v1/connector-instances/:/enable",
    disable: "POST+> /v1/connector-instances/:/disable",
    remove: "POST+> /v1/connector-instances/:/remove",
    sync: "POST+> /v1/connector-instances/:/sync",
    listSyncEvents: "GET* /v1/connector-instances/:/sync-events ?",
    getSyncEvent: "GET> /v1/connector-sync-events/:",
    approveSync: "POST+> /v1/connector-sync-events/:/approve",
    rejectSync: "POST+> /v1/connector-sync-events/:/reject",
    discovery: "GET> /v1/connector-instances/:/discovery",
    tree: "GET* /v1/connector-instances/:/discovery/tree ?",
    apply: "POST+>{ /v1/connector-instances/:/discovery/apply ?wait",
    listAccess: "GET* /v1/connector-instances/:/access ?",
    grantAccess: "POST+>{ /v1/connector-instances/:/access",
    revokeAccess: "DELETE /v1/connector-instances/:/access/:",
    listTargets: "GET* /v1/connector-instances/:/targets ?",
    getTarget: "GET> /v1/connector-targets/:",
    listMappings: "GET* /v1/connector-targets/:/mappings ?"
  },
  configObjects: {
    create: "POST+>{ /v1/config-objects",
    list: "GET* /v1/config-objects ?",
    get: "GET> /v1/config-objects/:",
    listVersions: "GET* /v1/config-objects/:/versions ?",
    getVersion: "GET> /v1/config-objects/:/versions/:",
    listAccess: "GET* /v1/config-objects/:/access ?",
    grantAccess: "POST+>{ /v1/config-objects/:/access",
    revokeAccess: "DELETE /v1/config-objects/:/access/:"
  },
  plugins: {
    create: "POST+>{ /v1/plugins",
    list: "GET* /v1/plugins ?",
    get: "GET> /v1/plugins/:",
    listObjects: "GET* /v1/plugins/:/config-objects ?",
    listAccess: "GET* /v1/plugins/:/access ?",
    grantAccess: "POST+>{ /v1/plugins/:/access",
    revokeAccess: "DELETE /v1/plugins/:/access/:"
  },
  marketplaces: {
    list: "GET* /v1/marketplaces ?",
    get: "GET> /v1/marketplaces/:",
    listPlugins: "GET* /v1/marketplaces/:/plugins ?",
    resolved: "GET> /v1/marketplaces/:/resolved",
    listAccess: "GET* /v1/marketplaces/:/access ?",
    grantAccess: "POST+>{ /v1/marketplaces/:/access",
    revokeAccess: "DELETE /v1/marketplaces/:/access/:"
  }
} as const satisfies { readonly [G in keyof Operations]: { readonly [O in keyof Operations[G]]: string } }
