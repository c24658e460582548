/** Google Workspace: automatic provisioning of users; it knows no groups. */
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
  present,
  query,
  type Sequence,
  testName,
  userSchema,
  type World
} from "./sequence.ts"

const user = (world: World) => address(world, "google")
const byName = (userName: string) => `/Users?${query({ filter: `userName eq "${userName}"` })}`

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
    {
      title: "Reads what the service can do",
      method: "GET",
      path: () => "/ServiceProviderConfig",
      status: [200],
      answer: () => ({
        schemas: having("urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"),
        patch: { supported: true },
        filter: { supported: true, maxResults: number },
        changePassword: { supported: false },
        authenticationSchemes: having({ type: "oauthbearertoken" })
      })
    },
    {
      title: "Reads the types of resources",
      method: "GET",
      path: () => "/ResourceTypes",
      status: [200],
      answer: () => ({ Resources: having({ name: "User", endpoint: present }, { name: "Group", endpoint: present }) })
    },
    {
      title: "Reads the schema of users",
      method: "GET",
      path: () => `/Schemas/${userSchema}`,
      status: [200],
      answer: () => ({ id: userSchema, attributes: having({ name: "userName", uniqueness: "server", required: true }) })
    },
    {
      title: "Looks whether the user is there",
      method: "GET",
      path: (world) => byName(user(world)),
      status: [200],
      answer: () => empty
    },
    {
      title: "Makes the user",
      method: "POST",
      path: () => "/Users",
      body: profile,
      status: [201],
      answer: (world) => ({
        id: present,
        userName: user(world),
        active: true,
        title: "Tester",
        [enterpriseSchema]: { department: "Tests", organization: "Conformance" }
      }),
      keep: "user"
    },
    {
      title: "Finds the user by its name in another case",
      method: "GET",
      path: (world) => byName(user(world).replace(testName, "Orgplane-Conformance")),
      status: [200],
      answer: (world) => listOf({ id: world.id("user"), active: true })
    },
    {
      title: "Makes the user again, in another case",
      method: "POST",
      path: () => "/Users",
      body: (world) => ({ ...profile(world), userName: user(world).toUpperCase() }),
      status: [409],
      answer: () => failure(409, "uniqueness")
    },
    {
      title: "Replaces the user, with attributes left out",
      method: "PUT",
      path: (world) => `/Users/${world.id("user")}`,
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
      answer: () => ({ name: { givenName: "Replaced" }, title: absent, phoneNumbers: absent, active: true })
    },
    {
      title: "Changes attributes by operations without a path",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: () =>
        patch({
          op: "replace",
          value: { name: { givenName: "Changed", familyName: "Google" }, title: "Lead tester" }
        }),
      status: changed,
      answer: () => ({ name: { givenName: "Changed", familyName: "Google" }, title: "Lead tester" })
    },
    {
      title: "Suspends the user",
      method: "PATCH",
      path: (world) => `/Users/${world.id("user")}`,
      body: () => patch({ op: "replace", path: "active", value: false }),
      status: changed,
      answer: () => ({ active: false })
    },
    {
      title: "Suspends the user, by replacing it",
      method: "PUT",
      path: (world) => `/Users/${world.id("user")}`,
      body: (world) => ({ ...profile(world), active: false }),
      status: [200],
      answer: () => ({ active: false, title: "Tester" })
    },
    {
      title: "Reads the suspended user",
      method: "GET",
      path: (world) => `/Users/${world.id("user")}`,
      status: [200],
      answer: (world) => ({ id: world.id("user"), active: false })
    },
    {
      title: "Removes the user, days later",
      method: "DELETE",
      path: (world) => `/Users/${world.id("user")}`,
      status: [204]
    },
    {
      title: "Does not find the user any more",
      method: "GET",
      path: (world) => `/Users/${world.id("user")}`,
      status: [404],
      answer: () => failure(404)
    }
  ]
}
