import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { firstRelease, requirements } from "../packages/server/src/infra/sql/migrations/compatibility.ts"
import { migrations } from "../packages/server/src/infra/sql/migrations/index.ts"
import { releases } from "../scripts/release-packages.ts"
import { faultsOf, lockExceptions } from "./architecture/migrations.ts"

const folder = join(import.meta.dirname, "../packages/server/src/infra/sql/migrations")
const later = readdirSync(folder)
  .map((file) => file.replace(/\.ts$/, ""))
  .filter((name) => /^\d{4}_\w+$/.test(name) && Number(name.slice(0, 4)) > firstRelease)
  .toSorted()

describe("migrations after the first release", () => {
  it("only add to the schema, and lock no table for long, unless they are listed with a reason", () => {
    const reported = later.flatMap((name) =>
      faultsOf(readFileSync(join(folder, `${name}.ts`), "utf8"))
        .filter(({ kind, what }) =>
          kind === "contract" ? requirements[name] === undefined : lockExceptions[name]?.[what] === undefined
        )
        .map(({ kind, what }) => ({ migration: name, kind, what }))
    )
    expect(reported).toEqual([])
  })

  it("have entries in the lists only where a rule reports them", () => {
    const reported = (name: string) => faultsOf(readFileSync(join(folder, `${name}.ts`), "utf8"))
    const unused = Object.entries(lockExceptions).flatMap(([name, faults]) =>
      Object.keys(faults).filter((fault) => !later.includes(name) || !reported(name).some(({ what }) => what === fault))
    )
    expect(unused).toEqual([])
    expect(Object.keys(requirements).filter((name) => !(name in migrations))).toEqual([])
  })

  it("work with the previous release", () => {
    const previous = releases().at(-1)
    const tooHigh = Object.entries(requirements).filter(
      ([, { codeVersionMin }]) => codeVersionMin > (previous?.schemaVersion ?? 0)
    )
    expect(tooHigh).toEqual([])
    expect(releases()[0]).toMatchObject({ version: "0.1.0", schemaVersion: firstRelease })
  })
})

describe("the rules for migrations", () => {
  it.each([
    ["contract", "DROP COLUMN", "`ALTER TABLE teams DROP COLUMN name`"],
    ["contract", "DROP TABLE", "`DROP TABLE IF EXISTS teams`"],
    ["contract", "DROP NOT", "`ALTER TABLE teams ALTER COLUMN name DROP NOT NULL`"],
    ["contract", "RENAME COLUMN", "`ALTER TABLE teams RENAME COLUMN name TO title`"],
    ["contract", "ALTER COLUMN name TYPE", "`ALTER TABLE teams ALTER COLUMN name TYPE integer`"],
    ["contract", "SET NOT NULL", "`ALTER TABLE teams ALTER COLUMN name SET NOT NULL`"],
    ["contract", "ALTER TABLE teams ADD COLUMN", "`ALTER TABLE teams ADD COLUMN note text NOT NULL`"],
    ["contract", "isUnique: true", 'createIndex({ name: "n", table: "teams", definition: "(name)", isUnique: true })'],
    ["contract", "TRUNCATE", "`TRUNCATE teams`"],
    ["lock", "CREATE INDEX teams_note ON teams", "`CREATE INDEX teams_note ON teams (note)`"],
    ["lock", "ALTER TABLE teams ADD CONSTRAINT", "`ALTER TABLE teams ADD CONSTRAINT named CHECK (name <> '')`"],
    ["lock", "ALTER TABLE teams ADD COLUMN", "`ALTER TABLE teams ADD COLUMN owner text REFERENCES users`"],
    ["lock", "ALTER TABLE teams ADD COLUMN", "`ALTER TABLE teams ADD COLUMN key uuid DEFAULT gen_random_uuid()`"],
    ["lock", "UPDATE teams SET", "`UPDATE teams SET note = name`"],
    ["lock", "DELETE FROM teams", "`DELETE FROM teams WHERE name = ''`"],
    ["lock", "VALIDATE CONSTRAINT", "`ALTER TABLE teams VALIDATE CONSTRAINT named`"],
    ["lock", "LOCK TABLE", "`LOCK TABLE teams`"]
  ] as const)("report as a %s step: %s", (kind, start, source) => {
    expect(faultsOf(source)).toEqual(
      expect.arrayContaining([{ kind, what: expect.stringMatching(new RegExp(`^${start}`)) }])
    )
  })

  it("allow new tables with their indexes, new columns, constraints that are not valid yet, and comments", () => {
    expect(
      faultsOf(`/** DROP TABLE teams is only a comment. */ statements([
        \`CREATE TABLE notes (organization_id text NOT NULL, id text PRIMARY KEY, body text UNIQUE)\`,
        \`CREATE INDEX notes_body ON notes (body)\`,
        \`ALTER TABLE notes ADD CONSTRAINT filled CHECK (body <> '')\`,
        \`ALTER TABLE teams ADD COLUMN note text\`,
        \`ALTER TABLE teams ADD COLUMN size integer NOT NULL DEFAULT 0\`,
        \`ALTER TABLE teams ADD CONSTRAINT sized CHECK (size >= 0) NOT VALID\`
      ])
      createIndex({ name: "teams_note", table: "teams", definition: "(note)" })`)
    ).toEqual([])
  })
})
