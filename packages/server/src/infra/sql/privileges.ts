import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { objects } from "./objects.ts"
import { isOwnSchema, schemaOf, tenantRoleOf } from "./schema.ts"

const names = [...objects.names].map((name) => `'${name}'`).join(", ")

/**
 * An SQL array of the tables, partitions and sequences of the control plane in a schema, which is an SQL expression of type
 * `oid` or `regnamespace`.
 */
export const ownRelations = (schema: string) => `ARRAY(SELECT o.oid FROM pg_class o
    WHERE o.relnamespace = ${schema} AND o.relname IN (${names})
  UNION ALL SELECT i.inhrelid FROM pg_inherits i JOIN pg_class o ON o.oid = i.inhparent
    WHERE o.relnamespace = ${schema} AND o.relname IN (${names})
  UNION ALL SELECT d.objid FROM pg_depend d JOIN pg_class o ON o.oid = d.refobjid
    WHERE d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
      AND o.relnamespace = ${schema} AND o.relname IN (${names}))`

/**
 * After an upgrade of an installation whose tables are in the schema of a host application: revokes the privileges that
 * earlier releases granted on every table of that schema, and on every later one, and grants them on new tables of the
 * control plane only. A schema of our own has default privileges.
 */
export const settlePrivileges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (isOwnSchema(schemaOf(sql))) return
  const role = tenantRoleOf(sql)
  // Without quotes, the conversion would fold the case of the name.
  const schema = "quote_ident(current_schema())::regnamespace"
  const isGranted = `EXISTS (SELECT 1 FROM aclexplode(c.relacl) a JOIN pg_roles p ON p.oid = a.grantee
          WHERE p.rolname = '${role}')`
  yield* sql.unsafe(`DO $$ DECLARE r record; BEGIN
    FOR r IN SELECT c.oid::regclass::text AS name, c.relkind FROM pg_class c
      WHERE c.relnamespace = ${schema} AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        AND c.oid <> ALL (${ownRelations(schema)}) AND ${isGranted}
    LOOP
      EXECUTE 'REVOKE ALL ON ' || CASE r.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || r.name
        || ' FROM "${role}"';
    END LOOP;
    FOR r IN SELECT c.oid::regclass::text AS name FROM pg_class c
      WHERE c.oid = ANY (${ownRelations(schema)}) AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND NOT ${isGranted}
    LOOP
      EXECUTE 'GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE ' || r.name || ' TO "${role}"';
    END LOOP;
    EXECUTE 'ALTER DEFAULT PRIVILEGES IN SCHEMA ' || quote_ident(current_schema())
      || ' REVOKE ALL ON TABLES FROM "${role}"';
    EXECUTE 'ALTER DEFAULT PRIVILEGES IN SCHEMA ' || quote_ident(current_schema())
      || ' REVOKE ALL ON SEQUENCES FROM "${role}"';
  EXCEPTION WHEN undefined_object OR insufficient_privilege THEN NULL; END $$`)
})
