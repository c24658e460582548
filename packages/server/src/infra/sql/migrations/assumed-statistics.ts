import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sharedTables, tenantTables } from "./index.ts"

/** Names as elements of an SQL array: a DO block takes no parameters. */
const ownTables = [...tenantTables, ...sharedTables].map((name) => `'${name}'`).join(", ")

/**
 * Gives the columns of tables that were never analyzed the statistics of an ordinary installation: ids are unique, an
 * organization has about a thousandth of a large table, few rows are removed. Without statistics the planner estimates
 * that `removed_at IS NULL` matches one row in two hundred, and so scans all rows of an organization through a partial
 * index to find one row by its id. Covers only orgplane's tables and their partitions, because the schema may contain
 * tables of a host application. A real ANALYZE replaces the values. PostgreSQL before version 18 has no function to set
 * statistics; its autovacuum analyzes the tables within about a minute.
 */
export const assumeStatistics = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [server] = yield* sql<{
    can: boolean
  }>`SELECT to_regproc('pg_catalog.pg_restore_attribute_stats') IS NOT NULL AS can`
  if (server?.can !== true) return
  yield* sql`DO $$ DECLARE a record; BEGIN
    FOR a IN
      SELECT n.nspname, c.relname, t.attname, NOT t.attnotnull AS nullable, t.atttypid AS type,
        EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conkey = ARRAY[t.attnum])
          AS checked
      FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute t ON t.attrelid = c.oid AND t.attnum > 0 AND NOT t.attisdropped
      WHERE n.nspname = current_schema() AND c.relkind = 'r' AND c.reltuples < 0
        AND EXISTS (SELECT 1 FROM pg_class o WHERE o.relnamespace = n.oid AND o.relname = ANY (ARRAY[${sql.literal(ownTables)}])
          AND (o.oid = c.oid OR o.oid IN (SELECT i.inhparent FROM pg_inherits i WHERE i.inhrelid = c.oid)))
        AND t.atttypid IN ('text'::regtype, 'bytea'::regtype, 'boolean'::regtype, 'timestamptz'::regtype)
    LOOP
      PERFORM pg_restore_attribute_stats(
        'schemaname', a.nspname::text, 'relname', a.relname::text, 'attname', a.attname::text, 'inherited', false,
        'null_frac', (CASE WHEN NOT a.nullable THEN 0 WHEN a.type = 'timestamptz'::regtype THEN 0.9 ELSE 0.5 END)::real,
        'avg_width', CASE WHEN a.type = 'boolean'::regtype THEN 1 WHEN a.type = 'timestamptz'::regtype THEN 8 ELSE 32 END,
        'n_distinct', (CASE
          WHEN a.type = 'boolean'::regtype THEN 2
          WHEN a.checked THEN 4
          WHEN a.attname = 'organization_id' THEN -0.001
          WHEN a.attname = 'id' OR a.type = 'bytea'::regtype THEN -1
          WHEN a.attname LIKE '%\\_id' THEN -0.2
          ELSE -0.5 END)::real,
        -- Rows are stored approximately in the order of their creation.
        'correlation', (CASE WHEN a.attname IN ('id', 'organization_id', 'created_at') THEN 0.9 ELSE 0 END)::real);
    END LOOP; END $$`
})
