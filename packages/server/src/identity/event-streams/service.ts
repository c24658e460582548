import * as Streams from "@orgplane/schema/event-streams"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { demandPlainUrl } from "../../infra/http/plain-url.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate, stale } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import { wake } from "../../infra/sql/wakes.ts"
import { AuditChain } from "../audit/chain.ts"
import { checkPatterns } from "../events/selection.ts"
import * as repo from "./repo.ts"
import { streamSecretContext } from "./secrets.ts"
import * as sending from "./sender-repo.ts"
import { EventStreamSender } from "./sender.ts"

const headersMax = 10
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/u
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u
const regionName = /^[a-z0-9-]+$/u
const objectPrefix = /^[A-Za-z0-9!_.*'()/-]*$/u
/** Characters that HTTP allows in the value of a header. */
const headerValue = /^[\t\u0020-\u007e]*$/u

const toWire = (row: repo.Row): Streams.EventStream => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  destination: row.destination_json,
  hasSecret: row.has_secret,
  types: row.types_json,
  state: row.state,
  position: row.position,
  lag: row.lag,
  failingSince: isoOrNull(row.failing_since),
  lastError: row.last_error,
  nextAttemptAt: row.failing_since === null ? null : iso(row.next_attempt_at),
  lastDeliveredAt: isoOrNull(row.last_delivered_at),
  createdByOrgMembershipId: row.created_by_membership_id,
  version: row.version,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

/** What the audit log records about a stream. It excludes the name and URL, which users choose. */
const recordOf = (row: repo.Row) => ({
  kind: row.destination_json.kind,
  hasSecret: row.has_secret,
  types: row.types_json,
  state: row.state,
  position: row.position
})

/** What a secret belongs to. It is not sent to another URL, another bucket or another kind of destination. */
const audienceOf = (destination: Streams.EventStreamDestination) =>
  destination.kind === "s3"
    ? `s3 ${destination.endpoint} ${destination.bucket}`
    : `${destination.kind} ${destination.url}`

const secretOf = (target: Streams.EventStreamTarget): string | undefined => {
  if (target.kind === "https") return target.token
  if (target.kind === "s3") return target.secretAccessKey
  return target.headers === undefined ? undefined : JSON.stringify(target.headers)
}

const demand = (isValid: boolean, name: string, requirement: string) =>
  isValid ? Effect.void : Effect.fail(InvalidRequest.at(["body", "destination", name], requirement))

const demandUrl = (name: string, text: string) => demandPlainUrl(text, ["body", "destination", name])

const destinationOf = Effect.fnUntraced(function* (target: Streams.EventStreamTarget) {
  switch (target.kind) {
    case "https":
      yield* demand(headerValue.test(target.token ?? ""), "token", "must contain only printable ASCII characters")
      return {
        kind: "https",
        url: yield* demandUrl("url", target.url),
        format: target.format ?? "ndjson"
      } satisfies Streams.EventStreamDestination
    case "s3": {
      const { accessKeyId, bucket, endpoint, prefix = "", region } = target
      const hasQuery = URL.canParse(endpoint) && new URL(endpoint).href.includes("?")
      yield* demand(!hasQuery, "endpoint", "must not contain a query, because the object is appended to its path")
      yield* demand(bucketName.test(bucket), "bucket", "must be the name of a bucket")
      yield* demand(regionName.test(region), "region", "must contain only a-z, 0-9 and hyphens")
      const isPrefix = objectPrefix.test(prefix) && !prefix.split("/").some((part) => part === "." || part === "..")
      yield* demand(isPrefix, "prefix", "must contain only letters, digits, / and the characters !_.*'()-")
      yield* demand(headerValue.test(accessKeyId), "accessKeyId", "must contain only printable ASCII characters")
      return {
        kind: "s3",
        endpoint: yield* demandUrl("endpoint", endpoint),
        region,
        bucket,
        prefix,
        accessKeyId
      } satisfies Streams.EventStreamDestination
    }
    case "otlp": {
      const headers = Object.entries(target.headers ?? {})
      yield* demand(headers.length <= headersMax, "headers", `must contain at most ${headersMax} headers`)
      const areValid = headers.every(([name, value]) => headerName.test(name) && headerValue.test(value))
      yield* demand(areValid, "headers", "must contain valid names and values of HTTP headers")
      return { kind: "otlp", url: yield* demandUrl("url", target.url) } satisfies Streams.EventStreamDestination
    }
    default:
      return target satisfies never
  }
})

/** Manages event streams. */
export class EventStreamsService extends Context.Service<EventStreamsService>()(
  "@orgplane/server/eventStreams/Service",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const keys = yield* KeyRing
      const pages = yield* Pages
      const chain = yield* AuditChain
      const sender = yield* EventStreamSender
      const { mutate } = yield* Mutate

      const existing = <A>(row: A | undefined) =>
        row === undefined ? Effect.fail(new Streams.EventStreamNotFound()) : Effect.succeed(row)
      const find = (organizationId: Id<"org">, id: Id<"evs">) =>
        Effect.flatMap(repo.find(sql, organizationId, id), existing)

      const putSecret = (organizationId: Id<"org">, id: Id<"evs">, secret: string | undefined) =>
        repo.putSecret(
          sql,
          organizationId,
          id,
          secret === undefined ? null : keys.seal(streamSecretContext(organizationId, id), secret)
        )

      const list = (caller: Member, query: PageQuery & { readonly q?: string }) => {
        const { cursor: _cursor, limit: _limit, ...filters } = query
        return pages.list(caller, query, {
          filters,
          rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
          toWire
        })
      }

      const get = ({ organizationId }: Member, id: Id<"evs">) => Effect.map(find(organizationId, id), toWire)

      const create = Effect.fnUntraced(function* (caller: Member, input: typeof Streams.CreateEventStream.Type) {
        const { organizationId } = caller
        yield* checkPatterns(input.types ?? [], ["body", "types"])
        const destination = yield* destinationOf(input.destination)
        const secret = secretOf(input.destination)
        yield* demand(destination.kind !== "s3" || secret !== undefined, "secretAccessKey", "is required")
        const { head } = yield* chain.ends(organizationId)
        const { item } = yield* mutate(
          caller,
          "event_stream.create",
          Effect.gen(function* () {
            if ((yield* repo.count(sql, organizationId)) >= Streams.streamsMax)
              return yield* new Streams.EventStreamQuota()
            const id = makeId("evs")
            yield* repo.insert(sql, organizationId, {
              id,
              name: input.name,
              destination,
              types: input.types ?? [],
              position: Math.min(input.after ?? head, head),
              createdBy: membershipOf(caller)
            })
            if (secret !== undefined) yield* putSecret(organizationId, id, secret)
            yield* wake(sql, "changes")
            const row = yield* Effect.flatMap(repo.find(sql, organizationId, id), (row) =>
              expectRow(row, "event stream")
            )
            return { item: toWire(row), record: recordOf(row) }
          }),
          ({ item, record }) => ({ target: item.id, after: record })
        )
        return item
      })

      /** Changes a stream in one transaction. */
      const change = <E, R>(
        caller: Member,
        action: "event_stream.update" | "event_stream.pause" | "event_stream.resume",
        id: Id<"evs">,
        work: (row: repo.Row) => Effect.Effect<unknown, E, R>
      ) =>
        Effect.andThen(
          find(caller.organizationId, id),
          mutate(
            caller,
            action,
            Effect.gen(function* () {
              const { organizationId } = caller
              const before = yield* Effect.flatMap(repo.lock(sql, organizationId, id), existing)
              yield* stale(caller, before.version)
              yield* work(before)
              yield* wake(sql, "changes")
              const after = yield* find(organizationId, id)
              const isDescribed = action === "event_stream.update" || before.state !== after.state
              return { item: toWire(after), before: recordOf(before), after: recordOf(after), isDescribed }
            }),
            ({ after, before, isDescribed }) => ({
              target: id,
              before,
              after,
              describedObjects: isDescribed ? [id] : []
            })
          )
        ).pipe(Effect.map(({ item }) => item))

      const update = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"evs">,
        input: typeof Streams.UpdateEventStream.Type
      ) {
        const { organizationId } = caller
        yield* checkPatterns(input.types ?? [], ["body", "types"])
        const destination = input.destination === undefined ? undefined : yield* destinationOf(input.destination)
        const secret = input.destination === undefined ? undefined : secretOf(input.destination)
        return yield* change(caller, "event_stream.update", id, (row) =>
          Effect.gen(function* () {
            if (Object.keys(input).length === 0) return
            if (destination !== undefined) {
              const isSame = audienceOf(destination) === audienceOf(row.destination_json)
              const isMissing = destination.kind === "s3" && secret === undefined && !isSame
              yield* demand(!isMissing, "secretAccessKey", "is required, because the destination has another origin")
              if (secret !== undefined || !isSame) yield* putSecret(organizationId, id, secret)
            }
            yield* repo.update(sql, organizationId, id, {
              name: input.name ?? row.name,
              destination: destination ?? row.destination_json,
              types: input.types ?? row.types_json
            })
          })
        )
      })

      const pause = (caller: Member, id: Id<"evs">) =>
        change(caller, "event_stream.pause", id, (row) =>
          row.state === "paused" ? Effect.void : repo.setState(sql, caller.organizationId, id, "paused")
        )

      const resume = (caller: Member, id: Id<"evs">) =>
        change(caller, "event_stream.resume", id, () => repo.setState(sql, caller.organizationId, id, "active"))

      const remove = (caller: Member, id: Id<"evs">) =>
        Effect.andThen(
          find(caller.organizationId, id),
          mutate(
            caller,
            "event_stream.remove",
            Effect.gen(function* () {
              const row = yield* Effect.flatMap(repo.lock(sql, caller.organizationId, id), existing)
              yield* stale(caller, row.version)
              yield* repo.remove(sql, caller.organizationId, id)
              return row
            }),
            (row) => ({ target: id, before: recordOf(row) })
          )
        ).pipe(Effect.asVoid)

      /** Sends a test. The audit event is written before, because a test reaches another system. */
      const test = Effect.fnUntraced(function* (caller: Member, id: Id<"evs">) {
        const { organizationId } = caller
        const row = yield* Effect.flatMap(sending.find(sql, organizationId, id), existing)
        yield* mutate(caller, "event_stream.test", Effect.void, () => ({ target: id }))
        return yield* sender.sendTest(row)
      })

      /** The secret as it was stored; undefined if there is none or it cannot be decrypted. */
      const readSecret = Effect.fnUntraced(function* (organizationId: Id<"org">, id: Id<"evs">) {
        const row = yield* sending.find(sql, organizationId, id)
        if (row === undefined || row.key_id === null || row.nonce === null || row.ciphertext === null) return undefined
        const sealed = { keyId: row.key_id, nonce: row.nonce, ciphertext: row.ciphertext }
        const secret = keys.tryOpen(streamSecretContext(organizationId, id), sealed)
        return secret === undefined ? undefined : Redacted.make(secret)
      })

      return { list, get, create, update, pause, resume, remove, test, readSecret } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
