import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"

/** Maximum rows that one statement deletes, with everything that refers to them. */
const removedMax = 500

/**
 * Permanently deletes rows that were removed thirty days ago, each with its memberships, grants and versions in one
 * statement. A rollback to a revision that contained it then fails with `content_gone`.
 */
const removals = (sql: Sql) => [
  sql`WITH gone AS (SELECT organization_id, id FROM config_objects
      WHERE deleted_at < now() - interval '30 days' LIMIT ${removedMax}),
    places AS (DELETE FROM plugin_memberships r USING gone g
      WHERE r.organization_id = g.organization_id AND r.config_object_id = g.id),
    rights AS (DELETE FROM grants r USING gone g
      WHERE r.organization_id = g.organization_id AND r.object_kind = 'configObject' AND r.object_id = g.id),
    versions AS (DELETE FROM config_object_versions r USING gone g
      WHERE r.organization_id = g.organization_id AND r.config_object_id = g.id)
    DELETE FROM config_objects r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id RETURNING 1 AS one`,
  sql`WITH gone AS (SELECT organization_id, id FROM plugins
      WHERE deleted_at < now() - interval '30 days' LIMIT ${removedMax}),
    offers AS (DELETE FROM marketplace_memberships r USING gone g
      WHERE r.organization_id = g.organization_id AND r.plugin_id = g.id),
    places AS (DELETE FROM plugin_memberships r USING gone g
      WHERE r.organization_id = g.organization_id AND r.plugin_id = g.id),
    archives AS (DELETE FROM plugin_archives r USING gone g
      WHERE r.organization_id = g.organization_id AND r.plugin_id = g.id),
    rights AS (DELETE FROM grants r USING gone g
      WHERE r.organization_id = g.organization_id AND r.object_kind = 'plugin' AND r.object_id = g.id)
    DELETE FROM plugins r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id RETURNING 1 AS one`,
  sql`WITH gone AS (SELECT organization_id, id FROM marketplaces
      WHERE deleted_at < now() - interval '30 days' LIMIT ${removedMax}),
    offers AS (DELETE FROM marketplace_memberships r USING gone g
      WHERE r.organization_id = g.organization_id AND r.marketplace_id = g.id),
    names AS (DELETE FROM marketplace_plugin_names r USING gone g
      WHERE r.organization_id = g.organization_id AND r.marketplace_id = g.id),
    rights AS (DELETE FROM grants r USING gone g
      WHERE r.organization_id = g.organization_id AND r.object_kind = 'marketplace' AND r.object_id = g.id)
    DELETE FROM marketplaces r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id RETURNING 1 AS one`,
  // Its credentials were deleted with it; its tools are deleted by their foreign key.
  sql`WITH gone AS (SELECT organization_id, id FROM mcp_connections
      WHERE deleted_at < now() - interval '30 days' LIMIT ${removedMax}),
    rights AS (DELETE FROM grants r USING gone g
      WHERE r.organization_id = g.organization_id AND r.object_kind = 'mcpConnection' AND r.object_id = g.id)
    DELETE FROM mcp_connections r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id RETURNING 1 AS one`,
  sql`WITH gone AS (SELECT organization_id, id FROM desktop_policies
      WHERE deleted_at < now() - interval '30 days' LIMIT ${removedMax})
    DELETE FROM desktop_policies r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id RETURNING 1 AS one`,
  // Memories of former members: kept for those who rejoined, deleted for others.
  sql`UPDATE memories r SET left_at = NULL WHERE (r.user_id, r.id) IN (
      SELECT l.user_id, l.id FROM memories l
      WHERE l.left_at < now() - interval '30 days'
        AND EXISTS (SELECT 1 FROM memberships m
          WHERE m.organization_id = l.organization_id AND m.user_id = l.user_id AND m.removed_at IS NULL)
      LIMIT ${removedMax}) RETURNING 1 AS one`,
  sql`DELETE FROM memories r WHERE (r.user_id, r.id) IN (
      SELECT l.user_id, l.id FROM memories l
      WHERE l.left_at < now() - interval '30 days'
        AND NOT EXISTS (SELECT 1 FROM memberships m
          WHERE m.organization_id = l.organization_id AND m.user_id = l.user_id AND m.removed_at IS NULL)
      LIMIT ${removedMax}) RETURNING 1 AS one`,
  // Its reports are deleted by their foreign key, and so is its runtime, which was stopped long before.
  sql`WITH gone AS (SELECT organization_id, id FROM workers
      WHERE removed_at < now() - interval '30 days' LIMIT ${removedMax}),
    tokens AS (DELETE FROM worker_tokens r USING gone g
      WHERE r.organization_id = g.organization_id AND r.worker_id = g.id)
    DELETE FROM workers r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id RETURNING 1 AS one`,
  sql`WITH gone AS (SELECT organization_id, id FROM llm_providers
      WHERE deleted_at < now() - interval '30 days' LIMIT ${removedMax}),
    rights AS (DELETE FROM grants r USING gone g
      WHERE r.organization_id = g.organization_id AND r.object_kind = 'llmProvider' AND r.object_id = g.id)
    DELETE FROM llm_providers r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id RETURNING 1 AS one`,
  sql`DELETE FROM domains WHERE (organization_id, id) IN (
      SELECT organization_id, id FROM domains
      WHERE removed_at < now() - interval '30 days' LIMIT ${removedMax}) RETURNING 1 AS one`,
  // Its versions and the references of its instances are deleted by their foreign keys. The plugins stay.
  sql`WITH gone AS (SELECT organization_id, id FROM templates
      WHERE deleted_at < now() - interval '30 days' LIMIT ${removedMax})
    DELETE FROM templates r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id RETURNING 1 AS one`,
  // Users of decided holds first, then users that directories removed. Users with an open hold wait for the decision.
  sql`WITH gone AS (SELECT organization_id, id FROM scim_holds
      WHERE decided_at < now() - interval '30 days' LIMIT ${removedMax}),
    held AS (DELETE FROM scim_held_users r USING gone g
      WHERE r.organization_id = g.organization_id AND r.hold_id = g.id)
    DELETE FROM scim_holds r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id RETURNING 1 AS one`,
  sql`WITH gone AS (SELECT u.organization_id, u.id FROM scim_users u
      WHERE u.removed_at < now() - interval '30 days'
        AND NOT EXISTS (SELECT 1 FROM scim_held_users h
          WHERE h.organization_id = u.organization_id AND h.scim_user_id = u.id)
      LIMIT ${removedMax}),
    places AS (DELETE FROM scim_group_members r USING gone g
      WHERE r.organization_id = g.organization_id AND r.scim_user_id = g.id)
    DELETE FROM scim_users r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id RETURNING 1 AS one`,
  sql`WITH gone AS (SELECT organization_id, id FROM scim_groups
      WHERE removed_at < now() - interval '30 days' LIMIT ${removedMax}),
    places AS (DELETE FROM scim_group_members r USING gone g
      WHERE r.organization_id = g.organization_id AND r.group_id = g.id)
    DELETE FROM scim_groups r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id RETURNING 1 AS one`,
  // Its log and tokens expire separately; its holds end with their decision.
  sql`DELETE FROM scim_directories d WHERE (d.organization_id, d.id) IN (
      SELECT r.organization_id, r.id FROM scim_directories r
      WHERE r.removed_at < now() - interval '31 days'
        AND NOT EXISTS (SELECT 1 FROM scim_users u
          WHERE u.organization_id = r.organization_id AND u.directory_id = r.id)
      LIMIT ${removedMax}) RETURNING 1 AS one`
]

/** Maximum contents that one statement deletes: each can have megabytes. */
const contentsMax = 100

/** Contents of files that are in no publication: of a sync that was not published, or of a deleted publication. */
const contents = (sql: Sql) =>
  sql`WITH gone AS (SELECT b.organization_id, b.digest FROM plugin_file_blobs b
      WHERE b.staged_at < now() - interval '1 day'
        AND NOT EXISTS (SELECT 1 FROM plugin_files f
          WHERE f.organization_id = b.organization_id AND f.digest = b.digest)
      LIMIT ${contentsMax})
    DELETE FROM plugin_file_blobs r USING gone g
    WHERE r.organization_id = g.organization_id AND r.digest = g.digest RETURNING 1 AS one`

/** Deletes rows that were removed long ago, a few hundred per statement. */
export const purgeRemoved = (sql: Sql) =>
  Effect.andThen(
    Effect.forEach(removals(sql), (step) => step.pipe(Effect.repeat({ while: (rows) => rows.length === removedMax })), {
      discard: true
    }),
    contents(sql).pipe(Effect.repeat({ while: (rows) => rows.length === contentsMax }))
  )
