import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { faultOf } from "./faults.fixture.ts"
import { fold } from "./fold.ts"
import type { JsonObject } from "./json.ts"
import { normalize } from "./normalize.ts"
import { applyPatch, patchUrn } from "./patch.ts"
import { enterpriseSchema, groupSchema, userSchema } from "./schemas.ts"

const enterprise = enterpriseSchema.id
const create = { kind: "create" } as const
const user = (members: object) => ({ schemas: [userSchema.id], userName: "ann", ...members })
const resourceOf = (members: object) => normalize("User", user(members), create).resource

describe("a complete SCIM resource", () => {
  it("has canonical attribute names in the schemas' order, regardless of case", () => {
    const input = {
      ACTIVE: true,
      Emails: [{ TYPE: "work", Value: "a@b.test" }],
      username: "Ann",
      SCHEMAS: [userSchema.id.toUpperCase()],
      [enterprise.toUpperCase()]: { DEPARTMENT: "D" }
    }
    expect(JSON.stringify(normalize("User", input, create).resource)).toBe(
      JSON.stringify({
        schemas: [userSchema.id, enterprise],
        userName: "Ann",
        active: true,
        emails: [{ value: "a@b.test", type: "work" }],
        [enterprise]: { department: "D" }
      })
    )
  })
  it("has no read-only, unknown, null or empty attributes, and no password", () => {
    const members = {
      id: "x",
      meta: { created: "never" },
      groups: [{ value: "g" }],
      password: "secret",
      shoeSize: 43,
      "urn:okta:custom:1.0:User": { a: 1 },
      nickName: "",
      title: null,
      emails: [],
      phoneNumbers: [{ type: "work" }, null, { value: "" }],
      name: { givenName: "" },
      [enterprise]: { department: null, manager: { displayName: "nobody" } }
    }
    expect(resourceOf(members)).toEqual({ schemas: [userSchema.id], userName: "ann", active: true })
    expect(JSON.stringify(normalize("User", user(members), create))).not.toContain("secret")
  })
  it("ignores members of JavaScript's Object prototype", () => {
    const input = JSON.parse(
      `{"schemas":["${userSchema.id}"],"userName":"ann","__proto__":{"title":"a"},"constructor":{"prototype":{"title":"b"}}}`
    ) as object
    expect(normalize("User", input, create).resource).toEqual({
      schemas: [userSchema.id],
      userName: "ann",
      active: true
    })
  })
  it("is active by default, and stays inactive when a replacement omits active", () => {
    expect(resourceOf({})["active"]).toBe(true)
    expect(resourceOf({ active: "False" })["active"]).toBe(false)
    const replaced = (active: boolean, members: object) =>
      normalize("User", user(members), { kind: "replace", previous: { active } }).resource["active"]
    expect([
      replaced(false, {}),
      replaced(true, {}),
      replaced(false, { active: true }),
      replaced(true, { active: false })
    ]).toEqual([false, true, true, false])
  })
  it("has each value once, and the last primary one", () => {
    expect(
      resourceOf({
        emails: [
          { value: "a@b.test", type: "work", primary: true },
          { value: "A@B.TEST", type: "Work", display: "A" },
          { value: "c@d.test", type: "home", primary: true }
        ]
      })["emails"]
    ).toEqual([
      { value: "A@B.TEST", type: "Work", display: "A", primary: false },
      { value: "c@d.test", type: "home", primary: true }
    ])
  })
  it("is folded in attributes that are not case-exact only", () => {
    const { columns, folded } = normalize(
      "User",
      user({
        userName: "Ann ΟΔΟΣ",
        externalId: "ID",
        profileUrl: "https://A.test",
        photos: [{ value: "https://P.test", type: "Photo" }],
        [enterprise]: { department: "R&D", manager: { value: "M1", displayName: "Bo" } }
      }),
      create
    )
    expect(folded).toMatchObject({
      userName: "ann οδοσ",
      externalId: "ID",
      profileUrl: "https://A.test",
      photos: [{ value: "https://P.test", type: "photo" }],
      [enterprise]: { department: "r&d", manager: { value: "M1", displayName: "bo" } }
    })
    expect(columns).toEqual({ name: "ann οδοσ", externalId: "ID", active: true })
  })
  it("returns a group's members separately, or that the request has none", () => {
    const group = (members: object) =>
      normalize("Group", { schemas: [groupSchema.id], displayName: "G", ...members }, create)
    expect(group({ members: [{ value: "u1" }, { VALUE: "u1", type: "user" }, "u2"] })).toMatchObject({
      members: ["u1", "u2"],
      resource: { schemas: [groupSchema.id], displayName: "G" },
      columns: { name: "g", externalId: null }
    })
    expect(group({ members: [] }).members).toEqual([])
    expect(group({}).members).toBeUndefined()
  })
  it.each([
    ["a body that is not an object", "User", [], "400 invalidSyntax"],
    ["nothing", "User", undefined, "400 invalidSyntax"],
    ["no schemas", "User", { userName: "a" }, "400 invalidSyntax"],
    ["schemas that are not a list", "User", { schemas: userSchema.id, userName: "a" }, "400 invalidSyntax"],
    ["another schema only", "User", { schemas: [enterprise], userName: "a" }, "400 invalidSyntax"],
    ["no userName", "User", { schemas: [userSchema.id] }, "400 invalidValue"],
    ["an empty userName", "User", user({ userName: "" }), "400 invalidValue"],
    ["a userName that is a number", "User", user({ userName: 1 }), "400 invalidValue"],
    ["userName twice", "User", user({ USERNAME: "b" }), "400 invalidSyntax"],
    ["an extension that is a list", "User", user({ [enterprise]: [] }), "400 invalidValue"],
    ["a name that is a string", "User", user({ name: "Ann" }), "400 invalidValue"],
    ["active as a number", "User", user({ active: 1 }), "400 invalidValue"],
    ["a password that is a number", "User", user({ password: 1 }), "400 invalidValue"],
    [
      "201 email addresses",
      "User",
      user({ emails: Array.from({ length: 201 }, (_, n) => `${n}`) }),
      "400 invalidValue"
    ],
    [
      "a resource too large",
      "User",
      user({ emails: Array.from({ length: 70 }, (_, n) => `${n}`.padEnd(1000)) }),
      "413"
    ],
    ["no displayName", "Group", { schemas: [groupSchema.id] }, "400 invalidValue"],
    [
      "members that are numbers",
      "Group",
      { schemas: [groupSchema.id], displayName: "G", members: [1] },
      "400 invalidValue"
    ]
  ] as const)("is rejected with %s", (_, type, input, expected) => {
    expect(faultOf(() => normalize(type, input, create))).toBe(expected)
  })
  it("is rejected or stored for random input, and stable when it is sent again", () => {
    const json = fc.jsonValue({ maxDepth: 3 })
    const anything = fc.dictionary(
      fc.constantFrom(
        "userName",
        "name",
        "emails",
        "active",
        "externalId",
        "roles",
        enterprise,
        "x509Certificates",
        "title"
      ),
      fc.oneof(json, fc.string(), fc.array(fc.record({ value: fc.string(), type: fc.string(), primary: fc.boolean() })))
    )
    fc.assert(
      fc.property(anything, (members) => {
        let resource: JsonObject
        try {
          resource = resourceOf(members)
        } catch (fault) {
          expect(
            faultOf(() => {
              throw fault
            })
          ).toMatch(/^400 invalid(Value|Syntax)$/)
          return
        }
        expect(normalize("User", resource, create).resource).toEqual(resource)
        const nothing = { schemas: [patchUrn], Operations: [{ op: "remove", path: "nickName" }] }
        expect(applyPatch("User", resource, nothing).resource).toEqual(resource)
      }),
      { numRuns: 3000 }
    )
  })
})

describe("case folding in SCIM", () => {
  it("is idempotent for every letter", () => {
    for (let code = 1; code < 0x110000; code++) {
      if (code === 0xd800) code = 0xe000
      const character = String.fromCodePoint(code)
      if (fold(fold(character)) !== fold(character)) expect.fail(`U+${code.toString(16)}`)
    }
  })
  it("preserves prefixes and suffixes", () => {
    const words = fc
      .array(fc.constantFrom("Σ", "ς", "Α", "a", "Z", " ", "İ", "ß", "😀"))
      .map((characters) => characters.join(""))
    fc.assert(
      fc.property(words, words, (left, right) => {
        expect(fold(left + right)).toBe(fold(left) + fold(right))
      })
    )
  })
})
