/** The tools of an MCP connection: list, policy, review of changes, and diagnostic calls. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import {
  at,
  ConnectionResponse,
  ConnectionNotFound,
  ConnectionNotReady,
  Diagnostic,
  McpServerFailed,
  one
} from "./mcp-connections.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { badGatewayWith, conflict, notFound } from "./shared/errors.ts"
import { pageQuery } from "./shared/page.ts"
import { JsonInput, JsonObject, QueryFlag, Text, Timestamp } from "./shared/values.ts"

// Entities

export const ToolDecision = Schema.Literals(["allowed", "denied", "review_required"]).annotate({
  identifier: "McpToolDecision",
  description:
    "Whether the tool can be called. `denied`: the tool policy denies it. `review_required`: the policy allows it, but it is new or changed and has not been accepted."
})
export type ToolDecision = typeof ToolDecision.Type

export const McpTool = Schema.Struct({
  name: Schema.String,
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  inputSchema: JsonObject,
  readOnlyHint: Schema.Boolean.annotate({ description: "As stated by the server; not verified." }),
  destructiveHint: Schema.Boolean,
  idempotentHint: Schema.Boolean,
  openWorldHint: Schema.Boolean,
  decision: ToolDecision
}).annotate({ identifier: "McpTool" })
export type McpTool = typeof McpTool.Type

export const ToolPage = Schema.Struct({
  items: Schema.Array(McpTool),
  nextCursor: Schema.NullOr(Schema.String.check(Schema.isBetweenCodePoints(1, 255))),
  fingerprint: Schema.String.annotate({ description: "The fingerprint of the server's current state." }),
  checkedAt: Timestamp
}).annotate({ identifier: "McpToolPage" })

const ToolName = Text(1, 255)
const ToolNames = Schema.Array(ToolName).check(Schema.isMaxLength(1000))

export const ToolPolicy = Schema.Struct({
  mode: Schema.Literals(["all", "read_only", "listed"]).annotate({
    description:
      "The rule for tools that are in neither `allowed` nor `denied`. `all` allows them, `read_only` allows those with the read-only hint, `listed` allows none."
  }),
  allowed: ToolNames.annotate({ description: "Tools that may be called, regardless of `mode`." }),
  denied: ToolNames.annotate({ description: "Takes precedence over `allowed`." })
}).annotate({ identifier: "McpToolPolicy" })
export type ToolPolicy = typeof ToolPolicy.Type

/** One difference between the server and its approved state. */
export const DriftChange = Schema.Struct({
  kind: Schema.Literals([
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "scopes",
    "tool_added",
    "tool_removed",
    "tool_changed"
  ]),
  name: Schema.NullOr(Schema.String).annotate({ description: "For tools: the name of the tool." }),
  members: Schema.Array(Schema.String).annotate({
    description: "For a changed tool: the properties that differ (title, description, inputSchema or hints)."
  }),
  before: Schema.NullOr(Schema.Json),
  after: Schema.NullOr(Schema.Json)
}).annotate({ identifier: "McpDriftChange" })
export type DriftChange = typeof DriftChange.Type

export const Review = Schema.Struct({
  fingerprint: Schema.String.annotate({
    description: "The fingerprint of the server's current state. Decisions apply to this state."
  }),
  acceptedFingerprint: Schema.String,
  detectedAt: Timestamp,
  decision: Schema.NullOr(Schema.Literal("reject")).annotate({
    description: "`reject` if the changes were rejected; they remain blocked. Null while the review is pending."
  }),
  changes: Schema.Array(DriftChange),
  changesTruncated: Schema.Boolean.annotate({
    description: "Whether there are more changes than the 500 that are listed."
  })
}).annotate({ identifier: "McpReview" })
export type Review = typeof Review.Type

export const InspectedHeader = Schema.Struct({
  name: Schema.String,
  value: Schema.String,
  redacted: Schema.Boolean
}).annotate({ identifier: "InspectedHeader" })

export const InspectedBody = Schema.Struct({
  text: Schema.String.annotate({ description: "At most 512 KiB. Secrets are redacted." }),
  bytes: Schema.Int.annotate({ description: "The size of the whole body." }),
  truncated: Schema.Boolean,
  unavailable: Schema.Boolean.annotate({ description: "Whether the body is missing or is not text." })
}).annotate({ identifier: "InspectedBody" })

/** One HTTP exchange with secrets redacted. It is not stored. */
export const Inspection = Schema.Struct({
  diagnosis: Schema.Struct({ summary: Schema.String }),
  request: Schema.optionalKey(
    Schema.Struct({
      method: Schema.String,
      url: Schema.String.annotate({ description: "Query values are redacted." }),
      startedAt: Timestamp,
      headers: Schema.Array(InspectedHeader),
      body: InspectedBody
    })
  ),
  response: Schema.optionalKey(
    Schema.Struct({
      status: Schema.Int,
      statusText: Schema.String,
      durationMs: Schema.Int,
      headers: Schema.Array(InspectedHeader),
      body: InspectedBody
    })
  )
}).annotate({ identifier: "McpInspection" })
export type Inspection = typeof Inspection.Type

export const ToolCall = Schema.Struct({
  referenceId: Schema.String,
  durationMs: Schema.Int,
  result: Schema.Json,
  inspection: Inspection
}).annotate({ identifier: "McpToolCall" })
export type ToolCall = typeof ToolCall.Type

// Payloads

export const CallTool = Schema.Struct({
  toolName: ToolName.annotate({ description: "The name of the tool to call." }),
  arguments: JsonInput.annotate({ description: "The arguments of the call, as the tool's input schema defines them." })
}).annotate({ identifier: "CallMcpTool" })

export const DecideReview = Schema.Struct({
  fingerprint: Text(1, 128).annotate({
    description: "The fingerprint of the review. If it has changed since, the response is 409 `stale_revision`."
  }),
  decision: Schema.Literals(["accept", "reject"]).annotate({
    description: "`accept`: approves the server's current state. `reject`: keeps the changes blocked."
  })
}).annotate({ identifier: "DecideMcpReview" })

// Errors

/** The server does not differ from its approved state. */
export class McpReviewNotFound extends notFound("mcp_review")<McpReviewNotFound>() {}
export class StaleReview extends conflict(
  "stale_revision",
  "The server has changed again. Get the current review, then decide."
)<StaleReview>() {}
/** 502: the call failed without a result. */
export class ToolExecutionFailed extends badGatewayWith(
  "tool_execution_failed",
  "The tool did not return a result. See diagnostic for the cause.",
  {
    diagnostic: Diagnostic,
    inspection: Inspection
  }
)<ToolExecutionFailed>() {}

// Operations

const read = Access.permission("mcpConnections:read")
const write = Access.permission("mcpConnections:write")
const PolicyResponse = Schema.Struct({ toolPolicy: ToolPolicy })

/** More operations of the group `mcpConnections`: tools, policy and review. */
export const endpoints = [
  HttpApiEndpoint.get("listTools", `${at}/tools`, {
    params: one,
    query: {
      ...pageQuery,
      refresh: Schema.optionalKey(
        QueryFlag.annotate({ description: "If `true`, contacts the server now. Default: `false`." })
      )
    },
    success: ToolPage,
    error: [ConnectionNotFound, ConnectionNotReady, McpServerFailed]
  }).pipe(
    endpointMetadata({
      access: read,
      paged: true,
      summary: "List the tools of an MCP connection",
      description:
        "Ordered by name. The server is contacted at most once every five minutes, unless `refresh` is `true`. Requires a grant that includes the caller, even if the caller is an owner or admin, because the request uses the connection's credential."
    })
  ),
  HttpApiEndpoint.get("getToolPolicy", `${at}/tool-policy`, {
    params: one,
    success: PolicyResponse,
    error: ConnectionNotFound
  }).pipe(
    endpointMetadata({
      access: read,
      summary: "Get the tool policy of an MCP connection",
      description: "The policy determines which tools may be called."
    })
  ),
  HttpApiEndpoint.put("setToolPolicy", `${at}/tool-policy`, {
    params: one,
    payload: ToolPolicy,
    success: PolicyResponse,
    error: ConnectionNotFound
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "mcp_connection.set_tool_policy",
      summary: "Set the tool policy of an MCP connection",
      description: "Requires manager access. The policy can name tools that do not exist yet."
    })
  ),
  HttpApiEndpoint.get("getReview", `${at}/review`, {
    params: one,
    success: Schema.Struct({ review: Review }),
    error: [ConnectionNotFound, McpReviewNotFound]
  }).pipe(
    endpointMetadata({
      access: read,
      summary: "Show how an MCP server differs from its approved state",
      description:
        "New and changed tools are blocked until a manager accepts them. If the issuer, the authorization endpoint or the token endpoint changes, the whole connection is blocked."
    })
  ),
  HttpApiEndpoint.post("decideReview", `${at}/review`, {
    params: one,
    payload: DecideReview,
    success: ConnectionResponse,
    error: [ConnectionNotFound, McpReviewNotFound, StaleReview]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "mcp_connection.review",
      summary: "Accept or reject changes to an MCP server",
      description: "Requires manager access. Rejected changes stay blocked."
    })
  )
] as const

/** More operations of the group `mcpConnections`: diagnostic tool calls. */
export const callEndpoints = [
  HttpApiEndpoint.post("callTool", `${at}/tools/call`, {
    params: one,
    payload: CallTool,
    success: ToolCall,
    error: [ConnectionNotFound, ConnectionNotReady, ToolExecutionFailed]
  }).pipe(
    endpointMetadata({
      access: Access.permission("mcp:call"),
      specified: true,
      audited: "mcp_connection.call_tool",
      idempotency: "fact",
      holdsSecret: true,
      summary: "Make a diagnostic call to a tool",
      description:
        "Runs one tool and returns the HTTP exchange with secrets redacted. The exchange is not stored. Takes at most 60 seconds. Limit: 60 calls per minute per organization. Requires a grant that includes the caller. Returns 403 `policy_blocked` if the policy denies the tool, and 403 `tool_review_required` if the tool is new or changed and has not been accepted."
    })
  )
] as const
