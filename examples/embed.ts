/** The control plane in your process, without a server, a port or a separate database. */
import { createEmbeddedClient } from "@orgplane/client/embedded"
import { ControlPlane } from "@orgplane/server"

const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory") })

const { organization, session } = await createEmbeddedClient(controlPlane).bootstrap.workspace({
  workspaceName: "Acme"
})
console.log(organization.name) // => Acme

// The session token is the credential for all other requests. No request leaves the process.
const client = createEmbeddedClient(controlPlane, { token: session.token })
const plugin = await client.plugins.create({ name: "Reviewer" })
console.log((await client.plugins.list().take(10)).map(({ name }) => name)) // => [ 'Reviewer' ]

// Serve it to others with any framework: its handler takes a Request and returns a Response.
const response = await controlPlane.fetch(
  new Request(`http://localhost/v1/plugins/${plugin.id}`, { headers: { authorization: `Bearer ${session.token}` } })
)
console.log(response.status) // => 200

await controlPlane.dispose()
