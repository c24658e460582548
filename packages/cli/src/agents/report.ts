/** Reports of this machine: the plugins that it has installed, and why others could not be installed. */
import { join, sep } from "node:path"
import { Failure } from "../failure.ts"
import { member } from "../output/value.ts"
import { version } from "../version.ts"
import { type Device, newDevice, readDevice, writeDevice } from "./device.ts"
import type { Files } from "./files.ts"
import type { InstalledPlugin } from "./plan.ts"
import { sha256Of } from "./verify.ts"

export type FailureKind = "download" | "integrity" | "content" | "storage" | "settings" | "other"

/** The settings of the agent could not be changed. */
export class SettingsFailure extends Failure {}

/** A plugin whose archive in the desired state could not be installed. */
export interface FailedPlugin {
  readonly plugin: InstalledPlugin
  readonly failure: FailureKind
}

interface ReportedPlugin {
  readonly pluginId: string
  readonly state: "installed" | "failed"
  readonly sha256: string
  readonly digest: string | null
  readonly failure: FailureKind | null
  readonly installedSha256?: string | null
}

/** A report without the device and the sequence. It contains no paths, user names or host names. */
export interface ReportContent {
  readonly agent: string
  readonly clientVersion: string
  readonly platform: "linux" | "macos" | "windows" | "other"
  readonly revision: number | null
  readonly failure: FailureKind | null
  readonly plugins: ReadonlyArray<ReportedPlugin>
  /** Whether the plugins were removed permanently. */
  readonly removed?: true
}

/** The maximum of the API. */
const pluginsMax = 2_000
/** The server counts a device as offline after 24 hours without a report. */
const repeatMillis = 6 * 3_600_000

const platforms: Readonly<Record<string, ReportContent["platform"]>> = {
  linux: "linux",
  darwin: "macos",
  win32: "windows"
}

export interface ReportInput {
  readonly agent: string
  /** The revision that is applied. Undefined if there is none. */
  readonly revision: number | undefined
  readonly installed: ReadonlyArray<InstalledPlugin>
  readonly failed?: FailedPlugin | undefined
  /** Why the desired state could not be applied at all. */
  readonly failure?: FailureKind | undefined
}

const failedOf = ({ failure, plugin }: FailedPlugin, present: InstalledPlugin | undefined): ReportedPlugin => ({
  pluginId: plugin.pluginId,
  state: "failed",
  sha256: plugin.sha256,
  digest: plugin.digest ?? null,
  failure,
  // A copy of the same archive is damaged: otherwise, it would not have been downloaded again.
  installedSha256: present === undefined || present.sha256 === plugin.sha256 ? null : present.sha256
})

export const reportOf = (
  { agent, failed, failure, installed, revision }: ReportInput,
  platform: string = process.platform
): ReportContent => {
  const failedId = failed?.plugin.pluginId
  const present = installed.find(({ pluginId }) => pluginId === failedId)
  const plugins = installed
    .filter(({ pluginId }) => pluginId !== failedId)
    .map(({ digest, pluginId, sha256 }): ReportedPlugin => ({
      pluginId,
      state: "installed",
      sha256,
      digest: digest ?? null,
      failure: null
    }))
    .toSorted((a, b) => (a.pluginId < b.pluginId ? -1 : 1))
  return {
    agent,
    clientVersion: version,
    platform: platforms[platform] ?? "other",
    revision: revision === undefined || revision < 1 ? null : revision,
    failure: failure ?? null,
    plugins: [...(failed === undefined ? [] : [failedOf(failed, present)]), ...plugins].slice(0, pluginsMax)
  }
}

const diskCodes = ["ENOSPC", "EDQUOT", "EIO", "EMFILE", "ENFILE"]

/** Why a sync failed. Errors with a path outside the data directory are about the settings of the agent. */
export const failureKindOf = (error: unknown, dataDirectory: string): FailureKind => {
  if (error instanceof SettingsFailure) return "settings"
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return "other"
  if (diskCodes.includes(String(error.code))) return "storage"
  const path = "path" in error && typeof error.path === "string" ? error.path : dataDirectory
  return path === dataDirectory || path.startsWith(join(dataDirectory, sep)) ? "storage" : "settings"
}

export interface ReportTarget {
  readonly files: Files
  readonly dataDirectory: string
  readonly now: number
  /** Sends a report. Returns undefined if the server has no such endpoint. */
  readonly post: (body: object) => Promise<unknown>
}

/** Whether the server accepted the same report in the last 6 hours. Later reports show that the device is online. */
const isRecent = (accepted: Device["accepted"], digest: string, now: number): boolean =>
  accepted?.digest === digest && Math.abs(now - Date.parse(accepted.at)) < repeatMillis

/** Sends a report, unless the server has accepted the same one recently. */
export const sendReport = async (
  { dataDirectory, files, now, post }: ReportTarget,
  content: ReportContent
): Promise<void> => {
  const digest = sha256Of(JSON.stringify(content))
  const stored = await readDevice(files, dataDirectory)
  if (isRecent(stored?.accepted, digest, now)) return
  let device = stored ?? newDevice()
  /** If the disk is full, an existing device still sends its report. The server detects a repeated sequence. */
  const store = async (next: Device) => {
    device = next
    await writeDevice(files, dataDirectory, next).catch((error: unknown) => {
      if (stored === undefined) throw error
    })
  }
  // The second attempt is for a machine that was restored from a backup: the server has reports with higher sequences.
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await store({ ...device, sequence: device.sequence + 1 })
    const result = await post({ deviceId: device.deviceId, sequence: device.sequence, ...content })
    if (result === undefined || member(result, "accepted") === true) {
      return store({ ...device, accepted: { digest, at: new Date(now).toISOString() } })
    }
    const last = member(result, "lastSequence")
    if (typeof last !== "number" || last < device.sequence) break
    await store({ ...device, sequence: last })
  }
  throw new Error("The server did not accept the report.")
}
