import { randomInt } from "node:crypto"
import { describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import {
  filterSql,
  type JsonObject,
  normalize,
  parseFilter,
  sortSql,
  userSchema
} from "../../src/infra/scim/language/index.ts"
import { faultOf } from "../../src/infra/scim/language/faults.fixture.ts"
import { makeControlPlane, makeWorkspace, runSql } from "../harness.ts"
import { compareFilters, insertUsers } from "./scim-filters.ts"

const plane = await makeControlPlane({ workers: false })

describe("SCIM filters in SQL", () => {
  it.each([
    ["of a seed that stays", 7],
    ["of a new seed each time", randomInt(2 ** 31)]
  ])(
    "match the evaluator in thousands of pairs %s (%i)",
    async (_, seed) => {
      const { organizationId, userId } = await makeWorkspace(plane)
      const { faults, matches, pairs, refused } = await runSql(plane, (sql) =>
        compareFilters(sql, organizationId, userId, seed, 1000)
      )
      expect(faults).toEqual([])
      expect(pairs).toBeGreaterThanOrEqual(50_000)
      expect(matches).toBeGreaterThanOrEqual(pairs / 20)
      expect(refused).toBeLessThan(1000)
    },
    180_000
  )
})

describe("SCIM users in SQL", () => {
  const people = async (inputs: ReadonlyArray<JsonObject>) => {
    const { organizationId, userId } = await makeWorkspace(plane)
    const users = inputs.map((input) => normalize("User", { schemas: [userSchema.id], ...input }, { kind: "create" }))
    await runSql(plane, (sql) => insertUsers(sql, organizationId, userId, users))
    return organizationId
  }

  it.each([
    ['userName eq "PERSON7@acme.test"', "scim_users_name"],
    ['userName sw "person7"', "scim_users_name"],
    ['active eq true and userName eq "person7@acme.test"', "scim_users_name"],
    ['externalId eq "e7"', "scim_users_external"],
    ['id eq "scu_7"', "scim_users"]
  ])("are looked up with an index for %s", async (filter, index) => {
    const organizationId = await people(
      Array.from({ length: 300 }, (_, n) => ({ userName: `person${n}@acme.test`, externalId: `e${n}` }))
    )
    const plan = await runSql(plane, (sql) =>
      Effect.gen(function* () {
        yield* sql`ANALYZE scim_users`
        const rows = yield* sql.withTransaction(
          Effect.andThen(
            sql`SET LOCAL enable_seqscan = off`,
            sql<Record<string, string>>`EXPLAIN SELECT u.id FROM scim_users u
              WHERE u.organization_id = ${organizationId} AND u.directory_id = 'scd_1' AND u.removed_at IS NULL
                AND ${filterSql(sql, "User", parseFilter(filter))}
              ORDER BY ${sortSql(sql, "User")} LIMIT 100`
          )
        )
        return rows.flatMap((row) => Object.values(row)).join("\n")
      })
    )
    expect(plan).toContain(index)
    expect(plan).toMatch(/Index Cond: .*(user_name|external_id|\bid\b).*(person7|e7|scu_7|\$)/i)
  })

  it.each([
    ['displayName eq "GROUP 7"', "scim_groups_name"],
    ['externalId eq "e7"', "scim_groups_external"],
    ['id eq "tem_7"', "scim_groups"]
  ])("include groups that are looked up with an index for %s", async (filter, index) => {
    const { organizationId } = await makeWorkspace(plane)
    const plan = await runSql(plane, (sql) =>
      Effect.gen(function* () {
        yield* sql`INSERT INTO scim_groups (organization_id, id, directory_id, display_name, external_id, resource_json,
            folded_json, created_at, updated_at)
          SELECT ${organizationId}, 'tem_' || n, 'scd_1', 'group ' || n, 'e' || n, '{}', '{}', now(), now()
          FROM generate_series(1, 300) AS n`
        yield* sql`ANALYZE scim_groups`
        const rows = yield* sql.withTransaction(
          Effect.andThen(
            sql`SET LOCAL enable_seqscan = off`,
            sql<Record<string, string>>`EXPLAIN SELECT g.id FROM scim_groups g
              WHERE g.organization_id = ${organizationId} AND g.directory_id = 'scd_1' AND g.removed_at IS NULL
                AND ${filterSql(sql, "Group", parseFilter(filter))}
              ORDER BY ${sortSql(sql, "Group")} LIMIT 100`
          )
        )
        return rows.flatMap((row) => Object.values(row)).join("\n")
      })
    )
    expect(plan).toContain(index)
    expect(plan).toMatch(/Index Cond: .*(display_name|external_id|\bid\b).*(group 7|e7|tem_7|\$)/i)
  })

  const sorted = (organizationId: string, sortBy: string | undefined, order?: "ascending" | "descending") =>
    runSql(plane, (sql) =>
      sql<{ name: string }>`SELECT u.resource_json ->> 'userName' AS name FROM scim_users u
        WHERE u.organization_id = ${organizationId} ORDER BY ${sortSql(sql, "User", sortBy, order)}`.pipe(
        Effect.map((rows) => rows.map(({ name }) => name).join(" "))
      )
    )
  it("are sorted ignoring case, by the primary or first value, with missing values last", async () => {
    const organizationId = await people([
      { userName: "b", title: "Z", emails: [{ value: "1" }, { value: "9", type: "x", primary: true }] },
      { userName: "A", title: "y", emails: [{ value: "8" }, { value: "0" }] },
      { userName: "é", active: false },
      { userName: "c", title: "x", emails: [{ value: "2" }] }
    ])
    expect(await sorted(organizationId, undefined)).toBe("b A é c")
    expect(await sorted(organizationId, "userName")).toBe("A b c é")
    expect(await sorted(organizationId, "USERNAME", "descending")).toBe("é c b A")
    expect(await sorted(organizationId, "title")).toBe("c A b é")
    expect(await sorted(organizationId, "title", "descending")).toBe("é b A c")
    expect(await sorted(organizationId, "emails")).toBe("c A b é")
    expect(await sorted(organizationId, "emails.value", "descending")).toBe("é b A c")
    expect(await sorted(organizationId, "displayName")).toBe("b A é c")
    expect(await sorted(organizationId, "meta.created")).toBe("b A é c")
    expect(await sorted(organizationId, "active")).toBe("é b A c")
    expect(await sorted(organizationId, "members")).toBe("b A é c")
  })
  it.each(["shoeSize", "name", "groups", "emails[type eq 1]", "schemas", "meta", userSchema.id, "a b"])(
    "cannot be sorted by %s",
    async (sortBy) => {
      const fault = await runSql(plane, (sql) => Effect.sync(() => faultOf(() => sortSql(sql, "User", sortBy))))
      expect(fault).toMatch(/^400 invalid(Value|Path|Filter)$/)
    }
  )
})
