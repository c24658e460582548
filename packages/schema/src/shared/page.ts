import * as Schema from "effect/Schema"
import { Text } from "./values.ts"

/** The two members every list takes: at most `limit` (1-100, 50 unless told) rows after `cursor`. */
export const pageQuery = {
  cursor: Schema.optionalKey(Text(1, 255).annotate({ description: "The `nextCursor` of the page before." })),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: "At most so many rows; 50 unless told."
    })
  )
}

export interface PageQuery {
  readonly cursor?: string
  readonly limit?: number
}

/** A page, newest first; `nextCursor` is null on the last one. */
export const Page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    items: Schema.Array(item),
    nextCursor: Schema.NullOr(Schema.String.check(Schema.isBetweenCodePoints(1, 255)))
  })

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}
