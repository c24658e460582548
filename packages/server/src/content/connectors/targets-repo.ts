import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import type { Member } from "@orgplane/schema/shared/caller"
import { levelOf } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { type TargetRow, targetColumns } from "./repo.ts"

/** A branch, for background jobs. */
export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"ctg">) =>
  sql<TargetRow>`SELECT ${targetColumns(sql)} FROM connector_targets t
    WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The branches of an instance, in the order of creation. */
export const ofInstance = (sql: Sql, organizationId: Id<"org">, instanceId: Id<"cin">) =>
  sql<TargetRow>`SELECT ${targetColumns(sql)} FROM connector_targets t
    WHERE t.organization_id = ${organizationId} AND t.connector_instance_id = ${instanceId} AND t.removed_at IS NULL
    ORDER BY t.id`

/** The instance of a branch, and the caller's access level on it. */
export const levelAt = (sql: Sql, caller: Member, id: Id<"ctg">) =>
  sql<{ instance_id: Id<"cin">; level: number }>`SELECT t.connector_instance_id AS instance_id,
      ${levelOf(sql, caller, "connectorInstance", sql`t.connector_instance_id`)} AS level
    FROM connector_targets t
    WHERE t.organization_id = ${caller.organizationId} AND t.id = ${id} AND t.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Sets the published revision of a branch; `pinnedAt` is set by a rollback. */
export const setSynced = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"ctg">,
  revision: string,
  pinnedAt: Date | null,
  /** The version of the import rules that the branch was read with; null after a rollback. */
  readingVersion: string | null
) =>
  sql`UPDATE connector_targets SET last_synced_at = now(), last_sync_cursor = ${revision},
      pinned_revision = ${pinnedAt === null ? null : revision}, pinned_at = ${pinnedAt},
      reading_version = coalesce(${readingVersion}::text, reading_version), updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** Updates a branch. Configuration that an import has stored cannot be changed by the caller. */
export const update = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"ctg">,
  change: { readonly branch?: string; readonly config?: JsonObject },
  remoteId: string
) =>
  sql<TargetRow>`UPDATE connector_targets AS t SET
      branch = coalesce(${change.branch ?? null}::text, t.branch),
      -- A pin belongs to a revision of the branch that it was set on.
      pinned_revision = CASE WHEN coalesce(${change.branch ?? null}::text, t.branch) = t.branch
        THEN t.pinned_revision END,
      pinned_at = CASE WHEN coalesce(${change.branch ?? null}::text, t.branch) = t.branch THEN t.pinned_at END,
      remote_id = ${remoteId}::text || '#' || coalesce(${change.branch ?? null}::text, t.branch),
      config_json = CASE WHEN ${change.config === undefined} THEN t.config_json
        ELSE (coalesce(${change.config === undefined ? null : sql.json(change.config)}::jsonb, '{}') - 'marketplaceId')
          || CASE WHEN t.config_json ? 'marketplaceId'
            THEN jsonb_build_object('marketplaceId', t.config_json->'marketplaceId') ELSE '{}'::jsonb END END,
      updated_at = now()
    WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.removed_at IS NULL
    RETURNING ${targetColumns(sql)}`.pipe(Effect.map((rows) => rows[0]))
