import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { type McpFailed, McpServers, type McpTarget } from "../../ports/mcp-servers.ts"
import { Outbound } from "../../ports/outbound.ts"
import { listen, type Listeners } from "./listen.ts"
import { type Connection, connect, connectStateless } from "./connection.ts"
import { type Course, type Reply, reuseOf } from "./exchange.ts"
import { failed, unseen } from "./failure.ts"
import { keyOf, KnownServers } from "./known-servers.ts"
import { listOf, member, textOf } from "./message.ts"
import { isInvalidInput, isUnknownTool, ofRpcError, rpcCodes } from "./rpc-error.ts"
import { mirroredHeaders, readTools } from "./tools.ts"

const probeTimeoutMillis = 15_000
const listTimeoutMillis = 30_000
const callTimeoutMillis = 60_000
const resultBytesMax = 4 * 1024 * 1024

/** The text of a result with `isError`, where servers put errors that older revisions reported as JSON-RPC errors. */
const errorTextOf = (result: JsonObject): string => {
  const content = listOf(member(result, "content"))
  return content !== undefined
    ? content
        .slice(0, 10)
        .map((item) => textOf(item, "text")?.slice(0, 1000) ?? "")
        .join("\n")
    : ""
}

const resultOf = (reply: Reply, connection: Connection) => {
  const { response, exchange } = reply
  if (response.kind === "error") return Effect.fail(ofRpcError(reply, "tools/call", connection.hasSession))
  const { result } = response
  const more = { exchange, providerStatus: reply.status }
  const kind = textOf(result, "resultType") ?? "complete"
  if (kind === "input_required") {
    return Effect.fail(failed("input_required", "The tool requires input, which orgplane cannot provide.", more))
  }
  if (kind !== "complete") {
    return Effect.fail(failed("invalid_message", "The server returned an unknown type of result.", more))
  }
  if (member(result, "isError") === true) {
    const text = errorTextOf(result)
    // Recognized by text only, and only where the server's own validation of the call produces it.
    const isOfProtocol = /^\s*(MCP error -32602\b|Input validation error)/i.test(text)
    if (isOfProtocol && isUnknownTool(text)) {
      return Effect.fail(failed("tool_not_found", "The server has no tool with this name.", more))
    }
    if (isOfProtocol && isInvalidInput(text)) {
      return Effect.fail(failed("invalid_arguments", "The server rejected the arguments.", more))
    }
    return Effect.fail(failed("tool_error", "The tool ran and reported an error.", more))
  }
  return Effect.succeed({ result, exchange })
}

const make = Effect.gen(function* () {
  const outbound = yield* Outbound
  const listeners: Listeners = { perOrganization: new Map(), total: 0 }

  const course = (target: McpTarget, timeoutMillis: number) =>
    Effect.map(Clock.currentTimeMillis, (now): Course => ({
      outbound,
      target,
      deadlineMillis: now + timeoutMillis,
      reuse: reuseOf(target),
      lastId: 0
    }))

  const cachedServers = new KnownServers()

  /**
   * Connects without `server/discover` if the server was found to have no sessions a short time ago. Nothing else is
   * taken over: each call is a whole request with its own credential.
   */
  const connectKnown = Effect.fnUntraced(function* (its: Course) {
    const key = keyOf(its)
    const info = key === undefined ? undefined : cachedServers.find(key, yield* Clock.currentTimeMillis)
    if (info !== undefined) return connectStateless(its, info)
    const connection = yield* connect(its)
    if (key !== undefined && connection.info.era === "stateless") {
      cachedServers.add(key, connection.info, yield* Clock.currentTimeMillis)
    }
    return connection
  })

  const call = Effect.fnUntraced(function* (
    connection: Connection,
    toolName: string,
    args: JsonObject,
    unless: Effect.Effect<never, McpFailed> | undefined
  ) {
    const params: JsonObject = { name: toolName, arguments: args }
    const reply = yield* connection.ask("tools/call", params, resultBytesMax, unless === undefined ? {} : { unless })
    const wantsHeaders = reply.response.kind === "error" && reply.response.code === rpcCodes.headerMismatch
    if (!wantsHeaders || connection.info.era !== "stateless") return reply
    // The call was rejected before the tool ran. The tool also requires arguments in headers, which only its
    // description lists.
    const { tools } = yield* readTools(connection)
    const tool = tools.find(({ name }) => name === toolName)
    if (tool === undefined) return reply
    return yield* connection.ask("tools/call", params, resultBytesMax, {
      headers: mirroredHeaders(tool.inputSchema, args)
    })
  })

  /**
   * Retries once with a new session if the server no longer has the first one. This is safe, because probing and
   * listing are idempotent.
   */
  const onceMore = <A>(listing: Effect.Effect<A, McpFailed, Scope.Scope>) =>
    Effect.catch(listing, (failure) => (failure.code === "session_lost" ? listing : Effect.fail(failure)))

  return McpServers.of({
    probe: Effect.fn("mcp.probe")(function* (target, timeoutMillis = probeTimeoutMillis) {
      const connecting = connect(yield* course(target, timeoutMillis))
      const { info } = yield* onceMore(connecting).pipe(Effect.mapError(unseen))
      return info
    }, Effect.scoped),
    listTools: Effect.fn("mcp.listTools")(function* (target) {
      const listing = Effect.flatMap(connect(yield* course(target, listTimeoutMillis)), readTools)
      return yield* onceMore(listing).pipe(Effect.mapError(unseen))
    }, Effect.scoped),
    callTool: Effect.fn("mcp.callTool")(function* (target, toolName, args, timeoutMillis = callTimeoutMillis) {
      const its = yield* course(target, timeoutMillis)
      const connection = yield* connectKnown(its)
      const { listenHeaders } = connection
      const unless = listenHeaders === null ? undefined : yield* listen(its, listeners, listenHeaders)
      // After a failure, which may mean that the server has changed, the next call discovers it again.
      return yield* call(connection, toolName, args, unless).pipe(
        Effect.flatMap((reply) => resultOf(reply, connection)),
        Effect.tapError(({ category }) =>
          Effect.sync(() => (category === "tool" ? undefined : cachedServers.forget(keyOf(its))))
        )
      )
    }, Effect.scoped)
  })
})

/** MCP over HTTP, with and without sessions, using the outbound HTTP client. See `McpServers`. */
export const layerMcpServers: Layer.Layer<McpServers, never, Outbound> = Layer.effect(McpServers, make)
