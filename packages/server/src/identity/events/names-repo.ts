/** The current names of actors and objects, as a reader may see them. */
import type { Member } from "@orgplane/schema/shared/caller"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"
import { visible } from "../grants/index.ts"
import { hasServed, isServed, servedName, servedTitle } from "../grants/served-repo.ts"

/** Who reads events. */
export type Reader = Pick<Member, "organizationId" | "principal" | "isAdmin" | "permissions">

export interface Named {
  readonly name: string | null
  readonly email: string | null
}

interface NameRow extends Named {
  readonly id: string
}

interface Source {
  readonly permission: Permission
  /** A query with the columns `id`, `name` and `email`. `ids` is an array, so that each ID is looked up in an index. */
  readonly rows: (sql: Sql, reader: Reader, ids: Fragment) => Fragment
}

/** Tables whose names are visible to everyone with the permission. */
const plain = (permission: Permission, table: string, name: string): Source => ({
  permission,
  rows: (
    sql,
    { organizationId },
    ids
  ) => sql`SELECT t.id, t.${sql(name)} AS name, NULL::text AS email FROM ${sql(table)} t
    WHERE t.organization_id = ${organizationId} AND t.id = ANY (${ids})`
})

/** Members, by the ID in a column of their membership `m`. */
const people = (id: "m.id" | "m.user_id"): Source => ({
  permission: "members:read",
  rows: (sql, { organizationId }, ids) => sql`SELECT ${sql.literal(id)} AS id, u.name, u.email FROM memberships m
    JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL
    WHERE m.organization_id = ${organizationId} AND ${sql.literal(id)} = ANY (${ids})`
})

/** How the names of the objects with each ID prefix are read. */
const sources: Readonly<Record<string, Source>> = {
  om: people("m.id"),
  usr: people("m.user_id"),
  plg: {
    permission: "plugins:read",
    rows: (sql, reader, ids) => sql`SELECT p.id, ${servedName(sql, reader)} AS name, NULL::text AS email FROM plugins p
      WHERE p.organization_id = ${reader.organizationId} AND p.id = ANY (${ids}) AND p.deleted_at IS NULL
        AND ${visible(sql, reader, "plugin", sql`p.id`)} AND ${hasServed(sql, reader)}`
  },
  cob: {
    permission: "configObjects:read",
    rows: (sql, reader, ids) => sql`SELECT o.id, ${servedTitle(sql, reader)} AS name, NULL::text AS email
      FROM config_objects o
      WHERE o.organization_id = ${reader.organizationId} AND o.id = ANY (${ids}) AND o.deleted_at IS NULL
        AND ${visible(sql, reader, "configObject", sql`o.id`)} AND ${isServed(sql, reader)}`
  },
  mkt: {
    permission: "marketplaces:read",
    rows: (sql, reader, ids) => sql`SELECT k.id, k.name, NULL::text AS email FROM marketplaces k
      WHERE k.organization_id = ${reader.organizationId} AND k.id = ANY (${ids}) AND k.deleted_at IS NULL
        AND ${visible(sql, reader, "marketplace", sql`k.id`)}`
  },
  cin: {
    permission: "connectors:read",
    rows: (sql, reader, ids) => sql`SELECT c.id, c.name, NULL::text AS email FROM connector_instances c
      WHERE c.organization_id = ${reader.organizationId} AND c.id = ANY (${ids}) AND c.removed_at IS NULL
        AND ${visible(sql, reader, "connectorInstance", sql`c.id`)}`
  },
  tem: plain("teams:read", "teams", "name"),
  rol: plain("roles:read", "roles", "name"),
  key: plain("apiKeys:read", "api_keys", "name"),
  wrk: plain("workers:read", "workers", "name"),
  scd: plain("scim:read", "scim_directories", "name"),
  dpo: plain("desktopPolicies:read", "desktop_policies", "name"),
  tpl: plain("templates:read", "templates", "name"),
  dom: plain("sso:read", "domains", "domain")
}

/** The part of an ID before the underscore; undefined for other texts. */
export const prefixOf = (id: string): string | undefined => /^([a-z]{2,3})_[0-7][0-9a-hjkmnp-tv-z]{25}$/u.exec(id)?.[1]

/** The names of the IDs that the reader may see, with one statement for all kinds. */
export const readNames = Effect.fnUntraced(function* (sql: Sql, reader: Reader, ids: ReadonlySet<string>) {
  const byPrefix = Map.groupBy(ids, (id) => prefixOf(id) ?? "")
  const queries = [...byPrefix].flatMap(([prefix, ofKind]) => {
    const source = sources[prefix]
    return source === undefined || !reader.permissions.has(source.permission)
      ? []
      : [source.rows(sql, reader, sql`${texts(ofKind)}::text[]`)]
  })
  const [first, ...others] = queries
  if (first === undefined) return new Map<string, Named>()
  const rows = yield* sql<NameRow>`${others.reduce((all, query) => sql`${all} UNION ALL ${query}`, first)}`
  return new Map<string, Named>(rows.map(({ email, id, name }) => [id, { name, email }]))
})
