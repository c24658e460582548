import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["llm_providers"]

/** LLM providers, and the public model catalog. The keys are in oauth_credentials. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE llm_providers (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    -- An id from the catalog, or custom. The catalog's values are copied here, for when the catalog is unavailable.
    provider_id text NOT NULL,
    api_format text NOT NULL,
    base_url text,
    env_json jsonb NOT NULL,
    npm text,
    doc_url text,
    -- Null for all models of the provider.
    models_json jsonb,
    credential_mode text NOT NULL,
    headers_json jsonb NOT NULL,
    options_json jsonb NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX llm_providers_name ON llm_providers (organization_id, lower(name))
    WHERE deleted_at IS NULL`,
    `CREATE INDEX llm_providers_gone ON llm_providers (deleted_at) WHERE deleted_at IS NOT NULL`,
    // Shared by all organizations: the latest copy of the catalog from each URL, and the process that is fetching it.
    // Looked up by the digest of the URL.
    `CREATE TABLE model_catalogs (
    address_digest text PRIMARY KEY,
    catalog_text text,
    catalog_digest text,
    etag text,
    checked_at timestamptz,
    tried_at timestamptz NOT NULL,
    holder text,
    held_until timestamptz
  )`,
    ...rowSecurity(tenantTables)
  ])
)
