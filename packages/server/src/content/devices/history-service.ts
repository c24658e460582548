import type * as Delivery from "@orgplane/schema/delivery"
import { PluginNotFound } from "@orgplane/schema/plugins"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { aloneAndEvery } from "../../infra/jobs/lease.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import { comparePairs, makeSnapshot } from "./comparison.ts"
import { type DaysQuery, daysOf } from "./days.ts"
import * as repo from "./history-repo.ts"
import * as statusRepo from "./status-repo.ts"
import { makeTally, type TalliedPlugin } from "./tally.ts"

/** Plugins whose days are recorded: those with the most installations that are not running first. */
const recordedPluginsMax = 500
const organizationsAtOnce = 100
/** A tolerance, so that a run that starts slightly early is not skipped. */
const everyMinutes = 55

const everything = { membershipId: null, teamId: null }

interface HistoryQuery extends DaysQuery {
  readonly pluginId?: Id<"plg">
  readonly digest?: string
}

/** The sums of a plugin: of all its releases, and of each. Several archives can belong to one release. */
const sumsOf = ({ releases, ...plugin }: TalliedPlugin): ReadonlyArray<repo.RecordedSum> => {
  const sumOf = (counts: Delivery.Counts, digest: string): repo.RecordedSum => ({
    pluginId: plugin.pluginId,
    digest,
    deviceCount: counts.wanted,
    running: counts.running,
    behind: counts.behind,
    missing: counts.missing,
    failed: counts.failed,
    offline: counts.offline
  })
  const byDigest = new Map<string, repo.RecordedSum>()
  for (const { digest, ...counts } of releases) {
    if (digest === null) continue
    const sum = sumOf(counts, digest)
    const other = byDigest.get(digest)
    byDigest.set(
      digest,
      other === undefined
        ? sum
        : {
            ...sum,
            deviceCount: sum.deviceCount + other.deviceCount,
            running: sum.running + other.running,
            behind: sum.behind + other.behind,
            missing: sum.missing + other.missing,
            failed: sum.failed + other.failed,
            offline: sum.offline + other.offline
          }
    )
  }
  return [sumOf(plugin, ""), ...byDigest.values()]
}

/** Records the delivery status of each day, and reads the records. */
export class DeliveryHistoryService extends Context.Service<DeliveryHistoryService>()(
  "@orgplane/server/devices/History",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const restricted = yield* organizationTransaction
      const snapshot = yield* makeSnapshot

      const recordOne = Effect.fnUntraced(function* (organizationId: Id<"org">) {
        // Unwanted plugins are not recorded.
        const tally = makeTally({ pluginId: null, digest: null }, new Set())
        const { total } = yield* snapshot(
          Effect.gen(function* () {
            const counts = yield* statusRepo.deviceCounts(sql, organizationId, everything)
            const pairs = yield* statusRepo.pairs(sql, organizationId, everything)
            yield* comparePairs(sql, organizationId, pairs, null, ({ count }, installations) =>
              tally.visit(installations, count)
            )
            return counts
          })
        )
        const { installations, plugins } = tally.result(recordedPluginsMax)
        const { wanted: _, ...sums } = installations
        const ofAll: repo.RecordedSum = { pluginId: "", digest: "", deviceCount: total, ...sums }
        const ofPlugins = plugins.filter(({ wanted }) => wanted > 0).flatMap(sumsOf)
        yield* restricted(organizationId, repo.record(sql, organizationId, [ofAll, ...ofPlugins]))
      })

      /** Records the current day of each organization with devices. If one fails, the others are still recorded. */
      const record = Effect.gen(function* () {
        for (let after = ""; ;) {
          const organizations = yield* repo.organizationsWithDevices(sql, after, organizationsAtOnce)
          for (const { id } of organizations) {
            yield* recordOne(id).pipe(
              Effect.catchCause((cause) =>
                Effect.logWarning(`The delivery history of ${id} could not be recorded. Retrying in one hour.`, cause)
              )
            )
          }
          const last = organizations.at(-1)
          if (last === undefined || organizations.length < organizationsAtOnce) return
          after = last.id
        }
      }).pipe(
        // Uses separate connections, so that long statements do not time out those of requests.
        Effect.provideService(StatementMillisMax, longStatementMillis)
      )

      /** Records once per hour, in one process at a time. */
      const worker = aloneAndEvery(sql, "delivery_history", everyMinutes, record).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning("The delivery history could not be recorded. Retrying in 10 minutes.", cause)
        ),
        Effect.repeat(Schedule.spaced("10 minutes")),
        Effect.delay("1 minute")
      )

      const history = Effect.fnUntraced(function* (caller: Member, query: HistoryQuery) {
        const days = yield* daysOf(query)
        const pluginId = query.pluginId ?? null
        const digest = query.digest ?? null
        const existing = yield* statusRepo.getExisting(sql, caller, { ...everything, pluginId })
        if (existing?.has_plugin !== true) return yield* new PluginNotFound()
        const rows = yield* repo.days(sql, caller.organizationId, days, pluginId, digest)
        return {
          ...days,
          pluginId,
          digest,
          days: rows.map(({ devices, ...row }) => ({
            ...row,
            deviceCount: devices,
            wanted: row.running + row.behind + row.missing + row.failed + row.offline
          }))
        } satisfies Delivery.History
      })

      return { record, worker, history } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
