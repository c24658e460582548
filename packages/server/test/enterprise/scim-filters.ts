/** Random SCIM resources and filters, to compare the database with the evaluator. */
import * as Effect from "effect/Effect"
import fc from "fast-check"
import {
  evaluate,
  filterSql,
  fold,
  type Json,
  type JsonObject,
  parseFilter,
  type ResourceType,
  ScimFault
} from "../../src/infra/scim/language/index.ts"
import type { Attribute } from "../../src/infra/scim/language/attribute.ts"
import { type Normalized, normalized } from "../../src/infra/scim/language/resource.ts"
import { enterpriseSchema, groupSchema, resourceTypes, userSchema } from "../../src/infra/scim/language/schemas.ts"
import type { Sql } from "../../src/infra/sql/client.ts"
import { rowsAtOnce } from "../../src/infra/sql/texts.ts"

/**
 * A few texts that are often equal, equal except for case, or contained in each other; some are difficult for a
 * database.
 */
const texts = [
  "a",
  "A",
  "ab",
  "aB",
  "b",
  "work",
  "Work",
  "home",
  "x@acme.test",
  "X@Acme.test",
  "%",
  "_",
  "a%b",
  "a\\b",
  "a'b",
  'a"b',
  "é",
  "e\u0301",
  "É",
  "ΟΔΟΣ",
  "οδος",
  "İ",
  "ß",
  "😀",
  "\uFFFD",
  "z",
  "2026-01-01T00:00:00Z",
  "true",
  "User",
  "direct",
  "42",
  " a",
  "a b"
]
const text = fc.constantFrom(...texts)
const maybe = <A>(arbitrary: fc.Arbitrary<A>, weight = 2) =>
  fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight, arbitrary })

const one = (attribute: Attribute): fc.Arbitrary<Json> => {
  switch (attribute.type) {
    case "boolean":
      return fc.boolean()
    case "binary":
      return fc.constantFrom("AAAA", "aaaa", "AAAB")
    case "complex":
      return record(attribute.subAttributes ?? []).filter((value) => Object.keys(value).length > 0)
    default:
      return text
  }
}
const several = (attribute: Attribute): fc.Arbitrary<Json> => fc.array(one(attribute), { minLength: 1, maxLength: 3 })

const record = (attributes: ReadonlyArray<Attribute>): fc.Arbitrary<JsonObject> =>
  fc
    .record(
      Object.fromEntries(
        attributes.map((attribute) => [
          attribute.name,
          maybe(attribute.multiValued ? several(attribute) : one(attribute))
        ])
      )
    )
    .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)

const stored = (attributes: ReadonlyArray<Attribute>) =>
  record(attributes.filter(({ name }) => !["groups", "members", "password"].includes(name)))

const moments = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z", "2026-06-01T12:00:00.000Z"]

export interface SampleResource {
  readonly type: ResourceType
  readonly id: string
  readonly resource: JsonObject
  readonly created: string
  readonly lastModified: string
  readonly version: number
  /** For users: the numbers of their groups. */
  readonly groups: ReadonlyArray<number>
}

const resourceArbitrary = (type: ResourceType) => {
  const { core } = resourceTypes[type]
  return fc.record({
    resource: stored(core.attributes),
    extension: type === "User" ? maybe(stored(enterpriseSchema.attributes)) : fc.constant(undefined),
    externalId: maybe(text),
    name: text,
    active: fc.boolean(),
    created: fc.constantFrom(...moments),
    lastModified: fc.constantFrom(...moments),
    version: fc.integer({ min: 1, max: 3 }),
    groups: fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 3 })
  })
}

type Chance = ReturnType<typeof resourceArbitrary> extends fc.Arbitrary<infer A> ? A : never

const whole = (type: ResourceType, id: string, value: Chance): SampleResource => {
  const { active, created, extension, externalId, groups, lastModified, name, resource, version } = value
  const hasExtension = extension !== undefined && Object.keys(extension).length > 0
  return {
    type,
    id,
    created,
    lastModified,
    version,
    groups,
    resource: {
      schemas: [resourceTypes[type].core.id, ...(hasExtension ? [enterpriseSchema.id] : [])],
      ...resource,
      ...(externalId === undefined ? {} : { externalId }),
      // Names of users are unique in the database.
      ...(type === "User" ? { userName: `${name}${id}`, active } : { displayName: name }),
      ...(hasExtension ? { [enterpriseSchema.id]: extension } : {})
    }
  }
}

const shownName = ({ resource }: SampleResource) => {
  const name = resource["displayName"] ?? resource["userName"]
  return typeof name === "string" ? name : ""
}

/** Names of groups are unique too: the first keeps its name, later ones get their id appended. */
const namedOnce = (groups: ReadonlyArray<SampleResource>): ReadonlyArray<SampleResource> => {
  const taken = new Set<string>()
  return groups.map((group) => {
    const name = shownName(group)
    const isTaken = taken.has(fold(name))
    taken.add(fold(name))
    return isTaken ? { ...group, resource: { ...group.resource, displayName: `${name}${group.id}` } } : group
  })
}

/** A directory of users and groups, determined by a seed. */
export const makeDirectory = (seed: number, users: number, groups: number): ReadonlyArray<SampleResource> => [
  ...fc
    .sample(resourceArbitrary("User"), { seed, numRuns: users })
    .map((value, index) => whole("User", `scu_${index}`, value)),
  ...namedOnce(
    fc
      .sample(resourceArbitrary("Group"), { seed, numRuns: groups })
      .map((value, index) => whole("Group", `tem_${index}`, value))
  )
]

/** The client's representation, which the evaluator uses. */
const shown = (all: ReadonlyArray<SampleResource>, sample: SampleResource): JsonObject => {
  const groups = all.filter(({ type }) => type === "Group")
  const users = all.filter(({ type }) => type === "User")
  const related: ReadonlyArray<JsonObject> =
    sample.type === "User"
      ? sample.groups.flatMap((number) => {
          const group = groups[number]
          return group === undefined ? [] : [{ value: group.id, display: shownName(group), type: "direct" }]
        })
      : users
          .filter((user) => user.groups.some((number) => groups[number] === sample))
          .map((user) => ({ value: user.id, display: shownName(user), type: "User" }))
  return {
    ...sample.resource,
    id: sample.id,
    meta: {
      resourceType: sample.type,
      created: sample.created,
      lastModified: sample.lastModified,
      version: `W/"${sample.version}"`
    },
    ...(related.length === 0 ? {} : { [sample.type === "User" ? "groups" : "members"]: related })
  }
}

const insert = (
  sql: Sql,
  organizationId: string,
  directoryId: string,
  userId: string,
  all: ReadonlyArray<SampleResource>
) =>
  Effect.gen(function* () {
    const rows = all.map((sample) => ({ sample, stored: normalized(sample.type, sample.resource) }))
    for (const { sample, stored } of rows) {
      const { active, externalId, name } = stored.columns
      const { created, id, lastModified, type, version } = sample
      const documents = sql`${sql.json(stored.resource)}, ${sql.json(stored.folded)}`
      const moments = sql`${created}::timestamptz, ${lastModified}::timestamptz`
      yield* type === "User"
        ? sql`INSERT INTO scim_users (organization_id, id, directory_id, user_name, external_id, active, resource_json,
            folded_json, created_at, updated_at, version, user_id)
          VALUES (${organizationId}, ${id}, ${directoryId}, ${name}, ${externalId}, ${active}, ${documents}, ${moments},
            ${version}, ${userId})`
        : sql`INSERT INTO scim_groups (organization_id, id, directory_id, display_name, external_id, resource_json,
            folded_json, created_at, updated_at, version)
          VALUES (${organizationId}, ${id}, ${directoryId}, ${name}, ${externalId}, ${documents}, ${moments}, ${version})`
    }
    const groups = all.filter(({ type }) => type === "Group")
    for (const { groups: numbers, id, type } of all) {
      if (type === "Group") continue
      for (const number of numbers) {
        const group = groups[number]
        if (group === undefined) continue
        yield* sql`INSERT INTO scim_group_members (organization_id, group_id, scim_user_id)
          VALUES (${organizationId}, ${group.id}, ${id})`
      }
    }
  })

/** Users of directory scd_1, numbered from scu_0. */
export const insertUsers = (sql: Sql, organizationId: string, userId: string, users: ReadonlyArray<Normalized>) =>
  Effect.forEach(users, ({ columns, folded, resource }, n) => {
    const { active, externalId, name } = columns
    return sql`INSERT INTO scim_users (organization_id, id, directory_id, user_name, external_id, active, resource_json,
        folded_json, created_at, updated_at, user_id)
      VALUES (${organizationId}, ${`scu_${n}`}, 'scd_1', ${name}, ${externalId}, ${active}, ${sql.json(resource)},
        ${sql.json(folded)}, now(), now(), ${userId})`
  })

const recased = (name: string): fc.Arbitrary<string> =>
  fc.constantFrom(name, name, name.toUpperCase(), name.toLowerCase())

const literal = (leaf: Attribute): fc.Arbitrary<string> => {
  const right =
    leaf.type === "boolean"
      ? fc.constantFrom("true", "false", '"True"', "null")
      : leaf.type === "dateTime"
        ? fc.constantFrom(...[...moments, "2026-01-01T01:00:00+01:00"].map((moment) => JSON.stringify(moment)), "null")
        : fc.oneof({ weight: 9, arbitrary: text.map((value) => JSON.stringify(value)) }, fc.constantFrom("null", '""'))
  return fc.oneof({ weight: 30, arbitrary: right }, fc.constantFrom("1", "-1.5e3", "true"))
}

const operatorsOf = (leaf: Attribute): ReadonlyArray<string> => {
  switch (leaf.type) {
    case "boolean":
      return ["eq", "ne"]
    case "dateTime":
      return ["eq", "ne", "gt", "ge", "lt", "le"]
    case "binary":
      return ["eq", "ne", "co", "sw", "ew"]
    default:
      return ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"]
  }
}

const test = (name: string, leaf: Attribute): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 1, arbitrary: recased(name).map((name) => `${name} pr`) },
    {
      weight: leaf.type === "complex" ? 0 : 5,
      arbitrary: fc
        .tuple(recased(name), fc.constantFrom(...operatorsOf(leaf)).chain(recased), literal(leaf))
        .map((words) => words.join(" "))
    }
  )

const joined = (tests: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.letrec<{ any: string }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      { weight: 4, arbitrary: tests },
      { weight: 1, arbitrary: fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(${a}) and (${b})`) },
      { weight: 1, arbitrary: fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(${a}) or ${b}`) },
      { weight: 1, arbitrary: tie("any").map((a) => `not (${a})`) },
      { weight: 1, arbitrary: fc.tuple(tests, tests, tests).map(([a, b, c]) => `${a} or ${b} and ${c}`) }
    )
  })).any

const valueOf = (attribute: Attribute) => attribute.subAttributes?.find(({ name }) => name === "value") ?? attribute

const testsOf = (prefix: string, attribute: Attribute): ReadonlyArray<fc.Arbitrary<string>> => {
  const subs = (attribute.subAttributes ?? []).filter(
    ({ name }) => !/^(\$ref|location)$/.test(name) || attribute.name === "manager"
  )
  const name = `${prefix}${attribute.name}`
  return [
    test(name, valueOf(attribute)),
    ...subs.map((sub) => test(`${name}.${sub.name}`, sub)),
    ...(subs.length === 0
      ? []
      : [joined(fc.oneof(...subs.map((sub) => test(sub.name, sub)))).map((inside) => `${name}[${inside}]`)])
  ]
}

const common = (): ReadonlyArray<fc.Arbitrary<string>> => [
  fc
    .tuple(fc.constantFrom("eq", "ne", "sw", "co", "gt"), fc.constantFrom("scu_1", "tem_1", "SCU_1", "scu_1", "scu"))
    .map(([operator, id]) => `id ${operator} "${id}"`),
  fc.constantFrom("created", "lastModified").chain((name) => test(`meta.${name}`, momentAttribute)),
  fc.constantFrom(
    'meta.resourceType eq "User"',
    'meta.version eq "W/\\"2\\""',
    "meta pr",
    'meta[resourceType eq "Group"]'
  ),
  test("externalId", textAttribute),
  fc.constantFrom(
    `schemas eq "${enterpriseSchema.id}"`,
    `schemas ne "${userSchema.id}"`,
    `schemas co "enterprise"`,
    "schemas pr"
  )
]
const momentAttribute: Attribute = {
  name: "created",
  type: "dateTime",
  multiValued: false,
  description: "",
  required: false,
  caseExact: false,
  mutability: "readOnly",
  returned: "default",
  uniqueness: "none"
}
const textAttribute: Attribute = { ...momentAttribute, name: "externalId", type: "string", caseExact: true }

const filters = joined(
  fc.oneof(
    ...common(),
    ...userSchema.attributes.filter(({ name }) => name !== "password").flatMap((attribute) => testsOf("", attribute)),
    ...userSchema.attributes.slice(0, 2).flatMap((attribute) => testsOf(`${userSchema.id}:`, attribute)),
    ...enterpriseSchema.attributes.flatMap((attribute) => testsOf(`${enterpriseSchema.id}:`, attribute)),
    ...groupSchema.attributes.flatMap((attribute) => testsOf("", attribute))
  )
)

export interface Comparison {
  readonly pairs: number
  readonly matches: number
  readonly refused: number
  readonly faults: ReadonlyArray<string>
}

const idsOf = (evaluated: ReadonlyArray<{ readonly id: string }>) => evaluated.map(({ id }) => id).sort()

/** Compares the results of the database and the evaluator for each filter. */
export const compareFilters = (sql: Sql, organizationId: string, userId: string, seed: number, count: number) =>
  Effect.gen(function* () {
    const all = makeDirectory(seed, 150, 10)
    yield* insert(sql, organizationId, "scd_1", userId, all)
    const seen = all.map((sample) => ({ id: sample.id, type: sample.type, resource: shown(all, sample) }))
    const comparison = { pairs: 0, matches: 0, refused: 0, faults: [] as Array<string> }
    for (let done = 0; done < count; done += rowsAtOnce) {
      for (const filter of fc.sample(filters, { seed: seed + done, numRuns: Math.min(count - done, rowsAtOnce) })) {
        for (const type of ["User", "Group"] as const) {
          let parsed
          let condition
          try {
            parsed = parseFilter(filter)
            condition = filterSql(sql, type, parsed)
          } catch (fault) {
            if (!(fault instanceof ScimFault) || fault.scimType !== "invalidFilter") throw fault
            comparison.refused++
            continue
          }
          const rows = yield* type === "User"
            ? sql<{
                id: string
              }>`SELECT u.id FROM scim_users u WHERE u.organization_id = ${organizationId} AND ${condition}`
            : sql<{
                id: string
              }>`SELECT g.id FROM scim_groups g WHERE g.organization_id = ${organizationId} AND ${condition}`
          const own = seen.filter((one) => one.type === type)
          const expected = idsOf(own.filter(({ resource }) => evaluate(type, parsed, resource)))
          comparison.pairs += own.length
          comparison.matches += expected.length
          const matches = idsOf(rows)
          if (matches.join() !== expected.join()) {
            comparison.faults.push(`${type} ${filter}\n  found ${matches.join()}\n  instead of ${expected.join()}`)
            if (comparison.faults.length > 5) return comparison satisfies Comparison
          }
        }
      }
    }
    return comparison satisfies Comparison
  })
