/** Approvals: the releases of plugins, and the decisions about which releases agents and members receive. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { InstanceNotFound, ObjectType } from "./connectors.ts"
import { MarketplaceNotFound } from "./marketplaces.ts"
import { PluginArchiveNotFound, PluginArchiveRefused, PluginArchiveTooLarge, Sha256 } from "./plugin-archives.ts"
import { CapabilitiesQuery, CapabilityComparison, ReleaseCapabilities } from "./plugin-capabilities.ts"
import { RequestTime } from "./rollout-settings.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata, itemResponse, updatedResponse } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery, search } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

/** The modes, the least strict first. */
export const deliveryModes = ["auto", "hold_growth", "hold_all"] as const
export const DeliveryMode = Schema.Literals(deliveryModes).annotate({
  identifier: "DeliveryMode",
  description:
    "`auto`: every change is served at once. `hold_growth`: a release with new or changed capabilities is held for approval; other releases are approved automatically. `hold_all`: every release is held for approval."
})
export type DeliveryMode = typeof DeliveryMode.Type

export const ReleaseState = Schema.Literals(["pending", "approved", "rejected", "superseded"]).annotate({
  identifier: "PluginReleaseState",
  description:
    "`pending`: held for approval. `approved`: served, now or earlier. `superseded`: before a decision, a newer release replaced it or the plugin was removed."
})
export type ReleaseState = typeof ReleaseState.Type

/** A state, or all of them. */
export const ReleaseFilter = Schema.Literals([...ReleaseState.literals, "all"])
export type ReleaseFilter = typeof ReleaseFilter.Type

export const ReleaseReason = Schema.Literals([
  "approver",
  "import",
  "no_growth",
  "approved_before",
  "served_before",
  "policy",
  "withdrawn"
]).annotate({
  identifier: "PluginReleaseReason",
  description:
    "Why a release was approved or rejected. `approver`: by an approver. `import`: by the member who imported the plugin. `no_growth`: it has no new or changed capabilities. `approved_before`: a release with the same digest was approved before. `served_before`: it was served when a delivery mode other than `auto` was set. `policy`: the delivery mode became `auto`. `withdrawn`: it was withdrawn."
})
export type ReleaseReason = typeof ReleaseReason.Type

const members = {
  id: Ids.PluginReleaseId,
  organizationId: Ids.OrganizationId,
  pluginId: Ids.PluginId,
  number: Schema.Int.annotate({ description: "The number of the release within its plugin. The first release is 1." }),
  name: Schema.String.annotate({ description: "The name of the plugin in this release." }),
  version: Schema.NullOr(Schema.String).annotate({ description: "The version that the author of the plugin states." }),
  digest: Schema.NullOr(Sha256).annotate({
    description:
      "SHA-256 of the description and of all files of the plugin. Pass it to `approve` and `reject`. Null until orgplane has computed it, for content that was approved by an import or because it was served before."
  }),
  capabilitiesDigest: Schema.NullOr(Sha256).annotate({
    description:
      "The digest of the capability set. Null if no archive of the plugin can be created, or until orgplane has computed it."
  }),
  sourceRevisionRef: Schema.NullOr(Schema.String).annotate({
    description: "The commit of the repository. Null for a plugin without a repository."
  }),
  state: ReleaseState,
  served: Schema.Boolean.annotate({
    description:
      "Whether this is the served release. Agents and members receive it, unless an assignment pins another release or a rollout of another release has reached their ring."
  }),
  needsReview: Schema.Boolean.annotate({
    description:
      "Whether it has new or changed capabilities compared with the release that was served when it was created. Also true if the releases cannot be compared."
  }),
  problem: Schema.NullOr(Schema.String).annotate({
    description: "Why no archive of the plugin can be created. Null if an archive can be created."
  }),
  createdAt: Timestamp,
  decidedAt: Schema.NullOr(Timestamp),
  decidedByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId).annotate({
    description: "The member who approved or rejected it. Null if an API key or orgplane did."
  }),
  decidedBecause: Schema.NullOr(ReleaseReason),
  comment: Schema.NullOr(Schema.String).annotate({ description: "The comment of the approval or rejection." }),
  approvals: Schema.Int.annotate({
    description: "The number of members who have approved it. Counted only if four-eyes approval is on."
  }),
  approvalsRequired: Schema.Int.annotate({ description: "The number of members who must approve it." })
}

/** The content of a plugin at one time. It never changes. */
export const Release = Schema.Struct(members).annotate({ identifier: "PluginRelease" })
export type Release = typeof Release.Type

/** Maximum config objects, and maximum files, in the content changes of a release. */
export const contentChangesMax = 500

const ContentChangeKind = Schema.Literals(["added", "changed", "removed"])

export const ObjectChange = Schema.Struct({
  configObjectId: Ids.ConfigObjectId,
  change: ContentChangeKind,
  objectType: ObjectType,
  title: Schema.String.annotate({
    description: "The title in this release. For a removed config object, the title in the served release."
  }),
  path: Schema.NullOr(Schema.String).annotate({
    description: "The path in its repository. Null for a config object without a repository."
  }),
  versionIdBefore: Schema.NullOr(Ids.ConfigObjectVersionId).annotate({
    description: "The version in the served release. Null if the config object was added."
  }),
  versionIdAfter: Schema.NullOr(Ids.ConfigObjectVersionId).annotate({
    description:
      "The version in this release. Null if the config object was removed. The same as `versionIdBefore` if only other properties changed, such as the title or the path."
  })
}).annotate({ identifier: "PluginReleaseObjectChange" })
export type ObjectChange = typeof ObjectChange.Type

export const FileChange = Schema.Struct({
  change: ContentChangeKind,
  path: Schema.String.annotate({ description: "The path in the plugin's folder." }),
  becomesExecutable: Schema.Boolean.annotate({
    description: "Whether the file is executable in this release, and not in the served release."
  })
}).annotate({ identifier: "PluginReleaseFileChange" })
export type FileChange = typeof FileChange.Type

const PluginTexts = Schema.Struct({
  name: Schema.String,
  description: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "PluginReleaseTexts",
  description: "The name and the description of the plugin in a release."
})

export const PluginChange = Schema.Struct({
  before: Schema.NullOr(PluginTexts).annotate({ description: "In the served release. Null if none is served." }),
  after: PluginTexts
}).annotate({ identifier: "PluginReleasePluginChange" })
export type PluginChange = typeof PluginChange.Type

export const ContentChanges = Schema.Struct({
  servedReleaseId: Schema.NullOr(Ids.PluginReleaseId).annotate({
    description: "The release that is served now. Null if none is served: everything in this release is added."
  }),
  plugin: Schema.NullOr(PluginChange).annotate({
    description: "The name and the description of the plugin. Null if both are the same in the two releases."
  }),
  objects: Schema.Array(ObjectChange).annotate({
    description: `The config objects that differ, by title. At most ${contentChangesMax}. Read the contents with \`GET /v1/config-objects/{configObjectId}/versions/{versionId}\`.`
  }),
  files: Schema.Array(FileChange).annotate({
    description: `The files of the plugin's folder that differ, by path. Files are omitted if the change of a config object in \`objects\` is their only change. At most ${contentChangesMax}.`
  }),
  truncated: Schema.Boolean.annotate({ description: "Whether there are more changes than are listed." })
}).annotate({ identifier: "PluginReleaseContentChanges" })
export type ContentChanges = typeof ContentChanges.Type

export const ReleaseDetails = Schema.Struct({
  ...members,
  contentChanges: Schema.NullOr(ContentChanges).annotate({
    description:
      "The name, the description, the config objects and the files of the plugin, if they differ from the release that is served now. Null if the files of this release are not stored, or if the delivery mode of the plugin is `auto`."
  }),
  comparison: Schema.NullOr(CapabilityComparison).annotate({
    description:
      "How the capabilities differ from those of the release that was served when this one was created. Null if no archive can be created."
  })
}).annotate({ identifier: "PluginReleaseDetails" })
export type ReleaseDetails = typeof ReleaseDetails.Type

export const decidedMax = 100

const Decided = Schema.Struct({
  releaseId: Ids.PluginReleaseId,
  digest: Sha256.annotate({ description: "The digest of the release that you reviewed." })
}).annotate({ identifier: "DecidedPluginRelease" })

const Decision = {
  releases: Schema.Array(Decided)
    .check(Schema.isMinLength(1), Schema.isMaxLength(decidedMax))
    .annotate({
      description: `At most ${decidedMax} releases. If one of them cannot be decided, the request changes nothing.`
    })
}

export const ApproveReleases = Schema.Struct({
  ...Decision,
  comment: Schema.optionalKey(Text(1, 2000)),
  startsAt: Schema.optionalKey(
    RequestTime.annotate({
      description:
        "When the releases are delivered: each release starts a rollout at this time, at most 366 days from now. If several members must approve, the time of the last approval counts. Default: at once."
    })
  )
}).annotate({ identifier: "ApprovePluginReleases" })

export const RejectReleases = Schema.Struct({
  ...Decision,
  comment: Text(1, 2000).annotate({ description: "The reason for the rejection, for the maintainers of the plugin." })
}).annotate({ identifier: "RejectPluginReleases" })

export const Settings = Schema.Struct({
  deliveryMode: DeliveryMode.annotate({
    description: "The minimum for all plugins of the organization. Default: `auto`."
  }),
  fourEyes: Schema.Boolean.annotate({
    description:
      "Whether four-eyes approval is on: the creator of the connector instance, the authors of the changed config objects and API keys cannot approve a release. A release from a repository requires two approvers, because orgplane does not know who pushed it. Default: `false`."
  })
}).annotate({ identifier: "ApprovalSettings" })
export type Settings = typeof Settings.Type

export const UpdateSettings = Schema.Struct({
  deliveryMode: Schema.optionalKey(DeliveryMode),
  fourEyes: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "UpdateApprovalSettings" })

export const ModeSetting = Schema.Struct({ deliveryMode: DeliveryMode }).annotate({ identifier: "DeliveryModeSetting" })

export class PluginReleaseNotFound extends notFound("plugin_release")<PluginReleaseNotFound>() {}

export class ReleaseNotPending extends conflict(
  "release_not_pending",
  "The release was already decided or was replaced by a newer one. Review the latest release of the plugin."
)<ReleaseNotPending>() {}

export class ReleaseDigestMismatch extends conflict(
  "release_digest_mismatch",
  "The digest of the release differs from the one in the request. Review the release again and pass its current digest."
)<ReleaseDigestMismatch>() {}

export class ApproverTookPart extends conflict(
  "approver_took_part",
  "You cannot approve this release, because you created its connector instance or changed its content. Ask another approver."
)<ApproverTookPart>() {}

const one = { releaseId: Ids.PluginReleaseId }
const read = Access.permission("approvals:read")
const write = Access.permission("approvals:write")
const manage = Access.permission("approvals:manage")
const decisionErrors = [PluginReleaseNotFound, ReleaseNotPending, ReleaseDigestMismatch] as const
const decided = updatedResponse(Schema.Struct({ releases: Schema.Array(Release) }))

export const group = HttpApiGroup.make("approvals")
  .annotateMerge(
    OpenApi.annotations({
      title: "Approvals",
      description:
        "Plugin releases that are pending approval, and their decisions. Agents and members receive the served release of a plugin until a newer one is approved."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/approvals", {
      query: {
        ...pageQuery,
        q: search("Filter by part of the plugin's name in the release. Case-insensitive."),
        state: Schema.optionalKey(
          ReleaseFilter.annotate({
            description: "Only releases with this state. `all` returns releases in every state. Default: `pending`."
          })
        ),
        pluginId: Schema.optionalKey(Ids.PluginId.annotate({ description: "Only releases of this plugin." }))
      },
      success: Page(Release)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the releases of plugins",
        description:
          "Returns pending releases by default, from all plugins of the organization, newest first. With `state=all`, returns the history: all releases with their decisions."
      })
    ),
    HttpApiEndpoint.get("get", "/v1/approvals/:releaseId", {
      params: one,
      success: itemResponse(ReleaseDetails),
      error: PluginReleaseNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Get a release of a plugin",
        description:
          "Includes how its capabilities differ from the release that was served when it was created, and how its name, its description, its config objects and its files differ from the release that is served now."
      })
    ),
    HttpApiEndpoint.get("capabilities", "/v1/approvals/:releaseId/capabilities", {
      params: one,
      query: CapabilitiesQuery,
      success: itemResponse(ReleaseCapabilities),
      error: [PluginReleaseNotFound, PluginArchiveNotFound, PluginArchiveRefused, PluginArchiveTooLarge]
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Get the capabilities of a release",
        description:
          "Returns everything that the release can do on a member's machine, and not only the changes. Available for releases whose files are stored: the latest release of a plugin, the served release, and releases that an assignment pins. For other releases, the response is 404 `plugin_archive_not_found`."
      })
    ),
    HttpApiEndpoint.post("approve", "/v1/approvals/approve", {
      payload: ApproveReleases,
      success: decided,
      error: [...decisionErrors, ApproverTookPart]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "release.approve",
        summary: "Approve releases of plugins",
        description:
          "An approved release starts a rollout. Without rings, all members get it at once, or when the current freeze ends. The first release of a plugin is served at once, without a rollout. If more approvals are required, the release stays pending. Each digest must be that of the release that you reviewed."
      })
    ),
    HttpApiEndpoint.post("reject", "/v1/approvals/reject", {
      payload: RejectReleases,
      success: decided,
      error: [...decisionErrors]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "release.reject",
        summary: "Reject releases of plugins",
        description:
          "The served release does not change. A rejected release can still be approved until the plugin changes again."
      })
    ),
    HttpApiEndpoint.get("getSettings", "/v1/approval-settings", {
      success: itemResponse(Settings)
    }).pipe(endpointMetadata({ access: read, summary: "Get the approval settings of the organization" })),
    HttpApiEndpoint.patch("updateSettings", "/v1/approval-settings", {
      payload: UpdateSettings,
      success: updatedResponse(Settings)
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "approval.update_settings",
        summary: "Update the approval settings of the organization",
        description:
          "The strictest delivery mode of the organization, the connector instance and the marketplaces of a plugin applies. If the mode of a plugin was `auto` and becomes stricter, its current content counts as approved. If the mode becomes `auto`, its pending release is approved and served."
      })
    ),
    HttpApiEndpoint.get("getInstanceMode", "/v1/approval-settings/connector-instances/:connectorInstanceId", {
      params: { connectorInstanceId: Ids.ConnectorInstanceId },
      success: itemResponse(ModeSetting),
      error: InstanceNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Get the delivery mode of a connector instance" })),
    HttpApiEndpoint.put("setInstanceMode", "/v1/approval-settings/connector-instances/:connectorInstanceId", {
      params: { connectorInstanceId: Ids.ConnectorInstanceId },
      payload: ModeSetting,
      success: updatedResponse(ModeSetting),
      error: InstanceNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "approval.set_instance_mode",
        summary: "Set the delivery mode of a connector instance",
        description: "Applies to all plugins from the instance. Default of a new instance: `hold_growth`."
      })
    ),
    HttpApiEndpoint.get("getMarketplaceMode", "/v1/approval-settings/marketplaces/:marketplaceId", {
      params: { marketplaceId: Ids.MarketplaceId },
      success: itemResponse(ModeSetting),
      error: MarketplaceNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Get the delivery mode of a marketplace" })),
    HttpApiEndpoint.put("setMarketplaceMode", "/v1/approval-settings/marketplaces/:marketplaceId", {
      params: { marketplaceId: Ids.MarketplaceId },
      payload: ModeSetting,
      success: updatedResponse(ModeSetting),
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "approval.set_marketplace_mode",
        summary: "Set the delivery mode of a marketplace",
        description:
          "Applies to all plugins in the marketplace, and to plugins that are added later. A plugin that is added without an approved release is held for approval. Default: `auto`."
      })
    )
  )
