import { auditActions, storedAuditActionOf } from "@orgplane/schema/shared/audit-actions"
import type { Member } from "@orgplane/schema/shared/caller"
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

const endpointsMax = 50
const scanEventsMax = 5_000
const queuedAtOnce = 200
const knownActions = auditActions.map(storedAuditActionOf)

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

    /** Queues the next events of an endpoint. Returns whether there are more, or whether another process has locked it. */
    const queueNext = ({ id, organization_id: organizationId }: repo.BehindRow) =>
      Effect.gen(function* () {
        const row = yield* repo.lockForQueue(sql, organizationId, id)
        if (row === undefined) return "locked"
        if (row.position >= row.head) return "done"
        if (yield* repo.isFull(sql, organizationId, id)) return "done"
        const reader = readerOf(organizationId, row.permissions_json, row.plan)
        const types = row.types_json.length === 0 ? undefined : typesOfPatterns(row.types_json)
        const scanned = Math.min(row.head, row.position + scanEventsMax)
        const unknown = yield* repo.firstUnknown(sql, organizationId, knownActions, row.position, scanned)
        const last = unknown === undefined ? scanned : unknown - 1
        if (last <= row.position) return "done"
        const rows = yield* listAfter(sql, selectionOf(reader, {}, types), row.position, last, queuedAtOnce)
        const events = yield* toEvents(sql, reader, rows)
        const position = rows.length === queuedAtOnce ? (rows.at(-1)?.sequence ?? last) : last
        const messages = events.map((event) => ({
          id: makeId("whm"),
          eventId: event.id,
          sequence: event.sequence,
          type: event.type,
          body: bodyOf(event)
        }))
        yield* repo.enqueue(sql, organizationId, id, row.permissions_version, messages, position)
        if (messages.length > 0) yield* wake(sql, "webhooks")
        return position < row.head ? "more" : "done"
      }).pipe(
        sql.withTransaction,
        // A failure does not stop the other endpoints.
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : Effect.as(Effect.logWarning("Cannot queue events for a webhook endpoint. Retrying.", cause), "failed")
        )
      )

    const round = Effect.gen(function* () {
      const results = new Set<string>()
      for (let after: repo.BehindRow | undefined; ;) {
        const behind: ReadonlyArray<repo.BehindRow> = yield* repo.behind(sql, after, endpointsMax)
        for (const endpoint of behind) results.add(yield* queueNext(endpoint))
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
