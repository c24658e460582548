/** Add the control plane as a layer of routes to an Effect application, next to the application's own routes. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ControlPlane } from "@orgplane/server"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"

const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/", HttpServerResponse.text("our home page")),
  ControlPlane.layer({ database: ControlPlane.pglite("memory"), pathPrefix: "/orgplane" })
)

const server = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
  Layer.provideMerge(FetchHttpClient.layer)
)

// Run a server with `Layer.launch(server)`. Here it handles two requests and stops with its scope.
const program = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  const baseUrl = `http://127.0.0.1:${"port" in address ? address.port : 0}`
  const home = yield* HttpClient.get(`${baseUrl}/`)
  console.log(yield* home.text) // => our home page
  const health = yield* HttpClient.get(`${baseUrl}/orgplane/v1/health`)
  console.log(yield* health.json) // => { status: 'ok' }
})

await Effect.runPromise(Effect.scoped(Effect.provide(program, server)))
