import { Unavailable } from "@orgplane/schema/shared/errors"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { type App, makeApp } from "./app.ts"
import { checkOptions } from "./infra/config/check-options.ts"
import { PeerAddress } from "./infra/http/peer-address.ts"
import { makeId } from "./infra/ids.ts"
import type { ControlPlaneOptions } from "./infra/options.ts"
import { layerObservability } from "./infra/otlp.ts"
import { startFailure } from "./start-error.ts"

/** Information about a request that only the host application has. */
export interface Peer {
  /** The address of the connection's peer. Rate limits use it, and it is compared with `trustedProxies`. */
  readonly remoteAddress?: string
}

const withPeer = (app: App): App =>
  Effect.withFiber((fiber) => {
    const address = fiber.getRef(PeerAddress)
    if (address === undefined) return app
    const request = Context.getUnsafe(fiber.context, HttpServerRequest)
    return Effect.provideService(app, HttpServerRequest, request.modify({ remoteAddress: Option.some(address) }))
  })

/** The response of a control plane that no longer accepts requests. */
const shutdownResponse = () => {
  const { error, message } = new Unavailable({ message: "The service is shutting down." })
  return Response.json(
    { error, message },
    { status: 503, headers: { "retry-after": "5", "x-request-id": makeId("req") } }
  )
}

/** A running control plane and its services; `references` apply to every request and all background work. */
export const start = async (options: ControlPlaneOptions, references: Layer.Layer<never> = Layer.empty) => {
  checkOptions(options)
  const scope = Scope.makeUnsafe()
  const built = await Effect.runPromiseExit(
    Effect.gen(function* () {
      const context = yield* Layer.build(Layer.merge(layerObservability(options), references))
      const served = yield* makeApp(options).pipe(Effect.provideContext(context))
      return { context, served }
    }).pipe(Scope.provide(scope))
  )
  if (Exit.isFailure(built)) {
    await Effect.runPromise(Scope.close(scope, built))
    throw new Error(startFailure(built.cause, { database: options.database }), { cause: Cause.squash(built.cause) })
  }
  const { context, served } = built.value
  const handle = HttpEffect.toWebHandlerWith<never, HttpServerRequest | Scope.Scope>(
    // The application creates its own server spans, without the secrets of a URL.
    Context.add(context, HttpMiddleware.TracerDisabledWhen, () => true)
  )(withPeer(served.app))
  let open = 0
  let idle = () => {}
  let ending: Promise<void> | undefined

  const fetch = async (request: Request, peer?: Peer): Promise<Response> => {
    if (ending !== undefined) return shutdownResponse()
    if (request.bodyUsed) {
      throw new TypeError("The request body was already read. Mount the control plane before body parsers.")
    }
    open += 1
    try {
      const address = peer?.remoteAddress
      return await (typeof address === "string" ? handle(request, Context.make(PeerAddress, address)) : handle(request))
    } finally {
      open -= 1
      if (open === 0) idle()
    }
  }

  const end = async () => {
    if (open > 0) await new Promise<void>((resolve) => (idle = resolve))
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  const dispose = (): Promise<void> => (ending ??= end())

  return { fetch, dispose, served, services: served.services }
}
