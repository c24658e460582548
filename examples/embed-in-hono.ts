/** Below a path of a Hono application, beside its own routes. Any host of web requests works the same way. */
import { ControlPlane } from "@orgplane/server"
import { Hono } from "hono"

const controlPlane = await ControlPlane.make({
  database: ControlPlane.pglite("memory"),
  // Links are made from this, and its host is the one that is answered for.
  publicUrl: "https://intranet.example/orgplane",
  pathPrefix: "/orgplane",
  // On a public host nobody makes workspaces without this token.
  bootstrap: { token: "a token that only we know" }
})

const app = new Hono()
app.get("/", (c) => c.text("our own page"))
app.all("/orgplane/*", (c) => controlPlane.fetch(c.req.raw))

const get = (path: string, init?: RequestInit) => app.request(`https://intranet.example${path}`, init)

console.log(await (await get("/")).text()) // => our own page
console.log((await get("/orgplane/v1/health")).status) // => 200
console.log((await get("/v1/health")).status) // => 404

const made = await get("/orgplane/v1/bootstrap/workspace", {
  method: "POST",
  headers: { "content-type": "application/json", "x-bootstrap-token": "a token that only we know" },
  body: JSON.stringify({ workspaceName: "Acme" })
})
const { claimLinks } = (await made.json()) as { claimLinks: [{ url: string }] }
console.log(claimLinks[0].url.split("#")[0]) // => https://intranet.example/orgplane/claim

await controlPlane.dispose()
