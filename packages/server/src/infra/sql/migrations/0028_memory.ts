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
    -- The tags as they are compared.
    tag_keys text[] NOT NULL,
    source text NOT NULL,
    contexts_json jsonb NOT NULL,
    -- What it is found by: words, each once, with its stem and weight at the same place.
    words text[] NOT NULL,
    stems text[] NOT NULL,
    weights integer[] NOT NULL,
    word_count integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Since when its person is no member any more; it is kept a while for one who comes back.
    left_at timestamptz,
    -- Its meaning, where something makes vectors: numbers of four bytes; what made it; since when somebody is at it.
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
