/** Two organizations with an object of every kind that a request can name, for tests derived from the contract. */
import { createClient } from "@orgplane/client"
import { catalog, type Permission } from "@orgplane/schema/shared/permissions"
import type { Prefix } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as SchemaAST from "effect/SchemaAST"
import { contract, type Operation } from "../../../../scripts/codegen/reflect.ts"
import { sha256, sha256Bytes } from "../../src/infra/crypto/digest.ts"
import { makeToken } from "../../src/infra/crypto/tokens.ts"
import { makeId } from "../../src/infra/ids.ts"
import {
  addMember,
  type TestResponse,
  call,
  makeConnector,
  makeKey,
  makeMarketplace,
  makeRole,
  makeTeam,
  runSql,
  signIn,
  type TestPlane,
  type Workspace
} from "../harness.ts"
import { makeDelivery } from "./webhook-delivery.ts"

import { putLook, reviewOf } from "../agents/mcp-look.ts"
import { aSamlProvider, certificate, makeConnection } from "./sso-connection.fixture.ts"

export type { Operation }
export const operations: ReadonlyArray<Operation> = contract().groups.flatMap((group) => group.operations)
export const changes = ({ audited }: Operation): boolean => audited !== undefined
/** Accepts no orgplane credential: public, or signed by the sender. */
export const isPublic = ({ access }: Operation): boolean => ["public", "signature", "state"].includes(access.kind)

/** The ID of one object of each kind, by the name of the identifier's schema. */
export type Things = Readonly<Record<string, string>>

interface Kind {
  readonly prefix: Prefix
  /** Who may know that it exists: callers with a grant, everyone in the organization, or the person it belongs to. */
  readonly seenBy: "grant" | "organization" | "self"
  /** The code of the response when it does not exist. */
  readonly error: string
  /** The prefix of its permissions; a grant on the object includes its parts. */
  readonly group?: string
  /** Plain text according to the specification: an invalid one is treated as missing. */
  readonly plain?: true
  /** A part of the object before it in the path. */
  readonly child?: true
  /** Not granted individually: the group's `write` or `manage` gives access to all, others see those in use. */
  readonly byPermission?: true
  /** Seen only by callers with this permission, in addition to that of the operation. */
  readonly permission?: Permission
}

const granted = (prefix: Prefix, group: string, error: string, child?: true): Kind => ({
  prefix,
  seenBy: "grant",
  error,
  group,
  ...(child === undefined ? {} : { child })
})

/** Every kind of identifier in a path, a query or a body. */
export const kinds: Readonly<Record<string, Kind>> = {
  SessionId: { prefix: "ses", seenBy: "self", error: "session_not_found" },
  OrganizationId: { prefix: "org", seenBy: "self", error: "organization_not_found" },
  OrganizationMembershipId: { prefix: "om", seenBy: "organization", error: "member_not_found" },
  // The device names itself: any unknown one is missing.
  DeviceId: { prefix: "wrk", seenBy: "organization", error: "device_not_found", plain: true, child: true },
  TeamId: { prefix: "tem", seenBy: "organization", error: "team_not_found" },
  RoleId: { prefix: "rol", seenBy: "organization", error: "role_not_found" },
  InvitationId: { prefix: "inv", seenBy: "organization", error: "invitation_not_found" },
  APIKeyId: { prefix: "key", seenBy: "organization", error: "api_key_not_found" },
  AuditEventId: {
    prefix: "aud",
    seenBy: "organization",
    error: "event_not_found",
    permission: "roles:read"
  },
  ConnectorInstanceId: granted("cin", "connectors", "connector_instance_not_found"),
  ConnectorTargetId: granted("ctg", "connectors", "connector_target_not_found"),
  ConnectorSyncEventId: granted("cse", "connectors", "connector_sync_event_not_found"),
  ConnectorAccountId: { ...granted("cac", "connectors", "connector_account_not_found"), byPermission: true },
  ConfigObjectId: granted("cob", "configObjects", "config_object_not_found"),
  PluginId: granted("plg", "plugins", "plugin_not_found"),
  PluginReleaseId: { prefix: "rel", seenBy: "organization", error: "plugin_release_not_found" },
  RolloutId: { prefix: "rlo", seenBy: "organization", error: "rollout_not_found" },
  AssignmentId: { prefix: "asg", seenBy: "organization", error: "assignment_not_found" },
  MarketplaceId: granted("mkt", "marketplaces", "marketplace_not_found"),
  // A token is not an ID: any unknown one is missing.
  MarketplaceLinkToken: { prefix: "mkl", seenBy: "organization", error: "marketplace_link_not_found", plain: true },
  MarketplaceLinkId: granted("mkl", "marketplaces", "marketplace_link_not_found", true),
  ConfigObjectVersionId: granted("cov", "configObjects", "config_object_version_not_found", true),
  ConnectorInstanceAccessGrantId: granted("cia", "connectors", "connector_instance_grant_not_found", true),
  ConfigObjectAccessGrantId: granted("coa", "configObjects", "config_object_grant_not_found", true),
  PluginAccessGrantId: granted("pag", "plugins", "plugin_grant_not_found", true),
  MarketplaceAccessGrantId: granted("mag", "marketplaces", "marketplace_grant_not_found", true),
  ExternalMCPConnectionId: granted("emc", "mcpConnections", "connection_not_found"),
  MCPConnectionAccessGrantId: granted("emg", "mcpConnections", "mcp_connection_grant_not_found", true),
  DesktopPolicyId: { prefix: "dpo", seenBy: "organization", error: "desktop_policy_not_found" },
  LLMProviderId: granted("llm", "llmProviders", "llm_provider_not_found"),
  LLMProviderAccessGrantId: granted("lla", "llmProviders", "llm_provider_grant_not_found", true),
  TemplateId: { prefix: "tpl", seenBy: "organization", error: "template_not_found" },
  TemplateVersionId: { prefix: "tpv", seenBy: "organization", error: "template_version_not_found", child: true },
  DomainId: { prefix: "dom", seenBy: "organization", error: "domain_not_found" },
  WebhookDeliveryId: { prefix: "dlv", seenBy: "organization", error: "webhook_delivery_not_found" },
  WebhookEndpointId: { prefix: "whe", seenBy: "organization", error: "webhook_endpoint_not_found" },
  WebhookMessageId: { prefix: "whm", seenBy: "organization", error: "webhook_message_not_found", child: true },
  EventStreamId: { prefix: "evs", seenBy: "organization", error: "event_stream_not_found" },
  ConfigurationRunId: {
    prefix: "cfr",
    seenBy: "organization",
    error: "configuration_run_not_found"
  },
  WorkerPathId: { prefix: "wrk", seenBy: "organization", error: "worker_not_found", plain: true },
  WorkerTokenId: { prefix: "wkt", seenBy: "organization", error: "worker_token_not_found", child: true },
  SSOConnectionId: { prefix: "sso", seenBy: "organization", error: "sso_connection_not_found" },
  SCIMDirectoryId: { prefix: "scd", seenBy: "organization", error: "scim_directory_not_found" },
  SCIMTokenId: { prefix: "sct", seenBy: "organization", error: "scim_token_not_found", child: true },
  SCIMHoldId: { prefix: "sch", seenBy: "organization", error: "scim_hold_not_found", child: true },
  // SCIM errors have no codes of orgplane.
  SCIMUserPathId: { prefix: "scu", seenBy: "organization", error: "", plain: true, child: true },
  SCIMGroupPathId: { prefix: "tem", seenBy: "organization", error: "", plain: true, child: true },
  SCIMGroupId: { prefix: "tem", seenBy: "organization", error: "scim_group_not_found", child: true },
  ConnectorMappingId: granted("cmp", "connectors", "connector_mapping_not_found")
}

export const kindOf = (type: string): Kind => {
  const kind = kinds[type]
  if (kind === undefined) throw new Error(`No id is made yet of ${type}: say in http-world.ts how.`)
  return kind
}

export const missing = (type: string): string => makeId(kindOf(type).prefix)

let nameCount = 0
let telling: Readonly<Record<string, string>> = {}
/** Uses a telling name for each word, for tests whose organizations have one object of each kind. */
export const useNames = (names: Readonly<Record<string, string>>): void => {
  telling = names
}
/** A unique name, or a telling one. */
export const someName = (word = "Thing"): string => telling[word] ?? `${word} ${(nameCount += 1)}`
export const someEmail = (): string => `person-${(nameCount += 1)}@example.com`

export const someDomain = (): string => `domain-${(nameCount += 1)}.example`

/** Teams with a grant on all objects of a test: one as viewer, one as editor, one as manager. */
export interface Crews {
  readonly viewer: string
  readonly editor: string
  readonly manager: string
}

interface Making {
  readonly plane: TestPlane
  readonly owner: Workspace
  readonly crews: Crews | undefined
}

const demanded = async (pending: Promise<TestResponse>) => {
  const response = await pending
  if (response.status !== 200 && response.status !== 201) throw new Error(`${response.status} ${response.text}`)
  return response.body
}

/** The content and connector groups call it `item`. */
const grantOf = ({ grant, item }: { readonly grant?: { id: string }; readonly item: { id: string } }) =>
  (grant ?? item).id

/** Creates grants on a new object for the teams, and one whose ID is returned. */
const share = async ({ crews, owner }: Making, path: string): Promise<string> => {
  const grant = async (receiver: object) => grantOf(await demanded(owner.call("POST", `${path}/access`, receiver)))
  for (const role of ["editor", "manager"] as const) {
    if (crews !== undefined) await grant({ teamId: crews[role], role })
  }
  return grant(
    crews === undefined
      ? { orgMembershipId: owner.membershipId, role: "viewer" }
      : { teamId: crews.viewer, role: "viewer" }
  )
}

/** Needs no key; its URL is never connected to. */
const aProvider = () => ({
  name: someName("Provider"),
  providerId: "custom",
  baseUrl: "https://192.0.2.1/v1",
  credentialMode: "none"
})

/** How objects are created, each with the resulting identifiers. */
const makers: ReadonlyArray<{
  readonly makes: ReadonlyArray<string>
  readonly make: (making: Making) => Promise<Things>
}> = [
  {
    makes: ["SessionId"],
    make: async ({ owner, plane }) => ({ SessionId: (await signIn(plane, owner.userId, owner.organizationId)).id })
  },
  { makes: ["OrganizationId"], make: ({ owner }) => Promise.resolve({ OrganizationId: owner.organizationId }) },
  {
    makes: ["OrganizationMembershipId", "DeviceId"],
    make: async ({ owner, plane }) => {
      const { membershipId } = await addMember(plane, owner, "member")
      const deviceId = makeId("wrk")
      await runSql(
        plane,
        (sql) => sql`INSERT INTO devices (organization_id, membership_id, id, worker_id, agent, platform, sequence,
            report_digest, first_seen_at, last_seen_at)
          VALUES (${owner.organizationId}, ${membershipId}, ${deviceId}, '', 'claude-code', 'linux', 1, 'none', now(),
            now())`
      )
      return { OrganizationMembershipId: membershipId, DeviceId: deviceId }
    }
  },
  { makes: ["TeamId"], make: async ({ owner }) => ({ TeamId: await makeTeam(owner, [], someName("The team")) }) },
  { makes: ["RoleId"], make: async ({ owner }) => ({ RoleId: await makeRole(owner, []) }) },
  {
    makes: ["InvitationId"],
    make: async ({ owner }) => {
      const input = { email: someEmail(), role: await makeRole(owner, []), send: false }
      const { invitation } = await demanded(owner.call("POST", "/v1/invitations", input))
      return { InvitationId: invitation.id }
    }
  },
  { makes: ["APIKeyId"], make: async ({ owner, plane }) => ({ APIKeyId: (await makeKey(plane, owner, [])).id }) },
  {
    makes: ["AuditEventId"],
    make: async ({ owner }) => {
      await makeRole(owner, [])
      const [event] = (await demanded(owner.call("GET", "/v1/audit-events?limit=1&action=role.create"))).items
      return { AuditEventId: event.id }
    }
  },
  {
    makes: [
      "ConnectorInstanceId",
      "ConnectorAccountId",
      "ConnectorTargetId",
      "ConnectorSyncEventId",
      "ConnectorInstanceAccessGrantId",
      "ConnectorMappingId",
      "ConfigurationRunId"
    ],
    make: async (making) => {
      const connector = await makeConnector(making.plane, making.owner, someName("Connector"))
      const mappingId = makeId("cmp")
      // As if created by hand, without the sync, which would fail without a repository.
      await runSql(
        making.plane,
        (sql) => sql`INSERT INTO connector_mappings (organization_id, id, connector_instance_id, connector_target_id,
            mapping_kind, selector, object_type, auto_add_to_plugin, created_at, updated_at)
          VALUES (${making.owner.organizationId}, ${mappingId}, ${connector.connectorInstanceId},
            ${connector.connectorTargetId}, 'path', 'docs', 'context', false, now(), now())`
      )
      const runId = makeId("cfr")
      // As if it would remove too many objects.
      await runSql(
        making.plane,
        (sql) => sql`INSERT INTO configuration_runs (organization_id, id, source_version, connector_instance_id,
            connector_target_id, branch, path, mode, trigger, status, plan_digest, changes_json, problems_json,
            membership_id, attempts, due_at, status_attempts, created_at, ended_at)
          VALUES (${making.owner.organizationId}, ${runId}, 0, ${connector.connectorInstanceId},
            ${connector.connectorTargetId}, 'main', 'orgplane.yaml', 'apply', 'webhook', 'held', ${"0".repeat(64)}, '[]',
            '[]', ${making.owner.membershipId}, 0, now(), 0, now(), now())`
      )
      return {
        ConfigurationRunId: runId,
        ConnectorInstanceId: connector.connectorInstanceId,
        ConnectorAccountId: connector.connectorAccountId,
        ConnectorTargetId: connector.connectorTargetId,
        ConnectorSyncEventId: connector.connectorSyncEventId,
        ConnectorMappingId: mappingId,
        ConnectorInstanceAccessGrantId: await share(making, `/v1/connector-instances/${connector.connectorInstanceId}`)
      }
    }
  },
  {
    makes: ["PluginId", "PluginAccessGrantId"],
    make: async (making) => {
      const { item } = await demanded(making.owner.call("POST", "/v1/plugins", { name: someName("Plugin") }))
      return { PluginId: item.id, PluginAccessGrantId: await share(making, `/v1/plugins/${item.id}`) }
    }
  },
  {
    makes: ["ConfigObjectId", "ConfigObjectVersionId", "ConfigObjectAccessGrantId"],
    make: async (making) => {
      const input = { type: "context", rawSourceText: "# A skill" }
      const { item } = await demanded(making.owner.call("POST", "/v1/config-objects", { input }))
      return {
        ConfigObjectId: item.id,
        ConfigObjectVersionId: item.latestVersion.id,
        ConfigObjectAccessGrantId: await share(making, `/v1/config-objects/${item.id}`)
      }
    }
  },
  {
    makes: ["MarketplaceId", "MarketplaceAccessGrantId", "MarketplaceLinkId"],
    make: async (making) => {
      const id = await makeMarketplace(making.plane, making.owner)
      const link = await demanded(making.owner.call("POST", `/v1/marketplaces/${id}/links`, { name: someName("Link") }))
      return {
        MarketplaceId: id,
        MarketplaceAccessGrantId: await share(making, `/v1/marketplaces/${id}`),
        MarketplaceLinkId: link.item.id
      }
    }
  },
  {
    makes: ["PluginReleaseId"],
    make: async ({ owner, plane }) => {
      const marketplaceId = await makeMarketplace(plane, owner)
      const mode = `/v1/approval-settings/marketplaces/${marketplaceId}`
      await demanded(owner.call("PUT", mode, { deliveryMode: "hold_all" }))
      const { item } = await demanded(owner.call("POST", "/v1/plugins", { name: someName("Held plugin") }))
      await demanded(owner.call("POST", `/v1/marketplaces/${marketplaceId}/plugins`, { pluginId: item.id }))
      const [release] = (await demanded(owner.call("GET", `/v1/approvals?pluginId=${item.id}`))).items
      return { PluginReleaseId: release.id, digest: release.digest, heldPluginId: item.id }
    }
  },
  {
    makes: ["RolloutId"],
    make: async ({ owner, plane }) => {
      const marketplaceId = await makeMarketplace(plane, owner)
      const { item } = await demanded(owner.call("POST", "/v1/plugins", { name: someName("Plugin in rings") }))
      await demanded(owner.call("POST", `/v1/marketplaces/${marketplaceId}/plugins`, { pluginId: item.id }))
      const mode = `/v1/approval-settings/marketplaces/${marketplaceId}`
      await demanded(owner.call("PUT", mode, { deliveryMode: "hold_all" }))
      const approve = async () => {
        const [release] = (await demanded(owner.call("GET", `/v1/approvals?pluginId=${item.id}`))).items
        const releases = [{ releaseId: release.id, digest: release.digest }]
        await demanded(owner.call("POST", "/v1/approvals/approve", { releases }))
        return release
      }
      const input = { type: "context", rawSourceText: "# One" }
      const object = await demanded(owner.call("POST", "/v1/config-objects", { input, pluginIds: [item.id] }))
      // The first release is served at once.
      await approve()
      const version = { input: { rawSourceText: "# Two" } }
      await demanded(owner.call("POST", `/v1/config-objects/${object.item.id}/versions`, version))
      const ring = { name: "Half", teamIds: [], memberIds: [], percent: 50, soakMinutes: 60, promotion: "manual" }
      // Only for this rollout, which keeps its rings.
      await demanded(owner.call("PATCH", "/v1/rollout-settings", { rings: [ring] }))
      const release = await approve()
      await demanded(owner.call("PATCH", "/v1/rollout-settings", { rings: [] }))
      const [rollout] = (await demanded(owner.call("GET", `/v1/rollouts?pluginId=${item.id}`))).items
      return {
        RolloutId: rollout.id,
        rolledOutId: release.id,
        rolledOutDigest: release.digest,
        rolledOutPluginId: item.id
      }
    }
  },
  {
    makes: ["WebhookEndpointId", "WebhookMessageId"],
    make: async ({ owner, plane }) => {
      const input = { name: someName("Endpoint"), url: "https://hooks.example/events" }
      const { item } = await demanded(owner.call("POST", "/v1/webhook-endpoints", input))
      const messageId = makeId("whm")
      await runSql(
        plane,
        (sql) => sql`INSERT INTO webhook_messages (organization_id, endpoint_id, id, event_id, sequence, type, body_id,
            permissions_version, state, attempts, failures, created_at)
          VALUES (${owner.organizationId}, ${item.id}, ${messageId}, ${makeId("aud")}, 1, 'plugin.create', 'none',
            1, 'failed', 0, 0, now())`
      )
      return { WebhookEndpointId: item.id, WebhookMessageId: messageId }
    }
  },
  {
    makes: ["EventStreamId"],
    make: async ({ owner }) => {
      // An organization can have 20.
      const { items } = await demanded(owner.call("GET", "/v1/event-streams"))
      if (items.length > 15) await owner.call("DELETE", `/v1/event-streams/${items.at(-1).id}`)
      const destination = { kind: "https", url: "https://siem.example/events" }
      const input = { name: someName("Stream"), destination }
      return { EventStreamId: (await demanded(owner.call("POST", "/v1/event-streams", input))).item.id }
    }
  },
  {
    makes: ["AssignmentId"],
    make: async ({ owner, plane }) => {
      // Of its own: another mode would change what the other tests read.
      const input = { marketplaceId: await makeMarketplace(plane, owner), mode: "default_on" }
      return { AssignmentId: (await demanded(owner.call("POST", "/v1/assignments", input))).item.id }
    }
  },
  {
    makes: ["ExternalMCPConnectionId", "MCPConnectionAccessGrantId"],
    make: async (making) => {
      const { plane } = making
      const input = { name: someName("Connection"), url: "https://mcp.example/mcp", authType: "none" }
      const { mcpConnection } = await demanded(making.owner.call("POST", "/v1/mcp-connections", input))
      const { id } = mcpConnection
      await putLook(plane, making.owner.organizationId, id)
      return {
        ExternalMCPConnectionId: id,
        MCPConnectionAccessGrantId: await share(making, `/v1/mcp-connections/${id}`)
      }
    }
  },
  {
    makes: ["DesktopPolicyId"],
    make: async ({ owner }) => {
      const input = { policyName: someName("Policy"), policy: { showWelcomePage: false } }
      return { DesktopPolicyId: (await demanded(owner.call("POST", "/v1/desktop-policies", input))).desktopPolicy.id }
    }
  },
  {
    makes: ["WorkerPathId", "WorkerTokenId"],
    make: async ({ owner }) => {
      const input = { name: someName("Worker"), destination: "local" }
      const { worker } = await demanded(owner.call("POST", "/v1/workers", input))
      const [token] = (await demanded(owner.call("GET", `/v1/workers/${worker.id}/tokens`))).items
      return { WorkerPathId: worker.id, WorkerTokenId: token.id }
    }
  },
  {
    makes: ["LLMProviderId", "LLMProviderAccessGrantId"],
    make: async (making) => {
      const { llmProvider } = await demanded(making.owner.call("POST", "/v1/llm-providers", aProvider()))
      return {
        LLMProviderId: llmProvider.id,
        LLMProviderAccessGrantId: await share(making, `/v1/llm-providers/${llmProvider.id}`)
      }
    }
  },
  {
    makes: ["TemplateId", "TemplateVersionId"],
    make: async ({ owner }) => {
      const objects = [{ type: "context", rawSourceText: "# Some context" }]
      const content = { plugin: { name: someName("Made of a template") }, objects }
      const { template, version } = await demanded(
        owner.call("POST", "/v1/templates", { name: someName("Template"), content })
      )
      return { TemplateId: template.id, TemplateVersionId: version.id }
    }
  },
  {
    makes: ["DomainId"],
    make: async ({ owner, plane }) => {
      // As if verified by its record, without a name server, and also in an unclaimed workspace.
      const id = makeId("dom")
      await runSql(
        plane,
        (
          sql
        ) => sql`INSERT INTO domains (organization_id, id, domain, status, token, verified_at, created_at, updated_at)
          VALUES (${owner.organizationId}, ${id}, ${someDomain()}, 'verified', 'a token', now(), now(), now())`
      )
      return { DomainId: id }
    }
  },
  {
    makes: ["SCIMDirectoryId", "SCIMTokenId", "SCIMHoldId", "SCIMGroupId", "SCIMUserPathId", "SCIMGroupPathId"],
    make: async ({ owner, plane }) => {
      const { organizationId } = owner
      const [directoryId, tokenId, holdId] = [makeId("scd"), makeId("sct"), makeId("sch")]
      const [userId, personId] = [makeId("scu"), makeId("usr")]
      const userName = `${userId}@corp.example`
      const resource = { schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"], userName, active: true }
      const group = { schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"], displayName: "a group" }
      const teamId = await makeTeam(owner, [], someName("A group"))
      // More than an organization can have by its operation, and with members that only a directory creates.
      await runSql(plane, (sql) =>
        Effect.all([
          sql`INSERT INTO scim_directories (organization_id, id, name, provider, created_at, updated_at)
            VALUES (${organizationId}, ${directoryId}, 'A directory', 'other', now(), now())`,
          sql`INSERT INTO scim_tokens (organization_id, id, directory_id, token_digest, created_at)
            VALUES (${organizationId}, ${tokenId}, ${directoryId}, ${sha256Bytes(tokenId)}, now())`,
          sql`INSERT INTO scim_holds (organization_id, id, directory_id, status, active_before, created_at)
            VALUES (${organizationId}, ${holdId}, ${directoryId}, 'pending', 10, now())`,
          sql`INSERT INTO scim_groups (organization_id, id, directory_id, display_name, resource_json, folded_json,
              created_at, updated_at)
            VALUES (${organizationId}, ${teamId}, ${directoryId}, 'a group', ${sql.json(group)}, ${sql.json(group)},
              now(), now())`,
          sql`INSERT INTO users (id, created_at, updated_at) VALUES (${personId}, now(), now())`,
          sql`INSERT INTO scim_users (organization_id, id, directory_id, user_name, active, resource_json, folded_json,
              user_id, created_at, updated_at)
            VALUES (${organizationId}, ${userId}, ${directoryId}, ${userName}, true, ${sql.json(resource)},
              ${sql.json(resource)}, ${personId}, now(), now())`
        ])
      )
      return {
        SCIMDirectoryId: directoryId,
        SCIMTokenId: tokenId,
        SCIMHoldId: holdId,
        SCIMGroupId: teamId,
        SCIMUserPathId: userId,
        SCIMGroupPathId: teamId
      }
    }
  },
  {
    makes: ["WebhookDeliveryId"],
    make: async ({ owner, plane }) => ({ WebhookDeliveryId: await makeDelivery(plane, owner) })
  },
  {
    makes: ["SSOConnectionId"],
    make: async ({ owner, plane }) => ({ SSOConnectionId: await makeConnection(plane, owner) })
  }
]

/** New objects of the owner's organization: of these kinds, or of all. */
export const makeThings = async (
  plane: TestPlane,
  owner: Workspace,
  crews?: Crews,
  types: ReadonlyArray<string> = Object.keys(kinds)
): Promise<Things> => {
  let things: Things = {}
  for (const { make, makes } of makers) {
    if (makes.some((type) => types.includes(type))) things = { ...things, ...(await make({ plane, owner, crews })) }
  }
  return things
}

const decisionOf = (things: Things) => ({
  releases: [{ releaseId: things["PluginReleaseId"], digest: things["digest"] }],
  comment: "Reviewed."
})

/** A document whose caller only needs the permission of the configuration. */
const aDocument = () => ({ version: 1, organization: { name: someName("Organization") } })

/** A valid body for each kind of payload, by the name of its schema. */
const bodies: Readonly<Record<string, (things: Things, plane: TestPlane) => unknown>> = {
  IngestTelemetry: () => ({
    events: [{ id: someName("event"), type: "task.completed", timestamp: new Date().toISOString(), source: "app" }]
  }),
  DeviceReport: (things) => ({
    deviceId: makeId("wrk"),
    sequence: 1,
    agent: "claude-code",
    platform: "linux",
    revision: null,
    plugins: [{ pluginId: things["PluginId"], state: "installed", sha256: "0".repeat(64), digest: null, failure: null }]
  }),
  SetConfigurationSource: (things) => ({ connectorInstanceId: things["ConnectorInstanceId"], isEnabled: false }),
  ApproveConfigurationRun: () => ({ planDigest: "0".repeat(64) }),
  RejectConfigurationRun: () => ({ comment: "Keep these teams." }),
  CreateWorkspace: () => ({ workspaceName: someName("Workspace") }),
  AcceptClaim: () => ({ token: makeToken("opc") }),
  ClaimToken: () => ({ token: makeToken("opc") }),
  StartEmailSignIn: () => ({ email: someEmail() }),
  VerifyEmailSignIn: () => ({ challengeId: "nothing", code: "ABCDEFGH" }),
  ExchangeSession: (things) => ({ orgMembershipId: things["OrganizationMembershipId"] }),
  UpdateUser: () => ({ name: someName("Person") }),
  SetActiveOrganization: (things) => ({ organizationId: things["OrganizationId"] }),
  CreateOrganization: () => ({ name: someName("Organization") }),
  UpdateOrganization: () => ({ name: someName("Organization") }),
  TransferOwnership: (things) => ({ orgMembershipId: things["OrganizationMembershipId"], keep: "owner" }),
  // A role without permissions, which everyone may assign.
  AddMember: (things) => ({ subject: someName("subject"), role: things["RoleId"] }),
  UpdateMember: (things) => ({ role: things["RoleId"] }),
  MemberBatch: (things) => ({
    items: [{ action: "setRole", orgMembershipId: things["OrganizationMembershipId"], role: things["RoleId"] }]
  }),
  InvitationBatch: (things) => ({ items: [{ email: someEmail(), role: things["RoleId"] }] }),
  CreateInvitation: (things) => ({ email: someEmail(), role: things["RoleId"] }),
  InvitationToken: () => ({ token: makeToken("opi") }),
  CreateRole: () => ({ name: someName("A role"), permissions: [] }),
  UpdateRole: () => ({ name: someName("A role") }),
  CreateTeam: () => ({ name: someName("A team") }),
  PlanConfiguration: () => ({ document: aDocument() }),
  ApplyConfiguration: () => ({ document: aDocument() }),
  AdoptConfiguration: () => ({}),
  UpdateApprovalSettings: () => ({ deliveryMode: "hold_growth" }),
  DeliveryModeSetting: () => ({ deliveryMode: "hold_growth" }),
  ApprovePluginReleases: decisionOf,
  RejectPluginReleases: decisionOf,
  UpdatePlan: () => ({ plan: "enterprise" }),
  UpdateTeam: () => ({ name: someName("A team") }),
  CreateApiKey: () => ({ name: someName("Key"), permissions: [] }),
  UpdateApiKey: () => ({ name: someName("Key") }),
  RotateApiKey: () => ({}),
  ExplainAccess: (things) => ({ object: { kind: "plugin", id: things["PluginId"] }, action: "view" }),
  AccessImpact: (things) => ({ grantId: things["PluginAccessGrantId"] }),
  SetupConnector: (_, plane) => ({ adapter: "git", cloneUrl: `${plane.repositories}/nothing` }),
  UpdateConnectorInstance: () => ({ config: { a: 1 } }),
  ApplyDiscovery: () => ({ selectedKeys: [], autoImportNewPlugins: false }),
  CreateGrant: () => ({ orgWide: true, role: "viewer" }),
  CreateConfigObject: () => ({ input: { type: "context", rawSourceText: "# Another skill" } }),
  CreatePlugin: () => ({ name: someName("Another plugin") }),
  CreateConfigObjectVersion: () => ({ input: { rawSourceText: `# ${someName("Version")}` } }),
  AttachPlugin: (things) => ({ pluginId: things["PluginId"] }),
  UpdatePlugin: () => ({ name: someName("Another plugin") }),
  AddObject: (things) => ({ configObjectId: things["ConfigObjectId"] }),
  CreateMarketplace: () => ({ name: someName("Another marketplace") }),
  UpdateMarketplace: () => ({ name: someName("Another marketplace") }),
  AddPlugin: (things) => ({ pluginId: things["PluginId"] }),
  CreateDesktopPolicy: (things) => ({
    policyName: someName("A policy"),
    policy: { showWelcomePage: false, onboardingPrompts: [someName("Prompt")] },
    memberIds: [things["OrganizationMembershipId"]],
    teamIds: [things["TeamId"]]
  }),
  UpdateDesktopPolicy: (things) => ({
    policyName: someName("A policy"),
    memberIds: [things["OrganizationMembershipId"]],
    teamIds: [things["TeamId"]]
  }),
  SimulateDesktopPolicies: (things) => ({ delete: { desktopPolicyId: things["DesktopPolicyId"] } }),
  CreateWebhookEndpoint: () => ({ name: someName("Endpoint"), url: "https://hooks.example/events" }),
  UpdateWebhookEndpoint: () => ({ name: someName("Endpoint"), types: ["plugin.*"] }),
  RotateWebhookSecret: () => ({ overlapSeconds: 3600 }),
  ResumeWebhookEndpoint: () => ({ skip: true }),
  RedeliverEvents: () => ({ from: 1, to: 2 }),
  CreateEventStream: () => ({
    name: someName("Stream"),
    destination: { kind: "https", url: "https://siem.example/events" }
  }),
  UpdateEventStream: () => ({ name: someName("Stream"), types: ["plugin.*"] }),
  CreateAssignment: (things) => ({
    pluginId: things["PluginId"],
    mode: "available",
    memberIds: [things["OrganizationMembershipId"]],
    teamIds: [things["TeamId"]]
  }),
  CreateRollout: (things) => ({ releaseId: things["PluginReleaseId"] }),
  PreviewRollout: (things) => ({
    releaseId: things["PluginReleaseId"],
    rings: [{ name: "Half", teamIds: [], memberIds: [], percent: 50, soakMinutes: 1440, promotion: "automatic" }]
  }),
  PromoteRollout: () => ({ ring: "Half" }),
  PauseRollout: () => ({ comment: "Waits for the review of a failure." }),
  RollBackRollout: () => ({ comment: "The command fails on Windows." }),
  ReleaseRollout: () => ({ comment: "Fixes a leak of credentials." }),
  ScheduleRollout: () => ({ startsAt: new Date(Date.now() + 86_400_000).toISOString() }),
  WithdrawRelease: (things) => ({
    pluginId: things["PluginId"],
    digest: things["rolledOutDigest"] ?? sha256("nothing"),
    comment: "Leaks credentials."
  }),
  UpdateRolloutSettings: (things) => ({
    rings: [
      {
        name: "Canary",
        teamIds: [things["TeamId"]],
        memberIds: [things["OrganizationMembershipId"]],
        percent: 5,
        soakMinutes: 1440,
        promotion: "automatic"
      }
    ]
  }),
  UpdateAssignment: (things) => ({
    mode: "available",
    memberIds: [things["OrganizationMembershipId"]],
    teamIds: [things["TeamId"]]
  }),
  SimulateAssignments: (things) => ({ delete: { assignmentId: things["AssignmentId"] } }),
  SetPluginChoice: () => ({ enabled: true }),
  CreateTemplate: () => ({
    name: someName("Another template"),
    content: { plugin: { name: "A plugin" }, objects: [{ type: "context", rawSourceText: "# Some context" }] }
  }),
  UpdateTemplate: () => ({ name: someName("Another template") }),
  CreateTemplateVersion: () => ({ content: { plugin: { name: someName("Another plugin") }, objects: [] } }),
  InstantiateTemplate: () => ({ name: someName("A plugin of a template") }),
  CreateMcpConnection: () => ({ name: someName("A connection"), url: "https://mcp.example", authType: "none" }),
  UpdateMcpConnection: () => ({ name: someName("A connection") }),
  StartMcpConnect: () => ({}),
  CompleteConnect: () => ({ state: "nothing", code: "nothing" }),
  SetMcpApiKey: () => ({ apiKey: "nothing" }),
  McpToolPolicy: () => ({ mode: "listed", allowed: [someName("tool")], denied: [] }),
  CallMcpTool: () => ({ toolName: someName("tool"), arguments: {} }),
  DecideMcpReview: () => ({ fingerprint: reviewOf, decision: "accept" }),
  CreateLlmProvider: aProvider,
  UpdateLlmProvider: () => ({ name: someName("A provider") }),
  SetLlmCredential: () => ({ apiKey: "nothing" }),
  SetConnectorCredential: () => ({ token: "nothing" }),
  SetAutoImport: () => ({ enabled: true }),
  SaveMemory: () => ({ content: someName("Remember") }),
  CreateMailDraft: () => ({ to: ["ann@example.com"], subject: someName("Subject"), body: "A body" }),
  UpdateCalendarEvent: () => ({ createMeetLink: true }),
  StartSuiteConnect: () => ({}),
  CompleteSuiteConnect: () => ({ state: "nothing", code: "nothing" }),
  CreateConnectorTarget: () => ({ branch: someName("branch") }),
  UpdateConnectorTarget: () => ({ config: { a: 1 } }),
  CreateConnectorMapping: () => ({ selector: someName("docs"), objectType: "context" }),
  UpdateConnectorMapping: () => ({ selector: someName("docs") }),
  RollbackConnector: () => ({ revision: "0".repeat(40) }),
  CreateConnectorAccount: () => ({ adapter: "git", url: `https://${someName("git").replace(" ", "-")}.example` }),
  // Has no vector, so that no server is contacted.
  ResolveMcp: () => ({ query: "a sentence that means nothing here" }),
  CreateDomain: () => ({ domain: someDomain() }),
  CreateScimDirectory: () => ({ name: someName("A directory") }),
  RotateScimToken: () => ({}),
  SetScimGroupRole: (things) => ({ role: things["RoleId"] }),
  CreateMarketplaceLink: () => ({ name: someName("A link") }),
  CreateWorker: () => ({ name: someName("A worker"), destination: "local" }),
  UpdateWorker: () => ({ name: someName("A worker") }),
  CreateWorkerToken: () => ({}),
  UpgradeWorkerRuntime: () => ({}),
  WorkerHeartbeat: () => ({}),
  ReportWorkerActivity: () => ({ kind: "task", message: someName("Does") }),
  CompleteInstall: () => ({ state: "nothing", code: "nothing", installationId: "1" }),
  PutOidc: () => ({ issuer: "https://idp.invalid", clientId: "nothing" }),
  PutSaml: () => ({ ...aSamlProvider, certificates: [certificate] }),
  TestSso: () => ({}),
  EnforceSso: (things) => ({ breakGlass: [things["OrganizationMembershipId"]] }),
  StartSso: (things) => ({ organizationId: things["OrganizationId"], codeChallenge: "a".repeat(43) }),
  CompleteSso: () => ({ state: "nothing", code: "nothing", codeVerifier: "a".repeat(43) }),
  SamlResponseForm: () => ({}),
  CreateConnectorInstance: (things, plane) => ({
    connectorAccountId: things["ConnectorAccountId"],
    remoteId: `${plane.repositories}/nothing`
  })
}

/** Required query parameters, by operation. */
const requiredQueries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "connectors.listBranches": { remoteId: "7" },
  "memory.search": { q: "a question" },
  "search.objects": { q: "a" }
}

const scimUser = () => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
  userName: `${someName("person").replace(" ", "-")}@corp.example`
})
const scimGroup = () => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
  displayName: someName("A group")
})
const scimPatch = (path: string, word: string) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations: [{ op: "replace", path, value: someName(word) }]
})
const scimSearch = () => ({ schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"] })

/** Bodies that the server reads itself. */
const messages: Readonly<Record<string, () => unknown>> = {
  "scimProtocol.createUser": scimUser,
  "scimProtocol.replaceUser": scimUser,
  "scimProtocol.updateUser": () => scimPatch("title", "Painter"),
  "scimProtocol.createGroup": scimGroup,
  "scimProtocol.replaceGroup": scimGroup,
  "scimProtocol.updateGroup": () => scimPatch("displayName", "A group"),
  "scimProtocol.searchUsers": scimSearch,
  "scimProtocol.searchGroups": scimSearch,
  "scimProtocol.search": scimSearch,
  "scimProtocol.bulk": () => ({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
    Operations: [{ method: "POST", path: "/Users", bulkId: "a", data: scimUser() }]
  })
}

export const bodyOf = (operation: Operation, things: Things, plane: TestPlane): unknown => {
  if (operation.body === null) return messages[operation.operationId]?.()
  const make = bodies[operation.body.name ?? ""]
  if (make === undefined) {
    throw new Error(`No body is made yet of ${String(operation.body.name)}: say in http-world.ts how.`)
  }
  return make(things, plane)
}

/** Path parameters that are not orgplane's identifiers: a valid word for each. */
const words: Readonly<Record<string, string>> = {
  suite: "suite-a",
  messageId: "nothing",
  eventId: "nothing",
  memoryId: "nothing",
  resourceType: "User",
  schema: "urn:ietf:params:scim:schemas:core:2.0:User"
}

/** The text for a parameter that is not an identifier. */
const wordFor = ({ name, type }: Pick<Operation["pathParams"][number], "name" | "type">): string | undefined =>
  type in kinds ? undefined : words[name]

/** The identifiers in the path. */
export const idsIn = ({ pathParams }: Operation): Operation["pathParams"] =>
  pathParams.filter((param) => wordFor(param) === undefined)

/** The path with these IDs, by the name of the identifier's schema. */
export const pathOf = (operation: Operation, ids: Things, query: Readonly<Record<string, string>> = {}): string => {
  const path = operation.pathParams.reduce(
    (path, { name, type }) =>
      path.replace(`:${name}`, encodeURIComponent(ids[name] ?? wordFor({ name, type }) ?? ids[type] ?? missing(type))),
    operation.path
  )
  const search = new URLSearchParams({ ...requiredQueries[operation.operationId], ...query }).toString()
  return search === "" ? path : `${path}?${search}`
}

// Identifiers in queries and bodies

/** A reference in a query or a body. */
export interface NamedAt {
  readonly path: ReadonlyArray<string | number>
  /** Of the identifier's schema; undefined for a plain text that is called an ID. */
  readonly type: string | undefined
}

const isIdentifier = (name: string | undefined): name is string => name !== undefined && /[a-z]Id$/.test(name)

const namedIn = (ast: SchemaAST.AST, path: NamedAt["path"]): ReadonlyArray<NamedAt> => {
  const name = SchemaAST.resolveIdentifier(ast)
  if (isIdentifier(name)) {
    kindOf(name)
    return [{ path, type: name }]
  }
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((type) => namedIn(type, path))
  if (SchemaAST.isArrays(ast)) {
    return [...ast.elements, ...ast.rest].flatMap((element) => namedIn(element, [...path, 0]))
  }
  if (SchemaAST.isObjects(ast)) {
    return ast.propertySignatures.flatMap((property) => namedIn(property.type, [...path, String(property.name)]))
  }
  const last = path.findLast((part) => typeof part === "string")
  return SchemaAST.isString(ast) && last !== undefined && /^id$|Ids?$/.test(last) ? [{ path, type: undefined }] : []
}

const once = (places: ReadonlyArray<NamedAt>) => [
  ...new Map(places.map((place) => [`${place.path.join(".")} ${place.type}`, place])).values()
]

/** All references of the body. */
export const namedInBody = ({ body }: Operation): ReadonlyArray<NamedAt> =>
  once((body?.members ?? []).flatMap(({ ast, name }) => namedIn(ast, [name])))

export const namedInQuery = ({ query }: Operation): ReadonlyArray<NamedAt> =>
  once(query.flatMap(({ ast, name }) => namedIn(ast, [name])))

/** Mutually exclusive members of the body. */
const exclusive: ReadonlyArray<ReadonlyArray<string>> = [
  ["orgWide", "orgMembershipId", "teamId"],
  ["subject", "orgMembershipId"],
  ["create", "patch", "delete", "reorder"],
  ["create", "patch", "delete"],
  ["pluginId", "marketplaceId"]
]

/** Other members that exclude those of the body, with values derived from theirs. */
const alternatives: Readonly<Record<string, (body: Things, things: Things) => unknown>> = {
  create: ({ assignmentId }, things) =>
    assignmentId === undefined
      ? { policyName: someName("A policy"), policy: {} }
      : { pluginId: things["PluginId"], mode: "available" },
  patch: ({ assignmentId, desktopPolicyId }) =>
    assignmentId === undefined ? { desktopPolicyId, changes: {} } : { assignmentId, changes: {} },
  reorder: () => [{ priority: 1 }]
}

/** The body with a value at a path, without the members that exclude it. */
export const withAt = (
  body: unknown,
  path: NamedAt["path"],
  value: unknown,
  declared: ReadonlyArray<string>,
  things: Things = {}
): unknown => {
  const [head, ...rest] = path
  if (head === undefined) return value
  if (typeof head === "number") {
    const list: ReadonlyArray<unknown> = Array.isArray(body) ? body : []
    return [...list.slice(0, head), withAt(list[head], rest, value, []), ...list.slice(head + 1)]
  }
  const others = exclusive.find((group) => group.includes(head) && group.every((name) => declared.includes(name)))
  const otherMembers = Object.entries(body ?? {}).filter(([name]) => others === undefined || !others.includes(name))
  const inside =
    (body as Record<string, unknown> | undefined)?.[head] ??
    (others === undefined ? undefined : alternatives[head]?.(Object.assign({}, ...Object.values(body ?? {})), things))
  const declaredInside = others === undefined ? [] : exclusive.flat()
  return { ...Object.fromEntries(otherMembers), [head]: withAt(inside, rest, value, declaredInside) }
}

// Callers

let requests = 0
/** A unique address, so that limits by address count one. */
export const anAddress = (): string => {
  requests += 1
  return `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`
}
/** The number of authenticated requests that this file's tests have sent. */
export const sent = { count: 0 }

/** A credential: a session token or an API key. */
export type Credential = { readonly token: string } | { readonly key: string } | undefined

/** Calls an operation with the credential. */
export const callAs = (
  plane: TestPlane,
  credential: Credential | string,
  operation: Operation,
  ids: Things,
  body: unknown,
  more: {
    readonly headers?: Record<string, string>
    readonly query?: Readonly<Record<string, string>>
    readonly address?: string
  } = {}
): Promise<TestResponse> => {
  sent.count += 1
  const credentials = typeof credential === "string" ? { token: credential } : credential
  const token = credentials !== undefined && "token" in credentials ? credentials.token : undefined
  const headers = {
    ...(credentials !== undefined && "key" in credentials ? { "x-api-key": credentials.key } : {}),
    ...more.headers
  }
  return call(plane, token, more.address ?? anAddress())(
    operation.method,
    pathOf(operation, ids, more.query),
    body,
    headers
  )
}

/** Every request counts toward its caller's limit, and one caller sends more here than people do in a minute. */
export const forgetLimits = (plane: TestPlane): Promise<unknown> =>
  runSql(
    plane,
    (sql) => sql`DELETE FROM rate_windows
    WHERE bucket LIKE 'session:%' OR bucket LIKE 'key:%' OR bucket LIKE 'domain-verify:%'`
  )

const everything = catalog.map(({ permission }) => permission)
export const allBut = (permission: Permission | undefined): ReadonlyArray<Permission> =>
  everything.filter((one) => one !== permission)

/** A member who is in a team. */
export const addToTeam = async (owner: Workspace, team: string, person: Workspace): Promise<Workspace> => {
  await demanded(owner.call("PUT", `/v1/teams/${team}/members/${person.membershipId}`))
  return person
}

export const makeCrews = async (owner: Workspace): Promise<Crews> => ({
  viewer: await makeTeam(owner, [], someName("Viewers")),
  editor: await makeTeam(owner, [], someName("Editors")),
  manager: await makeTeam(owner, [], someName("Managers"))
})

/** An unclaimed workspace, with its agent signed in. */
export const makeProvisional = async (plane: TestPlane): Promise<Workspace> => {
  const response = await call(plane, undefined, anAddress())("POST", "/v1/bootstrap/workspace", {
    workspaceName: someName("Provisional")
  })
  const { organization, session } = await demanded(Promise.resolve(response))
  const ask = call(plane, session.token)
  const [member] = (await demanded(ask("GET", "/v1/members"))).items
  return {
    organizationId: organization.id,
    token: session.token,
    client: createClient({ baseUrl: "http://localhost", token: session.token, fetch: plane.fetch, retries: 0 }),
    call: ask,
    membershipId: member.id,
    userId: member.userId
  }
}
