import type { SyncEvent } from "@orgplane/schema/connectors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { makeId } from "../../infra/ids.ts"
import { SyncJobs } from "../../infra/jobs/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import type * as repo from "./repo.ts"
import * as events from "./sync-repo.ts"

/** Triggers from a user or API key. A sync with one of these removes the pin of an earlier rollback. */
const byHand: ReadonlySet<SyncEvent["trigger"]> = new Set(["manual", "resync", "retry", "apply", "rollback"])

/** Creates the functions that queue syncs. */
export const makeQueue = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const jobs = yield* SyncJobs

  /**
   * Queues a sync in the current transaction. If one is already waiting for the same purpose, returns that one. A
   * manual sync request replaces a waiting rollback, and a request for a revision replaces a waiting sync of the head.
   */
  const queue = Effect.fnUntraced(function* (
    instance: Pick<repo.InstanceRow, "id" | "organization_id" | "last_sync_cursor">,
    targetId: Id<"ctg">,
    trigger: SyncEvent["trigger"],
    how: { readonly mode?: events.EventRow["mode"]; readonly revision?: string } = {}
  ) {
    const organizationId = instance.organization_id
    const mode = how.mode ?? "head"
    const isByHand = byHand.has(trigger)
    if (how.revision !== undefined) {
      yield* events.supersede(sql, organizationId, targetId, "Superseded by a later request.")
    } else if (isByHand) {
      yield* events.supersedeRollback(sql, organizationId, targetId, "Superseded by a later request.")
    }
    const event = yield* events.putQueued(sql, organizationId, {
      id: makeId("cse"),
      instanceId: instance.id,
      targetId,
      trigger,
      mode,
      revision: how.revision ?? null,
      isByHand
    })
    yield* jobs.offer(organizationId, event.id)
    return event
  })

  /**
   * Queues an approved sync again, for the revision that was approved. It replaces a waiting sync of the same
   * branch.
   */
  const approve = Effect.fnUntraced(function* (organizationId: Id<"org">, held: events.EventRow) {
    yield* events.supersede(sql, organizationId, held.connector_target_id, "Superseded by an approved sync.")
    const event = yield* events.requeue(sql, organizationId, held.id)
    if (event !== undefined) yield* jobs.again(organizationId, held.id)
    return event
  })

  return { queue, approve } as const
})
