import type { SyncCounts, SyncEvent } from "@orgplane/schema/connectors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type { SqlError } from "effect/sql/SqlError"
import { Settings } from "../../infra/config/settings.ts"
import * as objects from "../config-objects/repo.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import { makeId } from "../../infra/ids.ts"
import { attemptsMax, lockSeconds, type SyncJob, SyncJobs } from "../../infra/jobs/index.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import * as marketplaces from "../marketplaces/repo.ts"
import * as manifests from "../../infra/sql/plugin-manifest.ts"
import * as plugins from "../plugins/repo.ts"
import { CodeHostFailed, type Snapshot } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { fencedTransaction } from "../../infra/sql/fence.ts"
import { flatMapSteps, inTurns, mapSteps } from "../../infra/time-slices.ts"
import type { Discovery } from "./discovery/candidate.ts"
import { snapshotWithLinks } from "./discovery/links.ts"
import { showPath } from "./discovery/paths.ts"
import { makeWarnings } from "./discovery/warnings.ts"
import { DiscoveryService, readSnapshot } from "./discovery-service.ts"
import { laneOf, makeLanes } from "./lanes.ts"
import { filesStated, isWritten, sourced } from "./manifest.ts"
import { makeReader, namesOf, stagedVersion } from "./file-content.ts"
import { type FileChange, needsReview } from "./plan.ts"
import { isReportedAsObject } from "./plan-files.ts"
import * as pluginFiles from "./plugin-files-repo.ts"
import { type FolderOutcome, type FolderPlan, planFolders, readingVersion, resolveFolders } from "./plugin-folders.ts"
import * as publications from "./publications-repo.ts"
import * as repo from "./repo.ts"
import { remoteNotes } from "./remote-plan.ts"
import { RemotePlugins, withoutRemotes } from "./remote-service.ts"
import { openRepository } from "./repository.ts"
import { planRollback } from "./rollback.ts"
import * as staging from "./staging-repo.ts"
import { basisOf, deletionsOf, planSync, type SyncPlan } from "./sync-plan.ts"
import * as events from "./sync-repo.ts"
import * as targets from "./targets-repo.ts"

/** Maximum contents in memory at once while they are read and staged. */
const batchBytesMax = 16 * 1_048_576
const batchFilesMax = 2000
const noContents: ReadonlyMap<string, Uint8Array> = new Map()
const warningsMax = 200
/** Files parsed before the fiber yields. */
const filesPerSlice = 20

/** Triggers by a user or API key: such a sync removes the pin of an earlier rollback. */
const byHand: ReadonlySet<SyncEvent["trigger"]> = new Set(["manual", "resync", "retry", "apply", "rollback"])

/** Permanent failures, which the next attempt would meet again. They are recorded on the instance. */
const permanentCodes: ReadonlySet<CodeHostFailed["code"]> = new Set([
  "unauthorized",
  "branch_not_found",
  "empty_repository",
  "not_a_repository",
  "blocked",
  "limit_exceeded",
  "not_configured"
])

/** How long a run waits for a busy branch. */
const busyDelay = Duration.seconds(1)
const retryDelayMax = Duration.hours(1)
/** The delay before the next attempt: it doubles each time, and is never shorter than the host asks. */
const retryDelay = (attempt: number, retryAfterMillis = 0) =>
  Duration.min(Duration.max(Duration.seconds(2 ** (attempt - 1)), Duration.millis(retryAfterMillis)), retryDelayMax)

/** The delay for a host that asks for one without a duration. */
const pauseUsual = Duration.minutes(1)
const pauseMin = Duration.seconds(1)
const pauseMax = Duration.hours(24)
/** Maximum delays of one sync that a host may ask for, in addition to failed attempts. */
const pausesMax = 48
/** The duration of a delay: as the host asks, otherwise longer each time. */
const pauseOf = (pauses: number, retryAfterMillis: number | undefined) =>
  Duration.clamp(
    retryAfterMillis === undefined
      ? Duration.times(pauseUsual, 2 ** Math.min(pauses, 6))
      : Duration.millis(retryAfterMillis),
    { minimum: pauseMin, maximum: pauseMax }
  )

/** Concurrent syncs per process. A slow host uses at most a quarter of them, and so does an organization. */
const laneLimits = { total: 12, perOrganization: 3, perOrigin: 3 }
/** Jobs taken at once: more than can run, so that a waiting job does not hide others. */
const workers = laneLimits.total + 2
const crowdedMillisMax = 60_000

/** The repository or its instance changed during the sync, so the result is not published. */
class SyncOvertaken extends Data.TaggedError("SyncOvertaken")<{ readonly message: string }> {}
/** Another run holds the lease of the branch, so this run must stop. */
class LeaseLost extends Data.TaggedError("LeaseLost") {}

interface Run {
  readonly organizationId: Id<"org">
  readonly instance: repo.InstanceRow
  readonly target: repo.TargetRow
  readonly event: events.EventRow
  /** The holder of the lease: this run only, not another run of the same event. */
  readonly holder: string
  /** Effects to run after the lease is released, because no caller waits for them. */
  readonly later: Array<Effect.Effect<void>>
}

interface Failure {
  readonly code: string
  readonly message: string
}

interface Plan extends SyncPlan {
  readonly folders: FolderPlan
  /** The state that the plan was made from; a publication requires that it is unchanged. */
  readonly basis: string
}

const unseenBindings = ({ bindings, changes }: Plan) => {
  const seen = new Set(changes.flatMap((change) => (change.kind === "added" ? [] : [change.objectId])))
  return bindings.filter((row) => !seen.has(row.config_object_id))
}

/**
 * Makes an organization's content of a branch equal to the branch's head. Everything is read and staged first; then one
 * transaction publishes it. A run that is repeated after a crash starts again and produces the same result.
 */
export class SyncService extends Context.Service<SyncService>()("@orgplane/server/connectors/SyncService", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const fenced = yield* fencedTransaction
    const discovery = yield* DiscoveryService
    const remotePlugins = yield* RemotePlugins
    const jobs = yield* SyncJobs
    const { mutate } = yield* Mutate
    const open = yield* openRepository
    const { pluginBounds } = yield* Settings
    const lanes = makeLanes(laneLimits)
    /** Jobs postponed within the last minute, by full limit. More postponed jobs wait longer. */
    const postponed = new Map<string, { count: number; readonly until: number }>()

    /** Runs statements in a transaction while this run holds the lease of the branch; otherwise fails. */
    const holding = <A, E, R>(run: Run, effect: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        // All transactions that lock both lock the instance first, which prevents deadlocks.
        yield* repo.lockInstance(sql, run.organizationId, run.instance.id)
        if (!(yield* events.holds(sql, run.organizationId, run.target.id, run.holder))) {
          return yield* new LeaseLost()
        }
        return yield* effect
      })

    /** Compares the branch's current content with the branch at this commit. */
    const plan = Effect.fnUntraced(function* (run: Run, snapshot: Snapshot, finalDiscovery: Discovery) {
      const { instance, organizationId, target } = run
      const rows = yield* events.targetPlugins(sql, organizationId, target.id)
      const mappings = yield* repo.allMappings(sql, organizationId, target.id)
      const steps = planSync({
        instanceId: instance.id,
        targetId: target.id,
        isAutoImporting: instance.auto_import_new_plugins,
        plugins: rows,
        mappings,
        bindings: yield* events.bindings(sql, organizationId, target.id),
        discovery: finalDiscovery,
        entries: snapshot.entries
      })
      const planned = yield* inTurns(steps)
      const folders = yield* inTurns(
        planFolders({
          imported: planned.imported,
          pluginIds: planned.pluginIds,
          removedPluginIds: planned.removedPluginIds,
          entries: snapshot.entries,
          truncated: finalDiscovery.tree.truncated,
          bounds: pluginBounds,
          rows: yield* pluginFiles.ofTarget(sql, organizationId, target.id),
          isReread: run.event.mode === "resync"
        })
      )
      return {
        ...planned,
        folders,
        basis: yield* inTurns(basisOf(instance, target, rows, mappings)),
        changes:
          run.event.mode === "resync"
            ? planned.changes.map((change) =>
                change.kind === "unchanged" ? { ...change, kind: "changed" as const } : change
              )
            : planned.changes
      } satisfies Plan
    })

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
        // The host reads the next batch while this one is staged.
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
        // One batch is written at a time, so that at most two are in memory; the next one is read and parsed meanwhile.
        yield* Fiber.join(writing)
        done += batch.length
        writing = yield* Effect.forkScoped(write(staged, done))
      }
      yield* Fiber.join(writing)
      return { objectIds, same, skipped: skippedChanges, warnings, count: objectIds.size }
    })

    /** Stores the contents of new and changed plugin files in bounded batches, before a publication refers to them. */
    const stageFolders = Effect.fnUntraced(function* (
      run: Run,
      snapshot: Snapshot,
      planned: Plan,
      same: ReadonlySet<FileChange>
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
        yield* demandQuota(organizationId)
      }
      const isReported = isReportedAsObject(planned, planned.bindings, (change) => same.has(change))
      const outcome = yield* inTurns(resolveFolders(planned.folders, digests, isReported))
      return { ...outcome, warnings }
    })

    /** An unclaimed workspace has a storage quota; contents stored beyond it are deleted immediately. */
    const demandQuota = Effect.fnUntraced(function* (organizationId: Id<"org">) {
      if (!(yield* objects.isOverQuota(sql, organizationId, 0))) return
      yield* fenced(organizationId, pluginFiles.dropUnpublished(sql, organizationId))
      return yield* new CodeHostFailed({
        code: "limit_exceeded",
        message: "An unclaimed workspace can store at most 50 MB."
      })
    })

    /** Requires that the state a plan was made from is unchanged. */
    const demandBasis = Effect.fnUntraced(function* (run: Run, instance: repo.InstanceRow, basis: string) {
      const { organizationId } = run
      const target = yield* targets.find(sql, organizationId, run.target.id)
      const rows = yield* events.targetPlugins(sql, organizationId, run.target.id)
      const mappings = yield* repo.allMappings(sql, organizationId, run.target.id)
      if (target === undefined || (yield* inTurns(basisOf(instance, target, rows, mappings))) !== basis) {
        return yield* new SyncOvertaken({ message: "The connector instance was changed during the sync." })
      }
    })

    /** Writes the plugins that a commit changes. Other plugins keep their commit. */
    const putPlugins = Effect.fnUntraced(function* (run: Run, planned: Plan, folders: FolderOutcome) {
      const { instance, organizationId, target } = run
      const rows = new Map(
        (yield* manifests.ofTarget(sql, organizationId, target.id)).map((row) => [row.id, row] as const)
      )
      const wanted = yield* inTurns(
        flatMapSteps(planned.imported, (candidate) => {
          const id = planned.pluginIds.get(candidate.key)
          const place = { targetId: target.id, repositoryFullName: instance.repository_full_name, revision: "" }
          if (id === undefined || !candidate.supported) return []
          const files = folders.fileSummaries.get(id) ?? filesStated(rows.get(id)?.manifest_json)
          return [sourced(candidate, { id, ...place, files })]
        })
      )
      const changed = yield* inTurns(
        flatMapSteps(wanted, (plugin) => (isWritten(plugin, rows.get(plugin.id)) ? [] : [plugin]))
      )
      if (changed.length > 0) yield* plugins.putSourced(sql, organizationId, changed, null)
      yield* keepRevisions(run, rows.values(), new Set(wanted.map(({ id }) => id)))
    })

    /** Plugins of a branch that are not in `following` keep their commit when another one is published. */
    const keepRevisions = (run: Run, rows: Iterable<manifests.SourcedRow>, following: ReadonlySet<string>) => {
      const unchangedRows = [...rows].filter((row) => row.source_revision === "" && !following.has(row.id))
      return unchangedRows.length === 0
        ? Effect.void
        : manifests.keepRevision(
            sql,
            run.organizationId,
            unchangedRows.map((row) => row.id)
          )
    }

    /** Publishes a plan and its staged content. */
    const publish = (
      run: Run,
      snapshot: Snapshot,
      planned: Plan,
      staged: Effect.Success<ReturnType<typeof stageContent>>,
      folders: FolderOutcome,
      outcome: {
        readonly counts: SyncCounts
        readonly warnings: ReadonlyArray<string>
        readonly isPartial: boolean
        /** The head of the branch is newer than the requested revision. */
        readonly isBehind: boolean
      }
    ) =>
      mutate(
        { kind: "system", organizationId: run.organizationId },
        "connector.synced",
        Effect.gen(function* () {
          const { event, organizationId, target } = run
          const instance = yield* repo.lockInstance(sql, organizationId, run.instance.id)
          if (instance === undefined || repo.isStopped(instance)) {
            return yield* new SyncOvertaken({ message: "The connector instance was stopped meanwhile." })
          }
          yield* demandBasis(run, instance, planned.basis)
          yield* Effect.forEach(
            planned.renamed,
            ({ id, key }) => events.renameCandidate(sql, organizationId, id, key),
            {
              discard: true
            }
          )
          yield* putPlugins(run, planned, folders)
          if (planned.added.length > 0) {
            const marketplaceId = yield* repo.marketplaceOf(sql, organizationId, target.id)
            if (marketplaceId !== undefined) {
              const memberships = planned.added.map(({ id }) => ({ id: makeId("mkp"), pluginId: id }))
              yield* marketplaces.addPlugins(sql, organizationId, marketplaceId, memberships, null)
            }
          }
          yield* repo.createMappings(sql, organizationId, planned.newMappings)
          const published = yield* staging.publish(sql, organizationId, event.id, run.instance.id, snapshot.revision)
          if (published !== staged.count) {
            return yield* Effect.die(new Error(`A sync staged ${staged.count} versions but published ${published}.`))
          }
          yield* staging.moveObjects(
            sql,
            organizationId,
            planned.changes.flatMap((change) =>
              change.kind === "moved"
                ? [
                    {
                      objectId: change.objectId,
                      relativePath: change.file.path,
                      ...namesOf(change.file.path)
                    }
                  ]
                : []
            )
          )
          const bound = yield* inTurns(
            flatMapSteps(planned.changes, (change) => {
              if (staged.skipped.has(change) && change.kind === "added") return []
              const objectId = change.kind === "added" ? staged.objectIds.get(change) : change.objectId
              return objectId === undefined ? [] : [{ change, objectId }]
            })
          )
          yield* objects.addMemberships(
            sql,
            organizationId,
            yield* inTurns(
              flatMapSteps(bound, ({ change, objectId }) =>
                change.kind === "unchanged" || change.file.pluginId === null
                  ? []
                  : [{ id: makeId("pco"), pluginId: change.file.pluginId, objectId, mappingId: change.file.mappingId }]
              )
            ),
            null
          )
          yield* events.changeBindings(sql, organizationId, target.id, planned.bindings, [
            // A truncated listing keeps the bindings that it does not show.
            ...(snapshot.truncated ? unseenBindings(planned) : planned.frozen),
            ...(yield* inTurns(
              mapSteps(bound, ({ change: { file }, objectId }) => ({
                connector_mapping_id: file.mappingId,
                path: file.path,
                pointer: file.pointer ?? "",
                object_type: file.objectType,
                config_object_id: objectId,
                // This is set even if the new content could not be read: the file is read again when it changes.
                blob_sha: file.sha
              }))
            ))
          ])
          const deletions = yield* inTurns(
            mapSteps(deletionsOf(planned), (objectId) => ({ objectId, versionId: makeId("cov") }))
          )
          yield* objects.deleteMany(sql, organizationId, deletions, {
            syncEventId: event.id,
            revision: snapshot.revision,
            deletedBy: null
          })
          yield* repo.removeMappings(
            sql,
            organizationId,
            planned.removedMappings.map((row) => row.id)
          )
          yield* events.deleteEmptyPlugins(sql, organizationId, planned.removedPluginIds)
          yield* manifests.forgetFiles(sql, organizationId, planned.removedPluginIds)
          yield* repo.setSynced(sql, organizationId, run.instance.id, snapshot.revision)
          const version = readingVersion(pluginBounds)
          yield* targets.setSynced(sql, organizationId, target.id, snapshot.revision, null, version)
          yield* publications.record(
            sql,
            organizationId,
            target.id,
            { revision: snapshot.revision, eventId: event.id },
            folders.changes
          )
          yield* events.end(sql, organizationId, event.id, {
            status: staged.skipped.size > 0 || outcome.isPartial ? "partial" : "completed",
            revision: snapshot.revision,
            counts: { ...outcome.counts, objectsDeleted: deletions.length },
            warnings: outcome.warnings,
            error: null
          })
          // A push during the wait was merged into this sync, so the head needs another one.
          if (outcome.isBehind) yield* queue(instance, target.id, "reconcile")
          return deletions.length
        }).pipe((publication) => holding(run, publication)),
        (deleted) => ({
          target: run.instance.id,
          after: { syncEventId: run.event.id, revision: snapshot.revision, ...outcome.counts, objectsDeleted: deleted }
        })
      )

    /** Ends a run that imports nothing, if it still holds the lease. */
    const endHeld = (run: Run, outcome: Parameters<typeof events.end>[3]) =>
      mutate(
        { kind: "system", organizationId: run.organizationId },
        "connector.syncHeld",
        // An earlier run may have staged content of an earlier head.
        Effect.andThen(
          staging.clear(sql, run.organizationId, run.event.id),
          events.end(sql, run.organizationId, run.event.id, outcome)
        ).pipe((end) => Effect.asVoid(holding(run, end))),
        () => ({
          target: run.instance.id,
          after: { syncEventId: run.event.id, status: outcome.status, revision: outcome.revision }
        })
      )

    /** The run with the current name of the repository. */
    const renamed = Effect.fnUntraced(function* (run: Run, { fullName }: Snapshot) {
      if (fullName === undefined || fullName === run.instance.repository_full_name) return run
      yield* fenced(run.organizationId, repo.renameRepository(sql, run.organizationId, run.instance.id, fullName))
      return { ...run, instance: { ...run.instance, repository_full_name: fullName } }
    })

    /** One run, from reading the branch's head to the published event. */
    const synchronise = Effect.fnUntraced(function* (initialRun: Run) {
      const { event, organizationId, target } = initialRun
      if (target.pinned_at !== null && (event.by_hand_at === null || event.by_hand_at < target.pinned_at)) {
        return yield* endHeld(initialRun, {
          status: "ignored",
          revision: null,
          counts: events.noCounts,
          warnings: [
            `The branch is pinned to ${target.pinned_revision} by a rollback. Start a sync manually to follow its head again.`
          ],
          error: null
        })
      }
      const revision = event.wanted_revision ?? undefined
      const repository = yield* open(initialRun.instance)
      const base = yield* snapshotWithLinks(yield* repository.snapshot(target.branch, revision))
      const isBehind =
        revision !== undefined &&
        Option.getOrUndefined(yield* Effect.option(repository.head(target.branch))) !== revision
      const run = yield* renamed(initialRun, base)
      const { instance } = run
      const session = yield* remotePlugins.session(organizationId, true)
      const kept = yield* discovery.find(organizationId, target.id, base.revision, true)
      const discovered = kept ?? (yield* readSnapshot(base, instance.repository_full_name, session, pluginBounds))
      if (kept === undefined) {
        run.later.push(
          discovery
            .keep(organizationId, target.id, base, discovered)
            // If this fails, the next discovery reads the repository again.
            .pipe(Effect.catchCause((cause) => Effect.logWarning("Storing the discovery of a sync failed.", cause)))
        )
      }
      const { problems, snapshot } = yield* session.mount(base, discovered)
      const readable = withoutRemotes(discovered, problems)
      const isApproved = event.approved_revision === snapshot.revision
      if (
        !isApproved &&
        target.last_sync_cursor !== snapshot.revision &&
        (yield* events.isRejected(sql, event, organizationId, snapshot.revision))
      ) {
        return yield* endHeld(run, {
          status: "ignored",
          revision: snapshot.revision,
          counts: events.noCounts,
          warnings: ["This revision was rejected. Nothing is imported until the branch has a new commit."],
          error: null
        })
      }
      const wanted = yield* plan(run, snapshot, readable)
      // Plugins that cannot be fetched now keep their content, and the sync continues without them.
      const missing = yield* session.fetch([
        ...wanted.changes.flatMap(({ file, kind }) => (kind === "added" || kind === "changed" ? [file.path] : [])),
        ...wanted.folders.changes.flatMap(({ file, fullPath }) => (file === undefined ? [] : [fullPath]))
      ])
      const finalDiscovery = withoutRemotes(readable, missing)
      const planned = missing.size === 0 ? wanted : yield* plan(run, snapshot, finalDiscovery)
      const counted = countsOf(snapshot, planned)
      if (!isApproved && needsReview(planned.removals.length, planned.bindings.length)) {
        return yield* endHeld(run, {
          status: "review_required",
          revision: snapshot.revision,
          counts: { ...events.noCounts, filesScanned: counted.filesScanned, objectsDeleted: planned.removals.length },
          warnings: [
            `${planned.removals.length} of ${planned.bindings.length} objects would be removed. Approve the sync or change the repository.`
          ],
          error: null
        })
      }
      const staged = yield* stageContent(run, snapshot, planned.changes, (done, total) =>
        events
          .progress(
            sql,
            organizationId,
            event.id,
            {
              ...counted,
              objectsCreated: Math.min(counted.objectsCreated, done),
              objectsUpdated: Math.max(0, done - counted.objectsCreated),
              objectsDeleted: 0
            },
            { done, total }
          )
          .pipe(Effect.orDie)
      )
      const folders = yield* stageFolders(run, snapshot, planned, staged.same)
      yield* demandQuota(organizationId)
      const skippedNew = [...staged.skipped].filter((change) => change.kind === "added").length
      const counts = {
        ...counted,
        objectsCreated: counted.objectsCreated - skippedNew,
        objectsUpdated: counted.objectsUpdated - (staged.skipped.size - skippedNew) - staged.same.size,
        objectsUnchanged: counted.objectsUnchanged + staged.same.size,
        ...folders.counts
      }
      const notes = remoteNotes(
        finalDiscovery,
        new Set(planned.imported.map(({ key }) => key)),
        instance.auto_import_new_plugins
      )
      for (const note of notes) staged.warnings.add(note)
      for (const warning of folders.warnings.list()) staged.warnings.add(warning)
      for (const warning of finalDiscovery.warnings) staged.warnings.add(warning)
      const warnings = staged.warnings.list()
      const isPartial = notes.length > 0 || folders.warnings.list().length > 0
      yield* publish(run, snapshot, planned, staged, folders, { counts, warnings, isPartial, isBehind })
    }, Effect.scoped)

    /** Reads stored versions in bounded batches and stages them as new versions. */
    const stageKept = Effect.fnUntraced(function* (run: Run, files: ReadonlyArray<publications.PublishedFile>) {
      const { event, organizationId } = run
      const warnings = makeWarnings(warningsMax)
      yield* fenced(organizationId, holding(run, staging.clear(sql, organizationId, event.id)))
      let done = 0
      for (const batch of batchesOf(files, (file) => file.size)) {
        const rows = yield* publications.contents(
          sql,
          organizationId,
          batch.map((file) => file.version_id)
        )
        const byId = new Map(rows.map((row) => [row.id, row]))
        const staged = batch.flatMap((file): ReadonlyArray<staging.StagedVersion> => {
          const kept = byId.get(file.version_id)
          if (kept === undefined) return []
          const place = {
            path: file.path,
            pointer: file.pointer === "" ? null : file.pointer,
            objectType: file.object_type
          }
          // Stored content is restored unchanged, even if its text would be parsed differently now.
          return [
            {
              ...stagedVersion(place, file.config_object_id, kept.text ?? "", warnings),
              schemaVersion: kept.schema_version,
              payload: kept.payload,
              text: kept.text,
              digest: kept.digest
            }
          ]
        })
        yield* fenced(organizationId, holding(run, staging.stage(sql, organizationId, event.id, staged)))
        done += batch.length
        yield* events
          .progress(sql, organizationId, event.id, events.noCounts, { done, total: files.length })
          .pipe(Effect.orDie)
      }
    })

    /** Restores the content that the branch published at the requested revision. The repository is not read. */
    const restore = Effect.fnUntraced(function* (run: Run) {
      const { event, instance, organizationId, target } = run
      const revision = event.wanted_revision ?? ""
      const publication = yield* publications.ofRevision(sql, organizationId, target.id, revision)
      if (publication === undefined) {
        yield* giveUp(run, { code: "revision_unknown", message: "This revision was not published from the branch." })
        return
      }
      const files = yield* publications.filesOf(sql, organizationId, target.id, publication.sequence)
      if (files.length !== (yield* publications.countFiles(sql, organizationId, target.id, publication.sequence))) {
        yield* giveUp(run, { code: "content_gone", message: "Some content of this revision is no longer stored." })
        return
      }
      const rows = yield* events.targetPlugins(sql, organizationId, target.id)
      const mappings = yield* repo.allMappings(sql, organizationId, target.id)
      const bindings = yield* events.bindings(sql, organizationId, target.id)
      const basis = yield* inTurns(basisOf(instance, target, rows, mappings))
      const planned = planRollback({
        published: {
          plugins: publication.plugins_json,
          mappings: publication.mappings_json,
          files,
          pluginFiles: yield* pluginFiles.atSequence(sql, organizationId, target.id, publication.sequence)
        },
        pluginFiles: yield* pluginFiles.ofTarget(sql, organizationId, target.id),
        plugins: rows,
        mappings,
        bindings
      })
      yield* stageKept(run, planned.restored)
      yield* demandQuota(organizationId)
      yield* mutate(
        { kind: "system", organizationId },
        "connector.rolled_back",
        Effect.gen(function* () {
          const locked = yield* repo.lockInstance(sql, organizationId, instance.id)
          if (locked === undefined || repo.isStopped(locked)) {
            return yield* new SyncOvertaken({ message: "The connector instance was stopped meanwhile." })
          }
          yield* demandBasis(run, locked, basis)
          const published = yield* staging.publish(sql, organizationId, event.id, instance.id, revision)
          if (published !== planned.restored.length) {
            return yield* Effect.die(
              new Error(`A rollback staged ${planned.restored.length} versions but published ${published}.`)
            )
          }
          yield* staging.moveObjects(
            sql,
            organizationId,
            planned.moved.map((file) => ({
              objectId: file.config_object_id,
              relativePath: file.path,
              ...namesOf(file.path)
            }))
          )
          yield* objects.deleteMany(
            sql,
            organizationId,
            planned.deletions.map((objectId) => ({ objectId, versionId: makeId("cov") })),
            { syncEventId: event.id, revision, deletedBy: null }
          )
          yield* repo.removeMappings(sql, organizationId, planned.removedMappings)
          yield* events.deleteEmptyPlugins(sql, organizationId, planned.removedPluginIds)
          yield* manifests.forgetFiles(sql, organizationId, planned.removedPluginIds)
          yield* keepRevisions(
            run,
            yield* manifests.ofTarget(sql, organizationId, target.id),
            new Set(planned.plugins.map(({ id }) => id))
          )
          yield* publications.restorePlugins(sql, organizationId, target.id, planned.plugins)
          yield* publications.restoreMappings(sql, organizationId, planned.mappings)
          yield* events.changeBindings(sql, organizationId, target.id, bindings, planned.bindings)
          yield* publications.endOtherMemberships(sql, organizationId, planned.memberships)
          const live = yield* publications.livePlugins(
            sql,
            organizationId,
            planned.memberships.flatMap(({ pluginId }) => (pluginId === null ? [] : [pluginId]))
          )
          yield* objects.addMemberships(
            sql,
            organizationId,
            planned.memberships.flatMap(({ mappingId, objectId, pluginId }) =>
              pluginId === null || !live.has(pluginId) ? [] : [{ id: makeId("pco"), pluginId, objectId, mappingId }]
            ),
            null
          )
          const marketplaceId = yield* repo.marketplaceOf(sql, organizationId, target.id)
          if (marketplaceId !== undefined) {
            const memberships = planned.revivedPluginIds.map((pluginId) => ({ id: makeId("mkp"), pluginId }))
            yield* marketplaces.addPlugins(sql, organizationId, marketplaceId, memberships, null)
          }
          yield* repo.setSynced(sql, organizationId, instance.id, revision)
          yield* targets.setSynced(sql, organizationId, target.id, revision, event.by_hand_at, null)
          const source = { revision, eventId: event.id }
          yield* publications.record(sql, organizationId, target.id, source, planned.pluginFileChanges)
          yield* events.end(sql, organizationId, event.id, {
            status: "completed",
            revision,
            counts: planned.counts,
            warnings: [],
            error: null
          })
        }).pipe((publication) => holding(run, publication)),
        () => ({ target: instance.id, after: { syncEventId: event.id, revision, ...planned.counts } })
      )
    })

    /** Renews the lease during a run, however long the host takes. Ends the run when the lease is lost. */
    const keepLease = (run: Run) =>
      Effect.sleep(Duration.seconds(lockSeconds / 3)).pipe(
        // Uses a transaction, and so a separate connection: if this run is publishing, the renewal waits for it, and on
        // a shared connection all other reads would wait behind it.
        Effect.andThen(
          sql.withTransaction(events.lease(sql, run.organizationId, run.target.id, run.holder, lockSeconds))
        ),
        Effect.filterOrFail(
          (isOurs) => isOurs,
          () => new LeaseLost()
        ),
        // A failed statement is retried at the next renewal. By then another worker may hold the lease.
        Effect.catchTag("SqlError", () => Effect.void),
        Effect.forever
      )

    /** Ends an event that publishes nothing, and deletes its staged content. */
    const endWithout = (
      organizationId: Id<"org">,
      eventId: Id<"cse">,
      status: "ignored" | "failed",
      error: Failure | null
    ) =>
      Effect.andThen(
        staging.clear(sql, organizationId, eventId),
        events.end(sql, organizationId, eventId, {
          status,
          revision: null,
          counts: events.noCounts,
          warnings: [],
          error
        })
      )

    /** Ends the event as failed, and records the error on the instance. */
    const giveUp = (run: Run, failure: Failure) => {
      const { event, instance, organizationId } = run
      const error =
        failure.code === "branch_not_found"
          ? { ...failure, message: `${failure.message} Content imported from ${run.target.branch} is kept.` }
          : failure
      return mutate(
        { kind: "system", organizationId },
        "connector.sync_failed",
        Effect.andThen(
          endWithout(organizationId, event.id, "failed", error),
          // A failed rollback does not mean that the repository is unreadable.
          event.mode === "rollback"
            ? Effect.void
            : Effect.asVoid(repo.setFailed(sql, organizationId, instance.id, error.message))
        ).pipe((end) => holding(run, end)),
        () => ({ target: instance.id, after: { syncEventId: event.id, code: error.code } })
      )
    }

    /** Handles a transient failure: retries later while attempts remain. */
    const failed = (run: Run, error: Failure, retryAfterMillis?: number) =>
      error.code === "rate_limited" && run.event.pauses < pausesMax
        ? Effect.suspend(() => {
            const pause = pauseOf(run.event.pauses, retryAfterMillis)
            return Effect.andThen(
              events.pause(sql, run.organizationId, run.event, Duration.toMillis(pause), error),
              jobs.again(run.organizationId, run.event.id, pause)
            ).pipe((note) => fenced(run.organizationId, holding(run, note)))
          })
        : run.event.attempt >= attemptsMax || error.code === "rate_limited"
          ? giveUp(run, error)
          : Effect.andThen(
              events.noteFailure(sql, run.organizationId, run.event.id, error),
              jobs.again(run.organizationId, run.event.id, retryDelay(run.event.attempt, retryAfterMillis))
            ).pipe((note) => fenced(run.organizationId, note))

    /** The delay before a job whose limit is full is taken again. */
    const postponedDelay = Effect.fnUntraced(function* (fullLimit: string) {
      const now = yield* Clock.currentTimeMillis
      const recentCount = postponed.get(fullLimit)
      const current =
        recentCount === undefined || recentCount.until <= now
          ? { count: 0, until: now + crowdedMillisMax }
          : recentCount
      current.count += 1
      if (postponed.size > 10_000) postponed.clear()
      postponed.set(fullLimit, current)
      const spread = yield* Random.next
      return Duration.millis(
        Math.min(crowdedMillisMax, 500 * Math.max(1, current.count / laneLimits.perOrigin)) * (0.5 + spread)
      )
    })

    /** One run of an event whose branch is leased to it. */
    const attempt = Effect.fnUntraced(function* (
      queuedEvent: events.EventRow,
      organizationId: Id<"org">,
      holder: string,
      later: Run["later"]
    ) {
      const instance = yield* repo.findInstance(sql, organizationId, queuedEvent.connector_instance_id)
      const target = yield* targets.find(sql, organizationId, queuedEvent.connector_target_id)
      if (
        instance === undefined ||
        target === undefined ||
        instance.status === "disabled" ||
        instance.status === "archived"
      ) {
        yield* fenced(organizationId, endWithout(organizationId, queuedEvent.id, "ignored", null))
        return
      }
      const event = yield* events.start(sql, organizationId, queuedEvent.id)
      if (event === undefined) return
      const run: Run = { organizationId, instance, target, event, holder, later }
      if (event.attempt > attemptsMax) {
        yield* giveUp(run, { code: "interrupted", message: "The sync was interrupted too often." }).pipe(Effect.orDie)
        return
      }
      yield* Effect.raceFirst(event.mode === "rollback" ? restore(run) : synchronise(run), keepLease(run)).pipe(
        Effect.catchTags({
          CodeHostFailed: ({ code, message, retryAfterMillis }) =>
            permanentCodes.has(code)
              ? giveUp(run, { code, message })
              : failed(run, { code, message }, retryAfterMillis),
          SyncOvertaken: ({ message }) => failed(run, { code: "overtaken", message })
        }),
        Effect.tapCause((cause) =>
          Cause.hasInterruptsOnly(cause) || event.attempt < attemptsMax
            ? Effect.void
            : giveUp(run, { code: "internal_error", message: "The sync failed because of an internal error." })
        ),
        Effect.onInterrupt(() => Effect.ignore(events.giveBack(sql, organizationId, event.id))),
        Effect.catchTag("LeaseLost", () => jobs.again(organizationId, event.id, busyDelay))
      )
    })

    /** Runs the job of an event after a slot was taken. */
    const runWithin = Effect.fnUntraced(function* (queuedEvent: events.EventRow, organizationId: Id<"org">) {
      const { connector_target_id: targetId, id: syncEventId } = queuedEvent
      const paused = yield* events.pausedMillis(sql, organizationId, targetId)
      if (paused > 0) {
        yield* jobs.again(organizationId, syncEventId, Duration.millis(paused))
        return
      }
      const holder = `${syncEventId}/${makeId("req")}`
      if (!(yield* events.lease(sql, organizationId, targetId, holder, lockSeconds))) {
        yield* jobs.again(organizationId, syncEventId, busyDelay)
        return
      }
      const later: Array<Effect.Effect<void>> = []
      yield* attempt(queuedEvent, organizationId, holder, later).pipe(
        Effect.ensuring(Effect.ignore(events.release(sql, organizationId, targetId, holder)))
      )
      yield* Effect.all(later, { discard: true })
    })

    /**
     * Runs a job. If a limit is full, the branch is busy, or the host does not respond, the job is queued again for
     * later. Only actual runs count as attempts.
     */
    const runNext = Effect.fn("connectors.sync")(function* (job: SyncJob) {
      const { organizationId, syncEventId } = job
      const queuedEvent = yield* events.getEvent(sql, organizationId, syncEventId)
      if (queuedEvent === undefined || (queuedEvent.status !== "queued" && queuedEvent.status !== "running")) return
      const instance = yield* repo.findInstance(sql, organizationId, queuedEvent.connector_instance_id)
      const runJob = runWithin(queuedEvent, organizationId)
      if (instance === undefined) return yield* runJob
      yield* lanes.tryWithin(laneOf(organizationId, instance), runJob, (fullLimit) =>
        Effect.flatMap(postponedDelay(fullLimit), (delay) => jobs.again(organizationId, syncEventId, delay))
      )
    })

    /**
     * Queues a sync in the current transaction. If one is already waiting for the same purpose, returns that one. A
     * manual request replaces a waiting rollback, and a request for a revision replaces a waiting sync of the head.
     */
    const queue = Effect.fnUntraced(function* (
      instance: Pick<repo.InstanceRow, "id" | "organization_id" | "last_sync_cursor">,
      targetId: Id<"ctg">,
      trigger: SyncEvent["trigger"],
      how: { readonly mode?: events.EventRow["mode"]; readonly revision?: string } = {}
    ) {
      const organizationId = instance.organization_id
      const mode = how.mode ?? "head"
      const isByHand = byHand.has(trigger)
      if (how.revision !== undefined) {
        yield* events.supersede(sql, organizationId, targetId, "Superseded by a later request.")
      } else if (isByHand) {
        yield* events.supersedeRollback(sql, organizationId, targetId, "Superseded by a later request.")
      }
      const event = yield* events.putQueued(sql, organizationId, {
        id: makeId("cse"),
        instanceId: instance.id,
        targetId,
        trigger,
        mode,
        revision: how.revision ?? null,
        isByHand
      })
      if (event === undefined) return yield* Effect.die(new Error("A sync event that was just written was not found."))
      yield* jobs.offer(organizationId, event.id)
      return event
    })

    /** Queues a held sync again for the revision it was held at. It replaces a waiting sync of the same branch. */
    const approve = Effect.fnUntraced(function* (organizationId: Id<"org">, held: events.EventRow) {
      yield* events.supersede(sql, organizationId, held.connector_target_id, "Superseded by an approved sync.")
      const event = yield* events.requeue(sql, organizationId, held.id)
      if (event !== undefined) yield* jobs.again(organizationId, held.id)
      return event
    })

    /** Takes jobs forever, a few at a time. Each branch is processed by one worker at a time. */
    const worker = Effect.gen(function* () {
      const loop = jobs.take(runNext).pipe(
        Effect.tapCause((cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logWarning("A sync failed.", cause)
        ),
        Effect.exit,
        Effect.forever
      )
      const loops = Array.from({ length: workers }, () => loop)
      yield* Effect.all([jobs.wakeOnNotice, ...loops], { concurrency: "unbounded", discard: true })
    })

    return { queue, approve, work: runNext, worker } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const countsOf = (snapshot: Snapshot, planned: Plan): SyncCounts => {
  const of = (kind: FileChange["kind"]) => planned.changes.filter((change) => change.kind === kind).length
  return {
    filesScanned: snapshot.entries.length,
    objectsCreated: of("added"),
    objectsUpdated: of("changed"),
    objectsDeleted: 0,
    objectsUnchanged: of("unchanged") + of("moved") + planned.frozen.length,
    pluginsCreated: planned.added.length,
    filesAdded: 0,
    filesChanged: 0,
    filesRemoved: 0
  }
}

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
