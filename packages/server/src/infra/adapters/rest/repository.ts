import * as Effect from "effect/Effect"
import type { CommitStatus, Snapshot } from "../../ports/code-host.ts"
import type { InstalledInfo, InstalledRepository, InstallationRef, RepositoryState } from "../../ports/code-host-app.ts"
import { type Bounds, formatBounds } from "../git/bounds.ts"
import { corrupt, failed, limitExceeded } from "../git/failure.ts"
import { isSha, shaOf } from "../git/objects.ts"
import { refNameOf } from "../git/refs.ts"
import { noSuchRevision } from "../git/snapshot-reader.ts"
import { type ApiResponse, type Api, decoded } from "./api.ts"
import { makeCache } from "./cache.ts"
import * as shapes from "./shapes.ts"
import { listTree } from "./tree.ts"

const MiB = 1024 * 1024
/** Maximum number of concurrent blob requests, far below the burst limits of hosts. */
const readsAtOnce = 6
/** Recently read contents are cached, so that a sync that restarts after a pause does not read them again. */
const cachedBlobs = 20_000
const cachedBytes = 64 * MiB
const cachedBlobBytes = MiB
/** Hosts truncate a tree long before this limit. */
const treeBytesMax = 24 * MiB
const branchesPerPage = 100

const noRepository = () =>
  failed("not_a_repository", "The repository does not exist, or the installation does not include it.")
const noBranch = () => failed("branch_not_found", "The repository has no such branch.")
const noCommit = () => failed("empty_repository", "The repository has no commits yet.")
const late = () => Effect.fail(failed("timeout", "Reading the repository timed out."))

/** Whether the text is `owner/name`, each a valid path segment. */
export const isFullName = (text: string) =>
  /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(text) && !/(^|\/)\.{1,2}(\/|$)/.test(text)

/** Decodes base64 with line breaks; invalid characters are detected when the content is compared with its SHA. */
const bytesOf = (text: string) => Buffer.from(text, "base64")

export const makeRepositories = (api: Api, bounds: Bounds) => {
  const blobs = makeCache<Uint8Array>(cachedBlobs, cachedBytes)
  const inTime = Effect.timeoutOrElse({ duration: bounds.timeoutMillis, orElse: late })

  const asInstallation = (ref: InstallationRef) =>
    ({ kind: "installation", installationId: ref.installationId, organizationId: ref.organizationId }) as const

  const refused = ({ status }: ApiResponse) =>
    status === 403 || status === 451
      ? failed("unauthorized", "The code host does not allow the installation to read this.")
      : api.unexpected()

  /** The current state of the repository. */
  const current = Effect.fnUntraced(function* (repository: InstalledRepository) {
    if (!/^\d{1,16}$/.test(repository.repositoryId)) return yield* noRepository()
    const path = `/repositories/${repository.repositoryId}`
    const response = yield* api.request(asInstallation(repository), path, { conditional: true })
    if (response.status === 404) return yield* noRepository()
    if (response.status !== 200) return yield* refused(response)
    const info = yield* decoded(shapes.Repository, response.json)
    if (String(info.id) !== repository.repositoryId || !isFullName(info.full_name)) return yield* api.unexpected()
    return info
  })

  const branchesOf = Effect.fnUntraced(function* (
    repository: InstalledRepository,
    fullName: string,
    page: number,
    perPage: number
  ) {
    const path = `/repos/${fullName}/branches?per_page=${perPage}&page=${page}`
    const response = yield* api.request(asInstallation(repository), path, { conditional: true })
    if (response.status === 404) return yield* noRepository()
    // Some hosts return 409 for a repository without a commit.
    if (response.status === 409) return []
    if (response.status !== 200) return yield* refused(response)
    return yield* decoded(shapes.Branches, response.json)
  })

  const peeled = Effect.fnUntraced(function* (
    repository: InstalledRepository,
    fullName: string,
    pointed: typeof shapes.Ref.Type.object
  ) {
    let { sha, type } = pointed
    for (let depth = 0; type === "tag" && depth < formatBounds.peelMax; depth++) {
      if (!isSha(sha)) return yield* api.unexpected()
      const response = yield* api.request(asInstallation(repository), `/repos/${fullName}/git/tags/${sha}`)
      if (response.status !== 200) return undefined
      const { object } = yield* decoded(shapes.Tag, response.json)
      sha = object.sha
      type = object.type
    }
    return type === "commit" && isSha(sha) ? sha : undefined
  })

  const resolve = Effect.fnUntraced(function* (repository: InstalledRepository, fullName: string, branch: string) {
    const name = refNameOf(branch)
    if (name !== undefined) {
      const path = `/repos/${fullName}/git/ref/${name.slice("refs/".length).split("/").map(encodeURIComponent).join("/")}`
      const response = yield* api.request(asInstallation(repository), path, { conditional: true })
      if (response.status === 409) return yield* noCommit()
      // An older API returns a list of refs with this prefix.
      if (response.status === 200 && !Array.isArray(response.json)) {
        const ref = yield* decoded(shapes.Ref, response.json)
        const sha = ref.ref === name ? yield* peeled(repository, fullName, ref.object) : undefined
        return sha ?? (yield* noBranch())
      }
      if (response.status !== 404 && response.status !== 200) return yield* refused(response)
    }
    return yield* (yield* branchesOf(repository, fullName, 1, 1)).length === 0 ? noCommit() : noBranch()
  })

  /** The host's default branch. If it does not exist, a branch with a usual name, otherwise the first branch. */
  const defaultBranchOf = Effect.fnUntraced(function* (
    repository: InstalledRepository,
    fullName: string,
    named: string | null
  ) {
    const branches = (yield* branchesOf(repository, fullName, 1, branchesPerPage)).map(({ name }) => name)
    if (branches.length === 0) return null
    if (named !== null && branches.includes(named)) return named
    if (named !== null && branches.length === branchesPerPage) {
      const isThere = yield* resolve(repository, fullName, named).pipe(
        Effect.as(true),
        Effect.catchIf(
          ({ code }) => code === "branch_not_found",
          () => Effect.succeed(false)
        )
      )
      if (isThere) return named
    }
    return ["main", "master"].find((name) => branches.includes(name)) ?? branches[0] ?? null
  })

  /** Fails unless the installation includes the repository: a public one can be read by any installation. */
  const demandHeld = Effect.fnUntraced(function* (ref: InstallationRef, fullName: string) {
    const response = yield* api.request(
      { kind: "app", organizationId: ref.organizationId },
      `/repos/${fullName}/installation`
    )
    if (response.status !== 200) return yield* response.status === 404 ? noRepository() : refused(response)
    const holder = yield* decoded(shapes.Installation, response.json)
    if (String(holder.id) !== ref.installationId) return yield* noRepository()
  })

  const infoOf = Effect.fnUntraced(function* (ref: InstallationRef, row: shapes.Repository) {
    yield* demandHeld(ref, row.full_name)
    const repository = { ...ref, repositoryId: String(row.id) }
    return {
      repositoryId: repository.repositoryId,
      fullName: row.full_name,
      defaultBranch: yield* defaultBranchOf(repository, row.full_name, row.default_branch ?? null)
    } satisfies InstalledInfo
  })

  const find = Effect.fn("codeHostApp.find")(function* (ref: InstallationRef, fullName: string) {
    if (!isFullName(fullName)) return yield* noRepository()
    const response = yield* api.request(asInstallation(ref), `/repos/${fullName}`)
    if (response.status === 404) return yield* noRepository()
    if (response.status !== 200) return yield* refused(response)
    return yield* infoOf(ref, yield* decoded(shapes.Repository, response.json))
  }, inTime)

  const inspect = Effect.fn("codeHostApp.inspect")(function* (repository: InstalledRepository) {
    return yield* infoOf(
      { installationId: repository.installationId, organizationId: repository.organizationId },
      yield* current(repository)
    )
  }, inTime)

  const state = Effect.fn("codeHostApp.state")(function* (repository: InstalledRepository) {
    const { archived, full_name: fullName, updated_at: updatedAt } = yield* current(repository)
    return { fullName, isArchived: archived === true, updatedAt: updatedAt ?? null } satisfies RepositoryState
  }, inTime)

  const head = Effect.fn("codeHostApp.head")(function* (repository: InstalledRepository, branch: string) {
    const { full_name: fullName } = yield* current(repository)
    return yield* resolve(repository, fullName, branch)
  }, inTime)

  const commitAt = Effect.fnUntraced(function* (repository: InstalledRepository, fullName: string, sha: string) {
    const commit = Effect.fnUntraced(function* (sha: string) {
      const response = yield* api.request(asInstallation(repository), `/repos/${fullName}/git/commits/${sha}`)
      if (response.status === 404 || response.status === 409 || response.status === 422) return undefined
      if (response.status !== 200) return yield* refused(response)
      const row = yield* decoded(shapes.Commit, response.json)
      return row.sha === sha && isSha(row.tree.sha) ? row : yield* api.unexpected()
    })
    const direct = yield* commit(sha)
    if (direct !== undefined) return direct
    const tagged = yield* peeled(repository, fullName, { type: "tag", sha })
    const behind = tagged === undefined ? undefined : yield* commit(tagged)
    return behind ?? (yield* noSuchRevision())
  })

  const readBlob = Effect.fnUntraced(function* (repository: InstalledRepository, fullName: string, sha: string) {
    // A host may show two installations different contents, so the cache is per installation.
    const key = `${repository.installationId}/${repository.repositoryId}/${sha}`
    const cached = blobs.get(key)
    if (cached !== undefined) return cached
    const response = yield* api.request(asInstallation(repository), `/repos/${fullName}/git/blobs/${sha}`, {
      bodyBytesMax: 2 * bounds.blobBytesMax + MiB
    })
    if (response.status === 404) return yield* corrupt("a file's content is missing")
    if (response.status !== 200) return yield* refused(response)
    const { content, encoding } = yield* decoded(shapes.Blob, response.json)
    const data = encoding === "base64" ? bytesOf(content) : Buffer.from(content, "utf8")
    if (shaOf({ type: "blob", data }) !== sha) {
      return yield* corrupt("a file's content does not match its SHA")
    }
    if (data.length <= cachedBlobBytes) blobs.put(key, data, data.length)
    return data
  })

  const snapshot = Effect.fn("codeHostApp.snapshot")(function* (
    repository: InstalledRepository,
    branch: string,
    revision?: string
  ) {
    if (revision !== undefined && !isSha(revision)) return yield* noSuchRevision()
    const { full_name: fullName } = yield* current(repository)
    const sha = revision ?? (yield* resolve(repository, fullName, branch))
    const commit = yield* commitAt(repository, fullName, sha)
    const listing = yield* listTree(
      Effect.fnUntraced(function* (sha, isRecursive) {
        const path = `/repos/${fullName}/git/trees/${sha}${isRecursive ? "?recursive=1" : ""}`
        const response = yield* api.request(asInstallation(repository), path, { bodyBytesMax: treeBytesMax })
        if (response.status === 404) return yield* corrupt("a folder is missing")
        if (response.status !== 200) return yield* refused(response)
        return yield* decoded(shapes.Tree, response.json)
      }),
      commit.tree.sha,
      bounds
    )
    const sizes = new Map(
      listing.entries.filter(({ kind }) => kind !== "submodule").map(({ sha, size }) => [sha, size] as const)
    )
    const read = Effect.fn("codeHostApp.read")(function* (shas: ReadonlyArray<string>) {
      const wanted = [...new Set(shas)].filter((sha) => (sizes.get(sha) ?? Infinity) <= bounds.blobBytesMax)
      const bytes = wanted.reduce((sum, sha) => sum + (sizes.get(sha) ?? 0), 0)
      if (bytes > bounds.readBytesMax) return yield* limitExceeded("too much content is read at once")
      const contents = yield* Effect.forEach(
        wanted,
        (sha) =>
          readBlob(repository, fullName, sha).pipe(
            Effect.map((data): ReadonlyArray<readonly [string, Uint8Array]> => [[sha, data]]),
            Effect.catchIf(
              ({ code }) => code === "corrupt",
              () => Effect.succeed([])
            )
          ),
        { concurrency: readsAtOnce }
      )
      return new Map(contents.flat())
    }, inTime)
    const result: Snapshot = {
      revision: commit.sha,
      fullName,
      entries: listing.entries,
      truncated: listing.truncated,
      strategy: listing.truncated || "isWalked" in listing ? "git-tree-walk" : "git-tree-recursive",
      isReadByRequest: true,
      read
    }
    return result
  }, inTime)

  const branches = Effect.fn("codeHostApp.branches")(function* (
    repository: InstalledRepository,
    page: number,
    perPage: number
  ) {
    const { full_name: fullName } = yield* current(repository)
    const rows = yield* branchesOf(repository, fullName, page, perPage)
    return {
      items: rows.map(({ commit, name }) => ({ name, revision: commit.sha })),
      next: rows.length === perPage ? page + 1 : null
    }
  }, inTime)

  const setCommitStatus = Effect.fn("codeHostApp.setCommitStatus")(function* (
    repository: InstalledRepository,
    { context, description, revision, state }: CommitStatus
  ) {
    if (!isSha(revision)) return yield* noSuchRevision()
    const { full_name: fullName } = yield* current(repository)
    const response = yield* api.request(asInstallation(repository), `/repos/${fullName}/statuses/${revision}`, {
      method: "POST",
      body: { state, context, description }
    })
    if (response.status === 200 || response.status === 201) return true
    if (response.status === 403 || response.status === 404) {
      return yield* failed(
        "unauthorized",
        "The app is not allowed to set commit statuses. Give it permission to write them."
      )
    }
    return yield* failed("not_a_repository", `The code host rejected the commit status with HTTP ${response.status}.`)
  }, inTime)

  return { find, inspect, state, head, snapshot, branches, setCommitStatus, asInstallation, refused }
}
