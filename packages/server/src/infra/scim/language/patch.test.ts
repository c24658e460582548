import { describe, expect, it } from "vitest"
import { faultOf } from "./faults.fixture.ts"
import type { JsonObject } from "./json.ts"
import { normalize } from "./normalize.ts"
import { applyPatch, patchUrn } from "./patch.ts"
import { entraUser, googleGroup, googleUser, groupPatches, oktaUser, user, userPatches } from "./providers.fixture.ts"
import { enterpriseSchema, groupSchema, userSchema } from "./schemas.ts"

const group: JsonObject = { schemas: [groupSchema.id], displayName: "Sales" }
const body = (...Operations: ReadonlyArray<unknown>) => ({ schemas: [patchUrn], Operations })
const patched = (...operations: ReadonlyArray<unknown>) => applyPatch("User", user, body(...operations)).resource
const work = { value: "ann@acme.test", type: "work", primary: true }
const home = { value: "ann@home.test", type: "home" }

describe("requests of identity providers", () => {
  it.each(userPatches)("%s", (_, patch, expected) => {
    const { resource } = applyPatch("User", user, patch)
    const wanted = {
      ...user,
      ...(enterpriseSchema.id in expected ? { schemas: resource["schemas"] } : {}),
      ...expected
    }
    expect(JSON.parse(JSON.stringify(resource))).toEqual(JSON.parse(JSON.stringify(wanted)))
  })
  it.each(groupPatches)("%s", (_, patch, displayName, members) => {
    const result = applyPatch("Group", group, patch)
    expect(result.resource).toEqual({ ...group, displayName })
    expect(result.members).toEqual(members)
  })
  it("are accepted from Okta, without groups and password", () => {
    const { groups: _groups, password: _password, ...rest } = oktaUser
    expect(normalize("User", oktaUser, { kind: "create" }).resource).toEqual(rest)
  })
  it("are accepted from Entra, without nulls and meta", () => {
    const { meta: _meta, roles: _roles, ...rest } = entraUser
    expect(normalize("User", entraUser, { kind: "create" }).resource).toEqual({
      ...rest,
      addresses: [{ primary: false, type: "work", streetAddress: "1 Way", country: "US" }],
      [enterpriseSchema.id]: { department: "R&D", manager: { value: "26118915-6090-4610-87e4-49d8ca9f808d" } }
    })
  })
  it("are accepted from Google", () => {
    expect(normalize("User", googleUser, { kind: "create" }).resource).toEqual(googleUser)
    const { members: _, ...rest } = googleGroup
    expect(normalize("Group", googleGroup, { kind: "create" })).toMatchObject({ resource: rest, members: ["scu_1"] })
  })
})

describe("SCIM PATCH operations", () => {
  it("add to multi-valued attributes, and replace single-valued ones", () => {
    expect(patched({ op: "add", path: "emails", value: { value: "x@y.test", type: "other" } })).toMatchObject({
      emails: [work, home, { value: "x@y.test", type: "other" }]
    })
    expect(
      patched({ op: "add", path: "nickName", value: "A" }, { op: "add", path: "nickName", value: "B" })
    ).toMatchObject({
      nickName: "B"
    })
  })
  it("add no duplicates, regardless of case", () => {
    expect(patched({ op: "add", path: "emails", value: [{ value: "ANN@home.test", type: "Home" }] })).toMatchObject({
      emails: [work, { value: "ANN@home.test", type: "Home" }]
    })
    expect(patched({ op: "add", path: "emails", value: [work, home] })).toEqual(user)
  })
  it("leave only the newest primary value primary", () => {
    const primary = { value: "x@y.test", type: "other", primary: true }
    expect(patched({ op: "add", path: "emails", value: [primary] })).toMatchObject({
      emails: [{ ...work, primary: false }, home, primary]
    })
    expect(patched({ op: "replace", path: 'emails[type eq "home"].primary', value: "True" })).toMatchObject({
      emails: [
        { ...work, primary: false },
        { ...home, primary: true }
      ]
    })
  })
  it("replace a selected value completely, and keep omitted members of a complex attribute", () => {
    expect(patched({ op: "replace", path: 'emails[type eq "home"]', value: { value: "z@z.test" } })).toMatchObject({
      emails: [work, { value: "z@z.test" }]
    })
    expect(patched({ op: "replace", path: "name", value: { givenName: "Anna", familyName: null } })).toMatchObject({
      name: { givenName: "Anna" }
    })
  })
  it("remove selected values, and all values without a filter", () => {
    expect(patched({ op: "remove", path: 'emails[type eq "home" and value co "home"]' })["emails"]).toEqual([work])
    expect(patched({ op: "remove", path: "emails" })).not.toHaveProperty("emails")
    expect(patched({ op: "remove", path: "emails", value: [{ value: "ann@home.test" }] })["emails"]).toEqual([work])
    expect(patched({ op: "remove", path: "name.givenName" })["name"]).toEqual({ familyName: "Lee" })
    expect(patched({ op: "replace", path: "displayName", value: null })).not.toHaveProperty("displayName")
  })
  it("drop a value that has lost its value", () => {
    expect(patched({ op: "remove", path: 'emails[type eq "home"].value' })["emails"]).toEqual([work])
  })
  it("accept an attribute with its schema's URN, in any case", () => {
    expect(patched({ op: "add", path: `${userSchema.id.toUpperCase()}:NICKNAME`, value: "A" })).toMatchObject({
      nickName: "A"
    })
  })
  it("change nothing when one of them fails, and never mutate their input", () => {
    const before = structuredClone(user)
    expect(
      faultOf(() => patched({ op: "replace", path: "active", value: false }, { op: "remove", path: "userName" }))
    ).toBe("400 mutability")
    expect(user).toEqual(before)
  })
})

describe("an invalid SCIM PATCH operation", () => {
  const op = (operation: unknown) => body(operation)
  it.each([
    ["no body", undefined, "400 invalidSyntax"],
    ["a list as the body", [], "400 invalidSyntax"],
    ["no schemas", { Operations: [{ op: "remove", path: "title" }] }, "400 invalidSyntax"],
    [
      "another schema",
      { schemas: [userSchema.id], Operations: [{ op: "remove", path: "title" }] },
      "400 invalidSyntax"
    ],
    ["no operations", { schemas: [patchUrn] }, "400 invalidSyntax"],
    ["an empty list of operations", body(), "400 invalidSyntax"],
    ["operations that are not a list", { schemas: [patchUrn], Operations: {} }, "400 invalidSyntax"],
    ["an operation that is not an object", body("remove"), "400 invalidSyntax"],
    ["no op", op({ path: "title", value: "a" }), "400 invalidSyntax"],
    ["an unknown op", op({ op: "move", path: "title", value: "a" }), "400 invalidSyntax"],
    [
      "an op from JavaScript's Object prototype",
      op({ op: "constructor", path: "title", value: "a" }),
      "400 invalidSyntax"
    ],
    ["an op that is not a string", op({ op: 1, path: "title", value: "a" }), "400 invalidSyntax"],
    ["remove without a path", op({ op: "remove" }), "400 noTarget"],
    ["remove with an empty path", op({ op: "remove", path: "" }), "400 noTarget"],
    ["remove with only a value", op({ op: "remove", value: { title: "a" } }), "400 noTarget"],
    ["add without a value", op({ op: "add", path: "title" }), "400 invalidValue"],
    ["replace without a value", op({ op: "replace", path: "title" }), "400 invalidValue"],
    ["a string for a complete user", op({ op: "replace", value: "a" }), "400 invalidValue"],
    ["a list for a complete user", op({ op: "replace", value: [] }), "400 invalidValue"],
    ["a path that is not a string", op({ op: "replace", path: 1, value: "a" }), "400 invalidPath"],
    ["an invalid path", op({ op: "replace", path: "a b", value: "a" }), "400 invalidPath"],
    ["a path with an invalid filter", op({ op: "replace", path: "emails[a]", value: {} }), "400 invalidFilter"],
    ["an unknown attribute", op({ op: "replace", path: "shoeSize", value: "a" }), "400 invalidPath"],
    ["an unknown sub-attribute", op({ op: "replace", path: "name.first", value: "a" }), "400 invalidPath"],
    ["a sub-attribute of a simple attribute", op({ op: "replace", path: "title.a", value: "a" }), "400 invalidPath"],
    ["an attribute of groups", op({ op: "add", path: "members", value: [{ value: "a" }] }), "400 invalidPath"],
    ["an unknown schema", op({ op: "add", path: "urn:a:b:shoeSize", value: "a" }), "400 invalidPath"],
    ["a schema of groups", op({ op: "add", path: groupSchema.id, value: {} }), "400 invalidPath"],
    [
      "a filter on a single-valued attribute",
      op({ op: "add", path: 'name[givenName eq "a"]', value: {} }),
      "400 invalidPath"
    ],
    ["a filter on a simple attribute", op({ op: "add", path: 'title[value eq "a"]', value: "a" }), "400 invalidPath"],
    [
      "a filter with an unknown attribute",
      op({ op: "add", path: 'emails[size eq "a"].value', value: "a" }),
      "400 invalidFilter"
    ],
    [
      "a filter without a meaning",
      op({ op: "add", path: 'emails[primary gt "a"].value', value: "a" }),
      "400 invalidFilter"
    ],
    ["id", op({ op: "replace", path: "id", value: "a" }), "400 mutability"],
    ["meta", op({ op: "replace", path: "meta.created", value: "a" }), "400 mutability"],
    ["groups", op({ op: "add", path: "groups", value: [{ value: "a" }] }), "400 mutability"],
    ["userName removed", op({ op: "remove", path: "userName" }), "400 mutability"],
    ["userName emptied", op({ op: "replace", path: "userName", value: "" }), "400 invalidValue"],
    ["userName made null", op({ op: "replace", value: { userName: null } }), "400 invalidValue"],
    ["active removed", op({ op: "remove", path: "active" }), "400 invalidValue"],
    ["active made null", op({ op: "replace", path: "active", value: null }), "400 invalidValue"],
    ["active made a word", op({ op: "replace", path: "active", value: "no" }), "400 invalidValue"],
    ["active made a number", op({ op: "replace", path: "active", value: 0 }), "400 invalidValue"],
    ["a number for a string", op({ op: "replace", path: "title", value: 1 }), "400 invalidValue"],
    ["a list for a string", op({ op: "replace", path: "title", value: ["a"] }), "400 invalidValue"],
    ["an object for a string", op({ op: "replace", path: "title", value: { a: 1 } }), "400 invalidValue"],
    ["a string for a name", op({ op: "replace", path: "name", value: "Ann" }), "400 invalidValue"],
    ["a list for a name", op({ op: "replace", path: "name", value: [{ givenName: "a" }] }), "400 invalidValue"],
    ["a number for an email address", op({ op: "add", path: "emails", value: [1] }), "400 invalidValue"],
    ["an object for a value", op({ op: "add", path: "emails", value: [{ value: {} }] }), "400 invalidValue"],
    ["a number for a manager", op({ op: "add", path: `${enterpriseSchema.id}:manager`, value: 1 }), "400 invalidValue"],
    [
      "a certificate that is not Base64",
      op({ op: "add", path: "x509Certificates", value: [{ value: "ä" }] }),
      "400 invalidValue"
    ],
    ["a string with a NUL", op({ op: "replace", path: "title", value: "a\0" }), "400 invalidValue"],
    ["a lone surrogate", op({ op: "replace", path: "title", value: "\ud800" }), "400 invalidValue"],
    ["a string that is too long", op({ op: "replace", path: "title", value: "a".repeat(1025) }), "400 invalidValue"],
    [
      "a repeated attribute",
      op({ op: "add", path: "emails", value: [{ value: "a", VALUE: "b" }] }),
      "400 invalidSyntax"
    ],
    [
      "a filter that matches no value",
      op({ op: "replace", path: 'emails[type eq "x"]', value: { value: "a" } }),
      "400 noTarget"
    ],
    [
      "a sub-attribute that the filter does not imply",
      op({ op: "replace", path: 'emails[type ne "work" and type ne "home"].value', value: "a" }),
      "400 noTarget"
    ],
    [
      "two values for one selected value",
      op({ op: "replace", path: 'emails[type eq "home"]', value: [home, work] }),
      "400 invalidValue"
    ],
    [
      "too many values at once",
      op({ op: "add", path: "emails", value: Array.from({ length: 201 }, () => home) }),
      "400 invalidValue"
    ],
    [
      "too many values in total",
      body(
        ...[0, 1].map((n) => ({
          op: "add",
          path: "emails",
          value: Array.from({ length: 150 }, (_, index) => ({ value: `${n}-${index}` }))
        }))
      ),
      "400 invalidValue"
    ],
    [
      "a resource too large",
      op({
        op: "add",
        path: "emails",
        value: Array.from({ length: 100 }, (_, index) => ({ value: `${index}`.padEnd(1000) }))
      }),
      "413"
    ],
    ["too many operations", body(...Array.from({ length: 1001 }, () => ({ op: "remove", path: "title" }))), "413"],
    [
      "too many values read in total",
      body(
        ...Array.from({ length: 500 }, () => ({
          op: "add",
          path: "emails",
          value: Array.from({ length: 60 }, (_, index) => ({ value: `${index}` }))
        }))
      ),
      "413"
    ]
  ])("is rejected with %s", (_, patch, expected) => {
    expect(faultOf(() => applyPatch("User", user, patch))).toBe(expected)
  })

  const ids = (count: number, prefix = "u") =>
    Array.from({ length: count }, (_, index) => ({ value: `${prefix}${index}` }))
  it.each([
    ["displayName removed", op({ op: "remove", path: "displayName" }), "400 mutability"],
    [
      "a member's value changed",
      op({ op: "replace", path: 'members[value eq "u1"].value', value: "u2" }),
      "400 mutability"
    ],
    [
      "a member replaced",
      op({ op: "replace", path: 'members[value eq "u1"]', value: { value: "u2" } }),
      "400 mutability"
    ],
    ["a member's display changed", op({ op: "replace", path: "members.display", value: "a" }), "400 mutability"],
    [
      "members selected by a part of their ID",
      op({ op: "remove", path: 'members[value sw "u"]' }),
      "400 invalidFilter"
    ],
    ["members selected by their name", op({ op: "remove", path: 'members[display eq "Ann"]' }), "400 invalidFilter"],
    ["a nested group", op({ op: "add", path: "members", value: [{ value: "g1", type: "Group" }] }), "400 invalidValue"],
    ["a member without an ID", op({ op: "add", path: "members", value: [{ display: "Ann" }] }), "400 invalidValue"],
    ["a member that is a number", op({ op: "add", path: "members", value: [1] }), "400 invalidValue"],
    ["an ID that is too long", op({ op: "add", path: "members", value: ["a".repeat(256)] }), "400 invalidValue"],
    ["too many members in one operation", op({ op: "add", path: "members", value: ids(10_001) }), "413"],
    [
      "too many members in total",
      body(...["a", "b", "c"].map((prefix) => ({ op: "add", path: "members", value: ids(7000, prefix) }))),
      "413"
    ]
  ])("is rejected for a group with %s", (_, patch, expected) => {
    expect(faultOf(() => applyPatch("Group", group, patch))).toBe(expected)
  })
  it("accepts ten thousand members added to a group and as many removed", () => {
    const { members } = applyPatch(
      "Group",
      group,
      body(
        { op: "remove", path: "members", value: ids(10_000, "a") },
        { op: "add", path: "members", value: ids(10_000, "b") }
      )
    )
    expect(members).toMatchObject({ add: { length: 10_000 }, remove: { length: 10_000 } })
  })
})
