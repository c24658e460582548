/**
 * Compares the access decisions of the server's SQL statements with those of an in-memory model, while organizations
 * change: single checks, lists, explanations and the library. Starts its own PostgreSQL.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import { migrate } from "../packages/server/src/infra/sql/migrate.ts"
import { migrations } from "../packages/server/src/infra/sql/migrations/index.ts"
import { layerPostgres } from "../packages/server/src/infra/sql/postgres.ts"
import { compareDecisions } from "../packages/server/test/identity/grants-decisions.ts"
import { startPostgres } from "../test/postgres/start.ts"
import { say } from "./harness.ts"

/** Fails at the first difference. The same seed generates the same organizations. */
export const soakOfGrants = async (seed: number, decisions: number): Promise<string> => {
  say(`seed ${seed}`)
  const server = await startPostgres()
  const began = performance.now()
  try {
    const main = Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* migrate(migrations)
      return yield* compareDecisions(sql, seed, decisions)
    })
    const outcome = await Effect.runPromise(Effect.provide(main, layerPostgres({ url: server.url })))
    const levels = ["nothing", "viewer", "editor", "manager"].map(
      (name, level) => `${name} ${outcome.byLevel[level] ?? 0}`
    )
    const seconds = Math.round((performance.now() - began) / 1000)
    const result = `seed ${seed}: ${outcome.decisions} decisions, ${outcome.faults.length} of them wrong, in ${seconds} s; single checks by level: ${levels.join(", ")}`
    if (outcome.faults.length > 0) throw new Error([result, ...outcome.faults].join("\n"))
    return result
  } finally {
    await server.stop()
  }
}
