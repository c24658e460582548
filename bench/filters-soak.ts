/**
 * Compares the results of random SCIM filters on random users and groups, from PostgreSQL and from the evaluator.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import { migrate } from "../packages/server/src/infra/sql/migrate.ts"
import { migrations } from "../packages/server/src/infra/sql/migrations/index.ts"
import { layerPostgres } from "../packages/server/src/infra/sql/postgres.ts"
import { compareFilters } from "../packages/server/test/enterprise/scim-filters.ts"
import { startPostgres } from "../test/postgres/start.ts"
import { say } from "./harness.ts"

/** Fails at the first differences. The same seed generates the same directory and filters. */
export const soakOfFilters = async (seed: number, count: number): Promise<string> => {
  say(`seed ${seed}`)
  const server = await startPostgres()
  const began = performance.now()
  try {
    const main = Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* migrate(migrations)
      yield* sql`INSERT INTO organizations (id, name, plan, created_at, updated_at)
        VALUES ('org_1', 'An organization', 'enterprise', now(), now())`
      yield* sql`INSERT INTO users (id, name, created_at, updated_at) VALUES ('usr_1', 'A user', now(), now())`
      return yield* compareFilters(sql, "org_1", "usr_1", seed, count)
    })
    const outcome = await Effect.runPromise(Effect.provide(main, layerPostgres({ url: server.url })))
    const seconds = Math.round((performance.now() - began) / 1000)
    const result = `seed ${seed}: ${count} filters, ${outcome.refused} of them rejected with invalidFilter, ${outcome.pairs} pairs, ${outcome.matches} matches, ${outcome.faults.length} differences, in ${seconds} s`
    if (outcome.faults.length > 0) throw new Error([result, ...outcome.faults].join("\n"))
    return result
  } finally {
    await server.stop()
  }
}
