import type { ControlPlaneOptions } from "../options.ts"
import { retentionNames, retentionSettings } from "./retention.ts"

/** The whole numbers that a numeric option accepts, inclusive. */
export type Range = readonly [min: number, max: number]

/** The range of each numeric option of `ControlPlane.make` and of its environment variable. */
export const optionRanges = {
  databaseTimeoutSeconds: [1, 300],
  databaseWaitSeconds: [0, 3600],
  diskFreeMinMiB: [0, 1_048_576],
  reconcileSeconds: [0, 604_800],
  workerHeartbeatSeconds: [1, 3600],
  pluginFileBytesMax: [1, 52_428_800],
  pluginFilesMax: [1, 9000],
  pluginBytesMax: [1, 100_000_000],
  retentionDays: [1, 3650]
} satisfies Record<string, Range>

const isIn = (value: number, [min, max]: Range): boolean => Number.isInteger(value) && value >= min && value <= max

export const isRatio = (value: number): boolean => value >= 0 && value <= 1

/** Throws a `RangeError` that names the first numeric option outside its range. */
export const checkRanges = (options: ControlPlaneOptions): void => {
  const { database, pluginBounds, telemetry } = options
  const given: ReadonlyArray<readonly [name: string, value: number | undefined, range: Range]> = [
    ["databaseTimeoutSeconds", options.databaseTimeoutSeconds, optionRanges.databaseTimeoutSeconds],
    [
      "database.waitSeconds",
      database.kind === "postgres" ? database.waitSeconds : undefined,
      optionRanges.databaseWaitSeconds
    ],
    ["diskFreeMinMiB", options.diskFreeMinMiB, optionRanges.diskFreeMinMiB],
    ["reconcileSeconds", options.reconcileSeconds, optionRanges.reconcileSeconds],
    ["workerHeartbeatSeconds", options.workerHeartbeatSeconds, optionRanges.workerHeartbeatSeconds],
    ["pluginBounds.fileBytesMax", pluginBounds?.fileBytesMax, optionRanges.pluginFileBytesMax],
    ["pluginBounds.filesMax", pluginBounds?.filesMax, optionRanges.pluginFilesMax],
    ["pluginBounds.bytesMax", pluginBounds?.bytesMax, optionRanges.pluginBytesMax],
    ["telemetry.retentionDays", telemetry?.retentionDays, optionRanges.retentionDays],
    ...retentionNames.map(
      (name) => [`retention.${name}`, options.retention?.[name], retentionSettings[name].range] as const
    )
  ]
  for (const [name, value, range] of given) {
    if (value !== undefined && !isIn(value, range)) {
      throw new RangeError(`The option ${name} is ${value}; it must be a whole number from ${range[0]} to ${range[1]}.`)
    }
  }
  const { traceSampleRatio } = options
  if (traceSampleRatio !== undefined && !isRatio(traceSampleRatio)) {
    throw new RangeError(`The option traceSampleRatio is ${traceSampleRatio}; it must be a number from 0 to 1.`)
  }
}
