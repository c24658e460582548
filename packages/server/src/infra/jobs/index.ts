import { ConnectorSyncEventId, OrganizationId } from "@orgplane/schema/shared/ids"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { makeId } from "../ids.ts"
import { currentOrigin, Origin, withOrigin } from "../origin.ts"
import { SqlDatabase } from "../sql/client.ts"
import { Notices } from "../sql/notices.ts"

const SyncJob = Schema.Struct({
  organizationId: OrganizationId,
  syncEventId: ConnectorSyncEventId,
  /** Absent in jobs of releases before 0.2.0. */
  origin: Schema.optionalKey(Origin)
})
export type SyncJob = typeof SyncJob.Type

const isSyncJob = Schema.is(SyncJob)

/**
 * Maximum number of attempts for one sync. The sync event counts them, so that attempts by a process that has exited
 * are included.
 */
export const attemptsMax = 6
/**
 * Maximum number of attempts for one queue entry. It is never reached, because the sync decides when to stop retrying.
 */
const deliveriesMax = 1_000_000
/** How long a job stays locked by a worker that has exited. */
export const lockSeconds = 30
const pollSeconds = 10
const wakeChannel = "orgplane_sync_jobs"

const layerStore = PersistedQueue.layerStoreSql({
  // Offering a job wakes the workers. The poll finds jobs that were released because their process exited.
  pollInterval: `${pollSeconds} seconds`,
  lockRefreshInterval: `${Math.floor(lockSeconds / 3)} seconds`,
  lockExpiration: `${lockSeconds} seconds`
})

/** Creates the queue's tables, which no migration creates, without starting a worker. */
export const createQueueTables = Effect.scoped(Layer.build(layerStore))

/** The queue of syncs: durable, at least once, inserted in the transaction that requests the sync. */
export class SyncJobs extends Context.Service<SyncJobs>()("@orgplane/server/jobs/SyncJobs", {
  make: Effect.gen(function* () {
    const notices = yield* Notices
    const scope = yield* Effect.scope
    const sql = yield* SqlDatabase
    const queue = yield* PersistedQueue.make({ name: "connector-sync", schema: SyncJob, maxAttempts: deliveriesMax })

    /** Queues a sync event; idempotent. */
    const offer = (organizationId: Id<"org">, syncEventId: Id<"cse">) =>
      Effect.gen(function* () {
        yield* queue.offer({ organizationId, syncEventId, origin: yield* currentOrigin }, { id: syncEventId })
        // The notification is sent when the transaction commits, so that workers in other processes do not have to wait
        // for their next poll.
        yield* notices.publish(wakeChannel, `${organizationId} ${syncEventId}`)
      }).pipe(Effect.orDie)

    /** Offers a delayed job again when it is due, because the queue might otherwise sleep until its next poll. */
    const wakeWhenDue = (job: SyncJob, id: string, delay: Duration.Input) =>
      Effect.ignore(queue.offer(job, { id })).pipe(
        // The queue's delays are in whole seconds.
        Effect.delay(Duration.millis(1000 * Math.ceil(Duration.toSeconds(Duration.fromInputUnsafe(delay))) + 10)),
        Effect.forkIn(scope),
        Effect.asVoid
      )

    /** Queues a sync event again, with its own job ID, because the queue keeps the IDs of completed jobs. */
    const again = (organizationId: Id<"org">, syncEventId: Id<"cse">, delay?: Duration.Input) =>
      Effect.gen(function* () {
        const id = `${syncEventId}/${makeId("cse")}`
        const job = { organizationId, syncEventId, origin: yield* currentOrigin }
        yield* queue.offer(job, { id, ...(delay === undefined ? {} : { delay }) })
        if (delay === undefined) yield* notices.publish(wakeChannel, `${organizationId} ${syncEventId}`)
        else yield* sql.afterCommit(wakeWhenDue(job, id, delay))
      }).pipe(Effect.orDie)

    /** Offering a queued job again only wakes this process's worker. */
    const wakeOnNotice = notices.subscribe(wakeChannel).pipe(
      Stream.runForEach((notice) => {
        const [organizationId, syncEventId] = notice._tag === "Notice" ? notice.payload.split(" ") : []
        const job = { organizationId, syncEventId }
        return isSyncJob(job) ? Effect.ignore(queue.offer(job, { id: job.syncEventId })) : Effect.void
      })
    )

    /** Runs a job when one is due, as a part of the request that queued it. */
    const take = <A, E, R>(run: (job: SyncJob) => Effect.Effect<A, E, R>) =>
      queue.take((job) => withOrigin(run(job), job.origin))

    return { offer, again, take, wakeOnNotice } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(
    Layer.provide(PersistedQueue.layer),
    Layer.merge(PersistedQueue.layerCleanup({ timeToLive: "1 hour", failedTimeToLive: "30 days" })),
    Layer.provideMerge(layerStore)
  )
}
