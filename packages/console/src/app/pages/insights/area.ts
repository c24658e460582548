import type { Area } from "../../area.ts"

export const insights: Area = { title: "Insights", entries: [], pages: {} }
