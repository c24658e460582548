import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Content, Instance, Template, Version, VersionSummary } from "@orgplane/schema/templates"
import * as Effect from "effect/Effect"
import { isShowing, visible } from "../../identity/grants/index.ts"
import { hasServed, servedName } from "../../identity/grants/served-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso } from "../../infra/sql/timestamps.ts"

export interface SummaryRow {
  readonly v_id: Id<"tpv">
  readonly v_template_id: Id<"tpl">
  readonly v_ordinal: number
  readonly v_digest: string
  readonly v_object_count: number
  readonly v_variable_count: number
  readonly v_created_by: Id<"om"> | null
  readonly v_created_at: Date
}

export interface VersionRow extends SummaryRow {
  readonly v_content: Content
}

export interface Row extends SummaryRow {
  readonly id: Id<"tpl">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly description: string | null
  readonly version: number
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
  readonly updated_at: Date
}

const summaryColumns = (sql: Sql) =>
  sql.literal(`v.id AS v_id, v.template_id AS v_template_id, v.ordinal AS v_ordinal, v.content_digest AS v_digest,
    v.object_count AS v_object_count, v.variable_count AS v_variable_count,
    v.created_by_membership_id AS v_created_by, v.created_at AS v_created_at`)

const columns = (sql: Sql) =>
  sql.literal(`t.id, t.organization_id, t.name, t.description, t.version, t.created_by_membership_id, t.created_at,
    t.updated_at`)

export const summaryToWire = (row: SummaryRow): VersionSummary => ({
  id: row.v_id,
  templateId: row.v_template_id,
  ordinal: row.v_ordinal,
  contentDigest: row.v_digest,
  objectCount: row.v_object_count,
  variableCount: row.v_variable_count,
  createdByOrgMembershipId: row.v_created_by,
  createdAt: iso(row.v_created_at)
})

export const versionToWire = (row: VersionRow): Version => ({ ...summaryToWire(row), content: row.v_content })

export const toWire = (row: Row): Template => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  description: row.description,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  latestVersion: summaryToWire(row)
})

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly q?: string },
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql)}, ${summaryColumns(sql)} FROM templates t
    JOIN template_versions v ON v.organization_id = t.organization_id AND v.id = t.latest_version_id
    WHERE t.organization_id = ${organizationId} AND t.deleted_at IS NULL
      AND (${after}::text IS NULL OR t.id < ${after})
      AND (${filters.q ?? null}::text IS NULL OR t.name ILIKE ${contains(filters.q)})
    ORDER BY t.id DESC LIMIT ${limit}`

/** A template with its complete latest version. */
export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"tpl">) =>
  sql<Row & VersionRow>`SELECT ${columns(sql)}, ${summaryColumns(sql)}, v.content_json AS v_content FROM templates t
    JOIN template_versions v ON v.organization_id = t.organization_id AND v.id = t.latest_version_id
    WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export const exists = (sql: Sql, organizationId: Id<"org">, id: Id<"tpl">) =>
  sql<{ one: number }>`SELECT 1 AS one FROM templates t
    WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

/**
 * Locks a template until the transaction ends. It is locked first and read in a second statement, because the statement
 * that waits for the lock would not see the version that the other transaction wrote.
 */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"tpl">) =>
  Effect.gen(function* () {
    yield* sql`SELECT 1 AS one FROM templates t
      WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.deleted_at IS NULL FOR UPDATE`
    const [row] = yield* sql<Row>`SELECT ${columns(sql)}, ${summaryColumns(sql)} FROM templates t
      JOIN template_versions v ON v.organization_id = t.organization_id AND v.id = t.latest_version_id
      WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.deleted_at IS NULL`
    return row
  })

/** Whether a template exists. Takes a shared lock, so that it is not removed before the transaction ends. */
export const keep = (sql: Sql, organizationId: Id<"org">, id: Id<"tpl">) =>
  sql<{ one: number }>`SELECT 1 AS one FROM templates t
    WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.deleted_at IS NULL FOR SHARE`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

/** False if the name is taken. */
export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  template: {
    readonly id: Id<"tpl">
    readonly name: string
    readonly description: string | null
    readonly versionId: Id<"tpv">
    readonly createdBy: Id<"om"> | null
  }
) =>
  sql<{ id: string }>`INSERT INTO templates (organization_id, id, name, description, latest_version_id,
      created_by_membership_id, created_at, updated_at)
    VALUES (${organizationId}, ${template.id}, ${template.name}, ${template.description}, ${template.versionId},
      ${template.createdBy}, now(), now())
    ON CONFLICT (organization_id, lower(name)) WHERE deleted_at IS NULL DO NOTHING
    RETURNING id`.pipe(Effect.map((rows) => rows.length === 1))

export interface NewVersion {
  readonly id: Id<"tpv">
  readonly templateId: Id<"tpl">
  readonly ordinal: number
  readonly content: Content
  readonly digest: string
  readonly createdBy: Id<"om"> | null
}

export const putVersion = (sql: Sql, organizationId: Id<"org">, version: NewVersion) =>
  sql`INSERT INTO template_versions (organization_id, id, template_id, ordinal, content_json, content_digest,
      object_count, variable_count, created_by_membership_id, created_at)
    VALUES (${organizationId}, ${version.id}, ${version.templateId}, ${version.ordinal}, ${sql.json(version.content)},
      ${version.digest}, ${version.content.objects.length}, ${version.content.variables.length}, ${version.createdBy},
      now())`

export const setLatest = (sql: Sql, organizationId: Id<"org">, id: Id<"tpl">, versionId: Id<"tpv">) =>
  sql`UPDATE templates SET latest_version_id = ${versionId}, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const update = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"tpl">,
  template: { readonly name: string; readonly description: string | null }
) =>
  sql`UPDATE templates SET name = ${template.name}, description = ${template.description}, version = version + 1,
      updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** Its name becomes free. Instances keep their reference until the template is purged. */
export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"tpl">) =>
  sql`UPDATE templates SET deleted_at = now(), version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const listVersions = (
  sql: Sql,
  organizationId: Id<"org">,
  templateId: Id<"tpl">,
  after: string | null,
  limit: number
) =>
  sql<SummaryRow>`SELECT ${summaryColumns(sql)} FROM template_versions v
    WHERE v.organization_id = ${organizationId} AND v.template_id = ${templateId}
      AND (${after}::text IS NULL OR v.id < ${after})
    ORDER BY v.id DESC LIMIT ${limit}`

export const findVersion = (sql: Sql, organizationId: Id<"org">, templateId: Id<"tpl">, id: Id<"tpv">) =>
  sql<VersionRow>`SELECT ${summaryColumns(sql)}, v.content_json AS v_content FROM template_versions v
    WHERE v.organization_id = ${organizationId} AND v.template_id = ${templateId} AND v.id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The version before the given one. */
export const versionBefore = (sql: Sql, organizationId: Id<"org">, templateId: Id<"tpl">, ordinal: number) =>
  sql<VersionRow>`SELECT ${summaryColumns(sql)}, v.content_json AS v_content FROM template_versions v
    WHERE v.organization_id = ${organizationId} AND v.template_id = ${templateId} AND v.ordinal < ${ordinal}
    ORDER BY v.ordinal DESC LIMIT 1`.pipe(Effect.map((rows) => rows[0]))

export const putInstance = (
  sql: Sql,
  organizationId: Id<"org">,
  instance: {
    readonly pluginId: Id<"plg">
    readonly templateId: Id<"tpl">
    readonly versionId: Id<"tpv">
    readonly createdBy: Id<"om"> | null
  }
) =>
  sql`INSERT INTO template_instances (organization_id, plugin_id, template_id, version_id, created_by_membership_id,
      created_at)
    VALUES (${organizationId}, ${instance.pluginId}, ${instance.templateId}, ${instance.versionId},
      ${instance.createdBy}, now())`

export interface InstanceRow {
  readonly plugin_id: Id<"plg">
  readonly plugin_name: string
  readonly version_id: Id<"tpv">
  readonly ordinal: number
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
}

/** The plugins created from a template that the caller can see for any reason. */
export const listInstances = (sql: Sql, caller: Member, id: Id<"tpl">, after: string | null, limit: number) =>
  sql<InstanceRow>`SELECT i.plugin_id, ${servedName(sql, caller)} AS plugin_name, i.version_id, v.ordinal,
      i.created_by_membership_id, i.created_at
    FROM template_instances i
    JOIN plugins p ON p.organization_id = i.organization_id AND p.id = i.plugin_id AND p.deleted_at IS NULL
    JOIN template_versions v ON v.organization_id = i.organization_id AND v.id = i.version_id
    WHERE i.organization_id = ${caller.organizationId} AND i.template_id = ${id}
      AND (${after}::text IS NULL OR i.plugin_id < ${after})
      AND ${visible(sql, caller, "plugin", sql`i.plugin_id`)} AND ${isShowing(sql, caller, "plugin", sql`i.plugin_id`)}
      AND ${hasServed(sql, caller)}
    ORDER BY i.plugin_id DESC LIMIT ${limit}`

export const instanceToWire = (row: InstanceRow): Instance => ({
  plugin: { id: row.plugin_id, name: row.plugin_name },
  version: { id: row.version_id, ordinal: row.ordinal },
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at)
})
