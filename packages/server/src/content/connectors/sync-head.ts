import type { SyncCounts } from "@orgplane/schema/connectors"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Settings } from "../../infra/config/settings.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import type { Snapshot } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { inTimeSlices } from "../../infra/time-slices.ts"
import type { Discovery } from "./discovery/candidate.ts"
import { snapshotWithLinks } from "./discovery/links.ts"
import { DiscoveryService, readSnapshot } from "./discovery-service.ts"
import { type FileChange, needsReview } from "./plan.ts"
import * as pluginFiles from "./plugin-files-repo.ts"
import { planFolders } from "./plugin-folders.ts"
import * as repo from "./repo.ts"
import { remoteNotes } from "./remote-plan.ts"
import { RemotePlugins, withoutRemotes } from "./remote-plugins.ts"
import { openRepository } from "./repository.ts"
import { basisOf, planSync } from "./sync-plan.ts"
import * as events from "./sync-repo.ts"
import { makePublication } from "./sync-publish.ts"
import { endUnpublished, makeLease, type Plan, type Run } from "./sync-run.ts"
import { makeStaging } from "./sync-stage.ts"

/** Creates the function that imports the head of a branch, or the requested revision. */
export const makeHeadSync = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const fenced = yield* organizationTransaction
  const discovery = yield* DiscoveryService
  const remotePlugins = yield* RemotePlugins
  const { mutate } = yield* Mutate
  const open = yield* openRepository
  const { pluginBounds } = yield* Settings
  const { holding } = yield* makeLease
  const { stageContent, stageFolders } = yield* makeStaging
  const { publish } = yield* makePublication

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
    const planned = yield* inTimeSlices(steps)
    const folders = yield* inTimeSlices(
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
      basis: yield* inTimeSlices(basisOf(instance, target, rows, mappings)),
      changes:
        run.event.mode === "resync"
          ? planned.changes.map((change) =>
              change.kind === "unchanged" ? { ...change, kind: "changed" as const } : change
            )
          : planned.changes
    } satisfies Plan
  })

  /** Ends a run that imports nothing, while it holds the lease of the branch. */
  const endWithoutImport = (run: Run, outcome: Parameters<typeof endUnpublished>[3]) =>
    mutate(
      { kind: "system", organizationId: run.organizationId },
      "connector.syncHeld",
      Effect.asVoid(holding(run, endUnpublished(sql, run.organizationId, run.event.id, outcome))),
      () => ({
        target: run.instance.id,
        after: { syncEventId: run.event.id, status: outcome.status, revision: outcome.revision ?? null }
      })
    )

  /** The run, updated with the repository's current name. */
  const renamed = Effect.fnUntraced(function* (run: Run, { fullName }: Snapshot) {
    if (fullName === undefined || fullName === run.instance.repository_full_name) return run
    yield* fenced(run.organizationId, repo.renameRepository(sql, run.organizationId, run.instance.id, fullName))
    return { ...run, instance: { ...run.instance, repository_full_name: fullName } }
  })

  /** One run, from reading the branch's head to the published event. */
  const synchronize = Effect.fnUntraced(function* (initialRun: Run) {
    const { event, organizationId, target } = initialRun
    if (target.pinned_at !== null && (event.by_hand_at === null || event.by_hand_at < target.pinned_at)) {
      return yield* endWithoutImport(initialRun, {
        status: "ignored",
        warnings: [
          `The branch is pinned to ${target.pinned_revision} by a rollback. Start a sync manually to follow its head again.`
        ]
      })
    }
    const revision = event.wanted_revision ?? undefined
    const repository = yield* open(initialRun.instance)
    const base = yield* snapshotWithLinks(yield* repository.snapshot(target.branch, revision))
    const isBehind =
      revision !== undefined && Option.getOrUndefined(yield* Effect.option(repository.head(target.branch))) !== revision
    const run = yield* renamed(initialRun, base)
    const { instance } = run
    const session = yield* remotePlugins.session(organizationId, true)
    const storedDiscovery = yield* discovery.find(organizationId, target.id, base.revision, true)
    const discovered =
      storedDiscovery ?? (yield* readSnapshot(base, instance.repository_full_name, session, pluginBounds))
    if (storedDiscovery === undefined) {
      run.later.push(
        discovery
          .keep(organizationId, target.id, base, discovered)
          // If this fails, the next discovery reads the repository again.
          .pipe(Effect.catchCause((cause) => Effect.logWarning("Cannot store the discovery result of a sync.", cause)))
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
      return yield* endWithoutImport(run, {
        status: "ignored",
        revision: snapshot.revision,
        warnings: ["This revision was rejected. Nothing is imported until the branch has a new commit."]
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
      return yield* endWithoutImport(run, {
        status: "review_required",
        revision: snapshot.revision,
        counts: { ...events.noCounts, filesScanned: counted.filesScanned, objectsDeleted: planned.removals.length },
        warnings: [
          `${planned.removals.length} of ${planned.bindings.length} objects would be removed. Approve the sync or change the repository.`
        ]
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
    const folders = yield* stageFolders(run, snapshot, planned, staged.same, staged.stagedBytes)
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

  return synchronize
})

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
