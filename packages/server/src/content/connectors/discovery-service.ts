import * as Connectors from "@orgplane/schema/connectors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { CodeHostFailed, Snapshot } from "../../infra/ports/code-host.ts"
import { type PluginBounds, Settings } from "../../infra/config/settings.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { inTimeSlices, mapSteps } from "../../infra/time-slices.ts"
import type { Discovery } from "./discovery/candidate.ts"
import { discover } from "./discovery/discover.ts"
import { snapshotWithLinks } from "./discovery/links.ts"
import { treeInSlices } from "./discovery/tree.ts"
import * as discoveries from "./discovery-repo.ts"
import { laneOf, makeLanes } from "./lanes.ts"
import { RemotePlugins, type RemoteSession } from "./remote-plugins.ts"
import { openRepository } from "./repository.ts"
import type { InstanceRow, TargetRow } from "./repo.ts"

export interface Discovered {
  readonly revision: string
  readonly discovery: Discovery
}

const patience = Duration.seconds(30)
/** A head that was read within this time is used again. */
const headMillis = 2000

/** Reads a snapshot into a discovery, including the plugins that its marketplace takes from other sources. */
export const readSnapshot = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  repositoryFullName: string,
  session: RemoteSession,
  folderBounds: PluginBounds
) {
  return yield* discover(
    {
      entries: snapshot.entries,
      truncated: snapshot.truncated,
      strategy: snapshot.strategy,
      remotes: session.remotes,
      repositoryFullName,
      folderBounds,
      isReadByRequest: snapshot.isReadByRequest === true
    },
    Effect.fnUntraced(function* (paths) {
      const tree = yield* treeInSlices(snapshot.entries)
      const shas = new Map(paths.map((path) => [path, tree.file(path)?.sha]))
      const presentShas = [...shas.values()].filter((sha) => sha !== undefined)
      const contentsBySha = yield* snapshot.read(presentShas)
      const contents = new Map<string, Uint8Array>()
      for (const [path, sha] of shas) {
        const content = sha === undefined ? session.manifest(path) : contentsBySha.get(sha)
        if (content !== undefined) contents.set(path, content)
      }
      return contents
    })
  )
})

/** Repositories that one process reads at the same time for interactive requests; others wait. */
const laneLimits = { total: 12, perOrganization: 3, perOrigin: 3 }

/** Identifies a branch of the instance's current repository. */
const placeOf = (instance: InstanceRow, target: TargetRow) => `${target.id} ${instance.remote_id} ${target.branch}`

/** Discovers a branch's plugins, once per commit, with one job per target. */
export class DiscoveryService extends Context.Service<DiscoveryService>()(
  "@orgplane/server/connectors/DiscoveryService",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const fenced = yield* organizationTransaction
      const remotePlugins = yield* RemotePlugins
      const open = yield* openRepository
      const { pluginBounds } = yield* Settings
      const scope = yield* Scope.Scope
      const lanes = makeLanes(laneLimits)
      const running = new Map<string, Deferred.Deferred<Discovered, CodeHostFailed>>()
      const recentHeads = new Map<string, { readonly revision: string; readonly until: number }>()

      const keep = Effect.fnUntraced(function* (
        organizationId: Id<"org">,
        targetId: Id<"ctg">,
        snapshot: Snapshot,
        discovery: Discovery
      ) {
        const { all } = yield* treeInSlices(snapshot.entries)
        const entries = yield* inTimeSlices(mapSteps(all, discoveries.storedEntryOf))
        const serialized = yield* discoveries.serialize(discovery, entries)
        yield* discoveries
          .put(sql, organizationId, targetId, snapshot.revision, remotePlugins.version, serialized)
          .pipe((put) => fenced(organizationId, put), Effect.orDie)
      })

      /** A stored discovery of a commit; `isWhole` requires one in which nothing was missing. */
      const find = (organizationId: Id<"org">, targetId: Id<"ctg">, revision: string, isWhole: boolean) =>
        discoveries.find(sql, organizationId, targetId, revision, remotePlugins.version, isWhole)

      const analyze = (instance: InstanceRow, target: TargetRow, revision: string) =>
        Effect.gen(function* () {
          const snapshot = yield* snapshotWithLinks(yield* (yield* open(instance)).snapshot(target.branch, revision))
          const discovery = yield* readSnapshot(
            snapshot,
            snapshot.fullName ?? instance.repository_full_name,
            yield* remotePlugins.session(instance.organization_id, false),
            pluginBounds
          )
          yield* keep(instance.organization_id, target.id, snapshot, discovery)
          return { revision: snapshot.revision, discovery }
        }).pipe(Effect.scoped, Effect.withSpan("connectors.discovery"), (read) =>
          lanes.within(laneOf(instance.organization_id, instance), read)
        )

      const headRevisionOf = Effect.fnUntraced(function* (instance: InstanceRow, target: TargetRow) {
        const now = yield* Clock.currentTimeMillis
        const recentHead = recentHeads.get(placeOf(instance, target))
        if (recentHead !== undefined && recentHead.until > now) return recentHead.revision
        const revision = yield* (yield* open(instance)).head(target.branch)
        recentHeads.clear()
        recentHeads.set(placeOf(instance, target), { revision, until: now + headMillis })
        return revision
      })

      /**
       * The discovery of the branch's head. Waits up to 30 seconds; after that the discovery continues in the
       * background.
       */
      const ofHead = Effect.fnUntraced(function* (
        instance: InstanceRow,
        target: TargetRow
      ): Effect.fn.Return<Discovered, CodeHostFailed | Connectors.DiscoveryInProgress> {
        const job = running.get(placeOf(instance, target))
        const deferred = job ?? Deferred.makeUnsafe<Discovered, CodeHostFailed>()
        if (job === undefined) {
          running.set(placeOf(instance, target), deferred)
          yield* Effect.gen(function* () {
            const revision = yield* headRevisionOf(instance, target)
            const stored = yield* find(instance.organization_id, target.id, revision, false).pipe(Effect.orDie)
            return stored === undefined ? yield* analyze(instance, target, revision) : { revision, discovery: stored }
          }).pipe(
            Effect.exit,
            Effect.flatMap((exit) => {
              running.delete(placeOf(instance, target))
              return Deferred.done(deferred, exit)
            }),
            Effect.forkIn(scope)
          )
        }
        const result = yield* Effect.timeoutOption(Deferred.await(deferred), patience)
        return Option.isSome(result) ? result.value : yield* new Connectors.DiscoveryInProgress()
      })

      return { ofHead, find, keep } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
