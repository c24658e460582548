import type { SyncCounts, SyncEvent } from "@orgplane/schema/connectors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { contentDigest } from "../config-objects/content-digest.ts"
import { nameParts } from "../config-objects/file-name.ts"
import { atPointer, readJson } from "../config-objects/parse-json.ts"
import { parseContent } from "../config-objects/parse.ts"
import * as objects from "../config-objects/repo.ts"
import { makeId } from "../ids.ts"
import { attemptsMax, lockSeconds, type SyncJob, SyncJobs } from "../jobs/index.ts"
import { Mutate } from "../mutate/index.ts"
import * as marketplaces from "../marketplaces/repo.ts"
import * as plugins from "../plugins/repo.ts"
import { CodeHost, CodeHostFailed, type Snapshot } from "../ports/code-host.ts"
import { SqlDatabase } from "../sql/client.ts"
import { fencedTransaction } from "../sql/fence.ts"
import { manifestPathsOf } from "./discovery/assemble.ts"
import type { Discovery, PlannedCandidate } from "./discovery/candidate.ts"
import { marketplacePath } from "./discovery/from-marketplace.ts"
import { showPath } from "./discovery/paths.ts"
import { treeOf } from "./discovery/tree.ts"
import { makeWarnings, type Warnings } from "./discovery/warnings.ts"
import * as discoveries from "./discovery-repo.ts"
import { DiscoveryService, readSnapshot } from "./discovery-service.ts"
import { manifestOf } from "./manifest.ts"
import {
  compareFiles,
  type FileChange,
  type ImportedFile,
  importedFiles,
  type ImportedMapping,
  needsReview,
  planMappings,
  pointerOf
} from "./plan.ts"
import * as repo from "./repo.ts"
import { openRepository } from "./repository.ts"
import * as staging from "./staging-repo.ts"
import * as events from "./sync-repo.ts"

const textBytesMax = 1_048_576
/** Contents held at once while they are read and staged. */
const batchBytesMax = 16 * 1_048_576
const batchFilesMax = 500
const warningsMax = 200
/** Files parsed before others have their turn. */
const filesPerTurn = 50

/** Failures that the next attempt would meet again: the instance says so, and waits for somebody to change something. */
const lasting: ReadonlySet<CodeHostFailed["code"]> = new Set([
  "unauthorized",
  "branch_not_found",
  "empty_repository",
  "not_a_repository",
  "blocked",
  "limit_exceeded"
])

/** How long a run waits for the branch to be free. */
const busyDelay = Duration.seconds(1)
const retryDelayMax = Duration.hours(1)
/** Before the next attempt: twice as long each time, and never sooner than the host asks. */
const retryDelay = (attempt: number, retryAfterMillis = 0) =>
  Duration.min(Duration.max(Duration.seconds(2 ** (attempt - 1)), Duration.millis(retryAfterMillis)), retryDelayMax)

/** The repository or its instance changed while a sync was reading: what was read is not published. */
class SyncOvertaken extends Data.TaggedError("SyncOvertaken")<{ readonly message: string }> {}
/** The branch is another run's by now: this one has nothing more to say about it. */
class LeaseLost extends Data.TaggedError("LeaseLost") {}

interface Run {
  readonly organizationId: Id<"org">
  readonly instance: repo.InstanceRow
  readonly target: repo.TargetRow
  readonly event: events.EventRow
  /** What the branch is leased to: this run and no other, also not another run of the same event. */
  readonly holder: string
}

interface Failure {
  readonly code: string
  readonly message: string
}

interface NewPlugin {
  readonly plugin: plugins.SourcedPlugin
  readonly candidate: PlannedCandidate
}

interface Plan {
  /** What was compared with: a publication finds it unchanged. */
  readonly basis: string
  readonly known: ReadonlyMap<string, Id<"plg">>
  readonly renamed: ReadonlyArray<{ readonly id: Id<"plg">; readonly key: string }>
  readonly added: ReadonlyArray<NewPlugin>
  readonly imported: ReadonlyArray<PlannedCandidate>
  readonly gone: ReadonlyArray<Id<"plg">>
  readonly newMappings: ReadonlyArray<repo.NewMapping>
  readonly removedMappings: ReadonlyArray<repo.MappingRow>
  readonly changes: ReadonlyArray<FileChange>
  readonly removals: ReadonlyArray<events.BindingRow>
  readonly bindingCount: number
}

/**
 * Makes what an organization has of a branch equal to the branch's head. Everything is read and staged first; then one
 * transaction publishes it. A run that is repeated after a crash begins anew and ends the same.
 */
export class SyncService extends Context.Service<SyncService>()("@orgplane/server/connectors/SyncService", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const fenced = yield* fencedTransaction
    const codeHost = yield* CodeHost
    const discovery = yield* DiscoveryService
    const jobs = yield* SyncJobs
    const { mutate } = yield* Mutate
    const open = yield* openRepository

    /** What an organization has of a branch besides content, in one text. */
    const basisOf = (
      instance: repo.InstanceRow,
      rows: ReadonlyArray<events.TargetPluginRow>,
      mappings: ReadonlyArray<repo.MappingRow>
    ) =>
      JSON.stringify([
        instance.remote_id,
        instance.last_sync_cursor,
        instance.auto_import_new_plugins,
        rows.map((row) => [row.id, row.candidate_key]),
        mappings.map((row) => row.id)
      ])

    /** Runs statements in a transaction in which the branch is this run's; otherwise they are another's to make. */
    const holding = <A, E, R>(run: Run, effect: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        // Everything that locks both locks the instance first, so that no two wait for each other.
        yield* repo.lockInstance(sql, run.organizationId, run.instance.id)
        if (!(yield* events.holds(sql, run.organizationId, run.target.id, run.holder))) {
          return yield* new LeaseLost()
        }
        return yield* effect
      })

    /** Which plugins, mappings and files differ at this commit. */
    const plan = Effect.fnUntraced(function* (run: Run, snapshot: Snapshot, found: Discovery) {
      const { instance, organizationId, target } = run
      const rows = yield* events.targetPlugins(sql, organizationId, target.id)
      const byKey = new Map(rows.map((row) => [row.candidate_key, row.id]))
      const keys = new Set(found.candidates.map((candidate) => candidate.key))
      const renamed: Array<{ id: Id<"plg">; key: string }> = []
      for (const candidate of found.candidates) {
        const previous = byKey.has(candidate.key)
          ? undefined
          : candidate.previousKeys.find((key) => byKey.has(key) && !keys.has(key))
        const id = previous === undefined ? undefined : byKey.get(previous)
        if (previous === undefined || id === undefined) continue
        byKey.delete(previous)
        byKey.set(candidate.key, id)
        renamed.push({ id, key: candidate.key })
      }
      const isKept = unreadableHere(snapshot, found)
      const added =
        instance.auto_import_new_plugins && !isKept(marketplaceKey)
          ? found.candidates
              .filter((candidate) => candidate.supported && candidate.selectedByDefault && !byKey.has(candidate.key))
              .map((candidate): NewPlugin => {
                const id = makeId("plg")
                byKey.set(candidate.key, id)
                return { candidate, plugin: sourced(run, candidate, id, snapshot.revision) }
              })
          : []
      const imported = found.candidates.filter((candidate) => byKey.has(candidate.key))
      const listed = new Set(found.candidates.map((candidate) => byKey.get(candidate.key)))
      const gone = found.tree.truncated ? [] : rows.filter((row) => !listed.has(row.id) && !isKept(row.candidate_key))
      const mappings = yield* repo.allMappings(sql, organizationId, target.id)
      const renamedIds = new Map(renamed.map((row) => [row.id, row.key]))
      const known = mappings.map((row) =>
        row.plugin_id !== null && renamedIds.has(row.plugin_id)
          ? { ...row, config_json: { ...row.config_json, candidateKey: renamedIds.get(row.plugin_id) ?? null } }
          : row
      )
      const planned = planMappings(imported, known, (key) => found.tree.truncated || isKept(key))
      const newMappings = planned.added.flatMap((mapping) => {
        const pluginId = byKey.get(mapping.candidateKey)
        return pluginId === undefined ? [] : [newMapping(run, mapping, pluginId)]
      })
      const removedIds = new Set(planned.removed.map((row) => row.id))
      const live = [
        ...mappings.filter((row) => !removedIds.has(row.id)).map((row) => ({ ...row, pointer: pointerOf(row) })),
        ...newMappings.map((row) => ({
          id: row.id,
          plugin_id: row.pluginId,
          selector: row.selector,
          object_type: row.objectType,
          pointer: row.config.pointer
        }))
      ]
      const bindings = yield* events.bindings(sql, organizationId, target.id)
      const owners = new Map<string, string>(mappings.map((row) => [row.id, row.plugin_id ?? row.id]))
      const { changes, gone: removals } = compareFiles(
        importedFiles(live, snapshot.entries),
        bindings,
        (id) => owners.get(id) ?? id,
        // A listing that was cut says nothing about what is missing from it.
        found.tree.truncated
      )
      return {
        basis: basisOf(instance, rows, mappings),
        known: byKey,
        renamed,
        added,
        imported,
        gone: gone.map((row) => row.id),
        newMappings,
        removedMappings: planned.removed,
        changes,
        removals,
        bindingCount: bindings.length
      } satisfies Plan
    })

    /** Reads new and changed files in bounded batches and stages what they become. */
    const stageContent = Effect.fnUntraced(function* (
      run: Run,
      snapshot: Snapshot,
      changes: ReadonlyArray<FileChange>,
      tell: (staged: number) => Effect.Effect<void>
    ) {
      const { event, organizationId } = run
      const warnings = makeWarnings(warningsMax)
      const skipped = new Set<FileChange>()
      const objectIds = new Map<FileChange, Id<"cob">>()
      const textAt = makeReader()
      yield* fenced(organizationId, holding(run, staging.clear(sql, organizationId, event.id)))
      const same = new Set<FileChange>()
      const digests = new Map(
        yield* events.digests(
          sql,
          organizationId,
          changes.flatMap((change) =>
            change.kind === "changed" && change.file.pointer !== null ? [change.objectId] : []
          )
        )
      )
      const wanted = changes.filter((change) => change.kind === "added" || change.kind === "changed")
      let done = 0
      for (const batch of batches(wanted)) {
        const contents = yield* snapshot.read([...new Set(batch.map(({ file }) => file.sha))])
        const staged: Array<staging.StagedVersion> = []
        for (const change of batch) {
          const { file } = change
          const text = textAt(file, contents.get(file.sha))
          if (typeof text === "string") {
            const objectId = change.kind === "changed" ? change.objectId : makeId("cob")
            const version = stagedVersion(change, objectId, text, warnings)
            // Another part of the manifest changed, not this one.
            if (digests.get(objectId) === version.digest) same.add(change)
            else {
              objectIds.set(change, objectId)
              staged.push(version)
            }
          } else {
            warnings.add(`${showPath(file.path)} ${text.problem} and is not imported.`)
            skipped.add(change)
          }
          if (staged.length % filesPerTurn === 0) yield* Effect.yieldNow
        }
        yield* fenced(organizationId, holding(run, staging.stage(sql, organizationId, event.id, staged)))
        done += batch.length
        yield* tell(done)
      }
      return { objectIds, same, skipped, warnings, count: objectIds.size }
    })

    /** Publishes a plan and what was staged for it. */
    const publish = (
      run: Run,
      snapshot: Snapshot,
      planned: Plan,
      staged: Effect.Success<ReturnType<typeof stageContent>>,
      outcome: { readonly counts: SyncCounts; readonly warnings: ReadonlyArray<string> }
    ) =>
      mutate(
        { kind: "system", organizationId: run.organizationId },
        "connector.synced",
        Effect.gen(function* () {
          const { event, organizationId, target } = run
          const instance = yield* repo.lockInstance(sql, organizationId, run.instance.id)
          if (instance === undefined || instance.status === "disabled" || instance.status === "archived") {
            return yield* new SyncOvertaken({ message: "The connector instance was stopped meanwhile." })
          }
          const [rows, mappings] = [
            yield* events.targetPlugins(sql, organizationId, target.id),
            yield* repo.allMappings(sql, organizationId, target.id)
          ]
          if (basisOf(instance, rows, mappings) !== planned.basis) {
            return yield* new SyncOvertaken({ message: "The connector instance was changed meanwhile." })
          }
          yield* Effect.forEach(
            planned.renamed,
            ({ id, key }) => events.renameCandidate(sql, organizationId, id, key),
            {
              discard: true
            }
          )
          yield* plugins.putSourced(
            sql,
            organizationId,
            planned.imported.flatMap((candidate) => {
              const id = planned.known.get(candidate.key)
              return id === undefined || !candidate.supported ? [] : [sourced(run, candidate, id, snapshot.revision)]
            }),
            null
          )
          if (planned.added.length > 0) {
            const marketplaceId = yield* repo.marketplaceOf(sql, organizationId, target.id)
            if (marketplaceId !== undefined) {
              const memberships = planned.added.map(({ plugin }) => ({ id: makeId("mkp"), pluginId: plugin.id }))
              yield* marketplaces.addPlugins(sql, organizationId, marketplaceId, memberships, null)
            }
          }
          yield* repo.createMappings(sql, organizationId, planned.newMappings)
          const published = yield* staging.publish(sql, organizationId, event.id, run.instance.id, snapshot.revision)
          if (published !== staged.count) {
            return yield* Effect.die(new Error(`A sync staged ${staged.count} versions and found ${published}.`))
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
                      ...nameParts(baseName(change.file.path))
                    }
                  ]
                : []
            )
          )
          const bound = planned.changes.flatMap((change) => {
            if (staged.skipped.has(change) && change.kind === "added") return []
            const objectId = change.kind === "added" ? staged.objectIds.get(change) : change.objectId
            return objectId === undefined ? [] : [{ change, objectId }]
          })
          yield* objects.addMemberships(
            sql,
            organizationId,
            bound.flatMap(({ change, objectId }) =>
              change.kind === "unchanged" || change.file.pluginId === null
                ? []
                : [{ id: makeId("pco"), pluginId: change.file.pluginId, objectId, mappingId: change.file.mappingId }]
            ),
            null
          )
          // A listing that was cut keeps the bindings it did not see.
          const unseen = snapshot.truncated ? yield* unseenBindings(run, planned) : []
          yield* events.replaceBindings(sql, organizationId, target.id, [
            ...unseen,
            ...bound.map(({ change: { file }, objectId }) => ({
              connector_mapping_id: file.mappingId,
              path: file.path,
              pointer: file.pointer ?? "",
              object_type: file.objectType,
              config_object_id: objectId,
              // Also where the new content could not be read: it is looked at again when somebody changes it.
              blob_sha: file.sha
            }))
          ])
          yield* events.remapMemberships(sql, organizationId, target.id)
          const kept = new Set(bound.map(({ objectId }) => objectId))
          const deletions = [...new Set(planned.removals.map((row) => row.config_object_id))]
            .filter((id) => !kept.has(id))
            .map((objectId) => ({ objectId, versionId: makeId("cov") }))
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
          yield* events.deleteEmptyPlugins(sql, organizationId, planned.gone)
          yield* repo.setSynced(sql, organizationId, run.instance.id, snapshot.revision)
          yield* events.end(sql, organizationId, event.id, {
            status: staged.skipped.size > 0 ? "partial" : "completed",
            revision: snapshot.revision,
            counts: { ...outcome.counts, objectsDeleted: deletions.length },
            warnings: outcome.warnings,
            error: null
          })
          return deletions.length
        }).pipe((publication) => holding(run, publication)),
        (deleted) => ({
          target: run.instance.id,
          after: { syncEventId: run.event.id, revision: snapshot.revision, ...outcome.counts, objectsDeleted: deleted }
        })
      )

    const unseenBindings = Effect.fnUntraced(function* (run: Run, planned: Plan) {
      const rows = yield* events.bindings(sql, run.organizationId, run.target.id)
      const seen = new Set(planned.changes.flatMap((change) => (change.kind === "added" ? [] : [change.objectId])))
      return rows.filter((row) => !seen.has(row.config_object_id))
    })

    /** Ends a run that imports nothing, if the branch is still this run's. */
    const endHeld = (run: Run, outcome: Parameters<typeof events.end>[3]) =>
      mutate(
        { kind: "system", organizationId: run.organizationId },
        "connector.syncHeld",
        Effect.asVoid(holding(run, events.end(sql, run.organizationId, run.event.id, outcome))),
        () => ({
          target: run.instance.id,
          after: { syncEventId: run.event.id, status: outcome.status, revision: outcome.revision }
        })
      )

    /** One run, from the branch's head to the published event. */
    const synchronise = Effect.fnUntraced(function* (run: Run) {
      const { event, instance, organizationId, target } = run
      const snapshot = yield* codeHost.snapshot(yield* open(instance), target.branch)
      const kept = yield* discoveries.find(sql, organizationId, target.id, snapshot.revision)
      const found = kept ?? (yield* readSnapshot(snapshot, instance.repository_full_name))
      if (kept === undefined) yield* discovery.keep(organizationId, target.id, snapshot, found)
      const isApproved = event.approved_revision === snapshot.revision
      if (
        !isApproved &&
        instance.last_sync_cursor !== snapshot.revision &&
        (yield* events.isRejected(sql, event, organizationId, snapshot.revision))
      ) {
        return yield* endHeld(run, {
          status: "ignored",
          revision: snapshot.revision,
          counts: events.noCounts,
          warnings: ["This revision was rejected; nothing is imported until the branch moves."],
          error: null
        })
      }
      const planned = yield* plan(run, snapshot, found)
      const base = countsOf(snapshot, planned)
      if (!isApproved && needsReview(planned.removals.length, planned.bindingCount)) {
        return yield* endHeld(run, {
          status: "review_required",
          revision: snapshot.revision,
          counts: { ...events.noCounts, filesScanned: base.filesScanned, objectsDeleted: planned.removals.length },
          warnings: [
            `${planned.removals.length} of ${planned.bindingCount} objects would be removed; approve it or change the repository.`
          ],
          error: null
        })
      }
      const staged = yield* stageContent(run, snapshot, planned.changes, (done) =>
        events
          .progress(sql, organizationId, event.id, {
            ...base,
            objectsCreated: Math.min(base.objectsCreated, done),
            objectsUpdated: Math.max(0, done - base.objectsCreated),
            objectsDeleted: 0
          })
          .pipe(Effect.orDie)
      )
      if (yield* objects.isOverQuota(sql, organizationId, 0)) {
        return yield* new CodeHostFailed({
          code: "limit_exceeded",
          message: "A workspace that nobody has claimed stores 50 MB at most."
        })
      }
      const skippedNew = [...staged.skipped].filter((change) => change.kind === "added").length
      const counts = {
        ...base,
        objectsCreated: base.objectsCreated - skippedNew,
        objectsUpdated: base.objectsUpdated - (staged.skipped.size - skippedNew) - staged.same.size,
        objectsUnchanged: base.objectsUnchanged + staged.same.size
      }
      for (const warning of found.warnings) staged.warnings.add(warning)
      const warnings = staged.warnings.list()
      yield* publish(run, snapshot, planned, staged, { counts, warnings })
    }, Effect.scoped)

    /** Renews the lease as long as a run goes on, however long the host takes; ends the run when it is lost. */
    const keepLease = (run: Run) =>
      Effect.sleep(Duration.seconds(lockSeconds / 3)).pipe(
        Effect.andThen(events.lease(sql, run.organizationId, run.target.id, run.holder, lockSeconds)),
        Effect.filterOrFail(
          (isOurs) => isOurs,
          () => new LeaseLost()
        ),
        // A statement that failed is tried again at the next turn; by then another worker may have the branch.
        Effect.catchTag("SqlError", () => Effect.void),
        Effect.forever
      )

    /** Ends an event that publishes nothing, with whatever it had staged. */
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

    /** Gives up: the event says why, and so does the instance. */
    const giveUp = (run: Run, error: Failure) => {
      const { event, instance, organizationId } = run
      return mutate(
        { kind: "system", organizationId },
        "connector.sync_failed",
        Effect.andThen(
          endWithout(organizationId, event.id, "failed", error),
          repo.setFailed(sql, organizationId, instance.id, error.message)
        ).pipe((end) => holding(run, end)),
        () => ({ target: instance.id, after: { syncEventId: event.id, code: error.code } })
      )
    }

    /** After a failure that may pass: again later, while there are attempts left. */
    const failed = (run: Run, error: Failure, retryAfterMillis?: number) =>
      run.event.attempt >= attemptsMax
        ? giveUp(run, error)
        : Effect.andThen(
            events.noteFailure(sql, run.organizationId, run.event.id, error),
            jobs.again(run.organizationId, run.event.id, retryDelay(run.event.attempt, retryAfterMillis))
          ).pipe((note) => fenced(run.organizationId, note))

    /** One run of an event on a branch that is leased to it. */
    const attempt = Effect.fnUntraced(function* (waiting: events.EventRow, organizationId: Id<"org">, holder: string) {
      const instance = yield* repo.findInstance(sql, organizationId, waiting.connector_instance_id)
      const target = instance === undefined ? undefined : yield* repo.firstTarget(sql, organizationId, instance.id)
      if (
        instance === undefined ||
        target === undefined ||
        instance.status === "disabled" ||
        instance.status === "archived"
      ) {
        yield* fenced(organizationId, endWithout(organizationId, waiting.id, "ignored", null))
        return
      }
      const event = yield* events.start(sql, organizationId, waiting.id)
      if (event === undefined) return
      const run: Run = { organizationId, instance, target, event, holder }
      if (event.attempt > attemptsMax) {
        yield* giveUp(run, { code: "interrupted", message: "The sync was broken off too often." }).pipe(Effect.orDie)
        return
      }
      yield* Effect.raceFirst(synchronise(run), keepLease(run)).pipe(
        Effect.catchTags({
          CodeHostFailed: ({ code, message, retryAfterMillis }) =>
            lasting.has(code) ? giveUp(run, { code, message }) : failed(run, { code, message }, retryAfterMillis),
          SyncOvertaken: ({ message }) => failed(run, { code: "overtaken", message })
        }),
        Effect.tapCause((cause) =>
          Cause.hasInterruptsOnly(cause) || event.attempt < attemptsMax
            ? Effect.void
            : giveUp(run, { code: "internal_error", message: "The sync failed on our side." })
        ),
        Effect.onInterrupt(() => Effect.ignore(events.giveBack(sql, organizationId, event.id))),
        Effect.catchTag("LeaseLost", () => jobs.again(organizationId, event.id, busyDelay))
      )
    })

    /** Does a job; when the branch is another's, or the host does not answer, it is queued again for later. */
    const work = Effect.fn("connectors.sync")(function* (job: SyncJob) {
      const { organizationId, syncEventId } = job
      const waiting = yield* events.getEvent(sql, organizationId, syncEventId)
      if (waiting === undefined || (waiting.status !== "queued" && waiting.status !== "running")) return
      const targetId = waiting.connector_target_id
      const holder = `${syncEventId}/${makeId("req")}`
      if (!(yield* events.lease(sql, organizationId, targetId, holder, lockSeconds))) {
        yield* jobs.again(organizationId, syncEventId, busyDelay)
        return
      }
      yield* attempt(waiting, organizationId, holder).pipe(
        Effect.ensuring(Effect.ignore(events.release(sql, organizationId, targetId, holder)))
      )
    })

    /** Queues a sync in the transaction it is called in; the one that waits already is answered again. */
    const queue = Effect.fnUntraced(function* (
      instance: repo.InstanceRow,
      targetId: Id<"ctg">,
      trigger: SyncEvent["trigger"]
    ) {
      const event = yield* events.putQueued(sql, instance.organization_id, {
        id: makeId("cse"),
        instanceId: instance.id,
        targetId,
        trigger,
        baseRevision: instance.last_sync_cursor
      })
      if (event === undefined) return yield* Effect.die(new Error("A sync event that was just written is not there."))
      yield* jobs.offer(instance.organization_id, event.id)
      return event
    })

    /** Queues a held sync again for the revision it was held at, in place of one that waits for the same head. */
    const approve = Effect.fnUntraced(function* (organizationId: Id<"org">, held: events.EventRow) {
      yield* events.supersede(sql, organizationId, held.connector_target_id, "A sync that was approved took its place.")
      const event = yield* events.requeue(sql, organizationId, held.id)
      if (event !== undefined) yield* jobs.again(organizationId, held.id)
      return event
    })

    /** Takes jobs for ever, a few at a time; each branch is worked on by one of them. */
    const worker = Effect.gen(function* () {
      const loop = jobs.take(work).pipe(
        Effect.tapCause((cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logWarning("A sync did not succeed.", cause)
        ),
        Effect.exit,
        Effect.forever
      )
      yield* Effect.all([jobs.wakeOnNotice, loop, loop], { concurrency: "unbounded", discard: true })
    })

    return { queue, approve, work, worker } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1)

const sourced = (run: Run, candidate: PlannedCandidate, id: Id<"plg">, revision: string): plugins.SourcedPlugin => ({
  id,
  name: candidate.displayName,
  description: candidate.description ?? "",
  manifest: manifestOf(candidate, run.instance.repository_full_name, revision),
  targetId: run.target.id,
  candidateKey: candidate.key
})

const newMapping = (run: Run, mapping: ImportedMapping, pluginId: Id<"plg">): repo.NewMapping => ({
  id: makeId("cmp"),
  instanceId: run.instance.id,
  targetId: run.target.id,
  selector: mapping.selector,
  objectType: mapping.objectType,
  pluginId,
  config: { candidateKey: mapping.candidateKey, pointer: mapping.pointer, component: mapping.component }
})

const countsOf = (snapshot: Snapshot, planned: Plan): SyncCounts => {
  const of = (kind: FileChange["kind"]) => planned.changes.filter((change) => change.kind === kind).length
  return {
    filesScanned: snapshot.entries.length,
    objectsCreated: of("added"),
    objectsUpdated: of("changed"),
    objectsDeleted: 0,
    objectsUnchanged: of("unchanged") + of("moved"),
    pluginsCreated: planned.added.length
  }
}

/** Files in groups that fit in memory together. */
const batches = (changes: ReadonlyArray<FileChange>): ReadonlyArray<ReadonlyArray<FileChange>> => {
  const groups: Array<Array<FileChange>> = []
  let bytes = 0
  for (const change of changes) {
    const last = groups.at(-1)
    bytes += change.file.size
    if (last === undefined || last.length === batchFilesMax || bytes > batchBytesMax) {
      groups.push([change])
      bytes = change.file.size
    } else last.push(change)
  }
  return groups
}

/**
 * Makes the function that turns a file's bytes into an object's text: the whole file, or what stands at its pointer, so
 * that whoever sees one component of a manifest does not see the others. A manifest is parsed once for all that it holds.
 */
const makeReader = () => {
  // A byte order mark is part of the file: what is given out is what was read.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let parsed: { readonly sha: string; readonly read: ReturnType<typeof readJson> } | undefined
  return (file: ImportedFile, content: Uint8Array | undefined): string | { readonly problem: string } => {
    if (content === undefined || content.length > textBytesMax) return { problem: "is larger than 1 MiB" }
    let text: string
    try {
      text = decoder.decode(content)
    } catch {
      return { problem: "is not text" }
    }
    if (text.includes("\u0000")) return { problem: "is not text" }
    if (file.pointer === null) return text
    if (parsed?.sha !== file.sha) parsed = { sha: file.sha, read: readJson(text) }
    if (!parsed.read.ok) return { problem: parsed.read.reason }
    const value = atPointer(parsed.read.value, file.pointer)
    return value === undefined ? { problem: "does not hold the component" } : JSON.stringify(value, null, 2)
  }
}

const marketplaceKey = "marketplace:"

/**
 * Which plugins cannot be read at a commit although what declares them is there, by key: a manifest that somebody broke
 * says nothing about what should go.
 */
const unreadableHere = (snapshot: Snapshot, found: Discovery) => {
  const tree = treeOf(snapshot.entries)
  return (key: string): boolean => {
    if (found.marketplace !== null) return false
    if (key.startsWith(marketplaceKey)) return tree.file(marketplacePath) !== undefined
    return (
      !found.candidates.some((candidate) => candidate.key === key) &&
      manifestPathsOf(key === "." ? "" : key).some((path) => tree.file(path) !== undefined)
    )
  }
}

const stagedVersion = (
  change: FileChange,
  objectId: Id<"cob">,
  text: string,
  warnings: Warnings
): staging.StagedVersion => {
  const { file } = change
  // The text of a component that was written into a manifest is the component, and JSON whatever the manifest is called.
  const pointer = file.pointer === null ? null : ""
  const parsed = parseContent({ objectType: file.objectType, fileName: file.path, text, pointer })
  for (const warning of parsed.warnings) warnings.add(`${showPath(file.path)}: ${warning}`)
  return {
    objectId,
    versionId: makeId("cov"),
    objectType: file.objectType,
    title: parsed.title,
    description: parsed.description,
    searchText: parsed.searchText,
    ...nameParts(baseName(file.path)),
    relativePath: file.path,
    schemaVersion: parsed.schemaVersion,
    payload: parsed.normalizedPayloadJson,
    text,
    digest: contentDigest(parsed.normalizedPayloadJson, text)
  }
}
