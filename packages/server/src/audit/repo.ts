import type { AuditEvent } from "@orgplane/schema/audit"
import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import type { Sql } from "../sql/client.ts"
import { iso } from "../sql/timestamps.ts"

export interface Row {
  readonly id: Id<"aud">
  readonly organization_id: Id<"org"> | null
  readonly action: string
  readonly actor_kind: AuditEvent["actorKind"]
  readonly actor_id: string | null
  readonly target_id: string | null
  readonly request_id: string | null
  readonly address: string | null
  readonly user_agent: string | null
  readonly before_json: JsonObject | null
  readonly after_json: JsonObject | null
  readonly created_at: Date
}

export const toWire = (row: Row): AuditEvent => ({
  id: row.id,
  organizationId: row.organization_id,
  action: row.action,
  actorKind: row.actor_kind,
  actorId: row.actor_id,
  targetId: row.target_id,
  requestId: row.request_id,
  address: row.address,
  userAgent: row.user_agent,
  before: row.before_json,
  after: row.after_json,
  createdAt: iso(row.created_at)
})

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly action?: string; readonly actorId?: string; readonly targetId?: string },
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT id, organization_id, action, actor_kind, actor_id, target_id, request_id, address, user_agent,
      before_json, after_json, created_at
    FROM audit_events
    WHERE organization_id = ${organizationId}
      AND (${after}::text IS NULL OR id < ${after})
      AND (${filters.action ?? null}::text IS NULL OR action = ${filters.action ?? null})
      AND (${filters.actorId ?? null}::text IS NULL OR actor_id = ${filters.actorId ?? null})
      AND (${filters.targetId ?? null}::text IS NULL OR target_id = ${filters.targetId ?? null})
    ORDER BY id DESC LIMIT ${limit}`
