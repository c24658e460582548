/** Deno with the control plane below `/orgplane`. */
import { makeControlPlane, onShutdown, pathPrefix, pluginNames, port } from "../control-plane.ts"

/** The part of Deno's server that this file uses. Deno's own types declare all of it. */
declare const Deno: {
  readonly serve: (
    options: { readonly hostname: string; readonly port: number; readonly onListen: () => void },
    handler: (
      request: Request,
      info: { readonly remoteAddr: { readonly hostname: string } }
    ) => Response | Promise<Response>
  ) => { readonly shutdown: () => Promise<void> }
}

const controlPlane = await makeControlPlane()

const server = Deno.serve(
  { hostname: "127.0.0.1", port, onListen: () => console.log(`listening on ${port}`) },
  async (request, { remoteAddr }) => {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith(`${pathPrefix}/`)) {
      return controlPlane.fetch(request, { remoteAddress: remoteAddr.hostname })
    }
    if (pathname === "/") return new Response("our home page")
    if (pathname === "/team/plugins") {
      return Response.json(await pluginNames(controlPlane, request.headers.get("authorization")))
    }
    return new Response("not found", { status: 404 })
  }
)

onShutdown(async () => {
  await server.shutdown()
  await controlPlane.dispose()
})
