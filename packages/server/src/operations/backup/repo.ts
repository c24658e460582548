import * as Effect from "effect/Effect"
import { type Sql } from "../../infra/sql/client.ts"
import { relationName } from "../../infra/sql/schema.ts"

/**
 * The statement that reads `Facts` as JSON; undefined if the database has no tables. It qualifies all names, because it
 * is sent without the client.
 */
export const factsStatement = (sql: Sql) =>
  Effect.map(
    sql<{ statement: string | null }>`SELECT format(
        'SELECT json_build_object(''schemaVersion'', (SELECT max(migration_id) FROM %1$I.orgplane_migrations),
          ''auditChains'', %2$s, ''rows'', (SELECT json_object_agg(name, n ORDER BY name) FROM (%3$s) counted))::text',
        max(n.nspname),
        CASE WHEN bool_or(c.relname = 'audit_chains') THEN format('(SELECT coalesce(json_agg(json_build_object(
            ''organizationId'', organization_id, ''sequence'', sequence, ''hash'', hash) ORDER BY organization_id), ''[]'')
            FROM %I.audit_chains)', max(n.nspname)) ELSE '''[]''::json' END,
        string_agg(format('SELECT %L AS name, count(*) AS n FROM %I.%I', c.relname, n.nspname, c.relname), ' UNION ALL ')
      ) AS statement
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence = 'p'
        AND c.relnamespace = (SELECT relnamespace FROM pg_class
          WHERE oid = to_regclass(${relationName(sql, "orgplane_migrations")}))`,
    ([row]) => row?.statement ?? undefined
  )

/** Every organization that has an audit chain. */
export const auditedOrganizations = (sql: Sql) =>
  Effect.map(
    sql<{ id: string }>`SELECT id FROM organizations
      UNION SELECT organization_id FROM audit_chains WHERE starts_with(organization_id, 'org_') ORDER BY id`,
    (rows) => rows.map(({ id }) => id)
  )
