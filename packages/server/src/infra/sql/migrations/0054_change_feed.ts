import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** The trigger function that refuses other changes. It names no table, so that it can move to another schema. */
const keptFunction = `FUNCTION audit_events_are_kept() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE unsealed record;
    BEGIN
      IF TG_OP = 'INSERT' AND NEW.sequence IS NULL AND NEW.hash IS NULL THEN RETURN NEW; END IF;
      IF TG_OP = 'UPDATE' AND OLD.sequence IS NULL THEN
        unsealed := NEW;
        unsealed.sequence := NULL;
        unsealed.hash := NULL;
        unsealed.seal_key_id := NULL;
        unsealed.position := OLD.position;
        IF unsealed IS NOT DISTINCT FROM OLD THEN RETURN NEW; END IF;
      END IF;
      RAISE EXCEPTION 'Audit events are only ever added, and sealed once.' USING ERRCODE = 'restrict_violation';
    END $$`

/**
 * The order of the changes of all organizations. Sealing assigns the positions: one process at a time seals, and only
 * committed events, so a position is never assigned before one that is already visible. A sequence, unlike the highest
 * position, never goes back when events are deleted. Events that were sealed before have no position.
 */
export default Effect.suspend(() =>
  statements([
    `ALTER TABLE audit_events ADD COLUMN position bigint`,
    `CREATE UNIQUE INDEX audit_events_position ON audit_events (position) WHERE position IS NOT NULL`,
    `CREATE SEQUENCE audit_positions`,
    `CREATE OR REPLACE ${keptFunction}`,
    `CREATE TABLE event_consumers (
    name text PRIMARY KEY,
    position bigint NOT NULL,
    lease_holder text,
    lease_until timestamptz,
    updated_at timestamptz NOT NULL
  )`
  ])
)
