/**
 * The keys of the server processes on a PostgreSQL server. Each process holds a shared advisory lock for each key that it
 * can decrypt with, and for each key that it has encrypted with since its start. The locks end with its connection.
 */
import * as Effect from "effect/Effect"
import { advisoryLocks } from "../sql/advisory-locks.ts"
import { SqlDatabase } from "../sql/client.ts"
import { Notices } from "../sql/notices.ts"
import { lockKey } from "../sql/schema.ts"

/** The first half of a lock: what it shows. The second half is the beginning of the ID of a key. */
const kinds = { decrypts: 720_314_198, encrypts: 720_314_199 } as const

/** 32 of the 48 bits of the ID of a key, as a signed integer of PostgreSQL. */
const lockIdOf = (keyId: string): number => Number.parseInt(keyId.slice(0, 8), 16) | 0

export interface KeyHolder {
  /** The process of PostgreSQL that serves the connection. */
  readonly pid: number
  /** The address of the server process, or undefined if it uses a Unix socket. */
  readonly address: string | null
  /** False for a process of a release that does not show its keys, and for one that is starting. */
  readonly showsKeys: boolean
  readonly decrypts: (keyId: string) => boolean
  /** Whether it may have encrypted a value with a key since its start. */
  readonly encrypts: (keyId: string) => boolean
}

/** A server process in a sentence. */
export const nameOf = ({ address, pid }: KeyHolder): string =>
  address === null
    ? `the server with PostgreSQL process ${pid}`
    : `the server at ${address} (PostgreSQL process ${pid})`

/** Shows the keys of this process to others. Waits until others can see them. */
export const showKeys = Effect.fnUntraced(function* (decrypts: ReadonlyArray<string>, encrypts: ReadonlyArray<string>) {
  const notices = yield* Notices
  yield* notices.hold([
    ...decrypts.map((keyId) => ({ kind: kinds.decrypts, id: lockIdOf(keyId) })),
    ...encrypts.map((keyId) => ({ kind: kinds.encrypts, id: lockIdOf(keyId) }))
  ])
})

/** The server processes on the database, including this one. An embedded database has none. */
export const keyHolders = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const lock = lockKey(sql, advisoryLocks.servers)
  const rows = yield* sql<{
    pid: number
    address: string | null
    decrypts: ReadonlyArray<number>
    encrypts: ReadonlyArray<number>
  }>`WITH locks AS (
      SELECT pid, classid::bigint AS kind, objid::bigint AS id, objsubid AS form, mode FROM pg_locks
      WHERE locktype = 'advisory' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
    SELECT s.pid, (SELECT host(a.client_addr) FROM pg_stat_activity a WHERE a.pid = s.pid) AS address,
      ARRAY(SELECT k.id::float8 FROM locks k WHERE k.pid = s.pid AND k.form = 2 AND k.kind = ${kinds.decrypts}::bigint)
        AS decrypts,
      ARRAY(SELECT k.id::float8 FROM locks k WHERE k.pid = s.pid AND k.form = 2 AND k.kind = ${kinds.encrypts}::bigint)
        AS encrypts
    FROM locks s WHERE s.form = 1 AND s.mode = 'ShareLock' AND (s.kind << 32 | s.id) = ${lock}::bigint ORDER BY s.pid`
  return rows.map((row): KeyHolder => {
    const has = (ids: ReadonlyArray<number>, keyId: string) => ids.includes(lockIdOf(keyId) >>> 0)
    return {
      pid: row.pid,
      address: row.address,
      showsKeys: row.decrypts.length > 0,
      decrypts: (keyId) => has(row.decrypts, keyId),
      encrypts: (keyId) => has(row.encrypts, keyId)
    }
  })
})
