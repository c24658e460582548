import { describe, expect, it } from "vitest"
import { resourceTypeDocuments, schemaDocuments } from "./discovery.ts"
import { faultOf } from "./faults.fixture.ts"
import type { JsonObject } from "./json.ts"
import { parseSelection, project, wants } from "./project.ts"
import { enterpriseSchema, groupSchema, userSchema } from "./schemas.ts"
import { toWire } from "./wire.ts"

const base = "https://api.acme.test/v1/scim/v2"
const enterprise = enterpriseSchema.id
const moment = new Date("2026-01-02T03:04:05.678Z")
const stored = (resource: JsonObject) => ({ id: "scu_1", resource, createdAt: moment, updatedAt: moment, version: 3 })
const wire = toWire(
  "User",
  stored({
    schemas: [userSchema.id, enterprise],
    externalId: "e",
    userName: "ann",
    name: { givenName: "Ann", familyName: "Lee" },
    emails: [{ value: "a@b.test", type: "work" }, { value: "c@d.test" }],
    [enterprise]: { department: "D", manager: { value: "m" } }
  }),
  base,
  [{ id: "tem_1", display: "Sales" }]
)
const minimal = { schemas: [userSchema.id, enterprise], id: "scu_1" }
const shown = (attributes?: string | ReadonlyArray<string>, excludedAttributes?: string) =>
  project("User", wire, parseSelection("User", { attributes, excludedAttributes }))

describe("the representation of a SCIM resource", () => {
  it("has its ID, groups and meta", () => {
    expect(wire).toMatchObject({
      id: "scu_1",
      groups: [{ value: "tem_1", $ref: `${base}/Groups/tem_1`, display: "Sales", type: "direct" }],
      meta: {
        resourceType: "User",
        created: "2026-01-02T03:04:05.678Z",
        lastModified: "2026-01-02T03:04:05.678Z",
        location: `${base}/Users/scu_1`,
        version: 'W/"3"'
      }
    })
  })
  it("has a group's members, and no list without members", () => {
    const group = { ...stored({ schemas: [groupSchema.id], displayName: "Sales" }), id: "tem_1" }
    expect(toWire("Group", group, base, [{ id: "scu_1", display: "Ann" }])["members"]).toEqual([
      { value: "scu_1", $ref: `${base}/Users/scu_1`, display: "Ann", type: "User" }
    ])
    expect(toWire("Group", group, base)).not.toHaveProperty("members")
  })
})

describe("selected SCIM attributes", () => {
  it.each([
    ["userName", { ...minimal, userName: "ann" }],
    ["USERNAME,name.GivenName", { ...minimal, userName: "ann", name: { givenName: "Ann" } }],
    ["emails.type", { ...minimal, emails: [{ type: "work" }] }],
    ["emails.type, emails", { ...minimal, emails: wire["emails"] }],
    ["emails,emails.type", { ...minimal, emails: wire["emails"] }],
    [`${userSchema.id}:userName`, { ...minimal, userName: "ann" }],
    [`${enterprise}:department`, { ...minimal, [enterprise]: { department: "D" } }],
    [`${enterprise}:manager.value`, { ...minimal, [enterprise]: { manager: { value: "m" } } }],
    [enterprise, { ...minimal, [enterprise]: wire[enterprise] }],
    ["manager", { ...minimal, [enterprise]: { manager: { value: "m" } } }],
    ["meta.version", { ...minimal, meta: { version: 'W/"3"' } }],
    ["shoeSize, a b, emails[type eq 1]", minimal],
    ["id", minimal],
    ["", wire]
  ])("are returned for %s", (attributes, expected) => {
    expect(shown(attributes)).toEqual(expected)
  })
  it("can be a list, and never include the password", () => {
    expect(shown(["id", "password", "nickName"])).toEqual(minimal)
  })
  it("include those that are always returned", () => {
    expect(shown(undefined, "id,schemas,userName,name.familyName,emails,groups,meta,externalId,manager")).toEqual({
      ...minimal,
      name: { givenName: "Ann" },
      [enterprise]: { department: "D" }
    })
  })
  it("cannot be included and excluded at once", () => {
    expect(faultOf(() => shown("id", "emails"))).toBe("400 invalidValue")
    expect(faultOf(() => shown(Array.from({ length: 201 }, () => "id")))).toBe("400 invalidValue")
  })
  it("determine whether groups and members are needed", () => {
    const looks = (query: object) => wants(parseSelection("Group", query), "members")
    expect(looks({})).toBe(true)
    expect(looks({ attributes: "displayName" })).toBe(false)
    expect(looks({ attributes: "members.value" })).toBe(true)
    expect(looks({ excludedAttributes: "Members" })).toBe(false)
    expect(looks({ excludedAttributes: "members.display" })).toBe(true)
    expect(looks({ attributes: "shoeSize" })).toBe(false)
  })
})

describe("the SCIM discovery documents", () => {
  const documents = schemaDocuments(base)
  it("list every schema and resource type with its URL", () => {
    expect(documents.map(({ id }) => id)).toEqual([userSchema.id, enterprise, groupSchema.id])
    expect(resourceTypeDocuments(base)).toMatchObject([
      {
        id: "User",
        endpoint: "/Users",
        schema: userSchema.id,
        schemaExtensions: [{ schema: enterprise, required: false }]
      },
      { id: "Group", endpoint: "/Groups", schema: groupSchema.id, schemaExtensions: [] }
    ])
    expect(documents[0]).toMatchObject({
      meta: { resourceType: "Schema", location: `${base}/Schemas/${userSchema.id}` }
    })
  })
  it("describe every attribute with all members of RFC 7643 §7", () => {
    const allOf = (attributes: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> =>
      attributes.flatMap((one) => [one, ...allOf((one["subAttributes"] ?? []) as ReadonlyArray<JsonObject>)])
    const all = allOf(documents.flatMap((one) => one["attributes"] as ReadonlyArray<JsonObject>))
    expect(all.length).toBeGreaterThan(80)
    for (const attribute of all) {
      for (const trait of ["name", "type", "multiValued", "description", "required", "mutability", "returned"]) {
        expect(attribute).toHaveProperty(trait)
      }
      expect(attribute["type"] === "complex").toBe("subAttributes" in attribute)
      expect(attribute["type"] === "reference").toBe("referenceTypes" in attribute)
    }
  })
})
