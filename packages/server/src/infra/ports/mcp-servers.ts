import type { DiagnosticCategory, DiagnosticCode } from "@orgplane/schema/mcp-connections"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"

/** An MCP server and the credential for it. */
export interface McpTarget {
  /** The URL is supplied by a caller, so only public addresses are contacted. */
  readonly url: string
  /** The organization whose share of sockets is used. */
  readonly organizationId: string
  /** Sent with every request to the endpoint, and nowhere else. */
  readonly credential: { readonly header: string; readonly value: Redacted.Redacted } | null
  /**
   * Whose open connections and knowledge of the server may be reused: the connection with its version, and the holder
   * of its credential. The URL and the credential must be equal too. Default: nothing is reused.
   */
  readonly reuse?: { readonly owner: string; readonly version: number }
}

/**
 * The information that a server reports about itself. `stateless` servers support `server/discover`, `session`
 * require `initialize`.
 */
export interface McpServerInfo {
  readonly era: "stateless" | "session"
  readonly protocolVersion: string
  readonly name: string | null
  readonly hasTools: boolean
}

/** A tool as its server describes it, with the standard's default for each omitted hint. */
export interface McpServerTool {
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  readonly inputSchema: JsonObject
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export interface CapturedBody {
  /** The first 512 KiB as text. Secrets are not redacted. */
  readonly text: string
  /** The size of the whole body. */
  readonly bytes: number
  readonly truncated: boolean
  /** There is no body, or it is not text. */
  readonly unavailable: boolean
}

export type CapturedHeaders = ReadonlyArray<{ readonly name: string; readonly value: string }>

/**
 * The exchange of one `tools/call`, or of the step before it that failed, as it was sent and received. It is shown to
 * the caller after secrets are redacted.
 */
export interface McpExchange {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly startedAtMillis: number
    readonly headers: CapturedHeaders
    readonly body: CapturedBody
  }
  readonly response?: {
    readonly status: number
    readonly statusText: string
    readonly durationMillis: number
    readonly headers: CapturedHeaders
    readonly body: CapturedBody
  }
}

/** Why there is no result: the layer, and what the server reported. Contains no credential outside `exchange`. */
export class McpFailed extends Data.TaggedError("McpFailed")<{
  readonly category: DiagnosticCategory
  readonly code: DiagnosticCode
  readonly message: string
  readonly retryable: boolean
  readonly providerStatus?: number
  readonly providerRequestId?: string
  readonly providerCode?: string
  readonly jsonRpcCode?: number
  readonly payloadBytes?: number
  /** The `WWW-Authenticate` of a 401 or 403. */
  readonly challenge?: string
  readonly exchange?: McpExchange
  /**
   * With `insufficient_scope`: the scopes that the server requires, and whether signing in again or other settings
   * would help.
   */
  readonly demanded?: { readonly scopes: ReadonlyArray<string>; readonly remedy: "connect" | "settings" | "none" }
}> {}

/** MCP servers, for protocol revisions with and without sessions. Their responses are untrusted and bounded. */
export class McpServers extends Context.Service<
  McpServers,
  {
    /** Reads the server's information. */
    readonly probe: (target: McpTarget, timeoutMillis?: number) => Effect.Effect<McpServerInfo, McpFailed>
    /** All tools, in the server's order; at most 1,000 tools and 4 MiB. */
    readonly listTools: (
      target: McpTarget
    ) => Effect.Effect<
      { readonly server: McpServerInfo; readonly tools: ReadonlyArray<McpServerTool>; readonly truncated: boolean },
      McpFailed
    >
    /** Calls one tool. Default timeout: 60 seconds. A result with `isError` is a failure of the category `tool`. */
    readonly callTool: (
      target: McpTarget,
      toolName: string,
      args: JsonObject,
      timeoutMillis?: number
    ) => Effect.Effect<{ readonly result: Schema.Json; readonly exchange: McpExchange }, McpFailed>
  }
>()("@orgplane/server/ports/McpServers") {}
