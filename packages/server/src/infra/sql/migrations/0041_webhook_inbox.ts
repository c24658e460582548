import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/**
 * Verified webhook deliveries that have not been processed yet, and when each installation is next compared with the
 * code host.
 */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE webhook_inbox (
    -- The order of arrival, in which deliveries are processed.
    position bigint GENERATED ALWAYS AS IDENTITY,
    delivery_id text NOT NULL,
    event text NOT NULL,
    facts_json jsonb NOT NULL,
    -- The size of the facts as text. The total size of the inbox is limited.
    bytes integer NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    -- A delivery whose processing failed waits until then.
    due_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (delivery_id, event)
  )`,
    `CREATE INDEX webhook_inbox_position ON webhook_inbox (position)`,
    // Installations are compared with the code host regularly, like branches.
    `ALTER TABLE connector_accounts ADD COLUMN reconcile_at timestamptz NOT NULL DEFAULT now() + interval '10 minutes'`,
    `CREATE INDEX connector_accounts_due ON connector_accounts (reconcile_at)
    WHERE adapter = 'rest' AND removed_at IS NULL`
  ])
)
