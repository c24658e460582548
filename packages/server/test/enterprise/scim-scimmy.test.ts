/** Compares our schemas, resources and filters with scimmy, another implementation of the protocol. */
import SCIMMY from "scimmy"
import { describe, expect, it } from "vitest"
import { makeControlPlane } from "../harness.ts"
import { enterpriseUrn, groupUrn, makeDirectory, makeGroup, makeUser, userUrn } from "./scim.fixture.ts"

const plane = await makeControlPlane({ workers: false })

interface AttributeDefinition {
  readonly name: string
  readonly type: string
  readonly multiValued: boolean
  readonly required: boolean
  readonly returned: string
  readonly subAttributes?: ReadonlyArray<AttributeDefinition>
}

type ScimmyAttribute = InstanceType<typeof SCIMMY.Types.Attribute>

/** Our schemas from `/Schemas`, sorted by name. */
const ours = (attributes: ReadonlyArray<AttributeDefinition>): ReadonlyArray<unknown> =>
  attributes
    .map(({ multiValued, name, required, returned, subAttributes, type }) => ({
      name,
      type,
      multiValued,
      required,
      isReturned: returned !== "never",
      inside: subAttributes === undefined ? [] : ours(subAttributes)
    }))
    .sort((one, other) => one.name.localeCompare(other.name))

/** Without the common attributes, which no schema lists. */
const theirs = (attributes: ReadonlyArray<ScimmyAttribute>): ReadonlyArray<unknown> =>
  attributes
    .filter(({ config }) => config.shadow !== true)
    .map(({ config, name, subAttributes, type }) => ({
      name,
      type,
      multiValued: config.multiValued === true,
      required: config.required === true,
      isReturned: config.returned !== false,
      inside: subAttributes === undefined ? [] : theirs(subAttributes)
    }))
    .sort((one, other) => one.name.localeCompare(other.name))

describe("/Schemas", () => {
  it.each([
    [userUrn, SCIMMY.Schemas.User],
    [enterpriseUrn, SCIMMY.Schemas.EnterpriseUser],
    [groupUrn, SCIMMY.Schemas.Group]
  ])("describes %s as the RFC does", async (urn, { definition }) => {
    const { scim } = await makeDirectory(plane)
    const { body } = await scim("GET", `/Schemas/${urn}`)
    expect([body.id, body.name]).toEqual([definition.id, definition.name])
    expect(ours(body.attributes)).toEqual(theirs(definition.attributes))
  })
})

/** Leaves out what scimmy writes differently. */
const withoutSchemas = (resource: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => name !== "schemas" && name !== "meta"))

describe("SCIM resources", () => {
  it("are valid users and groups for scimmy", async () => {
    const directory = await makeDirectory(plane)
    const user = await makeUser(directory, {
      schemas: [userUrn, enterpriseUrn],
      nickName: "Nick",
      addresses: [{ type: "work", locality: "Bern", country: "CH" }],
      [enterpriseUrn]: { department: "Research" }
    })
    const group = await makeGroup(directory, [user.id])
    const { [enterpriseUrn]: enterprise, ...core } = user
    expect(SCIMMY.Schemas.User.definition.coerce(structuredClone(core), "out")).toMatchObject(withoutSchemas(core))
    expect(enterprise).toEqual({ department: "Research" })
    expect(SCIMMY.Schemas.Group.definition.coerce(structuredClone(group), "out")).toMatchObject(withoutSchemas(group))
  })
})

// scimmy has no schema here, so texts keep their case and are compared exactly.
describe("SCIM filters", async () => {
  const directory = await makeDirectory(plane)
  const people = [
    { userName: "ada@corp.example", displayName: "Ada", title: "Engineer", nickName: "Countess" },
    { userName: "bob@corp.example", displayName: "Bob", active: false, title: "engineer in chief" },
    { userName: "Cleo@corp.example", displayName: "Cleo", externalId: "c-1", name: { familyName: "Barnes" } },
    { userName: "dan@other.example", displayName: "Dan", emails: [{ value: "dan@home.example", type: "home" }] },
    { userName: "eve@other.example", displayName: "Eve", phoneNumbers: [{ value: "42", type: "work" }] }
  ]
  for (const person of people) await makeUser(directory, person)
  const all: ReadonlyArray<InstanceType<typeof SCIMMY.Types.Schema> & { userName: string }> = (
    await directory.scim("GET", "/Users")
  ).body.Resources

  it.each([
    'userName eq "ada@corp.example"',
    'userName sw "C" or userName ew "other.example"',
    'not (userName co "corp")',
    "nickName pr",
    'title eq "Engineer"',
    'title co "engineer" and active eq false',
    "active eq false",
    'externalId eq "c-1"',
    'name.familyName eq "Barnes"',
    'emails[type eq "home" and value co "@home"]',
    'emails[type eq "work"]',
    "not (title pr)",
    'displayName gt "Bob" and displayName le "Dan"',
    'userName pr and (displayName eq "Eve" or nickName eq "Countess")',
    'displayName ne "Eve"',
    'meta.created gt "2020-01-01T00:00:00Z"'
  ])("match scimmy for %s", async (filter) => {
    const { body } = await directory.scim("GET", `/Users?filter=${encodeURIComponent(filter)}`)
    const userNames = body.Resources.map(({ userName }: { userName: string }) => userName)
    const matched = new SCIMMY.Types.Filter(filter).match([...all])
    expect(userNames).toEqual(matched.map(({ userName }: { userName: string }) => userName))
  })

  it.each([
    ["displayName", "ascending", 1, 3],
    ["displayName", "descending", 2, 2],
    ["name.familyName", "ascending", 4, 9]
  ] as const)("sort by %s, %s like scimmy, from %i, at most %i", async (sortBy, sortOrder, startIndex, count) => {
    const query = `sortBy=${sortBy}&sortOrder=${sortOrder}&startIndex=${startIndex}&count=${count}`
    const { body } = await directory.scim("GET", `/Users?${query}`)
    const expected = new SCIMMY.Messages.ListResponse([...all], { sortBy, sortOrder, startIndex, itemsPerPage: count })
    const { Resources, schemas, totalResults } = expected
    expect(body).toEqual({ schemas, totalResults, startIndex, itemsPerPage: body.Resources.length, Resources })
  })
})
