// Written by `pnpm codegen`; change the contract instead.
import type { List } from "../page.ts"
import type { Call, RequestOptions } from "../transport.ts"
import type {
  APIKeyId,
  AcceptClaim,
  AcceptedClaim,
  AccessExplanation,
  AccessImpact,
  AccessImpactResult,
  AddMember,
  ApiKey,
  ApiKeyWithSecret,
  ApplyDiscovery,
  AuditCheckpoint,
  AuditEvent,
  AuditEventId,
  AuditVerification,
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
  CreateApiKey,
  CreateConfigObject,
  CreateGrant,
  CreateInvitation,
  CreateOrganization,
  CreatePlugin,
  CreateRole,
  CreateTeam,
  CreateWorkspace,
  Discovery,
  EmailChallenge,
  ExchangeSession,
  ExplainAccess,
  Health,
  Invitation,
  InvitationId,
  InvitationPreview,
  InvitationStatus,
  InvitationToken,
  InvitationWithLink,
  JsonObject,
  LibraryEntry,
  MappingKind,
  Marketplace,
  MarketplaceAccessGrantId,
  MarketplaceGrant,
  MarketplaceId,
  MarketplaceManifest,
  MarketplaceMembership,
  Member,
  MemberBatch,
  MemberBatchResult,
  NewSession,
  NotReady,
  ObjectType,
  Organization,
  OrganizationId,
  OrganizationMembershipId,
  PermissionEntry,
  Plugin,
  PluginAccessGrantId,
  PluginGrant,
  PluginId,
  PluginMembership,
  Ready,
  ResolvedMarketplace,
  Role,
  RoleId,
  RotateApiKey,
  ServerVersion,
  Session,
  SessionId,
  SetActiveOrganization,
  SetupConnector,
  SigningKey,
  StartEmailSignIn,
  SyncStatus,
  Team,
  TeamId,
  TransferOwnership,
  TreeEntry,
  UpdateApiKey,
  UpdateConnectorInstance,
  UpdateMember,
  UpdateOrganization,
  UpdateRole,
  UpdateTeam,
  UpdateUser,
  User,
  UserOrganization,
  VerifyEmailSignIn
} from "./types.ts"

/** What `sessions.list` takes. */
export interface SessionsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `users.organizations` takes. */
export interface UsersOrganizationsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `users.library` takes. */
export interface UsersLibraryInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly kind?: "plugin" | "configObject" | undefined
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
  /** Identifies one team. */
  readonly teamId?: TeamId | undefined
}

/** What `members.remove` takes. */
export interface MembersRemoveInput {
  /** `true` also revokes the API keys they made. */
  readonly revokeKeys?: boolean | undefined
}

/** What `invitations.list` takes. */
export interface InvitationsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly status?: InvitationStatus | undefined
}

/** What `roles.list` takes. */
export interface RolesListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `teams.list` takes. */
export interface TeamsListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  /** Part of the name, in any case. */
  readonly q?: string | undefined
}

/** What `teams.listMembers` takes. */
export interface TeamsListMembersInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
}

/** What `apiKeys.list` takes. */
export interface ApiKeysListInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
  readonly revoked?: boolean | undefined
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
  /** Not before this moment. */
  readonly since?: string | undefined
  /** Before this moment. */
  readonly until?: string | undefined
  /** Ascending, from the event after this one: for a tail. */
  readonly after?: AuditEventId | undefined
}

/** What `audit.export` takes. */
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

/** What `audit.verify` takes. */
export interface AuditVerifyInput {
  /** Of a checkpoint that was kept elsewhere; with `hash`. */
  readonly sequence?: number | undefined
  /** Of that checkpoint, in hex. */
  readonly hash?: string | undefined
}

/** What `audit.checkpoints` takes. */
export interface AuditCheckpointsInput {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** At most so many rows; 50 unless told. */
  readonly limit?: number | undefined
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

/** What `plugins.downloadLinked` takes. */
export interface PluginsDownloadLinkedInput {
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
   * Needs no credential.
   */
  startEmail(input: StartEmailSignIn, options?: RequestOptions): Call<EmailChallenge>

  /**
   * Signs in with the mailed code; makes the person known, without an organization.
   *
   * A code that is wrong, used or over is 400 at `body.code`.
   *
   * Needs no credential.
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
   * Needs the permission `sessions:mint`.
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
   * Refused while the person is the last owner of an organization.
   */
  remove(options?: RequestOptions): Call<undefined>

  /** Lists the organizations of the signed-in person. */
  organizations(input?: UsersOrganizationsInput, options?: RequestOptions): List<UserOrganization>

  /**
   * Chooses the organization this session is about.
   *
   * Fails with `organization_not_found`.
   */
  setActiveOrganization(input: SetActiveOrganization, options?: RequestOptions): Call<{
    readonly organization: Organization
  }>

  /**
   * Lists every plugin and config object the caller can use, with the edge that lets them.
   *
   * Only for a member in person.
   */
  library(input?: UsersLibraryInput, options?: RequestOptions): List<LibraryEntry>

  /**
   * Streams everything that is kept of the caller, as NDJSON.
   *
   * Lines of `{ kind, item }`: the person, how their host application knows them, memberships, sessions. What they made belongs to the organizations, and is in their export. The last line is `end` with the count of the others.
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
   * Answers an `ETag`; honours `ifNoneMatch`.
   */
  get(options?: RequestOptions): Call<{
    readonly organization: Organization
  }>

  /**
   * Renames the organization.
   *
   * Needs the permission `organizations:write`. Honours `ifMatch`.
   */
  update(input?: UpdateOrganization, options?: RequestOptions): Call<{
    readonly organization: Organization
  }>

  /**
   * Removes the organization with everything in it; sessions and keys end at once.
   *
   * Purged after 30 days.
   *
   * Only for an owner in person. Honours `ifMatch`.
   */
  remove(options?: RequestOptions): Call<undefined>

  /**
   * Makes another member an owner, and the caller what they choose to be.
   *
   * Only for an owner in person.
   */
  transferOwnership(input: TransferOwnership, options?: RequestOptions): Call<{
    readonly organization: Organization
  }>

  /**
   * Streams everything the organization owns, as NDJSON.
   *
   * Lines of `{ kind, item }`, each kind as it is when it is read; no credential is among them. The last line is `end` with the count of the others. The audit has an export of its own.
   *
   * Only for an owner in person.
   */
  export(options?: RequestOptions): Call<ReadableStream<Uint8Array>>
}

/** The people of the organization. */
export interface MembersOperations {
  /**
   * Adds a person of the host application; anybody else is invited.
   *
   * The host application says whether the organization may have them, and who they are; without its word it is 400.
   *
   * Needs the permission `members:write`. Fails with `member_exists`.
   */
  add(input: AddMember, options?: RequestOptions): Call<{
    readonly member: Member
  }>

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

  /**
   * Gives a member another role; nobody gives what they lack, and the last owner stays.
   *
   * Needs the permission `members:manage`. Fails with `member_not_found`.
   */
  update(orgMembershipId: OrganizationMembershipId, input: UpdateMember, options?: RequestOptions): Call<{
    readonly member: Member
  }>

  /**
   * Removes a member: sessions and grants end with the membership.
   *
   * The last owner stays. A person who comes back starts empty.
   *
   * Needs the permission `members:manage`. Fails with `member_not_found`.
   */
  remove(orgMembershipId: OrganizationMembershipId, input?: MembersRemoveInput, options?: RequestOptions): Call<undefined>

  /**
   * Changes or removes up to a hundred members; each has its own result.
   *
   * Needs the permission `members:manage`.
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
   * Needs the permission `invitations:write`. Fails with `member_exists`.
   */
  create(input: CreateInvitation, options?: RequestOptions): Call<InvitationWithLink>

  /**
   * Lists the organization's invitations.
   *
   * Needs the permission `invitations:read`.
   */
  list(input?: InvitationsListInput, options?: RequestOptions): List<Invitation>

  /**
   * Gets one invitation.
   *
   * Needs the permission `invitations:read`. Fails with `invitation_not_found`.
   */
  get(invitationId: InvitationId, options?: RequestOptions): Call<{
    readonly invitation: Invitation
  }>

  /**
   * Mails a new link for another seven days; the old one ends.
   *
   * Needs the permission `invitations:write`. Fails with `invitation_not_found`, `invitation_not_pending`.
   */
  resend(invitationId: InvitationId, options?: RequestOptions): Call<{
    readonly invitation: Invitation
  }>

  /**
   * Takes an invitation back.
   *
   * Needs the permission `invitations:write`. Fails with `invitation_not_found`, `invitation_not_pending`.
   */
  cancel(invitationId: InvitationId, options?: RequestOptions): Call<{
    readonly invitation: Invitation
  }>

  /**
   * Tells what an invitation would give, without using it.
   *
   * Needs no credential. Fails with `invitation_not_found`.
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
   * Needs the permission `roles:write`. Fails with `role_exists`.
   */
  create(input: CreateRole, options?: RequestOptions): Call<{
    readonly role: Role
  }>

  /**
   * Lists the custom roles of the organization.
   *
   * Needs the permission `roles:read`.
   */
  list(input?: RolesListInput, options?: RequestOptions): List<Role>

  /**
   * Gets one custom role.
   *
   * Needs the permission `roles:read`. Answers an `ETag`; honours `ifNoneMatch`. Fails with `role_not_found`.
   */
  get(roleId: RoleId, options?: RequestOptions): Call<{
    readonly role: Role
  }>

  /**
   * Updates a role; its members have the new permissions at once.
   *
   * Needs the permission `roles:write`. Honours `ifMatch`. Fails with `role_not_found`, `role_exists`.
   */
  update(roleId: RoleId, input?: UpdateRole, options?: RequestOptions): Call<{
    readonly role: Role
  }>

  /**
   * Removes a role that nobody has.
   *
   * Needs the permission `roles:manage`. Honours `ifMatch`. Fails with `role_not_found`, `role_in_use`.
   */
  remove(roleId: RoleId, options?: RequestOptions): Call<undefined>
}

/** Members who are granted things together. */
export interface TeamsOperations {
  /**
   * Creates a team without members.
   *
   * Needs the permission `teams:write`. Fails with `team_exists`.
   */
  create(input: CreateTeam, options?: RequestOptions): Call<{
    readonly team: Team
  }>

  /**
   * Lists the teams of the organization.
   *
   * Needs the permission `teams:read`.
   */
  list(input?: TeamsListInput, options?: RequestOptions): List<Team>

  /**
   * Gets one team.
   *
   * Needs the permission `teams:read`. Fails with `team_not_found`.
   */
  get(teamId: TeamId, options?: RequestOptions): Call<{
    readonly team: Team
  }>

  /**
   * Updates a team.
   *
   * Needs the permission `teams:write`. Honours `ifMatch`. Fails with `team_not_found`, `team_exists`.
   */
  update(teamId: TeamId, input?: UpdateTeam, options?: RequestOptions): Call<{
    readonly team: Team
  }>

  /**
   * Removes a team; every grant it held ends with it.
   *
   * Needs the permission `teams:manage`. Honours `ifMatch`. Fails with `team_not_found`.
   */
  remove(teamId: TeamId, options?: RequestOptions): Call<undefined>

  /**
   * Lists the members of a team.
   *
   * Needs the permission `teams:read`. Fails with `team_not_found`.
   */
  listMembers(teamId: TeamId, input?: TeamsListMembersInput, options?: RequestOptions): List<Member>

  /**
   * Puts a member into a team; twice changes nothing.
   *
   * Needs the permission `teams:write`. Fails with `team_not_found`, `member_not_found`.
   */
  addMember(teamId: TeamId, orgMembershipId: OrganizationMembershipId, options?: RequestOptions): Call<{
    readonly team: Team
  }>

  /**
   * Takes a member out of a team.
   *
   * Needs the permission `teams:write`. Fails with `team_not_found`, `member_not_found`.
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
   * Needs the permission `apiKeys:manage`. Fails with `quota_exceeded`.
   */
  create(input: CreateApiKey, options?: RequestOptions): Call<ApiKeyWithSecret>

  /**
   * Lists the organization's API keys.
   *
   * Needs the permission `apiKeys:read`.
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
   * Needs the permission `apiKeys:read`. Fails with `api_key_not_found`.
   */
  get(apiKeyId: APIKeyId, options?: RequestOptions): Call<{
    readonly apiKey: ApiKey
  }>

  /**
   * Renames or narrows an API key.
   *
   * Needs the permission `apiKeys:manage`. Fails with `api_key_not_found`.
   */
  update(apiKeyId: APIKeyId, input?: UpdateApiKey, options?: RequestOptions): Call<{
    readonly apiKey: ApiKey
  }>

  /**
   * Gives an API key a new secret; the old one works for a grace.
   *
   * Needs the permission `apiKeys:manage`. Fails with `api_key_not_found`.
   */
  rotate(apiKeyId: APIKeyId, input?: RotateApiKey, options?: RequestOptions): Call<ApiKeyWithSecret>

  /**
   * Revokes an API key; it is kept for the audit.
   *
   * Needs the permission `apiKeys:manage`. Fails with `api_key_not_found`.
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
   * Needs the permission `access:read`. Fails with `grant_not_found`.
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
   * Needs the permission `audit:read`.
   */
  list(input?: AuditListInput, options?: RequestOptions): List<AuditEvent>

  /**
   * Streams audit events in their order, as NDJSON or CSV; cells that a spreadsheet would run are quoted.
   *
   * Needs the permission `audit:read`.
   */
  export(input?: AuditExportInput, options?: RequestOptions): Call<ReadableStream<Uint8Array>>

  /**
   * Checks the sealed order: a changed, lost or added event shows.
   *
   * Whoever has the database and not the secret keys cannot change it unnoticed, but could take back its end with all that was signed for it: a checkpoint that was kept elsewhere shows that too.
   *
   * Needs the permission `audit:read`.
   */
  verify(input?: AuditVerifyInput, options?: RequestOptions): Call<{
    readonly verification: AuditVerification
  }>

  /**
   * Lists the signed checkpoints of the sealed order.
   *
   * Needs the permission `audit:read`.
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
   * Needs the permission `configObjects:write`. Fails with `quota_exceeded`.
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

  /**
   * Downloads a plugin as agents install it, as a tar.gz.
   *
   * The archive is the same bytes as long as the content is. `ETag` and `repr-digest` tell its SHA-256; `x-archive-signature` is the Ed25519 signature, in base64, of the text `orgplane plugin archive`, the plugin's id and the digest in hex, each with a line feed after it, by the key that `x-archive-key-id` names in `GET /v1/keys`.
   *
   * Needs the permission `plugins:read`. Answers an `ETag`; honours `ifNoneMatch`. Fails with `plugin_not_found`, `plugin_archive_refused`, `plugin_archive_too_large`, `unavailable`.
   */
  download(pluginId: PluginId, options?: RequestOptions): Call<ReadableStream<Uint8Array>>

  /**
   * Downloads a plugin by a link of `marketplace.json`, without a credential.
   *
   * The archive is the same bytes as long as the content is. `ETag` and `repr-digest` tell its SHA-256; `x-archive-signature` is the Ed25519 signature, in base64, of the text `orgplane plugin archive`, the plugin's id and the digest in hex, each with a line feed after it, by the key that `x-archive-key-id` names in `GET /v1/keys`.
   *
   * Needs no credential. Answers an `ETag`; honours `ifNoneMatch`. Fails with `plugin_archive_not_found`, `unavailable`.
   */
  downloadLinked(pluginId: PluginId, input: PluginsDownloadLinkedInput, options?: RequestOptions): Call<ReadableStream<Uint8Array>>
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

  /**
   * A marketplace as agents read it, each plugin with a link to its archive.
   *
   * The links need no credential, are good for 55 to 60 minutes, and end when the caller no longer sees the plugin or its content changes. A plugin of which no archive can be made is left out. Where many archives are made for the first time it is 503 with `Retry-After`, and the next request goes on.
   *
   * Needs the permission `marketplaces:read`. Answers an `ETag`; honours `ifNoneMatch`. Fails with `marketplace_not_found`, `unavailable`.
   */
  manifest(marketplaceId: MarketplaceId, options?: RequestOptions): Call<MarketplaceManifest>
}

/** Every operation, by group. */
export interface Operations {
  /** Health, readiness, version and documents. */
  readonly system: SystemOperations
  /** A provisional workspace first, its people later. */
  readonly bootstrap: BootstrapOperations
  /** Signing in, and where the caller is signed in. */
  readonly sessions: SessionsOperations
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
    startEmail: "POST{ /v1/sessions/email",
    verifyEmail: "POST{ /v1/sessions/email/verify",
    exchange: "POST+{ /v1/sessions/exchange",
    list: "GET* /v1/sessions ?",
    revokeCurrent: "DELETE /v1/sessions/current",
    revoke: "DELETE /v1/sessions/:"
  },
  users: {
    get: "GET /v1/me",
    update: "PATCH{ /v1/me",
    remove: "DELETE /v1/me",
    organizations: "GET* /v1/me/organizations ?",
    setActiveOrganization: "PUT{ /v1/me/active-organization",
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
    revokeAccess: "DELETE /v1/plugins/:/access/:",
    download: "GET~ /v1/plugins/:/archive",
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
    manifest: "GET /v1/marketplaces/:/marketplace.json"
  }
} as const satisfies { readonly [G in keyof Operations]: { readonly [O in keyof Operations[G]]: string } }
