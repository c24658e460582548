/**
 * The marketplace directory that an agent reads. Each one is written once, under a new number, and never changed: the
 * agent switches when its settings name the new one.
 */
import { dirname, join } from "node:path"
import { exit } from "../exit-code.ts"
import { Failure } from "../failure.ts"
import { isObject, member, textAt } from "../output/value.ts"
import type { Files } from "./files.ts"
import { manifestOf } from "./formats/claude-code.ts"
import type { InstalledPlugin, PluginStep } from "./plan.ts"
import type { UnpackedFile } from "./unpack.ts"
import { sha256Of } from "./verify.ts"

interface FileRecord {
  readonly sha256: string
  readonly isExecutable: boolean
}

/** The files of each plugin, by plugin name and path. */
type Listing = ReadonlyMap<string, ReadonlyMap<string, FileRecord>>

const listingFile = "generation.json"
const manifestPath = join(".claude-plugin", "marketplace.json")
const directoryMode = 0o755

export const generationsOf = (dataDirectory: string): string => join(dataDirectory, "generations")
export const generationPath = (dataDirectory: string, number: number): string =>
  join(generationsOf(dataDirectory), String(number))
export const stagingOf = (dataDirectory: string): string => join(dataDirectory, "staging")

/** The numbers of all generations on disk, in ascending order. */
export const generationNumbers = async (files: Files, dataDirectory: string): Promise<ReadonlyArray<number>> =>
  (await files.names(generationsOf(dataDirectory)))
    .filter((name) => /^[1-9]\d{0,14}$/.test(name))
    .map(Number)
    .toSorted((a, b) => a - b)

const manifestText = (plugins: ReadonlyArray<InstalledPlugin>) => `${JSON.stringify(manifestOf(plugins), null, 2)}\n`

const pluginDirectory = (generation: string, name: string) => join(generation, "plugins", name)

const readListing = async (files: Files, generation: string): Promise<Listing> => {
  const listing = new Map<string, ReadonlyMap<string, FileRecord>>()
  const text = (await files.read(join(generation, listingFile)))?.toString("utf8")
  if (text === undefined) return listing
  let plugins: unknown
  try {
    plugins = member(JSON.parse(text), "plugins")
  } catch {
    return listing
  }
  if (!isObject(plugins)) return listing
  for (const [name, paths] of Object.entries(plugins)) {
    if (!isObject(paths)) continue
    listing.set(
      name,
      new Map(
        Object.entries(paths).flatMap(([path, record]) => {
          const sha256 = textAt(record, "sha256")
          return sha256 === undefined ? [] : [[path, { sha256, isExecutable: member(record, "isExecutable") === true }]]
        })
      )
    )
  }
  return listing
}

const isIntact = async (files: Files, directory: string, record: ReadonlyMap<string, FileRecord>): Promise<boolean> => {
  const present = await files.filesBelow(directory)
  if (present.length !== record.size) return false
  for (const path of present) {
    const expected = record.get(path)
    const absolute = join(directory, path)
    const content = await files.read(absolute)
    if (expected === undefined || content === undefined || sha256Of(content) !== expected.sha256) return false
    if (process.platform !== "win32" && (await files.isExecutable(absolute)) !== expected.isExecutable) return false
  }
  return true
}

export interface Inspection {
  /** The marketplace file is missing or was changed. */
  readonly isDamaged: boolean
  /** Names of the plugins whose files are missing or were changed. */
  readonly damaged: ReadonlySet<string>
}

/** Compares a generation with what was written. */
export const inspectGeneration = async (
  files: Files,
  generation: string,
  plugins: ReadonlyArray<InstalledPlugin>
): Promise<Inspection> => {
  const listing = await readListing(files, generation)
  const damaged = new Set<string>()
  for (const { name } of plugins) {
    const record = listing.get(name)
    if (record === undefined || !(await isIntact(files, pluginDirectory(generation, name), record))) damaged.add(name)
  }
  const manifest = (await files.read(join(generation, manifestPath)))?.toString("utf8")
  return { isDamaged: manifest !== manifestText(plugins), damaged }
}

/** The files of a plugin in a generation. Fails if one has changed since the inspection. */
const copiedFiles = async (
  files: Files,
  generation: string,
  record: ReadonlyMap<string, FileRecord>,
  name: string
): Promise<ReadonlyArray<UnpackedFile>> => {
  const copies: Array<UnpackedFile> = []
  for (const [path, { isExecutable, sha256 }] of record) {
    const content = await files.read(join(pluginDirectory(generation, name), path))
    if (content === undefined || sha256Of(content) !== sha256) {
      throw new Failure(exit.conflict, `The files of ${name} changed during the sync. Try again.`)
    }
    copies.push({ path, content, isExecutable })
  }
  return copies
}

/** Writes the plugins to a temporary directory, and renames it when it is complete. */
export const buildGeneration = async (
  files: Files,
  dataDirectory: string,
  {
    download,
    from,
    number,
    plugins,
    steps
  }: {
    readonly number: number
    /** The generation that has the plugins to keep. */
    readonly from: number | undefined
    readonly steps: ReadonlyArray<PluginStep>
    readonly plugins: ReadonlyArray<InstalledPlugin>
    readonly download: (step: PluginStep, done: number, total: number) => Promise<ReadonlyArray<UnpackedFile>>
  }
): Promise<void> => {
  const staging = stagingOf(dataDirectory)
  const source = from === undefined ? undefined : generationPath(dataDirectory, from)
  const listing = source === undefined ? new Map<string, never>() : await readListing(files, source)
  await files.remove(staging)
  await files.makeDirectory(staging, directoryMode)
  const written: Record<string, Record<string, FileRecord>> = {}
  const installed = steps.filter(({ action }) => action !== "remove")
  const total = installed.filter(({ archive }) => archive !== undefined).length
  let done = 0
  for (const step of installed) {
    const { name } = step.plugin
    const directory = pluginDirectory(staging, name)
    const record = listing.get(name)
    const content =
      step.archive !== undefined
        ? await download(step, done++, total)
        : source === undefined || record === undefined
          ? []
          : await copiedFiles(files, source, record, name)
    const records: Record<string, FileRecord> = {}
    await files.makeDirectory(directory, directoryMode)
    for (const { content: bytes, isExecutable, path } of content) {
      const target = join(directory, path)
      await files.makeDirectory(dirname(target), directoryMode)
      await files.create(target, bytes, isExecutable ? 0o755 : 0o644)
      records[path] = { sha256: sha256Of(bytes), isExecutable }
    }
    written[name] = records
  }
  await files.makeDirectory(join(staging, ".claude-plugin"), directoryMode)
  await files.create(join(staging, manifestPath), manifestText(plugins), 0o644)
  await files.create(join(staging, listingFile), `${JSON.stringify({ version: 1, plugins: written })}\n`, 0o644)
  await files.makeDirectory(generationsOf(dataDirectory), directoryMode)
  await files.rename(staging, generationPath(dataDirectory, number))
}
