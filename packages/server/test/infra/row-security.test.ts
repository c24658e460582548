import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { organizationTransaction } from "../../src/infra/sql/organization-scope.ts"
import { tenantTables } from "../../src/infra/sql/migrations/index.ts"
import { makeControlPlane, makeWorkspace, withServices, type Workspace } from "../harness.ts"

const plane = await makeControlPlane()
const [mine, theirs] = [await makeWorkspace(plane, "Mine"), await makeWorkspace(plane, "Theirs")]
for (const { client } of [mine, theirs]) await client.plugins.create({ name: "A plugin" })

/** Runs a statement without an organization filter in a transaction that is restricted to one. */
const shutIn = <Row extends object>(workspace: Workspace, statement: string, values: ReadonlyArray<unknown> = []) =>
  withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const fenced = yield* organizationTransaction
      return yield* fenced(workspace.organizationId as `org_${string}`, sql.unsafe<Row>(statement, values))
    })
  )

describe("a transaction of one organization", () => {
  it("sees no row of another organization, even without a filter", async () => {
    for (const [workspace, other] of [
      [mine, theirs],
      [theirs, mine]
    ] as const) {
      const rows = await shutIn<{ organization_id: string }>(workspace, "SELECT organization_id FROM plugins")
      expect(rows.map((row) => row.organization_id)).toEqual([workspace.organizationId])
      expect(
        await shutIn(workspace, "SELECT 1 AS one FROM memberships WHERE organization_id = $1", [other.organizationId])
      ).toEqual([])
    }
  })

  it("changes no row of another organization", async () => {
    await shutIn(mine, "UPDATE plugins SET name = 'Taken'")
    expect((await theirs.client.plugins.list()).items.map((plugin) => plugin.name)).toEqual(["A plugin"])
    expect((await mine.client.plugins.list()).items.map((plugin) => plugin.name)).toEqual(["Taken"])
    await shutIn(mine, "DELETE FROM grants")
    expect((await theirs.client.plugins.list()).items).toHaveLength(1)
  })

  it("cannot write a row of another organization", async () => {
    await expect(
      shutIn(
        mine,
        `INSERT INTO teams (organization_id, id, name, created_at, updated_at)
         VALUES ($1, 'tem_01h455vb4pex5vsknk084sn02q', 'Spies', now(), now())`,
        [theirs.organizationId]
      )
    ).rejects.toThrow()
  })
})

it("protects every table with rows of organizations by row-level security", async () => {
  const fenced = await withServices(
    plane,
    Effect.flatMap(
      SqlDatabase,
      (sql) => sql<{ name: string }>`SELECT c.relname::text AS name FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped
        WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
          AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`
    )
  )
  // People's sessions belong to no organization, so every query names the person.
  expect(fenced.map((row) => row.name).sort()).toEqual(["sessions"])
  expect(tenantTables.length).toBeGreaterThan(15)
})
