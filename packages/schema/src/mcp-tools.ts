/** The tools of a connection: what there is, which may be called, what changed, and one call to look at. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import {
  at,
  ConnectionAnswer,
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
  description: "By the tool policy, or because the tool is not what was accepted."
})
export type ToolDecision = typeof ToolDecision.Type

export const McpTool = Schema.Struct({
  name: Schema.String,
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  inputSchema: JsonObject,
  readOnlyHint: Schema.Boolean.annotate({ description: "What the server says of it; nothing proves it." }),
  destructiveHint: Schema.Boolean,
  idempotentHint: Schema.Boolean,
  openWorldHint: Schema.Boolean,
  decision: ToolDecision
}).annotate({ identifier: "McpTool" })
export type McpTool = typeof McpTool.Type

export const ToolPage = Schema.Struct({
  items: Schema.Array(McpTool),
  nextCursor: Schema.NullOr(Schema.String.check(Schema.isBetweenCodePoints(1, 255))),
  fingerprint: Schema.String.annotate({ description: "Of the server as it is now." }),
  checkedAt: Timestamp
}).annotate({ identifier: "McpToolPage" })

const ToolName = Text(1, 255)
const ToolNames = Schema.Array(ToolName).check(Schema.isMaxLength(1000))

export const ToolPolicy = Schema.Struct({
  mode: Schema.Literals(["all", "read_only", "listed"]).annotate({
    description: "What of the tools that neither list names: all, those that say they only read, or none."
  }),
  allowed: ToolNames,
  denied: ToolNames.annotate({ description: "Stronger than `allowed`." })
}).annotate({ identifier: "McpToolPolicy" })
export type ToolPolicy = typeof ToolPolicy.Type

/** One way in which the server is not what was accepted. */
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
  name: Schema.NullOr(Schema.String).annotate({ description: "Of tools: which." }),
  members: Schema.Array(Schema.String).annotate({
    description: "Of a changed tool: which of title, description, inputSchema and hints differ."
  }),
  before: Schema.NullOr(Schema.Json),
  after: Schema.NullOr(Schema.Json)
}).annotate({ identifier: "McpDriftChange" })
export type DriftChange = typeof DriftChange.Type

export const Review = Schema.Struct({
  fingerprint: Schema.String.annotate({ description: "Of the server as it is now: what a decision is about." }),
  acceptedFingerprint: Schema.String,
  detectedAt: Timestamp,
  decision: Schema.NullOr(Schema.Literal("reject")).annotate({
    description: "`reject` once somebody has refused it; what changed stays refused."
  }),
  changes: Schema.Array(DriftChange),
  changesTruncated: Schema.Boolean.annotate({ description: "There are more than the 500 that are shown." })
}).annotate({ identifier: "McpReview" })
export type Review = typeof Review.Type

export const InspectedHeader = Schema.Struct({
  name: Schema.String,
  value: Schema.String,
  redacted: Schema.Boolean
}).annotate({ identifier: "InspectedHeader" })

export const InspectedBody = Schema.Struct({
  text: Schema.String.annotate({ description: "At most 512 KiB, with secrets taken out." }),
  bytes: Schema.Int.annotate({ description: "Of the whole body." }),
  truncated: Schema.Boolean,
  unavailable: Schema.Boolean.annotate({ description: "There was none, or it is no text." })
}).annotate({ identifier: "InspectedBody" })

/** One exchange as it was, without what is secret. Kept nowhere. */
export const Inspection = Schema.Struct({
  diagnosis: Schema.Struct({ summary: Schema.String }),
  request: Schema.optionalKey(
    Schema.Struct({
      method: Schema.String,
      url: Schema.String.annotate({ description: "Values in its query are taken out." }),
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
  toolName: ToolName,
  arguments: JsonInput
}).annotate({ identifier: "CallMcpTool" })

export const DecideReview = Schema.Struct({
  fingerprint: Text(1, 128).annotate({ description: "Of the review: another one is 409 `stale_revision`." }),
  decision: Schema.Literals(["accept", "reject"])
}).annotate({ identifier: "DecideMcpReview" })

// Errors

/** Nothing differs from what was accepted. */
export class McpReviewNotFound extends notFound("mcp_review")<McpReviewNotFound>() {}
export class StaleReview extends conflict(
  "stale_revision",
  "The server has changed again; look at the review as it is now."
)<StaleReview>() {}
/** 502: the call did not come to a result. */
export class ToolExecutionFailed extends badGatewayWith("tool_execution_failed", "The tool gave no result.", {
  diagnostic: Diagnostic,
  inspection: Inspection
})<ToolExecutionFailed>() {}

// Operations

const read = Access.permission("mcpConnections:read")
const write = Access.permission("mcpConnections:write")
const PolicyAnswer = Schema.Struct({ toolPolicy: ToolPolicy })

/** Operations of the group `mcpConnections`: what there is, which may be called, what changed. */
export const endpoints = [
  HttpApiEndpoint.get("listTools", `${at}/tools`, {
    params: one,
    query: {
      ...pageQuery,
      refresh: Schema.optionalKey(QueryFlag.annotate({ description: "`true` asks the server now." }))
    },
    success: ToolPage,
    error: [ConnectionNotFound, ConnectionNotReady, McpServerFailed]
  }).pipe(
    endpointMetadata({
      access: read,
      paged: true,
      summary: "Lists the tools of a connection by name; asked of the server every five minutes at most.",
      description: "Takes a grant that names the caller, also of owners and admins: it uses the credential."
    })
  ),
  HttpApiEndpoint.get("getToolPolicy", `${at}/tool-policy`, {
    params: one,
    success: PolicyAnswer,
    error: ConnectionNotFound
  }).pipe(endpointMetadata({ access: read, summary: "Gets which tools may be called." })),
  HttpApiEndpoint.put("setToolPolicy", `${at}/tool-policy`, {
    params: one,
    payload: ToolPolicy,
    success: PolicyAnswer,
    error: ConnectionNotFound
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "mcp_connection.set_tool_policy",
      summary: "Says which tools may be called; a tool that is not there yet may be named. Takes a manager."
    })
  ),
  HttpApiEndpoint.get("getReview", `${at}/review`, {
    params: one,
    success: Schema.Struct({ review: Review }),
    error: [ConnectionNotFound, McpReviewNotFound]
  }).pipe(
    endpointMetadata({
      access: read,
      summary: "Gets in what the server differs from what was accepted.",
      description:
        "Tools that are new or changed are refused until somebody decides; after another issuer or endpoint the whole connection is."
    })
  ),
  HttpApiEndpoint.post("decideReview", `${at}/review`, {
    params: one,
    payload: DecideReview,
    success: ConnectionAnswer,
    error: [ConnectionNotFound, McpReviewNotFound, StaleReview]
  }).pipe(
    endpointMetadata({
      access: write,
      audited: "mcp_connection.review",
      summary: "Accepts the server as it is now, or keeps refusing what changed. Takes a manager."
    })
  )
] as const

/** Operations of the group `mcpConnections`: one call to look at. */
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
      summary: "Runs one tool and shows the exchange, for diagnosis; nothing of it is kept.",
      description:
        "At most 60 seconds and 60 calls a minute in an organization. Takes a grant that names the caller. A tool that the policy denies is 403 `policy_blocked`, one that changed 403 `tool_review_required`."
    })
  )
] as const
