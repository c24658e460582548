import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import type { InstanceRow } from "./repo.ts"

/** The subject of an event, with the identifiers of the code host. */
export interface RemotePlace {
  readonly installationId: string | null
  readonly repositoryId: string | null
  /** Normalized; null if no instance can have this URL. */
  readonly cloneUrl: string | null
}

/** Why an instance cannot be read or will not change, according to its code host. */
export type RemoteState = "archived" | "deleted" | "transferred" | "suspended" | "uninstalled" | "removed"

/** Maximum organizations per event. Others find the change at their next scheduled check. */
const organizationsMax = 500
const instancesMax = 2000

/** The organizations that follow a repository, by installation and identifier, or by the URL they read it from. */
export const followers = (sql: Sql, place: RemotePlace) =>
  sql<{ organization_id: Id<"org"> }>`SELECT DISTINCT i.organization_id FROM connector_instances i
    JOIN organizations o ON o.id = i.organization_id AND o.deleted_at IS NULL
    WHERE i.removed_at IS NULL AND (
      (i.adapter = 'git' AND lower(i.remote_id) = lower(${place.cloneUrl}::text))
      OR (i.adapter = 'rest' AND lower(i.remote_id) = lower(${place.repositoryId}::text)
        AND EXISTS (SELECT 1 FROM connector_accounts a
          WHERE a.organization_id = i.organization_id AND a.id = i.connector_account_id AND a.adapter = 'rest'
            AND a.remote_id = ${place.installationId}::text AND a.removed_at IS NULL)))
    ORDER BY i.organization_id LIMIT ${organizationsMax}`.pipe(
    Effect.map((rows) => rows.map((row) => row.organization_id))
  )

/** The organizations that have an account for an installation. */
export const installers = (sql: Sql, installationId: string) =>
  sql<{ organization_id: Id<"org"> }>`SELECT DISTINCT a.organization_id FROM connector_accounts a
    JOIN organizations o ON o.id = a.organization_id AND o.deleted_at IS NULL
    WHERE a.adapter = 'rest' AND a.remote_id = ${installationId} AND a.removed_at IS NULL
    ORDER BY a.organization_id LIMIT ${organizationsMax}`.pipe(
    Effect.map((rows) => rows.map((row) => row.organization_id))
  )

export interface RemoteInstanceRow extends Pick<
  InstanceRow,
  | "id"
  | "organization_id"
  | "adapter"
  | "remote_id"
  | "name"
  | "status"
  | "repository_full_name"
  | "auto_import_new_plugins"
  | "last_sync_cursor"
> {
  readonly remote_state: RemoteState | null
  readonly remote_seen_at: Date | null
}

const columns = (sql: Sql) =>
  sql.literal(`i.id, i.organization_id, i.adapter, i.remote_id, i.name, i.status, i.repository_full_name,
    i.auto_import_new_plugins, i.last_sync_cursor, i.remote_state, i.remote_seen_at`)

/** An organization's instances of a repository, locked until the transaction ends. */
export const lockFollowing = (sql: Sql, organizationId: Id<"org">, place: RemotePlace) =>
  sql<RemoteInstanceRow>`SELECT ${columns(sql)} FROM connector_instances i
    WHERE i.organization_id = ${organizationId} AND i.removed_at IS NULL AND (
      (i.adapter = 'git' AND lower(i.remote_id) = lower(${place.cloneUrl}::text))
      OR (i.adapter = 'rest' AND lower(i.remote_id) = lower(${place.repositoryId}::text)
        AND EXISTS (SELECT 1 FROM connector_accounts a
          WHERE a.organization_id = ${organizationId} AND a.id = i.connector_account_id AND a.adapter = 'rest'
            AND a.remote_id = ${place.installationId}::text AND a.removed_at IS NULL)))
    ORDER BY i.id LIMIT ${instancesMax} FOR UPDATE OF i`

/** One instance, locked until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"cin">) =>
  sql<RemoteInstanceRow>`SELECT ${columns(sql)} FROM connector_instances i
    WHERE i.organization_id = ${organizationId} AND i.id = ${id} AND i.removed_at IS NULL FOR UPDATE OF i`.pipe(
    Effect.map((rows) => rows[0])
  )

/** An organization's instances of an installation: those of these repositories, or all. */
export const lockInstalled = (
  sql: Sql,
  organizationId: Id<"org">,
  installationId: string,
  repositoryIds: ReadonlyArray<string> | null
) =>
  sql<RemoteInstanceRow>`SELECT ${columns(sql)} FROM connector_instances i
    WHERE i.organization_id = ${organizationId} AND i.removed_at IS NULL AND i.adapter = 'rest'
      AND (${repositoryIds === null} OR i.remote_id IN (SELECT jsonb_array_elements_text(${sql.json(repositoryIds ?? [])})))
      AND EXISTS (SELECT 1 FROM connector_accounts a
        WHERE a.organization_id = ${organizationId} AND a.id = i.connector_account_id AND a.adapter = 'rest'
          AND a.remote_id = ${installationId} AND a.removed_at IS NULL)
    ORDER BY i.id LIMIT ${instancesMax} FOR UPDATE OF i`

export const setAccountState = (
  sql: Sql,
  organizationId: Id<"org">,
  installationId: string,
  status: "active" | "error",
  reason: string | null
) =>
  sql`UPDATE connector_accounts SET status = ${status}, status_reason = ${reason}, updated_at = now()
    WHERE organization_id = ${organizationId} AND adapter = 'rest' AND remote_id = ${installationId}
      AND removed_at IS NULL AND (status, coalesce(status_reason, '')) IS DISTINCT FROM (${status}, coalesce(${reason}::text, ''))`

/** Sets the state of an instance's repository. A disabled or archived instance keeps its status. */
export const setRemoteState = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"cin">,
  state: RemoteState | null,
  reason: string | null,
  seenAt: Date | null
) =>
  sql`UPDATE connector_instances SET remote_state = ${state},
      remote_seen_at = coalesce(${seenAt}::timestamptz, remote_seen_at),
      status = CASE WHEN status IN ('active', 'error') THEN ${state === null ? "active" : "error"} ELSE status END,
      status_reason = CASE WHEN status IN ('active', 'error') THEN ${reason} ELSE status_reason END,
      version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL`

/** The branches of instances: those with the name, or all. */
export const branchesOf = (
  sql: Sql,
  organizationId: Id<"org">,
  instanceIds: ReadonlyArray<Id<"cin">>,
  branch: string | null
) =>
  sql<{ id: Id<"ctg">; connector_instance_id: Id<"cin"> }>`SELECT t.id, t.connector_instance_id FROM connector_targets t
    WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL
      AND t.connector_instance_id IN (SELECT jsonb_array_elements_text(${sql.json(instanceIds)}))
      AND (${branch}::text IS NULL OR t.branch = ${branch})
    ORDER BY t.connector_instance_id, t.id`

/** Records the time of the newest event. */
export const setSeen = (sql: Sql, organizationId: Id<"org">, id: Id<"cin">, seenAt: Date) =>
  sql`UPDATE connector_instances SET remote_seen_at = greatest(remote_seen_at, ${seenAt}::timestamptz)
    WHERE organization_id = ${organizationId} AND id = ${id}`
