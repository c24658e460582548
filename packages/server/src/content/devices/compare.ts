/** Compares the plugins that a device should have with those that it has reported. */
import type { Failure, InstallState, ReportedPlugin } from "@orgplane/schema/delivery"
import type { Id } from "@orgplane/schema/shared/ids"

/** A plugin that is on in a desired state. */
export interface WantedPlugin {
  readonly pluginId: Id<"plg">
  readonly sha256: string
  readonly digest: string | null
  readonly version: string | null
}

/** A plugin of a report, as it is stored. */
export interface StoredPlugin extends Omit<ReportedPlugin, "installedSha256"> {
  /** The archive that is still installed after a failure. Null for none, and for an installed plugin. */
  readonly installedSha256: string | null
}

/** The parts of a report that apply to all plugins of a device. */
export interface DeviceState {
  readonly isOffline: boolean
  /** Why the device could not apply its desired state at all. */
  readonly failure: Failure | null
}

export interface WantedInstallation {
  readonly pluginId: Id<"plg">
  readonly state: InstallState
  readonly wanted: WantedPlugin
  readonly reported: StoredPlugin | null
  /** Set if and only if the state is `failed`. */
  readonly failure: Failure | null
}

/** A plugin that is installed, but should not be. */
export interface UnwantedInstallation {
  readonly pluginId: Id<"plg">
  readonly state: "unwanted"
  readonly wanted: null
  readonly reported: StoredPlugin
  readonly failure: null
}

export type ComparedInstallation = WantedInstallation | UnwantedInstallation

/** The archive that is installed, even if a newer one could not be installed. */
export const installedOf = (plugin: StoredPlugin): string | null =>
  plugin.state === "installed" ? plugin.sha256 : plugin.installedSha256

const stateOf = (
  wanted: WantedPlugin,
  reported: StoredPlugin | null,
  device: DeviceState
): Pick<WantedInstallation, "state" | "failure"> => {
  const without = (state: InstallState) => ({ state, failure: null })
  if (device.isOffline) return without("offline")
  if (reported?.state === "failed" && reported.sha256 === wanted.sha256) {
    return { state: "failed", failure: reported.failure ?? "other" }
  }
  const installed = reported === null ? null : installedOf(reported)
  if (installed === wanted.sha256) return without("running")
  // The failure of an earlier archive does not apply to the wanted one.
  if (device.failure !== null) return { state: "failed", failure: device.failure }
  return without(installed === null ? "missing" : "behind")
}

/**
 * Returns the state of each plugin that a device should have, and the plugins that it should not have, ordered by
 * plugin. Both arguments must be ordered by plugin.
 */
export const compareInstallations = (
  wanted: ReadonlyArray<WantedPlugin>,
  reported: ReadonlyArray<StoredPlugin>,
  device: DeviceState
): ReadonlyArray<ComparedInstallation> => {
  const compared: Array<ComparedInstallation> = []
  const addUnwanted = (plugin: StoredPlugin) => {
    if (installedOf(plugin) === null) return
    compared.push({ pluginId: plugin.pluginId, state: "unwanted", wanted: null, reported: plugin, failure: null })
  }
  let at = 0
  for (const plugin of wanted) {
    const { pluginId } = plugin
    let own = reported[at]
    while (own !== undefined && own.pluginId < pluginId) {
      addUnwanted(own)
      own = reported[(at += 1)]
    }
    const isReported = own?.pluginId === pluginId
    if (isReported) at += 1
    const report = isReported && own !== undefined ? own : null
    compared.push({ pluginId, ...stateOf(plugin, report, device), wanted: plugin, reported: report })
  }
  for (const plugin of reported.slice(at)) addUnwanted(plugin)
  return compared
}
