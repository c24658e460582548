import type { Id } from "@orgplane/schema/shared/ids"
import type { Domain, DomainFailure } from "@orgplane/schema/sso-domains"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import { recordName, recordValue } from "./name.ts"

export interface Row {
  readonly id: Id<"dom">
  readonly organization_id: Id<"org">
  readonly domain: string
  readonly status: Domain["status"]
  readonly token: string
  readonly verified_at: Date | null
  readonly last_checked_at: Date | null
  readonly failure: DomainFailure | null
  readonly failing_since: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) =>
  sql.literal(`d.id, d.organization_id, d.domain, d.status, d.token, d.verified_at, d.last_checked_at, d.failure,
    d.failing_since, d.created_at, d.updated_at`)

export const toWire = (row: Row): Domain => ({
  id: row.id,
  organizationId: row.organization_id,
  domain: row.domain,
  status: row.status,
  verification: { type: "TXT", name: recordName(row.domain), value: recordValue(row.token) },
  verifiedAt: isoOrNull(row.verified_at),
  lastCheckedAt: isoOrNull(row.last_checked_at),
  failure: row.failure,
  failingSince: isoOrNull(row.failing_since),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const list = (sql: Sql, organizationId: Id<"org">, after: string | null, limit: number) =>
  sql<Row>`SELECT ${columns(sql)} FROM domains d
    WHERE d.organization_id = ${organizationId} AND d.removed_at IS NULL
      AND (${after}::text IS NULL OR d.id < ${after})
    ORDER BY d.id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"dom">) =>
  sql<Row>`SELECT ${columns(sql)} FROM domains d
    WHERE d.organization_id = ${organizationId} AND d.id = ${id} AND d.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/**
 * The number of domains of the organization. Locks it, so that no other request adds one until the transaction ends.
 */
export const lockAndCount = (sql: Sql, organizationId: Id<"org">) =>
  Effect.gen(function* () {
    yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`domains/${organizationId}`}, 35))::text AS locked`
    const [row] = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM domains
      WHERE organization_id = ${organizationId} AND removed_at IS NULL`
    return row?.count ?? 0
  })

/** Undefined when the organization has the domain already. */
export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  domain: { readonly id: Id<"dom">; readonly domain: string; readonly token: string },
  createdBy: Id<"om"> | null
) =>
  sql<Row>`INSERT INTO domains AS d (organization_id, id, domain, status, token, created_by_membership_id, created_at,
      updated_at)
    VALUES (${organizationId}, ${domain.id}, ${domain.domain}, 'pending', ${domain.token}, ${createdBy}, now(), now())
    ON CONFLICT (organization_id, domain) WHERE removed_at IS NULL DO NOTHING
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Removes the domain and returns its previous state. Waits for sign-ins that have locked the domain. */
export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"dom">) =>
  sql<Row>`UPDATE domains d SET removed_at = now(), updated_at = now()
    WHERE d.organization_id = ${organizationId} AND d.id = ${id} AND d.removed_at IS NULL
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

// Verification on request

/** Whether the organization has any single sign-on configuration. */
export const hasAny = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ exists: boolean }>`SELECT
      EXISTS (SELECT 1 FROM domains WHERE organization_id = ${organizationId} AND removed_at IS NULL)
      OR EXISTS (SELECT 1 FROM sso_connections WHERE organization_id = ${organizationId}) AS exists`.pipe(
    Effect.map((rows) => rows[0]?.exists === true)
  )

/** Unverified domains, in the order in which they are locked, which avoids deadlocks. */
export const unverified = (sql: Sql, organizationId: Id<"org">) =>
  sql<Row>`SELECT ${columns(sql)} FROM domains d
    WHERE d.organization_id = ${organizationId} AND d.status <> 'verified' AND d.removed_at IS NULL
    ORDER BY d.domain`

/** Locks the unverified domains until the transaction ends. */
export const lockUnverified = (sql: Sql, organizationId: Id<"org">) =>
  sql<Row>`SELECT ${columns(sql)} FROM domains d
    WHERE d.organization_id = ${organizationId} AND d.status <> 'verified' AND d.removed_at IS NULL
    ORDER BY d.domain FOR UPDATE`

/** Fails with a unique violation when another organization has verified the domain. */
export const markVerified = (sql: Sql, organizationId: Id<"org">, id: Id<"dom">) =>
  sql`UPDATE domains SET status = 'verified', verified_at = now(), last_checked_at = now(), failure = NULL,
      failing_since = NULL, next_check_at = now() + interval '22 hours' + random() * interval '2 hours',
      updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const noteFailure = (sql: Sql, organizationId: Id<"org">, id: Id<"dom">, failure: DomainFailure) =>
  sql`UPDATE domains SET last_checked_at = now(), failure = ${failure}, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

// Daily verification

export type DueRow = Pick<Row, "id" | "organization_id" | "domain" | "token">

/** Leases domains of all organizations that are due for verification. */
export const takeDue = (sql: Sql, leaseSeconds: number, limit: number) =>
  sql<DueRow>`UPDATE domains d SET next_check_at = now() + ${leaseSeconds}::int * interval '1 second'
    WHERE (d.organization_id, d.id) IN (
      SELECT t.organization_id, t.id FROM domains t
      WHERE t.status = 'verified' AND t.removed_at IS NULL AND t.next_check_at <= now()
      ORDER BY t.next_check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING d.id, d.organization_id, d.domain, d.token`

export interface VerifiedRow {
  readonly is_failing: boolean
  /** Verification has failed for a day. */
  readonly is_over: boolean
}

/** A domain that still exists and is verified. Locks it until the transaction ends. */
export const lockVerified = (sql: Sql, organizationId: Id<"org">, id: Id<"dom">) =>
  sql<VerifiedRow>`SELECT failing_since IS NOT NULL AS is_failing,
      coalesce(failing_since <= now() - interval '24 hours', false) AS is_over
    FROM domains
    WHERE organization_id = ${organizationId} AND id = ${id} AND status = 'verified' AND removed_at IS NULL
    FOR UPDATE`.pipe(Effect.map((rows) => rows[0]))

/** Verified again: the next check is in about a day, at a random time to spread the load. */
export const recordSuccess = (sql: Sql, organizationId: Id<"org">, id: Id<"dom">) =>
  sql`UPDATE domains SET last_checked_at = now(), failure = NULL, failing_since = NULL,
      next_check_at = now() + interval '22 hours' + random() * interval '2 hours', updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** The lookup failed, which neither starts nor ends a period of failed verification. */
export const recordUnavailable = (sql: Sql, organizationId: Id<"org">, id: Id<"dom">) =>
  sql`UPDATE domains SET last_checked_at = now(), failure = 'dns_unavailable',
      next_check_at = now() + interval '50 minutes' + random() * interval '20 minutes', updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** Not verified: checked again several times during the day, and at its end. */
export const recordFailure = (sql: Sql, organizationId: Id<"org">, id: Id<"dom">, failure: DomainFailure) =>
  sql`UPDATE domains SET last_checked_at = now(), failure = ${failure}, failing_since = coalesce(failing_since, now()),
      next_check_at = least(coalesce(failing_since, now()) + interval '24 hours',
        now() + interval '3 hours' + random() * interval '1 hour'), updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const lapse = (sql: Sql, organizationId: Id<"org">, id: Id<"dom">, failure: DomainFailure) =>
  sql`UPDATE domains SET status = 'lapsed', last_checked_at = now(), failure = ${failure}, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`
