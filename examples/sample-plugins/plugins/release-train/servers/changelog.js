/** An MCP server over stdio with one tool: the entries of the changelog. */
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"

const tool = {
  name: "read_changelog",
  description: "Read the changelog of the release.",
  inputSchema: { type: "object", properties: {} }
}

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "changelog", version: "1.0.0" }
  }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": () => ({
    content: [{ type: "text", text: readFileSync(process.env.CHANGELOG_PATH ?? "CHANGELOG.md", "utf8") }]
  })
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result = results[method]?.(params ?? {})
  const answer = result === undefined ? { error: { code: -32601, message: `No method ${method}.` } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`)
}
