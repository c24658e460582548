import type { Area } from "../../area.ts"

export const tools: Area = { title: "Tools", entries: [], pages: {} }
