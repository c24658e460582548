import type { Area } from "../../area.ts"

export const delivery: Area = { title: "Delivery", entries: [], pages: {} }
