import * as Events from "@orgplane/schema/events"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest, RateLimited } from "@orgplane/schema/shared/errors"
import { eventTypes, eventVisibilityOf } from "@orgplane/schema/shared/event-types"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Page, PageQuery } from "@orgplane/schema/shared/page"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { parsePeriod } from "../../infra/audit/moment.ts"
import { retryAfter } from "../../infra/http/retry-after.ts"
import { limitDefault, Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { AuditChain } from "../audit/chain.ts"
import { findBounds, listFeedCheckpoints, type SealedRow } from "../audit/repo.ts"
import { readPermissions } from "../auth/rights.ts"
import { describeType } from "./catalog.ts"
import { EventHeads } from "./heads.ts"
import * as repo from "./repo.ts"
import { type Filters, parseTypes, selectionOf } from "./selection.ts"
import { toEvents } from "./wire.ts"

/** Events that one statement scans for matches, and the number of such statements per request. */
const scanEventsMax = 5_000
const scansMax = 20
const streamBatchMax = 100
/** Live streams of one organization in one process. */
const streamsMax = 200
const heartbeatSeconds = 15
/** How long the permissions of a stream that sends many events are used without reading them again. */
const permissionsMillis = 1_000
const retryAfterSeconds = 60

const isEqual = <A>(one: ReadonlySet<A>, other: ReadonlySet<A>) =>
  one.size === other.size && [...one].every((value) => other.has(value))

const frameOf = (event: Events.Event): string =>
  `id: ${event.sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** Advances the position of the client without an event, and shows that the connection is alive. */
const heartbeatOf = (sequence: number): string => `: keep-alive\nid: ${sequence}\n\n`

interface ListQuery extends PageQuery, Filters {
  readonly since?: string
  readonly until?: string
  readonly after?: number
}

/** Reads and streams the events of an organization. */
export class EventsService extends Context.Service<EventsService>()("@orgplane/server/events/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const chain = yield* AuditChain
    const heads = yield* EventHeads

    const selectionFor = Effect.fnUntraced(function* (reader: Member, filters: Filters) {
      const types = filters.types === undefined ? undefined : yield* parseTypes(filters.types, ["query", "types"])
      return selectionOf(reader, filters, types)
    })

    /** Fails if events after this number were deleted at the end of their retention. */
    const demandRetained = Effect.fnUntraced(function* (organizationId: Id<"org">, after: number) {
      const deleted = yield* chain.truncatedThrough(organizationId)
      if (after >= deleted) return
      const oldestSequence = deleted + 1
      return yield* new Events.EventsExpired({
        message: `The events after ${after} were deleted at the end of their retention. The oldest stored event is ${oldestSequence}.`,
        oldestSequence
      })
    })

    const list = Effect.fnUntraced(function* (
      caller: Member,
      { after, cursor, limit = limitDefault, ...filters }: ListQuery
    ) {
      const { organizationId } = caller
      const period = yield* parsePeriod(filters)
      const selection = { ...(yield* selectionFor(caller, filters)), ...period }
      const scope = { operation: "events.list", organizationId, filters: { ...filters, after } }
      const position = cursor === undefined ? undefined : Number(yield* pages.decode(scope, cursor))
      const { head } = yield* chain.ends(organizationId)
      const isForward = after !== undefined
      if (isForward) yield* demandRetained(organizationId, position ?? after)
      const oldest = isForward ? 1 : (yield* chain.truncatedThrough(organizationId)) + 1
      const { first = 0, last = head + 1 } = yield* findBounds(sql, organizationId, period)
      // Positions are exclusive where a list starts; the last position of a list is inclusive.
      const start = isForward ? Math.max(position ?? after, first) : Math.min(position ?? head + 1, last)
      const end = isForward ? Math.min(head, last) : Math.max(oldest, first)
      const isAtEnd = (at: number) => (isForward ? at >= end : at <= end)
      const rows: Array<SealedRow> = []
      let at = start
      for (let scans = 0; scans < scansMax && rows.length < limit && !isAtEnd(at); scans += 1) {
        const missing = limit - rows.length
        const to = isForward ? Math.min(end, at + scanEventsMax) : Math.max(end, at - scanEventsMax)
        const read = isForward ? repo.listAfter : repo.listBefore
        const batch = yield* read(sql, selection, at, to, missing)
        rows.push(...batch)
        at = batch.length === missing ? (batch.at(-1)?.sequence ?? to) : to
      }
      const items = yield* toEvents(sql, caller, rows)
      return { items, nextCursor: isAtEnd(at) ? null : pages.encode(scope, String(at)) } satisfies Page<Events.Event>
    })

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"aud">) {
      const row = yield* repo.find(sql, selectionOf(caller, {}, undefined), id)
      const [event] = row === undefined ? [] : yield* toEvents(sql, caller, [row])
      return event ?? (yield* new Events.EventNotFound())
    })

    const checkpoints = (caller: Member, query: PageQuery) =>
      pages.listBy(caller, query, {
        rows: (last, limit) =>
          listFeedCheckpoints(sql, caller.organizationId, last === null ? null : Number(last), limit),
        idOf: (row) => String(row.sequence),
        toWire: (row): Events.EventCheckpoint => ({
          organizationId: row.organization_id,
          sequence: row.sequence,
          hash: row.hash,
          keyId: row.key_id,
          signature: row.signature,
          createdAt: iso(row.signed_at)
        })
      })

    const types = () =>
      eventTypes.map((type) => {
        const visibility = eventVisibilityOf(type)
        return { type, description: describeType(type), permission: visibility === "self" ? null : visibility }
      })

    /** Streams events until the rights of the caller change. */
    const stream = Effect.fnUntraced(function* (
      caller: Member,
      { after, lastEventId, ...filters }: Filters & { readonly after?: number; readonly lastEventId?: string }
    ) {
      const { organizationId } = caller
      const selection = yield* selectionFor(caller, filters)
      if (lastEventId !== undefined && !/^\d{1,15}$/u.test(lastEventId)) {
        return yield* InvalidRequest.at(["header", "last-event-id"], "must be a sequence number")
      }
      if (heads.streamsOf(organizationId) >= streamsMax)
        return yield* retryAfter(
          new RateLimited({
            message: `The organization has ${streamsMax} live streams of events on this server. Close one, or retry later.`
          }),
          retryAfterSeconds
        )
      const { head } = yield* chain.ends(organizationId)
      const start = lastEventId === undefined ? (after ?? head) : Number(lastEventId)
      yield* demandRetained(organizationId, start)
      // The scope is that of the response body, which ends after the request.
      const frames = Effect.gen(function* () {
        const wait = yield* heads.watch(organizationId, head)
        /** While a stream sends full batches, it need not read the permissions before each one. */
        let checkedUntil = Number.NEGATIVE_INFINITY
        const step = Effect.fnUntraced(function* (at: number) {
          const last = Math.min(yield* wait(at, heartbeatSeconds), at + scanEventsMax)
          // A revocation and a change of permissions end the stream, also while nothing happens.
          const now = yield* Clock.currentTimeMillis
          if (now >= checkedUntil) {
            const permissions = yield* readPermissions(sql, caller)
            if (permissions === undefined || !isEqual(permissions, caller.permissions)) {
              return [[], Option.none<number>()] as const
            }
            checkedUntil = now + permissionsMillis
          }
          const rows = yield* repo.listAfter(sql, selection, at, last, streamBatchMax)
          const events = (yield* toEvents(sql, caller, rows)).map(frameOf)
          const isFull = rows.length === streamBatchMax
          if (!isFull) checkedUntil = Number.NEGATIVE_INFINITY
          const next = isFull ? (rows.at(-1)?.sequence ?? last) : Math.max(at, last)
          return [[...events, ...(events.length === 0 ? [heartbeatOf(next)] : [])], Option.some(next)] as const
        })
        // The first part of the response is sent at once, so that the client can see that it is connected.
        return Stream.concat(
          start < head ? Stream.empty : Stream.make(heartbeatOf(start)),
          Stream.paginate(start, step)
        )
      })
      return Stream.unwrap(frames).pipe(Stream.encodeText, Stream.orDie)
    })

    return { list, get, types, checkpoints, stream } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
