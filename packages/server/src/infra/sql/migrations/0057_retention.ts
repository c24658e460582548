import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"
import { storageStatements } from "../storage-counter.ts"
import { tenantRole } from "./tenant-role.ts"

export const tenantTables = ["audit_truncations", "storage_changes", "storage_usage"]

/**
 * The trigger function that refuses other changes. Sealed events can be deleted only up to the signed end of a truncation.
 */
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
      IF TG_OP = 'DELETE' THEN
        IF EXISTS (SELECT 1 FROM audit_truncations t
          WHERE t.organization_id = coalesce(OLD.organization_id, 'platform') AND OLD.sequence <= t.sequence)
        THEN RETURN OLD; END IF;
      END IF;
      RAISE EXCEPTION 'Audit events are only ever added, and sealed once.' USING ERRCODE = 'restrict_violation';
    END $$`

/**
 * What housekeeping needs: which process runs it, what it found, and the signed start of truncated audit chains. Also the
 * counter of stored content.
 */
export default Effect.gen(function* () {
  const role = yield* tenantRole
  yield* statements([
    // One row per kind of run. A process that holds the lease runs it; others skip it.
    `CREATE TABLE housekeeping_runs (
    name text PRIMARY KEY,
    lease_holder text,
    lease_until timestamptz,
    finished_at timestamptz
  )`,
    // The result of the last check of each table.
    `CREATE TABLE retention_checks (
    table_name text PRIMARY KEY,
    overdue_rows integer NOT NULL,
    overdue_seconds double precision NOT NULL,
    checked_at timestamptz NOT NULL
  )`,
    // The events of a chain up to the sequence number were deleted. The next event continues from the hash.
    `CREATE TABLE audit_truncations (
    organization_id text PRIMARY KEY,
    sequence bigint NOT NULL,
    hash text NOT NULL,
    event_count bigint NOT NULL,
    key_id text NOT NULL,
    signature text NOT NULL,
    truncated_at timestamptz NOT NULL
  )`,
    ...storageStatements,
    ...rowSecurity(tenantTables),
    `CREATE OR REPLACE ${keptFunction}`,
    `DO $$ BEGIN
      REVOKE INSERT, UPDATE, DELETE ON audit_truncations FROM ${role};
    EXCEPTION WHEN undefined_object OR insufficient_privilege THEN NULL; END $$`
  ])
})
