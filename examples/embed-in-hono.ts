/** Mount the control plane under a path of a Hono application, next to its routes. Any fetch-based host works the same way. */
import { ControlPlane } from "@orgplane/server"
import { Hono } from "hono"

const controlPlane = await ControlPlane.make({
  database: ControlPlane.pglite("memory"),
  // Links use this URL, and requests for other hosts are refused.
  publicUrl: "https://intranet.example/orgplane",
  pathPrefix: "/orgplane",
  // On a public host, creating a workspace requires this token.
  bootstrap: { token: "a-secret-bootstrap-token" }
})

const app = new Hono()
app.get("/", (c) => c.text("our home page"))
app.all("/orgplane/*", (c) => controlPlane.fetch(c.req.raw))

const get = (path: string, init?: RequestInit) => app.request(`https://intranet.example${path}`, init)

console.log(await (await get("/")).text()) // => our home page
console.log((await get("/orgplane/v1/health")).status) // => 200
console.log((await get("/v1/health")).status) // => 404

const workspace = await get("/orgplane/v1/bootstrap/workspace", {
  method: "POST",
  headers: { "content-type": "application/json", "x-bootstrap-token": "a-secret-bootstrap-token" },
  body: JSON.stringify({ workspaceName: "Acme" })
})
const { claimLinks } = (await workspace.json()) as { claimLinks: [{ url: string }] }
console.log(claimLinks[0].url.split("#")[0]) // => https://intranet.example/orgplane/claim

await controlPlane.dispose()
