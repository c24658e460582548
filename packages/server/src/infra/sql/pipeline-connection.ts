import * as Effect from "effect/Effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import type { Query, Rows } from "./pipeline-session.ts"
import { StatementMillisMax } from "./statement-timeout.ts"

type Transform = (<A extends object>(row: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined

const transformed = ({ rows }: Rows, transform: Transform) => (transform === undefined ? rows : transform(rows))

const valuesOf = ({ columns, rows }: Rows): ReadonlyArray<ReadonlyArray<unknown>> =>
  rows.map((row) => columns.map(({ name }) => row[name]))

/** The client's connection over our own sessions. */
export abstract class PipelineConnection implements Connection {
  /** Sends a statement. The returned function is called if its result is no longer needed. */
  protected abstract run(query: Query): () => void

  /** The timeout of one statement, if the caller set a longer one. */
  protected readonly millisMax: number = Number.POSITIVE_INFINITY

  #query<A>(
    text: string,
    values: ReadonlyArray<unknown>,
    keeps: boolean,
    result: (rows: Rows) => A
  ): Effect.Effect<A, SqlError> {
    return Effect.withFiber((fiber) => {
      const millisMax = Math.min(fiber.getRef(StatementMillisMax), this.millisMax)
      return Effect.callback<A, SqlError>((resume) => {
        const abandon = this.run({
          text,
          values,
          keeps,
          millisMax,
          onRows: (rows) => resume(Effect.succeed(result(rows))),
          onError: (error) => resume(Effect.fail(error))
        })
        return Effect.sync(abandon)
      })
    })
  }

  execute(text: string, values: ReadonlyArray<unknown>, transform: Transform) {
    return this.#query(text, values, true, (result) => transformed(result, transform))
  }
  executeUnprepared(text: string, values: ReadonlyArray<unknown>, transform: Transform) {
    return this.#query(text, values, false, (result) => transformed(result, transform))
  }
  executeRaw(text: string, values: ReadonlyArray<unknown>) {
    return this.#query(text, values, true, ({ columns, command, rows }) => ({
      command,
      rowCount: rows.length,
      rows,
      fields: columns.map(({ name, type }) => ({ name, dataTypeId: type }))
    }))
  }
  executeValues(text: string, values: ReadonlyArray<unknown>) {
    return this.#query(text, values, true, valuesOf)
  }
  executeValuesUnprepared(text: string, values: ReadonlyArray<unknown>) {
    return this.#query(text, values, false, valuesOf)
  }
  /** Reads all rows first: the server's own code reads large results in pages. */
  executeStream(text: string, values: ReadonlyArray<unknown>, transform: Transform) {
    return Stream.unwrap(Effect.map(this.execute(text, values, transform), (rows) => Stream.fromIterable(rows)))
  }
}
