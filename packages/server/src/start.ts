import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpEffect from "effect/http/HttpEffect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { makeApp } from "./app.ts"
import { tellAddress } from "./http/client-address.ts"
import { layerLogger } from "./logger.ts"
import type { ControlPlaneOptions } from "./options.ts"

/** A control plane that runs, with the services behind it. */
export const start = async (options: ControlPlaneOptions) => {
  const scope = Scope.makeUnsafe()
  const built = await Effect.runPromiseExit(
    Effect.gen(function* () {
      const context = yield* Layer.build(layerLogger(options.logLevel ?? "warn"))
      const { app, services } = yield* makeApp(options).pipe(Effect.provideContext(context))
      return { app, context, services }
    }).pipe(Scope.provide(scope))
  )
  if (Exit.isFailure(built)) {
    await Effect.runPromise(Scope.close(scope, built))
    return Effect.runPromise(Effect.failCause(built.cause))
  }
  const { app, context, services } = built.value
  const handle = HttpEffect.toWebHandlerWith<never, HttpServerRequest | Scope.Scope>(context)(app)
  let open = 0
  let idle = () => {}
  let ending: Promise<void> | undefined

  const fetch = async (request: Request, from?: { readonly address?: unknown }): Promise<Response> => {
    if (ending !== undefined) return new Response(null, { status: 503, headers: { "retry-after": "5" } })
    if (request.bodyUsed) {
      throw new TypeError("The request's body was read before; mount the control plane ahead of body parsers.")
    }
    if (typeof from?.address === "string") tellAddress(request, from.address)
    open += 1
    try {
      return await handle(request)
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

  return { fetch, dispose, services }
}
