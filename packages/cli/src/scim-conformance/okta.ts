/** Okta: provisioning of users and Group Push, in the order and the words of its SCIM 2.0 client. */
import {
  absent,
  address,
  changed,
  empty,
  failure,
  groupName,
  groupSchema,
  having,
  lacking,
  list,
  listOf,
  number,
  patch,
  present,
  query,
  type Sequence,
  testName,
  userSchema,
  type World
} from "./sequence.ts"

const user = (world: World) => address(world, "okta")
const found = (userName: string) =>
  `/Users?${query({ filter: `userName eq "${userName}"`, startIndex: "1", count: "100" })}`

const profile = (world: World) => ({
  schemas: [userSchema],
  userName: user(world),
  name: { givenName: "Conformance", familyName: "Okta" },
  emails: [{ primary: true, value: user(world), type: "work" }],
  displayName: "Conformance Okta",
  locale: "en-US",
  externalId: `${testName}-${world.run}-00u`,
  groups: [],
  password: "1mz050nq-Conformance",
  active: true
})

export const okta: Sequence = {
  provider: "okta",
  title: "Okta",
  userAgent: "Okta SCIM Client 1.0.0",
  contentType: "application/scim+json; charset=utf-8",
  steps: [
    {
      title: "Tests the connection: the first two users",
      method: "GET",
      path: () => "/Users?startIndex=1&count=2",
      status: [200],
      answer: () => ({ ...empty, totalResults: number, Resources: list })
    },
    {
      title: "Looks whether the user is there",
      method: "GET",
      path: (world) => found(user(world)),
      status: [200],
      answer: () => empty
    },
    {
      title: "Asks for a user by an id that is none",
      method: "GET",
      path: () => "/Users/010101001010101011001010101011",
      status: [404],
      answer: () => failure(404)
    },
    {
      title: "Makes the user",
      method: "POST",
      path: () => "/Users",
      body: profile,
      status: [201],
      answer: (world) => ({
        schemas: having(userSchema),
        id: present,
        userName: user(world),
        name: { givenName: "Conformance", familyName: "Okta" },
        emails: [{ value: user(world), type: "work", primary: true }],
        active: true,
        password: absent,
        meta: { resourceType: "User", location: present }
      }),
      keep: "user"
    },
    {
      title: "Reads the user",
      method: "GET",
      path: (world) => `/Users/${world.id("user")}`,
      status: [200],
      answer: (world) => ({ id: world.id("user"), userName: user(world), active: true, locale: "en-US" })
    },
    {
      title: "Finds the user by its name",
      method: "GET",
      path: (world) => found(user(world)),
      status: [200],
      answer: (world) => listOf({ id: world.id("user"), externalId: `${testName}-${world.run}-00u` })
    },
    {
      title: "Finds the user by its name in capitals",
      method: "GET",
      path: (world) => found(user(world).toUpperCase()),
      status: [200],
      answer: (world) => listOf({ id: world.id("user") })
    },
    {
      title: "Makes the same user again",
      method: "POST",
      path: () => "/Users",
      body: profile,
      status: [409],
      answer: () => failure(409, "uniqueness")
    },
    {
      title: "Replaces the profile",
      method: "PUT",
      path: (world) => `/Users/${world.id("user")}`,
      body: (world) => ({
        ...profile(world),
        id: world.id("user"),
        name: { givenName: "Another", familyName: "Okta" },
        meta: { resourceType: "User" }
      }),
      status: [200],
      answer: (world) => ({ id: world.id("user"), name: { givenName: "Another", familyName: "Okta" }, active: true })
    },
    {
      title: "Makes a group to push",
      method: "POST",
      path: () => "/Groups",
      body: (world) => ({ schemas: [groupSchema], displayName: groupName(world, "okta"), members: [] }),
      status: [201],
      answer: (world) => ({ id: present, displayName: groupName(world, "okta"), meta: { resourceType: "Group" } }),
      keep: "group"
    },
    {
      title: "Adds the member, with its name",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) =>
        patch({ op: "add", path: "members", value: [{ value: world.id("user"), display: user(world) }] }),
      status: changed
    },
    {
      title: "Reads the group with its member",
      method: "GET",
      path: (world) => `/Groups/${world.id("group")}`,
      status: [200],
      answer: (world) => ({ members: [{ value: world.id("user") }] })
    },
    {
      title: "Sees the group at the user",
      method: "GET",
      path: (world) => `/Users/${world.id("user")}`,
      status: [200],
      answer: (world) => ({ groups: having({ value: world.id("group") }) })
    },
    {
      title: "Renames the group, with its id in the value and no path",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) =>
        patch({ op: "replace", value: { id: world.id("group"), displayName: groupName(world, "okta renamed") } }),
      status: changed
    },
    {
      title: "Finds the group by its new name",
      method: "GET",
      path: (world) =>
        `/Groups?${query({ filter: `displayName eq "${groupName(world, "okta renamed")}"`, startIndex: "1", count: "100" })}`,
      status: [200],
      answer: (world) => listOf({ id: world.id("group"), members: having({ value: world.id("user") }) })
    },
    {
      title: "Takes the member out and puts it in again, in one request",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) =>
        patch(
          { op: "remove", path: `members[value eq "${world.id("user")}"]` },
          { op: "add", path: "members", value: [{ value: world.id("user"), display: user(world) }] }
        ),
      status: changed
    },
    {
      title: "Finds the member in the group still",
      method: "GET",
      path: (world) => `/Groups/${world.id("group")}`,
      status: [200],
      answer: (world) => ({ members: [{ value: world.id("user") }] })
    },
    {
      title: "Takes the member out",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) => patch({ op: "remove", path: `members[value eq "${world.id("user")}"]` }),
      status: changed
    },
    {
      title: "Replaces all members",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) => patch({ op: "replace", path: "members", value: [{ value: world.id("user") }] }),
      status: changed
    },
    {
      title: "Replaces the group by one without members",
      method: "PUT",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) => ({
        schemas: [groupSchema],
        id: world.id("group"),
        displayName: groupName(world, "okta renamed"),
        members: []
      }),
      status: [200],
      answer: (world) => ({ id: world.id("group"), members: absent })
    },
    {
      title: "Deactivates the user, without a path",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: () => patch({ op: "replace", value: { active: false } }),
      status: changed,
      answer: () => ({ active: false })
    },
    {
      title: "Reads the user, who is inactive",
      method: "GET",
      path: (world) => `/Users/${world.id("user")}`,
      status: [200],
      answer: () => ({ active: false })
    },
    {
      title: "Activates the user",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: () => patch({ op: "replace", value: { active: true } }),
      status: changed,
      answer: () => ({ active: true })
    },
    {
      title: "Deactivates the user, by replacing it",
      method: "PUT",
      path: (world) => `/Users/${world.id("user")}`,
      body: (world) => ({ ...profile(world), id: world.id("user"), active: false }),
      status: [200],
      answer: () => ({ active: false })
    },
    {
      title: "Imports users, page by page",
      method: "GET",
      path: () => "/Users?startIndex=1&count=100",
      status: [200],
      answer: () => ({ ...empty, totalResults: number, Resources: list, startIndex: 1, itemsPerPage: number })
    },
    {
      title: "Removes the group",
      method: "DELETE",
      path: (world) => `/Groups/${world.id("group")}`,
      status: [204]
    },
    {
      title: "Does not find the group any more",
      method: "GET",
      path: (world) => `/Groups/${world.id("group")}`,
      status: [404],
      answer: () => failure(404)
    },
    {
      title: "Sees no group at the user",
      method: "GET",
      path: (world) => `/Users/${world.id("user")}`,
      status: [200],
      answer: (world) => ({ groups: lacking({ value: world.id("group") }) })
    },
    {
      title: "Removes the user",
      method: "DELETE",
      path: (world) => `/Users/${world.id("user")}`,
      status: [204]
    }
  ]
}
