import { isJsonObject, type Json, type JsonObject } from "./parse-json.ts"

export type ObjectType = "skill" | "agent" | "command" | "tool" | "mcp" | "hook" | "context" | "custom"

/** Converts the JSON of an object type to one canonical form. */
export const payloadOf = (
  objectType: ObjectType,
  value: Json
): { readonly payload: JsonObject; readonly warnings: ReadonlyArray<string> } => {
  if (objectType === "mcp") return servers(value)
  if (!isJsonObject(value)) {
    const warnings = objectType === "hook" ? ["Hooks must be a JSON object."] : []
    return { payload: { value }, warnings }
  }
  // In a manifest, events are not wrapped in a `hooks` field as they are in a hooks file.
  if (objectType === "hook" && !isJsonObject(value["hooks"])) return { payload: { hooks: value }, warnings: [] }
  return { payload: value, warnings: [] }
}

const servers = (value: Json): { readonly payload: JsonObject; readonly warnings: ReadonlyArray<string> } => {
  const warnings: Array<string> = []
  if (!isJsonObject(value)) return { payload: { servers: {} }, warnings: ["MCP servers must be a JSON object."] }
  const wrapped = ["mcpServers", "servers"].map((name) => value[name]).find(isJsonObject)
  const validServers: Record<string, Json> = {}
  for (const [name, server] of Object.entries(wrapped ?? value)) {
    const isServer =
      isJsonObject(server) && (typeof server["command"] === "string" || typeof server["url"] === "string")
    if (isServer) validServers[name] = server
    // In the bare form, other members (a comment, a schema URL) are not errors.
    else if (wrapped !== undefined || isJsonObject(server)) {
      warnings.push(`The server ${JSON.stringify(name.slice(0, 80))} has neither "command" nor "url" and is ignored.`)
    }
  }
  if (Object.keys(validServers).length === 0) warnings.push("No MCP server was found.")
  return { payload: { servers: validServers }, warnings: warnings.slice(0, 10) }
}

/**
 * The words by which an object can be found. Servers are indexed by name, command and host only: their environment
 * and headers contain credentials, and more people can search the index than read the object.
 */
export const searchWords = (objectType: ObjectType, payload: JsonObject, max: number): string => {
  const words: Array<string> = []
  let length = 0
  const add = (word: string) => {
    if (length > max) return
    words.push(word)
    length += word.length + 1
  }
  if (objectType === "mcp") {
    const servers = isJsonObject(payload["servers"]) ? payload["servers"] : {}
    for (const [name, server] of Object.entries(servers)) {
      add(name)
      if (!isJsonObject(server)) continue
      for (const member of ["title", "description", "command"]) {
        const text = server[member]
        if (typeof text === "string") add(text)
      }
      const url = server["url"]
      if (typeof url === "string" && URL.canParse(url)) add(new URL(url).hostname)
    }
    return words.join(" ")
  }
  const walk = (node: Json, depth: number): void => {
    if (length > max || depth > 64) return
    if (typeof node === "string") add(node)
    else if (Array.isArray(node)) for (const item of node) walk(item as Json, depth + 1)
    else if (isJsonObject(node)) {
      for (const [name, member] of Object.entries(node)) {
        if (!secretName.test(name)) {
          add(name)
          walk(member, depth + 1)
        }
      }
    }
  }
  walk(payload, 0)
  return words.join(" ")
}

const secretName = /key$|token|secret|password|passwd|signature|credential|authorization|cookie|^env$|^headers$/iu
