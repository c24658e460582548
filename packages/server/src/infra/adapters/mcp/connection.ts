import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { McpFailed, McpServerInfo } from "../../ports/mcp-servers.ts"
import { version } from "../../version.ts"
import { type Asked, ask, type Course, endSession, notify, type Reply } from "./exchange.ts"
import { failed } from "./failure.ts"
import { listOf, member, textOf } from "./message.ts"
import { ofRpcError, rpcCodes, supportedVersionsOf } from "./rpc-error.ts"

/** The revision without a handshake. */
const statelessVersion = "2026-07-28"
/** The revisions that begin with `initialize`, newest first. */
const sessionVersions: ReadonlyArray<string> = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]

/** Revisions with a stream for requests of the server, besides the responses. */
const listeningVersions: ReadonlySet<string> = new Set(["2025-11-25", "2025-06-18", "2025-03-26"])

const clientInfo = { name: "orgplane", version }
const handshakeBytesMax = 1024 * 1024

/** A server whose revision is known. */
export interface Connection {
  readonly info: McpServerInfo
  readonly hasSession: boolean
  /** Of the stream with the server's own requests; null when there is none. */
  readonly listenHeaders: Readonly<Record<string, string>> | null
  readonly ask: (
    method: string,
    params: JsonObject,
    answerBytesMax: number,
    more?: Pick<Partial<Asked>, "headers" | "unless">
  ) => Effect.Effect<Reply, McpFailed>
}

const isPlainValue = (text: string): boolean =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !(text.startsWith("=?base64?") && text.endsWith("?="))

/** A header's value by the standard's rule: what a header cannot carry goes in base64, marked as such. */
export const headerValue = (text: string): string =>
  isPlainValue(text) ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`

const nameOf = (value: unknown): string | null => {
  const name = textOf(value, "name")?.replaceAll("\u0000", "").toWellFormed()
  return name === undefined || name === "" ? null : name.slice(0, 255)
}

const stateless = (
  asked: Omit<Asked, "headers" | "canResume">,
  headers: Readonly<Record<string, string>> = {}
): Asked => {
  const name = asked.method === "tools/call" ? textOf(asked.params, "name") : undefined
  return {
    ...asked,
    canResume: false,
    params: {
      ...asked.params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": statelessVersion,
        "io.modelcontextprotocol/clientInfo": clientInfo,
        // Nothing of a conversation: there is nobody on this side to ask.
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    },
    headers: {
      "mcp-protocol-version": statelessVersion,
      "mcp-method": asked.method,
      ...(name === undefined ? {} : { "mcp-name": headerValue(name) }),
      ...headers
    }
  }
}

const unsupported = (reply: Reply): McpFailed =>
  failed("unsupported_version", "The server speaks no version of MCP that is known here.", {
    exchange: reply.exchange,
    providerStatus: reply.status,
    ...(reply.answer.kind === "error" ? { jsonRpcCode: reply.answer.code } : {})
  })

const versionsOf = (result: JsonObject): ReadonlyArray<string> => {
  const listed = listOf(member(result, "supportedVersions"))
  return listed !== undefined
    ? listed.filter((version): version is string => typeof version === "string").slice(0, 50)
    : []
}

/** Whether a server that answered the probe in this way may be one of the older era. */
const mayBeOlder = (failure: McpFailed): boolean => {
  const status = failure.providerStatus ?? 0
  if (failure.category === "http") return status >= 400 && status < 500 && status !== 429
  return failure.code === "invalid_message" || failure.code === "id_mismatch" || failure.code === "closed_early"
}

/** Asks what a server of the newer era answers; null for one of the older. */
const discover = Effect.fnUntraced(function* (course: Course) {
  const asked = stateless({ method: "server/discover", params: {}, answerBytesMax: handshakeBytesMax })
  const outcome = yield* Effect.result(ask(course, asked))
  if (Result.isFailure(outcome)) return mayBeOlder(outcome.failure) ? null : yield* outcome.failure
  const reply = outcome.success
  if (reply.answer.kind === "error") {
    const supported = supportedVersionsOf(reply)
    // Only a server of the newer era says so, and it says what it would speak instead.
    const isRefused =
      reply.answer.code === rpcCodes.unsupportedVersion &&
      supported !== undefined &&
      !supported.some((version) => sessionVersions.includes(version))
    return isRefused ? yield* unsupported(reply) : null
  }
  const { result } = reply.answer
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
  const connection: Connection = {
    info,
    hasSession: false,
    listenHeaders: null,
    ask: (method, params, answerBytesMax, more) =>
      ask(course, stateless({ method, params, answerBytesMax }, more?.headers))
  }
  return connection
})

const initialize = (course: Course, protocolVersion: string) =>
  ask(course, {
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo },
    headers: {},
    answerBytesMax: handshakeBytesMax,
    canResume: true
  })

/** Begins with the newest revision; a server that refuses it and names others is asked once more. */
const handshake = Effect.fnUntraced(function* (course: Course) {
  const reply = yield* initialize(course, sessionVersions[0] ?? "")
  if (reply.answer.kind === "result") return reply
  const supported = supportedVersionsOf(reply)
  if (supported === undefined) return yield* ofRpcError(reply, "initialize", false)
  const common = sessionVersions.find((version) => supported.includes(version))
  if (common === undefined) return yield* unsupported(reply)
  const again = yield* initialize(course, common)
  return again.answer.kind === "result" ? again : yield* ofRpcError(again, "initialize", false)
})

/** Begins a session and says that it has begun; it ends with the scope. */
const beginSession = Effect.fnUntraced(function* (course: Course) {
  const reply = yield* handshake(course)
  if (reply.answer.kind !== "result") return yield* unsupported(reply)
  const { result } = reply.answer
  const protocolVersion = textOf(result, "protocolVersion")
  if (protocolVersion === undefined || !sessionVersions.includes(protocolVersion)) return yield* unsupported(reply)
  const sessionId = reply.headers["mcp-session-id"]
  if (sessionId !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(sessionId)) {
    return yield* failed("invalid_message", "The server names its session in a way that cannot be sent back.", {
      exchange: reply.exchange
    })
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
    answerBytesMax: handshakeBytesMax,
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
    ask: (method, params, answerBytesMax, more) =>
      ask(course, {
        method,
        params,
        headers,
        answerBytesMax,
        canResume: true,
        ...(more?.unless === undefined ? {} : { unless: more.unless })
      })
  }
  return connection
})

/** Finds out which era a server is of: the newer one is asked for first, as the standard wants it. */
export const connect = Effect.fnUntraced(function* (course: Course) {
  return (yield* discover(course)) ?? (yield* beginSession(course))
})
