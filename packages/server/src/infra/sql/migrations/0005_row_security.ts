import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { statements } from "./statements.ts"
import { tenantRole } from "./tenant-role.ts"

/** Tables whose rows each belong to one organization. */
export const tenantTables = [
  "memberships",
  "teams",
  "team_members",
  "claims",
  "sealed_values",
  "grants",
  "config_objects",
  "config_object_versions",
  "plugins",
  "plugin_memberships",
  "marketplaces",
  "marketplace_memberships",
  "connector_accounts",
  "connector_instances",
  "connector_targets",
  "connector_mappings",
  "source_bindings",
  "sync_events",
  "sync_staged",
  "discoveries",
  "discovery_tree_chunks"
]

/**
 * Row-level security, in addition to the conditions of each statement: in a transaction that sets its organization,
 * statements cannot read or write the rows of other organizations. Transactions that set none (migrations, jobs over
 * all organizations, single reads) are not restricted.
 */
const ownRows = `(
  coalesce(current_setting('orgplane.organization_id', true), '') = ''
  OR organization_id = current_setting('orgplane.organization_id', true)
)`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const role = yield* tenantRole
  // Superusers bypass policies, so a restricted transaction switches to this role. If the role cannot be created, the
  // policies apply to the table owner.
  yield* sql.unsafe(`DO $$ BEGIN
    CREATE ROLE ${role} NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL; END $$`)
  yield* statements(
    tenantTables.flatMap((table) => [
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
      `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
      `CREATE POLICY ${table}_organization ON ${table} USING ${ownRows} WITH CHECK ${ownRows}`
    ])
  )
  yield* sql.unsafe(`DO $$ BEGIN
    EXECUTE 'GRANT USAGE ON SCHEMA ' || quote_ident(current_schema()) || ' TO ${role}';
    EXECUTE 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ' || quote_ident(current_schema())
      || ' TO ${role}';
    EXECUTE 'ALTER DEFAULT PRIVILEGES IN SCHEMA ' || quote_ident(current_schema())
      || ' GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role}';
    EXECUTE 'ALTER DEFAULT PRIVILEGES IN SCHEMA ' || quote_ident(current_schema())
      || ' GRANT USAGE ON SEQUENCES TO ${role}';
    EXECUTE 'GRANT ${role} TO ' || quote_ident(current_user);
  EXCEPTION WHEN undefined_object OR insufficient_privilege OR invalid_grant_operation THEN NULL; END $$`)
})
