import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CodeHostFailed, TreeEntry } from "../../ports/code-host.ts"
import { Outbound } from "../../ports/outbound.ts"
import { RemoteContent, RemoteFailed, type RemotePlace, type RemoteTree } from "../../ports/remote-content.ts"
import {
  type ArchiveBounds,
  archiveBounds,
  type ExpectedDigest,
  expectedSha256,
  readIntegrity,
  unpack
} from "../archive/index.ts"
import { type Bounds, makeCodeHostGit, makeWorkFolder } from "../git/index.ts"
import { attempt, download, failed, type Fetching, get } from "./download.ts"
import { tarballOf } from "./npm.ts"
import { type RemoteRequest, makeRules, type RemoteSourceRule } from "./rules.ts"

export interface RemoteContentOptions {
  readonly rules: ReadonlyArray<RemoteSourceRule>
  /** Directory for fetched content while it is read; created if missing. */
  readonly workDir: string
  /** Development only; the outbound client must allow it too. */
  readonly allowHttp?: boolean
  readonly gitBounds?: Partial<Bounds>
  readonly archiveBounds?: Partial<ArchiveBounds>
}

/** Lower than for connected repositories, because a plugin is small. */
const gitBoundsDefault: Partial<Bounds> = {
  packBytesMax: 100_000_000,
  objectsMax: 100_000,
  inflatedBytesMax: 256 * 1024 * 1024,
  readBytesMax: 64 * 1024 * 1024,
  timeoutMillis: 60_000
}

const timeoutMillis = 60_000

const ofCodeHost = ({ code, message }: CodeHostFailed): RemoteFailed => {
  // Converts a sentence to a clause.
  const text = message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, "")
  switch (code) {
    case "branch_not_found":
    case "empty_repository":
      return failed("pin_mismatch", "the repository does not have this commit")
    case "not_a_repository":
    case "unauthorized":
      return failed("not_found", text)
    case "blocked":
      return failed("blocked", "the URL is not allowed")
    case "limit_exceeded":
      return failed("too_large", text)
    case "corrupt":
      return failed("damaged", text)
    default:
      return failed("unreachable", text)
  }
}

/** npm and most release hosts put everything into one folder, which is not part of the plugin. */
const withoutFolder = (entries: ReadonlyArray<TreeEntry>, folder: string): ReadonlyArray<TreeEntry> =>
  // Entries outside the folder keep their paths.
  entries.map((entry) =>
    entry.path.startsWith(`${folder}/`) ? { ...entry, path: entry.path.slice(folder.length + 1) } : entry
  )

const isOrdinary = (name: string): boolean => /^[A-Za-z0-9_][\w.@+-]*$/.test(name)
/** Names of folders with plugin content. An archive may consist of only one of them. */
const pluginFolders = new Set(["skills", "commands", "agents", "hooks", "monitors"])

/** The single top-level folder of an archive; undefined when there is none. */
const onlyFolder = (entries: ReadonlyArray<TreeEntry>): string | undefined => {
  const tops = new Set(
    entries.map(({ path }) => (path.includes("/") ? path.slice(0, path.indexOf("/")) : "")).slice(0, 100_000)
  )
  const [top, ...others] = tops
  return top === undefined || others.length > 0 || !isOrdinary(top) || pluginFolders.has(top) ? undefined : top
}

const plainNames = (entries: ReadonlyArray<TreeEntry>): ReadonlyArray<TreeEntry> =>
  entries.map((entry) => ({ ...entry, path: entry.path.replace(/^(?:\.\/)+/, "") }))

const make = Effect.fnUntraced(function* (options: RemoteContentOptions) {
  const rules = makeRules(options.rules)
  const outbound = yield* Outbound
  const bounds: ArchiveBounds = { ...archiveBounds, ...options.archiveBounds }
  const git = yield* makeCodeHostGit({
    localRoots: [],
    workDir: options.workDir,
    systemGit: false,
    allowHttp: options.allowHttp ?? false,
    bounds: { ...gitBoundsDefault, ...options.gitBounds }
  })

  const openGit = Effect.fnUntraced(
    function* ({ cloneUrl, commit }: Extract<RemotePlace, { kind: "git" }>, organizationId: string) {
      const request = rules.resolve(cloneUrl)
      if (request === undefined) return yield* failed("not_allowed", "its host is not allowed")
      const snapshot = yield* git.snapshot(
        { cloneUrl: request.url, destination: request.destination, credential: null, organizationId },
        "",
        commit
      )
      if (snapshot.truncated) return yield* failed("too_large", "the repository is too large to list completely")
      return {
        entries: snapshot.entries,
        warnings: [],
        bytes: snapshot.entries.reduce((bytes, { size }) => bytes + size, 0),
        read: (shas) => snapshot.read(shas).pipe(Effect.mapError(ofCodeHost))
      } satisfies RemoteTree
    },
    Effect.mapError((failure) => (failure instanceof RemoteFailed ? failure : ofCodeHost(failure)))
  )

  const openFile = Effect.fnUntraced(function* (fetching: Fetching, request: RemoteRequest, expected: ExpectedDigest) {
    const folder = yield* makeWorkFolder(options.workDir).pipe(Effect.mapError(ofCodeHost))
    const path = join(folder, "received")
    yield* get(fetching, request, "*/*", bounds.wireBytesMax, timeoutMillis).pipe(
      Effect.flatMap((response) => download(path, response.body, expected)),
      Effect.scoped
    )
    const unpacked = yield* Effect.acquireRelease(
      attempt((signal) => unpack(path, join(folder, "unpacked"), bounds, signal)).pipe(
        Effect.timeoutOrElse({
          duration: timeoutMillis,
          orElse: () => Effect.fail(failed("too_large", "unpacking timed out"))
        })
      ),
      ({ close }) => Effect.promise(() => close().catch(() => undefined)),
      { interruptible: true }
    )
    return {
      warnings: unpacked.warnings,
      bytes: unpacked.bytes,
      entries: plainNames(unpacked.entries),
      read: (shas: ReadonlyArray<string>) => attempt(() => unpacked.read(shas))
    } satisfies RemoteTree
  })

  const openNpm = Effect.fnUntraced(function* (place: Extract<RemotePlace, { kind: "npm" }>, organizationId: string) {
    const fetching = { outbound, rules, organizationId }
    const expected = readIntegrity(place.integrity)
    if (expected === undefined)
      return yield* failed("pin_mismatch", "its integrity must be a SHA-256, SHA-384 or SHA-512 digest")
    const tree = yield* openFile(fetching, yield* tarballOf(fetching, place), expected)
    return { ...tree, entries: withoutFolder(tree.entries, onlyFolder(tree.entries) ?? "package") }
  })

  const openArchive = Effect.fnUntraced(function* (
    place: Extract<RemotePlace, { kind: "archive" }>,
    organizationId: string
  ) {
    const request = rules.resolve(place.url)
    if (request === undefined) return yield* failed("not_allowed", "its host is not allowed")
    const tree = yield* openFile({ outbound, rules, organizationId }, request, expectedSha256(place.sha256))
    const folder = onlyFolder(tree.entries)
    return folder === undefined ? tree : { ...tree, entries: withoutFolder(tree.entries, folder) }
  })

  return RemoteContent.of({
    allows: rules.allows,
    fingerprint: options.rules
      .map(({ host, mirror }) => `${host}=${mirror ?? ""}`)
      .sort()
      .join(","),
    open: Effect.fn("remoteContent.open")(function* (place, organizationId) {
      switch (place.kind) {
        case "git":
          return yield* openGit(place, organizationId)
        case "npm":
          return yield* openNpm(place, organizationId)
        case "archive":
          return yield* openArchive(place, organizationId)
      }
    })
  })
})

/** Repositories, packages and archives of the hosts that the operator allows. */
export const layerRemoteContent = (options: RemoteContentOptions): Layer.Layer<RemoteContent, never, Outbound> =>
  Layer.effect(RemoteContent, make(options))
