import { expect, it } from "vitest"
import { analyzeGrown } from "../../src/infra/jobs/analyze.ts"
import { engine, makeControlPlane, makeWorkspace, runSql } from "../harness.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)

/** Writes rows without operations, like an import of a large repository. */
const addTeams = (from: number, to: number) =>
  runSql(
    plane,
    (sql) => sql`INSERT INTO teams (organization_id, id, name, created_at, updated_at)
      SELECT ${owner.organizationId}, 'tem_' || lpad(n::text, 26, '0'), 'Team ' || n, now(), now()
      FROM generate_series(${from}::int, ${to}::int) n`
  )

// A PostgreSQL server's autovacuum does this at its own time.
it.runIf(engine === "pglite")(
  "analyzes a table of the embedded database when it has grown, and not again until it grows further",
  async () => {
    await addTeams(1, 1000)
    expect(await runSql(plane, analyzeGrown)).toContain("teams")
    const [row] = await runSql(
      plane,
      (sql) => sql<{ rows: number }>`SELECT reltuples::int AS rows FROM pg_class WHERE oid = 'teams'::regclass`
    )
    expect(row?.rows).toBe(1000)
    expect(await runSql(plane, analyzeGrown)).toEqual([])
    await addTeams(1001, 1150)
    expect(await runSql(plane, analyzeGrown)).toEqual([])
    await addTeams(1151, 2000)
    expect(await runSql(plane, analyzeGrown)).toEqual(["teams"])
  }
)
