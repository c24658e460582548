import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["mcp_connections", "mcp_tools", "mcp_tool_looks"]

/** MCP connections: their settings, accepted tools, and the tools that each credential sees. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE mcp_connections (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    -- The normalized URL, for comparison with the URLs that plugins require.
    url_key text NOT NULL,
    preset_id text,
    auth_type text NOT NULL,
    credential_mode text NOT NULL,
    scopes_json jsonb,
    -- The OAuth client at the authorization server. Its secret is in sealed_values.
    oauth_client_id text,
    oauth_registration text,
    oauth_client_secret_id text,
    api_key_header text,
    api_key_scheme text,
    tool_policy_json jsonb NOT NULL DEFAULT '{"mode":"all","allowed":[],"denied":[]}',
    -- Issuer, endpoints and scopes: accepted, and last observed.
    accepted_identity_json jsonb,
    observed_identity_json jsonb,
    -- The fingerprint of identity and tools; null before the first observation.
    fingerprint text,
    observed_fingerprint text,
    -- When they first differed, whether the identity differs, and whether a manager rejected the change.
    drift_detected_at timestamptz,
    drift_is_whole boolean NOT NULL DEFAULT false,
    drift_decision text,
    tools_checked_at timestamptz,
    version integer NOT NULL DEFAULT 1,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX mcp_connections_name ON mcp_connections (organization_id, lower(name))
    WHERE deleted_at IS NULL`,
    `CREATE INDEX mcp_connections_url ON mcp_connections (organization_id, url_key) WHERE deleted_at IS NULL`,
    `CREATE INDEX mcp_connections_gone ON mcp_connections (deleted_at) WHERE deleted_at IS NOT NULL`,
    // Each description of a tool that is accepted, currently observed, or both.
    `CREATE TABLE mcp_tools (
    organization_id text NOT NULL,
    connection_id text NOT NULL,
    name text NOT NULL,
    digest text NOT NULL,
    tool_json jsonb NOT NULL,
    is_accepted boolean NOT NULL,
    is_observed boolean NOT NULL,
    -- The holder whose credential last observed it; '' is the shared credential.
    seen_by text NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, connection_id, name, digest),
    FOREIGN KEY (organization_id, connection_id) REFERENCES mcp_connections (organization_id, id) ON DELETE CASCADE
  )`,
    // The last listing of each credential: the digest of every tool, by name.
    `CREATE TABLE mcp_tool_looks (
    organization_id text NOT NULL,
    connection_id text NOT NULL,
    membership_id text NOT NULL,
    digests_json jsonb NOT NULL,
    checked_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, connection_id, membership_id),
    FOREIGN KEY (organization_id, connection_id) REFERENCES mcp_connections (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE INDEX mcp_tool_looks_member ON mcp_tool_looks (organization_id, membership_id)`,
    ...rowSecurity(tenantTables)
  ])
)
