import { describe, expect, it } from "vitest"
import { qualify } from "./qualify.ts"

const objects = {
  names: new Set(["plugins", "grants", "roles", "ledger_ids", "are_kept"]),
  numbered: ["events_"]
}
const inSchema = (text: string) => qualify(text, "own", objects)

describe("a statement", () => {
  it.each([
    ["SELECT p.id FROM plugins p", `SELECT p.id FROM "own".plugins p`],
    ["SELECT plugins.id FROM plugins", `SELECT plugins.id FROM "own".plugins`],
    [
      "SELECT 1 FROM plugins p, grants AS g, roles WHERE g.id = p.id",
      `SELECT 1 FROM "own".plugins p, "own".grants AS g, "own".roles WHERE g.id = p.id`
    ],
    [
      "SELECT 1 FROM (SELECT 1) x JOIN ONLY grants ON TRUE",
      `SELECT 1 FROM (SELECT 1) x JOIN ONLY "own".grants ON TRUE`
    ],
    ["INSERT INTO plugins (id) VALUES ($1)", `INSERT INTO "own".plugins (id) VALUES ($1)`],
    [`INSERT INTO "plugins" ("id") VALUES ($1)`, `INSERT INTO "own"."plugins" ("id") VALUES ($1)`],
    ["UPDATE plugins SET roles = 1", `UPDATE "own".plugins SET roles = 1`],
    ["DELETE FROM plugins USING grants g", `DELETE FROM "own".plugins USING "own".grants g`],
    ["TRUNCATE plugins, grants", `TRUNCATE "own".plugins, "own".grants`],
    ["ANALYZE plugins", `ANALYZE "own".plugins`],
    ["SELECT nextval('ledger_ids')", `SELECT nextval('"own".ledger_ids')`],
    [
      "SELECT 'plugins'::regclass, to_regclass('plugins')",
      `SELECT '"own".plugins'::regclass, to_regclass('"own".plugins')`
    ],
    ["SELECT current_schema()", "SELECT 'own'::name"],
    [`"plugins"`, `"own"."plugins"`]
  ])("qualifies the names of tables: %s", (text, expected) => {
    expect(inSchema(text)).toBe(expected)
    expect(inSchema(expected)).toBe(expected)
  })

  it.each([
    "SELECT p.plugins, roles FROM other p ORDER BY roles",
    "SELECT jsonb_agg(x) AS plugins FROM (SELECT 1) x",
    "SELECT 1 FROM other AS plugins FOR UPDATE OF plugins",
    "SELECT 'FROM plugins', $1 -- FROM plugins\n FROM other",
    "SELECT 1 FROM other o JOIN another a ON plugins.id = o.id",
    "WITH plugins AS (SELECT 1) SELECT * FROM plugins",
    "SELECT 1 FROM events_of_others",
    `SELECT "FROM plugins" FROM other`
  ])("leaves other names as they are: %s", (text) => expect(inSchema(text)).toBe(text))
})

describe("a definition", () => {
  it.each([
    [
      "CREATE TABLE IF NOT EXISTS plugins (id text REFERENCES grants (id))",
      `CREATE TABLE IF NOT EXISTS "own".plugins (id text REFERENCES "own".grants (id))`
    ],
    ["CREATE UNIQUE INDEX plugins_id ON plugins (id)", `CREATE UNIQUE INDEX plugins_id ON "own".plugins (id)`],
    ["DROP INDEX plugins_id", `DROP INDEX "own".plugins_id`],
    ["DROP INDEX IF EXISTS plugins_id", `DROP INDEX IF EXISTS "own".plugins_id`],
    [
      "ALTER TABLE plugins ATTACH PARTITION events_2026",
      `ALTER TABLE "own".plugins ATTACH PARTITION "own".events_2026`
    ],
    [
      "CREATE TABLE events_2026 (LIKE plugins INCLUDING DEFAULTS)",
      `CREATE TABLE "own".events_2026 (LIKE "own".plugins INCLUDING DEFAULTS)`
    ],
    ["CREATE POLICY plugins ON plugins USING (TRUE)", `CREATE POLICY plugins ON "own".plugins USING (TRUE)`],
    [
      "CREATE TRIGGER are_kept BEFORE UPDATE ON plugins FOR EACH ROW EXECUTE FUNCTION are_kept()",
      `CREATE TRIGGER are_kept BEFORE UPDATE ON "own".plugins FOR EACH ROW EXECUTE FUNCTION "own".are_kept()`
    ],
    ["DROP TRIGGER are_kept ON plugins", `DROP TRIGGER are_kept ON "own".plugins`],
    [
      "DO $$ BEGIN REVOKE INSERT ON plugins, grants FROM someone; END $$",
      `DO $$ BEGIN REVOKE INSERT ON "own".plugins, "own".grants FROM someone; END $$`
    ],
    [
      "CREATE FUNCTION are_kept() RETURNS trigger AS $x$ SELECT 1 FROM plugins $x$",
      `CREATE FUNCTION "own".are_kept() RETURNS trigger AS $x$ SELECT 1 FROM "own".plugins $x$`
    ]
  ])("qualifies the names of objects: %s", (text, expected) => {
    expect(inSchema(text)).toBe(expected)
    expect(inSchema(expected)).toBe(expected)
  })
})
