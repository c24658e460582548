import * as Effect from "effect/Effect"
import { statfs } from "node:fs/promises"
import type { Sql } from "./client.ts"
import { StatementMillisMax } from "./statement-timeout.ts"

const kindOf = (sql: Sql) => sql<{ in_recovery: boolean; read_only: boolean }>`
  SELECT pg_is_in_recovery() AS in_recovery, current_setting('transaction_read_only') = 'on' AS read_only`

/** Whether the pool for statements outside transactions responds, from a server that is not a standby. */
export const isPrimary = (sql: Sql) => Effect.map(kindOf(sql), ([row]) => row?.in_recovery === false)

/**
 * Shorter than the timeout of a readiness check, so that a dead connection is closed first and the others are probed.
 */
const writeMillisMax = 1500

/** Whether the transaction pool can begin a read-write transaction: a server in recovery assigns no transaction IDs. */
export const canWrite = (sql: Sql) =>
  sql
    .withTransaction(
      Effect.flatMap(kindOf(sql), ([row]) =>
        row?.in_recovery === false && !row.read_only
          ? Effect.as(sql`SELECT pg_current_xact_id()::text AS id`, true)
          : Effect.succeed(false)
      )
    )
    .pipe(Effect.provideService(StatementMillisMax, writeMillisMax))

/** Whether the file system of a directory has the given number of bytes available to this user. */
export const hasSpace = (directory: string, bytesMin: number) =>
  Effect.map(
    Effect.tryPromise(() => statfs(directory)),
    ({ bavail, bsize }) => bavail * bsize >= bytesMin
  )

/** Whether the job queue can be read. */
export const canReadQueue = (sql: Sql) => Effect.as(sql`SELECT 1 AS one FROM effect_queue LIMIT 1`, true)
