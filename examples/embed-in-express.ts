/** Mount the control plane under a path of an Express application, before its body parsers. */
import { ControlPlane, toNodeHandler } from "@orgplane/server"
import express from "express"
import type { AddressInfo } from "node:net"

const controlPlane = await ControlPlane.make({
  database: ControlPlane.pglite("memory"),
  pathPrefix: "/orgplane"
})

const app = express()
// Before `express.json()`, because a body can be read only once.
app.use("/orgplane", toNodeHandler(controlPlane))
app.use(express.json())
app.post("/echo", (request, response) => {
  response.json(request.body)
})

const server = app.listen(0, "127.0.0.1")
await new Promise((resolve) => server.once("listening", resolve))
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const post = (path: string, body: unknown) =>
  fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })

console.log(await (await post("/echo", { hello: "you" })).json()) // => { hello: 'you' }
console.log((await post("/orgplane/v1/bootstrap/workspace", { workspaceName: "Acme" })).status) // => 201
console.log((await post("/orgplane/v1/bootstrap/workspace", { workspaceName: "" })).status) // => 400

server.close()
server.closeAllConnections()
await controlPlane.dispose()
