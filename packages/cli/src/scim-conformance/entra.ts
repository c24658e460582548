/**
 * Microsoft Entra ID: the requests of its provisioning service and its validator, with their deviations from the
 * standard.
 */
import {
  absent,
  address,
  changed,
  empty,
  enterpriseSchema,
  failure,
  groupName,
  groupSchema,
  having,
  lacking,
  listOf,
  patch,
  pathOf,
  present,
  query,
  read,
  remove,
  type Sequence,
  testName,
  userSchema,
  type World
} from "./sequence.ts"

const user = (world: World) => address(world, "entra")
const renamed = (world: World) => address(world, "entra-renamed")
const manager = (world: World) => address(world, "entra-manager")
const externalId = (world: World) => `${testName}-${world.run}-0a21f0f2`
const byName = (userName: string) => `/Users?${query({ filter: `userName eq "${userName}"` })}`
const userPath = pathOf("Users", "user")
const managerPath = pathOf("Users", "manager")
const groupPath = pathOf("Groups", "group")

const profile = (world: World) => ({
  schemas: [userSchema, enterpriseSchema],
  externalId: externalId(world),
  userName: user(world),
  active: true,
  displayName: "Conformance Entra",
  emails: [{ primary: true, type: "work", value: user(world) }],
  meta: { resourceType: "User" },
  name: { formatted: "Conformance Entra", familyName: "Entra", givenName: "Conformance" },
  [enterpriseSchema]: { employeeNumber: "701984", department: "Tests" },
  roles: []
})

export const entra: Sequence = {
  provider: "entra",
  title: "Microsoft Entra ID",
  userAgent: "Microsoft.Azure.SyncFabric.Provisioning",
  contentType: "application/scim+json; charset=utf-8",
  steps: [
    read(
      "Test the connection by searching for a nonexistent user",
      (world) => byName(`${testName}-${world.run}-5f0c4a0e-1f1a-4e2c-9d49-000000000000`),
      () => empty
    ),
    read(
      "Read the schemas",
      () => "/Schemas",
      () => ({ Resources: having({ id: userSchema }, { id: groupSchema }, { id: enterpriseSchema }) })
    ),
    read(
      "Check whether the user exists",
      (world) => byName(user(world)),
      () => empty
    ),
    {
      title: "Create the user, with the enterprise extension and a meta attribute",
      method: "POST",
      path: () => "/Users",
      body: profile,
      status: [201],
      response: (world) => ({
        schemas: having(userSchema, enterpriseSchema),
        id: present,
        externalId: externalId(world),
        userName: user(world),
        active: true,
        emails: [{ type: "work", value: user(world), primary: true }],
        name: { familyName: "Entra", givenName: "Conformance" },
        [enterpriseSchema]: { employeeNumber: "701984", department: "Tests" },
        meta: { resourceType: "User", created: present, lastModified: present }
      }),
      keep: "user"
    },
    {
      title: "Create the same user again",
      method: "POST",
      path: () => "/Users",
      body: profile,
      status: [409],
      response: () => failure(409, "uniqueness")
    },
    read("Read the user", userPath, (world) => ({ id: world.id("user"), userName: user(world), active: true })),
    read(
      "Find the user by external ID",
      (world) => `/Users?${query({ filter: `externalId eq "${externalId(world)}"` })}`,
      (world) => listOf({ id: world.id("user"), externalId: externalId(world) })
    ),
    read(
      "Find the user by user name in uppercase",
      (world) => byName(user(world).toUpperCase()),
      (world) => listOf({ id: world.id("user") })
    ),
    read(
      "Find the user by two attributes",
      (world) => `/Users?${query({ filter: `(userName eq "${user(world)}") and (emails.type eq "work")` })}`,
      (world) => listOf({ id: world.id("user") })
    ),
    read(
      "Read selected attributes",
      (world) => `/Users/${world.id("user")}?${query({ attributes: "userName,active" })}`,
      (world) => ({ id: world.id("user"), userName: user(world), active: true, name: absent, emails: absent })
    ),
    {
      title: "Replace the work email and the family name, and add a phone number and an address",
      method: "PATCH",
      path: userPath,
      body: (world) =>
        patch(
          { op: "Replace", path: 'emails[type eq "work"].value', value: renamed(world) },
          { op: "Replace", path: "name.familyName", value: "Renamed" },
          { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+1 555 0100" },
          { op: "Add", path: 'addresses[type eq "work"].locality', value: "Testing" }
        ),
      status: changed,
      response: (world) => ({
        emails: [{ type: "work", value: renamed(world) }],
        name: { familyName: "Renamed", givenName: "Conformance" },
        phoneNumbers: [{ type: "mobile", value: "+1 555 0100" }],
        addresses: [{ type: "work", locality: "Testing" }]
      })
    },
    {
      title: "Change several attributes by name, without a path",
      method: "PATCH",
      path: userPath,
      body: () =>
        patch({
          op: "Replace",
          value: {
            displayName: "Conformance Renamed",
            "name.givenName": "Another",
            [`${enterpriseSchema}:department`]: "More tests"
          }
        }),
      status: changed,
      response: () => ({
        displayName: "Conformance Renamed",
        name: { givenName: "Another", familyName: "Renamed" },
        [enterpriseSchema]: { department: "More tests", employeeNumber: "701984" }
      })
    },
    {
      title: "Change the user name",
      method: "PATCH",
      path: userPath,
      body: (world) => patch({ op: "Replace", path: "userName", value: renamed(world) }),
      status: changed,
      response: (world) => ({ userName: renamed(world) })
    },
    read(
      "Search by the old user name and expect no match",
      (world) => byName(user(world)),
      () => empty
    ),
    {
      title: "Create an inactive manager",
      method: "POST",
      path: () => "/Users",
      body: (world) => ({
        ...profile(world),
        externalId: `${externalId(world)}-manager`,
        userName: manager(world),
        emails: [{ primary: true, type: "work", value: manager(world) }],
        active: false
      }),
      status: [201],
      response: (world) => ({ userName: manager(world), active: false }),
      keep: "manager"
    },
    {
      title: "Set the manager to a plain ID",
      method: "PATCH",
      path: userPath,
      body: (world) => patch({ op: "Add", path: `${enterpriseSchema}:manager`, value: world.id("manager") }),
      status: changed,
      response: (world) => ({ [enterpriseSchema]: { manager: { value: world.id("manager") } } })
    },
    {
      title: "Search for the user by the manager's ID",
      method: "GET",
      path: (world) =>
        `/Users?${query({
          filter: `id eq "${world.id("user")}" and ${enterpriseSchema}:manager.value eq "${world.id("manager")}"`,
          attributes: "id"
        })}`,
      status: [200],
      response: (world) => listOf({ id: world.id("user") })
    },
    {
      title: "Remove the manager, and a title that was never set",
      method: "PATCH",
      path: userPath,
      body: () => patch({ op: "Remove", path: `${enterpriseSchema}:manager` }, { op: "Remove", path: "title" }),
      status: changed,
      response: () => ({ [enterpriseSchema]: { manager: absent } })
    },
    {
      title: "Deactivate the user with active set to a string",
      method: "PATCH",
      path: userPath,
      body: () => patch({ op: "Replace", path: "active", value: "False" }),
      status: changed,
      response: () => ({ active: false })
    },
    read(
      "Find the inactive user",
      (world) => byName(renamed(world)),
      (world) => listOf({ id: world.id("user"), active: false })
    ),
    {
      title: "Activate the user with active set to a string",
      method: "PATCH",
      path: userPath,
      body: () => patch({ op: "Add", path: "active", value: "True" }),
      status: changed,
      response: () => ({ active: true })
    },
    {
      title: "Check whether the group exists, without requesting its members",
      method: "GET",
      path: (world) =>
        `/Groups?${query({ excludedAttributes: "members", filter: `displayName eq "${groupName(world, "entra")}"` })}`,
      status: [200],
      response: () => empty
    },
    {
      title: "Create the group, with an additional schema",
      method: "POST",
      path: () => "/Groups",
      body: (world) => ({
        schemas: [groupSchema, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
        externalId: `${externalId(world)}-group`,
        displayName: groupName(world, "entra"),
        meta: { resourceType: "Group" }
      }),
      status: [201],
      response: (world) => ({
        id: present,
        displayName: groupName(world, "entra"),
        externalId: `${externalId(world)}-group`,
        members: absent
      }),
      keep: "group"
    },
    {
      title: "Create a group with the same name",
      method: "POST",
      path: () => "/Groups",
      body: (world) => ({ schemas: [groupSchema], displayName: groupName(world, "entra") }),
      status: [409],
      response: () => failure(409, "uniqueness")
    },
    read(
      "Read the group, without requesting its members",
      (world) => `/Groups/${world.id("group")}?${query({ excludedAttributes: "members" })}`,
      (world) => ({ id: world.id("group"), displayName: groupName(world, "entra"), members: absent })
    ),
    {
      title: "Add two members",
      method: "PATCH",
      path: groupPath,
      body: (world) =>
        patch({
          op: "Add",
          path: "members",
          value: [
            { $ref: null, value: world.id("user") },
            { $ref: null, value: world.id("manager") }
          ]
        }),
      status: changed
    },
    {
      title: "Add an existing member",
      method: "PATCH",
      path: groupPath,
      body: (world) => patch({ op: "Add", path: "members", value: [{ value: world.id("user") }] }),
      status: changed
    },
    read(
      "Read the members",
      (world) => `/Groups/${world.id("group")}?${query({ attributes: "members" })}`,
      (world) => ({
        id: world.id("group"),
        members: having({ value: world.id("user") }, { value: world.id("manager") })
      })
    ),
    {
      title: "Check whether the user is a member",
      method: "GET",
      path: (world) =>
        `/Groups?${query({
          filter: `id eq "${world.id("group")}" and members eq "${world.id("user")}"`,
          attributes: "id"
        })}`,
      status: [200],
      response: (world) => listOf({ id: world.id("group") })
    },
    {
      title: "Remove a member, passing the value as a list",
      method: "PATCH",
      path: groupPath,
      body: (world) => patch({ op: "Remove", path: "members", value: [{ $ref: null, value: world.id("manager") }] }),
      status: changed
    },
    {
      title: "Check that the removed user is not a member",
      method: "GET",
      path: (world) =>
        `/Groups?${query({
          filter: `id eq "${world.id("group")}" and members eq "${world.id("manager")}"`,
          attributes: "id"
        })}`,
      status: [200],
      response: () => empty
    },
    {
      title: "Rename the group",
      method: "PATCH",
      path: groupPath,
      body: (world) => patch({ op: "Replace", path: "displayName", value: groupName(world, "entra renamed") }),
      status: changed
    },
    read("Read the renamed group with its member", groupPath, (world) => ({
      displayName: groupName(world, "entra renamed"),
      members: [{ value: world.id("user") }]
    })),
    {
      title: "Remove the member with a filter",
      method: "PATCH",
      path: groupPath,
      body: (world) => patch({ op: "Remove", path: `members[value eq "${world.id("user")}"]` }),
      status: changed
    },
    read("List the group's members and expect none", groupPath, (world) => ({
      members: lacking({ value: world.id("user") })
    })),
    remove("Remove the group", groupPath),
    {
      title: "Deactivate the user",
      method: "PATCH",
      path: userPath,
      body: () => patch({ op: "Replace", path: "active", value: false }),
      status: changed,
      response: () => ({ active: false })
    },
    remove("Remove the user", userPath),
    {
      title: "Remove the user again",
      method: "DELETE",
      path: userPath,
      status: [404],
      response: () => failure(404)
    },
    remove("Remove the manager", managerPath),
    read(
      "List users and expect none",
      (world) => byName(renamed(world)),
      () => ({ ...empty, Resources: absent })
    )
  ]
}
