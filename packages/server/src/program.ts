import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import type * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { resolve } from "node:path"
import type { Worker } from "node:worker_threads"
import { makeApp } from "./app.ts"
import { helpText, parseArguments } from "./arguments.ts"
import { type Configuration, describeEnvironment, type Environment, Misconfigured } from "./infra/config/environment.ts"
import { readConfiguration, readSources, type Sources } from "./infra/config/read-configuration.ts"
import { describeUnknown, type UnknownVariable, unknownVariables } from "./infra/config/unknown-variables.ts"
import { SettingNames } from "./infra/config/setting-names.ts"
import { Stopping } from "./infra/http/stopping.ts"
import { serveNode } from "./infra/http/dispatch/entrance.ts"
import { layerObservability } from "./infra/otlp.ts"
import { runInspection } from "./inspection.ts"
import { runMaintenance } from "./maintenance.ts"
import { demoRoot, readSeed, type Seed, seedPath, writeSeed } from "./seed.ts"
import { surviveLostOutput } from "./standard-streams.ts"
import { startFailure } from "./start-error.ts"
import { memoryWarning } from "./infra/memory-limit.ts"
import { collectStartMemory } from "./infra/start-memory.ts"
import { version } from "./infra/version.ts"

/**
 * The part of the shutdown time that is reserved for closing the database and the OpenTelemetry exporter after open
 * requests are aborted.
 */
const closeMillisMax = 5000

/**
 * The startup output. Standard output that is not a terminal is stored (systemd journal, container log), so the token
 * is printed on terminals only.
 */
const greeting = (baseUrl: string, hasConsole: boolean, dataDir: string, seed: Seed | undefined) => {
  // The fragment is not sent to the server. The console signs in with it when the person confirms.
  const fragment = seed !== undefined && process.stdout.isTTY ? `#token=${seed.ownerToken}` : ""
  const lines = [
    `orgplane serves ${baseUrl}`,
    ...(hasConsole ? [`  console  ${baseUrl}/console/${fragment}`] : []),
    `  docs     ${baseUrl}/docs`
  ]
  if (seed === undefined) return lines.join("\n")
  if (!process.stdout.isTTY) {
    return [...lines, `  token    ownerToken in ${seedPath(dataDir)}   (owner of the demo workspace)`].join("\n")
  }
  return [
    ...lines,
    `  token    ${seed.ownerToken}   (owner of the demo workspace)`,
    "",
    "Try:",
    `  curl -H "authorization: Bearer ${seed.ownerToken}" ${baseUrl}/v1/marketplaces/${seed.marketplaceId}/resolved`,
    `  curl -H "authorization: Bearer ${seed.ownerToken}" ${baseUrl}/v1/plugins/${seed.pluginId}/config-objects`,
    `  curl -H "authorization: Bearer ${seed.ownerToken}" ${baseUrl}/v1/connector-instances/${seed.connectorInstanceId}/discovery`
  ].join("\n")
}

const start = Effect.fnUntraced(function* (configuration: Configuration, node: Server) {
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
  const built = yield* makeApp(options)
  const seed = isDemo ? ((yield* built.demo(dataDir)) ?? readSeed(dataDir)) : undefined

  const services = yield* Layer.build(
    NodeHttpServer.layer(() => node, {
      host: configuration.host,
      port: configuration.port,
      gracefulShutdownTimeout: configuration.stop.limitMillis
    })
  )
  yield* serveNode(node, built).pipe(
    // Each request adds about a dozen entries to this context. With the default depth, every eighth copies all of it.
    Effect.updateContext((context: Context.Context<HttpServer.HttpServer | Scope.Scope>) =>
      Context.makeUnsafe<HttpServer.HttpServer | Scope.Scope>(context.mapUnsafe, { maxDepth: 32 })
    ),
    Effect.provideContext(services),
    // The application creates its own server spans, without the secrets of a URL.
    Effect.provideService(HttpMiddleware.TracerDisabledWhen, () => true)
  )
  const address = node.address() as AddressInfo
  const shown = configuration.host.includes(":") ? `[${configuration.host}]` : configuration.host
  const baseUrl = `http://${shown}:${address.port}${options.pathPrefix ?? ""}`
  if (seed !== undefined) yield* Effect.promise(() => writeSeed(dataDir, seed, baseUrl))
  process.stdout.write(`${greeting(baseUrl, options.console === true, dataDir, seed)}\n`)
  yield* Effect.forkScoped(collectStartMemory)
})

const pause = (millis: number) => new Promise((done) => setTimeout(done, millis))

const run = async (configuration: Configuration, unknown: ReadonlyArray<UnknownVariable>) => {
  const { host, port, options, stop } = configuration
  const warning = memoryWarning(options.database.kind, process.constrainedMemory())
  if (warning !== undefined) process.stderr.write(`${warning}\n`)
  const closeMillis = Math.min(closeMillisMax, (stop.limitMillis - stop.drainMillis) / 2)
  const scope = Scope.makeUnsafe()
  const stopping = { requested: false }
  const node = createServer()
  // Disconnect clients that send headers or body too slowly, but allow idle keep-alive connections.
  node.headersTimeout = 30_000
  node.requestTimeout = 300_000
  // During shutdown, keep-alive is disabled, so that clients connect to another server for their next request.
  node.prependListener("request", (_, response) => {
    if (stopping.requested) response.shouldKeepAlive = false
  })

  const program = Effect.gen(function* () {
    // This layer is built first, so that it closes last and exports the telemetry of the other layers' shutdown.
    const observability = yield* Layer.build(layerObservability(options))
    const warnings = Effect.forEach(unknown.map(describeUnknown), ({ fix, message }) =>
      Effect.logWarning(`${message} ${fix}`)
    )
    yield* Effect.andThen(warnings, start(configuration, node)).pipe(
      Effect.provideContext(observability),
      Effect.provideService(Stopping, stopping),
      Effect.provideService(SettingNames, "variables")
    )
  })

  const startAborted = new AbortController()
  let signals = 0
  let skipDrain: () => void = () => {}
  const drainSkipped = new Promise<void>((done) => (skipDrain = done))

  const end = async () => {
    if (node.listening && stop.drainMillis > 0) await Promise.race([pause(stop.drainMillis), drainSkipped])
    // Requests that are still open, or not fully received, are aborted shortly before the time limit.
    setTimeout(() => node.closeAllConnections(), stop.limitMillis - stop.drainMillis - closeMillis).unref()
    const exit = await Effect.runPromiseExit(Scope.close(scope, Exit.void))
    process.exit(Exit.isSuccess(exit) ? 0 : 1)
  }
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1
    // SIGINT comes from a terminal, where there is no load balancer to wait for. A second signal ends the wait.
    if (signal === "SIGINT" || signals === 2) skipDrain()
    if (signals > 2) process.exit(130)
    if (stopping.requested) return
    stopping.requested = true
    setTimeout(() => {
      process.stderr.write(
        `orgplane did not stop within ${stop.limitMillis / 1000} s; open requests were aborted. Raise ORGPLANE_SHUTDOWN_SECONDS if requests need longer.\n`
      )
      process.exit(1)
    }, stop.limitMillis).unref()
    startAborted.abort()
  }
  process.on("SIGTERM", onSignal)
  process.on("SIGINT", onSignal)

  const exit = await Effect.runPromiseExit(Scope.provide(program, scope), { signal: startAborted.signal })
  if (startAborted.signal.aborted) return end()
  if (Exit.isFailure(exit)) {
    const sentence = startFailure(exit.cause, {
      database: options.database,
      names: "variables",
      listen: { host, port }
    })
    process.stderr.write(`orgplane cannot start: ${sentence}\n`)
    setTimeout(() => process.exit(1), closeMillisMax).unref()
    await Effect.runPromiseExit(Scope.close(scope, exit))
    process.exit(1)
  }
  startAborted.signal.addEventListener("abort", () => void end())
}

/** Passes the embedded database the thread that was prepared for it. */
const withThread = (configuration: Configuration, thread: Worker | undefined): Configuration => {
  const { database } = configuration.options
  if (thread === undefined || database.kind !== "pglite") return configuration
  return { ...configuration, options: { ...configuration.options, database: { ...database, thread } } }
}

/** Runs the program `orgplane-server`. */
export const main = async (argv: ReadonlyArray<string>, environment: Environment, thread: Worker | undefined) => {
  surviveLostOutput()
  const invocation = parseArguments(argv)
  if ("usageError" in invocation) {
    process.stderr.write(`${invocation.usageError}\n`)
    process.exitCode = 2
    return
  }
  if (!("configFile" in invocation)) {
    return void process.stdout.write(`${invocation.command === "help" ? helpText : version}\n`)
  }
  const { command } = invocation
  if (command === "check-config" || command === "doctor") {
    return runInspection({ ...invocation, command, environment })
  }
  if (command === "backup" || command === "restore") {
    const { runBackupCommand } = await import("./backup-commands.ts")
    return runBackupCommand({ ...invocation, command, environment })
  }
  if (command === "move") {
    const { runMoveCommand } = await import("./move-commands.ts")
    return runMoveCommand({ ...invocation, environment })
  }
  if (command === "support-bundle") {
    const { runSupportCommand } = await import("./support-commands.ts")
    return runSupportCommand({ ...invocation, environment })
  }
  if (command === "rotate-keys") {
    const { runKeysCommand } = await import("./keys-commands.ts")
    return runKeysCommand({ ...invocation, environment })
  }
  let sources: Sources
  let configuration: Configuration
  try {
    sources = readSources(environment, invocation.configFile)
    if (command === "config") return void process.stdout.write(`${describeEnvironment(sources.environment)}\n`)
    configuration = readConfiguration(sources)
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    process.stderr.write(`orgplane cannot start: ${error.message}\n`)
    process.exitCode = 2
    return
  }
  if (command === "start") await run(withThread(configuration, thread), unknownVariables(sources.environment))
  else await runMaintenance(command, configuration)
}
