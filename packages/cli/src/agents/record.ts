/** The record of what orgplane has written, so that exactly that can be changed and removed. */
import { join } from "node:path"
import { exit } from "../exit-code.ts"
import { Failure } from "../failure.ts"
import { isObject, listAt, member, textAt } from "../output/value.ts"
import { type Files, replaceFile, temporaryOf } from "./files.ts"
import type { InstalledPlugin } from "./plan.ts"
import { type Json, nothingWritten, type Written, type WrittenEntry } from "./settings-text.ts"
import { type StoredState, storedStateOf } from "./state.ts"

export interface Applied {
  readonly revision: number
  readonly appliedAt: string
  /** The generation that the settings name. */
  readonly generation: number
  readonly plugins: ReadonlyArray<InstalledPlugin>
  readonly settingsFile: string
  /** The whole text of a file that belongs to orgplane; undefined for a file of the user. */
  readonly text: string | undefined
  readonly written: Written
}

export interface ApplyRecord {
  readonly current: Applied | undefined
  /** Changes that were started and interrupted, latest first. Any of them may have been completed. */
  readonly pending: ReadonlyArray<Applied>
}

/** Everything that orgplane may have written, latest first. */
export const recordsOf = ({ current, pending }: ApplyRecord): ReadonlyArray<Applied> =>
  current === undefined ? pending : [...pending, current]

const recordFile = "applied.json"
const stateFile = "state.json"

const damaged = (path: string) =>
  new Failure(
    exit.failure,
    `${path} is damaged. Restore it from a backup, or delete ${path} and run 'orgplane agents sync' again.`
  )

const entryOf = (value: unknown): ReadonlyArray<WrittenEntry> => {
  const [container, name] = listAt(value, "path")
  if (typeof container !== "string" || typeof name !== "string" || !isObject(value)) return []
  return [
    {
      path: [container, name],
      value: value["value"] as Json,
      locked: value["locked"] === true,
      exclusive: value["exclusive"] === true,
      ...(Object.hasOwn(value, "previous") ? { previous: value["previous"] as Json } : {})
    }
  ]
}

const pluginOf = (value: unknown): ReadonlyArray<InstalledPlugin> => {
  const [pluginId, name, title, mode, sha256] = (["pluginId", "name", "title", "mode", "sha256"] as const).map((part) =>
    textAt(value, part)
  )
  return pluginId === undefined ||
    name === undefined ||
    title === undefined ||
    mode === undefined ||
    sha256 === undefined
    ? []
    : [
        {
          pluginId,
          name,
          title,
          mode,
          sha256,
          description: textAt(value, "description"),
          version: textAt(value, "version"),
          digest: textAt(value, "digest"),
          locked: member(value, "locked") === true
        }
      ]
}

const appliedOf = (value: unknown): Applied | undefined => {
  const [revision, generation] = [member(value, "revision"), member(value, "generation")]
  const [appliedAt, settingsFile] = [textAt(value, "appliedAt"), textAt(value, "settingsFile")]
  if (typeof revision !== "number" || typeof generation !== "number") return undefined
  if (appliedAt === undefined || settingsFile === undefined) return undefined
  return {
    revision,
    generation,
    appliedAt,
    settingsFile,
    plugins: listAt(value, "plugins").flatMap(pluginOf),
    text: textAt(value, "text"),
    written: {
      ...nothingWritten,
      entries: listAt(value, "written.entries").flatMap(entryOf),
      containers: listAt(value, "written.containers").filter((name) => typeof name === "string"),
      isCreated: member(value, "written.isCreated") === true
    }
  }
}

const parsed = async (files: Files, path: string): Promise<unknown> => {
  const content = await files.read(path)
  if (content === undefined) return undefined
  try {
    return JSON.parse(content.toString("utf8"))
  } catch {
    throw damaged(path)
  }
}

/** Whether two records describe the same files. */
export const isSameRecord = (one: Applied | undefined, other: Applied): boolean => {
  const text = (applied: Applied) =>
    JSON.stringify(appliedOf(JSON.parse(JSON.stringify({ ...applied, appliedAt: "-" }))))
  return one !== undefined && text(one) === text(other)
}

export const readRecord = async (files: Files, dataDirectory: string): Promise<ApplyRecord> => {
  const value = await parsed(files, join(dataDirectory, recordFile))
  return {
    current: appliedOf(member(value, "current")),
    pending: listAt(value, "pending").flatMap((each) => appliedOf(each) ?? [])
  }
}

export const writeRecord = (files: Files, dataDirectory: string, { current, pending }: ApplyRecord): Promise<void> =>
  replaceFile(
    files,
    join(dataDirectory, recordFile),
    `${JSON.stringify({ version: 1, current: current ?? null, pending }, null, 2)}\n`,
    0o600
  )

export const readState = async (files: Files, dataDirectory: string): Promise<StoredState | undefined> => {
  const path = join(dataDirectory, stateFile)
  const value = await parsed(files, path)
  if (value === undefined) return undefined
  const stored = storedStateOf(value)
  if (stored === undefined) throw damaged(path)
  return stored
}

/** The state contains links to archives, so only its owner may read it. */
export const writeState = (files: Files, dataDirectory: string, stored: StoredState): Promise<void> =>
  replaceFile(files, join(dataDirectory, stateFile), `${JSON.stringify({ version: 1, ...stored }, null, 2)}\n`, 0o600)

/** Removes everything that `sync` has written to the data directory. The record is last, so that a retry continues. */
export const removeData = async (files: Files, dataDirectory: string): Promise<void> => {
  const path = (name: string) => join(dataDirectory, name)
  const temporary = [stateFile, recordFile].map((name) => temporaryOf(path(name)))
  for (const each of [path("staging"), path("generations"), ...temporary, path(stateFile), path(recordFile)]) {
    await files.remove(each)
  }
}
