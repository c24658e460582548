#!/usr/bin/env node
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { resolve } from "node:path"
import { makeApp, untracedLinks } from "./app.ts"
import { describeEnvironment, Misconfigured, readEnvironment } from "./config/environment.ts"
import { layerLogger } from "./logger.ts"
import { layerOtlp } from "./otlp.ts"
import { demoRoot, readSeed, type Seed, writeSeed } from "./seed.ts"

const drainMillis = 20_000

/** What a person sees who started it. */
const greeting = (baseUrl: string, seed: Seed | undefined) =>
  [
    `orgplane serves ${baseUrl}`,
    `  docs   ${baseUrl}/docs`,
    ...(seed === undefined
      ? []
      : [
          `  token  ${seed.ownerToken}   (owner of the demo workspace)`,
          "",
          "Try:",
          `  curl -H "authorization: Bearer ${seed.ownerToken}" ${baseUrl}/v1/marketplaces/${seed.marketplaceId}/resolved`,
          `  curl -H "authorization: Bearer ${seed.ownerToken}" ${baseUrl}/v1/plugins/${seed.pluginId}/config-objects`,
          `  curl -H "authorization: Bearer ${seed.ownerToken}" ${baseUrl}/v1/connector-instances/${seed.connectorInstanceId}/discovery`
        ])
  ].join("\n")

const start = Effect.gen(function* () {
  const configuration = readEnvironment(process.env)
  const dataDir = resolve(configuration.dataDir)
  const isDemo = configuration.seed === "demo"
  const options = isDemo
    ? {
        ...configuration.options,
        git: {
          ...configuration.options.git,
          localRoots: [...(configuration.options.git?.localRoots ?? []), demoRoot(dataDir)]
        }
      }
    : configuration.options
  const { app, demo } = yield* makeApp(options)
  const seed = isDemo ? ((yield* demo(dataDir)) ?? readSeed(dataDir)) : undefined

  const node = createServer()
  // A client that is slow with its head or body is let go; one that keeps a connection for more requests is welcome.
  node.headersTimeout = 30_000
  node.requestTimeout = 300_000
  const services = yield* Layer.build(
    NodeHttpServer.layer(() => node, {
      host: configuration.host,
      port: configuration.port,
      gracefulShutdownTimeout: drainMillis
    })
  )
  const open = yield* HttpServer.serveEffect(app).pipe(
    Effect.provideContext(services),
    Effect.provideService(HttpMiddleware.TracerDisabledWhen, untracedLinks)
  )
  const address = node.address() as AddressInfo
  const shown = configuration.host.includes(":") ? `[${configuration.host}]` : configuration.host
  const baseUrl = `http://${shown}:${address.port}${options.pathPrefix ?? ""}`
  if (seed !== undefined) yield* Effect.promise(() => writeSeed(dataDir, seed, baseUrl))
  process.stdout.write(`${greeting(baseUrl, seed)}\n`)
  return open
})

/** A sentence for a person about why the program could not start. */
const sentence = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error && error.message !== "" ? error.message : String(error)
}

const main = async () => {
  if (process.argv[2] === "config") {
    process.stdout.write(`${describeEnvironment(process.env)}\n`)
    return
  }
  const scope = Scope.makeUnsafe()
  const level = (() => {
    try {
      return readEnvironment(process.env)
    } catch (error) {
      if (!(error instanceof Misconfigured)) throw error
      process.stderr.write(`orgplane cannot start: ${error.message}\n`)
      process.exitCode = 2
      return undefined
    }
  })()
  if (level === undefined) return
  // Whoever is impatient during the start is heard too.
  const impatience = new AbortController()
  const stop = () => {
    if (!impatience.signal.aborted) impatience.abort()
  }
  process.on("SIGTERM", stop)
  process.on("SIGINT", stop)
  const end = () =>
    Effect.runPromise(Scope.close(scope, Exit.void)).then(
      () => process.exit(0),
      () => process.exit(1)
    )
  const exit = await Effect.runPromiseExit(
    start.pipe(
      Scope.provide(scope),
      Effect.provide(layerOtlp(level.otlpUrl).pipe(Layer.provideMerge(layerLogger(level.logLevel))))
    ),
    { signal: impatience.signal }
  )
  if (impatience.signal.aborted) return end()
  if (Exit.isFailure(exit)) {
    process.stderr.write(`orgplane cannot start: ${sentence(exit.cause)}\n`)
    await Effect.runPromise(Scope.close(scope, exit))
    process.exit(1)
  }
  impatience.signal.addEventListener("abort", () => void end())
}

await main()
