import { auditActions, storedAuditActionOf } from "@orgplane/schema/shared/audit-actions"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeId } from "../../infra/ids.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { restSeconds, roundsOf, shortPause, wake } from "../../infra/sql/wakes.ts"
import { permissionsFrom } from "../auth/permissions.ts"
import { listAfter } from "../events/repo.ts"
import { selectionOf, typesOfPatterns } from "../events/selection.ts"
import { toEvents } from "../events/wire.ts"
import { bodyOf } from "./body.ts"
import * as repo from "./queue-repo.ts"

/** An organization has at most 100 endpoints. */
const endpointsMax = 200
const scanEventsMax = 5_000
/** Events that are queued in a transaction, and messages if the events are queued for several endpoints. */
const eventsAtOnce = 200
const messagesAtOnce = 5_000
const knownActions = auditActions.map(storedAuditActionOf)

/** `more`: there are further events. `locked`: another transaction has locked an endpoint. */
type Result = "done" | "more" | "locked" | "failed"

/** What an endpoint can see: like an API key with its permissions. */
export const readerOf = (
  organizationId: Member["organizationId"],
  permissions: ReadonlyArray<string>,
  plan: string
): Omit<Member, "request"> => ({
  kind: "member",
  organizationId,
  principal: { kind: "key", keyId: "key_00000000000000000000000000" },
  isAdmin: false,
  isOwner: false,
  permissions: permissionsFrom(permissions),
  provisional: false,
  hasManagedObjects: false,
  plan
})

/** Queues the events of the feed for webhook endpoints, each with the body that every attempt sends. */
export class WebhookQueue extends Context.Service<WebhookQueue>()("@orgplane/server/webhookEndpoints/Queue", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase

    /** Queues the next events for endpoints with the same position and settings, each with one body for all of them. */
    const queueFor = Effect.fnUntraced(function* (endpoints: ReadonlyArray<repo.QueueRow>) {
      const [first] = endpoints
      if (first === undefined) return "done"
      const { head, organization_id: organizationId, position: start } = first
      const ids = endpoints.map(({ id }) => id)
      const reader = readerOf(organizationId, first.permissions_json, first.plan)
      const types = first.types_json.length === 0 ? undefined : typesOfPatterns(first.types_json)
      const limit = Math.max(1, Math.min(eventsAtOnce, Math.floor(messagesAtOnce / endpoints.length)))
      const scanned = Math.min(head, start + scanEventsMax)
      const read = yield* listAfter(sql, selectionOf(reader, {}, types), start, scanned, limit)
      const end = read.length === limit ? (read.at(-1)?.sequence ?? scanned) : scanned
      const unknown = yield* repo.firstUnknown(sql, organizationId, knownActions, start, end)
      const last = unknown === undefined ? end : unknown - 1
      if (last <= start) return "done"
      const events = yield* toEvents(
        sql,
        reader,
        read.filter(({ sequence }) => sequence <= last)
      )
      if (events.length > 0) {
        const bodies = events.map((event) => ({ id: makeId("whm"), body: bodyOf(event) }))
        const messages = endpoints.flatMap(({ id: endpointId, permissions_version: permissionsVersion }) =>
          events.map(({ id: eventId, sequence, type }, index) => ({
            id: makeId("whm"),
            endpointId,
            permissionsVersion,
            eventId,
            sequence,
            type,
            bodyId: bodies[index]?.id ?? ""
          }))
        )
        yield* repo.insertMessages(sql, organizationId, bodies, messages)
        yield* wake(sql, "webhooks")
      }
      yield* repo.advance(sql, organizationId, ids, events.length > 0, last)
      return last < head && unknown === undefined ? "more" : "done"
    })

    /** Queues the next events of endpoints of an organization. Returns whether there are more, or locked endpoints. */
    const queueNext = (organizationId: Id<"org">, ids: ReadonlyArray<Id<"whe">>): Effect.Effect<ReadonlySet<Result>> =>
      Effect.gen(function* () {
        const locked = yield* repo.lockForQueue(sql, organizationId, ids)
        const results = new Set<Result>(locked.length < ids.length ? ["locked"] : [])
        const behind = locked.filter(({ head, position }) => position < head)
        if (behind.length === 0) return results
        const full = yield* repo.full(
          sql,
          organizationId,
          behind.map(({ id }) => id)
        )
        const alike = Map.groupBy(
          behind.filter(({ id }) => !full.has(id)),
          ({ permissions_json: permissions, position, types_json: types }) =>
            JSON.stringify([position, types, permissions])
        )
        for (const endpoints of alike.values()) results.add(yield* queueFor(endpoints))
        return results
      }).pipe(
        sql.withTransaction,
        // A failure does not stop the other endpoints.
        Effect.catchCause((cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
          return ids.length > 1
            ? Effect.map(
                Effect.forEach(ids, (id) => queueNext(organizationId, [id])),
                (results) => new Set(results.flatMap((each) => [...each]))
              )
            : Effect.as(
                Effect.logWarning("Cannot queue events for a webhook endpoint. Retrying.", cause),
                new Set<Result>(["failed"])
              )
        })
      )

    const round = Effect.gen(function* () {
      const results = new Set<Result>()
      for (let after: repo.BehindRow | undefined; ;) {
        const behind: ReadonlyArray<repo.BehindRow> = yield* repo.behind(sql, after, endpointsMax)
        for (const [organizationId, ofOne] of Map.groupBy(behind, (row) => row.organization_id)) {
          const ids = ofOne.map(({ id }) => id)
          for (const result of yield* queueNext(organizationId, ids)) results.add(result)
        }
        after = behind.at(-1)
        if (behind.length < endpointsMax) break
      }
      return results.has("more") || results.has("locked") ? 1 : results.has("failed") ? 5 : restSeconds
    }).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.as(Effect.logWarning("Cannot queue events for webhook endpoints. Retrying.", cause), 1)
      )
    )

    return { worker: roundsOf(sql, ["changes"], round, shortPause) } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
