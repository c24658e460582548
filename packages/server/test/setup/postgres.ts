import "./context.ts"
import * as Effect from "effect/Effect"
import type { TestProject } from "vitest/node"
import { startPostgres } from "../../../../test/postgres/start.ts"
import { install } from "../../src/infra/sql/database.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { objects } from "../../src/infra/sql/objects.ts"
import { layerPostgres } from "../../src/infra/sql/postgres.ts"

const template = "orgplane_template"

/** Tables of a host application with all names of ours: a statement that does not name its schema fails. */
const clashes = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  for (const name of objects.names) yield* sql`CREATE TABLE public.${sql(name)} (of_the_host integer)`
})

/** One server for the whole run; each test file copies the migrated database. */
export default async (project: TestProject) => {
  const server = await startPostgres({
    // A test file keeps its control planes until it ends: some start 20, with up to 7 connections each.
    maxConnections: 600,
    // Neither is worth the processes that it starts: databases are small and live for seconds.
    settings: { autovacuum: "off", max_parallel_workers_per_gather: "0" }
  })
  const url = await server.createDatabase(template)
  await Effect.runPromise(Effect.provide(Effect.andThen(clashes, install("orgplane")), layerPostgres({ url })))
  project.provide("engine", "postgres")
  project.provide("snapshotPath", "")
  project.provide("postgresUrl", server.url)
  project.provide("postgresTemplate", template)
  return () => server.stop()
}
