import type { PgClient } from "@effect/sql-pg/PgClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as SqlClient from "effect/sql/SqlClient"
import { advisoryLocks } from "./advisory-locks.ts"
import { chooseSchema, createSchema, earlierSchema, SchemaUnusable } from "./choose-schema.ts"
import { keptFunction } from "./migrations/0069_event_streams.ts"
import { releaseFunctions } from "./release-checks.ts"
import { storageFunctions } from "./storage-counter.ts"
import { ownRelations } from "./privileges.ts"
import { lockKey, schemaNameFault, schemaOf, tenantRoleOf, useSchema } from "./schema.ts"
import { longStatementMillis, StatementMillisMax } from "./statement-timeout.ts"

/** The tables are not moved, and nothing changed. */
export class SchemaNotMoved extends Data.TaggedError("SchemaNotMoved")<{ readonly message: string }> {}

/** The name that the connections of the move have in `pg_stat_activity`. */
export const moverName = "orgplane-move-schema"

const refuse = (message: string) => new SchemaNotMoved({ message })

/** Connections of servers are counted repeatedly, because PostgreSQL closes those of a stopped server with a delay. */
const countsMax = 10
const countPause = "200 millis"

/** The number of connections of servers to the database, after those of stopped servers have ended. */
export const serverConnections = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lock = lockKey(sql, advisoryLocks.servers)
  for (let counts = 1; ; counts += 1) {
    // Without it, the connections stay as they were at the first count in the transaction.
    yield* sql`SELECT pg_stat_clear_snapshot()::text`
    // Servers of earlier releases do not hold the lock, but have the name, unless their URL has another one.
    const [others] = yield* sql<{ free: boolean; count: number }>`SELECT
      pg_try_advisory_xact_lock(${lock}::bigint) AS free,
      (SELECT count(*)::int FROM pg_stat_activity a WHERE datname = current_database() AND (application_name = 'orgplane'
        OR EXISTS (SELECT 1 FROM pg_locks l WHERE l.pid = a.pid AND l.locktype = 'advisory' AND l.mode = 'ShareLock'
          AND (l.classid::bigint << 32 | l.objid::bigint) = ${lock}::bigint))) AS count`
    if (others?.free === true && others.count === 0) return 0
    if (counts === countsMax) return Math.max(1, others?.count ?? 0)
    yield* Effect.sleep(countPause)
  }
})

/**
 * Moves the tables of an installation of an earlier release, which are in a schema of the search path, to a schema of
 * their own, in one transaction. Servers must be stopped before: they would not find their tables.
 *
 * @returns the schema that contained the tables before, and the number of moved tables and sequences.
 */
export const moveSchema = Effect.fn("sql.moveSchema")(function* <E>(
  to: string,
  upgrade: Effect.Effect<unknown, E, SqlClient.SqlClient | PgClient>
): Effect.fn.Return<
  { readonly from: string; readonly moved: number },
  E | SchemaNotMoved | SchemaUnusable | SqlError,
  SqlClient.SqlClient | PgClient
> {
  const sql = yield* SqlClient.SqlClient
  const fault = schemaNameFault(to)
  if (fault !== undefined) return yield* new SchemaUnusable({ message: `The schema name ${fault}.` })
  // Before a schema is chosen: afterwards, names refer to it.
  const earlier = yield* earlierSchema()
  yield* chooseSchema(undefined)
  const chosen = schemaOf(sql)
  if (chosen !== undefined) {
    if (earlier !== undefined && earlier !== chosen) {
      return yield* refuse(
        `Both schemas "${earlier}" and "${chosen}" contain an installation. Nothing was moved. Servers use "${chosen}". ` +
          `If "${chosen}" contains no data that you need, rename or drop that schema, then move the tables.`
      )
    }
    return yield* refuse(
      `No tables of an earlier release were found. The tables are, or will be, in the schema "${chosen}".`
    )
  }
  yield* upgrade
  return yield* sql
    .withTransaction(
      Effect.gen(function* () {
        yield* sql`SET LOCAL statement_timeout = 0`
        yield* sql`SET LOCAL lock_timeout = '10s'`
        yield* sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.migrations)}::bigint)::text`
        const connections = yield* serverConnections
        if (connections > 0) {
          return yield* refuse(`Servers are connected to the database (${connections} connections). Stop them first.`)
        }
        const [found] = yield* sql<{ from: string; quoted: string; oid: string }>`SELECT n.nspname::text AS from,
            quote_ident(n.nspname) AS quoted, n.oid::text AS oid FROM pg_class c
          JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('orgplane_migrations')`
        if (found === undefined) return yield* refuse("The tables were moved in the meantime.")
        if (found.from === to) return yield* refuse(`The tables are already in the schema "${to}".`)
        const formerRole = tenantRoleOf(sql)
        // From here on, names refer to the new schema.
        useSchema(sql, to)
        const role = tenantRoleOf(sql)
        yield* createSchema()
        const relations = yield* sql.unsafe<{ name: string; kind: string }>(`SELECT quote_ident(c.relname) AS name,
            c.relkind::text AS kind
          FROM pg_class c WHERE c.oid = ANY (${ownRelations(`${found.oid}::oid`)})
            AND c.relkind IN ('r', 'p', 'S')
            -- A sequence of a column moves with its table.
            AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
              AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
          ORDER BY c.oid`)
        const from = found.quoted
        for (const { kind, name } of relations) {
          yield* sql.unsafe(`ALTER ${kind === "S" ? "SEQUENCE" : "TABLE"} ${from}.${name} SET SCHEMA "${to}"`)
        }
        for (const [name, definition] of Object.entries({
          audit_events_are_kept: keptFunction,
          ...storageFunctions,
          ...releaseFunctions
        })) {
          yield* sql.unsafe(`ALTER FUNCTION ${from}.${name}() SET SCHEMA "${to}"`)
          // The text names tables.
          yield* sql.unsafe(`CREATE OR REPLACE ${definition}`)
        }
        yield* sql.unsafe(`DO $$ DECLARE r record; BEGIN
          IF '${role}' <> '${formerRole}' THEN
            BEGIN
              CREATE ROLE "${role}" NOLOGIN;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END;
            FOR r IN SELECT quote_ident(c.relname) AS name, c.relkind, string_agg(a.privilege_type, ', ') AS privileges
              FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles p ON p.oid = a.grantee
              WHERE c.relnamespace = '"${to}"'::regnamespace AND p.rolname = '${formerRole}' GROUP BY c.oid
            LOOP
              EXECUTE 'GRANT ' || r.privileges || ' ON ' || CASE r.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END
                || ' "${to}".' || r.name || ' TO "${role}"';
              EXECUTE 'REVOKE ALL ON ' || CASE r.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END
                || ' "${to}".' || r.name || ' FROM "${formerRole}"';
            END LOOP;
            EXECUTE 'GRANT "${role}" TO ' || quote_ident(current_user);
          END IF;
          GRANT USAGE ON SCHEMA "${to}" TO "${role}";
          ALTER DEFAULT PRIVILEGES IN SCHEMA "${to}" GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO "${role}";
          ALTER DEFAULT PRIVILEGES IN SCHEMA "${to}" GRANT USAGE ON SEQUENCES TO "${role}";
        EXCEPTION WHEN undefined_object OR insufficient_privilege THEN NULL; END $$`)
        return { from: found.from, moved: relations.length }
      })
    )
    .pipe(Effect.provideService(StatementMillisMax, longStatementMillis))
})
