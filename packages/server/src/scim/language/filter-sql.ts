import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../sql/client.ts"
import type { Attribute } from "./attribute.ts"
import { type Condition, type ElementCondition, resolveFilter, type Test } from "./resolve.ts"
import type { Place, ResourceType } from "./schemas.ts"
import type { Filter, Operator } from "./syntax.ts"

/*
 * Every test is true or false and never unknown: SQL's third truth would come back as a match of neither a filter nor its
 * `not`. Values of filters are parameters, always; names come from the schemas.
 */

/** Only of names that the schemas hold. */
const quoted = (name: string): string => `'${name.replaceAll("'", "''")}'`

const textTest = (sql: Sql, have: Fragment, operator: Operator, value: string): Fragment => {
  switch (operator) {
    case "eq":
      return sql`coalesce(${have} COLLATE "C" = ${value}::text, false)`
    case "ne":
      return sql`coalesce(${have} COLLATE "C" <> ${value}::text, true)`
    case "co":
      return sql`coalesce(position(${value}::text IN ${have}) > 0, false)`
    case "sw":
      return sql`coalesce(starts_with(${have} COLLATE "C", ${value}::text), false)`
    case "ew":
      return sql`coalesce(right(${have}, char_length(${value}::text)) = ${value}::text, false)`
    case "gt":
      return sql`coalesce(${have} COLLATE "C" > ${value}::text, false)`
    case "ge":
      return sql`coalesce(${have} COLLATE "C" >= ${value}::text, false)`
    case "lt":
      return sql`coalesce(${have} COLLATE "C" < ${value}::text, false)`
    case "le":
      return sql`coalesce(${have} COLLATE "C" <= ${value}::text, false)`
  }
}

const comparators: Readonly<Record<Operator, string>> = {
  eq: "=",
  ne: "<>",
  gt: ">",
  ge: ">=",
  lt: "<",
  le: "<=",
  co: "=",
  sw: "=",
  ew: "="
}

/** `have` is of the test's own kind: text, boolean or moment. */
const valueTest = (sql: Sql, have: Fragment, test: Test): Fragment => {
  switch (test.kind) {
    case "present":
      return sql`(${have}) IS NOT NULL`
    case "boolean":
      return sql`coalesce((${have}) = ${test.value}::boolean, false) = ${test.operator === "eq"}::boolean`
    case "moment":
      // As the wire tells it, which is to the millisecond.
      return sql`coalesce(date_trunc('milliseconds', ${have}) ${sql.literal(comparators[test.operator])} ${new Date(
        test.value
      ).toISOString()}::timestamptz, ${test.operator === "ne"})`
    case "text":
      return textTest(sql, have, test.operator, test.value)
  }
}

/** The values of an attribute that has several: a FROM clause, what ties it to the resource, and each one's parts. */
interface Values {
  readonly exists: (condition: Fragment | undefined) => Fragment
  readonly part: (sub: Attribute) => Fragment
}

const column = { User: "u", Group: "g" } as const

const jsonValues = (sql: Sql, list: string): Values => ({
  exists: (condition) =>
    condition === undefined
      ? sql`${sql.literal(list)} IS NOT NULL`
      : sql`EXISTS (SELECT 1 FROM jsonb_array_elements(${sql.literal(list)}) AS e(v) WHERE ${condition})`,
  part: (sub) => sql.literal(`(e.v ->> ${quoted(sub.name)})${sub.type === "boolean" ? "::boolean" : ""}`)
})

const memberValues = (sql: Sql): Values => ({
  exists: (condition) => sql`EXISTS (SELECT 1 FROM scim_group_members fm
    JOIN scim_users fu ON fu.organization_id = fm.organization_id AND fu.id = fm.scim_user_id AND fu.removed_at IS NULL
    WHERE fm.organization_id = g.organization_id AND fm.group_id = g.id${condition === undefined ? sql.literal("") : sql` AND ${condition}`})`,
  part: (sub) =>
    sql.literal(
      sub.name === "value"
        ? "fm.scim_user_id"
        : sub.name === "display"
          ? "coalesce(fu.folded_json ->> 'displayName', fu.user_name)"
          : "'user'::text"
    )
})

const groupValues = (sql: Sql): Values => ({
  exists: (condition) => sql`EXISTS (SELECT 1 FROM scim_group_members fm
    JOIN scim_groups fg ON fg.organization_id = fm.organization_id AND fg.id = fm.group_id AND fg.removed_at IS NULL
    WHERE fm.organization_id = u.organization_id AND fm.scim_user_id = u.id${condition === undefined ? sql.literal("") : sql` AND ${condition}`})`,
  part: (sub) =>
    sql.literal(sub.name === "value" ? "fm.group_id" : sub.name === "display" ? "fg.display_name" : "'direct'::text")
})

/** What stands in a column of its own, or is made of one. */
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
        // `meta pr` too.
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

/** The attribute's one value as text or boolean, out of the folded resource. */
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
  if (!attribute.multiValued) return valueTest(sql, sql.literal(single(type, place)), test)
  if (attribute.name === "schemas") {
    const values = jsonValues(sql, homeOf(type, place))
    return values.exists(test.kind === "present" ? undefined : valueTest(sql, sql.literal("(e.v #>> '{}')"), test))
  }
  const values = valuesOf(sql, type, place)
  if (sub === undefined) return values.exists(undefined)
  const found = values.exists(valueTest(sql, values.part(sub), test))
  const isDifferent = test.kind !== "present" && test.operator === "ne"
  return isDifferent ? sql`(${found} OR NOT ${values.exists(undefined)})` : found
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

/** A filter as a condition on `scim_users u` or `scim_groups g`: true where `evaluate` is. */
export const filterSql = (sql: Sql, type: ResourceType, filter: Filter): Fragment =>
  sql`(${conditionSql(sql, type, resolveFilter(type, filter))})`
