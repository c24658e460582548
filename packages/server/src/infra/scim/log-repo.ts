import type { ScimDecision, ScimDifference, ScimLogEntry } from "@orgplane/schema/scim"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../sql/client.ts"
import { iso } from "../sql/timestamps.ts"

/** A log entry as it is written. */
export interface Line {
  readonly organization_id: Id<"org">
  readonly id: Id<"scl">
  readonly directory_id: Id<"scd">
  readonly token_id: Id<"sct">
  readonly request_id: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly decision: ScimDecision
  readonly scim_type: string | null
  readonly detail: string | null
  readonly resource_type: "User" | "Group" | null
  readonly resource_id: string | null
  readonly display_name: string | null
  readonly differences_json: ReadonlyArray<ScimDifference>
  readonly user_agent: string | null
  readonly at: string
}

export interface Row extends Omit<Line, "at" | "organization_id"> {
  readonly created_at: Date
}

export const toWire = (row: Row): ScimLogEntry => ({
  id: row.id,
  directoryId: row.directory_id,
  tokenId: row.token_id,
  requestId: row.request_id,
  method: row.method,
  path: row.path,
  status: row.status,
  decision: row.decision,
  scimType: row.scim_type,
  detail: row.detail,
  resourceType: row.resource_type,
  resourceId: row.resource_id,
  displayName: row.display_name,
  differences: row.differences_json,
  userAgent: row.user_agent,
  createdAt: iso(row.created_at)
})

/** Writes entries of several organizations in one statement, except those of deleted directories. */
export const write = (sql: Sql, lines: ReadonlyArray<Line>) =>
  sql`INSERT INTO scim_log (organization_id, id, directory_id, token_id, request_id, method, path, status, decision,
      scim_type, detail, resource_type, resource_id, display_name, differences_json, user_agent, created_at)
    SELECT d.organization_id, r.id, r.directory_id, r.token_id, r.request_id, r.method, r.path, r.status, r.decision,
      r.scim_type, r.detail, r.resource_type, r.resource_id, r.display_name, r.differences_json, r.user_agent,
      r.at::timestamptz
    FROM jsonb_to_recordset(${sql.json(lines)}) AS r(organization_id text, id text, directory_id text, token_id text,
      request_id text, method text, path text, status integer, decision text, scim_type text, detail text,
      resource_type text, resource_id text, display_name text, differences_json jsonb, user_agent text, at text)
    JOIN scim_directories d ON d.organization_id = r.organization_id AND d.id = r.directory_id`

/** Writes an entry as part of the statement that makes the change, if the CTE `source` of that statement has a row. */
export const writeBeside = (sql: Sql, line: Line, source: string) =>
  sql`INSERT INTO scim_log (organization_id, id, directory_id, token_id, request_id, method, path, status, decision,
      scim_type, detail, resource_type, resource_id, display_name, differences_json, user_agent, created_at)
    SELECT ${line.organization_id}, ${line.id}, ${line.directory_id}, ${line.token_id}, ${line.request_id},
      ${line.method}, ${line.path}, ${line.status}::integer, ${line.decision}, ${line.scim_type}, ${line.detail},
      ${line.resource_type}, ${line.resource_id}, ${line.display_name}, ${sql.json(line.differences_json)}::jsonb,
      ${line.user_agent}, ${line.at}::timestamptz
    FROM ${sql.literal(source)}`

export interface Filters {
  readonly decision?: ScimDecision
  readonly resourceId?: string
  readonly changesOnly?: boolean
}

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  directoryId: Id<"scd">,
  { changesOnly = false, decision, resourceId }: Filters,
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT id, directory_id, token_id, request_id, method, path, status, decision, scim_type, detail,
      resource_type, resource_id, display_name, differences_json, user_agent, created_at
    FROM scim_log
    WHERE organization_id = ${organizationId} AND directory_id = ${directoryId}
      ${after === null ? sql`` : sql`AND id < ${after}`}
      ${decision === undefined ? sql`` : sql`AND decision = ${decision}`}
      ${resourceId === undefined ? sql`` : sql`AND resource_id = ${resourceId}`}
      ${changesOnly ? sql`AND decision <> 'read'` : sql``}
    ORDER BY id DESC LIMIT ${limit}`
