import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { SqlError } from "effect/sql/SqlError"
import { sha256 } from "../../infra/crypto/digest.ts"
import { makeId } from "../../infra/ids.ts"
import { CodeHostFailed, type Snapshot } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { rowBytes, Storage } from "../../infra/storage/index.ts"
import { inTimeSlices } from "../../infra/time-slices.ts"
import { showPath } from "./discovery/paths.ts"
import { makeWarnings } from "./discovery/warnings.ts"
import { makeReader, stagedVersion } from "./file-content.ts"
import type { FileChange } from "./plan.ts"
import { isReportedAsObject } from "./plan-files.ts"
import * as pluginFiles from "./plugin-files-repo.ts"
import { resolveFolders } from "./plugin-folders.ts"
import * as publications from "./publications-repo.ts"
import * as staging from "./staging-repo.ts"
import * as events from "./sync-repo.ts"
import { type LeaseLost, makeLease, type Plan, type Run } from "./sync-run.ts"

/** Maximum contents in memory at once while they are read and staged. */
const batchBytesMax = 16 * 1_048_576
const batchFilesMax = 2000
const noContents: ReadonlyMap<string, Uint8Array> = new Map()
const warningsMax = 200
/** Files parsed before the fiber yields. */
const filesPerSlice = 20

/** Creates the functions that read content in bounded batches and stage it for a publication. */
export const makeStaging = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const fenced = yield* organizationTransaction
  const { holding } = yield* makeLease
  const storage = yield* Storage

  /**
   * Fails the sync before it publishes anything if the organization would store more than its limit with the staged
   * versions. Files that were stored for it are deleted immediately.
   */
  const demandQuota = Effect.fnUntraced(function* (organizationId: Id<"org">, stagedBytes: number) {
    yield* fenced(organizationId, storage.demand(organizationId, stagedBytes)).pipe(
      Effect.catchTag("QuotaExceeded", ({ message }) =>
        Effect.andThen(
          fenced(organizationId, pluginFiles.dropUnpublished(sql, organizationId)),
          new CodeHostFailed({ code: "limit_exceeded", message })
        )
      )
    )
  })

  /** The size of staged versions, about as it is counted when they are published. */
  const bytesOf = (versions: ReadonlyArray<staging.StagedVersion>) =>
    versions.reduce(
      (sum, { payload, text }) =>
        sum +
        rowBytes +
        Buffer.byteLength(text ?? "") +
        (payload === null ? 0 : Buffer.byteLength(JSON.stringify(payload))),
      0
    )

  /** Reads new and changed files in bounded batches and stages them as versions. */
  const stageContent = Effect.fnUntraced(function* (
    run: Run,
    snapshot: Snapshot,
    changes: ReadonlyArray<FileChange>,
    reportProgress: (done: number, total: number) => Effect.Effect<void>
  ) {
    const { event, organizationId } = run
    const warnings = makeWarnings(warningsMax)
    const skippedChanges = new Set<FileChange>()
    const objectIds = new Map<FileChange, Id<"cob">>()
    const textAt = makeReader()
    yield* fenced(organizationId, holding(run, staging.clear(sql, organizationId, event.id)))
    const same = new Set<FileChange>()
    const digests = new Map(
      yield* events.digests(
        sql,
        organizationId,
        changes.flatMap((change) =>
          change.kind === "changed" && (change.file.pointer !== null || event.mode === "resync")
            ? [change.objectId]
            : []
        )
      )
    )
    const wanted = changes.filter((change) => change.kind === "added" || change.kind === "changed")
    let done = 0
    let stagedBytes = 0
    const parts = batchesOf(wanted, (change) => change.file.size)
    const readPart = (index: number) => {
      const shas = new Set(parts[index]?.map(({ file }) => file.sha))
      return Effect.forkScoped(shas.size === 0 ? Effect.succeed(noContents) : snapshot.read([...shas]))
    }
    const write = (staged: ReadonlyArray<staging.StagedVersion>, upTo: number) =>
      Effect.andThen(
        fenced(organizationId, holding(run, staging.stage(sql, organizationId, event.id, staged))),
        reportProgress(upTo, wanted.length)
      )
    let writing: Fiber.Fiber<void, SqlError | LeaseLost> = yield* Effect.forkScoped(Effect.void)
    let next = yield* readPart(0)
    for (const [index, batch] of parts.entries()) {
      const contents = yield* Fiber.join(next)
      // The next batch is read from the host while this one is staged.
      next = yield* readPart(index + 1)
      const staged: Array<staging.StagedVersion> = []
      for (const change of batch) {
        const { file } = change
        const text = textAt(file, contents.get(file.sha))
        if (typeof text === "string") {
          const objectId = change.kind === "changed" ? change.objectId : makeId("cob")
          const version = stagedVersion(file, objectId, text, warnings)
          // This part of the manifest is unchanged, or nothing changed and the sync reads everything again.
          if (digests.get(objectId) === version.digest) same.add(change)
          else {
            objectIds.set(change, objectId)
            staged.push(version)
          }
        } else {
          warnings.add(`${showPath(file.path)} ${text.problem} and is not imported.`)
          skippedChanges.add(change)
        }
        if (staged.length % filesPerSlice === 0) yield* Effect.yieldNow
      }
      // One batch is written at a time while the next one is read and parsed, so that at most two are in memory.
      yield* Fiber.join(writing)
      done += batch.length
      stagedBytes += bytesOf(staged)
      // The staged versions are bounded by the limit too, not only what is published.
      yield* demandQuota(run.organizationId, stagedBytes)
      writing = yield* Effect.forkScoped(write(staged, done))
    }
    yield* Fiber.join(writing)
    return { objectIds, same, skipped: skippedChanges, warnings, count: objectIds.size, stagedBytes }
  })

  /** Stores the contents of new and changed plugin files in bounded batches, before a publication refers to them. */
  const stageFolders = Effect.fnUntraced(function* (
    run: Run,
    snapshot: Snapshot,
    planned: Plan,
    same: ReadonlySet<FileChange>,
    stagedBytes: number
  ) {
    const { event, organizationId } = run
    const { changes, rows } = planned.folders
    const warnings = makeWarnings(warningsMax)
    const digests = new Map<string, string>()
    if (event.mode !== "resync") for (const row of rows) digests.set(row.blob_sha, row.digest)
    const missing = new Map<string, { readonly size: number; readonly path: string }>()
    for (const { file, fullPath } of changes) {
      if (file !== undefined && !digests.has(file.sha)) missing.set(file.sha, { size: file.size, path: fullPath })
    }
    for (const batch of batchesOf([...missing], ([, { size }]) => size)) {
      const contents = yield* snapshot.read(batch.map(([sha]) => sha))
      const blobs: Array<pluginFiles.Blob> = []
      for (const [sha, { path }] of batch) {
        const bytes = contents.get(sha)
        if (bytes === undefined) {
          warnings.add(
            `${showPath(path)} cannot be read: its content is missing or damaged in the repository. It is not imported.`
          )
          continue
        }
        const digest = sha256(bytes)
        digests.set(sha, digest)
        blobs.push({ digest, bytes })
        if (blobs.length % filesPerSlice === 0) yield* Effect.yieldNow
      }
      yield* fenced(organizationId, holding(run, pluginFiles.putBlobs(sql, organizationId, blobs)))
      yield* demandQuota(organizationId, stagedBytes)
    }
    const isReported = isReportedAsObject(planned, planned.bindings, (change) => same.has(change))
    const outcome = yield* inTimeSlices(resolveFolders(planned.folders, digests, isReported))
    return { ...outcome, warnings }
  })

  /** Reads stored versions in bounded batches and stages them as new versions. */
  const stageKept = Effect.fnUntraced(function* (run: Run, files: ReadonlyArray<publications.PublishedFile>) {
    const { event, organizationId } = run
    const warnings = makeWarnings(warningsMax)
    yield* fenced(organizationId, holding(run, staging.clear(sql, organizationId, event.id)))
    let done = 0
    let stagedBytes = 0
    for (const batch of batchesOf(files, (file) => file.size)) {
      const rows = yield* publications.contents(
        sql,
        organizationId,
        batch.map((file) => file.version_id)
      )
      const byId = new Map(rows.map((row) => [row.id, row]))
      const staged = batch.flatMap((file): ReadonlyArray<staging.StagedVersion> => {
        const version = byId.get(file.version_id)
        if (version === undefined) return []
        const place = {
          path: file.path,
          pointer: file.pointer === "" ? null : file.pointer,
          objectType: file.object_type
        }
        // Stored content is restored unchanged, even if its text would be parsed differently now.
        return [
          {
            ...stagedVersion(place, file.config_object_id, version.text ?? "", warnings),
            schemaVersion: version.schema_version,
            payload: version.payload,
            text: version.text,
            digest: version.digest
          }
        ]
      })
      stagedBytes += bytesOf(staged)
      yield* demandQuota(organizationId, stagedBytes)
      yield* fenced(organizationId, holding(run, staging.stage(sql, organizationId, event.id, staged)))
      done += batch.length
      yield* events
        .progress(sql, organizationId, event.id, events.noCounts, { done, total: files.length })
        .pipe(Effect.orDie)
    }
  })

  return { stageContent, stageFolders, stageKept } as const
})

export type StagedContent = Effect.Success<ReturnType<Effect.Success<typeof makeStaging>["stageContent"]>>

/** Groups files so that each group fits in memory. */
const batchesOf = <A>(files: ReadonlyArray<A>, sizeOf: (file: A) => number): ReadonlyArray<ReadonlyArray<A>> => {
  const groups: Array<Array<A>> = []
  let bytes = 0
  for (const file of files) {
    const last = groups.at(-1)
    bytes += sizeOf(file)
    if (last === undefined || last.length === batchFilesMax || bytes > batchBytesMax) {
      groups.push([file])
      bytes = sizeOf(file)
    } else last.push(file)
  }
  return groups
}
