import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Webhooks from "@orgplane/schema/webhooks"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RemoteEvents } from "../connectors/remote-events.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { statusOf, WebhookInbox } from "./inbox.ts"
import type { Verified } from "./ingress.ts"
import { factsOf, parseBody } from "./payload.ts"
import * as repo from "./repo.ts"

const ignored = (reason: Webhooks.IgnoredReason) => ({ ok: true as const, accepted: false as const, reason })
const accepted = (deliveryId: string) => ({
  ok: true as const,
  accepted: true as const,
  deliveryId,
  queued: true as const
})

/** Processes verified deliveries, and lists them for organizations. */
export class WebhooksService extends Context.Service<WebhooksService>()("@orgplane/server/webhooks/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const remote = yield* RemoteEvents
    const inbox = yield* WebhookInbox
    const pages = yield* Pages
    const limiter = yield* RateLimiter
    const { mutate } = yield* Mutate

    /** Stores a verified delivery and returns its effect; a redelivery finds it stored or processed. */
    const receive = Effect.fnUntraced(function* ({ body, deliveryId, event }: Verified) {
      const parsed = parseBody(body)
      const facts = parsed === undefined ? undefined : factsOf(event, parsed.json)
      if (facts === undefined) return yield* new Webhooks.PayloadInvalid()
      if (facts === "ignored" || !remote.isRelevant(facts)) return ignored("event_ignored")
      const place = yield* remote.placeOf(facts)
      const verdict = yield* inbox.accept({ deliveryId, facts, place, ...remote.scopeOf(facts) })
      if (verdict.is_done || verdict.is_acted) return accepted(deliveryId)
      const isUnknown = !verdict.is_known && facts.installationId !== null && !verdict.is_installed
      return ignored(isUnknown ? "installation_unknown" : "target_unknown")
    })

    const list = (
      caller: Member,
      query: PageQuery & { readonly event?: Webhooks.EventKind; readonly status?: Webhooks.Delivery["status"] }
    ) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        toWire: repo.toWire
      })
    }

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"dlv">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
      return row === undefined ? yield* new Webhooks.DeliveryNotFound() : repo.toWire(row)
    })

    /** Processes a delivery again, for the caller's organization only. */
    const redeliver = Effect.fnUntraced(function* (caller: Member, id: Id<"dlv">) {
      const { organizationId } = caller
      // Limits requests to other hosts from an unclaimed workspace.
      if (caller.provisional) yield* limiter.take(caller.request, limits.provisionalOutbound, organizationId)
      const delivery = yield* repo.find(sql, organizationId, id)
      if (delivery === undefined) return yield* new Webhooks.DeliveryNotFound()
      const place = yield* remote.placeOf(delivery.facts_json)
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
