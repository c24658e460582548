import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import {
  CodeHost,
  type CodeHostFailed,
  type Repository,
  type RepositoryInfo,
  type Snapshot
} from "../../ports/code-host.ts"
import { Outbound } from "../../ports/outbound.ts"
import { eachSteps, inTimeSlices } from "../../time-slices.ts"
import { type Bounds, boundsDefault } from "./bounds.ts"
import { fullNameOf, normalizeRemote } from "./clone-url.ts"
import { makeCommitStatuses } from "./commit-status.ts"
import { download } from "./download.ts"
import { attempt, failed, limitExceeded, unlessCorrupt } from "./failure.ts"
import { listLocalRefs, resolveLocalRef } from "./local-refs.ts"
import { isLocalUrl, type LocalRepository, openLocalRepository } from "./local-root.ts"
import { openLocalStore } from "./local-store.ts"
import { isSha } from "./objects.ts"
import { makePace } from "./pace.ts"
import { openFileBytes } from "./pack-file.ts"
import { indexReceivedPack } from "./received-pack.ts"
import { defaultBranchOf, hasBranches, refNameOf } from "./refs.ts"
import { makeSnapshotReader, noSuchRevision, type SnapshotReader } from "./snapshot-reader.ts"
import { hasSystemGit, makeShell, makeSystemReader } from "./system-git.ts"
import { connect, fetchPack, listRefs, type Remote } from "./upload-pack.ts"
import { makeWorkFolder, removeAbandoned } from "./work-dir.ts"

export interface CodeHostGitOptions {
  /** Folders whose repositories may be named by path; none by default. */
  readonly localRoots: ReadonlyArray<string>
  /** Directory for packs while they are read; created if missing. */
  readonly workDir: string
  /** Development only; the outbound client must allow it too. */
  readonly allowHttp?: boolean
  /** Whether local objects are read by the system's git: always, never, or if it is installed. Default: `auto`. */
  readonly systemGit?: boolean | "auto"
  readonly bounds?: Partial<Bounds>
}

/** Packs that are unpacked at once: each may need about 200 MB for a while. */
const unpackedAtOnce = 4

const noBranch = () => failed("branch_not_found", "The repository has no such branch.")
const noCommit = () => failed("empty_repository", "The repository has no commits yet.")
const late = () => Effect.fail(failed("timeout", "Reading the repository timed out."))

/** Git fails on a damaged object; the fallback reader skips it. */
const withFallback = (reader: SnapshotReader, other: SnapshotReader): SnapshotReader => ({
  commitAt: reader.commitAt,
  list: async (commit, pace) =>
    (await unlessCorrupt(() => reader.list(commit, pace))) ?? (await other.list(commit, pace)),
  blobs: async (shas, pace) => (await unlessCorrupt(() => reader.blobs(shas, pace))) ?? (await other.blobs(shas, pace))
})

const snapshotOf = Effect.fnUntraced(function* (reader: SnapshotReader, sha: string, bounds: Bounds) {
  const { revision, listing } = yield* attempt(async (signal) => {
    const pace = makePace(signal)
    const revision = await reader.commitAt(sha, pace)
    if (revision === undefined) throw noSuchRevision()
    return { revision, listing: await reader.list(revision, pace) }
  })
  const sizes = new Map<string, number>()
  yield* inTimeSlices(
    eachSteps(listing.entries, ({ kind, sha, size }) => {
      if (kind !== "submodule") sizes.set(sha, size)
    })
  )
  const read = Effect.fn("codeHost.read")(function* (shas: ReadonlyArray<string>) {
    const wanted = [...new Set(shas)].filter((sha) => (sizes.get(sha) ?? Infinity) <= bounds.blobBytesMax)
    const bytes = wanted.reduce((sum, sha) => sum + (sizes.get(sha) ?? 0), 0)
    if (bytes > bounds.readBytesMax) return yield* limitExceeded("too much content is read at once")
    return yield* attempt((signal) => reader.blobs(wanted, makePace(signal))).pipe(
      Effect.timeoutOrElse({ duration: bounds.timeoutMillis, orElse: late })
    )
  })
  return {
    revision,
    entries: listing.entries,
    truncated: listing.truncated,
    strategy: listing.truncated ? "git-tree-walk" : "git-tree-recursive",
    read
  } satisfies Snapshot
})

const localRef = (local: LocalRepository, branch: string) =>
  attempt(async () => {
    const name = refNameOf(branch)
    const sha = name === undefined ? undefined : resolveLocalRef(local.gitDir, name)
    if (sha === undefined) throw hasBranches(listLocalRefs(local.gitDir)) ? noBranch() : noCommit()
    return sha
  })

const localInfo = (local: LocalRepository): Effect.Effect<RepositoryInfo, CodeHostFailed> =>
  attempt(async () => ({
    cloneUrl: local.cloneUrl,
    fullName: local.fullName,
    defaultBranch: defaultBranchOf(listLocalRefs(local.gitDir))
  }))

/** Creates the built-in git client, for code that reads repositories other than those of connector instances. */
export const makeCodeHostGit = Effect.fnUntraced(function* (options: CodeHostGitOptions) {
  const bounds: Bounds = { ...boundsDefault, ...options.bounds }
  const outbound = yield* Outbound
  const unpacking = yield* PartitionedSemaphore.make<string>({ permits: unpackedAtOnce })
  yield* removeAbandoned(options.workDir)

  const mode = options.systemGit ?? "auto"
  const usesSystemGit = mode !== false && (yield* Effect.promise(hasSystemGit))
  if (mode === true && !usesSystemGit) {
    return yield* Effect.die(new Error("The option git.systemGit is true, but git is not installed."))
  }

  const openLocal = (cloneUrl: string) => attempt(async () => openLocalRepository(cloneUrl, options.localRoots))

  // Local repositories.

  const builtInReader = ({ objectsDir }: LocalRepository) =>
    Effect.acquireRelease(
      attempt(async () => openLocalStore(objectsDir)),
      (store) => Effect.sync(store.close)
    ).pipe(Effect.map((store) => makeSnapshotReader(store, bounds)))

  const systemReader = Effect.fnUntraced(function* ({ objectsDir }: LocalRepository) {
    const shell = yield* makeWorkFolder(options.workDir)
    yield* attempt(async () => makeShell(shell))
    return makeSystemReader(shell, objectsDir, bounds)
  })

  const localHead = Effect.fnUntraced(function* (local: LocalRepository, branch: string) {
    const sha = yield* localRef(local, branch)
    const reader = yield* builtInReader(local)
    const commit = yield* attempt((signal) => reader.commitAt(sha, makePace(signal)))
    return commit ?? (yield* noSuchRevision())
  }, Effect.scoped)

  const localSnapshot = Effect.fnUntraced(function* (local: LocalRepository, branch: string, revision?: string) {
    const sha = revision ?? (yield* localRef(local, branch))
    const own = yield* builtInReader(local)
    const reader = usesSystemGit ? withFallback(yield* systemReader(local), own) : own
    return yield* snapshotOf(reader, sha, bounds)
  })

  // Repositories over https.

  const remoteInfo = Effect.fnUntraced(function* (repository: Repository) {
    const remote = yield* connect(outbound, repository, bounds)
    const refs = yield* listRefs(outbound, remote, ["HEAD", "refs/heads/"], bounds)
    return {
      cloneUrl: repository.cloneUrl,
      fullName: fullNameOf(repository.cloneUrl),
      defaultBranch: defaultBranchOf(refs)
    } satisfies RepositoryInfo
  })

  const remoteRef = Effect.fnUntraced(function* (remote: Remote, branch: string) {
    const name = refNameOf(branch)
    const list = name === undefined ? undefined : yield* listRefs(outbound, remote, [name], bounds)
    const sha = name === undefined ? undefined : list?.refs.get(name)
    if (sha !== undefined) return sha
    const all = yield* listRefs(outbound, remote, ["refs/heads/"], bounds)
    return yield* hasBranches(all) ? noBranch() : noCommit()
  })

  const remoteHead = Effect.fnUntraced(function* (repository: Repository, branch: string) {
    return yield* remoteRef(yield* connect(outbound, repository, bounds), branch)
  })

  const remoteSnapshot = Effect.fnUntraced(function* (repository: Repository, branch: string, revision?: string) {
    const remote = yield* connect(outbound, repository, bounds)
    const sha = revision ?? (yield* remoteRef(remote, branch))
    const folder = yield* makeWorkFolder(options.workDir)
    const path = join(folder, "received.pack")
    yield* fetchPack(outbound, remote, sha, bounds).pipe(
      Effect.flatMap((pieces) => attempt((signal) => download(path, pieces, bounds, signal))),
      Effect.scoped
    )
    const pack = yield* Effect.acquireRelease(
      attempt(async () => openFileBytes(path)),
      (pack) => Effect.sync(pack.close)
    )
    const store = yield* attempt((signal) => indexReceivedPack(pack, bounds, makePace(signal))).pipe(
      PartitionedSemaphore.withPermits(unpacking, repository.organizationId, 1)
    )
    return yield* snapshotOf(makeSnapshotReader(store, bounds), sha, bounds)
  })

  const setRemoteStatus = makeCommitStatuses(outbound)

  const inTime = Effect.timeoutOrElse({ duration: bounds.timeoutMillis, orElse: late })

  /** A caller's URL was normalized when it was stored, but the operator may have restricted the settings since. */
  const demandRemote = (repository: Repository) =>
    attempt(async () =>
      normalizeRemote(repository.cloneUrl, repository.destination === "configured" || (options.allowHttp ?? false))
    ).pipe(Effect.map((cloneUrl) => ({ ...repository, cloneUrl })))

  return CodeHost.of({
    normalize: (cloneUrl) =>
      cloneUrl.startsWith("/") || isLocalUrl(cloneUrl)
        ? Effect.map(openLocal(cloneUrl), (local) => local.cloneUrl)
        : attempt(async () => normalizeRemote(cloneUrl, options.allowHttp ?? false)),
    inspect: Effect.fn("codeHost.inspect")(function* (repository) {
      if (isLocalUrl(repository.cloneUrl)) return yield* localInfo(yield* openLocal(repository.cloneUrl))
      return yield* remoteInfo(yield* demandRemote(repository))
    }, inTime),
    head: Effect.fn("codeHost.head")(function* (repository, branch) {
      if (isLocalUrl(repository.cloneUrl)) return yield* localHead(yield* openLocal(repository.cloneUrl), branch)
      return yield* remoteHead(yield* demandRemote(repository), branch)
    }, inTime),
    snapshot: Effect.fn("codeHost.snapshot")(function* (repository, branch, revision) {
      if (revision !== undefined && !isSha(revision)) return yield* noSuchRevision()
      return isLocalUrl(repository.cloneUrl)
        ? yield* localSnapshot(yield* openLocal(repository.cloneUrl), branch, revision)
        : yield* remoteSnapshot(yield* demandRemote(repository), branch, revision)
    }, inTime),
    setCommitStatus: Effect.fn("codeHost.setCommitStatus")(function* (repository, status) {
      if (isLocalUrl(repository.cloneUrl)) return false
      return yield* setRemoteStatus(yield* demandRemote(repository), status)
    }, inTime)
  })
})

/** The built-in git client: any host over smart HTTP, and local repositories. Git need not be installed. */
export const layerCodeHostGit = (options: CodeHostGitOptions): Layer.Layer<CodeHost, never, Outbound> =>
  Layer.effect(CodeHost, makeCodeHostGit(options))
