import * as PgProtocol from "@effect/sql-pg/PgProtocol"
import type * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { connectionFailed } from "./pipeline-errors.ts"
import { PipelineSession, type Query, type Rows } from "./pipeline-session.ts"
import type { Links } from "./postgres-links.ts"
import { sharedStatementMillisMax, StatementMillisMax } from "./statement-timeout.ts"
import { isReadOnly } from "./unavailable.ts"

export interface PipelineOptions {
  readonly links: Links
  readonly startup: PgProtocol.StartupParameters
  readonly types: PgTypes.Registry
  readonly connectionsMax: number
}

/** A connection is kept for about a minute without a statement. Time is counted in checks. */
const idleCheckMillis = 15_000
const idleChecksMax = 4

/** Runs statements outside transactions over a few connections, without waiting for the results of earlier ones. */
export class Pipeline implements Connection {
  readonly #options: PipelineOptions
  readonly #startup: Uint8Array
  readonly #sessions: Array<PipelineSession> = []
  readonly #timer: ReturnType<typeof setInterval>
  #isClosed = false

  constructor(options: PipelineOptions) {
    this.#options = options
    this.#startup = PgProtocol.encodeStartupMessage(options.startup)
    this.#timer = setInterval(() => this.#closeIdle(), idleCheckMillis)
    this.#timer.unref()
  }

  /** Sends a statement. Its result cannot be canceled, because others are on the same connection. */
  run(query: Query): void {
    const session = this.#isClosed ? undefined : this.#leastBusy()
    if (session === undefined) query.onError(connectionFailed(new Error("The database client was closed.")))
    else session.run(query)
  }

  query<A>(
    text: string,
    values: ReadonlyArray<unknown>,
    keeps: boolean,
    result: (rows: Rows) => A
  ): Effect.Effect<A, SqlError> {
    return Effect.withFiber((fiber) => {
      const millisMax = Math.min(fiber.getRef(StatementMillisMax), sharedStatementMillisMax)
      return Effect.callback<A, SqlError>((resume) =>
        this.run({
          text,
          values,
          keeps,
          millisMax,
          onRows: (rows) => resume(Effect.succeed(result(rows))),
          onError: (error) => resume(Effect.fail(error))
        })
      )
    })
  }

  execute(text: string, values: ReadonlyArray<unknown>, transform: Transform) {
    return this.query(text, values, true, (result) => transformed(result, transform))
  }
  executeUnprepared(text: string, values: ReadonlyArray<unknown>, transform: Transform) {
    return this.query(text, values, false, (result) => transformed(result, transform))
  }
  executeRaw(text: string, values: ReadonlyArray<unknown>) {
    return this.query(text, values, true, ({ columns, command, rows }) => ({
      command,
      rowCount: rows.length,
      rows,
      fields: columns.map(({ name, type }) => ({ name, dataTypeId: type }))
    }))
  }
  executeValues(text: string, values: ReadonlyArray<unknown>) {
    return this.query(text, values, true, valuesOf)
  }
  executeValuesUnprepared(text: string, values: ReadonlyArray<unknown>) {
    return this.query(text, values, false, valuesOf)
  }
  executeStream(text: string, values: ReadonlyArray<unknown>, transform: Transform) {
    return Stream.unwrap(Effect.map(this.execute(text, values, transform), (rows) => Stream.fromIterable(rows)))
  }

  /** Closes the connections; running statements fail. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const session of [...this.#sessions]) session.end()
  }

  #leastBusy(): PipelineSession {
    let best: PipelineSession | undefined
    for (const session of this.#sessions) {
      if (session.isOpen && session.depth === 0) return session
      if (best === undefined || session.depth < best.depth) best = session
    }
    if (best !== undefined && this.#sessions.length >= this.#options.connectionsMax) return best
    const opened = this.#open()
    // An open connection is faster than one that is being opened.
    return best?.isOpen === true ? best : opened
  }

  #open(): PipelineSession {
    const session = new PipelineSession({
      link: this.#options.links.connect("shared"),
      startup: this.#startup,
      types: this.#options.types,
      onFailure: (error, link) => {
        if (!isReadOnly(error)) return
        this.#options.links.retire()
        link.destroy(new Error("The server does not accept writes. The connection was closed."))
      },
      onClose: (closed) => {
        const index = this.#sessions.indexOf(closed)
        if (index !== -1) this.#sessions.splice(index, 1)
      }
    })
    this.#sessions.push(session)
    return session
  }

  #closeIdle(): void {
    for (const session of [...this.#sessions]) {
      if (!session.isOpen || session.depth > 0) continue
      session.idleChecks += 1
      if (session.idleChecks > idleChecksMax) session.end()
    }
  }
}

type Transform = (<A extends object>(row: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined

const transformed = ({ rows }: Rows, transform: Transform) => (transform === undefined ? rows : transform(rows))

const valuesOf = ({ columns, rows }: Rows): ReadonlyArray<ReadonlyArray<unknown>> =>
  rows.map((row) => columns.map(({ name }) => row[name]))
