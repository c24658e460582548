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
  /** The answer; of one that held a secret, only what was made. */
  readonly answer_json: { readonly value: unknown } | { readonly made: string | null }
}

/** Of a row whose work is under way, outside any transaction. */
const underWay = 102
/** Longer than such work may last: only of a process that is gone does the claim end by itself. */
const aloneSeconds = 120

interface Claimed {
  readonly kind: "claimed"
  readonly scope: string
  readonly key: string
  readonly digest: string
  readonly keepsAnswer: boolean
}

/** An answer that was given before and is given again, whatever error types the operation declares. */
class KeptAnswer implements HttpServerRespondable.Respondable {
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
  const { idempotency, operation, digest } = caller.request
  if (idempotency === null) return undefined
  const organization = "organizationId" in caller ? caller.organizationId : "-"
  return {
    kind: "claimed",
    scope: `${organization}/${principalOf(caller)}/${operation}`,
    key: idempotency.key,
    digest,
    keepsAnswer: idempotency.keeps === "response"
  }
}

const read = (sql: Sql, claim: Claimed) =>
  sql<Row>`SELECT digest, status, answer_json FROM idempotency_keys
    WHERE scope = ${claim.scope} AND key = ${claim.key}
      AND created_at > now() - ${lifetime}::interval`

const completed = (made: string | null) =>
  made === null
    ? new Errors.IdempotencyKeyCompleted()
    : new Errors.IdempotencyKeyCompleted({
        message: `This request was completed before, on ${made}; its answer held a secret and was not kept.`
      })

const inUse = () => Effect.die(refusal(new Errors.IdempotencyKeyInUse()))

const judge = (caller: Caller, claim: Claimed, row: Row) => {
  if (row.digest !== claim.digest) return Effect.die(refusal(new Errors.IdempotencyKeyReused()))
  caller.request.head["idempotent-replayed"] = "true"
  if ("made" in row.answer_json) return Effect.die(refusal(completed(row.answer_json.made)))
  if (row.status >= 400) return Effect.die(new KeptAnswer(row.status, row.answer_json.value))
  return Effect.succeed({ kind: "done" as const, value: row.answer_json.value })
}

const wireOf = (error: unknown): { readonly status: number; readonly body: unknown } | undefined => {
  if (!(error instanceof Error) || !Schema.isSchema(error.constructor)) return undefined
  const schema = error.constructor as unknown as Schema.Codec<unknown, unknown>
  const status = Schema.resolveAnnotations(schema)?.["httpApiStatus"]
  if (typeof status !== "number") return undefined
  return { status, body: Schema.encodeUnknownSync(schema)(error) }
}

/** Errors of the key itself are the same for every operation, so they are answered past its declared errors. */
const refusal = (error: Error) => {
  const wire = wireOf(error)
  return wire === undefined ? error : new KeptAnswer(wire.status, wire.body)
}

/** Takes the key for this transaction, or finds that the work is done. Nothing without a key. */
export const claim = (sql: Sql, caller: Caller | SystemActor) =>
  Effect.gen(function* () {
    const claim = keyOf(caller)
    if (claim === undefined || caller.kind === "system") return undefined
    const [lock] = yield* sql<{ taken: boolean }>`
      SELECT pg_try_advisory_xact_lock(hashtextextended(${`${claim.scope}/${claim.key}`}, 7)) AS taken`
    if (lock?.taken !== true) return yield* inUse()
    const [row] = yield* read(sql, claim)
    // What is under way is this very request: nobody else comes here past `claimAlone`.
    return row === undefined || row.status === underWay ? claim : yield* judge(caller, claim, row)
  })

/** What the key was answered before, read outside a transaction. */
export const recall = (sql: Sql, caller: Caller) =>
  Effect.gen(function* () {
    const claim = keyOf(caller)
    if (claim === undefined) return undefined
    const [row] = yield* read(sql, claim)
    return row === undefined || row.status === underWay ? undefined : (yield* judge(caller, claim, row)).value
  })

/** Takes the key for work that no transaction holds together, or tells what the one that has it does. */
export const claimAlone = (sql: Sql, caller: Caller) =>
  Effect.gen(function* () {
    const claim = keyOf(caller)
    if (claim === undefined) return undefined
    const taken = yield* sql`INSERT INTO idempotency_keys AS k (scope, key, digest, status, answer_json, created_at)
      VALUES (${claim.scope}, ${claim.key}, ${claim.digest}, ${underWay}, ${sql.json({ made: null })}, now())
      ON CONFLICT (scope, key) DO UPDATE
        SET digest = excluded.digest, status = excluded.status, answer_json = excluded.answer_json,
          created_at = excluded.created_at
        WHERE k.created_at <= now() - ${lifetime}::interval
          OR (k.status = ${underWay} AND k.created_at <= now() - ${aloneSeconds}::int * interval '1 second')
      RETURNING 1 AS one`
    if (taken.length > 0) return undefined
    const [row] = yield* read(sql, claim)
    return row === undefined || row.status === underWay ? yield* inUse() : yield* judge(caller, claim, row)
  })

/** Gives the key back when nothing came of the work; what did come of it stands in its place by now. */
export const releaseAlone = (sql: Sql, caller: Caller) =>
  Effect.suspend(() => {
    const claim = keyOf(caller)
    return claim === undefined
      ? Effect.void
      : Effect.asVoid(
          sql`DELETE FROM idempotency_keys WHERE scope = ${claim.scope} AND key = ${claim.key} AND status = ${underWay}`
        )
  })

/** Keeps an answer beside the change itself; of an answer with a secret only the fact, and what it is about. */
export const keep = (sql: Sql, claim: Claimed, status: number, value: unknown, target: string | null) =>
  sql`INSERT INTO idempotency_keys (scope, key, digest, status, answer_json, created_at)
    VALUES (${claim.scope}, ${claim.key}, ${claim.digest}, ${status},
      ${sql.json(claim.keepsAnswer ? { value } : { made: target })}, now())
    ON CONFLICT (scope, key) DO UPDATE
      SET digest = excluded.digest, status = excluded.status, answer_json = excluded.answer_json,
        created_at = excluded.created_at`

/** A refusal is kept after its transaction: a twin that came between and succeeded has the last word. */
const keepUnlessKept = (sql: Sql, claim: Claimed, status: number, value: unknown) =>
  sql`INSERT INTO idempotency_keys AS k (scope, key, digest, status, answer_json, created_at)
    VALUES (${claim.scope}, ${claim.key}, ${claim.digest}, ${status}, ${sql.json({ value })}, now())
    ON CONFLICT (scope, key) DO UPDATE
      SET digest = excluded.digest, status = excluded.status, answer_json = excluded.answer_json,
        created_at = excluded.created_at
      WHERE k.created_at <= now() - ${lifetime}::interval`

/** Keeps a refusal that the operation itself decided; the change it belonged to is rolled back by then. */
export const keepRefusal = (sql: Sql, caller: Caller | SystemActor, error: unknown) =>
  Effect.gen(function* () {
    const claim = keyOf(caller)
    const wire = wireOf(error)
    if (claim === undefined || wire === undefined || wire.status < 400 || wire.status >= 500) return
    if (wire.status === 429 || wire.status === 412) return
    yield* keepUnlessKept(sql, claim, wire.status, wire.body)
  }).pipe(Effect.orDie)
