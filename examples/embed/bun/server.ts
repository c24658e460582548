/** Bun with the control plane below `/orgplane`. */
import { makeControlPlane, onShutdown, pathPrefix, pluginNames, port } from "../control-plane.ts"

/** The part of Bun's server that this file uses. `@types/bun` declares all of it. */
declare const Bun: {
  readonly serve: (options: {
    readonly hostname: string
    readonly port: number
    readonly fetch: (request: Request, server: BunServer) => Response | Promise<Response>
  }) => BunServer
}
interface BunServer {
  readonly requestIP: (request: Request) => { readonly address: string } | null
  readonly stop: () => Promise<void>
}

const controlPlane = await makeControlPlane()

const server = Bun.serve({
  hostname: "127.0.0.1",
  port,
  fetch: async (request, bun) => {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith(`${pathPrefix}/`)) {
      const remoteAddress = bun.requestIP(request)?.address
      return controlPlane.fetch(request, remoteAddress === undefined ? {} : { remoteAddress })
    }
    if (pathname === "/") return new Response("our home page")
    if (pathname === "/team/plugins") {
      return Response.json(await pluginNames(controlPlane, request.headers.get("authorization")))
    }
    return new Response("not found", { status: 404 })
  }
})
console.log(`listening on ${port}`)

onShutdown(async () => {
  await server.stop()
  await controlPlane.dispose()
})
