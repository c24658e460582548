import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"
import { tenantRole } from "./tenant-role.ts"

export const tenantTables = ["audit_events", "audit_chains", "audit_checkpoints"]

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
        IF unsealed IS NOT DISTINCT FROM OLD THEN RETURN NEW; END IF;
      END IF;
      RAISE EXCEPTION 'Audit events are only ever added, and sealed once.' USING ERRCODE = 'restrict_violation';
    END $$`

/** The sealed order of the audit trail: each event gets a sequence number and a keyed hash of all events before it. */
export default Effect.gen(function* () {
  const role = yield* tenantRole
  yield* statements([
    // The order in which transactions started to write: a transaction that started after another one ended has a
    // higher number.
    `ALTER TABLE audit_events
    ADD COLUMN created_txid bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    ADD COLUMN sequence bigint,
    ADD COLUMN hash text,
    ADD COLUMN seal_key_id text`,
    `CREATE UNIQUE INDEX audit_events_sequence ON audit_events (organization_id, sequence) WHERE sequence IS NOT NULL`,
    `CREATE INDEX audit_events_unsealed ON audit_events (created_txid, id) WHERE sequence IS NULL`,
    // One chain per organization, and one named "platform" for events without an organization.
    `CREATE TABLE audit_chains (
    organization_id text PRIMARY KEY,
    sequence bigint NOT NULL,
    hash text NOT NULL,
    checkpoint_sequence bigint NOT NULL DEFAULT 0,
    checkpoint_at timestamptz NOT NULL
  )`,
    `CREATE INDEX audit_chains_due ON audit_chains (checkpoint_at) WHERE sequence > checkpoint_sequence`,
    `CREATE TABLE audit_checkpoints (
    organization_id text NOT NULL,
    sequence bigint NOT NULL,
    hash text NOT NULL,
    key_id text NOT NULL,
    signature text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, sequence)
  )`,
    `CREATE ${keptFunction}`,
    `CREATE TRIGGER audit_events_are_kept BEFORE INSERT OR UPDATE OR DELETE ON audit_events
    FOR EACH ROW EXECUTE FUNCTION audit_events_are_kept()`,
    `CREATE TRIGGER audit_events_are_not_emptied BEFORE TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION audit_events_are_kept()`,
    ...rowSecurity(tenantTables),
    // Requests only insert events. The sealer, which is not restricted to an organization, also updates them.
    `DO $$ BEGIN
      REVOKE UPDATE, DELETE ON audit_events FROM ${role};
      REVOKE INSERT, UPDATE, DELETE ON audit_chains, audit_checkpoints FROM ${role};
    EXCEPTION WHEN undefined_object OR insufficient_privilege THEN NULL; END $$`
  ])
})
