import { Socket } from "node:net"
import pg from "pg"
import type { Prepared } from "./peer-create.ts"
import type { Query } from "./peer.ts"

pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text: string) => text)

/** A pipelined connection that sends everything of one turn of the event loop in one write. */
const connect = async (connectionString: string) => {
  const socket = new Socket()
  const client = new pg.Client({ connectionString, pipeline: true, stream: () => socket })
  await client.connect()
  let isCorked = false
  const flush = () => {
    isCorked = false
    socket.uncork()
  }
  return (config: string | pg.QueryConfig) => {
    if (!isCorked) {
      isCorked = true
      socket.cork()
      setImmediate(flush)
    }
    return client.query(config)
  }
}

/** Reads share three connections. A commit waits for the disk, so transactions alternate between ten others. */
export const database = async (url: string) => {
  const readers = await Promise.all([0, 1, 2].map(() => connect(url)))
  const writers = await Promise.all(Array.from({ length: 10 }, () => connect(url)))
  let read = 0
  let written = 0

  const query: Query = async (name, text, values) => {
    read = (read + 1) % readers.length
    const run = readers[read] as (typeof readers)[number]
    return (await run({ name, text, values: [...values] })).rows
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
    const run = writers[written] as (typeof writers)[number]
    const results = await Promise.all([
      run("BEGIN"),
      ...statements.map(([prepared, values]) => run({ ...prepared, values })),
      run("COMMIT")
    ])
    return results[1 + statements.findIndex(([prepared]) => prepared === returned)]?.rows[0]
  }

  return { query, transaction }
}
