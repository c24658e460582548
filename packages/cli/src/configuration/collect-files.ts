/** Finds and reads the configuration files that a command line names. */
import { readdir, readFile, realpath, stat } from "node:fs/promises"
import { dirname, extname, join } from "node:path"
import type { SourceText } from "@orgplane/schema/shared/configuration-files/source"
import { exit } from "../exit-code.ts"
import { Failure, usage } from "../failure.ts"
import { type Io, readAll } from "../io.ts"
import { escapeControls } from "../output/escape.ts"

/** A file that a command line names. */
export interface CollectedFile extends SourceText {
  /** Undefined for standard input. */
  readonly directory: string | undefined
}

const filesMax = 1000
const entriesMax = 20_000
const directoryDepthMax = 20
const bytesMax = 8 * 1_048_576

const extensions = new Set([".yaml", ".yml", ".json"])
const standardInput = "-"

const unreadable = (name: string, error: unknown): Failure => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  return usage(`${escapeControls(name)}: ${code === "ENOENT" ? "no such file or directory" : "cannot be read"}.`)
}

const statOf = async (name: string) => {
  try {
    return await stat(name)
  } catch (error) {
    throw unreadable(name, error)
  }
}

/** The files of a directory and the directories below it, in the order of their names. Hidden files are skipped. */
const filesBelow = async (directory: string): Promise<ReadonlyArray<string>> => {
  const files: Array<string> = []
  let entriesLeft = entriesMax
  const visit = async (path: string, depth: number): Promise<void> => {
    if (depth > directoryDepthMax) {
      throw usage(`${escapeControls(directory)}: has more than ${directoryDepthMax} levels of directories.`)
    }
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      throw unreadable(path, error)
    })
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      entriesLeft -= 1
      if (entriesLeft < 0) throw usage(`${escapeControls(directory)}: contains more than ${entriesMax} files.`)
      if (entry.name.startsWith(".")) continue
      const name = join(path, entry.name)
      if (entry.isDirectory()) await visit(name, depth + 1)
      // Links to files are followed, links to directories are not: they can be circular.
      else if (extensions.has(extname(entry.name).toLowerCase()) && (await statOf(name)).isFile()) files.push(name)
    }
  }
  await visit(directory, 1)
  if (files.length === 0) throw usage(`${escapeControls(directory)}: contains no file *.yaml, *.yml or *.json.`)
  return files
}

const decoded = (name: string, bytes: Uint8Array): string => {
  try {
    // Removes the byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw new Failure(exit.failure, `${escapeControls(name)}: is not UTF-8 text.`)
  }
}

const tooLarge = () => usage(`The files are too large: at most ${bytesMax} bytes are allowed.`)

/** The text of standard input. */
const readStandardInput = async (io: Io): Promise<CollectedFile> => {
  const bytes = await readAll(io.stdin)
  if (bytes.byteLength > bytesMax) throw tooLarge()
  return { name: "(stdin)", text: decoded("stdin", bytes), isJson: false, directory: undefined }
}

/** Reads the files, the files of the directories, and standard input for `-`. Each file is read once. */
export const collectFiles = async (io: Io, names: ReadonlyArray<string>): Promise<ReadonlyArray<CollectedFile>> => {
  if (names.length === 0) throw usage("Missing: --file.")
  const sources: Array<CollectedFile> = []
  const seen = new Set<string>()
  let bytesLeft = bytesMax
  for (const name of names) {
    if (name === standardInput) {
      if (!seen.has(standardInput)) sources.push(await readStandardInput(io))
      seen.add(standardInput)
      continue
    }
    const stats = await statOf(name)
    for (const file of stats.isDirectory() ? await filesBelow(name) : [name]) {
      // A pipe, such as that of a process substitution, has no path.
      const path = await realpath(file).catch(() => file)
      if (seen.has(path)) continue
      seen.add(path)
      if (seen.size > filesMax) throw usage(`At most ${filesMax} files are allowed.`)
      if ((await statOf(file)).size > bytesLeft) throw tooLarge()
      const bytes = await readFile(file).catch((error: unknown) => {
        throw unreadable(file, error)
      })
      bytesLeft -= bytes.byteLength
      if (bytesLeft < 0) throw tooLarge()
      sources.push({
        name: file,
        text: decoded(file, bytes),
        isJson: extname(file).toLowerCase() === ".json",
        directory: dirname(file)
      })
    }
  }
  return sources
}
