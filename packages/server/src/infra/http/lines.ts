import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { longStatementMillis, StatementMillisMax } from "../sql/statement-timeout.ts"

/**
 * The rows of one kind in an export, read in batches. `after` is the ID of the last row of the previous batch, or "".
 */
export interface Source<E> {
  readonly kind: string
  /** Maximum number of rows per batch, for rows that may be large. Default: 200. */
  readonly rowsMax?: number
  readonly read: (
    after: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly item: unknown }>, E>
}

const rowsUsual = 200
const lineOf = (kind: string, item: unknown) => `${JSON.stringify({ kind, item })}\n`

/**
 * An export as lines of JSON, read from the database as fast as the client receives it. The last line contains the
 * number of lines before it, so that a truncated copy can be detected.
 */
export const linesOf = <E>(
  kind: string,
  item: unknown,
  sources: ReadonlyArray<Source<E>>
): Stream.Stream<Uint8Array> => {
  let count = 1
  const rest = Stream.fromIterable(sources).pipe(
    Stream.flatMap(({ kind, read, rowsMax = rowsUsual }) =>
      Stream.paginate("", (after: string) =>
        Effect.map(read(after, rowsMax), (rows) => {
          count += rows.length
          const last = rows.at(-1)
          return [
            [rows.map(({ item }) => lineOf(kind, item)).join("")],
            rows.length < rowsMax || last === undefined ? Option.none<string>() : Option.some(last.id)
          ] as const
        })
      )
    )
  )
  return Stream.make(lineOf(kind, item)).pipe(
    Stream.concat(rest),
    Stream.concat(Stream.suspend(() => Stream.make(lineOf("end", { count })))),
    Stream.filter((text) => text !== ""),
    Stream.encodeText,
    Stream.orDie,
    Stream.provideService(StatementMillisMax, longStatementMillis)
  )
}

/** Lines as a file download. */
export const download = (lines: Stream.Stream<Uint8Array>, name: string) =>
  HttpServerResponse.stream(lines, {
    contentType: "application/x-ndjson",
    headers: { "content-disposition": `attachment; filename="${name}"` }
  })
