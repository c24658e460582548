/** The statements of the runbook run on the schema of this version. */
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeControlPlane, runSql } from "../harness.ts"

const runbook = readFileSync(join(import.meta.dirname, "../../../../docs/runbook.md"), "utf8")

const statements = [...runbook.matchAll(/`psql -c "([^"]+)"`/gu)].map(([, statement = ""]) =>
  statement.replace("<pid>", "0")
)
const plane = await makeControlPlane({ logLevel: "none", workers: false })

describe("a statement of the runbook", () => {
  it("is read from the page", () => expect(statements.length).toBeGreaterThan(10))

  it.each(statements)("runs: %s", async (statement) => {
    const rows = await runSql(plane, (sql) => Effect.map(sql.unsafe(statement), (all) => all.length))
    expect(rows).toBeGreaterThanOrEqual(0)
  })
})
