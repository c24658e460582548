import type { ApiFormat, CredentialMode as LlmCredentialMode, EnabledModel } from "@orgplane/schema/llm-providers"
import type { AuthType, CredentialMode as McpCredentialMode } from "@orgplane/schema/mcp-connections"
import type { ReasonVia } from "@orgplane/schema/desired-state"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  type GrantedKind,
  isShowing,
  liveGrants,
  objectTables,
  pageOfVisible,
  rank
} from "../../identity/grants/index.ts"
import { joinDelivered } from "../../identity/grants/pinned-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { read, readAs } from "../../infra/sql/read.ts"
import { archiveColumns, fingerprintOfDelivered, hasChecks, type OfferedRow } from "../plugins/archive-repo.ts"
import { countUnsealed } from "./unsealed-repo.ts"

/** The member of a state, and what shows whether anything has changed. */
export interface Observation {
  readonly user_id: Id<"usr">
  readonly role: string
  /** The permissions of a custom role; null for a built-in one. */
  readonly role_permissions: ReadonlyArray<string> | null
  /** The number of sealed audit events of the organization. */
  readonly sealed: number
  /** The hash of the last of them; null without one. */
  readonly sealed_hash: string | null
  readonly unsealed: number
  /** Null before the first signature of the installation. */
  readonly signing_key_id: string | null
  /** The last revision; null before the first one. */
  readonly revision: number | null
  /** The digest of its content; null before the first one, and if its plugins are not stored. */
  readonly digest: string | null
}

interface ObservedMember {
  readonly organizationId: Id<"org">
  readonly membershipId: Id<"om">
  /** Empty for the state of the member. */
  readonly workerId: string
}

const observeMember = read<Observation, ObservedMember>(
  (sql, { membershipId, organizationId, workerId }) => sql<Observation>`SELECT m.user_id, m.role, s.revision,
      CASE WHEN s.plugins_for = s.digest THEN s.digest END AS digest,
      (SELECT r.permissions_json FROM roles r
        WHERE r.organization_id = ${organizationId} AND r.id = m.role AND r.removed_at IS NULL) AS role_permissions,
      coalesce(c.sequence, 0) AS sealed, c.hash AS sealed_hash,
      ${countUnsealed(sql, organizationId)} AS unsealed,
      (SELECT k.id FROM signing_keys k WHERE k.retired_at IS NULL
        ORDER BY k.created_at DESC, k.id DESC LIMIT 1) AS signing_key_id
    FROM memberships m
    LEFT JOIN desired_state_revisions s ON s.organization_id = ${organizationId} AND s.membership_id = m.id
      AND s.worker_id = ${workerId}
    LEFT JOIN audit_chains c ON c.organization_id = ${organizationId}
    WHERE m.organization_id = ${organizationId} AND m.id = ${membershipId} AND m.removed_at IS NULL`
)

/**
 * The member, the last revision of the state, and the number of audit events of the organization. All changes are audited
 * in their own transaction, so an equal number means that nothing has changed, whichever process changes it. Undefined if
 * the member was removed.
 */
export const observe = (sql: Sql, member: ObservedMember) => Effect.map(observeMember(sql, member), (rows) => rows[0])

export interface EventRow {
  readonly id: string
  readonly action: string
  /** Null until the event is sealed. */
  readonly sequence: number | null
  readonly hash: string | null
}

const readEvents = read<
  EventRow,
  { readonly organizationId: Id<"org">; readonly from: number; readonly limit: number }
>(
  (sql, { from, limit, organizationId }) => sql<EventRow>`(SELECT e.id, e.action, e.sequence, e.hash FROM audit_events e
      WHERE e.organization_id = ${organizationId} AND e.sequence >= ${from}::bigint LIMIT ${limit}::int)
    UNION ALL (SELECT e.id, e.action, e.sequence, NULL FROM audit_events e
      WHERE e.sequence IS NULL AND e.organization_id = ${organizationId} LIMIT ${limit}::int)`
)

/** The events with a sequence number from this one on, and those that are not sealed yet. */
export const eventsFrom = (sql: Sql, organizationId: Id<"org">, from: number, limit: number) =>
  readEvents(sql, { organizationId, from, limit })

/** The membership of the caller, who is never an API key. */
const membershipOf = ({ principal }: Member) => (principal.kind === "session" ? principal.membershipId : "")

/** A column with the most direct path to the object `e`: the grant with the highest level, or a marketplace. */
const viaOf = (sql: Sql, caller: Member, kind: GrantedKind): Fragment => {
  const organization = caller.organizationId
  const own = sql`SELECT ${rank(sql)} AS level,
      CASE WHEN g.membership_id IS NOT NULL THEN 1 WHEN g.team_id IS NOT NULL THEN 2 ELSE 3 END AS place,
      CASE WHEN g.membership_id IS NOT NULL THEN 'member' WHEN g.team_id IS NOT NULL THEN 'team' ELSE 'organization' END
        AS via,
      coalesce(g.membership_id, g.team_id) AS via_id
    FROM grants g
    WHERE g.organization_id = ${organization} AND ${liveGrants(sql, caller, kind)} AND g.object_id = e.id`
  const paths =
    kind === "plugin"
      ? sql`${own} UNION ALL SELECT 1, 4, 'marketplace', mm.marketplace_id FROM marketplace_memberships mm
          WHERE mm.organization_id = ${organization} AND mm.plugin_id = e.id AND mm.removed_at IS NULL
            AND (SELECT 1 FROM grants g WHERE g.organization_id = ${organization}
              AND ${liveGrants(sql, caller, "marketplace")} AND g.object_id = mm.marketplace_id LIMIT 1) = 1
            AND ${isShowing(sql, caller, "marketplace", sql`mm.marketplace_id`)}`
      : own
  return sql`(SELECT jsonb_build_object('via', paths.via, 'viaId', paths.via_id) FROM (${paths}) paths
    ORDER BY paths.level DESC, paths.place, paths.via_id LIMIT 1)`
}

/** How the caller sees an object of a kind that owners and admins see without a grant. */
const seenVia = (sql: Sql, caller: Member, kind: "plugin" | "marketplace"): Fragment =>
  caller.isAdmin ? sql`'{"via": "admin", "viaId": null}'::jsonb` : viaOf(sql, caller, kind)

export interface Via {
  readonly via: ReasonVia
  readonly viaId: string | null
}

export interface PluginRow extends OfferedRow {
  /** The digest of the release that is delivered. Null without a release, and until it is computed. */
  readonly release_digest: string | null
  /** The digest that the winning assignment pins; null if it pins none. */
  readonly pinned_digest: string | null
  readonly is_gated: boolean
  /** All marketplaces that contain it. */
  readonly marketplace_ids: ReadonlyArray<Id<"mkt">>
  /** Whether the member turned it on or off; null without a choice. */
  readonly choice: boolean | null
  /** Null if the access ended while the statement ran. */
  readonly via: Via | null
}

/** The format of the archives in a state. */
export const format = "tar.gz"

/** The plugins that the caller can see and that have content, with the digests of their archives. */
export const readPlugins = (limit: number) => {
  const statement = readAs<PluginRow, object>((sql, caller) => {
    const organization = caller.organizationId
    return sql<PluginRow>`SELECT e.id, e.name, e.description, e.manifest_json, ${archiveColumns(sql, "e")}, e.has_checks, e.is_served, e.release_id, e.release_digest, e.pinned_digest, e.is_gated,
        ARRAY(SELECT mm.marketplace_id FROM marketplace_memberships mm WHERE mm.organization_id = ${organization}
          AND mm.plugin_id = e.id AND mm.removed_at IS NULL) AS marketplace_ids,
        (SELECT c.is_enabled FROM plugin_choices c WHERE c.organization_id = ${organization}
          AND c.membership_id = ${membershipOf(caller)} AND c.plugin_id = e.id) AS choice,
        ${seenVia(sql, caller, "plugin")} AS via
      FROM (SELECT p.id, CASE WHEN r.id IS NULL THEN p.name ELSE r.name END AS name,
          CASE WHEN r.id IS NULL THEN p.description ELSE r.description END AS description,
          CASE WHEN r.id IS NULL THEN p.manifest_json ELSE r.manifest_json END AS manifest_json,
          ${fingerprintOfDelivered(sql, organization)} AS fingerprint, r.archives_json -> ${format}::text AS archive,
          ${hasChecks(sql, organization)} AS has_checks,
          p.delivery_mode IS NULL OR r.id IS NOT NULL AS is_served, r.id AS release_id, r.digest AS release_digest, pin.digest AS pinned_digest,
          p.delivery_mode IS NOT NULL AS is_gated
        FROM (${pageOfVisible(sql, caller, {
          kind: "plugin",
          where: sql`o.archived_at IS NULL AND (o.delivery_mode IS NULL OR o.served_release_id IS NOT NULL
            OR ${hasChecks(sql, organization, "o")})`,
          after: null,
          limit
        })}) v
        JOIN plugins p ON p.organization_id = ${organization} AND p.id = v.id
        ${joinDelivered(sql, organization, caller)}) e
      LEFT JOIN plugin_archives a ON a.organization_id = ${organization} AND a.plugin_id = e.id
        AND a.format = ${format} AND a.fingerprint = e.fingerprint`
  })
  return (sql: Sql, caller: Member) => statement(sql, caller, {})
}

export interface MarketplaceRow extends Via {
  readonly id: Id<"mkt">
  readonly title: string
  readonly description: string | null
  /** The published name; null before it is assigned. */
  readonly name: string | null
  readonly plugins: ReadonlyArray<{ readonly id: Id<"plg">; readonly name: string | null }>
}

export interface ConnectionRow extends Via {
  readonly id: Id<"emc">
  readonly name: string
  readonly url: string
  readonly authType: AuthType
  readonly credentialMode: McpCredentialMode
  readonly connected: boolean
}

export interface ProviderRow extends Via {
  readonly id: Id<"llm">
  readonly name: string
  readonly providerId: string
  readonly apiFormat: ApiFormat
  readonly baseUrl: string | null
  readonly models: ReadonlyArray<EnabledModel> | null
  readonly headers: Readonly<Record<string, string>>
  readonly options: JsonObject
  readonly credentialMode: LlmCredentialMode
  readonly connected: boolean
}

export interface OthersRow {
  readonly marketplaces: ReadonlyArray<MarketplaceRow>
  readonly connections: ReadonlyArray<ConnectionRow>
  readonly providers: ReadonlyArray<ProviderRow>
}

/** The objects of a kind with a grant for the caller, newest first. Owners and admins need a grant to use them. */
const granted = (sql: Sql, caller: Member, kind: "mcpConnection" | "llmProvider", limit: number) =>
  sql`SELECT DISTINCT g.object_id AS id FROM grants g
    WHERE g.organization_id = ${caller.organizationId} AND ${liveGrants(sql, caller, kind)}
      AND (SELECT TRUE FROM ${sql(objectTables[kind].table)} t WHERE t.organization_id = ${caller.organizationId}
        AND t.id = g.object_id AND t.deleted_at IS NULL)
    ORDER BY g.object_id DESC LIMIT ${limit}`

const marketplaces = (sql: Sql, caller: Member, limit: number, pluginsMax: number) => {
  const organization = caller.organizationId
  return sql`SELECT jsonb_build_object('id', e.id, 'title', e.name, 'description', e.description, 'name', n.name,
      'plugins', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', c.plugin_id, 'name', pn.name)), '[]'::jsonb)
        FROM (SELECT mm.plugin_id FROM marketplace_memberships mm
          WHERE mm.organization_id = ${organization} AND mm.marketplace_id = e.id AND mm.removed_at IS NULL
          ORDER BY mm.plugin_id DESC LIMIT ${pluginsMax}) c
        LEFT JOIN LATERAL (SELECT x.name FROM marketplace_plugin_names x WHERE x.organization_id = ${organization}
          AND x.marketplace_id = e.id AND x.plugin_id = c.plugin_id OFFSET 0) pn ON TRUE))
      || ${seenVia(sql, caller, "marketplace")} AS item
    FROM (SELECT k.id, k.name, k.description FROM (${pageOfVisible(sql, caller, {
      kind: "marketplace",
      where: sql`o.archived_at IS NULL`,
      after: null,
      limit
    })}) v JOIN marketplaces k ON k.organization_id = ${organization} AND k.id = v.id) e
    LEFT JOIN marketplace_names n ON n.organization_id = ${organization} AND n.marketplace_id = e.id`
}

const connections = (sql: Sql, caller: Member, limit: number) => {
  const organization = caller.organizationId
  return sql`SELECT jsonb_build_object('id', e.id, 'name', e.name, 'url', e.url, 'authType', e.auth_type,
      'credentialMode', e.credential_mode, 'connected', e.auth_type = 'none' OR EXISTS (SELECT 1 FROM oauth_credentials c
        WHERE c.organization_id = ${organization} AND c.purpose = 'mcp' AND c.subject_id = e.id AND c.status = 'ready'
          AND c.membership_id = CASE e.credential_mode WHEN 'shared' THEN '' ELSE ${membershipOf(caller)}::text END))
      || ${viaOf(sql, caller, "mcpConnection")} AS item
    FROM (${granted(sql, caller, "mcpConnection", limit)}) v
    JOIN mcp_connections e ON e.organization_id = ${organization} AND e.id = v.id`
}

const providers = (sql: Sql, caller: Member, limit: number) => {
  const organization = caller.organizationId
  return sql`SELECT jsonb_build_object('id', e.id, 'name', e.name, 'providerId', e.provider_id,
      'apiFormat', e.api_format, 'baseUrl', e.base_url, 'models', e.models_json, 'headers', e.headers_json,
      'options', e.options_json, 'credentialMode', e.credential_mode,
      'connected', e.credential_mode = 'none' OR EXISTS (SELECT 1 FROM oauth_credentials c
        WHERE c.organization_id = ${organization} AND c.purpose = 'llm' AND c.subject_id = e.id AND c.status = 'ready'
          AND c.membership_id = CASE e.credential_mode WHEN 'shared' THEN '' ELSE ${membershipOf(caller)}::text END))
      || ${viaOf(sql, caller, "llmProvider")} AS item
    FROM (${granted(sql, caller, "llmProvider", limit)}) v
    JOIN llm_providers e ON e.organization_id = ${organization} AND e.id = v.id`
}

/** Maximum numbers of items that a statement reads. */
export interface Limits {
  readonly plugins: number
  readonly marketplaces: number
  readonly connections: number
  readonly providers: number
}

/** The marketplaces, MCP connections and LLM providers of the caller. */
export const readOthers = (limits: Limits) => {
  const statement = readAs<OthersRow, object>((sql, caller) => {
    const all = (items: Fragment) =>
      sql`(SELECT coalesce(jsonb_agg(i.item) FILTER (WHERE i.item IS NOT NULL), '[]'::jsonb) FROM (${items}) i)`
    return sql<OthersRow>`SELECT ${all(marketplaces(sql, caller, limits.marketplaces, limits.plugins))} AS marketplaces,
        ${all(connections(sql, caller, limits.connections))} AS connections,
        ${all(providers(sql, caller, limits.providers))} AS providers`
  })
  return (sql: Sql, caller: Member) => Effect.map(statement(sql, caller, {}), (rows) => rows[0])
}

/** The plugins that are on in a state, as reports are compared with them. */
export interface PluginSet {
  readonly digest: string
  /** Canonical JSON, ordered by plugin. */
  readonly json: string
}

export interface Revision extends ObservedMember {
  readonly digest: string
  readonly plugins: PluginSet
  /** The last revision before the content was read; null if there was none. */
  readonly last: number | null
  /** The next revision is at least this one. */
  readonly least: number
}

/**
 * Assigns the next revision to the content, and stores its plugins. Undefined if another request has assigned one since the
 * last revision was read: then the state must be read again, because its content may be newer.
 */
export const nextRevision = (
  sql: Sql,
  { digest, last, least, membershipId, organizationId, plugins, workerId }: Revision
): Effect.Effect<number | undefined, SqlError> => {
  const next = Math.max((last ?? 0) + 1, least)
  const assigned =
    last === null
      ? sql`INSERT INTO desired_state_revisions
            (organization_id, membership_id, worker_id, revision, digest, plugins_digest, plugins_for, updated_at)
          VALUES (${organizationId}, ${membershipId}, ${workerId}, ${next}, ${digest}, ${plugins.digest}, ${digest}, now())
          ON CONFLICT DO NOTHING RETURNING revision`
      : sql`UPDATE desired_state_revisions
          SET revision = ${next}, digest = ${digest}, plugins_digest = ${plugins.digest}, plugins_for = ${digest}, updated_at = now()
          WHERE organization_id = ${organizationId} AND membership_id = ${membershipId} AND worker_id = ${workerId}
            AND revision = ${last}
          RETURNING revision`
  // The conflict locks the set until the commit, so that housekeeping does not delete it. Many members share a set, so
  // its time of use is written only once per hour.
  return Effect.map(
    sql<{ revision: number }>`WITH assigned AS (${assigned}),
      stored AS (INSERT INTO desired_plugin_sets AS p (organization_id, digest, plugins_json, used_at)
        SELECT ${organizationId}, ${plugins.digest}, ${plugins.json}::text::jsonb, now() FROM assigned
        ON CONFLICT (organization_id, digest) DO UPDATE SET used_at = now()
        WHERE p.used_at < now() - interval '1 hour')
      SELECT revision FROM assigned`,
    (rows) => rows[0]?.revision
  )
}
