import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import type { Caller } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { sha256 } from "../crypto/digest.ts"
import { makeId } from "../ids.ts"
import { requestIdOf } from "../origin.ts"
import type { Sql } from "../sql/client.ts"
import { deferStatement } from "../sql/defer.ts"
import { prepareStatement } from "../sql/read.ts"
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

interface NewEvent {
  readonly id: Id<"aud">
  readonly organizationId: string | null
  readonly action: StoredAuditAction
  readonly actorKind: string
  readonly actorId: string | null
  readonly credential: string | null
  readonly target: string | null
  readonly requestId: string | null
  readonly address: string | null
  readonly userAgent: string | null
  /** JSON. */
  readonly before: string | null
  readonly after: string | null
  readonly digest: string
}

const insertEvent = prepareStatement<NewEvent>(
  (sql, event) => sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, actor_id, credential_id,
      target_id, request_id, address, user_agent, before_json, after_json, payload_digest, created_at)
    VALUES (${event.id}, ${event.organizationId}, ${event.action}, ${event.actorKind}, ${event.actorId},
      ${event.credential}, ${event.target}, ${event.requestId}, ${event.address}, ${event.userAgent},
      ${event.before}::jsonb, ${event.after}::jsonb, ${event.digest}, now())`
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

const record = (
  sql: Sql,
  caller: Caller | SystemActor,
  action: StoredAuditAction,
  change: Change,
  request: { readonly requestId: string | null; readonly address?: string; readonly userAgent?: string | null }
) => {
  const actor = actorOf(caller)
  const organizationId =
    "organizationId" in caller
      ? caller.organizationId
      : typeof change.after?.["organizationId"] === "string"
        ? change.after["organizationId"]
        : null
  const insert = insertEvent(sql, {
    id: makeId("aud"),
    organizationId,
    action,
    actorKind: actor.kind,
    actorId: actor.id,
    credential: actor.credential,
    target: change.target ?? null,
    requestId: request.requestId,
    address: request.address ?? null,
    userAgent: request.userAgent ?? null,
    before: change.before === undefined ? null : JSON.stringify(change.before),
    after: change.after === undefined ? null : JSON.stringify(change.after),
    digest: sha256(JSON.stringify([action, change.target ?? null, change.before ?? null, change.after ?? null]))
  })
  // It is sent with the next statement: the response's read, the response stored for an idempotency key, or the commit.
  return Effect.andThen(deferStatement(sql, insert), wake(sql, "audit"))
}

/** The digest and length of a text, which an audit event may record. */
export const digestOf = (text: string) => ({ digest: sha256(text), length: text.length })
