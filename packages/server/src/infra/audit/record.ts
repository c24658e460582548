import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import type { Caller, Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { sha256 } from "../crypto/digest.ts"
import { makeId } from "../ids.ts"
import { requestIdOf } from "../origin.ts"
import type { Sql } from "../sql/client.ts"
import { deferStatement } from "../sql/defer.ts"
import { prepareStatement } from "../sql/read.ts"
import { rowsAtOnce, texts } from "../sql/texts.ts"
import { wake } from "../sql/wakes.ts"

/** The actor of a change without a request: a job or the seed. */
export interface SystemActor {
  readonly kind: "system"
  readonly organizationId: Id<"org">
}

/** The data that an audit event records about a change: IDs, numbers and flags, never personal text or secrets. */
export interface Change {
  readonly target?: string | null
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
  /** The IDs of the objects in whose configuration entries the change would show. Default: the target. Not recorded. */
  readonly describedObjects?: ReadonlyArray<string>
}

const actorOf = (caller: Caller | SystemActor) => {
  switch (caller.kind) {
    case "system":
    case "anonymous":
      return { kind: caller.kind, id: null, credential: null }
    case "user":
      return { kind: "session", id: caller.userId, credential: caller.sessionId }
    case "member":
      return caller.principal.kind === "session"
        ? { kind: "session", id: caller.principal.membershipId, credential: caller.principal.sessionId }
        : { kind: "key", id: caller.principal.keyId, credential: caller.principal.keyId }
    case "worker":
      return { kind: "worker", id: caller.workerId, credential: caller.tokenId }
    case "directory":
      return { kind: "directory", id: caller.directoryId, credential: caller.tokenId }
    case "platform":
      return { kind: "platform", id: caller.userId, credential: caller.sessionId }
  }
}

/** The fields that the events of one action in a transaction share. */
interface Origin {
  readonly organizationId: string | null
  readonly action: StoredAuditAction
  readonly actorKind: string
  readonly actorId: string | null
  readonly credential: string | null
  readonly requestId: string | null
  readonly address: string | null
  readonly userAgent: string | null
}

interface NewEvent extends Origin {
  readonly id: Id<"aud">
  readonly target: string | null
  /** JSON. */
  readonly before: string | null
  readonly after: string | null
  readonly digest: string
}

type Texts = ReturnType<typeof texts>

interface NewEvents extends Origin {
  readonly ids: Texts
  readonly targets: Texts
  readonly befores: Texts
  readonly afters: Texts
  readonly digests: Texts
}

const insertEvent = prepareStatement<NewEvent>(
  (sql, event) => sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, actor_id, credential_id,
      target_id, request_id, address, user_agent, before_json, after_json, payload_digest, created_at)
    VALUES (${event.id}, ${event.organizationId}, ${event.action}, ${event.actorKind}, ${event.actorId},
      ${event.credential}, ${event.target}, ${event.requestId}, ${event.address}, ${event.userAgent},
      ${event.before}::jsonb, ${event.after}::jsonb, ${event.digest}, now())`
)

const insertEvents = prepareStatement<NewEvents>(
  (sql, events) => sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, actor_id, credential_id,
      target_id, request_id, address, user_agent, before_json, after_json, payload_digest, created_at)
    SELECT e.id, ${events.organizationId}::text, ${events.action}::text, ${events.actorKind}::text,
      ${events.actorId}::text, ${events.credential}::text, e.target_id, ${events.requestId}::text,
      ${events.address}::text, ${events.userAgent}::text, e.before_json::jsonb, e.after_json::jsonb, e.digest, now()
    FROM unnest(${events.ids}::text[], ${events.targets}::text[], ${events.befores}::text[], ${events.afters}::text[],
      ${events.digests}::text[]) AS e (id, target_id, before_json, after_json, digest)`
)

/**
 * Writes the audit event in the transaction of its change, so that the change fails if the audit event cannot be
 * written.
 */
export const recordAudit = (sql: Sql, caller: Caller | SystemActor, action: StoredAuditAction, change: Change) =>
  caller.kind === "system"
    ? // A job has the ID of the request that queued it.
      Effect.withFiber((fiber) => record(sql, caller, action, change, { requestId: requestIdOf(fiber) ?? null }))
    : record(sql, caller, action, change, caller.request)

/** Like `recordAudit` for many changes of a member's request by one action. */
export const recordAudits = (
  sql: Sql,
  caller: Member,
  action: StoredAuditAction,
  changes: ReadonlyArray<Change>
): Effect.Effect<void, SqlError> => {
  const parts = Array.from({ length: Math.ceil(changes.length / rowsAtOnce) }, (_, index) =>
    changes.slice(index * rowsAtOnce, (index + 1) * rowsAtOnce)
  )
  const insert = (part: ReadonlyArray<Change>) => {
    const events = part.map((change) => eventOf(action, change))
    return deferStatement(
      sql,
      insertEvents(sql, {
        ...originOf(caller, action, caller.organizationId, caller.request),
        ids: events.map(({ id }) => id),
        targets: texts(events.map(({ target }) => target)),
        befores: texts(events.map(({ before }) => before)),
        afters: texts(events.map(({ after }) => after)),
        digests: events.map(({ digest }) => digest)
      })
    )
  }
  return changes.length === 0
    ? Effect.void
    : Effect.andThen(Effect.forEach(parts, insert, { discard: true }), wake(sql, "audit"))
}

interface RequestOrigin {
  readonly requestId: string | null
  readonly address?: string
  readonly userAgent?: string | null
}

const originOf = (
  caller: Caller | SystemActor,
  action: StoredAuditAction,
  organizationId: string | null,
  request: RequestOrigin
): Origin => {
  const actor = actorOf(caller)
  return {
    organizationId,
    action,
    actorKind: actor.kind,
    actorId: actor.id,
    credential: actor.credential,
    requestId: request.requestId,
    address: request.address ?? null,
    userAgent: request.userAgent ?? null
  }
}

const eventOf = (action: StoredAuditAction, { after, before, target }: Change) => ({
  id: makeId("aud"),
  target: target ?? null,
  before: before === undefined ? null : JSON.stringify(before),
  after: after === undefined ? null : JSON.stringify(after),
  digest: sha256(JSON.stringify([action, target ?? null, before ?? null, after ?? null]))
})

const record = (
  sql: Sql,
  caller: Caller | SystemActor,
  action: StoredAuditAction,
  change: Change,
  request: RequestOrigin
) => {
  const organizationId =
    "organizationId" in caller
      ? caller.organizationId
      : typeof change.after?.["organizationId"] === "string"
        ? change.after["organizationId"]
        : null
  const insert = insertEvent(sql, { ...originOf(caller, action, organizationId, request), ...eventOf(action, change) })
  // It is sent with the next statement: the response's read, the response stored for an idempotency key, or the commit.
  return Effect.andThen(deferStatement(sql, insert), wake(sql, "audit"))
}

/** The digest and length of a text, which an audit event may record. */
export const digestOf = (text: string) => ({ digest: sha256(text), length: text.length })
