/** Clients retry events until they are acknowledged, while the server and PostgreSQL are killed. */
import pg from "pg"
import { soakIngest } from "../test/soak/ingest.ts"
import { openDatabase, say, startCandidate } from "./harness.ts"

export interface IngestSoakOptions {
  readonly seed: number
  readonly minutes: number
  /** Ends the run after this many kills instead. */
  readonly kills: number | undefined
  readonly clients: number
}

/** Fails if an acknowledged event is not stored exactly once. */
export const soakOfIngest = async ({ clients, kills, minutes, seed }: IngestSoakOptions): Promise<string> => {
  say(`seed ${seed}`)
  let database = await openDatabase()
  const ends = Date.now() + minutes * 60_000
  try {
    const { violations, ...counts } = await soakIngest({
      seed,
      clients,
      say,
      start: async () => {
        const server = await startCandidate(
          { name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) },
          database.url,
          [],
          { ORGPLANE_LOG_LEVEL: "none" }
        )
        return { baseUrl: `http://127.0.0.1:${server.port}`, kill: server.stop }
      },
      killDatabase: async () => {
        process.kill(database.pid, "SIGKILL")
        database = { ...(await database.restart()) }
      },
      query: async <A extends object>(statement: string) => {
        const client = new pg.Client({ connectionString: database.url })
        client.on("error", () => undefined)
        await client.connect()
        try {
          return (await client.query<A & pg.QueryResultRow>(statement)).rows
        } finally {
          await client.end()
        }
      },
      isOver: (progress) => (kills === undefined ? Date.now() >= ends : progress.kills >= kills)
    })
    const bad = Object.values(violations).reduce((sum, count) => sum + count, 0)
    const line = [
      `seed ${counts.seed}: ${counts.kills} kills of the server, ${counts.databaseKills} of PostgreSQL;`,
      `${counts.batches} batches acknowledged in ${counts.tries} attempts`,
      `(${counts.unavailable} with 503 or 429, ${counts.cut} without a response), ${counts.ledger} ledger rows.\n`,
      `events: ${counts.sent} sent, ${counts.acknowledged} acknowledged, ${counts.stored} stored,`,
      `${counts.duplicates} duplicates, ${bad} violations ${JSON.stringify(violations)}`
    ]
      .join(" ")
      .replace("\n ", "\n")
    if (bad > 0) throw new Error(line)
    return line
  } finally {
    await database.stop()
  }
}
