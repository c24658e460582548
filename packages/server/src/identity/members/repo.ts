import type { Member } from "@orgplane/schema/members"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { texts } from "../../infra/sql/texts.ts"
import { iso } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly id: Id<"om">
  readonly organization_id: Id<"org">
  readonly user_id: Id<"usr">
  readonly email: string | null
  readonly name: string | null
  readonly role: string
  readonly created_at: Date
  readonly updated_at: Date
}

/**
 * A user's own email address, or the one that the host application reports, or the one of the SCIM user: the primary
 * one, the one of type work, or any.
 */
const email = `coalesce(u.email, (SELECT min(s.email) FROM user_subjects s WHERE s.user_id = u.id),
    (SELECT coalesce(jsonb_path_query_first(r.resource_json, '$.emails[*] ? (@.primary == true).value'),
        jsonb_path_query_first(r.resource_json, '$.emails[*] ? (@.type == "work").value'),
        jsonb_path_query_first(r.resource_json, '$.emails[*].value'), to_jsonb(r.user_name)) #>> '{}'
      FROM scim_users r WHERE r.organization_id = m.organization_id AND r.membership_id = m.id
        AND r.removed_at IS NULL))`

/** The columns of memberships `m` joined with their users `u`. */
export const columns = (sql: Sql) =>
  sql.literal(`m.id, m.organization_id, m.user_id, ${email} AS email, u.name, m.role, m.created_at, m.updated_at`)

export const toWire = (row: Row): Member => ({
  id: row.id,
  organizationId: row.organization_id,
  userId: row.user_id,
  email: row.email,
  name: row.name,
  role: row.role,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly q?: string; readonly role?: string; readonly teamId?: Id<"tem"> },
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql)} FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.organization_id = ${organizationId} AND m.removed_at IS NULL
      AND (${after}::text IS NULL OR m.id < ${after})
      AND (${filters.role ?? null}::text IS NULL OR m.role = ${filters.role ?? null})
      AND (${filters.teamId ?? null}::text IS NULL OR EXISTS (SELECT 1 FROM team_members tm
        WHERE tm.organization_id = ${organizationId} AND tm.team_id = ${filters.teamId ?? null}
          AND tm.membership_id = m.id))
      AND (${filters.q ?? null}::text IS NULL OR ${sql.literal(email)} ILIKE ${contains(filters.q)} OR u.name ILIKE ${contains(filters.q)})
    ORDER BY m.id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"om">) =>
  sql<Row>`SELECT ${columns(sql)} FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.organization_id = ${organizationId} AND m.id = ${id} AND m.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Whether the member exists. Locks the membership until the transaction ends. */
export const keep = (sql: Sql, organizationId: Id<"org">, id: Id<"om">) =>
  sql<{ id: string }>`SELECT id FROM memberships
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL FOR SHARE`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

/** How many of the members exist. Locks their memberships until the transaction ends. */
export const keepAll = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"om">>) =>
  sql<{ id: string }>`SELECT id FROM memberships
    WHERE organization_id = ${organizationId} AND id = ANY(${texts(ids)}::text[]) AND removed_at IS NULL
    ORDER BY id FOR SHARE`.pipe(Effect.map((rows) => rows.length))

export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  member: { readonly id: Id<"om">; readonly userId: Id<"usr">; readonly role: string }
) =>
  sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
    VALUES (${organizationId}, ${member.id}, ${member.userId}, ${member.role}, now(), now())`

/** Creates a user without an email address, such as the agent that created a workspace, or the demo's owner. */
export const createUser = (sql: Sql, id: Id<"usr">, name: string) =>
  sql`INSERT INTO users (id, name, created_at, updated_at) VALUES (${id}, ${name}, now(), now())`

export const isMember = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">) =>
  sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM memberships
    WHERE organization_id = ${organizationId} AND user_id = ${userId} AND removed_at IS NULL) AS exists`.pipe(
    Effect.map((rows) => rows[0]?.exists === true)
  )
