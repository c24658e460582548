import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["memories"]

/** What people had remembered. */
export default Effect.suspend(() =>
  statements([
    // Everything that asks, asks for one person's: so the key leads with them, whatever the organizations.
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
    // What a person has in an organization: to count it, to take it away.
    `CREATE INDEX memories_bank ON memories (organization_id, user_id) INCLUDE (word_count)`,
    `CREATE INDEX memories_left ON memories (left_at) WHERE left_at IS NOT NULL`,
    // Vectors are not made smaller by packing them.
    `ALTER TABLE memories ALTER COLUMN embedding SET STORAGE EXTERNAL`,
    // What has no vector of a model yet.
    `CREATE INDEX memories_embedding ON memories (embedding_model, id)`,
    ...rowSecurity(tenantTables)
  ])
)
