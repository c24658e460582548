/** Delivery: which plugins the devices of members have installed, compared with their desired states. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { DeviceId, endpoints as reportEndpoints, Failure, Platform } from "./device-reports.ts"
import { MemberNotFound } from "./members.ts"
import { Sha256 } from "./plugin-archives.ts"
import { PluginNotFound } from "./plugins.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata, itemResponse, NoContent } from "./shared/endpoint.ts"
import { notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { optionalDay, Text, Timestamp, UtcDay as Day } from "./shared/values.ts"
import { TeamNotFound } from "./teams.ts"

export * from "./device-reports.ts"

/** A device that has not reported for this time is offline. */
export const offlineHours = 24
export const statusPluginsMax = 500
export const releasesMax = 20
export const historyDaysMax = 400
export const objectsMax = 100

export const InstallState = Schema.Literals(["running", "behind", "missing", "failed", "offline"]).annotate({
  identifier: "InstallState",
  description: `The state of a plugin on a device that should have it. \`running\`: the archive in the desired state is installed. \`behind\`: a different archive is installed. \`missing\`: no archive of the plugin is installed. \`failed\`: the archive in the desired state could not be installed, or it is not installed because the device could not apply its desired state at all. \`offline\`: the device has not reported for ${offlineHours} hours, regardless of its last report.`
})
export type InstallState = typeof InstallState.Type

const counts = {
  wanted: Schema.Int.annotate({ description: "Installations that should exist: the sum of the other counts." }),
  running: Schema.Int,
  behind: Schema.Int,
  missing: Schema.Int,
  failed: Schema.Int,
  offline: Schema.Int
}

/** The installations of plugins, by their state. An installation is a plugin on a device. */
export const Counts = Schema.Struct(counts).annotate({
  identifier: "InstallationCounts",
  description: "Numbers of installations by `InstallState`. An installation is one plugin on one device."
})
export type Counts = typeof Counts.Type

export const FailureCount = Schema.Struct({ failure: Failure, count: Schema.Int }).annotate({
  identifier: "FailureCount"
})

/** The installations that should have one release or archive. */
export const ReleaseStatus = Schema.Struct({
  sha256: Sha256.annotate({ description: "The archive in the desired states." }),
  digest: Schema.NullOr(Sha256).annotate({
    description: "The release. Null for a plugin without releases, and for one that the caller cannot see."
  }),
  version: Schema.NullOr(Schema.String).annotate({
    description: "The version that the author of the plugin states. Null if the caller cannot see the plugin."
  }),
  ...counts
}).annotate({ identifier: "ReleaseDeliveryStatus" })

export const PluginStatus = Schema.Struct({
  pluginId: Ids.PluginId,
  name: Schema.NullOr(Schema.String).annotate({
    description: "Null if the caller cannot see the plugin, or if it was deleted permanently."
  }),
  ...counts,
  unwanted: Schema.Int.annotate({
    description:
      "Installations on devices whose desired state does not contain the plugin, turns it off, or has no archive of it. Plugins that do not exist in the organization, or were deleted permanently, are not counted."
  }),
  failures: Schema.Array(FailureCount).annotate({ description: "Why installations failed, most frequent first." }),
  releases: Schema.Array(ReleaseStatus).annotate({
    description: `One entry for each archive in the desired states, most installations first; at most ${releasesMax}.`
  })
}).annotate({ identifier: "PluginDeliveryStatus" })
export type PluginStatus = typeof PluginStatus.Type

const DeviceCounts = Schema.Struct({
  total: Schema.Int,
  offline: Schema.Int,
  failed: Schema.Int.annotate({
    description: "Devices that are not offline and could not apply their desired state at all."
  })
}).annotate({ identifier: "DeviceCounts" })

export const Status = Schema.Struct({
  generatedAt: Timestamp,
  memberCount: Schema.Int.annotate({ description: "Members with at least one device." }),
  devices: DeviceCounts,
  installations: Counts,
  failures: Schema.Array(FailureCount),
  plugins: Schema.Array(PluginStatus).annotate({
    description: `The plugins with the most installations that are not running come first; at most ${statusPluginsMax}.`
  }),
  truncated: Schema.Boolean.annotate({ description: "Whether there are more plugins than listed." })
}).annotate({ identifier: "DeliveryStatus" })
export type Status = typeof Status.Type

export const TeamStatus = Schema.Struct({
  teamId: Ids.TeamId,
  name: Schema.String,
  memberCount: Schema.Int.annotate({ description: "Members with at least one device." }),
  deviceCount: Schema.Int,
  ...counts
}).annotate({ identifier: "TeamDeliveryStatus" })
export type TeamStatus = typeof TeamStatus.Type

export const MemberStatus = Schema.Struct({
  orgMembershipId: Ids.OrgMembershipId,
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  deviceCount: Schema.Int,
  lastSeenAt: Timestamp.annotate({ description: "When one of the devices last reported." }),
  ...counts
}).annotate({ identifier: "MemberDeliveryStatus" })
export type MemberStatus = typeof MemberStatus.Type

const device = {
  id: DeviceId,
  orgMembershipId: Ids.OrgMembershipId,
  workerId: Schema.NullOr(Ids.WorkerId).annotate({ description: "The worker that reports. Null for a member." }),
  agent: Schema.String,
  clientVersion: Schema.NullOr(Schema.String),
  platform: Platform,
  offline: Schema.Boolean,
  revision: Schema.NullOr(Schema.Int).annotate({
    description: "The revision of the desired state that the device has applied."
  }),
  wantedRevision: Schema.NullOr(Schema.Int).annotate({
    description: "The revision of the latest desired state that the server issued for the member or worker."
  }),
  failure: Schema.NullOr(Failure).annotate({
    description: "Why the desired state could not be applied at all. Null if it was applied."
  }),
  firstSeenAt: Timestamp,
  lastSeenAt: Timestamp.annotate({ description: "When the device last reported, by the clock of the server." }),
  installations: Counts
}

export const Device = Schema.Struct(device).annotate({ identifier: "Device" })
export type Device = typeof Device.Type

export const Installation = Schema.Struct({
  pluginId: Ids.PluginId,
  name: Schema.NullOr(Schema.String),
  state: Schema.Literals([...InstallState.literals, "unwanted"]).annotate({
    description:
      "An `InstallState`, or `unwanted`: installed, but not in the desired state, turned off in it, or without an archive in it."
  }),
  wantedSha256: Schema.NullOr(Sha256),
  wantedDigest: Schema.NullOr(Sha256).annotate({ description: "Null if the caller cannot see the plugin." }),
  installedSha256: Schema.NullOr(Sha256),
  installedDigest: Schema.NullOr(Sha256).annotate({ description: "Null if the caller cannot see the plugin." }),
  failure: Schema.NullOr(Failure)
}).annotate({ identifier: "Installation" })
export type Installation = typeof Installation.Type

export const DeviceDetails = Schema.Struct({
  ...device,
  plugins: Schema.Array(Installation).annotate({ description: "Ordered by plugin id." })
}).annotate({ identifier: "DeviceDetails" })
export type DeviceDetails = typeof DeviceDetails.Type

const days = {
  from: optionalDay("The first UTC date. Default: 29 days before `to`."),
  to: optionalDay("The last UTC date, inclusive. Default: today.")
}

export const HistoryDay = Schema.Struct({
  day: Day,
  deviceCount: Schema.Int,
  ...counts
}).annotate({ identifier: "DeliveryHistoryDay" })

export const History = Schema.Struct({
  from: Day,
  to: Day,
  pluginId: Schema.NullOr(Ids.PluginId),
  digest: Schema.NullOr(Sha256),
  days: Schema.Array(HistoryDay).annotate({
    description: "Days with a record, oldest first. The record of the current day is updated every hour."
  })
}).annotate({ identifier: "DeliveryHistory" })
export type History = typeof History.Type

export const ReleaseUsage = Schema.Struct({
  digest: Schema.NullOr(Sha256).annotate({ description: "Null if the caller cannot see the plugin." }),
  releaseId: Schema.NullOr(Ids.PluginReleaseId).annotate({ description: "Null if the caller cannot see the plugin." }),
  version: Schema.NullOr(Schema.String).annotate({
    description: "The version that the author of the plugin states. Null if the caller cannot see the plugin."
  }),
  running: Schema.Int.annotate({
    description:
      "Devices that are not offline and have the release installed, whether it is in their desired state or not."
  }),
  installReports: Schema.Int.annotate({
    description: "Members whose first installation of the release is known, in the last 180 days."
  }),
  installFailed: Schema.Int.annotate({ description: "Of those, the members for whom it failed." }),
  events: Schema.Int,
  failedEvents: Schema.Int.annotate({ description: "Events with `success: false`." }),
  userDays: Schema.Int.annotate({ description: "Pairs of a user and a day with at least one event." }),
  failedUserDays: Schema.Int.annotate({ description: "Of those, the pairs with at least one failed event." }),
  failing: Schema.Boolean.annotate({
    description:
      "Whether the release fails more often than the release before it: the one that was served when the newest rollout of the release was created, or else the next older approved release that was neither rolled back nor withdrawn. Installations and users are compared as in a rollout, with the thresholds of the organization. Each user counts once, with the first telemetry event that has a result, even if it is outside the range."
  })
}).annotate({ identifier: "ReleaseUsage" })

export const ObjectUsage = Schema.Struct({
  configObjectId: Ids.ConfigObjectId,
  title: Schema.NullOr(Schema.String).annotate({ description: "Null if the caller cannot see the config object." }),
  events: Schema.Int,
  failedEvents: Schema.Int
}).annotate({ identifier: "ObjectUsage" })

export const PluginUsage = Schema.Struct({
  pluginId: Ids.PluginId,
  name: Schema.NullOr(Schema.String),
  running: Schema.Int.annotate({ description: "Devices that are not offline and have the plugin installed." }),
  events: Schema.Int,
  users: Schema.Int,
  lastUsedDay: Schema.NullOr(Day).annotate({ description: "The last day in the range with an event." }),
  unused: Schema.Boolean.annotate({ description: "Whether the plugin is installed and has no event in the range." }),
  releases: Schema.Array(ReleaseUsage).annotate({ description: `Newest first; at most ${releasesMax}.` }),
  objects: Schema.Array(ObjectUsage).annotate({
    description: `With \`pluginId\`, the config objects of the plugin with events, most events first; at most ${objectsMax}. Otherwise empty.`
  })
}).annotate({ identifier: "PluginUsage" })
export type PluginUsage = typeof PluginUsage.Type

export const Usage = Schema.Struct({
  from: Day,
  to: Day,
  plugins: Schema.Array(PluginUsage).annotate({
    description: `The plugins with the most installations come first; at most ${statusPluginsMax}.`
  }),
  duplicates: Schema.Array(
    Schema.Struct({
      title: Schema.String.annotate({ description: "The title of a config object." }),
      objectType: Schema.String,
      pluginIds: Schema.Array(Ids.PluginId)
    }).annotate({ identifier: "DuplicateObject" })
  ).annotate({
    description: "Config objects with the same content in several installed plugins; at most 100."
  }),
  truncated: Schema.Boolean
}).annotate({ identifier: "DeliveryUsage" })
export type Usage = typeof Usage.Type

export class DeviceNotFound extends notFound("device")<DeviceNotFound>() {}

const filter = {
  pluginId: Schema.optionalKey(Ids.PluginId.annotate({ description: "Only installations of this plugin." })),
  digest: Schema.optionalKey(Sha256.annotate({ description: "Only installations that should have this release." })),
  teamId: Schema.optionalKey(Ids.TeamId.annotate({ description: "Only members of this team." })),
  orgMembershipId: Schema.optionalKey(Ids.OrgMembershipId.annotate({ description: "Only this member." }))
}

const oneDevice = { orgMembershipId: Ids.OrgMembershipId, deviceId: DeviceId }
const deviceAt = "/v1/delivery/members/:orgMembershipId/devices/:deviceId"
const read = Access.permission("delivery:read")

export const group = HttpApiGroup.make("delivery")
  .annotateMerge(
    OpenApi.annotations({
      title: "Delivery",
      description: "Compare the plugins installed on members' devices with their desired states."
    })
  )
  .add(
    ...reportEndpoints,
    HttpApiEndpoint.get("status", "/v1/delivery/status", {
      query: filter,
      success: itemResponse(Status),
      error: [PluginNotFound, TeamNotFound, MemberNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Get the delivery status of plugins",
        description:
          "Compares the last report of each device with the latest desired state that was issued for its member or worker. `devices` and `memberCount` are not filtered by `pluginId` and `digest`. Devices that have never reported are not counted."
      })
    ),
    HttpApiEndpoint.get("listTeams", "/v1/delivery/teams", {
      query: { ...pageQuery, pluginId: filter.pluginId, digest: filter.digest },
      success: Page(TeamStatus),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the delivery status of teams",
        description: "A member of several teams is counted in each of them. Teams without devices are included."
      })
    ),
    HttpApiEndpoint.get("listMembers", "/v1/delivery/members", {
      query: {
        ...pageQuery,
        ...filter,
        state: Schema.optionalKey(
          InstallState.annotate({ description: "Only members with an installation in this state." })
        )
      },
      success: Page(MemberStatus),
      error: [PluginNotFound, TeamNotFound, MemberNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the delivery status of members",
        description:
          "Returns members with at least one device. With `pluginId`, `digest` or `state`, returns only those with an installation that matches these filters. Unwanted installations do not match."
      })
    ),
    HttpApiEndpoint.get("listDevices", "/v1/delivery/devices", {
      query: {
        ...pageQuery,
        ...filter,
        state: Schema.optionalKey(
          InstallState.annotate({ description: "Only devices with an installation in this state." })
        ),
        failure: Schema.optionalKey(
          Failure.annotate({ description: "Only devices with an installation that failed for this reason." })
        ),
        agent: Schema.optionalKey(Text(1, 64).annotate({ description: "Only devices with this agent." })),
        platform: Schema.optionalKey(Platform)
      },
      success: Page(Device),
      error: [PluginNotFound, TeamNotFound, MemberNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List devices",
        description:
          "With `pluginId`, `digest`, `state` or `failure`, returns only devices with an installation that matches these filters. Unwanted installations do not match."
      })
    ),
    HttpApiEndpoint.get("getDevice", deviceAt, {
      params: oneDevice,
      success: itemResponse(DeviceDetails),
      error: [MemberNotFound, DeviceNotFound]
    }).pipe(
      endpointMetadata({ access: read, summary: "Get a device", description: "Includes the state of each plugin." })
    ),
    HttpApiEndpoint.delete("removeDevice", deviceAt, {
      params: oneDevice,
      success: NoContent,
      error: [MemberNotFound, DeviceNotFound]
    }).pipe(
      endpointMetadata({
        access: Access.permission("delivery:manage"),
        audited: "device.remove",
        summary: "Remove a device",
        description:
          "Deletes the last report of the device. Makes no changes on the device itself. If the device reports again with a higher sequence, it is listed again."
      })
    ),
    HttpApiEndpoint.get("history", "/v1/delivery/history", {
      query: { ...days, pluginId: filter.pluginId, digest: filter.digest },
      success: itemResponse(History),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Get the delivery status of past days",
        description: `Returns the recorded days in the range, at most ${historyDaysMax} days. Without \`pluginId\`, all plugins are counted. Separate records exist for at most ${statusPluginsMax} plugins per day: those with the most installations that are not running.`
      })
    ),
    HttpApiEndpoint.get("usage", "/v1/delivery/usage", {
      query: { ...days, pluginId: filter.pluginId },
      success: itemResponse(Usage),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        access: Access.permission("delivery:read", "analytics:read"),
        summary: "Get the usage of plugins and their releases",
        description:
          "Counts telemetry events with the dimensions `plugin` (the plugin id), `plugin_release` (the digest of the release) and `config_object` (the id of a config object). Also returns installed plugins without events, and config objects with the same content in several installed plugins."
      })
    )
  )
