import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** The number of rejections by the embedding model, and an index for memories without a vector, ordered by member. */
export default Effect.suspend(() =>
  statements([
    `ALTER TABLE memories ADD COLUMN embedding_tries smallint NOT NULL DEFAULT 0`,
    `CREATE INDEX memories_embedding_due ON memories (embedding_model, user_id, id) WHERE embedding_tries < 3`,
    `CREATE INDEX memories_embedding_refused ON memories (embedding_tried_at) WHERE embedding_tries >= 3`,
    `DROP INDEX memories_embedding`
  ])
)
