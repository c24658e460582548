import type { Anonymous, Caller } from "@orgplane/schema/shared/caller"
import * as Errors from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import * as HttpServerRespondable from "effect/http/HttpServerRespondable"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import type { Sql } from "../sql/client.ts"
import type { SystemActor } from "../audit/record.ts"

const lifetime = "24 hours"

interface Row {
  readonly digest: string
  readonly status: number
  /** The stored response. If the response contains a secret, only the created object is stored. */
  readonly answer_json: { readonly value: unknown } | { readonly made: string | null }
}

/** The status of a key whose request runs outside any transaction. */
const inProgress = 102
/** Longer than any such request can take. After this time, a claim left by a process that exited expires. */
const aloneSeconds = 120

export interface Claimed {
  readonly kind: "claimed"
  readonly scope: string
  readonly key: string
  /** The one that is stored first. A row of another process may have the digest of another key of the ring. */
  readonly digests: ReadonlyArray<string>
  readonly storesResponse: boolean
}

/** A stored response that is returned again, regardless of the errors that the operation declares. */
class StoredResponse implements HttpServerRespondable.Respondable {
  readonly status: number
  readonly body: unknown
  constructor(status: number, body: unknown) {
    this.status = status
    this.body = body
  }
  [HttpServerRespondable.symbol]() {
    return Effect.succeed(HttpServerResponse.jsonUnsafe(this.body, { status: this.status }))
  }
}

const principalOf = (caller: Exclude<Caller, Anonymous>): string => {
  switch (caller.kind) {
    case "user":
    case "platform":
      return caller.userId
    case "worker":
      return caller.workerId
    case "directory":
      return caller.directoryId
    case "member":
      return caller.principal.kind === "session" ? caller.principal.membershipId : caller.principal.keyId
  }
}

const keyOf = (caller: Caller | SystemActor): Claimed | undefined => {
  if (caller.kind === "system" || caller.kind === "anonymous") return undefined
  const { digests, idempotency, operation } = caller.request
  if (idempotency === null) return undefined
  const organization = "organizationId" in caller ? caller.organizationId : "-"
  return {
    kind: "claimed",
    scope: `${organization}/${principalOf(caller)}/${operation}`,
    key: idempotency.key,
    digests,
    storesResponse: idempotency.keeps === "response"
  }
}

const read = (sql: Sql, claim: Claimed) =>
  sql<Row>`SELECT digest, status, answer_json FROM idempotency_keys
    WHERE scope = ${claim.scope} AND key = ${claim.key}
      AND created_at > now() - ${lifetime}::interval`

const completed = (createdAt: string | null) =>
  createdAt === null
    ? new Errors.IdempotencyKeyCompleted()
    : new Errors.IdempotencyKeyCompleted({
        message: `This request was already completed on ${createdAt}. Its response contained a secret and was not stored.`
      })

const inUse = () => Effect.die(refusal(new Errors.IdempotencyKeyInUse()))

const replay = (caller: Caller, claim: Claimed, row: Row) => {
  if (!claim.digests.includes(row.digest)) return Effect.die(refusal(new Errors.IdempotencyKeyReused()))
  caller.request.responseState.headers["idempotent-replayed"] = "true"
  if ("made" in row.answer_json) return Effect.die(refusal(completed(row.answer_json.made)))
  if (row.status >= 400) return Effect.die(new StoredResponse(row.status, row.answer_json.value))
  return Effect.succeed({ kind: "done" as const, value: row.answer_json.value })
}

const wireOf = (error: unknown): { readonly status: number; readonly body: unknown } | undefined => {
  if (!(error instanceof Error) || !Schema.isSchema(error.constructor)) return undefined
  const schema = error.constructor as unknown as Schema.Codec<unknown, unknown>
  const status = Schema.resolveAnnotations(schema)?.["httpApiStatus"]
  if (typeof status !== "number") return undefined
  return { status, body: Schema.encodeUnknownSync(schema)(error) }
}

/** Errors of the idempotency key apply to every operation, so they bypass the errors that the operation declares. */
const refusal = (error: Error) => {
  const wire = wireOf(error)
  return wire === undefined ? error : new StoredResponse(wire.status, wire.body)
}

/** Claims the key for this transaction, or returns the stored response. Does nothing without a key. */
export const claim = (sql: Sql, caller: Caller | SystemActor) => {
  const claim = keyOf(caller)
  if (claim === undefined || caller.kind === "system") return Effect.undefined
  return Effect.gen(function* () {
    const [lock] = yield* sql<{ taken: boolean }>`
      SELECT pg_try_advisory_xact_lock(hashtextextended(${`${claim.scope}/${claim.key}`}, 7)) AS taken`
    if (lock?.taken !== true) return yield* inUse()
    const [row] = yield* read(sql, claim)
    // A request in progress is this request, because `claimAlone` rejects any other with the same key.
    return row === undefined || row.status === inProgress ? claim : yield* replay(caller, claim, row)
  })
}

/** The stored response of the key, read outside a transaction. */
export const recall = (sql: Sql, caller: Caller) =>
  Effect.gen(function* () {
    const claim = keyOf(caller)
    if (claim === undefined) return undefined
    const [row] = yield* read(sql, claim)
    return row === undefined || row.status === inProgress ? undefined : (yield* replay(caller, claim, row)).value
  })

/** Claims the key for work outside a transaction, or fails because another request holds it. */
export const claimAlone = (sql: Sql, caller: Caller) =>
  Effect.gen(function* () {
    const claim = keyOf(caller)
    if (claim === undefined) return undefined
    const taken = yield* sql`INSERT INTO idempotency_keys AS k (scope, key, digest, status, answer_json, created_at)
      VALUES (${claim.scope}, ${claim.key}, ${claim.digests[0]}, ${inProgress}, ${sql.json({ made: null })}, now())
      ON CONFLICT (scope, key) DO UPDATE
        SET digest = excluded.digest, status = excluded.status, answer_json = excluded.answer_json,
          created_at = excluded.created_at
        WHERE k.created_at <= now() - ${lifetime}::interval
          OR (k.status = ${inProgress} AND k.created_at <= now() - ${aloneSeconds}::int * interval '1 second')
      RETURNING 1 AS one`
    if (taken.length > 0) return undefined
    const [row] = yield* read(sql, claim)
    return row === undefined || row.status === inProgress ? yield* inUse() : yield* replay(caller, claim, row)
  })

/** Releases the key if the work failed. Otherwise the stored response has replaced the claim. */
export const releaseAlone = (sql: Sql, caller: Caller) =>
  Effect.suspend(() => {
    const claim = keyOf(caller)
    return claim === undefined
      ? Effect.void
      : Effect.asVoid(
          sql`DELETE FROM idempotency_keys WHERE scope = ${claim.scope} AND key = ${claim.key} AND status = ${inProgress}`
        )
  })

/** Stores the response with the change; when it contains a secret, only the fact and the target. */
export const keep = (sql: Sql, claim: Claimed, status: number, value: unknown, target: string | null) =>
  sql`INSERT INTO idempotency_keys (scope, key, digest, status, answer_json, created_at)
    VALUES (${claim.scope}, ${claim.key}, ${claim.digests[0]}, ${status},
      ${sql.json(claim.storesResponse ? { value } : { made: target })}, now())
    ON CONFLICT (scope, key) DO UPDATE
      SET digest = excluded.digest, status = excluded.status, answer_json = excluded.answer_json,
        created_at = excluded.created_at`

/**
 * A failure is stored after its transaction, so a concurrent request that has succeeded in the meantime takes
 * precedence.
 */
const storeUnlessStored = (sql: Sql, claim: Claimed, status: number, value: unknown) =>
  sql`INSERT INTO idempotency_keys AS k (scope, key, digest, status, answer_json, created_at)
    VALUES (${claim.scope}, ${claim.key}, ${claim.digests[0]}, ${status}, ${sql.json({ value })}, now())
    ON CONFLICT (scope, key) DO UPDATE
      SET digest = excluded.digest, status = excluded.status, answer_json = excluded.answer_json,
        created_at = excluded.created_at
      WHERE k.created_at <= now() - ${lifetime}::interval`

/** Stores an error response that the operation itself decided; its change is already rolled back. */
export const keepRefusal = (sql: Sql, caller: Caller | SystemActor, error: unknown) =>
  Effect.gen(function* () {
    const claim = keyOf(caller)
    const wire = wireOf(error)
    if (claim === undefined || wire === undefined || wire.status < 400 || wire.status >= 500) return
    if (wire.status === 429 || wire.status === 412) return
    yield* storeUnlessStored(sql, claim, wire.status, wire.body)
  }).pipe(Effect.orDie)
