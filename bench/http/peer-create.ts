/** Creating a plugin, as bare and Fastify do it: the server's statements, in one transaction. */
import { hash } from "node:crypto"
import { makeId } from "./peer-ids.ts"
import { memberCount, type Principal } from "./peer.ts"

/** A statement of the transaction. The name identifies the prepared statement. */
export interface Prepared {
  readonly name: string
  readonly text: string
}

export const createTexts = {
  /** Row-level security restricts the transaction to the organization. $1 organization. */
  scope: {
    name: "scope",
    text: "SELECT set_config('orgplane.organization_id', $1, true), set_config('role', 'orgplane_tenant', true)"
  },
  /** $1 organization, $2 plugin, $3 name, $4 description, $5 creator. */
  plugin: {
    name: "createPlugin",
    text: `INSERT INTO plugins (organization_id, id, name, description, created_by_membership_id, created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, now(), now())`
  },
  /** $1 organization, $2 grant, $3 plugin, $4 creator. */
  grant: {
    name: "createGrant",
    text: `INSERT INTO grants (organization_id, id, object_kind, object_id, membership_id, team_id, key_id, org_wide, role,
        created_by_membership_id, created_at)
      VALUES ($1, $2, 'plugin', $3, $4, NULL, NULL, false, 'manager', $4, now())`
  },
  /** The created plugin, as an admin sees it. $1 organization, $2 plugin. */
  created: {
    name: "createdPlugin",
    text: `SELECT p.id, p.organization_id, p.name, p.description, p.manifest_json, p.created_by_membership_id,
        p.created_at, p.updated_at, p.archived_at, p.deleted_at, ${memberCount},
        (SELECT coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name) ORDER BY s.id), '[]'::jsonb)
          FROM (SELECT k.id, k.name FROM marketplace_memberships km
            JOIN marketplaces k ON k.organization_id = km.organization_id AND k.id = km.marketplace_id
              AND k.deleted_at IS NULL AND k.archived_at IS NULL
            WHERE km.organization_id = p.organization_id AND km.plugin_id = p.id AND km.removed_at IS NULL
            ORDER BY k.id LIMIT 100) s) AS marketplaces,
        3 AS own_level
      FROM plugins p WHERE p.organization_id = $1 AND p.id = $2 AND p.deleted_at IS NULL`
  },
  /** $1 id, $2 organization, $3 actor, $4 session, $5 plugin, $6 request, $7 address, $8 user agent, $9 after, $10 digest. */
  audit: {
    name: "createAudit",
    text: `INSERT INTO audit_events (id, organization_id, action, actor_kind, actor_id, credential_id, target_id,
        request_id, address, user_agent, before_json, after_json, payload_digest, created_at)
      VALUES ($1, $2, 'plugin.create', 'session', $3, $4, $5, $6, $7, $8, NULL, $9, $10, now())`
  }
} as const satisfies Record<string, Prepared>

export interface CreateBody {
  readonly name: string
  readonly description?: string | null
}

export const nameMax = 255
export const descriptionMax = 2000

/** The values of each statement of the transaction. */
export const createValues = (
  { membershipId, organizationId, sessionId }: Principal,
  body: CreateBody,
  address: string | null,
  userAgent: string | null
) => {
  const id = makeId("plg")
  const after = { name: { digest: hash("sha256", body.name, "hex"), length: body.name.length } }
  const digest = hash("sha256", JSON.stringify(["plugin.create", id, null, after]), "hex")
  return {
    scope: [organizationId],
    plugin: [organizationId, id, body.name, body.description ?? null, membershipId],
    grant: [organizationId, makeId("pag"), id, membershipId],
    created: [organizationId, id],
    audit: [
      makeId("aud"),
      organizationId,
      membershipId,
      sessionId,
      id,
      makeId("req"),
      address,
      userAgent,
      JSON.stringify(after),
      digest
    ]
  }
}
