import type { ConfigObject } from "@orgplane/schema/config-objects"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { objectLevelOf } from "../../identity/grants/served-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** The state of an object, without its content. */
export interface ObjectStateRow {
  readonly id: Id<"cob">
  readonly object_type: ConfigObject["objectType"]
  readonly source_mode: ConfigObject["sourceMode"]
  readonly status: ConfigObject["status"]
  readonly file_name: string | null
  readonly relative_path: string | null
  readonly latest_version_id: Id<"cov"> | null
  readonly version: number
}

const columns = (sql: Sql) =>
  sql.literal(
    "o.id, o.object_type, o.source_mode, o.status, o.file_name, o.relative_path, o.latest_version_id, o.version"
  )

/** The state of an object and the caller's access level on it. */
export const getState = (sql: Sql, caller: Member, id: Id<"cob">) =>
  sql<ObjectStateRow & { readonly level: number }>`SELECT ${columns(sql)},
      ${objectLevelOf(sql, caller)} AS level
    FROM config_objects o
    WHERE o.organization_id = ${caller.organizationId} AND o.id = ${id} AND o.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The state of an object. Locks the object until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"cob">) =>
  sql<ObjectStateRow>`SELECT ${columns(sql)} FROM config_objects o
    WHERE o.organization_id = ${organizationId} AND o.id = ${id} AND o.deleted_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Archives an object, or restores it to its previous status. */
export const setArchived = (sql: Sql, organizationId: Id<"org">, id: Id<"cob">, isArchived: boolean) =>
  sql`UPDATE config_objects SET updated_at = now(), version = version + 1,
      status = CASE WHEN ${isArchived} THEN 'archived' WHEN ingestion_error IS NULL THEN 'active'
        ELSE 'ingestion_error' END
    WHERE organization_id = ${organizationId} AND id = ${id}`
