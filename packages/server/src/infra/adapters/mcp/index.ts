export { layerMcpServers } from "./mcp-servers.ts"
