import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Webhooks from "@orgplane/schema/webhooks"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import { recordAudit } from "../audit/record.ts"
import { RemoteEvents, type Outcome, type RemoteFacts } from "../connectors/remote-events.ts"
import { makeId } from "../ids.ts"
import { limits, RateLimiter } from "../limits/index.ts"
import { Mutate } from "../mutate/index.ts"
import { Pages } from "../pages/index.ts"
import { SqlDatabase } from "../sql/client.ts"
import { fencedTransaction } from "../sql/fence.ts"
import type { Verified } from "./ingress.ts"
import { factsOf, parseBody } from "./payload.ts"
import * as repo from "./repo.ts"

/** Instances that the audit names of a delivery; their number is in it anyway. */
const instancesTold = 20

const ignored = (reason: Webhooks.IgnoredReason) => ({ ok: true as const, accepted: false as const, reason })
const accepted = (deliveryId: string) => ({
  ok: true as const,
  accepted: true as const,
  deliveryId,
  queued: true as const
})

const statusOf = (outcome: Outcome) =>
  ({
    status: outcome.isActed ? "accepted" : "ignored",
    reason: outcome.isActed ? null : "target_unknown",
    connector_instance_ids: outcome.instanceIds,
    sync_event_ids: outcome.syncEventIds
  }) as const

/** Deliveries that were verified: what follows from them, and what organizations see of it. */
export class WebhooksService extends Context.Service<WebhooksService>()("@orgplane/server/webhooks/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const fenced = yield* fencedTransaction
    const remote = yield* RemoteEvents
    const pages = yield* Pages
    const limiter = yield* RateLimiter
    const { mutate } = yield* Mutate

    /** Acts upon a delivery for one organization, and keeps what it needs to do so again. */
    const actFor = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      { deliveryId, event }: { readonly deliveryId: string; readonly event: RemoteFacts["event"] },
      facts: RemoteFacts,
      place: Parameters<typeof remote.act>[2]
    ) {
      const id = makeId("dlv")
      const work = Effect.gen(function* () {
        const outcome = yield* remote.act(organizationId, facts, place)
        const row = yield* repo.put(sql, organizationId, {
          id,
          delivery_id: deliveryId,
          event,
          facts_json: facts,
          ...statusOf(outcome)
        })
        return { id: row?.id ?? id, outcome }
      })
      return yield* work.pipe(
        Effect.tap(({ id, outcome }): Effect.Effect<unknown, SqlError> =>
          // What changed nothing stands among the deliveries, and is no change that somebody audits.
          outcome.isActed
            ? recordAudit(sql, { kind: "system", organizationId }, "webhook.received", {
                target: id,
                after: {
                  event,
                  action: facts.action,
                  connectorInstanceIds: outcome.instanceIds.slice(0, instancesTold),
                  syncEvents: outcome.syncEventIds.length
                }
              })
            : Effect.void
        ),
        Effect.map(({ outcome }) => outcome.isActed),
        (work) => fenced(organizationId, work)
      )
    })

    /** What follows from a verified delivery, whole or not at all; a repetition finds it done. */
    const receive = Effect.fnUntraced(function* ({ body, deliveryId, event }: Verified) {
      const parsed = parseBody(body)
      const facts = parsed === undefined ? undefined : factsOf(event, parsed.json)
      if (facts === undefined) return yield* new Webhooks.PayloadInvalid()
      if (facts === "ignored" || !remote.isRelevant(facts)) return ignored("event_ignored")
      // A name that is in nobody's use needs no transaction.
      const { isInstalled, organizationIds, place } = yield* remote.concerned(facts)
      if (organizationIds.length === 0) {
        return ignored(facts.installationId !== null && !isInstalled ? "installation_unknown" : "target_unknown")
      }
      return yield* Effect.gen(function* () {
        if (!(yield* repo.takeReceipt(sql, deliveryId, event))) return accepted(deliveryId)
        const acted = yield* Effect.forEach(organizationIds, (organizationId) =>
          actFor(organizationId, { deliveryId, event: facts.event }, facts, place)
        )
        if (acted.some((one) => one)) return accepted(deliveryId)
        yield* repo.dropReceipt(sql, deliveryId, event)
        return ignored("target_unknown")
      }).pipe(sql.withTransaction)
    })

    const list = (
      caller: Member,
      query: PageQuery & { readonly event?: Webhooks.EventKind; readonly status?: Webhooks.Delivery["status"] }
    ) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.read(
        { operation: "webhooks.listDeliveries", organizationId: caller.organizationId, filters },
        query,
        (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        (row) => row.id,
        repo.toWire
      )
    }

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"dlv">) {
      const row = yield* repo.get(sql, caller.organizationId, id)
      return row === undefined ? yield* new Webhooks.DeliveryNotFound() : repo.toWire(row)
    })

    /** Acts upon a delivery again, for the caller's organization alone. */
    const redeliver = Effect.fnUntraced(function* (caller: Member, id: Id<"dlv">) {
      const { organizationId } = caller
      // A workspace that nobody has claimed is no way to have other hosts asked without end.
      if (caller.provisional) yield* limiter.take(caller.request, limits.provisionalOutbound, organizationId)
      const known = yield* repo.get(sql, organizationId, id)
      if (known === undefined) return yield* new Webhooks.DeliveryNotFound()
      const place = yield* remote.placeOf(known.facts_json)
      return yield* mutate(
        caller,
        "webhook.redeliver",
        Effect.gen(function* () {
          const row = yield* repo.lock(sql, organizationId, id)
          if (row === undefined) return yield* new Webhooks.DeliveryNotFound()
          const outcome = yield* remote.act(organizationId, row.facts_json, place)
          const after = yield* repo.redelivered(sql, organizationId, id, statusOf(outcome))
          if (after === undefined) return yield* new Webhooks.DeliveryNotFound()
          return repo.toWire(after)
        }),
        (delivery) => ({
          target: id,
          after: { event: delivery.event, status: delivery.status, syncEvents: delivery.syncEventIds.length }
        })
      )
    })

    return { receive, list, get, redeliver } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
