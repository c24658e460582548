import { objectsMax, releasesMax, statusPluginsMax, type Usage } from "@orgplane/schema/delivery"
import { PluginNotFound } from "@orgplane/schema/plugins"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { compareReleases } from "../rollouts/evidence.ts"
import { settings } from "../rollouts/settings-repo.ts"
import type { ComparedInstallation } from "./compare.ts"
import { comparePairs, makeSnapshot } from "./comparison.ts"
import { type DaysQuery, daysOf } from "./days.ts"
import * as statusRepo from "./status-repo.ts"
import { makeRunning } from "./tally.ts"
import * as repo from "./usage-repo.ts"

const duplicatesMax = 100
/** Plugins with events that are considered, so that those with the most installations can be chosen. */
const candidatesMax = 2000

const everything = { membershipId: null, teamId: null }

interface UsageQuery extends DaysQuery {
  readonly pluginId?: Id<"plg">
}

const byKey = <A, K extends string>(rows: ReadonlyArray<A>, keyOf: (row: A) => K): ReadonlyMap<K, A> =>
  new Map(rows.map((row) => [keyOf(row), row]))

/** The usage of plugins and of their releases. */
export class DeliveryUsageService extends Context.Service<DeliveryUsageService>()("@orgplane/server/devices/Usage", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const snapshot = yield* makeSnapshot

    /** The installations of plugins and releases on devices that are not offline. */
    const readRunning = Effect.fnUntraced(function* (organizationId: Id<"org">, pluginId: string | null) {
      return yield* snapshot(
        Effect.gen(function* () {
          const running = makeRunning(yield* statusRepo.existingPlugins(sql, organizationId, pluginId))
          const pairs = (yield* statusRepo.pairs(sql, organizationId, everything)).filter((pair) => !pair.is_offline)
          const visit = ({ count }: statusRepo.PairCount, installations: ReadonlyArray<ComparedInstallation>) =>
            running.visit(installations, count)
          yield* comparePairs(sql, organizationId, pairs, pluginId, visit)
          return running
        })
      )
    })

    const usage = Effect.fnUntraced(function* (caller: Member, query: UsageQuery) {
      const { organizationId } = caller
      const days = yield* daysOf(query)
      const only = query.pluginId ?? null
      const filtered = yield* statusRepo.getExisting(sql, caller, { ...everything, pluginId: only })
      if (filtered?.has_plugin !== true) return yield* new PluginNotFound()
      const running = yield* readRunning(organizationId, only)
      const events = byKey(
        yield* repo.pluginEvents(sql, organizationId, days, only, candidatesMax),
        (row) => row.plugin_id
      )
      const candidates = [...new Set([...running.pluginIds(), ...events.keys()])].toSorted(
        (a, b) =>
          running.of(b) - running.of(a) ||
          (events.get(b)?.events ?? 0) - (events.get(a)?.events ?? 0) ||
          (a < b ? -1 : 1)
      )
      const pluginIds = candidates.slice(0, statusPluginsMax)
      const names = yield* statusRepo.names(sql, caller, pluginIds)
      const usersOfPlugins = byKey(
        yield* repo.pluginUsers(sql, organizationId, days, pluginIds),
        (row) => row.plugin_id
      )
      const releases = yield* repo.releases(sql, organizationId, pluginIds, releasesMax)
      const digests = [...new Set(releases.map(({ digest }) => digest))]
      const used = byKey(yield* repo.releaseEvents(sql, organizationId, days, digests), (row) => row.digest)
      const compared = [...new Set([...digests, ...releases.flatMap((row) => row.previous_digest ?? [])])]
      const users = byKey(yield* repo.releaseUsers(sql, organizationId, compared), (row) => row.digest)
      const { thresholds } = yield* settings(sql, organizationId)
      const usersOf = (digest: string) => ({
        reports: users.get(digest)?.users ?? 0,
        failed: users.get(digest)?.failed_users ?? 0
      })
      /** Whether a release fails more often than the one before it. */
      const isFailing = (row: repo.ReleaseRow) => {
        if (row.previous_digest === null) return false
        const installs = { reports: row.install_reports, failed: row.install_failed }
        const previous = { reports: row.previous_reports, failed: row.previous_failed }
        return (
          compareReleases(installs, previous, thresholds).isCrossed ||
          compareReleases(usersOf(row.digest), usersOf(row.previous_digest), thresholds).isCrossed
        )
      }
      const objects = only === null ? [] : yield* repo.objectEvents(sql, caller, days, only, objectsMax)
      const ofPlugins = Map.groupBy(releases, (row) => row.plugin_id)
      const visibleIds = pluginIds.filter((id) => names.has(id) && running.of(id) > 0)
      const duplicates = yield* repo.duplicates(sql, caller, visibleIds, duplicatesMax)
      return {
        ...days,
        plugins: pluginIds.map((pluginId) => {
          const own = events.get(pluginId)
          const name = names.get(pluginId) ?? null
          return {
            pluginId,
            name,
            running: running.of(pluginId),
            events: own?.events ?? 0,
            users: usersOfPlugins.get(pluginId)?.users ?? 0,
            lastUsedDay: own?.last_day ?? null,
            unused: running.of(pluginId) > 0 && own === undefined,
            objects: objects.map((row) => ({
              configObjectId: row.id,
              title: row.title,
              events: row.events,
              failedEvents: row.failed_events
            })),
            releases: (ofPlugins.get(pluginId) ?? []).map((release) => {
              const { digest, id, install_failed: installFailed, install_reports: installReports, version } = release
              const one = used.get(digest)
              return {
                digest: name === null ? null : digest,
                releaseId: name === null ? null : id,
                version: name === null ? null : version,
                running: running.of(pluginId, digest),
                installReports,
                installFailed,
                events: one?.events ?? 0,
                failedEvents: one?.failed_events ?? 0,
                userDays: one?.user_days ?? 0,
                failedUserDays: one?.failed_user_days ?? 0,
                failing: isFailing(release)
              }
            })
          }
        }),
        duplicates: duplicates.map((row) => ({
          title: row.title,
          objectType: row.object_type,
          pluginIds: row.plugin_ids
        })),
        truncated: candidates.length > pluginIds.length
      } satisfies Usage
    })

    return { usage } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
