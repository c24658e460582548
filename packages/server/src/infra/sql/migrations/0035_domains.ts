import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["domains"]

/** Domains that organizations have verified or are verifying. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE domains (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    domain text NOT NULL,
    status text NOT NULL,
    token text NOT NULL,
    verified_at timestamptz,
    last_checked_at timestamptz,
    failure text,
    failing_since timestamptz,
    next_check_at timestamptz NOT NULL DEFAULT now() + interval '1 day',
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX domains_own ON domains (organization_id, domain) WHERE removed_at IS NULL`,
    // A domain belongs to the first organization that verifies it. Any organization can verify a lapsed domain.
    `CREATE UNIQUE INDEX domains_verified ON domains (domain) WHERE removed_at IS NULL AND status = 'verified'`,
    `CREATE INDEX domains_due ON domains (next_check_at) WHERE removed_at IS NULL AND status = 'verified'`,
    `CREATE INDEX domains_removed ON domains (removed_at) WHERE removed_at IS NOT NULL`,
    ...rowSecurity(tenantTables)
  ])
)
