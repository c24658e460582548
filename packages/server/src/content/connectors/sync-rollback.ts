import * as Effect from "effect/Effect"
import * as objects from "../config-objects/repo.ts"
import { makeId } from "../../infra/ids.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import * as marketplaces from "../marketplaces/repo.ts"
import * as manifests from "../../infra/sql/plugin-manifest.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { inTimeSlices } from "../../infra/time-slices.ts"
import { namesOf } from "./file-content.ts"
import * as publications from "./publications-repo.ts"
import * as repo from "./repo.ts"
import { readRollback } from "./rollback-state.ts"
import * as staging from "./staging-repo.ts"
import { basisOf } from "./sync-plan.ts"
import * as events from "./sync-repo.ts"
import * as targets from "./targets-repo.ts"
import { makePublication } from "./sync-publish.ts"
import { makeFailures } from "./sync-retry.ts"
import { makeLease, type Run, SyncOvertaken } from "./sync-run.ts"
import { makeStaging } from "./sync-stage.ts"

/** Creates the function that restores a publication of a branch. */
export const makeRestore = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const { mutate } = yield* Mutate
  const { holding } = yield* makeLease
  const { stageKept } = yield* makeStaging
  const { demandBasis, keepRevisions } = yield* makePublication
  const { giveUp } = yield* makeFailures

  /** Restores the content that the branch published at the requested revision. The repository is not read. */
  const restore = Effect.fnUntraced(function* (run: Run) {
    const { event, instance, organizationId, target } = run
    const revision = event.wanted_revision ?? ""
    const read = yield* readRollback(sql, organizationId, target.id, revision)
    if (read === "revision_unknown") {
      yield* giveUp(run, { code: read, message: "This revision was not published from the branch." })
      return
    }
    if (read === "content_gone") {
      yield* giveUp(run, {
        code: read,
        message: "Some content of this revision was deleted after its retention period. Choose a newer revision."
      })
      return
    }
    const { bindings, mappings, planned, plugins } = read
    const basis = yield* inTimeSlices(basisOf(instance, target, plugins, mappings))
    yield* stageKept(run, planned.restored)
    yield* mutate(
      { kind: "system", organizationId },
      "connector.rolled_back",
      Effect.gen(function* () {
        const locked = yield* repo.lockInstance(sql, organizationId, instance.id)
        if (locked === undefined || repo.isStopped(locked)) {
          return yield* new SyncOvertaken({
            message: "The connector instance was disabled or archived during the rollback."
          })
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
        // Objects that return to other plugins leave theirs first: only then are these empty.
        yield* publications.endOtherMemberships(sql, organizationId, planned.memberships)
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

  return restore
})
