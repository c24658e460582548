import { ControlPlane } from "@orgplane/server"
import { createHash } from "node:crypto"
import pg from "pg"

/** The suite only checks that the benchmarks run, so it needs few rows. */
const isSmall = process.env["ORGPLANE_BENCH_ROWS"] === "few"

/** Row counts. Members can read everything in the organization through grants, and nothing through their role. */
export const counts = {
  plugins: isSmall ? 200 : 20_000,
  /** Config objects in each plugin. */
  members: 13,
  configObjects: 1000,
  marketplaces: 10,
  targets: isSmall ? 5 : 100,
  /** Mappings of each target. */
  mappings: 200,
  auditEvents: isSmall ? 200 : 5000,
  /** Sessions that the load alternates between, because a session is limited to 600 requests per minute. */
  sessions: 2000
} as const

/** The secret keys of orgplane, which also seal the audit events. */
export const secretKey = "a-secret-of-the-benchmark-and-of-nothing-else"

/** Session tokens. Writers are members of an organization of their own, so that what they create changes no list. */
export interface Callers {
  readonly members: ReadonlyArray<string>
  readonly admins: ReadonlyArray<string>
  readonly writers: ReadonlyArray<string>
}

/** Sequential IDs. The first ten characters after the prefix are a valid timestamp. */
const numbered = (prefix: string, n: number) => `${prefix}_01k5qdy${String(n).padStart(19, "0")}`
export const numberedSql = (prefix: string, n: string) => `'${prefix}_01k5qdy' || lpad((${n})::text, 19, '0')`

export const pluginId = (n: number) => numbered("plg", n)
export const targetId = (n: number) => numbered("ctg", n)
const organizationId = numbered("org", 1)
/** The organization of the writers. Its members are those of the first one. */
export const writersOrganizationId = numbered("org", 2)

/** Seals the audit events, so that their sequence numbers do not change during the comparison. */
const seal = async (url: string, adminToken: string) => {
  const controlPlane = await ControlPlane.make({
    database: ControlPlane.postgres(url),
    secretKeys: [secretKey],
    workers: false
  })
  try {
    const response = await controlPlane.fetch(
      new Request("http://localhost/v1/audit-events/export", { headers: { authorization: `Bearer ${adminToken}` } })
    )
    const lines = (await response.text()).trimEnd().split("\n").length
    if (lines !== counts.auditEvents) throw new Error(`${lines} of ${counts.auditEvents} audit events were sealed.`)
  } finally {
    await controlPlane.dispose()
  }
}

/** Fills a migrated database. */
export const fill = async (url: string, callers: Callers): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run = (text: string, values: ReadonlyArray<unknown> = []) => client.query(text, [...values])
  const people = 100
  const admins = 20
  try {
    await run("BEGIN")
    await run(
      `INSERT INTO organizations (id, name, plan, created_at, updated_at)
      VALUES ($1, 'Acme', 'enterprise', now(), now()), ($2, 'Acme Labs', 'enterprise', now(), now())`,
      [organizationId, writersOrganizationId]
    )
    await run(`INSERT INTO users (id, email, email_verified, name, created_at, updated_at)
      SELECT ${numberedSql("usr", "n")}, 'person' || n || '@example.com', true, 'Person ' || n, now(), now()
      FROM generate_series(1, ${people + admins}) n`)
    await run(`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
      SELECT '${organizationId}', ${numberedSql("om", "n")}, ${numberedSql("usr", "n")},
        CASE WHEN n > ${people} THEN 'admin' ELSE 'member' END, now(), now()
      FROM generate_series(1, ${people + admins}) n
      UNION ALL SELECT '${writersOrganizationId}', ${numberedSql("om", "1000 + n")}, ${numberedSql("usr", "n")},
        'member', now(), now()
      FROM generate_series(1, ${people}) n`)
    for (const [tokens, organization, first, user] of [
      [callers.members, organizationId, 0, `1 + n % ${people}`],
      [callers.admins, organizationId, 10_000, `${people + 1} + n % ${admins}`],
      [callers.writers, writersOrganizationId, 20_000, `1 + n % ${people}`]
    ] as const) {
      await run(
        `INSERT INTO sessions (id, token_digest, user_id, organization_id, kind, created_at, expires_at)
        SELECT ${numberedSql("ses", `${first} + n`)}, decode(digest, 'hex'), ${numberedSql("usr", user)},
          '${organization}', 'email', now(), now() + interval '1 day'
        FROM unnest($1::text[]) WITH ORDINALITY AS t(digest, n)`,
        [tokens.map((token) => createHash("sha256").update(token).digest("hex"))]
      )
    }
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
    await run(`INSERT INTO audit_events (id, organization_id, action, actor_kind, actor_id, credential_id, target_id,
        request_id, address, user_agent, before_json, after_json, payload_digest, created_at)
      SELECT ${numberedSql("aud", "n")}, '${organizationId}', 'plugin.update', 'session', ${numberedSql("om", `1 + n % ${people}`)},
        ${numberedSql("ses", "1")}, ${numberedSql("plg", "n")}, ${numberedSql("req", "n")}, '203.0.113.7',
        'Mozilla/5.0 (X11; Linux x86_64)', jsonb_build_object('version', n),
        jsonb_build_object('version', n + 1, 'name', jsonb_build_object('digest', md5(n::text), 'length', 12)),
        md5(n::text), now() + n * interval '1 millisecond'
      FROM generate_series(1, ${counts.auditEvents}) n`)
    await run("COMMIT")
    await seal(url, callers.admins[0] ?? "")
    await run("VACUUM ANALYZE")
  } finally {
    await client.end()
  }
}
