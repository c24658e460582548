import type { Area } from "../../area.ts"

export const tools: Area = {
  title: "Tools",
  entries: [
    { to: "/mcp-connections", name: "MCP connections", permission: "mcpConnections:read" },
    { to: "/memory", name: "Memory" },
    { to: "/capabilities", name: "Mail and calendar" },
    { to: "/workers", name: "Workers", permission: "workers:read" }
  ],
  pages: {
    "/mcp-connections": () => import("./connections.tsx"),
    "/mcp-connections/new": () => import("./connection-new.tsx"),
    "/mcp-connections/$connectionId": () => import("./connection.tsx"),
    "/mcp-connections/$connectionId/connected": () => import("./connection-connected.tsx"),
    "/mcp-connections/$connectionId/review": () => import("./review.tsx"),
    "/mcp-connections/$connectionId/try": () => import("./try.tsx"),
    "/memory": () => import("./memory.tsx"),
    "/memory/$memoryId": () => import("./memory-item.tsx"),
    "/capabilities": () => import("./capabilities.tsx"),
    "/capabilities/$suite": () => import("./capability.tsx"),
    "/capabilities/$suite/connected": () => import("./capability-connected.tsx"),
    "/workers": () => import("./workers.tsx"),
    "/workers/$workerId": () => import("./worker.tsx")
  }
}
