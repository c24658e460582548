import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** How often a model has refused a text, and an order of what has no vector that goes from person to person. */
export default Effect.suspend(() =>
  statements([
    `ALTER TABLE memories ADD COLUMN embedding_tries smallint NOT NULL DEFAULT 0`,
    `CREATE INDEX memories_embedding_due ON memories (embedding_model, user_id, id) WHERE embedding_tries < 3`,
    `CREATE INDEX memories_embedding_refused ON memories (embedding_tried_at) WHERE embedding_tries >= 3`,
    `DROP INDEX memories_embedding`
  ])
)
