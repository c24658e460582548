import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["webhook_bodies"]

/** The bodies of webhook messages, each stored once. */
export default Effect.suspend(() =>
  statements([
    // The exact bodies of requests. Endpoints with the same permissions share those of events that were queued at once.
    `CREATE TABLE webhook_bodies (
    organization_id text NOT NULL,
    id text NOT NULL,
    body text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE INDEX webhook_bodies_created ON webhook_bodies (created_at)`,
    // The body of every attempt. The column `body` is no longer used.
    `ALTER TABLE webhook_messages ADD COLUMN body_id text`,
    `ALTER TABLE webhook_messages ALTER COLUMN body SET DEFAULT ''`,
    // The first release with webhook endpoints has this migration, so only servers between releases have messages.
    `INSERT INTO webhook_bodies (organization_id, id, body, created_at)
      SELECT m.organization_id, m.id, m.body, m.created_at FROM webhook_messages m`,
    `UPDATE webhook_messages SET body_id = id, body = ''`,
    ...rowSecurity(tenantTables)
  ])
)
