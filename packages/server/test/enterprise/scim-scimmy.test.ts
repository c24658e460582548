/** What we say of ourselves and find, beside what scimmy, another implementation of the protocol, knows and finds. */
import SCIMMY from "scimmy"
import { describe, expect, it } from "vitest"
import { makeControlPlane } from "../harness.ts"
import { enterpriseUrn, groupUrn, makeDirectory, makeGroup, makeUser, userUrn } from "./scim.fixture.ts"

const plane = await makeControlPlane({ workers: false })

interface Told {
  readonly name: string
  readonly type: string
  readonly multiValued: boolean
  readonly required: boolean
  readonly returned: string
  readonly subAttributes?: ReadonlyArray<Told>
}

type Known = InstanceType<typeof SCIMMY.Types.Attribute>

/** In the order of their names: ours, as `/Schemas` tells them. */
const ours = (attributes: ReadonlyArray<Told>): ReadonlyArray<unknown> =>
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

/** Without those that every resource has, which stand in no schema. */
const theirs = (attributes: ReadonlyArray<Known>): ReadonlyArray<unknown> =>
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
  ])("tells of %s what the RFC says of it", async (urn, { definition }) => {
    const { scim } = await makeDirectory(plane)
    const { body } = await scim("GET", `/Schemas/${urn}`)
    expect([body.id, body.name]).toEqual([definition.id, definition.name])
    expect(ours(body.attributes)).toEqual(theirs(definition.attributes))
  })
})

/** What scimmy writes in its own way is left out. */
const withoutSchemas = (resource: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => name !== "schemas" && name !== "meta"))

describe("resources", () => {
  it("are what scimmy takes for users and groups", async () => {
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

// scimmy knows no schema here, so the texts are as they were written: case is compared as it stands.
describe("filters", async () => {
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
  ])("find what scimmy finds by %s", async (filter) => {
    const { body } = await directory.scim("GET", `/Users?filter=${encodeURIComponent(filter)}`)
    const found = body.Resources.map(({ userName }: { userName: string }) => userName)
    const matched = new SCIMMY.Types.Filter(filter).match([...all])
    expect(found).toEqual(matched.map(({ userName }: { userName: string }) => userName))
  })

  it.each([
    ["displayName", "ascending", 1, 3],
    ["displayName", "descending", 2, 2],
    ["name.familyName", "ascending", 4, 9]
  ] as const)(
    "and sorted by %s, %s, are in its order, from %i on, %i at most",
    async (sortBy, sortOrder, startIndex, count) => {
      const query = `sortBy=${sortBy}&sortOrder=${sortOrder}&startIndex=${startIndex}&count=${count}`
      const { body } = await directory.scim("GET", `/Users?${query}`)
      const told = new SCIMMY.Messages.ListResponse([...all], { sortBy, sortOrder, startIndex, itemsPerPage: count })
      const { Resources, schemas, totalResults } = told
      expect(body).toEqual({ schemas, totalResults, startIndex, itemsPerPage: body.Resources.length, Resources })
    }
  )
})
