/** Kills and disconnects two syncing servers on one PostgreSQL, and compares the result with a model. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { webhookSecret, type Process } from "../test/soak/people.ts"
import { soakSyncs } from "../test/soak/syncs.ts"
import { openDatabase, say, startCandidate } from "./harness.ts"

const exists = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export interface SyncSoakOptions {
  readonly seed: number
  readonly minutes: number
  readonly rounds: number | undefined
  /** Files of each plugin in the first commit. */
  readonly files: number
  /** Steps of each round. */
  readonly steps: number
  /** Kills in each round. */
  readonly kills: number
}

/** Fails at the first difference, with the seed and the step. */
export const soakOfSyncs = async ({ files, kills, minutes, rounds, seed, steps }: SyncSoakOptions): Promise<string> => {
  say(`seed ${seed}`)
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "orgplane-soak-")))
  const database = await openDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const start = async (): Promise<Process> => {
    const server = await startCandidate(
      { name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) },
      database.url,
      [],
      {
        ORGPLANE_GIT_LOCAL_ROOTS: folder,
        ORGPLANE_WEBHOOK_SECRET: webhookSecret,
        ORGPLANE_RECONCILE_SECONDS: "5",
        ORGPLANE_LOG_LEVEL: "none"
      }
    )
    let isKilled = false
    return {
      baseUrl: `http://127.0.0.1:${server.port}`,
      isAlive: () => !isKilled && exists(server.pid),
      kill: () => {
        isKilled = true
        return server.stop()
      }
    }
  }
  const ends = Date.now() + minutes * 60_000
  try {
    const { refusals, ...report } = await soakSyncs({
      seed,
      start,
      query: async <A extends object>(statement: string) => (await client.query<A & pg.QueryResultRow>(statement)).rows,
      dir: join(folder, "repository"),
      filesEach: files,
      stepsEach: steps,
      killsEach: kills,
      isOver: (roundCount) => (rounds === undefined ? Date.now() >= ends : roundCount >= rounds),
      say
    })
    return [
      `seed ${report.seed}: ${report.rounds} rounds in ${report.seconds} s, 0 violations;`,
      `${report.pushes} pushes (${report.forced} forced), ${report.deliveries} webhooks,`,
      `${report.kills} kills (${report.killsMeanwhile} while a sync ran), ${report.cuts} database connections cut;`,
      `${report.completed} syncs published (${report.rollbacks} rollbacks, ${report.repeated} in more than one run),`,
      `${report.held} held for approval or rejected, ${report.ignored} ignored, ${report.failed} failed;`,
      `${report.versions} versions and ${report.reads} reads checked; refused: ${JSON.stringify(refusals)}`
    ].join(" ")
  } finally {
    await client.end()
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
