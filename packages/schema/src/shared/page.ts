import * as Schema from "effect/Schema"
import { Text } from "./values.ts"

/** The query parameters of every list: at most `limit` items (1-100, default 50) after `cursor`. */
export const pageQuery = {
  cursor: Schema.optionalKey(Text(1, 255).annotate({ description: "The `nextCursor` of the previous page." })),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: "Maximum number of items to return. Default: 50."
    })
  )
}

/** The query parameter `q` of a list that can be searched. */
export const search = (description = "Filter by part of the name. Case-insensitive.") =>
  Schema.optionalKey(Text(1, 255).annotate({ description }))

export interface PageQuery {
  readonly cursor?: string
  readonly limit?: number
}

/** A page of items. `nextCursor` is null on the last page. */
export const Page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    items: Schema.Array(item),
    nextCursor: Schema.NullOr(Schema.String.check(Schema.isBetweenCodePoints(1, 255)))
  })

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}
