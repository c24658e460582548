/** Your own sign-in instead of ours: people are who your application says they are. */
import { createClient } from "@orgplane/client"
import { ControlPlane, type HostIdentity } from "@orgplane/server"

/** Stands for your session store: what the cookie or the token of your application means. */
const people: Record<string, HostIdentity> = {
  "session-of-ada": { subject: "employee-1", name: "Ada", email: "ada@example.com", emailVerified: true },
  "session-of-bo": { subject: "employee-2", name: "Bo", email: "bo@example.com", emailVerified: true }
}

const controlPlane = await ControlPlane.make({
  database: ControlPlane.pglite("memory"),
  // Asked for every request without a credential of ours. It reads headers; `null` is "I do not know either".
  authenticator: async (request) => people[request.headers.get("x-our-session") ?? ""] ?? null
})

const as = (session: string | null) =>
  createClient({
    baseUrl: "http://localhost",
    fetch: (request) => {
      if (session !== null) request.headers.set("x-our-session", session)
      return controlPlane.fetch(request)
    }
  })

// Somebody made a workspace for Ada; the claim link works for her verified address only.
const { claimLinks } = await as(null).bootstrap.workspace({ workspaceName: "Acme", ownerEmail: "ada@example.com" })
const token = claimLinks[0]?.token ?? ""

const refused = await as("session-of-bo")
  .bootstrap.acceptClaim({ token })
  .catch((error: Error) => error.name)
console.log(refused) // => ForbiddenError

const accepted = await as("session-of-ada").bootstrap.acceptClaim({ token })
console.log(accepted.member.role) // => owner

// From here on Ada is a member of Acme with nothing but your session.
console.log((await as("session-of-ada").organizations.get()).organization.name) // => Acme

const stranger = await as("made up")
  .organizations.get()
  .catch((error: Error) => error.name)
console.log(stranger) // => UnauthorizedError

await controlPlane.dispose()
