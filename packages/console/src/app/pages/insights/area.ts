import type { Area } from "../../area.ts"

export const insights: Area = {
  title: "Insights",
  entries: [
    { to: "/metrics", name: "Metrics" },
    { to: "/adoption", name: "Adoption" },
    { to: "/analytics", name: "Analytics" },
    { to: "/dimensions", name: "Dimensions" },
    { to: "/telemetry", name: "Telemetry ledger" }
  ],
  pages: {
    "/metrics": () => import("./metrics.tsx"),
    "/adoption": () => import("./adoption.tsx"),
    "/analytics": () => import("./analytics.tsx"),
    "/dimensions": () => import("./dimensions.tsx"),
    "/telemetry": () => import("./ledger.tsx")
  }
}
