/** People: sign in by a mailed code, invite, teams, roles, a key for automation, and why somebody can see something. */
import { createClient, NotFoundError } from "@orgplane/client"
import { ControlPlane } from "@orgplane/server"

// Letters are handed to a function of yours; these are kept to be read below.
const letters: Array<{ readonly to: string; readonly text: string }> = []
const controlPlane = await ControlPlane.make({
  database: ControlPlane.pglite("memory"),
  mailer: {
    send: async (letter) => {
      letters.push(letter)
    }
  }
})
const connection = { baseUrl: "http://localhost", fetch: controlPlane.fetch }

/** What a letter says; it is sent after the answer, so somebody who reads mail waits a moment. */
const mailed = async (to: string, pattern: RegExp): Promise<string> => {
  for (;;) {
    const found = letters.flatMap((letter) => (letter.to === to ? (pattern.exec(letter.text)?.[1] ?? []) : [])).at(-1)
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const signIn = async (email: string) => {
  const anybody = createClient(connection)
  const { challengeId } = await anybody.sessions.startEmail({ email })
  const { session } = await anybody.sessions.verifyEmail({ challengeId, code: await mailed(email, /code=(\w+)/) })
  return createClient({ ...connection, token: session.token })
}

const ada = await signIn("ada@acme.example")
const { organization } = await ada.organizations.create({ name: "Acme" })
console.log(organization.name) // => Acme

// Bob gets a link; only his address can accept it.
await ada.invitations.create({ email: "bob@acme.example", role: "member" })
const token = await mailed("bob@acme.example", /invitation#token=(\w+)/)
const bob = await signIn("bob@acme.example")
const { member } = await bob.invitations.accept({ token })
await bob.users.setActiveOrganization({ organizationId: organization.id })
console.log(member.role) // => member

// A role of one's own: Bob may see plugins, and nothing else.
const { role } = await ada.roles.create({ name: "Reader", permissions: ["plugins:read"] })
await ada.members.update(member.id, { role: role.id })

// What a team is granted, its members have.
const { team } = await ada.teams.create({ name: "Platform" })
await ada.teams.addMember(team.id, member.id)
const plugin = await ada.plugins.create({ name: "Reviewer" })
const ask = {
  orgMembershipId: member.id,
  object: { kind: "plugin", id: plugin.id },
  action: "view"
} as const

const before = await ada.access.explain(ask)
console.log(before.explanation.allowed) // => false

const grant = await ada.plugins.grantAccess(plugin.id, { teamId: team.id, role: "viewer" })
const after = await ada.access.explain(ask)
console.log(after.explanation.paths[0]?.steps.map((step) => step.kind).join(" → ")) // => member → team → grant → object

const { impact } = await ada.access.impact({ grantId: grant.id })
console.log(impact.memberCount) // => 1

// A key for automation holds its own permissions; its secret is answered this once.
const { key } = await ada.apiKeys.create({ name: "ci", permissions: ["plugins:read"] })
const robot = createClient({ ...connection, apiKey: key })
const seen = await robot.plugins.get(plugin.id).catch((error: unknown) => {
  if (error instanceof NotFoundError) return error.code
  throw error
})
console.log(seen) // => plugin_not_found
await ada.plugins.grantAccess(plugin.id, { orgWide: true, role: "viewer" })
console.log((await robot.plugins.get(plugin.id)).name) // => Reviewer

// Everything is in the audit, which can be checked and taken along as a stream.
const { verification } = await ada.audit.verify()
console.log(verification.valid) // => true
let lines = 0
for await (const chunk of await ada.audit.export({ format: "ndjson" }))
  lines += chunk.filter((byte) => byte === 10).length
console.log(lines === verification.eventCount) // => true

await controlPlane.dispose()
