import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  type Filter,
  filterSql,
  attemptParse,
  type ResourceType,
  type ScimFault,
  sortSql
} from "../../infra/scim/language/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import type { ListQuery } from "./query.ts"

/** Attributes with their own indexed column. */
const columns: Readonly<Record<ResourceType, ReadonlySet<string>>> = {
  User: new Set(["id", "username", "externalid"]),
  Group: new Set(["id", "displayname", "externalid"])
}

/** Whether indexes cover the filter completely, so that the cost depends on the size of the result. */
const isIndexed = (type: ResourceType, filter: Filter): boolean => {
  if (filter.kind === "and") return filter.filters.every((one) => isIndexed(type, one))
  if (filter.kind !== "compare" || filter.operator !== "eq" || typeof filter.value !== "string") return false
  const { attribute, schema, sub } = filter.name
  return schema === undefined && sub === undefined && columns[type].has(attribute.toLowerCase())
}

export interface Selection {
  /** The query may have to read every row. */
  readonly isScan: boolean
  readonly where: Fragment
  readonly order: Fragment
}

/** Converts a list query to SQL. Fails for attributes that cannot be filtered or sorted by. */
export const selectionOf = (sql: Sql, type: ResourceType, query: ListQuery): Effect.Effect<Selection, ScimFault> =>
  attemptParse(() => ({
    isScan: query.sortBy !== undefined || (query.filter !== undefined && !isIndexed(type, query.filter)),
    where: query.filter === undefined ? sql.literal("true") : filterSql(sql, type, query.filter),
    order: sortSql(sql, type, query.sortBy, query.sortOrder)
  }))

export interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly total: number
}

/** One page and the total, which is counted only when the page does not determine it. */
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
  // Avoids reading all rows only to find that the offset is past the end.
  const all = yield* total
  return { rows: offset >= all ? [] : yield* read(count, offset), total: all } satisfies Page<Row>
})

export const listSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse"

export interface ListResult {
  readonly total: number
  readonly resources: ReadonlyArray<unknown>
}

export const listResponse = (startIndex: number, { resources, total }: ListResult) => ({
  schemas: [listSchema],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources
})
