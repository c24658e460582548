import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { execute } from "../../packages/server/src/infra/sql/execute.ts"
import { startPostgres } from "../postgres/start.ts"
import { soakIngest } from "../soak/ingest.ts"
import { makeFolder, startServer } from "./server.fixture.ts"

/** Acknowledged writes must survive a kill of the database, so fsync is on. */
let postgres = await startPostgres({ fsync: true })
afterAll(() => postgres.stop())

it("stores every acknowledged event exactly once, although server and database are killed", async () => {
  const url = await postgres.createDatabase("soak")
  const environment = {
    ORGPLANE_DATABASE_URL: url,
    ORGPLANE_DATA_DIR: join(makeFolder(), "data"),
    ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one",
    ORGPLANE_LOG_LEVEL: "none"
  }
  const { violations, ...counts } = await soakIngest({
    seed: 20_261_122,
    start: async () => {
      const server = await startServer(environment)
      return {
        baseUrl: server.baseUrl,
        kill: () => {
          server.signal("SIGKILL")
          return server.ended
        }
      }
    },
    killDatabase: async () => {
      process.kill(postgres.pid, "SIGKILL")
      postgres = await postgres.restart()
    },
    query: async <A extends object>(statement: string) => (await execute(url, statement)).rows as ReadonlyArray<A>,
    clients: 6,
    isOver: ({ kills }) => kills >= 4,
    say: () => undefined
  })
  expect(violations).toEqual({ lost: 0, doubled: 0, invented: 0, uncounted: 0, wrongSums: 0, wrongTotal: 0 })
  expect(counts.kills).toBeGreaterThan(0)
  expect(counts.databaseKills).toBeGreaterThan(0)
  expect(counts.acknowledged).toBeGreaterThan(100)
  expect(counts.cut + counts.unavailable).toBeGreaterThan(0)
}, 600_000)
