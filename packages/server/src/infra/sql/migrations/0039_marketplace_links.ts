import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["marketplace_names", "marketplace_plugin_names", "marketplace_links"]

const tables = [
  // The published names of marketplaces and plugins, each assigned only once. Rows outlive the named objects, so that
  // a name is never reused; they are deleted with their marketplace or organization.
  `CREATE TABLE marketplace_names (
    organization_id text NOT NULL,
    name text NOT NULL,
    marketplace_id text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, name),
    UNIQUE (organization_id, marketplace_id)
  )`,
  `CREATE TABLE marketplace_plugin_names (
    organization_id text NOT NULL,
    marketplace_id text NOT NULL,
    name text NOT NULL,
    plugin_id text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, marketplace_id, name),
    UNIQUE (organization_id, marketplace_id, plugin_id)
  )`,
  // Links with which agents read one marketplace, with the access of a member or of a team.
  `CREATE TABLE marketplace_links (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    marketplace_id text NOT NULL,
    membership_id text,
    team_id text,
    name text NOT NULL,
    token_digest bytea NOT NULL UNIQUE,
    created_by_membership_id text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, marketplace_id) REFERENCES marketplaces (organization_id, id) ON DELETE CASCADE,
    CHECK ((membership_id IS NULL) <> (team_id IS NULL))
  )`,
  `CREATE INDEX marketplace_links_marketplace ON marketplace_links (organization_id, marketplace_id, id)`,
  // A plugin has one archive per format.
  `ALTER TABLE plugin_archives ADD COLUMN format text NOT NULL DEFAULT 'tar.gz'`,
  `ALTER TABLE plugin_archives DROP CONSTRAINT plugin_archives_pkey`,
  `ALTER TABLE plugin_archives ADD PRIMARY KEY (organization_id, plugin_id, format)`
]

/** A frozen copy of the naming rules of this migration; do not change it. */
const slug = (text: string, fallback: string): string => {
  const word = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .slice(0, 64)
    .replaceAll(/^-+|-+$/gu, "")
  return word === "" ? fallback : word
}

const pageRows = 1000

/**
 * Names for the plugins that are in marketplaces when this migration runs: the oldest plugin with a name keeps it,
 * because agents already use it; later ones get a suffix from their id. Plugins that were removed from a marketplace
 * come after those that are in it.
 */
const nameMembers = Effect.fnUntraced(function* (isLive: boolean) {
  const sql = yield* SqlClient.SqlClient
  let after = ["", "", ""]
  for (;;) {
    const rows = yield* sql<{
      organization_id: string
      marketplace_id: string
      plugin_id: string
      name: string
      stated: string | null
    }>`SELECT DISTINCT mm.organization_id, mm.marketplace_id, mm.plugin_id, p.name,
        CASE WHEN jsonb_typeof(p.manifest_json #> '{lifecycle,metadata,name}') = 'string'
          THEN p.manifest_json #>> '{lifecycle,metadata,name}' END AS stated
      FROM marketplace_memberships mm
      JOIN plugins p ON p.organization_id = mm.organization_id AND p.id = mm.plugin_id
      WHERE (mm.removed_at IS NULL) = ${isLive}
        AND (mm.organization_id, mm.marketplace_id, mm.plugin_id) > (${after[0]}, ${after[1]}, ${after[2]})
      ORDER BY mm.organization_id, mm.marketplace_id, mm.plugin_id LIMIT ${pageRows}`
    if (rows.length === 0) return
    const names = rows.map((row) => ({
      organization_id: row.organization_id,
      marketplace_id: row.marketplace_id,
      plugin_id: row.plugin_id,
      name: slug(row.stated ?? row.name, "plugin")
    }))
    // The first row with a name is the oldest, because identifiers sort by creation time.
    yield* sql`INSERT INTO marketplace_plugin_names (organization_id, marketplace_id, name, plugin_id, created_at)
      SELECT r.organization_id, r.marketplace_id, r.name, min(r.plugin_id), now()
      FROM jsonb_to_recordset(${JSON.stringify(names)}::jsonb)
        AS r(organization_id text, marketplace_id text, name text, plugin_id text)
      WHERE NOT EXISTS (SELECT 1 FROM marketplace_plugin_names n WHERE n.organization_id = r.organization_id
        AND n.marketplace_id = r.marketplace_id AND n.plugin_id = r.plugin_id)
      GROUP BY r.organization_id, r.marketplace_id, r.name
      ON CONFLICT DO NOTHING`
    for (const length of [6, 26]) {
      yield* sql`INSERT INTO marketplace_plugin_names (organization_id, marketplace_id, name, plugin_id, created_at)
        SELECT r.organization_id, r.marketplace_id, r.name || '-' || right(r.plugin_id, ${length}::int), r.plugin_id, now()
        FROM jsonb_to_recordset(${JSON.stringify(names)}::jsonb)
          AS r(organization_id text, marketplace_id text, name text, plugin_id text)
        WHERE NOT EXISTS (SELECT 1 FROM marketplace_plugin_names n WHERE n.organization_id = r.organization_id
          AND n.marketplace_id = r.marketplace_id AND n.plugin_id = r.plugin_id)
        ON CONFLICT DO NOTHING`
    }
    const last = rows.at(-1)
    after = [last?.organization_id ?? "", last?.marketplace_id ?? "", last?.plugin_id ?? ""]
    if (rows.length < pageRows) return
  }
})

/** Stable names of marketplaces and their plugins, and links that require no header. */
export default Effect.gen(function* () {
  yield* statements(tables)
  yield* nameMembers(true)
  yield* nameMembers(false)
  yield* statements(rowSecurity(tenantTables))
})
