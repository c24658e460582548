import * as Webhooks from "@orgplane/schema/webhook-endpoints"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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
import { ordered } from "../auth/permissions.ts"
import { listAfter } from "../events/repo.ts"
import { checkPatterns, selectionOf, typesOfPatterns } from "../events/selection.ts"
import { toEvents } from "../events/wire.ts"
import { bodyOf, testBodyOf } from "./body.ts"
import { readerOf } from "./queue.ts"
import * as queue from "./queue-repo.ts"
import * as repo from "./repo.ts"
import { secretContext } from "./secrets.ts"
import { usableSecrets } from "./sender-repo.ts"
import { WebhookRequests } from "./sending.ts"
import { makeSecret } from "./signing.ts"

const overlapSecondsDefault = 86_400
const attemptsMax = 20
const redeliverBatch = 500

const toWire = (row: repo.Row): Webhooks.WebhookEndpoint => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  url: row.url,
  types: row.types_json,
  permissions: row.permissions_json,
  ordering: row.ordering,
  signature: row.signature,
  publicKey: row.public_key,
  previousSecretUntil: isoOrNull(row.previous_until),
  state: row.state,
  pauseReason: row.pause_reason,
  position: row.position,
  pendingCount: row.pending_count,
  failingSince: isoOrNull(row.failing_since),
  lastDeliveredAt: isoOrNull(row.last_delivered_at),
  createdByOrgMembershipId: row.created_by_membership_id,
  version: row.version,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

const messageToWire = (row: repo.MessageRow): Webhooks.WebhookMessage => ({
  id: row.id,
  webhookEndpointId: row.endpoint_id,
  eventId: row.event_id,
  sequence: row.sequence,
  type: row.type,
  state: row.state,
  attemptCount: row.attempts,
  nextAttemptAt: isoOrNull(row.next_attempt_at),
  deliveredAt: isoOrNull(row.delivered_at),
  createdAt: iso(row.created_at)
})

/** What the audit log records about an endpoint. It excludes the name and URL, which users choose. */
const recordOf = (row: repo.Row) => ({
  types: row.types_json,
  permissions: row.permissions_json,
  ordering: row.ordering,
  signature: row.signature,
  state: row.state
})

/** The state in a configuration document, which does not describe why the server stopped an endpoint. */
export const stateIn = ({ pause_reason, state }: Pick<repo.Row, "pause_reason" | "state">): "active" | "paused" =>
  state === "paused" && pause_reason === "manual" ? "paused" : "active"

/** Manages webhook endpoints. */
export class WebhookEndpointsService extends Context.Service<WebhookEndpointsService>()(
  "@orgplane/server/webhookEndpoints/Service",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const pages = yield* Pages
      const keys = yield* KeyRing
      const chain = yield* AuditChain
      const requests = yield* WebhookRequests
      const { mutate } = yield* Mutate

      const find = (organizationId: Id<"org">, id: Id<"whe">) =>
        Effect.flatMap(repo.find(sql, organizationId, id), (row) =>
          row === undefined ? Effect.fail(new Webhooks.WebhookEndpointNotFound()) : Effect.succeed(row)
        )
      const lock = (organizationId: Id<"org">, id: Id<"whe">) =>
        Effect.flatMap(repo.lock(sql, organizationId, id), (row) =>
          row === undefined ? Effect.fail(new Webhooks.WebhookEndpointNotFound()) : Effect.succeed(row)
        )

      /** The permissions of an endpoint, in the order of the catalog. */
      const demandPermissions = Effect.fnUntraced(function* (
        caller: Member,
        permissions: Webhooks.WebhookEndpoint["permissions"]
      ) {
        const other = permissions.find((permission) => !permission.endsWith(":read"))
        if (other !== undefined) {
          return yield* InvalidRequest.at(["body", "permissions"], `contains ${other}, which is not a read permission`)
        }
        const excess = permissions.find((permission) => !caller.permissions.has(permission))
        if (excess !== undefined) {
          return yield* new Forbidden({
            reason: "exceeds_own_permissions",
            message: `You do not have the permission ${excess}, so the endpoint cannot have it.`
          })
        }
        return ordered(permissions)
      })

      /** Otherwise, a caller could send events to themselves that they cannot read. */
      const demandAllOf = (caller: Member, { permissions_json }: repo.Row) => {
        const missing = permissions_json.find((permission) => !caller.permissions.has(permission))
        return missing === undefined
          ? Effect.void
          : new Forbidden({
              reason: "exceeds_own_permissions",
              message: `The endpoint has the permission ${missing}, which you do not have, so you cannot change its URL or its permissions.`
            })
      }

      const putSecret = Effect.fnUntraced(function* (
        organizationId: Id<"org">,
        id: Id<"whe">,
        secret: string,
        overlapSeconds: number
      ) {
        const secretId = makeId("req")
        const sealed = keys.seal(secretContext(organizationId, id, secretId), secret)
        yield* repo.putSecret(sql, organizationId, id, { id: secretId, ...sealed }, overlapSeconds)
      })

      const list = (caller: Member, query: PageQuery & { readonly q?: string }) => {
        const { cursor: _cursor, limit: _limit, ...filters } = query
        return pages.list(caller, query, {
          filters,
          rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
          toWire
        })
      }

      const get = ({ organizationId }: Member, id: Id<"whe">) => Effect.map(find(organizationId, id), toWire)

      const create = Effect.fnUntraced(function* (caller: Member, input: typeof Webhooks.CreateWebhookEndpoint.Type) {
        const { organizationId } = caller
        const url = yield* demandPlainUrl(input.url, ["body", "url"])
        yield* checkPatterns(input.types ?? [], ["body", "types"])
        const readable = [...caller.permissions].filter((permission) => permission.endsWith(":read"))
        const permissions = yield* demandPermissions(caller, input.permissions ?? readable)
        const { head } = yield* chain.ends(organizationId)
        const signature = input.signature ?? "hmac"
        const { publicKey, secret } = makeSecret(signature)
        const { item } = yield* mutate(
          caller,
          "webhook_endpoint.create",
          Effect.gen(function* () {
            if ((yield* repo.count(sql, organizationId)) >= Webhooks.endpointsMax) {
              return yield* new Webhooks.WebhookEndpointQuota()
            }
            const id = makeId("whe")
            yield* repo.insert(sql, organizationId, {
              id,
              name: input.name,
              url,
              types: input.types ?? [],
              permissions,
              ordering: input.ordering ?? "ordered",
              signature,
              publicKey,
              position: Math.min(input.after ?? head, head),
              createdBy: membershipOf(caller)
            })
            yield* putSecret(organizationId, id, secret, 0)
            yield* wake(sql, "changes")
            const row = yield* Effect.flatMap(repo.find(sql, organizationId, id), (row) =>
              expectRow(row, "webhook endpoint")
            )
            return { item: toWire(row), record: recordOf(row) }
          }),
          ({ item, record }) => ({ target: item.id, after: record })
        )
        return { item, secret: publicKey === null ? secret : null }
      })

      /** Changes an endpoint in one transaction. */
      const change = <E, R>(
        caller: Member,
        action: "webhook_endpoint.update" | "webhook_endpoint.pause" | "webhook_endpoint.resume",
        id: Id<"whe">,
        work: (row: repo.Row) => Effect.Effect<unknown, E, R>
      ) =>
        Effect.andThen(
          find(caller.organizationId, id),
          mutate(
            caller,
            action,
            Effect.gen(function* () {
              const { organizationId } = caller
              const before = yield* lock(organizationId, id)
              yield* stale(caller, before.version)
              yield* work(before)
              const after = yield* find(organizationId, id)
              const isDescribed = action === "webhook_endpoint.update" || stateIn(before) !== stateIn(after)
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

      const update = (caller: Member, id: Id<"whe">, input: typeof Webhooks.UpdateWebhookEndpoint.Type) =>
        change(caller, "webhook_endpoint.update", id, (row) =>
          Effect.gen(function* () {
            if (Object.keys(input).length === 0) return
            yield* checkPatterns(input.types ?? [], ["body", "types"])
            if (input.url !== undefined || input.permissions !== undefined) yield* demandAllOf(caller, row)
            const permissions =
              input.permissions === undefined
                ? row.permissions_json
                : yield* demandPermissions(caller, input.permissions)
            const kept = new Set(permissions)
            const isNarrowed = row.permissions_json.some((permission) => !kept.has(permission))
            const isChanged = isNarrowed || permissions.length !== row.permissions_json.length
            yield* repo.update(sql, caller.organizationId, id, {
              name: input.name ?? row.name,
              url: input.url === undefined ? row.url : yield* demandPlainUrl(input.url, ["body", "url"]),
              types: input.types ?? row.types_json,
              permissions,
              permissionsVersion: row.permissions_version + (isChanged ? 1 : 0),
              bodyPermissions: ordered([...new Set([...row.body_permissions_json, ...permissions])]),
              ordering: input.ordering ?? row.ordering
            })
            // Their bodies can contain what the endpoint can no longer see.
            if (isNarrowed) yield* repo.skipPending(sql, caller.organizationId, id)
            yield* wake(sql, "webhooks")
          })
        )

      const pause = (caller: Member, id: Id<"whe">) =>
        change(caller, "webhook_endpoint.pause", id, (row) =>
          row.state === "paused" && row.pause_reason === "manual"
            ? Effect.void
            : repo.pause(sql, caller.organizationId, id)
        )

      const resume = (caller: Member, id: Id<"whe">, { skip = false }: typeof Webhooks.ResumeWebhookEndpoint.Type) =>
        change(caller, "webhook_endpoint.resume", id, () =>
          // A disabled or a full endpoint has later events in the feed.
          Effect.all([repo.resume(sql, caller.organizationId, id, skip), wake(sql, "webhooks"), wake(sql, "changes")])
        )

      const remove = (caller: Member, id: Id<"whe">) =>
        Effect.andThen(
          find(caller.organizationId, id),
          mutate(
            caller,
            "webhook_endpoint.remove",
            Effect.gen(function* () {
              const row = yield* lock(caller.organizationId, id)
              yield* stale(caller, row.version)
              yield* repo.remove(sql, caller.organizationId, id)
              return row
            }),
            (row) => ({ target: id, before: recordOf(row) })
          )
        ).pipe(Effect.asVoid)

      const rotateSecret = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"whe">,
        { overlapSeconds = overlapSecondsDefault }: typeof Webhooks.RotateWebhookSecret.Type
      ) {
        const { organizationId } = caller
        const { signature } = yield* find(organizationId, id)
        const { publicKey, secret } = makeSecret(signature)
        const item = yield* mutate(
          caller,
          "webhook_endpoint.rotate_secret",
          Effect.gen(function* () {
            yield* lock(organizationId, id)
            yield* putSecret(organizationId, id, secret, overlapSeconds)
            yield* repo.setPublicKey(sql, organizationId, id, publicKey)
            return toWire(yield* find(organizationId, id))
          }),
          () => ({ target: id, after: { overlapSeconds } })
        )
        return { item, secret: publicKey === null ? secret : null }
      })

      /** Sends a test. The audit event is written before, because a test reaches another system. */
      const test = Effect.fnUntraced(function* (caller: Member, id: Id<"whe">) {
        const { organizationId } = caller
        const row = yield* find(organizationId, id)
        yield* mutate(caller, "webhook_endpoint.test", Effect.void, () => ({ target: id }))
        const now = yield* Clock.currentTimeMillis
        const signers = yield* requests.signersOf(yield* usableSecrets(sql, [row]))
        const sent = yield* requests.send(row, makeId("whm"), testBodyOf(id, new Date(now).toISOString()), signers)
        return {
          at: sent.sentAt,
          url: row.url,
          requestHeaders: sent.headers,
          status: sent.status,
          error: sent.error,
          durationMillis: sent.durationMillis,
          response: sent.response
        } satisfies typeof Webhooks.WebhookAttempt.Type
      })

      const redeliver = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"whe">,
        { from, to }: typeof Webhooks.RedeliverEvents.Type
      ) {
        const { organizationId } = caller
        if (to < from) return yield* InvalidRequest.at(["body", "to"], "must not be before `from`")
        if (to - from >= Webhooks.redeliverEventsMax) {
          return yield* InvalidRequest.at(
            ["body", "to"],
            `must be at most ${Webhooks.redeliverEventsMax - 1} after \`from\``
          )
        }
        yield* find(organizationId, id)
        return yield* mutate(
          caller,
          "webhook_endpoint.redeliver",
          Effect.gen(function* () {
            const row = yield* lock(organizationId, id)
            if (row.pending_count >= queue.pendingMax) {
              return yield* new Webhooks.WebhookEndpointQuota({
                message: `${queue.pendingMax} deliveries of the endpoint are pending. Try again after they were sent or skipped.`
              })
            }
            if ((yield* queue.countStored(sql, organizationId, id)) >= queue.storedMax) {
              return yield* new Webhooks.WebhookEndpointQuota({
                message: `${queue.storedMax} deliveries of the endpoint are stored, each for 30 days. Read the events with \`GET /v1/events\` instead, or try again later.`
              })
            }
            const reader = readerOf(organizationId, row.permissions_json, caller.plan)
            const types = row.types_json.length === 0 ? undefined : typesOfPatterns(row.types_json)
            // Later events will be queued in any case.
            const last = Math.min(to, row.position)
            const { permissions_version: permissionsVersion } = row
            let count = 0
            for (let after = from - 1; after < last;) {
              const rows = yield* listAfter(sql, selectionOf(reader, {}, types), after, last, redeliverBatch)
              const events = yield* toEvents(sql, reader, rows)
              const eventIds = events.map((event) => event.id)
              const stored = yield* queue.storedBodies(sql, organizationId, id, permissionsVersion, eventIds)
              const bodies = events.map((event) => ({ id: makeId("whm"), body: stored.get(event.id) ?? bodyOf(event) }))
              const messages = events.map(({ id: eventId, sequence, type }, index) => ({
                id: makeId("whm"),
                endpointId: id,
                permissionsVersion,
                eventId,
                sequence,
                type,
                bodyId: bodies[index]?.id ?? ""
              }))
              yield* queue.insertMessages(sql, organizationId, bodies, messages)
              count += messages.length
              if (rows.length < redeliverBatch) break
              after = rows.at(-1)?.sequence ?? last
            }
            if (count > 0) yield* queue.advance(sql, organizationId, [id], true, row.position)
            yield* wake(sql, "webhooks")
            return { count }
          }),
          ({ count }) => ({ target: id, after: { from, to, count } })
        )
      })

      const listMessages = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"whe">,
        { state, ...query }: PageQuery & { readonly state?: Webhooks.WebhookMessage["state"] }
      ) {
        yield* find(caller.organizationId, id)
        return yield* pages.list(caller, query, {
          filters: { id, state },
          rows: (after, limit) => repo.listMessages(sql, caller.organizationId, id, state ?? null, after, limit),
          toWire: messageToWire
        })
      })

      const getMessage = Effect.fnUntraced(function* (caller: Member, id: Id<"whe">, messageId: Id<"whm">) {
        const { organizationId } = caller
        const endpoint = yield* find(organizationId, id)
        const row = yield* repo.findMessage(sql, organizationId, id, messageId)
        if (row === undefined) return yield* new Webhooks.WebhookMessageNotFound()
        const attempts = yield* repo.attempts(sql, organizationId, id, messageId, attemptsMax)
        // A response can repeat the body.
        const isVisible = endpoint.body_permissions_json.every((permission) => caller.permissions.has(permission))
        return {
          ...messageToWire(row),
          body: isVisible ? row.body : null,
          attempts: attempts.map((attempt) => ({
            at: iso(attempt.created_at),
            url: attempt.url,
            requestHeaders: attempt.headers_json,
            status: attempt.status,
            error: attempt.error,
            durationMillis: attempt.duration_millis,
            response: isVisible ? attempt.response : null
          }))
        } satisfies typeof Webhooks.WebhookMessageDetails.Type
      })

      return {
        list,
        get,
        create,
        update,
        pause,
        resume,
        remove,
        rotateSecret,
        test,
        redeliver,
        listMessages,
        getMessage
      } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
