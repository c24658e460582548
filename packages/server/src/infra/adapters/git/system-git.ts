import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Bounds } from "./bounds.ts"
import { corrupt, failed, limitExceeded } from "./failure.ts"
import { kindOf, makeListing } from "./listing.ts"
import { isSha, shaOf } from "./objects.ts"
import type { SnapshotReader } from "./snapshot-reader.ts"

/** Only `PATH` is inherited from the server's environment. */
const environment = (own: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_ALLOW_PROTOCOL: "",
  ...own
})

const settings = ["protocol.allow=never", "core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0"]

interface Command {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly input?: string
  readonly signal: AbortSignal
}

/** Streams the output of a command, which is killed when the reader stops or the signal aborts. */
async function* outputOf({ args, env, cwd, input, signal }: Command): AsyncGenerator<Buffer> {
  const child = spawn("git", [...settings.flatMap((setting) => ["-c", setting]), ...args], {
    env: environment(env),
    cwd,
    stdio: ["pipe", "pipe", "ignore"]
  })
  const kill = (): void => void child.kill("SIGKILL")
  const { promise: exited, resolve } = Promise.withResolvers<number | null>()
  child.on("close", resolve)
  child.on("error", () => resolve(null))
  // It may end before it has read everything; the exit status reports that.
  child.stdin.on("error", () => undefined)
  signal.addEventListener("abort", kill)
  if (signal.aborted) kill()
  child.stdin.end(input)
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) yield chunk
    const status = await exited
    signal.throwIfAborted()
    if (status !== 0) throw corrupt("git failed to read it")
  } finally {
    signal.removeEventListener("abort", kill)
    kill()
  }
}

/** Whether git is installed. */
export const hasSystemGit = async (signal: AbortSignal): Promise<boolean> => {
  try {
    let text = ""
    for await (const chunk of outputOf({ args: ["--version"], env: {}, signal })) text += chunk.toString("latin1")
    return /^git version [2-9]/.test(text)
  } catch {
    return false
  }
}

/**
 * Creates an empty repository that gives git access only to the objects of another one, so that the configuration,
 * hooks, refs, grafts and attributes of the other one are never read.
 */
export const makeShell = (dir: string): void => {
  for (const name of ["objects", "refs"]) mkdirSync(join(dir, name), { recursive: true, mode: 0o700 })
  writeFileSync(join(dir, "HEAD"), "ref: refs/heads/none\n")
  writeFileSync(join(dir, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
}

/** The rows that end in each chunk: one iteration per chunk is cheaper than one per row. */
async function* splitAt(separator: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadonlyArray<Buffer>> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const rows: Array<Buffer> = []
    let at = 0
    for (let end = rest.indexOf(separator); end !== -1; end = rest.indexOf(separator, at)) {
      rows.push(rest.subarray(at, end))
      at = end + 1
    }
    rest = rest.subarray(at)
    yield rows
  }
  if (rest.length > 0) throw corrupt("git's output is truncated")
}

const contentBytesUnread = 64 * 1024

interface GitObject {
  readonly sha: string
  readonly type: string
  readonly size: number
  readonly data: Buffer
}

/** `<sha> <type> <size>\n<content>\n`, repeated: the objects that end in each chunk. */
async function* batchOf(chunks: AsyncIterable<Buffer>, bounds: Bounds): AsyncGenerator<ReadonlyArray<GitObject>> {
  let parts: Array<Buffer> = []
  let held = 0
  let wanted: { readonly sha: string; readonly type: string; readonly size: number } | undefined
  const join = (): Buffer => {
    const [only] = parts
    if (only !== undefined && parts.length === 1) return only
    const all = Buffer.concat(parts)
    parts = [all]
    return all
  }
  for await (const chunk of chunks) {
    const objects: Array<GitObject> = []
    parts.push(chunk)
    held += chunk.length
    for (;;) {
      if (wanted === undefined) {
        const all = join()
        const end = all.indexOf(0x0a)
        if (end === -1) {
          if (held > contentBytesUnread) throw corrupt("git's output cannot be parsed")
          break
        }
        const [sha = "", type = "", size] = all.toString("latin1", 0, end).split(" ")
        parts = [all.subarray(end + 1)]
        held -= end + 1
        if (!isSha(sha) || (size === undefined && type !== "missing")) throw corrupt("git's output cannot be parsed")
        if (size === undefined) continue
        wanted = { sha, type, size: Number(size) }
        if (wanted.size > bounds.blobBytesMax) throw limitExceeded("an object is too large")
      }
      if (held < wanted.size + 1) break
      const all = join()
      objects.push({ ...wanted, data: Buffer.from(all.subarray(0, wanted.size)) })
      parts = [all.subarray(wanted.size + 1)]
      held -= wanted.size + 1
      wanted = undefined
    }
    if (objects.length > 0) yield objects
  }
  if (held > 0 || wanted !== undefined) throw corrupt("git's output is truncated")
}

/** A reader that uses the system's git. `shell` was created by `makeShell`. */
export const makeSystemReader = (shell: string, objectsDir: string, bounds: Bounds): SnapshotReader => {
  const env = { HOME: shell, XDG_CONFIG_HOME: shell, GIT_DIR: shell, GIT_OBJECT_DIRECTORY: objectsDir }
  const run = (signal: AbortSignal, args: ReadonlyArray<string>, input = "") =>
    outputOf({ args, env, cwd: shell, input, signal })

  return {
    commitAt: async (sha, { signal }) => {
      if (!isSha(sha)) return undefined
      let text = ""
      for await (const chunk of run(signal, ["cat-file", "--batch-check"], `${sha}^{commit}\n`)) {
        text += chunk.toString("latin1")
      }
      const [commit = "", type] = text.split(" ")
      return type === "commit" && isSha(commit) ? commit : undefined
    },
    list: async (commit, { signal, step }) => {
      if (!isSha(commit)) throw failed("branch_not_found", "The repository has no such revision.")
      const listing = makeListing(bounds)
      const rows = run(signal, ["ls-tree", "-r", "-t", "-z", "-l", "--full-tree", commit])
      for await (const ended of splitAt(0, rows)) {
        let bytes = 0
        for (const row of ended) {
          const tab = row.indexOf(0x09)
          const [mode = "", , sha = "", size = ""] = row.toString("latin1", 0, tab).split(/ +/)
          if (tab === -1 || !/^[0-7]{6}$/.test(mode) || !isSha(sha)) throw corrupt("git's output cannot be parsed")
          const kind = kindOf(Number.parseInt(mode, 8))
          const hasSize = (kind === "file" || kind === "symlink") && !listing.isFull()
          listing.add({
            mode: Number.parseInt(mode, 8),
            path: Buffer.from(row.subarray(tab + 1)),
            sha,
            size: !hasSize ? 0 : /^\d+$/.test(size) ? Number(size) : undefined
          })
          bytes += row.length
        }
        await step(bytes)
      }
      return listing.finish()
    },
    blobs: async (shas, { signal, step }) => {
      const contents = new Map<string, Uint8Array>()
      let bytes = 0
      if (shas.length === 0) return contents
      const output = run(signal, ["cat-file", "--batch", "--buffer"], shas.map((sha) => `${sha}\n`).join(""))
      for await (const objects of batchOf(output, bounds)) {
        const before = bytes
        for (const { sha, type, data } of objects) {
          if (type !== "blob") continue
          bytes += data.length
          if (bytes > bounds.readBytesMax) throw limitExceeded("too much content is read at once")
          if (shaOf({ type, data }) === sha) contents.set(sha, data)
        }
        await step(bytes - before)
      }
      return contents
    }
  }
}
