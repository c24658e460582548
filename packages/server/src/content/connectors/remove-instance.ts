import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as grants from "../../identity/access/repo.ts"
import * as objects from "../config-objects/repo.ts"
import { makeId } from "../../infra/ids.ts"
import type { Sql } from "../../infra/sql/client.ts"
import type { InstanceRow } from "./repo.ts"
import { ownRevision } from "../../infra/sql/plugin-manifest.ts"
import { forgetTarget } from "./plugin-files-repo.ts"
import { deleteEmptyPlugins } from "./sync-repo.ts"

/**
 * Removes an instance and everything imported only through it, in the current transaction: its objects, then its
 * plugins that are empty, then the marketplace that its branch created, if it is empty.
 */
export const removeInstance = Effect.fnUntraced(function* (
  sql: Sql,
  instance: InstanceRow,
  removedBy: Id<"om"> | null
) {
  const { id, organization_id: organizationId } = instance
  const targets = sql`SELECT id FROM connector_targets
    WHERE organization_id = ${organizationId} AND connector_instance_id = ${id}`
  // Waits for discoveries that are being stored, and prevents new ones from being stored.
  yield* sql`${targets} FOR UPDATE`

  const fed = yield* sql<{ id: Id<"cob"> }>`SELECT DISTINCT b.config_object_id AS id FROM source_bindings b
    JOIN config_objects o ON o.organization_id = ${organizationId} AND o.id = b.config_object_id AND o.deleted_at IS NULL
    WHERE b.organization_id = ${organizationId} AND b.connector_target_id IN (${targets})
      AND NOT EXISTS (SELECT 1 FROM source_bindings other
        WHERE other.organization_id = ${organizationId} AND other.config_object_id = b.config_object_id
          AND other.connector_target_id NOT IN (${targets}))`
  yield* sql`DELETE FROM source_bindings
    WHERE organization_id = ${organizationId} AND connector_target_id IN (${targets})`
  yield* objects.deleteMany(
    sql,
    organizationId,
    fed.map((row) => ({ objectId: row.id, versionId: makeId("cov") })),
    { syncEventId: null, revision: instance.last_sync_cursor, deletedBy: removedBy }
  )
  const mappings = yield* sql<{ id: string }>`UPDATE connector_mappings SET removed_at = now(), updated_at = now()
    WHERE organization_id = ${organizationId} AND connector_instance_id = ${id} AND removed_at IS NULL RETURNING id`

  const plugins = yield* sql<{ id: Id<"plg"> }>`SELECT id FROM plugins
    WHERE organization_id = ${organizationId} AND connector_target_id IN (${targets}) AND deleted_at IS NULL`
  yield* deleteEmptyPlugins(
    sql,
    organizationId,
    plugins.map((row) => row.id)
  )
  // A plugin that has other content is kept, without a branch.
  yield* sql`UPDATE plugins p SET connector_target_id = NULL, candidate_key = NULL,
      source_revision = ${ownRevision(sql)}, manifest_json = p.manifest_json #- '{setup,files}'
    WHERE p.organization_id = ${organizationId} AND p.connector_target_id IN (${targets}) AND p.deleted_at IS NULL`

  const marketplaces = yield* sql<{ id: string }>`UPDATE marketplaces m
    SET deleted_at = now(), updated_at = now(), version = version + 1
    WHERE m.organization_id = ${organizationId} AND m.connector_target_id IN (${targets}) AND m.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM marketplace_memberships mm
        WHERE mm.organization_id = ${organizationId} AND mm.marketplace_id = m.id AND mm.removed_at IS NULL)
    RETURNING m.id`
  yield* grants.endAll(
    sql,
    organizationId,
    "marketplace",
    marketplaces.map((row) => row.id)
  )
  yield* sql`UPDATE marketplaces SET connector_target_id = NULL
    WHERE organization_id = ${organizationId} AND connector_target_id IN (${targets}) AND deleted_at IS NULL`

  yield* sql`UPDATE sync_events SET status = 'ignored', ended_at = now()
    WHERE organization_id = ${organizationId} AND connector_instance_id = ${id} AND status = 'queued'`
  for (const target of yield* sql<{ id: Id<"ctg"> }>`${targets}`) yield* forgetTarget(sql, organizationId, target.id)
  yield* sql`DELETE FROM published_files
    WHERE organization_id = ${organizationId} AND connector_target_id IN (${targets})`
  yield* sql`DELETE FROM published_plugins
    WHERE organization_id = ${organizationId} AND connector_target_id IN (${targets})`
  yield* sql`DELETE FROM published_mappings
    WHERE organization_id = ${organizationId} AND connector_target_id IN (${targets})`
  yield* sql`DELETE FROM target_publications
    WHERE organization_id = ${organizationId} AND connector_target_id IN (${targets})`
  yield* sql`DELETE FROM discoveries
    WHERE organization_id = ${organizationId} AND connector_target_id IN (${targets})`
  yield* sql`DELETE FROM discovery_tree_chunks
    WHERE organization_id = ${organizationId} AND connector_target_id IN (${targets})`
  yield* sql`UPDATE connector_targets SET removed_at = now(), updated_at = now()
    WHERE organization_id = ${organizationId} AND connector_instance_id = ${id} AND removed_at IS NULL`
  yield* grants.endAll(sql, organizationId, "connectorInstance", [id])
  yield* sql`DELETE FROM sealed_values WHERE organization_id = ${organizationId} AND id = ${instance.credential_id}`
  yield* sql`UPDATE connector_instances SET removed_at = now(), updated_at = now(), credential_id = NULL
    WHERE organization_id = ${organizationId} AND id = ${id}`
  return { deletedConfigObjectCount: fed.length, deletedConnectorMappingCount: mappings.length }
})
