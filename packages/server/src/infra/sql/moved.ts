/** The marks that a move of the installation leaves in its two databases. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { advisoryLocks } from "./advisory-locks.ts"
import { SqlDatabase } from "./client.ts"
import { lockKey, relationName, schemaOf } from "./schema.ts"

/** Exists in the target until the move is complete. */
export const moveProgressTable = "orgplane_move_progress"
/** Exists in the source after the move is complete. */
export const movedToTable = "orgplane_moved_to"

/** The database is the unfinished target or the former source of a move, so no server uses it. */
export class DatabaseMoved extends Data.TaggedError("DatabaseMoved")<{ readonly message: string }> {}

const tableOf = (schema: string | undefined, name: string) => (schema === undefined ? name : `"${schema}".${name}`)

/** The marks of the database. */
export const moveMarks = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const [row] = yield* sql<{ isTarget: boolean; isSource: boolean }>`SELECT
    to_regclass(${relationName(sql, moveProgressTable)}) IS NOT NULL AS "isTarget",
    to_regclass(${relationName(sql, movedToTable)}) IS NOT NULL AS "isSource"`
  if (row?.isSource !== true) return { isTarget: row?.isTarget === true, movedTo: undefined, place: undefined }
  const [moved] = yield* sql.unsafe<{ place: string; day: string }>(
    `SELECT place, to_char(moved_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day
      FROM ${tableOf(schemaOf(sql), movedToTable)} LIMIT 1`
  )
  const place = moved?.place ?? "another database"
  return { isTarget: row.isTarget, movedTo: moved === undefined ? place : `${place} on ${moved.day}`, place }
})

const attemptsMax = 10

/** A move holds the lock of servers exclusively until it ends. A move that is refused holds it for an instant. */
const demandNotMoving = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const lock = lockKey(sql, advisoryLocks.servers)
  for (let attempts = 1; ; attempts += 1) {
    const [row] = yield* sql<{ free: boolean }>`SELECT pg_try_advisory_xact_lock_shared(${lock}::bigint) AS free`
    if (row?.free === true) return
    if (attempts === attemptsMax) {
      return yield* new DatabaseMoved({
        message: "A move of this database is running. Start servers after it ends."
      })
    }
    yield* Effect.sleep("200 millis")
  }
})

/** Fails if a server must not use the database. */
export const demandNotMoved = Effect.gen(function* () {
  yield* demandNotMoving
  const { isTarget, movedTo } = yield* moveMarks
  if (isTarget) {
    return yield* new DatabaseMoved({
      message: "The move into this database is not complete. Run orgplane-server move again, with the same arguments."
    })
  }
  if (movedTo !== undefined) {
    return yield* new DatabaseMoved({
      message:
        `This installation was moved to ${movedTo}. Set ORGPLANE_DATABASE_URL or ORGPLANE_DATA_DIR to that database. ` +
        "To use this database again, run orgplane-server move --reopen."
    })
  }
})

/** Marks the source. `place` names the target without credentials. */
export const markMoved = Effect.fnUntraced(function* (place: string) {
  const sql = yield* SqlDatabase
  const table = tableOf(schemaOf(sql), movedToTable)
  yield* sql.unsafe(`CREATE TABLE IF NOT EXISTS ${table} (place text NOT NULL, moved_at timestamptz NOT NULL)`)
  yield* sql.unsafe(`DELETE FROM ${table}`)
  yield* sql.unsafe(`INSERT INTO ${table} (place, moved_at) VALUES ($1, now())`, [place])
})

/** Removes the mark of the source. */
export const reopen = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  yield* sql.unsafe(`DROP TABLE IF EXISTS ${tableOf(schemaOf(sql), movedToTable)}`)
})
