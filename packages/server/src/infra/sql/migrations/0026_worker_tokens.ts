import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["worker_tokens"]

/** The tokens of workers. Only their digests are stored. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE worker_tokens (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    worker_id text NOT NULL,
    token_digest bytea NOT NULL,
    created_by_membership_id text NOT NULL,
    created_by_user_id text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    // A token is looked up by its digest alone.
    `CREATE UNIQUE INDEX worker_tokens_digest ON worker_tokens (token_digest)`,
    `CREATE INDEX worker_tokens_worker ON worker_tokens (organization_id, worker_id, id)`,
    `CREATE INDEX worker_tokens_maker ON worker_tokens (organization_id, created_by_membership_id)`,
    ...rowSecurity(tenantTables)
  ])
)
