import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { PipelineConnection } from "./pipeline-connection.ts"
import { connectionFailed, statementFailed } from "./pipeline-errors.ts"
import type { PipelineSession, Query, Rows } from "./pipeline-session.ts"
import { StatementMillisMax } from "./statement-timeout.ts"

const begin = "BEGIN"
/** How long a connection is kept without a transaction. Time is counted in checks. */
const idleCheckMillis = 15_000
const idleChecksMax = 4

/**
 * A connection that one transaction has to itself. BEGIN and other deferred statements are sent with the next statement
 * as one unit: if one of them fails, the server skips the rest.
 */
export class OwnConnection extends PipelineConnection {
  readonly session: PipelineSession
  #deferred: Array<{ readonly text: string; readonly values: ReadonlyArray<unknown> }> = []
  #commitsNext = false
  #hasCommitted = false

  constructor(session: PipelineSession) {
    super()
    this.session = session
  }

  /** Begins a transaction, together with its first statement. */
  begin(): void {
    this.defer(begin, [])
  }

  /** Drops the deferred statements that have not been sent, except BEGIN. */
  discardDeferred(): void {
    this.#deferred = this.#deferred[0]?.text === begin ? this.#deferred.slice(0, 1) : []
  }

  /** Sends a statement whose result does not matter together with the next one. */
  defer(text: string, values: ReadonlyArray<unknown>): void {
    this.#deferred.push({ text, values })
  }

  /** Sends COMMIT with the next statement, which must be the last one of the transaction. */
  commitWithNext(): void {
    this.#commitsNext = true
  }

  /** Cancels `commitWithNext`. */
  commitSeparately(): void {
    this.#commitsNext = false
  }

  /** Whether COMMIT was sent with a statement, and has succeeded. */
  get hasCommitted(): boolean {
    return this.#hasCommitted
  }

  protected run(query: Query): () => void {
    const { session } = this
    if (this.#hasCommitted) {
      if (query.text === "COMMIT") query.onRows({ rows: [], columns: [], command: "COMMIT" })
      else query.onError(statementFailed(new Error("The transaction has already been committed.")))
      return () => {}
    }
    if (query.text === begin) {
      this.defer(begin, [])
      query.onRows({ rows: [], columns: [], command: begin })
      return () => {}
    }
    const before = this.#deferred
    this.#deferred = []
    const isUnsent = before[0]?.text === begin
    if (isUnsent && (query.text === "ROLLBACK" || (query.text === "COMMIT" && before.length === 1))) {
      // The server does not know of the transaction.
      query.onRows({ rows: [], columns: [], command: query.text })
      return () => {}
    }
    if (this.#commitsNext) {
      this.#commitsNext = false
      const onRows = (rows: Rows) => {
        // PostgreSQL responds `ROLLBACK` to the `COMMIT` of a transaction that has failed.
        if (rows.command !== "COMMIT") return query.onError(statementFailed(new Error("The transaction had failed.")))
        this.#hasCommitted = true
        query.onRows(rows)
      }
      session.run({ ...query, commits: true, onRows }, before)
    } else {
      session.run(query, before)
    }
    return () => session.cut(new Error("The statement was canceled, and its connection closed."))
  }
}

/** Makes an effect interruptible again. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Waits for a free connection no longer than the statement itself may take. */
const inTime = <A, E>(wait: Effect.Effect<A, E>, onTimeout: () => void): Effect.Effect<A, E | SqlError> =>
  Effect.withFiber((fiber) =>
    Effect.timeoutOrElse(wait, {
      duration: fiber.getRef(StatementMillisMax),
      orElse: () => {
        onTimeout()
        return Effect.fail(connectionFailed(new Error("No database connection became available in time.")))
      }
    })
  )

export interface OwnConnectionsOptions {
  readonly max: number
  readonly open: (onClose: (session: PipelineSession) => void) => PipelineSession
}

/** Connections that each serve one transaction, or one long statement, at a time. */
export class OwnConnections {
  readonly #options: OwnConnectionsOptions
  readonly #all = new Set<PipelineSession>()
  readonly #idle: Array<PipelineSession> = []
  readonly #waiting = new Set<(session: PipelineSession) => void>()
  readonly #timer: ReturnType<typeof setInterval>
  #isClosed = false
  #timeouts = 0

  constructor(options: OwnConnectionsOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#closeIdle(), idleCheckMillis)
    this.#timer.unref()
  }

  /**
   * Takes a connection, which must be released. If all are in use, it waits for one within `restore`. Call it where it
   * cannot be interrupted: otherwise, an interruption could lose a connection that was taken.
   */
  take(restore: Restore): Effect.Effect<PipelineSession, SqlError> {
    return Effect.suspend(() => this.#take(restore))
  }

  /** Takes a connection until the scope closes. */
  readonly acquire: Effect.Effect<Connection, SqlError, Scope.Scope> = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(this.take(restore), (session) =>
      Effect.as(
        Effect.addFinalizer(() => Effect.sync(() => this.release(session))),
        new OwnConnection(session)
      )
    )
  )

  /** Lends a connection for one effect. */
  use<A, E, R>(use: (connection: Connection) => Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> {
    return Effect.scoped(Effect.flatMap(this.acquire, use))
  }

  get usage() {
    return {
      open: this.#all.size,
      idle: this.#idle.length,
      waiting: this.#waiting.size,
      timeouts: this.#timeouts
    }
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const session of [...this.#all]) session.end()
  }

  #take(restore: Restore): Effect.Effect<PipelineSession, SqlError> {
    if (this.#isClosed) return Effect.fail(connectionFailed(new Error("The database client was closed.")))
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (!idle.isClosed) return Effect.succeed(this.#hold(idle))
    }
    if (this.#all.size < this.#options.max) return Effect.succeed(this.#hold(this.#open()))
    let given: PipelineSession | undefined
    const wait = Effect.callback<PipelineSession, SqlError>((resume) => {
      const onSession = (session: PipelineSession) => {
        given = session
        resume(Effect.succeed(session))
      }
      this.#waiting.add(onSession)
      return Effect.sync(() => this.#waiting.delete(onSession))
    })
    return Effect.flatMap(Effect.exit(restore(inTime(wait, () => (this.#timeouts += 1)))), (exit) => {
      // It was given at the moment of the interruption or the timeout.
      if (Exit.isFailure(exit) && given !== undefined) this.release(given)
      return exit
    })
  }

  #open(): PipelineSession {
    const session = this.#options.open((closed) => {
      this.#all.delete(closed)
      const index = this.#idle.indexOf(closed)
      if (index !== -1) this.#idle.splice(index, 1)
      this.#next()
    })
    this.#all.add(session)
    return session
  }

  #hold(session: PipelineSession): PipelineSession {
    session.link.hold()
    return session
  }

  /** Returns a connection. It is closed if its transaction has not ended. */
  release(session: PipelineSession): void {
    session.link.release()
    if (session.isClosed) return
    // A transaction that is still open, or a statement without a result, must not reach the next user.
    if (session.depth > 0 || session.isInTransaction) {
      return session.cut(new Error("The connection was returned with unfinished work."))
    }
    this.#idle.push(session)
    this.#next()
  }

  /** Gives a free connection, or a new one, to the one that waits longest. */
  #next(): void {
    for (const onSession of this.#waiting) {
      if (this.#isClosed) return
      let session = this.#idle.pop()
      while (session?.isClosed === true) session = this.#idle.pop()
      if (session === undefined && this.#all.size < this.#options.max) session = this.#open()
      if (session === undefined) return
      this.#waiting.delete(onSession)
      onSession(this.#hold(session))
    }
  }

  #closeIdle(): void {
    for (const session of [...this.#idle]) {
      session.idleChecks += 1
      if (session.idleChecks > idleChecksMax) session.end()
    }
  }
}
