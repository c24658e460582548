/** Express with the control plane below `/orgplane`, before the body parsers. */
import { toNodeHandler } from "@orgplane/server"
import express from "express"
import { makeControlPlane, onShutdown, pathPrefix, pluginNames, port } from "../control-plane.ts"

const controlPlane = await makeControlPlane()

const app = express()
// Before `express.json()`, because a body can be read only once. It passes the address of the socket.
app.use(pathPrefix, toNodeHandler(controlPlane))
app.use(express.json())
app.get("/", (_request, response) => {
  response.send("our home page")
})
app.get("/team/plugins", async (request, response) => {
  response.json(await pluginNames(controlPlane, request.headers.authorization))
})

const server = app.listen(port, "127.0.0.1", () => {
  console.log(`listening on ${port}`)
})

onShutdown(async () => {
  server.close()
  await controlPlane.dispose()
})
