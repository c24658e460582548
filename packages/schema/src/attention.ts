/** Attention: everything in an organization that waits for a decision, fails, or expires soon. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { pageQuery } from "./shared/page.ts"
import { Timestamp } from "./shared/values.ts"

export const AttentionSeverity = Schema.Literals(["decision", "failing", "expiring"]).annotate({
  identifier: "AttentionSeverity",
  description:
    "`decision`: it waits until someone decides. `failing`: it does not work. `expiring`: it stops working soon, or has expired."
})
export type AttentionSeverity = typeof AttentionSeverity.Type

/** The kinds of object that items refer to. */
export const AttentionObjectKind = Schema.Literals([
  "connectorSyncEvent",
  "connectorInstance",
  "connectorAccount",
  "plugin",
  "pluginRelease",
  "rollout",
  "marketplace",
  "marketplaceLink",
  "mcpConnection",
  "llmProvider",
  "worker",
  "configurationRun",
  "webhookEndpoint",
  "eventStream",
  "apiKey",
  "invitation",
  "ssoConnection",
  "domain",
  "scimDirectory",
  "scimHold"
]).annotate({ identifier: "AttentionObjectKind" })
export type AttentionObjectKind = typeof AttentionObjectKind.Type

interface KindInfo {
  readonly severity: AttentionSeverity
  readonly object: AttentionObjectKind
  /** The kind of the object that contains the object. */
  readonly parent: AttentionObjectKind | null
  /** Completes the sentence "An item of this kind means that …". */
  readonly means: string
  /** The operation to use next. */
  readonly next: string
}

/** All kinds, in the order in which items are listed. `docs/attention.md` lists them too. */
export const attentionKinds = {
  sync_approval: {
    severity: "decision",
    object: "connectorSyncEvent",
    parent: "connectorInstance",
    means: "a sync is pending approval, because it would remove many objects",
    next: "connectors.approveSync"
  },
  release_approval: {
    severity: "decision",
    object: "pluginRelease",
    parent: "plugin",
    means: "a release of a plugin is pending approval",
    next: "approvals.approve"
  },
  rollout_promotion: {
    severity: "decision",
    object: "rollout",
    parent: "plugin",
    means: "the soak time of a ring with manual promotion has ended",
    next: "rollouts.promote"
  },
  rollout_paused: {
    severity: "decision",
    object: "rollout",
    parent: "plugin",
    means: "a member or an API key paused a rollout",
    next: "rollouts.resume"
  },
  mcp_review: {
    severity: "decision",
    object: "mcpConnection",
    parent: null,
    means: "an MCP server differs from its accepted state",
    next: "mcpConnections.decideReview"
  },
  scim_approval: {
    severity: "decision",
    object: "scimHold",
    parent: "scimDirectory",
    means: "deactivations of a SCIM directory are pending approval",
    next: "scim.approveHold"
  },
  configuration_approval: {
    severity: "decision",
    object: "configurationRun",
    parent: "connectorInstance",
    means: "a configuration run is pending approval, because it would remove many objects",
    next: "configurationRuns.approve"
  },
  sync_failed: {
    severity: "failing",
    object: "connectorSyncEvent",
    parent: "connectorInstance",
    means: "the last sync of a branch failed, or skipped files",
    next: "connectors.retrySync"
  },
  connector_failed: {
    severity: "failing",
    object: "connectorInstance",
    parent: null,
    means: "the code host reports that a repository is archived, was removed or cannot be accessed",
    next: "connectors.updateInstance"
  },
  connector_account_failed: {
    severity: "failing",
    object: "connectorAccount",
    parent: null,
    means: "the installation of the code host app is suspended or was removed",
    next: "connectors.startInstall"
  },
  rollout_failing: {
    severity: "failing",
    object: "rollout",
    parent: "plugin",
    means: "a rollout was paused automatically, because the release fails more often than the previous one",
    next: "rollouts.rollBack"
  },
  configuration_failed: {
    severity: "failing",
    object: "configurationRun",
    parent: "connectorInstance",
    means: "the last configuration run failed",
    next: "configurationSource.run"
  },
  mcp_connection_disconnected: {
    severity: "failing",
    object: "mcpConnection",
    parent: null,
    means:
      "the shared credential of an MCP connection is missing or no longer works, or your own credential no longer works",
    next: "mcpConnections.startConnect"
  },
  llm_provider_disconnected: {
    severity: "failing",
    object: "llmProvider",
    parent: null,
    means: "the shared key of an LLM provider is missing",
    next: "llmProviders.setCredential"
  },
  webhook_endpoint_failing: {
    severity: "failing",
    object: "webhookEndpoint",
    parent: null,
    means: "the last delivery to a webhook endpoint failed, or orgplane stopped the endpoint because of failures",
    next: "webhookEndpoints.resume"
  },
  event_stream_failing: {
    severity: "failing",
    object: "eventStream",
    parent: null,
    means: "the last delivery of an event stream failed",
    next: "eventStreams.test"
  },
  sso_failed: {
    severity: "failing",
    object: "ssoConnection",
    parent: null,
    means: "the last test of an enabled SSO connection failed",
    next: "sso.test"
  },
  sso_domain_failing: {
    severity: "failing",
    object: "domain",
    parent: null,
    means: "the DNS record of a verified domain was missing or different in the last check",
    next: "ssoDomains.verify"
  },
  scim_failing: {
    severity: "failing",
    object: "scimDirectory",
    parent: null,
    means: "the last change that a SCIM directory requested was refused",
    next: "scim.log"
  },
  api_key_expiring: {
    severity: "expiring",
    object: "apiKey",
    parent: null,
    means: "an API key expires soon",
    next: "apiKeys.update"
  },
  invitation_expiring: {
    severity: "expiring",
    object: "invitation",
    parent: null,
    means: "a pending invitation expires soon",
    next: "invitations.resend"
  },
  scim_token_expiring: {
    severity: "expiring",
    object: "scimDirectory",
    parent: null,
    means: "the last valid token of a SCIM directory expires soon, or has expired",
    next: "scim.rotateToken"
  },
  saml_certificate_expiring: {
    severity: "expiring",
    object: "ssoConnection",
    parent: null,
    means: "the last valid certificate of an enabled SAML connection expires soon, or has expired",
    next: "sso.putSaml"
  },
  marketplace_link_expiring: {
    severity: "expiring",
    object: "marketplaceLink",
    parent: "marketplace",
    means: "a marketplace link expires soon",
    next: "marketplaces.createLink"
  },
  worker_token_expiring: {
    severity: "expiring",
    object: "worker",
    parent: null,
    means: "the last valid token of a worker expires soon",
    next: "workers.createToken"
  }
} as const satisfies Record<string, KindInfo>

export type AttentionKind = keyof typeof attentionKinds
/** The kinds, in the order in which items are listed. */
export const attentionKindNames = Object.keys(attentionKinds) as [AttentionKind, ...Array<AttentionKind>]

export const AttentionKind = Schema.Literals(attentionKindNames).annotate({
  identifier: "AttentionKind",
  description: attentionKindNames
    .map((kind) => `\`${kind}\`: ${attentionKinds[kind].means} (next: \`${attentionKinds[kind].next}\`).`)
    .join(" ")
})

/** The items of each kind that are listed and counted. */
export const attentionPerKindMax = 100

const AttentionObject = Schema.Struct({
  kind: AttentionObjectKind,
  id: Schema.String,
  name: Schema.String.annotate({
    description:
      "The name to show. An object without its own name has the name of the object that contains it, such as the connector of a sync."
  })
}).annotate({ identifier: "AttentionObject" })

export const AttentionItem = Schema.Struct({
  kind: AttentionKind,
  severity: AttentionSeverity,
  object: AttentionObject,
  parent: Schema.NullOr(
    Schema.Struct({ kind: AttentionObjectKind, id: Schema.String }).annotate({ identifier: "AttentionParent" })
  ).annotate({
    description: "The object that contains the object, such as the connector of a sync. Null if there is none."
  }),
  detail: Schema.NullOr(Schema.String).annotate({
    description: "The reason or the extent, in at most 300 characters. Null if there is nothing to add."
  }),
  since: Timestamp.annotate({ description: "Since when it needs attention." }),
  expiresAt: Schema.NullOr(Timestamp).annotate({
    description: "When it expires or expired. Null unless the severity is `expiring`."
  })
}).annotate({ identifier: "AttentionItem" })
export type AttentionItem = typeof AttentionItem.Type

export const AttentionCount = Schema.Struct({
  kind: AttentionKind,
  severity: AttentionSeverity,
  count: Schema.Int.annotate({ description: `The number of items of the kind, at most ${attentionPerKindMax}.` }),
  truncated: Schema.Boolean.annotate({
    description: `Whether there are more than ${attentionPerKindMax} items of the kind. The others are not listed.`
  })
}).annotate({ identifier: "AttentionCount" })
export type AttentionCount = typeof AttentionCount.Type

export const group = HttpApiGroup.make("attention")
  .annotateMerge(
    OpenApi.annotations({
      title: "Attention",
      description: "Everything in the organization that waits for a decision, fails, or expires soon."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/attention", {
      query: {
        ...pageQuery,
        kind: Schema.optionalKey(AttentionKind.annotate({ description: "Only items of this kind." })),
        severity: Schema.optionalKey(AttentionSeverity.annotate({ description: "Only items with this severity." }))
      },
      success: Schema.Struct({
        items: Schema.Array(AttentionItem),
        nextCursor: Schema.NullOr(Schema.String.check(Schema.isBetweenCodePoints(1, 255))),
        counts: Schema.Array(AttentionCount).annotate({
          description:
            "The number of items of each kind that has any and that matches the filters, on every page. In the order of the items."
        })
      })
    }).pipe(
      endpointMetadata({
        access: Access.member,
        paged: true,
        summary: "List what needs attention",
        description: `Returns the items that the caller can see and act on: a kind is included if the caller has the permissions to list its objects and to resolve its items, and an object with grants if the caller's level on it is high enough. Callers without these permissions get an empty list. Sorted by severity, then by kind, then oldest first. At most ${attentionPerKindMax} items of each kind are listed. A credential, a link or an invitation expires soon when less than a quarter of its lifetime remains, and at most 30 days before it expires.`
      })
    )
  )
