import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["memories"]

/** Personal memories. */
export default Effect.suspend(() =>
  statements([
    // Every query is for the memories of one user, so the key starts with the user, in any organization.
    `CREATE TABLE memories (
    user_id text NOT NULL,
    id text NOT NULL,
    organization_id text NOT NULL REFERENCES organizations (id),
    content text NOT NULL,
    tags text[] NOT NULL,
    -- The tags in the folded form in which they are compared.
    tag_keys text[] NOT NULL,
    source text NOT NULL,
    contexts_json jsonb NOT NULL,
    -- The search index: distinct words, with the stem and weight of each at the same position.
    words text[] NOT NULL,
    stems text[] NOT NULL,
    weights integer[] NOT NULL,
    word_count integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- When its user left the organization. It is kept for a while in case the user returns.
    left_at timestamptz,
    -- The embedding vector as four-byte numbers, its model, and when a process claimed it.
    embedding bytea,
    embedding_model text,
    embedding_tried_at timestamptz,
    PRIMARY KEY (user_id, id)
  )`,
    // For counting and deleting the memories of a user in an organization.
    `CREATE INDEX memories_bank ON memories (organization_id, user_id) INCLUDE (word_count)`,
    `CREATE INDEX memories_left ON memories (left_at) WHERE left_at IS NOT NULL`,
    // Vectors do not compress.
    `ALTER TABLE memories ALTER COLUMN embedding SET STORAGE EXTERNAL`,
    // For finding memories without a vector of the current model.
    `CREATE INDEX memories_embedding ON memories (embedding_model, id)`,
    ...rowSecurity(tenantTables)
  ])
)
