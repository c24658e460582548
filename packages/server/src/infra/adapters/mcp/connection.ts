import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { McpFailed, McpServerInfo } from "../../ports/mcp-servers.ts"
import { version } from "../../version.ts"
import { type McpRequest, ask, type Course, endSession, notify, type Reply } from "./exchange.ts"
import { failed } from "./failure.ts"
import { listOf, member, textOf } from "./message.ts"
import { ofRpcError, rpcCodes, supportedVersionsOf } from "./rpc-error.ts"

/** The revision without a handshake. */
const statelessVersion = "2026-07-28"
/** The revisions that start with `initialize`, newest first. */
const sessionVersions: ReadonlyArray<string> = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]

/** Revisions with a stream for requests of the server, besides the responses. */
const listeningVersions: ReadonlySet<string> = new Set(["2025-11-25", "2025-06-18", "2025-03-26"])

const clientInfo = { name: "orgplane", version }
const handshakeBytesMax = 1024 * 1024

/** A connection to a server whose revision is known. */
export interface Connection {
  readonly info: McpServerInfo
  readonly hasSession: boolean
  /** Headers of the stream with the server's own requests; null if there is none. */
  readonly listenHeaders: Readonly<Record<string, string>> | null
  readonly ask: (
    method: string,
    params: JsonObject,
    responseBytesMax: number,
    more?: Pick<Partial<McpRequest>, "headers" | "unless">
  ) => Effect.Effect<Reply, McpFailed>
}

const isPlainValue = (text: string): boolean =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !(text.startsWith("=?base64?") && text.endsWith("?="))

/** A header value in the standard's encoding: a text that is not valid in a header is sent as marked base64. */
export const headerValue = (text: string): string =>
  isPlainValue(text) ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`

const nameOf = (value: unknown): string | null => {
  const name = textOf(value, "name")?.replaceAll("\u0000", "").toWellFormed()
  return name === undefined || name === "" ? null : name.slice(0, 255)
}

const stateless = (
  request: Omit<McpRequest, "headers" | "canResume">,
  headers: Readonly<Record<string, string>> = {}
): McpRequest => {
  const name = request.method === "tools/call" ? textOf(request.params, "name") : undefined
  return {
    ...request,
    canResume: false,
    params: {
      ...request.params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": statelessVersion,
        "io.modelcontextprotocol/clientInfo": clientInfo,
        // No client capabilities: there is no person or model to ask during a call.
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    },
    headers: {
      "mcp-protocol-version": statelessVersion,
      "mcp-method": request.method,
      ...(name === undefined ? {} : { "mcp-name": headerValue(name) }),
      ...headers
    }
  }
}

const unsupported = (reply: Reply): McpFailed =>
  failed("unsupported_version", "The server supports no version of MCP that orgplane supports.", {
    exchange: reply.exchange,
    providerStatus: reply.status,
    ...(reply.response.kind === "error" ? { jsonRpcCode: reply.response.code } : {})
  })

const versionsOf = (result: JsonObject): ReadonlyArray<string> => {
  const listed = listOf(member(result, "supportedVersions"))
  return listed !== undefined
    ? listed.filter((version): version is string => typeof version === "string").slice(0, 50)
    : []
}

/** Whether a server with this failure may use a revision with sessions. */
const mayBeOlder = (failure: McpFailed): boolean => {
  const status = failure.providerStatus ?? 0
  if (failure.category === "http") return status >= 400 && status < 500 && status !== 429
  return failure.code === "invalid_message" || failure.code === "id_mismatch" || failure.code === "closed_early"
}

/** A connection to a server that is known to have no sessions. */
export const connectStateless = (course: Course, info: McpServerInfo): Connection => ({
  info,
  hasSession: false,
  listenHeaders: null,
  ask: (method, params, responseBytesMax, more) =>
    ask(course, stateless({ method, params, responseBytesMax }, more?.headers))
})

/** Requests `server/discover`; null if the server uses a revision with sessions. */
const discover = Effect.fnUntraced(function* (course: Course) {
  const request = stateless({ method: "server/discover", params: {}, responseBytesMax: handshakeBytesMax })
  const outcome = yield* Effect.result(ask(course, request))
  if (Result.isFailure(outcome)) return mayBeOlder(outcome.failure) ? null : yield* outcome.failure
  const reply = outcome.success
  if (reply.response.kind === "error") {
    const supported = supportedVersionsOf(reply)
    // Only a stateless server returns this error, with the versions that it supports.
    const isRefused =
      reply.response.code === rpcCodes.unsupportedVersion &&
      supported !== undefined &&
      !supported.some((version) => sessionVersions.includes(version))
    return isRefused ? yield* unsupported(reply) : null
  }
  const { result } = reply.response
  const versions = versionsOf(result)
  if (!versions.includes(statelessVersion)) {
    const isNewer = versions.length > 0 && !versions.some((version) => sessionVersions.includes(version))
    return isNewer ? yield* unsupported(reply) : null
  }
  const info: McpServerInfo = {
    era: "stateless",
    protocolVersion: statelessVersion,
    name: nameOf(member(member(result, "_meta"), "io.modelcontextprotocol/serverInfo") ?? member(result, "serverInfo")),
    hasTools: member(member(result, "capabilities"), "tools") !== undefined
  }
  return connectStateless(course, info)
})

const initialize = (course: Course, protocolVersion: string) =>
  ask(course, {
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo },
    headers: {},
    responseBytesMax: handshakeBytesMax,
    canResume: true
  })

/** Starts with the newest revision. When the server rejects it and lists others, it is tried once more. */
const handshake = Effect.fnUntraced(function* (course: Course) {
  const reply = yield* initialize(course, sessionVersions[0] ?? "")
  if (reply.response.kind === "result") return reply
  const supported = supportedVersionsOf(reply)
  if (supported === undefined) return yield* ofRpcError(reply, "initialize", false)
  const common = sessionVersions.find((version) => supported.includes(version))
  if (common === undefined) return yield* unsupported(reply)
  const again = yield* initialize(course, common)
  return again.response.kind === "result" ? again : yield* ofRpcError(again, "initialize", false)
})

/** Starts a session, which ends with the scope. */
const beginSession = Effect.fnUntraced(function* (course: Course) {
  const reply = yield* handshake(course)
  if (reply.response.kind !== "result") return yield* unsupported(reply)
  const { result } = reply.response
  const protocolVersion = textOf(result, "protocolVersion")
  if (protocolVersion === undefined || !sessionVersions.includes(protocolVersion)) return yield* unsupported(reply)
  const sessionId = reply.headers["mcp-session-id"]
  if (sessionId !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(sessionId)) {
    return yield* failed(
      "invalid_message",
      "The server's session ID contains characters that a header cannot contain.",
      {
        exchange: reply.exchange
      }
    )
  }
  const headers = {
    "mcp-protocol-version": protocolVersion,
    ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId })
  }
  if (sessionId !== undefined) yield* Effect.addFinalizer(() => endSession(course, headers))
  yield* notify(course, {
    method: "notifications/initialized",
    params: {},
    headers,
    responseBytesMax: handshakeBytesMax,
    canResume: false
  })
  const connection: Connection = {
    info: {
      era: "session",
      protocolVersion,
      name: nameOf(member(result, "serverInfo")),
      hasTools: member(member(result, "capabilities"), "tools") !== undefined
    },
    hasSession: sessionId !== undefined,
    listenHeaders: sessionId !== undefined && listeningVersions.has(protocolVersion) ? headers : null,
    ask: (method, params, responseBytesMax, more) =>
      ask(course, {
        method,
        params,
        headers,
        responseBytesMax,
        canResume: true,
        ...(more?.unless === undefined ? {} : { unless: more.unless })
      })
  }
  return connection
})

/** Detects whether a server uses sessions. The stateless protocol is tried first, as the standard requires. */
export const connect = Effect.fnUntraced(function* (course: Course) {
  return (yield* discover(course)) ?? (yield* beginSession(course))
})
