import { createHash } from "node:crypto"
import pg from "pg"

/** Row counts. The caller can read everything in the organization through grants, and nothing through a role. */
export const counts = {
  plugins: 20_000,
  /** Config objects in each plugin. */
  members: 13,
  configObjects: 1000,
  marketplaces: 10,
  targets: 100,
  /** Mappings of each target. */
  mappings: 200,
  /** Sessions that the load alternates between, because a session is limited to 600 requests per minute. */
  sessions: 2000
} as const

/** Sequential IDs. The first ten characters after the prefix are a valid timestamp. */
const numbered = (prefix: string, n: number) => `${prefix}_01k5qdy${String(n).padStart(19, "0")}`
const numberedSql = (prefix: string, n: string) => `'${prefix}_01k5qdy' || lpad((${n})::text, 19, '0')`

export const pluginId = (n: number) => numbered("plg", n)
export const targetId = (n: number) => numbered("ctg", n)
const organizationId = numbered("org", 1)

/** Fills a migrated database; `tokens` become sessions of plain members. */
export const fill = async (url: string, tokens: ReadonlyArray<string>): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run = (text: string, values: ReadonlyArray<unknown> = []) => client.query(text, [...values])
  const people = 100
  try {
    await run("BEGIN")
    await run(
      `INSERT INTO organizations (id, name, plan, created_at, updated_at) VALUES ($1, 'Acme', 'enterprise', now(), now())`,
      [organizationId]
    )
    await run(`INSERT INTO users (id, email, email_verified, name, created_at, updated_at)
      SELECT ${numberedSql("usr", "n")}, 'person' || n || '@example.com', true, 'Person ' || n, now(), now()
      FROM generate_series(1, ${people}) n`)
    await run(`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
      SELECT '${organizationId}', ${numberedSql("om", "n")}, ${numberedSql("usr", "n")}, 'member', now(), now()
      FROM generate_series(1, ${people}) n`)
    await run(
      `INSERT INTO sessions (id, token_digest, user_id, organization_id, kind, created_at, expires_at)
      SELECT ${numberedSql("ses", "n")}, decode(digest, 'hex'), ${numberedSql("usr", `1 + n % ${people}`)},
        '${organizationId}', 'email', now(), now() + interval '1 day'
      FROM unnest($1::text[]) WITH ORDINALITY AS t(digest, n)`,
      [tokens.map((token) => createHash("sha256").update(token).digest("hex"))]
    )
    await run(`INSERT INTO config_objects (organization_id, id, object_type, source_mode, status, title, created_at, updated_at)
      SELECT '${organizationId}', ${numberedSql("cob", "n")}, 'skill', 'cloud', 'active', 'Object ' || n, now(), now()
      FROM generate_series(1, ${counts.configObjects}) n`)
    await run(`INSERT INTO plugins (organization_id, id, name, description, manifest_json, created_by_membership_id,
        created_at, updated_at)
      SELECT '${organizationId}', ${numberedSql("plg", "n")}, 'Plugin ' || n, 'What plugin ' || n || ' is good for.',
        NULL, ${numberedSql("om", "1")}, now() - n * interval '1 minute', now()
      FROM generate_series(1, ${counts.plugins}) n`)
    await run(`INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, created_at)
      SELECT '${organizationId}', ${numberedSql("pco", `n * ${counts.members} + m`)}, ${numberedSql("plg", "n")},
        ${numberedSql("cob", `1 + (n + m) % ${counts.configObjects}`)}, now()
      FROM generate_series(1, ${counts.plugins}) n, generate_series(0, ${counts.members - 1}) m`)
    await run(`INSERT INTO marketplaces (organization_id, id, name, created_at, updated_at)
      SELECT '${organizationId}', ${numberedSql("mkt", "n")}, 'Marketplace ' || n, now(), now()
      FROM generate_series(1, ${counts.marketplaces}) n`)
    await run(`INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
      SELECT '${organizationId}', ${numberedSql("mkp", "n")}, ${numberedSql("mkt", `1 + n % ${counts.marketplaces}`)},
        ${numberedSql("plg", "n")}, now()
      FROM generate_series(1, ${counts.plugins}) n`)
    await run(`INSERT INTO connector_accounts (organization_id, id, adapter, remote_id, name, created_at, updated_at)
      VALUES ('${organizationId}', ${numberedSql("cac", "1")}, 'codehost', 'git:example.com', 'example.com', now(), now())`)
    await run(`INSERT INTO connector_instances (organization_id, id, connector_account_id, adapter, remote_id, name,
        status, repository_full_name, created_at, updated_at)
      VALUES ('${organizationId}', ${numberedSql("cin", "1")}, ${numberedSql("cac", "1")}, 'codehost',
        'https://example.com/acme/plugins.git', 'acme/plugins', 'active', 'acme/plugins', now(), now())`)
    await run(`INSERT INTO connector_targets (organization_id, id, connector_instance_id, remote_id, branch, created_at,
        updated_at)
      SELECT '${organizationId}', ${numberedSql("ctg", "n")}, ${numberedSql("cin", "1")},
        'https://example.com/acme/plugins.git#b' || n, 'b' || n, now(), now()
      FROM generate_series(1, ${counts.targets}) n`)
    await run(`INSERT INTO connector_mappings (organization_id, id, connector_instance_id, connector_target_id,
        mapping_kind, selector, object_type, plugin_id, auto_add_to_plugin, created_at, updated_at)
      SELECT '${organizationId}', ${numberedSql("cmp", `t * 1000 + m`)}, ${numberedSql("cin", "1")},
        ${numberedSql("ctg", "t")}, 'path', 'plugins/p' || m || '/skills/**', 'skill',
        ${numberedSql("plg", "m")}, true, now(), now()
      FROM generate_series(1, ${counts.targets}) t, generate_series(1, ${counts.mappings}) m`)
    // Everyone can see every plugin, marketplace and repository through its own grant, which each read must find.
    for (const [prefix, kind, table] of [
      ["pag", "plugin", "plugins"],
      ["mag", "marketplace", "marketplaces"],
      ["cia", "connectorInstance", "connector_instances"]
    ] as const) {
      await run(
        `INSERT INTO grants (organization_id, id, object_kind, object_id, org_wide, role, created_at)
        SELECT organization_id, ${numberedSql(prefix, "row_number() OVER ()")}, $1, id, true, 'viewer', now() FROM ${table}`,
        [kind]
      )
    }
    await run("COMMIT")
    await run("VACUUM ANALYZE")
  } finally {
    await client.end()
  }
}
