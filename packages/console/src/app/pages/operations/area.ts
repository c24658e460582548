import type { Area } from "../../area.ts"

export const operations: Area = {
  title: "Operations",
  entries: [{ to: "/audit", name: "Audit" }],
  pages: { "/audit": () => import("./audit.tsx") }
}
