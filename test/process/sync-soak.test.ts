import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { execute } from "../../packages/server/src/infra/sql/execute.ts"
import { startPostgres } from "../postgres/start.ts"
import { type Process, webhookSecret } from "../soak/people.ts"
import { soakSyncs } from "../soak/syncs.ts"
import { makeFolder, startServer } from "./server.fixture.ts"

/** The moments of the kills vary even with a seed. A failure names its seed and step; `bench soak-syncs` runs longer. */
const seed = 20_261_122
const postgres = await startPostgres({ maxConnections: 100 })
afterAll(() => postgres.stop())

it("imports each pushed revision completely and each version once with two servers that are killed at random", async () => {
  const folder = makeFolder()
  const url = await postgres.createDatabase("soak")
  const environment = {
    ORGPLANE_DATABASE_URL: url,
    ORGPLANE_DATA_DIR: join(folder, "data"),
    ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one",
    ORGPLANE_GIT_LOCAL_ROOTS: join(folder, "repositories"),
    ORGPLANE_WEBHOOK_SECRET: webhookSecret,
    ORGPLANE_RECONCILE_SECONDS: "5",
    ORGPLANE_LOG_LEVEL: "none"
  }
  const start = async (): Promise<Process> => {
    const server = await startServer(environment)
    const state = { isOver: false }
    void server.ended.then(() => (state.isOver = true))
    return {
      baseUrl: server.baseUrl,
      isAlive: () => !state.isOver,
      kill: async () => {
        state.isOver = true
        server.signal("SIGKILL")
        await server.ended
      }
    }
  }
  const counts = await soakSyncs({
    seed,
    start,
    query: async <A extends object>(statement: string) => (await execute(url, statement)).rows as ReadonlyArray<A>,
    dir: join(folder, "repositories/soak"),
    filesEach: 15,
    stepsEach: 12,
    killsEach: 4,
    isHurried: true,
    isOver: (rounds) => rounds === 1,
    say: () => undefined
  })
  expect(counts.kills).toBeGreaterThanOrEqual(3)
  expect(counts.completed).toBeGreaterThan(1)
  expect(counts.reads).toBeGreaterThan(0)
}, 300_000)
