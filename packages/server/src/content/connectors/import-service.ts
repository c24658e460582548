import * as Connectors from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { AccessService, demandLevel } from "../../identity/access/service.ts"
import { retryAfter } from "../../infra/http/retry-after.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { inherit } from "../assignments/inherit-repo.ts"
import * as marketplaces from "../marketplaces/repo.ts"
import { Pages } from "../../infra/pages/index.ts"
import * as manifests from "../../infra/sql/plugin-manifest.ts"
import * as plugins from "../plugins/repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { flatMapSteps, inTimeSlices, mapSteps } from "../../infra/time-slices.ts"
import type { PlannedCandidate } from "./discovery/candidate.ts"
import * as discoveries from "./discovery-repo.ts"
import { type Discovered, DiscoveryService } from "./discovery-service.ts"
import { filesStated, sourced } from "./manifest.ts"
import { planMappings } from "./plan.ts"
import { makePlanner, type Planned } from "./planner.ts"
import * as repo from "./repo.ts"
import { toApiError } from "./repository.ts"
import { ConnectorsService } from "./service.ts"
import { SyncService } from "./sync.ts"
import { newMapping } from "./sync-plan.ts"
import * as events from "./sync-repo.ts"

const syncPatience = "20 seconds"
const treeLimitDefault = 200

const candidateToWire = (candidate: PlannedCandidate): Connectors.Candidate => ({
  key: candidate.key,
  rootPath: candidate.rootPath,
  displayName: candidate.displayName,
  description: candidate.description,
  selectedByDefault: candidate.selectedByDefault,
  supported: candidate.supported,
  manifestPath: candidate.manifestPath,
  warnings: candidate.warnings,
  componentKinds: candidate.componentKinds,
  componentPaths: candidate.componentPaths,
  metadata: candidate.metadata
})

/** The branch that a request specifies, and the path of that field. */
interface BranchReference {
  readonly slot: "query" | "body"
  readonly connectorTargetId?: Id<"ctg">
}

const atBody = ({ connectorTargetId }: typeof Connectors.ApplyDiscovery.Type): BranchReference => ({
  slot: "body",
  ...(connectorTargetId === undefined ? {} : { connectorTargetId })
})

const isEnded = (status: Connectors.SyncStatus) => status !== "queued" && status !== "running"

/** Explores connected repositories and imports plugins from them. */
export class ImportService extends Context.Service<ImportService>()("@orgplane/server/connectors/ImportService", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const access = yield* AccessService
    const connectors = yield* ConnectorsService
    const discovery = yield* DiscoveryService
    const sync = yield* SyncService
    const planner = yield* makePlanner
    const { mutate, recall } = yield* Mutate

    /** An instance that the caller can explore, and its branch. */
    const openInstance = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      level: "viewer" | "editor",
      at: BranchReference
    ) {
      const instance = yield* connectors.demand(caller, id, level)
      const target = yield* connectors.targetOf(instance, at.connectorTargetId, at.slot)
      if (repo.isStopped(instance)) {
        return yield* new Connectors.InstanceDisabled()
      }
      return { instance, target }
    })

    const discoverInstance = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      level: "viewer" | "editor",
      at: BranchReference
    ) {
      const { instance, target } = yield* openInstance(caller, id, level, at)
      yield* connectors.demandReadable(caller)
      const discovered = yield* discovery.ofHead(instance, target).pipe(
        Effect.catchTags({
          DiscoveryInProgress: (error) => Effect.fail(retryAfter(error, 5)),
          CodeHostFailed: (failure) => Effect.fail(toApiError(failure))
        })
      )
      return { instance, target, discovered }
    })

    const discover = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      query: { readonly connectorTargetId?: Id<"ctg"> } = {}
    ) {
      const { discovered, instance, target } = yield* discoverInstance(caller, id, "viewer", {
        slot: "query",
        ...query
      })
      const { candidates, tree, warnings } = discovered.discovery
      return {
        autoImportNewPlugins: instance.auto_import_new_plugins,
        connectorInstance: repo.instanceToWire(caller, instance),
        connectorTarget: repo.targetToWire(caller, target),
        discoveredPlugins: yield* inTimeSlices(mapSteps(candidates, candidateToWire)),
        repositoryFullName: instance.repository_full_name,
        sourceRevisionRef: discovered.revision,
        steps: [
          { label: `Read ${tree.scannedEntryCount} entries of ${instance.repository_full_name}` },
          { label: `Found ${candidates.length} plugin${candidates.length === 1 ? "" : "s"}` }
        ],
        treeSummary: tree,
        warnings
      }
    })

    /** The commit of a cursor, as long as it is stored. */
    const continued = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      at: BranchReference,
      position: string
    ) {
      const { target } = yield* openInstance(caller, id, "viewer", at)
      const revision = position.slice(0, position.indexOf(":"))
      if (!(yield* discoveries.isKept(sql, caller.organizationId, target.id, revision))) {
        return yield* InvalidRequest.at(
          ["query", "cursor"],
          "refers to a revision that is no longer stored; start again without a cursor"
        )
      }
      return { target, revision, ordinal: Number(position.slice(position.indexOf(":") + 1)) }
    })

    /** A page of the tree, at the same commit as the first page. */
    const tree = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      query: {
        readonly cursor?: string
        readonly limit?: number
        readonly prefix?: string
        readonly connectorTargetId?: Id<"ctg">
      }
    ) {
      const { connectorTargetId, prefix = "" } = query
      const at: BranchReference = { slot: "query", ...(connectorTargetId === undefined ? {} : { connectorTargetId }) }
      const filters = [id, prefix, ...(connectorTargetId === undefined ? [] : [connectorTargetId])]
      const scope = { operation: "connectors.tree", organizationId: caller.organizationId, filters }
      const { target, ...start } = yield* query.cursor === undefined
        ? Effect.map(discoverInstance(caller, id, "viewer", at), ({ discovered, target }) => ({
            target,
            revision: discovered.revision,
            ordinal: 0
          }))
        : continued(caller, id, at, yield* pages.decode(scope, query.cursor))
      const limit = query.limit ?? treeLimitDefault
      const items: Array<Connectors.TreeEntry> = []
      let next: number | null = null
      let from = Math.floor(start.ordinal / discoveries.chunkSize)
      read: for (;;) {
        const rows = yield* discoveries.chunks(sql, caller.organizationId, target.id, start.revision, from, prefix, 2)
        if (rows.length === 0) break
        for (const row of rows) {
          for (const [index, entry] of row.entries_json.entries()) {
            const ordinal = row.ordinal * discoveries.chunkSize + index
            if (ordinal < start.ordinal || !entry.path.startsWith(prefix)) continue
            if (items.length === limit) {
              next = ordinal
              break read
            }
            items.push({ id: `${start.revision.slice(0, 12)}-${ordinal}`, ...entry })
          }
          from = row.ordinal + 1
        }
      }
      return { items, nextCursor: next === null ? null : pages.encode(scope, `${start.revision}:${next}`) }
    })

    /** The requested plugins. All must exist and be importable. */
    const select = Effect.fnUntraced(function* (discovered: Discovered, keys: ReadonlyArray<string>) {
      const byKey = new Map(discovered.discovery.candidates.map((candidate) => [candidate.key, candidate]))
      const details = keys.flatMap((key, index) => {
        const candidate = byKey.get(key)
        const message =
          candidate === undefined
            ? "is not a plugin of the repository"
            : candidate.supported
              ? undefined
              : (candidate.remoteProblem ?? candidate.warnings[0] ?? "cannot be imported")
        return message === undefined ? [] : [{ path: ["body", "selectedKeys", index], message }]
      })
      if (details.length > 0) return yield* new InvalidRequest({ details })
      return [...new Set(keys)].flatMap((key) => byKey.get(key) ?? [])
    })

    /** The marketplace that lists the plugins: the named one, the branch's own, or a new one. */
    const marketplaceFor = Effect.fnUntraced(function* (
      caller: Member,
      instance: repo.InstanceRow,
      target: repo.TargetRow,
      discovered: Discovered,
      { marketplaceId: named, share }: typeof Connectors.ApplyDiscovery.Type
    ) {
      if (named !== undefined) {
        const row = yield* marketplaces.get(sql, caller, named)
        if (row === undefined || row.level === 0) {
          return yield* InvalidRequest.at(["body", "marketplaceId"], "does not exist in the organization")
        }
        // Only managers of the marketplace can share it.
        yield* demandLevel(row.level, share === "orgWide" ? "manager" : "editor")
        return { id: row.id, name: row.name }
      }
      const own = yield* marketplaces.ofTarget(sql, caller.organizationId, target.id)
      if (own !== undefined) {
        // An editor of the connector can add plugins to the marketplace that the connector created only if they can
        // also edit the marketplace.
        const level = (yield* marketplaces.get(sql, caller, own.id))?.level ?? 0
        yield* demandLevel(level, share === "orgWide" ? "manager" : "editor")
        return own
      }
      const created = {
        id: makeId("mkt"),
        name: discovered.discovery.marketplace?.name ?? instance.repository_full_name,
        description: discovered.discovery.marketplace?.description ?? null,
        targetId: target.id
      }
      yield* marketplaces.create(sql, caller.organizationId, created, membershipOf(caller))
      yield* access.grantCreator(caller, "marketplace", created.id)
      return { id: created.id, name: created.name }
    })

    const writeImport = Effect.fnUntraced(function* (
      caller: Member,
      instance: repo.InstanceRow,
      target: repo.TargetRow,
      discovered: Discovered,
      selected: ReadonlyArray<PlannedCandidate>,
      input: typeof Connectors.ApplyDiscovery.Type,
      planned: Planned | undefined
    ) {
      const { organizationId } = caller
      const createdBy = membershipOf(caller)
      const locked = yield* repo.lockInstance(sql, organizationId, instance.id)
      if (locked === undefined) return yield* new Connectors.InstanceNotFound()
      if (repo.isStopped(locked)) return yield* new Connectors.InstanceDisabled()
      // The instance was moved to another repository after the discovery.
      if (locked.remote_id !== instance.remote_id) return yield* new Connectors.StaleRevision()
      if (planned !== undefined && !(yield* planner.isCurrent(planned, locked))) {
        return yield* new Connectors.PlanDigestMismatch({})
      }
      const marketplace = yield* marketplaceFor(caller, instance, target, discovered, input)
      yield* repo.setMarketplace(sql, organizationId, target.id, marketplace.id)
      const there = new Map(
        (yield* manifests.ofTarget(sql, organizationId, target.id)).map((row) => [row.candidate_key, row.manifest_json])
      )
      const put = yield* plugins.putSourced(
        sql,
        organizationId,
        yield* inTimeSlices(
          mapSteps(selected, (candidate) =>
            sourced(candidate, {
              id: makeId("plg"),
              targetId: target.id,
              repositoryFullName: instance.repository_full_name,
              revision: discovered.revision,
              // The published files stay until the sync has read all files.
              files: filesStated(there.get(candidate.key))
            })
          )
        ),
        createdBy
      )
      const ids = new Map(put.map((row) => [row.candidate_key, row.id]))
      const newIds = put.flatMap((row) => (row.is_new ? [row.id] : []))
      yield* access.grantCreatorOfAll(caller, "plugin", newIds)
      yield* inherit(sql, organizationId, newIds)
      yield* marketplaces.addPlugins(
        sql,
        organizationId,
        marketplace.id,
        put.map((row) => ({ id: makeId("mkp"), pluginId: row.id })),
        createdBy
      )
      const mappings = yield* repo.allMappings(sql, organizationId, target.id)
      const { added } = yield* inTimeSlices(planMappings(selected, mappings, () => true))
      const created = yield* repo.createMappings(
        sql,
        organizationId,
        yield* inTimeSlices(
          flatMapSteps(added, (mapping) => {
            const pluginId = ids.get(mapping.candidateKey)
            const place = { instanceId: instance.id, targetId: target.id }
            return pluginId === undefined ? [] : [newMapping(place, mapping, pluginId)]
          })
        )
      )
      yield* repo.setAutoImport(sql, organizationId, instance.id, input.autoImportNewPlugins)
      if (input.share === "orgWide") yield* access.share(organizationId, createdBy, "marketplace", marketplace.id)
      const event = yield* sync.queue(
        locked,
        target.id,
        "apply",
        planned === undefined ? {} : { revision: discovered.revision }
      )
      return {
        autoImportNewPlugins: input.autoImportNewPlugins,
        marketplace,
        plugins: selected.flatMap((candidate) => {
          const id = ids.get(candidate.key)
          return id === undefined ? [] : [{ key: candidate.key, id, name: candidate.displayName }]
        }),
        createdMappings: yield* inTimeSlices(mapSteps(created, repo.mappingToWire)),
        syncEvent: events.toWire(event),
        sourceRevisionRef: discovered.revision
      }
    })

    /** Waits for a sync to end, for a limited time, and returns its current state. */
    const settled = (organizationId: Id<"org">, event: Connectors.SyncEvent) =>
      events.findEvent(sql, organizationId, event.id).pipe(
        Effect.map((row) => (row === undefined ? event : events.toWire(row))),
        Effect.repeat({ schedule: Schedule.spaced("150 millis"), until: (now) => isEnded(now.status) }),
        Effect.timeoutOption(syncPatience),
        Effect.flatMap((endedEvent) =>
          endedEvent._tag === "Some"
            ? Effect.succeed(endedEvent.value)
            : Effect.map(events.findEvent(sql, organizationId, event.id), (row) =>
                row === undefined ? event : events.toWire(row)
              )
        )
      )

    const seenThrough = Effect.fnUntraced(function* (
      caller: Member,
      result: typeof Connectors.ApplyResult.Type,
      isWaiting: boolean
    ) {
      if (!isWaiting) return result
      return { ...result, syncEvent: yield* settled(caller.organizationId, result.syncEvent) }
    })

    /** Imports the selected plugins: creates their records in one transaction, and their content by a sync. */
    const apply = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      input: typeof Connectors.ApplyDiscovery.Type,
      isWaiting: boolean
    ) {
      yield* connectors.demand(caller, id, "editor")
      const storedResponse = yield* recall<typeof Connectors.ApplyResult.Type>(caller)
      if (storedResponse !== undefined) return yield* seenThrough(caller, storedResponse, isWaiting)
      const { discovered, instance, target } = yield* discoverInstance(caller, id, "editor", atBody(input))
      const selected = yield* select(discovered, input.selectedKeys)
      const planned =
        input.planDigest === undefined
          ? undefined
          : yield* planner.plan({ instance, target, discovered, selected, input })
      if (planned !== undefined && planned.digest !== input.planDigest) {
        return yield* new Connectors.PlanDigestMismatch({ planDigest: planned.digest })
      }
      const imported = yield* mutate(
        caller,
        "connector.apply",
        writeImport(caller, instance, target, discovered, selected, input, planned),
        (result) => ({
          target: id,
          after: {
            marketplaceId: result.marketplace.id,
            pluginIds: result.plugins.map((plugin) => plugin.id),
            mappings: result.createdMappings.length,
            autoImportNewPlugins: result.autoImportNewPlugins,
            share: input.share ?? "private",
            revision: result.sourceRevisionRef
          },
          describedObjects: result.autoImportNewPlugins === instance.auto_import_new_plugins ? [] : [id]
        })
      )
      return yield* seenThrough(caller, imported, isWaiting)
    })

    /** Previews `apply` with the same body. */
    const plan = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cin">,
      input: typeof Connectors.ApplyDiscovery.Type,
      disabledRules: string | undefined
    ) {
      const { discovered, instance, target } = yield* discoverInstance(caller, id, "viewer", atBody(input))
      const selected = yield* select(discovered, input.selectedKeys)
      if (input.marketplaceId !== undefined) {
        const marketplace = yield* marketplaces.get(sql, caller, input.marketplaceId)
        if (marketplace === undefined || marketplace.level === 0) {
          return yield* InvalidRequest.at(["body", "marketplaceId"], "does not exist in the organization")
        }
      }
      const planned = yield* planner.plan({ instance, target, discovered, selected, input })
      return yield* planner.show(caller, planned, disabledRules)
    })

    return { discover, tree, apply, plan } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
