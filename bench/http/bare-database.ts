import { Socket } from "node:net"
import pg from "pg"
import type { Prepared } from "./peer-create.ts"
import type { Query } from "./peer.ts"

// Times and JSON stay as PostgreSQL sends them.
for (const type of [pg.types.builtins.TIMESTAMPTZ, pg.types.builtins.JSONB]) {
  pg.types.setTypeParser(type, (text: string) => text)
}

/** A pipelined connection that sends the statements of one transaction in one write. */
const connect = async (connectionString: string) => {
  const socket = new Socket()
  const client = new pg.Client({ connectionString, pipeline: true, stream: () => socket })
  await client.connect()
  let isCorked = false
  const flush = () => {
    isCorked = false
    socket.uncork()
  }
  /** Runs a prepared statement; its rows are arrays. */
  const run = <Row>(name: string, text: string, values: Array<unknown>) =>
    new Promise<ReadonlyArray<Row>>((resolve, reject) => {
      if (!isCorked) {
        isCorked = true
        socket.cork()
        process.nextTick(flush)
      }
      const config = { name, text, values, rowMode: "array" } as const
      client.query<Array<unknown>>(config, (error: Error | null, result: { rows: Array<unknown> }) =>
        error === null ? resolve(result.rows as Array<Row>) : reject(error)
      )
    })
  return { client, run }
}

/** Reads share three connections. A commit waits for the disk, so transactions alternate between ten others. */
export const database = async (url: string) => {
  const readers = await Promise.all([0, 1, 2].map(() => connect(url)))
  const writers = await Promise.all(Array.from({ length: 10 }, () => connect(url)))
  let read = 0
  let written = 0

  const run = <Row>(name: string, text: string, values: Array<unknown>): Promise<ReadonlyArray<Row>> => {
    read = (read + 1) % readers.length
    return (readers[read] as (typeof readers)[number]).run<Row>(name, text, values)
  }

  /** Rows as objects, for the statements that the peers share and that run rarely. */
  const query: Query = async (name, text, values) => {
    const { client } = readers[0] as (typeof readers)[number]
    return (await client.query({ name, text, values: [...values] })).rows
  }

  /**
   * Pipelines the statements in one transaction and returns the first row of one of them. If a statement fails, so do
   * all after it, and COMMIT rolls back.
   */
  const transaction = async <Row>(
    statements: ReadonlyArray<readonly [Prepared, Array<unknown>]>,
    returned: Prepared
  ): Promise<Row | undefined> => {
    written = (written + 1) % writers.length
    const { run } = writers[written] as (typeof writers)[number]
    const results = await Promise.all([
      run<Row>("begin", "BEGIN", []),
      ...statements.map(([{ name, text }, values]) => run<Row>(name, text, values)),
      run<Row>("commit", "COMMIT", [])
    ])
    return results[1 + statements.findIndex(([prepared]) => prepared === returned)]?.[0]
  }

  return { run, query, transaction }
}
