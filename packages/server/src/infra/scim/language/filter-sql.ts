import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../sql/client.ts"
import type { Attribute } from "./attribute.ts"
import { type Condition, type ElementCondition, resolveFilter, type Test } from "./resolve.ts"
import type { Place, ResourceType } from "./schemas.ts"
import type { Filter, Operator } from "./syntax.ts"

/*
 * Every test is true or false and never unknown: with NULL, a resource would match neither a filter nor its negation.
 * Values of filters are always parameters; names come from the schemas.
 */

/** Use it only with names from the schemas. */
const quoted = (name: string): string => `'${name.replaceAll("'", "''")}'`

const comparators = { eq: "=", ne: "<>", gt: ">", ge: ">=", lt: "<", le: "<=" } as const

/** Null when `have` is null. */
const textTest = (sql: Sql, have: Fragment, operator: Operator, value: string): Fragment => {
  switch (operator) {
    case "co":
      return sql`position(${value}::text IN ${have}) > 0`
    case "sw":
      return sql`starts_with(${have} COLLATE "C", ${value}::text)`
    case "ew":
      return sql`right(${have}, char_length(${value}::text)) = ${value}::text`
    default:
      return sql`${have} COLLATE "C" ${sql.literal(comparators[operator])} ${value}::text`
  }
}

const rawTest = (sql: Sql, have: Fragment, test: Exclude<Test, { readonly kind: "present" }>): Fragment => {
  switch (test.kind) {
    case "text":
      return textTest(sql, have, test.operator, test.value)
    case "boolean":
      return sql`${have} ${sql.literal(comparators[test.operator])} ${test.value}::boolean`
    case "moment": {
      const { operator, value } = test
      // Compared as the API returns it, in milliseconds. A timestamp has no substrings.
      const comparator = operator === "co" || operator === "sw" || operator === "ew" ? "=" : comparators[operator]
      return sql`date_trunc('milliseconds', ${have}) ${sql.literal(comparator)} ${new Date(value).toISOString()}::timestamptz`
    }
  }
}

/** A text, boolean or timestamp, depending on the test; and whether it can be null. */
interface Have {
  readonly expression: string
  readonly nulls: "never" | "column" | "json"
}

const valueTest = (sql: Sql, { expression, nulls }: Have, test: Test): Fragment => {
  const have = sql.literal(expression)
  if (test.kind === "present") return sql`(${have}) IS NOT NULL`
  const raw = rawTest(sql, have, test)
  const isDifferent = test.operator === "ne"
  switch (nulls) {
    case "never":
      return raw
    // In this form, an index on the column can be used.
    case "column":
      return isDifferent ? sql`(${have} IS NULL OR ${raw})` : sql`(${have} IS NOT NULL AND ${raw})`
    case "json":
      return sql`coalesce(${raw}, ${sql.literal(String(isDifferent))})`
  }
}

/** The values of a multi-valued attribute: a FROM clause, its join to the resource, and the sub-attributes. */
interface Values {
  readonly exists: (condition: Fragment | undefined) => Fragment
  readonly part: (sub: Attribute) => Have
}

const column = { User: "u", Group: "g" } as const

const jsonValues = (sql: Sql, list: string): Values => ({
  exists: (condition) =>
    condition === undefined
      ? sql`${sql.literal(list)} IS NOT NULL`
      : sql`EXISTS (SELECT 1 FROM jsonb_array_elements(${sql.literal(list)}) AS e(v) WHERE ${condition})`,
  part: (sub) => ({
    expression: `(e.v ->> ${quoted(sub.name)})${sub.type === "boolean" ? "::boolean" : ""}`,
    nulls: "json"
  })
})

const memberValues = (sql: Sql): Values => ({
  exists: (condition) => sql`EXISTS (SELECT 1 FROM scim_group_members fm
    JOIN scim_users fu ON fu.organization_id = fm.organization_id AND fu.id = fm.scim_user_id AND fu.removed_at IS NULL
    WHERE fm.organization_id = g.organization_id AND fm.group_id = g.id${condition === undefined ? sql.literal("") : sql` AND ${condition}`})`,
  part: ({ name }) => ({
    expression:
      name === "value"
        ? "fm.scim_user_id"
        : name === "display"
          ? "coalesce(fu.folded_json ->> 'displayName', fu.user_name)"
          : "'user'::text",
    nulls: "never"
  })
})

const groupValues = (sql: Sql): Values => ({
  exists: (condition) => sql`EXISTS (SELECT 1 FROM scim_group_members fm
    JOIN scim_groups fg ON fg.organization_id = fm.organization_id AND fg.id = fm.group_id AND fg.removed_at IS NULL
    WHERE fm.organization_id = u.organization_id AND fm.scim_user_id = u.id${condition === undefined ? sql.literal("") : sql` AND ${condition}`})`,
  part: ({ name }) => ({
    expression: name === "value" ? "fm.group_id" : name === "display" ? "fg.display_name" : "'direct'::text",
    nulls: "never"
  })
})

/** The expression for an attribute that has a column. */
const columnOf = (type: ResourceType, { attribute, extension, sub }: Place): string | undefined => {
  const row = column[type]
  if (extension !== undefined) return undefined
  switch (attribute.name) {
    case "id":
      return `${row}.id`
    case "externalId":
      return `${row}.external_id`
    case "userName":
      return "u.user_name"
    case "active":
      return "u.active"
    case "displayName":
      return type === "Group" ? "g.display_name" : undefined
    case "meta":
      switch (sub?.name) {
        case "created":
          return `${row}.created_at`
        case "lastModified":
          return `${row}.updated_at`
        case "version":
          return `('W/"' || ${row}.version || '"')`
        // Also for `meta pr`.
        default:
          return `${quoted(type)}::text`
      }
    default:
      return undefined
  }
}

const homeOf = (type: ResourceType, { attribute, extension }: Place): string => {
  const home = extension === undefined ? "" : ` -> ${quoted(extension)}`
  return `(${column[type]}.folded_json${home} -> ${quoted(attribute.name)})`
}

/** The attribute's single value as text or boolean, from the folded resource. */
export const single = (type: ResourceType, place: Place): string => {
  const fixed = columnOf(type, place)
  if (fixed !== undefined) return fixed
  const { attribute, sub } = place
  const leaf = sub ?? attribute
  const path = [place.extension, attribute.name, sub?.name].filter((name) => name !== undefined)
  const last = path.length - 1
  const steps = path.map((name, index) => `${index === last ? "->>" : "->"} ${quoted(name)}`)
  const text = `(${column[type]}.folded_json ${steps.join(" ")})`
  return leaf.type === "boolean" ? `${text}::boolean` : text
}

const valuesOf = (sql: Sql, type: ResourceType, place: Place): Values => {
  if (type === "Group" && place.attribute.name === "members") return memberValues(sql)
  if (type === "User" && place.attribute.name === "groups") return groupValues(sql)
  return jsonValues(sql, homeOf(type, place))
}

const elementSql = (sql: Sql, values: Values, condition: ElementCondition): Fragment => {
  switch (condition.kind) {
    case "and":
      return sql.and(condition.conditions.map((one) => elementSql(sql, values, one)))
    case "or":
      return sql.or(condition.conditions.map((one) => elementSql(sql, values, one)))
    case "not":
      return sql`NOT (${elementSql(sql, values, condition.condition)})`
    case "test":
      return valueTest(sql, values.part(condition.sub), condition.test)
  }
}

const testSql = (sql: Sql, type: ResourceType, place: Place, test: Test): Fragment => {
  const { attribute, sub } = place
  if (!attribute.multiValued) {
    const nulls = columnOf(type, place) === undefined ? "json" : attribute.name === "externalId" ? "column" : "never"
    return valueTest(sql, { expression: single(type, place), nulls }, test)
  }
  if (attribute.name === "schemas") {
    const values = jsonValues(sql, homeOf(type, place))
    return values.exists(
      test.kind === "present" ? undefined : valueTest(sql, { expression: "(e.v #>> '{}')", nulls: "never" }, test)
    )
  }
  const values = valuesOf(sql, type, place)
  if (sub === undefined) return values.exists(undefined)
  const matches = values.exists(valueTest(sql, values.part(sub), test))
  const isDifferent = test.kind !== "present" && test.operator === "ne"
  return isDifferent ? sql`(${matches} OR NOT ${values.exists(undefined)})` : matches
}

const conditionSql = (sql: Sql, type: ResourceType, condition: Condition): Fragment => {
  switch (condition.kind) {
    case "constant":
      return sql.literal(condition.value ? "true" : "false")
    case "and":
      return sql.and(condition.conditions.map((one) => conditionSql(sql, type, one)))
    case "or":
      return sql.or(condition.conditions.map((one) => conditionSql(sql, type, one)))
    case "not":
      return sql`NOT (${conditionSql(sql, type, condition.condition)})`
    case "test":
      return testSql(sql, type, condition.place, condition.test)
    case "some": {
      const values = valuesOf(sql, type, condition.place)
      return values.exists(elementSql(sql, values, condition.condition))
    }
  }
}

/**
 * Converts a filter to a condition on `scim_users u` or `scim_groups g`, which is true exactly when `evaluate` returns
 * true.
 */
export const filterSql = (sql: Sql, type: ResourceType, filter: Filter): Fragment =>
  sql`(${conditionSql(sql, type, resolveFilter(type, filter))})`
