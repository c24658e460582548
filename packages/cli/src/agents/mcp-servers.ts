/** The MCP servers that a plugin starts or connects to, as Claude Code reads them. */
import { join, posix } from "node:path"
import { isObject, textAt } from "../output/value.ts"
import type { Files } from "./files.ts"
import type { McpServer } from "./formats/format.ts"

const rootVariable = "${CLAUDE_PLUGIN_ROOT}"

/** Undefined also for a folder, a path that no file can have, and a file that is not JSON: an agent reads none of them. */
const parsed = async (read: () => Promise<Buffer | undefined>): Promise<unknown> => {
  try {
    const content = await read()
    return content === undefined ? undefined : JSON.parse(content.toString("utf8"))
  } catch {
    return undefined
  }
}

const serversIn = (value: unknown, root: string): ReadonlyArray<McpServer> => {
  const servers = isObject(value) && isObject(value["mcpServers"]) ? value["mcpServers"] : value
  if (!isObject(servers)) return []
  const expanded = (text: string) => text.replaceAll(rootVariable, root)
  return Object.values(servers).flatMap((server): ReadonlyArray<McpServer> => {
    const [url, command] = [textAt(server, "url"), textAt(server, "command")]
    if (url !== undefined) return [{ url: expanded(url) }]
    if (command === undefined) return []
    const args = isObject(server) && Array.isArray(server["args"]) ? server["args"].map(String) : []
    return [{ command: [command, ...args].map(expanded) }]
  })
}

/** The servers in `.mcp.json` and in the manifest of the plugin in a directory. */
export const mcpServersOf = async (
  files: Files,
  directory: string,
  root: string
): Promise<ReadonlyArray<McpServer>> => {
  const read = (path: string) => parsed(() => files.read(join(directory, ...posix.normalize(path).split("/"))))
  const manifest = await read(".claude-plugin/plugin.json")
  const stated = isObject(manifest) ? manifest["mcpServers"] : undefined
  const parts = stated === undefined ? [] : Array.isArray(stated) ? stated : [stated]
  const servers = [...serversIn(await read(".mcp.json"), root)]
  for (const part of parts) {
    const isInside = typeof part === "string" && !posix.normalize(part).startsWith("..") && !posix.isAbsolute(part)
    servers.push(...serversIn(isInside ? await read(part) : part, root))
  }
  return servers
}
