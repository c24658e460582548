/** Google Workspace: the requests of its automatic user provisioning, which does not support groups. */
import {
  absent,
  address,
  changed,
  empty,
  enterpriseSchema,
  failure,
  having,
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

const user = (world: World) => address(world, "google")
const byName = (userName: string) => `/Users?${query({ filter: `userName eq "${userName}"` })}`
const userPath = pathOf("Users", "user")

const profile = (world: World) => ({
  schemas: [userSchema, enterpriseSchema],
  userName: user(world),
  externalId: `${testName}-${world.run}-1084`,
  name: { givenName: "Conformance", familyName: "Google", formatted: "Conformance Google" },
  displayName: "Conformance Google",
  emails: [{ value: user(world), type: "work", primary: true }],
  phoneNumbers: [{ value: "+1 555 0100", type: "work" }],
  title: "Tester",
  preferredLanguage: "en",
  [enterpriseSchema]: { department: "Tests", organization: "Conformance" },
  active: true
})

export const google: Sequence = {
  provider: "google",
  title: "Google Workspace",
  userAgent: "Google-Auto-Provisioning",
  contentType: "application/json; charset=UTF-8",
  steps: [
    read(
      "Read the service provider configuration",
      () => "/ServiceProviderConfig",
      () => ({
        schemas: having("urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"),
        patch: { supported: true },
        filter: { supported: true, maxResults: number },
        changePassword: { supported: false },
        authenticationSchemes: having({ type: "oauthbearertoken" })
      })
    ),
    read(
      "Read the resource types",
      () => "/ResourceTypes",
      () => ({ Resources: having({ name: "User", endpoint: present }, { name: "Group", endpoint: present }) })
    ),
    read(
      "Read the user schema",
      () => `/Schemas/${userSchema}`,
      () => ({
        id: userSchema,
        attributes: having({ name: "userName", uniqueness: "server", required: true })
      })
    ),
    read(
      "Check whether the user exists",
      (world) => byName(user(world)),
      () => empty
    ),
    {
      title: "Create the user",
      method: "POST",
      path: () => "/Users",
      body: profile,
      status: [201],
      response: (world) => ({
        id: present,
        userName: user(world),
        active: true,
        title: "Tester",
        [enterpriseSchema]: { department: "Tests", organization: "Conformance" }
      }),
      keep: "user"
    },
    read(
      "Find the user by user name in a different case",
      (world) => byName(user(world).replace(testName, "Orgplane-Conformance")),
      (world) => listOf({ id: world.id("user"), active: true })
    ),
    {
      title: "Create the user again, in a different case",
      method: "POST",
      path: () => "/Users",
      body: (world) => ({ ...profile(world), userName: user(world).toUpperCase() }),
      status: [409],
      response: () => failure(409, "uniqueness")
    },
    {
      title: "Replace the user, omitting some attributes",
      method: "PUT",
      path: userPath,
      body: (world) => ({
        schemas: [userSchema],
        id: world.id("user"),
        userName: user(world),
        externalId: `${testName}-${world.run}-1084`,
        name: { givenName: "Replaced", familyName: "Google" },
        emails: [{ value: user(world), type: "work", primary: true }],
        active: true
      }),
      status: [200],
      response: () => ({ name: { givenName: "Replaced" }, title: absent, phoneNumbers: absent, active: true })
    },
    {
      title: "Change attributes with operations without a path",
      method: "PATCH",
      path: userPath,
      body: () =>
        patch({
          op: "replace",
          value: { name: { givenName: "Changed", familyName: "Google" }, title: "Lead tester" }
        }),
      status: changed,
      response: () => ({ name: { givenName: "Changed", familyName: "Google" }, title: "Lead tester" })
    },
    {
      title: "Suspend the user",
      method: "PATCH",
      path: userPath,
      body: () => patch({ op: "replace", path: "active", value: false }),
      status: changed,
      response: () => ({ active: false })
    },
    {
      title: "Suspend the user by replacing it",
      method: "PUT",
      path: userPath,
      body: (world) => ({ ...profile(world), active: false }),
      status: [200],
      response: () => ({ active: false, title: "Tester" })
    },
    read("Read the suspended user", userPath, (world) => ({ id: world.id("user"), active: false })),
    remove("Remove the user, as Google Workspace does days later", userPath),
    readMissing("Read the removed user and expect 404", userPath)
  ]
}
