import type { ScimDirectory, ScimGroup } from "@orgplane/schema/scim"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"

// Directories

interface DirectoryRow {
  readonly id: Id<"scd">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly provider: ScimDirectory["provider"]
  readonly active: number
  readonly inactive: number
  readonly groups: number
  readonly pending_hold_id: Id<"sch"> | null
  readonly last_request_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

export interface TokenRow {
  readonly id: Id<"sct">
  readonly directory_id: Id<"scd">
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
}

export interface Row extends DirectoryRow {
  readonly tokens: ReadonlyArray<TokenRow>
}

const columns = (sql: Sql) =>
  sql.literal(`d.id, d.organization_id, d.name, d.provider, d.last_request_at, d.created_at, d.updated_at,
    (SELECT count(*)::int FROM scim_users u WHERE u.organization_id = d.organization_id AND u.directory_id = d.id
      AND u.removed_at IS NULL AND u.active) AS active,
    (SELECT count(*)::int FROM scim_users u WHERE u.organization_id = d.organization_id AND u.directory_id = d.id
      AND u.removed_at IS NULL AND NOT u.active) AS inactive,
    (SELECT count(*)::int FROM scim_groups g WHERE g.organization_id = d.organization_id AND g.directory_id = d.id
      AND g.removed_at IS NULL) AS groups,
    (SELECT h.id FROM scim_holds h WHERE h.organization_id = d.organization_id AND h.directory_id = d.id
      AND h.status = 'pending') AS pending_hold_id`)

const tokenToWire = (row: TokenRow): ScimDirectory["tokens"][number] => ({
  id: row.id,
  createdAt: iso(row.created_at),
  expiresAt: isoOrNull(row.expires_at),
  lastUsedAt: isoOrNull(row.last_used_at)
})

export const toWire =
  (baseUrl: string) =>
  (row: Row): ScimDirectory => ({
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    provider: row.provider,
    baseUrl,
    tokens: row.tokens.map(tokenToWire),
    users: { active: row.active, inactive: row.inactive },
    groups: row.groups,
    pendingHoldId: row.pending_hold_id,
    lastRequestAt: isoOrNull(row.last_request_at),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at)
  })

/** The live tokens of directories, newest first. */
const tokensOf = (sql: Sql, organizationId: Id<"org">, directoryIds: ReadonlyArray<Id<"scd">>) =>
  sql<TokenRow>`SELECT id, directory_id, created_at, expires_at, last_used_at FROM scim_tokens
    WHERE organization_id = ${organizationId}
      AND directory_id = ANY (ARRAY(SELECT jsonb_array_elements_text(${sql.json(directoryIds)})))
      AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    ORDER BY id DESC`

const withTokens = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  rows: ReadonlyArray<DirectoryRow>
) {
  const tokens =
    rows.length === 0
      ? []
      : yield* tokensOf(
          sql,
          organizationId,
          rows.map(({ id }) => id)
        )
  return rows.map((row): Row => ({ ...row, tokens: tokens.filter((token) => token.directory_id === row.id) }))
})

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly q?: string },
  after: string | null,
  limit: number
) =>
  sql<DirectoryRow>`SELECT ${columns(sql)} FROM scim_directories d
    WHERE d.organization_id = ${organizationId} AND d.removed_at IS NULL
      AND (${after}::text IS NULL OR d.id < ${after})
      AND (${filters.q ?? null}::text IS NULL OR d.name ILIKE ${contains(filters.q)})
    ORDER BY d.id DESC LIMIT ${limit}`.pipe(Effect.flatMap((rows) => withTokens(sql, organizationId, rows)))

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"scd">) =>
  sql<DirectoryRow>`SELECT ${columns(sql)} FROM scim_directories d
    WHERE d.organization_id = ${organizationId} AND d.id = ${id} AND d.removed_at IS NULL`.pipe(
    Effect.flatMap((rows) => withTokens(sql, organizationId, rows)),
    Effect.map((rows) => rows[0])
  )

/** Whether the directory exists, or has been removed but its log is still kept. */
export const isKnown = (sql: Sql, organizationId: Id<"org">, id: Id<"scd">) =>
  sql<{ id: string }>`SELECT id FROM scim_directories
    WHERE organization_id = ${organizationId} AND id = ${id}`.pipe(Effect.map((rows) => rows.length === 1))

export const count = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM scim_directories
    WHERE organization_id = ${organizationId} AND removed_at IS NULL`.pipe(Effect.map((rows) => rows[0]?.count ?? 0))

export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  directory: {
    readonly id: Id<"scd">
    readonly name: string
    readonly provider: string
    readonly createdBy: Id<"om"> | null
  }
) =>
  sql`INSERT INTO scim_directories (organization_id, id, name, provider, created_by_membership_id, created_at,
      updated_at)
    VALUES (${organizationId}, ${directory.id}, ${directory.name}, ${directory.provider}, ${directory.createdBy},
      now(), now())`

/**
 * Removes a directory with its tokens, SCIM users and groups. The groups remain as ordinary teams, members keep their
 * memberships, roles and teams, and the request log is kept.
 */
export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"scd">) =>
  Effect.gen(function* () {
    yield* sql`UPDATE scim_directories SET removed_at = now(), updated_at = now()
      WHERE organization_id = ${organizationId} AND id = ${id}`
    yield* sql`UPDATE scim_tokens SET revoked_at = now()
      WHERE organization_id = ${organizationId} AND directory_id = ${id} AND revoked_at IS NULL`
    yield* sql`DELETE FROM scim_group_members WHERE organization_id = ${organizationId}
      AND group_id IN (SELECT g.id FROM scim_groups g
        WHERE g.organization_id = ${organizationId} AND g.directory_id = ${id})`
    yield* sql`UPDATE scim_groups SET removed_at = now()
      WHERE organization_id = ${organizationId} AND directory_id = ${id} AND removed_at IS NULL`
    yield* sql`UPDATE scim_users SET removed_at = coalesce(removed_at, now()), membership_id = NULL, group_role = NULL
      WHERE organization_id = ${organizationId} AND directory_id = ${id}
        AND (removed_at IS NULL OR membership_id IS NOT NULL)`
  })

/** The memberships of a directory's SCIM users that no other directory manages, including those held for approval. */
export const memberships = (sql: Sql, organizationId: Id<"org">, id: Id<"scd">) =>
  sql<{ membership_id: Id<"om"> }>`SELECT DISTINCT u.membership_id FROM scim_users u
    WHERE u.organization_id = ${organizationId} AND u.directory_id = ${id} AND u.membership_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM scim_users o
        WHERE o.organization_id = u.organization_id AND o.membership_id = u.membership_id AND o.active
          AND o.removed_at IS NULL AND o.directory_id <> ${id})`.pipe(
    Effect.map((rows) => rows.map((row) => row.membership_id))
  )

// Tokens

export const addToken = (
  sql: Sql,
  organizationId: Id<"org">,
  token: {
    readonly id: Id<"sct">
    readonly directoryId: Id<"scd">
    readonly digest: Uint8Array
    readonly expiresAt: Date | null
    readonly isOwners: boolean
  }
) =>
  sql`INSERT INTO scim_tokens (organization_id, id, directory_id, token_digest, made_by_owner, created_at, expires_at)
    VALUES (${organizationId}, ${token.id}, ${token.directoryId}, ${token.digest}, ${token.isOwners}, now(),
      ${token.expiresAt})`

/** Makes the other tokens expire after this time, unless they expire earlier. */
export const limitOthers = (
  sql: Sql,
  organizationId: Id<"org">,
  directoryId: Id<"scd">,
  except: Id<"sct">,
  graceSeconds: number
) =>
  sql`UPDATE scim_tokens
    SET expires_at = least(expires_at, now() + make_interval(secs => ${graceSeconds}::double precision))
    WHERE organization_id = ${organizationId} AND directory_id = ${directoryId} AND id <> ${except}
      AND revoked_at IS NULL`

/** Revokes the oldest live tokens above the maximum. */
export const endOldest = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">, max: number) =>
  sql`UPDATE scim_tokens SET revoked_at = now()
    WHERE organization_id = ${organizationId} AND id IN (SELECT t.id FROM scim_tokens t
      WHERE t.organization_id = ${organizationId} AND t.directory_id = ${directoryId} AND t.revoked_at IS NULL
        AND (t.expires_at IS NULL OR t.expires_at > now())
      ORDER BY t.id DESC OFFSET ${max})`

/** False when there is no such live token. */
export const revokeToken = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">, id: Id<"sct">) =>
  sql<{ id: string }>`UPDATE scim_tokens SET revoked_at = now()
    WHERE organization_id = ${organizationId} AND directory_id = ${directoryId} AND id = ${id} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())
    RETURNING id`.pipe(Effect.map((rows) => rows.length === 1))

// Groups

export interface GroupRow {
  readonly id: Id<"tem">
  readonly display_name: string
  readonly external_id: string | null
  readonly role: string | null
  readonly member_count: number
  readonly created_at: Date
  readonly updated_at: Date
}

const groupColumns = (sql: Sql) =>
  sql.literal(`g.id, g.display_name, g.external_id, g.role, g.created_at, g.updated_at,
    (SELECT count(*)::int FROM scim_group_members gm
      JOIN scim_users u ON u.organization_id = gm.organization_id AND u.id = gm.scim_user_id AND u.removed_at IS NULL
      WHERE gm.organization_id = g.organization_id AND gm.group_id = g.id) AS member_count`)

export const groupToWire = (row: GroupRow): ScimGroup => ({
  teamId: row.id,
  displayName: row.display_name,
  externalId: row.external_id,
  role: row.role,
  memberCount: row.member_count,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const listGroups = (
  sql: Sql,
  organizationId: Id<"org">,
  directoryId: Id<"scd">,
  after: string | null,
  limit: number
) =>
  sql<GroupRow>`SELECT ${groupColumns(sql)} FROM scim_groups g
    WHERE g.organization_id = ${organizationId} AND g.directory_id = ${directoryId} AND g.removed_at IS NULL
      AND (${after}::text IS NULL OR g.id < ${after})
    ORDER BY g.id DESC LIMIT ${limit}`

export const findGroup = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">, id: Id<"tem">) =>
  sql<GroupRow>`SELECT ${groupColumns(sql)} FROM scim_groups g
    WHERE g.organization_id = ${organizationId} AND g.directory_id = ${directoryId} AND g.id = ${id}
      AND g.removed_at IS NULL`.pipe(Effect.map((rows) => rows[0]))

export const setRole = (sql: Sql, organizationId: Id<"org">, id: Id<"tem">, role: string | null) =>
  sql`UPDATE scim_groups SET role = ${role} WHERE organization_id = ${organizationId} AND id = ${id}`

/** The roles that a directory's groups assign. */
export const rolesGiven = (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">) =>
  sql<{ role: string }>`SELECT DISTINCT g.role FROM scim_groups g
    WHERE g.organization_id = ${organizationId} AND g.directory_id = ${directoryId} AND g.role IS NOT NULL
      AND g.removed_at IS NULL`.pipe(Effect.map((rows) => rows.map(({ role }) => role)))

export const groupMembers = (sql: Sql, organizationId: Id<"org">, id: Id<"tem">) =>
  sql<{ scim_user_id: Id<"scu"> }>`SELECT scim_user_id FROM scim_group_members
    WHERE organization_id = ${organizationId} AND group_id = ${id}`.pipe(
    Effect.map((rows) => rows.map((row) => row.scim_user_id))
  )
