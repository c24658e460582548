/** Reports of devices: the plugins that they have installed, and those that they could not install. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { pluginsMax } from "./desired-state.ts"
import { Sha256 } from "./plugin-archives.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import * as Ids from "./shared/ids.ts"
import { Text } from "./shared/values.ts"

/** The highest sequence number of a report: the largest integer that JSON numbers represent exactly. */
export const sequenceMax = Number.MAX_SAFE_INTEGER
/** Maximum number of devices per member. */
export const devicesMax = 50

export const DeviceId = Schema.String.check(
  Schema.isMaxLength(64),
  Schema.isPattern(/^[\w-]{16,64}$/u, { message: "must be 16-64 letters, digits, hyphens or underscores" })
).annotate({
  identifier: "DeviceId",
  description:
    "The id of the device: 16-64 letters, digits, hyphens or underscores. The device generates it at random when it reports for the first time, and keeps it. It does not identify the hardware."
})

export const Platform = Schema.Literals(["linux", "macos", "windows", "other"]).annotate({
  identifier: "DevicePlatform"
})
export type Platform = typeof Platform.Type

export const failures = ["download", "integrity", "content", "storage", "settings", "other"] as const
export const Failure = Schema.Literals(failures).annotate({
  identifier: "DeliveryFailure",
  description:
    "Why a plugin could not be installed. `download`: the archive could not be downloaded. `integrity`: the archive does not have the digest in the desired state. `content`: the archive contains files that are not allowed. `storage`: the files could not be written. `settings`: the settings of the agent could not be changed. `other`: a different reason."
})
export type Failure = typeof Failure.Type

export const ReportedPlugin = Schema.Struct({
  pluginId: Ids.PluginId,
  state: Schema.Literals(["installed", "failed"]).annotate({
    description: "`failed`: the archive in the desired state could not be installed."
  }),
  sha256: Sha256.annotate({
    description:
      "`archive.sha256` from the desired state: the archive that is installed, or that could not be installed."
  }),
  digest: Schema.NullOr(Sha256).annotate({
    description: "`digest` from the desired state: the release. Null if it is null in the desired state."
  }),
  failure: Schema.NullOr(Failure).annotate({ description: "Required if `state` is `failed`; null otherwise." }),
  installedSha256: Schema.optionalKey(
    Schema.NullOr(Sha256).annotate({
      description:
        "If `state` is `failed`, the earlier archive that is still installed. Default: null (nothing is installed)."
    })
  )
})
  .check(
    Schema.makeFilter(({ failure, state }: { readonly failure: string | null; readonly state: string }) =>
      (state === "failed") === (failure !== null)
        ? undefined
        : { path: ["failure"], issue: "must be set if state is failed, and null otherwise" }
    )
  )
  .annotate({ identifier: "ReportedPlugin" })
export type ReportedPlugin = typeof ReportedPlugin.Type

export const DeviceReport = Schema.Struct({
  deviceId: DeviceId,
  sequence: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: sequenceMax })).annotate({
    description:
      "Must increase with each report of the device. A report whose sequence is not higher than the last accepted one is ignored, so reports can be retried and can arrive in any order."
  }),
  agent: Text(1, 64).annotate({ description: "The agent whose plugins are reported, such as `claude-code`." }),
  clientVersion: Schema.optionalKey(
    Schema.NullOr(Text(1, 64)).annotate({ description: "The version of the program that reports. Default: null." })
  ),
  platform: Platform,
  revision: Schema.NullOr(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))
  ).annotate({
    description: "The revision of the desired state that the device has applied. Null before the first one."
  }),
  failure: Schema.optionalKey(
    Schema.NullOr(Failure).annotate({
      description: "Why the desired state could not be applied at all. Default: null (it was applied)."
    })
  ),
  removed: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether the plugins were removed from the device permanently. If true, the device is deleted; only its sequence is kept. Default: `false`."
    })
  ),
  plugins: Schema.Array(ReportedPlugin)
    .check(
      Schema.isMaxLength(pluginsMax),
      Schema.makeFilter((plugins: ReadonlyArray<{ readonly pluginId: string }>) =>
        new Set(plugins.map(({ pluginId }) => pluginId)).size === plugins.length
          ? undefined
          : "must not contain duplicate plugin IDs"
      )
    )
    .annotate({
      description: `All plugins that are installed or failed, at most ${pluginsMax}. They replace those of the last report.`
    })
}).annotate({ identifier: "DeviceReport" })
export type DeviceReport = typeof DeviceReport.Type

export const ReportResult = Schema.Struct({
  accepted: Schema.Boolean.annotate({
    description: "Whether the report was stored. False if its sequence is not higher than `lastSequence`."
  }),
  lastSequence: Schema.Int.annotate({ description: "The sequence of the last accepted report of the device." })
}).annotate({ identifier: "DeviceReportResult" })
export type ReportResult = typeof ReportResult.Type

/** The operation of the group `delivery` for devices. */
export const endpoints = [
  HttpApiEndpoint.post("report", "/v1/delivery/reports", {
    payload: DeviceReport,
    success: ReportResult
  }).pipe(
    endpointMetadata({
      access: Access.sessionOrWorker,
      idempotency: "none",
      summary: "Report the plugins of a device",
      description: `Each report contains the complete state of the device and replaces the previous one. Safe to retry: a repeated report is ignored. The device belongs to the member whose credential is used; for a worker, to the member who created it. A member has at most ${devicesMax} devices: an additional device replaces the one that has not reported for the longest time. API keys are not allowed.`
    })
  )
] as const
