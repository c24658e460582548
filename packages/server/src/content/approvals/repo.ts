import type { DeliveryMode, Release, ReleaseFilter, ReleaseReason, ReleaseState } from "@orgplane/schema/approvals"
import type { CapabilityComparison } from "@orgplane/schema/plugin-capabilities"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { ownRevision } from "../../infra/sql/plugin-manifest.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import { describedOf, type PluginRow } from "../plugins/archive-layout.ts"
import type { Listing } from "../plugins/archive-repo.ts"

export interface Row {
  readonly id: Id<"rel">
  readonly organization_id: Id<"org">
  readonly plugin_id: Id<"plg">
  readonly number: number
  readonly digest: string | null
  readonly capabilities_digest: string | null
  readonly problem: string | null
  readonly state: ReleaseState
  readonly name: string
  readonly manifest_json: PluginRow["manifest_json"]
  readonly source_revision: string | null
  readonly needs_review: boolean
  readonly created_at: Date
  readonly decided_at: Date | null
  readonly decided_by: string | null
  readonly decided_because: ReleaseReason | null
  readonly comment: string | null
  readonly is_served: boolean
  /** Whether it is the latest release of its plugin, and its contents are stored. */
  readonly is_latest: boolean
  readonly approvals: number
  readonly approvals_required: number
}

/** With four-eyes approval, two members must approve a release from a repository, because its author is unknown. */
const required = `CASE WHEN o.four_eyes AND p.connector_target_id IS NOT NULL THEN 2 ELSE 1 END`

/** Whether the member `m` with the custom role `mr` can approve releases. */
const canApprove = `m.removed_at IS NULL AND (m.role IN ('owner', 'admin') OR mr.permissions_json ? 'approvals:write')`

const columns = (sql: Sql) =>
  sql.literal(`r.id, r.organization_id, r.plugin_id, r.number, r.digest, r.capabilities_digest, r.problem, r.state,
    r.name, r.manifest_json, r.source_revision, r.needs_review, r.created_at, r.decided_at, r.decided_by,
    r.decided_because, r.comment, coalesce(p.served_release_id = r.id, false) AS is_served,
    r.has_contents AND NOT EXISTS (SELECT 1 FROM plugin_releases n WHERE n.organization_id = r.organization_id
      AND n.plugin_id = r.plugin_id AND n.number > r.number) AS is_latest,
    (SELECT count(*)::int FROM plugin_release_approvals a
      JOIN memberships m ON m.organization_id = a.organization_id AND m.id = a.membership_id
      LEFT JOIN roles mr ON mr.organization_id = m.organization_id AND mr.id = m.role AND mr.removed_at IS NULL
      WHERE a.organization_id = r.organization_id AND a.release_id = r.id AND ${canApprove}) AS approvals,
    ${required} AS approvals_required`)

const memberOf = (decidedBy: string | null): Id<"om"> | null =>
  decidedBy !== null && decidedBy.startsWith("om_") ? (decidedBy as Id<"om">) : null

export const toWire = (row: Row): Release => ({
  id: row.id,
  organizationId: row.organization_id,
  pluginId: row.plugin_id,
  number: row.number,
  name: row.name,
  version: describedOf({ name: row.name, description: null, manifest_json: row.manifest_json }).version ?? null,
  digest: row.digest,
  capabilitiesDigest: row.capabilities_digest,
  sourceRevisionRef: row.source_revision,
  state: row.state,
  served: row.is_served,
  needsReview: row.needs_review,
  problem: row.problem,
  createdAt: iso(row.created_at),
  decidedAt: isoOrNull(row.decided_at),
  decidedByOrgMembershipId: memberOf(row.decided_by),
  decidedBecause: row.decided_because,
  comment: row.comment,
  approvals: row.approvals,
  approvalsRequired: row.approvals_required
})

export interface Filters {
  readonly q?: string
  readonly state: ReleaseFilter
  readonly pluginId: string | null
}

export const list = (sql: Sql, organizationId: Id<"org">, filters: Filters, after: string | null, limit: number) =>
  sql<Row>`SELECT ${columns(sql)} FROM plugin_releases r
    JOIN plugins p ON p.organization_id = r.organization_id AND p.id = r.plugin_id AND p.deleted_at IS NULL
    JOIN organizations o ON o.id = r.organization_id
    WHERE r.organization_id = ${organizationId} ${filters.state === "all" ? sql`` : sql`AND r.state = ${filters.state}`}
      AND (${filters.pluginId}::text IS NULL OR r.plugin_id = ${filters.pluginId})
      AND (${filters.q ?? null}::text IS NULL OR r.name ILIKE ${contains(filters.q)})
      AND (${after}::text IS NULL OR r.id < ${after})
    ORDER BY r.id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"rel">) =>
  sql<Row & { readonly comparison_json: CapabilityComparison | null }>`SELECT ${columns(sql)}, r.comparison_json
    FROM plugin_releases r
    JOIN plugins p ON p.organization_id = r.organization_id AND p.id = r.plugin_id AND p.deleted_at IS NULL
    JOIN organizations o ON o.id = r.organization_id
    WHERE r.organization_id = ${organizationId} AND r.id = ${id}`.pipe(Effect.map((rows) => rows[0]))

/** Plugins with open checks, the oldest first, without those in `except`. */
export const listOpenChecks = (
  sql: Sql,
  organizationId: Id<"org"> | null,
  except: ReadonlyArray<Id<"plg">>,
  limit: number
) =>
  sql<{ organization_id: Id<"org">; plugin_id: Id<"plg"> }>`SELECT organization_id, plugin_id FROM plugin_release_checks
    WHERE (${organizationId}::text IS NULL OR organization_id = ${organizationId})
      AND plugin_id NOT IN (SELECT jsonb_array_elements_text(${sql.json(except)}))
    GROUP BY organization_id, plugin_id ORDER BY min(id) LIMIT ${limit}`

/** The number of the newest requested check, open or not; 0 if there is none. */
export const lastCheck = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ id: string }>`SELECT coalesce(max(id), 0)::text AS id FROM plugin_release_checks
    WHERE organization_id = ${organizationId}`.pipe(Effect.map((rows) => rows[0]?.id ?? "0"))

/** The plugins for which a check was requested after the one with this number. */
export const listCheckedAfter = (sql: Sql, organizationId: Id<"org">, last: string, limit: number) =>
  sql<{ plugin_id: Id<"plg"> }>`SELECT plugin_id FROM plugin_release_checks
    WHERE organization_id = ${organizationId} AND id > ${last}::bigint
    GROUP BY plugin_id ORDER BY plugin_id LIMIT ${limit}`.pipe(
    Effect.map((rows) => rows.map(({ plugin_id }) => plugin_id))
  )

/** The open checks of a plugin. A check that is requested later has another id. */
export const findChecks = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">) =>
  sql<{ id: string }>`SELECT id::text AS id FROM plugin_release_checks
    WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId} ORDER BY id LIMIT 1000`.pipe(
    Effect.map((rows) => rows.map(({ id }) => id))
  )

export const closeChecks = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<string>) =>
  sql`DELETE FROM plugin_release_checks WHERE organization_id = ${organizationId}
    AND id IN (SELECT jsonb_array_elements_text(${sql.json(ids)})::bigint)`

export interface PluginState {
  readonly delivery_mode: Exclude<DeliveryMode, "auto"> | null
  readonly served_release_id: Id<"rel"> | null
  readonly revision: string | null
  /** Whether its first sync has ended. The import approves the content of that sync. */
  readonly is_imported: boolean
  readonly latest: {
    readonly id: Id<"rel">
    readonly number: number
    readonly fingerprint: string
    readonly digest: string | null
    /** Also false for a pinned release of a plugin that was removed and restored, until the plugin serves a release again. */
    readonly has_contents: boolean
  } | null
}

/** What a check needs to decide about a plugin. */
export const findState = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">) =>
  sql<PluginState>`SELECT p.delivery_mode, p.served_release_id, ${ownRevision(sql)} AS revision,
      p.connector_target_id IS NULL OR EXISTS (SELECT 1 FROM published_plugins f WHERE f.organization_id = ${organizationId}
        AND f.connector_target_id = p.connector_target_id AND f.plugin_id = p.id) AS is_imported,
      (SELECT jsonb_build_object('id', r.id, 'number', r.number, 'fingerprint', r.fingerprint, 'digest', r.digest,
          'has_contents', r.has_contents AND (r.state <> 'approved' OR p.served_release_id IS NOT NULL))
        FROM plugin_releases r WHERE r.organization_id = ${organizationId} AND r.plugin_id = p.id
        ORDER BY r.number DESC LIMIT 1) AS latest
    FROM plugins p
    WHERE p.organization_id = ${organizationId} AND p.id = ${pluginId} AND p.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Locks the plugin until the transaction ends, so that its releases are numbered and served one after the other. */
export const lockPlugin = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">) {
  const [plugin] = yield* sql<
    Pick<PluginState, "delivery_mode" | "served_release_id">
  >`SELECT delivery_mode, served_release_id FROM plugins
    WHERE organization_id = ${organizationId} AND id = ${pluginId} AND deleted_at IS NULL FOR UPDATE`
  if (plugin === undefined) return undefined
  // A statement that waits for the lock does not see the releases that were stored meanwhile.
  const [latest] = yield* sql<{ number: number }>`SELECT coalesce(max(number), 0)::int AS number FROM plugin_releases
    WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId}`
  return { ...plugin, number: latest?.number ?? 0 }
})

export const wasApproved = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, digest: string) =>
  sql<{ was: boolean }>`SELECT EXISTS (SELECT 1 FROM plugin_releases r WHERE r.organization_id = ${organizationId}
      AND r.plugin_id = ${pluginId} AND r.digest = ${digest} AND r.state = 'approved') AS was`.pipe(
    Effect.map((rows) => rows[0]?.was === true)
  )

/** Whether a release with the digest was withdrawn. It needs another approval. */
export const wasWithdrawn = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, digest: string) =>
  sql`SELECT 1 AS one FROM plugin_releases WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId}
    AND digest = ${digest} AND withdrawn_at IS NOT NULL LIMIT 1`.pipe(Effect.map((rows) => rows.length > 0))

/** Whether the newest rollout of the digest was rolled back. */
export const wasRolledBack = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, digest: string) =>
  sql<{ state: string }>`SELECT ro.state FROM rollouts ro
    JOIN plugin_releases r ON r.organization_id = ${organizationId} AND r.id = ro.release_id AND r.digest = ${digest}
    WHERE ro.organization_id = ${organizationId} AND ro.plugin_id = ${pluginId}
    ORDER BY ro.number DESC LIMIT 1`.pipe(Effect.map((rows) => rows[0]?.state === "rolled_back"))

export interface NewRelease {
  readonly id: Id<"rel">
  readonly pluginId: Id<"plg">
  readonly number: number
  readonly digest: string
  readonly capabilitiesDigest: string | null
  readonly problem: string | null
  readonly revision: string | null
  readonly needsReview: boolean
  readonly comparison: CapabilityComparison | null
  /** Null if it is pending approval. */
  readonly because: ReleaseReason | null
}

/** Stores a release with its contents. Earlier releases without a decision are superseded. */
export const insert = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  release: NewRelease,
  listing: Listing
) {
  const { id, pluginId } = release
  yield* sql`UPDATE plugin_releases SET state = 'superseded', decided_at = now()
    WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId} AND state = 'pending'`
  yield* sql`INSERT INTO plugin_releases (organization_id, id, plugin_id, number, fingerprint, digest,
      capabilities_digest, problem, state, name, description, manifest_json, archived_json, has_files, source_revision,
      needs_review, comparison_json, created_at, decided_at, decided_because)
    VALUES (${organizationId}, ${id}, ${pluginId}, ${release.number}, ${listing.fingerprint}, ${release.digest},
      ${release.capabilitiesDigest}, ${release.problem}, ${release.because === null ? "pending" : "approved"},
      ${listing.name}, ${listing.description},
      ${listing.manifest_json === null ? null : sql.json(listing.manifest_json)}, ${sql.json(listing.archived)},
      ${listing.files !== null}, ${release.revision}, ${release.needsReview},
      ${release.comparison === null ? null : sql.json(release.comparison)}, now(),
      CASE WHEN ${release.because !== null} THEN now() END, ${release.because})`
  if (listing.objects.length > 0) {
    yield* sql`INSERT INTO plugin_release_objects (organization_id, release_id, plugin_id, object_id, version_id,
        object_type, title, file_name, relative_path, is_mapped, pointer, component)
      SELECT ${organizationId}, ${id}, ${pluginId}, x.object_id, x.version_id, x.object_type, x.title, x.file_name,
        x.relative_path, x.is_mapped, x.pointer, x.component
      FROM jsonb_to_recordset(${sql.json(listing.objects)}) AS x(object_id text, version_id text, object_type text,
        title text, file_name text, relative_path text, is_mapped boolean, pointer text, component text)`
  }
  if (listing.files !== null && listing.files.length > 0) {
    yield* sql`INSERT INTO plugin_release_files (organization_id, release_id, plugin_id, path, is_executable, digest)
      SELECT ${organizationId}, ${id}, ${pluginId}, x.path, x.is_executable, x.digest
      FROM jsonb_to_recordset(${sql.json(listing.files)}) AS x(path text, is_executable boolean, digest text)`
  }
})

/** Records that other rows now contain the same content, so that it is not measured again. */
export const setFingerprint = (sql: Sql, organizationId: Id<"org">, id: Id<"rel">, fingerprint: string) =>
  sql`UPDATE plugin_releases SET fingerprint = ${fingerprint}
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** Stores the digests of a release that was approved without a check. */
export const setDigests = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"rel">,
  of: Pick<NewRelease, "digest" | "capabilitiesDigest" | "problem">
) =>
  sql`UPDATE plugin_releases SET digest = ${of.digest}, capabilities_digest = ${of.capabilitiesDigest},
      problem = ${of.problem}
    WHERE organization_id = ${organizationId} AND id = ${id} AND digest IS NULL`

export const decide = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"rel">,
  decision: {
    readonly state: "approved" | "rejected"
    readonly by: string
    readonly comment: string | null
  }
) =>
  sql`UPDATE plugin_releases SET state = ${decision.state}, decided_at = now(), decided_by = ${decision.by},
      decided_because = 'approver', comment = ${decision.comment}
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const addApproval = (sql: Sql, organizationId: Id<"org">, row: Row, membershipId: Id<"om">) =>
  sql`INSERT INTO plugin_release_approvals (organization_id, release_id, plugin_id, membership_id, created_at)
    VALUES (${organizationId}, ${row.id}, ${row.plugin_id}, ${membershipId}, now()) ON CONFLICT DO NOTHING`

export const serve = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, id: Id<"rel">) =>
  sql`UPDATE plugins SET served_release_id = ${id}
    WHERE organization_id = ${organizationId} AND id = ${pluginId}`

/**
 * The members who took part in a release: the creator of the connector instance, the authors of all versions of an object
 * since the served one, and those who added an object to the plugin.
 */
export const participants = (sql: Sql, organizationId: Id<"org">, id: Id<"rel">) =>
  sql<{ id: Id<"om"> }>`WITH changed AS (
      SELECT x.plugin_id, x.object_id, n.ordinal, (SELECT v.ordinal FROM plugin_release_objects s
          JOIN config_object_versions v ON v.organization_id = ${organizationId} AND v.id = s.version_id
          WHERE s.organization_id = ${organizationId} AND s.release_id = p.served_release_id
            AND s.object_id = x.object_id) AS served_ordinal
      FROM plugin_release_objects x
      JOIN plugins p ON p.organization_id = ${organizationId} AND p.id = x.plugin_id
      JOIN config_object_versions n ON n.organization_id = ${organizationId} AND n.id = x.version_id
      WHERE x.organization_id = ${organizationId} AND x.release_id = ${id})
    SELECT i.created_by_membership_id AS id FROM plugin_releases r
      JOIN plugins p ON p.organization_id = ${organizationId} AND p.id = r.plugin_id
      JOIN connector_targets t ON t.organization_id = ${organizationId} AND t.id = p.connector_target_id
      JOIN connector_instances i ON i.organization_id = ${organizationId} AND i.id = t.connector_instance_id
      WHERE r.organization_id = ${organizationId} AND r.id = ${id} AND i.created_by_membership_id IS NOT NULL
    UNION SELECT v.created_by_membership_id FROM changed c
      JOIN config_object_versions v ON v.organization_id = ${organizationId} AND v.config_object_id = c.object_id
        AND v.ordinal > coalesce(c.served_ordinal, 0) AND v.ordinal <= c.ordinal
        AND v.created_by_membership_id IS NOT NULL
    UNION SELECT pm.created_by_membership_id FROM changed c
      JOIN plugin_memberships pm ON pm.organization_id = ${organizationId} AND pm.plugin_id = c.plugin_id
        AND pm.config_object_id = c.object_id AND pm.removed_at IS NULL AND pm.created_by_membership_id IS NOT NULL
      WHERE c.served_ordinal IS NULL`.pipe(Effect.map((rows) => new Set(rows.map((row) => row.id))))

const recipientsMax = 50

/**
 * The email addresses of members who can approve releases. Empty if another release of the organization was held in
 * the 10 minutes before and has no decision yet: the approvers got an email then.
 */
export const recipients = (sql: Sql, organizationId: Id<"org">, id: Id<"rel">) =>
  sql<{ email: string; organization_name: string }>`SELECT DISTINCT u.email, o.name AS organization_name
    FROM memberships m
    JOIN organizations o ON o.id = m.organization_id AND o.provisional_until IS NULL
    JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL AND u.email IS NOT NULL AND u.email_verified
    LEFT JOIN roles mr ON mr.organization_id = m.organization_id AND mr.id = m.role AND mr.removed_at IS NULL
    WHERE m.organization_id = ${organizationId} AND ${sql.literal(canApprove)}
      AND NOT EXISTS (SELECT 1 FROM plugin_releases p WHERE p.organization_id = ${organizationId} AND p.id <> ${id}
        AND p.id < ${id} AND p.decided_because IS NULL AND p.created_at > now() - interval '10 minutes')
    ORDER BY u.email LIMIT ${recipientsMax}`

export const hasFourEyes = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ four_eyes: boolean }>`SELECT four_eyes FROM organizations WHERE id = ${organizationId}`.pipe(
    Effect.map((rows) => rows[0]?.four_eyes === true)
  )
