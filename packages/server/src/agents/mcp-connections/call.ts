import type { Diagnostic, McpServerFailed } from "@orgplane/schema/mcp-connections"
import { type CallTool, type ToolCall, ToolExecutionFailed } from "@orgplane/schema/mcp-tools"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { digestOf } from "../../infra/audit/record.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { McpFailed, McpServers, type McpTarget } from "../../infra/ports/mcp-servers.ts"
import { diagnosticOf } from "./diagnostic.ts"
import { inspectionOf, redactorOf, summaryOfFailure, summaryOfResult } from "./inspect.ts"
import type * as repo from "./repo.ts"
import { McpConnectionsService } from "./service.ts"
import { McpToolsService } from "./tools-service.ts"

const timeoutMillis = 60_000

const notThere = () =>
  new McpFailed({
    category: "tool",
    code: "tool_not_found",
    message: "The server has no tool of this name.",
    retryable: false
  })

/** What a call came to, for the audit and the log. */
type Outcome = "result" | "interrupted" | Diagnostic["code"]

/**
 * Runs single tools for people who look for what is wrong. Of what goes over the wire nothing is kept: the audit holds
 * which tool was called, a digest of the arguments and what came of it.
 */
export class McpCallService extends Context.Service<McpCallService>()("@orgplane/server/mcp-connections/Call", {
  make: Effect.gen(function* () {
    const connections = yield* McpConnectionsService
    const tools = yield* McpToolsService
    const servers = yield* McpServers
    const limiter = yield* RateLimiter
    const { mutate, recall } = yield* Mutate

    const told = (toolName: string, args: string) => ({ tool: toolName, arguments: digestOf(args) })

    /**
     * Before anything is sent: the key is taken, so that a repeated request never calls twice, and it is on record that
     * somebody calls, should nobody be there to write what came of it.
     */
    const begin = (caller: Member, id: Id<"emc">, call: ReturnType<typeof told>) =>
      mutate(caller, "mcp_connection.begin_tool_call", Effect.void, () => ({ target: id, after: call }))

    const end = (caller: Member, id: Id<"emc">, call: ReturnType<typeof told>, outcome: Outcome, durationMs: number) =>
      // The key is taken already, by the beginning.
      mutate(
        { ...caller, request: { ...caller.request, idempotency: null } },
        "mcp_connection.call_tool",
        Effect.void,
        () => ({
          target: id,
          after: { ...call, outcome, durationMs }
        })
      )

    const refused = (
      caller: Member,
      row: repo.Row,
      target: McpTarget | undefined,
      failure: McpFailed
    ): ToolExecutionFailed => {
      const known = diagnosticOf(failure, row, caller.request.requestId)
      if (target === undefined) {
        return new ToolExecutionFailed({
          message: failure.message,
          diagnostic: known,
          inspection: { diagnosis: { summary: summaryOfFailure(failure) } }
        })
      }
      const redactor = redactorOf(target, failure.exchange)
      const { providerCode, providerRequestId } = known
      return new ToolExecutionFailed({
        message: failure.message,
        diagnostic: {
          ...known,
          ...(providerCode === undefined ? {} : { providerCode: redactor.text(providerCode) }),
          ...(providerRequestId === undefined ? {} : { providerRequestId: redactor.text(providerRequestId) })
        },
        inspection: inspectionOf(target, failure.exchange, redactor, summaryOfFailure(failure))
      })
    }

    /** A server whose tools could not even be listed: the call did not begin. */
    const unlisted = ({ diagnostic, message }: McpServerFailed) =>
      new ToolExecutionFailed({
        message,
        diagnostic,
        inspection: {
          diagnosis: { summary: `The tool was not called, because the server's tools could not be listed: ${message}` }
        }
      })

    const log = (caller: Member, row: repo.Row, outcome: Outcome, durationMs: number) => {
      const { outbound } = diagnosticOf(notThere(), row, caller.request.requestId)
      const referenceId = caller.request.requestId
      return Effect.logInfo("A tool was called.", { referenceId, outcome, durationMs, outbound })
    }

    /**
     * Runs one tool with the caller's credential and shows the exchange. 404 without a grant that names them, 409 when
     * it is not ready, 403 when policy or review stand against it, 429 past 60 in a minute, 502 without a result.
     */
    const callTool = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, input: typeof CallTool.Type) {
      yield* connections.usable(caller, id)
      yield* recall<void>(caller)
      yield* limiter.take(caller.request, limits.mcpCall, caller.organizationId)
      yield* connections.demandAsking(caller)
      const startedAt = yield* Clock.currentTimeMillis
      const elapsed = Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, now - startedAt))
      const { row, tool } = yield* tools
        .callable(caller, id, input.toolName)
        .pipe(Effect.catchTag("McpServerError", (failure) => Effect.fail(unlisted(failure))))
      // Nothing is asked of the server, so nothing happened that would have to be on record.
      if (tool === undefined) return yield* refused(caller, row, undefined, notThere())
      const call = told(input.toolName, JSON.stringify(input.arguments))
      yield* begin(caller, id, call)

      let used: McpTarget | undefined
      const ended = (outcome: Outcome) =>
        Effect.flatMap(elapsed, (durationMs) =>
          Effect.andThen(end(caller, id, call, outcome, durationMs), log(caller, row, outcome, durationMs))
        )
      const asking = connections.asCaller(caller, row, (target) => {
        used = target
        return Effect.flatMap(elapsed, (spent) =>
          servers.callTool(target, input.toolName, input.arguments, Math.max(1000, timeoutMillis - spent))
        )
      })
      const { exchange, result } = yield* asking.pipe(
        Effect.onInterrupt(() => ended("interrupted")),
        Effect.tapError((failure) => ended(failure instanceof McpFailed ? failure.code : "unauthorized")),
        Effect.catchTag("McpFailed", (failure) => Effect.fail(refused(caller, row, used, failure)))
      )
      yield* ended("result")
      const target: McpTarget = used ?? { url: row.url, organizationId: row.organization_id, credential: null }
      const redactor = redactorOf(target, exchange)
      const response: ToolCall = {
        referenceId: caller.request.requestId,
        durationMs: yield* elapsed,
        result: redactor.json(result),
        inspection: inspectionOf(target, exchange, redactor, summaryOfResult(exchange))
      }
      return response
    })

    return { callTool } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
