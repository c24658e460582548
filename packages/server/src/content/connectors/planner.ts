import type * as Connectors from "@orgplane/schema/connectors"
import type { Plan, PlanConflict, PlannedChange } from "@orgplane/schema/connector-operations"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { Settings } from "../../infra/config/settings.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import { makeId } from "../../infra/ids.ts"
import * as marketplaces from "../marketplaces/repo.ts"
import { type TreeEntry } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { flatMapSteps, inTimeSlices, jsonSteps } from "../../infra/time-slices.ts"
import type { PlannedCandidate } from "./discovery/candidate.ts"
import { showPath } from "./discovery/paths.ts"
import { makeWarnings } from "./discovery/warnings.ts"
import * as discoveries from "./discovery-repo.ts"
import type { Discovered } from "./discovery-service.ts"
import { makeReader, stagedVersion, textBytesMax } from "./file-content.ts"
import { type FileChange, needsReview, planMappings } from "./plan.ts"
import { makePlanCapabilities, type PluginChanges } from "./plan-capabilities.ts"
import { boundText, countsOf, sorted } from "./plan-order.ts"
import { plannedFiles, isReportedAsObject } from "./plan-files.ts"
import { neighbors, pluginsWithMore } from "./plan-repo.ts"
import * as pluginFiles from "./plugin-files-repo.ts"
import { planFolders } from "./plugin-folders.ts"
import { RemotePlugins, type RemoteSession, withoutRemotes } from "./remote-plugins.ts"
import * as repo from "./repo.ts"
import { openRepository, toApiError } from "./repository.ts"
import { type AddedPlugin, basisOf, deletionsOf, newMapping, planSync } from "./sync-plan.ts"
import * as events from "./sync-repo.ts"
import * as targets from "./targets-repo.ts"

const listedMax = 1000
const conflictsMax = 200

export interface PlanRequest {
  readonly instance: repo.InstanceRow
  readonly target: repo.TargetRow
  readonly discovered: Discovered
  readonly selected: ReadonlyArray<PlannedCandidate>
  readonly input: typeof Connectors.ApplyDiscovery.Type
}

/** The complete result of planning an apply. */
export interface Planned {
  readonly request: PlanRequest
  readonly digest: string
  /** A digest of the state from which the plan was computed. */
  readonly basis: string
  readonly added: ReadonlyArray<PlannedChange>
  readonly changed: ReadonlyArray<PlannedChange>
  readonly removed: ReadonlyArray<PlannedChange>
  readonly unchangedObjects: number
  readonly tooLarge: ReadonlyArray<string>
  readonly newPlugins: ReadonlyArray<PlannedCandidate>
  readonly isHeld: boolean
  /** For the comparison of capabilities. */
  readonly pluginChanges: PluginChanges
}

/** Computes the changes that an apply and its sync would make, with the same functions that they use. */
export const makePlanner = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const open = yield* openRepository
  const remotePlugins = yield* RemotePlugins
  const { pluginBounds } = yield* Settings
  const compareCapabilities = yield* makePlanCapabilities

  /** The current state of a branch in the organization. */
  const stateOf = Effect.fnUntraced(function* (instance: repo.InstanceRow, target: repo.TargetRow) {
    const organizationId = instance.organization_id
    const plugins = yield* events.targetPlugins(sql, organizationId, target.id)
    const mappings = yield* repo.allMappings(sql, organizationId, target.id)
    const bindings = yield* events.bindings(sql, organizationId, target.id)
    const marketplace = yield* marketplaces.ofTarget(sql, organizationId, target.id)
    const bound = yield* inTimeSlices(boundText(bindings))
    const basis = sha256(
      JSON.stringify([
        yield* inTimeSlices(basisOf(instance, target, plugins, mappings)),
        plugins.map((row) => [row.name, row.description]),
        bound,
        marketplace?.id ?? null,
        target.pinned_revision
      ])
    )
    return { plugins, mappings, bindings, marketplace, basis }
  })

  const isCurrent = Effect.fnUntraced(function* ({ basis, request }: Planned, instance: repo.InstanceRow) {
    const target = yield* targets.find(sql, instance.organization_id, request.target.id)
    return target !== undefined && (yield* stateOf(instance, target)).basis === basis
  })

  /** Components of manifests whose other parts changed: only their text shows whether they changed. */
  const sameAsBefore = Effect.fnUntraced(function* (
    { discovered, instance, target }: PlanRequest,
    changes: ReadonlyArray<FileChange>,
    session: RemoteSession
  ) {
    const undecided = changes.flatMap((change) =>
      change.kind === "changed" && change.file.pointer !== null ? [change] : []
    )
    const same = new Set<FileChange>()
    if (undecided.length === 0) return same
    const digests = new Map(
      yield* events.digests(
        sql,
        instance.organization_id,
        undecided.map((change) => change.objectId)
      )
    )
    const repository = yield* open(instance)
    const contents = yield* repository.snapshot(target.branch, discovered.revision).pipe(
      Effect.flatMap((snapshot) => snapshot.read([...new Set(undecided.map(({ file }) => file.sha))])),
      Effect.scoped,
      Effect.catchTag("CodeHostFailed", (failure) => Effect.fail(toApiError(failure)))
    )
    const textAt = makeReader()
    const ignored = makeWarnings(1)
    for (const change of undecided) {
      // Manifests of a plugin from another source were read with its listing.
      const text = textAt(change.file, contents.get(change.file.sha) ?? session.manifest(change.file.path))
      if (typeof text !== "string") continue
      const { digest } = stagedVersion(change.file, change.objectId, text, ignored)
      if (digests.get(change.objectId) === digest) same.add(change)
    }
    return same
  })

  const plan = Effect.fnUntraced(function* (request: PlanRequest) {
    const { discovered, input, instance, selected, target } = request
    const organizationId = instance.organization_id
    const state = yield* stateOf(instance, target)
    const own: ReadonlyArray<TreeEntry> = yield* discoveries.entriesOf(
      sql,
      organizationId,
      target.id,
      discovered.revision
    )
    const session = yield* remotePlugins.session(organizationId, false)
    const { entries, problems } = yield* session.listing(own, discovered.discovery)
    const imported = new Set(state.plugins.map((row) => row.candidate_key))
    const fresh = selected
      .filter((candidate) => !imported.has(candidate.key))
      .map((candidate): AddedPlugin => ({ id: makeId("plg"), candidate }))
    const plugins = [...state.plugins, ...fresh.map(({ candidate, id }) => ({ id, candidate_key: candidate.key }))]
    const ids = new Map(plugins.map((row) => [row.candidate_key, row.id]))
    const place = { instanceId: instance.id, targetId: target.id }
    const missingMappings = yield* inTimeSlices(planMappings(selected, state.mappings, () => true))
    const chosen = missingMappings.added.flatMap((mapping) => {
      const pluginId = ids.get(mapping.candidateKey)
      return pluginId === undefined ? [] : [newMapping(place, mapping, pluginId)]
    })
    const now = target.created_at
    const steps = planSync({
      ...place,
      isAutoImporting: input.autoImportNewPlugins,
      plugins,
      mappings: [
        ...state.mappings,
        ...chosen.map((mapping): repo.MappingRow => ({
          id: mapping.id,
          connector_instance_id: instance.id,
          connector_target_id: target.id,
          mapping_kind: "path",
          selector: mapping.selector,
          object_type: mapping.objectType,
          plugin_id: mapping.pluginId,
          auto_add_to_plugin: true,
          remote_id: null,
          config_json: mapping.config,
          created_at: now,
          updated_at: now
        }))
      ],
      bindings: state.bindings,
      discovery: withoutRemotes(discovered.discovery, problems),
      entries
    })
    const planned = yield* inTimeSlices(steps)
    const same = yield* sameAsBefore(request, planned.changes, session)
    const deletions = deletionsOf(planned)
    const full = yield* pluginsWithMore(sql, organizationId, planned.removedPluginIds, deletions)

    const keys = new Map<string, string>([
      ...plugins.map((row) => [row.id, row.candidate_key] as const),
      ...[...planned.pluginIds].map(([key, id]) => [id, key] as const)
    ])
    const keyOf = (pluginId: Id<"plg"> | null) => (pluginId === null ? null : (keys.get(pluginId) ?? null))
    const allMappings = new Map(
      [
        ...state.mappings.map((row) => ({ id: row.id, pluginId: row.plugin_id })),
        ...chosen,
        ...planned.newMappings
      ].map((row) => [row.id, row.pluginId])
    )
    const pluginKeyOf = (mappingId: Id<"cmp">) => keyOf(allMappings.get(mappingId) ?? null)
    const bound = new Map(state.bindings.map((row) => [row.config_object_id, row]))

    const plugin = (candidate: PlannedCandidate, was: string | null = null): PlannedChange => ({
      kind: "plugin",
      pluginKey: candidate.key,
      name: candidate.displayName,
      was,
      objectType: null,
      pointer: null
    })
    const object = ({ file }: FileChange, was: string | null = null): PlannedChange => ({
      kind: "object",
      pluginKey: pluginKeyOf(file.mappingId),
      name: file.path,
      was,
      objectType: file.objectType,
      pointer: file.pointer
    })
    const isTooLarge = ({ file, kind }: FileChange) =>
      file.size > textBytesMax && (kind === "added" || kind === "changed")

    const folders = yield* inTimeSlices(
      planFolders({
        imported: planned.imported,
        pluginIds: planned.pluginIds,
        removedPluginIds: planned.removedPluginIds,
        entries,
        truncated: discovered.discovery.tree.truncated,
        bounds: pluginBounds,
        rows: yield* pluginFiles.ofTarget(sql, organizationId, target.id),
        isReread: false
      })
    )
    const files = plannedFiles(
      folders.changes,
      isReportedAsObject(planned, state.bindings, (change) => same.has(change)),
      keyOf
    )

    const newPlugins = [...fresh, ...planned.added].map(({ candidate }) => candidate)
    const isNew = new Set(newPlugins)
    const renamed = new Map(planned.renamed.map(({ id }) => [id, plugins.find((row) => row.id === id)?.candidate_key]))
    const rows = new Map(state.plugins.map((row) => [row.id, row]))
    const changedPlugins = planned.imported.flatMap((candidate) => {
      const id = planned.pluginIds.get(candidate.key)
      const row = id === undefined ? undefined : rows.get(id)
      if (row === undefined || isNew.has(candidate) || !candidate.supported) return []
      const before = renamed.get(row.id) ?? null
      const isSame = row.name === candidate.displayName && (row.description ?? "") === (candidate.description ?? "")
      return isSame && before === null
        ? []
        : [plugin(candidate, before ?? (row.name === candidate.displayName ? null : row.name))]
    })
    const added = yield* inTimeSlices(
      sorted([
        ...(input.marketplaceId === undefined && state.marketplace === undefined
          ? [
              {
                kind: "marketplace" as const,
                pluginKey: null,
                name: discovered.discovery.marketplace?.name ?? instance.repository_full_name,
                was: null,
                objectType: null,
                pointer: null
              }
            ]
          : []),
        ...newPlugins.map((candidate) => plugin(candidate)),
        ...[...chosen, ...planned.newMappings].map((mapping) => ({
          kind: "mapping" as const,
          pluginKey: mapping.config.candidateKey,
          name: mapping.selector,
          was: null,
          objectType: mapping.objectType,
          pointer: mapping.config.pointer
        })),
        ...(yield* inTimeSlices(
          flatMapSteps(planned.changes, (change) =>
            change.kind === "added" && !isTooLarge(change) ? [object(change)] : []
          )
        )),
        ...files.added
      ])
    )
    const changed = yield* inTimeSlices(
      sorted([
        ...changedPlugins,
        ...planned.changes.flatMap((change) =>
          change.kind === "moved"
            ? [object(change, bound.get(change.objectId)?.path ?? null)]
            : change.kind === "changed" && !same.has(change) && !isTooLarge(change)
              ? [object(change)]
              : []
        ),
        ...files.changed
      ])
    )
    const removed = yield* inTimeSlices(
      sorted([
        ...planned.removedPluginIds
          .filter((id) => !full.has(id))
          .map((id) => ({
            kind: "plugin" as const,
            pluginKey: keyOf(id),
            name: rows.get(id)?.name ?? "",
            was: null,
            objectType: null,
            pointer: null
          })),
        ...planned.removedMappings.map((row) => ({
          kind: "mapping" as const,
          pluginKey: keyOf(row.plugin_id),
          name: row.selector,
          was: null,
          objectType: row.object_type,
          pointer: typeof row.config_json?.["pointer"] === "string" ? row.config_json["pointer"] : null
        })),
        ...deletions.flatMap((id) => {
          const row = bound.get(id)
          return row === undefined
            ? []
            : [
                {
                  kind: "object" as const,
                  pluginKey: pluginKeyOf(row.connector_mapping_id),
                  name: row.path,
                  was: null,
                  objectType: row.object_type,
                  pointer: row.pointer === "" ? null : row.pointer
                }
              ]
        }),
        ...files.removed
      ])
    )
    const requestKey = JSON.stringify([
      "orgplane-plan-1",
      target.id,
      discovered.revision,
      input.autoImportNewPlugins,
      input.share ?? "private",
      input.marketplaceId ?? state.marketplace?.id ?? null,
      [...new Set(input.selectedKeys)].sort()
    ])
    // One array of all changes, as the database would return them after one write.
    const allChanges = [
      yield* inTimeSlices(jsonSteps(added)),
      yield* inTimeSlices(jsonSteps(changed)),
      yield* inTimeSlices(jsonSteps(removed))
    ]
    const digest = sha256(`${requestKey.slice(0, -1)},${allChanges.join(",")}]`)
    const touched = planned.changes.filter(
      (change) => change.kind === "added" || (change.kind === "changed" && !same.has(change))
    )
    return {
      request,
      digest,
      basis: state.basis,
      added,
      changed,
      removed,
      unchangedObjects: planned.changes.length - touched.length,
      tooLarge: planned.changes.filter(isTooLarge).map(({ file }) => file.path),
      newPlugins,
      isHeld: needsReview(planned.removals.length, planned.bindings.length),
      pluginChanges: { planned, folders, fresh, rows, remaining: full, mappings: [...state.mappings, ...chosen] }
    } satisfies Planned
  })

  /** A plan for the response, with conflicts that the caller should know about. */
  const show = Effect.fnUntraced(function* (caller: Member, planned: Planned, disabledRules: string | undefined) {
    const { pluginChanges, request, ...all } = planned
    const { discovered, input, instance, target } = request
    const conflicts: Array<PlanConflict> = []
    if (target.pinned_revision !== null) {
      conflicts.push({
        code: "target_pinned",
        pluginKey: null,
        name: target.branch,
        message: `The branch is pinned to ${target.pinned_revision} by a rollback. An apply removes the pin, and the branch follows its head again.`
      })
    }
    const run = { connector_instance_id: instance.id, connector_target_id: target.id }
    if (
      target.last_sync_cursor !== discovered.revision &&
      (yield* events.isRejected(sql, run, caller.organizationId, discovered.revision))
    ) {
      conflicts.push({
        code: "revision_rejected",
        pluginKey: null,
        name: discovered.revision,
        message: "This revision was rejected. Nothing is imported until the branch has a new commit."
      })
    }
    if (all.isHeld) {
      conflicts.push({
        code: "review_required",
        pluginKey: null,
        name: null,
        message: "The sync would remove so many objects that it requires approval."
      })
    }
    const byName = new Map(all.newPlugins.map((candidate) => [candidate.displayName, candidate.key]))
    const byKey = new Map(all.newPlugins.map((candidate) => [candidate.key, candidate.displayName]))
    const others =
      all.newPlugins.length === 0
        ? []
        : yield* neighbors(
            sql,
            caller,
            { targetId: target.id, remoteId: instance.remote_id },
            [...byName.keys()],
            [...byKey.keys()]
          )
    for (const row of others) {
      const isSource = row.is_same_repository && row.candidate_key !== null && byKey.has(row.candidate_key)
      conflicts.push(
        isSource
          ? {
              code: "fed_by_another_target",
              pluginKey: row.candidate_key,
              name: row.name,
              message: "Another branch of this repository imports its own plugin from the same path."
            }
          : {
              code: "plugin_name_taken",
              pluginKey: byName.get(row.name) ?? null,
              name: row.name,
              message: "Another plugin in the organization has this name."
            }
      )
    }
    for (const path of all.tooLarge) {
      conflicts.push({
        code: "file_too_large",
        pluginKey: null,
        name: path,
        message: `${showPath(path)} is larger than 1 MiB and is not imported.`
      })
    }
    return {
      digest: all.digest,
      connectorTargetId: target.id,
      revision: discovered.revision,
      baseRevision: target.last_sync_cursor,
      autoImportNewPlugins: input.autoImportNewPlugins,
      added: all.added.slice(0, listedMax),
      changed: all.changed.slice(0, listedMax),
      removed: all.removed.slice(0, listedMax),
      conflicts: conflicts.slice(0, conflictsMax),
      counts: {
        added: countsOf(all.added),
        changed: countsOf(all.changed),
        removed: countsOf(all.removed),
        unchangedObjects: all.unchangedObjects
      },
      truncated: [all.added, all.changed, all.removed].some((changes) => changes.length > listedMax),
      warnings: discovered.discovery.warnings,
      capabilities: yield* compareCapabilities(caller, request, pluginChanges, disabledRules)
    } satisfies Plan
  })

  return { plan, show, isCurrent } as const
})
