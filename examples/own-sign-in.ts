/** Use your own sign-in: your application authenticates users. */
import { createClient } from "@orgplane/client"
import { ControlPlane, type HostIdentity } from "@orgplane/server"

/** Represents your session store, which resolves the cookie or token of your application. */
const people: Record<string, HostIdentity> = {
  "session-of-ada": { subject: "employee-1", name: "Ada", email: "ada@example.com", emailVerified: true },
  "session-of-bo": { subject: "employee-2", name: "Bo", email: "bo@example.com", emailVerified: true }
}

const controlPlane = await ControlPlane.make({
  database: ControlPlane.pglite("memory"),
  pathPrefix: "/orgplane",
  // Serves the console at /orgplane/console/. It sends people who are not signed in to the sign-in page of your application.
  console: { signInUrl: "/login" },
  // Called for every request without an orgplane credential. It reads headers and returns `null` for an unknown caller.
  authenticator: async (request) => people[request.headers.get("x-our-session") ?? ""] ?? null
})

const as = (session: string | null) =>
  createClient({
    baseUrl: "http://localhost/orgplane",
    fetch: (request) => {
      if (session !== null) request.headers.set("x-our-session", session)
      return controlPlane.fetch(request)
    }
  })

// A workspace is created for Ada. Its claim link works only for her verified email.
const { claimLinks } = await as(null).bootstrap.workspace({ workspaceName: "Acme", ownerEmail: "ada@example.com" })
const token = claimLinks[0]?.token ?? ""

const refused = await as("session-of-bo")
  .bootstrap.acceptClaim({ token })
  .catch((error: Error) => error.name)
console.log(refused) // => ForbiddenError

const accepted = await as("session-of-ada").bootstrap.acceptClaim({ token })
console.log(accepted.member.role) // => owner

// Ada is now a member of Acme and needs only your session.
console.log((await as("session-of-ada").organizations.get()).name) // => Acme

const stranger = await as("unknown-session")
  .organizations.get()
  .catch((error: Error) => error.name)
console.log(stranger) // => UnauthorizedError

await controlPlane.dispose()
