import type { SyncCounts, SyncEvent } from "@orgplane/schema/connectors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { contentDigest } from "../config-objects/content-digest.ts"
import { nameParts } from "../config-objects/file-name.ts"
import { parseContent } from "../config-objects/parse.ts"
import * as objects from "../config-objects/repo.ts"
import { makeId } from "../ids.ts"
import { attemptsMax, lockSeconds, type SyncJob, SyncJobs } from "../jobs/index.ts"
import { Mutate } from "../mutate/index.ts"
import * as marketplaces from "../marketplaces/repo.ts"
import * as plugins from "../plugins/repo.ts"
import { CodeHost, type CodeHostFailed, type Snapshot } from "../ports/code-host.ts"
import { SqlDatabase } from "../sql/client.ts"
import type { Discovery, PlannedCandidate } from "./discovery/candidate.ts"
import * as discoveries from "./discovery-repo.ts"
import { DiscoveryService, readSnapshot } from "./discovery-service.ts"
import { manifestOf } from "./manifest.ts"
import {
  compareFiles,
  type FileChange,
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

/** Failures that the next attempt would meet again: the instance says so, and waits for somebody to change something. */
const isLasting = (code: CodeHostFailed["code"]) =>
  code === "unauthorized" || code === "branch_not_found" || code === "not_a_repository" || code === "blocked"

/** The repository or its instance changed while a sync was reading: what was read is not published. */
class SyncOvertaken extends Data.TaggedError("SyncOvertaken")<{ readonly message: string }> {}
/** Another worker has the branch. */
class SyncBusy extends Data.TaggedError("SyncBusy")<{ readonly message: string }> {}

interface Run {
  readonly organizationId: Id<"org">
  readonly instance: repo.InstanceRow
  readonly target: repo.TargetRow
  readonly event: events.EventRow
}

interface NewPlugin {
  readonly plugin: plugins.SourcedPlugin
  readonly candidate: PlannedCandidate
}

interface Plan {
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
    const codeHost = yield* CodeHost
    const discovery = yield* DiscoveryService
    const jobs = yield* SyncJobs
    const { mutate } = yield* Mutate
    const open = yield* openRepository

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
      const added = instance.auto_import_new_plugins
        ? found.candidates
            .filter((candidate) => candidate.supported && candidate.selectedByDefault && !byKey.has(candidate.key))
            .map((candidate): NewPlugin => {
              const id = makeId("plg")
              byKey.set(candidate.key, id)
              return { candidate, plugin: sourced(run, candidate, id, snapshot.revision) }
            })
        : []
      const imported = found.candidates.filter((candidate) => byKey.has(candidate.key))
      const gone = found.tree.truncated ? [] : rows.filter((row) => ![...keys].some((key) => byKey.get(key) === row.id))
      const mappings = yield* repo.allMappings(sql, organizationId, target.id)
      const renamedIds = new Map(renamed.map((row) => [row.id, row.key]))
      const known = mappings.map((row) =>
        row.plugin_id !== null && renamedIds.has(row.plugin_id)
          ? { ...row, config_json: { ...row.config_json, candidateKey: renamedIds.get(row.plugin_id) ?? null } }
          : row
      )
      const planned = planMappings(imported, known, found.tree.truncated)
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
        (id) => owners.get(id) ?? id
      )
      return {
        known: byKey,
        renamed,
        added,
        imported,
        gone: gone.map((row) => row.id),
        newMappings,
        removedMappings: planned.removed,
        changes,
        // A listing that was cut says nothing about what is missing from it.
        removals: found.tree.truncated ? [] : removals,
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
      const warnings: Array<string> = []
      const skipped = new Set<FileChange>()
      const objectIds = new Map<FileChange, Id<"cob">>()
      const decoder = new TextDecoder("utf-8", { fatal: true })
      yield* staging.clear(sql, organizationId, event.id)
      const wanted = changes.filter((change) => change.kind === "added" || change.kind === "changed")
      let done = 0
      for (const batch of batches(wanted)) {
        const contents = yield* snapshot.read([...new Set(batch.map(({ file }) => file.sha))])
        const staged = batch.flatMap((change): ReadonlyArray<staging.StagedVersion> => {
          const { file } = change
          const text = textOf(contents.get(file.sha), decoder)
          if (typeof text !== "string") {
            warnings.push(`${file.path} is ${text.problem} and is not imported.`)
            skipped.add(change)
            return []
          }
          const objectId = change.kind === "changed" ? change.objectId : makeId("cob")
          objectIds.set(change, objectId)
          return [stagedVersion(change, objectId, text, warnings)]
        })
        yield* staging.stage(sql, organizationId, event.id, staged)
        done += batch.length
        yield* tell(done)
        yield* Effect.yieldNow
      }
      return { objectIds, skipped, warnings }
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
          if (
            instance.last_sync_cursor !== run.instance.last_sync_cursor ||
            instance.remote_id !== run.instance.remote_id
          ) {
            return yield* new SyncOvertaken({ message: "Another sync was published meanwhile." })
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
            const marketplace = yield* marketplaces.ofTarget(sql, organizationId, target.id)
            if (marketplace !== undefined) {
              const memberships = planned.added.map(({ plugin }) => ({ id: makeId("mkp"), pluginId: plugin.id }))
              yield* marketplaces.addPlugins(sql, organizationId, marketplace.id, memberships, null)
            }
          }
          yield* repo.createMappings(sql, organizationId, planned.newMappings)
          yield* staging.publish(sql, organizationId, event.id, run.instance.id, snapshot.revision)
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
        }),
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

    /** One run, from the branch's head to the published event. */
    const synchronise = Effect.fnUntraced(function* (run: Run) {
      const { event, instance, organizationId, target } = run
      const snapshot = yield* codeHost.snapshot(yield* open(instance), target.branch)
      const kept = yield* discoveries.find(sql, organizationId, target.id, snapshot.revision)
      const found = kept ?? (yield* readSnapshot(snapshot, instance.repository_full_name))
      if (kept === undefined) yield* discovery.keep(organizationId, target.id, snapshot, found)
      const planned = yield* plan(run, snapshot, found)
      const base = countsOf(snapshot, planned)
      const isApproved = event.approved_revision === snapshot.revision
      if (!isApproved && needsReview(planned.removals.length, planned.bindingCount)) {
        yield* events.end(sql, organizationId, event.id, {
          status: "review_required",
          revision: snapshot.revision,
          counts: { ...events.noCounts, filesScanned: base.filesScanned, objectsDeleted: planned.removals.length },
          warnings: [
            `${planned.removals.length} of ${planned.bindingCount} objects would be removed; approve it or change the repository.`
          ],
          error: null
        })
        return
      }
      const staged = yield* stageContent(run, snapshot, planned.changes, (done) =>
        events
          .progress(sql, organizationId, event.id, {
            ...base,
            objectsCreated: Math.min(base.objectsCreated, done),
            objectsUpdated: Math.max(0, done - base.objectsCreated),
            objectsDeleted: 0
          })
          .pipe(Effect.andThen(events.lease(sql, organizationId, target.id, event.id, lockSeconds)), Effect.orDie)
      )
      const skippedNew = [...staged.skipped].filter((change) => change.kind === "added").length
      const counts = {
        ...base,
        objectsCreated: base.objectsCreated - skippedNew,
        objectsUpdated: base.objectsUpdated - (staged.skipped.size - skippedNew)
      }
      const warnings = bounded([...staged.warnings, ...found.warnings])
      yield* publish(run, snapshot, planned, staged, { counts, warnings })
    }, Effect.scoped)

    const fail = (run: Run, error: { readonly code: string; readonly message: string }, isLast: boolean) =>
      Effect.gen(function* () {
        const { event, instance, organizationId } = run
        if (!isLast) {
          yield* events.noteFailure(sql, organizationId, event.id, error)
          return
        }
        yield* staging.clear(sql, organizationId, event.id)
        const outcome = { status: "failed" as const, revision: null, counts: events.noCounts, warnings: [], error }
        yield* events.end(sql, organizationId, event.id, outcome)
        if (instance.status === "active") {
          yield* repo.setStatus(sql, organizationId, instance.id, "error", error.message)
        }
      }).pipe(Effect.orDie)

    /** Does a job once; it is done again while it fails for reasons that pass. */
    const work = Effect.fn("connectors.sync")(function* (job: SyncJob, attempt: number) {
      const { organizationId, syncEventId } = job
      const waiting = yield* events.getEvent(sql, organizationId, syncEventId)
      if (waiting === undefined || (waiting.status !== "queued" && waiting.status !== "running")) return
      const targetId = waiting.connector_target_id
      const instance = yield* repo.findInstance(sql, organizationId, waiting.connector_instance_id)
      const target = instance === undefined ? undefined : yield* repo.firstTarget(sql, organizationId, instance.id)
      if (
        instance === undefined ||
        target === undefined ||
        instance.status === "disabled" ||
        instance.status === "archived"
      ) {
        yield* events.end(sql, organizationId, syncEventId, {
          status: "ignored",
          revision: null,
          counts: events.noCounts,
          warnings: [],
          error: null
        })
        return
      }
      yield* takeTarget(organizationId, targetId, syncEventId)
      const event = yield* events.start(sql, organizationId, syncEventId)
      if (event === undefined) return
      const run: Run = { organizationId, instance, target, event }
      yield* synchronise(run).pipe(
        Effect.catchTag("CodeHostFailed", (failure) => {
          const isLast = isLasting(failure.code) || attempt >= attemptsMax
          return Effect.andThen(
            fail(run, { code: failure.code, message: failure.message }, isLast),
            isLast ? Effect.void : Effect.fail(failure)
          )
        }),
        Effect.tapCause((cause) =>
          Cause.hasInterruptsOnly(cause) || attempt < attemptsMax
            ? Effect.void
            : fail(run, { code: "internal_error", message: "The sync failed on our side." }, true)
        ),
        Effect.ensuring(Effect.ignore(events.release(sql, organizationId, targetId, syncEventId)))
      )
    })

    /** Waits for the branch as long as its worker lives, then takes it. */
    const takeTarget = (organizationId: Id<"org">, targetId: Id<"ctg">, holder: string) =>
      events.lease(sql, organizationId, targetId, holder, lockSeconds).pipe(
        Effect.flatMap((isOurs) =>
          isOurs ? Effect.void : Effect.fail(new SyncBusy({ message: "Another worker has the branch." }))
        ),
        Effect.retry(Schedule.max([Schedule.spaced("1 second"), Schedule.recurs(lockSeconds * 4)]))
      )

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

    /** Takes jobs for ever, a few at a time; each branch is worked on by one of them. */
    const worker = Effect.gen(function* () {
      const loop = jobs
        .take((job, { attempts }) => work(job, attempts))
        .pipe(
          Effect.tapCause((cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logWarning("A sync did not succeed.", cause)
          ),
          Effect.exit,
          Effect.forever
        )
      yield* Effect.all([jobs.wakeOnNotice, loop, loop], { concurrency: "unbounded", discard: true })
    })

    return { queue, work, worker } as const
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

const bounded = (warnings: ReadonlyArray<string>): ReadonlyArray<string> =>
  warnings.length <= warningsMax
    ? warnings
    : [...warnings.slice(0, warningsMax), `and ${warnings.length - warningsMax} more`]

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

const textOf = (content: Uint8Array | undefined, decoder: TextDecoder): string | { readonly problem: string } => {
  if (content === undefined || content.length > textBytesMax) return { problem: "larger than 1 MiB" }
  try {
    const text = decoder.decode(content)
    return text.includes("\u0000") ? { problem: "not text" } : text
  } catch {
    return { problem: "not text" }
  }
}

const stagedVersion = (
  change: FileChange,
  objectId: Id<"cob">,
  text: string,
  warnings: Array<string>
): staging.StagedVersion => {
  const { file } = change
  const parsed = parseContent({ objectType: file.objectType, fileName: file.path, text, pointer: file.pointer })
  for (const warning of parsed.warnings) warnings.push(`${file.path}: ${warning}`)
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
