import type { Member, WorkerCaller } from "@orgplane/schema/shared/caller"
import * as Errors from "@orgplane/schema/shared/errors"
import type { PageQuery } from "@orgplane/schema/shared/page"
import { bounds, type Description, eventTypes, sources } from "@orgplane/schema/telemetry"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Settings } from "../../infra/config/settings.ts"
import { retryAfter } from "../../infra/http/retry-after.ts"
import { Pages } from "../../infra/pages/index.ts"
import type { EventBatch } from "../../infra/ports/event-store.ts"
import { checkedBytesMin, jsonFault } from "../../infra/http/json-bounds.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { IngestBuffer, type Outcome } from "./buffer.ts"
import { checkEvents, encodeColumns, isObject } from "./events.ts"
import { makePlainReader } from "./plain-batch.ts"
import * as repo from "./repo.ts"

type Sender = Member | WorkerCaller
type Events = Omit<EventBatch, "organizationId" | "requestId" | "receivedAt" | keyof Identity>
type Identity = Pick<EventBatch, "userId" | "membershipId" | "workerId" | "keyId">

/** The owner of the events: a worker's events also belong to its member, an API key's to no user. */
const identityOf = (caller: Sender): Identity => {
  if (caller.kind === "worker") {
    return {
      userId: caller.createdByUserId,
      membershipId: caller.createdByMembershipId,
      workerId: caller.workerId,
      keyId: null
    }
  }
  const { principal } = caller
  return principal.kind === "key"
    ? { userId: null, membershipId: null, workerId: null, keyId: principal.keyId }
    : { userId: principal.userId, membershipId: principal.membershipId, workerId: null, keyId: null }
}

const text = (of: "event" | "dimension", name: string, required: boolean, minimum: number, maximum: number) =>
  ({ of, name, kind: "string", required, minimum, maximum }) as const

const fields: Description["fields"] = [
  text("event", "id", false, 1, bounds.idLength),
  text("event", "type", true, 1, bounds.typeLength),
  { of: "event", name: "timestamp", kind: "date-time", required: true, minimum: null, maximum: null },
  text("event", "source", true, 1, Math.max(...sources.map((source) => source.length))),
  text("event", "sessionId", false, 1, bounds.sessionIdLength),
  { of: "event", name: "durationMs", kind: "integer", required: false, minimum: 0, maximum: bounds.durationMsMax },
  { of: "event", name: "success", kind: "boolean", required: false, minimum: null, maximum: null },
  { of: "event", name: "dimensions", kind: "array", required: false, minimum: 0, maximum: bounds.dimensions },
  text("dimension", "type", true, 1, bounds.dimensionTypeLength),
  text("dimension", "value", false, 0, bounds.dimensionValueLength),
  text("dimension", "label", false, 0, bounds.dimensionLabelLength),
  { of: "dimension", name: "metadata", kind: "object", required: false, minimum: null, maximum: bounds.metadataBytes }
]

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const invalid = (path: ReadonlyArray<string>, message: string) => Errors.InvalidRequest.at(["body", ...path], message)

const textDecoder = new TextDecoder()

/** The events of a body. Only the envelope is validated here. */
const eventsOf = (body: Uint8Array): ReadonlyArray<unknown> | Errors.InvalidRequest => {
  const fault = body.length < checkedBytesMin ? undefined : jsonFault(body)
  if (fault !== undefined) return invalid([], fault)
  let value: unknown
  try {
    value = JSON.parse(textDecoder.decode(body))
  } catch {
    return invalid([], "must be valid JSON")
  }
  if (!isObject(value)) return invalid([], "must be an object")
  if (!Object.hasOwn(value, "events")) return invalid(["events"], "is required")
  const events: unknown = value["events"]
  if (!isList(events)) return invalid(["events"], "must be an array")
  if (events.length === 0 || events.length > bounds.events) {
    return invalid(["events"], `must have 1 to ${bounds.events} events`)
  }
  return events
}

const nothingRemoved = { dropped: 0, fieldsRemoved: 0, reasons: null }
const dayMillis = 86_400_000
const retryAfterSeconds = 2

export class TelemetryService extends Context.Service<TelemetryService>()("@orgplane/server/telemetry/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const buffer = yield* IngestBuffer
    const { telemetry } = yield* Settings
    const types: ReadonlySet<string> = new Set([...eventTypes, ...telemetry.types])

    const readPlain = makePlainReader(types)

    const fromAt = (now: number) => now - telemetry.retentionDays * dayMillis
    const untilAt = (now: number) => now + bounds.futureHours * 3_600_000

    /** Checks the events of a body. */
    const readEvents = (body: Uint8Array, now: number): Events | Errors.InvalidRequest => {
      const plain = readPlain(body, fromAt(now), untilAt(now))
      if (plain !== undefined) return { ...plain, sent: plain.kept, ...nothingRemoved }
      const events = eventsOf(body)
      if (events instanceof Errors.InvalidRequest) return events
      const checked = checkEvents({ types, from: fromAt(now), until: untilAt(now) }, events)
      return {
        sent: events.length,
        kept: checked.kept,
        dropped: checked.dropped,
        fieldsRemoved: checked.fieldsRemoved,
        reasons: checked.reasons === undefined ? null : JSON.stringify(checked.reasons),
        earliest: checked.kept === 0 ? now : checked.earliest,
        latest: checked.kept === 0 ? now : checked.latest,
        columns: encodeColumns(checked.columns)
      }
    }

    const responseFor = (outcome: Outcome): Effect.Effect<void, Errors.OrganizationNotFound | Errors.Unavailable> => {
      if (outcome === "stored") return Effect.void
      if (outcome === "gone") return Effect.fail(new Errors.OrganizationNotFound())
      return Effect.fail(retryAfter(new Errors.Unavailable(), retryAfterSeconds))
    }

    /** Checks a batch and waits until the accepted events and their ledger row are durable. */
    const ingest = (
      caller: Sender,
      body: Uint8Array,
      now: number
    ): Effect.Effect<void, Errors.InvalidRequest | Errors.OrganizationNotFound | Errors.Unavailable> => {
      const events = readEvents(body, now)
      if (events instanceof Errors.InvalidRequest) return Effect.fail(events)
      const batch: EventBatch = {
        organizationId: caller.organizationId,
        requestId: caller.request.requestId,
        receivedAt: now,
        ...identityOf(caller),
        ...events
      }
      return Effect.flatMap(buffer.put(batch), (outcome) => responseFor(outcome))
    }

    const describe = Effect.map(Clock.currentTimeMillis, (now): { readonly telemetry: Description } => {
      const iso = (millis: number) => new Date(millis).toISOString()
      return {
        telemetry: {
          types: [...types],
          sources,
          fields,
          eventsMax: bounds.events,
          retentionDays: telemetry.retentionDays,
          ledgerDays: bounds.ledgerDays,
          futureHours: bounds.futureHours,
          acceptedFrom: iso(fromAt(now)),
          acceptedUntil: iso(untilAt(now)),
          serverTime: iso(now)
        }
      }
    })

    const ledger = Effect.fnUntraced(function* (caller: Member, query: PageQuery & { readonly requestId?: string }) {
      const { organizationId } = caller
      const { requestId } = query
      const since = new Date((yield* Clock.currentTimeMillis) - bounds.ledgerDays * dayMillis)
      return yield* pages.list(caller, query, {
        filters: { requestId },
        rows: (after, limit) =>
          repo.listLedger(
            sql,
            organizationId,
            requestId === undefined ? { since } : { since, requestId },
            after,
            limit
          ),
        toWire: repo.toWire
      })
    })

    return { ingest, describe, ledger } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
