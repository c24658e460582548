import type { Area } from "../../area.ts"

export const insights: Area = {
  title: "Insights",
  entries: [
    { to: "/metrics", name: "Metrics", permission: "analytics:read" },
    { to: "/adoption", name: "Adoption", permission: "analytics:read" },
    { to: "/analytics", name: "Analytics", permission: "analytics:read" },
    { to: "/dimensions", name: "Dimensions", permission: "analytics:read" },
    { to: "/telemetry", name: "Telemetry ledger", permission: "telemetry:read" }
  ],
  pages: {
    "/metrics": () => import("./metrics.tsx"),
    "/adoption": () => import("./adoption.tsx"),
    "/analytics": () => import("./analytics.tsx"),
    "/dimensions": () => import("./dimensions.tsx"),
    "/telemetry": () => import("./ledger.tsx")
  }
}
