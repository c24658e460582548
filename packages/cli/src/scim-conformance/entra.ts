/** Microsoft Entra ID: its provisioning service and its validator, with the deviations of either. */
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
      title: "Tests the connection: a user that nobody is",
      method: "GET",
      path: (world) => byName(`${testName}-${world.run}-5f0c4a0e-1f1a-4e2c-9d49-000000000000`),
      status: [200],
      answer: () => empty
    },
    {
      title: "Reads the schemas",
      method: "GET",
      path: () => "/Schemas",
      status: [200],
      answer: () => ({ Resources: having({ id: userSchema }, { id: groupSchema }, { id: enterpriseSchema }) })
    },
    {
      title: "Looks whether the user is there",
      method: "GET",
      path: (world) => byName(user(world)),
      status: [200],
      answer: () => empty
    },
    {
      title: "Makes the user, with the enterprise extension and its own meta",
      method: "POST",
      path: () => "/Users",
      body: profile,
      status: [201],
      answer: (world) => ({
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
      title: "Makes the same user again",
      method: "POST",
      path: () => "/Users",
      body: profile,
      status: [409],
      answer: () => failure(409, "uniqueness")
    },
    {
      title: "Reads the user",
      method: "GET",
      path: (world) => `/Users/${world.id("user")}`,
      status: [200],
      answer: (world) => ({ id: world.id("user"), userName: user(world), active: true })
    },
    {
      title: "Finds the user by its external id",
      method: "GET",
      path: (world) => `/Users?${query({ filter: `externalId eq "${externalId(world)}"` })}`,
      status: [200],
      answer: (world) => listOf({ id: world.id("user"), externalId: externalId(world) })
    },
    {
      title: "Finds the user by its name in capitals",
      method: "GET",
      path: (world) => byName(user(world).toUpperCase()),
      status: [200],
      answer: (world) => listOf({ id: world.id("user") })
    },
    {
      title: "Finds the user by two attributes",
      method: "GET",
      path: (world) => `/Users?${query({ filter: `(userName eq "${user(world)}") and (emails.type eq "work")` })}`,
      status: [200],
      answer: (world) => listOf({ id: world.id("user") })
    },
    {
      title: "Asks for some attributes only",
      method: "GET",
      path: (world) => `/Users/${world.id("user")}?${query({ attributes: "userName,active" })}`,
      status: [200],
      answer: (world) => ({ id: world.id("user"), userName: user(world), active: true, name: absent, emails: absent })
    },
    {
      title: "Changes the address of work, and adds a telephone that was not there",
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
      answer: (world) => ({
        emails: [{ type: "work", value: renamed(world) }],
        name: { familyName: "Renamed", givenName: "Conformance" },
        phoneNumbers: [{ type: "mobile", value: "+1 555 0100" }],
        addresses: [{ type: "work", locality: "Testing" }]
      })
    },
    {
      title: "Changes several attributes by their names, without a path",
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
      answer: () => ({
        displayName: "Conformance Renamed",
        name: { givenName: "Another", familyName: "Renamed" },
        [enterpriseSchema]: { department: "More tests", employeeNumber: "701984" }
      })
    },
    {
      title: "Changes the user name",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: (world) => patch({ op: "Replace", path: "userName", value: renamed(world) }),
      status: changed,
      answer: (world) => ({ userName: renamed(world) })
    },
    {
      title: "Does not find the old user name any more",
      method: "GET",
      path: (world) => byName(user(world)),
      status: [200],
      answer: () => empty
    },
    {
      title: "Makes the manager, who is not active",
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
      answer: (world) => ({ userName: manager(world), active: false }),
      keep: "manager"
    },
    {
      title: "Sets the manager, an id alone",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: (world) => patch({ op: "Add", path: `${enterpriseSchema}:manager`, value: world.id("manager") }),
      status: changed,
      answer: (world) => ({ [enterpriseSchema]: { manager: { value: world.id("manager") } } })
    },
    {
      title: "Asks whether that is the manager",
      method: "GET",
      path: (world) =>
        `/Users?${query({
          filter: `id eq "${world.id("user")}" and ${enterpriseSchema}:manager.value eq "${world.id("manager")}"`,
          attributes: "id"
        })}`,
      status: [200],
      answer: (world) => listOf({ id: world.id("user") })
    },
    {
      title: "Removes the manager and the title that was never there",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: () => patch({ op: "Remove", path: `${enterpriseSchema}:manager` }, { op: "Remove", path: "title" }),
      status: changed,
      answer: () => ({ [enterpriseSchema]: { manager: absent } })
    },
    {
      title: "Deactivates the user, by a text",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: () => patch({ op: "Replace", path: "active", value: "False" }),
      status: changed,
      answer: () => ({ active: false })
    },
    {
      title: "Finds the user, who is inactive",
      method: "GET",
      path: (world) => byName(renamed(world)),
      status: [200],
      answer: (world) => listOf({ id: world.id("user"), active: false })
    },
    {
      title: "Activates the user, by a text",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: () => patch({ op: "Add", path: "active", value: "True" }),
      status: changed,
      answer: () => ({ active: true })
    },
    {
      title: "Looks whether the group is there, without members",
      method: "GET",
      path: (world) =>
        `/Groups?${query({ excludedAttributes: "members", filter: `displayName eq "${groupName(world, "entra")}"` })}`,
      status: [200],
      answer: () => empty
    },
    {
      title: "Makes the group, with a schema of its own beside",
      method: "POST",
      path: () => "/Groups",
      body: (world) => ({
        schemas: [groupSchema, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
        externalId: `${externalId(world)}-group`,
        displayName: groupName(world, "entra"),
        meta: { resourceType: "Group" }
      }),
      status: [201],
      answer: (world) => ({
        id: present,
        displayName: groupName(world, "entra"),
        externalId: `${externalId(world)}-group`,
        members: absent
      }),
      keep: "group"
    },
    {
      title: "Makes a group of the same name",
      method: "POST",
      path: () => "/Groups",
      body: (world) => ({ schemas: [groupSchema], displayName: groupName(world, "entra") }),
      status: [409],
      answer: () => failure(409, "uniqueness")
    },
    {
      title: "Reads the group without members",
      method: "GET",
      path: (world) => `/Groups/${world.id("group")}?${query({ excludedAttributes: "members" })}`,
      status: [200],
      answer: (world) => ({ id: world.id("group"), displayName: groupName(world, "entra"), members: absent })
    },
    {
      title: "Adds two members",
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
      title: "Adds a member that is in it already",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) => patch({ op: "Add", path: "members", value: [{ value: world.id("user") }] }),
      status: changed
    },
    {
      title: "Reads the members",
      method: "GET",
      path: (world) => `/Groups/${world.id("group")}?${query({ attributes: "members" })}`,
      status: [200],
      answer: (world) => ({
        id: world.id("group"),
        members: having({ value: world.id("user") }, { value: world.id("manager") })
      })
    },
    {
      title: "Asks whether the user is a member",
      method: "GET",
      path: (world) =>
        `/Groups?${query({
          filter: `id eq "${world.id("group")}" and members eq "${world.id("user")}"`,
          attributes: "id"
        })}`,
      status: [200],
      answer: (world) => listOf({ id: world.id("group") })
    },
    {
      title: "Takes a member out, by a list",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) => patch({ op: "Remove", path: "members", value: [{ $ref: null, value: world.id("manager") }] }),
      status: changed
    },
    {
      title: "Asks whether the other is a member still",
      method: "GET",
      path: (world) =>
        `/Groups?${query({
          filter: `id eq "${world.id("group")}" and members eq "${world.id("manager")}"`,
          attributes: "id"
        })}`,
      status: [200],
      answer: () => empty
    },
    {
      title: "Renames the group",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) => patch({ op: "Replace", path: "displayName", value: groupName(world, "entra renamed") }),
      status: changed
    },
    {
      title: "Reads the renamed group with its member",
      method: "GET",
      path: (world) => `/Groups/${world.id("group")}`,
      status: [200],
      answer: (world) => ({
        displayName: groupName(world, "entra renamed"),
        members: [{ value: world.id("user") }]
      })
    },
    {
      title: "Takes the member out, by a filter",
      method: "PATCH",
      path: (world) => `/Groups/${world.id("group")}`,
      body: (world) => patch({ op: "Remove", path: `members[value eq "${world.id("user")}"]` }),
      status: changed
    },
    {
      title: "Finds nobody in the group",
      method: "GET",
      path: (world) => `/Groups/${world.id("group")}`,
      status: [200],
      answer: (world) => ({ members: lacking({ value: world.id("user") }) })
    },
    {
      title: "Removes the group",
      method: "DELETE",
      path: (world) => `/Groups/${world.id("group")}`,
      status: [204]
    },
    {
      title: "Deactivates the user",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: () => patch({ op: "Replace", path: "active", value: false }),
      status: changed,
      answer: () => ({ active: false })
    },
    {
      title: "Removes the user",
      method: "DELETE",
      path: (world) => `/Users/${world.id("user")}`,
      status: [204]
    },
    {
      title: "Removes the user again",
      method: "DELETE",
      path: (world) => `/Users/${world.id("user")}`,
      status: [404],
      answer: () => failure(404)
    },
    {
      title: "Removes the manager",
      method: "DELETE",
      path: (world) => `/Users/${world.id("manager")}`,
      status: [204]
    },
    {
      title: "Finds nobody any more",
      method: "GET",
      path: (world) => byName(renamed(world)),
      status: [200],
      answer: () => ({ ...empty, Resources: absent })
    }
  ]
}
