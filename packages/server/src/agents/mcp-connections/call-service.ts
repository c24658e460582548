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

const toolNotFound = () =>
  new McpFailed({
    category: "tool",
    code: "tool_not_found",
    message: "The server has no tool with this name.",
    retryable: false
  })

/** The outcome of a call, for the audit log and the server log. */
type Outcome = "result" | "interrupted" | Diagnostic["code"]

/**
 * Runs single tools for diagnosis. The exchange is not stored: the audit event contains only the tool, a digest of
 * the arguments, and the outcome.
 */
export class McpCallService extends Context.Service<McpCallService>()("@orgplane/server/mcp-connections/Call", {
  make: Effect.gen(function* () {
    const connections = yield* McpConnectionsService
    const tools = yield* McpToolsService
    const servers = yield* McpServers
    const limiter = yield* RateLimiter
    const { mutate, recall } = yield* Mutate

    const auditView = (toolName: string, args: string) => ({ tool: toolName, arguments: digestOf(args) })

    /**
     * Runs before anything is sent. It claims the idempotency key, so that a retried request never calls the tool
     * twice, and records the call in case its outcome cannot be recorded later.
     */
    const auditStart = (caller: Member, id: Id<"emc">, call: ReturnType<typeof auditView>) =>
      mutate(caller, "mcp_connection.begin_tool_call", Effect.void, () => ({ target: id, after: call }))

    const auditEnd = (
      caller: Member,
      id: Id<"emc">,
      call: ReturnType<typeof auditView>,
      outcome: Outcome,
      durationMs: number
    ) =>
      // The first event has already claimed the idempotency key.
      mutate(
        { ...caller, request: { ...caller.request, idempotency: null } },
        "mcp_connection.call_tool",
        Effect.void,
        () => ({
          target: id,
          after: { ...call, outcome, durationMs }
        })
      )

    const executionFailed = (
      caller: Member,
      row: repo.Row,
      target: McpTarget | undefined,
      failure: McpFailed
    ): ToolExecutionFailed => {
      const diagnostic = diagnosticOf(failure, row, caller.request.requestId)
      if (target === undefined) {
        return new ToolExecutionFailed({
          message: failure.message,
          diagnostic: diagnostic,
          inspection: { diagnosis: { summary: summaryOfFailure(failure) } }
        })
      }
      const redactor = redactorOf(target, failure.exchange)
      const { providerCode, providerRequestId } = diagnostic
      return new ToolExecutionFailed({
        message: failure.message,
        diagnostic: {
          ...diagnostic,
          ...(providerCode === undefined ? {} : { providerCode: redactor.text(providerCode) }),
          ...(providerRequestId === undefined ? {} : { providerRequestId: redactor.text(providerRequestId) })
        },
        inspection: inspectionOf(target, failure.exchange, redactor, summaryOfFailure(failure))
      })
    }

    /** The tools could not be listed, so the call was not made. */
    const listingFailed = ({ diagnostic, message }: McpServerFailed) =>
      new ToolExecutionFailed({
        message,
        diagnostic,
        inspection: {
          diagnosis: { summary: `The tool was not called, because the server's tools could not be listed: ${message}` }
        }
      })

    const log = (caller: Member, row: repo.Row, outcome: Outcome, durationMs: number) => {
      const { outbound } = diagnosticOf(toolNotFound(), row, caller.request.requestId)
      const referenceId = caller.request.requestId
      return Effect.logInfo("MCP tool called.", { referenceId, outcome, durationMs, outbound })
    }

    /**
     * Runs one tool with the caller's credential and returns the exchange. 404 without a grant to the caller, 409 when
     * the connection is not ready, 403 when the policy or a review blocks the tool, 429 above 60 calls per minute, 502
     * without a result.
     */
    const callTool = Effect.fnUntraced(function* (caller: Member, id: Id<"emc">, input: typeof CallTool.Type) {
      yield* connections.usable(caller, id)
      yield* recall<void>(caller)
      yield* limiter.take(caller.request, limits.mcpCall, caller.organizationId)
      yield* connections.limitOutbound(caller)
      const startedAt = yield* Clock.currentTimeMillis
      const elapsed = Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, now - startedAt))
      const { row, tool } = yield* tools
        .callable(caller, id, input.toolName)
        .pipe(Effect.catchTag("McpServerError", (failure) => Effect.fail(listingFailed(failure))))
      // No request is sent, so there is nothing to audit.
      if (tool === undefined) return yield* executionFailed(caller, row, undefined, toolNotFound())
      const call = auditView(input.toolName, JSON.stringify(input.arguments))
      yield* auditStart(caller, id, call)

      let usedTarget: McpTarget | undefined
      const finish = (outcome: Outcome) =>
        Effect.flatMap(elapsed, (durationMs) =>
          Effect.andThen(auditEnd(caller, id, call, outcome, durationMs), log(caller, row, outcome, durationMs))
        )
      const calling = connections.asCaller(caller, row, (target) => {
        usedTarget = target
        return Effect.flatMap(elapsed, (spent) =>
          servers.callTool(target, input.toolName, input.arguments, Math.max(1000, timeoutMillis - spent))
        )
      })
      const { exchange, result } = yield* calling.pipe(
        Effect.onInterrupt(() => finish("interrupted")),
        Effect.tapError((failure) => finish(failure instanceof McpFailed ? failure.code : "unauthorized")),
        Effect.catchTag("McpFailed", (failure) => Effect.fail(executionFailed(caller, row, usedTarget, failure)))
      )
      yield* finish("result")
      const target: McpTarget = usedTarget ?? { url: row.url, organizationId: row.organization_id, credential: null }
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
