/** Fastify with the control plane below `/orgplane`, in a plugin that does not parse bodies. */
import { toNodeHandler } from "@orgplane/server"
import fastify from "fastify"
import { makeControlPlane, onShutdown, pathPrefix, pluginNames, port } from "../control-plane.ts"

const controlPlane = await makeControlPlane()
const handle = toNodeHandler(controlPlane)

const app = fastify()
app.get("/", () => "our home page")
app.get("/team/plugins", (request) => pluginNames(controlPlane, request.headers.authorization))

// The parsers of a plugin apply only to its own routes. These leave the body for the control plane to read.
app.register((orgplane, _options, done) => {
  orgplane.removeAllContentTypeParsers()
  orgplane.addContentTypeParser("*", (_request, _body, parsed) => parsed(null))
  orgplane.all(`${pathPrefix}/*`, (request, reply) => {
    reply.hijack()
    handle(request.raw, reply.raw)
  })
  done()
})

await app.listen({ port, host: "127.0.0.1" })
console.log(`listening on ${port}`)

onShutdown(async () => {
  await app.close()
  await controlPlane.dispose()
})
