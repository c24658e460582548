/** People: sign-in with an emailed code, invitations, roles, teams, an API key for automation, and access explanations. */
import { createClient, NotFoundError } from "@orgplane/client"
import { ControlPlane } from "@orgplane/server"

// Emails are passed to your own function. This one stores them so that the example can read them.
const emails: Array<{ readonly to: string; readonly text: string }> = []
const controlPlane = await ControlPlane.make({
  database: ControlPlane.pglite("memory"),
  mailer: {
    send: async (email) => {
      emails.push(email)
    }
  }
})
const connection = { baseUrl: "http://localhost", fetch: controlPlane.fetch }

/** Waits for an email with matching text. Emails are sent after the response. */
const readEmail = async (to: string, pattern: RegExp): Promise<string> => {
  for (;;) {
    const match = emails.flatMap((email) => (email.to === to ? (pattern.exec(email.text)?.[1] ?? []) : [])).at(-1)
    if (match !== undefined) return match
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const signIn = async (email: string) => {
  const anonymous = createClient(connection)
  const { challengeId } = await anonymous.sessions.startEmail({ email })
  const { session } = await anonymous.sessions.verifyEmail({ challengeId, code: await readEmail(email, /code=(\w+)/) })
  return createClient({ ...connection, token: session.token })
}

const ada = await signIn("ada@acme.example")
const organization = await ada.organizations.create({ name: "Acme" })
console.log(organization.name) // => Acme

// Bob gets a link. Only a session with his email address can accept the invitation.
await ada.invitations.create({ email: "bob@acme.example", role: "member" })
const token = await readEmail("bob@acme.example", /invitation#token=(\w+)/)
const bob = await signIn("bob@acme.example")
const { member } = await bob.invitations.accept({ token })
await bob.users.setActiveOrganization({ organizationId: organization.id })
console.log(member.role) // => member

// A custom role: Bob can read plugins and nothing else.
const role = await ada.roles.create({ name: "Reader", permissions: ["plugins:read"] })
await ada.members.update(member.id, { role: role.id })

// Members of a team have the team's grants.
const team = await ada.teams.create({ name: "Platform" })
await ada.teams.addMember(team.id, member.id)
const plugin = await ada.plugins.create({ name: "Reviewer" })
const query = {
  orgMembershipId: member.id,
  object: { kind: "plugin", id: plugin.id },
  action: "view"
} as const

const before = await ada.access.explain(query)
console.log(before.allowed) // => false

const grant = await ada.plugins.grantAccess(plugin.id, { teamId: team.id, role: "viewer" })
const after = await ada.access.explain(query)
console.log(after.paths[0]?.steps.map((step) => step.kind).join(" → ")) // => member → team → grant → object

const impact = await ada.access.impact({ grantId: grant.id })
console.log(impact.memberCount) // => 1

// An API key for automation has its own permissions. Its secret appears only in this response.
const { key } = await ada.apiKeys.create({ name: "ci", permissions: ["plugins:read"] })
const automation = createClient({ ...connection, apiKey: key })
const result = await automation.plugins.get(plugin.id).catch((error: unknown) => {
  if (error instanceof NotFoundError) return error.code
  throw error
})
console.log(result) // => plugin_not_found
await ada.plugins.grantAccess(plugin.id, { orgWide: true, role: "viewer" })
console.log((await automation.plugins.get(plugin.id)).name) // => Reviewer

// Every change is in the audit log, which can be verified and exported as a stream.
const verification = await ada.audit.verify()
console.log(verification.valid) // => true
let lines = 0
for await (const chunk of await ada.audit.export({ format: "ndjson" }))
  lines += chunk.filter((byte) => byte === 10).length
console.log(lines === verification.eventCount) // => true

await controlPlane.dispose()
