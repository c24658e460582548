import { ConnectorSyncEventId, OrganizationId } from "@orgplane/schema/shared/ids"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Notices } from "../sql/notices.ts"

const SyncJob = Schema.Struct({ organizationId: OrganizationId, syncEventId: ConnectorSyncEventId })
export type SyncJob = typeof SyncJob.Type

const isSyncJob = Schema.is(SyncJob)

export const attemptsMax = 6
/** A worker that is gone is believed alive no longer than this. */
export const lockSeconds = 30
const wakeChannel = "orgplane_sync_jobs"

/** Syncs that wait to be done: durable, done at least once, offered in the transaction that asks for them. */
export class SyncJobs extends Context.Service<SyncJobs>()("@orgplane/server/jobs/SyncJobs", {
  make: Effect.gen(function* () {
    const notices = yield* Notices
    const queue = yield* PersistedQueue.make({ name: "connector-sync", schema: SyncJob, maxAttempts: attemptsMax })

    /** Queues a sync event; a second offer of the same one changes nothing. */
    const offer = (organizationId: Id<"org">, syncEventId: Id<"cse">) =>
      Effect.gen(function* () {
        yield* queue.offer({ organizationId, syncEventId }, { id: syncEventId })
        // The notice is sent when the transaction commits: workers of other processes need not wait for their poll.
        yield* notices.publish(wakeChannel, `${organizationId} ${syncEventId}`)
      }).pipe(Effect.orDie)

    /** Offering what is there already only wakes this process's worker. */
    const wakeOnNotice = notices.subscribe(wakeChannel).pipe(
      Stream.runForEach((notice) => {
        const [organizationId, syncEventId] = notice._tag === "Notice" ? notice.payload.split(" ") : []
        const job = { organizationId, syncEventId }
        return isSyncJob(job) ? Effect.ignore(queue.offer(job, { id: job.syncEventId })) : Effect.void
      })
    )

    return { offer, take: queue.take, wakeOnNotice } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(
    Layer.provide(PersistedQueue.layer),
    Layer.provideMerge(
      PersistedQueue.layerStoreSql({
        pollInterval: "1 second",
        lockRefreshInterval: `${Math.floor(lockSeconds / 3)} seconds`,
        lockExpiration: `${lockSeconds} seconds`
      })
    )
  )
}
