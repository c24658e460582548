/** Hono on Node.js with the control plane below `/orgplane`. */
import { serve, type HttpBindings } from "@hono/node-server"
import { Hono } from "hono"
import { makeControlPlane, onShutdown, pathPrefix, pluginNames, port } from "../control-plane.ts"

const controlPlane = await makeControlPlane()

const app = new Hono<{ Bindings: HttpBindings }>()
app.get("/", (c) => c.text("our home page"))
app.get("/team/plugins", async (c) => c.json(await pluginNames(controlPlane, c.req.header("authorization"))))
app.all(`${pathPrefix}/*`, (c) => {
  const { remoteAddress } = c.env.incoming.socket
  return controlPlane.fetch(c.req.raw, remoteAddress === undefined ? {} : { remoteAddress })
})

const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, () => {
  console.log(`listening on ${port}`)
})

onShutdown(async () => {
  server.close()
  // Finishes the accepted requests, and then closes the database.
  await controlPlane.dispose()
})
