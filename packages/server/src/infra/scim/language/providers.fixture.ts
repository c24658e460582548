/** Requests as identity providers send them, and the expected results for the user or group below. */
import type { JsonObject } from "./json.ts"
import { patchUrn } from "./patch.ts"
import { enterpriseSchema, groupSchema, userSchema } from "./schemas.ts"

const enterprise = enterpriseSchema.id

/** What Okta sends for a new user, including its own additions. */
export const oktaUser = {
  schemas: [userSchema.id],
  userName: "test.user@okta.local",
  name: { givenName: "Test", familyName: "User" },
  emails: [{ primary: true, value: "test.user@okta.local", type: "work" }],
  displayName: "Test User",
  locale: "en-US",
  externalId: "00ujl29u0le5T6Aj10h7",
  groups: [],
  password: "1mz050nq",
  active: true
}

/** What Entra sends: nulls, and an empty meta. */
export const entraUser = {
  schemas: [userSchema.id, enterprise],
  externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
  userName: "Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1",
  active: true,
  emails: [{ primary: true, type: "work", value: "Test_User_fd0ea19b@testuser.com" }],
  meta: { resourceType: "User" },
  name: { formatted: "givenName familyName", familyName: "familyName", givenName: "givenName" },
  roles: [],
  addresses: [{ primary: false, type: "work", formatted: null, streetAddress: "1 Way", country: "US" }],
  [enterprise]: { department: "R&D", manager: "26118915-6090-4610-87e4-49d8ca9f808d" }
}

/** What Google sends for a new user. */
export const googleUser = {
  schemas: [userSchema.id, enterprise],
  userName: "ann@example.com",
  externalId: "104387456829430",
  active: true,
  emails: [{ value: "ann@example.com", type: "work", primary: true }],
  name: { givenName: "Ann", familyName: "Lee", formatted: "Ann Lee" },
  displayName: "Ann Lee",
  phoneNumbers: [{ value: "+1 555 0100", type: "work" }],
  [enterprise]: { employeeNumber: "7", department: "Sales", manager: { displayName: "Bo", value: "b@example.com" } }
}

export const googleGroup = {
  schemas: [groupSchema.id],
  displayName: "Sales",
  externalId: "03hv69ve",
  members: [{ value: "scu_1", type: "User" }]
}

/** The user that the patches below apply to. */
export const user: JsonObject = {
  schemas: [userSchema.id],
  userName: "ann@acme.test",
  name: { familyName: "Lee", givenName: "Ann" },
  displayName: "Ann Lee",
  active: true,
  emails: [
    { value: "ann@acme.test", type: "work", primary: true },
    { value: "ann@home.test", type: "home" }
  ]
}

const patch = (...Operations: ReadonlyArray<unknown>) => ({ schemas: [patchUrn], Operations })
const home = { value: "ann@home.test", type: "home" }

export const userPatches: ReadonlyArray<readonly [string, unknown, Readonly<Record<string, unknown>>]> = [
  ["Okta deactivates", patch({ op: "replace", value: { active: false } }), { active: false }],
  ["Okta also sends a password", patch({ op: "replace", value: { password: "t1meMa$heen" } }), { password: undefined }],
  ["Entra deactivates", patch({ op: "Replace", path: "active", value: "False" }), { active: false }],
  ["Entra deactivates, newer version", patch({ op: "replace", path: "active", value: false }), { active: false }],
  ["Entra deactivates without a path", patch({ op: "Replace", value: { active: "False" } }), { active: false }],
  [
    "Entra changes a work address",
    patch({ op: "Replace", path: 'emails[type eq "work"].value', value: "new@acme.test" }),
    { emails: [{ value: "new@acme.test", type: "work", primary: true }, home] }
  ],
  [
    "Entra adds an address of a new type",
    patch({ op: "Add", path: 'emails[type eq "other"].value', value: "o@acme.test" }),
    { emails: [{ value: "ann@acme.test", type: "work", primary: true }, home, { value: "o@acme.test", type: "other" }] }
  ],
  [
    "Entra replaces a missing number",
    patch({ op: "Replace", path: 'phoneNumbers[type eq "mobile"].value', value: "+1 555" }),
    { phoneNumbers: [{ value: "+1 555", type: "mobile" }] }
  ],
  [
    "Entra removes a missing number",
    patch({ op: "Remove", path: 'phoneNumbers[type eq "mobile"].value' }),
    { phoneNumbers: undefined }
  ],
  [
    "Entra adds an address by sub-attributes",
    patch(
      { op: "Add", path: 'addresses[type eq "work"].streetAddress', value: "1 Way" },
      { op: "Add", path: 'addresses[type eq "work"].country', value: "US" }
    ),
    { addresses: [{ streetAddress: "1 Way", country: "US", type: "work" }] }
  ],
  [
    "Entra uses dotted names",
    patch({ op: "Add", value: { "name.givenName": "Anna", "name.familyName": "Li", displayName: "Anna Li" } }),
    { name: { familyName: "Li", givenName: "Anna" }, displayName: "Anna Li" }
  ],
  [
    "Entra uses the full names of an extension's attributes",
    patch({ op: "Add", value: { [`${enterprise}:department`]: "R&D", [`${enterprise}:manager`]: "m1" } }),
    { [enterprise]: { department: "R&D", manager: { value: "m1" } }, schemas: [userSchema.id, enterprise] }
  ],
  [
    "Entra sets a manager by ID",
    patch({ op: "Add", path: `${enterprise}:manager`, value: "m1" }),
    { [enterprise]: { manager: { value: "m1" } } }
  ],
  [
    "Entra sets a manager as an object",
    patch({ op: "Add", path: `${enterprise}:manager`, value: { value: "m1" } }),
    { [enterprise]: { manager: { value: "m1" } } }
  ],
  [
    "Entra removes a manager",
    patch(
      { op: "Add", path: `${enterprise}:manager`, value: [{ value: "m1" }][0] },
      { op: "Replace", path: `${enterprise}:manager`, value: "" }
    ),
    { [enterprise]: undefined, schemas: [userSchema.id] }
  ],
  [
    "Entra sets roles",
    patch({ op: "Add", path: "roles", value: [{ value: '{"id":"06b0","value":"25","displayName":"Role"}' }] }),
    { roles: [{ value: '{"id":"06b0","value":"25","displayName":"Role"}' }] }
  ],
  [
    "Entra sets the primary role by sub-attributes in any order",
    patch(
      { op: "Add", path: 'roles[primary eq "True"].display', value: "Admins" },
      { op: "Add", path: 'roles[primary eq "True"].value', value: "admin" }
    ),
    { roles: [{ value: "admin", display: "Admins", primary: true }] }
  ],
  [
    "Entra changes only userName",
    patch({ op: "Replace", path: "userName", value: "anna@acme.test" }),
    { userName: "anna@acme.test" }
  ],
  [
    "Entra's validator changes several attributes",
    patch(
      { op: "replace", path: 'emails[type eq "work"].value', value: "a@b.test" },
      { op: "replace", path: 'emails[type eq "work"].primary', value: true },
      { op: "replace", value: { "name.formatted": "A B", nickName: "a", title: "T" } }
    ),
    {
      emails: [{ value: "a@b.test", type: "work", primary: true }, home],
      name: { formatted: "A B", familyName: "Lee", givenName: "Ann" },
      nickName: "a",
      title: "T"
    }
  ],
  [
    "Google adds a number",
    patch({ op: "add", path: "phoneNumbers", value: [{ value: "+1 555 0100", type: "work" }] }),
    { phoneNumbers: [{ value: "+1 555 0100", type: "work" }] }
  ],
  [
    "an extension as one value",
    patch({ op: "add", value: { [enterprise]: { department: "D", costCenter: "C" } } }),
    { [enterprise]: { costCenter: "C", department: "D" } }
  ],
  [
    "an extension by its own path, added and removed",
    patch({ op: "add", path: enterprise, value: { department: "D" } }, { op: "remove", path: enterprise }),
    { [enterprise]: undefined, schemas: [userSchema.id] }
  ],
  ["an attribute of an unknown schema", patch({ op: "replace", value: { shoeSize: 43, id: "x" } }), user]
]

const members = (
  replace: ReadonlyArray<string> | undefined,
  add: ReadonlyArray<string>,
  remove: ReadonlyArray<string>
) => ({
  replace,
  add,
  remove
})

/** For a group called Sales: its name afterwards, and the changes of its members. */
export const groupPatches: ReadonlyArray<readonly [string, unknown, string, unknown]> = [
  [
    "Okta adds and removes in one request",
    patch(
      { op: "remove", path: 'members[value eq "u1"]' },
      { op: "add", path: "members", value: [{ value: "u2", display: "test@acme.test" }] }
    ),
    "Sales",
    members(undefined, ["u2"], ["u1"])
  ],
  [
    "Okta renames, with the group's ID",
    patch({ op: "replace", value: { id: "tem_1", displayName: "Sellers" } }),
    "Sellers",
    undefined
  ],
  [
    "Okta replaces all members",
    patch({ op: "replace", path: "members", value: [{ value: "u1" }, { value: "u2" }] }),
    "Sales",
    members(["u1", "u2"], [], [])
  ],
  [
    "Entra adds a member with a null reference",
    patch({ op: "Add", path: "members", value: [{ $ref: null, value: "u1" }] }),
    "Sales",
    members(undefined, ["u1"], [])
  ],
  [
    "Entra removes listed members",
    patch({ op: "Remove", path: "members", value: [{ $ref: null, value: "u1" }, { value: "u2" }] }),
    "Sales",
    members(undefined, [], ["u1", "u2"])
  ],
  ["Entra renames", patch({ op: "Replace", path: "displayName", value: "Sellers" }), "Sellers", undefined],
  [
    "members in a value without a path",
    patch({ op: "add", value: { members: [{ value: "u1", type: "User" }] } }),
    "Sales",
    members(undefined, ["u1"], [])
  ],
  ["all members are removed", patch({ op: "remove", path: "members" }), "Sales", members([], [], [])],
  [
    "no member is removed with an empty list",
    patch({ op: "remove", path: "members", value: [] }),
    "Sales",
    members(undefined, [], [])
  ],
  [
    "the last operation on a member counts",
    patch(
      { op: "add", path: "members", value: [{ value: "u1" }, { value: "u2" }] },
      { op: "remove", path: 'members[value eq "u1" or value eq "u3"]' },
      { op: "add", path: "members", value: { value: "u3" } }
    ),
    "Sales",
    members(undefined, ["u2", "u3"], ["u1"])
  ],
  [
    "operations after a replacement apply to it",
    patch(
      { op: "add", path: "members", value: [{ value: "u9" }] },
      { op: "replace", path: "members", value: [{ value: "u1" }, { value: "u1" }] },
      { op: "add", path: "members", value: "u2" },
      { op: "remove", path: 'members[value eq "u1"]' }
    ),
    "Sales",
    members(["u2"], [], [])
  ]
]
