/** Access to the file system. Tests pass one that fails at a given step. */
import type { Dirent } from "node:fs"
import * as fs from "node:fs/promises"
import { basename, dirname, join } from "node:path"

export interface Files {
  /** Undefined if the file does not exist. */
  read(path: string): Promise<Buffer | undefined>
  /** The paths of all files below a directory, relative to it and with slashes. Empty if it does not exist. */
  filesBelow(path: string): Promise<ReadonlyArray<string>>
  /** The names in a directory. Empty if it does not exist. */
  names(path: string): Promise<ReadonlyArray<string>>
  isExecutable(path: string): Promise<boolean>
  /** The file to which symbolic links lead. A path that does not exist is returned unchanged. */
  resolve(path: string): Promise<string>
  makeDirectory(path: string, mode: number): Promise<void>
  /** Creates a file and flushes it to disk. Fails if it exists. */
  create(path: string, content: string | Uint8Array, mode: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Removes a file or a directory. Succeeds if it does not exist. */
  remove(path: string): Promise<void>
  /** The permissions of a file. Undefined if it does not exist. */
  modeOf(path: string): Promise<number | undefined>
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

const isAbsent = (error: unknown) => codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR"

const orIfAbsent = async <A, B>(result: Promise<A>, absent: B): Promise<A | B> => {
  try {
    return await result
  } catch (error) {
    if (isAbsent(error)) return absent
    throw error
  }
}

const filesBelow = async (path: string, prefix = ""): Promise<ReadonlyArray<string>> => {
  const entries = await orIfAbsent<Array<Dirent>, Array<Dirent>>(fs.readdir(path, { withFileTypes: true }), [])
  const nested = await Promise.all(
    entries.map((entry) =>
      entry.isDirectory()
        ? filesBelow(join(path, entry.name), `${prefix}${entry.name}/`)
        : Promise.resolve([`${prefix}${entry.name}`])
    )
  )
  return nested.flat()
}

/** Another program, such as a virus scanner, may have the file open for a moment. */
const renameTriesMax = 5
const isBusy = (error: unknown) => ["EPERM", "EACCES", "EBUSY"].includes(codeOf(error) ?? "")

const rename = async (from: string, to: string): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      await fs.rename(from, to)
      return
    } catch (error) {
      if (process.platform !== "win32" || !isBusy(error) || tries === renameTriesMax) throw error
      await new Promise((resolve) => setTimeout(resolve, 50 * tries))
    }
  }
}

/** Flushes the names in a directory, so that a renamed file survives a power failure. Windows does not support it. */
const flushDirectory = async (path: string): Promise<void> => {
  if (process.platform === "win32") return
  const handle = await fs.open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const nodeFiles: Files = {
  read: (path) => orIfAbsent(fs.readFile(path), undefined),
  filesBelow,
  names: (path) => orIfAbsent<Array<string>, Array<string>>(fs.readdir(path), []),
  isExecutable: async (path) => ((await fs.stat(path)).mode & 0o100) !== 0,
  resolve: (path) => orIfAbsent(fs.realpath(path), path),
  // The umask must not hide managed plugins from the users of the machine.
  makeDirectory: async (path, mode) => {
    const first = await fs.mkdir(path, { recursive: true, mode })
    if (first === undefined) return
    for (let directory = path; ; directory = dirname(directory)) {
      await fs.chmod(directory, mode)
      if (directory === first || directory === dirname(directory)) return
    }
  },
  create: async (path, content, mode) => {
    const handle = await fs.open(path, "wx", mode)
    try {
      await handle.chmod(mode)
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
  rename: async (from, to) => {
    await rename(from, to)
    await flushDirectory(dirname(to))
  },
  remove: (path) => fs.rm(path, { recursive: true, force: true }),
  modeOf: async (path) => {
    const stats = await orIfAbsent(fs.stat(path), undefined)
    return stats === undefined ? undefined : stats.mode & 0o777
  }
}

/** Agents ignore files whose names start with a dot. */
export const temporaryOf = (path: string): string => join(dirname(path), `.${basename(path)}.orgplane-tmp`)

/** Replaces a file. Readers see the old content or the new one. The caller holds the lock of the data directory. */
export const replaceFile = async (files: Files, path: string, text: string, mode: number): Promise<void> => {
  const temporary = temporaryOf(path)
  // Of a process that was killed.
  await files.remove(temporary)
  try {
    await files.create(temporary, text, mode)
    await files.rename(temporary, path)
  } catch (error) {
    await files.remove(temporary).catch(() => {})
    throw error
  }
}

/** Whether a file at this path can be created or replaced: its directory, or the nearest existing one, is writable. */
export const isWritable = async (path: string): Promise<boolean> => {
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    try {
      await fs.access(directory, fs.constants.W_OK)
      return true
    } catch (error) {
      if (!isAbsent(error) || directory === dirname(directory)) return false
    }
  }
}
