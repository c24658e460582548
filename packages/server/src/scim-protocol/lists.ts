import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { filterSql, judged, type ResourceType, type ScimFault, sortSql } from "../scim/language/index.ts"
import type { Sql } from "../sql/client.ts"
import type { ListQuery } from "./query.ts"

/**
 * What of a filter an index knows: an attribute with a column of its own that is to equal a text, alone or among others
 * that are to hold as well. It is asked for beside the filter, which says it again in a way that no index can use.
 */
const indexed = (sql: Sql, type: ResourceType, filter: Filter): ReadonlyArray<Fragment> => {
  if (filter.kind === "and") return filter.filters.flatMap((one) => indexed(sql, type, one))
  if (filter.kind !== "compare" || filter.operator !== "eq" || typeof filter.value !== "string") return []
  const { attribute, schema, sub } = filter.name
  if (schema !== undefined || sub !== undefined) return []
  const { value } = filter
  switch (`${type}.${attribute.toLowerCase()}`) {
    case "User.id":
      return [sql`u.id = ${value}`]
    case "User.username":
      return [sql`u.user_name COLLATE "C" = ${fold(value)}`]
    case "User.externalid":
      return [sql`u.external_id COLLATE "C" = ${value}`]
    case "Group.id":
      return [sql`g.id = ${value}`]
    case "Group.displayname":
      return [sql`g.display_name COLLATE "C" = ${fold(value)}`]
    case "Group.externalid":
      return [sql`g.external_id COLLATE "C" = ${value}`]
    default:
      return []
  }
}

/** Whether an index tells all that a list asks for, so that it costs what it answers. */
const isIndexed = (sql: Sql, type: ResourceType, filter: Filter): boolean =>
  filter.kind === "and"
    ? filter.filters.every((one) => isIndexed(sql, type, one))
    : indexed(sql, type, filter).length > 0

export interface Selection {
  /** Every record may have to be looked at. */
  readonly isScan: boolean
  readonly where: Fragment
  readonly order: Fragment
}

/** A list as SQL; fails for what cannot be filtered or sorted by. */
export const selectionOf = (sql: Sql, type: ResourceType, query: ListQuery): Effect.Effect<Selection, ScimFault> =>
  judged(() => ({
    where: query.filter === undefined ? sql.literal("true") : filterSql(sql, type, query.filter),
    isScan: query.sortBy !== undefined || (query.filter !== undefined && !isIndexed(sql, type, query.filter)),
    where:
      query.filter === undefined
        ? sql`true`
        : sql.and([...indexed(sql, type, query.filter), filterSql(sql, type, query.filter)]),
    order: sortSql(sql, type, query.sortBy, query.sortOrder)
  }))

export interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly total: number
}

/** One page and how many there are in all; these are counted only where the page does not tell. */
export const pageOf = Effect.fnUntraced(function* <Row>(
  { count, startIndex }: Pick<ListQuery, "count" | "startIndex">,
  read: (limit: number, offset: number) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
  total: Effect.Effect<number, SqlError>
) {
  const offset = startIndex - 1
  if (count === 0) return { rows: [], total: yield* total } satisfies Page<Row>
  if (offset === 0) {
    const rows = yield* read(count, 0)
    return { rows, total: rows.length < count ? rows.length : yield* total } satisfies Page<Row>
  }
  // Nobody is taken through all that there is to find out that there is no more.
  const all = yield* total
  return { rows: offset >= all ? [] : yield* read(count, offset), total: all } satisfies Page<Row>
})

export const listSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse"

export interface Listed {
  readonly total: number
  readonly resources: ReadonlyArray<unknown>
}

export const listResponse = (startIndex: number, { resources, total }: Listed) => ({
  schemas: [listSchema],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources
})
