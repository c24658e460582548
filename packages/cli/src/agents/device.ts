/** The identity of this machine in its reports to the server. Each data directory has its own. */
import { join } from "node:path"
import { member, textAt } from "../output/value.ts"
import { type Files, replaceFile, temporaryOf } from "./files.ts"

export interface Device {
  /** Generated at random. It identifies neither the hardware nor the user. */
  readonly deviceId: string
  /** The sequence number of the last report. */
  readonly sequence: number
  /** The last report that the server accepted. */
  readonly accepted: { readonly digest: string; readonly at: string } | undefined
}

const deviceFile = "device.json"

const deviceOf = (value: unknown): Device | undefined => {
  const [deviceId, sequence] = [textAt(value, "deviceId"), member(value, "sequence")]
  if (deviceId === undefined || typeof sequence !== "number" || !Number.isSafeInteger(sequence)) return undefined
  const [digest, at] = [textAt(value, "accepted.digest"), textAt(value, "accepted.at")]
  return { deviceId, sequence, accepted: digest === undefined || at === undefined ? undefined : { digest, at } }
}

/** Undefined before the first report, and if the file is damaged: the machine then reports as a new device. */
export const readDevice = async (files: Files, dataDirectory: string): Promise<Device | undefined> => {
  const content = await files.read(join(dataDirectory, deviceFile))
  try {
    return content === undefined ? undefined : deviceOf(JSON.parse(content.toString("utf8")))
  } catch {
    return undefined
  }
}

export const newDevice = (): Device => ({ deviceId: crypto.randomUUID(), sequence: 0, accepted: undefined })

export const writeDevice = (files: Files, dataDirectory: string, device: Device): Promise<void> =>
  replaceFile(
    files,
    join(dataDirectory, deviceFile),
    `${JSON.stringify({ version: 1, ...device, accepted: device.accepted ?? null }, null, 2)}\n`,
    0o600
  )

export const removeDevice = async (files: Files, dataDirectory: string): Promise<void> => {
  const path = join(dataDirectory, deviceFile)
  await files.remove(temporaryOf(path))
  await files.remove(path)
}
