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
  present,
  query,
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
    {
      title: "Test the connection by searching for a nonexistent user",
      method: "GET",
      path: (world) => byName(`${testName}-${world.run}-5f0c4a0e-1f1a-4e2c-9d49-000000000000`),
      status: [200],
      response: () => empty
    },
    {
      title: "Read the schemas",
      method: "GET",
      path: () => "/Schemas",
      status: [200],
      response: () => ({ Resources: having({ id: userSchema }, { id: groupSchema }, { id: enterpriseSchema }) })
    },
    {
      title: "Check whether the user exists",
      method: "GET",
      path: (world) => byName(user(world)),
      status: [200],
      response: () => empty
    },
    {
      title: "Create the user, with the enterprise extension and a meta member",
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
    {
      title: "Read the user",
      method: "GET",
      path: (world) => `/Users/${world.id("user")}`,
      status: [200],
      response: (world) => ({ id: world.id("user"), userName: user(world), active: true })
    },
    {
      title: "Find the user by external ID",
      method: "GET",
      path: (world) => `/Users?${query({ filter: `externalId eq "${externalId(world)}"` })}`,
      status: [200],
      response: (world) => listOf({ id: world.id("user"), externalId: externalId(world) })
    },
    {
      title: "Find the user by user name in uppercase",
      method: "GET",
      path: (world) => byName(user(world).toUpperCase()),
      status: [200],
      response: (world) => listOf({ id: world.id("user") })
    },
    {
      title: "Find the user by two attributes",
      method: "GET",
      path: (world) => `/Users?${query({ filter: `(userName eq "${user(world)}") and (emails.type eq "work")` })}`,
      status: [200],
      response: (world) => listOf({ id: world.id("user") })
    },
    {
      title: "Read selected attributes",
      method: "GET",
      path: (world) => `/Users/${world.id("user")}?${query({ attributes: "userName,active" })}`,
      status: [200],
      response: (world) => ({ id: world.id("user"), userName: user(world), active: true, name: absent, emails: absent })
    },
    {
      title: "Change the work email, and add a phone number and an address that did not exist",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
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
      path: (world) => `/Users/${world.id("user")}`,
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
      path: (world) => `/Users/${world.id("user")}`,
      body: (world) => patch({ op: "Replace", path: "userName", value: renamed(world) }),
      status: changed,
      response: (world) => ({ userName: renamed(world) })
    },
    {
      title: "Do not find the old user name",
      method: "GET",
      path: (world) => byName(user(world)),
      status: [200],
      response: () => empty
    },
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
      title: "Set the manager by ID only",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: (world) => patch({ op: "Add", path: `${enterpriseSchema}:manager`, value: world.id("manager") }),
      status: changed,
      response: (world) => ({ [enterpriseSchema]: { manager: { value: world.id("manager") } } })
    },
    {
      title: "Check the manager with a filter",
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
      path: (world) => `/Users/${world.id("user")}`,
      body: () => patch({ op: "Remove", path: `${enterpriseSchema}:manager` }, { op: "Remove", path: "title" }),
      status: changed,
      response: () => ({ [enterpriseSchema]: { manager: absent } })
    },
    {
      title: "Deactivate the user with a string",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: () => patch({ op: "Replace", path: "active", value: "False" }),
      status: changed,
      response: () => ({ active: false })
    },
    {
      title: "Find the inactive user",
      method: "GET",
      path: (world) => byName(renamed(world)),
      status: [200],
      response: (world) => listOf({ id: world.id("user"), active: false })
    },
    {
      title: "Activate the user with a string",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: () => patch({ op: "Add", path: "active", value: "True" }),
      status: changed,
      response: () => ({ active: true })
    },
    {
      title: "Check whether the group exists, without members",
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
    {
      title: "Read the group without members",
      method: "GET",
      path: (world) => `/Groups/${world.id("group")}?${query({ excludedAttributes: "members" })}`,
      status: [200],
      response: (world) => ({ id: world.id("group"), displayName: groupName(world, "entra"), members: absent })
    },
    {
      title: "Add two members",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
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
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) => patch({ op: "Add", path: "members", value: [{ value: world.id("user") }] }),
      status: changed
    },
    {
      title: "Read the members",
      method: "GET",
      path: (world) => `/Groups/${world.id("group")}?${query({ attributes: "members" })}`,
      status: [200],
      response: (world) => ({
        id: world.id("group"),
        members: having({ value: world.id("user") }, { value: world.id("manager") })
      })
    },
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
      title: "Remove a member with a list",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) => patch({ op: "Remove", path: "members", value: [{ $ref: null, value: world.id("manager") }] }),
      status: changed
    },
    {
      title: "Check that the removed member is not a member",
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
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) => patch({ op: "Replace", path: "displayName", value: groupName(world, "entra renamed") }),
      status: changed
    },
    {
      title: "Read the renamed group with its member",
      method: "GET",
      path: (world) => `/Groups/${world.id("group")}`,
      status: [200],
      response: (world) => ({
        displayName: groupName(world, "entra renamed"),
        members: [{ value: world.id("user") }]
      })
    },
    {
      title: "Remove the member with a filter",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) => patch({ op: "Remove", path: `members[value eq "${world.id("user")}"]` }),
      status: changed
    },
    {
      title: "Find no members in the group",
      method: "GET",
      path: (world) => `/Groups/${world.id("group")}`,
      status: [200],
      response: (world) => ({ members: lacking({ value: world.id("user") }) })
    },
    {
      title: "Remove the group",
      method: "DELETE",
      path: (world) => `/Groups/${world.id("group")}`,
      status: [204]
    },
    {
      title: "Deactivate the user",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: () => patch({ op: "Replace", path: "active", value: false }),
      status: changed,
      response: () => ({ active: false })
    },
    {
      title: "Remove the user",
      method: "DELETE",
      path: (world) => `/Users/${world.id("user")}`,
      status: [204]
    },
    {
      title: "Remove the user again",
      method: "DELETE",
      path: (world) => `/Users/${world.id("user")}`,
      status: [404],
      response: () => failure(404)
    },
    {
      title: "Remove the manager",
      method: "DELETE",
      path: (world) => `/Users/${world.id("manager")}`,
      status: [204]
    },
    {
      title: "Find no users",
      method: "GET",
      path: (world) => byName(renamed(world)),
      status: [200],
      response: () => ({ ...empty, Resources: absent })
    }
  ]
}
