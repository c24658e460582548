import type { WebhookEndpoint, WebhookMessage } from "@orgplane/schema/webhook-endpoints"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { pendingMax } from "./queue-repo.ts"

export interface Row {
  readonly id: Id<"whe">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly url: string
  readonly types_json: ReadonlyArray<string>
  readonly permissions_json: WebhookEndpoint["permissions"]
  readonly permissions_version: number
  readonly body_permissions_json: WebhookEndpoint["permissions"]
  readonly ordering: WebhookEndpoint["ordering"]
  readonly signature: WebhookEndpoint["signature"]
  readonly public_key: string | null
  readonly state: WebhookEndpoint["state"]
  readonly pause_reason: WebhookEndpoint["pauseReason"]
  readonly position: number
  readonly failing_since: Date | null
  readonly last_delivered_at: Date | null
  readonly created_by_membership_id: Id<"om"> | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly pending_count: number
  readonly previous_until: Date | null
}

/** The maximum of `pending_count` in a list, where the messages of many endpoints are counted. */
const pendingListedMax = 1_000

const columns = (sql: Sql, pendingLimit: number = pendingMax) =>
  sql.literal(`e.id, e.organization_id, e.name, e.url, e.types_json, e.permissions_json, e.permissions_version,
    e.body_permissions_json, e.ordering, e.signature, e.public_key, e.state, e.pause_reason, e.position, e.failing_since, e.last_delivered_at, e.created_by_membership_id,
    e.version, e.created_at, e.updated_at,
    (SELECT count(*)::int FROM (SELECT 1 FROM webhook_messages m WHERE m.organization_id = e.organization_id
      AND m.endpoint_id = e.id AND m.state = 'pending' LIMIT ${pendingLimit}) p) AS pending_count,
    (SELECT max(s.usable_until) FROM webhook_secrets s WHERE s.organization_id = e.organization_id
      AND s.endpoint_id = e.id AND s.usable_until > now()) AS previous_until`)

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly q?: string },
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql, pendingListedMax)} FROM webhook_endpoints e
    WHERE e.organization_id = ${organizationId} AND (${after}::text IS NULL OR e.id < ${after})
      AND (${filters.q ?? null}::text IS NULL OR e.name ILIKE ${contains(filters.q)} OR e.url ILIKE ${contains(filters.q)})
    ORDER BY e.id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">) =>
  sql<Row>`SELECT ${columns(sql)} FROM webhook_endpoints e
    WHERE e.organization_id = ${organizationId} AND e.id = ${id}`.pipe(Effect.map((rows) => rows[0]))

/** Locks an endpoint until the transaction ends, and reads it. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">) =>
  Effect.andThen(
    sql`SELECT 1 AS one FROM webhook_endpoints WHERE organization_id = ${organizationId} AND id = ${id} FOR UPDATE`,
    find(sql, organizationId, id)
  )

export const count = (sql: Sql, organizationId: Id<"org">) =>
  Effect.andThen(
    sql`SELECT 1 AS one FROM organizations WHERE id = ${organizationId} FOR UPDATE`,
    sql<{
      count: number
    }>`SELECT count(*)::int AS count FROM webhook_endpoints WHERE organization_id = ${organizationId}`
  ).pipe(Effect.map((rows) => rows[0]?.count ?? 0))

export interface NewEndpoint {
  readonly id: Id<"whe">
  readonly name: string
  readonly url: string
  readonly types: ReadonlyArray<string>
  readonly permissions: ReadonlyArray<string>
  readonly ordering: string
  readonly signature: string
  readonly publicKey: string | null
  readonly position: number
  readonly createdBy: Id<"om"> | null
}

export const insert = (sql: Sql, organizationId: Id<"org">, endpoint: NewEndpoint) =>
  sql`INSERT INTO webhook_endpoints (organization_id, id, name, url, types_json, permissions_json, permissions_version,
      body_permissions_json, ordering, signature, public_key, state, position, created_by_membership_id, version, created_at, updated_at)
    VALUES (${organizationId}, ${endpoint.id}, ${endpoint.name}, ${endpoint.url}, ${sql.json(endpoint.types)},
      ${sql.json(endpoint.permissions)}, 1, ${sql.json(endpoint.permissions)}, ${endpoint.ordering}, ${endpoint.signature}, ${endpoint.publicKey}, 'active',
      ${endpoint.position}, ${endpoint.createdBy}, 1, now(), now())`

export interface Changes {
  readonly name: string
  readonly url: string
  readonly types: ReadonlyArray<string>
  readonly permissions: ReadonlyArray<string>
  readonly permissionsVersion: number
  readonly bodyPermissions: ReadonlyArray<string>
  readonly ordering: string
}

/** Changes the settings. The sender looks at the messages again, because the order can have changed. */
export const update = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">, changes: Changes) =>
  sql`UPDATE webhook_endpoints SET name = ${changes.name}, url = ${changes.url}, types_json = ${sql.json(changes.types)},
      permissions_json = ${sql.json(changes.permissions)}, permissions_version = ${changes.permissionsVersion},
      body_permissions_json = ${sql.json(changes.bodyPermissions)}, ordering = ${changes.ordering},
      due_at = CASE WHEN due_at IS NULL THEN NULL ELSE now() END, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">) =>
  sql`DELETE FROM webhook_endpoints WHERE organization_id = ${organizationId} AND id = ${id}`

export interface SealedSecret {
  readonly id: string
  readonly keyId: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

/** Stores a secret in place of the current one, which stays usable during the overlap. Older ones are deleted. */
export const putSecret = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"whe">,
  secret: SealedSecret,
  overlapSeconds: number
) {
  yield* sql`DELETE FROM webhook_secrets WHERE organization_id = ${organizationId} AND endpoint_id = ${id}
    AND (usable_until IS NOT NULL OR ${overlapSeconds}::int = 0)`
  yield* sql`UPDATE webhook_secrets SET usable_until = now() + make_interval(secs => ${overlapSeconds})
    WHERE organization_id = ${organizationId} AND endpoint_id = ${id}`
  yield* sql`INSERT INTO webhook_secrets (organization_id, endpoint_id, id, key_id, nonce, ciphertext, created_at)
    VALUES (${organizationId}, ${id}, ${secret.id}, ${secret.keyId}, ${secret.nonce}, ${secret.ciphertext}, now())`
})

export const setPublicKey = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">, publicKey: string | null) =>
  sql`UPDATE webhook_endpoints SET public_key = ${publicKey}, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const pause = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">) =>
  sql`UPDATE webhook_endpoints SET state = 'paused', pause_reason = 'manual', due_at = NULL, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const skipPending = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">) =>
  sql`UPDATE webhook_messages SET state = 'skipped', next_attempt_at = NULL
    WHERE organization_id = ${organizationId} AND endpoint_id = ${id} AND state = 'pending'`

/** Activates an endpoint. Its messages are sent at once, and their retry time starts again. */
export const resume = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, id: Id<"whe">, skips: boolean) {
  yield* skips
    ? skipPending(sql, organizationId, id)
    : sql`UPDATE webhook_messages SET next_attempt_at = now(), failures = 0
        WHERE organization_id = ${organizationId} AND endpoint_id = ${id} AND state = 'pending'`
  yield* sql`UPDATE webhook_endpoints SET state = 'active', pause_reason = NULL, failing_since = NULL, due_at = now(), full_until = NULL,
      version = version + 1, updated_at = now(), position = CASE WHEN ${skips} THEN greatest(position, coalesce(
        (SELECT c.sequence FROM audit_chains c WHERE c.organization_id = ${organizationId}), position)) ELSE position END
    WHERE organization_id = ${organizationId} AND id = ${id}`
})

export interface MessageRow {
  readonly id: Id<"whm">
  readonly endpoint_id: Id<"whe">
  readonly event_id: Id<"aud">
  readonly sequence: number
  readonly type: WebhookMessage["type"]
  readonly state: WebhookMessage["state"]
  readonly attempts: number
  readonly next_attempt_at: Date | null
  readonly delivered_at: Date | null
  readonly created_at: Date
}

const messageColumns = (sql: Sql) =>
  sql.literal(`m.id, m.endpoint_id, m.event_id, m.sequence, m.type, m.state, m.attempts, m.next_attempt_at,
    m.delivered_at, m.created_at`)

export const listMessages = (
  sql: Sql,
  organizationId: Id<"org">,
  endpointId: Id<"whe">,
  state: string | null,
  after: string | null,
  limit: number
) =>
  sql<MessageRow>`SELECT ${messageColumns(sql)} FROM webhook_messages m
    WHERE m.organization_id = ${organizationId} AND m.endpoint_id = ${endpointId}
      AND (${state}::text IS NULL OR m.state = ${state}) AND (${after}::text IS NULL OR m.id < ${after})
    ORDER BY m.id DESC LIMIT ${limit}`

export const findMessage = (sql: Sql, organizationId: Id<"org">, endpointId: Id<"whe">, id: Id<"whm">) =>
  sql<MessageRow & { readonly body: string | null }>`SELECT ${messageColumns(sql)}, b.body FROM webhook_messages m
    LEFT JOIN webhook_bodies b ON b.organization_id = ${organizationId} AND b.id = m.body_id
    WHERE m.organization_id = ${organizationId} AND m.endpoint_id = ${endpointId} AND m.id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )

export interface AttemptRow {
  readonly url: string
  readonly headers_json: Readonly<Record<string, string>>
  readonly status: number | null
  readonly error: string | null
  readonly duration_millis: number
  readonly response: string | null
  readonly created_at: Date
}

/** The latest attempts, oldest first. */
export const attempts = (sql: Sql, organizationId: Id<"org">, endpointId: Id<"whe">, id: Id<"whm">, limit: number) =>
  sql<AttemptRow>`SELECT a.url, a.headers_json, a.status, a.error, a.duration_millis, a.response, a.created_at FROM (
      SELECT number, url, headers_json, status, error, duration_millis, response, created_at FROM webhook_attempts
      WHERE organization_id = ${organizationId} AND endpoint_id = ${endpointId} AND message_id = ${id}
      ORDER BY number DESC LIMIT ${limit}) a
    ORDER BY a.number`
