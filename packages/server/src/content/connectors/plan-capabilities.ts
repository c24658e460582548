/** How the capabilities of plugins would change with a sync, from the contents of the commit. Nothing is executed. */
import type { PlannedCapabilities } from "@orgplane/schema/connector-operations"
import type { CapabilityComparison, SignalRule } from "@orgplane/schema/plugin-capabilities"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeId } from "../../infra/ids.ts"
import { CodeHostFailed, type Snapshot } from "../../infra/ports/code-host.ts"
import { compareCapabilities, isManifest, readSet, rulesWithout } from "../plugin-capabilities/index.ts"
import type { ArchiveChange } from "../plugins/archive-contents.ts"
import { below, bytesMax, filesMax } from "../plugins/archive-layout.ts"
import { PluginArchives } from "../plugins/archive-service.ts"
import type { SourcedPlugin } from "../plugins/repo.ts"
import type { PlannedCandidate } from "./discovery/candidate.ts"
import { makeWarnings } from "./discovery/warnings.ts"
import type { Discovered } from "./discovery-service.ts"
import { laneOf, makeLanes } from "./lanes.ts"
import { makeReader, namesOf, stagedVersion, textBytesMax } from "./file-content.ts"
import { sourced } from "./manifest.ts"
import type { FileChange, ImportedFile } from "./plan.ts"
import type { FolderPlan, WantedFolder } from "./plugin-folders.ts"
import { RemotePlugins, type RemoteSession } from "./remote-plugins.ts"
import type { InstanceRow, MappingRow, NewMapping, TargetRow } from "./repo.ts"
import { openRepository } from "./repository.ts"
import { type AddedPlugin, deletionsOf, type SyncPlan } from "./sync-plan.ts"

const listedMax = 1000
/** Maximum changes and signals of all plugins of a plan. */
const changesInAllMax = 1000
const signalsInAllMax = 500
/** Maximum texts of objects outside the folders of their plugins, which are in memory at the same time. */
const textsBytesMax = 16 * 1_048_576
/** Maximum files per plan from a code host where each file is a request. */
const requestsMax = 500

/** Plans whose contents one process reads at the same time; others wait. */
const laneLimits = { total: 12, perOrganization: 3, perOrigin: 3 }

/** The changes of a plan, by plugin. */
export interface PluginChanges {
  readonly planned: SyncPlan
  readonly folders: FolderPlan
  readonly fresh: ReadonlyArray<AddedPlugin>
  readonly rows: ReadonlyMap<string, { readonly candidate_key: string; readonly name: string }>
  /** Removed plugins that keep content from elsewhere. */
  readonly remaining: ReadonlySet<string>
  readonly mappings: ReadonlyArray<MappingRow | NewMapping>
}

/** The commit that a plan previews. */
interface Commit {
  readonly instance: InstanceRow
  readonly target: TargetRow
  readonly discovered: Discovered
}

interface PluginChange {
  readonly id: Id<"plg">
  readonly key: string | null
  readonly name: string
  readonly change: PlannedCapabilities["change"]
  readonly candidate: PlannedCandidate | undefined
  readonly folder: WantedFolder | undefined
  readonly files: ReadonlyArray<FileChange>
}

interface OpenedCommit {
  readonly base: Snapshot
  readonly snapshot: Snapshot
  readonly session?: RemoteSession
}

/** The prefix of a key of content that is only in the repository: a git blob. */
const blobPrefix = "git:"
const isBlob = (key: string) => key.startsWith(blobPrefix)

const componentOf = (mapping: MappingRow | NewMapping | undefined): string | null => {
  const component =
    mapping === undefined
      ? undefined
      : "config" in mapping
        ? mapping.config.component
        : mapping.config_json?.["component"]
  return typeof component === "string" ? component : null
}

/** The plugins that a sync would create, change or remove, by key. */
const pluginChangesOf = ({ folders, fresh, mappings, planned, rows }: PluginChanges): ReadonlyArray<PluginChange> => {
  const added = new Set<string>([...fresh, ...planned.added].map(({ id }) => id))
  const removed = new Set<string>(planned.removedPluginIds)
  const pluginOfMapping = new Map(mappings.map((row) => [row.id, "pluginId" in row ? row.pluginId : row.plugin_id]))
  const changesByPlugin = Map.groupBy(
    planned.changes.filter(({ kind }) => kind !== "unchanged"),
    ({ file }) => file.pluginId
  )
  const deletions = new Set<string>(deletionsOf(planned))
  const touched = new Set<Id<"plg"> | null | undefined>([
    ...[...fresh, ...planned.added].map(({ id }) => id),
    ...planned.removedPluginIds,
    ...folders.changes.map(({ pluginId }) => pluginId),
    ...changesByPlugin.keys(),
    ...planned.newMappings.map(({ pluginId }) => pluginId),
    ...planned.removedMappings.map((row) => row.plugin_id),
    ...planned.removals.flatMap((row) =>
      deletions.has(row.config_object_id) ? [pluginOfMapping.get(row.connector_mapping_id)] : []
    )
  ])
  const candidates = new Map(
    planned.imported.flatMap((candidate) => {
      const id = planned.pluginIds.get(candidate.key)
      return id === undefined ? [] : [[id, candidate] as const]
    })
  )
  const changes = [...touched].flatMap((id): ReadonlyArray<PluginChange> => {
    if (id === null || id === undefined) return []
    const [candidate, row] = [candidates.get(id), rows.get(id)]
    return [
      {
        id,
        key: candidate?.key ?? row?.candidate_key ?? null,
        name: candidate?.displayName ?? row?.name ?? "",
        change: added.has(id) ? "added" : removed.has(id) ? "removed" : "changed",
        candidate,
        folder: folders.wanted.get(id),
        files: changesByPlugin.get(id) ?? []
      }
    ]
  })
  const orderOf = ({ id, key }: PluginChange) => key ?? id
  return changes.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
}

const withoutComparison = (problem: string) => ({
  needsReview: true,
  grew: [],
  changed: [],
  shrank: [],
  truncated: false,
  signals: [],
  problem
})

const noFiles = Stream.empty

/** A plugin as the database stores it. */
const storedForm = ({ description, manifest, name }: SourcedPlugin) => ({
  name,
  description,
  manifest_json: manifest
})

const unread = (message: string) => new CodeHostFailed({ code: "limit_exceeded", message })

/** Creates the function that compares the capabilities of the plugins of a plan with the stored versions. */
export const makePlanCapabilities = Effect.gen(function* () {
  const archives = yield* PluginArchives
  const remotePlugins = yield* RemotePlugins
  const open = yield* openRepository
  const lanes = makeLanes(laneLimits)

  /** Reads blobs of the commit. The repository is opened when the first one is read. */
  const blobReader = Effect.fnUntraced(function* ({ discovered, instance, target }: Commit) {
    const scope = yield* Scope.Scope
    const snapshot = yield* Effect.cached(
      Effect.gen(function* () {
        const repository = yield* open(instance)
        const base = yield* repository.snapshot(target.branch, discovered.revision)
        const { candidates } = discovered.discovery
        if (!candidates.some(({ remote, supported }) => remote !== null && supported)) return { base, snapshot: base }
        const session = yield* remotePlugins.session(instance.organization_id, true)
        const mounted = yield* session.mount(base, discovered.discovery)
        return { base, snapshot: mounted.snapshot, session }
      }).pipe(Scope.provide(scope))
    )
    let requests = 0
    const fetched = new Set<string>()
    return Effect.fnUntraced(function* (shas: ReadonlyArray<string>, remoteRoot: string | undefined) {
      const opened: OpenedCommit = yield* snapshot
      if (opened.base.isReadByRequest === true && remoteRoot === undefined) requests += shas.length
      if (requests > requestsMax) {
        return yield* unread(`A plan reads at most ${requestsMax} files from this code host.`)
      }
      if (remoteRoot !== undefined && opened.session !== undefined && !fetched.has(remoteRoot)) {
        fetched.add(remoteRoot)
        const problems = yield* opened.session.fetch([`${remoteRoot}/.`])
        for (const problem of problems.values()) return yield* unread(problem)
      }
      const contents = yield* opened.snapshot.read(shas)
      const missing = shas.filter((sha) => !contents.has(sha)).length
      if (missing > 0) return yield* unread(`${missing} files cannot be read from the repository.`)
      return contents
    })
  })

  /** The objects of a plugin that are not files of its folder: components of manifests, and files from elsewhere. */
  const objectsOf = Effect.fnUntraced(function* (
    { candidate, files }: PluginChange,
    mappings: PluginChanges["mappings"],
    read: (shas: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Uint8Array>, CodeHostFailed>
  ) {
    const byMapping = new Map<string, MappingRow | NewMapping>(mappings.map((row) => [row.id, row]))
    const isInFolder = ({ path, pointer }: ImportedFile) =>
      pointer === null && candidate !== undefined && below(candidate.rootPath, path) !== undefined
    const outside = files.filter(({ file }) => !isInFolder(file) && file.size <= textBytesMax)
    if (outside.reduce((sum, { file }) => sum + file.size, 0) > textsBytesMax) {
      return yield* unread("The plugin has more than 16 MiB of components outside its folder.")
    }
    const contents: ReadonlyMap<string, Uint8Array> =
      outside.length === 0
        ? new Map<string, Uint8Array>()
        : yield* read([...new Set(outside.map(({ file }) => file.sha))])
    const textAt = makeReader()
    const ignored = makeWarnings(1)
    const dropped = new Set<string>(
      files.flatMap((change) => (change.kind !== "added" && isInFolder(change.file) ? [change.objectId] : []))
    )
    const objects: Array<ArchiveChange<never>["objects"][number]> = []
    for (const change of outside) {
      const { file } = change
      const text = textAt(file, contents.get(file.sha))
      // The sync skips the file too.
      if (typeof text !== "string") continue
      const objectId = change.kind === "added" ? makeId("cob") : change.objectId
      dropped.add(objectId)
      objects.push({
        text,
        row: {
          object_id: objectId,
          version_id: makeId("cov"),
          object_type: file.objectType,
          title: stagedVersion(file, objectId, text, ignored).title,
          file_name: namesOf(file.path).fileName,
          relative_path: file.path,
          is_mapped: true,
          pointer: file.pointer,
          component: componentOf(byMapping.get(file.mappingId)),
          bytes: Buffer.byteLength(text),
          has_text: true,
          is_executable: text.startsWith("#!")
        }
      })
    }
    return { objects, dropped }
  })

  const compareAll = Effect.fnUntraced(function* (
    caller: Member,
    commit: Commit,
    changes: PluginChanges,
    disabledRules: string | undefined
  ) {
    const { discovered, instance, target } = commit
    const { folders, mappings, planned, remaining } = changes
    const { organizationId } = caller
    const isEnabled: (rule: SignalRule) => boolean = rulesWithout(disabledRules)
    const storedDigests = new Map(folders.rows.map((row) => [row.blob_sha, row.digest]))
    const deletions = deletionsOf(planned)
    const allMappings = [...mappings, ...planned.newMappings]
    const readBlobs = yield* blobReader(commit)
    const left = { files: filesMax, bytes: bytesMax, changes: changesInAllMax, signals: signalsInAllMax }

    const take = (count: number, bytes: number) => {
      left.files -= count
      left.bytes -= bytes
      return left.files < 0 || left.bytes < 0
        ? unread("The changed plugins are too large to compare all of them in one plan.")
        : Effect.void
    }

    const comparison = Effect.fnUntraced(function* (plugin: PluginChange) {
      const { candidate, folder, id } = plugin
      if (discovered.discovery.tree.truncated) return yield* unread("The repository has too many files to list.")
      const isRemoved = plugin.change === "removed" && !remaining.has(id)
      const remoteRoot = candidate !== undefined && candidate.remote !== null ? candidate.rootPath : undefined
      const read = (shas: ReadonlyArray<string>) => readBlobs(shas, remoteRoot)
      const folderFiles = folder?.files ?? []
      yield* take(
        folderFiles.length,
        folderFiles.reduce((sum, { size }) => sum + size, 0)
      )
      const { dropped, objects } = yield* objectsOf(plugin, allMappings, read)
      const around = yield* archives.around(
        organizationId,
        id,
        {
          plugin:
            candidate === undefined
              ? undefined
              : storedForm(
                  sourced(candidate, {
                    id,
                    targetId: target.id,
                    repositoryFullName: instance.repository_full_name,
                    revision: "",
                    files: folder === undefined || folder.problem === null ? null : { problem: folder.problem }
                  })
                ),
          files:
            folder === undefined
              ? null
              : folder.files.map((file) => ({
                  path: file.path,
                  is_executable: file.isExecutable,
                  digest: storedDigests.get(file.sha) ?? `${blobPrefix}${file.sha}`,
                  bytes: file.size
                })),
          droppedObjectIds: new Set([...deletions, ...dropped]),
          objects,
          isUnstored: isBlob,
          read: (keys) =>
            Effect.map(
              read(keys.map((key) => key.slice(blobPrefix.length))),
              (contents) => new Map([...contents].map(([sha, bytes]) => [`${blobPrefix}${sha}`, bytes]))
            )
        },
        isManifest
      )
      yield* take(around.before?.paths.length ?? 0, around.before?.bytes ?? 0)
      const before = around.before && (yield* readSet(around.before.paths, around.before.files, isEnabled))
      const after =
        isRemoved || around.after === undefined
          ? yield* readSet([], noFiles, isEnabled)
          : yield* readSet(around.after.paths, around.after.files, isEnabled)
      return compareCapabilities(before, after, isEnabled)
    })

    /** Cuts the lists to what is left of the plan's limits. */
    const cut = (compared: CapabilityComparison): CapabilityComparison => {
      const part = <A>(list: ReadonlyArray<A>, of: "changes" | "signals") => {
        const some = list.slice(0, left[of])
        left[of] -= some.length
        return some
      }
      const [grew, changed] = [part(compared.grew, "changes"), part(compared.changed, "changes")]
      const [shrank, signals] = [part(compared.shrank, "changes"), part(compared.signals ?? [], "signals")]
      const isCut =
        grew.length + changed.length + shrank.length + signals.length <
        compared.grew.length + compared.changed.length + compared.shrank.length + (compared.signals?.length ?? 0)
      return { ...compared, grew, changed, shrank, signals, truncated: compared.truncated || isCut }
    }

    const compared: Array<PlannedCapabilities> = []
    for (const plugin of pluginChangesOf({ ...changes, mappings: allMappings }).slice(0, listedMax)) {
      const { change, id, key, name } = plugin
      // A plugin that a mapping adds objects to: its name and content are for those who can see it.
      const seen = key === null ? yield* archives.nameSeen(caller, id) : name
      if (seen === undefined) continue
      const result = yield* comparison(plugin).pipe(
        Effect.map((all) => ({ ...cut(all), problem: null })),
        Effect.catchTags({
          CodeHostFailed: ({ message }) => Effect.succeed(withoutComparison(message)),
          PluginArchiveRefused: ({ message }) => Effect.succeed(withoutComparison(message)),
          PluginArchiveTooLarge: ({ message }) => Effect.succeed(withoutComparison(message))
        })
      )
      compared.push({ pluginKey: key, pluginId: change === "added" ? null : id, name: seen, change, ...result })
    }
    return compared
  }, Effect.scoped)

  return (...request: Parameters<typeof compareAll>) => {
    const { instance } = request[1]
    return lanes.within(laneOf(instance.organization_id, instance), compareAll(...request))
  }
})
