/** Moves an installation between the embedded database and a PostgreSQL server. */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Database } from "../../infra/options.ts"
import { createQueueTables } from "../../infra/jobs/index.ts"
import { endpointOf } from "../../infra/sql/await-postgres.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { install, onExistingDatabase, schemaVersion } from "../../infra/sql/database.ts"
import { schemaState } from "../../infra/sql/migrate.ts"
import { markMoved, moveMarks, reopen } from "../../infra/sql/moved.ts"
import { moverName, serverConnections } from "../../infra/sql/move-schema.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import type { Progress as ProgressDisplay } from "../progress.ts"
import { inspectContents } from "../backup/verify.ts"
import { type Finding, statusOf } from "../report.ts"
import * as repo from "./repo.ts"

/** The move is not complete. The message states the cause and the fix. */
export class MoveFailed extends Data.TaggedError("MoveFailed")<{ readonly message: string }> {}

const failed = (message: string) => new MoveFailed({ message })

export interface MoveRequest {
  readonly from: Database
  readonly to: Database
  /** The secret keys, newest first, with which the copied secrets are verified. */
  readonly secretKeys: ReadonlyArray<string>
  readonly signingKeys: ReadonlyArray<string>
  /** Deletes the incomplete copy of an earlier run. */
  readonly isRestarted: boolean
  readonly progress: ProgressDisplay
  readonly signal: AbortSignal
}

export interface MoveResult {
  readonly from: string
  readonly to: string
  readonly tables: number
  readonly rows: number
  /** How long servers had to be stopped for this run. */
  readonly millis: number
  /** Whether an earlier, interrupted run was continued. */
  readonly isResumed: boolean
  readonly findings: ReadonlyArray<Finding>
}

/** The place of a database, without credentials. */
export const placeOf = (database: Database): string =>
  database.kind === "pglite"
    ? database.dataDir
    : `PostgreSQL at ${endpointOf(database.url)}${/^[^/]*\/\/[^/?#]*(\/[^?#]*)/.exec(database.url)?.[1] ?? ""}`

/** Tables after those to which their foreign keys refer. */
const ordered = (relations: ReadonlyArray<repo.Relation>): ReadonlyArray<repo.Relation> => {
  const names = new Set(relations.map(({ name }) => name))
  const placed = new Set<string>()
  const result: Array<repo.Relation> = []
  while (result.length < relations.length) {
    const next = relations.filter(
      ({ name, parents }) =>
        !placed.has(name) && parents.every((parent) => parent === name || placed.has(parent) || !names.has(parent))
    )
    if (next.length === 0) throw new Error("The foreign keys form a cycle.")
    for (const relation of next) placed.add(relation.name)
    result.push(...next)
  }
  return result
}

const withExactText = <A, E, R>(sql: Sql, effect: Effect.Effect<A, E, R>) =>
  sql.withTransaction(Effect.andThen(repo.exactText(sql), effect))

/** Servers hold a lock while they run. It is kept until the transaction ends, so that none starts. */
const demandStopped = Effect.fnUntraced(function* (database: Database) {
  // The data directory of an embedded database is locked by the process that uses it.
  if (database.kind === "pglite") return
  const connections = yield* serverConnections
  if (connections > 0) {
    return yield* failed(
      `Servers are connected to ${placeOf(database)} (${connections} connections). Stop all of them, and run the command again.`
    )
  }
})

const begunElsewhere = (to: Database) =>
  `${placeOf(to)} already contains an installation. Nothing was changed. Set --to to an empty database or a new directory.`

/**
 * Marks an empty target, so that no server starts on it and the next run continues.
 *
 * @returns whether it contains the unfinished copy of an earlier run.
 */
const prepareTarget = Effect.fnUntraced(function* (
  { from, isRestarted, to }: MoveRequest,
  movedTo: string | undefined
) {
  const sql = yield* SqlDatabase
  const { version } = yield* schemaState
  const { isTarget } = yield* moveMarks
  if (isTarget) {
    if (version !== schemaVersion) {
      return yield* failed(
        `The incomplete copy in ${placeOf(to)} has schema version ${version}, but this release requires version ${schemaVersion}. Continue with the release that began it, or delete the copy.`
      )
    }
    if (isRestarted) yield* repo.clearProgress(sql)
    return !isRestarted
  }
  if (movedTo !== undefined) return yield* failed(`${placeOf(from)} was already moved to ${movedTo}.`)
  if (version === 0) yield* install(to.schema)
  else if (version !== schemaVersion) return yield* failed(begunElsewhere(to))
  yield* createQueueTables
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* demandStopped(to)
      if (!(yield* repo.isUntouched(sql))) return yield* failed(begunElsewhere(to))
      yield* repo.createProgress(sql)
    })
  )
  return false
})

/** @returns the place to which the source was moved, if an earlier run ended after it marked the source. */
const demandCurrentSource = Effect.fnUntraced(function* ({ from, to }: MoveRequest) {
  const { version } = yield* schemaState
  if (version === 0) return yield* failed(`${placeOf(from)} contains no installation. Check the configuration.`)
  if (version !== schemaVersion) {
    return yield* failed(
      `${placeOf(from)} has schema version ${version}, but this release requires version ${schemaVersion}. Run orgplane-server migrate first, with this release.`
    )
  }
  const { isTarget, movedTo, place } = yield* moveMarks
  if (isTarget) return yield* failed(`The move into ${placeOf(from)} is not complete. Complete it first.`)
  if (movedTo !== undefined && place !== placeOf(to)) {
    return yield* failed(`${placeOf(from)} was already moved to ${movedTo}.`)
  }
  return movedTo
})

const demandNotCanceled = (signal: AbortSignal) =>
  signal.aborted ? Effect.fail(failed("The move was canceled. Run it again to continue.")) : Effect.void

const batchRowsMin = 250
const batchRowsMax = 5000

/** Copies the rest of a relation. Each batch and its progress are one transaction. */
const copy = Effect.fnUntraced(function* (
  from: Sql,
  to: Sql,
  relation: repo.Relation,
  start: repo.Progress,
  show: (copied: number) => void,
  signal: AbortSignal
) {
  let { copied, last } = start
  let limit = batchRowsMin
  for (;;) {
    yield* demandNotCanceled(signal)
    const batch = yield* repo.batchAfter(from, relation, last, limit)
    const { count } = batch
    yield* withExactText(
      to,
      Effect.gen(function* () {
        if (count > 0) yield* repo.insert(to, relation, batch.values)
        copied += count
        last = batch.last ?? last
        yield* repo.saveProgress(to, relation.name, copied, last, count === 0)
      })
    )
    show(copied)
    if (count === 0) return
    // Large rows fill a batch before its limit, and would be read again by the next one.
    limit = count < limit ? Math.max(1, count) : Math.min(batchRowsMax, limit * 2)
  }
})

const columnsOf = ({ columns }: repo.Relation) => JSON.stringify(columns)

const begin = Effect.fnUntraced(function* (
  to: Sql,
  relations: ReadonlyArray<repo.Relation>,
  digests: ReadonlyArray<repo.Digest & { readonly name: string }>
) {
  yield* withExactText(
    to,
    Effect.gen(function* () {
      yield* repo.empty(to, yield* repo.relations(to))
      for (const relation of relations) yield* repo.createPartition(to, relation)
      const targets = new Map((yield* repo.relations(to)).map((relation) => [relation.name, columnsOf(relation)]))
      const different = relations.filter((relation) => targets.get(relation.name) !== columnsOf(relation))
      if (different.length > 0) {
        return yield* failed(
          `The columns of ${different.map(({ name }) => name).join(", ")} differ between the databases. Use one release for both.`
        )
      }
      yield* repo.fillProgress(to, digests)
    })
  )
})

const between = Effect.fnUntraced(function* (request: MoveRequest, from: Sql, to: Sql) {
  const { progress, signal } = request
  const relations = ordered(yield* repo.relations(from))
  yield* repo.lockTables(from, relations)
  const digests: Array<repo.Digest & { readonly name: string }> = []
  for (const [index, relation] of relations.entries()) {
    yield* demandNotCanceled(signal)
    progress.show(`Reading table ${index + 1} of ${relations.length}`)
    digests.push({ name: relation.name, ...(yield* repo.digestOf(from, relation)) })
  }
  const saved = new Map((yield* repo.readProgress(to)).map((entry) => [entry.name, entry]))
  if (saved.size === 0) {
    yield* begin(to, relations, digests)
    for (const digest of digests)
      saved.set(digest.name, { ...digest, copied: 0, last: null, isCopied: false, isVerified: false })
  }
  const changed = digests.filter(({ digest, name }) => saved.get(name)?.digest !== digest)
  if (changed.length > 0 || saved.size !== digests.length) {
    return yield* failed(
      `${placeOf(request.from)} changed after the move began (${changed.map(({ name }) => name).join(", ") || "its tables"}), or ` +
        `${placeOf(request.to)} contains an incomplete copy of another installation. Run the command with --restart to delete the copy and to begin again.`
    )
  }
  const total = digests.reduce((sum, { rows }) => sum + rows, 0)
  let before = 0
  for (const relation of relations) {
    const start = saved.get(relation.name)
    if (start === undefined) continue
    const show = (copied: number) => progress.show("Copying rows", before + copied, total, "rows")
    if (!start.isCopied) yield* copy(from, to, relation, start, show, signal)
    before += start.rows
  }
  const findings: Array<Finding> = []
  const different: Array<string> = []
  const isVerified = [...saved.values()].every((entry) => entry.isVerified)
  for (const [index, relation] of isVerified ? [] : relations.entries()) {
    yield* demandNotCanceled(signal)
    progress.show(`Verifying table ${index + 1} of ${relations.length}`)
    const expected = digests.find(({ name }) => name === relation.name)
    const actual = yield* withExactText(to, repo.digestOf(to, relation))
    if (expected?.digest !== actual.digest || expected.rows !== actual.rows) different.push(relation.name)
  }
  if (different.length > 0) {
    return yield* failed(
      `The copies of ${different.join(", ")} differ from the source. Run the command with --restart to delete the incomplete copy in ${placeOf(request.to)} and to begin again.`
    )
  }
  findings.push({
    check: "rows",
    status: "ok",
    message: `${total} rows in ${relations.length} tables, and the SHA-256 of each row is the same in both databases.`
  })
  if (!isVerified) {
    for (const sequence of yield* repo.sequences(from)) yield* repo.setSequence(to, sequence)
    yield* repo.saveVerified(to)
  }
  findings.push(
    ...(yield* inspectContents(request.secretKeys, request.signingKeys, progress.show).pipe(
      Effect.provideService(SqlDatabase, to)
    ))
  )
  return { relations, total, findings }
})

/** Copies, verifies and marks both databases. An interrupted move continues where it stopped. */
export const move = Effect.fnUntraced(function* (request: MoveRequest) {
  const { from, to } = request
  const began = yield* Clock.currentTimeMillis
  const moved = yield* onExistingDatabase(
    from,
    Effect.gen(function* () {
      const source = yield* SqlDatabase
      const movedTo = yield* demandCurrentSource(request)
      return yield* withExactText(
        source,
        Effect.gen(function* () {
          yield* demandStopped(from)
          const result = yield* onExistingDatabase(
            to,
            Effect.gen(function* () {
              const target = yield* SqlDatabase
              const isResumed = yield* prepareTarget(request, movedTo)
              return { isResumed, ...(yield* between(request, source, target)) }
            }),
            moverName
          )
          if (statusOf(result.findings) !== "failed") yield* markMoved(placeOf(to))
          return result
        })
      )
    }),
    moverName
  ).pipe(Effect.provideService(StatementMillisMax, longStatementMillis))
  const { findings, isResumed, relations, total } = moved
  // After the source is marked: servers never start on both.
  if (statusOf(findings) !== "failed") {
    yield* onExistingDatabase(to, Effect.flatMap(SqlDatabase, repo.dropProgress), moverName)
  }
  return {
    from: placeOf(from),
    to: placeOf(to),
    tables: relations.length,
    rows: total,
    millis: (yield* Clock.currentTimeMillis) - began,
    isResumed,
    findings
  } satisfies MoveResult
})

/** Allows servers to use a database from which an installation was moved. */
export const reopenDatabase = (database: Database) => onExistingDatabase(database, reopen)
