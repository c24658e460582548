/** Okta: the requests of user provisioning and Group Push, as its SCIM 2.0 client sends them. */
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
  pathOf,
  present,
  query,
  read,
  readMissing,
  remove,
  type Sequence,
  testName,
  userSchema,
  type World
} from "./sequence.ts"

const user = (world: World) => address(world, "okta")
const byName = (userName: string) =>
  `/Users?${query({ filter: `userName eq "${userName}"`, startIndex: "1", count: "100" })}`
const userPath = pathOf("Users", "user")
const groupPath = pathOf("Groups", "group")

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
    read(
      "Test the connection by reading the first two users",
      () => "/Users?startIndex=1&count=2",
      () => ({ ...empty, totalResults: number, Resources: list })
    ),
    read(
      "Check whether the user exists",
      (world) => byName(user(world)),
      () => empty
    ),
    {
      title: "Read a user by an invalid ID",
      method: "GET",
      path: () => "/Users/010101001010101011001010101011",
      status: [404],
      response: () => failure(404)
    },
    {
      title: "Create the user",
      method: "POST",
      path: () => "/Users",
      body: profile,
      status: [201],
      response: (world) => ({
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
    read("Read the user", userPath, (world) => ({
      id: world.id("user"),
      userName: user(world),
      active: true,
      locale: "en-US"
    })),
    read(
      "Find the user by user name",
      (world) => byName(user(world)),
      (world) => listOf({ id: world.id("user"), externalId: `${testName}-${world.run}-00u` })
    ),
    read(
      "Find the user by user name in uppercase",
      (world) => byName(user(world).toUpperCase()),
      (world) => listOf({ id: world.id("user") })
    ),
    {
      title: "Create the same user again",
      method: "POST",
      path: () => "/Users",
      body: profile,
      status: [409],
      response: () => failure(409, "uniqueness")
    },
    {
      title: "Replace the profile",
      method: "PUT",
      path: userPath,
      body: (world) => ({
        ...profile(world),
        id: world.id("user"),
        name: { givenName: "Another", familyName: "Okta" },
        meta: { resourceType: "User" }
      }),
      status: [200],
      response: (world) => ({ id: world.id("user"), name: { givenName: "Another", familyName: "Okta" }, active: true })
    },
    {
      title: "Create a group to push",
      method: "POST",
      path: () => "/Groups",
      body: (world) => ({ schemas: [groupSchema], displayName: groupName(world, "okta"), members: [] }),
      status: [201],
      response: (world) => ({ id: present, displayName: groupName(world, "okta"), meta: { resourceType: "Group" } }),
      keep: "group"
    },
    {
      title: "Add the member with a display name",
      method: "PATCH",
      path: groupPath,
      body: (world) =>
        patch({ op: "add", path: "members", value: [{ value: world.id("user"), display: user(world) }] }),
      status: changed
    },
    read("Read the group with its member", groupPath, (world) => ({ members: [{ value: world.id("user") }] })),
    read("Read the user with its group", userPath, (world) => ({ groups: having({ value: world.id("group") }) })),
    {
      title: "Rename the group, with its ID in the value and no path",
      method: "PATCH",
      path: groupPath,
      body: (world) =>
        patch({ op: "replace", value: { id: world.id("group"), displayName: groupName(world, "okta renamed") } }),
      status: changed
    },
    {
      title: "Find the group by its new name",
      method: "GET",
      path: (world) =>
        `/Groups?${query({ filter: `displayName eq "${groupName(world, "okta renamed")}"`, startIndex: "1", count: "100" })}`,
      status: [200],
      response: (world) => listOf({ id: world.id("group"), members: having({ value: world.id("user") }) })
    },
    {
      title: "Remove and add the member in one request",
      method: "PATCH",
      path: groupPath,
      body: (world) =>
        patch(
          { op: "remove", path: `members[value eq "${world.id("user")}"]` },
          { op: "add", path: "members", value: [{ value: world.id("user"), display: user(world) }] }
        ),
      status: changed
    },
    read("Read the group and expect the member", groupPath, (world) => ({
      members: [{ value: world.id("user") }]
    })),
    {
      title: "Remove the member",
      method: "PATCH",
      path: groupPath,
      body: (world) => patch({ op: "remove", path: `members[value eq "${world.id("user")}"]` }),
      status: changed
    },
    {
      title: "Replace all members",
      method: "PATCH",
      path: groupPath,
      body: (world) => patch({ op: "replace", path: "members", value: [{ value: world.id("user") }] }),
      status: changed
    },
    {
      title: "Replace the group, without members",
      method: "PUT",
      path: groupPath,
      body: (world) => ({
        schemas: [groupSchema],
        id: world.id("group"),
        displayName: groupName(world, "okta renamed"),
        members: []
      }),
      status: [200],
      response: (world) => ({ id: world.id("group"), members: absent })
    },
    {
      title: "Deactivate the user without a path",
      method: "PATCH",
      path: userPath,
      body: () => patch({ op: "replace", value: { active: false } }),
      status: changed,
      response: () => ({ active: false })
    },
    read("Read the inactive user", userPath, () => ({ active: false })),
    {
      title: "Activate the user",
      method: "PATCH",
      path: userPath,
      body: () => patch({ op: "replace", value: { active: true } }),
      status: changed,
      response: () => ({ active: true })
    },
    {
      title: "Deactivate the user by replacing it",
      method: "PUT",
      path: userPath,
      body: (world) => ({ ...profile(world), id: world.id("user"), active: false }),
      status: [200],
      response: () => ({ active: false })
    },
    read(
      "Import users page by page",
      () => "/Users?startIndex=1&count=100",
      () => ({ ...empty, totalResults: number, Resources: list, startIndex: 1, itemsPerPage: number })
    ),
    remove("Remove the group", groupPath),
    readMissing("Read the removed group and expect 404", groupPath),
    read("Read the user and expect no group", userPath, (world) => ({ groups: lacking({ value: world.id("group") }) })),
    remove("Remove the user", userPath)
  ]
}
