import type { Id } from "@orgplane/schema/shared/ids"
import type { Content } from "@orgplane/schema/templates"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"

/** The size of the latest versions of all templates, in bytes. */
export const contentBytes = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ readonly bytes: number }>`SELECT coalesce(sum(octet_length(v.content_json::text)), 0)::float8 AS bytes
    FROM templates t
    JOIN template_versions v ON v.organization_id = ${organizationId} AND v.id = t.latest_version_id
    WHERE t.organization_id = ${organizationId} AND t.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0]?.bytes ?? 0)
  )

export interface TemplateRow {
  readonly id: Id<"tpl">
  readonly name: string
  readonly description: string | null
  readonly version: number
  readonly content: Content
}

/** All templates with the content of their latest version. */
export const listTemplates = (sql: Sql, organizationId: Id<"org">, after: string | null, limit: number) =>
  sql<TemplateRow>`SELECT t.id, t.name, t.description, t.version, v.content_json AS content FROM templates t
    JOIN template_versions v ON v.organization_id = ${organizationId} AND v.id = t.latest_version_id
    WHERE t.organization_id = ${organizationId} AND t.deleted_at IS NULL
      AND (${after}::text IS NULL OR t.id < ${after})
    ORDER BY t.id DESC LIMIT ${limit}`

/** All templates without their content. */
export const listNames = (sql: Sql, organizationId: Id<"org">, after: string | null, limit: number) =>
  sql<{ readonly id: Id<"tpl">; readonly name: string }>`SELECT t.id, t.name FROM templates t
    WHERE t.organization_id = ${organizationId} AND t.deleted_at IS NULL
      AND (${after}::text IS NULL OR t.id < ${after})
    ORDER BY t.id DESC LIMIT ${limit}`
