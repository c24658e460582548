import type { SyncCounts } from "@orgplane/schema/connectors"
import * as Effect from "effect/Effect"
import { Settings } from "../../infra/config/settings.ts"
import * as objects from "../config-objects/repo.ts"
import { makeId } from "../../infra/ids.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import * as modes from "../approvals/modes-repo.ts"
import { inherit } from "../assignments/inherit-repo.ts"
import * as marketplaces from "../marketplaces/repo.ts"
import * as manifests from "../../infra/sql/plugin-manifest.ts"
import * as plugins from "../plugins/repo.ts"
import type { Snapshot } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { flatMapSteps, inTimeSlices, mapSteps } from "../../infra/time-slices.ts"
import { filesStated, isWritten, sourced } from "./manifest.ts"
import { type FolderOutcome, readingVersion } from "./plugin-folders.ts"
import { namesOf } from "./file-content.ts"
import * as publications from "./publications-repo.ts"
import * as repo from "./repo.ts"
import * as staging from "./staging-repo.ts"
import { basisOf, deletionsOf } from "./sync-plan.ts"
import * as events from "./sync-repo.ts"
import * as targets from "./targets-repo.ts"
import { makeQueue } from "./sync-queue.ts"
import { makeLease, type Plan, type Run, SyncOvertaken } from "./sync-run.ts"
import type { StagedContent } from "./sync-stage.ts"

const unseenBindings = ({ bindings, changes }: Plan) => {
  const seen = new Set(changes.flatMap((change) => (change.kind === "added" ? [] : [change.objectId])))
  return bindings.filter((row) => !seen.has(row.config_object_id))
}

/** Creates the functions that publish a plan in one transaction. */
export const makePublication = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const { mutate } = yield* Mutate
  const { pluginBounds } = yield* Settings
  const { holding } = yield* makeLease
  const { queue } = yield* makeQueue

  /** Requires that the state a plan was made from is unchanged. */
  const demandBasis = Effect.fnUntraced(function* (run: Run, instance: repo.InstanceRow, basis: string) {
    const { organizationId } = run
    const target = yield* targets.find(sql, organizationId, run.target.id)
    const rows = yield* events.targetPlugins(sql, organizationId, run.target.id)
    const mappings = yield* repo.allMappings(sql, organizationId, run.target.id)
    if (target === undefined || (yield* inTimeSlices(basisOf(instance, target, rows, mappings))) !== basis) {
      return yield* new SyncOvertaken({ message: "The connector instance was changed during the sync." })
    }
  })

  /** Plugins of a branch that are not in `following` keep their commit when a new one is published. */
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

  /** Writes the plugins that a commit changes. Other plugins keep their commit. */
  const putPlugins = Effect.fnUntraced(function* (run: Run, planned: Plan, folders: FolderOutcome) {
    const { instance, organizationId, target } = run
    const rows = new Map(
      (yield* manifests.ofTarget(sql, organizationId, target.id)).map((row) => [row.id, row] as const)
    )
    const wanted = yield* inTimeSlices(
      flatMapSteps(planned.imported, (candidate) => {
        const id = planned.pluginIds.get(candidate.key)
        const place = { targetId: target.id, repositoryFullName: instance.repository_full_name, revision: "" }
        if (id === undefined || !candidate.supported) return []
        const files = folders.fileSummaries.get(id) ?? filesStated(rows.get(id)?.manifest_json)
        return [sourced(candidate, { id, ...place, files })]
      })
    )
    const changed = yield* inTimeSlices(
      flatMapSteps(wanted, (plugin) => (isWritten(plugin, rows.get(plugin.id)) ? [] : [plugin]))
    )
    const put = changed.length > 0 ? yield* plugins.putSourced(sql, organizationId, changed, null) : []
    yield* inherit(
      sql,
      organizationId,
      put.flatMap((row) => (row.is_new ? [row.id] : []))
    )
    yield* keepRevisions(run, rows.values(), new Set(wanted.map(({ id }) => id)))
  })

  /** Publishes a plan and its staged content. */
  const publish = (
    run: Run,
    snapshot: Snapshot,
    planned: Plan,
    staged: StagedContent,
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
          return yield* new SyncOvertaken({
            message: "The connector instance was disabled or archived during the sync."
          })
        }
        yield* demandBasis(run, instance, planned.basis)
        yield* Effect.forEach(planned.renamed, ({ id, key }) => events.renameCandidate(sql, organizationId, id, key), {
          discard: true
        })
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
        const bound = yield* inTimeSlices(
          flatMapSteps(planned.changes, (change) => {
            if (staged.skipped.has(change) && change.kind === "added") return []
            const objectId = change.kind === "added" ? staged.objectIds.get(change) : change.objectId
            return objectId === undefined ? [] : [{ change, objectId }]
          })
        )
        yield* objects.addMemberships(
          sql,
          organizationId,
          yield* inTimeSlices(
            flatMapSteps(bound, ({ change, objectId }) =>
              change.kind === "unchanged" || change.file.pluginId === null
                ? []
                : [{ id: makeId("pco"), pluginId: change.file.pluginId, objectId, mappingId: change.file.mappingId }]
            )
          ),
          null
        )
        yield* events.changeBindings(sql, organizationId, target.id, planned.bindings, [
          // If the listing is truncated, bindings of files that it does not contain are kept.
          ...(snapshot.truncated ? unseenBindings(planned) : planned.frozen),
          ...(yield* inTimeSlices(
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
        const deletions = yield* inTimeSlices(
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
        if (event.trigger === "apply") yield* modes.approveImported(sql, organizationId, target.id)
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

  return { demandBasis, keepRevisions, publish } as const
})
