/** An Effect application with the control plane as a layer of routes below `/orgplane`. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { ControlPlane } from "@orgplane/server"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import { pathPrefix, port } from "../control-plane.ts"

const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/", HttpServerResponse.text("our home page")),
  // The server of the application passes the address of the socket.
  ControlPlane.layer({ database: ControlPlane.pglite("memory"), pathPrefix, trustedProxies: ["127.0.0.1"] })
)

const listening = Layer.effectDiscard(Effect.sync(() => console.log(`listening on ${port}`)))

// The layer closes with the scope of the application: `runMain` ends it on SIGINT and SIGTERM.
listening.pipe(
  Layer.provide(HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true })),
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port })),
  Layer.launch,
  NodeRuntime.runMain
)
