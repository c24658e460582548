import { createEmbeddedClient } from "@orgplane/client/embedded"
import { controlPlane, pathPrefix } from "../../../control-plane.js"

/** A route of the host: the names of the plugins that its caller can see, without a request over the network. */
export const GET = async (request) => {
  const token = /^Bearer (.+)$/u.exec(request.headers.get("authorization") ?? "")?.[1]
  if (token === undefined) return Response.json([])
  const orgplane = createEmbeddedClient(await controlPlane, { pathPrefix, token })
  const plugins = await orgplane.plugins.list().take(100)
  return Response.json(plugins.map(({ name }) => name))
}
