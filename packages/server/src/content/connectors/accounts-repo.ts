import type { Account } from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { levels, managesAll, visible } from "../../identity/grants/index.ts"
import { membershipOf } from "../../infra/mutate/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso } from "../../infra/sql/timestamps.ts"

export interface AccountRow {
  readonly id: Id<"cac">
  readonly organization_id: Id<"org">
  readonly adapter: Account["adapter"]
  readonly remote_id: string
  readonly name: string
  readonly status: "active" | "error"
  readonly status_reason: string | null
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) =>
  sql.literal(`a.id, a.organization_id, a.adapter, a.remote_id, a.name, a.status, a.status_reason,
    a.created_by_membership_id, a.created_at, a.updated_at`)

export const toWire = (row: AccountRow): Account => ({
  id: row.id,
  organizationId: row.organization_id,
  connectorType: "codehost",
  adapter: row.adapter,
  remoteId: row.remote_id,
  name: row.name,
  status: row.status,
  statusReason: row.status_reason,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export interface NewAccount {
  readonly id: Id<"cac">
  readonly adapter: Account["adapter"]
  readonly remoteId: string
  readonly name: string
}

/**
 * Returns the account at a host or of an installation, and creates it on first use. An account that failed before
 * becomes active.
 */
export const put = (sql: Sql, organizationId: Id<"org">, account: NewAccount, createdBy: Id<"om"> | null) =>
  sql<AccountRow>`INSERT INTO connector_accounts AS a (organization_id, id, adapter, remote_id, name,
      created_by_membership_id, created_at, updated_at)
    VALUES (${organizationId}, ${account.id}, ${account.adapter}, ${account.remoteId}, ${account.name}, ${createdBy},
      now(), now())
    ON CONFLICT (organization_id, remote_id) WHERE removed_at IS NULL DO UPDATE
      SET name = CASE WHEN a.adapter = 'rest' THEN excluded.name ELSE a.name END, status = 'active', status_reason = NULL
    RETURNING ${columns(sql)}`.pipe(Effect.flatMap(([row]) => expectRow(row, "connector account")))

/** Undefined if the organization already has an account for this host or installation. */
export const create = (sql: Sql, organizationId: Id<"org">, account: NewAccount, createdBy: Id<"om"> | null) =>
  sql<AccountRow>`INSERT INTO connector_accounts AS a (organization_id, id, adapter, remote_id, name,
      created_by_membership_id, created_at, updated_at)
    VALUES (${organizationId}, ${account.id}, ${account.adapter}, ${account.remoteId}, ${account.name}, ${createdBy},
      now(), now())
    ON CONFLICT (organization_id, remote_id) WHERE removed_at IS NULL DO NOTHING
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** The caller's access level on all accounts. Accounts are not granted individually: the group's permissions decide. */
const levelOfAll = (caller: Member): number =>
  managesAll(caller, "connectorInstance") || caller.permissions.has("connectors:manage")
    ? levels.manager
    : caller.permissions.has("connectors:write")
      ? levels.editor
      : 0

const levelOf = (sql: Sql, caller: Member) => {
  const most = levelOfAll(caller)
  return sql`CASE
    WHEN ${most}::int = 3 OR a.created_by_membership_id = ${membershipOf(caller)}::text THEN 3
    WHEN ${most}::int > 0 THEN ${most}::int
    WHEN EXISTS (SELECT 1 FROM connector_instances i
      WHERE i.organization_id = ${caller.organizationId} AND i.connector_account_id = a.id AND i.removed_at IS NULL
        AND ${visible(sql, caller, "connectorInstance", sql`i.id`)}) THEN 1
    ELSE 0 END`
}

/** An account, whether or not the caller can see it; `level` is the caller's access level. */
export const get = (sql: Sql, caller: Member, id: Id<"cac">) =>
  sql<AccountRow & { readonly level: number }>`SELECT ${columns(sql)}, ${levelOf(sql, caller)} AS level
    FROM connector_accounts a
    WHERE a.organization_id = ${caller.organizationId} AND a.id = ${id} AND a.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export const list = (sql: Sql, caller: Member, filters: { readonly q?: string }, after: string | null, limit: number) =>
  sql<AccountRow>`SELECT ${columns(sql)} FROM connector_accounts a
    WHERE a.organization_id = ${caller.organizationId} AND a.removed_at IS NULL
      AND (${after}::text IS NULL OR a.id < ${after})
      AND (${filters.q ?? null}::text IS NULL OR a.name ILIKE ${contains(filters.q)}
        OR a.remote_id ILIKE ${contains(filters.q)})
      AND ${levelOf(sql, caller)} > 0
    ORDER BY a.id DESC LIMIT ${limit}`

/** An account, for background jobs. */
export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"cac">) =>
  sql<AccountRow>`SELECT ${columns(sql)} FROM connector_accounts a
    WHERE a.organization_id = ${organizationId} AND a.id = ${id} AND a.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Like `find`, and locks the account until the transaction ends. */
export const hold = (sql: Sql, organizationId: Id<"org">, id: Id<"cac">) =>
  sql<AccountRow>`SELECT ${columns(sql)} FROM connector_accounts a
    WHERE a.organization_id = ${organizationId} AND a.id = ${id} AND a.removed_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

export const isUsed = (sql: Sql, organizationId: Id<"org">, id: Id<"cac">) =>
  sql`SELECT 1 AS one FROM connector_instances
    WHERE organization_id = ${organizationId} AND connector_account_id = ${id} AND removed_at IS NULL LIMIT 1`.pipe(
    Effect.map((rows) => rows.length > 0)
  )

export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"cac">) =>
  sql`UPDATE connector_accounts SET removed_at = now(), updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

// Installations in progress

export interface PendingInstallation {
  readonly digest: Uint8Array
  readonly membershipId: Id<"om">
  /** Null for a user of the host application. */
  readonly sessionId: Id<"ses"> | null
}

export const putPendingInstallation = (
  sql: Sql,
  organizationId: Id<"org">,
  installation: PendingInstallation,
  lifetimeSeconds: number
) =>
  sql<{ expires_at: Date }>`INSERT INTO connector_installs (organization_id, state_digest, membership_id, session_id,
      created_at, expires_at)
    VALUES (${organizationId}, ${installation.digest}, ${installation.membershipId}, ${installation.sessionId}, now(),
      now() + ${lifetimeSeconds}::int * interval '1 second')
    RETURNING expires_at`.pipe(Effect.flatMap(([row]) => expectRow(row, "pending installation")))

/**
 * Consumes an installation that this session started. If another session sends the state, returns no row and keeps the
 * installation.
 */
export const takePendingInstallation = (sql: Sql, organizationId: Id<"org">, installation: PendingInstallation) =>
  sql`DELETE FROM connector_installs
    WHERE organization_id = ${organizationId} AND state_digest = ${installation.digest}
      AND membership_id = ${installation.membershipId} AND session_id IS NOT DISTINCT FROM ${installation.sessionId}
      AND expires_at > now()
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))
