import type * as Connectors from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import { levelOf, pageOfVisible, visible } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { contains } from "../../infra/sql/like.ts"
import { readAs } from "../../infra/sql/read.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import { inParts } from "../../infra/time-slices.ts"

// Instances

export interface InstanceRow {
  readonly id: Id<"cin">
  readonly organization_id: Id<"org">
  readonly connector_account_id: Id<"cac">
  readonly adapter: Connectors.Instance["adapter"]
  readonly remote_id: string
  readonly name: string
  readonly status: Connectors.Instance["status"]
  readonly status_reason: string | null
  readonly config_json: JsonObject
  readonly credential_id: string | null
  readonly repository_full_name: string
  readonly auto_import_new_plugins: boolean
  readonly last_synced_at: Date | null
  readonly last_sync_cursor: string | null
  readonly created_by_membership_id: Id<"om"> | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** Whether an instance is disabled or archived. It imports nothing until it is enabled. */
export const isStopped = ({ status }: Pick<InstanceRow, "status">): boolean =>
  status === "disabled" || status === "archived"

const instanceColumns = (sql: Sql) =>
  sql.literal(`i.id, i.organization_id, i.connector_account_id, i.adapter, i.remote_id, i.name, i.status, i.status_reason,
    i.config_json, i.credential_id, i.repository_full_name, i.auto_import_new_plugins, i.last_synced_at,
    i.last_sync_cursor, i.created_by_membership_id, i.version, i.created_at, i.updated_at`)

/**
 * The location of a repository in responses. Only callers that may use local paths see a complete local path; others
 * see its last segment.
 */
const placeFor = (caller: Member, remoteId: string) =>
  remoteId.startsWith("file:") && !caller.permissions.has("connectors:write")
    ? `file:///${remoteId.slice(remoteId.lastIndexOf("/") + 1)}`
    : remoteId

export const instanceToWire = (caller: Member, row: InstanceRow): Connectors.Instance => ({
  id: row.id,
  organizationId: row.organization_id,
  connectorAccountId: row.connector_account_id,
  connectorType: "codehost",
  adapter: row.adapter,
  remoteId: placeFor(caller, row.remote_id),
  name: row.name,
  status: row.status,
  statusReason: row.status_reason,
  instanceConfigJson: row.config_json,
  lastSyncedAt: isoOrNull(row.last_synced_at),
  lastSyncCursor: row.last_sync_cursor,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

/** An instance, whether or not the caller can see it; `level` is the caller's access level. */
export const getInstance = (sql: Sql, caller: Member, id: Id<"cin">) =>
  sql<InstanceRow & { readonly level: number }>`SELECT ${instanceColumns(sql)},
      ${levelOf(sql, caller, "connectorInstance", sql`i.id`)} AS level
    FROM connector_instances i
    WHERE i.organization_id = ${caller.organizationId} AND i.id = ${id} AND i.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** An instance, for background jobs. */
export const findInstance = (sql: Sql, organizationId: Id<"org">, id: Id<"cin">) =>
  sql<InstanceRow>`SELECT ${instanceColumns(sql)} FROM connector_instances i
    WHERE i.organization_id = ${organizationId} AND i.id = ${id} AND i.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export const lockInstance = (sql: Sql, organizationId: Id<"org">, id: Id<"cin">) =>
  sql<InstanceRow>`SELECT ${instanceColumns(sql)} FROM connector_instances i
    WHERE i.organization_id = ${organizationId} AND i.id = ${id} AND i.removed_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

interface InstancesRead {
  readonly pattern: string | null
  /** Null excludes archived instances. */
  readonly archived: true | null
  readonly after: string | null
  readonly limit: number
}

const readInstances = readAs<InstanceRow, InstancesRead>(
  (sql, caller, { after, archived, limit, pattern }) =>
    sql`SELECT ${instanceColumns(sql)} FROM (${pageOfVisible(sql, caller, {
      kind: "connectorInstance",
      where: sql`${archived === null ? sql`o.status <> 'archived'` : sql`TRUE`}
        AND ${pattern === null ? sql`TRUE` : sql`o.name ILIKE ${pattern}`}`,
      after,
      limit
    })}) page
    JOIN connector_instances i ON i.organization_id = ${caller.organizationId} AND i.id = page.id
    ORDER BY i.id DESC`
)

export const listInstances = (
  sql: Sql,
  caller: Member,
  filters: { readonly q?: string; readonly archived?: string },
  after: string | null,
  limit: number
) =>
  readInstances(sql, caller, {
    pattern: contains(filters.q),
    archived: filters.archived === "true" ? true : null,
    after,
    limit
  })

export const countInstances = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM connector_instances
    WHERE organization_id = ${organizationId} AND removed_at IS NULL`.pipe(Effect.map((rows) => rows[0]?.count ?? 0))

/** Serializes setups of an organization, so that counts are exact. */
export const lockSetups = (sql: Sql, organizationId: Id<"org">) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${`connector-setup/${organizationId}`}, 7))::text AS locked`

/** Undefined if the name is taken. */
export const createInstance = (
  sql: Sql,
  organizationId: Id<"org">,
  instance: {
    readonly id: Id<"cin">
    readonly accountId: Id<"cac">
    readonly adapter: Connectors.Instance["adapter"]
    readonly remoteId: string
    readonly name: string
    readonly credentialId: string | null
    readonly repositoryFullName: string
    readonly config: JsonObject
  },
  createdBy: Id<"om"> | null
) =>
  sql<InstanceRow>`INSERT INTO connector_instances AS i (organization_id, id, connector_account_id, adapter, remote_id, name,
      status, credential_id, repository_full_name, config_json, delivery_mode, created_by_membership_id, created_at,
      updated_at)
    VALUES (${organizationId}, ${instance.id}, ${instance.accountId}, ${instance.adapter}, ${instance.remoteId},
      ${instance.name}, 'active', ${instance.credentialId}, ${instance.repositoryFullName},
      ${sql.json(instance.config)}, 'hold_growth', ${createdBy}, now(), now())
    ON CONFLICT (organization_id, name) WHERE removed_at IS NULL DO NOTHING
    RETURNING ${instanceColumns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const updateInstance = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"cin">,
  update: {
    readonly remoteId?: string
    readonly name?: string
    readonly config?: JsonObject
    readonly repositoryFullName?: string
    /** For a new origin, sets its account and removes the credential, which was for the previous origin. */
    readonly accountId?: Id<"cac">
  }
) =>
  sql<InstanceRow>`UPDATE connector_instances i SET
      remote_id = coalesce(${update.remoteId ?? null}::text, i.remote_id),
      -- The state was that of the previous repository.
      remote_state = CASE WHEN i.remote_id = coalesce(${update.remoteId ?? null}::text, i.remote_id) THEN i.remote_state END,
      remote_seen_at = CASE WHEN i.remote_id = coalesce(${update.remoteId ?? null}::text, i.remote_id)
        THEN i.remote_seen_at END,
      connector_account_id = coalesce(${update.accountId ?? null}::text, i.connector_account_id),
      credential_id = CASE WHEN ${update.accountId ?? null}::text IS NULL THEN i.credential_id END,
      repository_full_name = coalesce(${update.repositoryFullName ?? null}::text, i.repository_full_name),
      name = coalesce(${update.name ?? null}::text, i.name),
      config_json = coalesce(${update.config === undefined ? null : sql.json(update.config)}::jsonb, i.config_json),
      version = i.version + 1, updated_at = now()
    WHERE i.organization_id = ${organizationId} AND i.id = ${id} AND i.removed_at IS NULL
    RETURNING ${instanceColumns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Sets the credential. The caller deletes the previous one. */
export const setCredential = (sql: Sql, organizationId: Id<"org">, id: Id<"cin">, credentialId: string) =>
  sql<InstanceRow>`UPDATE connector_instances i SET credential_id = ${credentialId}, version = i.version + 1,
      updated_at = now()
    WHERE i.organization_id = ${organizationId} AND i.id = ${id} AND i.removed_at IS NULL
    RETURNING ${instanceColumns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Records that a sync could not read the repository. A disabled or archived instance keeps its status. */
export const setFailed = (sql: Sql, organizationId: Id<"org">, id: Id<"cin">, reason: string) =>
  sql`UPDATE connector_instances SET status = 'error', status_reason = ${reason}, version = version + 1,
      updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL AND status IN ('active', 'error')
      -- A state from the code host is more specific.
      AND NOT (status = 'error' AND remote_state IS NOT NULL)
      AND (status, coalesce(status_reason, '')) IS DISTINCT FROM ('error', ${reason})`

/** Sets the status. The version increases only if the status changes. */
export const setStatus = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"cin">,
  status: InstanceRow["status"],
  reason: string | null
) =>
  sql`UPDATE connector_instances SET status = ${status}, status_reason = ${reason}, version = version + 1,
      updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL
      AND (status, coalesce(status_reason, '')) IS DISTINCT FROM (${status}, coalesce(${reason}::text, ''))`

/** Stores the current name of the repository on the code host. The names of instances do not change. */
export const renameRepository = (sql: Sql, organizationId: Id<"org">, id: Id<"cin">, fullName: string) =>
  sql`UPDATE connector_instances SET repository_full_name = ${fullName}, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL
      AND repository_full_name IS DISTINCT FROM ${fullName}`

export const setAutoImport = (sql: Sql, organizationId: Id<"org">, id: Id<"cin">, value: boolean) =>
  sql`UPDATE connector_instances SET auto_import_new_plugins = ${value}, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND auto_import_new_plugins IS DISTINCT FROM ${value}`

export const setSynced = (sql: Sql, organizationId: Id<"org">, id: Id<"cin">, revision: string) =>
  sql`UPDATE connector_instances SET last_synced_at = now(), last_sync_cursor = ${revision},
      -- A repository that was read exists; an archived one can be read too.
      status = CASE WHEN status = 'error' AND remote_state IS DISTINCT FROM 'archived' THEN 'active' ELSE status END,
      status_reason = CASE WHEN remote_state = 'archived' THEN status_reason END,
      remote_state = CASE WHEN remote_state = 'archived' THEN remote_state END,
      version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

// Credentials

export interface SealedRow {
  readonly key_id: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

export const findSealed = (sql: Sql, organizationId: Id<"org">, id: string) =>
  sql<SealedRow>`SELECT key_id, nonce, ciphertext FROM sealed_values
    WHERE organization_id = ${organizationId} AND id = ${id}`.pipe(Effect.map((rows) => rows[0]))

export const putSealed = (sql: Sql, organizationId: Id<"org">, id: string, purpose: string, sealed: SealedRow) =>
  sql`INSERT INTO sealed_values (organization_id, id, purpose, key_id, nonce, ciphertext, created_at)
    VALUES (${organizationId}, ${id}, ${purpose}, ${sealed.key_id}, ${sealed.nonce}, ${sealed.ciphertext}, now())`

export const deleteSealed = (sql: Sql, organizationId: Id<"org">, id: string) =>
  sql`DELETE FROM sealed_values WHERE organization_id = ${organizationId} AND id = ${id}`

// Targets

export interface TargetRow {
  readonly id: Id<"ctg">
  readonly connector_instance_id: Id<"cin">
  readonly remote_id: string
  readonly branch: string
  readonly config_json: JsonObject
  readonly last_synced_at: Date | null
  readonly last_sync_cursor: string | null
  readonly pinned_revision: string | null
  readonly pinned_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

export const targetColumns = (sql: Sql) =>
  sql.literal(`t.id, t.connector_instance_id, t.remote_id, t.branch, t.config_json, t.last_synced_at, t.last_sync_cursor,
    t.pinned_revision, t.pinned_at, t.created_at, t.updated_at`)

export const targetToWire = (caller: Member, row: TargetRow): Connectors.Target => ({
  id: row.id,
  connectorInstanceId: row.connector_instance_id,
  connectorType: "codehost",
  // A branch may contain slashes; the part before it never contains "#".
  remoteId: `${placeFor(caller, row.remote_id.slice(0, row.remote_id.indexOf("#")))}#${row.branch}`,
  targetKind: "repository_branch",
  externalTargetRef: `refs/heads/${row.branch}`,
  targetConfigJson: row.config_json,
  lastSyncedAt: isoOrNull(row.last_synced_at),
  lastSyncCursor: row.last_sync_cursor,
  pinnedRevision: row.pinned_revision,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

/** The reconciler checks a new branch after one interval. */
export const createTarget = (
  sql: Sql,
  organizationId: Id<"org">,
  target: {
    readonly id: Id<"ctg">
    readonly instanceId: Id<"cin">
    readonly remoteId: string
    readonly branch: string
    readonly reconcileSeconds: number
  }
) =>
  sql<TargetRow>`INSERT INTO connector_targets AS t (organization_id, id, connector_instance_id, remote_id, branch,
      reconcile_at, created_at, updated_at)
    VALUES (${organizationId}, ${target.id}, ${target.instanceId}, ${target.remoteId}, ${target.branch},
      now() + make_interval(secs => ${target.reconcileSeconds}::double precision), now(), now())
    RETURNING ${targetColumns(sql)}`.pipe(Effect.flatMap(([row]) => expectRow(row, "target")))

/** Moves the branches of an instance to another repository. */
export const moveTargets = (sql: Sql, organizationId: Id<"org">, instanceId: Id<"cin">, remoteId: string) =>
  sql`UPDATE connector_targets SET remote_id = ${remoteId}::text || '#' || branch, updated_at = now()
    WHERE organization_id = ${organizationId} AND connector_instance_id = ${instanceId} AND removed_at IS NULL`

/** Sets the marketplace to which plugins that the branch imports later are added. */
export const setMarketplace = (sql: Sql, organizationId: Id<"org">, id: Id<"ctg">, marketplaceId: Id<"mkt">) =>
  sql`UPDATE connector_targets
    SET config_json = config_json || jsonb_build_object('marketplaceId', ${marketplaceId}::text), updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}
      AND config_json->>'marketplaceId' IS DISTINCT FROM ${marketplaceId}`

/** The marketplace for automatically imported plugins: the one of the last import, if it exists. */
export const marketplaceOf = (sql: Sql, organizationId: Id<"org">, id: Id<"ctg">) =>
  sql<{ id: Id<"mkt"> }>`SELECT m.id FROM marketplaces m
    JOIN connector_targets t ON t.organization_id = ${organizationId} AND t.id = ${id}
    WHERE m.organization_id = ${organizationId} AND m.deleted_at IS NULL
      AND (m.id = t.config_json->>'marketplaceId' OR m.connector_target_id = t.id)
    ORDER BY m.id = t.config_json->>'marketplaceId' DESC NULLS LAST, m.id LIMIT 1`.pipe(
    Effect.map((rows) => rows[0]?.id)
  )

/** A target of an instance that the caller can see. */
export const getTarget = (sql: Sql, caller: Member, id: Id<"ctg">) =>
  sql<TargetRow>`SELECT ${targetColumns(sql)} FROM connector_targets t
    WHERE t.organization_id = ${caller.organizationId} AND t.id = ${id} AND t.removed_at IS NULL
      AND ${visible(sql, caller, "connectorInstance", sql`t.connector_instance_id`)}`.pipe(
    Effect.map((rows) => rows[0])
  )

export const listTargets = (
  sql: Sql,
  organizationId: Id<"org">,
  instanceId: Id<"cin">,
  after: string | null,
  limit: number
) =>
  sql<TargetRow>`SELECT ${targetColumns(sql)} FROM connector_targets t
    WHERE t.organization_id = ${organizationId} AND t.connector_instance_id = ${instanceId} AND t.removed_at IS NULL
      AND (${after}::text IS NULL OR t.id < ${after})
    ORDER BY t.id DESC LIMIT ${limit}`

/** The first branch of an instance, which discovery and sync use by default. */
export const findFirstTarget = (sql: Sql, organizationId: Id<"org">, instanceId: Id<"cin">) =>
  sql<TargetRow>`SELECT ${targetColumns(sql)} FROM connector_targets t
    WHERE t.organization_id = ${organizationId} AND t.connector_instance_id = ${instanceId} AND t.removed_at IS NULL
    ORDER BY t.id LIMIT 1`.pipe(Effect.map((rows) => rows[0]))

// Mappings

export interface MappingRow {
  readonly id: Id<"cmp">
  readonly connector_instance_id: Id<"cin">
  readonly connector_target_id: Id<"ctg">
  readonly mapping_kind: Connectors.Mapping["mappingKind"]
  readonly selector: string
  readonly object_type: Connectors.ObjectType
  readonly plugin_id: Id<"plg"> | null
  readonly auto_add_to_plugin: boolean
  readonly remote_id: string | null
  readonly config_json: { readonly [key: string]: JsonObject[string] } | null
  readonly created_at: Date
  readonly updated_at: Date
}

export const mappingColumns = (sql: Sql) =>
  sql.literal(`m.id, m.connector_instance_id, m.connector_target_id, m.mapping_kind, m.selector, m.object_type,
    m.plugin_id, m.auto_add_to_plugin, m.remote_id, m.config_json, m.created_at, m.updated_at`)

export const mappingToWire = (row: MappingRow): Connectors.Mapping => ({
  id: row.id,
  connectorInstanceId: row.connector_instance_id,
  connectorTargetId: row.connector_target_id,
  connectorType: "codehost",
  remoteId: row.remote_id,
  mappingKind: row.mapping_kind,
  selector: row.selector,
  objectType: row.object_type,
  pluginId: row.plugin_id,
  autoAddToPlugin: row.auto_add_to_plugin,
  mappingConfigJson: row.config_json,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export interface MappingFilters {
  readonly mappingKind?: string
  readonly objectType?: string
  readonly pluginId?: string
  readonly q?: string
}

interface MappingsRead {
  readonly targetId: Id<"ctg">
  readonly mappingKind: string | null
  readonly objectType: string | null
  readonly pluginId: string | null
  readonly pattern: string | null
  readonly after: string | null
  readonly limit: number
}

const readMappings = readAs<MappingRow, MappingsRead>(
  (sql, caller, { after, limit, mappingKind, objectType, pattern, pluginId, targetId }) =>
    sql`SELECT ${mappingColumns(sql)} FROM connector_mappings m
      WHERE m.organization_id = ${caller.organizationId} AND m.connector_target_id = ${targetId}
        AND m.removed_at IS NULL
        AND EXISTS (SELECT 1 FROM connector_targets t
          WHERE t.organization_id = ${caller.organizationId} AND t.id = ${targetId} AND t.removed_at IS NULL
            AND ${visible(sql, caller, "connectorInstance", sql`t.connector_instance_id`)})
        AND (${after}::text IS NULL OR m.id < ${after})
        AND (${mappingKind}::text IS NULL OR m.mapping_kind = ${mappingKind})
        AND (${objectType}::text IS NULL OR m.object_type = ${objectType})
        AND (${pluginId}::text IS NULL OR m.plugin_id = ${pluginId})
        AND (${pattern}::text IS NULL OR m.selector ILIKE ${pattern})
      ORDER BY m.id DESC LIMIT ${limit}`
)

/** The mappings of a target that the caller can see; otherwise none. */
export const listMappings = (
  sql: Sql,
  caller: Member,
  targetId: Id<"ctg">,
  filters: MappingFilters,
  after: string | null,
  limit: number
) =>
  readMappings(sql, caller, {
    targetId,
    mappingKind: filters.mappingKind ?? null,
    objectType: filters.objectType ?? null,
    pluginId: filters.pluginId ?? null,
    pattern: contains(filters.q),
    after,
    limit
  })

export const allMappings = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">) =>
  sql<MappingRow>`SELECT ${mappingColumns(sql)} FROM connector_mappings m
    WHERE m.organization_id = ${organizationId} AND m.connector_target_id = ${targetId} AND m.removed_at IS NULL
    ORDER BY m.id`

/** A mapping of an import; `candidateKey` is the key of its plugin. */
export interface NewMapping {
  readonly id: Id<"cmp">
  readonly instanceId: Id<"cin">
  readonly targetId: Id<"ctg">
  readonly selector: string
  readonly objectType: Connectors.ObjectType
  readonly pluginId: Id<"plg">
  readonly config: { readonly candidateKey: string; readonly pointer: string | null; readonly component: string }
}

export const createMappings = (sql: Sql, organizationId: Id<"org">, mappings: ReadonlyArray<NewMapping>) =>
  inParts(
    mappings,
    (
      part
    ) => sql<MappingRow>`INSERT INTO connector_mappings AS m (organization_id, id, connector_instance_id, connector_target_id,
          mapping_kind, selector, object_type, plugin_id, auto_add_to_plugin, config_json, created_at, updated_at)
        SELECT ${organizationId}, r.id, r."instanceId", r."targetId", 'path', r.selector, r."objectType", r."pluginId",
          true, r.config, now(), now()
        FROM jsonb_to_recordset(${sql.json(part)}) AS r(id text, "instanceId" text, "targetId" text, selector text,
          "objectType" text, "pluginId" text, config jsonb)
        ORDER BY r.id
        RETURNING ${mappingColumns(sql)}`
  )

export const removeMappings = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"cmp">>) =>
  ids.length === 0
    ? Effect.void
    : sql`UPDATE connector_mappings SET removed_at = now(), updated_at = now()
        WHERE organization_id = ${organizationId} AND removed_at IS NULL
          AND id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))`
