import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["event_streams"]

/**
 * The trigger function that refuses other changes. Sealed events can be deleted only up to the signed end of a truncation.
 * The hash of an event that an earlier version sealed can be added later.
 */
export const keptFunction = `FUNCTION audit_events_are_kept() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE unsealed record;
    BEGIN
      IF TG_OP = 'INSERT' AND NEW.sequence IS NULL AND NEW.hash IS NULL AND NEW.feed_hash IS NULL THEN RETURN NEW; END IF;
      IF TG_OP = 'UPDATE' AND (OLD.sequence IS NULL OR OLD.feed_hash IS NULL) THEN
        unsealed := NEW;
        unsealed.feed_hash := OLD.feed_hash;
        IF OLD.sequence IS NULL THEN
          unsealed.sequence := NULL;
          unsealed.hash := NULL;
          unsealed.seal_key_id := NULL;
          unsealed.position := OLD.position;
        END IF;
        IF unsealed IS NOT DISTINCT FROM OLD THEN RETURN NEW; END IF;
      END IF;
      IF TG_OP = 'DELETE' THEN
        IF EXISTS (SELECT 1 FROM audit_truncations t
          WHERE t.organization_id = coalesce(OLD.organization_id, 'platform') AND OLD.sequence <= t.sequence)
        THEN RETURN OLD; END IF;
      END IF;
      RAISE EXCEPTION 'Audit events are only ever added, and sealed once.' USING ERRCODE = 'restrict_violation';
    END $$`

/**
 * The second version of the seal: an unkeyed chain over the lines of the feed, which receivers can verify with public keys
 * alone. Also the streams that send these lines.
 */
export default Effect.suspend(() =>
  statements([
    // The hash of the line in the chain. Null for events that only the first version of the seal covers.
    `ALTER TABLE audit_events ADD COLUMN feed_hash text`,
    `ALTER TABLE audit_chains
    ADD COLUMN feed_start bigint,
    ADD COLUMN feed_sequence bigint,
    ADD COLUMN feed_hash text`,
    `CREATE INDEX audit_chains_behind ON audit_chains (organization_id) WHERE feed_sequence < sequence`,
    `ALTER TABLE audit_checkpoints
    ADD COLUMN feed_hash text,
    ADD COLUMN feed_signature text,
    ADD COLUMN feed_signed_at timestamptz`,
    // The hash of the last deleted line, from which the next one continues.
    `ALTER TABLE audit_truncations ADD COLUMN feed_hash text`,
    `CREATE OR REPLACE ${keptFunction}`,
    `CREATE TABLE event_streams (
    organization_id text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    -- Without its secret.
    destination_json jsonb NOT NULL,
    types_json jsonb NOT NULL,
    state text NOT NULL,
    -- The sequence numbers of the last event and of the last checkpoint that were delivered.
    position bigint NOT NULL,
    checkpoint_position bigint NOT NULL,
    -- The last event of the batch that is being sent, so that a retry sends the same batch.
    batch_to bigint,
    attempts integer NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    failing_since timestamptz,
    last_error text,
    last_delivered_at timestamptz,
    lease_holder text,
    lease_until timestamptz,
    -- The secret of the destination. Null if there is none.
    key_id text,
    nonce bytea,
    ciphertext bytea,
    created_by_membership_id text,
    version integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE INDEX event_streams_due ON event_streams (next_attempt_at) WHERE state = 'active'`,
    ...rowSecurity(tenantTables)
  ])
)
