import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { McpServerTool } from "../../ports/mcp-servers.ts"
import { type Connection, headerValue } from "./connection.ts"
import { failed } from "./failure.ts"
import { isObject, listOf, member, textOf } from "./message.ts"
import { ofRpcError, rpcCodes } from "./rpc-error.ts"

export const toolsMax = 1000
const pagesMax = 50
const listBytesMax = 4 * 1024 * 1024
const nameLengthMax = 255

/** Replaces what PostgreSQL cannot store: U+0000 and lone surrogates. */
const storable = (text: string): string => text.replaceAll("\u0000", "\uFFFD").toWellFormed()

const storableJson = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return storable(value)
  const list = listOf(value)
  if (list !== undefined) return list.map(storableJson)
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [storable(name), storableJson(inner)]))
    : value
}

const flag = (annotations: unknown, name: string, otherwise: boolean): boolean => {
  const value = member(annotations, name)
  return typeof value === "boolean" ? value : otherwise
}

/** Undefined for a tool without a name that can be called. */
const readTool = (value: Schema.Json): McpServerTool | undefined => {
  const name = textOf(value, "name")
  if (name === undefined || name === "" || name.length > nameLengthMax || storable(name) !== name) return undefined
  const annotations = member(value, "annotations")
  const title = textOf(value, "title") ?? textOf(annotations, "title")
  const description = textOf(value, "description")
  const inputSchema = member(value, "inputSchema")
  const schema = isObject(inputSchema) ? storableJson(inputSchema) : {}
  return {
    name,
    title: title === undefined ? null : storable(title),
    description: description === undefined ? null : storable(description),
    inputSchema: isObject(schema) ? schema : {},
    // The standard's defaults for omitted hints.
    readOnlyHint: flag(annotations, "readOnlyHint", false),
    destructiveHint: flag(annotations, "destructiveHint", true),
    idempotentHint: flag(annotations, "idempotentHint", false),
    openWorldHint: flag(annotations, "openWorldHint", true)
  }
}

/** All tools, page by page, up to the limits. If a name is repeated, only one tool is kept. */
export const readTools = Effect.fnUntraced(function* (connection: Connection) {
  const tools = new Map<string, McpServerTool>()
  const cursors = new Set<string>()
  let bytes = 0
  let cursor: string | undefined
  const ended = (truncated: boolean) => ({ server: connection.info, tools: [...tools.values()], truncated })
  for (let page = 0; page < pagesMax; page++) {
    const bytesLeft = listBytesMax - bytes
    const params: JsonObject = cursor === undefined ? {} : { cursor }
    const reading = connection.ask("tools/list", params, bytesLeft)
    const reply = yield* page === 0
      ? reading
      : reading.pipe(
          Effect.catch((failure) =>
            failure.code === "response_too_large" ? Effect.succeed(undefined) : Effect.fail(failure)
          )
        )
    if (reply === undefined) return ended(true)
    if (reply.response.kind === "error") {
      // A server without tools need not support the method.
      if (page === 0 && !connection.info.hasTools && reply.response.code === rpcCodes.methodNotFound)
        return ended(false)
      return yield* ofRpcError(reply, "tools/list", connection.hasSession)
    }
    const { result } = reply.response
    const listed = listOf(member(result, "tools"))
    if (listed === undefined) {
      return yield* failed("invalid_message", "The server's list of tools is invalid.", { exchange: reply.exchange })
    }
    for (const value of listed) {
      const tool = readTool(value)
      if (tool === undefined || tools.has(tool.name)) continue
      if (tools.size === toolsMax) return ended(true)
      tools.set(tool.name, tool)
    }
    bytes += reply.bytes
    const next = textOf(result, "nextCursor")
    if (next === undefined || next === "") return ended(false)
    // A repeated cursor would loop forever.
    if (cursors.has(next) || bytes >= listBytesMax) return ended(true)
    cursors.add(next)
    cursor = next
  }
  return ended(true)
})

const headerToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/
const mirroredMax = 64

/** The arguments that a tool's schema requires in headers as well (`x-mcp-header`), in the standard's encoding. */
export const mirroredHeaders = (inputSchema: JsonObject, args: JsonObject): Record<string, string> => {
  const headers: Record<string, string> = {}
  let count = 0
  const walk = (schema: Schema.Json, value: Schema.Json | undefined): void => {
    const name = textOf(schema, "x-mcp-header")
    if (name !== undefined && headerToken.test(name) && count < mirroredMax) {
      const isNumber = typeof value === "number" && (!Number.isInteger(value) || Number.isSafeInteger(value))
      if (typeof value === "string" || typeof value === "boolean" || isNumber) {
        count += 1
        headers[`mcp-param-${name.toLowerCase()}`] = headerValue(String(value))
      }
    }
    const properties = member(schema, "properties")
    if (!isObject(properties)) return
    for (const [key, inner] of Object.entries(properties)) walk(inner, member(value, key))
  }
  walk(inputSchema, args)
  return headers
}
