/** The control plane in your process, without a server, a port or a separate database. */
import { ControlPlane } from "@orgplane/server"

const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory") })

const workspace = await controlPlane.fetch(
  new Request("http://localhost/v1/bootstrap/workspace", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workspaceName: "Acme" })
  })
)
console.log(workspace.status) // => 201

const { organization, session } = (await workspace.json()) as {
  organization: { name: string }
  session: { token: string }
}
console.log(organization.name) // => Acme

// The session token is the credential for all other requests.
const members = await controlPlane.fetch(
  new Request("http://localhost/v1/members", { headers: { authorization: `Bearer ${session.token}` } })
)
console.log(members.status) // => 200

await controlPlane.dispose()
