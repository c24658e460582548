/** Desired state: everything that a device of a member, or a worker, should have installed and configured. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Effective, Rule, Setting, Through } from "./desktop-policies.ts"
import { ApiFormat, CredentialMode as LlmCredentialMode, EnabledModel } from "./llm-providers.ts"
import { AuthType, CredentialMode as McpCredentialMode } from "./mcp-connections.ts"
import { MemberNotFound } from "./members.ts"
import { ArchiveFormat, Sha256 } from "./plugin-archives.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata, itemResponse } from "./shared/endpoint.ts"
import { Unavailable } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { JsonObject, Timestamp } from "./shared/values.ts"

/** Maximum number of items in each list. */
export const pluginsMax = 2000
export const blockedMax = 2000
export const marketplacesMax = 500
export const connectionsMax = 500
export const providersMax = 500

// Reasons

export const ReasonRule = Schema.Literals([
  "required",
  "default_on",
  "available",
  "blocked",
  "choice",
  "access"
]).annotate({
  identifier: "DesiredStateRule",
  description:
    "`required`, `default_on`, `available`, `blocked`: an assignment with this mode decides. `choice`: the member's own choice decides. `access`: no assignment applies; the member has access."
})
export type ReasonRule = typeof ReasonRule.Type

export const ReasonVia = Schema.Literals(["organization", "team", "member", "marketplace", "admin"]).annotate({
  identifier: "DesiredStateVia",
  description:
    "How the assignment or the access reaches the member. `organization`: it applies to all members. `team`: through a team. `member`: it names the member. `marketplace`: through a marketplace that contains the plugin. `admin`: the member is an owner or admin."
})
export type ReasonVia = typeof ReasonVia.Type

/** The reason why an item is part of the state. */
export const Reason = Schema.Struct({
  rule: ReasonRule,
  assignmentId: Schema.NullOr(Schema.String).annotate({
    description: "The assignment that decides, or that allows the member's choice. Null if no assignment applies."
  }),
  via: ReasonVia,
  viaId: Schema.NullOr(Schema.String).annotate({
    description:
      "The id of the team, member or marketplace in `via`. Null for `organization` and `admin`, and for a marketplace that the member cannot see."
  })
}).annotate({ identifier: "DesiredStateReason" })
export type Reason = typeof Reason.Type

// Items

/** The modes of plugins that are not blocked. */
export const PluginMode = Schema.Literals(["required", "default_on", "available"]).annotate({
  identifier: "DesiredPluginMode",
  description:
    "`required`: installed, and members cannot turn it off. `default_on`: installed unless the member turns it off. `available`: installed if the member turns it on."
})
export type PluginMode = typeof PluginMode.Type

export const Delivery = Schema.Literals(["latest_approved", "pinned", "pinned_not_stored"]).annotate({
  identifier: "DesiredPluginDelivery",
  description:
    "`latest_approved`: the served release, or that of a rollout that has reached the ring of the member. `pinned`: the release that the winning assignment pins. `pinned_not_stored`: the files of the pinned release are no longer stored; `version` and `archive` are null. Keep the installed copy if its digest is `digest`; otherwise, install nothing."
})
export type Delivery = typeof Delivery.Type

const pluginMembers = {
  pluginId: Ids.PluginId,
  name: Schema.String.annotate({ description: "The name of the plugin." }),
  description: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.String).annotate({ description: "The version that the author of the plugin states." }),
  digest: Schema.NullOr(Sha256).annotate({
    description:
      "The digest of the release to install, as in `approvals`: the pinned one, otherwise the served one. Null for a plugin without releases, and until orgplane has computed it. Use `archive.sha256` to detect changes."
  }),
  delivery: Delivery,
  mode: PluginMode,
  enabled: Schema.Boolean.annotate({ description: "Whether the plugin should be installed and turned on." }),
  locked: Schema.Boolean.annotate({ description: "Whether the member cannot change `enabled`." }),
  reason: Reason,
  marketplaceIds: Schema.Array(Ids.MarketplaceId).annotate({
    description: "The marketplaces in `marketplaces` that contain it, ordered by id."
  })
}

export const DesiredPlugin = Schema.Struct({
  ...pluginMembers,
  archive: Schema.NullOr(
    Schema.Struct({
      url: Schema.String.annotate({
        description:
          "A signed link that works without a credential until `validUntil`, as long as the member can see the plugin, no assignment blocks it, and this archive is the one that the member receives."
      }),
      format: ArchiveFormat,
      sha256: Sha256.annotate({ description: "The digest of the archive. It changes when the content changes." })
    })
  ).annotate({ description: "Null if `delivery` is `pinned_not_stored`." })
}).annotate({ identifier: "DesiredPlugin" })
export type DesiredPlugin = typeof DesiredPlugin.Type

/** A plugin or marketplace that must not be used. */
export const BlockedItem = Schema.Struct({
  kind: Schema.Literals(["plugin", "marketplace"]),
  id: Schema.String,
  name: Schema.String.annotate({
    description:
      "For a plugin, its name, or its id if none of its releases was approved. For a marketplace, its name in `marketplace.json`, or its display name if it was never published."
  }),
  names: Schema.Array(Schema.String).annotate({
    description:
      "The names under which clients may have installed the item, in alphabetical order. For a plugin: `<name>@<marketplace>` for each `marketplace.json` in which the organization has ever published it. For a marketplace: its name in `marketplace.json`. Empty if the item was never published."
  }),
  manifestUrl: Schema.NullOr(Schema.String).annotate({
    description: "For a marketplace, the URL of its `marketplace.json`. Null for a plugin."
  }),
  reason: Reason
}).annotate({ identifier: "DesiredBlock" })
export type BlockedItem = typeof BlockedItem.Type

export const DesiredMarketplace = Schema.Struct({
  marketplaceId: Ids.MarketplaceId,
  name: Schema.String.annotate({
    description: "The name in `marketplace.json`: kebab-case, unique in the organization, and never changed."
  }),
  title: Schema.String.annotate({ description: "The name of the marketplace, for people." }),
  description: Schema.NullOr(Schema.String),
  manifestUrl: Schema.String.annotate({
    description: "The URL of `marketplace.json`. It requires the credential of a member."
  }),
  plugins: Schema.Array(
    Schema.Struct({
      pluginId: Ids.PluginId,
      name: Schema.String.annotate({ description: "The name of the plugin in this `marketplace.json`." })
    })
  ).annotate({ description: "Its plugins in this state, ordered by name." }),
  reason: Reason
}).annotate({ identifier: "DesiredMarketplace" })
export type DesiredMarketplace = typeof DesiredMarketplace.Type

export const DesiredMcpConnection = Schema.Struct({
  mcpConnectionId: Ids.McpConnectionId,
  name: Schema.String,
  url: Schema.String.annotate({ description: "The URL of the server's endpoint." }),
  authType: AuthType,
  credentialMode: McpCredentialMode,
  connected: Schema.Boolean.annotate({
    description:
      "Whether a credential is set (the shared one, or the member's own) and has not been rejected. Always true for a connection without authentication."
  }),
  reason: Reason
}).annotate({ identifier: "DesiredMcpConnection" })
export type DesiredMcpConnection = typeof DesiredMcpConnection.Type

/** An LLM provider with the models that the member can use. */
export const DesiredModels = Schema.Struct({
  llmProviderId: Ids.LlmProviderId,
  name: Schema.String,
  providerId: Schema.String.annotate({ description: "An id from the catalog, or `custom`." }),
  apiFormat: ApiFormat,
  baseUrl: Schema.NullOr(Schema.String),
  models: Schema.NullOr(Schema.Array(EnabledModel)).annotate({
    description: "The models that can be used. If null, all models of the provider can be used."
  }),
  headers: Schema.Record(Schema.String, Schema.String),
  options: JsonObject,
  credentialMode: LlmCredentialMode,
  connected: Schema.Boolean.annotate({
    description:
      "Whether a key is set (the shared one, or the member's own) and has not been rejected. Always true for a provider without credentials."
  }),
  reason: Reason
}).annotate({ identifier: "DesiredModels" })
export type DesiredModels = typeof DesiredModels.Type

export const PolicyReason = Schema.Struct({
  setting: Setting,
  rule: Rule,
  desktopPolicyId: Schema.NullOr(Ids.DesktopPolicyId).annotate({ description: "Null when no policy sets it." }),
  through: Schema.NullOr(Through)
}).annotate({ identifier: "DesiredPolicyReason" })
export type PolicyReason = typeof PolicyReason.Type

// The state

const StatePolicy = Schema.Struct({
  desktopPolicy: Effective,
  reasons: Schema.Array(PolicyReason).annotate({ description: "One reason for each setting." })
})

export const DesiredState = Schema.Struct({
  formatVersion: Schema.Literal(1).annotate({ description: "The version of this format." }),
  organizationId: Ids.OrganizationId,
  orgMembershipId: Ids.OrgMembershipId.annotate({
    description: "The member whose state this is. For a worker, the member who created it."
  }),
  workerId: Schema.NullOr(Ids.WorkerId).annotate({ description: "The worker. Null for a member." }),
  revision: Schema.Int.annotate({
    description:
      "Increases whenever the content changes, and never decreases. Reject a state with a lower revision than the last one."
  }),
  generatedAt: Timestamp.annotate({
    description: "The start of the period in which this state is issued. It is renewed every 6 hours."
  }),
  validUntil: Timestamp.annotate({
    description:
      "Do not apply the state after this time. A state that was received or confirmed with 304 is valid for at least 6 more hours."
  }),
  signingKeyId: Schema.String.annotate({ description: "The key in `GET /v1/keys` that signs the state." }),
  policy: StatePolicy,
  plugins: Schema.Array(DesiredPlugin).annotate({
    description: `The plugins that the member can see and that are not blocked, ordered by id; at most ${pluginsMax}.`
  }),
  blocked: Schema.Array(BlockedItem).annotate({
    description: `The plugins and marketplaces that assignments block for the member, including all plugins of a blocked marketplace, ordered by kind and id; at most ${blockedMax}. A blocked plugin stays in the list when it is archived or removed, until it is deleted permanently, and when the member loses access to it.`
  }),
  marketplaces: Schema.Array(DesiredMarketplace).annotate({
    description: `The marketplaces that the member can see and that are not blocked, ordered by id; at most ${marketplacesMax}.`
  }),
  mcpConnections: Schema.Array(DesiredMcpConnection).annotate({
    description: `The MCP connections that the member can use, ordered by id; at most ${connectionsMax}.`
  }),
  models: Schema.Array(DesiredModels).annotate({
    description: `The LLM providers that the member can use, ordered by id; at most ${providersMax}.`
  }),
  truncated: Schema.Boolean.annotate({
    description:
      "Whether a list is incomplete because it has more items than its maximum. If true, do not remove items that are missing from the lists, and keep plugins and marketplaces blocked that are missing from `blocked`."
  })
}).annotate({ identifier: "DesiredState" })
export type DesiredState = typeof DesiredState.Type

/** The state of a member for an administrator: without the links to archives and without what configures clients. */
export const MemberState = Schema.Struct({
  organizationId: Ids.OrganizationId,
  orgMembershipId: Ids.OrgMembershipId,
  revision: Schema.NullOr(Schema.Int).annotate({
    description: "The revision that the member last received. Null if the member has not requested the state yet."
  }),
  policy: StatePolicy,
  plugins: Schema.Array(Schema.Struct(pluginMembers).annotate({ identifier: "MemberDesiredPlugin" })).annotate({
    description: "As in the desired state of the member, without archives."
  }),
  blocked: Schema.Array(BlockedItem),
  marketplaces: Schema.Array(DesiredMarketplace),
  mcpConnections: Schema.Array(DesiredMcpConnection),
  models: Schema.Array(
    Schema.Struct({
      llmProviderId: Ids.LlmProviderId,
      name: Schema.String,
      providerId: Schema.String.annotate({ description: "An id from the catalog, or `custom`." }),
      models: Schema.NullOr(Schema.Array(EnabledModel)).annotate({
        description: "The models that can be used. If null, all models of the provider can be used."
      }),
      credentialMode: LlmCredentialMode,
      connected: Schema.Boolean.annotate({
        description: "Whether a key is set (the shared one, or the member's own) and has not been rejected."
      }),
      reason: Reason
    }).annotate({ identifier: "MemberDesiredModels" })
  ),
  truncated: Schema.Boolean.annotate({
    description: "Whether a list is incomplete because it has more items than its maximum."
  }),
  partial: Schema.Boolean.annotate({
    description: "Whether objects are missing because the caller cannot see them."
  })
}).annotate({ identifier: "MemberDesiredState" })
export type MemberState = typeof MemberState.Type

/** The headers of a 200 response that contain its signature. */
export const signatureHeader = "x-desired-state-signature"
export const keyIdHeader = "x-desired-state-key-id"

/**
 * The text that is signed: the subject, the revision and the SHA-256 of the exact body in hex, which is also the `ETag`.
 * The subject is the worker, or the member if there is none.
 */
export const signedText = (
  state: Pick<DesiredState, "organizationId" | "orgMembershipId" | "workerId" | "revision">,
  sha256: string
): string =>
  `orgplane desired state\n${state.organizationId}\n${state.workerId ?? state.orgMembershipId}\n${state.revision}\n${sha256}\n`

export const group = HttpApiGroup.make("desiredState")
  .annotateMerge(
    OpenApi.annotations({
      title: "Desired state",
      description: "Everything that a device of a member, or a worker, should have installed and configured."
    })
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/me/desired-state", {
      success: DesiredState,
      error: Unavailable
    }).pipe(
      endpointMetadata({
        access: Access.sessionOrWorker,
        versioned: true,
        summary: "Get the caller's desired state",
        description:
          "Returns the policy, plugins, marketplaces, MCP connections and models of the calling member. A worker gets the state of the member who created it. Poll with `If-None-Match`: the response is 304 until the state changes or is renewed. The body is canonical JSON (RFC 8785), and `ETag` is its SHA-256 in hex. `x-desired-state-signature` is the base64 Ed25519 signature of the text `orgplane desired state`, the organization's id, the id of the worker or member, the revision and the hex digest, each followed by a line feed; `x-desired-state-key-id` identifies the key in `GET /v1/keys`. API keys are not allowed."
      })
    ),
    HttpApiEndpoint.get("getMember", "/v1/members/:orgMembershipId/desired-state", {
      params: { orgMembershipId: Ids.OrgMembershipId },
      success: itemResponse(MemberState),
      error: [MemberNotFound, Unavailable]
    }).pipe(
      endpointMetadata({
        access: Access.permission("access:read", "assignments:read", "desktopPolicies:read"),
        summary: "Get the desired state of a member",
        description:
          "Returns what the devices of the member should have, and why, without signature, archive links and settings of LLM providers. Objects that the caller cannot see are left out. Does not change the revision of the member's state."
      })
    )
  )
